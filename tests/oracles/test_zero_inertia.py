"""Point masses and planar data: an inertia of zero is exact where joints fix or carry that rotation."""

import numpy as np
import pytest

import andrews_squeezer
import n_four_bar
import pendulum
import vincolo as vc


def test_point_mass_swings_as_the_closed_solution():
    result = vc.simulate(pendulum.build(), until=10.0, integrator=vc.DOP853(rtol=1e-12, atol=1e-14))
    x, y = pendulum.closed_solution(result.t)
    assert result["bob.x"] == pytest.approx(x, abs=1e-10)
    assert result["bob.y"] == pytest.approx(y, abs=1e-10)


def test_point_mass_has_the_kinetic_energy_of_its_speed_alone():
    result = vc.simulate(pendulum.build(), until=1.0)
    v = result.motion("bob").velocity
    assert result["energy.kinetic"] == pytest.approx(0.5 * np.einsum("ni,ni->n", v, v), abs=1e-12)


def test_planar_data_move_the_squeezer_as_full_inertia_does():
    tight = vc.DOP853(rtol=1e-12, atol=1e-14)
    planar = vc.simulate(andrews_squeezer.build(planar=True), until=0.03, integrator=tight)
    spatial = vc.simulate(andrews_squeezer.build(planar=False), until=0.03, integrator=tight)
    for joint in andrews_squeezer.JOINTS:
        # relative to a crank that turns by 16 rad
        assert planar[f"{joint}.angle"] == pytest.approx(spatial[f"{joint}.angle"], abs=16e-9)


def test_rods_without_inertia_about_their_axis_move_as_thick_ones_do():
    thin = vc.compile(n_four_bar.build(1))
    thick_model = vc.Model("thick", gravity=(0, -9.81, 0))
    for body in n_four_bar.build(1).bodies.values():
        thick_model.body(body.name, body.mass, body.inertia + 0.01 * np.diag([1, 1, 0]), body.at,
                         velocity=body.velocity, angular_velocity=body.angular_velocity)
    for joint in n_four_bar.build(1).joints.values():
        sides = [thick_model.bodies.get(f.body.name, thick_model.ground) for f in (joint.a, joint.b)]
        thick_model.revolute(joint.name, *sides, at=joint.a.drawn_point, axis="z")
    run = {"until": 0.5, "integrator": vc.DOP853(rtol=1e-11, atol=1e-13)}  # before the first singular position
    assert vc.simulate(thin, **run)["foot0.angle"] == pytest.approx(
        vc.simulate(thick_model, **run)["foot0.angle"], abs=1e-9)
