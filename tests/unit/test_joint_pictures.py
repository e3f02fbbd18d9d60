"""Joints are drawn with their real shapes, each with a picture in the documents."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc
from seen import something
from vincolo.equations.joints import CATALOGUE
from vincolo.scene import scene_of
from vincolo.scene.camera import cloud_of, natural_axes
from vincolo.scene.joints import Setting, pieces_of
from vincolo.scene.meshes import Mesh

Image = pytest.importorskip("PIL.Image")

ROOT = Path(__file__).resolve().parents[2]


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


JOINTS = loaded(ROOT / "docs" / "make_joint_pictures.py")


# joints

def volume(mesh):
    return float(np.linalg.det(mesh.vertices[mesh.faces]).sum()) / 6


def pieces(model, name):
    scene = scene_of(model)
    return pieces_of(model.joints[name], Setting(scene.radius, scene.size, model)), scene


@pytest.mark.parametrize("name", JOINTS.MODELS)
def test_the_pieces_of_every_joint_are_sound_and_on_its_bodies(name):
    model = JOINTS.MODELS[name]()
    found, scene = pieces(model, name)
    assert found
    for piece in found:
        assert isinstance(piece.mesh, Mesh) and np.isfinite(piece.mesh.vertices).all() and volume(piece.mesh) > 0
        assert not piece.second or piece.frame.body is model.joints[name].b.body
    owners = {i.body for i in scene.items if i.owner == name}
    assert owners <= {"a", "b", "ground"} and owners & {"a", "b"}


def test_a_sleeve_moves_with_the_body_that_slides():
    m = vc.Model()
    slider = m.body("slider", 1.0, 0.1)
    m.prismatic("rail", m.ground, slider, at=(0, 0, 0), axis="x")
    moved = {i.body for i in scene_of(m).items if i.owner == "rail" and i.kind == "joint"}
    assert moved == {"ground", "slider"}


def test_a_cam_is_drawn_with_its_own_curve():
    model = JOINTS.MODELS["cam"]()
    (cam, _), scene = pieces(model, "cam")
    x, y, z = cam.mesh.vertices.T
    assert np.hypot(x, y) == pytest.approx(0.17 + 0.04 * np.sin(np.arctan2(y, x)), abs=1e-12)
    assert np.ptp(z) == pytest.approx(1.8 * scene.radius)


def test_a_flat_cam_touches_its_face_at_every_angle():
    model = JOINTS.MODELS["flat_cam"]()
    (cam, _), _ = pieces(model, "flat_cam")
    points = cam.mesh.vertices[:, :2]
    radius = np.hypot(*points.T)
    # the same curve as radius over angle, which the user gave; its tangents were computed from it
    assert radius == pytest.approx(0.17 + 0.04 * np.sin(np.arctan2(points[:, 1], points[:, 0])), abs=1e-5)
    joint = model.joints["flat_cam"]
    for a in np.linspace(0, 6, 7):
        reach = (points @ [np.cos(a), np.sin(a)]).max()
        assert joint.parameters["support"](a) == pytest.approx(reach, abs=1e-4)


def test_a_rack_touches_its_pinion():
    for radius, side in ((0.16, -1.0), (-0.16, 1.0)):
        m = vc.Model()
        a, b = m.body("a", 1.0, 0.1), m.body("b", 1.0, 0.1)
        m.rack_and_pinion("r", a, b, at=(0, 0, 0), axis="z", along="x", radius=radius)
        (pinion, rack), _ = pieces(m, "r")
        assert np.hypot(*pinion.mesh.vertices[:, :2].T).max() == pytest.approx(0.16, rel=0.08)
        nearest = np.abs(rack.mesh.vertices[:, 1]).min()
        assert nearest == pytest.approx(0.16, rel=0.08) and np.sign(rack.mesh.vertices[:, 1]) == pytest.approx(side)
        # which side: rolling on a fixed rack, the centre moves by -radius times the angle; the touching point rests
        v, touching = np.array([-radius, 0, 0]), np.array([0, side * 0.16, 0])
        assert v + np.cross((0, 0, 1.0), touching) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("crossed", [False, True])
def test_a_belt_has_the_length_of_one(crossed):
    from vincolo.scene.joints import _belt

    r, R, d = 0.1, 0.17, 0.5
    line = _belt(r, R, d, crossed)
    length = np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
    change = R + r if crossed else R - r
    lean = np.arcsin(change / d)
    exact = 2 * np.sqrt(d**2 - change**2) + (np.pi + 2 * lean) * (R + r if crossed else R) + (
        0 if crossed else (np.pi - 2 * lean) * r)
    assert length == pytest.approx(exact, rel=2e-3)


def test_a_gear_is_told_from_a_belt_by_its_radii():
    (first, second), _ = pieces(JOINTS.MODELS["gear"](), "gear")
    reach = [np.hypot(*p.mesh.vertices[:, :2].T).max() for p in (first, second)]
    assert sum(reach) == pytest.approx(0.5, rel=0.08) and reach[1] / reach[0] == pytest.approx(1.5, rel=0.05)
    assert len(pieces(JOINTS.MODELS["belt"](), "belt")[0]) == 3  # two pulleys and the belt
    inner = JOINTS.wheels("gear", ratio=3.0, internal=True)
    (_, ring), _ = pieces(inner, "gear")
    assert np.hypot(*ring.mesh.vertices[:, :2].T).min() > 0.7  # hollow: radius 0.75 m


def test_a_curve_is_drawn_through_its_bead():
    model = JOINTS.MODELS["point_on_curve"]()
    (wire, bead), scene = pieces(model, "point_on_curve")
    x, y, z = wire.mesh.vertices.T
    assert np.abs(y - 0.1 * np.sin(12 * x)).max() < 2 * scene.radius and np.abs(z).max() < scene.radius
    gaps = np.linalg.norm(wire.mesh.vertices, axis=1).min()
    assert gaps < 0.5 * scene.radius + 1e-9 and bead.frame.body.name == "b"


def test_a_curve_that_ends_is_drawn_as_far_as_it_goes():
    m = vc.Model()
    a, b = m.body("a", 1.0, 0.1), m.body("b", 1.0, 0.1, at=(1, 1, 0))
    m.point_on_curve("c", a, b, at=(0, 0, 0), axis="z", along="x", point=(1, 1, 0), y="sqrt(t)")
    (wire, _), _ = pieces(m, "c")
    assert np.isfinite(wire.mesh.vertices).all() and wire.mesh.vertices[:, 0].min() > -0.05


def test_mirrored_joints_are_drawn_mirrored():
    sub = JOINTS.MODELS["cam"]()
    m = vc.Model()
    m.add("left", sub)
    m.add("right", sub, mirror="x")
    setting = Setting(0.01, 1.0, m)
    left, right = (pieces_of(m.joints[f"{side}.cam"], setting)[0] for side in ("left", "right"))
    shown = [p.mesh.vertices @ p.frame.drawn_axes.T + p.frame.drawn_point for p in (left, right)]
    mirror = shown[0] * (-1, 1, 1)
    gaps = np.linalg.norm(mirror[:, None] - shown[1][None], axis=2).min(axis=1)
    assert gaps.max() < 1e-9


# the page of joints

def test_the_page_lists_every_joint_and_is_up_to_date():
    text = JOINTS.PAGE.read_text(encoding="utf-8")
    assert text == JOINTS.page(), "run: python docs/make_joint_pictures.py"
    assert all(f"**[{name}](" in text for name in CATALOGUE)


@pytest.mark.parametrize("name", JOINTS.MODELS)
def test_every_joint_has_its_picture(name):
    file = JOINTS.FOLDER / f"{name}.png"
    with Image.open(file) as read:
        shown = np.asarray(read.convert("RGB")).astype(int)
    assert shown.shape[:2] == JOINTS.SIZE[::-1] and 0.01 < something(shown).mean() < 0.9
    now = np.asarray(JOINTS.drawn(name)).astype(int)
    assert np.abs(shown - now).mean() < 2.5, "run: python docs/make_joint_pictures.py"  # fewer colours in the file


@pytest.mark.parametrize("name", JOINTS.MODELS)
def test_rounding_does_not_choose_from_where_a_joint_is_seen(name, rng):
    """What is as wide as deep, such as a square plate, has no direction of its own."""
    scene = scene_of(JOINTS.MODELS[name]())
    part = replace(scene, items=tuple(i for i in scene.items if i.owner == name), links=())
    cloud = cloud_of(part, JOINTS.as_drawn(JOINTS.MODELS[name](), part))
    for _ in range(5):
        moved = cloud + 1e-14 * rng.normal(size=cloud.shape)
        assert natural_axes(part, moved) == pytest.approx(natural_axes(part, cloud), abs=1e-6)


def test_pictures_in_the_documents_are_small():
    files = list((ROOT / "docs" / "pictures").rglob("*.png"))
    assert sum(f.stat().st_size for f in files if f.parent.name == "joints") < 1_500_000
    for f in files:
        assert f.stat().st_size < 120_000, f.name
    for name in ("slider_crank", "mcpherson", "bricard", "car"):
        with Image.open(ROOT / "docs" / "pictures" / f"{name}.png") as read:
            assert read.size == (960, 640) and something(read.convert("RGB")).mean() > 0.01
