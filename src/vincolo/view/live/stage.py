"""A scene put into the browser: one node for each body, moved as a whole; nothing else is sent while it plays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vincolo.model.geometry import Array
from vincolo.optional import library
from vincolo.scene.meshes import Mesh
from vincolo.scene.poses import onto
from vincolo.scene.scene import Colour, Item, Link, Scene
from vincolo.view.live.track import Pose, Track

#: what can be shown and hidden, with the kinds of items and links that belong to it
KINDS = {"bodies": ("body",), "joints": ("joint", "rod"), "ground": ("ground",), "springs": ("spring", "damper"),
         "drives": ("drive",), "loads": ("load",), "mass centres": ("mass",)}
CHOSEN: Colour = (1.0, 0.72, 0.10)
GHOST: Colour = (0.60, 0.63, 0.68)
LAMPS = (((0.5, -0.9, 1.2), 1.7), ((-0.9, 0.5, 0.4), 0.6), ((0.1, 0.9, -0.5), 0.4))  # where from, how strong
CREASE = 0.6  # rad; edges sharper than this look sharp

Clicked = Callable[[Any, str, Item | None], None]


class Stage:
    """The nodes of one scene; a ghost is see-through and cannot be clicked."""

    def __init__(self, server: Any, scene: Scene, track: Track, root: str = "", ghost: bool = False,
                 clicked: Clicked | None = None) -> None:
        self.server, self.scene, self.track, self.root, self.ghost = server, scene, track, root, ghost
        self._clicked = clicked
        self._meshes: list[tuple[str, str, Colour, Any]] = []  # kind, owner, colour, handle
        self._extra: dict[str, list[Any]] = {}
        self._nodes = [self._group(f"{root}/{k}") for k in range(len(track.bodies))]
        self._fixed = self._group(f"{root}/ground")
        for number, item in enumerate(scene.items):
            if not ghost or item.kind == "body":
                self._add_item(number, item)
        self._stretched = self._add_links()

    def _group(self, name: str) -> Any:
        return self.server.scene.add_frame(name, show_axes=False)

    def node_of(self, body: str) -> str:
        """The name of the node that moves with a body."""
        return f"{self.root}/{self.track.bodies.index(body)}" if body in self.track.bodies else f"{self.root}/ground"

    def _add_item(self, number: int, item: Item) -> None:
        handle = self._add_mesh(f"{self.node_of(item.body)}/i{number}", item.mesh, item.colour)
        self._meshes.append((item.kind, item.owner, item.colour, handle))
        self._listen(handle, item.owner, item)

    def _add_mesh(self, name: str, mesh: Mesh, colour: Colour) -> Any:
        vertices, faces = creased(mesh)
        shade = tuple(0.35 * c + 0.65 * g for c, g in zip(colour, GHOST, strict=True)) if self.ghost else colour
        return self.server.scene.add_mesh_simple(name, vertices, faces, color=_bytes(shade), cast_shadow=False,
                                                 receive_shadow=False, opacity=0.35 if self.ghost else None)

    def _listen(self, handle: Any, owner: str, item: Item | None) -> None:
        if self._clicked is not None:
            clicked = self._clicked
            handle.on_click(lambda event: clicked(event, owner, item))

    def _add_links(self) -> list[tuple[Any, int, list[Any]]]:
        """Links between the same two points share a node; only their lengths are their own."""
        groups: dict[tuple[int, int], tuple[Any, int, list[Any]]] = {}
        for number, link in enumerate(self.scene.links):
            key = (id(link.a), id(link.b))
            if key not in groups:
                groups[key] = (self._group(f"{self.root}/l{number}"), number, [])
            node, _, members = groups[key]
            members.append(self._add_link(f"{node.name}/{number}", link))
        return list(groups.values())

    def _add_link(self, name: str, link: Link) -> Any:
        handle = self._add_mesh(name, link.mesh, link.colour)
        self._meshes.append((link.kind, link.owner, link.colour, handle))
        self._listen(handle, link.owner, None)
        return handle

    def move(self, pose: Pose) -> None:
        """Puts everything in its place."""
        for node, place, turn in zip(self._nodes, pose.positions, pose.quaternions, strict=True):
            node.position, node.wxyz = place, turn
        for node, number, members in self._stretched:
            node.position, node.wxyz = pose.starts[number], pose.turns[number]
            for member in members:
                member.scale = (1.0, 1.0, max(float(pose.lengths[number]), 1e-9))

    def show(self, what: str, visible: bool) -> None:
        """Shows or hides one of KINDS, "axes" or "names"."""
        if what in ("axes", "names"):
            if visible and what not in self._extra:
                self._extra[what] = self._axes() if what == "axes" else self._names()
            for handle in self._extra.get(what, []):
                handle.visible = visible
            return
        for kind, _, _, handle in self._meshes:
            if kind in KINDS[what]:
                handle.visible = visible

    def mark(self, owner: str | None) -> None:
        """Shows a part in the colour of what is chosen, and all others in their own."""
        for _, name, colour, handle in self._meshes:
            shade = _bytes(CHOSEN if name == owner else colour)
            if not self.ghost and handle.color != shade:
                handle.color = shade

    def _axes(self) -> list[Any]:
        length, thin = 6 * self.scene.radius, 0.25 * self.scene.radius
        return [self.server.scene.add_frame(f"{self.node_of(body)}/axes", axes_length=length, axes_radius=thin)
                for body in (*self.track.bodies, "ground")]

    def _names(self) -> list[Any]:
        found = []
        for number, item in enumerate(self.scene.items):
            if item.kind in ("mass", "joint"):
                middle = (item.mesh.vertices.min(axis=0) + item.mesh.vertices.max(axis=0)) / 2
                found.append(self.server.scene.add_label(f"{self.node_of(item.body)}/n{number}", item.owner,
                                                         position=middle, anchor="bottom-center"))
        return found


def creased(mesh: Mesh) -> tuple[Array, Any]:
    """The same triangles, with corners doubled along sharp edges so that these look sharp and the rest smooth."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(mesh.faces)
    trimesh = library("trimesh", "the viewer needs the package trimesh", "trimesh")
    whole = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    pairs = whole.face_adjacency[whole.face_adjacency_angles < CREASE]
    graph = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    patch = connected_components(graph, directed=False)[1]
    keys = np.asarray(mesh.faces, dtype=np.int64) + patch[:, None].astype(np.int64) * len(mesh.vertices)
    unique, faces = np.unique(keys, return_inverse=True)
    return mesh.vertices[unique % len(mesh.vertices)], faces.reshape(-1, 3)


def _bytes(colour: Any) -> tuple[int, int, int]:
    red, green, blue = (round(255 * float(c)) for c in colour)
    return red, green, blue


def furnish(server: Any, scene: Scene, lowest: float) -> Any:
    """Light from this computer alone, and a grid under the mechanism; returns the grid."""
    s = server.scene
    s.configure_environment_map(hdri=None)
    s.configure_default_lights(enabled=False)
    s.add_light_hemisphere("/light/sky", sky_color=(255, 255, 255), ground_color=(150, 150, 160), intensity=1.6)
    for k, (direction, strength) in enumerate(LAMPS):
        s.add_light_directional(f"/light/{k}", intensity=strength,
                                position=tuple(10 * scene.size * d for d in direction))
    cell = 10.0 ** np.floor(np.log10(scene.size / 2))
    base = scene.centre + scene.up * (lowest - float(scene.centre @ scene.up))
    return s.add_grid("/grid", width=60 * cell, height=60 * cell, plane="xy", cell_size=cell, section_size=5 * cell,
                      cell_color=(225, 228, 232), section_color=(200, 204, 210), cell_thickness=0.8,
                      section_thickness=1.0, fade_distance=6 * scene.size, fade_from="origin", shadow_opacity=0.0,
                      wxyz=onto(scene.up[None, :])[0], position=base)
