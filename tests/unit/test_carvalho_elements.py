"""Drivers, force elements and units of a workbook in the layout of Carvalho (2022): against closed solutions."""

import warnings

import numpy as np
import pytest

import vincolo as vc
from carvalho_workbooks import HINGE, body, made, sheets
from vincolo.errors import FileWarning
from vincolo.formats.excel.carvalho.elements import joined
from vincolo.model.functions import Expression

FREE = {"Gravity Magnitude": 0}


# drivers

def driven(tmp_path, *drivers, joints=None, **more):
    changes = {"Type of Simulation": "Kin", "Gravity Magnitude": 0, **more}
    return made(tmp_path, joints=joints, drivers=list(drivers), **changes)


def test_a_coordinate_is_its_component_of_u_times_the_function(tmp_path):
    simple = {"ID": "Simple", "Body i": 2, "Direction": "2;3;4;5;6"}
    driver = {"Body": 2, "Direction index": 1, "u1": 0.5, "u2": 0, "u3": 0, "Function": "@(t) 2 + sin(t)"}
    found = driven(tmp_path, driver, joints=[simple])
    result = found.run()
    assert np.abs(result["Bar.x"] - 0.5 * (2 + np.sin(result.t))).max() < 1e-10


def test_a_start_away_from_the_drawing_is_noted_and_taken(tmp_path):
    simple = {"ID": "Simple", "Body i": 2, "Direction": "2;3;4;5;6"}
    found = driven(tmp_path, {"Body": 2, "Direction index": 1, "Function": "@(t) 3 + t"}, joints=[simple])
    assert any("is 3, but the body is drawn at 1" in note for note in found.report.notes)
    assert found.run()["Bar.x"][0] == pytest.approx(3, abs=1e-10)


@pytest.mark.parametrize(("cells", "sign"), [({}, 1), ({"sz": -1}, 1), ({"Body i": 2, "Body j": 1}, 1)])
def test_rotations_turn_about_u_however_the_hinge_is_drawn(tmp_path, cells, sign):
    found = driven(tmp_path, {"Body": 2, "Direction index": 6, "u1": 0, "u2": 0, "u3": 2, "Function": "@(t) 8*t"},
                   joints=[{**HINGE, **cells}])
    result = found.run()
    assert np.abs(result["Bar.x"] - np.cos(8 * result.t)).max() < 1e-9
    assert np.abs(result["Bar.y"] - sign * np.sin(8 * result.t)).max() < 1e-9


@pytest.mark.parametrize(("index", "held"), [(4, "5;6"), (5, "4;6"), (6, "4;5")])
@pytest.mark.parametrize("apart", [True, False])
def test_rotations_without_a_hinge_count_beyond_a_turn(tmp_path, index, held, apart):
    """One rotation is driven over a turn and a half, the other two are held, in one row or each in its own."""
    rows_of = [f"1;2;3;{held}"] if not apart else ["1;2;3", *held.split(";")]
    joints = [{"ID": "Simple", "Body i": 2, "Direction": text} for text in rows_of]
    found = driven(tmp_path, {"Body": 2, "Direction index": index, "Function": "@(t) 9*t", "Name": "spin"},
                   joints=joints)
    result = found.run()
    axis = "xyz"[index - 4]
    assert result.t[-1] == 1 and result[f"Bar.w{axis}"] == pytest.approx(9, abs=1e-9)
    turn = 2 * np.arctan2(result[f"Bar.e{index - 3}"][-1], result["Bar.e0"][-1])
    assert np.angle(np.exp(1j * (turn - 9))) == pytest.approx(0, abs=1e-9)


def test_all_rotations_held_are_a_body_that_does_not_turn(tmp_path):
    joints = [{"ID": "Simple", "Body i": 2, "Direction": text} for text in ("4", "5", "6")]
    found = made(tmp_path, joints=joints, bodies=[body(Tx=1.0, Ty=2.0, Tz=3.0)])
    assert vc.mobility(found.system).dof == 3
    assert np.abs(found.run()["Bar.wz"]).max() < 1e-12


def test_derivatives_that_do_not_belong_to_the_function_are_warned_of(tmp_path):
    right = {"Body": 2, "Direction index": 6, "Function": "@(t) 0.2*t.^3", "First derivative": "@(t) 0.6*t.^2",
             "Second derivative": "@(t) 1.2*t"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        driven(tmp_path, right)
    with pytest.warns(FileWarning, match="this derivative is"):
        driven(tmp_path, {**right, "Second derivative": "@(t) 1.3*t"})


# force elements

BALL = {"Bodies ID": "Bar", "x": 0, "y": -1, "z": 0}
RAIL = {"ID": "Translation", "Name": "S", "Body i": 1, "Body j": 2, "x": 0, "y": -1, "z": 0, "sx": 0, "sy": 1, "sz": 0}
HANG = {"Body i": 1, "Body j": 2, "xi": 0, "yi": 0, "zi": 0, "xj": 0, "yj": -1, "zj": 0}


def hanging(tmp_path, *elements, **changes):
    """2 kg on a vertical rail, 1 m below the point they hang from."""
    return made(tmp_path, bodies=[body(**BALL)], joints=[RAIL], elements=[{**HANG, **e} for e in elements],
                **{"Run simulation for": 2, **changes})


def test_a_damper_alone_lets_the_weight_sink_at_its_terminal_speed(tmp_path):
    """Appendix A of the thesis, case 1: v = -(m g/c)(1 - exp(-c t/m))."""
    result = hanging(tmp_path, {"ID": "Damper", "Coefficient": 10}).run()
    exact = -2 * 9.81 / 10 * (1 - np.exp(-10 * result.t / 2))
    assert np.abs(result["Bar.vy"] - exact).max() < 1e-6


def test_a_spring_alone_oscillates_without_loss(tmp_path):
    """Case 3: y = -1 - (m g/k)(1 - cos(w t)), w^2 = k/m."""
    result = hanging(tmp_path, {"ID": "Spring", "Coefficient": 200, "Undeformed length": 1}).run()
    exact = -1 - 2 * 9.81 / 200 * (1 - np.cos(10 * result.t))
    assert np.abs(result["Bar.y"] - exact).max() < 1e-6


def test_spring_and_damper_together_ring_down(tmp_path):
    """Case 2: w = sqrt(k/m - (c/2m)^2)."""
    result = hanging(tmp_path, {"ID": "Spring", "Coefficient": 200, "Undeformed length": 1},
                     {"ID": "Damper", "Coefficient": 4}).run()
    d, w = 1.0, np.sqrt(100 - 1)
    shape = 1 - np.exp(-d * result.t) * (np.cos(w * result.t) + d / w * np.sin(w * result.t))
    assert np.abs(result["Bar.y"] + 1 + 2 * 9.81 / 200 * shape).max() < 1e-6


def test_functions_of_an_element_take_its_own_variable(tmp_path):
    """The same motions with functions in the place of coefficients."""
    linear = [{"ID": "Spring", "Coefficient": 200, "Undeformed length": 0.9}, {"ID": "Damper", "Coefficient": 4}]
    curved = [{"ID": "Spring", "Function 1": "@(t) 200*t", "Undeformed length": 0.9},
              {"ID": "Damper", "Function 1": "@(v) 4*v"}]
    first, second = hanging(tmp_path, *linear).run(), hanging(tmp_path, *curved).run()
    assert np.abs(first["Bar.y"] - second["Bar.y"]).max() < 1e-8


def test_pieces_have_the_limits_of_the_thesis():
    """f1 on ]-inf, x1[, f2 on [x1, x2], f3 on ]x2, inf[; none is asked outside of its limits."""
    three = Expression(joined(["sqrt(-t)", "7", "100 + sqrt(t)"], [-1.0, 2.0]))
    for x, value in ((-4, 2), (-1.0001, np.sqrt(1.0001)), (-1, 7), (0, 7), (2, 7), (2.0001, 100 + np.sqrt(2.0001)),
                     (9, 103)):
        assert three(float(x)) == pytest.approx(value, abs=1e-12)
    two = Expression(joined(["1", "t"], [3.0]))
    assert [two(x) for x in (2.999, 3.0, 5.0)] == [1.0, 3.0, 5.0]


def test_a_bump_stop_is_a_spring_in_pieces(tmp_path):
    """At rest the force is the weight: 100 x up to 0.1 m, then 10 + 5000 (x - 0.1): x = 0.1 + (19.62 - 10)/5000."""
    stop = {"ID": "Spring", "Undeformed length": 1, "Number of functions": 2, "x1": 0.1, "Function 1": "@(t) 100*t",
            "Function 2": "@(t) 10 + 5000*(t - 0.1)"}
    result = hanging(tmp_path, stop, {"ID": "Damper", "Coefficient": 60}, **{"Run simulation for": 8}).run()
    assert result["Bar.y"][-1] == pytest.approx(-1 - 0.1 - (2 * 9.81 - 10) / 5000, abs=1e-6)


def test_a_positive_actuator_pulls_together(tmp_path):
    push = {"ID": "Actuator", "Number of functions": 2, "x1": 1, "Function 1": "@(t) 1", "Function 2": 0}
    result = hanging(tmp_path, push, **FREE).run()
    assert np.interp([0.5, 1.0, 1.5], result.t, result["Bar.vy"]) == pytest.approx([0.25, 0.5, 0.5], abs=1e-9)
    constant = hanging(tmp_path, {"ID": "Actuator", "Coefficient": 0.8}, **FREE).run()
    assert constant["Bar.vy"][-1] == pytest.approx(0.8, abs=1e-9)


def torsion(tmp_path, **cells):
    spring = {"ID": "Tspring", "Body i": 1, "Body j": 2, "Coefficient": 22, **cells}
    return made(tmp_path, elements=[spring], **{"Run simulation for": 2, **FREE})


def test_a_rotational_spring_swings_about_its_rest_angle(tmp_path):
    """J = m + I = 2.2 kg m2, k = 22 N m/rad: angle = a (1 - cos(sqrt(10) t)) for a rest angle a ahead."""
    vectors = {"xi": 1, "yi": 0, "zi": 0, "xj": 0, "yj": 1, "zj": 0}
    found = torsion(tmp_path, **vectors, **{"Undeformed length": np.pi / 2 + 0.3})
    result = found.run()
    assert np.abs(result["O.angle"] - 0.3 * (1 - np.cos(np.sqrt(10) * result.t))).max() < 1e-7
    back = torsion(tmp_path, **{"xi": 0, "yi": 1, "zi": 0, "xj": 1, "yj": 0, "zj": 0}, **{"Undeformed length": 0})
    assert back.run()["O.angle"].max() == pytest.approx(np.pi, abs=1e-3)  # from -pi/2, not from 3/2 pi
    own = torsion(tmp_path, **{"Undeformed length": 0.3}).run()
    assert np.abs(own["O.angle"] - result["O.angle"]).max() < 1e-7


# units

def in_millimetres(content):
    """The same workbook in mmks."""
    factor = {**dict.fromkeys(("x", "y", "z", "vx", "vy", "vz", "xi", "yi", "zi", "xj", "yj", "zj", "Tz"), 1000),
              "Ixx": 1e6, "Iyy": 1e6, "Izz": 1e6, "Undeformed length": 1000, "Coefficient": 1e-3}
    for name in ("Bodies", "Joints", "Force Elements"):
        header, *lines = content[name]
        for line in lines:
            for k, key in enumerate(header):
                turned = name == "Force Elements" and line[0] == "Tspring"
                own = {"Coefficient": 1000}.get(key, 1) if turned else factor.get(key, 1)
                line[k] = line[k] * own if isinstance(line[k], int | float) else line[k]
    for line in content["SimParam"]:
        if line[0] == "Gravity Magnitude":
            line[1] *= 1000
        elif line[0] == "Units System":
            line[1] = "mmks"
    return content


def test_millimetres_and_metres_are_the_same_mechanism(tmp_path):
    elements = [{"ID": "Spring", "Body i": 1, "Body j": 2, "xi": 0, "yi": 2, "zi": 0, "xj": 1, "yj": 0, "zj": 0,
                 "Coefficient": 30, "Undeformed length": 2},
                {"ID": "Damper", "Body i": 1, "Body j": 2, "xi": 0, "yi": 2, "zi": 0, "xj": 1, "yj": 0, "zj": 0,
                 "Coefficient": 3}, {"ID": "Tspring", "Body i": 1, "Body j": 2, "Coefficient": 5}]
    parts = {"bodies": [body(Tz=0.7, Fy=2.0, vy=1.0, wz=1.0)], "elements": elements}
    metres, millimetres = made(tmp_path, **parts).run(), made(tmp_path, in_millimetres(sheets(**parts))).run()
    assert np.abs(metres["O.angle"] - millimetres["O.angle"]).max() < 1e-9


def test_functions_in_millimetres(tmp_path):
    """f over mm, mm/s and rad in N and N mm: the same as linear elements."""
    spring = {"ID": "Spring", "Function 1": "@(t) 0.2*t", "Undeformed length": 1000}
    damper = {"ID": "Damper", "Function 1": "@(t) 0.004*t"}
    content = sheets(bodies=[body(**{**BALL, "y": -1000})], joints=[{**RAIL, "y": -1000}],
                     elements=[{**HANG, "yj": -1000, **e} for e in (spring, damper)],
                     **{"Units System": "MMKS", "Gravity Magnitude": -9810, "Run simulation for": 2})
    one = made(tmp_path, content).run()
    two = hanging(tmp_path, {"ID": "Spring", "Coefficient": 200, "Undeformed length": 1},
                  {"ID": "Damper", "Coefficient": 4}).run()
    assert np.abs(one["Bar.y"] - two["Bar.y"]).max() < 1e-8


def test_a_rotational_law_in_millimetres(tmp_path):
    content = sheets(elements=[{"ID": "Tspring", "Body i": 1, "Body j": 2, "Function 1": "@(t) 22000*t",
                                "Undeformed length": 0.3}], bodies=[body(x=1000, Ixx=1e5, Iyy=2e5, Izz=2e5)],
                     **{"Units System": "MMKS", "Run simulation for": 2, **FREE})
    result = made(tmp_path, content).run()
    assert np.abs(result["O.angle"] - 0.3 * (1 - np.cos(np.sqrt(10) * result.t))).max() < 1e-7
