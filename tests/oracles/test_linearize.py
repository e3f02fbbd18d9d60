"""Small vibrations against closed solutions: frequencies, damping, modes, gyroscopic motion, transfer functions."""

import numpy as np
import pytest

import quarter_car as car
import vincolo as vc
from linkages import G, parallelogram, pendulum
from mechanisms import build, plans

WEIGHT = 9.80665
RESTING = ["tree 0", "loop 3", "four-bar 0", "four-bar 1", "four-bar 2", "four-bar 3", "parallelogram"]


def chain(masses, rates, dampers):
    """Bodies in a row on a line, the first sprung against the wall."""
    model = vc.Model("chain", gravity=(0, 0, 0))
    previous = None
    for k, (mass, rate, c) in enumerate(zip(masses, rates, dampers, strict=True)):
        body = model.body(f"m{k}", mass=mass, inertia=0.1, at=(float(k), 0, 0))
        slide = model.prismatic(f"s{k}", model.ground, body, at=(float(k), 0, 0), axis="x")
        travel = slide["travel"]
        model.spring(f"k{k}", travel if previous is None else travel - previous, k=rate, c=c)
        previous = travel
    return model


def test_a_compound_pendulum_swings_with_its_frequency():
    """Rod of 1 m: I = m/3 about the hinge, so that w^2 = (m g/2)/(m/3) = 3 g/2."""
    linear = vc.linearize(vc.statics(pendulum(0.2)).state)
    assert linear.frequencies == pytest.approx([np.sqrt(1.5 * G) / (2 * np.pi)], rel=1e-10)
    assert linear.damping_ratios == pytest.approx([0], abs=1e-12) and linear.stable
    assert linear.eigenvalues[0].imag == pytest.approx(np.sqrt(1.5 * G), rel=1e-10)
    v, w = linear.modes[0, 0, :3], linear.modes[0, 0, 3:]
    assert v == pytest.approx(np.cross(w, [0, -0.5, 0]), abs=1e-12)  # the shape turns about the hinge


def test_an_upright_pendulum_grows_and_decays():
    linear = vc.linearize(vc.assemble(pendulum(np.pi / 2)))
    assert sorted(linear.eigenvalues.real) == pytest.approx([-np.sqrt(1.5 * G), np.sqrt(1.5 * G)], rel=1e-10)
    assert not linear.stable


def test_two_masses_in_a_row_vibrate_as_the_quadratic_says():
    """m1 m2 w^4 - (m1 k2 + m2 (k1 + k2)) w^2 + k1 k2 = 0, and the shapes of that."""
    m1, m2, k1, k2 = 2.0, 3.0, 500.0, 800.0
    linear = vc.linearize(vc.assemble(chain((m1, m2), (k1, k2), (0, 0))))
    squares = np.sort(np.roots([m1 * m2, -(m1 * k2 + m2 * (k1 + k2)), k1 * k2]))
    assert (2 * np.pi * linear.frequencies) ** 2 == pytest.approx(squares, rel=1e-10)
    for shape, square in zip(linear.modes, squares, strict=True):
        assert shape[1, 0] / shape[0, 0] == pytest.approx((k1 + k2 - m1 * square) / k2, rel=1e-9)
    assert linear.modes.shape == (2, 2, 6) and np.abs(linear.modes).max() == 1


@pytest.mark.parametrize("c", [0.5, 20.0, 80.0])
def test_a_damped_oscillator_has_the_roots_of_its_quadratic(c):
    """m s^2 + c s + k = 0, below and above critical damping (2 sqrt(k m) = 56.6)."""
    m, k = 2.0, 400.0
    linear = vc.linearize(vc.assemble(chain((m,), (k,), (c,))))
    roots = np.roots([m, c, k])
    expected = sorted(roots[roots.imag >= 0], key=abs)
    assert linear.eigenvalues == pytest.approx(expected, rel=1e-9)
    if c < 56:
        assert linear.damping_ratios == pytest.approx([c / (2 * np.sqrt(k * m))], rel=1e-9)
        assert linear.frequencies == pytest.approx([np.sqrt(k / m) / (2 * np.pi)], rel=1e-9)
        assert linear.damped_frequencies[0] < linear.frequencies[0]


def test_a_hanging_cable_of_fifty_links_has_the_frequencies_of_the_finite_chain():
    """Independent: angles of the links to the vertical, T = 1/2 a' M a', V = 1/2 a K a, both written down."""
    n, size, mass, inertia = 50, 0.2, 0.3, 0.0015
    model = vc.Model("cable")
    previous = model.ground
    for k in range(n):
        link = model.body(f"link{k}", mass=mass, inertia=(inertia, inertia, 1e-4), at=(0, 0, -size * (k + 0.5)))
        model.revolute(f"pin{k}", previous, link, at=(0, 0, -size * k), axis="y")
        previous = link
    linear = vc.linearize(vc.assemble(model))
    M, K = inertia * np.eye(n), np.zeros((n, n))
    for k in range(n):
        lever = np.where(np.arange(n) < k, size, np.where(np.arange(n) == k, size / 2, 0.0))
        M += mass * np.outer(lever, lever)
        K += mass * WEIGHT * np.diag(lever)
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)) / (2 * np.pi)
    assert linear.frequencies == pytest.approx(expected, rel=1e-8)


def test_point_masses_on_a_string_have_laguerre_frequencies():
    """Equal masses m at equal distances l hang on a massless string: w^2 l/g are the roots of the Laguerre polynomial
    of that degree. Thin links without inertia about their lower ends."""
    n, size = 6, 0.25
    model = vc.Model("string")
    previous = model.ground
    for k in range(n):
        bead = model.body(f"bead{k}", mass=0.4, inertia=0.0, at=(0, 0, -size * (k + 1)))
        model.revolute(f"pin{k}", previous, bead, at=(0, 0, -size * k), axis="y")
        previous = bead
    linear = vc.linearize(vc.assemble(model))
    roots = np.polynomial.laguerre.lagroots([0] * n + [1])
    assert (2 * np.pi * linear.frequencies) ** 2 * size / WEIGHT == pytest.approx(np.sort(roots), rel=1e-9)


def test_a_redundant_parallelogram_swings_as_a_pendulum():
    """Two rods and a coupler of 2 kg on 1 m: (2 + 2/3) a'' = -(2 + 1) g a."""
    linear = vc.linearize(vc.statics(parallelogram(-1.2)).state)
    assert 2 * np.pi * linear.frequencies == pytest.approx([np.sqrt(3 * G / (2 + 2 / 3))], rel=1e-9)
    assert linear.mass.shape == (1, 1) and linear.basis.shape == (3, 6, 1)


def test_a_quarter_car_has_the_frequencies_of_the_hand_calculation():
    rest, q = vc.statics(car.quarter_car()), car.rest_by_hand()
    linear = vc.linearize(rest.state)
    M, K = car.mass_by_hand(q), car.curvature(car.potential, q)
    s = car.slope(lambda x: np.array([car.strut(x[1])]), q)
    C = car.C_STRUT * s.T @ s
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    expected = np.linalg.eigvals(A)
    expected = sorted(expected[expected.imag >= 0], key=abs)
    assert linear.eigenvalues == pytest.approx(expected, rel=1e-6)
    assert 1.0 < linear.frequencies[0] < 2.5 and 8 < linear.frequencies[1] < 16  # Hz, ride and wheel hop of a car


def test_the_wheel_rate_is_that_of_the_lever_and_of_the_curved_path():
    """With the chassis held and a force F under the wheel: V(a) of the arms and the strut, F = dV/dz, rate = dF/dz."""
    model = car.quarter_car(held=True)
    load = 3000.0
    model.force("road", model.bodies["upright"], (0, 0, load))
    rest = vc.statics(model)
    linear = vc.linearize(rest.state, ["upright.fz"], ["upright.z"])
    compliance = -(linear.C @ np.linalg.solve(linear.A, linear.B))[0, 0]

    def free(x):
        """Energy without the tyre."""
        q = np.array([0 * x[0], x[0]])
        return car.potential(q) - car.K_TYRE / 2 * (car.places(q)[3, 1] - car.RADIUS) ** 2 - load * car.places(q)[3, 1]

    a = np.zeros(1)
    for _ in range(50):
        a = a - np.linalg.solve(car.curvature(free, a), car.slope(free, a))
    height = car.slope(lambda x: car.places(np.array([0 * x[0], x[0]]))[3, 1], a)[0]  # dz/da
    rate = car.curvature(free, a)[0, 0] / height**2
    assert rest["upright.z"] == pytest.approx(car.places(np.array([0.0, a[0]]))[3, 1], abs=1e-10)
    assert 1 / compliance == pytest.approx(rate, rel=1e-7)


def test_a_sleeping_top_precesses_and_nutates():
    """Spin n about the vertical symmetry axis: A w^2 - C n w + m g h = 0, A about the tip."""
    A, C, m, h, n = 0.02, 0.013, 1.5, 0.1, 60.0
    model = vc.Model("top")
    top = model.body("top", mass=m, inertia=(A, A, C), at=(0, 0, h), angular_velocity=(0, 0, n))
    model.spherical("tip", model.ground, top, at=(0, 0, 0))
    linear = vc.linearize(vc.assemble(model))
    expected = np.sort(np.roots([A + m * h**2, -C * n, m * WEIGHT * h]))
    assert np.sort(linear.eigenvalues.imag)[-2:] == pytest.approx(expected, rel=1e-9)
    assert np.abs(linear.eigenvalues.real).max() < 1e-9 and linear.acceleration == pytest.approx(0, abs=1e-12)


def test_a_top_that_is_too_slow_falls():
    """Stable only if C^2 n^2 > 4 A m g h."""
    A, C, m, h = 0.02, 0.013, 1.5, 0.1
    limit = np.sqrt(4 * (A + m * h**2) * m * WEIGHT * h) / C
    for spin, stable in ((0.99 * limit, False), (1.01 * limit, True)):
        model = vc.Model("top")
        top = model.body("top", mass=m, inertia=(A, A, C), at=(0, 0, h), angular_velocity=(0, 0, spin))
        model.spherical("tip", model.ground, top, at=(0, 0, 0))
        assert vc.linearize(vc.assemble(model)).stable is stable


def test_a_ball_that_is_spun_up_is_linear_at_that_moment():
    """Equal moments I and a torque T fixed in the world: w' = T/I whatever the turn, and dw = th' + th x w, so that
    th'' = -th' x w - th x T/I."""
    model = vc.Model("ball", gravity=(0, 0, 0))
    ball = model.body("ball", mass=2.0, inertia=0.05, angular_velocity=(1.0, -2.0, 3.0))
    model.torque("T", ball, (0.4, 0.1, -0.2))
    linear = vc.linearize(vc.assemble(model))
    rotations = linear.basis[0, 3:]  # th of every coordinate
    w, change = np.array([1.0, -2.0, 3.0]), np.array([0.4, 0.1, -0.2]) / 0.05
    for block, vector in ((linear.A[6:, :6], change), (linear.A[6:, 6:], w)):
        assert rotations @ block == pytest.approx(-np.cross(rotations.T, vector).T, abs=1e-8)
    assert rotations @ linear.acceleration == pytest.approx(change, rel=1e-10)


def rotor(speed=7.0, arm=0.3, length=0.2):
    """A pendulum on the rim of a rotor that is driven at a constant speed."""
    model = vc.Model("centrifugal pendulum", gravity=(0, 0, 0))
    disc = model.body("rotor", mass=1, inertia=1)
    model.revolute("O", model.ground, disc, at=(0, 0, 0), axis="z")
    model.drive("O.angle", vc.Polynomial([0.0, speed]))
    bob = model.body("bob", mass=2.0, inertia=0.003, at=(arm + length, 0, 0))
    model.revolute("P", disc, bob, at=(arm, 0, 0), axis="z")
    return model


def test_a_centrifugal_pendulum_swings_in_proportion_to_the_speed():
    """w = n sqrt(m R L / (m L^2 + I)), the tuned absorber; at any moment of the turn."""
    order = np.sqrt(2.0 * 0.3 * 0.2 / (2.0 * 0.04 + 0.003))
    for speed, t in ((7.0, 0.0), (20.0, 0.37)):
        system = vc.compile(rotor(speed))
        start = vc.assemble(system, {"P.angle.rate": 0.0})
        linear = vc.linearize(vc.simulate(system, until=t, start=start).state() if t else start)
        assert linear.eigenvalues == pytest.approx([1j * speed * order], rel=1e-8)


def test_a_drive_as_input_shakes_with_the_exact_transfer_function():
    """From the rotor's acceleration to the pendulum's angle: -(J + m R L)/(J s^2 + m R L n^2), J = I + m L^2."""
    steady = vc.assemble(rotor(), {"P.angle.rate": 0.0})
    linear = vc.linearize(steady, ["O.angle.drive"], ["P.angle", "P.angle.rate"])
    J, mRL = 0.003 + 2.0 * 0.04, 2.0 * 0.3 * 0.2
    for s in (1.0 + 2j, 5j, 30j):
        found = linear.C @ np.linalg.solve(s * np.eye(len(linear.A)) - linear.A, linear.B) + linear.D
        exact = -(J + mRL) / (J * s**2 + mRL * 49.0)
        assert found[:, 0] == pytest.approx([exact, s * exact], rel=1e-8)


def test_forces_move_outputs_with_the_transfer_functions_of_an_oscillator():
    """x/F = 1/(m s^2 + c s + k), also as rate, acceleration and spring force; every way to push is the same."""
    m, c, k, s = 2.0, 3.0, 400.0, 4.0 + 9j
    model = chain((m,), (k,), (c,))
    model.force("push", model.bodies["m0"], (2.5, 0, 0))
    model.actuator("motor", "s0.travel", 0.0)
    state = vc.assemble(model)
    inputs = ["s0.travel", "motor", "m0.fx", "push", "k0"]
    linear = vc.linearize(state, inputs, ["m0.x", "m0.vx", "m0.ax", "k0.force", "m0.y"])
    found = linear.C @ np.linalg.solve(s * np.eye(2) - linear.A, linear.B) + linear.D
    x = 1 / (m * s**2 + c * s + k)
    exact = np.outer([x, s * x, s**2 * x, (k + c * s) * x, 0], [1, 1, 1, 2.5, 1])
    assert found == pytest.approx(exact, rel=1e-8, abs=1e-12)
    other = linear.to_scipy()
    assert np.array_equal(other.A, linear.A) and other.D.shape == (5, 5)


def test_a_linear_system_follows_the_simulated_small_swing():
    """Free motion of 1e-4 rad: x(t) = expm(A t) x(0), up to the cube of the amplitude."""
    scipy_linalg = pytest.importorskip("scipy.linalg")
    model = car.quarter_car()
    system = vc.compile(model)
    rest = vc.statics(system)
    linear = vc.linearize(rest.state, outputs=["chassis.z", "upright.z"])
    pushed = vc.assemble(system, {"ride.travel": rest["ride.travel"] + 1e-5}, guess=rest.state)
    run = vc.simulate(system, until=0.4, outputs=8, start=pushed, integrator=vc.DOP853(rtol=1e-11, atol=1e-14))
    now = np.array([pushed[name] - rest[name] for name in linear.outputs])
    x = np.zeros(4)
    x[:2] = np.linalg.solve(linear.C[:, :2], now)
    for k, t in enumerate(run.t):
        predicted = linear.C @ (scipy_linalg.expm(linear.A * t) @ x)
        moved = [run[name][k] - rest[name] for name in linear.outputs]
        assert predicted == pytest.approx(moved, abs=1e-8)


def test_a_free_wheel_has_a_mode_of_frequency_zero():
    model = pendulum(-np.pi / 2)
    wheel = model.body("wheel", mass=1, inertia=0.1, at=(0, -1, 0))
    model.revolute("axle", model.bodies["bar"], wheel, at=(0, -1, 0), axis="z")
    linear = vc.linearize(vc.assemble(model))
    assert linear.eigenvalues[0] == 0 and linear.frequencies[1] > 0.5 and linear.stable
    assert np.abs(linear.modes[0, 0]).max() < 1e-6 and "natural [Hz]" in str(linear)


@pytest.mark.parametrize("name", RESTING)
def test_outputs_and_states_tell_the_same_accelerations(name):
    """About rest, v' = C_v A x must be the change of a that the kernel finds in moved states, closed again."""
    rest = vc.statics(build(plans()[name])).state
    axes = [(body, axis) for body in rest.system.body_numbers for axis in "xyz"]
    rates = [f"{body}.v{axis}" for body, axis in axes] + [f"{body}.w{axis}" for body, axis in axes]
    changes = [f"{body}.a{axis}" for body, axis in axes] + [f"{body}.alpha_{axis}" for body, axis in axes]
    linear = vc.linearize(rest, outputs=rates + changes)
    first, second = linear.C[:len(rates)], linear.C[len(rates):]
    assert second == pytest.approx(first @ linear.A, abs=1e-7 * np.abs(second).max())
    assert linear.acceleration == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("analysis", [vc.linearize, lambda model: vc.modes(vc.assemble(model))])
def test_a_distance_without_length_has_three_frequencies_or_is_refused(analysis):
    """sqrt(k/m) in every direction; with a free length or a damper there is no direction to act in."""
    def hung(**numbers):
        m = vc.Model("ball", gravity=(0, 0, 0))
        ball = m.body("ball", 2.0, 0.1, at=(0.3, 0.2, 0.1))
        m.spring("s", vc.distance(m.ground.frame((0.3, 0.2, 0.1)), ball.frame((0.3, 0.2, 0.1))), **numbers)
        return m
    found = analysis(hung(k=50.0, length=0.0))
    assert found.frequencies == pytest.approx([0, 0, 0, *[5 / (2 * np.pi)] * 3], abs=1e-9)
    for numbers, told in (({"k": 50.0, "length": 0.1}, "is -5 N"),
                          ({"k": 50.0, "length": 0.0, "c": 1.0}, "velocities")):
        with pytest.raises(vc.ModelError, match=f"'s' acts along the distance of two points that coincide.*{told}"):
            analysis(hung(**numbers))
