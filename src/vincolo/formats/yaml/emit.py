"""Plain data as YAML text that people like to read: short things on one line, numbers with all their digits."""

from __future__ import annotations

from typing import Any

from vincolo.formats.tree.notation import flow, text, without_formulas

WIDTH = 118


def document(data: dict[str, Any], raw: bool = False) -> str:
    """The text of a whole file. In `raw` data a text that begins with '=' is a formula; else it is a text."""
    lines: list[str] = []
    for key, value in (data if raw else without_formulas(data)).items():
        lines += _entry(text(key), value, 0, sections=True)
    return "\n".join(lines) + "\n"


def _entry(head: str, value: Any, indent: int, sections: bool = False) -> list[str]:
    """`head: value` on one line if it fits, else with the value below it."""
    margin = " " * indent
    line = f"{margin}{head}: {flow(value)}"
    short = len(line) <= WIDTH and not (sections and isinstance(value, dict) and value)
    if short or not isinstance(value, list | dict):
        return [line]
    if isinstance(value, dict):
        return [f"{margin}{head}:"] + [row for k, v in value.items() for row in _entry(text(k), v, indent + 2)]
    return [f"{margin}{head}:", *_items(value, indent + 2)]


def _items(values: list[Any], indent: int) -> list[str]:
    """A long list: numbers filled into lines, the rest one by one."""
    margin = " " * indent
    if not any(isinstance(v, list | dict) for v in values):
        return _filled([flow(v) for v in values], margin)
    lines = []
    for value in values:
        line = f"{margin}- {flow(value)}"
        if len(line) <= WIDTH or not value:
            lines.append(line)
            continue
        below = _items(value, indent + 2) if isinstance(value, list) else [
            row for k, v in value.items() for row in _entry(text(k), v, indent + 2)]
        lines += [f"{margin}- {below[0].lstrip()}", *below[1:]]
    return lines


def _filled(words: list[str], margin: str) -> list[str]:
    lines, row = [], f"{margin}["
    for k, word in enumerate(words):
        piece = word + ("]" if k == len(words) - 1 else ",")
        if len(row) + 1 + len(piece) > WIDTH and row.strip() != "[":
            lines.append(row)
            row = f"{margin} {piece}"
        else:
            row += piece if row.endswith("[") else f" {piece}"
    return [*lines, row]
