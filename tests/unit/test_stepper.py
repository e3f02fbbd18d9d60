"""A run that is entered: inputs, outputs, states put back, numbers changed, copies."""

import copy
import math
import pickle

import numpy as np
import pytest

import vincolo as vc
from entered_models import cart_pole, servo, slider_crank
from vincolo.layout import auxiliaries_of

I = vc.integrators  # noqa: E741
SOLVERS = {
    "Auto": {}, "DormandPrince": {"integrator": I.DormandPrince()}, "DOP853": {"integrator": I.DOP853()},
    "RK4": {"integrator": I.RK4(step=2e-3)}, "Radau": {"integrator": I.Radau()}, "BDF": {"integrator": I.BDF()},
    "Adams": {"integrator": I.Adams()}, "Heun": {"integrator": I.Heun(step=1e-3)},
    "JointCoordinates": {"formulation": vc.formulations.JointCoordinates(), "integrator": I.DormandPrince()},
    "NullSpace": {"formulation": vc.formulations.NullSpace(), "integrator": I.RK4(step=2e-3)},
    "Lagrange": {"formulation": vc.formulations.Lagrange(), "integrator": I.DormandPrince()},
}


def pulses(s, count, first=0):
    """Steps with an input that changes now and then; what was read after each."""
    return [s.step(u=math.sin(0.1 * (first + k // 5))).copy() for k in range(count)]


@pytest.mark.parametrize("name", SOLVERS)
def test_a_state_that_is_put_back_goes_on_to_the_last_bit(name):
    s = vc.stepper(servo(), 1e-2, **SOLVERS[name])
    pulses(s, 30)
    kept = s.state
    first, end = pulses(s, 40, 30), s.state
    s.restore(kept)
    assert (s.inputs == [math.sin(0.1 * 5)]).all() and s.t == kept.t
    again = pulses(s, 40, 30)
    assert (np.array(first) == np.array(again)).all()
    assert (s.state.y == end.y).all() and s.state.t == end.t


@pytest.mark.parametrize("name", ["Auto", "RK4", "Radau"])
def test_another_stepper_goes_on_from_a_state_to_the_last_bit(name):
    system = vc.compile(slider_crank(3))
    s, other = (vc.stepper(system, 1e-3, **({} if name != "RK4" else {"integrator": I.RK4(step=1e-3)}))
                for _ in range(2))
    for k in range(20):
        s.step(u0=10.0 + k)
    other.restore(s.state)
    for k in range(20):
        assert (s.step(u1=1.0 * k) == other.step(u1=1.0 * k)).all()
    assert (s.state.y == other.state.y).all()


@pytest.mark.parametrize("between", ["held", "linear"])
@pytest.mark.parametrize("name", SOLVERS)
def test_steps_are_those_of_a_run_with_the_same_input(name, between):
    """The same input as a table of simulate(): held from step to step, or in straight lines."""
    values = [0.0, 1.0, 0.4, -0.7, 0.2, 0.9]
    system = vc.compile(servo(between))
    times = 0.02 * np.arange(len(values))
    tight, solvers = {"rtol": 1e-9, "atol": 1e-11}, dict(SOLVERS[name])
    if name in ("Auto", "DormandPrince", "DOP853", "Radau", "BDF", "Adams"):
        solvers["integrator"] = vc.Auto(**tight) if name == "Auto" else getattr(I, name)(**tight)
    s = vc.stepper(system, 0.02, **solvers)
    seen = [s["cart.x"]]
    for k in range(5):
        s.step(u=values[k] if between == "held" else values[k + 1])
        seen.append(s["cart.x"])
    result = vc.simulate(system, 0.1, outputs=times, inputs={"u": (times, values)}, **solvers)
    assert seen == pytest.approx(result["cart.x"], abs=1e-11 if name in ("RK4", "Heun", "NullSpace") else 1e-9)
    assert s.t == 0.1 and result["u"][2] == pytest.approx(0.4, abs=1e-15)


def test_times_are_products_and_not_sums():
    s = vc.stepper(servo(), 0.1)
    for k in range(1, 1001):
        s.step()
        assert s.t == k * 0.1


def test_arrays_are_read_and_written_in_place():
    s = vc.stepper(servo(), 1e-2)
    inputs, outputs = s.inputs, s.outputs
    assert s.input_names == ["u"] and s.output_names == ["x", "both"]
    inputs[0] = 2.0
    for _ in range(50):
        s.step()
    assert outputs[1] == pytest.approx(s["cart.x"] + 2 * s["f"], abs=1e-15) and outputs[0] == s["cart.x"] > 0
    assert s.read() == {"x": outputs[0], "both": outputs[1]}


def test_outputs_that_follow_from_forces_are_read_by_name():
    m = servo()
    m.output("pull", "back.force")
    m.output("held", "rail.reaction.force.z", unit="N")
    s = vc.stepper(m, 1e-2)
    s.step(u=1.0)
    assert s.read()["pull"] == pytest.approx(3 * s["cart.x"] + 0.5 * s["cart.vx"], abs=1e-12)
    assert s.output_names == ["x", "both"] and s.read()["held"] == pytest.approx(0.0, abs=1e-12)
    result = vc.simulate(m, 0.1)
    assert (result["pull"] == result["back.force"]).all() and result.unit("held") == "N"
    assert result["both"] == pytest.approx(result["cart.x"] + 2 * result["f"], abs=1e-15)


def test_numbers_are_changed_between_steps():
    """As a model that has the other numbers from the same state on."""
    s = vc.stepper(servo(), 1e-2, integrator=I.DOP853(rtol=1e-10, atol=1e-12))
    for _ in range(10):
        s.step(u=1.0)
    kept = s.state
    s.parameters["back.k"], s.parameters["f.T"], s.parameters["gain"] = 7.0, 0.05, 2.0
    assert (s.parameters["back.k"], s.parameters["f.T"], s.parameters["gain"]) == (7.0, 0.05, 2.0)
    for _ in range(30):
        s.step()
    m = servo()
    m.remove("back")
    m.spring("back", "rail.travel", k=7.0, c=0.5, length=0.0)
    m.rate("f", "(gain*u - f)/T", T=0.05)
    system, y = vc.compile(m), kept.y.copy()
    auxiliaries_of(y, 1)[system.auxiliaries["gain"]] = 2.0
    result = vc.simulate(system, kept.t + 0.3, start=vc.State(system, kept.t, y, kept.turns),
                         integrator=I.DOP853(rtol=1e-11, atol=1e-13))
    assert s["cart.x"] == pytest.approx(result["cart.x"][-1], abs=1e-9)


def test_constants_of_laws_are_changed_between_steps():
    s = vc.stepper(cart_pole(), 1e-3)
    s.parameters["friction.c"] = 2.0
    s.step(push=1.0)
    other = vc.stepper(cart_pole(friction=2.0), 1e-3)
    other.step(push=1.0)
    assert s["cart.vx"] == pytest.approx(other["cart.vx"], rel=1e-12)


@pytest.mark.parametrize(("act", "phrase"), [
    (lambda s: s.step(v=1.0), "no input called 'v'"), (lambda s: s.step(u="a"), "a number is needed"),
    (lambda s: s.step(u=math.nan), "input 'u' is nan"),
    (lambda s: s.restore(vc.assemble(servo())), "a state of this stepper's system"),
    (lambda s: s.parameters.__setitem__("cart.weight", 1.0), "no parameter called 'cart.weight'"),
    (lambda s: s.parameters.__setitem__("back.k", math.inf), "finite"),
    (lambda s: vc.stepper(s.system, 0.0), "positive"), (lambda s: vc.stepper(s.system, math.nan), "finite"),
])
def test_wrong_things_are_named(act, phrase):
    with pytest.raises(vc.ModelError, match=phrase):
        act(vc.stepper(servo(), 1e-2))


def test_a_step_that_fails_says_why_and_the_stepper_can_be_put_back():
    m = servo()
    m.law("wall", "rail.travel", "sqrt(0.01 - d)")
    s = vc.stepper(m, 1e-2, integrator=I.RK4(step=1e-2))
    kept = s.state
    with pytest.raises(vc.SimulationError, match=r"step\(\)"):
        for _ in range(2000):
            s.step(u=1e9)
    s.restore(kept)
    s.step(u=0.0)
    assert s.t == 1e-2


def test_systems_states_and_results_are_pickled_and_copied():
    system = vc.compile(slider_crank(2))
    state, result = vc.assemble(system), vc.simulate(system, 0.1, outputs=5)
    for again in (pickle.loads(pickle.dumps((system, state, result))), copy.deepcopy((system, state, result))):
        assert again[1].system is again[0] and again[2].system is again[0]
        assert (again[1].y == state.y).all() and (again[2]["slider.x"] == result["slider.x"]).all()
        rerun = vc.simulate(again[0], 0.1, outputs=5, start=again[1])
        assert (rerun.y == vc.simulate(system, 0.1, outputs=5, start=state).y).all()


def test_what_is_lent_to_bodies_without_inertia_is_pickled_too():
    m = vc.Model("rod")
    rod = m.body("rod", 1.0, (0.1, 0.1, 0.0), at=(0, 0, 1))
    m.spherical("O", m.ground, rod, at=(0, 0, 0))
    system = vc.compile(m)
    start = vc.assemble(system)
    other = pickle.loads(pickle.dumps(start))
    runs = [vc.simulate(s.system, 0.2, outputs=3, start=s) for s in (start, other)]
    assert (runs[0].y == runs[1].y).all()


def test_a_stepper_is_pickled_with_where_it_stands():
    s = vc.stepper(servo(), 1e-2)
    pulses(s, 7)
    other = pickle.loads(pickle.dumps(s))
    assert other.t == s.t and (np.array(pulses(other, 9, 7)) == np.array(pulses(s, 9, 7))).all()


def _end_of_steps(stepper):
    stepper.step(u=1.0)
    return stepper.state.y


def test_other_processes_take_steppers():
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    s = vc.stepper(servo(), 1e-2)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        y = pool.submit(_end_of_steps, s).result()
    assert (y == _end_of_steps(s)).all()


def test_corners_of_functions_of_time_end_steps_of_the_integrator():
    """m x'' = ramp: the position after the corner is that of the closed form."""
    m = vc.Model("ramp", gravity=(0, 0, 0))
    body = m.body("b", 1.0, 0.1)
    m.prismatic("rail", m.ground, body, (0, 0, 0), "x")
    m.actuator("push", "rail.travel", vc.functions.Ramp(6.0, start=0.0503))
    s = vc.stepper(m, 1e-2, integrator=I.DormandPrince(rtol=1e-10, atol=1e-13))
    for _ in range(20):
        s.step()
    assert s["b.x"] == pytest.approx((0.2 - 0.0503)**3, abs=1e-14)


def test_a_guard_over_an_input_happens_every_time_it_crosses():
    m = servo()
    m.variable("count")
    m.event("pressed", "u - 1", direction="up", set={"count": "count + 1"})
    s = vc.stepper(m, 1e-2)
    for u in (0, 2, 0, 2, 0, 2, 2):
        s.step(u=u)
    assert s.state["count"] == 3
