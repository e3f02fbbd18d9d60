"""vincolo hil: a model in soft real time, and which solvers suit it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import typer

from vincolo.analyses.stepper import Stepper, stepper
from vincolo.cli.common import ENDED_EARLY, guarded, opened, print_json, say
from vincolo.cli.exports import Solvers, seconds_of
from vincolo.cli.places import Places
from vincolo.errors import ModelError
from vincolo.formats.document import Document
from vincolo.realtime.measure import Measured, advice, measured
from vincolo.realtime.page import LivePage
from vincolo.realtime.runner import Manner, Runner, replayed_inputs
from vincolo.realtime.wire import Wire
from vincolo.solvers import integrators

MOST_STEPS = 1e12


@dataclass(frozen=True)
class Bench:
    """What surrounds the model."""

    seconds: float | None = None
    io: str | None = None
    page: str | None = None  # HOST:PORT, or a port
    record: Path | None = None
    replay: Path | None = None
    overrun: str = "catch-up"
    silence: float = 0.0
    free: bool = False


def run_hil(path: str, changes: list[str], solvers: Solvers, bench: Bench, *, force: bool, as_json: bool) -> None:
    """Runs a model in real time until it ends, or is interrupted; what was recorded is written in any case."""
    with guarded(as_json) as heard:
        manner = Manner(bench.overrun, bench.silence, bench.free)
        if bench.seconds is not None and not 0 < bench.seconds < math.inf:
            raise ModelError(f"--seconds {bench.seconds:g}: a time above 0 is needed.\n  Leave it out to go on until "
                             "Ctrl-C.")
        document = opened(path, changes, as_json)
        if bench.record is not None:
            Places(document.files, force).check("--record", bench.record)
        s = _stepper(document, solvers)
        replayed = None if bench.replay is None else replayed_inputs(bench.replay, s.input_names)
        wire = None if bench.io is None else Wire(bench.io)
        runner = Runner(s, manner, wire=wire, replayed=replayed, recording=bench.record is not None)
        page = None if bench.page is None else _page(runner, bench.page)
        if page is not None:
            say(f"live page: {page.address}")
        seconds = len(replayed) * s.size if replayed is not None and bench.seconds is None else bench.seconds
        steps = MOST_STEPS if seconds is None else round(seconds / s.size)
        try:
            runner.run(int(steps))
        except KeyboardInterrupt:
            runner.told.reason = "interrupted"
        finally:
            if bench.record is not None:
                runner.write(bench.record)
            for part in (wire, page):
                if part is not None:
                    part.close()
        if as_json:
            print_json({**runner.shown(), "warnings": heard})
        else:
            say(f"{runner.told}" + (f"\n  datagrams     {vars(wire.counts)}" if wire is not None else ""))
        if runner.told.reason not in ("", "interrupted"):
            raise typer.Exit(ENDED_EARLY)


def _stepper(document: Document, solvers: Solvers) -> Stepper:
    size = seconds_of("--step", solvers.step)
    solvers.add_outputs(document)
    found = {"integrator": integrators.RK4(step=size), **solvers.solvers(size)}
    return stepper(document.system, size, start=document.start(), **found)


def _page(runner: Runner, address: str) -> LivePage:
    host, _, port = address.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise ModelError(f"--page {address!r} is not an address.\n  Write --page 8000, which is on this machine.")
    return LivePage(runner.shown, runner.stepper.system.name, host or "127.0.0.1", int(port))


def measure_hil(path: str, changes: list[str], solvers: Solvers, steps: int, as_json: bool) -> None:
    """Prints a table of solvers: their step times, the highest rate, and how far they are from the motion."""
    with guarded(as_json) as heard:
        document = opened(path, changes, as_json)
        size, system, found = seconds_of("--step", solvers.step), document.system, list[Measured]()
        if not as_json:
            say(f"{system.name}: steps of {size:g} s; times in us, of this thread alone, over {steps:,} steps\n"
                f"  {'integrator':<22}{'formulation':<21}{'p50':>8}{'p99':>8}{'p99.99':>8}{'max':>9}"
                f"{'highest rate':>14}{'off by':>10}")
        for m in measured(system, size, document.start(), steps=steps):
            found.append(m)
            if not as_json:
                say(_line(m))
        if as_json:
            print_json({"model": system.name, "step": size, "advice": advice(found, size, system.extent),
                        "warnings": heard, "measured": [
                            {"integrator": m.integrator, "formulation": m.formulation, "trouble": m.trouble,
                             "rate": m.rate, "error": m.error,
                             "us": None if m.times is None else m.times.percentiles} for m in found]})
            return
        say(advice(found, size, system.extent))


def _line(m: Measured) -> str:
    head = f"  {m.integrator:<22}{m.formulation:<21}"
    if m.times is None:
        return f"{head}  fails: {m.trouble}"
    p50, p99, p9999, longest = m.times.percentiles
    return f"{head}{p50:>8.1f}{p99:>8.1f}{p9999:>8.1f}{longest:>9.1f}{m.rate:>11,.0f} Hz{m.error:>8.1g} m"
