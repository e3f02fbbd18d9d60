"""A quiet viser server, on the loopback address unless told otherwise."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import socket
import webbrowser
from collections.abc import Iterator
from typing import Any

from vincolo.analyses.progress import in_notebook
from vincolo.errors import ModelError
from vincolo.optional import library
from vincolo.view.live.guard import Guard, asked_first, check_guarded

FIRST, TRIED = 8080, 100  # ports that are tried when none is asked for
MESSAGES = 8192  # property updates that fit into one message on the wire


def viewer_library() -> Any:
    """viser, which only the viewer needs."""
    return library("viser", "the viewer needs the package viser", "viser trimesh",
                   "; or write a page for any browser: vincolo view RESULT -o page.html")


def waits(block: bool | None) -> bool:
    """Whether a viewer waits for Ctrl-C: as asked for, or everywhere but in a notebook, whose cell would hang."""
    return not in_notebook() if block is None else block


def start(port: int | None, title: str, guard: Guard) -> Any:
    """A server that listens on the guard's host and answers whom it lets pass; without a port, on the first free one
    from 8080 on; with 0, on any free one."""
    viser = viewer_library()
    chosen = _free(guard.host, port)
    logging.getLogger("websockets.server").setLevel(logging.CRITICAL)  # a closed tab is not an error
    with quiet(), asked_first(guard):
        server = viser.ViserServer(host=guard.host, port=chosen, label=title, verbose=False)
    try:
        check_guarded(guard.host, server.get_port())
    except BaseException:
        stop(server)
        raise
    server.request_share_url = lambda verbose=True: None  # nobody opens a tunnel to the outside
    with contextlib.suppress(AttributeError):  # a frame of many bodies stays one message
        server._websock_server._broadcast_buffer.max_window_size = MESSAGES
    return server


def stop(server: Any) -> None:
    """Ends a server without a word."""
    with quiet():
        server.stop()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keeps viser from printing."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def address(server: Any, guard: Guard) -> str:
    """What to type into a browser on this computer, with the token."""
    host = guard.host
    name = "127.0.0.1" if host in ("0.0.0.0", "") else "[::1]" if host == "::" else host
    shown = f"[{name}]" if ":" in name and not name.startswith("[") else name
    return f"http://{shown}:{server.get_port()}{guard.path}"


def browse(url: str) -> bool:
    """Opens the browser; False if there is none."""
    try:
        return webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False


def _free(host: str, port: int | None) -> int:
    """A port that can be listened on."""
    if port is None:
        for number in range(FIRST, FIRST + TRIED):
            if _try(host, number) is None:
                return number
        raise ModelError(f"the viewer found no free port from {FIRST} to {FIRST + TRIED - 1} on {host!r}.\n"
                         "  Close other viewers, or give port=0 to take any free one.")
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise ModelError(f"the viewer's port is {port!r}; it is a whole number from 0 to 65535.\n"
                         "  Leave it out to take the first free one.")
    trouble = _try(host, port)
    if trouble is not None:
        raise ModelError(f"the viewer cannot listen on port {port} of {host!r}: {trouble}.\n"
                         "  Choose another port, or leave it out to take the first free one.")
    return port


def _try(host: str, port: int) -> str | None:
    """What keeps a program from listening, or None."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM,
                                                       flags=socket.AI_PASSIVE)[0]
        with socket.socket(family, kind) as probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
            probe.listen(1)
    except (socket.gaierror, UnicodeError):
        raise ModelError(f"the viewer cannot find the host {host!r}.\n"
                         "  Give host='127.0.0.1' for this computer alone, or '0.0.0.0' for others too.") from None
    except OSError as error:
        if error.errno == 99 or "assign" in str(error):
            raise ModelError(f"{host!r} is not an address of this computer.\n  Give host='127.0.0.1' for this computer "
                             "alone, or '0.0.0.0' for others too.") from None
        return "it is in use by another program" if "in use" in str(error) else str(error.strerror or error)
    return None
