"""Parts taken out of a model, with everything that needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vincolo.errors import ModelError, suggest
from vincolo.model.body import Body
from vincolo.model.joint import Joint
from vincolo.model.measure import Measure

if TYPE_CHECKING:
    from vincolo.model.model import Model


def remove(model: Model, name: str) -> list[str]:
    """Takes a part out of a model; returns what went with it."""
    groups = {kind: group for kind, group in model.groups().items() if kind != "sub-model"}
    owner = next((group for group in groups.values() if name in group), None)
    if owner is None:
        known = [n for group in groups.values() for n in group]
        raise ModelError(f"remove(): there is nothing called {name!r} in this model.{suggest(name, known)}")
    gone = owner.pop(name)
    lost = []
    for group in groups.values():
        for other in [n for n, part in group.items() if _needs(part, name, gone)]:
            del group[other]
            lost.append(other)
    out = {name, *lost}
    for placed in model.submodels.values():
        placed.forget(out)
    for body in out:
        model.looks.pop(body, None)
        model.colours.pop(body, None)
    model.switches[:] = [s for s in model.switches if s.owner not in out]
    return lost


def _needs(part: Any, name: str, gone: Any) -> bool:
    """Whether a part refers to another that is gone: it touches the body, or acts on the joint's coordinate."""
    if isinstance(gone, Body):
        return any(frame.body is gone for frame in _frames(part))
    names = [measure.name or "" for measure in _measures(part)]
    if isinstance(gone, Joint):
        return any(measured.startswith(f"{name}.") for measured in names)
    return isinstance(gone, Measure) and name in names


def _measures(part: Any) -> list[Measure]:
    """The measures that a part is, acts along or depends on."""
    own = part if isinstance(part, Measure) else getattr(part, "measure", None)
    return ([] if own is None else [own]) + [measure for _, measure in getattr(part, "others", ())]


def _frames(part: Any) -> list[Any]:
    if isinstance(part, Joint):
        return [part.a, part.b]
    if measures := _measures(part):
        return [frame for measure in measures for _, _, a, b in measure.terms for frame in (a, b)]
    if hasattr(part, "frame") and not isinstance(part, Body):
        return [part.frame]
    return [part] if hasattr(part, "body") else []
