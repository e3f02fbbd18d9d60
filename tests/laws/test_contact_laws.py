"""Laws of contact over every pair of shapes: forces that balance, that are continuous, and that know no edges within a
plane."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import vincolo as vc
from contact_shapes import PAIRS, SHAPES, SOFT, G, dish, flat_mesh, one_on_another, turned
from vincolo.layout import POINT, QUATERNION, of_body
from vincolo.state import State

IDS = [f"{b} on {a}" for a, b in PAIRS]


@pytest.mark.parametrize("rigid", [False, True], ids=["soft", "rigid"])
@pytest.mark.parametrize(("below", "above"), PAIRS, ids=IDS)
def test_recorded_contact_forces_move_the_body(below: str, above: str, rigid: bool) -> None:
    """Newton's law at every sample, from recorded acceleration and recorded force."""
    law = {"restitution": 0.3, "friction": 0.3} if rigid else {**SOFT, "friction": 0.3}
    m = one_on_another(below, above, 0.05 if above == "mesh" else 0.02, turned((1, 2, 3), 0.15), (0.01, 0.005), **law)
    integrator = vc.Moreau(step=5e-4) if rigid else vc.Auto()
    result = vc.simulate(m, 0.15, outputs=300, integrator=integrator, max_steps=50_000)
    assert result.complete
    force = np.column_stack([result[f"c.force.{x}"] for x in "xyz"])
    acceleration = np.column_stack([result[f"b.a{x}"] for x in "xyz"])
    scale = max(G, float(np.abs(force).max()))
    assert scale > 5 * G  # it has hit
    assert np.abs(acceleration - force + [0, 0, G])[1:].max() < 1e-9 * scale  # Newton's law
    assert (result["c.force"] >= 0).all()
    assert (result["c.force"] == 0)[result["c.gap"] > 1e-6].all() or rigid
    assert np.abs(result["c.gap"]).max() < 0.2
    assert result["c.gap"].min() > -0.01


@pytest.mark.parametrize("sense", [1.0, -1.0], ids=["bowl", "hill"])
@pytest.mark.parametrize("shape", ["sphere", "capsule", "box", "hull"])
def test_a_body_on_a_curved_mesh_is_carried_by_the_recorded_force(shape: str, sense: float) -> None:
    m = vc.Model("dish")
    x = 0.3 if sense > 0 else 0.1
    b = m.body("b", 1.0, (0.001, 0.0012, 0.0015), at=(x, 0.05, sense * x * x + SHAPES[shape][1] + 0.03 + 0.3 * x))
    m.contact("c", m.ground, b, dish(sense), SHAPES[shape][0], stiffness=1e6, damping=2.0, friction=0.2)
    result = vc.simulate(m, 1.0, max_steps=50_000)
    assert result.complete
    force, acceleration = (np.column_stack([result[f"{name}{x}"] for x in "xyz"]) for name in ("c.force.", "b.a"))
    assert np.abs(force).max() > 2 * G
    assert np.abs(acceleration - force + [0, 0, G]).max() < 1e-9 * np.abs(force).max()
    assert -0.02 < result["c.gap"].min() < 0
    assert (result["c.force"] == 0)[result["c.gap"] > 0].all()
    assert np.abs(result["energy.balance"]).max() < 1e-6
    place = np.hypot(result["b.x"], result["b.y"])
    assert (result["b.z"] > sense * place**2 - 0.03)[place < 0.5].all()  # it does not fall through


def paths(below: str, above: str, count: int) -> Any:
    """Places and quaternions along straight ways through shallow overlap: moved, turned, tilted."""
    rng = np.random.default_rng(7)
    top = SHAPES[below][2] + SHAPES[above][1]
    s = np.linspace(0, 1, count)[:, None]
    for tilt in (0.0, 1e-4, 1e-2, 0.3):
        first, last = (np.append(rng.uniform(-0.12, 0.12, 2), top - rng.uniform(2e-4, 2e-3)) for _ in range(2))
        angles = rng.uniform(-1, 1, 3) * [tilt, tilt, 1.0], rng.uniform(-1, 1, 3) * [tilt, tilt, 1.0]
        q = np.concatenate([np.ones((count, 1)), 0.5 * ((1 - s) * angles[0] + s * angles[1])], axis=1)
        yield (1 - s) * first + s * last, q / np.linalg.norm(q, axis=1)[:, None]
    centred = np.column_stack([np.zeros(count), np.zeros(count), np.full(count, top - 5e-4)])
    yield centred, np.column_stack([np.cos(s / 2), 0 * s, 0 * s, np.sin(s / 2)])


def wrench(system: Any, p: Any, q: Any) -> Any:
    """Force and torque of the contact on the body at a place, over 0.1 m."""
    y = system.drawn.y.copy()
    of_body(y, 0)[POINT], of_body(y, 0)[QUATERNION] = p, q / np.linalg.norm(q)
    state = State(system, 0.0, y, np.zeros(0))
    force = np.array([state[f"c.force.{x}"] for x in "xyz"])
    arm = np.array([state[f"c.point.{x}"] for x in "xyz"]) - p
    return np.append(force, np.cross(arm, force) / 0.1)


def between(system: Any, p: Any, p_end: Any, q: Any, q_end: Any, s: float) -> Any:
    """The same at a share of the way from one place to another."""
    return wrench(system, (1 - s) * p + s * p_end, (1 - s) * q + s * q_end)


def jump(force: Any) -> float:
    """What is left of the change of a function between 0 and 1 where it changes most, halved 40 times."""
    low, high = 0.0, 1.0
    at_low, at_high = force(low), force(high)
    for _ in range(40):
        middle = (low + high) / 2
        between = force(middle)
        if np.abs(between - at_low).max() > np.abs(at_high - between).max():
            high, at_high = middle, between
        else:
            low, at_low = middle, between
    return float(np.abs(at_high - at_low).max())


@pytest.mark.parametrize(("below", "above"), [p for p in PAIRS if p[0] != "mesh" and p[1] not in ("mesh", "surface")])
def test_compliant_force_is_continuous_along_every_path(below: str, above: str) -> None:
    system = vc.compile(one_on_another(below, above, 0.0, stiffness=1e6, exponent=1.0, law="linear"))
    for places, turns in paths(below, above, 200):
        forces = np.array([wrench(system, p, q) for p, q in zip(places, turns, strict=True)])
        changes = np.abs(np.diff(forces, axis=0)).max(axis=1)
        for k in np.argsort(changes)[-4:]:
            ends = places[k], places[k + 1], turns[k], turns[k + 1]
            assert jump(partial(between, system, *ends)) <= 1e-6 * np.abs(forces).max()


SLIDERS: dict[str, tuple[Any, float]] = {
    "box": ({"kind": "box", "size": [0.3, 0.2, 0.1]}, 0.05), "sphere": ({"kind": "sphere", "radius": 0.1}, 0.1),
    "capsule": ({"kind": "capsule", "radius": 0.05, "length": 0.3, "axis": "x"}, 0.05),
    "hull": ({"kind": "hull", "points": [[0.1, 0.1, -0.05], [-0.1, 0.1, -0.05], [-0.1, -0.1, -0.05],
                                         [0.1, -0.1, -0.05], [0, 0, 0.1]]}, 0.05)}


def sliding(shape: str, surface: Any, yaw: float, rigid: bool, axes: Any) -> Any:
    """Force and places, in the axes of the surface, of a body that slides over it for 0.8 s."""
    form, height = SLIDERS[shape]
    m = vc.Model("slider", gravity=tuple(axes @ [0, 0, -G]))
    b = m.body("b", 1.0, (0.003, 0.005, 0.006), at=axes @ [-0.6, -0.3, height - (0 if rigid else 1e-4)],
               orientation=axes @ turned((0, 0, 1), yaw), velocity=axes @ [1.3, 0.4, 0])
    m.frame("g", m.ground, (0, 0, 0), z=axes[:, 2], x=axes[:, 0])
    law: dict[str, Any] = {"restitution": 0.0} if rigid else {"stiffness": 1e6, "damping": 5.0}
    m.contact("c", "g", b, surface, form, friction=0.1, **law)
    steps = vc.Moreau(step=1e-3) if rigid else vc.Auto(rtol=1e-9, atol=1e-11)
    result = vc.simulate(m, 0.8, outputs=80, integrator=steps, max_steps=20_000)
    assert result.complete
    return result["c.force"], np.column_stack([result[f"b.{x}"] for x in "xyz"]) @ axes


@pytest.mark.parametrize("rigid", [False, True], ids=["soft", "rigid"])
@pytest.mark.parametrize("shape", SLIDERS)
def test_a_flat_mesh_is_a_plane_however_it_is_cut_into_triangles(shape: str, rigid: bool) -> None:
    for yaw in (0.0, 0.3):
        force, known = sliding(shape, "plane", yaw, rigid, np.eye(3))
        for cells in (1, 2, 10):
            for axes in (np.eye(3), turned((1, 2, 0.5), 1.1)):
                other, found = sliding(shape, flat_mesh(cells), yaw, rigid, axes)
                assert found == pytest.approx(known, abs=1e-9)
                assert other[1:] == pytest.approx(force[1:], abs=1e-4)


#: where the upper cube is: along x and y [m], turned about an axis by an angle
STACKS = {"centred": (0.0, 0.0, (0, 0, 1), 0.0), "offset": (0.05, 0.03, (0, 0, 1), 0.0),
          "turned 45 degrees": (0.0, 0.0, (0, 0, 1), math.pi / 4), "turned a little": (0.0, 0.0, (0, 0, 1), 1e-3),
          "tilted": (0.0, 0.0, (1, 0.3, 0), 1e-3)}
CUBE = {"kind": "box", "size": [0.2, 0.2, 0.2]}


@pytest.mark.parametrize("name", STACKS)
def test_a_cube_rests_on_a_cube_with_its_weight(name: str) -> None:
    """Four times the stiffness carries it, as four corners on a plane do: 4 k d^1.5 = m g where the load is centred."""
    m = vc.Model(name)
    x, y, axis, angle = STACKS[name]
    b = m.body("b", vc.shapes.box((0.2, 0.2, 0.2), mass=1.0), at=(x, y, 0.0999), orientation=turned(axis, angle))
    m.contact("c", m.ground.frame((0, 0, -0.1)), b, CUBE, CUBE, stiffness=1e6, damping=20.0, friction=0.3)
    result = vc.simulate(m, 2.0, max_steps=30_000)
    assert result.complete
    assert result.statistics["steps"] < 10_000
    assert result["c.force.z"][-1] == pytest.approx(G, rel=1e-4)
    assert np.abs(result["energy.balance"]).max() < 1e-8
    if name != "offset":
        assert result["c.gap"][-1] == pytest.approx(-(G / 4e6)**(2 / 3), rel=1e-3)


def test_a_stack_of_three_carries_the_weights_above() -> None:
    m = vc.Model("stack")
    below: Any = m.ground.frame((0, 0, -0.1))
    for k in range(3):
        b = m.body(f"b{k}", vc.shapes.box((0.2, 0.2, 0.2), mass=1.0), at=(0, 0, 0.1 + 0.2 * k - 2e-4 * (k + 1)))
        m.contact(f"c{k}", below, b, CUBE, CUBE, stiffness=1e6, damping=20.0, friction=0.3)
        below = b
    result = vc.simulate(m, 2.0, max_steps=30_000)
    assert result.complete
    assert [result[f"c{k}.force"][-1] for k in range(3)] == pytest.approx([3 * G, 2 * G, G], rel=1e-3)
