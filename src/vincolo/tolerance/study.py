"""Monte Carlo and Sobol sampling of tolerances: seeded, side by side, to be interrupted and gone on with."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import ModelError, SimulationWarning, VincoloWarning
from vincolo.files import appearing
from vincolo.model.geometry import Array
from vincolo.tolerance.results import Tolerated
from vincolo.tolerance.sampling import Sampler, correlation_matrix, titles
from vincolo.tolerance.sources import Source
from vincolo.tolerance.subject import Evaluated, Subject, told
from vincolo.tolerance.workers import evaluated

MOST = 10_000_000  # samples


def study(subject: Subject, sources: Sequence[Source], *, samples: int = 1000, method: str = "random", seed: int = 1,
          workers: int = 1, correlations: Mapping[tuple[str, str], float] | None = None,
          folder: str | Path | None = None, progress: Callable[[int, int], None] | None = None) -> Tolerated:
    """Outputs of a subject over random samples of its tolerances. The numbers depend on the seed alone, not on the
    number of workers. With a folder, blocks that are done are kept there: a study that was interrupted goes on from
    them. Samples that cannot be assembled, or have no outputs, are kept apart, with their reasons."""
    count = _whole("samples", samples, 2, MOST)
    crew = _whole("workers", workers, 1, 1024)
    names = titles(sources)
    subject.check(names)
    sampler = Sampler(tuple(sources), correlation_matrix(sources, correlations), method, seed)
    drawn = sampler.draw(count)
    nominal = nominal_outputs(subject, names)
    store = _Store(folder, subject, sampler, nominal)
    found, reason = _sampled(subject, names, drawn, crew, store, progress)
    values = np.full((count, len(subject.at), len(subject.outputs)), np.nan)
    why = ["it was not evaluated"] * count
    for start, block in found.items():
        values[start: start + len(block.reasons)] = block.values
        why[start: start + len(block.reasons)] = block.reasons
    done = np.array([text != "it was not evaluated" for text in why])
    failures = {k: text for k, text in enumerate(why) if done[k] and text}
    return Tolerated(subject, sampler, names, nominal, drawn, values, done, failures, reason)


def _whole(what: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        raise ModelError(f"tolerances: {what} is {value!r}; a whole number from {least:,} to {most:,} is needed.")
    return int(value)


def nominal_outputs(subject: Subject, names: Sequence[str]) -> Array:
    """Outputs without deviations; without them there is nothing to compare with."""
    found = subject.evaluate({name: np.zeros(1) for name in names})
    if found.reasons[0]:
        raise ModelError(f"tolerances: the nominal mechanism itself has no outputs: {found.reasons[0]}.\n"
                         "  Make it move without tolerances first.")
    return np.asarray(found.values[0])


def _sampled(subject: Subject, names: Sequence[str], drawn: Array, workers: int, store: _Store,
             progress: Callable[[int, int], None] | None) -> tuple[dict[int, Evaluated], str | None]:
    """All blocks by the number of their first sample, and why some are missing."""
    size = subject.block
    found: dict[int, Evaluated] = {}
    blocks = []
    for start in range(0, len(drawn), size):
        deviations = drawn[start: start + size]
        kept = store.read(start, len(deviations))
        if kept is not None:
            found[start] = kept
        else:
            blocks.append((start, deviations))
    waiting = [(start, _by_name(names, deviations)) for start, deviations in blocks]
    impossible = {start: _impossible(store.sampler, deviations) for start, deviations in blocks}
    done = sum(len(block.reasons) for block in found.values())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)
            for start, block in evaluated(subject, waiting, workers):
                found[start] = _told(block, impossible[start])
                store.write(start, found[start])
                done += len(block.reasons)
                if progress is not None:
                    progress(done, len(drawn))
    except KeyboardInterrupt:
        return found, f"it was interrupted after {done} of {len(drawn)} samples"
    return found, None


def _by_name(names: Sequence[str], deviations: Array) -> dict[str, Array]:
    """Deviations by name; those that cannot be are zero, and their samples are told apart later."""
    return {name: np.nan_to_num(deviations[:, k]) for k, name in enumerate(names)}


def _impossible(sampler: Sampler, deviations: Array) -> list[str]:
    """Why draws cannot be, whatever they are drawn for."""
    why, column = [""] * len(deviations), 0
    for source in sampler.sources:
        width = len(source.coordinates)
        own = source.why_not(deviations[:, column: column + width])
        why = [old or new for old, new in zip(why, own, strict=True)]
        column += width
    return why


def _told(block: Evaluated, impossible: list[str]) -> Evaluated:
    reasons = [a or b for a, b in zip(impossible, block.reasons, strict=True)]
    bad = np.array([bool(text) for text in reasons])
    return Evaluated(np.where(bad[:, None, None], np.nan, block.values), reasons)


class _Store:
    """Blocks in a folder, for one study: what it is of, its tolerances, its seed and its way of sampling."""

    def __init__(self, folder: str | Path | None, subject: Subject, sampler: Sampler, nominal: Array) -> None:
        self.folder, self.sampler = None if folder is None else Path(folder), sampler
        if self.folder is None:
            return
        about = (subject.name, subject.mark, nominal, subject.outputs, subject.at, subject.block, sampler.sources,
                 sampler.correlations, sampler.method, int(sampler.seed))
        self.mark = hashlib.sha256(told(about).encode()).hexdigest()
        self.folder.mkdir(parents=True, exist_ok=True)
        mark = self.folder / "study.txt"
        if mark.exists() and mark.read_text().split() != [self.mark]:
            raise ModelError(f"tolerances: {str(self.folder)!r} has the samples of another study: its model, "
                             "tolerances, outputs, times, seed or method differ.\n  Choose another folder, or remove "
                             "that one.")
        if not mark.exists():
            with appearing("tolerances", mark) as file:
                file.write(f"{self.mark}\n".encode())

    def read(self, start: int, count: int) -> Evaluated | None:
        """A block that was evaluated before; one that is damaged is evaluated again."""
        path = self._path(start)
        if path is None or not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as archive:
                values, reasons = np.asarray(archive["values"], dtype=float), archive["reasons"].tolist()
            whole = values.ndim == 3 and len(values) == len(reasons) and all(isinstance(r, str) for r in reasons)
        except Exception as error:  # what a damaged archive makes NumPy raise has no end
            whole, reasons, values = False, [str(error)], np.zeros((0, 0, 0))
        if not whole:
            warnings.warn(f"tolerances: {str(path)!r} is damaged; its samples are evaluated again.", VincoloWarning,
                          stacklevel=2)
            return None
        return Evaluated(values, reasons) if len(reasons) == count else None

    def write(self, start: int, block: Evaluated) -> None:
        """Keeps a block."""
        path = self._path(start)
        if path is not None:
            with appearing("tolerances", path) as file:
                np.savez(file, values=block.values, reasons=np.array(block.reasons, dtype=str))

    def _path(self, start: int) -> Path | None:
        return None if self.folder is None else self.folder / f"samples_{start:09d}.npz"
