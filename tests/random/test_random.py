"""Random mechanisms end right, or are refused with a part named; few are stopped early, none is wrong."""

from __future__ import annotations

import os

import numpy as np
import pytest
from attack import causes, judged, table
from confirm import cause
from families import FAMILIES, drawn, sequence
from judge import LIMITS, judge
from sketch import Scale

import vincolo as vc
from balance import angular
from dense import kernel_rows

STOPPED = 0.02  # at most, of all
#: once wrong or refused in vain: the work of drives, thin axes, rows next to dependence, rounding instead of rest
FOUND = ["chain:1672", "chain:1687", "needles:1043", "needles:1050", "needles:1174", "needles:1585",
         "near_flat:1261", "near_flat:1271", "change_point:1048", "structure:1005", "structure:1122", "structure:1211",
         "needles:1213", "needles:100428", "needles:100727", "structure:1061", "structure:100019", "structure:100209",
         "aligned_crank:0", "flat:1029", "change_point:100165", "near_flat:1049"]
#: energy changed without work where these pass singular configurations, or turn bodies without inertia
STRUCK = ["needles:1146", "near_flat:1071", "near_flat:1123", "near_flat:100138", "near_flat:100237",
          "change_point:1055", "change_point:1099", "change_point:100129"]
PROCESSES = min(2, os.cpu_count() or 1)


def check(count: int, seed: int) -> None:
    """Runs mechanisms and holds their verdicts against the promise."""
    verdicts = list(judged(sequence(count, seed), PROCESSES))
    told = "\n".join([table(verdicts), *(causes(verdicts, kind) for kind in ("wrong", "unnamed", "stopped"))])
    assert len(verdicts) == count
    assert not any(v.kind in ("wrong", "unnamed") for v in verdicts), told
    assert not [v.place for v in verdicts if v.needless], causes(verdicts, "refused")
    assert sum(v.kind == "stopped" for v in verdicts) <= STOPPED * count, told
    alone = [v.place for v in verdicts if v.kind == "stopped" and not v.confirmed]
    assert not alone, f"brute force gets past the ends of {alone}"


def test_a_hundred_random_mechanisms_are_right_or_refused():
    check(100, 0)


@pytest.mark.slow
def test_three_hundred_random_mechanisms_are_right_or_refused():
    check(300, 0)


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


@pytest.mark.parametrize("place", STRUCK)
def test_energy_does_not_change_without_work_unseen(place):
    """A run ends where it happens, with the reason; or it does not happen."""
    family, seed = place.split(":")
    verdict = judge(family, int(seed))
    assert verdict.kind in ("right", "stopped"), verdict.why


@pytest.mark.parametrize(("place", "expected"), [
    ("four_bar:1081", "drive"), ("four_bar:1190", "drive"), ("needles:1005", "no inertia"),
    ("needles:1099", "no inertia"), ("spatial_loop:1119", "no direction"), ("change_point:1006", "singular"),
    ("chain:1080", "fast")])
def test_what_ends_a_run_is_found_without_it(place, expected):
    family, seed = place.split(":")
    assert cause(drawn(family, int(seed))) == expected


@pytest.mark.parametrize("place", ["needles:1005", "needles:1009", "needles:1195"])
def test_a_body_that_would_spin_without_bound_is_named(place):
    family, seed = place.split(":")
    verdict = judge(family, int(seed))
    bodies = drawn(family, int(seed)).bodies
    thin = [b.name for b in bodies if np.linalg.eigvalsh(b.inertia)[0] <= 1e-14 * b.inertia.max()]
    assert any(f"body '{name}' would have to spin without bound" in verdict.why for name in thin), verdict.why


@pytest.mark.parametrize("family", ["four_bar", "needles", "chain"])
def test_nothing_ends_a_run_that_is_complete(family):
    assert cause(drawn(family, 0)) == ""


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("length", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("seed", [1074, 100428, 100727])
def test_thin_bodies_and_such_without_inertia_keep_their_rows_at_any_scale(seed, length, mass):
    """What is lent to axes without inertia must not be so little that digits of the rows are lost."""
    s = drawn("needles", seed, scale=Scale(length, mass))
    state = vc.assemble(vc.compile(s.model), s.given)
    rows, u = kernel_rows(state), state.channels.observed["acceleration"][0]
    size = max(np.abs(u[:, :3]).max(), length * np.abs(u[:, 3:]).max(), s.scale.acceleration)
    error = np.abs(rows["J"] @ u.ravel() - rows["gamma"]) * np.where(angular(state.system), length, 1.0)
    assert error.max() < 1e-9 * size


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
