"""Small deviations from steady motion against closed solutions: bicycle, rolling discs, tops, governors, rotors."""

import numpy as np
import pytest

import vincolo as vc
from linear_judge import complaints_of_linear

G = 9.81
# Meijaard, Papadopoulos, Ruina, Schwab (2007): M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 with q = (lean, steer)
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])


def bicycle(v):
    """The benchmark bicycle, four bodies with wheels that roll; x forward, z up (the paper has z down)."""
    m = vc.Model("bicycle", gravity=(0, 0, -G))

    def part(name, mass, at, moments, xz=0.0, spin=0.0):
        inertia = np.diag(moments) + xz * np.array([[0, 0, -1], [0, 0, 0], [-1, 0, 0]])
        return m.body(name, mass, inertia, at=at, velocity=(v, 0, 0), angular_velocity=(0, spin, 0))

    rear = part("rear wheel", 2, (0, 0, 0.3), (0.0603, 0.12, 0.0603), spin=v / 0.3)
    frame = part("frame", 85, (0.3, 0, 0.9), (9.2, 11, 2.8), 2.4)
    fork = part("fork", 4, (0.9, 0, 0.7), (0.05892, 0.06, 0.00708), -0.00756)
    front = part("front wheel", 3, (1.02, 0, 0.35), (0.1405, 0.28, 0.1405), spin=v / 0.35)
    m.revolute("rear axle", frame, rear, at=(0, 0, 0.3), axis="y")
    m.revolute("front axle", fork, front, at=(1.02, 0, 0.35), axis="y")
    m.revolute("head", frame, fork, at=(1.1, 0, 0), axis=(-np.sin(np.pi / 10), 0, np.cos(np.pi / 10)))
    m.rolling_disc("rear contact", m.ground, rear, centre=(0, 0, 0.3), axle="y", radius=0.3)
    m.rolling_disc("front contact", m.ground, front, centre=(1.02, 0, 0.35), axle="y", radius=0.35)
    return m


def upper(values):
    """Of conjugate pairs the upper ones, without zeros, in order."""
    values = np.asarray(values, dtype=complex)
    kept = values[(values.imag >= 0) & (np.abs(values) > 1e-9)]
    return np.array(sorted(kept, key=lambda x: (round(abs(x), 9), x.real)))


@pytest.mark.parametrize("v", range(11))
def test_a_bicycle_has_the_eigenvalues_of_the_benchmark(v):
    linear = vc.linearize(vc.assemble(bicycle(float(v))))
    low = -np.linalg.solve(M, np.hstack([G * K0 + v**2 * K2, v * C1]))
    expected = upper(np.linalg.eigvals(np.vstack([np.hstack([np.zeros((2, 2)), np.eye(2)]), low])))
    assert upper(linear.eigenvalues) == pytest.approx(expected, rel=1e-9)
    assert upper(vc.modes(linear.state).eigenvalues) == pytest.approx(expected, rel=1e-9)
    assert linear.steady and linear.acceleration == pytest.approx(0, abs=1e-10)
    assert linear.stable is (v in (5, 6))  # 4.29 m/s to 6.02 m/s


def test_the_bicycle_at_five_metres_per_second_has_the_published_numbers():
    found = upper(vc.linearize(vc.assemble(bicycle(5.0))).eigenvalues)
    assert found == pytest.approx([-0.322866429, -0.775341882 + 4.464867714j, -14.078389692], abs=1e-8)


def disc(lean, turning, spin, r=0.3, A=0.0225, C=0.045):
    """A disc of 1 kg at the origin, its axle raised by `lean` out of y, which turns about the vertical."""
    m = vc.Model("disc", gravity=(0, 0, -G))
    axle, centre = np.array([0, np.cos(lean), np.sin(lean)]), r * np.array([0, -np.sin(lean), np.cos(lean)])
    w = spin * axle + np.array([0, 0, turning])
    R = np.array([[1, 0, 0], axle, np.cross([1, 0, 0], axle)]).T
    body = m.body("disc", 1.0, (A, C, A), at=centre, orientation=R, angular_velocity=w, velocity=np.cross(w, centre))
    m.rolling_disc("contact", m.ground, body, centre=centre, axle=axle, radius=r)
    return m


@pytest.mark.parametrize("v", [0.5, 1.2, 3.0, 9.0])
def test_a_disc_that_rolls_straight_wobbles_as_the_textbook_says(v):
    """A (A + m r^2) s^2 + C (C + m r^2) n^2 - m g r A = 0, n = v/r (Routh; stable above a speed)."""
    r, A, C = 0.3, 0.0225, 0.045
    linear = vc.linearize(vc.assemble(disc(0.0, 0.0, v / r)))
    square = (G * r * A - C * (C + r**2) * (v / r) ** 2) / (A * (A + r**2))
    root = np.sqrt(complex(square))
    assert upper(linear.eigenvalues) == pytest.approx(upper([root, -root]), rel=1e-9)
    assert linear.stable is (square < 0)


def steady_spin(lean, turning, r=0.3, A=0.0225, C=0.045):
    """Of a disc that rolls in a circle: the torque about the line of its lowest points keeps its moment of momentum
    turning. With w = spin axle + turning z, about the contact (m = 1):
    (C + r^2) w3 turning cos(lean) - A turning^2 sin(lean) cos(lean) = g r sin(lean), w3 = spin + turning sin(lean);
    the contact moves with the disc's centre on a circle, which is what r^2 accounts for."""
    w3 = -(G * r * np.sin(lean) - A * turning**2 * np.sin(lean) * np.cos(lean)) / ((C + r**2) * turning * np.cos(lean))
    return w3 - turning * np.sin(lean)


@pytest.mark.parametrize(("lean", "turning"), [(0.3, 2.0), (0.15, 1.0), (-0.4, 3.0)])
def test_a_disc_in_a_circle_wobbles_as_it_does_in_a_run(lean, turning):
    """The lean of a slightly disturbed disc, by the zeros of its rate in a run."""
    system = vc.compile(disc(lean, turning, steady_spin(lean, turning)))
    steady = vc.assemble(system)
    linear = vc.linearize(steady)
    assert linear.steady and linear.axes == pytest.approx(np.array([[0, 0, turning]]), abs=1e-9)
    assert linear.acceleration == pytest.approx(0, abs=1e-10)
    wobble = [x for x in upper(linear.eigenvalues) if abs(x - 1j * abs(turning)) > 1e-6]
    assert len(wobble) == 1 and abs(wobble[0].real) < 1e-9
    y = steady.y.copy()
    y[10] += 1e-4  # of the lean, about the line of travel
    run = vc.simulate(system, 6.0, start=vc.assemble(system, guess=vc.State(system, 0.0, y, steady.turns)),
                      outputs=6000, integrator=vc.DOP853(rtol=1e-12, atol=1e-14))
    rate = run["disc.vz"]
    k = np.flatnonzero((rate[:-1] < 0) & (rate[1:] >= 0))
    times = run.t[k] - rate[k] * (run.t[k + 1] - run.t[k]) / (rate[k + 1] - rate[k])
    assert wobble[0].imag == pytest.approx(2 * np.pi * (len(times) - 1) / (times[-1] - times[0]), rel=2e-4)


def governor(turning, angle=0.6, shaft=0.05, mass=0.4, arm=0.3, hub=0.05):
    """Two balls on arms that hang from a free shaft."""
    m = vc.Model("governor", gravity=(0, 0, -G))
    body = m.body("shaft", 1.0, shaft, angular_velocity=(0, 0, turning))
    m.revolute("O", m.ground, body, at=(0, 0, 0), axis="z")
    for name, side in (("left", 1), ("right", -1)):
        place = np.array([side * (hub + arm * np.sin(angle)), 0, -arm * np.cos(angle)])
        ball = m.body(name, mass, 0.0, at=place, velocity=np.cross([0, 0, turning], place),
                      angular_velocity=(0, 0, turning))
        m.revolute(f"hinge {name}", body, ball, at=(side * hub, 0, 0), axis="y")
    return m


@pytest.mark.parametrize("moment", [0.0, 0.23])
@pytest.mark.parametrize("shaft", [0.005, 0.05, 50.0])
def test_a_governor_on_a_free_shaft_hunts_with_its_momentum_kept(shaft, moment):
    """Of the energy in one angle at a constant moment of momentum, p^2 / 2 I(a) - 2 m g l cos a; balls in opposition
    leave the shaft alone."""
    m, arm, hub, a = 0.4, 0.3, 0.05, 0.6
    turning = np.sqrt(G * np.tan(a) / (hub + arm * np.sin(a)))
    system = vc.compile(governor(turning, a, shaft))
    state = vc.assemble(system)
    state = vc.simulate(system, moment, start=state).state() if moment else state
    linear = vc.linearize(state)
    R = hub + arm * np.sin(a)
    inertia = shaft + 2 * m * R**2
    slope, curve = 4 * m * R * arm * np.cos(a), 4 * m * (arm**2 * np.cos(a) ** 2 - R * arm * np.sin(a))  # of inertia
    together = turning**2 * (slope**2 / inertia - curve / 2) + 2 * m * G * arm * np.cos(a)
    opposed = G * arm * np.cos(a) - turning**2 * (arm**2 * np.cos(a) ** 2 - R * arm * np.sin(a))
    expected = np.sqrt([together / (2 * m * arm**2), opposed / arm**2])
    assert linear.steady and linear.stable
    assert np.sort(upper(linear.eigenvalues).imag) == pytest.approx(np.sort(expected), rel=1e-7)


def test_a_heavy_top_in_steady_precession_nutates_with_the_classical_frequency():
    """At lean a with precession p and spin n = (A p cos a + m g h / p)/C: the frequency of the energy in one angle."""
    A, C, m, h, a, p = 0.02, 0.013, 1.5, 0.1, 0.5, 4.0
    tip = A + m * h**2
    w3 = (tip * p**2 * np.cos(a) + m * G * h) / (C * p)
    axis = np.array([np.sin(a), 0, np.cos(a)])
    R = np.array([[np.cos(a), 0, -np.sin(a)], [0, 1, 0], axis]).T
    w = np.array([0, 0, p]) + (w3 - p * np.cos(a)) * axis
    model = vc.Model("top", gravity=(0, 0, -G))
    centre = h * axis
    body = model.body("top", m, (A, A, C), at=centre, orientation=R, angular_velocity=w, velocity=np.cross(w, centre))
    model.spherical("tip", model.ground, body, at=(0, 0, 0))
    linear = vc.linearize(vc.assemble(model))
    momentum, spin = tip * p * np.sin(a) ** 2 + C * w3 * np.cos(a), C * w3

    def energy(x):
        return (momentum - spin * np.cos(x)) ** 2 / (2 * tip * np.sin(x) ** 2) + m * G * h * np.cos(x)

    s = 1e-3
    near, far = (energy(a + d) + energy(a - d) - 2 * energy(a) for d in (s, 2 * s))
    curve = (16 * near - far) / (12 * s**2)
    assert linear.steady and linear.axes[0] == pytest.approx([0, 0, p], abs=1e-9)
    assert np.abs(linear.eigenvalues - 1j * np.sqrt(curve / tip)).min() < 1e-6 * np.sqrt(curve / tip)
    assert linear.stable


def test_a_free_body_is_stable_about_its_largest_and_least_axis_alone():
    """Euler: s^2 = -n^2 (I3 - I1)(I3 - I2)/(I1 I2) in the axes of the body."""
    moments, n = np.array([0.2, 0.3, 0.4]), 5.0
    for k in range(3):
        model = vc.Model("free", gravity=(0, 0, 0))
        model.body("body", 1.0, moments, angular_velocity=n * np.eye(3)[k])
        linear = vc.linearize(vc.assemble(model))
        a, b = np.delete(moments, k)
        root = n * np.sqrt(complex(-(moments[k] - a) * (moments[k] - b) / (a * b)))
        assert np.abs(linear.eigenvalues - root).min() < 1e-8 and linear.steady
        assert linear.stable is (k != 1)


def test_a_rotor_with_unlike_shaft_stiffness_is_unstable_between_its_two_speeds():
    """In the axes of the shaft: x'' - 2 n y' + (k1/m - n^2) x = 0, y'' + 2 n x' + (k2/m - n^2) y = 0."""
    m, k1, k2 = 2.0, 800.0, 1200.0
    for n in (10.0, 22.0, 40.0):
        model = vc.Model("rotor", gravity=(0, 0, 0))
        shaft = model.body("shaft", 1.0, (0.1, 0.1, 0.1), angular_velocity=(0, 0, n))
        model.revolute("O", model.ground, shaft, at=(0, 0, 0), axis="z")
        model.drive("O.angle", vc.Polynomial([0.0, n]))
        disc = model.body("disc", m, (0.01, 0.01, 0.02), angular_velocity=(0, 0, n))
        model.oldham("coupling", shaft, disc, at=(0, 0, 0), axis="z")
        model.spring("first", vc.along("x", shaft.frame((0, 0, 0)), disc.frame((0, 0, 0))), k=k1)
        model.spring("second", vc.along("y", shaft.frame((0, 0, 0)), disc.frame((0, 0, 0))), k=k2)
        linear = vc.linearize(vc.assemble(model))
        square = np.roots([1, (k1 + k2) / m + 2 * n**2, (k1 / m - n**2) * (k2 / m - n**2)])
        expected = upper(np.concatenate([np.sqrt(square.astype(complex)), -np.sqrt(square.astype(complex))]))
        assert linear.steady
        assert upper(linear.eigenvalues) == pytest.approx(expected, rel=1e-8)
        assert linear.stable is (n != 22.0)


def skate(slope=0.2, heading=0.4, speed=1.5):
    """A sleigh on an incline, where its place matters to no force but its heading does."""
    m = vc.Model("skate", gravity=(-G * np.sin(slope), 0, -G * np.cos(slope)))
    along = np.array([np.cos(heading), np.sin(heading), 0])
    body = m.body("sleigh", 2.0, 0.3, at=0.2 * along, velocity=speed * along)
    m.planar("ice", m.ground, body, at=(0, 0, 0), axis="z")
    m.knife_edge("blade", m.ground, body, at=(0, 0, 0), along=along)
    m.spring("post", vc.distance(m.ground.frame((3.0, 1.0, 0)), body.frame((0, 0, 0))), k=20.0, length=1.0)
    return m


@pytest.mark.parametrize("build", [skate, lambda: bicycle(5.0), lambda: disc(0.3, 1.3, 4.0), lambda: governor(3.0)],
                         ids=["skate", "bicycle", "disc", "governor"])
def test_any_moment_of_a_motion_agrees_with_differences(build):
    """At the start, within a motion that is not steady, and at rest."""
    system = vc.compile(build())
    start = vc.assemble(system)
    states = [start, vc.simulate(system, 0.2, start=start).state()]
    y = start.y.copy()
    for k in range(len(system.centred)):
        y[13 * k + 7: 13 * k + 13] = 0.0
    for state in [*states, start.with_vector(y)]:
        assert not complaints_of_linear(vc.linearize(state), 1e-8)


@pytest.mark.parametrize("level", ["position", "velocity", "acceleration"])
def test_drives_of_any_level_leave_the_pendulum_of_a_cart_its_motion(level):
    """s^2 = -g/l whatever drives the cart; where velocities are driven its place is a number of its own."""
    m = vc.Model("cart", gravity=(0, 0, -G))
    cart, bob = m.body("cart", 1.0, 0.1), m.body("bob", 0.5, 0.0, at=(0, 0, -0.4))
    m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis="x")
    m.revolute("pin", cart, bob, at=(0, 0, 0), axis="y")
    m.drive("rail.travel", {"position": "0.3*t", "velocity": "0.3", "acceleration": "0"}[level], level=level)
    m.spring("far", vc.along("x", m.ground.frame((0, 0, 0)), bob.frame(local=(0, 0, 0))), k=3.0)
    state = vc.assemble(m, {"rail.travel.rate": 0.3})
    linear = vc.linearize(state)
    assert not complaints_of_linear(linear, 1e-8)
    assert upper(linear.eigenvalues).imag == pytest.approx([np.sqrt(G / 0.4 + 3.0 / 0.5)], rel=1e-9)
