"""The viewer: a motion in the browser, with everything that can be asked about it."""

from __future__ import annotations

import atexit
import contextlib
import sys
import threading
import time
from collections.abc import Callable
from html import escape
from typing import Any

from vincolo.errors import ModelError, VincoloError
from vincolo.results.result import Result
from vincolo.scene import Scene, scene_of
from vincolo.scene.camera import cloud_of
from vincolo.scene.scene import Item
from vincolo.view.live import panel
from vincolo.view.live.arrows import Arrows
from vincolo.view.live.guard import Guard, is_local
from vincolo.view.live.inspector import Inspector
from vincolo.view.live.measuring import Ruler, Spot, spot_of
from vincolo.view.live.part_values import key_point, parts_of
from vincolo.view.live.player import Player
from vincolo.view.live.server import address, browse, start, stop, viewer_library, waits
from vincolo.view.live.stage import KINDS, Stage, furnish
from vincolo.view.live.track import Track, labelled
from vincolo.view.live.views import Views
from vincolo.view.live.words import paragraph

LOOPBACK = "127.0.0.1"


class Viewer:
    """Shows a result, a list of results over each other, a model or a state in the browser, on the address `url`.
    Without a port the first free one from 8080 on is taken, with 0 any free one. It answers only to that address, with
    its token, and to its own pages. It serves until close()."""

    def __init__(self, scene_source: Any, *, host: str = LOOPBACK, port: int | None = None,
                 open_browser: bool | None = None, values: bool = True) -> None:
        results = labelled(scene_source)
        for label, result in results:
            _check(label, result)
        self.icons = viewer_library().Icon
        self.guard = Guard(host)
        self.lock = threading.RLock()
        self.click = panel.CLICKS[0]
        self.measured: Any = None
        self.held: Callable[[Spot], None] | None = None  # what a click on a body does instead, if anything
        self.before_drawing: Callable[[], None] | None = None
        self._closed = False
        self.server = start(port, results[0][1].system.name, self.guard)
        atexit.register(self.close)
        try:
            if open_browser is not None:  # it loads its page while the scene is made
                self.open(open_browser)
            tracks = [_track(label, result) for label, result in results]
            self.track, self.scene = tracks[0]
            with self.server.atomic():
                self._furnish(tracks)
                self._build(values)
        except BaseException:
            self.close()
            raise
        self.player.start()

    def _furnish(self, tracks: list[tuple[Track, Scene]]) -> None:
        server, track, scene = self.server, self.track, self.scene
        server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(47, 109, 181))
        server.gui.main_panel.dock_right()
        self.views = Views(server, scene, track.poses)
        self.views.begin()
        self.grid = furnish(server, scene, float((cloud_of(scene, track.poses) @ scene.up).min()))
        self.stages = [Stage(server, scene, track, clicked=self._clicked)]
        self.stages += [Stage(server, s, t, f"/ghost{k}", ghost=True) for k, (t, s) in enumerate(tracks[1:], 1)]
        self._points = 0

    def _build(self, values: bool) -> None:
        server, track = self.server, self.track
        last = max(stage.track.span[1] for stage in self.stages)
        self.player = Player((track.span[0], last), self.draw)
        panel.notes(self)
        self.top = server.gui.add_folder("Run", visible=False)  # for what watch(), drag() and show_modes() add
        self.time = panel.TimePanel(self)
        self.arrows = Arrows(server, track, self.scene.size)
        self.ruler = Ruler(server, track, self.scene.size)
        self.inspector = Inspector(server, track, parts_of(track.result) if values else [], self._mark)
        tabs = server.gui.add_tab_group()
        made = {"Part": lambda: self.inspector.build(self.act), "Show": lambda: panel.show_tab(self),
                "Arrows": lambda: panel.arrows_tab(self), "Points": lambda: panel.points_tab(self)}
        self._values = values
        for name in [n for n in made if values or n == "Show"]:
            with tabs.add_tab(name):
                made[name]()

    # what is seen

    def draw(self, t: float) -> None:
        """Puts the picture of a time together; it goes out as one message."""
        if self._closed:
            return
        clock, still = time.perf_counter(), not self.player.playing
        with self.lock, self.server.atomic():
            if self.before_drawing is not None:
                self._prepare(self.before_drawing)
            for stage in self.stages:
                stage.move(stage.track.at(t))
            self.time.follow(t, clock, still)
            if self._values:
                self.arrows.move(t, clock, still)
                self.inspector.tell(t, clock, still)
                self._measure(t)
        self.server.flush()  # at once: while the next picture is made, nothing goes out

    def _prepare(self, what: Callable[[], None]) -> None:
        try:
            what()
        except VincoloError as error:
            self.tell(str(error))

    def _measure(self, t: float) -> None:
        pose = self.track.at(t)
        self.ruler.move(pose)
        text = paragraph(escape(self.ruler.text(pose))) if self.click == "measure" else ""
        if self.measured.content != text:
            self.measured.content = text

    def show(self, what: str, visible: bool) -> None:
        """Shows or hides a kind of things."""
        for stage in self.stages:
            if what not in ("axes", "names") or not stage.ghost:
                stage.show(what, visible)

    def show_ghosts(self, visible: bool) -> None:
        """Shows or hides the other results."""
        for stage in self.stages[1:]:
            for what in KINDS:
                stage.show(what, visible)

    def project(self, parallel: bool) -> None:
        """Changes the projection of all browsers."""
        for client in self.server.get_clients().values():
            self.views.project(client, parallel)

    def want(self, kind: str, wanted: bool) -> None:
        """Switches a kind of arrows."""
        if wanted:
            self.arrows.wanted.add(kind)
        else:
            self.arrows.wanted.discard(kind)
        self.arrows.renew()

    def limit_arrows(self, chosen: bool) -> None:
        """Draws arrows of the chosen part only, or of all."""
        part = self.inspector.chosen
        self._limited = chosen
        self.arrows.only = (part.name if part is not None else "") if chosen else None
        self.arrows.renew()

    _limited = False

    def _mark(self, name: str | None) -> None:
        self.stages[0].mark(name)
        if self._limited:
            self.limit_arrows(True)

    # what users do

    def act(self, what: Callable[[Any], Any], locked: bool = True) -> Callable[[Any], None]:
        """A callback for what a user does: it tells of mistakes in the browser and has the picture drawn again. Values
        that the program itself changes call it too, without a client, and then it does nothing."""

        def call(event: Any) -> None:
            if event.client is None:
                return
            try:
                with self.lock if locked else contextlib.nullcontext():
                    what(event)
            except VincoloError as error:
                self.tell(str(error), event.client)
            except RuntimeError:
                if not self._closed:
                    raise
            self.player.refresh()

        return call

    def tell(self, text: str, client: Any = None) -> None:
        """A message in the corner of one browser, or of all."""
        for one in [client] if client is not None else list(self.server.get_clients().values()):
            one.add_notification("Vincolo", text, auto_close_seconds=12.0)

    def _clicked(self, event: Any, owner: str, item: Item | None) -> None:
        self.act(lambda event: self._use_click(event, owner, item))(event)

    def _use_click(self, event: Any, owner: str, item: Item | None) -> None:
        if self.held is None and self.click == panel.CLICKS[0]:
            if self._values:
                self.inspector.choose(self.inspector.named(owner))
            return
        if item is None:
            return
        pose = self.track.at(self.player.now())
        spot = spot_of(item.body, item.mesh, (event.ray_origin, event.ray_direction), self.track, pose)
        if spot is None:
            return
        if self.held is not None:
            self.held(spot)
        elif self.click == "measure":
            self.ruler.add(spot)
        elif spot.body in self.track.bodies:
            self.add_point(spot)

    def add_point(self, spot: Spot) -> str:
        """Defines a key point on a body; its values, plots and path are there at once. Returns its name."""
        self._points += 1
        name = f"point {self._points}"
        self.server.scene.add_icosphere(f"{self.stages[0].node_of(spot.body)}/p{self._points}", color=(26, 26, 26),
                                        radius=0.008 * self.scene.size, position=spot.point, cast_shadow=False)
        self.inspector.add(key_point(name, spot.body, spot.point))
        return name

    # life

    @property
    def url(self) -> str:
        """What to type into a browser; whoever has its token can see and control the viewer."""
        return address(self.server, self.guard)

    def open(self, browser: bool = True) -> None:
        """Says where it is, in one line, and opens the browser if there is one."""
        opened = browser and browse(self.url)
        hint = "" if opened or not browser else "; open this address in a browser"
        print(f"Viewer at {self.url}{hint}", flush=True)
        if not is_local(self.guard.host):
            print(f"warning: it listens on {self.guard.host}: whoever has this address can see and control it.",
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
        if hasattr(self, "player"):
            self.player.end()
        stop(self.server)

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _check(label: str, result: Result) -> None:
    """Refuses what cannot be drawn."""
    what = label or "the result"
    if not len(result):
        raise ModelError(f"there is nothing to show: {what} has no samples.\n  {result.reason or ''}".rstrip())
    if result.model is None:
        raise ModelError(f"{what} does not know the model it was made with, so there is nothing to draw.\n"
                         "  Load it with its model: Result.load(path, model).")


def _track(label: str, result: Result) -> tuple[Track, Scene]:
    """The motion of a result and its scene."""
    scene = scene_of(result.system)
    return Track(label, result, scene), scene


def show(result_or_list: Any, *, port: int | None = None, host: str = LOOPBACK, open_browser: bool = True,
         block: bool | None = None) -> Viewer:
    """Shows a result, several over each other, a model or a state in the browser. Waits until Ctrl-C; without `block`,
    and in a notebook, returns at once with the viewer, which serves until its close() or the end of the program."""
    viewer = Viewer(result_or_list, host=host, port=port, open_browser=open_browser)
    if waits(block):
        viewer.wait()
    return viewer
