"""Every force law of the catalogue, written as a formula, is the built-in one, and costs little more."""

import numpy as np
import pytest

import vincolo as vc

X = np.linspace(-4, 4, 9)
BOTH = {  # as built in, and as a text
    "strut": (lambda m, hinge, ends: m.spring(hinge + " s", *ends, k=50.0, c=2.0, length=0.8, preload=1.0),
              lambda m, hinge, ends: m.law(hinge + " s", vc.distance(*ends), "50*(d - 0.8) + 2*dd + 1")),
    "torsion spring": (lambda m, hinge, _: m.spring(hinge + " s", f"{hinge}.angle", k=50.0, c=2.0, length=0.1),
                       lambda m, hinge, _: m.law(hinge + " s", f"{hinge}.angle", "50*(d - 0.1) + 2*dd")),
    "curve": (lambda m, hinge, _: m.law(hinge + " s", f"{hinge}.angle", vc.Spline(X, X**3 + 2 * X)),
              lambda m, hinge, _: m.law(hinge + " s", f"{hinge}.angle", "d^3 + 2*d")),
    "function of time": (lambda m, hinge, _: m.actuator(hinge + " s", f"{hinge}.angle", vc.Sine(3.0, 2.0)),
                         lambda m, hinge, _: m.actuator(hinge + " s", f"{hinge}.angle", "3*sin(2*t)")),
    "load": (lambda m, hinge, ends: m.force(hinge + " s", ends[1], (1.0, "cos(t)", -2.0)),
             lambda m, hinge, ends: m.force(hinge + " s", ends[1], ("1 + 0*J0.angle", "cos(t)", -2.0))),
}


def chain(add, count=12):
    """Bars on hinges, each with one force element to the bar before it."""
    model = vc.Model()
    before = model.ground
    for i in range(count):
        bar = model.body(f"b{i}", 1.0, [0.02, 0.1, 0.1], at=(i + 0.5, 0, 0), angular_velocity=(0, 0.1 * i, 0))
        model.revolute(f"J{i}", before, bar, at=(i, 0, 0), axis="y")
        add(model, f"J{i}", (before.frame((i - 0.3, 0, 0.2)), bar.frame((i + 0.6, 0, 0.3))))
        before = bar
    return vc.assemble(vc.compile(model), t=0.3)


@pytest.mark.parametrize("name", BOTH)
def test_a_law_as_a_formula_is_the_built_in_one_and_costs_at_most_three_times(name):
    states = [chain(add) for add in BOTH[name]]
    one, other = (state.solve().acceleration for state in states)
    assert other == pytest.approx(one, abs=1e-12 * np.abs(one).max())
    times = [[state.system.time_evaluations(state, 100) for state in states] for _ in range(10)]
    built_in, text = np.min(times, axis=0)
    assert text < 3 * built_in
