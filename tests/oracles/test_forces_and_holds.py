"""Springs, laws, actuators and held measures against closed forms and against each other."""

import numpy as np
import pytest

import vincolo as vc

TIGHT = vc.DOP853(rtol=1e-11, atol=1e-13)
MASS, STIFFNESS, DAMPING, PULL = 2.0, 50.0, 3.0, 0.1


def sledge(**spring):
    """A mass on a level slide, drawn where its spring is at rest."""
    model = vc.Model("sledge", gravity=(0, 0, -9.81))
    body = model.body("mass", MASS, 0.1, at=(0, 0, 0))
    model.prismatic("slide", model.ground, body, at=(0, 0, 0), axis="x")
    if spring:
        model.spring("spring", "slide.travel", **spring)
    return model


def released(model, until=5.0):
    """A run from a travel of 0.1 m at rest."""
    system = vc.compile(model)
    start = vc.assemble(system, {"slide.travel": PULL})
    return vc.simulate(system, until=until, start=start, integrator=TIGHT)


def test_damped_oscillator_rings_down_as_its_closed_form():
    result = released(sledge(k=STIFFNESS, c=DAMPING, length=0))
    decay = DAMPING / (2 * MASS)
    w = np.sqrt(STIFFNESS / MASS - decay**2)
    x = PULL * np.exp(-decay * result.t) * (np.cos(w * result.t) + decay / w * np.sin(w * result.t))
    assert result["slide.travel"] == pytest.approx(x, abs=1e-11)
    assert result["spring.force"] == pytest.approx(STIFFNESS * x + DAMPING * result["slide.travel.rate"], abs=1e-9)


def test_spring_between_points_is_the_spring_on_the_travel():
    model = sledge()
    model.spring("spring", model.ground.frame((-1, 0, 0)), model.bodies["mass"].frame((0, 0, 0)), k=STIFFNESS,
                 c=DAMPING, length=1.0)
    expected = released(sledge(k=STIFFNESS, c=DAMPING, length=0))
    assert released(model)["slide.travel"] == pytest.approx(expected["slide.travel"], abs=1e-11)


def test_formula_law_is_the_same_linear_spring():
    model = sledge()
    model.law("law", "slide.travel", "k*(d - d0) + c*dd", k=STIFFNESS, d0=0.0, c=DAMPING)
    expected = released(sledge(k=STIFFNESS, c=DAMPING, length=0))
    result = released(model)
    assert result["slide.travel"] == pytest.approx(expected["slide.travel"], abs=1e-11)
    assert result["law.force"] == pytest.approx(expected["spring.force"], abs=1e-9)


def test_curve_law_is_the_same_linear_spring():
    model = sledge()
    samples = np.linspace(-0.05, 0.05, 6)  # the motion leaves them: the curve goes on straight
    model.law("law", "slide.travel", vc.Spline(samples, STIFFNESS * samples))
    expected = released(sledge(k=STIFFNESS, length=0))
    assert released(model)["slide.travel"] == pytest.approx(expected["slide.travel"], abs=1e-11)


def test_preload_moves_the_place_of_rest():
    result = released(sledge(k=STIFFNESS, length=0, preload=-5.0))  # rests at 0.1 m
    assert result["slide.travel"] == pytest.approx(np.full(len(result), PULL), abs=1e-10)


def test_actuator_drives_and_law_resists():
    driven, resisted = sledge(), sledge()
    driven.actuator("push", "slide.travel", "3*sin(2*t)")
    resisted.law("push", "slide.travel", "-3*sin(2*t)")
    result = released(driven)
    # m x'' = 3 sin 2t from rest
    x = PULL + 3 / MASS * (result.t / 2 - np.sin(2 * result.t) / 4)
    assert result["slide.travel"] == pytest.approx(x, abs=1e-10)
    assert released(resisted)["slide.travel"] == pytest.approx(x, abs=1e-10)


def test_gear_by_a_held_sum_of_angles():
    """The second wheel turns twice as fast; reduced to the first, its inertia counts four times."""
    model = vc.Model("gears")
    first, second = model.body("first", 1.0, 0.3), model.body("second", 1.0, 0.2, at=(1, 0, 0))
    a = model.revolute("a", model.ground, first, at=(0, 0, 0), axis="z")
    b = model.revolute("b", model.ground, second, at=(1, 0, 0), axis="z")
    model.hold("mesh", 2 * a["angle"] - b["angle"], 0)
    model.torque("motor", first, (0, 0, 4.4))
    result = vc.simulate(model, until=4.0, integrator=TIGHT)
    angle = 0.5 * 4.4 / (0.3 + 4 * 0.2) * result.t**2  # five turns of the first wheel
    assert vc.mobility(model).dof == 1
    assert result["a.angle"] == pytest.approx(angle, abs=1e-8)
    assert result["b.angle"] == pytest.approx(2 * angle, abs=1e-8)
    assert np.abs(result["mesh.force"]) == pytest.approx(np.full(len(result), 0.2 * 8), abs=1e-8)


def test_torsion_spring_counts_full_turns():
    """A wheel on a soft torsion spring, kicked over three turns, comes back by its closed form."""
    inertia, k, kick = 0.5, 0.02, 5.0
    model = vc.Model("wheel", gravity=(0, 0, 0))
    wheel = model.body("wheel", 1.0, inertia, angular_velocity=(0, 0, kick))
    model.revolute("O", model.ground, wheel, at=(0, 0, 0), axis="z")
    model.spring("twist", "O.angle", k=k, length=0)
    result = vc.simulate(model, until=30.0, integrator=TIGHT)
    w = np.sqrt(k / inertia)
    assert kick / w > 6 * np.pi
    assert result["O.angle"] == pytest.approx(kick / w * np.sin(w * result.t), abs=1e-8)


def test_load_in_body_axes_turns_with_its_body():
    """A jet of 2 N across a rod of 1 m on a hinge is a constant torque of 2 N m."""
    model = vc.Model("jet", gravity=(0, 0, 0))
    rod = model.body("rod", 1.0, 0.25, at=(0.5, 0, 0))
    model.revolute("O", model.ground, rod, at=(0, 0, 0), axis="z")
    model.force("jet", rod.frame((1, 0, 0)), (0, 2, 0), axes="body")
    result = vc.simulate(model, until=3.0, integrator=TIGHT)
    assert result["O.angle"] == pytest.approx(0.5 * 2 / (0.25 + 0.25) * result.t**2, abs=1e-8)


def test_an_actuator_follows_a_function_of_time_as_its_formula_says():
    ends = []
    for force in (vc.Sine(3.0, 2.0, offset=1.0), "1 + 3*sin(2*t)"):
        model = vc.Model(gravity=(0, 0, 0))
        cart = model.body("cart", 2.0, 1.0)
        model.prismatic("rail", model.ground, cart, at=(0, 0, 0), axis="x")
        model.actuator("push", "rail.travel", force)
        result = vc.simulate(model, until=3.0, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
        assert result["push.force"] == pytest.approx(1 + 3 * np.sin(2 * result.t), abs=1e-12)
        ends.append(result["cart.x"][-1])
    # x = (t^2 / 2 + 3 (t / 2 - sin(2 t) / 4)) / m
    expected = (4.5 + 3 * (1.5 - np.sin(6.0) / 4)) / 2
    assert ends == pytest.approx([expected, expected], abs=1e-10)
