"""Random mechanisms at their start and on their way: every formulation finds the accelerations the kernel finds."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from families import FAMILIES, drawn
from flats import FLATS
from sketch import Scale

import vincolo as vc
from dense import kernel_rows
from formulations import EVERY, EXACT, LAGRANGE
from vincolo.errors import ModelError, VincoloError

USUAL = [family for family in FAMILIES if family not in FLATS]
SEEDS = range(2)
PLACES = (0, 3, 5)
MOST = 8  # bodies: dense matrices, some decomposed by Python
MASSLESS = ("needles", "points")  # bodies without inertia about an axis, or nearly


@cache
def states(family: str, seed: int) -> tuple[vc.State, ...]:
    """Three states of a mechanism of 1 m and 1 kg: of its start, and of a short motion."""
    s = drawn(family, seed, scale=Scale())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = vc.simulate(s.model, 0.2 * s.scale.time, outputs=5)
    return tuple(result.state(k) for k in PLACES)


@cache
def samples() -> list[vc.State]:
    found = []
    for family in USUAL:
        for seed in SEEDS:
            try:
                found += [state for state in states(family, seed) if len(state.system.centred) <= MOST]
            except VincoloError:
                assert family in MASSLESS  # refused: a spin that nothing determines
    return found


def independent(state: vc.State) -> bool:
    J = kernel_rows(state)["J"]
    return not J.size or int(np.linalg.matrix_rank(J, tol=1e-7)) == len(J)


def can(formulation: vc.solvers.Formulation, state: vc.State) -> bool:
    """Whether a formulation takes a system at all: natural coordinates know few measures, some need full masses."""
    try:
        formulation.check_system(state.system)
    except ModelError:
        return False
    return True


@pytest.mark.parametrize("name", [*EXACT, *LAGRANGE])
def test_every_formulation_finds_the_same_accelerations(name):
    formulation, met = EVERY[name], 0
    for state in samples()[::4 if name.startswith("own") else 1]:  # that one is slow
        if not can(formulation, state) or (name in LAGRANGE and not independent(state)):
            continue
        own = state.solve().acceleration
        found = state.solve(formulation).acceleration
        assert found == pytest.approx(own, abs=1e-6 * max(1.0, np.abs(own).max())), state.system.name
        met += 1
    assert met >= 10
