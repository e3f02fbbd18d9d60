"""Friction that sticks, against closed forms and balances."""

import math

import numpy as np
import pytest
from scipy.integrate import simpson

import vincolo as vc

G = 9.81


def named(result, name):
    return [event for event in result.events if event.name == name]


def incline(angle, mu, **more):
    """A block on a slide, with gravity turned instead of the slide."""
    m = vc.Model(gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    block = m.body("block", 2.0, 0.1)
    m.prismatic("slide", m.ground, block, at=(0, 0, 0), axis="x")
    m.friction("dry", "slide", mu, **more)
    return m


def on_floor(angle, mu, speed=0.0):
    """The same on a stop: a point that may leave the plane."""
    m = vc.Model(gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    m.body("block", 2.0, 0.1, velocity=(speed, 0, 0))
    m.stop("floor", "block.z", at_least=0.0)
    m.friction("dry", "floor", mu, along="block.x")
    return m


@pytest.mark.parametrize("built", [incline, on_floor], ids=["joint", "stop"])
def test_a_block_stays_on_an_incline_that_is_not_too_steep(built):
    result = vc.simulate(built(math.atan(0.5) - 1e-6, 0.5), 10.0)
    assert result.complete
    assert abs(result["block.x"]).max() < 1e-9
    assert result["dry.stuck"].min() == 1.0
    assert result["dry.force"][-1] == pytest.approx(-2 * G * math.sin(math.atan(0.5) - 1e-6), rel=1e-9)


@pytest.mark.parametrize("built", [incline, on_floor], ids=["joint", "stop"])
def test_a_block_slides_on_one_that_is(built):
    angle = math.atan(0.5) + 0.1
    a = G * (math.sin(angle) - 0.5 * math.cos(angle))
    result = vc.simulate(built(angle, 0.5), 2.0)
    assert result["block.ax"] == pytest.approx(a, rel=1e-8)
    assert result["block.x"][-1] == pytest.approx(0.5 * a * 4, rel=1e-8)
    assert abs(result["energy.balance"]).max() < 1e-8


@pytest.mark.parametrize("built", [incline, on_floor], ids=["joint", "stop"])
def test_a_block_comes_to_rest_where_its_energy_is_used_up(built):
    m = built(0.0, 0.3) if built is on_floor else incline(0.0, 0.3)
    if built is incline:
        start = vc.assemble(m, {"slide.travel.rate": 2.0})
        result = vc.simulate(start.system, 2.0, start=start)
    else:
        result = vc.simulate(on_floor(0.0, 0.3, 2.0), 2.0)
    [stop] = named(result, "dry.sticks")
    assert stop.t == pytest.approx(2.0 / (0.3 * G), abs=1e-10)
    assert result["block.x"][-1] == pytest.approx(4.0 / (2 * 0.3 * G), abs=1e-10)
    assert result["dry.force"][-1] == pytest.approx(0.0, abs=1e-9)


def belt(mu_static=0.4, mu=0.25, speed=0.2, k=50.0, mass=1.0):
    m = vc.Model(gravity=(0, 0, -G))
    block, band = m.body("block", mass, 0.1), m.body("belt", 1.0, 0.1, at=(0, 0, -0.1))
    rail = m.prismatic("rail", m.ground, block, at=(0, 0, 0), axis="x")
    track = m.prismatic("track", m.ground, band, at=(0, 0, -0.1), axis="x")
    m.drive("track.travel", f"{speed}*t")
    m.spring("spring", "rail.travel", k=k, length=0.0)
    m.friction("dry", rail["travel"] - track["travel"], mu, mu_static=mu_static, normal=mass * G)
    return m


def changes(count, mu_static=0.4, mu=0.25, speed=0.2, k=50.0, mass=1.0):
    """Times at which it breaks loose and sticks again (Den Hartog 1931): sticks to the belt until k x = mu_s N."""
    w, far = math.sqrt(k / mass), (mu_static - mu) * mass * G / k
    t, found = mu_static * mass * G / (k * speed), []
    while len(found) < count:
        found.append(t)
        t += 2 / w * (math.pi - math.atan(far * w / speed))
        found.append(t)
        t += 2 * far / speed
    return found[:count]


def test_stick_slip_changes_at_the_times_of_the_closed_form():
    m = belt()
    start = vc.assemble(m, {"rail.travel.rate": 0.2})
    result = vc.simulate(start.system, 9.0, start=start, integrator=vc.integrators.DOP853(rtol=1e-11, atol=1e-13))
    found = [event.t for event in result.events]
    assert result.complete
    assert [event.name for event in result.events][:4] == ["dry.slips", "dry.sticks", "dry.slips", "dry.sticks"]
    assert found[:10] == pytest.approx(changes(10), abs=1e-8)


def test_friction_in_a_redundant_five_bar_takes_what_leaves_the_energy():
    from five_bar import build

    m = build()
    for name in list(m.joints):
        m.friction(f"in {name}", name, 0.2, radius=0.05)
    result = vc.simulate(m, 2.0, outputs=2000)
    names = list(m.frictions)
    lost = -simpson(sum(result[f"{name}.power"] for name in names), x=result.t)
    change = result["energy.total"][0] - result["energy.total"][-1]
    assert result.complete
    assert change > 0.01 * result["energy.kinetic"].max()
    assert lost == pytest.approx(change, rel=1e-4)  # power has kinks between samples
    assert abs(result["energy.balance"]).max() < 1e-6 * result["energy.kinetic"].max()


def test_the_torque_of_a_pin_follows_from_its_own_reaction():
    """A pendulum in a pin of radius r: m l^2 a'' = -m g l sin a - mu r N, N the size of the reaction itself."""
    mu, r, mass, length, inertia = 0.6, 0.1, 2.0, 0.5, 0.1
    m = vc.Model(gravity=(0, 0, -G))
    arm = m.body("arm", mass, inertia, at=(length, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    m.friction("pin", "O", mu, radius=r)
    result = vc.simulate(m, 0.4, outputs=40)
    torque, reaction = result["pin.force"], result["O.reaction.force"]
    slipping = abs(result["pin.slip"]) > 1e-3
    assert slipping.sum() > 30
    assert abs(torque[slipping]) == pytest.approx(mu * r * reaction[slipping], rel=1e-9)
    assert (torque * result["pin.slip"])[slipping].max() < 0
    moment = mass * G * length * np.cos(result["O.angle"])
    assert result["O.angle.acceleration"] * (inertia + mass * length**2) == pytest.approx(torque + moment, rel=1e-7)


def rod(mu, angle=math.pi / 3, speed=-1.0):
    """A rod that slides on its lower end, leaning the wrong way (Painleve 1895): length 2, mass 1, J = 1/3."""
    m = vc.Model(gravity=(0, 0, -G))
    body = m.body("rod", 1.0, (1 / 3, 1 / 3, 1e-3), at=(math.cos(angle), 0, math.sin(angle)), velocity=(speed, 0, 0))
    m.planar("plane", m.ground, body, at=(0, 0, 0), axis="y")
    m.frame("tip", body, (0, 0, 0))
    m.stop("floor", "tip.z", at_least=0.0)
    m.friction("dry", "floor", mu, along="tip.x")
    return m


def test_painleves_rod_stops_at_its_tip_by_an_impact_without_collision():
    """No accelerations fit: an impulse stops the tip at once, and the angular momentum about it stays."""
    result = vc.simulate(rod(2.0), 1.0, outputs=1000)
    assert result.complete and "by time stepping" in result.summary()
    falling = 3 * G * math.cos(math.pi / 3) / 4 * result.t[1]  # about the tip, since the impulse
    assert result["rod.wy"][1] == pytest.approx(-math.sin(math.pi / 3) / (4 / 3) + falling, rel=1e-3)
    assert result["dry.stuck"][1:600].all() and abs(result["tip.x"][:600]).max() < 1e-4
    assert abs(result["energy.balance"]).max() < 1e-6


def test_a_rod_with_less_friction_slides():
    result = vc.simulate(rod(0.3), 0.2)
    assert result.complete and abs(result["energy.balance"]).max() < 1e-8


def test_a_ball_that_bounces_with_friction_begins_to_roll():
    """A ball with spin meets the floor: its tangential impulse is mu times the normal one, or stops the slip."""
    m = vc.Model(gravity=(0, 0, -G))
    body = m.body("ball", 1.0, 0.4 * 0.01, at=(0, 0, 0.5), velocity=(1.0, 0, 0))
    m.planar("plane", m.ground, body, at=(0, 0, 0.5), axis="y")
    m.stop("floor", "ball.z", at_least=0.1, restitution=0.5)
    m.friction("dry", "floor", 0.1, along=vc.formula("x_rate", x=vc.along_world("x", m.ground.frame((0, 0, 0)),
                                                                               body.frame((0, 0, 0.5)))))
    result = vc.simulate(m, 0.4)
    hit = named(result, "floor.closes")[0]
    p = 1.5 * math.sqrt(2 * G * 0.4)
    assert hit.after["ball.vx"] == pytest.approx(1.0 - 0.1 * p, rel=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_a_foot_that_jams_on_a_stop_stays_there(restitution):
    """A lever whose foot scrapes: thrown back, friction would turn about and push it down again, so that no rebound is
    possible. The impulse is the least that stops it: I w / (x + mu z), with the foot at (x, z)."""
    m = vc.Model(gravity=(0, 0, 0))
    arm = m.body("arm", 1.0, 0.1, angular_velocity=(0, 1.0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    m.frame("foot", arm, (0.112, 0, 0.389))
    m.stop("floor", "foot.z", at_least=0.38, restitution=restitution)
    m.friction("scrape", "floor", 0.5, along="foot.x")
    result = vc.simulate(m, 0.5, outputs=50)
    assert result.complete and not result.statistics["crossing_steps"]
    hit = named(result, "floor.closes")[0]
    x, z = (hit.before[f"foot.{axis}"] for axis in "xz")
    assert hit.impulses["floor"] == pytest.approx(0.1 / (x + 0.5 * z), rel=1e-9)
    assert hit.impulses["scrape"] == pytest.approx(-0.5 * hit.impulses["floor"], rel=1e-9)
    assert abs(result["O.angle.rate"][-1]) < 1e-15


@pytest.mark.parametrize("friction", [False, True])
def test_a_drive_that_meets_a_stop_ends_the_run_whatever_rubs_elsewhere(friction):
    m = vc.Model(gravity=(0, 0, -G))
    slide = m.body("slide", 1.0, 0.1)
    m.prismatic("J", m.ground, slide, at=(0, 0, 0), axis="x")
    m.drive("J.travel", "0.5*t")
    m.stop("wall", "J.travel", at_most=0.1)
    block = m.body("block", 1.0, 0.1, at=(0, 1, 0), velocity=(3.0, 0, 0))
    m.planar("floor", m.ground, block, at=(0, 1, 0), axis="z")
    if friction:
        m.friction("dry", "floor", 0.1)
    with pytest.warns(vc.SimulationWarning, match="ended early"):
        result = vc.simulate(m, 0.5, outputs=10)
    assert not result.complete and "stop 'wall' is met at t = 0.2 s" in str(result.reason)
    assert result["wall.value"].max() <= 0.1 + 1e-9
