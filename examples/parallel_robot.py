"""A parallel robot with three freedoms: its tip is led along a helix, 6 s; what the carriages did is recorded and
drives them in a second robot.

Source: Righettini and Tasora (about 2001), the bodies, joints and analyses; they give no dimensions, these are our own.
Three carriages slide on vertical guides. Each carries a shaft by a Cardan joint, and a second Cardan joint holds the
end effector. Along each leg the outer axes of the two crosses are parallel, and so are the inner ones: then a leg
forbids one rotation, three legs all of them, and the effector only translates.

Bodies: 3 shafts, 6 crosses, 3 carriages, the effector and the frame, which is the ground here: 14, of which 13 move.
Joints: 12 hinges and 3 guides. Their 15 * 5 = 75 rows are independent: 13 * 6 - 75 = 3 freedoms. The paper counts 91
coordinates and 88 constraints: 13 * 7, and the 75 rows with the norms of 13 quaternions; again 91 - 88 = 3.

References: the inverse kinematics of one leg in closed form, 1.330476011 m for the height of carriage 2 after 3 s; a
third of the weight, 93.163175 N, on each drive at the start, where the robot stands still in the middle; and the weight
lifted by 0.2 m, 55.897905 J, for the work of all drives until it stands still again. The second robot's tip must be
within 1e-6 m of the helix at all samples, and all these numbers within 1e-6 of theirs.
"""

import numpy as np

import vincolo as vc
from comparison import compare

G = 9.80665  # m/s2
GUIDE, PLATE, LENGTH = 0.5, 0.1, 0.8  # m: guides and joints of the effector from the middle, length of a shaft
TOOL = 0.1  # m: the tip below the joints of the effector
LOW, RISE, RADIUS, TURNS = 0.5, 0.2, 0.15, 2  # m, m, m, 1: the helix of the tip
CARRIAGE, CROSS, SHAFT, EFFECTOR = 4.0, 0.25, 1.5, 10.5  # kg
TIME, SAMPLES = 6.0, 300
LEGS = (1, 2, 3)
WEIGHT = G * (3 * (CARRIAGE + 2 * CROSS + SHAFT) + EFFECTOR)


def turned(leg: int) -> np.ndarray:
    """The rotation about z that brings the drawn leg to its place: 0, 120 or 240 degrees."""
    c, s = np.cos(2 * np.pi * (leg - 1) / 3), np.sin(2 * np.pi * (leg - 1) / 3)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def carriage_height(leg: int, tip: np.ndarray) -> float:
    """Inverse kinematics: the height of a carriage [m] for a tip [m], from the length of its shaft."""
    across = tip[:2] - (GUIDE - PLATE) * turned(leg)[:2, 0]  # level part of the shaft, from carriage to effector
    return tip[2] + TOOL + np.sqrt(LENGTH**2 - across @ across)


def helix() -> list[vc.Function]:
    """x, y, z of the tip [m]: from rest in the middle out to the radius, round, up, and back to rest in the middle."""
    radius = vc.functions.Poly4567(0, 2, high=RADIUS) - vc.functions.Poly4567(TIME - 2, TIME, high=RADIUS)
    angle = vc.functions.Poly4567(0, TIME, high=2 * np.pi * TURNS)
    return [radius * vc.functions.Cosine(1, 1)(angle), radius * vc.functions.Sine(1, 1)(angle),
            vc.functions.Poly4567(0, TIME, LOW, LOW + RISE)]


def leg() -> vc.Model:
    """A guide, carriage, cross, shaft and cross in the plane y = 0, drawn for the tip in the middle."""
    top = np.array([GUIDE, 0, carriage_height(1, np.array([0, 0, LOW]))])
    end = np.array([PLATE, 0, LOW + TOOL])
    along = (end - top) / LENGTH
    outer, inner = "y", np.cross((0, 1, 0), along)  # axes of the crosses
    model = vc.Model("leg")
    carriage = model.body("carriage", CARRIAGE, (0.02, 0.02, 0.02), at=top)
    upper = model.body("upper_cross", CROSS, (1e-4, 1e-4, 1e-4), at=top)
    shaft = model.body("shaft", vc.shapes.cylinder(0.015, LENGTH, along, mass=SHAFT), at=(top + end) / 2)
    lower = model.body("lower_cross", CROSS, (1e-4, 1e-4, 1e-4), at=end)
    model.prismatic("guide", model.ground.frame(top * (1, 1, 0)), carriage.frame())  # travel is the carriage's height
    model.revolute("hinge_1", carriage, upper, at=top, axis=outer)
    model.revolute("hinge_2", upper, shaft, at=top, axis=inner)
    model.revolute("hinge_3", shaft, lower, at=end, axis=inner)
    return model


def build(name: str = "parallel robot") -> vc.Model:
    """The robot at rest, its tip in the middle at the foot of the helix; nothing leads or drives it yet."""
    model = vc.Model(name)
    effector = model.body("effector", EFFECTOR, (0.05, 0.05, 0.08), at=(0, 0, LOW + TOOL))
    for k in LEGS:
        placed = model.add(f"leg_{k}", leg(), orientation=turned(k))
        model.revolute(f"hinge_4_{k}", placed["lower_cross"], effector,
                       at=turned(k) @ (PLATE, 0, LOW + TOOL), axis=turned(k)[:, 1])
    model.frame("tip", effector, (0, 0, LOW))
    return model


def led() -> vc.Result:
    """Inverse kinematics: the tip follows the helix, the carriages follow the tip."""
    model = build("parallel robot, tip led")
    model.trajectory("path", model.frames["tip"], helix())
    return vc.simulate(model, until=TIME, outputs=SAMPLES, integrator=vc.integrators.DOP853(rtol=1e-8, atol=1e-10))


def driven(recorded: vc.Result) -> vc.Result:
    """Dynamics: the carriages follow what was recorded, the tip follows them; read at and between its samples."""
    model = build("parallel robot, carriages driven")
    for k in LEGS:
        model.drive(f"leg_{k}.guide.travel", vc.functions.Recorded(recorded, f"leg_{k}.carriage.z"))
    # a step is no longer than the polynomials
    between = vc.integrators.DOP853(rtol=1e-8, atol=1e-10, max_step=TIME / SAMPLES)
    return vc.simulate(model, until=TIME, outputs=2 * SAMPLES, integrator=between)


def check_freedom(result: vc.Result) -> None:
    """Rows and freedoms, and the counts of the paper, which has 7 coordinates and a norm for each moving body."""
    m, moving = result.mobility, len(result.system.body_numbers)
    assert (m.rows, m.rank, m.redundant, m.dof) == (75, 75, 0, 3)
    assert (len(result.system.joints), 7 * moving, m.rows + moving) == (15, 91, 88)


def print_drives(result: vc.Result) -> None:
    """Forces and powers of the drives, and the largest force in a hinge of each leg."""
    print("\n        drive force [N]     drive power [W]     force in a hinge [N]\n"
          "           from        to      from        to             at most")
    for k in LEGS:
        force, power = (result[f"leg_{k}.guide.travel.drive.{what}"] for what in ("force", "power"))
        hinge = np.linalg.norm(result.reaction(f"leg_{k}.hinge_2").force, axis=1).max()
        print(f"leg {k}{force.min():10.2f}{force.max():10.2f}{power.min():10.2f}{power.max():10.2f}{hinge:20.2f}")
    print()


def main() -> list[float]:
    first = led()
    second = driven(first)
    check_freedom(first)
    path = np.column_stack([f.sample(second.t)[0] for f in helix()])
    turning = abs(np.column_stack([second[f"effector.e{k}"] for k in (1, 2, 3)]))
    middle = SAMPLES // 2
    height = carriage_height(2, np.array([f(first.t[middle]) for f in helix()]))
    found = [compare("tip from the helix at most", np.linalg.norm(second.point("tip") - path, axis=1).max(), 0.0, "m"),
             compare("quaternion e1, e2, e3 of the effector at most", turning.max(), 0.0),
             compare("height of carriage 2 at 3 s, tip led", first["leg_2.carriage.z"][middle], height, "m"),
             compare("drive of carriage 1 at the start", second["leg_1.guide.travel.drive.force"][0], WEIGHT / 3, "N"),
             compare("work of the drives", second["energy.work"][-1], WEIGHT * RISE, "J")]
    print_drives(second)
    print(f"{first}\n\n{second}")
    return found


if __name__ == "__main__":
    main()
