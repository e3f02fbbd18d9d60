"""Inverse dynamics with rotors: its forces, fed into a run, give the motion back."""

import numpy as np
import pytest

import vincolo as vc


def arm(drive=False):
    """Two links with geared motors, one of which turns with both hinges, and a slide."""
    m = vc.Model("geared arm", gravity=(0, 0, -9.81))
    before, joints = m.ground, []
    for k, axis in enumerate(("z", "y", "x")):
        link = m.body(f"link{k}", 1.0 + k, (0.02, 0.03, 0.04), at=(0.2 + 0.4 * k, 0, 0.05))
        add = m.prismatic if k == 2 else m.revolute
        joints.append(add(f"q{k}", before, link, at=(0.4 * k, 0, 0), axis=axis))
        before = link
    m.rotor("q0.angle", 2e-4, ratio=50.0, name="first")
    m.rotor(joints[1]["angle"] - 0.5 * joints[0]["angle"], 1e-4, ratio=-80.0, name="second")
    m.rotor("q2.travel", 0.3, ratio=2.0, name="third")
    if drive:
        m.drive("q0.angle", "0.4*sin(2*t)")
    return m


MOTION = {"q0.angle": "0.4*sin(2*t)", "q1.angle": "0.3*t^2 - 0.2*t", "q2.travel": "0.05*cos(3*t) - 0.05"}


def samples(text, t):
    """Value, rate and acceleration of a motion at times."""
    function = vc.Expression(text)
    return np.array([function.derivatives(float(x)) for x in t]).T


@pytest.mark.parametrize("drive", [False, True])
def test_forces_of_a_geared_arm_give_its_motion_back(drive):
    t = np.linspace(0, 1.0, 401)
    names = [name for name in MOTION if not (drive and name == "q0.angle")]
    parts = {name: samples(MOTION[name], t) for name in names}
    motion = [{name: parts[name][k] for name in names} for k in range(3)]
    forces = vc.inverse_dynamics(arm(drive), *motion, times=t)
    model = arm(drive)
    for name in names:
        model.actuator(f"push {name}", name, vc.Spline(t, forces[name]))
    start = vc.assemble(model, {**{name: parts[name][0][0] for name in names},
                                **{f"{name}.rate": parts[name][1][0] for name in names}})
    run = vc.simulate(start.system, 1.0, start=start, outputs=t, integrator=vc.DOP853(rtol=1e-10, atol=1e-12))
    for name in names:
        assert run[name] == pytest.approx(parts[name][0], abs=2e-7)


def test_a_rotor_takes_its_reflected_inertia():
    """On a hinge without weight: (I + J ratio^2) a."""
    m = vc.Model("shaft", gravity=(0, 0, 0))
    m.revolute("O", m.ground, m.body("shaft", 1.0, 0.2), at=(0, 0, 0), axis="z")
    m.rotor("O.angle", 0.01, ratio=10.0)
    found = vc.inverse_dynamics(m, {"O.angle": 0.3}, {"O.angle": 2.0}, {"O.angle": 5.0})
    assert found["O.angle"] == pytest.approx((0.2 + 1.0) * 5.0, rel=1e-12)


def test_a_rotor_on_another_measure_is_refused_by_name():
    m = vc.Model("shaft", gravity=(0, 0, 0))
    body = m.body("shaft", 1.0, 0.2)
    m.revolute("O", m.ground, body, at=(0, 0, 0), axis="z")
    m.rotor(vc.along("x", m.ground.frame((0, 0, 0)), body.frame((0.5, 0, 0))), 0.1, name="rack")
    with pytest.raises(vc.ModelError, match="rotor 'rack' turns with a measure that is not a sum of coordinates"):
        vc.inverse_dynamics(m, {"O.angle": 0.3})
