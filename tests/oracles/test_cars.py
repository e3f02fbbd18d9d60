"""Cars on their tyres: rest, quarter and half car against closed forms, cornering against the bicycle model."""

from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.build_car import build_car, rolling
from vincolo.vehicle.car import G
from vincolo.vehicle.manoeuvres import (
    TOLERANCE,
    bicycle_gradient,
    braking,
    drive,
    lane_change,
    sine_with_dwell,
    steady_cornering,
    step_steer,
)
from vincolo.vehicle.starters import example_car, example_tyre
from vincolo.vehicle.tracks import Track, lap

BARE = {"drag": 0.0, "downforce_front": 0.0, "downforce_rear": 0.0}


def linear_tyre(**numbers):
    tyre = example_tyre("linear")
    return replace(tyre, numbers={**tyre.numbers, "trail": 0.0, "C_gamma": 0.0, **numbers})


@pytest.fixture(scope="module")
def built():
    return build_car(replace(example_car(), **BARE), linear_tyre())


def test_a_car_stands_as_it_is_drawn(built):
    """Its springs and tyres carry it: accelerations are those of the side forces of cambered wheels at no speed
    alone."""
    system = vc.compile(built.model)
    state = rolling(built, system, 0.0)
    found = state.solve().acceleration[system.body_numbers["chassis"]]
    assert np.abs(found).max() < 0.01
    loads = sum(state[f"{axle}_{side}_tyre.z.force"] for axle in ("front", "rear") for side in ("left", "right"))
    assert loads == pytest.approx(built.car.total[0] * G, rel=1e-9)


@pytest.fixture(scope="module")
def road_car():
    return build_car(example_car("road"), example_tyre("road"))


def test_a_car_in_bushings_stands_as_it_is_drawn(road_car):
    """Rods in bushings have the tension that holds the car: nothing moves, to rounding of forces over masses."""
    system = vc.compile(road_car.model)
    found = rolling(road_car, system, 0.0).solve().acceleration
    for name in ("chassis", "front_left_upright", "rear_right_upright"):
        assert np.abs(found[system.body_numbers[name]]).max() < 1e-9, name


def test_a_car_with_arms_in_bushings_stands_as_it_is_drawn(built):
    """Push and pull rods on arms without mass: what they carry is in their ball joints, so that nothing moves but what
    moves without bushings too: side forces of cambered wheels."""
    roles = ("upper_front", "upper_rear", "lower_front", "lower_rear")
    soft = {a: replace(s, bushings=dict.fromkeys(roles, 2e6)) for a, s in built.car.axles.items()}
    found = []
    for one in (built, build_car(replace(built.car, **soft), linear_tyre())):
        system = vc.compile(one.model)
        moves = rolling(one, system, 0.0).solve().acceleration
        found.append([moves[system.body_numbers[name]] for name in ("chassis", "front_left_wheel", "rear_right_wheel")])
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=0.02)
    assert np.abs(found[1][0]).max() < 0.01


def test_a_car_in_bushings_drives_to_a_millimetre_and_its_bushings_give_way(road_car):
    """Steps as they are chosen stay within 1 mm of small ones; the rear links are stretched by their force over the
    stiffness, to what damping holds."""
    given = {"steering": ([0.0, 0.1, 0.2], [0.0, 0.0, 0.6])}
    quick, fine = (drive(road_car, 0.8, 25.0, given, integrator=i) for i in (None, vc.RK4(step=1e-3)))
    for body in road_car.model.bodies:
        apart = [quick.result[f"{body}.{axis}"] - fine.result[f"{body}.{axis}"] for axis in "xyz"]
        assert np.abs(apart).max() < 1e-3, body
    spring = road_car.model.springs["rear_left_link4"]
    tension, length = (fine.result[f"rear_left_link4.{key}"][-1] for key in ("force", "length"))
    stretched = length - spring.measure.drawn_value
    assert abs(stretched) > 1e-4 and abs(tension) > 500.0
    rate = np.gradient(fine.result["rear_left_link4.length"], fine.t)[-1]
    assert tension == pytest.approx(spring.preload + spring.k * stretched + spring.c * rate, rel=1e-3)


def test_a_car_rolls_straight_on_and_keeps_its_energy(built):
    """Steps of the default tolerance are at the limit of stability, where rounding of the two sides grows: straight to
    1e-4 there, and to rounding with smaller ones."""
    assert np.abs(drive(built, 0.5, 15.0, outputs=20).yaw_rate).max() < TOLERANCE
    run = drive(built, 0.5, 15.0, outputs=20, integrator=vc.BogackiShampine(rtol=1e-6, atol=1e-6))
    assert run.speed == pytest.approx(15.0, abs=2e-3)
    assert np.abs(run.yaw_rate).max() < 1e-9 and np.abs(run.result["chassis.y"]).max() < 1e-9
    assert abs(run.result["energy.balance"][-1]) < 1e-6 * run.result["energy.kinetic"][0]


def test_tyre_forces_and_couples_are_the_force_at_the_contact_point(built):
    """The wheel and its carrier together feel the force of the road at the contact point and the aligning moment:
    the sum
    of what all laws of a tyre do to them, by virtual work on random velocities."""
    system = vc.compile(built.model)
    run = drive(built, 0.4, 12.0, {"steering": ([0.0, 0.1], [0.0, 0.8])}, outputs=4)
    result = run.result
    state = result.state()
    name = "front_left"
    load, mu_x, mu_y, lever = (state[f"{name}_tyre{n}"] for n in (".z.force", "_mu_x", "_mu_y", "_lever"))
    frame = result.motion(f"{name}_wheel_centre")
    s, centre = frame.rotation[-1][:, 2], frame.position[-1]
    heading = np.cross(s, (0, 0, 1))
    heading /= np.linalg.norm(heading)
    left = np.cross((0, 0, 1), heading)
    force = load * (mu_x * heading + mu_y * left + np.array([0, 0, 1.0]))
    up = (np.array([0, 0, 1.0]) - s * s[2]) / np.hypot(s[0], s[1])
    radius = (centre[2] - built.car.ground) / np.hypot(s[0], s[1])
    moment = np.cross(-radius * up, force) + np.array([0, 0, lever * load])
    got = np.array([state[f"{name}_tyre.{axis}.force"] for axis in "xyz"])
    assert got == pytest.approx(force, abs=1e-6)
    rotation = frame.rotation[-1]
    drawn = built.model.frames[f"{name}_wheel_centre"].drawn_axes
    turn = rotation @ drawn.T
    spindle0 = built.car.front.spindle("left")
    up0 = np.array([0, 0, 1.0]) - spindle0 * spindle0[2]
    u, ax = turn @ (up0 / np.linalg.norm(up0)), turn @ spindle0
    f = {part: state[f"{name}_tyre.{part}.force"] for part in ("ux", "uy", "sx", "sy", "hub")}
    couples = 0.2 * (np.cross(u, (f["ux"], f["uy"], 0)) + np.cross(ax, (f["sx"], f["sy"], 0)))
    assert couples == pytest.approx(moment, abs=1e-6)
    assert f["hub"] == pytest.approx(moment @ ax, abs=1e-6)
    del system


ARM = {"front": (0.1, 0.2), "rear": (-0.1, 0.2), "ball": (0, 0.6)}
PARALLEL = {
    **{f"{level}_{end}": (*xy, z) for level, z in (("upper", 0.4), ("lower", 0.2)) for end, xy in ARM.items()},
    **{f"tie_{end}": (0.08, y, 0.3) for end, y in (("inner", 0.2), ("outer", 0.6))},
    **{"wheel_centre": (0, 0.7, 0.3), "spring_bottom": (0, 0.5, 0.25), "spring_top": (0, 0.5, 0.65)},
}
M_BODY, M_WHEEL, K, C, K_TYRE, I_UPRIGHT = 250.0, 35.0, 2.2e4, 1500.0, 1.9e5, 0.5


def add_parallel_axle(m, chassis, name, x, load):
    """An axle of parallel arms with upright springs at x, which carry a load each, on tyres."""
    points = {role: np.array(p) + (x, 0, 0) for role, p in PARALLEL.items()}
    s = vc.vehicle.Suspension(
        name,
        "double wishbone",
        points,
        spring="direct",
        rod_on="upright",
        k=K,
        c=C,
        wheel_radius=0.3,
        upright_mass=M_WHEEL,
        upright_inertia=I_UPRIGHT,
        preload=load,
    )
    vc.vehicle.add_axle(m, s, chassis)
    for side in ("left", "right"):
        height = vc.along_world("z", m.ground.frame((0, 0, 0)), m.frames[f"{name}_{side}_wheel_centre"])
        m.actuator(f"{name} {side} tyre", height, "-kt*(d - 0.3) + w", kt=K_TYRE, w=load + M_WHEEL * G)


def transfer(linear, s):
    return linear.C @ np.linalg.solve(s * np.eye(len(linear.A)) - linear.A, linear.B) + linear.D


def test_a_quarter_car_has_its_closed_transfer_function():
    """From the road to the body: kt (c s + k)/((M s^2 + c s + k)(m s^2 + c s + k + kt) - (c s + k)^2)."""
    m = vc.Model("quarter cars")
    chassis = m.body("chassis", 2 * M_BODY, 1.0, at=(0, 0, 0.5))
    m.prismatic("slide", m.ground, chassis, at=(0, 0, 0.5), axis="z")
    add_parallel_axle(m, chassis, "a", 0.0, M_BODY * G)
    m.output("body", "chassis.z")
    linear = vc.linearize(vc.assemble(m), inputs=["a left tyre", "a right tyre"], outputs=["body"])
    for f in (0.5, 1.5, 4.0, 12.0):
        s = 2j * np.pi * f
        exact = (
            K_TYRE
            * (C * s + K)
            / ((M_BODY * s**2 + C * s + K) * (M_WHEEL * s**2 + C * s + K + K_TYRE) - (C * s + K) ** 2)
        )
        assert K_TYRE * transfer(linear, s).sum() == pytest.approx(
            exact, rel=1e-6
        )  # a road is a force kt z on each wheel


def test_a_half_car_has_its_closed_transfer_functions():
    """Heave and pitch of a body on two axles, four equations: from each road to both."""
    front, rear, inertia = 1.2, -1.5, 700.0
    m = vc.Model("half car")
    chassis = m.body("chassis", 4 * M_BODY, (300.0, inertia, 900.0), at=(0, 0, 0.3))
    m.planar("plane", m.ground, chassis, at=(0, 0, 0.3), axis="y")
    m.hold("no surge", vc.along_world("x", m.ground.frame((0, 0, 0.3)), chassis.frame((0, 0, 0.3))), 0.0)
    total = 2 * M_BODY * G
    loads = {"f": total * -rear / (front - rear), "r": total * front / (front - rear)}
    for name, x in (("f", front), ("r", rear)):
        add_parallel_axle(m, chassis, name, x, loads[name])
    m.output("heave", "chassis.z")
    m.output("turn", "plane.angle")
    linear = vc.linearize(
        vc.assemble(m), inputs=["f left tyre", "f right tyre", "r left tyre", "r right tyre"], outputs=["heave", "turn"]
    )
    masses = np.diag([4 * M_BODY, inertia + 4 * I_UPRIGHT, 2 * M_WHEEL, 2 * M_WHEEL])
    for f in (0.7, 2.0, 11.0):
        s = 2j * np.pi * f
        A = masses * s**2 + 0j
        for k, x in ((2, front), (3, rear)):
            stretch = np.zeros(
                4
            )  # of the springs of an axle: body at the axle over the wheel; a turn about y lowers the front
            stretch[[0, 1, k]] = 1.0, -x, -1.0
            A += 2 * (K + C * s) * np.outer(stretch, stretch)
            A[k, k] += 2 * K_TYRE
        exact = np.linalg.solve(A, np.array([[0, 0], [0, 0], [2 * K_TYRE, 0], [0, 2 * K_TYRE]]))[:2]
        found = K_TYRE * (transfer(linear, s) @ np.array([[1, 0], [1, 0], [0, 1], [0, 1]]))
        assert found[0] == pytest.approx(exact[0], rel=1e-4)
        assert abs(found[1]) == pytest.approx(
            abs(exact[1]), rel=1e-2
        )  # springs under load tip a little: m g h of the uprights


def test_the_understeer_gradient_is_that_of_the_bicycle_model(built):
    """With linear tyres load transfer changes nothing. What is left is roll steer and the slow ramp: 4e-5 rad s2/m,
    where moving the centre of mass by 0.1 m is 6e-4."""
    for com, stiffness in ((0.0, 2.4e4), (-0.1, 2.4e4), (0.1, 1.2e4)):
        car = build_car(replace(built.car, com=(com, 0.0, 0.28)), linear_tyre(C_alpha=stiffness))
        found = steady_cornering(car, 15.0, 2.0, duration=4.0)
        assert found.gradient == pytest.approx(bicycle_gradient(car), abs=4e-5)


def test_the_pneumatic_trail_makes_a_car_understeer_as_a_textbook_says(built):
    """K = m t (C_f + C_r)/(L C_f C_r) more (Gillespie 1992, equation 6-25), to the size of the roll effects."""
    car, C, t = built.car, 2 * 2.4e4, 0.03
    with_trail = steady_cornering(build_car(car, linear_tyre(trail=t)), 15.0, 2.0, duration=4.0).gradient
    without = steady_cornering(built, 15.0, 2.0, duration=4.0).gradient
    assert with_trail - without == pytest.approx(car.total[0] * t * 2 / (car.wheelbase * C), rel=0.1)


def test_load_transfer_has_the_sign_of_a_textbook_with_a_magic_formula(built):
    """The axle with more load transfer has the softer pair of tyres: a stiffer bar in front makes the car understeer
    more."""
    soft = replace(built.car, front=replace(built.car.front, bar_k=0.0))
    stiff = replace(built.car, front=replace(built.car.front, bar_k=400.0))
    tyre = replace(example_tyre(), numbers={**example_tyre().numbers, "QDZ1": 0.0, "PKY6": 0.0})
    gradients = []
    for car in (soft, stiff):
        run = steady_cornering(build_car(car, tyre), 15.0, 6.0, duration=5.0)
        gradients.append(run.gradient)
    assert gradients[1] > gradients[0]  # more understeer


def test_a_step_of_the_steering_settles_at_the_gain_of_the_bicycle_model(built):
    found = step_steer(built, 15.0, 0.15, until=2.0)
    slope = 15.0 / (built.car.wheelbase + bicycle_gradient(built) * 15.0**2)
    from vincolo.vehicle.manoeuvres import steer_per_rack

    angle = 0.15 * built.car.rack_ratio * steer_per_rack(built)
    assert found.yaw_rate == pytest.approx(slope * angle, rel=0.03)
    assert 0.02 < found.yaw_time < 0.4 and found.overshoot < 0.2


def test_braking_moves_load_forwards_and_stops_as_its_torque_says(built):
    run = braking(built, 15.0, 300.0, until=1.5)
    late = run.t > 1.0
    radius = float(np.mean(run.result["front_left_wheel.z"])) - built.car.ground
    deceleration = -np.polyfit(run.t[late], run.speed[late], 1)[0]
    wheels = 4 * 0.16 / radius**2
    assert deceleration == pytest.approx(300.0 / radius / (built.car.total[0] + wheels), rel=0.02)
    moved = run.load("front_left")[-1] - run.load("front_left")[0]
    spin = 4 * 0.16 * deceleration / radius  # moment of the wheels that turn slower
    expected = (built.car.total[0] * deceleration * built.car.height + spin) / built.car.wheelbase / 2
    assert moved == pytest.approx(expected, rel=0.04)


def test_a_lane_change_ends_in_the_other_lane(built):
    run = lane_change(built, 12.0, offset=1.5, until=3.0)
    assert run.result["chassis.y"][-1] == pytest.approx(1.5, abs=0.05)
    assert abs(run.heading[-1]) < 0.02


@pytest.mark.slow
def test_sine_with_dwell_and_a_lap(built):
    """A car that is stable comes to rest after a sine with dwell; a lap on an oval stays near its middle line."""
    car = build_car(example_car(), example_tyre())
    run = sine_with_dwell(car, 15.0, 0.5)
    assert abs(run.yaw_rate[-1]) < 0.1 * np.abs(run.yaw_rate).max()
    s = np.linspace(0, 2 * np.pi, 241)
    points = np.stack([20 * np.sin(s), 20 - 20 * np.cos(s)], axis=1)
    found = lap(car, Track(points), lateral=5.0, highest=10.0)
    assert found.furthest < 1.5 and found.energy > 0 and found.time == pytest.approx(2 * np.pi * 20 / 10.0, rel=0.05)


def circle(radius, bank=0.0, count=181):
    s = np.linspace(0, 2 * np.pi, count)
    return Track(np.stack([radius * np.sin(s), radius - radius * np.cos(s)], axis=1), True, bank)


def test_a_banked_turn_needs_no_side_force_at_its_own_speed(built):
    """tan(bank) = v^2/(g R): both sides carry the same, together m g/cos(bank); the lap takes its length over the
    speed."""
    speed, radius = 6.0, 10.0
    bank = np.arctan(speed**2 / (G * radius))
    found = lap(built, circle(radius, bank), highest=speed)
    late = found.run.t > 0.5 * found.time
    left, right = (
        sum(found.run.load(f"{axle}_{side}")[late] for axle in ("front", "rear")) for side in ("left", "right")
    )
    weight = built.car.total[0] * G
    assert left + right == pytest.approx(np.full(len(left), weight / np.cos(bank)), rel=0.01)
    assert np.abs(left - right).max() < 0.03 * weight
    own = float(np.mean(np.hypot(found.run.result["chassis.x"], found.run.result["chassis.y"] - radius)))
    assert found.time == pytest.approx(2 * np.pi * own / float(np.mean(found.run.speed)), rel=0.01)
    assert abs(own - radius) < found.furthest + 0.01 < 0.5  # the driver looks ahead, so it drives further in


def test_speeds_on_banking_are_those_of_a_block_on_a_cone():
    """v^2/(g R) = (sin b + m cos b)/(cos b - m sin b), for b into and out of the turn."""
    for bank in (0.2, -0.2):
        v = circle(30.0, bank).speeds(8.0, 1e3, 1e3, 100.0)[60]
        m = 8.0 / G
        expected = (np.sin(bank) + m * np.cos(bank)) / (np.cos(bank) - m * np.sin(bank))
        assert v**2 / (G * 30.0) == pytest.approx(expected, rel=1e-3)
    with pytest.raises(vc.ModelError, match="out of its turn"):
        circle(30.0, -0.9).speeds(8.0, 6.0, 4.0, 25.0)


def test_tracks_and_wrong_runs_are_named(built, tmp_path):
    path = tmp_path / "track.csv"
    path.write_text("x,y\n0,0\n1,0\n2,0.1\n3,0.3\n")
    assert Track.read(path, closed=False).along[-1] == pytest.approx(1 + np.hypot(1, 0.1) + np.hypot(1, 0.2))
    path.write_text("x,y,bank\n0,0,0\n1,0,5\n2,0.1,10\n3,0.3,10\n")
    assert Track.read(path, closed=False).bank == pytest.approx(np.radians([0, 5, 10, 10]))
    with pytest.raises(vc.ModelError, match="at most 60 deg"):
        Track(np.array([[0.0, 0], [1, 0], [2, 0], [3, 0]]), bank=5.0)
    with pytest.raises(vc.ModelError, match="are the same"):
        Track(np.array([[0.0, 0], [1, 0], [1, 0], [3, 0]]), closed=False)
    path.write_text("x,y\n0,0\n1,a\n")
    with pytest.raises(vc.ModelError, match="not a table of numbers"):
        Track.read(path)
    with pytest.raises(vc.ModelError, match="at least four"):
        Track(np.zeros((2, 2)))
    with pytest.raises(vc.ModelError, match="begins at the origin"):
        lap(built, Track(np.array([[5.0, 0], [6, 0], [7, 0], [8, 0]])))
    with pytest.raises(vc.ModelError, match="cannot be negative"):
        drive(built, 1.0, -3.0)
    with pytest.raises(vc.ModelError, match="no wheel 'left'"):
        drive(built, 0.01, 3.0, outputs=2).load("left")
