"""Laws that read reactions within the solve, in implicit steps: their slopes by the motion, with reactions as found."""

import numpy as np
import pytest

import vincolo as vc

IMPLICIT = [vc.Radau(), vc.BDF(), vc.Rosenbrock(step=2e-4), vc.LinearlyImplicitEuler(step=2e-4)]
ALLOWED = {"radau": 1e-7, "bdf": 2e-6, "rosenbrock": 2e-6, "linearly_implicit_euler": 2e-3}


def rough(speed):
    """Two arms whose pins rub; the friction turns over within so many rad/s."""
    m = vc.Model("rough", gravity=(0, 0, -9.81))
    arm = m.body("arm", 1.0, 0.02, at=(1, 0, 0))
    tip = m.body("tip", 0.4, 0.01, at=(1.6, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    m.revolute("A", arm, tip, at=(1.2, 0, 0), axis="y")
    for joint in "OA":
        m.actuator(f"rub {joint}", f"{joint}.angle", f"-c*{joint}.reaction.force*tanh(dd/v)", c=0.05, v=speed,
                   reactions="solved")
    return m


@pytest.mark.parametrize("integrator", IMPLICIT, ids=str)
def test_implicit_steps_find_the_same_motion(integrator):
    exact = vc.simulate(rough(0.5), 1.0, outputs=5, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    found = vc.simulate(rough(0.5), 1.0, outputs=5, integrator=integrator)
    for name in ("O.angle", "A.angle"):
        assert np.abs(found[name] - exact[name]).max() < ALLOWED[integrator.method]
    rub = -0.05 * found["O.reaction.force"] * np.tanh(found["O.angle.rate"] / 0.5)
    assert np.abs(found["rub O.force"] - rub).max() < 1e-9


@pytest.mark.parametrize("integrator", [vc.Radau(), vc.BDF(), None], ids=str)
def test_stiff_ones_take_steps_that_the_motion_needs(integrator):
    """Explicit steps are bound by the slope of the friction at rest: some 3,000 of them at 1e-4 rad/s, 300,000 at
    1e-6; implicit ones follow the motion."""
    steps = [vc.simulate(rough(v), 1.5, outputs=3, integrator=integrator).statistics["steps"] for v in (1e-4, 1e-6)]
    assert max(steps) < 2500
    ends = [vc.simulate(rough(1e-6), 1.5, outputs=3, integrator=i)["A.angle"][-1]
            for i in (integrator, vc.Radau(rtol=1e-10))]
    assert ends[0] == pytest.approx(ends[1], abs=1e-5)
