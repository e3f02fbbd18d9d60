"""Laws that are Python functions: traced ones are formulas, others are called; both move the mechanism alike."""

import math

import numpy as np
import pytest

import vincolo as vc


def cart() -> vc.Model:
    """A cart with a pendulum, and an input."""
    m = vc.Model("cart")
    m.prismatic("rail", m.ground, m.body("cart", 2.0, 0.1), (0, 0, 0), "x")
    m.revolute("pole", "cart", m.body("bob", 0.5, 0.02, (0.1, 0, -0.8)), (0, 0, 0), "y")
    m.input("aim", value=0.3)
    m.measure("span", vc.distance(m.ground.frame((-1, 0, 0)), m.bodies["bob"].frame((0.1, 0, -0.8))))
    return m


TEXT = "8*(aim - rail.travel) - 3*dd + 2*sin(pole.angle) + 0.5*pole.angle.rate + 0.1*span.rate*span + 0.2*cos(t)"
NAMES = {"angle": "pole.angle", "turning": "pole.angle.rate", "k": 8.0}


def traced(d, dd, t, aim, angle, turning, k, span, span_rate):
    return k * (aim - d) - 3 * dd + 2 * math.sin(angle) + 0.5 * turning + 0.1 * span_rate * span + 0.2 * np.cos(t)


def decided(d, dd, t, aim, angle, turning, k, span, span_rate):
    """The same with a decision, which no formula has."""
    if t < -1:
        return 0.0
    return traced(d, dd, t, aim, angle, turning, k, span, span_rate)


def run(force, integrator=None, **names):
    m = cart()
    m.actuator("push", "rail.travel", force, **names)
    return vc.simulate(m, 1.0, outputs=20, integrator=integrator or vc.DormandPrince(rtol=1e-9, atol=1e-11))


def test_a_traced_function_is_a_formula():
    m = cart()
    law = m.actuator("push", "rail.travel", traced, **NAMES)
    assert law.formula is not None and law.called is None
    assert run(traced, **NAMES).y == pytest.approx(run(TEXT).y, abs=1e-12)


@pytest.mark.parametrize("integrator", [kind(rtol=1e-9, atol=1e-11) for kind in (vc.DormandPrince, vc.Radau)], ids=str)
def test_a_function_with_decisions_is_called(integrator):
    m = cart()
    law = m.actuator("push", "rail.travel", decided, **NAMES)
    assert law.formula is None and "decides" in law.called.reason
    one, other = run(decided, integrator, **NAMES), run(TEXT, integrator)
    assert one.y == pytest.approx(other.y, abs=1e-8)
    assert one.statistics["steps"] == pytest.approx(other.statistics["steps"], abs=2)


def test_measures_and_sub_models_are_known_to_functions():
    def force(d, x, x_rate):
        return float(d) + 2 * float(x) + 3 * float(x_rate)

    m = cart()
    m.law("tie", "rail.travel", force, x=m.joints["pole"]["angle"])
    whole = vc.Model("whole")
    whole.add("left", m)
    state = vc.assemble(whole)
    y = state.y.copy()
    y[7], y[20 + 4] = 0.4, 1.5
    moved = state.with_vector(y)
    expected = moved["left.rail.travel"] + 2 * moved["left.pole.angle"] + 3 * moved["left.pole.angle.rate"]
    assert moved["left.tie.force"] == pytest.approx(expected, abs=1e-12)


def test_what_a_function_raises_is_told_and_the_run_kept():
    def force(t):
        if t > 0.5:
            raise ValueError("out of fuel")
        return 1.0

    m = cart()
    m.actuator("push", "rail.travel", force)
    with pytest.warns(vc.SimulationWarning, match=r"'push'(.|\n)*'force' raised ValueError: out of fuel"):
        result = vc.simulate(m, 1.0, outputs=100)
    assert not result.complete and 0.4 < result.t[-1] <= 0.5


@pytest.mark.parametrize(("force", "names", "phrase"), [
    (lambda d, speed: d * speed, {}, "speed, for which nothing is given"),
    (lambda d: d, {"k": 3}, "k cannot be used"),
    (lambda d, a: d, {"a": "pole.nothing"}, "nothing called 'pole.nothing'"),
    (lambda d, a: d, {"a": "pole.angle + 1"}, "is not a name of the mechanism"),
    (lambda d, a: d, {"a": math.nan}, "nan"),
])
def test_wrong_arguments_are_named(force, names, phrase):
    m = cart()
    with pytest.raises(vc.ModelError, match=phrase) as told:
        m.law("tie", "rail.travel", force, **names)
    assert "law 'tie'" in str(told.value)
    assert "tie" not in m.laws


def test_files_refuse_what_no_formula_says(tmp_path):
    m = cart()
    m.actuator("push", "rail.travel", decided, **NAMES)
    with pytest.raises(vc.ModelError, match="'push' is a Python function"):
        vc.save_model(m, tmp_path / "cart.yaml")
    m.remove("push")
    m.actuator("push", "rail.travel", traced, **NAMES)
    vc.save_model(m, tmp_path / "cart.yaml")
    again = vc.simulate(vc.load_model(tmp_path / "cart.yaml"), 0.5)
    assert (again.y == vc.simulate(m, 0.5).y).all()


@pytest.mark.parametrize("decide", [False, True], ids=["traced", "called"])
def test_a_function_s_own_values_of_its_arguments_count_where_none_are_given(decide):
    def push(d, dd, aim=5.0, k=8.0, c=3.0):
        """aim is an input of the model, which counts before the value here."""
        return k * (aim - d) - c * dd if not decide or c > 0 else 0.0

    whole = run("8*(aim - d) - 4*dd")
    assert np.abs(run(push, c=4.0)["cart.x"] - whole["cart.x"]).max() < 1e-9
    assert np.abs(run(push)["cart.x"] - run("8*(aim - d) - 3*dd")["cart.x"]).max() < 1e-9


def test_a_formula_takes_the_function_s_own_values():
    m = cart()
    m.measure("twice", vc.formula(lambda x, factor=2.0: factor * x, x=m.measures["span"]))
    state = vc.assemble(m)
    assert state["twice"] == pytest.approx(2 * state["span"], rel=1e-14)
