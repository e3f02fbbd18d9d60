"""Datagrams between programs, as c/wire.c has them: numbers with a count, a number of their own and a time."""

from __future__ import annotations

import math
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from vincolo.errors import ModelError

HEAD = struct.Struct("<4sIQd")
MAGIC = b"VINC"
AHEAD = 1_000_000  # numbers that a datagram may be ahead of the last one
RESTART = 8  # datagrams in a row with other numbers than expected: their sender began anew
MOST = 1000  # datagrams that are looked at before a step
LONGEST = 65_536


@dataclass
class Counts:
    """What came in and went out."""

    good: int = 0
    lost: int = 0
    repeated: int = 0
    garbage: int = 0
    oversize: int = 0
    not_finite: int = 0
    sent: int = 0
    not_sent: int = 0
    restarts: int = 0


def packed(sequence: int, t: float, numbers: Sequence[float]) -> bytes:
    """A datagram."""
    return HEAD.pack(MAGIC, len(numbers), sequence, t) + struct.pack(f"<{len(numbers)}d", *numbers)


def unpacked(data: bytes) -> tuple[int, float, list[float]] | None:
    """The number, time [s] and numbers of a datagram; None if it is not one."""
    if len(data) < HEAD.size:
        return None
    magic, count, sequence, t = HEAD.unpack_from(data)
    if magic != MAGIC or sequence == 0 or len(data) != HEAD.size + 8 * count:
        return None
    return sequence, t, list(struct.unpack_from(f"<{count}d", data, HEAD.size))


def address_of(url: str) -> tuple[str, int]:
    """Host and port of udp://127.0.0.1:5000; this machine if no host is given."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    if parts.scheme != "udp" or port is None or parts.path or port == 0:
        raise ModelError(f"{url!r} is not an address for datagrams.\n  Write udp://127.0.0.1:5000.")
    return parts.hostname or "127.0.0.1", port


class Wire:
    """A socket that never waits: the newest good inputs come in, outputs go to whoever sent last."""

    def __init__(self, url: str) -> None:
        place = address_of(url)
        self.counts = Counts()
        self._peer: tuple[str, int] | None = None
        self._last = self._sent = 0
        self._other = self._others = 0  # the last number that was not expected, and how many came in a row
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind(place)
        except OSError as error:
            self._socket.close()
            raise ModelError(f"{url}: it cannot be listened on: {error.strerror}.\n  Choose another port.") from None

    def receive(self, count: int) -> list[float] | None:
        """The newest numbers that have come; None if no good ones have."""
        newest = None
        for _ in range(MOST):
            try:
                data, peer = self._socket.recvfrom(LONGEST)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:  # a peer that went away
                continue
            found = self._checked(data, count)
            if found is not None:
                newest, self._peer = found, peer
        return newest

    def _checked(self, data: bytes, count: int) -> list[float] | None:
        found, c = unpacked(data), self.counts
        if len(data) > HEAD.size + 8 * count:
            c.oversize += 1
        elif found is None or len(found[2]) != count:
            c.garbage += 1
        elif not all(map(math.isfinite, found[2])):
            c.not_finite += 1
        elif not self._in_order(found[0]):
            c.repeated += 1
        else:
            c.good += 1
            return found[2]
        return None

    def _in_order(self, sequence: int) -> bool:
        """Whether a datagram comes after the last one. Others are late, repeated or odd, unless as many come in a row
        that their sender must have begun anew: then they count from there on."""
        if self._last == 0 or 0 < sequence - self._last <= AHEAD:
            self.counts.lost += sequence - self._last - 1 if self._last else 0
            self._last, self._others = sequence, 0
            return True
        self._others = self._others + 1 if 0 < sequence - self._other <= AHEAD and self._others else 1
        self._other = sequence
        if self._others < RESTART:
            return False
        self._last, self._others = sequence, 0
        self.counts.restarts += 1
        return True

    def send(self, t: float, numbers: Sequence[float]) -> None:
        """Outputs to whoever sent inputs last."""
        if self._peer is None:
            return
        self._sent += 1
        try:
            self._socket.sendto(packed(self._sent, t, numbers), self._peer)
            self.counts.sent += 1
        except OSError:
            self.counts.not_sent += 1

    def close(self) -> None:
        """Ends it."""
        self._socket.close()
