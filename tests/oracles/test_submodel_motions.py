"""A sub-model moves as the model it was copied from does, moved, turned and mirrored as a whole."""

from functools import cache

import numpy as np
import pytest

import vincolo as vc
from mechanisms import cloud_inertia, rotation, unit
from vincolo.equations import measures as equations
from vincolo.model.measure import azimuth, formula, measure

GRAVITY = np.array([1.0, -2.0, -9.0])
UNTIL = 0.5
STEPS = vc.RK4(step=2e-3)  # of one size: the choice of steps would depend on axes
TIMES = [0.1, 0.26, 0.5]


def part(rng, model, name, **more):
    """A random body in motion: full inertia, its frame anywhere and turned."""
    v, w = 0.3 * rng.normal(size=(2, 3))
    return model.body(name, rng.uniform(1, 3), cloud_inertia(rng), at=rng.normal(size=3), orientation=rotation(rng),
                      com=0.2 * rng.normal(size=3), velocity=v, angular_velocity=w, **more)


def anywhere(rng, body):
    """A random frame on a body."""
    R = rotation(rng)
    return body.frame(rng.normal(size=3), z=R[:, 2], x=R[:, 0])


def rig(gravity=GRAVITY):
    """Joints, coordinates, measures, drives and forces of every kind."""
    rng = np.random.default_rng(11)
    m = vc.Model("rig", gravity=gravity)
    crane, slide, fork, piston, bob, puck, nut, drone = (
        part(rng, m, n) for n in ("crane", "slide", "fork", "piston", "bob", "puck", "nut", "drone"))
    m.revolute("O", m.ground, crane, at=rng.normal(size=3), axis=unit(rng))
    m.prismatic("P", crane, slide, at=rng.normal(size=3), axis=unit(rng))
    R = rotation(rng)
    m.universal("U", crane, fork, at=rng.normal(size=3), axis=R[:, 0], axis2=R[:, 1])
    m.cylindrical("C", fork, piston, at=rng.normal(size=3), axis=unit(rng))
    m.spherical("S", piston, bob, at=rng.normal(size=3))
    m.planar("table", m.ground, puck, at=rng.normal(size=3), axis=unit(rng))
    m.cylindrical("screw", m.ground, nut, at=rng.normal(size=3), axis=unit(rng))
    m.distance("rod", anywhere(rng, puck), anywhere(rng, drone))
    m.frame("eye", m.ground, rng.normal(size=3), z=unit(rng))
    m.frame("hook", bob, rng.normal(size=3), z=unit(rng))
    add_measures(rng, m)
    m.drive("O.angle", "0.4*sin(3*t) + 0.2*t^2")
    m.hold("thread", m.joints["screw"]["travel"] - 0.1 * m.joints["screw"]["angle"], vc.Sine(0.05, 4))
    add_forces(rng, m)
    add_carried(m)
    add_touching(m)
    return m


def add_carried(m):
    """An input, a variable that an event sets, a state that follows them and the motion, and an output."""
    m.input("pedal", value=0.7)
    m.variable("gear", 2.0)
    m.state("oil", "(pedal*gear - oil)/T - 0.3*C.travel", T=0.2)
    m.actuator("valve", "C.travel", "3*oil")
    m.event("shift", at=0.3, set={"gear": 1.0})
    m.output("pressure", "2*oil + gear")


def add_touching(m):
    """Ranges that are kept and left, a stop that is met, friction on joints and on the stop, and a ball on a slope.
    The contact is compliant: a rigid one is for Moreau's steps alone."""
    m.range("meant", "P.travel", at_least=-1.0, at_most=0.1)
    m.range("room", "gap", at_most=9.0)
    m.stop("buffer", "table.y", at_most=0.15, restitution=0.4)
    m.friction("dry", "P", 0.05, mu_static=0.06, stribeck=0.1)
    m.friction("seal", "C", 0.02, radius=0.05, length=0.3, viscous=0.1)
    m.friction("scrape", "buffer", 0.3, along="table.x")
    m.friction("stuck", "U.angle1", 0.1, normal=3.0)
    slope = m.ground.frame((-1.2, 0.4, -0.7), z=(0.1, -0.3, 1.0))
    m.contact("slope", slope, m.bodies["drone"], "plane", vc.shapes.sphere(0.2, mass=1.0), stiffness=3e3, damping=0.5,
              friction=0.3, creep=0.1)


def add_measures(rng, m):
    """Every kind of measure, every axis, between two bodies and from the ground."""
    a, b, eye = anywhere(rng, m.bodies["bob"]), anywhere(rng, m.bodies["drone"]), m.frames["eye"]
    m.measure("gap", vc.distance(eye, b))
    m.measure("bearing", azimuth(a, b))
    m.measure("mixed", formula("x*y + sin(c)*f(t)", x=vc.along("x", a, b), y=vc.along("y", a, b), c=azimuth(eye, b),
                               f=vc.Sine(2, 3)))
    for i in "xy":
        m.measure(f"skid {i}", measure(equations.skid(i), a, b))
        m.measure(f"disc {i}", measure(equations.roll(i, 0.3, ball=False), a, b))
        m.measure(f"ball {i}", measure(equations.roll(i, 0.3, ball=True), eye, a))
    m.measure("lift", vc.along_world((1, 2, -1), a, b) - 0.5 * vc.along_world("z", eye, a))
    for i in "xyz":
        m.measure(f"along {i}", vc.along(i, a, b))
        m.measure(f"turn {i}", vc.angle(a, b, i))
        m.measure(f"view {i}", vc.angle(eye, b, i))
        m.measure(f"back {i}", measure(equations.angle(i).reversed(), a, b))
        for j in "xyz":
            m.measure(f"cosine {i}{j}", vc.cosine(i, j, a, b) + 2 * vc.cosine(j, i, eye, a))


def add_forces(rng, m):
    """Springs and laws on coordinates and measures; loads in both kinds of axes."""
    bodies = m.bodies
    m.spring("strut", anywhere(rng, m.ground), m.frames["hook"], k=40, c=2, preload=1)
    m.spring("torsion", "U.angle1", k=5, c=0.2, length=1.0)
    m.spring("coil", "C.travel", k=30, c=0.3)
    m.law("brake", "C.angle", "3*d + 0.5*dd*abs(dd) + sin(t)")
    m.law("bumper", "P.travel", vc.Spline([-2, 0, 2], [-30, 1, 50]))
    m.law("lever", "turn y", "2*sin(d) + 0.3*d + 0.1*dd")
    m.law("blade", "cosine xy", "1.5*d")
    m.law("fence", "table.y", "20*d + dd")
    m.law("wall", "table.x", "20*d + dd + 3")
    m.law("dial", "table.angle", "4*d + 1")
    m.law("kite", "lift", "3*d + 0.2*dd")
    m.actuator("motor", "U.angle2", "2*cos(5*t) - d")
    m.actuator("pump", m.joints["screw"]["angle"], vc.Sine(3, 7))
    m.rotor("U.angle2", 0.3, 4.0, name="fan")
    m.rotor("table.x", 0.5, -2.0, name="wheel")
    m.rotor("C.angle", 0.2, name="disc")
    m.force("jet", anywhere(rng, bodies["drone"]), (vc.Sine(2, 3), "1 + t", vc.Ramp(3, 0.2)), axes="body")
    m.torque("rotor", bodies["drone"], (vc.Spline([0, 1, 2], [0, 1, -1]), vc.SmoothStep(0, 0.4), -0.7), axes="body")
    m.force("tow", m.frames["hook"], (1.0, -2.0, 0.5))
    m.force("wind", anywhere(rng, bodies["slide"]), (0, vc.Polynomial([1, 2, -3]), 0))
    m.torque("storm", bodies["bob"], (0.3, 0.0, -0.8))
    m.torque("gust", bodies["nut"], ("sin(4*t)", vc.Spline([0, 1, 2], [0, 1, -1]), vc.Ramp(3, 0.2)))


class Image:
    """x -> p + Q M x, written a second time."""

    def __init__(self, at=(0, 0, 0), Q=None, mirror=None):
        self.at, self.Q = np.array(at, dtype=float), np.eye(3) if Q is None else Q
        self.M = np.diag([-1.0 if c == mirror else 1.0 for c in "xyz"])
        self.sense = -1.0 if mirror else 1.0

    def point(self, x):
        return self.at + self.polar(x)

    def polar(self, v):
        return np.asarray(v) @ (self.Q @ self.M).T

    def axial(self, w):
        return self.sense * self.polar(w)

    def rotation(self, R):
        return self.Q @ self.M @ R @ self.M


PLACES = {
    "as it is": {},
    "moved": {"at": (3, -2, 1)},
    "turned": {"at": (1, 2, 3), "Q": rotation(np.random.default_rng(5))},
    "mirrored in x": {"mirror": "x"},
    "mirrored in y": {"mirror": "y"},
    "mirrored in z": {"mirror": "z"},
    "mirrored, turned and moved": {"at": (-1, 0.5, 2), "Q": rotation(np.random.default_rng(6)), "mirror": "y"},
}


@cache
def alone():
    return vc.simulate(rig(), UNTIL, outputs=TIMES, integrator=STEPS)


@cache
def placed_run(place, on=None):
    image = Image(**PLACES[place])
    model = vc.Model("parent", gravity=image.polar(GRAVITY))
    if on is not None:
        R = rotation(np.random.default_rng(8))
        model.body("plate", 5.0, 1.0, at=(1, 1, 1), orientation=R, com=(0.1, 0.2, 0.3))
        model.fixed("bolts", model.ground, model.bodies["plate"], at=(0, 0, 0))
    model.add("unit", rig(gravity=(0, 0, 5)), at=image.at, orientation=image.Q, mirror=PLACES[place].get("mirror"),
              on=on)
    return vc.simulate(model, UNTIL, outputs=TIMES, integrator=STEPS)


def same(value, reference, within=1e-12):
    """Equal up to a share of the size of the numbers."""
    return np.abs(value - reference).max() <= within * max(1.0, np.abs(reference).max())


def check_bodies(result, reference, image, path="unit"):
    for name in reference.system.body_numbers:
        found, r = result.motion(f"{path}.{name}"), reference.motion(name)
        assert same(found.position, image.point(r.position)), name
        assert same(found.rotation, image.rotation(r.rotation)), name
        assert same(found.velocity, image.polar(r.velocity)), name
        assert same(found.angular_velocity, image.axial(r.angular_velocity)), name
        assert same(found.acceleration, image.polar(r.acceleration), 1e-11), name
        assert same(found.angular_acceleration, image.axial(r.angular_acceleration), 1e-11), name


@pytest.mark.parametrize("place", PLACES)
def test_bodies_move_as_the_image_of_those_of_the_model_alone(place):
    check_bodies(placed_run(place), alone(), Image(**PLACES[place]))


@pytest.mark.parametrize("place", PLACES)
def test_named_points_are_images(place):
    image = Image(**PLACES[place])
    for name in ("eye", "hook"):
        assert same(placed_run(place).point(f"unit.{name}"), image.point(alone().point(name))), name


@pytest.mark.parametrize("place", PLACES)
def test_every_coordinate_measure_and_force_has_the_value_it_has_alone(place):
    result, reference = placed_run(place), alone()
    names = [*reference.system.quantities, *(f"{n}.force" for n in [*reference.system.laws, *reference.system.holds]),
             *(f"{n}.power" for n in [*reference.system.laws, *reference.system.loads, *reference.system.holds])]
    rates = [n for n in reference.keys() if n.endswith(".rate")]  # noqa: SIM118 - a result is no dictionary
    assert len(names) > 70 and len(rates) > 35
    for name in names + rates:
        assert same(result[f"unit.{name}"], reference[name], 1e-11), name


@pytest.mark.parametrize("place", PLACES)
def test_what_touches_rubs_and_is_watched_does_as_it_does_alone(place):
    result, reference = placed_run(place), alone()
    for name in ("gap", "force", "points", "power", "energy", "dissipation"):
        assert same(result[f"unit.slope.{name}"], reference[f"slope.{name}"], 1e-11), name
    assert reference["slope.force"].max() > 10  # N
    for name in ("buffer.on", "seal.travel.stuck", "stuck.stuck", "dry.slip"):
        assert same(result[f"unit.{name}"], reference[name], 1e-11), name
    assert [(e.t, e.name) for e in result.events] == [(e.t, f"unit.{e.name}") for e in reference.events]
    assert same(np.array([e.energy for e in result.events]), np.array([e.energy for e in reference.events]))
    found, left = ([(r.name, r.measure.name, r.at_least, r.at_most) for r in one.model.ranges.values()]
                   for one in (result, reference))
    assert found == [(f"unit.{name}", f"unit.{of}", *bounds) for name, of, *bounds in left]
    assert "(unit.meant)" in result.summary() and "(meant)" in reference.summary()


@pytest.mark.parametrize("place", PLACES)
def test_energy_and_work_are_those_of_the_model_alone(place):
    result, reference = placed_run(place), alone()
    assert same(result["energy.kinetic"], reference["energy.kinetic"])
    assert same(result["energy.work"], reference["energy.work"])
    rise = result["energy.potential"] - result["energy.potential"][0]
    assert same(rise, reference["energy.potential"] - reference["energy.potential"][0], 1e-11)


@pytest.mark.parametrize("place", PLACES)
def test_reactions_are_images(place):
    """In joint axes y of a force changes its sign in the mirror, x and z of a torque do: y of the frame is turned."""
    image, result, reference = Image(**PLACES[place]), placed_run(place), alone()
    turned = np.array([1.0, image.sense, 1.0])
    for name in reference.system.joints:
        found, r = result.reaction(f"unit.{name}"), reference.reaction(name)
        assert same(found.force, image.polar(r.force), 1e-10), name
        assert same(found.torque, image.axial(r.torque), 1e-10), name
        force, torque = found.in_joint_axes
        assert same(force, turned * r.in_joint_axes[0], 1e-10), name
        assert same(torque, image.sense * turned * r.in_joint_axes[1], 1e-10), name


@pytest.mark.parametrize("place", ["turned", "mirrored, turned and moved"])
def test_a_sub_model_on_a_body_that_stands_still_moves_as_on_the_ground(place):
    check_bodies(placed_run(place, on="plate"), alone(), Image(**PLACES[place]))


def test_the_mechanism_of_these_tests_uses_every_part_of_a_model():
    m, system = rig(), alone().system
    assert all(m.groups()[kind] for kind in m.groups() if kind != "sub-model")
    assert {e.kind for x in m.measures.values() for _, e, _, _ in x.terms} == set(equations.EQUATIONS)
    assert alone().mobility.redundant == 0
    happened = {e.name for e in alone().events}
    assert {"buffer.closes", "seal.travel.sticks", "seal.travel.slips", "shift"} <= happened
    speeds = np.linalg.norm(alone().y[:, :13 * len(system.centred)].reshape(len(TIMES), -1, 13)[..., 10:], axis=2)
    assert speeds.min(axis=0).max() > 1 and len(system.body_numbers) == 8  # rad/s: nothing here is small


@pytest.mark.parametrize("mirror", [None, "y"])
def test_on_a_carrier_at_steady_speed_a_sub_model_moves_as_at_rest(mirror):
    """Its velocities are those against the body it stands on, as its joints and points are."""
    image, v = Image(at=(1, 0, 2), mirror=mirror), np.array([3.0, -1.0, 2.0])
    speed = float(np.linalg.norm(v))
    model = vc.Model("train", gravity=image.polar(GRAVITY))
    wagon = model.body("wagon", 2.0, 1.0, velocity=v)
    model.prismatic("rails", model.ground, wagon, at=(0, 0, 0), axis=v)
    model.drive("rails.travel", vc.Polynomial([0, speed]))
    model.add("unit", rig(), at=image.at, mirror=mirror, on=wagon)
    result, reference = vc.simulate(model, UNTIL, outputs=TIMES, integrator=STEPS), alone()
    for name in reference.system.body_numbers:
        found, r = result.motion(f"unit.{name}"), reference.motion(name)
        assert same(found.position, image.point(r.position) + np.outer(result.t, v), 1e-11), name
        assert same(found.velocity, image.polar(r.velocity) + v, 1e-11), name


def nested(levels, gravity=(0, 0, 0)):
    """The rig inside models inside models; `levels` are the places, the innermost first."""
    model = rig()
    for depth, place in enumerate(levels):
        outer = vc.Model(f"level {depth}", gravity=gravity)
        outer.add(f"L{depth}", model, at=place["at"], orientation=place.get("Q"), mirror=place.get("mirror"))
        model = outer
    return model


def test_three_levels_move_as_their_places_one_after_the_other():
    rng = np.random.default_rng(9)
    levels = [{"at": rng.normal(size=3), "Q": rotation(rng), "mirror": mirror} for mirror in ("y", None, "x")]
    images = [Image(**place) for place in levels]
    gravity = GRAVITY
    for image in images:
        gravity = image.polar(gravity)
    result = vc.simulate(nested(levels, gravity), UNTIL, outputs=TIMES, integrator=STEPS)
    reference = alone()
    for name in reference.system.body_numbers:
        points, spins = reference.motion(name).position, reference.motion(name).angular_velocity
        for image in images:
            points, spins = image.point(points), image.axial(spins)
        found = result.motion(f"L2.L1.L0.{name}")
        assert same(found.position, points) and same(found.angular_velocity, spins), name
    for name in reference.system.quantities:
        assert same(result[f"L2.L1.L0.{name}"], reference[name], 1e-11), name


def test_mirrored_twice_is_turned():
    """The mirrors x and y make half a turn about z."""
    half = Image(Q=np.diag([-1.0, -1.0, 1.0]))
    model = nested([{"at": (0, 0, 0), "mirror": "x"}, {"at": (0, 0, 0), "mirror": "y"}], half.polar(GRAVITY))
    assert not any(joint.mirrored for joint in model.joints.values())
    for axis, name in enumerate("xyz"):
        drawn = model.bodies["L1.L0.crane"].orientation[:, axis]
        as_turned = half.rotation(rig().bodies["crane"].orientation)[:, axis]
        shown = np.diag([-1.0, -1.0, 1.0])[axis, axis]  # the body's own axes have been mirrored twice too
        assert drawn == pytest.approx(shown * as_turned, abs=1e-15), name
