"""How a run is asked for besides its model, as files do it, and the run."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from vincolo.analyses.assemble import assemble, driven_start
from vincolo.analyses.carry import placed
from vincolo.analyses.kinematics import kinematics
from vincolo.analyses.simulate import simulate
from vincolo.errors import ModelError
from vincolo.results import Result
from vincolo.results.in_units import checked_units
from vincolo.solvers import Formulation, Integrator, Stabilisation
from vincolo.state import State
from vincolo.system import System

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
    units: tuple[str, ...] = ()  # in which the file wants results to be shown
    method: str = ""  # what the file calls its way of solving
    position: tuple[tuple[str, tuple[float, ...]], ...] = ()  # bodies that begin elsewhere than drawn, see placed()

    def __post_init__(self) -> None:
        if self.analysis not in ANALYSES:
            raise ModelError(f"the analysis is {self.analysis!r}; it is one of: {', '.join(ANALYSES)}.")
        checked_units(self.units)

    @property
    def given(self) -> dict[str, Any]:
        """The settings that are not left open."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}

    def first_state(self, system: System) -> State:
        """The closed mechanism at the start."""
        guess = placed(system, dict(self.position)) if self.position else None
        if self.analysis == "kinematics":
            return driven_start(system, self.start, guess)
        return assemble(system, t=self.start, guess=guess)

    def run(self, system: System, start: State, changes: dict[str, Any]) -> Result:
        """The run from a state; arguments of simulate() or kinematics() change it."""
        asked = {"until": UNTIL, "outputs": OUTPUTS, **self.given, **changes, "start": start}
        for name in ("channels", "method", "units", "position"):
            asked.pop(name, None)
        return self._shown(self._computed(system, asked))

    def _shown(self, result: Result) -> Result:
        """The result, which knows which series are to be shown and in which units."""
        if not self.units and not self.channels:
            return result
        return replace(result, settings=replace(result.settings, units=self.units, channels=self.channels))

    @staticmethod
    def _computed(system: System, asked: dict[str, Any]) -> Result:
        if asked.pop("analysis", "dynamics") == "kinematics":
            for name in ("integrator", "formulation", "stabilisation"):
                asked.pop(name, None)
            return kinematics(system, **asked)
        return simulate(system, **asked)
