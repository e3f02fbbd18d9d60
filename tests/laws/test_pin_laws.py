"""Plane nets of hinges are solved by the motions of their pins and the forces along their bars: accelerations, motion
and reactions are those of all rows, in every position; what is no such net is not taken so."""

import numpy as np
import pytest
from test_hub_laws import stirred, whole
from test_joint_coordinate_laws import both, difference, reaction_difference
from test_plane_laws import Drawing, turned

import vincolo as vc

SIDE = 6


def lattice(rng, *, lean: float = 0.2, spread: float = 0.15, side: int = SIDE) -> Drawing:
    """Bars between the points of a leaning lattice, in a plane of any normal; centres lie anywhere, two only hang."""
    d = Drawing(rng, turned(rng))
    across, down = np.array([1.0, 0.0]), np.array([np.sin(lean), -np.cos(lean)])
    node = {(i, j): j * across + i * down + spread * rng.uniform(-1, 1, 2)
            for i in range(side + 1) for j in range(side)}
    meeting = {(0, j): [d.ground] for j in range(side)}

    def bar(u, v=None):
        middle = (node[u] + node[v]) / 2 if v else node[u] + 0.4 * down
        body = d.body(f"bar{u}{v}", middle + 0.2 * rng.normal(size=2))
        for at in filter(None, (u, v)):
            meeting.setdefault(at, []).append(body)

    for i in range(1, side + 1):
        for j in range(side):
            bar((i - 1, j), (i, j))
            if j:
                bar((i, j - 1), (i, j))
    bar((side, 0))
    bar((2, 3))
    for at, (carrier, *others) in meeting.items():
        for n, link in enumerate(others):  # at the first, or one at the other, either way round
            two = [carrier if n % 2 == 0 or carrier is d.ground else others[n - 1], link]
            d.hinge(f"pin{at}{n}", *(two if rng.random() < 0.5 else two[::-1]), node[at])
    return d


def slope(state):
    """Accelerations as explicit steps find them, and the number of pins."""
    dy, _, _, _, pins = state.system.kernel.slope(state.t, state.y.tolist(), state.turns.tolist())
    return np.concatenate([dy[13 * k + 7: 13 * k + 13] for k in range(len(state.system.centred))]), pins


def away(state) -> float:
    """Difference of accelerations from those of whole matrices of all rows."""
    acceleration, _ = whole(state.equations())
    return float(np.abs(slope(state)[0] - acceleration).max() / np.abs(acceleration).max())


@pytest.mark.parametrize("lean", [0.0, 0.5, -0.9])
def test_accelerations_are_those_of_whole_matrices(lean, rng):
    for _ in range(3):
        state = stirred(lattice(rng, lean=lean).model, rng)
        assert slope(state)[1] == SIDE**2 + 2
        assert away(state) < 1e-10


@pytest.mark.parametrize("lean", [1.45, 1.56])
def test_bars_in_line_leave_pins_for_rows(lean, rng):
    """Next to the position in which all bars lie in one line nothing is fixed by two of them."""
    state = stirred(lattice(rng, lean=lean, spread=0).model, rng)
    assert slope(state)[1] == 0
    assert away(state) < 1e-7


@pytest.mark.parametrize("lean, wide", [(0.1, True), (1.1, False)])
def test_motion_and_reactions_are_those_of_all_rows(lean, wide, rng):
    """Also where bars fall nearly in line on the way, and rows take over."""
    state = stirred(lattice(rng, lean=lean, spread=0.02).model, rng)
    runs = both(state.system, state, 0.6)
    assert slope(state)[1] > 0
    assert (slope(runs[0].state())[1] > 0) == wide
    assert difference(*runs) < 1e-9
    assert reaction_difference(*runs) < 1e-7


def test_bars_that_turn_through_one_line_are_passed_by_rows(rng):
    """Cranks and their couplers fall in line twice a turn, where nothing is singular."""
    d = lattice(rng, spread=0.05)
    for n, order in enumerate((slice(None), slice(None, None, -1))):
        corners = np.array([[0, 0], [0, 0.3], [1.0, 0.8], [1.1, 0]]) + (9.0, 2.0 * n)
        bars = [d.body(f"link{n}{k}", (corners[k] + corners[k + 1]) / 2) for k in range(3)]
        pairs = list(zip([d.ground, *bars], [*bars, d.ground], corners, strict=True))
        for k, (a, b, at) in list(enumerate(pairs))[order]:
            d.hinge(f"L{n}{k}", a, b, at)
        d.model.torque(f"motor{n}", bars[0].frame(d.point(corners[0])), list(d.Q @ (0, 0, 15.0)))
    state = vc.assemble(vc.compile(d.model))
    runs = both(state.system, state, 0.8)
    assert slope(state)[1] == SIDE**2 + 6
    assert difference(*runs) < 1e-9


@pytest.mark.parametrize("method", [vc.DormandPrince(), vc.RK4(step=2e-3)], ids=str)
def test_runs_that_begin_on_the_way_go_on_to_the_last_bit(method, rng):
    system = vc.compile(lattice(rng).model)
    whole = vc.simulate(system, 0.5, outputs=10, integrator=method, checkpoints=[0.25])
    again = vc.simulate(system, 0.5, outputs=whole.t[5:], start=whole.state(5), integrator=method)
    assert whole.t[5] == 0.25 and slope(whole.state(5))[1] > 0
    assert (again.y == whole.y[5:]).all()


def test_what_is_no_net_of_bars_has_no_pins(rng):
    bent, driven, sliding, light = (lattice(rng) for _ in range(4))
    third = bent.body("third", (0.5, -0.5))
    bent.hinge("hold", bent.model.bodies["bar(0, 0)(1, 0)"], third, (0.1, -0.4))
    driven.model.drive("pin(0, 0)0.angle", "0.1*sin(t)")
    block = sliding.body("block", (9.0, 0.0))
    sliding.model.prismatic("rail", sliding.ground, block, at=sliding.point((9.0, 0.0)), axis=sliding.Q @ (1, 0, 0))
    for d in (bent, driven, sliding):
        state = stirred(d.model, rng)
        assert slope(state)[1] == 0
        assert away(state) < 1e-9
    assert slope(stirred(light.model, rng))[1] > 0
