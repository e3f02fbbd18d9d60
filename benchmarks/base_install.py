"""The base install beside those of others, each in a fresh environment: size, import, a first result, a first page.

python benchmarks/base_install.py [FOLDER] [--wheel FILE]

Environments are made in FOLDER (a temporary one if none is given, removed afterwards). vincolo comes from the wheel;
without one its dependencies are installed, and its files and compiled kernels copied, which is what its wheel holds.
Installing is timed by the clock, with what pip has downloaded before, and no compiler on the path. A result is one
second of a pendulum; a page is that motion as a file that a browser shows. These are CPU times, best of several fresh
interpreters."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import vincolo
from vincolo import _kernel

ROUNDS = 5
ROOT = Path(__file__).parents[1]
TIMED = "import time; t = time.process_time()\n{}\nprint(time.process_time() - t)"
IMPORTS = {"vincolo": "import vincolo", "exudyn": "import exudyn", "mujoco": "import mujoco"}
RESULTS = {
    "vincolo": """import vincolo as vc
m = vc.Model("pendulum")
m.revolute("O", m.ground, m.body("bob", 1.0, 0.1, (1, 0, 0)), at=(0, 0, 0), axis="y")
r = vc.simulate(m, 1.0)""",
    "exudyn": """import exudyn as exu
import numpy as np
from exudyn.utilities import *
SC = exu.SystemContainer(); mbs = SC.AddSystem()
g = mbs.AddObject(ObjectGround())
b = mbs.CreateRigidBody(inertia=RigidBodyInertia(1.0, np.diag([0.1, 0.1, 0.1])), referencePosition=[1, 0, 0],
                        gravity=[0, 0, -9.81])
mbs.CreateRevoluteJoint(bodyNumbers=[g, b], position=[0, 0, 0], axis=[0, 1, 0])
mbs.Assemble()
s = exu.SimulationSettings(); s.timeIntegration.endTime = 1.0; s.timeIntegration.numberOfSteps = 1000
s.timeIntegration.verboseMode = 0; s.solutionSettings.writeSolutionToFile = False
mbs.SolveDynamic(s)""",
    "mujoco": """import mujoco
m = mujoco.MjModel.from_xml_string('''<mujoco><option timestep="0.001"/><worldbody><body pos="1 0 0">
<joint type="hinge" axis="0 1 0" pos="-1 0 0"/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
</body></worldbody></mujoco>''')
d = mujoco.MjData(m)
for _ in range(1000):
    mujoco.mj_step(m, d)"""}
PAGES = {"vincolo": RESULTS["vincolo"] + "\nr.show('first.html')"}  # the others write none


def made(package: str, folder: Path, wheel: str) -> Path:
    """An environment with a package and what it needs; its interpreter."""
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    needed = [package]
    if package == "vincolo":
        needed = [wheel] if wheel else tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    env = {**os.environ, "PATH": str(python.parent)}  # no compiler
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet",
                    "--only-binary", ":all:", *needed], check=True, env=env)
    if package == "vincolo" and not wheel:
        target = packages(folder) / "vincolo"
        shutil.copytree(Path(vincolo.__file__).parent, target, ignore=shutil.ignore_patterns("__pycache__"))
        for kernel in Path(_kernel.core().__file__).parent.glob("_core*"):
            shutil.copy2(kernel, target)
    return python


def packages(folder: Path) -> Path:
    """Where the packages of an environment are."""
    return next(folder.rglob("site-packages"))


def megabytes(folder: Path) -> float:
    """The size of all packages, without byte code."""
    files = (p for p in packages(folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return sum(p.stat().st_size for p in files) / 1e6


def seconds(python: Path, code: str) -> float:
    """CPU time, best of several fresh interpreters; the first writes byte code."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    with tempfile.TemporaryDirectory() as here:
        runs = [subprocess.run([str(python), "-c", TIMED.format(code)], capture_output=True, text=True, check=True,
                               env=env, cwd=here) for _ in range(ROUNDS)]
    return min(float(run.stdout.split()[-1]) for run in runs)


def measured(package: str, folder: Path, wheel: str) -> str:
    """A row of the table."""
    try:
        began = time.monotonic()
        python = made(package, folder, wheel)
        installed = time.monotonic() - began
        size = megabytes(folder)
        times = [seconds(python, code) if code else None
                 for code in (IMPORTS[package], RESULTS[package], PAGES.get(package))]
    except subprocess.CalledProcessError as error:
        why = [line for line in str(error.stderr or error).splitlines() if line.strip()]
        return f"{package:<10} not measured: {why[-1] if why else error}"
    shown = "".join(f"{'none' if t is None else f'{t:.2f}':>16}" for t in times)
    return f"{package:<10}{size:>9.0f}{installed:>16.1f}{shown}"


def main() -> None:
    try:
        version("pip")
    except PackageNotFoundError:
        sys.exit("pip is missing here; install it, then try again.")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors" if hasattr(os, "getloadavg") else "")
    words = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    words.add_argument("folder", nargs="?", help="where environments are made and left")
    words.add_argument("--wheel", default="", help="the wheel of vincolo to install")
    asked = words.parse_args()
    print(f"{'package':<10}{'size [MB]':>9}{'install [s]':>16}{'import [s]':>16}{'result [s]':>16}{'page [s]':>16}")
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="vincolo-install-"))
    try:
        for package in IMPORTS:
            print(measured(package, folder / package, asked.wheel), flush=True)
    finally:
        if not asked.folder:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
