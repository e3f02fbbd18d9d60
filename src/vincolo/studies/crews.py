"""Who evaluates variants: this thread, a pool of threads or processes, or the workers of a Dask cluster.

A crew takes tasks and gives back what is done, in any order. A worker that dies takes nothing with it: its tasks are
given out again, one at a time and in halves where they are suspected, until the variant that kills workers is known."""

from __future__ import annotations

import os
import pickle
import signal
import time
import warnings
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import numpy as np

from vincolo.errors import ModelError, SimulationWarning
from vincolo.model.geometry import Array
from vincolo.optional import library
from vincolo.studies.limits import GRACE, KILLED, Board, Limited
from vincolo.studies.variants import Found, Variants
from vincolo.tolerance.workers import evaluate, forks, known, pool_of, shared

WAYS = ("auto", "serial", "threads", "processes")
SUSPECT = 2  # deaths around a task before it runs alone
LOOK_AT_TIME = 0.1  # s between two looks at variants that may take too long
LOOK = 2.0  # s between two looks at the scheduler
PATIENCE = 120.0  # s to wait for a scheduler that is gone
DIED = "the worker that computed it died: it was killed, ran out of memory, or crashed"


@dataclass(eq=False)
class Task:
    """Variants next to each other, from the number `start` on; `deaths` of workers while it was under way."""

    start: int
    values: Array
    deaths: int = 0

    def halves(self) -> list[Task]:
        """The same in two."""
        middle = len(self.values) // 2
        return [self.part(0, middle), self.part(middle, len(self.values))]

    def part(self, begin: int, end: int) -> Task:
        """Some of the variants."""
        return Task(self.start + begin, self.values[begin:end], self.deaths)


Done = tuple[Task, Found, float]  # with the seconds it took


class Crew(Protocol):
    """What a study asks of those that do the work."""

    @property
    def size(self) -> int:
        """How many work side by side."""

    def put(self, task: Task) -> None:
        """Takes a task."""

    def take(self) -> Done:
        """Something that is done; waits for it."""


def timed(key: int, values: Array) -> tuple[Found, float]:
    """What a subject of this process finds, and how long it took [s]."""
    begun = time.perf_counter()
    return evaluate(key, values), time.perf_counter() - begun


def limited(key: int, values: Array, slot: int) -> tuple[Found, float]:
    """The same in a process that is watched, with a time limit for each variant."""
    begun = time.perf_counter()
    return known(key).on_board(values, slot), time.perf_counter() - begun


class Alone:
    """This thread."""

    size = 1

    def __init__(self, subject: Variants) -> None:
        self._subject, self._tasks = subject, deque[Task]()

    def put(self, task: Task) -> None:
        """Takes a task."""
        self._tasks.append(task)

    def take(self) -> Done:
        """Does the next one."""
        task, begun = self._tasks.popleft(), time.perf_counter()
        return task, self._subject.evaluate(task.values), time.perf_counter() - begun


@dataclass
class _Waiting:
    """Tasks that are not given out yet, those under suspicion last and alone."""

    ready: deque[Task] = field(default_factory=deque)
    suspects: deque[Task] = field(default_factory=deque)

    def bury(self, task: Task) -> Done | None:
        """A task whose worker died: put back, in halves if it is suspected; one variant alone has failed."""
        task.deaths += 1
        if task.deaths > SUSPECT and len(task.values) == 1:
            return task, Found(np.full((1, 0), np.nan), {0: DIED}), 0.0
        if task.deaths < SUSPECT:
            self.ready.appendleft(task)
        else:
            self.suspects.extend(task.halves() if len(task.values) > 1 else [task])
        return None

    def next(self, busy: int, most: int) -> Task | None:
        """What to give out now."""
        if self.ready and busy < most:
            return self.ready.popleft()
        return self.suspects.popleft() if self.suspects and not busy and not self.ready else None


class Pool:
    """Threads or processes of this computer; a pool with a dead process is made anew. Processes are ended if a variant
    takes longer than its limit and does not listen."""

    def __init__(self, key: int, how: str, size: int) -> None:
        self.size, self._key, self._how = size, key, how
        self._waiting, self._busy = _Waiting(), dict[Future[Any], Task]()
        self._failed: list[Done] = []
        self._watch = _Watch(known(key), 2 * size) if forks(how) and isinstance(known(key), Limited) else None
        self._pool: Executor = pool_of(how, size)

    def put(self, task: Task) -> None:
        """Takes a task."""
        self._waiting.ready.append(task)
        self._give()

    def _give(self) -> None:
        while (task := self._waiting.next(len(self._busy), 2 * self.size)) is not None:
            try:
                self._busy[self._submitted(task)] = task
            except BrokenProcessPool:
                self._waiting.ready.appendleft(task)
                self._renew()

    def _submitted(self, task: Task) -> Future[Any]:
        if self._watch is None:
            return self._pool.submit(timed, self._key, task.values)
        return self._pool.submit(limited, self._key, task.values, self._watch.slot(task))

    def take(self) -> Done:
        """Waits for a task that is done."""
        while not self._failed:
            self._give()
            done, _ = wait(self._busy, None if self._watch is None else LOOK_AT_TIME, FIRST_COMPLETED)
            if self._watch is not None:
                self._watch.kill_overdue()
            if not done:
                continue
            future = done.pop()
            task = self._busy.pop(future)
            try:
                found, seconds = future.result()
            except BrokenProcessPool:
                self._busy[future] = task
                self._renew()
                continue
            if self._watch is not None:
                self._watch.leave(task)
            return task, found, seconds
        return self._failed.pop()

    def _renew(self) -> None:
        """Another pool, after a process of this one died; what was done before is kept. If a variant took too long the
        others are not suspected."""
        killed = self._watch.killed() if self._watch is not None else {}
        for future, task in list(self._busy.items()):
            if future.done() and future.exception() is None:
                continue
            del self._busy[future]
            if self._watch is not None:
                self._watch.leave(task)
            if task in killed:
                self._failed.append(self._ended(task, killed[task]))
            elif killed:
                self._waiting.ready.appendleft(task)
            else:
                buried = self._waiting.bury(task)
                self._failed += [buried] if buried is not None else []
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = pool_of(self._how, self.size)

    def _ended(self, task: Task, row: int) -> Done:
        """The variant of a task that took too long; those around it are given out again."""
        assert self._watch is not None
        around = (task.part(0, row), task.part(row + 1, len(task.values)))
        self._waiting.ready.extendleft(part for part in reversed(around) if len(part.values))
        return task.part(row, row + 1), self._watch.subject.failed(KILLED), self._watch.subject.limit

    def close(self) -> None:
        """Gives up what is not begun."""
        self._pool.shutdown(wait=True, cancel_futures=True)


class _Watch:
    """Looks at which variant each task is, and ends processes in which one takes too long and does not listen."""

    def __init__(self, subject: Limited, slots: int) -> None:
        self.subject, self.board = subject, Board(slots)
        subject.board = self.board  # which processes made from now on see
        self._free, self._slots = list(range(slots)), dict[Task, int]()
        self._killed: dict[Task, int] = {}

    def slot(self, task: Task) -> int:
        """A place on the board for a task."""
        self._slots[task] = self._free.pop()
        return self._slots[task]

    def leave(self, task: Task) -> None:
        """A task is not under way any more."""
        self._free.append(self._slots.pop(task))
        self.board.wipe(self._free[-1])

    def kill_overdue(self) -> None:
        """Ends processes that are overdue."""
        for task, slot in self._slots.items():
            late = self.board.overdue(slot, self.subject.limit + GRACE)
            if late is not None and task not in self._killed:
                self._killed[task] = late[1]
                os.kill(late[0], signal.SIGKILL)

    def killed(self) -> dict[Task, int]:
        """Tasks whose process was ended since the last look, and the variants that took too long."""
        found, self._killed = self._killed, {}
        return found


def unpacked(data: bytes) -> Any:
    """A subject on a worker of a cluster."""
    return pickle.loads(data)


def on_cluster(subject: Any, values: Array) -> tuple[Found, float]:
    """A task on a worker of a cluster."""
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        found = subject.evaluate(values)
    return found, time.perf_counter() - begun


class Cluster:
    """Workers of a Dask cluster. The subject goes to each of them once; a scheduler that is gone is waited for."""

    def __init__(self, subject: Variants, scheduler: Any, patience: float = PATIENCE) -> None:
        self._dask = library("distributed", "study(): a cluster needs the package 'distributed'",
                             "'vincolo[cluster]'", "; or leave scheduler= out.")
        pickler = library("cloudpickle", "study(): a cluster needs the package 'cloudpickle'", "'vincolo[cluster]'")
        self._address, self._patience = scheduler, patience
        self._data = pickler.dumps(subject)
        self._waiting, self._busy = _Waiting(), dict[str, tuple[Any, Task]]()
        self._failed: list[Done] = []
        self._ready: SimpleQueue[str] = SimpleQueue()  # keys of what is done
        self._connect()

    def _connect(self) -> None:
        """A connection to the scheduler, waited for as long as patience lasts."""
        deadline = time.monotonic() + self._patience
        while True:
            try:
                self._client = self._dask.Client(self._address, set_as_default=False, timeout=5)
                break
            except (OSError, TimeoutError, ValueError, TypeError) as error:
                if isinstance(error, ValueError | TypeError) or time.monotonic() > deadline:
                    raise ModelError(f"study(): there is no Dask scheduler at {self._address!r}: {error}.\n"
                                     "  Start one (dask scheduler; dask worker ADDRESS), or leave scheduler= out. What "
                                     "is done is kept if folder= was given.") from None
                time.sleep(0.5)
        self._subject = self._client.submit(unpacked, self._data, pure=False)

    @property
    def size(self) -> int:
        """Threads of all workers that are there now."""
        try:
            workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
            return max(1, sum(int(w["nthreads"]) for w in workers))
        except (OSError, KeyError):
            return 1

    def put(self, task: Task) -> None:
        """Takes a task."""
        self._waiting.ready.append(task)
        self._give()

    def _give(self) -> None:
        while (task := self._waiting.next(len(self._busy), 2 * self.size)) is not None:
            future = self._client.submit(on_cluster, self._subject, task.values, pure=False)
            self._busy[future.key] = future, task
            future.add_done_callback(lambda done: self._ready.put(done.key))

    def take(self) -> Done:
        """Waits for a task that is done; gives all out again after the scheduler was gone."""
        while not self._failed:
            self._give()
            try:
                key = self._ready.get(timeout=LOOK)
            except Empty:
                if self._gone():
                    self._again()
                continue
            future, task = self._busy.get(key, (None, None))
            if future is None or task is None:
                continue  # of a scheduler that is gone
            if future.status == "finished":
                found, seconds = future.result(timeout=PATIENCE)
                del self._busy[key]
                return task, found, seconds
            self._ended(key, future, task)
        return self._failed.pop()

    def _ended(self, key: str, future: Any, task: Task) -> None:
        """A task that did not finish: because its worker died, the scheduler is gone, or by a mistake in it."""
        error = future.exception(timeout=PATIENCE) if future.status == "error" else None
        if isinstance(error, self._dask.KilledWorker):
            del self._busy[key]
            buried = self._waiting.bury(task)
            self._failed += [buried] if buried is not None else []
        elif error is not None:
            raise error
        else:
            self._again()

    def _gone(self) -> bool:
        """Whether the scheduler has forgotten what it was asked for."""
        return self._client.status != "running" or any(f.status in ("cancelled", "lost")
                                                       for f, _ in self._busy.values())

    def _again(self) -> None:
        """Connects anew and gives out all that was under way."""
        self._waiting.ready.extendleft(reversed([task for _, task in self._busy.values()]))
        self._busy.clear()
        self.close()
        self._connect()

    def close(self) -> None:
        """Leaves the cluster."""
        self._client.close(timeout=5)


@contextmanager
def crew_of(subject: Variants, how: str, workers: int | None, scheduler: Any, count: int) -> Iterator[Crew]:
    """The crew that is asked for."""
    if how not in WAYS:
        raise ModelError(f"study(): how is {how!r}; it is one of: {', '.join(WAYS)}.")
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", SimulationWarning)
        warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)
        if scheduler is not None:
            cluster = Cluster(subject, scheduler)
            stack.callback(cluster.close)
            yield cluster
            return
        size = min(_size(workers), max(count, 1))
        if size == 1 or how == "serial":
            yield Alone(subject)
            return
        key = stack.enter_context(shared(subject))
        pool = Pool(key, subject.parallel if how == "auto" else how, size)
        stack.callback(pool.close)
        yield pool


def _size(workers: Any) -> int:
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or not 1 <= workers <= 1024:
        raise ModelError(f"study(): workers is {workers!r}; a whole number from 1 to 1,024 is needed.")
    return int(workers)
