"""The command line made comfortable: lists, quiet, pipes, words for machines and for people."""

import json
import os
import re
import subprocess
import sys

from test_command_line import BOOKS, PENDULUM, here, said, told
from typer.testing import CliRunner

from vincolo.cli.app import app

__all__ = ["here"]


def test_series_are_listed_by_part_and_found(here):
    said("run", "pendulum.yaml")
    text = said("plot", "pendulum_results").stdout
    assert re.search(r"Bodies:\n  bob: x, y, z \[m\]; vx.*\nJoints:\n  O: angle \[rad\].*\nWhole mechanism:\n  t \[s\]",
                     text)
    few = said("plot", "pendulum_results", "--find", "REACTION.force").stdout
    assert "  O: reaction.force, reaction.force.x, reaction.force.y, reaction.force.z [N]" in few and "bob" not in few
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


def test_messages_speak_of_commands(here):
    said("run", "pendulum.yaml")
    wrong = said("plot", "pendulum_results", "bob.x", "-o", "p.gif", code=2).output
    assert wrong.startswith("error: 'p.gif' does not say what kind of picture is wanted") and "()" not in wrong
    rest = said("statics", "pendulum.yaml").output
    assert re.search(r"O.angle +1.570\d+ rad", rest) and re.search(r"bob +\S+ +\S+ +-0.5 m", rest) and "()" not in rest


def test_no_colours_where_they_are_switched_off(here):
    command = [sys.executable, "-m", "vincolo", "run", "nothing.yaml"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False,
                         env={**os.environ, "NO_COLOR": "1", "FORCE_COLOR": "1"})
    assert run.returncode == 2 and "\x1b[31" not in run.stderr and run.stderr.startswith(("error:", "\x1b[1merror:"))
