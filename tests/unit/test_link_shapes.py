"""Links: bars between points, in Python by their points, in files by the joints of their body."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import vincolo as vc
from vincolo.formats import load_model, save_model
from vincolo.scene.meshes import of_look

FOUR_BAR = """
bodies:
  crank: {shape: {kind: link, radius: 0.01, density: 7850}}
  coupler: {shape: {kind: link, radius: 8 mm, mass: 0.5}}
  rocker: {shape: {kind: link}, orientation: {axis: y, angle: 0.3}}
joints:
  A: {kind: revolute, a: ground, b: crank, at: [0, 0, 0], axis: y}
  B: {kind: revolute, a: crank, b: coupler, at: [0.1, 0, 0], axis: y}
  C: {kind: revolute, a: coupler, b: rocker, at: [0.35, 0, 0.2], axis: y}
  D: {kind: revolute, a: rocker, b: ground, at: [0.35, 0, 0], axis: y}
"""


def read(tmp_path, text):
    path = tmp_path / "model.yaml"
    path.write_text(text)
    return load_model(path)


def in_world(body):
    R = body.orientation
    return body.mass, body.at + R @ body.com, R @ body.inertia @ R.T


def test_a_link_of_two_points_is_the_bar_of_model_link():
    a, b = np.array([0.1, -0.2, 0.3]), np.array([0.4, 0.2, 0.5])
    expected = in_world(vc.Model().link("bar", a, b, radius=0.01))
    made = vc.shapes.link([a, b], 0.01)
    for value, wanted in zip((made.mass, made.com, made.inertia), expected, strict=True):
        assert value == pytest.approx(wanted, rel=1e-12, abs=1e-15)
    assert vc.shapes.link([a, b]).mass == pytest.approx(vc.Model().link("bar", a, b).mass)


def test_the_tree_is_the_shortest_whatever_the_order_of_points():
    points = [(0, 0, 0), (0.1, 0, 0), (0.25, 0, 0), (0.25, 0, 0.2), (0.1, 0, 0)]  # one twice
    lengths = 0.1 + 0.15 + 0.2
    for order in permutations(points):
        made = vc.shapes.link(order, 0.01, density=1000.0)
        assert made.mass == pytest.approx(1000 * np.pi * 1e-4 * lengths, rel=1e-12)
        assert len(made.looks) == 3


def test_what_is_weighed_is_what_is_drawn():
    made = vc.shapes.link([(0, 0, 0), (0.2, 0, 0), (0, 0, 0.3)], 0.01, density=1000.0)
    volume = 0.0
    for look in made.looks:
        mesh = of_look(look)
        a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
        volume += float(np.einsum("ni,ni->", a, np.cross(b, c))) / 6
    assert 1000 * volume == pytest.approx(made.mass, rel=5e-3)  # cylinders of 40 sides


def test_a_ball_stands_for_a_link_with_one_point():
    made = vc.shapes.link([(1, 2, 3)], 0.01)
    assert made.mass == pytest.approx(vc.shapes.sphere(0.02, density=7850).mass) and made.com.tolist() == [1, 2, 3]
    with pytest.raises(vc.ModelError, match="(?s)one point and no radius.*Give the radius"):
        vc.shapes.link([(1, 2, 3)])
    for wrong in (None, [], [(1, 2)], "ab", [(0, 0, np.nan)]):
        with pytest.raises(vc.ModelError, match="link: points are"):
            vc.shapes.link(wrong, 0.01)
    with pytest.raises(vc.ModelError, match="both density= and mass= are given"):
        vc.shapes.link([(0, 0, 0), (1, 0, 0)], mass=1, density=1)


def test_links_of_a_file_follow_from_their_joints(tmp_path):
    m = read(tmp_path, FOUR_BAR)
    ends = {"crank": ((0, 0, 0), (0.1, 0, 0)), "coupler": ((0.1, 0, 0), (0.35, 0, 0.2)),
            "rocker": ((0.35, 0, 0.2), (0.35, 0, 0))}
    options = {"crank": {"radius": 0.01}, "coupler": {"radius": 0.008, "mass": 0.5}, "rocker": {}}
    for name, (a, b) in ends.items():
        expected = in_world(vc.Model().link("bar", a, b, **options[name]))
        for value, wanted in zip(in_world(m.bodies[name]), expected, strict=True):
            assert value == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        assert m.bodies[name].at == pytest.approx(expected[1])  # its frame is in its centre of mass
    moved = read(tmp_path, FOUR_BAR.replace("0.35, 0, 0.2]", "0.35, 0, 0.3]"))
    assert moved.bodies["rocker"].at[2] == pytest.approx(0.15)
    saved = load_model(save_model(m, tmp_path / "saved.xlsx"))
    assert [b.mass for b in saved.bodies.values()] == [b.mass for b in m.bodies.values()]


def test_points_places_and_frames_of_links(tmp_path):
    given = FOUR_BAR.replace("radius: 0.01,", "radius: 0.01, points: [[0, 0, 0], [0, 0, 0.5]],")
    assert read(tmp_path, given).bodies["crank"].mass == pytest.approx(7850 * np.pi * 1e-4 * 0.5)
    framed = FOUR_BAR + "frames:\n  tip: {on: coupler, at: [0.2, 0, 0.3]}\n  middle: {on: coupler, local: [0, 0, 0]}\n"
    m = read(tmp_path, framed.replace("mass: 0.5", "density: 7850"))
    assert m.bodies["coupler"].mass > read(tmp_path, FOUR_BAR).bodies["coupler"].mass
    assert m.frames["middle"].drawn_point == pytest.approx(in_world(m.bodies["coupler"])[1])
    assert m.frames["tip"].drawn_point == pytest.approx([0.2, 0, 0.3])
    placed = FOUR_BAR.replace("density: 7850}}", "density: 7850}, at: [0, 0, 0]}")
    assert read(tmp_path, placed).bodies["crank"].com == pytest.approx([0.05, 0, 0])


def test_a_joint_on_the_axes_of_a_link_without_a_place_is_refused(tmp_path):
    text = FOUR_BAR.replace("a: ground, b: crank, at: [0, 0, 0], axis: y}",
                            "a: {on: ground, at: [0, 0, 0], z: y}, b: {on: crank, local: [0, 0, 0], z: y}}")
    with pytest.raises(vc.VincoloError, match="(?s)given by local=.*link 'crank'.*Give the joint a point of the world"):
        read(tmp_path, text)


def test_a_file_with_wrong_joints_says_so_once(tmp_path):
    with pytest.raises(vc.VincoloError) as told:
        read(tmp_path, FOUR_BAR.replace("b: coupler, at", "b: cuopler, at"))
    assert str(told.value).count("called 'cuopler'") == 1


def test_a_link_beside_others_in_a_list_of_shapes(tmp_path):
    text = FOUR_BAR.replace("{shape: {kind: link, radius: 0.01, density: 7850}}",
                            "{shape: [{kind: link, radius: 0.01}, {kind: sphere, radius: 0.02, mass: 1}]}")
    crank = read(tmp_path, text).bodies["crank"]
    assert crank.mass == pytest.approx(1 + 7850 * np.pi * 1e-5)
