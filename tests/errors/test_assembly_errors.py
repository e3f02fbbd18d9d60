"""Mechanisms that cannot be closed, contradictory wishes and drives that fight."""

import numpy as np
import pytest

import vincolo as vc
from linkages import parallelogram, rod
from vincolo.analyses.branches import branches


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
    with pytest.raises(vc.ModelError, match="(?s)1 drive moves only 0 independent freedoms.*'motor'"):
        vc.assemble(model)


@pytest.mark.parametrize("text", ["sqrt(t - 1)", "1/t", "log(t)", "sqrt(t)"])
def test_a_drive_without_a_value_or_rate_at_the_start(text):
    model = parallelogram(1.0)
    model.drive("foot0.angle", text)
    with pytest.raises(vc.ModelError, match="(?s)drive 'foot0.angle.drive': its function has value .* at t = 0 s"):
        vc.assemble(model)


@pytest.mark.parametrize("kind", ["spherical", "free", "guide"])
@pytest.mark.parametrize("turned_by", ["torque", "spring"])
def test_a_rotation_without_inertia_that_nothing_determines_names_the_body(kind, turned_by):
    model = vc.Model()
    point = model.body("bead", 1.0, 0.0, at=(0.5, 0, 0))
    if kind == "spherical":
        model.spherical("S", model.ground, point, at=(0, 0, 0))
    if kind == "guide":
        model.guide("S", model.ground, point, at=(0, 0, 0), axis="z")
    if turned_by == "torque":
        model.torque("T", point, (1, 0, 0))
    else:
        model.spring("T", model.ground.frame((0.5, 1, 0)), point.frame((0, 0.1, 0.1)), k=10, length=0.5)
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


def test_all_open_joints_are_listed_with_their_gaps():
    with pytest.raises(vc.AssemblyError) as caught:
        vc.assemble(four_bar_with_a_short_coupler())
    text = str(caught.value)
    assert all(f"revolute '{name}' (" in text for name in "OABC")
    assert "Also open: " in text and text.count(" by ") == 3 and "m or rad" in text


def test_of_many_open_joints_five_are_listed():
    """Seven bars of 0.1 m cannot reach across 3 m: eight joints share the gap."""
    model = vc.Model("chain")
    ends = [(0.1 * k, 0) for k in range(8)]
    bars = [rod(model, f"bar{k}", ends[k], ends[k + 1]) for k in range(7)]
    for k, (a, b) in enumerate(zip([model.ground, *bars], bars, strict=False)):
        model.revolute(f"P{k}", a, b, at=(*ends[k], 0), axis="z")
    model.revolute("P7", bars[-1].frame((0.7, 0, 0)), model.ground.frame((3, 0, 0)))
    with pytest.raises(vc.AssemblyError, match="(?s)Largest open joint: revolute 'P.*Also.*; and 3 more") as caught:
        vc.assemble(model)
    assert str(caught.value).count("revolute 'P") == 5


def test_what_is_kept_is_named_if_it_is_in_the_way():
    model = parallelogram(1.0)
    with pytest.raises(vc.AssemblyError, match="(?s)cannot be closed.*foot0.angle = 0.5.*Kept where they are: bar1.*"
                                               "keep less"):
        vc.assemble(model, {"foot0.angle": 0.5}, keep="bar1")


@pytest.mark.parametrize(("keep", "phrases"), [
    ("bar", "no body or measure called 'bar'.*Bodies: coupler, bar0, bar1.*Measures: foot0.angle.*Did you mean 'bar"),
    (["foot0.angel"], "no body or measure called 'foot0.angel'.*Did you mean 'foot0.angle'"),
    ("ground", "no body or measure called 'ground'"),
    (3, "keep is 3; names of bodies or measures"),
    ([1.0], "keep is .1.0.; names"),
    ({"bar0": 1}, "keep is {'bar0': 1}; names"),
    (None, "keep is None; names"),
])
def test_what_is_kept_must_exist(keep, phrases):
    for verb in (vc.assemble, branches):
        with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
            verb(parallelogram(1.0), keep=keep)


@pytest.mark.parametrize(("wishes", "phrases"), [
    ({"foot0.angel": 1.0}, "no measure called 'foot0.angel'.*Did you mean 'foot0.angle'"),
    ({"foot0.angle": float("nan")}, "the wish for foot0.angle is nan"),
    ({"foot0.angle": (0.3, float("inf"))}, "the wish for foot0.angle: its weight is inf"),
    ({"foot0.angle": (0.3, 0.0)}, "its weight is 0; it must be positive.*Leave the wish out"),
    ({"foot0.angle": (0.3, -2)}, "its weight is -2; it must be positive"),
    ({"foot0.angle": (0.3, 1, 2)}, "the wish for foot0.angle is .0.3, 1, 2."),
    ({"foot0.angle.rate": "fast"}, "the wish for foot0.angle.rate is 'fast'"),
    ({3: 1.0}, "no measure called 3"),
    ([1], "wishes is .1.; a dictionary"),
])
def test_wishes_must_exist_and_be_finite(wishes, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        vc.assemble(parallelogram(1.0), wishes=wishes)


@pytest.mark.parametrize(("demands", "phrases"), [
    ({"given": {"foot0.angle": 0.1}, "keep": "foot0.angle"}, "given and kept"),
    ({"given": {"foot0.angle": 0.1}, "wishes": {"foot0.angle": 0.2}}, "given and wished for"),
    ({"keep": ["bar0", "foot0.angle"], "wishes": {"foot0.angle": 0.2}}, "kept and wished for"),
])
def test_a_measure_that_is_asked_for_twice(demands, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s)'foot0.angle' is {phrases}.*contradict.*one of given=, keep="):
        vc.assemble(parallelogram(1.0), **demands)


def test_branches_need_all_freedoms_given():
    with pytest.raises(vc.ModelError, match="(?s)1 degree of freedom is left.*given=.*foot0.angle, head0.angle"):
        branches(parallelogram(1.0), count=3)


@pytest.mark.parametrize(("numbers", "phrases"), [
    ({"count": 0}, "count is 0; a whole number of at least 1"), ({"tries": 2.5}, "tries is 2.5; a whole"),
    ({"seed": -1}, "seed is -1; a whole number of at least 0"), ({"count": True}, "count is True"),
    ({"given": {"foot0.angel": 1.0}}, "branches.*no measure called 'foot0.angel'.*Did you mean"),
    ({"given": {"foot0.angle": float("nan")}}, "branches.*foot0.angle is nan"),
    ({"guess": 3}, "branches.*guess is 3"), ({"t": "now"}, "branches.*t is 'now'"),
])
def test_numbers_of_branches_are_checked(numbers, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        branches(parallelogram(1.0), **numbers)


def test_branches_of_what_cannot_close_say_so():
    with pytest.raises(vc.AssemblyError, match="(?s)cannot be closed.*Also open"):
        branches(four_bar_with_a_short_coupler(), {"O.angle": 0.0}, tries=4)
