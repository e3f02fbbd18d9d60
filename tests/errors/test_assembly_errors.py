"""Mechanisms that cannot be closed, contradictory wishes and drives that fight."""

import numpy as np
import pytest

import vincolo as vc
from linkages import parallelogram, rod


def four_bar_with_a_short_coupler():
    """The coupler's far end is 0.4 m from its pin on the rocker, and no position can close it."""
    model = vc.Model("four-bar", gravity=(0, -9.81, 0))
    crank, coupler = rod(model, "crank", (0, 0), (0, 0.3)), rod(model, "coupler", (0, 0.3), (0.5, 0.3))
    rocker = rod(model, "rocker", (3, 0), (3, 0.4))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.revolute("A", crank, coupler, at=(0, 0.3, 0), axis="z")
    model.revolute("B", coupler.frame((0.5, 0.3, 0)), rocker.frame((3, 0.4, 0)))
    model.revolute("C", model.ground, rocker, at=(3, 0, 0), axis="z")
    return model


def test_a_mechanism_that_cannot_close_names_the_joint_and_the_gap():
    with pytest.raises(vc.AssemblyError) as caught:
        vc.assemble(four_bar_with_a_short_coupler())
    text = str(caught.value)
    assert "cannot be closed" in text and "Largest open joint: revolute '" in text
    assert "gap" in text and "iterations" in text and "guess=" in text
    pairs = ("coupler - rocker", "crank - coupler", "ground - crank", "ground - rocker")
    assert any(f"({pair})" in text for pair in pairs)


def test_a_value_out_of_reach_is_shown():
    model = parallelogram(1.0)
    model.measure("reach", vc.distance(model.ground.frame((0, 0, 0)), model.bodies["bar0"].frame(local=(0.5, 0, 0))))
    with pytest.raises(vc.AssemblyError, match="(?s)cannot be closed.*Asked for: reach = 5"):
        vc.assemble(model, {"reach": 5.0})


def test_rates_that_contradict_each_other():
    model = parallelogram(1.0)
    with pytest.raises(vc.AssemblyError, match="(?s)velocities.*contradict.*foot.*rates that belong together"):
        vc.assemble(model, {"foot0.angle.rate": 1.0, "foot1.angle.rate": 2.0})


@pytest.mark.parametrize(("given", "phrases"), [
    ({"foot0.angel": 1.0}, "no measure called 'foot0.angel'.*Measures: foot0.angle.*Did you mean 'foot0.angle'"),
    ({"foot0.angle": float("nan")}, "foot0.angle is nan"),
    ({"foot0.angle.rate": "fast"}, "foot0.angle.rate is 'fast'"),
    ({"nothing.rate": 1.0}, "no measure called 'nothing'"),
    (3, "given is 3; a dictionary"),
])
def test_what_is_given_must_exist_and_be_finite(given, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        vc.assemble(parallelogram(1.0), given)


def test_guess_and_time_are_checked():
    with pytest.raises(vc.ModelError, match="(?s)guess belongs to another system.*Compile once"):
        vc.assemble(parallelogram(1.0), guess=vc.assemble(parallelogram(1.0)))
    with pytest.raises(vc.ModelError, match="guess is 3"):
        vc.assemble(parallelogram(1.0), guess=3)
    with pytest.raises(vc.ModelError, match="t is 'now'"):
        vc.assemble(parallelogram(1.0), t="now")


FIGHTS = {
    "the same function twice": ("foot0.angle", "t", "foot0.angle", "t"),
    "other rates": ("foot0.angle", "t", "foot0.angle", "2*t"),
    "other values": ("foot0.angle", "t", "foot0.angle", "1 + t"),
    "through the linkage": ("foot0.angle", "t", "head0.angle", "-t"),
    "through the linkage, against each other": ("foot0.angle", "t", "foot1.angle", "3*t"),
}


@pytest.mark.parametrize("name", FIGHTS)
def test_two_drives_on_one_freedom_are_named(name):
    first, f, second, g = FIGHTS[name]
    model = parallelogram(1.0)
    model.drive(first, f, name="motor")
    model.drive(second, g, name="engine")
    with pytest.raises(vc.ModelError, match="(?s)2 drives move only 1 independent freedom.*'engine', 'motor' fight.*"
                                            "1 degree of freedom.*Remove one"):
        vc.assemble(model)


def test_a_drive_of_a_coordinate_that_joints_hold():
    model = parallelogram(1.0)
    model.fixed("weld", model.ground, model.bodies["bar0"], at=(0, 0, 0))
    model.drive("foot0.angle", 0.0, name="motor")
    with pytest.raises(vc.ModelError, match="(?s)1 drives? move only 0 independent freedoms.*'motor'"):
        vc.assemble(model)


@pytest.mark.parametrize("text", ["sqrt(t - 1)", "1/t", "log(t)", "sqrt(t)"])
def test_a_drive_without_a_value_or_rate_at_the_start(text):
    model = parallelogram(1.0)
    model.drive("foot0.angle", text)
    with pytest.raises(vc.ModelError, match="(?s)drive 'foot0.angle.drive': its function has value .* at t = 0 s"):
        vc.assemble(model)


@pytest.mark.parametrize("kind", ["spherical", "free", "guide"])
def test_a_rotation_without_inertia_that_nothing_determines_names_the_body(kind):
    model = vc.Model()
    point = model.body("bead", 1.0, 0.0, at=(0.5, 0, 0))
    if kind == "spherical":
        model.spherical("S", model.ground, point, at=(0, 0, 0))
    if kind == "guide":
        model.guide("S", model.ground, point, at=(0, 0, 0), axis="z")
    with pytest.raises(vc.ModelError, match="(?s)body 'bead' has no inertia about an axis.*Give 'bead' an inertia"):
        vc.assemble(model)


def test_a_good_guess_closes_what_is_drawn_open():
    model = vc.Model("crank", gravity=(0, -9.81, 0))
    crank, link = rod(model, "crank", (0, 0), (0, 0.3)), rod(model, "rod", (0, 0.3), (0.9, 0.35))
    slider = model.body("slider", 1.0, 0.1, at=(1.0, 0.05, 0.02))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.revolute("A", crank, link, at=(0, 0.3, 0), axis="z")
    model.revolute("B", link.frame((0.9, 0.35, 0)), slider.frame((1.0, 0.05, 0.02)))
    model.prismatic("S", model.ground.frame((0, 0, 0), z="x"), slider.frame((1.0, 0.05, 0.02), z="x"))
    state = vc.assemble(model)
    assert state["residual.position"] < 1e-9 and state["residual.velocity"] < 1e-9
    assert np.allclose([state["slider.y"], state["slider.z"]], 0, atol=1e-9)
