"""A study in the browser while it runs, and after: each variant that is chosen is run again and shown."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import numpy as np

from vincolo.errors import ModelError, VincoloError
from vincolo.model.geometry import Array
from vincolo.plots.web import Blob, asset
from vincolo.studies.plan import Plan
from vincolo.studies.study import Progress, prepared, studied
from vincolo.studies.table import Study
from vincolo.studies.variants import Found, ModelVariants, Variants
from vincolo.view.live.feeding import LIVE, RATE, scene_message
from vincolo.view.live.listening import LOOPBACK, waits
from vincolo.view.live.messages import Message, packed
from vincolo.view.live.server import Client, Server, Session
from vincolo.view.live.viewer import Served
from vincolo.view.page import PACKAGE, stage_page
from vincolo.view.study_page import SCRIPTS, about_study, all_rows, every, packed_rows, rows_of, told_study

MOST_RUNNING = 4  # variants that are run at once for those who look
WORK = ("workers", "how", "scheduler", "folder", "limit")  # what is of the study's work, and not of what it varies


def study_page(title: str) -> bytes:
    """The page: pictures of the study and the stage, and what feeds them from the socket."""
    scripts = [asset(PACKAGE, name) for name in (*LIVE[:-1], *SCRIPTS, "live_study.js")]
    return stage_page(asset(PACKAGE, "page.html"), scripts, {"title": title, "fps": RATE, "quiet": True},
                      styles=[asset(PACKAGE, "study.css")], connect="'self'")


class StudyViewer(Served, Session):
    """Shows a study in the browser, on the address `url`: variants as they are done (heard), how far it is (tell). It
    answers only to that address, with its token, and to its own pages."""

    def __init__(self, subject: Variants, plan: Plan, *, host: str = LOOPBACK, port: int | None = None,
                 axes: dict[str, Any] | None = None) -> None:
        self.study = Study(subject, plan, np.zeros((0, len(subject.outputs))), {}, ())
        self._about = about_study(subject, plan, axes)
        self._numbers: list[Array] = []
        self._rows: list[Array] = []
        self._fresh = 0  # pieces that browsers know
        self._reasons: dict[int, str] = {}
        self._told, self._share = "The study begins.", 0.0
        self._running = threading.Semaphore(MOST_RUNNING)
        super().__init__(Server(study_page(subject.name), self, host=host, port=port))

    # what the study says, in its own thread

    def heard(self, start: int, found: Found) -> None:
        """Variants are done."""
        numbers, rows = rows_of(self.study.plan, start, found.values)
        self._reasons.update({start + k: why for k, why in found.reasons.items()})
        if len(numbers):
            self.server.call(lambda: self._keep(numbers, rows))

    def tell(self, progress: Progress) -> None:
        """How far it is."""
        common = Counter(self._reasons.values()).most_common(1)
        why = f"; most often: {common[0][0]}" if common else ""
        step = every(progress.count)
        shown = f"; one in {step:,} is shown" if step > 1 else ""
        self.server.call(lambda: self._say(f"{progress}{shown}{why}", progress.done / progress.count))

    def finish(self, found: Study) -> None:
        """The study has ended."""
        def end() -> None:
            self.study = found
            told = f"{told_study(found)}{f'; not complete: {found.reason}' if found.reason else ''}"
            self._say(told, 1.0)

        self.server.call(end)

    # in the thread of the session

    def _keep(self, numbers: Array, rows: Array) -> None:
        self._numbers.append(numbers)
        self._rows.append(rows)

    def _say(self, text: str, share: float) -> None:
        """Tells all browsers what is new."""
        self._told, self._share = text, share
        blob, fresh = Blob(), self._fresh
        message: Message = {"type": "rows", "told": text, "share": share}
        if fresh < len(self._numbers):
            numbers, rows = np.concatenate(self._numbers[fresh:]), np.concatenate(self._rows[fresh:])
            message["rows"] = packed_rows(numbers, rows, blob)
            self._numbers = [np.concatenate(self._numbers)]
            self._rows = [np.concatenate(self._rows)]
        self._fresh = len(self._numbers)
        self.server.broadcast(packed(message, blob))

    def on_open(self, client: Client) -> None:
        """A browser that comes gets all that is known now."""
        blob = Blob()
        message: Message = {"type": "study", **self._about, "told": self._told, "share": self._share}
        if self._numbers:
            message["rows"] = packed_rows(np.concatenate(self._numbers), np.concatenate(self._rows), blob)
        client.send(packed(message, blob))

    def on_message(self, client: Client, message: Message) -> None:
        """A variant is chosen."""
        if message["type"] != "open":
            raise ModelError(f"This page has nothing to say of {message['type']!r:.60}.")
        number = message.get("variant")
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < self.study.plan.count:
            raise ModelError(f"{number!r:.80} is not the number of a variant, from 0 to {self.study.plan.count - 1:,}.")
        if not isinstance(self.study.subject, ModelVariants):
            return
        client.kept["chosen"] = number
        threading.Thread(target=self._show, args=(client, number), daemon=True, name="vincolo variant").start()

    # in a thread of its own: a run may take long

    def _show(self, client: Client, number: int) -> None:
        """Runs a variant and shows it to who asked, unless another was chosen meanwhile."""
        def say(text: str) -> None:
            client.send({"type": "variant", "number": number, "text": text})

        why = self._reasons.get(number, self.study.failures.get(number, ""))
        if why.startswith("it took more than"):
            say(f"It is not run again: {why}.")
            return
        if not self._running.acquire(blocking=False):
            say(f"{MOST_RUNNING} variants are being run; choose it again in a while.")
            return
        say("It is being run.")
        try:
            result = self.study.run(number)
            if client.kept.get("chosen") == number and len(result):
                name = f"{self.study.subject.name}, variant {number}"
                client.send(scene_message(name, [(f"variant {number}", result)], play=True))
            say(f"It failed: {result.reason}" if result.reason else "It is shown beside.")
        except VincoloError as error:
            say(f"It cannot be run: {error}")
        except Exception as error:
            say(f"A mistake of the program ({type(error).__name__}): {error}")
            raise
        finally:
            self._running.release()


def show_study(found: Study, *, port: int | None = None, host: str = LOOPBACK, open_browser: bool = True,
               block: bool | None = None) -> StudyViewer:
    """Shows a study in the browser: choose a dot or a line, and the variant is run and shown. Waits until Ctrl-C unless
    block=False or in a notebook."""
    viewer = StudyViewer(found.subject, found.plan, host=host, port=port, axes=found.axes)
    numbers, rows = all_rows(found)
    viewer.server.call(lambda: viewer._keep(numbers, rows))
    viewer.finish(found)
    viewer.open(open_browser)
    if waits(block):
        viewer.wait()
    return viewer


def watch_study(what: Any, parameters: Any, outputs: Any, *, port: int | None = None, host: str = LOOPBACK,
                open_browser: bool = True, block: bool | None = None, **study_args: Any) -> Study:
    """Makes a study as study() does, with the same arguments, and shows it in the browser while it goes on. At the end
    it goes on showing until Ctrl-C, unless block=False or in a notebook. Returns the study."""
    if "progress" in study_args:
        raise ModelError("watch_study(): progress= has no effect here; the browser shows how far the study has come.")
    work = {key: study_args.pop(key) for key in WORK if key in study_args}
    subject, plan = prepared(what, parameters, outputs, **study_args)
    with StudyViewer(subject, plan, host=host, port=port) as viewer:
        viewer.open(open_browser)
        found = studied(subject, plan, progress=viewer.tell, watch=viewer.heard, **work)
        viewer.finish(found)
        if waits(block):
            viewer.wait()
    return found
