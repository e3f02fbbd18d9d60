"""A McPherson suspension at 1 kHz by the exported program: step times on an idle machine and under load.

    python benchmarks/real_time.py [--seconds 60] [--load N]

The project is exported and compiled once (a minute or two; with the kernel's library that came with the package some
seconds), then the program runs in real time twice: alone, and beside as many busy processes as there are processors, or
N. Prints p50, p99, p99.99 and max of the steps' times, overruns of the period, and page faults. For a promise run it on
a machine that does nothing else, as a user who may lock memory and have a priority. `--chains` adds the table of
real_time_chains.py.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import real_time_chains
import vincolo as vc
from vincolo import _kernel
from vincolo.realtime.building import KERNELS, compiler, ready_kernel
from vincolo.realtime.project import PROGRAM, write_project
from vincolo.realtime.table import plant

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
STEP = 1e-3  # s
TOLD = re.compile(r"p50 (\S+), p99 (\S+), p99\.99 (\S+), max (\S+) us; (\d+) overruns.*; (\d+) steps failed; "
                  r"(\d+) page")


def suspension() -> vc.Model:
    """The suspension of mcpherson_road.py, whose road is an input."""
    sys.path.insert(0, str(EXAMPLES))
    import mcpherson_road

    return mcpherson_road.build()


def built(folder: Path) -> Path:
    """The program, for the instruction set of the kernel in use."""
    write_project(plant(suspension(), STEP, integrator=vc.integrators.RK4(step=STEP)), folder)
    instructions = str(_kernel.core().instruction_set)
    kernel = ready_kernel(instructions)
    if kernel is None:
        subprocess.run(["make", "-j", str(os.cpu_count() or 1), f"INSTRUCTIONS={KERNELS[instructions]}", "model"],
                       cwd=folder, check=True)
        return folder / "model"
    names = [*PROGRAM, "table.c"]
    for name in names:
        subprocess.run([compiler("cc"), "-std=c11", "-O2", "-Ikernel", "-I.", "-c", name, "-o", f"{name}.o"],
                       cwd=folder, check=True)
    subprocess.run([compiler("c++"), "-o", "model", *(f"{name}.o" for name in names), str(kernel), "-lm", "-lrt"],
                   cwd=folder, check=True)
    return folder / "model"


def measured(program: Path, seconds: float) -> tuple[str, ...]:
    """Times of steps [us], overruns, failed steps and page faults, as the program tells them."""
    done = subprocess.run([program, "--seconds", str(seconds), "--overrun", "skip"], check=True, capture_output=True,
                          text=True)
    found = TOLD.search(done.stdout)
    if found is None:
        raise SystemExit(f"the program said: {done.stdout}{done.stderr}")
    for note in done.stderr.strip().splitlines():
        print(note)
    return found.groups()


def under_load(program: Path, seconds: float, count: int) -> tuple[str, ...]:
    """The same beside busy processes, which are ended by their ids."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: sum(range(10_000))"]) for _ in range(count)]
    try:
        return measured(program, seconds)
    finally:
        for process in busy:
            process.terminate()
            process.wait()


def main() -> None:
    """Prints a table; see above."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--load", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--chains", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = built(Path(folder) / "suspension")
        print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; {given.seconds:g} s at 1 kHz")
        rows = [("alone", measured(program, given.seconds)),
                (f"beside {given.load} busy processes", under_load(program, given.seconds, given.load))]
    print("| McPherson at 1 kHz | p50 us | p99 | p99.99 | max | overruns | failed | page faults |")
    print("|---|---|---|---|---|---|---|---|")
    for name, numbers in rows:
        print(f"| {name} | {' | '.join(numbers)} |")
    if given.chains:
        print()
        real_time_chains.main()


if __name__ == "__main__":
    main()
