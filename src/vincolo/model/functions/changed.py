"""A function changed in time or value: shifted, scaled, mirrored, repeated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.functions import checks
from vincolo.model.functions.combined import Formula, refuse_deep
from vincolo.model.functions.function import Function
from vincolo.model.functions.piecewise import repeated
from vincolo.model.functions.simple import part_of
from vincolo.model.tape import Tape, TapeWriter


class _Changed(Formula):
    """value_factor f(time_factor t + time_offset) + value_offset."""

    function: Function

    def __post_init__(self) -> None:
        owner = type(self).__name__
        object.__setattr__(self, "function", part_of(f"{owner}: function", self.function))
        refuse_deep(owner, (self.function,))

    def _number(self, name: str) -> float:
        number = finite_number(f"{type(self).__name__}: {name}", getattr(self, name))
        object.__setattr__(self, name, number)
        return number

    def _written(self, time: tuple[float, float], value: tuple[float, float]) -> tuple[Tape, tuple[Function, ...]]:
        writer = TapeWriter()
        inner = _scaled(writer, writer.write("time"), *time)
        return writer.finish(_scaled(writer, writer.call(self.function, inner), *value))


def _scaled(writer: TapeWriter, x: int, factor: float, offset: float) -> int:
    """The register of factor x + offset, without the operations that change nothing."""
    if factor != 1:
        x = writer.write("mul", writer.constant(factor), x)
    return writer.write("add", x, writer.constant(offset)) if offset else x


@dataclass(frozen=True)
class Shifted(_Changed):
    """The function `time` later [s] and `value` higher: f(t - time) + value."""

    function: Function
    time: float = 0.0
    value: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._number("time"), self._number("value")

    @cached_property
    def _formula(self) -> tuple[Tape, tuple[Function, ...]]:
        return self._written((1.0, -self.time), (1.0, self.value))


@dataclass(frozen=True)
class Scaled(_Changed):
    """The function `time` times as slow and `value` times as high: value f(t/time)."""

    function: Function
    time: float = 1.0
    value: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._number("value")
        checks.positive("Scaled: time", self._number("time"))

    @cached_property
    def _formula(self) -> tuple[Tape, tuple[Function, ...]]:
        return self._written((1.0 / self.time, 0.0), (self.value, 0.0))


@dataclass(frozen=True)
class Mirror(_Changed):
    """The function reflected at the time `time` [s], f(2 time - t), at the height `value`, 2 value - f(t), or both."""

    function: Function
    time: float | None = None
    value: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [self._number(name) for name in ("time", "value") if getattr(self, name) is not None]
        if not given:
            raise ModelError("Mirror: neither a time nor a value is given to reflect the function at.\n"
                             "  Write Mirror(f, time=1.0) to run it backwards, Mirror(f, value=0.0) to turn it over.")

    @cached_property
    def _formula(self) -> tuple[Tape, tuple[Function, ...]]:
        time = (1.0, 0.0) if self.time is None else (-1.0, 2 * self.time)
        return self._written(time, (1.0, 0.0) if self.value is None else (-1.0, 2 * self.value))


@dataclass(frozen=True)
class Repeat(_Changed):
    """The function from start to end [s] over and over, before and after, by default over its own span.

    With `rise`, each period begins where the last one ended.
    """

    function: Function
    start: float | None = None
    end: float | None = None
    rise: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.rise, bool):
            raise ModelError(f"Repeat: rise is {self.rise!r}; give True or False.")
        span = self.function.span
        for name, own in zip(("start", "end"), span or (None, None), strict=True):
            if getattr(self, name) is None and own is None:
                raise ModelError(f"Repeat: {type(self.function).__name__} has no {name} of its own.\n"
                                 "  Give start and end, the period of the function.")
            object.__setattr__(self, name, own if getattr(self, name) is None else self._number(name))
        checks.start_before_end("Repeat", *self.period, "Give start < end.")

    @property
    def period(self) -> tuple[float, float]:
        """From where to where one period goes."""
        return self.start or 0.0, self.end or 0.0

    @property
    def span(self) -> None:
        return None

    @property
    def breaks(self) -> tuple[float, ...]:
        return ()  # there is no end of them: breaks_between

    def breaks_between(self, t0: float, t1: float, every: bool = False) -> tuple[float, ...]:
        inside = self.function.breaks_between(*self.period, every)
        return repeated(inside, *self.period, t0, t1)

    @cached_property
    def _formula(self) -> tuple[Tape, tuple[Function, ...]]:
        start, end = self.period
        writer = TapeWriter()
        time, period = writer.write("time"), writer.constant(end - start)
        since = _scaled(writer, time, 1.0, -start)
        turns = writer.write("floor", writer.write("div", since, period))
        inner = writer.write("sub", time, writer.write("mul", turns, period))
        result = writer.call(self.function, inner)
        if self.rise:
            step = self.function.taylor(end, 0, side=-1)[0] - self.function.taylor(start, 0)[0]
            result = writer.write("add", result, writer.write("mul", turns, writer.constant(step)))
        return writer.finish(result)
