"""A closed chain of dual algebra as a multibody model."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.dual.frames import origin, rodrigues
from vincolo.dual.loops import AXES, JOINTS, Closed, Loop
from vincolo.dual.number import Dual
from vincolo.errors import ModelError
from vincolo.model import Body, Frame, Model

MADE = ("revolute", "prismatic", "cylindrical", "spherical")


def linkage(loop: Loop, at: Closed, name: str = "linkage", *, mass: float = 1.0, inertia: float = 0.1) -> Model:
    """The multibody model of a loop, drawn in a closed position, without gravity: its joints have the same names and
    coordinates; link k, which follows the k-th joint, is the body 'link k', the last one is the ground."""
    other = [kind for kind in loop.joints.values() if kind not in MADE]
    if other:
        raise ModelError(f"linkage(): there is a {other[0]} joint in the loop; models are made of {', '.join(MADE)}.")
    if np.shape(at.residual) != () or not at.closed:
        raise ModelError("linkage(): one closed position is needed.\n  Pass what loop.close() found for numbers.")
    model = Model(name, gravity=(0, 0, 0))
    here = Dual(np.eye(3))
    body: Body = model.ground
    for k, (joint, kind) in enumerate(loop.joints.items()):
        first = _frame(body, here)
        here = here @ _moved(kind, [float(at[n]) for n in loop.names if n.rpartition(".")[0] == joint])
        last = k == len(loop.links) - 1
        body = model.ground if last else model.body(f"link {k + 1}", mass, inertia, at=origin(here))
        getattr(model, kind)(joint, first, _frame(body, here))
        here = here @ loop.links[k]
    return model


def _frame(body: Body, A: Dual) -> Frame:
    return body.frame_at(origin(A), np.asarray(A.real))


def _moved(kind: str, coordinates: list[float]) -> Any:
    """The displacement that a joint makes."""
    A = Dual(np.eye(3))
    for move, value in zip(JOINTS[kind], coordinates, strict=True):
        motion, axis = move.split()
        A = A @ rodrigues(np.array(AXES[axis]), Dual(value) if motion == "turn" else Dual(0.0, value))
    return A
