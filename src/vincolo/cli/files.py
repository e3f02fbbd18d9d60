"""vincolo plot, convert, new and examples."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from vincolo.cli.common import changes_of, guarded, print_json, say, units_of
from vincolo.cli.places import Places, deliver
from vincolo.errors import ModelError, suggest
from vincolo.files import appear_together
from vincolo.formats import convert
from vincolo.formats.document import Document
from vincolo.formats.excel import write_template
from vincolo.formats.excel.templates import template_of
from vincolo.plots import plot
from vincolo.plots.figure import checked_target
from vincolo.plots.sheet import neat_unit
from vincolo.results.in_units import InUnits, in_units, run_of
from vincolo.studio.examples import example_files, title_of
from vincolo.tables.folder import PLOT, load_folder, model_in
from vincolo.tables.table_files import read_table


def plot_result(path: Path, names: list[str], against: str, output: Path | None, compare: list[Path],
                title: str | None, show: bool, force: bool, unit: list[str], as_json: bool = False,
                find: str = "") -> None:
    """Plots series of results, or lists them."""
    with guarded(as_json):
        own = path / PLOT if path.is_dir() else path.with_suffix(".html")
        target = output or own
        if find and names:
            raise ModelError("--find lists series; leave it out to plot some.")
        if names:
            checked_target("plot()", target)
            goes_with_it = frozenset([Path(os.path.realpath(own))] if model_in(path) is not None else [])
            Places((path, *compare), force, goes_with_it).check("--out", target)
        units = units_of(unit)
        sources = [(p.name.removesuffix("_results"), series_of(p, units)) for p in (path, *compare)]
        if not names:
            _list_series(sources[0][1], find, as_json)
            return
        shown = sources if len(sources) > 1 else sources[0][1]
        deliver(lambda place: plot(shown, names, against=against, path=place, title=title), target,
                _browse if show else None, as_json=as_json)


def _browse(page: Path) -> None:
    import webbrowser

    webbrowser.open(page.resolve().as_uri())


def series_of(path: Path, units: Sequence[str] = ()) -> InUnits:
    """A result folder or a table of series, in units."""
    if path.is_dir():
        return load_folder(path).in_units(*units)
    return in_units(read_table(path), *units)


def _list_series(source: InUnits, wanted: str, as_json: bool) -> None:
    """Lists series by part with their units; those alone whose names have a text in them, if one is wanted."""
    found = [key for key in source.keys() if wanted.lower() in key.lower()]  # noqa: SIM118
    if as_json:
        print_json({"series": {key: source.unit(key) for key in found}})
        return
    if not found:
        raise ModelError(f"no series has {wanted!r} in its name.{suggest(wanted, source.keys())}\n"
                         "  Leave --find out to see all of them.")
    for heading, owners in _by_part(source, found).items():
        say(f"{heading}:")
        for ends, alike in _alike(owners).items():
            say(f"  {', '.join(alike)}: {'; '.join(ends)}" if alike != [""] else f"  {'; '.join(ends)}")
    say("To plot some: vincolo plot RESULT NAME ..., where a name is that of a part, a dot and what follows it"
        + (", or --find TEXT to list fewer." if not wanted else "."))


def _alike(owners: dict[str, dict[str, list[str]]]) -> dict[tuple[str, ...], list[str]]:
    """The parts that have the same series, so that these are listed once, unit by unit."""
    found: dict[tuple[str, ...], list[str]] = {}
    for owner, ends in owners.items():
        told = tuple(", ".join(names) + (f" [{unit}]" if unit not in ("", "1") else "") for unit, names in ends.items())
        found.setdefault(told, []).append(owner)
    return found


#: groups of a model, as they are listed
HEADINGS = {"measures": "Measures", "outputs": "Outputs", "bodies": "Bodies", "joints": "Joints", "holds": "Drives",
            "springs": "Springs", "laws": "Forces", "loads": "Loads", "frames": "Points",
            "auxiliaries": "Inputs, variables and states"}


def _by_part(source: InUnits, names: Sequence[str]) -> dict[str, dict[str, dict[str, list[str]]]]:
    """Headings, parts under them, and what is known of each part by unit."""
    model = getattr(run_of(source), "model", None)
    parts = {name: heading for group, heading in HEADINGS.items() for name in getattr(model, group, None) or ()}
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for name in names:
        cuts = [k for k, sign in enumerate(name) if sign == "."]
        owner = name if name in parts else next((name[:k] for k in reversed(cuts) if name[:k] in parts), None)
        if owner is None:
            owner = "" if not cuts else name[:cuts[0]]
        heading = parts.get(owner, "Whole mechanism" if parts else "Series")
        end = name[len(owner) + 1:] if owner and name != owner else "itself" if owner in parts else name
        found.setdefault(heading, {}).setdefault(owner, {}).setdefault(neat_unit(source.unit(name)), []).append(end)
    order = [*HEADINGS.values(), "Whole mechanism", "Series"]
    return {heading: found[heading] for heading in order if heading in found}


def convert_model(source: str, target: Path, changes: list[str], force: bool, as_json: bool) -> None:
    """Writes a model in another format."""
    with guarded(as_json) as heard:
        def check(document: Document) -> None:
            places = Places(document.files, force)
            if target.suffix:
                places.check("convert", target)
            else:
                places.check_together("convert", target)

        document = convert(source, target, changes_of(changes), before=check)
        if as_json:
            print_json({"model": document.model.name, "written": str(target), "left_out": document.report.left_out,
                        "warnings": heard})
            return
        say(f"written: {target}")


def new_model(path: Path, template: str, force: bool) -> None:
    """Writes a model to begin with."""
    with guarded():
        suspended = "suspensions" in template_of(template).tree
        if path.suffix.lower() not in (".xlsx", ".yaml"):
            raise ModelError(f"{path.name}: a new model is a workbook (.xlsx) or a YAML file (.yaml).")
        Places(force=force).check("new", path)
        if path.suffix.lower() == ".xlsx":
            write_template(template, path)
        else:
            _new_yaml(template, path)
        verb = "suspension" if suspended else "run"
        say(f"written: {path}\n  to run it     vincolo {verb} {path}")


def _new_yaml(template: str, path: Path) -> None:
    """The same model as the workbook's, as YAML."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        book = Path(folder) / f"{path.stem}.xlsx"
        write_template(template, book)
        convert(book, path)


def list_or_copy(name: str | None, to: Path, force: bool) -> None:
    """Lists the examples, or copies one."""
    with guarded():
        known = example_files()
        if name is None:
            width = max(map(len, known)) + 2
            for key, path in known.items():
                say(f"  {key:<{width}}{title_of(path)}")
            say("Copy one with: vincolo examples NAME")
            return
        if name not in known:
            raise ModelError(f"there is no example {name!r}.{suggest(name, known)}\n"
                             "  `vincolo examples` lists them.")
        if not to.is_dir():
            raise FileNotFoundError(f"there is no folder {str(to)!r} to copy to.")
        say(f"written: {_copied(known[name], to, force)}\n  to run it     vincolo run {to / known[name].name}")


def _copied(example: Path, to: Path, force: bool) -> Path:
    """Copies an example with what it needs; none of its files replaces another unless that is asked for."""
    target, places = to / example.name, Places((example,), force)
    if example.is_dir():
        places.check_together("examples", target)
        target.mkdir(exist_ok=True)
        files = {target / path.name: path for path in sorted(example.iterdir()) if path.is_file()}
    else:
        helpers = _imported(example) if example.suffix == ".py" else []
        files = {to / path.name: path for path in (example, *helpers)}
        for place, path in files.items():
            if not (path in helpers and _same_content(place, path)):
                Places((path,), force).check("examples", place)
    appear_together("examples", {place: path.read_bytes() for place, path in files.items()})
    return target


def _imported(example: Path) -> list[Path]:
    """Files beside an example that it imports, and that these import."""
    found, left = list[Path](), [example]
    while left:
        names = re.findall(r"^from (\w+) import", left.pop().read_text(encoding="utf-8"), re.MULTILINE)
        new = [path for name in dict.fromkeys(names) if (path := example.parent / f"{name}.py").is_file()
               and path not in found]
        found += new
        left += new
    return found


def _same_content(place: Path, path: Path) -> bool:
    """Whether a file already exists as it is to be: examples share one."""
    return place.is_file() and place.read_bytes() == path.read_bytes()
