"""Motion of frames that move on their bodies, against differences of it."""

import numpy as np
import pytest

import vincolo as vc

H = 1e-4


@pytest.mark.parametrize("on", ["arm", "ground"])
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_velocities_and_accelerations_are_those_of_the_motion(on, axis):
    m = vc.Model()
    arm = m.body("arm", 1.0, (0.1, 0.2, 0.25), (0.3, 0.1, 0), com=(0.05, 0, 0.1), angular_velocity=(1, 2, -1))
    m.spherical("O", m.ground, arm, (0, 0, 0))
    body = m.ground if on == "ground" else arm
    m.frames["tip"] = body.frame((1, 0, 0.2), z="y", x="z", name="tip").moving(
        "0.2*sin(3*t)", "t^2", vc.Sine(0.1, 2), angle="0.7*t + t^2", axis=axis)
    t = np.array([0.5 - H, 0.5, 0.5 + H])
    result = vc.simulate(m, until=0.6, outputs=t, integrator=vc.DOP853(rtol=1e-12, atol=1e-13))
    motion = result.motion("tip")
    before, now, after = (motion.position[k] for k in range(3))
    assert motion.velocity[1] == pytest.approx((after - before) / (2 * H), abs=1e-5)
    assert motion.acceleration[1] == pytest.approx((after - 2 * now + before) / H**2, abs=2e-3)
    rate = (motion.rotation[2] - motion.rotation[0]) / (2 * H) @ motion.rotation[1].T
    assert motion.angular_velocity[1] == pytest.approx([rate[2, 1], rate[0, 2], rate[1, 0]], abs=1e-5)
    spin = (motion.angular_velocity[2] - motion.angular_velocity[0]) / (2 * H)
    assert motion.angular_acceleration[1] == pytest.approx(spin, abs=1e-4)
    assert result.point("tip")[:3] == pytest.approx(motion.position[:3], abs=1e-14)


def test_a_moving_frame_is_where_the_kernel_measures_it():
    m = vc.Model()
    arm = m.body("arm", 1.0, 0.1, (0.3, 0, 0), angular_velocity=(0, 2, 0))
    m.revolute("O", m.ground, arm, (0, 0, 0), "y")
    m.frames["tip"] = arm.frame((1, 0, 0), name="tip").moving(x="0.2*sin(3*t)", z="0.1*t")
    m.measure("d", vc.distance(m.ground.frame((0.2, 0.1, 2)), m.frames["tip"]))
    result = vc.simulate(m, until=1.0, outputs=10)
    away = np.linalg.norm(result.point("tip") - (0.2, 0.1, 2), axis=1)
    assert away == pytest.approx(result["d"], abs=1e-12)
    v = result.motion("tip").velocity
    rate = np.einsum("ni,ni->n", v, result.point("tip") - (0.2, 0.1, 2)) / away
    assert rate == pytest.approx(result["d.rate"], abs=1e-12)
