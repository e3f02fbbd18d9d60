"""What must hold for every command that writes: what it reads is never overwritten, other files only with --force, and
what was computed is not lost."""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from vincolo.cli.app import app
from vincolo.formats.document import Document
from vincolo.tables.folder import load_folder
from writers import contents

PENDULUM = """
name: pendulum
bodies:
  bob: {mass: 2, inertia: 0.01, at: [0.5, 0, 0]}
joints:
  O: {kind: revolute, a: ground, b: bob, at: [0, 0, 0], axis: y}
run: {until: 0.1, outputs: 10}
"""
TOLERANCES = "tolerances:\n  bore: {of: O@bob.x, plus_minus: 1.0e-4}\n"
STUDY = "study:\n  mass: {of: bob.mass, values: [1, 2]}\n  lowest: {keep: min bob.z}\n"
DRIVES = "drives:\n  motor: {measure: O.angle, function: t}\n"
DRIVEN = PENDULUM.replace("run:", f"{DRIVES}{TOLERANCES}{STUDY}run:").replace("name: pendulum", "name: driven")
ARM = """
suspensions:
  rear: {kind: semi-trailing arm, wheel_radius: 0.3}
points: {rear_pivot_inner: [0.4, 0.2, 0.3], rear_pivot_outer: [0.4, 0.6, 0.3], rear_wheel_centre: [0, 0.7, 0.3]}
"""
WORK = b"years of work"

#: commands that write a file, with OUT in its place; what each reads
FILES = {
    **{f"run {e}": (f"run pendulum.yaml --export OUT.{e}", "pendulum.yaml") for e in ("csv", "xlsx", "h5", "mat")},
    "kinematics": ("kinematics driven.yaml --export OUT.csv", "driven.yaml"),
    "sweep": ("sweep pendulum.yaml --vary bob.mass=1:2:2 --plot bob.z -o OUT.html", "pendulum.yaml"),
    "study": ("study driven.yaml --workers 1 --table OUT.csv", "driven.yaml"),
    "suspension": ("suspension arm.yaml --count 3 -o OUT.csv", "arm.yaml"),
    "suspension report": ("suspension arm.yaml --count 3 -o OUT.html", "arm.yaml"),
    "plot folder": ("plot pendulum_results bob.z -o OUT.html", "pendulum_results/result.npz"),
    "plot table": ("plot table.csv bob.z -o OUT.csv", "table.csv"),
    "view": ("view pendulum.yaml -o OUT.html", "pendulum.yaml"),
    "view folder": ("view pendulum_results -o OUT.html", "pendulum_results/model.yaml"),
    "view compared": ("view pendulum.yaml --compare driven.yaml -o OUT.html", "driven.yaml"),
    "report": ("report pendulum.yaml --no-animation -o OUT.html", "pendulum.yaml"),
    "picture": ("picture pendulum.yaml --size 60x40 -o OUT.png", "pendulum.yaml"),
    "picture of a time": ("picture pendulum.yaml --t 0.05 --size 60x40 -o OUT.jpg", "pendulum.yaml"),
    "video": ("video pendulum.yaml --size 60x40 --fps 50 -o OUT.gif", "pendulum.yaml"),
    "convert": ("convert pendulum.yaml OUT.yaml", "pendulum.yaml"),
    "export": ("export pendulum.yaml --as table -o OUT.table", "pendulum.yaml"),
    "hil": ("hil pendulum.yaml --free --seconds 0.01 --record OUT.csv", "pendulum.yaml"),
    "convert to a workbook": ("convert pendulum.yaml OUT.xlsx", "pendulum.yaml"),
    "convert with a sub-model": ("convert whole.yaml OUT.yaml", "part.yaml"),
    "run with a sub-model": ("run whole.yaml --export OUT.xlsx", "part.yaml"),
    "equations": ("equations pendulum.yaml --coordinates joint -o OUT.html", "pendulum.yaml"),
    "equations as a program": ("equations pendulum.yaml --index 2 -o OUT.py", "pendulum.yaml"),
    "new": ("new OUT.xlsx", None),
    "new yaml": ("new OUT.yaml --template slider-crank", None),
    "examples": ("examples pendulum --to OUT", None),
    "examples of a workbook": ("examples a05_flyball.xlsx --to OUT", None),
}
#: commands that write a folder
FOLDERS = {"run": ("run pendulum.yaml -o OUT", "pendulum_results/model.yaml"),
           "study": ("study driven.yaml --workers 1 -o OUT", "driven.yaml"),
           "tolerance": ("tolerance driven.yaml --samples 8 -c bob.z -o OUT", "driven.yaml"),
           "export": ("export pendulum.yaml --as c -o OUT", "pendulum.yaml"),
           "convert": ("convert pendulum.yaml OUT", "cards"), "examples": ("examples cards/pentalatero --to OUT", None)}
READ_ONLY = {"check", "statics", "modes", "doctor", "studio"}  # a studio writes what its page is told to save
COMPUTING = [name for name in FILES if name.split()[0] in ("run", "kinematics", "view", "report", "video")
             and "folder" not in name] + ["picture of a time"]

TREE = """
bodies:
  base: {mass: 1, inertia: 0.1}
joints:
  hold: {kind: fixed, a: ground, b: base, at: [0, 0, 0]}
submodels:
  arm: {use: part.yaml, on: base}
run: {until: 0.1, outputs: 10}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Models, results and a table, once."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "pendulum.yaml").write_text(PENDULUM)
    (folder / "driven.yaml").write_text(DRIVEN)
    (folder / "arm.yaml").write_text(ARM)
    (folder / "whole.yaml").write_text(TREE)
    (folder / "part.yaml").write_text(PENDULUM.replace("run: {until: 0.1, outputs: 10}", ""))
    before = Path.cwd()
    os.chdir(folder)
    try:
        for words in ("run pendulum.yaml --export table.csv", "convert pendulum.yaml cards"):
            said(words)
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def said(words, code=0):
    found = CliRunner().invoke(app, words.split() if isinstance(words, str) else words)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == code, found.output
    return found


def split(template, name, tmp_path=None):
    """The words of a command and the file that it writes; `examples` chooses its name itself."""
    words = template.split()
    place = next(k for k, word in enumerate(words) if word.startswith("OUT"))
    written = Path(name + words[place].removeprefix("OUT"))
    words[place] = str(written)
    if words[0] == "examples":
        Path(name).mkdir(exist_ok=True)
        written = Path(name) / {"pendulum": "pendulum.py"}.get(words[1], words[1].rpartition("/")[2])
    return words, written


def state(folder):
    """All that is in a folder, links with where they lead."""
    links = {str(p.relative_to(folder)): os.readlink(p) for p in folder.rglob("*") if p.is_symlink()}
    return contents(folder), links


def test_every_command_is_known_to_these_laws():
    commands = get_command(app).commands
    writing = {template.split()[0] for template, _ in (*FILES.values(), *FOLDERS.values())}
    assert writing | READ_ONLY == set(commands) and not writing & READ_ONLY
    for name, command in commands.items():
        options = {option for parameter in command.params for option in parameter.opts}
        assert ("--force" in options) == (name in writing), name


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_there_is_replaced_only_by_force(here, name):
    words, target = split(FILES[name][0], "mine")
    target.write_bytes(WORK)
    before = state(here)
    found = said(words, code=2)
    assert "exists already" in found.stderr and "--force" in found.stderr and state(here) == before
    said([*words, "--force"])
    assert target.read_bytes() != WORK


@pytest.mark.parametrize("way", ["symbolic link", "hard link"])
@pytest.mark.parametrize("name", [name for name, (_, read) in FILES.items() if read])
def test_what_a_command_reads_is_never_overwritten(here, name, way):
    template, read = FILES[name]
    words, target = split(template, "alias")
    if way == "hard link":
        os.link(read, target)
    else:
        target.symlink_to(Path(read).resolve())
    before = state(here)
    for more in ([], ["--force"]):
        assert "which is never overwritten" in said([*words, *more], code=2).stderr
        assert state(here) == before


@pytest.mark.parametrize("words", [
    "run mine.xlsx --export mine.xlsx", "run ./mine.xlsx --export here/../mine.xlsx", "convert mine.xlsx mine.xlsx",
    "convert pendulum.yaml pendulum.yaml", "convert cards cards", "convert cards/General.s3d cards",
    "plot table.csv bob.z -o table.csv", "run pendulum_results/model.yaml -o pendulum_results",
    "run cards -o cards", "view pendulum_results -o pendulum_results/plot.html --compare pendulum_results/model.yaml"
    " -o pendulum_results/summary.txt.html"])
def test_names_of_inputs_are_no_names_of_outputs(here, words):
    (here / "here").mkdir()
    said("convert pendulum.yaml mine.xlsx")
    shutil.copy("pendulum_results/summary.txt", "pendulum_results/summary.txt.html")
    before = state(here)
    for more in ("", " --force"):
        found = said(words + more, code=2)
        assert re.search("never overwritten|belong to no result", found.stderr), found.stderr
        assert state(here) == before


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_of_others_are_left_alone(here, name):
    template, read = FOLDERS[name]
    words, target = split(template, "mine")
    target.mkdir()
    (target / "thesis.tex").write_bytes(WORK)
    before = state(here)
    found = said(words, code=2)
    assert re.search("exists already|do not belong to a result", found.stderr) and state(here) == before
    said([*words, "--force"], code=2 if name in ("run", "export") else 0)
    assert (target / "thesis.tex").read_bytes() == WORK
    shutil.rmtree(target)
    target.write_bytes(WORK)
    said([*words, "--force"], code=2)
    assert target.read_bytes() == WORK


def test_results_of_the_same_model_are_replaced_and_those_of_another_by_force(here):
    said("run pendulum.yaml --until 0.2")
    assert load_folder(here / "pendulum_results").t[-1] == pytest.approx(0.2)
    found = said("run driven.yaml -o pendulum_results", code=2)
    assert "has the results of another model, 'pendulum'.\n" in found.stderr and "--force" in found.stderr
    assert load_folder(here / "pendulum_results").t[-1] == pytest.approx(0.2)
    said("run driven.yaml -o pendulum_results --force")
    assert load_folder(here / "pendulum_results").model.name == "driven"


def test_exports_of_the_same_run_are_replaced_until_somebody_changes_them(here):
    first = (here / "table.csv").read_bytes()
    said("run pendulum.yaml --until 0.2 --export table.csv")
    assert (here / "table.csv").read_bytes() != first
    said("run pendulum.yaml")  # without it; it is still known
    said("run pendulum.yaml --export table.csv --export table.h5")
    with open("table.csv", "a") as file:
        file.write("my own line\n")
    assert "exists already" in said("run pendulum.yaml --export table.csv", code=2).stderr
    said("run pendulum.yaml --export table.h5")
    assert "exists already" in said("run driven.yaml --export table.h5", code=2).stderr
    said("plot pendulum_results bob.z")
    said("plot pendulum_results bob.x")  # the page in the folder goes with its run


def test_two_outputs_have_two_names(here):
    for words in ("--export a.csv --export ./a.csv", "--export pendulum_results/a.csv"):
        assert "given twice, or lies in the folder" in said(f"run pendulum.yaml {words}", code=2).stderr
    assert not (here / "a.csv").exists()


PLACES = {"there is no folder": "nowhere/mine", "its name is too long": "n" * 300, "leads back to itself": "circle",
          "is a folder": "taken", "is a device or a pipe": "pipe"}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", COMPUTING)
def test_places_are_tried_before_anything_is_computed(here, monkeypatch, name, place):
    def ran(*_, **__):
        raise AssertionError("it ran")

    monkeypatch.setattr(Document, "run", ran)
    words, target = split(FILES[name][0], PLACES[place])
    if place == "leads back to itself":
        target.symlink_to(target.name)
    elif place == "is a folder":
        target.mkdir()
    elif place == "is a device or a pipe":
        os.mkfifo(target)
    before = sorted(p.name for p in here.iterdir())
    found = said([*words, "--force"], code=2)
    assert found.stderr.startswith("error: ") and place in found.stderr
    assert sorted(p.name for p in here.iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nothing is write-protected for the root user")
@pytest.mark.parametrize("name", COMPUTING)
def test_a_write_protected_folder_is_found_before_anything_is_computed(here, monkeypatch, name):
    monkeypatch.setattr(Document, "run", None)
    (here / "locked").mkdir(mode=0o555)
    assert "write-protected" in said(split(FILES[name][0], "locked/mine")[0], code=2).stderr


@pytest.mark.parametrize("words", ["run pendulum.yaml -o circle", "run pendulum.yaml -o circle/inside",
                                   "convert pendulum.yaml circle"])
def test_circles_of_links_are_refused_in_words(here, words):
    (here / "circle").symlink_to("other")
    (here / "other").symlink_to("circle")
    assert re.search("leads back to itself|there is no folder", said(words, code=2).stderr)


@pytest.mark.parametrize("name", [*COMPUTING, "run folder"])
def test_what_was_computed_is_written_elsewhere_if_its_place_is_lost(here, tmp_path, monkeypatch, name):
    """While a run computes, somebody replaces the folder that it is to write into by a file."""
    (here / "gone").mkdir()
    shelter = tmp_path / "shelter"
    shelter.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(shelter))
    plain = Document.run

    def run(self, **changes):
        result = plain(self, **changes)
        (here / "gone").rmdir()
        (here / "gone").write_bytes(WORK)
        monkeypatch.setattr(Document, "run", plain)
        return result

    monkeypatch.setattr(Document, "run", run)
    words, target = (["run", "pendulum.yaml", "-o", "gone/mine"], Path("mine")) if name == "run folder" else split(
        FILES[name][0], "gone/mine")
    found = said(words, code=3)
    kept = next(shelter.glob(f"vincolo-*/{target.name}"))
    assert f"It is in {str(kept)!r} instead." in found.stderr.replace("\n", " ").replace("  ", " ")
    assert kept.exists() and (here / "gone").read_bytes() == WORK
    if name == "run folder":
        assert load_folder(kept).complete


def test_machines_are_told_where_it_is(here, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (here / "gone").mkdir()
    plain = Document.run
    monkeypatch.setattr(Document, "run", lambda self, **given: ((here / "gone").rmdir(), plain(self, **given))[1])
    told = json.loads(said("run pendulum.yaml -o gone/mine --json", code=3).stdout)
    assert Path(told["results"]).parent.name.startswith("vincolo-") and "no folder" in told["error"]
    assert load_folder(told["results"]).complete


@pytest.mark.parametrize(("words", "phrase"), [
    ("--export a.csv -c bop.x", "Did you mean 'bob.x'"), ("--export a.doc", "ends in"), ("--write-back", "workbook")])
def test_what_cannot_be_exported_is_found_before_anything_is_computed(here, monkeypatch, words, phrase):
    monkeypatch.setattr(Document, "run", None)
    assert phrase in said(f"run pendulum.yaml {words}", code=2).stderr
