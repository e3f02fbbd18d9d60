"""The combination matrix: every pair of mechanism, part, way of running and unit system occurs in a case, and every
case is correct, refused by a stated rule, or ended early for a true reason."""

import pytest
from cases import AXES, all_cases, fast_cases, pair_count
from cover import covered
from outcomes import outcome_of


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
