"""Who may connect to a server: whoever has its address with the token in it, from a page of the server itself.

Any page that is open in the user's browser can reach a port of this computer. It does not know the token; its requests
say where they come from (Origin); and one that has its own name lead here (DNS rebinding) asks for that name (Host).
"""

from __future__ import annotations

import ipaddress
import re
import secrets
import socket
from dataclasses import dataclass, field
from typing import Any

LOCAL = ("127.", "localhost", "::1")  # how names of this computer alone begin
HERE = ("127.0.0.1", "localhost", "::1")
HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d+)?", re.ASCII)
EVERYWHERE = ("0.0.0.0", "::", "")
REFUSED = "This is a page of vincolo. Open the whole address that the program printed, with the token at its end.\n"


@dataclass(frozen=True)
class Guard:
    """Looks at every request before it is answered."""

    host: str  # what the server listens on
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


def is_local(host: str) -> bool:
    """Whether only this computer can reach a host."""
    return host.startswith(LOCAL)


def _name(host: str) -> str:
    """The name in `name:port`, in small letters; empty if there is none."""
    found = HOST.fullmatch(host)
    return found["name"].strip("[]").lower() if found else ""


def _same(origin: str, host: str) -> bool:
    """Whether a page is the server's own: the same name and port that it asks for."""
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
