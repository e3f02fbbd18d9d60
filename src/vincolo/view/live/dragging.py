"""A mechanism moved by the mouse: a point is drawn, joints stay closed, the rest follows with the least motion."""

from __future__ import annotations

import time
from html import escape
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.carry import pose
from vincolo.analyses.kinematics import Dragged, motion_range
from vincolo.analyses.mobility import mobility_of
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.body import Frame
from vincolo.model.geometry import vector
from vincolo.state import State
from vincolo.system import System, as_system
from vincolo.view.live.measuring import Spot
from vincolo.view.live.part_values import number
from vincolo.view.live.server import waits
from vincolo.view.live.track import of_states
from vincolo.view.live.viewer import LOOPBACK, Viewer
from vincolo.view.live.words import paragraph

PAUSE = 0.3  # s between counts of the freedom
STEP = 0.03  # of the size: the hand goes no further at once
HANDLES = 0.2  # of the size: how long the handles are
SHORT = 2e-3  # of the size: further from the hand than this, the point does not follow


def drag(model: Model | System, *, port: int | None = None, host: str = LOOPBACK, open_browser: bool = True,
         block: bool | None = None) -> Dragging:
    """Opens a mechanism in the browser to be moved by the mouse: choose a point, or click on a body, and draw the
    handles. Drives are released. Shows the freedom, redundant rows, coordinates and their ranges, and whether the point
    can follow. Waits until Ctrl-C unless block=False or in a notebook."""
    session = Dragging(model, host, port, open_browser)
    if waits(block):
        session.viewer.wait()
    return session


class Dragging:
    """The mechanism in hand; `state` is where it stands."""

    def __init__(self, model: Model | System, host: str, port: int | None, open_browser: bool | None) -> None:
        source = model.model if isinstance(model, System) else model
        if not isinstance(source, Model):
            raise ModelError(f"drag(): {source!r:.80} is not a model.\n  Pass a model, or its compiled system.")
        if not source.bodies:
            raise ModelError("drag(): the model has no bodies, so there is nothing to move.")
        self._model = source.copy()
        self._model.holds = {name: held for name, held in source.holds.items() if not held.drive}
        self._begin = assemble(as_system(self._model))
        self._hand = Dragged(self._begin)
        self._target: Any = None
        self._released = False
        self._freedom: tuple[float, str] = (-np.inf, "")
        self.viewer = Viewer(self._begin, host=host, port=port, open_browser=open_browser)
        self._points = self._known_points()
        self._build()
        self.viewer.held = self.take
        self.viewer.before_drawing = self._follow

    @property
    def state(self) -> State:
        """Positions of all bodies now."""
        return self._hand.state

    def _known_points(self) -> dict[str, Frame]:
        """Named frames, and joints by the frame that is on a moving body."""
        found = {f"{name} (frame)": frame for name, frame in self._model.frames.items() if not frame.body.is_ground}
        for name, joint in self._model.joints.items():
            frame = joint.a if joint.b.body.is_ground else joint.b
            if not frame.body.is_ground and frame.motion is None:
                found[f"{name} ({frame.body.name})"] = frame
        if not found:
            body = next(iter(self._model.bodies.values()))
            self._name_frame("hand", body.name, body.com)
            found = {f"centre of {body.name}": self._model.frames["hand"]}
        return found

    def _build(self) -> None:
        viewer, gui = self.viewer, self.viewer.server.gui
        viewer.top.visible = True
        viewer.top.label = "Drag"
        names = tuple(self._points)
        with viewer.top:
            self._list = gui.add_dropdown("Point", names, initial_value=names[-1],
                                          hint="Or click on a body to take hold of it there.")
            self._list.on_update(viewer.act(lambda event: self._put_handles()))
            self._said = gui.add_html("")
            self._range = gui.add_dropdown("Range of", ("(choose)", *self._coordinates()), initial_value="(choose)")
            self._range.on_update(viewer.act(lambda event: self._tell_range()))
            self._ranged = gui.add_html("")
            back = gui.add_button("Back to the start")
            back.on_click(viewer.act(lambda event: self.reset()))
        self._handles = viewer.server.scene.add_transform_controls(
            "/hand", scale=HANDLES * viewer.scene.size, disable_rotations=True, depth_test=False)
        self._handles.on_update(self._pulled)
        self._put_handles()

    def _coordinates(self) -> list[str]:
        return [f"{joint.name}.{name}" for joint in self._model.joints.values() for name in joint.coordinates]

    @property
    def point(self) -> Frame:
        """The frame whose point is drawn."""
        return self._points[str(self._list.value)]

    def _place(self) -> Any:
        return self.state.channels.point(self.point)[0]

    def _put_handles(self) -> None:
        self._target, self._hand.left = None, 0.0
        self._handles.position = self._place()
        self._say()

    async def _pulled(self, event: Any) -> None:
        """Remembers the newest place of the handles; the next picture goes there."""
        self._target, self._released = np.array(event.target.position), event.phase == "end"
        self.viewer.player.refresh()

    def to(self, target: Any) -> State:
        """Draws the chosen point towards a world point, as the handles do."""
        with self.viewer.lock:
            aim, here = vector("drag: the target", target), self._place()
            steps = int(np.clip(np.ceil(np.linalg.norm(aim - here) / (STEP * self.viewer.scene.size)), 1, 40))
            for share in np.arange(1, steps + 1) / steps:  # small moves, so that it does not jump to another branch
                self._hand.to(self.point, here + share * (aim - here))
            self._show()
            self._say()
            return self.state

    def _show(self) -> None:
        self.viewer.track.renew(of_states([self.state], np.zeros(1)))
        self.viewer.player.refresh()

    def _follow(self) -> None:
        target, self._target = self._target, None
        if target is not None:
            self.to(target)
        if self._released:  # the handles go back to the point
            self._released = False
            self._put_handles()

    def _say(self) -> None:
        """Freedom, redundancy, whether the point follows, and all coordinates."""
        state, size = self.state, self.viewer.scene.size
        lines = [self._counted(state)]
        if self._hand.left > SHORT * size:
            lines.append(f"<span style='color:#c8372d'>The point cannot follow: it stays {number(self._hand.left)} m "
                         "behind. It is at the end of its reach, or its joints do not let it go that way.</span>")
        lines += [f"{escape(name)} = {number(state[name])} {state.channels.unit(name)}" for name in self._coordinates()]
        self._said.content = paragraph("<br>".join(lines))

    def _counted(self, state: State) -> str:
        """Freedom and redundancy; counting takes time, so not at every picture."""
        if time.perf_counter() - self._freedom[0] > PAUSE:
            m = mobility_of(state)
            text = (f"{m.dof} degree{'s' if m.dof != 1 else ''} of freedom, "
                    f"{m.redundant} redundant row{'s' if m.redundant != 1 else ''}")
            self._freedom = (time.perf_counter(), text)
        return self._freedom[1]

    def _tell_range(self) -> None:
        name = str(self._range.value)
        if name not in self._coordinates():
            self._ranged.content = ""
            return
        unit = self.state.channels.unit(name)
        limit = 2 * np.pi if unit == "rad" else 2 * self.viewer.scene.size
        found = motion_range(self._model, name, start=self.state, limit=limit)
        reach = "" if found.full_turn else f" {unit}, as far as {number(limit)} {unit} from here"
        self._ranged.content = paragraph(escape(f"{found}{reach}"))

    def reset(self) -> None:
        """Puts the mechanism back where it was at first."""
        with self.viewer.lock:
            self._hand = Dragged(pose(self._begin, self._hand.system))
            self._show()
            self._put_handles()

    def take(self, spot: Spot) -> None:
        """Takes hold of a body at a point of it."""
        if spot.body not in self._model.bodies:
            return
        with self.viewer.lock:
            names = {name for group in self._model.groups().values() for name in group}
            name = next(f"hand {k}" for k in range(1, len(names) + 2) if f"hand {k}" not in names)
            self._name_frame(name, spot.body, spot.point)
            title = f"{name} ({spot.body})"
            self._points[title] = self._model.frames[name]
            self._list.options = tuple(self._points)
            self._list.value = title
            self._put_handles()

    def _name_frame(self, name: str, body: str, point: Any) -> None:
        """The kernel follows frames it knows: the model is compiled again with one more."""
        state = self.state
        self._model = self._model.copy()
        self._model.frame(name, body, local=point)
        self._hand = Dragged(pose(state, as_system(self._model)))
