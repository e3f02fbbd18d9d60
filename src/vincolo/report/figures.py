"""Pictures of a report: plots, and the mechanism at its first position and far from there."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError, VincoloError
from vincolo.plots.sheet import arrange
from vincolo.report.charts import Charts
from vincolo.report.elements import Safe, element, joined, safe
from vincolo.report.extremes import coordinate_names, reaction_peaks, rounding
from vincolo.results.columns import choose
from vincolo.scene import Poses, poses_of, scene_of
from vincolo.scene.camera import camera_of
from vincolo.scene.painter import Painter
from vincolo.scene.png import png_bytes

if TYPE_CHECKING:
    from vincolo.results.result import Result

MOST_OWN = 24  # series of the file
MOST = 8  # lines of one unit in a plot that nobody asked for by name
STILL = 1e-9  # of the largest: what moves less does not move
SAMPLES = 60  # positions that the camera is fitted to
SIZE = (1320, 880)  # pixels of a picture of the mechanism
LONGEST = 2000  # points of a line; finer than any print
WAY = "Give names, lists of names, or Plot(names, against=..., title=...)."


@dataclass(frozen=True)
class Plot:
    """A plot in a report: series over time, or over another one."""

    names: Sequence[str] | str
    against: str = "t"
    title: str = ""
    log: bool = False


def key_plots(result: Result) -> list[Plot]:
    """The plots a report has if none are asked for: coordinates, rates, energies, reactions, forces, residuals."""
    if not len(result):
        return []
    own = choose(result, result.settings.channels)[:MOST_OWN]
    moving, left = _coordinates(result)
    known = frozenset(result.keys())
    rates = [f"{name}.rate" for name in moving if f"{name}.rate" in known]
    more = f" ({left} more are in the tables)" if left else ""
    found = [Plot(moving, title=f"Coordinates of joints{more}"), Plot(rates, title=f"Their rates{more}")]
    if not moving:
        found = _bodies(result)
    found.insert(0, Plot(own, title="Series that the file of the model asks for"))
    found.append(Plot(_energies(result), title="Energies, and work of drives, dampers and loads"))
    found += [_reactions(result, "force"), _reactions(result, "torque"), *_forces(result)]
    residuals = [n for n in ("residual.position", "residual.velocity") if result.system.rows and (result[n] > 0).any()]
    found.append(Plot(residuals, title="Residuals: gaps of joints [m, rad] and their rates", log=True))
    return [plot for plot in found if plot.names]


def _ranges(result: Result, names: Sequence[str]) -> dict[str, float]:
    found = {}
    for name in names:
        values = result[name][np.isfinite(result[name])]
        found[name] = float(np.ptp(values)) if len(values) else 0.0
    return found


def _coordinates(result: Result) -> tuple[list[str], int]:
    """Coordinates that move, of each unit those that move most; and how many were left out."""
    ranges = _ranges(result, coordinate_names(result))
    chosen: list[str] = []
    by_unit: dict[str, list[str]] = {}
    for name in ranges:
        by_unit.setdefault(result.unit(name), []).append(name)
    moving = 0
    for names in by_unit.values():
        largest = max(ranges[name] for name in names)
        alive = [name for name in names if ranges[name] > STILL * max(largest, 1e-9)]
        moving += len(alive)
        chosen += sorted(alive, key=lambda name: -ranges[name])[:MOST]
    return [name for name in ranges if name in chosen], moving - len(chosen)


def _bodies(result: Result) -> list[Plot]:
    """Places and velocities of the first bodies, where there are no joints with coordinates."""
    names = list(result.system.body_numbers)[:2]
    speeds = ("vx", "vy", "vz", "wx", "wy", "wz")
    return [Plot([f"{n}.{a}" for n in names for a in ("x", "y", "z")], title="Positions of bodies"),
            Plot([f"{n}.{a}" for n in names for a in speeds], title="Velocities of bodies")]


def _energies(result: Result) -> list[str]:
    names = ["energy.kinetic", "energy.potential", "energy.total"]
    return [*names, "energy.work"] if np.any(result["energy.work"] != 0) else names


def _reactions(result: Result, field: str) -> Plot:
    """Magnitudes of the largest reactions, the largest first."""
    found = reaction_peaks(result)
    least = rounding(result, found)[0 if field == "force" else 1]
    peaks = [p for p in found if getattr(p, field) > least]
    chosen = sorted(peaks, key=lambda p: -float(getattr(p, field)))[:6]
    some = "Largest reaction" if len(chosen) < len(peaks) else "Reaction"
    return Plot([f"{p.joint}.reaction.{field}" for p in chosen], title=f"{some} {field}s")


def _forces(result: Result) -> list[Plot]:
    """Forces of springs and laws, and of drives."""
    laws = [f"{name}.force" for name in result.system.laws][:MOST]
    holds = [name for name, held in result.system.holds.items() if held.drive][:MOST]
    return [Plot(laws, title="Forces of springs, dampers and force laws"),
            Plot([f"{name}.force" for name in holds] + [f"{name}.power" for name in holds],
                 title="Forces and powers of drives")]


def checked_plots(result: Result, plots: Any) -> list[Plot]:
    """The plots that are asked for; those of key_plots() if none are named."""
    if plots is None:
        return key_plots(result)
    if isinstance(plots, str | Plot) or not hasattr(plots, "__iter__"):
        plots = [plots]
    found = []
    for plot in plots:
        wanted = plot if isinstance(plot, Plot) else Plot(plot)
        names = [wanted.names] if isinstance(wanted.names, str) else wanted.names
        if not hasattr(names, "__iter__") or not all(isinstance(name, str) for name in names):
            raise ModelError(f"write_report(): {plot!r:.100} is not a plot.\n  {WAY}")
        found.append(wanted)
    return found


def plot_figures(result: Result, plots: Sequence[Plot], charts: Charts) -> Safe:
    """The plots with their titles."""
    found = []
    shown = _fewer(result).in_units()
    for k, plot in enumerate(plots, 1):
        caption = joined([element("b", f"Figure {k}."), f" {plot.title or _title(plot)}"])
        found.append(charts.figure(arrange([("", shown)], plot.names, plot.against, "", log=plot.log), caption))
    return joined(found)


def _title(plot: Plot) -> str:
    names = plot.names if isinstance(plot.names, str) else ", ".join(plot.names)
    return names if plot.against == "t" else f"{names} over {plot.against}"


def _fewer(result: Result) -> Result:
    """The same run with as many samples as a print can show."""
    if len(result) <= LONGEST:
        return result
    kept = np.unique(np.linspace(0, len(result) - 1, LONGEST).astype(int))
    return replace(result, t=result.t[kept], y=result.y[kept], turns=result.turns[kept])


def _figure(address: str, caption: object, told: str) -> Safe:
    return element("figure", Safe(f'<img src="{address}" alt="{safe(told)}">'), element("figcaption", caption))


def _embedded(data: bytes, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def mechanism_figures(result: Result) -> Safe:
    """Pictures of the mechanism at the first sample and far from there; a sentence if they cannot be painted."""
    try:
        painted = _painted(result)
    except (VincoloError, ImportError) as error:
        return element("p", f"There is no picture of the mechanism: {error}", class_="small")
    figures = [_figure(_embedded(data, "image/png"), title, f"the mechanism at {title}") for title, data in painted]
    return element("div", *figures, class_="pair" if len(figures) > 1 else "single")


def _farthest(poses: Poses) -> int:
    """The sample at which bodies are farthest from where they are first; the last one if they are there as well."""
    names = [name for name in poses.positions if name != "ground"]
    away = sum((np.linalg.norm(poses.positions[n] - poses.positions[n][0], axis=1) for n in names),
               start=np.zeros(len(poses)))
    turned = sum((1 - np.abs(poses.quaternions[n] @ poses.quaternions[n][0]) for n in names),
                 start=np.zeros(len(poses)))
    moved = away / max(float(away.max()), 1e-12) + turned / max(float(turned.max()), 1e-12)
    return len(poses) - 1 if moved[-1] > 0.9 * moved.max() else int(np.argmax(moved))


def _painted(result: Result) -> list[tuple[str, bytes]]:
    whole = np.nonzero(np.isfinite(result.y).all(axis=1))[0]
    if not len(whole):
        raise ModelError("no sample is finite.")
    chosen = whole[np.unique(np.linspace(0, len(whole) - 1, SAMPLES).astype(int))]
    scene = scene_of(result.model)
    poses = poses_of(result, scene, chosen)
    painter, camera = Painter(scene, poses, SIZE), camera_of(scene, poses, wide=SIZE[0] / SIZE[1])
    shown = [0, _farthest(poses)] if len(chosen) > 1 else [0]
    return [(f"t = {poses.t[k]:.4g} s", png_bytes(painter.pixels(k, camera))) for k in shown]
