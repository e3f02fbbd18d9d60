"""The mechanism under the mouse: drawn by a hand, kept where the hand left it, parts moved and turned with handles."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from vincolo.errors import ModelError, VincoloError
from vincolo.state import State
from vincolo.studio.actions import Action
from vincolo.studio.draft import Draft
from vincolo.studio.hand import Hand
from vincolo.studio.insight import insight_from
from vincolo.studio.moving import Motion, shifted, turned
from vincolo.studio.places import has, place_of
from vincolo.studio.showing import Showing
from vincolo.view.live.feeding import poses_message, scene_message
from vincolo.view.live.server import Client

Message = dict[str, Any]
DIGITS = 12
NEAR = 1e-6  # of the size of the mechanism: as far as a kept position may be off
#: a number added to a text before, when a position was kept
ADDED = re.compile(r"^(?P<text>.*\S) (?P<sign>[+-]) (?P<number>\d+(?:\.\d*)?(?:e[+-]?\d+)?)$")


class Handling(Showing):
    """What the mouse does to the mechanism."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self._hand: tuple[Client, Hand] | None = None
        self._last_hand: State | None = None
        self.handling: dict[str, Callable[[Client, Message], Message | None]] = {
            "take": self._take, "move": self._move, "drop": self._let_go, "reset": self._reset, "keep": self._keep,
            "shift": self._shift, "turn": self._turn, "preview": self._preview}

    def changed(self, fit: bool = False, scene: bool = True) -> None:
        """The hand lets go; all browsers are told what follows from an action."""
        self._hand = self._last_hand = None
        super().changed(fit, scene)

    # the hand

    def _take(self, client: Client, message: Message) -> Message | None:
        """Takes hold of a point of a body, where the mechanism is."""
        state, document = self._last_hand or self.insight.state, self.insight.document
        if state is None or document is None or not self.insight.closed:
            raise ModelError("the mechanism does not close, so that it cannot be moved.")
        self._hand = (client, Hand(document.model, state, message.get("body"), message.get("point")))
        return None

    def _move(self, client: Client, message: Message) -> Message | None:
        if self._hand is None or self._hand[0] is not client:
            return None
        hand = self._hand[1]
        self._last_hand = hand.to(message.get("target"))
        self.broadcast(poses_message(self._last_hand), replaces="poses")
        client.send({"type": "hand", "left": hand.left}, replaces="hand")
        return None

    def _let_go(self, client: Client, message: Message) -> Message | None:
        self._hand = None
        return None

    def _reset(self, client: Client, message: Message) -> Message | None:
        """The mechanism as it begins."""
        self._hand = self._last_hand = None
        if self.insight.result is not None and (self.running is None or self.running.over):
            self.broadcast(scene_message(self.draft.title, [("", self.insight.result)]), replaces="scene")
        return None

    def _keep(self, client: Client, message: Message) -> Message | None:
        """Runs begin where the hand has left the mechanism."""
        if self._last_hand is None:
            raise ModelError("the mechanism stands as it begins: draw it with the hand first.")
        action = kept(self.draft, self._last_hand)
        made, reading = self.draft.tried(action)
        _check_kept(self._last_hand, insight_from(reading, made).state)
        self.draft.act(action)
        self.changed()
        return None

    # handles

    def _moved(self, message: Message) -> tuple[Motion, Action]:
        place, along = place_of(message.get("at")), bool(message.get("along"))
        if "angle" in message:
            motion, verb = turned(self.draft, place, message.get("axis"), message.get("angle"), along), "turn"
        else:
            motion, verb = shifted(self.draft, place, place_of(message.get("put")), message.get("value"), along), "move"
        return motion, motion.action(f"{verb} {place[-1]}")

    def _shift(self, client: Client, message: Message) -> Message | None:
        motion, action = self._moved(message)
        self.draft.act(action)
        self.changed()
        return motion.told()

    _turn = _shift

    def _preview(self, client: Client, message: Message) -> Message | None:
        """The mechanism as it would be, for who moves a handle; the model stays as it is."""
        try:
            motion, action = self._moved(message)
            made, reading = self.draft.tried(action)
            insight = insight_from(reading, made)
        except VincoloError as error:
            client.send({"type": "moving", "error": str(error)}, replaces="moving")
            return None
        if insight.result is not None and (self.running is None or self.running.over):
            client.send(scene_message(self.draft.title, [("", insight.result)], series=False), replaces="scene")
        client.send({"type": "moving", "closed": insight.closed, **motion.told()}, replaces="moving")
        return None


def kept(draft: Draft, state: State) -> Action:
    """The action by which runs begin at a state: where bodies are, and drives that begin there."""
    channels, system = state.channels, state.system
    places = {name: [_rounded(v) for v in (*channels.point(system.centred[k].body.frame())[0],
                                           *channels.quaternions(name)[0])] for name, k in system.body_numbers.items()}
    changes: list[Action] = [{"do": "change", "at": ["run", "position"], "value": places}]
    document = draft.whole()
    for name, held in document.model.holds.items():
        measure = held.measure.name
        if held.level != "position" or not held.drive or measure is None:
            continue
        away = float(state[measure]) - float(held.function.derivatives(document.settings.start)[0])
        if abs(away) > 1e-12:
            changes.append({"do": "change", "at": ["drives", name, "function"],
                            "value": _from_there(draft, name, away)})
    return {"do": "all", "title": "begin here", "actions": changes}


def _from_there(draft: Draft, name: str, away: float) -> Any:
    """The function of a drive with a number added."""
    place = ("drives", name)
    function = draft.tree["drives"][name].get("function", 0.0) if has(draft.tree, place) else None
    if isinstance(function, int | float) and not isinstance(function, bool):
        return _rounded(function + away)
    if not isinstance(function, str):
        raise ModelError(f"the drive {name!r} holds its measure elsewhere at the start (off by {away:.6g}), and its "
                         "function is not a text or number to which that could be added.\n"
                         "  Change the drive, or remove it; then keep the position.")
    before = ADDED.match(function)
    if before is not None:
        away += float(f"{before['sign']}{before['number']}")
        function = before["text"]
    away = _rounded(away)
    return function if abs(away) < 1e-12 else f"{function} {'+' if away > 0 else '-'} {abs(away):.{DIGITS}g}"


def _check_kept(wanted: State, found: State | None) -> None:
    """Refuses a position from which the mechanism closes elsewhere."""
    size = max(c.length for c in wanted.system.centred)
    off = {name: float(np.linalg.norm(wanted.channels.point(wanted.system.centred[k].body.frame())[0]
                                      - found.channels.point(found.system.centred[k].body.frame())[0]))
           for name, k in wanted.system.body_numbers.items()} if found is not None else {"": np.inf}
    worst = max(off, key=lambda name: off[name])
    if not off[worst] <= NEAR * size:
        raise ModelError(f"the position cannot be kept: from there the mechanism closes with {worst!r} "
                         f"{off[worst]:.3g} m away.\n  A drive or a held measure says otherwise; change it first.")


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}") + 0.0
