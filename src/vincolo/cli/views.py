"""vincolo view, report, picture and video."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vincolo.cli.common import err, guarded, say
from vincolo.errors import ModelError
from vincolo.formats import open_model
from vincolo.results import Result


@dataclass(frozen=True)
class Shown:
    """Where the viewer is served."""

    host: str
    port: int | None
    browser: bool

    def options(self) -> dict[str, Any]:
        """Arguments of the functions that show something."""
        return {"host": self.host, "port": self.port, "open_browser": self.browser}


def result_of(path: Path) -> Result:
    """The result in a folder, or that of a model, which is run as its file asks for."""
    if path.is_dir() and not any(path.glob("*.s3d")):
        from vincolo.results.folder import load_folder

        return load_folder(path)
    return open_model(path).run()


def view_result(path: Path, output: Path | None, plots: list[str], compare: list[Path], how: str,
                shown: Shown) -> None:
    """Shows a result in the browser, or writes it as a page."""
    with guarded():
        if how and (output is not None or compare):
            raise ModelError(f"--{how} opens the viewer; leave out --out and --compare.")
        if how:
            _live(path, how, shown)
            return
        results = [(p.name.removesuffix("_results"), result_of(p)) for p in (path, *compare)]
        source = results if len(results) > 1 else results[0][1]
        if output is not None:
            from vincolo.view.page import write_page

            say(f"written: {write_page(source, output, plots or None)}")
            return
        if plots:
            raise ModelError("--plot goes with --out; in the viewer, select a part to see its plots.")
        from vincolo.view.live import show

        show(source, **shown.options())


def _live(path: Path, how: str, shown: Shown) -> None:
    from vincolo.formats.document import OUTPUTS, UNTIL
    from vincolo.view.live import drag, show_modes, watch

    document = open_model(path)
    s = document.settings
    if how == "drag":
        drag(document.system, **shown.options())
    elif how == "modes":
        from vincolo.analyses.linearize import linearize
        from vincolo.analyses.statics import statics

        show_modes(linearize(statics(document.system, start=document.start()).state), **shown.options())
    else:
        asked = {k: v for k, v in s.given.items() if k in ("integrator", "formulation", "stabilisation")}
        watch(document.system, UNTIL if s.until is None else s.until, outputs=s.outputs or OUTPUTS,
              start=document.start(), **asked, **shown.options())


def report_result(path: Path, output: Path, plots: list[str], title: str | None, author: str | None,
                  animation: bool) -> None:
    """Writes a report of a run."""
    with guarded():
        from vincolo.report import write_report

        written = write_report(result_of(path), output, plots=plots or None, title=title, author=author,
                               animation=animation)
        say(f"written: {written}")


def draw_picture(path: Path, output: Path, t: float | None, view: str, labels: bool, size: str) -> None:
    """Draws a model, or a result at a time."""
    with guarded():
        from vincolo.view import picture

        is_result = path.is_dir() and not any(path.glob("*.s3d"))
        source: Any = result_of(path) if is_result or t is not None else open_model(path).start()
        picture(source, output, t=t, view=view, labels=labels, size=_size(size))
        say(f"written: {output}")


def write_video(path: Path, output: Path, speed: float, fps: float, view: str, follow: str | None, size: str) -> None:
    """Writes the motion of a result as a video."""
    with guarded():
        from rich.progress import Progress

        from vincolo.view import video

        result = result_of(path)
        with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
            task = bar.add_task("painting", total=None)
            video(result, output, speed=speed, fps=fps, view=view, follow=follow, size=_size(size),
                  progress=lambda done, total: bar.update(task, completed=done, total=total))
        say(f"written: {output}")


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise ModelError(f"--size {text!r} is no size.\n  Write width x height, such as 960x640.")
    return int(width), int(height)
