"""The command line: runs that are recorded, pipes, quiet, and what machines are told."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from test_command_line import BOOKS, PENDULUM, said, told
from typer.testing import CliRunner

import vincolo as vc
from vincolo.cli.app import app
from vincolo.tables.folder import check_replaceable, load_folder


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    return tmp_path


# --record

def test_record_writes_the_same_run_into_a_folder(here):
    said("run", "pendulum.yaml", "-o", "a")
    said("run", "pendulum.yaml", "-o", "b", "--record", "--export", "b.csv")
    names = {p.name for p in (here / "b").iterdir()}
    assert names == {"result.vcr", "model.yaml", "summary.txt", "about.json", "exported.json"}
    a, b = load_folder(here / "a"), load_folder(here / "b")
    assert b.in_file and np.array_equal(a.y, b.y) and np.array_equal(a["bob.x"], b["bob.x"])
    assert json.loads((here / "b" / "about.json").read_text())["complete"] is True
    said("plot", "b", "bob.x", "-o", "b.html")
    said("run", "pendulum.yaml", "-o", "b", "--record")  # replaces its own


def test_the_folder_of_a_recorded_run_is_read_while_it_goes_on(here, monkeypatch):
    def seen(self, t, end):
        assert "still going on" in load_folder(here / "c").reason
        with pytest.raises(vc.ModelError, match="a run is writing its record there"):
            check_replaceable(here / "c")
        raise KeyboardInterrupt

    monkeypatch.setattr("vincolo.cli.runs.Bar.__call__", seen)
    assert "interrupted" in said("run", "pendulum.yaml", "--until", "1e5", "-o", "c", "--record", code=130).output
    assert load_folder(here / "c").reason.startswith("interrupted") and (here / "c" / "summary.txt").exists()


def test_record_is_of_motion_in_time(here):
    drive = "drives: {turn: {measure: O.angle, function: t}}\n"
    (here / "driven.yaml").write_text(PENDULUM.replace("until: 1,", "analysis: kinematics, until: 1,") + drive)
    assert "--record writes the motion in time" in said("run", "driven.yaml", "--record", code=2).output
    assert not (here / "driven_results").exists()


# pipes, quiet and machines

def test_series_are_listed_by_part_and_found(here):
    said("run", "pendulum.yaml")
    text = said("plot", "pendulum_results").stdout
    assert re.search(r"Bodies:\n  bob: x \[m\].*\nJoints:\n  O: angle \[rad\].*\nWhole mechanism:\n  t \[s\]", text)
    few = said("plot", "pendulum_results", "--find", "REACTION.force").stdout
    assert "  O: reaction.force [N]" in few and "bob" not in few
    assert told("plot", "pendulum_results", "--find", "angle.rate") == {"series": {"O.angle.rate": "rad/s"}}
    assert "no series has 'angel' in its name" in said("plot", "pendulum_results", "--find", "angel", code=2).output


def test_quiet_says_nothing_but_what_is_wrong(here):
    command = [sys.executable, "-m", "vincolo", "run", "pendulum.yaml", "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert run.stdout == run.stderr == "" and (here / "pendulum_results").is_dir()
    wrong = subprocess.run([*command, "--set", "q=1"], capture_output=True, text=True, timeout=120, check=False)
    assert wrong.returncode == 2 and wrong.stdout == "" and wrong.stderr.startswith("error:")


def test_models_and_tables_come_through_pipes(here):
    runner = CliRunner()
    found = runner.invoke(app, ["run", "-", "--json", "-o", "piped"], input=PENDULUM.encode())
    assert found.exit_code == 0 and json.loads(found.stdout)["model"] == "pendulum" and (here / "piped").is_dir()
    book = runner.invoke(app, ["check", "-"], input=BOOKS[0].read_bytes())
    assert book.exit_code == 0, book.output
    wrong = runner.invoke(app, ["run", "-"], input=b"bodies: 7\n")
    assert wrong.exit_code == 2 and "input.yaml" in wrong.output
    drawn = runner.invoke(app, ["plot", "-", "a", "-o", "p.html"], input=b"t [s],a [mm]\n0,1\n1,2\n")
    assert drawn.exit_code == 0 and (here / "p.html").is_file()


def test_what_was_written_is_told_to_machines(here):
    said("run", "pendulum.yaml")
    assert told("plot", "pendulum_results", "bob.x", "-o", "p.html") == {"written": "p.html"}
    assert told("view", "pendulum_results", "-o", "v.html") == {"written": "v.html"}
    assert told("report", "pendulum_results", "-o", "r.html", "--no-animation") == {"written": "r.html"}
    assert "--out page.html" in told("view", "pendulum_results", code=2)["error"]
