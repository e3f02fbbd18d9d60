"""Joint coordinates and the kernel's own agree: accelerations, reactions and motion, for every joint of the catalogue
that has coordinates, either way around, on random trees and loops, and on the examples."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc
from example_models import NAMES, built
from vincolo.equations.joints import CATALOGUE
from vincolo.layout import by_body

sys.path.append(str(Path(__file__).parents[1] / "random"))
from families import drawn  # noqa: E402

JOINTS = vc.formulations.JointCoordinates()
OWN = vc.formulations.Sparse()
TREES = ("chain", "star", "branches", "points", "beam", "growing", "straight_arm", "needles")
LOOPS = ("four_bar", "slider_crank", "parallelogram", "spatial_loop", "ladder", "mesh", "bennett", "doubled",
         "transmission", "curves")
EACH = {"trees": 25, "loops": 20}  # of a family: 200 of either sort
FREE = [kind for kind, joint in CATALOGUE.items() if joint.moves is not None]


def difference(one: vc.Result, other: vc.Result) -> float:
    """Largest difference of positions by the extent, and of axes."""
    n, system = min(len(one), len(other)), one.system
    a, b = (np.stack([by_body(r.y[k], len(system.centred)) for k in range(n)]) for r in (one, other))
    sign = np.sign((a[..., 3:7] * b[..., 3:7]).sum(-1))[..., None]
    turned = np.abs(a[..., 3:7] - sign * b[..., 3:7]).max()
    return max(float(np.abs(a[..., :3] - b[..., :3]).max()) / system.extent, float(turned))


def both(system: vc.System, start: vc.State, until: float, outputs: int = 8) -> list[vc.Result]:
    tight = vc.integrators.DOP853(rtol=1e-12, atol=1e-14)
    return [vc.simulate(system, start.t + until, start=start, outputs=outputs, integrator=tight, formulation=f,
                        max_steps=1000)
            for f in (OWN, JOINTS)]


def reaction_difference(one: vc.Result, other: vc.Result) -> float:
    """Of all reactions, by the largest there is, or a millionth of the weights where all is in free fall."""
    found = [np.concatenate([r.state(k).channels.observed["lam"][0] for k in range(len(r))]) for r in (one, other)]
    n = min(map(len, found))
    weight = sum(c.body.mass for c in one.system.centred) * float(np.linalg.norm(one.system.gravity))
    size = max(1e-300, 1e-6 * weight, *(float(np.abs(x).max(initial=0.0)) for x in found))
    return float(np.abs(found[0][:n] - found[1][:n]).max(initial=0.0)) / size


def in_motion(system: vc.System, state: vc.State, seed: int) -> vc.State:
    """The state with velocities that the joints allow: random ones, projected."""
    rng = np.random.default_rng(seed)
    J, _ = state.jacobian()
    u = rng.normal(size=J.shape[1])
    u -= np.linalg.pinv(J, rcond=1e-9) @ (J @ u)
    y = state.y.copy()
    by_body(y, len(system.centred))[:, 7:] = u.reshape(-1, 6)
    return state.with_vector(y)


def hung(kind: str, backwards: bool) -> vc.Model:
    """Three bodies, the second and third on joints of a kind, drawn either way around; screws and slides lean."""
    m = vc.Model(kind, gravity=(0.3, -0.4, -9.81))
    rng = np.random.default_rng(sum(map(ord, kind)))
    before, at = m.body("base", 3.0, (0.5, 0.7, 0.6), (0.1, 0.0, 0.2)), np.zeros(3)
    m.spherical("S", m.ground, before, at=at)
    for k in range(2):
        at = at + rng.normal(size=3)
        centre = at + rng.normal(size=3)
        body = m.body(f"body{k}", 1.0 + k, tuple(0.6 + 0.5 * rng.random(3)), tuple(centre))
        pair = (body, before) if backwards else (before, body)
        axis, across = (0.2 * k + 0.1, 0.4, 1.0), (1.0, 0.3 * k, 0.2)
        add_joint(m, kind, f"J{k}", pair, at, axis, across)
        before = body
    return m


def add_joint(m, kind, name, pair, at, axis, across) -> None:
    """A joint of any kind of the catalogue between two bodies at a point, with its z axis and, where it has one, x."""
    a, b = pair
    if kind == "universal" or kind == "perpendicular":
        z, x = np.asarray(axis), np.asarray(across)
        second = np.cross(z, x)
        getattr(m, kind)(name, a.frame(at, z=z), b.frame(at, z=second))
        return
    getattr(m, kind)(name, a.frame(at, z=axis, x=across), b.frame(at, z=axis, x=across),
                     **({"pitch": 0.3} if kind == "screw" else {}))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("kind", FREE)
def test_every_joint_with_coordinates(kind: str, backwards: bool) -> None:
    system = vc.compile(hung(kind, backwards))
    state = in_motion(system, vc.assemble(system), 5)
    assert system.kernel.joint_tree()[2] == 0, "rows are left over in a tree"
    own, joints = state.solve(OWN), state.solve(JOINTS)
    size = np.abs(own.acceleration).max()
    assert np.abs(joints.acceleration - own.acceleration).max() < 1e-9 * size
    assert np.abs(joints.lam - own.lam).max() < 1e-9 * np.abs(own.lam).max()
    one, other = both(system, state, 0.3)
    assert one.complete and other.complete
    assert difference(one, other) < 1e-9
    assert other.energy_drift < 1e-9


@pytest.mark.parametrize(("sort", "family"), [("trees", f) for f in TREES] + [("loops", f) for f in LOOPS])
def test_random_mechanisms(sort: str, family: str) -> None:
    met = 0
    for seed in range(9000, 9000 + EACH[sort]):
        sketch = drawn(family, seed)
        try:
            system = vc.compile(sketch.model)
            start = vc.assemble(system, sketch.given)
        except vc.VincoloError:
            continue
        if system.switchboard.joints:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", vc.SimulationWarning)
            one, other = both(system, start, 0.05 * sketch.span * sketch.scale.time, outputs=4)
        assert other.complete >= one.complete, f"{family}:{seed} {other.reason}"
        if not one.complete:
            continue
        met += 1
        assert difference(one, other) < 1e-9, f"{family}:{seed}"
        assert reaction_difference(one, other) < 1e-6, f"{family}:{seed}"
        told = other.statistics
        assert told["energy_imbalance"] <= 1e-8 * max(told["energy_size"], told["energy_range"]), f"{family}:{seed}"
    assert met >= 0.6 * EACH[sort]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples(name: str) -> None:
    """All but those that are refused by name: laws that read reactions, which the default formulation finds with them,
    and rigid contact, which is for Moreau's steps alone."""
    model = built(name)
    system = vc.compile(model)
    if system.reacting or any(c.rigid for c in model.contacts.values()):
        with pytest.raises(vc.ModelError, match="reads reactions|is rigid"):
            both(system, vc.assemble(system), 0.02)
        return
    start = vc.assemble(system)
    one, other = both(system, start, 0.02, outputs=4)
    assert other.complete >= one.complete, other.reason
    assert difference(one, other) < 1e-9
    assert reaction_difference(one, other) < 1e-6


def driven(kind: str, backwards: bool) -> vc.Model:
    """A body on a driven joint, and one that swings on it."""
    m = vc.Model(kind)
    arm = m.body("arm", 2.0, (0.1, 0.2, 0.3), (0.3, 0.1, 0.0))
    pair = (arm, m.ground) if backwards else (m.ground, arm)
    joint = getattr(m, kind)("J", *(p.frame((0.1, 0.0, 0.0), z=(0.1, 0.2, 1.0), x=(1.0, 0.1, 0.0)) for p in pair))
    for name, speed in zip(joint, (1.3, -0.7, 0.4), strict=False):
        m.drive(joint[name], f"{speed}*t + 0.1*sin(5*t)", name=f"D {name}")
    bob = m.body("bob", 1.0, (0.05, 0.05, 0.02), (0.9, 0.2, -0.3))
    m.revolute("R", arm, bob, at=(0.6, 0.2, 0.0), axis=(0.2, 1.0, 0.1))
    return m


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "planar", "slot"])
def test_drives_take_coordinates_out(kind: str, backwards: bool) -> None:
    system = vc.compile(driven(kind, backwards))
    assert system.kernel.joint_tree()[2] == 0, "a drive is left over"
    one, other = both(system, vc.assemble(system), 2.0)
    assert difference(one, other) < 1e-9
    work = [r["energy.work"] for r in (one, other)]
    assert np.abs(work[0]).max() > 0.1
    assert np.abs(work[1] - work[0]).max() < 1e-8 * np.abs(work[0]).max()
    assert reaction_difference(one, other) < 1e-9


def test_an_angle_over_many_turns_keeps_its_accuracy() -> None:
    m = vc.Model("wheel", gravity=(0, 0, 0))
    wheel = m.body("wheel", 1.0, (0.1, 0.1, 0.2), (0, 0, 0))
    m.revolute("R", m.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1))
    m.torque("T", wheel, (0, 0, "0.02*sin(3*t)"))
    system = vc.compile(m)
    start = vc.assemble(system, {"R.angle": 0.0, "R.angle.rate": 500.0})
    result = vc.simulate(system, 10.0, start=start, outputs=10, integrator=vc.integrators.DormandPrince(rtol=1e-6),
                         formulation=JOINTS)
    t = result.t
    exact = 500 * t + 0.1 * (t / 3 - np.sin(3 * t) / 9)
    assert np.abs(result["R.angle"] - exact).max() < 1e-4  # a millionth of 5,000 rad would be 5e-3


def test_a_tree_is_run_in_joint_coordinates_and_the_summary_says_so() -> None:
    result = vc.simulate(hung("revolute", False), 0.1)
    assert result.statistics["formulation"] == "joint_coordinates"
    assert "since the joints form a tree" in result.summary()
    asked = vc.simulate(hung("revolute", False), 0.1, formulation=OWN)
    assert asked.statistics["formulation"] == "sparse"
    assert difference(result, asked) < 1e-6


def test_what_joint_coordinates_cannot_do_is_refused() -> None:
    model = hung("revolute", False)
    with pytest.raises(vc.ModelError, match="keeps all joints itself"):
        vc.simulate(model, 0.1, formulation=JOINTS, stabilisation=vc.stabilisations.Projection())
    with pytest.raises(vc.ModelError, match="goes with the default formulation"):
        vc.simulate(model, 0.1, formulation=JOINTS, integrator=vc.integrators.Radau())


@pytest.mark.parametrize("inertia", [0.0, 0.1])
def test_a_body_that_only_left_rows_turn_follows_them_or_is_named(inertia):
    """A pendulum whose hinge is held measures: without inertia nothing of the tree says how fast its body turns."""
    model = vc.Model()
    bob = model.body("bob", 1.0, inertia, at=(1, 0, 0))
    a, b = model.ground.frame((0, 0, 0), z="y"), bob.frame((0, 0, 0), z="y")
    for name, held in (("x", vc.along("x", a, b)), ("y", vc.along("y", a, b)), ("z", vc.along("z", a, b)),
                       ("turn x", vc.cosine("x", "z", a, b)), ("turn y", vc.cosine("y", "z", a, b))):
        model.hold(name, held)
    usual = vc.simulate(model, 0.5, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    given = {"integrator": vc.DOP853(rtol=1e-11, atol=1e-12), "formulation": vc.JointCoordinates()}
    if inertia > 0.0:
        assert vc.simulate(model, 0.5, **given)["bob.z"] == pytest.approx(usual["bob.z"], abs=1e-9)
        return
    for refused in (lambda: vc.simulate(model, 0.5, **given), lambda: vc.assemble(model).solve(vc.JointCoordinates())):
        with pytest.raises(vc.SimulationError, match="body 'bob' has no inertia about some axis"):
            refused()
