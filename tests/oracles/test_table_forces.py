"""Forces by tables, motors by curves and forces at points fixed in space, against NumPy and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

import vincolo as vc

X, Y = [-1.0, 0.0, 0.5, 2.0], [-3.0, -1.0, 4.0]
F = [[-5.0, -4.0, 0.0], [0.0, 0.0, 1.0], [2.0, 3.0, 5.0], [7.0, 6.0, 9.0]]


def slider(velocity=0.0, at=0.0):
    m = vc.Model("slider", gravity=(0, 0, 0))
    body = m.body("cart", 2.0, 1.0, velocity=(velocity, 0, 0))
    m.prismatic("rail", m.ground, body, at=(0, 0, 0), axis="x")
    return m


def test_a_table_in_two_variables_is_straight_between_its_entries():
    known = RegularGridInterpolator((X, Y), F)
    m = slider()
    m.table_force("table", "rail.travel", X, Y, F)
    m.actuator("shake", "rail.travel", "9*sin(7*t) + 4*cos(3*t)")
    result = vc.simulate(m, 4.0, outputs=400)
    d, dd = np.clip(result["rail.travel"], -1, 2), np.clip(result["rail.travel.rate"], -3, 4)
    assert np.ptp(d) > 1 and np.ptp(dd) > 2
    assert result["table.force"] == pytest.approx(known((d, dd)), abs=1e-12)
    assert result["cart.ax"] == pytest.approx((result["shake.force"] - result["table.force"]) / 2, abs=1e-9)


def test_a_table_over_another_measure():
    m = slider()
    m.body("wheel", 1.0, 0.1, angular_velocity=(0, 0, 1.0))
    m.revolute("axle", m.ground, "wheel", at=(0, 0, 0), axis="z")
    m.table_force("push", "rail.travel", [0, 1], [0, 2], [[0, 4], [0, 4]], over="axle.angle", drives=True)
    result = vc.simulate(m, 1.0)
    assert result["push.force"] == pytest.approx(2 * result["axle.angle"], abs=1e-9)
    assert result["cart.vx"][-1] == pytest.approx(0.5, abs=1e-6)  # 1/2 integral of 2 t


def test_a_motor_runs_up_along_its_curve():
    # torque falls straight from 10 N m to nothing at 50 rad/s: speed 50 (1 - exp(-t/5)) for an inertia of 1
    m = vc.Model("motor", gravity=(0, 0, 0))
    m.body("rotor", 1.0, 1.0)
    m.revolute("axle", m.ground, "rotor", at=(0, 0, 0), axis="z")
    m.motor("motor", "axle.angle", [0, 50], [10, 0])
    result = vc.simulate(m, 4.0)
    assert result["axle.angle.rate"] == pytest.approx(50 * (1 - np.exp(-result.t / 5)), abs=1e-6)
    assert np.abs(result["energy.balance"]).max() < 1e-6


def test_a_motor_is_controlled_by_an_input():
    m = vc.Model("motor", gravity=(0, 0, 0))
    m.body("rotor", 1.0, 1.0)
    m.revolute("axle", m.ground, "rotor", at=(0, 0, 0), axis="z")
    m.input("throttle", value=0.5)
    m.motor("motor", "axle.angle", [0, 50], [10, 10], control="throttle")
    assert vc.simulate(m, 2.0)["axle.angle.rate"][-1] == pytest.approx(10.0)


def test_a_motion_that_was_recorded_is_replayed_as_a_drive():
    m = slider(velocity=1.0)
    m.spring("spring", "rail.travel", k=20.0, length=0.0)
    learned = vc.simulate(m, 2.0, outputs=200)
    again = slider(velocity=1.0)
    again.drive("rail.travel", vc.Recorded(learned, "rail.travel"), "replay")
    result = vc.simulate(again, 2.0, outputs=200)
    assert result["rail.travel"] == pytest.approx(learned["rail.travel"], abs=1e-9)
    assert result["replay.force"][20:-20] == pytest.approx(-learned["spring.force"][20:-20], abs=1e-5)


def test_a_force_in_space_acts_on_what_passes_its_point():
    m = vc.Model("jet", gravity=(0, 0, 0))
    m.body("bar", 2.0, [0.1, 0.4, 0.4], at=(0.2, 0, 0), velocity=(0.5, 0, 0))
    m.force_in_space("jet", "bar", (0.7, 0.0, 0.0), (0, 0, "3*cos(t)"))
    state = vc.assemble(m)
    assert state["bar.az"] == pytest.approx(1.5)
    assert state["bar.alpha_y"] == pytest.approx(-0.5 * 3 / 0.4)
    result = vc.simulate(m, 1.0)
    torque = -(0.7 - result["bar.x"]) * 3 * np.cos(result.t)
    assert result["jet torque.y.force"] == pytest.approx(torque, abs=1e-9)
    assert np.abs(result["energy.balance"]).max() < 1e-7


@pytest.mark.parametrize(("make", "words"), [
    (lambda m: m.table_force("t", "rail.travel", [0, 1], [0, 1], [[1, 2]]), "2 rows (values) of 2"),
    (lambda m: m.table_force("t", "rail.travel", [1, 0], [0, 1], [[1, 2], [3, 4]]), "each larger than the one"),
    (lambda m: m.table_force("t", "rail.travel", range(30), range(30), np.ones((30, 30))), "at most 400"),
    (lambda m: m.motor("t", "rail.travel", [0, 1], [1.0]), "as many finite torques"),
    (lambda m: m.motor("t", "rail.travel", [0, np.nan], [1.0, 2.0]), "finite numbers"),
    (lambda m: m.force_in_space("t", m.ground, (0, 0, 0), (1, 0, 0)), "acts on the ground"),
    (lambda m: m.force_in_space("t", "cart", (0, 0, 0), (1, 0)), "not three components"),
])
def test_wrong_tables_are_named(make, words):
    with pytest.raises(vc.ModelError) as error:
        make(slider())
    assert words in str(error.value)
