"""Tables as markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def shown(value: object) -> str:
    """A cell: numbers with two or three digits, nothing as a dash."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}" if value == 0 or 1e-2 <= abs(value) < 1e4 else f"{value:.1e}"
    return str(value).replace("|", "\\|")


def markdown(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with its heading."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(shown(value) for value in row) + " |" for row in rows]
    return "\n".join(lines)


def section(title: str, text: str, *tables: str) -> str:
    """A heading, what is compared, and the tables."""
    return "\n\n".join([f"## {title}", text, *tables])
