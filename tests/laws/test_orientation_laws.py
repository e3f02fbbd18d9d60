"""Joints close in the orientation they are drawn in: no random pose of a body ends closed and turned."""

import numpy as np
import pytest

import vincolo as vc
from mechanisms import build, rotation
from vincolo.equations.joints import JOINTS
from vincolo.model.geometry import quaternion_of

from test_joint_laws import plan_of  # isort: skip

WELDED = ("fixed", "orientation", "prismatic", "oldham")  # all axes of both frames are held
HINGED = ("revolute", "cylindrical", "planar", "slot", "parallel", "screw")  # their z axes are
KINDS = [*JOINTS]


def axes(state, frame):
    """World axes of a frame, as columns."""
    if frame.body.is_ground:
        return frame.axes
    motion = [state[f"{frame.body.name}.{q}"] for q in ("e0", "e1", "e2", "e3")]
    e0, e = motion[0], np.array(motion[1:])
    across = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return (np.eye(3) + 2 * e0 * across + 2 * across @ across) @ frame.axes


def relative(state, joint):
    return axes(state, joint.a).T @ axes(state, joint.b)


def posed(system, rng):
    """The drawn state with every body anywhere."""
    y = system.drawn.y.copy()
    for k in range(len(system.centred)):
        y[13 * k: 13 * k + 3] += rng.normal(size=3)
        y[13 * k + 3: 13 * k + 7] = quaternion_of(rotation(rng))
    return vc.State(system, 0.0, y, system.drawn.turns)


def turned(kind, C, D):
    """Whether a relative rotation C is another than the drawn one D in what the joint holds."""
    if kind in WELDED:
        return np.abs(C - D).max() > 1e-6
    if kind in HINGED:
        return abs(C[2, 2] - D[2, 2]) > 1e-6
    return kind == "constant_velocity" and C[0, 0] + C[1, 1] < -1e-6


def turned_after_assembly(kind, rng):
    system = vc.compile(build(plan_of(kind, rng)))
    drawn, joint = vc.assemble(system), system.joints["J"]
    try:
        state = vc.assemble(system, guess=posed(system, rng))
    except vc.AssemblyError as error:
        assert "turned" in str(error) or "cannot be closed" in str(error)
        return None
    assert state["residual.position"] < 1e-8
    return turned(kind, relative(state, joint), relative(drawn, joint))


@pytest.mark.parametrize("kind", KINDS)
def test_no_random_pose_ends_closed_and_turned(kind):
    found = [turned_after_assembly(kind, np.random.default_rng([5, k])) for k in range(12)]
    assert not any(found) and (found.count(None) == 0 or kind not in WELDED + HINGED)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_none_of_many_random_poses_ends_closed_and_turned(kind):
    """Ten thousand over all kinds."""
    count = 10_000 // len(KINDS) + 1
    found = [turned_after_assembly(kind, np.random.default_rng([6, k])) for k in range(count)]
    assert not any(found) and (found.count(None) == 0 or kind not in WELDED + HINGED)


@pytest.mark.parametrize("kind", ["fixed", "revolute", "prismatic", "planar"])
def test_a_body_is_joined_to_a_frame_of_any_direction(kind):
    """Frames are given: all held axes coincide, a single one points the way in which it is drawn nearer."""
    for k in range(40):
        rng = np.random.default_rng([7, k])
        model = vc.Model("joined")
        body = model.body("body", 1.0, (0.1, 0.2, 0.25), at=rng.normal(size=3))
        R, S = rotation(rng), rotation(rng)
        joint = getattr(model, kind)("J", model.ground.frame(rng.normal(size=3), z=R[:, 2], x=R[:, 0]),
                                     body.frame(local=0.3 * rng.normal(size=3), z=S[:, 2], x=S[:, 0]))
        C = relative(vc.assemble(model), joint)
        assert not turned(kind, C, np.eye(3) if kind in WELDED else np.eye(3) * np.sign(R[:, 2] @ S[:, 2]))


def arm():
    """Six hinges with the lengths of a UR5, the hand free."""
    m = vc.Model("arm", gravity=(0, 0, -9.81))
    points = [(0, 0, 0), (0, 0.136, 0.089), (0.425, 0.136, 0.089), (0.817, 0.109, 0.089), (0.817, 0.109, -0.006),
              (0.817, 0.191, -0.006)]
    before = m.ground
    for k, (point, axis) in enumerate(zip(points, ("z", "y", "y", "y", (0, 0, -1), "y"), strict=True)):
        link = m.body(f"link{k}", 1.0, 0.05, at=np.add(point, (0.02, 0.03, 0.01)))
        m.revolute(f"q{k}", before, link, at=point, axis=axis)
        before = link
    return m


def test_an_arm_posed_by_a_weld_has_all_its_branches_unturned():
    model = arm()
    angles = {f"q{k}.angle": x for k, x in enumerate((0.4, -1.0, 1.3, -0.7, 0.9, 0.3))}
    hand = vc.assemble(model, angles)
    R = axes(hand, model.bodies["link5"].frame(local=(0, 0, 0)))
    p = [hand[f"link5.{x}"] for x in "xyz"]
    place = model.ground.frame(p, z=R[:, 2], x=R[:, 0])
    weld = model.fixed("pose", place, model.bodies["link5"].frame(local=(0, 0, 0)))
    found = vc.branches(model, count=8, tries=200)
    assert len(found) == 8
    for state in [*found, vc.assemble(model)]:
        assert np.abs(relative(state, weld) - np.eye(3)).max() < 1e-8
        assert [state[f"link5.{x}"] for x in "xyz"] == pytest.approx(p, abs=1e-8)


def test_a_mechanism_that_closes_only_turned_is_refused_by_name():
    """Two welds of one body to frames that are half a turn apart."""
    model = vc.Model("twisted")
    body = model.body("body", 1.0, 0.1)
    model.fixed("one", model.ground.frame((0, 0, 0)), body.frame(local=(0, 0, 0)))
    model.fixed("other", model.ground.frame((0, 0, 0), z=(0, 0.6, -0.8), x="x"),
                body.frame(local=(0, 0, 0), z=(0, 0.6, 0.8), x="x"))
    with pytest.raises(vc.AssemblyError, match="cannot be closed|turned around"):
        vc.assemble(model)
