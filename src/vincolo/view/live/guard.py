"""Who may connect to the viewer: whoever has its address with the token in it, from a page of the viewer itself.

Any page that is open in the user's browser can reach a port of this computer. It does not know the token; its requests
say where they come from (Origin); and one that has its own name lead here (DNS rebinding) asks for that name (Host).
"""

from __future__ import annotations

import http.client
import ipaddress
import re
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from vincolo.errors import ModelError

LOCAL = ("127.", "localhost", "::1")  # how names of this computer alone begin
HERE = ("127.0.0.1", "localhost", "::1")
HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d+)?", re.ASCII)
EVERYWHERE = ("0.0.0.0", "::", "")
REFUSED = "This is a viewer of vincolo. Open the whole address that the program printed, with the token at its end.\n"
PATIENCE = 10.0  # s, for an answer of the viewer itself

_STARTING = threading.Lock()


@dataclass(frozen=True)
class Guard:
    """Looks at every request before the viewer does."""

    host: str  # what the viewer listens on
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def path(self) -> str:
        """What an address ends in."""
        return f"/{self.token}"

    def trouble(self, path: str, headers: Any) -> str:
        """Why a request is refused, or nothing."""
        hosts, origins = (headers.get_all(name) for name in ("Host", "Origin"))
        if len(hosts) != 1 or not self._known(hosts[0]):
            return "it asks for another host"
        if len(origins) > 1 or (origins and not _same(origins[0], hosts[0])):
            return "it comes from another page"
        if not origins and headers.get_all("Upgrade"):
            return "it does not say which page it comes from"
        first = path.partition("?")[0].split("/")[1:2]
        if not first or not secrets.compare_digest(first[0].encode(errors="replace"), self.token.encode()):
            return "it does not have the token"
        return ""

    def _known(self, host: str) -> bool:
        """Whether a name is one of this computer that nobody else can have lead here."""
        name = _name(host)
        if name in (*HERE, self.host.strip("[]").lower()):
            return True
        return not is_local(self.host) and (name == socket.gethostname().lower()
                                            or (self.host in EVERYWHERE and _is_number(name)))

    def before(self, answer: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """The same answers, for those who may have them."""

        def asked(connection: Any, request: Any) -> Any:
            if self.trouble(request.path, request.headers):
                return connection.respond(HTTPStatus.FORBIDDEN, REFUSED)
            found = answer(connection, replace(request, path=request.path.removeprefix(self.path) or "/"))
            if found is not None:
                found.headers["Referrer-Policy"] = "no-referrer"  # the token stays in this page
                found.headers["Cache-Control"] = "no-store"
            return found

        return asked


def is_local(host: str) -> bool:
    """Whether only this computer can reach a host."""
    return host.startswith(LOCAL)


def _name(host: str) -> str:
    """The name in `name:port`, in small letters; empty if there is none."""
    found = HOST.fullmatch(host)
    return found["name"].strip("[]").lower() if found else ""


def _same(origin: str, host: str) -> bool:
    """Whether a page is the viewer's own: the same name and port that it asks for."""
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@contextmanager
def asked_first(guard: Guard) -> Iterator[None]:
    """Within, a server that viser starts asks the guard before it answers. Viser has no place for that, but hands the
    function that answers requests to the library websockets, which is where the guard steps in."""
    import websockets.asyncio.server as library

    plain: Any = library.serve

    def serve(handler: Any, *place: Any, **options: Any) -> Any:
        if handler.__module__.partition(".")[0] == "viser":
            options["process_request"] = guard.before(options["process_request"])
        return plain(handler, *place, **options)

    with _STARTING:
        setattr(library, "serve", serve)  # noqa: B010
        try:
            yield
        finally:
            setattr(library, "serve", plain)  # noqa: B010


def check_guarded(host: str, port: int) -> None:
    """Refuses a viewer that answers without the token, should a library no longer do what it is expected to."""
    name = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)
    line = http.client.HTTPConnection(name, port, timeout=PATIENCE)
    try:
        line.request("GET", "/")
        guarded = line.getresponse().status == HTTPStatus.FORBIDDEN
    finally:
        line.close()
    if not guarded:
        raise ModelError("the viewer cannot be protected from other pages with this version of viser, so it is not "
                         "started.\n  Install the one that is known to work: pip install 'viser>=1.1,<2'; or write a "
                         "page: write_page(result, 'motion.html').")
