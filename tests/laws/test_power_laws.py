"""Every force of the catalogue tells its power, the energy that it stores and what it takes without storing it, and all
three belong together; every event tells its impulses, and they are what the momenta change by.

The catalogue is what the methods of a model return: a new one fails here until it has a sample, and then has it all."""

import inspect
import re

import numpy as np
import pytest

import vincolo as vc
from dense import gradient, inertia_and_weight
from mechanisms import motions

MADE = re.compile("Spring|Law|Load|Rotor|Friction|Stop|Contact")
MAKERS = {name for name, method in inspect.getmembers(vc.Model, inspect.isfunction) if not name.startswith("_")
          and MADE.search(str(inspect.signature(method).return_annotation))}
UNTIL, GAUSS = 0.5, np.polynomial.legendre.leggauss(6)
EXACT = vc.DOP853(rtol=1e-11, atol=1e-12)
HINGED = {"z": "y", "x": "x"}


def arms():
    """A pendulum of two arms; the second hangs by a ball and turns all ways."""
    m = vc.Model()
    one = m.body("one", 1.0, [0.02, 0.1, 0.1], at=(0.5, 0, 0))
    two = m.body("two", 0.5, [0.05, 0.02, 0.04], at=(1.2, 0.1, 0), angular_velocity=(0.5, 1.0, 2.0))
    m.revolute("O", m.ground, one, at=(0, 0, 0), axis="y")
    m.spherical("S", one, two, at=(1, 0, 0))
    return m, one.frame((0.8, 0, 0.1)), two.frame((1.3, 0.2, 0))


def slider(down=0.0):
    """A block on a rail."""
    m = vc.Model(gravity=(down, 0, -9.80665))
    block = m.body("block", 2.0, 0.1, velocity=(1.0, 0, 0))
    m.prismatic("rail", m.ground, block, at=(0, 0, 0), axis="x")
    return m


def on_arms(act):
    def made():
        m, one, two = arms()
        act(m, one, two)
        return m
    return made


def friction_on_a_joint():
    m, *_ = arms()
    m.friction("f", "O", 0.3, radius=0.05, mu_static=0.4, stribeck=0.1, viscous=0.02)
    return m


def friction_in_a_ball():
    m, *_ = arms()
    m.friction("f", "S", 0.3, radius=0.05, mu_static=0.4, stribeck=0.1, viscous=0.002)
    return m


def friction_in_a_plane():
    m = vc.Model(gravity=(1.0, 0, -9.80665))
    puck = m.body("puck", 2.0, 0.1, velocity=(0.6, 0.8, 0), angular_velocity=(0, 0, 3.0))
    m.planar("plane", m.ground, puck, at=(0, 0, 0), axis="z")
    m.friction("f", "plane", 0.3, radius=0.1)
    return m


def friction_that_comes_to_rest():
    m = slider()
    m.friction("f", "rail", 0.4)
    return m


def friction_that_creeps():
    m = slider()
    m.friction("f", "rail.travel", 0.2, normal=10.0, regularised=0.05)
    return m


def bound(**given):
    def made():
        m = slider(down=3.0)
        m.stop("f", "rail.travel", at_most=0.2, **given)
        return m
    return made


def ball(**given):
    def made():
        m = vc.Model()
        falls = m.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0, 0, 0.2), velocity=(1.0, 0, 0))
        m.contact("f", m.ground, falls, "plane", **given)
        return m
    return made


def box():
    m = vc.Model()
    falls = m.body("box", vc.shapes.box((0.3, 0.2, 0.1), mass=1.0), at=(0, 0, 0.2), angular_velocity=(2.0, 1.0, 0))
    m.contact("f", m.ground, falls, "plane", stiffness=2e4, damping=0.3, friction=0.3, creep=0.1)
    return m


def loose(kind, **given):
    def made():
        m = vc.Model()
        pin = m.body("pin", 1.0, 0.01, velocity=(0.05, 0, 0))
        m.planar("plane", m.ground, pin, at=(0, 0, 0), axis="y")
        m.clearance("f", kind, m.ground.frame((0, 0, 0), **HINGED), pin.frame((0, 0, 0), **HINGED), gap=1e-3, **given)
        return m
    return made


def bearing():
    m = vc.Model()
    shaft = m.body("shaft", 1.0, 0.01, velocity=(0, 0.001, 0), angular_velocity=(0, 0, 100.0))
    m.planar("plane", m.ground, shaft, at=(0, 0, 0), axis="z")
    m.journal_bearing("f", m.ground.frame((0, 0, 0)), shaft.frame((0, 0, 0)), radius=0.02, length=0.02, clearance=2e-4,
                      viscosity=0.05, tilt=False)
    return m


def lifted(**given):
    def made():
        m = vc.Model(gravity=(0, 0, -9.81))
        cam = m.body("cam", 2.0, 0.02, angular_velocity=(0, 15.0, 0))
        follower = m.body("follower", 0.2, 0.01, at=(0, 0, 0.2))
        m.revolute("O", m.ground, cam, at=(0, 0, 0), axis="y")
        m.prismatic("P", m.ground, follower, at=(0, 0, 0.2), axis="z")
        m.cam_contact("f", cam, follower, (0, 0, 0), "-y", profile="0.2 + 0.03*cos(2*t) + 0*t", point=(0, 0, 0.25),
                      roller=0.05, **given)
        return m
    return made


CURVE = vc.Spline([-9.0, -1.0, 0.5, 2.0, 9.0], [-20.0, -3.0, 0.5, 4.0, 30.0])
COUPLED = np.diag([80.0, 80, 80, 3, 3, 3]) + 2.0
#: of every method: models with a force "f", or parts "f.x"
FORCES = {
    "spring": [on_arms(lambda m, a, b: m.spring("f", a, b, k=20.0, c=1.0, preload=3.0)),
               on_arms(lambda m, a, b: m.spring("f", "O.angle", k=9.0, c=0.4))],
    "law": [on_arms(lambda m, a, b: m.law("f", "O.angle", "5*d + 0.3*dd + d^3")),
            on_arms(lambda m, a, b: m.law("f", "O.angle", CURVE)),
            on_arms(lambda m, a, b: m.law("f", "O.angle", lambda d, dd: 3 * d + dd**3)),
            on_arms(lambda m, a, b: m.law("f", "O.angle", "0.05*O.reaction.radial*tanh(dd)", reactions="solved"))],
    "actuator": [on_arms(lambda m, a, b: m.actuator("f", "O.angle", vc.Sine(2.0, 4.0, 0.3))),
                 on_arms(lambda m, a, b: m.actuator("f", vc.distance(a, b), "2*dd - t"))],
    "force": [on_arms(lambda m, a, b: m.force("f", b, (0, "2*cos(3*t)", 1.0), axes="body")),
              on_arms(lambda m, a, b: m.force("f", b, (0, "-two.vy", 1.0)))],
    "torque": [on_arms(lambda m, a, b: m.torque("f", b, (0.1, "0.2*cos(3*t)", 0.3)))],
    "rotor": [on_arms(lambda m, a, b: m.rotor("O.angle", 0.01, 5.0, name="f"))],
    "bushing": [on_arms(lambda m, a, b: m.bushing("f", a, b, k=[80, 80, 80, 3, 3, 3], c=[1, 1, 1, 0.1, 0.1, 0.1])),
                on_arms(lambda m, a, b: m.bushing("f", a, b, k=COUPLED, c=0.1, preload=1.0))],
    "general_force": [on_arms(lambda m, a, b: m.general_force("f", a, b, ("-3*one.vx", 1.0, 0),
                                                              (0, "0.3*sin(9*t)", 0)))],
    "drag": [on_arms(lambda m, a, b: m.drag("f", b, 0.4, wind=(1.0, 0, 0)))],
    "field": [on_arms(lambda m, a, b: m.field("f", b, ("-x", "-y_rate", "z*t")))],
    "force_in_space": [on_arms(lambda m, a, b: m.force_in_space("f", "two", (1.2, 0, 0), (1.0, "t", 0)))],
    "table_force": [on_arms(lambda m, a, b: m.table_force("f", "O.angle", [-9, 0, 9], [-9, 9],
                                                          [[-9, 3], [-4, 4], [-3, 9]]))],
    "motor": [on_arms(lambda m, a, b: m.motor("f", "O.angle", [-20, 0, 20], [4, 3, 0], control="cos(t)"))],
    "friction": [friction_on_a_joint, friction_in_a_ball, friction_in_a_plane, friction_that_comes_to_rest,
                 friction_that_creeps],
    "stop": [bound(restitution=0.5), bound(), bound(force="4e3*d + 5*dd"),
             bound(force="2e3*d", back="8e3*(d - 0.75*deepest)")],
    "rope": [on_arms(lambda m, a, b: m.rope("f", m.ground.frame((1.0, 0, 1.0)), a, 1.1, restitution=0.3))],
    "clearance": [loose("revolute", restitution=0.4), loose("cylindrical", stiffness=1e6, restitution=0.5)],
    "contact": [ball(stiffness=1e4, damping=0.5, friction=0.3, creep=0.1),
                ball(stiffness=1e4, law="linear", damping=9.0),
                ball(stiffness=1e4, law="lankarani-nikravesh", restitution=0.5, speed=1.0), box],
    "journal_bearing": [bearing],
    "cam_contact": [lifted(restitution=0.3), lifted(force="2e4*d + 10*dd")],
    "ground_wheel": [on_arms(lambda m, a, b: m.ground_wheel(
        "f", m.bodies["two"].frame((1.2, 0.1, 0), z="y"), 0.1, stiffness=300.0, damping=3.0, creep=0.3,
        adhesion="0.5 + 0.01*N"))],
}
SAMPLES = [pytest.param(build, id=f"{name} {k}") for name, builds in FORCES.items() for k, build in enumerate(builds)]


def test_every_force_of_the_catalogue_has_a_sample():
    assert set(FORCES) == MAKERS


def forces_of(system):
    """Names of all forces that act, and whether they store what they take as motion."""
    model = system.model
    return [*system.laws, *system.loads, *system.contacts, *model.rotors], set(model.rotors)


def kinks_of(build):
    """Times at which forces of a run have kinks or jumps, with how near to them it is not smooth: events, and where
    contacts and tables begin and end, as samples show it."""
    coarse = vc.simulate(build(), UNTIL, outputs=4000, integrator=EXACT)
    assert coarse.complete
    times = {e.t: 2e-9 for e in coarse.events}
    for name in forces_of(coarse.system)[0]:
        for series in (coarse[f"{name}.power"], coarse[f"{name}.dissipation"]):
            bent = np.abs(np.diff(series, 2))
            rough = bent > 30 * np.median(bent) + 1e-3 * bent.max()
            times |= dict.fromkeys(coarse.t[1:-1][rough].tolist(), UNTIL / 4000)
    return sorted(times.items())


def pieces(kinks):
    """Ends of pieces of a run between kinks; what is near to those is left out."""
    marks = [(0.0, 0.0), *kinks, (UNTIL, 0.0)]
    for (a, after), (b, before) in zip(marks, marks[1:], strict=False):
        low, high = a + after, b - before
        if high - low > 1e-4:
            edges = np.linspace(low, high, max(2, int(400 * (high - low)) + 2))
            yield from zip(edges, edges[1:], strict=False)


@pytest.mark.parametrize("build", SAMPLES)
def test_power_is_what_leaves_the_energy_and_what_is_lost(build):
    parts = list(pieces(kinks_of(build)))
    assert sum(b - a for a, b in parts) > 0.5 * UNTIL
    nodes = [np.array([a, *(0.5 * (a + b) + 0.5 * (b - a) * GAUSS[0]), b]) for a, b in parts]
    times = np.unique(np.concatenate(nodes))
    run = vc.simulate(build(), times[-1], outputs=times, integrator=EXACT)
    at = [np.searchsorted(run.t, piece) for piece in nodes]

    def integral(x):
        return np.array([0.5 * (b - a) * GAUSS[1] @ x[k[1:-1]] for (a, b), k in zip(parts, at, strict=True)])

    def change(x):
        return np.array([x[k[-1]] - x[k[0]] for k in at])

    names, turning = forces_of(run.system)
    size = max(1e-2, run.statistics["energy_range"])
    given = np.zeros(len(parts))
    taken = np.zeros(len(parts))
    for name in names:
        power, lost = integral(run[f"{name}.power"]), integral(run[f"{name}.dissipation"])
        assert np.abs(power + change(run[f"{name}.energy"]) + lost).max() < 2e-7 * size, name
        given, taken = given + power, taken + lost
    weight = -sum(b.mass * run.system.gravity[2] * run[f"{n}.z"] + b.mass * run.system.gravity[0] * run[f"{n}.x"]
                  for n, b in run.system.model.bodies.items())
    motion = run["energy.kinetic"] - sum((run[f"{name}.energy"] for name in turning), np.zeros(len(run.t)))
    assert np.abs(change(motion + weight) - given).max() < 2e-7 * size  # power is what the motion gets
    assert np.abs(change(run["energy.work"]) + taken).max() < 2e-7 * size  # and the whole counts what is lost
    assert names == [] or max(np.abs(run[f"{name}.power"]).max() for name in names) > 1e-3


@pytest.mark.parametrize("build", SAMPLES)
def test_every_force_comes_back_from_a_file(build, tmp_path):
    path = tmp_path / "model.yaml"
    vc.save_model(build(), path)
    given, read = (vc.assemble(model).channels for model in (build(), vc.load_model(path)))
    assert read.keys() == given.keys()
    assert read.observed["acceleration"] == pytest.approx(given.observed["acceleration"], rel=1e-12, abs=1e-12)


def struck(**given):
    """An arm whose tip meets the floor, with friction on it."""
    m, *_ = arms()
    m.frame("tip", "one", (1, 0, 0))
    m.stop("floor", "tip.z", at_least=-0.3, restitution=0.5)
    m.friction("scrapes", "floor", 0.4, along="tip.x")
    return m


def cradle():
    m = vc.Model(gravity=(0, 0, 0))
    for k in range(4):
        b = m.body(f"b{k}", 1.0 + k, 0.001, at=(0.2 * k, 0, 0), velocity=(1.0 if k == 0 else 0, 0, 0))
        m.prismatic(f"r{k}", m.ground, b, at=(0, 0, 0), axis="x")
    for k in range(3):
        m.stop(f"c{k}", m.joints[f"r{k + 1}"]["travel"] - m.joints[f"r{k}"]["travel"], at_least=-0.05 * (k == 0),
               restitution=0.8)
    return m


def kicked():
    m, *_ = arms()
    m.event("kick", at=[0.1, 0.3], strike={"O.angle": "0.4 + t", "two.x": 0.2})
    m.event("back", "O.angle - 0.5", bounce={"O.angle": 0.7})
    return m


def caught():
    m, *_ = arms()
    m.hold("latch", "O.angle")
    m.switch("latch", False)
    m.event("catch", at=0.2, switch_on="latch")
    return m


def both_hinges():
    """A bar in two hinges, of which one is enough, that meets a stop."""
    m = vc.Model()
    bar = m.body("bar", 2.0, [0.01, 0.2, 0.2], at=(0.5, 0, 0))
    m.revolute("O", m.ground, bar, at=(0, -0.1, 0), axis="y")
    m.revolute("P", m.ground, bar, at=(0, 0.1, 0), axis="y")
    m.stop("end", "O.angle", at_most=0.4, at_least=-0.4, restitution=0.6)
    return m


def rubbing_hinges():
    """The same, and the hinges rub: they share what presses them as the least reactions do."""
    m = both_hinges()
    m.friction("in O", "O", 0.3, radius=0.05, length=0.1)
    m.friction("in P", "P", 0.2, radius=0.05, end_radius=0.02)
    return m


EVENTS = [rubbing_hinges, struck, cradle, kicked, caught, both_hinges, bound(restitution=0.5), bound(),
          lifted(restitution=0.5), loose("revolute", restitution=0.4), loose("spherical", restitution=0.9),
          *FORCES["rope"], friction_that_comes_to_rest]


def measure_of(model, name):
    if name in model.stops:
        return model.stops[name].measure
    for friction in model.frictions.values():
        if name in friction.titles:
            return friction.measures[friction.titles.index(name)]
    return model._along("", name)


@pytest.mark.parametrize("build", [pytest.param(b, id=str(k)) for k, b in enumerate(EVENTS)])
def test_momenta_change_by_the_impulses_of_events_and_of_joints(build):
    run = vc.simulate(build(), 0.8, integrator=EXACT)
    assert run.complete
    assert run.events
    model, system = run.system.model, run.system
    for t in sorted({e.t for e in run.events})[:15]:
        now = [e for e in run.events if e.t == t]
        before, after = now[0].before, now[0].after
        M, _ = inertia_and_weight(model, motions(before))
        u, v = (s.y[:13 * len(system.centred)].reshape(-1, 13)[:, 7:].ravel() for s in (before, after))
        given = sum((p * gradient(measure_of(model, name), motions(after), system.body_numbers, t)
                     for e in now for name, p in e.impulses.items()), np.zeros(len(u)))
        rows = system.kernel.rows(after.t, after.y.tolist(), after.turns.tolist())
        J = np.zeros((len(system.rows), len(u)))
        J[rows["row"], rows["column"]] = rows["value"]
        J[[r for name in (*model.stops, *model.frictions) for r in system.block_rows.get(name, ())]] = 0.0
        left = M @ (v - u) - given
        left -= J.T @ np.linalg.lstsq(J.T, left, rcond=1e-10)[0]
        size = max(1e-6, np.abs(M @ (v - u)).max())
        assert np.abs(left).max() < 1e-8 * size, [str(e) for e in now]
        spent = after["energy.total"] - before["energy.total"]
        assert now[0].energy == pytest.approx(spent, abs=1e-11 + 1e-9 * before["energy.kinetic"])
