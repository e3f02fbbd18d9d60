"""Events against closed forms: bounces, periods, what breaks, what catches, and impulses that balance."""

import numpy as np
import pytest
from scipy.special import ellipk, ellipkinc

import vincolo as vc
from vincolo.solvers.integrators import Adaptive

G = 9.81
ADAPTIVE = sorted((cls for cls in vars(vc.integrators).values()
                   if isinstance(cls, type) and issubclass(cls, Adaptive) and cls.method), key=lambda cls: cls.__name__)
FORMULATIONS = [None, vc.NullSpace(), vc.Lagrange(), vc.JointCoordinates(), vc.UdwadiaKalaba()]


def tight(cls):
    return cls(rtol=1e-10, atol=1e-12)


def bouncing(e, height=1.0, mass=0.5):
    model = vc.Model(gravity=(0, 0, -G))
    model.body("ball", mass, 0.0, at=(0, 0, height))
    model.event("bounce", "ball.z", direction="down", bounce={"ball.z": e})
    model.event("top", "ball.vz", direction="down")
    return model


def named(result, name):
    return [event for event in result.events if event.name == name]


def bounce_times(e, count, height=1.0):
    return np.sqrt(2 * height / G) * (1 + 2 * np.cumsum([0.0, *(e**k for k in range(1, count))]))


@pytest.mark.parametrize("cls", ADAPTIVE, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("e", [0.5, 0.9, 1.0])
def test_a_ball_bounces_as_in_closed_form(e, cls):
    until = bounce_times(e, 6)[-1] + 1e-3
    result = vc.simulate(bouncing(e), until, integrator=tight(cls))
    hits, tops = named(result, "bounce"), named(result, "top")
    assert result.complete
    exact = 1e-8 if cls.__name__ == "BDF" else 1e-10  # its own error at this tolerance, wherever events are
    assert [hit.t for hit in hits] == pytest.approx(list(bounce_times(e, 6)), abs=exact)
    assert [top.after["ball.z"] for top in tops] == pytest.approx([e**(2 * n) for n in range(1, 6)], abs=exact)
    for hit in hits:
        assert hit.after["ball.vz"] == pytest.approx(-e * hit.before["ball.vz"], rel=1e-14)
        assert hit.impulses["ball.z"] == pytest.approx(0.5 * (hit.after["ball.vz"] - hit.before["ball.vz"]), rel=1e-12)
    assert result["energy.balance"] == pytest.approx(0.0, abs=10 * exact)


def test_bounces_without_end_stop_the_run_with_their_names():
    with pytest.warns(vc.SimulationWarning, match="events without end: 'bounce' at 1.35457"):
        result = vc.simulate(bouncing(0.5), 5.0)
    assert not result.complete
    assert result.events[-1].t == pytest.approx(3 * np.sqrt(2 / G), abs=1e-7)  # t1 (1 + 2 (e + e^2 + ...))
    assert len(result.t) > 40 and result["ball.z"].min() > -1e-9


def test_what_does_not_bounce_at_all_is_told_too():
    with pytest.warns(vc.SimulationWarning, match="events without end: 'bounce'"):
        vc.simulate(bouncing(0.0), 5.0)


def pendulum(angle=1.2):
    model = vc.Model(gravity=(0, 0, -G))
    bob = model.body("bob", 1.0, 0.0, at=(np.sin(angle), 0, -np.cos(angle)))
    model.revolute("O", model.ground.frame((0, 0, 0), z="-y"), bob.frame((0, 0, 0), z="-y"))
    model.measure("swing", vc.formula("atan2(x, -z)", x=vc.along("x", model.ground.frame((0, 0, 0)), bob.frame()),
                                      z=vc.along("z", model.ground.frame((0, 0, 0)), bob.frame())))
    return model


@pytest.mark.parametrize("cls", ADAPTIVE, ids=lambda cls: cls.__name__)
def test_the_period_of_a_pendulum_by_events(cls):
    model = pendulum()
    model.event("down", "swing", direction="up")
    result = vc.simulate(model, 10.0, integrator=cls(rtol=1e-12, atol=1e-13))
    period = 4 * ellipk(np.sin(0.6)**2) / np.sqrt(G)
    times = [event.t for event in result.events]
    assert len(times) == int((10.0 + period / 4) / period)
    tolerance = 1e-9 if cls.order >= 5 or cls.__name__ == "Auto" else 1e-7
    assert np.diff(times) == pytest.approx(period, abs=tolerance)


def crossings(level, angle, until):
    """Times at which a pendulum released at rest passes an angle: t = (K - F(phi, k)) / w and all its mirror images."""
    w, k = np.sqrt(G), np.sin(angle / 2)
    quarter = ellipk(k**2) / w
    first = quarter - ellipkinc(np.arcsin(np.sin(level / 2) / k), k**2) / w
    n = np.arange(int(until / quarter) + 2)
    return np.sort([t for t in np.concatenate([4 * quarter * n + first, 4 * quarter * (n + 1) - first]) if t < until])


def check_levels(cls, levels, until, tolerance):
    model = pendulum()
    for k, level in enumerate(levels):
        model.event(f"level {k}", f"swing - {level!r}")
    result = vc.simulate(model, until, integrator=tight(cls), outputs=3)
    found = 0
    for k, level in enumerate(levels):
        times = [event.t for event in named(result, f"level {k}")]
        expected = crossings(level, 1.2, until)
        assert len(times) == len(expected), (level, times, expected)
        assert times == pytest.approx(expected, abs=tolerance)
        found += len(times)
    return found


@pytest.mark.parametrize("cls", ADAPTIVE, ids=lambda cls: cls.__name__)
def test_random_levels_are_crossed_when_they_are(cls):
    rng = np.random.default_rng(3)
    assert check_levels(cls, rng.uniform(-1.1, 1.1, 8).tolist(), 3.0, 1e-7) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("cls", ADAPTIVE, ids=lambda cls: cls.__name__)
def test_a_thousand_random_event_times_are_found_and_none_twice(cls):
    rng = np.random.default_rng(4)
    assert check_levels(cls, rng.uniform(-1.19, 1.19, 50).tolist(), 22.0, 1e-6) >= 1000


@pytest.mark.parametrize("cls", ADAPTIVE, ids=lambda cls: cls.__name__)
def test_roots_close_together_in_one_long_step_are_found(cls):
    """Steps of a free flight are as long as the run."""
    rng = np.random.default_rng(5)
    model = vc.Model(gravity=(0, 0, 0))
    model.body("p", 1.0, 0.1, velocity=(1, 0, 0))
    pairs = [(a, a + float(10**rng.uniform(-5, -0.5))) for a in rng.uniform(0.05, 9.0, 40).tolist()]
    for k, (a, b) in enumerate(pairs):
        model.event(f"pair {k}", f"(p.x - {a!r})*(p.x - {b!r})")
        model.event(f"back {k}", f"(p.x - {a!r})*(p.x - {b!r})", direction="up")
    result = vc.simulate(model, 10.0, integrator=tight(cls), outputs=2)
    for k, pair in enumerate(pairs):
        assert [event.t for event in named(result, f"pair {k}")] == pytest.approx(pair, abs=1e-9)
        assert [event.t for event in named(result, f"back {k}")] == pytest.approx(pair[1:], abs=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda f: type(f).__name__)
def test_a_rod_breaks_at_its_reaction(formulation):
    """Released from the horizontal, the tension is 3 m g cos(angle): 2 m g is reached at cos = 2/3."""
    model = pendulum(np.pi / 2)
    model.event("break", f"O.reaction.force - {2 * G}", direction="up", switch_off="O")
    if isinstance(formulation, vc.UdwadiaKalaba | vc.JointCoordinates):
        with pytest.raises(vc.VincoloError, match="'bob' has no inertia about some axis"):
            vc.simulate(model, 2.0, formulation=formulation)
        return
    given = {} if formulation is None else {"formulation": formulation}
    result = vc.simulate(model, 2.0, integrator=vc.DOP853(rtol=1e-12, atol=1e-13), **given)
    [event] = result.events
    assert np.cos(event.after["swing"]) == pytest.approx(2 / 3, abs=1e-10)
    assert event.after["O.on"] == 0 and event.before["O.on"] == 1
    assert event.energy == pytest.approx(0.0, abs=1e-12)
    assert event.after.y[7:13] == pytest.approx(event.before.y[7:13], abs=1e-13)  # nothing jumps
    later = result.t > event.t
    s = result.t[later] - event.t
    fallen = event.after["bob.z"] + event.after["bob.vz"] * s - G * s**2 / 2
    assert result["bob.z"][later] == pytest.approx(fallen, abs=1e-9)
    assert result.reaction("O").force[later] == pytest.approx(0.0, abs=1e-12)


def momentum(state, about):
    """Linear momentum, and angular momentum about a point."""
    system, P, L = state.system, np.zeros(3), np.zeros(3)
    for k, c in enumerate(system.centred):
        r, v, w = state.y[13 * k:13 * k + 3], state.y[13 * k + 7:13 * k + 10], state.y[13 * k + 10:13 * k + 13]
        A = state.channels.rotation(k)[0] @ c.principal
        P += c.body.mass * v
        L += np.cross(r - about, c.body.mass * v) + A @ (c.moments * (A.T @ w))
    return P, L


@pytest.mark.parametrize("double", [False, True], ids=["one joint", "redundant joints"])
def test_a_hook_catches_with_its_impulses_balanced(double):
    """A plank flies past a hook; where it passes, its eye is caught: the moment about the hook is kept."""
    model = vc.Model(gravity=(0, 0, -G))
    plank = model.body("plank", 3.0, (0.2, 0.5, 0.4), at=(-1, 0, 0), velocity=(2.0, 0.1, 1.0),
                       angular_velocity=(0.3, -0.7, 0.2))
    eye = model.frame("eye", plank, (-0.4, 0.1, 0.05))
    model.spherical("hook", model.ground.frame((0, 0, 0)), plank.frame((-0.4, 0.1, 0.05)))
    model.switch("hook", False)
    names = ["hook"]
    if double:
        model.spherical("second", model.ground.frame((0, 0, 0)), plank.frame((-0.4, 0.1, 0.05)))
        model.switch("second", False)
        names.append("second")
    model.event("catch", "eye.x - 0.5", direction="up", switch_on=names)
    result = vc.simulate(model, 2.0, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    [event] = result.events
    point = np.array([event.after[f"eye.{axis}"] for axis in "xyz"])
    assert point[0] == pytest.approx(0.5, abs=1e-12)
    before, after = (momentum(state, point) for state in (event.before, event.after))
    assert after[1] == pytest.approx(before[1], abs=1e-10)
    assert [event.after[f"eye.v{axis}"] for axis in "xyz"] == pytest.approx([0, 0, 0], abs=1e-12)
    assert event.energy < -1
    later = result.t > event.t
    assert result.point("eye")[later] == pytest.approx(np.broadcast_to(point, (later.sum(), 3)), abs=1e-9)
    assert result["energy.balance"] == pytest.approx(0.0, abs=1e-7)
    assert eye.name == "eye"


def test_bodies_that_clutch_keep_momentum_and_its_moment():
    model = vc.Model(gravity=(0, 0, 0))
    one = model.body("one", 2.0, (0.1, 0.2, 0.3), at=(0, 0, 0), velocity=(1, 0.2, 0), angular_velocity=(0.5, 0.1, 1))
    two = model.body("two", 1.0, (0.3, 0.2, 0.2), at=(1.5, 0.2, 0), velocity=(-0.5, 0, 0.3))
    model.fixed("grip", one, two, at=(0.7, 0, 0))
    model.switch("grip", False)
    model.measure("gap", vc.distance(one.frame(), two.frame()))
    model.event("grip them", "gap - 1", direction="down", switch_on="grip")
    result = vc.simulate(model, 3.0)
    [event] = result.events
    before, after = (momentum(state, np.zeros(3)) for state in (event.before, event.after))
    assert after[0] == pytest.approx(before[0], abs=1e-10) and after[1] == pytest.approx(before[1], abs=1e-10)
    spins = [[event.after[f"{body}.w{axis}"] for axis in "xyz"] for body in ("one", "two")]
    assert spins[0] == pytest.approx(spins[1], abs=1e-12)
    later = result.t > event.t
    assert result["gap"][later] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda f: type(f).__name__)
def test_a_pendulum_that_is_struck_and_thrown_back_in_its_hinge(formulation):
    """An impulse p along x at a bob at rest gives (m l^2 + J) w = p l; at 0.3 rad it is thrown back."""
    model = vc.Model(gravity=(0, 0, 0))
    bob = model.body("bob", 2.0, 0.5, at=(0, 0, -1))
    model.revolute("O", model.ground.frame((0, 0, 0), z="-y"), bob.frame((0, 0, 0), z="-y"))
    model.event("hammer", at=0.5, strike={"bob.x": 3.75})
    model.event("wall", "O.angle - 0.3", direction="up", bounce={"O.angle": 0.5})
    given = {} if formulation is None else {"formulation": formulation}
    result = vc.simulate(model, 1.5, integrator=vc.DormandPrince(rtol=1e-11, atol=1e-12), **given)
    hammer, wall = result.events
    assert hammer.after["O.angle.rate"] == pytest.approx(1.5, abs=1e-10)
    assert hammer.energy == pytest.approx(0.5 * 2.5 * 1.5**2, abs=1e-9)
    assert wall.t == pytest.approx(0.7, abs=1e-9)
    assert wall.after["O.angle.rate"] == pytest.approx(-0.75, abs=1e-9)
    assert result["O.angle"][-1] == pytest.approx(0.3 - 0.75 * 0.8, abs=1e-8)
    assert result["energy.balance"] == pytest.approx(0.0, abs=1e-8)


def test_balls_that_land_together_act_in_one_restart():
    model = vc.Model(gravity=(0, 0, -G))
    for k, mass in enumerate((0.5, 2.0, 1.0)):
        model.body(f"b{k}", mass, 0.1, at=(k, 0, 1))
        model.event(f"hit {k}", f"b{k}.z", direction="down", bounce={f"b{k}.z": 0.8})
    result = vc.simulate(model, 0.6)
    assert len(result.events) == 3 and result.statistics["restarts"] == 1
    assert len({event.t for event in result.events}) == 1
    assert len({id(event.before) for event in result.events}) == 1


@pytest.mark.parametrize("mass", [1.0, 3.0])
def test_newtons_cradle_of_two_exchanges_speeds(mass):
    """Two balls on a line: v1' = (m1 - e m2) v / (m1 + m2), v2' = (1 + e) m1 v / (m1 + m2)."""
    model = vc.Model(gravity=(0, 0, 0))
    one, two = model.body("one", mass, 0.1, velocity=(2, 0, 0)), model.body("two", 1.0, 0.1, at=(1.2, 0, 0))
    model.measure("gap", vc.along("x", one.frame((0.1, 0, 0)), two.frame((1.1, 0, 0))))
    model.event("hit", "gap", direction="down", bounce={"gap": 0.7})
    result = vc.simulate(model, 1.0)
    [event] = result.events
    assert event.t == pytest.approx(0.5, abs=1e-12)
    assert event.after["one.vx"] == pytest.approx((mass - 0.7) * 2 / (mass + 1), abs=1e-12)
    assert event.after["two.vx"] == pytest.approx(1.7 * mass * 2 / (mass + 1), abs=1e-12)


def test_fixed_steps_act_at_their_ends_and_say_so():
    result = vc.simulate(bouncing(0.9), 1.0, integrator=vc.RK4(step=1e-3))
    [hit] = named(result, "bounce")
    assert hit.t == pytest.approx(np.ceil(np.sqrt(2 / G) / 1e-3) * 1e-3, abs=1e-12)
    assert "where a step ends" in result.summary()
