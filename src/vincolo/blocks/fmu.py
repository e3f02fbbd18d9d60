"""An FMU as a block: a controller that hands over what it reads, lets the FMU step, and writes what comes out."""

from __future__ import annotations

import atexit
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from vincolo.errors import ModelError, SimulationError, suggest
from vincolo.model import Measure, Model
from vincolo.model.checks import finite_number
from vincolo.model.control import Controller
from vincolo.optional import library

MOST_KEPT = 10_000  # states of an FMU, of one run


def fmu(model: Model, name: str, file: str | Path, *, reads: Mapping[str, str | Measure], writes: Mapping[str, str],
        every: float, parameters: Mapping[str, float] | None = None) -> Controller:
    """An FMU for co-simulation (FMI 2 or 3) as a controller with a step of its own, `every` so many seconds. `reads`
    are texts as those of laws by the name of the FMU's input; `writes` inputs and variables of the model by the name of
    the FMU's output; `parameters` are set before it begins. At each call its inputs are those of that time, it makes
    its step, and what it puts out is written at once: held inputs jump there, linear ones arrive at the next call."""
    what = f"fmu {name!r}"
    step = finite_number(f"{what}: every", every)
    if step <= 0:
        raise ModelError(f"{what}: every is {step:g} s; it must be positive.")
    block = FmuBlock(what, Path(file), {"input": list(reads), "output": list(writes)}, dict(parameters or {}), step)
    return model.add_controller(name, block, every=step, reads=list(reads.values()), writes=list(writes.values()),
                                memory={"calls": 0})


class Interface(NamedTuple):
    """How fmpy calls what this needs, by version of the interface."""

    module: str
    slave: str
    get: str
    set: str
    keep: str
    put_back: str
    free: str


INTERFACES = {
    "2": Interface("fmpy.fmi2", "FMU2Slave", "getReal", "setReal", "getFMUstate", "setFMUstate",
                   "freeFMUstate"),
    "3": Interface("fmpy.fmi3", "FMU3Slave", "getFloat64", "setFloat64", "getFMUState",
                   "setFMUState", "freeFMUState"),
}


class FmuBlock:
    """An FMU that is stepped by calls. Where a run goes back to an earlier call it goes back too: to a state it was in,
    if it can keep them, or to the start."""

    def __init__(self, what: str, file: Path, names: dict[str, list[str]], parameters: dict[str, float],
                 every: float) -> None:
        if not file.is_file():
            raise FileNotFoundError(f"{what}: there is no file {str(file)!r}.")
        fmpy = library("fmpy", f"{what}: FMUs need the package fmpy", "vincolo[fmu]")
        self.what, self.every, self._parameters = what, every, parameters
        self._description = _described(fmpy, what, file)
        self._interface = INTERFACES[self._description.fmiVersion[0]]
        known = {v.name: v for v in self._description.modelVariables}
        self._references = {kind: [self._reference(known, name, kind) for name in given]
                            for kind, given in {**names, "parameter": list(parameters)}.items()}
        self._folder = fmpy.extract(str(file))
        atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
        own = self._description.coSimulation
        self._keeps = bool(getattr(own, "canGetAndSetFMUstate", False) or getattr(own, "canGetAndSetFMUState", False))
        self._slave: Any = None
        self._done = 0  # calls
        self._states: dict[int, Any] = {}

    def _reference(self, known: dict[str, Any], name: str, kind: str) -> int:
        """The value reference of a variable; refuses what is not there, or is of another kind."""
        found = known.get(name)
        if found is None or found.causality != kind:
            fitting = [n for n, v in known.items() if v.causality == kind]
            raise ModelError(f"{self.what}: {name!r} is not {'a' if kind == 'parameter' else 'an'} {kind} of the FMU "
                             f"{self._description.modelName!r}.\n  There are: {', '.join(fitting) or 'none'}."
                             f"{suggest(name, fitting)}")
        if found.type not in ("Real", "Float64"):
            raise ModelError(f"{self.what}: {name!r} is of type {found.type}; only real numbers go in and out.")
        return int(found.valueReference)

    def __call__(self, t: float, *given: Any) -> list[float]:
        *values, memory = given
        try:
            self._stand_at(int(memory["calls"]), t)
            self._set("input", [float(x) for x in values])
            self._step(t)
            found = [float(x) for x in self._call(self._interface.get, self._references["output"])]
        except SimulationError:
            raise
        except Exception as error:  # fmpy raises its own, and plain Exception
            raise SimulationError(f"{self.what}: {error}") from error
        self._done += 1
        memory["calls"] = self._done
        return found

    def _call(self, name: str, *given: Any) -> Any:
        return getattr(self._slave, name)(*given)

    def _stand_at(self, calls: int, t: float) -> None:
        """In the state after so many calls."""
        if self._slave is None or (calls == 0 and self._done > 0):
            self._begin(t)
        if calls != self._done:
            if calls not in self._states:
                raise SimulationError(f"{self.what}: the run goes on from call {calls}, but the FMU is at call "
                                      f"{self._done} and has kept no state of then.\n  Begin at the start.")
            self._call(self._interface.put_back, self._states[calls])
            self._done = calls
        elif self._keeps and calls not in self._states and len(self._states) < MOST_KEPT:
            self._states[calls] = self._call(self._interface.keep)

    def _begin(self, t: float) -> None:
        """A new instance at a time, with its parameters."""
        self.close()
        own, two = self._description, self._interface is INTERFACES["2"]
        made = getattr(library(self._interface.module, "FMUs need the package fmpy", "vincolo[fmu]"),
                       self._interface.slave)
        self._slave = made(unzipDirectory=self._folder, modelIdentifier=own.coSimulation.modelIdentifier,
                           instanceName=self.what, guid=own.guid)
        self._slave.instantiate()
        if two:
            self._slave.setupExperiment(startTime=t)
        self._set("parameter", list(self._parameters.values()))
        self._slave.enterInitializationMode(**({} if two else {"startTime": t}))
        self._slave.exitInitializationMode()

    def _set(self, kind: str, values: list[float]) -> None:
        if values:
            self._call(self._interface.set, self._references[kind], values)

    def _step(self, t: float) -> None:
        done = self._slave.doStep(currentCommunicationPoint=t, communicationStepSize=self.every)
        if done is not None and done[1]:  # of FMI 3
            raise SimulationError(f"{self.what} asked to end the run at t = {t:.9g} s.")

    def close(self) -> None:
        """Lets the instance go, with its states."""
        slave, self._slave, self._done = self._slave, None, 0
        states, self._states = self._states, {}
        if slave is None:
            return
        with suppress(Exception):  # an FMU that has failed may refuse to end
            for state in states.values():
                getattr(slave, self._interface.free)(state)
            slave.terminate()
            slave.freeInstance()


def _described(fmpy: Any, what: str, file: Path) -> Any:
    """The description of an FMU for co-simulation."""
    try:
        found = fmpy.read_model_description(str(file))
    except Exception as error:  # of zipfile, lxml and fmpy itself
        raise ModelError(f"{what}: {file.name} cannot be read as an FMU: {error}") from None
    if not found.fmiVersion.startswith(("2.", "3.")) or found.coSimulation is None:
        raise ModelError(f"{what}: {file.name} is of FMI {found.fmiVersion}"
                         f"{'' if found.coSimulation else ', without co-simulation'}.\n"
                         "  FMUs for co-simulation of FMI 2 and 3 can be used.")
    return found
