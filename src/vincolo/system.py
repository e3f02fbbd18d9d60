"""Model -> System: everything checked, numbered and handed to the kernel as flat data."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from vincolo import _kernel, onsets
from vincolo.acting import add_forces
from vincolo.beside import add_auxiliaries, add_outputs, add_rates, set_starts
from vincolo.centred import centred_body, extent_of, reaches, usual_mass
from vincolo.deciding import Deciding
from vincolo.errors import ModelError, suggest
from vincolo.expressions import Expression
from vincolo.flywheels import flywheels, with_rotors
from vincolo.held import RowName, add_rows
from vincolo.layout import POINT, QUATERNION, SPIN, VELOCITY, of_body
from vincolo.model import Model
from vincolo.model.contact import Side
from vincolo.model.event import Event
from vincolo.model.geometry import Array, cross, quaternion_of
from vincolo.model.python_laws import Called
from vincolo.numbering import Numbering
from vincolo.state import State
from vincolo.switchboard import Switchboard
from vincolo.touching import add_contacts


class System:
    """A compiled model: frozen, numbered, ready for the kernel. Made by compile()."""

    def __init__(self, model: Model, kernel: Any = None) -> None:
        if not model.bodies:
            raise ModelError(f"model {model.name!r} has no bodies.\n"
                             "  Add one with model.body(name, mass=..., inertia=...).")
        self.model = model.copy()  # as it was compiled
        self.name = model.name
        self.gravity = model.gravity.copy()
        self.kernel = _kernel.core().Kernel() if kernel is None else kernel  # one that keeps what it is told, to export
        self.joints = dict(model.joints)
        self.holds = dict(model.holds)
        self.rows: list[RowName] = []
        self.blocks: dict[str, int] = {}
        self.block_rows: dict[str, range] = {}
        self.quantities: dict[str, int] = {}
        self.laws: dict[str, int] = {}
        self.called: dict[str, Called] = {}  # laws that are Python functions
        self.reacting: list[str] = []  # laws that read reactions, and are solved together with them
        self.loads: dict[str, int] = {}
        self.contacts: dict[str, int] = {}
        self.contact_pairs: list[tuple[str, Side, Side]] = []  # of the kernel, with the contact they belong to
        self.auxiliaries: dict[str, int] = {}  # inputs, variables and states, by their place behind the work
        self.slopes: dict[str, int] = {}  # of inputs that go in straight lines, likewise
        self.onsets: dict[str, Expression] = {}  # of one-sided forces along distances: what crosses zero there
        self.memories: dict[str, list[int]] = {}  # of controllers: the number of the next call, and what they keep
        self.outputs: dict[str, int] = {}  # what the kernel reads from a run: outputs, and what controllers read
        self.controller_reads: dict[str, list[int]] = {}
        self.geared = False  # whether a joint counts turns of angles that are nobody's coordinate
        self.frames = dict(model.frames)
        self.dependencies: tuple[tuple[object, ...], Array] | None = None  # of rows, where they were last asked for
        self.channel_table: dict[str, tuple[Any, ...]] | None = None  # what can be read, once it was asked for
        reach = reaches(model)
        self.flywheels = flywheels(model, max(reach.values(), default=0.0) or 1.0)
        self.extent = extent_of(model)
        rotors = [f.body for f in self.flywheels]
        usual = usual_mass([*model.bodies.values()], rotors, self.extent)
        self.centred = [centred_body(b, reach.get(b.name, 0.0), usual) for b in model.bodies.values()]
        self.centred += [centred_body(b, 0.0, usual) for b in rotors]  # behind the bodies of the model
        self.body_numbers = {name: k for k, name in enumerate(model.bodies)}
        self.numbers = Numbering(self.kernel, self.centred, self.auxiliaries)
        self.switchboard, self.deciding = Switchboard(self.model), Deciding(self.model)
        self.events: list[Event] = [*self.switchboard.events, *self.deciding.events]  # as the kernel numbers them
        self._fill(model)
        self._drawn_vector = self._drawn_state()

    def _fill(self, model: Model) -> None:
        for c in self.centred:
            self.kernel.add_body(c.body.mass, c.moments.tolist(), c.ballast.tolist(), c.mass_ballast, c.length)
        add_auxiliaries(self, model)
        self.kernel.set_extent(self.extent)
        self.kernel.set_gravity(self.gravity.tolist())
        add_rows(self, model)
        self.deciding.add_rows(self)
        for frame in model.frames.values():
            self.numbers.frame(frame)
        for name, measure in model.measures.items():
            self.quantities[name] = self.numbers.quantity(measure)
        add_forces(self, model)
        self.deciding.add_laws(self)
        add_rates(self, model)
        add_outputs(self, model)
        add_contacts(self, model, self.numbers.frame)
        self.switchboard.connect(self)
        self.deciding.connect(self)
        onsets.connect(self)

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

    @property
    def drawn(self) -> State:
        """The state as drawn; made anew, since a state that its own system kept would keep it from being let go."""
        return State(self, 0.0, self._drawn_vector, np.array(self.numbers.drawn_turns))

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
        return with_rotors(self, State(self, 0.0, y, np.array(self.numbers.drawn_turns))).y

    def body_of(self, name: str) -> int:
        """Number of a body, by name."""
        if name not in self.body_numbers:
            raise ModelError(f"there is no body called {name!r}.\n  Bodies: {', '.join(self.body_numbers)}."
                             f"{suggest(name, self.body_numbers)}")
        return self.body_numbers[name]

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

    def _repr_html_(self) -> str:
        from vincolo.view.notebook import system_html

        return system_html(self)

    def __repr__(self) -> str:
        return f"System({self.name!r}: {len(self.centred)} bodies, {len(self.rows)} rows)"


def compile(model: Model) -> System:
    """Checks a model and makes the kernel's form of it."""
    if not isinstance(model, Model):
        raise ModelError(f"compile() takes a Model, not {type(model).__name__}.{_way_out(model)}")
    return System(model)


def _way_out(given: Any) -> str:
    """What to write in place of something that is not a model."""
    if isinstance(given, str):
        return "\n  vc.load_model(path) reads one from a file."
    if isinstance(getattr(given, "system", None), System):
        return ("\n  Its mechanism is its .system; a run that begins at a state is "
                "vc.simulate(state.system, until, start=state).")
    return ""


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
