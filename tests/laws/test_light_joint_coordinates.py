"""Random trees and loops of bodies with missing and partly missing inertias: joint coordinates move them as the default
formulation does, or the run ends with the name of a body that cannot be moved so."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
import pytest
from test_joint_coordinate_laws import JOINTS, OWN, difference

import vincolo as vc

INERTIAS = {"full": (0.1, 0.2, 0.15), "point": 0.0, "rod": (0.0, 0.1, 0.1), "fin": (0.1, 0.0, 0.05)}
NAMED = ("has no inertia about some axis", "without inertia can move freely")
TIGHT = vc.integrators.DOP853(rtol=1e-12, atol=1e-14)


def random_net(seed: int, loops: bool) -> vc.Model:
    """Up to three bodies one behind the other, or free, and up to three ties to the ground."""
    rng = np.random.default_rng(seed)
    m = vc.Model("net", gravity=tuple(rng.normal(size=3) * 5))
    at, before, ends = np.zeros(3), m.ground, []
    for k in range(int(rng.integers(1, 4))):
        point = at + rng.normal(size=3)
        kind = str(rng.choice([*INERTIAS]))
        mass = float(rng.choice([0.0, 1.0, 2.0], p=[0.15, 0.5, 0.35])) if kind == "point" else 1.0
        beside = 0.2 * rng.normal(size=3) * rng.integers(2)
        body = m.body(f"b{k}", mass, INERTIAS[kind], tuple((at + point) / 2 + beside))
        join(m, rng, f"J{k}", before, body, at)
        ends.append((body, point))
        before, at = body, point
    for k in range(int(rng.integers(1, 4)) if loops else 0):
        tie(m, rng, f"L{k}", *ends[rng.integers(len(ends))])
    return m


def join(m: vc.Model, rng: np.random.Generator, name: str, before, body, at) -> None:
    joint = str(rng.choice(["spherical", "universal", "revolute", "none", "spherical"]))
    if joint == "universal":
        z = rng.normal(size=3)
        m.universal(name, before.frame(at, z=z), body.frame(at, z=np.cross(z, rng.normal(size=3))))
    elif joint == "revolute":
        m.revolute(name, before, body, at=at, axis=tuple(rng.normal(size=3)))
    elif joint == "spherical":
        m.spherical(name, before, body, at=at)


def tie(m: vc.Model, rng: np.random.Generator, name: str, body, point) -> None:
    kind = str(rng.choice(["spherical", "distance", "plane", "turn", "along", "turns"]))
    z, x = rng.normal(size=3), rng.normal(size=3)
    a, b = m.ground.frame(point, z=z, x=x), body.frame(point, z=z, x=x)
    if kind == "spherical":
        m.spherical(name, m.ground, body, at=point)
    elif kind == "distance":
        m.distance(name, m.ground.frame(point + rng.normal(size=3)), b)
    elif kind == "plane":
        m.point_on_plane(name, a, b)
    elif kind == "along":
        m.hold(name, vc.along("z", a, b))
    else:
        for axis in ("x", "y")[:1 if kind == "turn" else 2]:
            m.hold(f"{name}{axis}", vc.cosine(axis, "z", a, b))


def outcome(seed: int, loops: bool) -> str:
    """How joint coordinates do, beside the default; what that refuses or does not end is left out."""
    try:
        system = vc.compile(random_net(seed, loops))
        start = vc.assemble(system)
    except vc.VincoloError:
        return "refused"
    given = {"start": start, "outputs": 3, "integrator": TIGHT}
    usual = vc.simulate(system, 0.1, formulation=OWN, max_steps=2000, **given)
    if not usual.complete:
        return "default ends early"
    try:
        own = vc.simulate(system, 0.1, formulation=JOINTS, max_steps=10000, **given)
    except vc.SimulationError as error:
        return judged(system, str(error))
    if not own.complete:
        return judged(system, own.reason)
    return "agrees" if difference(usual, own) < 1e-9 else f"wrong by {difference(usual, own):.2g}"


def judged(system: vc.System, reason: str) -> str:
    """Whether a run says which body it cannot move."""
    names = [name for name in system.model.bodies if f"body '{name}'" in reason]
    return "named" if names and any(text in reason for text in NAMED) else f"unnamed: {reason}"


@pytest.mark.parametrize(("first", "count"), [(0, 40), pytest.param(40, 400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("loops", [False, True], ids=["trees", "loops"])
def test_light_bodies_move_as_they_should_or_are_named(loops: bool, first: int, count: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vc.SimulationWarning)
        found = {seed: outcome(seed, loops) for seed in range(first, first + count)}
    known = ("refused", "default ends early", "named", "agrees")
    assert not {seed: text for seed, text in found.items() if text not in known}
    counted = Counter(found.values())
    assert counted["agrees"] >= count / 4 and (counted["named"] > 0 or not loops), counted
