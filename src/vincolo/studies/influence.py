"""Which parameters matter over their whole ranges: Sobol's shares of variance and Morris's elementary effects, by the
package SALib."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.geometry import Array
from vincolo.optional import library
from vincolo.studies.plan import Listed, middle_of, ranges_of, whole_number
from vincolo.studies.study import studied
from vincolo.studies.variants import TIMES, variants_of

METHODS = ("sobol", "morris")
MOST_RUNS = 10_000_000


@dataclass(frozen=True, eq=False)
class Influence:
    """By outputs and parameters: of "sobol" the share of the variance that a parameter causes alone (`first`) and with
    others (`total`); of "morris" the mean size of its effects (`total`) and their standard deviation (`first`), over
    its range. `confidence` is the half width of the 95 % interval of `total`."""

    method: str
    parameters: tuple[str, ...]
    outputs: tuple[str, ...]
    first: Array
    total: Array
    confidence: Array
    runs: int

    def ranked(self, output: str) -> dict[str, float]:
        """Parameters by their influence on an output, largest first."""
        if output not in self.outputs:
            raise ModelError(f"influence: there is no output {output!r}.{suggest(str(output), self.outputs)}\n"
                             f"  Outputs: {', '.join(self.outputs)}.")
        row = self.total[self.outputs.index(output)]
        return {self.parameters[k]: float(row[k]) for k in np.argsort(-row)}

    def __str__(self) -> str:
        words = ("share of the variance, alone" if self.method == "sobol" else "effect, its spread")
        lines = [f"{self.method}, {self.runs:,} variants: {words}"]
        for name, first, total, off in zip(self.outputs, self.first, self.total, self.confidence, strict=True):
            lines.append(f"  {name}")
            lines += [f"    {self.parameters[k]:<20} {total[k]:.4g} +- {off[k]:.2g}, {first[k]:.4g}"
                      for k in np.argsort(-total)]
        return "\n".join(lines)


def influence(what: Any, parameters: Mapping[str, Any], outputs: Any, *, method: str = "sobol", samples: int = 256,
              seed: int = 1, until: float | None = None, times: Any = TIMES, analysis: str = "dynamics",
              workers: int | None = None, how: str = "auto", scheduler: Any = None, folder: Any = None,
              **settings: Any) -> Influence:
    """Shares of parameters, in ranges (low, high), in what outputs do; `samples` is the N of Saltelli's plan, a power
    of two, of N (d + 2) runs, or the number of Morris's trajectories. The rest is as in study()."""
    if method not in METHODS:
        raise ModelError(f"influence(): method is {method!r}; it is one of: {', '.join(METHODS)}.")
    ranges = ranges_of("influence()", parameters)
    bounds = [(p.low, p.high) for p in ranges.values()]
    whole_number("influence(): samples", samples, 2, MOST_RUNS // (len(ranges) + 2))
    if method == "sobol" and samples & (samples - 1):
        raise ModelError(f"influence(): samples is {samples}; Saltelli's plan needs a power of two, such as "
                         f"{2 ** int(samples).bit_length()}.")
    whole_number("influence(): the seed", seed, 0, 2**32 - 1)
    problem = {"num_vars": len(ranges), "names": list(ranges), "bounds": bounds}
    needed = "influence() needs the package 'SALib'"
    sample = library(f"SALib.sample.{method}", needed, "'vincolo[optimise]'")
    analyse = library(f"SALib.analyze.{method}", needed, "'vincolo[optimise]'")
    more = {"calc_second_order": False} if method == "sobol" else {}
    plan = Listed(tuple(ranges), np.asarray(sample.sample(problem, int(samples), seed=seed, **more), dtype=float))
    subject = variants_of(what, plan.names, middle_of(parameters), outputs, until=until, times=times, analysis=analysis,
                          vectorised=False, settings=settings)
    found = studied(subject, plan, workers=workers, how=how, scheduler=scheduler, folder=folder)
    if found.failures or not found.complete:
        raise ModelError(f"influence(): {found.told_failures() or found.reason}.\n  All variants must have outputs "
                         "here: choose smaller ranges.")
    keys = ("S1", "ST", "ST_conf") if method == "sobol" else ("sigma", "mu_star", "mu_star_conf")
    rows = []
    for name in found.outputs:
        y = found[name]
        given = (problem, y) if method == "sobol" else (problem, plan.table, y)
        with np.errstate(divide="ignore", invalid="ignore"):  # an output that never changes has no shares
            result = analyse.analyze(*given, seed=seed, **more)
        rows.append([np.asarray(result[key], dtype=float) for key in keys])
    first, total, confidence = (np.stack([row[k] for row in rows]) for k in range(3))
    return Influence(method, plan.names, found.outputs, first, total, confidence, plan.count)
