"""The combination matrix: every pair of mechanism, part, way of running and unit system occurs in a case, and every
case is correct, refused by a stated rule, or ended early for a true reason."""

import pytest
from analyses import Case, linearized_at_rest, linearized_in_motion
from cases import AXES, all_cases, fast_cases, pair_count
from cover import covered
from machines import MECHANISMS
from outcomes import outcome_of, refused
from parts import PARTS, fits, with_part

import vincolo as vc


def label(case):
    return ", ".join(case)


def test_every_pair_of_values_is_covered():
    assert len(covered(all_cases())) == pair_count()


def test_every_value_is_in_the_fast_suite():
    for k, values in enumerate(AXES.values()):
        assert {case[k] for case in fast_cases()} == set(values)


@pytest.mark.parametrize("case", fast_cases(), ids=label)
def test_a_combination(case):
    outcome = outcome_of(*case)
    assert outcome.accepted, f"{outcome.kind}: {outcome.why}"


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in all_cases() if case not in set(fast_cases())], ids=label)
def test_any_combination(case):
    outcome = outcome_of(*case)
    assert outcome.accepted, f"{outcome.kind}: {outcome.why}"


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_linearisation_agrees_with_differences(mechanism):
    """At moments of the run, and at rest where the mechanism has one, with every part."""
    said = []
    for part in (name for name in PARTS if not fits(mechanism, name)):
        case = Case(with_part(mechanism, part), mechanism, part)
        try:
            complaints = linearized_in_motion(case) or linearized_at_rest(case)
        except vc.VincoloError as error:
            outcome = refused(case, "linearize", str(error))
            complaints = [] if outcome.accepted or "statics():" in str(error) else [outcome.why]
        said += [f"{part}: {text}" for text in complaints]
    assert not said, "\n".join(said)
