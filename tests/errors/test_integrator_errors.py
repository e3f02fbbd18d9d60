"""Integrators refuse numbers and company they cannot work with, and say why they stop; jumps do not stop them."""

import numpy as np
import pytest

import vincolo as vc
from expected import LOSES_ENERGY
from integrators import ADAPTIVE, FIXED
from linkages import pendulum

NAN, INF = float("nan"), float("inf")
IMPLICIT = [vc.Radau(), vc.BDF(), vc.Auto(), vc.Rosenbrock(), vc.GeneralisedAlpha(), vc.GeneralisedAlpha(index=2),
            vc.HHT(), vc.Newmark(), vc.Rattle()]
ALPHA = [vc.GeneralisedAlpha, vc.HHT, vc.Newmark]
WEIGHTS = [(vc.GeneralisedAlpha, "spectral_radius"), (vc.HHT, "alpha"), (vc.Newmark, "gamma"), (vc.Newmark, "beta")]


# --- numbers


@pytest.mark.parametrize("value", [NAN, INF, -INF, "0.1", True, [1.0], 1j, None], ids=repr)
@pytest.mark.parametrize(("kind", "name"), [*((kind, "step") for kind in FIXED), *WEIGHTS,
                                            *((kind, n) for kind in ADAPTIVE for n in ("rtol", "atol", "max_step",
                                                                                       "min_step", "violation"))])
def test_what_is_no_number(kind, name, value):
    if name == "atol" and value is None:
        return  # stands for the extent of the mechanism
    with pytest.raises(vc.ModelError, match=f"{kind.__name__}: (the )?{name} is "):
        kind(**{name: value})


@pytest.mark.parametrize("kind", FIXED)
@pytest.mark.parametrize("step", [0.0, -1e-3])
def test_steps_must_be_positive(kind, step):
    with pytest.raises(vc.ModelError, match=f"{kind.__name__}: the step is .*must be positive"):
        kind(step=step)


@pytest.mark.parametrize("kind", ADAPTIVE)
@pytest.mark.parametrize("name", ["rtol", "atol", "max_step", "min_step", "positions", "rotations", "velocities",
                                  "violation"])
def test_tolerances_must_not_be_negative(kind, name):
    with pytest.raises(vc.ModelError, match=f"{kind.__name__}: {name} is -0.1; it must not be negative"):
        kind(**{name: -0.1})


@pytest.mark.parametrize("kind", ADAPTIVE)
def test_tolerances_beyond_double_precision(kind):
    with pytest.raises(vc.ModelError, match=f"(?s){kind.__name__}: .*double precision.*at least 1e-13"):
        kind(rtol=0.0, atol=1e-15)


@pytest.mark.parametrize(("make", "phrases"), [
    (lambda: vc.GeneralisedAlpha(spectral_radius=1.01), "spectral_radius is 1.01; it lies between 0 and 1"),
    (lambda: vc.GeneralisedAlpha(spectral_radius=-0.01), "spectral_radius is -0.01; it lies between 0 and 1"),
    (lambda: vc.HHT(alpha=0.1), "alpha is 0.1; it lies between -1/3 and 0"),
    (lambda: vc.HHT(alpha=-0.34), "alpha is -0.34; it lies between -1/3 and 0"),
    (lambda: vc.Newmark(gamma=0.49), "gamma is 0.49; it lies between 1/2 and 1"),
    (lambda: vc.Newmark(gamma=1.1), "gamma is 1.1; it lies between 1/2 and 1"),
    (lambda: vc.Newmark(beta=0.2), r"beta is 0.2; it lies between gamma / 2 = 0.25 and 1"),
    (lambda: vc.Newmark(gamma=0.7, beta=0.3), r"beta is 0.3; it lies between gamma / 2 = 0.35 and 1"),
    (lambda: vc.Newmark(beta=1.5), "beta is 1.5"),
])
def test_weights_out_of_range(make, phrases):
    with pytest.raises(vc.ModelError, match=phrases):
        make()


@pytest.mark.parametrize("kind", ALPHA)
@pytest.mark.parametrize("index", [1, 0, 4, -3, 3.0, 2.5, "3", True, None, NAN], ids=repr)
def test_an_index_other_than_two_and_three(kind, index):
    with pytest.raises(vc.ModelError, match=rf"{kind.__name__}: index is .*; it is 3 \(positions\) or 2 \(veloc"):
        kind(index=index)


@pytest.mark.parametrize("index", [0, 4, -1, 1.0, "1", True, None, NAN], ids=repr)
def test_an_index_of_radau_other_than_one_to_three(index):
    with pytest.raises(vc.ModelError, match=r"Radau: index is .*; it is 1, 2 or 3"):
        vc.Radau(index=index)


@pytest.mark.parametrize("make", [lambda: vc.GeneralisedAlpha(spectral_radius=0), lambda: vc.HHT(alpha=-1 / 3),
                                  lambda: vc.GeneralisedAlpha(spectral_radius=1), lambda: vc.HHT(alpha=0),
                                  lambda: vc.Newmark(gamma=1, beta=1), lambda: vc.Newmark(gamma=0.5, beta=0.25)])
def test_the_ends_of_the_ranges_work(make):
    result = vc.simulate(pendulum(), 0.1, outputs=2, integrator=make())
    assert result.complete and np.isfinite(result.y).all()


# --- company


@pytest.mark.parametrize("formulation", [vc.Lagrange(), vc.Penalty(), vc.AugmentedLagrangian(), vc.UdwadiaKalaba(),
                                         vc.CoordinatePartitioning(), vc.NullSpace(), vc.QTZ()], ids=str)
@pytest.mark.parametrize("integrator", IMPLICIT, ids=str)
def test_implicit_integrators_solve_equations_of_their_own(integrator, formulation):
    with pytest.raises(vc.ModelError, match="(?s)solves its own equations.*default formulation.*formulation= out") as e:
        vc.simulate(pendulum(), 0.1, integrator=integrator, formulation=formulation)
    assert integrator.title in str(e.value) and str(formulation) in str(e.value)


@pytest.mark.parametrize("integrator", IMPLICIT, ids=str)
def test_index_three_wants_its_own_integrator(integrator):
    with pytest.raises(vc.ModelError, match=r"(?s)index=3.*Trapezoidal"):
        vc.simulate(pendulum(), 0.1, integrator=integrator, formulation=vc.AugmentedLagrangian(index=3))


def test_a_formulation_without_an_integrator_gets_an_explicit_one():
    result = vc.simulate(pendulum(), 0.1, outputs=2, formulation=vc.NullSpace())
    assert result.complete and "Dormand-Prince" in str(result) and "automatic" not in str(result)


# --- runs that end early


def thrown_pair():
    """Two balls in a row, thrown fast."""
    model = vc.Model()
    one = model.body("one", 1.0, 0.1, at=(0.5, 0, 0), angular_velocity=(0, 9, 5))
    two = model.body("two", 1.0, 0.1, at=(1.5, 0, 0))
    model.spherical("A", model.ground, one, at=(0, 0, 0))
    model.spherical("B", one, two, at=(1, 0, 0))
    return model


@LOSES_ENERGY
@pytest.mark.parametrize("step", [0.2, 2.0])
@pytest.mark.parametrize("kind", [vc.Rosenbrock, *ALPHA])
def test_a_step_that_is_grossly_too_large_is_blamed(kind, step):
    """With its time, the joint to look at, and the way out; what was recorded before is kept."""
    with pytest.warns(vc.SimulationWarning, match="ended early"):
        result = vc.simulate(thrown_pair(), 20.0, outputs=100, integrator=kind(step=step))
    assert not result.complete
    assert "t = " in result.reason and "too large" in result.reason and "smaller step" in result.reason
    assert "joints, 'A'" in result.reason or "joints, 'B'" in result.reason
    assert len(result) == len(result.t) == len(result.y) >= 1 and np.isfinite(result.y).all()
    assert "ended early" in str(result)


@pytest.mark.parametrize("kind", [vc.Rosenbrock, *ALPHA])
def test_the_way_out_of_a_large_step_works(kind):
    result = vc.simulate(thrown_pair(), 0.2, outputs=10, integrator=kind(step=5e-4))
    exact = vc.simulate(thrown_pair(), 0.2, outputs=10, integrator=vc.Radau())
    assert result.complete
    assert result["two.x"] == pytest.approx(exact["two.x"], abs=1e-3)


def slide(force):
    """A body of 1 kg on a straight guide along x at 1 m/s."""
    model = vc.Model("slide", gravity=(0, 0, 0))
    body = model.body("sled", 1.0, 0.1, velocity=(1, 0, 0))
    model.prismatic("S", model.ground, body, at=(0, 0, 0), axis="x")
    model.law("law", "S.travel", force)
    return model


STEPPED = [kind(step=2e-3) for kind in FIXED if kind is not vc.Trapezoidal]  # which is part of a formulation
EVERY = pytest.mark.parametrize("integrator", [*(kind() for kind in ADAPTIVE), *STEPPED], ids=str)


@EVERY
@pytest.mark.parametrize("force", ["sqrt(0.5 - t)", pytest.param("-1/(0.5 - t)^2", marks=LOSES_ENERGY), "log(0.5 - d)"])
def test_a_run_that_fails_half_way_returns_what_it_has(integrator, force):
    with pytest.warns(vc.SimulationWarning, match="ended early"):
        result = vc.simulate(slide(force), 1.0, outputs=100, integrator=integrator)
    assert not result.complete and ("t = 0.4" in result.reason or "t = 0.5" in result.reason)
    assert 0.3 < result.t[-1] < 0.51
    assert len(result) == len(result.t) == len(result.y) and np.isfinite(result.y).all()


@EVERY
def test_max_steps_ends_the_run(integrator):
    with pytest.warns(vc.SimulationWarning, match="limit of max_steps"):
        result = vc.simulate(slide("100*d"), 10.0, outputs=1000, integrator=integrator, max_steps=5)
    assert result.statistics["steps"] + result.statistics["rejected"] <= 5 and not result.complete


# --- jumps


@pytest.mark.parametrize("integrator", [vc.Radau(), vc.BDF(), vc.Auto(), vc.CashKarp(), vc.BogackiShampine()], ids=str)
@pytest.mark.parametrize("elsewhere", [0.5, 0.4271])
def test_a_force_that_jumps_is_crossed(integrator, elsewhere):
    """x = t until the jump, and 1000 / 2 (t - t0)^2 less after it."""
    result = vc.simulate(slide(f"1000*step(t - {elsewhere})"), 1.0, outputs=20, integrator=integrator)
    assert result.complete
    exact = result.t - 500 * np.maximum(result.t - elsewhere, 0.0) ** 2
    assert result["sled.x"] == pytest.approx(exact, abs=1e-6 * 125)  # 1e-6 of the way
    assert result.statistics["steps"] < 500


@pytest.mark.parametrize("integrator", [vc.Radau(), vc.BDF(), vc.Auto()], ids=str)
def test_a_stiff_stop_is_met_and_left(integrator):
    """A wall of 1e6 N/m at 0.3 m throws the sled back with its speed: no energy is lost."""
    result = vc.simulate(slide("1e6*(d - 0.3)*step(d - 0.3)"), 0.5, outputs=50, integrator=integrator)
    assert result.complete
    touching = np.pi / np.sqrt(1e6)  # s, half a swing
    assert result["sled.vx"][-1] == pytest.approx(-1.0, abs=1e-4)
    assert result["sled.x"][-1] == pytest.approx(0.3 - (0.5 - 0.3 - touching), abs=1e-4)
