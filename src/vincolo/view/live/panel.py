"""The controls beside the picture: time, parts, what is shown, arrows, points."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.view.live.arrows import LOOKS
from vincolo.view.live.player import SPEEDS
from vincolo.view.live.stage import KINDS
from vincolo.view.live.views import picture
from vincolo.view.live.words import WARNING, paragraph

if TYPE_CHECKING:
    from vincolo.view.live.viewer import Viewer

STEPS = ("|◀", "◀", "▶", "▶|")
CLICKS = ("choose", "set a point", "measure")
OFTEN = 0.05  # s between new places of the slider while it plays
HIDDEN = ("mass centres",)  # at first


class TimePanel:
    """Play, pause, the slider, single steps, speed and loop."""

    def __init__(self, viewer: Viewer) -> None:
        gui, self._viewer, player = viewer.server.gui, viewer, viewer.player
        self._moved = -np.inf
        first, last = player.span
        self.digits = _digits(last - first)
        step = 10.0 ** -self.digits
        self.slider = gui.add_slider("Time [s]", first, max(last, first + step), step, first)
        self.slider.on_update(self._scrub)
        self.button = gui.add_button("Play", icon=viewer.icons.PLAYER_PLAY)
        self.button.on_click(viewer.act(lambda event: self.toggle()))
        self.steps = gui.add_button_group("Step", STEPS, hint="To the start, one sample back, one on, to the end")
        self.steps.on_click(viewer.act(lambda event: self._step(str(self.steps.value))))
        near = min(SPEEDS, key=lambda text: abs(np.log(SPEEDS[text] / player.speed)))
        self.speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value=near,
                                      hint="Seconds of motion shown per second")
        self.speed.on_update(viewer.act(lambda event: self._set_speed()))
        self.loop = gui.add_checkbox("Loop", True)
        self.loop.on_update(viewer.act(lambda event: setattr(player, "loop", bool(self.loop.value))))
        self.enable(len(viewer.track.t) > 1 or player.growing)
        gui.add_command("Play or pause", hotkey="space").on_trigger(viewer.act(lambda event: self.toggle()))

    def enable(self, useful: bool) -> None:
        """Shows the controls of time; a picture that stands still does without."""
        for handle in (self.slider, self.button, self.steps, self.speed, self.loop):
            handle.visible = useful

    def toggle(self) -> None:
        """Plays or pauses."""
        player = self._viewer.player
        if player.playing:
            player.pause()
        else:
            player.play()

    async def _scrub(self, event: Any) -> None:
        """Asynchronous, so that the places of a slider that is drawn come in order."""
        if event.client is not None:
            self._viewer.player.pause()
            self._viewer.player.seek(float(self.slider.value))

    def _step(self, which: str) -> None:
        player, t = self._viewer.player, self._viewer.track.t
        player.pause()
        k = int(np.searchsorted(t, player.now() + 1e-9 * max(1.0, abs(player.now())), side="right")) - 1
        on_sample = abs(t[max(k, 0)] - player.now()) < 0.51 * 10.0 ** -self.digits
        aims = {STEPS[0]: 0, STEPS[1]: k - 1 if on_sample else k, STEPS[2]: k + 1, STEPS[3]: len(t) - 1}
        player.seek(float(t[int(np.clip(aims[which], 0, len(t) - 1))]))

    def _set_speed(self) -> None:
        self._viewer.player.speed = SPEEDS[str(self.speed.value)]
        self._viewer.player.refresh()

    def follow(self, t: float, clock: float, still: bool) -> None:
        """Shows the time of the picture."""
        player = self._viewer.player
        label = "Pause" if player.playing else "Play"
        if self.button.label != label:
            self.button.label = label
            icons = self._viewer.icons
            self.button.icon = icons.PLAYER_PAUSE if player.playing else icons.PLAYER_PLAY
        if still or clock - self._moved >= OFTEN:
            self._moved = clock
            value = round(min(t, float(self.slider.max)), self.digits)
            if self.slider.value != value:
                self.slider.value = value

    def grow(self, last: float) -> None:
        """The slider of a motion that got longer."""
        self.slider.max = max(last, float(self.slider.min) + 10.0 ** -self.digits)


def _digits(length: float) -> int:
    """Places behind the point that tell about two thousand times apart."""
    return int(np.clip(np.ceil(-np.log10(length / 2000)), 0, 12)) if length > 0 else 3


def notes(viewer: Viewer) -> None:
    """What a user should know, above all else."""
    many = [stage.track for stage in viewer.stages]
    for k, track in enumerate(many):
        text = track.note()
        if len(many) > 1:
            text = f"{track.label}{' (solid)' if k == 0 else ' (see-through)'}. {text}"
        if text:
            viewer.server.gui.add_html(paragraph(escape(text), WARNING))


def show_tab(viewer: Viewer) -> None:
    """Views, what is drawn, and a screenshot."""
    gui = viewer.server.gui
    for row in (("iso", "front", "top", "right"), ("back", "bottom", "left")):
        views = gui.add_button_group("View" if "iso" in row else "", row)
        views.on_click(viewer.act(partial(_look, viewer, views)))
    flat = gui.add_checkbox("Parallel projection", False, hint="Nearly: seen from very far away.")
    flat.on_update(viewer.act(lambda event: viewer.project(bool(flat.value))))
    kinds = {item.kind for item in viewer.scene.items} | {link.kind for link in viewer.scene.links}
    for what in [w for w, members in KINDS.items() if kinds & set(members)]:
        _switch(viewer, what, what not in HIDDEN)
    for what in ("axes", "names"):
        _switch(viewer, what, False)
    grid = gui.add_checkbox("grid", True)
    grid.on_update(viewer.act(lambda event: setattr(viewer.grid, "visible", bool(grid.value))))
    if len(viewer.stages) > 1:
        ghosts = gui.add_checkbox("other results", True)
        ghosts.on_update(viewer.act(lambda event: viewer.show_ghosts(bool(ghosts.value))))
    shot = gui.add_button("Screenshot", icon=viewer.icons.CAMERA)
    shot.on_click(viewer.act(lambda event: event.client.send_file_download(
        "vincolo.png", picture(event.client), save_immediately=True), locked=False))


def _look(viewer: Viewer, views: Any, event: Any) -> None:
    viewer.views.look(event.client, str(views.value))


def _want(viewer: Viewer, kind: str, box: Any, event: Any) -> None:
    viewer.want(kind, bool(box.value))


def _switch(viewer: Viewer, what: str, first: bool) -> None:
    box = viewer.server.gui.add_checkbox(what, first)
    box.on_update(viewer.act(lambda event: viewer.show(what, bool(box.value))))
    if not first and what in KINDS:
        viewer.show(what, False)


def arrows_tab(viewer: Viewer) -> None:
    """Kinds of arrows, whose, and how long."""
    gui, arrows = viewer.server.gui, viewer.arrows
    for kind, (colour, _) in LOOKS.items():
        box = gui.add_checkbox(f"{kind}", False, hint=f"in the colour #{''.join(f'{c:02x}' for c in colour)}")
        box.on_update(viewer.act(partial(_want, viewer, kind, box)))
    whose = gui.add_dropdown("Of", ("all parts", "the chosen part"), initial_value="all parts")
    whose.on_update(viewer.act(lambda event: viewer.limit_arrows(whose.value != "all parts")))
    longer = gui.add_slider("Length", 0.1, 5.0, 0.1, 1.0, hint="At 1 the longest is a third of the mechanism.")

    async def stretch(event: Any) -> None:
        arrows.longer = float(longer.value)
        viewer.player.refresh()

    longer.on_update(stretch)
    rows = "".join(f"<span style='color:rgb{c}'>&#9632;</span> {escape(kind)} [{unit}]<br>"
                   for kind, (c, unit) in LOOKS.items())
    gui.add_html(paragraph(rows))


def points_tab(viewer: Viewer) -> None:
    """What a click does; distances and angles."""
    gui = viewer.server.gui
    mode = gui.add_dropdown("A click is to", CLICKS, initial_value=CLICKS[0])
    mode.on_update(viewer.act(lambda event: setattr(viewer, "click", str(mode.value))))
    viewer.measured = gui.add_html("")
    clear = gui.add_button("Clear measurement")
    clear.on_click(viewer.act(lambda event: viewer.ruler.clear()))
