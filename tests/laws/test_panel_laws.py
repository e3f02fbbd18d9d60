"""Large nets are eliminated in dense panels: accelerations are those of whole matrices, rows may come and go, and small
mechanisms have no panels."""

import numpy as np
import pytest
from test_hub_laws import stirred, whole

import vincolo as vc
from networks import G, bar, grid, ladder

COUNT = 98  # bars: a square of seven by seven


def net(rng, count: int, ratio: float = 1.0) -> vc.Model:
    """Bars one behind the other in rows, in ball joints, and rods between the rows: blocks of three rows and of one."""
    model = vc.Model("net", gravity=G)
    side = round(count**0.5)
    above = [model.ground] * side
    for i in range(side):
        last, row = model.ground, []
        for j in range(side):
            at = np.array([j, -i, 0.1 * i * j]) + rng.uniform(-0.1, 0.1, 3)
            mass = ratio if (i + j) % 3 == 0 else rng.uniform(0.5, 2)
            body = bar(model, f"bar{i}_{j}", at, at + (0.6, 0.1, 0.2), mass)
            model.spherical(f"ball{i}_{j}", last, body, at=at)
            for n, drop in enumerate(rng.uniform(0.1, 0.5, 2)):
                model.distance(f"rod{i}_{j}_{n}", above[j].frame(at + (0, 1, drop)), body.frame(at + (0.3 * n, 0, 0)))
            last = body
            row.append(body)
        above = row
    return model


def hung(rng, count: int, ratio: float = 1.0) -> vc.Model:
    """The grid with a pendulum on a bar: with hinges in three points of it this is no net of pins and bars."""
    model = grid(rng, count, ratio)
    at = (0.1, -0.5, 0)
    model.revolute("hang", "bar(0, 0)(1, 0)", bar(model, "hung", at, (0.2, -0.9, 0)), at=at, axis="z")
    return model


NETS = {"grid": (grid, COUNT), "hung": (hung, COUNT), "net": (net, 64)}


def slope(state):
    """Accelerations as a run finds them, and the number of panels."""
    dy, _, panels, *_ = state.system.kernel.slope(state.t, state.y.tolist(), state.turns.tolist())
    return np.concatenate([dy[13 * k + 7: 13 * k + 13] for k in range(len(state.system.centred))]), panels


@pytest.mark.parametrize("ratio", [0.1, 10.0])
@pytest.mark.parametrize("name", NETS)
def test_accelerations_are_those_of_whole_matrices(name, ratio, rng):
    """Masses further apart cost digits, with panels as without: refined they come back."""
    family, count = NETS[name]
    state = stirred(family(rng, count, ratio), rng)
    acceleration, _ = whole(state.equations())
    found, panels = slope(state)
    assert panels > 3
    assert found == pytest.approx(acceleration, abs=1e-9 * np.abs(acceleration).max())
    assert state.solve().acceleration.ravel() == pytest.approx(acceleration, abs=1e-11 * np.abs(acceleration).max())


def test_small_and_narrow_mechanisms_have_no_panels(rng):
    assert slope(stirred(grid(rng, 18), rng))[1] == 0
    assert slope(stirred(ladder(rng, 60), rng))[1] == 0


def test_rows_come_and_go_in_a_run(rng):
    """Behind an event that opens a joint the run goes on as one that begins there."""
    model = grid(rng, COUNT)
    model.event("open", at=0.1, switch_off=list(vc.compile(model).joints)[COUNT // 2])
    tight = vc.integrators.DOP853(rtol=1e-9, atol=1e-9)
    whole_run = vc.simulate(model, 0.3, outputs=31, integrator=tight)
    between = whole_run.state(15)
    assert slope(between)[1] > 3
    rest = vc.simulate(whole_run.system, 0.3, outputs=[0.3], start=between, integrator=tight)
    assert rest.state().y == pytest.approx(whole_run.state().y, abs=1e-6)
