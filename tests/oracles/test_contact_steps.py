"""Steps of contact: bodies that meet at any speed see each other, and a run goes on while they are pressed together."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import vincolo as vc

G = 9.80665


@cache
def after_the_hit(radius: float, offset: float, stiffness: float, speed: float) -> np.ndarray:
    """Velocity of the ball that was still, by a fine integration of how the balls move past each other."""

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        distance = np.hypot(y[0], y[1])
        depth = max(0.0, 2 * radius - distance)
        return np.append(y[2:], 2 * stiffness * depth**1.5 / distance * y[:2])  # masses of 1 kg

    begin = [-2.5 * radius, offset * 2 * radius, speed, 0.0]
    end = 5 * radius / speed
    path = solve_ivp(slope, (0, end), begin, "DOP853", rtol=1e-11, atol=1e-14 * speed, max_step=end / 5000)
    return (np.array([speed, 0.0]) - path.y[2:, -1]) / 2


@pytest.mark.parametrize("integrator", [vc.Auto(), vc.DOP853(), vc.Radau()], ids=str)
@pytest.mark.parametrize("offset", [0.0, 0.9, 0.999])
@pytest.mark.parametrize("speed", [1.0, 1000.0])
def test_billiard_balls_do_not_pass_through_each_other(speed: float, offset: float, integrator: vc.Integrator) -> None:
    """Balls of a millimetre from a metre away; at an offset of 0.999 they overlap along a tenth of a radius only."""
    radius = 1e-3
    stiffness = 1e7 * speed**2 / radius**0.5
    reference = after_the_hit(radius, offset, stiffness, speed)
    for spin in (0.0, 100.0):
        m = vc.Model("balls", gravity=(0, 0, 0))
        still = m.body("still", 1.0, 0.4e-6, angular_velocity=(0, 0, spin))
        shot = m.body("shot", 1.0, 0.4e-6, at=(-1, offset * 2 * radius, 0), velocity=(speed, 0, 0),
                      angular_velocity=(0, spin, 0))
        ball = {"kind": "sphere", "radius": radius}
        m.contact("c", still, shot, ball, ball, stiffness=stiffness)
        result = vc.simulate(m, 3 / speed, integrator=integrator)
        after = np.array([[result[f"{b}.v{x}"][-1] for x in "xy"] for b in ("still", "shot")])
        assert after.sum(axis=0) == pytest.approx([speed, 0], abs=1e-7 * speed)
        assert after[0] == pytest.approx(reference, abs=2e-5 * speed)


def test_a_box_that_falls_on_a_box_lands_on_it() -> None:
    m = vc.Model("drop")
    cube = {"kind": "box", "size": [0.2, 0.2, 0.2]}
    b = m.body("b", vc.shapes.box((0.2, 0.2, 0.2), mass=1.0), at=(0, 0, 0.12))
    m.contact("c", m.ground.frame((0, 0, -0.1)), b, cube, cube, stiffness=1e6, damping=5.0, friction=0.3)
    result = vc.simulate(m, 3.0, max_steps=50_000)
    assert result.complete
    assert result["c.force"][-1] == pytest.approx(G, rel=0.02)
    assert result["b.z"][-1] == pytest.approx(0.1 - (G / 4e6)**(2 / 3), abs=1e-5)
    assert result["c.gap"].min() > -0.005


def test_a_run_goes_on_while_bodies_are_pressed_into_a_compliant_contact() -> None:
    """In two parts it is the same as in one, although the balls overlap by half a radius where it is parted."""
    m = vc.Model("soft")
    ball = m.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0, 0, 0.3))
    m.contact("floor", m.ground, ball, "plane", stiffness=2e3)
    system = vc.compile(m)
    steps = vc.DOP853(rtol=1e-11, atol=1e-12)
    whole = vc.simulate(system, 1.0, outputs=[0.28, 1.0], integrator=steps)
    first = vc.simulate(system, 0.28, integrator=steps)
    assert first["floor.gap"][-1] < -0.03
    second = vc.simulate(system, 1.0, start=first.state(), integrator=steps)
    assert second.complete
    assert second["ball.z"][-1] == pytest.approx(whole["ball.z"][-1], abs=1e-8)
    with pytest.raises(vc.ModelError, match="overlap"):
        deep = vc.Model("deep")
        ball = deep.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0, 0, 0.02))
        deep.contact("floor", deep.ground, ball, "plane", stiffness=2e3)
        vc.simulate(deep, 1.0)
