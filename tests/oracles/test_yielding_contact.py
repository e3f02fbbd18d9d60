"""Contacts that give way against closed forms and an independent integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import vincolo as vc

G, K, R, M = 9.80665, 2e5, 0.1, 1.3
LAWS = {"hunt-crossley": {"restitution": 0.7, "speed": 3.0},
        "lankarani-nikravesh": {"law": "lankarani-nikravesh", "restitution": 0.7, "speed": 3.0},
        "damped": {"damping": 0.4, "exponent": 1.3}, "elastic": {}, "linear": {"law": "linear", "damping": 30.0}}


def chi(given: dict[str, float]) -> float:
    e, v = given.get("restitution", 1.0), given.get("speed", 1.0)
    if given.get("law") == "linear":
        return 0.0
    if "damping" in given:
        return given["damping"]
    return (0.75 * (1 - e * e) if given.get("law") else 1.5 * (1 - e)) / v


def falling(given, height=0.4, **more):
    m = vc.Model("ball")
    ball = m.body("ball", vc.shapes.sphere(R, mass=M), at=(0, 0, height))
    m.contact("floor", m.ground, ball, "plane", stiffness=K, **given, **more)
    return m


@pytest.mark.parametrize("law", LAWS)
def test_a_bouncing_ball_follows_a_fine_integration(law):
    given = LAWS[law]
    n = given.get("exponent", 1.0 if law == "linear" else 1.5)
    c = 30.0 if law == "linear" else 0.0

    def slope(_, y):
        d, dd = R - y[0], -y[1]
        force = max(0.0, K * d**n * (1 + chi(given) * dd) + c * dd) if d > 0 else 0.0
        return [y[1], force / M - G]

    times = np.linspace(0, 1.5, 31)
    known = solve_ivp(slope, (0, 1.5), [0.4, 0.0], "DOP853", t_eval=times, rtol=1e-11, atol=1e-12, max_step=2e-4)
    result = vc.simulate(falling(given), 1.5, outputs=times, integrator=vc.integrators.DOP853(rtol=1e-10))
    assert result.complete
    assert result["ball.z"] == pytest.approx(known.y[0], abs=2e-6)
    assert np.abs(result["energy.balance"]).max() < 1e-6 * M * G * 0.4
    if law != "elastic":
        assert result["energy.total"][-1] < 0.97 * result["energy.total"][0]


@pytest.mark.parametrize("integrator", [vc.integrators.Auto(), vc.integrators.Radau(), vc.integrators.BDF(rtol=1e-9),
                                        vc.integrators.RK4(step=2e-5), vc.integrators.GeneralisedAlpha(step=2e-5),
                                        vc.integrators.Rosenbrock(step=2e-5), vc.integrators.Moreau(step=2e-5)])
def test_every_integrator_sees_it(integrator):
    given = LAWS["hunt-crossley"]
    fine = vc.simulate(falling(given), 0.45, outputs=3, integrator=vc.integrators.DOP853(rtol=1e-11))
    found = vc.simulate(falling(given), 0.45, outputs=3, integrator=integrator)
    assert found["ball.z"] == pytest.approx(fine["ball.z"], abs=2e-5)
    assert found["ball.vz"][-1] == pytest.approx(fine["ball.vz"][-1], abs=1e-3)


def test_rest_is_where_weight_and_elastic_force_balance():
    depth = (M * G / K)**(2 / 3)
    m = falling({"damping": 20.0}, height=R - depth)
    result = vc.simulate(m, 0.2)
    assert result["ball.z"][-1] == pytest.approx(R - depth, abs=1e-9)
    assert result["floor.force"] == pytest.approx(M * G, rel=1e-6)
    assert result["floor.gap"][-1] == pytest.approx(-depth, rel=1e-6)
    assert result["floor.points"][-1] == 1
    assert result["floor.energy"][-1] == pytest.approx(K * depth**2.5 / 2.5, rel=1e-6)


def test_friction_slows_a_sliding_ball_until_it_rolls():
    # sliding ends at 1 / (1 + 0.4 (R / arm)^2) of the speed, whatever the friction: 5/7 but for half of the depth
    depth = (M * G / K)**(2 / 3)
    arm = R - depth / 2
    rolling = 1 / (1 + 0.4 * (R / arm)**2)
    m = falling({"damping": 20.0}, height=R - depth, friction=0.3, creep=1e-4)
    m.bodies["ball"].velocity[0] = 1.0
    result = vc.simulate(m, 0.5, integrator=vc.Auto(rtol=1e-10, atol=1e-12))
    assert result["ball.vx"][-1] == pytest.approx(rolling, rel=1e-6)
    assert result["ball.wy"][-1] * arm == pytest.approx(rolling, rel=1e-6)
    slow = result.t < 0.05
    assert result["ball.vx"][slow] == pytest.approx(1 - 0.3 * G * result.t[slow], abs=1e-4)
    assert np.abs(result["energy.balance"]).max() < 1e-7
    assert (result["floor.power"] < 1e-9).all()
    assert (result["floor.dissipation"] > 0).all()


@pytest.mark.parametrize("formulation", [vc.formulations.JointCoordinates(), vc.formulations.Lagrange(),
                                         vc.formulations.NullSpace(), vc.formulations.UdwadiaKalaba()], ids=str)
def test_every_formulation_feels_it(formulation):
    m = vc.Model("hammer")
    arm = m.body("arm", vc.shapes.box((1.0, 0.1, 0.1), mass=2.0), at=(0.5, 0, 0.5))
    m.revolute("O", m.ground, arm, at=(0, 0, 0.5), axis="y")
    m.contact("floor", m.ground, arm, "plane", stiffness=1e6, damping=0.2, friction=0.3)
    steps = vc.integrators.DormandPrince(rtol=1e-9)
    known = vc.simulate(m, 0.8, outputs=16, integrator=steps, stabilisation=vc.stabilisations.Projection())
    found = vc.simulate(m, 0.8, outputs=16, integrator=steps, formulation=formulation)
    assert (np.diff(known["arm.z"]) > 0.01).any()  # it is thrown back
    assert found["arm.z"] == pytest.approx(known["arm.z"], abs=1e-6)
    assert np.abs(found["energy.balance"]).max() < 1e-5


def test_implicit_steps_know_the_slopes_of_contact_and_of_its_friction():
    """A ball that slides on a floor of 1 GN/m^1.5 until it rolls: the steps follow its motion, not its stiffness."""
    found = {}
    for integrator in (vc.Radau(), vc.BDF(), vc.Auto()):
        m = vc.Model()
        ball = m.body("ball", vc.shapes.sphere(R, mass=1.0), at=(0, 0, R - 1e-4), velocity=(1.0, 0, 0))
        m.contact("floor", m.ground, ball, "plane", stiffness=1e9, damping=20.0, friction=0.3, creep=1e-4)
        run = vc.simulate(m, 1.0, outputs=10, integrator=integrator)
        found[str(integrator)] = run["ball.x"][-1]
        assert run.statistics["steps"] < 6000  # 28,000 to 95,000 without slopes, of which most were rejected
        assert run.statistics["rejected"] < 1000
    assert np.ptp(list(found.values())) < 1e-6
