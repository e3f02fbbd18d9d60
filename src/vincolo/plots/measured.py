"""Measured data in text files as instruments and spreadsheets write them."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import FileError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.plots.units import si_of
from vincolo.tables.table import Table, parted

LARGEST = 500_000_000  # bytes
HIGHEST = 200  # lines above the heads
TIME = ("t", "time", "zeit", "tempo")  # what the time may be called if no name is given for it
EMPTY = ("", "-", "--", "nan", "na", "n/a", "null", "none", "inf", "-inf", "overflow", "#n/a", "#nv")
NO_UNITS = ("1", "-", "min", "in", "h")  # in round brackets these mean something else
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?")
GROUPED = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+")  # 1.234,5

Rows = list[tuple[int, list[str]]]  # number of the line, and its cells


def read_measured(path: str | os.PathLike[str], time: str = "t", *, scale: Mapping[str, float] | None = None,
                  names: Mapping[str, str] | None = None, shift: float = 0.0) -> Table:
    """Measured data from a text file with a line of heads and a column of time, called `time`. Columns are parted by
    semicolons, tabs, commas or spaces; the decimal sign is a point, or a comma where commas part no columns. Units in
    brackets such as [mm] or [deg] are brought to SI. `scale` multiplies columns by factors instead, `names` renames
    them, such as {"Winkel": "O.angle"}, and `shift` [s] is added to the time."""
    target = Path(path)
    text = _text(target)
    rows, comma = _parted(target, text, str(time))
    head, units, body = _heads(target, rows, comma, str(time))
    data = _numbers(target, head, body, comma)
    return _table(target, head, units, data, _Wishes(str(time), dict(scale or {}), dict(names or {}),
                                                     finite_number("read_measured(): shift", shift)))


class _Wishes:
    """What is to be done to the columns."""

    def __init__(self, time: str, scale: dict[str, float], names: dict[str, str], shift: float) -> None:
        self.time, self.names, self.shift = time, names, shift
        self.scale = {name: finite_number(f"read_measured(): scale of {name!r}", factor)
                      for name, factor in scale.items()}


def _text(path: Path) -> str:
    """The text of a file, in UTF-8, UTF-16 or, failing these, the letters of Windows."""
    try:
        if path.stat().st_size > LARGEST:
            raise FileError(f"{path.name}: it has {path.stat().st_size / 1e6:.0f} MB; at most {LARGEST / 1e6:.0f} MB "
                            "are read.\n  Take out columns or samples that are not needed.")
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileError(f"{path.name}: there is no file {str(path)!r}.\n  Check its name and folder.") from None
    except OSError as error:
        raise FileError(f"{path.name}: it cannot be read ({error.strerror}).\n  Check its name and folder.") from None
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    if b"\0" in data[:4096]:
        raise FileError(f"{path.name}: this is not text.\n"
                        "  Export the data as CSV; read_table() reads .xlsx, .h5 and .mat.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _parted(path: Path, text: str, time: str) -> tuple[Rows, str]:
    """The lines from the heads on, parted into cells, and the sign between them."""
    lines = re.split(r"\r\n|\n|\r", text)
    for start, line in enumerate(lines[:HIGHEST]):
        for comma in (";", "\t", ",", " "):
            cells = _cells(line, comma)
            if _time_column(cells, time) is not None and (comma != " " or len(cells) > 1):
                rows = [(k, _cells(other, comma)) for k, other in enumerate(lines[start:], start + 1) if other.strip()]
                return rows, comma
    first = next((line for line in lines if line.strip()), "")
    words = [parted(cell)[0] for cell in re.split(r"[;\t,]", first)]
    raise FileError(f"{path.name}: there is no line of headings with a column {time!r}.{suggest(time, words)}\n"
                    f"  The first line is {first.strip()[:80]!r}. Name the column of time with time='...'.")


def _cells(line: str, comma: str) -> list[str]:
    """The cells of a line, without the spaces around them and without a sign for comments before it."""
    plain = line.strip(" \t" if comma not in " \t" else " ").lstrip("#%").replace("\0", "")
    if comma == " ":
        return plain.split()
    if '"' not in plain:
        return [cell.strip() for cell in plain.split(comma)]
    try:
        return [cell.strip() for cell in next(csv.reader([plain], delimiter=comma, skipinitialspace=True), [])]
    except csv.Error:
        return [cell.strip().strip('"') for cell in plain.split(comma)]


def _time_column(heads: Sequence[str], time: str) -> int | None:
    plain = [_split(head)[0] for head in heads]
    if time in plain:
        return plain.index(time)
    lower = [head.casefold() for head in plain]
    wanted = TIME if time == "t" else (time.casefold(),)
    return next((lower.index(word) for word in wanted if word in lower), None)


def _split(head: str) -> tuple[str, str]:
    """Name and unit of a head: `angle [deg]` and, since instruments write so, `angle (deg)`."""
    name, unit = parted(head)
    match = None if unit else re.fullmatch(r"(.*\S)\s*\(([^()]*)\)", head.strip())
    if match and match[2].strip() not in NO_UNITS and si_of(match[2]):
        return match[1], match[2].strip()
    return name, unit


def _heads(path: Path, rows: Rows, comma: str, time: str) -> tuple[list[str], list[str], Rows]:
    """Names and units of the columns, and the lines of numbers; units may have a line of their own."""
    line, cells = rows[0]
    while cells and not cells[-1]:  # a sign at the end of the line
        cells = cells[:-1]
    pairs = [_split(cell) for cell in cells]
    names, units, body = [n for n, _ in pairs], [u for _, u in pairs], rows[1:]
    if body and not any(_is_number(cell, comma) for cell in body[0][1]) and len(body[0][1]) >= len(names):
        units = [own or under.strip("[]()") for own, under in zip(units, body[0][1], strict=False)]
        body = body[1:]
    for k, name in enumerate(names):
        if not name or name in names[:k]:
            what = "has no name" if not name else f"is called {name!r} like another one"
            raise FileError(f"{path.name}, line {line}: column {k + 1} {what}.\n  Give each column a name of its own.")
    number = _time_column(cells, time)
    assert number is not None  # the line was chosen for it
    order = [number, *(k for k in range(len(names)) if k != number)]
    return ([names[k] for k in order], [units[k] for k in order],
            [(n, [row[k] if k < len(row) else "" for k in order] + row[len(names):]) for n, row in body])


def _is_number(cell: str, comma: str) -> bool:
    return bool(NUMBER.fullmatch(_plain(cell, comma)))


def _plain(cell: str, comma: str) -> str:
    """A number with a decimal point, whatever it had."""
    if comma != "," and "," in cell:
        cell = cell.replace(".", "") if GROUPED.fullmatch(cell) else cell
        cell = cell.replace(",", ".", 1)
    return cell.replace("\N{MINUS SIGN}", "-")


def _numbers(path: Path, names: Sequence[str], body: Rows, comma: str) -> Array:
    data = np.full((len(body), len(names)), np.nan)
    for k, (line, cells) in enumerate(body):
        extra = [cell for cell in cells[len(names):] if cell]
        if extra:
            way = ("Commas separate the columns here, so decimal commas are not seen: separate columns by semicolons."
                   if comma == "," else "Write one value for each column.")
            raise FileError(f"{path.name}, line {line}: it has {len(cells)} values, but there are {len(names)} "
                            f"headings.\n  {way}")
        for c, cell in enumerate(cells[:len(names)]):
            if cell.casefold() not in EMPTY:
                data[k, c] = _number(path, line, names[c], cell, comma)
    return data


def _number(path: Path, line: int, name: str, cell: str, comma: str) -> float:
    plain = _plain(cell, comma)
    if not NUMBER.fullmatch(plain):
        raise FileError(f"{path.name}, line {line}, column {name!r}: {cell[:40]!r} is not a number.\n"
                        "  Write numbers such as 0.25 or 2.5e-1, and nothing where there is none.")
    return float(re.sub("[dD]", "e", plain))


def _table(path: Path, heads: Sequence[str], units: Sequence[str], data: Array, wishes: _Wishes) -> Table:
    for key in (*wishes.scale, *wishes.names):
        if key not in heads and key != wishes.time:
            raise FileError(f"{path.name}: there is no column called {key!r}.{suggest(str(key), heads)}\n"
                            f"  Columns: {', '.join(heads[:12])}{', ...' if len(heads) > 12 else ''}.")
    columns: dict[str, Any] = {}
    known: dict[str, str] = {}
    for k, (head, unit) in enumerate(zip(heads, units, strict=True)):
        factor, si = si_of(unit) or (1.0, unit)
        given = wishes.scale.get(head, wishes.scale.get(wishes.time) if k == 0 else None)
        name = wishes.names.get(head, head) if k else "t"
        if name in columns or not isinstance(name, str):
            raise FileError(f"{path.name}: two columns would be called {name!r}.\n  Give each a name of its own.")
        with np.errstate(over="ignore"):
            columns[name] = np.ascontiguousarray(data[:, k]) * (factor if given is None else given)
        known[name] = si
    t = _checked_time(path, columns.pop("t") + wishes.shift, known.pop("t"))
    return Table(tuple(columns), tuple(known.values()), t, columns, path.stem)


def _checked_time(path: Path, t: Array, unit: str) -> Array:
    if unit not in ("", "s"):
        raise FileError(f"{path.name}: the time is in {unit!r}, which is not a known unit of time.\n"
                        "  Give it in s, ms or min, or its factor to seconds: scale={'t': 0.001}.")
    if not len(t):
        raise FileError(f"{path.name}: there are headings, but no numbers below.\n  Check that the file is complete.")
    wrong = ~np.isfinite(t)
    wrong[1:] |= t[1:] < t[:-1]
    if wrong.any():
        k = int(np.argmax(wrong))
        what = f"{t[k]:g} s after {t[k - 1]:g} s" if k and np.isfinite(t[[k - 1, k]]).all() else f"{t[k]:g}"
        raise FileError(f"{path.name}: the time does not increase at sample {k + 1}: {what}.\n"
                        "  Every sample needs a time, and they must be in order.")
    return t
