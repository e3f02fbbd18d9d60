"""The text of an expression: its words, what may stand next to what, and how an error points into it."""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from vincolo.errors import ExpressionError

MAX_LENGTH = 2000  # characters
MAX_NESTING = 100  # parentheses inside parentheses
MARGIN = 50  # characters shown on each side of a mistake in a long text
SHOWN = 60  # characters shown of a long mistake

_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>[-+])"
    r"|(?P<operator>\*\*|[*/^]|[<>=!]=|[<>])"
    r"|(?P<open>\()"
    r"|(?P<close>\))"
    r"|(?P<comma>,)",
    re.ASCII)
_SPACE = re.compile(r"\s*", re.ASCII)

_COMPARISON = ("Comparisons are <, <=, >, >=, == and !=, joined by and, or, not: if(t < 1, a, b). There are no keyword "
               "arguments: they are given in order.")
_JOINED = "Write and, or, not between comparisons: if(t > 1 and t < 2, a, b)."
_SUBSCRIPT = "An expression has no lists and no subscripts: give every quantity a name of its own."
_ALLOWED = "Use numbers, names, + - * / ^, comparisons, parentheses and commas."
_QUOTE = "An expression is arithmetic on numbers: leave out text in quotes."
_HINTS = {
    "=": _COMPARISON, "!": _COMPARISON, "&": _JOINED, "|": _JOINED,
    "[": _SUBSCRIPT, "]": _SUBSCRIPT, "{": _SUBSCRIPT, "}": _SUBSCRIPT,
    "'": _QUOTE, '"': _QUOTE,
    ".": "A point belongs inside a number (0.5): names have no attributes.",
    "%": "There is no remainder: use if(), min() and max() for laws in pieces.",
    ":": "Separate the arguments of a function by commas: if(t < 1, a, b).",
    "\N{LESS-THAN OR EQUAL TO}": "Write <= for it.",
    "\N{GREATER-THAN OR EQUAL TO}": "Write >= for it.",
    "\N{NOT EQUAL TO}": "Write != for it.",
    "\N{MINUS SIGN}": "Write the minus sign of the keyboard: -.",
    "\N{EN DASH}": "Write the minus sign of the keyboard: -.",
    "\N{MIDDLE DOT}": "Write * to multiply.",
    "\N{MULTIPLICATION SIGN}": "Write * to multiply.",
    "\N{DIVISION SIGN}": "Write / to divide.",
    "\N{SUPERSCRIPT TWO}": "Write ^2 for the square.",
    "\N{SUPERSCRIPT THREE}": "Write ^3 for the cube.",
    "\N{GREEK SMALL LETTER PI}": "Write pi.",
}

#: words of a formula that Python keeps for itself: their kind, and how they read there; no name has two underscores
IF = "__if"
WORDS = {"if": ("name", IF), "and": ("operator", " and "), "or": ("operator", " or "), "not": ("prefix", "not ")}


@dataclass(frozen=True)
class Token:
    """One word of the text: its kind, how it reads in Python, and where it stands in the user's text."""

    kind: str
    python: str
    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """The user's text with the names it may use, so that every error can show both."""

    text: str
    values: Collection[str]
    functions: Collection[str]

    def error(self, what: str, start: int, end: int, way_out: str) -> ExpressionError:
        """An error in four parts: what, where in the text, the known names, the way out."""
        return ExpressionError(
            f"{what}\n{_pointer(self.text, start, end)}\n"
            f"  Known names: {', '.join(self.values)}. Known functions: {', '.join(self.functions)}.\n"
            f"  {way_out}")


def short(text: str) -> str:
    """The text, or its beginning if it is too long for one line of a message."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def _pointer(text: str, start: int, end: int) -> str:
    """The text on one line, shortened around the place, and below it the carets."""
    end = max(start + 1, min(end, start + SHOWN))
    first, last = max(0, start - MARGIN), min(len(text), end + MARGIN)
    head, tail = "..." if first > 0 else "", "..." if last < len(text) else ""
    shown = "".join(c if c.isprintable() else " " for c in text[first:last])
    return f"  {head}{shown}{tail}\n  {' ' * (len(head) + start - first)}{'^' * (end - start)}"


def tokens(source: Source) -> Iterator[Token]:
    """The words of the text from left to right; refuses characters and words that no formula has."""
    position = _skip_space(source.text, 0)
    while position < len(source.text):
        match = _TOKEN.match(source.text, position)
        if match is None:
            character = source.text[position]
            raise source.error(f"the character {character!r} is not allowed in an expression.",
                               position, position + 1, _HINTS.get(character, _ALLOWED))
        yield _token(source, match)
        position = _skip_space(source.text, match.end())


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _token(source: Source, match: re.Match[str]) -> Token:
    kind, word = str(match.lastgroup), match.group()
    if kind == "name" and word in WORDS:
        return Token(*WORDS[word], *match.span())
    if kind == "name" and (keyword.iskeyword(word) or word == IF):
        raise source.error(f"the word '{word}' is not allowed in an expression.", match.start(), match.end(),
                           "An expression is arithmetic only; if(), min() and max() make laws in pieces.")
    if kind == "number":
        if not math.isfinite(float(word)):
            raise source.error(f"the number {short(word)} is too large.", match.start(), match.end(),
                               "Numbers go up to about 1.8e308.")
        return Token(kind, repr(float(word)), *match.span())
    return Token(kind, "**" if word == "^" else word, *match.span())


def read(source: Source) -> list[Token]:
    """All words of the text, checked to follow one another as in a formula."""
    if not isinstance(source.text, str):
        raise ExpressionError(f"an expression must be text such as '2*pi*t', but it is {source.text!r} "
                              f"({type(source.text).__name__}).\n  Put the formula in quotes.")
    if len(source.text) > MAX_LENGTH:
        raise source.error(f"the expression has {len(source.text)} characters; the limit is {MAX_LENGTH}.",
                           MAX_LENGTH, MAX_LENGTH + 1,
                           "Use a Spline or a Polynomial for tables and long series.")
    words = list(tokens(source))
    if not words:
        raise source.error("the expression is empty.", 0, 1, "Write a number or a formula such as '2*pi*t'.")
    _check_neighbours(source, words)
    _check_parentheses(source, words)
    return words


NEEDING = ("", "sign", "operator", "prefix", "open", "comma")  # kinds of words behind which a value has to come


def _check_neighbours(source: Source, words: list[Token]) -> None:
    before = ""
    for word in words:
        shown = short(source.text[word.start:word.end])
        needs_value = before in NEEDING
        if needs_value and word.kind in ("operator", "close", "comma"):
            raise source.error(f"a number, a name or a parenthesis is missing before '{shown}'.",
                               word.start, word.end, f"Write a value before '{shown}', or remove it.")
        starts_value = word.kind in ("number", "name", "prefix") or (word.kind == "open" and before != "name")
        if not needs_value and starts_value:
            raise source.error(f"an operator is missing before '{shown}'.", word.start, word.end,
                               f"Write * to multiply: ...*{shown}")
        before = word.kind
    if before in NEEDING:
        raise source.error("the expression ends too early.", words[-1].start, words[-1].end,
                           "Write a value after the last sign, or remove the sign.")


def _check_parentheses(source: Source, words: list[Token]) -> None:
    opened: list[Token] = []
    for word in words:
        if word.kind == "open":
            opened.append(word)
        elif word.kind == "close" and not opened:
            raise source.error("a parenthesis is closed that was never opened.", word.start, word.end,
                               "Remove ')' or write '(' before it.")
        elif word.kind == "close":
            opened.pop()
        if len(opened) > MAX_NESTING:
            raise too_deep(source, word)
    if opened:
        raise source.error("a parenthesis is not closed.", opened[-1].start, opened[-1].end,
                           "Write ')' after it.")


def too_deep(source: Source, word: Token) -> ExpressionError:
    """The error for a text nested beyond what can be read."""
    return source.error(f"the expression is nested too deeply; the limit is {MAX_NESTING} parentheses.",
                        word.start, word.end, "Remove parentheses that are not needed.")


def syntax_tree(source: Source, words: list[Token]) -> ast.expr:
    """Python's reading of the words, which gives the precedence of operators; nothing is executed."""
    try:
        return ast.parse("".join(word.python for word in words), mode="eval").body
    except (RecursionError, MemoryError) as error:
        raise too_deep(source, words[0]) from error
    except (SyntaxError, ValueError) as error:
        raise source.error(f"the expression cannot be read ({error}).", words[0].start, words[-1].end,
                           _ALLOWED) from error


def places(words: list[Token]) -> tuple[dict[int, int], dict[int, int]]:
    """Where columns of the Python reading stand in the user's text: {column: start}, {column: end}."""
    starts, ends, column = {}, {}, 0
    for word in words:
        starts[column] = word.start
        column += len(word.python)
        ends[column] = word.end
    return starts, ends
