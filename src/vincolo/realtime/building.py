"""Compiling what was exported, with the compiler of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from vincolo import _kernel
from vincolo.errors import ModelError

LONGEST = 1800  # seconds that a compiler may take
KERNELS = {"portable": "", "avx2": "-mavx2 -mfma"}  # and what a compiler is told for them


def ready_kernel(instructions: str) -> Path | None:
    """The kernel's library that was built with the package, if it is there."""
    own = Path(_kernel.core().__file__).parent / f"libkernel_{instructions}.a"
    given = os.environ.get("VINCOLO_LIBRARIES")  # a folder with libraries that were built elsewhere
    found = [own] if given is None else [Path(given) / own.name, own]
    return next((path.resolve() for path in found if path.is_file()), None)


def compiler(kind: str) -> str:
    """The command of a compiler, cc or c++: as CC and CXX say, or the first that is there."""
    variable, usual = {"cc": ("CC", ("cc", "gcc", "clang")), "c++": ("CXX", ("c++", "g++", "clang++"))}[kind]
    asked = os.environ.get(variable)
    found = shutil.which(asked) if asked else next((path for name in usual if (path := shutil.which(name))), None)
    if found is None:
        raise ModelError(f"export: there is no compiler ({asked or ', '.join(usual)}).\n"
                         f"  Install one, or name it in {variable}; --as c exports sources alone, without one.")
    return found


def make_shared(folder: Path, program: tuple[str, ...], instructions: str) -> Path:
    """Compiles the sources of an FMU; links the kernel that was built with the package, if it is there, or compiles
    that too, which takes a minute or two."""
    kernel = ready_kernel(instructions)
    if kernel is None:
        flags = [f"CC={compiler('cc')}", f"CXX={compiler('c++')}", f"INSTRUCTIONS={KERNELS[instructions]}"]
        _run(["make", "-j", str(os.cpu_count() or 1), *flags, "model.so"], folder)
        return folder / "model.so"
    objects = [f"{name}.o" for name in (*program, "table.c")]
    for name in (*program, "table.c"):
        _run([compiler("cc"), "-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Ikernel", "-I.",
              "-c", name, "-o", f"{name}.o"], folder)
    _run([compiler("c++"), "-shared", "-Wl,--gc-sections", "-Wl,--version-script=exports.map", "-o", "model.so",
          *objects, str(kernel), "-lm"], folder)
    for name in objects:
        (folder / name).unlink()
    return folder / "model.so"


def _run(command: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        raise ModelError(f"export: {command[0]} did not end within {LONGEST} s.") from None
    if done.returncode != 0:
        said = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise ModelError(f"export: {command[0]} failed:\n{said}")
