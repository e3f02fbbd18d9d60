"""The commands that show results and models: plots, the viewer, reports, pictures and videos."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from vincolo.cli.arguments import (
    Force,
    Json,
    Result,
    Series,
    Text,
    Unit,
    View,
    time_option,
)


def plot(result: Series,
         names: Annotated[Optional[list[str]], typer.Argument(help="Series to plot.")] = None,  # noqa: UP045
         against: Annotated[str, typer.Option(help="Series of the horizontal axis.")] = "t",
         output: Annotated[Optional[Path], typer.Option(  # noqa: UP045
             "--out", "-o", help="File to write: .html, .png, .svg or .pdf.")] = None,
         compare: Annotated[list[Path], typer.Option(help="Another result in the same plot.")] = [],  # noqa: B006
         title: Annotated[Text, typer.Option(help="Title of the plot.")] = None,
         show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
         find: Annotated[str, typer.Option("--find", help="List the series with this text in their names.")] = "",
         unit: Unit = [], force: Force = False, as_json: Json = False) -> None:  # noqa: B006
    """Plots series of a result; without names it lists them by part.

    Examples: `vincolo plot crank_results slider.x slider.vx`,
    `vincolo plot crank_results pin.y --against pin.x -o path.png`
    """
    from vincolo.cli.files import plot_result

    plot_result(result, names or [], against, output, compare, title, show, force, unit, as_json, find)


def view(result: Result,
         output: Annotated[Optional[Path], typer.Option(  # noqa: UP045
             "--out", "-o", help="Write one .html file, or .glb for Blender, instead of opening the viewer.")] = None,
         plots: Annotated[list[str], typer.Option("--plot", "-p", help="Series plotted beside it.")] = [],  # noqa: B006
         compare: Annotated[list[Path], typer.Option(help="Another result, shown as a ghost.")] = [],  # noqa: B006
         live: Annotated[bool, typer.Option("--live", help="Run the model and watch it while it computes.")] = False,
         drag: Annotated[bool, typer.Option("--drag", help="Move the model by the mouse.")] = False,
         mode_shapes: Annotated[bool, typer.Option("--modes", help="Show the mode shapes of the model.")] = False,
         host: Annotated[str, typer.Option(help="Address to listen on; any but 127.0.0.1 lets others see it.")
                         ] = "127.0.0.1",
         port: Annotated[Optional[int], typer.Option(help="Port to listen on.")] = None,  # noqa: UP045
         browser: Annotated[bool, typer.Option(help="Open the browser.")] = True, unit: Unit = [],  # noqa: B006
         force: Force = False, as_json: Json = False) -> None:
    """Shows a result in the browser, moving; or writes it as one HTML file that works offline.

    Examples: `vincolo view crank_results`, `vincolo view crank_results -o crank.html -p slider.x`,
    `vincolo view crank_results -o crank.glb`,
    `vincolo view car.yaml --live`, `vincolo view robot.urdf --drag`
    """
    from vincolo.cli.views import Shown, view_result

    view_result(result, output, plots, compare, "live" if live else "drag" if drag else "modes" if mode_shapes else "",
                Shown(host, port, browser), force, unit, as_json)


def studio(model: Annotated[Optional[Path], typer.Argument(help=(  # noqa: UP045
               "A model of any kind: .yaml, .xlsx, .py, .urdf, ...; an empty one if none is given."))] = None,
           host: Annotated[str, typer.Option(help="Address to listen on; any but 127.0.0.1 lets others edit it.")
                           ] = "127.0.0.1",
           port: Annotated[Optional[int], typer.Option(help="Port to listen on.")] = None,  # noqa: UP045
           browser: Annotated[bool, typer.Option(help="Open the browser.")] = True) -> None:
    """Opens a model in the browser, to be built and changed with the mouse, run and looked at.

    Examples: `vincolo studio`, `vincolo studio crank.yaml`, `vincolo studio robot.urdf --no-browser --port 8090`
    """
    from vincolo.cli.views import Shown, open_studio

    open_studio(model, Shown(host, port, browser))


def report(result: Result,
           output: Annotated[Path, typer.Option("--out", "-o", help=".html or .pdf")] = Path("report.html"),
           plots: Annotated[list[str], typer.Option("--plot", "-p", help="Series to plot.")] = [],  # noqa: B006
           title: Annotated[Text, typer.Option(help="Title of the report.")] = None,
           author: Annotated[Text, typer.Option(help="Its author.")] = None,
           text: Annotated[Text, typer.Option(help="What it says first; empty lines part paragraphs.")] = None,
           logo: Annotated[Optional[Path], typer.Option(help="A picture for its head.")] = None,  # noqa: UP045
           animation: Annotated[bool, typer.Option(help="Include the animation.")] = True,
           unit: Unit = [], force: Force = False, as_json: Json = False) -> None:  # noqa: B006
    """Writes a report of a run: model, freedom, plots, extreme reactions, checks, pictures, animation.

    Example: `vincolo report crank_results -o crank.html --author "Ada Lovelace"`
    """
    from vincolo.cli.views import report_result

    report_result(result, output, force, unit, as_json, plots=plots or None, title=title, author=author,
                  text=text, logo=logo, animation=animation)


def picture(result: Result,
            output: Annotated[Path, typer.Option("--out", "-o", help=".png, .jpg or .webp")] = Path("picture.png"),
            t: Annotated[Optional[float], time_option("Time; the end if not given")] = None,  # noqa: UP045
            view: View = "iso", labels: Annotated[bool, typer.Option("--labels", help="Write names.")] = False,
            size: Annotated[str, typer.Option(help="Width x height.")] = "960x640", force: Force = False) -> None:
    """Draws a model, or a result at a time.

    Example: `vincolo picture crank_results -o crank.png --view front`
    """
    from vincolo.cli.views import draw_picture

    draw_picture(result, output, force, t, view, labels, size)


def video(result: Result,
          output: Annotated[Path, typer.Option("--out", "-o", help=".mp4 or .gif")] = Path("motion.mp4"),
          speed: Annotated[float, typer.Option(help="Simulated seconds per second.")] = 1.0,
          fps: Annotated[float, typer.Option(help="Pictures per second.")] = 30.0, view: View = "iso",
          follow: Annotated[Text, typer.Option(help="Body that the camera follows.")] = None,
          size: Annotated[str, typer.Option(help="Width x height.")] = "1280x720", force: Force = False) -> None:
    """Writes the motion of a result as a video, without a display.

    Example: `vincolo video crank_results -o crank.mp4 --speed 0.5`
    """
    from vincolo.cli.views import write_video

    write_video(result, output, force, speed, fps, view, follow, size)
