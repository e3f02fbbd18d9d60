"""What the base install can do: plots, pages and reports, with every optional package hidden."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import vincolo
from vincolo.cli.doctor import OPTIONAL

HIDDEN = ("matplotlib", "PIL", "trimesh", "websockets", "plotly", "pandas", "xarray", "sympy", "h5py", "imageio_ffmpeg",
          "imageio", "pint", "control", "mujoco", "gymnasium")
WORK = """
import json, sys
for name in {hidden}:
    sys.modules[name] = None
from typer.testing import CliRunner
from vincolo.cli.app import app
said = [CliRunner().invoke(app, words.split()) for words in {commands}]
print(json.dumps([[s.exit_code, s.output] for s in said]))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    commands = ["new crank.xlsx --template slider-crank", "run crank.xlsx", "plot crank_results slider.x -o plot.html",
                "view crank_results -o page.html", "report crank_results -o report.html",
                "plot crank_results slider.x -o plot.png", "picture crank_results"]
    folder = tmp_path_factory.mktemp("base")
    source = os.pathsep.join([str(Path(vincolo.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run([sys.executable, "-c", WORK.format(hidden=HIDDEN, commands=commands)], cwd=folder, timeout=120,
                         capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": source})
    found = json.loads(run.stdout.splitlines()[-1])
    return dict(zip(commands, found, strict=True)), folder


@pytest.mark.parametrize("number", range(5))
def test_commands_work(answers, number):
    code, text = list(answers[0].values())[number]
    assert code == 0, text


def test_pages_are_small_and_the_report_has_its_pictures(answers):
    folder = answers[1]
    assert (folder / "plot.html").stat().st_size < 100_000 and (folder / "page.html").stat().st_size < 500_000
    report = (folder / "report.html").read_text()
    assert report.count("data:image/png") == 2 and 'id="chart-3"' in report
    assert "There is no picture" not in report and "There is no animation" not in report


def test_what_needs_more_says_what_to_install(answers):
    *_, (plot_code, plot_text), (picture_code, picture_text) = answers[0].values()
    assert plot_code == picture_code == 2
    assert "pip install matplotlib" in plot_text and "pip install pillow" in picture_text


def test_messages_name_packages_that_indexes_have():
    """vincolo itself is on no index, nor are its extras; every other name is that of a package."""
    known = {*OPTIONAL, "openpyxl", "gymnasium", "pint", "{extra}{otherwise}", "--force-reinstall"}
    for path in Path(vincolo.__file__).parent.rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            for rest in line.split("pip install ")[1:]:
                name = rest.split()[0].strip("\"'`).;").split(",")[0]
                assert name in known, (path, line)
