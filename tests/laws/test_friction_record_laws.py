"""What is recorded of friction is what the steps have used: accelerations are the slopes of velocities."""

import numpy as np
import pytest

import vincolo as vc

G = 9.81


def straight_arm():
    """Two links and a guide, redundant, whose foot slides away from where it was drawn: levers grow."""
    m = vc.Model("straight arm on a guide", gravity=(0, 0, -G))
    a = m.body("a", 3.4, [0.2, 0.4, 0.4], at=(0.6, 0.2, 0.1))
    b = m.body("b", 2.5, [0.1, 0.25, 0.25], at=(1.5, -0.2, 0.05))
    m.revolute("J0", m.ground, a, at=(0, 0, 0), axis="y")
    m.revolute("J1", a, b, at=(1, 0, 0), axis="y")
    m.guide("J2", m.ground, b, at=(2, 0, 0), axis="x")
    m.friction("dry", "J1", 0.4, radius=0.036, length=0.6)
    return m


@pytest.mark.parametrize("t", [0.1, 0.3, 0.5, 0.6, 0.65, 0.69])
def test_recorded_accelerations_are_slopes_where_redundant_levers_grow(t):
    h = 1e-5
    result = vc.simulate(straight_arm(), t + h, outputs=[0.0, t - h, t, t + h],
                         integrator=vc.integrators.DOP853(rtol=1e-12, atol=1e-12))
    slope = (result.y[3] - result.y[1])[:26].reshape(2, 13)[:, 7:] / (2 * h)
    recorded = result.channels.observed["acceleration"][2].reshape(-1, 6)[:2]
    assert np.abs(slope - recorded).max() < 1e-5 * np.abs(recorded).max()


def driven_four_bar():
    """Redundant, driven from rest with an acceleration, with friction in all pins, whose rows hold nothing yet."""
    m = vc.Model("driven four-bar", gravity=(0, 0, -G))
    places = {"crank": ((0, 0, 0), (0.3, 0.1, 0.5)), "coupler": ((0.3, 0.1, 0.5), (1.5, 0, 1.0)),
              "rocker": ((1.5, 0, 1.0), (1.3, 0, 0))}
    for name, (a, b) in places.items():
        m.body(name, 1.0, 0.05, at=tuple((np.array(a) + b) / 2))
    for n, (a, b, at) in enumerate([(m.ground, "crank", (0, 0, 0)), ("crank", "coupler", (0.3, 0, 0.5)),
                                    ("coupler", "rocker", (1.5, 0, 1.0)), ("rocker", m.ground, (1.3, 0, 0))]):
        first, second = (m.bodies[x] if isinstance(x, str) else x for x in (a, b))
        m.revolute(f"J{n}", first, second, at=at, axis="y")
    m.drive("J0.angle", "5*t^2")
    for n in range(4):
        m.friction(f"dry{n}", f"J{n}", 0.2, radius=0.02)
    return m


def test_accelerations_of_a_start_keep_the_rows_that_hold_and_no_others():
    state = vc.assemble(vc.compile(driven_four_bar()))
    slope, *_ = state.system.kernel.slope(state.t, state.y.tolist(), state.turns.tolist())
    start = np.asarray(slope)[:39].reshape(3, 13)[:, 7:].ravel()
    recorded = state.channels.observed["acceleration"][0].ravel()
    assert np.abs(start - recorded).max() < 1e-10 * np.abs(recorded).max()
    assert vc.simulate(state.system, 0.2, start=state, outputs=5).complete
