"""A variant made from a compiled system is what compile() makes of the changed model, to the last bit."""

import numpy as np
import pytest

import vincolo as vc
from example_models import built
from mechanisms import build, plans
from vincolo.system import System
from vincolo.varied import feature_of, value_of, varied, varied_system

EXAMPLES = ("slider_crank", "mcpherson", "andrews_squeezer", "bricard", "flyball_governor", "truck")


def models() -> dict[str, vc.Model]:
    return {**{name: built(name) for name in EXAMPLES}, **{name: build(plan) for name, plan in plans().items()}}


def features(model: vc.Model) -> list[str]:
    """Some of each kind that the model has."""
    joints = [f"{j.name}@{f.body.name}.{key}" for j in model.joints.values() for f in (j.a, j.b)
              for key in ("x", "ry")]
    numbers = [f"{name}.{key}" for name in model.springs for key in ("k", "length")]
    loads = [f"{load.name}.{axis}" for load in model.loads.values() for axis, f in zip("xyz", load.components,
                                                                                       strict=True)
             if isinstance(f, vc.functions.Constant)]
    return [*joints[:6], *(f"{b}.mass" for b in model.bodies), *numbers[:4], *loads[:3], "gravity.z"]


def alike(one: System, other: System) -> None:
    """Everything that a run depends on is the same."""
    assert one.extent == other.extent and one.size == other.size
    for a, b in ((one.drawn.y, other.drawn.y), (one.drawn.turns, other.drawn.turns), (one.gravity, other.gravity)):
        assert np.array_equal(a, b)
    assert one.kernel.lent() == other.kernel.lent()
    y = one.drawn.y + 1e-3 * np.random.default_rng(3).normal(size=len(one.drawn.y))
    a, b = (s.kernel.observe([0.1], y[None, :], s.drawn.turns[None, :]) for s in (one, other))
    assert all(np.array_equal(a[key], b[key], equal_nan=True) for key in a)


@pytest.mark.parametrize("name", models())
def test_a_variant_of_a_system_is_the_compiled_variant(name):
    model = models()[name]
    base = vc.compile(model)
    rng = np.random.default_rng(2)
    names = features(model)
    for group in ([n] for n in names), [names]:
        for chosen in group:
            off = [(feature_of(model, n), 0.01 * rng.random() * max(abs(value_of(model, feature_of(model, n))), 0.1))
                   for n in chosen]
            alike(varied_system(base, off), vc.compile(varied(model, off)))


def test_variants_do_not_touch_the_system_they_are_made_from():
    model = built("slider_crank")
    base = vc.compile(model)
    before = vc.simulate(base, 0.2, outputs=5)["slider.x"]
    names = features(model)
    varied_system(base, [(feature_of(model, n), 0.05) for n in names])
    assert np.array_equal(vc.simulate(base, 0.2, outputs=5)["slider.x"], before)


def law_model() -> vc.Model:
    model = vc.Model("laws")
    cart = model.body("cart", mass=1, inertia=0.1)
    model.prismatic("rail", model.ground, cart, at=(0, 0, 0), axis="x")
    model.law("pull", "rail.travel", "k*d + c*dd", k=20.0, c=3.0)
    model.variable("load", 2.0)
    model.actuator("push", "rail.travel", "load*t")
    model.spring("stiff", model.ground.frame((0, 0, 0)), cart.frame((0.5, 0, 0)), k=10, length=0.5)
    return model


@pytest.mark.parametrize("values", [{"pull.k": 5.0, "load": 0.5}, {"pull.k": 3.0},
                                    {"stiff.k": 4.0, "stiff.length": 0.4}])
def test_constants_variables_and_springs_vary(values):
    model = law_model()
    off = [(feature_of(model, n), v - value_of(model, feature_of(model, n))) for n, v in values.items()]
    one, other = varied_system(vc.compile(model), off), vc.compile(varied(model, off))
    alike(one, other)
    a, b = (vc.simulate(s, 0.5, outputs=5)["cart.x"] for s in (one, other))
    assert np.array_equal(a, b) and a[-1] != 0.0


def test_lengths_of_rods_and_rotors_are_compiled_anew():
    model = vc.Model("rod")
    a, b = (model.body(n, mass=1, inertia=0.1, at=(x, 0, 0)) for n, x in (("a", 0.0), ("b", 1.0)))
    model.prismatic("slide", model.ground, a, at=(0, 0, 0), axis="x")
    model.prismatic("other", model.ground, b, at=(1, 0, 0), axis="z")
    model.distance("rod", a.frame((0, 0, 0)), b.frame((1, 0, 0)))
    off = [(feature_of(model, "rod.length"), 0.1)]
    alike(varied_system(vc.compile(model), off), vc.compile(varied(model, off)))
