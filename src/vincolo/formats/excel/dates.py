"""Which cells of a workbook are dates: programs of tables make one of a text such as 1.12 or 1/2, and keep its
number of days.

A cell has the number of a style; the style has that of a format, which is one of the usual ones or a text."""

from __future__ import annotations

import re

from vincolo.formats.excel.archive import Archive, Attributes

USUAL = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])  # formats of dates and times
_NO_FORMAT = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.')  # texts, colours, conditions, spaces
_TIME = re.compile(r"[dmyhs]", re.IGNORECASE)


def date_styles(archive: Archive, part: str) -> frozenset[int]:
    """The numbers of the styles that show a number as a date or a time."""
    formats: dict[str, str] = {}
    styles: list[str] = []
    inside = ""

    def start(name: str, attributes: Attributes) -> None:
        nonlocal inside
        if name in ("cellXfs", "cellStyleXfs", "dxfs"):
            inside = name
        elif name == "numFmt":
            formats[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif name == "xf" and inside == "cellXfs":
            styles.append(attributes.get("numFmtId", "0"))

    archive.walk(part, start)
    return frozenset(k for k, number in enumerate(styles) if _is_date(number, formats))


def _is_date(number: str, formats: dict[str, str]) -> bool:
    if number in formats:
        return _TIME.search(_NO_FORMAT.sub("", formats[number])) is not None
    return number.isdecimal() and int(number[:4]) in USUAL
