"""Assembly: what is not asked for stays, singular starts are no end, wishes are met or named, and a point that is
dragged ends as near as it can come."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize

import vincolo as vc
from linkages import parallelogram

#: joints by their coordinates, each between a body a and a body b that stands 1 m along x
JOINTS = {
    "revolute": (lambda m, a, b, p: m.revolute("K", a, b, at=p, axis=(0.2, 0.5, 1)), {"angle": 0.7}),
    "cylindrical": (lambda m, a, b, p: m.cylindrical("K", a, b, at=p, axis=(1, 0.5, 0)), {"angle": 0.4, "travel": 0.3}),
    "prismatic": (lambda m, a, b, p: m.prismatic("K", a, b, at=p, axis=(1, 1, 0)), {"travel": -0.4}),
    "universal": (lambda m, a, b, p: m.universal("K", a, b, p, "y", "z"), {"angle1": 0.3, "angle2": -0.5}),
    "planar": (lambda m, a, b, p: m.planar("K", a, b, at=p, axis="z"), {"x": 0.2, "y": 0.1, "angle": 0.6}),
    "slot": (lambda m, a, b, p: m.slot("K", a, b, at=p, axis="z", along="x"), {"travel": 0.3, "angle": 0.4}),
    "screw": (lambda m, a, b, p: m.screw("K", a, b, at=p, axis="x", pitch=0.1), {"angle": 0.9}),
    "oldham": (lambda m, a, b, p: m.oldham("K", a, b, at=p, axis="x"), {"x": 0.1, "y": -0.2}),
}


def chain(kind: str) -> vc.Model:
    """A foot, an arm, the joint that is tried, and a hand whose mass is far off its hinge."""
    m = vc.Model("chain", gravity=(0, 0, 0))
    foot, arm = m.body("foot", 3.0, 0.2, at=(0.5, 0.3, 0)), m.body("arm", 1.0, (0.1, 0.2, 0.3), at=(1.5, 0, 0.2))
    hand, finger = m.body("hand", 2.0, 0.1, at=(2.5, 0.4, 0)), m.body("finger", 0.5, 0.01, at=(3.5, -0.3, 0.1))
    m.revolute("A", m.ground, foot, at=(0, 0, 0), axis="z")
    m.prismatic("B", foot, arm, at=(1, 0, 0), axis=(1, 0, 1))
    JOINTS[kind][0](m, arm, hand, (2, 0, 0))
    m.cylindrical("C", hand, finger, at=(3, 0, 0), axis=(0, 1, 1))
    return m


def coordinates(state: vc.State) -> dict[str, float]:
    return {m.name: state[m.name] for joint in state.system.joints.values() for m in joint.coordinates.values()}


@pytest.mark.parametrize("kind", JOINTS)
@pytest.mark.parametrize("how", ["given", "wishes", "drive"])
def test_coordinates_that_nobody_asked_for_stay_in_a_tree(kind, how):
    model, values = chain(kind), JOINTS[kind][1]
    guess = {"A.angle": 0.2, "B.travel": 0.1, "C.angle": -0.6, "C.travel": 0.05}
    asked = {f"K.{name}": value for name, value in values.items()}
    if how == "drive":
        for name, value in asked.items():
            model.drive(name, value)
    system = vc.compile(model)
    if how == "drive":
        state = vc.assemble(system)
        expected = dict.fromkeys(guess, 0.0)
    else:
        before = vc.assemble(system, guess)
        state = vc.assemble(system, **{how: asked}, guess=before)
        expected = guess
    found = coordinates(state)
    for name, value in {**expected, **asked}.items():
        assert found[name] == pytest.approx(value, abs=1e-8), name
    assert all(name.startswith("K.") for name in state.assembly.moved)  # a screw's travel follows its angle


def test_what_a_loop_must_move_is_told_and_what_hangs_on_it_stays():
    """A parallelogram whose crank is turned: its other joints follow, a pendulum on its coupler keeps its angle."""
    model = parallelogram(1.0)
    coupler = next(b for b in model.bodies.values() if b.name not in ("crank0", "crank1"))
    bob = model.body("bob", 5.0, 0.1, at=coupler.at + np.array([0.3, -0.7, 0]))
    model.revolute("hang", coupler, bob, at=coupler.at, axis="z")
    state = vc.assemble(model, {"foot0.angle": 0.5})
    assert state["hang.angle"] == pytest.approx(0.0, abs=1e-8)
    assert state["foot1.angle"] == pytest.approx(0.5, abs=1e-9)
    moved = state.assembly.moved
    assert "hang.angle" not in moved and "foot0.angle" not in moved
    assert moved["foot1.angle"] == pytest.approx((0.0, 0.5), abs=1e-9)
    assert set(state.assembly.bodies) == set(model.bodies)
    assert "foot1.angle went from 0 to 0.5" in str(state.assembly)


def arm(n: int, axes: str = "z", bent: float = 0.0) -> vc.Model:
    """Bars of 1 m along x, straight or bent by an angle at each hinge; measures tx, ty, tz of the tip."""
    m, before, at, turn = vc.Model("arm", gravity=(0, 0, 0)), None, np.zeros(3), 0.0
    for k in range(n):
        turn += bent
        along = np.array([np.cos(turn), np.sin(turn), 0.0])
        bar = m.body(f"bar{k}", 1.0, (0.01, 0.09, 0.09), at=at + 0.5 * along)
        m.revolute(f"j{k}", before or m.ground, bar, at=at, axis=axes[k % len(axes)])
        before, at = bar, at + along
    tip = m.frame("tip", before, at)
    for axis in "xyz":
        m.measure(f"t{axis}", vc.along(axis, m.ground.frame((0, 0, 0)), tip))
    return m


def tip(state: vc.State) -> np.ndarray:
    return state.channels.point(state.system.frames["tip"])[0]


TARGETS = [(1.5, 0.0), (-1.2, 0.0), (1.0, 1.0), (2.9, 0.0), (0.0, 2.0)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("how", ["given", "wishes"])
def test_a_straight_arm_reaches_what_is_within_its_reach(target, how):
    """Straight, its tip cannot begin to move inwards: a singular start."""
    x, y = target
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state = vc.assemble(arm(3), **{how: {"tx": x, "ty": y}})
    assert tip(state)[:2] == pytest.approx(target, abs=1e-8)
    assert state["residual.position"] < 1e-9


@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_wish_on_one_coordinate_of_a_straight_arm_is_met(n):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert vc.assemble(arm(n), wishes={"tx": 0.6 * n})["tx"] == pytest.approx(0.6 * n, abs=1e-8)


def test_a_driven_straight_arm_is_folded():
    model = arm(2)
    for axis, value in (("tx", 1.2), ("ty", 0.0)):
        model.drive(axis, value)
    assert tip(vc.assemble(model))[:2] == pytest.approx((1.2, 0.0), abs=1e-9)


def test_wishes_that_are_not_met_are_named_with_what_is_reached():
    with pytest.warns(vc.AssemblyWarning, match="tx should be 4, but only 3 is possible"):
        state = vc.assemble(arm(3), wishes={"tx": 4.0, "ty": 0.0})
    assert [name for name, _, _ in state.assembly.unmet] == ["tx"]
    assert "tx should be 4, but only 3 is possible" in str(state.assembly)


def test_a_target_out_of_reach_is_refused_after_other_starts_were_tried():
    with pytest.raises(vc.AssemblyError, match="(?s)nor from 8 positions around it.*Asked for: tx = 3.2"):
        vc.assemble(arm(3), {"tx": 3.2})


# dragging

PLACES = [(1.5, 0, 0), (5, 5, 0), (-5, 0.01, 0), (0.2, 0.1, 0), (1, 2, 3), (0, 0, 1), (2.2, -0.7, -0.5), (-5, 0, 0)]


@pytest.mark.parametrize("target", PLACES)
@pytest.mark.parametrize("bent", [0.0, 0.4])
def test_a_dragged_arm_ends_at_the_nearest_point_of_its_disc(target, bent):
    """Three bars of 1 m in a plane reach every point of a disc of 3 m, so the nearest point is known."""
    state = vc.assemble(vc.compile(arm(3, bent=bent)))
    x, y, z = target
    nearest = np.array([x, y, 0]) * min(1.0, 3.0 / max(np.hypot(x, y), 1e-9))
    found = vc.drag(state, "tip", target)
    assert tip(found) == pytest.approx(nearest, abs=1e-5)
    assert np.linalg.norm(tip(found) - target) == pytest.approx(np.linalg.norm(nearest - target), abs=1e-9)
    assert found["residual.position"] < 1e-9


def turned(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis / np.linalg.norm(axis)
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * across + (1 - np.cos(angle)) * across @ across


def reach_in_space(angles: np.ndarray) -> np.ndarray:
    """The tip of arm(len(angles), "zyz"), by products of rotations."""
    R, p = np.eye(3), np.zeros(3)
    for k, angle in enumerate(angles):
        R = R @ turned(np.eye(3)["xyz".index("zyz"[k % 3])], angle)
        p = p + R[:, 0]
    return p


@pytest.mark.parametrize("target", [(4, 3, 2), (1, -1, 1), (0.5, 0.5, -4), (-3, 2, 0.1)])
def test_a_dragged_arm_in_space_ends_where_an_independent_search_does(target):
    """Compared with scipy's minimum over the three angles, the best of many starts."""
    state = vc.assemble(vc.compile(arm(3, "zyz")), {"j0.angle": 0.3, "j1.angle": -0.4, "j2.angle": 0.5})
    found = vc.drag(state, "tip", target)
    angles = np.array([found[f"j{k}.angle"] for k in range(3)])
    assert reach_in_space(angles) == pytest.approx(tip(found), abs=1e-9)  # the same arm
    rng = np.random.default_rng(2)
    best = min((minimize(lambda q: float(np.sum((reach_in_space(q) - target) ** 2)), rng.uniform(-3, 3, 3), tol=1e-14)
                for _ in range(12)), key=lambda r: r.fun)
    assert np.linalg.norm(tip(found) - target) == pytest.approx(np.sqrt(best.fun), abs=1e-7)


@pytest.mark.parametrize("target", [(0.3, 1.5), (2.0, 0.6), (0.8, 0.1), (-1.0, 0.2)])
def test_a_point_of_a_closed_loop_ends_at_the_nearest_place_of_its_path(target):
    """The coupler of a parallelogram moves on a circle; the nearest point of a circle is known."""
    model = parallelogram(1.0)
    coupler = next(b for b in model.bodies.values() if b.name not in ("crank0", "crank1"))
    model.frame("tip", coupler, coupler.at)
    system = vc.compile(model)
    state = vc.assemble(system)
    crank = system.joints["foot0"]
    a, b = (state.channels.point(f)[0] for f in (crank.a, [j for j in system.joints.values() if j.b.body is coupler or
                                                          j.a.body is coupler][0].a))
    radius, centre = np.linalg.norm(b - a), tip(state) - (b - a)  # the coupler is only displaced
    away = np.array([*target, 0.0]) - centre
    nearest = centre + radius * away / np.linalg.norm(away)
    assert tip(vc.drag(state, "tip", (*target, 0.0))) == pytest.approx(nearest, abs=1e-5)


# drives

def four_bar(angle: float) -> vc.Model:
    """A rocker whose reach the drive of the other rocker exceeds."""
    m = vc.Model("four-bar", gravity=(0, 0, 0))
    P = [np.array(p, dtype=float) for p in ((0, 0, 0), (0, 1, 0), (0.8, 1.1, 0), (1.6, 0, 0))]
    bars = [m.body(f"bar{k}", 1.0, 0.1, at=0.5 * (P[k] + P[k + 1])) for k in range(3)]
    for k, (a, b) in enumerate(zip([m.ground, *bars], [*bars, m.ground], strict=True)):
        m.revolute(f"h{k}", a, b, at=P[k], axis="z")
    m.drive("h0.angle", angle, name="motor")
    return m


@pytest.mark.parametrize("angle", [1.4, 1.7])
def test_a_drive_that_cannot_be_closed_is_named_with_its_value(angle):
    """It moves its one freedom well, only not that far."""
    for analysis in (vc.assemble, lambda m: vc.simulate(m, 1.0), lambda m: vc.kinematics(m, 1.0)):
        with pytest.raises(vc.AssemblyError, match="(?s)cannot be closed.*Driven at t = 0 s: motor = ") as caught:
            analysis(four_bar(angle))
        assert "independent freedom" not in str(caught.value)


def test_drives_that_fight_are_still_told_so():
    model = four_bar(0.1)
    model.drive("h3.angle", 0.7, name="brake")
    with pytest.raises(vc.ModelError, match="2 drives move only 1 independent freedom.*'brake'.*'motor'"):
        vc.assemble(model)
