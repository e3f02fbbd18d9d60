"""Exudyn models of a problem in three forms; each builder returns the sensor of the tracked point."""

from __future__ import annotations

import sys

import numpy as np

from problems.description import GROUND, Problem, unit

sys.exudynFast = True  # selects the build without range checks; must precede the import

import exudyn as exu  # noqa: E402
import exudyn.itemInterface as items  # noqa: E402
from exudyn.utilities import RigidBodyInertia  # noqa: E402

RECORD = {
    "writeToFile": False,
    "storeInternal": True,
    "outputVariableType": exu.OutputVariableType.Position,
}


def spatial(system, problem: Problem) -> int:
    """Rigid bodies in redundant coordinates with Euler parameters."""
    objects = {GROUND: system.CreateGround()}
    for i, body in enumerate(problem.bodies):
        objects[i] = system.CreateRigidBody(
            referencePosition=list(body.com),
            initialVelocity=list(body.velocity),
            initialAngularVelocity=list(body.angular_velocity),
            inertia=RigidBodyInertia(mass=body.mass, inertiaTensor=body.inertia),
            gravity=list(problem.gravity),
            nodeType=exu.NodeType.RotationEulerParameters,
        )
    for joint in problem.joints:
        add_spatial_joint(system, joint, [objects[joint.a], objects[joint.b]])
        if joint.kind == "bush":
            add_rubber(system, problem, joint, [objects[joint.a], objects[joint.b]])
    for spring in problem.springs:
        system.CreateSpringDamper(
            itemNumbers=[objects[spring.a], objects[spring.b]],
            localPosition0=list(spring.point_a - problem.com(spring.a)),
            localPosition1=list(spring.point_b - problem.com(spring.b)),
            referenceLength=spring.length,
            stiffness=spring.stiffness,
            damping=spring.damping,
        )
    for body, torque in problem.torques:
        system.CreateTorque(itemNumber=objects[body], loadVector=list(torque))
    return track_body(system, problem, objects)


def add_spatial_joint(system, joint, bodies: list) -> None:
    at = {"itemNumbers": bodies, "position": list(joint.point)}
    if joint.kind == "rev":
        system.CreateRevoluteJoint(**at, axis=list(joint.axis))
    elif joint.kind == "pri":
        system.CreatePrismaticJoint(**at, axis=list(joint.axis))
    elif joint.kind == "sph":
        system.CreateSphericalJoint(**at)
    elif joint.kind in ("cyl", "bush"):
        t1, t2 = across(joint.axis)
        held = [1, 1, 0, 1, 1, 0] if joint.kind == "cyl" else [0, 0, 0, 1, 1, 0]
        axes = np.column_stack([t1, t2, joint.axis])
        system.CreateGenericJoint(**at, rotationMatrixAxes=axes, constrainedAxes=held)
    else:
        # universal: x on the first body stays perpendicular to y on the second
        axes = np.column_stack([joint.axis, joint.axis2, np.cross(joint.axis, joint.axis2)])
        system.CreateGenericJoint(**at, rotationMatrixAxes=axes, constrainedAxes=[1, 1, 1, 0, 0, 1])


def across(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors that make a right-handed set with the axis."""
    t1 = unit(np.cross(axis, np.eye(3)[np.argmin(abs(axis))]))
    return t1, np.cross(axis, t1)


def add_rubber(system, problem: Problem, joint, bodies: list) -> None:
    """Springs and dampers of a bush along world axes, which are those of its first body if that does not turn."""
    system.CreateCartesianSpringDamper(
        itemNumbers=bodies,
        localPosition0=list(joint.point - problem.com(joint.a)),
        localPosition1=list(joint.point - problem.com(joint.b)),
        stiffness=[joint.stiffness] * 3,
        damping=[joint.damping] * 3,
    )


def planar(system, problem: Problem) -> int:
    """Planar rigid bodies in three coordinates each."""
    objects = {GROUND: system.CreateGround()}
    for i, body in enumerate(problem.bodies):
        objects[i] = add_planar_body(system, body, problem.gravity)

    def marker(body: int, point: np.ndarray) -> int:
        local = list(point - problem.com(body))
        return system.AddMarker(items.MarkerBodyPosition(bodyNumber=objects[body], localPosition=local))

    for joint in problem.joints:
        ends = [marker(joint.a, joint.point), marker(joint.b, joint.point)]
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=ends))
    for spring in problem.springs:
        connector = items.ObjectConnectorSpringDamper(
            markerNumbers=[marker(spring.a, spring.point_a), marker(spring.b, spring.point_b)],
            referenceLength=spring.length,
            stiffness=spring.stiffness,
            damping=spring.damping,
        )
        system.AddObject(connector)
    for body, torque in problem.torques:
        rigid = system.AddMarker(items.MarkerBodyRigid(bodyNumber=objects[body]))
        system.AddLoad(items.LoadTorqueVector(markerNumber=rigid, loadVector=list(torque)))
    return track_body(system, problem, objects)


def add_planar_body(system, body, gravity: np.ndarray) -> int:
    node = items.NodeRigidBody2D(
        referenceCoordinates=[body.com[0], body.com[1], 0],
        initialVelocities=[body.velocity[0], body.velocity[1], body.angular_velocity[2]],
    )
    item = system.AddObject(
        items.ObjectRigidBody2D(mass=body.mass, inertia=body.inertia[2, 2], nodeNumber=system.AddNode(node))
    )
    if np.any(gravity):
        mass_marker = system.AddMarker(items.MarkerBodyMass(bodyNumber=item))
        system.AddLoad(items.LoadMassProportional(markerNumber=mass_marker, loadVector=list(gravity)))
    return item


def track_body(system, problem: Problem, objects: dict) -> int:
    sensor = items.SensorBody(
        bodyNumber=objects[problem.tracked_body], localPosition=list(problem.tracked_offset), **RECORD
    )
    return system.AddSensor(sensor)


def tree(system, problem: Problem) -> int:
    """One kinematic tree in joint angles: hinges about z from rest, no closed loops."""
    branches, closing = problem.spanning_tree()
    if closing or any(b.joint.kind != "rev" or b.joint.axis[2] < 1 for b in branches):
        raise ValueError(f"{problem.name}: the tree form takes open chains of hinges about z only")
    n = len(branches)
    link = {GROUND: -1} | {branch.child: i for i, branch in enumerate(branches)}
    origin = {GROUND: np.zeros(3)} | {branch.child: branch.joint.point for branch in branches}
    bodies = [problem.bodies[branch.child] for branch in branches]
    coordinates = items.NodeGenericODE2(
        referenceCoordinates=[0.0] * n,
        initialCoordinates=[0.0] * n,
        initialCoordinates_t=[0.0] * n,
        numberOfODE2Coordinates=n,
    )
    item = items.ObjectKinematicTree(
        nodeNumber=system.AddNode(coordinates),
        gravity=list(problem.gravity),
        jointTypes=[exu.JointType.RevoluteZ] * n,
        linkParents=[link[b.parent] for b in branches],
        jointTransformations=exu.Matrix3DList([np.eye(3)] * n),
        jointOffsets=exu.Vector3DList([origin[b.child] - origin[b.parent] for b in branches]),
        linkInertiasCOM=exu.Matrix3DList([body.inertia for body in bodies]),
        linkCOMs=exu.Vector3DList([problem.com(b.child) - origin[b.child] for b in branches]),
        linkMasses=[body.mass for body in bodies],
    )
    sensor = items.SensorKinematicTree(
        objectNumber=system.AddObject(item),
        linkNumber=link[problem.tracked_body],
        localPosition=list(problem.tracked_point - origin[problem.tracked_body]),
        **RECORD,
    )
    return system.AddSensor(sensor)


BUILDERS = {"3d": spatial, "2d": planar, "tree": tree}
