"""Random loops that close as drawn: planar linkages of hinges, spatial loops, ladders, joints that are there twice."""

from __future__ import annotations

import numpy as np
from sketch import Sketch
from trees import chain, finish, star

from mechanisms import rotation, unit

LOOP_KINDS = ("revolute", "spherical", "universal", "cylindrical", "prismatic", "constant_velocity", "slot")
FREEDOM = {"revolute": 1, "spherical": 3, "universal": 2, "cylindrical": 2, "prismatic": 1, "constant_velocity": 2,
           "slot": 2, "distance": 5, "guide": 4, "point_on_plane": 5}


def bar(s: Sketch, plane: np.ndarray, p: np.ndarray, q: np.ndarray) -> object:
    """A body between two points of a tilted plane, its centre of mass a little beside the middle."""
    aside = np.array([0.0, 0.0, s.pick([0.0, 0.0, 0.2])])
    middle = 0.5 * (np.asarray(p) + q) + s.pick([0.0, 0.1]) * s.point()[:2]
    return s.body(plane @ (np.append(middle, 0.0) + aside), along=plane @ np.append(np.subtract(q, p), 0.0))


def hinge(s: Sketch, plane: np.ndarray, a: object, b: object, p: np.ndarray, kind: str = "revolute") -> object:
    """A hinge at a point of a tilted plane, about its normal."""
    first, second = (a, b) if s.chance(0.8) else (b, a)
    return s.joint(kind, first, second, plane @ np.append(p, 0.0), axis=plane[:, 2])


def tilted(s: Sketch) -> np.ndarray:
    """The axes of a plane: random, or with the weight in it."""
    if s.chance(0.5):
        return rotation(s.rng)
    return np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


def four_bar(s: Sketch) -> None:
    """Three bars and the ground, or a chain of more bars, with hinges all along one direction; sometimes with a ball
    and a cylindrical joint instead, so that nothing is redundant."""
    plane = tilted(s)
    count = s.pick([3, 3, 3, 4, 5])
    angles = np.sort(s.rng.uniform(0, 2 * np.pi, count + 1)) + np.arange(count + 1) * 0.4
    corners = [s.between(0.6, 1.2) * np.array([np.cos(a), np.sin(a)]) for a in angles * 2 * np.pi / angles[-1] * 0.8]
    bars = [bar(s, plane, corners[k], corners[k + 1]) for k in range(count)]
    parts = [s.ground, *bars, s.ground]
    exact = s.chance(0.3)
    for k, corner in enumerate(corners):
        kind = {1: "spherical", 2: "cylindrical"}.get(k, "revolute") if exact else "revolute"
        hinge(s, plane, parts[k], parts[k + 1], corner, kind)
    finish(s, drive=0.15)


def slider_crank(s: Sketch) -> None:
    """Crank, rod and piston, at any angle; in line with the crank's hinge or not."""
    plane, angle, r, rod = tilted(s), s.between(0, 2 * np.pi), s.between(0.2, 0.5), s.between(0.8, 1.5)
    offset = s.pick([0.0, 0.0, 0.2])
    pin = r * np.array([np.cos(angle), np.sin(angle)])
    end = np.array([pin[0] + np.sqrt(rod**2 - (pin[1] - offset)**2), offset])
    crank, link, piston = bar(s, plane, np.zeros(2), pin), bar(s, plane, pin, end), bar(s, plane, end, end + 0.2)
    O = hinge(s, plane, s.ground, crank, np.zeros(2))  # noqa: E741
    hinge(s, plane, crank, link, pin)
    hinge(s, plane, link, piston, end, s.pick(["revolute", "spherical", "cylindrical"]))
    s.joint("prismatic", s.ground, piston, plane @ np.append(end, 0), axis=plane[:, 0])
    if s.chance(0.4):
        s.drive(f"{O.name}.angle", s.pick([0.4, 3.0]))
    s.forces()


def parallelogram(s: Sketch) -> None:
    """A coupler on two to five cranks of one length, anywhere but flat."""
    cranks(s, s.between(0.3, 2.8) * s.pick([-1, 1]), int(s.rng.integers(2, 6)))
    finish(s, drive=0.1)


def cranks(s: Sketch, angle: float, count: int, plane: np.ndarray | None = None) -> list:
    """A coupler on cranks of one length at an angle to the line of their feet; the hinges at the feet."""
    plane = tilted(s) if plane is None else plane
    tip = s.between(0.5, 1.2) * np.array([np.cos(angle), np.sin(angle)])
    feet = [np.array([x, 0.0]) for x in np.cumsum(s.rng.uniform(0.7, 1.5, count))]
    coupler = bar(s, plane, feet[0] + tip, feet[-1] + tip)
    found = []
    for foot in feet:
        crank = bar(s, plane, foot, foot + tip)
        found.append(hinge(s, plane, s.ground, crank, foot))
        hinge(s, plane, crank, coupler, foot + tip)
    return found


def spatial_loop(s: Sketch) -> None:
    """A chain whose last body is joined to the ground or to the first one again, all joints in general position."""
    count = int(s.rng.integers(2, 6))
    corners = [np.zeros(3)]
    while len(corners) < count + 1:
        corners.append(corners[-1] + unit(s.rng))
    parts = [s.ground] + [s.body((corners[k] + corners[k + 1]) / 2, along=corners[k + 1] - corners[k])
                          for k in range(count)]
    free = 0
    for k in range(count):
        kind = s.pick(LOOP_KINDS)
        free += FREEDOM[kind]
        s.joint(kind, parts[k], parts[k + 1], corners[k])
    closing = [k for k in FREEDOM if free + FREEDOM[k] >= s.pick([6, 7, 7, 8, 8])] or ["point_on_plane"]
    s.joint(s.pick(closing), s.pick([s.ground, s.ground, parts[1]]) if count > 2 else s.ground, parts[-1], corners[-1])
    s.forces()


def ladder(s: Sketch) -> None:
    """Storeys, each a coupler on two or three cranks that stand on the coupler below."""
    plane, width = tilted(s), s.between(0.8, 1.5)
    below, foot = s.ground, np.zeros(2)
    for _ in range(int(s.rng.integers(2, 5))):
        angle, count = s.between(0.5, 2.6), s.pick([2, 2, 3])
        tip = s.between(0.5, 1.0) * np.array([np.cos(angle), np.sin(angle)])
        feet = [foot + np.array([width * k / (count - 1), 0.0]) for k in range(count)]
        coupler = bar(s, plane, feet[0] + tip, feet[-1] + tip)
        for p in feet:
            crank = bar(s, plane, p, p + tip)
            hinge(s, plane, below, crank, p)
            hinge(s, plane, crank, coupler, p + tip)
        below, foot = coupler, foot + tip
    finish(s, drive=0.1)


def mesh(s: Sketch) -> None:
    """A platform on several legs of two bars with a ball, a hinge and a ball or cross each: many loops in space."""
    platform = s.body(np.array([0.0, 0.0, 1.0]))
    legs = int(s.rng.integers(2, 5))
    for k in range(legs):
        turn = 2 * np.pi * (k + s.between(0, 0.5)) / legs
        foot = np.array([np.cos(turn), np.sin(turn), 0.0])
        head = np.array([0.6 * np.cos(turn), 0.6 * np.sin(turn), 1.0])
        knee = (foot + head) / 2 + 0.4 * foot + s.point(0.1)
        lower, upper = s.body((foot + knee) / 2, along=knee - foot), s.body((knee + head) / 2, along=head - knee)
        s.joint(s.pick(["revolute", "universal", "spherical"]), s.ground, lower, foot)
        s.joint("revolute", lower, upper, knee)
        s.joint("spherical", upper, platform, head)
    s.forces()


def bennett(s: Sketch) -> None:
    """Four hinges in space that move by their special geometry alone: links a, b, a, b with twists of which
    a sin(beta) = b sin(alpha); the angles keep tan(p/2) tan(q/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2)."""
    alpha, beta, p = s.between(0.4, 0.9), s.between(1.2, 1.7), s.between(0.6, 2.4)
    a, b = 0.8, 0.8 * np.sin(beta) / np.sin(alpha)
    q = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(p / 2))
    R, at = tilted(s), np.zeros(3)
    places = []
    for angle, length, twist in ((p, a, alpha), (q, b, beta), (-p, a, alpha), (-q, b, beta)):
        places.append((at, R[:, 2]))
        R = R @ turned(2, angle)
        at = at + length * R[:, 0]
        R = R @ turned(0, twist)
    assert np.allclose(at, 0, atol=1e-12)  # it closes
    bars = [s.body((places[k][0] + places[k + 1][0]) / 2) for k in range(3)]
    parts = [s.ground, *bars, s.ground]
    for k, (point, axis) in enumerate(places):
        s.joint("revolute", parts[k], parts[k + 1], point, axis=axis)
    finish(s, drive=0.15)


def turned(axis: int, angle: float) -> np.ndarray:
    """The rotation by an angle about a coordinate axis."""
    c, d = np.cos(angle), np.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[j, j], R[k, k], R[j, k], R[k, j] = c, c, -d, d
    return R


def doubled(s: Sketch) -> None:
    """A tree or linkage in which joints are there twice: doors, forks, yokes."""
    s.pick([chain, star, four_bar, parallelogram])(s)
    common = [j for j in s.model.joints.values() if j.kind in ("revolute", "spherical", "prismatic", "fixed")]
    for joint in common:
        if s.chance(0.5):
            s.again(joint)


def structure(s: Sketch) -> None:
    """Bodies that cannot move: welded or hinged to frames, more often than is needed."""
    parts = [s.ground]
    for _ in range(int(s.rng.integers(1, 5))):
        body = s.body(s.point())
        for _ in range(int(s.rng.integers(2, 4))):
            kind = s.pick(["fixed", "revolute", "spherical", "universal", "prismatic"])
            s.joint(kind, s.pick(parts), body, s.point())
        parts.append(body)
    s.forces()


LOOPS = {"four_bar": four_bar, "slider_crank": slider_crank, "parallelogram": parallelogram,
         "spatial_loop": spatial_loop, "ladder": ladder, "mesh": mesh, "bennett": bennett,
         "doubled": doubled, "structure": structure}
