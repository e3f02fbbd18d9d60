"""Inverse dynamics by recursion is what drives on all coordinates push: on random trees of all joints that have
coordinates of their own, either way around, with springs, dampers and loads; and forward dynamics undoes it."""

from __future__ import annotations

import numpy as np
import pytest

import vincolo as vc

KINDS = ("revolute", "prismatic", "cylindrical", "planar", "slot", "screw")


def tree(seed: int, *, laws: str) -> tuple[vc.Model, list[str]]:
    """A random tree of three to eight bodies and the names of its coordinates; `laws` is "none", "own" (along
    coordinates) or "any" (also between points, and loads)."""
    rng = np.random.default_rng(seed)
    m = vc.Model(f"tree {seed}", gravity=tuple(rng.normal(size=3) * 5))
    bodies, at, names = [m.ground], [np.zeros(3)], []
    for k in range(int(rng.integers(3, 9))):
        on = int(rng.integers(0, len(bodies)))
        place = at[on] + rng.normal(size=3)
        body = m.body(f"b{k}", rng.uniform(0.5, 3), tuple(0.6 + 0.5 * rng.random(3)), tuple(place + rng.normal(size=3)))
        kind = str(rng.choice(KINDS if k else KINDS[:3]))
        pair = (body, bodies[on]) if rng.random() < 0.4 else (bodies[on], body)
        axis, across = rng.normal(size=3), rng.normal(size=3)
        extra = {"pitch": 0.3} if kind == "screw" else {}
        joint = getattr(m, kind)(f"J{k}", *(p.frame(place, z=axis, x=across) for p in pair), **extra)
        names += [f"J{k}.{name}" for name in joint if (kind, name) != ("screw", "travel")]
        bodies.append(body)
        at.append(place)
    for k, name in enumerate(names[::2] if laws != "none" else []):
        if k % 2:
            m.spring(f"S{k}", name, k=30.0, c=2.0, length=0.1, preload=1.0)
        else:
            m.law(f"S{k}", name, "3*d + 0.5*dd*abs(dd) + sin(t)")
    if laws == "any":
        m.spring("between", bodies[1].frame(at[1] + 0.2), bodies[-1].frame(at[-1] - 0.3), k=50.0, c=1.0)
        m.force("load", bodies[-1], (1.0, "2*t + 1", -3.0))
        m.torque("twist", bodies[1], (1.0, 0.5, -0.3), axes="body")
    return m, names


def drawn_motion(names: list[str], seed: int, samples: int = 3) -> list[dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    return [{name: rng.uniform(-size, size, samples) for name in names} for size in (4.0, 2.0, 5.0)]


@pytest.mark.parametrize("laws", ["none", "own", "any"])
def test_forces_are_those_of_drives_on_all_coordinates(laws: str) -> None:
    for seed in range(70):
        model, names = tree(seed, laws=laws)
        q, v, a = drawn_motion(names, seed)
        found = vc.inverse_dynamics(model, q, v, a, times=[0.0, 0.5, 1.0])
        for k, t in enumerate((0.0, 0.5, 1.0)):
            driven = model.copy()
            for n in names:
                x, u, w = q[n][k], v[n][k], a[n][k]
                driven.drive(n, vc.functions.Polynomial((x - u * t + w * t * t / 2, u - w * t, w / 2)), name=f"D {n}")
            state = vc.assemble(driven, t=t)
            force = {n: state[f"D {n}.force"] for n in names}
            size = max(map(abs, force.values()))
            assert max(abs(found[n][k] - force[n]) for n in names) < 1e-9 * size, f"{laws}, {seed}"


@pytest.mark.parametrize("laws", ["none", "own", "any"])
def test_forward_dynamics_undoes_it(laws: str) -> None:
    for seed in range(100, 130):
        model, names = tree(seed, laws=laws)
        start = vc.assemble(model, given=dict.fromkeys(names, 0.3) | {f"{n}.rate": 0.7 for n in names})
        solution, own = start.solve(vc.formulations.JointCoordinates()), start.solve(vc.formulations.Sparse())
        assert np.abs(solution.acceleration - own.acceleration).max() < 1e-9 * np.abs(own.acceleration).max()
        free = {n: start[f"{n}.acceleration"] for n in names}
        motion = dict.fromkeys(names, 0.3), dict.fromkeys(names, 0.7), free
        found = vc.inverse_dynamics(start.system, *motion, start=start)
        weight = max(np.abs(solution.acceleration).max(), 1.0) * sum(b.mass for b in model.bodies.values())
        assert max(map(abs, found.values())) < 1e-9 * weight, f"{laws}, {seed}"


def test_a_drive_of_the_model_gives_its_coordinate() -> None:
    m = vc.Model("arm")
    one, two = m.body("one", 1.0, 0.1, (0.5, 0, 0)), m.body("two", 2.0, 0.1, (1.5, 0, 0))
    m.revolute("A", m.ground, one, at=(0, 0, 0), axis="y")
    m.revolute("B", one, two, at=(1, 0, 0), axis="y")
    rest, moved = (vc.inverse_dynamics(m, {"A.angle": 0.2, "B.angle": q}, {"A.angle": 1.0, "B.angle": v},
                                       {"A.angle": 2.0})["A.angle"] for q, v in ((0.0, 0.0), (0.9, 3.0)))
    m.drive("B.angle", "3*t")
    found = vc.inverse_dynamics(m, {"A.angle": 0.2}, {"A.angle": 1.0}, {"A.angle": 2.0}, times=0.3)["A.angle"]
    assert abs(found - moved) < 1e-12 * abs(moved) and abs(moved - rest) > 0.1 * abs(rest)


def test_a_pendulum_needs_what_the_textbook_says() -> None:
    m = vc.Model("pendulum", gravity=(0, 0, -9.81))
    m.revolute("O", m.ground, m.body("rod", 2.0, (0.0, 0.3, 0.3), (0.4, 0, 0)), at=(0, 0, 0), axis="y")
    q, a = np.linspace(-3, 3, 7), np.linspace(0, 4, 7)
    found = vc.inverse_dynamics(m, {"O.angle": q}, {"O.angle": 5.0}, {"O.angle": a})["O.angle"]
    assert np.abs(found - ((0.3 + 2 * 0.4**2) * a - 2 * 9.81 * 0.4 * np.cos(q))).max() < 1e-13 * 20


@pytest.mark.parametrize("laws", ["own", "any"])
def test_laws_along_coordinates_follow_turns(laws: str) -> None:
    tight = vc.integrators.DOP853(rtol=1e-11, atol=1e-13)
    for seed in range(4):
        model, names = tree(seed, laws=laws)
        start = vc.assemble(model, given={f"{n}.rate": 12.0 if n.endswith("angle") else 0.5 for n in names})
        one, other = (vc.simulate(start.system, 0.6, start=start, outputs=6, integrator=tight, formulation=f)
                      for f in (vc.formulations.Sparse(), vc.formulations.JointCoordinates()))
        assert other.statistics["energy_imbalance"] < 1e-8 * other.statistics["energy_size"]
        for name in names:
            assert np.abs(one[name] - other[name]).max() < 1e-7, f"{laws}, {seed}, {name}"
