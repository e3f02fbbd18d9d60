"""Values as text, in a file or in one cell: the plain part of YAML, without tags, anchors or aliases, no key twice.

Words such as `no`, `on` and `1:30` are texts here, and 1e-3 is a number, as in YAML 1.2.
"""

from __future__ import annotations

import math
import re
from typing import Any

from vincolo.errors import FileError
from vincolo.formats.tree.source import Source, Where

DEEPEST = 150  # lists and maps inside one another
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "~": None, "": None,
          ".nan": math.nan, ".NaN": math.nan, ".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf}
_PLAIN = re.compile(r"[A-Za-z0-9_(][A-Za-z0-9_ .*/+()^-]*", re.ASCII)
_NUMBER_LIKE = re.compile(r"[0-9][0-9_.:xXobeEa-fA-F+-]*")
_MISTAKABLE = {"true", "false", "null", "yes", "no", "on", "off", "nan", "inf"}
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def fill(source: Source, text: str) -> None:
    """Reads a text into the data of a source, which gets to know its lines."""
    _Builder(source).fill(text)


class _Builder:
    """Data from the events of the YAML parser, without recursion."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._open: list[tuple[Any, Where]] = []  # lists and maps that are not closed yet
        self._keys: list[str | None] = []  # the key that waits for its value, for each of them
        self._documents = 0

    def fill(self, text: str) -> None:
        """Reads the text into the source."""
        import yaml

        try:
            for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
                self._take(type(event).__name__, event)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise self._source.at_line(mark.line + 1 if mark else 1, _syntax(text, error.problem, mark)) from None
        except yaml.YAMLError as error:
            raise FileError(f"{self._source.file}: this is not YAML ({str(error).splitlines()[0]}).") from None

    def _take(self, kind: str, event: Any) -> None:
        line = event.start_mark.line + 1 if event.start_mark else 1
        if kind == "DocumentStartEvent":
            self._documents += 1
            if self._documents > 1:
                raise self._source.at_line(line, "a second document begins here ('---').\n"
                                                 "  Write each model into a file of its own.")
        self._refuse_marks(kind, event, line)
        if kind == "ScalarEvent":
            self._scalar(event, line)
        elif kind in ("SequenceStartEvent", "MappingStartEvent"):
            self._begin([] if kind == "SequenceStartEvent" else {}, line)
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            self._open.pop()
            self._keys.pop()

    def _refuse_marks(self, kind: str, event: Any, line: int) -> None:
        if getattr(event, "anchor", None) is not None:
            sign = "*" if kind == "AliasEvent" else "&"
            raise self._source.at_line(line, f"{sign}{event.anchor}: anchors and aliases are not read.\n"
                                             "  For numbers that repeat use parameters: and \"=name\"; for parts that "
                                             "repeat use a sub-model.")
        if getattr(event, "tag", None) is not None and kind != "DocumentStartEvent":
            implicit = event.implicit if isinstance(event.implicit, bool) else any(event.implicit)
            if not implicit or event.tag != "!":
                raise self._source.at_line(line, f"the tag {event.tag!r} is not read; leave it out.")

    def _scalar(self, event: Any, line: int) -> None:
        if self._open and isinstance(self._open[-1][0], dict) and self._keys[-1] is None:
            container, where = self._open[-1]
            if event.value in container:
                first = self._source.lines[(*where, event.value)]
                raise self._source.at_line(line, f"the key {event.value!r} is used already, in line {first}.\n"
                                                 "  Each name can be used once: rename or remove one of them.")
            container[event.value] = None
            self._source.lines[(*where, event.value)] = line
            self._keys[-1] = event.value
            return
        value = event.value if event.style in ("'", '"', "|", ">") else scalar(event.value)
        where = self._place(value, line)
        if isinstance(value, float) and not math.isfinite(value):
            raise self._source.error(where, f"{event.value[:60]} is not a finite number.\n"
                                            "  Give a number such as 0.5, not NaN or infinity.")

    def _begin(self, value: Any, line: int) -> None:
        if self._open and isinstance(self._open[-1][0], dict) and self._keys[-1] is None:
            raise self._source.at_line(line, "a list or map is where a key is expected.")
        if len(self._open) >= DEEPEST:
            raise self._source.at_line(line, f"lists and maps are nested more than {DEEPEST} deep.")
        self._open.append((value, self._place(value, line)))
        self._keys.append(None)

    def _place(self, value: Any, line: int) -> Where:
        """Puts a value where it belongs."""
        if not self._open:
            self._source.data = value
            return ()
        container, where = self._open[-1]
        if isinstance(container, list):
            container.append(value)
            here: Where = (*where, len(container) - 1)
            self._source.lines[here] = line
        else:
            container[self._keys[-1]] = value
            here = (*where, self._keys[-1])
            self._keys[-1] = None
        return here


def _syntax(text: str, problem: str | None, mark: Any) -> str:
    """What the YAML parser did not like, in words for people who indent by hand."""
    rows = text.splitlines()
    row = rows[mark.line] if mark and mark.line < len(rows) else ""
    if "\t" in row[:len(row) - len(row.lstrip())]:
        return "the line begins with a tab.\n  Indent with spaces, two for each level."
    return (f"the YAML is broken here: {problem or 'it cannot be read'}.\n  {row.strip()[:100]}\n"
            "  Check the indentation (keys of one map are in one column), a space after each ':', and that brackets "
            "and quotes are closed.")


def scalar(word: str) -> Any:
    """A word without quotes: number, true, false, nothing, or text."""
    if word in _WORDS:
        return _WORDS[word]
    if not _NUMBER.fullmatch(word):
        return word
    return int(word) if re.fullmatch(r"[-+]?\d{1,18}", word) else float(word)


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
    return quoted(value) if value.lower() in _MISTAKABLE else text(value)


def text(value: str) -> str:
    """A text, in quotes if it could be mistaken for something else."""
    plain = _PLAIN.fullmatch(value) and not value.endswith(" ") and not _NUMBER_LIKE.fullmatch(value)
    return value if plain and value.lower() not in _MISTAKABLE - {"on"} else quoted(value)


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


def literal(text: str) -> str:
    """A text that is not a formula: '=' in front is doubled, as in every tree of a model."""
    return f"={text}" if text.startswith("=") else text


def without_formulas(value: Any) -> Any:
    """A tree whose texts are not formulas: '=' in front is doubled."""
    if isinstance(value, dict):
        return {key: without_formulas(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_formulas(part) for part in value]
    return literal(value) if isinstance(value, str) else value
