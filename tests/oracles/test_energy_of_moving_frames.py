"""What moves the ends of springs and the formulas of laws does work; energy and work stay balanced."""

import pytest

import vincolo as vc

FINE = vc.DOP853(rtol=1e-11, atol=1e-12)


def pendulum():
    m = vc.Model()
    arm = m.body("arm", 1.0, 0.1, (0.5, 0, 0))
    m.revolute("O", m.ground, arm, (0, 0, 0), "y")
    return m, arm


def spring_to_a_moving_point():
    m, arm = pendulum()
    m.spring("s", m.ground.frame((1, 0, 1)), arm.frame((1, 0, 0)).moving(x="0.2*sin(3*t)"), k=20, c=0.5)
    return m


def spring_from_a_shaken_ground():
    m, arm = pendulum()
    m.spring("s", m.ground.frame((1, 0, 1)).moving(z="0.3*sin(4*t)"), arm.frame((1, 0, 0)), k=20, preload=2.0)
    return m


def law_on_a_formula_of_time():
    m, _ = pendulum()
    m.law("s", vc.formula("x*(1 + 0.3*sin(5*t))", x=m.joints["O"]["angle"]), "10*d + 0.3*dd + d^3")
    return m


def curve_to_a_moving_point():
    m, arm = pendulum()
    length = vc.distance(m.ground.frame((1, 0, 1)), arm.frame((1, 0, 0)).moving(z="0.2*t^2"))
    m.law("s", length, vc.Spline([0.0, 0.5, 1.0, 3.0], [-5.0, -1.0, 4.0, 20.0]))
    return m


@pytest.mark.parametrize("build", [spring_to_a_moving_point, spring_from_a_shaken_ground, law_on_a_formula_of_time,
                                   curve_to_a_moving_point], ids=lambda f: f.__name__)
def test_energy_and_work_stay_balanced(build):
    result = vc.simulate(build(), until=2.0, outputs=100, integrator=FINE)
    assert result.energy_drift < 1e-8
    assert abs(result["energy.work"]).max() > 1e-2  # there is something to balance


def test_a_shaken_mass_takes_the_work_of_the_shaker():
    """A mass on a spring whose other end moves as a sin(w t): the work is the integral of k (z - a sin w t) times the
    end's speed, here in closed form from the steady and free parts of the motion."""
    import numpy as np

    k, a, w, mass = 50.0, 0.1, 4.0, 2.0
    m = vc.Model(gravity=(0, 0, 0))
    ball = m.body("ball", mass, 0.1, (0, 0, 1))
    m.prismatic("P", m.ground, ball, (0, 0, 1), "z")
    m.spring("s", m.ground.frame((0, 0, 0)).moving(z=f"{a}*sin({w}*t)"), ball.frame((0, 0, 1)), k=k, length=1.0)
    result = vc.simulate(m, until=3.0, outputs=300, integrator=FINE)
    w0 = np.sqrt(k / mass)
    steady = a * w0**2 / (w0**2 - w**2)
    t = result.t
    z = steady * np.sin(w * t) - steady * w / w0 * np.sin(w0 * t)
    assert result["ball.z"] == pytest.approx(1 + z, abs=1e-9)
    v = steady * w * (np.cos(w * t) - np.cos(w0 * t))
    energy = 0.5 * mass * v**2 + 0.5 * k * (z - a * np.sin(w * t)) ** 2
    assert result["energy.work"] - result["energy.work"][0] == pytest.approx(energy - energy[0], abs=1e-8)
