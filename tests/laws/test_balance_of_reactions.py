"""What outputs say of forces: closed forms of long chains and far slides, and Newton and Euler for every body, in every
analysis, at every size."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import vincolo as vc
from balance import imbalance
from dense import dense
from mechanisms import build, plans

G = 9.81
COUNTS = [1, 2, 10, 60, 100, 200]
BLOCK = 0.1  # m
PLANS = plans()


def cantilever(count, *, swap=False, root="fixed", length=BLOCK, mass=1.0):
    """Blocks welded to each other and to the wall at the origin, along x, weight along -z."""
    model = vc.Model("cantilever", gravity=(0, 0, -G))
    before = model.ground
    for k in range(count):
        block = model.body(f"block{k}", vc.box((length, 0.5 * length, 0.5 * length), mass=mass),
                           at=((k + 0.5) * length, 0, 0))
        first, second = (block, before) if swap else (before, block)
        if k == 0 and root == "revolute":
            model.revolute("weld0", first, second, at=(0, 0, 0), axis="y")
            model.drive("weld0.angle", 0.0, name="motor")
        else:
            model.fixed(f"weld{k}", first, second, at=(k * length, 0, 0))
        before = block
    return model


def carried(count, k, length=BLOCK, mass=1.0):
    """Force along z and moment about y that weld k takes: the weight of all behind it."""
    behind = (count - k) * mass * G
    return behind, -behind * (count - k) * length / 2


@cache
def dynamics(count, swap):
    return vc.simulate(cantilever(count, swap=swap), 0.01, outputs=2)


def taken(reaction, swap):
    """Force and moment on the outer block, whichever body of the joint it is."""
    return (reaction.force_on_first, reaction.torque_on_first) if swap else (reaction.force, reaction.torque)


@pytest.mark.parametrize("swap", [False, True], ids=["wall first", "block first"])
@pytest.mark.parametrize("count", COUNTS)
def test_every_weld_of_a_cantilever_carries_what_is_behind_it(count, swap):
    result = dynamics(count, swap)
    whole, moment = carried(count, 0)
    for k in {0, count // 2, count - 1}:
        reaction = result.reaction(f"weld{k}")
        force, torque = taken(reaction, swap)
        vertical, bending = carried(count, k)
        assert reaction.unique
        assert force == pytest.approx(np.tile([0, 0, vertical], (len(result), 1)), abs=1e-9 * whole)
        assert torque == pytest.approx(np.tile([0, bending, 0], (len(result), 1)), abs=1e-9 * abs(moment))


@pytest.mark.parametrize("count", [10, 60, 100, pytest.param(200, marks=pytest.mark.slow)])
def test_a_cantilever_is_held_alike_in_statics(count):
    reaction = vc.statics(cantilever(count)).reaction("weld0")
    vertical, bending = carried(count, 0)
    assert np.ravel(reaction.force) == pytest.approx([0, 0, vertical], abs=1e-9 * vertical)
    assert np.ravel(reaction.torque) == pytest.approx([0, bending, 0], abs=1e-9 * abs(bending))


@pytest.mark.parametrize("formulation", [vc.Lagrange(), vc.NullSpace()], ids=str)
def test_a_cantilever_is_held_alike_by_every_formulation(formulation):
    result = vc.simulate(cantilever(60), 0.002, outputs=1, formulation=formulation,
                         integrator=vc.RK4(step=1e-3))
    vertical, bending = carried(60, 0)
    assert result.reaction("weld0").force[-1] == pytest.approx([0, 0, vertical], abs=1e-8 * vertical)
    assert result.reaction("weld0").torque[-1] == pytest.approx([0, bending, 0], abs=1e-8 * abs(bending))


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("count", COUNTS)
def test_a_drive_that_holds_an_arm_up_says_so(count, swap):
    """The moment of the motor is about y; its sign follows the order of the bodies, as the angle's does."""
    result = vc.simulate(cantilever(count, root="revolute", swap=swap), 0.01, outputs=2)
    _, bending = carried(count, 0)
    about = result.reaction("weld0").axes[0][:, 2] @ [0, 1, 0]
    assert result["motor.force"] == pytest.approx(np.full(3, (-1 if swap else 1) * about * bending),
                                                  abs=1e-9 * abs(bending))


@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("length", [1e-6, 1e-3, 1e2, 1e4])
def test_a_cantilever_of_any_size_is_in_balance(length, mass):
    count = 30
    result = vc.simulate(cantilever(count, length=length, mass=mass), 0.01 * np.sqrt(length / G), outputs=2)
    vertical, bending = carried(count, 0, length, mass)
    assert result.reaction("weld0").force[-1] == pytest.approx([0, 0, vertical], abs=1e-9 * vertical)
    assert result.reaction("weld0").torque[-1] == pytest.approx([0, bending, 0], abs=1e-9 * abs(bending))
    for k in range(len(result)):
        assert max(imbalance(result, k)) < 1e-9


@pytest.mark.parametrize("inertia", [0.1, 1e-3])
@pytest.mark.parametrize("distance", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("swap", [False, True], ids=["ground first", "body first"])
@pytest.mark.parametrize("kind", ["prismatic", "cylindrical"])
def test_a_slide_far_out_carries_the_weight(kind, swap, distance, inertia):
    """Drawn at the origin, where its frames are, and slid far along x: on the body at its own frame only m g."""
    model = vc.Model("far", gravity=(0, 0, -G))
    body = model.body("body", 1.0, inertia)
    first, second = (body, model.ground) if swap else (model.ground, body)
    getattr(model, kind)("slide", first, second, at=(0, 0, 0), axis="x")
    system = vc.compile(model)
    start = vc.assemble(system, {"slide.travel": -distance if swap else distance})
    result = vc.simulate(system, 0.1, start=start, outputs=2)
    reaction = result.reaction("slide")
    force, torque = taken(reaction, swap)
    assert reaction.unique
    assert result["body.x"] == pytest.approx(np.full(3, distance), rel=1e-9)
    assert force == pytest.approx(np.tile([0, 0, G], (3, 1)), abs=1e-8)
    assert torque == pytest.approx(np.zeros((3, 3)), abs=1e-8 * G * distance)
    ground = reaction.torque if swap else reaction.torque_on_first
    assert ground == pytest.approx(np.tile([0, G * distance, 0], (3, 1)), abs=1e-8 * G * distance)


@pytest.mark.parametrize("distance", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("swap", [False, True], ids=["ground first", "body first"])
@pytest.mark.parametrize("kind", ["prismatic", "cylindrical", "revolute", "fixed"])
def test_a_joint_far_from_its_body_carries_its_weight(kind, swap, distance):
    """The joint's point is at the origin, the body far away along the axis: force m g, moment m g d at the joint."""
    model = vc.Model("far", gravity=(0, 0, -G))
    body = model.body("body", 1.0, 0.1, at=(distance, 0, 0))
    axis = {} if kind == "fixed" else {"axis": "x"}
    first, second = (body, model.ground) if swap else (model.ground, body)
    getattr(model, kind)("joint", first, second, at=(0, 0, 0), **axis)
    result = vc.simulate(model, 0.1, outputs=2)
    force, torque = taken(result.reaction("joint"), swap)
    assert result.reaction("joint").unique
    assert force == pytest.approx(np.tile([0, 0, G], (3, 1)), abs=1e-8 * G)
    assert torque == pytest.approx(np.tile([0, -G * distance, 0], (3, 1)), abs=1e-8 * G * distance)


# redundant sets: shared by the smallest forces, in a norm that knows neither units nor who is written first


def on(result, body):
    """Force and torque of every joint on a body."""
    found = {}
    for name, joint in result.system.joints.items():
        reaction = result.reaction(name)
        if joint.b.body.name == body:
            found[name] = (reaction.force, reaction.torque)
        elif joint.a.body.name == body:
            found[name] = (reaction.force_on_first, reaction.torque_on_first)
    return found


ALIKE = {"revolute", "spherical", "fixed", "universal", "cylindrical", "prismatic", "orientation", "parallel"}


@pytest.mark.parametrize("name", [n for n, plan in PLANS.items() if {tie.kind for tie in plan.ties} <= ALIKE])
def test_shared_reactions_do_not_depend_on_which_body_is_written_first(name):
    """Of mechanisms whose joints are the same from both sides. Forces are compared of joints whose frames coincide."""
    plan = replace(PLANS[name], drives=(), laws=())  # an angle seen from the other body has the other sign
    one, other = (vc.simulate(build(plan, swap=swap), 0.05, outputs=2) for swap in (False, True))
    even = ("revolute", "spherical", "fixed")
    for body in (link.name for link in plan.links):
        first, second = on(one, body), on(other, body)
        size = max(np.abs(f).max() for pair in first.values() for f in pair)
        for joint in first:
            if one.system.joints[joint].kind in even:
                assert first[joint][0] == pytest.approx(second[joint][0], abs=1e-6 * size), joint
                assert first[joint][1] == pytest.approx(second[joint][1], abs=1e-6 * size), joint


@pytest.mark.parametrize("name", PLANS)
def test_random_plans_are_in_balance(name):
    result = vc.simulate(build(PLANS[name]), 0.2, outputs=4)
    for k in range(len(result)):
        assert max(imbalance(result, k)) < 1e-9


# the choice of rows must not make a position singular that is none


def beside_the_plane():
    """A slider-crank of three hinges about z and a cylindrical joint, centres of mass beside the plane, at 2 rad/s."""
    model = vc.Model("slider-crank", gravity=(0, -G, 0))
    r, length = 0.25, 0.6
    crank = model.body("crank", 1.0, [0.01, 0.02, 0.02], com=(r / 2, 0, 0.1))
    link = model.body("rod", 2.0, [0.02, 0.06, 0.06], at=(r, 0, 0), com=(length / 2, 0, 0.2))
    piston = model.body("piston", 3.0, [0.02, 0.03, 0.03], at=(r + length, 0, 0), com=(0.05, 0, 0.07))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.revolute("A", crank, link, at=(r, 0, 0), axis="z")
    model.revolute("B", link, piston, at=(r + length, 0, 0), axis="z")
    model.cylindrical("C", model.ground, piston, at=(r + length, 0, 0), axis="x")
    model.drive("O.angle", "2*t", name="motor")
    return model


TURN = np.linspace(0, np.pi, 41)  # one turn at 2 rad/s; 90 and 270 degrees are among them


@cache
def turned(analysis):
    model = beside_the_plane()
    return vc.simulate(model, TURN[-1], outputs=TURN) if analysis == "dynamics" else vc.kinematics(model, TURN[-1],
                                                                                                   outputs=TURN)


@pytest.mark.parametrize("analysis", ["dynamics", "kinematics"])
def test_a_slider_crank_with_masses_beside_its_plane_keeps_to_it(analysis):
    """Rod angle phi from r sin th + l sin phi = 0; it never turns out of the plane, at 90 degrees neither."""
    result = turned(analysis)
    th = 2 * result.t
    phi = np.arcsin(-0.25 / 0.6 * np.sin(th))
    rate = -0.25 / 0.6 * np.cos(th) * 2 / np.cos(phi)
    second = (0.25 / 0.6 * np.sin(th) * 4 + np.sin(phi) * rate**2) / np.cos(phi)
    for axis in "xy":
        for body in ("crank", "rod", "piston"):
            assert result[f"{body}.alpha_{axis}"] == pytest.approx(np.zeros(len(th)), abs=1e-6)
    assert result["rod.alpha_z"] == pytest.approx(second, abs=1e-6)
    for k in range(len(result)):
        assert max(imbalance(result, k)) < 1e-9, np.degrees(th[k])


def test_no_dead_centre_is_reported_where_there_is_none():
    assert not turned("kinematics").statistics.get("singular")
    assert not turned("dynamics").statistics.get("singular")


@pytest.mark.parametrize("analysis", ["dynamics", "kinematics"])
def test_forces_in_the_plane_are_those_of_the_dense_equations(analysis):
    """In the plane forces are unique: whatever norm the rest is chosen by, they are those of the pseudoinverse."""
    result = turned(analysis)
    rows = result.system.block_rows["B"]
    for k in range(0, len(result), 5):  # 90, 180, 270 degrees among them
        state = result.state(k)
        lam = dense(result.model, state).reactions()
        J = state.jacobian()[0][rows.start: rows.stop]
        exact = -(lam[rows.start: rows.stop] @ J)[12:14]  # on the piston, x and y
        assert result.reaction("B").force[k, :2] == pytest.approx(exact, abs=1e-7 * max(1.0, np.abs(exact).max()))
