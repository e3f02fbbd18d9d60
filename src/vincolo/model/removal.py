"""Parts taken out of a model, with everything that hangs on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vincolo.errors import ModelError, suggest
from vincolo.model.auxiliary import Auxiliary, Formula
from vincolo.model.body import Body, Frame
from vincolo.model.contact import Contact
from vincolo.model.control import Controller, Output
from vincolo.model.event import Event
from vincolo.model.forces import Law
from vincolo.model.friction import Friction
from vincolo.model.functions.signal import Signal
from vincolo.model.joint import Held, Joint
from vincolo.model.measure import Measure
from vincolo.model.submodel import Placed

if TYPE_CHECKING:
    from vincolo.model.model import Model


def remove(model: Model, name: str) -> list[str]:
    """Takes a part out of a model; returns what went with it."""
    groups = {**model.groups(), "controller": model.controllers}
    if not any(name in group for group in groups.values()):
        known = [n for group in groups.values() for n in group]
        raise ModelError(f"remove(): there is nothing called {name!r} in this model.{suggest(str(name), known)}")
    out: list[str] = []
    waiting = [name]
    while waiting:
        gone = waiting.pop(0)
        part = next(group.pop(gone) for group in groups.values() if gone in group)
        out.append(gone)
        hanging = [n for group in groups.values() for n, other in group.items() if _hangs(n, other, gone, part)]
        waiting += [n for n in hanging if n not in waiting]
    for placed in model.submodels.values():
        placed.forget(set(out))
    for body in out:
        model.looks.pop(body, None)
        model.colours.pop(body, None)
    model.switches[:] = [s for s in model.switches if s.owner not in out]
    return out[1:]


def _hangs(name: str, part: Any, gone: str, owner: Any) -> bool:
    """Whether a part needs another that is gone: it stands on the body or frame, acts on the joint's coordinate or the
    measure, or belongs to the sub-model."""
    if isinstance(owner, Placed):
        return name.startswith(f"{gone}.")
    if isinstance(part, Friction) and (
            part.on == gone or any(force.startswith(f"{gone}.") for _, force in part.bound.forces)):
        return True
    if isinstance(part, Law) and any(force.startswith(f"{gone}.") for _, force in part.forces):
        return True
    if isinstance(part, Event):
        return part.names(gone)
    if isinstance(part, Controller):
        return (any(_hangs(name, read, gone, owner) for read in part.reads)
                or (isinstance(owner, Auxiliary) and gone in part.writes))
    if isinstance(part, Output) and part.formula is None:
        return part.channel.startswith(f"{gone}.")
    if isinstance(owner, Auxiliary):
        seen = _seen_by(part)
        return seen is not None and any(read == gone for _, read in seen.reads)
    if isinstance(owner, Body):
        return any(frame.body is owner for frame in _frames(part))
    if isinstance(owner, Frame):
        return any(frame is owner or (frame.name == gone and frame.body is owner.body) for frame in _frames(part))
    if isinstance(owner, Joint):
        return any(_made_of(measure, owner) or any(source.startswith(f"{gone}.") for source in measure.sources)
                   for measure in _measures(part))
    return isinstance(owner, Measure) and any(gone in measure.sources for measure in _measures(part))


def _made_of(measure: Measure, joint: Joint) -> bool:
    """Whether a sum or formula, as files have them, is made of a joint's coordinates. A plain measure between two
    frames, and one between frames with names, stands by itself."""
    if measure.tape is None and len(measure.terms) == 1 and measure.terms[0][0] == 1.0:
        return False
    own = [c.terms[0][1:] for c in joint.coordinates.values()]
    return any(e == own_e and a is own_a and b is own_b and not (a.name and b.name)
               for _, e, a, b in measure.terms for own_e, own_a, own_b in own)


def _measures(part: Any) -> list[Measure]:
    """The measures that a part is, acts along or depends on."""
    own = part if isinstance(part, Measure) else getattr(part, "measure", None)
    seen = _seen_by(part)
    others = () if seen is None or isinstance(seen, Signal) else seen.others
    return ([] if own is None else [own]) + [measure for _, measure in others]


def _seen_by(part: Any) -> Law | Formula | Signal | None:
    """The text of a part, with what it sees of the mechanism."""
    if isinstance(part, Auxiliary):
        return part.rate or part.sensed
    if isinstance(part, Output):
        return part.formula
    if isinstance(part, Held):
        return part.function if isinstance(part.function, Signal) else None
    if isinstance(part, Friction):
        return part.forces[0]  # others see the same
    return part if isinstance(part, Law) else None


def _frames(part: Any) -> list[Frame]:
    """The frames that a part stands on; of a sub-model the one of the body that carries it."""
    if isinstance(part, Joint):
        return [part.a, part.b]
    if isinstance(part, Contact):
        return [side.frame for side in part.sides]
    if isinstance(part, Placed):
        return [] if part.on.is_ground else [part.on.frame()]
    if measures := _measures(part):
        return [frame for measure in measures for _, _, a, b in measure.terms for frame in (a, b)]
    if isinstance(part, Frame):
        return [part]
    return [] if isinstance(part, Body | Auxiliary | Output) else [part.frame]
