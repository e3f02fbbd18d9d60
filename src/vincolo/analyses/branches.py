"""Other ways to assemble the same mechanism with the same given values: elbow up and elbow down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from vincolo.analyses.assemble import aim_of, begun, check_start, closed_velocities, names_of, require_closed
from vincolo.analyses.closing import Aim, close, counted, jacobian_of
from vincolo.analyses.idle import idle_freedoms
from vincolo.analyses.orientation import aligned
from vincolo.analyses.restarts import PATIENCE, closed_from, turned
from vincolo.analyses.scatter import place, scattered
from vincolo.channels.channels import rotations
from vincolo.errors import ModelError
from vincolo.layout import QUATERNION, of_body
from vincolo.model import Model
from vincolo.state import State
from vincolo.system import System, as_system

APART = 1e-4  # of the size of the mechanism, or rad: what is nearer is the same branch


def branches(model: Model | System, given: Mapping[str, float] | None = None, *, count: int = 8, tries: int = 60,
             keep: str | Iterable[str] = (), t: float = 0.0, guess: State | None = None, seed: int = 1) -> list[State]:
    """Closed states with the same given values, the nearest to the drawn position (or the guess) first.

    Closes from `tries` random positions, in which the bodies are moved in the freedoms of their joints, and stops when
    `count` different states are found; others may exist. Given values and drives must leave no freedom, except for
    links that spin idly. `seed` chooses the random positions. Distance is how far the points of the joints moved."""
    system, kept = as_system(model), names_of("branches()", keep)
    for name, number in (("count", count), ("tries", tries), ("seed", seed)):
        _whole(name, number)
    aim, rates = aim_of("branches()", system, given, kept, t, guess)
    start = begun(system.drawn if guess is None else guess, float(t), aim)
    first = closed_from(start, aim)
    nearest = [first.state] if first.closed and not first.turned else []
    found = _searched(start, aim, nearest, count, tries, np.random.default_rng(seed))
    if not found:
        require_closed(first, aim, start)
    _require_fixed(found, aim)
    done = [closed_velocities(state, rates) for state in found]
    check_start(done[0])
    return sorted(done, key=lambda state: distance(start, state))


def _whole(name: str, number: Any) -> None:
    least = 0 if name == "seed" else 1
    if not isinstance(number, int) or isinstance(number, bool) or number < least:
        raise ModelError(f"branches(): {name} is {number!r}; a whole number of at least {least} is needed.")


def _searched(start: State, aim: Aim, found: list[State], count: int, tries: int,
              rng: np.random.Generator) -> list[State]:
    """Different closed states; those with an axis turned against its partner are left out."""
    for k in range(tries):
        if len(found) >= count:
            break
        spread = np.pi if k % 3 else 1.0
        near = counted(scattered(start, rng, spread, aim.kept), aim.asked)
        closing = close(near, aim, PATIENCE)
        if closing.closed and turned(closing):
            closing = close(aligned(near, aim), aim, PATIENCE)
        if not closing.closed or turned(closing):
            continue
        turns = State(start.system, start.t, closing.state.y, start.turns)  # angles near the drawn ones
        state = counted(turns, aim.asked)
        if all(_differ(other, state) for other in found):
            found.append(state)
    return found


def distance(a: State, b: State) -> float:
    """Root mean square displacement [m] of the points of all joints on both their bodies."""
    frames = [f for j in a.system.joints.values() for f in (j.a, j.b)]
    if not frames:
        return float(np.linalg.norm(a.y - b.y))
    away = np.array([place(a, f)[0] - place(b, f)[0] for f in frames])
    return float(np.sqrt((away**2).sum(axis=1).mean()))


def _differ(a: State, b: State) -> bool:
    """Whether points of joints are elsewhere. A link that is only turned about the line through its joints is the same;
    where all joints of a body are at one point, its rotation tells."""
    size = max(c.length for c in a.system.centred)
    if distance(a, b) > APART * size:
        return True
    numbers = [k for k in range(len(a.system.centred)) if _about_one_point(a, k)]
    if not numbers:
        return False
    p, q = (rotations(np.array([of_body(s.y, k)[QUATERNION] for k in numbers])) for s in (a, b))
    return bool(np.abs(p - q).max() > APART)


def _about_one_point(state: State, body: int) -> bool:
    c = state.system.centred[body]
    points = np.array([f.point for j in state.system.joints.values() for f in (j.a, j.b) if f.body is c.body])
    return len(points) == 0 or bool(np.abs(points - points[0]).max() <= APART * c.length)


def _freedoms_left(state: State, aim: Aim) -> int:
    """Freedoms that joints, drives, given values and kept bodies leave, without idle ones."""
    n = len(state.system.centred)
    J = jacobian_of(state, aim).reshape(-1, n, 6)
    scale = np.array([[1.0] * 3 + [1 / c.length] * 3 for c in state.system.centred])
    free = [k for k in range(n) if k not in aim.kept]
    A = (J * scale)[:, free].reshape(-1, 6 * len(free))
    size = np.linalg.norm(A, axis=1)
    rank = int(np.linalg.matrix_rank(A[size > 0] / size[size > 0, None], tol=1e-7)) if (size > 0).any() else 0
    return 6 * len(free) - rank - len(idle_freedoms(state))


def _require_fixed(found: list[State], aim: Aim) -> None:
    """With a freedom left there are infinitely many closed states."""
    left = min(_freedoms_left(state, aim) for state in found)
    if left <= 0:
        return
    system = found[0].system
    known = [name for joint in system.joints.values() for name in (m.name for m in joint.coordinates.values()) if name]
    raise ModelError(f"branches(): {left} degree{'s' if left > 1 else ''} of freedom "
                     f"{'are' if left > 1 else 'is'} left, so there are infinitely many closed positions.\n"
                     f"  Give as many coordinates with given=. Coordinates of joints: {', '.join(known) or 'none'}.")
