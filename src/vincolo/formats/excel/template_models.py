"""The models of the templates: trees with formulas and points by name, a comment for each part, and what to expect."""

from __future__ import annotations

from typing import Any, NamedTuple


class Template(NamedTuple):
    """A model to begin with: what it is, its tree, comments by (section, name), and notes for its reader."""

    title: str
    tree: dict[str, Any]
    comments: dict[tuple[str, str], str]
    notes: tuple[str, ...]
    units: tuple[str, ...] = ()  # in which lengths and angles are written


BLANK = Template(
    "An empty model",
    {"name": "my mechanism", "gravity": [0.0, 0.0, -9.80665],
     "run": {"analysis": "dynamics", "until": 10.0, "outputs": 500, "units": ["as in headings"]}},
    {},
    ("Fill in Bodies and Joints first. A body needs a name, a mass and an inertia; a joint needs a name, a kind and "
     "two bodies, a and b. The body 'ground' is always there and does not move.",
     "Draw the mechanism in one position: 'at' says where things are in that position. Small gaps are closed for you.",
     "Then run 'vincolo check': it tells how many freedoms your mechanism has, and what is wrong."))

SLIDER_CRANK = Template(
    "A slider-crank, turned twice",
    {"name": "slider-crank", "gravity": [0.0, 0.0, -9.80665],
     "parameters": {"l": "0.15 m", "L": "0.45 m", "n": "1.0 Hz", "w": "=2*pi*n", "m1": "0.5 kg", "m2": "1.2 kg",
                    "m3": "0.8 kg"},
     "points": {"O": [0.0, 0.0, 0.0], "A": ["=l", 0.0, 0.0], "B": ["=l + L", 0.0, 0.0],
                "crank middle": ["=l/2", 0.0, 0.0], "rod middle": ["=l + L/2", 0.0, 0.0]},
     "bodies": {"crank": {"mass": "=m1", "inertia": [1e-4, "=m1*l^2/12", "=m1*l^2/12"], "at": "crank middle"},
                "rod": {"mass": "=m2", "inertia": [2e-4, "=m2*L^2/12", "=m2*L^2/12"], "at": "rod middle"},
                "slider": {"mass": "=m3", "inertia": [1e-3, 1e-3, 1e-3], "at": "B"}},
     "joints": {"main bearing": {"kind": "revolute", "a": "ground", "b": "crank", "at": "O", "axis": "-y"},
                "big end": {"kind": "spherical", "a": "crank", "b": "rod", "at": "A"},
                "gudgeon pin": {"kind": "universal", "a": "rod", "b": "slider", "at": "B", "axis": "y", "axis2": "z"},
                "cylinder": {"kind": "prismatic", "a": "ground", "b": "slider", "at": "B", "axis": "x"}},
     "drives": {"motor": {"measure": "main bearing.angle", "function": "w*t"}},
     "run": {"analysis": "dynamics", "until": "=2/n", "outputs": 400, "units": ["as in headings"],
             "channels": ["slider.x", "slider.vx", "main bearing.angle", "motor.force"]}},
    {("parameters", "l"): "length of the crank", ("parameters", "L"): "length of the connecting rod",
     ("parameters", "n"): "turns per second", ("parameters", "w"): "angular speed, computed from n",
     ("parameters", "m1"): "mass of the crank", ("parameters", "m2"): "mass of the rod",
     ("parameters", "m3"): "mass of the slider",
     ("points", "O"): "main bearing", ("points", "A"): "crank pin", ("points", "B"): "slider",
     ("bodies", "crank"): "a slender bar; drawn along x", ("bodies", "rod"): "a slender bar; drawn along x",
     ("joints", "main bearing"): "about -y, so that a positive angle lifts the crank pin",
     ("joints", "big end"): "a ball: a hinge here would hold the rod upright a second time",
     ("joints", "gudgeon pin"): "a cross: it also keeps the rod from spinning about itself",
     ("drives", "motor"): "turns the crank at a steady speed; motor.force is the torque it needs [N m]"},
    ("Three bodies have 18 freedoms. The joints take 5 + 3 + 4 + 5 = 17 of them, so 1 is left: the turning crank. No "
     "row is redundant. With hinges at all three pins the freedom would be the same, with 3 redundant rows: the motion "
     "is right, but the forces of those bearings cannot be told apart.",
     "The slider must be at x = l cos(w t) + sqrt(L^2 - l^2 sin(w t)^2): 0.6 m at the start, 0.3 m after half a turn.",
     "Change l on the sheet Parameters, or run with --set l=0.2. Without the row on the sheet Drives the mechanism "
     "swings under its weight."))

DOUBLE_WISHBONE = Template(
    "Front left corner of a Formula Student car: double wishbone with pushrod and rocker",
    {"name": "double wishbone, front left", "gravity": [0.0, 0.0, -9.80665],
     "parameters": {"travel": "30.0 mm", "frequency": "0.5 Hz", "R": "228.0 mm", "steer": "0.0 mm", "k": "35.0 N/mm",
                    "c": "1500.0 N s/m", "F0": "800.0 N"},
     "points": {"lower front": [0.120, 0.220, 0.120], "lower rear": [-0.140, 0.220, 0.125],
                "lower ball": [0.006, 0.545, 0.125], "upper front": [0.105, 0.260, 0.285],
                "upper rear": [-0.125, 0.260, 0.275], "upper ball": [-0.012, 0.525, 0.305],
                "tie rod inner": [0.070, 0.225, 0.156], "tie rod outer": [0.075, 0.550, 0.165],
                "pushrod outer": [0.0, 0.505, 0.150], "pushrod inner": [0.0, 0.300, 0.520],
                "rocker pivot": [0.0, 0.240, 0.480], "spring on rocker": [0.0, 0.215, 0.545],
                "spring on chassis": [0.0, 0.030, 0.560], "wheel centre": [0.0, 0.600, 0.228],
                "rack centre": [0.070, 0.0, 0.156], "lower middle": [-0.005, 0.330, 0.123],
                "upper middle": [-0.011, 0.350, 0.288], "upright middle": [0.0, 0.550, 0.220],
                "rocker middle": [0.0, 0.252, 0.515], "origin": [0.0, 0.0, 0.0]},
     "bodies": {"lower wishbone": {"mass": 0.9, "inertia": [0.006, 0.004, 0.010], "at": "lower middle",
                                   "outline": ["lower front", "lower ball", "lower rear"]},
                "upper wishbone": {"mass": 0.7, "inertia": [0.004, 0.003, 0.006], "at": "upper middle",
                                   "outline": ["upper front", "upper ball", "upper rear"]},
                "upright": {"mass": 1.8, "inertia": [0.008, 0.007, 0.004], "at": "upright middle"},
                "wheel": {"mass": 8.5, "inertia": [0.12, 0.22, 0.12], "at": "wheel centre"},
                "rack": {"mass": 1.2, "inertia": [0.02, 0.001, 0.02], "at": "rack centre"},
                "rocker": {"mass": 0.4, "inertia": [0.0006, 0.0003, 0.0004], "at": "rocker middle",
                           "outline": ["rocker pivot", "pushrod inner", "spring on rocker"]}},
     "frames": {"world": {"on": "ground", "at": "origin"},
                "wheel axis": {"on": "upright", "at": "wheel centre", "z": "y", "x": "x"},
                "tie rod end": {"on": "rack", "at": "tie rod inner"},
                "steering arm": {"on": "upright", "at": "tie rod outer"},
                "pushrod foot": {"on": "lower wishbone", "at": "pushrod outer"},
                "pushrod head": {"on": "rocker", "at": "pushrod inner"},
                "spring head": {"on": "rocker", "at": "spring on rocker"},
                "spring seat": {"on": "ground", "at": "spring on chassis"}},
     "joints": {"lower pivot": {"kind": "revolute", "a": "ground", "b": "lower wishbone", "at": "lower front",
                                "axis": "lower front -> lower rear"},
                "upper pivot": {"kind": "revolute", "a": "ground", "b": "upper wishbone", "at": "upper front",
                                "axis": "upper front -> upper rear"},
                "lower ball joint": {"kind": "spherical", "a": "lower wishbone", "b": "upright", "at": "lower ball"},
                "upper ball joint": {"kind": "spherical", "a": "upper wishbone", "b": "upright", "at": "upper ball"},
                "tie rod": {"kind": "distance", "a": "tie rod end", "b": "steering arm"},
                "rack guide": {"kind": "prismatic", "a": "ground", "b": "rack", "at": "rack centre", "axis": "y"},
                "pushrod": {"kind": "distance", "a": "pushrod foot", "b": "pushrod head"},
                "rocker pin": {"kind": "revolute", "a": "ground", "b": "rocker", "at": "rocker pivot", "axis": "x"},
                "hub": {"kind": "revolute", "a": "upright", "b": "wheel", "at": "wheel centre", "axis": "y"}},
     "looks": {"wheel": {"colour": "black", "shapes": [
         {"kind": "tube", "radius": "=R", "inner_radius": 0.165, "length": 0.18, "axis": "y"},
         {"kind": "cylinder", "radius": 0.05, "length": 0.09, "axis": "y", "colour": "silver"}]}},
     "measures": {"height": {"kind": "world", "between": ["world", "wheel axis"], "axes": [0, 0, 1]},
                  "camber": {"unit": "deg", "formula": "-asin(s)", "of": {"s": {"kind": "cosine", "axes": ["z", "z"],
                                                                       "between": ["world", "wheel axis"]}}},
                  "toe in": {"unit": "deg", "formula": "asin(s)", "of": {"s": {"kind": "cosine", "axes": ["x", "z"],
                                                                      "between": ["world", "wheel axis"]}}}},
     "drives": {"bump": {"measure": "height", "function": "R + travel*sin(2*pi*frequency*t)"}},
     "holds": {"steering": {"measure": "rack guide.travel", "function": "steer"},
               "brake": {"measure": "hub.angle", "function": 0.0}},
     "springs": {"damper": {"between": ["spring head", "spring seat"], "k": "=k", "c": "=c", "preload": "=-F0"}},
     "run": {"analysis": "kinematics", "until": "=1/frequency", "outputs": 200,
             "units": ["mm", "deg"],
             "channels": ["height", "camber", "toe in", "damper.length", "damper.force", "bump.force"]}},
    {("parameters", "travel"): "wheel travel up and down", ("parameters", "frequency"): "strokes per second",
     ("parameters", "R"): "radius of the tyre, and height of the wheel centre as in the sheet Points",
     ("parameters", "steer"): "travel of the rack; positive to the left",
     ("parameters", "k"): "stiffness of the spring", ("parameters", "c"): "damping",
     ("parameters", "F0"): "force of the spring in the drawn position",
     ("points", "tie rod inner"): "placed for little bump steer; move it and look at toe in",
     ("points", "wheel centre"): "drawn without camber and toe",
     ("bodies", "wheel"): "with tyre, rim, hub and brake disc", ("bodies", "upright"): "with calliper",
     ("frames", "wheel axis"): "z is the axis of the wheel, pointing outwards",
     ("joints", "tie rod"): "a massless rod with two balls", ("joints", "pushrod"): "a massless rod with two balls",
     ("joints", "rocker pin"): "the rocker turns in the plane x = 0",
     ("measures", "height"): "of the wheel centre",
     ("measures", "camber"): "positive if the top leans outwards",
     ("measures", "toe in"): "positive if the front points inwards",
     ("drives", "bump"): "moves the wheel; bump.force is what that needs [N]",
     ("holds", "steering"): "holds the rack", ("holds", "brake"): "keeps the wheel from spinning on its hub",
     ("springs", "damper"): "compression is negative"},
    ("x points forwards, y to the left, z up; the car's chassis is the ground. All hardpoints are on the sheet Points.",
     "Six bodies have 36 freedoms. Four hinges take 20, two balls 6, the rack's guide 5, tie rod and pushrod 1 each: "
     "33, so 3 are left: wheel travel, steering and the spinning wheel. The sheet Holds takes steering and spin, so "
     "'vincolo check' tells 1 freedom; the drive moves it. No row is redundant.",
     "Expect: 30 mm up gives about -0.9 degrees of camber and less than 0.03 degrees of toe; the spring moves by 0.69 "
     "mm for each millimetre of the wheel.",
     "For dynamics set analysis to dynamics, and replace the drive by a spring on the measure 'height' (the tyre)."))

TEMPLATES = {"blank": BLANK, "slider-crank": SLIDER_CRANK, "double-wishbone": DOUBLE_WISHBONE}
