"""The command line: what a user types, what is printed, written and returned."""

import json
import math
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import vincolo as vc
from vincolo.cli import doctor
from vincolo.cli.app import app
from vincolo.tables.folder import check_replaceable, load_folder

ROOT = Path(__file__).resolve().parents[2]
CARDS = ROOT / "examples" / "cards"
BOOKS = sorted((ROOT / "examples" / "workbooks").glob("*.xlsx"))
OUTSIDE = "<(script|link|img)[^>]+(src|href)=.(?!data:)"  # what a page would fetch
PENDULUM = """
name: pendulum
parameters: {l: 0.5, m: 2}
bodies:
  bob: {mass: "=m", inertia: 0.01, at: ["=l", 0, 0]}
joints:
  O: {kind: revolute, a: ground, b: bob, at: [0, 0, 0], axis: y}
run: {until: 1, outputs: 50}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    return tmp_path


def said(*words, code=0):
    found = CliRunner().invoke(app, [str(w) for w in words])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == code, found.output
    return found


def told(*words, code=0):
    """The one JSON object on the output."""
    return json.loads(said(*words, "--json", code=code).stdout)


# run

def test_run_writes_a_folder_and_tells_the_summary(here):
    text = said("run", "pendulum.yaml").stdout
    assert "pendulum: 1 s simulated in" in text and "vincolo plot pendulum_results O.angle" in text
    names = {p.name for p in (here / "pendulum_results").iterdir()}
    assert {"result.npz", "model.yaml", "results.csv", "summary.txt", "about.json"} <= names
    result = vc.simulate(vc.load_model("pendulum.yaml"), until=1, outputs=50)
    from vincolo.tables.folder import load_folder

    assert np.array_equal(load_folder(here / "pendulum_results")["bob.z"], result["bob.z"])


def test_run_prints_one_object_for_machines(here):
    found = told("run", "pendulum.yaml", "--until", "2", "--set", "l=1")
    assert found["model"] == "pendulum" and found["complete"] is True
    assert found["mobility"] == {"kutzbach": 1, "rank": 5, "dof": 1, "redundant": 0}
    assert found["settings"]["until"] == 2.0 and found["t_end"] == 2.0
    assert found["residual_max"] < 1e-9 and found["energy_drift"] < 1e-6
    assert found["steps"] > 10 and found["cpu_s"] > 0 and Path(found["results"]).is_dir()
    about = json.loads((here / "pendulum_results" / "about.json").read_text())
    assert about["steps"] == found["steps"]


def test_parts_and_parameters_are_changed(here):
    slow = told("run", "pendulum.yaml", "--set", "bob.at.x=2", "--set", "bob.inertia=0", "--until", "0.1")
    assert slow["complete"]
    result = vc.simulate(vc.load_model("pendulum.yaml", {"bob.at.x": 2.0, "bob.inertia": 0.0}), until=0.1)
    assert result["bob.az"][0] == pytest.approx(-9.80665)


def test_run_takes_an_integrator_from_the_command_line(here):
    found = told("run", "pendulum.yaml", "--integrator", "Radau", "--rtol", "1e-9")
    assert "Radau" in found["settings"]["integrator"] and "1e-09" in found["settings"]["integrator"]
    assert "RK4" in told("run", "pendulum.yaml", "--step", "1e-3")["settings"]["integrator"].replace("Kutta 4", "RK4")
    assert "Did you mean 'Radau'" in said("run", "pendulum.yaml", "--integrator", "Radu", code=2).stderr


def test_chosen_series_are_exported(here):
    said("run", "pendulum.yaml", "--export", "motion.csv", "-c", "bob.*", "-c", "O.angle")
    head = (here / "motion.csv").read_text().splitlines()[0]
    assert "bob.x" in head and "O.angle" in head and "energy" not in head
    assert ".csv, .xlsx" in said("run", "pendulum.yaml", "--export", "motion.doc", code=2).stderr
    assert "no folder" in said("run", "pendulum.yaml", "--export", "nowhere/motion.csv", code=2).stderr


def test_a_missing_library_is_named_with_the_way_to_get_it(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    found = said("run", "pendulum.yaml", "--export", "motion.h5", code=2)
    assert "needs h5py, which is not installed.\n  Install it: pip install h5py" in found.stderr


def test_a_run_that_fails_keeps_what_it_has_and_says_why(here):
    text = PENDULUM + "actuators:\n  kick: {measure: O.angle, force: 1/(0.5-t)}\n"
    (here / "kick.yaml").write_text(text)
    found = said("run", "kick.yaml", code=1)
    assert "the run ended early" in found.stderr and "t = 0.5 s" in found.stderr
    from vincolo.tables.folder import load_folder

    kept = load_folder(here / "kick_results")
    assert not kept.complete and 0.4 < kept.t[-1] <= 0.5
    about = told("run", "kick.yaml", code=1)
    assert about["complete"] is False and "t = 0.5 s" in about["reason"]


@pytest.mark.parametrize(("words", "expected"), [
    (["run", "nothere.yaml"], "there is no file 'nothere.yaml'.\n  YAML files in that folder: pendulum.yaml"),
    (["run", "model.docx"], "files that end in '.docx' are not read.\n  A model is a YAML file"),
    (["run", "nothere"], "there is no file or folder 'nothere'"),
    (["run", "pendulum.yaml", "--set", "l"], "--set 'l' is not a change.\n  Write --set name=value"),
    (["run", "pendulum.yaml", "--set", "k=1"], "there is no parameter 'k'.*\n  Parameters: l, m"),
    (["run", "pendulum.yaml", "--set", "l=1", "--set", "l=2"], "--set l is given twice"),
    (["run", "pendulum.yaml", "--set", "l=.inf"], "a finite number is needed"),
    (["run", "pendulum.yaml", "--until", "-1"], "until is -1 s"),
    (["run", "pendulum.yaml", "--until", "nan"], "until"),
    (["run", "pendulum.yaml", "--outputs", "0"], "outputs is 0"),
    (["run", "pendulum.yaml", "--write-back"], "--write-back adds results to a workbook"),
    (["kinematics", "pendulum.yaml"], "drive"),
    (["plot", "nothere"], "nothere"),
    (["convert", "pendulum.yaml", "pendulum.urdf"], "not written to files that end in '.urdf'"),
    (["new", "x.xlsx", "--template", "slider"], "no template 'slider'. Did you mean 'slider-crank'"),
    (["new", "x.docx"], "a workbook .* or a YAML file"),
    (["examples", "slidercrank"], "Did you mean 'slider_crank'")])
def test_mistakes_get_a_clear_message(words, expected, here):
    found = said(*words, code=2)
    assert found.stderr.startswith("error: ") and re.search(expected, found.stderr), found.stderr
    assert found.stdout == "" and "Traceback" not in found.stderr
    assert [p.name for p in here.iterdir()] == ["pendulum.yaml"]


def test_mistakes_as_json(here):
    assert "nothere.yaml" in told("run", "nothere.yaml", code=2)["error"]


# check, statics, modes, kinematics

def test_check_explains_freedom_without_running(here):
    text = said("check", ROOT / "examples" / "bricard.py").stdout
    assert "1 degree of freedom" in text and "1 redundant" in text
    assert "look right" in text and "freedom 1 of 1 that no drive moves: 'rod" in text.lower()
    assert [p.name for p in here.iterdir()] == ["pendulum.yaml"]
    found = told("check", "pendulum.yaml", "--set", "l=2000")
    assert found["mobility"]["dof"] == 1 and "2000 m across" in found["doubts"][0]


LOOP = """
bodies:
  crank: {mass: 1, inertia: 0.01, at: [0, 0, 0.1]}
  coupler: {mass: 1, inertia: 0.01, at: [0.2, 0, 0.2]}
  rocker: {mass: 1, inertia: 0.01, at: [0.4, 0, 0.1]}
joints:
  A: {kind: revolute, a: ground, b: crank, at: [0, 0, 0], axis: y}
  B: {kind: revolute, a: crank, b: coupler, at: [0, 0, 0.2], axis: y}
  C: {kind: cylindrical, a: coupler, b: rocker, at: [0.4, 0, 0.2], axis: y}
  D: {kind: spherical, a: ground, b: rocker, at: [0.4, 0, 0]}
drives:
  motor: {measure: A.angle, function: t}
"""


def test_check_names_the_freedoms_that_no_drive_moves_and_their_bodies(here):
    (here / "loop.yaml").write_text(LOOP)
    assert told("check", "loop.yaml")["undriven"] == []
    for joint, bodies in (("D", {"coupler", "rocker"}), ("C", {"coupler", "rocker"}), ("B", {"coupler", "rocker"})):
        (here / "open.yaml").write_text("\n".join(line for line in LOOP.splitlines() if f"  {joint}:" not in line))
        found = told("check", "open.yaml")
        assert len(found["undriven"]) == found["mobility"]["dof"] - 1 > 0
        assert {name for own in found["undriven"] for name in own} == bodies
        shown = said("check", "open.yaml")
        assert "freedom 1 of" in shown.stdout and "a joint or a drive is missing" in shown.stderr


def test_unit_doubts_are_told_when_the_mechanism_cannot_be_closed(here):
    text = LOOP.replace("0.4, 0, 0.2]", "4000, 0, 200]").replace("motor: {measure: A.angle, function: t}",
                                                               "motor: {measure: A.angle, function: 90 + t}")
    rod = "E: {kind: distance, a: {on: crank, at: [0, 0, 0]}, b: {on: rocker, at: [1, 0, 0]}, length: 9000}"
    (here / "mm.yaml").write_text(text.replace("D: {", f"{rod}\n  D: {{"))
    found = said("check", "mm.yaml", code=2)
    assert "cannot be closed" in found.stderr and "lengths look like mm" in found.stderr


@pytest.mark.parametrize("words", ["bob.mass=1,2", "l=1,2", "bob.at.x=1,2"])
def test_a_wrong_change_is_blamed_on_the_change_not_on_the_file(words, here):
    name = words.partition("=")[0]
    found = said("check", "pendulum.yaml", "--set", words, code=2)
    assert f"with {name} = 1,2 as asked for" in found.stderr and "1.2" in found.stderr and "line" not in found.stderr


def test_equations_are_told_and_written(here):
    text = said("equations", "pendulum.yaml", "--coordinates", "joint", "--symbols", "bob.mass=m").stdout
    assert "index 3" in text and "m*" in text and "q_O_angle" in text
    found = told("equations", "pendulum.yaml", "--coordinates", "joint", "--index", "1")
    assert found["q"] == ["q_O_angle"] and found["index"] == 1 and len(found["M"]) == 1
    for name in ("x.tex", "x.html", "x.c", "y.f90", "x.py"):
        assert "written" in said("equations", "pendulum.yaml", "-o", name).stdout
        assert (here / name).stat().st_size > 1000
    assert (here / "x.mk").exists()
    assert "exists already" in said("equations", "pendulum.yaml", "-o", "y.f90", code=2).stderr
    assert ".tex, .html" in said("equations", "pendulum.yaml", "-o", "x.pdf", code=2).stderr
    assert "--symbols crank.mass=m_1" in said("equations", "pendulum.yaml", "--symbols", "some", code=2).stderr


def test_rest_and_modes(here):
    rest = told("statics", "pendulum.yaml")
    assert rest["stable"] and rest["values"]["bob.z"] == pytest.approx(-0.5)
    (only,) = told("modes", "pendulum.yaml")["modes"]
    exact = math.sqrt(2 * 9.80665 * 0.5 / (0.01 + 2 * 0.25)) / (2 * math.pi)
    assert only["natural_hz"] == pytest.approx(exact, rel=1e-6)
    assert "stable" in said("modes", "pendulum.yaml").stdout
    text = said("statics", "pendulum.yaml").stdout
    assert "equilibrium" in text and "forces at rest" in text
    force = float(re.search(r"^ +O +(\S+) N +(\S+) N m$", text, re.MULTILINE)[1])
    assert force == pytest.approx(2 * 9.80665, rel=1e-5)  # the hinge carries the weight of 2 kg
    assert rest["values"]["O.reaction.force"] == pytest.approx(2 * 9.80665, rel=1e-9)


def test_kinematics_follows_the_drives(here):
    (here / "crank.yaml").write_text(PENDULUM + "drives:\n  motor: {measure: O.angle, function: 2*pi*t}\n")
    found = told("kinematics", "crank.yaml", "--outputs", "8", "--export", "m.csv", "-c", "bob.x")
    assert found["complete"] and found["samples"] == 9
    from vincolo.tables.table_files import read_table

    table = read_table(here / "m.csv")
    assert table["bob.x"] == pytest.approx(0.5 * np.cos(2 * np.pi * table.t), abs=1e-9)


# files

def test_three_commands_from_nothing_to_a_plot(here):
    said("new", "crank.xlsx", "--template", "slider-crank")
    said("run", "crank.xlsx")
    said("plot", "crank_results", "slider.x", "slider.vx", "-o", "slider.html")
    page = (here / "slider.html").read_text()
    assert "slider.x" in page and "<script" in page and not re.search(OUTSIDE, page)


def test_plot_lists_series_and_draws_pictures(here):
    said("run", "pendulum.yaml")
    text = said("plot", "pendulum_results").stdout
    assert "bob: x, y, z [m]; " in text and "energy: kinetic" in text
    said("plot", "pendulum_results", "bob.z", "--against", "bob.x", "-o", "path.png")
    assert (here / "path.png").read_bytes().startswith(b"\x89PNG")
    assert "Did you mean 'bob.z'" in said("plot", "pendulum_results", "bop.z", code=2).stderr


def test_a_blank_workbook_says_what_it_lacks(here):
    said("new", "blank.xlsx")
    for command in ("run", "check", "statics", "modes"):
        found = said(command, "blank.xlsx", code=2).stderr
        assert "blank.xlsx: there are no bodies yet.\n  A model has one at least (a row in the sheet Bodies)" in found


def test_a_new_model_does_not_replace_a_file(here):
    assert "exists already" in said("new", "pendulum.yaml", code=2).stderr
    assert (here / "pendulum.yaml").read_text() == PENDULUM
    said("new", "pendulum.yaml", "--force", "--template", "slider-crank")
    assert told("check", "pendulum.yaml")["mobility"]["dof"] == 1


def test_examples_are_listed_and_copied(here):
    text = said("examples").stdout
    assert "slider_crank" in text and "cards/pentalatero" in text and "a05_flyball.xlsx" in text
    said("examples", "cards/pentalatero")
    assert (here / "pentalatero" / "General.s3d").is_file()
    said("examples", "pendulum")
    assert (here / "comparison.py").is_file()  # which it imports
    assert "exists already" in said("examples", "pendulum", code=2).stderr
    assert told("check", "pendulum.py")["model"]


def test_conversion_through_every_format(here):
    said("convert", "pendulum.yaml", "pendulum.xlsx")
    said("convert", "pendulum.xlsx", "cards")
    said("convert", "cards", "back.yaml")
    first, last = vc.load_model("pendulum.yaml"), vc.load_model("back.yaml")
    one, other = (vc.simulate(m, until=1, integrator=vc.DOP853(rtol=1e-12, atol=1e-13)) for m in (first, last))
    assert np.abs(one["bob.z"] - other["bob.z"]).max() < 1e-10


# pictures

def test_results_and_models_are_seen(here):
    said("run", "pendulum.yaml")
    said("view", "pendulum_results", "-o", "pendulum.html", "-p", "O.angle")
    page = (here / "pendulum.html").read_text()
    assert "pendulum" in page and not re.search(OUTSIDE, page)
    said("picture", "pendulum.yaml", "-o", "drawn.png", "--size", "120x90")
    said("picture", "pendulum_results", "-o", "end.png", "--size", "120x90", "--view", "front")
    from PIL import Image

    drawn, end = (np.asarray(Image.open(here / name)) for name in ("drawn.png", "end.png"))
    assert drawn.shape == end.shape == (90, 120, 3) and (drawn != end).any()
    said("video", "pendulum_results", "-o", "motion.gif", "--size", "80x60", "--fps", "5")
    assert (here / "motion.gif").read_bytes().startswith(b"GIF8")
    said("report", "pendulum_results", "-o", "report.html", "--author", "A. <b>Student", "--no-animation")
    report = (here / "report.html").read_text()
    assert "A. &lt;b&gt;Student" in report and "degree" in report


@pytest.mark.parametrize(("words", "expected"), [
    (["view", "nothere"], "nothere"), (["picture", "pendulum.yaml", "-o", "x.doc"], "x.doc"),
    (["picture", "pendulum.yaml", "--size", "big"], "--size 'big' is not a size"),
    (["picture", "pendulum.yaml", "--view", "tpo"], "Did you mean 'top'"),
    (["video", "pendulum.yaml", "-o", "x.avi"], "x.avi"), (["report", "pendulum.yaml", "-o", "x.doc"], "x.doc"),
    (["view", "pendulum.yaml", "--drag", "-o", "x.html"], "--drag opens the viewer"),
    (["view", "pendulum.yaml", "-p", "O.angle"], "--plot goes with --out")])
def test_mistakes_with_pictures_get_a_clear_message(words, expected, here):
    found = said(*words, code=2)
    assert found.stderr.startswith("error: ") and re.search(expected, found.stderr), found.stderr
    assert [p.name for p in here.iterdir()] == ["pendulum.yaml"]


# whole

def test_doctor_finds_all_well():
    found = told("doctor")
    assert found["well"] and found["needed"]["numpy"] and found["pendulum_energy_drift"] < 1e-6
    assert "All is well." in said("doctor").stdout


def test_doctor_lists_the_extras_with_what_is_missing_and_how_to_get_it(monkeypatch):
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [f'{need}; extra == "{extra}"' for extra, needs in listed["optional-dependencies"].items()
              for need in needs]
    monkeypatch.setattr(doctor, "_requirements", lambda: [*listed["dependencies"], *wanted])
    found = told("doctor")["extras"]
    assert set(found) == set(listed["optional-dependencies"]) - set(doctor.OF_DEVELOPERS)
    assert found["formats"] == {"packages": ["h5py"], "missing": [], "install": "pip install h5py"}
    version = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name in ("trimesh", "sympy") else version(name))
    text = said("doctor").stdout
    packages = r"[\w, -]*(trimesh|sympy)[\w, -]*"
    for extra in ("cad", "symbolic", "view"):
        assert re.search(rf'-  +{extra}: without {packages}; get it by pip install [\w -]*(trimesh|sympy)', text)
    assert re.search("ok  +formats: complete", text) and "All is well." in text


def test_it_is_a_program(here):
    env = {**os.environ, "PYTHONPATH": str(Path(vc.__file__).parents[1])}
    found = subprocess.run([sys.executable, "-m", "vincolo", "run", "pendulum.yaml", "--json"], capture_output=True,
                           text=True, check=True, env=env)
    assert json.loads(found.stdout)["complete"] and found.stderr == ""
    wrong = subprocess.run([sys.executable, "-m", "vincolo", "run", "nothere.yaml"], capture_output=True, text=True,
                           check=False, env=env)
    assert wrong.returncode == 2 and "Traceback" not in wrong.stderr


@pytest.mark.parametrize("command", ["run", "kinematics", "check", "statics", "modes", "equations", "plot", "convert",
                                     "new", "examples", "doctor", "view", "report", "picture", "video"])
def test_help_has_an_example(command):
    text = said(command, "--help").stdout
    assert command == "doctor" or f"vincolo {command}" in text.replace("\n", " ")


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
