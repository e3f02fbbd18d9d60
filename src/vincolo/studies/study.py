"""Many variants of one thing: planned, evaluated side by side, kept as they are done, gone on with after a stop."""

from __future__ import annotations

import hashlib
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import ModelError, VincoloWarning
from vincolo.model.geometry import Array
from vincolo.studies.crews import Crew, Task, crew_of
from vincolo.studies.journal import Journal
from vincolo.studies.limits import Limited, limit_of
from vincolo.studies.plan import Plan, middle_of, plan_of
from vincolo.studies.table import Study, told_time
from vincolo.studies.variants import TIMES, Found, Variants, variants_of
from vincolo.tolerance.subject import Mistake, told

GOAL = 0.4  # s that a task should take
MOST_TOGETHER = 4096  # variants of a task
FIRST = 50  # variants that end a study if all of them fail by mistakes
LOOK = 0.5  # s between two lines of progress
TABLE = "table.npy"
MOST_BYTES = 2e9  # of a table in memory


@dataclass(frozen=True)
class Progress:
    """How far a study has come: variants done and failed, of how many, in how long [s], and what is left [s]."""

    done: int
    failed: int
    count: int
    seconds: float
    rate: float  # variants per second
    remaining: float

    def __str__(self) -> str:
        failed = f", {self.failed:,} failed" if self.failed else ""
        return (f"{self.done:,} of {self.count:,} variants ({100 * self.done / self.count:.0f} %){failed}, "
                f"{self.rate:.3g} per second, {told_time(self.remaining)} left")


def study(what: Any, parameters: Mapping[str, Any], outputs: Any, *, plan: str = "grid", samples: int | None = None,
          seed: int = 1, until: float | None = None, times: Any = TIMES, analysis: str = "dynamics",
          workers: int | None = None, how: str = "auto", scheduler: Any = None, folder: str | Path | None = None,
          progress: bool | Callable[[Progress], None] | None = None, vectorised: bool = False,
          limit: float | None = None, **settings: Any) -> Study:
    """Outputs of many variants of a model, of models that a function builds (with until=), or of a function that
    returns numbers. A pair in `parameters` is a range, a list has values; the plan is a "grid", a "list", or `samples`
    by "latin", "sobol" or "random". What is found depends on the plan alone: not on how many work on it, nor where.
    With a `folder` variants that are done are kept there, also if the program is killed: the same call goes on with the
    others. `scheduler` is the address of a Dask cluster; a variant that takes more than `limit` seconds is ended, and
    has failed; `settings` are those of simulate()."""
    subject, planned = prepared(what, parameters, outputs, plan=plan, samples=samples, seed=seed, until=until,
                                times=times, analysis=analysis, vectorised=vectorised, **settings)
    return studied(subject, planned, workers=workers, how=how, scheduler=scheduler, folder=folder, progress=progress,
                   limit=limit)


def prepared(what: Any, parameters: Mapping[str, Any], outputs: Any, *, plan: str = "grid", samples: int | None = None,
             seed: int = 1, until: float | None = None, times: Any = TIMES, analysis: str = "dynamics",
             vectorised: bool = False, **settings: Any) -> tuple[Variants, Plan]:
    """What a study varies and its plan, checked."""
    planned = plan_of(parameters, plan, samples, seed)
    subject = variants_of(what, planned.names, middle_of(parameters), outputs, until=until, times=times,
                          analysis=analysis, vectorised=vectorised, settings=settings)
    return subject, planned


def studied(subject: Variants, plan: Plan, *, workers: int | None = None, how: str = "auto", scheduler: Any = None,
            folder: str | Path | None = None, progress: bool | Callable[[Progress], None] | None = None,
            limit: float | None = None, watch: Callable[[int, Found], None] | None = None) -> Study:
    """The same for a subject and a plan that are there. `watch` is called with the first number of variants that are
    done, and what was found, also for those that were done before."""
    seconds = limit_of(limit, subject)
    target = None if folder is None else Path(folder)
    mark = hashlib.sha256(told((subject.mark, plan.mark)).encode()).hexdigest()
    about = {"mark": mark, "name": subject.name, "parameters": plan.names, "outputs": subject.outputs}
    with Journal(target, about) as journal:
        driver = _Driver(subject, plan, journal, _reporter(progress), watch)
        reason = driver.run(workers, how, scheduler, seconds)
        values = driver.values if target is None else _gathered(journal, plan, subject, target)
    return Study(subject, plan, values, dict(sorted(driver.reasons.items())), tuple(driver.done), reason)


class _Driver:
    """Gives out what is not done yet, in tasks of about the same time, and keeps what comes back."""

    def __init__(self, subject: Variants, plan: Plan, journal: Journal, report: Callable[[Progress], None] | None,
                 watch: Callable[[int, Found], None] | None = None) -> None:
        self.subject, self.plan, self.journal, self.report, self.watch = subject, plan, journal, report, watch
        self.done: list[tuple[int, int]] = []
        self.reasons: dict[int, str] = {}
        self.values: Array = np.zeros((0, len(subject.outputs)))
        if journal.path is None:
            size = 8.0 * plan.count * len(subject.outputs)
            if size > MOST_BYTES:
                raise ModelError(f"study(): a table of {plan.count:,} variants needs {size / 1e9:.3g} GB of memory; at "
                                 f"most {MOST_BYTES / 1e9:g} GB are taken.\n  Give a folder= in which it is kept "
                                 "(--out on the command line), or take fewer variants.")
            self.values = np.full((plan.count, len(subject.outputs)), np.nan)
        self._together, self._begun, self._looked, self._before = 1, time.perf_counter(), 0.0, 0
        for start, found in journal.read():
            self._keep(start, found)
        self.done = merged(self.done, plan.count)
        self.reasons = {k: text for k, text in self.reasons.items() if k < plan.count}
        self._before = self.finished
        if journal.damaged:
            warnings.warn(f"study(): {journal.damaged} lines of {str(journal.path)!r} are damaged; their variants are "
                          "evaluated again.", VincoloWarning, stacklevel=4)

    @property
    def finished(self) -> int:
        """Variants that are done."""
        return sum(stop - start for start, stop in self.done)

    def run(self, workers: int | None, how: str, scheduler: Any, limit: float = math.inf) -> str | None:
        """Evaluates what is missing; why not all was, if so."""
        left = self.plan.count - self.finished
        if not left:
            return None
        subject = Limited(self.subject, limit) if limit < math.inf else self.subject
        try:
            with crew_of(subject, how, workers, scheduler, left) as crew:
                self._work(crew)
        except KeyboardInterrupt:
            return f"interrupted after {self.finished:,} of {self.plan.count:,} variants"
        finally:
            self.done = merged(self.done, self.plan.count)
        return None

    def _work(self, crew: Crew) -> None:
        tasks, finished, given = self._tasks(), self._before, self._before
        while finished < self.plan.count:
            while given - finished < 2 * crew.size * self._together and (put := next(tasks, None)) is not None:
                crew.put(put)
                given += len(put.values)
            task, found, seconds = crew.take()
            self._learn(len(task.values), seconds)
            whole = self._whole(found)
            self.journal.write(task.start, whole)
            self._keep(task.start, whole)
            finished += len(task.values)
            self._refuse_mistakes(finished)
            self._tell(finished)

    def _refuse_mistakes(self, finished: int) -> None:
        """Ends a study whose first variants, or all of them, failed by mistakes of the program that is studied."""
        mistakes = [text for text in self.reasons.values() if isinstance(text, Mistake)]
        if len(mistakes) < finished or finished < min(FIRST, self.plan.count):
            return
        raise ModelError(f"study(): all of the {finished:,} variants that were evaluated failed with an error of the "
                         f"program that is studied:\n  {mistakes[0]}\n  Correct it; a variant alone that fails is "
                         "kept with its reason.") from mistakes[0].error

    def _whole(self, found: Found) -> Found:
        """What was found, as wide as there are outputs also where nothing came back."""
        if found.values.shape[1] == len(self.subject.outputs):
            return found
        return Found(np.full((len(found.values), len(self.subject.outputs)), np.nan), found.reasons)

    def _tasks(self) -> Iterator[Task]:
        """What is missing, in pieces that grow or shrink with what they take."""
        at = 0
        for start, stop in [*self.done, (self.plan.count, self.plan.count)]:
            while at < start:
                end = min(start, at + self._together)
                yield Task(at, self.plan.rows(at, end))
                at = end
            at = max(at, stop)

    def _learn(self, count: int, seconds: float) -> None:
        """The next tasks take about as long as is aimed at, and not more than four times as long as these."""
        per = max(seconds / max(count, 1), 1e-7)
        self._together = int(np.clip(GOAL / per, 1, min(MOST_TOGETHER, 4 * self._together)))

    def _keep(self, start: int, found: Found) -> None:
        self.done.append((start, start + len(found.values)))
        if len(self.done) > 1000:
            self.done = merged(self.done, self.plan.count)
        self.reasons.update({start + k: text for k, text in found.reasons.items()})
        if len(self.values):
            self.values[start: start + len(found.values)] = found.values
        if self.watch is not None:
            self.watch(start, found)

    def _tell(self, finished: int) -> None:
        now = time.perf_counter()
        if self.report is None or (now - self._looked < LOOK and finished < self.plan.count):
            return
        self._looked, seconds = now, now - self._begun
        rate = (finished - self._before) / max(seconds, 1e-9)
        self.report(Progress(finished, len(self.reasons), self.plan.count, seconds, rate,
                             (self.plan.count - finished) / max(rate, 1e-9)))


def merged(pieces: list[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Pieces in order, with those that meet as one."""
    found: list[tuple[int, int]] = []
    for start, stop in sorted((a, min(b, count)) for a, b in pieces if a < count):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(stop, found[-1][1])
        else:
            found.append((start, stop))
    return found


def _gathered(journal: Journal, plan: Plan, subject: Variants, folder: Path) -> Array:
    """All outputs in a file beside the journal, read from there when they are asked for."""
    path = folder / TABLE
    values = np.lib.format.open_memmap(path, "w+", np.float64, (plan.count, len(subject.outputs)))
    values[:] = np.nan
    for start, found in journal.read():
        stop = min(start + len(found.values), plan.count)
        values[start:stop] = found.values[:max(stop - start, 0)]
    values.flush()
    return np.load(path, mmap_mode="r")  # type: ignore[no-any-return]


def _reporter(progress: Any) -> Callable[[Progress], None] | None:
    if callable(progress):
        return progress  # type: ignore[no-any-return]
    if progress is False or (progress is None and not sys.stderr.isatty()):
        return None
    return _line


def _line(progress: Progress) -> None:
    """One line on the terminal, wiped at the end."""
    text = f"\r  {progress} " if progress.done < progress.count else "\r" + 100 * " " + "\r"
    sys.stderr.write(text)
    sys.stderr.flush()
