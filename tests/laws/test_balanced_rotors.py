"""An axisymmetric body that spins about its own axis shakes nothing, however it is described and oriented: on a hinge
through its centre of mass along its axis the reaction is zero at every angle (Euler: w x I w = 0 along a principal
axis)."""

from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.build import add_axle
from vincolo.vehicle.build_car import build_car
from vincolo.vehicle.manoeuvres import drive
from vincolo.vehicle.starters import EXAMPLES, example, example_car, example_tyre

AXES = {"tilted": (0.3, -0.5, 0.8), "camber": (0.02, 0.999, -0.05), "x": (1.0, 0.0, 0.0)}
SPIN = 100.0  # rad/s


def turned(axis):
    """A rotation that takes z to the axis."""
    z = np.asarray(axis) / np.linalg.norm(axis)
    x = np.cross(z, (0.9, 0.1, -0.2))
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def ring(axis, corners=6):
    """The moments of a regular polygon are those of a disc: a prism is balanced as a cylinder is."""
    angles = 2 * np.pi * np.arange(corners) / corners
    return vc.shapes.extrusion(0.2 * np.column_stack([np.cos(angles), np.sin(angles)]), 0.1, tuple(axis), mass=4.0)


def shape(kind, axis):
    axis = tuple(axis)
    return {
        "cylinder": lambda: vc.shapes.cylinder(0.2, 0.1, axis, mass=4.0),
        "tube": lambda: vc.shapes.tube(0.2, 0.1, 0.1, axis, mass=4.0),
        "frustum": lambda: vc.shapes.frustum(0.2, 0.1, 0.1, axis, mass=4.0),
        "cone": lambda: vc.shapes.cone(0.2, 0.1, axis, mass=4.0),
        "sphere": lambda: vc.shapes.sphere(0.2, mass=4.0),
        "extrusion": lambda: ring(axis),
        "sum": lambda: vc.shapes.cylinder(0.2, 0.1, axis, mass=4.0) + vc.shapes.tube(0.3, 0.2, 0.05, axis, mass=2.0),
        "hole": lambda: vc.shapes.cylinder(0.2, 0.1, axis, mass=4.0) - vc.shapes.cylinder(0.1, 0.1, axis, mass=1.0),
        "moved": lambda: vc.shapes.cylinder(0.2, 0.1, mass=4.0).moved((0.1, 0.2, 0.3), turned(axis)),
        "given": lambda: vc.MassProperties.given(4.0, (0.1, 0, 0), (0.05, 0.05, 0.08), axes=turned(axis)),
    }[kind]()


SHAPES = ("cylinder", "tube", "frustum", "cone", "sphere", "extrusion", "sum", "hole", "moved", "given")


def described(kind, axis):
    """A model of one rotor, its body by a shape, by a tensor, by moments in turned axes, or by a sub-model."""
    m = vc.Model("rotor", gravity=(0, 0, 0))
    if kind in SHAPES:
        body = m.body("rotor", shape(kind, axis), at=(0.2, 0.1, 0.0))
    elif kind == "tensor":
        R = turned(axis)
        body = m.body("rotor", 4.0, R @ np.diag([0.05, 0.05, 0.08]) @ R.T, at=(0.2, 0.1, 0.0))
    elif kind == "orientation":
        body = m.body("rotor", 4.0, (0.05, 0.05, 0.08), at=(0.2, 0.1, 0.0), orientation=turned(axis))
    else:
        inner = vc.Model("inner")
        inner.body("rotor", 4.0, (0.05, 0.05, 0.08), at=(0.2, 0.1, 0.0))
        m.add("part", inner, orientation=turned(axis))
        body = m.bodies["part.rotor"]
    m.revolute("hinge", m.ground, body, at=body.at + body.orientation @ body.com, axis=axis)
    return m


def shaking(model, hinge, spin):
    """The largest reaction force [N] and torque [N m] of a hinge over a turn of its body at a spin, in no gravity."""
    system = vc.compile(model)
    start = vc.assemble(system, {f"{hinge}.angle.rate": spin})
    reaction = vc.simulate(system, 2 * np.pi / spin, start=start, outputs=25).reaction(hinge)
    return float(np.abs(reaction.force).max()), float(np.abs(reaction.torque).max())


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", [*SHAPES, "tensor", "orientation", "submodel"])
def test_a_round_body_spins_without_shaking(kind, axis):
    force, torque = shaking(described(kind, AXES[axis]), "hinge", SPIN)
    scale = 0.1 * SPIN**2  # N m: an inertia of this size that is out of line
    assert force < 1e-9 * scale and torque < 1e-9 * scale


@pytest.mark.parametrize("form", ["rotor.yaml", "rotor.xlsx", "cards"])
@pytest.mark.parametrize("kind", ["cylinder", "given", "tensor", "orientation", "submodel"])
def test_files_keep_the_balance(kind, form, tmp_path):
    """Formats write the tensor with its products, not its diagonal alone."""
    model = described(kind, AXES["tilted"])
    model.looks.clear()  # cards have no place for them
    vc.save_model(model, tmp_path / form)
    read = vc.load_model(tmp_path / form)
    force, torque = shaking(read, next(iter(read.joints)), SPIN)
    assert max(force, torque) < 1e-9 * 0.1 * SPIN**2


ANGLES = {"camber": (-np.radians(3.0), 0.0), "toe": (0.0, np.radians(2.0)), "both": (np.radians(4.0), -np.radians(1.0))}


@pytest.mark.parametrize("angles", ANGLES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_wheels_of_every_suspension_are_balanced(name, angles):
    """A wheel's axis is a principal axis of it, with the moment that the suspension names; the other two are equal."""
    camber, toe = ANGLES[angles]
    s = replace(example(name), camber=camber, toe=toe, wheel_mass=10.0, wheel_inertia=0.8)
    m = vc.Model("corner", gravity=(0, 0, 0))
    axle = add_axle(m, s, locked=False)
    for side in axle.sides:
        wheel, axis = m.bodies[f"{s.name}_{side}_wheel"], s.spindle(side)
        np.testing.assert_allclose(wheel.inertia @ axis, 0.8 * axis, atol=1e-14)
        np.testing.assert_allclose(np.linalg.eigvalsh(wheel.inertia), [0.4, 0.4, 0.8], atol=1e-14)
        alone = vc.Model("wheel", gravity=(0, 0, 0))
        body = alone.body("wheel", wheel.mass, wheel.inertia, at=wheel.at)
        alone.revolute("hub", alone.ground, body, at=wheel.at, axis=axis)
        assert max(shaking(alone, "hub", SPIN)) < 1e-9 * 0.8 * SPIN**2


@pytest.mark.parametrize("angles", ANGLES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_locked_wheel_has_the_mass_and_inertia_of_a_free_one(name, angles):
    """Carriers with locked wheels are the sum of the carriers and wheels of the same suspension with hubs."""
    camber, toe = ANGLES[angles]
    s = replace(example(name), camber=camber, toe=toe, wheel_mass=10.0, wheel_inertia=0.8, upright_mass=6.0,
                upright_inertia=0.05)
    total = {}
    for locked in (True, False):
        m = vc.Model("corner")
        axle = add_axle(m, s, locked=locked)
        bodies = {axle.carrier(side).name for side in axle.sides}
        bodies |= {f"{s.name}_{side}_wheel" for side in axle.sides if not locked}
        parts = [vc.MassProperties(b.mass, b.at + b.com, b.inertia) for b in map(m.bodies.get, bodies)]
        total[locked] = sum(parts[1:], parts[0])
    np.testing.assert_allclose(total[True].com, total[False].com, atol=1e-12)
    np.testing.assert_allclose(total[True].inertia, total[False].inertia, rtol=0, atol=1e-12)


def test_a_car_with_camber_rolls_straight_without_shaking_its_tie_rods():
    """Straight on at 30 m/s with 3 degrees of camber: the force of a tie rod settles; products of inertia that were
    missing swung it by 1,140 N at the turning of the wheels."""
    car = example_car()
    car = replace(car, front=replace(car.front, camber=-np.radians(3.0)))
    run = drive(build_car(car, example_tyre()), 1.0, 30.0)
    late = run.result.t > 0.5
    force = np.abs(run.result["front_left_tie_rod.reaction.force"])[late]
    assert np.ptp(force) < 20.0
