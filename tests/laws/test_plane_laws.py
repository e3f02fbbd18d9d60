"""Bodies that joints keep in planes of one normal are moved there, by the rows of the plane alone: accelerations,
motion and reactions are those of all rows, whatever the inertias, heights and loads; what is not quite plane is not
taken so."""

from __future__ import annotations

import numpy as np
import pytest
from test_hub_laws import stirred, whole
from test_joint_coordinate_laws import both, difference, reaction_difference

import vincolo as vc


def turned(rng) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


class Drawing:
    """Plane mechanisms with any normal, of bodies with any inertia whose centres lie at any height."""

    def __init__(self, rng, Q: np.ndarray) -> None:
        self.rng, self.Q, self.shift = rng, Q, rng.normal(size=3)
        self.model = vc.Model("net", gravity=tuple(Q @ (0.4, -9.6, 1.9)))
        self.ground = self.model.ground

    def point(self, p, height: float = 0.0):
        return self.shift + self.Q @ (p[0], p[1], height)

    def body(self, name: str, p) -> vc.Body:
        moments = 0.1 * (1 + self.rng.random(3))
        return self.model.body(name, self.rng.uniform(0.5, 2), moments, at=self.point(p, self.rng.normal()),
                               orientation=turned(self.rng))

    def hinge(self, name: str, a, b, p, lean=(0.0, 0.0, 0.0)) -> None:
        axis = self.Q @ (np.array([0, 0, 1.0]) + lean)
        self.model.revolute(name, a, b, at=self.point(p, self.rng.normal()), axis=axis)


def net(rng, cells: int, Q: np.ndarray) -> Drawing:
    """Four-bars one below the other."""
    d = Drawing(rng, Q)
    above = d.ground
    corner = [np.array([0.0, 0.0]), np.array([1.0, 0.1])]
    for k in range(cells):
        below = [p + (0.1 * side + 0.05 * k, -0.8 - 0.1 * side) for side, p in enumerate(corner)]
        rung = d.body(f"rung{k}", sum(below) / 2)
        for side, (p, q) in enumerate(zip(corner, below, strict=True)):
            rail = d.body(f"rail{k}{side}", (p + q) / 2 + 0.1 * rng.normal(size=2))
            d.hinge(f"top{k}{side}", above, rail, p)
            d.hinge(f"foot{k}{side}", rail, rung, q)
        above, corner = rung, below
    return d


def loaded(d: Drawing) -> vc.Model:
    """Springs, dampers and forces that act out of the plane as well."""
    m, rng = d.model, d.rng
    bodies = [b for b in m.bodies.values() if b is not m.ground]
    ends = m.ground.frame(d.point((0.3, 0.9), 2.0)), bodies[-1].frame(d.point((0.2, -1.0), -1.0))
    m.spring("tie", *ends, k=20.0, c=0.5, length=1.0)
    m.spring("turn", "top00.angle", k=3.0, c=0.1)
    m.force("push", bodies[0].frame(d.point((0.5, -0.5), 0.7)), [f"{x:.3f}*cos(3*t)" for x in rng.normal(size=3)])
    m.torque("twist", bodies[1].frame(d.point((0.5, -0.5), 0.7)), list(rng.normal(size=3)), axes="body")
    return m


def mechanism(rng, kind: str) -> vc.Model:
    if kind == "four-bar":
        return loaded(net(rng, 1, turned(rng)))
    if kind == "driven":
        d = net(rng, 2, turned(rng))
        d.model.drive("top00.angle", "0.4*sin(2*t)")
        return loaded(d)
    if kind == "slider":
        d = net(rng, 1, np.eye(3))
        block = d.body("block", (1.5, -1.2))
        d.model.prismatic("rail", d.ground, block, at=d.point((1.5, -1.2), 0.3), axis=(1, 0, 0))
        rod = d.body("rod", (1.3, -1.0))
        d.hinge("crosshead", rod, block, (1.5, -1.2))
        d.hinge("pin", "rung0", rod, (1.0, -0.8))
        return loaded(d)
    if kind == "more":  # joints that hold less or more: a ball and a bar in the loops, a weld, a plate on a table
        d = net(rng, 2, np.eye(3))
        m = d.model
        plate = d.body("plate", (2.0, -1.0))
        m.planar("table", m.ground, plate, at=d.point((2.0, -1.0), 0.4), axis=d.Q @ (0, 0, 1))
        arm = d.body("arm", (1.5, -1.0))
        d.hinge("hold", plate, arm, (2.0, -0.9))
        m.spherical("ball", "rung0", arm, at=d.point((1.1, -0.9), 0.2))
        m.distance("bar", m.ground.frame(d.point((2.5, 0.2), 0.6)), plate.frame(d.point((2.2, -1.0), 0.6)))
        return loaded(d)
    d = net(rng, 1 if kind == "hub" else 12, turned(rng))
    for k in range(14 if kind == "hub" else 0):  # many on one body, by twos joined to each other
        at = np.array([0.3 * k, -1.2])
        spoke = d.body(f"spoke{k}", at)
        d.hinge(f"S{k}", d.model.bodies["rung0"], spoke, at)
        if k % 2:
            bar = d.body(f"bar{k}", at - (0.2, 0.4))
            d.hinge(f"B{k}", bar, spoke, at - (0.1, 0.5))
            d.hinge(f"C{k}", bar, d.model.bodies[f"spoke{k - 1}"], at - (0.3, 0.6))
    return loaded(d)


KINDS = ("four-bar", "driven", "slider", "more", "ladder", "hub")


def slope(state):
    """Accelerations as explicit steps find them, and how many motions bodies have there."""
    dy, _, _, motions, _ = state.system.kernel.slope(state.t, state.y.tolist(), state.turns.tolist())
    return np.concatenate([dy[13 * k + 7: 13 * k + 13] for k in range(len(state.system.centred))]), motions


def agrees(state: vc.State) -> float:
    """Difference of accelerations from those of whole matrices of all rows."""
    acceleration, _ = whole(state.equations())
    return float(np.abs(slope(state)[0] - acceleration).max() / np.abs(acceleration).max())


@pytest.mark.parametrize("kind", KINDS)
def test_motion_in_planes_is_that_of_all_rows(kind, rng):
    for _ in range(3):
        state = stirred(mechanism(rng, kind), rng)
        assert slope(state)[1] == 3 * len(state.system.centred)
        assert agrees(state) < 1e-9
    runs = both(state.system, state, 0.3)
    assert difference(*runs) < 1e-9
    assert reaction_difference(*runs) < 2e-8  # what rtol leaves in a ladder of 36 bodies
    assert max(abs(run.state(len(run) - 1).equations().Phi).max() for run in runs) < 1e-9


def test_rows_that_say_the_same_in_the_plane_are_chosen_once(rng):
    """Two hinges of a door, whose points lie apart along the axis, beside bodies that move in space."""
    for _ in range(6):
        d = Drawing(rng, turned(rng))
        door = d.body("door", (1.3, -0.7))
        for k in range(2):
            d.hinge(f"hinge{k}", d.ground, door, (0.2, 0.1))
        loose = [d.body(f"loose{k}", (k, 1.0)) for k in range(2)]
        d.model.spherical("ball", *loose, at=d.point((0.5, 1.2)))
        state = stirred(d.model, rng)
        system = state.system
        assert slope(state)[1] == 15 and agrees(state) < 1e-9
        run = vc.simulate(system, 0.3, outputs=4, start=state, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
        other = vc.simulate(system, 0.3, outputs=4, start=state, integrator=vc.Radau(rtol=1e-11, atol=1e-12))
        assert run.complete and difference(run, other) < 1e-9


def flat_bodies(state: vc.State) -> int:
    return 2 * len(state.system.centred) - slope(state)[1] // 3


@pytest.mark.parametrize("lean, flat", [(0.0, 2), (1e-6, 0), (1e-10, 0), (0.3, 0)])
def test_an_axis_that_leans_by_a_millionth_is_of_space(lean, flat, rng):
    d = Drawing(rng, turned(rng))
    upper, lower = d.body("upper", (0, -1)), d.body("lower", (0.2, -2))
    d.hinge("shoulder", d.ground, upper, (0, 0))
    d.hinge("elbow", upper, lower, (0.1, -1.5), lean=(lean, 0, 0))
    state = stirred(d.model, rng)
    assert flat_bodies(state) == flat
    assert agrees(state) < 1e-10


def test_what_hangs_on_a_body_that_moves_in_space_is_of_space_and_what_stands_beside_it_is_not(rng):
    d = net(rng, 2, turned(rng))
    frame = d.body("frame", (4, 0))
    d.model.spherical("ball", d.ground, frame, at=d.point((4, 0.5), 0.3))
    arm, hand = d.body("arm", (5, 0)), d.body("hand", (5, -1))
    d.hinge("J1", frame, arm, (5, 0.5))
    d.hinge("J2", arm, hand, (5, -0.5))
    near, far = hand.frame(d.point((5, -1), 1)), d.model.bodies["rung1"].frame(d.point((1, -2), 0))
    d.model.spring("between", near, far, k=10.0, length=1.0)
    state = stirred(d.model, rng)
    assert flat_bodies(state) == 6
    assert agrees(state) < 1e-10


@pytest.mark.parametrize("what", ["friction", "stop", "switch", "strike"])
def test_where_reactions_or_events_have_a_part_in_the_motion_all_rows_stay(what, rng):
    m = net(rng, 1, turned(rng)).model
    if what == "friction":
        m.friction("rub", "top00", mu=0.1, radius=0.05)
    elif what == "stop":
        m.stop("end", "top00.angle", at_least=-2.0)
    elif what == "switch":
        m.event("open", at=0.1, switch_off="foot00")
    else:
        m.event("hit", at=0.1, strike={"top00.angle": 0.5})
    assert flat_bodies(vc.assemble(vc.compile(m))) == 0


def test_a_long_run_leaves_its_planes_by_rounding_alone_and_keeps_its_energy(rng):
    """Nothing across the plane is integrated, and landings put back what rounding has moved."""
    state = stirred(net(rng, 2, turned(rng)).model, rng)
    assert flat_bodies(state) == 6
    run = vc.simulate(state.system, 20.0, start=state, outputs=5, integrator=vc.DOP853(rtol=1e-9, atol=1e-11))
    assert np.abs(run.state(4).equations().Phi).max() < 1e-12
    assert np.abs(run.state(4).equations().Phi_dot).max() < 1e-11
    assert run.statistics["energy_imbalance"] < 1e-6 * run.statistics["energy_range"]
