"""A quarter car on a double wishbone, once as a model and once by hand: planar geometry, complex steps, energies."""

from __future__ import annotations

import numpy as np

import vincolo as vc

G = 9.80665
K, K_TYRE, C_STRUT = 3.0e4, 2.0e5, 1500.0
REST, RADIUS = 0.36, 0.32  # m: free length of the strut, and of the tyre under the wheel's centre
# hard points (y, z) in the plane of the wheel, as drawn, with the chassis at z = 0
A1, B1 = np.array([0.35, 0.20]), np.array([0.72, 0.18])  # lower arm: hinge and ball
A2, B2 = np.array([0.42, 0.44]), np.array([0.69, 0.46])  # upper arm
WHEEL = np.array([0.76, 0.30])
STRUT, FOOT = np.array([0.47, 0.52]), np.array([0.60, 0.19])  # on the chassis, on the lower arm
CENTRE = np.array([0.0, 0.4])
BODIES = {"chassis": (320.0, 40.0, CENTRE), "lower": (5.0, 0.07, (A1 + B1) / 2), "upper": (3.0, 0.02, (A2 + B2) / 2),
          "upright": (35.0, 0.9, WHEEL)}


def quarter_car(held: bool = False, rest: float = REST) -> vc.Model:
    """The model; `held` fixes the chassis and leaves the tyre away."""
    model = vc.Model("quarter car")
    chassis, lower, upper, upright = (
        model.body(name, mass, inertia, at=spatial(at)) for name, (mass, inertia, at) in BODIES.items())
    if held:
        model.fixed("stand", model.ground, chassis, at=spatial(CENTRE))
    else:
        model.prismatic("ride", model.ground, chassis, at=spatial(CENTRE), axis="z")
        patch, axle = model.ground.frame((0, 0, 0)), upright.frame(spatial(WHEEL))
        model.spring("tyre", vc.along_world("z", patch, axle), k=K_TYRE, length=RADIUS)
    model.revolute("lower hinge", chassis, lower, at=spatial(A1), axis="x")
    model.revolute("upper hinge", chassis, upper, at=spatial(A2), axis="x")
    model.revolute("lower ball", lower, upright, at=spatial(B1), axis="x")
    model.revolute("upper ball", upper, upright, at=spatial(B2), axis="x")
    model.spring("strut", chassis.frame(spatial(STRUT)), lower.frame(spatial(FOOT)), k=K, c=C_STRUT, length=rest)
    return model


def spatial(p: np.ndarray) -> tuple[float, float, float]:
    return (0.0, float(p[0]), float(p[1]))


def turned(v, angle):
    """A vector of the plane turned by an angle; complex numbers welcome."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def length(v):
    return np.sqrt(v[0] ** 2 + v[1] ** 2)


def arms(a):
    """Angles of the upper arm and of the upright for an angle a of the lower arm, all from as drawn: two circles."""
    b = A1 + turned(B1 - A1, a)
    r, far, link = length(A2 - b), length(B2 - A2), length(B2 - B1)
    along = (r**2 + link**2 - far**2) / (2 * r)
    e = (A2 - b) / r
    normal = np.array([e[1], -e[0]])  # the side on which the upper ball is drawn
    ball = b + along * e + np.sqrt(link**2 - along**2) * normal
    return direction(ball - A2) - direction(B2 - A2), direction(ball - b) - direction(B2 - B1)


def direction(v):
    """atan2 that a complex step goes through."""
    base = np.arctan2(np.real(v[1]), np.real(v[0]))
    w = turned(v, -base)
    return base + np.arctan(w[1] / w[0])


def places(q):
    """(y, z, angle) of chassis, lower, upper and upright, for q = (height of the chassis, angle of the lower arm)."""
    lift, a = np.array([0 * q[0], q[0]]), q[1]
    upper, upright = arms(a)
    ball = A1 + turned(B1 - A1, a)
    middles = [(CENTRE, 0 * a), (A1 + turned(BODIES["lower"][2] - A1, a), a),
               (A2 + turned(BODIES["upper"][2] - A2, upper), upper), (ball + turned(WHEEL - B1, upright), upright)]
    return np.array([[*(p + lift), angle] for p, angle in middles])


def strut(a):
    return length(STRUT - A1 - turned(FOOT - A1, a))


def potential(q, rest=REST):
    """Weights, strut and tyre."""
    found = places(q)
    weights = sum(mass * G * row[1] for (mass, _, _), row in zip(BODIES.values(), found, strict=True))
    return weights + K / 2 * (strut(q[1]) - rest) ** 2 + K_TYRE / 2 * (found[3, 1] - RADIUS) ** 2


def slope(f, q):
    """df/dq by complex steps, exact to rounding; one column each."""
    return np.array([np.imag(f(np.asarray(q) + 1e-30j * one)) / 1e-30 for one in np.eye(len(q))]).T


def curvature(f, q, h=1e-5):
    """Second derivatives, by central differences of exact slopes."""
    return np.array([(slope(f, q + h * one) - slope(f, q - h * one)) / (2 * h) for one in np.eye(len(q))])


def rest_by_hand(rest=REST):
    """q at rest, by Newton."""
    q = np.zeros(2)
    for _ in range(50):
        q = q - np.linalg.solve(curvature(lambda x: potential(x, rest), q), slope(lambda x: potential(x, rest), q))
    return q


def mass_by_hand(q):
    """Mass matrix on q."""
    J = slope(lambda x: places(x).ravel(), q)
    diagonal = np.array([[m, m, i] for m, i, _ in BODIES.values()]).ravel()
    return J.T @ (diagonal[:, None] * J)
