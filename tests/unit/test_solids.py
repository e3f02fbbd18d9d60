"""Triangles of solids are closed, wound outwards and enclose the volume that the textbook gives."""

import numpy as np
import pytest

from vincolo.scene import meshes
from vincolo.scene.solids import ball_triangles, hull_triangles


def volume(mesh) -> float:
    a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
    return float((a * np.cross(b, c)).sum() / 6)


def open_edges(mesh) -> int:
    """Edges that are not passed once in each direction."""
    edges = mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).tolist()
    passed = {tuple(edge) for edge in edges}
    return sum((b, a) not in passed for a, b in passed) + len(edges) - len(passed)


N = 24
ROUND = N / 2 * np.sin(2 * np.pi / N)  # area of the polygon in a circle of radius 1
SOLIDS = {
    "box": (meshes.box((1, 2, 3)), 6.0, 1e-12),
    "ball": (meshes.ball(0.5, 3), 4 / 3 * np.pi / 8, 0.02),
    "cylinder": (meshes.cylinder(2.0, 3.0, N), 12 * ROUND, 1e-12),
    "tube": (meshes.tube(1.0, 2.0, 3.0), 9 * ROUND, 1e-12),
    "cone": (meshes.cone(2.0, 0.0, 3.0), 4 * ROUND, 1e-12),
    "frustum": (meshes.cone(2.0, 1.0, 3.0), 7 * ROUND, 1e-12),
    "capsule": (meshes.capsule(np.zeros(3), np.array([0, 3.0, 4.0]), 1.0), np.pi * 5 + 4 / 3 * np.pi, 0.03),
    "hull": (meshes.hull(np.array([[0, 0, 0], [3.0, 0, 0], [0, 4.0, 0]]), 0.5), 6 + 12 * np.pi / 8 + np.pi / 6, 0.03),
    "arrow": (meshes.arrow(10.0, 0.4), None, None),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_closed_and_hold_their_volume(name):
    mesh, expected, share = SOLIDS[name]
    assert open_edges(mesh) == 0 and volume(mesh) > 0
    if expected is not None:
        assert volume(mesh) == pytest.approx(expected, rel=share)


def test_balls_are_round():
    vertices, faces = ball_triangles(2)
    assert len(vertices) == 162 and len(faces) == 320
    assert np.linalg.norm(vertices, axis=1) == pytest.approx(1)


def test_hulls_keep_the_corners_only():
    rng = np.random.default_rng(5)
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    vertices, faces = hull_triangles(np.vstack([corners, 0.2 + 0.6 * rng.random((50, 3))]))
    assert len(vertices) == 8 and volume(meshes.Mesh(vertices, faces)) == pytest.approx(1)
