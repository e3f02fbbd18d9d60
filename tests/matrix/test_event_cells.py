"""Cells of the matrix for events, stops, pieces of runs, contact and runs without end, with independent values."""

import math
import warnings

import numpy as np
import pytest
from judges import complaints_of, different_events
from outcomes import cpu_limit

import vincolo as vc
from vincolo.view.live.running import watch

G = 9.81
I = vc.integrators  # noqa: E741


def run(model, until, **settings):
    with cpu_limit(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return vc.simulate(model, until, **settings)


# no event is missed ---------------------------------------------------------------------------------------------------

def billiards(speed, far=2.0, offset=0.0, **stop):
    """Two balls of 5 cm radius; the first meets the second, which rests at a distance."""
    m = vc.Model("billiards", gravity=(0, 0, 0))
    a = m.body("a", 1.0, 0.001, at=(0, offset, 0), velocity=(speed, 0, 0))
    b = m.body("b", 1.0, 0.001, at=(far, 0, 0))
    m.stop("touch", vc.distance(a.frame(local=(0, 0, 0)), b.frame(local=(0, 0, 0))), at_least=0.1, **stop)
    return m


@pytest.mark.parametrize("speed", [0.1, 30.0, 1000.0])
@pytest.mark.parametrize("far", [2.0, 50.0, 1000.0])
@pytest.mark.parametrize("offset", [0.0, 0.03, 0.09])
@pytest.mark.parametrize("integrator", [None, I.DOP853(), I.Radau()], ids=str)
def test_billiard_balls_do_not_pass_through_each_other(speed, far, offset, integrator):
    m = billiards(speed, far, offset, restitution=1.0)
    result = run(m, 2 * far / speed, outputs=10, integrator=integrator)
    assert result.complete, result.reason
    along = math.sqrt(0.1**2 - offset**2)
    assert [e.name for e in result.events] == ["touch.closes"]
    assert result.events[0].t == pytest.approx((far - along) / speed, rel=1e-9)
    share = along / 0.1  # cosine of the line of centres: the second ball gets that part of the speed
    assert result["b.vx"][-1] == pytest.approx(speed * share**2, rel=1e-6)
    assert result["a.vx"][-1] == pytest.approx(speed * (1 - share**2), abs=1e-6 * speed)
    assert not complaints_of(result)


@pytest.mark.parametrize("speed", [1.0, 30.0])
@pytest.mark.parametrize("far", [2.0, 50.0])
def test_billiard_balls_with_a_compliant_stop_do_not_pass_through_each_other(speed, far):
    m = billiards(speed, far, force="k*d", k=1e6 * speed**2)
    result = run(m, 2 * far / speed, outputs=10)
    assert result.complete, result.reason
    assert result["b.vx"][-1] == pytest.approx(speed, rel=1e-4)
    assert result["a.vx"][-1] == pytest.approx(0.0, abs=1e-4 * speed)


def test_a_guard_that_is_crossed_twice_within_a_long_step_happens_twice():
    """Free flight has steps of any length; the ball is above 4.9 m for a short time only."""
    m = vc.Model("throw", gravity=(0, 0, -G))
    top = 5.0
    m.body("ball", 1.0, 0.01, velocity=(0, 0, math.sqrt(2 * G * top)))
    m.event("high", "ball.z - 4.9999")
    result = run(m, 2.0, outputs=10)
    rise, fly = math.sqrt(2 * top / G), math.sqrt(2 * 1e-4 / G)
    assert [e.t for e in result.events] == pytest.approx([rise - fly, rise + fly], abs=1e-7)


def test_a_closed_stop_does_not_pull():
    """A block lifted off a floor by a force that grows: it leaves when the force exceeds the weight."""
    m = vc.Model("lift", gravity=(0, 0, -G))
    m.body("block", 1.0, 0.01)
    m.stop("floor", "block.z", at_least=0.0)
    m.force("crane", "block", (0, 0, "20*t"))
    result = run(m, 1.0, outputs=200)
    assert result.complete, result.reason
    assert [e.t for e in result.events if e.name == "floor.opens"] == pytest.approx([G / 20], abs=1e-7)
    assert not complaints_of(result)


# a run in pieces is the run -------------------------------------------------------------------------------------------

def welded(at=1.0):
    m = vc.Model("weld", gravity=(0, 0, -G))
    block = m.body("block", 1.0, 0.01)
    m.fixed("weld", m.ground, block, at=(0, 0, 0))
    m.switch("weld", False, at=at)
    return m


@pytest.mark.parametrize("seams", [[1.0], [0.5], [0.5, 1.0, 1.5], [1.0, 1.0 + 1e-9]])
def test_a_weld_that_opens_at_the_seam_of_two_runs_opens(seams):
    system = vc.compile(welded())
    state, names = vc.assemble(system), []
    for end in (*seams, 2.0):
        piece = run(system, end, start=state, outputs=10)
        state, names = piece.state(), names + [e.name for e in piece.events]
    assert len(names) == 1
    assert state["block.z"] == pytest.approx(-G / 2, rel=1e-7)


def bouncing():
    m = vc.Model("bounce", gravity=(0, 0, -G))
    m.body("ball", 0.5, 0.001, at=(0, 0, 1), velocity=(0.3, 0, 0))
    m.stop("floor", "ball.z", at_least=0.0, restitution=0.5, rest=1e-6)
    return m


def stick_slip():
    m = vc.Model("stick-slip", gravity=(0, 0, -G))
    block = m.body("block", 1.0, 0.01)
    m.prismatic("guide", m.ground, block, at=(0, 0, 0), axis="x")
    m.friction("dry", "guide", 0.2)
    m.force("push", block, ("4*sin(6*t)", 0, 0))
    return m


@pytest.mark.parametrize("build", [bouncing, stick_slip, welded], ids=lambda f: f.__name__)
@pytest.mark.parametrize("count", [2, 7, 50])
def test_a_run_in_pieces_equals_the_run_in_one(build, count):
    system = vc.compile(build())
    whole = run(system, 2.0, outputs=100)
    state, events = vc.assemble(system), []
    for k in range(count):
        piece = run(system, 2.0 * (k + 1) / count, start=state, outputs=1)
        assert piece.complete, piece.reason
        state, events = piece.state(), events + [(e.name, e.t) for e in piece.events]
    assert [name for name, _ in events] == [e.name for e in whole.events]
    assert [t for _, t in events] == pytest.approx([e.t for e in whole.events], abs=1e-6)
    size = float(np.abs(whole.y[:, :13]).max())
    assert state.y[:13] == pytest.approx(whole.y[-1][:13], abs=1e-6 * size)


@pytest.mark.parametrize("build", [bouncing, stick_slip, welded], ids=lambda f: f.__name__)
def test_watch_returns_the_events_and_the_motion_of_simulate(build):
    whole = run(build(), 2.0, outputs=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen = watch(build(), 2.0, outputs=100, port=0, open_browser=False, block=False)
    assert not different_events(whole, seen)
    assert len(seen.events) == len(whole.events) > 0
    assert seen.y[-1][:13] == pytest.approx(whole.y[-1][:13], abs=1e-6)


def test_a_restarted_pendulum_is_the_same_to_the_last_bit(tmp_path):
    m = vc.Model("pendulum", gravity=(0, 0, -G))
    arm = m.body("arm", 1.0, 0.01, at=(0.5, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    system = vc.compile(m)
    whole = run(system, 2.0, outputs=20, checkpoints=[1.0])
    path = whole.state(10).save(tmp_path / "state.npz")
    again = run(system, 2.0, start=vc.State.load(path, system), outputs=whole.t[10:])
    assert np.array_equal(again.y, whole.y[10:])


# contact --------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("size", [0.2, 0.4])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("law", [{"stiffness": 1e5, "damping": 0.5, "friction": 0.3},
                                 {"stiffness": 1e5, "damping": 100.0, "law": "linear", "exponent": 1.0}],
                         ids=["Hunt-Crossley", "linear"])
def test_a_box_rests_on_a_box_with_soft_contact(size, free, law):
    """Centred, on a box of its own size or a larger one that is fixed or lies on the ground."""
    m = vc.Model("boxes", gravity=(0, 0, -G))
    low = m.body("low", vc.shapes.box((size, size, 0.1), mass=1.0), at=(0, 0, 0.05))
    high = m.body("high", vc.shapes.box((0.2, 0.2, 0.1), mass=1.0), at=(0, 0, 0.15))
    if free:
        m.contact("floor", m.ground, low, "plane", **law)
    else:
        m.fixed("weld", m.ground, low, at=(0, 0, 0))
    m.contact("between", low, high, **law)
    result = run(m, 1.0, outputs=1000)
    assert result.complete, result.reason
    assert np.mean(result["between.force"][500:]) == pytest.approx(G, rel=0.03)  # it may still ring about its rest
    assert abs(result["high.x"][-1]) < 1e-6


def flat_surface(triangles):
    """A flat square of 2 m in the plane z = 0, of two triangles or of many."""
    n = triangles
    x = np.linspace(-1, 1, n + 1)
    vertices = [(float(a), float(b), 0.0) for a in x for b in x]
    faces = []
    for i in range(n):
        for j in range(n):
            a, b, c, d = i * (n + 1) + j, (i + 1) * (n + 1) + j, (i + 1) * (n + 1) + j + 1, i * (n + 1) + j + 1
            faces += [(a, b, c), (a, c, d)]
    return {"kind": "surface", "vertices": vertices, "faces": faces}


@pytest.mark.parametrize("triangles", [1, 4])
def test_a_box_slides_straight_over_the_inner_edges_of_a_flat_surface(triangles):
    m = vc.Model("slide", gravity=(0, 0, -G))
    box = m.body("box", vc.shapes.box((0.2, 0.2, 0.1), mass=1.0), at=(-0.6, 0.1, 0.05), velocity=(1.0, 0, 0))
    m.contact("floor", m.ground, box, flat_surface(triangles), stiffness=1e5, damping=1.0, friction=0.02)
    result = run(m, 1.0, outputs=100)
    assert result.complete, result.reason
    expected = -0.6 + 1.0 - 0.5 * 0.02 * G
    assert result["box.x"][-1] == pytest.approx(expected, abs=5e-3)
    assert abs(result["box.y"][-1] - 0.1) < 2e-3
    assert np.abs(result["box.z"] - 0.05).max() < 2e-3


def basin():
    """A closed vessel with a flat bottom at z = 0 and walls 0.2 m high: not convex."""
    outer, inner, h, d = 1.0, 0.8, 0.2, -0.2
    v = [(s * x, t * x, z) for x, z in ((outer, d), (outer, h), (inner, h), (inner, 0.0))
         for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    faces = [(3, 2, 1, 0), (12, 13, 14, 15)]
    for ring in range(3):
        for k in range(4):
            a, b = 4 * ring + k, 4 * ring + (k + 1) % 4
            faces.append((a, b, b + 4, a + 4))
    triangles = [t for f in faces for t in ((f[0], f[1], f[2]), (f[0], f[2], f[3]))]
    return {"kind": "polyhedron", "vertices": v, "faces": triangles}


def test_a_ball_in_a_basin_is_carried_by_its_weight():
    m = vc.Model("basin", gravity=(0, 0, -G))
    ball = m.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0.1, 0.05, 0.12))
    m.contact("bottom", m.ground, ball, basin(), stiffness=1e5, damping=3.0)
    result = run(m, 1.0, outputs=200)
    assert result.complete, result.reason
    depth = (G / 1e5) ** (2 / 3)
    assert result["bottom.force"][-1] == pytest.approx(G, rel=1e-2)
    assert result["bottom.gap"][-1] == pytest.approx(-depth, rel=0.05)
    assert np.abs(result["bottom.force"]).max() < 2e3
    assert result["bottom.gap"] == pytest.approx(result["ball.z"] - 0.1, abs=1e-6)
    assert not complaints_of(result, None)


# starts and ends ------------------------------------------------------------------------------------------------------

def parallelogram(R):
    """Two cranks of 1 m and a coupler, drawn in one line and turned as a whole; the first crank has 10 rad/s."""
    m = vc.Model("parallelogram", gravity=(0, 0, 0))
    z = R @ [0, 0, 1.0]
    bars = []
    for name, x, w in (("left", 0.5, 10.0), ("coupler", 2.0, 0.0), ("right", 2.5, 0.0)):
        length = 2.0 if name == "coupler" else 1.0
        centre = np.array([x, 0, 0]) if name != "right" else np.array([2.5, 0, 0])
        velocity = np.array([0, 0.5 * w, 0])
        thin = np.diag([0.01, length**2 / 12, length**2 / 12])
        bars.append(m.body(name, 1.0, thin, at=R @ centre, orientation=R, velocity=R @ velocity,
                           angular_velocity=R @ [0, 0, w]))
    left, coupler, right = bars
    m.revolute("A", m.ground, left, at=R @ [0, 0, 0.0], axis=z)
    m.revolute("B", left, coupler, at=R @ [1.0, 0, 0], axis=z)
    m.revolute("C", coupler, right, at=R @ [3.0, 0, 0], axis=z)
    m.revolute("D", m.ground, right, at=R @ [2.0, 0, 0], axis=z)
    return m


def nearest_rate():
    """Of the two ways out of the line (cranks alike, or crossed), the rate of the first crank nearest to what is drawn
    in the sense of mass: w = d.M u0 / d.M d along each, and the smaller change counts."""
    crank = 1 / 12 + 0.25
    rates = []
    for w_right in (1.0, -3.0):  # 2 (a^2 - b^2) + (a - b)^2 = 0 of the angles a and b of the cranks
        slope = (w_right - 1.0) / 2.0  # of the coupler, whose ends are the tips
        middle = (1.0 + w_right) / 2.0
        inertia = crank + crank * w_right**2 + middle**2 + slope**2 * 4 / 12
        share = crank * 10.0 / inertia
        rates.append((0.5 * crank * 100 - 0.5 * inertia * share**2, share))
    return min(rates)[1]


def test_a_flat_parallelogram_starts_at_the_same_speed_in_every_orientation():
    rng = np.random.default_rng(3)
    speeds = []
    for k in range(6):
        q, r = np.linalg.qr(rng.normal(size=(3, 3)))
        R = np.eye(3) if k == 0 else q * np.sign(np.diag(r)) * np.sign(np.linalg.det(q * np.sign(np.diag(r))))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            speeds.append(vc.assemble(vc.compile(parallelogram(R)))["A.angle.rate"])
    assert speeds == pytest.approx([speeds[0]] * 6, abs=1e-6)
    assert speeds[0] == pytest.approx(nearest_rate(), abs=1e-6)


@pytest.mark.parametrize(("k", "c"), [(-1e4, 0.0), (0.0, -1e3), (1e18, 0.0), (1e18, 1e10), (-1e18, 0.0)])
@pytest.mark.parametrize("integrator", [None, I.DormandPrince(), I.Radau(), I.BDF()], ids=str)
def test_an_exploding_system_ends_with_its_reason_in_bounded_time(k, c, integrator):
    m = vc.Model("explodes", gravity=(0, 0, -G))
    block = m.body("block", 1.0, 0.01)
    m.prismatic("guide", m.ground, block, at=(0, 0, 0), axis="z")
    m.law("force", "guide.travel", "k*(d - 0.001) + c*dd", k=k, c=c)
    result = run(m, 10.0, outputs=20, integrator=integrator)
    assert result.complete or len(result.reason) > 40
