"""Functions of numpy on arrays of dual numbers, matrices of them, and roots of polynomials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vincolo.dual.number import FUNCTIONS, Dual, bilinear, dual
from vincolo.errors import ModelError

APART = 1e-7  # roots and eigenvalues nearer than this, relative to the largest, count as multiple


def _linear(function: Callable[..., Any]) -> Callable[..., Dual]:
    """Of one array: done on both parts."""
    return lambda x, *more, **options: dual(x).map(lambda part: function(part, *more, **options))


def _joined(function: Callable[..., Any]) -> Callable[..., Dual]:
    """Of a list of arrays: done on both parts."""
    def work(parts: Sequence[Any], *more: Any, **options: Any) -> Dual:
        found = [dual(part) for part in parts]
        return Dual(function([p.real for p in found], *more, **options),
                    function([p.dual for p in found], *more, **options))
    return work


def _product(function: Callable[..., Any]) -> Callable[..., Dual]:
    return lambda x, y, **options: bilinear(lambda a, b: function(a, b, **options), x, y)


def where(condition: Any, x: Any, y: Any) -> Dual:
    """x where the condition holds, else y."""
    a, b = dual(x), dual(y)
    return Dual(np.where(condition, a.real, b.real), np.where(condition, a.dual, b.dual))


def einsum(text: str, *operands: Any) -> Dual:
    """A sum of products of one or two arrays, by the letters of their indices."""
    if len(operands) == 1:
        return dual(operands[0]).map(lambda part: np.einsum(text, part))
    if len(operands) != 2:
        raise ModelError(f"einsum() of dual arrays takes one or two of them, not {len(operands)}.")
    return bilinear(lambda a, b: np.einsum(text, a, b), *operands)


def norm(x: Any) -> Dual:
    """The length of vectors (last index): |a| + eps (a . a0) / |a|."""
    v = dual(x)
    return Dual(np.sqrt((v.real * v.real).sum(-1))) if _all_real(v) else np.sqrt((v * v).sum(-1))


def _all_real(v: Dual) -> bool:
    return v.real.dtype != object and not np.any(v.dual)


def identity(n: int = 3) -> Dual:
    """The unit matrix."""
    return Dual(np.eye(n))


def inv(x: Any) -> Dual:
    """The inverse of a square matrix: A^-1 - eps A^-1 A0 A^-1."""
    A = _square("inv()", x)
    if A.real.dtype == object:
        inverse = np.array(_sympy_matrix(A.real).inv(), dtype=object)
    else:
        try:
            inverse = np.linalg.inv(A.real)
        except np.linalg.LinAlgError:
            raise ModelError("inv(): the real part of the dual matrix is singular: it has no inverse.") from None
    return Dual(inverse, -inverse @ A.dual @ inverse)


def det(x: Any) -> Dual:
    """The determinant: |A| + eps the sum of the determinants with one column of A0 each."""
    A = _square("det()", x)
    n = A.shape[-1]
    real, part = _det(A.real), 0
    for k in range(n):
        swapped = np.where(np.arange(n) == k, A.dual, A.real)
        part = part + _det(swapped)
    return Dual(real, part)


def _det(matrix: Any) -> Any:
    return _sympy_matrix(matrix).det() if matrix.dtype == object else np.linalg.det(matrix)


def _sympy_matrix(matrix: Any) -> Any:
    import sympy

    if matrix.ndim != 2:
        raise ModelError(f"matrices of SymPy expressions are taken one by one; this array has shape {matrix.shape}.")
    return sympy.Matrix(matrix)


def solve(x: Any, y: Any) -> Dual:
    """z of A z = y, with y a vector or a matrix for each matrix A."""
    A, b = _square("solve()", x), dual(y)
    inverse = inv(A)
    return (inverse @ b[..., None])[..., 0] if b.ndim == A.ndim - 1 else inverse @ b


def eig(x: Any) -> tuple[Dual, Dual]:
    """Eigenvalues, and eigenvectors of length one as columns, of a matrix whose real part has different ones."""
    A = _square("eig()", x)
    if A.ndim != 2 or A.real.dtype == object:
        raise ModelError("eig() takes one matrix of numbers.")
    values, right = np.linalg.eig(A.real)
    _refuse_multiple("eig(): the eigenvalues of the real part", values)
    left = np.linalg.inv(right)  # its rows are the left eigenvectors
    change = left @ A.dual @ right
    gaps = values[None, :] - values[:, None] + np.eye(len(values))
    vectors = Dual(right, right @ np.where(np.eye(len(values), dtype=bool), 0.0, change / gaps))
    return Dual(values, np.diag(change)), _unit_columns(vectors)


def _unit_columns(vectors: Dual) -> Dual:
    """Columns of length one: their dual parts have nothing along their real parts."""
    a, a0 = vectors.real, vectors.dual
    along = np.real((a.conj() * a0).sum(axis=0))
    return Dual(a, a0 - a * along)


def roots(coefficients: Any) -> Dual:
    """The roots of a polynomial with dual coefficients, highest power first: x - eps p0(x) / p'(x)."""
    p = dual(coefficients)
    if p.ndim != 1 or len(p) < 2 or p.real[0] == 0:
        raise ModelError("roots(): a list of two coefficients at least is needed, the first with a real part.")
    found = np.roots(p.real)
    _refuse_multiple("roots(): the roots of the real part", found)
    return Dual(found, -np.polyval(p.dual, found) / np.polyval(np.polyder(p.real), found))


def _refuse_multiple(what: str, values: Any) -> None:
    gaps = np.abs(values[:, None] - values[None, :])
    np.fill_diagonal(gaps, np.inf)
    if gaps.min() < APART * max(1.0, float(np.abs(values).max())):
        raise ModelError(f"{what} are {np.array2string(values, precision=6)}: two of them are the same.\n"
                         "  There the dual parts are not determined; change the numbers, or treat that case alone.")


def _square(what: str, x: Any) -> Dual:
    A = dual(x)
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise ModelError(f"{what} takes square matrices; this has shape {A.shape}.")
    return A


_OF_NUMPY: dict[Any, Callable[..., Any]] = {
    **{f: _linear(f) for f in (np.sum, np.mean, np.reshape, np.transpose, np.swapaxes, np.moveaxis, np.broadcast_to,
                               np.squeeze, np.expand_dims, np.trace, np.diagonal, np.cumsum, np.diff, np.flip, np.roll,
                               np.tile, np.repeat, np.ravel, np.copy, np.real_if_close)},
    **{f: _joined(f) for f in (np.concatenate, np.stack, np.vstack, np.hstack)},
    **{f: _product(f) for f in (np.cross, np.dot, np.inner, np.outer, np.tensordot, np.kron)},
    np.where: where, np.einsum: einsum, np.linalg.inv: inv, np.linalg.det: det, np.linalg.solve: solve,
    np.linalg.eig: eig, np.roots: roots, np.linalg.norm: lambda x, axis=-1: norm(np.moveaxis(x, axis, -1)),
    np.shape: lambda x: x.shape, np.ndim: lambda x: x.ndim,
}
FUNCTIONS.update(_OF_NUMPY)
