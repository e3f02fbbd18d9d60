"""Mechanisms that grow in every way: chain, star, tree, ladder and grid, with masses apart by many orders."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import vincolo as vc
from mechanisms import unit

G = (0.0, -9.81, 0.0)


def bar(model: vc.Model, name: str, p, q, mass: float = 1.0, thin: bool = False) -> vc.Body:
    """A rod between two drawn points, its x axis along it; a thin one has no inertia about it."""
    x = np.subtract(q, p)
    length = float(np.linalg.norm(x))
    x = x / length
    z = np.cross(x, [0.3, 0.2, 1.0] if abs(x[2]) < 0.9 else [1.0, 0, 0])
    z /= np.linalg.norm(z)
    moment = mass * length**2 / 12
    return model.body(name, mass, [0 if thin else 0.1 * moment, moment, moment], at=np.add(p, q) / 2,
                      orientation=np.column_stack([x, np.cross(z, x), z]))


def star(rng, count: int, ratio: float = 1.0, *, thin: bool = False) -> vc.Model:
    """Pendulums about any axes on one body, whose mass is `ratio` times theirs and which hangs in a ball joint."""
    model = vc.Model("star", gravity=G)
    hub = model.body("hub", ratio, ratio * np.array([0.3, 0.4, 0.5]), at=(0, 0, 0))
    model.spherical("foot", model.ground, hub, at=(0.1, 0.4, 0.2))
    for k in range(count):
        at = unit(rng)
        axis = np.cross(at, unit(rng))
        model.revolute(f"J{k}", hub, bar(model, f"spoke{k}", at, 1.4 * at, rng.uniform(0.5, 2), thin), at=at,
                       axis=axis / np.linalg.norm(axis))
    return model


def doors(rng, count: int, ratio: float = 1.0) -> vc.Model:
    """Doors on a free body, each hung in two hinges: five redundant rows each."""
    model = vc.Model("doors", gravity=G)
    hub = model.body("hub", ratio, ratio * np.array([0.3, 0.4, 0.5]), at=(0, 0, 0))
    for k in range(count):
        at, axis = unit(rng), unit(rng)
        leaf = bar(model, f"leaf{k}", at, 1.5 * at, rng.uniform(0.5, 2))
        for n in range(2):
            model.revolute(f"hinge{k}_{n}", hub, leaf, at=at + 0.3 * n * axis, axis=axis)
    return model


def legs(rng, count: int, ratio: float = 1.0) -> vc.Model:
    """Bars between the ground and one coupler, all parallel: a parallelogram many times over, with pendulums on it."""
    model = vc.Model("legs", gravity=G)
    coupler = bar(model, "coupler", (0, 1, 0), (count, 1, 0), ratio)
    for k in range(count):
        leg = bar(model, f"leg{k}", (k + 0.3, 0, 0), (k, 1, 0), rng.uniform(0.5, 2))
        model.revolute(f"foot{k}", model.ground, leg, at=(k + 0.3, 0, 0), axis="z")
        model.revolute(f"head{k}", leg, coupler, at=(k, 1, 0), axis="z")
        model.revolute(f"J{k}", coupler, bar(model, f"arm{k}", (k, 1, 0), (k, 0.4, 0.3), 0.7), at=(k, 1, 0), axis="x")
    return model


def two_stars(rng, count: int, ratio: float = 1.0) -> vc.Model:
    """Two bodies, one `ratio` times as heavy as the other, joined by struts with pendulums on both, one of them driven
    against the ground, and the end of the last spoke of each in a plane."""
    model = vc.Model("two stars", gravity=G)
    hubs = [model.body(f"hub{n}", m, m * np.array([0.3, 0.4, 0.5]), at=(3 * n, 0, 0))
            for n, m in enumerate((1.0, ratio))]
    model.revolute("axle", model.ground, hubs[0], at=(0, 0, 0), axis="z")
    model.drive("axle.angle", "0.3*sin(2*t) + t")
    for n, hub in enumerate(hubs):
        for k in range(count):
            at = np.array([3 * n, 0, 0]) + unit(rng)
            end = at + 0.4 * unit(rng)
            spoke = bar(model, f"spoke{n}_{k}", at, end, rng.uniform(0.5, 2))
            model.universal(f"J{n}_{k}", hub, spoke, at=at, axis=(1, 0, 0), axis2=(0, 1, 0))
            if k == count - 1:
                model.point_on_plane(f"slot{n}", model.ground, spoke, at=end, axis=unit(rng))
    for k in range(2):
        y = 0.5 - k
        strut = bar(model, f"strut{k}", (0.5, y, 0), (2.5, y, 0.1), 0.4)
        model.spherical(f"near{k}", hubs[0], strut, at=(0.5, y, 0))
        model.universal(f"far{k}", strut, hubs[1], at=(2.5, y, 0.1), axis=(0, 1, 0), axis2=(0, 0, 1))
    return model


def tree(rng, count: int, ratio: float = 1.0, branches: int = 2) -> vc.Model:
    """Every body carries some; each is `ratio` times as heavy as what carries it, or as light, by turns."""
    model = vc.Model("tree", gravity=G)
    ends = [(model.ground, np.zeros(3), 1.0)]
    for k in range(count):
        parent, p, mass = ends[(k + branches - 1) // branches]
        q = p + 0.4 * unit(rng)
        body = bar(model, f"body{k}", p, q, mass)
        model.revolute(f"J{k}", parent, body, at=p, axis=unit(rng))
        ends.append((body, q, ratio / mass))
    return model


def ladder(rng, count: int, ratio: float = 1.0) -> vc.Model:
    """Four-bars one below the other: every rung carries the rails of the next, three redundant rows each."""
    model = vc.Model("ladder", gravity=G)
    above = model.ground

    def corner(side: int, k: int) -> tuple:
        return (side + 0.03 * k, 0.1 * side - 0.5 * k, 0)

    for k in range(max(1, count // 3)):
        rung = bar(model, f"rung{k}", corner(0, k + 1), corner(1, k + 1), ratio if k % 2 else 1.0)
        for side in range(2):
            rail = bar(model, f"rail{side}_{k}", corner(side, k), corner(side, k + 1), rng.uniform(0.5, 2))
            model.revolute(f"top{side}_{k}", above, rail, at=corner(side, k), axis="z")
            model.revolute(f"foot{side}_{k}", rail, rung, at=corner(side, k + 1), axis="z")
        above = rung
    return model


def grid(rng, count: int, ratio: float = 1.0) -> vc.Model:
    """A lattice of bars pinned where they meet, hung from the ground in its upper row."""
    model = vc.Model("grid", gravity=G)
    side = max(2, round((count / 2) ** 0.5))
    meeting: dict[tuple, list] = {(0, j): [model.ground] for j in range(side)}

    def node(i: int, j: int) -> tuple:
        return (j + 0.17 * i + 0.01 * i * j, -i + 0.05 * j, 0)

    for i in range(side + 1):
        for j in range(side):
            for u, v in (((i, j), (i + 1, j)), ((i, j), (i, j + 1))):
                if v[0] > side or v[1] == side or (i == 0 and v[0] == 0):
                    continue
                link = bar(model, f"bar{u}{v}", node(*u), node(*v), ratio if (i + j) % 3 == 0 else rng.uniform(0.5, 2))
                meeting.setdefault(u, []).append(link)
                meeting.setdefault(v, []).append(link)
    for at, (carrier, *others) in meeting.items():
        for n, link in enumerate(others):
            model.revolute(f"pin{at}{n}", carrier, link, at=node(*at), axis="z")
    return model


FAMILIES: dict[str, Callable[..., vc.Model]] = {
    f.__name__: f for f in (star, doors, legs, two_stars, tree, ladder, grid)}
