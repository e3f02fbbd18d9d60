"""Measures and functions of time in words, as tables show them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from vincolo.model.functions import Constant, Expression, Function
from vincolo.model.functions.combined import Combined
from vincolo.model.functions.signal import Signal
from vincolo.model.measure import Measure
from vincolo.model.measure_units import measure_unit, per_second

LONGEST = 160  # characters of a function
MANY = 8  # numbers that are written out
KINDS = {"distance": "distance", "along": "coordinate", "world": "world coordinate", "angle": "angle",
         "azimuth": "direction", "cosine": "cosine", "skid": "skid", "roll": "roll"}
#: of a force along a measure: stiffness, damping, measure, force
SPRING_UNITS = {"m": ("N/m", "N s/m", "m", "N"), "rad": ("N m/rad", "N m s/rad", "rad", "N m"),
                "1": ("N m", "N m s", "", "N m"), "": ("", "", "", "")}


def measure_text(measure: Measure) -> str:
    """Its name, its formula, or what it is between which bodies."""
    if measure.name:
        return measure.name
    if measure.tape is not None:
        return cut(measure.tape.text or "a formula")
    texts = []
    for factor, equation, a, b in measure.terms:
        axes = f" {'-'.join(equation.axes)}" if equation.axes and all(isinstance(x, str) for x in equation.axes) else ""
        sign = "" if factor == 1 else f"{factor:.6g} × "
        texts.append(f"{sign}{KINDS.get(equation.kind, equation.kind)}{axes} {a.body.name} – {b.body.name}")
    return cut(" + ".join(texts))


def function_text(f: Function) -> str:
    """A function of time: a number, a text in t, or its kind with its numbers."""
    if isinstance(f, Constant):
        return f"{f.value:.6g}"
    if isinstance(f, Expression):
        given = ", ".join(f"{name} = {value:.6g}" for name, value in dict(f.constants or {}).items())
        return cut(f.text + (f" with {given}" if given else ""))
    if isinstance(f, Signal):
        return cut(f.operations.text)
    if isinstance(f, Combined):
        return cut(f.operations.text or f"a formula of {', '.join(function_text(part) for part in f.functions)}")
    told = ", ".join(f"{field.name} {_value(getattr(f, field.name))}" for field in fields(f))  # type: ignore[arg-type]
    return cut(f"{type(f).__name__}: {told}" if told else type(f).__name__)


def _value(value: Any) -> str:
    if isinstance(value, Function):
        return f"({function_text(value)})"
    if isinstance(value, tuple | list):
        return f"({len(value)} values)" if len(value) > MANY else f"({', '.join(_value(v) for v in value)})"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def cut(text: str) -> str:
    """A text that is not too long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST - 1]}…"


def force_units(measure: Measure) -> tuple[str, str, str, str]:
    """Units of stiffness, damping, value and force along a measure; empty where they are not known."""
    return SPRING_UNITS.get(measure_unit(measure), SPRING_UNITS[""])


def driven_unit(measure: Measure, level: str) -> str:
    """The unit of what a drive gives: of the measure, its rate or its acceleration."""
    own = measure_unit(measure)
    return {"position": own, "velocity": per_second(own), "acceleration": per_second(per_second(own))}[level]
