"""Functions in pieces, curves by samples and control values, sequences: what they do, and what they refuse."""

import math

import numpy as np
import pytest

from vincolo.errors import ModelError
from vincolo.model.functions import (
    Akima,
    BSpline,
    Constant,
    ConstantAcceleration,
    Cycloidal,
    Expression,
    Fillet,
    Line,
    Linear,
    Nurbs,
    Pieces,
    PiecewisePolynomial,
    Poly345,
    Poly4567,
    Pulse,
    Ramp,
    RampPulse,
    Recorded,
    Sequence,
    SevenSegments,
    Sigma,
    Sine,
    Smoothing,
    Spline,
    Step,
)


def test_pieces_of_one_to_three_functions_by_carvalho():
    """Carvalho (2022): f1 below x1, f2 from x1 to x2, f3 above x2; one function needs no limits."""
    one, two = Pieces(["t^2"]), Pieces(["t^2", 5], [1.0])
    three = Pieces(["t^2", 5, "-t"], [1.0, 2.0])
    assert [one(t) for t in (-2, 3)] == [4.0, 9.0] and one.breaks == ()
    assert [two(t) for t in (-2, 1, 3)] == [4.0, 5.0, 5.0] and two.breaks == (1.0,)
    assert [three(t) for t in (0.5, 1, 1.9, 2.5)] == [0.25, 5.0, 5.0, -2.5]
    assert three(2.0) == -2.0  # at a limit the right one counts, also at x2, where the thesis takes the left one
    assert three.derivatives(2.5) == (-2.5, -1.0, 0.0)


def test_generators_by_oldani():
    """Oldani (2010): Constant, Step, Step_Linear and Linear, by times t1, t2 and values."""
    assert Constant(4.0)(9.0) == 4.0
    step = Pulse(1.0, 3.0, 20.0)
    assert [step(t) for t in (0.9, 1.0, 2.9, 3.1)] == [0.0, 20.0, 20.0, 0.0]
    sloping = RampPulse(1.0, 3.0, 2.0, 6.0)
    assert [sloping(t) for t in (0.9, 1.0, 2.0, 3.1)] == pytest.approx([0.0, 2.0, 4.0, 0.0])
    line = Line(1.0, 3.0, 2.0, 6.0)
    assert [line(t) for t in (-1.0, 1.0, 2.0, 5.0)] == pytest.approx([-2.0, 2.0, 4.0, 10.0])
    assert line.breaks == ()


def test_pieces_gather_the_breaks_of_their_parts_where_they_count():
    f = Pieces([Ramp(1.0, -3.0), Linear([0, 1, 2, 9], [0, 1, 0, 1]), Step(1.0)], [0.5, 1.5])
    assert f.breaks == (-3.0, 0.5, 1.0, 1.5)
    assert f.breaks_between(0.0, 1.2) == (0.5, 1.0)


@pytest.mark.parametrize(("outside", "left", "right"), [
    ("hold", (1.0, 0.0), (5.0, 0.0)), ("straight", (0.0, 1.0), (12.0, 7.0)), ("extend", (3.0, -5.0), (15.0, 13.0)),
    ("repeat", (5.0, 7.0), (1.0, 1.0)), ("rise", (1.0, 7.0), (5.0, 1.0))])
def test_what_a_polynomial_does_outside(outside, left, right):
    """1 + t + 3 t^2 over 0..1 begins with value 1 and slope 1 and ends with value 5 and slope 7."""
    f = PiecewisePolynomial((0.0, 1.0), ((1.0, 1.0, 3.0),), outside)
    tiny = 1e-12 if outside in ("repeat", "rise") else 0.0
    assert f.derivatives(-1.0 if not tiny else -tiny)[:2] == pytest.approx(left, abs=1e-9)
    assert f.derivatives(2.0 if not tiny else 1.0 + tiny)[:2] == pytest.approx(right, abs=1e-9)
    assert f.outside == outside and f.span == (0.0, 1.0)


def test_before_and_after_may_differ():
    f = Linear([0, 1], [2, 5], ("hold", "extend"))
    assert [f(t) for t in (-1, 0.5, 2)] == [2.0, 3.5, 8.0]


@pytest.mark.parametrize("outside", ["hold", "straight", "extend", "repeat", "rise"])
def test_integrals_reach_far_outside(outside):
    """Over many periods by adding up, against one stretch at a time by the trapezoidal rule of a straight curve."""
    f = Linear([0.5, 1.0, 2.0], [0.0, 3.0, 1.0], outside)
    for t0, t1 in ((-7.3, 11.9), (0.6, 0.9), (3.1, -4.2)):
        t = np.unique([t0, t1, *f.breaks_between(min(t0, t1), max(t0, t1))])
        middle = f.sample(0.5 * (t[1:] + t[:-1]))[0]  # exact for straight pieces
        exact = math.copysign(1.0, t1 - t0) * float(middle @ np.diff(t))
        assert f.integral(t0, t1) == pytest.approx(exact, rel=1e-12, abs=1e-12)


def test_samples_are_met():
    x, y = (0.0, 0.4, 1.0, 1.7, 3.0, 3.3), (1.0, -2.0, 0.5, 0.5, 4.0, 3.0)
    for curve in (Linear(x, y), Akima(x, y), Spline(x, y), Smoothing(x, y, 0.0)):
        assert [curve(t) for t in x] == pytest.approx(y, abs=1e-10), curve


def test_breaks_of_curves_are_where_the_curvature_jumps():
    x, y = (0.0, 0.4, 1.0, 1.7, 3.0), (1.0, -2.0, 0.5, 0.5, 4.0)
    assert Linear(x, y).breaks == Akima(x, y).breaks == x
    assert Spline(x, y).breaks == Smoothing(x, y).breaks == (0.0, 3.0)
    assert Spline(x, y).breaks_between(0.1, 2.0) == ()
    assert Spline(x, y).breaks_between(0.1, 2.0, every=True) == (0.4, 1.0, 1.7)
    assert BSpline(y, (0, 0, 0, 0, 1, 2, 2, 2, 2)).breaks == (0.0, 2.0)
    assert BSpline((*y, 1, 2), (0, 0, 0, 0, 1, 1, 1.5, 2, 2, 2, 2)).breaks == (0.0, 1.0, 2.0)
    assert BSpline(y, degree=1).breaks == (0.0, 0.25, 0.5, 0.75, 1.0)


def test_curves_are_as_smooth_as_their_kind():
    x, y = (0.0, 0.4, 1.0, 1.7, 3.0), (1.0, -2.0, 0.5, 0.5, 4.0)
    assert Linear(x, y).continuity().order == 0
    assert Akima(x, y).continuity().order == 1
    assert Spline(x, y).continuity().order == 2
    assert Step(1.0).continuity().order == -1
    for degree in (1, 2, 3):
        assert BSpline(y, degree=degree, outside="extend").continuity().order == degree - 1


def test_a_sequence_begins_each_function_where_the_last_one_ended():
    f = Sequence([Cycloidal(3, 4, 10, 12), Ramp(-2.0), "5 + t^2"], [None, 1.5, 2.0], start=1.0)
    assert [f(t) for t in (0.0, 1.0, 2.0, 3.5, 5.5, 9.0)] == pytest.approx([10, 10, 12, 9, 13, 13])
    assert f.derivatives(4.5) == pytest.approx((10.0, 2.0, 2.0))
    assert f.breaks == (1.0, 2.0, 3.5, 5.5) == tuple(corner.t for corner in f.continuity().corners)
    assert f.continuity().order == 0 and f.span == (1.0, 5.5)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_fillets_round_the_joints_of_a_sequence(order):
    f = Sequence([Poly4567(0, 1), Ramp(2.0), Sine(1.0, 3.0), Poly4567(0, 1)], [None, 1.0, 1.0, None], 0.0, 0.4, order)
    assert f.continuity().order == order
    assert len(f.breaks) == 2 + 2 * 3
    plain = Sequence(f.functions, f.durations)
    for t in (0.5, 1.3, 2.5, 3.5):
        assert f.derivatives(t) == pytest.approx(plain.derivatives(t))


def test_a_jump_inside_a_sequence_is_closed():
    f = Sequence([Pulse(0.0, 1.0, 5.0), Pulse(0.0, 1.0, 7.0)])
    assert [f(t) for t in (-1, 0.5, 1.5, 3)] == [5.0, 5.0, 5.0, 5.0]  # both stay where they begin


HUGE = [float(k) for k in range(100_000)]


def test_huge_lists_are_carried():
    curve = Linear(HUGE, [k % 7 for k in HUGE])
    assert curve(54_321.5) == 0.5 * (54_321 % 7 + 54_322 % 7)
    assert curve.sample(HUGE[:-1])[0] == pytest.approx([k % 7 for k in HUGE[:-1]])
    steps = Pieces([float(k) for k in range(20_001)], HUGE[1:20_001])
    assert steps(1234.5) == 1234.0 and len(steps.breaks_between(0.5, 9.5)) == 9


class Series:
    """A result as Recorded reads one."""

    def __init__(self, t, **series):
        self.t, self._series = np.asarray(t, dtype=float), {name.replace("_", "."): s for name, s in series.items()}

    def keys(self):
        return list(self._series)

    def __getitem__(self, name):
        return np.asarray(self._series[name], dtype=float)


def test_a_record_takes_the_rates_that_were_recorded():
    t = np.array([0.0, 0.5, 2.0])
    run = Series(t, b_x=t**5, b_vx=5 * t**4, b_ax=20 * t**3, O_angle=t**3, O_angle_rate=3 * t**2, s_force=t)
    whole, angle, force = (Recorded(run, name) for name in ("b.x", "O.angle", "s.force"))
    times = np.linspace(0, 2, 21)[:-1]
    assert whole.sample(times)[0] == pytest.approx(times**5, abs=1e-12)
    assert angle.sample(times)[0] == pytest.approx(times**3, abs=1e-12)
    assert force.sample(times)[0] == pytest.approx(times, abs=1e-12)
    assert whole.breaks == (0.0, 2.0) and angle.breaks == (0.0, 0.5, 2.0) and force.breaks == (0.0, 2.0)
    assert Recorded(run, "b.vx").sample(t[:-1])[1] == pytest.approx(20 * t[:-1]**3, abs=1e-12)
    held = Recorded(run, "O.angle", outside="hold")
    assert held(9.0) == pytest.approx(8.0) and angle(3.0) == pytest.approx(20.0)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Pieces([]), "0 functions and 0 limits"),
    (lambda: Pieces([1.0, 2.0]), "one limit fewer than functions"),
    (lambda: Pieces([1, 2, 3], [2.0, 1.0]), r"limits\[1\] = 1 is not larger than limits\[0\] = 2"),
    (lambda: Pieces([1, 2, 3], [1.0, 1.0]), "remove empty pieces"),
    (lambda: Pieces([1, 2], [math.nan]), r"limits\[0\] is nan"),
    (lambda: Pieces([1, None], [0.0]), r"Pieces: functions\[1\]: a function of time cannot be made from None"),
    (lambda: Pieces("t", []), "a list of functions is needed"),
    (lambda: Pieces(Sine(1, 2), []), "a list of functions is needed"),
    (lambda: PiecewisePolynomial([0.0], []), "1 breaks and 0 pieces"),
    (lambda: PiecewisePolynomial([0, 1], [[1], [2]]), "one more break than pieces"),
    (lambda: PiecewisePolynomial([0, 1], [[]]), r"coefficients\[0\] has 0 numbers"),
    (lambda: PiecewisePolynomial([0, 1], [[0.0] * 99]), "has 99 numbers"),
    (lambda: PiecewisePolynomial([0, 1], 3.0), "one list of numbers for each piece"),
    (lambda: PiecewisePolynomial([0, 1], [[math.inf]]), r"coefficients\[0\]\[0\] is inf"),
    (lambda: PiecewisePolynomial([1, 0], [[1]]), "Sort the breaks"),
    (lambda: PiecewisePolynomial([0, 1], [[1]], "reapeat"), "Did you mean 'repeat'"),
    (lambda: PiecewisePolynomial([0, 1], [[1]], ("hold",)), "outside has 1 words"),
    (lambda: PiecewisePolynomial([0, 1], [[1]], ("hold", "repeat")), "does so on both sides"),
    (lambda: PiecewisePolynomial([0, 1], [[1]], 7), "Use one of: hold"),
    (lambda: Linear([0, 1], [1]), "x has 2 samples, but y has 1"),
    (lambda: Linear([0, 0], [1, 2]), "is not larger than"),
    (lambda: Linear([], []), "there are 0 samples"),
    (lambda: Linear([0, 5e-324], [0, 1e300]).params, "too close together for a straight"),
    (lambda: Akima([0, 1, 1], [0, 1, 2]), "Sort the samples"),
    (lambda: Akima([0, 5e-324, 1, 2], [0, 1e300, 1, 2]).params, "too close together"),
    (lambda: Smoothing([0, 1, 2, 3], [0, 1, 2, 3]), "there are 4 samples; at least 5"),
    (lambda: Smoothing(range(5), range(5), -1.0), "penalty is -1"),
    (lambda: Smoothing(range(5), range(5), math.nan), "penalty is nan"),
    (lambda: BSpline([1, 2, 3]), "3 control values; degree 3 needs at least 4"),
    (lambda: BSpline([1, 2, 3, 4], [0, 1, 2]), "3 knots; 4 control values of degree 3 need 8"),
    (lambda: BSpline([1, 2, 3, 4], [0, 0, 0, 0, 1, 1, 1, 0.5]), r"knots\[7\] = 0.5 is smaller"),
    (lambda: BSpline([1, 2, 3, 4], [0] * 8), "the curve has no length"),
    (lambda: BSpline([1, 2, 3, 4], degree=2.5), "degree is 2.5; give a whole number from 1 to 12"),
    (lambda: BSpline([1, 2, 3, 4], degree=0), "give a whole number"),
    (lambda: BSpline([1, 2, 3, math.nan]), r"control\[3\] is nan"),
    (lambda: Nurbs([1, 2, 3, 4], [1, 1, 1]), "4 control values, but 3 weights"),
    (lambda: Nurbs([1, 2, 3, 4], [1, 1, 0, 1]), r"weights\[2\] is 0; it must be larger"),
    (lambda: Nurbs([1, 2, 3, 4], [1, 1, 1, 1], outside="straight"), "Use one of: hold, repeat"),
    (lambda: Sequence([]), "there are no functions"),
    (lambda: Sequence([Sine(1, 2)]), r"functions\[0\], Sine, has no end of its own"),
    (lambda: Sequence([Sine(1, 2)], [0.0]), r"durations\[0\] is 0; it must be larger"),
    (lambda: Sequence([Sine(1, 2)], [1.0, 2.0]), "1 functions, but 2 durations"),
    (lambda: Sequence([Sine(1, 2)], 1.0), "durations is 1.0; a list"),
    (lambda: Sequence([Sine(1, 2)], [1e-20], 1e6), "longer durations"),
    (lambda: Sequence([Sigma(0, 1), Sigma(0, 2)], fillet=1.0), "less than the shortest duration, 1 s"),
    (lambda: Sequence([Sigma(0, 1)], fillet=-0.1), "give 0 or more"),
    (lambda: Sequence([Sigma(0, 1)], order=9), "whole number from 0 to 8"),
    (lambda: Fillet(1, 2, 1.0, 1.0), "start = 1 is not before end = 1"),
    (lambda: Fillet(1, None, 0.0, 1.0), "Fillet: after: a function of time cannot be made from None"),
    (lambda: Fillet(1, 2, 0.0, 1.0, -1), "order is -1"),
    (lambda: Fillet(1, 2, 0.0, 1e-300), "too large to compute with"),
    (lambda: Poly345(0, 1, speeds=(1.0,)), "speeds has 1 numbers"),
    (lambda: Poly345(0, 1e-90), "too large to compute with"),
    (lambda: Cycloidal(1, 1), "start = 1 is not before end = 1"),
    (lambda: Cycloidal(2, 1), "exchange low and high"),
    (lambda: Cycloidal(0, 1, math.nan), "Cycloidal: low is nan"),
    (lambda: Cycloidal(0, 1e-200, 0, 1), "too large to compute with"),
    (lambda: ConstantAcceleration(0, 1, accelerate=0.0), "shares of the duration above 0"),
    (lambda: ConstantAcceleration(0, 1, accelerate=0.7), "add up to 1 at most"),
    (lambda: SevenSegments(0.0, 1, 1, 1), "rise is 0"),
    (lambda: SevenSegments(1.0, -1, 1, 1), "speed is -1; it must be larger than zero"),
    (lambda: SevenSegments(1.0, 1, 0, 1), "acceleration is 0"),
    (lambda: SevenSegments(1.0, 1, 1, math.nan), "jerk is nan"),
    (lambda: SevenSegments(1e-200, 1e200, 1e200, 1e200), "too large|too short"),
    (lambda: SevenSegments(1.0, 1e300, 1e300, 1e-300), "too large|too short"),
    (lambda: SevenSegments(1e-9, 1, 1e3, 1e9, start=1e12), "too short to be distinguished"),
    (lambda: Recorded(Series([0, 1], b_x=[0, 1]), "b.y"), "no series called 'b.y' in the result. Did you mean 'b.x'"),
    (lambda: Recorded(Series([0, 1], b_x=[0, 1]), 3), "no series called 3"),
    (lambda: Recorded(Series([0], b_x=[0]), "b.x"), "there are 1 samples"),
    (lambda: Recorded(Series([0, 0], b_x=[0, 1]), "b.x"), "is not larger than"),
    (lambda: Recorded(Series([0, 1], b_x=[0, math.nan]), "b.x"), r"b.x\[1\] is nan"),
    (lambda: Line(1, 1), "start = 1 is not before"),
    (lambda: Pulse(1, 0), "start = 1 is not before end = 0"),
    (lambda: RampPulse(1, 1, 0, 1), "start = 1 is not before end = 1"),
    (lambda: Expression("t").continuity(0.0), "give both t0 and t1, or neither"),
])
def test_input_that_makes_no_function_is_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize("make", [
    lambda: Linear([0, 1], [0, math.inf]), lambda: Akima([0, math.nan], [0, 1]), lambda: Step(math.nan),
    lambda: Smoothing(range(6), [0, 1, 2, None, 4, 5]), lambda: Sigma(0, "1"), lambda: Poly4567(0, 1, [1])])
def test_a_number_that_is_none_is_named(make):
    with pytest.raises(ModelError, match="finite number is needed"):
        make()
