"""Suspensions and vehicles: from hardpoints to kinematics, loads and manoeuvres. ISO 8855: x forward, y left, z up."""

from vincolo.vehicle.build import Axle, add_axle
from vincolo.vehicle.build_car import Built, build_car
from vincolo.vehicle.cad import chassis_of, read_masses
from vincolo.vehicle.car import Car, Transfer, mass_transfer
from vincolo.vehicle.compliance import Compliance, compliance
from vincolo.vehicle.contact import add_tyre
from vincolo.vehicle.curves import Checked, Curves, Limit, check_limits, curves, standard_curves
from vincolo.vehicle.design import Found, Goal, Sensitivities, optimise, sensitivities, shifted, variants
from vincolo.vehicle.loads import CASES, LoadCase, LoadTable, MemberLoads, load_table, member_loads, patch_forces
from vincolo.vehicle.manoeuvres import (
    Drive,
    Response,
    Steady,
    bicycle_gradient,
    braking,
    drive,
    lane_change,
    preview_driver,
    sine_with_dwell,
    steady_cornering,
    step_steer,
)
from vincolo.vehicle.metrics import Setting
from vincolo.vehicle.rigs import RIGS, Sweep, sweep
from vincolo.vehicle.roads import ISO_8608, bumps, read_road, rough, waves
from vincolo.vehicle.roles import KINDS, roles_of
from vincolo.vehicle.starters import EXAMPLES, example, example_car, example_tyre
from vincolo.vehicle.suspension import Suspension, millimetres
from vincolo.vehicle.tir import read_tir
from vincolo.vehicle.tracks import Lap, Track, lap
from vincolo.vehicle.tyres import Tyre

__all__ = [
    "Axle",
    "Built",
    "CASES",
    "Car",
    "Checked",
    "Compliance",
    "Curves",
    "Drive",
    "EXAMPLES",
    "Found",
    "Goal",
    "ISO_8608",
    "KINDS",
    "Lap",
    "Limit",
    "LoadCase",
    "LoadTable",
    "MemberLoads",
    "RIGS",
    "Response",
    "Sensitivities",
    "Setting",
    "Steady",
    "Suspension",
    "Sweep",
    "Track",
    "Transfer",
    "Tyre",
    "add_axle",
    "add_tyre",
    "bicycle_gradient",
    "braking",
    "build_car",
    "bumps",
    "chassis_of",
    "check_limits",
    "compliance",
    "curves",
    "drive",
    "example",
    "example_car",
    "example_tyre",
    "lane_change",
    "lap",
    "load_table",
    "mass_transfer",
    "member_loads",
    "millimetres",
    "optimise",
    "patch_forces",
    "preview_driver",
    "read_masses",
    "read_road",
    "read_tir",
    "roles_of",
    "rough",
    "sensitivities",
    "shifted",
    "sine_with_dwell",
    "standard_curves",
    "steady_cornering",
    "step_steer",
    "sweep",
    "variants",
    "waves",
]
