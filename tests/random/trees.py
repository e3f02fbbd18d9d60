"""Random trees: chains, stars, branches, thin and massless-axis bodies, welded beams, transmissions, rolling."""

from __future__ import annotations

import numpy as np
from sketch import Sketch

import vincolo as vc
from mechanisms import unit

TREE_KINDS = ("revolute", "spherical", "universal", "cylindrical", "prismatic", "planar", "fixed", "guide", "parallel",
              "orientation", "slot", "oldham", "constant_velocity", "elbow", "screw", "distance", "perpendicular",
              "point_on_plane", "spherical_revolute", "knife_edge")
HINGED = ("revolute", "universal", "prismatic", "cylindrical", "fixed")
WEIGHTS = (4, 3, 2, 2, 2, 1, 1, 1, 0.5, 0.5, 1, 0.5, 1, 1, 1, 1, 0.3, 0.3, 1, 0.3)


def tree_kind(s: Sketch) -> str:
    """A joint of the catalogue, the common ones more often; or of the kinds the sketch is told to use."""
    if s.kinds:
        return s.pick(s.kinds)
    p = np.array(WEIGHTS) / np.sum(WEIGHTS)
    return str(s.rng.choice(TREE_KINDS, p=p))


def finish(s: Sketch, drive: float = 0.25) -> None:
    """Forces, and now and then a drive on a hinge or slide."""
    driven = [f"{j.name}.{c}" for j in s.model.joints.values() if j.kind in ("revolute", "prismatic")
              for c in j.coordinates]
    if driven and s.chance(drive):
        s.drive(s.pick(driven))
    s.forces()


def chain(s: Sketch) -> None:
    """One body after the other."""
    tip, parent = np.zeros(3), s.ground
    for _ in range(int(s.rng.integers(1, 8))):
        step = unit(s.rng)
        body = s.body(tip + step / 2, along=step)
        s.joint(tree_kind(s), parent, body, tip)
        tip, parent = tip + step, body
    finish(s)


def star(s: Sketch) -> None:
    """Bodies on a hub, which is free or on the ground."""
    hub = s.body(np.zeros(3))
    if s.chance(0.7):
        s.joint(tree_kind(s), s.ground, hub, s.point(0.3))
    for _ in range(int(s.rng.integers(2, 7))):
        step = unit(s.rng)
        s.joint(tree_kind(s), hub, s.body(step, along=step), 0.5 * step)
    finish(s)


def branches(s: Sketch) -> None:
    """Bodies on any earlier one."""
    tips = [(np.zeros(3), s.ground)]
    for _ in range(int(s.rng.integers(3, 12))):
        tip, parent = s.pick(tips)
        step = unit(s.rng)
        body = s.body(tip + step / 2, along=step)
        a, b = (parent, body) if s.chance(0.7) else (body, parent)
        s.joint(tree_kind(s), a, b, tip)
        tips.append((tip + step, body))
    finish(s)


def needles(s: Sketch) -> None:
    """Thin bodies, axial over transverse inertia down to 1e-12 or zero, on joints that may leave their spin free. What
    acts on them acts at their axes: a moment about an axis without inertia would have to spin it without bound."""
    tip, parent = np.zeros(3), s.ground
    for _ in range(int(s.rng.integers(1, 5))):
        step = unit(s.rng)
        thin = s.pick(["needle", "needle", "rod"])
        body = s.body(tip + step / 2, along=step, inertia=thin)
        kind = s.pick(HINGED if thin == "rod" else (*HINGED, "spherical", "spherical", "constant_velocity"))
        across = np.cross(step, unit(s.rng))
        s.joint(kind, parent, body, tip, axis=across / np.linalg.norm(across))
        tip, parent = tip + step, body
    hinges = [f"{j.name}.angle" for j in s.model.joints.values() if j.kind == "revolute"]
    if hinges and s.chance(0.3):
        s.drive(s.pick(hinges))
    if hinges and s.chance(0.3):
        k = s.scale.force * s.scale.length
        s.model.spring("F0", s.pick(hinges), k=s.between(0.5, 4) * k, c=s.pick([0.0, 0.2]) * k * s.scale.time)
    if s.chance(0.4):
        s.model.force("F1", s.bodies[-1].frame(s.scale.length * tip), s.scale.force * s.point(0.5))


def points(s: Sketch) -> None:
    """Bodies without inertia, held so that it does not matter: turning about axes beside their centres."""
    tip, parent = np.zeros(3), s.ground
    for _ in range(int(s.rng.integers(1, 4))):
        step = unit(s.rng)
        body = s.body(tip + step, inertia=s.pick(["point", "cloud"]))
        across = np.cross(step, unit(s.rng))
        s.joint(s.pick(["revolute", "prismatic", "fixed"]), parent, body, tip, axis=across / np.linalg.norm(across))
        tip, parent = tip + 1.4 * step, body
    finish(s, drive=0.1)


def beam(s: Sketch) -> None:
    """Blocks welded to each other and to the ground, or to a hinge that is free, sprung or driven."""
    count = int(s.decades(0.3, 1.8))
    step = unit(s.rng)
    parent = s.ground
    s.span *= 0.5
    for k in range(count):
        body = s.body((k + 0.5) * step, along=step)
        a, b = (parent, body) if s.chance(0.5) else (body, parent)
        kind = "revolute" if k == 0 and s.chance(0.5) else "fixed"
        s.joint(kind, a, b, k * step)
        parent = body
    finish(s)


def transmission(s: Sketch) -> None:
    """Two wheels, or a wheel and a slide, on the ground or on a carrier that turns, tied by a gear, belt, rack, ..."""
    kind = s.pick(["gear", "internal", "belt", "bevel_gear", "rack_and_pinion", "couple"])
    z, x = s.frame_axes()
    base = s.ground
    if s.chance(0.4):
        base = s.body(s.point(0.3))
        s.joint("revolute", s.ground, base, s.point(0.3))
    first, second = s.body(s.point(0.1), extent=0.5), s.body(x + s.point(0.1), extent=0.7)
    one = s.joint("revolute", base, first, np.zeros(3), axis=z)
    axis = x if kind == "bevel_gear" else z
    slides = kind == "rack_and_pinion" or (kind == "couple" and s.chance(0.5))
    two = (s.joint("prismatic", base, second, x, axis=np.cross(z, x)) if slides
           else s.joint("revolute", base, second, x if kind != "bevel_gear" else np.zeros(3), axis=axis))
    _tie(s, kind, (first, second), (z, x), (one, two))
    finish(s)


def _tie(s: Sketch, kind: str, wheels: tuple, axes: tuple, joints: tuple) -> None:
    """The row that makes two wheels turn together."""
    m, L, (z, x) = s.model, s.scale.length, axes
    if kind in ("gear", "internal"):
        m.gear("mesh", *wheels, at=(0, 0, 0), at2=L * x, axis=z, ratio=s.between(1.2, 3), internal=kind == "internal",
               pressure_angle=s.pick([0.0, 0.35]))
    elif kind == "belt":
        m.belt("mesh", *wheels, at=(0, 0, 0), at2=L * x, axis=z, radius=0.3 * L, radius2=s.between(0.1, 0.6) * L,
               crossed=s.chance(0.3))
    elif kind == "bevel_gear":
        m.bevel_gear("mesh", *wheels, at=(0, 0, 0), axis=z, axis2=x, ratio=s.between(0.5, 3), radius=0.3 * L)
    elif kind == "rack_and_pinion":
        m.rack_and_pinion("mesh", *wheels, at=(0, 0, 0), axis=z, along=np.cross(z, x), radius=0.3 * L)
    else:
        names = [f"{j.name}.{'travel' if j.kind == 'prismatic' else 'angle'}" for j in joints]
        unit_of = [L if "travel" in n else 1.0 for n in names]
        m.couple("mesh", {names[0]: 1.0 / unit_of[0], names[1]: s.between(-2, 2) / unit_of[1]})


def curves(s: Sketch) -> None:
    """A bead on a curve, a cam with a follower, or a cam with a flat face."""
    m, L, (z, x) = s.model, s.scale.length, s.frame_axes()
    kind = s.pick(["bead", "cam", "flat_cam"])
    if kind == "bead":
        bead = s.body(s.point(0.1), extent=0.3)
        m.point_on_curve("curve", s.ground, bead, at=(0, 0, 0), axis=z, along=x, point=(0, 0, 0), y=f"0.4*t^2/{L!r}",
                         z=f"{0.2 * L!r}*sin(t/{L!r})")
        return s.forces()
    cam, follower = s.body(s.point(0.1), extent=0.5), s.body(1.5 * x, extent=0.5)
    s.joint("revolute", s.ground, cam, np.zeros(3), axis=z)
    s.joint("prismatic", s.ground, follower, 1.5 * x, axis=x)
    profile = f"{L!r}*(1 + 0.15*cos(2*t))" if kind == "cam" else f"{L!r}*(1 + 0.05*cos(2*t))"
    numbers = {"roller": s.pick([0.0, 0.1]) * L} if kind == "cam" else {"normal": x}
    reach = 1.15 if kind == "cam" else 1.05
    if numbers.get("roller"):
        reach += 0.1
    getattr(m, kind)("curve", cam, follower, at=(0, 0, 0), axis=z, along=x, profile=profile, point=reach * L * x,
                     **numbers)
    return finish(s)


def rolling(s: Sketch) -> None:
    """A ball or an upright disc on a plane, a skate, or a trailer behind them."""
    m, L, (z, x) = s.model, s.scale.length, s.frame_axes()
    m.gravity[:] = -np.linalg.norm(m.gravity) * z
    kind = s.pick(["ball", "disc", "skate"])
    first = s.body(z, extent=0.8)
    s.span *= 0.5
    if kind == "ball":
        m.rolling_ball("floor", s.ground, first, at=(0, 0, 0), normal=z, centre=L * z, radius=L)
    elif kind == "disc":
        m.rolling_disc("floor", s.ground, first, at=(0, 0, 0), normal=z, centre=L * z, axle=x, radius=L)
    else:
        s.joint("planar", s.ground, first, np.zeros(3), axis=z)
        m.knife_edge("blade", s.ground, first, at=L * z + 0.5 * L * x, along=x, normal=z)
    if s.chance(0.5):
        s.joint(s.pick(["spherical", "universal", "revolute"]), first, s.body(z + x), z + 0.5 * x)
    s.forces(0.3)


def carried(s: Sketch) -> None:
    """A chain on a frame of the ground that moves along and turns by functions of time."""
    L, rate = s.scale.length, float(1 / s.scale.time)
    z = unit(s.rng)
    body = s.body(0.5 * unit(s.rng))
    shake = {axis: f"{float(0.2 * L)!r}*sin({s.between(0.5, 3) * rate!r}*t)" for axis in "xyz" if s.chance(0.6)}
    turn = {"angle": f"0.3*sin({s.between(0.5, 3) * rate!r}*t)", "axis": s.pick(["x", "y", "z"])}
    base = s.ground.frame((0, 0, 0), z=z).moving(**shake, **(turn if s.chance(0.5) else {}))
    kind = s.pick(["revolute", "spherical", "universal", "prismatic", "cylindrical", "fixed", "planar", "guide"])
    own = body.frame((0, 0, 0), z=np.cross(z, s.point()) if kind == "universal" else z,
                     x=None if kind == "universal" else base.drawn_axes[:, 0])
    getattr(s.model, kind)("J0", base, own)
    parent, tip = body, unit(s.rng)
    for _ in range(int(s.rng.integers(0, 4))):
        step = unit(s.rng)
        link = s.body(tip + step / 2, along=step)
        s.joint(tree_kind(s), parent, link, tip)
        tip, parent = tip + step, link


def growing(s: Sketch) -> None:
    """A trolley driven out along a boom from a hundredth of the length as drawn to as much as a hundred lengths."""
    L, T, near = s.scale.length, s.scale.time, 0.01
    up, out = s.frame_axes()
    boom, trolley = s.body(s.point(0.05), extent=0.1), s.body(near * out, extent=0.01)
    s.joint(s.pick(["revolute", "universal", "spherical", "fixed"]), s.ground, boom, np.zeros(3), axis=up)
    a, b = (boom, trolley) if s.chance(0.5) else (trolley, boom)
    rail = s.joint("prismatic", a, b, near * out, axis=out)
    reach = s.decades(0, 2) * L * (1 if a is boom else -1)
    s.model.drive(f"{rail.name}.travel", vc.Poly345(0.0, s.span * T, 0.0, reach))
    if s.chance(0.5):
        s.joint(s.pick(["spherical", "revolute", "fixed"]), trolley, s.body(near * out - 0.5 * up), near * out)


TREES = {"chain": chain, "star": star, "branches": branches, "needles": needles, "points": points, "beam": beam,
         "transmission": transmission, "curves": curves, "rolling": rolling, "carried": carried,
         "growing": growing}
