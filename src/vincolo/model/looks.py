"""How bodies look: shapes and colours, for pictures only. They have no mass and change no motion."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.geometry import Array

#: shapes and the arguments that tell their form
FORMS: dict[str, tuple[str, ...]] = {
    "box": ("size",), "ellipsoid": ("radii",), "sphere": ("radius",), "cylinder": ("radius", "length", "axis"),
    "tube": ("radius", "inner_radius", "length", "axis"), "frustum": ("radius", "top_radius", "height", "axis"),
    "cone": ("radius", "height", "axis"), "rod": ("length", "axis"), "plate": ("size", "normal"),
    "extrusion": ("profile", "length", "axis", "holes"), "polyhedron": ("vertices", "faces"),
    "mesh": ("path", "scale"), "skin": ("points", "thickness"), "point_mass": ()}
OPTIONAL = ("axis", "normal", "holes", "scale")

#: names of colours, as red, green and blue from 0 to 1
COLOURS = {"black": "#1a1a1a", "white": "#f5f5f5", "grey": "#8c939c", "gray": "#8c939c", "silver": "#b8bec7",
           "red": "#c8372d", "orange": "#e0802b", "yellow": "#e3b51f", "green": "#3f9a4e", "teal": "#2a9d8f",
           "blue": "#2f6db5", "navy": "#1d3f72", "purple": "#7b52ab", "pink": "#d4679f", "brown": "#8a5a3b",
           "steelblue": "#4682b4", "steel": "#9aa5b1", "brass": "#b5a642", "copper": "#b87333"}


@dataclass(frozen=True, eq=False)
class Look:
    """A shape on a body: its kind and numbers, where it is in the body's axes, and its colour."""

    kind: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    at: Array = field(default_factory=lambda: np.zeros(3))
    orientation: Array = field(default_factory=lambda: np.eye(3))
    colour: str | None = None

    def moved(self, at: Array, orientation: Array) -> Look:
        """The same shape placed in another frame."""
        return replace(self, at=at + orientation @ self.at, orientation=orientation @ self.orientation)

    def mirrored(self, M: Array | None) -> Look:
        """The same seen in a mirror of the body's axes; its triangles are mirrored, so any shape stays right."""
        return self if M is None else replace(self, at=M @ self.at, orientation=M @ self.orientation)


def colour_of(what: str, colour: str | None) -> tuple[float, float, float] | None:
    """Red, green and blue from 0 to 1 of a name or of a text such as #4682b4."""
    if colour is None:
        return None
    code = COLOURS.get(str(colour).lower(), str(colour))
    if not isinstance(colour, str) or not re.fullmatch(r"#[0-9a-fA-F]{6}", code):
        raise ModelError(f"{what}: {colour!r} is not a colour.{suggest(str(colour), COLOURS)}\n"
                         f"  Write #rrggbb, or one of: {', '.join(COLOURS)}.")
    red, green, blue = (int(code[k: k + 2], 16) / 255 for k in (1, 3, 5))
    return red, green, blue


def colour_code(shares: Sequence[float]) -> str:
    """#rrggbb of red, green and blue from 0 to 1."""
    return "#" + "".join(f"{round(255 * min(max(float(share), 0.0), 1.0)):02x}" for share in list(shares)[:3])


def plain(value: Any) -> Any:
    """Numbers, texts and lists of them."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return value if isinstance(value, int | float | str) else str(value)
