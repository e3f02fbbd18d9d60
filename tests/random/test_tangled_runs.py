"""Random mechanisms with random laws and states that read each other across bodies: implicit integrators agree with a
tight explicit run."""

import numpy as np
import pytest

import vincolo as vc
from mechanisms import build, plans
from vincolo.layout import QUATERNION, by_body

PLANS = {name: plan for name, plan in plans().items() if len(plan.links) > 2}
SHAPES = ("sin({a})*{b}", "{a}*{b}", "tanh({a}) - 0.5*{b}", "{a}/(1 + {b}^2)", "0.3*{a}*cos(t) + {b}",
          "{a} + 0.1*{b}^3")


def tangled(plan, seed):
    """A plan with two states and three laws of random shapes over random readings."""
    rng = np.random.default_rng(seed)
    model = build(plan)
    bodies = list(model.bodies)
    for k in range(3):
        a, b = rng.choice(len(bodies), 2, replace=False)
        p, q = (model.bodies[bodies[x]].frame(local=rng.normal(size=3)) for x in (a, b))
        model.measure(f"m{k}", vc.distance(p, q))
    seen = [*(f"m{k}{end}" for k in range(3) for end in ("", ".rate")),
            *(f"{b}.{w}" for b in bodies for w in ("x", "vy", "wz"))]

    def text(names):
        return rng.choice(SHAPES).format(a=rng.choice(names), b=rng.choice(names))

    model.state("z0", f"{text(seen)} - 2*z0", start=0.2)
    model.state("z1", f"({text([*seen, 'z0'])} - z1)/0.05", start=-0.1)
    for k in range(3):
        model.law(f"law{k}", f"m{k}", f"{text([*seen, 'z0', 'z1'])} + 0.3*dd + 2*z{k % 2}")
    return model


def end(system, integrator):
    """The state at the end; p and -p are the same rotation."""
    result = vc.simulate(system, 0.2, outputs=2, integrator=integrator)
    assert result.complete
    y = result.y[-1].copy()
    by_body(y, len(system.centred))[:, QUATERNION] = np.abs(by_body(y, len(system.centred))[:, QUATERNION])
    return y


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 5))])
def test_implicit_runs_are_those_of_a_tight_explicit_one(name, seed):
    system = vc.compile(tangled(PLANS[name], seed))
    exact = end(system, vc.DOP853(rtol=1e-11, atol=1e-12))
    size = 1 + np.abs(exact).max()
    for integrator, near in ((vc.Radau(rtol=1e-9, atol=1e-10), 1e-6), (vc.BDF(rtol=1e-9, atol=1e-10), 1e-5),
                             (vc.Radau(rtol=1e-9, atol=1e-10, index=3), 1e-6), (vc.GeneralisedAlpha(step=5e-4), 1e-3),
                             (vc.Rosenbrock(step=2e-4), 1e-3), (vc.Rattle(step=2e-4), 1e-3)):
        assert np.abs(end(system, integrator) - exact).max() < near * size, integrator
