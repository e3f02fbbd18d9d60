"""Rigid contact by time stepping against closed forms: resting, sliding, hits, tumbling."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vincolo as vc

G = 9.80665


def incline(angle: float, friction: float) -> vc.Model:
    """A block on a plane that slopes down towards +x."""
    m = vc.Model("incline")
    normal = (math.sin(angle), 0.0, math.cos(angle))
    c, s = math.cos(angle), math.sin(angle)
    axes = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    block = m.body("block", vc.shapes.box((0.4, 0.3, 0.2), mass=2.0), at=0.1 * np.array(normal), orientation=axes)
    m.contact("slope", m.ground.frame((0, 0, 0), z=normal), block, "plane", friction=friction)
    return m


def test_a_block_on_an_incline_stays():
    angle = math.radians(25)
    result = vc.simulate(incline(angle, math.tan(angle) * 1.02), 10.0, integrator=vc.integrators.Moreau(step=2e-3))
    moved = np.hypot(result["block.x"] - result["block.x"][0], result["block.z"] - result["block.z"][0])
    assert moved.max() < 1e-9
    assert np.abs(result["block.wy"]).max() < 1e-10
    assert result["slope.force"][1:] == pytest.approx(2.0 * G * math.cos(angle), rel=1e-8)
    assert (result["slope.sliding"][1:] == 0).all()


def test_a_block_slides_with_the_closed_form():
    angle, friction = math.radians(35), 0.4
    result = vc.simulate(incline(angle, friction), 1.0, integrator=vc.integrators.Moreau(step=1e-3))
    a = G * (math.sin(angle) - friction * math.cos(angle))
    travel = (result["block.x"] - result["block.x"][0]) / math.cos(angle)
    assert travel == pytest.approx(0.5 * a * result.t**2, abs=1e-9)
    assert np.hypot(result["block.vx"], result["block.vz"]) == pytest.approx(a * result.t, abs=1e-9)
    assert np.abs(result["energy.balance"]).max() < 1e-9
    assert (result["slope.sliding"][2:] > 0).all()


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_ball_rebounds_by_its_restitution(e):
    m = vc.Model("bounce")
    ball = m.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0, 0, 0.6))
    m.contact("floor", m.ground, ball, "plane", restitution=e)
    h = 1e-4
    result = vc.simulate(m, 0.7, integrator=vc.integrators.Moreau(step=h), outputs=700)
    fall = math.sqrt(2 * 0.5 / G)
    after = result.t > fall + 2 * h
    top = result["ball.z"][after].max() - 0.1
    assert top == pytest.approx(e * e * 0.5, abs=4 * h * math.sqrt(2 * G * 0.5))
    assert result["floor.gap"].min() > -1e-9
    assert np.abs(result["energy.balance"]).max() < 1e-9


def test_a_hundred_hits_between_rigid_balls_keep_momentum_and_energy():
    rng = np.random.default_rng(5)
    m = vc.Model("billiard", gravity=(0, 0, 0))
    places = [(x, y, z) for x in (-0.6, 0, 0.6) for y in (-0.6, 0, 0.6) for z in (-0.3, 0.3)]
    made = [vc.shapes.sphere(0.12, mass=mass) for mass in rng.uniform(0.5, 2, len(places)).tolist()]
    balls = [m.body(f"b{k}", made[k], at=at, velocity=3 * rng.normal(size=3)) for k, at in enumerate(places)]
    walls = [m.ground.frame(tuple(-np.array(n)), z=n) for n in
             [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]]
    m.contact("balls", balls, restitution=1.0)
    m.contact("walls", walls, balls, "plane", restitution=1.0)
    result = vc.simulate(m, 6.0, integrator=vc.integrators.Moreau(step=1e-3), outputs=6000)
    energy = result["energy.kinetic"]
    hits = int((np.diff((result["balls.force"] > 0).astype(int)) > 0).sum())
    assert hits >= 100
    assert np.abs(energy - energy[0]).max() < 1e-9 * energy[0]
    assert np.abs(result["energy.balance"]).max() < 1e-9 * energy[0]
    inside = max(np.abs(result[f"{b.name}.{axis}"]).max() for b in balls for axis in "xyz")
    # thrown by one body, a ball may reach the next within the same step, by what it moves in it
    assert inside < 0.88 + 1e-3 * 12
    assert result["balls.gap"].min() > -1e-3 * 12


def test_momentum_is_kept_in_every_hit_of_free_balls():
    rng = np.random.default_rng(8)
    m = vc.Model("cloud", gravity=(0, 0, 0))
    masses = rng.uniform(0.5, 2, 12)
    at = rng.normal(size=(12, 3))
    at *= (1.5 / np.linalg.norm(at, axis=1))[:, None]
    balls = [m.body(f"b{k}", vc.shapes.sphere(0.15, mass=float(masses[k])), at=at[k], velocity=-at[k]
                    + 0.1 * rng.normal(size=3)) for k in range(12)]
    m.contact("balls", balls, restitution=0.8, friction=0.3)
    result = vc.simulate(m, 3.0, integrator=vc.integrators.Moreau(step=1e-3))
    for axis in "xyz":
        momentum = sum(mass * result[f"{b.name}.v{axis}"] for mass, b in zip(masses, balls, strict=True))
        assert momentum == pytest.approx(momentum[0], abs=1e-11)
    assert result.statistics["contact_steps"] > 10
    assert np.abs(result["energy.balance"]).max() < 1e-10
    assert result["energy.kinetic"][-1] < 0.9 * result["energy.kinetic"][0]
    turning = np.zeros((len(result.t), 3))
    for mass, b in zip(masses, balls, strict=True):
        x, v, w = (np.stack([result[f"{b.name}.{p}{axis}"] for axis in "xyz"], axis=1) for p in ("", "v", "w"))
        turning += mass * np.cross(x, v) + 0.4 * mass * 0.15**2 * w
    assert turning == pytest.approx(np.broadcast_to(turning[0], turning.shape), abs=1e-9)


def tumbling(friction, restitution):
    """A box that falls on its corner."""
    m = vc.Model("tumble")
    axes = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    box = m.body("box", vc.shapes.box((0.3, 0.2, 0.1), mass=1.0), at=(0, 0, 0.6), orientation=axes,
                 velocity=(1.0, 0.2, 0), angular_velocity=(3.0, 5.0, -2.0))
    m.contact("floor", m.ground, box, "plane", friction=friction, restitution=restitution)
    return m


@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 1.0), (0.5, 1.0), (0.5, 0.6), (0.9, 0.9)])
def test_hits_with_friction_bring_no_energy_in(friction, restitution):
    """Newton's restitution would, where friction turns the motion around (Kane 1984): then less of it is given back."""
    h = 1e-3
    every = np.arange(0, round(4.0 / h) + 1) * h
    result = vc.simulate(tumbling(friction, restitution), 4.0, outputs=every, integrator=vc.integrators.Moreau(step=h))
    size = float(result["energy.kinetic"].max())
    assert np.diff(result["energy.work"]).max() < 2e-6 * size
    assert np.diff(result["energy.total"]).max() < 2e-6 * size
    if friction == 0 and restitution == 1:
        assert np.ptp(result["energy.total"]) < 1e-4 * size


def test_a_box_tumbles_to_rest():
    result = vc.simulate(tumbling(0.5, 0.3), 4.0, integrator=vc.integrators.Moreau(step=1e-3))
    assert result.complete
    late = result.t > 3.5
    speed = sum(np.abs(result[f"box.{kind}{axis}"][late]).max() for kind in "vw" for axis in "xyz")
    assert speed < 1e-8
    assert min(abs(result["box.z"][-1] - half) for half in (0.15, 0.1, 0.05)) < 1e-5
    assert result["floor.gap"].min() > -1e-4
    assert np.abs(result["energy.balance"]).max() < 1e-8
    # a corner that sticks as the box rolls over it holds at the end of a step: what that brings in goes with the step
    fine = vc.simulate(tumbling(0.5, 0.3), 4.0, integrator=vc.integrators.Moreau(step=2.5e-4))
    gains = [float(np.maximum(np.diff(r["energy.total"]), 0).sum()) for r in (result, fine)]
    assert gains[0] < 4e-5 * result["energy.kinetic"].max()
    assert gains[1] < 0.3 * gains[0]
    assert result["floor.force"][-1] == pytest.approx(G, rel=1e-8)


def test_joints_hold_while_bodies_hit_also_redundant_ones():
    m = vc.Model("door")
    bar = m.body("bar", vc.shapes.box((1.0, 0.1, 0.1), mass=2.0), at=(0.5, 0, 0.5))
    m.revolute("O", m.ground, bar, at=(0, -0.1, 0.5), axis="y")
    m.revolute("P", m.ground, bar, at=(0, 0.1, 0.5), axis="y")  # a second hinge on the same axis
    m.contact("floor", m.ground, bar, "plane", restitution=0.5, friction=0.2)
    result = vc.simulate(m, 2.0, integrator=vc.integrators.Moreau(step=1e-3))
    assert result.complete
    assert np.abs(result["residual.position"]).max() < 1e-9
    assert result["floor.gap"].min() > -1e-5
    assert result["floor.force"].max() > 0
    assert np.abs(result["bar.wy"][-1]) < 1e-9
    # two corners share the load in any way: that drifts on, but the conditions are met
    assert result.statistics["contact_rounds"] < 100 * result.statistics["contact_steps"]
    # at rest the hinges carry what the floor does not
    on_hinges = result["O.reaction.force.z"][-1] + result["P.reaction.force.z"][-1]
    assert on_hinges + result["floor.force"][-1] == pytest.approx(2.0 * G, rel=1e-6)


def test_nothing_tunnels_through_a_thin_wall():
    m = vc.Model("bullet", gravity=(0, 0, 0))
    bullet = m.body("bullet", vc.shapes.sphere(0.01, mass=0.01), at=(-3, 0.003, 0.002), velocity=(400, 0, 0))
    m.contact("wall", m.ground, bullet, vc.shapes.box((0.02, 1, 1), mass=1.0), restitution=0.0)
    result = vc.simulate(m, 0.05, integrator=vc.integrators.Moreau(step=1e-3))  # 0.4 m in a step
    assert result["bullet.x"].max() < -0.02 + 1e-6
    assert np.abs(result["bullet.vx"][-1]) < 1e-9


def left_over(result):
    return result.statistics["unsolved_steps"], result.statistics["contact_residual"]


@pytest.mark.parametrize("aside", [0.0, 0.01])
def test_boxes_come_to_rest_on_each_other_with_all_corners(aside):
    """More corners than can be told apart: a load that rigid bodies may share in several ways."""
    m = vc.Model()
    boxes = [m.body(f"box{k}", vc.shapes.box((0.2, 0.15, 0.1), density=500.0), at=(aside * k, 0, 0.06 + 0.11 * k))
             for k in range(3)]
    m.contact("floor", m.ground, boxes, "plane", friction=0.4)
    m.contact("boxes", boxes, friction=0.4)
    result = vc.simulate(m, 0.5, outputs=10, integrator=vc.integrators.Moreau(step=2e-3))
    missed, residual = left_over(result)
    assert missed == 0 and residual <= 1e-10
    weight = sum(body.mass for body in m.bodies.values() if body.name.startswith("box")) * 9.80665
    assert result["floor.force"][-1] == pytest.approx(weight, rel=1e-6)


@pytest.mark.slow
def test_two_hundred_balls_in_a_funnel_meet_their_conditions_in_every_step():
    from spheres_into_funnel import lost, run

    result = run(200, 2.0, step=2e-3)
    missed, residual = left_over(result)
    assert missed == 0 and residual <= 1e-6 and lost(result, 200) == 0
    assert result.statistics["contact_points"] > 500


def test_balls_meet_the_rim_of_an_open_surface_however_short_the_steps_are():
    """The rim has corners between triangles that form a valley: balls beyond it must be felt there."""
    from spheres_into_funnel import build

    steps = vc.integrators.Moreau(step=5e-4, tolerance=1e-6)
    result = vc.simulate(build(24), until=0.6, integrator=steps, outputs=40)
    assert result.statistics["penetration"] < 1e-6
    assert abs(result["energy.balance"]).max() < 1e-9
