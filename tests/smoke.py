"""What an installed package must do anywhere: run a slider-crank and meet its number, in Python and in the shell.

    python tests/smoke.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import vincolo as vc


def check_motion() -> None:
    """A slider-crank with a rod of 2 m and a crank of 1 m reaches from 1 m to 3 m."""
    m = vc.Model("crank and slider")
    crank = m.body("crank", mass=1, inertia=0.1, at=(0, 0, 0.5))
    slider = m.body("slider", mass=4, inertia=0.3, at=(1.7, 0, 0))
    m.revolute("O", m.ground, crank, at=(0, 0, 0), axis="y")
    m.prismatic("guide", m.ground, slider, at=(1.7, 0, 0), axis="x")
    m.distance("rod", crank.frame((0, 0, 1)), slider.frame((1.7, 0, 0)), length=2)
    m.drive("O.angle", "2*pi*t")
    x = vc.simulate(m, until=1.0, outputs=1000)["slider.x"]
    if not (abs(x.max() - 3) < 1e-5 and abs(x.min() - 1) < 1e-5):
        sys.exit(f"the slider goes from {x.min()} m to {x.max()} m instead of from 1 m to 3 m")


def check_commands() -> None:
    """The command line runs a workbook and writes its page."""
    with tempfile.TemporaryDirectory() as folder:
        for words in (["new", "crank.xlsx", "--template", "slider-crank"], ["run", "crank.xlsx"],
                      ["view", "crank_results", "-o", "crank.html"]):
            subprocess.run([sys.executable, "-m", "vincolo", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        if not (Path(folder) / "crank.html").stat().st_size > 1e4:
            sys.exit("the page is empty")


if __name__ == "__main__":
    check_motion()
    check_commands()
    print("vincolo", vc.__version__, "works here")
