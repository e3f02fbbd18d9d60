"""Every formulation, with what keeps its constraints by default, leaves the integrator its order."""

from functools import cache

import numpy as np
import pytest
from test_integrator_orders import PROBLEMS, REFERENCE

import vincolo as vc
from formulations import EXACT, LAGRANGE

CONSTRAINED = ["constrained", "driven", "redundant"]
PROBLEM = pytest.mark.parametrize("name", CONSTRAINED)
# one of each sort in each kind of coordinates; the others differ from these only in rounding
CHOSEN = ("augmented Lagrangian", "Udwadia-Kalaba svd", "partitioning lu", "partitioning velocities",
          "partitioning all", "null space qr", "QTZ minimal alpha", "QTZ minimal condition",
          "QTZ independent_accelerations alpha", "QTZ orthogonalised rank")
FORMULATIONS = {name: f for name, f in EXACT.items() if name.split(",")[0] in CHOSEN}


@cache
def system_and_end(name):
    system = vc.compile(PROBLEMS[name]())
    return system, places(vc.simulate(system, 1.0, outputs=1, integrator=REFERENCE))


def places(result):
    """Centres and velocities of all bodies at the end; quaternions may differ in sign."""
    assert result.complete
    y = result.y[-1]
    return np.concatenate([np.delete(y[13 * k: 13 * k + 13], range(3, 7)) for k in range(len(result.system.centred))])


def errors(name, integrators, formulation):
    system, exact = system_and_end(name)
    runs = [vc.simulate(system, 1.0, outputs=1, integrator=i, formulation=formulation) for i in integrators]
    return np.array([np.abs(places(run) - exact).max() for run in runs])


def last_order(name, method, steps, formulation):
    found = errors(name, [method(step=h) for h in steps], formulation)
    return np.log2(found[-2] / found[-1]), found


@PROBLEM
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_runge_kutta_keeps_its_order(formulation, name):
    chosen = FORMULATIONS[formulation]
    if isinstance(chosen, vc.UdwadiaKalaba) and chosen.coordinates == "natural" and system_and_end(name)[0].flat_bodies:
        with pytest.raises(vc.ModelError, match="no extent"):
            errors(name, [vc.RK4(step=0.1)], chosen)
        return
    order, found = last_order(name, vc.RK4, [1 / 120, 1 / 240], chosen)
    assert order > 3.55, found  # more at a coarse step is no fault


@pytest.mark.parametrize("formulation", LAGRANGE)
@pytest.mark.parametrize("name", ["constrained", "driven"])
def test_lagrange_keeps_the_order_on_independent_rows(formulation, name):
    order, found = last_order(name, vc.RK4, [1 / 120, 1 / 240], LAGRANGE[formulation])
    assert order > 3.55, found  # more at a coarse step is no fault


@PROBLEM
@pytest.mark.parametrize("kind", [vc.Penalty, vc.AugmentedLagrangian])
def test_relaxed_formulations_keep_the_order(kind, name):
    """With omega > 0 they stabilise as Baumgarte does; an alpha of 1e12 leaves an error below that of the steps."""
    order, found = last_order(name, vc.RK4, [1 / 60, 1 / 120, 1 / 240], kind(alpha=1e12 if kind is vc.Penalty else 1e6,
                                                                           omega=10.0))
    assert order > 3.55, found  # more at a coarse step is no fault


@PROBLEM
def test_index_three_has_order_two(name):
    order, found = last_order(name, vc.Trapezoidal, [1 / 100, 1 / 200, 1 / 400], vc.AugmentedLagrangian(index=3))
    assert order == pytest.approx(2, abs=0.2), found


@PROBLEM
def test_index_three_closes_positions_velocities_and_accelerations(name):
    system, _ = system_and_end(name)
    result = vc.simulate(system, 1.0, outputs=20, integrator=vc.Trapezoidal(step=0.01),
                         formulation=vc.AugmentedLagrangian(index=3))
    assert result["residual.position"].max() < 1e-9
    assert result["residual.velocity"].max() < 1e-9
