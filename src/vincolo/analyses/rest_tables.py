"""Lines of the tables of an equilibrium: numbers with their units, rounding told as 0."""

from __future__ import annotations

from collections.abc import Sequence

from vincolo.results.in_units import InUnits
from vincolo.units import rounding, told

Rows = Sequence[tuple[str, Sequence[str]]]


def least_told(shown: InUnits, rows: Rows) -> dict[str, float]:
    """By unit, which numbers in a table are rounding."""
    return rounding((shown.unit(name), shown[name].tolist()) for _, series in rows for name in series)


def line_of(shown: InUnits, title: str, series: Sequence[str], least: dict[str, float], apart: bool = False) -> str:
    """A part and its numbers, with one unit at the end, or each with its own."""
    units = [shown.unit(name) for name in series]
    cells = [f" {told(float(shown[name][0]), least[unit], 6):>12}" + (f" {unit or 'N or N m'}" if apart else "")
             for name, unit in zip(series, units, strict=True)]
    return f"  {title:<18}{''.join(cells)}" + ("" if apart else f" {units[0]}".rstrip())
