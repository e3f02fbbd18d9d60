"""Which reactions redundant joints share in a way that rigid bodies do not determine, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vincolo.channels.channels import Channels, Reaction
from vincolo.channels.names import XYZ

if TYPE_CHECKING:
    from vincolo.model.geometry import Array
    from vincolo.results.result import Result

LOOKED_AT = 12  # samples of a run that its summary looks at


def shared_reactions(result: Result) -> dict[str, str]:
    """Joints whose reactions are not unique, with the components: "force z, torque x y (world axes)"."""
    chosen = np.unique(np.linspace(0, len(result) - 1, min(LOOKED_AT, len(result))).round().astype(int))
    some = Channels(result.system, result.t[chosen], result.y[chosen], result.turns[chosen])
    if not some.slack.any():
        return {}
    told = {name: in_words(some.reaction(name)) for name in result.system.joints}
    return {name: text for name, text in told.items() if text}


def in_words(reaction: Reaction) -> str:
    """The components that are not unique, in world axes or, where those are fewer, in the joint's own; empty if all
    are unique."""
    world, own = ([_shared(unique) for unique in both] for both in (
        (reaction.unique_force, reaction.unique_torque), reaction.unique_in_joint_axes))
    if not any(any(flags) for flags in world):
        return ""
    fewer = sum(map(sum, own)) < sum(map(sum, world))
    return f"{_components(*(own if fewer else world))} ({'its own' if fewer else 'world'} axes)"


def _shared(unique: Array) -> list[bool]:
    """Components that are not unique at some sample."""
    return [not always for always in np.all(unique, axis=0).tolist()]


def _components(force: list[bool], torque: list[bool]) -> str:
    parts = [(title, " ".join(axis for axis, shared in zip(XYZ, flags, strict=True) if shared))
             for title, flags in (("force", force), ("torque", torque))]
    return ", ".join(f"{title} {axes}" for title, axes in parts if axes)


def grouped(shared: dict[str, str], most: int = 8) -> list[str]:
    """Lines such as "A, B, C: force z, torque x y (world axes)": joints that share the same."""
    lines = []
    for text in dict.fromkeys(shared.values()):
        names = [name for name, its in shared.items() if its == text]
        more = f" and {len(names) - most} more" if len(names) > most else ""
        lines.append(f"{', '.join(names[:most])}{more}: {text}")
    return lines
