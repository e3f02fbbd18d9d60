"""Series of a record that stays in its file: read block by block, so that memory holds one block and what was asked
for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.channels.channels import Channels, Motion, Reaction
from vincolo.model.geometry import Array

if TYPE_CHECKING:
    from vincolo.model import Frame
    from vincolo.system import System

BLOCK = 16e6  # bytes of all that is read from the states of a block
READ = 6  # how much that is, over the size of the states
WHOLE = ("kinetic", "potential", "phi", "phi_rate")  # one number a sample, read together and kept: each run needs them


def block_size(system: System) -> int:
    """Samples of a block."""
    return max(64, int(BLOCK / (8 * READ * system.kernel.state_size)))


class BlockChannels(Channels):
    """All series of a long record. Each is computed from the states whenever it is asked for; energies and residuals
    once."""

    def __init__(self, system: System, t: Array, y: Array, turns: Array) -> None:
        self.system, self.t, self.y, self.turns = system, t, y, turns

    def blocks(self) -> Iterator[Channels]:
        size = block_size(self.system)
        for first in range(0, len(self.t), size):
            yield self._part(slice(first, first + size))

    def _part(self, part: slice) -> Channels:
        found = Channels(self.system, np.array(self.t[part]), np.array(self.y[part]), np.array(self.turns[part]))
        if part.start:
            found.start = self.start
        return found

    @cached_property
    def start(self) -> tuple[Array, Array]:
        return self._part(slice(0, 1)).start

    def __getitem__(self, name: str) -> Array:
        if name == "t":
            return np.array(self.t)
        if self.entry(name)[0] in ("energy", "whole"):  # an energy counts from the first sample of all
            return super().__getitem__(name)
        return self._joined(lambda block: block[name])

    def _joined(self, read: Callable[[Channels], Array]) -> Array:
        return np.concatenate([np.array(read(block)) for block in self.blocks()])  # a view would keep its block

    @cached_property
    def observed(self) -> dict[str, Array]:
        parts = [[block.observed[name] for name in WHOLE] for block in self.blocks()]
        return dict(zip(WHOLE, map(np.concatenate, zip(*parts, strict=True)), strict=True))

    @cached_property
    def slack(self) -> Array:
        return self._joined(lambda block: block.slack)

    def point(self, frame: Frame) -> Array:
        return self._joined(lambda block: block.point(frame))

    def motion(self, body: int, lever: Array) -> Motion:
        return Motion(**self._one(Motion, lambda block: block.motion(body, lever)))

    def frame_motion(self, frame: Frame) -> Motion:
        return Motion(**self._one(Motion, lambda block: block.frame_motion(frame)))

    def reaction(self, name: str) -> Reaction:
        arrays = self._one(Reaction, lambda block: block.reaction(name), without="slack")
        number = self.system.blocks[name]
        return Reaction(**arrays, slack=lambda: self.slack[:, number])

    def _one(self, kind: type, read: Callable[[Channels], Any], without: str = "") -> dict[str, Any]:
        """The fields of the records of all blocks as one, by name."""
        names = [f.name for f in fields(kind) if f.name != without]
        parts = [[np.array(getattr(found, name)) for name in names] for found in map(read, self.blocks())]
        return dict(zip(names, map(np.concatenate, zip(*parts, strict=True)), strict=True))
