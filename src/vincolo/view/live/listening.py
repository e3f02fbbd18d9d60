"""A socket that listens: on the port that is asked for, or on the first free one."""

from __future__ import annotations

import atexit
import html
import os
import shutil
import socket
import webbrowser
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from vincolo.analyses.progress import in_notebook
from vincolo.errors import ModelError
from vincolo.optional import library

LOOPBACK = "127.0.0.1"
FIRST, TRIED = 8080, 100  # ports that are tried when none is asked for


def socket_library() -> Any:
    """websockets, which only pages that are served need."""
    return library("websockets.asyncio.server", "the viewer needs the package websockets", "websockets",
                   "; or write a page for any browser: vincolo view RESULT -o page.html")


def waits(block: bool | None) -> bool:
    """Whether a viewer waits for Ctrl-C: as asked for, or everywhere but in a notebook, whose cell would hang."""
    return not in_notebook() if block is None else block


def browse(url: str) -> bool:
    """Opens the browser; False if there is none. Command lines can be read by every user of a computer, so the browser
    gets the name of a file that only this user can read, and which leads to the address; it goes with this program."""
    try:
        folder = Path(mkdtemp(prefix="vincolo-"))  # which nobody else can enter
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        place, link = folder / "open.html", html.escape(url, quote=True)
        with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(f'<!DOCTYPE html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
                       f'<meta http-equiv="refresh" content="0; url={link}"><title>vincolo</title>'
                       f'<a href="{link}">Open the page</a>\n')
        return webbrowser.open(place.as_uri())
    except (webbrowser.Error, OSError):
        return False


def listening(host: str, port: int | None) -> socket.socket:
    """A socket that listens on the first free port from 8080 on, on the port that is given, or with 0 on any."""
    if port is None:
        for number in range(FIRST, FIRST + TRIED):
            found = _try(host, number)
            if not isinstance(found, str):
                return found
        raise ModelError(f"the viewer found no free port from {FIRST} to {FIRST + TRIED - 1} on {host!r}.\n"
                         "  Close other viewers, or give port=0 to take any free one.")
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise ModelError(f"the viewer's port is {port!r}; it is a whole number from 0 to 65535.\n"
                         "  Leave it out to take the first free one.")
    found = _try(host, port)
    if isinstance(found, str):
        raise ModelError(f"the viewer cannot listen on port {port} of {host!r}: {found}.\n"
                         "  Choose another port, or leave it out to take the first free one.")
    return found


def _try(host: str, port: int) -> socket.socket | str:
    """The socket, or what keeps a program from listening."""
    made: socket.socket | None = None
    try:
        family, kind, _, _, place = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM,
                                                       flags=socket.AI_PASSIVE)[0]
        made = socket.socket(family, kind)
        if os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
        made.listen()
    except (socket.gaierror, UnicodeError):
        raise ModelError(f"the viewer cannot find the host {host!r}.\n"
                         "  Give host='127.0.0.1' for this computer alone, or '0.0.0.0' for others too.") from None
    except OSError as error:
        if made is not None:
            made.close()
        if error.errno == 99 or "assign" in str(error):
            raise ModelError(f"{host!r} is not an address of this computer.\n  Give host='127.0.0.1' for this computer "
                             "alone, or '0.0.0.0' for others too.") from None
        return "it is in use by another program" if "in use" in str(error) else str(error.strerror or error)
    return made
