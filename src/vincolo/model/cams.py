"""Curves that followers of a cam keep to, from the cam's own curve: radius over angle."""

from __future__ import annotations

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.functions import Function, PiecewisePolynomial
from vincolo.model.geometry import Array

SAMPLES = 1440  # of a turn


def roller_curve(what: str, profile: Function, radius: float) -> PiecewisePolynomial:
    """The path of the centre of a roller: radius over angle."""
    point, normal = _edge(what, profile)
    centre = point + radius * normal
    angle = np.unwrap(np.arctan2(centre[:, 1], centre[:, 0]))
    _check_rising(what, angle, f"the roller of {radius:g} m does not fit into its hollows", "Take a smaller one.")
    return on_a_turn(angle, np.hypot(centre[:, 0], centre[:, 1]))


def support_curve(what: str, profile: Function) -> PiecewisePolynomial:
    """The distance of tangents from the centre over the angle of their normal."""
    point, normal = _edge(what, profile)
    angle = np.unwrap(np.arctan2(normal[:, 1], normal[:, 0]))
    _check_rising(what, angle, "it has a hollow or a straight flank, which a flat face spans",
                  "Take a knife edge or a roller.")
    return on_a_turn(angle, (point * normal).sum(axis=1))


def _edge(what: str, profile: Function) -> tuple[Array, Array]:
    """Points of a cam over one turn, the last on the first, and its normals there."""
    phi = np.linspace(0.0, 2 * np.pi, SAMPLES + 1)
    r, slope, _ = (np.array(x) for x in zip(*(profile.derivatives(float(a)) for a in phi), strict=True))
    if not (np.isfinite(r).all() and np.isfinite(slope).all() and (r > 0).all()):
        raise ModelError(f"{what}: the profile must be a positive radius [m] at every angle from 0 to 2 pi.")
    if max(abs(r[-1] - r[0]), abs(slope[-1] - slope[0])) > 1e-6 * r.max():
        raise ModelError(f"{what}: the profile does not close: at 0 it is {r[0]:.6g} m with slope {slope[0]:.3g}, "
                         f"at 2 pi {r[-1]:.6g} m with slope {slope[-1]:.3g}.")
    c, s = np.cos(phi), np.sin(phi)
    tangent = np.column_stack([slope * c - r * s, slope * s + r * c])
    normal = np.column_stack([tangent[:, 1], -tangent[:, 0]]) / np.linalg.norm(tangent, axis=1)[:, None]
    return np.column_stack([r * c, r * s]), normal


def _check_rising(what: str, angle: Array, reason: str, way_out: str) -> None:
    if not (np.diff(angle) > 0).all():
        raise ModelError(f"{what}: {reason}.\n  {way_out}")


def on_a_turn(angle: Array, value: Array) -> PiecewisePolynomial:
    """A cubic spline through one turn that repeats."""
    from scipy.interpolate import CubicSpline

    values = value.copy()
    values[-1] = values[0]
    angles = angle.copy()
    angles[-1] = angles[0] + 2 * np.pi
    pieces = CubicSpline(angles, values, bc_type="periodic")
    return PiecewisePolynomial(tuple(pieces.x.tolist()), tuple(map(tuple, pieces.c[::-1].T.tolist())), "repeat")
