"""Parts with random sizes and places for random mechanisms, besides those of the combination matrix, whose sizes are
fixed: friction in any joint that takes it, stops on any coordinate and point, ropes, play, contact, events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from machines import Mechanism
from parts import added_body
from sketch import Sketch

import vincolo as vc
from mechanisms import unit

PINS = {"revolute": "angle", "prismatic": "travel", "cylindrical": "", "universal": "", "planar": "slip",
        "spherical": "turn"}


@dataclass
class Fitting:
    """A random mechanism while parts are added to it: the numbers of its sketch, and a tag for names."""

    machine: Mechanism
    sketch: Sketch
    ranges: dict[str, tuple[float, float, float]]  # start, lowest and highest value of all coordinates
    tag: str = ""
    marks: set[str] = field(default_factory=set)

    @property
    def model(self) -> vc.Model:
        return self.machine.model

    def named(self, word: str) -> str:
        return f"{word}{self.tag}"

    @property
    def free_coordinates(self) -> list[str]:
        """Coordinates that no drive prescribes by itself."""
        return [name for name in self.ranges if f"{name}.drive" not in self.model.holds]

    def moving_body(self) -> vc.Body:
        return self.sketch.pick(list(self.model.bodies.values()))

    def point_of(self, body: vc.Body, size: float = 0.6) -> np.ndarray:
        """A random world point near the centre of mass of a body as drawn."""
        return body.at + body.orientation @ body.com + size * self.machine.length * unit(self.sketch.rng)

    def frames(self) -> tuple[vc.Frame, vc.Frame]:
        """Frames on two bodies, one of which may be the ground."""
        s = self.sketch
        bodies = [*self.model.bodies.values(), self.model.ground]
        a, b = s.rng.choice(len(bodies), size=2, replace=False)
        p = self.point_of(bodies[min(a, b)])
        q = p + s.between(0.3, 1.2) * self.machine.length * unit(s.rng)
        return bodies[min(a, b)].frame(p), bodies[max(a, b)].frame(q)

    def unit_of(self, coordinate: str) -> tuple[float, float]:
        """Sizes of a coordinate and of the force along it."""
        length = self.machine.length
        return (1.0, self.machine.force * length) if "angle" in coordinate else (length, self.machine.force)


Add = Callable[[Fitting], None]


@dataclass(frozen=True)
class Kind:
    """A kind of part: what adds it, marks of its mechanics as in the matrix, and whether it fits."""

    add: Add
    marks: frozenset[str]
    fits: Callable[[Fitting], bool]


KINDS: dict[str, Kind] = {}


def kind(name: str, *marks: str, fits: Callable[[Fitting], bool] = lambda f: True) -> Callable[[Add], Add]:
    """Registers a kind of part."""
    def register(add: Add) -> Add:
        KINDS[name] = Kind(add, frozenset(marks), fits)
        return add
    return register


def has_free_coordinate(f: Fitting) -> bool:
    return bool(f.free_coordinates)


def is_free(f: Fitting) -> bool:
    """Whether a coordinate is free to be hit."""
    return bool(f.free_coordinates) and not f.machine.driven


def is_tree_with_two(f: Fitting) -> bool:
    """Whether two coordinates are independent: joints form a tree, and nothing else ties or drives them."""
    reached, joints = {"ground"}, list(f.model.joints.values())
    if f.model.holds or len({name.split(".")[0] for name in f.ranges}) < 2:
        return False
    while joints:
        tree = [j for j in joints if len({j.a.body.name, j.b.body.name} & reached) == 1]
        if not tree:
            return False
        reached |= {tree[0].a.body.name, tree[0].b.body.name}
        joints.remove(tree[0])
    return True


# friction -------------------------------------------------------------------------------------------------------------

def rubbing_joints(f: Fitting) -> list[vc.Joint]:
    return [j for j in f.model.joints.values() if j.kind in PINS]


@kind("random friction in joints", "friction", "reactions", fits=lambda f: bool(rubbing_joints(f)))
def friction_in_joints(f: Fitting) -> None:
    s, joints = f.sketch, rubbing_joints(f)
    chosen = [j for j in joints if s.chance(0.5)] or [s.pick(joints)]
    for joint in chosen:
        mu, L = s.pick([0.02, 0.1, 0.2, 0.4]), f.machine.length
        numbers = {"mu_static": mu * s.pick([1.0, 1.0, 1.3]), "length": s.pick([0.0, 0.0, 0.6 * L])}
        if joint.kind not in ("planar",) or s.chance(0.3):
            numbers["radius"] = s.between(0.02, 0.1) * L
        if joint.kind == "spherical":
            del numbers["length"]
        if joint.kind == "revolute" and s.chance(0.3):
            numbers["end_radius"] = 0.03 * L
        if numbers["mu_static"] > mu and s.chance(0.5):
            numbers["stribeck"] = 0.2
        f.model.friction(f"dry_{joint.name}_{f.tag}", joint.name, mu, **numbers)


@kind("friction with a random load", "friction", fits=has_free_coordinate)
def loaded_friction(f: Fitting) -> None:
    s, coordinate = f.sketch, f.sketch.pick(f.free_coordinates)
    f.model.friction(f.named("loaded"), coordinate, s.pick([0.1, 0.5]),
                     normal=s.between(0.05, 1.0) * f.unit_of(coordinate)[1])


# stops ----------------------------------------------------------------------------------------------------------------

@kind("two-sided stop", "unilateral", fits=has_free_coordinate)
def two_sided_stop(f: Fitting) -> None:
    s, coordinate = f.sketch, f.sketch.pick(f.free_coordinates)
    start, low, high = f.ranges[coordinate]
    margin = 0.02 * f.unit_of(coordinate)[0]
    f.model.stop(f.named("bounds"), coordinate, at_least=start - s.between(0.2, 1.2) * (start - low) - margin,
                 at_most=start + s.between(0.2, 1.2) * (high - start) + margin,
                 restitution=s.pick([0.0, 0.0, 0.3, 0.8]))


@kind("stop on a random point", "unilateral")
def random_point_stop(f: Fitting) -> None:
    s, body = f.sketch, f.moving_body()
    point = f.point_of(body)
    f.model.frame(f.named("corner"), body, point)
    axis = s.pick("xyz")
    f.model.stop(f.named("wall"), f"{f.named('corner')}.{axis}", restitution=s.pick([0.0, 0.4, 1.0]),
                 at_least=point["xyz".index(axis)] - s.between(0.02, 0.5) * f.machine.length)


@kind("scraping stop", "unilateral", "friction", "reactions")
def scraping_stop(f: Fitting) -> None:
    s, body = f.sketch, f.moving_body()
    point = f.point_of(body)
    f.model.frame(f.named("foot"), body, point)
    f.model.stop(f.named("floor"), f"{f.named('foot')}.z",
                 at_least=point[2] - s.between(0.02, 0.3) * f.machine.length, restitution=s.pick([0.0, 0.0, 0.3]))
    f.model.friction(f.named("scrape"), f.named("floor"), s.pick([0.1, 0.3, 0.5]), along=f"{f.named('foot')}.x")


@kind("compliant random stop", "smooth", fits=has_free_coordinate)
def compliant_stop(f: Fitting) -> None:
    s, coordinate = f.sketch, f.sketch.pick(f.free_coordinates)
    start, low, high = f.ranges[coordinate]
    size, force = f.unit_of(coordinate)
    k = s.decades(0.5, 2.5) * force / size
    side = {"at_most": start + 0.4 * (high - start)} if s.chance(0.5) else {"at_least": start - 0.4 * (start - low)}
    f.model.stop(f.named("buffer"), coordinate, force="k*d + c*d*dd", k=k, c=0.1 * k, **side)


@kind("random rope", "unilateral")
def random_rope(f: Fitting) -> None:
    a, b = f.frames()
    length = float(np.linalg.norm(a.drawn_point - b.drawn_point)) * f.sketch.between(1.005, 1.4)
    f.model.rope(f.named("line"), a, b, length, restitution=f.sketch.pick([0.0, 0.3]))


# play and contact -----------------------------------------------------------------------------------------------------

@kind("random play", "unilateral")
def random_play(f: Fitting) -> None:
    s, body = f.sketch, added_body(f.machine, name=f.named("loose"))
    at, z = tuple(f.machine.tip), unit(s.rng)
    hole, pin = f.machine.moving.frame(at, z=z), body.frame(at, z=z)
    gap, L = s.between(0.005, 0.05) * f.machine.length, f.machine.length
    kind_of = s.pick(["revolute", "spherical", "cylindrical", "prismatic"])
    numbers: dict[str, float] = {"restitution": s.pick([0.0, 0.2, 0.6])}
    if kind_of == "prismatic":
        numbers |= {"length": 0.4 * L, "width": 0.1 * L}
    elif kind_of != "spherical" and s.chance(0.5):
        numbers |= {"length": 0.3 * L}
    elif kind_of != "spherical" and s.chance(0.3):
        numbers |= {"friction": 0.2, "radius": 0.1 * L}
        f.marks.update(("friction", "reactions"))
    f.model.clearance(f.named("play"), kind_of, hole, pin, gap, **numbers)


@kind("elastic random play", "event")
def elastic_play(f: Fitting) -> None:
    s, body = f.sketch, added_body(f.machine, name=f.named("rattling"))
    at = tuple(f.machine.tip)
    f.model.clearance(f.named("rattle"), "spherical", f.machine.moving.frame(at), body.frame(at),
                      s.between(0.005, 0.05) * f.machine.length, restitution=0.5,
                      stiffness=s.decades(3, 4) * f.machine.force / f.machine.length**1.5)


@kind("ball of a body on a floor", "soft contact")
def floor_contact(f: Fitting) -> None:
    s, body, L = f.sketch, f.moving_body(), f.machine.length
    place = body.at + body.orientation @ body.com
    r = s.between(0.1, 0.3) * L
    floor = f.model.ground.frame(place - np.array([0, 0, r + s.between(0.01, 0.3) * L]))
    f.model.contact(f.named("tread"), floor, body.frame(place), "plane", {"kind": "sphere", "radius": r},
                    stiffness=s.decades(2, 3.5) * f.machine.force / L**1.5, damping=s.pick([0.0, 0.3]),
                    friction=s.pick([0.0, 0.3]))


@kind("two balls", "soft contact")
def two_balls(f: Fitting) -> None:
    s, L = f.sketch, f.machine.length
    mass = 0.1 * f.machine.force / 9.81
    speed = L / s.scale.time
    r = 0.15 * L
    balls = [f.model.body(f.named(word), vc.shapes.sphere(r, mass=mass), at=(x, 5 * L, 0.1 * r * s.between(-1, 1)),
                          velocity=(v, 0, 0), angular_velocity=s.point() / s.scale.time)
             for word, x, v in (("left", -1.3 * r, speed), ("right", 1.3 * r, -0.5 * speed))]
    f.model.contact(f.named("collision"), *balls, stiffness=s.decades(2, 3.5) * f.machine.force / L**1.5,
                    damping=s.pick([0.0, 0.2]), friction=s.pick([0.0, 0.3]))


@kind("cam contact", "unilateral")
def cam_contact(f: Fitting) -> None:
    s, L, m = f.sketch, f.machine.length, f.model
    mass, y = 0.1 * f.machine.force / 9.81, 4 * L
    cam = m.body(f.named("cam"), mass, 0.02 * mass * L**2, at=(0, y, 0), angular_velocity=(0, 4 / s.scale.time, 0))
    follower = m.body(f.named("follower"), mass, 0.02 * mass * L**2, at=(0, y, 0.5 * L))
    m.revolute(f.named("camshaft"), m.ground, cam, at=(0, y, 0), axis="y")
    m.prismatic(f.named("tappet"), m.ground, follower, at=(0, y, 0.5 * L), axis="z")
    roller = s.pick([0.0, 0.05 * L])
    top = 0.2 * L * 1.1 + roller
    m.cam_contact(f.named("lobe"), cam, follower, at=(0, y, 0), axis="y", x="z", roller=roller,
                  profile=f"{0.2 * L!r}*(1 + 0.1*cos(t))", point=(0, y, top + s.pick([0.0, 0.02]) * L),
                  restitution=s.pick([0.0, 0.3]))


# forces ---------------------------------------------------------------------------------------------------------------

@kind("random strut", "smooth")
def strut(f: Fitting) -> None:
    a, b = f.frames()
    s, k = f.sketch, f.machine.force / f.machine.length
    length = float(np.linalg.norm(a.drawn_point - b.drawn_point))
    f.model.spring(f.named("strut"), a, b, k=s.decades(-0.5, 1.5) * k, c=s.pick([0.0, 0.1]) * k * s.scale.time,
                   length=s.between(0.7, 1.2) * length, preload=s.pick([0.0, 0.2]) * f.machine.force)


@kind("random bushing", "smooth")
def random_bushing(f: Fitting) -> None:
    s, (a, b) = f.sketch, f.frames()
    k, turn = s.decades(-0.5, 1) * f.machine.force / f.machine.length, 0.3 * f.machine.force * f.machine.length
    at = a.drawn_point
    f.model.bushing(f.named("rubber"), a, b.body.frame(at), k=[k, k, 2 * k, turn, turn, 0.5 * turn],
                    c=[0.05 * k * s.scale.time] * 3 + [0.05 * turn * s.scale.time] * 3)


@kind("general force between bodies", "smooth")
def random_general_force(f: Fitting) -> None:
    s, (a, b) = f.sketch, f.frames()
    F, w = 0.2 * f.machine.force, 2 / s.scale.time
    f.model.general_force(f.named("wrench"), a, b, (f"{F!r}*sin({w!r}*t)", 0.3 * F, 0),
                          (0, 0.1 * F * f.machine.length, 0))


@kind("random rotor", "smooth", fits=has_free_coordinate)
def random_rotor(f: Fitting) -> None:
    s, coordinate = f.sketch, f.sketch.pick(f.free_coordinates)
    inertia = f.unit_of(coordinate)[1] / 9.81 * (f.machine.length if "angle" in coordinate else 1.0)
    f.model.rotor(coordinate, 0.02 * inertia, ratio=s.between(1, 4), name=f.named("armature"))


@kind("coupled coordinates", "smooth", fits=is_tree_with_two)
def coupled(f: Fitting) -> None:
    s = f.sketch
    joints = sorted({name.split(".")[0] for name in f.ranges})
    chosen = s.rng.choice(joints, size=2, replace=False)
    a, b = (s.pick([name for name in f.ranges if name.split(".")[0] == joint]) for joint in chosen)
    f.model.couple(f.named("shafts"), {a: 1.0 / f.unit_of(a)[0], b: s.between(0.3, 2) / f.unit_of(b)[0]})


# events and control ---------------------------------------------------------------------------------------------------

@kind("random joint switched off", "event", fits=lambda f: len(f.model.joints) > 1)
def joint_off(f: Fitting) -> None:
    joint = f.sketch.pick(list(f.model.joints.values()))
    f.model.event(f.named("release"), at=f.sketch.between(0.1, 0.9) * f.machine.until, switch_off=joint.name)


@kind("random lock", "event", fits=is_tree_with_two)
def lock(f: Fitting) -> None:
    s, coordinate = f.sketch, f.sketch.pick(f.free_coordinates)
    f.model.hold(f.named("lock"), coordinate)
    f.model.switch(f.named("lock"), False)
    f.model.event(f.named("engage"), at=s.between(0.2, 0.8) * f.machine.until, switch_on=f.named("lock"))


@kind("random impulse", "event", fits=is_free)
def impulse(f: Fitting) -> None:
    s, coordinate = f.sketch, f.sketch.pick(f.free_coordinates)
    f.model.event(f.named("hit"), at=s.between(0.1, 0.9) * f.machine.until,
                  strike={coordinate: s.between(-0.3, 0.3) * f.unit_of(coordinate)[1] * s.scale.time})


@kind("bounce at a time", "event", fits=is_free)
def bounce(f: Fitting) -> None:
    s, coordinate = f.sketch, f.sketch.pick(f.free_coordinates)
    f.model.event(f.named("rebound"), at=s.between(0.1, 0.9) * f.machine.until, bounce={coordinate: s.between(0, 1)})


@kind("two-point controller of a guard", "event", fits=has_free_coordinate)
def two_point(f: Fitting) -> None:
    s, coordinate = f.sketch, f.sketch.pick(f.free_coordinates)
    start, low, high = f.ranges[coordinate]
    middle = low + s.between(0.3, 0.7) * (high - low)
    f.model.variable(f"side{f.tag}", 1.0)
    f.model.actuator(f.named("bang"), coordinate, f"side{f.tag}*F", F=0.3 * f.unit_of(coordinate)[1])
    f.model.event(f.named("cross"), f"{coordinate} - ({middle!r})", direction=s.pick(["up", "down", "both"]),
                  set={f"side{f.tag}": f"-side{f.tag}"})
