"""Variants that hang are ended with a reason, whoever works on them, and the others are not touched."""

import sys
import time

import numpy as np
import pytest

import vincolo as vc
from vincolo.studies import limits

LIMIT = 0.6  # s: on a busy machine a process may have to wait for a part of that
WAYS = [{"how": "serial"}, {"how": "threads", "workers": 2}, {"how": "processes", "workers": 2}]


@pytest.fixture(autouse=True)
def short_grace(monkeypatch):
    monkeypatch.setattr(limits, "GRACE", 0.3)
    monkeypatch.setattr("vincolo.studies.crews.GRACE", 0.3)


def hangs(x: float) -> float:
    """Two variants of forty hang: one computes, and catches what interrupts it once; one waits."""
    if x == 7:
        try:
            while True:
                pass
        except Exception:
            while True:
                pass
    if x == 20:
        time.sleep(5)
    return 2 * x


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w["how"])
def test_variants_that_hang_are_ended_with_a_reason(way, tmp_path):
    found = vc.study(hangs, {"x": list(range(40))}, "y", limit=LIMIT, folder=tmp_path, **way)
    assert sorted(found.failures) == [7, 20] and found.complete
    assert all(text.startswith("it took more than 0.6 s, the limit of a variant") for text in found.failures.values())
    assert ("left behind in its thread" in found.failures[20]) == (way["how"] != "processes")  # signals end its sleep
    others = np.delete(np.arange(40.0), [7, 20])
    assert np.array_equal(found["y"][others.astype(int)], 2 * others) and np.isnan(found["y"][[7, 20]]).all()
    assert vc.study(hangs, {"x": list(range(40))}, "y", folder=tmp_path).failures == found.failures  # kept


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copies of this one on Linux only")
def test_a_library_that_keeps_the_interpreter_is_ended_with_its_process():
    def stuck(x: float) -> float:
        if x == 3:
            sum(range(10**11))  # keeps the lock of the interpreter: no line of Python runs
        return x

    found = vc.study(stuck, {"x": list(range(12))}, "y", limit=LIMIT, how="processes", workers=2)
    assert list(found.failures) == [3] and "process was ended" in found.failures[3]
    assert np.isfinite(np.delete(found["y"], 3)).all()


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w["how"])
def test_runs_of_the_kernel_listen(way):
    model = vc.Model("pendulum")
    bob = model.body("bob", mass=2.0, inertia=0.01, at=(0.5, 0, 0))
    model.revolute("pin", model.ground, bob, at=(0, 0, 0), axis="y")
    model.spring("s", model.ground.frame((0, 0, 1)), bob.frame((0.5, 0, 0)), k=10.0, length=1.0)
    begun = time.monotonic()
    found = vc.study(model, {"s.k": [10.0, 1e9, 20.0]}, "max bob.vx", until=50.0, times=10, limit=0.5,
                     integrator=vc.integrators.DormandPrince(), **way)
    assert list(found.failures) == [1] and found.failures[1] == "it took more than 0.5 s, the limit of a variant"
    assert time.monotonic() - begun < 30


def test_mistakes_within_a_limit_are_still_mistakes():
    with pytest.raises(vc.ModelError, match="NameError: name 'nothing_of_that_name' is not defined"):
        vc.study(lambda x: nothing_of_that_name, {"x": [1, 2]}, "r", how="serial", limit=1.0)  # noqa: F821


@pytest.mark.parametrize("limit", [0, -1.0, float("nan"), float("inf"), "soon", True])
def test_limits_that_cannot_be(limit):
    with pytest.raises(vc.ModelError, match="limit is .*; the time of a variant .s. is a number above zero"):
        vc.study(lambda x: x, {"x": [1]}, "y", limit=limit)


def test_a_vectorised_function_has_no_limit_of_its_own():
    with pytest.raises(vc.ModelError, match="a vectorised function computes many at once"):
        vc.study(lambda x: x, {"x": [1]}, "y", limit=1.0, vectorised=True)
