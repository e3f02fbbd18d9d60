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
