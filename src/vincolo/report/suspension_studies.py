"""What bushings, and small changes of points, do to a suspension: two tables of its report."""

from __future__ import annotations

import numpy as np

from vincolo.report.elements import Safe, element, joined, number, paragraph, table
from vincolo.vehicle.compliance import LOADS, compliance
from vincolo.vehicle.curves import SHOWN
from vincolo.vehicle.design import sensitivities
from vincolo.vehicle.metrics import UNITS
from vincolo.vehicle.suspension import Suspension

#: metrics whose dependence on points is told
WATCHED = ("left.bump_steer", "left.bump_camber", "roll_centre_height", "left.caster", "left.scrub", "left.trail")
STRONGEST = 5  # coordinates of each


def studies_of(s: Suspension) -> Safe:
    """Both tables; that of bushings where there are some."""
    return joined([_compliances(s) if s.bushings else Safe(""), _sensitivities(s)])


def _compliances(s: Suspension) -> Safe:
    rows = []
    for load in LOADS:
        found, unit = compliance(s, load), "100 N m" if LOADS[load][3] else "kN"
        share = 100.0 if LOADS[load][3] else 1000.0
        angles = [np.degrees(share * value["left"]) for value in (found.toe, found.camber)]
        moved = 1e3 * share * found.displacement["left"]
        rows.append([load, unit, *(_told(float(v)) for v in (*angles, moved[0], moved[1]))])
    heads = ["load on both wheels", "for each", "toe [deg]", "camber [deg]", "forwards [mm]", "to the left [mm]"]
    return joined([element("h3", "Compliance: what bushings let the left wheel do"), table(heads, rows, "llrrrr")])


def _told(value: float) -> Safe:
    return number(0.0 if abs(value) < 1e-7 else value, 3)


def _sensitivities(s: Suspension) -> Safe:
    """The coordinates that move each metric most, by a millimetre."""
    slopes = sensitivities(s, WATCHED)
    rows = []
    for metric in WATCHED:
        strongest = [(n, v) for n, v in slopes.strongest(metric, STRONGEST) if np.isfinite(v)]
        strongest = [(n, v) for n, v in strongest if abs(v) > 1e-6 * abs(strongest[0][1])]
        unit, factor = SHOWN.get(UNITS[metric.rpartition(".")[2]], ("", 1.0))
        if strongest:
            told = [joined([n, " ", number(1e-3 * factor * v, 3)]) for n, v in strongest]
            rows.append([metric.removeprefix("left."), unit, *told, *[""] * (STRONGEST - len(told))])
    heads = ["metric as drawn", "unit", "most of all by", *[""] * (STRONGEST - 1)]
    text = paragraph("Change of a metric for each millimetre that a point is moved along x, y or z.")
    return joined([element("h3", "What moves the metrics"), text, table(heads, rows, "ll" + "l" * STRONGEST)])
