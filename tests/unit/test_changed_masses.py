"""Masses and sizes that change between the steps of a stepper."""

import numpy as np
import pytest

import vincolo as vc


def pendulum(mass=1.0, length=1.0):
    m = vc.Model("pendulum", gravity=(0, 0, -9.81))
    bob = m.body("bob", mass, 0.05, at=(length, 0, 0))
    m.revolute("O", m.ground, bob, at=(0, 0, 0), axis="y")
    m.spring("s", "O.angle", k=3.0)
    m.input("torque")
    m.actuator("motor", "O.angle", "torque")
    m.output("angle", "O.angle")
    return m


def four_bar():
    m = vc.Model("four-bar", gravity=(0, 0, -9.81))
    crank = m.body("crank", 1.0, 0.05, at=(0, 0, 0.25))
    rocker = m.body("rocker", 1.0, 0.05, at=(1, 0, 0.5))
    m.revolute("O", m.ground, crank, at=(0, 0, 0), axis="y")
    m.revolute("C", m.ground, rocker, at=(1, 0, 0), axis="y")
    m.distance("rod", crank.frame((0, 0, 0.5)), rocker.frame((1, 0, 1)))
    return m


@pytest.mark.parametrize("how", [{}, {"integrator": vc.RK4(step=1e-3)}, {"formulation": vc.NullSpace()},
                                 {"formulation": vc.JointCoordinates()}], ids=str)
def test_another_mass_is_that_of_another_model(how):
    """From the change on the motion is that of the model with the other mass, started there."""
    s = vc.stepper(pendulum(), step=1e-2, **how)
    view = s.outputs
    for _ in range(30):
        s.step(torque=1.0)
    before = s.state
    s.parameters["bob.mass"] = 2.5
    assert s.parameters["bob.mass"] == 2.5 and s.inputs[0] == 1.0
    for name in ("O.angle", "O.angle.rate"):
        assert s.state[name] == pytest.approx(before[name], abs=1e-13)
    heavy = vc.compile(pendulum(2.5))
    other = vc.stepper(heavy, step=1e-2, start=vc.carried(before, heavy), **how)
    for _ in range(40):
        s.step(torque=-0.5)
        other.step(torque=-0.5)
    assert s.state["O.angle"] == pytest.approx(other.state["O.angle"], abs=1e-12)
    assert view is s.outputs and view[0] == s.state["O.angle"]


def test_the_energy_of_what_changes_is_work():
    s = vc.stepper(pendulum(), step=1e-2)
    start = s.state
    for mass in (2.0, 0.5, 3.0):
        for _ in range(20):
            s.step()
        height, speed, now = s.state["bob.z"], s.state["O.angle.rate"], s.parameters["bob.mass"]
        work = s.state["energy.work"]
        s.parameters["bob.mass"] = mass
        change = (mass - now) * (9.81 * height + 0.5 * speed**2)  # l = 1
        assert s.state["energy.work"] - work == pytest.approx(change, abs=1e-12)
    for _ in range(20):
        s.step()
    gained = s.state["energy.total"] - start["energy.total"]
    assert gained == pytest.approx(s.state["energy.work"] - start["energy.work"], abs=1e-6)


def test_numbers_that_were_set_before_stay():
    s = vc.stepper(pendulum(), step=1e-2)
    s.parameters["s.k"] = 50.0
    s.parameters["bob.mass"] = 2.0
    other = vc.stepper(pendulum(2.0), step=1e-2)
    other.parameters["s.k"] = 50.0
    for _ in range(20):
        s.step(torque=0.3)
        other.step(torque=0.3)
    assert s.state["O.angle"] == pytest.approx(other.state["O.angle"], abs=1e-12)


def test_a_rod_that_grows_moves_what_it_holds():
    """Little by little, as a cylinder would: the loop stays closed at every step."""
    s = vc.stepper(four_bar(), step=1e-3)
    for k in range(20):
        s.parameters["rod.length"] = np.hypot(1.0, 0.5) + 1e-4 * (k + 1)
        s.step()
        assert s.state["residual.position"] < 1e-9
    a, b = (s.state[f"{x}.z"] for x in ("crank", "rocker"))
    assert (a, b) != (0.25, 0.5) and s.parameters["rod.length"] == pytest.approx(np.hypot(1.0, 0.5) + 2e-3)


def test_former_states_go_on_with_the_masses_of_now():
    s = vc.stepper(pendulum(), step=1e-2)
    s.step()
    kept = s.state
    s.parameters["bob.mass"] = 4.0
    s.restore(kept)
    assert s.state["O.angle"] == pytest.approx(kept["O.angle"], abs=1e-14) and s.system.model.bodies["bob"].mass == 4.0


def test_controllers_go_on():
    m = pendulum()
    m.variable("calls")
    m.controller(every=1e-2, reads=["O.angle"], writes=["calls"], memory={"n": 0.0})(
        lambda t, x, memory: memory.__setitem__("n", memory["n"] + 1) or memory["n"])
    s = vc.stepper(m, step=1e-2)
    for _ in range(5):
        s.step()
    s.parameters["bob.mass"] = 2.0
    for _ in range(5):
        s.step()
    assert s.state["calls"] == 10


@pytest.mark.parametrize("name, value, words", [
    ("bob.mass", 0.0, "stays above zero"), ("bob.mass", float("nan"), "finite"), ("bob.weight", 1.0, r"bob\.mass"),
    ("torque", 1.0, "no parameter called 'torque'")])
def test_what_cannot_be_is_refused(name, value, words):
    s = vc.stepper(pendulum(), step=1e-2)
    with pytest.raises(vc.ModelError, match=words):
        s.parameters[name] = value


def test_a_size_that_cannot_close_is_told_and_changes_nothing():
    s = vc.stepper(four_bar(), step=1e-3)
    s.step()
    before = s.state.y
    with pytest.raises(vc.AssemblyError, match="with other numbers the mechanism does not close"):
        s.parameters["rod.length"] = 9.0
    assert (s.state.y == before).all()
    s.step()
