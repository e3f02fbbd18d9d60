"""What functions tell about themselves: series, continuity, coefficients, pictures."""

import math
import subprocess
import sys
import types

import numpy as np
import pytest

from vincolo.equations.arithmetic import OPERATIONS
from vincolo.errors import ModelError
from vincolo.model.expression import parse, run
from vincolo.model.functions import (
    Constant,
    Cycloidal,
    Expression,
    Haversine,
    Line,
    Linear,
    Mirror,
    Pieces,
    Polynomial,
    Pulse,
    Ramp,
    Sequence,
    Sigma,
    Sine,
    Spline,
    Step,
)
from vincolo.model.functions.series import Series, derivatives_of, series_of, time_series


@pytest.mark.parametrize(("text", "t", "exact"), [
    ("exp(2*t)", 0.3, lambda k: 2**k * math.exp(0.6)),
    ("sin(t)", 0.7, lambda k: math.sin(0.7 + k * math.pi / 2)),
    ("cos(3*t)", 0.7, lambda k: 3**k * math.cos(2.1 + k * math.pi / 2)),
    ("sinh(t)", 0.4, lambda k: (math.cosh if k % 2 else math.sinh)(0.4)),
    ("cosh(t)", 0.4, lambda k: (math.sinh if k % 2 else math.cosh)(0.4)),
    ("log(t)", 2.0, lambda k: math.log(2) if k == 0 else (-1)**(k + 1) * math.factorial(k - 1) / 2**k),
    ("1/t", 2.0, lambda k: (-1)**k * math.factorial(k) / 2**(k + 1)),
    ("t^5", 1.5, lambda k: math.perm(5, k) * 1.5**(5 - k) if k <= 5 else 0.0),
    ("t^5", 0.0, lambda k: 120.0 if k == 5 else 0.0),
    ("t^-2", 2.0, lambda k: (-1)**k * math.factorial(k + 1) / 2**(k + 2)),
    ("2^t", 0.5, lambda k: math.log(2)**k * math.sqrt(2)),
    ("sqrt(t)", 4.0, lambda k: 2 * math.prod(0.5 - j for j in range(k)) / 4**k),
    ("abs(t)", -2.0, lambda k: [2.0, -1.0][k] if k < 2 else 0.0),
    ("step(t)*sign(t)*max(t, 1)*min(t, 9)", 2.0, lambda k: [4.0, 4.0, 2.0][k] if k < 3 else 0.0),
])
def test_series_have_the_derivatives_of_the_book(text, t, exact):
    found = derivatives_of(run(parse(text), time_series(t, 7), (), OPERATIONS).c)
    assert found == pytest.approx([exact(k) for k in range(8)], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("one", "other"), [
    ("tan(t)", "sin(t)/cos(t)"), ("tanh(t)", "sinh(t)/cosh(t)"), ("tanh(-t)", "-sinh(t)/cosh(t)"),
    ("tan(asin(t))", "t/sqrt(1 - t^2)"),
    ("cos(acos(t))", "t"), ("tan(atan(t))", "t"), ("tan(atan2(t, 2))", "t/2"), ("atan2(2, t)", "acos(t/sqrt(4 + t^2))"),
    ("atan2(t, -1)", "pi - atan(t)"), ("t^t", "exp(t*log(t))"), ("pow(t, 2.5)", "t^2*sqrt(t)")])
def test_series_meet_identities(one, other):
    first, second = (run(parse(text), time_series(0.37, 7), (), OPERATIONS).c for text in (one, other))
    assert first == pytest.approx(second, rel=1e-11, abs=1e-11)


def test_a_series_moves_with_its_point():
    here = series_of(lambda t: t**4 - 2 * t, 0.5, 6)
    assert here.shifted(0.75).c == pytest.approx(series_of(lambda t: t**4 - 2 * t, 1.25, 6).c, abs=1e-13)
    assert series_of(lambda t: 3, 0.5, 2).c == (3.0, 0.0, 0.0)
    assert 2.0 - Series((1.0, 3.0)) > 0.5 and Series((1.0, 3.0)) <= 1.0


def test_derivatives_at_a_break_are_one_sided():
    f = Pieces(["sin(t)", "t^3"], [1.0])
    assert f.taylor(1.0, 4) == pytest.approx([1, 3, 6, 6, 0], abs=1e-7)
    s, c = math.sin(1), math.cos(1)
    assert f.taylor(1.0, 4, side=-1) == pytest.approx([s, c, -s, -c, s], abs=1e-7)
    assert f.taylor(0.4, 2) == f.taylor(0.4, 2, side=-1) == pytest.approx(f.derivatives(0.4))


@pytest.mark.parametrize(("function", "orders"), [
    (Step(1.0), [-1]), (Ramp(2.0, 1.0), [0]), (Sigma(0, 1), [1, 1]), (Cycloidal(0, 1), [2, 2]),
    (Expression("abs(t - 2)"), [0]), (Expression("abs(t - 2)*(t - 2)"), [1]), (Expression("abs(t - 2)*(t - 2)^3"), [3]),
    (Linear([0, 1, 2, 3], [0, 1, 2, 5]), [3, 3, 0, 3]), (Pulse(0, 1), [-1, -1]), (Mirror(Step(1.0), time=0.0), [-1]),
    (1e6 + 1e-3 * Sigma(0, 1), [1, 1]), (Sigma(1e5, 1e5 + 1e-3, 0.0, 1e-6), [1, 1]), (Sine(1, 2), [])])
def test_continuity_is_counted_at_every_break(function, orders):
    report = function.continuity()
    assert [corner.order for corner in report.corners] == orders
    assert report.order == min(orders, default=3)


def test_a_report_on_continuity_reads_well():
    text = str(Pieces([0.0, "2*t", "2*t"], [0.0, 1.0]).continuity())
    assert text.startswith("continuity C0\n  t = 0: velocity jumps by 2\n  t = 1: smooth")
    assert "compared to 1e-08 of their size" in text
    assert str(Step(1.0, 0.0, 4.0).continuity()).startswith("the value jumps\n  t = 1: value jumps by 4")
    assert str(Sine(1, 2).continuity()).startswith("continuity C3 or more")


def test_continuity_of_a_chosen_stretch():
    f = Linear([0, 1, 3], [0, 1, 0], "repeat")
    assert [corner.t for corner in f.continuity(2.5, 7.5).corners] == [3.0, 4.0, 6.0, 7.0]


def test_coefficients_without_end():
    """A straight line has no bounded acceleration at its ends, a jump no bounded velocity."""
    line = Linear([0.0, 2.0], [1.0, 5.0], "hold")
    assert line.velocity_coefficient == pytest.approx(1.0) and line.acceleration_coefficient == math.inf
    jump = Sequence([Sigma(0, 1), Sigma(0, 1)]) + Step(1.0)
    assert jump.velocity_coefficient == math.inf
    assert Line(0.0, 2.0, 1.0, 5.0).acceleration_coefficient == 0.0


def test_coefficients_of_curves():
    """Three halves of the mean speed for a cubic from rest to rest, also given as a clamped spline."""
    clamped = Spline([1.0, 3.0], [2.0, 8.0], "clamped")
    assert clamped.velocity_coefficient == pytest.approx(1.5)
    assert clamped.acceleration_coefficient == pytest.approx(6.0)
    slow = 3 * Haversine(0.0, 2.0) + Constant(1.0)
    assert slow.velocity_coefficient == pytest.approx(math.pi / 2)


@pytest.mark.parametrize(("function", "message"), [
    (Sine(1, 2), "Sine: it has no beginning and end"), (Polynomial([1, 2]), "no beginning and end"),
    (Linear([0, 1, 2], [3, 4, 3]), "Linear: it ends where it began")])
def test_coefficients_that_make_no_sense_are_refused(function, message):
    with pytest.raises(ModelError, match=message):
        _ = function.velocity_coefficient


def test_integrals_by_hand():
    assert Sine(2.0, 3.0).integral(0, math.pi / 3) == pytest.approx(4 / 3)
    assert Sine(2.0, 0.0, math.pi / 2).integral(0, 3) == pytest.approx(6.0)
    assert Ramp(2.0, 1.0, 5.0).integral(-1, 3) == pytest.approx(5 * 4 + 4)
    assert Polynomial([1, 0, 3]).integral(2, 0) == pytest.approx(-10.0)
    assert Cycloidal(0, 2, 1, 3).integral(0, 2) == pytest.approx(4.0)
    assert (Sine(1, 1) * Sine(1, 1)).integral(0, math.pi) == pytest.approx(math.pi / 2)
    assert Expression("sign(t - 1)").integral(0, 3) == pytest.approx(1.0)
    assert (Sine(1, 1) + 0).integral(-1, 1) == pytest.approx(0.0, abs=1e-14)


def test_pictures_have_three_panels(monkeypatch):
    drawn = []

    class Axis:
        def plot(self, t, values):
            drawn.append((t, values))

        def set_ylabel(self, text): pass
        set_xlabel = set_title = grid = set_ylabel

    class Figure:
        def __init__(self, **options): pass

        def subplots(self, *shape, **options):
            return [Axis() for _ in range(shape[0])]

    monkeypatch.setitem(sys.modules, "matplotlib", types.ModuleType("matplotlib"))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", types.SimpleNamespace(Figure=Figure))
    assert isinstance(Sigma(1.0, 2.0).plot(), Figure)
    t, values = drawn[0]
    assert len(drawn) == 3 and t[0] == pytest.approx(0.9) and t[-1] == pytest.approx(2.1)
    assert values == pytest.approx(Sigma(1.0, 2.0).sample(t)[0])
    assert {1.0, 2.0, math.nextafter(2.0, 0.0)} <= set(t)
    with pytest.raises(ModelError, match="t0 = 2 is not before t1 = 1"):
        Sine(1, 2).plot(2.0, 1.0)


def test_a_missing_package_for_pictures_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        Sine(1, 2).plot()


def test_samples_keep_the_shape_of_the_times():
    f, df, ddf = Sine(2.0, 3.0).sample([[0.0, 1.0], [2.0, 3.0]])
    assert f.shape == (2, 2) and f[1, 0] == pytest.approx(2 * math.sin(6)) and df[0, 0] == 6.0 and ddf[0, 0] == 0.0
    assert Sine(2.0, 3.0).sample(0.5)[0].shape == () and Linear([0, 1], [0, 1]).sample([])[0].shape == (0,)


def test_functions_ask_for_scipy_and_matplotlib_only_when_they_need_them():
    code = ("import sys; from vincolo.model import functions as fn; "
            "f = fn.Sequence([fn.Cycloidal(0, 1), fn.SevenSegments(1, 1, 1, 1)], fillet=0.1); "
            "f = f * fn.Traced(lambda t: 2*t); f(0.5); f.breaks_between(0, 1); "
            "fn.Akima([0, 1, 2], [0, 1, 0]); fn.BSpline([0, 1, 2, 3]); "
            "sys.exit(any(name in sys.modules for name in ('scipy', 'matplotlib', 'pandas')))")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert np.isfinite(Spline([0, 1], [0, 1])(0.5))
