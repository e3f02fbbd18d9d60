"""Cars and trucks put together from copies of their corners move as one, and as a quarter of them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import car
import truck
import vincolo as vc


def quarter_car(until):
    """Height of a quarter of the car of the examples and angle of its arm: Lagrange's equations, written by hand."""
    M, m, J, g = car.CHASSIS / 4, car.ARM, car.INERTIA, car.G
    lever, foot = car.HUB[1] - car.PIVOT[1], car.FOOT[1] - car.PIVOT[1]
    seat = np.subtract(car.SEAT, car.PIVOT)[1:]

    def strut(angle):
        """Length, and its derivative with respect to the angle."""
        d = seat - foot * np.array([np.cos(angle), np.sin(angle)])
        length = np.linalg.norm(d)
        return length, -(d @ (foot * np.array([-np.sin(angle), np.cos(angle)]))) / length

    drawn, slope = strut(0.0)
    balance = M * g * lever / slope  # tension that carries the quarter of the chassis as drawn

    def rates(t, y):
        z, angle, speed, spin = y
        s, c = np.sin(angle), np.cos(angle)
        length, ds = strut(angle)
        tension = 3e4 * (length - drawn) + 2.5e3 * ds * spin + balance
        tyre = car.TYRE * (z - car.HEIGHT + lever * s) + 0.002 * car.TYRE * (speed + lever * spin * c)
        inertia = [[M + m, m * lever * c], [m * lever * c, m * lever**2 + J]]
        force = [-(M + m) * g - tyre + m * lever * spin**2 * s, -(m * g + tyre) * lever * c - tension * ds]
        return [speed, spin, *np.linalg.solve(inertia, force)]

    return solve_ivp(rates, (0, until), [car.HEIGHT, 0, 0, 0], method="DOP853", rtol=1e-12, atol=1e-13).y[:2, -1]


FINE = vc.DOP853(rtol=1e-11, atol=1e-13)
CORNERS = ("front_left", "front_right", "rear_left", "rear_right")


def test_a_car_of_four_copies_heaves_as_a_quarter_of_it():
    z, angle = quarter_car(1.0)
    result = vc.simulate(car.build(), 1.0, outputs=1, integrator=FINE)
    assert result["chassis.z"][-1] == pytest.approx(z, abs=1e-10)
    assert pytest.approx(z, abs=1e-9) == car.REFERENCE
    for corner in CORNERS:
        assert result[f"{corner}.pivot.angle"][-1] == pytest.approx(angle, abs=1e-10)


def test_a_car_that_is_pushed_in_its_middle_plane_stays_the_same_left_and_right():
    model = car.build()
    model.force("push", model.bodies["chassis"].frame((1.5, 0, 0.7)), (2e3, 0, "-3000*sin(10*t)"))
    model.torque("brake", model.bodies["chassis"], (0, "1500*step(t - 0.3)", 0))
    result = vc.simulate(model, 1.5, outputs=30, integrator=FINE)
    assert abs(result["front_left.pivot.angle"] - result["rear_left.pivot.angle"]).max() > 0.01  # it nods
    for end in ("front", "rear"):
        for name in ("pivot.angle", "pivot.angle.rate", "strut.force", "hub.x", "hub.z", "arm.wy"):
            left, right = result[f"{end}_left.{name}"], result[f"{end}_right.{name}"]
            assert left == pytest.approx(right, rel=1e-9, abs=1e-9), name
        for name in ("hub.y", "hub.vy", "arm.wx", "arm.wz"):
            assert result[f"{end}_left.{name}"] == pytest.approx(-result[f"{end}_right.{name}"], abs=1e-9), name
    for name in ("y", "vy", "wx", "wz", "e1", "e3"):
        assert abs(result[f"chassis.{name}"]).max() < 1e-9, name


def test_a_suspension_is_tested_on_its_own():
    """With its load under the hub it stays as drawn, left, mirrored and turned."""
    for sub, place in ((car.suspension(), {}), (car.suspension(5000.0, rate=1e5), {"mirror": "y"}),
                       (car.suspension(), {"orientation": car.HALF_TURN, "at": (1, 2, 3)})):
        model = vc.Model("bench")
        hub = model.add("corner", sub, **place)["hub"]
        load = 5000.0 if "mirror" in place else car.G * (car.CHASSIS / 4 + car.ARM)
        model.force("load", hub, (0, 0, load))
        assert vc.assemble(model).channels["corner.arm.alpha_x"] == pytest.approx(0, abs=1e-10)
    assert vc.mobility(car.suspension()).dof == 1


def test_a_truck_stands_in_balance_and_pulls_its_trailer():
    model = truck.build()
    assert "tractor.front_left.arm" in model.bodies and "trailer.second_right.strut" in model.springs
    start = vc.assemble(model)
    assert abs(start.solve().acceleration).max() < 1e-9  # m/s2: 16 t in balance
    assert vc.mobility(model).dof == 9 + 8  # a truck of two bodies with a ball joint, and eight arms
    for part in (truck.tractor(), truck.trailer()):
        assert vc.mobility(part).dof == 6 + 4


def test_a_truck_turned_as_a_whole_does_the_same():
    turn = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1.0]])
    turned = vc.Model("yard")
    turned.add("truck", truck.build(), at=(10, 20, 0), orientation=turn)
    straight, slanted = (vc.simulate(m, 2.0, outputs=4, integrator=vc.RK4(step=1e-3)) for m in (truck.build(), turned))
    for name in ("tractor.chassis", "trailer.chassis", "trailer.first_left.hub"):
        image = straight.point(name) @ turn.T + (10, 20, 0)
        assert slanted.point(f"truck.{name}") == pytest.approx(image, abs=1e-9), name
