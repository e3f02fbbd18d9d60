"""Everything that writes: each function with the name of what it writes. As a program, it tries them all on a disk that
is full: `python writers.py FOLDER room` on a small disk, `... size` under a limit on the size of files; it prints a
line of JSON for each."""

import json
import os
import resource
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import vincolo as vc
from vincolo.errors import VincoloError
from vincolo.formats import save_model
from vincolo.formats.excel import write_template
from vincolo.plots import plot
from vincolo.report import write_report
from vincolo.tables.export import PACKED_FROM
from vincolo.tables.folder import save_folder
from vincolo.tables.results_sheet import add_results
from vincolo.view import picture, video
from vincolo.view.page import write_page

SMALL = (96, 64)
SMALLEST = 100  # bytes; what is written is larger

Writer = Callable[[vc.Result, Path], Any]


def packed(result: vc.Result) -> vc.Result:
    """A result of so many samples that they are compressed."""
    times = PACKED_FROM // len(result) + 1
    return replace(result, t=np.linspace(0.0, 1.0, times * len(result)), y=np.repeat(result.y, times, axis=0),
                   turns=np.repeat(result.turns, times, axis=0))


FILES: dict[str, Writer] = {
    "run.npz": lambda r, p: r.save(p),
    "state.npz": lambda r, p: r.state().save(p),
    "to.csv": lambda r, p: r.to_csv(p),
    **{f"export.{e}": lambda r, p: r.export(p) for e in ("csv", "xlsx", "h5", "mat")},
    "packed.h5": lambda r, p: packed(r).export(p),
    "model.yaml": lambda r, p: save_model(r.model, p),
    "model.xlsx": lambda r, p: save_model(r.model, p),
    "template.xlsx": lambda r, p: write_template("slider-crank", p),
    "added.xlsx": lambda r, p: add_results(r, p, "bar.*"),
    **{f"plot.{e}": lambda r, p: plot(r, "bar.z", path=p) for e in ("html", "png", "svg", "pdf", "csv")},
    **{f"picture.{e}": lambda r, p: picture(r, p, size=SMALL) for e in ("png", "jpg", "webp")},
    **{f"video.{e}": lambda r, p: video(r, p, size=SMALL, fps=10) for e in ("mp4", "gif")},
    "page.html": lambda r, p: write_page(r, p),
    "report.html": lambda r, p: write_report(r, p, animation=False),
    "report.pdf": lambda r, p: write_report(r, p),
}
FOLDERS: dict[str, Writer] = {
    **{f"run_{e}": lambda r, p, e=e: save_folder(r, p, table=e) for e in ("csv", "xlsx", "h5", "mat")},
    "cards": lambda r, p: save_model(r.model, p),
}


def pendulum_run(length: float = 1.0) -> vc.Result:
    model = vc.Model("pendulum")
    bar = model.body("bar", 1.0, 0.1, at=(length, 0, 0))
    model.revolute("O", model.ground, bar, at=(0, 0, 0), axis="y")
    return vc.simulate(model, until=1.0, outputs=300)


def contents(folder: Path) -> dict[str, bytes]:
    """All files in a folder and those below it, hidden ones too."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def old(result: vc.Result, name: str, path: Path) -> None:
    """What was there before."""
    if name in FOLDERS:
        FOLDERS[name](result, path)
    elif name == "added.xlsx":
        write_template("slider-crank", path)
    else:
        path.write_bytes(b"before")


def filled(folder: Path) -> Path:
    """Takes all room that a disk has left."""
    filler = folder / "filler"
    with open(filler, "wb", buffering=0) as file:
        try:
            while file.write(bytes(512)):
                pass
        except OSError:
            pass
    return filler


def cases(name: str) -> tuple[str, ...]:
    """Over something older, and anew; reports take long."""
    return ("over",) if name.startswith("report") else ("over", "new")


def tried(folder: Path, how: str, name: str, write: Writer, results: tuple[vc.Result, vc.Result]) -> dict[str, Any]:
    """What becomes of something that is written on a full disk over something older, and anew."""
    path, found = folder / name, {"name": name}
    for case in cases(name):
        if case == "over":
            old(results[0], name, path)
        before, hard = contents(folder), resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        if how == "room":
            filler = filled(folder)
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, (SMALLEST, hard))
        try:
            write(results[1], path)
            said, kind = "nothing", ""
        except Exception as error:  # reported, and judged by the test
            said, kind = str(error), type(error).__name__
            found["own"] = found.get("own", True) and isinstance(error, VincoloError)
        finally:
            if how == "room":
                filler.unlink()
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        found |= {case: said, f"{case}_kind": kind, f"{case}_same": contents(folder) == before}
        for rest in sorted(folder.rglob("*"), reverse=True):
            rest.rmdir() if rest.is_dir() else rest.unlink()
    return found


if __name__ == "__main__":
    where, how = Path(sys.argv[1]), sys.argv[2]
    os.environ.setdefault("MPLCONFIGDIR", os.environ.get("TMPDIR", "/tmp"))
    runs = pendulum_run(1.0), pendulum_run(2.0)
    for what, writer in {**FILES, **FOLDERS}.items():
        print(json.dumps({"name": what}), flush=True)  # which one killed the interpreter
        print(json.dumps(tried(where, how, what, writer, runs)), flush=True)
