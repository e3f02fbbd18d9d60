"""Bushings, general forces, drag and fields against closed forms, momentum and energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vincolo as vc

TIGHT = vc.integrators.DOP853(rtol=1e-11, atol=1e-13)


def on_bushing(**bushing) -> tuple[vc.Model, vc.Body]:
    m = vc.Model("bushing", gravity=(0, 0, 0))
    body = m.body("b", 2.0, [0.3, 0.2, 0.1], at=bushing.pop("at", (0, 0, 0)), orientation=bushing.pop("turned", None),
                  angular_velocity=bushing.pop("spin", (0, 0, 0)), velocity=bushing.pop("velocity", (0, 0, 0)))
    m.bushing("K", m.ground.frame((0, 0, 0)), body.frame(local=(0, 0, 0)), **bushing)
    return m, body


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("angle", [0.004, 0.5, 2.5])
def test_a_bushing_turns_a_body_like_a_torsion_spring_at_any_angle(axis, angle):
    k, inertia = 7.0, dict(zip("xyz", (0.3, 0.2, 0.1), strict=True))[axis]
    m, _ = on_bushing(k=[0, 0, 0, k, k, k], turned=vc.Rotation.axis_angle(axis, angle))
    period = 2 * math.pi * math.sqrt(inertia / k)
    result = vc.simulate(m, period, outputs=40, integrator=TIGHT)
    assert result[f"K.r{axis}.length"] == pytest.approx(angle * np.cos(2 * np.pi * result["t"] / period), abs=1e-8)


def test_a_bushing_of_one_number_carries_a_weight():
    m, body = on_bushing(k=1e4, c=40.0)
    m.gravity[:] = (0, 0, -10)
    assert vc.statics(m).state["b.z"] == pytest.approx(-2 * 10 / 1e4, rel=1e-9)


def test_a_full_stiffness_matrix_keeps_energy(rng):
    root = rng.normal(size=(6, 6))
    K = root @ root.T * 20
    m, _ = on_bushing(k=K, at=(0.02, -0.01, 0.03), turned=vc.Rotation.axis_angle((1, 2, 3), 0.3), spin=(1, 2, -1))
    result = vc.simulate(m, 1.0, outputs=50, integrator=TIGHT)
    q = np.array([result[f"K.{c}.value"] for c in ("x", "y", "z", "rx", "ry", "rz")])
    energy = result["energy.kinetic"] + 0.5 * np.einsum("in,ij,jn->n", q, K, q)
    assert energy == pytest.approx(energy[0], rel=1e-8)
    assert np.ptp(result["energy.kinetic"]) > 0.1 * energy[0]


def test_a_matrix_of_the_diagonal_alone_is_six_springs():
    k, c = np.array([1e3, 2e3, 3e3, 40, 50, 60]), np.array([3, 2, 1, 0.3, 0.2, 0.1])
    start = {"at": (0.02, -0.01, 0.03), "turned": vc.Rotation.axis_angle((1, 2, 3), 0.3), "spin": (1, 2, -1)}
    coupled = np.diag(k)
    coupled[0, 1] = coupled[1, 0] = 1e-300  # as laws, with a coupling that is nothing
    ends = [vc.simulate(on_bushing(k=x, c=c, preload=[1, 0, 0, 0, 0, 0.1], **start)[0], 0.5, integrator=TIGHT)
            for x in (k, np.diag(k), coupled)]
    for name in ("b.x", "b.vy", "b.wz", "K.x.force"):
        assert [end[name][-1] for end in ends] == pytest.approx([ends[0][name][-1]] * 3, rel=1e-8)


def test_a_general_force_between_two_bodies_keeps_momentum():
    m = vc.Model("two", gravity=(0, 0, 0))
    a, b = m.body("a", 1.0, [0.1, 0.2, 0.3], (0, 0, 0)), m.body("b", 2.0, [0.2, 0.1, 0.2], (1, 0.2, 0))
    m.general_force("G", a.frame((0.1, 0, 0)), b.frame((0.9, 0.1, 0)), ("3*sin(4*t)", "-2*b.vx", 1.0),
                    (0.3, "k*a.wy", "cos(t)"), k=-0.2)
    result = vc.simulate(m, 1.5, outputs=30, integrator=TIGHT)
    linear, angular = momentum(result, {"a": (1.0, [0.1, 0.2, 0.3]), "b": (2.0, [0.2, 0.1, 0.2])})
    assert np.abs(linear).max() < 1e-9 and np.abs(angular).max() < 1e-9
    assert np.abs(result["a.vx"]).max() > 0.1
    assert result["energy.balance"] == pytest.approx(0, abs=1e-8)


def momentum(result, bodies):
    linear = angular = 0
    for name, (mass, inertia) in bodies.items():
        motion = result.channels.body_motion(name)
        w = np.einsum("nji,nj->ni", motion.rotation, motion.angular_velocity)
        own = np.einsum("nij,nj->ni", motion.rotation, w * inertia)
        linear = linear + mass * motion.velocity
        angular = angular + own + mass * np.cross(motion.position, motion.velocity)
    return linear, angular


def test_drag_leads_to_the_terminal_velocity():
    m = vc.Model("fall", gravity=(0, 0, -10.0))
    body = m.body("b", 2.0, 0.1, (0, 0, 0))
    m.drag("air", body.frame((0, 0, 0)), 0.05)
    result = vc.simulate(m, 3.0, outputs=20, integrator=TIGHT)
    top = math.sqrt(2 * 10 / 0.05)
    assert result["b.vz"] == pytest.approx(-top * np.tanh(10 * result["t"] / top), abs=1e-9)


def test_drag_carries_a_body_with_the_wind():
    m = vc.Model("leaf", gravity=(0, 0, 0))
    m.drag("air", m.body("b", 0.01, 1e-5, (0, 0, 0)).frame((0, 0, 0)), 0.05, wind=(3, 0, 4))
    result = vc.simulate(m, 2.0, outputs=20, integrator=TIGHT)
    gone = 5 - 1 / (1 / 5 + 0.05 / 0.01 * result["t"])  # (v - w)' = -c/m |v - w| (v - w)
    assert np.hypot(result["b.vx"], result["b.vz"]) == pytest.approx(gone, abs=1e-9)
    assert result["b.vx"] * 4 == pytest.approx(result["b.vz"] * 3, abs=1e-9)


def test_a_central_field_closes_an_ellipse():
    m = vc.Model("orbit", gravity=(0, 0, 0))
    body = m.body("b", 1.0, 0.1, (1, 0, 0), velocity=(0, 1.2, 0))
    pull = "-g*{0}/(x^2 + y^2 + z^2)^1.5"
    m.field("sun", body.frame((1, 0, 0)), [pull.format(axis) for axis in "xyz"], g=1.0)
    axis = 1 / (2 - 1.2**2)
    result = vc.simulate(m, 2 * math.pi * axis**1.5, integrator=TIGHT)
    assert [result[f"b.{c}"][-1] for c in ("x", "y", "vx", "vy")] == pytest.approx([1, 0, 0, 1.2], abs=1e-7)


@pytest.mark.parametrize(("given", "phrase"), [
    ({"k": -1.0}, "push outwards"), ({"k": [1, 2, 3]}, "six numbers"), ({"k": 0.0}, "does nothing"),
    ({"k": math.nan}, "nan"), ({"k": np.full((6, 6), 1.0) - 2 * np.eye(6)}, "lowest eigenvalue"),
    ({"k": 1.0, "preload": (1, 2)}, "six numbers")])
def test_wrong_bushings_are_named(given, phrase):
    m = vc.Model()
    body = m.body("b", 1.0, 0.1)
    with pytest.raises(vc.ModelError, match=phrase):
        m.bushing("K", m.ground.frame((0, 0, 0)), body.frame((0, 0, 0)), **given)
    assert not m.springs and not m.laws


def test_wrong_forces_are_named():
    m = vc.Model()
    body = m.body("b", 1.0, 0.1)
    with pytest.raises(vc.ModelError, match="moving body"):
        m.drag("air", m.ground.frame((0, 0, 0)), 0.1)
    with pytest.raises(vc.ModelError, match="positive"):
        m.drag("air", body.frame((0, 0, 0)), -0.1)
    with pytest.raises(vc.ModelError, match="three numbers or texts"):
        m.field("F", body.frame((0, 0, 0)), (1, 2))
    with pytest.raises(vc.ModelError, match="same body"):
        m.general_force("G", body.frame((0, 0, 0)), body.frame((1, 0, 0)), (1, 0, 0))
