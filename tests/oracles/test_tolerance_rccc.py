"""Tolerances and clearances of a Cardan joint as an RCCC linkage (Vita, 2005, chapter 7): the closed form against
Newton's closure of the same chain, and the positions of the peaks that the thesis reports."""

import numpy as np
import pytest

from vincolo import dual
from vincolo.tolerance import Clearance, HalfNormal, LoopSubject, Normal, Tolerance, linear_tolerances, play_of, study
from vincolo.tolerance.rccc import RcccSubject

DEGREE = np.pi / 180
ALPHA = [90 * DEGREE] * 3 + [135 * DEGREE]
TURN = np.arange(24) * 15 * DEGREE
SOURCES = [Tolerance(f"{kind} {k}", Normal(0.1 * (DEGREE if kind == "alpha" else 1), sigmas=6))
           for kind in ("alpha", "a", "reach") for k in (1, 2, 3, 4)] + [
    Clearance(j, HalfNormal(0.06, sigmas=6), Normal((0.9, 1.1), sigmas=6)) for j in "234"]


def links(deviations):
    """The thesis's frames of each link: pins at a distance of one from the middle of the joint."""
    found = []
    for k, alpha in enumerate(ALPHA, 1):
        a, R = alpha + deviations[f"alpha {k}"], 1 + deviations[f"reach {k}"]
        place = np.stack([deviations[f"a {k}"], -R * np.sin(a), R * (np.cos(a) - 1)], axis=-1)
        B = dual.frame(dual.rotation_x(a).real, place)
        found.append(B @ play_of(deviations, str(k + 1)) if k < 4 else B)
    return found


def test_the_closed_form_is_newtons_closure_of_the_chain():
    closed = RcccSubject(ALPHA, TURN, reach=1.0, speed=np.pi / 2)
    guess = {f"{j}.angle": float(closed.nominal[j - 1][0]) for j in (2, 3, 4)}
    outputs = [f"{j}.{what}{end}" for end in ("", ".rate") for j in (2, 3, 4) for what in ("angle", "travel")]
    loop = LoopSubject({"1": "revolute", "2": "cylindrical", "3": "cylindrical", "4": "cylindrical"}, links,
                       {"1.angle": TURN}, guess, outputs, coordinates=closed.known, rates={"1.angle": np.pi / 2})
    one, other = (study(subject, SOURCES, samples=20) for subject in (closed, loop))
    assert not one.failures and not other.failures and np.abs(one.values - other.values).max() < 1e-12


def test_rates_are_the_slopes_of_positions():
    h = 1e-5
    outputs = ["theta2", "s2", "theta4", "s4"]
    ends = study(RcccSubject(ALPHA, [0.4 - h, 0.4 + h], outputs, reach=1.0), SOURCES, samples=10).values
    moving = RcccSubject(ALPHA, [0.4], [f"{n}.rate" for n in outputs], reach=1.0)
    rates = study(moving, SOURCES, samples=10).values[:, 0]
    assert (ends[:, 1] - ends[:, 0]) / (2 * h) == pytest.approx(rates, abs=1e-8)


def test_spreads_peak_in_two_positions_a_half_turn_apart():
    found = study(RcccSubject(ALPHA, TURN, reach=1.0), SOURCES, samples=3000)
    ranges = {"theta2": (0.63, 1.62), "theta4": (0.63, 1.58), "s2": (0.035, 0.065), "s4": (0.035, 0.073)}
    for name, (low, high) in ranges.items():
        spread = found.deviation(name) / (DEGREE if name.startswith("theta") else 1.0)
        assert low * 0.85 < spread.min() and spread.max() < high * 1.15
        peaks, valleys = np.abs(np.cos(TURN[np.argsort(spread)[-2:]])), np.abs(np.cos(TURN[np.argsort(spread)[:2]]))
        assert (peaks > 0.9).all() and (valleys < 0.4).all()  # near 0 and 180 degrees, and near 90 and 270


def test_small_tolerances_spread_as_linear_theory_says():
    subject, n = RcccSubject(ALPHA, [0.3, 2.0], reach=1.0), 20_000
    small = [Tolerance("alpha 1", Normal(0.01 * DEGREE)), Tolerance("a 2", Normal(1e-3)), Clearance("3", 1e-4, 1.0)]
    found, line = study(subject, small, samples=n), linear_tolerances(subject, small)
    for k, name in enumerate(subject.outputs):
        assert found.deviation(name) == pytest.approx(line.deviation[:, k], rel=5 / np.sqrt(2 * n), abs=1e-7)
        assert (np.abs(found.mean(name) - line.mean[:, k]) < 5 * line.deviation[:, k] / np.sqrt(n) + 1e-7).all()
