"""What inverse dynamics cannot do is said, with names and a way out."""

from __future__ import annotations

import numpy as np
import pytest

import vincolo as vc


def arm() -> vc.Model:
    m = vc.Model("arm")
    one, two = m.body("one", 1.0, 0.1, (0.5, 0, 0)), m.body("two", 2.0, 0.1, (1.5, 0, 0))
    m.revolute("A", m.ground, one, at=(0, 0, 0), axis="y")
    m.revolute("B", one, two, at=(1, 0, 0), axis="y")
    return m


BOTH = {"A.angle": 0.1, "B.angle": 0.2}


@pytest.mark.parametrize(("motion", "words"), [
    (({"A.angle": 0.1},), r"positions of 'B.angle' are missing"),
    (({**BOTH, "C.angle": 0.0},), r"no coordinate called 'C.angle'.*Did you mean"),
    (({**BOTH, "A.angle": np.nan},), r"position of 'A.angle' is nan; give a finite number"),
    (({**BOTH, "A.angle": "much"},), r"position of 'A.angle' is 'much'; give a finite number"),
    ((BOTH, {"D.angle": 1.0}), r"rates has 'D.angle', which has no position"),
    ((BOTH, {}, {"A.angel": 1.0}), r"accelerations has 'A.angel', which has no position.*Did you mean 'A.angle'"),
    (({"A.angle": [0, 1, 2], "B.angle": [0, 1]},), r"not of one length: A.angle 3, B.angle 2, times 1"),
])
def test_motion_that_does_not_fit(motion: tuple, words: str) -> None:
    with pytest.raises(vc.ModelError, match=f"(?s)inverse_dynamics\\(\\): .*{words}"):
        vc.inverse_dynamics(arm(), *motion)


def test_loops_are_sent_to_kinematics() -> None:
    m = arm()
    m.spherical("C", m.ground, m.bodies["two"], at=(2, 0, 0))
    with pytest.raises(vc.ModelError, match=r"(?s)do not form a tree.*use kinematics"):
        vc.inverse_dynamics(m, BOTH)


def test_balls_and_free_bodies_are_sent_to_kinematics() -> None:
    m = arm()
    m.body("loose", 1.0, 0.1, (5, 0, 0))
    with pytest.raises(vc.ModelError, match=r"(?s)move freely, or on ball or cross joints.*use kinematics"):
        vc.inverse_dynamics(m, BOTH)


def test_a_coordinate_that_is_driven_is_not_given_twice() -> None:
    m = arm()
    m.drive("B.angle", "t")
    with pytest.raises(vc.ModelError, match=r"(?s)'B.angle' is not the coord.*driven already.*Coordinates: A.angle"):
        vc.inverse_dynamics(m, BOTH)


def test_switches_are_refused() -> None:
    m = arm()
    m.switch("B", False, at=1.0)
    with pytest.raises(vc.ModelError, match=r"(?s)'B' is switched.*kinematics"):
        vc.inverse_dynamics(m, BOTH)


def test_a_start_of_another_system_is_refused() -> None:
    with pytest.raises(vc.ModelError, match="start is not a state of this system"):
        vc.inverse_dynamics(arm(), BOTH, start=vc.assemble(arm()))


def test_no_samples_give_no_forces() -> None:
    found = vc.inverse_dynamics(arm(), {"A.angle": [], "B.angle": 0.1}, times=[])
    assert {name: force.shape for name, force in found.items()} == {"A.angle": (0,), "B.angle": (0,)}
