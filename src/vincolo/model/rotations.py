"""Rotations: how a body stands, in every form that drawings and documents give it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number, number_array
from vincolo.model.geometry import Array, axes_from, direction, quaternion_of, rotation_of, vector

LOCKED = 1e-12  # sine (Euler) or cosine (Cardan) of the middle angle below which the outer two turn about one axis


class Rotation:
    """A rotation from body axes to world axes: the columns of its matrix are the body's axes in the world.

    Rotation(x) takes what `orientation=` takes: a 3x3 matrix, a quaternion (e0, e1, e2, e3) of any length with
    the scalar first, another Rotation, or nothing for no rotation. Angles are in radians unless degrees=True."""

    __slots__ = ("_matrix",)
    __array_ufunc__ = None  # an array times a rotation is refused, not multiplied element by element

    def __init__(self, orientation: Any = None) -> None:
        self._matrix = rotation_of("rotation", orientation)
        self._matrix.setflags(write=False)

    # from angles, axes and points

    @classmethod
    def euler(cls, sequence: str, a: float, b: float, c: float, *, degrees: bool = False) -> Rotation:
        """Three turns in the order written: "ZXZ", "XYZ", ... in capitals about the body's own axes as it turns
        (intrinsic), "zxz", "xyz", ... in small letters about the world's fixed axes (extrinsic), as in scipy.

        "ZXZ" are Euler's angles (precession, nutation, spin), "XYZ" Cardan's or Bryant's."""
        i, j, k, fixed = _axes_of(sequence)
        first, second, third = (_radians(f"rotation {sequence!r}: {name}", angle, degrees)
                                for name, angle in (("a", a), ("b", b), ("c", c)))
        turns = _turn(i, first), _turn(j, second), _turn(k, third)
        return cls(turns[2] @ turns[1] @ turns[0] if fixed else turns[0] @ turns[1] @ turns[2])

    @classmethod
    def heading_pitch_bank(cls, heading: float, pitch: float, bank: float, *, degrees: bool = False) -> Rotation:
        """Vehicle angles, with x forward, y to the left, z up (ISO 8855: yaw, pitch, roll): turns about the body's
        z, then y, then x. Positive: heading to the left, pitch nose down, bank right side down."""
        return cls.euler("ZYX", heading, pitch, bank, degrees=degrees)

    @classmethod
    def axis_angle(cls, axis: Any, angle: float, *, degrees: bool = False) -> Rotation:
        """A turn about an axis ("x", "-z", ... or three numbers of any length), positive by the right hand."""
        u = direction("rotation: axis", axis)
        half = 0.5 * _radians("rotation: angle", angle, degrees)
        return cls(np.array([math.cos(half), *(math.sin(half) * u)]))

    @classmethod
    def gibbs(cls, parameters: Any) -> Rotation:
        """Rodrigues parameters (the Gibbs vector): the unit axis times tan(angle / 2)."""
        return cls(np.array([1.0, *vector("rotation: Gibbs vector", parameters)]))

    @classmethod
    def axes(cls, z: Any = None, x: Any = None) -> Rotation:
        """The body's z and x axes in the world, as in body.frame(z=, x=): z is kept, x made perpendicular to it;
        one of them may be left out."""
        return cls(axes_from("rotation", None if z is None else direction("rotation: z", z),
                             None if x is None else direction("rotation: x", x)))

    @classmethod
    def three_points(cls, origin: Any, first: Any, second: Any, axes: str = "zx") -> Rotation:
        """Axes through three points: the first axis from `origin` to `first`, the second in the plane of all
        three, on the side of `second`.

        axes="zx": a point on z and a point on x or in the half plane z-x (Vita); "xy": a point on x, then y
        (Carvalho); any two different letters."""
        i, j = _two_axes(axes)
        p, q, r = (vector(f"rotation from three points: {name}", point)
                   for name, point in (("origin", origin), ("first", first), ("second", second)))
        u, v = _plane(p, q, r)
        matrix = np.empty((3, 3))
        matrix[:, i], matrix[:, j] = u, v
        matrix[:, 3 - i - j] = _parity(i, j) * np.cross(u, v)
        return cls(matrix)

    # back to every form

    @property
    def matrix(self) -> Array:
        """The 3x3 matrix, whose columns are the body's axes in the world (read only)."""
        return self._matrix

    @property
    def quaternion(self) -> Array:
        """The unit quaternion (e0, e1, e2, e3), the scalar first and not negative."""
        return quaternion_of(self._matrix)

    @property
    def angle(self) -> float:
        """The angle of the turn [rad], 0 to pi."""
        e = self.quaternion
        return 2.0 * math.atan2(float(np.linalg.norm(e[1:])), float(e[0]))

    @property
    def axis(self) -> Array:
        """The unit axis of the turn; z if there is no turn; of a half turn one of its two directions."""
        e = self.quaternion[1:]
        length = float(np.linalg.norm(e))
        return e / length if length > 1e-15 else np.array([0.0, 0.0, 1.0])

    @property
    def x(self) -> Array:
        """The body's x axis in the world."""
        return self._matrix[:, 0]

    @property
    def y(self) -> Array:
        """The body's y axis in the world."""
        return self._matrix[:, 1]

    @property
    def z(self) -> Array:
        """The body's z axis in the world."""
        return self._matrix[:, 2]

    def as_euler(self, sequence: str, *, degrees: bool = False) -> tuple[float, float, float]:
        """The angles of Rotation.euler. The outer two are in (-pi, pi], the middle one in [0, pi] for sequences
        such as "ZXZ" and in [-pi/2, pi/2] for such as "XYZ".

        At the ends of the middle range (gimbal lock) only the sum or difference of the outer two is known: the
        third is then zero."""
        i, j, k, fixed = _axes_of(sequence)
        angles = _angles(self._matrix, k, j, i, 0)[::-1] if fixed else _angles(self._matrix, i, j, k, 2)
        a, b, c = (math.degrees(angle) for angle in angles) if degrees else angles
        return a, b, c

    def as_heading_pitch_bank(self, *, degrees: bool = False) -> tuple[float, float, float]:
        """The angles of Rotation.heading_pitch_bank; with the nose straight up or down the bank is zero."""
        return self.as_euler("ZYX", degrees=degrees)

    def as_axis_angle(self, *, degrees: bool = False) -> tuple[Array, float]:
        """The unit axis and the angle, 0 to pi (180 degrees)."""
        return self.axis, math.degrees(self.angle) if degrees else self.angle

    def as_gibbs(self) -> Array:
        """Rodrigues parameters: the unit axis times tan(angle / 2). A half turn has none and is refused."""
        e = self.quaternion
        if e[0] < 1e-12:
            raise ModelError(f"rotation: it turns by {math.degrees(self.angle):.6g} degrees, and the Gibbs vector of a "
                             "half turn is infinite.\n  Use .quaternion or .as_axis_angle() instead.")
        return np.asarray(e[1:] / e[0], dtype=float)

    def as_three_points(self, origin: Any = (0.0, 0.0, 0.0), axes: str = "zx") -> tuple[Array, Array, Array]:
        """Three points that give this rotation by Rotation.three_points: the origin, and points on two axes, 1 m
        away."""
        i, j = _two_axes(axes)
        p = vector("rotation: origin", origin)
        return p, p + self._matrix[:, i], p + self._matrix[:, j]

    # what is done with rotations

    def __mul__(self, other: Rotation) -> Rotation:
        """First `other`, then this one, both about world axes; or this one, then `other` about the turned axes."""
        if not isinstance(other, Rotation):
            raise ModelError(f"a rotation is multiplied with a rotation, not with {other!r}.\n"
                             "  To turn vectors write rotation.apply(vectors).")
        return Rotation(self._matrix @ other._matrix)

    def inverse(self) -> Rotation:
        """The rotation from world axes to body axes."""
        return Rotation(self._matrix.T)

    def apply(self, vectors: Any) -> Array:
        """World components of a vector given in body axes, or of a stack of them (n x 3)."""
        array = number_array("rotation.apply: the vector", vectors)
        if array.ndim not in (1, 2) or array.shape[-1] != 3 or not np.isfinite(array).all():
            raise ModelError(f"rotation.apply: {vectors!r} is not a vector.\n"
                             "  Give three finite numbers (x, y, z), or n rows of three.")
        return np.asarray(array @ self._matrix.T, dtype=float)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The matrix, so that a Rotation can stand wherever a rotation matrix can."""
        return np.array(self._matrix, dtype=dtype)

    def __repr__(self) -> str:
        axis = ", ".join(f"{u:.6g}" for u in self.axis + 0.0)
        return f"Rotation({math.degrees(self.angle):.6g} degrees about ({axis}))"


def _axes_of(sequence: Any) -> tuple[int, int, int, bool]:
    """Numbers of the three axes of a sequence, and whether they are the world's (small letters)."""
    if isinstance(sequence, str) and len(sequence) == 3 and (sequence.islower() or sequence.isupper()):
        i, j, k = ("xyz".find(letter) for letter in sequence.lower())
        if min(i, j, k) >= 0 and i != j and j != k:
            return i, j, k, sequence.islower()
    raise ModelError(f"rotation: the sequence is {sequence!r}; three letters of x, y, z are needed, no letter twice in "
                     "a row.\n  Write 'ZXZ' or 'XYZ' in capitals for turns about the body's own axes, 'xyz' in small "
                     "letters for turns about the world's.")


def _two_axes(axes: Any) -> tuple[int, int]:
    """Numbers of the two axes that three points give."""
    if isinstance(axes, str) and len(axes) == 2 and axes[0] != axes[1] and set(axes) <= set("xyz"):
        return "xyz".index(axes[0]), "xyz".index(axes[1])
    raise ModelError(f"rotation from three points: axes is {axes!r}; two different letters of x, y, z are needed.\n"
                     "  Write 'zx' for a point on z and one on the side of x.")


def _radians(what: str, angle: Any, degrees: bool) -> float:
    number = finite_number(what, angle)
    return math.radians(number) if degrees else number


def _turn(axis: int, angle: float) -> Array:
    """The matrix of a turn about coordinate axis 0, 1 or 2."""
    c, s = math.cos(angle), math.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[j, j], matrix[j, k], matrix[k, j], matrix[k, k] = c, -s, s, c
    return matrix


def _turned_by(R: Array, axis: int) -> float:
    """The angle of a matrix that turns about coordinate axis 0, 1 or 2."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    return _atan2(R[k, j] - R[j, k], R[j, j] + R[k, k])


def _atan2(y: float, x: float) -> float:
    """Angle in (-pi, pi], without negative zeros."""
    angle = math.atan2(float(y) + 0.0, float(x) + 0.0)
    return math.pi if angle == -math.pi else angle


def _parity(i: int, j: int) -> float:
    """+1 if axes i, j follow one another as in x, y, z, x; else -1."""
    return 1.0 if (j - i) % 3 == 1 else -1.0


def _angles(R: Array, i: int, j: int, k: int, zero: int) -> tuple[float, float, float]:
    """Angles of R = R_i(a) R_j(b) R_k(c); in gimbal lock the first (zero=0) or the third (zero=2) is zero."""
    s, other = _parity(i, j), 3 - i - j
    if i == k:  # R e_i = cos b e_i + sin b (sin a e_j - s cos a e_other)
        y, x = R[j, i], -s * R[other, i]
        b = _atan2(math.hypot(x, y), R[i, i])
    else:  # R e_k = s sin b e_i + cos b (-s sin a e_j + cos a e_k)
        y, x = -s * R[j, k], R[k, k]
        b = _atan2(s * R[i, k], math.hypot(x, y))
    if math.hypot(x, y) > LOCKED:
        a = _atan2(y, x)
    else:
        a = 0.0 if zero == 0 else _turned_by(R @ _turn(j, -b), i)
        if zero == 2:
            return a, b, 0.0
    # the third turn is what is left, so that an uncertain a near gimbal lock does no harm
    return a, b, _turned_by(_turn(j, -b) @ _turn(i, -a) @ R, k)


def _plane(p: Array, q: Array, r: Array) -> tuple[Array, Array]:
    """Unit vectors from p to q, and perpendicular to it towards r."""
    shown = f"  The points are {tuple(p.tolist())}, {tuple(q.tolist())}, {tuple(r.tolist())}."
    far = float(np.abs([p, q, r]).max()) or 1.0
    u, v = q / far - p / far, r / far - p / far  # keeps the squares below from overflowing
    lengths = float(np.linalg.norm(u)), float(np.linalg.norm(v))
    if min(lengths) <= 1e-12:
        raise ModelError("rotation from three points: one of the points is at the origin of the axes.\n" + shown)
    u, v = u / lengths[0], v / lengths[1]
    v = v - u * (u @ v)
    sine = float(np.linalg.norm(v))
    if sine < 1e-9:
        raise ModelError("rotation from three points: they are on one line, so they give no plane.\n" + shown +
                         "\n  Move the third point off the line.")
    return u, v / sine
