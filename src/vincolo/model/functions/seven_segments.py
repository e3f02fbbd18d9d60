"""The quickest motion within limits of speed, acceleration and jerk."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from vincolo.equations.arithmetic import total
from vincolo.errors import ModelError
from vincolo.model.functions import checks
from vincolo.model.functions.function import Numbers
from vincolo.model.functions.piecewise import Curve, Polynomials


@dataclass(frozen=True)
class SevenSegments(Polynomials, Numbers):
    """From `low` over `rise` in the shortest time that limits of speed, acceleration and jerk allow; rest to rest.

    Jerk is constant in each of up to seven segments: jerk up, hold the acceleration, jerk down, hold the speed, and
    the same in reverse. Segments in which a limit is not reached are left out. A negative rise goes down.
    """

    rise: float
    speed: float
    acceleration: float
    jerk: float
    start: float = 0.0
    low: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("speed", "acceleration", "jerk"):
            checks.positive(f"SevenSegments: {name}", getattr(self, name))
        if self.rise == 0:
            raise ModelError("SevenSegments: rise is 0, so there is no motion.\n  Use Constant to stay where you are.")
        try:
            checks.finite_span("SevenSegments", self.params)
        except (OverflowError, ZeroDivisionError):
            checks.finite_span("SevenSegments", [math.inf])
        checks.rising("SevenSegments", "breaks", self.curve.x,
                      "The motion is too short to be distinguished from none at its start time; start nearer to zero.")

    @property
    def duration(self) -> float:
        """How long the motion takes [s]."""
        return total(self.segments)

    @property
    def high(self) -> float:
        """Where it ends."""
        return self.low + self.rise

    @cached_property
    def segments(self) -> tuple[float, ...]:
        """The durations of the seven segments [s]; zero where a limit is not reached."""
        jerking, accelerating, cruising = _durations(abs(self.rise), self.speed, self.acceleration, self.jerk)
        held = max(accelerating - 2 * jerking, 0.0)
        least = 1e-12 * (accelerating + cruising)  # a shorter segment is one that rounding left over
        held, cruising = (0.0 if least >= T else T for T in (held, cruising))
        return jerking, held, jerking, cruising, jerking, held, jerking

    @cached_property
    def curve(self) -> Curve:
        jerk = math.copysign(_largest_jerk(self), self.rise)
        state, x, rows = (self.low, 0.0, 0.0), [self.start], []
        for sign, T in zip((1, 0, -1, 0, -1, 0, 1), self.segments, strict=True):
            if T == 0:
                continue
            f, v, a = state
            j = sign * jerk
            rows.append((f, v, a / 2, j / 6))
            x.append(x[-1] + T)
            state = f + T * (v + T * (a / 2 + T * j / 6)), v + T * (a + T * j / 2), a + T * j
        return Curve(tuple(x), tuple(rows))


def _durations(h: float, v: float, a: float, j: float) -> tuple[float, float, float]:
    """How long jerk is positive, speed rises, and speed is constant, over the distance h."""
    jerking = min(a / j, math.sqrt(v / j))
    accelerating = jerking + v / min(a, j * jerking)
    cruising = h / v - accelerating
    if cruising >= 0:
        return jerking, accelerating, cruising
    # the speed limit is not reached: h = peak speed times the time of acceleration
    if h >= 2 * a**3 / j**2:
        jerking = a / j
        return jerking, 0.5 * jerking + math.sqrt(0.25 * jerking**2 + h / a), 0.0
    jerking = math.cbrt(0.5 * h / j)
    return jerking, 2 * jerking, 0.0


def _largest_jerk(motion: SevenSegments) -> float:
    """The jerk that meets the rise exactly with these durations: the limit, up to rounding."""
    jerking, held, _, cruising, *_ = motion.segments
    # peak speed = j jerking (jerking + held); distance = peak speed (time of acceleration + cruising)
    return abs(motion.rise) / (jerking * (jerking + held) * (2 * jerking + held + cruising))
