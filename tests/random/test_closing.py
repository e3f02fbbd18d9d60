"""Random mechanisms pulled apart: the kernel closes them where a dense solution of the same equations does, and gives
up where that gives up."""

from __future__ import annotations

import numpy as np
import pytest
from families import FAMILIES, drawn
from flats import FLATS
from sketch import Scale

import dense_closing
import vincolo as vc
from example_models import built
from mechanisms import moved_state
from vincolo.analyses.closing import Aim, Given, close, close_velocities, values_of
from vincolo.errors import VincoloError
from vincolo.layout import MOTION, by_body

EXAMPLES = ("andrews_squeezer", "bricard", "car", "five_bar", "flyball_governor", "mcpherson", "n_four_bar",
            "parallel_robot", "slider_crank", "spatial_double_pendulum")
SEEDS = 8
SAME = 1e-9  # m and rad
PULLED = 0.05  # rad, and share of the size


def coordinates(system: vc.System) -> list[str]:
    return [m.name for joint in system.joints.values() for m in joint.coordinates.values()]


def asked(state: vc.State, rng: np.random.Generator) -> Given:
    """One coordinate a little away from where it is, or nothing where there is none."""
    names = coordinates(state.system)
    if not names:
        return Given()
    number = state.system.quantities[names[int(rng.integers(len(names)))]]
    there = values_of(state, Given([number], np.zeros(1))).residual
    return Given([number], there + rng.uniform(-0.1, 0.1), ["asked for"])


def assert_closed_alike(system: vc.System, rng: np.random.Generator, singular: bool = False) -> None:
    """From the drawn position pulled apart: without anything asked for, with a value, with a body kept, and with the
    drives released. Near singular positions a gap within the tolerance says little about where bodies are."""
    start = moved_state(system.drawn, rng, PULLED)
    kept = (int(rng.integers(len(system.centred))),)
    for aim in (Aim(), Aim(asked(start, rng)), Aim(kept=kept), Aim(drives=False)):
        found, (state, history) = close(start, aim), dense_closing.close(start, aim)
        closed = not history or history[-1] <= 1e-9
        assert found.closed == closed
        if closed and len(history) < 30 and not singular:  # long ways are not the same way twice
            size = max(1.0, float(np.abs(state.y).max()))
            assert np.abs(found.state.y - state.y).max() <= SAME * size
            assert found.state.turns == pytest.approx(state.turns, abs=SAME * size)


def assert_velocities_alike(system: vc.System, rng: np.random.Generator) -> None:
    """Bodies that move at random, held by all rows."""
    state = close(system.drawn, Aim()).state
    y, n = state.y.copy(), len(system.centred)
    by_body(y, n)[:, MOTION] += rng.normal(size=(n, 6))
    pushed = state.with_vector(y)
    found, left = close_velocities(pushed, Given())
    expected = dense_closing.close_velocities(pushed, Given())
    scale = max(1.0, float(np.abs(pushed.y).max()))
    if np.abs(left).max(initial=0.0) <= 1e-9 * scale and not system.light_bodies:
        assert np.abs(found.y - expected.y).max() <= SAME * scale


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_close_as_a_dense_solution_does(name):
    system, rng = vc.compile(built(name)), np.random.default_rng(4)
    assert_closed_alike(system, rng)
    assert_velocities_alike(system, rng)


@pytest.mark.parametrize("family", FAMILIES)
def test_random_mechanisms_close_as_a_dense_solution_does(family):
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        try:
            system = vc.compile(drawn(family, seed, scale=Scale()).model)
        except VincoloError:
            continue
        if len(system.centred) > 12:
            continue
        assert_closed_alike(system, rng, family in FLATS)
        if family not in FLATS:  # where rows nearly depend on each other, damping decides
            assert_velocities_alike(system, rng)
