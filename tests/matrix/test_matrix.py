"""The combination matrix: every pair of mechanism, part, way of running and unit system occurs in a case, and every
case is correct, refused by a stated rule, or ended early for a true reason."""

import pytest
from analyses import Case, linearized_at_rest, linearized_in_motion
from cases import AXES, all_cases, fast_cases, pair_count
from cover import covered
from machines import MECHANISMS
from open_defects import OPEN
from outcomes import outcome_of, refused
from parts import PARTS, fits, with_part

import vincolo as vc


def label(case):
    return ", ".join(case)


def marked(cases):
    """Cases as parameters; those with an open defect must fail."""
    must_fail = {key: pytest.mark.xfail(strict=True, reason=reason) for key, reason in OPEN.items()}
    return [pytest.param(case, marks=must_fail[case[:3]]) if case[:3] in must_fail else case for case in cases]


def test_open_defects_are_cases():
    assert set(OPEN) <= {case[:3] for case in all_cases()}


def test_every_pair_of_values_is_covered():
    assert len(covered(all_cases())) == pair_count()


def test_every_value_is_in_the_fast_suite():
    for k, values in enumerate(AXES.values()):
        assert {case[k] for case in fast_cases()} == set(values)


@pytest.mark.parametrize("case", marked(fast_cases()), ids=label)
def test_a_combination(case):
    outcome = outcome_of(*case)
    assert outcome.accepted, f"{outcome.kind}: {outcome.why}"


@pytest.mark.slow
@pytest.mark.parametrize("case", marked(case for case in all_cases() if case not in set(fast_cases())), ids=label)
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
