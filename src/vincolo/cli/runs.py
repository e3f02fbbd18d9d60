"""vincolo run and vincolo kinematics."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import typer

from vincolo.cli.common import ENDED_EARLY, INTERRUPTED, err, guarded, opened, print_json, say, say_error
from vincolo.errors import ModelError
from vincolo.formats.document import Document
from vincolo.results import Result


@dataclass(frozen=True)
class Asked:
    """What the command line says about a run."""

    until: float | None = None
    outputs: int | None = None
    integrator: str | None = None
    rtol: float | None = None
    step: float | None = None
    analysis: str | None = None
    accept_missing: bool = False

    def changes(self, document: Document) -> dict[str, Any]:
        """Arguments that change what the file says."""
        found: dict[str, Any] = {key: getattr(self, key) for key in ("until", "outputs", "analysis")
                                 if getattr(self, key) is not None}
        solver = self._integrator(document)
        return found if solver is None else {**found, "integrator": solver}

    def _integrator(self, document: Document) -> Any:
        from vincolo.formats.tree.settings import solver_data, solver_of
        from vincolo.formats.tree.source import Source

        if self.integrator is None and self.rtol is None and self.step is None:
            return None
        numbers = {key: getattr(self, key) for key in ("rtol", "step") if getattr(self, key) is not None}
        if self.integrator is None and document.settings.integrator is not None:
            written = solver_data(document.settings.integrator)
            before = {"kind": written} if isinstance(written, str) else written
        else:
            before = {"kind": self.integrator or ("RK4" if self.step is not None else "Auto")}
        return solver_of("integrator", {**before, **numbers}, Source("--integrator"), ())


def run_model(path: str, changes: list[str], asked: Asked, folder: Path | None, exports: list[str],
              names: list[str], write_back: bool, as_json: bool, verbose: bool) -> None:
    """Runs a model, writes its results, and tells about it."""
    with guarded(as_json) as heard:
        document = opened(path, changes, as_json, verbose)
        document.require_whole(asked.accept_missing)
        target = folder or Path(f"{Path(path).resolve().stem}_results")
        _check_writing(document, target, exports, write_back)
        with Bar(as_json) as bar:
            result = _result(document, asked, bar)
        written = _write(result, document, target, exports, names, write_back)
        _tell(result, written, heard, as_json)
        if not result.complete:
            raise typer.Exit(INTERRUPTED if str(result.reason).startswith("interrupted") else ENDED_EARLY)


def _result(document: Document, asked: Asked, bar: Bar) -> Result:
    given = asked.changes(document)
    dynamic = given.get("analysis", document.settings.analysis) == "dynamics"
    return document.run(accept_missing=asked.accept_missing, **given, **({"progress": bar} if dynamic else {}))


def _check_writing(document: Document, folder: Path, exports: list[str], write_back: bool) -> None:
    """Refuses before the run what could not be written after it."""
    from vincolo.results.export import check_ending
    from vincolo.results.folder import check_replaceable

    check_replaceable(folder)
    if not folder.resolve().parent.is_dir():
        raise FileNotFoundError(f"--out {folder}: there is no folder {str(folder.parent)!r}.")
    for name in exports:
        check_ending(Path(name))
        if not Path(name).parent.is_dir():
            raise FileNotFoundError(f"--export {name}: there is no folder {str(Path(name).parent)!r}.")
    if write_back and (document.path is None or document.path.suffix.lower() != ".xlsx"):
        raise ModelError("--write-back adds results to a workbook (.xlsx); this model is none.\n"
                         "  Use --export results.xlsx instead.")


def _write(result: Result, document: Document, folder: Path, exports: list[str], names: list[str],
           write_back: bool) -> list[Path]:
    from vincolo.results.folder import save_folder

    chosen = names or list(document.settings.channels) or None
    written = [save_folder(result, folder)]
    written += [result.export(name, chosen) for name in exports]
    if write_back and document.path is not None:
        from vincolo.formats.excel import add_results

        add_results(result, document.path, chosen)
        written.append(document.path)
    return written


def _tell(result: Result, written: list[Path], heard: list[str], as_json: bool) -> None:
    if as_json:
        from vincolo.results.folder import facts

        print_json({**facts(result), "warnings": heard, "results": str(written[0]),
                    "files": [str(p) for p in written[1:]]})
        return
    say(str(result))
    for path in written:
        say(f"  written       {path}")
    if result.complete and len(result):
        say(f"  to see it     vincolo plot {quote(str(written[0]))} {quote(_worth_seeing(result))}")
    elif not result.complete:
        say_error("error", "red", f"the run ended early: {result.reason}")


def _worth_seeing(result: Result) -> str:
    """A series to suggest: the first coordinate of a joint, or the place of the first body."""
    keys = result.keys()
    ends = (".angle", ".travel", ".length")
    return next((key for key in keys if key.endswith(ends)), next((k for k in keys if k.endswith(".x")), "t"))


class Bar:
    """Progress on the error stream: time reached, time left, and how many times faster than real time."""

    def __init__(self, quiet: bool) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(TextColumn("t = {task.fields[now]:.4g} of {task.fields[end]:g} s"), BarColumn(),
                             TextColumn("{task.percentage:.0f} %"), TimeRemainingColumn(compact=True),
                             TextColumn("{task.fields[speed]}"), console=err, transient=True,
                             disable=quiet or not err.is_terminal)
        self._task: Any = None
        self._begun = time.perf_counter()
        self._from: float | None = None

    def __call__(self, t: float, end: float) -> None:
        if self._task is None:
            self._task = self._bar.add_task("", total=None, now=t, end=end, speed="")
            self._from = t
        assert self._from is not None
        spent = time.perf_counter() - self._begun
        speed = f"{(t - self._from) / spent:,.3g} times real time" if t > self._from and spent > 0 else ""
        self._bar.update(self._task, total=end - self._from, completed=t - self._from, now=t, end=end, speed=speed)

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
