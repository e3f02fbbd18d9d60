"""What must hold for every joint of the catalogue."""

import numpy as np
import pytest

import vincolo as vc
from dense import dense, kernel_rows, speeds
from mechanisms import NUMBERS, Plan, Tie, World, build, cross_axes, join, link, moved_state, rotation
from vincolo.equations.joints import JOINTS

JOINT = pytest.mark.parametrize("kind", JOINTS)
COUNTED = ("gear", "bevel_gear")  # of angles counted over turns, which definitions know only up to a turn
BETWEEN = pytest.mark.parametrize("first", ["ground", "a"])


def plan_of(kind, rng, first="a"):
    """Two moving bodies, one joint, one force off the centre of mass, drawn anyhow."""
    axis, axis2 = cross_axes(rng)
    ties = (Tie("J", kind, first, "b", rng.normal(size=3), axis, axis2),)
    push = ("push", "b", rng.normal(size=3), rng.normal(size=3))
    return Plan((link(rng, "a"), link(rng, "b")), ties, pushes=(push,))


def scattered(system, rng):
    """A random assembled state far from the drawn one."""
    return vc.assemble(system, guess=moved_state(system.drawn, rng, size=0.3))


@BETWEEN
@JOINT
def test_rank_leaves_the_promised_freedom_at_random_positions(kind, first, rng):
    for _ in range(3):
        model = build(plan_of(kind, rng, first))
        state = scattered(vc.compile(model), rng)
        J = kernel_rows(state)["J"]
        assert np.linalg.matrix_rank(J, tol=1e-9) == len(J) == 6 - JOINTS[kind].freedom
        assert vc.mobility(state).dof == 6 + JOINTS[kind].freedom
        assert np.abs(kernel_rows(state)["phi"]).max() < 1e-9
        if kind not in COUNTED:
            assert np.abs(dense(model, state).phi).max() < 1e-9


@BETWEEN
@JOINT
def test_reactions_do_no_work(kind, first, rng):
    state = scattered(vc.compile(build(plan_of(kind, rng, first))), rng)
    r = state.channels.reaction("J")
    joint = state.system.joints["J"]
    a, b = (state.channels.frame_motion(f) for f in (joint.a, joint.b))
    power = (r.force * b.velocity + r.torque * b.angular_velocity
             + r.force_on_first * a.velocity + r.torque_on_first * a.angular_velocity).sum()
    size = np.abs(r.force).max() + np.abs(r.torque).max() + np.abs(r.force_on_first).max()
    assert size > 1e-3  # something is carried at all
    assert abs(power) < 1e-10 * size


@JOINT
def test_the_two_sides_of_a_joint_carry_the_same_force_and_balance(kind, rng):
    state = scattered(vc.compile(build(plan_of(kind, rng))), rng)
    r = state.channels.reaction("J")
    joint = state.system.joints["J"]
    p_a, p_b = (state.channels.point(f)[0] for f in (joint.a, joint.b))
    assert r.force[0] == pytest.approx(-r.force_on_first[0], abs=1e-11)
    moment = r.torque[0] + r.torque_on_first[0] + np.cross(p_b - p_a, r.force[0])
    assert moment == pytest.approx(np.zeros(3), abs=1e-10)


@JOINT
def test_accelerations_are_those_of_the_dense_equations(kind, rng):
    model = build(plan_of(kind, rng))
    state = scattered(vc.compile(model), rng)
    exact = dense(model, state)
    assert state.channels.observed["acceleration"][0].ravel() == pytest.approx(exact.accelerations(), abs=1e-9)
    assert state.channels.observed["lam"][0] == pytest.approx(exact.reactions(), abs=1e-9)


@JOINT
def test_a_rigid_motion_of_the_whole_turns_everything_along(kind, rng):
    plan, world = plan_of(kind, rng), World(rotation(rng), rng.normal(size=3))
    here, there = (vc.assemble(build(plan, w)) for w in (World(), world))
    before, after = (s.channels.observed["acceleration"][0].reshape(-1, 3) for s in (here, there))
    assert after == pytest.approx(before @ world.Q.T, abs=1e-9)
    r, moved = here.channels.reaction("J"), there.channels.reaction("J")
    assert moved.force[0] == pytest.approx(world.Q @ r.force[0], abs=1e-9)
    assert moved.torque[0] == pytest.approx(world.Q @ r.torque[0], abs=1e-9)
    for name in JOINTS[kind].coordinates:
        assert there[f"J.{name}"] == pytest.approx(here[f"J.{name}"], abs=1e-10)


@JOINT
def test_frames_given_explicitly_are_the_world_point_and_axis(kind, rng):
    drawn = plan_of(kind, rng)
    by_point = build(drawn)
    by_frames = build(Plan(drawn.links, pushes=drawn.pushes))
    a, b = by_point.joints["J"].a, by_point.joints["J"].b
    again = [by_frames.bodies[f.body.name].frame(local=f.point, z=f.axes[:, 2], x=f.axes[:, 0]) for f in (a, b)]
    if kind == "distance":
        by_frames.distance("J", *again)
    else:
        getattr(by_frames, kind)("J", *again, **NUMBERS.get(kind, {}))
    one, two = (vc.assemble(m).channels.observed["acceleration"] for m in (by_point, by_frames))
    assert one == pytest.approx(two, abs=1e-10)


# the line or plane belongs to the first body, or the numbers to their bodies
ONE_SIDED = ("guide", "point_on_plane", "slot", "spherical_revolute", "gear", "bevel_gear", "rack_and_pinion")


@pytest.mark.parametrize("kind", [k for k in JOINTS if k not in ONE_SIDED])
def test_the_joint_given_from_the_other_side_moves_alike(kind, rng):
    plan = plan_of(kind, rng)
    one, two = (vc.assemble(build(plan, swap=s)) for s in (False, True))
    assert speeds(one) == pytest.approx(speeds(two), abs=1e-9)
    accelerations = [s.channels.observed["acceleration"] for s in (one, two)]
    assert accelerations[0] == pytest.approx(accelerations[1], abs=1e-8)


@pytest.mark.parametrize("kind", [k for k in JOINTS if JOINTS[k].coordinates and k not in ("distance", "screw")])
def test_coordinates_are_zero_as_drawn_and_can_be_given(kind, rng):
    system = vc.compile(build(plan_of(kind, rng)))
    drawn = {f"J.{name}": vc.assemble(system)[f"J.{name}"] for name in JOINTS[kind].coordinates}
    zero = np.zeros(len(drawn))
    assert list(drawn.values()) == pytest.approx(zero, abs=1e-12)
    given = {**{name: 0.3 + 0.1 * k for k, name in enumerate(drawn)}, **{f"{name}.rate": -0.7 for name in drawn}}
    state = vc.assemble(system, given)
    assert {name: state[name] for name in given} == pytest.approx(given, abs=1e-9)


def test_join_knows_every_joint_of_the_catalogue(rng):
    model = build(Plan((link(rng, "a"), link(rng, "b"))))
    axis, axis2 = cross_axes(rng)
    for kind in JOINTS:
        joint = join(model, kind, kind, model.bodies["a"], model.bodies["b"], at=(0, 0, 1), axis=axis, axis2=axis2)
        assert joint.kind == kind
