"""A report on suspensions for those who judge them: numbers as drawn, limits, curves, the moving axle, loads."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from vincolo.analyses.kinematics import kinematics
from vincolo.errors import VincoloError
from vincolo.files import appearing, check_place
from vincolo.model.geometry import Array
from vincolo.plots.sheet import COLOURS, Band, Line, Panel, Sheet, axis_title
from vincolo.report.charts import Charts
from vincolo.report.elements import Safe, element, joined, number, paragraph, table
from vincolo.report.pdf import print_page
from vincolo.report.preface import logo_element, preface
from vincolo.report.suspension_studies import studies_of
from vincolo.report.write import animation_of, checked_ending, whole_page
from vincolo.results.result import Result
from vincolo.system import compile
from vincolo.vehicle.curves import SHOWN, Checked, Curves, Limit, check_limits
from vincolo.vehicle.loads import LoadTable
from vincolo.vehicle.metrics import OF_AXLES, OF_SIDES
from vincolo.vehicle.rigs import RIGS

#: what is drawn for each rig: titles and the metrics under each other
CHARTS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "parallel": (
        ("Wheel angles", ("left.camber", "left.toe")),
        ("Steering axis", ("left.caster", "left.kingpin")),
        ("Scrub radius and trail", ("left.scrub", "left.trail")),
        ("Track and wheelbase", ("left.half_track_change", "left.wheelbase_change")),
        ("Roll centre", ("roll_centre_height", "force_centre_height")),
        ("Motion ratio and wheel rate", ("left.spring_ratio", "left.wheel_rate")),
        ("Brake and drive", ("left.patch_angle", "left.centre_angle", "anti_dive", "anti_lift", "anti_squat")),
    ),
    "roll": (
        ("Wheel angles", ("left.camber", "left.toe", "right.camber", "right.toe")),
        ("Roll centre", ("roll_centre_y", "roll_centre_height")),
        ("Roll rate", ("roll_rate", "roll_rate_tyres")),
    ),
    "steer": (
        ("Steer angles", ("left.steer", "right.steer")),
        ("Camber", ("left.camber", "right.camber")),
        ("Ackermann", ("ackermann",)),
    ),
}
Rigs = Mapping[str, Curves]
AS_DRAWN = (
    *(
        f"left.{name}"
        for name in OF_SIDES
        if name not in ("steer", "half_track_change", "wheelbase_change", "spring_force")
    ),
    *OF_AXLES,
)


def write_suspension_report(
    found: Mapping[str, Rigs],
    path: str | os.PathLike[str],
    *,
    title: str = "Suspension",
    limits: Sequence[Limit] = (),
    compared: Mapping[str, Mapping[str, Rigs]] | None = None,
    loads: LoadTable | None = None,
    text: str | None = None,
    author: str | None = None,
    logo: str | os.PathLike[str] | None = None,
    refresh: int = 0,
) -> Path:
    """Writes a report as one HTML file, or as PDF: `found` has the curves of each suspension by rig, as
    standard_curves()
    gives them, `compared` those of other variants by label. With `refresh` the page loads itself again every so many
    seconds."""
    target = Path(path)
    kind = checked_ending(target)
    check_place("write_suspension_report()", target)
    top = (logo_element(logo), preface(text))
    data = suspension_report(
        found,
        title=title,
        limits=limits,
        compared=compared,
        loads=loads,
        author=author,
        top=top,
        moving=kind != ".pdf",
        studied=True,
    )
    if refresh and kind != ".pdf":
        data = data.replace(b"<head>\n", f'<head>\n<meta http-equiv="refresh" content="{int(refresh)}">\n'.encode(), 1)
    if kind == ".pdf":
        return print_page(data, target)
    with appearing("write_suspension_report()", target) as file:
        file.write(data)
    return target


def suspension_report(
    found: Mapping[str, Rigs],
    *,
    title: str,
    limits: Sequence[Limit] = (),
    compared: Mapping[str, Mapping[str, Rigs]] | None = None,
    loads: LoadTable | None = None,
    author: str | None = None,
    top: tuple[Safe, Safe] = (Safe(""), Safe("")),
    moving: bool = True,
    studied: bool = False,
) -> bytes:
    """The report as HTML; with the axles `moving` or not, and if it is `studied` with what bushings and small changes
    of points do."""
    charts = Charts()
    beside = compared or {}
    chapters = {}
    for name, own in found.items():
        variants = {k: v[name] for k, v in beside.items() if name in v}
        more = studies_of(own["parallel"].suspension) if studied else Safe("")
        chapters[name] = joined([_chapter(name, own, limits, variants, charts, moving=moving), more])
    if loads is not None:
        chapters["Loads"] = _loads(loads)
    chapters["Definitions"] = _definitions()
    return whole_page(title, author, chapters, charts, top)


def show_report(path: Path) -> None:
    """Opens a report in the browser."""
    webbrowser.open(path.resolve().as_uri())


def _chapter(
    name: str, found: Rigs, limits: Sequence[Limit], compared: Mapping[str, Rigs], charts: Charts, *, moving: bool
) -> Safe:
    own = [limit for limit in limits if limit.suspension in ("", name) and limit.rig in found]
    parts: list[object] = [_verdict(check_limits(found, own)), _static(found, compared)]
    if moving:
        parts.append(_moving(found))
    for rig, sheets in CHARTS.items():
        if rig in found:
            parts.append(element("h3", f"{rig.capitalize()}: {RIGS[rig].about}"))
            variants = {label: other[rig] for label, other in compared.items() if rig in other}
            parts += [
                charts.figure(sheet, sheet.title)
                for sheet in (_sheet(title, names, found[rig], variants, own) for title, names in sheets)
                if sheet is not None
            ]
    return joined([*parts, _points(found)])


def _verdict(checked: Sequence[Checked]) -> Safe:
    """Limits, each with what was found."""
    if not checked:
        return Safe("")
    rows = [
        [
            c.limit.name or c.limit.metric,
            element("span", "kept" if c.kept else "broken", class_=f"tag {'good' if c.kept else 'poor'}"),
            str(c).partition(": ")[2],
        ]
        for c in checked
    ]
    return element("div", table(["limit", "verdict", "what was found"], rows, "lll"), class_="checks")


def _static(found: Rigs, compared: Mapping[str, Rigs]) -> Safe:
    """All metrics as drawn, beside those of variants."""
    rows = []
    for name in AS_DRAWN:
        rig = "steer" if name == "ackermann" and "steer" in found else "parallel"
        values = [_drawn(c, name) for c in (found[rig], *(other[rig] for other in compared.values()))]
        if np.isfinite(values[0]):
            factor = SHOWN.get(found[rig].unit(name), ("", 1.0))
            unit = factor[0] or found[rig].unit(name)
            rows.append(
                [
                    name.removeprefix("left."),
                    unit,
                    *(number(0.0 if abs(v * factor[1]) < 1e-9 else v * factor[1], 4) for v in values),
                ]
            )
    heads = ["metric as drawn", "unit", "value", *compared]
    return table(heads, rows, "ll" + "r" * (1 + len(compared)), "of the left side and of the axle", narrow=True)


def _drawn(curves: Curves, name: str) -> float:
    values = curves[name]
    if name == "ackermann":  # at the largest steer angle
        return float(values[np.isfinite(values)][-1]) if np.isfinite(values).any() else np.nan
    return curves.at(name) if np.isfinite(values).all() else np.nan


def _sheet(
    title: str, names: Sequence[str], curves: Curves, variants: Mapping[str, Curves], limits: Sequence[Limit]
) -> Sheet | None:
    """Panels of metrics with their limits as bands."""
    panels = []
    for name in names:
        if not np.isfinite(curves[name]).any():
            continue
        x, _ = curves.shown(curves.coordinate)
        y, unit = curves.shown(name)
        lines = [Line("this", x, y, COLOURS[0], 0)]
        lines += [
            Line(label, other.shown(other.coordinate)[0], other.shown(name)[0], COLOURS[1 + k % 6], 1 + k % 3)
            for k, (label, other) in enumerate(variants.items())
        ]
        bands = tuple(
            _band(limit, x, y, SHOWN.get(curves.unit(name), ("", 1.0))[1])
            for limit in limits
            if limit.rig == curves.rig and name in (limit.metric, f"left.{limit.metric}")
        )
        panels.append(Panel(axis_title(name.removeprefix("left."), unit), tuple(lines), bool(variants or bands), bands))
    x_unit = curves.shown(curves.coordinate)[1]
    return Sheet(title, axis_title(curves.coordinate, x_unit), tuple(panels), False) if panels else None


def _band(limit: Limit, x: Array, y: Array, factor: float) -> Band:
    spread = float(np.nanmax(y) - np.nanmin(y)) or 1.0
    low = float(np.nanmin(y)) - spread if limit.low is None else limit.low * factor
    high = float(np.nanmax(y)) + spread if limit.high is None else limit.high * factor
    return Band(limit.name or "allowed", x, np.full_like(x, low), np.full_like(x, high), COLOURS[2])


def _moving(found: Rigs) -> Safe:
    """The axle in motion, its wheels drawn; a sentence if it cannot be shown."""
    try:
        return animation_of(moving_axle(found["parallel"]), "wheel travel")
    except VincoloError as error:
        return paragraph(f"There is no animation: {error}", class_="small")


def moving_axle(curves: Curves) -> Result:
    """The motion along a rig as a result, with the wheels drawn."""
    sweep, s = curves.sweep, curves.suspension
    model = sweep.axle.model.copy()
    for side in ("left", "right"):
        body = sweep.axle.carrier(side)
        if s.kind != "live axle":
            model.outline(
                body,
                [s.point(r, side) for r in s.points if r.endswith(("_ball", "_outer", "wheel_centre", "strut_bottom"))],
            )
        local = body.orientation.T @ (s.point("wheel_centre", side) - body.at)
        model.look(
            body,
            "tube",
            radius=s.wheel_radius,
            inner_radius=0.6 * s.wheel_radius,
            length=s.wheel_width,
            axis=s.spindle(side).tolist(),
            at=local.tolist(),
            colour="black",
        )
    system = compile(model)
    return kinematics(system, outputs=(curves.x - 2 * curves.x[0]).tolist(), start=system.drawn)


def _points(found: Rigs) -> Safe:
    s = next(iter(found.values())).suspension
    rows = [[role, *(number(1e3 * float(v), 6) for v in p), s.about[role]] for role, p in s.points.items()]
    return joined(
        [element("h3", "Hardpoints"), table(["point", "x [mm]", "y [mm]", "z [mm]", "what it is"], rows, "lrrrl")]
    )


def _loads(loads: LoadTable) -> Safe:
    values = np.where(np.abs(loads.values) < 1e-9 * np.abs(loads.values).max(), 0.0, loads.values)
    rows = [
        [m, *(number(float(v), 4) for v in (*row, row.min(), row.max()))]
        for m, row in zip(loads.members, values, strict=True)
    ]
    told = "Forces [N], torques of bars [N m]: tension of rods and compression of springs positive, joints by size."
    return joined(
        [paragraph(told), table(["member", *loads.cases, "least", "largest"], rows, "l" + "r" * (len(loads.cases) + 2))]
    )


def _definitions() -> Safe:
    rows = [[name, unit or "1", about] for name, (unit, about) in {**OF_SIDES, **OF_AXLES}.items()]
    return joined(
        [
            paragraph(
                "ISO 8855: x forward, y to the left, z up. P is the contact point, C the centre of the wheel; a "
                "dash is the derivative by the travel of that wheel alone."
            ),
            table(["metric", "SI unit", "definition"], rows, "lll"),
        ]
    )
