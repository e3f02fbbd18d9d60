"""Reactions of joints and forces of drives against statics, closed forms and dense linear algebra."""

import numpy as np
import pytest
from one_coordinate import slider_crank_terms

import five_bar
import pendulum
import slider_crank
import vincolo as vc
from dense import dense

TIGHT = vc.DOP853(rtol=1e-11, atol=1e-13)


def test_pendulum_at_rest_hangs_with_its_weight():
    model = vc.Model("plumb", gravity=(0, -9.81, 0))
    bob = model.body("bob", 3.0, 0.01, at=(0, -1, 0))
    model.revolute("O", model.ground, bob, at=(0, 0, 0), axis="z")
    result = vc.simulate(model, until=1.0)
    reaction = result.reaction("O")
    assert reaction.unique
    assert reaction.force == pytest.approx(np.tile([0, 3 * 9.81, 0], (len(result), 1)), abs=1e-12)
    assert reaction.torque == pytest.approx(np.zeros((len(result), 3)), abs=1e-12)
    assert reaction.force_on_first == pytest.approx(-reaction.force, abs=1e-12)


def test_rod_of_a_swinging_pendulum_pulls_with_weight_and_centrifugal_force():
    result = vc.simulate(pendulum.build(), until=10.0, integrator=TIGHT)
    p, v = result.point("bob"), result.motion("bob").velocity
    tension = 9.81 * -p[:, 1] + np.einsum("ni,ni->n", v, v)  # m (g cos + v^2 / L), 1 kg and 1 m
    assert result.reaction("O").force == pytest.approx(-p * tension[:, None], abs=1e-8)


def test_cantilever_is_held_by_force_and_moment_at_its_joint():
    model = vc.Model("cantilever", gravity=(0, 0, -10))
    beam = model.body("beam", 2.0, 0.1, at=(0.5, 0, 0))
    model.fixed("wall", model.ground, beam, at=(0, 0, 0))
    model.force("load", beam.frame((1, 0, 0)), (0, 3, 0))
    model.torque("wrench", beam, (7, 0, 0))
    reaction = vc.simulate(model, until=0.1, outputs=1).reaction("wall")
    # on the beam at the wall: - load - weight, and the moments of both about the wall
    assert reaction.force[-1] == pytest.approx([0, -3, 20], abs=1e-11)
    assert reaction.torque[-1] == pytest.approx([-7, -10, -3], abs=1e-11)


def door():
    """A door of 2 m on two hinges in line, swinging under gravity that is not along its axis; five redundant rows."""
    model = vc.Model("door", gravity=(1, 2, -9.81))
    leaf = model.body("leaf", 20.0, (8.0, 6.7, 1.7), at=(0.5, 0, 1), angular_velocity=(0, 0, 2),
                      velocity=(0, 1, 0))
    for name, z in (("lower", 0.2), ("upper", 1.7)):
        model.revolute(name, model.ground, leaf, at=(0, 0, z), axis="z")
    return model


@pytest.mark.parametrize("build", [door, five_bar.build, slider_crank.build], ids=["door", "five-bar", "slider-crank"])
def test_redundant_reactions_are_the_least(build):
    model = build() if build is not slider_crank.build else build(torque=0)
    result = vc.simulate(model, until=1.0, outputs=4)
    for k in range(len(result)):
        state = result.state(k)
        exact = dense(model, state)
        found, lam = result.channels.observed["lam"][k], exact.least_reactions(state)
        largest = np.abs(lam).max()
        assert exact.J.T @ found == pytest.approx(exact.J.T @ lam, abs=1e-9 * largest)
        assert found == pytest.approx(lam, abs=1e-7 * largest)


def test_two_hinges_of_a_door_carry_it_together():
    result = vc.simulate(door(), until=1.0, outputs=4)
    lower, upper, motion = result.reaction("lower"), result.reaction("upper"), result.motion("leaf")
    assert not lower.unique and not upper.unique
    carried = 20 * (motion.acceleration - np.array([1, 2, -9.81]))
    assert lower.force + upper.force == pytest.approx(carried, abs=1e-9)
    assert lower.force[:, 2] == pytest.approx(upper.force[:, 2], rel=1e-6)  # minimum norm: half the weight each


def driven_slider_crank(speed):
    """The slider-crank turned at a constant speed about -y, as its own torque does."""
    model = slider_crank.build(torque=0)
    model.drive("O.angle", f"{speed}*t", name="motor drive")
    return model


def test_drive_torque_of_a_crank_at_constant_speed():
    speed = 6.0
    result = vc.simulate(driven_slider_crank(speed), until=2.0, integrator=TIGHT)
    _, h, slope = slider_crank_terms(np.pi / 4 - speed * result.t)
    torque = -(h * speed**2 + slope)  # M q'' + h q'^2 + V' = -torque with q'' = 0
    assert result["motor drive.force"] == pytest.approx(torque, abs=1e-8 * np.abs(torque).max())
    assert result["motor drive.power"] == pytest.approx(torque * speed, abs=1e-7 * np.abs(torque).max())


def test_work_of_a_drive_is_the_energy_gained():
    result = vc.simulate(driven_slider_crank(6.0), until=2.0, integrator=TIGHT)
    gained = result["energy.total"] - result["energy.total"][0]
    assert np.abs(gained).max() > 10
    assert result["energy.work"] == pytest.approx(gained, abs=1e-9 * np.abs(gained).max())


def test_drive_holds_the_angle_it_is_told():
    result = vc.simulate(driven_slider_crank(6.0), until=2.0)
    assert result["O.angle"] == pytest.approx(6.0 * result.t, abs=1e-9)
    assert result["O.angle.rate"] == pytest.approx(np.full(len(result), 6.0), abs=1e-9)
