"""Workbooks as sparse tables: an own reader, since a single cell at the far end of a sheet costs others gigabytes."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vincolo.errors import FileError
from vincolo.formats.excel.archive import SAVE_AS, Archive, Attributes
from vincolo.formats.excel.cells import Area, Cell, Sheet, column_name, number, shown
from vincolo.formats.excel.dates import date_styles

__all__ = ["Area", "Cell", "Sheet", "Workbook", "column_name", "number", "read_workbook"]

MOST_CELLS = 2_000_000  # non-empty, in the whole workbook
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384  # of a sheet of Excel
LONGEST_TEXT = 32_767  # characters of a cell in Excel

_REFERENCE = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
_EMPTY_ROW = re.compile(rb'<row r="[0-9]{1,7}"[^<>]*/>')


@dataclass
class Workbook:
    """A workbook file: its sheets by name, in their order; `notes` on hidden sheets and what is not a table."""

    path: Path
    sheets: dict[str, Sheet] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.name


def read_workbook(path: str | Path) -> Workbook:
    """The cells of an .xlsx file with the values that its program saved; raises FileError for everything else."""
    archive = Archive(Path(path))
    main = _main_part(archive)
    book = Workbook(archive.path)
    relations = archive.relations(main)
    shared = next((part for kind, part in relations.values() if kind == "sharedStrings"), None)
    strings = _shared_strings(archive, shared) if shared is not None else []
    styles = next((part for kind, part in relations.values() if kind == "styles" and part in archive), None)
    dates = date_styles(archive, styles) if styles is not None else frozenset[int]()
    for name, (kind, part), hidden in _sheet_list(archive, main, relations):
        if kind != "worksheet":
            book.notes.append(f"{book.name}, sheet '{name}': it has no cells ({kind or 'unknown kind'}), not read.")
            continue
        if hidden:
            book.notes.append(f"{book.name}, sheet '{name}': it is hidden, and read all the same.")
        sheet = Sheet(book.name, name, hidden)
        left = MOST_CELLS - sum(len(s.cells) for s in book.sheets.values())
        archive.walk(part, *_SheetReader(archive, part, sheet, strings, dates, left).handlers())
        book.sheets[name] = sheet
    return book


def _main_part(archive: Archive) -> str:
    """The part that lists the sheets."""
    if "xl/workbook.bin" in archive:
        raise archive.error("this is a binary workbook (.xlsb), not .xlsx.", SAVE_AS)
    if "content.xml" in archive and "mimetype" in archive:
        raise archive.error("this is a file of LibreOffice or OpenOffice (.ods), not .xlsx.", SAVE_AS)
    found = "xl/workbook.xml"
    if "_rels/.rels" in archive:
        parts = [part for kind, part in archive.relations("").values() if kind == "officeDocument"]
        found = parts[0] if parts and parts[0] in archive else found
    if found not in archive:
        raise archive.error("this is a zip file, but not a workbook: it has no part xl/workbook.xml.", SAVE_AS)
    return found


def _sheet_list(archive: Archive, main: str,
                relations: dict[str, tuple[str, str]]) -> list[tuple[str, tuple[str, str], bool]]:
    """Name, kind and part, and whether it is hidden, of each sheet in order."""
    found: list[tuple[str, tuple[str, str], bool]] = []

    def start(element: str, attributes: Attributes) -> None:
        if element != "sheet":
            return
        key = next((v for k, v in attributes.items() if k.endswith(":id")), "")
        name = attributes.get("name", "").strip()
        if key not in relations or not name or any(name == other for other, _, _ in found):
            raise archive.error(f"the list of sheets is damaged at sheet {shown(name)}.", SAVE_AS, main)
        found.append((name, relations[key], attributes.get("state", "visible") != "visible"))

    archive.walk(main, start)
    if not found:
        raise archive.error("the workbook has no sheets.", SAVE_AS, main)
    return found


def _clean(pieces: list[str]) -> str:
    return "".join(pieces).strip()  # strip() takes non-breaking spaces too


def _shared_strings(archive: Archive, part: str) -> list[str]:
    """The texts that cells refer to by number; runs of rich text are joined, phonetic hints left out."""
    strings: list[str] = []
    pieces: list[str] = []
    inside: set[str] = set()

    def start(name: str, _: Attributes) -> None:
        inside.add(name)
        if name == "si":
            pieces.clear()

    def prepare(parser: Any) -> None:
        def end(name: str) -> None:
            local = name.rpartition(":")[2]
            inside.discard(local)
            if local == "si":
                strings.append(_clean(pieces))

        def text(data: str) -> None:
            if "t" in inside and "rPh" not in inside:
                pieces.append(data)

        parser.EndElementHandler, parser.CharacterDataHandler = end, text

    archive.walk(part, start, prepare)
    return strings


def _without_empty_rows(data: bytes) -> bytes:
    """The XML of a sheet without rows that have no cells; only if all rows have their number."""
    numbered = data.count(b"<row ") == data.count(b'<row r="') and b"<row>" not in data
    return _EMPTY_ROW.sub(b"", data) if numbered and b"<![CDATA[" not in data else data


class _SheetReader:
    """Fills a sheet from its part. Handlers for texts and ends are only set inside cells, so that a million empty rows
    cost little."""

    def __init__(self, archive: Archive, part: str, sheet: Sheet, strings: list[str], dates: frozenset[int],
                 left: int) -> None:
        self.archive, self.part, self.sheet, self.strings, self.left = archive, part, sheet, strings, left
        self.dates, self.dated = dates, False  # styles of dates; whether this cell has one
        self.row = self.column = 0
        self.type = ""
        self.inside: str | None = None
        self.phonetic = False
        self.texts: dict[str, list[str]] = {}

    def handlers(self) -> tuple[Any, Any, Any]:
        """What Archive.walk() needs."""
        return self.start, self._keep, _without_empty_rows

    def _keep(self, parser: Any) -> None:
        self.parser = parser

    def start(self, name: str, attributes: Attributes) -> None:
        """Begins a row, a cell, or a text in a cell."""
        if name == "row":
            self.row, self.column = self._row_number(attributes.get("r")), 0
        elif name == "c":
            self._cell_begins(attributes)
        elif name == "mergeCell":
            self.sheet.merged.append(self._area(attributes.get("ref", "")))
        elif name == "rPh":
            self.phonetic = True
        elif self.parser.EndElementHandler is not None and name in ("v", "f", "t") and not self.phonetic:
            self.inside = name
            self.texts.setdefault(name, [])

    def _row_number(self, text: str | None) -> int:
        row = self.row + 1 if text is None else int(text) if text.isdecimal() and len(text) < 8 else 0
        if not 1 <= row <= MOST_ROWS:
            raise self._damaged(f"there is a row with the number {shown(text or row)}")
        return row

    def _cell_begins(self, attributes: Attributes) -> None:
        reference = attributes.get("r")
        if reference is None:
            self.row, self.column = max(self.row, 1), self.column + 1
        else:
            self.row, self.column = self._corner(reference)
        self.type, style = attributes.get("t", "n"), attributes.get("s", "")
        self.dated = bool(self.dates) and style.isdecimal() and int(style[:9]) in self.dates
        self.texts, self.inside, self.phonetic = {}, None, False
        self.parser.EndElementHandler, self.parser.CharacterDataHandler = self.end, self.text

    def _corner(self, reference: str) -> tuple[int, int]:
        match = _REFERENCE.fullmatch(reference)
        column = 0
        for letter in match[1] if match else "":
            column = 26 * column + ord(letter) - ord("A") + 1
        if not match or column > MOST_COLUMNS or int(match[2]) > MOST_ROWS:
            raise self._damaged(f"there is a cell called {shown(reference)}")
        return int(match[2]), column

    def _area(self, text: str) -> Area:
        first, _, last = text.replace("$", "").partition(":")
        return Area(*self._corner(first), *self._corner(last or first))

    def text(self, data: str) -> None:
        """A piece of text inside an element of a cell."""
        if self.inside is not None:
            self.texts[self.inside].append(data)

    def end(self, name: str) -> None:
        """Ends a text in a cell, or the cell."""
        local = name.rpartition(":")[2]
        if local == "c":
            self.parser.EndElementHandler = self.parser.CharacterDataHandler = None
            self._cell_ends()
        elif local == "rPh":
            self.phonetic = False
        elif local == self.inside:
            self.inside = None

    def _cell_ends(self) -> None:
        cell = self._cell()
        if cell is None:
            return
        if (self.row, self.column) in self.sheet.cells:
            raise self._wrong("the cell is in the file twice.", SAVE_AS)
        self.sheet.cells[self.row, self.column] = cell
        if len(self.sheet.cells) > self.left:
            raise self._wrong(f"the workbook has more than {MOST_CELLS:,} cells.", "Keep large tables in files.")

    def _cell(self) -> Cell | None:
        formula = "f" in self.texts
        value = _clean(self.texts.get("t" if self.type == "inlineStr" else "v", []))
        if len(value) > LONGEST_TEXT:
            raise self._wrong(f"its text has {len(value):,} characters; a cell has at most {LONGEST_TEXT:,}.", SAVE_AS)
        if not value:
            uncomputed = formula and self.type != "str"
            return Cell("=" + _clean(self.texts["f"]), "uncomputed", True) if uncomputed else None
        if self.type == "n":
            return Cell(self._number(value), "date" if self.dated else "number", formula)
        if self.type == "s":
            value = self._string(value)
        if self.type == "b":
            return Cell(value in ("1", "true"), "bool", formula)
        kind = {"e": "error", "d": "date"}.get(self.type, "text")
        return Cell(value, kind, formula) if value else None

    def _number(self, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or "_" in text:
            raise self._wrong(f"the file has {shown(text)} where a number should be.", SAVE_AS)
        return value

    def _string(self, text: str) -> str:
        if not text.isdecimal() or len(text) > 9 or int(text) >= len(self.strings):
            raise self._wrong(f"it refers to text number {shown(text)}, which the file does not have.", SAVE_AS)
        found = self.strings[int(text)]
        if len(found) > LONGEST_TEXT:
            raise self._wrong(f"its text has {len(found):,} characters; a cell has at most {LONGEST_TEXT:,}.", SAVE_AS)
        return found

    def _wrong(self, what: str, way_out: str) -> FileError:
        return self.sheet.error(self.row, self.column, what, way_out)

    def _damaged(self, what: str) -> FileError:
        return self.archive.error(f"the sheet '{self.sheet.name}' is damaged: {what}.", SAVE_AS, self.part)
