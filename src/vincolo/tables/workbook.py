"""A result as a workbook of Excel: the series, what the run was, and a chart of the chosen ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from vincolo.errors import ModelError
from vincolo.formats.excel.book import saved
from vincolo.results.columns import header
from vincolo.results.facts import facts
from vincolo.results.in_units import InUnits, run_of

if TYPE_CHECKING:
    from vincolo.results.result import Result

MOST_ROWS, MOST_COLUMNS = 1_048_575, 16_384  # of a sheet, without the heads
MOST_LINES = 6  # in the chart
COLOURS = ("0B6FB8", "D1495B", "2A9D5C", "E08E1B", "7A4FBF", "4B5563")


def write_xlsx(file: IO[bytes], result: Result | InUnits, names: Sequence[str], selected: bool) -> None:
    """Sheets "Results" and "About"; if names were chosen, also "Chart" with the first six of them over time."""
    import openpyxl

    check_size(len(result.t), len(names) + 1)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Results")
    heads = [header(n, result.unit(n)) for n in ("t", *names)]
    _write_results(openpyxl, sheet, heads, [result[n].tolist() for n in ("t", *names)])
    _write_about(openpyxl, book.create_sheet("About"), result, names)
    if selected and names and len(result.t):
        lines = names[:MOST_LINES]
        _draw(openpyxl, book.create_sheet("Chart"), sheet, [result.unit(n) for n in lines], len(result.t))
    file.write(saved(book).getbuffer())


def check_size(rows: int, columns: int) -> None:
    """Refuses what does not fit on a sheet."""
    if rows > MOST_ROWS:
        raise ModelError(f"export(): the result has {rows:,} samples; a sheet of Excel has room for {MOST_ROWS:,}.\n"
                         "  Ask simulate() for fewer outputs, or write .h5 or .csv.")
    if columns > MOST_COLUMNS:
        raise ModelError(f"export(): t and {columns - 1:,} series are asked for; a sheet of Excel has {MOST_COLUMNS:,} "
                         "columns.\n  Choose series with names=, or write .h5 or .csv.")


def _write_results(openpyxl: Any, sheet: Any, heads: Sequence[str], columns: Sequence[Sequence[float]]) -> None:
    sheet.freeze_panes = "B2"
    for k, head in enumerate(heads, 1):
        sheet.column_dimensions[openpyxl.utils.get_column_letter(k)].width = max(12, min(60, len(head) + 3))
    sheet.append([_text(openpyxl, sheet, head, bold=True) for head in heads])
    cells = [openpyxl.cell.WriteOnlyCell(sheet) for _ in columns]
    for values in zip(*columns, strict=True):
        for cell, value in zip(cells, values, strict=True):
            # a text of 17 digits as a number: openpyxl itself would write 16, which is not exact
            cell._value, cell.data_type = f"{value:.17g}", "n" if math.isfinite(value) else "s"
        sheet.append(cells)


def _text(openpyxl: Any, sheet: Any, text: str, bold: bool = False) -> Any:
    """A cell with a text, never a formula."""
    cell = openpyxl.cell.WriteOnlyCell(sheet, text)
    cell.data_type = "s"
    if bold:
        cell.font = openpyxl.styles.Font(bold=True)
    return cell


def _write_about(openpyxl: Any, sheet: Any, result: Result | InUnits, names: Sequence[str]) -> None:
    sheet.column_dimensions["A"].width, sheet.column_dimensions["B"].width = 28, 60
    for key, value in _flat(facts(run_of(result))):
        plain = value if isinstance(value, int | float) and not isinstance(value, bool) else _text(
            openpyxl, sheet, _word(value))
        sheet.append([_text(openpyxl, sheet, key, bold=True), plain])
    sheet.append([])
    sheet.append([_text(openpyxl, sheet, head, bold=True) for head in ("series", "unit")])
    for name in ("t", *names):
        sheet.append([_text(openpyxl, sheet, name), _text(openpyxl, sheet, result.unit(name) or "not known")])


def _flat(facts: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Facts with those inside others in line."""
    found: list[tuple[str, Any]] = []
    for key, value in facts.items():
        title = f"{prefix}{key}".replace("_", " ")
        found += _flat(value, f"{title}: ") if isinstance(value, dict) else [(title, value)]
    return found


def _word(value: Any) -> str:
    words = {True: "yes", False: "no", None: "-"}
    return words[value] if value is None or isinstance(value, bool) else str(value)[:32_000]


def _draw(openpyxl: Any, sheet: Any, data: Any, units: Sequence[str], samples: int) -> None:
    """A chart of the first columns over time."""
    chart = openpyxl.chart.ScatterChart()
    chart.style, chart.scatterStyle, chart.width, chart.height = 13, "lineMarker", 28, 15
    chart.x_axis.title = "t [s]"
    chart.y_axis.title = f"[{units[0]}]" if len(set(units)) == 1 and units[0] else None
    chart.x_axis.delete = chart.y_axis.delete = False  # shown by all programs
    chart.legend.position = "b"
    times = openpyxl.chart.Reference(data, min_col=1, min_row=2, max_row=samples + 1)
    for k in range(len(units)):
        values = openpyxl.chart.Reference(data, min_col=k + 2, min_row=1, max_row=samples + 1)
        line = openpyxl.chart.Series(values, times, title_from_data=True)
        line.marker.symbol, line.smooth = "none", False
        line.graphicalProperties.line.solidFill = COLOURS[k]
        line.graphicalProperties.line.width = 19_000  # 1.5 pt
        chart.series.append(line)
    sheet.add_chart(chart, "B2")
