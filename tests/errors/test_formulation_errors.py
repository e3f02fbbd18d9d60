"""Formulations and stabilisations that cannot be, cannot go together, or fail on the way."""

import subprocess
import sys

import numpy as np
import pytest

import vincolo as vc
from expected import LOSES_ENERGY
from formulations import EVERY, kkt
from linkages import parallelogram, pendulum

NAN, INF = float("nan"), float("inf")
TRAPEZOIDAL = vc.Trapezoidal(step=1e-2)


@pytest.mark.parametrize("formulation", [vc.Sparse(), *{type(f): f for f in EVERY.values()}.values()], ids=str)
def test_the_trapezoidal_rule_names_what_it_does_not_go_with(formulation):
    with pytest.raises(vc.ModelError, match="(?s)goes with AugmentedLagrangian.index=3., not with .*RK4") as caught:
        vc.simulate(pendulum(), 1.0, integrator=TRAPEZOIDAL, formulation=formulation)
    assert str(formulation) in str(caught.value)


@pytest.mark.parametrize("integrator", [None, vc.RK4(), vc.DOP853()], ids=str)
def test_index_three_wants_its_own_integrator(integrator):
    with pytest.raises(vc.ModelError, match="(?s)index=3.*Trapezoidal.step=.*index=1"):
        vc.simulate(pendulum(), 1.0, integrator=integrator, formulation=vc.AugmentedLagrangian(index=3))


BAUMGARTES = [vc.Baumgarte(), vc.TunedBaumgarte()]


@pytest.mark.parametrize("stabilisation", [*BAUMGARTES, vc.Projection(), vc.DirectCorrection(),
                                           vc.CorrectionByTolerance()], ids=lambda s: type(s).__name__)
def test_index_three_wants_no_stabilisation(stabilisation):
    with pytest.raises(vc.ModelError, match="(?s)projects positions, velocities.*leave stabilisation= out"):
        vc.simulate(pendulum(), 1.0, integrator=TRAPEZOIDAL, stabilisation=stabilisation,
                    formulation=vc.AugmentedLagrangian(index=3))


@pytest.mark.parametrize("stabilisation", BAUMGARTES, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(("formulation", "phrases"), [
    (vc.Penalty(), "Penalty with omega = 10 1/s.*count twice.*omega=0, or leave stabilisation= out"),
    (vc.AugmentedLagrangian(omega=5), "AugmentedLagrangian with omega = 5 1/s.*count twice"),
    (vc.CoordinatePartitioning(), "dependent coordinates from the constraints.*nothing to pull back"),
    (vc.CoordinatePartitioning(integrate="velocities"), "dependent velocities.*integrate all coordinates"),
    (vc.QTZ(), "QTZ, minimal.*dependent coordinates"),
    (vc.QTZ(form="independent_accelerations"), "QTZ, independent accelerations.*dependent velocities"),
], ids=str)
def test_baumgarte_where_it_has_no_place(formulation, phrases, stabilisation):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        vc.simulate(pendulum(), 1.0, integrator=vc.RK4(), stabilisation=stabilisation, formulation=formulation)


@pytest.mark.parametrize("integrator", [None, vc.DOP853()], ids=str)
def test_tuned_baumgarte_wants_a_fixed_step(integrator):
    with pytest.raises(vc.ModelError, match=r"(?s)one of fixed size.*RK4.step=1e-3.*Baumgarte\(alpha, beta\)"):
        vc.simulate(pendulum(), 1.0, integrator=integrator, stabilisation=vc.TunedBaumgarte())


def light():
    """A rod without inertia about itself."""
    model = vc.Model()
    rod = model.body("rod", 1.0, [0, 0.1, 0.1], at=(0.3, 0.1, 0))
    model.revolute("O", model.ground, rod, at=(0, 0, 0), axis="z")
    return model


def test_udwadia_and_kalaba_divide_by_the_mass_matrix():
    with pytest.raises(vc.ModelError, match="(?s)Euler parameters is singular.*'twist' or 'natural'"):
        vc.UdwadiaKalaba(coordinates="euler_parameters")
    with pytest.raises(vc.ModelError, match="(?s)'rod' has no inertia about some axis.*Give an inertia, or take"):
        vc.simulate(light(), 1.0, formulation=vc.UdwadiaKalaba())
    with pytest.raises(vc.ModelError, match="'rod' has no inertia"):
        vc.assemble(light()).solve(vc.UdwadiaKalaba())


@pytest.mark.parametrize("formulation", [vc.Lagrange(), vc.NullSpace(), vc.QTZ()], ids=str)
def test_the_way_out_of_udwadia_and_kalaba_works(formulation):
    """A held rod without inertia about itself swings as its one equation says, by every formulation that is advised."""
    turn = vc.assemble(light()).solve(formulation).acceleration[0]
    assert turn == pytest.approx(vc.assemble(light()).solve().acceleration[0], abs=1e-8)


POSITIVE = [(vc.Penalty, "alpha"), (vc.AugmentedLagrangian, "alpha"), (vc.AugmentedLagrangian, "tolerance"),
            (vc.Lagrange, "rank_tolerance"), (vc.NullSpace, "rank_tolerance"), (vc.QTZ, "limit"),
            (vc.Projection, "tolerance"), (vc.DirectCorrection, "tolerance"), (vc.CorrectionByTolerance, "tolerance"),
            (vc.Trapezoidal, "step")]
NOT_NEGATIVE = [(vc.Penalty, "omega"), (vc.Penalty, "mu"), (vc.AugmentedLagrangian, "omega"), (vc.Baumgarte, "alpha"),
                (vc.AugmentedLagrangian, "mu"), (vc.Baumgarte, "beta"), (vc.TunedBaumgarte, "damping")]


@pytest.mark.parametrize("value", [NAN, INF, -INF, -1.0, "0.1", True, [1.0], 1j], ids=repr)
@pytest.mark.parametrize(("kind", "name"), [*POSITIVE, *NOT_NEGATIVE, (vc.TunedBaumgarte, "steps"),
                                            (vc.CorrectionByTolerance, "start")])
def test_numbers_that_cannot_be(kind, name, value):
    with pytest.raises(vc.ModelError, match=f"{kind.__name__}: (the )?{name} is "):
        kind(**{name: value})


@pytest.mark.parametrize(("kind", "name"), POSITIVE)
def test_zero_where_something_is_needed(kind, name):
    with pytest.raises(vc.ModelError, match=f"{kind.__name__}: (the )?{name} is 0.*must be positive"):
        kind(**{name: 0.0})


@pytest.mark.parametrize(("make", "phrases"), [
    (lambda: vc.Lagrange(rank_tolerance=1), "rank_tolerance is 1; it is a share below one, such as 1e-5"),
    (lambda: vc.AugmentedLagrangian(iterations=0), "iterations is 0; a whole number from 1 to 100000"),
    (lambda: vc.AugmentedLagrangian(iterations=2.5), "iterations is 2.5"),
    (lambda: vc.AugmentedLagrangian(iterations=True), "iterations is True"),
    (lambda: vc.AugmentedLagrangian(iterations=10**9), "iterations is 1000000000"),
    (lambda: vc.AugmentedLagrangian(index=2), "index is 2; it is 1 or 3"),
    (lambda: vc.AugmentedLagrangian(index="3"), "index is '3'"),
    (lambda: vc.AugmentedLagrangian(index=True), "index is True"),
    (lambda: vc.AugmentedLagrangian(index=3, coordinates="natural"), "index 3 works with twists only.*take index=1"),
    (lambda: vc.QTZ(renew="condition", limit=0.5), "limit is 0.5; a growth of the condition is at least one"),
    (lambda: vc.QTZ(renew="alpha", limit=2), "limit is 2; a share of the velocities is at most one"),
    (lambda: vc.TunedBaumgarte(steps=1), "steps is 1; a swing needs at least 2 steps"),
    (lambda: vc.CorrectionByTolerance(tolerance=1e-8), "start is 1e-09 and tolerance 1e-08; start must be the larger"),
    (lambda: vc.Projection(positions=False, velocities=False), "neither positions nor velocities.*NoStabilisation"),
    (lambda: vc.OwnFormulation(), "function is None; pass a function of .M, J, gamma, Q, Phi, Phi_dot."),
    (lambda: vc.OwnFormulation(function=3), "function is 3"),
    (lambda: vc.QTZ(form="minimall"), "form is 'minimall'; it is one of 'minimal', .*Did you mean 'minimal'"),
    (lambda: vc.QTZ(renew="ranks"), "renew is 'ranks'.*Did you mean 'rank'"),
    (lambda: vc.NullSpace(by="SVD"), "by is 'SVD'.*Did you mean 'svd'"),
    (lambda: vc.NullSpace(by=None), "by is None; it is one of 'svd', 'qr'"),
    (lambda: vc.NullSpace(by=["qr"]), r"by is \['qr'\]; it is one of"),
    (lambda: vc.NullSpace(coordinates="eulerparameters"), "Did you mean 'euler_parameters'"),
    (lambda: vc.UdwadiaKalaba(pseudoinverse="grevile"), "Did you mean 'greville'"),
    (lambda: vc.CoordinatePartitioning(by="gauss-jordan"), "Did you mean 'gauss_jordan'"),
    (lambda: vc.CoordinatePartitioning(integrate="velocity"), "Did you mean 'velocities'"),
    (lambda: vc.Penalty(form="normale"), "Did you mean 'normal'"),
])
def test_options_that_cannot_be(make, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        make()


@pytest.mark.parametrize("given", ["lagrange", vc.Lagrange, 3, vc.RK4()], ids=str)
def test_what_is_no_formulation(given):
    with pytest.raises(vc.ModelError, match="(?s)formulation= is .*such as vincolo.formulations.NullSpace"):
        vc.simulate(pendulum(), 1.0, formulation=given)
    with pytest.raises(vc.ModelError, match="formulation= is "):
        vc.assemble(pendulum()).solve(given)


def test_unknown_coordinates_of_the_equations():
    with pytest.raises(vc.ModelError, match="coordinates is 'twists'.*Did you mean 'twist'"):
        vc.assemble(pendulum()).equations("twists")


def test_an_index_given_as_a_float_does_not_crash():
    """In a process of its own, which must live: index=3.0 is either 3 or refused."""
    code = ("import vincolo as vc\nm = vc.Model(); b = m.body('b', 1.0, 1.0, at=(1, 0, 0))\n"
            "m.revolute('O', m.ground, b, at=(0, 0, 0), axis='z')\n"
            "try: vc.simulate(m, 0.1, integrator=vc.Trapezoidal(), formulation=vc.AugmentedLagrangian(index=3.0))\n"
            "except vc.ModelError: pass\n")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def ended(model, formulation, integrator, until=1.0):
    """A run that ends early with a warning; its record is sound up to there."""
    with pytest.warns(vc.SimulationWarning, match="ended early"):
        result = vc.simulate(model, until, outputs=100, integrator=integrator, formulation=formulation)
    assert not result.complete and np.isfinite(result.y).all() and len(result.t) == len(result.y)
    return result


@pytest.mark.parametrize("integrator", [vc.RK4(step=1e-2), vc.DormandPrince()], ids=str)
@pytest.mark.parametrize("coordinates", ["twist", "euler_parameters", "natural"])
def test_lagrange_on_redundant_joints_says_so(coordinates, integrator):
    result = ended(parallelogram(0.8, bars=3), vc.Lagrange(coordinates=coordinates), integrator)
    for phrase in ("Lagrange multipliers", "singular at t = 0 s", "redundant", "Redundant together", "NullSpace"):
        assert phrase in result.reason
    assert all(joint in result.reason for joint in list(parallelogram(0.8, bars=3).joints))


@pytest.mark.parametrize("integrator", [vc.RK4(step=1e-2), vc.DormandPrince()], ids=str)
def test_a_cap_on_iterations_is_named(integrator):
    result = ended(pendulum(), vc.AugmentedLagrangian(alpha=1e-3, iterations=2), integrator)
    for phrase in ("augmented Lagrangian", "alpha 0.001", "did not converge at t = 0 s", "more iterations"):
        assert phrase in result.reason
    with pytest.raises(vc.SimulationError, match="(?s)did not converge.*more iterations"):
        vc.assemble(pendulum()).solve(vc.AugmentedLagrangian(alpha=1e-3, iterations=2))


@pytest.mark.parametrize("formulation", [vc.Sparse(), vc.Lagrange(), vc.NullSpace(), vc.UdwadiaKalaba(), vc.QTZ(),
                                         vc.CoordinatePartitioning(), vc.AugmentedLagrangian(index=3)], ids=str)
@LOSES_ENERGY
def test_a_step_that_is_grossly_too_large_is_blamed(formulation):
    three = isinstance(formulation, vc.AugmentedLagrangian)
    result = ended(double_pendulum(), formulation, (vc.Trapezoidal if three else vc.RK4)(step=2.0), until=100.0)
    assert "t = " in result.reason
    assert "smaller" in result.reason or "too large" in result.reason


def double_pendulum():
    """Two balls in a row, thrown fast."""
    model = vc.Model()
    one = model.body("one", 1.0, 0.1, at=(0.5, 0, 0), angular_velocity=(0, 9, 5))
    two = model.body("two", 1.0, 0.1, at=(1.5, 0, 0))
    model.spherical("O", model.ground, one, at=(0, 0, 0))
    model.spherical("A", one, two, at=(1, 0, 0))
    return model


def own(trouble, after=200):
    """A function that does its work for a while, then does `trouble`."""
    calls = []

    def mine(M, J, gamma, Q, phi, rate):
        calls.append(1)
        found = kkt(M, J, gamma, Q, phi, rate)
        return trouble(*found) if len(calls) > after else found

    return mine


def raising(error):
    def trouble(acceleration, lam):
        raise error

    return trouble


@pytest.mark.parametrize("integrator", [vc.RK4(step=5e-3), vc.DormandPrince()], ids=str)
@pytest.mark.parametrize(("trouble", "phrases"), [
    (raising(ValueError("my own mistake")), ("mine()", "ValueError", "my own mistake")),
    (raising(ZeroDivisionError("division by zero")), ("mine()", "ZeroDivisionError")),
    (lambda a, lam: (a[:-1], lam), ("mine", "(u_dot, lam) with 6 and 5 numbers, not 5 and 5")),
    (lambda a, lam: (lam, a), ("6 and 5 numbers, not 5 and 6",)),
    (lambda a, lam: a, ("must return (u_dot, lam)", "not ndarray")),
    (lambda a, lam: None, ("must return (u_dot, lam)", "not NoneType")),
    (lambda a, lam: (a, lam, a), ("must return (u_dot, lam)",)),
    (lambda a, lam: ("a", "b"), ("mine()", "could not convert")),
    (lambda a, lam: (NAN * a, lam), ("mine()", "infinite or undefined")),
    (lambda a, lam: (a, INF * np.abs(lam)), ("mine()", "infinite or undefined")),
    (raising(KeyboardInterrupt()), ("interrupted",)),
], ids=["raises", "divides", "short", "swapped", "one", "None", "three", "text", "nan", "infinite", "Ctrl-C"])
def test_an_own_function_that_fails_half_way(trouble, phrases, integrator):
    result = ended(pendulum(), own(trouble), integrator)
    assert 0.1 < result.t[-1] < 0.9
    assert all(phrase in result.reason for phrase in (*phrases, "t = "))
    exact = vc.simulate(pendulum(), 1.0, outputs=100, integrator=vc.DOP853())
    assert result["O.angle"] == pytest.approx(exact["O.angle"][:len(result)], abs=1e-6)


def test_complex_accelerations_are_not_cut_to_their_real_part():
    result = ended(pendulum(), own(lambda a, lam: (a + 1j, lam)), vc.RK4(step=5e-3))
    assert "complex" in result.reason


def test_an_own_function_that_overwrites_what_it_gets_does_no_harm():
    def greedy(M, J, gamma, Q, phi, rate):
        found = kkt(M, J, gamma, Q, phi, rate)
        for x in (M, J, gamma, Q, phi, rate):
            x[...] = 0
        return found

    one, two = (vc.simulate(pendulum(), 0.5, outputs=5, integrator=vc.RK4(step=1e-2), formulation=f).y
                for f in (kkt, greedy))
    assert np.array_equal(one, two)


def test_errors_of_an_own_function_reach_the_caller_of_solve():
    with pytest.raises(RuntimeError, match="mine"):
        vc.assemble(pendulum()).solve(own(raising(RuntimeError("mine")), after=0))
    with pytest.raises(vc.ModelError, match="6 and 5 numbers, not NoneType"):
        vc.assemble(pendulum()).solve(own(lambda a, lam: None, after=0))
