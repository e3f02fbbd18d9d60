"""Every kind of part of the combination matrix: a function that adds it to a mechanism, or says why it does not fit.

The sizes of parts follow from the mechanism (its force, length and coordinate); bounds of stops follow from the
motion of the bare mechanism, so that the stop is met in the middle of the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from machines import MECHANISMS, Mechanism

import vincolo as vc
from mechanisms import join

CARDAN_AXES = {"axis": np.array([0.0, 1.0, 0.0]), "axis2": np.array([1.0, 0.0, 0.0])}
ADDED_JOINTS = ("spherical", "revolute", "cylindrical", "prismatic", "universal", "planar", "fixed", "guide",
                "point_on_plane", "distance", "parallel", "perpendicular", "orientation", "slot", "oldham",
                "constant_velocity", "elbow", "spherical_revolute", "screw")
FRICTION_JOINTS = ("revolute", "prismatic", "cylindrical", "universal", "planar", "spherical")
MU = 0.1


Attach = Callable[[Mechanism], None]
Misfit = Callable[[Mechanism], str]


@dataclass(frozen=True)
class Part:
    """A kind of part: what adds it, marks of its mechanics, and why it does not fit a mechanism (empty if it does)."""

    name: str
    attach: Attach
    marks: frozenset[str]
    misfit: Misfit


PARTS: dict[str, Part] = {}


def part(name: str, *marks: str, misfit: Misfit = lambda machine: "") -> Callable[[Attach], Attach]:
    """Registers a part; its marks select judges and rules, such as "friction", "unilateral", "event"."""
    def register(attach: Attach) -> Attach:
        PARTS[name] = Part(name, attach, frozenset(marks), misfit)
        return attach
    return register


def with_part(mechanism: str, name: str) -> Mechanism:
    """A mechanism with a part."""
    machine = MECHANISMS[mechanism]()
    PARTS[name].attach(machine)
    return machine


def fits(mechanism: str, name: str) -> str:
    """Empty if a part fits, or else the reason."""
    return PARTS[name].misfit(bare_machine(mechanism))


@cache
def bare_machine(mechanism: str) -> Mechanism:
    """A mechanism without a part, to look at."""
    return MECHANISMS[mechanism]()


def blocks_a_drive(machine: Mechanism) -> str:
    return "it would block the drive" if machine.driven else ""


def excursion(machine: Mechanism) -> tuple[float, float, float]:
    """Start, lowest and highest value of the coordinate of the bare mechanism."""
    return machine.excursion or _excursion(machine.name)


@cache
def _excursion(mechanism: str) -> tuple[float, float, float]:
    machine = MECHANISMS[mechanism]()
    system = vc.compile(machine.model)
    result = vc.simulate(system, machine.until, start=vc.assemble(system, machine.rates), outputs=60)
    q = result[machine.coordinate]
    return float(q[0]), float(q.min()), float(q.max())


def bound_of(machine: Mechanism) -> dict[str, float]:
    """The bound of a stop at 45 % of the excursion; of a driven mechanism beyond it."""
    start, low, high = excursion(machine)
    up = high - start >= start - low
    reach = high - start if up else low - start
    bound = start + (1.05 if machine.driven else 0.45) * reach
    return {"at_most" if up else "at_least": bound}


def added_body(machine: Mechanism, kind: str = "", name: str = "extra") -> vc.Body:
    """A small body at the tip, with a joint of a kind to the moving body."""
    at, size = np.array(machine.tip), 0.3 * machine.length
    mass = 0.1 * machine.force / 9.81
    body = machine.model.body(name, mass, mass * size**2 * np.array([0.3, 0.4, 0.2]),
                              at=at + size * np.array([0.3, 0.1, -1]))
    if kind:
        join(machine.model, kind, f"{name} joint", machine.moving, body, size, at=at, **CARDAN_AXES)
    return body


def tip_frame(machine: Mechanism) -> vc.Frame:
    return machine.moving.frame(machine.tip)


def ground_frame(machine: Mechanism, dx: float = 0.0, dz: float = 0.0) -> vc.Frame:
    x, y, z = machine.tip
    return machine.model.ground.frame((x + dx, y, z + dz))


def named_tip(machine: Mechanism) -> str:
    machine.model.frame("tip", machine.moving, machine.tip)
    return "tip"


# joints ---------------------------------------------------------------------------------------------------------------

def _add_joint(kind: str) -> None:
    @part(f"{kind} joint", "smooth")
    def attach(machine: Mechanism) -> None:
        body = added_body(machine, kind)
        if kind == "constant_velocity":  # a boot that keeps it from folding back, where its twist is not defined
            joint = machine.model.joints["extra joint"]
            stiff = 20 * body.mass * machine.length * 9.81
            machine.model.spring("boot", vc.cosine("z", "z", joint.a, joint.b), k=stiff, length=1.0)


for _kind in ADDED_JOINTS:
    _add_joint(_kind)


@part("gear pair", "smooth", misfit=lambda machine: "" if machine.turns else "no shaft turns with the coordinate")
def gear_pair(machine: Mechanism) -> None:
    m, size = machine.model, 0.3 * machine.length
    body = m.body("extra", 0.05 * machine.force / 9.81, 1e-3 * machine.force / 9.81 * size**2, at=(0, 1.0, 0))
    m.revolute("extra joint", m.ground, body, at=(0, 1.0, 0), axis="y")
    m.couple("mesh pair", {"extra joint.angle": 1.0, machine.coordinate: -2.0})


# forces ---------------------------------------------------------------------------------------------------------------

@part("spring", "smooth")
def spring(machine: Mechanism) -> None:
    k = machine.force / machine.length
    anchor = ground_frame(machine, 0.4 * machine.length, machine.length)
    machine.model.spring("extra strut", anchor, tip_frame(machine), k=k, c=0.02 * k, length=0.8 * machine.length)


@part("spring on a coordinate", "smooth")
def coordinate_spring(machine: Mechanism) -> None:
    k = machine.unit_force / (1.0 if machine.turns else machine.length)
    machine.model.spring("coordinate spring", machine.coordinate, k=k, c=0.02 * k)


@part("law", "smooth")
def law(machine: Mechanism) -> None:
    machine.model.law("drag law", machine.coordinate, "a*d + b*dd*abs(dd)", a=machine.unit_force,
                      b=0.1 * machine.unit_force)


@part("spline law", "smooth")
def spline_law(machine: Mechanism) -> None:
    start, low, high = excursion(machine)
    x = np.linspace(low - 0.1, high + 0.1, 5)
    machine.model.law("curve", machine.coordinate, vc.functions.Spline(x, 0.5 * machine.unit_force * np.sin(3 * x)))


@part("actuator over the mechanism", "smooth")
def actuator(machine: Mechanism) -> None:
    machine.model.actuator("servo extra", machine.coordinate, f"F*sin(9*t) - 0.1*F*{machine.body}.vx",
                           F=0.3 * machine.unit_force)


@part("Python law", "smooth", "python")
def python_law(machine: Mechanism) -> None:
    def resist(d, dd, k):
        return k * np.tanh(dd) if dd > 0 else 0.5 * k * np.tanh(dd)  # decides with if: called, not traced

    machine.model.law("python", machine.coordinate, resist, k=0.2 * machine.unit_force)


@part("force", "smooth")
def force(machine: Mechanism) -> None:
    machine.model.force("load extra", tip_frame(machine), (0.3 * machine.force, f"{0.1 * machine.force!r}*sin(8*t)", 0),
                        axes="body")


@part("torque", "smooth")
def torque(machine: Mechanism) -> None:
    size = 0.2 * machine.force * machine.length
    machine.model.torque("twist", machine.moving, (0.1 * size, f"{size!r}*cos(6*t)", 0.1 * size))


@part("bushing", "smooth")
def bushing(machine: Mechanism) -> None:
    k = machine.force / machine.length
    turn = 0.2 * machine.force * machine.length
    machine.model.bushing("rubber", ground_frame(machine), tip_frame(machine), k=[k, k, k, turn, turn, turn],
                          c=[0.01 * k] * 3 + [0.01 * turn] * 3)


@part("general force", "smooth")
def general_force(machine: Mechanism) -> None:
    machine.model.general_force("general", ground_frame(machine), tip_frame(machine),
                                (f"{0.2 * machine.force!r}*sin(7*t)", 0, 0.1 * machine.force),
                                (0, 0.02 * machine.force * machine.length, 0))


@part("field", "smooth")
def field(machine: Mechanism) -> None:
    machine.model.field("field", tip_frame(machine), ("-k*x", "-k*y", "-0.3*k*z_rate"), k=0.5 * machine.force)


@part("drag", "smooth")
def drag(machine: Mechanism) -> None:
    machine.model.drag("air", tip_frame(machine), 0.1 * machine.force, wind=(0.3, 0, 0))


@part("table force", "smooth")
def table_force(machine: Mechanism) -> None:
    start, low, high = excursion(machine)
    x, f = [low - 0.2, start, high + 0.2], 0.3 * machine.unit_force
    machine.model.table_force("table", machine.coordinate, x, [-20.0, 0.0, 20.0], [[-f, 0, f], [-f, 0, f], [-f, 0, f]])


@part("motor", "smooth")
def motor(machine: Mechanism) -> None:
    f = 0.3 * machine.unit_force
    machine.model.motor("extra motor", machine.coordinate, [-50.0, 0.0, 50.0], [1.5 * f, f, 0.2 * f],
                        control="sin(5*t)")


@part("force in space", "smooth")
def force_in_space(machine: Mechanism) -> None:
    machine.model.force_in_space("jet", machine.body, machine.tip, (0.2 * machine.force, 0, 0))


@part("rotor", "smooth")
def rotor(machine: Mechanism) -> None:
    size = machine.force / 9.81 * (machine.length**2 if machine.turns else 1.0)
    machine.model.rotor(machine.coordinate, 0.01 * size, ratio=4.0, name="flywheel")


@part("journal bearing", "smooth")
def journal_bearing(machine: Mechanism) -> None:
    at = (0.0, 3.0, 0.0)
    body = machine.model.body("shaft", 0.5, 1e-3, at=at)
    machine.model.prismatic("shaft guide", machine.model.ground, body, at=at, axis="z")
    machine.model.journal_bearing("film", machine.model.ground.frame(at, z="y"), body.frame(at, z="y"), radius=0.02,
                                  length=0.02, clearance=3e-4, viscosity=0.05, tilt=False)


@part("moving frame", "smooth")
def moving_frame(machine: Mechanism) -> None:
    k = machine.force / machine.length
    base = ground_frame(machine, 0, machine.length).moving(x=vc.functions.Sine(0.1 * machine.length, 9.0))
    machine.model.spring("carried spring", vc.along("x", base, tip_frame(machine)), k=k, c=0.02 * k, length=0.0)


# friction -------------------------------------------------------------------------------------------------------------

def _friction_numbers(machine: Mechanism, kind: str) -> dict[str, float]:
    if kind in ("prismatic", "planar"):
        return {}
    return {"radius": 0.05 * machine.length}


def _add_friction(kind: str) -> None:
    @part(f"friction in a {kind} joint", "friction", "reactions")
    def attach(machine: Mechanism) -> None:
        joint = machine.joint_of(kind)
        if joint is None:
            added_body(machine, kind)
            joint = machine.model.joints["extra joint"]
        machine.model.friction("dry", joint.name, MU, **_friction_numbers(machine, kind))


for _kind in FRICTION_JOINTS:
    _add_friction(_kind)


def pins_and_guides(machine: Mechanism) -> list[str]:
    return [name for name, joint in machine.model.joints.items() if joint.kind in ("revolute", "prismatic", "planar")]


@part("friction in every pin and guide", "friction", "reactions",
      misfit=lambda machine: "" if len(pins_and_guides(machine)) > 1 else "it has one: that is friction in a joint")
def friction_everywhere(machine: Mechanism) -> None:
    for name in pins_and_guides(machine):
        kind = machine.model.joints[name].kind
        machine.model.friction(f"dry {name}", name, 0.05, **_friction_numbers(machine, kind))


def no_pin_or_guide(machine: Mechanism) -> str:
    return "" if pins_and_guides(machine) else "it has no pin and no guide"


@part("friction with a Stribeck curve", "friction", "reactions", misfit=no_pin_or_guide)
def stribeck(machine: Mechanism) -> None:
    joint = machine.joint_of("revolute") or machine.joint_of("prismatic") or machine.joint_of("planar")
    machine.model.friction("dry", joint.name, 0.06, mu_static=0.09, stribeck=0.2,
                           viscous=1e-3 * machine.unit_force, **_friction_numbers(machine, joint.kind))


@part("friction with a load of its own", "friction")
def measured_friction(machine: Mechanism) -> None:
    machine.model.friction("dry", machine.coordinate, 0.3, normal=0.5 * machine.unit_force)


@part("friction on a stop", "friction", "unilateral", "reactions")
def stop_friction(machine: Mechanism) -> None:
    body = machine.model.body("puck", 0.05 * machine.force, 0.01, at=(0, 2, 0.001), velocity=(0.5, 0, -0.05))
    machine.model.orientation("puck upright", machine.model.ground, body)
    machine.model.stop("table", "puck.z", at_least=0.0)
    machine.model.friction("dry", "table", 0.3, along="puck.x")
    machine.model.spring("tether", vc.along("x", machine.model.ground.frame((0, 2, 0)), tip_frame(machine)),
                         k=0.1 * machine.force / machine.length)


@part("regularised friction", "reactions", misfit=no_pin_or_guide)
def regularised(machine: Mechanism) -> None:
    joint = machine.joint_of("revolute") or machine.joint_of("prismatic") or machine.joint_of("planar")
    machine.model.friction("smooth friction", joint.name, MU, regularised=0.05,
                           **_friction_numbers(machine, joint.kind))
