"""Model -> System: everything checked, numbered and handed to the kernel as flat data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from vincolo import _kernel
from vincolo.beside import add_auxiliaries, add_outputs, set_starts
from vincolo.centred import centred_body, reaches
from vincolo.equations import measures as equations
from vincolo.equations.measures import Measure as Equation
from vincolo.errors import ModelError, suggest
from vincolo.flywheels import Flywheel, flywheels
from vincolo.kernel_terms import AXIS, TURNING, axes_of, kernel_form
from vincolo.layout import POINT, QUATERNION, SPIN, VELOCITY, of_body
from vincolo.model import Body, Frame, Joint, Measure, Model
from vincolo.model.auxiliary import Formula
from vincolo.model.contact import Side
from vincolo.model.forces import Load
from vincolo.model.functions import Constant, Function
from vincolo.model.functions.corners import breaks_between
from vincolo.model.functions.signal import Signal
from vincolo.model.functions.times import sorted_inside
from vincolo.model.geometry import Array, cross, quaternion_of
from vincolo.model.joint import LEVELS
from vincolo.model.measure import RATE
from vincolo.model.python_laws import Called
from vincolo.model.tape import Tape
from vincolo.state import State
from vincolo.switchboard import Switchboard, force_number
from vincolo.touching import add_contacts


class RowName(NamedTuple):
    """Where a constraint row comes from, in the user's words."""

    owner: str
    resists: str
    drive: bool
    level: str = "position"

    def __str__(self) -> str:
        return f"'{self.owner}' ({self.resists})"


class System:
    """A compiled model: frozen, numbered, ready for the kernel. Made by compile()."""

    def __init__(self, model: Model) -> None:
        if not model.bodies:
            raise ModelError(f"model {model.name!r} has no bodies.\n"
                             "  Add one with model.body(name, mass=..., inertia=...).")
        self.model = model.copy()  # as it was compiled
        self.name = model.name
        self.gravity = model.gravity.copy()
        self.kernel = _kernel.core().Kernel()
        self.joints = dict(model.joints)
        self.holds = dict(model.holds)
        self.rows: list[RowName] = []
        self.blocks: dict[str, int] = {}
        self.block_rows: dict[str, range] = {}
        self.quantities: dict[str, int] = {}
        self.laws: dict[str, int] = {}
        self.called: dict[str, Called] = {}  # laws that are Python functions
        self.loads: dict[str, int] = {}
        self.contacts: dict[str, int] = {}
        self.contact_pairs: list[tuple[str, Side, Side]] = []  # of the kernel, with the contact they belong to
        self.auxiliaries: dict[str, int] = {}  # inputs, variables and states, by their place behind the work
        self.slopes: dict[str, int] = {}  # of inputs that go in straight lines, likewise
        self.memories: dict[str, list[int]] = {}  # of controllers: the number of the next call, and what they keep
        self.outputs: dict[str, int] = {}  # what the kernel reads from a run: outputs, and what controllers read
        self.controller_reads: dict[str, list[int]] = {}
        self.formulas = False  # whether a quantity is a formula
        self.moves = False  # whether frames move on their bodies
        self.geared = False  # whether a joint counts turns of angles that are nobody's coordinate
        self.plain = True  # only measures that natural coordinates know
        self.timed: list[Function] = []  # functions of time
        self.tapes: list[tuple[Tape, tuple[Function, ...]]] = []  # formulas over measures and time, with what they call
        self.frames = dict(model.frames)
        self._frame_numbers: dict[int, int] = {}
        self._counted: dict[tuple[Any, ...], int] = {}  # numbers of angles that have a turn of their own
        self._drawn_turns: list[float] = []  # angles as drawn, by number
        self._kept: list[Frame] = []  # keeps frames alive while their id() is a key
        self.dependencies: tuple[tuple[object, ...], Array] | None = None  # of rows, where they were last asked for
        reach = reaches(model)
        self.flywheels = flywheels(model, max(reach.values(), default=0.0) or 1.0)
        self.extent = _extent(model)
        usual = self._usual_mass()
        self.centred = [centred_body(b, reach.get(b.name, 0.0), usual) for b in model.bodies.values()]
        self.centred += [centred_body(f.body, 0.0, usual) for f in self.flywheels]  # behind the bodies of the model
        self.body_numbers = {name: k for k, name in enumerate(model.bodies)}
        self.switchboard = Switchboard(self.model)
        self._fill(model)
        self.switchboard.connect(self)
        self._drawn_vector = self._drawn_state()

    def _usual_mass(self) -> float:
        """A mass [kg] to lend from: the smallest that a body has; of models with inertias alone, the smallest that has
        such an inertia over the extent of the model. Where nothing has any, drives must determine all, and any does."""
        bodies = [*self.model.bodies.values(), *(f.body for f in self.flywheels)]
        masses = [b.mass for b in self.model.bodies.values() if b.mass > 0] or [b.mass for b in bodies if b.mass > 0]
        if masses:
            return min(masses)
        return min((float(np.abs(b.inertia).max()) / self.extent**2 for b in bodies if b.inertia.any()), default=1.0)

    def _fill(self, model: Model) -> None:
        for c in self.centred:
            self.kernel.add_body(c.body.mass, c.moments.tolist(), c.ballast.tolist(), c.mass_ballast, c.length)
        add_auxiliaries(self, model)
        self.kernel.set_extent(self.extent)
        self.kernel.set_gravity(self.gravity.tolist())
        for joint in model.joints.values():
            self._add_joint(joint)
        for held in model.holds.values():
            row = (self.quantity(held.measure), self._timed(held.function), LEVELS.index(held.level))
            self.block_rows[held.name] = range(len(self.rows), len(self.rows) + 1)
            self.blocks[held.name] = self.kernel.add_block([row], held.drive, *self._ends(held.measure))
            self.rows.append(RowName(held.name, "drive" if held.drive else "held measure", held.drive, held.level))
        for flywheel in self.flywheels:
            self._add_flywheel(flywheel)
        for frame in model.frames.values():
            self._frame(frame)
        for name, measure in model.measures.items():
            self.quantities[name] = self.quantity(measure)
        self._add_forces(model)
        for name, state in model.states.items():
            if state.rate is not None:
                self.kernel.set_rate(self.auxiliaries[name], self.expression(state.rate))
        add_outputs(self, model)
        add_contacts(self, model, self._frame)

    def _add_joint(self, joint: Joint) -> None:
        self.block_rows[joint.name] = range(len(self.rows), len(self.rows) + len(joint.form.rows))
        self.rows += [RowName(joint.name, resists, False, level)
                      for resists, level in zip(joint.form.resists, joint.form.levels, strict=True)]
        self.blocks[joint.name] = self._add_block(joint)

    def _add_block(self, joint: Joint) -> int:
        """The block of a joint, its freedom and its coordinates."""
        form, a, b = joint.form, self._frame(joint.a), self._frame(joint.b)
        still = joint.a.motion is None and joint.b.motion is None and not self.switchboard.latches_at(joint.name)
        terms = kernel_form(form, still)
        self.plain, self.geared = self.plain and terms.plain, self.geared or terms.geared
        formulas = [self.quantity(joint.measure_of(row))
                    for row, known in zip(form.rows, terms.rows, strict=True) if known is None]
        for e in terms.turning:
            self._count_turns(e, *((joint.b, joint.a) if e.swapped else (joint.a, joint.b)))
        known = [row for row in terms.rows if row is not None]
        first = int(self.kernel.add_quantities(a, b, [*known, *terms.coordinates]))
        numbers, others = iter(range(first, first + len(known))), iter(formulas)
        rows = [(next(others if row is None else numbers), self._held_at(joint.value_of(k)), terms.levels[k])
                for k, row in enumerate(terms.rows)]
        block = int(self.kernel.add_block(rows, False, a, b))
        self._add_freedom(block, joint)
        for k, name in enumerate(form.coordinates):
            self.quantities[f"{joint.name}.{name}"] = first + len(known) + k
        return block

    def _held_at(self, value: float) -> int:
        return self._function(Constant(value)) if value else -1

    def _add_freedom(self, block: int, joint: Joint) -> None:
        """What it leaves free as motions one after another, for joint coordinates, where that can be said."""
        moves = joint.definition.moves
        if moves is None or joint.a.motion is not None or joint.b.motion is not None:
            return
        lead = joint.parameters.get("pitch", 0.0) / (2 * math.pi) * (-1 if joint.mirrored else 1)
        kinds = {"turn": ("turn", 2, 0.0), "screw": ("turn", 2, lead), "ball": ("ball", 2, 0.0),
                 "quarter": ("quarter", 1, 0.0), **{axis: ("slide", k, 0.0) for axis, k in AXIS.items()}}
        self.kernel.add_freedom(block, [kinds[move] for move in moves])

    def _add_flywheel(self, f: Flywheel) -> None:
        """Its rail, and the row that ties it to its measure, which has the rotor's name."""
        rail = f.rail.rows
        rows = [(self.quantity(row.measure), -1, LEVELS.index(row.level)) for row in rail]
        block = self.kernel.add_block(rows, False, self._frame(f.rail.a), self._frame(f.rail.b))
        self._add_freedom(block, f.rail)
        tied = (self.quantity(f.tie), self._function(Constant(f.rotor.measure.drawn_value)), 0)
        name, first = f.rotor.name, len(self.rows) + len(rows)
        self.block_rows[name] = range(first, first + 1)
        self.blocks[name] = self.kernel.add_block([tied], False, *self._ends(f.tie))
        self.rows += [RowName(name, resists, False) for resists in (*(row.resists for row in rail), "inertia")]
        self.quantities[f"{name}.value"] = self.quantity(f.rotor.measure * f.rotor.ratio)

    def with_rotors(self, state: State) -> State:
        """The state with rotors where, and as fast as, the bodies ask for."""
        if not self.flywheels:
            return state
        y = state.y.copy()
        numbers = [self.quantities[f"{f.rotor.name}.value"] for f in self.flywheels]
        found = self.kernel.quantity_rows(0.0, y.tolist(), state.turns.tolist(), numbers)
        for k, f in enumerate(self.flywheels):
            e, own = f.rail.a.axes[:, 2], of_body(y, len(self.body_numbers) + k)
            per = f.scale / f.rotor.ratio
            own[POINT] = e * (per * float(found["quantity"][k]) - f.scale * f.rotor.measure.drawn_value)
            own[VELOCITY] = e * per * float(found["rate"][k])
        return state.with_vector(y)

    def drive_rows(self, state: State) -> list[int]:
        """Numbers of the rows of drives that are on in a state."""
        bodies = len(self.centred)
        return [k for k, row in enumerate(self.rows)
                if row.drive and self.switchboard.on(state.y, bodies, row.owner)]

    def at_time(self, state: State, t: float) -> State:
        """The state at another time [s], with what is switched at given times on or off as it is then."""
        y = state.y.copy()
        self.switchboard.set_states(y, len(self.centred), t)
        return State(self, t, y, state.turns.copy())

    def corners_between(self, start: float, end: float) -> list[float]:
        """Times [s] at which a function of time has a corner, or the part of a formula that depends on time alone."""
        found: list[float] = []
        for function in self.timed:
            found += function.breaks_between(start, end)
        for tape, parts in self.tapes:
            found += breaks_between(tape, parts, start, end, every=False)
        return list(sorted_inside(found, start, end))

    def _add_forces(self, model: Model) -> None:
        for s in model.springs.values():
            self.quantities[f"{s.name}.length"] = q = self.quantity(s.measure)
            self.laws[s.name] = self.kernel.add_spring(q, -1.0, s.k, s.c, s.length, s.preload)
        for law in model.laws.values():
            self.quantities[f"{law.name}.value"] = q = self.quantity(law.measure)
            if law.curve is not None:
                self.laws[law.name] = self.kernel.add_curve(q, law.sign, self._function(law.curve))
            elif law.history is not None:
                self.laws[law.name] = self.kernel.add_timed(q, law.sign, self._timed(law.history))
            elif law.called is not None:
                self.called[law.name] = law.called  # the kernel does not keep it alive
                readings = self._readings(law.others, law.reads, q)
                self.laws[law.name] = self.kernel.add_called(q, law.sign, [readings[x] for x in law.called.inputs],
                                                             law.called)
            elif law.formula is not None:
                read = Formula(law.formula, law.others, law.reads)
                self.laws[law.name] = self.kernel.add_formula(q, law.sign, self.expression(read, q))
        for load in model.loads.values():
            frame = self._load_frame(load)
            functions = [self._timed(f) for f in load.components]
            self.loads[load.name] = self.kernel.add_load(self._frame(frame), load.torque, load.in_body_axes, functions)

    def expression(self, formula: Formula, own: int | None = None) -> tuple[list[Any], list[float], list[Any]]:
        """A text over the mechanism for the kernel; `own` is the quantity of d and dd."""
        self.tapes.append((formula.tape, ()))
        readings = self._readings(formula.others, formula.reads, own)
        readings |= {name: ("force", force_number(self, force)) for name, force in formula.forces}
        return list(formula.tape.ops), list(formula.tape.constants), [readings[name] for name in formula.tape.inputs]

    def _readings(self, others: Iterable[tuple[str, Measure]], reads: Iterable[tuple[str, str]],
                  own: int | None) -> dict[str, tuple[str, int]]:
        """What names in a text or function stand for, for the kernel."""
        numbers = {name: self.quantity(other) for name, other in others}
        readings = {name: ("value", q) for name, q in numbers.items()}
        readings |= {f"{name}{RATE}": ("rate", q) for name, q in numbers.items()}
        readings |= {name: ("auxiliary", self.auxiliaries[read]) for name, read in reads}
        return readings if own is None else readings | {"d": ("value", own), "dd": ("rate", own)}

    @staticmethod
    def _load_frame(load: Load) -> Frame:
        """Where a load acts, with the axes of its body; one that moves on the body must have them already."""
        frame = load.frame
        if frame.motion is None:
            return frame.body.frame(local=frame.point)
        if load.in_body_axes and (frame.motion.turn is not None or not np.allclose(frame.axes, np.eye(3), atol=1e-12)):
            raise ModelError(f"load {load.name!r}: it has body axes, but the frame it acts at moves and has axes of "
                             "its own.\n  Give its components in world axes, or make the frame with the body's axes.")
        return frame

    def _frame(self, frame: Frame) -> int:
        number = self._frame_numbers.get(id(frame))
        return self._new_frame(frame) if number is None else number

    def _new_frame(self, frame: Frame) -> int:
        if frame.body.is_ground:
            number = int(self.kernel.add_frame(-1, frame.point.tolist(), frame.axes.ravel().tolist()))
        else:
            body = self._number(frame.body)
            s, axes = self.centred[body].local(frame)
            number = int(self.kernel.add_frame(body, s.tolist(), axes.ravel().tolist()))
        if frame.motion is not None:
            functions = [-1 if f is None else self._timed(f) for f in (*frame.motion.along, frame.motion.turn)]
            self.kernel.add_moving_frame(number, functions[:3], AXIS[frame.motion.axis], functions[3])
            self.plain, self.moves = False, True
        self._frame_numbers[id(frame)] = number
        self._kept.append(frame)
        return number

    def _measure(self, e: Equation, a: Frame, b: Frame) -> int:
        first, second = (b, a) if e.swapped else (a, b)
        self.plain = self.plain and e.kind not in ("azimuth", "skid", "roll")
        if e.kind in TURNING:
            self._count_turns(e, first, second)
        return int(self.kernel.add_measure(e.kind, self._frame(first), self._frame(second), *axes_of(e)))

    def _count_turns(self, e: Equation, first: Frame, second: Frame) -> None:
        """An angle is counted over turns from where it is drawn; angles that are the same count the same turns."""
        key = (e.kind, e.axes, self._frame(first), self._frame(second))
        if key not in self._counted:
            self._counted[key] = len(self._counted)
            drawn = [equations.Frame(f.drawn_point, f.drawn_axes) for f in (first, second)]
            self._drawn_turns.append(float(equations.EQUATIONS[e.kind](*drawn, *e.axes)))

    def turn_number(self, e: Equation, a: Frame, b: Frame) -> int:
        """Where a state has the angle that a measure counts over turns."""
        first, second = (b, a) if e.swapped else (a, b)
        return self._counted[e.kind, e.axes, self._frame(first), self._frame(second)]

    def _ends(self, measure: Measure) -> tuple[int, int]:
        """The two frames between which a measure is, of a sum those of its first term."""
        _, e, a, b = measure.terms[0]
        first, second = (b, a) if e.swapped else (a, b)
        return self._frame(first), self._frame(second)

    def quantity(self, measure: Measure) -> int:
        """A measure for the kernel."""
        terms = [(self._measure(e, a, b), factor * e.sign) for factor, e, a, b in measure.terms]
        if measure.tape is None:
            return int(self.kernel.add_quantity(terms))
        self.formulas, self.plain = True, False
        parts = [part.spec() for part in measure.parts]
        tape = measure.tape
        self.tapes.append((tape, tuple(measure.parts)))
        return int(self.kernel.add_formula_quantity(terms, list(tape.ops), list(tape.constants), parts, measure.rates))

    def _timed(self, f: Function) -> int:
        self.timed.append(f)
        return self._function(f)

    def _function(self, f: Function) -> int:
        return int(self.kernel.add_function(f.spec_in(self.auxiliaries) if isinstance(f, Signal) else f.spec()))

    @property
    def drawn(self) -> State:
        """The state as drawn; made anew, since a state that its own system kept would keep it from being let go."""
        return State(self, 0.0, self._drawn_vector, np.array(self._drawn_turns))

    @cached_property
    def row_sizes(self) -> Array:
        """What gaps of rows are compared with: 1 for rotations, the extent [m] for lengths."""
        return np.array([1.0 if row.resists.startswith("moment") else self.extent for row in self.rows])

    def _drawn_state(self) -> Array:
        y = np.zeros(self.kernel.state_size)
        set_starts(self, y)
        for k, c in enumerate(self.centred):
            b, own = c.body, of_body(y, k)
            lever = b.orientation @ b.com
            own[POINT] = b.at + lever
            own[QUATERNION] = quaternion_of(b.orientation @ c.principal if c.turned else b.orientation)
            if b.velocity.any() or b.angular_velocity.any():
                own[VELOCITY] = b.velocity + cross(b.angular_velocity, lever)
                own[SPIN] = b.angular_velocity
        return self.with_rotors(State(self, 0.0, y, np.array(self._drawn_turns))).y

    def _number(self, body: Body) -> int:
        """Number of a body, or of the mass of a rotor."""
        if body.name in self.body_numbers:
            return self.body_numbers[body.name]
        return len(self.body_numbers) + [f.body for f in self.flywheels].index(body)

    def body_of(self, name: str) -> int:
        """Number of a body, by name."""
        if name not in self.body_numbers:
            raise ModelError(f"there is no body called {name!r}.\n  Bodies: {', '.join(self.body_numbers)}."
                             f"{suggest(name, self.body_numbers)}")
        return self.body_numbers[name]

    def frame_number(self, frame: Frame) -> int:
        """The kernel's number of a frame that joints, measures, loads or names use."""
        if id(frame) not in self._frame_numbers:
            raise ModelError(f"{frame!r} is not in use by anything.\n  Name it with model.frame(name, body, point) "
                             "before the model is compiled.")
        return self._frame_numbers[id(frame)]

    @property
    def size(self) -> float:
        """Largest distance of a joint or force from the centre of mass of its body [m]; 1 if there is none."""
        return max((c.length for c in self.centred), default=0.0) or 1.0

    @property
    def light_bodies(self) -> list[str]:
        """Bodies without mass, or without inertia about some axis."""
        return [c.body.name for c in self.centred if (c.moments == 0).any() or c.body.mass == 0]

    @property
    def has_energy(self) -> bool:
        """Whether something has mass or inertia, or a force acts: without them all that a drive does is rounding."""
        return bool(self.laws or self.loads) or any(c.body.mass > 0 or c.moments.any() for c in self.centred)

    @property
    def flat_bodies(self) -> list[str]:
        """Bodies without extent along some axis: I_x + I_y = I_z."""
        return [c.body.name for c in self.centred
                if (0.5 * c.moments.sum() - c.moments <= 1e-12 * c.moments.sum()).any()]

    def time_evaluations(self, state: State, count: int) -> float:
        """Seconds that `count` evaluations of the accelerations at a state take; for benchmarks."""
        return float(self.kernel.time_evaluations(state.t, state.y, state.turns, count))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its model, and by what was lent to bodies without inertia where it was assembled."""
        return _compiled_again, (self.model, self.kernel.lent())

    def __copy__(self) -> System:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> System:
        return self  # it does not change

    def __repr__(self) -> str:
        return f"System({self.name!r}: {len(self.centred)} bodies, {len(self.rows)} rows)"


def compile(model: Model) -> System:
    """Checks a model and makes the kernel's form of it."""
    if not isinstance(model, Model):
        raise ModelError(f"compile() takes a Model, not {type(model).__name__}.")
    return System(model)


def _compiled_again(model: Model, lent: list[tuple[list[float], float, list[float]]]) -> System:
    """A system that was pickled."""
    system = System(model)
    for k, (ballast, mass, held) in enumerate(lent):
        system.kernel.set_ballast(k, ballast, mass)
        system.kernel.set_held(k, held)
    return system


def as_system(model: Any) -> System:
    """The system of a model, or the system itself."""
    return model if isinstance(model, System) else compile(model)


def _extent(model: Model) -> float:
    """Diagonal of the box around all bodies, joints and forces as drawn [m]: what is small is small against it."""
    frames = [f for j in model.joints.values() for f in (j.a, j.b)]
    measures = [x.measure for part in (model.springs, model.laws, model.holds) for x in part.values()]
    frames += [f for m in measures for _, _, a, b in m.terms for f in (a, b)]
    owners = [*model.bodies.values(), *(f.body for f in frames)]
    levers = np.concatenate([*(b.com for b in model.bodies.values()), *(f.point for f in frames)]).reshape(-1, 1, 3)
    turned = (np.concatenate([b.orientation for b in owners]).reshape(-1, 3, 3) * levers).sum(axis=2)
    points = np.concatenate([b.at for b in owners]).reshape(-1, 3) + turned
    return math.hypot(*(points.max(axis=0) - points.min(axis=0)).tolist()) or 1.0
