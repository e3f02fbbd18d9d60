"""Derivatives of motions by parameters equal differences of runs, also where joints are redundant."""

import sys

import numpy as np
import pytest

import vincolo as vc
from example_models import built, example
from vincolo.analyses.carry import pose
from vincolo.studies import gradients, tangents
from vincolo.studies.outputs import output_of
from vincolo.threads import thread_counts
from vincolo.varied import feature_of, value_of, varied_system

FINE = vc.integrators.DOP853(rtol=1e-12, atol=1e-12)


def pendulum() -> vc.Model:
    model = vc.Model("pendulum")
    bob = model.body("bob", mass=2.0, inertia=0.05, at=(0.5, 0, 0))
    model.revolute("pin", model.ground, bob, at=(0, 0, 0), axis="y")
    model.law("drag", "pin.angle", "c*dd", c=0.3)
    return model


def four_bar() -> vc.Model:
    """Of four parallel hinges: three rows more than needed."""
    model = vc.Model("four-bar")
    points = [(0, 0, 0), (0.2, 0, 0.2), (0.9, 0, 0.5), (0.8, 0, 0)]
    links = [model.ground]
    for k, name in enumerate(("crank", "coupler", "rocker")):
        links.append(model.body(name, mass=1 + k, inertia=0.02, at=np.mean(points[k: k + 2], axis=0)))
    for k, name in enumerate("ABCD"):
        model.revolute(name, links[k], links[(k + 1) % 4], at=points[k], axis="y")
    model.torque("motor", links[1], (0, 1.5, 0))
    return model


def hinged_twice() -> vc.Model:
    """A door on two hinges, with a spring: five rows more than needed."""
    model = vc.Model("door")
    door = model.body("door", mass=12.0, inertia=(0.8, 0.6, 0.4), at=(0.4, 0, 1))
    for name, z in (("low", 0.2), ("high", 1.8)):
        model.revolute(name, model.ground, door, at=(0, 0, z), axis="z")
    model.spring("closer", model.ground.frame((0.1, 0.3, 1)), door.frame((0.5, 0, 1)), k=150.0, c=2.0, length=0.2)
    return model


def cart() -> vc.Model:
    model = vc.Model("cart")
    body = model.body("cart", mass=3.0, inertia=0.1)
    pole = model.body("pole", mass=0.5, inertia=0.02, at=(0.1, 0, 0.4))
    model.prismatic("rail", model.ground, body, at=(0, 0, 0), axis="x")
    model.revolute("hinge", body, pole, at=(0, 0, 0), axis="y")
    model.spring("soft", "rail.travel", k=40.0, c=1.0, length=0.1)
    return model


def driven() -> vc.Model:
    """A crank at a given speed, and a rod on a spring."""
    model = vc.Model("driven crank")
    crank = model.body("crank", mass=1.0, inertia=0.02, at=(0.1, 0, 0))
    rod = model.body("rod", mass=0.7, inertia=0.03, at=(0.4, 0, 0.1))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="y")
    model.revolute("A", crank, rod, at=(0.2, 0, 0), axis="y")
    model.drive("O.angle", "3*t")
    model.spring("tie", model.ground.frame((1, 0, 0.3)), rod.frame((0.6, 0, 0.2)), k=30.0, c=0.5, length=0.3)
    return model


def bushed() -> vc.Model:
    """An arm in a rubber of 1e7 N/m that swings some 800 times in a second and settles within thousandths."""
    model = vc.Model("bushed arm")
    arm = model.body("arm", mass=2.0, inertia=(0.02, 0.05, 0.06), at=(0.4, 0, 0))
    tip = model.body("tip", mass=0.5, inertia=0.004, at=(0.9, 0, 0.05))
    model.bushing("rubber", model.ground.frame((0, 0, 0)), arm.frame((0, 0, 0)), k=(1e7, 1e7, 1e7, 9e3, 40.0, 9e3),
                  c=(2e4, 2e4, 2e4, 30.0, 0.2, 30.0))
    model.revolute("hinge", arm, tip, at=(0.8, 0, 0), axis="y")
    return model


CASES = {
    "pendulum": (pendulum, ["bob.mass", "drag.c", "pin@bob.x", "gravity.z"], "final bob.z", 0.6),
    "four-bar of hinges": (four_bar, ["coupler.mass", "motor.y"], "final rocker.x", 0.4),
    "slider-crank of hinges": (lambda: built("slider_crank"), ["rod.mass", "motor.y"], "final slider.x", 0.4),
    "slider-crank of balls": (lambda: example("slider_crank").build("spherical"), ["crank.mass", "A@crank.x"],
                              "final slider.vx", 0.4),
    "Bricard": (lambda: built("bricard"), None, None, 0.3),
    "door on two hinges": (hinged_twice, ["door.mass", "closer.k", "closer.length"], "final door.y", 0.5),
    "cart and pole": (cart, ["pole.mass", "soft.k", "soft.c"], "final pole.x", 0.5),
    "driven crank": (driven, ["rod.mass", "tie.k"], "final O.angle.acceleration", 0.4),
    "five-bar": (lambda: built("five_bar"), None, None, 0.2),
    "spatial double pendulum": (lambda: built("spatial_double_pendulum"), None, None, 0.4),
    "flyball governor, stiff": (lambda: built("flyball_governor"), ["slider.mass", "right spring.k", "right spring.c"],
                                "final slider.y", 0.2),
    "McPherson, stiff": (lambda: built("mcpherson"), ["wheel.mass", "tyre.k", "tyre.c", "suspension.c"],
                         "final wheel.z", 0.2),
    "bushed arm, stiff": (bushed, ["tip.mass", "rubber.x.k", "rubber.ry.k", "rubber.ry.c"], "final tip.z", 0.1),
}


def case(name):
    make, names, output, until = CASES[name]
    model = make()
    bodies = list(model.bodies)
    if names is None:
        names, output = [f"{bodies[0]}.mass", f"{bodies[-1]}.mass"], f"final {bodies[-1]}.x"
    if name == "driven crank":
        output = "final tie.force"
    return model, names, output, until


def differences(model: vc.Model, name: str, output: str, until: float, share: float = 5e-3) -> tuple[float, float]:
    """By runs of designs to either side, of the sixth order, and how far they may be off: what the fourth order finds
    otherwise."""
    feature = feature_of(model, name)
    h = share * (abs(value_of(model, feature)) or 1.0)
    base = vc.compile(model)
    begin, kept = vc.assemble(base), output_of(output)

    def run(off):
        system = varied_system(base, [(feature, off)])
        found = vc.simulate(system, until, start=vc.assemble(system, guess=pose(begin, system)), outputs=4,
                            integrator=FINE)
        return found[kept.channel][-1]

    one, two, three = ((run(k * h) - run(-k * h)) / (2 * k * h) for k in (1, 2, 3))
    fourth, sixth = (4 * one - two) / 3, 1.5 * one - 0.6 * two + 0.1 * three
    return sixth, abs(sixth - fourth)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_derivatives_of_motions_equal_differences_of_runs(name):
    model, names, output, until = case(name)
    found = gradients(model, names, output, until=until, times=80)
    for parameter in names:
        # what rounding leaves of small differences, and order of large ones, is not the same for all
        expected, doubt = min((differences(model, parameter, output, until, share) for share in (5e-3, 1e-2)),
                              key=lambda found: found[1])
        assert doubt < 1e-6 * abs(expected), f"{parameter}: the differences themselves are off"
        assert found[found.outputs[0], parameter] == pytest.approx(expected, rel=1e-6, abs=0), parameter
    assert (found.error < 1e-6 * np.abs(found.by)).all()


def test_a_pendulum_swings_sooner_where_gravity_is_larger():
    found = gradients(pendulum(), ["gravity.z"], ["final bob.z", "mean bob.z"], until=0.3, times=40)
    expected, _ = differences(pendulum(), "gravity.z", "final bob.z", 0.3)
    assert found["final bob.z", "gravity.z"] == pytest.approx(expected, rel=1e-5)
    assert found.error[0, 0] < 1e-6 and found.error[1, 0] < 1e-5 and found["mean bob.z", "gravity.z"] > 0
    assert found.series.shape == (41, 1, 1) and "by gravity.z" in str(found)


def test_functions_that_build_models_have_gradients_too():
    def build(length: float) -> vc.Model:
        model = vc.Model("rod")
        rod = model.body("rod", mass=3 * length, inertia=(1e-2, length**3 / 4, length**3 / 4.1), at=(length / 2, 0, 0))
        model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis="y")
        return model

    found = gradients(build, {"length": 0.8}, "final pin.angle", until=0.3, times=40)
    runs = vc.sensitivities(lambda length: vc.simulate(build(length), 0.3, outputs=1, integrator=FINE)["pin.angle"][-1],
                            {"length": 0.8}, step=1e-3)
    assert found.by[0, 0] == pytest.approx(runs["length"][0], rel=1e-5)


def test_what_gradients_do_not_know_is_refused():
    model = pendulum()
    model.event("low", "bob.z + 0.4", stop=True)
    with pytest.raises(vc.ModelError, match="the model has event 'low'.*\n.*sensitivities"):
        gradients(model, ["bob.mass"], "final bob.z", until=1.0)
    with pytest.raises(vc.ModelError, match="has no derivative here"):
        gradients(pendulum(), ["bob.mass"], "time of max bob.z", until=0.1, times=8)
    with pytest.raises(vc.ModelError, match="give a Model with names"):
        gradients(3, ["bob.mass"], "final bob.z", until=1.0)


def test_outputs_are_read_from_all_samples_and_errors_tell_what_lies_between_them():
    """Few samples against many: what they differ by is within what both say of themselves."""
    outputs = ["mean bob.z", "rms bob.z", "max bob.x", "final bob.z"]
    few, many = (gradients(pendulum(), ["gravity.z"], outputs, until=0.8, times=n) for n in (10, 60))
    assert [len(found.t) for found in (few, many)] == [11, 61] and few.t[1] == pytest.approx(0.08)
    off = np.abs(few.by - many.by)
    assert (off <= few.error + many.error).all()
    assert off[0, 0] > 1e-6 and few.error[0, 0] < 20 * off[0, 0]  # a mean of ten intervals is not exact, and says so


def test_linear_algebra_takes_one_thread_within_gradients_alone(monkeypatch):
    before, within = thread_counts(), []
    kept = tangents._point
    monkeypatch.setattr(tangents, "_point", lambda *given: (within.append(thread_counts()), kept(*given))[1])
    gradients(pendulum(), ["gravity.z"], "final bob.z", until=0.1, times=4)
    assert within and all(set(counts) <= {1} for counts in within) and thread_counts() == before
    if sys.platform == "linux" and "openblas" in str(np.show_config(mode="dicts")).lower():
        assert before
