"""Vectors of motion and force over time, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vincolo.channels.channels import Channels
from vincolo.channels.units import MOTIONS, REACTIONS
from vincolo.errors import ModelError, suggest
from vincolo.model.forces import Load
from vincolo.model.geometry import Array
from vincolo.model.measure import Measure

#: what a name may end with, and the colour of the arrow
KINDS = {"angular_velocity": "#7b52ab", "angular_acceleration": "#b0872b", "velocity": "#2f7d3b",
         "acceleration": "#d0661a", "reaction.force": "#c0281f", "reaction.torque": "#a01f6b", "force": "#c0281f",
         "torque": "#a01f6b", "sticking": "#2f7d3b", "sliding": "#c0281f"}
CONTACT = ("sticking", "sliding")  # the force of a contact while none of its points slides, and while one does
TURNING = ("angular_velocity", "angular_acceleration", "reaction.torque", "torque")


@dataclass(frozen=True, eq=False)
class Arrow:
    """A vector over the samples: where it is [m], its components in world axes, and their unit."""

    name: str
    points: Array
    values: Array
    unit: str
    colour: str
    turning: bool  # about its direction, so drawn with two tips


def arrow_of(channels: Channels, name: str) -> Arrow:
    """A vector such as "tip.velocity", "crank.angular_velocity", "A.reaction.force", "strut.force" or "push.force"."""
    kind = next((k for k in KINDS if str(name).endswith(f".{k}")), None)
    if kind is None:
        raise ModelError(f"there is no vector called {name!r}.\n  Vectors are named as 'body.velocity'; they end with: "
                         f"{', '.join(KINDS)}.")
    owner = name.removesuffix(f".{kind}")
    if kind in MOTIONS:
        points, values = _motion(channels, owner, kind)
    elif kind in CONTACT or (kind == "force" and owner in channels.system.contacts):
        points, values = _contact(channels, owner, kind)
    elif kind.startswith("reaction"):
        points, values = _reaction(channels, owner, kind.removeprefix("reaction."))
    else:
        points, values = _force(channels, owner, kind)
    unit = "N" if kind in CONTACT else MOTIONS.get(kind) or REACTIONS[kind.removeprefix("reaction.")]
    return Arrow(name, points, values, unit, KINDS[kind], kind in TURNING)


def _motion(channels: Channels, owner: str, kind: str) -> tuple[Array, Array]:
    s = channels.system
    _check(owner, "body or frame", [*s.body_numbers, *s.frames])
    found = channels.frame_motion(s.frames[owner]) if owner in s.frames else channels.body_motion(owner)
    return found.position, np.asarray(getattr(found, kind))


def _contact(channels: Channels, owner: str, kind: str) -> tuple[Array, Array]:
    """On the second body, at the middle of the points; none where it does not stick, or slide, as asked for."""
    _check(owner, "contact", list(channels.system.contacts))
    points, force = channels.contact_force(owner)
    if kind == "force":
        return points, force
    slides = channels[f"{owner}.sliding"] > 0
    return points, np.where((slides == (kind == "sliding"))[:, None], force, 0.0)


def _reaction(channels: Channels, owner: str, kind: str) -> tuple[Array, Array]:
    _check(owner, "joint", list(channels.system.joints))
    found = channels.reaction(owner)
    return channels.point(channels.system.joints[owner].b), found.force if kind == "force" else found.torque


def _force(channels: Channels, owner: str, kind: str) -> tuple[Array, Array]:
    """Of a load, or of a spring on its second point."""
    model = channels.system.model
    loads = {n: x for n, x in model.loads.items() if x.torque == (kind == "torque")}
    measures: dict[str, Measure] = {n: s.measure for n, s in model.springs.items()}
    measures |= {n: law.measure for n, law in model.laws.items()}
    springs = {n: m for n, m in measures.items() if kind == "force" and m.tape is None
               and [term[1].kind for term in m.terms] == ["distance"]}
    _check(owner, "load or spring between two points" if kind == "force" else "torque", [*loads, *springs])
    if owner in loads:
        return _load(channels, loads[owner])
    _, _, a, b = springs[owner].terms[0]
    first, second = channels.point(a), channels.point(b)
    line = second - first
    length = np.linalg.norm(line, axis=1, keepdims=True)
    pull = channels[f"{owner}.force"][:, None]  # in the direction in which the length grows
    sign = 1.0 if owner in model.laws and model.laws[owner].sign > 0 else -1.0
    return second, sign * pull * line / np.where(length > 0, length, 1.0)


def _load(channels: Channels, load: Load) -> tuple[Array, Array]:
    values = np.array([[f(float(t)) for f in load.components] for t in channels.t])
    if load.in_body_axes:
        values = np.einsum("nij,nj->ni", channels.rotation(channels.system.body_of(load.frame.body.name)), values)
    return channels.point(load.frame), values


def _check(owner: str, what: str, known: Sequence[str]) -> None:
    if owner not in known:
        shown = ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
        raise ModelError(f"vectors: there is no {what} called {owner!r}.{suggest(owner, known)}\n"
                         f"  There are: {shown or 'none'}.")
