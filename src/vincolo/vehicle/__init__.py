"""Suspensions and vehicles: from hardpoints to kinematics, loads and manoeuvres. ISO 8855 axes: x forward, y left, z
up."""

from vincolo.vehicle.build import Axle, add_axle
from vincolo.vehicle.compliance import Compliance, compliance
from vincolo.vehicle.curves import Checked, Curves, Limit, check_limits, curves, standard_curves
from vincolo.vehicle.metrics import Setting
from vincolo.vehicle.rigs import RIGS, Sweep, sweep
from vincolo.vehicle.roles import KINDS, roles_of
from vincolo.vehicle.starters import EXAMPLES, example
from vincolo.vehicle.suspension import Suspension, millimetres

__all__ = [
    "EXAMPLES",
    "KINDS",
    "RIGS",
    "Axle",
    "Checked",
    "Compliance",
    "Curves",
    "Limit",
    "Setting",
    "Suspension",
    "Sweep",
    "add_axle",
    "check_limits",
    "compliance",
    "curves",
    "example",
    "millimetres",
    "roles_of",
    "standard_curves",
    "sweep",
]
