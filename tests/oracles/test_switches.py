"""Joints and drives that are switched off and on during a run."""

import numpy as np
import pytest

import vincolo as vc

G = 9.81
METHODS = [vc.DormandPrince(rtol=1e-10, atol=1e-11), vc.Radau(rtol=1e-9, atol=1e-11), vc.RK4(step=1e-3),
           vc.Adams(rtol=1e-10, atol=1e-11), vc.BDF(rtol=1e-9, atol=1e-10)]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_a_weight_cut_loose_falls(method):
    model = vc.Model(gravity=(0, 0, -G))
    body = model.body("body", 2.0, 0.1)
    model.fixed("rope", model.ground, body, at=(0, 0, 0))
    model.switch("rope", False, at=0.5)
    result = vc.simulate(model, 1.5, outputs=60, integrator=method)
    fallen = np.maximum(result.t - 0.5, 0)
    assert result["body.z"] == pytest.approx(-0.5 * G * fallen**2, abs=1e-8)
    held = result.t < 0.5
    assert result.reaction("rope").force[:, 2][held] == pytest.approx(2.0 * G, abs=1e-9)
    assert result.reaction("rope").force[:, 2][~held] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_a_rail_that_closes_takes_the_momentum_across_it(method):
    """A body flies; from 0.4 s on it may move along x only: the rest of its velocity is gone at once."""
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("body", 2.0, 0.1, velocity=(1.0, 0, 0), angular_velocity=(2.0, 0, 0))
    rail = model.prismatic("rail", model.ground, body, at=(0, 0, 0), axis="x")
    assert rail.row_names()[-1] == "moment about z"
    model.switch(rail, False, rows=[4])
    model.switch("rail", True, at=np.pi / 2, rows=[4])  # after half a turn it is aligned the other way round
    result = vc.simulate(model, 3.0, outputs=60, integrator=method)
    [impact] = result.events
    assert (impact.t, impact.name) == (np.pi / 2, "rail on")
    assert impact.energy == pytest.approx(-0.5 * 0.1 * 2.0**2, abs=1e-7)
    assert result["energy.balance"] == pytest.approx(0.0, abs=1e-6)
    assert result["body.x"] == pytest.approx(result.t, abs=1e-7)
    turning = result.t < np.pi / 2
    assert result["body.wx"][turning] == pytest.approx(2.0, abs=1e-8)
    assert result["body.wx"][~turning] == pytest.approx(0.0, abs=1e-6)


def test_two_bodies_that_couple_share_their_momentum():
    model = vc.Model(gravity=(0, 0, 0))
    one = model.body("one", 3.0, 0.1, velocity=(2.0, 0, 0))
    two = model.body("two", 1.0, 0.1, at=(1.0, 0, 0))
    grip = model.fixed("grip", one, two, at=(0.5, 0, 0))
    assert len(grip.rows) == 6
    model.switch("grip", False)
    model.switch("grip", True, at=0.25, rows=[1, 2, 3, 4, 5])
    model.hold("touch", vc.formula("x_rate", x=vc.along("x", one.frame((0.5, 0, 0)), two.frame((0.5, 0, 0)))))
    model.switch("touch", False)
    model.switch("touch", True, at=0.25)
    result = vc.simulate(model, 1.0, outputs=40)
    assert [event.energy for event in result.events] == pytest.approx([0.5 * 4 * 1.5**2 - 0.5 * 3 * 2.0**2] * 2)
    assert result["energy.balance"] == pytest.approx(0.0, abs=1e-9)
    later = result.t > 0.25
    assert result["one.vx"][later] == pytest.approx(1.5, abs=1e-9)
    assert result["two.vx"][later] == pytest.approx(1.5, abs=1e-9)


def test_a_drive_that_is_switched_off_lets_go():
    model = vc.Model(gravity=(0, 0, 0))
    wheel = model.body("wheel", 1.0, 0.2)
    model.revolute("O", model.ground, wheel, at=(0, 0, 0), axis="z")
    drive = model.drive("O.angle", "t^2")
    model.switch(drive, False, at=1.0)
    result = vc.simulate(model, 3.0, outputs=30, integrator=vc.DormandPrince(rtol=1e-10, atol=1e-11))
    later = np.maximum(result.t - 1.0, 0)
    assert result["O.angle"] == pytest.approx(np.where(later > 0, 1 + 2 * later, result.t**2), abs=1e-8)


def test_what_is_off_at_the_start_does_not_assemble():
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("body", 1.0, 0.1, at=(1, 0, 0))
    model.spherical("S", model.ground.frame((0, 0, 0)), body.frame((1, 0, 0)))
    model.switch("S", False)
    state = vc.assemble(model)
    assert state["body.x"] == 1.0
    assert vc.mobility(state).dof == 6
