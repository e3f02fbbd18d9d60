"""A mechanism moved by the mouse: a point is drawn, joints stay closed, the rest follows with the least motion."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.carry import pose
from vincolo.analyses.kinematics import Dragged, motion_range
from vincolo.analyses.mobility import mobility_of
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number
from vincolo.model.geometry import vector
from vincolo.scene import scene_of
from vincolo.state import State
from vincolo.system import System, as_system
from vincolo.view.live.controls import Controls
from vincolo.view.live.feeding import poses_message
from vincolo.view.live.listening import LOOPBACK, waits
from vincolo.view.live.messages import Message
from vincolo.view.live.server import Client
from vincolo.view.live.shown import of_states
from vincolo.view.live.viewer import Viewer

PAUSE = 0.3  # s between counts of the freedom
STEP = 0.03  # of the size: the hand goes no further at once
MOST_STEPS = 40
SHORT = 2e-3  # of the size: further from the hand than this, the point does not follow
HINT = "Drag a body or a joint; the mechanism follows"
CHOOSE = "(choose)"


def drag(model: Model | System, *, port: int | None = None, host: str = LOOPBACK, open_browser: bool = True,
         block: bool | None = None) -> Dragging:
    """Opens a mechanism in the browser to be moved by the mouse: take a body or a joint and draw it. Drives are
    released. Shows the freedom, redundant rows, coordinates and their ranges, and whether the point can follow. Waits
    until Ctrl-C unless block=False or in a notebook."""
    session = Dragging(model, host, port)
    session.viewer.open(open_browser)
    if waits(block):
        session.viewer.wait()
    return session


class Dragging:
    """The mechanism in hand; `state` is where it stands."""

    def __init__(self, model: Model | System, host: str = LOOPBACK, port: int | None = None) -> None:
        source = model.model if isinstance(model, System) else model
        if not isinstance(source, Model):
            raise ModelError(f"drag(): {source!r:.80} is not a model.\n  Pass a model, or its compiled system.")
        if not source.bodies:
            raise ModelError("drag(): the model has no bodies, so there is nothing to move.")
        self._model = source.copy()
        self._model.holds = {name: held for name, held in source.holds.items() if not held.drive}
        self._begin = assemble(as_system(self._model))
        self._size = scene_of(self._model).size
        self._hand = Dragged(self._begin)
        self._holder = 0  # the browser that draws
        self._freedom: tuple[float, str] = (-np.inf, "")
        self.point: Frame | None = None
        self.viewer = Viewer(self._begin, host=host, port=port)
        self.viewer.grab = HINT
        self.viewer.acts = {"take": self._take, "move": self._move, "drop": self._drop}
        self._build()

    @property
    def state(self) -> State:
        """Positions of all bodies now."""
        return self._hand.state

    def _build(self) -> None:
        self.controls = self.viewer.controls = Controls(self.viewer.server, "Move it")
        self.controls.text("freedom")
        self.controls.text("follows")
        self.controls.text("coordinates")
        if self._coordinates():
            self.controls.choice("range", "Range of", [CHOOSE, *self._coordinates()], CHOOSE, self._tell_range)
            self.controls.text("reach")
        self.controls.button("back", "Back to the start", lambda _: self.reset())
        self._say()

    def _coordinates(self) -> list[str]:
        return [f"{joint.name}.{name}" for joint in self._model.joints.values() for name in joint.coordinates]

    # what browsers say

    def _take(self, client: Client, message: Message) -> None:
        body, point = message.get("body"), message.get("point")
        self.take(str(body), point)
        self._holder = client.number

    def _move(self, client: Client, message: Message) -> None:
        if client.number == self._holder:
            self.to(message.get("target"))

    def _drop(self, client: Client, message: Message) -> None:
        if client.number == self._holder:
            self._holder = 0
            self.drop()

    # what a hand does

    def take(self, body: str, point: Any) -> None:
        """Takes hold of a body at a point of it, in its axes [m]. The kernel follows frames it knows: the model is
        compiled again with one more."""
        if body not in self._model.bodies:
            raise ModelError(f"there is no body called {body!r:.80} that could be moved.\n"
                             f"  Bodies: {', '.join(self._model.bodies)}.")
        place, state = vector("drag: the point", point), self.state
        model = self._model.copy()
        names = {name for group in model.groups().values() for name in group}
        name = next(f"hand {k}" for k in range(1, len(names) + 2) if f"hand {k}" not in names)
        self.point = model.frame(name, body, local=place)
        self._hand = Dragged(pose(state, as_system(model)))

    def to(self, target: Any) -> State:
        """Draws the point in hand towards a world point [m], as far as the joints let it."""
        if self.point is None:
            raise ModelError("drag: nothing is held; take() a body at a point first.")
        aim, here = vector("drag: the target", target), self.state.channels.point(self.point)[0]
        far = finite_number("drag: the way to the target", float(np.linalg.norm(aim - here)))
        steps = int(np.clip(np.ceil(far / (STEP * self._size)), 1, MOST_STEPS))
        for share in np.arange(1, steps + 1) / steps:  # small moves, so that it does not jump to another branch
            self._hand.to(self.point, here + share * (aim - here))
        self.viewer.server.broadcast(poses_message(self.state), replaces="poses")
        self._say()
        return self.state

    def drop(self) -> None:
        """Lets go; browsers get all values of where it stands."""
        self._hand.left = 0.0
        self._freedom = (-np.inf, "")
        self._say()
        self.viewer.renew(of_states([self.state], np.zeros(1)))

    def reset(self) -> None:
        """Puts the mechanism back where it was at first."""
        self._hand = Dragged(pose(self._begin, self._hand.system))
        self.drop()

    # what is told

    def _say(self) -> None:
        """Freedom, redundancy, whether the point follows, and all coordinates."""
        state, left = self.state, self._hand.left
        self.controls.show("freedom", text=self._counted(state))
        behind = left > SHORT * self._size
        self.controls.show("follows", warning=True, hidden=not behind, text=f"The point cannot follow: it stays "
                           f"{left:.4g} m behind. It is at the end of its reach, or its joints do not let it go that "
                           "way." if behind else "")
        lines = [f"{name} = {state[name]:.6g} {state.channels.unit(name)}" for name in self._coordinates()]
        self.controls.show("coordinates", text="\n".join(lines))

    def _counted(self, state: State) -> str:
        """Freedom and redundancy; counting takes time, so not at every picture."""
        if time.perf_counter() - self._freedom[0] > PAUSE:
            m = mobility_of(state)
            text = (f"{m.dof} degree{'s' if m.dof != 1 else ''} of freedom, "
                    f"{m.redundant} redundant row{'s' if m.redundant != 1 else ''}")
            self._freedom = (time.perf_counter(), text)
        return self._freedom[1]

    def _tell_range(self, name: Any) -> None:
        if name == CHOOSE:
            self.controls.show("reach", text="")
            return
        unit = self.state.channels.unit(name)
        limit = 2 * np.pi if unit == "rad" else 2 * self._size
        found = motion_range(self._hand.system.model, name, start=self.state, limit=limit)
        reach = "" if found.full_turn else f" {unit}, as far as {limit:.4g} {unit} from here"
        self.controls.show("reach", text=f"{found}{reach}")
