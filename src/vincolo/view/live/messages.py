"""What goes over the socket: texts are JSON, and numbers follow them packed, as in a page that is complete in itself.

A message with numbers is one frame of bytes: the length of the JSON text (4 bytes, little-endian), the text, zeros up
to a multiple of 8, and the arrays of a Blob. References within the text point into these arrays.
"""

from __future__ import annotations

import json
import struct
from typing import Any

from vincolo.plots.web import Blob

Message = dict[str, Any]
HEAD = struct.Struct("<I")


def packed(message: Message, numbers: Blob) -> bytes:
    """A message and the arrays that it refers to, as one frame."""
    text = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
    head = HEAD.pack(len(text)) + text
    return b"".join((head, b"\0" * (-len(head) % 8), numbers.bytes()))


def unpacked(frame: bytes) -> tuple[Message, bytes]:
    """The message of a frame and its packed arrays."""
    (length,) = HEAD.unpack_from(frame)
    start = HEAD.size + length
    return json.loads(frame[HEAD.size: start]), frame[start + -start % 8:]


def read(text: str | bytes) -> Message:
    """The message in a text that came over the socket; ValueError says what is wrong with it."""
    if isinstance(text, bytes):
        raise ValueError("it is not a text")
    try:
        found = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error.msg} at character {error.pos}") from None
    if not isinstance(found, dict) or not isinstance(found.get("type"), str):
        raise ValueError("it is not an object with a text 'type'")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number")
