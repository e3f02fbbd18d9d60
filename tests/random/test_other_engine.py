"""Random trees against MuJoCo: the same accelerations of every body, and the same motion."""

from __future__ import annotations

import numpy as np
import pytest
from families import drawn
from sketch import Scale, Sketch

import vincolo as vc
from vincolo.model.geometry import quaternion_of

mujoco = pytest.importorskip("mujoco")

KINDS = ("revolute", "prismatic", "spherical", "cylindrical", "universal", "planar", "fixed")
CASES = [(family, seed) for family in ("chain", "star", "branches") for seed in range(20)]
#: freedoms as MuJoCo has them: type, and which axis of the joint's first frame (of the second, if below zero)
FREEDOMS = {"revolute": [("hinge", 2)], "prismatic": [("slide", 2)], "spherical": [("ball", None)],
            "cylindrical": [("slide", 2), ("hinge", 2)], "universal": [("hinge", 2), ("hinge", -1)],
            "planar": [("slide", 0), ("slide", 1), ("hinge", 2)], "fixed": []}


def plain(family: str, seed: int) -> Sketch:
    """A tree with joints that both know, at 1 m and 1 kg, with weight and loads in world axes only."""
    s = drawn(family, seed, scale=Scale(), kinds=KINDS)
    for group in (s.model.springs, s.model.laws, s.model.holds):
        group.clear()
    s.model.loads = {name: load for name, load in s.model.loads.items() if not load.in_body_axes}
    return s


def text(numbers) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


def mjcf(model: vc.Model) -> str:
    """The tree as MJCF: every body at its drawn place within its parent, its inertia full about its centre."""
    joined = {}  # of each joint the body that is further out: it comes later in the model
    order = ["ground", *model.bodies]
    for joint in model.joints.values():
        child = max((joint.a.body.name, joint.b.body.name), key=order.index)
        joined[child] = joint
    return (f'<mujoco><option gravity="{text(model.gravity)}"><flag contact="disable"/></option>'
            f'<compiler angle="radian" balanceinertia="false" boundmass="0" boundinertia="0"/><worldbody>'
            f"{_children(model, 'ground', joined)}</worldbody></mujoco>")


def _children(model: vc.Model, parent: str, joined: dict) -> str:
    return "".join(_body(model, body, joined) for name, body in model.bodies.items()
                   if _parent(name, joined) == parent)


def _parent(name: str, joined: dict) -> str:
    if name not in joined:
        return "ground"
    bodies = {joined[name].a.body.name, joined[name].b.body.name}
    return (bodies - {name}).pop()


def _body(model: vc.Model, body: vc.Body, joined: dict) -> str:
    parent = _parent(body.name, joined)
    base = model.ground if parent == "ground" else model.bodies[parent]
    at, R = base.orientation.T @ (body.at - base.at), base.orientation.T @ body.orientation
    I = body.inertia  # noqa: E741
    full = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    return (f'<body name="{body.name}" pos="{text(at)}" quat="{text(quaternion_of(R))}">'
            f'<inertial pos="{text(body.com)}" mass="{body.mass!r}" fullinertia="{text(full)}"/>'
            f"{_freedoms(body, joined.get(body.name))}{_children(model, body.name, joined)}</body>")


def _freedoms(body: vc.Body, joint: vc.Joint | None) -> str:
    """The joint's freedoms in the axes of its body: drawn frames coincide, but for the second axis of a cross."""
    if joint is None:
        return "<freejoint/>"
    own, inner = (joint.b, joint.a) if joint.b.body is body else (joint.a, joint.b)
    found = []
    for kind, which in FREEDOMS[joint.kind]:
        axis = "" if which is None else f' axis="{text(body.orientation.T @ _axis(inner, own, which))}"'
        found.append(f'<joint type="{kind}" pos="{text(own.point)}"{axis}/>')
    return "".join(found)


def _axis(inner: vc.Frame, own: vc.Frame, which: int) -> np.ndarray:
    """An axis in world axes as drawn: of the inner frame, or z of the own one."""
    return own.drawn_axes[:, 2] if which < 0 else inner.drawn_axes[:, which]


def both(family: str, seed: int):
    """A system, and the engine's model and data with random speeds and forces of the loads."""
    s = plain(family, seed)
    model = mujoco.MjModel.from_xml_string(mjcf(s.model))
    data = mujoco.MjData(model)
    data.qvel[:] = np.random.default_rng(seed).uniform(-1, 1, model.nv)
    return s, vc.compile(s.model), model, data


def apply_loads(s: Sketch, model, data) -> None:
    """Loads at t = 0 as forces at centres of mass."""
    data.xfrc_applied[:] = 0
    for load in s.model.loads.values():
        body = load.frame.body
        number = model.body(body.name).id
        vector = np.array([f(data.time) for f in load.components])
        arm = data.xmat[number].reshape(3, 3) @ (load.frame.point - body.com)
        wrench = np.concatenate([0 * vector, vector] if load.torque else [vector, np.cross(arm, vector)])
        data.xfrc_applied[number] += wrench


def state_of(system: vc.System, model, data) -> vc.State:
    """The engine's position and velocities as a state."""
    y = system.drawn.y.copy()
    for name, k in system.body_numbers.items():
        number = model.body(name).id
        found = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, number, found, 0)
        R = data.xmat[number].reshape(3, 3)
        centred = system.centred[k]
        y[13 * k: 13 * k + 3] = data.xipos[number]
        y[13 * k + 3: 13 * k + 7] = quaternion_of(R @ centred.principal)
        y[13 * k + 7: 13 * k + 10], y[13 * k + 10: 13 * k + 13] = found[3:], found[:3]
    return system.drawn.with_vector(y)


def accelerations(system: vc.System, model, data) -> np.ndarray:
    """v' and w' of every body, as the engine finds them; its accelerations are those felt, without weight."""
    mujoco.mj_rnePostConstraint(model, data)
    found = np.zeros((len(system.centred), 6))
    for name, k in system.body_numbers.items():
        one = np.zeros(6)
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_BODY, model.body(name).id, one, 0)
        found[k] = np.concatenate([one[3:] + model.opt.gravity, one[:3]])
    return found


@pytest.mark.parametrize(("family", "seed"), CASES)
def test_random_trees_accelerate_as_in_another_engine(family, seed):
    """At three positions, each further along the speeds."""
    s, system, model, data = both(family, seed)
    for _ in range(3):
        mujoco.mj_kinematics(model, data)
        apply_loads(s, model, data)
        mujoco.mj_forward(model, data)
        state = state_of(system, model, data)
        rows = state.jacobian()[1]
        if len(system.rows):
            assert max(np.abs(rows["phi"]).max(), np.abs(rows["rate"]).max()) < 1e-11
        exact = accelerations(system, model, data)
        assert state.solve().acceleration == pytest.approx(exact, abs=1e-8 * max(1.0, np.abs(exact).max()))
        mujoco.mj_integratePos(model, data.qpos, data.qvel, 0.3)


@pytest.mark.parametrize(("family", "seed"), CASES[::6])
def test_random_trees_move_as_in_another_engine(family, seed):
    """0.2 s in steps of 1e-4 s, which makes its fourth-order method exact to 1e-9; loads left out."""
    s, system, model, data = both(family, seed)
    s.model.loads.clear()
    system = vc.compile(s.model)
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    mujoco.mj_forward(model, data)
    result = vc.simulate(system, 0.2, start=state_of(system, model, data), outputs=4)
    for k in range(1, 5):
        for _ in range(500):
            mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        for name, number in system.body_numbers.items():
            there = data.xipos[model.body(name).id]
            assert result.y[k, 13 * number: 13 * number + 3] == pytest.approx(there, abs=1e-6), name
