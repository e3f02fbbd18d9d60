"""Laws of motion and curves meet the values and closed forms of books, and independent computations."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

import vincolo as vc
from vincolo.model import functions as fn

#: largest f' T/rise and f'' T^2/rise, as tables of cam laws give them (Norton, Cam Design and Manufacturing Handbook)
COEFFICIENTS = {
    fn.Cycloidal: (2.000, 6.283), fn.Poly345: (1.875, 5.774), fn.SmoothStep: (1.875, 5.774),
    fn.ModifiedTrapezoid: (2.000, 4.888), fn.Poly4567: (2.188, 7.513), fn.ConstantAcceleration: (2.000, 4.000),
    fn.Sigma: (1.500, 6.000), fn.Haversine: (1.571, 4.935),
}
#: the highest derivative without jumps, by construction of each law
CONTINUITY = {fn.Cycloidal: 2, fn.Poly345: 2, fn.SmoothStep: 2, fn.ModifiedTrapezoid: 2, fn.Poly4567: 3,
              fn.ConstantAcceleration: 1, fn.Sigma: 1, fn.Haversine: 1}
#: f = low + rise s(x), x from 0 to 1
CLOSED = {
    fn.Cycloidal: lambda x: x - np.sin(2 * np.pi * x) / (2 * np.pi),
    fn.Poly345: lambda x: 10 * x**3 - 15 * x**4 + 6 * x**5,
    fn.Poly4567: lambda x: 35 * x**4 - 84 * x**5 + 70 * x**6 - 20 * x**7,
    fn.Sigma: lambda x: 3 * x**2 - 2 * x**3,
    fn.Haversine: lambda x: np.sin(np.pi * x / 2)**2,
    fn.ConstantAcceleration: lambda x: np.where(x < 0.5, 2 * x**2, 1 - 2 * (1 - x)**2),
}


@pytest.mark.parametrize("law", COEFFICIENTS)
@pytest.mark.parametrize("span", [(0, 1, 0, 1), (-3.0, 4.5, 2.0, -7.0), (1e3, 1e3 + 0.02, 0, 5)])
def test_coefficients_are_those_of_the_tables(law, span):
    motion = law(*span)
    velocity, acceleration = COEFFICIENTS[law]
    assert motion.velocity_coefficient == pytest.approx(velocity, abs=0.0006)  # tables give three decimals
    assert motion.acceleration_coefficient == pytest.approx(acceleration, abs=0.0006)


@pytest.mark.parametrize(("law", "velocity", "acceleration"), [
    (fn.Cycloidal, 2, 2 * math.pi), (fn.Poly345, 15 / 8, 10 / math.sqrt(3)),
    (fn.Poly4567, 35 / 16, 84 / 25 * math.sqrt(5)),
    (fn.ModifiedTrapezoid, 2, 8 * math.pi / (2 + math.pi)), (fn.ConstantAcceleration, 2, 4), (fn.Sigma, 3 / 2, 6),
    (fn.Haversine, math.pi / 2, math.pi**2 / 2)])
def test_coefficients_are_exact(law, velocity, acceleration):
    motion = law(0.5, 2.5, 1.0, 4.0)
    assert motion.velocity_coefficient == pytest.approx(velocity, rel=1e-9)
    assert motion.acceleration_coefficient == pytest.approx(acceleration, rel=1e-9)


@pytest.mark.parametrize("law", CLOSED)
def test_laws_are_their_closed_forms(law):
    start, end, low, high = -0.3, 2.2, 5.0, 1.0
    x = np.linspace(0, 1, 41)
    found = law(start, end, low, high).sample(start + (end - start) * x)[0]
    assert found == pytest.approx(low + (high - low) * CLOSED[law](x), abs=1e-13)


@pytest.mark.parametrize("law", CONTINUITY)
def test_laws_are_as_smooth_as_their_name_promises(law):
    report = law(-0.3, 2.2, 5.0, 1.0).continuity()
    assert report.order == CONTINUITY[law]
    assert report.corners[0].t == -0.3 and report.corners[-1].t == 2.2
    assert law(-0.3, 2.2, 5.0, 1.0).derivatives(-9.0) == (5.0, 0.0, 0.0)
    assert law(-0.3, 2.2, 5.0, 1.0).derivatives(9.0) == pytest.approx((1.0, 0.0, 0.0), abs=1e-13)


def test_acceleration_of_the_modified_trapezoid():
    """Flanks of sines in the eighths, plateaus between them: Neklutin's law by its definition."""
    peak = 8 * math.pi / (2 + math.pi)
    x = np.linspace(0, 1, 400, endpoint=False) + 1 / 800
    shape = np.select([x < 1 / 8, x < 3 / 8, x < 5 / 8, x < 7 / 8],
                      [np.sin(4 * np.pi * x), 1.0, np.cos(4 * np.pi * (x - 3 / 8)), -1.0], -np.sin(4 * np.pi * (1 - x)))
    assert fn.ModifiedTrapezoid(0, 1).sample(x)[2] == pytest.approx(peak * shape, abs=1e-12)


@pytest.mark.parametrize(("up", "down"), [(0.5, 0.5), (0.2, 0.3), (0.1, 0.9), (1 / 3, 1 / 3)])
def test_trapezoid_of_speed_has_the_area_of_the_rise(up, down):
    motion = fn.ConstantAcceleration(1.0, 5.0, 2.0, 8.0, up, down)
    speed = 6.0 / 4.0 / (1 - 0.5 * (up + down))
    assert motion.velocity_coefficient == pytest.approx(speed * 4 / 6, rel=1e-9)
    assert motion.derivatives(1.0 + 2 * up)[2] == pytest.approx(speed / (4 * up))
    assert motion.derivatives(5.0 - 2 * down)[2] == pytest.approx(-speed / (4 * down))
    assert motion(5.0 - 1e-13) == pytest.approx(8.0) and motion(5.0) == pytest.approx(8.0, rel=1e-15)


def test_quintic_meets_speeds_and_accelerations_at_its_ends():
    motion = fn.Poly345(1.0, 3.5, 2.0, -1.0, (0.7, -2.0), (5.0, 0.3))
    assert motion.taylor(1.0, 2) == pytest.approx([2.0, 0.7, 5.0], abs=1e-12)
    assert motion.taylor(3.5, 2, side=-1) == pytest.approx([-1.0, -2.0, 0.3], abs=1e-11)
    assert motion.derivatives(4.5) == pytest.approx((-3.0, -2.0, 0.0), abs=1e-11)  # straight on
    assert motion.derivatives(0.0) == pytest.approx((1.3, 0.7, 0.0), abs=1e-12)


#: rise, speed, acceleration, jerk: limits of speed and acceleration reached or not, in all four combinations
LIMITS = {"both": (10.0, 2.0, 3.0, 5.0), "speed only": (10.0, 1.0, 9.0, 5.0),
          "acceleration only": (3.0, 50.0, 2.0, 5.0), "acceleration just": (0.7, 50.0, 2.0, 5.0),
          "none": (0.1, 2.0, 3.0, 5.0), "down": (-4.0, 2.0, 3.0, 5.0),
          "speed just": (2.0 * (3.0 / 5.0 + 2.0 / 3.0), 2.0, 3.0, 5.0)}  # v (a/j + v/a): no time at full speed


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_seven_segments_keep_their_limits_and_arrive(limits):
    rise, speed, acceleration, jerk = limits
    motion = fn.SevenSegments(*limits, start=0.7, low=-2.0)
    t = np.linspace(0.7, 0.7 + motion.duration, 4001)
    f, v, a = motion.sample(t)
    slack = 1 + 1e-9
    assert np.abs(v).max() <= speed * slack and np.abs(a).max() <= acceleration * slack
    assert np.abs(np.diff(a) / np.diff(t)).max() <= jerk * (1 + 1e-6)  # the mean jerk between samples
    for b in motion.breaks:
        assert abs(motion.taylor(b, 3)[3]) == pytest.approx(jerk, rel=1e-9) or motion.taylor(b, 3)[3] == 0
    assert motion.derivatives(0.7 + motion.duration + 1e-9) == pytest.approx((rise - 2.0, 0.0, 0.0), abs=1e-12)
    assert (np.diff(f) * np.sign(rise) >= -1e-15).all()
    assert motion.continuity().order == 2
    assert motion.span == pytest.approx((0.7, 0.7 + motion.duration))


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_seven_segments_are_the_quickest(limits):
    """The longest way of a linear programme is too short in a little less time, and long enough in a little more."""
    T, rise = fn.SevenSegments(*limits).duration, abs(limits[0])
    assert longest_way(0.97 * T, *limits[1:]) < rise * (1 - 0.01)
    assert longest_way(1.03 * T, *limits[1:]) > rise * (1 + 0.01)


def longest_way(T, speed, acceleration, jerk, n=100):
    """The largest distance from rest to rest in the time T, with jerk constant in each of n equal parts."""
    h = T / n
    ramp = np.tril(np.ones((n, n)))
    a = h * ramp  # a_k after k parts, by the jerks
    v = h * (ramp @ a) - 0.5 * h * a  # v_{k} = v_{k-1} + h (a_{k-1} + a_k)/2
    before = np.vstack([np.zeros(n), v[:-1]]), np.vstack([np.zeros(n), a[:-1]])
    way = (h * before[0] + h**2 / 2 * before[1] + h**3 / 6 * np.eye(n)).sum(axis=0)
    rows = np.vstack([a, -a, v, -v])
    limits = np.repeat([acceleration, acceleration, speed, speed], n)
    found = linprog(-way, A_ub=rows, b_ub=limits, A_eq=np.vstack([a[-1], v[-1]]), b_eq=[0, 0], bounds=(-jerk, jerk))
    assert found.status == 0
    return -found.fun


def test_chirp_sweeps_its_frequency():
    for sweep, middle in (("linear", 11.0), ("logarithmic", math.sqrt(2.0 * 20.0))):
        chirp = fn.Chirp(3.0, 2.0, 20.0, 1.0, 5.0, 0.4, 1.0, sweep)
        for t, frequency in ((0.2, 2.0), (1.0, 2.0), (3.0, middle), (5.0, 20.0), (8.0, 20.0)):
            value, rate, _ = chirp.derivatives(t)
            assert rate**2 == pytest.approx(frequency**2 * (9.0 - (value - 1.0)**2), rel=1e-9)  # A^2 w^2 cos^2
        assert chirp.continuity().order == 1
        assert chirp(1.0) == pytest.approx(1.0 + 3.0 * math.sin(0.4))


def test_rational_spline_draws_a_circle():
    weights = (1.0, math.sqrt(0.5), 1.0)
    x, y = (fn.Nurbs(c, weights, degree=2) for c in ((1, 1, 0), (0, 1, 1)))
    t = np.linspace(0, 1, 21)
    assert x.sample(t)[0]**2 + y.sample(t)[0]**2 == pytest.approx(np.ones(21), abs=1e-14)


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_b_spline_is_what_the_recursion_of_de_boor_gives(degree, rng):
    control = rng.normal(size=9)
    knots = np.sort(rng.uniform(0, 5, 9 + degree + 1))
    spline = fn.BSpline(control, knots, degree)
    for t in np.linspace(knots[degree], knots[9], 23)[:-1]:
        exact = sum(c * basis(knots, k, degree, t) for k, c in enumerate(control))
        assert spline(t) == pytest.approx(exact, abs=1e-10)


def basis(knots, k, degree, t):
    """The k-th B-spline of a degree."""
    if degree == 0:
        return float(knots[k] <= t < knots[k + 1])
    rising = (t - knots[k]) / (knots[k + degree] - knots[k])
    falling = (knots[k + degree + 1] - t) / (knots[k + degree + 1] - knots[k + 1])
    return rising * basis(knots, k, degree - 1, t) + falling * basis(knots, k + 1, degree - 1, t)


def test_smoothing_goes_from_the_samples_to_the_line_of_least_squares(rng):
    x = np.linspace(0, 4, 12)
    y = 2 * x + 1 + rng.normal(scale=0.3, size=12)
    assert fn.Smoothing(x, y, penalty=0.0).sample(x[:-1])[0] == pytest.approx(y[:-1], abs=1e-9)
    line = np.polyval(np.polyfit(x, y, 1), x)
    assert fn.Smoothing(x, y, penalty=1e6).sample(x)[0] == pytest.approx(line, abs=1e-5)
    assert fn.Smoothing(x, y).continuity().order >= 2


def test_akima_keeps_a_straight_stretch_straight():
    """Akima (1970): where five samples lie on a line, the curve is that line, whatever is elsewhere."""
    curve = fn.Akima((0, 1, 2, 3, 4, 5, 6, 7), (0, 0, 0, 0, 0, 9, 2, 5))
    assert curve.sample(np.linspace(0, 3, 13))[0] == pytest.approx(np.zeros(13), abs=1e-15)
    assert [curve(k) for k in range(8)] == pytest.approx([0, 0, 0, 0, 0, 9, 2, 5], abs=1e-12)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
def test_a_fillet_between_a_polynomial_and_itself_is_that_polynomial(order, rng):
    polynomial = fn.Polynomial(rng.normal(size=2 * order + 2))
    fillet = fn.Fillet(polynomial, polynomial, -0.4, 1.1, order)
    t = np.linspace(-0.4, 1.1, 20)
    assert fillet.sample(t)[0] == pytest.approx(polynomial.sample(t)[0], abs=1e-11)


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_a_fillet_has_the_continuity_asked_for(order):
    assert fn.Fillet("sin(3*t)", "exp(t)", 0.2, 0.9, order).continuity().order == order


def test_high_fillets_match_derivatives_by_hand():
    """exp has all derivatives exp(t), sin the four that everyone knows."""
    fillet = fn.Fillet("exp(t)", "sin(t)", 0.2, 0.9, 5)
    assert fillet.taylor(0.2, 5) == pytest.approx([math.exp(0.2)] * 6, rel=1e-10)
    s, c = math.sin(0.9), math.cos(0.9)
    assert fillet.taylor(0.9, 5, side=-1) == pytest.approx([s, c, -s, -c, s, c], abs=1e-7)


@pytest.fixture(scope="module")
def swing():
    """A pendulum from rest at a right angle, in exact steps enough for 1e-10."""
    model = vc.Model()
    rod = model.body("rod", 1.0, 0.1, at=(1, 0, 0))
    model.revolute("O", model.ground, rod, at=(0, 0, 0), axis="y")
    integrator = vc.DOP853(rtol=1e-12, atol=1e-13)
    return [vc.simulate(model, 1.0, outputs=n, integrator=integrator) for n in (20, 40, 400)]


@pytest.mark.parametrize(("name", "degree"), [("rod.x", 5), ("rod.vx", 3), ("O.angle", 5), ("O.angle.rate", 3)])
def test_between_its_samples_a_record_has_the_order_of_its_polynomials(swing, name, degree):
    *runs, fine = swing
    recorded = [fn.Recorded(run, name) for run in runs]
    assert all(len(f.curve.rows[0]) == degree + 1 for f in recorded)
    for f, run in zip(recorded, runs, strict=True):
        assert f.sample(run.t[:-1])[0] == pytest.approx(run[name][:-1], abs=1e-12)
    coarse, better = (np.abs(f.sample(fine.t)[0] - fine[name]).max() for f in recorded)
    assert math.log2(coarse / better) == pytest.approx(degree + 1, abs=0.5)


@pytest.mark.parametrize("function", [
    fn.SevenSegments(0.5, 1.0, 3.0, 20.0, 0.1), fn.Cycloidal(0.1, 0.9, 0.0, 0.5), fn.Poly4567(0.1, 0.9, 0.0, 0.5),
    fn.Sine(0.1, 5.0) * fn.Cycloidal(0.1, 0.9), fn.Repeat(fn.Poly4567(0.0, 0.4), rise=True),
    fn.Sequence([fn.Cycloidal(0, 0.4), fn.Mirror(fn.Cycloidal(0, 0.4), time=0.2)], start=0.1),
    fn.Traced(lambda t: 0.1 * t**2 * np.sin(3 * t))], ids=lambda f: type(f).__name__)
def test_a_drive_follows_a_function_and_takes_its_force(function):
    """One mass on a slide: the drive's force is m f''."""
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("b", 2.0, 0.3, at=(function(0.0), 0, 0))
    slide = model.prismatic("S", model.ground, body, at=(0, 0, 0), axis="x")
    model.drive(slide["travel"], function - function(0.0), name="D")
    result = vc.simulate(model, 1.0, outputs=37, integrator=vc.DormandPrince(rtol=1e-10, atol=1e-12))
    assert result.complete
    f, _, ddf = function.sample(result.t)
    assert result["b.x"] == pytest.approx(f, abs=1e-8)
    assert result["D.force"] == pytest.approx(2.0 * ddf, abs=1e-6)


@pytest.mark.parametrize("analysis", [vc.kinematics, vc.simulate])
@pytest.mark.parametrize("outside", ["straight", "hold"])
def test_a_drive_that_replays_a_free_swing_needs_no_torque_at_any_sample(analysis, outside):
    """What moved by itself moves by itself again, to the last sample."""
    model = vc.Model(gravity=(0, 0, -9.81))
    bob = model.body("bob", 1.0, 0.01, at=(1, 0, 0))
    model.revolute("O", model.ground, bob, at=(0, 0, 0), axis="y")
    swing = vc.simulate(model, 1.0, outputs=100, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    model.drive("O.angle", vc.Recorded(swing, "O.angle", outside), name="motor")
    again = analysis(model, 1.0, outputs=100)
    assert np.abs(again["motor.force"]).max() < 1e-9  # of 9.81 N m of weight at the start
