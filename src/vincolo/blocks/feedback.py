"""Feedback of states from a linearised mechanism: by pole placement, or the least cost of squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vincolo.analyses.linearize import LinearSystem
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.control import Controller
from vincolo.model.geometry import Array


@dataclass(frozen=True, eq=False)
class Feedback:
    """u = u0 - K (y - y0) on the outputs y of a linearised mechanism, and the poles it gives: of the continuous loop
    [1/s], or with `every` those of one sample, exp(s every)."""

    K: Array  # (inputs, outputs)
    y0: Array
    poles: NDArray[np.complex128]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    every: float = 0.0

    def text(self, k: int = 0) -> str:
        """What input k is, as the text of an actuator."""
        terms = [f"{-gain!r}*({name} - {rest!r})" if rest else f"{-gain!r}*{name}"
                 for gain, name, rest in zip(self.K[k].tolist(), self.outputs, self.y0.tolist(), strict=True)]
        return " + ".join(terms)

    def __call__(self, t: float, *measured: float) -> list[float]:
        given: list[float] = (-self.K @ (np.array(measured) - self.y0)).tolist()
        return given


def lqr(linear: LinearSystem, Q: Any, R: Any, *, every: float = 0.0) -> Feedback:
    """The feedback that makes the integral of y^T Q y + u^T R u least, over the outputs y of a linearised mechanism;
    with `every` [s] for inputs that are held so long. Q and R are matrices, or lists of their diagonals."""
    from scipy.linalg import solve_continuous_are, solve_discrete_are

    A, B = _on_outputs("lqr()", linear, every)
    weight, cost = _matrix("lqr(): Q", Q, len(A)), _matrix("lqr(): R", R, B.shape[1])
    try:
        if every:
            P = solve_discrete_are(A, B, weight, cost)
            K = np.linalg.solve(cost + B.T @ P @ B, B.T @ P @ A)
        else:
            K = np.linalg.solve(cost, B.T @ solve_continuous_are(A, B, weight, cost))
    except (np.linalg.LinAlgError, ValueError) as error:
        raise ModelError(f"lqr(): there is no such feedback: {error}\n  Can the inputs reach all motions, and does Q "
                         "see those that are not stable?") from None
    return _feedback(linear, A, B, K, every)


def place_poles(linear: LinearSystem, poles: Sequence[complex], *, every: float = 0.0) -> Feedback:
    """The feedback on the outputs of a linearised mechanism that gives the closed loop these poles [1/s]; with `every`
    [s] for inputs that are held so long."""
    from scipy.signal import place_poles as placed

    A, B = _on_outputs("place_poles()", linear, every)
    wanted = np.asarray(list(poles))
    if len(wanted) != len(A):
        raise ModelError(f"place_poles(): {len(wanted)} poles are given, but the motion has {len(A)}.")
    try:
        K = placed(A, B, np.exp(wanted * every) if every else wanted).gain_matrix
    except ValueError as error:
        raise ModelError(f"place_poles(): {error}") from None
    return _feedback(linear, A, B, K, every)


def state_feedback(model: Model, name: str, feedback: Feedback, writes: Sequence[str] | str) -> Controller:
    """A controller that reads the outputs of a feedback every so many seconds, and writes inputs or variables in the
    order of the feedback's inputs."""
    if not feedback.every:
        raise ModelError("state_feedback(): this feedback is continuous; write feedback.text() into an actuator, or "
                         "make it with every=.")
    return model.add_controller(name, feedback, every=feedback.every, reads=list(feedback.outputs), writes=writes)


def _on_outputs(who: str, linear: LinearSystem, every: float) -> tuple[Array, Array]:
    """The equations in the outputs instead of the inner coordinates: y' = A y + B u."""
    if not isinstance(linear, LinearSystem):
        raise ModelError(f"{who}: {type(linear).__name__} is not what linearize() returns.")
    C = linear.C
    if C.shape[0] != C.shape[1] or not np.linalg.cond(C) < 1e12 or np.abs(linear.D).max(initial=0.0) > 0:
        raise ModelError(f"{who}: {C.shape[0]} outputs do not tell the {C.shape[1]} numbers of the motion.\n"
                         "  Name as many independent positions and rates: linearize(state, inputs=['push'], "
                         "outputs=['rail.travel', 'hinge.angle', 'rail.travel.rate', 'hinge.angle.rate']).")
    if not linear.inputs:
        raise ModelError(f"{who}: there are no inputs; name a law or actuator: linearize(state, inputs=['push'], ...).")
    back = np.linalg.inv(C)
    A, B = C @ linear.A @ back, C @ linear.B
    if not every:
        return A, B
    from scipy.linalg import expm

    n, m = B.shape
    both = expm(every * np.block([[A, B], [np.zeros((m, n + m))]]))
    return both[:n, :n], both[:n, n:]


def _feedback(linear: LinearSystem, A: Array, B: Array, K: Array, every: float) -> Feedback:
    y0 = np.array([float(linear.state[name]) for name in linear.outputs])
    poles = np.linalg.eigvals(A - B @ K).astype(complex)
    return Feedback(np.asarray(K), y0, poles, linear.inputs, linear.outputs, float(every))


def _matrix(what: str, given: Any, size: int) -> Array:
    found = np.atleast_1d(np.asarray(given, dtype=float))
    found = np.diag(found) if found.ndim == 1 else found
    if found.shape != (size, size) or not np.isfinite(found).all():
        raise ModelError(f"{what} has the shape {found.shape}; {size} numbers or a {size} by {size} matrix are needed.")
    return found
