"""Assemblies whose links, crosses, carriers and leg halves have no mass; `mass` gives them one, to take limits."""

from __future__ import annotations

from typing import Any

import numpy as np

import vincolo as vc

# double Cardan shaft: inertias about the axes of the shafts, and the angles in which they bend
SHAFTS, BENDS, SPEED = (0.02, 0.05, 0.08), (0.5, 0.35), 12.0
# scissor lift
BAR, STAGES, START, LOAD, STIFF, PRESSED = 0.8, 3, 0.6, 40.0, 4e4, 0.035
# planetary gear: teeth make radii of sun and planet; masses; torque on the sun
SUN, PLANET, PLANET_MASS, PLANET_INERTIA, SUN_INERTIA, TORQUE = 0.04, 0.03, 0.5, 2.5e-4, 8e-4, 0.05
# Watt's linkage: rockers, half the coupler, and the weight
ROCKER, HALF, WEIGHT = 0.6, 0.2, 5.0
LEGS, LEG_K = 6, 4000.0


def _part(m: vc.Model, name: str, mass: float, at: Any, reach: float = 0.1) -> vc.Body:
    """A part of given mass, or without any."""
    return m.body(name, mass, mass * reach**2, at=at)


def double_cardan(mass: float = 0.0) -> vc.Model:
    """Three shafts in the plane of x and y, with two crosses between them; the last can slide in its bearing."""
    m = vc.Model("double Cardan shaft")
    directions = [np.array([np.cos(a), np.sin(a), 0.0]) for a in np.cumsum([0.0, *BENDS])]
    corners = [np.zeros(3), 0.8 * directions[1]]
    z = np.array([0.0, 0.0, 1.0])
    middles = [-0.3 * directions[0], 0.4 * directions[1], corners[1] + 0.3 * directions[2]]
    shafts = [m.body(f"shaft{k + 1}", 3.0, (i, 0.06, 0.06), at=at, orientation=np.column_stack([d, np.cross(z, d), z]))
              for k, (i, d, at) in enumerate(zip(SHAFTS, directions, middles, strict=True))]
    m.revolute("in", m.ground, shafts[0], at=middles[0], axis=directions[0])
    m.cylindrical("out", m.ground, shafts[2], at=middles[2], axis=directions[2])
    arms = [(z, np.cross(z, directions[1])), (np.cross(z, directions[1]), z)]  # on the shaft before, on that after
    for k, (corner, (before, after)) in enumerate(zip(corners, arms, strict=True)):
        cross = _part(m, f"cross{k + 1}", mass, corner)
        m.revolute(f"before{k + 1}", shafts[k], cross, at=corner, axis=before)
        m.revolute(f"after{k + 1}", cross, shafts[k + 1], at=corner, axis=after)
    return m


def wishbones(mass: float = 0.0, rods: bool = False) -> vc.Model:
    """A quarter car in space: chassis on a slide, two wishbones, tie rod, upright, strut on the lower wishbone, tyre.
    With `rods` the upper wishbone and the tie rod are single joints instead of bodies."""
    m = vc.Model("quarter car")
    chassis = m.body("chassis", 320.0, 40.0, at=(0, 0, 0.5))
    upright = m.body("upright", 30.0, (0.9, 1.1, 0.8), at=(0.0, 0.76, 0.30))
    m.prismatic("ride", m.ground, chassis, at=(0, 0, 0.5), axis="z")
    lower, upper = (0.02, 0.72, 0.18), (-0.03, 0.69, 0.46)
    tie_in, tie_out = (0.12, 0.38, 0.25), (0.14, 0.70, 0.26)
    arm = _part(m, "lower arm", mass, (0, 0.5, 0.19))
    m.revolute("lower hinge", chassis, arm, at=(0, 0.35, 0.20), axis=(1, 0.05, 0.02))
    m.spherical("lower ball", arm, upright, at=lower)
    if rods:
        axis, hinge_at = np.array([1, -0.04, 0.03]), np.array([0, 0.42, 0.44])
        beside = (np.array(upper) - hinge_at) @ axis / (axis @ axis) * axis  # to where the ball turns about the axis
        hinge = chassis.frame(hinge_at + beside, z=axis)
        m.spherical_revolute("upper arm", hinge, upright.frame(upper))
        m.distance("tie rod", chassis.frame(tie_in), upright.frame(tie_out))
    else:
        arm2 = _part(m, "upper arm", mass, (0, 0.55, 0.45))
        rod = _part(m, "tie rod", mass, (np.array(tie_in) + tie_out) / 2)
        m.revolute("upper hinge", chassis, arm2, at=(0, 0.42, 0.44), axis=(1, -0.04, 0.03))
        m.spherical("upper ball", arm2, upright, at=upper)
        m.spherical("tie inner", chassis, rod, at=tie_in)
        m.spherical("tie outer", rod, upright, at=tie_out)
    m.spring("strut", chassis.frame((0, 0.47, 0.60)), arm.frame((0.01, 0.60, 0.19)), k=3e4, length=0.48)
    m.spring("tyre", vc.along_world("z", m.ground.frame((0, 0, 0)), upright.frame((0, 0.76, 0.30))), k=2e5, length=0.31)
    return m


def scissor_lift(mass: float = 0.0, stiff: float = STIFF) -> vc.Model:
    """Crossed bars hinged in their middles, three pairs high, under a platform; a spring holds the sliding foot."""
    m = vc.Model("scissor lift")
    c, s = BAR * np.cos(START), BAR * np.sin(START)
    top = m.body("platform", LOAD, 2.0, at=(c / 2, 0, STAGES * s))
    below: list[vc.Body] = []
    for k in range(STAGES):
        bars = [_part(m, f"{side}{k}", mass, (c / 2, 0, (k + 0.5) * s)) for side in ("rising", "falling")]
        m.revolute(f"middle{k}", *bars, at=(c / 2, 0, (k + 0.5) * s), axis="y")
        if k == 0:
            m.revolute("foot", m.ground, bars[0], at=(0, 0, 0), axis="y")
            m.point_on_plane("skate", m.ground, bars[1], at=(c, 0, 0), axis="z")
            m.spring("holder", m.ground.frame((2.0, 0, 0)), bars[1].frame((c, 0, 0)), k=stiff,
                     length=2.0 - c + PRESSED)
        else:
            m.revolute(f"left{k}", below[1], bars[0], at=(0, 0, k * s), axis="y")
            m.revolute(f"right{k}", below[0], bars[1], at=(c, 0, k * s), axis="y")
        below = bars
    m.revolute("top left", below[1], top, at=(0, 0, STAGES * s), axis="y")
    m.point_on_plane("top skate", top, below[0], at=(c, 0, STAGES * s), axis="z")
    return m


def planetary(mass: float = 0.0) -> vc.Model:
    """A sun with a constant torque, three planets in a fixed ring, on a carrier."""
    m = vc.Model("planetary gear", gravity=(0, 0, 0))
    sun = m.body("sun", 0.8, SUN_INERTIA)
    carrier = _part(m, "carrier", mass, (0, 0, 0.02))
    m.revolute("sun bearing", m.ground, sun, at=(0, 0, 0), axis="z")
    m.revolute("carrier bearing", m.ground, carrier, at=(0, 0, 0.02), axis="z")
    ring = 1 + PLANET / SUN * 2
    for k in range(3):
        at = (SUN + PLANET) * np.array([np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3), 0])
        planet = m.body(f"planet{k}", PLANET_MASS, PLANET_INERTIA, at=at)
        m.revolute(f"pin{k}", carrier, planet, at=at, axis="z")
        m.gear(f"sun mesh{k}", sun, planet, (0, 0, 0), at, "z", ratio=PLANET / SUN, pressure_angle=0.35)
        m.gear(f"ring mesh{k}", planet, m.ground, at, (0, 0, 0), "z", ratio=ring * SUN / PLANET, internal=True)
    m.torque("motor", sun, (0, 0, TORQUE))
    return m


def watt(mass: float = 0.0) -> vc.Model:
    """Watt's linkage in the plane of x and z: two rockers and a coupler; a weight hangs on the coupler's middle."""
    m = vc.Model("Watt's linkage")
    a, b = np.array([-ROCKER, 0, HALF]), np.array([ROCKER, 0, -HALF])
    p, q = np.array([0, 0, HALF]), np.array([0, 0, -HALF])
    left, right = _part(m, "left", mass, (a + p) / 2), _part(m, "right", mass, (b + q) / 2)
    coupler = _part(m, "coupler", mass, (0, 0, 0))
    weight = m.body("weight", WEIGHT, 0.03)
    m.revolute("A", m.ground, left, at=a, axis="y")
    m.revolute("P", left, coupler, at=p, axis="y")
    m.revolute("Q", coupler, right, at=q, axis="y")
    m.revolute("B", m.ground, right, at=b, axis="y")
    m.revolute("pin", coupler, weight, at=(0, 0, 0), axis="y")
    m.spring("rope", m.ground.frame((0.02, 0, 1.0)), weight.frame((0, 0, 0)), k=400.0, length=0.9)
    return m


def stewart(mass: float = 0.0, springs: bool = False) -> vc.Model:
    """A platform on six legs of two halves with a spring between them; with `springs` on six springs alone."""
    m = vc.Model("Stewart platform")
    top = m.body("platform", 20.0, (0.8, 0.9, 1.5), at=(0, 0, 0.7), angular_velocity=(0.1, 0.2, 0.3))
    for k in range(LEGS):
        low, high = (np.pi / 3 * (k + shift * (-1) ** k) for shift in (0.3, 0.15))
        foot = np.array([0.6 * np.cos(low), 0.6 * np.sin(low), 0.0])
        head = np.array([0.3 * np.cos(high), 0.3 * np.sin(high), 0.7])
        if springs:
            m.spring(f"leg{k}", m.ground.frame(foot), top.frame(head), k=LEG_K)
            continue
        along = head - foot
        side = np.cross(along, (0, 0, 1.0))
        half, other = _part(m, f"tube{k}", mass, foot + 0.3 * along), _part(m, f"rod{k}", mass, foot + 0.7 * along)
        m.universal(f"foot{k}", m.ground, half, at=foot, axis=side, axis2=np.cross(side, along))
        slide = m.prismatic(f"slide{k}", half, other, at=foot + 0.5 * along, axis=along)
        m.spherical(f"head{k}", other, top, at=head)
        m.spring(f"leg{k}", slide["travel"], k=LEG_K)
    return m


#: the speed with which a run begins
STARTS = {"double_cardan": {"in.angle.rate": SPEED}, "watt": {"A.angle.rate": 3.0}}
ASSEMBLIES = {f.__name__: f for f in (double_cardan, wishbones, scissor_lift, planetary, watt, stewart)}
