"""Blocks of samples evaluated side by side: in threads, or in processes made of this one where that can be."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any

from vincolo.model.geometry import Array
from vincolo.tolerance.subject import Evaluated, Subject

Block = tuple[int, Mapping[str, Array]]
_SUBJECTS: dict[int, Any] = {}  # those that processes made of this one find in themselves


def evaluated(subject: Subject, blocks: Sequence[Block], workers: int) -> Iterator[tuple[int, Evaluated]]:
    """Blocks by number as they are done, in any order; what is not begun is given up when the caller stops."""
    if workers == 1 or len(blocks) < 2:
        for number, deviations in blocks:
            yield number, subject.evaluate(deviations)
        return
    with shared(subject) as key, _quiet(), pool_of(subject.parallel, min(workers, len(blocks))) as pool:
        try:
            waiting = {pool.submit(evaluate, key, deviations): number for number, deviations in blocks}
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def shared(subject: Any) -> Iterator[int]:
    """The number under which this process, and those made of it from now on, find a subject."""
    key = id(subject)
    _SUBJECTS[key] = subject
    try:
        yield key
    finally:
        del _SUBJECTS[key]


def evaluate(key: int, given: Any) -> Any:
    """What the subject of a number finds."""
    return known(key).evaluate(given)


def known(key: int) -> Any:
    """The subject of a number."""
    return _SUBJECTS[key]


def forks(how: str) -> bool:
    """Whether processes are asked for, and can be copies of this one."""
    return how == "processes" and sys.platform == "linux"


def pool_of(how: str, workers: int) -> Executor:
    """Threads, or processes that copy this one, with all that is in it, where the system can do that safely: Linux."""
    if forks(how):
        return ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), _ignore_interrupts)
    return ThreadPoolExecutor(workers)


@contextmanager
def _quiet() -> Iterator[None]:
    """Threads of numerical libraries sleep while blocks are handed out; nothing of theirs is needed in the copies."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)
        yield


def _ignore_interrupts(*_: Any) -> None:
    """The first process ends the others when it is interrupted. What they inherited stays: collections of garbage need
    not look at it, nor copy its pages."""
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
