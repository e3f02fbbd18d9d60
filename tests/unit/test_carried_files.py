"""Inputs, variables and states in files: kept to the last bit, written by hand, and refused by name."""

import numpy as np
import pytest

import vincolo as vc
from filed_models import all_kinds
from same_models import assert_same, bits, numbers
from vincolo.errors import FileError
from vincolo.formats import load_model, save_model

BY_HAND = """
parameters: {T: 0.2}
bodies:
  cart: {mass: 2, inertia: 0.1}
joints:
  rail: {kind: prismatic, a: ground, b: cart, at: [0, 0, 0], axis: x}
inputs:
  u: {value: 3, unit: N, between: linear}
variables:
  gain: {value: 1}
states:
  f: {rate: "(gain*u - f)/T", unit: N}
  p: {rate: q}
  q: {rate: -p, start: 1}
actuators:
  push: {measure: rail.travel, force: f}
"""


def servo():
    m = vc.Model("servo", gravity=(0, 0, 0))
    cart = m.body("cart", 2.0, 0.1, (0, 0, 0))
    m.prismatic("rail", m.ground, cart, (0, 0, 0), "x")
    m.input("u", value=3.0, unit="N", between="linear")
    m.variable("gain", 1.0)
    m.state("f", "(gain*u - f)/T + 0*cart.vx", unit="N", T=0.2)
    m.actuator("push", "rail.travel", "f")
    return m


def two_servos():
    m = vc.Model("two", gravity=(0, 0, 0))
    m.add("left", servo())
    m.add("right", servo(), at=(0, 1, 0), mirror="y")
    m.law("tie", "left.rail.travel", "1e-3*(left.f - right.f) + 0*left.u + d")
    m.state("sum", "left.f + right.f", size=2.0)
    return m


def controlled():
    """A servo with one of each ready block, and a sensor."""
    m = servo()
    m.input("pull", unit="N")
    m.actuator("motor", "rail.travel", "pull")
    m.input("trim")
    m.sensor("load", "rail.reaction.force + motor.force", unit="N")
    vc.blocks.pid(m, "hold", setpoint="0.3 + 0*t", measured="cart.x", writes="pull", every=1e-2, kp=20.0, ki=5.0,
                  kd=2.0, low=-1.5, filter=0.02, bumpless=True)
    vc.blocks.delay(m, "late", "cart.x", time=0.05, every=1e-2, start=0.1, unit="m")
    vc.blocks.rate_limit(m, "slow", "3*late", every=2e-2, up=0.5, start=0.2)
    linear = vc.linearize(vc.assemble(servo()), inputs=["push"], outputs=["cart.x", "cart.vx", "f"])
    feedback = vc.blocks.lqr(linear, [1, 1, 1], [1], every=3e-2)
    vc.blocks.state_feedback(m, "back", feedback, "trim")
    return m


@pytest.mark.parametrize("ending", [".yaml", ".xlsx"])
def test_ready_blocks_come_back_with_what_they_remember(ending, tmp_path):
    save_model(controlled(), tmp_path / f"servo{ending}")
    again = load_model(tmp_path / f"servo{ending}")
    first, second = (vc.simulate(m, 0.5, outputs=20) for m in (controlled(), again))
    assert (first.y == second.y).all() and first["pull"].any() and first["trim"].any() and first["slow"][-1] != 0.2


@pytest.mark.parametrize("old, new, said", [
    ("block: pid", "block: pit", "no block called 'pit'.*Did you mean 'pid'"),
    ("kp: 20.0", "kp: .nan", "hold.*kp.*finite"), ("kp: 20.0", "kq: 20.0", "its numbers are"),
    ("calls: 5", "calls: 5.5", "a whole number"), ("calls: 5", "calls: 1e12", "a whole number"),
    ("up: 0.5", "up: -1", "up and down are positive"),
    ("writes: [pull]", "writes: [cart]", "'cart', which is not an input or variable"),
    ("every: 0.02", "every: 0", "must be positive")])
def test_wrong_blocks_are_told(old, new, said, tmp_path):
    save_model(controlled(), tmp_path / "servo.yaml")
    text = (tmp_path / "servo.yaml").read_text()
    assert old in text, text[text.index("controllers"):]
    (tmp_path / "servo.yaml").write_text(text.replace(old, new))
    with pytest.raises(FileError, match=f"(?s){said}"):
        load_model(tmp_path / "servo.yaml")


def test_a_function_of_python_is_refused_by_name(tmp_path):
    m = servo()
    m.add_controller("mine", lambda t: 1.0, every=0.1, writes=["u"])
    with pytest.raises(vc.ModelError, match="(?s)controller 'mine' is a function of Python.*ready blocks .pid, delay"):
        save_model(m, tmp_path / "servo.yaml")


@pytest.mark.parametrize("build", [servo, two_servos])
def test_yaml_keeps_all_of_them(build, tmp_path):
    copy = assert_same(build(), tmp_path)
    first, second = (vc.simulate(m, 0.2, outputs=5) for m in (build(), copy))
    assert (first.y == second.y).all() and first["f" if "f" in first.system.auxiliaries else "left.f"][-1] > 0.5


@pytest.mark.parametrize("build", [servo, two_servos, all_kinds])
def test_a_workbook_keeps_all_of_them(build, tmp_path):
    model = build()
    copy = load_model(save_model(model, tmp_path / "model.xlsx"))
    assert [(a.name, a.kind, a.start, a.unit, a.between, a.size) for a in copy.auxiliaries.values()] == \
           [(a.name, a.kind, a.start, a.unit, a.between, a.size) for a in model.auxiliaries.values()]
    before, after = numbers(model)[0], numbers(copy)[0]
    assert all(bits(after[key]) == bits(value) for key, value in before.items())


def test_states_by_hand_may_name_each_other_and_parameters(tmp_path):
    path = tmp_path / "hand.yaml"
    path.write_text(BY_HAND)
    result = vc.simulate(load_model(path), 1.0, integrator=vc.integrators.DOP853(rtol=1e-10, atol=1e-12))
    assert result["p"] == pytest.approx(np.sin(result["t"]), abs=1e-9)
    assert result["f"][-1] == pytest.approx(3 * (1 - 2.718281828459045**-5), abs=1e-8)


@pytest.mark.parametrize(("old", "new", "phrase"), [
    ("f: {rate: \"(gain*u - f)/T\", unit: N}", "f: {start: 1}", "'rate' is missing"),
    ("(gain*u - f)/T", "(gian*u - f)/T", "gian"),
    ("between: linear", "between: cubic", "'held' or 'linear'"),
    ("gain: {value: 1}", "T: {value: 1}", "'T' is a parameter of this file too"),
    ("force: f}", "force: f, reads: {f: g}}", "no input, variable or state called 'g'"),
    ("gain: {value: 1}", "gain: {value: 1, between: linear}", "no key 'between'"),
])
def test_mistakes_are_named(old, new, phrase, tmp_path):
    path = tmp_path / "hand.yaml"
    assert old in BY_HAND
    path.write_text(BY_HAND.replace(old, new))
    with pytest.raises(FileError, match=phrase):
        load_model(path)


def test_cards_have_no_place_for_them(tmp_path):
    with pytest.raises(FileError, match=r"(?s)input 'u' is not of the motion.*state 'f'"):
        save_model(servo(), tmp_path / "cards")


def test_a_state_of_another_model_is_refused():
    other = servo()
    with pytest.raises(vc.ModelError, match="belongs to another model"):
        servo().state("g", "x", x=other.states["f"])
    with pytest.raises(vc.ModelError, match="no state called 'ff'.*Did you mean 'f'"):
        servo().rate("ff", "0")
