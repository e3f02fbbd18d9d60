"""Followers that leave their cam and come back, against closed forms."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import vincolo as vc

DISC, OFFSET, G = 0.2, 0.06, 9.81
PROFILE = vc.Expression("o*cos(t) + sqrt(r^2 - o^2*sin(t)^2)", o=OFFSET, r=DISC)  # a circle about (e, 0)


def follower(speed, restitution=0.0, **shape):
    """An eccentric disc about y, led at a speed from its lowest place, and a follower that lies on it by its weight."""
    m = vc.Model(gravity=(0, 0, -G))
    cam, rod = m.body("cam", 1.0, 0.02), m.body("rod", 0.5, 0.01)
    m.revolute("O", m.ground, cam, at=(0, 0, 0), axis="-y")
    m.prismatic("P", m.ground, rod, at=(0, 0, 0), axis="z")
    m.drive("O.angle", f"{speed!r}*t")
    place = DISC - OFFSET + shape.get("roller", 0.0)
    m.cam_contact("touch", cam, rod, (0, 0, 0), "-y", (0, 0, -1), profile=PROFILE, point=(0, 0, place),
                  restitution=restitution, **shape)
    return m


def lift(angle, reach):
    """Height of the follower over the pivot with a knife edge or a roller: of a circle about the disc's middle."""
    return -OFFSET * np.cos(angle) + np.sqrt(reach**2 - (OFFSET * np.sin(angle))**2)


@pytest.mark.parametrize("shape", [{}, {"roller": 0.05}, {"normal": "z"}])
def test_a_slow_follower_stays_on_its_cam(shape):
    run = vc.simulate(follower(3.0, **shape), 4.0, outputs=100)
    assert run["touch.on"].min() == 1
    angle, start = 3.0 * run.t, DISC - OFFSET + shape.get("roller", 0.0)
    exact = DISC - OFFSET * np.cos(angle) if "normal" in shape else lift(angle, DISC + shape.get("roller", 0.0))
    assert run["P.travel"] == pytest.approx(exact - start, abs=1e-8)
    if "normal" in shape:
        assert run["touch.force"] == pytest.approx(0.5 * (G + OFFSET * 9.0 * np.cos(angle)), rel=1e-6)


def test_a_fast_follower_leaves_at_the_closed_angle_and_lands_at_the_closed_time():
    """On a flat face z = r - e cos(w t): it leaves where z'' = -g, flies freely, and lands where heights are equal."""
    w = 16.0
    run = vc.simulate(follower(w, normal="z"), 0.4, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    leaves, lands = (next(e for e in run.events if e.name == f"touch.{word}" and (word == "opens" or e.impulses))
                     for word in ("opens", "closes"))
    t = math.acos(-G / (OFFSET * w * w)) / w
    assert leaves.t == pytest.approx(t, abs=1e-7)  # the curve is a cubic spline of 1440 pieces: z'' to 4e-7 of itself
    z, v = -OFFSET * math.cos(w * t), OFFSET * w * math.sin(w * t)
    end = brentq(lambda x: z + v * (x - t) - 0.5 * G * (x - t)**2 + OFFSET * math.cos(w * x), t + 0.02, t + 0.4)
    assert lands.t == pytest.approx(end, abs=1e-7)
    closing = v - G * (end - t) - OFFSET * w * math.sin(w * end)
    assert lands.impulses["touch"] == pytest.approx(-0.5 * closing, rel=1e-6)  # the cam is led: all of it is the rod's


def test_a_follower_bounces_by_its_restitution_along_the_normal_of_the_curve():
    """A knife edge on a led cam: the rate of the gap is thrown back."""
    run = vc.simulate(follower(16.0, 0.5), 0.4, integrator=vc.DOP853(rtol=1e-10, atol=1e-12))
    hits = [e for e in run.events if e.impulses]
    assert hits
    for hit in hits[:3]:
        before, after = hit.before["touch.rate"], hit.after["touch.rate"]
        assert after == pytest.approx(-0.5 * before, rel=1e-8)


def test_wrong_cams_are_refused():
    with pytest.raises(vc.ModelError, match="roller is -1 m; it is a positive radius"):
        follower(1.0, roller=-1.0)
    with pytest.raises(vc.ModelError, match="a flat face has none"):
        follower(1.0, roller=0.1, normal="z")


def pair(speed, counter, at=DISC + 0.16, **bound):
    """The eccentric disc, and a follower that is one too, or an ellipse."""
    m = vc.Model(gravity=(0, 0, -G))
    cam, rod = m.body("cam", 1.0, 0.02), m.body("rod", 0.5, 0.01, at=(0, 0, at))
    m.revolute("O", m.ground, cam, at=(0, 0, 0), axis="-y")
    m.prismatic("P", m.ground, rod, at=(0, 0, at), axis="z")
    m.drive("O.angle", f"{speed!r}*t")
    m.cam_contact("touch", cam, rod, (0, 0, 0), "-y", profile=PROFILE, point=(0, 0, at), counter=counter, **bound)
    return m


def test_a_disc_on_a_disc_keeps_their_centres_apart():
    r, o = 0.15, 0.04
    run = vc.simulate(pair(3.0, vc.Expression("o*cos(t) + sqrt(r^2 - o^2*sin(t)^2)", o=o, r=r)), 2.0, outputs=80)
    on = run["touch.on"] > 0
    angle, height = 3.0 * run.t, run["P.travel"] + DISC + 0.16
    apart = np.hypot(o - OFFSET * np.cos(angle), height - OFFSET * np.sin(angle))
    assert run.complete and on.mean() > 0.9
    assert apart[on] == pytest.approx(DISC + r, abs=1e-10)
    assert abs(run["energy.balance"]).max() < 1e-7


ELLIPSE = vc.Expression("a*b/sqrt((b*cos(t))^2 + (a*sin(t))^2)", a=0.15, b=0.1)


def test_an_ellipse_leaves_a_disc_and_its_gap_is_the_distance():
    steps = vc.DOP853(rtol=1e-10, atol=1e-12)
    run = vc.simulate(pair(16.0, ELLIPSE, restitution=0.5), 1.0, outputs=40, integrator=steps)
    assert run.complete and (run["touch.on"] == 0).mean() > 0.2
    t = np.linspace(0, 2 * np.pi, 40001)
    edge = np.stack([0.15 * np.cos(t), 0.1 * np.sin(t)])
    for angle, height, gap in zip(16.0 * run.t, run["P.travel"] + DISC + 0.16, run["touch.value"], strict=True):
        away = np.hypot(edge[0] - OFFSET * math.cos(angle), edge[1] + height - OFFSET * math.sin(angle)).min() - DISC
        assert gap == pytest.approx(away, abs=1e-7)
    assert np.diff(run["energy.total"] - run["energy.work"]).max() < 1e-7


def test_curves_with_hollows_do_not_meet_each_other():
    with pytest.raises(vc.ModelError, match="'touch': counter: it has a hollow"):
        pair(1.0, "0.15 + 0.05*cos(5*t)")
    with pytest.raises(vc.ModelError, match="neither a roller nor a flat face"):
        pair(1.0, ELLIPSE, roller=0.1)


@pytest.mark.parametrize("ending", ["xlsx", pytest.param("yaml", marks=pytest.mark.slow)])
def test_two_curves_are_the_same_after_saving_and_reading(ending, tmp_path):
    """Files keep the parts that it is made of: the needle, its row, the gap and both curves."""
    model = pair(16.0, ELLIPSE, restitution=0.5)
    vc.save_model(model, tmp_path / f"curves.{ending}")
    first, second = (vc.simulate(m, 0.3, outputs=10) for m in (model, vc.load_model(tmp_path / f"curves.{ending}")))
    assert [e.name for e in first.events] == [e.name for e in second.events] != []
    for name in ("P.travel", "touch.value", "touch.force"):
        assert np.array_equal(first[name], second[name])


def test_a_roller_that_does_not_reach_into_a_hollow_is_refused():
    hollow = {"profile": "0.2 + 0.05*cos(5*t)", "point": (0, 0, 0.3)}
    m = vc.Model()
    cam, rod = m.body("cam", 1.0, 0.02), m.body("rod", 0.5, 0.01)
    with pytest.raises(vc.ModelError, match="0.2"):
        m.cam_contact("touch", cam, rod, (0, 0, 0), "-y", roller=0.2, **hollow)
    with pytest.raises(vc.ModelError, match="hollow"):
        m.cam_contact("touch", cam, rod, (0, 0, 0), "-y", normal="z", **hollow)
