"""Scenes: every model has one, its meshes are sound, and everything is where the result says."""


import numpy as np
import pytest

import vincolo as vc
from example_models import NAMES, built
from vincolo.equations.joints import CATALOGUE
from vincolo.scene import poses_of, scene_of
from vincolo.scene.camera import VIEWS, camera_of, cloud_of
from vincolo.scene.meshes import Mesh, arrow, coil, hull, of_look, ring, swept, turning_arrow
from vincolo.scene.picture import Painter
from vincolo.scene.poses import continuous, onto, points_of, turned
from vincolo.scene.symbols import SYMBOLS, wheel


def volume(mesh):
    """Of the solid inside; positive if faces are wound outwards."""
    return float(np.linalg.det(mesh.vertices[mesh.faces]).sum()) / 6


def closed(mesh):
    edges = mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    forward, backward = ({tuple(e) for e in x.tolist()} for x in (edges, edges[:, ::-1]))
    return forward == backward


# meshes

@pytest.mark.parametrize(("shape", "within"), [
    (vc.box((1, 2, 3), density=1.0), 1e-12), (vc.sphere(0.5, density=1.0), 0.02),
    (vc.ellipsoid((1, 2, 0.5), density=1.0), 0.02), (vc.cylinder(0.3, 2.0, "x", density=1.0), 0.01),
    (vc.tube(0.5, 0.3, 1.0, "y", density=1.0), 0.02), (vc.cone(0.4, 1.0, "-z", density=1.0), 0.02),
    (vc.frustum(0.4, 0.2, 1.0, density=1.0), 0.02),
    (vc.extrusion([(0, 0), (2, 0), (2, 1), (1, 0.4), (0, 1)], 0.5, "x", density=1.0), 1e-9),
    (vc.extrusion([(0, 0), (4, 0), (4, 3), (0, 3)], 1.0, holes=[[(1, 1), (2, 1), (2, 2)], [(3, 1), (3.5, 1),
                  (3.5, 2)]], density=1.0), 1e-9),
    (vc.box((1, 1, 1), density=1.0).moved((1, 2, 3), vc.Rotation.axis_angle("y", 0.7)), 1e-12)],
    ids=lambda x: x.looks[0].kind if hasattr(x, "looks") else "")
def test_a_shape_looks_as_heavy_as_it_is(shape, within):
    (look,) = shape.looks
    mesh = of_look(look)
    assert volume(mesh) == pytest.approx(shape.mass, rel=within)
    corners = mesh.vertices[mesh.faces]
    parts = np.linalg.det(corners) / 6
    centre = (parts[:, None] * corners.mean(axis=1) * 3 / 4).sum(axis=0) / parts.sum()
    assert centre == pytest.approx(shape.com, abs=0.02)


@pytest.mark.parametrize("mesh", [
    coil(0.1, 0.01), ring(1.0, 0.1), ring(1.0, 0.1, 2.0), arrow(1.0, 0.05), turning_arrow(1.0, 0.05),
    wheel(1.0, 0.2, 20), hull(np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)]), 0.1), hull(np.array([(0, 0, 0)]), 0.1),
    swept(np.array([(0, 0, 0), (0, 0, 1), (0, 1, 1)]), 0.1)], ids=range(9))
def test_meshes_are_closed_and_wound_outwards(mesh):
    assert volume(mesh) > 0 and mesh.faces.max() < len(mesh.vertices)
    assert np.isfinite(mesh.vertices).all()
    assert volume(Mesh(mesh.vertices, mesh.faces).moved(axes=np.diag([1.0, -1.0, 1.0]))) == pytest.approx(volume(mesh))


def test_a_capsule_has_the_volume_of_one():
    mesh = hull(np.array([(0, 0, 0), (0, 0, 2.0)]), 0.2)
    exact = np.pi * 0.04 * 2 + 4 / 3 * np.pi * 0.008
    assert volume(mesh) == pytest.approx(exact, rel=0.12) and closed(mesh)


def test_every_joint_has_a_symbol_or_a_shape_of_its_own():
    drawn_otherwise = {"distance", "gear", "rolling_disc", "rolling_ball"}
    contacts = {"rack_and_pinion", "point_on_curve", "cam", "flat_cam"}
    assert set(CATALOGUE) == set(SYMBOLS) | drawn_otherwise | contacts


# scenes

@pytest.mark.parametrize("name", NAMES)
def test_every_example_has_a_scene_and_a_picture(name):
    model = built(name)
    scene = scene_of(model)
    assert {i.owner for i in scene.items if i.kind == "body"} == set(model.bodies)
    shown = {i.owner for i in scene.items} | {link.owner for link in scene.links}
    rolling = {n for n, j in model.joints.items() if j.kind.startswith("rolling")}
    assert set(model.joints) - rolling <= shown
    names = [i.name for i in scene.items] + [link.name for link in scene.links]
    assert len(names) == len(set(names))
    system = vc.compile(model)
    state = vc.assemble(system)
    from vincolo.scene.poses import poses_of_state

    poses = poses_of_state(state, scene)
    image = np.asarray(Painter(scene, poses, (160, 120)).paint(0, camera_of(scene, poses, wide=4 / 3)))
    background = (image == image[0, 0]).all(axis=2)
    assert 0.005 < 1 - background.mean() < 0.9  # something is seen, and not only one wall
    assert background[[0, -1]].mean() > 0.9 and background[:, [0, -1]].mean() > 0.9  # within the frame


def pendulum():
    m = vc.Model("pendulum")
    arm = m.body("arm", 1.0, 0.1, at=(0.5, 0, 0), orientation=vc.Rotation.axis_angle("z", 0.3), com=(0.1, 0, 0))
    m.universal("O", m.ground, arm, at=(0, 0, 0), axis="y", axis2="z")
    m.frame("tip", arm, (1, 0, 0.2))
    m.spring("s", m.ground.frame((1, 0, 1)), m.frames["tip"], k=20, c=0.1)
    return m


def test_everything_is_where_the_result_says():
    m = pendulum()
    result = vc.simulate(m, until=2.0, outputs=40)
    scene = scene_of(m)
    poses = poses_of(result, scene)
    tip = points_of(m.frames["tip"], poses.t, poses.positions, poses.quaternions)
    assert tip == pytest.approx(result.point("tip"), abs=1e-12)
    for link in scene.links:
        a, q, length = poses.links[link.name]
        assert length == pytest.approx(result["s.length"], abs=1e-12)
        assert a + length[:, None] * turned(q, np.array([0.0, 0.0, 1.0])) == pytest.approx(tip, abs=1e-12)
    assert {link.kind for link in scene.links} == {"spring", "damper"}
    some = poses_of(result, scene, [0, 10])
    assert len(some) == 2 and some.positions["arm"][1] == pytest.approx(poses.positions["arm"][10])


def test_turns_do_not_jump():
    q = continuous(np.array([[1.0, 0, 0, 0], [-1.0, 0, 0, 0.01], [0.9, 0.1, 0, 0]]))
    assert ((q[1:] * q[:-1]).sum(axis=1) > 0).all()
    some = np.random.default_rng(1).normal(size=(50, 3))
    some = np.vstack([some / np.linalg.norm(some, axis=1, keepdims=True), (0, 0, -1), (0, 0, 1)])
    assert turned(onto(some), np.array([0.0, 0.0, 1.0])) == pytest.approx(some, abs=1e-12)


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("view", VIEWS)
def test_a_camera_sees_all_of_it(view, parallel):
    m = pendulum()
    scene = scene_of(m)
    poses = poses_of(vc.simulate(m, until=1.0, outputs=20), scene)
    camera = camera_of(scene, poses, view, parallel, wide=1.5)
    flat, depth = camera.project(cloud_of(scene, poses))
    assert np.abs(flat[:, 1]).max() <= 1.0 and np.abs(flat[:, 0]).max() <= 1.5 and depth.max() < 0
    assert np.abs(flat).max() > 0.6  # and not from far away
    with pytest.raises(vc.ModelError, match="no view 'tpo'. Did you mean 'top'"):
        camera_of(scene, poses, "tpo")


# looks

def test_shapes_of_bodies_are_seen_with_their_colours():
    m = vc.Model()
    m.body("block", vc.box((1, 2, 3), mass=1.0) + vc.sphere(0.5, mass=1.0).moved((0, 0, 2)), colour="red")
    m.body("plain", 1.0, 0.1, (3, 0, 0), colour="#102030")
    m.look("plain", "cylinder", radius=0.2, length=1.0, axis="x", at=(0, 0, 1), colour="blue")
    scene = scene_of(m)
    shown = {i.name: i for i in scene.items if i.kind == "body"}
    assert set(shown) == {"block/0", "block/1", "plain/0"}
    assert shown["block/0"].colour == pytest.approx((200 / 255, 55 / 255, 45 / 255))
    assert shown["plain/0"].mesh.vertices[:, 0].max() == pytest.approx(0.5)
    assert shown["block/1"].mesh.vertices[:, 2].max() == pytest.approx(2.5, abs=0.01)


def test_looks_follow_sub_models_and_mirrors():
    leg = vc.Model()
    leg.body("foot", vc.box((0.2, 0.4, 0.1), mass=1.0).moved((0, 1, 0)), at=(0, 1, 0), colour="teal")
    m = vc.Model()
    m.add("left", leg)
    m.add("right", leg, mirror="y")
    assert m.colours == {"left.foot": "teal", "right.foot": "teal"}
    left, right = (of_look(m.looks[f"{side}.foot"][0]) for side in ("left", "right"))
    assert left.vertices[:, 1].mean() == pytest.approx(1.0) and right.vertices[:, 1].mean() == pytest.approx(-1.0)
    assert volume(left) == pytest.approx(volume(right)) == pytest.approx(0.008)
    m.remove("left.foot")
    assert list(m.looks) == ["right.foot"]


@pytest.mark.parametrize(("given", "expected"), [
    ({"kind": "bxo", "size": (1, 2, 3)}, "'bxo' is not a shape. Did you mean 'box'"),
    ({"kind": "box"}, "box: 'size' is missing"),
    ({"kind": "box", "size": (1, 2, 3), "radius": 1}, "box has no 'radius'"),
    ({"kind": "box", "size": (1, 2, -3)}, "size is -3; it must be positive"),
    ({"kind": "sphere", "radius": 1, "colour": "bleu"}, "'bleu' is not a colour. Did you mean 'blue'"),
    ({"kind": "sphere", "radius": 1, "colour": "#12345"}, "is not a colour"),
    ({"kind": "sphere", "radius": float("nan")}, "radius")])
def test_looks_that_cannot_be_meant_are_refused(given, expected):
    m = vc.Model()
    m.body("b", 1.0)
    with pytest.raises(vc.ModelError, match=expected):
        m.look("b", **given)
    assert not m.looks


def test_a_colour_that_is_none_leaves_no_body():
    m = vc.Model()
    with pytest.raises(vc.ModelError, match="is not a colour"):
        m.body("b", 1.0, colour="reddish blue")
    assert not m.bodies


def test_a_spring_to_a_moving_frame_is_drawn_to_where_it_is():
    m = vc.Model()
    arm = m.body("arm", 1.0, 0.1, (0.5, 0, 0))
    m.revolute("O", m.ground, arm, (0, 0, 0), "y")
    slider = arm.frame((1, 0, 0)).moving(x="0.2*sin(3*t)", z="0.1*t")
    m.spring("s", m.ground.frame((1, 0, 1)), slider, k=20)
    result = vc.simulate(m, until=1.0, outputs=20)
    scene = scene_of(m)
    (link,) = scene.links
    assert poses_of(result, scene).links[link.name][2] == pytest.approx(result["s.length"], abs=1e-12)
