"""Bodies that turn freely in space, against closed forms and equations of fewer variables."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import free_body
import heavy_top
import vincolo as vc

TIGHT = vc.DOP853(rtol=1e-12, atol=1e-14)


def body_spin(result, name):
    """Angular velocity (n, 3) in body axes [rad/s]."""
    motion = result.motion(name)
    return np.einsum("nji,nj->ni", motion.rotation, motion.angular_velocity)


def test_free_body_flips_as_the_elliptic_function_says():
    result = vc.simulate(free_body.build(), until=20.0, integrator=TIGHT)
    expected, flip = free_body.jacobi(result.t)
    assert flip < 10  # at least two flips are seen
    # each of four flips passes the unstable axis, where errors of 1e-12 a step grow by SPIN / NUDGE = 30
    assert body_spin(result, "body")[:, 1] == pytest.approx(expected, abs=1e-7)


def test_free_body_follows_eulers_equations():
    I1, I2, I3 = free_body.I1, free_body.I2, free_body.I3
    result = vc.simulate(free_body.build(), until=20.0, integrator=TIGHT)
    euler = solve_ivp(lambda _, w: [(I2 - I3) / I1 * w[1] * w[2], (I3 - I1) / I2 * w[2] * w[0],
                                    (I1 - I2) / I3 * w[0] * w[1]],
                      (0, 20), [0, free_body.SPIN, free_body.NUDGE], "DOP853", result.t, rtol=1e-12, atol=1e-14)
    assert body_spin(result, "body") == pytest.approx(euler.y.T, abs=1e-7)


def test_heavy_top_follows_the_equation_of_its_axis():
    result = vc.simulate(heavy_top.build(), until=2.0, integrator=TIGHT)
    assert result.point("top") == pytest.approx(heavy_top.reference(result.t), abs=1e-9)
    spin = body_spin(result, "top")[:, 1]
    assert spin == pytest.approx(np.full(len(spin), 150.0), abs=1e-7)  # the spin of a symmetric top is constant


def test_heavy_top_precesses_steadily_with_the_right_spin():
    """m g L = Ja s p for a level axis: it goes round at p without nodding."""
    mass, lever, along, p = 15.0, 1.0, 0.46875, 2.0
    spin = mass * 9.81 * lever / (along * p)
    model = vc.Model("top", gravity=(0, 0, -9.81))
    top = model.body("top", mass, (0.234375, along, 0.234375), at=(0, lever, 0), angular_velocity=(0, spin, p),
                     velocity=np.cross((0, spin, p), (0, lever, 0)))
    model.spherical("tip", model.ground, top, at=(0, 0, 0))
    result = vc.simulate(model, until=2.0, integrator=TIGHT)
    circle = np.column_stack([-np.sin(p * result.t), np.cos(p * result.t), 0 * result.t])
    assert result.point("top") == pytest.approx(circle, abs=1e-8)
