"""Motion from drives alone against closed forms: four-bars, a Stewart platform; ranges, locking, dragging."""

import numpy as np
import pytest

import vincolo as vc
from linkages import parallelogram

CRANK, COUPLER, ROCKER, BASE = 0.3, 0.8, 0.6, 0.9  # m


def elbow(A, D, b, c):
    """The point at b from A and c from D, on the left of the way from A to D."""
    along = D - A
    e = np.linalg.norm(along, axis=-1)
    turn = np.arctan2(along[..., 1], along[..., 0]) + np.arccos((b**2 + e**2 - c**2) / (2 * b * e))
    return A + b * np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=-1)


def four_bar(a=CRANK, b=COUPLER, c=ROCKER, d=BASE, start=0.7):
    """Hinges everywhere: three redundant rows."""
    model = vc.Model("four-bar")
    origin, D = np.zeros(3), np.array([d, 0, 0])
    A = a * np.array([np.cos(start), np.sin(start), 0])
    B = elbow(A, D, b, c)
    crank, coupler, rocker = (
        model.body(name, 1.0, 0.01, at=(p + q) / 2)
        for name, p, q in (("crank", origin, A), ("coupler", A, B), ("rocker", B, D))
    )
    for name, one, two, at in (
        ("O", model.ground, crank, origin),
        ("A", crank, coupler, A),
        ("B", coupler, rocker, B),
        ("D", model.ground, rocker, D),
    ):
        model.revolute(name, one, two, at=at, axis="z")
    model.frame("joint", coupler, B)
    model.frame("tip", coupler, B + [0.2, 0.3, 0])
    return model


def test_a_four_bar_over_a_full_turn():
    model = four_bar()
    model.drive("O.angle", "t")
    result = vc.kinematics(model, 2 * np.pi, outputs=360)
    assert result.complete and len(result) == 361
    A = CRANK * np.stack([np.cos(0.7 + result.t), np.sin(0.7 + result.t), 0 * result.t], axis=-1)
    D = np.array([BASE, 0, 0])
    B = elbow(A, D, COUPLER, ROCKER)
    assert result.point("joint") == pytest.approx(B, abs=1e-10)

    # velocities of B: w_coupler and w_rocker from the closed loop, and accelerations from the loop differentiated again
    def spin(r):
        return np.stack([-r[:, 1], r[:, 0], 0 * r[:, 0]], axis=-1)

    velocity, acceleration = spin(A), -A
    two, three = spin(B - A), spin(B - D)
    rates = np.linalg.solve(np.stack([two[:, :2], -three[:, :2]], axis=-1), -velocity[:, :2, None])[:, :, 0]
    assert result["coupler.wz"] == pytest.approx(rates[:, 0], abs=1e-10)
    assert result["rocker.wz"] == pytest.approx(rates[:, 1], abs=1e-10)
    right = -acceleration + rates[:, :1] ** 2 * (B - A) - rates[:, 1:] ** 2 * (B - D)
    second = np.linalg.solve(np.stack([two[:, :2], -three[:, :2]], axis=-1), right[:, :2, None])[:, :, 0]
    assert result["coupler.alpha_z"] == pytest.approx(second[:, 0], abs=1e-10)
    assert result["D.angle.acceleration"] == pytest.approx(second[:, 1], abs=1e-10)
    # the transmission angle, at B, by the law of cosines
    e2 = CRANK**2 + BASE**2 - 2 * CRANK * BASE * np.cos(0.7 + result.t)
    between = np.arccos((COUPLER**2 + ROCKER**2 - e2) / (2 * COUPLER * ROCKER))
    assert vc.transmission_angle(result, "A", "B", "D") == pytest.approx(between, abs=1e-10)


@pytest.mark.parametrize("lengths", [(0.5, 0.4, 0.6, 1.0), (0.6, 0.5, 0.3, 0.9)])
def test_the_range_of_a_crank_that_cannot_go_round(lengths):
    """Its ends are where coupler and rocker are in line."""
    a, b, c, d = lengths
    model = four_bar(a, b, c, d)
    found = vc.motion_range(model, "O.angle")
    stretched = np.arccos((a**2 + d**2 - (b + c) ** 2) / (2 * a * d)) if b + c < a + d else np.inf
    folded = np.arccos(np.clip((a**2 + d**2 - (b - c) ** 2) / (2 * a * d), -1, 1))
    assert not found.full_turn
    highest = 0.7 + found.highest
    assert highest == pytest.approx(stretched, abs=1e-5)
    lowest = 0.7 + found.lowest
    assert lowest == pytest.approx(-stretched if (b - c) ** 2 <= (d - a) ** 2 else folded, abs=1e-5)


def test_a_crank_goes_round_by_grashof():
    assert vc.motion_range(four_bar(), "O.angle").full_turn


def test_a_motion_that_locks_says_where():
    model = four_bar(0.5, 0.4, 0.6, 1.0)
    model.drive("O.angle", "t")
    with pytest.warns(
        vc.SimulationWarning, match="(?s)locks at t = .*O.angle = .*dead centre or the end of its reach"
    ):
        result = vc.kinematics(model, 3.0, outputs=300)
    assert 10 < len(result) < 300


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda m: None, "nothing is driven"),
        (lambda m: [m.drive("O.angle", "t"), m.drive("D.angle", "t", name="second")], "fight for the same motion"),
        (lambda m: m.drive("O.angle", "t", level="velocity"), "gives a velocity; positions are needed"),
    ],
)
def test_what_cannot_be_followed(build, message):
    model = four_bar()
    build(model)
    with pytest.raises(vc.VincoloError, match=message):
        vc.kinematics(model, 1.0)


def test_what_is_not_driven_moves_as_little_as_it_can():
    """A double pendulum with its lower end led along a line: energy of the motion is least among all that do it."""
    model = vc.Model(gravity=(0, 0, 0))
    one = model.body("one", 1.0, 0.02, at=(0.25, 0, 0))
    two = model.body("two", 1.0, 0.02, at=(0.6, 0.2, 0))
    model.revolute("A", model.ground, one, at=(0, 0, 0), axis="z")
    model.revolute("B", one, two, at=(0.5, 0, 0), axis="z")
    tip = model.frame("tip", two, (0.7, 0.4, 0))
    model.trajectory("lead", tip, ("0.7 - 0.1*t", None, None))
    result = vc.kinematics(model, 1.0, outputs=20)
    assert "least motion" in result.settings.integrator
    assert result["tip.x"] == pytest.approx(0.7 - 0.1 * result.t, abs=1e-10)
    J = np.array([-0.4, -0.4])  # d tip.x by the angles of A and B, at the start
    M = np.zeros((2, 2))
    for body, lever in (("one", [(0.25, 0.0), None]), ("two", [(0.6, 0.2), (0.1, 0.2)])):
        rows = np.array([[-p[1], p[0]] if p else [0, 0] for p in lever]).T
        turns = np.array([1.0, 1.0 if body == "two" else 0.0])
        M += rows.T @ rows + 0.02 * np.outer(turns, turns)
    least = np.linalg.solve(M, J) / (J @ np.linalg.solve(M, J)) * -0.1
    assert [result["A.angle.rate"][0], result["B.angle.rate"][0]] == pytest.approx(least, abs=1e-9)


def stewart():
    """Six legs of two bodies each on balls and crosses; the platform 0.6 m above the base."""
    model = vc.Model("platform", gravity=(0, 0, -9.81))
    platform = model.body("platform", 10.0, [0.3, 0.3, 0.5], at=(0, 0, 0.6))
    feet, heads = [], []
    for k in range(6):
        foot = np.radians(120 * (k // 2) + (15 if k % 2 else -15))
        head = np.radians(120 * (k // 2) + (45 if k % 2 else -45))
        feet.append(0.6 * np.array([np.cos(foot), np.sin(foot), 0]))
        heads.append(0.35 * np.array([np.cos(head), np.sin(head), 0]) + [0, 0, 0.6])
    for k, (p, q) in enumerate(zip(feet, heads, strict=True)):
        axis = (q - p) / np.linalg.norm(q - p)
        side = np.cross(axis, [0, 0, 1])
        side /= np.linalg.norm(side)
        lower = model.body(f"lower{k}", 1.0, 0.01, at=p + 0.25 * (q - p))
        upper = model.body(f"upper{k}", 1.0, 0.01, at=p + 0.75 * (q - p))
        model.universal(f"foot{k}", model.ground, lower, at=p, axis=side, axis2=np.cross(axis, side))
        model.prismatic(f"leg{k}", lower, upper, at=(p + q) / 2, axis=axis)
        model.spherical(f"head{k}", upper, platform, at=q)
    return model, feet, heads


def test_a_stewart_platform_there_and_back():
    """Inverse: the pose is led and the legs are read, against distances. Direct: legs driven, pose back."""
    model, feet, heads = stewart()
    middle = model.ground.frame((0, 0, 0)).moving("0.05*sin(t)", "0.04*t", "0.03*t^2", angle="0.2*t", axis="z")
    model.fixed("lead", middle, model.bodies["platform"].frame((0, 0, 0)))
    result = vc.kinematics(model, 1.0, outputs=50)
    t = result.t
    for k in range(6):
        turned = [
            np.cos(0.2 * t) * heads[k][0] - np.sin(0.2 * t) * heads[k][1] + 0.05 * np.sin(t),
            np.sin(0.2 * t) * heads[k][0] + np.cos(0.2 * t) * heads[k][1] + 0.04 * t,
            0.6 + 0.03 * t**2,
        ]
        length = np.linalg.norm(np.stack(turned, axis=-1) - feet[k], axis=1)
        assert result[f"leg{k}.travel"] == pytest.approx(length - length[0], abs=1e-10)
    direct, _, _ = stewart()
    for k in range(6):
        direct.drive(f"leg{k}.travel", vc.Recorded(result, f"leg{k}.travel"))
    back = vc.kinematics(direct, 1.0, outputs=t)
    for axis in "xyz":
        assert back[f"platform.{axis}"] == pytest.approx(result[f"platform.{axis}"], abs=1e-10)


def test_drives_of_a_forward_run_give_back_what_was_applied():
    """Inverse dynamics: the recorded accelerations as drives ask for the torques that caused them."""

    def arm():
        model = vc.Model(gravity=(0, -9.81, 0))
        one = model.body("one", 2.0, 0.05, at=(0.25, 0, 0))
        two = model.body("two", 1.0, 0.02, at=(0.7, 0, 0))
        model.revolute("A", model.ground, one, at=(0, 0, 0), axis="z")
        model.revolute("B", one, two, at=(0.5, 0, 0), axis="z")
        return model

    forward = arm()
    forward.actuator("TA", "A.angle", "8*sin(3*t) + 12")
    forward.actuator("TB", "B.angle", "2*cos(5*t)")
    run = vc.simulate(forward, 1.0, outputs=40, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    inverse = arm()
    for name in ("A.angle", "B.angle"):
        inverse.drive(name, vc.Recorded(run, name, outside="extend"))
    found = vc.kinematics(inverse, 1.0, outputs=run.t)
    assert found["A.angle.drive.force"] == pytest.approx(run["TA.force"], abs=1e-9)
    assert found["B.angle.drive.force"] == pytest.approx(run["TB.force"], abs=1e-9)


def test_dragging_a_point():
    model = four_bar()
    state = vc.assemble(vc.compile(model))
    hand = vc.Dragged(state)
    goal = np.array([0.1, 0.7, 0.0])
    for share in np.linspace(0, 1, 30):
        now = hand.to("tip", (1 - share) * state.channels.point(model.frames["tip"])[0] + share * goal, 10)
        phi = now.system.kernel.rows(now.t, now.y.tolist(), now.turns.tolist())["phi"]
        assert np.abs(phi).max() < 1e-9
    # on its path, one freedom, it stands where the way to the goal is at right angles to the path
    before, after = (
        vc.drag(now, "tip", now.channels.point(model.frames["tip"])[0] + [0, h, 0]) for h in (-1e-4, 1e-4)
    )
    path = after.channels.point(model.frames["tip"])[0] - before.channels.point(model.frames["tip"])[0]
    away = goal - now.channels.point(model.frames["tip"])[0]
    assert abs(path @ away) < 1e-2 * np.linalg.norm(path) * max(np.linalg.norm(away), 1e-3)
    assert hand.left == pytest.approx(np.linalg.norm(away), abs=1e-12)


def test_what_cannot_be_dragged():
    model = four_bar()
    state = vc.assemble(vc.compile(model))
    with pytest.raises(vc.ModelError, match="no frame called 'nose'. Frames: joint, tip"):
        vc.drag(state, "nose", (0, 0, 0))
    with pytest.raises(vc.ModelError, match="not in use"):
        vc.drag(state, model.bodies["crank"].frame((0, 0, 0)), (0, 0, 0))
    with pytest.raises(vc.ModelError, match="the target is"):
        vc.drag(state, "tip", (0, float("nan"), 0))


def cardan(laws):
    """Two shafts at 10 degrees and a cross, six hinges: 13 redundant rows (Vita, 4.7.3). The input turns at 2 rad/s by
    the cosine and the sine of its angle."""
    bend, model = np.radians(10), vc.Model("Cardan joint", gravity=(0, 0, 0))
    out = np.array([np.cos(bend), np.sin(bend), 0])
    side = np.cross([0, 0, 1], out)
    shaft, cross, driven = (model.body("shaft", 1, 0.1, at=(-0.5, 0, 0)), model.body("cross", 0.2, 0.01),
                            model.body("driven", 1, 0.1, at=0.5 * out))
    model.revolute("in", model.ground, shaft, at=(-0.5, 0, 0), axis="x")
    model.revolute("out", model.ground, driven, at=0.5 * out, axis=out)
    for name, arm in (("left", -0.1), ("right", 0.1)):
        model.revolute(f"{name} in", shaft, cross, at=(0, 0, arm), axis="z")
        model.revolute(f"{name} out", cross, driven, at=arm * side, axis=side)
    still, turning = model.ground.frame((0, 0, 0)), shaft.frame((0, 0, 0))
    if "cos" in laws:
        model.drive(vc.cosine("y", "y", still, turning), "cos(2*t)", name="cosine")
    if "sin" in laws:
        model.drive(vc.cosine("z", "y", still, turning), "sin(2*t)", name="sine")
    return model


def test_a_cardan_joint_driven_by_two_laws():
    model = cardan(["cos", "sin"])
    found = vc.mobility(cardan([]))
    assert (found.dof, found.rows, found.rank, found.redundant) == (1, 30, 17, 13)
    result = vc.kinematics(model, np.pi, outputs=4000)
    speed = result["out.angle.rate"]
    assert speed.min() == pytest.approx(1.969615506, abs=1e-8)
    assert speed.max() == pytest.approx(2.030853224, abs=1e-8)
    assert result["in.angle"] == pytest.approx(2 * result.t, abs=1e-9)


def test_one_law_of_the_cardan_joint_leaves_its_direction_open():
    with pytest.raises(vc.ModelError, match="(?s)'cosine' moves nothing in this position.*dead centre"):
        vc.kinematics(cardan(["cos"]), 1.0)


def test_drives_that_part_on_the_way_are_found():
    model = four_bar()
    model.drive("O.angle", "t")
    model.drive("O.angle", "t + t^4", name="second")
    with pytest.raises(vc.ModelError, match="(?s)more drives .*'second'.* than freedoms, and from t = 0.0.*disagree"):
        vc.kinematics(model, 1.0)


def test_the_change_point_of_a_parallelogram_is_named():
    """It is flat where its bars have turned from 1 rad to pi."""
    model = parallelogram(1.0, bars=2)
    model.drive("foot0.angle", "t")
    result = vc.kinematics(model, 3.0, outputs=300)
    (when, kind), = result.statistics["singular"]
    assert when == pytest.approx(np.pi - 1.0, abs=1e-3)
    assert kind.startswith("change point")
    assert "change point" in result.summary()


def test_a_singular_pose_of_the_stewart_platform_is_named():
    """Turned by a right angle, a platform of this symmetry cannot be held by its legs (Fichter 1986)."""
    led, _, _ = stewart()
    turning = led.ground.frame((0, 0, 0)).moving(angle="t", axis="z")
    led.fixed("lead", turning, led.bodies["platform"].frame((0, 0, 0)))
    legs = vc.kinematics(led, 1.9, outputs=190)
    assert legs.statistics["singular"] == []
    held, _, _ = stewart()
    for k in range(6):
        held.drive(f"leg{k}.travel", vc.Recorded(legs, f"leg{k}.travel"))
    result = vc.kinematics(held, 1.9, outputs=190)
    (when, kind), = result.statistics["singular"]
    assert when == pytest.approx(np.pi / 2, abs=2e-3)
    assert kind.startswith("dead centre")
