"""Runs that cannot start, fail half-way or are interrupted: everything computed so far is returned, with the reason."""

import threading
import warnings

import numpy as np
import pytest

import vincolo as vc
from expected import LOSES_ENERGY
from linkages import pendulum

NAN = float("nan")
INTEGRATORS = [vc.DormandPrince(), vc.DOP853(), vc.RK4(step=1e-2), vc.Heun(step=1e-3), vc.SemiImplicitEuler(step=1e-3)]
EVERY = pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda i: type(i).__name__)


def slide(force=None):
    """A body on a straight guide along x."""
    model = vc.Model("slide", gravity=(0, 0, 0))
    body = model.body("sled", 1.0, 0.1, velocity=(1, 0, 0))
    model.prismatic("S", model.ground, body, at=(0, 0, 0), axis="x")
    if force:
        model.law("law", "S.travel", force)
    return model


@pytest.mark.parametrize(("settings", "phrases"), [
    ({"until": -1}, "until is -1 s.*must lie after"),
    ({"until": 0}, "until is 0 s"),
    ({"until": NAN}, "until is nan"),
    ({"until": "1"}, "until is '1'"),
    ({"outputs": 0}, "outputs is 0; a number from 1 to 10,000,000"),
    ({"outputs": 10**8}, "outputs is 100000000"),
    ({"outputs": 10.5}, "number of intervals or a list of increasing times"),
    ({"outputs": "many"}, "number of intervals"),
    ({"outputs": True}, "number of intervals"),
    ({"outputs": []}, "increasing times"),
    ({"outputs": [0, 1, 0.5]}, "increasing times"),
    ({"outputs": [0, NAN]}, "increasing times"),
    ({"outputs": [0, 0.5, 2]}, "from 0 to 2 s, outside the run from 0 to 1 s"),
    ({"outputs": [-1, 0.5]}, "outside the run"),
    ({"integrator": "rk4"}, r"vincolo.integrators.RK4\(step=1e-3\)"),
    ({"integrator": vc.RK4}, "take objects such as"),
    ({"stabilisation": vc.RK4()}, r"vincolo.stabilisations.Projection\(\)"),
    ({"start": 3}, r"start is 3; pass what assemble\(\)"),
    ({"max_steps": -1}, "max_steps is -1.*0 for no limit"),
    ({"max_steps": "few"}, "max_steps is 'few'"),
    ({"max_steps": 2.5}, "max_steps is 2.5"),
    ({"progress": "yes"}, "progress is 'yes'"),
    ({"integrator": vc.RK4(step=1e-30)}, "1e.30 steps; the limit is.*larger step"),
], ids=str)
def test_settings_that_cannot_be(settings, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        vc.simulate(slide(), **{"until": 1.0, **settings})


def test_a_start_of_another_system():
    with pytest.raises(vc.ModelError, match="(?s)start belongs to another system.*Compile once"):
        vc.simulate(slide(), 1.0, start=vc.assemble(slide()))


def test_a_record_that_would_not_fit_is_refused_before_it_is_made():
    model = vc.Model()
    for k in range(20):
        model.body(f"b{k}", 1.0, 1.0)
    with pytest.raises(vc.ModelError, match="(?s)10,000,001 samples of 20 bodies need 20.9 GB.*fewer outputs"):
        vc.simulate(model, 1.0, outputs=10_000_000)


@pytest.mark.parametrize(("make", "phrases"), [
    (lambda: vc.RK4(step=0), "RK4: the step is 0 s; it must be positive"),
    (lambda: vc.RK4(step=-1), "step is -1 s"),
    (lambda: vc.Heun(step=NAN), "Heun: step is nan"),
    (lambda: vc.SemiImplicitEuler(step="small"), "SemiImplicitEuler: step is 'small'"),
    (lambda: vc.DormandPrince(rtol=-1), "DormandPrince: rtol is -1"),
    (lambda: vc.DOP853(atol=NAN), "DOP853: atol is nan"),
    (lambda: vc.DOP853(max_step=-1), "max_step is -1"),
    (lambda: vc.DormandPrince(rtol=1e-16, atol=0), "more than double precision.*at least 1e-13"),
    (lambda: vc.Baumgarte(alpha=-1), "Baumgarte: alpha is -1 1/s"),
    (lambda: vc.Baumgarte(beta=NAN), "Baumgarte: beta is nan"),
    (lambda: vc.Projection(tolerance=0), "Projection: the tolerance is 0"),
])
def test_solvers_that_cannot_be(make, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        make()


BREAKS = {
    "a root of a negative number": lambda: slide("sqrt(0.5 - t)"),
    "a force without bound": lambda: slide("-1/(0.5 - t)^2"),
    "a logarithm of travel": lambda: slide("log(0.5 - d)"),
    "a push": None,
    "a drive": None,
}


STEEP = ("a force without bound", "a drive")  # steps of 2 ms are too large where it grows


def broken(name):
    if BREAKS[name]:
        return BREAKS[name]()
    model = slide()
    if name == "a push":
        model.force("push", model.bodies["sled"], ("sqrt(0.5 - t)", 0, 0))
    else:
        model.drive("S.travel", "t*sqrt(0.5 - t)/sqrt(0.5)")
    return model


@pytest.mark.parametrize("name", [pytest.param(name, marks=LOSES_ENERGY) if name in STEEP else name for name in BREAKS])
@EVERY
def test_a_run_that_fails_half_way_returns_what_it_has(integrator, name):
    with pytest.warns(vc.SimulationWarning, match="ended early"):
        result = vc.simulate(broken(name), 1.0, outputs=100, integrator=integrator)
    assert not result.complete and "t = " in result.reason
    assert 0.3 < result.t[-1] < 0.6
    assert len(result) == len(result.t) == len(result.y) and np.isfinite(result.y).all()
    assert result.t == pytest.approx(np.linspace(0, 1, 101)[:len(result)])
    assert "ended early" in str(result) and "ended early" in repr(result)
    assert "of 1 s asked for" in str(result)
    assert np.isfinite(result["sled.x"]).all()


@EVERY
def test_the_samples_before_the_failure_are_right(integrator):
    with pytest.warns(vc.SimulationWarning):
        result = vc.simulate(slide("sqrt(0.5 - t)"), 1.0, outputs=100, integrator=integrator)
    t = result.t  # x'' = -sqrt(0.5 - t)
    exact = t - (4 / 15 * ((0.5 - t) ** 2.5 - 0.5**2.5) + 2 / 3 * 0.5**1.5 * t)
    order_one = isinstance(integrator, vc.SemiImplicitEuler)
    assert result["sled.x"] == pytest.approx(exact, abs=1e-3 if order_one else 1e-4)


@pytest.mark.parametrize(("model", "owner"), [
    (lambda: slide("sqrt(d - 1)"), "law 'law' \\(force nan\\)"),
    (lambda: slide("1/t"), "law 'law' \\(force inf\\)"),
], ids=["root", "division"])
@EVERY
def test_a_run_that_cannot_start_names_what_is_undefined(model, owner, integrator):
    with pytest.raises(vc.SimulationError, match=f"(?s)cannot start.*t = 0 s.*{owner}.*roots of negative"):
        vc.simulate(model(), 1.0, integrator=integrator)


def test_a_load_or_drive_undefined_at_the_start_is_named():
    model = slide()
    model.force("push", model.bodies["sled"], ("log(t)", 0, 0))
    with pytest.raises(vc.SimulationError, match="load 'push'"):
        vc.simulate(model, 1.0)
    model = slide()
    model.drive("S.travel", "t^1.5")
    with pytest.raises(vc.SimulationError, match="drive 'S.travel.drive' \\(acceleration inf\\)"):
        vc.simulate(model, 1.0)


@LOSES_ENERGY  # the first five steps of semi-implicit Euler, from rest
@EVERY
def test_max_steps_ends_the_run_with_a_warning(integrator):
    with pytest.warns(vc.SimulationWarning, match="max_steps"):
        result = vc.simulate(pendulum(), 10.0, outputs=1000, integrator=integrator, max_steps=5)
    assert not result.complete and result.statistics["steps"] + result.statistics["rejected"] == 5
    assert len(result) < 1001


def test_an_interruption_returns_the_part_and_can_be_continued():
    calls = []

    def interrupt(t, until):
        calls.append((t, until))
        if len(calls) == 3:
            raise KeyboardInterrupt

    system = vc.compile(pendulum())
    with pytest.warns(vc.SimulationWarning, match="interrupted at t ="):
        part = vc.simulate(system, 1000.0, outputs=100_000, integrator=vc.RK4(step=1e-3), progress=interrupt)
    assert not part.complete and part.reason.startswith("interrupted at t = ")
    assert calls[0][0] < calls[-1][0] and {until for _, until in calls} == {1000.0}
    assert part.t[-1] == pytest.approx(calls[-1][0], abs=0.011)
    end = part.t[-1] + 0.5
    rest = vc.simulate(system, end, outputs=5, start=part.state(), integrator=vc.RK4(step=1e-3))
    whole = vc.simulate(system, end, outputs=[end], integrator=vc.RK4(step=1e-3))
    assert rest["O.angle"][-1] == pytest.approx(whole["O.angle"][-1], abs=1e-6)


def test_an_interruption_before_the_first_sample_still_gives_a_result():
    def interrupt(t, until):
        raise KeyboardInterrupt

    with pytest.warns(vc.SimulationWarning, match="interrupted"):
        result = vc.simulate(pendulum(), 1000.0, outputs=[999.0], integrator=vc.RK4(step=1e-3), progress=interrupt)
    assert len(result) == 0 and "no samples" in repr(result) and "interrupted" in str(result)


def test_other_errors_of_a_progress_function_are_not_swallowed():
    def broken_progress(t, until):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        vc.simulate(pendulum(), 1000.0, integrator=vc.RK4(step=1e-3), progress=broken_progress)


def test_runs_in_threads_do_not_disturb_each_other():
    system = vc.compile(pendulum())
    found = {}

    def run(k):
        found[k] = vc.simulate(system, 5.0, outputs=50, progress=False).y

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(y, found[0]) for y in found.values())


def test_a_good_run_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert vc.simulate(pendulum(), 1.0).complete


@pytest.mark.parametrize(("read", "phrases"), [
    (lambda r: r["bar.xx"], "no channel called 'bar.xx'.*Did you mean 'bar.x'.*result.keys"),
    (lambda r: r["O.angel"], "Did you mean 'O.angle'"),
    (lambda r: r[3], "by its name.*not by 3"),
    (lambda r: r.point("bra"), "no body called 'bra'.*Bodies: bar.*Did you mean 'bar'"),
    (lambda r: r.motion("bra"), "Did you mean 'bar'"),
    (lambda r: r.reaction("Q"), "no joint called 'Q'.*Joints: O"),
    (lambda r: r.to_pandas(["bar.q"]), "no channel called 'bar.q'"),
    (lambda r: r.state()["nothing"], "no channel called 'nothing'"),
])
def test_reading_what_is_not_there(read, phrases):
    result = vc.simulate(pendulum(), 0.1, outputs=2)
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        read(result)
