"""A linkage that is searched for, in the browser: the best so far with its path and the points to pass."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from vincolo.analyses.kinematics import kinematics
from vincolo.errors import ModelError
from vincolo.model.geometry import Array
from vincolo.model.looks import Look
from vincolo.results.result import Result
from vincolo.scene import scene_of
from vincolo.studies.synthesis import FourBar, PathLinkage, path_linkage
from vincolo.view.live.controls import Controls
from vincolo.view.live.listening import LOOPBACK, waits
from vincolo.view.live.viewer import Viewer

OFTEN = 0.25  # s between two linkages that are shown
SAMPLES = 120  # of a turn
DOT = 0.012  # of the size: a point to pass
RESIZED = 1.1  # so much larger or smaller, and all of it is looked at again


def watch_path(points: Any, *, limits: Mapping[str, tuple[float, float]], port: int | None = None,
               host: str = LOOPBACK, open_browser: bool = True, block: bool | None = None,
               **search: Any) -> PathLinkage:
    """Searches for a four-bar as path_linkage() does, with the same arguments, and shows the best so far in the
    browser: in motion, with the path of its traced point and the points to pass. A button ends the search. At the end
    it goes on showing until Ctrl-C, unless block=False or in a notebook. Returns what was found."""
    if "watch" in search:
        raise ModelError("watch_path(): watch= has no effect here; the browser shows every better linkage.")
    shown = _Search(points, host, port, open_browser)
    try:
        found = path_linkage(points, limits=limits, watch=shown.better, **search)
        shown.finish(found)
        if waits(block) and shown.viewer is not None:
            shown.viewer.wait()
    finally:
        if shown.viewer is not None:
            shown.viewer.close()
    return found


def turning(linkage: FourBar, theta: Array, points: Array) -> Result:
    """A turn of the crank from its first angle on, with the points to pass as dots that stand still."""
    model = linkage.model(start=float(theta[0]))
    coupler = model.bodies["coupler"]
    at = {name: model.joints[name].b.body.at + model.joints[name].b.point for name in ("A", "B")}
    model.outline(coupler, [at["A"], at["B"], coupler.at + model.frames["P"].point])
    size = scene_of(model).size
    first = np.array([points[0, 0], 0.0, points[0, 1]])
    dots = model.body("points to pass", mass=1.0, inertia=0.01, at=first)  # nothing moves it
    model.looks[dots.name] = tuple(Look("sphere", {"radius": DOT * size}, np.array([x, 0.0, y]) - first, colour="red")
                                   for x, y in points)
    return kinematics(model, 2 * np.pi, outputs=SAMPLES)


class _Search:
    """What is shown of a search; the viewer opens with the first linkage."""

    def __init__(self, points: Any, host: str, port: int | None, open_browser: bool) -> None:
        self._points, self._place, self._browser = np.asarray(points, dtype=float), (host, port), open_browser
        self.viewer: Viewer | None = None
        self._stop = threading.Event()
        self._sent, self._size, self._count = -np.inf, 0.0, 0

    def better(self, found: PathLinkage) -> bool:
        """A linkage that is better than those before; whether the search is to end."""
        self._count += 1
        if time.perf_counter() - self._sent > OFTEN and np.isfinite(found.error):
            self._show(found, "searching")
        return self._stop.is_set()

    def finish(self, found: PathLinkage) -> None:
        """The end of the search."""
        self._show(found, "ended by the user" if self._stop.is_set() else "done")
        if self.viewer is not None and self.viewer.controls is not None:
            self.viewer.controls.show("end", hidden=True)

    def _show(self, found: PathLinkage, state: str) -> None:
        result = turning(found.linkage, found.theta, self._points)
        size = scene_of(result.system).size
        fit = not self._size or max(size / self._size, self._size / size) > RESIZED
        self._size = size if fit else self._size
        if self.viewer is None:
            self.viewer = self._opened(result)
        viewer, text = self.viewer, self._told(found, state)
        assert viewer.controls is not None
        viewer.controls.show("line", text=text)
        viewer.server.call(lambda: viewer.renew(result, fit=fit))
        self._sent = time.perf_counter()

    def _opened(self, result: Result) -> Viewer:
        host, port = self._place
        viewer = Viewer(result, host=host, port=port, values=False)
        viewer.options = {"play": True, "trace": ["P"], "look": "front"}
        viewer.controls = Controls(viewer.server, "Search")
        viewer.controls.text("line")
        viewer.controls.button("end", "End the search here", lambda _: self._stop.set(), "The best so far is taken")
        viewer.open(self._browser)
        return viewer

    def _told(self, found: PathLinkage, state: str) -> str:
        distance = float(np.sqrt(found.error / len(self._points)))
        return "\n".join([f"{state}: {found.evaluations:,} linkages, {self._count:,} times better",
                          f"sum of squared distances {found.error:.4g} m\u00b2",
                          f"{distance:.4g} m from a point in the mean (rms)", *(found.defects or ["without defects"])])
