"""Models that are saved and read again."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np

import vincolo as vc
from vincolo.equations import measures as equations
from vincolo.model.measure import measure

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
DOCUMENTS = Path(__file__).resolve().parents[1] / "docs"


def new_models(names, seen):
    """The models among some names that were not seen before; they are, from now on."""
    new = [v for v in names.values() if isinstance(v, vc.Model) and not any(v is s for s in seen)]
    seen += new
    return new


def models_of_page(page, monkeypatch):
    """The models of a page of the documents, block by block, each once. What is drawn there is not wanted here."""
    monkeypatch.setattr("vincolo.report.write.report_html", lambda *given, **named: b"")
    monkeypatch.setattr("vincolo.plots.image._save", lambda *given: None)
    names, seen = {"__name__": "document"}, []
    for block in BLOCK.finditer((DOCUMENTS / f"{page}.md").read_text()):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(block[1], names)
        yield from new_models(names, seen)
    assert seen, f"docs/{page}.md builds no model"


def pendulum():
    m = vc.Model("pendulum")
    arm = m.body("arm", 2.0, (0.1, 0.2, 0.25), at=(0.3, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    return m


def all_kinds():
    """A model with what the documents leave out."""
    m = vc.Model("= odd: 'names' \u2028 \"and\" # signs", gravity=(1e-17, -0.0, 9.80665))
    one = m.body("no", vc.box((0.1, 0.2, 0.3), density=7850).moved((0.1, 0, 0), vc.Rotation.euler("zxz", 1, 2, 3)),
                 at=(1 / 3, 2 / 7, -0.0), orientation=(0.3, -0.2, 0.9, 0.1), velocity=(1, 2, 3))
    two = m.body("=1e3", 0.1 + 0.2, np.diag([3.0, 4, 5]) * 1e-5, at=(1, 0, 0), com=(0, 1e-300, 0.1))
    a = m.frame("\N{GREEK SMALL LETTER ALPHA}, {x}", one, (0, 0, 1), z=(1, 2, 3))
    b = two.frame((1, 1, 1), z="-x", x="y", name="own")
    free = two.frame(local=(0.1, 0.2, 0.3)).moving(x="0.1*t", angle=vc.Sine(1, 2), axis="y")
    O = m.universal("O", m.ground, one, at=(0, 0, 0), axis="x", axis2="y")  # noqa: E741
    m.elbow("E", one, two, at=(0.2, 0, 0), axis="z", axis2=(0, 1, 1), angle=1.1)
    m.distance("rod", a, b, length=1.5)
    m.measure("d", vc.distance(a, free))
    m.measure("turned", vc.angle(a, free, "z"))
    m.measure("back", measure(-equations.azimuth.reversed(), a, b))
    m.measure("sum", 2 * O["angle1"] - 3 * vc.cosine("x", "y", a, b))
    m.hold("first", vc.formula("k*sqrt(x^2 + y^2) - f(t) + k2", x=vc.along("x", a, b), y=vc.along("y", a, b), k=2.5,
                               k2=0.25, f=vc.Sine(1, 2)))
    m.drive(O["angle1"], "t", level="velocity")
    m.hold("rates", vc.formula("x_rate - 2*y_rate", x=vc.along("x", a, b), y=vc.azimuth(a, free)))
    m.hold("traced", vc.formula(lambda x, y: x * y - 1.0, x=vc.along("x", a, b), y=vc.along("z", a, b)))
    m.drive("O.angle2", 0.1, "other", level="acceleration")
    m.spring("s", b, m.ground.frame((9, 9, 9)), k=5.0, length=0.3, preload=-2)
    m.law("named", "d", "k*(d - d0) + c*dd", k=100.0, d0=0.3, c=5.0)
    m.actuator("between", "O.angle1", "2*k*t", k=3.0)
    m.law("curve", vc.along_world("z", a, b), vc.Spline([0, 1, 2], [0, 5, 7]))
    m.actuator("constant history", "O.angle2", vc.Constant(3.0))
    m.rotor("O.angle1", 1 / 3, ratio=-7.0)
    m.rotor("sum", 1e-5, name="flywheel")
    m.rotor(vc.along_world("z", a, b), 0.25, name="sledge")
    m.torque("twist", b, (0, "sin(t)", vc.Sine(1, 2)), axes="body")
    m.force("carried", free, (1, "sin(t)", 0))
    m.input("pedal", value=1 / 3, unit="N", between="linear")
    m.variable("gear", 2.0)
    m.sensor("felt.by it", "E.reaction.force + 2*no.vx - gear*named.force", value=1 / 3, unit="N")
    m.state("lag.of it", "(pedal - level)/T", -0.0, T=0.25, level=0.1, unit="N", size=3.0)
    m.state("first order", 0.0, 0.1)
    m.rate("first order", "gear*pedal - 2*x - d - O.angle1.rate", x=m.states["lag.of it"])
    m.law("odd", "O.angle1", "u*y*d + k*y_rate", u=m.states["first order"], y=vc.distance(a, b), k=3.0)
    m.actuator("also odd", "O.angle2", "pedal*gear - no.vx")
    m.stop("bounds", "O.angle1", at_least=-1 / 3, at_most=2.0, restitution=0.3)
    m.stop("rope", vc.distance(a, b), at_most=7.0, rest=1e-3)
    m.friction("pins", "O", 0.1, radius=0.01, length=0.02, mu_static=1 / 7, stribeck=0.1, viscous=0.2, end_radius=0.01)
    m.friction("creeps", "O", 0.1, along="angle2", radius=0.01, regularised=1e-3)
    m.friction("along it", "rope", 0.2, along=vc.along("x", a, b), rest=1e-4)
    m.friction("given", "O.angle1", 0.2, normal="gear*O.reaction.radial + 2")
    m.law("reads", "O.angle1", "k*O.reaction.force*dd", reactions="solved", k=0.1)
    m.switch("O", False, rows=[1, 3])
    m.switch("first", True, at=0.1)
    return m


CRANK = """
name: crank
parameters: {l: 0.3, half: "=l/2", w: 5}
bodies:
  crank:
    shape: {kind: cylinder, radius: 0.01, length: =l, axis: x, density: 7850}
    at: [=half, 0, 0]
  rod:
    shape:
      - {kind: box, size: [=2*l, 0.02, 0.02], mass: 1.0}
      - {kind: sphere, radius: 0.005, mass: 0.01, at: [0.1, 0, 0], hole: true}
    at: [=2*l, 0, 0]
    orientation: {axis: z, angle: 0, degrees: true}
  slider: {mass: 1e-1, inertia: 0.01, at: [=3*l, 0, 0]}
frames:
  tip: {on: slider, at: [=3*l, 0, 0.1]}
joints:
  O: {kind: revolute, a: ground, b: crank, at: [0, 0, 0], axis: z}
  A: {kind: revolute, a: crank, b: rod, at: [=l, 0, 0], axis: z}
  B: {kind: spherical, a: rod, b: slider, at: [=3*l, 0, 0]}
  C: {kind: prismatic, a: ground, b: slider, at: [=3*l, 0, 0], axis: x}
measures:
  reach: {kind: distance, between: [tip, {on: ground, at: [0, 0, 1]}]}
  both: {sum: [O.angle, {factor: -2, of: A.angle}]}
  ratio: {formula: x/l, of: {x: C.travel}}
drives:
  lead: {measure: O.angle, function: w*t}
springs:
  s: {between: [tip, {on: ground, at: [1, 0, 0]}], k: 100}
laws:
  friction: {measure: C.travel, force: c*dd + l, constants: {c: 2}}
actuators:
  push: {measure: C.travel, force: {kind: Sine, amplitude: 2, frequency: =w}}
loads:
  weight: {kind: force, where: slider, components: [0, 0, -1*t]}
switches:
  - {of: lead, on: false, at: 0.2}
"""


def crank(l=0.3, w=5.0):  # noqa: E741
    m = vc.Model("crank")
    one = m.body("crank", vc.cylinder(0.01, l, "x", density=7850), at=(l / 2, 0, 0))
    hole = vc.sphere(0.005, mass=0.01).moved((0.1, 0, 0))
    rod = m.body("rod", vc.box((2 * l, 0.02, 0.02), mass=1.0) - hole, at=(2 * l, 0, 0))
    slider = m.body("slider", 0.1, 0.01, at=(3 * l, 0, 0))
    tip = m.frame("tip", slider, (3 * l, 0, 0.1))
    O = m.revolute("O", m.ground, one, at=(0, 0, 0), axis="z")  # noqa: E741
    A = m.revolute("A", one, rod, at=(l, 0, 0), axis="z")
    m.spherical("B", rod, slider, at=(3 * l, 0, 0))
    C = m.prismatic("C", m.ground, slider, at=(3 * l, 0, 0), axis="x")
    m.measure("reach", vc.distance(tip, m.ground.frame((0, 0, 1))))
    m.measure("both", O["angle"] - 2 * A["angle"])
    m.measure("ratio", vc.formula("x/l", x=C["travel"], l=l))
    m.drive("O.angle", vc.Expression("w*t", w=w), "lead")
    m.spring("s", tip, m.ground.frame((1, 0, 0)), k=100)
    m.law("friction", "C.travel", "c*dd + l", c=2, l=l)
    m.actuator("push", "C.travel", vc.Sine(2, w))
    m.force("weight", slider, (0, 0, "-1*t"))
    m.switch("lead", False, at=0.2)
    return m
