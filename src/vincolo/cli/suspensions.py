"""Curves of the suspensions in a file: a table, limits, JSON, CSV."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

from vincolo.cli.common import guarded, opened, print_json, say
from vincolo.cli.places import Places
from vincolo.errors import ModelError, suggest
from vincolo.formats.document import Document
from vincolo.report.suspension import show_report, write_suspension_report
from vincolo.vehicle.curves import Checked, Curves, check_limits, standard_curves
from vincolo.vehicle.files import Garage
from vincolo.vehicle.loads import LoadTable
from vincolo.vehicle.rigs import rig_of
from vincolo.vehicle.suspension import HardpointError, Suspension

NEXT = "\n  "  # a further line of a message


class Wish(NamedTuple):
    """What is asked for: one suspension and rig, or all of them; how many positions."""

    suspension: str | None = None
    rig: str | None = None
    positions: int = 101
    loads: bool = False  # of all members of a car
    compare: tuple[str, ...] = ()  # other files, whose curves are shown beside
    compared: dict[str, dict[str, dict[str, Curves]]] | None = None
    refresh: int = 0  # s: a report loads itself again


def show_suspensions(
    model: str, change: list[str], wish: Wish, output: Path | None, as_json: bool, force: bool
) -> None:
    """Prints or writes the curves of a file's suspensions; limits that are broken end with code 1."""
    with guarded(as_json):
        document = opened(model, change, as_json)
        found = curves_of(document, wish)
        others = {Path(other).stem: curves_of(opened(other, [], as_json), wish) for other in wish.compare}
        wish = wish._replace(compared=others)
        checked = {name: check_limits(own, _limits(document, name, own)) for name, own in found.items()}
        loads = _loads(document) if wish.loads else None
        written: list[Path] = []
        if output is not None:
            places = Places((Path(model), *map(Path, wish.compare)), force)
            written = _write(found, output, document, wish, places, loads)
        if as_json:
            print_json({**_data(found, checked), **({} if loads is None else {"loads": _load_data(loads)})})
        else:
            _tell(found, checked, wish)
            if loads is not None:
                say(str(loads))
            for path in written:
                say(f"written: {path}")


def open_report(page: Path) -> None:
    """Opens a report in the browser."""
    with guarded():
        show_report(page)


def watch_suspensions(model: str, change: list[str], wish: Wish, output: Path, *, rounds: int | None = None) -> None:
    """Writes a report anew whenever the file is saved, until Ctrl-C; what is wrong with the file is told, and waited
    for."""
    seen, count = 0, 0
    shown = False
    while rounds is None or count < rounds:
        changed = Path(model).stat().st_mtime_ns if Path(model).exists() else seen
        if changed != seen:
            seen = changed
            try:
                show_suspensions(model, change, wish._replace(refresh=2), output, False, shown)
                shown = True
            except typer.Exit:
                say("waiting for the file to be mended ...")
        count += 1
        time.sleep(0.3)


def curves_of(document: Document, wish: Wish) -> dict[str, dict[str, Curves]]:
    """The curves of each suspension of a file by rig."""
    return garage_curves(document.garage, wish)


def garage_curves(garage: Garage, wish: Wish) -> dict[str, dict[str, Curves]]:
    """The curves of each suspension by rig."""
    known = garage.suspensions
    if not known:
        raise ModelError(
            "there are no suspensions in this file.\n  Begin with one: vincolo new car.xlsx --template fs-front"
        )
    if wish.suspension is not None and wish.suspension not in known:
        raise ModelError(
            f"there is no suspension {wish.suspension!r}.{suggest(wish.suspension, known)}\n"
            f"  There are: {', '.join(known)}."
        )
    if wish.rig is not None:
        rig_of(wish.rig)
    chosen = [known[wish.suspension]] if wish.suspension is not None else list(known.values())
    return {s.name: _curves(garage, s, wish.positions) for s in chosen}


def _curves(garage: Garage, s: Suspension, positions: int) -> dict[str, Curves]:
    """The curves of a suspension by rig; where it cannot go, with the cells of the points concerned."""
    try:
        found = standard_curves(s, car=garage.setting(s.name), count=positions)
    except HardpointError as error:
        cells = garage.cells(s.name, error.roles)
        raise ModelError(f"{error}{f'{NEXT}See {cells}.' if cells else ''}") from None
    return {rig: replace(c, notes=tuple(_with_cells(garage, c, note) for note in c.notes)) for rig, c in found.items()}


def _with_cells(garage: Garage, c: Curves, note: str) -> str:
    cells = garage.cells(c.suspension.name, c.sweep.roles)
    return f"{note}{NEXT}See {cells}." if cells else note


def _loads(document: Document) -> LoadTable:
    found = document.garage.loads()
    if found is None:
        raise ModelError(
            "loads need a car: a row on the sheet Vehicle.\n  Begin with one: vincolo new car.xlsx --template fs-car"
        )
    return found


def _load_data(table: LoadTable) -> dict[str, Any]:
    return {
        "cases": list(table.cases),
        "members": {m: v.tolist() for m, v in zip(table.members, table.values, strict=True)},
    }


def _limits(document: Document, name: str, found: dict[str, Curves]) -> list[Any]:
    return [
        limit
        for limit in document.garage.limits
        if limit.suspension in ("", name) and (limit.rig in found or limit.suspension == name)
    ]


def _tell(found: dict[str, dict[str, Curves]], checked: dict[str, list[Checked]], wish: Wish) -> None:
    for name, own in found.items():
        say(
            str(own[wish.rig or "parallel"])
            if (wish.rig or "parallel") in own
            else f"{name}: not on the rig {wish.rig}"
        )
        for limit in checked[name]:
            say(f"  {limit.limit.name or 'limit'}: {limit}")
        say()


def _data(found: dict[str, dict[str, Curves]], checked: dict[str, list[Checked]]) -> dict[str, Any]:
    """All curves in SI for machines; what is not defined is null."""
    return {
        name: {
            "kind": next(iter(own.values())).suspension.kind,
            "rigs": {rig: {c.coordinate: c.x.tolist(), **{m: _plain(c[m]) for m in c}} for rig, c in own.items()},
            "limits": [
                {
                    "name": k.limit.name,
                    "metric": k.limit.metric,
                    "rig": k.limit.rig,
                    "least": k.least,
                    "largest": k.largest,
                    "kept": k.kept,
                }
                for k in checked[name]
            ],
        }
        for name, own in found.items()
    }


def _plain(values: Any) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]


def _write(found: dict[str, dict[str, Curves]], output: Path, document: Document, wish: Wish, places: Places,
           loads: LoadTable | None) -> list[Path]:
    """A report; the table of loads, if they are wished; or curves, one file for each suspension and rig, the plain name
    for the first in parallel travel. Returns the files."""
    if output.suffix.lower() in (".html", ".htm", ".pdf"):
        places.check("suspension", output)
        write_suspension_report(
            found,
            output,
            title=document.model.name,
            limits=document.garage.limits,
            compared=wish.compared,
            refresh=wish.refresh,
            loads=loads or document.garage.loads(),
        )
        return [output]
    if output.suffix.lower() != ".csv":
        raise ModelError(f"{output.name}: curves and loads are written as .csv, reports as .html or .pdf.")
    if loads is not None:
        places.check("suspension", output)
        return [loads.to_csv(output)]
    files = {
        output if not k and rig == "parallel" else output.with_name(f"{output.stem}_{name}_{rig}.csv"): c
        for k, (name, own) in enumerate(found.items())
        for rig, c in own.items()
    }
    for path in files:
        places.check("suspension", path)
    for path, c in files.items():
        c.to_csv(path)
    return list(files)
