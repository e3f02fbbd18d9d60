"""How a state was assembled: what moved besides what was asked for, and what could not be met."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vincolo.results.channels import rotations

if TYPE_CHECKING:
    from vincolo.results.state import State

SMALL = 1e-9  # rad, or share of a body's length: what is less did not move


@dataclass(frozen=True, eq=False)
class Assembly:
    """The way from a start to an assembled state; print it."""

    start: State
    end: State
    asked: tuple[str, ...]  # coordinates and measures with a value given, wished for, or driven
    unmet: tuple[tuple[str, float, float], ...]  # wishes: name, value wished for, value reached

    @cached_property
    def moved(self) -> dict[str, tuple[float, float]]:
        """Coordinates of joints that changed although nothing was asked of them: name, value before and after."""
        system, names = self.start.system, []
        names = [m.name or "" for joint in system.joints.values() for m in joint.coordinates.values()]
        numbers = [system.quantities[n] for n in names]
        if not names:
            return {}
        before, after = (system.kernel.quantity_rows(s.t, s.y.tolist(), s.turns.tolist(), numbers)["quantity"].tolist()
                         for s in (self.start, self.end))
        size = max(c.length for c in system.centred)
        return {n: (a, b) for n, a, b in zip(names, before, after, strict=True)
                if n not in self.asked and abs(b - a) > SMALL * max(1.0, size)}

    @cached_property
    def bodies(self) -> dict[str, tuple[float, float]]:
        """Bodies that moved: by how much their centres of mass [m], and by what angle they turned [rad]."""
        n = len(self.start.system.centred)
        p, q = (s.y[:13 * n].reshape(n, 13) for s in (self.start, self.end))
        steps = np.linalg.norm(q[:, :3] - p[:, :3], axis=1)
        R = np.einsum("nij,nkj->nik", rotations(q[:, 3:7]), rotations(p[:, 3:7]))
        skew = np.array([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]])
        turns = np.arctan2(np.linalg.norm(skew, axis=0), np.trace(R, axis1=1, axis2=2) - 1)
        return {c.body.name: (float(step), float(turn))
                for c, step, turn in zip(self.start.system.centred, steps, turns, strict=True)
                if step > SMALL * c.length or turn > SMALL}

    def __str__(self) -> str:
        lines = [f"{self.start.system.name}: {len(self.bodies)} of {len(self.start.system.centred)} bodies moved"]
        lines += [f"  {name} went from {round(before, 12):g} to {round(after, 12):g}"
                  for name, (before, after) in self.moved.items()]
        return "\n".join(lines + [f"  {wish}" for wish in map(unmet_wish, self.unmet)])


def unmet_wish(wish: tuple[str, float, float]) -> str:
    """A wish that is not met, in words."""
    name, value, reached = wish
    return f"{name} should be {value:.6g}, but only {reached:.6g} is possible"
