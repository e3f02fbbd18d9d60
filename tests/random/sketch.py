"""A random mechanism while it is drawn: lengths in units of its own size, masses and times likewise."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import vincolo as vc
from mechanisms import cloud_inertia, cross_axes, join, rotation, unit

G = 9.81


@dataclass(frozen=True)
class Scale:
    """Length [m] and mass [kg] of a mechanism, and the acceleration [m/s2] that makes its unit of time."""

    length: float = 1.0
    mass: float = 1.0
    acceleration: float = G

    @property
    def time(self) -> float:
        return float(np.sqrt(self.length / self.acceleration))

    @property
    def force(self) -> float:
        return self.mass * self.acceleration


@dataclass
class Sketch:
    """A model, the random numbers it is drawn with, and its scale; all points and axes below are in units of length."""

    rng: np.random.Generator
    scale: Scale
    model: vc.Model
    moving: bool = True
    spread: float = 0.0  # decades by which masses differ
    inertia: str = "cloud"
    kinds: tuple[str, ...] = ()  # of joints in trees; any if empty
    span: float = 1.6  # of the run, in units of time
    given: dict[str, float] = field(default_factory=dict)  # rates at the start, in SI

    # numbers

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def pick(self, choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def between(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def decades(self, low: float, high: float) -> float:
        return float(10.0 ** self.rng.uniform(low, high))

    def point(self, size: float = 1.0) -> np.ndarray:
        return size * self.rng.normal(size=3)

    def frame_axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Two directions at right angles."""
        return cross_axes(self.rng)

    # parts

    @property
    def ground(self) -> vc.Body:
        return self.model.ground

    @property
    def bodies(self) -> list[vc.Body]:
        return list(self.model.bodies.values())

    def body(self, centre: Any, *, along: Any = None, extent: float = 1.0, inertia: str | None = None) -> vc.Body:
        """A body with its centre of mass at a point; `along` and `extent` are for slender ones."""
        s, rng = self.scale, self.rng
        mass = s.mass * self.decades(-self.spread, self.spread)
        tensor = mass * (s.length * extent)**2 * self._tensor(inertia or self.inertia, along)
        C, c = (np.eye(3), np.zeros(3)) if self.chance(0.5) else (rotation(rng), self.point(0.3 * extent))
        v, w = (self.point(0.6), self.point(0.8)) if self.moving else np.zeros((2, 3))
        return self.model.body(f"body{len(self.model.bodies)}", mass, C.T @ tensor @ C,
                               at=s.length * (np.asarray(centre) + c), orientation=C, com=-s.length * C.T @ c,
                               velocity=s.length / s.time * (v + np.cross(w, c)), angular_velocity=w / s.time)

    def _tensor(self, kind: str, along: Any) -> np.ndarray:
        """Inertia about the centre of mass of a unit mass and length, in world axes as drawn."""
        if kind == "cloud":
            return cloud_inertia(self.rng, 0.3) / 6
        if kind == "point":
            return np.zeros((3, 3))
        e = unit(self.rng) if along is None else np.asarray(along) / np.linalg.norm(along)
        axial = 0.0 if kind == "rod" else self.decades(-12, -2)  # over the transverse moment
        return ((np.eye(3) - np.outer(e, e)) + axial * np.outer(e, e)) / 12

    def joint(self, kind: str, a: vc.Body, b: vc.Body, at: Any, *, axis: Any = None, axis2: Any = None) -> vc.Joint:
        """A joint of a kind at a point; random axes at right angles unless given."""
        z, x = cross_axes(self.rng)
        if axis is not None:
            z = np.asarray(axis, dtype=float)
            x = np.cross(z, self.point())
            x /= np.linalg.norm(x)
        x = x if axis2 is None else np.asarray(axis2)
        if kind == "elbow":
            x = np.cos(0.9) * z + np.sin(0.9) * x
        name = f"J{len(self.model.joints)}"
        made = join(self.model, kind, name, a, b, self.scale.length, at=self.scale.length * np.asarray(at), axis=z,
                    axis2=x)
        if kind == "constant_velocity" and self.chance(0.95):
            self._boot(made)
        return made

    def _boot(self, joint: vc.Joint) -> None:
        """Keeps a constant-velocity joint from folding back by 180 degrees, where its twist is not defined: a spring
        on the cosine of its bend, stronger than any weight."""
        heaviest = 10.0**self.spread * self.scale.force * self.scale.length
        self.model.spring(f"{joint.name}boot", vc.cosine("z", "z", joint.a, joint.b), k=20 * heaviest, length=1.0)

    def again(self, joint: vc.Joint) -> None:
        """The same joint a second time, or, of a hinge, another one further along the same axis."""
        z = joint.a.drawn_axes[:, 2]
        shift = self.scale.length * self.between(0.2, 1.0) if joint.kind == "revolute" and self.chance(0.7) else 0.0
        axis = {"axis": z} if joint.kind in ("revolute", "cylindrical", "prismatic") else {}
        getattr(self.model, joint.kind)(f"J{len(self.model.joints)}", joint.a.body, joint.b.body,
                                        at=joint.a.drawn_point + shift * z, **axis)

    # forces and drives

    def forces(self, share: float = 0.4) -> None:
        """Some of: a strut, a spring or damper on a coordinate, a load, a torque, an actuator."""
        for number, make in enumerate((self._strut, self._law, self._push, self._twist, self._actuator)):
            if self.chance(share):
                make(f"F{number}")

    def coordinates(self) -> list[str]:
        """Angles and travels of all joints."""
        return [f"{j.name}.{c}" for j in self.model.joints.values() for c in j.coordinates
                if c.startswith(("angle", "travel"))]

    def _unit_of(self, coordinate: str) -> float:
        """Length for a travel, 1 for an angle."""
        return self.scale.length if "travel" in coordinate else 1.0

    def _strut(self, name: str) -> None:
        s = self.scale
        a, b = self.rng.choice(len(self.bodies) + 1, size=2, replace=False)
        both = [[self.ground, *self.bodies][k] for k in (a, b)]
        p = self.point()
        ends = [x.frame(s.length * q) for x, q in zip(both, (p, p + 2 * unit(self.rng)), strict=True)]
        k = self.pick([1, 1, 1, 1, 1e3]) * self.between(0.5, 8) * s.force / s.length
        self.model.spring(name, *ends, k=k,
                          c=self.pick([0.0, 0.3]) * s.force * s.time / s.length, length=1.6 * s.length)

    def _law(self, name: str) -> None:
        if not (known := self.coordinates()):
            return
        s, coordinate = self.scale, self.pick(known)
        k = s.force * s.length / self._unit_of(coordinate)**2
        self.model.law(name, coordinate, "k*d + c*dd + q*dd*abs(dd)", k=self.between(0.5, 4) * k, c=0.2 * k * s.time,
                       q=0.1 * k * s.time**2 / self._unit_of(coordinate))

    def _push(self, name: str) -> None:
        s, x, y, z = self.scale, *(self.scale.force * self.point(0.5))
        frame = self.pick(self.bodies).frame(s.length * self.point())
        self.model.force(name, frame, (x, f"{float(y)!r}*sin({1 / s.time!r}*t)", z), axes=self.pick(["world", "body"]))

    def _twist(self, name: str) -> None:
        s = self.scale
        self.model.torque(name, self.pick(self.bodies), s.force * s.length * self.point(0.1),
                          axes=self.pick(["world", "body"]))

    def _actuator(self, name: str) -> None:
        if not (known := self.coordinates()):
            return
        s, coordinate = self.scale, self.pick(known)
        size = 0.2 * s.force * s.length / self._unit_of(coordinate)
        self.model.actuator(name, coordinate, f"{size!r}*cos({2 / s.time!r}*t)")

    def drive(self, coordinate: str, size: float = 0.4) -> None:
        """A coordinate swings from where it is drawn, beginning at rest or not."""
        s, value = self.scale, self.model.joints[coordinate.split(".")[0]][coordinate.split(".")[1]].drawn_value
        reach = size * self._unit_of(coordinate)
        text = self.pick(["{v} + {a}*sin({w}*t)", "{v} + {a}*({w}*t)^2/3", "{v} + {a}*(1 - cos({w}*t))"])
        self.model.drive(coordinate, text.format(v=repr(value), a=repr(reach), w=repr(self.pick([1, 2]) / s.time)))


def random_scale(rng: np.random.Generator) -> Scale:
    """Half of all mechanisms are of 1 m and 1 kg, the others from 1e-6 to 1e4 m and from 1e-6 to 1e6 kg."""
    length = 1.0 if rng.random() < 0.5 else float(10.0 ** rng.uniform(-6, 4))
    mass = 1.0 if rng.random() < 0.5 else float(10.0 ** rng.uniform(-6, 6))
    return Scale(length, mass)


def sketch(family: str, seed: int, scale: Scale | None = None) -> Sketch:
    """An empty sketch: the same for the same family and seed, at a random scale unless one is given."""
    rng = np.random.default_rng([zlib.crc32(family.encode()), seed])
    drawn_scale = random_scale(rng)
    scale = drawn_scale if scale is None else scale
    down = np.array([0.0, 0.0, -1.0]) if rng.random() < 0.5 else unit(rng)
    weight = G if rng.random() < 0.85 else 0.0
    drawn = Sketch(rng, scale, vc.Model(f"{family}:{seed}", gravity=weight * down))
    drawn.moving = drawn.chance(0.6)
    drawn.spread = drawn.pick([0.0, 0.3, 1.0, 2.0, 3.0])
    drawn.span *= drawn.between(0.7, 1.4)
    return drawn
