"""Chains of many links against closed solutions: rest from far away, the weight in the top joint, the catenary of rigid
links, and vibrations, of point masses by Laguerre's polynomials and of many links by Bessel's function."""


import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import jn_zeros, roots_laguerre

import vincolo as vc

G = 9.81


def hung(points, mass=1.0, *, both=False, masses_at_ends=False, joint="revolute"):
    """Links along a line of points in the plane z = 0, from a fixed joint at the first point on, to another at the last
    if it is hung at both ends. Masses are spread evenly over links, or sit at their lower ends."""
    model = vc.Model("chain", gravity=(0, -G, 0))
    points, before = np.asarray(points, dtype=float), model.ground
    share = mass / (len(points) - 1)

    def join(name, a, b, at):
        more = {} if joint == "spherical" else {"axis": "z"}
        getattr(model, joint)(name, a, b, at=(*at, 0.0), **more)

    for k, (p, q) in enumerate(zip(points, points[1:], strict=False)):
        square = float((q - p) @ (q - p))
        inertia = 0.0 if masses_at_ends else share * square / 12 * np.diag([1.0, 1.0, 1.0])
        link = model.body(f"link{k}", mass=share, inertia=inertia, at=(*(q if masses_at_ends else (p + q) / 2), 0.0))
        join(f"joint{k}", before, link, p)
        before = link
    if both:
        join("end", before, model.ground, points[-1])
    return model


def straight(n, angle=0.0, length=1.0):
    """Points of a chain that is held out straight, at an angle from the horizontal."""
    return np.outer(np.linspace(0, length, n + 1), [np.cos(angle), np.sin(angle)])


def bent(n, span, length=1.0):
    """Points of a chain between two nails, drawn as a V."""
    depth = np.sqrt(length**2 - span**2) / 2
    half = np.linspace(0, 1, n // 2 + 1)[:, None]
    low = np.array([span / 2, -depth])
    return np.vstack([half * low, low + half[1:] * (np.array([span, 0.0]) - low)])


def check_hanging(rest, n, mass=1.0):
    """Straight down, with all the weight in the top joint."""
    low = [rest[f"link{k}.y"] for k in range(n)]
    assert low == pytest.approx(-(np.arange(n) + 0.5) / n, abs=1e-9)
    assert rest.reaction("joint0").force[0] == pytest.approx([0, mass * G, 0], abs=1e-8)
    half = rest.reaction(f"joint{n // 2}").force[0, 1]
    assert half == pytest.approx(mass * G * (n - n // 2) / n, rel=1e-8)
    assert rest.stable and rest.lowest > 0


@pytest.mark.parametrize("angle", [0.0, 1.2, np.pi / 2 - 1e-3], ids=["held out", "raised", "nearly upright"])
@pytest.mark.parametrize("n", [3, 50])
def test_a_chain_hangs_down_from_far_away(n, angle):
    rest = vc.statics(hung(straight(n, angle)))
    check_hanging(rest, n)
    assert rest.idle == 0


def test_links_on_balls_hang_down_and_spin_idly():
    rest = vc.statics(hung(straight(40), joint="spherical"))
    check_hanging(rest, 40)
    assert rest.idle == 40 and len(rest.idle_bodies) == 40 and "no force holds" in rest.message


def check_catenary(rest, n, span, mass=1.0):
    """The forces at both ends of a link add up along it: tan of its slope is the weight carried at its middle over the
    horizontal pull H, and H is what makes the slopes span the nails."""
    weights = mass * G / n * (np.arange(n) - (n - 1) / 2)
    H = brentq(lambda H: np.cos(np.arctan(weights / H)).sum() / n - span, 1e-6, 1e6, xtol=1e-14)
    slopes = np.arctan(weights / H)
    y = np.cumsum(np.sin(slopes)) / n - np.sin(slopes) / (2 * n)
    assert [rest[f"link{k}.y"] for k in range(n)] == pytest.approx(y, abs=1e-8)
    assert rest.reaction("joint0").force[0] == pytest.approx([-H, mass * G / 2, 0], rel=1e-7, abs=1e-7)
    assert rest.stable


@pytest.mark.parametrize("n", [4, 60])
def test_a_chain_between_two_nails_is_the_catenary_of_its_links(n):
    check_catenary(vc.statics(hung(bent(n, 0.6), both=True)), n, 0.6)


@pytest.mark.parametrize("n", [5, 60])
def test_point_masses_vibrate_by_laguerres_polynomial(n):
    """omega^2 = x g / l with L_n(x) = 0, in both ways: all modes, or the lowest ones."""
    state = vc.statics(hung(straight(n, -1.0), masses_at_ends=True)).state
    expected = np.sqrt(roots_laguerre(n)[0] * G * n) / (2 * np.pi)
    lowest = vc.modes(state, 4)
    assert lowest.frequencies == pytest.approx(expected[:4], rel=1e-8)
    assert vc.linearize(state).frequencies == pytest.approx(expected, rel=1e-6)
    assert lowest.stable and lowest.damping_ratios == pytest.approx(np.zeros(4)) and len(lowest) == 4
    assert lowest.shapes.shape == (4, n, 6)
    assert np.abs(lowest.shapes[:, :, [2, 3, 4]]).max() < 1e-6  # in the plane


def test_lowest_modes_are_those_of_the_whole_with_damping_and_without():
    """Sparse against dense, with dampers in the joints and a spring to the ground."""
    model = hung(straight(30, -1.0))
    for k in range(0, 30, 3):
        model.spring(f"s{k}", f"joint{k}.angle", k=0.02, c=1e-3 * (1 + k), length=0.1)
    state = vc.statics(model).state
    lowest, whole = vc.modes(state, 8), vc.linearize(state)
    assert lowest.eigenvalues == pytest.approx(whole.eigenvalues[:8], rel=1e-6)
    assert lowest.damping_ratios.max() > 0.01
    for shape, other in zip(lowest.shapes, whole.modes[:8], strict=True):
        assert abs(np.vdot(shape, other)) == pytest.approx(np.linalg.norm(shape) * np.linalg.norm(other), rel=1e-6)


def test_a_chain_of_fifty_links():
    """How long it takes is measured by benchmarks/analyses_speed.py."""
    check_hanging(vc.statics(vc.compile(hung(straight(50)))), 50)


@pytest.mark.slow
def test_a_thousand_links():
    """Rest, catenary, lowest modes and linear equations of 1,000 bodies: seconds, not hours."""
    n = 1000
    rest = vc.statics(hung(straight(n)))
    check_hanging(rest, n)
    check_catenary(vc.statics(hung(bent(n, 0.6), both=True)), n, 0.6)
    found = vc.modes(rest.state, 20).frequencies
    assert found == pytest.approx(jn_zeros(0, 20) / 2 * np.sqrt(G) / (2 * np.pi), rel=3e-3)  # of a rope
