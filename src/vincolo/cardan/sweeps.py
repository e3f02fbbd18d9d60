"""Mean efficiency of a Cardan joint over speeds and angles."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.cardan.joint import Cardan
from vincolo.cardan.turn import work
from vincolo.errors import ModelError
from vincolo.model.checks import number_array
from vincolo.model.geometry import Array


def efficiency_map(joint: Cardan, speeds: Any, angles: Any = None, *, input_torque: float,
                   positions: int = 360) -> Array:
    """Mean efficiency over a turn, (speeds, angles): input speeds [rad/s], and angles of the shafts [rad], that of the
    joint if not given."""
    rows, columns = (number_array(f"efficiency_map(): {what}", np.atleast_1d(values))
                     for what, values in (("speeds", speeds), ("angles", joint.angle if angles is None else angles)))
    if not len(rows) or not len(columns):
        raise ModelError("efficiency_map(): lists of speeds and angles are needed.")
    at = np.arange(positions) * (2 * np.pi / positions)
    return np.array([[work(joint.with_(angle=float(angle)), float(speed), input_torque=input_torque, at=at
                           ).mean_efficiency for angle in columns] for speed in rows])
