"""Tolerances and clearances of an RCCC linkage, such as a Cardan joint, in closed form: a fixed displacement between
two joints, with play and all, is again a turn about z, a link, and a turn about z."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vincolo.cardan.rccc import four_angles, positions, velocities
from vincolo.dual import Dual, arctan2, dual, rotation_x, rotation_z
from vincolo.errors import ModelError, suggest
from vincolo.model.geometry import Array
from vincolo.tolerance.sources import PLAY
from vincolo.tolerance.subject import Evaluated, play

JOINTS = ("2", "3", "4")
OUTPUTS = tuple(f"{kind}{j}{end}" for end in ("", ".rate") for j in JOINTS for kind in ("theta", "s"))
UNITS = {"theta": "rad", "s": "m", "theta.rate": "rad/s", "s.rate": "m/s"}


class RcccSubject:
    """An RCCC linkage over angles of its input [rad]. Deviations are those of "alpha 1" to "alpha 4" [rad], of the
    distances "a 1" to "a 4" [m], of "reach 1" to "reach 4" [m], the distances of the pins from the middle of the joint,
    and play in the joints "2", "3" and "4". Outputs are theta2, s2, ... and their rates at an input speed [rad/s]."""

    block = 4096
    parallel = "threads"
    mark = ""
    name = "RCCC linkage"
    axis = "theta1 [rad]"

    def __init__(self, alpha: Sequence[Any], at: Any, outputs: Sequence[str] = OUTPUTS, *, reach: float = 0.0,
                 speed: float = 1.0, branch: int = 1) -> None:
        self.alpha, self.reach, self.speed, self.branch = four_angles(alpha), reach, speed, branch
        self.at = np.atleast_1d(np.asarray(at, dtype=float))
        self.outputs = tuple(outputs)
        for name in self.outputs:
            if name not in OUTPUTS:
                raise ModelError(f"tolerances: an RCCC linkage has no output {name!r}.{suggest(name, OUTPUTS)}\n"
                                 f"  Outputs: {', '.join(OUTPUTS)}.")
        self.units = tuple(UNITS[name.replace(name[-6 if name.endswith(".rate") else -1], "")] for name in self.outputs)
        self.nominal = [np.unwrap(theta.real) for theta in positions(self.alpha, self.at, branch).theta]
        self.known = tuple(f"{kind} {k}" for kind in ("alpha", "a", "reach") for k in (1, 2, 3, 4)) + tuple(
            f"{j}.play {axis}" for j in JOINTS for axis in PLAY)

    def check(self, coordinates: Sequence[str]) -> None:
        """Numbers of links, and play."""
        for name in coordinates:
            if name not in self.known:
                raise ModelError(f"tolerances: an RCCC linkage has no {name!r}.{suggest(name, self.known)}\n"
                                 f"  It has: {', '.join(self.known)}.")

    def evaluate(self, deviations: Mapping[str, Array]) -> Evaluated:
        """All samples at all positions together."""
        count = len(next(iter(deviations.values())))
        links = [_parts(self._link(k, deviations, count)) for k in range(4)]
        alpha = [link[1] for link in links]
        offsets = [links[k][0] + links[k - 1][2] for k in range(4)]  # about z of each joint, on both of its sides
        theta1 = Dual(np.broadcast_to(self.at[:, None], (len(self.at), count)))
        place = positions(alpha, theta1 + offsets[0], self.branch)
        good = np.atleast_1d(np.broadcast_to(place.assembled, theta1.shape).all(axis=0))
        rates = velocities(alpha, place.theta, self.speed) if any(n.endswith(".rate") for n in self.outputs) else None
        values = np.stack([self._output(n, place.theta, offsets, rates).T for n in self.outputs], axis=-1)
        values[~good] = np.nan
        open_ = "the linkage cannot be assembled in all positions"
        return Evaluated(values, ["" if g else open_ for g in good])

    def _link(self, k: int, deviations: Mapping[str, Array], count: int) -> Dual:
        """The displacement from joint k + 1 to the next, through the clearance of that one."""
        own = {kind: deviations.get(f"{kind} {k + 1}", np.zeros(count)) for kind in ("alpha", "a", "reach")}
        a = self.alpha[k] + Dual(own["alpha"], own["a"])
        reach = Dual(np.zeros(count), self.reach + own["reach"])
        B = rotation_z(-reach) @ rotation_x(a) @ rotation_z(reach)
        joint = str(k + 2)
        if f"{joint}.play x" in deviations:
            B = B @ play(np.stack([deviations[f"{joint}.play {axis}"] for axis in PLAY], axis=-1))
        return B

    def _output(self, name: str, theta: Sequence[Dual], offsets: Sequence[Dual], rates: Sequence[Dual] | None) -> Array:
        plain = name.removesuffix(".rate")
        k = int(plain[-1]) - 1
        found = rates[k] if name.endswith(".rate") and rates is not None else theta[k] - offsets[k]
        if plain[:-1] == "s":
            return np.asarray(found.dual)
        if name.endswith(".rate"):
            return np.asarray(found.real)
        near = self.nominal[k][:, None]
        return np.asarray(near + np.angle(np.exp(1j * (found.real - near))))  # on the turn of the nominal angle


def _parts(B: Dual) -> tuple[Dual, Dual, Dual]:
    """phi, alpha and psi of B = Rz(phi) Rx(alpha) Rz(psi)."""
    x, y = B[..., 0, 2], B[..., 1, 2]
    sine = np.sqrt(x * x + y * y)
    return arctan2(x, -y), arctan2(dual(sine), B[..., 2, 2]), arctan2(B[..., 2, 0], B[..., 2, 1])
