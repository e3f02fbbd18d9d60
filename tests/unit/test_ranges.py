"""Ranges of coordinates: kept with the model in every format, watched by every run."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import vincolo as vc
from linkages import pendulum
from vincolo.cli.app import app
from vincolo.formats import load_model, open_model, save_model
from vincolo.report.write import report_html
from vincolo.results.facts import facts
from vincolo.results.ranges import left_ranges


def bounded(**limits):
    model = pendulum()
    model.range("ends", "O.angle", **limits)
    return model


def test_a_run_that_leaves_a_range_says_so_with_value_and_time():
    result = vc.simulate(bounded(at_least=-0.5, at_most=0.3), 1.0, outputs=200)
    angle = result["O.angle"]
    (left,) = left_ranges(result)
    k = int(np.argmax(np.maximum(-0.5 - angle, angle - 0.3)))
    first = int(np.flatnonzero((angle < -0.5) | (angle > 0.3))[0])
    assert (left.value, left.t, left.first) == (angle[k], result.t[k], result.t[first]) and left.beyond > 0
    text = result.summary()
    assert f"left range    O.angle is {angle[k]:.6g} rad at t = {result.t[k]:.6g} s" in text
    assert "outside its range -0.5 to 0.3 rad (ends), first at t =" in text
    told = facts(result)["left_ranges"]
    assert told == [{"name": "ends", "measure": "O.angle", "value": left.value, "t": left.t, "first": left.first,
                     "at_least": -0.5, "at_most": 0.3}]


def test_a_range_that_is_kept_is_passed_over_in_silence():
    result = vc.simulate(bounded(at_least=-10, at_most=10), 1.0, outputs=50)
    assert left_ranges(result) == [] and "range" not in result.summary()
    assert "ranges are kept" in report_html(result, plots=[], animation=False).decode()


def test_one_sided_ranges_and_starts_outside():
    low = vc.simulate(bounded(at_least=1.0), 0.05, outputs=5)
    assert "outside its range at least 1 rad (ends), from the start on" in low.summary()
    high = vc.simulate(bounded(at_most=1e3), 0.05, outputs=5)
    assert left_ranges(high) == [] and high.model.ranges["ends"].told == "at most 1000 rad"


def test_rounding_is_not_outside():
    still = vc.Model("still", gravity=(0, 0, 0))
    still.revolute("O", still.ground, still.body("bar", 1, 0.1), (0, 0, 0), "z")
    still.range("ends", "O.angle", at_least=0.0, at_most=1.0)
    assert left_ranges(vc.simulate(still, 0.1, outputs=5)) == []


@pytest.mark.parametrize("ending", ["yaml", "xlsx"])
def test_files_keep_ranges(tmp_path, ending):
    model = bounded(at_least=-0.5, at_most=0.3)
    model.measure("gap", model.joints["O"]["angle"], unit="deg")
    model.range("gap ends", "gap", at_most=2.0)
    save_model(model, tmp_path / f"m.{ending}")
    again = load_model(tmp_path / f"m.{ending}")
    assert {n: (r.measure.name, r.at_least, r.at_most) for n, r in again.ranges.items()} == {
        "ends": ("O.angle", -0.5, 0.3), "gap ends": ("gap", None, 2.0)}


def test_limits_are_written_with_units_by_hand(tmp_path):
    (tmp_path / "m.yaml").write_text(
        "bodies: {bar: {mass: 1, inertia: 0.1, at: [1, 0, 0]}}\n"
        "joints: {O: {kind: revolute, a: ground, b: bar, at: [0, 0, 0], axis: y}}\n"
        "ranges: {ends: {measure: O.angle, at_least: -90 deg, at_most: 0.1}}\n")
    kept = load_model(tmp_path / "m.yaml").ranges["ends"]
    assert (kept.at_least, kept.at_most) == (pytest.approx(-np.pi / 2), 0.1)
    said = CliRunner().invoke(app, ["check", str(tmp_path / "m.yaml")])
    assert said.exit_code == 0 and "range 'ends': O.angle stays within -1.5708 to 0.1 rad" in said.output
    words = ["run", str(tmp_path / "m.yaml"), "--until", "1", "-o", str(tmp_path / "out"), "--json"]
    run = CliRunner().invoke(app, words)
    assert json.loads(run.stdout)["left_ranges"][0]["measure"] == "O.angle"


def test_sub_models_and_removal_take_ranges_with_them():
    whole = vc.Model("two")
    whole.add("left", bounded(at_most=1.0))
    assert whole.ranges["left.ends"].measure.name == "left.O.angle"
    model = bounded(at_most=1.0)
    assert "ends" in model.remove("O") and not model.ranges


@pytest.mark.parametrize(("given", "message"), [
    ({}, "range 'ends': it has no limits.\n  Give at_least="),
    ({"at_least": 2, "at_most": 1}, "at_least is 2, which is above at_most, 1"),
    ({"at_least": float("nan")}, "range 'ends': at_least"),
    ({"at_most": "1"}, "range 'ends': at_most"),
])
def test_mistakes(given, message):
    with pytest.raises(vc.ModelError, match=message):
        bounded(**given)


def test_measures_without_a_name_cannot_be_watched():
    model = pendulum()
    with pytest.raises(vc.ModelError, match="a measure without a name is in no result"):
        model.range("ends", 2 * model.joints["O"]["angle"], at_most=1)
    with pytest.raises(vc.ModelError, match="has no coordinate 'angel'"):
        model.range("ends", "O.angel", at_most=1)


URDF = """<robot name="gripper"><link name="world"/><link name="finger"><inertial><mass value="0.1"/>
<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="world"/><child link="finger"/><axis xyz="0 0 -1"/>
<limit lower="0" upper="0.04" effort="1" velocity="1"/></joint></robot>"""
MJCF = """<mujoco model="arm"><compiler angle="degree"/><worldbody><body name="link" pos="0 0 1">
<joint name="elbow" type="hinge" axis="0 1 0" range="-30 45" ref="10"/><inertial pos="0.2 0 0" mass="1"
diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("name", "text", "measure", "low", "high"), [
    ("g.urdf", URDF, "slide.travel", 0.0, 0.04),
    ("a.xml", MJCF, "elbow.angle", np.radians(-40), np.radians(35))])
def test_limits_of_robots_are_watched_and_not_missing(tmp_path, name, text, measure, low, high):
    (tmp_path / name).write_text(text)
    document = open_model(tmp_path / name)
    assert document.report.left_out == [] and any("nothing stops it" in note for note in document.report.notes)
    (kept,) = document.model.ranges.values()
    assert (kept.measure.name, kept.at_least, kept.at_most) == (measure, pytest.approx(low), pytest.approx(high))
    result = document.run(until=1.0)  # it falls
    assert f"left range    {measure} is" in result.summary()
