"""Tolerances of any model: what deviates is found by name, and every sample is closed and moved on its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from vincolo.analyses.assemble import aim_of, assemble, begun, called, driven_start, open_conditions
from vincolo.analyses.carry import pose
from vincolo.analyses.closing import close
from vincolo.analyses.happening import refuse_events
from vincolo.analyses.kinematics import followed, kinematics
from vincolo.analyses.simulate import output_times, simulate
from vincolo.channels.channels import Channels
from vincolo.errors import AssemblyError, ModelError, VincoloError
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.results.result import Result
from vincolo.state import State
from vincolo.system import System, as_system
from vincolo.tolerance.subject import Evaluated, Mistake, told
from vincolo.varied import Feature, feature_of, varied, varied_system

ANALYSES = ("kinematics", "dynamics", "assembly")


class ModelSubject:
    """A model whose drives move it over times, or that forces move ("dynamics"), or that is only put together
    ("assembly"). What is not a part of the model by name goes to `make`, a function of deviations that builds it.
    Samples begin near where the nominal mechanism begins; with `as_drawn` where each of them is drawn."""

    block = 64
    parallel = "processes"

    def __init__(self, model: Model, outputs: Sequence[str], *, until: float | None = None, times: Any = 72,
                 analysis: str = "kinematics", make: Callable[[Mapping[str, float]], Model] | None = None,
                 made: Sequence[str] = (), settings: Mapping[str, Any] | None = None, as_drawn: bool = False,
                 who: str = "tolerances") -> None:
        self._who = who  # asks, for messages
        if analysis not in ANALYSES:
            raise ModelError(f"{who}: the analysis is {analysis!r}; it is one of: {', '.join(ANALYSES)}.")
        self.model, self.analysis, self.make, self.made = model, analysis, make, frozenset(made)
        self.settings, self.as_drawn = dict(settings or {}), as_drawn
        self._features: dict[str, Feature] = {}
        self.outputs = (outputs,) if isinstance(outputs, str) else tuple(outputs)
        self.start = self._begun()
        self.name, self.axis, self.mark = model.name, "t [s]", told((model.groups(), model.gravity, analysis, settings))
        self.at = self._times(until, times)
        channels = self.start.channels
        for name in self.outputs:
            channels[name]  # refuses what is not there, with what is near
        if not self.outputs:
            raise ModelError(f"{who}: there is no output.\n  Name channels, such as outputs=['slider.x'].")
        self.units = tuple(channels.unit(name) for name in self.outputs)

    def _begun(self) -> State:
        system = as_system(self.model)
        if self.analysis == "kinematics":
            refuse_events(f"{self._who} of a driven motion", system)
        return driven_start(system) if self.analysis == "kinematics" else assemble(system)

    def _times(self, until: float | None, times: Any) -> Array:
        if self.analysis == "assembly":
            return np.zeros(1)
        if until is None:
            raise ModelError(f"{self._who}: until=, the end of the motion [s], is missing.")
        return output_times(self.start.t, finite_number(f"{self._who}: until", until), times)

    def check(self, coordinates: Sequence[str]) -> None:
        """Parts of the model, and what `make` knows."""
        for name in coordinates:
            if name not in self.made:
                feature_of(self.model, name)

    def evaluate(self, deviations: Mapping[str, Array]) -> Evaluated:
        """Every sample by itself."""
        count = len(next(iter(deviations.values())))
        rows = [self._one({name: float(values[k]) for name, values in deviations.items()}) for k in range(count)]
        return Evaluated(np.stack([row[0] for row in rows]), [row[1] for row in rows])

    def _one(self, deviations: dict[str, float]) -> tuple[Array, str]:
        nothing = np.full((len(self.at), len(self.outputs)), np.nan)
        try:
            channels, reason = self._moved(self.system(deviations))
        except AssemblyError as error:
            return nothing, f"it cannot be assembled: {str(error).splitlines()[0]}"
        except VincoloError as error:
            return nothing, str(error).splitlines()[0]
        except Exception as error:
            return nothing, Mistake.of(error)
        if reason is not None or not len(channels.t):
            return nothing, (reason or "the motion ended early").splitlines()[0]
        values = np.stack([channels[name] for name in self.outputs], axis=-1)
        missing = len(self.at) - len(values)  # of a run that an event stopped: its last values stay
        values = np.concatenate([values, np.repeat(values[-1:], max(0, missing), axis=0)])[:len(self.at)]
        return (values, "") if np.isfinite(values).all() else (nothing, "an output is not finite")

    def changed(self, deviations: Mapping[str, float]) -> Model:
        """The model of a sample."""
        made = {name: value for name, value in deviations.items() if name in self.made}
        model = self.make(made) if made and self.make is not None else self.model
        features: list[tuple[Feature, float]] = [
            (feature_of(model, name), value) for name, value in deviations.items() if name not in self.made and value]
        return varied(model, features) if features else model

    def system(self, deviations: Mapping[str, float]) -> System:
        """The system of a sample; where parts of the model deviate, made from that of the model itself."""
        if any(name in self.made for name in deviations):
            return as_system(self.changed(deviations))
        return varied_system(self.start.system, [(self._feature(name), value) for name, value in deviations.items()
                                                 if value])

    def _feature(self, name: str) -> Feature:
        if name not in self._features:
            self._features[name] = feature_of(self.model, name)
        return self._features[name]

    def run(self, deviations: Mapping[str, float]) -> Result:
        """The whole result of a sample."""
        system = self.system(deviations)
        if self.analysis == "kinematics":
            return kinematics(system, float(self.at[-1]), outputs=self.at, start=self._closed(system))
        start = assemble(system, guess=None if self.as_drawn else pose(self.start, system), t=self.start.t)
        if self.analysis == "assembly":
            raise ModelError("run(): this study only puts mechanisms together; there is no motion.")
        return simulate(system, start=start, until=float(self.at[-1]), outputs=self.at, **self.settings)

    def _moved(self, system: System) -> tuple[Channels, str | None]:
        """The motion from where the nominal mechanism began, and why it ended early if it did."""
        if self.analysis == "kinematics":
            run, reason = followed(system, self._closed(system), self.at)
            n = run.recorded
            return Channels(system, self.at[:n], run.samples(), run.turns()), reason
        near = None if self.as_drawn else pose(self.start, system)
        start = assemble(system, guess=near, t=self.start.t)
        if self.analysis == "assembly":
            return start.channels, None
        result = simulate(system, start=start, until=float(self.at[-1]), outputs=self.at, **self.settings)
        return result.channels, result.reason

    def _closed(self, system: System) -> State:
        """The sample's first position, near the nominal one; motion finds its velocities itself."""
        near = system.drawn if self.as_drawn else pose(self.start, system)
        if system.light_bodies:  # these borrow inertia when they are assembled
            return assemble(system, guess=near, t=self.start.t)
        aim, _ = aim_of("tolerances", system, None, [], self.start.t, near)
        found = close(begun(near, self.start.t, aim), aim)
        if not found.closed:
            (owner, gap), *_ = open_conditions(found, aim)
            raise AssemblyError(f"{called(system, owner)} is open by {gap:.2g} (m or rad)")
        return found.state
