"""A model as a project in C++ and C that builds with one command and runs without Python."""

from __future__ import annotations

import shutil
from pathlib import Path
from string import Template

from vincolo.errors import ModelError
from vincolo.files import appearing_folder
from vincolo.realtime.sources import C, chosen_header, eigen_folder, headers_of, kernel_files, kernel_folder, licence
from vincolo.realtime.table import Plant

PROGRAM = ("main.c", "clock.c", "csv.c", "wire.c")
HEADERS = ("clock.h", "csv.h", "wire.h", "table.h")
PER_LINE = 24  # bytes of a table in C


def table_in_c(text: str) -> str:
    """A table as numbers: no compiler limits them, as some do texts."""
    data = text.encode()
    rows = [",".join(map(str, data[k:k + PER_LINE])) for k in range(0, len(data), PER_LINE)]
    return ('#include "table.h"\n\nconst char vincolo_table[] = {\n' + ",\n".join(rows) + "};\n"
            f"const size_t vincolo_table_size = {len(data)};\n")


def write_kernel(folder: Path, method: str, formulation: str) -> list[str]:
    """Copies what a project needs of the kernel and of Eigen; the names of the files to compile."""
    core, eigen = kernel_folder(), eigen_folder()
    files = kernel_files(method, formulation)
    for path in (*files, *headers_of(files, core)):
        copied(path, folder / "kernel" / path.resolve().relative_to(core.resolve()))
    (folder / "kernel" / "chosen.hpp").write_text(chosen_header(method, formulation, files))
    used = headers_of([*files, *headers_of(files, core)], eigen)
    for path in used:
        copied(path, folder / "eigen" / path.relative_to(eigen.resolve()))
    copied(C / "Eigen-MPL-2.0.txt", folder / "eigen" / "COPYING.MPL2")
    (folder / "kernel" / "LICENSE").write_text(licence())
    return _units(folder, [str(path.relative_to(core).with_suffix("")) for path in files])


def _units(folder: Path, names: list[str]) -> list[str]:
    """Files to compile: those that the kernel's own build compiles together are one here too."""
    units = list[str]()
    for line in (kernel_folder() / "together.txt").read_text().splitlines():
        group, _, given = line.partition(": ")
        here = [name for name in given.split() if name in names]
        if line.startswith("#") or not here:
            continue
        names = [name for name in names if name not in here]
        units.append(f"kernel/together_{group}.cpp")
        (folder / units[-1]).write_text("".join(f'#include "{name}.cpp"\n' for name in here))
    return [*units, *(f"kernel/{name}.cpp" for name in names)]


def copied(path: Path, place: Path) -> None:
    """Copies a file, with the folders it lies in."""
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, place)


def write_project(plant: Plant, path: Path) -> None:
    """Writes the folder of a project: table, kernel, Eigen, a program for real time, and what builds it."""
    options = plant.solvers.options()
    text = plant.text()
    with appearing_folder("export", path, _replaceable) as folder:
        sources = write_kernel(folder, options["integrator"]["method"], options["formulation"]["kind"])
        for name in (*PROGRAM, *HEADERS, "allocations.c"):
            copied(C / name, folder / name)
        (folder / "model.table").write_text(text)
        (folder / "table.c").write_text(table_in_c(text))
        for name in ("Makefile", "CMakeLists.txt", "README.md"):
            (folder / name).write_text(filled(name, plant, sources, PROGRAM))


def _replaceable(place: Path) -> None:
    """Refuses to replace a folder that is not a project of an export before."""
    if place.exists() and (not place.is_dir() or any(place.iterdir())) and not (place / "model.table").is_file():
        raise ModelError(f"export: {str(place)!r} has other files than those of a project, which would be lost.\n"
                         "  Choose another folder.")


def filled(name: str, plant: Plant, sources: list[str], program: tuple[str, ...], targets: str = "program.mk") -> str:
    """A file of a project from its template: with these sources of the kernel, this program, and what is made of
    both."""
    words = {"name": plant.system.name.replace("\n", " "), "step": f"{plant.step:g}",
             "integrator": plant.solvers.integrator.title, "formulation": plant.solvers.told,
             "kernel": " \\\n  ".join(sources) if name == "Makefile" else "\n  ".join(sources),
             "program": " ".join((*program, "table.c")), "targets": (C / targets).read_text(),
             "inputs": ", ".join(p.name for p in plant.inputs) or "none",
             "outputs": ", ".join(p.name for p in plant.outputs) or "none"}
    return Template((C / f"{name}.in").read_text()).substitute(words)
