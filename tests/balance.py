"""Newton's and Euler's equations of every body, written out from the outputs of a run, without a solver:
m a = m g + forces, I w' + w x I w = moments about the centre of mass; and J u' = gamma of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import vincolo as vc
from dense import kernel_rows
from mechanisms import motions

TINY = 1e-300


@dataclass
class Wrenches:
    """Forces and moments about their centres of mass on all bodies, and the largest single one met."""

    total: np.ndarray  # (bodies, 2, 3)
    force: float = 0.0
    moment: float = 0.0

    def add(self, body: int, force: np.ndarray, moment: np.ndarray, arm: np.ndarray | None = None) -> None:
        """A force and moment at a point an arm away from the centre of mass."""
        lever = np.zeros(3) if arm is None else np.cross(arm, force)
        self.total[body] += force, moment + lever
        self.force = max(self.force, float(np.abs(force).max()))
        reach = 0.0 if arm is None else float(np.linalg.norm(arm) * np.linalg.norm(force))  # rounding of its lever
        self.moment = max(self.moment, float(np.abs(moment).max()), reach)


def imbalance(result: vc.Result, k: int) -> tuple[float, float]:
    """What is missing to the balance of forces and of moments at a sample, relative to the largest one there."""
    return imbalances(result, [k])[0]


def imbalances(result: vc.Result, samples: Sequence[int], least: float = 0.0) -> list[tuple[float, float]]:
    """The same at several samples; relative to a force of `least` [N], and to its moment, where all are smaller."""
    reactions = {name: result.reaction(name) for name in result.system.joints}
    found = []
    for k in samples:
        state = result.state(k)
        w = Wrenches(np.zeros((len(state.system.centred), 2, 3)))
        now = motions(state)
        _inertia(result, k, now, w)
        _reactions(reactions, state, k, now, w)
        _rows(result, k, w)
        _loads(result.model, state, now, w)
        missing = np.abs(w.total).max(axis=(0, 2))
        pull = w.moment / result.system.extent  # where only couples act, forces are the rounding of moments
        found.append((float(missing[0]) / max(w.force, pull, least, TINY),
                      float(missing[1]) / max(w.moment, least * result.system.extent, TINY)))
    return found


def _inertia(result: vc.Result, k: int, now: dict, w: Wrenches) -> None:
    """Weight, and the forces and moments of inertia -m a, -(I w' + w x I w)."""
    observed = result.channels.observed["acceleration"]
    for name, number in result.system.body_numbers.items():
        body, (_, R, _, spin) = result.model.bodies[name], now[name]
        inertia, (a, alpha) = R @ body.inertia @ R.T, observed[k, number].reshape(2, 3)
        w.add(number, body.mass * result.model.gravity, np.zeros(3))
        w.add(number, -body.mass * a, -inertia @ alpha)
        w.add(number, np.zeros(3), -np.cross(spin, inertia @ spin))


def _reactions(reactions: dict, state: vc.State, k: int, now: dict, w: Wrenches) -> None:
    """What joints say they put on their two bodies, at their two frames."""
    for name, joint in state.system.joints.items():
        found = reactions[name]
        for frame, force, torque in ((joint.a, found.force_on_first, found.torque_on_first),
                                     (joint.b, found.force, found.torque)):
            if not frame.body.is_ground:
                arm = now[frame.body.name][1] @ (frame.point - frame.body.com)
                w.add(state.system.body_numbers[frame.body.name], force[k], torque[k], arm)


def _rows(result: vc.Result, k: int, w: Wrenches) -> None:
    """What drives, held measures, springs, laws and actuators say they put along their measures."""
    system, state = result.system, result.state(k)
    J = kernel_rows(state)["J"]
    held = [(result[f"{name}.force"][k], J[system.block_rows[name].start]) for name in system.holds]
    signs = {name: law.sign for name, law in result.model.laws.items()}  # springs resist
    names = [f"{name}.length" if name in result.model.springs else f"{name}.value" for name in system.laws]
    numbers = [system.quantities[n] for n in names]
    found = system.kernel.quantity_rows(state.t, state.y.tolist(), state.turns.tolist(), numbers)
    A = np.zeros((len(names), J.shape[1]))
    np.add.at(A, (found["row"], found["column"]), found["value"])
    held += [(signs.get(name, -1.0) * result[f"{name}.force"][k], A[n]) for n, name in enumerate(system.laws)]
    for size, row in held:
        for body, part in enumerate((size * row).reshape(-1, 2, 3)):
            if part.any():
                w.add(body, *part)


def _loads(model: vc.Model, state: vc.State, now: dict, w: Wrenches) -> None:
    """Forces and torques given as functions of time."""
    for load in model.loads.values():
        R, body = now[load.frame.body.name][1], load.frame.body
        vector = np.array([f(state.t) for f in load.components])
        vector = R @ vector if load.in_body_axes else vector
        number = state.system.body_numbers[body.name]
        if load.torque:
            w.add(number, np.zeros(3), vector)
        else:
            w.add(number, vector, np.zeros(3), R @ (load.frame.point - body.com))


def angular(system: vc.System) -> np.ndarray:
    """Which rows are in radians or cosines; the others are in metres."""
    measures = [row.measure for joint in system.joints.values() for row in joint.rows]
    measures += [held.measure for held in system.holds.values()]
    return np.array([m.tape is None and all(e.kind in ("cosine", "angle") for _, e, _, _ in m.terms) and
                     all(abs(f) == 1.0 for f, *_ in m.terms) for m in measures], dtype=bool)


def opening(state: vc.State, size: float, speed: float) -> tuple[float, str]:
    """The largest residual of all rows and its row, in shares of the size, or of the speed where a rate is held."""
    rows = state.system.rows
    if not rows:
        return 0.0, ""
    found = kernel_rows(state)
    rate = np.array([row.level == "velocity" for row in rows])
    unit = np.where(angular(state.system), 1.0, np.where(rate, speed, size))
    share = np.abs(np.where(rate, found["rate"], found["phi"])) / unit
    worst = int(np.argmax(share))
    return float(share[worst]), str(rows[worst])


def contradiction(result: vc.Result, k: int, size: float, usual: float) -> float:
    """The largest error of J u' = gamma over all rows at a sample, in shares of the largest acceleration there, or of
    one that is usual for the mechanism [m/s2]; in rows of radians the share is of that acceleration over the size."""
    state = result.state(k)
    if not state.system.rows:
        return 0.0
    found, u = kernel_rows(state), result.channels.observed["acceleration"][k]
    spin = np.array([w for *_, w in motions(state).values()])
    turning = max(float(np.abs(u[:, 3:]).max()), float((spin**2).sum(axis=1).max()))
    largest = max(float(np.abs(u[:, :3]).max()), size * turning, usual)
    wrong = np.abs(found["J"] @ u.ravel() - found["gamma"])
    return float((wrong / np.where(angular(state.system), largest / size, largest)).max())
