"""Motion from drives alone: positions, velocities and accelerations without masses and forces."""

from __future__ import annotations

import time as clock
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo import _kernel
from vincolo.analyses.assemble import assemble, driven_start
from vincolo.analyses.carry import pose
from vincolo.analyses.closing import Aim
from vincolo.analyses.dead_centres import Passages
from vincolo.analyses.descent import lowest
from vincolo.analyses.happening import refuse_events
from vincolo.analyses.locking import DEAD_CENTRE, locked
from vincolo.analyses.mobility import mobility_of
from vincolo.analyses.simulate import joint_to_blame, output_times, undefined_drives
from vincolo.errors import ModelError, SimulationWarning
from vincolo.layout import POINT, of_body
from vincolo.model import Model
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number, number_array
from vincolo.model.functions import Polynomial
from vincolo.model.geometry import Array, vector
from vincolo.results.result import Result
from vincolo.results.settings import Settings
from vincolo.state import State
from vincolo.system import System, as_system
from vincolo.touching import refuse_rigid

if TYPE_CHECKING:
    from vincolo.analyses.mobility import Mobility

TOLERANCE = 1e-12  # m and rad; what is left open


def kinematics(
    model: Model | System, until: float | None = None, *, outputs: int | Any = 200, start: State | None = None
) -> Result:
    """Follows the drives to the time `until` [s], or over `outputs` given as a list of times; a drive along "t" turns
    times into positions. Where drives leave freedom, the rest moves as little as its mass allows. Reactions and the
    forces of the drives are those of this motion: inverse dynamics. A run that locks keeps what it has, with the
    reason."""
    system = as_system(model)
    refuse_rigid("kinematics()", system, "has forces that a motion does not tell")
    begin = driven_start(system) if start is None else start
    if not isinstance(begin, State) or begin.system is not system:
        raise ModelError(
            "kinematics(): start is not a state of this system; pass what assemble() or result.state() returned."
        )
    freedom = mobility_of(begin)
    refuse_events("kinematics()", system)
    drives = _checked_drives(system, freedom, begin)
    times = _times(begin.t, until, outputs)
    began = clock.thread_time()
    run, reason = followed(system, begin, times)
    seconds = clock.thread_time() - began
    found = run.statistics()
    left = freedom.dof - drives
    how = "fully driven" if left <= 0 else f"{left} freedom{'s' if left > 1 else ''} not driven: least motion"
    settings = Settings(f"kinematics, {how}", f"closed to {TOLERANCE:g}", "", begin.t, float(times[-1]), "kinematics")
    n = run.recorded
    found["singular"] = _singular(system, found["passages"], times[:n], run)
    result = Result(system, times[:n], run.samples(), run.turns(), settings, found, seconds, reason)
    if drives > freedom.dof and reason is None:
        _check_agreement(result)
    if reason is not None:
        warnings.warn(f"the motion ended early: {reason}", SimulationWarning, stacklevel=2)
    return result


def followed(
    system: System, begin: State, times: Array, tolerance: float = TOLERANCE
) -> tuple[Any, str | None]:
    """The kernel's motion over times, closed to a tolerance [m, rad], and why it ended early, if it did."""
    run = _kernel.core().Kinematics(
        system.kernel, begin.t, begin.y.tolist(), begin.turns.tolist(), times.tolist(), tolerance
    )
    status = "running"
    while status == "running":
        status = run.advance(2000)
    return run, None if status == "done" else _reason(run, status, system)


def _checked_drives(system: System, freedom: Mobility, begin: State) -> int:
    """How many drives are on at the start; none at all, or more than the freedom, is refused."""
    drives = len(system.drive_rows(begin))
    other = [name for name, held in system.holds.items() if held.drive and held.level != "position"]
    if other:
        raise ModelError(
            f"kinematics(): drive {other[0]!r} gives a {system.holds[other[0]].level}; positions are needed.\n"
            "  Use simulate(), which integrates it, or drive the position."
        )
    if not any(held.drive for held in system.holds.values()) and not system.numbers.moves:
        raise ModelError(
            "kinematics(): nothing is driven.\n"
            "  Drive a coordinate, as in model.drive('O.angle', 't'), or lead a point with trajectory()."
        )
    if drives > freedom.dof and freedom.dof == 0:
        raise ModelError(
            f"kinematics(): {drives} drives ({_named_drives(system)}) for {freedom.dof} degrees of freedom: "
            "over-driven.\n"
            f"  Remove {drives - freedom.dof} of them, or switch them off."
        )
    return drives


def _singular(system: System, suspected: list[float], times: Array, run: Any) -> list[list[float | str]]:
    """Times and kinds of the singular configurations among those that the steps suspect."""
    if not suspected:
        return []
    samples = [State(system, float(t), y, turns) for t, y, turns in zip(times, run.samples(), run.turns(), strict=True)]

    def follow(begin: State, t: float) -> State | None:
        run, reason = followed(system, begin, np.array([t]))
        return None if reason else State(system, *run.state())

    passages = Passages(system, samples, follow)
    return [found for found in map(passages.look, suspected) if found is not None]


def _check_agreement(result: Result) -> None:
    """Drives beyond the freedom must agree all the way."""
    apart = result["residual.position"]
    if apart.max() > 1e-8:
        k = int(np.argmax(apart > 1e-8))
        raise ModelError(
            f"kinematics(): there are more drives ({_named_drives(result.system)}) than freedoms, and from "
            f"t = {result.t[k]:.6g} s on they disagree, by up to {apart.max():.3g}.\n"
            "  Remove one, or make them say the same."
        )


def _named_drives(system: System) -> str:
    return ", ".join(repr(name) for name, held in system.holds.items() if held.drive)


def _times(begin: float, until: float | None, outputs: Any) -> Array:
    if until is not None:
        return output_times(begin, finite_number("kinematics(): until", until), outputs)
    try:
        last = float(number_array("kinematics(): outputs", outputs)[-1])
    except (TypeError, ValueError, IndexError):
        raise ModelError("kinematics(): give until=, the end of the motion, or outputs= as a list of times.") from None
    return output_times(begin, last, outputs) if last > begin else np.array([begin])


def _reason(run: Any, status: str, system: System) -> str:
    t, y, turns = run.state()
    state, near = State(system, t, y, turns), run.statistics()["nearness"]
    if status == "open":
        return (
            f"what is switched on at t = {t:.6g} s is elsewhere. {joint_to_blame(state)}\n"
            "  Switch it on where the mechanism meets it, or let its function begin there."
        )
    lost = undefined_drives(system, t)
    if lost or status == "not finite":
        return f"{lost or 'a drive or position'} becomes infinite or undefined at t = {t:.6g} s: check the formula."
    return locked(state, DEAD_CENTRE if near < 0.05 else "the drive asks for what the joints do not allow")


@dataclass(frozen=True)
class Range:
    """How far a driven coordinate can go from its start, and whether it comes round."""

    name: str
    lowest: float
    highest: float
    full_turn: bool

    def __str__(self) -> str:
        if self.full_turn:
            return f"{self.name}: all the way round"
        return f"{self.name}: from {self.lowest:.6g} to {self.highest:.6g}"


def motion_range(
    model: Model | System,
    coordinate: str,
    *,
    start: State | None = None,
    limit: float = 2 * np.pi,
    given: dict[str, float] | None = None,
) -> Range:
    """The range of a coordinate: it is driven both ways until the mechanism locks or it has gone `limit` [rad or m]."""
    limit, ends = finite_number("motion_range(): limit", limit), []
    model = as_system(model).model
    for sign in (-1.0, 1.0):
        trial = _driven_copy(model, coordinate, sign, given, start)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)
            result = kinematics(trial.system, start=trial, until=limit, outputs=400)
        ends.append(float(result[coordinate][0]) + sign * (limit if result.complete else _last_time(trial, result)))
    return Range(coordinate, ends[0], ends[1], ends[1] - ends[0] >= 2 * limit * (1 - 1e-9))


def _last_time(start: State, result: Result) -> float:
    """How far a motion came before it locked, by bisection after its last sample."""
    system, low = start.system, float(result.t[-1])
    high = low + float(result.settings.until) / 400
    state = result.state()
    while high - low > 1e-11 * max(1.0, high):
        middle = 0.5 * (low + high)
        run = _kernel.core().Kinematics(
            system.kernel, state.t, state.y.tolist(), state.turns.tolist(), [middle], TOLERANCE
        )
        if run.advance(10_000) == "done":
            low = middle
            t, y, turns = run.state()
            state = State(system, t, y, turns)
        else:
            high = middle
    return low


def _driven_copy(
    model: Model, coordinate: str, sign: float, given: dict[str, float] | None, start: State | None
) -> State:
    """The model without its drives, led along a coordinate by the time; assembled at its start."""
    trial = model.copy()
    trial.holds = {name: held for name, held in model.holds.items() if not held.drive}
    free = as_system(trial)
    at = assemble(free, given, guess=None if start is None else pose(start, free))
    trial.drive(coordinate, Polynomial((at[coordinate], sign)))
    system = as_system(trial)
    return assemble(system, guess=pose(at, system))


class Dragged:
    """A mechanism that follows a point drawn by hand: joints stay closed, what is free moves as little as it can."""

    def __init__(self, state: State) -> None:
        self.system = state.system
        self._kernel = _kernel.core().Drag(self.system.kernel, state.t, state.y.tolist(), state.turns.tolist())
        self.left = 0.0  # distance from the last target [m]

    def to(self, frame: Frame | str, target: Any, iterations: int = 4) -> State:
        """Draws the point of a frame towards a world point; `left` is the distance it could not go."""
        number = self.system.numbers.known(self.frame(frame))
        self.left = float(self._kernel.move(number, vector("drag: the target", target).tolist(), iterations))
        return self.state

    def frame(self, frame: Frame | str) -> Frame:
        """A frame by its name."""
        point = self.system.frames.get(frame) if isinstance(frame, str) else frame
        if point is None:
            raise ModelError(
                f"drag: there is no frame called {frame!r}. Frames: {', '.join(self.system.frames) or 'none'}."
            )
        return point

    @property
    def state(self) -> State:
        """Where the mechanism stands."""
        t, y, turns = self._kernel.state()
        return State(self.system, t, y, turns)


def drag(state: State, frame: Frame | str, target: Any, iterations: int = 100) -> State:
    """A state in which the point of a named frame is as near to a world point as the joints let it, from this one by
    steps of least motion. For many small moves keep a Dragged."""
    hand = Dragged(state)
    near = hand.to(frame, target, iterations)
    point, place = hand.frame(frame), vector("drag: the target", target)
    size = max(c.length for c in state.system.centred)
    return lowest(near, Aim(), lambda s: _pull(s, point, place), (1e-11 * size) ** 2)


def _pull(state: State, frame: Frame, target: Array) -> tuple[float, Array]:
    """Half the square of the distance |p - target|, and its gradient on (dr, dtheta) of the frame's body."""
    p = state.channels.point(frame)[0]
    gradient = np.zeros(6 * len(state.system.centred))
    if not frame.body.is_ground:
        k = state.system.body_numbers[frame.body.name]
        gradient[6 * k: 6 * k + 6] = *(p - target), *np.cross(p - of_body(state.y, k)[POINT], p - target)
    return 0.5 * float((p - target) @ (p - target)), gradient
