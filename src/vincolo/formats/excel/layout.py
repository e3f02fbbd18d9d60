"""What stands in a workbook: one sheet for each section of a model, and the columns of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from vincolo.errors import suggest
from vincolo.formats.excel.units import UNITS
from vincolo.vehicle.fields import SECTIONS, Field

XYZ = ("x", "y", "z")
MOMENTS = ("xx", "yy", "zz")
PRODUCTS = ("xy", "yz", "xz")
#: the parts that a value of some kind may be spread over, each in a column of its own
PARTS = {"vector": XYZ, "point": XYZ, "direction": XYZ, "functions": XYZ, "inertia": (*MOMENTS, *PRODUCTS),
         "pair": ("1", "2")}
IGNORED = ("notes", "note", "help", "explanations", "read me", "readme")
ANYTHING = tuple(UNITS)
MOTION = ("length", "angle", "speed", "angular speed", "acceleration", "angular acceleration")


class Column(NamedTuple):
    """A column: the key of the model's data, the kind of its values, what they measure, and what it is for."""

    key: str
    kind: str
    help: str
    dimensions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A sheet: its name, the heading of its first column, and the other columns by heading."""

    sheet: str
    columns: dict[str, Column]
    first: str = "name"

    def find(self, words: str) -> tuple[Column, str | None] | None:
        """The column that a heading names, and the part of its value: "at x" is ("at", "x")."""
        if words in self.columns:
            return self.columns[words], None
        head, _, part = words.rpartition(" ")
        column = self.columns.get(head)
        if column is not None and (part in PARTS.get(column.kind, ()) or column.kind == "solver"):
            return column, part
        first, _, rest = words.partition(" ")
        solver = self.columns.get(first)
        return (solver, rest) if solver is not None and solver.kind == "solver" and rest else None

    def known(self) -> list[str]:
        """All headings, with parts."""
        return [self.first, *(name for heading, column in self.columns.items() for name in
                              (heading, *(f"{heading} {part}" for part in PARTS.get(column.kind, ())))), "comment"]

    def suggestion(self, words: str) -> str:
        """The nearest heading, as a question."""
        return suggest(words, self.known())


def _table(sheet: str, *columns: tuple[str, Column], first: str = "name") -> Table:
    return Table(sheet, dict(columns), first)


def _column(heading: str, kind: str, text: str, *dimensions: str, key: str | None = None) -> tuple[str, Column]:
    return heading, Column(key or heading.replace(" ", "_"), kind, text, dimensions)


def _of_fields(sheet: str, fields: dict[str, Field]) -> Table:
    """A sheet by its table of fields."""
    return _table(sheet, *(_column(key.replace("_", " "), f.kind, f.help, *(
        ANYTHING if f.dimension == "any" else (f.dimension,) if f.dimension else ())) for key, f in fields.items()))


_ORIENTATION = _column("orientation", "nested", "How it is turned: {axis: z, angle: 1.57}, {euler: ZXZ, angles: [a, b, "
                                                "c]}, a quaternion [1, 0, 0, 0] or a matrix. Empty: not turned.")
_MEASURE = _column("measure", "place", "What it acts on: a coordinate such as O.angle, or the name of a measure.")
_CONSTANTS = _column("constants", "nested", "Numbers that the text uses by name: {k: 100, c: 5}.")

TABLES: dict[str, Table] = {
    "model": _table(
        "Model",
        _column("name", "text", "The name of the model."),
        _column("gravity", "vector", "Gravity in world axes; 0, 0, -9.80665 if it is left out.", "acceleration"),
        _column("units", "words", "Units of the results, such as mm; deg; kN. 'as in headings': those of this "
                                  "workbook. SI: metres, radians, newtons."),
        _column("vincolo", "whole", "The number of this layout."),
        _column("analysis", "text", "dynamics: forces make the motion. kinematics: drives make it."),
        _column("start", "number", "When the run begins.", "time"),
        _column("until", "number", "When the run ends.", "time"),
        _column("outputs", "whole", "How many samples the results have."),
        _column("integrator", "solver", "The integrator, such as Auto or Radau; its numbers in rows of their own, such "
                                        "as 'integrator rtol'."),
        _column("formulation", "solver", "How the equations are solved; may stay empty."),
        _column("stabilisation", "solver", "How joints are kept closed; may stay empty."),
        _column("channels", "words", "Series you want to see, such as slider.x; O.angle."),
        _column("position", "nested", "Bodies that begin elsewhere than drawn, each by x, y, z and a quaternion: "
                                      "{crank: [0, 0, 0, 1, 0, 0, 0]}."), first="setting"),
    "parameters": _table(
        "Parameters",
        _column("value", "number", "A number, a formula that Excel computes, or a text such as 2*l over other "
                                   "parameters.", *ANYTHING),
        _column("unit", "text", "The unit of the number, such as mm or deg; empty means SI.")),
    "points": _table("Points", *(_column(axis, "number", f"World coordinate {axis} as drawn.", "length")
                                 for axis in XYZ)),
    **{section: _of_fields(*given) for section, given in SECTIONS.items()},
    "bodies": _table(
        "Bodies",
        _column("mass", "number", "Mass; above zero.", "mass"),
        _column("inertia", "inertia", "Moments of inertia about the centre of mass in body axes; products xy, yz, xz "
                                      "with the sign they have in the matrix.", "inertia"),
        _column("shape", "nested", "Instead of mass and inertia: {kind: box, size: [1, 2, 3], density: 7850}."),
        _column("at", "point", "Where the frame of the body is drawn in the world: a point by name, or coordinates.",
                "length"),
        _ORIENTATION,
        _column("com", "point", "Centre of mass in the frame of the body; empty if the frame sits in it.", "length"),
        _column("inertia checked", "truth", "false takes an inertia that breaks the triangle inequality as it is."),
        _column("velocity", "vector", "Velocity at the start, in world axes.", "speed"),
        _column("angular velocity", "vector", "Angular velocity at the start, in world axes.", "angular speed"),
        _column("colour", "text", "Its colour in pictures: red, steelblue, ... or #4682b4."),
        _column("outline", "words", "Points that it is drawn around, as an A-arm or a plate: front; rear; ball.")),
    "looks": _table(
        "Looks",
        _column("colour", "text", "The colour of the body in pictures: red, steelblue, ... or #4682b4."),
        _column("shapes", "nested", "What it looks like: [{kind: box, size: [1, 2, 3], at: [0, 0, 0], colour: red}].")),
    "submodels": _table(
        "Submodels",
        _column("use", "text", "The YAML file of the sub-model, seen from this workbook."),
        _column("at", "point", "Where its origin is placed.", "length"),
        _ORIENTATION,
        _column("mirror", "text", "x, y or z: reflected at that plane first."),
        _column("on", "text", "The body that is its ground; empty: the ground."),
        _column("parameters", "nested", "New values of its parameters: {l: 0.3}."),
        _column("parts", "words", "Used by saved models: the parts that belong to it.")),
    "frames": _table(
        "Frames",
        _column("on", "text", "The body that carries it."),
        _column("at", "point", "Its point in the world, as drawn.", "length"),
        _column("local", "vector", "Or its point in the frame of the body.", "length"),
        _column("z", "direction", "Its z axis: x, -y, three numbers, or A -> B between points."),
        _column("x", "direction", "Its x axis, if it matters."),
        _column("axes", "nested", "Used by saved models: its axes as a matrix."),
        _column("moves", "nested", "Functions of time that move it: {x: 0.1*sin(t), angle: t, axis: z}."),
        _column("title", "nested", "Used by saved models: another name in the results.", key="name"),
        _column("unnamed", "truth", "Used by saved models: a frame that is not in the results.")),
    "joints": _table(
        "Joints",
        _column("kind", "text", "revolute, prismatic, spherical, ...: see the catalogue."),
        _column("a", "place", "The first body (or frame); ground is the fixed one."),
        _column("b", "place", "The second body (or frame)."),
        _column("between", "pair", "Used by saved models: the two frames."),
        _column("at", "point", "Its point in the world as drawn: a point by name, or coordinates.", "length"),
        _column("axis", "direction", "Its axis: x, y, z, -x, three numbers such as 0; 1; 1, or A -> B between points."),
        _column("at2", "point", "The second point (gear, belt).", "length"),
        _column("axis2", "direction", "The second axis, on b (universal, elbow, bevel_gear)."),
        _column("along", "direction", "The direction of a slot or rack, or where a cam's angle begins."),
        _column("end", "point", "The ball of spherical_revolute.", "length"),
        _column("point", "point", "The point of b that touches (cam, point_on_curve).", "length"),
        _column("centre", "point", "The centre of a wheel or ball that rolls.", "length"),
        _column("normal", "direction", "The normal of a plane (flat_cam, rolling, knife_edge)."),
        _column("axle", "direction", "The axle of a rolling disc."),
        _column("length", "number", "Length of a rod; as drawn if empty.", "length"),
        _column("angle", "number", "The angle of an elbow.", "angle"),
        _column("pitch", "number", "Of a screw, for each turn.", "length"),
        _column("ratio", "number", "Teeth of b over teeth of a.", "number"),
        _column("radius", "number", "Of a pulley, pinion, wheel or ball.", "length"),
        _column("radius2", "number", "Of the second pulley.", "length"),
        _column("roller", "number", "Radius of a cam's roller.", "length"),
        _column("internal", "truth", "Whether the gear b is a ring around a."),
        _column("crossed", "truth", "Whether the belt is crossed."),
        _column("pressure angle", "number", "Of teeth.", "angle"),
        _column("flank", "number", "1 or -1: the flank that carries.", "number"),
        _column("profile", "function", "The radius of a cam over its angle t."),
        _column("y", "function", "Height of a curve over t, for x."),
        _column("z", "function", "Second height of a curve over t, for x."),
        _column("mirrored", "truth", "Used by saved models."),
        _column("parameters", "nested", "Used by saved models: numbers and curves of the joint's equations.")),
    "measures": _table(
        "Measures",
        _column("measure", "place", "The name of a coordinate or measure."),
        _column("kind", "text", "distance, along, world, angle, cosine, azimuth."),
        _column("between", "pair", "The two frames: names, or {on: body, at: [0, 0, 1]}."),
        _column("axes", "words", "Axes that the kind needs, such as x, or x; y."),
        _column("factor", "number", "A number it is multiplied by.", "number"),
        _column("of", "place", "A coordinate by name; for formulas a map {x: O.angle, y: C.travel}."),
        _column("sum", "nested", "[{factor: 2, of: O.angle}, C.travel]."),
        _column("formula", "text", "A text over the names in 'of', such as x/y."),
        _CONSTANTS,
        _column("unit", "text", "In which results show it, such as deg; of a formula that converts units itself, the "
                                "unit it gives."),
        _column("functions", "nested", "Functions that the formula calls."),
        _column("swapped", "truth", "Used by saved models."),
        _column("sign", "number", "Used by saved models.", "number"),
        _column("tape", "nested", "Used by saved models."),
        _column("terms", "nested", "Used by saved models."),
        _column("rates", "truth", "Used by saved models.")),
    "springs": _table(
        "Springs", _MEASURE,
        _column("between", "pair", "Or the two frames that it pulls together."),
        _column("k", "number", "Stiffness.", "stiffness", "angular stiffness"),
        _column("c", "number", "Damping.", "damping", "angular damping"),
        _column("length", "number", "Length without force; as drawn if empty.", "length", "angle"),
        _column("preload", "number", "Tension at that length; compression is negative.", "force", "torque")),
    "rotors": _table(
        "Rotors", _MEASURE,
        _column("inertia", "number", "Of the rotor; along a travel, a mass.", "inertia", "mass"),
        _column("ratio", "number", "Turns of the rotor for each turn of the measure; 1 if empty.", "number")),
    "ranges": _table(
        "Ranges", _MEASURE,
        _column("at least", "number", "The lower limit; none if empty.", *MOTION, "number"),
        _column("at most", "number", "The upper limit; none if empty.", *MOTION, "number")),
    "loads": _table(
        "Loads",
        _column("kind", "text", "force or torque."),
        _column("where", "place", "The body or frame."),
        _column("components", "functions", "Numbers, texts in t, or functions.", "force", "torque"),
        _column("axes", "text", "world or body.")),
    "stops": _table(
        "Stops", _MEASURE,
        _column("at least", "number", "Its lower bound, if it has one.", "length", "angle"),
        _column("at most", "number", "Its upper bound, if it has one.", "length", "angle"),
        _column("restitution", "number", "With which share of its speed it comes back; 0 if empty.", "number"),
        _column("rest", "number", "Slower than this it stays; 1e-4 if empty.", "speed", "angular speed"),
        _column("force", "text", "A text over the depth d and its rate dd, with which it gives way; rigid if empty."),
        _column("back", "text", "The same on the way back, also over deepest.")),
    "frictions": _table(
        "Frictions",
        _column("on", "text", "The joint or stop whose load presses."),
        _MEASURE,
        _column("along", "place", "Of a joint angle, travel, slip or turn; of a stop the measure that slips on it."),
        _column("mu", "number", "Coefficient of friction that slips.", "number"),
        _column("mu static", "number", "Of friction that sticks; as mu if empty.", "number"),
        _column("stribeck", "number", "Speed over which it falls from one to the other.", "speed",
                "angular speed"),
        _column("viscous", "number", "Damping beside it.", "damping", "angular damping"),
        _column("radius", "number", "Of the pin or ball; of a plane, for pivoting.", "length"),
        _column("length", "number", "Of the bearing; empty: bending does not count.", "length"),
        _column("end radius", "number", "Of its end face; empty: the axial force does not count.", "length"),
        _column("normal", "function", "On a measure: the load that presses, a number or a text.", "force"),
        _column("regularised", "number", "A speed about which it is smoothed: then it never sticks.", "speed",
                "angular speed"),
        _column("rest", "number", "What a blow leaves slower than this may stick; 1e-9 if empty.", "speed",
                "angular speed")),
    "contacts": _table(
        "Contacts",
        _column("a", "nested", "A body or frame, or [ball 1, ball 2]; also {on: ball, shape: {kind: sphere, ...}}."),
        _column("b", "nested", "Whom they meet; empty: each other."),
        _column("shape a", "nested", "plane, or {kind: box, size: [1, 1, 1]}; what the body looks like if empty."),
        _column("shape b", "nested", "The same."),
        _column("friction", "number", "Coefficient of friction; 0 if empty.", "number"),
        _column("restitution", "number", "0 (no rebound) to 1.", "number"),
        _column("stiffness", "number", "F = stiffness d^exponent; empty: rigid.", "number"),
        _column("exponent", "number", "1.5 if empty.", "number"),
        _column("damping", "number", "Damping.", "number"),
        _column("law", "text", "hunt-crossley, lankarani-nikravesh or linear."),
        _column("speed", "number", "Approach speed for which the restitution is meant.", "speed"),
        _column("creep", "number", "Speed at which friction is fully there.", "speed")),
    "events": _table(
        "Events",
        _column("when", "text", "A text over the mechanism that is watched for crossing zero, such as ball.z."),
        _column("direction", "text", "up, down or both."),
        _column("at", "nested", "Or when: a time [s], or [0.5, 1.5]."),
        _column("every", "number", "Or every so many seconds.", "time"),
        _column("switch on", "nested", "Joints, drives, springs, laws, loads: a name, [a, b], or {joint: [0, 2]}."),
        _column("switch off", "nested", "The same."),
        _column("latch", "truth", "false: what is switched on holds where it is drawn, and not where it stands."),
        _column("set", "nested", "Variables: {gear: 2, count: count + 1}."),
        _column("bounce", "nested", "Measures thrown back: {ball.z: 0.5}."),
        _column("strike", "nested", "Impulses along measures [N s]: {ball.z: 2}."),
        _column("stop", "truth", "true: the run ends there.")),
    "switches": _table(
        "Switches",
        _column("on", "truth", "true or false."),
        _column("at", "number", "When; empty: from the beginning.", "time"),
        _column("rows", "words", "Numbers of single equations; empty: all."), first="of"),
    "tolerances": _table(
        "Tolerances",
        _column("of", "text", "What deviates: a parameter, the place of a joint on a body (A@crank.x, y, z), its "
                              "direction (A@crank.rx, ry, rz), a point (P.x), a length (rod.length), a mass "
                              "(crank.mass)."),
        _column("plus minus", "number", "The tolerance: 0.1 is from -0.1 to +0.1.", *ANYTHING),
        _column("lower", "number", "Or its lower limit.", *ANYTHING),
        _column("upper", "number", "And its upper limit.", *ANYTHING),
        _column("distribution", "text", "normal (if empty), truncated, uniform, triangular, half normal or measured."),
        _column("sigmas", "number", "How many standard deviations the tolerance is; 3 if empty.", "number"),
        _column("peak", "number", "Where a triangular one is likeliest; the middle if empty.", *ANYTHING),
        _column("values", "nested", "Deviations as measured: [0.01, -0.02, ...]."),
        _column("clearance", "text", "Or the joint whose pin has play in its hole."),
        _column("on", "text", "The body with the pin; the first of the joint if empty."),
        _column("gap", "number", "Radius of the hole less that of the pin.", "length"),
        _column("gap plus minus", "number", "Its tolerance.", "length"),
        _column("length", "number", "Length of the pin.", "length"),
        _column("length plus minus", "number", "Its tolerance.", "length"),
        _column("radius", "number", "Radius of the pin, for checks.", "length"),
        _column("cost", "number", "What a tolerance t costs: this over t^power.", "number"),
        _column("cost power", "number", "The power; 1 if empty.", "number"),
        _column("correlated", "nested", "Correlations with other rows by name: {other: 0.8}.")),
    "study": _table(
        "Study",
        _column("of", "text", "What varies: a parameter, a point (P.x), a number of a part (crank.mass, spring.k), a "
                              "component of a load (motor.y)."),
        _column("low", "number", "From here,", *ANYTHING),
        _column("high", "number", "to here;", *ANYTHING),
        _column("count", "whole", "on a grid by so many values."),
        _column("values", "nested", "Or a list of values: [1, 2, 5]."),
        _column("centre", "number", "Or about here,", *ANYTHING),
        _column("plus minus", "number", "off by so much.", *ANYTHING),
        _column("distribution", "text", "normal (if empty), truncated or uniform."),
        _column("sigmas", "number", "How many standard deviations that is; 3 if empty.", "number"),
        _column("keep", "text", "Or what is kept of each run: max slider.vx, time of max slider.x, rms motor.force."),
        _column("plan", "text", "Or the plan: grid, list, latin, sobol or random."),
        _column("samples", "whole", "How many variants a sampled plan has."),
        _column("seed", "whole", "The same seed gives the same variants; 1 if empty.")),
}
_HELD = (_MEASURE, _column("function", "function", "A number, a text in t such as 2*pi*t, or {kind: Sine, amplitude: "
                                                   "1, frequency: 2}.", *MOTION),
         _column("level", "text", "position, velocity or acceleration: what the function gives."),
         _column("hold", "truth", "Used by saved models."))
_FORCE = _column("force", "function", "A number, a text over d, dd and t, or a function.", "force", "torque")
_SEEN = (_CONSTANTS,
         _column("others", "nested", "Other measures that the text uses by name: {x: O.angle}."),
         _column("reads", "nested", "Inputs, variables and states that the text uses by another name: {u: left.u}."),
         _column("tape", "nested", "Used by saved models."))
_VALUE = _column("value", "number", "At the beginning, in the unit of the next column.", "number")
_UNIT = _column("unit", "text", "Its unit, for results; numbers are not converted.")
_LAW = (_MEASURE, _FORCE, *_SEEN,
        _column("reactions", "text", "solved: the text names reactions, with which it is found together."),
        _column("drives", "truth", "Used by saved models."))
TABLES |= {"drives": _table("Drives", *_HELD), "holds": _table("Holds", *_HELD), "laws": _table("Laws", *_LAW),
           "actuators": _table("Actuators", *_LAW),
           "inputs": _table("Inputs", _VALUE, _UNIT,
                            _column("between", "text", "held or linear: between two values; in tables linear.")),
           "variables": _table("Variables", _VALUE, _UNIT,
                               _column("senses", "text", "What every step sets it to: O.reaction.force.")),
           "states": _table("States",
                            _column("rate", "function", "Its rate: a text such as (u - x)/T over what the model has.",
                                    "number"),
                            *_SEEN,
                            _column("start", "number", "Its value at the beginning.", "number"), _UNIT,
                            _column("size", "number", "Its usual value, for errors; 1 if empty.", "number")),
           "controllers": _table("Controllers",
                                 _column("block", "text", "pid, delay, rate_limit or state_feedback."),
                                 _column("every", "number", "Time from call to call.", "time"),
                                 _column("first", "number", "Of its first call; 0 if empty.", "time"),
                                 _column("reads", "nested", "Texts that it reads: [wanted, cart.x, push]."),
                                 _column("writes", "nested", "Inputs and variables that it sets: [push]."),
                                 _column("numbers", "nested", "Its own numbers: {kp: 20, ki: 5, kd: 0}.")),
           "outputs": _table("Outputs",
                             _column("what", "text", "What is read from a run: a text such as cart.x or 2*u + O.angle, "
                                                     "or the name of a channel."), *_SEEN, _UNIT)}
ORDER = ("model", "parameters", "points", "suspensions", "vehicles", "tyres", "bodies", "looks", "submodels", "frames",
         "joints", "measures", "inputs", "variables", "states", "drives", "holds", "springs", "laws", "actuators",
         "rotors", "loads", "stops", "frictions", "contacts", "controllers", "events", "ranges", "outputs", "switches",
         "tolerances", "study", "load_cases", "limits")
RUN = ("analysis", "start", "until", "outputs", "integrator", "formulation", "stabilisation", "channels", "units",
       "position")


def section_of(sheet: str) -> str | None:
    """The section that a sheet holds, by its name in any case."""
    wanted = " ".join(sheet.split()).casefold()
    return next((section for section in ORDER if TABLES[section].sheet.casefold() == wanted), None)


def is_ignored(sheet: str) -> bool:
    """Whether a sheet is not one of the model's."""
    name = " ".join(sheet.split()).casefold()
    return name in IGNORED or name.startswith(("result", "#"))
