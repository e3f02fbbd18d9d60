"""The text of a command file of Adams View: commands word word ... parameter = value, ..., over continued lines.

A listing out of a printed document does too: with the number of every tenth line before it, with lines that the page
broke in quotes, with bars at the margin and the fences of its text.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field

from vincolo.errors import FileError
from vincolo.formats.adams.written import Written, plain_text
from vincolo.formats.sources import short

KIND = "a command file of Adams View (.cmd)"
MOST_CHARACTERS = 1_000_000  # of one command
MOST_BROKEN = 50  # lines over which one text in quotes may be broken

_NUMBERED = re.compile(r"\s*(\d{1,6})(?:\s+\|?|$)(?=\s*(?:[A-Za-z!|\"`.-]|$))", re.ASCII)
_COMMENT = re.compile(r"\s*(?:!|```|-{3,}|\|-{3,})")
_WORD = re.compile(r"\s*([A-Za-z_][\w/]*)", re.ASCII)
_PARAMETER = re.compile(r"\s*([A-Za-z_]\w*)\s*=", re.ASCII)
_ITEM = re.compile(r'\s*(?:"([^"]*)"|([^\s,"()]+))', re.ASCII)
_COMMA = re.compile(r"\s*,")


@dataclass
class Command(Written):
    """One command: its words, its parameters with their values as texts, and the line it begins on."""

    file: str
    line: int
    words: tuple[str, ...]
    parameters: dict[str, list[str]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """How messages call it."""
        return f"'{' '.join(self.words)}'"

def read_commands(path: str | os.PathLike[str]) -> tuple[list[Command], str]:
    """The commands of a file, and what was taken off it that belongs to a printed page, if anything."""
    text, file = plain_text(path, KIND)
    lines = re.split(r"\r\n|\r|\n", text)
    lines, taken = _without_numbers(lines)
    found = [_parsed(file, number, written) for number, written in _joined(lines, file)]
    if not found:
        raise FileError(f"{file}: there is no command in it.\n  Give the path of {KIND}.")
    return found, taken


def _without_numbers(lines: list[str]) -> tuple[list[str], str]:
    """Lines without the numbers that a printed listing has before every tenth or so; a lonely number stays."""
    numbered = [(k, match) for k, line in enumerate(lines) if (match := _NUMBERED.match(line))]
    numbers = [int(match[1]) for _, match in numbered]
    steps = [b - a for a, b in zip(numbers, numbers[1:], strict=False)]
    if len(steps) < 2 or min(steps) < 2 or math.gcd(*steps) < 2:
        return lines, ""
    kept = list(lines)
    for k, match in numbered:
        kept[k] = lines[k][match.end():]
    return kept, f"{len(numbers)} numbers of lines, {numbers[0]} to {numbers[-1]}, that a printed listing has"


def _joined(lines: list[str], file: str) -> list[tuple[int, str]]:
    """Commands with their continued lines put together, each with the number of its first line."""
    found: list[tuple[int, str]] = []
    pieces: list[str] = []
    begun, broken, continued = 0, 0, False
    for number, raw in enumerate(lines, 1):
        open_quote = "".join(pieces).count('"') % 2 == 1 if broken or continued else False
        line = raw.strip() if open_quote else _uncommented(raw)
        if not line or (not open_quote and _COMMENT.match(raw)):
            continue
        if not pieces:
            begun = number
        continued = line.endswith("&") and not _opens(pieces, line[:-1])
        pieces.append(line[:-1] if continued else line)
        broken = broken + 1 if _opens(pieces, "") else 0
        if broken > MOST_BROKEN or sum(map(len, pieces)) > MOST_CHARACTERS:
            raise FileError(f"{file}, line {begun}: the command does not end, or its quotes are never closed.\n"
                            f"  Check that this is {KIND}.")
        if not continued and not broken:
            found.append((begun, " ".join(pieces)))
            pieces = []
    if pieces:
        found.append((begun, " ".join(pieces)))
    return found


def _opens(pieces: list[str], last: str) -> bool:
    """Whether a text in quotes is still open."""
    return ("".join(pieces) + last).count('"') % 2 == 1


def _uncommented(line: str) -> str:
    """A line without the comment at its end; an exclamation mark in quotes does not begin one."""
    parts = line.split('"')
    for k in range(0, len(parts), 2):
        if "!" in parts[k]:
            return '"'.join([*parts[:k], parts[k].partition("!")[0]]).strip()
    return line.strip()


def _parsed(file: str, line: int, text: str) -> Command:
    words: list[str] = []
    position = 0
    while not _PARAMETER.match(text, position) and (match := _WORD.match(text, position)):
        words.append(match[1].lower())
        position = match.end()
    command = Command(file, line, tuple(words))
    if not words:
        raise command.error(f"{short(text)} does not begin with a word.", f"Check that this is {KIND}.")
    while text[position:].strip():
        parameter = _PARAMETER.match(text, position)
        if parameter is None:
            raise command.error(f"{short(text[position:].strip())} is where a parameter and = should be.",
                                "Write parameter = value, and & at the end of lines that go on.")
        name = parameter[1].lower()
        if name in command.parameters:
            raise command.error(f"{name} is given twice.", "Keep one of them.")
        command.parameters[name], position = _values(command, text, parameter.end())
    return command


def _values(command: Command, text: str, position: int) -> tuple[list[str], int]:
    """The values of a parameter, which commas separate, and where they end."""
    found: list[str] = []
    while True:
        start = position + len(text[position:]) - len(text[position:].lstrip())
        if text[start:start + 1] == "(":
            end = _closed(command, text, start)
            found.append(text[start + 1:end - 1].strip())
        else:
            match = _ITEM.match(text, position)
            if match is None:
                raise command.error(f"a value is missing at {short(text[position:].strip())}.",
                                    "Write parameter = value.")
            found.append(match[2] if match[1] is None else match[1])
            end = match.end()
        comma = _COMMA.match(text, end)
        if comma is None:
            return found, end
        position = comma.end()


def _closed(command: Command, text: str, start: int) -> int:
    """Where the parenthesis that opens here is closed."""
    depth = 0
    for k in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[k], 0)
        if depth == 0:
            return k + 1
    raise command.error("a parenthesis is not closed.", "Write ')' after it.")
