"""Blocks of samples evaluated side by side: in threads, or in processes made of this one where that can be."""

from __future__ import annotations

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
_SUBJECTS: dict[int, Subject] = {}  # those that processes made of this one find in themselves


def evaluated(subject: Subject, blocks: Sequence[Block], workers: int) -> Iterator[tuple[int, Evaluated]]:
    """Blocks by number as they are done, in any order; what is not begun is given up when the caller stops."""
    if workers == 1 or len(blocks) < 2:
        for number, deviations in blocks:
            yield number, subject.evaluate(deviations)
        return
    key = id(subject)
    _SUBJECTS[key] = subject
    try:
        with _pool(subject, min(workers, len(blocks))) as pool:
            waiting = {pool.submit(_evaluate, key, deviations): number for number, deviations in blocks}
            for future in as_completed(waiting):
                yield waiting[future], future.result()
    finally:
        del _SUBJECTS[key]


def _evaluate(key: int, deviations: Mapping[str, Array]) -> Evaluated:
    return _SUBJECTS[key].evaluate(deviations)


@contextmanager
def _pool(subject: Subject, workers: int) -> Iterator[Executor]:
    """Processes copy this one, with the subject in it, where the system can do that safely: on Linux."""
    forks = subject.parallel == "processes" and sys.platform == "linux"
    pool: Executor = ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), _ignore_interrupts) if forks \
        else ThreadPoolExecutor(workers)
    with warnings.catch_warnings():
        # threads of numerical libraries sleep while blocks are handed out; nothing of theirs is needed in the copies
        warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _ignore_interrupts(*_: Any) -> None:
    """The first process ends the others when it is interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
