"""What a study of tolerances found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.tolerance.sampling import Sampler
from vincolo.tolerance.subject import Subject

BAND = 0.9973  # the share of samples within three standard deviations of a Gaussian
LISTED = 5  # reasons in a summary


@dataclass(frozen=True, eq=False)
class Tolerated:
    """Outputs over all samples: values (samples, positions, outputs), NaN of those that failed or were not done."""

    subject: Subject
    sampler: Sampler
    coordinates: tuple[str, ...]
    nominal: Array  # (positions, outputs)
    deviations: Array  # (samples, coordinates)
    values: Array
    done: NDArray[np.bool_]
    failures: dict[int, str]  # why samples failed, by their numbers
    reason: str | None = None  # why the study is not complete

    @property
    def complete(self) -> bool:
        """Whether all samples were evaluated."""
        return self.reason is None

    @property
    def at(self) -> Array:
        """Positions: times [s] or coordinates."""
        return self.subject.at

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return self.subject.outputs

    @cached_property
    def good(self) -> NDArray[np.bool_]:
        """Samples that have outputs."""
        good = self.done.copy()
        good[list(self.failures)] = False
        if good.sum() < 2:
            raise ModelError(f"tolerances: {int(good.sum())} of {len(good)} samples have outputs; two are needed.\n"
                             f"  {self.told_failures() or self.reason}")
        return good

    def samples(self, output: str | None = None) -> Array:
        """(samples that have outputs, positions)."""
        return np.asarray(self.values[self.good][:, :, self.index(output)])

    def index(self, output: str | None) -> int:
        """The number of an output, the first if not named."""
        if output is None:
            return 0
        if output not in self.outputs:
            raise ModelError(f"tolerances: there is no output {output!r}.{suggest(output, self.outputs)}\n"
                             f"  Outputs: {', '.join(self.outputs)}.")
        return self.outputs.index(output)

    def mean(self, output: str | None = None) -> Array:
        """Over the positions."""
        return np.asarray(self.samples(output).mean(axis=0))

    def deviation(self, output: str | None = None) -> Array:
        """Standard deviation over the positions."""
        return np.asarray(self.samples(output).std(axis=0, ddof=1))

    def quantile(self, share: Any, output: str | None = None) -> Array:
        """What a share of the samples lies below, over the positions."""
        return np.asarray(np.quantile(self.samples(output), share, axis=0))

    def band(self, output: str | None = None, share: float = BAND) -> tuple[Array, Array]:
        """The band that holds a share of the samples at each position, with as many below as above."""
        inside = finite_number("band(): share", share)
        if not 0 < inside < 1:
            raise ModelError(f"band(): the share is {inside:g}; it is between 0 and 1.")
        low, high = self.quantile([0.5 - inside / 2, 0.5 + inside / 2], output)
        return low, high

    def within(self, lower: Any, upper: Any, output: str | None = None) -> float:
        """The share of all samples that stay between two limits (numbers, or one for each position) in all positions;
        samples that failed do not."""
        values = self.samples(output)
        inside = ((values >= lower) & (values <= upper)).all(axis=1)
        return float(inside.sum() / self.done.sum())

    def contributions(self, output: str | None = None, position: int | None = None) -> dict[str, float]:
        """Shares of the variance that each source causes, largest first, by linear regression on the samples; at a
        position, or summed over all of them. "not linear" is what the regression leaves."""
        values = self.samples(output)
        values = values if position is None else values[:, [position]]
        y = values - values.mean(axis=0)
        x = self.deviations[self.good] - self.deviations[self.good].mean(axis=0)
        scale = x.std(axis=0)
        x = x[:, scale > 0] / scale[scale > 0]
        slopes, *_ = np.linalg.lstsq(x, y, rcond=None)
        total = float((y**2).sum())
        if total == 0.0:
            return dict.fromkeys((s.name for s in self.sampler.sources), 0.0)
        fit = x @ slopes
        owners = np.repeat(np.arange(len(self.sampler.sources)), [len(s.coordinates) for s in self.sampler.sources])
        owners = owners[scale > 0]
        found = {s.name: float(((x[:, owners == k] @ slopes[owners == k]) * fit).sum()) / total
                 for k, s in enumerate(self.sampler.sources)}
        ranked = dict(sorted(found.items(), key=lambda item: -item[1]))
        return {**ranked, "not linear": float(((y - fit) ** 2).sum()) / total}

    def told_failures(self) -> str:
        """How many samples failed, and why, in words; "" if none did."""
        if not self.failures:
            return ""
        reasons = Counter(self.failures.values()).most_common()
        groups: Counter[str] = Counter()
        for text, count in reasons:
            groups[_without_numbers(text)] += count
        lines = [f"{count} x {text}" for text, count in groups.most_common(LISTED)]
        return f"{len(self.failures)} of {int(self.done.sum())} samples failed: " + "; ".join(lines)

    def worst_position(self, output: str | None = None) -> int:
        """The number of the position with the largest standard deviation."""
        return int(np.argmax(self.deviation(output)))

    def __str__(self) -> str:
        s = self.sampler
        lines = [f"{self.subject.name}: tolerances of {len(s.sources)} sources, {int(self.done.sum()):,} samples "
                 f"({s.method}, seed {s.seed})"]
        if self.reason is not None:
            lines.append(f"  not complete  {self.reason}")
        lines.append(f"  failed        {self.told_failures() or 'none'}")
        if int(self.done.sum()) - len(self.failures) < 2:
            return "\n".join([*lines, "  outputs       too few samples have any"])
        for name, unit in zip(self.outputs, self.subject.units, strict=True):
            lines += self._told(name, f" {unit}" if unit else "")
        return "\n".join(lines)

    def _told(self, name: str, unit: str) -> list[str]:
        k = self.worst_position(name)
        shift, spread = self.mean(name)[k] - self.nominal[k, self.index(name)], self.deviation(name)[k]
        low, high = (band[k] for band in self.band(name))
        shares = list(self.contributions(name, k).items())
        where = f" at {self.subject.axis.split(' [')[0]} = {self.at[k]:.4g}" if len(self.at) > 1 else ""
        nominal = self.nominal[k, self.index(name)]
        return [f"  {name:<14}largest standard deviation {spread:.4g}{unit}{where}",
                f"{'':16}nominal {nominal:.6g}, mean {shift:+.3g} off, {BAND:.2%} from {low:.6g} to {high:.6g}",
                "                caused by " + ", ".join(f"{source} {share:.1%}" for source, share in shares[:LISTED])]


def _without_numbers(text: str) -> str:
    """A reason without the numbers that differ from sample to sample."""
    words = [word for word in text.split() if not word.lstrip("+-").replace(".", "").replace("e-", "").isdigit()]
    return " ".join(words).rstrip(".:")
