"""The tree of a workbook, in which every value knows its sheet and cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from vincolo.formats.excel.cells import Sheet
from vincolo.formats.excel.layout import MOMENTS, XYZ
from vincolo.formats.excel.values import Pieces
from vincolo.formats.tree.source import Source, Where
from vincolo.units import Powers, Unit

PLACES: dict[str, tuple[Where, ...]] = {
    **{axis: ((k,),) for k, axis in enumerate(XYZ)}, "1": ((0,),), "2": ((1,),),
    **{moment: ((k,), (k, k)) for k, moment in enumerate(MOMENTS)},
    "xy": ((0, 1), (1, 0)), "yz": ((1, 2), (2, 1)), "xz": ((0, 2), (2, 0))}


@dataclass
class SheetSource(Source):
    """The tree of a workbook; values are found by sheet and cell."""

    cells: dict[Where, tuple[Sheet, int, int | None]] = field(default_factory=dict)
    measured: dict[str, Powers] = field(default_factory=dict)  # what parameters measure, of those that say so
    units: list[Unit] = field(default_factory=list)  # of headings, other than SI

    def has(self, where: Where) -> bool:
        """Whether the cell of a value is known."""
        return where in self.cells

    def places(self) -> Iterable[Where]:
        """The values whose cells are known."""
        return self.cells

    def place(self, where: Where) -> str:
        """The file, sheet and cell of a value, with the keys inside the cell."""
        known = self.known(where)
        if not known:
            return self.file
        sheet, row, column = self.cells[known]
        inside = "".join(f"[{k}]" if isinstance(k, int) else f": {k}" for k in where[len(known):]).removeprefix(": ")
        return sheet.place(row, column) + (f", {inside}" if inside and column is not None else "")

    def index(self, where: Where, pieces: Pieces) -> None:
        """Notes the cells of a value: those of its parts, and the first one for the whole."""
        for part, piece in pieces.items():
            cell = piece.sheet, piece.row, piece.column
            self.cells.setdefault(where, cell)
            inside = ((),) if part is None else PLACES.get(part, ((part.replace(" ", "_"),),))
            for inner in inside:
                self.cells[(*where, *inner)] = cell
                if not piece.unit.is_si:
                    self.declared[(*where, *inner)] = piece.unit
