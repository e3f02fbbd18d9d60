"""Controllers: called at exact times, with memories that restarts keep, and named where they go wrong."""

import dataclasses
import math
import os
import signal
import threading

import numpy as np
import pytest

import vincolo as vc
from entered_models import MOTION, cart_pole, servo


@dataclasses.dataclass
class Memory:
    sum: float = 0.0
    calls: int = 0
    last: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(3))


def integrating(m, every=1e-2, memory=None, first=0.0, name="control"):
    """u is minus the sum of what was read, with a memory; and what it was called with."""
    called = []

    @m.controller(every=every, reads=["cart.x", "f"], writes=["u"], memory=memory or {"sum": 0.1, "calls": 0},
                  first=first, name=name)
    def control(t, x, f, memory):
        memory["sum"] += every * (0.3 - x)
        memory["calls"] += 1
        called.append((t, x, f))
        return 5 * memory["sum"] - f

    return called


def test_calls_are_at_products_of_the_period_and_see_the_state():
    m = servo()
    called = integrating(m, every=0.01)
    result = vc.simulate(m, 1.0, outputs=100)
    assert [t for t, _, _ in called] == [k * 0.01 for k in range(100)]
    assert np.array([x for _, x, _ in called]) == pytest.approx(result["cart.x"][:-1], abs=1e-15)
    assert result["control.calls"][50] == 51 and result["control.sum"][0] == pytest.approx(0.103)


@pytest.mark.parametrize("step", [0.004, 0.01, 0.025])
def test_steppers_call_them_at_the_same_times(step):
    m = servo()
    called = integrating(m, every=0.01)
    system = vc.compile(m)
    tight = vc.integrators.DOP853(rtol=1e-11, atol=1e-13)
    result = vc.simulate(system, 0.2, integrator=tight)
    first = list(called)
    called.clear()
    s = vc.stepper(system, step, integrator=tight)
    while s.t < 0.2 - 1e-9:
        s.step()
    assert [t for t, _, _ in called] == [t for t, _, _ in first]
    assert s["cart.x"] == pytest.approx(result["cart.x"][-1], abs=1e-11)


def test_a_first_call_may_come_later_and_several_have_their_own_periods():
    m = servo()
    m.variable("other")
    called = integrating(m, every=0.02, first=0.05)
    m.add_controller("double", lambda t, u: 2 * u, every=0.03, reads=["u"], writes="other")
    result = vc.simulate(m, 0.2, outputs=[0.05, 0.06, 0.2])
    assert [t for t, _, _ in called] == [0.05 + k * 0.02 for k in range(8)]
    assert result["other"][1] == 2 * result["u"][0]


def eventful():
    """Controllers, states and events together."""
    m = servo()
    integrating(m, every=7e-3, memory={"sum": 0.1, "calls": 0, "line": np.arange(4.0)})
    m.event("stop there", "cart.x - 0.05", direction="up", set={"gain": 0.7}, bounce={"rail.travel": 0.5})
    m.event("often", every=0.05, set={"gain": "gain + 0.01"})
    return m


@pytest.mark.parametrize("integrator", [vc.Auto(), vc.integrators.DormandPrince(), vc.integrators.RK4(step=1e-3),
                                        vc.integrators.Radau(), vc.integrators.BDF(), vc.integrators.Adams()],
                         ids=lambda i: type(i).__name__)
def test_a_restart_in_the_middle_is_the_same_to_the_last_bit(integrator):
    system = vc.compile(eventful())
    times = np.linspace(0, 1, 51)
    solvers = {"integrator": integrator, "formulation": vc.formulations.Sparse()}
    whole = vc.simulate(system, 1.0, outputs=times, checkpoints=[0.42, 0.7], **solvers)  # 0.42 is that of call 60
    assert whole.complete and len(whole.events) > 10 and 0 < whole["control.calls"][-1] < 150
    for middle in (0.42, 0.7):
        k = int(np.searchsorted(whole.t, middle))
        rest = vc.simulate(system, 1.0, outputs=whole.t[k:], start=whole.state(k),
                           checkpoints=[mark for mark in (0.42, 0.7) if mark > middle], **solvers)
        assert (rest.y == whole.y[k:]).all()


def test_a_stepper_with_controllers_and_events_is_put_back_to_the_last_bit():
    s = vc.stepper(eventful(), 5e-3)
    for _ in range(60):
        s.step()
    kept = s.state
    ends = []
    for _ in range(2):
        s.restore(kept)
        for _ in range(60):
            s.step()
        ends.append(s.state.y)
    assert (ends[0] == ends[1]).all() and ends[0][0] != kept.y[0]


def test_a_memory_may_be_a_dataclass_with_arrays():
    m, seen = servo(), []

    def control(t, x, memory):
        memory.sum += x
        memory.calls += 1
        memory.last[:] = [*memory.last[1:], t]
        seen.append((memory.calls, type(memory.calls), memory.last.copy()))
        return memory.sum

    m.add_controller("c", control, every=0.1, reads="cart.x", writes="u", memory=Memory())
    result = vc.simulate(m, 1.0)
    assert [calls for calls, _, _ in seen] == list(range(1, 11)) and seen[0][1] is int
    assert seen[-1][2] == pytest.approx([0.7, 0.8, 0.9]) and result["c.last.2"][-1] == seen[-1][2][2]


def test_what_is_written_may_be_a_list_or_a_table_and_linear_inputs_go_there_in_straight_lines():
    m = servo("linear")
    m.add_controller("ramp", lambda t: {"gain": 1.0, "u": 10 * (t + 0.1)}, every=0.1, writes=["u", "gain"])
    result = vc.simulate(m, 1.0, outputs=100)
    assert result["u"] == pytest.approx(10 * result["t"], abs=1e-12)
    m.remove("ramp")
    m.add_controller("list", lambda t: [t, 2.0], every=0.1, writes=["u", "gain"])
    assert vc.simulate(m, 0.3)["gain"][5] == 2.0


def test_channels_that_follow_from_forces_can_be_read():
    m, seen = servo(), []
    m.add_controller("c", lambda t, a, x: seen.append((a, x)) or 1.0, every=0.1, reads=["cart.ax", "cart.x"],
                     writes=["u"])
    result = vc.simulate(m, 0.3, outputs=3)
    assert seen[1] == pytest.approx((result["cart.ax"][1], result["cart.x"][1]), abs=1e-6)


@pytest.mark.parametrize(("control", "phrase"), [
    (lambda t, x: 1 / 0, r"controller 'c' raised ZeroDivisionError at t = 0\.5 s: division by zero"),
    (lambda t, x: math.nan, r"controller 'c' returned nan for 'u' at t = 0\.5 s"),
    (lambda t, x: "fast", "controller 'c' returned 4 values|a finite number"),
    (lambda t, x: [1.0, 2.0], r"returned 2 values at t = 0\.5 s, but writes 1: 'u'"),
    (lambda t, x: None, "returned 0 values"), (lambda t, x: {"v": 1.0}, "a value for 'v'"),
])
def test_one_that_goes_wrong_is_named_and_what_was_computed_is_kept(control, phrase):
    m = servo()
    m.add_controller("c", lambda t, x: control(t, x) if t >= 0.5 else 0.5, every=0.1, reads=["cart.x"], writes=["u"])
    with pytest.warns(vc.SimulationWarning, match=phrase):
        result = vc.simulate(m, 1.0, outputs=100)
    assert not result.complete and result.t[-1] == pytest.approx(0.49, abs=0.011) and len(result) >= 50
    s = vc.stepper(m, 0.1)
    with pytest.raises(vc.SimulationError, match="controller 'c'"):
        for _ in range(10):
            s.step()
    assert s.t == pytest.approx(0.5) and s["f"] > 0


@pytest.mark.filterwarnings("ignore::vincolo.SimulationWarning")
def test_one_that_takes_forever_is_ended_by_an_interrupt():
    m, interrupt = servo(), threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))

    def forever(t):
        if t > 0.35:
            interrupt.start()  # not before: who comes sooner ends another run, or the tests
        while t > 0.35:
            pass
        return 0.0

    m.add_controller("c", forever, every=0.1, writes=["u"])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a program in the background ignores it
    try:
        result = vc.simulate(m, 1.0, outputs=100)
    finally:
        signal.signal(signal.SIGINT, before)
    assert "interrupted" in result.reason and result.t[-1] == pytest.approx(0.39, abs=0.011)


@pytest.mark.parametrize(("given", "phrase"), [
    ({"every": 0.0}, "positive"), ({"every": math.nan}, "finite"), ({"writes": ["x"]}, "not an input or variable"),
    ({"writes": ["u", "u"]}, "written once"), ({"reads": ["carts.x"]}, "Did you mean 'cart.x'"),
    ({"memory": {"a": "text"}}, "memory 'a' is 'text'"), ({"memory": [1, 2]}, "a dict or an object of a dataclass"),
    ({"name": "cart"}, "already a body"),
])
def test_wrong_ones_are_refused(given, phrase):
    m = servo()
    arguments = {"every": 0.1, "writes": ["u"], "name": "c", **given}
    with pytest.raises(vc.ModelError, match=phrase):
        m.add_controller(arguments.pop("name"), lambda t: 0.0, **arguments)
    assert not m.controllers


def test_a_memory_that_loses_something_or_becomes_infinite_is_named():
    for spoil in (lambda memory: memory.pop("a"), lambda memory: memory.update(a=math.inf),
                  lambda memory: memory.update(a=np.zeros(3))):
        m = servo()
        m.add_controller("c", lambda t, memory, spoil=spoil: spoil(memory) and 0.0 or 0.0, every=0.1, writes=["u"],
                         memory={"a": 1.0})
        with pytest.warns(vc.SimulationWarning, match="controller 'c': its memory"):
            vc.simulate(m, 0.5)


def test_sub_models_have_controllers_of_their_own():
    part = servo()
    integrating(part)
    m = vc.Model("two", gravity=(0, 0, 0))
    m.add("left", part)
    m.add("right", part, at=(0, 1, 0))
    alone, both = vc.simulate(part, 0.5, outputs=5), vc.simulate(m, 0.5, outputs=5)
    assert list(m.controllers) == ["left.control", "right.control"]
    assert both["right.cart.x"] == pytest.approx(alone["cart.x"], abs=1e-9)
    assert both["left.control.calls"][-1] == 50
    m.remove("left.u")
    assert list(m.controllers) == ["right.control"]


def test_files_refuse_them_by_name_and_kinematics_too(tmp_path):
    m = cart_pole()
    m.add_controller("hold", lambda t, *x: 0.0, every=0.1, reads=MOTION, writes=["push"])
    for name in ("m.yaml", "m.xlsx", "cards"):
        with pytest.raises(vc.VincoloError, match="controller 'hold'"):
            vc.save_model(m, tmp_path / name)
    m.drive("rail.travel", "t")
    m.drive("hinge.angle", "t")
    with pytest.raises(vc.ModelError, match="controller 'hold'"):
        vc.kinematics(m, 1.0)
    assert "1 controllers" in repr(m)
