"""Points, directions, rotations and inertias as users write them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vincolo.errors import ModelError
from vincolo.model.checks import number_array

Array = NDArray[np.float64]

#: axes along those of the world; many frames and bodies share it, so nobody may write into it
STRAIGHT: Array = np.eye(3)
STRAIGHT.flags.writeable = False
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def vector(what: str, value: Any) -> Array:
    """Three finite numbers; `what` names them in the error."""
    array = number_array(what, value)
    if array.shape != (3,) or not all(map(math.isfinite, array.tolist())):
        raise ModelError(f"{what} is {value!r}; three finite numbers (x, y, z) are needed.")
    return array


def direction(what: str, value: Any) -> Array:
    """A unit vector from "x", "y", "z", "-x", ... or three numbers."""
    if isinstance(value, str):
        name = value.strip().lower()
        if name.lstrip("+-") in AXES and len(name) <= 2:
            return np.array(AXES[name.lstrip("+-")]) * (-1.0 if name.startswith("-") else 1.0)
        raise ModelError(f"{what} is {value!r}; write 'x', 'y', 'z', '-x', '-y', '-z' or three numbers.")
    array = vector(what, value)
    largest = float(np.abs(array).max())
    if largest < 1e-12:
        raise ModelError(f"{what} is {tuple(array.tolist())}, of length {largest:.3g}: it points nowhere.\n"
                         "  Give a direction such as (0, 0, 1) or 'z'.")
    array = array / largest  # keeps the squares below from overflowing
    return np.asarray(array / math.sqrt(array @ array), dtype=float)


def perpendicular(z: Array) -> Array:
    """A unit vector at right angles to the unit vector z, the same for the same z."""
    start = np.zeros(3)
    start[(int(np.argmax(np.abs(z))) + 1) % 3] = 1.0  # x for z, y for x, z for y
    x = np.asarray(start - z * (z @ start), dtype=float)
    return x / math.sqrt(x @ x)


def cross(a: Array, b: Array) -> Array:
    """a x b of three numbers each; numpy's own, which takes any shape, takes ten times as long."""
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def crosses(a: Array, b: Array) -> Array:
    """a x b of stacks (..., 3) of one shape, with the numbers of numpy's own, in a third of its time."""
    found = np.empty(a.shape)
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        np.subtract(a[..., i] * b[..., j], a[..., j] * b[..., i], out=found[..., k])
    return found


def axes_about(z: Array, x: Array) -> Array:
    """Rotation whose columns are x, z x x and z, of unit vectors at right angles."""
    axes = np.empty((3, 3))
    axes[:, 0], axes[:, 1], axes[:, 2] = x, cross(z, x), z
    return axes


def axes_from(what: str, z: Array | None, x: Array | None) -> Array:
    """Rotation whose columns are the axes, from unit vectors z and, if given, x (made perpendicular to z)."""
    if z is None and x is None:
        return STRAIGHT
    if z is None:
        assert x is not None
        z = perpendicular(x)
    if x is None:
        x = perpendicular(z)
    x = x - z * (z @ x)
    length = math.sqrt(x @ x)
    if length < 1e-9:
        raise ModelError(f"{what}: x and z have the same direction {tuple(z.tolist())}.\n"
                         "  Give an x at an angle to z, or leave it out.")
    x = x / length
    return axes_about(z, x)


def rotation_of(what: str, value: Any) -> Array:
    """Rotation matrix (columns: body axes in world axes) from None, a Rotation (numpy reads its matrix) or
    SciPy's, a quaternion or a matrix."""
    if value is None:
        return STRAIGHT
    array = number_array(what, value.as_matrix() if hasattr(value, "as_matrix") else value)  # SciPy has such
    if array.shape == (4,) and np.isfinite(array).all() and np.abs(array).max() > 1e-12:
        array = array / np.abs(array).max()
        return matrix_of(array / float(np.linalg.norm(array)))
    if array.shape == (3, 3) and np.isfinite(array).all():
        if (np.abs(array @ array.T - STRAIGHT) <= 1e-6 + 1e-5 * STRAIGHT).all() and np.linalg.det(array) > 0:
            return orthonormal(array)
        raise ModelError(f"{what}: the matrix is not a rotation (its columns must be three right-handed unit "
                         f"vectors; determinant {np.linalg.det(array):.6g}).\n"
                         "  From numbers with few digits take two axes: Rotation.axes(z=..., x=...).")
    raise ModelError(f"{what} is {value!r}; a quaternion (e0, e1, e2, e3), not all zero, a 3x3 rotation matrix or a "
                     "Rotation is needed.\n  For angles write Rotation.euler('ZXZ', a, b, c).")


def orthonormal(matrix: Array) -> Array:
    """The rotation nearest to a matrix that is almost one; one that is exact to rounding stays as it is, bit by bit."""
    if np.abs(matrix @ matrix.T - np.eye(3)).max() < 1e-14:
        return np.array(matrix, dtype=float)
    u, _, v = np.linalg.svd(matrix)
    return np.asarray(u @ v, dtype=float)


def matrix_of(p: Array) -> Array:
    """Rotation matrix of a unit quaternion (e0, e1, e2, e3)."""
    e0, e = p[0], p[1:]
    cross = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return np.asarray((2 * e0 * e0 - 1) * np.eye(3) + 2 * np.outer(e, e) + 2 * e0 * cross)


def quaternion_of(R: Array) -> Array:
    """Unit quaternion with e0 >= 0 of a rotation matrix."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R.tolist()
    squares = [1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz]
    rows = ([squares[0], zy - yz, xz - zx, yx - xy], [zy - yz, squares[1], xy + yx, xz + zx],
            [xz - zx, xy + yx, squares[2], yz + zy], [yx - xy, xz + zx, yz + zy, squares[3]])
    p = np.array(rows[squares.index(max(squares))])  # 4 e_k e, with the largest e_k
    p /= math.sqrt(p @ p)
    return p if p[0] >= 0 else -p


def inertia_of(what: str, value: Any, possible: bool = True) -> Array:
    """A 3x3 inertia from one number, three numbers or a matrix [kg m2]; one that a body may have, unless `possible` is
    False: then its moments need only not be negative."""
    array = number_array(f"{what}: inertia", value)
    if array.shape == ():
        array = np.full(3, float(array))
    diagonal = array.shape == (3,)
    if diagonal:
        small, middle, large = sorted(array.tolist())
        if small >= 0.0 and large <= min(small + middle, 1e150):  # of a body: nothing is wrong with it
            return np.diag(array)
        array = np.diag(array)
    if array.shape != (3, 3) or not np.isfinite(array).all() or np.abs(array).max() > 1e150:
        raise ModelError(f"{what}: inertia is {value!r}; one number, three numbers (Ixx, Iyy, Izz) or a "
                         "3x3 matrix of finite numbers is needed.")
    size = float(np.abs(array).max())
    if np.abs(array - array.T).max() > 1e-9 * size:
        raise ModelError(f"{what}: the inertia matrix is not symmetric.\n"
                         "  Ixy, Ixz and Iyz must be on both sides of the diagonal, with the same sign.")
    symmetric: Array = 0.5 * (array + array.T)
    own = np.sort(array.diagonal()) if diagonal else np.asarray(np.linalg.eigvalsh(symmetric), dtype=float)
    check_moments(what, own, size, possible)
    return symmetric


def is_possible(inertia: Array) -> bool:
    """Whether a body may have an inertia: its moments keep the triangle inequality."""
    small, middle, large = np.linalg.eigvalsh(inertia).tolist()
    return _triangle(small, middle, large, float(np.abs(inertia).max()))


def _triangle(small: float, middle: float, large: float, size: float) -> bool:
    planar = middle <= 1e-12 * size  # only one axis given: data of a planar model
    return planar or large <= (small + middle) * (1 + 1e-6)


def check_moments(what: str, moments: Array, size: float, possible: bool = True) -> None:
    """Principal moments are not negative and, for a possible body, no one exceeds the sum of the others (zeros: planar
    data)."""
    small, middle, large = (float(m) for m in moments)
    shown = f"principal moments {small:.6g}, {middle:.6g}, {large:.6g} kg m2"
    if small < -1e-12 * size:
        raise ModelError(f"{what}: the inertia is negative about some axis ({shown}).\n"
                         "  Moments are positive, or zero where nothing is known; check the products of inertia too.")
    if possible and not _triangle(small, middle, large, size):
        raise ModelError(
            f"{what}: the inertia breaks the triangle inequality ({shown}): no body has one moment larger "
            f"than the sum of the other two.\n  Check the units (kg m2, not kg mm2), the sign of the products of "
            "inertia, and that the moments are about the centre of mass.\n  If the numbers are to be used as they are "
            "published, write inertia_checked=False (in a file inertia_checked: false).")
