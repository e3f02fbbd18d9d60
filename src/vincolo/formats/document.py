"""What a file of a model holds: the model, how it asks to be run, and what was understood of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import FileError
from vincolo.formats.report import Report
from vincolo.formats.tree.studies import Rows
from vincolo.model import Model
from vincolo.results import Result
from vincolo.state import State
from vincolo.system import System, compile
from vincolo.tolerance.sources import Tolerances
from vincolo.vehicle.files import Garage


@dataclass(frozen=True, eq=False)
class Document:
    """A model from a file. `begin` makes the first state where closing the joints as drawn is not all."""

    model: Model
    settings: RunSettings = field(default_factory=RunSettings)
    report: Report = field(default_factory=Report)
    path: Path | None = None
    begin: Callable[[System, float], State] | None = None
    files: tuple[Path, ...] = ()  # all that were read for it, and folders
    tolerances: Tolerances | None = None
    garage: Garage = field(default_factory=Garage)  # suspensions and limits as they were written
    study: Rows | None = None  # of the section study:
    deviating: Callable[[Mapping[str, float]], Model] | None = None  # the model with numbers of the file off by so much

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
        if self.begin is not None:
            return self.begin(self.system, self.settings.start)
        return self.settings.first_state(self.system)

    def require_whole(self, accept_missing: bool = False) -> None:
        """Refuses a model of which the reader left something out (report.left_out), unless that is accepted."""
        self.report.require_whole(self.path.name if self.path is not None else self.model.name, accept_missing)

    def run(self, *, accept_missing: bool = False, **changes: Any) -> Result:
        """The run that the file asks for; arguments of vincolo.simulate() or vincolo.kinematics() change it. What the
        reader could not translate (report.left_out) is an error, unless `accept_missing`."""
        self.require_whole(accept_missing)
        start = changes["start"] if "start" in changes else self.start()
        return self.settings.run(self.system, start, changes)
