"""Four-bars whose coupler point passes given points: searched for in closed form over many at once, then polished."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number, number_array
from vincolo.model.geometry import Array
from vincolo.studies.plan import MOST_SEED, whole_number
from vincolo.studies.synthesis.fitting import fitted
from vincolo.studies.synthesis.four_bar import FourBar, closed, traced

NUMBERS = ("ground", "crank", "coupler", "rocker", "px", "py", "angle", "x", "y")
TURN = 2 * np.pi
SAMPLES = 72  # angles at which coupler curves are looked at in the search without timing
POPULATION, GENERATIONS, POLISHED = 160, 150, 12
FINISHING, STEP = 200, 1e-6  # steps that finish a linkage, and the share of a number by which slopes are taken
DAMPINGS = 10.0 ** np.arange(-14, 1, 2)
WRONG = 1e6  # error of a linkage that cannot be closed, or whose crank does not turn


@dataclass(frozen=True, eq=False)
class PathLinkage:
    """A linkage, the angles of its crank at the points, the sum of the squared distances [m2], and its defects."""

    linkage: FourBar
    theta: Array
    error: float
    defects: list[str]
    evaluations: int


def path_linkage(points: Any, *, limits: Mapping[str, tuple[float, float]], timing: Any = None, seed: int = 1,
                 rounds: int = 4, start: FourBar | None = None,
                 watch: Callable[[PathLinkage], Any] | None = None) -> PathLinkage:
    """The four-bar whose coupler point comes nearest to points (n, 2), with a crank that turns over, and without
    defects of order, branch and circuit. `limits` has (low, high) for lengths ground, crank, coupler and rocker, the
    traced point px, py, and the place angle, x, y; what is not named is zero. `timing` has the angles of the
    crank at the points [rad], up to the first of them if limits has "theta"; without it they are free. The search is by
    differential evolution, begun from an atlas of random cranks and from `start`, where angles are free also by fits
    from random ones, and polished by least squares; with rounds=0 `start` is only polished. `watch` is
    called with every linkage that is better than those before, and ends the search by returning True."""
    task = _Task(points, limits, timing, watch)
    if start is not None and not isinstance(start, FourBar):
        raise ModelError(f"path_linkage(): start is {start!r:.80}; a FourBar is needed.")
    rng = np.random.default_rng(whole_number("path_linkage(): the seed", seed, 0, MOST_SEED))
    if whole_number("path_linkage(): rounds", rounds, 0, 10_000) == 0:
        if start is None:
            raise ModelError("path_linkage(): rounds is 0, and there is no start= to polish.")
        return task.offer(task.from_start(start))
    for _ in range(rounds):
        if not task.ended:
            task.search(rng, start)
    assert task.best is not None
    return replace(task.best, evaluations=task.evaluations)


def _limits(name: str, given: Any) -> tuple[float, float]:
    """A pair of limits; lengths are above zero."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ModelError(f"path_linkage(): limits: {name!r} is {given!r}; write (low, high).")
    low, high = (finite_number(f"path_linkage(): limits: {name}", x) for x in given)
    if not low < high:
        raise ModelError(f"path_linkage(): limits: {name!r} is from {low:g} to {high:g}; the lower one comes first.")
    if name in NUMBERS[:4] and not low > 0:
        raise ModelError(f"path_linkage(): limits: {name!r} is from {low:g} m on; a length is above zero.")
    return low, high


def _better(one: PathLinkage, other: PathLinkage | None) -> PathLinkage:
    """The one with fewer defects, or of as many the one with the smaller error."""
    return one if other is None or (len(one.defects), one.error) < (len(other.defects), other.error) else other


class _Task:
    """Points to pass, the numbers that are free and their limits."""

    def __init__(self, points: Any, limits: Mapping[str, tuple[float, float]], timing: Any,
                 watch: Callable[[PathLinkage], Any] | None = None) -> None:
        given = number_array("path_linkage(): points", points)
        if given.ndim != 2 or given.shape[1] != 2 or len(given) < 2 or not np.isfinite(given).all():
            raise ModelError(f"path_linkage(): {points!r:.80} is not a list of two points (x, y) at least, of finite "
                             "numbers.")
        self.targets = given[:, 0] + 1j * given[:, 1]
        self.timing = None if timing is None else number_array("path_linkage(): timing", timing)
        if self.timing is not None and self.timing.shape != self.targets.shape:
            raise ModelError(f"path_linkage(): {self.timing.size} angles for {len(given)} points; give one for each.")
        unknown = [name for name in limits if name not in (*NUMBERS, "theta")]
        missing = [name for name in NUMBERS[:4] if name not in limits]
        if unknown or missing:
            raise ModelError(f"path_linkage(): limits: {', '.join(unknown) or 'none'} not known, "
                             f"{', '.join(missing) or 'none'} missing.\n  They are of: {', '.join(NUMBERS)}, and theta "
                             "for the first angle of the crank.")
        self.free = [name for name in (*NUMBERS, "theta") if name in limits]
        pairs = [_limits(name, limits[name]) for name in self.free]
        self.low, self.high = (np.array([pair[k] for pair in pairs]) for k in (0, 1))
        self.evaluations, self.watch, self.ended = 0, watch, False
        self.best: PathLinkage | None = None
        self.told: PathLinkage | None = None

    def offer(self, found: PathLinkage) -> PathLinkage:
        """Keeps a linkage if it is better than those before."""
        self.best = _better(found, self.best)
        self.tell(found)
        return found

    def tell(self, found: PathLinkage) -> None:
        """Tells a linkage to who watches, if it is better than those that were told."""
        if self.watch is not None and _better(found, self.told) is found:
            self.told = found
            self.ended = bool(self.watch(found)) or self.ended

    def numbers(self, x: Array) -> tuple[Array, Array]:
        """All nine numbers of linkages (..., free), and their first angles."""
        found, first = np.zeros((*x.shape[:-1], 9)), np.zeros(x.shape[:-1])
        for k, name in enumerate(self.free):
            if name == "theta":
                first = x[..., k]
            else:
                found[..., NUMBERS.index(name)] = x[..., k]
        return found, first

    def errors(self, x: Array, branch: int) -> Array:
        """Errors of many linkages (many, free); those that do not turn over are told apart by how far they are off."""
        numbers, first = self.numbers(x)
        self.evaluations += len(x)
        lengths = np.sort(numbers[:, :4], axis=1)
        over = lengths[:, 0] + lengths[:, 3] - lengths[:, 1] - lengths[:, 2]
        over = np.maximum(over, np.minimum(numbers[:, 0], numbers[:, 1]) - lengths[:, 1])  # which turn over
        if self.timing is not None:
            off = traced(numbers[:, None], first[:, None] + self.timing, branch) - self.targets
            found = (np.abs(off) ** 2).sum(axis=1)
        else:
            curve = traced(numbers[:, None], np.linspace(0, TURN, SAMPLES, endpoint=False), branch)
            found = _nearest(curve, self.targets)
        return np.where((over < 0) & np.isfinite(found), found, WRONG * (1 + np.maximum(over, 0)))

    def search(self, rng: np.random.Generator, start: FourBar | None) -> None:
        """A search on both branches, its best polished."""
        from scipy.optimize import differential_evolution

        for branch in (1, -1):
            pool = self._atlas(rng, branch, start)
            result = differential_evolution(lambda x, b=branch: self.errors(x.T, b), list(zip(self.low, self.high,
                                                                                             strict=True)),
                                            init=pool, maxiter=GENERATIONS, vectorized=True, updating="deferred",
                                            mutation=(0.4, 0.9), recombination=0.9, polish=False, tol=1e-12, rng=rng,
                                            callback=None if self.watch is None else self._seen(branch))
            order = np.argsort(result.population_energies)[:POLISHED]
            spread = [result.x, *(result.population[k] for k in order), *pool[:POLISHED]]
            spread += [] if self.ended else fitted(self, rng, branch, WRONG)
            for x in spread:
                if not self.ended and self.errors(x[None], branch)[0] < WRONG:
                    self.offer(self._polished(x, branch))
            if self.ended:
                break
        if self.best is None:
            self.best = self.told or self._as_found(pool[0], branch, None)

    def _seen(self, branch: int) -> Callable[[Any], bool]:
        """Looks at the best of every generation; it is rough, and what is polished later is better."""
        def look(intermediate_result: Any) -> bool:
            if intermediate_result.fun < WRONG:
                self.tell(self._as_found(np.array(intermediate_result.x), branch, None))
            return self.ended

        return look

    def from_start(self, start: FourBar) -> PathLinkage:
        """A linkage polished, from the first angle of its crank that fits best."""
        turns = np.linspace(0, 1, SAMPLES)
        many = np.tile(self._free_of(start), (SAMPLES, 1))
        if "theta" in self.free:
            many[:, -1] = self.low[-1] + (self.high[-1] - self.low[-1]) * turns
        return self._polished(many[int(np.argmin(self.errors(many, start.branch)))], start.branch)

    def _free_of(self, start: FourBar) -> Array:
        """The free numbers of a linkage, within their limits."""
        known = dict(zip(NUMBERS, start.numbers, strict=True))
        return np.asarray(np.clip([known.get(name, 0.0) for name in self.free], self.low, self.high))

    def _atlas(self, rng: np.random.Generator, branch: int, start: FourBar | None) -> Array:
        """The best of many random linkages, and the one to start from."""
        many = self.low + (self.high - self.low) * rng.random((20 * POPULATION, len(self.free)))
        best = many[np.argsort(self.errors(many, branch))[:POPULATION]]
        if start is not None and start.branch == branch:
            best[0] = self._free_of(start)
        return np.asarray(best)

    def _polished(self, x: Array, branch: int) -> PathLinkage:
        """Least squares on distances, the angles free where they are not given."""
        from scipy.optimize import least_squares

        n = len(self.free)
        theta = self._angles(x, branch)
        begin = x if self.timing is not None else np.concatenate([x, theta])
        turned = np.array([TURN if name in ("angle", "theta") else 0.0 for name in self.free])  # angles have no ends
        low, high = self.low - turned, self.high + turned
        if self.timing is None:
            low, high = np.concatenate([low, theta - 1.5]), np.concatenate([high, theta + 1.5])

        def off(z: Array) -> Array:
            self.evaluations += 1
            numbers, first = self.numbers(z[:n])
            angles = first + self.timing if self.timing is not None else z[n:]
            gap = traced(numbers, angles, branch) - self.targets
            return np.asarray(np.nan_to_num(np.concatenate([gap.real, gap.imag]), nan=1e3))

        inside = np.clip(begin, low + 1e-9 * (high - low), high - 1e-9 * (high - low))
        result = least_squares(off, inside, bounds=(low, high), xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale="jac",
                               max_nfev=400)
        z = _finished(off, result.x, low, high)
        return self._as_found(z[:n], branch, None if self.timing is not None else z[n:])

    def _angles(self, x: Array, branch: int) -> Array:
        """Angles of the crank at the points: as given, or where the coupler curve comes nearest."""
        numbers, first = self.numbers(x)
        if self.timing is not None:
            return np.asarray(first + self.timing)
        many = np.linspace(0, TURN, 10 * SAMPLES, endpoint=False)
        curve = traced(numbers, many, branch)
        return np.unwrap(many[np.nanargmin(np.abs(curve[None, :] - self.targets[:, None]), axis=1)])

    def _as_found(self, x: Array, branch: int, theta: Array | None) -> PathLinkage:
        numbers, _ = self.numbers(x)
        angles = self._angles(x, branch) if theta is None else theta
        linkage = FourBar.of(numbers, branch)
        gap = np.abs(traced(numbers, angles, branch) - self.targets)
        error = float((gap**2).sum()) if np.isfinite(closed(numbers, angles, branch)[1]).all() else np.inf
        return PathLinkage(linkage, angles, error, linkage.defects(angles), self.evaluations)


def _finished(off: Callable[[Array], Array], z: Array, low: Array, high: Array) -> Array:
    """The last digits, where the search of least squares creeps: steps of Levenberg and Marquardt with the best of
    several dampings each, shortest where numbers are more than conditions; numbers that reach a limit stay there."""
    left = off(z)
    for _ in range(FINISHING):
        size = np.maximum(np.abs(z), 1e-2)
        slope = np.stack([(off(z + d) - off(z - d)) / (2 * STEP) for d in np.diag(STEP * size)], axis=-1)
        falling = slope.T @ left
        slope[:, ((z <= low) & (falling > 0)) | ((z >= high) & (falling < 0))] = 0.0
        U, s, Vt = np.linalg.svd(slope, full_matrices=False)
        tried = [np.clip(z - size * (Vt.T @ (s / (s**2 + mu * s[0] ** 2 + 1e-300) * (U.T @ left))), low, high)
                 for mu in DAMPINGS]
        errors = [float(np.sum(off(x) ** 2)) for x in tried]
        k = int(np.argmin(errors))
        if not errors[k] < (1 - 1e-4) * float(left @ left):
            break
        z, left = tried[k], off(tried[k])
    return z


def _nearest(curve: Array, targets: Array) -> Array:
    """Squared distances of points from curves (linkages, samples), summed up; from straight lines between samples."""
    ahead = np.roll(curve, -1, axis=1)
    edge = ahead - curve
    away = targets[None, :, None] - curve[:, None, :]
    size = np.abs(edge[:, None, :]) ** 2 + 1e-300
    share = np.clip((away * np.conj(edge[:, None, :])).real / size, 0, 1)
    return np.asarray((np.abs(away - share * edge[:, None, :]) ** 2).min(axis=2).sum(axis=1))
