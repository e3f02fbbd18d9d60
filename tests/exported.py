"""What is exported, built for tests: with the kernel's library that the kernel in use was built with."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vincolo import _kernel
from vincolo.realtime.building import ready_kernel
from vincolo.realtime.project import PROGRAM, write_project

ROOT = Path(__file__).resolve().parents[1]
STRICT = ["-std=c11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Ikernel", "-I."]


def instructions():
    """Of the kernel in use: what is exported with the same has the same numbers, bit by bit."""
    return str(_kernel.core().instruction_set)


def libraries(monkeypatch):
    """Lets exports find the library of the kernel in use: that of the package, or of the newest build of it here; other
    folders there have kernels with checks in them, or of other compilers."""
    name = f"libkernel_{instructions()}.a"
    found = sorted((ROOT / "build").glob(f"*-{sys.implementation.cache_tag.replace('cpython-', 'cp')}-*/{name}"),
                   key=lambda path: path.stat().st_mtime)
    if found:
        monkeypatch.setenv("VINCOLO_LIBRARIES", str(found[-1].parent))
    if ready_kernel(instructions()) is None:
        pytest.skip(f"{name} was not kept from the build of this kernel")


def run(*command, cwd=None, timeout=60, status=0):
    """A program to its end; what it printed."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, check=False, capture_output=True, text=True,
                          timeout=timeout)
    assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def program(plant, folder, *, cc="gcc", counted=False):
    """The program of a project, whose kernel is not compiled again."""
    if not folder.exists():
        write_project(plant, folder)
    names = [*PROGRAM, "table.c", *(["allocations.c"] if counted else [])]
    defined = ["-DCOUNT_ALLOCATIONS"] if counted else []
    for name in names:
        run(cc, *STRICT, *defined, "-c", name, "-o", f"{name}.o", cwd=folder)
    objects = [f"{name}.o" for name in names]
    out = folder / f"model_{cc}{'_counted' if counted else ''}"
    run(os.environ.get("CXX", "c++"), "-Wl,--gc-sections", "-o", out, *objects, ready_kernel(instructions()), "-lm",
        "-lrt", cwd=folder)
    return out
