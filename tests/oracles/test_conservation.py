"""What every mechanism must keep along its motion: closed joints, energy, momentum."""

import numpy as np
import pytest

import andrews_squeezer
import bricard
import five_bar
import flyball_governor
import free_body
import heavy_top
import mcpherson
import n_four_bar
import pendulum
import slider_crank
import spatial_double_pendulum
import vincolo as vc

CONSERVATIVE = {"pendulum": (pendulum.build, 10.0), "two four-bars": (n_four_bar.build, 10.0),
                "Bricard": (bricard.build, 10.0), "five-bar": (five_bar.build, 8.0),
                "spatial double pendulum": (spatial_double_pendulum.build, 5.0), "free body": (free_body.build, 20.0),
                "heavy top": (heavy_top.build, 2.0),
                "falling slider-crank": (lambda: slider_crank.build(torque=0), 5.0)}
DRIVEN = {"slider-crank": (slider_crank.build, 5.0), "squeezer": (andrews_squeezer.build, 0.05),
          "governor": (flyball_governor.build, 2.0), "McPherson": (mcpherson.build, 2.0)}
ALL = CONSERVATIVE | DRIVEN


@pytest.fixture(scope="module")
def runs():
    """Every mechanism's run at rtol 1e-9, made when first asked for."""
    made = {}

    def run(name):
        if name not in made:
            build, until = ALL[name]
            made[name] = vc.simulate(build(), until=until, integrator=vc.DormandPrince(rtol=1e-9, atol=1e-10))
            assert made[name].complete
        return made[name]

    return run


@pytest.mark.parametrize("name", [name for name in ALL if name != "free body"])
def test_joints_stay_closed_with_projection(runs, name):
    result = runs(name)
    # projected to 1e-10 after every step; velocities are projected to rounding, measured against the largest
    assert max(result.statistics["position_residual"], result["residual.position"].max()) < 1e-9
    fastest = max(1.0, np.abs(result.y).max())
    assert result["residual.velocity"].max() < 1e-12 * fastest


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_energy_is_conserved(runs, name):
    result = runs(name)
    total = result["energy.total"]
    largest = max(np.abs(result[f"energy.{kind}"]).max() for kind in ("kinetic", "potential"))
    assert np.abs(result["energy.work"]).max() == 0
    assert np.abs(total - total[0]).max() < 1e-6 * largest


@pytest.mark.parametrize("name", DRIVEN)
def test_energy_changes_by_the_work_done(runs, name):
    result = runs(name)
    assert np.abs(result["energy.work"]).max() > 0
    assert result.energy_drift < 1e-6


def test_work_of_a_constant_torque_is_torque_times_turn():
    result = vc.simulate(slider_crank.build(), until=1.0, outputs=2000)
    assert result["motor.power"] == pytest.approx(10 * result["crank.wy"], rel=1e-12)
    assert result["energy.work"][-1] == pytest.approx(10 * result["O.angle"][-1], rel=1e-7)


def test_free_body_conserves_angular_momentum(runs):
    motion = runs("free body").motion("body")
    inertia = np.diag([free_body.I1, free_body.I2, free_body.I3])
    momentum = np.einsum("nij,jk,nlk,nl->ni", motion.rotation, inertia, motion.rotation, motion.angular_velocity)
    # a share of the error per step, rtol 1e-9, in each of some thousand steps
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-6)


def test_thrown_body_spins_while_its_centre_flies_a_parabola():
    model = vc.Model("throw", gravity=(0, 0, -9.81))
    model.body("stick", 2.0, (0.3, 0.2, 0.4), at=(0, 0, 1), com=(0.5, 0, 0), velocity=(1, 2, 3),
               angular_velocity=(0.5, 4, -1))
    model.frame("centre", "stick", local=(0.5, 0, 0))
    result = vc.simulate(model, until=2.0, integrator=vc.DOP853(rtol=1e-10, atol=1e-12))
    start = np.array([0.5, 0, 1])
    launch = np.array([1, 2, 3]) + np.cross((0.5, 4, -1), (0.5, 0, 0))
    t = result.t[:, None]
    assert result.point("centre") == pytest.approx(start + launch * t + 0.5 * np.array([0, 0, -9.81]) * t**2, abs=1e-10)


def test_unjoined_bodies_conserve_linear_and_angular_momentum_under_an_inner_spring():
    model = vc.Model("pair", gravity=(0, 0, 0))
    a = model.body("a", 2.0, (0.1, 0.2, 0.25), at=(0, 0, 0), angular_velocity=(1, 2, 3))
    b = model.body("b", 1.0, (0.3, 0.2, 0.15), at=(1, 0.2, 0), velocity=(0, 1, -1))
    model.spring("spring", a.frame((0.1, 0.2, 0)), b.frame((0.9, 0.1, 0.3)), k=50.0, c=0.4)
    result = vc.simulate(model, until=5.0, integrator=vc.DOP853(rtol=1e-11, atol=1e-13))
    linear, angular = np.zeros((len(result), 3)), np.zeros((len(result), 3))
    for name, mass, moments in (("a", 2.0, (0.1, 0.2, 0.25)), ("b", 1.0, (0.3, 0.2, 0.15))):
        m = result.motion(name)
        linear += mass * m.velocity
        angular += np.cross(m.position, mass * m.velocity)
        angular += np.einsum("nij,j,nkj,nk->ni", m.rotation, moments, m.rotation, m.angular_velocity)
    assert linear == pytest.approx(np.tile(linear[0], (len(result), 1)), abs=1e-11)
    assert angular == pytest.approx(np.tile(angular[0], (len(result), 1)), abs=1e-8)
