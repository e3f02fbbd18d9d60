"""What is read from the eigenvalues of small vibrations, be they all or the lowest ones."""

from __future__ import annotations

import numpy as np

from vincolo.model.geometry import Array

ZERO = 1e-10  # singular values below this share count as zero


class Vibrations:
    """Numbers of every mode; who inherits them has `eigenvalues` and `_shapes` (motions, modes)."""

    @property
    def eigenvalues(self) -> Array:
        """One for every mode [1/s], smallest first: of a conjugate pair the upper one."""
        raise NotImplementedError

    @property
    def frequencies(self) -> Array:
        """Natural frequency of every mode [Hz]: |eigenvalue| / 2 pi, without damping."""
        return np.abs(self.eigenvalues) / (2 * np.pi)

    @property
    def damped_frequencies(self) -> Array:
        """Frequency at which every mode vibrates [Hz]; zero if it does not."""
        return self.eigenvalues.imag / (2 * np.pi)

    @property
    def damping_ratios(self) -> Array:
        """-real part / size of every eigenvalue; 1 and more: no vibration; negative: it grows. Zero for a motion that
        nothing holds."""
        size = np.abs(self.eigenvalues)
        return np.asarray(0.0 - self.eigenvalues.real / np.where(size > 0, size, 1.0))

    @property
    def stable(self) -> bool:
        """Whether no mode grows."""
        return bool((self.eigenvalues.real <= 1e-7 * np.abs(self.eigenvalues).max(initial=0.0)).all())

    def table(self) -> list[str]:
        """The modes as lines."""
        rows = zip(self.frequencies, self.damped_frequencies, self.damping_ratios, strict=True)
        return ["  mode   natural [Hz]   vibrates at [Hz]   damping ratio",
                *(f"  {k:4d}   {f:12.6g}   {d:16.6g}   {z:13.4g}" for k, (f, d, z) in enumerate(rows, 1))]


def in_order(values: Array, shapes: Array) -> tuple[Array, Array]:
    """Eigenvalues and shapes in order of size; of each conjugate pair the one with positive imaginary part."""
    kept = values.imag >= 0
    values, shapes = values[kept], shapes[:, kept]
    order = np.lexsort((values.real, np.abs(values)))
    return values[order], shapes[:, order]


def from_squares(squares: Array, shapes: Array) -> tuple[Array, Array]:
    """Eigenvalues of M x'' + K x = 0 from those of K x = square M x: a negative one falls apart as growth and decay."""
    frequency = np.sqrt(squares.astype(complex))
    values = np.concatenate([1j * frequency, np.where(squares < 0, -1j * frequency, np.nan)])
    kept = ~np.isnan(values)
    return values[kept], np.hstack([shapes, shapes]).astype(complex)[:, kept]


def of_size_one(shapes: Array) -> Array:
    """Velocities (modes, bodies, 6) with the largest of every mode 1; real if nothing is out of phase."""
    for shape in shapes:
        largest = shape.flat[np.argmax(np.abs(shape))]
        shape /= largest if largest != 0 else 1.0  # nothing moves where a state decays by itself
    return np.asarray(shapes if np.abs(shapes.imag).max(initial=0.0) > 1e-9 else shapes.real)


def deflated(A: Array) -> tuple[Array, Array]:
    """Eigenvalues and vectors of a matrix, with eigenvalues zero and their chains split off exactly: rounding would
    turn a chain of k into a circle of radius eps^(1/k)."""
    rows = np.abs(A).max(axis=1, initial=0.0)
    _, s, Vt = np.linalg.svd(A / np.where(rows > 0, rows, 1.0)[:, None])
    rank = int((s > ZERO * s.max(initial=0.0)).sum())
    if rank == len(A):
        return np.linalg.eig(A)
    null, rest = Vt[rank:].T, Vt[:rank].T
    values, vectors = deflated(rest.T @ A @ rest)
    behind = null.T @ (A @ (rest @ vectors))
    other = values != 0
    lifted = rest @ vectors + np.where(other, null @ behind / np.where(other, values, 1.0), 0.0)
    return np.concatenate([np.zeros(len(A) - rank, complex), values]), np.hstack([null.astype(complex), lifted])


def without_places(A: Array, motions: int, places: int) -> tuple[Array, Array]:
    """Eigenvalues, and the shapes of the first `motions` numbers, without those zeros that only say that the mechanism
    may stand at other places: as many as positions have more numbers than velocities."""
    values, vectors = deflated(A)
    shapes = vectors[:motions]
    zeros = np.flatnonzero(values == 0)
    least = zeros[np.argsort(np.abs(shapes[:, zeros]).max(axis=0, initial=0.0), kind="stable")][:places]
    kept = np.setdiff1d(np.arange(len(values)), least)
    return values[kept], shapes[:, kept]
