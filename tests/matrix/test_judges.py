"""The judges see planted mistakes, and see none where there are none."""

import warnings
from dataclasses import replace

import more_parts  # noqa: F401  # registers parts
import numpy as np
import pytest
from judges import (
    complaints_of,
    difference,
    friction_outside_its_cone,
    lost_energy,
    missing_momentum,
    open_joints,
    stops_that_give_or_pull,
    unbalanced_bodies,
)
from parts import with_part
from time_stepping import TimeStepper

import vincolo as vc


def ran(mechanism, part):
    """A run of its own: tests change what it says."""
    machine = with_part(mechanism, part)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = vc.simulate(machine.model, machine.until, outputs=40)
    assert not complaints_of(result, 1e-4)
    return result


def test_a_wrong_weight_is_out_of_balance():
    result = ran("four-bar of pins", "spring")
    result.model.gravity[2] *= 1.0001
    assert any("forces out of balance" in text for text in unbalanced_bodies(result))


def test_a_wrong_inertia_is_out_of_balance_and_has_another_energy():
    result = ran("double pendulum", "torque")
    body = result.model.bodies["lower"]
    result.model.bodies["lower"] = replace(body, inertia=1.001 * body.inertia)
    assert any("moments out of balance" in text for text in unbalanced_bodies(result))
    assert any("kinetic energy" in text for text in lost_energy(result))


def test_an_open_joint_is_seen():
    result = ran("four-bar", "bare")
    result.y[20, 0] += 1e-5
    assert any("is open" in text for text in open_joints(result))


@pytest.mark.parametrize(("factor", "words"), [(0.9, "its limit|, limit"), (1.1, "differs from mu N")])
def test_friction_with_another_coefficient_is_seen(factor, words):
    result = ran("stack of blocks", "friction in a planar joint")
    f = result.model.frictions["dry"]
    result.model.frictions["dry"] = replace(f, mu=factor * f.mu, mu_static=factor * f.mu)
    said = " ".join(friction_outside_its_cone(result))
    assert any(word in said for word in words.split("|"))


def test_a_stop_that_is_overrun_or_pulls_is_seen():
    result = ran("pendulum", "plastic stop")
    stop = result.model.stops["end"]
    result.model.stops["end"] = replace(stop, at_most=0.9 * stop.at_most)
    assert any("overrun" in text for text in stops_that_give_or_pull(result))
    result.model.stops["end"] = replace(stop, at_most=None, at_least=stop.at_most - 10)
    assert any("pulls" in text for text in stops_that_give_or_pull(result))


def test_an_impulse_that_is_not_told_is_missed():
    result = ran("pendulum", "stop")
    impact = next(e for e in result.events if e.name == "end.closes")
    assert missing_momentum([impact]) < 1e-9
    assert missing_momentum([replace(impact, impulses={})]) > 1e-2


def test_two_runs_that_differ_are_told_apart():
    a, b = ran("pendulum", "bare"), ran("pendulum", "bare")
    assert difference(a, b)[0] == 0
    b.y[-1, 2] += 1e-3
    assert difference(a, b)[0] > 1e-3


@pytest.mark.parametrize("angle", [0.2, 0.6])
def test_the_time_stepper_holds_and_slides_a_block_on_a_slope(angle):
    """mu = 0.3: it stays below atan(0.3) = 0.291, and slides with g (sin - mu cos) above."""
    g = 9.81
    m = vc.Model("slope", gravity=(g * np.sin(angle), 0, -g * np.cos(angle)))
    block = m.body("block", 2.0, 0.1)
    m.planar("plane", m.ground, block, at=(0, 0, 0), axis="z")
    m.friction("dry", "plane", 0.3)
    motion = TimeStepper(m).run(0.2, 1e-3, every=50)
    acceleration = max(0.0, g * (np.sin(angle) - 0.3 * np.cos(angle)))
    assert motion["block.x"][-1] == pytest.approx(0.5 * acceleration * 0.2**2, abs=1e-3 * acceleration + 1e-9)
    pull = 2 * g * min(np.sin(angle), 0.3 * np.cos(angle))
    assert motion["dry.force"][1:-1] == pytest.approx(pull, rel=1e-6)
