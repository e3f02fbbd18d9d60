"""A planar four-bar in closed form, for many at once, with its defects; and as a model, for the kernel to check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.analyses.kinematics import kinematics
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array

LENGTHS = ("ground", "crank", "coupler", "rocker")
LOOKED = 720  # angles of a turn that are looked at


@dataclass(frozen=True)
class FourBar:
    """Lengths [m], the traced point on the coupler from its joint with the crank, along and across the coupler, the
    place and direction of the ground link, and the branch: +1 or -1 for the side on which the rocker closes."""

    ground: float
    crank: float
    coupler: float
    rocker: float
    px: float = 0.0
    py: float = 0.0
    angle: float = 0.0
    x: float = 0.0
    y: float = 0.0
    branch: int = 1

    def __post_init__(self) -> None:
        for name in LENGTHS:
            if finite_number(f"four-bar: {name}", getattr(self, name)) <= 0:
                raise ModelError(f"four-bar: the {name} is {getattr(self, name):g} m long; it must be above zero.")
        if self.branch not in (-1, 1):
            raise ModelError(f"four-bar: the branch is {self.branch!r}; it is 1 or -1.")

    @classmethod
    def of(cls, numbers: Array, branch: int) -> FourBar:
        """From its first numbers, in this order."""
        a, b, c, d, *more = (float(x) for x in numbers)
        names = ("px", "py", "angle", "x", "y")
        return cls(a, b, c, d, branch=branch, **dict(zip(names, more, strict=False)))

    @property
    def numbers(self) -> Array:
        """All but the branch."""
        return np.array([self.ground, self.crank, self.coupler, self.rocker, self.px, self.py, self.angle, self.x,
                         self.y])

    def points(self, theta: Any) -> Array:
        """Places (..., 2) of the traced point for angles of the crank from the ground link [rad]; NaN where it cannot
        be closed."""
        found = traced(self.numbers, np.asarray(theta, dtype=float), self.branch)
        return np.stack([found.real, found.imag], axis=-1)

    def rocker_angle(self, theta: Any) -> Array:
        """The angle of the rocker from the ground link [rad]."""
        A, turn = closed(self.numbers, np.asarray(theta, dtype=float), self.branch)
        B = A + self.coupler * turn
        D = complex(self.x, self.y) + self.ground * np.exp(1j * self.angle)
        return np.asarray(np.angle((B - D) * np.exp(-1j * self.angle)))

    @property
    def grashof(self) -> bool:
        """Whether the shortest link turns over: shortest and longest are together shorter than the others."""
        s, p, q, longest = sorted(getattr(self, name) for name in LENGTHS)
        return bool(s + longest < p + q)

    @property
    def crank_turns(self) -> bool:
        """Whether the crank turns over: by Grashof, with the crank or the ground link shortest."""
        shortest = min(LENGTHS, key=lambda name: getattr(self, name))
        return self.grashof and shortest in ("crank", "ground")

    def defects(self, theta: Any) -> list[str]:
        """What keeps the linkage from passing positions at these angles of the crank one after the other."""
        angles = np.asarray(theta, dtype=float)
        found = []
        if np.isnan(closed(self.numbers, angles, self.branch)[1]).any():
            found.append("branch: it cannot be closed in all positions")
        steps = np.diff(angles)
        if not (np.all(steps > 0) or np.all(steps < 0)) and not _in_turn(angles):
            found.append("order: the crank passes the positions in another order")
        between = np.linspace(angles.min(), angles.max(), LOOKED)
        if not found and np.isnan(closed(self.numbers, between, self.branch)[1]).any():
            found.append("circuit: it locks between the positions")
        if not self.crank_turns:
            found.append("Grashof: the crank does not turn over")
        return found

    def model(self, speed: float = 1.0, start: float = 0.0) -> Model:
        """The linkage in the x-z plane (y of the plane is z), of light bars, the crank driven at a speed [rad/s]; the
        traced point is the frame P."""
        pivot = complex(self.x, self.y)
        A, turn = (complex(z) for z in closed(self.numbers, np.array(start), self.branch))
        B, P = A + self.coupler * turn, A + complex(self.px, self.py) * turn
        D = complex(pivot + self.ground * np.exp(1j * self.angle))
        if np.isnan(B.real):
            raise ModelError(f"four-bar: it cannot be closed with the crank at {start:g} rad.\n  Choose another start.")
        model = Model("four-bar", gravity=(0, 0, 0))
        bars = [model.ground, *(model.body(name, mass=1, inertia=0.01, at=_drawn((a + b) / 2))
                                for name, a, b in (("crank", pivot, A), ("coupler", A, B), ("rocker", B, D)))]
        for k, (name, at) in enumerate((("O", pivot), ("A", A), ("B", B), ("D", D))):
            model.revolute(name, bars[k], bars[(k + 1) % 4], at=_drawn(at), axis="-y")
        model.frame("P", bars[2], _drawn(P))
        model.drive("O.angle", f"{float(speed)!r}*t")
        return model

    def checked(self, theta: Any) -> float:
        """The largest distance [m] between the path by the kernel and this one over the angles, which rise."""
        angles = np.asarray(theta, dtype=float)
        model = self.model(start=float(angles[0]))
        run = kinematics(model, outputs=angles - angles[0]) if len(angles) > 1 else kinematics(model, 1e-9)
        if run.reason is not None:
            raise ModelError(f"four-bar: the kernel does not follow it: {run.reason}")
        found = np.stack([run["P.x"], run["P.z"]], axis=-1)
        return float(np.abs(found[:len(angles)] - self.points(angles)).max())


def _drawn(z: complex) -> tuple[float, float, float]:
    return float(z.real), 0.0, float(z.imag)


def _in_turn(angles: Array) -> bool:
    """Whether angles follow each other within one turn, wherever it begins, in one sense."""
    rising = np.mod(angles - angles[0], 2 * np.pi)
    falling = np.mod(angles[0] - angles, 2 * np.pi)
    return bool(np.all(np.diff(rising) > 0) or np.all(np.diff(falling) > 0))


def closed(numbers: Array, theta: Array, branch: Any) -> tuple[Array, Array]:
    """The joint of crank and coupler and the direction of the coupler, as complex numbers; of many linkages (..., 9) at
    angles that go with them. NaN where the loop cannot be closed."""
    r1, r2, r3, r4, _, _, angle, x, y = np.moveaxis(numbers, -1, 0)
    base = np.exp(1j * angle)
    A = x + 1j * y + r2 * np.exp(1j * theta) * base
    d = x + 1j * y + r1 * base - A
    size = np.abs(d)
    with np.errstate(invalid="ignore", divide="ignore"):
        opening = np.arccos((r3**2 + size**2 - r4**2) / (2 * r3 * size))
        return A, d / size * np.exp(1j * branch * opening)


def traced(numbers: Array, theta: Array, branch: Any) -> Array:
    """The traced point as a complex number."""
    A, turn = closed(numbers, theta, branch)
    return np.asarray(A + (numbers[..., 4] + 1j * numbers[..., 5]) * turn)
