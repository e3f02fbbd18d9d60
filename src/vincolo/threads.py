"""Threads of the library of linear algebra that NumPy and SciPy use: many small matrices are faster with one."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: how builds of OpenBLAS call their functions
NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads64_",
         "openblas_{}_num_threads")
Switch = tuple[Callable[[], int], Callable[[int], Any]]  # reads and sets the number of threads


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra in one thread within, and in as many as before behind."""
    switches = _switches()
    before = [read() for read, _ in switches]
    for _, put in switches:
        put(1)
    try:
        yield
    finally:
        for (_, put), count in zip(switches, before, strict=True):
            put(count)


def thread_counts() -> list[int]:
    """How many threads each library of linear algebra may use; none where that cannot be told."""
    return [read() for read, _ in _switches()]


def _switches() -> list[Switch]:
    """Those of all builds of OpenBLAS that this process has loaded; found on Linux alone."""
    if not sys.platform.startswith("linux"):
        return []
    words = (line.split(maxsplit=5) for line in Path("/proc/self/maps").read_text(errors="replace").splitlines())
    files = sorted({word[5] for word in words if len(word) == 6 and "openblas" in word[5].lower()})
    return [switch for file in files if (switch := _switch(file)) is not None]


def _switch(file: str) -> Switch | None:
    try:
        library = ctypes.CDLL(file)
    except OSError:  # replaced on the disk since it was loaded
        return None
    for name in NAMES:
        if hasattr(library, name.format("set")) and hasattr(library, name.format("get")):
            return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return None
