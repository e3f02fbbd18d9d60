"""A number with a unit is taken where it has the dimension of its place, and refused with both dimensions elsewhere."""

import json
from inspect import signature

import pytest
from typer.testing import CliRunner

from vincolo.cli.app import app
from vincolo.cli.arguments import TimeText

PENDULUM = """
parameters: {l: 0.5, half: "=l/2", w: 200 mm, m: 1, tilt: 0.1, free: 3}
points: {P: [0.1, 0, 0]}
bodies:
  bob: {mass: "=2*m", inertia: 0.01, at: ["=l*cos(tilt)", "=half - 0.1", "=-w"]}
  arm: {mass: 1, inertia: "=free*m", at: P}
joints:
  O: {kind: revolute, a: ground, b: bob, at: [0, 0, 0], axis: y}
  A: {kind: spherical, a: bob, b: arm, at: P}
inputs: {u: {unit: N m}}
actuators: {motor: {measure: O.angle, force: u}}
outputs: {x: {what: bob.x}}
"""
#: numbers of the file, what they measure, and units: one that fits, one that does not
NUMBERS = {"l": ("length", "5mm", "5kg"), "half": ("length", "5cm", "5s"), "w": ("length", "0.3m", "5deg"),
           "m": ("mass", "2kg", "2m"), "bob.mass": ("one of kg", "2kg", "2m"), "P.x": ("one of m", "5cm", "5kg")}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with the file of a pendulum."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(PENDULUM)
    return tmp_path


def called(*words):
    return CliRunner().invoke(app, [*map(str, words)])


def refused(dimension, *words):
    found = called(*words)
    assert found.exit_code == 2 and dimension in found.output and found.output.count("error:") == 1, found.output


@pytest.mark.parametrize("name", NUMBERS)
def test_a_change_has_the_dimension_of_what_it_changes(name):
    dimension, right, wrong = NUMBERS[name]
    assert called("check", "p.yaml", "--set", f"{name}={right}", "--json").exit_code in (0, 1)
    refused(dimension, "check", "p.yaml", "--set", f"{name}={wrong}")


@pytest.mark.parametrize("name", NUMBERS)
def test_what_a_sweep_or_a_study_varies_has_its_dimension(name, here):
    dimension, right, wrong = NUMBERS[name]
    number, unit = wrong[0], wrong[1:]
    refused(dimension, "sweep", "p.yaml", "--vary", f"{name}=1:{number}:2{unit}", "--plot", "bob.x")
    row = (f"study:\n  v: {{of: {name}, values: [{wrong}]}}\n  x: {{keep: max bob.x}}\n"
           "run: {until: 10 ms, outputs: 2}\n")
    (here / "s.yaml").write_text(PENDULUM + row)
    refused(dimension.removeprefix("one of "), "study", "s.yaml")
    (here / "s.yaml").write_text(PENDULUM + row.replace(wrong, right))
    found = called("study", "s.yaml", "--json")
    assert found.exit_code == 0 and json.loads(found.output)["variants"] == 1, found.output


@pytest.mark.parametrize("name", [n for n in NUMBERS if n not in ("half",)])
def test_what_deviates_has_its_dimension(name, here):
    dimension, right, wrong = NUMBERS[name]
    (here / "t.yaml").write_text(f"{PENDULUM}tolerances: {{a: {{of: {name}, plus_minus: {wrong}}}}}\n")
    words = {"one of kg": "mass [kg]", "one of m": "length [m]"}
    refused(words.get(dimension, dimension), "check", "t.yaml")
    (here / "t.yaml").write_text(f"{PENDULUM}tolerances: {{a: {{of: {name}, plus_minus: {right}}}}}\n")
    assert called("check", "t.yaml").exit_code in (0, 1)


def test_a_parameter_in_the_file_has_the_dimension_of_its_places(here):
    (here / "p.yaml").write_text(PENDULUM.replace("l: 0.5", "l: 5 kg"))
    refused("'5 kg' has the dimension mass [kg], but 'l' is of the dimension length [m] (it is used at bodies: bob: "
            "at: 0)", "check", "p.yaml")


def test_what_nothing_tells_the_dimension_of_is_taken_as_it_is():
    """free*m is an inertia of one number whose unit no place tells."""
    assert called("check", "p.yaml", "--set", "free=5mm").exit_code in (0, 1)


def test_limits_have_the_dimension_of_their_metric(here):
    called("new", "front.yaml", "--template", "fs-front")
    text = (here / "front.yaml").read_text()
    assert called("check", "front.yaml").exit_code == 0
    (here / "front.yaml").write_text(text.partition("limits:")[0] + "limits: {a: {metric: left.camber, low: -3 kg}}\n")
    refused("mass [kg], but 'left.camber' is of dimension angle [rad]", "check", "front.yaml")


def test_inputs_have_their_unit():
    refused("torque or energy [N m]", "run", "p.yaml", "--input", "u=5kg")
    found = [json.loads(called("run", "p.yaml", "--until", "20ms", "--input", f"u={text}", "--json", "-o", name).output)
             for name, text in (("a", "2 kN mm"), ("b", "2"))]
    assert all(one["complete"] for one in found) and found[0]["energy_drift"] == found[1]["energy_drift"]


def times():
    """Options of all commands that take a time."""
    return [(c.callback.__name__, f"--{p.name}") for c in app.registered_commands
            for p in signature(c.callback).parameters.values()
            if any(getattr(info, "parser", None) is TimeText for info in getattr(p.annotation, "__metadata__", ()))]


def test_every_time_of_every_command_is_found():
    assert {("run", "--until"), ("run", "--step"), ("kinematics", "--until"), ("tolerance", "--until"),
            ("equations", "--until"), ("study", "--limit"), ("hil", "--seconds"), ("hil", "--silence"),
            ("picture", "--t")} <= set(times())


@pytest.mark.parametrize(("command", "option"), times())
def test_times_have_units_of_time(command, option):
    more = {"export": ("--as", "table", "-o", "x.table")}.get(command, ())
    refused("mass [kg]; a time is needed", command, "p.yaml", option, "5kg", *more)
    refused("'soon' is not a time", command, "p.yaml", option, "soon", *more)


def test_seconds_with_and_without_their_unit_are_the_same():
    found = [json.loads(called("run", "p.yaml", "--until", text, "--json", "-o", f"r{k}").output)
             for k, text in enumerate(("0.05", "0.05s", "50ms", "0.05 s"))]
    assert [one["settings"]["until"] for one in found] == [0.05] * 4
