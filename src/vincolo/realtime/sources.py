"""Which files of the kernel a project without Python needs, and where they are."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

from vincolo.optional import MissingLibrary

WITHOUT = {"automatic", "closed_distances", "closure", "kinematics", "slopes"}  # fixed steps do without
DENSE = {"coordinates", "dense", "euler_parameters", "index3", "natural", "solver"}  # of whole matrices
MADE = re.compile(r"^std::unique_ptr<(?:Stepper|DenseSolver|Formulation)> (\w+)\([^;{]*\) \{", re.MULTILINE)
INCLUDED = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
ALWAYS = ("rk4",)  # carries a run with steps of a fixed size over singular positions
C = Path(__file__).parent / "c"


def kernel_folder() -> Path:
    """The kernel's sources: beside the package, or in the repository."""
    package = Path(__file__).parents[1]
    inside = package / "core"
    return inside if inside.is_dir() else package.parents[1] / "core"


def licence() -> str:
    """The kernel's own licence, which goes with its sources."""
    beside = Path(__file__).parents[3] / "LICENSE"
    return beside.read_text() if beside.is_file() else str(distribution("vincolo").read_text("licenses/LICENSE"))


@cache
def _makers() -> dict[str, Path]:
    """The file that makes an integrator or formulation, by its name."""
    core = kernel_folder()
    return {name: path for folder in ("integrators", "formulations") for path in sorted((core / folder).glob("*.cpp"))
            if path.stem != "catalogue" for name in MADE.findall(path.read_text())}


def kernel_files(method: str, formulation: str) -> list[Path]:
    """Sources that a project with this integrator and formulation compiles."""
    core, makers = kernel_folder(), _makers()
    dense = formulation not in ("sparse", "joint_coordinates")
    wanted = {method, *ALWAYS, *((formulation, "lagrange", "own") if dense else ()),
              *(("joint_coordinates",) if formulation == "joint_coordinates" else ())}
    found = {path for folder in (core, core / "contact") for path in folder.glob("*.cpp") if path.stem not in WITHOUT}
    found |= set((core / "contact").glob("*.cpp"))
    found |= {path for folder in ("integrators", "formulations") for path in (core / folder).glob("*.cpp")
              if path not in makers.values() and (folder == "integrators" or dense or path.stem not in DENSE)}
    found |= {makers[name] for name in wanted}
    if formulation == "joint_coordinates":
        found |= set((core / "tree").glob("*.cpp"))
    return sorted(found)


def chosen_header(method: str, formulation: str, files: list[Path]) -> str:
    """The catalogues of such a project (chosen.hpp)."""
    core = kernel_folder()
    here = [name for name, path in _makers().items() if path in files]
    methods = [name for name in here if _makers()[name].parent == core / "integrators"]
    dense = [name for name in here if name not in (*methods, "joint_coordinates")]
    lines = ["// What this project was exported with", "#pragma once",
             f"#define EVERY_METHOD(METHOD) {' '.join(f'METHOD({name})' for name in methods)}",
             f"#define WITH_TREES {int(formulation == 'joint_coordinates')}"]
    if dense:
        lines.append(f"#define EVERY_FORMULATION(FORMULATION) {' '.join(f'FORMULATION({name})' for name in dense)}")
    return "\n".join(lines) + "\n"


def headers_of(files: list[Path], root: Path) -> list[Path]:
    """Headers under a folder that files include, and those that these include; named from the folder or from where
    they are included."""
    found: set[Path] = set()
    left = list(files)
    while left:
        path = left.pop()
        new = _included(path, root) - found
        found |= new
        left += new
    return sorted(found)


@cache
def _included(path: Path, root: Path) -> frozenset[Path]:
    """Headers under a folder that one file includes."""
    names = INCLUDED.findall(path.read_text(encoding="utf-8", errors="replace"))
    places = {place.resolve() for name in names for place in (path.parent / name, root / name)}
    return frozenset(place for place in places if place.is_file() and place.is_relative_to(root.resolve()))


def eigen_folder() -> Path:
    """Eigen's headers, which come with the package cmeel-eigen."""
    spec = find_spec("cmeel")
    for place in (spec.submodule_search_locations or []) if spec is not None else []:
        folder = Path(place).parent / "cmeel.prefix" / "include" / "eigen3"
        if folder.is_dir():
            return folder
    raise MissingLibrary("exports as C and FMU need the headers of the package cmeel-eigen, which is not installed.\n"
                         "  Install it: pip install cmeel-eigen")
