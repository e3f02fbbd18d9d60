"""Energy follows work under every integrator, for everything that does work: dampers, drives, frames that are moved,
laws by curves, formulas and times, laws along velocities, loads."""

import numpy as np
import pytest

import vincolo as vc
from integrators import EVERY, label
from vincolo.solvers.integrators import Adaptive

REFERENCE = vc.DOP853(rtol=1e-11, atol=1e-12)
ERROR = {1: 1e-2, 2: 1e-4, 4: 1e-8}  # by order, of the energy that is in motion


def arm():
    """A pendulum of two arms; the second hangs by a ball and can turn all ways."""
    model = vc.Model()
    one = model.body("one", 1.0, [0.02, 0.1, 0.1], at=(0.5, 0, 0))
    two = model.body("two", 0.5, [0.05, 0.02, 0.04], at=(1.2, 0.1, 0), angular_velocity=(0.5, 1.0, 2.0))
    model.revolute("O", model.ground, one, at=(0, 0, 0), axis="y")
    model.spherical("S", one, two, at=(1, 0, 0))
    return model


def damper(model):
    model.spring("x", "O.angle", k=3.0, c=0.4)


def strut(model):
    one, two = (model.bodies[n].frame(at) for n, at in (("one", (0.2, 0, 0.1)), ("two", (1.3, 0.2, 0))))
    model.spring("x", one, two, k=20.0, c=1.0, preload=3.0)


def drive(model):
    model.drive("O.angle", "0.4*sin(3*t) + t^2/4")


def speed(model):
    model.drive("O.angle", "1.2*cos(3*t)", level="velocity")


def shaken_spring(model):
    shaken = model.ground.frame((1, 0, 1)).moving(z="0.3*sin(4*t)")
    model.spring("x", shaken, model.bodies["two"].frame((1.2, 0, 0)), k=20, c=0.5)


def moved_hinge(model):
    model.joints.pop("O")
    axes = {"z": "y", "x": "x"}
    pivot = model.ground.frame((0, 0, 0), **axes).moving(x="0.1*sin(5*t)", angle="0.2*t", axis="z")
    model.revolute("O", pivot, model.bodies["one"].frame((0, 0, 0), **axes))


def formula_law(model):
    model.law("x", vc.formula("a*(1 + 0.3*sin(5*t)) + a^3", a=model.joints["O"]["angle"]), "5*d + 0.3*dd + d^3")


def curve(model):
    model.law("x", "O.angle", vc.Spline([-9.0, -1.0, 0.5, 2.0, 9.0], [-20.0, -3.0, 0.5, 4.0, 30.0]))


def actuator(model):
    model.actuator("x", "O.angle", vc.Sine(2.0, 4.0, 0.3))


def velocity_law(model):
    model.spring("x", vc.formula("a_rate*(1 + a^2) + 2*t", a=model.joints["O"]["angle"]), k=0.0, c=0.5, preload=1.0)


def load(model):
    model.force("x", model.bodies["two"].frame((1.4, 0, 0)), (0, "2*cos(3*t)", 1.0), axes="body")


ELEMENTS = [damper, strut, drive, speed, shaken_spring, moved_hinge, formula_law, curve, actuator, velocity_law, load]


HERE = [*EVERY, *({"integrator": REFERENCE, "formulation": f}
                  for f in (vc.NullSpace(), vc.UdwadiaKalaba(), vc.AugmentedLagrangian()))]


def holds_positions(system, how):
    """Whether a method takes the rows of a system at all: some hold positions only."""
    try:
        how["integrator"].check(vc.Projection(), system)
        if "formulation" in how:
            how["formulation"].check_system(system)
    except vc.ModelError:
        return False
    return True


@pytest.fixture(scope="module")
def exact():
    """Work over time by the tightest integrator, for each element."""
    found = {}
    for element in ELEMENTS:
        model = arm()
        element(model)
        system = vc.compile(model)
        found[element] = system, vc.simulate(system, 0.8, outputs=20, integrator=REFERENCE)
    return found


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda f: f.__name__)
def test_the_reference_itself_is_balanced(element, exact):
    _, result = exact[element]
    assert result.energy_drift < 1e-9
    assert (np.ptp(result["energy.work"]) > 0.05) == (element is not curve)  # a curve stores all it takes


def test_work_of_a_damper_and_of_a_drive_are_their_integrals(exact):
    """-c w^2, and torque times speed, summed up over the samples of a fine run."""
    for element, power in ((damper, lambda r: -0.4 * r["O.angle.rate"]**2),
                           (drive, lambda r: r["O.angle.drive.force"] * r["O.angle.rate"])):
        system, _ = exact[element]
        fine = vc.simulate(system, 0.8, outputs=2000, integrator=REFERENCE)
        p = power(fine)
        work = np.concatenate([[0.0], np.cumsum(0.5 * (p[1:] + p[:-1]) * np.diff(fine.t))])
        assert fine["energy.work"] - fine["energy.work"][0] == pytest.approx(work, abs=1e-5)


@pytest.mark.parametrize("how", HERE, ids=label)
def test_energy_follows_work(how, exact, recwarn):
    for element in ELEMENTS:
        system, best = exact[element]
        if not holds_positions(system, how):
            continue
        result = vc.simulate(system, 0.8, outputs=20, **how)
        assert result.complete, element.__name__
        integrator = how["integrator"]
        error = 3e-6 if isinstance(integrator, Adaptive) else ERROR[integrator.order]
        size = result.statistics["energy_range"]
        assert result.statistics["energy_imbalance"] < error * size, element.__name__
        assert np.abs(result["energy.work"] - best["energy.work"]).max() < error * max(size, 1.0), element.__name__
    assert not [w for w in recwarn if issubclass(w.category, vc.SimulationWarning)]


@pytest.mark.parametrize("element", [damper, strut, drive, curve, load], ids=lambda f: f.__name__)
def test_what_is_lost_is_compared_with_the_largest_energy(element, exact):
    """Of kinetic energy, the swing of potential energy and the swing of work; their sum would count energy twice."""
    fine = vc.simulate(exact[element][0], 0.8, outputs=2000, integrator=REFERENCE)
    largest = max(fine["energy.kinetic"].max(), np.ptp(fine["energy.potential"]), np.ptp(fine["energy.work"]))
    assert fine.statistics["energy_range"] == pytest.approx(largest, rel=0.03)


def led(law):
    """A slide that is driven past a strut beside its way: nothing is free, and only the work has an error."""
    model = vc.Model()
    slide = model.body("slide", 0.1, 0.01)
    model.prismatic("O", model.ground, slide, at=(0, 0, 0), axis="x")
    model.spring("strut", model.ground.frame((0.5, 0.1, 0)), slide.frame((0, 0, 0)), k=40.0, c=2.0, length=0.3)
    model.drive("O.travel", law)
    return model


@pytest.mark.parametrize("pair", [vc.Auto, vc.DormandPrince, vc.DOP853, vc.CashKarp, vc.BogackiShampine])
@pytest.mark.parametrize("law", ["t", "t^2", "t + t^2"])
def test_energy_follows_work_where_everything_is_driven(law, pair):
    most = 2e-4 if pair is vc.CashKarp else 2e-5  # between its steps it has a cubic for the work
    assert vc.simulate(led(law), 1.0, outputs=40, integrator=pair()).energy_drift < most
