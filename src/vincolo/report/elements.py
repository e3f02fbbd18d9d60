"""Pieces of HTML: numbers, vectors, tables, sections. Whatever is not marked as safe is escaped."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

MINUS, TIMES, DASH = "\N{MINUS SIGN}", "\N{MIDDLE DOT}", "\N{EN DASH}"
WHOLE = 14  # rows of a table that is printed on one page
SMALL, LARGE = 1e-3, 1e6  # numbers within are written without a power of ten


class Safe(str):
    """A text that is HTML already."""

    __slots__ = ()


def safe(text: object) -> Safe:
    """Any text as HTML; characters that HTML cannot have are replaced."""
    if isinstance(text, Safe):
        return text
    plain = str(text).encode("utf-8", errors="replace").decode()
    return Safe(html.escape(re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "\N{REPLACEMENT CHARACTER}", plain)))


def joined(parts: Iterable[object], between: str = "") -> Safe:
    """Texts one after the other, as HTML."""
    return Safe(safe(between).join(safe(part) for part in parts))


def element(tag: str, *inside: object, **attributes: object) -> Safe:
    """<tag ...>inside</tag>; an attribute `class_` is a class, and one that is None is left out."""
    told = "".join(f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
                   for key, value in attributes.items() if value is not None)
    return Safe(f"<{tag}{told}>{joined(inside)}</{tag}>")


def number(value: Any, digits: int = 4) -> Safe:
    """A number with some significant digits, with a power of ten if it is very small or large."""
    if value is None or not isinstance(value, int | float) or math.isnan(value):
        return Safe(DASH)
    if math.isinf(value):
        return Safe("\N{INFINITY}" if value > 0 else f"{MINUS}\N{INFINITY}")
    if value == 0:
        return Safe("0")
    sign, size = (MINUS if value < 0 else ""), abs(value)
    mantissa, power = f"{size:.{digits - 1}e}".split("e")
    exponent = int(power)
    if SMALL <= size < LARGE:
        decimals = max(0, digits - 1 - exponent)
        return Safe(sign + (_trimmed(f"{size:.{decimals}f}") if decimals else f"{size:.0f}"))
    return Safe(f"{sign}{_trimmed(mantissa)}{TIMES}10<sup>{str(exponent).replace('-', MINUS)}</sup>")


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration(seconds: float) -> Safe:
    """A time in s, or in ms if it is short."""
    short = abs(seconds) < 1
    return joined([number(1e3 * seconds if short else seconds, 3), " ms" if short else " s"])


def vector(values: Iterable[float], digits: int = 6) -> Safe:
    """Three numbers in a row; what is only rounding beside the largest is zero."""
    listed = [float(v) for v in values]
    largest = max((abs(v) for v in listed if math.isfinite(v)), default=0.0)
    return joined([number(0.0 if abs(v) < 1e-12 * largest else v, digits) for v in listed],
                  ",\N{NO-BREAK SPACE}")


def unit(text: str) -> str:
    """A unit with raised digits and dots: N·m/s²."""
    return text.replace("^2", "²").replace(" ", TIMES)


def table(heads: Sequence[object], rows: Sequence[Sequence[object]], align: str = "", caption: str = "", *,
          narrow: bool = False) -> Safe:
    """A table; `align` has a letter for each column: l for text, r for numbers, c for vectors and marks. A narrow one
    is as wide as its content."""
    if not rows:
        return Safe("")
    letters = align.ljust(len(heads), "l")
    top = joined(element("th", head, class_=letter) for head, letter in zip(heads, letters, strict=True))
    body = joined(element("tr", joined(_cell(c, letter) for c, letter in zip(row, letters, strict=True)))
                  for row in rows)
    title = element("caption", caption) if caption else Safe("")
    kind = ("narrow" if narrow else "wide") + (" whole" if len(rows) <= WHOLE else "")
    return element("div", element("table", title, element("thead", element("tr", top)), element("tbody", body)),
                   class_=kind)


def _cell(content: object, letter: str) -> Safe:
    """A cell; a pair of a text and a share from 0 to 1 has a bar behind it."""
    if isinstance(content, tuple):
        text, share = content
        size = 0.0 if not math.isfinite(share) else 100 * min(max(share, 0.0), 1.0)
        return element("td", text, class_=f"{letter} bar", style=f"--s:{size:.1f}%")
    return element("td", content, class_=letter)


def section(title: str, *inside: object, name: str) -> Safe:
    """A chapter with its title, to which the contents lead; nothing if it has nothing inside."""
    content = joined(inside)
    return element("section", element("h2", title), content, id=name) if content else Safe("")


def paragraph(*inside: object, class_: str | None = None) -> Safe:
    """A paragraph."""
    return element("p", *inside, class_=class_)


def listed(items: Iterable[object]) -> Safe:
    """A list with dots; nothing if there are no items."""
    found = joined(element("li", item) for item in items)
    return element("ul", found) if found else Safe("")


def counted(n: int, one: str, many: str | None = None) -> str:
    """"1 body", "3 bodies"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
