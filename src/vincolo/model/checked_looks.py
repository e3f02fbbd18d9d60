"""Looks of bodies from what users write, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vincolo.errors import ModelError, suggest
from vincolo.model import shapes
from vincolo.model.checks import number_array
from vincolo.model.geometry import rotation_of, vector
from vincolo.model.links import skin
from vincolo.model.looks import FORMS, OPTIONAL, Look, colour_of, plain


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
    if kind == "skin":
        skin(what, number_array(f"{what}: points", found.numbers["points"]), found.numbers["thickness"], colour)
    elif kind != "mesh":
        _check_form(what, found)
    return found


def _check_form(what: str, look: Look) -> None:
    """The function that computes mass properties checks the numbers."""
    try:
        getattr(shapes, look.kind)(**look.numbers, mass=1.0)
    except (ModelError, TypeError) as error:
        raise ModelError(f"{what}: {error}") from None
