"""The commands and their arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from vincolo.cli import outside
from vincolo.cli.arguments import (
    Changes,
    Export,
    Folder,
    Force,
    Json,
    Missing,
    Model,
    Names,
    Outputs,
    Text,
    Unit,
    Until,
    Verbose,
    time_option,
    understanding_quiet,
    understanding_times,
)
from vincolo.cli.showing import picture, plot, report, studio, video, view
from vincolo.version import __version__

app = typer.Typer(name="vincolo", no_args_is_help=True, rich_markup_mode="markdown", pretty_exceptions_enable=False,
                  context_settings={"help_option_names": ["-h", "--help"]},
                  help="Multibody dynamics of mechanisms.\n\n"
                       "A first look: `vincolo new crank.xlsx --template slider-crank`, then `vincolo run crank.xlsx`, "
                       "then `vincolo plot crank_results slider.x`.")

def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"vincolo {__version__}")
        raise typer.Exit


@app.callback()
def common(version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True,
                                                 help="Print the version.")] = False) -> None:
    """Multibody dynamics of mechanisms."""


@app.command()
def run(model: Model, until: Until = None, outputs: Outputs = None, change: Changes = [],  # noqa: B006
        integrator: Annotated[Text, typer.Option(help="Auto, DormandPrince, Radau, RK4, ...")] = None,
        rtol: Annotated[Optional[float], typer.Option(help="Relative tolerance.")] = None,  # noqa: UP045
        step: Annotated[Optional[float], time_option("Size of fixed steps")] = None,  # noqa: UP045
        folder: Folder = None, export: Export = [], channel: Names = [], unit: Unit = [],  # noqa: B006
        write_back: Annotated[bool, typer.Option("--write-back", help="Add results to the workbook.")] = False,
        record: Annotated[bool, typer.Option("--record", help="Write samples while it runs, for long runs.")] = False,
        given: Annotated[list[str], typer.Option("--input", metavar="NAME=FILE", help=(
            "Feed an input from a table of times and values, or a number."))] = [],  # noqa: B006
        accept_missing: Missing = False, force: Force = False, as_json: Json = False, verbose: Verbose = False) -> None:
    """Runs a model as its file asks for, and writes a folder of results.

    Examples: `vincolo run crank.xlsx`, `vincolo run car.yaml --until 5 --set spring.k=3e4`,
    `vincolo run cards/pentalatero --integrator Radau --rtol 1e-8 --export motion.csv -c 'bar.*'`
    """
    from vincolo.cli.runs import Asked, Wanted, run_model

    wanted = Wanted(folder, tuple(export), tuple(channel), write_back, force, record, tuple(unit))
    asked = Asked(until, outputs, integrator, rtol, step, accept_missing=accept_missing, inputs=tuple(given))
    run_model(model, change, asked, wanted, as_json, verbose)


@app.command()
def kinematics(model: Model, until: Until = None, outputs: Outputs = None, change: Changes = [],  # noqa: B006
               folder: Folder = None, export: Export = [], channel: Names = [], unit: Unit = [],  # noqa: B006
               force: Force = False, accept_missing: Missing = False, as_json: Json = False,
               verbose: Verbose = False) -> None:
    """Follows the drives of a model, without masses deciding; forces are those of this motion.

    Example: `vincolo kinematics crank.xlsx --until 2 --outputs 720`
    """
    from vincolo.cli.runs import Asked, Wanted, run_model

    wanted = Wanted(folder, tuple(export), tuple(channel), force=force, units=tuple(unit))
    asked = Asked(until, outputs, analysis="kinematics", accept_missing=accept_missing)
    run_model(model, change, asked, wanted, as_json, verbose)


@app.command()
def check(model: Model, change: Changes = [], as_json: Json = False, verbose: Verbose = False) -> None:  # noqa: B006
    """Reads and closes a model and reports its freedom, redundancy and what looks wrong, without running it.

    Example: `vincolo check suspension.xlsx`
    """
    from vincolo.cli.checks import check_model

    check_model(model, change, as_json, verbose)


@app.command()
def sweep(model: Model,
          vary: Annotated[list[str], typer.Option("--vary", metavar="NAME=FROM:TO:COUNT", help=(
              "What changes from run to run: LBJ.z=100:140:9mm, or values k=20,25,30 N/mm."))] = [],  # noqa: B006
          plots: Annotated[list[str], typer.Option("--plot", "-p", help=(
              "Series to look at; those of the file if none are given."))] = [],  # noqa: B006
          against: Annotated[str, typer.Option(help="Series of the horizontal axis.")] = "t",
          output: Annotated[Optional[Path], typer.Option(  # noqa: UP045
              "--out", "-o", help="The plot: .html, .png, .svg or .pdf; the table is beside it as .csv.")] = None,
          change: Changes = [], unit: Unit = [], force: Force = False, as_json: Json = False) -> None:  # noqa: B006
    """Runs a model once for each value of a number in it: one table, one plot. Several --vary make all combinations.

    Example: `vincolo sweep car.xlsx --vary 'LBJ.z=100:140:9mm' --plot camber --against travel`
    """
    from vincolo.cli.sweeps import sweep_model

    sweep_model(model, vary, plots, against, output, change, unit, force, as_json)


@app.command()
def statics(model: Model, change: Changes = [],  # noqa: B006
            stay: Annotated[bool, typer.Option(help="Find the nearest equilibrium, stable or not.")] = False,
            unit: Unit = [], accept_missing: Missing = False, as_json: Json = False) -> None:  # noqa: B006
    """Finds where a mechanism comes to rest, and the forces there.

    Example: `vincolo statics quarter_car.yaml --set chassis.mass=300`
    """
    from vincolo.cli.checks import find_rest

    find_rest(model, change, stay, unit, as_json, accept_missing)


@app.command()
def modes(model: Model, change: Changes = [],  # noqa: B006
          drawn: Annotated[bool, typer.Option("--drawn", help="As drawn, not where it comes to rest.")] = False,
          accept_missing: Missing = False, as_json: Json = False) -> None:
    """Natural frequencies, damping and stability about the position of rest.

    Example: `vincolo modes quarter_car.yaml`
    """
    from vincolo.cli.checks import find_modes

    find_modes(model, change, drawn, as_json, accept_missing)


@app.command()
def tolerance(model: Model,
              output: Annotated[list[str], typer.Option(
                  "--output", "-c", help="Series to study; those of the file if none.")] = [],  # noqa: B006
              samples: Annotated[int, typer.Option(help="Number of samples.")] = 1000,
              method: Annotated[str, typer.Option(help="random or sobol.")] = "random",
              seed: Annotated[int, typer.Option(help="The same seed gives the same samples.")] = 1,
              workers: Annotated[int, typer.Option(help="How many work side by side.")] = 2,
              until: Until = None, times: Annotated[Optional[int], typer.Option(help="Positions.")] = None,  # noqa: UP045
              analysis: Annotated[Text, typer.Option(help="kinematics, dynamics or assembly.")] = None,
              change: Changes = [], folder: Folder = None,  # noqa: B006
              report: Annotated[Optional[Path], typer.Option(help="Also write a report: .html or .pdf.")  # noqa: UP045
                                ] = None,
              accept_missing: Missing = False, force: Force = False, as_json: Json = False) -> None:
    """Samples the tolerances of a model: how its outputs spread over the motion, and what causes it.

    Examples: `vincolo tolerance crank.xlsx -c slider.x --samples 5000 --method sobol`,
    `vincolo tolerance crank.yaml --report crank.html`. A study that is stopped goes on when it is called again.
    """
    from vincolo.cli.tolerances import Sampling, study_tolerances

    asked = Sampling(tuple(output), samples, method, seed, workers, until, times, analysis)
    study_tolerances(model, change, asked, folder, report, force=force, as_json=as_json, accept_missing=accept_missing)


@app.command()
def study(model: Model,
          plan: Annotated[Text, typer.Option(help="grid, list, latin, sobol or random, not as in the file.")] = None,
          samples: Annotated[Optional[int], typer.Option(help="Number of variants of a sampled plan.")] = None,  # noqa: UP045
          seed: Annotated[Optional[int], typer.Option(help="The same seed gives the same variants.")] = None,  # noqa: UP045
          workers: Annotated[Optional[int], typer.Option(help="How many work side by side.")] = None,  # noqa: UP045
          how: Annotated[str, typer.Option(help="auto, serial, threads or processes.")] = "auto",
          scheduler: Annotated[Text, typer.Option(help="A Dask cluster: tcp://HOST:8786.")] = None,
          limit: Annotated[Optional[float], time_option("After which a variant is ended, and has failed")] = None,  # noqa: UP045
          change: Changes = [], folder: Folder = None,  # noqa: B006
          table: Annotated[list[Path], typer.Option("--table", help=(
              "Where the table goes: .csv, .parquet or .h5."))] = [],  # noqa: B006
          page: Annotated[Optional[Path], typer.Option("--page", help=(  # noqa: UP045
              "Write one .html file with its variants, some of them moving."))] = None,
          live: Annotated[bool, typer.Option("--live", help="Watch it in the browser, and open variants.")] = False,
          port: Annotated[Optional[int], typer.Option(help="Port of the page of --live.")] = None,  # noqa: UP045
          browser: Annotated[bool, typer.Option(help="Open the browser with --live.")] = True,
          accept_missing: Missing = False, force: Force = False, as_json: Json = False) -> None:
    """Runs many variants of a model, as its file asks for in the sheet Study or in study:, and makes one table of them.

    Examples: `vincolo study crank.yaml --workers 2 --table crank.csv`, `vincolo study crank.yaml --live`. A study that
    is stopped, or killed, goes on when it is called again.
    """
    from vincolo.cli.studies import Seen, study_file

    study_file(model, change, {"plan": plan, "samples": samples, "seed": seed},
               {"workers": workers, "how": how, "scheduler": scheduler, "limit": limit}, folder, table,
               Seen(page, live, port, browser), force=force, as_json=as_json, accept_missing=accept_missing)


@app.command()
def equations(model: Model,
              output: Annotated[Optional[Path], typer.Option(  # noqa: UP045
                  "--out", "-o", help="File to write: .tex, .html, .txt, or a program: .c, .f90, .py.")] = None,
              index: Annotated[int, typer.Option(help="Of the DAE: 3, 2 or 1.")] = 3,
              coordinates: Annotated[str, typer.Option(help="euler parameters, twists or joint.")] = "euler parameters",
              symbols: Annotated[list[str], typer.Option(
                  help="Numbers that stay symbols: all, or crank.mass=m_1.")] = [],  # noqa: B006
              angles: Annotated[str, typer.Option(help="Axes of the angles of balls in joint coordinates.")] = "xyz",
              until: Until = None, outputs: Annotated[int, typer.Option(help="Samples of a program.")] = 500,
              steps: Annotated[Optional[int], typer.Option(  # noqa: UP045
                  help="Fixed steps of a program between samples.")] = None,
              change: Changes = [], force: Force = False, as_json: Json = False) -> None:  # noqa: B006
    """Writes the equations of motion of a model: as text, typeset, or as a complete program that solves them.

    Examples: `vincolo equations crank.yaml --coordinates joint`, `vincolo equations crank.yaml -o crank.html`,
    `vincolo equations crank.yaml --index 2 --until 5 -o crank.c`
    """
    from vincolo.cli.equations import write_equations

    write_equations(model, change, output, {"index": index, "coordinates": coordinates, "symbols": symbols,
                                            "angles": angles, "until": until, "outputs": outputs, "steps": steps},
                    force, as_json)


for _shows in (plot, view, studio, report, picture, video):
    app.command()(_shows)


@app.command()
def convert(source: Model, target: Annotated[Path, typer.Argument(help=".yaml, .xlsx, or a folder for cards.")],
            change: Changes = [], force: Force = False, as_json: Json = False) -> None:  # noqa: B006
    """Writes a model in another format.

    Examples: `vincolo convert robot.urdf robot.yaml`, `vincolo convert car.yaml car.xlsx`
    """
    from vincolo.cli.files import convert_model

    convert_model(source, target, change, force, as_json)


app.command()(outside.export)
app.command()(outside.hil)


@app.command()
def new(path: Annotated[Path, typer.Argument(help="The file to write: .xlsx or .yaml.")],
        template: Annotated[str, typer.Option(help=(
            "blank, slider-crank, double-wishbone; of cars fs-car, road-car, fs-front, fs-rear, fs-t-bar, "
            "fs-third-spring, wishbone-direct, mcpherson, multilink, semi-trailing, live-axle, corner."))] = "blank",
        force: Force = False) -> None:
    """Writes a model to begin with: a workbook with explanations, or a YAML file.

    Example: `vincolo new crank.xlsx --template slider-crank`
    """
    from vincolo.cli.files import new_model

    new_model(path, template, force)


@app.command()
def suspension(model: Model,
               name: Annotated[Text, typer.Option("--name", help="One suspension of several.")] = None,
               rig: Annotated[Text, typer.Option(help="parallel, opposite, single, roll or steer.")] = None,
               count: Annotated[int, typer.Option(help="Number of positions.")] = 101,
               output: Annotated[Optional[Path], typer.Option(  # noqa: UP045
                   "--out", "-o", help="File to write: curves .csv, or a report .html or .pdf.")] = None,
               loads: Annotated[bool, typer.Option("--loads", help="Also the loads in all members.")] = False,
               compare: Annotated[list[str], typer.Option(help="Another file to show beside it.")] = [],  # noqa: B006
               show: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
               watch: Annotated[bool, typer.Option("--watch", help="Write the report again when it is saved.")] = False,
               page: Annotated[bool, typer.Option("--page", help="A page whose points can be moved.")] = False,
               change: Changes = [], force: Force = False, as_json: Json = False) -> None:  # noqa: B006
    """Curves of a suspension from its hardpoints: camber, toe, roll centre, motion ratios and more, and its limits.

    Examples: `vincolo suspension car.xlsx`, `vincolo suspension car.xlsx --rig steer -o curves.csv`,
    `vincolo suspension car.xlsx --set front_tie_inner.z=150mm`
    """
    from vincolo.cli.suspensions import Wish, open_report, show_suspensions, watch_suspensions

    wish = Wish(name, rig, count, loads, tuple(compare))
    if page:
        from vincolo.cli.suspension_page import serve_suspensions

        serve_suspensions(model, change, wish)
        return
    report = output or (Path(model).with_suffix(".html") if show or watch else None)
    if report is None or not watch:
        show_suspensions(model, change, wish, report, as_json, force)
    if show and report is not None:
        open_report(report)
    if watch and report is not None:
        watch_suspensions(model, change, wish, report)


@app.command()
def examples(name: Annotated[Text, typer.Argument(help="The example to copy.")] = None,
             to: Annotated[Path, typer.Option(help="Where to copy it.")] = Path(), force: Force = False) -> None:
    """Lists the examples, or copies one of them here.

    Example: `vincolo examples slider_crank`
    """
    from vincolo.cli.files import list_or_copy

    list_or_copy(name, to, force)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Checks whether vincolo is installed well, with versions and a short run."""
    from vincolo.cli.doctor import examine

    examine(as_json)


for _registered in app.registered_commands:
    if _registered.callback is not None:
        _registered.callback = understanding_quiet(understanding_times(_registered.callback))
