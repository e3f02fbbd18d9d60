"""What is on its way to a browser: a slow one gets the newest pictures, and one that takes nothing is let go."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from itertools import count
from typing import Any

MOST = 512 * 2**20  # bytes that may wait for one browser


class Outbox:
    """Messages in order; put() from any thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: OrderedDict[str | int, str | bytes] = OrderedDict()
        self._numbers = count()
        self._size = 0
        self._filled = asyncio.Event()
        self._ended = False

    def put(self, message: dict[str, Any] | bytes, replaces: str = "") -> None:
        """One more message; it takes the place of one that it `replaces` and that is still here."""
        data = message if isinstance(message, bytes) else json.dumps(message, allow_nan=False)
        self._do(lambda: self._add(data, replaces))

    def end(self) -> None:
        """Nothing more will come."""
        self._do(self._stop)

    def _do(self, what: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(what)
        except RuntimeError:  # the server has ended, and with it all connections
            if not self._loop.is_closed():
                raise

    def _add(self, data: str | bytes, replaces: str) -> None:
        key: str | int = replaces or next(self._numbers)
        self._size += len(data) - len(self._waiting.get(key, b""))
        self._waiting[key] = data
        self._waiting.move_to_end(key)  # never before what it may depend on
        if self._size > MOST:
            self._stop()
        self._filled.set()

    def _stop(self) -> None:
        self._ended = True
        self._filled.set()

    async def sent_over(self, connection: Any) -> None:
        """Sends everything that comes, until the end."""
        while True:
            await self._filled.wait()
            while self._waiting and self._size <= MOST:
                _, data = self._waiting.popitem(last=False)
                self._size -= len(data)
                await connection.send(data)
            self._filled.clear()
            if self._ended:
                await connection.close(1000 if self._size <= MOST else 1013)
                return
