"""Laws see the whole mechanism: every name of a value or rate in results has the same meaning in the text of a law."""

import numpy as np
import pytest

import vincolo as vc
from mechanisms import moved_state
from vincolo.equations import measures as equations
from vincolo.model.measure import measure
from vincolo.model.sights import known

KINDS = [equations.world((0.36, 0.48, 0.8)), equations.along("y"), equations.cosine("x", "z"), equations.distance,
         equations.angle("x"), equations.azimuth]
ROUNDING = 1e-12  # of a formula against what the kernel has built in


def linkage():
    """Bodies in all kinds of motion, with every kind of part that has a value or a rate."""
    model = vc.Model("linkage", gravity=(0.3, -0.2, -9.8))
    turning = {"velocity": (0.3, -0.4, 0.2), "angular_velocity": (0.7, 0.5, -0.6)}
    for k, name in enumerate(["base", "arm", "hand", "free"]):
        model.body(name, 1.0 + k, (0.1, 0.2, 0.25), at=(0.5 * k, 0.3, 0.1 * k), com=(0.1, 0.0, 0.2), **turning)
    model.planar("floor", model.ground, "base", at=(0, 0, 0), axis="z")
    model.cylindrical("sleeve", "base", "arm", at=(0.2, 0.1, 0), axis=(1, 0, 1))
    model.universal("cross", "arm", "hand", at=(0.8, 0.3, 0.2), axis="x", axis2="z")
    tip = model.frame("tip", "hand", at=(1.4, 0.2, 0.1), z=(1, 1, 0), x=(0, 0, 1))
    model.measure("gap", vc.distance(tip, model.bodies["free"].frame((1.9, 0.5, 0))))
    model.measure("mixed", vc.formula("a*b + sin(a)", a=model.joints["sleeve"]["angle"],
                                      b=model.joints["floor"]["x"]))
    model.spring("strap", model.ground.frame((0, 0, 1)), tip, k=30.0, c=2.0)
    model.law("drag", "cross.angle1", "0.3*dd")
    model.rotor("sleeve.angle", 0.02, 5.0, "motor")
    return model


NAMES = known(linkage())


def elsewhere(model, rng):
    """A state of the model away from where it is drawn, in motion."""
    system = vc.compile(model)
    return vc.assemble(system, guess=moved_state(system.drawn, rng, size=0.1))


@pytest.mark.parametrize("name", NAMES)
def test_a_name_means_what_it_means_in_results(name, rng):
    model = linkage()
    model.actuator("probe", "floor.y", f"2*{name} + 1")
    state = elsewhere(model, rng)
    assert state["probe.force"] == pytest.approx(2 * state[name] + 1, abs=ROUNDING)


def test_all_names_of_values_and_rates_in_results_are_known():
    """Channels that are values or rates of the motion, and no others."""
    channels = vc.assemble(vc.compile(linkage())).channels
    moved = ("position", "velocity", "angular_velocity")
    motion = [name for name in channels if name != "t" and (
        (entry := channels.entry(name))[0] in ("value", "rate") or entry[0] in ("body", "frame") and entry[2] in moved)]
    assert sorted(motion) == sorted(NAMES)


def probed():
    """A law that names parts of many kinds, its own measure among them."""
    model = linkage()
    text = "k*(hand.x - tip.vz) + arm.wx*gap.rate - gap + 3*floor.y + floor.y.rate + k*mixed"
    model.law("probe", "floor.y", text, k=2.5)
    return model


@pytest.mark.parametrize("ending", [".yaml", ".xlsx"])
def test_files_keep_it(ending, tmp_path):
    again = vc.load_model(vc.save_model(probed(), tmp_path / f"m{ending}"))
    states = [vc.assemble(vc.compile(model)) for model in (probed(), again)]
    assert states[1]["probe.force"] == pytest.approx(states[0]["probe.force"], abs=ROUNDING)


@pytest.mark.parametrize("mirror", [None, "x", "y"])
def test_sub_models_see_themselves(mirror):
    whole = vc.Model("whole", gravity=(0, 0, 0))
    whole.add("left", probed(), at=(1, 2, 3), mirror=mirror)
    inside, alone = (vc.compile(model).drawn for model in (whole, probed()))
    assert inside["left.probe.force"] == pytest.approx(alone["probe.force"], abs=10 * ROUNDING)


def test_a_yaml_text_names_the_mechanism(tmp_path):
    path = vc.save_model(linkage(), tmp_path / "m.yaml")
    text = path.read_text()
    assert "0.3*dd" in text
    path.write_text(text.replace("0.3*dd", "0.3*cross.angle1.rate + 2*hand.vx*gap"))
    state = vc.assemble(vc.compile(vc.load_model(path)))
    expected = 0.3 * state["cross.angle1.rate"] + 2 * state["hand.vx"] * state["gap"]
    assert state["drag.force"] == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize("gone", ["hand", "tip", "gap", "arm", "mixed"])
def test_what_it_names_takes_it_along(gone):
    model = probed()
    assert "probe" in model.remove(gone) and "probe" not in model.laws


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_built_in_laws_as_formulas(kind):
    """A spring and a driving force written over the name of the measure: the same accelerations to rounding."""
    found = []
    for text in (False, True):
        model = linkage()
        other = model.bodies["free"].frame((1.9, 0.4, 0.3), z="y", x="z")
        model.measure("m", measure(kind, model.frames["tip"], other))
        if text:
            model.law("f", "m", "k*(m - L) + c*m.rate + P", k=20.0, c=3.0, L=0.2, P=1.5)
            model.actuator("g", "m", "A*sin(2*pi*F*t + B)", A=2.0, F=4.0, B=0.3)
        else:
            model.spring("f", "m", k=20.0, c=3.0, length=0.2, preload=1.5)
            model.actuator("g", "m", vc.Sine(2.0, 4.0, 0.3))
        state = vc.compile(model).drawn
        found.append(state.channels.observed["acceleration"][0])
        found.append([state["f.force"], state["g.force"]])
    assert found[2] == pytest.approx(found[0], rel=ROUNDING, abs=ROUNDING)
    assert found[3] == pytest.approx(found[1], rel=ROUNDING, abs=ROUNDING)


def slides(texts, **numbers):
    """Two masses on rails side by side, pushed by texts."""
    model = vc.Model("slides", gravity=(0, 0, 0))
    for k, name in enumerate(texts):
        body = model.body(name, 1.0 + k, 0.1, at=(0, k, 0), velocity=(1.0 - 0.3 * k, 0, 0))
        model.prismatic(f"rail_{name}", model.ground, body, at=(0, k, 0), axis="x")
    for name, text in texts.items():
        model.actuator(f"push_{name}", f"rail_{name}.travel", text, **numbers)
    return model


def test_a_potential_of_several_measures_keeps_energy():
    """V = k/2 (a b - s)^2 + q/4 (a^4 + b^4), forces its slopes."""
    model = slides({"a": "-k*(a.x*b.x - s)*b.x - q*a.x^3", "b": "-k*(a.x*b.x - s)*a.x - q*b.x^3"}, k=40.0, s=0.2, q=5.0)
    result = vc.simulate(model, 5.0, outputs=100, integrator=vc.DormandPrince(rtol=1e-11, atol=1e-12))
    a, b = result["a.x"], result["b.x"]
    energy = result["energy.kinetic"] + 20 * (a * b - 0.2)**2 + 1.25 * (a**4 + b**4)
    assert np.ptp(a) > 0.5
    assert energy == pytest.approx(np.full_like(energy, energy[0]), rel=1e-8)
    power = result["push_a.power"] + result["push_b.power"]
    assert power == pytest.approx(result["push_a.force"] * result["a.vx"] + result["push_b.force"] * result["b.vx"])


def test_a_stiff_law_by_name_needs_no_more_steps_than_a_spring():
    steps = []
    for text in (False, True):
        model = slides({"a": "0", "b": "sin(t)"})
        if text:
            model.law("f", "rail_a.travel", "k*(rail_a.travel - 0.1) + c*rail_a.travel.rate", k=1e8, c=1e4)
        else:
            model.spring("f", "rail_a.travel", k=1e8, c=1e4, length=0.1)
        steps.append(vc.simulate(model, 1.0, outputs=10, integrator=vc.Radau()).statistics["steps"])
    assert steps[1] <= steps[0]


@pytest.mark.parametrize(("text", "message"), [
    ("k*trip.x", "there is nothing called 'trip.x' in the mechanism, as far as it is built(?s:.)*Did you mean 'tip.x'"),
    ("k*sleeve.angel", "Did you mean 'sleeve.angle'"),
    ("k*ground.x", "there is nothing called 'ground.x'"),
    ("k*strap.force", "'strap.force' follows from the forces: a force that reads it would define itself"),
    ("k*probe.force", "there is nothing called 'probe.force'"),
    ("k*arm.ax", "'arm.ax' follows from the forces"),
    ("k*gap.acceleration", "'gap.acceleration' follows from the forces"),
    ("k*cross.reaction.force.x", "'cross.reaction.force.x' follows from the forces"),
    ("k*slip", "'slip' is a velocity, which has a rate but no value"),
])
def test_names_that_cannot_be_used(text, message):
    model = linkage()
    model.measure("slip", vc.formula("x_rate", x=model.joints["floor"]["x"]))
    with pytest.raises(vc.ExpressionError, match=message):
        model.law("probe", "floor.y", text, k=1.0)
    assert "probe" not in model.laws


def test_given_names_come_first():
    """A number given by keyword hides what the mechanism has under that name, and is not mixed up with it."""
    model = linkage()
    model.law("probe", "floor.y", "gap + hand_x*hand.x", gap=3.0, hand_x=2.0)
    state = vc.compile(model).drawn
    assert state["probe.force"] == pytest.approx(3 + 2 * state["hand.x"], abs=ROUNDING)


POLES = (-2.0, -2.5, -3.0, -3.5)
CONTROLLER = "-(k1*cart.x + k2*hinge.angle + k3*cart.vx + k4*hinge.angle.rate)"


def open_loop(cart=1.2, pole=0.3, length=0.6, inertia=0.02, g=9.81):
    """x' = A x + B u of the cart-pole about upright, x = (place, angle, their rates)."""
    M = np.array([[cart + pole, pole * length], [pole * length, inertia + pole * length**2]])
    K = np.array([[0.0, 0.0], [0.0, -pole * g * length]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), np.zeros((2, 2))]])
    return A, np.concatenate([np.zeros(2), np.linalg.solve(M, [1.0, 0.0])])


def gains():
    """State feedback that puts the poles where they are wanted, by Ackermann's formula."""
    A, B = open_loop()
    reach = np.column_stack([np.linalg.matrix_power(A, k) @ B for k in range(4)])
    wanted = np.linalg.multi_dot([A - p * np.eye(4) for p in POLES])
    return np.linalg.solve(reach.T, np.eye(4)[3]) @ wanted


def cart_pole(rate):
    model = vc.Model("cart-pole", gravity=(0, 0, -9.81))
    model.body("cart", 1.2, 0.1)
    model.body("pole", 0.3, 0.02, at=(0, 0, 0.6), velocity=(0.6 * rate, 0, 0), angular_velocity=(0, rate, 0))
    model.prismatic("rail", model.ground, "cart", at=(0, 0, 0), axis="x")
    model.revolute("hinge", "cart", "pole", at=(0, 0, 0), axis="y")
    model.actuator("motor", "rail.travel", CONTROLLER, **{f"k{k + 1}": float(x) for k, x in enumerate(gains())})
    return model


def test_a_controller_as_text_puts_the_poles_of_a_cart_pole():
    linear = vc.linearize(vc.assemble(vc.compile(cart_pole(0.0))))
    assert sorted(np.linalg.eigvals(linear.A).real) == pytest.approx(sorted(POLES), abs=1e-6)


def test_small_motions_of_the_controlled_cart_pole_are_those_of_the_closed_form():
    """x = V exp(poles t) V^-1 x0; what is left out of the linear equations is of the third order."""
    A, B = open_loop()
    poles, V = np.linalg.eig(A - np.outer(B, gains()))
    rate = 1e-4
    result = vc.simulate(cart_pole(rate), 5.0, outputs=50, integrator=vc.DormandPrince(rtol=1e-10, atol=1e-14))
    shares = np.linalg.solve(V, [0.0, 0.0, 0.0, rate])
    exact = np.real(V @ (np.exp(np.outer(poles, result.t)) * shares[:, None]))
    for row, name in enumerate(["cart.x", "hinge.angle", "cart.vx", "hinge.angle.rate"]):
        assert result[name] == pytest.approx(exact[row], abs=1e-6 * rate)


def test_the_controller_brings_the_cart_pole_back_from_a_strong_push():
    result = vc.simulate(cart_pole(0.8), 12.0, outputs=50)
    assert np.abs(result["hinge.angle"]).max() > 0.1
    assert np.abs([result["hinge.angle"][-1], result["cart.x"][-1]]).max() < 1e-6
    assert result.statistics["energy_imbalance"] < 1e-6
