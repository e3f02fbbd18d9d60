"""Random mechanisms end right, or are refused with a part named; few are stopped early, none is wrong."""

from __future__ import annotations

import os

import pytest
from attack import causes, judged, table
from families import FAMILIES, drawn, sequence
from judge import LIMITS, judge

import vincolo as vc

STOPPED = 0.02  # at most, of all
#: known to be wrong, with the reason; among the 300 only
KNOWN = {"aligned_crank:0": "1e-4 of the energy is lost where a spring draws it slowly through its second freedom"}
#: once wrong or refused in vain: the work of drives, thin axes, rows next to dependence, rounding instead of rest
FOUND = ["chain:1672", "chain:1687", "needles:1043", "needles:1050", "needles:1174", "needles:1585",
         "near_flat:1261", "near_flat:1271", "change_point:1048", "structure:1005", "structure:1122", "structure:1211"]
PROCESSES = min(2, os.cpu_count() or 1)


def check(count: int, seed: int, known: frozenset[str] = frozenset()) -> None:
    """Runs mechanisms and holds their verdicts against the promise."""
    verdicts = list(judged(sequence(count, seed), PROCESSES))
    told = "\n".join([table(verdicts), *(causes(verdicts, kind) for kind in ("wrong", "unnamed", "stopped"))])
    assert len(verdicts) == count
    assert not any(v.kind in ("wrong", "unnamed") for v in verdicts if v.place not in known), told
    assert not [v.place for v in verdicts if v.needless], causes(verdicts, "refused")
    assert sum(v.kind == "stopped" for v in verdicts) <= STOPPED * count, told


def test_a_hundred_random_mechanisms_are_right_or_refused():
    check(100, 0, frozenset(KNOWN))


@pytest.mark.slow
def test_three_hundred_random_mechanisms_are_right_or_refused():
    check(300, 0, frozenset(KNOWN))


@pytest.mark.slow
def test_ten_thousand_random_mechanisms_are_right_or_refused():
    check(10_000, 100_000)


@pytest.mark.parametrize("family", ["structure", "beam"])
def test_nothing_is_warned_of_where_nothing_is_wrong(family):
    """Bodies that stand still have an energy in motion of rounding only; that is no reason to doubt them."""
    verdicts = [judge(family, seed) for seed in range(15)]
    assert not [v.place for v in verdicts if v.alarmed]


@pytest.mark.parametrize("place", FOUND)
def test_what_was_found_stays_mended(place):
    family, seed = place.split(":")
    verdict = judge(family, int(seed))
    assert verdict.kind == "right", verdict.why


@pytest.mark.parametrize("seed", range(12))
def test_what_cannot_move_starts_at_rest(seed):
    """Velocities asked for in vain leave exactly nothing: their rounding would be judged as if it were a motion."""
    s = drawn("structure", seed)
    state = vc.assemble(vc.compile(s.model), s.given)
    assert not state.y[:13 * len(s.bodies)].reshape(-1, 13)[:, 7:].any()


def test_every_family_comes_by_its_share():
    cases = sequence(300)
    assert {family for family, _ in cases} == set(FAMILIES)
    assert len(set(cases)) == 300


@pytest.mark.parametrize("family", FAMILIES)
def test_a_mechanism_is_the_same_for_the_same_seed(family):
    first, second = drawn(family, 3), drawn(family, 3)
    assert repr(first.model.bodies) == repr(second.model.bodies)
    for a, b in zip(first.bodies, second.bodies, strict=True):
        assert (a.mass, a.at.tolist(), a.inertia.tolist()) == (b.mass, b.at.tolist(), b.inertia.tolist())


@pytest.mark.parametrize("fault", ["open", "energy", "force", "acceleration"])
def test_the_judge_sees_a_planted_fault(fault, monkeypatch):
    """A pendulum's run is falsified by 1e-3 in one place; the judge must say wrong, and name that place."""
    import judge as court

    simulated = court.run

    def falsified(s, verdict):
        result = simulated(s, verdict)
        if fault == "open":
            result.y[10, 0] += 1e-3 * s.scale.length
        elif fault == "energy":
            result.y[10:, 7:13] *= 1.001
        elif fault == "force":
            result.channels.observed["wrench"][:] *= 1.001
        else:
            result.channels.observed["acceleration"][:] *= 1.001
        return result

    assert judge("four_bar", 0).kind == "right"
    monkeypatch.setattr(court, "run", falsified)
    verdict = judge("four_bar", 0)
    expected = {"open": "open", "energy": "energy lost", "force": "force unbalanced",
                "acceleration": "acceleration against rows"}[fault]
    assert verdict.kind == "wrong" and verdict.silent
    assert verdict.numbers[expected] > LIMITS[expected]
