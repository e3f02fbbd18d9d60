"""vincolo view, report, picture and video."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from vincolo.analyses.linearize import linearize
from vincolo.analyses.run_settings import OUTPUTS, UNTIL
from vincolo.analyses.statics import statics
from vincolo.cli.common import err, guarded, lively, say, units_of
from vincolo.cli.places import Places, deliver
from vincolo.errors import ModelError
from vincolo.formats import open_model
from vincolo.formats.document import Document
from vincolo.report import write_report
from vincolo.report.write import checked_ending as checked_report
from vincolo.results import Result
from vincolo.results.in_units import run_of
from vincolo.scene.picture import format_of
from vincolo.studio.app import serve, studio
from vincolo.tables.folder import load_folder
from vincolo.view import picture, video
from vincolo.view.live import drag, show, show_modes, watch
from vincolo.view.video import checked_ending as checked_video
from vincolo.view.written import checked_ending as checked_page
from vincolo.view.written import write_motion


@dataclass(frozen=True)
class Shown:
    """Where the viewer is served."""

    host: str
    port: int | None
    browser: bool

    def options(self) -> dict[str, Any]:
        """Arguments of the functions that show something."""
        return {"host": self.host, "port": self.port, "open_browser": self.browser}


@dataclass(frozen=True)
class Source:
    """A folder of results, or a model, which is run as its file asks for."""

    path: Path

    @cached_property
    def document(self) -> Document | None:
        """The model; None of results."""
        is_result = self.path.is_dir() and not any(self.path.glob("*.s3d"))
        return None if is_result else open_model(self.path)

    @property
    def inputs(self) -> tuple[Path, ...]:
        """What is read."""
        return (self.path,) if self.document is None else self.document.files

    def result(self) -> Result:
        """The results."""
        if self.document is not None:
            return self.document.run()
        return load_folder(self.path)


def view_result(path: Path, output: Path | None, plots: list[str], compare: list[Path], how: str,
                shown: Shown, force: bool, unit: list[str], as_json: bool = False) -> None:
    """Shows a result in the browser, or writes it as a page."""
    with guarded(as_json):
        if as_json and output is None:
            raise ModelError("--json tells what was written; name a file with --out page.html.")
        if how and (output is not None or compare):
            raise ModelError(f"--{how} opens the viewer; leave out --out and --compare.")
        if how:
            _live(path, how, shown)
            return
        if plots and output is None:
            raise ModelError("--plot goes with --out; in the viewer, select a part to see its plots.")
        sources = [Source(p) for p in (path, *compare)]
        if output is not None:
            checked_page(output)
            Places(tuple(one for s in sources for one in s.inputs), force).check("--out", output)
        units = units_of(unit)
        results = [(s.path.name.removesuffix("_results"), s.result().in_units(*units)) for s in sources]
        _show_or_write(results if len(results) > 1 else results[0][1], output, plots, shown, as_json)


def _show_or_write(source: Any, output: Path | None, plots: list[str], shown: Shown, as_json: bool) -> None:
    if output is None:
        show([(label, run_of(one)) for label, one in source] if isinstance(source, list) else run_of(source),
             **shown.options())
        return
    deliver(lambda place: write_motion(source, place, plots=plots or None), output, as_json=as_json)


def _live(path: Path, how: str, shown: Shown) -> None:
    document = Source(path).document
    if document is None:
        raise ModelError(f"--{how} needs a model; {str(path)!r} is a folder of results.\n  Give the file of the model.")
    s = document.settings
    if how == "drag":
        drag(document.system, **shown.options())
    elif how == "modes":
        show_modes(linearize(statics(document.system, start=document.start()).state), **shown.options())
    else:
        asked = {k: v for k, v in s.given.items() if k in ("integrator", "formulation", "stabilisation")}
        watch(document.system, UNTIL if s.until is None else s.until, outputs=s.outputs or OUTPUTS,
              start=document.start(), **asked, **shown.options())


def open_studio(path: Path | None, shown: Shown) -> None:
    """Opens a model in the studio, until Ctrl-C."""
    with guarded():
        session, server = studio(path, **shown.options())
        say(f"vincolo studio: {server.url}\n  Ctrl-C ends it; what is not saved can be recovered.")
        serve(session, server)


def report_result(path: Path, output: Path, force: bool, unit: list[str], as_json: bool = False,
                  **options: Any) -> None:
    """Writes a report of a run."""
    with guarded(as_json):
        source = Source(path)
        checked_report(output)
        Places(source.inputs, force).check("--out", output)
        result = source.result().in_units(*units_of(unit))
        deliver(lambda place: write_report(result, place, **options), output, as_json=as_json)


def draw_picture(path: Path, output: Path, force: bool, t: float | None, view: str, labels: bool, size: str) -> None:
    """Draws a model, or a result at a time."""
    with guarded():
        source, pixels = Source(path), _size(size)
        format_of(output)
        Places(source.inputs, force).check("--out", output)
        shown: Any = source.result() if source.document is None or t is not None else source.document.start()
        deliver(lambda place: picture(shown, place, t=t, view=view, labels=labels, size=pixels), output)


def write_video(path: Path, output: Path, force: bool, speed: float, fps: float, view: str, follow: str | None,
                size: str) -> None:
    """Writes the motion of a result as a video."""
    with guarded():
        from rich.progress import Progress

        source, pixels = Source(path), _size(size)
        checked_video(output)
        Places(source.inputs, force).check("--out", output)
        result = source.result()
        with Progress(console=err, transient=True, disable=not lively()) as bar:
            task = bar.add_task("painting", total=None)

            def progress(done: int, total: int) -> None:
                bar.update(task, completed=done, total=total)

            deliver(lambda place: video(result, place, speed=speed, fps=fps, view=view, follow=follow, size=pixels,
                                        progress=progress), output)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise ModelError(f"--size {text!r} is not a size.\n  Write width x height, such as 960x640.")
    return int(width), int(height)
