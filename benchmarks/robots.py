"""Robots from URDF files, a six-axis arm and a humanoid of 31 joints: CPU time of one evaluation of accelerations, and
of inverse dynamics, beside MuJoCo and Pinocchio. Before anything is timed, all engines must agree.

python benchmarks/robots.py [robot ...] [--quick]
"""

from __future__ import annotations

import argparse
import os

os.environ["OMP_NUM_THREADS"] = "1"  # one thread, set before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import history
import vincolo as vc
from growth import OURS, Work, evaluations
from machine import cpu_per_call, described, machine
from results_file import write
from vincolo.errors import FileWarning
from vincolo.formats.urdf import read_urdf

FOLDER = Path(__file__).parent / "models"
ROBOTS = sorted(path.stem for path in FOLDER.glob("*.urdf"))
AGREEMENT = 1e-8  # of the largest acceleration or torque
G = 9.80665  # m/s2, as read_urdf() has it


@dataclass(frozen=True)
class Pose:
    """Positions, rates, and accelerations of the joints by their names [rad, rad/s, rad/s2]."""

    q: dict[str, float]
    v: dict[str, float]
    a: dict[str, float]


@dataclass(frozen=True)
class Timed:
    """What an engine found, and how to do it again: work(n) does it n times."""

    found: dict[str, float]  # by joint
    work: Work


def a_pose(names: list[str], seed: int = 7) -> Pose:
    rng = np.random.default_rng(seed)
    return Pose(*(dict(zip(names, rng.uniform(-size, size, len(names)).tolist(), strict=True)) for size in (0.5, 1, 2)))


def robot_model(robot: str) -> vc.Model:
    """The model in a file; what is said about limits, which nobody enforces here, is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileWarning)
        return read_urdf(FOLDER / f"{robot}.urdf").model


def hinges(model: vc.Model) -> list[str]:
    return [name for name, joint in model.joints.items() if joint.kind == "revolute"]


def ours(robot: str, pose: Pose, made: Callable[[vc.System, vc.State], Work]) -> Timed:
    """Accelerations, in one of the ways of growth.py."""
    system = vc.compile(robot_model(robot))
    given = {f"{n}.angle": q for n, q in pose.q.items()} | {f"{n}.angle.rate": v for n, v in pose.v.items()}
    state = vc.assemble(system, given=given)
    return Timed({n: float(state[f"{n}.angle.acceleration"]) for n in pose.q}, made(system, state))


def driven(robot: str, pose: Pose) -> vc.Model:
    """The robot with a drive on each joint that has these positions, rates and accelerations at t = 0."""
    model = robot_model(robot)
    for n in pose.q:
        model.drive(f"{n}.angle", f"{pose.q[n]!r} + {pose.v[n]!r}*t + {pose.a[n] / 2!r}*t^2", name=f"{n} drive")
    return model


def our_inverse(robot: str, pose: Pose) -> Timed:
    """The forces of drives on all joints, by the kernel's evaluation: all reactions come with them."""
    system = vc.compile(driven(robot, pose))
    state = vc.assemble(system)
    return Timed({n: float(state[f"{n} drive.force"]) for n in pose.q}, evaluations(system, state))


def our_recursion(robot: str, pose: Pose) -> Timed:
    """inverse_dynamics() for many samples of the same pose."""
    system = vc.compile(robot_model(robot))
    state = vc.assemble(system)
    motion = [{f"{n}.angle": value for n, value in part.items()} for part in (pose.q, pose.v, pose.a)]

    def work(count: int) -> None:
        vc.inverse_dynamics(system, *motion, times=np.zeros(count), start=state)

    found = vc.inverse_dynamics(system, *motion, start=state)
    return Timed({n: float(found[f"{n}.angle"]) for n in pose.q}, work)


def our_kinematics(robot: str, pose: Pose) -> Timed:
    """kinematics() along the motion: positions closed, and accelerations, forces and reactions of all joints read."""
    system = vc.compile(driven(robot, pose))
    state, first = vc.assemble(system), next(iter(pose.q))

    def work(count: int) -> None:
        times = 1e-3 * np.arange(1, count + 1)
        result = vc.kinematics(system, outputs=times, until=float(times[-1]), start=state)
        assert np.isfinite(result[f"{first} drive.force"]).all()

    result = vc.kinematics(system, until=1e-3, outputs=1, start=state)
    return Timed({n: float(result[f"{n} drive.force"][0]) for n in pose.q}, work)


def pinocchio_robot(robot: str, pose: Pose) -> tuple:
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(FOLDER / f"{robot}.urdf"))
    model.gravity.linear = np.array([0, 0, -G])
    names = list(model.names)[1:]
    arrays = [np.array([part[n] for n in names]) for part in (pose.q, pose.v, pose.a)]
    return pin, model, model.createData(), names, *arrays


def pinocchio_forward(robot: str, pose: Pose) -> Timed:
    """aba(), with the dampers as given torques."""
    pin, model, data, names, q, v, _ = pinocchio_robot(robot, pose)
    torque = -model.damping * v
    found = pin.aba(model, data, q, v, torque)
    return Timed(dict(zip(names, found.tolist(), strict=True)),
                 lambda count: [pin.aba(model, data, q, v, torque) for _ in range(count)])


def pinocchio_inverse(robot: str, pose: Pose) -> Timed:
    """rnea()."""
    pin, model, data, names, q, v, a = pinocchio_robot(robot, pose)
    found = pin.rnea(model, data, q, v, a) + model.damping * v
    return Timed(dict(zip(names, found.tolist(), strict=True)),
                 lambda count: [pin.rnea(model, data, q, v, a) for _ in range(count)])


def mujoco_robot(robot: str, pose: Pose) -> tuple:
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(FOLDER / f"{robot}.urdf"))
    model.opt.gravity = [0, 0, -G]
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    data = mujoco.MjData(model)
    names = [model.joint(k).name for k in range(model.njnt)]
    for array, part in ((data.qpos, pose.q), (data.qvel, pose.v), (data.qacc, pose.a)):
        array[:] = [part[n] for n in names]
    return mujoco, model, data, names


def mujoco_forward(robot: str, pose: Pose) -> Timed:
    """mj_forward()."""
    mujoco, model, data, names = mujoco_robot(robot, pose)
    mujoco.mj_forward(model, data)
    return Timed(dict(zip(names, data.qacc.tolist(), strict=True)),
                 lambda count: [mujoco.mj_forward(model, data) for _ in range(count)])


def mujoco_inverse(robot: str, pose: Pose) -> Timed:
    """mj_inverse()."""
    mujoco, model, data, names = mujoco_robot(robot, pose)
    mujoco.mj_inverse(model, data)
    return Timed(dict(zip(names, data.qfrc_inverse.tolist(), strict=True)),
                 lambda count: [mujoco.mj_inverse(model, data) for _ in range(count)])


FORWARD: dict[str, Callable[[str, Pose], Timed]] = {
    **{name: lambda robot, pose, made=made: ours(robot, pose, made) for name, made in OURS.items()},
    "mujoco": mujoco_forward, "pinocchio": pinocchio_forward}
INVERSE: dict[str, Callable[[str, Pose], Timed]] = {
    "vincolo": our_recursion, "vincolo with all reactions": our_inverse, "vincolo kinematics()": our_kinematics,
    "mujoco": mujoco_inverse, "pinocchio": pinocchio_inverse}
TASKS = {"accelerations": FORWARD, "inverse dynamics": INVERSE}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robots", nargs="*", metavar="robot", default=ROBOTS, help=", ".join(ROBOTS))
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    arguments = parser.parse_args()
    print(f"{described()}\nmicroseconds of CPU time per evaluation, one thread, best of several rounds")
    rows = [row for robot in arguments.robots for task in TASKS
            for row in measure(robot, task, 3 if arguments.quick else 7)]
    write("robots.json", [{"machine": machine()}, *rows])
    history.append("robots", {f"{r['robot']} {r['task']} {r['engine']} [us]": r["us"] for r in rows})


def measure(robot: str, task: str, rounds: int) -> list[dict]:
    """A row for each engine that is installed."""
    pose = a_pose(hinges(robot_model(robot)))
    done = solved(robot, task, pose)
    rows = [{"robot": robot, "joints": len(pose.q), "task": task, "engine": engine,
             "us": 1e6 * cpu_per_call(timed.work, rounds=rounds), "difference": difference(done, engine)}
            for engine, timed in done.items()]
    shown = [f"{r['engine']} {r['us']:.2f} ({r['difference']:.0e})" for r in rows]
    print(f"{robot:<10}{task:<18}{', '.join(shown)}", flush=True)
    return rows


def solved(robot: str, task: str, pose: Pose) -> dict[str, Timed]:
    """What each engine finds; engines that do not agree are not worth timing."""
    done = {}
    for engine, solve in TASKS[task].items():
        try:
            done[engine] = solve(robot, pose)
        except ImportError:
            continue  # not installed
    wrong = {name: difference(done, name) for name in done if difference(done, name) > AGREEMENT}
    if wrong:
        raise SystemExit(f"{robot}, {task}: the engines do not agree with vincolo: {wrong}")
    return done


def difference(done: dict[str, Timed], engine: str) -> float:
    """Largest difference from vincolo, over the largest value."""
    first, other = done["vincolo"].found, done[engine].found
    return max(abs(other[n] - first[n]) for n in first) / max(map(abs, first.values()))


if __name__ == "__main__":
    main()
