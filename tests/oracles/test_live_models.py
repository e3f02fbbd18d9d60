"""Models that change while they run, and how results change with parameters."""

import numpy as np
import pytest

import vincolo as vc

G = 9.81
TIGHT = vc.DOP853(rtol=1e-11, atol=1e-12)


def pendulum():
    model = vc.Model(gravity=(0, 0, -G))
    bob = model.body("bob", 2.0, 0.05, at=(1.0, 0, 0))
    model.revolute("O", model.ground, bob, at=(0, 0, 0), axis="y")
    model.spring("twist", "O.angle", k=3.0, length=0.0)
    return model


def test_a_pendulum_cut_off_flies_on():
    model = pendulum()
    swing = vc.simulate(model, 0.5, integrator=TIGHT)
    assert model.remove("O") == ["twist"]
    start = vc.carried(swing.state(), model)
    assert start.t == 0.5
    flight = vc.simulate(start.system, 1.0, start=start, integrator=TIGHT)
    t = flight.t - 0.5
    v = [swing[f"bob.v{axis}"][-1] for axis in "xz"]
    assert flight["bob.x"] == pytest.approx(swing["bob.x"][-1] + v[0] * t, abs=1e-9)
    assert flight["bob.z"] == pytest.approx(swing["bob.z"][-1] + v[1] * t - G / 2 * t**2, abs=1e-9)
    assert flight["bob.wy"] == pytest.approx(swing["bob.wy"][-1], abs=1e-10)


def test_a_body_hung_on_shares_its_momentum():
    """A second bob at rest is welded to the moving one: angular momentum about the hinge stays."""
    model = pendulum()
    model.remove("twist")
    swing = vc.simulate(model, 0.4, integrator=TIGHT)
    angle = swing["O.angle"][-1]
    place = (np.cos(angle) * 1.5, 0, -np.sin(angle) * 1.5)
    other = model.body("other", 1.0, 0.02, at=place)
    bob = model.bodies["bob"]
    on_bob = bob.frame(local=(0.5, 0, 0))
    model.fixed(
        "weld", on_bob, other.frame(place, x=(np.cos(angle), 0, -np.sin(angle)), z=(np.sin(angle), 0, np.cos(angle)))
    )
    start = vc.carried(swing.state(), model)
    before = (2.0 * 1.0**2 + 0.05) * swing["bob.wy"][-1]
    after = (2.0 * 1.0**2 + 0.05 + 1.0 * 1.5**2 + 0.02) * start["bob.wy"]
    assert after == pytest.approx(before, abs=1e-9)
    assert start["other.x"] == pytest.approx(place[0], abs=1e-9)
    assert start["O.angle"] == pytest.approx(angle, abs=1e-9)


ADDED = {
    "spherical": lambda m, a, b: m.spherical("new", a, b), "revolute": lambda m, a, b: m.revolute("new", a, b),
    "fixed": lambda m, a, b: m.fixed("new", a, b), "guide": lambda m, a, b: m.guide("new", a, b),
    "distance": lambda m, a, b: m.distance("new", a, b, length=1e-3),
    "hold": lambda m, a, b: m.hold("new", vc.along("z", a, b), 0.0),
    "drive": lambda m, a, b: m.drive(vc.along("z", a, b), "t - 0.4", name="new")}


@pytest.mark.parametrize("kind", ADDED)
def test_what_is_added_where_a_body_was_drawn_does_not_pull_it_back(kind):
    """A bob cut off after 0.4 s: what would move it is refused by name, what meets it where it is leaves it."""
    model = pendulum()
    state = vc.simulate(model, 0.4, integrator=TIGHT).state()
    model.remove("O")
    bob, there = model.bodies["bob"], state.channels.body_motion("bob")
    add = ADDED[kind]
    late = model.copy()
    add(late, model.ground.frame((1, 0, 0), z="x"), bob.frame((1, 0, 0), z="x"))
    with pytest.raises(vc.AssemblyError, match="(?s)'new'.*is open by 0[.].*drawn position.*gap="):
        vc.carried(state, late)
    R, off = there.rotation[0], 1e-3 if kind == "distance" else 0.0
    on_ground = model.ground.frame(there.position[0] + off * R[:, 0], z=R[:, 0], x=R[:, 1])
    add(model, on_ground, bob.frame(local=(0, 0, 0), z="x", x="y"))
    start = vc.carried(state, model)
    assert start.channels.body_motion("bob").position == pytest.approx(there.position, abs=1e-8)
    assert start.channels.body_motion("bob").rotation == pytest.approx(there.rotation, abs=1e-8)


def test_a_gap_that_is_allowed_is_closed():
    model = pendulum()
    state = vc.simulate(model, 0.4).state()
    model.remove("O")
    model.spherical("new", model.ground, model.bodies["bob"], at=(1, 0, 0))
    assert vc.carried(state, model, gap=1.0)["bob.x"] == pytest.approx(1.0, abs=1e-9)


def test_new_bodies_come_to_the_old_ones():
    """A body drawn where the bob was drawn is hung on the bob where it is now; the bob does not move for it."""
    model = pendulum()
    state = vc.simulate(model, 0.4, integrator=TIGHT).state()
    other = model.body("other", 100.0, 2.0, at=(1.5, 0, 0))
    model.fixed("weld", model.bodies["bob"], other, at=(1, 0, 0))
    start = vc.carried(state, model)
    assert [start[f"bob.{c}"] for c in "xyz"] == pytest.approx([state[f"bob.{c}"] for c in "xyz"], abs=1e-9)
    assert [start[f"other.{c}"] for c in "xyz"] == pytest.approx([1.5 * state[f"bob.{c}"] for c in "xyz"], abs=1e-8)


def test_turns_go_on_in_a_changed_model():
    model = vc.Model(gravity=(0, 0, 0))
    wheel = model.body("wheel", 1.0, 0.1, angular_velocity=(0, 0, 10.0))
    model.revolute("O", model.ground, wheel, at=(0, 0, 0), axis="z")
    run = vc.simulate(model, 2.0)
    model.spring("brake", "O.angle", k=0.0, c=1.0)
    on = vc.carried(run.state(), model)
    assert on["O.angle"] == pytest.approx(20.0, abs=1e-6)
    assert vc.simulate(on.system, 12.0, start=on)["O.angle"][-1] == pytest.approx(21.0, abs=1e-5)


def test_a_body_whose_mass_changes_keeps_its_place():
    model = pendulum()
    state = vc.simulate(model, 0.3).state()
    heavier = vc.Model(gravity=(0, 0, -G))
    bob = heavier.body("bob", 5.0, [0.1, 0.2, 0.15], at=(1.0, 0, 0), com=(0.1, 0, 0.05))
    heavier.revolute("O", heavier.ground, bob, at=(0, 0, 0), axis="y")
    start = vc.carried(state, heavier)
    assert start["bob.x"] == pytest.approx(state["bob.x"], abs=1e-10)
    assert start["bob.vz"] == pytest.approx(state["bob.vz"], abs=1e-10)


def test_what_went_with_a_body_is_told():
    model = pendulum()
    two = model.body("two", 1.0, 0.1, at=(2, 0, 0))
    model.spherical("S", model.bodies["bob"], two, at=(1.5, 0, 0))
    model.frame("tip", two, (2.5, 0, 0))
    model.force("push", two, (1, 0, 0))
    model.switch("S", False, at=0.5)
    assert sorted(model.remove("two")) == ["S", "push", "tip"]
    assert model.switches == []
    assert vc.simulate(model, 0.1).complete
    with pytest.raises(vc.ModelError, match="nothing called 'too' in this model"):
        model.remove("too")


def test_sensitivities_of_a_period():
    """Angle after 1 s of a linear torsion pendulum: th0 cos(sqrt(k / I) t)."""

    def angle(k, inertia, start):
        model = vc.Model(gravity=(0, 0, 0))
        wheel = model.body("wheel", 1.0, inertia)
        model.revolute("O", model.ground, wheel, at=(0, 0, 0), axis="z")
        model.spring("twist", "O.angle", k=k, length=0.0)
        at = vc.assemble(model, {"O.angle": start})
        run = vc.simulate(at.system, 1.0, outputs=1, start=at, integrator=TIGHT)
        return [run["O.angle"][-1], run["O.angle.rate"][-1]]

    k, inertia, start = 4.0, 0.5, 0.3
    w = np.sqrt(k / inertia)
    found = vc.sensitivities(angle, {"k": k, "inertia": inertia, "start": start})
    assert found["k"][0] == pytest.approx(-start * np.sin(w) * w / (2 * k), abs=1e-7)
    assert found["inertia"][0] == pytest.approx(start * np.sin(w) * w / (2 * inertia), abs=1e-7)
    assert found["start"] == pytest.approx([np.cos(w), -w * np.sin(w)], abs=1e-7)


@pytest.mark.parametrize(
    ("outcome", "parameters", "message"),
    [
        (3, {"a": 1.0}, "must be a function"),
        (lambda a: a, {}, "no parameters"),
        (lambda a: a, {"a": float("nan")}, "a is nan"),
        (lambda a: a / 0.0 if a else a, {"a": 0.0}, "division|finite"),
        (lambda a: np.inf, {"a": 1.0}, "must be finite"),
    ],
)
def test_sensitivities_of_nothing(outcome, parameters, message):
    with pytest.raises((vc.ModelError, ZeroDivisionError), match=message):
        vc.sensitivities(outcome, parameters)


def four_bar(a=0.3, b=0.8, c=0.6, d=0.9):
    """Lengths count between the middles of bars and their outer ends: only the coupler has both ends of its own."""
    model = vc.Model()
    A, B = np.array([0.3 * np.cos(0.7), 0.3 * np.sin(0.7), 0]), np.array([0.85, 0.6, 0])
    crank = model.body("crank", 1.0, 0.01, at=A / 2)
    coupler = model.body("coupler", 1.0, 0.01, at=(A + B) / 2)
    rocker = model.body("rocker", 1.0, 0.01, at=(B + [d, 0, 0]) / 2)
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.revolute("D", model.ground, rocker, at=(d, 0, 0), axis="z")
    for name, one, two, ends in (("A", crank, coupler, (a / 2, -b / 2)), ("B", coupler, rocker, (b / 2, c / 2))):
        frames = []
        for body, reach in zip((one, two), ends, strict=True):
            along = {"crank": A, "coupler": B - A, "rocker": B - [d, 0, 0]}[body.name]
            frames.append(body.frame(body.at + reach * along / np.linalg.norm(along), z="z"))
        model.revolute(name, *frames)
    return model


def rocker_angle(crank, a, b, c, d):
    """Of the closed four-bar, from the x axis."""
    x, y = d - a * np.cos(crank), -a * np.sin(crank)
    e = np.hypot(x, y)
    turn = np.arctan2(y, x) + np.arccos((b**2 + e**2 - c**2) / (2 * b * e))
    return np.arctan2(a * np.sin(crank) + b * np.sin(turn), a * np.cos(crank) + b * np.cos(turn) - d)


def test_direct_sensitivities_of_an_assembled_linkage():
    lengths = {"a": 0.3, "b": 0.8, "c": 0.6}
    found = vc.design_sensitivities(four_bar, lengths, ["rocker.e3"], given={"O.angle": 0.2})
    start = vc.assemble(four_bar(), {"O.angle": 0.2})
    half = 2 / np.sqrt(1 - start["rocker.e3"] ** 2)  # e3 = sin(angle / 2)
    for name, value in lengths.items():
        ends = []
        for h in (-1e-5, 1e-5):
            a, b, c = ({**lengths, name: value + h}[n] for n in "abc")
            ends.append(rocker_angle(0.9, 0.15 + a / 2, b, np.hypot(0.05, 0.6) / 2 + c / 2, 0.9))
        assert half * found[name][0] == pytest.approx((ends[1] - ends[0]) / 2e-5, abs=1e-6), name


def test_direct_sensitivities_at_rest():
    """m g L cos(th) = k th, from a bar drawn level."""
    def arm(k, mass, length):
        model = vc.Model(gravity=(0, 0, -G))
        bar = model.body("bar", mass, 0.05, at=(length, 0, 0))
        model.revolute("O", model.ground, bar, at=(0, 0, 0), axis="y")
        model.spring("twist", "O.angle", k=k, length=0.0)
        return model
    k, mass, length = 30.0, 2.0, 0.5
    found = vc.design_sensitivities(arm, {"k": k, "mass": mass, "length": length}, ["O.angle"], at_rest=True)
    angle = vc.statics(arm(k, mass, length))["O.angle"]
    stiffness = k + mass * G * length * np.sin(angle)
    assert found["k"][0] == pytest.approx(-angle / stiffness, abs=1e-7)
    assert found["mass"][0] == pytest.approx(G * length * np.cos(angle) / stiffness, abs=1e-7)
    assert found["length"][0] == pytest.approx(mass * G * np.cos(angle) / stiffness, abs=1e-6)
