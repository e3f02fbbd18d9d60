"""Plain data as YAML text that people like to read: short things on one line, numbers with all their digits."""

from __future__ import annotations

import re
from typing import Any

WIDTH = 118
_PLAIN = re.compile(r"[A-Za-z0-9_(][A-Za-z0-9_ .*/+()^-]*", re.ASCII)
_NUMBER_LIKE = re.compile(r"[0-9][0-9_.:xXobeEa-fA-F+-]*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "nan", "inf"}
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def document(data: dict[str, Any], raw: bool = False) -> str:
    """The text of a whole file. In `raw` data a text that begins with '=' is a formula; else it is a text."""
    lines: list[str] = []
    for key, value in (data if raw else _texts(data)).items():
        lines += _entry(text(key), value, 0, sections=True)
    return "\n".join(lines) + "\n"


def _texts(value: Any) -> Any:
    """Data whose texts are not formulas: '=' in front is doubled."""
    if isinstance(value, dict):
        return {key: _texts(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_texts(part) for part in value]
    return f"={value}" if isinstance(value, str) and value.startswith("=") else value


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


def flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return repr(float(value))
    return _value_text(value)


def _value_text(value: str) -> str:
    """A text that is a value: words that YAML may read as something else are quoted."""
    return quoted(value) if value.lower() in _WORDS else text(value)


def text(value: str) -> str:
    """A text, in quotes if it could be mistaken for something else."""
    plain = _PLAIN.fullmatch(value) and not value.endswith(" ") and not _NUMBER_LIKE.fullmatch(value)
    return value if plain and value.lower() not in _WORDS - {"on"} else quoted(value)


def quoted(value: str) -> str:
    """A text in double quotes."""
    return '"' + "".join(_escaped(c) for c in value) + '"'


def _escaped(c: str) -> str:
    if c in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[c]
    if c.isprintable() and c != "\ufeff":
        return c
    code = ord(c)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
