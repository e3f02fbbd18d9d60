"""Bodies: inertia in every form, centre of mass, frames."""

import numpy as np
import pytest

import vincolo as vc
from mechanisms import cloud_inertia, rotation


def test_inertia_in_every_form():
    model = vc.Model()
    assert model.body("number", 1, 2.0).inertia == pytest.approx(2 * np.eye(3))
    assert model.body("three", 1, (1, 2, 2.5)).inertia == pytest.approx(np.diag([1, 2, 2.5]))
    full = [[3, 0.1, 0], [0.1, 3, 0.2], [0, 0.2, 3]]
    assert model.body("full", 1, full).inertia == pytest.approx(np.array(full))
    assert model.body("none", 1).inertia == pytest.approx(np.zeros((3, 3)))


@pytest.mark.parametrize("inertia", [[0, 0, 3], [1, 1, 2], [0, 1, 1], 0.0], ids=["planar", "plate", "rod", "point"])
def test_inertias_at_the_limit_are_accepted(inertia):
    assert vc.Model().body("b", 1, inertia).inertia.shape == (3, 3)


def test_centre_of_mass_and_velocity_of_the_origin(rng):
    R, com, v, w = rotation(rng), *rng.normal(size=(3, 3))
    model = vc.Model(gravity=(0, 0, 0))
    model.body("b", 2.0, cloud_inertia(rng), at=(1, 2, 3), orientation=R, com=com, velocity=v, angular_velocity=w)
    state = vc.compile(model).drawn
    assert [state[f"b.{c}"] for c in "xyz"] == pytest.approx([1, 2, 3])
    assert [state[f"b.v{c}"] for c in "xyz"] == pytest.approx(v)
    assert [state[f"b.w{c}"] for c in "xyz"] == pytest.approx(w)
    assert state.y[:3] == pytest.approx(np.array([1, 2, 3]) + R @ com)
    assert state.y[7:10] == pytest.approx(v + np.cross(w, R @ com))


def test_principal_axes_are_a_rotation_and_give_the_inertia_back(rng):
    for _ in range(20):
        model = vc.Model()
        body = model.body("b", 1.0, cloud_inertia(rng))
        centred = vc.compile(model).centred[0]
        P = centred.principal
        assert np.linalg.det(P) == pytest.approx(1)
        assert P @ np.diag(centred.moments) @ P.T == pytest.approx(body.inertia, abs=1e-13)


def test_kinetic_energy_about_the_centre_of_mass(rng):
    R, com, v, w = rotation(rng), *rng.normal(size=(3, 3))
    inertia = cloud_inertia(rng)
    model = vc.Model(gravity=(0, 0, 0))
    model.body("b", 2.0, inertia, orientation=R, com=com, velocity=v, angular_velocity=w)
    centre = v + np.cross(w, R @ com)
    expected = 0.5 * 2.0 * centre @ centre + 0.5 * w @ (R @ inertia @ R.T) @ w
    assert vc.compile(model).drawn["energy.kinetic"] == pytest.approx(expected)


def test_frames_by_world_point_and_by_local_point_are_the_same(rng):
    R, at = rotation(rng), rng.normal(size=3)
    body = vc.Model().body("b", 1, 1, at=at, orientation=R)
    local, z, x = rng.normal(size=(3, 3))
    one = body.frame(at + R @ local, z=R @ z, x=R @ x)
    two = body.frame(local=local, z=z, x=x)
    assert one.point == pytest.approx(two.point, abs=1e-14) and one.axes == pytest.approx(two.axes, abs=1e-14)
    assert one.drawn_point == pytest.approx(at + R @ local)
    assert one.drawn_axes[:, 2] == pytest.approx(R @ z / np.linalg.norm(z))


def test_default_frames(rng):
    R = rotation(rng)
    body = vc.Model().body("b", 1, 1, at=(1, 2, 3), orientation=R)
    assert body.frame().drawn_axes == pytest.approx(R)  # the body's own frame
    assert body.frame((1, 1, 1)).drawn_axes == pytest.approx(np.eye(3))  # world axes at a world point
    assert body.frame(local=(0, 0, 0)).drawn_axes == pytest.approx(R)


def test_what_things_look_like_when_printed():
    model = vc.Model("rig")
    body = model.body("b", 1, 1)
    joint = model.revolute("O", model.ground, body, at=(0, 0, 0), axis="z")
    assert repr(body) == "Body('b')" and repr(joint) == "Joint('O', revolute: 'ground' - 'b')"
    assert "tip" in repr(model.frame("tip", body, (0, 0, 1))) and "1 bodies, 1 joints" in repr(model)
    assert repr(vc.compile(model)) == "System('rig': 1 bodies, 5 rows)"
    assert repr(vc.assemble(model)) == "State(t=0 s of 'rig')"
