"""A workbook in vincolo's own layout as the tree of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vincolo.errors import FileError, ModelError, suggest
from vincolo.formats.document import Document
from vincolo.formats.excel.cells import Area, Sheet, shown
from vincolo.formats.excel.layout import ORDER, RUN, TABLES, XYZ, is_ignored, section_of
from vincolo.formats.excel.rows import Cells, Headings, Values, choices, first_words, headings, row_values, values
from vincolo.formats.excel.sheets import Workbook
from vincolo.formats.excel.source import SheetSource
from vincolo.formats.excel.units import split, unit_of
from vincolo.formats.excel.values import Piece, value_of, words
from vincolo.formats.mistakes import Follows, Mistakes, refuse
from vincolo.formats.report import Report
from vincolo.formats.tree.files import Files
from vincolo.formats.tree.notation import literal
from vincolo.formats.tree.source import Where
from vincolo.model.measure_units import dimension_of
from vincolo.units import TIME, quantity, si_unit

AS_IN_HEADINGS = ["as in headings"]  # the units of results, on the sheet Model


def read_own(book: Workbook, changes: Mapping[str, Any], files: Files) -> Document:
    """The model in a workbook of vincolo's own layout."""
    source = source_of(book)
    report = Report(notes=[note for note in book.notes if not any(
        f"sheet '{name}'" in note and is_ignored(name) for name in book.sheets)])
    for section in ORDER:
        count = len(source.data.get(section) or ())
        if count:
            report.understood.append(f"sheet '{TABLES[section].sheet}': {count} row{'s' if count > 1 else ''}")
    document = files.load(book.path, changes, lambda: source)
    report.unused += document.report.unused
    return replace(document, report=report)


def source_of(book: Workbook) -> SheetSource:
    """The tree of a workbook, with formulas and points as they stand; all wrong cells are reported together."""
    source = SheetSource(book.name, {})
    mistakes: list[ModelError] = []
    found: dict[str, Sheet] = {}
    for name, sheet in book.sheets.items():
        section = section_of(name)
        if section is not None and section in found:
            mistakes.append(FileError(f"{book.name}, sheet '{name}': the sheet '{found[section].name}' has the same "
                                      "name.\n  Put their rows into one sheet."))
        elif section is not None:
            found[section] = sheet
        elif sheet.cells and not is_ignored(name):
            mistakes.append(_unknown_sheet(book, name))
    if not found and not mistakes:
        raise FileError(f"{book.name}: there is no sheet of a model.\n  Sheets are called "
                        f"{', '.join(TABLES[s].sheet for s in ORDER)}.")
    for sheet in found.values():
        sheet.measured = source.measured
    for section in ORDER:
        if section in found:
            mistakes += _Settings(source, found[section]).read() if section == "model" else _Rows(
                source, section, found[section]).read()
    refuse(book.name, mistakes)
    _note_units(source)
    return source


def _note_units(source: SheetSource) -> None:
    """Results are shown in the units of the headings, if the sheet Model does not say otherwise."""
    run = source.data.setdefault("run", {})
    if "units" not in run:
        kinds: dict[Any, str] = {}
        for unit in source.units:
            if si_unit(unit) is not None and unit.powers != TIME:
                kinds.setdefault((unit.powers, unit.apart), unit.name)
        run["units"] = list(kinds.values())
    if run["units"] in ([], ["SI"]):
        del run["units"]
    if not run:
        del source.data["run"]


def _unknown_sheet(book: Workbook, name: str) -> FileError:
    known = [TABLES[section].sheet for section in ORDER]
    return FileError(f"{book.name}, sheet '{name}': there is no section of a model with this name."
                     f"{suggest(name, known)}\n  Sections: {', '.join(known)}. Sheets called Notes, or whose names "
                     "begin with #, are not read.")


class _Settings(Mistakes):
    """Reads the sheet Model: a setting in each row, its value beside it."""

    def __init__(self, source: SheetSource, sheet: Sheet) -> None:
        super().__init__()
        self.source, self.sheet, self.table = source, sheet, TABLES["model"]

    def read(self) -> list[ModelError]:
        """Fills the top of the tree and its section run; returns what is wrong."""
        lines = list(self._lines())
        named = headings(self.table, ((row, Piece(self.sheet, row, 1, cells[1])) for row, cells in lines), self)
        entries = [(heading, Piece(self.sheet, row, 2, cells[2], heading.unit)) for row, cells in lines
                   if (heading := named[row]) is not None]
        for key, (value, pieces) in values(entries, self).items():
            where: Where = ("run", key) if key in RUN else (key,)
            if value == AS_IN_HEADINGS:
                continue
            holder = self.source.data.setdefault("run", {}) if key in RUN else self.source.data
            holder[key] = value
            self.source.index(where, pieces)
        return self.found

    def _lines(self) -> Iterator[tuple[int, Cells]]:
        """Rows with a setting and a value, below the row of headings if there is one."""
        lines = list(self.sheet.rows())
        below, top = next(((row, cells) for row, cells in lines if first_words(cells) == self.table.first), (0, {}))
        list_titles(self.source, self.sheet, below)
        for row, cells in lines:
            if row < below or (1 in cells and str(cells[1].value).startswith("#")):
                continue
            self._check_beside(row, cells, top)
            if 2 not in cells or row == below:
                continue
            if 1 in cells:
                yield row, cells
            else:
                self.add(self.sheet.error(row, 1, f"the value {cells[2].text[:60]!r} has no setting beside it.",
                                          f"Settings: {', '.join(choices(self.table))}."))


    def _check_beside(self, row: int, cells: Cells, top: Cells) -> None:
        """Refuses settings that are not known though they are empty, and what is beside values without being a
        comment."""
        if 1 in cells and 2 not in cells and top and cells is not top:
            headings(self.table, [(row, Piece(self.sheet, row, 1, cells[1]))], self)
        for column, cell in cells.items():
            words = split(str(top[column].value))[0] if column in top else ""
            comment = words == "comment" or words.startswith("#")
            if column > 2 and not comment and (cell.kind != "text" or top):
                self.add(self.sheet.error(row, column, f"{cell.text[:60]!r} is beside the value.",
                                          "Write one value for each setting; notes have a column 'comment'."))


def list_titles(source: SheetSource, sheet: Sheet, headings: int) -> None:
    """Lists numbers that are above the headings of a table, where only titles do; texts are titles."""
    source.unused += [f"{sheet.place(row, column)}: {shown(cell.value)} is above the headings and has no effect."
                      for (row, column), cell in sorted(sheet.cells.items()) if row < headings and cell.kind != "text"]


class _Rows(Mistakes):
    """Reads one table into the tree: a part in each row."""

    def __init__(self, source: SheetSource, section: str, sheet: Sheet) -> None:
        super().__init__()
        self.source, self.section, self.sheet = source, section, sheet
        self.table = TABLES[section]
        self.rows: dict[str, int] = {}  # of names
        self.first = 1  # the column of names

    def read(self) -> list[ModelError]:
        """Fills the section; returns what is wrong."""
        lines = self.sheet.rows()
        found = next(((row, cells) for row, cells in lines if first_words(cells) == self.table.first), None)
        if found is None:
            if self.sheet.cells:
                self.add(self.sheet.error(min(r for r, _ in self.sheet.cells), None,
                                          f"the row of headings is missing; it begins with '{self.table.first}'.",
                                          f"Headings of this sheet: {', '.join(choices(self.table))}."))
            return self.found
        row, cells = found
        list_titles(self.source, self.sheet, row)
        self.first = min(cells)
        pieces = ((c, Piece(self.sheet, row, c, cell)) for c, cell in sorted(cells.items()) if c != self.first)
        known = headings(self.table, pieces, self)
        self.sheet.unsure = bool(self.found)
        self.source.units += [h.unit for h in known.values() if h is not None and not h.unit.is_si]
        bottom = max(r for r, _ in self.sheet.cells)
        self.found += self.sheet.merged_errors(Area(row, self.first, bottom, max([self.first, *known])))
        for number, line in lines:
            self._row(number, line, known)
        return self.found

    def _row(self, row: int, cells: Cells, known: Headings) -> None:
        if self.first in cells and str(cells[self.first].value).startswith("#"):
            return
        if not any(c == self.first or c not in known or known[c] for c in cells):
            return  # nothing but a comment
        before = len(self.found)
        found = row_values(self.sheet, row, {c: cell for c, cell in cells.items() if c != self.first}, known, self)
        try:
            if self.first not in cells:
                raise self.sheet.error(row, self.first, f"the cell is empty; the {self.table.first} is needed.",
                                       "Fill it in, or empty the whole row; rows that begin with # are not read.")
            piece = Piece(self.sheet, row, self.first, cells[self.first])
            name = words(piece)
            if len(self.found) == before:
                self._keep(piece, name, found)
        except FileError as error:
            self.add(error)

    def _keep(self, piece: Piece, name: str, found: Values) -> None:
        """Puts a row into the tree, and its cells into the index."""
        where: Where = self.section, name
        if self.section == "switches":
            rows = self.source.data.setdefault("switches", [])
            where = "switches", len(rows)
            rows.append({"of": literal(name), **{key: value for key, (value, _) in found.items()}})
            self.source.index((*where, "of"), {None: piece})
        elif name in self.rows:
            raise piece.error(f"the name {shown(name)} is used already, in row {self.rows[name]}.",
                              "Each name can be used once: rename or remove one of them.")
        else:
            self.rows[name] = piece.row
            self.source.data.setdefault(self.section, {})[name] = self._entry(piece.row, name, found)
        for key, (_, pieces) in found.items():
            self.source.index(self._where(where, key), pieces)
        self.source.cells.setdefault(where, (self.sheet, piece.row, None))

    def _where(self, where: Where, key: str) -> Where:
        """The place of a value in the tree; of parameters and points the row itself is the value."""
        if self.section == "points":
            return (*where, XYZ.index(key))
        alone = (self.section, key) in (("parameters", "value"), ("measures", "measure"))
        return where if alone else (*where, key)

    def _entry(self, row: int, name: str, found: Values) -> Any:
        plain = {key: value for key, (value, _) in found.items()}
        if self.section == "parameters":
            return self._parameter(row, name, found)
        if self.section == "points":
            missing = [axis for axis in XYZ if axis not in plain]
            if missing and self.sheet.unsure:
                raise Follows(f"the point {shown(name)} has no {missing[0]}.")
            if missing:
                raise self.sheet.error(row, None, f"the point {shown(name)} has no {missing[0]}.",
                                       "Fill in x, y and z; zero is 0.")
            return [plain[axis] for axis in XYZ]
        if self.section == "measures" and "measure" in plain:
            if len(plain) > 1:
                raise found["measure"][1][None].error("with a name in 'measure' the other columns stay empty.",
                                                      "Use 'of' for a coordinate that is multiplied by a factor.")
            return plain["measure"]
        return plain

    def _parameter(self, row: int, name: str, found: Values) -> Any:
        """The value of a parameter, in SI."""
        if "value" not in found and self.sheet.unsure:
            raise Follows(f"the parameter {shown(name)} has no value.")
        if "value" not in found:
            raise self.sheet.error(row, None, f"the parameter {shown(name)} has no value.",
                                   "Write a number or a formula.")
        value, pieces = found["value"]
        if "unit" not in found:
            self._note_dimension(name, value, pieces[None])
            return value
        piece, given = pieces[None], found["unit"][1][None]
        if not piece.unit.is_si:
            raise given.error(f"the unit is in the heading already: [{piece.unit.name}].", "Remove one of the two.")
        try:
            unit = unit_of(given.text, self.table.columns["value"].dimensions)
        except FileError as error:
            raise FileError(f"{self.sheet.place(row, given.column)}: {error}") from None
        self.source.measured[name] = unit.powers
        found["value"] = value, {None: piece._replace(unit=unit)}
        return value_of(self.table.columns["value"], found["value"][1])

    def _note_dimension(self, name: str, value: Any, piece: Piece) -> None:
        """What a parameter measures that has no unit of its own: that of its heading or text, or of its formula."""
        text = value if isinstance(value, str) else ""
        written = quantity(text)
        powers = written[1].powers if written else dimension_of(text[1:], self.source.measured) if text else None
        if not piece.unit.is_si:
            powers = piece.unit.powers
        if powers is not None:
            self.source.measured[name] = powers
