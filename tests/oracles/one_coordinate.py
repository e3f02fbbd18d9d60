"""The slider-crank reduced by hand to the one coordinate it has: an independent second implementation."""

import numpy as np
from scipy.integrate import solve_ivp

GRAVITY = 9.80665


def slider_crank_terms(angle):
    """M, h and V' of M q'' + h q'^2 + V' = -torque; q is the crank's angle from x towards z, f the rod's below x."""
    c, s = np.cos(angle), np.sin(angle)
    sin_f, cos_f = s / 2, np.sqrt(1 - s**2 / 4)
    df = c / 2 / cos_f
    ddf = (sin_f * df**2 - s / 2) / cos_f
    # first and second derivatives by the angle of the rod's centre (x, z) and the slider (x)
    dx, dz = -s - sin_f * df, c - cos_f * df
    ddx, ddz = -c - cos_f * df**2 - sin_f * ddf, -s + sin_f * df**2 - cos_f * ddf
    dX, ddX = -s - 2 * sin_f * df, -c - 2 * (cos_f * df**2 + sin_f * ddf)
    M = 0.1 + 0.25 + 0.2 * df**2 + 2 * (dx**2 + dz**2) + 4 * dX**2
    h = 0.2 * df * ddf + 2 * (dx * ddx + dz * ddz) + 4 * dX * ddX
    return M, h, GRAVITY * (0.5 * c + 2 * dz)


def slider_crank_angle(times, torque):
    """Angle [rad] and rate [rad/s] of the crank from rest at 45 degrees."""

    def rates(_, state):
        M, h, slope = slider_crank_terms(state[0])
        return [state[1], (-torque - slope - h * state[1] ** 2) / M]

    return solve_ivp(rates, (0, times[-1]), [np.pi / 4, 0], "DOP853", times, rtol=1e-12, atol=1e-13).y
