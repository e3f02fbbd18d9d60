"""The combination matrix: every pair of mechanism, part, way of running and unit system occurs in a case, and every
case is correct, refused by a stated rule, or ended early for a true reason."""

import numpy as np
import pytest
from analyses import Case, linearized_at_rest, linearized_in_motion
from cases import AXES, all_cases, fast_cases, pair_count
from cover import covered
from machines import MECHANISMS
from outcomes import outcome_of, refused
from parts import PARTS, fits, with_part
from ways import started

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


@pytest.mark.parametrize("mechanism", ["four-bar", "four-bar of pins"])
@pytest.mark.parametrize("stay", [False, True])
def test_a_pin_with_elastic_play_comes_to_rest(mechanism, stay):
    """The narrow, bent valley of a stiff contact takes some hundred steps; the rest is where a damped motion ends."""
    case = Case(with_part(mechanism, "elastic clearance"), mechanism, "elastic clearance")
    system, start = started(case.machine)
    rest = vc.statics(system, start=start, stay=stay)
    assert rest.stable
    assert rest.residual < 1e-9 * case.machine.force


@pytest.mark.parametrize("part", ["stop on a point", "friction on a stop"])
def test_a_motor_that_turns_a_crank_has_no_rest_with_stops_out_of_its_way(part):
    """By dense search: over a turn in slow motion the motor never balances the weights, and the stop stays open."""
    case = Case(with_part("torque-driven slider-crank", part), "torque-driven slider-crank", part)
    turned = case.machine.model.copy()
    turned.drive("O.angle", "2*pi*1e-5*t", name="slow")
    for name, stop in list(turned.stops.items()):
        turned.measure(f"gap {name}", stop.measure)
        turned.remove(name)
    result = vc.kinematics(turned, 1e5, outputs=721)
    assert np.ptp(np.sign(result["slow.force"])) == 0
    moving = [name for name in case.machine.model.stops if name != "table"]  # on which a loose body rests
    assert all(result[f"gap {name}"].min() > case.machine.model.stops[name].at_least for name in moving)
    system, start = started(case.machine)
    with pytest.raises(vc.SimulationError, match="no equilibrium was found"):
        vc.statics(system, start=start)
