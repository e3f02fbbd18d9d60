"""A model in soft real time: inputs from a wire or a record, a step, outputs; what it took is counted."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.analyses.stepper import Stepper
from vincolo.errors import FileError, ModelError, SimulationError
from vincolo.files import appearing
from vincolo.model.geometry import Array
from vincolo.realtime.times import StepTimes
from vincolo.realtime.wire import Wire

POLICIES = ("stop", "skip", "catch-up")
BESIDE = ("step us",)  # columns of a record that are neither inputs nor outputs
MOST_ROWS = 10_000_000


@dataclass
class Told:
    """How a run in real time went."""

    steps: int = 0
    overruns: int = 0
    missed: int = 0  # periods that were left out
    silent: int = 0  # steps since inputs came
    reason: str = ""  # why it ended early
    times: StepTimes = field(default_factory=StepTimes)

    def __str__(self) -> str:
        ended = f"\nended early: {self.reason}" if self.reason else ""
        return (f"{self.steps:,} steps: {self.times}; {self.overruns} overruns, {self.missed} periods missed{ended}")


@dataclass(frozen=True)
class Manner:
    """How a run in real time goes: when a step ends late it stops, skips the periods that were missed, or catches up;
    it ends where no inputs come for `silence` seconds (0: never); `free` runs as fast as it goes."""

    overrun: str = "catch-up"
    silence: float = 0.0
    free: bool = False

    def __post_init__(self) -> None:
        if self.overrun not in POLICIES:
            raise ModelError(f"--overrun {self.overrun!r} is unknown.\n  It is one of {', '.join(POLICIES)}.")


class Runner:
    """Steps a model in real time. `wire` brings inputs and takes outputs, `replayed` has the inputs of every step,
    `recording` keeps all that happens. `asked` is looked at before every step: it ends the run by returning True."""

    def __init__(self, stepper: Stepper, manner: Manner | None = None, *, wire: Wire | None = None,
                 replayed: Array | None = None, recording: bool = False,
                 asked: Callable[[], bool] = lambda: False) -> None:
        self.stepper, self.manner = stepper, manner or Manner()
        self._wire, self._replayed, self._asked = wire, replayed, asked
        self.rows: list[tuple[float, ...]] | None = [] if recording else None
        self.told = Told()

    def run(self, steps: int) -> Told:
        """So many steps, or until it ends early."""
        period = round(1e9 * self.stepper.size)
        following = time.monotonic_ns()
        while self.told.steps < steps and not self.told.reason and not self._asked():
            following += period
            self._fetch()
            self._step()
            if not self.manner.free and not self.told.reason:
                following = self._wait(following, period)
        return self.told

    def _fetch(self) -> None:
        s, told = self.stepper, self.told
        if self._wire is not None:
            found = self._wire.receive(len(s.inputs))
            told.silent = 0 if found is not None else told.silent + 1
            if found is not None:
                s.inputs[:] = found
            if 0 < self.manner.silence < told.silent * s.size:
                told.reason = f"no inputs came for {self.manner.silence:g} s"
        if self._replayed is not None and told.steps < len(self._replayed):
            s.inputs[:] = self._replayed[told.steps]

    def _step(self) -> None:
        s, told = self.stepper, self.told
        if told.reason:
            return
        begun = time.perf_counter_ns()
        try:
            s.step()
        except (SimulationError, ModelError) as error:  # what was done before is kept
            told.reason = f"at t = {s.t:.9g} s: {error}"
            return
        spent = time.perf_counter_ns() - begun
        told.steps += 1
        told.times.note(spent)
        if self._wire is not None:
            self._wire.send(s.t, s.outputs.tolist())
        if self.rows is not None and len(self.rows) < MOST_ROWS:
            self.rows.append((s.t, *s.inputs.tolist(), *s.outputs.tolist(), spent / 1000))
        if s.stopped:
            told.reason = f"an event stopped it at t = {s.t:.9g} s"

    def _wait(self, following: int, period: int) -> int:
        """Sleeps to the end of the period; when that is."""
        late, told = time.monotonic_ns() - following, self.told
        if late > 0:
            told.overruns += 1
            if self.manner.overrun == "stop":
                told.reason = f"the step to t = {self.stepper.t:.9g} s ended {late / 1e6:.3g} ms late"
            if self.manner.overrun != "skip":
                return following
            periods = late // period + 1
            told.missed += periods
            following += periods * period
        time.sleep(max(0, following - time.monotonic_ns()) / 1e9)
        return following

    def write(self, path: Path) -> None:
        """What was recorded, as a table that can be replayed."""
        text = io.StringIO()
        out = csv.writer(text, lineterminator="\n")
        out.writerow(["t", *self.stepper.input_names, *self.stepper.output_names, *BESIDE])
        out.writerows([repr(x) for x in row] for row in self.rows or [])
        with appearing("hil", path) as file:
            file.write(text.getvalue().encode())

    def shown(self) -> dict[str, Any]:
        """What the live page shows."""
        s, told = self.stepper, self.told
        p50, p99, p9999, longest = told.times.percentiles
        return {"t": s.t, "steps": told.steps, "overruns": told.overruns, "missed": told.missed, "period": 1e6 * s.size,
                "reason": told.reason, "p50": p50, "p99": p99, "p9999": p9999, "max": longest,
                "histogram": told.times.histogram(),
                "inputs": dict(zip(s.input_names, s.inputs.tolist(), strict=True)),
                "outputs": dict(zip(s.output_names, s.outputs.tolist(), strict=True)),
                "wire": {} if self._wire is None else vars(self._wire.counts)}


def replayed_inputs(path: Path, names: list[str]) -> Array:
    """The inputs of every step from a record; all must be there and finite."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    except (UnicodeDecodeError, csv.Error):
        raise FileError(f"{path.name}: this is not a table of text (.csv).\n  Give what `--record` wrote.") from None
    missing = [name for name in names if not rows or name not in rows[0]]
    if missing:
        raise FileError(f"{path.name}: there is no column {missing[0]!r}, which is an input of the model.\n"
                        f"  Columns: {', '.join(rows[0]) if rows else 'none'}.")
    places = [rows[0].index(name) for name in names]
    try:
        found = np.array([[float(row[k]) for k in places] for row in rows[1:]], float).reshape(-1, len(names))
    except (ValueError, IndexError):
        raise FileError(f"{path.name}: a number is missing, or is not one.") from None
    if not np.isfinite(found).all():
        line = 2 + int(np.argmin(np.isfinite(found).all(axis=1)))
        raise FileError(f"{path.name}, line {line}: an input is not finite.")
    return found
