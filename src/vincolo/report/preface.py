"""What the user puts at the top of a report: a logo and a text."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from vincolo.errors import ModelError
from vincolo.report.elements import Safe, element, joined, paragraph

LARGEST = 2_000_000  # bytes of a logo
#: how files of pictures begin, and what they are
KINDS = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}


def logo_element(path: str | os.PathLike[str] | None) -> Safe:
    """The picture in a file, within the page; nothing if there is none."""
    if path is None:
        return Safe("")
    place = Path(path)
    try:
        data = place.read_bytes()
    except OSError as error:
        raise ModelError(f"write_report(): the logo {str(path)!r} cannot be read: {error.strerror or error}.\n"
                         "  Check its path.") from None
    kind = next((kind for start, kind in KINDS.items() if data.startswith(start)), "")
    if not kind and b"<svg" in data[:2000].lower():
        kind = "image/svg+xml"  # as a picture it cannot run a script
    if not kind:
        raise ModelError(f"write_report(): the logo {place.name!r} is not a picture.\n  Take a PNG, JPEG, GIF, WebP or "
                         "SVG file.")
    if len(data) > LARGEST:
        raise ModelError(f"write_report(): the logo {place.name!r} has {len(data) / 1e6:.1f} MB; at most "
                         f"{LARGEST / 1e6:g} MB are taken.\n  Make it smaller.")
    return Safe(f'<img class="logo" alt="logo" src="data:{kind};base64,{base64.b64encode(data).decode()}">')


def preface(text: str | None) -> Safe:
    """A text in paragraphs, which empty lines part; nothing if there is none."""
    if text is None:
        return Safe("")
    if not isinstance(text, str):
        raise ModelError(f"write_report(): text is {text!r:.60}; it must be a text.")
    parts = [part.strip() for part in text.replace("\r\n", "\n").split("\n\n")]
    return element("div", joined([paragraph(part) for part in parts if part]), class_="preface")
