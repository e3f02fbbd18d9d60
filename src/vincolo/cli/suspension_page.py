"""A page of a file's suspensions whose points can be moved: the curves follow, and the file is read again when it is
saved."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from vincolo.cli.common import guarded, opened, say
from vincolo.cli.suspensions import Wish, garage_curves
from vincolo.errors import ModelError, VincoloError
from vincolo.model.geometry import Array
from vincolo.report.suspension import moving_axle, suspension_report
from vincolo.vehicle.curves import Curves, curves
from vincolo.vehicle.files import Garage
from vincolo.view.live.guard import Guard
from vincolo.view.live.listening import browse
from vincolo.view.page import page_html

PAGE = Path(__file__).parent / "suspension_page.html"
POINTS = Path(__file__).parent / "suspension_points.js"
#: curves that follow a point while it is dragged, and how many positions they have
AT_ONCE = ("left.camber", "left.toe", "roll_centre_height", "left.scrub", "left.trail")
QUICK = 13
LONGEST = 10_000  # bytes of a request
AXES = ("x", "y", "z")


class Design:
    """What the page shows: the suspensions of a file with points that were moved in the page."""

    def __init__(self, model: str, change: list[str], wish: Wish) -> None:
        self.model, self.change, self.wish = Path(model), change, wish
        self.mark, self.trouble, self.seconds = 0, "", 0.0
        self._lock, self._seen = threading.Lock(), 0
        self._moved: dict[str, dict[str, Any]] = {}
        self._quick: dict[str, Curves] = {}  # of the file
        self._report, self._stages = b"", dict[str, bytes]()
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
                self._document, self._drawn, self._moved, self._quick = document, drawn, {}, {}
                self._make()
            except (VincoloError, OSError) as error:
                self.trouble, self.mark = str(error), self.mark + 1

    def move(self, name: str, role: str, axis: str, millimetres: float) -> None:
        """Puts a coordinate of a point elsewhere; points that cannot be are refused, and the page stays as it was."""
        with self._lock:
            point = self._point(name, role)
            if axis not in AXES:
                raise ModelError(f"there is no coordinate {axis!r} of a point {role!r}.")
            point[AXES.index(axis)] = millimetres / 1000.0
            self._put(name, role, point)

    def put(self, name: str, role: str, point: Any) -> None:
        """The same of a whole point [mm]."""
        with self._lock:
            self._point(name, role)
            self._put(name, role, np.asarray(point) / 1000.0)

    def preview(self, name: str, role: str, point: Any) -> list[dict[str, Any]]:
        """Curves as they would be with a point [mm] elsewhere, beside those of the file; nothing is moved."""
        with self._lock:
            self._point(name, role)
            garage = self._document.garage.moved(self._with(name, role, np.asarray(point) / 1000.0))
            return self._at_once(garage, name)

    def _at_once(self, garage: Garage, name: str) -> list[dict[str, Any]]:
        s = garage.suspensions[name]
        if name not in self._quick:
            self._quick[name] = curves(self._document.garage.suspensions[name], count=QUICK, wanted=AT_ONCE)
        drawn, found = self._quick[name], curves(s, count=QUICK, wanted=AT_ONCE)
        told = []
        for metric in (m for m in AT_ONCE if np.isfinite(found[m]).all() and np.isfinite(drawn[m]).all()):
            (y, unit), (before, _) = found.shown(metric), drawn.shown(metric)
            told.append({"metric": metric, "unit": unit, "x": (1e3 * found.x).tolist(), "y": y.tolist(),
                         "x_before": (1e3 * drawn.x).tolist(), "before": before.tolist()})  # fmt: skip
        return told

    def _point(self, name: str, role: str) -> Array:
        """Where a point is now [m]."""
        known = self._document.garage.suspensions
        if name not in known or role not in known[name].points:
            raise ModelError(f"there is no coordinate of a point {role!r} of a suspension {name!r}.")
        return np.array(self._moved.get(name, {}).get(role, known[name].points[role]), dtype=float)

    def _with(self, name: str, role: str, point: Array) -> dict[str, dict[str, Any]]:
        return {**self._moved, name: {**self._moved.get(name, {}), role: point}}

    def _put(self, name: str, role: str, point: Array) -> None:
        before, self._moved = self._moved, self._with(name, role, point)
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
        self._found, self._stages = found, {}
        self._now = {name: self._at_once(garage, name) for name in found}
        self.trouble, self.mark, self.seconds = "", self.mark + 1, time.perf_counter() - began

    def has(self, name: str) -> bool:
        """Whether a suspension is shown."""
        return name in self._found

    def stage(self, name: str) -> bytes:
        """The axle of a suspension on a stage, with points that can be dragged."""
        with self._lock:
            if name not in self._stages:
                moving = moving_axle(self._found[name]["parallel"])
                self._stages[name] = page_html(moving, (), name, scripts=[POINTS.read_text(encoding="utf-8")])
            return self._stages[name]

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
                    "curves": self._now, "about": {n: s.about for n, s in chosen.items()}, "moved": moved}  # fmt: skip


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
                if path == "/state":
                    design.look()
                    self._tell(design.state())
                    return
                found = page if path in ("", "/") else _page_at(design, path)
                if found is None:
                    self.send_error(404)
                else:
                    self._answer(found, "text/html; charset=utf-8")

            def do_POST(self) -> None:
                size = str(self.headers.get("Content-Length", ""))
                if self._refused():
                    return
                if not size.isdigit() or int(size) > LONGEST:
                    self.send_error(413)
                    return
                try:
                    asked = self.path.removeprefix(guard.path)
                    seen = _obey(design, asked, self.rfile.read(int(size)))
                    self._tell(design.state() if seen is None else {"curves": seen, "trouble": ""})
                except VincoloError as error:
                    told = {} if self.path.endswith("/preview") else design.state()
                    self._tell({**told, "trouble": str(error)})

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
                with suppress(ConnectionError):  # the reader left, for another page or for good
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


def _page_at(design: Design, path: str) -> bytes | None:
    """The report, or the stage of a suspension by its name."""
    if path == "/report":
        return design.report()
    name = unquote(path.removeprefix("/stage/"))
    return design.stage(name) if path.startswith("/stage/") and design.has(name) else None


def _obey(design: Design, path: str, body: bytes) -> list[dict[str, Any]] | None:
    """What the page asks for, and curves if it only looks; anything else is refused."""
    if path == "/reset":
        design.reset()
        return None
    try:
        given = json.loads(body)
        name, role = str(given["name"]), str(given["role"])
        numbers = [float(v) for v in (given["point"] if "point" in given else [given["value"]])]
        axis = str(given.get("axis", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ModelError("a point is moved with its name, role, axis and a number, or point and three.") from None
    whole = "point" in given
    if path not in ("/move", "/preview") or not np.isfinite(numbers).all() or len(numbers) != (3 if whole else 1):
        raise ModelError(f"a point cannot be moved to {given.get('point', given.get('value'))!r}.")
    if path == "/preview":
        if not whole:
            raise ModelError("a look at a point elsewhere needs all of its point.")
        return design.preview(name, role, numbers)
    if whole:
        design.put(name, role, numbers)
    else:
        design.move(name, role, axis, numbers[0])
    return None


def serve_suspensions(model: str, change: list[str], wish: Wish, *, show: bool = True) -> None:
    """Serves the page until Ctrl-C."""
    with guarded():
        server = DesignServer(Design(model, change, wish))
    say(f"the page is at {server.address}\n  Points move in the page or by saving the file; Ctrl-C ends it.")
    if show:
        browse(server.address)
    try:
        while True:
            time.sleep(1.0)
    except KeyboardInterrupt:
        say("the page has ended.")
    finally:
        server.close()
