"""What must hold for tolerances of anything: distributions have the moments they say, the same seed gives the same
numbers however the work is shared, small tolerances spread as linear theory says, and nothing is dropped silently."""

import math

import numpy as np
import pytest
from scipy import stats

import vincolo as vc
from vincolo import dual
from vincolo import tolerance as tol
from vincolo.tolerance import Clearance, Normal, Tolerance, Uniform

SPREADS = {
    "normal": Normal(0.3), "normal, six sigmas, off centre": Normal((-0.1, 0.5), sigmas=6),
    "truncated": tol.Truncated(0.3, sigmas=1.5), "uniform": Uniform((-0.2, 0.6)), "triangular": tol.Triangular(0.4),
    "skew triangular": tol.Triangular((-0.1, 0.5), peak=0.0), "half normal": tol.HalfNormal(0.6),
    "measured": tol.Measured([0.1, -0.3, 0.2, 0.25, 0.05]), "own": tol.Own(stats.gamma(2.0)),
    "own function": tol.Own(lambda u: u**2), "fixed": tol.Fixed(0.2)}
COUNT = 40_000


@pytest.mark.parametrize("spread", SPREADS.values(), ids=SPREADS)
def test_a_distribution_has_the_moments_and_limits_it_says(spread):
    drawn = spread.quantile(np.random.default_rng(3).random(COUNT))
    error = spread.deviation / math.sqrt(COUNT)
    assert abs(drawn.mean() - spread.mean) <= 5 * error + 1e-12
    assert drawn.std() == pytest.approx(spread.deviation, rel=0.05)
    lower, upper = spread.limits
    bounded = not isinstance(spread, Normal | tol.HalfNormal | tol.Own) or isinstance(spread, tol.Truncated)
    assert lower <= upper and (not bounded or (lower <= drawn.min() and drawn.max() <= upper))
    u = np.linspace(0.01, 0.99, 50)
    assert (np.diff(spread.quantile(u)) >= 0).all()


def test_limits_of_a_gaussian_leave_out_what_its_sigmas_say():
    drawn = Normal(0.3, sigmas=2).quantile(np.random.default_rng(1).random(COUNT))
    assert np.mean(np.abs(drawn) > 0.3) == pytest.approx(0.0455, abs=5 * math.sqrt(0.0455 / COUNT))


def test_a_clearance_has_the_covariance_of_two_point_contact():
    play = Clearance("A", tol.HalfNormal(0.06), Uniform((0.9, 1.1)))
    sampler = tol.sampling.Sampler((play,), np.eye(0), seed=4)
    drawn = sampler.draw(COUNT)
    found = np.cov(drawn.T)
    expected = play.covariance
    assert np.abs(found - expected).max() < 0.05 * expected.max() and np.abs(drawn.mean(axis=0)).max() < 1e-3
    ends = np.hypot(drawn[:, 0], drawn[:, 1]) ** 2 + (np.tan(np.hypot(drawn[:, 2], drawn[:, 3])) * 0.5) ** 2
    assert ends.max() < (0.06 * 1.5) ** 2 * 1.3  # no end of the pin is further off than the gap


def test_two_point_contact_puts_the_ends_of_the_pin_on_circles_of_the_gap():
    """Closed form: E = (-cos xi, -sin xi, 0), tau = atan(2 gap sin(beta/2) / H) + eps gap cos(beta/2) (Vita, 2005)."""
    rng = np.random.default_rng(2)
    for gap, H, xi, beta in rng.uniform((0.001, 0.5, 0, 0), (0.01, 1.5, 2 * np.pi, 2 * np.pi), (20, 4)):
        A = tol.play(tol.two_points(gap, H, xi, beta))
        axis = np.array([-np.cos(xi), -np.sin(xi), 0.0])
        angle = dual.Dual(np.arctan(2 * gap * np.sin(beta / 2) / H), gap * np.cos(beta / 2))
        assert A.isclose(dual.rodrigues(axis, angle), 1e-15)
        B = dual.inv(A)  # the pin seen from the hole: its ends lie on circles of the gap, up to the square of the tilt
        for z in (-H / 2, H / 2):
            end = dual.origin(B) + B.real @ np.array([0, 0, z])
            assert np.hypot(end[0], end[1]) == pytest.approx(gap, rel=2e-3)


def pin(x, y, r):
    """Distance of two holes, over three loads of the bolt r."""
    return np.stack([np.hypot(1 + x, y), np.hypot(1 + x, y) + r, np.hypot(1 + x, y) - 0.5 * r], axis=-1)


SMALL = [Tolerance("x", Normal(3e-4)), Tolerance("y", Uniform(1e-4)), Tolerance("r", tol.Triangular((0, 2e-4)))]


def holes(**options):
    return tol.FunctionSubject(pin, {"x": 0.0, "y": 0.2, "r": 0.01}, at=[0, 1, 2], vectorised=True, **options)


@pytest.mark.parametrize("method", ["random", "sobol"])
def test_small_tolerances_spread_as_linear_theory_says(method):
    n = 8192
    found = tol.study(holes(), SMALL, samples=n, method=method)
    line = tol.linear_tolerances(holes(), SMALL)
    deviation = line.deviation[:, 0]
    assert (np.abs(found.mean() - line.mean[:, 0]) < 5 * deviation / math.sqrt(n) + 1e-8).all()
    assert (np.abs(found.deviation() / deviation - 1) < 5 / math.sqrt(2 * n)).all()
    shares, lines = found.contributions(position=1), line.contributions(position=1)
    assert list(shares)[:3] == list(lines) and shares["not linear"] < 1e-4
    for name in lines:
        assert shares[name] == pytest.approx(lines[name], abs=5 / math.sqrt(n))
    low, high = line.worst
    assert (found.quantile(0.0)[1] > low[1, 0] - 1e-4) and found.quantile(1.0)[1] < high[1, 0] + 1e-4


def test_sobol_points_are_nearer_to_the_mean_than_random_ones():
    line = tol.linear_tolerances(holes(), SMALL).mean[:, 0]
    off = {method: np.abs(tol.study(holes(), SMALL, samples=4096, method=method, seed=3).mean() - line).max()
           for method in ("random", "sobol")}
    assert off["sobol"] < 0.2 * off["random"]


def test_correlated_tolerances_spread_together():
    pairs = {("x", "r"): 0.8}
    found = tol.study(holes(), SMALL, samples=20_000, correlations=pairs)
    line = tol.linear_tolerances(holes(), SMALL, correlations=pairs)
    assert np.corrcoef(found.deviations[:, [0, 2]].T)[0, 1] == pytest.approx(0.8, abs=0.03)
    assert found.deviation() == pytest.approx(line.deviation[:, 0], rel=5 / math.sqrt(2 * 20_000))
    plain = tol.linear_tolerances(holes(), SMALL).deviation[:, 0]
    assert (line.deviation[:2, 0] >= plain[:2]).all() and line.deviation[1, 0] > 1.05 * plain[1]
    assert sum(line.contributions(position=1).values()) == pytest.approx(1.0)


def crank():
    """A crank and slider that is held just often enough, so that every part may deviate."""
    model = vc.Model("crank and slider", gravity=(0, 0, 0))
    crank = model.body("crank", 1, 0.1, at=(0, 0, 0))
    rod = model.body("rod", 1, 0.1, at=(0.1, 0, 0))
    slider = model.body("slider", 1, 0.1, at=(0.4, 0, 0))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.cylindrical("A", crank, rod, at=(0.1, 0, 0), axis="z")
    model.spherical("B", rod, slider, at=(0.4, 0, 0))
    model.prismatic("G", model.ground, slider, at=(0.4, 0, 0), axis="x")
    model.drive("O.angle", "2*pi*t")
    return model


PARTS = [Tolerance("A@crank.x", Normal(3e-5)), Tolerance("B@rod.x", Uniform(2e-5)),
         Tolerance("O@ground.y", Normal(2e-5)),
         Tolerance("G@ground.rz", Normal(1e-4)), Clearance("A", 1e-5, 0.02)]


def crank_subject(**options):
    return tol.ModelSubject(crank(), ["slider.x"], until=1.0, times=12, **options)


def test_a_model_spreads_as_linear_theory_and_closed_form_say():
    subject, n = crank_subject(), 160
    line = tol.linear_tolerances(subject, PARTS)
    found = tol.study(subject, PARTS, samples=n)
    assert not found.failures and (np.abs(found.deviation() / line.deviation[:, 0] - 1) < 5 / math.sqrt(2 * n)).all()
    assert (np.abs(found.mean() - line.mean[:, 0]) < 5 * line.deviation[:, 0] / math.sqrt(n) + 1e-9).all()
    angle, r, rod = 2 * np.pi * subject.at, 0.1, 0.3
    c = np.sqrt(1 - (r * np.sin(angle) / rod) ** 2)  # cosine of the rod's angle
    slopes = {"A@crank.x": np.cos(angle) - r * np.sin(angle) ** 2 / (rod * c), "B@rod.x": 1 / c,
              "O@ground.y": -r * np.sin(angle) / (rod * c)}
    for k, (name, slope) in enumerate(slopes.items()):
        assert line.coordinates[k] == name and line.slopes[k, :, 0] == pytest.approx(slope, abs=2e-4)


@pytest.mark.parametrize("workers", [2, 4])
def test_the_same_seed_gives_the_same_numbers_for_any_number_of_workers(workers):
    one = tol.study(crank_subject(), PARTS, samples=70, seed=9)
    several = tol.study(crank_subject(), PARTS, samples=70, seed=9, workers=workers)
    assert np.array_equal(one.values, several.values)
    other = tol.study(crank_subject(), PARTS, samples=70, seed=10, workers=workers)
    assert not np.array_equal(one.values, other.values)
    threads = [tol.study(holes(), SMALL, samples=9000, workers=w).values for w in (1, workers)]
    assert np.array_equal(*threads)


def test_more_samples_begin_with_the_fewer():
    for method in ("random", "sobol"):
        few, many = (tol.study(holes(), SMALL, samples=n, method=method).values for n in (100, 300))
        assert np.array_equal(few, many[:100])


def test_a_study_that_is_interrupted_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(tol.ModelSubject, "block", 16)
    whole = tol.study(crank_subject(), PARTS, samples=50)
    seen = []

    def stop(done, total):
        seen.append((done, total))
        if len(seen) == 2:
            raise KeyboardInterrupt

    part = tol.study(crank_subject(), PARTS, samples=50, folder=tmp_path, progress=stop)
    assert not part.complete and "interrupted after 32 of 50" in part.reason and int(part.done.sum()) == 32
    calls = []
    rest = tol.study(crank_subject(), PARTS, samples=50, folder=tmp_path, progress=lambda *a: calls.append(a))
    assert rest.complete and np.array_equal(rest.values, whole.values) and len(calls) == 2
    assert "32 of 50" in str(part) and "not complete" in str(part)


def test_samples_that_cannot_be_assembled_are_counted_named_and_kept_apart():
    model = crank()
    wide = [Tolerance("B@rod.x", Uniform(0.25)), Tolerance("A@crank.x", Normal(1e-3))]  # rods shorter than the crank
    found = tol.study(tol.ModelSubject(model, ["slider.x"], until=1.0, times=12), wide, samples=64)
    assert 0 < len(found.failures) < 64
    assert np.isnan(found.values[list(found.failures)]).all() and np.isfinite(found.samples()).all()
    assert all("locks" in why or "assembled" in why for why in found.failures.values())
    assert f"{len(found.failures)} of 64 samples failed" in str(found)
    assert found.within(-10, 10) == pytest.approx(1 - len(found.failures) / 64)
    lengths = found.deviations[:, 0]
    assert lengths[list(found.failures)].max() < lengths[found.good].min() + 0.02  # the short ones


def test_planar_hinges_leave_no_room_for_tilts_and_say_so():
    model = vc.Model("planar", gravity=(0, 0, 0))
    bars = [model.body(n, 1, 0.1, at=p) for n, p in (("a", (0, 0.5, 0)), ("b", (1, 1, 0)), ("c", (2, 0.5, 0)))]
    for name, first, second, at in (("A", model.ground, bars[0], (0, 0, 0)), ("B", bars[0], bars[1], (0, 1, 0)),
                                    ("C", bars[1], bars[2], (2, 1, 0)), ("D", bars[2], model.ground, (2, 0, 0))):
        model.revolute(name, first, second, at=at, axis="z")
    model.drive("A.angle", "0.1*t")
    subject = tol.ModelSubject(model, ["b.x"], until=1.0, times=4)
    found = tol.study(subject, [Tolerance("B@a.rx", Normal(0.01))], samples=8)
    assert len(found.failures) == 8 and "open by" in found.told_failures() and "too few" in str(found)
    with pytest.raises(vc.ModelError, match="(?s)'B@a.rx' can hardly deviate.*joints with more freedom"):
        tol.linear_tolerances(subject, [Tolerance("B@a.rx", Normal(0.01))])


def test_the_worst_case_holds_all_samples_and_is_met_by_one():
    subject = crank_subject()
    bounded = [Tolerance("A@crank.x", Uniform(3e-5)), Tolerance("B@rod.x", Uniform((-1e-5, 3e-5))),
               Clearance("A", 1e-5, 0.02)]
    line = tol.linear_tolerances(subject, bounded)
    found = tol.study(subject, bounded, samples=120)
    low, high = line.worst
    samples = found.samples()
    assert (samples > low[:, 0] - 1e-8).all() and (samples < high[:, 0] + 1e-8).all()
    k = 5
    below, above = line.worst_case("slider.x", k)
    assert (below, above) == pytest.approx((low[k, 0], high[k, 0]), abs=1e-7)
    assert samples[:, k].max() - samples[:, k].min() > 0.5 * (above - below)


def test_tightening_is_cheapest_and_meets_what_is_asked_for():
    cheap = [Tolerance("x", Normal(3e-4), cost=tol.Cost(1e-4)), Tolerance("y", Normal(3e-4), cost=tol.Cost(1e-4)),
             Tolerance("r", Normal(3e-4))]
    line = tol.linear_tolerances(holes(), cheap)
    found = tol.tightened(line, "outcome", 0.7 * line.deviation[0, 0], position=0)
    assert found.deviation == pytest.approx(0.7 * found.deviation_before) and found.cost > found.cost_before
    assert found.factors["r"] == 1.0 and found.factors["x"] < found.factors["y"] <= 1.0  # x has the larger slope
    rng = np.random.default_rng(0)
    variance = (line.slopes[:, 0, 0] * 1e-4) ** 2
    for f in rng.uniform(0.3, 1.0, (4000, 2)):  # no other pair that meets the target costs less
        if variance[:2] @ f**2 + variance[2] <= found.deviation**2:
            assert 1e-4 / (3e-4 * f[0]) + 1e-4 / (3e-4 * f[1]) >= found.cost * (1 - 1e-9)
    again = [Tolerance(t.of, Normal(found.tolerances[t.of])) for t in cheap]
    assert tol.linear_tolerances(holes(), again).deviation[0, 0] == pytest.approx(found.deviation, rel=1e-6)
    own = [Tolerance(t.of, t.spread, t.cost and tol.Cost(law=lambda t: 1e-4 / t)) for t in cheap]
    same = tol.tightened(tol.linear_tolerances(holes(), own), "outcome", found.deviation, position=0)
    assert same.factors["x"] == pytest.approx(found.factors["x"], rel=1e-4)
