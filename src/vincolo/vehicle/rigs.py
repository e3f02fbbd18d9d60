"""Rigs: positions of both wheels and the rack along a path, with the motion that each of them brings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from vincolo.analyses.assemble import driven_start
from vincolo.analyses.kinematics import followed
from vincolo.channels.channels import rotations
from vincolo.errors import ModelError, suggest
from vincolo.layout import BODY, POINT, QUATERNION
from vincolo.model.body import Body
from vincolo.model.checks import finite_number
from vincolo.model.functions import Function
from vincolo.model.functions.given import function_of
from vincolo.model.geometry import Array
from vincolo.model.model import Model
from vincolo.system import System, compile
from vincolo.vehicle.build import Axle, add_axle
from vincolo.vehicle.holding import concerned, holds
from vincolo.vehicle.suspension import HardpointError, Suspension


class Rig(NamedTuple):
    """What x moves: shares of it in left travel, right travel and rack; and what x is."""

    left: float
    right: float
    rack: float
    coordinate: str
    unit: str
    about: str


#: how a suspension is moved, by name
RIGS = {
    "parallel": Rig(1.0, 1.0, 0.0, "travel", "m", "both wheels go up by the travel"),
    "opposite": Rig(1.0, -1.0, 0.0, "travel", "m", "the left wheel goes up by the travel, the right one down"),
    "single": Rig(1.0, 0.0, 0.0, "travel", "m", "the left wheel goes up by the travel, the right one stays"),
    "roll": Rig(-1.0, 1.0, 0.0, "roll", "rad", "the body rolls to the right about x, wheels on a flat road"),
    "steer": Rig(0.0, 0.0, 1.0, "rack", "m", "the rack goes to the left"),
}
MOST = 6  # points that are named where a suspension locks
TOGETHER = 12  # unknowns that are solved for at once
CLOSED = 1e-14  # m and rad: angles of wheels on short levers stay within 1e-12


@dataclass(frozen=True, eq=False)
class Sweep:
    """A suspension along a path: poses of its bodies, and their velocities for unit rates of each wheel's travel, the
    rack and the tie rods' lengths."""

    axle: Axle
    system: System
    rig: str
    x: Array
    y: Array  # states, a row for each position
    reason: str | None  # why the path ended early, if it did
    roles: tuple[str, ...]  # and the points concerned
    jacobian: Array  # of all rows at every position
    rates: dict[str, Array]  # (positions, 6 bodies) for each motion

    def __len__(self) -> int:
        return len(self.x)

    @cached_property
    def _tracks(self) -> dict[str, Track]:
        return {}

    @cached_property
    def _poses(self) -> Array:
        """Of all bodies as drawn, then at every position: (1 + positions, bodies, 13)."""
        every = np.concatenate([self.system.drawn.y[None, :], self.y])[:, : BODY * len(self.system.centred)]
        return every.reshape(len(every), -1, BODY)

    @cached_property
    def places(self) -> Array:
        """Centres of mass of all bodies as drawn, then at every position."""
        return self._poses[:, :, POINT]

    @cached_property
    def turned(self) -> Array:
        """Rotations of all bodies' principal axes, likewise."""
        p = self._poses[:, :, QUATERNION]
        return rotations(p.reshape(-1, 4)).reshape(*p.shape[:2], 3, 3)

    def track(self, body: Body) -> Track:
        """A body along the sweep."""
        if body.name not in self._tracks:
            self._tracks[body.name] = Track(self, body)
        return self._tracks[body.name]


def rig_of(name: str) -> Rig:
    """A rig by its name."""
    if name not in RIGS:
        raise ModelError(
            f"there is no rig {name!r}.{suggest(name, RIGS)}\n  Rigs: "
            + "; ".join(f"{n}: {r.about}" for n, r in RIGS.items())
            + "."
        )
    return RIGS[name]


def sweep(
    suspension: Suspension,
    rig: str = "parallel",
    low: float = -0.03,
    high: float = 0.03,
    count: int = 101,
    *,
    travel: float = 0.0,
    rack: float = 0.0,
) -> Sweep:
    """Moves a suspension on a rig from `low` to `high` (travel or rack in m, roll in rad), about a travel of both
    wheels and a place of the rack. Bushings are rigid here; loads() bends them."""
    chosen = rig_of(rig)
    if rig == "steer" and not suspension.steered:
        raise ModelError(f"suspension {suspension.name!r} is not steered.\n  Give steered=True, or use another rig.")
    ends = [finite_number(f"sweep(): {n}", v) for n, v in (("low", low), ("high", high))]
    if not ends[0] <= 0.0 <= ends[1] or ends[0] == ends[1]:
        raise ModelError(
            f"sweep(): from {ends[0]:g} to {ends[1]:g} {chosen.unit}; the range must hold 0, the position as drawn."
        )
    if not isinstance(count, int | np.integer) or not 2 <= count <= 100_000:
        raise ModelError(f"sweep(): count is {count!r}; it is a whole number from 2 to 100000.")
    offsets = finite_number("sweep(): travel", travel), finite_number("sweep(): rack", rack)
    axle, system = _driven(suspension, chosen, ends[0], offsets)
    x = np.linspace(ends[0], ends[1], count)
    begin = system.drawn if not any(offsets) else driven_start(system)
    run, reason = followed(system, begin, x - 2 * ends[0], CLOSED)
    y = run.samples()
    n = run.recorded
    roles: tuple[str, ...] = ()
    if reason is not None:
        reason, roles = _locking(suspension, system, run, reason, (ends[0], chosen.unit))
    if n < 2:
        check_held(suspension)
        raise HardpointError(
            suspension.name,
            roles,
            f"it does not reach the end of the rig {rig!r} at {ends[0]:g} {chosen.unit}: {reason}\n"
            f"  Concerned first: {', '.join(roles)}.\n  Choose a smaller range, or check these points.",
        )
    J = _jacobians(system, x[:n] - 2 * ends[0], y, begin.turns)
    if not holds(J[int(np.argmin(np.abs(x[:n])))]):
        check_held(suspension)
    try:
        rates = _rates(axle, system, J)
    except np.linalg.LinAlgError:
        k = int(np.argmin([np.linalg.svd(one, compute_uv=False)[-1] for one in J]))
        roles = concerned(suspension, system, J[k])
        raise HardpointError(
            suspension.name,
            roles,
            f"on the rig {rig!r} it goes through a dead centre at {x[k]:g} {chosen.unit}.\n"
            f"  Concerned: {', '.join(roles)}.\n  Choose a smaller range, or move one of these points.",
        ) from None
    return Sweep(replace(axle, suspension=suspension), system, rig, x[:n], y, reason, roles, J, rates)


def check_held(suspension: Suspension) -> None:
    """Refuses points whose links do not hold the wheel where it is drawn: lines that meet or coincide."""
    _, system = _driven(suspension, RIGS["parallel"], -1e-3, (0.0, 0.0))
    drawn = system.drawn
    J = _jacobians(system, np.array([2e-3]), drawn.y[None, :], drawn.turns)[0]
    if not holds(J):
        roles = concerned(suspension, system, J)
        raise HardpointError(
            suspension.name,
            roles,
            "as drawn, its links do not hold the wheel: lines of links meet or coincide, or do not let it go up and "
            f"down.\n  Concerned: {', '.join(roles)}.\n  Move one of these points.",
        )


def _locking(
    suspension: Suspension, system: System, run: Any, reason: str, path: tuple[float, str]
) -> tuple[str, tuple[str, ...]]:
    """Why a motion ended early, and the points of the parts that are stretched or folded there."""
    t, y, turns = run.state()
    J = _jacobians(system, np.array([t]), np.asarray(y)[None, :], np.asarray(turns))[0]
    low, unit = path
    if "locks" in reason:
        reason = f"it locks at {low + abs(t + low):.4g} {unit}, where links are stretched or folded."
    return reason, concerned(suspension, system, J)[:MOST]


def _driven(suspension: Suspension, rig: Rig, low: float, offsets: tuple[float, float]) -> tuple[Axle, System]:
    """The model on the rig: from x = 0 as drawn down to the low end, and up from there, in the time t = x - 2 low."""
    model = Model(f"{suspension.name} suspension")
    axle = add_axle(model, _rigid(suspension))
    half = float(suspension.point("wheel_centre")[1]) if rig.coordinate == "roll" else 1.0

    def path(offset: float, share: float) -> Function | float:
        return _path(f"{offset!r} + {share!r}*({low!r} + abs(t + {low!r}))") if share else offset

    for side, share in (("left", rig.left), ("right", rig.right)):
        model.drive(f"{suspension.name}_{side}_travel", path(offsets[0], share * half))
    if suspension.steered:
        model.drive(f"{suspension.name}_rack.travel", path(offsets[1], rig.rack))
    return axle, compile(model)


@lru_cache(maxsize=256)
def _path(text: str) -> Function:
    """A path as a function of time; those of one study are all the same."""
    return function_of("the path of a rig", text)


def _rigid(s: Suspension) -> Suspension:
    """Without bushings, and with some mass where none is given: kinematics does not depend on either."""
    mass, inertia = s.upright_mass or 1.0, s.upright_inertia or 0.01
    return s.paired().unchecked(bushings={}, upright_mass=mass, upright_inertia=inertia)


def _rates(axle: Axle, system: System, J: Array) -> dict[str, Array]:
    """Velocities of all bodies for a unit rate of each drive, and of each tie rod's
    length with everything else held."""
    name = axle.suspension.name
    rows = {str(row.owner): k for k, row in enumerate(system.rows)}
    wanted = {
        "left": f"{name}_left_travel.drive",
        "right": f"{name}_right_travel.drive",
        "rack": f"{name}_rack.travel.drive",
        "left tie": f"{name}_left_tie_rod",
        "right tie": f"{name}_right_tie_rod",
    }
    wanted = {motion: row for motion, row in wanted.items() if row in rows}
    right = np.zeros((J.shape[1], len(wanted)))
    for k, row in enumerate(wanted.values()):
        right[rows[row], k] = 1.0
    found = _solved(J, right) if J.shape[1] == J.shape[2] else np.linalg.pinv(J) @ right
    return {motion: found[:, :, k] for k, motion in enumerate(wanted)}


def _solved(J: Array, right: Array) -> Array:
    """J^-1 right at every position, block by block: what is driven first, then what hangs on it."""
    x = np.zeros((len(J), *right.shape))
    pattern = np.asarray((np.abs(J) > 0).any(axis=0))
    for rows, columns, known in _blocks(len(pattern), pattern.tobytes()):
        given = (
            right[rows] - J[:, rows[:, None], known] @ x[:, known]
            if len(known)
            else np.broadcast_to(right[rows], (len(J), *right[rows].shape))
        )
        x[:, columns] = np.linalg.solve(J[:, rows[:, None], columns], given)
    return x


@lru_cache(maxsize=64)
def _blocks(size: int, filled: bytes) -> list[tuple[Any, Any, Any]]:
    """Rows and columns of the diagonal blocks of a square matrix in triangular form, in the order of solution, and the
    columns solved before that each needs: strong components after a matching of rows and columns."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    pattern = np.frombuffer(filled, dtype=bool).reshape(size, size)
    row_of = maximum_bipartite_matching(csr_array(pattern.T.astype(np.int8)), perm_type="column")  # of each column
    if (row_of < 0).any():
        every = np.arange(len(pattern))
        return [(every, every, np.array([], dtype=int))]
    needs = pattern[row_of]  # row matched with column i needs column j
    count, label = connected_components(csr_array(needs), directed=True, connection="strong")
    blocks = {int(k): np.flatnonzero(label == k) for k in range(count)}
    done: list[int] = []
    found: list[tuple[Any, Any, Any]] = []
    while len(done) < count:
        for k, columns in blocks.items():
            others = np.flatnonzero(needs[columns].any(axis=0) & (label != k))
            if k not in done and set(label[others].tolist()) <= set(done):
                found.append((row_of[columns], columns, others))
                done.append(k)
    return _joined(found)


def _joined(blocks: list[tuple[Any, Any, Any]]) -> list[tuple[Any, Any, Any]]:
    """Blocks that follow each other put together while they are small: numpy takes
    longer to be called than to solve them."""
    found: list[tuple[Any, Any, Any]] = []
    for rows, columns, known in blocks:
        if found and len(found[-1][1]) + len(columns) <= TOGETHER:
            before = found.pop()
            rows, columns = np.append(before[0], rows), np.append(before[1], columns)
            known = np.setdiff1d(np.union1d(before[2], known), columns)
        found.append((rows, columns, known.astype(int)))
    return found


def _jacobians(system: System, x: Array, y: Array, turns: Array) -> Array:
    """J of all rows at every position."""
    n, turned = len(x), turns.tolist()
    first = system.kernel.rows(float(x[0]), y[0].tolist(), turned)
    place = np.asarray(first["row"]) * 6 * len(system.centred) + np.asarray(first["column"])
    values = np.empty((n, len(place)))
    for k in range(n):
        values[k] = system.kernel.rows(float(x[k]), y[k].tolist(), turned)["value"]
    J = np.zeros((n, len(system.rows) * 6 * len(system.centred)))
    for k in range(n):
        J[k] = np.bincount(place, values[k], minlength=J.shape[1])
    return J.reshape(n, len(system.rows), 6 * len(system.centred))


class Track:
    """A body along a sweep: where its points are, and how they move for unit rates."""

    def __init__(self, sweep: Sweep, body: Any) -> None:
        self._sweep, self.number = sweep, sweep.system.body_numbers[body.name]
        self._r0, self.r = sweep.places[0, self.number], sweep.places[1:, self.number]
        turned = sweep.turned[:, self.number]
        self.R = turned[1:] @ turned[0].T  # from as drawn

    def point(self, drawn: Any) -> Array:
        """A point of the body, by where it is drawn."""
        found: Array = self.r + self.R @ (np.asarray(drawn, dtype=float) - self._r0)
        return found

    def direction(self, drawn: Any) -> Array:
        """A direction of the body, by where it points as drawn."""
        found: Array = self.R @ np.asarray(drawn, dtype=float)
        return found

    def spin(self, motion: str) -> Array:
        """Angular velocity for a unit rate of a motion."""
        return self._sweep.rates[motion][:, 6 * self.number + 3 : 6 * self.number + 6]

    def velocity(self, motion: str, points: Array) -> Array:
        """Velocity of its points, which are places along the sweep, for a unit rate of a motion."""
        v = self._sweep.rates[motion][:, 6 * self.number : 6 * self.number + 3]
        return np.asarray(v + crossed(self.spin(motion), points - self.r))


def crossed(a: Array, b: Array) -> Array:
    """Cross products of rows; faster than numpy's for a few of them."""
    found = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
    return found
