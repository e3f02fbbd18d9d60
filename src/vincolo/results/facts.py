"""The facts of a run, in names and numbers for other programs."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.results.ranges import left_ranges

if TYPE_CHECKING:
    from vincolo.results.result import Result


def facts(result: Result) -> dict[str, Any]:
    """What the run was and how good it is, in names and numbers fit for JSON: finite, or None."""
    s, spent = result.statistics, result.seconds
    simulated = float(result.t[-1]) - result.settings.start if len(result) else 0.0
    found = {
        "model": result.system.name, "mobility": _mobility(result), "settings": asdict(result.settings),
        "complete": result.complete, "reason": result.reason, "residual_max": _residual(result),
        "energy_drift": result.energy_drift if len(result) else None, "steps": s.get("steps"),
        "evaluations": s.get("evaluations"), "cpu_s": spent,
        "real_time_factor": simulated / spent if spent > 0 else None,
        "t_end": float(result.t[-1]) if len(result) else None, "samples": len(result),
        "left_ranges": [{"name": left.range.name, "measure": left.range.measure.name, "value": left.value, "t": left.t,
                         "first": left.first, "at_least": left.range.at_least, "at_most": left.range.at_most}
                        for left in (left_ranges(result) if len(result) else ())]}
    plain: dict[str, Any] = json_ready(found)
    return plain


def _mobility(result: Result) -> dict[str, int] | None:
    if not len(result):
        return None
    m = result.mobility
    return {"kutzbach": m.kutzbach, "rank": m.rank, "dof": m.dof, "redundant": m.redundant}


def _residual(result: Result) -> float | None:
    """Largest violation of a position row [m or rad] met in the run."""
    if not len(result):
        return None
    met = float(result.statistics.get("position_residual", 0.0))
    return max(met, float(result["residual.position"].max())) if result.system.rows else 0.0


def json_ready(value: Any) -> Any:
    """Data that JSON can hold: what is not finite is None, what it has no word for is text."""
    if isinstance(value, dict):
        return {str(key): json_ready(part) for key, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [json_ready(part) for part in value]
    if isinstance(value, np.generic):
        return json_ready(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, str | int | bool | None) else str(value)
