"""The viewer: a motion in the browser, with everything that can be asked about it."""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Callable
from typing import Any, Self

from vincolo.results.result import Result
from vincolo.view.live.controls import Controls
from vincolo.view.live.feeding import live_page, scene_message
from vincolo.view.live.guard import is_local
from vincolo.view.live.listening import LOOPBACK, browse, waits
from vincolo.view.live.messages import Message
from vincolo.view.live.server import Client, Server, Session
from vincolo.view.live.shown import check_shown, labelled


class Served:
    """The life of a page: where it is, and until when."""

    def __init__(self, server: Server) -> None:
        self.server, self._closed = server, False
        atexit.register(self.close)

    @property
    def url(self) -> str:
        """What to type into a browser; whoever has its token can see and control the viewer."""
        return self.server.url

    def open(self, browser: bool = True) -> None:
        """Says where it is, in one line, and opens the browser if there is one."""
        opened = browser and browse(self.url)
        hint = "" if opened or not browser else "; open this address in a browser"
        print(f"Viewer at {self.url}{hint}", flush=True)
        if not is_local(self.server.guard.host):
            print(f"warning: it listens on {self.server.guard.host}: whoever has this address can see and control it.",
                  file=sys.stderr, flush=True)

    def wait(self) -> None:
        """Serves until Ctrl-C, then closes."""
        print("Ctrl-C ends it.", flush=True)
        try:
            while not self._closed:
                time.sleep(0.2)
        except KeyboardInterrupt:
            print("\nThe viewer is closed.", flush=True)
        finally:
            self.close()

    def close(self) -> None:
        """Ends the server; browsers keep the last picture."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        self.server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Viewer(Served, Session):
    """Shows a result, a list of results over each other, a model or a state in the browser, on the address `url`.
    Without a port the first free one from 8080 on is taken, with 0 any free one. It answers only to that address, with
    its token, and to its own pages. Several browsers may look at it. It serves until close()."""

    def __init__(self, scene_source: Any, *, host: str = LOOPBACK, port: int | None = None,
                 open_browser: bool | None = None, values: bool = True) -> None:
        self.results = labelled(scene_source)
        for label, result in self.results:
            check_shown(label, result)
        self.controls: Controls | None = None
        self.acts: dict[str, Callable[[Client, Message], None]] = {}  # for messages of other types
        self.grab = ""  # what to tell users who can draw bodies with the mouse
        self.options: dict[str, Any] = {}  # of the scene: growing, loop, play
        self._values = values
        self._scene: bytes | None = None
        self.title = ", ".join(dict.fromkeys(r.system.name for _, r in self.results))
        super().__init__(Server(live_page(self.title), self, host=host, port=port, newest=("move",)))
        if open_browser is not None:  # it loads its page while the scene is made
            self.open(open_browser)

    # what browsers see

    @property
    def scene(self) -> bytes:
        """The message of what is shown, made when it is first needed."""
        if self._scene is None:
            self._scene = scene_message(self.title, self.results, series=self._values, **self.options)
        return self._scene

    def renew(self, result: Result, **options: Any) -> None:
        """Shows another result in the place of the first one, in all browsers."""
        self.results = [(self.results[0][0], result), *self.results[1:]]
        self.options |= options
        self._scene = None
        if self.server.clients:
            self.server.broadcast(self.scene, replaces="scene")

    def grown(self, result: Result, more: bytes, **options: Any) -> None:
        """The first result has got longer: `more` tells browsers that see the rest."""
        self.results = [(self.results[0][0], result), *self.results[1:]]
        self.options |= options
        self._scene = None
        self.server.broadcast(more)

    def seek(self, t: float) -> None:
        """Goes to a time [s], in all browsers."""
        self.server.broadcast({"type": "time", "time": float(t)})

    def play(self, on: bool = True) -> None:
        """Plays or pauses, in all browsers."""
        self.server.broadcast({"type": "time", "play": bool(on)})

    def tell(self, text: str) -> None:
        """A message in the corner of all browsers, for some seconds."""
        self.server.broadcast({"type": "note", "text": text})

    # what browsers say

    def on_open(self, client: Client) -> None:
        """A browser that comes gets all that is shown now."""
        client.send(self.scene)
        if self.controls is not None:
            client.send(self.controls.message())
        if self.grab:
            client.send({"type": "grab", "on": True, "hint": self.grab})

    def on_message(self, client: Client, message: Message) -> None:
        """Controls that are used, and what else was asked to be heard."""
        if message["type"] == "control" and self.controls is not None:
            self.controls.use(message)
        elif message["type"] in self.acts:
            self.acts[message["type"]](client, message)
        else:
            client.send({"type": "error", "text": f"This page has nothing to say of {message['type']!r:.60}."})


def show(result_or_list: Any, *, port: int | None = None, host: str = LOOPBACK, open_browser: bool = True,
         block: bool | None = None) -> Viewer:
    """Shows a result, several over each other, a model or a state in the browser. Waits until Ctrl-C; without `block`,
    and in a notebook, returns at once with the viewer, which serves until its close() or the end of the program."""
    viewer = Viewer(result_or_list, host=host, port=port, open_browser=open_browser)
    if waits(block):
        viewer.wait()
    return viewer
