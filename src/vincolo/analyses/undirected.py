"""Forces along the distance of two points that coincide: they have a direction only if they vanish there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vincolo.errors import ModelError
from vincolo.layout import MOTION, by_body
from vincolo.model.geometry import Array
from vincolo.model.measure import Measure
from vincolo.state import State

if TYPE_CHECKING:
    from vincolo.model.body import Frame

CLOSED = 1e-12  # of the extent: points that coincide,
NEAR = 1e-6  # and that nearly do


def refuse_undirected(who: str, state: State) -> None:
    """Refuses forces along distances of points that coincide, which have no slope there: those that do not vanish, that
    a damper or another measure takes part in, or that another formula is made of. What is left, F(d) with F(0) = 0,
    pulls back alike from every side."""
    model = state.system.model
    acting = {name: part.measure for group in (model.springs, model.laws) for name, part in group.items()}
    for name, measure in acting.items():
        places = [(a, b) for _, e, a, b in measure.terms if e.kind == "distance" and _coincide(state, a, b)]
        if not places:
            continue
        why = _without_slope(state, name, measure, places[0])
        if why:
            raise ModelError(f"{who}: '{name}' acts along the distance of two points that coincide, so it has no "
                             f"direction, and {why}.\n  Only a force that vanishes with the distance has a slope "
                             "there. Start where the points are apart,\n  or let it act along x, y and z of a frame: "
                             "vc.along('x', a, b).")


def _without_slope(state: State, name: str, measure: Measure, ends: tuple[Frame, Frame]) -> str:
    """What a force does where it should vanish; nothing if it does."""
    if len(measure.terms) > 1 or measure.tape is not None:
        return "is not of that distance alone"
    force = float(state[f"{name}.force"])
    body = next(f.body for f in ends if not f.body.is_ground)
    moved, sped_up = np.zeros((2, len(state.system.centred), 13))
    moved[state.system.body_of(body.name), 0] = NEAR * state.system.extent
    sped_up[:, MOTION] = np.random.default_rng(2).normal(size=sped_up[:, MOTION].shape)
    beside, faster = (float(_changed(state, by)[f"{name}.force"]) for by in (moved, sped_up))
    if abs(force) > 1e-5 * abs(beside):
        return f"is {force:.6g} N"
    return "depends on velocities" if faster != force else ""


def _coincide(state: State, a: Frame, b: Frame) -> bool:
    first, second = (state.channels.frame_motion(f).position[0] for f in (a, b))
    return bool(np.linalg.norm(second - first) <= CLOSED * state.system.extent)


def _changed(state: State, by: Array) -> State:
    y = state.y.copy()
    parts = by_body(y, len(state.system.centred))
    parts += by
    return state.with_vector(y)
