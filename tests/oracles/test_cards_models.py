"""The published models of Vita (4.2 and 4.7), read from cards, against motions found without them."""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import vincolo as vc
from vincolo.formats.cards import CardError, read_cards

CARDS = Path(__file__).resolve().parents[2] / "examples" / "cards"
VERSION = "NumDyn3D ver. 7.0a\n"


def folder(path, name, leave_out=(), **cards):
    """A copy of published cards, without some, or with others."""
    shutil.copytree(CARDS / name, path / name)
    for card in leave_out:
        (path / name / f"{card}.s3d").unlink()
    for card, text in cards.items():
        (path / name / f"{card}.s3d").write_text(VERSION + text)
    return path / name


# the five-bar linkage ("pentalatero", 4.7.1): the coupler only translates, so it is a pendulum


def five_bar_angle(times):
    """Angle of the bars from x by the one equation (3 (6.565 + 78/4) + 195) q'' = -(3 78/2 + 195) 9.81 cos q."""
    inertia, moment = 3 * (6.565 + 78 / 4) + 195, (3 * 78 / 2 + 195) * 9.81
    return solve_ivp(lambda _, q: [q[1], -moment / inertia * np.cos(q[0])], (0, times[-1]), [-np.pi / 4, 0], "DOP853",
                     times, rtol=1e-12, atol=1e-13).y[0]


@pytest.mark.parametrize("options, tolerance, until", [
    ("ResMethod = 0\ntolRadau = 1.E-8\n", 1e-6, 8),
    ("ResMethod = 2\ntolRadau = 1.E-8\n", 1e-6, 1),
    pytest.param("ResMethod = orthogonalisation\n", 1e-6, 8, marks=pytest.mark.slow),
    ("ResMethod = 1\nODEmethod = 1\ntolODE = 1.E-6\nthreshold = 1.E-14\ntolQRUpdate = 0.999\n", 1e-4, 8),
    ("ResMethod = state form\nODEmethod = 2\ntolODE = 1.E-7\nthreshold = 1.E-14\ntolCorr = 1.E-13\n", 1e-5, 8),
    ("ResMethod = 1\nODEmethod = 3\ntolODE = 1.E-9\nthreshold = 1.E-12\nCorrezione = 0\n", 1e-6, 8)])
def test_five_bar_swings_as_a_pendulum_by_every_method(tmp_path, options, tolerance, until):
    # errors of the tolerances asked for, grown over four periods; the joints are given to ten digits
    cards = read_cards(folder(tmp_path, "pentalatero", QRTol=options))
    times = np.array([0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0])
    times = times[times <= until]
    result = cards.run(until=until, outputs=times)
    angle = five_bar_angle(times)
    assert result.complete
    assert result["Asta Sx.x"] == pytest.approx(np.cos(angle) / 2, abs=tolerance)
    assert result["Asta Sx.y"] == pytest.approx(np.sin(angle) / 2, abs=tolerance)


def test_five_bar_runs_as_printed_with_its_period():
    # T = 4 K(sin(pi/8)) / w0, w0^2 = 3060.72/273.195, K by the arithmetic-geometric mean; 1.952210519 s
    a, b = 1.0, math.cos(math.pi / 8)
    for _ in range(6):
        a, b = (a + b) / 2, math.sqrt(a * b)
    period = 2 * math.pi / a / math.sqrt(3060.72 / 273.195)
    assert period == pytest.approx(1.952210519, abs=1e-9)
    cards = read_cards(CARDS / "pentalatero")
    assert (cards.settings.until, cards.settings.outputs) == (8.0, 5000)
    times = np.concatenate([[0.0], period + np.array([-1e-3, 1e-3])])
    speed = cards.run(until=2.0, outputs=np.append(times, 2.0))["Asta Sx.wz"]
    # the bars come to rest where they began; the speed is a straight line there, to h^2 of its size
    rest = times[1] - speed[1] * 2e-3 / (speed[2] - speed[1])
    assert rest == pytest.approx(period, abs=1e-6)  # of the tolerance 1e-8 over a period


def test_five_bar_has_one_freedom_and_seven_redundant_rows():
    # Vita, 4.7.1
    found = vc.mobility(read_cards(CARDS / "pentalatero").model)
    assert (found.dof, found.redundant) == (1, 7)


# the slider-crank of 4.2: all eight cards


def undriven(path):
    return folder(path, "slider_crank", leave_out=["Driving Pos"])


def crank_terms(q):
    """M, M' of the crank's angle q, and x, x' of the piston: crank 0.25 m, rod 0.5 m, pin 0.04 m before its origin."""
    def rod(q):
        return -np.arcsin(np.sin(q) / 2)

    def slopes(q):
        f = rod(q)
        df = -np.cos(q) / 2 / np.cos(f)
        dx, dy = -0.25 * np.sin(q) - 0.25 * np.sin(f) * df, 0.25 * np.cos(q) + 0.25 * np.cos(f) * df
        return df, dx, dy, -0.25 * np.sin(q) - 0.5 * np.sin(f) * df

    def mass(q):
        df, dx, dy, slope = slopes(q)
        return 0.001 + 0.2 * 0.125**2 + 0.008 * df**2 + 0.4 * (dx**2 + dy**2) + 3.22 * slope**2

    h = 1e-5  # central difference: error h^2 M'''/6, about 1e-11
    return mass(q), (mass(q + h) - mass(q - h)) / 2 / h, 0.25 * np.cos(q) + 0.5 * np.cos(rod(q)) - 0.04, slopes(q)[3]


def crank_motion(begin, times):
    """Torque of 50 N m and damping 8 up to 4 s, then damping 2 |e0'|; the spring 10 |x - 0.661| (x - 0.661)."""
    def rates(early):
        def found(_, state):
            q, w = state
            M, dM, x, slope = crank_terms(q)
            c = 8.0 if early else 2 * abs(np.sin(q / 2) * w / 2)
            moment = 50.0 * early - c * w - 10 * abs(x - 0.661) * (x - 0.661) * slope - dM * w**2 / 2
            return [w, moment / M]
        return found

    accuracy = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-12}
    first = solve_ivp(rates(True), (0, 4), [begin, 0], t_eval=times[times <= 4], **accuracy)
    if times[-1] <= 4:
        return first.y[0]
    second = solve_ivp(rates(False), (4, times[-1]), first.y[:, -1], t_eval=times[times > 4], **accuracy)
    return np.concatenate([first.y[0], second.y[0]])


KERNEL = {"integrator": vc.Radau(rtol=1e-8, atol=1e-8), "formulation": vc.Sparse()}


@pytest.mark.parametrize(("changes", "until"), [(KERNEL, 5.0), ({}, 0.1),
                                                pytest.param({}, 5.0, marks=pytest.mark.slow)])
def test_slider_crank_turns_as_its_one_equation_says(tmp_path, changes, until):
    cards = read_cards(undriven(tmp_path))
    times = np.array([0.0, 0.1, 0.5, 1.0, 2.0, 4.0, 4.2, 5.0])
    times = times[times <= until]
    start = cards.start()
    begin = np.arctan2(start["Manovella.y"], start["Manovella.x"])
    angle = crank_motion(begin, times)
    result = cards.run(until=until, outputs=times, **changes)
    assert result.complete
    # tolerance 1e-8 of the run, grown over some five turns
    assert result["Rot1.angle"] - result["Rot1.angle"][0] == pytest.approx(angle - begin, abs=2e-6)
    assert result["Pistone.x"] == pytest.approx([crank_terms(q)[2] for q in angle], abs=1e-6)


def test_slider_crank_has_three_redundant_rows(tmp_path):
    # Vita, 4.7.2
    found = vc.mobility(read_cards(undriven(tmp_path)).model)
    assert (found.dof, found.redundant) == (1, 3)


def test_slider_crank_is_closed_from_the_printed_positions(tmp_path):
    # a least-squares solution found elsewhere, to six digits; which point of the one-parameter family is nearest
    # depends on the metric, so the crank is put to its angle
    cards = read_cards(undriven(tmp_path))
    angle = 2 * math.atan2(-0.258864, 0.965914)
    state = vc.assemble(cards.system, given={"Rot1.angle": angle})
    found = {name: state[name] for name in ("Manovella.x", "Manovella.y", "Biella.x", "Biella.y", "Pistone.x")}
    assert found == pytest.approx({"Manovella.x": 0.108247, "Manovella.y": -0.062510, "Biella.x": 0.458554,
                                   "Biella.y": -0.062510, "Pistone.x": 0.660612}, abs=2e-6)
    assert [state["Biella.e0"], state["Biella.e3"]] == pytest.approx([0.992027, 0.126025], abs=2e-6)
    # left to itself, the mechanism closes near to where it is drawn: the gaps there are 1.2 mm in sum
    start = cards.start()
    q = math.atan2(start["Manovella.y"], start["Manovella.x"])
    assert q == pytest.approx(angle, abs=5e-3)
    assert start["Pistone.x"] == pytest.approx(crank_terms(q)[2], abs=1e-11)


def test_slider_crank_follows_its_law_of_motion():
    cards = read_cards(CARDS / "slider_crank")
    times = np.linspace(0, 0.8, 9)
    result = cards.run(until=0.8, outputs=times)
    x = 0.108 + 0.125 * (np.cos(3 * times) - 1)
    angle = -np.arccos(x / 0.125)
    assert result["Manovella.x"] == pytest.approx(x, abs=1e-9)
    assert result["Pistone.x"] == pytest.approx([crank_terms(q)[2] for q in angle], abs=1e-8)


def test_the_printed_law_asks_for_more_than_the_crank_can_reach():
    # x goes down to 0.108 - 0.25 = -0.142 m, the crank's centre only to -0.125 m
    locks = brentq(lambda t: 0.108 + 0.125 * (np.cos(3 * t) - 1) + 0.125, 0.5, 1.0)
    with pytest.warns(vc.SimulationWarning):
        result = read_cards(CARDS / "slider_crank").run(until=1.0, outputs=1000)
    assert not result.complete
    assert result.t[-1] == pytest.approx(locks, abs=2e-3)  # to the last sample, 1 ms apart


# the Cardan joint of 4.7.3: shafts at 10 degrees, each arm of the cross in two hinges


BEND = np.radians(10)


def test_cardan_joint_has_thirteen_dependent_equations(tmp_path):
    # Vita, 4.7.3: 33 equations with 3 of Euler parameters, 20 independent, 13 dependent
    found = vc.mobility(read_cards(folder(tmp_path, "cardan", leave_out=["Driving Pos"])).model)
    assert (found.dof, found.redundant) == (1, 13)


def test_cardan_joint_turns_unevenly():
    # w_out = w cos b/(1 - sin^2 b sin^2(w t)), the fork's axis being normal to the plane of the shafts at t = 0
    cards = read_cards(CARDS / "cardan")
    result = cards.run()
    t = result.t
    speed = 2 * np.cos(BEND) / (1 - np.sin(BEND) ** 2 * np.sin(2 * t) ** 2)
    assert result["Entrata.wx"] == pytest.approx(2.0, abs=1e-9)
    assert result["R6.angle.rate"] == pytest.approx(speed, abs=1e-7)
    assert speed.min() == pytest.approx(1.969615506, abs=1e-9)  # the reference's extremes
    assert speed.max() == pytest.approx(2.030853224, abs=1e-5)  # 5 ms from a sample at most


def test_one_law_for_an_euler_parameter_is_refused(tmp_path):
    # with e0 alone the sense of turning is open, and NumDyn3D finds a wrong e1 (Vita, 4.7.3)
    path = folder(tmp_path, "cardan")
    printed = (path / "Driving Pos.s3d").read_text()
    (path / "Driving Pos.s3d").write_text(printed[:printed.index("begin(2)")])
    with pytest.raises(CardError, match="(?s)Driving Pos.s3d, line 6.*q4-cos.*sense of turning.*q5 - sin"):
        read_cards(path)
