"""The force that is reported of a law is the one that is applied, along the row of its measure, whatever that is."""

import numpy as np
import pytest

import vincolo as vc
from dense import gradient, inertia_and_weight, measured
from jets import Jet
from mechanisms import Plan, build, link, motions, rotation
from vincolo.equations import measures as equations
from vincolo.model.measure import measure

T = 0.3
PLAIN = [equations.world((0.36, 0.48, 0.8)), equations.along("y"), equations.cosine("x", "z"), equations.distance,
         equations.angle("x"), equations.azimuth]
VELOCITIES = [equations.skid("y"), equations.roll("x", 0.4, True), equations.roll("y", 0.4, False)]

LAWS = {
    "spring": lambda m, x: m.spring("f", x, k=20.0, c=3.0, length=0.2, preload=1.5),
    "damper": lambda m, x: m.spring("f", x, k=0.0, c=3.0, preload=0.5),
    "formula": lambda m, x: m.law("f", x, "4*d + 3*dd*abs(dd) + t"),
    "formula of the rate": lambda m, x: m.law("f", x, "3*dd*abs(dd) + t"),
    "curve": lambda m, x: m.law("f", x, vc.Spline([-9.0, -1.0, 0.5, 2.0, 9.0], [-20.0, -3.0, 0.5, 4.0, 30.0])),
    "actuator": lambda m, x: m.actuator("f", x, vc.Sine(2.0, 4.0, 0.3)),
    "actuator by a formula": lambda m, x: m.actuator("f", x, "2*dd - t"),
}
OF_VALUES = {"spring", "formula", "curve"}


def two_frames(rng, moving):
    model = build(Plan((link(rng, "a"), link(rng, "b"))))
    a, b = (model.bodies[n].frame(local=rng.normal(size=3), z=rotation(rng)[:, 2], x=rng.normal(size=3)) for n in "ab")
    if moving:
        a = a.moving("0.3*sin(2*t)", "t^2", angle="0.7*t + t^2", axis="y")
    return model, a, b


def measures(a, b):
    """Every kind of measure, sums, formulas, and formulas with rates."""
    x, y = vc.along("x", a, b), vc.angle(a, b)
    found = {str(e): measure(e, a, b) for e in (*PLAIN, *VELOCITIES)}
    found |= {"sum": 2.0 * x - y, "formula": vc.formula("x*y + t*x + sin(t)", x=x, y=y),
              "with rates": vc.formula("x_rate*cos(y) + 2*y_rate + 2 + x*t", x=x, y=y),
              "a rate alone": vc.formula("y_rate + 2", y=y)}
    return found


@pytest.mark.parametrize("moving", [False, True], ids=["frames at rest", "frames that move"])
@pytest.mark.parametrize("law", LAWS)
def test_what_is_reported_is_applied(law, moving, rng):
    names = measures(*two_frames(rng, moving)[1:])
    for name in names:
        model, a, b = two_frames(rng, moving)
        target = measures(a, b)[name]
        if law in OF_VALUES and target.is_velocity:
            with pytest.raises(vc.ModelError, match="velocity, which has"):
                LAWS[law](model, target)
            continue
        element = LAWS[law](model, target)
        system = vc.compile(model)
        state = vc.State(system, T, system.drawn.y, 0 * system.drawn.turns)
        now = motions(state)
        M, Q = inertia_and_weight(model, now)
        row = gradient(target, now, system.body_numbers, T)
        force = getattr(element, "sign", -1.0) * state["f.force"]
        found = state.channels.observed["acceleration"][0].ravel()
        assert M @ found == pytest.approx(Q + force * row, abs=1e-9), name
        _, rate, _ = measured(target, now, Jet(T, 1.0))
        assert state["f.power"] == pytest.approx(force * rate, abs=1e-9), name
        if law == "damper":
            assert state["f.force"] == pytest.approx(3.0 * rate + 0.5, abs=1e-9), name
        assert np.abs(row).max() > 1e-3


@pytest.mark.parametrize("text", ["x_rate^2", "x_rate*y_rate", "sin(x_rate)", "x/y_rate", "abs(x_rate) + y", "2^x_rate",
                                  "max(x_rate, 0)", "f(x_rate)"])
def test_formulas_are_linear_in_rates(text, rng):
    _, a, b = two_frames(rng, False)
    with pytest.raises(vc.ModelError, match="not linear in the rates"):
        vc.formula(text, x=vc.along("x", a, b), y=vc.angle(a, b), f=vc.Sine(1, 1))


@pytest.mark.parametrize("text", ["x_rate*y^2 - y_rate/(1 + x^2)", "-(x_rate + 3)*sin(t)",
                                  "(2*x_rate - y_rate)*f(y)/2"])
def test_formulas_may_have_any_factors_of_rates(text, rng):
    _, a, b = two_frames(rng, False)
    named = {"x": vc.along("x", a, b), "y": vc.angle(a, b), "f": vc.Sine(1, 1)}
    assert vc.formula(text, **{name: named[name] for name in named if f"{name}(" in text or name != "f"}).rates
