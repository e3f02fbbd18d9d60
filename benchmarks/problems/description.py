"""What a benchmark problem consists of, without reference to any engine.

Every body frame sits at the centre of mass and is aligned with the world axes at the start, so all
points, axes and inertias are world quantities of the start. Body -1 is the ground. SI units throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

GROUND = -1
SAMPLES = 200  # output intervals of every problem, hence 201 samples with the start

Vector = Sequence[float] | np.ndarray


def vector(value: Vector) -> np.ndarray:
    return np.array(value, dtype=float)


def unit(value: Vector) -> np.ndarray:
    return vector(value) / np.linalg.norm(value)


def rod_inertia(mass: float, length: float, direction: Vector) -> np.ndarray:
    """Inertia tensor of a thin uniform rod about its centre of mass, in kg m^2."""
    d = unit(direction)
    return mass * length**2 / 12 * (np.eye(3) - np.outer(d, d))


def square_bar_inertia(mass: float, length: float, width: float, direction: Vector) -> np.ndarray:
    """Inertia tensor of a uniform bar of square section about its centre of mass, in kg m^2."""
    d = unit(direction)
    section = mass * width**2 / 12 * (np.eye(3) + np.outer(d, d))
    return rod_inertia(mass, length, d) + section


@dataclass
class Body:
    name: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


@dataclass(frozen=True)
class Joint:
    """kind: rev(axis), sph, uni(axis on a, axis2 on b), pri(axis), cyl(axis) or bush(axis), between a and b at a
    world point. A bush is a hinge in rubber: it keeps its axis parallel on a and b, and its two points are held by
    a spring [N/m] and a damper [N s/m] along each of a's axes instead of a constraint."""

    kind: str
    a: int
    b: int
    point: np.ndarray
    axis: np.ndarray | None
    axis2: np.ndarray | None
    stiffness: float = 0.0
    damping: float = 0.0

    def axes_from_parent(self, reversed_: bool) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Axis on the parent and axis on the child, for a joint walked from b to a when reversed."""
        return (self.axis2, self.axis) if reversed_ else (self.axis, self.axis2)


@dataclass(frozen=True)
class Spring:
    a: int
    b: int
    point_a: np.ndarray
    point_b: np.ndarray
    stiffness: float
    damping: float
    length: float


@dataclass(frozen=True)
class Branch:
    """One joint of the spanning tree, walked from parent to child."""

    joint: Joint
    parent: int
    child: int
    reversed: bool


@dataclass
class Problem:
    name: str
    duration: float
    gravity: np.ndarray = field(default_factory=lambda: np.array([0.0, -9.81, 0.0]))
    planar: bool = False
    size: float = 1.0  # accuracies are relative to this length, in m
    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)
    torques: list[tuple[int, np.ndarray]] = field(default_factory=list)
    tracked_body: int = 0
    tracked_point: np.ndarray = field(default_factory=lambda: np.zeros(3))

    @property
    def times(self) -> np.ndarray:
        return np.linspace(0.0, self.duration, SAMPLES + 1)

    @property
    def interval(self) -> float:
        """Time between two output samples, in s."""
        return self.duration / SAMPLES

    def add_body(
        self,
        name: str,
        mass: float,
        com: Vector,
        inertia: Vector,
        *,
        velocity: Vector = (0, 0, 0),
        angular_velocity: Vector = (0, 0, 0),
    ) -> int:
        tensor = vector(inertia)
        tensor = np.diag(tensor) if tensor.ndim == 1 else tensor
        body = Body(name, float(mass), vector(com), tensor, vector(velocity), vector(angular_velocity))
        self.bodies.append(body)
        return len(self.bodies) - 1

    def add_joint(
        self,
        kind: str,
        a: int,
        b: int,
        point: Vector,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
    ) -> None:
        directions = [None if n is None else unit(n) for n in (axis, axis2)]
        self.joints.append(Joint(kind, a, b, vector(point), *directions, stiffness, damping))

    def add_spring(
        self,
        a: int,
        b: int,
        point_a: Vector,
        point_b: Vector,
        *,
        stiffness: float,
        damping: float,
        length: float,
    ) -> None:
        spring = Spring(a, b, vector(point_a), vector(point_b), stiffness, damping, length)
        self.springs.append(spring)

    def track(self, body: int, point: Vector) -> None:
        self.tracked_body, self.tracked_point = body, vector(point)

    def com(self, body: int) -> np.ndarray:
        """Origin of a body's frame: its centre of mass, or the world origin for the ground."""
        return np.zeros(3) if body == GROUND else self.bodies[body].com

    @property
    def tracked_offset(self) -> np.ndarray:
        """Tracked point from the centre of mass of its body, in body axes."""
        return self.tracked_point - self.com(self.tracked_body)

    def spanning_tree(self) -> tuple[list[Branch], list[Joint]]:
        """Branches with parents first, and the joints left over, which close loops."""
        reached, branches, closing = {GROUND}, [], []
        waiting = list(self.joints)
        while waiting:
            postponed = []
            for joint in waiting:
                if joint.a in reached and joint.b in reached:
                    closing.append(joint)
                elif joint.a in reached or joint.b in reached:
                    branch = self._branch(joint, reversed_=joint.b in reached)
                    branches.append(branch)
                    reached.add(branch.child)
                else:
                    postponed.append(joint)
            if len(postponed) == len(waiting):
                raise ValueError(f"{self.name}: some bodies have no path of joints to the ground")
            waiting = postponed
        return branches, closing

    @staticmethod
    def _branch(joint: Joint, reversed_: bool) -> Branch:
        parent, child = (joint.b, joint.a) if reversed_ else (joint.a, joint.b)
        return Branch(joint, parent, child, reversed_)

    def joint_rates(self, branch: Branch) -> np.ndarray:
        """Rates of a branch's joint coordinates at the start, from the bodies' velocities."""
        joint = branch.joint
        w_relative = self._angular_velocity(branch.child) - self._angular_velocity(branch.parent)
        if joint.kind == "rev":
            return np.array([joint.axis @ w_relative])
        if joint.kind == "sph":
            return w_relative
        if joint.kind == "uni":
            axes = np.column_stack(joint.axes_from_parent(branch.reversed))
            return np.linalg.lstsq(axes, w_relative, rcond=None)[0]
        v_child, v_parent = (self._point_velocity(b, joint.point) for b in (branch.child, branch.parent))
        v_relative = v_child - v_parent
        if joint.kind == "bush":
            return np.array([*v_relative, joint.axis @ w_relative])
        if joint.kind == "cyl":
            return np.array([joint.axis @ v_relative, joint.axis @ w_relative])
        return np.array([joint.axis @ v_relative])

    def _angular_velocity(self, body: int) -> np.ndarray:
        return np.zeros(3) if body == GROUND else self.bodies[body].angular_velocity

    def _point_velocity(self, body: int, point: np.ndarray) -> np.ndarray:
        if body == GROUND:
            return np.zeros(3)
        b = self.bodies[body]
        return b.velocity + np.cross(b.angular_velocity, point - b.com)
