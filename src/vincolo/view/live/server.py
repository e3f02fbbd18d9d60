"""A page and a socket on the loopback address: several browsers, one session behind them.

The server runs in a thread of its own; a second thread hands what browsers say to the session, one message at a time,
so that a session needs no lock against itself and a long computation does not keep pages from loading.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from http import HTTPStatus
from itertools import count
from queue import SimpleQueue
from typing import Any

from vincolo.errors import VincoloError
from vincolo.view.live.guard import REFUSED, Guard
from vincolo.view.live.listening import LOOPBACK, listening, socket_library
from vincolo.view.live.messages import Message, read
from vincolo.view.live.outbox import Outbox

LARGEST = 64 * 2**20  # bytes of a message from a browser: a mesh file may be dropped upon the page
CLIENTS = 32  # browsers at once
PATIENCE = 5.0  # s, for threads to end
HEADERS = {"Content-Type": "text/html; charset=utf-8", "Referrer-Policy": "no-referrer",  # the token stays in this page
           "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "SAMEORIGIN",
           "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"}
log = logging.getLogger("vincolo.view")


class Client:
    """A browser that is connected. `kept` is a place for what a session wants to remember of it."""

    def __init__(self, number: int, outbox: Outbox) -> None:
        self.number, self._outbox = number, outbox
        self.kept: dict[str, Any] = {}

    def send(self, message: Message | bytes, replaces: str = "") -> None:
        """Sends a message, from any thread, without waiting. One that `replaces` others takes the place of the last of
        that name if it is not sent yet: who draws slowly gets the newest poses, not all."""
        self._outbox.put(message, replaces)

    def close(self) -> None:
        """Ends the connection after what was sent."""
        self._outbox.end()


class Session:
    """The program that a page talks to. These are called one after the other, from one thread."""

    def on_open(self, client: Client) -> None:
        """A browser has connected."""

    def on_message(self, client: Client, message: Message) -> None:
        """A browser says something; `message["type"]` is a text. What is raised as a VincoloError is told to it."""

    def on_close(self, client: Client) -> None:
        """A browser has left."""


class Server:
    """Serves one page and its socket at `url`, for the session; `newest` are types of messages of which only the newest
    of each browser counts, such as the place of a pointer."""

    def __init__(self, page: bytes | Callable[[], bytes], session: Session, *, host: str = LOOPBACK,
                 port: int | None = None, newest: Iterable[str] = (), largest: int = LARGEST) -> None:
        library = socket_library()
        self.guard = Guard(host)
        self._page, self._session, self._largest = page, session, largest
        self._newest = frozenset(newest)
        self._socket = listening(host, port)
        self.port: int = self._socket.getsockname()[1]
        self._clients: dict[int, Client] = {}
        self._numbers = count(1)
        self._said: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._waiting: OrderedDict[tuple[int, str], Message] = OrderedDict()  # of which the newest counts
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._over: asyncio.Event | None = None
        self._ready = threading.Event()
        self._closed = False
        self._threads = [threading.Thread(target=self._serve, args=(library,), name="vincolo socket", daemon=True),
                         threading.Thread(target=self._work, name="vincolo session", daemon=True)]
        for thread in self._threads:
            thread.start()
        self._ready.wait(PATIENCE)

    @property
    def url(self) -> str:
        """What to type into a browser on this computer; whoever has its token can see and control the page."""
        host = self.guard.host
        name = LOOPBACK if host in ("0.0.0.0", "") else "::1" if host == "::" else host.strip("[]")
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}{self.guard.path}"

    @property
    def clients(self) -> list[Client]:
        """The browsers that are connected."""
        with self._lock:
            return list(self._clients.values())

    def broadcast(self, message: Message | bytes, replaces: str = "", but: Client | None = None) -> None:
        """Sends a message to all browsers, or to all but one; see Client.send."""
        for client in self.clients:
            if client is not but:
                client.send(message, replaces)

    def call(self, what: Callable[[], None]) -> None:
        """Has something done in the session's thread, after what was said before."""
        self._said.put(what)

    def close(self) -> None:
        """Ends the server; browsers keep the last picture and say that it is gone."""
        if self._closed:
            return
        self._closed = True
        if self._over is not None:
            self._loop.call_soon_threadsafe(self._over.set)
        self._join(self._threads[0])  # then all that browsers said is known, their leaving too
        self._said.put(None)
        self._join(self._threads[1])

    @staticmethod
    def _join(thread: threading.Thread) -> None:
        if thread is not threading.current_thread():
            thread.join(PATIENCE)

    # in the thread of the socket

    def _serve(self, library: Any) -> None:
        try:
            self._loop.run_until_complete(self._listen(library))
        finally:
            self._ready.set()
            self._loop.close()
            self._socket.close()

    async def _listen(self, library: Any) -> None:
        self._over = asyncio.Event()
        quiet = logging.getLogger("vincolo.view.socket")  # a closed tab is not an error
        quiet.setLevel(logging.CRITICAL)
        async with library.serve(self._talk, sock=self._socket, process_request=self._asked, compression=None,
                                 max_size=self._largest, logger=quiet, open_timeout=PATIENCE, close_timeout=1.0,
                                 ping_timeout=None, server_header=None):
            self._ready.set()
            await self._over.wait()

    def _asked(self, connection: Any, request: Any) -> Any:
        """Answers requests of others and for the page; None lets a socket open."""
        if self.guard.trouble(request.path, request.headers):
            return connection.respond(HTTPStatus.FORBIDDEN, REFUSED)
        if request.path.partition("?")[0].rstrip("/") != self.guard.path:
            return connection.respond(HTTPStatus.NOT_FOUND, "There is nothing here.\n")
        if request.headers.get_all("Upgrade"):
            crowded = len(self._clients) >= CLIENTS
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "Too many browsers.\n") if crowded else None
        page = self._page if isinstance(self._page, bytes) else self._page()
        answer = connection.respond(HTTPStatus.OK, "")
        answer.body = page
        del answer.headers["Content-Length"], answer.headers["Content-Type"]
        for name, value in {**HEADERS, "Content-Length": str(len(page))}.items():
            answer.headers[name] = value
        return answer

    async def _talk(self, connection: Any) -> None:
        """One browser, from its opening to its end."""
        outbox = Outbox(self._loop)
        client = Client(next(self._numbers), outbox)
        self._said.put(lambda: self._opened(client))
        writer = asyncio.ensure_future(outbox.sent_over(connection))
        try:
            async for text in connection:
                self._hear(client, text)
        except Exception as error:  # noqa: BLE001  it went away in the middle of something, or said too much
            log.debug("the connection of browser %d broke: %s", client.number, error)
        finally:
            writer.cancel()
            self._said.put(lambda: self._left(client))

    def _hear(self, client: Client, text: str | bytes) -> None:
        try:
            message = read(text)
        except ValueError as error:
            client.send({"type": "error", "text": f"The message cannot be read: {error}."})
            return
        key = (client.number, message["type"])
        if message["type"] in self._newest:
            with self._lock:
                known = key in self._waiting
                self._waiting[key] = message
            if not known:
                self._said.put(lambda: self._tell(client, self._taken(key)))
        else:
            self._said.put(lambda: self._tell(client, message))

    # in the thread of the session

    def _work(self) -> None:
        while (what := self._said.get()) is not None:
            try:
                what()
            except Exception:
                log.exception("the page could not be served")

    def _taken(self, key: tuple[int, str]) -> Message:
        with self._lock:
            return self._waiting.pop(key)

    def _opened(self, client: Client) -> None:
        with self._lock:  # not before: what is broadcast follows what it gets first
            self._clients[client.number] = client
        self._answer(client, lambda: self._session.on_open(client), "the opening")

    def _left(self, client: Client) -> None:
        with self._lock:
            del self._clients[client.number]
        self._session.on_close(client)

    def _tell(self, client: Client, message: Message) -> None:
        self._answer(client, lambda: self._session.on_message(client, message), message)

    def _answer(self, client: Client, what: Callable[[], None], asked: Any) -> None:
        try:
            what()
        except VincoloError as error:
            client.send({"type": "error", "text": str(error)})
        except Exception as error:
            client.send({"type": "error", "text": f"A mistake of the program ({type(error).__name__}): {error}"})
            log.exception("the page could not be answered: %.200r", asked)
