"""vincolo doctor: is all there, and does it work?"""

from __future__ import annotations

import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

import typer

import vincolo as vc
from vincolo import _kernel
from vincolo.cli.common import ENDED_EARLY, guarded, out, print_json, say
from vincolo.version import __version__

OPTIONAL = {"h5py": "results as HDF5", "matplotlib": "plots as PNG, SVG, PDF", "websockets": "3D viewer",
            "trimesh": "meshes", "cascadio": "STEP files", "pillow": "pictures", "imageio-ffmpeg": "videos",
            "pandas": "tables",
            "xarray": "datasets", "pyarrow": "tables of studies as Parquet", "distributed": "studies on a cluster",
            "cma": "optimisation by CMA-ES", "pymoo": "genetic optimisation, Pareto fronts",
            "SALib": "influence of parameters",
            "sympy": "symbolic equations", "cmeel-eigen": "exports as C and FMU",
            "control": "linear systems for python-control", "mujoco": "the comparison in benchmarks/",
            "exudyn": "the comparison in benchmarks/", "pin": "the comparison in benchmarks/"}


OF_DEVELOPERS = ("all", "bench", "docs", "lint", "test")  # extras
_EXTRA = re.compile(r"""extra\s*==\s*['"]([\w.-]+)['"]""")


def examine(as_json: bool) -> None:
    """Tells versions, the kernel in use, what is missing, and the outcome of a short run."""
    with guarded(as_json):
        found = report()
        if as_json:
            print_json(found)
        else:
            _tell(found)
        if not found["well"]:
            raise typer.Exit(ENDED_EARLY)


def report() -> dict[str, Any]:
    """What there is."""
    needed = sorted({_name(text) for text in _requirements() if "extra ==" not in text})
    libraries = {name: _version(name) for name in needed}
    drift = _short_run()
    return {"vincolo": __version__, "python": sys.version.split()[0], "platform": platform.platform(),
            "kernel": _kernel.core().__name__.rsplit(".", 1)[-1], "needed": libraries,
            "optional": {name: _version(name) for name in OPTIONAL}, "extras": extras(_requirements()),
            "pendulum_energy_drift": drift,
            "well": all(libraries.values()) and drift < 1e-6}


def extras(requirements: list[str]) -> dict[str, dict[str, Any]]:
    """The optional extras of the package for users: what each is made of, what of it is missing, and how to get it."""
    parts: dict[str, list[str]] = {}
    for text in requirements:
        match = _EXTRA.search(text)
        if match is not None and match[1] not in OF_DEVELOPERS:
            parts.setdefault(match[1], []).append(_name(text))
    return {extra: {"packages": names, "missing": [name for name in names if _version(name) is None],
                    "install": " ".join(["pip", "install", *names])} for extra, names in sorted(parts.items())}


def _name(requirement: str) -> str:
    """The package of a requirement such as "h5py>=3.10; extra == 'formats'"."""
    found = re.match(r"[\w.-]+", requirement.strip())
    return found[0] if found is not None else requirement


def _requirements() -> list[str]:
    try:
        return requires("vincolo") or []
    except PackageNotFoundError:  # run from a source tree
        return ["numpy", "scipy", "openpyxl", "pydantic", "pyyaml", "rich", "typer"]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _short_run() -> float:
    """The energy that a pendulum loses in ten seconds, as a share of all; rounding and tolerance."""
    m = vc.Model("pendulum")
    m.revolute("O", m.ground, m.body("bob", 1.0, 0.1, (1, 0, 0)), (0, 0, 0), "y")
    fine = vc.integrators.DormandPrince(rtol=1e-9, atol=1e-9)
    return vc.simulate(m, until=10.0, integrator=fine, progress=False).energy_drift


def _tell(found: dict[str, Any]) -> None:
    say(f"vincolo {found['vincolo']}, Python {found['python']}, {found['platform']}")
    say(f"kernel {found['kernel']}: a pendulum keeps its energy to {found['pendulum_energy_drift']:.1e}")
    for name, number in found["needed"].items():
        _line(number is not None, f"{name} {number or 'is missing'}")
    for name, number in found["optional"].items():
        text = f"{name} {number}" if number else f"{name} is not installed: {OPTIONAL[name]}"
        _line(number is not None, text, needed=False)
    _tell_extras(found["extras"])
    say("All is well." if found["well"] else
        "Something is missing. In the folder of vincolo: pip install --force-reinstall .")


def _tell_extras(listed: dict[str, dict[str, Any]]) -> None:
    if not listed:
        return
    say("optional extras:")
    for extra, part in listed.items():
        lacking = ", ".join(part["missing"])
        text = f"without {lacking}; get it by {part['install']}" if lacking else "complete"
        _line(not lacking, f"{extra}: {text}", needed=False)


def _line(good: bool, text: str, needed: bool = True) -> None:
    mark = "[green]ok[/]     " if good else "[red]missing[/]" if needed else "[dim]-[/]      "
    out.print(f"  {mark}  ", end="")
    say(text)
