"""Cells of the matrix for dry friction in ordinary machines, each with an independent value: closed forms, the dense
time stepper, or the balance of what the run recorded."""

import math
import warnings

import numpy as np
import pytest
from judges import complaints_of, friction_outside_its_cone, loads_of_friction
from machines import four_bar, four_bar_of_pins
from machines import rod as bar
from outcomes import cpu_limit
from time_stepping import TimeStepper

import vincolo as vc
from vincolo import cardan

G = 9.81
I = vc.integrators  # noqa: E741
ADAPTIVE = [None, I.DormandPrince(), I.DOP853(), I.Adams(), I.Radau(), I.BDF()]


def run(model, until, **settings):
    """A run that must complete, in bounded CPU time."""
    with cpu_limit(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = vc.simulate(model, until, **settings)
    assert result.complete, result.reason
    return result


def slider(mu=0.1, joint="prismatic", speed=0.0):
    """A block of 1 kg in a guide along x, or on a plane, with its weight across it."""
    m = vc.Model("slider", gravity=(0, 0, -G))
    block = m.body("block", 1.0, 0.01, velocity=(speed, 0, 0))
    if joint == "prismatic":
        m.prismatic("guide", m.ground, block, at=(0, 0, 0), axis="x")
    else:
        m.planar("guide", m.ground, block, at=(0, 0, 0), axis="z")
    m.friction("dry", "guide", mu)
    return m


def slider_crank(mu, pins=0.0, redundant=False, angle=0.9):
    """Crank 0.1 m, rod 0.3 m, with a dry guide and, if wanted, dry pins of 1 cm radius."""
    m = vc.Model("slider-crank", gravity=(0, 0, -G))
    knee = (0.1 * math.cos(angle), 0, 0.1 * math.sin(angle))
    foot = (knee[0] + math.sqrt(0.3**2 - knee[2]**2), 0, 0)
    crank, rod = bar(m, "crank", (0, 0, 0), knee, 0.5), bar(m, "rod", knee, foot, 0.6)
    block = m.body("block", 0.8, 0.001, at=foot)
    m.revolute("O", m.ground, crank, at=(0, 0, 0), axis="y")
    if redundant:
        m.revolute("A", crank, rod, at=knee, axis="y")
        m.revolute("B", rod, block, at=foot, axis="y")
    else:
        m.spherical("A", crank, rod, at=knee)
        m.cylindrical("B", rod, block, at=foot, axis="y")
    m.prismatic("C", m.ground, block, at=foot, axis="x")
    m.friction("dry C", "C", mu)
    for name in ("O", *(["A", "B"] if redundant else [])) if pins else ():
        m.friction(f"dry {name}", name, pins, radius=0.01)
    return m


# a driven slider and slider-crank: slip that drives prescribe ---------------------------------------------------------

@pytest.mark.parametrize("integrator", ADAPTIVE, ids=str)
def test_a_driven_slider_reverses_with_friction_against_its_slip(integrator):
    m = slider(0.1)
    m.drive("guide.travel", "0.1*sin(10*t)", name="motor")
    result = run(m, 2.0, outputs=400, integrator=integrator)
    v, a = np.cos(10 * result.t), -10 * np.sin(10 * result.t)
    slips = np.abs(v) > 1e-3
    assert result["dry.force"][slips] == pytest.approx(-0.1 * G * np.sign(v[slips]), abs=1e-6)
    assert result["motor.force"][slips] == pytest.approx((a + 0.1 * G * np.sign(v))[slips], abs=1e-5)
    loose = isinstance(integrator, I.Adams | I.BDF)  # which count work at a lower order behind corners
    assert not complaints_of(result, 1e-3 if loose else 1e-5)


@pytest.mark.parametrize("mu", [0.01, 0.05, 0.1, 0.2, 0.5])
@pytest.mark.parametrize("pins", [0.0, 0.1])
def test_a_driven_slider_crank_with_a_dry_guide_turns_ten_times(mu, pins):
    m = slider_crank(mu, pins, redundant=bool(pins))
    m.drive("O.angle", "-12*t", name="motor")
    result = run(m, 10 * 2 * math.pi / 12, outputs=1000)
    assert not complaints_of(result, 1e-5)
    work = np.trapezoid(result["motor.power"], result.t)  # over whole turns: all of it goes into friction
    lost = sum(np.trapezoid(result[f"{name}.dissipation"], result.t) for name in m.frictions)
    assert work == pytest.approx(lost, rel=2e-3)


@pytest.mark.parametrize("mu", [0.01, 0.1, 0.5])
def test_the_motor_torque_of_a_driven_slider_crank_is_that_of_the_slider_and_its_guide(mu):
    """Power of motor, weight and friction is that of the kinetic energy, with N of the guide from its reaction."""
    m = slider_crank(mu)
    m.drive("O.angle", "12*t", name="motor")
    result = run(m, 1.0, outputs=200)
    power = result["motor.power"]
    kinetic = sum(_kinetic_power(result, name) for name in m.bodies)
    weight = -G * sum(b.mass * result[f"{name}.vz"] for name, b in m.bodies.items())
    N = loads_of_friction(result, "dry C")
    friction = -mu * N * np.abs(result["C.travel.rate"])
    assert power + weight + friction == pytest.approx(kinetic, abs=1e-6 * np.abs(power).max())


def _kinetic_power(result, name):
    """m a.v + I w.w' of a body that turns about y."""
    body = result.model.bodies[name]
    linear = sum(result[f"{name}.v{x}"] * result[f"{name}.a{x}"] for x in "xz")
    return body.mass * linear + body.inertia[1, 1] * result[f"{name}.wy"] * result[f"{name}.alpha_y"]


def agrees_with_small_steps(m, until, names, h=5e-4, share=0.01):
    """Channels at the end against the dense stepper, extrapolated from two step sizes."""
    result = run(m, until, outputs=50)
    coarse, fine = (TimeStepper(m).run(until, step, every=10**9) for step in (2 * h, h))
    for name in names:
        a, b = coarse[name][-1], fine[name][-1]
        size = max(float(np.ptp(result[name])), 1e-6)
        assert result[name][-1] == pytest.approx(2 * b - a, abs=2 * abs(b - a) + share * size), name
    return result


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.01, 0.05, 0.1, 0.2, 0.5])
def test_a_torque_driven_slider_crank_moves_as_small_steps_say(mu):
    m = slider_crank(mu, redundant=True)
    m.actuator("motor", "O.angle", "1.5 - 0.05*dd")
    result = agrees_with_small_steps(m, 0.5, ["block.x", "O.angle"])
    assert not complaints_of(result)


def test_a_torque_driven_slider_crank_with_a_dry_guide_passes_its_dead_centres():
    m = slider_crank(0.1)
    m.actuator("motor", "O.angle", "1.5 - 0.05*dd")
    result = run(m, 1.0, outputs=200)
    assert result["O.angle"][-1] > 4 * math.pi
    assert not complaints_of(result)


# four-bars ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("build", [four_bar_of_pins, four_bar])
@pytest.mark.parametrize("mu", [0.05, 0.001])
def test_a_four_bar_released_from_rest_with_dry_pins_completes_whatever_its_end(build, mu):
    ends = {}
    for until in (0.05, 0.1, 0.2):
        m = build().model
        for name in m.joints:
            if m.joints[name].kind == "revolute":
                m.friction(f"dry {name}", name, mu, radius=0.02)
        result = run(m, until, outputs=round(until / 0.005))
        assert not complaints_of(result)
        ends[until] = result["rocker.x"][10]
    assert ends[0.1] == pytest.approx(ends[0.05], abs=1e-7)
    assert ends[0.2] == pytest.approx(ends[0.05], abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.05, 0.2])
def test_a_four_bar_with_all_pins_dry_moves_as_small_steps_say(mu):
    m = four_bar_of_pins().model
    for name in m.joints:
        m.friction(f"dry {name}", name, mu, radius=0.02)
    agrees_with_small_steps(m, 0.25, ["rocker.x", "crank.z"])


def test_a_coasting_slider_crank_loses_the_work_of_its_friction():
    m = slider_crank(0.05, 0.05, redundant=True)
    system = vc.compile(m)
    start = vc.assemble(system, {"O.angle.rate": 30.0})
    result = run(system, 1.0, start=start, outputs=4000, integrator=I.DOP853(rtol=1e-10, atol=1e-12))
    energy = result["energy.total"]
    assert abs(result["energy.balance"]).max() < 1e-8 * energy[0]
    lost = np.trapezoid(sum(result[f"{name}.dissipation"] for name in m.frictions), result.t)
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=1e-4)
    assert not complaints_of(result)
    coarse, fine = (TimeStepper(m, {"O.angle.rate": 30.0}).run(0.3, h, every=10**9) for h in (1e-3, 5e-4))
    a, b = coarse["O.angle"][-1], fine["O.angle"][-1]
    at = int(np.argmin(abs(result.t - 0.3)))
    assert result["O.angle"][at] == pytest.approx(2 * b - a, abs=2 * abs(b - a) + 0.02)


# steps of a fixed size, and the first sample --------------------------------------------------------------------------

PUSHES = {"constant": "5", "oscillating": "5*sin(8*t)", "jumping": "if(t < 0.1005, 0, 5) - if(t < 0.3, 0, 8)"}


@pytest.mark.parametrize("integrator", [I.RK4(step=1e-3), I.Heun(step=1e-3), I.SemiImplicitEuler(step=1e-3),
                                        I.AdamsMoulton(step=1e-3), I.Rosenbrock(step=1e-3)], ids=str)
@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize("joint", ["prismatic", "planar"])
def test_friction_stays_inside_its_cone_with_steps_of_a_fixed_size(integrator, push, joint):
    m = slider(0.1, joint=joint)
    m.force("push", "block", (PUSHES[push], 0, 0))
    result = run(m, 1.0, outputs=1000, integrator=integrator)
    assert np.abs(result["dry.force"]).max() <= 0.1 * G * (1 + 1e-9)
    assert not friction_outside_its_cone(result, 1e-3)
    reference = run(m, 1.0, outputs=1000)
    assert result["block.x"] == pytest.approx(reference["block.x"], abs=0.02 * np.ptp(reference["block.x"]))


@pytest.mark.parametrize("speed", [0.0, 1e-7, 1.0])
@pytest.mark.parametrize("joint", ["prismatic", "planar"])
@pytest.mark.parametrize("integrator", [None, I.RK4(step=1e-3)], ids=str)
def test_the_first_sample_is_inside_the_cone(speed, joint, integrator):
    m = slider(0.1, joint=joint, speed=speed)
    m.force("push", "block", (87.0, 0, 0))
    result = run(m, 0.1, outputs=10, integrator=integrator)
    assert abs(result["dry.force"][0]) <= 0.1 * G * (1 + 1e-9)
    assert result["block.ax"][0] == pytest.approx(87.0 - 0.1 * G, abs=1e-6)


def stacked_blocks():
    """1 kg on 2 kg on the ground, mu 0.3 between them and 0.1 below; the lower one is pushed by 20 sin(5 t) N."""
    m = vc.Model("stack", gravity=(0, 0, -G))
    lower, upper = m.body("lower", 2.0, 0.01, at=(0, 0, 0.05)), m.body("upper", 1.0, 0.01, at=(0, 0, 0.15))
    m.planar("ground joint", m.ground, lower, at=(0, 0, 0), axis="z")
    m.planar("block joint", lower, upper, at=(0, 0, 0.1), axis="z")
    m.friction("below", "ground joint", 0.1)
    m.friction("between", "block joint", 0.3)
    m.force("push", lower, ("20*sin(5*t)", 0, 0))
    return m


def blocks_on_stops():
    """The same blocks, free in the plane, that lie on each other by stops."""
    m = vc.Model("loose stack", gravity=(0, 0, -G))
    lower, upper = m.body("lower", 2.0, 0.01, at=(0, 0, 0.05)), m.body("upper", 1.0, 0.01, at=(0, 0, 0.15))
    m.orientation("lower upright", m.ground, lower)
    m.orientation("upper upright", m.ground, upper)
    m.stop("ground joint", "lower.z", at_least=0.05)
    m.stop("block joint", vc.along("z", lower.frame(), upper.frame()), at_least=0.1)
    m.friction("below", "ground joint", 0.1, along="lower.x")
    m.friction("between", "block joint", 0.3, along=vc.along("x", lower.frame(), upper.frame()))
    m.force("push", lower, ("20*sin(5*t)", 0, 0))
    return m


STACKS = pytest.mark.parametrize("build", [stacked_blocks, blocks_on_stops], ids=["joints", "stops"])


@STACKS
@pytest.mark.parametrize(("integrator", "late"), [(None, 1e-6), (I.Radau(), 1e-6), (I.RK4(step=1e-3), 2e-3)])
def test_stacked_blocks_slip_when_the_push_exceeds_what_friction_holds(build, integrator, late):
    """Both slide together from 20 sin(5 t) = 0.1*3 g on; the upper one slips from (F - 0.1*3 g)/3 = 0.3 g on."""
    m = build()
    result = run(m, 0.5, outputs=500, integrator=integrator)
    first = math.asin(0.1 * 3 * G / 20) / 5
    second = math.asin((0.1 + 0.3) * 3 * G / 20) / 5
    times = {name: [e.t for e in result.events if e.name == f"{name}.slips"] for name in ("below", "between")}
    assert times["below"][0] == pytest.approx(first, abs=late)
    assert times["between"][0] == pytest.approx(second, abs=late)
    assert not complaints_of(result, None, late if late > 1e-5 else 0.0)


@STACKS
def test_stacked_blocks_under_a_push_that_reverses_move_as_small_steps_say(build):
    m = build()
    result = agrees_with_small_steps(m, 1.5, ["lower.x", "upper.x"], h=1e-3)
    assert not complaints_of(result)


# a Cardan joint -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("errors", [False, True])
def test_a_cardan_joint_with_dry_bearings_has_the_efficiency_of_the_closed_form(errors):
    joint = cardan.Cardan(math.radians(15), friction=0.005)
    if errors:
        joint = joint.with_(angle_errors=(math.radians(0.006),) * 3 + (0,), offset_errors=5e-4)
    speed = 1500 * 2 * math.pi / 60
    m = cardan.cardan_model(joint)
    for name, bearing in zip(("input", "pin 1", "pin 2", "output"), joint.bearings, strict=True):
        m.friction(f"dry {name}", name, 0.005, radius=bearing.diameter / 2, length=bearing.span)
    offset = m.joints["input"]["angle"].drawn_value
    m.drive("input.angle", f"{offset!r} + {speed!r}*t", name="motor")
    m.actuator("load", "output.angle", 100.0)
    result = run(m, 2 * math.pi / speed, outputs=72)
    expected = cardan.work(joint, speed, output_torque=100.0, at=np.linspace(0, 2 * np.pi, 73))
    # where a pin stands still its friction has either sign, or none: neither is wrong, and they differ
    slips = np.all([np.abs(result[f"{name}.slip"]) > 1e-3 * np.abs(result[f"{name}.slip"]).max() + 1e-9
                    for name in m.frictions if np.abs(result[f"{name}.slip"]).max() > 1e-9], axis=0)
    assert slips.sum() > 60
    efficiency = -result["load.power"] / result["motor.power"]
    # with errors pins travel: the closed form takes moments about the bearing, a joint about the end of its pin
    assert efficiency[slips] == pytest.approx(expected.efficiency[slips], abs=2e-5 if errors else 1e-8)
    if errors:
        assert np.mean(efficiency[1:]) == pytest.approx(0.992940, abs=5e-6)
