"""Numbers that a run carries beside the motion: states follow their rates, inputs and variables stay, laws read all."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vincolo as vc

EXPLICIT = [vc.integrators.DormandPrince(rtol=1e-10, atol=1e-12), vc.integrators.DOP853(rtol=1e-10, atol=1e-12),
            vc.integrators.RK4(step=1e-3), vc.Auto(rtol=1e-10, atol=1e-12)]


def servo() -> vc.Model:
    """A cart pushed by a filtered input: m x'' = f, f' = (u - f) / T."""
    m = vc.Model("servo", gravity=(0, 0, 0))
    cart = m.body("cart", 2.0, 0.1, (0, 0, 0))
    m.prismatic("rail", m.ground, cart, (0, 0, 0), "x")
    m.input("u", value=3.0, unit="N")
    m.state("f", "(u - f)/T", unit="N", T=0.2)
    m.actuator("push", "rail.travel", "f")
    return m


def exact(t: float) -> tuple[float, float, float]:
    """Force, velocity and position: f = u (1 - e), with e = exp(-t/T)."""
    T, a = 0.2, 1.5
    e = math.exp(-t / T)
    return 2 * a * (1 - e), a * (t - T * (1 - e)), a * (t * t / 2 - T * t + T * T * (1 - e))


@pytest.mark.parametrize("integrator", EXPLICIT, ids=lambda i: type(i).__name__)
@pytest.mark.parametrize("formulation", [None, vc.formulations.Sparse(), vc.formulations.JointCoordinates(),
                                         vc.formulations.NullSpace(coordinates="euler_parameters"),
                                         vc.formulations.NullSpace(coordinates="natural")], ids=str)
def test_a_state_follows_its_rate_and_a_law_reads_it(integrator, formulation):
    if isinstance(integrator, vc.Auto) and formulation is not None and formulation.kind != "sparse":
        integrator = vc.integrators.CashKarp(rtol=1e-10, atol=1e-12)
    result = vc.simulate(servo(), 1.0, integrator=integrator, formulation=formulation)
    found = [result[name][-1] for name in ("f", "cart.vx", "cart.x")]
    assert found == pytest.approx(exact(1.0), abs=2e-9)
    assert np.all(result["u"] == 3.0)
    assert result["push.force"] == pytest.approx(result["f"], abs=1e-14)
    assert result.unit("f") == "N"


def test_energy_counts_the_work_of_a_law_that_reads_a_state():
    result = vc.simulate(servo(), 1.0, integrator=vc.integrators.DOP853(rtol=1e-10, atol=1e-12))
    assert result["energy.kinetic"][-1] == pytest.approx(0.5 * 2 * exact(1.0)[1]**2, rel=1e-9)
    assert result["energy.balance"] == pytest.approx(0, abs=1e-8)


def test_a_state_reads_the_motion():
    """z' = x of a swinging mass: z is the integral of its position."""
    m = vc.Model("swing", gravity=(0, 0, 0))
    body = m.body("b", 1.0, 0.1, (0.3, 0, 0))
    m.prismatic("rail", m.ground, body, (0, 0, 0), "x")
    m.spring("k", m.ground.frame((-1, 0, 0)), body.frame((0.3, 0, 0)), k=4.0, length=1.0)
    m.state("z", "b.x")
    m.state("w", "b.vx", start=0.3)
    result = vc.simulate(m, 2.0, integrator=vc.integrators.DOP853(rtol=1e-11, atol=1e-13))
    t = result["t"]
    assert result["z"] == pytest.approx(0.3 * np.sin(2 * t) / 2, abs=1e-9)
    assert result["w"] == pytest.approx(result["b.x"], abs=1e-10)


def test_a_restart_goes_on_to_the_last_bit():
    system = vc.compile(servo())
    whole = vc.simulate(system, 1.0, outputs=20, checkpoints=[0.5])
    k = int(np.searchsorted(whole.t, 0.5))
    rest = vc.simulate(system, 1.0, outputs=whole.t[k:], start=whole.state(k))
    assert (rest.y == whole.y[k:]).all()


def test_sub_models_have_auxiliaries_of_their_own():
    m = vc.Model("two", gravity=(0, 0, 0))
    m.add("left", servo())
    m.add("right", servo(), at=(0, 1, 0))
    m.law("tie", "left.rail.travel", "1e-3*(left.f - right.f) + 0*left.u")
    assert list(m.auxiliaries) == ["left.u", "right.u", "left.f", "right.f"]
    result = vc.simulate(m, 1.0)
    assert result["left.f"][-1] == pytest.approx(exact(1.0)[0], abs=1e-7)
    m.remove("left.u")
    assert "left.f" not in m.states and "tie" not in m.laws


@pytest.mark.parametrize(("build", "phrase"), [
    (lambda m: m.input("cart"), "already a body"),
    (lambda m: m.input("x", value=math.nan), "nan"),
    (lambda m: m.input("x", between="cubic"), "'held' or 'linear'"),
    (lambda m: m.variable("x", value=math.inf), "inf"),
    (lambda m: m.state("x", "y_unknown"), "y_unknown"),
    (lambda m: m.state("x", "0", size=0.0), "positive"),
    (lambda m: m.state("x", "x", start="a"), "start"),
    (lambda m: m.state("x", "1", T=3.0), "T"),
])
def test_wrong_ones_are_named(build, phrase):
    m = servo()
    with pytest.raises(vc.ModelError, match=phrase):
        build(m)
    assert "x" not in m.auxiliaries


def test_orthogonalised_runs_refuse_what_they_do_not_carry():
    with pytest.raises(vc.ModelError, match="'u', 'f'"):
        vc.simulate(servo(), 1.0, integrator=vc.Radau(index=3), formulation=vc.formulations.QTZ(form="orthogonalised"))


def test_a_changed_model_goes_on_with_what_was_carried():
    m = servo()
    half = vc.simulate(m, 0.5, integrator=vc.integrators.DOP853(rtol=1e-11, atol=1e-13))
    m.variable("gain", 2.0)
    system = vc.compile(m)
    rest = vc.simulate(system, 1.0, start=vc.carried(half.state(), system))
    assert rest["f"][-1] == pytest.approx(exact(1.0)[0], abs=1e-7)
    assert rest["gain"][0] == 2.0
