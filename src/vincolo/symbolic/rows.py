"""What parts of a model add to its equations: values of measures, rows, entries of M and Q."""

from __future__ import annotations

from dataclasses import dataclass

from vincolo.symbolic.coordinates import Matrix, Vector
from vincolo.symbolic.graph import Node


@dataclass(frozen=True, eq=False)
class Value:
    """A measure in expressions: its value, which velocities do not have, and its rate."""

    value: Node | None
    rate: Node


@dataclass(frozen=True, eq=False)
class Row:
    """A scalar equation that a joint or drive holds: phi = 0, rate = 0, J u' = gamma, from the level on that it has."""

    owner: str
    resists: str
    level: int  # 0 position, 1 velocity, 2 acceleration
    phi: Node
    rate: Node
    gamma: Node
    by_time: Node  # what of the rate does not come with velocities
    J: Vector


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the model and what it adds: rows, to M, to Q; and the bodies it touches."""

    name: str
    kind: str
    bodies: tuple[int, ...]
    rows: tuple[Row, ...]
    M: Matrix
    Q: Vector
