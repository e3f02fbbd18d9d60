"""The text of a card: version line, comments, blocks begin(k) ... end(k), and labels with values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from vincolo.errors import ExpressionError, FileError, suggest
from vincolo.formats.cards.place import Place
from vincolo.formats.mistakes import Mistakes
from vincolo.formats.report import Report
from vincolo.model.expression import parse

MOST_BYTES = 20_000_000  # of one card
MOST_CHARACTERS = 5_000  # of one line
VERSION = "NumDyn3D ver. 7.0a"
CARDS = ("General", "Connection", "Inertial", "Force", "Initial configuration", "SPDamp", "Driving Pos", "QRTol")
CASE = "Cards are case sensitive."

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?", re.ASCII)
_EXPONENT = re.compile(r"(?<![\w.])(\d+\.?\d*|\.\d+)[dD](?=[-+]?\d)", re.ASCII)
_BLOCK = re.compile(r"(begin|end)\s*\(\s*(\w+)\s*\)", re.ASCII)
_FIELD = re.compile(r"([A-Za-z_]\w*)\s*(\(\s*\d+\s*\))?\s*=\s*", re.ASCII)


@dataclass(frozen=True)
class Line:
    """A line that says something, without blanks around it."""

    text: str
    place: Place


@dataclass(frozen=True)
class Field:
    """A value by its label; a matrix has its rows besides."""

    label: str
    text: str
    place: Place
    rows: tuple[Line, ...] = ()

    def error(self, what: str, way_out: str) -> FileError:
        """An error at this value."""
        return self.place.error(f"{self.label} {what}", way_out)


@dataclass(frozen=True)
class Block:
    """begin(key) ... end(key)."""

    key: str
    place: Place
    fields: dict[str, Field] = field(default_factory=dict)

    def need(self, label: str) -> Field:
        """A field that must be there."""
        if label not in self.fields:
            raise self.place.error(f"begin({self.key}) has no '{label}'.",
                                   f"Write {label}=... before end({self.key}). {CASE}{suggest(label, self.fields)}")
        return self.fields[label]

    @property
    def number(self) -> int:
        """The number of the block."""
        if not self.key.isdigit() or int(self.key) < 1:
            raise self.place.error(f"begin({self.key}) is not numbered.", "Write begin(1), begin(2) and so on.")
        return int(self.key)


def find_card(folder: Path, name: str) -> Path | None:
    """The file of a card in whatever case its name is written, or None."""
    exact = folder / f"{name}.s3d"
    if exact.is_file():
        return exact
    near = [path for path in sorted(folder.iterdir()) if path.name.lower() == exact.name.lower() and path.is_file()]
    return near[0] if near else None


def text_of(path: Path, place: Place, most: int, what: str) -> str:
    """The text of a file of `most` bytes at most; `what` says what such a file is."""
    size = path.stat().st_size
    if size > most:
        raise place.error(f"the file has {size / 1e6:.0f} MB; the limit is {most / 1e6:.0f} MB.",
                          f"{what}; check that this is the right file.")
    data = path.read_bytes()
    if b"\0" in data:
        raise place.error("the file is not plain text (it has zero bytes).", "Save it as plain text (UTF-8).")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def lines_of(path: Path) -> list[Line]:
    """The lines of a file that are not empty, comments included."""
    place, found = Place(path.name), []
    text = text_of(path, place, MOST_BYTES, "A card is a short text")
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        stripped = raw.strip()
        at = Place(path.name, number, len(raw) - len(raw.lstrip()) + 1)
        if len(stripped) > MOST_CHARACTERS:
            raise at.error(f"the line has {len(stripped)} characters; the limit is {MOST_CHARACTERS}.",
                           "Shorten it.")
        if stripped:
            found.append(Line(stripped, at))
    if not found:
        raise place.error("the file is empty.", f"Write the card, beginning with '{VERSION}', or remove the file.")
    return found


def content(path: Path, report: Report) -> list[Line]:
    """The lines of a card after its version line, without comments."""
    lines = [line for line in lines_of(path) if not line.text.startswith("!")]
    if lines and lines[0].text.startswith("NumDyn3D"):
        if lines[0].text.split() != VERSION.split():
            report.warn(lines[0].place, f"the version is '{lines[0].text[:60]}'; it is read as '{VERSION}'.")
        return lines[1:]
    report.note(Place(path.name), f"there is no version line '{VERSION}'.")
    return lines


def fields_of(lines: Iterator[Line], within: str) -> Iterator[Field | Line]:
    """Fields of the lines; a line that begins or ends a block comes as it is."""
    for line in lines:
        if _BLOCK.fullmatch(line.text):
            yield line
            continue
        match = _FIELD.match(line.text)
        if match is None:
            near = "" if not re.match(r"(?i)(begin|end)\b", line.text) else f" {CASE} Write begin(1) ... end(1)."
            raise line.place.error(f"'{line.text[:60]}' in {within} is not of the form 'label=value'.",
                                   f"Write one value in a line, or ! before a comment.{near}")
        label = match[1] + re.sub(r"\s", "", match[2] or "")
        text = line.text[match.end():]
        place = line.place.right(match.end())
        yield Field(label, text, place, _matrix(text, place, lines) if text.startswith("[") else ())


def _matrix(text: str, place: Place, lines: Iterator[Line]) -> tuple[Line, ...]:
    rows = [Line(text[1:], place.right(1))]
    while "]" not in rows[-1].text:
        following = next(lines, None)
        if following is None or _BLOCK.fullmatch(following.text):
            raise place.error("the matrix is not closed.", "Write ']' in a line after its rows.")
        rows.append(following)
    inside, _, behind = rows[-1].text.partition("]")
    if behind.strip():
        raise rows[-1].place.right(len(inside) + 1).error(f"'{behind.strip()[:60]}' follows the matrix.",
                                                          "Write nothing after ']'.")
    rows[-1] = Line(inside, rows[-1].place)
    return tuple(row for row in rows if row.text.strip())


def checked(item: Field, before: Field | None, within: str) -> Field:
    """A field that has a value, and is not given twice."""
    if not item.text:
        raise item.place.error(f"'{item.label}' has no value.",
                               f"Write {item.label}=... with a value, or leave the line out.")
    if before is not None:
        raise item.place.error(f"'{item.label}' is given twice{within}, first in line {before.place.line}.",
                               "Remove one of them.")
    return item


@dataclass(frozen=True)
class Blocks:
    """The blocks of a card that could be read, in their order, and whether these are all."""

    blocks: list[Block]
    whole: bool


def blocks_of(path: Path, report: Report, mistakes: Mistakes) -> Blocks:
    """The blocks of a card. What is wrong with a field costs its block; after a line that makes no sense nothing more
    is read."""
    found: dict[str, Block] = {}
    spoilt: set[str] = set()
    done = mistakes.attempt(_read_blocks, path, report, mistakes, found, spoilt)
    return Blocks([block for key, block in found.items() if key not in spoilt], done is not None and not spoilt)


def _read_blocks(path: Path, report: Report, mistakes: Mistakes, found: dict[str, Block], spoilt: set[str]) -> bool:
    open_block: Block | None = None
    try:
        for item in fields_of(iter(content(path, report)), path.name):
            if isinstance(item, Line):
                open_block = _begin_or_end(item, open_block, found)
                continue
            if open_block is None:
                raise item.place.error(f"'{item.label}' is outside a block.",
                                       "Write it between begin(k) and end(k).")
            before = open_block.fields.get(item.label)
            if mistakes.attempt(checked, item, before, f" in begin({open_block.key})") is None:
                spoilt.add(open_block.key)
            open_block.fields[item.label] = item
        if open_block is not None:
            raise open_block.place.error(f"begin({open_block.key}) is never ended.", f"Write end({open_block.key}).")
    finally:
        spoilt |= {open_block.key} if open_block is not None else set()
    return True


def _begin_or_end(line: Line, open_block: Block | None, found: dict[str, Block]) -> Block | None:
    word, key = _BLOCK.fullmatch(line.text).groups()  # type: ignore[union-attr]  # matched before
    if word == "end":
        if open_block is None or open_block.key != key:
            wanted = f"end({open_block.key})" if open_block else "begin(...) first"
            raise line.place.error(f"end({key}) ends nothing that was begun.", f"Write {wanted}.")
        return None
    if open_block is not None:
        raise line.place.error(f"begin({key}) is inside begin({open_block.key}).",
                               f"Write end({open_block.key}) before it.")
    if key in found:
        raise line.place.error(f"begin({key}) is given twice, first in line {found[key].place.line}.",
                               "Give each block a number of its own.")
    found[key] = Block(key, line.place)
    return found[key]


def check_labels(block: Block, known: Iterable[str], report: Report) -> None:
    """Refuses labels that look misspelt, and lists the others that are not known."""
    names, mistakes = list(known), Mistakes()
    for label, item in block.fields.items():
        if label in names:
            continue
        near = suggest(label, names)
        if near:
            mistakes.add(item.place.error(f"there is no label '{label}' in this card.", f"{CASE}{near}"))
            continue
        report.warn(item.place, f"the label '{label}' is not known; it is not used.")
        report.not_used(item.place, f"{label}={item.text}")
    mistakes.refuse(f"begin({block.key})")


# values


def plain(text: str) -> str:
    """Text of an expression with exponents of Fortran (1.D-3) as others write them."""
    return _EXPONENT.sub(lambda match: f"{match[1]}e", text)


def number(item: Field) -> float:
    """A finite number, or an expression of numbers such as sqrt(2)/2."""
    if _NUMBER.fullmatch(item.text):
        value = float(item.text.replace("d", "e").replace("D", "e"))
        if math.isfinite(value):
            return value
    elif item.text.lower().lstrip("+-") not in ("nan", "inf", "infinity"):
        if re.search(r"\bt\b", item.text):
            raise item.error(f"is '{item.text}', which changes in time.", "A number is needed here.")
        try:
            return parse(plain(item.text)).evaluate()
        except ExpressionError as error:
            raise item.error(f"is not a number: {error}", "Write a number such as 0.5 or sqrt(2)/2.") from None
    raise item.error(f"is '{item.text}'; a finite number is needed.", "Write a number such as 0.5 or 1.E-7.")


def whole(item: Field, least: int, most: int, what: str) -> int:
    """A whole number within limits; `what` says what it counts."""
    value = number(item)
    if value != int(value) or not least <= value <= most:
        raise item.error(f"is '{item.text}'; {what}.", f"Write a whole number from {least} to {most}.")
    return int(value)


def numbers(text: str, place: Place, label: str, count: int = 3) -> list[float]:
    """Numbers with blanks between them."""
    words = [(m.group(), m.start()) for m in re.finditer(r"\S+", text)]
    if len(words) != count:
        raise place.error(f"{label} has {len(words)} numbers; {count} are needed.",
                          "Write them with blanks between them: 0. 0. 1.")
    return [number(Field(label, word, place.right(start))) for word, start in words]


def vector(item: Field) -> list[float]:
    """Three numbers."""
    return numbers(item.text, item.place, item.label)
