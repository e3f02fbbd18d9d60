"""A free body spun about its middle axis turns over again and again (Dzhanibekov's effect), 20 s.

Source: Euler's equations (1758) with Jacobi's closed solution (Landau and Lifshitz, Mechanics, section 37). The
angular velocity about the middle axis must follow the elliptic function within 1e-7 rad/s, and the body turns over
every 4.8907 s; energy and angular momentum stay as they were.
"""

import numpy as np
from scipy.special import ellipj, ellipk

import vincolo as vc
from comparison import compare

I1, I2, I3 = 1.0, 2.0, 3.0  # kg m2
SPIN, NUDGE = 3.0, 0.1  # rad/s about the middle and the largest axis


def build() -> vc.Model:
    """The body, without gravity or joints."""
    model = vc.Model("free body", gravity=(0, 0, 0))
    model.body("body", mass=1.0, inertia=(I1, I2, I3), angular_velocity=(0, SPIN, NUDGE))
    return model


def jacobi(t: np.ndarray) -> tuple[np.ndarray, float]:
    """Angular velocity about the middle axis [rad/s], and the time between two flips [s]."""
    E2, M2 = I2 * SPIN**2 + I3 * NUDGE**2, (I2 * SPIN) ** 2 + (I3 * NUDGE) ** 2  # twice the energy; momentum squared
    rate = np.sqrt((I3 - I2) * (M2 - E2 * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1))
    _, cn, dn, _ = ellipj(rate * np.asarray(t), m)
    return SPIN * cn / dn, float(2 * ellipk(m) / rate)


def main() -> list[float]:
    result = vc.simulate(build(), until=20.0, integrator=vc.integrators.DOP853(rtol=1e-11, atol=1e-13))
    motion = result.motion("body")
    about_middle = np.einsum("ni,ni->n", motion.angular_velocity, motion.rotation[:, :, 1])
    reference, flip = jacobi(result.t)
    print(f"the body turns over every {flip:.4f} s; energy drift {result.energy_drift:.1e}")
    return [compare("spin about the middle axis at 20 s", about_middle[-1], reference[-1], "rad/s")]


if __name__ == "__main__":
    main()
