"""Units of measures: found from what they are made of, or declared.

A measure has the unit of its terms: lengths m, angles rad, cosines 1; factors count as plain numbers. The unit of a
formula is found where its operations tell it. A sum of different kinds has none, and neither has a formula with a
number that may convert units, such as 180/pi or 1000: there the unit is what the user declares, or "" (not known)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from vincolo.errors import ExpressionError, ModelError
from vincolo.model.expression import FIXED, FUNCTIONS, parse
from vincolo.model.expression_text import WORDS
from vincolo.model.tape import Tape, operands_of
from vincolo.units import ANGLE, NUMBER, SI_UNITS, TIME, Powers, readings, unit_of

if TYPE_CHECKING:
    from vincolo.model.measure import Measure

#: of the kinds of measures
MEASURES = {"world": "m", "along": "m", "distance": "m", "skid": "m", "roll": "m", "cosine": "1", "angle": "rad",
            "azimuth": "rad"}
#: what gives power [W] with the rate of a measure
FORCES = {"m": "N", "rad": "N m", "1": "N m", "": ""}
PLAIN = {1.0, 2.0, 3.0, 4.0, 0.5, 0.25}  # factors that convert no unit

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*", re.ASCII)

Found = Powers | float | None  # what a register measures, the number it is, or that it is not known


def measure_unit(measure: Measure) -> str:
    """The unit that the values of a measure are in; "" if it is not known."""
    return found_unit(measure) or measure.unit


def found_unit(measure: Measure) -> str:
    """The unit that follows from what a measure is made of; "" if it does not."""
    own = [MEASURES[equation.kind] for _, equation, _, _ in measure.terms]
    if measure.tape is None:
        return own[0] if len(set(own)) == 1 else ""
    powers = [unit_of(name).powers for name in own]
    found = _of_tape(measure.tape, [*powers, *(_times(p, TIME, -1) for p in powers)])
    if not isinstance(found, tuple):
        return ""
    return SI_UNITS.get(_times(found, TIME, 1) if measure.rates else found, "")


def check_declared(what: str, measure: Measure, unit: str) -> None:
    """Refuses a unit that does not exist, or that measures something else than the measure does."""
    try:
        declared = unit_of(unit)
    except ModelError as error:
        raise ModelError(f"{what}: {error}") from None
    found = found_unit(measure)
    if found and unit_of(found).powers != declared.powers:
        raise ModelError(f"{what}: its unit is {unit!r}, but it is measured in {found}.\n"
                         f"  Give a unit such as {found}, or leave it out.")


def dimension_of(text: str, names: Mapping[str, Powers]) -> Powers | None:
    """What a formula over t and names that measure something gives; None where that is not known or does not fit."""
    words = _names_in(text)
    try:
        found = _of_tape(parse(text, inputs=words), [names.get(word) for word in words], strict=True)
    except ExpressionError:
        return None
    return NUMBER if isinstance(found, float) else found


def is_formula(text: str) -> bool:
    """Whether a text can be read as a formula, whatever its names are."""
    try:
        parse(text, inputs=_names_in(text))
    except ExpressionError:
        return False
    return True


def _names_in(text: str) -> tuple[str, ...]:
    known = {"t", *FIXED, *FUNCTIONS, *WORDS}
    return tuple(word for word in dict.fromkeys(_NAME.findall(text)) if word not in known)


def per_second(unit: str) -> str:
    """The unit of a rate: m/s for m, m/s^2 for m/s."""
    if not unit:
        return ""
    return f"{unit}^2" if unit.endswith("/s") else f"{unit}/s"


def force_unit(unit: str) -> str:
    """The unit of a force along a measure in this unit, which gives power with its rate."""
    return FORCES[unit] if unit in FORCES else f"N m/{unit}" if readings(f"N m/{unit}") else ""


def _times(a: Powers, b: Powers, n: int) -> Powers:
    return (a[0] + n * b[0], a[1] + n * b[1], a[2] + n * b[2], a[3] + n * b[3])


def _of_tape(tape: Tape, inputs: Sequence[Powers | None], strict: bool = False) -> Found:
    """What the result of a formula measures. `strict` takes its numbers for plain ones, which convert no units, and
    adds them to nothing else."""
    found: list[Found] = []
    for op, a, b in tape.ops:
        if op == "const":
            found.append(tape.constants[a])
        elif op == "time":
            found.append(TIME)
        elif op == "input":
            found.append(inputs[a] if a < len(inputs) else None)
        else:
            found.append(_result(op, [found[k] for k in operands_of(op, a, b)], strict))
    return found[-1]


def _result(op: str, operands: list[Found], strict: bool) -> Found:
    if any(operand is None for operand in operands):
        return None
    if op in ("add", "sub", "min", "max", "either", "choose"):
        return _alike(operands[1:] if op == "choose" else operands, strict)
    if op in ("mul", "div"):
        return _product(operands[0], operands[1], 1 if op == "mul" else -1, strict)
    if op in ("pow", "sqrt"):
        return _power(operands[0], operands[1] if op == "pow" else 0.5)
    return _of_function(op, operands)


def _alike(operands: list[Found], strict: bool) -> Found:
    """Of a sum: what its terms measure, if it is the same; numbers are in SI there."""
    numbers = strict and any(isinstance(operand, float) and operand != 0 for operand in operands)
    kinds = {operand for operand in operands if isinstance(operand, tuple)} | ({NUMBER} if numbers else set())
    return None if len(kinds) > 1 else kinds.pop() if kinds else 1.5


def _product(a: Found, b: Found, sign: int, strict: bool) -> Found:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return _times(a, b, sign)
    if isinstance(a, tuple):
        return a if isinstance(b, float) and (strict or _is_plain(b)) else None
    if isinstance(b, tuple):
        return _times(NUMBER, b, sign) if isinstance(a, float) and (strict or _is_plain(a)) else None
    return 1.5  # a number that may convert units


def _is_plain(number: float) -> bool:
    return abs(number) in PLAIN


def _power(a: Found, exponent: Found) -> Found:
    if not isinstance(exponent, float):
        return None
    if isinstance(a, float):
        return 1.5
    raised = [] if a is None else [p * exponent for p in a]
    if not raised or any(p != int(p) for p in raised):
        return None
    return (int(raised[0]), int(raised[1]), int(raised[2]), int(raised[3]))


def _of_function(op: str, operands: list[Found]) -> Found:
    kinds = [operand if isinstance(operand, tuple) else NUMBER for operand in operands]
    if all(isinstance(operand, float) for operand in operands):
        return 1.5
    if op in ("neg", "abs", "floor"):
        return kinds[0]
    if op in ("sign", "step"):
        return NUMBER
    if op == "atan2":
        return ANGLE if kinds[0] == kinds[1] else None
    if op in ("asin", "acos", "atan"):
        return ANGLE if kinds[0] == NUMBER else None
    if op in ("sin", "cos", "tan"):
        return NUMBER if kinds[0] in (ANGLE, NUMBER) else None
    return NUMBER if op in ("sinh", "cosh", "tanh", "exp", "log") and kinds[0] == NUMBER else None
