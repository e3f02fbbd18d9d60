"""Short texts in the panel."""

from __future__ import annotations

QUIET, WARNING = "#777", "#8a5a00"


def paragraph(content: str, colour: str = "inherit") -> str:
    """A paragraph of HTML; names in it are escaped by who calls."""
    return f"<p style='font-size:12px;margin:4px 10px;color:{colour}'>{content}</p>" if content else ""
