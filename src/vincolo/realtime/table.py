"""A mechanism and how it is run as one text, which the kernel reads without Python (core/table.hpp)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo import _kernel
from vincolo.analyses.choosing import Chosen, chosen
from vincolo.analyses.parameters import SPRING
from vincolo.analyses.simulate import first_state
from vincolo.analyses.ways_out import require_a_way_out
from vincolo.errors import ModelError
from vincolo.layout import auxiliaries_of
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.expression import parse
from vincolo.realtime.journal import Call, calls_of
from vincolo.solvers import integrators
from vincolo.state import State
from vincolo.system import System, as_system

if TYPE_CHECKING:
    from vincolo.solvers import Formulation, Integrator, Stabilisation

PROBES = (math.e / 3, -math.pi / 7)  # values by which constants are found that are a number and nothing else


@dataclass(frozen=True)
class Port:
    """An input or output: its name and unit, its number in the kernel, and the slope of an input in straight lines."""

    name: str
    unit: str
    number: int
    slope: int = -1
    start: float = 0.0


@dataclass(frozen=True)
class Knob:
    """A number that may be changed between steps: what of the kernel it is, and at which places."""

    name: str
    kind: str  # spring, auxiliary, formula or rate
    number: int
    places: tuple[int, ...]
    value: float


@dataclass(frozen=True)
class Plant:
    """A model that is ready to leave Python: stepped with these solvers from this state."""

    system: System
    calls: tuple[Call, ...]  # that make it in the kernel
    step: float
    begin: State
    solvers: Chosen
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    knobs: tuple[Knob, ...]

    def text(self) -> str:
        """The table."""
        lines = [f"vincolo table {_kernel.core().table_version}", f"model {_text(self.system.name)}"]
        lines += [" ".join((name, *map(_written, given))) for name, given in self.calls]
        for what, options in self.solvers.options().items():
            kind = options["method" if what == "integrator" else "kind"]
            own = {key: value for key, value in options.items() if key not in ("method", "kind")}
            lines.append(f"{what} {_text(kind)} [{' '.join(f'[{_text(k)} {_option(v)}]' for k, v in own.items())}]")
        begin = self.begin
        lines += [f"step {_number(self.step)}", f"start {_number(begin.t)} {_written(begin.y)} {_written(begin.turns)}"]
        lines += [f"{what} {_text(p.name)} {_text(p.unit)} {p.number} {p.slope}"
                  for what, ports in (("input", self.inputs), ("output", self.outputs)) for p in ports]
        lines += [f"parameter {_text(k.name)} {_text(k.kind)} {k.number} {_written(k.places)}" for k in self.knobs]
        body = "\n".join(lines) + "\n"
        return f"{body}sum {checksum(body.encode()):016x}\n"


def plant(model: Model | System, step: float = 1e-3, *, start: State | None = None,
          integrator: Integrator | None = None, stabilisation: Stabilisation | None = None,
          formulation: Formulation | None = None) -> Plant:
    """A model as a run in steps of one size [s], for programs without Python. The integrator makes steps of a fixed
    size, RK4 if none is given; what needs Python is refused by name."""
    system = as_system(model)
    size = finite_number("export: step", step)
    if size <= 0:
        raise ModelError(f"export: step is {size:g} s; it must be positive.")
    solver = integrators.RK4(step=size) if integrator is None else integrator
    begin = first_state("export", system, start)
    found = chosen("export", begin, solver, stabilisation, formulation)
    require_a_way_out(begin)
    _refuse(system, found)
    calls = calls_of(system)
    unknown = next((name for name, _ in calls if name not in _kernel.core().calls), None)
    if unknown is not None:
        raise ModelError(f"export: tables do not hold what is made by {unknown}().\n"
                         "  Leave it out of what is exported.")
    return Plant(system, tuple(calls), size, begin, found, _inputs(system, begin), _outputs(system),
                 tuple(knobs(system)))


def _refuse(system: System, found: Chosen) -> None:
    """What cannot leave Python, by name."""
    model = system.model
    if found.integrator.fixed_step == 0:
        raise ModelError(f"export: {found.integrator.title} chooses its steps, whose cost is not bounded.\n"
                         "  Take one of fixed steps, such as vincolo.integrators.RK4(step=1e-3) or Rosenbrock.")
    if found.formulation.kind == "own":
        raise ModelError(f"export: {found.formulation} is a function of Python.\n  Take another formulation.")
    if system.called:
        raise ModelError(f"export: force {next(iter(system.called))!r} is a function of Python.\n"
                         "  Write it as a text, or make it an input that is set from outside.")
    calls = [event.name for event in system.switchboard.events if event.call is not None]
    if calls:
        raise ModelError(f"export: event {calls[0]!r} calls a function of Python.\n  Take its actions instead.")
    if model.controllers:
        name, control = next(iter(model.controllers.items()))
        raise ModelError(f"export: controller {name!r} is a function of Python.\n"
                         f"  Remove it (model.remove({name!r})): what it writes ({', '.join(control.writes)}) is set "
                         "from outside then, where inputs are.")
    slow = [name for name, output in model.outputs.items() if output.formula is None]
    if slow:
        raise ModelError(f"export: output {slow[0]!r} follows from forces, which steps do not find.\n"
                         "  Leave it out, or give its formula.")


def _inputs(system: System, begin: State) -> tuple[Port, ...]:
    own = auxiliaries_of(begin.y, len(system.centred))
    return tuple(Port(name, a.unit, n := system.auxiliaries[name], system.slopes.get(name, -1), float(own[n]))
                 for name, a in system.model.inputs.items())


def _outputs(system: System) -> tuple[Port, ...]:
    return tuple(Port(name, output.unit, system.outputs[name]) for name, output in system.model.outputs.items())


def knobs(system: System) -> Iterator[Knob]:
    """Numbers that may be changed between steps: variables and states, numbers of springs, constants of texts."""
    model = system.model
    for name, part in {**model.variables, **model.states}.items():
        if part.sensed is None:
            yield Knob(name, "auxiliary", system.auxiliaries[name], (), part.start)
    for s in model.springs.values():
        for k, (key, value) in enumerate(zip(SPRING, (s.k, s.c, s.length, s.preload), strict=True)):
            yield Knob(f"{s.name}.{key}", "spring", system.laws[s.name], (k,), float(value))
    for law in model.laws.values():
        if law.formula is not None:
            yield from _constants(law.name, "formula", system.laws[law.name], law.formula, dict(law.constants))
    for state in model.states.values():
        if state.rate is not None:
            yield from _constants(state.name, "rate", system.auxiliaries[state.name], state.rate.tape,
                                  dict(state.rate.constants))


def _constants(owner: str, kind: str, number: int, tape: Any, constants: dict[str, float]) -> Iterator[Knob]:
    """Constants of a text whose places hold the number itself, whatever it is; others are fixed when it is exported."""
    for key, value in constants.items():
        tried = [parse(tape.text, tape.inputs, {**constants, key: probe}) for probe in PROBES]
        if any(t.ops != tape.ops or len(t.constants) != len(tape.constants) for t in tried):
            continue
        changed = [k for k in range(len(tape.constants))
                   if any(t.constants[k] != tape.constants[k] for t in tried)]
        if changed and all(t.constants[k] == probe for t, probe in zip(tried, PROBES, strict=True) for k in changed):
            yield Knob(f"{owner}.{key}", kind, number, tuple(changed), float(value))


def checksum(data: bytes) -> int:
    """FNV-1a of 64 bits."""
    found = 14695981039346656037
    for byte in data:
        found = ((found ^ byte) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
    return found


def _text(text: str) -> str:
    plain = "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\x{b:02x}" for b in text.encode())
    return f'"{plain}"'


def _number(x: float) -> str:
    if not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    whole = x == int(x) and abs(x) < 2**53 and not (x == 0 and math.copysign(1, x) < 0)
    return str(int(x)) if whole else float(x).hex()


def _written(value: Any) -> str:
    """An argument of a call."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return _number(float(value))
    return f"[{' '.join(map(_written, value))}]"


def _option(value: Any) -> str:
    """An option of a solver: yes or no, a number, a text, or a list of numbers."""
    return ("no", "yes")[value] if isinstance(value, bool) else _written(value)
