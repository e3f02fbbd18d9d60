"""Functions of Adams as expressions of vincolo: read word by word, never executed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from vincolo.errors import ExpressionError
from vincolo.model.expression import parse
from vincolo.model.tape import lines

DEEPEST = 60  # parentheses and calls in each other
LONGEST = 20_000  # characters

_TOKEN = re.compile(r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?P<degrees>[dD](?![A-Za-z0-9_]))?"
                    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign>\*\s*\*|[-+*/^(),:]))", re.ASCII)

#: what is called alike, with its number of arguments
ALIKE = {**dict.fromkeys(("SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN", "SINH", "COSH", "TANH", "EXP", "SQRT", "ABS"),
                         (1, 1)), "LOG": (1, 1), "ATAN2": (2, 2), "MIN": (2, 2), "MAX": (2, 2)}


class Untranslated(ValueError):
    """A function that vincolo has no expression for; the text says which part of it."""


Measured = Callable[[str, list[int]], str]  # the expression of DM(1, 2) and its like


def _u(x: str, x0: str, x1: str) -> str:
    """How far x is on its way from x0 to x1, 0 to 1."""
    return f"min(max(({x}-({x0}))/(({x1})-({x0})),0),1)"


def _step(x: str, x0: str, h0: str, x1: str, h1: str) -> str:
    u = _u(x, x0, x1)
    return f"(({h0})+(({h1})-({h0}))*{u}^2*(3-2*{u}))"


def _step5(x: str, x0: str, h0: str, x1: str, h1: str) -> str:
    u = _u(x, x0, x1)
    return f"(({h0})+(({h1})-({h0}))*{u}^3*(10-15*{u}+6*{u}^2))"


def _haversine(x: str, x0: str, h0: str, x1: str, h1: str) -> str:
    return f"((({h0})+({h1}))/2-(({h1})-({h0}))/2*cos(pi*{_u(x, x0, x1)}))"


def _harmonic(x: str, x0: str, a: str, w: str, phase: str = "0", b: str = "0") -> str:
    return f"(({a})*sin(({w})*({x}-({x0}))-({phase}))+({b}))"


def _polynomial(x: str, x0: str, *coefficients: str) -> str:
    """By Horner's rule."""
    found = f"({coefficients[-1]})"
    for c in reversed(coefficients[:-1]):
        found = f"(({c})+({x}-({x0}))*{found})"
    return found


def _stop(depth: str, speed: str, k: str, e: str, c: str, d: str) -> str:
    """The force of a stop that is pressed in by a depth at a speed: it only pushes, and its damping sets in with the
    depth d."""
    inside = f"max({depth},0)"
    return f"max(({k})*{inside}^({e})+({speed})*{_step(inside, '0', '0', d, c)},0)"


def _impact(x: str, v: str, x1: str, k: str, e: str, c: str, d: str) -> str:
    """A stop below x1."""
    return f"if(({x}) < ({x1}),{_stop(f'(({x1})-({x}))', f'-({v})', k, e, c, d)},0)"


def _bistop(x: str, v: str, x1: str, x2: str, k: str, e: str, c: str, d: str) -> str:
    """Stops below x1 and above x2."""
    above = _stop(f"(({x})-({x2}))", v, k, e, c, d)
    return f"({_impact(x, v, x1, k, e, c, d)}-if(({x}) > ({x2}),{above},0))"


def _if(test: str, below: str, equal: str, above: str) -> str:
    """What is to be at zero has no effect where zero is passed in an instant."""
    if equal == above or _passes(test):
        return f"if(({test}) < 0,{below},{above})"
    if equal == below:
        return f"if(({test}) <= 0,{below},{above})"
    return f"if(({test}) < 0,{below},if(({test}) == 0,{equal},{above}))"


def _passes(test: str) -> bool:
    """Whether a number rises or falls evenly with time."""
    try:
        line = lines(parse(test))[-1]
    except ExpressionError:  # it depends on markers
        return False
    return line is not None and line[0] != 0


#: what is written otherwise, with its number of arguments
OTHERWISE: dict[str, tuple[tuple[int, float], Callable[..., str]]] = {
    "STEP": ((5, 5), _step), "STEP5": ((5, 5), _step5), "HAVSIN": ((5, 5), _haversine), "SHF": ((4, 6), _harmonic),
    "POLY": ((3, math.inf), _polynomial), "IF": ((4, 4), _if), "LOG10": ((1, 1), lambda x: f"(log({x})/log(10))"),
    "IMPACT": ((7, 7), _impact), "BISTOP": ((8, 8), _bistop),
    "SIGN": ((2, 2), lambda a, b: f"(abs({a})*(2*step({b})-1))")}
#: functions of markers: their values are measures of the mechanism
MARKED = {"AX", "AY", "AZ", "DM", "DX", "DY", "DZ", "VM", "VR", "VX", "VY", "VZ", "WM", "WX", "WY", "WZ"}


@dataclass(frozen=True)
class Token:
    """One word: a number, a name or a sign."""

    kind: str
    text: str


def translated(text: str, time: float, measured: Measured | None = None) -> str:
    """The expression of a function of Adams, over t [s]; `time` is its unit [s], `measured` says what functions of
    markers are."""
    if not text.strip():
        raise Untranslated("the function is empty")
    if len(text) > LONGEST:
        raise Untranslated(f"the function has {len(text)} characters")
    reader = _Reader(_tokens(text), time, measured)
    found = reader.sum()
    if reader.here.kind != "end":
        raise Untranslated(f"{reader.here.text!r} follows where the function should end")
    return found


def _tokens(text: str) -> list[Token]:
    found, position, text = [], 0, text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise Untranslated(f"{text[position:].lstrip()[:1]!r} is not part of a function")
        position = match.end()
        if match["number"]:
            found.append(Token("number", _number(match["number"], bool(match["degrees"]))))
        elif match["name"]:
            found.append(Token("name", match["name"].upper()))
        else:
            found.append(Token("sign", re.sub(r"\s", "", match["sign"])))
    return [*found, Token("end", "the end")]


def _number(digits: str, degrees: bool) -> str:
    value = float(digits) * (math.pi / 180 if degrees else 1.0)
    if not math.isfinite(value):
        raise Untranslated(f"{digits} is too large")
    return repr(value)


class _Reader:
    """Reads sums of products of powers, and writes them anew."""

    def __init__(self, tokens: list[Token], time: float, measured: Measured | None) -> None:
        self._tokens, self._position, self._depth = tokens, 0, 0
        self._measured = measured
        self._names = {"TIME": "t" if time == 1 else f"(t/{time!r})", "PI": "pi", "DTOR": "(pi/180)",
                       "RTOD": "(180/pi)"}

    @property
    def here(self) -> Token:
        """The next word."""
        return self._tokens[self._position]

    def _taken(self, *signs: str) -> str | None:
        if self.here.kind == "sign" and self.here.text in signs:
            self._position += 1
            return self._tokens[self._position - 1].text
        return None

    def _expect(self, sign: str) -> None:
        if not self._taken(sign):
            raise Untranslated(f"{self.here.text!r} is where {sign!r} should be")

    def sum(self) -> str:
        """a + b - c"""
        self._depth += 1
        if self._depth > DEEPEST:
            raise Untranslated(f"parentheses are nested more than {DEEPEST} deep")
        sign = self._taken("+", "-")
        pieces = ["-" if sign == "-" else "", self._product()]
        while sign := self._taken("+", "-"):
            pieces += [sign, self._product()]
        self._depth -= 1
        return "".join(pieces)

    def _product(self) -> str:
        pieces = [self._power()]
        while sign := self._taken("*", "/"):
            pieces += [sign, self._power()]
        return "".join(pieces)

    def _power(self) -> str:
        """a ** b ** c; a sign before it, as in 2 * -a ** b, is the sign of the whole"""
        sign = self._taken("+", "-")
        powers = [self._atom()]
        while self._taken("**", "^"):
            minus = self._taken("+", "-") == "-"
            exponent = self._atom()
            powers.append(f"(-{exponent})" if minus else exponent)
        found = "^".join(powers)
        return f"(-{found})" if sign == "-" else found

    def _atom(self) -> str:
        token = self.here
        self._position += token.kind != "end"
        if token.kind == "number":
            return token.text
        if token.kind == "sign" and token.text == "(":
            found = self.sum()
            self._expect(")")
            return f"({found})"
        if token.kind != "name":
            raise Untranslated(f"{token.text!r} is where a number or name should be")
        if self._taken("("):
            return self._call(token.text)
        if token.text not in self._names:
            raise Untranslated(f"{token.text} is not known")
        return self._names[token.text]

    def _call(self, name: str) -> str:
        arguments = [self.sum()]
        while self._taken(",", ":"):
            arguments.append(self.sum())
        self._expect(")")
        if name in MARKED and self._measured is not None:
            return self._measured(name, [_marker(name, argument) for argument in arguments])
        if name not in ALIKE and name not in OTHERWISE:
            raise Untranslated(f"{name}() is not translated")
        least, most = ALIKE[name] if name in ALIKE else OTHERWISE[name][0]
        if not least <= len(arguments) <= most:
            raise Untranslated(f"{name}() has {len(arguments)} arguments")
        if name in ALIKE:
            return f"{name.lower()}({','.join(arguments)})"
        found = OTHERWISE[name][1](*arguments)
        if len(found) > LONGEST:  # arguments are repeated in it, so it grows fast
            raise Untranslated(f"{name}() is too long when written out")
        return found


def _marker(name: str, argument: str) -> int:
    try:
        return int(float(argument))
    except (ValueError, OverflowError):
        raise Untranslated(f"{name}({argument[:20]}) does not name markers by their numbers") from None
