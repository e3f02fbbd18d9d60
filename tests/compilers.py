"""Builds the kernel with another compiler and runs its programs: python tests/compilers.py KIND [pytest words].

KIND is `clang` (AVX2, and the Python module too, with the laws on it, or what the words ask for), `aarch64` (programs
run by qemu) or `mingw` (Windows, programs run by wine). Debian has them as clang, g++-aarch64-linux-gnu with qemu-user,
and g++-mingw-w64-x86-64-posix with wine64. Each is built in build/KIND, with as many jobs as the variable JOBS says
(2). Where the runner is missing the programs are only compiled, which is said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from checked import ROOT, generator, tool  # noqa: E402

PROGRAMS = [file.stem for file in sorted((ROOT / "tests" / "kernel").glob("*.cpp"))]
LAWS = ["tests/laws/test_joint_laws.py", "tests/laws/test_measure_laws.py", "tests/laws/test_function_laws.py",
        "tests/laws/test_formulation_laws.py", "tests/laws/test_system_laws.py", "tests/laws/test_event_laws.py",
        "tests/laws/test_joint_coordinate_laws.py", "tests/orders/test_integrator_orders.py",
        "tests/oracles/test_published_motions.py", "tests/oracles/test_rigid_contact.py"]


@dataclass(frozen=True)
class Target:
    """A compiler, the machine it compiles for ("" is this one), and what runs programs of that machine."""

    compiler: str
    system: str = ""
    processor: str = ""
    runners: tuple[str, ...] = ()
    ending: str = ""
    kernel: str = "portable"


TARGETS = {
    "clang": Target("clang++", kernel="avx2"),
    "aarch64": Target("aarch64-linux-gnu-g++", "Linux", "aarch64", ("qemu-aarch64",)),
    "mingw": Target("x86_64-w64-mingw32-g++-posix", "Windows", "x86_64", ("wine64", "/usr/lib/wine/wine64"), ".exe"),
}


def configure(kind: str, folder: Path) -> None:
    """Tells CMake of the compiler; a machine that is not this one gets the portable kernel alone, without Python."""
    target = TARGETS[kind]
    words = [f"-DCMAKE_CXX_COMPILER={target.compiler}", f"-DPython_EXECUTABLE={sys.executable}",
             f"-DVINCOLO_INSTRUCTIONS={target.kernel}"]
    if target.system:
        words += [f"-DCMAKE_SYSTEM_NAME={target.system}", f"-DCMAKE_SYSTEM_PROCESSOR={target.processor}",
                  "-DCMAKE_EXE_LINKER_FLAGS=-static", "-DVINCOLO_PYTHON=OFF"]
    else:
        import nanobind

        words += [f"-Dnanobind_DIR={nanobind.cmake_dir()}"]
    subprocess.run([*tool("cmake"), "-S", ROOT, "-B", folder, *generator(), *words], check=True)


def ran(kind: str, folder: Path) -> bool:
    """Whether all programs of tests/kernel met their numbers."""
    target = TARGETS[kind]
    runner = [found for name in target.runners if (found := shutil.which(name))][:1]
    if target.runners and not runner:
        print(f"{kind}: compiled; nothing here runs it ({' or '.join(target.runners)})")
        return True
    names = [folder / f"{program}_{target.kernel}{target.ending}" for program in PROGRAMS]
    codes = {name.name: subprocess.run([*runner, name], check=False).returncode for name in names}
    for name, code in codes.items():
        print(f"{kind}: {name} {'passes' if code == 0 else f'ends with {code}'}")
    return not any(codes.values())


def main(kind: str = "", *words: str) -> int:
    if kind not in TARGETS:
        print(f"'{kind}' is not a compiler that is known here; there are {', '.join(TARGETS)}", file=sys.stderr)
        return 2
    folder = ROOT / "build" / kind
    configure(kind, folder)
    build = [*tool("cmake"), "--build", folder, "--parallel", os.environ.get("JOBS", "2"), "--target"]
    subprocess.run([*build, *(f"{program}_{TARGETS[kind].kernel}" for program in PROGRAMS)], check=True)
    passed = ran(kind, folder)
    if not passed or TARGETS[kind].system:
        return int(not passed)
    subprocess.run([*build, "_core_avx2"], check=True)
    env = {**os.environ, "VINCOLO_KERNEL": str(next(folder.glob("_core*.so")))}
    tests = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-m", "not slow", *(words or LAWS)]
    return subprocess.run(tests, cwd=ROOT, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
