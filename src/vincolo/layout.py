"""Where a number of a state stands, as the kernel has it (core/system.hpp): 13 for each body, then the work, then the
auxiliary states: inputs, variables and states with rates of their own."""

from __future__ import annotations

from vincolo.model.geometry import Array

BODY = 13
POINT, QUATERNION, VELOCITY, SPIN = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13)  # within a body, world axes
POSE, MOTION = slice(0, 7), slice(7, 13)


def by_body(y: Array, count: int) -> Array:
    """So many bodies of a state, a row each; a view."""
    bodies: Array = y[:BODY * count].reshape(count, BODY)
    return bodies


def of_body(y: Array, number: int) -> Array:
    """The numbers of one body in a state, or in many; a view."""
    found: Array = y[..., BODY * number: BODY * (number + 1)]
    return found


def work_of(y: Array, count: int) -> Array:
    """The work [J] in a state of so many bodies, or in many; a view."""
    found: Array = y[..., BODY * count]
    return found


def auxiliaries_of(y: Array, count: int) -> Array:
    """The auxiliary states in a state of so many bodies, or in many; a view."""
    found: Array = y[..., BODY * count + 1:]
    return found
