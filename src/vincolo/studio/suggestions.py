"""What a new drive may turn or push: a joint at the ground that the mechanism lets move."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from vincolo.analyses.kinematics import kinematics
from vincolo.errors import VincoloError
from vincolo.model import Model
from vincolo.model.measure_units import measure_unit
from vincolo.studio.insight import Insight
from vincolo.system import as_system

TURN = "2*pi*t"  # rad
MOST_BODIES = 40  # beyond, trials would take too long
MOST_JOINTS = 4
SAMPLES = 73  # of a second
SHARE = 0.5  # of the reach to both sides, for a motion to and fro


def suggested_drive(insight: Insight, chosen: Any = None) -> dict[str, str]:
    """A measure and a function of time that the mechanism can follow: a full turn of a joint at the ground if there is
    one, else a motion to and fro; of the chosen joint if one is given."""
    if insight.document is None:
        return {"measure": "", "function": TURN}
    model = insight.document.model
    wanted = _candidates(model, chosen)[:MOST_JOINTS]
    usual = {"measure": wanted[0][0] if wanted else next(iter(insight.measures()), ""), "function": TURN}
    if not insight.closed or len(model.bodies) > MOST_BODIES:
        return usual
    turning = next((name for name, unit in wanted if unit == "rad" and _reach(model, name, 2 * np.pi) == 1.0), None)
    if turning is not None:
        return {"measure": turning, "function": TURN}
    return next((trial for name, unit in wanted if (trial := _to_and_fro(model, name, unit))), usual)


def _candidates(model: Model, chosen: Any) -> list[tuple[str, str]]:
    """Coordinates of joints that nothing drives, with their units, those at the ground first."""
    driven = {held.measure.name for held in model.holds.values()}
    joints = [model.joints[chosen]] if chosen in model.joints else sorted(
        model.joints.values(), key=lambda joint: not (joint.a.body.is_ground or joint.b.body.is_ground))
    return [(f"{joint.name}.{name}", measure_unit(measure)) for joint in joints
            for name, measure in joint.coordinates.items() if f"{joint.name}.{name}" not in driven]


def _to_and_fro(model: Model, name: str, unit: str) -> dict[str, str] | None:
    """A motion within the reach of a coordinate, if it has some to both sides."""
    size = np.pi if unit == "rad" else as_system(model).extent
    amplitude = SHARE * size * min(_reach(model, name, size), _reach(model, name, -size))
    if not amplitude > 1e-3 * size:
        return None
    power = 10.0 ** np.floor(np.log10(amplitude))
    return {"measure": name, "function": f"{np.floor(amplitude / power) * power:.1g}*sin({TURN})"}


def _reach(model: Model, name: str, rate: float) -> float:
    """The share of a second for which the mechanism follows a coordinate at a rate."""
    tried = model.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tried.drive(name, f"{rate!r}*t")
            return float(kinematics(tried, 1.0, outputs=SAMPLES).t[-1])
        except VincoloError:
            return 0.0  # it has no motion by this drive
