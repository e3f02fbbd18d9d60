"""Rest and small vibrations with stops closed and friction that sticks, against closed forms and against runs."""

import math

import numpy as np
import pytest

import vincolo as vc

G = 9.81


def pendulum(angle=None, friction=0.0):
    """A rod that hangs about y, with a stop on its angle and friction in its pin."""
    m = vc.Model(gravity=(0, 0, -G))
    rod = m.body("rod", 2.0, 0.1, at=(0.5, 0, 0))
    m.revolute("O", m.ground, rod, at=(0, 0, 0), axis="y")
    if angle is not None:
        m.stop("end", "O.angle", at_most=angle)
    if friction:
        m.friction("dry", "O", friction, radius=0.1)
    return m


def test_a_rod_rests_on_its_stop_with_the_force_of_the_closed_form():
    rest = vc.statics(pendulum(0.4))
    assert rest["O.angle"] == pytest.approx(0.4, abs=1e-12)
    assert rest["end.on"] == 1
    assert rest["end.force"] == pytest.approx(-2.0 * G * 0.5 * math.cos(0.4), rel=1e-10)
    assert "'end' at 0.4" in str(rest)


def test_a_stop_beyond_the_equilibrium_stays_open():
    rest = vc.statics(pendulum(2.0))
    assert rest["O.angle"] == pytest.approx(math.pi / 2, abs=1e-9)
    assert rest["end.on"] == 0


def test_a_stop_that_touches_at_the_start_opens_where_it_would_pull():
    m = pendulum()
    m.stop("shelf", "O.angle", at_least=0.0)  # the rod leaves it by its weight
    rest = vc.statics(m)
    assert rest["shelf.on"] == 0
    assert rest["O.angle"] == pytest.approx(math.pi / 2, abs=1e-9)


def heap():
    """Three blocks on springs in a row with gaps between them and a wall: some gaps close under the load."""
    m = vc.Model(gravity=(0, 0, 0))
    for k in range(3):
        b = m.body(f"b{k}", 1.0, 0.1, at=(0.2 * k, 0, 0))
        m.prismatic(f"r{k}", m.ground, b, at=(0, 0, 0), axis="x")
        m.spring(f"s{k}", f"r{k}.travel", k=100.0 * (k + 1))
    x = [m.joints[f"r{k}"]["travel"] for k in range(3)]
    m.stop("c0", x[1] - x[0], at_least=-0.02)
    m.stop("c1", x[2] - x[1], at_least=-0.05)
    m.stop("wall", x[2], at_most=0.03)
    m.force("push", m.bodies["b0"], (40.0, 0, 0))
    return m


def test_blocks_in_a_row_by_all_sets_of_closed_gaps():
    """The same by trying all eight sets of closed gaps."""
    K, f, gaps = np.diag([100.0, 200.0, 300.0]), np.array([40.0, 0, 0]), np.array([0.02, 0.05, 0.03])
    J = np.array([[1.0, -1, 0], [0, 1, -1], [0, 0, 1]])  # J x <= gaps
    found = []
    for n in range(8):
        on = [k for k in range(3) if n >> k & 1]
        A = np.block([[K, J[on].T], [J[on], np.zeros((len(on), len(on)))]])
        z = np.linalg.solve(A, np.concatenate([f, gaps[on]]))
        if (z[3:] >= 0).all() and (J @ z[:3] <= gaps + 1e-12).all():
            found.append((z[:3], on))
    assert len(found) == 1
    system = vc.compile(heap())
    rest = vc.statics(system)
    assert [rest[f"r{k}.travel"] for k in range(3)] == pytest.approx(found[0][0], abs=1e-10)
    assert [k for k, name in enumerate(("c0", "c1", "wall")) if rest[f"{name}.on"]] == found[0][1]
    run = vc.simulate(system, 0.2, start=rest.state)
    assert np.abs(run["r0.travel"] - found[0][0][0]).max() < 1e-9  # and there it stays


@pytest.mark.parametrize("share", [0.5, 0.99])
def test_friction_that_sticks_holds_where_it_is_drawn(share):
    slope = math.atan(0.5 * share)
    m = vc.Model(gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    block = m.body("block", 2.0, 0.1)
    m.prismatic("slide", m.ground, block, at=(0, 0, 0), axis="x")
    m.friction("dry", "slide", 0.5)
    rest = vc.statics(m)
    assert rest["block.x"] == 0
    assert rest["dry.stuck"] == 1
    assert rest["dry.force"] == pytest.approx(-2.0 * G * math.sin(slope), rel=1e-10)


def test_friction_that_cannot_hold_is_refused_by_name():
    with pytest.raises(vc.SimulationError, match="friction 'dry' would have to hold .* it slips"):
        vc.statics(pendulum(friction=0.2))


def test_friction_in_one_pin_of_two_holds_while_the_rest_swings_down():
    """The first arm sticks as drawn, the second hangs straight down."""
    m = pendulum(friction=20.0)
    two = m.body("two", 1.0, 0.05, at=(1.3, 0, 0))
    m.revolute("P", m.bodies["rod"], two, at=(1, 0, 0), axis="y")
    rest = vc.statics(m)
    assert rest["O.angle"] == pytest.approx(0.0, abs=1e-10)
    assert rest["P.angle"] == pytest.approx(math.pi / 2, abs=1e-9)
    assert abs(rest["dry.force"]) == pytest.approx(G * (2.0 * 0.5 + 1.0), rel=1e-9)


@pytest.mark.parametrize("height", [0.0, 0.3])
def test_friction_on_a_stop_holds_along_it(height):
    m = vc.Model(gravity=(1.0, 0, -G))
    ball = m.body("ball", 1.0, 0.1, at=(0, 0, height))
    m.planar("plane", m.ground, ball, at=(0, 0, 0), axis="y")
    m.hold("upright", "plane.angle")
    m.stop("floor", "ball.z", at_least=0.0)
    m.friction("grip", "floor", 0.5, along="ball.x")
    m.spring("back", vc.along_world((1, 0, 0), m.ground.frame((0, 0, 0)), ball.frame((0, 0, height))), k=1.0)
    rest = vc.statics(m)
    assert rest["floor.force"] == pytest.approx(G, rel=1e-9)
    assert rest["grip.force"] == pytest.approx(rest["ball.x"] - 1.0, abs=1e-9)  # what weight and spring leave
    assert abs(rest["ball.x"]) < 1e-9 or height > 0


def test_yielding_contact_carries_the_weight():
    m = vc.Model()
    ball = m.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0, 0, 0.15))
    m.prismatic("up", m.ground, ball, at=(0, 0, 0), axis="z")
    m.contact("floor", m.ground, ball, "plane", stiffness=1e6, damping=0.1)
    rest = vc.statics(m)
    depth = (9.80665 / 1e6)**(2 / 3)
    assert rest["floor.gap"] == pytest.approx(-depth, rel=1e-8)
    linear = vc.linearize(rest.state)
    assert abs(linear.eigenvalues[0]) == pytest.approx(math.sqrt(1.5 * 1e6 * math.sqrt(depth)), rel=1e-5)


def double(stop):
    m = vc.Model(gravity=(0, 0, -G))
    one, two = m.body("one", 2.0, 0.1, at=(0.5, 0, 0)), m.body("two", 1.0, 0.05, at=(1.3, 0, 0))
    m.revolute("O", m.ground, one, at=(0, 0, 0), axis="y")
    m.revolute("P", one, two, at=(1, 0, 0), axis="y")
    if stop:
        m.stop("end", "O.angle", at_most=0.4)
    else:
        m.hold("end", "O.angle", 0.4)
    return m


def test_vibrations_about_a_closed_stop_are_those_of_a_held_measure():
    stopped, held = (vc.linearize(vc.statics(double(stop)).state) for stop in (True, False))
    assert len(stopped.mass) == 1
    assert stopped.eigenvalues == pytest.approx(held.eigenvalues, rel=1e-9)
    w = math.sqrt(G * 0.3 / (0.05 + 0.09))
    assert abs(stopped.eigenvalues[0]) == pytest.approx(w, rel=1e-9)


def test_vibrations_beside_friction_that_sticks():
    m = double(True)
    m.remove("end")
    m.friction("dry", "O", 20.0, radius=0.1)
    linear = vc.linearize(vc.statics(m).state)
    assert len(linear.mass) == 1
    assert abs(linear.eigenvalues[0]) == pytest.approx(math.sqrt(G * 0.3 / (0.05 + 0.09)), rel=1e-9)


def test_a_run_that_rests_gives_a_state_that_can_be_linearised():
    m = double(True)
    m.law("damp", "P.angle", "0.5*dd")
    run = vc.simulate(m, 20.0)
    assert run["end.on"][-1] == 1
    linear = vc.linearize(run.state())
    at_rest = vc.linearize(vc.statics(m).state)
    assert linear.eigenvalues == pytest.approx(at_rest.eigenvalues, rel=1e-6)


def test_states_that_do_not_say_what_holds_are_refused():
    m = pendulum()
    m.stop("shelf", "O.angle", at_least=0.0)
    with pytest.raises(vc.ModelError, match="stop 'shelf' touches, and the state does not say"):
        vc.linearize(vc.assemble(m))
    with pytest.raises(vc.ModelError, match="friction 'dry' is at rest, and the state does not say"):
        vc.modes(vc.assemble(pendulum(friction=0.3)))
    slips = vc.simulate(pendulum(friction=0.1), 0.2)
    with pytest.raises(vc.ModelError, match="'dry' slips with a force that follows from reactions"):
        vc.linearize(slips.state())


@pytest.mark.parametrize("stay", [False, True])
@pytest.mark.parametrize("drawn", [(0, 0, 0), (0, 0, -1e-4), (3e-4, 0, -2e-4), (0, 0, 9e-4), (0, 0, 1e-3),
                                   (6e-4, 0, 8e-4)])
def test_a_pin_with_play_rests_at_the_bottom_of_its_hole_wherever_it_is_drawn(drawn, stay):
    m = vc.Model(gravity=(0, 0, -G))
    pin = m.body("pin", 1.0, 0.01, at=drawn)
    m.planar("plane", m.ground, pin, at=(0, 0, 0), axis="y")
    m.hold("upright", "plane.angle", 0.0)
    m.clearance("hole", "cylindrical", m.ground.frame((0, 0, 0), z="y"), pin.frame(drawn, z="y"), gap=1e-3)
    rest = vc.statics(m, stay=stay)
    assert [rest["pin.x"], rest["pin.z"]] == pytest.approx([0.0, -1e-3], abs=1e-9)
    assert abs(rest["hole.radial.force"]) == pytest.approx(G, rel=1e-6)
