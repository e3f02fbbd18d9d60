"""Screws, gears, racks, belts, couplings and rolling against closed forms."""

import numpy as np
import pytest
from scipy.optimize import brentq

import vincolo as vc

TIGHT = vc.DOP853(rtol=1e-11, atol=1e-12)


def shaft(model, name, at, axis, inertia, mass=2.0, on=None):
    """A wheel on a hinge; its moment about the hinge is `inertia` [kg m2]."""
    wheel = model.body(name, mass, inertia, at=at)  # the same about every axis
    model.revolute(f"{name}_hinge", on or model.ground, wheel, at=at, axis=axis)
    return wheel


def grows(result, name, acceleration):
    """Whether a coordinate grows as a t^2 / 2."""
    assert result[name] == pytest.approx(0.5 * acceleration * result.t**2, abs=1e-8)


def test_a_screw_turns_torque_into_thrust():
    """T = (I + m p^2) angle'' with p = pitch / 2 pi, against a thrust."""
    model = vc.Model(gravity=(0, 0, -9.0))
    nut = model.body("nut", 2.0, 0.05)
    model.screw("S", model.ground, nut, at=(0, 0, 0), axis="z", pitch=-0.3)
    model.actuator("motor", "S.angle", 1.5)
    p = -0.3 / (2 * np.pi)
    result = vc.simulate(model, 2.0, integrator=TIGHT)
    grows(result, "S.angle", (1.5 - 2.0 * 9.0 * p) / (0.05 + 2.0 * p**2))
    assert result["S.travel"] == pytest.approx(p * result["S.angle"], abs=1e-12)


@pytest.mark.parametrize(("internal", "sign"), [(False, -1), (True, 1)], ids=["external", "internal"])
def test_a_pair_of_gears(internal, sign):
    """T = (I + I2 / n^2) a, and the wheels turn as 1 : 1/n, against each other or alike."""
    model = vc.Model(gravity=(0, 0, 0))
    one, two = shaft(model, "one", (0, 0, 0), "z", 0.05), shaft(model, "two", (0.4, 0.3, 0), "z", 0.2)
    model.gear("G", one, two, (0, 0, 0), (0.4, 0.3, 0), "z", ratio=2.5, internal=internal)
    model.actuator("motor", "one_hinge.angle", 1.5)
    result = vc.simulate(model, 2.0, integrator=TIGHT)
    grows(result, "one_hinge.angle", 1.5 / (0.05 + 0.2 / 2.5**2))
    assert result["two_hinge.angle"] == pytest.approx(sign * result["one_hinge.angle"] / 2.5, abs=1e-9)


@pytest.mark.parametrize("pressure", [0.0, np.radians(20)])
def test_tooth_forces_reach_the_bearings(pressure):
    """Tangential F = I2 a2 / r2 at the pitch point; with a pressure angle F tan(pressure) apart."""
    model = vc.Model(gravity=(0, 0, 0))
    one, two = shaft(model, "one", (0, 0, 0), "z", 0.05), shaft(model, "two", (0.5, 0, 0), "z", 0.2)
    model.gear("G", one, two, (0, 0, 0), (0.5, 0, 0), "z", ratio=1.5, pressure_angle=pressure)
    model.actuator("motor", "one_hinge.angle", 1.5)
    state = vc.assemble(model)
    r1, r2 = 0.2, 0.3
    a1 = 1.5 / (0.05 + 0.2 / 1.5**2)
    tangential = 0.2 * (a1 / 1.5) / r2
    bearing = state.channels.reaction("two_hinge").force[0]  # on the wheel; the tooth pushes it along y and x
    assert abs(bearing[1]) == pytest.approx(tangential, abs=1e-10)
    assert abs(bearing[0]) == pytest.approx(tangential * np.tan(pressure), abs=1e-10)
    assert bearing[0] <= 1e-12  # held back towards the other wheel: the teeth push apart
    assert 1.5 - tangential * r1 == pytest.approx(0.05 * a1, abs=1e-10)


def test_a_planetary_gear_keeps_to_willis():
    """Sun 1 : planet : ring fixed. (w_sun - w_arm) / (w_ring - w_arm) = -n_ring / n_sun."""
    model = vc.Model(gravity=(0, 0, 0))
    sun, arm = shaft(model, "sun", (0, 0, 0), "z", 0.05), shaft(model, "arm", (0, 0, 0), "z", 0.4)
    planet = shaft(model, "planet", (0.3, 0, 0), "z", 0.01, on=arm)
    model.gear("inner", sun, planet, (0, 0, 0), (0.3, 0, 0), "z", ratio=0.5)  # radii 0.2 and 0.1
    model.gear("outer", planet, model.ground, (0.3, 0, 0), (0, 0, 0), "z", ratio=4.0, internal=True)  # 0.1 in 0.4
    model.drive("sun_hinge.angle", "3*t + t^2")
    result = vc.simulate(model, 3.0, integrator=TIGHT)
    assert result["arm_hinge.angle"] == pytest.approx(result["sun_hinge.angle"] / (1 + 0.4 / 0.2), abs=1e-9)
    # the planet against the ground
    assert result["planet_hinge.angle"] + result["arm_hinge.angle"] == pytest.approx(
        -(0.4 / 0.1 - 1) * result["arm_hinge.angle"], abs=1e-8
    )


def test_bevel_gears():
    model = vc.Model(gravity=(0, 0, 0))
    one, two = shaft(model, "one", (0, 0, 0.3), "z", 0.05), shaft(model, "two", (0.4, 0, 0), "x", 0.2)
    model.bevel_gear("G", one, two, at=(0, 0, 0), axis="z", axis2="x", ratio=2.0)
    model.actuator("motor", "one_hinge.angle", 1.5)
    result = vc.simulate(model, 2.0, integrator=TIGHT)
    grows(result, "one_hinge.angle", 1.5 / (0.05 + 0.2 / 4))
    assert result["two_hinge.angle"] == pytest.approx(-result["one_hinge.angle"] / 2, abs=1e-9)


@pytest.mark.parametrize("radius", [0.2, -0.2])
def test_a_rack_and_its_pinion(radius):
    model = vc.Model(gravity=(0, 0, 0))
    pinion = shaft(model, "pinion", (0, 0, 0), "z", 0.05)
    rack = model.body("rack", 3.0, 0.1, at=(0, -radius, 0))
    model.prismatic("rail", model.ground, rack, at=(0, -radius, 0), axis="x")
    model.rack_and_pinion("R", pinion, rack, at=(0, 0, 0), axis="z", along="x", radius=radius)
    model.actuator("motor", "pinion_hinge.angle", 1.5)
    result = vc.simulate(model, 2.0, integrator=TIGHT)
    grows(result, "pinion_hinge.angle", 1.5 / (0.05 + 3.0 * 0.04))
    assert result["rail.travel"] == pytest.approx(radius * result["pinion_hinge.angle"], abs=1e-10)


@pytest.mark.parametrize(("crossed", "sign"), [(False, 1), (True, -1)])
def test_belts(crossed, sign):
    model = vc.Model(gravity=(0, 0, 0))
    one, two = shaft(model, "one", (0, 0, 0), "y", 0.05), shaft(model, "two", (0.9, 0, 0.1), "y", 0.2)
    model.belt("B", one, two, (0, 0, 0), (0.9, 0, 0.1), "y", radius=0.1, radius2=0.3, crossed=crossed)
    model.actuator("motor", "one_hinge.angle", 1.5)
    result = vc.simulate(model, 2.0, integrator=TIGHT)
    grows(result, "one_hinge.angle", 1.5 / (0.05 + 0.2 / 9))
    assert result["two_hinge.angle"] == pytest.approx(sign * result["one_hinge.angle"] / 3, abs=1e-9)


def coupled_shafts(coupling, bend):
    """Two shafts that meet at an angle, the first one driven."""
    model = vc.Model(gravity=(0, 0, 0))
    direction = np.array([0, np.sin(bend), np.cos(bend)])
    one = model.body("one", 1.0, 0.1, at=(0, 0, -0.5))
    two = model.body("two", 1.0, 0.1, at=0.5 * direction)
    model.revolute("in", model.ground, one, at=(0, 0, -0.5), axis="z")
    model.revolute("out", model.ground, two, at=0.5 * direction, axis=direction)
    coupling(model, one, two)
    model.drive("in.angle", "2*t")
    return model


def test_a_constant_velocity_joint_keeps_the_speed_and_a_cross_does_not():
    bend = 0.5
    straight = np.array([[1, 0, 0], [0, np.cos(bend), np.sin(bend)], [0, -np.sin(bend), np.cos(bend)]])
    even = coupled_shafts(
        lambda m, a, b: m.constant_velocity(  # frames that are bent as drawn
            "C", a.frame((0, 0, 0)), b.frame((0, 0, 0), z=straight[:, 2], x=straight[:, 0])
        ),
        bend,
    )
    result = vc.simulate(even, 4.0, outputs=100)
    assert np.abs(result["out.angle"]) == pytest.approx(2 * result.t, abs=1e-8)
    cross = coupled_shafts(
        lambda m, a, b: m.universal("C", a, b, at=(0, 0, 0), axis="x", axis2=(0, np.cos(bend), -np.sin(bend))), bend
    )
    uneven = vc.simulate(cross, 4.0, outputs=100)["out.angle.rate"]
    assert np.abs(uneven).max() == pytest.approx(2 / np.cos(bend), rel=1e-3)
    assert np.abs(uneven).min() == pytest.approx(2 * np.cos(bend), rel=1e-3)


def test_an_oldham_coupling_turns_offset_shafts_alike():
    model = vc.Model(gravity=(0, 0, 0))
    one, two = shaft(model, "one", (0, 0, 0), "z", 0.1), shaft(model, "two", (0.05, 0.02, 0.0), "z", 0.1)
    model.oldham("C", one, two, at=(0, 0, 0), axis="z")
    model.drive("one_hinge.angle", "2*t + sin(t)")
    result = vc.simulate(model, 4.0)
    assert result["two_hinge.angle"] == pytest.approx(result["one_hinge.angle"], abs=1e-8)


def test_an_elbow_keeps_the_angle_of_its_axes():
    model = vc.Model()
    axis2 = np.array([np.cos(1.1), np.sin(1.1), 0])
    body = model.body("body", 1.0, [0.1, 0.15, 0.2], at=(0.3, 0.2, -0.5), angular_velocity=(1, 2, 0))
    model.elbow("E", model.ground, body, at=(0, 0, 0), axis="x", axis2=axis2)
    model.measure("between", vc.cosine("z", "z", model.joints["E"].a, model.joints["E"].b))
    result = vc.simulate(model, 3.0, integrator=TIGHT)
    assert result["between"] == pytest.approx(np.cos(1.1), abs=1e-11)
    assert result.energy_drift < 1e-9


def test_coordinates_coupled_by_factors():
    model = vc.Model(gravity=(0, 0, 0))
    shaft(model, "one", (0, 0, 0), "z", 0.05), shaft(model, "two", (1, 0, 0), "x", 0.2)
    model.couple("chain", {"one_hinge.angle": 3.0, "two_hinge.angle": -1.0})
    model.actuator("motor", "one_hinge.angle", 1.5)
    grows(vc.simulate(model, 2.0, integrator=TIGHT), "one_hinge.angle", 1.5 / (0.05 + 9 * 0.2))


@pytest.mark.parametrize(("kind", "share"), [("disc", 0.5), ("ball", 0.4)])
def test_rolling_down_a_slope(kind, share):
    """a = g sin(slope) / (1 + I / m r^2)."""
    slope, r, m = 0.3, 0.25, 2.0
    model = vc.Model(gravity=9.81 * np.array([np.sin(slope), 0, -np.cos(slope)]))
    moment = share * m * r**2
    inertia = [moment / 2, moment, moment / 2] if kind == "disc" else moment
    body = model.body("wheel", m, inertia, at=(0, 0, r))
    if kind == "disc":
        model.rolling_disc("R", model.ground, body, centre=(0, 0, r), axle="y", radius=r)
    else:
        model.rolling_ball("R", model.ground, body, centre=(0, 0, r), radius=r)
    result = vc.simulate(model, 2.0, integrator=TIGHT)
    assert result["wheel.x"] == pytest.approx(0.5 * 9.81 * np.sin(slope) / (1 + share) * result.t**2, abs=1e-8)
    assert result["wheel.wy"] == pytest.approx(result["wheel.vx"] / r, abs=1e-9)


def test_a_disc_rolls_in_circles_at_its_steady_lean():
    """A thin disc leans inwards while its centre runs on a circle at W: the moment of the ground's force about the
    centre is W z x L. Solved for W, then run from there."""
    m, r, lean, radius = 1.0, 0.3, 0.35, 1.2
    C, A = 0.5 * m * r**2, 0.25 * m * r**2
    axle = np.array([np.cos(lean), 0, np.sin(lean)])  # at the point (radius, 0, .): outwards and up
    contact = -r * np.array([-np.sin(lean), 0, np.cos(lean)])  # from the centre

    def spin(W):
        """No slip along y: W radius + w_z contact_x - w_x contact_z = 0 with w = W z + s axle."""
        return -(W * radius + W * contact[0]) / (axle[2] * contact[0] - axle[0] * contact[2])

    def imbalance(W):
        s = spin(W)
        w = np.array([0, 0, W]) + s * axle
        L = A * w + (C - A) * (w @ axle) * axle
        change = np.cross([0, 0, W], L)
        force = m * np.array([-(W**2) * radius, 0, 9.81])  # of the ground on the disc
        return (np.cross(contact, force) - change)[1]

    W = brentq(imbalance, 0.5, 20.0)
    s = spin(W)
    model = vc.Model(gravity=(0, 0, -9.81))
    y = np.array([0, 1.0, 0])
    R = np.column_stack([np.cross(y, axle), y, axle])
    body = model.body(
        "disc",
        m,
        [A, A, C],
        at=(radius, 0, -contact[2]),
        orientation=R,
        velocity=(0, W * radius, 0),
        angular_velocity=np.array([0, 0, W]) + s * axle,
    )
    model.rolling_disc("roll", model.ground, body, centre=(radius, 0, -contact[2]), axle=axle, radius=r)
    result = vc.simulate(model, 3.0, integrator=TIGHT)
    assert result["disc.x"] == pytest.approx(radius * np.cos(W * result.t), abs=1e-6)
    assert result["disc.z"] == pytest.approx(-contact[2], abs=1e-7)


def test_a_skate_on_a_slope():
    """x = g sin a / (2 W^2) sin^2 W t down the slope, y = g sin a / (2 W^2) (W t - sin(2 W t) / 2) across (Neimark and
    Fufaev 1972), for a skate that starts along the slope and turns at W."""
    g, slope, W = 9.81, 0.2, 1.3
    model = vc.Model(gravity=g * np.array([np.sin(slope), 0, -np.cos(slope)]))
    skate = model.body("skate", 2.0, [0.1, 0.15, 0.2], angular_velocity=(0, 0, W))
    model.planar("ice", model.ground, skate, at=(0, 0, 0), axis="z")
    model.knife_edge("edge", model.ground, skate, at=(0, 0, 0), along="x")
    result = vc.simulate(model, 4.0, integrator=TIGHT)
    size, t = g * np.sin(slope) / (2 * W**2), result.t
    assert result["skate.x"] == pytest.approx(size * np.sin(W * t) ** 2, abs=1e-8)
    assert result["skate.y"] == pytest.approx(size * (W * t - np.sin(2 * W * t) / 2), abs=1e-8)


def test_a_point_led_along_a_trajectory():
    """Three functions for a point; the arm follows."""
    model = vc.Model()
    one = model.body("one", 1.0, 0.05, at=(0.25, 0, 0))
    two = model.body("two", 1.0, 0.05, at=(0.6, 0.25, 0))
    model.universal("A", model.ground, one, at=(0, 0, 0), axis="z", axis2="y")
    model.revolute("B", one, two, at=(0.5, 0.05, 0), axis="z")
    tip = model.frame("tip", two, (0.7, 0.4, 0))
    path = ["0.7 - 0.1*sin(t)", "0.4 + 0.05*t", "0.1*sin(2*t)"]
    model.trajectory("lead", tip, path)
    result = vc.simulate(model, 2.0)
    t = result.t
    assert result.point("tip") == pytest.approx(
        np.column_stack([0.7 - 0.1 * np.sin(t), 0.4 + 0.05 * t, 0.1 * np.sin(2 * t)]), abs=1e-9
    )


@pytest.mark.parametrize("angle", [1.0, 4.0, 7.0, -20.0])
def test_angles_given_over_turns_reach_what_they_turn(angle):
    """Gears, couplings and screws count turns from where they are drawn."""
    model = vc.Model(gravity=(0, 0, 0))
    one, two = shaft(model, "one", (0, 0, 0), "z", 0.05), shaft(model, "two", (0.5, 0, 0), "z", 0.2)
    model.gear("G", one, two, (0, 0, 0), (0.5, 0, 0), "z", ratio=2.0)
    assert vc.assemble(model, {"one_hinge.angle": angle})["two_hinge.angle"] == pytest.approx(-angle / 2, abs=1e-9)
    other = vc.Model(gravity=(0, 0, 0))
    other.screw("S", other.ground, other.body("nut", 1.0, 0.1), at=(0, 0, 0), axis="z", pitch=0.02)
    assert vc.assemble(other, {"S.angle": angle})["S.travel"] == pytest.approx(0.02 * angle / (2 * np.pi), abs=1e-12)
