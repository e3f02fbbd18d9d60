"""Events while time stepping crosses a place where friction has no accelerations: none is lost, whether it comes at a
given time, by a guard, or at the end of the run."""

import sys
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc

sys.path.append(str(Path(__file__).resolve().parent.parent / "random"))
from test_decided_mechanisms import random_mechanism  # noqa: E402

SEED = 20  # a mechanism that locks itself for some milliseconds
UNTIL = 0.5


@pytest.fixture(scope="module")
def middle():
    """A time in the midst of the steps across."""
    system = vc.compile(random_mechanism(SEED, harsh=True))
    ends = [vc.simulate(system, t, outputs=5).statistics["crossing_steps"] for t in (0.398, 0.400, 0.402)]
    assert ends[0] + 10 < ends[1] < ends[2] - 10
    return 0.400


def with_event(**event):
    m = random_mechanism(SEED, harsh=True)
    m.variable("seen", 0.0)
    m.event("mark", **event)
    return m


def marks(result):
    return [e.t for e in result.events if e.name == "mark"]


def test_an_event_at_a_given_time_happens(middle):
    result = vc.simulate(with_event(at=middle, set={"seen": "seen + 1"}), UNTIL, outputs=5)
    assert result.complete and marks(result) == [pytest.approx(middle)]
    assert result["seen"][-1] == 1.0


def test_an_event_at_the_end_happens_in_the_run_and_only_there(middle):
    m = with_event(at=middle, set={"seen": "seen + 1"})
    first = vc.simulate(m, middle, outputs=5)
    assert first.complete and marks(first) == [pytest.approx(middle)]
    assert first["seen"].tolist() == [0, 0, 0, 0, 0, 1]
    second = vc.simulate(first.system, UNTIL, start=first.state(), outputs=5)
    assert second.complete and not marks(second)
    assert second["seen"].tolist() == [1.0] * 6


def test_an_event_by_a_guard_happens(middle):
    """A guard of the motion: the position of a body that it passes there."""
    plain = vc.simulate(random_mechanism(SEED, harsh=True), UNTIL, outputs=np.array([0, middle, UNTIL]))
    names = [f"{body}.{axis}" for body in plain.system.body_numbers for axis in "xyz"]
    name = max(names, key=lambda n: abs(plain[n.replace(".", ".v")][1]))
    there = float(plain[name][1])
    result = vc.simulate(with_event(when=f"{name} - ({there!r})", set={"seen": "seen + 1"}), UNTIL, outputs=5)
    assert result.complete and any(abs(t - middle) < 1e-4 for t in marks(result))


def test_an_event_that_stops_the_run_stops_it_there(middle):
    result = vc.simulate(with_event(at=middle, stop=True), UNTIL, outputs=5)
    assert result.t[-1] == pytest.approx(middle) and marks(result) == [pytest.approx(middle)]


@pytest.mark.parametrize("pieces", [2, 7])
def test_a_run_in_pieces_ends_like_the_run_in_one(middle, pieces):
    whole = vc.simulate(random_mechanism(SEED, harsh=True), UNTIL, outputs=5)
    state, system = whole.state(0), whole.system
    for end in [*np.linspace(middle - 1e-3, middle + 1e-3, pieces), UNTIL]:
        part = vc.simulate(system, float(end), start=state, outputs=3)
        assert part.complete
        state = part.state()
    assert np.abs(state.y - whole.y[-1])[:13 * len(system.centred)].max() < 0.05


def test_steps_across_count_towards_the_limit_of_steps():
    system = vc.compile(random_mechanism(SEED, harsh=True))
    whole = vc.simulate(system, UNTIL, outputs=5).statistics
    most = whole["steps"] + whole["rejected"] + whole["crossing_steps"] - 1
    with pytest.warns(vc.errors.SimulationWarning, match="max_steps"):
        result = vc.simulate(system, UNTIL, outputs=5, max_steps=most)
    assert not result.complete and "max_steps" in result.reason
    assert sum(result.statistics[name] for name in ("steps", "rejected", "crossing_steps")) == most
