"""Sensors: numbers that accepted steps set to what was found there, reactions among them."""

import numpy as np
import pytest

import vincolo as vc
from integrators import EVERY, label

STEP = 1e-3


def pendulum():
    m = vc.Model("pendulum", gravity=(0, 0, -9.81))
    bob = m.body("bob", 1.0, 0.02, at=(1, 0, 0), velocity=(0, 0, -2))
    m.revolute("O", m.ground, bob, at=(0, 0, 0), axis="y")
    m.sensor("tension", "O.reaction.force", unit="N")
    return m


def block(law="-mu*abs(load)*sign(dd)", **how):
    """A block that slides and is slowed down by what its guide carries."""
    m = vc.Model("block", gravity=(0, 0, -9.81))
    body = m.body("block", 2.0, 0.1, velocity=(3, 0, 0))
    m.prismatic("rail", m.ground, body, at=(0, 0, 0), axis="x")
    if "load" in law:
        m.sensor("load", "rail.reaction.force.z", value=1.0)
    m.actuator("brake", "rail.travel", law, mu=0.2, **how)
    return m


def rough_pendulum(solved):
    """A pendulum whose pin rubs, with the load of now or of the last accepted state."""
    m = vc.Model("rough pendulum", gravity=(0, 0, -9.81))
    bob = m.body("bob", 1.0, 0.02, at=(1, 0, 0))
    m.revolute("O", m.ground, bob, at=(0, 0, 0), axis="y")
    if solved:
        m.actuator("rub", "O.angle", "-c*O.reaction.force*tanh(dd)", c=0.05, reactions="solved")
    else:
        m.sensor("load", "O.reaction.force")
        m.actuator("rub", "O.angle", "-c*load*tanh(dd)", c=0.05)
    return m


@pytest.mark.parametrize("how", EVERY, ids=label)
def test_a_sensor_is_the_reaction_where_steps_end(how):
    """Steps of one size end at every sample, adaptive ones at the last."""
    fixed = how["integrator"].fixed_step
    result = vc.simulate(pendulum(), 20 * fixed if fixed else 0.7, outputs=20, **how)
    off = np.abs(result["tension"] - result["O.reaction.force"])
    assert (off.max() if fixed else off[-1]) < 1e-9
    speed = 2 / 1.02  # which the joint leaves of what the body had
    assert result["tension"][0] == pytest.approx(np.hypot(speed**2, 9.81 * 0.02 / 1.02), rel=1e-12)


@pytest.mark.parametrize("integrator", [None, vc.RK4(step=STEP), vc.Radau(), vc.BDF(), vc.Rosenbrock(step=STEP)],
                         ids=str)
@pytest.mark.parametrize("formulation", [None, vc.NullSpace(), vc.JointCoordinates()], ids=str)
def test_laws_read_the_reactions_of_the_last_accepted_state(integrator, formulation):
    """Where these are constant nothing is late: x = v t - mu g t^2 / 2."""
    if formulation is not None and integrator is not None and integrator.implicit:
        pytest.skip("implicit integrators go with the default formulation")
    t = 0.8
    result = vc.simulate(block(), t, integrator=integrator, formulation=formulation)
    assert result["block.x"][-1] == pytest.approx(3 * t - 0.2 * 9.81 * t * t / 2, abs=1e-8)
    assert abs(result["energy.balance"]).max() < 1e-6


def test_what_is_late_is_late_by_a_step():
    """First order in the step beside the same law with the reactions of now."""
    exact = vc.simulate(rough_pendulum(True), 1.0, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))["O.angle"][-1]
    off = [abs(vc.simulate(rough_pendulum(False), 1.0, integrator=vc.RK4(step=h))["O.angle"][-1] - exact)
           for h in (4e-3, 2e-3, 1e-3)]
    assert off[0] < 1e-3
    assert off[0] / off[1] == pytest.approx(2, rel=0.02) and off[1] / off[2] == pytest.approx(2, rel=0.02)


def test_a_drive_follows_a_sensor():
    """A carriage that yields to the force of a spring, x' = -k x / c: by steps h exactly x (1 - h k / c)^n."""
    m = vc.Model("admittance", gravity=(0, 0, 0))
    cart = m.body("cart", 1.0, 0.1, at=(0.5, 0, 0))
    m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis="x")
    m.spring("spring", "rail.travel", k=40.0, preload=20.0)
    m.sensor("felt", "spring.force")
    m.drive("rail.travel", "-felt/10", level="velocity")
    result = vc.simulate(m, 0.5, outputs=50, integrator=vc.RK4(step=1e-2))
    assert result["cart.x"] - 0.5 == pytest.approx(0.5 * ((1 - 1e-2 * 4.0) ** np.arange(51) - 1), abs=1e-9)


def test_events_and_controllers_read_it():
    m = pendulum()
    m.variable("seen")
    m.event("break", "tension - 2*9.81", direction="up", switch_off="O")
    m.controller(every=1e-2, reads=["tension", "O.reaction.force"], writes=["seen"])(lambda t, x, y: x - y)
    result = vc.simulate(m, 1.0, outputs=1000, integrator=vc.RK4(step=STEP))
    [broken] = [e for e in result.events if e.name == "break"]
    plain = pendulum()
    plain.event("break", "O.reaction.force - 2*9.81", direction="up", switch_off="O")
    [exact] = [e for e in vc.simulate(plain, 1.0, integrator=vc.DOP853()).events if e.name == "break"]
    assert 0 <= broken.t - exact.t <= STEP
    assert np.abs(result["seen"]).max() < 1e-9
    assert result["tension"][result.t > broken.t].max() == 0


@pytest.mark.parametrize("integrator", [None, vc.RK4(step=STEP), vc.Radau(), vc.Adams(), vc.BDF()], ids=str)
def test_restarts_are_the_same_to_the_last_bit(integrator):
    m = rough_pendulum(False)
    how = {"integrator": integrator, "formulation": vc.formulations.Sparse()}
    whole = vc.simulate(m, 1.0, outputs=10, checkpoints=[0.5], **how)
    again = vc.simulate(whole.system, 1.0, outputs=[0.6, 0.7, 0.8, 0.9, 1.0], start=whole.state(5), **how)
    assert (again.y[-1] == whole.y[-1]).all()


def test_a_stepper_puts_it_back():
    s = vc.stepper(rough_pendulum(False), step=STEP)
    for _ in range(50):
        s.step()
    kept = s.state
    first = [s.step() is not None and s.state.y for _ in range(20)]
    s.restore(kept)
    assert all((s.step() is not None and s.state.y == y).all() for y in first)


@pytest.mark.parametrize("ending", [".yaml", ".xlsx"])
def test_files_keep_it(ending, tmp_path):
    vc.save_model(block(), tmp_path / f"block{ending}")
    again = vc.load_model(tmp_path / f"block{ending}")
    ours, theirs = (vc.simulate(m, 0.3, integrator=vc.RK4(step=STEP)).y for m in (block(), again))
    assert (ours == theirs).all()


def test_nothing_else_sets_it():
    m = pendulum()
    with pytest.raises(vc.ModelError, match=r"(?s)sensor 'tension' is set by every step.*model\.variable"):
        m.event("e", at=1.0, set={"tension": 1})
    with pytest.raises(vc.ModelError, match="sensor 'tension' is set by every step"):
        m.controller(every=1.0, reads=[], writes=["tension"])(lambda t: 1.0)
    with pytest.raises(vc.ModelError, match="sensor 'tension' is set by every step"):
        vc.stepper(m).parameters["tension"] = 1.0
    with pytest.raises(vc.ModelError, match=r"(?s)sensor 'tension' jumps.*model\.state"):
        m.drive("O.angle", "tension")
    for verb, given in ((vc.statics, m), (vc.linearize, vc.assemble(m))):
        with pytest.raises(vc.ModelError, match="sensor 'tension' is set by the steps of a run"):
            verb(given)
