"""Statics and linearisation that cannot be, and names that are not known: every message helps."""

import sys

import numpy as np
import pytest

import vincolo as vc
from linkages import pendulum


def sprung():
    """A mass on a vertical spring, with a load."""
    model = vc.Model("sprung")
    body = model.body("body", mass=2, inertia=0.1, at=(0, 0, 0.5))
    model.prismatic("guide", model.ground, body, at=(0, 0, 0), axis="z")
    model.spring("strut", "guide.travel", k=500.0)
    model.force("push", body, (0, 0, -3.0))
    return model


def test_a_free_body_under_gravity_runs_away_and_is_named():
    model = sprung()
    model.body("stone", mass=1, inertia=0.1, at=(1, 0, 0))
    with pytest.raises(vc.SimulationError) as caught:
        vc.statics(model)
    text = str(caught.value)
    assert "no equilibrium" in text and "Body 'stone'" in text and "(0, 0, -1)" in text
    assert "'stone' runs away" in text and "joint or a spring" in text and "9.81 N" in text


def test_a_wheel_under_a_torque_turns_for_ever():
    model = vc.Model("fan", gravity=(0, 0, 0))
    wheel = model.body("wheel", mass=1, inertia=0.1)
    model.revolute("axle", model.ground, wheel, at=(0, 0, 0), axis="y")
    model.torque("wind", wheel, (0, 2.0, 0))
    with pytest.raises(vc.SimulationError, match=r"(?s)no equilibrium.*'wheel'.*turned by .* rad about \(0, 1, 0\)"):
        vc.statics(model)


def test_a_force_that_jumps_over_zero_has_no_equilibrium():
    model = sprung()
    model.law("jump", "guide.travel", "500*(2*step(d + 0.05) - 1)")
    with pytest.raises(vc.SimulationError, match="(?s)no equilibrium.*'body'.*forces that jump"):
        vc.statics(model, max_iterations=60)


def test_a_force_that_is_not_a_number_is_named():
    model = sprung()
    model.law("root", "guide.travel", "sqrt(d - 1)")
    with pytest.raises(vc.SimulationError, match=r"(?s)undefined at t = 0 s.*'root' \(-?nan\).*roots of negative"):
        vc.statics(model)
    state = vc.assemble(sprung())
    broken = state.y.copy()
    broken[0] = np.nan
    with pytest.raises(vc.SimulationError, match="(?s)infinite or undefined"):
        vc.linearize(state.with_vector(broken))


@pytest.mark.parametrize(("keywords", "phrase"), [
    ({"start": 3}, "start is 3; pass what assemble"), ({"t": np.nan}, "t is nan"), ({"t": "now"}, "t is 'now'"),
    ({"max_iterations": 0}, "max_iterations is 0; a whole number"),
])
def test_what_statics_is_given_is_checked(keywords, phrase):
    with pytest.raises(vc.ModelError, match=phrase):
        vc.statics(sprung(), **keywords)


def test_a_start_of_another_system_is_refused():
    with pytest.raises(vc.ModelError, match="(?s)another system.*Compile once"):
        vc.statics(sprung(), start=vc.assemble(sprung()))


@pytest.mark.parametrize(("arguments", "phrases"), [
    (("srtut", {"body.z": 0.4}), "no spring called 'srtut'.*Springs: strut.*Did you mean 'strut'"),
    (("strut", {"bodi.z": 0.4}), "no channel called 'bodi.z'.*Did you mean"),
    (("strut", {"body.z": np.nan}), "body.z is nan"),
    (("strut", {"body.z": 0.4}, "lenght"), "change is 'lenght'.*Did you mean 'length'"),
    (("strut", {}), "one channel with its value"), (("strut", 0.4), "one channel with its value"),
])
def test_wishes_for_springs_are_checked(arguments, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        vc.spring_for(sprung(), *arguments)


def test_a_wish_that_no_spring_can_fulfil():
    with pytest.raises(vc.SimulationError, match="(?s)'body.x' = 0.1 cannot be reached.*no influence.*another spring"):
        vc.spring_for(sprung(), "strut", {"body.x": 0.1})
    with pytest.raises(vc.SimulationError, match="(?s)by the k of strut.*off by -0.1, and.*Change another number"):
        vc.spring_for(sprung(), "strut", {"body.z": 0.6}, "k")
    with pytest.raises(vc.ModelError, match="takes a Model, not System"):
        vc.spring_for(vc.compile(sprung()), "strut", {"body.z": 0.6})


@pytest.mark.parametrize(("change", "values", "phrases"), [
    ("pusch", [1, 2], "no load called 'pusch'.*Loads: push, gravity.*Did you mean 'push'.*a function"),
    ("push", [], "there are no values"), ("push", [1, np.inf], "a value is inf"), ("push", 3, "values is 3"),
])
def test_sweeps_are_checked(change, values, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        vc.load_sweep(sprung(), change, values)


def test_a_sweep_that_loses_its_equilibrium_says_at_which_value():
    def soften(model, k):
        model.springs["strut"] = type(model.springs["strut"])("strut", model.springs["strut"].measure, k, 0.0, 0.0, 0.0)

    with pytest.raises(vc.SimulationError, match="(?s)at the value 0.*no equilibrium.*'body' runs away"):
        vc.load_sweep(sprung(), soften, [0.0, 100.0])


@pytest.mark.parametrize(("keywords", "phrases"), [
    ({"inputs": ["strutt"]}, "no input called 'strutt'.*Did you mean 'strut'.*'body.fx'"),
    ({"outputs": ["body.q"]}, "output: there is no channel called 'body.q'"),
    ({"outputs": ["strut.power"]}, "'strut.power' is a power"),
    ({"inputs": "strut"}, "inputs is 'strut'; a list of names"),
    ({"outputs": [3]}, "a list of names"),
])
def test_names_of_inputs_and_outputs_are_checked(keywords, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        vc.linearize(vc.assemble(sprung()), **keywords)


def test_what_cannot_be_linearised():
    with pytest.raises(vc.ModelError, match="(?s)state is .*pass what assemble"):
        vc.linearize(3)
    still = pendulum()
    still.drive("O.angle", 0.3)
    with pytest.raises(vc.ModelError, match="(?s)no freedom.*Take out a drive"):
        vc.linearize(vc.assemble(still))
    zero = sprung()
    zero.force("nothing", zero.bodies["body"], (0, 0, "t"))
    with pytest.raises(vc.ModelError, match="(?s)load 'nothing' is zero at t = 0 s.*'body.fx'"):
        vc.linearize(vc.assemble(zero), ["nothing"])


def test_without_python_control_the_way_to_it_is_told(monkeypatch):
    linear = vc.linearize(vc.assemble(sprung()), ["strut"], ["body.z"])
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(vc.ModelError, match="(?s)'control', which is not installed.*pip install control.*to_scipy"):
        linear.to_control()
    with pytest.raises(vc.ModelError, match="(?s)no inputs.*Name them"):
        vc.linearize(vc.assemble(sprung())).to_scipy()
