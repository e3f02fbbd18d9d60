"""Trials that browsers ask for: a number studied with a slider, formulations compared; the session goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.document import Document
from vincolo.formats.tree.settings import solver_of
from vincolo.formats.tree.source import Source
from vincolo.studio.draft import Draft
from vincolo.studio.handling import Handling
from vincolo.studio.reading import read_tree
from vincolo.studio.showing import SHOWN
from vincolo.studio.trials import Pairs, Trial
from vincolo.view.live.feeding import scene_message
from vincolo.view.live.server import Client

Message = dict[str, Any]
#: what a message is answered with whose answer comes when something is computed
LATER: Message = {"later": True}
MOST_COMPARED = 3


class Trying(Handling):
    """Runs that do not change the model. There is one at a time: the newest."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self._trial: Trial | None = None
        self.trying: dict[str, Callable[[Client, Message], Message | None]] = {
            "slide": self._slide, "compare": self._compare, "cancel": self._cancel}

    def changed(self, fit: bool = False, scene: bool = True) -> None:
        """Trials of the model as it was end; all browsers are told what follows from an action."""
        self.end_trial()
        super().changed(fit, scene)

    def end_run(self) -> None:
        """Ends all that is computed, without telling."""
        self.end_trial()
        super().end_run()

    def end_trial(self) -> None:
        """Ends a trial; who asked for it is told."""
        trial, self._trial = self._trial, None
        if trial is not None:
            trial.stop()
            self.broadcast({"type": "trial", "on": False}, replaces="trial")

    def _slide(self, client: Client, message: Message) -> Message | None:
        """The model with another value of one number, run and shown; the model itself stays as it is."""
        name, value = str(message.get("name")), message.get("value")
        reading = read_tree(self.draft.tree, self.draft.file, {name: value})
        if reading.document is None:
            raise ModelError("\n".join(p.text for p in reading.mistakes[:3]))
        label = f"{name} = {value:g}" if isinstance(value, int | float) else f"{name} = {value}"

        def finished(pairs: Pairs) -> Message:
            self.broadcast(scene_message(self.draft.title, pairs, most=SHOWN), replaces="scene")
            return {"t": float(pairs[0][1].t[-1])}

        return self._try_out(client, message, [(label, reading.document, {})], finished)

    def _compare(self, client: Client, message: Message) -> Message | None:
        """The same run by several formulations, one upon the other."""
        names = [str(name) for name in message.get("formulations") or []][:MOST_COMPARED]
        document, source = self.draft.whole(), Source("the comparison")
        runs = [(name, document, {"formulation": solver_of("formulation", name, source, ())}) for name in names]
        if not runs:
            raise ModelError("name the formulations that are compared.")
        if document.settings.analysis != "dynamics":
            raise ModelError("a motion that drives make (analysis: kinematics) is not solved by formulations.\n"
                             "  Set analysis to dynamics in the section run.")
        self.end_run()

        def finished(pairs: Pairs) -> Message:
            self.result = pairs[0][1]
            self.broadcast(scene_message(self.draft.title, pairs, most=SHOWN, play=True))
            return {"compared": [[name, float(r.seconds), float(np.max(r["residual.position"])) if len(r) else 0.0,
                                  float(np.ptp(r["energy.total"])), r.reason or ""] for name, r in pairs]}

        return self._try_out(client, message, runs, finished)

    def _try_out(self, client: Client, message: Message, runs: Sequence[tuple[str, Document, dict[str, Any]]],
                 finished: Callable[[Pairs], Message]) -> Message:
        """Begins a trial in the place of the last one; the message is answered when it ends."""
        self.end_trial()
        words = " and ".join(label for label, _, _ in runs)

        def told(share: float) -> None:
            if trial is self._trial:
                self.broadcast({"type": "trial", "on": True, "share": share, "text": words}, replaces="trial")

        def over(pairs: Pairs, reason: str) -> None:
            newest, found = trial is self._trial, {"error": reason} if reason else {"stopped": True}
            if newest:
                self._trial = None
                self.broadcast({"type": "trial", "on": False}, replaces="trial")
            if newest and pairs and not reason:
                found = finished(pairs)
                self.note(*trial.heard)
            client.send({"type": "done", "id": message.get("id"), **found})

        trial = self._trial = Trial(runs, told, lambda pairs, reason: self.server.call(lambda: over(pairs, reason)))
        trial.begin()
        return LATER

    def _cancel(self, client: Client, message: Message) -> Message | None:
        self.end_trial()
        return None
