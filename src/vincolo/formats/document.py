"""What a file of a model holds: the model, how it asks to be run, and what was understood of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vincolo.errors import ModelError
from vincolo.formats.report import FileError, Report
from vincolo.model import Model
from vincolo.system import System, compile

if TYPE_CHECKING:
    from vincolo.results import Result, State
    from vincolo.solvers import Formulation, Integrator, Stabilisation

ANALYSES = ("dynamics", "kinematics")
UNTIL = 10.0  # s, of files that do not say
OUTPUTS = 500  # samples, of files that do not say


@dataclass(frozen=True)
class RunSettings:
    """How a file asks to be run. What is None is left to the analysis."""

    analysis: str = "dynamics"
    start: float = 0.0  # s
    until: float | None = None  # s
    outputs: int | None = None
    integrator: Integrator | None = None
    formulation: Formulation | None = None
    stabilisation: Stabilisation | None = None
    channels: tuple[str, ...] = ()  # the series the file is interested in
    method: str = ""  # what the file calls its way of solving

    def __post_init__(self) -> None:
        if self.analysis not in ANALYSES:
            raise ModelError(f"the analysis is {self.analysis!r}; it is one of: {', '.join(ANALYSES)}.")

    @property
    def given(self) -> dict[str, Any]:
        """The settings that are not left open."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}


@dataclass(frozen=True, eq=False)
class Document:
    """A model from a file. `begin` makes the first state where closing the joints as drawn is not all."""

    model: Model
    settings: RunSettings = field(default_factory=RunSettings)
    report: Report = field(default_factory=Report)
    path: Path | None = None
    begin: Callable[[System, float], State] | None = None
    files: tuple[Path, ...] = ()  # all that were read for it, and folders

    @cached_property
    def system(self) -> System:
        """The model, compiled."""
        if not self.model.bodies and self.path is not None:
            where = "a row in the sheet Bodies" if self.path.suffix.lower() == ".xlsx" else "bodies: in YAML"
            raise FileError(f"{self.path.name}: there are no bodies yet.\n  A model has one at least ({where}), with "
                            "its mass and inertia, and joints that hold it.")
        return compile(self.model)

    def start(self) -> State:
        """The closed mechanism at the start, with the velocities the file asks for."""
        from vincolo.analyses import assemble

        if self.begin is not None:
            return self.begin(self.system, self.settings.start)
        if self.settings.analysis == "kinematics":
            from vincolo.analyses.assemble import driven_start

            return driven_start(self.system, self.settings.start)
        return assemble(self.system, t=self.settings.start)

    def require_whole(self, accept_missing: bool = False) -> None:
        """Refuses a model of which the reader left something out (report.left_out), unless that is accepted."""
        self.report.require_whole(self.path.name if self.path is not None else self.model.name, accept_missing)

    def run(self, *, accept_missing: bool = False, **changes: Any) -> Result:
        """The run that the file asks for; arguments of vincolo.simulate() or vincolo.kinematics() change it. What the
        reader could not translate (report.left_out) is an error, unless `accept_missing`."""
        self.require_whole(accept_missing)
        asked = {"until": UNTIL, "outputs": OUTPUTS, **self.settings.given, **changes}
        for name in ("channels", "method"):
            asked.pop(name, None)
        asked["start"] = changes["start"] if "start" in changes else self.start()
        if asked.pop("analysis", "dynamics") == "kinematics":
            from vincolo.analyses.kinematics import kinematics

            for name in ("integrator", "formulation", "stabilisation"):
                asked.pop(name, None)
            return kinematics(self.system, **asked)
        from vincolo.analyses import simulate

        return simulate(self.system, **asked)
