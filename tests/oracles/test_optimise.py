"""Optimisation, calibration and influence on problems whose answers are known."""

import numpy as np
import pytest

import vincolo as vc
from example_models import built
from vincolo.studies import calibrate, influence, optimise


def rosenbrock(x: float, y: float) -> float:
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


def circle(x: float, y: float) -> dict[str, float]:
    return {"f": x * x + y * y, "g": x + y}


def pendulum() -> vc.Model:
    model = vc.Model("pendulum")
    bob = model.body("bob", mass=2.0, inertia=0.05, at=(0.5, 0, 0))
    model.revolute("pin", model.ground, bob, at=(0, 0, 0), axis="y")
    model.law("drag", "pin.angle", "c*dd", c=0.3)
    model.torque("push", bob, (0, 0.0, 0))
    return model


@pytest.mark.parametrize(("method", "near"), [("gradient", 1e-4), ("evolution", 1e-6), ("cma", 1e-6), ("genetic", 0.05),
                                              ("hybrid", 1e-8)])
def test_rosenbrock_has_its_least_value_at_one(method, near):
    if method == "cma":
        pytest.importorskip("cma", reason="cma is not installed")
    if method == "genetic":
        pytest.importorskip("pymoo", reason="pymoo is not installed")
    found = optimise(rosenbrock, {"x": (-2, 2), "y": (-1, 3)}, "f", method=method, evaluations=1500)
    assert found.outputs["f"] < near and found.feasible and method in str(found)


@pytest.mark.parametrize("method", ["gradient", "hybrid"])
def test_a_constraint_is_met_and_active(method):
    found = optimise(circle, {"x": (-2, 2), "y": (-2, 2)}, "f", constraints={"g": (1, None)}, method=method,
                     evaluations=400)
    assert found.outputs["f"] == pytest.approx(0.5, abs=1e-5) and found.feasible


def test_a_goal_with_a_minus_is_made_large():
    found = optimise(circle, {"x": (-1, 2), "y": (-2, 1)}, "-g", method="hybrid", evaluations=200)
    assert found.parameters == pytest.approx({"x": 2, "y": 1}, abs=1e-6)


def test_two_goals_have_a_front():
    """x^2 + y^2 and (x - 1)^2 + y^2: the front is 0 <= x <= 1, y = 0, where the roots of both add up to 1."""
    pytest.importorskip("pymoo", reason="pymoo is not installed")
    found = optimise(lambda x, y: {"a": x * x + y * y, "b": (x - 1) ** 2 + y * y}, {"x": (-1, 2), "y": (-1, 1)},
                     ["a", "b"], method="pareto", evaluations=1200)
    assert len(found.front) > 20 and np.ptp(found.front[:, 0]) > 0.8
    assert np.sqrt(found.goals).sum(axis=1) == pytest.approx(1, abs=0.02)


def test_a_model_is_led_to_its_goal_by_exact_gradients():
    """The torque that brings a pendulum back to where it began after half a second."""
    goal = vc.studies.Output("bob.z", "final", "height")
    found = optimise(pendulum(), {"push.y": (-20.0, 0.0)}, goal, method="gradient", until=0.3, times=20, evaluations=80)
    ends = [optimise(pendulum(), {"push.y": (-20.0, 0.0)}, goal, method="evolution", until=0.3, times=20,
                     evaluations=60)]
    assert found.outputs["height"] <= ends[0].outputs["height"] + 1e-6


def test_ishigami_has_the_shares_that_are_known():
    """Saltelli et al. (2000): first 0.3139, 0.4424, 0; total 0.5576, 0.4424, 0.2437."""
    pytest.importorskip("SALib", reason="SALib is not installed")

    def ishigami(a: float, b: float, c: float) -> float:
        return float(np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a))

    ranges = dict.fromkeys("abc", (-np.pi, np.pi))
    found = influence(ishigami, ranges, "y", samples=1024, workers=1)
    assert found.first[0] == pytest.approx([0.3139, 0.4424, 0.0], abs=0.03)
    assert found.total[0] == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.03)
    assert list(found.ranked("y")) == ["a", "b", "c"] and found.runs == 1024 * 5
    effects = influence(ishigami, ranges, "y", samples=40, method="morris", workers=1)
    assert effects.total.min() > 0


@pytest.mark.slow
def test_a_mcpherson_is_calibrated_within_its_intervals():
    """Planted stiffness, damping and free length; noise of 0.2 mm on the wheel and 1 % on the strut. All three lie in
    their intervals of 99 %, which are narrower than the ranges by far."""
    truth = {"suspension.k": 4.22e4, "suspension.c": 2.7e3, "suspension.length": 0.4815}
    t = np.linspace(0.01, 0.8, 80)
    run = vc.simulate(built("mcpherson"), 0.8, outputs=t)
    rng = np.random.default_rng(5)
    sizes = {"wheel.z": 2e-4, "suspension.force": 0.01 * np.abs(run["suspension.force"]).max()}
    where = np.isin(run.channels.t, t)
    measured = {n: run[n][where] + rng.normal(0, s, len(t)) for n, s in sizes.items()}
    ranges = {n: (0.7 * v, 1.4 * v) for n, v in truth.items()} | {"suspension.length": (0.46, 0.51)}
    found = calibrate(built("mcpherson"), ranges, t, measured, deviations=sizes, share=0.99)
    assert found.noise == pytest.approx(1.0, abs=0.2)
    for name, value in truth.items():
        low, high = found.intervals[name]
        assert low < value < high, str(found)
        assert high - low < 0.2 * (ranges[name][1] - ranges[name][0])


def test_a_pendulum_is_calibrated():
    t = np.linspace(0.05, 1.0, 20)
    clean = vc.simulate(pendulum(), 1.0, outputs=t)["bob.z"][-20:]
    found = calibrate(pendulum(), {"drag.c": (0.1, 0.6), "bob.mass": (1.0, 4.0)}, t, {"bob.z": clean})
    assert found.parameters == pytest.approx({"drag.c": 0.3, "bob.mass": 2.0}, rel=1e-4)


def test_what_series_do_not_tell_is_refused():
    t = np.linspace(0.05, 0.5, 8)
    model = pendulum()
    model.body("idle", mass=1.0, inertia=0.1, at=(5, 5, 5))
    series = {"bob.z": np.linspace(0, -0.3, 8)}
    with pytest.raises(vc.ModelError, match="do not tell the parameters apart; 'idle.mass'"):
        calibrate(model, {"idle.mass": (0.5, 2.0), "drag.c": (0.1, 0.6)}, t, series)
    with pytest.raises(vc.ModelError, match="has 3 values for 8 times"):
        calibrate(model, {"drag.c": (0.1, 0.6)}, t, {"bob.z": [1, 2, 3]})


def test_wrong_tasks_are_named():
    with pytest.raises(vc.ModelError, match="method is 'magic'"):
        optimise(rosenbrock, {"x": (0, 1)}, "f", method="magic")
    with pytest.raises(vc.ModelError, match="2 goals with method 'hybrid'"):
        optimise(circle, {"x": (0, 1), "y": (0, 1)}, ["f", "g"])
    with pytest.raises(vc.ModelError, match="'x' has no range"):
        optimise(rosenbrock, {"x": [1, 2], "y": (0, 1)}, "f")
    with pytest.raises(vc.ModelError, match="the constraint of 'g' is 3"):
        optimise(circle, {"x": (0, 1), "y": (0, 1)}, "f", constraints={"g": 3})
    with pytest.raises(vc.ModelError, match="influence\\(\\): method"):
        influence(rosenbrock, {"x": (0, 1)}, "f", method="magic")
