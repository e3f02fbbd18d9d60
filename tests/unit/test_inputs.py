"""Inputs in drives, inputs from tables and from the command line, and what is refused."""

import math

import numpy as np
import pytest
from typer.testing import CliRunner

import vincolo as vc
from entered_models import servo
from same_models import assert_same
from vincolo.cli.app import app

TIGHT = vc.integrators.DOP853(rtol=1e-11, atol=1e-13)


def arm(between="linear", **drive):
    """An arm whose angle is driven along an input; a body of 2 kg at 0.5 m."""
    m = vc.Model("arm")
    body = m.body("arm", 2.0, 0.1, at=(0.5, 0, 0))
    m.revolute("O", m.ground, body, at=(0, 0, 0), axis="y")
    m.input("target", between=between)
    m.drive("O.angle", "2*target + 0.1*sin(t)", **drive)
    return m


@pytest.mark.parametrize("solver", [{}, {"integrator": vc.integrators.RK4(step=1e-3)}, {"integrator": vc.Radau()},
                                    {"formulation": vc.formulations.JointCoordinates()},
                                    {"formulation": vc.formulations.NullSpace()}], ids=str)
def test_a_position_follows_an_input_in_straight_lines(solver):
    times, values = np.array([0, 0.1, 0.3, 0.4]), np.array([0, 0.2, 0.1, 0.5])
    result = vc.simulate(arm(), 0.4, outputs=400, inputs={"target": (times, values)}, **solver)
    t = result["t"]
    target = np.interp(t, times, values)
    assert result["O.angle"] == pytest.approx(2 * target + 0.1 * np.sin(t), abs=1e-9)
    slopes = np.repeat(np.diff(values) / np.diff(times), [100, 200, 101])
    inside = ~np.isin(np.round(t, 9), times)
    assert result["O.angle.rate"][inside] == pytest.approx((2 * slopes + 0.1 * np.cos(t))[inside], abs=1e-9)
    assert result["O.angle.acceleration"][inside] == pytest.approx((-0.1 * np.sin(t))[inside], abs=1e-7)


@pytest.mark.parametrize("level", ["velocity", "acceleration"])
def test_a_velocity_or_acceleration_follows_a_held_input(level):
    m = arm("held", level=level)
    result = vc.simulate(m, 0.3, outputs=300, inputs={"target": ([0, 0.1], [0.5, -1.0])}, integrator=TIGHT)
    t = result["t"]
    given = 2 * np.where(t < 0.1 - 1e-9, 0.5, -1.0) + 0.1 * np.sin(t)
    seen = result["O.angle.rate" if level == "velocity" else "O.angle.acceleration"]
    inside = np.abs(t - 0.1) > 1e-6
    assert seen[inside] == pytest.approx(given[inside], abs=1e-8)


def test_a_position_follows_a_state_that_follows_an_input():
    """Second order: q'' + 2 w q' + w^2 q = w^2 u, so that position, rate and acceleration are those of the filter."""
    m = vc.Model("arm")
    body = m.body("arm", 2.0, 0.1, at=(0.5, 0, 0))
    m.revolute("O", m.ground, body, at=(0, 0, 0), axis="y")
    m.input("target", value=1.0)
    vc.blocks.second_order(m, "smooth", "target", frequency=5.0)
    m.drive("O.angle", "smooth")
    result = vc.simulate(m, 1.0, integrator=TIGHT)
    t, e = result["t"], np.exp(-5 * result["t"])
    assert result["O.angle"] == pytest.approx(1 - (1 + 5 * t) * e, abs=1e-9)
    assert result["O.angle.rate"] == pytest.approx(25 * t * e, abs=1e-9)
    assert result["O.angle.acceleration"] == pytest.approx(25 * (1 - 5 * t) * e, abs=1e-7)
    assert result["energy.balance"] == pytest.approx(0, abs=1e-7)


def test_a_held_input_in_a_position_is_refused_with_the_way_out():
    with pytest.raises(vc.ModelError, match=r"(?s)input 'target' jumps.*between='linear'.*level='velocity'.*state"):
        arm("held")
    m = arm()
    m.variable("v")
    with pytest.raises(vc.ModelError, match="variable 'v' jumps"):
        m.drive("O.angle", "v", name="other")
    with pytest.raises(vc.ExpressionError, match="names the motion"):
        m.drive("O.angle", "target + arm.x", name="other")
    m.state("s", "arm.vx")
    with pytest.raises(vc.ModelError, match="the rate of state 's' names the motion"):
        m.drive("O.angle", "s", name="other", level="velocity")
    m.drive("O.angle", "s", name="other", level="acceleration")


def test_drives_by_inputs_are_kept_in_files_and_sub_models(tmp_path):
    m = vc.Model("two")
    m.add("left", arm())
    m.add("right", arm("held", level="velocity"), at=(0, 1, 0), mirror="y")
    copy = assert_same(m, tmp_path)
    book = vc.load_model(vc.save_model(m, tmp_path / "m.xlsx"))
    for model in (m, copy, book):
        result = vc.simulate(model, 0.1, inputs={"left.target": ([0, 0.1], [0, 1]), "right.target": 0.5})
        assert result["left.O.angle"][-1] == pytest.approx(2 + 0.1 * math.sin(0.1), abs=1e-9)
        assert result["right.O.angle"][-1] == pytest.approx(0.1 + 0.1 * (1 - math.cos(0.1)), abs=1e-7)
    m.remove("left.target")
    assert "left.O.angle.drive" not in m.holds


def test_hand_written_drives_name_inputs_and_parameters(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text("""
parameters: {k: 3}
bodies: {arm: {mass: 2, inertia: 0.1, at: [0.5, 0, 0]}}
joints: {O: {kind: revolute, a: ground, b: arm, at: [0, 0, 0], axis: y}}
inputs: {target: {between: linear}}
drives: {lead: {measure: O.angle, function: k*target}}
outputs: {seen: {what: k*O.angle.rate, unit: rad/s}}
""")
    result = vc.simulate(vc.load_model(path), 0.2, inputs={"target": ([0, 0.2], [0, 0.4])})
    assert result["O.angle"][-1] == pytest.approx(1.2) and result["seen"][-1] == pytest.approx(18.0, abs=1e-9)


@pytest.mark.parametrize("given", [
    ([0, 0.5, 1.0], [0, 2.0, -1.0]), np.array([[0, 0], [0.5, 2.0], [1.0, -1.0]])])
def test_a_held_input_from_a_table_is_what_steps_of_the_closed_form_are(given):
    """f' = (u - f)/T from one value to the next."""
    result = vc.simulate(servo(), 1.5, outputs=[0.5, 1.0, 1.5], inputs={"u": given}, integrator=TIGHT)
    e = math.exp(-0.5 / 0.2)
    f1 = 2.0 * (1 - e)
    assert result["f"] == pytest.approx([0.0, f1, -1 + (f1 + 1) * e], abs=1e-9)
    assert result["u"].tolist() == [2.0, -1.0, -1.0]


def test_a_function_is_sampled_as_asked():
    result = vc.simulate(servo(), 1.0, outputs=100, inputs={"u": ("sin(t)", 0.1)})
    t = result["t"]
    assert result["u"][:-1] == pytest.approx(np.sin(0.1 * np.floor(t / 0.1 + 1e-9))[:-1], abs=1e-12)


def test_a_fixed_step_run_takes_tables_too():
    result = vc.simulate(servo(), 1.0, outputs=10, inputs={"u": ([0, 0.333], [1.0, 0.0])},
                         integrator=vc.integrators.RK4(step=1e-2))
    e, T = math.exp, 0.2
    assert result["f"][-1] == pytest.approx((1 - e(-0.333 / T)) * e(-(1 - 0.333) / T), abs=1e-8)


@pytest.mark.parametrize(("given", "phrase"), [
    ({"v": 1.0}, "no input called 'v'"), ({"u": "sin(t)"}, r"\(function, every\)"), (3, "table of names"),
    ({"u": ([0, 1], [1])}, "2 times and 1 values"), ({"u": ([0, 0], [1, 2])}, "do not rise"),
    ({"u": ([0, 1], [1, math.nan])}, "value 1 is nan"),
    ({"u": ([0.5, 2], [1, 2])}, "runs from 0.5 to 2 s, the run from 0"),
    ({"u": math.inf}, "finite"), ({"u": [[1, 2, 3]]}, "is not a number"), ({"u": ("t", 0.0)}, "positive"),
])
def test_wrong_tables_are_named(given, phrase):
    with pytest.raises(vc.ModelError, match=phrase):
        vc.simulate(servo(), 1.0, inputs=given)


def test_a_straight_line_needs_its_end():
    with pytest.raises(vc.ModelError, match="from 0 to 0.5 s, the run from 0 to 1 s"):
        vc.simulate(servo("linear"), 1.0, inputs={"u": ([0, 0.5], [1, 2])})


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    vc.save_model(servo(""), "servo.yaml")
    (tmp_path / "u.csv").write_text("t [s],u [N],other\n0,2,0\n0.5,-1,0\n")
    (tmp_path / "one.csv").write_text("t,force\n0,2\n0.5,-1\n")
    (tmp_path / "others.csv").write_text("t,a,b\n0,2,1\n")
    return tmp_path


@pytest.mark.parametrize("name", ["u.csv", "one.csv"])
def test_the_command_line_feeds_inputs(file, name):
    done = CliRunner().invoke(app, ["run", "servo.yaml", "--until", "1", "--outputs", "2", "--input", f"u={name}",
                                    "--export", "out.csv", "-c", "u", "-c", "f"])
    assert done.exit_code == 0, done.output
    rows = np.loadtxt(file / "out.csv", delimiter=",", skiprows=1)
    assert rows[:, 1].tolist() == [2.0, -1.0, -1.0]


@pytest.mark.parametrize(("given", "phrase"), [
    ("v=u.csv", "no input called 'v'"), ("u=others.csv", "no column called 'u'"), ("u", "write a name and a file"),
    ("u=nothing.csv", "nothing.csv"), ("u=nan", "finite")])
def test_the_command_line_names_what_is_wrong(file, given, phrase):
    done = CliRunner().invoke(app, ["run", "servo.yaml", "--until", "1", "--input", given])
    assert done.exit_code != 0 and phrase in done.output


def fed(file, table, *words):
    """The input u at 0, 0.25, 0.5, 0.75 and 1 s, from a table in a file."""
    (file / "ramp.csv").write_text(table)
    done = CliRunner().invoke(app, ["run", "servo.yaml", "--until", "1", "--outputs", "4", "--input", "u=ramp.csv",
                                    "--export", "out.csv", "-c", "u", "--force", *words])
    assert done.exit_code == 0, done.output
    return np.loadtxt(file / "out.csv", delimiter=",", skiprows=1)[:, 1].tolist()


def test_tables_in_files_go_in_straight_lines_and_stay_at_their_last_value(file):
    assert fed(file, "t,u\n0,0\n0.5,2\n") == pytest.approx([0, 1, 2, 2, 2], abs=1e-12)
    assert fed(file, "t,u\n0,0\n2,4\n") == pytest.approx([0, 0.5, 1, 1.5, 2], abs=1e-12)


def test_tables_in_files_are_held_where_the_model_says_so(file):
    assert fed(file, "t,u\n0,0\n0.5,2\n", "--set", "u.between=held") == [0, 0, 2, 2, 2]


def test_columns_in_another_unit_are_converted_or_refused(file):
    assert fed(file, "t,u [kN]\n0,0\n0.5,2\n") == pytest.approx([0, 1000, 2000, 2000, 2000], abs=1e-9)
    (file / "wrong.csv").write_text("t,u [kg]\n0,0\n1,2\n")
    done = CliRunner().invoke(app, ["run", "servo.yaml", "--input", "u=wrong.csv"])
    assert done.exit_code == 2 and "mass [kg]" in done.output and "force [N]" in done.output
