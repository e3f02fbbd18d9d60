"""Results written back into a workbook: a new sheet with the series and a chart for each unit."""

from __future__ import annotations

import errno
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vincolo.errors import FileError, ModelError, WriteError
from vincolo.files import appearing
from vincolo.formats.excel.book import new_book, packed, put
from vincolo.formats.excel.package import merged
from vincolo.results.columns import choose, header
from vincolo.tables.workbook import check_size

if TYPE_CHECKING:
    from vincolo.results import Result
    from vincolo.results.in_units import InUnits

MOST_LINES = 8  # in a chart
MOST_CHARTS = 12
COLOURS = ("0B6FB8", "D1495B", "2A9D5C", "E08E1B", "7A4FBF", "4B5563", "C2185B", "00838F")


def add_results(result: Result | InUnits, path: str | Path, names: Sequence[str] | str | None = None) -> str:
    """Adds a sheet "Results" (or "Results 2", ...) with series of a run to a workbook, which is made if it is not
    there; returns its name. All else in the workbook stays as it is. `names` as in Result.export()."""
    target = Path(path)
    if target.suffix.lower() != ".xlsx":
        raise FileError(f"{target.name}: results are added to .xlsx workbooks only.\n  Save it as 'Excel Workbook "
                        "(*.xlsx)', without macros, or export the results to a file of their own.")
    chosen = choose(result, names)
    if not chosen:
        raise ModelError("add_results(): there are no series to write.\n  Name some, such as slider.x.")
    check_size(len(result.t), len(chosen) + 1)
    if target.exists():
        title, content = merged(target, lambda free: packed(_book(result, chosen, free)))
    else:
        title, content = "Results", packed(_book(result, chosen, "Results"))
    try:
        with appearing("add_results()", target) as file:
            file.write(content)
    except WriteError as error:
        if error.errno not in (errno.EACCES, errno.EPERM):
            raise
        raise FileError(f"{target.name}: the workbook cannot be replaced.\n"
                        "  Close it in Excel, and check that the file may be written.") from None
    return title


def _book(result: Result | InUnits, names: Sequence[str], title: str) -> Any:
    """A workbook with nothing but the results; its cells have no styles, so that its sheet fits into any other."""
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont
    from openpyxl.utils import get_column_letter

    book = new_book()
    sheet = book.create_sheet(title)
    columns = ["t", *names]
    for c, name in enumerate(columns, 1):
        text = _printable(header(name, result.unit(name)))
        sheet.cell(1, c).value = CellRichText(TextBlock(InlineFont(rFont="Calibri", sz=11, b=True), text))
        sheet.cell(1, c).data_type = "s"
        sheet.column_dimensions[get_column_letter(c)].width = max(12, min(60, len(text) + 3))
        for r, value in enumerate(result[name].tolist(), 2):
            if math.isfinite(value):
                put(sheet, r, c, value)
    sheet.freeze_panes = "B2"
    if len(result.t):
        _charts(sheet, [result.unit(name) for name in names], len(result.t))
    sheet.sheet_view.tabSelected = False
    return book


def _printable(text: str) -> str:
    """A text without the characters that XML cannot hold, which begins with no sign of a formula."""
    return "".join(c if c.isprintable() else "?" for c in text)[:1000]


def _charts(sheet: Any, units: Sequence[str], samples: int) -> None:
    """A chart for each unit, to the right of the numbers."""
    from openpyxl.utils import get_column_letter

    groups: dict[str, list[int]] = {}
    for c, unit in enumerate(units, 2):
        groups.setdefault(unit, []).append(c)
    left = get_column_letter(min(len(units) + 3, 16_000))
    for k, (unit, columns) in enumerate(list(groups.items())[:MOST_CHARTS]):
        sheet.add_chart(_chart(sheet, unit, columns[:MOST_LINES], samples), f"{left}{2 + 20 * k}")


def _chart(sheet: Any, unit: str, columns: Sequence[int], samples: int) -> Any:
    from openpyxl.chart import Reference, ScatterChart, Series

    chart = ScatterChart()
    chart.style, chart.scatterStyle, chart.width, chart.height = 13, "lineMarker", 24, 9
    chart.x_axis.title, chart.y_axis.title = "t [s]", f"[{unit}]" if unit else None
    chart.x_axis.delete = chart.y_axis.delete = False  # shown by all programs
    chart.legend.position = "r"
    times = Reference(sheet, min_col=1, min_row=2, max_row=samples + 1)
    for k, column in enumerate(columns):
        line = Series(Reference(sheet, min_col=column, min_row=1, max_row=samples + 1), times, title_from_data=True)
        line.marker.symbol, line.smooth = "none", False
        line.graphicalProperties.line.solidFill = COLOURS[k]
        line.graphicalProperties.line.width = 19_000  # 1.5 pt
        chart.series.append(line)
    return chart
