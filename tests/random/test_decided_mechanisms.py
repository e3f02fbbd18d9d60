"""Random mechanisms with stops and friction: each ends complete, with its balance kept and its stops not overrun."""

import warnings

import numpy as np
import pytest

import vincolo as vc


def random_mechanism(seed: int, harsh: bool = False) -> vc.Model:
    """A chain of one to four links in a plane or in space, with stops on angles and heights, ropes and friction. A
    `harsh` one has short guides and up to 0.5 of friction, so that many of them lock themselves or have no motion."""
    rng = np.random.default_rng(seed)
    m = vc.Model(f"random {seed}", gravity=(0, 0, -9.81))
    before, at = m.ground, np.zeros(3)
    for k in range(int(rng.integers(1, 5))):
        kind = str(rng.choice(["revolute", "revolute", "prismatic", "cylindrical"]))
        step = rng.normal(size=3) * 0.3
        body = m.body(f"b{k}", float(rng.uniform(0.5, 2.0)), float(rng.uniform(0.01, 0.05)), at=at + step / 2)
        axis = str(rng.choice(["x", "y", "z"])) if rng.random() < 0.7 else rng.normal(size=3)
        getattr(m, kind)(f"j{k}", before, body, at=at, axis=axis)
        if rng.random() < 0.6:
            name = "travel" if kind == "prismatic" else "angle"
            m.stop(f"s{k}", f"j{k}.{name}", at_least=-float(rng.uniform(0.05, 0.5)),
                   at_most=float(rng.uniform(0.05, 0.5)), restitution=float(rng.choice([0.0, 0.3, 0.7])))
        if rng.random() < 0.6:
            mu = float(rng.uniform(0.05, 0.5) if harsh else rng.uniform(0.02, 0.3))
            long = kind != "revolute" and not harsh  # short guides lock themselves
            m.friction(f"f{k}", f"j{k}", mu, mu_static=mu * float(rng.choice([1.0, 1.3])),
                       radius=0.3 if long else 0.01, length=float(rng.choice([0.0, 0.8 if long else 0.1])),
                       viscous=float(rng.choice([0.0, 0.01])))
        before, at = body, at + step
    m.frame("tip", before, at)
    if rng.random() < 0.5:
        m.stop("floor", "tip.z", at_least=float(at[2] - rng.uniform(0.05, 0.3)),
               restitution=float(rng.choice([0.0, 0.5])))
        if rng.random() < 0.5:
            m.friction("scrape", "floor", float(rng.uniform(0.1, 0.6)), along="tip.x")
    if rng.random() < 0.3:
        far = m.ground.frame(tuple(at + rng.normal(size=3)))
        m.rope("rope", far, before.frame(tuple(at)), float(np.linalg.norm(far.point - at)) + 0.05)
    return m


def check(seed: int, harsh: bool = False) -> None:
    """A run of half a second."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = vc.simulate(random_mechanism(seed, harsh), 0.5, outputs=20, max_steps=20000)
    assert all(np.isfinite(result[name]).all() for name in ("energy.total", "energy.work")), seed
    moving = max(result.statistics["energy_range"], 1e-3)
    assert abs(result["energy.balance"]).max() < 1e-5 * moving, seed
    for name, stop in result.system.model.stops.items():
        for sign, bound in stop.sides:
            # steps across places without accelerations keep gaps closed to first order
            depth = 1e-5 if result.statistics["crossing_steps"] else 1e-7
            assert (sign * (result[f"{name}.value"] - bound)).min() > -depth, seed
    assert result.complete, (seed, result.reason)


@pytest.mark.parametrize("harsh", [False, True])
def test_random_mechanisms_with_stops_and_friction_end_complete(harsh):
    for seed in range(50):
        check(seed, harsh)


@pytest.mark.slow
@pytest.mark.parametrize("harsh", [False, True])
def test_a_thousand_of_them(harsh):
    for seed in range(1000):
        check(seed, harsh)
