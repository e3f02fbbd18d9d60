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
