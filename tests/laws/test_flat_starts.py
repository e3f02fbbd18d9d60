"""Mechanisms drawn flat or nearly flat, and mechanisms that grow: no row that matters is ever left out silently."""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import vincolo as vc
from balance import imbalance, opening
from dense import kernel_rows
from formulations import EXACT
from linkages import flat, rod
from vincolo.errors import VincoloError

G = 9.81
BARS = [3, 4, 5]
NEARLY = [1e-2, 1e-3, 1e-4]  # below, the rounding of positions moves the tangent itself


def cranks(angle, bars, *, uneven=True):
    """A coupler of 2 kg on cranks of 1 m and of 1, 2, ... kg, feet unevenly along x, weight along -y."""
    model = vc.Model("cranks", gravity=(0, -G, 0))
    tip = np.array([np.cos(angle), np.sin(angle)])
    feet = [np.array([2.0 * k + (0.3 * k**2 if uneven else 0.0), 0.0]) for k in range(bars)]
    coupler = rod(model, "coupler", feet[0] + tip, feet[-1] + tip, mass=2.0)
    for k, foot in enumerate(feet):
        bar = rod(model, f"bar{k}", foot, foot + tip, mass=1.0 + k)
        model.revolute(f"foot{k}", model.ground, bar, at=flat(foot), axis="z")
        model.revolute(f"head{k}", bar, coupler, at=flat(foot + tip), axis="z")
    return model


def numbers(bars):
    """Inertia [kg m2] and weight moment [N m] of the one freedom: the coupler only translates."""
    masses = 1.0 + np.arange(bars)
    return masses.sum() / 3 + 2.0, G * (masses.sum() / 2 + 2.0)


def motion(angle, speed, t, bars):
    """Crank angles over time: I th'' = -k cos th."""
    inertia, k = numbers(bars)
    return solve_ivp(lambda _, y: [y[1], -k * np.cos(y[0]) / inertia], (t[0], t[-1]), [angle, speed], t_eval=t,
                     rtol=1e-12, atol=1e-13, method="DOP853").y[0]


def moved(system, until, outputs, **options):
    """A run that is complete and without a warning; or None if it was refused, or stopped, with a joint named and with
    every joint closed until then: no branch need be found where branches meet, but none may be invented."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = vc.simulate(system, until, outputs=outputs, **options)
        except VincoloError as error:
            assert any(f"'{joint}'" in str(error) for joint in system.joints), str(error)
            return None
    if result.complete:
        assert not caught
        return result
    assert any(f"'{joint}'" in result.reason for joint in system.joints), result.reason
    assert widest(result, 1.0) < 1e-9
    return None


def widest(result, size):
    return max(opening(result.state(k), size, 1.0)[0] for k in range(len(result)))


@pytest.mark.parametrize("speed", [0.0, 3.0, -3.0], ids=["at rest", "rising", "falling"])
@pytest.mark.parametrize("angle", [0.0, np.pi], ids=["to the right", "to the left"])
@pytest.mark.parametrize("bars", BARS)
def test_cranks_drawn_flat_move_as_one(bars, angle, speed):
    """From three cranks on the coupler cannot turn: there is one branch, and it is a pendulum."""
    system = vc.compile(cranks(angle, bars))
    start = vc.assemble(system, {f"foot{k}.angle.rate": speed for k in range(bars)} if speed else None)
    result = moved(system, 1.0, 50, start=start)
    if result is None:
        return
    assert widest(result, 2.0 * bars) < 1e-9
    assert result["residual.position"].max() < 1e-9
    exact = motion(angle, speed, result.t, bars)
    for k in range(bars):
        assert result[f"foot{k}.angle"] + angle == pytest.approx(exact, abs=1e-5)
    assert result["coupler.e3"] == pytest.approx(np.zeros(51), abs=1e-7)
    assert result.energy_drift < 1e-6


@pytest.mark.parametrize("law", ["3*t", "t^2", "-2*t^2", "sin(3*t)", "t^3"])
@pytest.mark.parametrize("crank", [0, 1, 2])
@pytest.mark.parametrize("feet", [(0.0, 1.0, 2.0), (0.0, 1.5, 2.2), (0.0, 2.0, 2.6, 5.0)], ids=str)
def test_cranks_drawn_flat_follow_the_driven_one(feet, crank, law):
    model = vc.Model("driven", gravity=(0, -G, 0))
    coupler = model.body("coupler", 2.0, [0.1, 1.0, 1.0], at=(1, 0, 0), com=(0.3, 0, 0))
    for k, x in enumerate(feet):
        bar = rod(model, f"bar{k}", (x, 0), (x + 1, 0), mass=1.0 + k)
        model.revolute(f"foot{k}", model.ground, bar, at=(x, 0, 0), axis="z")
        model.revolute(f"head{k}", bar, coupler, at=(x + 1, 0, 0), axis="z")
    drive = model.drive(f"foot{crank}.angle", law)
    result = moved(vc.compile(model), 1.0, 20)
    if result is None:
        return
    assert widest(result, 2 * feet[-1]) < 1e-9
    for k in range(len(feet)):
        assert result[f"foot{k}.angle"] == pytest.approx([drive.function(t) for t in result.t], abs=1e-7)
    assert result["coupler.e3"] == pytest.approx(np.zeros(21), abs=1e-7)


@pytest.mark.parametrize("angle", [*NEARLY, *(-a for a in NEARLY)])
@pytest.mark.parametrize("bars", [2, *BARS])
def test_next_to_flat_there_is_one_freedom_and_its_acceleration_is_right(bars, angle):
    state = vc.assemble(cranks(angle, bars))
    inertia, k = numbers(bars)
    assert vc.mobility(state).dof == 1
    for bar in range(bars):
        assert state[f"foot{bar}.angle.acceleration"] == pytest.approx(-k * np.cos(angle) / inertia, rel=1e-5)
    assert state["coupler.alpha_z"] == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("angle", np.logspace(-5.9, -4.5, 8))
@pytest.mark.parametrize("bars", [2, *BARS])
def test_closer_to_flat_accelerations_still_keep_all_rows(bars, angle):
    """However little a row differs from the others, it is one of them while its trace is above rounding."""
    state = vc.assemble(cranks(angle, bars))
    found, u = kernel_rows(state), state.channels.observed["acceleration"][0].ravel()
    assert np.abs(found["J"] @ u - found["gamma"]).max() < 1e-9 * G


@pytest.mark.parametrize("angle", NEARLY)
@pytest.mark.parametrize("bars", [2, *BARS])
def test_next_to_flat_a_run_stays_closed_and_right(bars, angle):
    result = vc.simulate(cranks(angle, bars), 0.8, outputs=40, max_steps=5000)
    assert result.complete and widest(result, 2.0 * bars) < 1e-9
    exact = motion(angle, 0.0, result.t, bars)
    for bar in range(bars):
        assert result[f"foot{bar}.angle"] + angle == pytest.approx(exact, abs=1e-5)
    for k in range(len(result)):
        assert max(imbalance(result, k)) < 1e-6


@pytest.mark.parametrize("formulation", [name for name in EXACT if name.endswith(", twist")])
def test_next_to_flat_every_formulation_agrees(formulation):
    for bars in (2, 3, 4):
        for angle in (1e-2, 1e-3):  # closer, their default rank tolerance of 1e-5 takes it for flat
            state = vc.assemble(cranks(angle, bars))
            inertia, k = numbers(bars)
            try:
                found = state.solve(EXACT[formulation]).acceleration
            except vc.SimulationError:
                assert formulation.startswith("augmented")  # it iterates, and may say that it did not converge
                continue
            assert found[1:, 5] == pytest.approx(np.full(bars, -k * np.cos(angle) / inertia), rel=1e-5), (bars, angle)
            assert found[0, 5] == pytest.approx(0, abs=1e-4)


def stretched(down):
    """Two bars between points of the ground that they just reach: it moves at first order only."""
    model = vc.Model("stretched", gravity=down)
    left, right = rod(model, "left", (0, 0), (1, 0)), rod(model, "right", (1, 0), (2, 0))
    model.revolute("A", model.ground, left, at=(0, 0, 0), axis="z")
    model.revolute("B", left, right, at=(1, 0, 0), axis="z")
    model.revolute("C", right, model.ground, at=(2, 0, 0), axis="z")
    return model


def test_a_structure_locked_at_second_order_stays_if_nothing_pushes_it():
    result = vc.simulate(stretched((G, 0, 0)), 0.5, outputs=10)
    assert result.complete and widest(result, 2.0) < 1e-9
    assert result["B.angle"] == pytest.approx(np.zeros(11), abs=1e-9)


def test_a_structure_locked_at_second_order_is_not_opened_by_its_weight():
    """No finite forces hold it, and it cannot move: it is refused, or stopped with a joint named; nothing opens."""
    assert moved(vc.compile(stretched((0, -G, 0))), 0.5, 10) is None


# a mechanism that grows far beyond its drawing


def boom(end, speed=0.0):
    """A boom on a vertical axle and a trolley on it, driven out from 1 cm to `end` metres within a second."""
    model = vc.Model("boom", gravity=(0, 0, -G))
    arm = model.body("boom", 10.0, [1.0, 2.0, 3.0])
    trolley = model.body("trolley", 1.0, 1e-4, at=(0.01, 0, 0))
    model.revolute("axle", model.ground, arm, at=(0, 0, 0), axis="z")
    model.prismatic("rail", arm, trolley, at=(0.01, 0, 0), axis="x")
    model.drive("rail.travel", vc.Poly345(0.0, 1.0, 0.0, end - 0.01), name="winch")
    return model, speed


@pytest.mark.parametrize("speed", [0.0, 2.0], ids=["still", "turning"])
@pytest.mark.parametrize("end", [1.0, 10.0, 100.0])
def test_a_trolley_driven_far_out_does_not_fall(end, speed):
    model, speed = boom(end, speed)
    system = vc.compile(model)
    start = vc.assemble(system, {"axle.angle.rate": speed})
    result = vc.simulate(system, 1.0, start=start, outputs=20)
    reach = np.hypot(result["trolley.x"], result["trolley.y"])
    assert result.complete and widest(result, end) < 1e-9
    assert result["trolley.z"] == pytest.approx(np.zeros(21), abs=1e-9 * end)
    assert reach[-1] == pytest.approx(end, rel=1e-9)
    # angular momentum about the axle: 3 + 1e-4 + r^2
    turned = 3.0001 + reach**2
    assert result["axle.angle.rate"] == pytest.approx(speed * turned[0] / turned, abs=1e-6)
    carried = result.reaction("axle")
    assert carried.force[:, 2] == pytest.approx(np.full(21, 11 * G), rel=1e-9)
    assert np.hypot(carried.torque[:, 0], carried.torque[:, 1]) == pytest.approx(G * reach, abs=1e-8 * G * end)
    for k in range(len(result)):
        assert max(imbalance(result, k)) < 1e-9
