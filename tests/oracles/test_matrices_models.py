"""Models by the matrices of SymDyn3D, against the same built in Python and against closed solutions."""

from pathlib import Path

import numpy as np
import pytest

import example_models
import vincolo as vc
from vincolo.formats.cards import read_cards
from vincolo.formats.matrices import from_matrices, read_matrices

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TIGHT = vc.DOP853(rtol=1e-12, atol=1e-13)
ORIGIN = [0, 0, 0, 0, 0, 1, 1, 0, 0]  # P, Q, R of an axis along z in the origin
RAIL = [0, 0, 0, 1, 0, 0, 0, 1, 0]  # the same along x
RAIL_OVER = [0, 0, 0, 1, 0, 0, 0, 0, 1]  # R at a right angle to that of RAIL

DOUBLE_PENDULUM = """# Valentini et al., chapter 4: two bars of 1 m and 1 kg in space
NB := 2:
J := [[0.01, 0.1, 0.1], [0.01, 0.1, 0.1]]:  # along and across
mass := [1, 1]:
CON := [[0, 1, revolute, 0,0,0,  0,0,1,  1,0,0,   -0.5,0,0, -0.5,0,1, 0.5,0,0],
        [1, 2, revolute, 0.5,0,0, 1.5,0,0, 0.5,1,0, -0.5,0,0, -0.5,0,1, 0.5,0,0]]:
# not in the text: gravity in the plane of the first swing, the second bar level, across the first, both at rest
gravity := [0, -9.81, 0]:
q_in := [q2 = 0, q9 = 0, q10 = -0.5]:
TE := 5: ST := 500:
"""


@pytest.fixture
def double_pendulum(tmp_path):
    (tmp_path / "double pendulum.sym").write_text(DOUBLE_PENDULUM)
    return read_matrices(tmp_path / "double pendulum.sym")


@pytest.fixture
def example():
    """The same model in Python, and Lagrange's equations of it."""
    return example_models.example("spatial_double_pendulum")


def test_double_pendulum_moves_as_the_same_model_in_python(double_pendulum, example):
    result = double_pendulum.run(integrator=TIGHT)
    same = vc.simulate(example.build(), until=5.0, outputs=500, integrator=TIGHT)
    assert len(result.t) == 501
    for here, there in (("body 1", "first"), ("body 2", "second")):
        for axis in "xyz":
            assert result[f"{here}.{axis}"] == pytest.approx(same[f"{there}.{axis}"], abs=1e-10)


def test_double_pendulum_meets_lagrange_and_keeps_its_energy(double_pendulum, example):
    result = double_pendulum.run(integrator=TIGHT)
    first, second = example.reference(result.t)
    found = np.column_stack([result[f"body 2.{axis}"] for axis in "xyz"])
    assert np.column_stack([result[f"body 1.{axis}"] for axis in "xyz"]) == pytest.approx(first, abs=1e-8)
    assert found == pytest.approx(second, abs=1e-8)
    # kinetic and potential energy written out: T = (m v^2 + w J w)/2, V = m g y
    energy = np.zeros(len(result.t))
    for name in ("body 1", "body 2"):
        v, w = (np.column_stack([result[f"{name}.{c}{axis}"] for axis in "xyz"]) for c in "vw")
        e = np.column_stack([result[f"{name}.e{i}"] for i in range(4)])
        x = np.column_stack([2 * e[:, 0]**2 + 2 * e[:, 1]**2 - 1, 2 * (e[:, 1] * e[:, 2] + e[:, 0] * e[:, 3]),
                             2 * (e[:, 1] * e[:, 3] - e[:, 0] * e[:, 2])])  # the long axis in the world
        along = (w * x).sum(axis=1)
        energy += ((v**2).sum(axis=1) + 0.1 * (w**2).sum(axis=1) - 0.09 * along**2) / 2 + 9.81 * result[f"{name}.y"]
    assert energy == pytest.approx(0.0, abs=1e-10)  # both bars start level, at rest


# springs and dampers


@pytest.mark.parametrize("bodies, points", [((0, 1), (-1, 0, 0, 0, 0, 0)), ((1, 0), (0, 0, 0, -1, 0, 0))])
def test_a_spring_and_damper_between_points(bodies, points):
    # m x'' = -k (x + 1 - l0) - c x', a tension k (d - l0) + c dd drawing the body back
    m, k, c, rest = 2.0, 50.0, 3.0, 1.2
    d = from_matrices([[0, 1, "prismatic", *RAIL, *RAIL_OVER]], [m], [1.0], q_in={1: 0.5}, qp_in={1: -0.7},
                      SPDAMPERS=[[*bodies, f"{k}*(d-{rest})+{c}*dd", *points, "T"]])
    result = d.run(until=2.0, outputs=100, integrator=TIGHT)
    a, w = c / 2 / m, np.sqrt(k / m - (c / 2 / m) ** 2)
    y0, v0 = 0.5 + 1 - rest, -0.7
    y = np.exp(-a * result.t) * (y0 * np.cos(w * result.t) + (v0 + a * y0) / w * np.sin(w * result.t))
    assert result["body 1.x"] == pytest.approx(rest - 1 + y, abs=1e-10)


@pytest.mark.parametrize("bodies, sign", [((0, 1), 1), ((1, 0), -1)])
def test_a_spring_and_damper_about_a_joint(bodies, sign):
    # J th'' = -k (th - th0) - c th'; named the other way round, the angle counts from j to i
    J, k, c, rest = 0.5, 8.0, 0.3, 0.4
    d = from_matrices([[0, 1, "revolute", *ORIGIN, *ORIGIN]], [1.0], [J], qp_in=[None] * 6 + [0.5],
                      SPDAMPERS=[[*bodies, f"{k}*(d-({sign * rest}))+{c}*dd", 0, 0, 0, 0, 0, 0, "R"]])
    result = d.run(until=3.0, outputs=60, integrator=TIGHT)
    a, w = c / 2 / J, np.sqrt(k / J - (c / 2 / J) ** 2)
    y = np.exp(-a * result.t) * (-rest * np.cos(w * result.t) + (1.0 - a * rest) / w * np.sin(w * result.t))
    assert result["joint 1.angle"] == pytest.approx(rest + y, abs=1e-10)  # e3' = w/2: it starts with 1 rad/s


def test_a_law_of_a_spring_may_have_time_and_coordinates_in_it():
    # the rail puts x = d - 1: the force is that of k (d - 1) + t
    d = from_matrices([[0, 1, 2, *RAIL, *RAIL_OVER]], [2.0], [1.0], q_in={1: 0.5},
                      SPDAMPERS=[[0, 1, "3*q1+0*d*dd+t", -1, 0, 0, 0, 0, 0, "T"]])
    state = vc.assemble(d.system, t=2.0)
    assert state["body 1.ax"] == pytest.approx(-(3 * 0.5 + 2) / 2, abs=1e-12)


# forces


@pytest.mark.parametrize("axes, expected", [("Glob", 2 * np.cos(0.3)), ("Loc", 2.0)])
def test_forces_in_axes_of_the_ground_and_of_the_body(axes, expected):
    # 2 N along y at the end of an arm of 1 m that is turned by 0.3 rad, with 3 N m besides
    d = from_matrices([[0, 1, "revolute", *ORIGIN, *ORIGIN]], [1.0], [0.5], q_in={4: np.cos(0.15), 7: np.sin(0.15)},
                      FORCE=[[1, 0, "2*step(1-t)", 0, 0, 0, 3, 1, 0, 0, axes]])
    assert d.start()["body 1.alpha_z"] == pytest.approx((expected + 3) / 0.5, abs=1e-12)
    assert vc.assemble(d.system, t=2.0)["body 1.alpha_z"] == pytest.approx(3 / 0.5, abs=1e-12)


def test_a_force_over_its_own_coordinate():
    d = from_matrices([[0, 1, "prismatic", *RAIL, *RAIL_OVER]], [2.0], [1.0], q_in={1: 0.5}, qp_in={1: 0.2},
                      FORCE=[[1, "-3*q1-0.5*qp[1]", 0, 0, 0, 0, 0, 0, 0, 0, "Glob"]])
    assert d.start()["body 1.ax"] == pytest.approx(-(3 * 0.5 + 0.5 * 0.2) / 2, abs=1e-12)


# drives


@pytest.mark.parametrize("law", ["q1-0.5-0.1*sin(3*t)", "q1 - 0.5 - 0.1*sin(3*t) = 0", "q[1] = 0.5+0.1*sin(3*t)"])
def test_a_driving_equation(law):
    d = from_matrices([[0, 1, "prismatic", *RAIL, *RAIL_OVER]], [2.0], [1.0], DRIV=[law])
    result = d.run(until=1.0, outputs=20)
    assert result["body 1.x"] == pytest.approx(0.5 + 0.1 * np.sin(3 * result.t), abs=1e-9)
    assert d.start()["body 1.vx"] == pytest.approx(0.3, abs=1e-12)
    # m x'' = -2 0.9 sin(3 t), the force of the drive
    assert result["law 1.force"] == pytest.approx(-1.8 * np.sin(3 * result.t), abs=1e-7)


def test_a_turn_by_two_euler_parameters():
    d = from_matrices([[0, 1, "revolute", *ORIGIN, *ORIGIN]], [1.0], [0.5], DRIV=["q4-cos(t^2)", "q7-sin(t^2)"])
    result = d.run(until=1.0, outputs=10)
    assert result["body 1.wz"] == pytest.approx(4 * result.t, abs=1e-8)


@pytest.mark.parametrize("level, power", [("position", 0), ("velocity", 1), ("acceleration", 2)])
def test_discrete_samples_lead_a_coordinate(level, power):
    # samples of a cubic: a spline that is not forced at its ends is the cubic itself
    position = np.polynomial.Polynomial([0.5, 0.2, -0.3, 0.1])
    sampled = position.deriv(power) if power else position
    times = np.linspace(0, 1, 6)
    d = from_matrices([[0, 1, "prismatic", *RAIL, *RAIL_OVER]], [2.0], [1.0], q_in={1: 0.5}, qp_in={1: 0.2},
                      DRIV=[[1, times, sampled(times), level]])
    result = d.run(until=1.0, outputs=20, integrator=TIGHT)
    assert result["body 1.x"] == pytest.approx(position(result.t), abs=1e-9)


# the start


def slider_crank():
    """The matrix of the joints of Vita's slider-crank (4.2)."""
    cards = read_cards(EXAMPLES / "cards" / "slider_crank")
    h = 0.70710678119
    return [[0, 1, 1, 0, 0, 0, 0, 0, 1, h, h, 0, -.125, 0, 0, -.125, 0, 1, h - .125, h, 0],
            [1, 2, 1, .125, 0, 0, .125, 0, 1, h + .125, h, 0, -.25, 0, 0, -.25, 0, 1, h - .25, h, 0],
            [2, 3, 1, .25, 0, 0, .25, 0, 1, h + .25, h, 0, .04, 0, 0, .04, 0, 1, h + .04, h, 0],
            [3, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 1, .5, 0, 0, 1.5, 0, 0, .5, -1, 0]], cards


@pytest.mark.parametrize("given", [{2: 0.125 * np.sin(0.7)}, {4: np.cos(0.35)}, {1: 0.125 * np.cos(0.7)}])
def test_one_coordinate_and_one_rate_give_all_others(given):
    # crank 0.25 m, rod 0.5 m, its pin 0.04 m before the piston's origin; the crank at 0.7 rad turns with 3 rad/s
    CON, _ = slider_crank()
    d = from_matrices(CON, [0.2, 0.4, 3.22], [0.001, 0.008, 0.004], q_in=given,
                      qp_in=[None, 0.125 * np.cos(0.7) * 3] + [None] * 19)
    state, rod = d.start(), -np.arcsin(np.sin(0.7) / 2)
    slope = -np.cos(0.7) / 2 / np.cos(rod) * 3
    assert state["body 3.x"] == pytest.approx(0.25 * np.cos(0.7) + 0.5 * np.cos(rod) - 0.04, abs=1e-9)
    assert state["body 2.y"] == pytest.approx(0.125 * np.sin(0.7), abs=1e-9)
    assert [state["body 1.wz"], state["body 2.wz"]] == pytest.approx([3.0, slope], abs=1e-8)
    assert state["body 3.vx"] == pytest.approx(-0.25 * np.sin(0.7) * 3 - 0.5 * np.sin(rod) * slope, abs=1e-9)


def test_the_same_joints_in_matrices_and_cards_move_the_same():
    CON, cards = slider_crank()
    bodies = cards.model.bodies.values()
    q = [[*b.at, *e] for b, e in zip(bodies, (
        [0.9658738845942, 0, 0, -0.259012816399], [0.9920095389772, 0, 0, 0.1261628890689], [1, 0, 0, 0]), strict=True)]
    d = from_matrices(CON, [b.mass for b in bodies], [b.inertia for b in bodies], q_in=[x for row in q for x in row],
                      names=list(cards.model.bodies), DRIV=["q1-0.125*cos(3*t)+0.125-.108"],
                      FORCE=[[1, 0, 0, 0, 0, 0, "50*step(4-t)", -.125, 0, 0, "Glob"]],
                      SPDAMPERS=[[0, 3, "10*abs(q15-0.661)*(d-0.661)", 0, 0, 0, 0, 0, 0, "T"],
                                 [0, 1, "(2*abs(qp4)*step(t-4)+step(4-t)*8)*dd", 0, 0, 0, 0, 0, 0, "R"]])
    first, second = (x.run(until=0.5, outputs=20, integrator=TIGHT) for x in (cards, d))
    for name in ("Manovella.y", "Biella.y", "Pistone.x", "Pistone.vx", "law 1.force"):
        assert second[name] == pytest.approx(first[name], abs=1e-9), name


@pytest.mark.parametrize("kind, freedom", [
    (1, 1), ("prismatic", 1), ("C", 2), ("Sferica", 3), ("sphere in cylinder", 4), ("hooke", 2), ("universal", 2)])
def test_joints_leave_the_freedom_they_should(kind, freedom):
    second = {"prismatic": [0, 0, 0, 0, 0, 1, 0, 1, 0], "hooke": RAIL, "universal": RAIL}.get(kind, ORIGIN)
    d = from_matrices([[0, 1, kind, *ORIGIN, *second]], [1.0], [1.0])
    assert vc.mobility(d.model).dof == freedom
    assert max(abs(d.start().equations().Phi)) < 1e-12
