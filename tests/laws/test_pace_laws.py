"""A run whose end is out of reach ends within seconds and names what is to blame; one that gets on is never cut."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest

import vincolo as vc
from vincolo.analyses.pace import Pace

SPAN = 1000.0


@dataclass
class Record:
    """A run as the pace sees it."""

    time: float
    steps: int

    def statistics(self) -> dict[str, int]:
        return {"steps": self.steps, "rejected": 0, "crossing_steps": 0}


def cut(time_after: Callable[[float], float], cost: float, seconds: float = 3600.0) -> float | None:
    """After how much CPU time a run is ended that has come so far after a number of steps, at a cost for each [s]."""
    pace, clock = Pace(0.0, SPAN), 0.0
    while clock < seconds:
        clock += 0.1 if clock < 60 else 10.0
        t = time_after(clock / cost)
        if t >= SPAN:
            return None
        if pace.look(Record(t, int(clock / cost)), clock):
            return clock
    return None


STEADY = {
    "large model, 0.3 s a step, an hour and more": (lambda n: n * 1e-3, 0.3),
    "a million steps": (lambda n: n * 1e-3, 2e-3),
    "fifty million steps": (lambda n: n * 2e-5, 2e-6),
    "tiny steps for five seconds, then large ones": (lambda n: n * 1e-7 + max(0.0, n - 2.5e6) * 1e-2, 2e-6),
    "a rotor that speeds up steadily": (lambda n: math.sqrt(n) * 0.1, 2e-6),
    "a sweep over three decades": (lambda n: 0.1 * SPAN * math.log1p(n / 1e3), 2e-6),
    "tiny steps in between": (lambda n: n * 1e-2 if n < 1e4 else 100 + n * 1e-9 + max(0.0, n - 7e5) * 1e-2, 2e-6)}
HOPELESS = {
    "stands still": (lambda n: 1.0, 2e-6, 10),
    "steps of 1e-12 of the span": (lambda n: n * 1e-9, 2e-6, 10),
    "steps of 1e-9 of the span": (lambda n: n * 1e-6, 2e-6, 10),
    "speeds up exponentially": (lambda n: 0.2 * math.log1p(n), 2e-6, 10),
    "comes to a halt": (lambda n: 5 * n / (n + 1e3), 2e-6, 15)}


@pytest.mark.parametrize("name", STEADY)
def test_a_run_that_gets_on_is_not_cut(name: str) -> None:
    assert cut(*STEADY[name]) is None


@pytest.mark.parametrize("name", HOPELESS)
def test_a_run_without_hope_is_cut_within_seconds(name: str) -> None:
    after, cost, limit = HOPELESS[name]
    ended = cut(after, cost)
    assert ended is not None
    assert ended < limit


def wheel(k: float, c: float) -> vc.Model:
    """A wheel with a spring and a damper about its axis."""
    m = vc.Model("wheel", gravity=(0, 0, 0))
    b = m.body("b", 1.0, 0.1, angular_velocity=(0, 0.1, 0))
    m.revolute("O", m.ground, b, at=(0, 0, 0), axis="y")
    m.spring("brake", "O.angle", k=k, c=c)
    return m


@pytest.mark.parametrize("integrator", [vc.Auto(), vc.Radau(), vc.BDF()], ids=str)
def test_a_negative_damper_is_named(integrator: vc.Integrator) -> None:
    begun = time.process_time()
    with pytest.warns(vc.SimulationWarning, match="brake"):
        result = vc.simulate(wheel(1e-3, -0.5), 100.0, integrator=integrator)
    assert not result.complete
    assert time.process_time() - begun < 20
    assert result["b.wy"][-1] == pytest.approx(0.1 * math.exp(5 * result.t[-1]), rel=1e-2)  # what was computed stays
    assert "feeds" in result.reason or "went to zero" in result.reason


def test_a_user_who_limits_the_steps_is_obeyed() -> None:
    with pytest.warns(vc.SimulationWarning, match="max_steps"):
        result = vc.simulate(wheel(1e18, 0.0), 100.0, max_steps=300_000)
    assert result.statistics["steps"] + result.statistics["rejected"] == 300_000


@pytest.mark.slow
@pytest.mark.parametrize("integrator", [vc.Auto(), vc.DOP853(), vc.Radau(), vc.BDF()], ids=str)
def test_a_spring_stiffer_than_can_be_followed_is_named(integrator: vc.Integrator) -> None:
    begun = time.process_time()
    with pytest.warns(vc.SimulationWarning, match="force 'brake' changes most"):
        result = vc.simulate(wheel(1e18, 0.0), 1.0, integrator=integrator)
    assert not result.complete
    assert time.process_time() - begun < 20
