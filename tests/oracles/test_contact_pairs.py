"""Gaps and normals of pairs of shapes against coal, which finds them by other algorithms, over random poses."""

from __future__ import annotations

from typing import Any

import coal
import numpy as np
import pytest

import vincolo as vc
from vincolo.layout import POINT, QUATERNION, of_body

ROCK = np.random.default_rng(3).normal(size=(14, 3)) * [0.3, 0.2, 0.25]
POSES = 300

#: shapes by name, and coal's own
SHAPES: dict[str, tuple[Any, Any]] = {
    "sphere": ({"kind": "sphere", "radius": 0.3}, lambda: coal.Sphere(0.3)),
    "capsule": ({"kind": "capsule", "radius": 0.15, "length": 0.6}, lambda: coal.Capsule(0.15, 0.6)),
    "cylinder": ({"kind": "cylinder", "radius": 0.25, "length": 0.5}, lambda: coal.Cylinder(0.25, 0.5)),
    "box": ({"kind": "box", "size": [0.4, 0.3, 0.5]}, lambda: coal.Box(0.4, 0.3, 0.5)),
    "hull": ({"kind": "hull", "points": ROCK.tolist()}, lambda: _coal_hull(ROCK)),
    "plane": ("plane", lambda: coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)),
}
PAIRS = [(a, b) for k, a in enumerate(SHAPES) for b in list(SHAPES)[k:] if (a, b) != ("plane", "plane")]
#: cylinders have 32 sides where they meet what has corners or an edge: half of 1 - cos(pi/32) of the radius, and as
#: much again of a corner of the other
PRISM = 0.25 * 0.5 * (1 - np.cos(np.pi / 32)) * 3


def _coal_hull(points: np.ndarray[Any, Any]) -> Any:
    import vincolo.model.contact_shapes as forms

    form = forms.hull("rock", points)
    corners, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for corner in form.corners:
        corners.append(np.array(corner))
    for loop in form.faces:
        for k in range(1, len(loop) - 1):
            faces.append(coal.Triangle(loop[0], loop[k], loop[k + 1]))
    return coal.Convex(corners, faces)


def _poses(rng: np.random.Generator, count: int, reach: float) -> list[tuple[np.ndarray[Any, Any], Any]]:
    """Quaternions and places at which shapes overlap, or are apart by up to their own size."""
    q = rng.normal(size=(count, 4))
    return list(zip(q / np.linalg.norm(q, axis=1)[:, None], rng.uniform(-reach, reach, size=(count, 3)), strict=True))


def _placed(p: Any, r: Any) -> Any:
    quaternion = coal.Quaternion(float(p[0]), float(p[1]), float(p[2]), float(p[3]))
    return coal.Transform3s(quaternion.matrix(), np.array(r))


def _by_coal(a: Any, at_a: Any, b: Any, at_b: Any) -> tuple[float, Any]:
    """The signed distance and its direction from a to b."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_tolerance, request.epa_tolerance = 1e-10, 1e-8
    request.gjk_max_iterations, request.epa_max_iterations = 1000, 1000
    d = coal.distance(a, at_a, b, at_b, request, result)
    return float(d), np.array(result.normal)


def placed_pair(one: str, two: str) -> tuple[Any, Any]:
    """A system with two shapes on two bodies, and a state of it."""
    m = vc.Model("pair", gravity=(0, 0, 0))
    a, b = (m.body(name, 1.0, 1.0) for name in "ab")
    m.contact("touch", a, b, SHAPES[one][0], SHAPES[two][0], stiffness=1.0)
    system = vc.compile(m)
    return system, system.drawn.y.copy()


def found_at(system: Any, y: Any, first: Any, second: Any) -> Any:
    """The deepest point: place, normal and gap."""
    for k, (p, r) in enumerate((first, second)):
        of_body(y, k)[QUATERNION], of_body(y, k)[POINT] = p, r
    _, places = system.kernel.touches(0.0, y.tolist(), [], np.inf)
    return places[int(places[:, 6].argmin())]


@pytest.mark.parametrize(("one", "two"), PAIRS, ids=[f"{a}-{b}" for a, b in PAIRS])
def test_gaps_are_those_that_coal_finds(one: str, two: str) -> None:
    system, y = placed_pair(one, two)
    first, second = SHAPES[one][1](), SHAPES[two][1]()
    # where cylinders overlap, coal stops at faces that are not the nearest: the next test has them
    apart_only = "cylinder" in (one, two) and "plane" not in (one, two)
    prism = apart_only and "sphere" not in (one, two)
    worst = worst_turn = 0.0
    overlaps = 0
    still, moved = _poses(np.random.default_rng(11), POSES, 0.0), _poses(np.random.default_rng(12), POSES, 0.6)
    for at_a, at_b in zip(still, moved, strict=True):
        place = found_at(system, y, at_a, at_b)
        known, normal = _by_coal(first, _placed(*at_a), second, _placed(*at_b))
        overlaps += known < 0
        if apart_only and known < 0:
            assert place[6] < (PRISM if prism else 1e-6)
            continue
        worst = max(worst, abs(place[6] - known))
        turn = np.linalg.norm(place[3:6] * (-1 if two == "plane" else 1) - normal)
        worst_turn = max(worst_turn, float(turn) if abs(known) > 1e-3 else 0.0)
    assert POSES * 0.05 < overlaps < POSES
    assert worst < (PRISM if prism else 5e-6)
    if {one, two} <= {"sphere", "capsule", "plane"}:
        assert worst_turn < 1e-5


@pytest.mark.parametrize("two", ["sphere", "capsule", "box", "hull", "cylinder"])
def test_moving_out_by_the_depth_parts_cylinders(two: str) -> None:
    one = "cylinder"
    system, y = placed_pair(one, two)
    first, second = SHAPES[one][1](), SHAPES[two][1]()
    sign = -1 if two in ("sphere", "capsule") else 1  # the kernel sees these first
    seen = 0
    still, moved = _poses(np.random.default_rng(21), POSES, 0.0), _poses(np.random.default_rng(22), POSES, 0.4)
    for at_a, at_b in zip(still, moved, strict=True):
        place = found_at(system, y, at_a, at_b)
        if place[6] > -1e-3:
            continue
        seen += 1
        out = at_b[1] + sign * (2 * PRISM - place[6]) * place[3:6]
        known, _ = _by_coal(first, _placed(*at_a), second, _placed(at_b[0], out))
        assert 0 < known < 4 * PRISM
    assert seen > 0.2 * POSES
