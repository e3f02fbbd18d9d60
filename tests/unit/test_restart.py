"""A run that is restarted from a checkpoint goes on as the one that was not interrupted, to the last bit."""

import numpy as np
import pytest

import vincolo as vc
from expected import LOSES_ENERGY
from integrators import ADAPTIVE, FIXED

STEP = {1: 1e-3, 2: 3e-3, 4: 7e-3}  # by order [s]
METHODS = [kind(STEP[kind.order]) for kind in FIXED if kind is not vc.Trapezoidal]  # which is part of a formulation
METHODS += [*(kind() for kind in ADAPTIVE), vc.Radau(index=3)]


def mechanism():
    """A redundant four-bar with a stiff spring, a driven arm and a body on a ball: all that a run remembers is used."""
    model = vc.Model()
    ground, bars = model.ground, []
    for k in range(3):
        bar = model.body(f"bar{k}", 1.0, [0.01, 0.1, 0.1], at=(k + 0.3, 0, 0.4))
        model.revolute(f"foot{k}", ground, bar, at=(k, 0, 0), axis="y")
        bars.append(bar)
    coupler = model.body("coupler", 2.0, 0.3, at=(1.6, 0, 0.8))
    for k, bar in enumerate(bars):
        model.revolute(f"head{k}", bar, coupler, at=(k + 0.6, 0, 0.8), axis="y")
    model.spring("strut", ground.frame((0, 0, 2.0)), coupler.frame((1.6, 0, 0.8)), k=3e3, c=400.0, length=1.5)
    arm = model.body("arm", 0.5, 0.02, at=(1.6, 0.5, 0.8))
    model.revolute("motor", coupler, arm, at=(1.6, 0.3, 0.8), axis="y")
    model.drive("motor.angle", vc.SmoothStep(0.2, 0.9, 0, 9.0))
    bob = model.body("bob", 0.3, [0.01, 0.02, 0.015], at=(1.8, 0.5, 0.6), angular_velocity=(1, 2, 3))
    model.spherical("ball", arm, bob, at=(1.6, 0.5, 0.8))
    return vc.compile(model)


@pytest.mark.parametrize("method", [pytest.param(m, marks=LOSES_ENERGY) if m.order == 1 else m for m in METHODS],
                         ids=str)
def test_restarted_runs_are_bit_identical(method):
    system = mechanism()
    whole = vc.simulate(system, 1.3, outputs=26, integrator=method, checkpoints=[0.4, 0.71])
    assert whole.complete, whole.reason
    for mark in (0.4, 0.71):
        k = int(np.searchsorted(whole.t, mark))
        assert whole.t[k] == mark
        later = [0.71] if mark < 0.71 else []
        again = vc.simulate(
            system, 1.3, outputs=whole.t[k:], start=whole.state(k), integrator=method, checkpoints=later
        )
        assert (again.t == whole.t[k:]).all()
        assert (again.y == whole.y[k:]).all()
        assert (again.turns == whole.turns[k:]).all()


def test_a_saved_result_is_read_back_and_goes_on(tmp_path):
    system = mechanism()
    whole = vc.simulate(system, 1.0, outputs=20, checkpoints=[0.5])
    path = whole.save(tmp_path / "run.npz")
    loaded = vc.Result.load(path, system)
    assert (loaded.y == whole.y).all() and (loaded.t == whole.t).all() and loaded.reason == whole.reason
    assert loaded["bob.x"] == pytest.approx(whole["bob.x"], abs=0)
    assert loaded.statistics["steps"] == whole.statistics["steps"]
    assert str(loaded) == str(whole)
    k = int(np.searchsorted(loaded.t, 0.5))
    again = vc.simulate(system, 1.0, outputs=loaded.t[k:], start=loaded.state(k))
    assert (again.y == whole.y[k:]).all()
    state = loaded.state(k)
    state.save(tmp_path / "state.npz")
    assert (vc.State.load(tmp_path / "state.npz", system).y == state.y).all()


def test_files_that_do_not_fit_are_refused(tmp_path):
    system = mechanism()
    path = vc.simulate(system, 0.1, outputs=2).save(tmp_path / "run.npz")
    other = vc.Model()
    other.body("lonely", 1.0, 1.0)
    with pytest.raises(vc.ModelError, match="(?s)made with other bodies.*bar0.*lonely"):
        vc.Result.load(path, other)
    (tmp_path / "junk.npz").write_bytes(b"no archive")
    with pytest.raises(vc.ModelError, match="junk.npz.*is not a file of a vincolo result"):
        vc.Result.load(tmp_path / "junk.npz", system)
    with pytest.raises(vc.ModelError, match="is not a file of a vincolo state"):
        vc.State.load(path, system)
    with pytest.raises(FileNotFoundError):
        vc.Result.load(tmp_path / "none.npz", system)


@pytest.mark.parametrize("marks", [[0.0], [2.0], [0.5, 0.4], [float("nan")], "often", [[0.1]]])
def test_checkpoints_must_lie_within_the_run(marks):
    with pytest.raises(vc.ModelError, match="checkpoints"):
        vc.simulate(mechanism(), 1.0, checkpoints=marks)


def test_dense_formulations_refuse_checkpoints():
    with pytest.raises(vc.ModelError, match="need the default formulation"):
        vc.simulate(mechanism(), 1.0, checkpoints=[0.5], integrator=vc.RK4(), formulation=vc.NullSpace())
