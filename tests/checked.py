"""Builds the kernel with checks in it and runs the laws and oracles on it: python tests/checked.py KIND [pytest words].

KIND is `asserts` (of Eigen and of the standard library), `address` (addresses and undefined behaviour) or `thread`
(data races; only tests with threads). Each has a folder of its own, build/KIND, where later runs compile what
has changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ["tests/laws", "tests/oracles"]
WITH_THREADS = ["tests/errors/test_run_errors.py::test_runs_in_threads_do_not_disturb_each_other",
                "tests/laws/test_result_laws.py::test_seconds_are_those_of_the_run_and_not_of_other_threads",
                "tests/laws/test_writing_laws.py::test_runs_that_end_in_one_folder_at_the_same_moment_all_end_well"]
FULL_DISK = "tests/laws/test_writing_laws.py::test_a_full_disk_is_a_clear_error_and_the_old_file_stays"
WITH_BROWSER = [f"{FULL_DISK}[room-report.pdf]"]  # does not run under the runtime of a sanitizer
#: what is run, and the runtime that is loaded before Python; libstdc++ too, so that the runtime finds its exceptions
KINDS = {"asserts": (FOLDERS, []), "address": (FOLDERS, ["libasan.so", "libstdc++.so"]),
         "thread": (WITH_THREADS, ["libtsan.so", "libstdc++.so"])}


def build(kind: str) -> Path:
    """The kernel with these checks, built for this processor."""
    return build_in(ROOT, ROOT / "build" / kind, kind)


def build_in(root: Path, folder: Path, kind: str) -> Path:
    """The same of a copy of the sources."""
    python = ["-c", "import nanobind; print(nanobind.cmake_dir())"]
    nanobind = subprocess.check_output([sys.executable, *python], text=True).strip()
    subprocess.run([*tool("cmake"), "-S", root, "-B", folder, *generator(), f"-DPython_EXECUTABLE={sys.executable}",
                    f"-Dnanobind_DIR={nanobind}", "-DVINCOLO_INSTRUCTIONS=native",
                    f"-DVINCOLO_CHECKS={kind}"], check=True)
    subprocess.run([*tool("cmake"), "--build", folder, "--parallel"], check=True)
    return max(folder.glob("_core*.so"), key=lambda file: file.stat().st_mtime)


def tool(name: str) -> list[str]:
    """A program of the environment of this Python, or of the machine."""
    own = Path(sys.executable).parent / name
    return [str(own)] if own.exists() else [name]


def generator() -> list[str]:
    """Ninja, wherever it is."""
    return ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')[0]}"]


def environment(kind: str, kernel: Path) -> dict[str, str]:
    """What makes Python use this kernel under its sanitizer. Leaks are not looked for: the interpreter keeps memory."""
    libraries = [subprocess.check_output(["g++", f"-print-file-name={name}"], text=True).strip()
                 for name in KINDS[kind][1]]
    place = ROOT / "tests" / "sanitizers"
    added = {"VINCOLO_KERNEL": str(kernel), "LD_PRELOAD": " ".join(libraries), "PYTHONMALLOC": "malloc",
             "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1",
             # Eigen takes the address of the first number of an empty block, and does not use it
             "UBSAN_OPTIONS": f"print_stacktrace=1:halt_on_error=1:suppressions={place / 'undefined.txt'}",
             "TSAN_OPTIONS": f"suppressions={place / 'thread.txt'}:halt_on_error=1:exitcode=66"}
    return {**os.environ, **(added if libraries else {"VINCOLO_KERNEL": str(kernel)})}


def main(kind: str = "", *words: str) -> int:
    if kind not in KINDS:
        print(f"'{kind}' is not a way to check the kernel; there are {', '.join(KINDS)}", file=sys.stderr)
        return 2
    kernel = build(kind)
    folders, runtimes = KINDS[kind]
    left_out = [word for test in WITH_BROWSER if runtimes for word in ("--deselect", test)]
    tests = ["-m", "pytest", "-n", "2", "--dist", "worksteal", "-m", "not slow", *folders, *left_out, *words]
    return subprocess.run([sys.executable, *tests], cwd=ROOT, env=environment(kind, kernel), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
