"""Texts of matrices as those of Maple and Matlab: names with nested lists of numbers, names and expressions. They are
read by a parser; nothing is executed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vincolo.errors import FileError
from vincolo.formats.cards.place import Place
from vincolo.formats.cards.text import text_of
from vincolo.formats.matrices.tree import DEEPEST, MOST_ENTRIES, Entry, Rows, Value, indexed, rows_of

MOST_BYTES = 5_000_000
WRAPPERS = ("matrix", "Matrix", "vector", "Vector", "array", "Array")
PAIRS = {"[": "]", "{": "}", "(": ")"}

_TOKEN = re.compile(
    r"(?P<skip>[ \t\f\v]+|[#%!][^\n]*|\.\.\.[^\n]*\n?|^>)"  # blanks, comments, lines continued, Maple's prompt
    r"|(?P<newline>\n)"
    r"|(?P<string>'[^'\n]*'|\"[^\"\n]*\")"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<assign>:=|=)"
    r"|(?P<open>[\[{(])"
    r"|(?P<close>[\]})])"
    r"|(?P<comma>,)"
    r"|(?P<semicolon>;)"
    r"|(?P<colon>:)"
    r"|(?P<operator>\*\*|[-+*/^])", re.ASCII | re.MULTILINE)


class Token(NamedTuple):
    """A word of the text, where it begins, and whether blanks come before it."""

    kind: str
    text: str
    at: int
    apart: bool


def assignments(path: Path) -> tuple[dict[str, Value], dict[str, Place], set[str]]:
    """What a file assigns: values by name, where each name stands, and the names that other values use."""
    whole = Place(path.name, kind=FileError)
    text = text_of(path, whole, MOST_BYTES, "A model by matrices is a short text")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.count(",") > MOST_ENTRIES:
        raise whole.error(f"the file has more than {MOST_ENTRIES} entries.", "Give fewer samples.")
    parser = _Parser(Lines(text, path.name))
    parser.read()
    return parser.values, parser.places, parser.used


class Lines:
    """A text that knows the line and column of every character."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self._begins = [0, *(m.end() for m in re.finditer("\n", text))]

    def place(self, at: int) -> Place:
        """Where a character stands."""
        line = bisect_right(self._begins, at)
        return Place(self.file, line, at - self._begins[line - 1] + 1, FileError)

    def tokens(self) -> Iterator[Token]:
        """The words of the text."""
        position, apart = 0, True
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
            if match is None:
                raise _stray(self.text[position], self.place(position))
            kind = str(match.lastgroup)
            if kind != "skip":
                yield Token(kind, match.group(), position, apart)
            apart, position = kind in ("skip", "newline"), match.end()
        yield Token("end", "", position, True)


def _stray(character: str, place: Place) -> FileError:
    if character in "'\"":
        return place.error(f"the text that begins with {character} is not closed in this line.",
                           f"Write {character} behind it.")
    return place.error(f"the character {character!r} is not allowed here.",
                       "Write name = value, with numbers, names, expressions and lists in square brackets; comments "
                       "behind #, % or !.")


class _Parser:
    """Reads name := value, name = value."""

    def __init__(self, lines: Lines) -> None:
        self._lines, self._tokens, self._at = lines, list(lines.tokens()), 0
        self._last = len(self._tokens) - 1
        self.values: dict[str, Value] = {}
        self.places: dict[str, Place] = {}
        self.used: set[str] = set()

    def _place(self, token: Token) -> Place:
        return self._lines.place(token.at)

    def _wrong(self, token: Token, what: str, way_out: str) -> FileError:
        return self._place(token).error(what, way_out)

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def _skip(self, *kinds: str) -> None:
        while self._next.kind in kinds:
            self._at += 1

    def read(self) -> None:
        """The whole file."""
        self._skip("newline", "semicolon", "colon")
        while self._next.kind != "end":
            self._assignment()
            self._skip("newline", "semicolon", "colon")
        if not self.values:
            place = Place(self._lines.file, kind=FileError)
            raise place.error("the file assigns nothing.", "Write CON = [[...], [...]].")

    def _assignment(self) -> None:
        name, sign = self._take(), self._next
        if name.kind != "name" or sign.kind != "assign":
            wrong = name if name.kind != "name" else sign
            raise self._wrong(wrong, f"{_shown(wrong)} is where {'a name' if wrong is name else '='} should be.",
                              "Write name = value, one after the other, such as NB := 2.")
        if name.text in self.values:
            raise self._wrong(name, f"'{name.text}' is given twice, first in line {self.places[name.text].line}.",
                              "Remove one of them.")
        self._take()
        self._skip("newline")
        value = self._value(0)
        if self._next.kind not in ("newline", "semicolon", "colon", "end"):
            raise self._wrong(self._next, f"{_shown(self._next)} follows the value of '{name.text}'.",
                              "End it with ; or : or a new line.")
        self.values[name.text], self.places[name.text] = value, self._place(name)

    def _value(self, depth: int) -> Value:
        token = self._next
        if token.kind == "open" and token.text != "(":
            return self._rows(depth + 1)
        if token.text in WRAPPERS and self._tokens[min(self._at + 1, self._last)].text == "(":
            return self._wrapped(depth)
        return self._entry(depth)

    def _wrapped(self, depth: int) -> Rows:
        """matrix(2, 3, [...]) is its list."""
        name, _ = self._take(), self._take()
        self._skip("number", "comma", "newline")
        if self._next.kind != "open" or self._next.text == "(":
            raise self._wrong(self._next, f"{_shown(self._next)} is where the list of {name.text}() should be.",
                              f"Write {name.text}([[...], [...]]).")
        found = self._rows(depth + 1)
        self._skip("newline")
        if self._take().text != ")":
            raise self._wrong(name, f"the parenthesis of {name.text}( is not closed.", "Write ) after its list.")
        return found

    def _rows(self, depth: int) -> Rows:
        """[a, b], or [a, b; c, d] for [[a, b], [c, d]]."""
        opened = self._take()
        if depth > DEEPEST:
            raise self._wrong(opened, f"lists are nested deeper than {DEEPEST}.", "A matrix is a list of rows.")
        groups: list[list[Value]] = [[]]
        self._skip("newline")
        while self._next.text != PAIRS[opened.text]:
            groups[-1].append(self._value(depth))
            self._skip("newline")
            if self._next.kind == "semicolon":
                self._take()
                groups.append([])
            elif self._next.kind == "comma":
                comma = self._take()
                self._skip("newline")
                if self._next.kind == "close":
                    raise self._wrong(comma, "an entry is missing after the comma.", "Remove it, or write the entry.")
            elif self._next.text != PAIRS[opened.text]:
                raise self._unclosed(opened)
            self._skip("newline")
        self._take()
        if len(groups) > 1:
            return rows_of([rows_of(group, self._place(opened)) for group in groups if group], self._place(opened))
        return rows_of(groups[0], self._place(opened))

    def _unclosed(self, opened: Token) -> FileError:
        if self._next.kind in ("end", "assign", "colon") or self._begins_other():
            return self._wrong(opened, f"the list that begins with {opened.text} is not closed.",
                               f"Write {PAIRS[opened.text]} after its last entry.")
        return self._wrong(self._next, f"{_shown(self._next)} follows an entry of the list that begins in line "
                           f"{self._place(opened).line}.", "Write a comma between entries.")

    def _entry(self, depth: int) -> Value:
        first, opened = self._next, list[Token]()
        words: list[Token] = []
        while not self._ends(depth, opened, words):
            token = self._take()
            if token.kind == "newline":
                continue
            if token.kind == "open":
                opened.append(token)
            elif token.kind == "close" and token.text != PAIRS[opened.pop().text]:
                raise self._wrong(token, f"{_shown(token)} closes nothing that was opened.", "Correct the parentheses.")
            words.append(token)
        if opened:
            raise self._wrong(opened[-1], f"'{opened[-1].text}' is not closed.", f"Write {PAIRS[opened[-1].text]}.")
        if not words:
            raise self._wrong(first, f"a value is missing before {_shown(first)}.", "Write it, or remove what follows.")
        return self._meant(words)

    def _ends(self, depth: int, opened: list[Token], words: list[Token]) -> bool:
        """Whether an entry ends before the next word."""
        token = self._next
        if token.kind in ("end", "colon", "semicolon") or self._begins_other():
            return True
        if token.kind == "assign" and (depth == 0 or token.text == ":="):
            return True
        if token.kind == "open" and token.text != "(":  # of lists only q[8] can stand in an expression
            return not (words and words[-1].text in ("q", "qp") and not token.apart)
        if opened:
            return False
        return token.kind in ("comma", "close") or (token.kind == "newline" and depth == 0)

    def _begins_other(self) -> bool:
        """Whether the next line assigns something else; in a list, q8 = sin(t) does not."""
        before, name, sign = self._tokens[max(self._at - 1, 0)], self._next, self._tokens[min(self._at + 1, self._last)]
        return (before.kind == "newline" and name.kind == "name" and sign.kind == "assign"
                and not re.fullmatch(r"qp?\d+", name.text))

    def _meant(self, words: list[Token]) -> Value:
        """An entry of its words; a name alone that was given a value before is that value."""
        first = words[0]
        if len(words) == 1 and first.kind == "string":
            return Entry(indexed(first.text[1:-1]), self._place(first).right(1), quoted=True)
        for word in words:
            if word.kind == "string":
                raise self._wrong(word, f"the text {_shown(word)} is inside an expression.",
                                  "Put the whole expression into quotes, or none of it.")
            self.used.add(word.text)
        if len(words) == 1 and first.text in self.values:
            return self.values[first.text]
        text = "".join((" " if word.apart and k else "") + word.text for k, word in enumerate(words))
        return Entry(indexed(text) if "[" in text else text, self._place(first))


def _shown(token: Token) -> str:
    if token.kind in ("newline", "end"):
        return "the end of the " + ("line" if token.kind == "newline" else "file")
    return f"'{token.text[:40]}'"
