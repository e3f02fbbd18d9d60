"""Closing a mechanism: what is kept, given and wished for, and what is completed from a minimal set."""

import numpy as np
import pytest

import vincolo as vc
from linkages import flat, parallelogram, rod

CRANK, COUPLER, ROCKER, BASE = 0.3, 0.8, 0.6, 0.9  # m


def coupler_pin(th: float) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of the coupler for a crank angle: the upper meeting of the circles about its crank pin and the base."""
    A = CRANK * np.array([np.cos(th), np.sin(th)])
    v = np.array([BASE, 0.0]) - A
    L = np.hypot(*v)
    x = (COUPLER**2 - ROCKER**2 + L**2) / (2 * L)
    return A, A + x * v / L + np.sqrt(COUPLER**2 - x**2) * np.array([-v[1], v[0]]) / L


def four_bar(th: float = 1.0, rough: float = 0.0) -> vc.Model:
    """A four-bar with its crank at `th`; the rocker is drawn `rough` metres away from where it belongs."""
    model = vc.Model("four-bar", gravity=(0, -9.81, 0))
    A, B = coupler_pin(th)
    off = np.array([rough, -0.5 * rough])
    crank, coupler = rod(model, "crank", (0, 0), A), rod(model, "coupler", A, B)
    rocker = rod(model, "rocker", np.array([BASE, 0]) + off, B + off)
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.revolute("A", crank, coupler, at=flat(A), axis="z")
    model.revolute("B", coupler.frame(flat(B)), rocker.frame(flat(B + off)))
    model.revolute("C", model.ground.frame((BASE, 0, 0)), rocker.frame(flat(np.array([BASE, 0]) + off)))
    return model


def pose(state: vc.State, body: str) -> list[float]:
    return [state[f"{body}.{c}"] for c in ("x", "y", "z", "e0", "e1", "e2", "e3")]


def two_bars() -> vc.Model:
    """Two bars of 1 m hinged to the ground and to each other; the measure `reach` is from the foot to the far end."""
    model = vc.Model("two bars", gravity=(0, 0, 0))
    first, second = rod(model, "first", (0, 0), (1, 0)), rod(model, "second", (1, 0), (1, 1))
    model.revolute("O", model.ground, first, at=(0, 0, 0), axis="z")
    model.revolute("A", first, second, at=(1, 0, 0), axis="z")
    model.measure("reach", vc.distance(model.ground.frame((0, 0, 0)), second.frame((1, 1, 0))))
    return model


def test_a_body_that_is_kept_does_not_move_and_the_rest_comes_to_it():
    model = four_bar(rough=0.05)
    system = vc.compile(model)
    kept, free = vc.assemble(system, keep="crank"), vc.assemble(system)
    assert pose(kept, "crank") == pose(system.drawn, "crank")
    assert not np.allclose(pose(free, "crank"), pose(system.drawn, "crank"), atol=1e-4)
    assert kept["residual.position"] < 1e-9
    assert np.allclose([kept["O.angle"], *coupler_pin(1.0)[1]],
                       [0.0, *kept.channels.point(system.joints["B"].b)[0][:2]], atol=1e-9)


def test_a_coordinate_that_is_kept_has_its_value_in_the_guess():
    system = vc.compile(four_bar(rough=0.05))
    before = vc.assemble(system, {"O.angle": 0.4})
    after = vc.assemble(system, keep=["O.angle"], guess=before)
    assert after["O.angle"] == pytest.approx(0.4, abs=1e-12)
    assert vc.assemble(system, keep=["O.angle"])["O.angle"] == pytest.approx(0.0, abs=1e-12)


def test_bodies_that_are_kept_may_get_a_velocity():
    state = vc.assemble(four_bar(), {"O.angle.rate": 2.0}, keep=("crank", "rocker"))
    assert state["crank.wz"] == pytest.approx(2.0, abs=1e-12)


def test_a_minimal_set_completes_positions_and_velocities():
    """Valentini (SymDyn3D) starts from a minimal set of positions and velocities: here one angle and its rate."""
    th, rate, h = 1.7, 3.0, 1e-5
    state = vc.assemble(four_bar(1.0), {"O.angle": th - 1.0, "O.angle.rate": rate})

    def rocker(at: float) -> float:
        B = coupler_pin(at)[1]
        return float(np.arctan2(B[1], B[0] - BASE))

    assert state["C.angle"] == pytest.approx(rocker(th) - rocker(1.0), abs=1e-9)
    slope = (rocker(th + h) - rocker(th - h)) / (2 * h)  # error h^2
    assert state["C.angle.rate"] == pytest.approx(rate * slope, abs=1e-8)


def test_velocities_and_accelerations_belong_to_the_joints():
    state = vc.assemble(four_bar(1.0, rough=0.02), {"O.angle.rate": 3.0})
    e = state.equations()
    assert np.abs(e.Phi_dot).max() < 1e-10
    assert np.abs(e.J @ state.solve().acceleration.ravel() - e.gamma).max() < 1e-9


def test_a_wish_that_can_hold_is_met():
    state = vc.assemble(four_bar(1.0, rough=0.02), wishes={"O.angle": (0.5, 10.0)})
    assert state["O.angle"] == pytest.approx(0.5, abs=1e-9)
    assert state["residual.position"] < 1e-9
    assert vc.assemble(four_bar(), wishes={"O.angle": 0.5})["O.angle"] == pytest.approx(0.5, abs=1e-9)


def test_wishes_against_each_other_are_met_by_least_squares():
    """Both feet of a parallelogram turn alike, so the angle is the mean by weight: (3*0.4 + 1*0)/(3 + 1)."""
    with pytest.warns(vc.AssemblyWarning, match="foot0.angle should be 0.4, but only 0.3"):
        state = vc.assemble(parallelogram(1.0), wishes={"foot0.angle": (0.4, 3.0), "foot1.angle": (0.0, 1.0)})
    assert state["foot0.angle"] == pytest.approx(0.3, abs=1e-8)
    assert state["foot1.angle"] == pytest.approx(0.3, abs=1e-8)
    assert state["residual.position"] < 1e-9


def test_rates_wished_for_are_met_by_least_squares_too():
    wishes = {"foot0.angle.rate": (4.0, 3.0), "foot1.angle.rate": (0.0, 1.0)}
    with pytest.warns(vc.AssemblyWarning, match="foot0.angle.rate should be 4, but only 3"):
        state = vc.assemble(parallelogram(1.0), wishes=wishes)
    assert state["foot0.angle.rate"] == pytest.approx(3.0, abs=1e-8)
    assert state["residual.velocity"] < 1e-9


def test_given_values_go_before_wishes():
    with pytest.warns(vc.AssemblyWarning, match="foot1.angle should be 1, but only 0.2"):
        state = vc.assemble(parallelogram(1.0), {"foot0.angle": 0.2}, wishes={"foot1.angle": (1.0, 1e6)})
    assert state["foot1.angle"] == pytest.approx(0.2, abs=1e-9)


def test_the_nearest_point_on_a_curve_is_stationary():
    """Bars of 1 m: the far end cannot be at 5 m, so the wish stretches them to 2 m; a second wish shares with it."""
    with pytest.warns(vc.AssemblyWarning, match="reach should be 5, but only 2"):
        assert vc.assemble(two_bars(), wishes={"reach": 5.0})["reach"] == pytest.approx(2.0, abs=1e-9)
    weight, wish = 0.5, 1.2  # on the angle of A, zero as drawn at a right angle
    with pytest.warns(vc.AssemblyWarning, match="A.angle should be -1.2"):
        state = vc.assemble(two_bars(), {"O.angle": 0.1}, wishes={"reach": (1.8, 1.0), "A.angle": (-wish, weight)})

    def cost(a: float) -> float:
        return (2 * np.cos(np.pi / 4 + a / 2) - 1.8) ** 2 + weight * (a + wish) ** 2

    a = state["A.angle"]
    assert state["reach"] == pytest.approx(2 * np.cos(np.pi / 4 + a / 2), abs=1e-9)
    assert min(cost(a - 1e-3), cost(a + 1e-3)) > cost(a)
    assert cost(a + 1e-5) - cost(a - 1e-5) == pytest.approx(0.0, abs=1e-12)  # slope below 1e-7


def test_whole_turns_can_be_wished_for():
    assert vc.assemble(four_bar(), wishes={"O.angle": 2 * np.pi + 0.3})["O.angle"] == pytest.approx(2 * np.pi + 0.3)
