"""A page of a file's suspensions whose points can be moved: the curves follow, and the file is read again when it is
saved."""

from __future__ import annotations

import json
import threading
import time
import webbrowser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.cli.common import guarded, opened, say
from vincolo.cli.suspensions import Wish, garage_curves
from vincolo.errors import ModelError, VincoloError
from vincolo.report.suspension import suspension_report
from vincolo.vehicle.curves import Curves
from vincolo.view.live.guard import Guard

PAGE = Path(__file__).parent / "suspension_page.html"
LONGEST = 10_000  # bytes of a request
AXES = ("x", "y", "z")


class Design:
    """What the page shows: the suspensions of a file with points that were moved in the page."""

    def __init__(self, model: str, change: list[str], wish: Wish) -> None:
        self.model, self.change, self.wish = Path(model), change, wish
        self.mark, self.trouble, self.seconds = 0, "", 0.0
        self._lock, self._seen = threading.Lock(), 0
        self._moved: dict[str, dict[str, Any]] = {}
        self._report = b""
        self.look()
        if self.trouble:
            raise ModelError(self.trouble)

    def look(self) -> None:
        """Reads the file again if it was saved; what is wrong with it is kept to be shown."""
        with self._lock:
            changed = self.model.stat().st_mtime_ns if self.model.exists() else self._seen
            if changed == self._seen:
                return
            self._seen = changed
            try:
                document = opened(str(self.model), self.change, True)
                drawn = garage_curves(document.garage, self.wish)
                self._document, self._drawn, self._moved = document, drawn, {}
                self._make()
            except (VincoloError, OSError) as error:
                self.trouble, self.mark = str(error), self.mark + 1

    def move(self, name: str, role: str, axis: str, millimetres: float) -> None:
        """Puts a coordinate of a point elsewhere; points that cannot be are refused, and the page stays as it was."""
        with self._lock:
            known = self._document.garage.suspensions
            if name not in known or role not in known[name].points or axis not in AXES:
                raise ModelError(f"there is no coordinate {axis!r} of a point {role!r} of a suspension {name!r}.")
            before = self._moved
            own = dict(before.get(name, {}))
            point = np.array(own.get(role, known[name].points[role]), dtype=float)
            point[AXES.index(axis)] = float(millimetres) / 1000.0
            own[role] = point
            self._moved = {**before, name: own}
            try:
                self._make()
            except (VincoloError, OSError):
                self._moved = before
                raise

    def reset(self) -> None:
        """All points where the file has them."""
        with self._lock:
            self._moved = {}
            self._make()

    def _make(self) -> None:
        began = time.perf_counter()
        garage = self._document.garage.moved(self._moved)
        found = garage_curves(garage, self.wish)
        beside: dict[str, dict[str, dict[str, Curves]]] = {"in the file": self._drawn} if self._moved else {}
        self._report = suspension_report(
            found, title=self._document.model.name, limits=garage.limits, compared=beside, loads=garage.loads()
        )
        self.trouble, self.mark, self.seconds = "", self.mark + 1, time.perf_counter() - began

    def report(self) -> bytes:
        """The page with curves and tables."""
        with self._lock:
            return self._report

    def state(self) -> dict[str, Any]:
        """Where the points are [mm], which were moved, and what is wrong."""
        with self._lock:
            shown = self._document.garage.moved(self._moved).suspensions
            chosen = {n: s for n, s in shown.items() if self.wish.suspension in (None, n)}
            moved = [
                f"--set {name}_{role}.{axis}={1e3 * v:.6g}mm"
                for name, own in self._moved.items()
                for role, p in own.items()
                for axis, v, old in zip(AXES, p, self._document.garage.suspensions[name].points[role], strict=True)
                if v != old
            ]
            points = {n: {r: [round(1e3 * float(v), 6) for v in p] for r, p in s.points.items()}
                      for n, s in chosen.items()}  # fmt: skip
            return {"mark": self.mark, "trouble": self.trouble, "seconds": self.seconds, "points": points,
                    "about": {n: s.about for n, s in chosen.items()}, "moved": moved}  # fmt: skip


class DesignServer:
    """Serves the page to this machine; requests need the token in its address."""

    def __init__(self, design: Design, port: int = 0) -> None:
        guard = Guard("127.0.0.1")
        page = PAGE.read_bytes()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self._refused():
                    return
                path = self.path.partition("?")[0].removeprefix(guard.path)
                if path in ("", "/"):
                    self._answer(page, "text/html; charset=utf-8")
                elif path == "/report":
                    self._answer(design.report(), "text/html; charset=utf-8")
                elif path == "/state":
                    design.look()
                    self._tell(design.state())
                else:
                    self.send_error(404)

            def do_POST(self) -> None:
                size = str(self.headers.get("Content-Length", ""))
                if self._refused():
                    return
                if not size.isdigit() or int(size) > LONGEST:
                    self.send_error(413)
                    return
                try:
                    _obey(design, self.path.removeprefix(guard.path), self.rfile.read(int(size)))
                    self._tell(design.state())
                except VincoloError as error:
                    self._tell({**design.state(), "trouble": str(error)})

            def _refused(self) -> bool:
                trouble = guard.trouble(self.path, _Headers(self.headers))
                if trouble:
                    self.send_error(403)
                return bool(trouble)

            def _tell(self, data: dict[str, Any]) -> None:
                self._answer(json.dumps(data, allow_nan=False).encode(), "application/json")

            def _answer(self, data: bytes, kind: str) -> None:
                self.send_response(200)
                for key, value in (("Content-Type", kind), ("Content-Length", str(len(data))),
                                   ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")):  # fmt: skip
                    self.send_header(key, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing: the terminal is for messages."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}{guard.path}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()


class _Headers:
    """Headers as the guard asks for them."""

    def __init__(self, headers: Any) -> None:
        self._headers = headers

    def get_all(self, name: str) -> list[str]:
        return self._headers.get_all(name) or []


def _obey(design: Design, path: str, body: bytes) -> None:
    """What the page asks for; anything else is refused."""
    if path == "/reset":
        design.reset()
        return
    try:
        given = json.loads(body)
        name, role, axis, value = (given[key] for key in ("name", "role", "axis", "value"))
        number = float(value)
    except (ValueError, KeyError, TypeError):
        raise ModelError("a point is moved with its name, role, axis and a number.") from None
    if path != "/move" or not np.isfinite(number):
        raise ModelError(f"a point cannot be moved to {value!r}.")
    design.move(str(name), str(role), str(axis), number)


def serve_suspensions(model: str, change: list[str], wish: Wish, *, show: bool = True) -> None:
    """Serves the page until Ctrl-C."""
    with guarded():
        server = DesignServer(Design(model, change, wish))
    say(f"the page is at {server.address}\n  Points move in the page or by saving the file; Ctrl-C ends it.")
    if show:
        webbrowser.open(server.address)
    try:
        while True:
            time.sleep(1.0)
    except KeyboardInterrupt:
        say("the page has ended.")
    finally:
        server.close()
