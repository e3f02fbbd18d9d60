"""Cams: an eccentric disc with a knife edge, a roller and a flat face, and points on curves, against closed forms."""

import numpy as np
import pytest

import vincolo as vc

DISC, OFFSET, ROLLER = 0.2, 0.06, 0.05  # m
SPEED = 3.0  # rad/s
PROFILE = vc.Expression("o*cos(t) + sqrt(r^2 - o^2*sin(t)^2)", o=OFFSET, r=DISC)  # a circle about (e, 0)


def cam_and_follower(join):
    """A driven disc about z and a follower that slides along x."""
    model = vc.Model(gravity=(0, 0, 0))
    cam = model.body("cam", 1.0, 0.02)
    follower = model.body("follower", 0.5, 0.01, at=(0.4, 0, 0))
    model.revolute("O", model.ground, cam, at=(0, 0, 0), axis="z")
    model.prismatic("P", model.ground, follower, at=(0.4, 0, 0), axis="x")
    join(model, cam, follower)
    model.drive("O.angle", f"{SPEED}*t")
    return vc.simulate(model, 4.0, outputs=200)


def about(angle, reach):
    """Distance of a point on the x axis from the pivot, at a given reach from the disc's middle."""
    return OFFSET * np.cos(angle) + np.sqrt(reach**2 - (OFFSET * np.sin(angle)) ** 2)


def test_a_knife_edge():
    start = OFFSET + DISC
    result = cam_and_follower(
        lambda m, cam, f: m.cam("C", cam, f, at=(0, 0, 0), axis="z", along="x", profile=PROFILE, point=(start, 0, 0))
    )
    angle = -SPEED * result.t
    assert start + result["P.travel"] == pytest.approx(about(angle, DISC), abs=1e-9)
    exact = np.gradient(about(-SPEED * result.t, DISC), result.t)[5:-5]
    assert result["P.travel.rate"][5:-5] == pytest.approx(exact, abs=2e-3)


def test_a_roller():
    start = OFFSET + DISC + ROLLER
    result = cam_and_follower(
        lambda m, cam, f: m.cam(
            "C", cam, f, at=(0, 0, 0), axis="z", along="x", profile=PROFILE, point=(start, 0, 0), roller=ROLLER
        )
    )
    assert start + result["P.travel"] == pytest.approx(about(-SPEED * result.t, DISC + ROLLER), abs=1e-9)


def test_a_flat_face():
    """x = r + e cos(angle)."""
    start = OFFSET + DISC
    result = cam_and_follower(
        lambda m, cam, f: m.flat_cam(
            "C", cam, f, at=(0, 0, 0), axis="z", along="x", profile=PROFILE, point=(start, 0, 0), normal="x"
        )
    )
    assert start + result["P.travel"] == pytest.approx(DISC + OFFSET * np.cos(SPEED * result.t), abs=1e-9)
    # its acceleration, and so the force of the drive: F x' = T w
    force = -0.5 * OFFSET * SPEED**2 * np.cos(SPEED * result.t)
    rate = -OFFSET * SPEED * np.sin(SPEED * result.t)
    assert result["O.angle.drive.force"] == pytest.approx(force * rate / SPEED, abs=1e-7)


def test_a_bead_on_a_wire():
    """Energy on y = x^2 under gravity along -y: v^2 / 2 + g x^2 stays."""
    model = vc.Model(gravity=(0, -9.81, 0))
    bead = model.body("bead", 1.0, 0.001, at=(1, 1, 0))
    model.point_on_curve("wire", model.ground, bead, at=(0, 0, 0), axis="z", along="x", point=(1, 1, 0), y="t^2")
    result = vc.simulate(model, 3.0, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    x, y = result["bead.x"], result["bead.y"]
    assert y == pytest.approx(x**2, abs=1e-10)
    speed = result["bead.vx"] ** 2 + result["bead.vy"] ** 2
    assert speed / 2 + 9.81 * y == pytest.approx(9.81, abs=1e-7)
    assert result["wire.x"] == pytest.approx(x, abs=1e-12)


@pytest.mark.parametrize(
    ("join", "message"),
    [
        (
            lambda m, a, b: m.cam(
                "C", a, b, at=(0, 0, 0), axis="z", profile="0.1 + 0.01*t", point=(1, 0, 0), roller=0.1
            ),
            "does not close",
        ),
        (
            lambda m, a, b: m.cam(
                "C", a, b, at=(0, 0, 0), axis="z", profile="0.1 + 0.05*cos(6*t)", point=(1, 0, 0), roller=0.2
            ),
            "does not fit into its hollows",
        ),
        (
            lambda m, a, b: m.flat_cam(
                "C", a, b, at=(0, 0, 0), axis="z", profile="0.1 + 0.05*cos(3*t)", point=(1, 0, 0), normal="x"
            ),
            "hollow",
        ),
        (
            lambda m, a, b: m.cam("C", a, b, at=(0, 0, 0), axis="z", profile="cos(t)", point=(1, 0, 0), roller=0.1),
            "positive",
        ),
        (
            lambda m, a, b: m.cam("C", a, b, at=(0, 0, 0), axis="z", profile="cos(t)", point=(1, 0, 0), roller=-1),
            "negative",
        ),
        (lambda m, a, b: m.cam("C", a, b, axis="z", profile="cos(t)", point=(1, 0, 0)), "at= is missing"),
        (lambda m, a, b: m.gear("C", a, b, (0, 0, 0), (0, 0, 1), "z", ratio=2), "lie on one axis"),
        (lambda m, a, b: m.gear("C", a, b, (0, 0, 0), (1, 0, 0), "z", ratio=-2), "ratio is -2; it must be positive"),
        (lambda m, a, b: m.gear("C", a, b, (0, 0, 0), (1, 0, 0), "z", ratio=0.5, internal=True), "ratio above 1"),
        (
            lambda m, a, b: m.gear("C", a, b, (0, 0, 0), (1, 0, 0), "z", ratio=2, pressure_angle=20),
            "20 rad; usual values are",
        ),
        (lambda m, a, b: m.gear("C", a, b, (0, 0, 0), (1, 0, 0), "z", ratio=2, flank=2), "flank is 2; it is 1 or -1"),
        (lambda m, a, b: m.screw("C", a, b, at=(0, 0, 0), axis="z", pitch=float("nan")), "pitch is nan"),
        (lambda m, a, b: m.screw("C", a, a, at=(0, 0, 0), axis="z", pitch=1), "same body"),
        (lambda m, a, b: m.rack_and_pinion("C", a, b, at=(0, 0, 0), axis="z", along="x", radius=0), "must not be"),
        (
            lambda m, a, b: m.rolling_disc("C", a, b, centre=(0, 0, 1), axle="x", radius=0),
            "radius is 0; it must be positive",
        ),
        (lambda m, a, b: m.couple("C", {}), "coordinates with their factors"),
        (lambda m, a, b: m.couple("C", {"nothing": 2}), "nothing called 'nothing'"),
        (lambda m, a, b: m.trajectory("C", b, (0, 0, 0)), "a frame on a moving body"),
        (lambda m, a, b: m.trajectory("C", b.frame((0, 0, 0)), (0, 0)), "not three functions"),
        (lambda m, a, b: m.switch("X", False), "no joint, drive, spring, law or load called 'X'"),
        (
            lambda m, a, b: m.hold("C", vc.formula("x + y", x=vc.distance(a.frame(), b.frame((1, 0, 0))))),
            "'y' is not known",
        ),
        (lambda m, a, b: vc.formula("2*t"), "needs a measure"),
        (
            lambda m, a, b: 2 * vc.formula("2*x", x=vc.distance(a.frame(), b.frame((1, 0, 0)))),
            "write the sum into its text",
        ),
    ],
)
def test_what_cannot_be_joined_says_why(join, message):
    model = vc.Model()
    a, b = model.body("a", 1.0, 0.1), model.body("b", 1.0, 0.1, at=(1, 0, 0))
    with pytest.raises(vc.ModelError, match=message):
        join(model, a, b)
