"""Forces made of springs and laws along several measures: bushings, general forces, drag, fields. Mixed into Model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.acting import Forces
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number, number_array
from vincolo.model.forces import Law, Spring
from vincolo.model.geometry import Array, vector
from vincolo.model.measure import Measure, along, along_world, cosine, formula
from vincolo.model.sights import spin

XYZ = "xyz"
COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")


def rotation(axis: str, a: Frame, b: Frame) -> Measure:
    """A component [rad] of the rotation vector from frame a to frame b, along an axis ("x", "y", "z") of a: the angle
    about a fixed axis if there is one, up to half a turn either way."""
    if axis not in XYZ:
        raise ModelError(f"an axis of a frame is 'x', 'y' or 'z', not {axis!r}.")
    cosines = {f"{i}{j}": cosine(i, j, a, b) for i in XYZ for j in XYZ}
    s = {i: f"0.5*({k}{j} - {j}{k})" for i, j, k in ("xyz", "yzx", "zxy")}  # sin(angle) times the axis
    square, c = " + ".join(f"({s[i]})^2" for i in XYZ), "0.5*(xx + yy + zz - 1)"
    near = f"1 + ({square})*(1/6 + ({square})*(3/40 + ({square})*5/112))"  # of angle/sin(angle)
    far = f"atan2(sqrt({square}), {c})/sqrt({square})"
    return formula(f"({s[axis]})*if({square} < 1e-4 and {c} > 0, {near}, {far})", **cosines)


class ForceElements(Forces):
    """The methods of a model for forces with several components, made of those with one."""

    def bushing(self, name: str, a: Frame, b: Frame, *, k: Any, c: Any = 0.0,
                preload: Any = 0.0) -> dict[str, Spring | Law]:
        """An elastic bearing between two frames, which resists where b stands in a along x, y, z and how it is turned
        about them: forces k q + c q' + preload [N, N m] with q = (x, y, z, rx, ry, rz) [m, rad]. Stiffness and damping
        are a number, six numbers or matrices of 6 by 6. Its parts are "name.x" to "name.rz"."""
        what = f"bushing {name!r}"
        frames = _two_frames(what, a, b)
        K, C = (_matrix(f"{what}: {key}", value) for key, value in (("k", k), ("c", c)))
        f = _six(f"{what}: preload", preload)
        measures = {axis: along(axis, *frames) for axis in XYZ} | {f"r{axis}": rotation(axis, *frames) for axis in XYZ}
        parts: dict[str, Spring | Law] = {}
        for i, (component, measure) in enumerate(measures.items()):
            own = f"{name}.{component}"
            if not np.any(np.delete(K[i], i)) and not np.any(np.delete(C[i], i)):
                if K[i, i] or C[i, i] or f[i]:
                    parts[component] = self._sprung(own, measure, K[i, i], C[i, i], 0.0, f[i])
                continue
            text, used = _linear(K[i], C[i], f[i])
            parts[component] = self.law(own, measure, text, **{key: measures[key] for key in used})
        if not parts:
            raise ModelError(f"{what}: stiffness, damping and preload are all zero, so it does nothing.")
        return parts

    def general_force(self, name: str, a: Frame, b: Frame, force: Sequence[Any] = (0, 0, 0),
                      torque: Sequence[Any] = (0, 0, 0), **constants: float | Measure) -> dict[str, Law]:
        """Forces [N] on b at its point along the axes of a and torques [N m] about them, with their reactions on a at
        the same point: numbers, or texts over t and anything of the mechanism. Its parts are "name.x" to "name.rz"."""
        what = f"general force {name!r}"
        frames = _two_frames(what, a, b)
        given = {**_three(what, "force", force, XYZ), **_three(what, "torque", torque, ["rx", "ry", "rz"])}
        parts: dict[str, Law] = {}
        for component, value in given.items():
            axis = component[-1]
            measure = along(axis, *frames) if component == axis else spin(*frames, axis)
            parts[component] = self.actuator(f"{name}.{component}", measure, value, **used_in(value, constants))
        return parts

    def drag(self, name: str, frame: Frame, coefficient: float, *,
             wind: Any = (0.0, 0.0, 0.0)) -> dict[str, Law]:
        """Resistance of air or water at a point: F = -coefficient |v - wind| (v - wind), with coefficient =
        rho c_w A / 2 [N s2/m2] and the wind in world axes [m/s]. Its parts are "name.x", "name.y", "name.z"."""
        what = f"drag {name!r}"
        number = finite_number(f"{what}: coefficient", coefficient)
        if number < 0:
            raise ModelError(f"{what}: coefficient is {number:g}; it resists, so it is positive.")
        blown = {f"w{axis}": float(w) for axis, w in zip(XYZ, vector(f"{what}: wind", wind), strict=True)}
        speed = "sqrt(" + " + ".join(f"({axis}_rate - w{axis})^2" for axis in XYZ) + ")"
        texts = [f"-{number!r}*{speed}*({axis}_rate - w{axis})" for axis in XYZ]
        return self.field(name, frame, texts, **blown)

    def field(self, name: str, frame: Frame, components: Sequence[Any],
              **constants: float | Measure) -> dict[str, Law]:
        """A force [N] on a point by where it is and how fast: three numbers or texts over its world coordinates x, y,
        z, their rates x_rate, y_rate, z_rate, t and anything of the mechanism. Its parts are "name.x" to "name.z"."""
        what = f"field {name!r}"
        if not isinstance(frame, Frame) or self._body(what, frame.body).is_ground:
            raise ModelError(f"{what}: a frame on a moving body is needed, such as body.frame((x, y, z)).")
        origin = self.ground.frame((0.0, 0.0, 0.0))
        places = {axis: along_world(np.eye(3)[k], origin, frame) for k, axis in enumerate(XYZ)}
        given = _three(what, "components", components, XYZ)
        return {axis: self.actuator(f"{name}.{axis}", places[axis], value, **used_in(value, {**constants, **places}))
                for axis, value in given.items()}


def _two_frames(what: str, a: Any, b: Any) -> tuple[Frame, Frame]:
    if not (isinstance(a, Frame) and isinstance(b, Frame)):
        raise ModelError(f"{what}: it needs two frames, such as body.frame((x, y, z)), not {a!r} and {b!r}.")
    if a.body is b.body:
        raise ModelError(f"{what}: both frames are on the same body {a.body.name!r}.")
    return a, b


def _finite(what: str, value: Any) -> Array:
    array = number_array(what, value)
    if not np.isfinite(array).all():
        raise ModelError(f"{what} is {value!r}; every number must be finite.")
    return array


def _matrix(what: str, value: Any) -> Array:
    """6 by 6 from a number, six numbers or a matrix; symmetric parts that push outwards are refused."""
    array = _finite(what, value)
    if array.shape not in ((), (6,), (6, 6)):
        raise ModelError(f"{what} has the shape {array.shape}; give a number, six numbers (x, y, z, rx, ry, rz), or "
                         "six rows of six.")
    matrix = array if array.ndim == 2 else np.diag(np.broadcast_to(array, 6))
    lowest = float(np.linalg.eigvalsh(0.5 * (matrix + matrix.T)).min())
    if lowest < -1e-12 * float(np.abs(matrix).max(initial=0.0)):
        raise ModelError(f"{what} would push outwards: its lowest eigenvalue is {lowest:.6g}.\n"
                         "  Check the signs; stiffness and damping are positive.")
    return np.asarray(matrix, dtype=float)


def _six(what: str, value: Any) -> Array:
    array = _finite(what, value)
    if array.shape not in ((), (6,)):
        raise ModelError(f"{what} has the shape {array.shape}; give a number or six numbers (x, y, z, rx, ry, rz).")
    return np.broadcast_to(array, 6).astype(float)


def _linear(k: Array, c: Array, preload: float) -> tuple[str, list[str]]:
    """k . q + c . q' + preload as a text, and the components it names."""
    terms, used = [repr(float(preload))], []
    for number, rate, component in zip(k, c, COMPONENTS, strict=True):
        if number or rate:
            used.append(component)
        terms += [f"{float(number)!r}*{component}"] if number else []
        terms += [f"{float(rate)!r}*{component}_rate"] if rate else []
    return " + ".join(terms), used


def _three(what: str, key: str, values: Any, names: Sequence[str]) -> dict[str, Any]:
    """Components that are not zero, by name."""
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != 3:
        raise ModelError(f"{what}: {key} is {values!r}; give three numbers or texts (x, y, z).")
    return {name: value for name, value in zip(names, values, strict=True) if isinstance(value, str) or value != 0}


def used_in(text: Any, constants: dict[str, Any]) -> dict[str, Any]:
    """Those of the constants that a text names."""
    words = set(re.findall(r"[A-Za-z_]\w*", text)) if isinstance(text, str) else set()
    return {key: value for key, value in constants.items() if key in words or f"{key}_rate" in words}
