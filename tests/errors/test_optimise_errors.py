"""Every message of searches, sensitivities and calibrations helps."""

import math

import numpy as np
import pytest

import vincolo as vc
from linkages import pushed_pendulum
from vincolo.studies import calibrate, gradients, influence, optimise
from vincolo.studies.synthesis import crank_for, cranks_for, freudenstein, function_linkage, path_linkage


def bowl(x: float, y: float = 0.0) -> float:
    return x * x + y


MODEL, MASS, RUN = pushed_pendulum(), {"bob.mass": (0.5, 4.0)}, {"until": 0.2, "times": 10}


@pytest.mark.parametrize(("arguments", "told"), [
    ((MODEL, MASS, "max bob.q"), "there is no channel called 'bob.q'"),
    ((MODEL, {"bob.mass": (math.nan, 1)}, "max bob.vx"), "'bob.mass': Range: low is nan"),
    ((MODEL, {"bob.mass": (3, 1)}, "max bob.vx"), "'bob.mass': Range: from 3 to 1; the lower end comes first"),
    ((MODEL, {}, "max bob.vx"), "there are no parameters"),
    ((MODEL, {"bob.mass": [1, 2]}, "max bob.vx"), "'bob.mass' has no range"),
    ((MODEL, MASS, []), "there is no output"),
    ((MODEL, MASS, ["max bob.vx", "-max bob.vx"]), "the output 'max bob.vx' is given twice"),
    ((MODEL, MASS, "max bob.vx", {"final bbo.z": (None, 1)}), "there is no channel called 'bbo.z'"),
    ((MODEL, MASS, "max bob.vx", {"final bob.z": (1, -1)}), "is from 1 to -1; the lower limit comes first"),
    ((MODEL, MASS, "max bob.vx", {"final bob.z": (math.nan, 1)}), "the constraint of 'final bob.z' is nan"),
    ((MODEL, MASS, "max bob.vx", {"final bob.z": (None, None)}), r"is \(None, None\); write \(low, high\)"),
    ((MODEL, MASS, "max bob.vx", {"final bob.z": "small"}), "is 'small'; write"),
])
def test_goals_and_constraints_that_cannot_be(arguments, told):
    what, ranges, goal, *limits = arguments
    with pytest.raises(vc.ModelError, match=told):
        optimise(what, ranges, goal, constraints=limits[0] if limits else None, **RUN)


@pytest.mark.parametrize(("call", "told"), [
    (lambda: optimise(bowl, {"x": (0, 1)}, "p", evaluations=-5), "evaluations is -5; a whole number from 1"),
    (lambda: optimise(bowl, {"x": (0, 1)}, "p", seed=-1), "the seed is -1"),
    (lambda: optimise(bowl, {"x": (0, 1)}, "x"), "the column 'x' twice"),
    (lambda: optimise(bowl, {"z": (0, 1)}, "p"), "'bowl' cannot be called with z: missing a required argument: 'x'"),
    (lambda: optimise(lambda x: "high", {"x": (0, 1)}, "p", evaluations=20),
     "none of the .* variants that were tried has outputs. Most often: p is 'high'; a number is needed"),
    (lambda: vc.study(MODEL, {"bob.mass": [1]}, "max bob.x", until=0.1, stepz=3), "there is no stepz=.*\n.*integrator"),
    (lambda: vc.study(bowl, {"x": (0, 1)}, "p", plan="sobol", samples=10**9), "needs 8 GB of memory.*\n  Give a fold"),
    (lambda: vc.study(bowl, {"x": (0, 1)}, "p", plan="latin", samples=10**9), "Latin hypercube of 1,000,000,000"),
    (lambda: vc.study(bowl, {"x": [1]}, []), "there is no output"),
    (lambda: vc.study(bowl, {"x": [1]}, "p", workers=1).variant(9), "9 is not the number of a variant, from 0 to 0"),
    (lambda: gradients(MODEL, [], "final bob.z", until=0.1), "a list of names"),
    (lambda: gradients(MODEL, "bob.mass", "final bob.z", until=0.1), "a list of names"),
])
def test_numbers_and_names_that_cannot_be(call, told):
    with pytest.raises(vc.ModelError, match=told):
        call()


@pytest.mark.parametrize(("value", "told"), [("text", "'text'"), (None, "None"), (1j, "1j"), ([1.0, 2.0], None)])
def test_outputs_that_are_no_numbers_fail_with_what_they_are(value, told):
    found = vc.study(lambda x: {"p": value}, {"x": [1.0]}, "p", workers=1)
    assert found.failures == {0: f"p is {told or value}; a number is needed"}


@pytest.mark.parametrize(("given", "told"), [
    ({"samples": 0}, "samples is 0; a whole number from 2"), ({"samples": 10**9}, "samples is 1000000000"),
    ({"samples": 1.5}, "samples is 1.5"), ({"samples": 12}, "Saltelli's plan needs a power of two, such as 16"),
    ({"method": "moris"}, "method is 'moris'"), ({"samples": 8, "seed": -1}, "the seed is -1"),
])
def test_influences_that_cannot_be(given, told):
    with pytest.raises(vc.ModelError, match=told):
        influence(bowl, {"x": (0, 1), "y": (0, 1)}, "p", workers=1, **given)


def test_influences_tell_themselves_and_name_what_is_not_there():
    pytest.importorskip("SALib", reason="SALib is not installed")
    found = influence(lambda x, y: 4 * x + y, {"x": (0, 1), "y": (0, 1)}, "p", samples=64, workers=1)
    assert str(found).splitlines()[0].startswith("sobol, 256 variants")
    assert found.ranked("p")["x"] == pytest.approx(16 / 17, abs=0.1)  # variances of 4 x and y are as 16 to 1
    with pytest.raises(vc.ModelError, match="there is no output 'q'"):
        found.ranked("q")
    still = influence(lambda x, y: 1.0, {"x": (0, 1), "y": (0, 1)}, "p", samples=8, workers=1)
    assert np.array_equal(np.nan_to_num(still.total), np.zeros((1, 2)))


@pytest.mark.parametrize(("given", "told"), [
    ({"t": [0.1, 0.2], "measured": {"bob.z": [0.0, math.nan]}}, "'bob.z' has 2 values for 2 times; finite ones"),
    ({"t": [0.1], "measured": {"bob.z": [0.0]}}, "times that rise from zero on"),
    ({"measured": {"bob.q": [0, 1, 2]}}, "bob.q"),
    ({"start": {"push.y": 7}}, "'push.y' is 7, outside of its range from 0 to 1"),
    ({"start": {"psh.y": 0.5}}, "there is no parameter 'psh.y'. Did you mean 'push.y'"),
    ({"deviations": {"bob.z": -1}}, "the deviation of 'bob.z' is -1"),
    ({"deviations": {"bob.q": 1}}, "the deviation of 'bob.q' is 1; measured series"),
    ({"share": 2}, "the share is 2"),
])
def test_calibrations_that_cannot_be(given, told):
    usual = {"t": [0.1, 0.2, 0.3], "measured": {"bob.z": [0.0, -0.1, -0.2]}}
    with pytest.raises(vc.ModelError, match=told):
        calibrate(MODEL, {"push.y": (0, 1)}, **{**usual, **given})
    with pytest.raises(vc.ModelError, match="3 measured values for 3 parameters; more values"):
        calibrate(MODEL, {"push.y": (0, 1), "bob.mass": (1, 3), "gravity.z": (-10, -9)}, **usual)


LENGTHS = dict.fromkeys(("ground", "crank", "coupler", "rocker"), (0.3, 3.0))
POINTS = [(0, 0), (1, 1)]


@pytest.mark.parametrize(("call", "told"), [
    (lambda: path_linkage([(0, 0)], limits=LENGTHS), "is not a list of two points"),
    (lambda: path_linkage([(0, math.nan), (1, 1)], limits=LENGTHS), "of finite numbers"),
    (lambda: path_linkage(POINTS, limits={**LENGTHS, "crank": (math.nan, 1)}), "limits: crank is nan"),
    (lambda: path_linkage(POINTS, limits={**LENGTHS, "crank": (2, 1)}), "'crank' is from 2 to 1; the lower one"),
    (lambda: path_linkage(POINTS, limits={**LENGTHS, "crank": (-1, 1)}), "'crank' is from -1 m on; a length is above"),
    (lambda: path_linkage(POINTS, limits={**LENGTHS, "crank": 3}), "'crank' is 3; write"),
    (lambda: path_linkage(POINTS, limits=LENGTHS, rounds="x"), "rounds is 'x'"),
    (lambda: path_linkage(POINTS, limits=LENGTHS, rounds=0, start=3), "start is 3; a FourBar is needed"),
    (lambda: crank_for([(0, 0, 0)] * 2, (0, 1)), "3 rows of x, y and angle"),
    (lambda: crank_for([(0, 0, 0), (1, 0, 1), (2, 1, 0.5)], (0.2,)), "the pivot is .*; x and y"),
    (lambda: cranks_for("abc"), "4 to 5 rows"),
    (lambda: freudenstein([0, 1, math.nan], [0, 1, 2]), "an angle is not finite"),
    (lambda: freudenstein([0, 0, 0], [1, 1, 1]), "not three different ones"),
    (lambda: function_linkage([0, 1, 2, 3], [0, 1, 2, 3], starts="x"), "starts is 'x'"),
])
def test_linkages_that_cannot_be(call, told):
    with pytest.raises(vc.ModelError, match=told):
        call()
