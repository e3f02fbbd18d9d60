"""Web pages that are complete in themselves: packed numbers, scripts and styles put into a template."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import webbrowser
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

KINDS = {"<f4": "f4", "<f8": "f8", "<u2": "u2", "<u4": "u4"}
#: the program that draws charts, in this order
CHARTS = ("words.js", "pens.js", "chart.js", "saving.js")

Reference = list[Any]  # kind of number, first byte, count


class Blob:
    """Arrays packed one after the other; those that are equal are kept once."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._known: dict[bytes, Reference] = {}

    def put(self, values: Any, kind: str = "<f4") -> Reference:
        """Where the numbers are found again: kind, first byte, count."""
        with np.errstate(over="ignore"):
            packed = np.ascontiguousarray(values, dtype=kind).tobytes()
        key = kind.encode() + packed
        if key not in self._known:
            self._bytes += b"\0" * (-len(self._bytes) % 8)
            self._known[key] = [KINDS[kind], len(self._bytes), len(packed) // np.dtype(kind).itemsize]
            self._bytes += packed
        return self._known[key]

    def bytes(self) -> bytes:
        """All of it."""
        return bytes(self._bytes)

    def text(self) -> str:
        """All of it in base64."""
        return base64.b64encode(self._bytes).decode()


def asset(package: str, name: str) -> str:
    """The text of a file that comes with a package."""
    return files(package).joinpath("assets", name).read_text(encoding="utf-8")


def program(texts: Sequence[str]) -> str:
    """Scripts as one that shares no name with others."""
    return "'use strict';\n(() => {\n" + "\n".join(texts) + "})();\n"


def told(data: Any) -> str:
    """JSON without the characters that mean something to HTML."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def filled(template: str, style: str, script: str, data: dict[str, Any], numbers: str,
           connect: str = "'none'") -> bytes:
    """The template with its parts put in. Names of the user get into the title, where they are escaped, and into JSON
    without the characters that mean something to HTML; what may run, what may be loaded and to whom the page may
    `connect` is told to the browser."""
    parts = {"title": html.escape(data["title"]), "style": style, "script": script, "data": told(data),
             "numbers": numbers, "connect": connect, "style-hash": _hash(style), "script-hash": _hash(script)}
    for shared in ("head", "scripts"):  # the same on all pages
        template = template.replace(f"{{{{{shared}}}}}", asset("vincolo.plots", f"{shared}.html").rstrip())
    page = re.sub(r"\{\{([a-z-]+)\}\}", lambda found: parts[found[1]], template)
    return page.encode("utf-8", errors="xmlcharrefreplace")


def framed(page: bytes, height: int) -> str:
    """A page within another one, such as a notebook: it sees nothing of it."""
    text = html.escape(page.decode("utf-8"), quote=True)
    return (f'<iframe srcdoc="{text}" sandbox="allow-scripts allow-downloads" '
            f'style="width:100%;height:{height}px;box-sizing:border-box;border:1px solid #d5dae1;border-radius:6px">'
            "</iframe>")


def opened(page: bytes, name: str) -> Path:
    """Opens a page in the browser, from a file in the folder for such things; the program goes on."""
    place = Path(mkdtemp(prefix="vincolo-")) / f"{name}.html"
    place.write_bytes(page)
    webbrowser.open(place.as_uri())
    return place


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
