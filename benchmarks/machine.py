"""On what was measured: the machine, its load and the kernel; and the CPU time of a piece of work."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import vincolo as vc
from vincolo import _kernel

FEW = 4  # calls whose time stands for the preparations
PEERS = {"mujoco": "mujoco", "pinocchio": "pin", "exudyn": "exudyn"}  # and the names of their packages


def machine() -> dict:
    """Processor, cores, load, Python, kernel and the peers' versions."""
    return {"processor": processor(), "cores": os.cpu_count(), "load": load(), "python": platform.python_version(),
            "kernel": kernel_name(), "vincolo": vc.__version__, "peers": peer_versions()}


def processor() -> str:
    """The name of the processor, where Linux tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def load() -> list[float]:
    """Average number of programs that ran or waited, over 1, 5 and 15 minutes."""
    return [round(value, 2) for value in os.getloadavg()]


def kernel_name() -> str:
    return _kernel.core().instruction_set


def peer_versions() -> dict[str, str]:
    found = {}
    for name, package in PEERS.items():
        try:
            found[name] = version(package)
        except PackageNotFoundError:
            continue
    return found


def described() -> str:
    """One line for the head of a table."""
    m = machine()
    return f"{m['processor']}, {m['cores']} cores, load {' '.join(map(str, m['load']))}; kernel {m['kernel']}"


def cpu_per_call(work: Callable[[int], object], seconds: float = 0.02, rounds: int = 7, longest: float = 2.0) -> float:
    """CPU time of one of many calls [s]: work(n) makes n of them. What n calls take beyond a few is counted, so that
    preparations are not; n is such that they take some hundredths of a second. The best of the rounds counts, since a
    busy machine only makes it longer."""
    least = measured(work, FEW)
    if least < longest / 8:
        least = min(least, measured(work, FEW), measured(work, FEW))
    calls = FEW
    while (spent := measured(work, FEW + calls)) < least + max(seconds, 0.5 * least) and spent < longest:
        calls *= 2 if spent > 2 * least else 4
    times = [spent, *(measured(work, FEW + calls) for _ in range(rounds - 1 if spent < longest else 0))]
    return max(min(times) - least, 1e-9) / calls


def measured(work: Callable[[int], object], calls: int) -> float:
    begun = time.thread_time()
    work(calls)
    return time.thread_time() - begun
