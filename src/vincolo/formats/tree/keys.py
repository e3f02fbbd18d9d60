"""Maps with known keys, checked by pydantic, and their mistakes in words."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from vincolo.errors import FileError, suggest
from vincolo.formats.mistakes import refuse
from vincolo.formats.tree.source import Source, Where, shown

S = TypeVar("S", bound="Keys")

#: what a wrong value should have been, by pydantic's name of the mistake
WANTED = {"float_type": "a number", "int_type": "a whole number", "string_type": "a text", "bool_type": "true or false",
          "list_type": "a list", "dict_type": "a map of names",
          "too_short": "a longer list", "too_long": "a shorter list", "finite_number": "a finite number"}


class Keys(BaseModel):
    """A map with known keys."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


def checked(kind: type[S], data: Any, source: Source, where: Where) -> S:
    """The data of a map after a check of its keys and types."""
    known = ", ".join(kind.model_fields)
    if not isinstance(data, dict):
        raise source.error(where, f"{shown(data)} is not a map.\n  Keys here: {known}.")
    mistakes = [source.error((*where, key), f"there is no key {key!r} here.{suggest(key, kind.model_fields)}\n"
                                            f"  Keys here: {known}.") for key in data if key not in kind.model_fields]
    try:
        found: S = kind.model_validate({key: value for key, value in data.items() if key in kind.model_fields})
    except ValidationError as error:
        mistakes += _refused(error.errors(), source, where, known)
    refuse(source.file, mistakes)
    return found


def _refused(listed: list[Any], source: Source, where: Where, known: str) -> list[FileError]:
    """Mistakes in words, one for each key; of a value that may be of several types there is one for each of them."""
    keys = dict.fromkeys(mistake["loc"][0] for mistake in listed)
    return [_wrong([m for m in listed if m["loc"][0] == key], source, where, known) for key in keys]


def _wrong(about: list[Any], source: Source, where: Where, known: str) -> FileError:
    first = about[0]
    if first["type"] == "missing":
        return source.error(where, f"the key {first['loc'][0]!r} is missing.\n  Keys here: {known}.")
    place = where
    for part in first["loc"]:
        place = (*place, part) if source.has((*place, part)) else place
    wanted = " or ".join(dict.fromkeys(WANTED.get(m["type"], m["msg"].lower()) for m in about))
    value = first["input"]
    hint = "\n  A name that looks like a number is written in quotes." if wanted == "a text" else ""
    if isinstance(value, str) and re.fullmatch(r"[-+]?[0-9]+,[0-9]+", value):
        hint = f"\n  Decimals have a point: {value.replace(',', '.')}."
    return source.error(place, f"{shown(value)} cannot be used here; {wanted} is needed.{hint}")
