"""What a study varies: parts of a model by name, a function that builds models, or any function of numbers."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from vincolo.analyses.simulate import simulate
from vincolo.errors import ModelError, VincoloError, suggest
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.studies.outputs import Output, outputs_of
from vincolo.tolerance.of_model import ModelSubject
from vincolo.tolerance.subject import Mistake, told
from vincolo.varied import feature_of, value_of

TIMES = 200  # samples of a run, if not said
#: errors that mechanisms have; others are mistakes of a program, which fail one variant too
ORDINARY = (VincoloError, ArithmeticError, ValueError, np.linalg.LinAlgError)


@dataclass(frozen=True, eq=False)
class Found:
    """Outputs (variants, outputs), NaN where a variant has none, and why it has none by its place."""

    values: Array
    reasons: dict[int, str]


class Variants(Protocol):
    """What a study needs to know of what it varies."""

    name: str
    outputs: tuple[str, ...]
    units: tuple[str, ...]
    parallel: str  # "threads" or "processes"

    @property
    def mark(self) -> str:
        """Differs for different subjects."""

    def evaluate(self, values: Array) -> Found:
        """Outputs of variants; values (variants, parameters)."""


class ModelVariants:
    """Runs of a model, or of models that a function builds: channels over the motion, and what is kept of each."""

    def __init__(self, subject: ModelSubject, names: Sequence[str], nominal: Sequence[float],
                 outputs: tuple[Output, ...]) -> None:
        self.subject, self.names, self.nominal, self.kept = subject, tuple(names), np.array(nominal), outputs
        self.name, self.parallel = subject.name, subject.parallel
        self.outputs = tuple(o.title for o in outputs)
        self._places = [subject.outputs.index(o.channel) for o in outputs]
        self.units = tuple(o.unit(subject.units[k]) for o, k in zip(outputs, self._places, strict=True))

    @property
    def mark(self) -> str:
        """The model, its run, and what is kept."""
        return told((self.subject.mark, self.subject.at, self.names, self.nominal, [o.mark for o in self.kept]))

    def evaluate(self, values: Array) -> Found:
        """Every variant by itself."""
        off = values - self.nominal
        found = self.subject.evaluate({name: off[:, k] for k, name in enumerate(self.names)})
        reasons = {k: text for k, text in enumerate(found.reasons) if text}
        kept = np.full((len(values), len(self.kept)), math.nan)
        for k in range(len(values)):
            if k not in reasons:
                try:
                    kept[k] = [o.of(self.subject.at, found.values[k, :, c])
                               for o, c in zip(self.kept, self._places, strict=True)]
                except Exception as error:
                    reasons[k] = _line(error)
        return finite(kept, reasons, self.outputs)


class FunctionVariants:
    """A function of the parameters that returns numbers: one, a list in the order of the outputs, or a dictionary; with
    `vectorised` it is called once for arrays of variants."""

    def __init__(self, function: Callable[..., Any], names: Sequence[str], outputs: Sequence[str],
                 vectorised: bool = False) -> None:
        check_arguments(function, names)
        self.function, self.names, self.vectorised = function, tuple(names), vectorised
        self.name, self.outputs = getattr(function, "__name__", "function"), tuple(outputs)
        self.units, self.parallel = ("",) * len(self.outputs), "threads" if vectorised else "processes"

    @property
    def mark(self) -> str:
        """The function by its name and its text, as far as that is known."""
        try:
            text = inspect.getsource(self.function)
        except (OSError, TypeError):
            text = ""
        return told((getattr(self.function, "__qualname__", ""), text, self.names, self.outputs))

    def evaluate(self, values: Array) -> Found:
        """Values of the function."""
        if self.vectorised:
            return self._together(values)
        kept, reasons = np.full((len(values), len(self.outputs)), math.nan), {}
        for k, row in enumerate(values.tolist()):
            try:
                found = self._numbers(self.function(**dict(zip(self.names, row, strict=True))))
                kept[k] = [_number(name, value) for name, value in zip(self.outputs, found, strict=True)]
            except Exception as error:
                reasons[k] = _line(error)
        return finite(kept, reasons, self.outputs)

    def _together(self, values: Array) -> Found:
        """All variants in one call; where that fails, in halves, down to the variant that is the reason."""
        try:
            columns = self._numbers(self.function(**dict(zip(self.names, values.T, strict=True))))
            kept = np.stack([np.broadcast_to(c, len(values)) for c in columns], axis=-1).astype(float)
            return finite(kept, {}, self.outputs)
        except Exception as error:
            if len(values) == 1:
                return Found(np.full((1, len(self.outputs)), math.nan), {0: _line(error)})
        middle = len(values) // 2
        first, second = self._together(values[:middle]), self._together(values[middle:])
        return Found(np.concatenate([first.values, second.values]),
                     first.reasons | {middle + k: text for k, text in second.reasons.items()})

    def _numbers(self, found: Any) -> list[Any]:
        if isinstance(found, Mapping):
            missing = [name for name in self.outputs if name not in found]
            if missing:
                raise ModelError(f"study(): the function returned no {missing[0]!r}; it has: {', '.join(found)}.")
            return [found[name] for name in self.outputs]
        one = not isinstance(found, list | tuple) and (len(self.outputs) == 1 or np.ndim(found) == 0)
        listed = [found] if one else list(found)
        if len(listed) != len(self.outputs):
            raise ModelError(f"study(): the function returned {len(listed)} numbers for {len(self.outputs)} outputs "
                             f"({', '.join(self.outputs)}).")
        return listed


def _number(name: str, value: Any) -> float:
    """An output that is a number."""
    if not isinstance(value, int | float | np.number | np.ndarray) or np.ndim(value) or np.iscomplexobj(value):
        raise ModelError(f"{name} is {value!r:.60}; a number is needed")
    return float(value)


def _line(error: BaseException) -> str:
    """A reason in one line."""
    if not isinstance(error, ORDINARY):
        return Mistake.of(error)
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return text if isinstance(error, VincoloError) else f"{type(error).__name__}: {text}"


def finite(kept: Array, reasons: dict[int, str], names: Sequence[str]) -> Found:
    """What was found, with variants whose outputs are not finite told apart."""
    for k in np.flatnonzero(~np.isfinite(kept).all(axis=1)).tolist():
        bad = [name for name, value in zip(names, kept[k], strict=True) if not math.isfinite(value)]
        reasons.setdefault(k, f"{', '.join(bad)} is not finite")
        kept[k] = math.nan
    return Found(kept, reasons)


def variants_of(what: Any, names: Sequence[str], middle: Mapping[str, float], outputs: Any, *,
                until: float | None, times: Any, analysis: str, vectorised: bool,
                settings: Mapping[str, Any]) -> Variants:
    """What is varied: a Model by names of its parts, or a function of parameters: with until=, or where its outputs are
    channels, it builds models."""
    made = _variants_of(what, names, middle, outputs, until=until, times=times, analysis=analysis,
                        vectorised=vectorised, settings=settings)
    twice = [name for name, count in Counter((*names, *made.outputs)).items() if count > 1]
    if twice:
        raise ModelError(f"study(): the table would have the column {twice[0]!r} twice.\n  Give each parameter and "
                         "each output a name of its own.")
    return made


def _variants_of(what: Any, names: Sequence[str], middle: Mapping[str, float], outputs: Any, *,
                 until: float | None, times: Any, analysis: str, vectorised: bool,
                 settings: Mapping[str, Any]) -> Variants:
    if isinstance(what, Model):
        _check_settings(settings)
        kept = outputs_of(outputs)
        features = {name: feature_of(what, name) for name in names}
        subject = ModelSubject(what, _channels(kept), until=until, times=times, analysis=analysis, settings=settings,
                               who="study()")
        return ModelVariants(subject, names, [value_of(what, f) for f in features.values()], kept)
    if not callable(what):
        raise ModelError(f"study(): {what!r} cannot be varied.\n  Give a Model with names of its parts, a function "
                         "that builds one, or a function that returns numbers.")
    if until is None and analysis != "assembly":
        if settings or not (isinstance(outputs, str) or all(isinstance(o, str) for o in outputs)):
            raise ModelError("study(): the outputs of a function that returns numbers are their names; one that builds "
                             "models has until=, the end of the motion [s].")
        return FunctionVariants(what, names, _names_of(outputs), vectorised)
    _check_settings(settings)
    check_arguments(what, names)
    built = what(**middle)
    if not isinstance(built, Model):
        raise ModelError(f"study(): with until= the function builds models, but it returned {type(built).__name__}.\n"
                         "  Leave until= out for a function that returns numbers.")
    kept = outputs_of(outputs)
    subject = ModelSubject(built, _channels(kept), until=until, times=times, analysis=analysis, settings=settings,
                           make=lambda given: what(**given), made=names, as_drawn=True, who="study()")
    return ModelVariants(subject, names, [0.0] * len(names), kept)


def _names_of(outputs: Any) -> list[str]:
    """Names of the numbers that a function returns."""
    found = [outputs] if isinstance(outputs, str) else list(outputs)
    if not found or not all(name.strip() for name in found):
        raise ModelError("study(): there is no output, or one without a name.\n  Name what the function returns, such "
                         "as outputs=['error'].")
    return found


def _check_settings(settings: Mapping[str, Any]) -> None:
    """Refuses what simulate() does not know."""
    known = [name for name, p in inspect.signature(simulate).parameters.items()
             if p.kind is p.KEYWORD_ONLY and name not in ("start", "outputs")]
    for name in settings:
        if name not in known:
            raise ModelError(f"study(): there is no {name}=.{suggest(name, known)}\n  Besides its own, study() takes "
                             f"those of simulate(): {', '.join(known)}.")


def check_arguments(function: Callable[..., Any], names: Sequence[str]) -> None:
    """Refuses parameters that a function does not take, or does not get."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # of functions of other languages nothing is known
    try:
        signature.bind(**dict.fromkeys(names, 0.0))
    except TypeError as error:
        raise ModelError(f"study(): the function {getattr(function, '__name__', 'given')!r} cannot be called with "
                         f"{', '.join(names)}: {error}.\n  Its arguments are {signature}; parameters have their "
                         "names.") from None


def _channels(outputs: Sequence[Output]) -> list[str]:
    return list(dict.fromkeys(o.channel for o in outputs))
