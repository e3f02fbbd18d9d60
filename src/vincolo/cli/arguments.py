"""Arguments that several commands have, and what all commands understand."""

from __future__ import annotations

import sys
from atexit import register
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from vincolo.units import seconds_in

STDIN = "-"


def from_input(ending: str = "") -> Any:
    """Takes `-` for what comes through a pipe: a model, or a table if the ending of one is given."""
    def read(value: Any) -> Any:
        if str(value) != STDIN:
            return value
        return type(value)(_kept(sys.stdin.buffer.read(), ending))
    return read


def _kept(data: bytes, ending: str) -> Path:
    """What was read, as a file that is there until the program ends; models are told by how they begin."""
    from shutil import rmtree
    from tempfile import mkdtemp

    folder = Path(mkdtemp(prefix="vincolo-"))
    register(rmtree, folder, ignore_errors=True)
    start = data.lstrip()[:2000]
    kind = ending or (".xlsx" if data.startswith(b"PK") else ".urdf" if b"<robot" in start
                      else ".xml" if start.startswith(b"<") else ".yaml")
    place = folder / f"input{kind}"
    place.write_bytes(data)
    return place


def _hush(value: bool) -> None:
    if value:
        from vincolo.cli.common import be_quiet

        be_quiet()


Quiet = Annotated[bool, typer.Option("--quiet", "-q", callback=_hush, help="Print errors and warnings only.")]


def understanding_quiet(command: Callable[..., None]) -> Callable[..., None]:
    """The same command, which understands --quiet besides."""
    @wraps(command)
    def quieter(*, quiet: bool = False, **given: Any) -> None:
        command(**given)

    own = signature(command, eval_str=True)
    added = Parameter("quiet", Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
    quieter.__signature__ = own.replace(parameters=[*own.parameters.values(), added])  # type: ignore[attr-defined]
    quieter.__annotations__ = {name: given.annotation for name, given in own.parameters.items()} | {"quiet": Quiet}
    return quieter


class TimeText(str):
    """A time as it was typed: a number of seconds, or a number with a unit."""


def understanding_times(command: Callable[..., None]) -> Callable[..., None]:
    """The same command, whose times may have units: --until 5s."""
    @wraps(command)
    def timed(**given: Any) -> None:
        texts = {name: text for name, text in given.items() if isinstance(text, TimeText)}
        if texts:
            from vincolo.cli.common import guarded

            with guarded(bool(given.get("as_json"))):
                given |= {name: seconds_in(f"--{name}", text) for name, text in texts.items()}
        command(**given)

    return timed


def time_option(about: str) -> Any:
    """An option that takes a time in seconds, or with a unit."""
    return typer.Option(parser=TimeText, metavar="TIME", help=f"{about} [s], or with a unit: 200ms.")


Model = Annotated[str, typer.Argument(callback=from_input(), help=(
    "YAML, workbook, folder of cards, Python file, URDF, .adm, .cmd or MJCF; - reads it from a pipe."))]
Result = Annotated[Path, typer.Argument(callback=from_input(), help=(
    "Folder of results, or a model to be run first; - reads one from a pipe."))]
Series = Annotated[Path, typer.Argument(callback=from_input(".csv"), help=(
    "Folder of results, or a .csv, .xlsx, .h5 or .mat file; - reads CSV from a pipe."))]
Changes = Annotated[list[str], typer.Option("--set", metavar="NAME=VALUE", help=(
    "Change a parameter, a point or a number of a part: l=5, LBJ.x=5mm, crank.mass=2."))]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show everything that was read from the file.")]
Until = Annotated[Optional[float], time_option("End of the run")]  # noqa: UP045  # read by typer
Outputs = Annotated[Optional[int], typer.Option(help="Number of samples.")]  # noqa: UP045
Folder = Annotated[Optional[Path], typer.Option("--out", "-o", help="Folder of the results.")]  # noqa: UP045
Export = Annotated[list[str], typer.Option("--export", help="Also write FILE (.csv, .xlsx, .h5, .mat).")]
Names = Annotated[list[str], typer.Option("--channel", "-c", help="Series to export; patterns such as 'slider.*'.")]
Missing = Annotated[bool, typer.Option("--accept-missing",
                                       help="Go on without the parts of the file that could not be translated.")]
Text = Optional[str]  # noqa: UP045
Unit = Annotated[list[str], typer.Option("--unit", "-u", help="Units of the results: mm,deg,kN; SI for SI units.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there; never those that are read.")]
View = Annotated[str, typer.Option(help="iso, front, back, left, right, top or bottom.")]
Step = Annotated[str, typer.Option(help="Size of the steps.")]
Fixed = Annotated[Text, typer.Option("--integrator", help="RK4, SemiImplicitEuler, Rosenbrock, ...")]
Formulated = Annotated[Text, typer.Option("--formulation", help="JointCoordinates, AugmentedLagrangian, ...")]
Read = Annotated[list[str], typer.Option("--output", help=(
    "What is read beside the outputs of the model: cart.x, or height=cart.z."))]
