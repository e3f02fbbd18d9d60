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


# the formulation is chosen by what a run needs, and kept by the runs that continue it


def pendulum():
    model = vc.Model("pendulum")
    bob = model.body("bob", 1.0, 0.02, at=(0.4, 0, -0.1), angular_velocity=(0, 1, 0))
    model.revolute("O", model.ground, bob, at=(0, 0, 0), axis="y")
    return model


def double_pendulum():
    model = pendulum()
    end = model.body("end", 0.5, [0.01, 0.02, 0.015], at=(0.9, 0.1, -0.1))
    model.revolute("elbow", model.bodies["bob"], end, at=(0.8, 0, -0.2), axis=(0.1, 1, 0.2))
    return model


def free_top():
    model = vc.Model("top")
    model.body("top", 1.0, [0.1, 0.2, 0.3], at=(0, 0, 1), angular_velocity=(1, 3, 0.1), velocity=(1, 0, 2))
    return model


def driven_arm():
    model = double_pendulum()
    model.drive("elbow.angle", vc.SmoothStep(0.2, 0.9, 0, 2.0))
    return model


def sprung_arm():
    model = double_pendulum()
    model.spring("strut", model.ground.frame((0, 0, 1)), model.bodies["end"].frame((0.9, 0.1, -0.1)), k=40, length=0.5)
    return model


TREES = [pendulum, double_pendulum, free_top, driven_arm, sprung_arm]


@pytest.mark.parametrize("method", [None, *(m for m in METHODS if m.order > 1)], ids=str)
@pytest.mark.parametrize("build", TREES, ids=lambda build: build.__name__)
def test_a_tree_restarted_without_further_checkpoints_is_bit_identical(build, method, tmp_path):
    """A run with checkpoints takes the formulation that remembers nothing; the one that continues must take it too,
    also from a state or a result that was saved."""
    system = vc.compile(build())
    whole = vc.simulate(system, 0.9, outputs=18, integrator=method, checkpoints=[0.4])
    assert whole.complete, whole.reason
    k = int(np.searchsorted(whole.t, 0.4))
    state = whole.state(k)
    loaded = vc.State.load(state.save(tmp_path / "state.npz"), system)
    again = vc.Result.load(whole.save(tmp_path / "run.npz"), system).state(k)
    for start in (state, loaded, again):
        run = vc.simulate(system, 0.9, outputs=whole.t[k:], start=start, integrator=method)
        assert (run.y == whole.y[k:]).all() and (run.turns == whole.turns[k:]).all()
        assert run.settings.formulation == whole.settings.formulation


def test_a_run_continued_from_a_continued_one_keeps_the_formulation():
    system = vc.compile(pendulum())
    whole = vc.simulate(system, 1.0, outputs=8, checkpoints=[0.25, 0.75])
    second = vc.simulate(system, 1.0, outputs=whole.t[2:], start=whole.state(2), checkpoints=[0.75])
    third = vc.simulate(system, 1.0, outputs=whole.t[6:], start=second.state(4))
    assert (third.y == whole.y[6:]).all()


def test_a_run_without_checkpoints_still_takes_joint_coordinates_for_a_tree():
    system = vc.compile(pendulum())
    first = vc.simulate(system, 0.4)
    second = vc.simulate(system, 0.8, start=first.state())
    assert "joint coordinates" in first.settings.formulation and "joint coordinates" in second.settings.formulation
