"""The commands for programs without Python and for real time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from vincolo.cli.arguments import Changes, Fixed, Force, Formulated, Json, Missing, Model, Read, Step, Text, time_option


def export(model: Model,
           kind: Annotated[str, typer.Option("--as", help="c (a project), fmu2, fmu3 or table.")],
           output: Annotated[Optional[Path], typer.Option("--out", "-o", help="File, or folder of c.")] = None,  # noqa: UP045
           step: Step = "1ms", integrator: Fixed = None, formulation: Formulated = None, outputs: Read = [],  # noqa: B006
           change: Changes = [], force: Force = False, accept_missing: Missing = False,  # noqa: B006
           as_json: Json = False) -> None:
    """Writes a model for programs without Python: the same kernel as a project in C, as an FMU, or as a table for it.

    Examples: `vincolo export car.yaml --as c -o car_c`, `vincolo export crank.py --as fmu3 --step 1ms`
    """
    from vincolo.cli.exports import Solvers, export_model

    solvers = Solvers(step, integrator, formulation, tuple(outputs))
    export_model(model, change, kind, output, solvers, force=force, accept_missing=accept_missing, as_json=as_json)


def hil(model: Model, step: Step = "1ms", integrator: Fixed = None, formulation: Formulated = None,
        outputs: Read = [],  # noqa: B006
        io: Annotated[Text, typer.Option(help="Inputs and outputs by datagrams: udp://127.0.0.1:5000.")] = None,
        seconds: Annotated[Optional[float], time_option("How long; until Ctrl-C if not given")] = None,  # noqa: UP045
        page: Annotated[Text, typer.Option(help="Port of a live page; HOST:PORT lets others see it.")] = None,
        record: Annotated[Optional[Path], typer.Option(help="Write what happened: .csv.")] = None,  # noqa: UP045
        replay: Annotated[Optional[Path], typer.Option(help="Inputs of every step from a record.")] = None,  # noqa: UP045
        overrun: Annotated[str, typer.Option(help="When a step ends late: stop, skip or catch-up.")] = "catch-up",
        silence: Annotated[float, time_option("End after such a silence of the inputs (0: never)")] = 0.0,
        free: Annotated[bool, typer.Option("--free", help="As fast as it goes.")] = False,
        measure: Annotated[bool, typer.Option("--measure", help="Compare solvers instead of running.")] = False,
        steps: Annotated[int, typer.Option(min=100, max=10_000_000, help="Steps of --measure.")] = 10_000,
        change: Changes = [], force: Force = False, as_json: Json = False) -> None:  # noqa: B006
    """Runs a model in soft real time, with inputs and outputs over a wire; or measures which solvers suit it.

    Examples: `vincolo hil car.yaml --io udp://127.0.0.1:5000 --page 8000`, `vincolo hil car.yaml --measure --step 1ms`
    """
    from vincolo.cli.exports import Solvers
    from vincolo.cli.hil import Bench, measure_hil, run_hil

    solvers = Solvers(step, integrator, formulation, tuple(outputs))
    if measure:
        measure_hil(model, change, solvers, steps, as_json)
        return
    bench = Bench(seconds, io, page, record, replay, overrun, silence, free)
    run_hil(model, change, solvers, bench, force=force, as_json=as_json)
