"""Random scenes of bodies that fall, hit, slide and hang in joints: each ends complete with its balance kept, or names
the cause; nothing hangs, nothing is undefined."""

from __future__ import annotations

import time

import numpy as np
import pytest

import vincolo as vc


def shape(rng):
    """A shape of any kind that can fall."""
    kind = rng.choice(["sphere", "box", "cylinder", "capsule", "hull"])
    mass = float(rng.uniform(0.2, 3))
    r, h = rng.uniform(0.05, 0.15), rng.uniform(0.1, 0.3)
    if kind == "sphere":
        return vc.shapes.sphere(r, mass=mass), None, r
    if kind == "box":
        size = rng.uniform(0.1, 0.25, 3)
        return vc.shapes.box(size, mass=mass), None, float(np.linalg.norm(size)) / 2
    if kind == "cylinder":
        return vc.shapes.cylinder(r, h, mass=mass), None, float(np.hypot(r, h / 2))
    made = vc.shapes.cylinder(r, h, mass=mass)
    if kind == "capsule":
        return made, {"kind": "capsule", "radius": r, "length": h}, r + h / 2
    return made, {"kind": "hull", "points": (rng.normal(size=(12, 3)) * r).tolist()}, 4 * r


def scene(seed: int) -> tuple[vc.Model, bool]:
    """Bodies over a floor, some in joints, with contacts that are rigid or give way."""
    rng = np.random.default_rng(seed)
    m = vc.Model(f"scene {seed}")
    rigid = bool(rng.random() < 0.6)
    sides, height = [], 0.0
    for k in range(int(rng.integers(1, 5))):
        made, given, reach = shape(rng)
        height += reach + 0.02
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        axes[:, 0] *= np.sign(np.linalg.det(axes))
        body = m.body(f"b{k}", made, at=(*rng.uniform(-0.1, 0.1, 2), height), orientation=axes,
                      velocity=rng.normal(size=3), angular_velocity=3 * rng.normal(size=3))
        sides.append((body, given))
        height += reach
        if rng.random() < 0.3:
            m.spherical(f"j{k}", m.ground, body, at=(0, 0, height + 0.05))
    law = {"friction": float(rng.choice([0.0, 0.3, 0.8]))}
    law |= {"restitution": float(rng.choice([0.0, 0.4, 1.0]))} if rigid else {"stiffness": 1e5, "damping": 0.5}
    m.contact("floor", m.ground, sides, "plane", **law)
    if len(sides) > 1:
        m.contact("each other", sides, **law)
    return m, rigid


def check(seed: int) -> str:
    m, rigid = scene(seed)
    integrator = vc.integrators.Moreau(step=2e-3, tolerance=1e-8) if rigid else vc.integrators.Auto(rtol=1e-5)
    begun = time.process_time()
    try:
        result = vc.simulate(m, 0.5, outputs=10, integrator=integrator)
    except (vc.ModelError, vc.SimulationError) as error:
        assert "overlap" in str(error) or "assembl" in str(error) or "closed" in str(error), f"{seed}: {error}"
        return "refused"
    assert time.process_time() - begun < 60
    assert result.complete or result.reason, seed
    assert np.isfinite(result.y).all(), seed
    if not result.complete:
        return result.reason.splitlines()[0]
    largest = max(1e-3, float(np.abs(result["energy.kinetic"]).max()), float(np.ptp(result["energy.potential"])))
    # bodies that turn are parted where they overlap after a step, which lifts them a little: of first order in the
    # step, and all that is left (below); the largest of a thousand scenes is 0.8 %
    allowed = 1e-2 if rigid else 2e-3
    assert np.abs(result["energy.balance"]).max() < allowed * largest, seed
    if rigid:
        assert result["floor.gap"].min() > -0.02, seed
    return "complete"


@pytest.mark.parametrize("seed", [70, 75, 389, 931, 937])  # the worst of a thousand
def test_what_rigid_contact_misses_of_the_energy_goes_with_the_step(seed):
    off, gained = [], []
    for step in (2e-3, 5e-4):
        m, _ = scene(seed)
        result = vc.simulate(m, 0.5, outputs=10, integrator=vc.integrators.Moreau(step=step, tolerance=1e-8))
        largest = max(float(np.abs(result["energy.kinetic"]).max()), float(np.ptp(result["energy.potential"])))
        off.append(float(np.abs(result["energy.balance"]).max()) / largest)
        gained.append(float(np.diff(result["energy.work"]).max()) / largest)  # but for rolling on corners they take
    assert off[1] < 0.35 * off[0]
    assert gained[1] < max(1e-6, 0.35 * gained[0])


@pytest.mark.parametrize("first", range(0, 40, 10))
@pytest.mark.filterwarnings("ignore::vincolo.SimulationWarning")
def test_random_scenes_end_with_their_balance_or_a_cause(first):
    told = [check(seed) for seed in range(first, first + 10)]
    assert told.count("complete") >= 6, told


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 1100, 50))
@pytest.mark.filterwarnings("ignore::vincolo.SimulationWarning")
def test_a_thousand_random_scenes(first):
    told = [check(seed) for seed in range(first, first + 50)]
    assert told.count("complete") >= 30, told
