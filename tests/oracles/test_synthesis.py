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
TURN = (0, 2 * np.pi)


def limits(least: float, most: float, *free: str) -> dict[str, tuple[float, float]]:
    return {**dict.fromkeys(LENGTHS, (least, most)),
            **{name: TURN if name in ("angle", "theta") else (-most, most) for name in free}}


#: points, limits as published, and timing
PROBLEMS = {
    "six points on a line": (LINE, limits(5, 60, "px", "py", "angle", "x", "y"), None),
    "five points of an arc, timed": (ARC, limits(0.01, 50, "px", "py"),
                                     np.pi * np.array([1 / 6, 1 / 4, 1 / 3, 5 / 12, 1 / 2])),
    "eighteen points of a loop, timed": (LOOP, limits(0.01, 50, "px", "py", "angle", "x", "y", "theta"),
                                         np.deg2rad(20.0 * np.arange(18))),
}
#: linkages of publications, as Nguyen-Van, Lieu, Xuan-Mung and Nguyen (2022) list them in the programs of their paper:
#: ground, crank, coupler, rocker, px, py, x, y, angle, and angles of the crank where they are free, or the first
PUBLISHED = {
    ("six points on a line", "Lin and Hsiao (2017)"): (
        45.9540268793200, 10.1413352283990, 36.1198616002200, 49.7905570636800, 51.4935231082160, 16.4957302836340,
        59.9251894962240, -0.267255177889410, 0.862384954187540,
        4.49683139849550, 3.94685292206840, 3.51208539098020, 3.11078124880880, 2.71010931195190, 2.26549866257340),
    ("six points on a line", "MUMSA, Cabrera et al. (2011)"): (
        31.788264, 8.2046468, 24.932131, 31.385926, 34.193719, 14.415668, -6.366519, 56.83676, 4.015959,
        1.366547, 2.330773, 2.871039, 3.394591, 3.97096, 4.96349),
    ("six points on a line", "Nguyen-Van et al. (2022)"): (
        14.201369, 8.0143127, 16.309922, 12.253871, 27.797721, 11.305412, -2.3095310, 45.695083, 4.5172417,
        6.2532447, 2.4038981, 2.9362397, 3.4905751, 4.0650776, 5.2095019),
    ("five points of an arc, timed", "Kunjur and Krishnamurty (1997)"): (
        3.509643, 1.857606, 4.725835, 3.518721, 1.959538, 1.558898),
    ("five points of an arc, timed", "Cabrera et al. (2002)"): (
        3.0630424, 1.9959624, 3.305823, 2.524706, 1.645158, 1.708959),
    ("five points of an arc, timed", "MUMSA, Cabrera et al. (2011)"): (
        3.77326856, 2.00000403, 4.11697104, 2.74615671, 1.67848787, 1.67098007),
    ("five points of an arc, timed", "Nguyen-Van et al. (2022)"): (
        4.2930812, 1.9978324, 4.7374099, 2.9417301, 1.7074051, 1.6441696),
    ("eighteen points of a loop, timed", "Kunjur and Krishnamurty (1997)"): (
        1.879660, 0.274853, 1.180253, 2.138209, -0.833592, -0.378770, 1.132062, 0.663433, 4.354224, 2.558625),
    ("eighteen points of a loop, timed", "Cabrera et al. (2002)"): (
        3.057878, 0.237803, 4.828954, 2.056456, 0.767038, 1.850828, 1.776808, -0.641991, 1.002168, 0.226186),
    ("eighteen points of a loop, timed", "MUMSA, Cabrera et al. (2011)"): (
        4.453772, 0.297057, 3.913095, 0.849372, -2.067338, 1.6610626, -1.309243, 2.806964, 2.7387359, 4.853543),
    ("eighteen points of a loop, timed", "Nguyen-Van et al. (2022)"): (
        49.800886, 0.28817159, 48.476138, 1.633642, -23.41281, 7.6644886, -14.836153, 20.140223, 2.5286091, 5.0644224),
}
#: their errors, as computed here
KNOWN = {"six points on a line": (4.07e-12, 2.06e-4, 1.31e-11),
         "five points of an arc, timed": (9.53e-4, 1.83e-6, 1.28e-6, 1.92e-6),
         "eighteen points of a loop, timed": (0.0661, 0.0337, 0.0194, 0.0161)}


def published_errors(problem: str) -> list[float]:
    points, _, timing = PROBLEMS[problem]
    found = []
    for numbers in (v for (name, _), v in PUBLISHED.items() if name == problem):
        place = dict(zip(("px", "py", "x", "y", "angle"), numbers[4:9], strict=False))
        more = np.array(numbers[9:])
        theta = more if timing is None else timing + (more[0] if len(more) else 0.0)
        bars = [FourBar(*numbers[:4], **place, branch=branch) for branch in (1, -1)]
        found.append(min(float(((bar.points(theta) - points) ** 2).sum()) for bar in bars))
    return found


@pytest.mark.parametrize("problem", PROBLEMS)
def test_published_linkages_have_the_errors_that_are_cited(problem):
    assert published_errors(problem) == pytest.approx(KNOWN[problem], rel=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS)
def test_published_paths_are_met_or_beaten(problem):
    points, within, timing = PROBLEMS[problem]
    found = path_linkage(points, limits=within, timing=timing, rounds=1)
    assert found.error < min(published_errors(problem)) and not found.defects
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
    within = dict.fromkeys(LENGTHS, (0.1, 1.0))
    with pytest.raises(vc.ModelError, match="not a list of two points"):
        path_linkage([1, 2, 3], limits=within)
    with pytest.raises(vc.ModelError, match="rocker missing"):
        path_linkage(ARC, limits={k: within[k] for k in LENGTHS[:3]})
    with pytest.raises(vc.ModelError, match="2 angles for 5 points"):
        path_linkage(ARC, limits=within, timing=[0, 1])
    with pytest.raises(vc.ModelError, match="must be above zero"):
        FourBar(1, 1, 0, 1)
    with pytest.raises(vc.ModelError, match="stages is 3"):
        function_linkage(np.arange(5.0), np.arange(5.0), stages=3)
