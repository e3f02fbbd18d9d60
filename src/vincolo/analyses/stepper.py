"""A run that is entered: inputs are set, a step is made, outputs are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from vincolo import _kernel
from vincolo.analyses.carry import carried
from vincolo.analyses.choosing import chosen
from vincolo.analyses.controlling import Controlling
from vincolo.analyses.happening import answer
from vincolo.analyses.parameters import Parameters
from vincolo.analyses.simulate import first_state, reason_of
from vincolo.analyses.ways_out import require_a_way_out
from vincolo.errors import AssemblyError, ModelError, SimulationError, suggest
from vincolo.layout import work_of
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System, as_system

if TYPE_CHECKING:
    from vincolo.solvers import Formulation, Integrator, Stabilisation
    from vincolo.solvers.formulation import Solver

ROUNDING = 1e-13  # of times: those that differ by less are one
AHEAD = 1000  # steps for which corners of functions of time are found at once


def stepper(model: Model | System, step: float = 1e-3, *, start: State | None = None,
            integrator: Integrator | None = None, stabilisation: Stabilisation | None = None,
            formulation: Formulation | Solver | None = None) -> Stepper:
    """A run in steps of one size [s], for what works beside it: s.step(torque=2.0) sets inputs and goes on, s.read()
    gives the outputs, s.state and s.restore(state) keep and put back. Any integrator goes inside: steps of its own end
    where those of the stepper do. Every step begins anew from the state alone, so that a state that is put back goes on
    as before, to the last bit."""
    system = as_system(model)
    size = finite_number("stepper(): step", step)
    if size <= 0:
        raise ModelError(f"stepper(): step is {size:g} s; it must be positive.")
    return Stepper(system, size, first_state("stepper()", system, start), (integrator, stabilisation, formulation))


class Stepper:
    """A run in steps of one size. `inputs` and `outputs` are arrays in the order of `input_names` and `output_names`:
    views that steps read and write in place. An input in straight lines arrives at the value given at the end of the
    step."""

    def __init__(self, system: System, size: float, begin: State, solvers: tuple[Any, Any, Any]) -> None:
        self.system, self.size = system, size
        self._solvers = solvers
        found = self._chosen = chosen("stepper()", begin, *solvers)
        require_a_way_out(begin)
        model = system.model
        self.input_names = list(model.inputs)
        ports = [(system.auxiliaries[name], system.slopes.get(name, -1)) for name in self.input_names]
        at = begin.t, begin.y.tolist(), begin.turns.tolist()
        self._pacer = _kernel.core().Pacer(system.kernel, self._options(), *at, size, ports)
        self._numbers = {name: k for k, name in enumerate(self.input_names)}
        self.inputs: Array = self._pacer.inputs()
        self._places: Any = memoryview(self.inputs)  # faster than the array for single numbers
        read: Array = self._pacer.outputs()
        self.output_names = [name for name, output in model.outputs.items() if output.formula is not None]
        self.outputs: Array = read[:len(self.output_names)]
        self._timed = bool(system.numbers.timed or system.numbers.tapes) and found.integrator.fixed_step == 0
        self._corners_until = -np.inf
        self._entered = _Entered(self._pacer, read)
        self._controlling = Controlling(system, self._entered, begin) if model.controllers else None
        self._stopped = False
        self._former: list[System] = []  # before masses or sizes were changed
        self.parameters = Parameters(system, self._pacer, self._renew)

    def _options(self) -> dict[str, Any]:
        return {**self._chosen.options(), "max_steps": 0, "checkpoints": [], "calls": [], "corners": []}

    def _renew(self, system: System) -> None:
        """Goes on with a system of the same structure and other masses or sizes: bodies stay where they are and as fast
        as they are, as far as joints allow. What their energy becomes by it is work from outside."""
        before, inputs = self.state, self.inputs.copy()
        try:
            after = carried(before, system, gap=system.size)
        except AssemblyError as error:
            raise AssemblyError(f"stepper(): with other numbers the mechanism does not close at t = {self.t:.6g} s.\n"
                                f"  {error}") from None
        work_of(after.y, len(system.centred))[...] += after["energy.total"] - before["energy.total"]
        self._pacer.renew(system.kernel, self._options(), after.t, after.y.tolist(), after.turns.tolist())
        self._former.append(self.system)
        self.system, self._corners_until = system, -np.inf
        self.inputs[:] = inputs
        if self._controlling is not None:
            self._controlling = Controlling(system, self._entered, after)

    @property
    def t(self) -> float:
        """The present time [s]."""
        return float(self._pacer.time)

    @property
    def state(self) -> State:
        """The present state; restore() goes on from it, here or in another stepper of the same system."""
        return State(self.system, *self._pacer.state())

    @property
    def stopped(self) -> bool:
        """Whether an event has stopped the run."""
        return self._stopped

    def step(self, **inputs: float) -> Array:
        """Sets inputs, makes one step, and returns the array of outputs."""
        if inputs:
            numbers, places = self._numbers, self._places
            try:
                for name, value in inputs.items():
                    places[numbers[name]] = value
            except (KeyError, TypeError, ValueError):
                self.set(**inputs)  # other kinds of numbers, and what is wrong
        if self._stopped:
            raise SimulationError(f"step(): an event has stopped this run at t = {self.t:.6g} s.\n"
                                  "  Go on from another state with restore().")
        if self._timed and self._pacer.next > self._corners_until:
            self._find_corners()
        status = self._pacer.step() if self._controlling is None else self._controlled(self._controlling)
        if status:
            self._look_at(status)
        return self.outputs

    def set(self, **inputs: float) -> None:
        """Sets inputs from the next step on."""
        for name, value in inputs.items():
            try:
                self.inputs[self._numbers[name]] = value
            except KeyError:
                raise ModelError(f"step(): there is no input called {name!r}.\n  Inputs: "
                                 f"{', '.join(self._numbers) or 'none'}.{suggest(name, self._numbers)}") from None
            except (TypeError, ValueError):
                raise ModelError(f"step(): input {name!r} is {value!r}; a number is needed.") from None

    def read(self) -> dict[str, float]:
        """All outputs by name."""
        found = dict(zip(self.output_names, self.outputs.tolist(), strict=True))
        slow = {name: o.channel for name, o in self.system.model.outputs.items() if o.formula is None}
        if slow:
            state = self.state
            found |= {name: float(state[channel]) for name, channel in slow.items()}
        return found

    def __getitem__(self, channel: str) -> float:
        return float(self.state[channel])

    def restore(self, state: State) -> None:
        """Goes on from a state of the same system: motion, inputs, variables, states, memories of controllers."""
        if isinstance(state, State) and any(state.system is former for former in self._former):
            state = carried(state, self.system, gap=self.system.size)  # with the masses and sizes of now
        if not isinstance(state, State) or (state.system is not self.system):
            raise ModelError("restore(): a state of this stepper's system is needed, such as s.state or "
                             "s.system.drawn.")
        self._pacer.restore(state.t, state.y.tolist(), state.turns.tolist())
        self._stopped, self._corners_until = False, -np.inf
        if self._controlling is not None:
            self._controlling.restore(state)

    def _find_corners(self) -> None:
        """Where functions of time have corners, for some steps ahead: integrators' own steps end there."""
        self._corners_until = self._pacer.time + AHEAD * self.size
        self._pacer.set_corners(self.system.numbers.corners_between(self._pacer.time, self._corners_until))

    def _controlled(self, controlling: Controlling) -> int:
        """One step with controllers called at their times, those at its end by the next one."""
        end = self._pacer.next
        slack = ROUNDING * max(abs(end), self.size)
        if controlling.call(slack):
            self._pacer.fetch_inputs()
        while (at := controlling.next_time()) < end - slack:
            status = int(self._pacer.go_to(at))
            if status:
                self._look_at(status)
            controlling.call(slack)
            self._pacer.fetch_inputs()
        return int(self._pacer.go_to(end))

    def _look_at(self, status: int) -> None:
        """Goes on after a call and after a pause; a step that ends early is told."""
        while status:
            if status == -1:
                k = int(np.argmin(np.isfinite(self.inputs)))
                raise ModelError(f"step(): input {self.input_names[k]!r} is {self.inputs[k]}; a finite number is "
                                 "needed.")
            word = self._pacer.status_name(status)
            if word == "stopped":
                self._stopped = True
                return
            if word not in ("called", "running"):
                self._fail(word)
            if word == "called":
                answer(self._pacer, self.system)
            status = int(self._pacer.go_on())

    def _fail(self, status: str) -> NoReturn:
        reason = reason_of(_Failed(self._pacer), status, self.system, self._chosen.formulation)
        raise SimulationError(f"step(): {reason}")

    def __getstate__(self) -> dict[str, Any]:
        return {"system": self.system, "size": self.size, "state": self.state, "solvers": self._solvers,
                "origin": self._pacer.origin, "inputs": self.inputs.copy(), "stopped": self._stopped}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        state = kept["state"]
        begin = State(state.system, kept["origin"], state.y, state.turns)  # steps are counted from there
        self.__init__(kept["system"], kept["size"], begin, kept["solvers"])  # type: ignore[misc]
        self.restore(state)
        self.inputs[:], self._stopped = kept["inputs"], kept["stopped"]

    def __repr__(self) -> str:
        return (f"Stepper({self.system.name!r}: t = {self.t:.9g} s, step {self.size:g} s, {len(self.inputs)} inputs, "
                f"{len(self.output_names)} outputs)")


class _Failed:
    """A stepper's run, as those see it who tell why it failed."""

    def __init__(self, pacer: Any) -> None:
        self.time, self.step = pacer.time, pacer.last_step
        self.state, self.trouble, self.take_error = pacer.state, pacer.trouble, pacer.take_error
        self.events, self.event_trouble = pacer.events, pacer.event_trouble
        self.unsettled_law = pacer.unsettled_law
        self._opened = pacer.opened_row

    def statistics(self) -> dict[str, int]:
        return {"opened_row": self._opened}


class _Entered:
    """A stepper's run, as controllers see it."""

    def __init__(self, pacer: Any, read: Array) -> None:
        self._pacer, self._read = pacer, read
        self.set_auxiliary, self.auxiliary, self.state = pacer.set_auxiliary, pacer.auxiliary, pacer.state

    @property
    def time(self) -> float:
        return float(self._pacer.time)

    def read_outputs(self, out: Array) -> None:
        self._pacer.read()
        out[:] = self._read
