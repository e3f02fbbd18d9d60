"""Stops and friction that cannot be: each is told by name, with the numbers and the way out."""

import pytest

import vincolo as vc


def arm():
    m = vc.Model()
    body = m.body("arm", 1.0, 0.1, at=(0.5, 0, 0))
    m.revolute("O", m.ground, body, at=(0, 0, 0), axis="y")
    m.stop("low", "arm.z", at_least=-2.0)
    return m


STOPS = [
    ({"at_least": 0.0, "restitution": 1.2}, "restitution is 1.2; it is the share of its speed .* from 0 to 1"),
    ({"at_least": 0.0, "restitution": -0.1}, "restitution is -0.1"),
    ({"at_least": float("nan")}, "at_least"),
    ({"at_least": float("inf")}, "at_least"),
    ({"at_least": "soft"}, "at_least"),
    ({}, "it needs a bound: at_least=, at_most= or both"),
    ({"at_least": 1.0, "at_most": 0.5}, "at_least 1 is not below at_most 0.5"),
    ({"at_most": 0.5, "rest": 0.0}, "rest is 0; it is the speed"),
]


@pytest.mark.parametrize(("given", "told"), STOPS)
def test_a_stop_with_wrong_numbers(given, told):
    with pytest.raises(vc.ModelError, match=told):
        arm().stop("end", "O.angle", **given)


FRICTIONS = [
    ("O", {"mu": -0.1, "radius": 0.01}, "mu is -0.1; it is not negative"),
    ("O", {"mu": float("nan"), "radius": 0.01}, "mu"),
    ("O", {"mu": 0.3, "mu_static": 0.2, "radius": 0.01}, "mu_static 0.2 is less than mu 0.3"),
    ("O", {"mu": 0.3}, "the radius of the pin .* is missing"),
    ("O", {"mu": 0.3, "radius": 0.01, "along": "travel"}, "along is 'travel'; 'O' has angle"),
    ("O", {"mu": 0.3, "radius": -1.0}, "radius is -1; it is not negative"),
    ("O", {"mu": 0.3, "radius": 0.01, "rest": -1.0}, "rest is -1"),
    ("low", {"mu": 0.3}, "the measure that slips on stop 'low' is missing"),
    ("O.angle", {"mu": 0.3}, "the load that presses is missing"),
    ("O.angle", {"mu": 0.3, "normal": -5.0}, "normal is -5; it is not negative"),
    ("O.angle", {"mu": 0.3, "normal": "2*O.reaktion.force"}, "normal: .*O.reaktion.force"),
    ("nothing", {"mu": 0.3}, "nothing called 'nothing'"),
]


@pytest.mark.parametrize(("on", "given", "told"), FRICTIONS)
def test_friction_with_wrong_numbers(on, given, told):
    numbers = dict(given)
    with pytest.raises(vc.ModelError, match=told):
        arm().friction("dry", on, numbers.pop("mu"), **numbers)


def test_friction_on_a_joint_whose_slip_is_not_known():
    m = arm()
    ball = m.body("ball", 1.0, 0.1, at=(2, 0, 0))
    m.guide("G", m.ground, ball, at=(2, 0, 0), axis="x")
    with pytest.raises(vc.ModelError, match="how a guide joint is pressed and slips does not follow from its kind"):
        m.friction("dry", "G", 0.1, radius=0.01)


@pytest.mark.parametrize(("kind", "given", "told"), [
    ("spherical", {}, "the radius of the ball \\[m\\] is missing"),
    ("spherical", {"radius": 0.1, "along": "angle"}, "along is 'angle'; 'S' has turn"),
    ("planar", {"along": "x"}, "along is 'x'; 'S' has slip")])
def test_friction_in_balls_and_planes_with_wrong_numbers(kind, given, told):
    m = arm()
    ball = m.body("ball", 1.0, 0.1, at=(2, 0, 0))
    axis = {"axis": "z"} if kind == "planar" else {}
    getattr(m, kind)("S", m.ground, ball, at=(2, 0, 0), **axis)
    with pytest.raises(vc.ModelError, match=told):
        m.friction("dry", "S", 0.1, **given)


def test_friction_on_a_stop_with_two_sides():
    m = arm()
    m.stop("both", "O.angle", at_least=-1.0, at_most=1.0)
    with pytest.raises(vc.ModelError, match="stop 'both' has two sides.\n  Make two stops"):
        m.friction("dry", "both", 0.1, along="arm.x")


def test_a_stop_that_excludes_the_start():
    m = arm()
    m.stop("end", "O.angle", at_least=0.2)
    with pytest.raises(vc.ModelError, match="stop 'end' excludes the start: its measure is 0 rad there, and at least "
                                            "0.2 rad is allowed"):
        vc.simulate(m, 1.0)


def test_a_rope_needs_two_frames_and_a_length():
    m = arm()
    with pytest.raises(vc.ModelError, match="rope 'r': it needs two frames"):
        m.rope("r", m.ground.frame((0, 0, 0)), "arm")
    with pytest.raises(vc.ModelError, match="the length is -1 m; it must be positive"):
        m.rope("r", m.ground.frame((0, 0, 1)), m.bodies["arm"].frame((0.5, 0, 0)), -1.0)


@pytest.mark.parametrize("analysis", ["kinematics", "inverse"])
def test_where_the_motion_is_given_stops_are_refused_by_name(analysis):
    m = arm()
    runs = {"kinematics": lambda: vc.kinematics(m, 1.0),
            "inverse": lambda: vc.inverse_dynamics(m, {"O.angle": 0.1})}
    with pytest.raises(vc.ModelError, match="low"):
        runs[analysis]()


def test_who_cannot_find_reactions_with_laws_says_so_by_name():
    m = arm()
    m.law("dry", "O.angle", "0.1*O.reaction.force*tanh(dd)", reactions="solved")
    for formulation in (vc.Lagrange(), vc.JointCoordinates()):
        with pytest.raises(vc.ModelError, match="(?s)'dry' reads reactions.*default formulation.*formulation= out"):
            vc.simulate(m, 0.1, formulation=formulation)
    for integrator, held in ((vc.Radau(index=2), "velocities"), (vc.Radau(index=3), "positions"),
                             (vc.GeneralisedAlpha(), "positions"), (vc.HHT(index=2), "velocities"),
                             (vc.Rattle(), "positions")):
        with pytest.raises(vc.ModelError, match=rf"(?s)'dry' reads reactions.*by their {held}.*Radau\(\).*sensor"):
            vc.simulate(m, 0.1, integrator=integrator)


def test_a_drive_that_runs_into_a_stop_is_told():
    m = arm()
    m.drive("O.angle", "-t")
    m.stop("end", "O.angle", at_least=-0.5)
    with pytest.warns(vc.SimulationWarning, match="stop 'end' is met at t = 0.5 s, but the joints hold"):
        result = vc.simulate(m, 1.0)
    assert result.t[-1] <= 0.5


def test_a_law_does_not_read_reactions_unless_that_is_said():
    m = arm()
    with pytest.raises(vc.ExpressionError, match="(?s)would define itself.*reactions='solved'"):
        m.law("brake", "O.angle", "0.1*O.reaction.force*dd")
    with pytest.raises(vc.ModelError, match="reactions is 'later'; of a text it may be 'solved'"):
        m.law("brake", "O.angle", "0.1*O.reaction.force*dd", reactions="later")


def test_a_law_whose_own_reaction_grows_with_it_without_bound_is_named():
    """A force on a block pressed by its guide, five times the force that presses: it has no answer that holds."""
    m = vc.Model(gravity=(0, 0, -9.81))
    block = m.body("block", 1.0, 0.1)
    m.prismatic("rail", m.ground, block, at=(0, 0, 0), axis="x")
    m.measure("slant", vc.along_world((0.6, 0, 0.8), m.ground.frame((0, 0, 0)), block.frame((0, 0, 0))))
    m.actuator("runaway", "slant", "-5*rail.reaction.force.z", reactions="solved")
    with pytest.warns(vc.SimulationWarning, match="law 'runaway' has no answer at t = 0 s"):
        assert not vc.simulate(m, 0.1).complete
