"""How bodies look: shapes and colours, for pictures only. They have no mass and change no motion."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.geometry import Array, rotation_of, vector

#: shapes and the arguments that tell their form
FORMS: dict[str, tuple[str, ...]] = {
    "box": ("size",), "ellipsoid": ("radii",), "sphere": ("radius",), "cylinder": ("radius", "length", "axis"),
    "tube": ("radius", "inner_radius", "length", "axis"), "frustum": ("radius", "top_radius", "height", "axis"),
    "cone": ("radius", "height", "axis"), "rod": ("length", "axis"), "plate": ("size", "normal"),
    "extrusion": ("profile", "length", "axis", "holes"), "polyhedron": ("vertices", "faces"),
    "mesh": ("path", "scale"), "point_mass": ()}
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


def make_look(what: str, kind: str, numbers: Mapping[str, Any], at: Any, orientation: Any,
              colour: str | None) -> Look:
    """A checked look; its numbers are those of the function of the same name, without mass and density."""
    if kind not in FORMS:
        raise ModelError(f"{what}: {kind!r} is not a shape.{suggest(str(kind), FORMS)}\n  Shapes: {', '.join(FORMS)}.")
    known = FORMS[kind]
    for key in numbers:
        if key not in known:
            raise ModelError(f"{what}: {kind} has no {key!r}.{suggest(key, known)}\n"
                             f"  It has: {', '.join(known) or 'no numbers'}.")
    missing = [key for key in known if key not in numbers and key not in OPTIONAL]
    if missing:
        raise ModelError(f"{what}: {kind}: {missing[0]!r} is missing.\n  It has: {', '.join(known)}.")
    colour_of(what, colour)
    found = Look(kind, {key: plain(value) for key, value in numbers.items()}, vector(f"{what}: at", at),
                 rotation_of(f"{what}: orientation", orientation), colour)
    if kind != "mesh":
        _check_form(what, found)
    return found


def _check_form(what: str, look: Look) -> None:
    """The function that computes mass properties checks the numbers."""
    from vincolo.model import shapes

    try:
        getattr(shapes, look.kind)(**look.numbers, mass=1.0)
    except (ModelError, TypeError) as error:
        raise ModelError(f"{what}: {error}") from None


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


def plain(value: Any) -> Any:
    """Numbers, texts and lists of them."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return value if isinstance(value, int | float | str) else str(value)
