"""vincolo export: a model as a table, a project in C, or an FMU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vincolo.cli.common import guarded, opened, print_json, say
from vincolo.cli.places import Places
from vincolo.errors import ModelError, suggest
from vincolo.files import appearing
from vincolo.formats.document import Document
from vincolo.formats.tree.settings import solver_of
from vincolo.formats.tree.source import Source
from vincolo.realtime.fmu import write_fmu
from vincolo.realtime.project import write_project
from vincolo.realtime.table import Plant, plant
from vincolo.units import seconds_in


@dataclass(frozen=True)
class Solvers:
    """What the command line says about steps."""

    step: str = "1ms"
    integrator: str | None = None
    formulation: str | None = None
    outputs: tuple[str, ...] = ()  # to be added to those of the model

    def plant(self, document: Document) -> Plant:
        """The model of a document, ready to leave Python."""
        size = seconds_of("--step", self.step)
        self.add_outputs(document)
        return plant(document.system, size, start=document.start(), **self.solvers(size))

    def add_outputs(self, document: Document) -> None:
        """Those that are asked for beside the model's own."""
        for given in self.outputs:
            name, sign, text = given.partition("=")
            document.model.output(name if sign else name.replace(".", "_"), text if sign else name)

    def solvers(self, size: float) -> dict[str, Any]:
        """Those that are asked for, with steps of this size [s]."""
        found: dict[str, Any] = {}
        if self.integrator is not None:
            data = {"kind": self.integrator, "step": size}
            found["integrator"] = solver_of("integrator", data, Source("--integrator"), ())
        if self.formulation is not None:
            found["formulation"] = solver_of("formulation", self.formulation, Source("--formulation"), ())
        return found


def seconds_of(option: str, text: str) -> float:
    """The length of a step such as 1ms, 0.5 s or 0.001, in seconds."""
    value = seconds_in(option, text)
    if not 0 < value < 1e6:
        raise ModelError(f"{option} {text!r} is not a time.\n  Write {option} 1ms, or {option} 0.001 for seconds.")
    return value


def _table(found: Plant, path: Path) -> None:
    with appearing("export", path) as file:
        file.write(found.text().encode())


KINDS: dict[str, tuple[str, Callable[[Plant, Path], None]]] = {
    "table": (".table", _table), "c": ("", write_project),
    "fmu2": (".fmu", lambda found, path: write_fmu(found, path, "2")),
    "fmu3": (".fmu", lambda found, path: write_fmu(found, path, "3")),
}


def export_model(path: str, changes: list[str], kind: str, output: Path | None, solvers: Solvers, *, force: bool,
                 accept_missing: bool, as_json: bool) -> None:
    """Writes a model for programs without Python."""
    with guarded(as_json) as heard:
        if kind not in KINDS:
            raise ModelError(f"--as {kind!r} is unknown.{suggest(kind, KINDS)}\n  It is one of {', '.join(KINDS)}.")
        ending, write = KINDS[kind]
        document = opened(path, changes, as_json)
        document.require_whole(accept_missing)
        target = output or Path(f"{Path(path).stem}{ending or '_c'}")
        places = Places(document.files, force)
        if ending:
            places.check("--out", target)
        else:
            places.check_together("--out", target)
        found = solvers.plant(document)
        write(found, target)
        named = {"inputs": [p.name for p in found.inputs], "outputs": [p.name for p in found.outputs],
                 "parameters": [k.name for k in found.knobs]}
        if as_json:
            print_json({"model": document.model.name, "written": str(target), "step": found.step, **named,
                        "warnings": heard})
            return
        say(f"written: {target}\n  steps of      {found.step:g} s, {found.solvers.integrator.title}, "
            f"{found.solvers.told}")
        for what, names in named.items():
            say(f"  {what:<14}{', '.join(names) or 'none'}")
        if not ending:
            say(f"  to build it   make -C {target} -j2 && {target}/model --help")
