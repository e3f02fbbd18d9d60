"""Integrators are made from one table; the kernel reads their options by name and refuses what it does not know."""

import pickle
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

import vincolo as vc
from integrators import ADAPTIVE, FIXED
from linkages import pendulum
from vincolo import _kernel
from vincolo.formats.tree.settings import names_of
from vincolo.solvers.table import NAMES, TABLE, markdown

KINDS = FIXED + ADAPTIVE


def run(**changed):
    """A run of the kernel with some of its options changed."""
    system = vc.compile(pendulum())
    start = vc.assemble(system)
    options = {"integrator": vc.RK4().options(), "stabilisation": vc.Projection().options(),
               "formulation": vc.solvers.Sparse().options(), "max_steps": 0, **changed}
    return _kernel.core().Run(system.kernel, options, 0.0, start.y.tolist(), start.turns.tolist(), [0.1])


def test_every_row_is_a_class_that_files_and_the_package_know():
    assert sorted(kind.__name__ for kind in KINDS) == sorted(NAMES) == sorted(names_of("integrator"))
    for row in TABLE:
        kind = getattr(vc, row.name)
        assert kind.__doc__ == row.doc and kind.__module__ == "vincolo.solvers.integrators"
        assert row.name in vc.integrators.__all__
        assert {number.name for number in row.own} <= {f.name for f in fields(kind)}


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_values(kind):
    one = kind()
    assert one == kind() and hash(one) == hash(kind()) and pickle.loads(pickle.dumps(one)) == one
    assert repr(one).startswith(f"{kind.__name__}(") and one != (vc.RK4 if kind is vc.Heun else vc.Heun)()
    with pytest.raises(FrozenInstanceError):
        one.step = 1.0


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not vc.Trapezoidal])
def test_the_kernel_refuses_options_a_stepper_does_not_have(kind):
    assert run(integrator=kind().options()).advance(10**6) == "done"
    with pytest.raises(ValueError, match=f"{kind.method} has no option called 'stepp'"):
        run(integrator={**kind().options(), "stepp": 1e-3})


@pytest.mark.parametrize("keeps", [vc.NoStabilisation(), vc.Baumgarte(), vc.Projection(), vc.DirectCorrection(),
                                   vc.CorrectionByTolerance()], ids=str)
def test_the_kernel_refuses_options_a_stabilisation_does_not_have(keeps):
    assert run(stabilisation=keeps.options()).advance(10**6) == "done"
    with pytest.raises(ValueError, match=f"{keeps.kind} has no option called 'gain'"):
        run(stabilisation={**keeps.options(), "gain": 1.0})


@pytest.mark.parametrize("formulation", [vc.solvers.Sparse(), vc.Lagrange(), vc.Penalty(), vc.AugmentedLagrangian(),
                                         vc.UdwadiaKalaba(), vc.CoordinatePartitioning(), vc.NullSpace(), vc.QTZ()],
                         ids=str)
def test_the_kernel_refuses_options_a_formulation_does_not_have(formulation):
    assert run(formulation=formulation.options()).advance(10**6) == "done"
    with pytest.raises(ValueError, match=f"{formulation.kind} has no option called 'variant'"):
        run(formulation={**formulation.options(), "variant": "qr"})


def test_the_kernel_refuses_what_it_cannot_read():
    with pytest.raises(ValueError, match="a run has no option called 'max_step'"):
        run(max_step=1)
    with pytest.raises(ValueError, match="knows no integrator called 'leapfrog'"):
        run(integrator={"method": "leapfrog"})
    with pytest.raises(ValueError, match="rk4: the option 'step' is of another kind"):
        run(integrator={"method": "rk4", "step": "short"})
    with pytest.raises(ValueError, match="radau: the option 'index' is a whole number"):
        run(integrator={"method": "radau", "index": 1.5})
    with pytest.raises(ValueError, match="trapezoidal step needs the augmented Lagrangian"):
        run(integrator=vc.Trapezoidal().options())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not vc.Trapezoidal])
def test_samples_between_steps_are_closed(kind):
    """Whatever the integrator, also one whose own steps end closed."""
    times = [0.0, 0.123456, 0.23456, 0.31]
    chosen = kind(step=1e-4 if kind.order == 1 else 1e-2) if kind in FIXED else kind(rtol=1e-4, atol=1e-6)
    result = vc.simulate(pendulum(), 0.31, outputs=times, integrator=chosen)
    assert result.statistics["position_residual"] < 1e-10


def test_the_guide_shows_the_table():
    assert markdown() in (Path(__file__).resolve().parents[2] / "docs" / "guide_runs.md").read_text()
