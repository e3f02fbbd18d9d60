"""Dry friction of a loose pin in its hole, against closed forms."""

import math

import pytest

import vincolo as vc

G, MASS, INERTIA, RADIUS, GAP = 9.81, 1.0, 1e-3, 0.02, 1e-3


def spinning(mu, spin, phi=0.0):
    """A pin that spins in a hole about y and lies in it by its weight, at an angle from the bottom."""
    m = vc.Model(gravity=(0, 0, -G))
    place = (GAP * math.sin(phi), 0, -GAP * math.cos(phi))
    pin = m.body("pin", MASS, INERTIA, at=place, angular_velocity=(0, spin, 0))
    m.planar("plane", m.ground, pin, at=(0, 0, 0), axis="y")
    hole = m.ground.frame((0, 0, 0), z="y")
    m.clearance("C", "cylindrical", hole, pin.frame(place, z="y"), GAP, friction=mu, radius=RADIUS)
    return m


def test_a_pin_that_slides_in_its_hole_stays_at_the_angle_of_friction_and_slows_down_by_it():
    """Friction carries weight too: the centre rests where tan(phi) = mu, with N = m g cos(phi)."""
    mu = 0.2
    run = vc.simulate(spinning(mu, 200.0, math.atan(mu)), 1.0)
    N = MASS * G / math.hypot(1.0, mu)
    assert run["pin.wy"] == pytest.approx(200.0 - mu * N * RADIUS / INERTIA * run.t, rel=1e-6)
    assert abs(run["pin.x"] - GAP * math.sin(math.atan(mu))).max() < 1e-6
    assert run["C.radial.force"][-1] == pytest.approx(-N, rel=1e-6)
    assert abs(run["energy.balance"]).max() < 1e-8


def test_a_pin_without_spin_sticks_where_it_lies():
    run = vc.simulate(spinning(0.3, 0.0), 0.2)
    assert run["C.radial.friction.stuck"][-1] == 1
    assert abs(run["pin.x"]).max() < 1e-12


def test_an_impact_in_the_hole_turns_the_pin_by_its_friction():
    """A pin that falls and spins meets the bottom: the impulse along it is mu times that across while it slides."""
    m = vc.Model(gravity=(0, 0, 0))
    pin = m.body("pin", MASS, INERTIA, velocity=(0, 0, -0.5), angular_velocity=(0, 200.0, 0))
    m.planar("plane", m.ground, pin, at=(0, 0, 0), axis="y")
    m.clearance("C", "cylindrical", m.ground.frame((0, 0, 0), z="y"), pin.frame((0, 0, 0), z="y"), GAP, friction=0.2,
                radius=RADIUS)
    run = vc.simulate(m, 0.003)
    hit = next(e for e in run.events if e.impulses)
    across, along = abs(hit.impulses["C.radial"]), abs(hit.impulses["C.radial.friction"])
    assert across == pytest.approx(MASS * 0.5, rel=1e-9)
    assert along == pytest.approx(0.2 * across, rel=1e-9)
    assert hit.before["pin.wy"] - hit.after["pin.wy"] == pytest.approx(along * RADIUS / INERTIA, rel=1e-9)


def test_friction_in_play_needs_a_radius():
    m = vc.Model()
    pin = m.body("pin", 1.0, 0.1)
    with pytest.raises(vc.ModelError, match="friction in play needs friction="):
        m.clearance("C", "cylindrical", m.ground.frame((0, 0, 0)), pin.frame((0, 0, 0)), 1e-3, friction=0.2)
