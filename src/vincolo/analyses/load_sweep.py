"""Equilibria over a changing load: branches, and where they lose stability."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vincolo.analyses.static_design import Change, Walk, check_model
from vincolo.analyses.statics import Equilibrium
from vincolo.errors import ModelError, SimulationError, suggest
from vincolo.layout import by_body
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.state import State

NEAR = 0.1  # rad, and share of the mechanism's length: a longer way between two equilibria is taken in parts
FINEST = 1e-7  # share of a step of the sweep


@dataclass(frozen=True, eq=False)
class LoadSweep:
    """Equilibria over a parameter, each begun at the last. `critical` are values at which the lowest stiffness goes
    through zero on a branch, which becomes unstable or stable there; `jumps` are those at which the branch ends and
    the mechanism snaps into another equilibrium."""

    values: Array
    equilibria: tuple[Equilibrium, ...]
    critical: tuple[float, ...]
    jumps: tuple[float, ...]

    @property
    def lowest(self) -> Array:
        """Lowest stiffness [N/m] at every value, without motions that are idle at all of them."""
        idle = min(e.idle for e in self.equilibria)
        return np.array([lowest_of(e, idle) for e in self.equilibria])

    @property
    def stable(self) -> Array:
        """Whether every equilibrium is stable."""
        return np.array([e.stable for e in self.equilibria])

    def __getitem__(self, name: str) -> Array:
        """A channel over the values, such as sweep["tip.x"]."""
        return np.array([e[name] for e in self.equilibria])

    def __contains__(self, name: object) -> bool:
        return name in self.equilibria[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.equilibria[0])

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        told = [", ".join(f"{x:.8g}" for x in found) or "nowhere" for found in (self.critical, self.jumps)]
        return (f"{len(self)} equilibria from {self.values[0]:g} to {self.values[-1]:g}\n"
                f"  stability changes at: {told[0]}; the branch ends at: {told[1]}")


def load_sweep(model: Model, change: str | Sequence[str] | Change, values: Sequence[float] | Array, *,
               start: State | None = None, t: float = 0.0) -> LoadSweep:
    """Equilibria over values of a parameter. `change` names loads, or "gravity", that the value is a factor on; or it
    is a function that changes a copy of the model: change(model, value). A branch is followed even where it is
    unstable; where it ends, the mechanism falls into a stable equilibrium."""
    check_model("load_sweep()", model)
    try:
        numbers = np.array([finite_number("load_sweep(): a value", v) for v in values])
    except TypeError:
        raise ModelError(f"load_sweep(): values is {values!r}; a list of numbers is needed.") from None
    if not len(numbers):
        raise ModelError("load_sweep(): there are no values.\n  Give a list such as [0, 100, 200].")
    branch = _Branch(Walk(model, _changer(model, change), start, t, stay=False), float(numbers[0]))
    equilibria = [branch.here, *(branch.follow(float(x)) for x in numbers[1:])]
    return LoadSweep(numbers, tuple(equilibria), tuple(branch.critical), tuple(branch.jumps))


def lowest_of(equilibrium: Equilibrium, idle: int) -> float:
    """Lowest stiffness but for a number of idle motions."""
    by_size = sorted(equilibrium.stiffness, key=abs)
    return float(min(by_size[idle:], default=np.inf))


class _Branch:
    """An equilibrium that is followed over the value."""

    def __init__(self, walk: Walk, value: float) -> None:
        self.walk, self.value = walk, value
        self.here = walk.at(value)
        self.idle = self.here.idle
        self.critical: list[float] = []
        self.jumps: list[float] = []

    def follow(self, end: float) -> Equilibrium:
        """Goes to a value in steps over which nothing moves far and no stiffness changes its sign unseen."""
        whole = step = end - self.value
        while self.value != end:
            x = end if abs(step) >= abs(end - self.value) else self.value + step
            there = self._at(x)
            if there is not None and self._sign(there) == self._sign(self.here) and self._same_branch(there):
                self.value, self.here, step = x, there, 2 * step
            elif abs(step) > FINEST * abs(whole):
                step /= 4
            else:
                self._pass(x, there)
                step = whole / 64
        return self.here

    def _pass(self, x: float, there: Equilibrium | None) -> None:
        """Over a value where stability changes, or where the branch ends."""
        if there is not None and self._near(there, 1e-2):
            other = there
            left, right = (self.value, self._lowest(self.here)), (x, self._lowest(there))
            self.critical.append(_zero(lambda v: self._lowest(self._at(v) or other), left, right))
        else:
            self.jumps.append(0.5 * (self.value + x))
            self.walk.start = self.here.state
            there = self.walk.at(x, stay=False)
        self.value, self.here = x, there

    def _at(self, x: float, begin: Equilibrium | None = None) -> Equilibrium | None:
        """The equilibrium nearest to this one, or to another, at another value; None if there is none."""
        self.walk.start = (begin or self.here).state
        try:
            return self.walk.at(x, stay=True)
        except SimulationError:
            return None

    def _same_branch(self, there: Equilibrium) -> bool:
        """Whether another equilibrium is near, and the way back leads to where it began."""
        if not self._near(there):
            return False
        if self._near(there, 1e-2):
            return True
        back = self._at(self.value, there)
        return back is not None and self._near(back, 1e-5)

    def _lowest(self, e: Equilibrium) -> float:
        return lowest_of(e, self.idle)

    def _sign(self, e: Equilibrium) -> bool:
        return self._lowest(e) > 0

    def _near(self, there: Equilibrium, limit: float = NEAR) -> bool:
        """Whether no body moves or turns further than the limit between two equilibria."""
        n = len(there.state.system.centred)
        a, b = (by_body(e.state.y, n) for e in (self.here, there))
        moved = float(np.abs(a[:, :3] - b[:, :3]).max()) / there.length
        turned = 2 * float(np.minimum(np.abs(a[:, 3:7] - b[:, 3:7]), np.abs(a[:, 3:7] + b[:, 3:7])).max())
        return max(moved, turned) <= limit


def _changer(model: Model, change: Any) -> Change:
    """The function that changes a model: as given, or a factor on named loads or gravity."""
    if callable(change):
        return change  # type: ignore[no-any-return]
    names = (change,) if isinstance(change, str) else tuple(change)
    for name in names:
        if name != "gravity" and name not in model.loads:
            raise ModelError(f"load_sweep(): there is no load called {name!r}.\n"
                             f"  Loads: {', '.join([*model.loads, 'gravity'])}.{suggest(str(name), model.loads)}\n"
                             "  For anything else give a function change(model, value).")

    def scaled(changed: Model, factor: float) -> None:
        for name in names:
            if name == "gravity":
                changed.gravity = factor * changed.gravity
                continue
            load = changed.loads[name]
            x, y, z = (factor * f for f in load.components)
            changed.loads[name] = replace(load, components=(x, y, z))

    return scaled


def _zero(f: Callable[[float], float], left: tuple[float, float], right: tuple[float, float]) -> float:
    """A zero between two points (x, f) of different sign, by secants that stay inside (Illinois)."""
    (a, fa), (b, fb) = left, right
    for _ in range(40):
        if fb == 0.0 or fa == fb or abs(b - a) <= 1e-12 * max(abs(a), abs(b)):
            break
        c = b - fb * (b - a) / (fb - fa)
        if c in (a, b):
            break
        fc = f(c)
        a, fa = (b, fb) if fb * fc < 0 else (a, fa / 2)
        b, fb = c, fc
    return float(b if fb == 0.0 or fa == fb else b - fb * (b - a) / (fb - fa))
