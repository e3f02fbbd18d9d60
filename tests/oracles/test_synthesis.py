"""Linkages for paths, functions and motions: published problems, closed forms, and the kernel as judge."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.studies.synthesis import (
    FourBar,
    crank_for,
    cranks_for,
    freudenstein,
    function_linkage,
    motion_linkages,
    path_linkage,
)

LENGTHS = ("ground", "crank", "coupler", "rocker")
CRANK_ROCKER = FourBar(2.0, 0.7, 1.8, 1.5, px=0.9, py=0.6, angle=0.3, x=0.2, y=-0.1)


@pytest.mark.parametrize("branch", [1, -1])
def test_closed_form_and_kernel_trace_the_same_path(branch):
    bar = FourBar(*CRANK_ROCKER.numbers, branch=branch)
    assert bar.grashof and bar.crank_turns
    assert bar.checked(np.linspace(0.4, 0.4 + 2 * np.pi, 60)) < 1e-9


def test_a_bar_that_cannot_close_has_no_points():
    bar = FourBar(5.0, 1.0, 1.5, 1.5)
    assert np.isnan(bar.points([np.pi])).all() and not bar.crank_turns
    assert [d.split(":")[0] for d in bar.defects([2.0, 3.0])] == ["branch", "Grashof"]


def test_defects_of_order_and_circuit():
    theta = np.array([0.1, 1.0, 0.5, 1.5])
    assert CRANK_ROCKER.defects(theta)[0].startswith("order")
    assert CRANK_ROCKER.defects([5.5, 6.2, 0.5]) == []  # over the beginning of a turn
    rocker = FourBar(2.0, 1.2, 1.5, 1.4)  # no link turns over
    assert any(d.startswith(("branch", "circuit")) for d in rocker.defects([-1.0, np.pi, 5.0]))


def test_a_path_of_a_linkage_is_found_again():
    theta = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    limits = {**dict.fromkeys(LENGTHS, (0.3, 3.0)), "px": (-2, 2), "py": (-2, 2), "angle": (0, 1), "x": (-1, 1),
              "y": (-1, 1)}
    found = path_linkage(CRANK_ROCKER.points(theta), limits=limits, timing=theta, rounds=1, start=CRANK_ROCKER)
    assert found.error < 1e-12 and not found.defects
    assert np.allclose(found.linkage.points(theta), CRANK_ROCKER.points(theta), atol=1e-6)


LINE = [(20.0, 20.0 + 5 * k) for k in range(6)]
ARC = [(3.0, 3.0), (2.759, 3.363), (2.372, 3.663), (1.890, 3.862), (1.355, 3.943)]
LOOP = [(0.5, 1.1), (0.4, 1.1), (0.3, 1.1), (0.2, 1.0), (0.1, 0.9), (0.05, 0.75), (0.02, 0.6), (0, 0.5), (0, 0.4),
        (0.03, 0.3), (0.1, 0.25), (0.15, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.5), (0.5, 0.7), (0.6, 0.9), (0.6, 1.0)]
PLACE = {"px": (-60, 60), "py": (-60, 60), "angle": (0, 2 * np.pi), "x": (-60, 60), "y": (-60, 60)}
#: points, limits, timing, and an error to stay below: of the loop the one that Cabrera et al. are cited with, of the
#: others bounds of our own
PUBLISHED = {
    "six points on a line": (LINE, {**dict.fromkeys(LENGTHS, (5, 60)), **PLACE}, None, 1e-3),
    "five points of an arc, timed": (ARC, {**dict.fromkeys(LENGTHS, (0.01, 50)), "px": (-50, 50), "py": (-50, 50)},
                                     np.pi * np.array([1 / 6, 1 / 4, 1 / 3, 5 / 12, 1 / 2]), 1e-5),
    "eighteen points of a loop, timed": (LOOP, {**dict.fromkeys(LENGTHS, (0.01, 50)), **PLACE,
                                                "theta": (0, 2 * np.pi)}, np.deg2rad(20.0 * np.arange(18)), 0.0349),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_paths_are_met(name):
    """Kunjur and Krishnamurty (1997), Cabrera, Simon and Prado (2002), Acharyya and Mandal (2009)."""
    points, limits, timing, known = PUBLISHED[name]
    found = path_linkage(points, limits=limits, timing=timing, rounds=2)
    assert found.error < known and not found.defects
    rising = found.theta if found.theta[-1] > found.theta[0] else found.theta[::-1]
    assert found.linkage.checked(rising) < 1e-7 * max(found.linkage.numbers[:4])


def test_freudenstein_meets_three_positions():
    phi, psi = np.deg2rad([60, 75, 90]), np.deg2rad([60, 67, 75])
    bar = freudenstein(phi, psi)
    assert bar.rocker_angle(phi) == pytest.approx(psi, abs=1e-12) or np.abs(
        np.mod(bar.rocker_angle(phi + np.pi) - psi, np.pi)).max() < 1e-9
    with pytest.raises(vc.ModelError, match="three of each at least"):
        freudenstein([0.1, 0.2], [0.1, 0.2])


def test_a_linkage_is_found_again_by_freudenstein():
    phi = np.linspace(0.5, 2.0, 9)
    made = freudenstein(phi, CRANK_ROCKER.rocker_angle(phi))
    scaled = CRANK_ROCKER.numbers[:4] / CRANK_ROCKER.ground
    assert made.numbers[:4] == pytest.approx(scaled, rel=1e-9)


@pytest.mark.slow
def test_a_six_bar_generates_a_logarithm_better_than_a_four_bar():
    x = np.linspace(1, 2, 21)
    phi, psi = np.deg2rad(60) * (x - 1), np.deg2rad(60) * np.log10(x) / np.log10(2)
    four = function_linkage(phi, psi, stages=1, starts=160)
    six = function_linkage(phi, psi, stages=2, starts=160)
    assert not four.defects and not six.defects
    assert six.error < 0.1 * four.error < np.deg2rad(0.02)
    assert six.output(phi) == pytest.approx(psi, abs=1.01 * six.error)


POSES = [(0.0, 0.0, 0.0), (0.6, 0.3, 0.35), (1.1, 0.3, 0.9)]


def test_three_positions_by_two_chosen_pivots():
    cranks = [crank_for(POSES, pivot) for pivot in ((0.2, -1.0), (1.5, -1.2))]
    found = motion_linkages(POSES, cranks)
    assert found[0].error < 1e-12
    with pytest.raises(vc.ModelError, match="3 rows of x, y and angle"):
        crank_for(POSES[:2], (0, 0))


def test_five_positions_of_a_coupler_find_its_cranks_again():
    theta = np.array([0.3, 0.8, 1.3, 1.9, 2.4])
    A = 0.7 * np.exp(1j * theta)
    ends = FourBar(2.0, 0.7, 1.8, 1.5, px=1.8).points(theta) @ [1, 1j]
    turn = np.angle(ends - A)
    poses = np.stack([A.real, A.imag, turn], axis=-1)
    cranks = cranks_for(poses, starts=120)
    pivots = [c.pivot for c in cranks]
    assert min(abs(p) for p in pivots) < 1e-6 and min(abs(p - 2.0) for p in pivots) < 1e-6
    best = [m for m in motion_linkages(poses, cranks) if {round(c.length, 6) for c in m.cranks} == {0.7, 1.5}]
    assert best and best[0].error < 1e-9 and not best[0].defects


def test_wrong_tasks_are_named():
    limits = dict.fromkeys(LENGTHS, (0.1, 1.0))
    with pytest.raises(vc.ModelError, match="not a list of two points"):
        path_linkage([1, 2, 3], limits=limits)
    with pytest.raises(vc.ModelError, match="rocker missing"):
        path_linkage(ARC, limits={k: limits[k] for k in LENGTHS[:3]})
    with pytest.raises(vc.ModelError, match="2 angles for 5 points"):
        path_linkage(ARC, limits=limits, timing=[0, 1])
    with pytest.raises(vc.ModelError, match="must be above zero"):
        FourBar(1, 1, 0, 1)
    with pytest.raises(vc.ModelError, match="stages is 3"):
        function_linkage(np.arange(5.0), np.arange(5.0), stages=3)
