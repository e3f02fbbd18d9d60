"""Writes docs/catalogue.md: every measure, joint, drive and function with its equations and an example that runs.

Equations come from the definitions in vincolo.equations, words from docstrings; the examples stand here. Run it after
a change of the catalogue: python docs/make_catalogue.py. It refuses to leave out an entry that has no example.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import vincolo as vc
from vincolo import functions
from vincolo.equations.functions import DEFINITIONS
from vincolo.equations.joints import CATALOGUE
from vincolo.equations.measures import EQUATIONS, Formula, Measure, Row, Sum

PAGE = Path(__file__).with_name("catalogue.md")
MAKES = ("Joint", "Held", "list[Held]", "Switch", "Rotor")  # what methods of Model that belong here return

INTRODUCTION = PAGE.with_name("catalogue_introduction.txt").read_text()

#: how each kind of measure is written; what a user calls it by; its definition
MEASURES = {
    "world": ("e . (p_{B} - p_{A})", "along_world(e, a, b)", "e . (p_B - p_A), e fixed in the world"),
    "along": ("(p_{B} - p_{A}) . {0}_{A}", 'along("x", a, b)', "(p_B - p_A) . x_A"),
    "cosine": ("{0}_{A} . {1}_{B}", 'cosine("x", "y", a, b)', "x_A . y_B"),
    "distance": ("|p_{B} - p_{A}|", "distance(a, b)", "sqrt((p_B - p_A) . (p_B - p_A))"),
    "angle": ("angle({0}_{B} about z_{A})", 'angle(a, b, "x")', "atan2(y_A . x_B, x_A . x_B)"),
    "azimuth": ("angle(p_{B} about z_{A})", "azimuth(a, b)", "atan2((p_B - p_A) . y_A, (p_B - p_A) . x_A)"),
    "skid": ("velocity(p_{B} over {A}) . {0}_{B}", "", ""),
    "formula": ("", 'formula("sqrt(x^2 + y^2) - f(t)", x=..., y=..., f=...)', "any function of t and measures"),
    "roll": ("velocity(touching point of {B} over {A}) . {0}_{A}", "", ""),
}

#: joints that hold the rows of another one, with its parameters
SAME_ROWS = {"belt": ("gear", {"radius": 0.3, "radius2": -0.5, "pressure": 0.0, "side": 1.0})}

#: sections, and entries: name | other names | what the example shows | its bodies; then the rest of the example; or
#: name | function | what the number is | how it is asked for | what is printed
EXAMPLES = """
# Simple joints
## spherical | ball joint | let go, it begins to turn with m g r/(I + m r^2) = 9.80665*0.5/0.35 | a: (0.5, 0, 0)
m.spherical("ball", m.ground, a, at=(0, 0, 0))
print(f'{vc.assemble(m)["a.alpha_y"]:.4f}')  # 14.0095
## revolute | hinge, pin | a quarter turn takes the body from x = 0.5 to y = 0.5 | a: (0.5, 0, 0)
m.revolute("O", m.ground, a, at=(0, 0, 0), axis="z")
print(f'{vc.assemble(m, given={"O.angle": np.pi / 2})["a.y"]:.3f}')  # 0.500
## cylindrical | shaft in a sleeve | a quarter turn while it rises by 0.2 m | a: (0.5, 0, 0)
m.cylindrical("O", m.ground, a, at=(0, 0, 0), axis="z")
print(f'{vc.assemble(m, given={"O.angle": np.pi / 2, "O.travel": 0.2})["a.z"]:.3f}')  # 0.200
## prismatic | slider, translational | down a slope of 45 degrees: g/2 sideways | a: (0, 0, 0)
m.prismatic("slope", m.ground, a, at=(0, 0, 0), axis=(1, 0, -1))
print(f'{vc.assemble(m)["a.ax"]:.4f}')  # 4.9033
## universal | Hooke, Cardan | here the cosine of the bend | a, b: (0, 0, 0), (0, 0, 0), axes=["x", (0.6, 0.8, 0)]
m.universal("cross", a, b, at=(0, 0, 0), axis="z", axis2=(-0.8, 0.6, 0))
print(f'{vc.assemble(m, given={"A.angle.rate": 1.0})["B.angle.rate"]:.4f}')  # 0.6000
## planar | plane on plane | moved and turned on a table | a: (0, 0, 0)
m.planar("table", m.ground, a, at=(0, 0, 0), axis="z")
print(f'{vc.assemble(m, given={"table.x": 0.3, "table.y": 0.1, "table.angle": 1.0})["a.y"]:.3f}')  # 0.100
## fixed | weld, bracket | a cantilever carries a moment: the weight times 0.5 m | a: (0.5, 0, 0)
m.fixed("weld", m.ground, a, at=(0, 0, 0))
print(f'{vc.simulate(m, until=0.1).reaction("weld").torque[-1, 1]:.3f}')  # -4.903
## guide | point on a line, bead on a wire, inline | free fall along a wire: -g/2 after a second | a: (0, 0, 0)
m.guide("wire", m.ground, a, at=(0, 0, 0), axis="z")
print(f'{vc.simulate(m, until=1.0)["wire.travel"][-1]:.4f}')  # -4.9033
## point_on_plane | inplane | the plane carries the weight | a: (0, 0, 0)
m.point_on_plane("ice", m.ground, a, at=(0, 0, 0), axis="z")
print(f'{vc.simulate(m, until=0.1).reaction("ice").force[-1, 2]:.3f}')  # 9.807
## distance | massless rod with two balls | drawn 0.1 m too short; assembly finds the length | a: (0, 0, -0.3)
m.distance("rod", m.ground.frame((0, 0, 0)), a.frame((0, 0, -0.3)), length=0.4)
print(f'{vc.assemble(m)["a.z"]:.4f}')  # -0.4000
## parallel | parallel axes | it may go anywhere, and turn about the axis | a: (0, 0, 0)
m.parallel("upright", m.ground, a, axis="z")
print(vc.mobility(m).dof)  # 4
## perpendicular | axes at right angles | one freedom of six is taken | a: (0, 0, 0)
m.perpendicular("square", m.ground, a, axis="z", axis2="x")
print(vc.mobility(m).dof)  # 5
## orientation | no turning | pushed off its centre, it moves with F/m and does not turn | a: (0, 0, 0)
m.orientation("kept", m.ground, a)
m.force("push", a.frame((0, 1, 0)), (2, 0, 0))
print(f'{vc.assemble(m)["a.ax"]:.3f} {abs(vc.assemble(m)["a.alpha_z"]):.3f}')  # 2.000 0.000
## slot | pin in a slot, Scotch yoke | the yoke moves by r (cos(60 degrees) - 1) | a, b: (0, 0, 0), (0, 0, 0), axes="z"
m.prismatic("rail", m.ground, b, at=(0, 0, 0), axis="x")
m.slot("pin", b, a, at=(0.1, 0, 0), axis="z", along="y")
print(f'{vc.assemble(m, given={"A.angle": np.pi / 3})["rail.travel"]:.4f}')  # -0.0500
## spherical_revolute | massless link with a hinge and a ball | drawn 0.1 m too short | a: (0.3, 0.4, 0)
m.spherical_revolute("link", m.ground, a, at=(0, 0, 0), axis="z", end=(0.3, 0.4, 0), length=0.6)
print(f'{np.hypot(vc.assemble(m)["a.x"], vc.assemble(m)["a.y"]):.4f}')  # 0.6000
# Transmissions and couplings
## oldham | coupling of parallel shafts | 10 mm apart, they turn alike | a, b: (0, 0, 0), (0.01, 0, 0), axes="zz"
m.oldham("coupling", a, b, at=(0, 0, 0), axis="z")
print(f'{vc.assemble(m, given={"A.angle": 1.2})["B.angle"]:.4f}')  # 1.2000
## constant_velocity | homokinetic, Rzeppa | the same speed | a, b: (0, 0, 0), (0, 0, 0), axes=["x", (0.6, 0.8, 0)]
m.constant_velocity("cv", a.frame((0, 0, 0), z="x", x="z"), b.frame((0, 0, 0), z=(0.6, 0.8, 0), x="z"))
print(f'{vc.assemble(m, given={"A.angle.rate": 1.0})["B.angle.rate"]:.4f}')  # 1.0000
## elbow | cross with any angle | drawn at 45 degrees, its axes stay so | a: (0, 0, 0)
knee = m.elbow("knee", m.ground, a, at=(0, 0, 0), axis="z", axis2=(1, 0, 1))
m.measure("cosine", vc.cosine("z", "z", knee.a, knee.b))
print(f'{vc.simulate(m, until=1.0)["cosine"][-1]:.4f}')  # 0.7071
## screw | nut, spindle, helical | driven for three turns | a: (0, 0, 0)
m.screw("thread", m.ground, a, at=(0, 0, 0), axis="z", pitch=0.02)
m.drive("thread.angle", "2*pi*t")
print(f'{vc.simulate(m, until=3.0)["thread.travel"][-1]:.4f}')  # 0.0600
## gear | spur, planetary, internal | half as fast, the other way | a, b: (0, 0, 0), (0.3, 0, 0), axes="zz"
m.gear("mesh", a, b, at=(0, 0, 0), at2=(0.3, 0, 0), axis="z", ratio=2)
print(f'{vc.assemble(m, given={"A.angle": 1.0})["B.angle"]:.4f}')  # -0.5000
## belt | chain, pulleys | the larger pulley turns half as fast | a, b: (0, 0, 0), (0.5, 0, 0), axes="zz"
m.belt("belt", a, b, at=(0, 0, 0), at2=(0.5, 0, 0), axis="z", radius=0.1, radius2=0.2)
print(f'{vc.assemble(m, given={"A.angle": 1.0})["B.angle"]:.4f}')  # 0.5000
## bevel_gear | conical gear | shafts at right angles, speeds 2 to 1 | a, b: (0, 0, 0), (0, 0, 0), axes="zx"
m.bevel_gear("mesh", a, b, at=(0, 0, 0), axis="z", axis2="x", ratio=2)
print(f'{abs(vc.assemble(m, given={"A.angle.rate": 3.0})["B.angle.rate"]):.4f}')  # 1.5000
## rack_and_pinion | steering rack | 0.05 m for each rad | a, b: (0, 0, 0), (0, -0.05, 0), axes="z"
m.prismatic("rail", m.ground, b, at=(0, -0.05, 0), axis="x")
m.rack_and_pinion("rack", a, b, at=(0, 0, 0), axis="z", along="x", radius=0.05)
print(f'{vc.assemble(m, given={"A.angle": 2.0})["rail.travel"]:.4f}')  # 0.1000
# Cams and curves
## cam | disc cam | half a turn later, the smallest radius | a, b: (0, 0, 0), (0.12, 0, 0), axes="z"
m.prismatic("rod", m.ground, b, at=(0.12, 0, 0), axis="x")
m.cam("cam", a, b, at=(0, 0, 0), axis="z", along="x", profile="0.1 + 0.02*cos(t)", point=(0.12, 0, 0))
print(f'{vc.assemble(m, given={"A.angle": np.pi})["b.x"]:.4f}')  # 0.0800
## flat_cam | tappet | of a disc the face stands at R + e cos(angle) | a, b: (0, 0, 0), (0.06, 0, 0), axes="z"
m.prismatic("rod", m.ground, b, at=(0.06, 0, 0), axis="x")
disc = "0.01*cos(t) + sqrt(0.05^2 - (0.01*sin(t))^2)"  # R = 0.05, its centre e = 0.01 off
m.flat_cam("cam", a, b, at=(0, 0, 0), axis="z", along="x", profile=disc, point=(0.06, 0, 0), normal="x")
print(f'{vc.assemble(m, given={"A.angle": np.pi / 3})["b.x"]:.4f}')  # 0.0550
## point_on_curve | bead on a bent wire, track | on the parabola y = x^2 | a: (0, 0, 0)
m.point_on_curve("wire", m.ground, a, at=(0, 0, 0), axis="z", along="x", point=(0, 0, 0), y="t^2")
print(f'{vc.assemble(m, given={"wire.x": 0.5})["a.y"]:.4f}')  # 0.2500
# Rolling
## rolling_disc | wheel, coin | a motor on the wheel: M r/(I + m r^2) | a: (0, 0, 0.3)
m.rolling_disc("wheel", m.ground, a, centre=(0, 0, 0.3), axle="y", radius=0.3)
m.torque("motor", a, (0, 0.19, 0))
print(f'{vc.assemble(m)["a.ax"]:.4f}')  # 0.3000
## rolling_ball | ball on a plane | pushed at its centre: F r^2/(I + m r^2) | a: (0, 0, 0.3)
m.rolling_ball("ball", m.ground, a, centre=(0, 0, 0.3), radius=0.3)
m.force("push", a, (1.9, 0, 0))
print(f'{vc.assemble(m)["a.ax"]:.4f}')  # 0.9000
## knife_edge | skate, blade | only the part of the force along the blade moves it | a: (0, 0, 0)
m.knife_edge("skate", m.ground, a, at=(0, 0, 0), along="x")
m.force("push", a, (3, 4, 0))
print(f'{vc.assemble(m)["a.ax"]:.3f} {abs(vc.assemble(m)["a.ay"]):.3f}')  # 3.000 0.000
# Drives
## drive | motor, prescribed motion | the same motion at three levels | -
ends = []
for level, f in {"position": "0.5*t^2", "velocity": "t", "acceleration": "1"}.items():
    m, a = bodies((0, 0, 0), axes="z")
    m.drive("A.angle", f, level=level)
    ends.append(round(float(vc.simulate(m, until=1.0)["A.angle"][-1]), 6))
print(ends)  # [0.5, 0.5, 0.5]
## trajectory | point led along a path | the acceleration on a circle: r w^2 | a: (0.3, 0, 0)
m.trajectory("lead", a.frame((0.3, 0, 0)), ("0.3*cos(2*t)", "0.3*sin(2*t)", None))
print(f'{-vc.assemble(m)["a.ax"]:.4f}')  # 1.2000
## hold | held measure, sum of measures | 0.01 m for each rad | a: (0, 0, 0)
c = m.cylindrical("nut", m.ground, a, at=(0, 0, 0), axis="z")
m.hold("thread", c["travel"] - 0.01 * c["angle"])
print(f'{vc.assemble(m, given={"nut.angle": 3.0})["nut.travel"]:.4f}')  # 0.0300
## formula | equation of your own | a point on an ellipse | a: (1.5, 0.5, 0)
A, B = m.ground.frame((0, 0, 0)), a.frame((1.5, 0.5, 0))
x, y = m.measure("x", vc.along("x", A, B)), m.measure("y", vc.along("y", A, B))
m.hold("ellipse", vc.formula("x^2/4 + y^2", x=x, y=y), 1)
print(f'{vc.assemble(m, given={"x": 1.2})["y"]:.4f}')  # 0.8000
## couple | transmission | 2 A.angle + B.angle stays zero | a, b: (0, 0, 0), (0.3, 0, 0), axes="zz"
m.couple("ratio", {"A.angle": 2, "B.angle": 1})
print(f'{vc.assemble(m, given={"A.angle": 0.5})["B.angle"]:.4f}')  # -1.0000
## rotor | armature, reflected inertia of a motor, flywheel | 1 N m on 0.1 + 0.001*10^2 kg m2 | a: (0, 0, 0), axes="z"
m.rotor("A.angle", 0.001, ratio=10, name="motor")
m.actuator("torque", "A.angle", 1.0)
print(f'{vc.assemble(m)["a.alpha_z"]:.4f}')  # 5.0000
## switch | latch, clutch, release | held for a second, it then falls for another | a: (0, 0, 0)
m.fixed("latch", m.ground, a, at=(0, 0, 0))
m.switch("latch", on=False, at=1.0)
print(f'{vc.simulate(m, until=2.0)["a.z"][-1]:.4f}')  # -4.9033
# Functions of a few numbers
## Constant | functions.Constant(3.0) | the same at any time | f(7.0) | 3
## Line | functions.Line(0, 2, low=0, high=10) | it goes on beyond its end | f(3.0) | 15
## Ramp | functions.Ramp(slope=2.0, start=1.0) | 2 s after its start | f(3.0) | 4
## Polynomial | functions.Polynomial([1, 2, 3]) | its slope 2 + 6 t | f.derivatives(2.0)[1] | 14
## Sine | functions.Sine(0.1, 6.0) | the amplitude, a quarter of a period in | f(np.pi / 12) | 0.1
## Cosine | functions.Cosine(0.1, 6.0) | the acceleration -amplitude frequency^2 | f.derivatives(0.0)[2] | -3.6
## Tan | functions.Tan(1.0, 1.0) | at 45 degrees | f(np.pi / 4) | 1
## Chirp | functions.Chirp(1.0, first=0, last=4 * np.pi, end=2.0) | this one is sin(pi t^2) | f(0.5) | 0.7071
## Expression | functions.Expression("A*exp(-t/T)", A=5, T=2) | after T it is A/e | f(2.0) | 1.839
## Traced | functions.Traced(lambda t: np.sin(t) ** 2) | its slope sin(2 t) | f.derivatives(np.pi / 4)[1] | 1
# Functions that jump
## Step | functions.Step(1.0, high=5.0) | at its time it is up | f(1.0) | 5
## Pulse | functions.Pulse(1, 3, value=5.0) | its area | f.integral(0, 9) | 10
## RampPulse | functions.RampPulse(0, 2, first=1, last=3) | its area | f.integral(-1, 9) | 4
# Motion laws
## SmoothStep | functions.SmoothStep(0, 2, high=3) | half way after half the time | f(1.0) | 1.5
## Sigma | functions.Sigma(0, 2, high=3) | largest f' T/rise | f.velocity_coefficient | 1.5
## Poly345 | functions.Poly345(0, 2, high=3) | largest f'' T^2/rise | f.acceleration_coefficient | 5.774
## Poly4567 | functions.Poly4567(0, 2, high=3) | largest f' T/rise | f.velocity_coefficient | 2.188
## ConstantAcceleration | functions.ConstantAcceleration(0, 2) | largest f'' T^2/rise | f.acceleration_coefficient | 4
## Cycloidal | functions.Cycloidal(0, 2, high=3) | largest f'' T^2/rise: 2 pi | f.acceleration_coefficient | 6.283
## Haversine | functions.Haversine(0, 2, high=3) | largest f' T/rise: pi/2 | f.velocity_coefficient | 1.571
## ModifiedTrapezoid | functions.ModifiedTrapezoid(0, 2) | 8 pi/(2 + pi) | f.acceleration_coefficient | 4.888
## SevenSegments | functions.SevenSegments(1.0, speed=1, acceleration=2, jerk=20) | h/v + v/a + a/j | f.duration | 1.6
# Curves by samples and control values
## Linear | functions.Linear([0, 1, 3], [0, 2, 2]) | half way up | f(0.5) | 1
## Spline | functions.Spline([0, 1, 2, 3], [0, 1, 8, 27], ends="not-a-knot") | 1.5^3 | f(1.5) | 3.375
## ENDS | functions.ENDS | how many there are | len(f) | 3
## Akima | functions.Akima(range(6), [0, 0, 0, 1, 1, 1]) | no overshoot | f.sample(np.linspace(0, 5, 99))[0].max() | 1
## Smoothing | functions.Smoothing(range(5), [0.1, 0.8, 2, 3.2, 3.9], 1e9) | its slope | f.derivatives(2.0)[1] | 1
## Recorded | functions.Recorded(vc.simulate(bodies((0, 0, 0))[0], until=1.0), "a.z") | free fall | f(0.5) | -1.226
## PiecewisePolynomial | functions.PiecewisePolynomial([0, 1, 2], [[0, 1], [1, -1]]) | up and down again | f(1.5) | 0.5
## BSpline | functions.BSpline([0, 0, 1, 1]) | half way between its ends | f(0.5) | 0.5
## Nurbs | functions.Nurbs([1, 1, 0], [1, np.sqrt(0.5), 1], degree=2) | an arc: cos(45 degrees) | f(0.5) | 0.7071
# Functions of functions
## Pieces | functions.Pieces([0, "t - 1", 2], [1, 3]) | from the second piece | f(2.5) | 1.5
## Sequence | functions.Sequence([functions.Sigma(0, 1), functions.Sigma(0, 2, high=3)]) | the rises add up | f(3.0) | 4
## Fillet | functions.Fillet("t", 2, 1.5, 2.5, order=2) | continuous derivatives | f.continuity().order | 2
## Repeat | functions.Repeat(functions.Cycloidal(0, 1), rise=True) | after the third period | f(3.0) | 3
## Mirror | functions.Mirror(functions.Ramp(1.0), time=1.0) | backwards: what was at 2 s is at 0 s | f(0.0) | 2
## Shifted | functions.Shifted(functions.Ramp(1.0), time=2, value=5) | 1 s after the later start | f(3.0) | 6
## Scaled | functions.Scaled(functions.Cycloidal(0, 1), time=4, value=3) | half way after 2 s | f(2.0) | 1.5
## Combined | functions.Sine(1, 2) * functions.Polynomial([0, 1]) | slope | f.derivatives(np.pi / 2)[1] | -3.142
# What every function can do
## Function | functions.Cycloidal(0, 1) | half of the rise, on average | f.integral(0, 1) | 0.5
## Continuity | functions.Sigma(0, 1).continuity() | velocity is continuous, acceleration not | f.order | 1
## Corner | functions.Ramp(2.0).continuity().corners[0] | by how much the slope jumps | f.jumps[1] | 2
## as_function | functions.as_function("2*t") | a text as a function | f(3.0) | 6
"""

#: equations that are not printed from definitions; empty where the docstring is the equation
SAYS = {
    "drive": "m = f(t), or m' = f(t) by level=\"velocity\", m'' = f(t) by \"acceleration\"",
    "trajectory": "x = f(t), y = g(t), z = h(t) of a point, in the world",
    "hold": "m = f(t), or c1 m1 + c2 m2 + ... = f(t)", "couple": "c1 m1 + c2 m2 + ... = f(t), or as drawn",
    "formula": "F(t, m1, m2, ...) = f(t), or G(t, m1, ...) + G1(t, m1, ...) m1' + ... = f(t)",
    "rotor": "adds 1/2 J (ratio m')^2 to the kinetic energy",
    "switch": "the equations of a joint or drive hold from a time on, or no longer",
    "Function": "f(t), f.derivatives(t), f.sample(times), f.integral(t0, t1), f.continuity(), f.plot()",
    "Ramp": "", "Sine": "", "Polynomial": "",
    "ENDS": "the words for `ends` of Spline: natural, clamped, not-a-knot",
    "Chirp": "linear: offset + amplitude sin(phase + first s + (last - first) s^2/(2 T)), s = t - start, 0 <= s <= T",
    "Linear": "y_i + (y_i+1 - y_i) (t - x_i)/(x_i+1 - x_i) from sample to sample",
    "Smoothing": "least sum of (y_i - f(x_i))^2 + penalty times integral of f''^2",
    "BSpline": "sum of control_i N_i(t), N_i the B-splines of the knots",
    "Nurbs": "(sum of weight_i control_i N_i(t)) / (sum of weight_i N_i(t)), N_i the B-splines of the knots",
    "Repeat": "f(t - n T), with rise + n (f(end) - f(start)); T = end - start, n = floor((t - start)/T)",
    "Line": "low + (high - low) (t - start)/(end - start)", "Sigma": "low + (high - low)*(3*x^2 - 2*x^3)",
    "Poly345": "low + (high - low)*(10*x^3 - 15*x^4 + 6*x^5)\nfor speeds and accelerations zero at both ends",
    "Poly4567": "low + (high - low)*(35*x^4 - 84*x^5 + 70*x^6 - 20*x^7)",
    "ConstantAcceleration": "low + (high - low)*(2*x^2)\nlow + (high - low)*(1 - 2*(1 - x)^2) from x = 0.5 on\n"
                            "for accelerate = decelerate = 0.5",
    "PiecewisePolynomial": DEFINITIONS["piecewise_polynomial"].__doc__,
    "Combined": "f + g, f - g, f * g, f / g, f**n, -f, f(g), also with numbers",
}

#: what stands above the entries of a section
ABOVE = {
    "Rolling": "A row with a velocity holds that velocity only, no position; freedoms are counted in velocities.",
    "Drives": "A drive holds a measure m at a function of time. Each equation takes one freedom.",
    "Functions of a few numbers": "All have exact first and second derivatives. A number or a text in t does as well.",
    "Motion laws": "From rest to rest. T = end - start, the rise is high - low, x = (t - start)/T from 0 to 1.",
}


def measure_text(m: Measure) -> str:
    """A measure as its equation."""
    A, B = "BA" if m.swapped else "AB"
    return ("-" if m.sign < 0 else "") + MEASURES[m.kind][0].format(*m.axes, A=A, B=B)


def factor_text(factor: float, p: Mapping[str, Any]) -> str:
    """A number with its sign, in the names of parameters."""
    lean = p.get("side", 0.0) * math.tan(p.get("pressure", 0.0))
    known = {"pitch/(2 pi)": p.get("pitch", 0.0) / (2 * math.pi), "side tan(pressure)": lean, **p, "": 1.0}
    names = {f"{abs(value):.12g}": name for name, value in known.items()}
    return f"{'-' if factor < 0 else '+'} {names[f'{abs(factor):.12g}']}".strip()


def row_text(row: Row, value: str, p: Mapping[str, Any]) -> str:
    """A row of a joint as its equation."""
    if isinstance(row, Formula):
        names = {**{n: measure_text(m) for n, m in row.inputs.items()}, **row.functions,
                 **{n: factor_text(c, p).removeprefix("+ ") for n, c in row.constants.items()}}
        return f"{row.text} = {value}, with " + ", ".join(f"{n} = {text}" for n, text in names.items())
    terms = row.terms if isinstance(row, Sum) else ((1.0, row),)
    found = " ".join(f"{factor_text(f, p)} {measure_text(m)}" for f, m in terms)
    return f"{found.removeprefix('+ ')} = {value}"


def joint_text(name: str) -> tuple[str, list[str], str]:
    """What a joint leaves free, its equations, and what their definition says of them."""
    kind, changed = SAME_ROWS.get(name, (name, {}))
    joint, p = CATALOGUE[kind], {**CATALOGUE[kind].parameters, **changed}
    wanted = inspect.signature(joint.held).parameters if callable(joint.held) else ()
    given = p or {n: ("y", "z") if n == "path" else n for n in wanted}
    rows = [row_text(r, "as drawn" if k in joint.drawn else "0", p) for k, r in enumerate(joint.rows(**given))]
    free = "; ".join(f"`{n}` = {measure_text(m)}" for n, m in joint.coordinates.items())
    more = inspect.getdoc(joint.held) if wanted else ""
    return f" leaves {joint.freedom} of 6 freedoms" + (f": {free}." if free else "."), rows, more or ""


def law_text(name: str) -> list[str]:
    """The equation of a drive or function, if its docstring is not one."""
    f = getattr(functions, name, None)
    if hasattr(f, "texts"):
        return [f"low + (high - low)*({text}){f' from x = {x:g} on' if x else ''}" for x, text in f.texts]
    own = DEFINITIONS.get(getattr(f, "__dict__", {}).get("kind", ""))
    says = SAYS.get(name, own.__doc__ if own else "")
    return [says] if says else []


def entry(name: str, also: str, code: list[str]) -> str:
    """The part of the page about one entry."""
    f = getattr(vc.Model, name, None) or getattr(functions, name, vc.formula)
    owner = "m" if hasattr(vc.Model, name) else "vc" if name in vc.__all__ else "vc.functions"
    leaves, rows, more = joint_text(name) if name in {*CATALOGUE, *SAME_ROWS} else ("", law_text(name), "")
    says, call = f"Also: {also}. " * bool(also) + (inspect.getdoc(f) or "") * callable(f), ""
    if any(f".{name}(" in line for line in code):
        s = inspect.signature(f)
        bare = s.replace(parameters=[p.replace(annotation=p.empty) for p in s.parameters.values()])
        call = f"`{owner}.{name}{bare.replace(return_annotation=s.empty)}`".replace("(self, ", "(")
        call = re.sub(r"\b(at2?|axis2?|along|end)=None", r"\1", call) if leaves else call
    text, example = ("\n".join([f"```{k}", *x, "```"]) if x else "" for k, x in (("text", rows), ("python", code)))
    return "\n\n".join(part for part in (f"### {name}", says, call + leaves, text, more, example) if part)


def examples() -> dict[str, dict[str, tuple[str, list[str]]]]:
    """By section and name: other names, and the lines of the example."""
    found: dict[str, dict[str, tuple[str, list[str]]]] = {}
    for line in EXAMPLES.strip().splitlines():
        if line.startswith("# "):
            section = found[line[2:]] = {}
        elif line.startswith("## ") and line.count(" | ") == 4:
            name, f, shows, asked, printed = line[3:].split(" | ")
            section[name] = "", [f"f = {f}", f"# {shows}", f'print(f"{{{asked}:.4g}}")  # {printed}']
        elif line.startswith("## "):
            name, also, shows, drawn = line[3:].split(" | ")
            names, _, points = drawn.partition(": ")
            section[name] = also, [f"m, {names} = bodies({points})"] if points else []
        else:
            section[name][1].extend([f"# {shows}", line] if line.startswith("print") else [line])
    return found


def page() -> str:
    """The whole page."""
    found, contents, parts = examples(), ["- [Measures](#measures)"], []
    methods = [(n, f) for n, f in inspect.getmembers(vc.Model, inspect.isfunction) if not n.startswith("_")]
    makers = {n for n, f in methods if f.__annotations__["return"] in MAKES} - {"pin"}  # which is revolute()
    wanted = {*CATALOGUE, *makers, *functions.__all__, "formula"} ^ {n for entries in found.values() for n in entries}
    if wrong := sorted(wanted | (set(EQUATIONS) - set(MEASURES))):
        raise SystemExit(f"catalogue: there is no example for these, or nothing for the example: {', '.join(wrong)}.")
    for section, entries in found.items():
        links = [f"[{n}](#{n.lower()})" + f" ({also})" * bool(also) for n, (also, _) in entries.items()]
        contents.append(f"- [{section}](#{section.lower().replace(' ', '-')}): {', '.join(links)}")
        parts += [f"## {section}", ABOVE.get(section, ""), *(entry(n, *given) for n, given in entries.items())]
    rows = ["|---|---|", *(f"| `vc.{call}` | `{equation}` |" for _, call, equation in MEASURES.values() if call)]
    first = INTRODUCTION.format(contents="\n".join(contents), measures="\n".join(["| measure | equation |", *rows]))
    return "\n\n".join(filter(None, [first.rstrip(), *parts])) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
