"""What browsers see of a model: its tree and freedom, the scene, and runs as they grow."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.plots.web import Blob
from vincolo.results.result import Result
from vincolo.scene.meshes import arrow
from vincolo.studio.curves import curve
from vincolo.studio.draft import Draft
from vincolo.studio.insight import Insight, insight_of
from vincolo.studio.places import value_at
from vincolo.studio.running import Running
from vincolo.studio.teaching import closing_steps, lesson
from vincolo.tables.export import export
from vincolo.view.live.feeding import grow_message, poses_message, scene_message
from vincolo.view.live.messages import packed
from vincolo.view.live.running import joined
from vincolo.view.live.server import Client, Server, Session
from vincolo.view.page_data import thinned
from vincolo.view.written import write_motion

Message = dict[str, Any]
SHOWN = 10_000  # samples of a run that browsers get; a table has them all
AT_ONCE = 1500  # of these, between two answers
MOST_NOTES = 6
MANY_BODIES = 30  # beyond, series of a mechanism at rest are not worth their time
AXES = ((0.85, 0.25, 0.2), (0.2, 0.6, 0.25), (0.2, 0.4, 0.85))


class Showing(Session):
    """The draft as browsers see it."""

    server: Server

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.insight: Insight = insight_of(draft)
        self.running: Running | None = None
        self.result: Result | None = None  # of the last run
        self._running_model: Any = None
        self._begun = False  # whether browsers have the beginning of the run
        self._fresh: deque[Result] = deque()  # pieces that they do not have
        self._on_its_way = False  # whether these will be told
        self.showing: dict[str, Callable[[Client, Message], Message | None]] = {
            "run": self._run, "pause": self._pause, "resume": self._resume, "stop": self._stop,
            "sample": self._sample, "export": self._export, "lesson": self._lesson}

    def broadcast(self, message: Message | bytes, replaces: str = "") -> None:
        """Tells all browsers."""
        self.server.broadcast(message, replaces)

    def note(self, *texts: str) -> None:
        """Tells all browsers some texts, for a while."""
        for text in [text for text in texts if text][:MOST_NOTES]:
            self.broadcast({"type": "note", "text": text})

    # model and scene

    def model_message(self) -> Message:
        """Everything about the model but its shapes."""
        draft, insight = self.draft, self.insight
        return {"type": "model", "tree": draft.tree, "title": draft.title, "folder": str(draft.folder),
                "path": None if draft.path is None else str(draft.path), "dirty": draft.dirty,
                "undo": draft.undoable[:30], "redo": draft.redoable[:30],
                "problems": [p.data() for p in insight.problems][:200], "freedom": insight.freedom(),
                "measures": insight.measures()[:2000], "masses": insight.masses(), "run": self.run_state()}

    def changed(self, fit: bool = False, scene: bool = True) -> None:
        """Tells all browsers what follows from an action."""
        empty = self.insight.state is None
        self.insight = insight_of(self.draft)
        fit = fit or (empty and self.insight.state is not None)
        self.broadcast(self.model_message())
        self._tuned()
        if scene and (self.running is None or self.running.over):
            self.result = None
            self.show(None, fit)

    def show(self, client: Client | None, fit: bool = False, **more: Any) -> None:
        """Sends the scene: the run if there is one, the mechanism as it begins, or an empty floor."""
        shown = self.result or self.insight.result
        wrong = shown is None and (self.insight.document is None or self.insight.document.model.bodies)
        if wrong and client is None:
            return  # the last picture stays
        title = self.draft.title
        series = self.result is not None or len(self.insight.tree.get("bodies") or {}) <= MANY_BODIES
        message = empty_scene(title) if shown is None else scene_message(
            title, [("", shown)], series=series, most=SHOWN, fit=fit,
            growing=self.running is not None and not self.running.over, **more)
        if client is None:
            self.broadcast(message, replaces="scene")
        else:
            client.send(message)

    # runs

    def run_state(self) -> Message:
        """Whether a run is computed, held or over."""
        run = self.running
        if run is None:
            return {"phase": "none"}
        return {"phase": "over" if run.over else "paused" if run.paused else "running", "end": run.end}

    def _run(self, client: Client, message: Message) -> Message | None:
        self.end_run()
        document = self.draft.whole()
        document.require_whole(bool(message.get("force")))
        self.result, self._running_model = None, document.model
        self._begun, self._on_its_way = False, False
        self._fresh = fresh = deque[Result]()

        def shown(piece: Result, share: float) -> None:
            fresh.append(piece)
            if not self._on_its_way:  # else this one is taken along
                self._on_its_way = True
                self.server.call(lambda: self._grown(run, share))

        run = self.running = Running(document, document.start(), shown, lambda reason: self.server.call(
            lambda: self._ended(run, reason)))
        self.broadcast({"type": "run", **self.run_state(), "share": 0.0})
        return None

    def _grown(self, run: Running, share: float) -> None:
        """Shows what was computed since the last time; if it is much, a part now, and others are answered between."""
        if run is not self.running:
            return
        self._on_its_way = False
        kept, fresh = min(1.0, SHOWN / run.samples), list[Result]()
        while self._fresh and sum(len(piece) for piece in fresh) < AT_ONCE:
            piece = self._fresh.popleft()
            fresh.append(thinned(piece, max(2, round(kept * len(piece)))))
        if self._fresh and not self._on_its_way:
            self._on_its_way = True
            self.server.call(lambda: self._grown(run, share))
        whole = run.whole
        if whole is None or not fresh:
            return
        self.result, first, self._begun = whole, not self._begun, True
        for piece in _runs(fresh):
            if first:
                self.broadcast(scene_message(self.draft.title, [("", piece)], growing=True, play=True, loop=False))
                first = False
                continue
            self.broadcast(grow_message(piece, whole, not run.over))
        self.broadcast({"type": "run", **self.run_state(), "share": share, "t": float(whole.t[-1])}, replaces="run")

    def _ended(self, run: Running, reason: str) -> None:
        if run is not self.running:
            return
        while self._fresh and run.changed:
            self._grown(run, 1.0)
        self._fresh.clear()  # all of it is shown below
        self.result = run.whole or self.result
        self.broadcast({"type": "run", **self.run_state(), "share": 1.0, "reason": reason,
                        "summary": str(self.result) if self.result is not None and self.result.statistics else ""})
        self.note(reason, *run.heard)
        self.broadcast({"type": "settled"})
        if self.result is not None and not run.changed:  # else browsers have more than the last part of it
            self.show(None)

    def end_run(self) -> None:
        """Ends what is computed, without telling."""
        run, self.running, self.result = self.running, None, None
        if run is not None:
            run.stop(wait=2.0)

    def _held(self) -> Running:
        if self.running is None or self.running.over:
            raise ModelError("no run is being computed.")
        return self.running

    def _pause(self, client: Client, message: Message) -> Message | None:
        self._held().pause()
        self.broadcast({"type": "run", **self.run_state()})
        return None

    def _resume(self, client: Client, message: Message) -> Message | None:
        self._held().resume()
        self.broadcast({"type": "run", **self.run_state()})
        return None

    def _stop(self, client: Client, message: Message) -> Message | None:
        self._held().stop()
        return None

    def _tuned(self) -> None:
        """Has a run go on with the model as it is now."""
        run, document = self.running, self.draft.reading.document
        if run is None or run.over or document is None or document.model is self._running_model:
            return
        self._running_model = document.model
        run.tune(document, {name: a.start for name, a in document.model.auxiliaries.items()
                            if name not in document.model.states})

    # curves, lessons, files of results

    def _sample(self, client: Client, message: Message) -> Message | None:
        data = message["data"] if "data" in message else value_at(self.draft.tree, tuple(message.get("at") or ()))
        return curve(self.draft.tree, data, float(message.get("first", 0.0)), float(message.get("last", 1.0)))

    def _export(self, client: Client, message: Message) -> Message | None:
        """The results of the last run, as a table or as a page."""
        if self.result is None:
            raise ModelError("there are no results yet: run the model first.")
        if self.running is not None and self.running.changed:
            raise ModelError("numbers were changed in the middle of this run, so that it is not one of this model.\n"
                             "  Run it again to write its results.")
        path = Path(str(message.get("path") or "results.csv")).expanduser()
        target = path if path.is_absolute() else self.draft.folder / path
        if target.exists() and not message.get("force"):
            raise ModelError(f"{target.name}: there is such a file already.\n  Choose another name, or replace it.")
        if target.suffix.lower() in (".html", ".glb"):
            write_motion(self.result, target)
        else:
            export(self.result, target)
        return {"path": str(target)}

    def _lesson(self, client: Client, message: Message) -> Message | None:
        step = message.get("step")
        if isinstance(step, int) and self.insight.state is not None and (self.running is None or self.running.over):
            states = closing_steps(self.insight.state)
            self.broadcast(poses_message(states[min(max(step, 0), len(states) - 1)]), replaces="poses")
            return None
        return lesson(self.insight, self.result, str(message.get("topic", "assembly")), message)


def _runs(pieces: list[Result]) -> list[Result]:
    """Pieces of one system that follow each other, as one."""
    found: list[list[Result]] = []
    for piece in pieces:
        if found and found[-1][-1].system is piece.system:
            found[-1].append(piece)
        else:
            found.append([piece])
    return [joined(group, group[0].t[0], group[-1].t[-1], None) for group in found]


def empty_scene(title: str) -> bytes:
    """A floor with the axes of the world, where nothing is yet."""
    blob = Blob()
    items = []
    for axis, colour in zip("xyz", AXES, strict=True):
        mesh = arrow(0.3, 0.008).along(axis)
        items.append({"kind": "ground", "part": -1, "colour": list(colour), "body": 0,
                      "mesh": [blob.put(mesh.vertices), blob.put(mesh.faces, "<u2")]})
    run = {"label": "", "model": title, "notes": [], "t": blob.put(np.zeros(1), "<f8"), "size": 1.0, "radius": 0.02,
           "centre": [0.0, 0.0, 0.0], "axes": np.eye(3).tolist(), "bodies": [{"name": "ground", "pose": None}],
           "items": items, "links": [], "parts": [], "series": {}, "events": []}
    return packed({"type": "scene", "title": title, "runs": [run], "plots": [], "fit": True}, blob)
