"""The best variant: by gradients, by evolution, by both one after the other; of several goals the front of those that
no other beats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.optional import library
from vincolo.studies.gradients import gradients
from vincolo.studies.outputs import outputs_of
from vincolo.studies.plan import MOST, Listed, middle_of, ranges_of, whole_number
from vincolo.studies.table import Study
from vincolo.studies.variants import TIMES, ModelVariants, Variants, variants_of

METHODS = ("gradient", "evolution", "cma", "genetic", "hybrid", "pareto")
FAILED = 1e30  # the goal of a variant that failed
WEIGHT = 1e3  # of a constraint that is not met, in searches that know no constraints: per share of its size


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best parameters, the outputs there, how many variants were evaluated, and whether constraints are met. Of
    several goals `front` and `goals` are all points of the front (points, parameters) and (points, goals)."""

    parameters: dict[str, float]
    outputs: dict[str, float]
    evaluations: int
    method: str
    feasible: bool
    front: Array
    goals: Array
    variants: Study | None = field(default=None, repr=False)  # the front as a study: run(k), show(), save()

    def __str__(self) -> str:
        told = ", ".join(f"{n} = {v:.6g}" for n, v in {**self.parameters, **self.outputs}.items())
        points = f"; a front of {len(self.front)} points" if len(self.front) > 1 else ""
        broken = "" if self.feasible else "; constraints are not met"
        return f"{self.method}, {self.evaluations:,} variants{points}{broken}: {told}"


def optimise(what: Any, parameters: Mapping[str, Any], goal: Any, *, constraints: Mapping[str, Any] | None = None,
             method: str = "hybrid", evaluations: int = 400, seed: int = 1, until: float | None = None,
             times: Any = TIMES, analysis: str = "dynamics", **settings: Any) -> Optimum:
    """The variant of what study() varies with the smallest goal, an output such as "max slider.vx"; parameters have
    ranges (low, high). `constraints` has (low, high) of outputs, either of them None. Methods: "gradient" (SLSQP, with
    gradients() of models that have them), "evolution" (differential evolution), "cma" (CMA-ES, package cma), "genetic"
    (package pymoo), "hybrid" (evolution, then gradient), "pareto" (NSGA-II of pymoo) for several goals. A goal that is
    to be large has a minus: "-max slider.vx"."""
    if method not in METHODS:
        raise ModelError(f"optimise(): method is {method!r}; it is one of: {', '.join(METHODS)}."
                         f"{suggest(str(method), METHODS)}")
    task = _Task(what, parameters, goal, dict(constraints or {}), until=until, times=times, analysis=analysis,
                 settings=settings)
    if (method == "pareto") != (len(task.signs) > 1):
        raise ModelError(f"optimise(): {len(task.signs)} goals with method {method!r}; several goals go with 'pareto', "
                         "and one with the others.")
    most = max(whole_number("optimise(): evaluations", evaluations, 1, MOST), 10)
    rng = np.random.default_rng(whole_number("optimise(): the seed", seed, 0, 2**32 - 2))
    if method in ("genetic", "pareto"):
        return _pymoo(task, method, most, seed)
    x = task.middle
    if method in ("evolution", "hybrid"):
        x = _evolved(task, most, rng)
    elif method == "cma":
        x = _cma(task, most, seed)
    if method in ("gradient", "hybrid"):
        x = _descended(task, x, most)
    return task.optimum(x[None], method)


@dataclass(eq=False)
class _Task:
    """What is optimised: goals first, then constraints, all as outputs of variants in shares of the ranges."""

    what: Any
    given: Mapping[str, Any]
    goal: Any
    constraints: dict[str, Any]
    until: float | None
    times: Any
    analysis: str
    settings: Mapping[str, Any]
    evaluations: int = 0
    known: dict[bytes, Array] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)  # of variants that failed

    def __post_init__(self) -> None:
        self.ranges = ranges_of("optimise()", self.given)
        self.low, self.high = (np.array([getattr(p, end) for p in self.ranges.values()]) for end in ("low", "high"))
        goals = [self.goal] if isinstance(self.goal, str) or not isinstance(self.goal, Sequence) else list(self.goal)
        signs = [-1.0 if isinstance(g, str) and g.startswith("-") else 1.0 for g in goals]
        self.signs = np.array(signs)
        wanted = [g.removeprefix("-") if isinstance(g, str) else g for g in goals]
        wanted += [name for name in self.constraints if name not in wanted]
        self.subject: Variants = variants_of(
            self.what, tuple(self.ranges), middle_of(self.given), wanted, until=self.until, times=self.times,
            analysis=self.analysis, vectorised=False, settings=self.settings)
        self.wanted = wanted
        self.bounds = [self._bound(name, self.constraints[name]) for name in self.constraints]
        self.places = [wanted.index(name) for name in self.constraints]

    def _bound(self, name: str, pair: Any) -> tuple[float, float]:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or list(pair) == [None, None]:
            raise ModelError(f"optimise(): the constraint of {name!r} is {pair!r}; write (low, high), with None where "
                             "there is no limit.")
        low, high = (end if x is None else finite_number(f"optimise(): the constraint of {name!r}", x)
                     for x, end in zip(pair, (-np.inf, np.inf), strict=True))
        if not low <= high:
            raise ModelError(f"optimise(): the constraint of {name!r} is from {low:g} to {high:g}; the lower limit "
                             "comes first.")
        return low, high

    @property
    def middle(self) -> Array:
        """In shares of the ranges."""
        return np.full(len(self.low), 0.5)

    def values(self, shares: Array) -> Array:
        """Outputs of variants (many, outputs); those that failed have a very large goal."""
        x = self.low + (self.high - self.low) * np.clip(shares, 0, 1)
        new = [k for k in range(len(x)) if x[k].tobytes() not in self.known]
        if new:
            found = self.subject.evaluate(x[new])
            self.evaluations += len(new)
            self.reasons.update(found.reasons.values())
            self.known.update({x[k].tobytes(): row for k, row in zip(new, found.values, strict=True)})
        return np.array([self.known[row.tobytes()] for row in x])

    def goals(self, shares: Array) -> Array:
        """Goals to be made small (many, goals)."""
        found = self.values(shares)[:, :len(self.signs)] * self.signs
        return np.asarray(np.where(np.isfinite(found), found, FAILED))

    def broken(self, shares: Array) -> Array:
        """How far constraints are broken (many, constraints), over the size of their limits; zero where met."""
        found = self.values(shares)
        parts = []
        for (low, high), place in zip(self.bounds, self.places, strict=True):
            size = max(abs(b) for b in (low, high, 1e-12) if np.isfinite(b))
            off = np.maximum(low - found[:, place], found[:, place] - high) / size
            parts.append(np.where(np.isfinite(off), np.maximum(off, 0.0), 1.0))
        return np.stack(parts, axis=-1) if parts else np.zeros((len(found), 0))

    def penalised(self, shares: Array) -> Array:
        """One number for each variant: the goal, and what constraints cost."""
        goal = self.goals(shares)[:, 0]
        scale = max(1e-12, float(np.median(np.abs(goal[goal < FAILED])))) if (goal < FAILED).any() else 1.0
        return np.asarray(goal + WEIGHT * scale * self.broken(shares).sum(axis=1))

    def optimum(self, shares: Array, method: str) -> Optimum:
        """What was found."""
        values = self.values(shares)
        x = self.low + (self.high - self.low) * np.clip(shares, 0, 1)
        goals = values[:, :len(self.signs)]
        order = np.argsort(goals[:, 0] * self.signs[0])
        first = int(order[0])
        if not np.isfinite(values[first]).all():
            why = f" Most often: {self.reasons.most_common(1)[0][0]}." if self.reasons else ""
            raise ModelError(f"optimise(): none of the {self.evaluations:,} variants that were tried has outputs."
                             f"{why}\n  Try one by hand first, or choose other ranges.")
        feasible = bool((self.broken(shares) <= 1e-6).all())
        return Optimum(dict(zip(self.ranges, x[first].tolist(), strict=True)),
                       dict(zip(self.subject.outputs, values[first].tolist(), strict=True)), self.evaluations, method,
                       feasible, x[order], goals[order], self._study(x[order], values[order]))

    def _study(self, x: Array, values: Array) -> Study:
        """Variants that were found as a study, which shows two goals over each other."""
        n, signs = len(self.ranges), [f"{s:.0f}" for s in self.signs[:2]]
        axes = {"x": n, "y": n + 1, "colour": 0, "front": " ".join(signs)} if len(signs) == 2 else None
        return Study(self.subject, Listed(tuple(self.ranges), x), values, {}, ((0, len(x)),), axes=axes)


def _evolved(task: _Task, most: int, rng: np.random.Generator) -> Array:
    from scipy.optimize import differential_evolution

    n = len(task.low)
    size = max(5 * n, 8)
    result = differential_evolution(lambda x: task.penalised(x.T), [(0.0, 1.0)] * n, maxiter=max(1, most // size - 1),
                                    popsize=max(1, size // n), vectorized=True, updating="deferred", polish=False,
                                    init="sobol", tol=1e-8, rng=rng)
    return np.asarray(result.x)


def _cma(task: _Task, most: int, seed: int) -> Array:
    cma = library("cma", "optimise(): method 'cma' needs the package 'cma'", "'vincolo[optimise]'",
                  "; or take method='evolution'.")
    search = cma.CMAEvolutionStrategy(task.middle.tolist(), 0.25, {
        "bounds": [0, 1], "seed": seed + 1, "maxfevals": most, "verbose": -9})
    while not search.stop():
        points = search.ask()
        search.tell(points, task.penalised(np.array(points)).tolist())
    return np.asarray(search.result.xbest)


def _descended(task: _Task, x: Array, most: int) -> Array:
    """SLSQP from a point; back to it if that is better."""
    from scipy.optimize import minimize

    around = task.goals(np.stack([x, np.zeros(len(x)), np.ones(len(x))]))[:, 0]
    scale = max(float(np.abs(around[around < FAILED]).max(initial=0.0)), 1e-12)
    exact = _Exact(task) if _has_gradients(task) else None
    limits = [{"type": "ineq", "fun": lambda z, k=k, s=s: _room(task, z, k, s)}
              for k, pair in enumerate(task.bounds) for s in (0, 1) if np.isfinite(pair[s])]
    result = minimize(lambda z: float(task.goals(z[None])[0, 0]) / scale, x, method="SLSQP", bounds=[(0, 1)] * len(x),
                      jac=None if exact is None else lambda z: exact.of(z) / scale, constraints=limits,
                      options={"maxiter": max(5, most // 10), "ftol": 1e-10, "eps": 1e-6})
    both = np.stack([np.clip(result.x, 0, 1), x])
    return np.asarray(both[int(np.argmin(task.penalised(both)))])


def _room(task: _Task, z: Array, k: int, side: int) -> float:
    """What is left to a limit, over its size."""
    limit = task.bounds[k][side]
    found = float(task.values(z[None])[0, task.places[k]])
    away = (found - limit if side == 0 else limit - found) / max(abs(limit), 1e-12)
    return away if np.isfinite(away) else -1.0


def _has_gradients(task: _Task) -> bool:
    """Whether the goal is of a motion of a model, and of a kind that has derivatives."""
    known = ("final", "start", "mean", "rms")
    return (isinstance(task.subject, ModelVariants) and task.analysis == "dynamics" and task.until is not None
            and isinstance(task.what, Model) and not task.settings
            and all(o.reduction in known for o in task.subject.kept[:1]))


class _Exact:
    """Gradients of the goal by shares of the ranges."""

    def __init__(self, task: _Task) -> None:
        self.task, self.output = task, outputs_of([task.wanted[0]])[0]

    def of(self, z: Array) -> Array:
        """At a point."""
        t = self.task
        x = t.low + (t.high - t.low) * z
        here = dict(zip(t.ranges, x.tolist(), strict=True))
        found = gradients(t.what, here, [self.output], until=float(t.until or 0), times=100)
        return np.asarray(t.signs[0] * found.by[0] * (t.high - t.low))


def _pymoo(task: _Task, method: str, most: int, seed: int) -> Optimum:
    needed = f"optimise(): method {method!r} needs the package 'pymoo'"
    core = library("pymoo.core.problem", needed, "'vincolo[optimise]'", "; or take method='evolution'.")
    single = library("pymoo.algorithms.soo.nonconvex.ga", needed, "'vincolo[optimise]'")
    several = library("pymoo.algorithms.moo.nsga2", needed, "'vincolo[optimise]'")
    run = library("pymoo.optimize", needed, "'vincolo[optimise]'")

    class Wanted(core.Problem):  # type: ignore[misc, name-defined]
        """The task as pymoo takes it."""

        def __init__(self) -> None:
            super().__init__(n_var=len(task.low), n_obj=len(task.signs), n_ieq_constr=len(task.bounds), xl=0.0, xu=1.0)

        def _evaluate(self, x: Array, out: dict[str, Any], *_: Any, **__: Any) -> None:
            out["F"] = task.goals(x)
            if task.bounds:
                out["G"] = task.broken(x) - 1e-9

    size = min(max(20, most // 15), 100)
    algorithm = several.NSGA2(pop_size=size) if method == "pareto" else single.GA(pop_size=size)
    result = run.minimize(Wanted(), algorithm, ("n_eval", most), seed=seed, verbose=False)
    if result.X is None:
        raise ModelError("optimise(): no variant was found that meets all constraints.\n  Allow more evaluations=, or "
                         "wider limits.")
    return task.optimum(np.atleast_2d(result.X), method)
