"""What commands of Adams View say, in the words of the dataset of Adams Solver."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

#: how a value is taken over: as it is, as an angle, as the number of a marker, a joint or a part's floating marker, as
#: a function, as a word that is a flag, as on or off
How = Literal["plain", "angle", "marker", "joint", "floating", "function", "flag", "switch"]


@dataclass(frozen=True)
class Rule:
    """A command that makes a statement: its keyword, the parameter with the name, flags, and what parameters become."""

    keyword: str
    name: str
    arguments: dict[str, tuple[str, How]] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


ENDS: dict[str, tuple[str, How]] = {"i_marker_name": ("I", "marker"), "j_marker_name": ("J", "marker")}
#: words of Adams View that say which freedom or level is meant
FREEDOMS = {"translational": "TRANSLATIONAL", "rotational": "ROTATIONAL", "displacement": "DISPLACEMENT",
            "velocity": "VELOCITY", "acceleration": "ACCELERATION", "x": "X", "y": "Y", "z": "Z", "b1": "B1",
            "b2": "B2", "b3": "B3"}
_VECTOR: dict[str, tuple[str, How]] = {
    "i_marker_name": ("I", "marker"), "j_part_name": ("JFLOAT", "floating"), "ref_marker_name": ("RM", "marker"),
    "j_floating_marker_name": ("JFLOAT", "marker")}
_FORCE: dict[str, tuple[str, How]] = {f"{a}_force_function": (f"F{a.upper()}", "function") for a in "xyz"}
_TORQUE: dict[str, tuple[str, How]] = {f"{a}_torque_function": (f"T{a.upper()}", "function") for a in "xyz"}

PART: dict[str, tuple[str, How]] = {
    "mass": ("MASS", "plain"), "center_of_mass_marker": ("CM", "marker"), "inertia_marker": ("IM", "marker"),
    **{f"v{a}": (f"V{a.upper()}", "plain") for a in "xyz"}, **{f"w{a}": (f"W{a.upper()}", "angle") for a in "xyz"},
    "vm": ("VM", "marker"), "wm": ("WM", "marker"), "relative_to": ("", "plain"),
    "location": ("QG", "plain"), "orientation": ("REULER", "angle")}
INERTIA = ("ixx", "iyy", "izz", "ixy", "izx", "iyz")  # in the order of IP

#: commands by their words; "modify" says the same as "create"
RULES: dict[tuple[str, ...], Rule] = {
    ("marker", "create"): Rule("MARKER", "marker_name", {
        "location": ("QP", "plain"), "orientation": ("REULER", "angle"), "relative_to": ("", "plain")}),
    ("part", "create", "rigid_body", "name_and_position"): Rule("PART", "part_name", PART),
    ("part", "create", "rigid_body", "mass_properties"): Rule("PART", "part_name", PART),
    ("part", "create", "rigid_body", "initial_velocity"): Rule("PART", "part_name", PART),
    **{("constraint", "create", "joint", kind): Rule("JOINT", "joint_name", {
        **ENDS, "pitch": ("PITCH", "plain"), "diameter_of_pitch": ("PD", "plain")}, (kind.upper(),))
       for kind in ("convel", "cylindrical", "fixed", "hooke", "planar", "rackpin", "revolute", "screw", "spherical",
                    "translational", "universal")},
    **{("constraint", "create", "primitive_joint", kind): Rule("JPRIM", "jprim_name", ENDS, (word,))
       for kind, word in (("atpoint", "ATPOINT"), ("inline", "INLINE"), ("inplane", "INPLANE"),
                          ("orientation", "ORIENTATION"), ("parallel_axis", "PARALLEL_AXES"),
                          ("perpendicular", "PERPENDICULAR"))},
    ("constraint", "create", "motion_generator"): Rule("MOTION", "motion_name", {
        **ENDS, "joint_name": ("JOINT", "joint"), "function": ("FUNCTION", "function"), "axis": ("", "flag"),
        "type_of_freedom": ("", "flag"), "time_derivative": ("", "flag"), "displacement_ic": ("ICDISP", "plain"),
        "velocity_ic": ("ICVEL", "plain")}),
    ("force", "create", "direct", "single_component_force"): Rule("SFORCE", "single_component_force_name", {
        **ENDS, "type_of_freedom": ("", "flag"), "action_only": ("ACTIONONLY", "switch"),
        "function": ("FUNCTION", "function")}),
    ("force", "create", "direct", "force_vector"): Rule("VFORCE", "force_vector_name", {**_VECTOR, **_FORCE}),
    ("force", "create", "direct", "torque_vector"): Rule("VTORQUE", "torque_vector_name", {**_VECTOR, **_TORQUE}),
    ("force", "create", "direct", "general_force"): Rule("GFORCE", "general_force_name", {
        **_VECTOR, **_FORCE, **_TORQUE}),
    ("force", "create", "element_like", "translational_spring_damper"): Rule("SPRINGDAMPER", "spring_damper_name", {
        **ENDS, "stiffness": ("K", "plain"), "damping": ("C", "plain"), "preload": ("FORCE", "plain"),
        "displacement_at_preload": ("LENGTH", "plain")}, ("TRANSLATIONAL",)),
    ("force", "create", "element_like", "bushing"): Rule("BUSHING", "bushing_name", {
        **ENDS, "stiffness": ("K", "plain"), "damping": ("C", "plain"), "force_preload": ("FORCE", "plain"),
        "tstiffness": ("KT", "plain"), "tdamping": ("CT", "plain"), "torque_preload": ("TORQUE", "plain")}),
    ("force", "create", "body", "gravitational"): Rule("ACCGRAV", "gravity_field_name", {
        f"{a}_component_gravity": (f"{b}GRAV", "plain") for a, b in zip("xyz", "IJK", strict=True)}),
}
#: commands, by how they begin, that say nothing about the motion
IDLE = (("defaults", "attributes"), ("view",), ("material",), ("geometry",), ("undo",), ("model", "display"),
        ("model", "attributes"), ("part", "attributes"), ("constraint", "attributes"), ("force", "attributes"),
        ("ude", "attributes"), ("marker", "attributes"), ("output_control",), ("group", "attributes"), ("interface",),
        ("entity", "attributes"), ("executive_control",))
UNITS = {
    "length": {"meter": "METER", "m": "METER", "mm": "MILLIMETER", "millimeter": "MILLIMETER", "cm": "CENTIMETER",
               "centimeter": "CENTIMETER", "km": "KILOMETER", "inch": "INCH", "foot": "FOOT", "mile": "MILE"},
    "mass": {"kg": "KILOGRAM", "kilogram": "KILOGRAM", "gram": "GRAM", "tonne": "TONNE", "pound_mass": "POUND_MASS",
             "slug": "SLUG", "ounce_mass": "OUNCE_MASS", "kpound_mass": "KPOUND_MASS", "slinch": "SLINCH"},
    "force": {"newton": "NEWTON", "knewton": "KILONEWTON", "dyne": "DYNE", "kg_force": "KILOGRAM_FORCE",
              "pound_force": "POUND_FORCE", "kpound_force": "KPOUND_FORCE", "ounce_force": "OUNCE_FORCE",
              "millinewton": "MILLINEWTON", "centinewton": "CENTINEWTON", "poundal": "POUNDAL"},
    "time": {"sec": "SECOND", "second": "SECOND", "min": "MINUTE", "minute": "MINUTE", "hour": "HOUR",
             "millisecond": "MILLISECOND"},
}
