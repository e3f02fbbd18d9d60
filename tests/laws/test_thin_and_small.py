"""Thin bodies and mechanisms of any size move as thick ones of ordinary size, at the same price."""

import warnings
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import vincolo as vc
from balance import imbalances
from mechanisms import join

G = 9.81
WIRE = vc.cylinder(0.5e-3, 1.0, "z", density=7850.0)  # a steel wire: axial over transverse moment 1.5e-6
TRANSVERSE = float(WIRE.inertia[0, 0])
RATIOS = [1e-4, 1.5e-6, 1e-8, 1e-10, 1e-12, 0.0]
TOPS = ("universal", "revolute", "spherical", "constant_velocity")
HOOKS = ("spherical", "fixed", "revolute", "universal")
SIZES = [1e-10, 1e-8, 1e-6, 1e-3, 1.0, 1e2, 1e4]


def wire(ratio, top, hook, moving):
    """A wire of 1 m that carries 1 kg, 0.5 rad out of the vertical; it swings in the plane, or as it likes."""
    model = vc.Model("wire", gravity=(0, 0, -G))
    turned = vc.Rotation.axis_angle("x", 0.5)
    R, spin = turned.matrix, np.array([0.3, 0.5, 0.1]) * moving
    end = R @ [0, 0, -1]
    thin = model.body("wire", WIRE.mass, TRANSVERSE * np.array([1, 1, ratio]), at=0.5 * end, orientation=turned,
                      velocity=np.cross(spin, 0.5 * end), angular_velocity=spin)
    bob = model.body("bob", 1.0, 1e-3, at=end, velocity=np.cross(spin, end), angular_velocity=spin)
    axis = R[:, 2] if top == "constant_velocity" else R[:, 0]
    join(model, top, "top", model.ground, thin, at=np.zeros(3), axis=axis, axis2=R[:, 1])
    join(model, hook, "hook", thin, bob, at=end, axis=R[:, 0], axis2=R[:, 1])
    return model


@cache
def swung(ratio, top, hook, moving):
    return vc.simulate(wire(ratio, top, hook, moving), 2.0, outputs=20, max_steps=5_000)


@pytest.mark.parametrize("moving", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("top", TOPS)
def test_a_thin_wire_moves_as_a_thicker_one_in_about_as_many_steps(top, hook, ratio, moving):
    """An axial moment of 1e-3 of the transverse one is nothing against the 1 kg: below it nothing changes. A spin that
    nothing determines, zero between two balls, may be refused or left as it is."""
    try:
        thick, thin = swung(1e-3, top, hook, moving), swung(ratio, top, hook, moving)
    except vc.ModelError as error:
        assert ratio == 0.0 and top == hook == "spherical" and "'wire' has no inertia" in str(error)
        return
    assert thin.complete, thin.reason
    for axis in "xyz":
        assert thin[f"bob.{axis}"] == pytest.approx(thick[f"bob.{axis}"], abs=1e-5)
    assert thin.statistics["steps"] < 1.5 * thick.statistics["steps"] + 10
    assert thin.energy_drift < 1e-6


def two_wires(ratio, top, knee):
    """One wire on another, pulled at its end: where nothing but the first turns the second about its axis, hardly any
    inertia may be lent to it."""
    model, tip, parent = vc.Model("two wires", gravity=(0, 0, 0)), np.zeros(3), None
    for name, kind, share, angle in (("one", top, 1e-9, 0.5), ("two", knee, ratio, 1.2)):
        turned = vc.Rotation.axis_angle("x", angle)
        R, end = turned.matrix, tip + turned.matrix @ [0, 0, -1]
        body = model.body(name, WIRE.mass, TRANSVERSE * np.array([1, 1, share]), at=(tip + end) / 2, orientation=turned)
        join(model, kind, f"{name}.top", parent or model.ground, body, at=tip, axis=R[:, 0], axis2=R[:, 1])
        tip, parent = end, body
    model.force("pull", parent.frame(tip), (0.01, 0.03, -0.02))
    return model


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("knee", ["spherical", "universal", "revolute"])
@pytest.mark.parametrize("top", ["spherical", "universal", "revolute"])
def test_thin_wires_are_in_balance_about_all_axes(top, knee, ratio):
    """What stands in for a missing inertia is given back: Newton's and Euler's equations hold to rounding."""
    result = vc.simulate(two_wires(ratio, top, knee), 0.3, outputs=20)
    assert max(max(pair) for pair in imbalances(result, range(0, 21, 4))) < 1e-12


def test_the_thick_wire_swings_as_a_pendulum():
    """I phi'' = -g (m/2 + 1) sin phi; the bob on a ball joint does not turn."""
    inertia, moment = TRANSVERSE + WIRE.mass / 4 + 1.0, G * (WIRE.mass / 2 + 1.0)
    result = swung(1e-3, "universal", "spherical", False)
    exact = solve_ivp(lambda _, y: [y[1], -moment * np.sin(y[0]) / inertia], (0, 2), [0.5, 0.0], t_eval=result.t,
                      rtol=1e-12, atol=1e-13, method="DOP853").y[0]
    assert result["bob.z"] == pytest.approx(-np.cos(exact), abs=1e-6)
    assert np.abs(result["bob.y"]) == pytest.approx(np.abs(np.sin(exact)), abs=1e-6)


# sizes: with lengths times s and times times sqrt(s) everything is the same


def pendulum(size, mass=1.0):
    """Two bars on hinges, falling from the horizontal: chaotic later, not in the time of the test."""
    model = vc.Model("pendulum", gravity=(0, -G, 0))
    for k in range(2):
        model.body(f"bar{k}", mass, np.array([0.01, 1 / 12, 1 / 12]) * mass * size**2, at=(size * (k + 0.5), 0, 0))
    model.revolute("O", model.ground, model.bodies["bar0"], at=(0, 0, 0), axis="z")
    model.revolute("A", model.bodies["bar0"], model.bodies["bar1"], at=(size, 0, 0), axis="z")
    return model


def ball_pendulum(size):
    """The same on ball joints, with a speed out of the plane."""
    model = vc.Model("balls", gravity=(0, -G, 0))
    speed = np.sqrt(G / size)
    for k in range(2):
        model.body(f"bar{k}", 1.0, np.array([0.01, 1 / 12, 1 / 12]) * size**2, at=(size * (k + 0.5), 0, 0),
                   velocity=(0, 0, -speed * size * (k + 0.5)), angular_velocity=(0, speed, 0))
    model.spherical("O", model.ground, model.bodies["bar0"], at=(0, 0, 0))
    model.spherical("A", model.bodies["bar0"], model.bodies["bar1"], at=(size, 0, 0))
    return model


def four_bar(size):
    """Three bars on four hinges about z: three redundant rows."""
    model = vc.Model("four-bar", gravity=(0, -G, 0))
    points = size * np.array([(0, 0), (0.3, 0.5), (1.4, 0.9), (1.2, 0)])
    parts = [model.ground]
    for k, (p, q) in enumerate(zip(points[:-1], points[1:], strict=True)):
        parts.append(model.body(f"bar{k}", 1.0 + k, np.array([0.02, 0.05, 0.06]) * size**2, at=(*(p + q) / 2, 0)))
    parts.append(model.ground)
    for k, p in enumerate(points):
        model.revolute("OABC"[k], parts[k], parts[k + 1], at=(*p, 0), axis="z")
    return model


def oscillator(size):
    """Two blocks on slides with springs: nothing turns."""
    model = vc.Model("oscillator", gravity=(0, -G, 0))
    blocks = [model.body(f"block{k}", 1.0 + k, 0.1 * size**2, at=(0.3 * size * k, size * (1 + k), 0)) for k in range(2)]
    model.prismatic("lower", model.ground, blocks[0], at=(0, 0, 0), axis="y")
    model.prismatic("upper", blocks[0], blocks[1], at=(0, size, 0), axis="y")
    model.spring("soft", "lower.travel", k=4 * G / size)
    model.spring("stiff", "upper.travel", k=30 * G / size)
    return model


def orbit(size):
    """A mass on a spring to a fixed point, free to move in space."""
    model = vc.Model("orbit", gravity=(0, -G, 0))
    speed = np.sqrt(G * size)
    body = model.body("moon", 1.0, 0.1 * size**2, at=(size, 0, 0), velocity=(0, speed, 0.5 * speed))
    model.spring("pull", model.ground.frame((0, 0, 0)), body.frame((size, 0, 0)), k=3 * G / size, length=0.5 * size)
    return model


MECHANISMS = {"oscillator": oscillator, "orbit": orbit, "pendulum": pendulum, "balls": ball_pendulum,
              "four-bar": four_bar}


@cache
def run(name, size):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return vc.simulate(MECHANISMS[name](size), 2.5 * np.sqrt(size / G), outputs=25, max_steps=20_000)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_same_motion_at_every_size(name, size):
    usual, result = run(name, 1.0), run(name, size)
    assert result.complete
    for body in result.system.body_numbers:
        for axis in "xyz":
            assert result[f"{body}.{axis}"] / size == pytest.approx(usual[f"{body}.{axis}"], abs=1e-6)
            assert result[f"{body}.v{axis}"] / np.sqrt(size) == pytest.approx(usual[f"{body}.v{axis}"], abs=1e-5)
    for channel in ("kinetic", "potential"):
        assert result[f"energy.{channel}"] / size == pytest.approx(usual[f"energy.{channel}"], abs=1e-5)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_same_reactions_at_every_size(name, size):
    usual, result = run(name, 1.0), run(name, size)
    for joint in result.system.joints:
        assert result.reaction(joint).force == pytest.approx(usual.reaction(joint).force, abs=1e-4)
        assert result.reaction(joint).torque / size == pytest.approx(usual.reaction(joint).torque, abs=1e-4)


@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("size", [1e-8, 1e-4, 1.0, 1e4])
def test_lost_energy_is_noticed_at_every_size(size, mass):
    """Steps that are far too large lose energy; that is said of a small mechanism as of a large one."""
    step = 0.1 * np.sqrt(size / G)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        vc.simulate(pendulum(size, mass), 2 * np.sqrt(size / G), integrator=vc.Euler(step=step), outputs=5)
    assert any("energy" in str(w.message) for w in caught)


@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_said_of_a_right_run_at_any_size(size, mass):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = vc.simulate(pendulum(size, mass), 2.5 * np.sqrt(size / G), outputs=5)
    assert result.energy_drift < 1e-5
