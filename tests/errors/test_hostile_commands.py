"""Whatever a command is given, it answers with a message that names it, and never with a traceback."""

import pytest
from typer.testing import CliRunner

from vincolo.cli.app import app

PENDULUM = """bodies:
  bob: {mass: 1, inertia: 0.01, at: [1, 0, 0]}
joints:
  O: {kind: revolute, a: ground, b: bob, at: [0, 0, 0], axis: y}
outputs:
  x: {what: bob.x}
"""
FILES = {"empty.yaml": b"", "empty.xlsx": b"", "empty.urdf": b"", "noise.yaml": bytes(range(256)) * 8,
         "noise.xlsx": bytes(range(256)) * 8, "noise.py": bytes(range(256)), "noise.csv": bytes(range(256)),
         "text.txt": b"hello", "nan.yaml": b"bodies: {a: {mass: .nan}}", "huge.yaml": b"bodies: {a: {mass: 1e400}}",
         "twice.yaml": b"bodies:\n  a: {mass: 1}\n  a: {mass: 2}\n", "nan.csv": b"t,u\n0,nan\n",
         "no_time.csv": b"x\n1\n"}
COMMANDS = {"run": (), "kinematics": (), "check": (), "statics": (), "modes": (), "tolerance": (), "study": (),
            "suspension": (), "equations": (), "plot": ("x",), "view": ("-o", "out.html"), "report": ("-o", "out.html"),
            "picture": ("-o", "out.png"), "video": ("-o", "out.gif"), "convert": ("out.yaml",),
            "export": ("--as", "table", "-o", "out.txt"), "hil": ("--seconds", "0.01", "--free"),
            "sweep": ("--vary", "a=1:2:2", "--plot", "x")}
#: arguments that are wrong, and what the message says
ARGUMENTS = {
    "run m.yaml --until nan": "until is nan", "run m.yaml --until -1": "must lie after it",
    "run m.yaml --outputs 99999999999": "10,000,000", "run m.yaml --rtol nan": "rtol is nan",
    "run m.yaml --step 1e-300 --integrator RK4": "such as --integrator DormandPrince",
    "run m.yaml --set bob.mass=nan": "bob.mass = nan as asked for", "run m.yaml --set bob.mass=5mm": "one of kg",
    "run m.yaml --set bob.mass=1 --set bob.mass=2": "given twice", "run m.yaml --export a.foo": "ends in .csv",
    "run m.yaml --export none/a.csv": "there is no folder", "run m.yaml --unit furlong": "no unit 'furlong'",
    "run m.yaml -c nosuch": "`vincolo plot FOLDER` lists them all", "run m.yaml -o m.yaml": "never overwritten",
    "sweep m.yaml --vary bob.mass=1:2:3": "Such as --plot O.angle",
    "sweep m.yaml --vary bob.mass=nan:2:3 -p bob.x": "'nan' is not a number", "convert m.yaml a.foo": "Write .yaml",
    "hil m.yaml --seconds nan": "a time above 0", "hil m.yaml --seconds -1": "a time above 0",
    "hil m.yaml --replay noise.csv --free": "not a table of text", "view folder --live": "Give the file of the model",
    "plot nothing x": "nothing", "new m.yaml": "exists already", "examples nosuch": "`vincolo examples` lists them"}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with the files, and one with nothing in it."""
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    (tmp_path / "m.yaml").write_text(PENDULUM)


def answer(*words):
    found = CliRunner().invoke(app, list(words))
    assert isinstance(found.exception, SystemExit | None), (words, found.exception)
    assert found.exit_code == 2 and "error" in found.output.lower(), (words, found.exit_code, found.output)
    assert found.output.count("error:") == 1 and len(found.output) < 2500, (words, found.output)
    return found.output


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_are_no_models_are_named(command):
    for name in (*FILES, "folder", "nosuch.yaml", "nosuch"):
        assert name.partition(".")[0] in answer(command, name, *COMMANDS[command]), name


@pytest.mark.parametrize("line", ARGUMENTS)
def test_wrong_arguments_are_named_with_a_way_out(line):
    assert ARGUMENTS[line] in answer(*line.split()), line
