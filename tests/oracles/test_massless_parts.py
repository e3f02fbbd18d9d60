"""Larger assemblies with massless parts: closed forms, the same with the parts replaced by single joints or springs,
the limit of vanishing masses, and forces along members that are held at two points."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import massless_assemblies as parts
import vincolo as vc
from balance import imbalances, opening
from massless_assemblies import ASSEMBLIES, STARTS
from mechanisms import motions
from vincolo.formats import load_model, save_model

G = 9.80665
TIGHT = vc.DOP853(rtol=1e-11, atol=1e-13)
FIRM = vc.DOP853(rtol=1e-9, atol=1e-11)
INTEGRATORS = {"default": None, "Radau": vc.Radau(), "generalised alpha": vc.GeneralisedAlpha(step=2e-4)}
REDUNDANT = ("scissor_lift", "planetary", "watt")  # planar mechanisms of ordinary hinges


def run(name, until=0.3, outputs=30, model=None, **how):
    how = {key: value for key, value in how.items() if value is not None}
    start = vc.assemble(ASSEMBLIES[name]() if model is None else model, given=STARTS.get(name, {}))
    return vc.simulate(start.system, until=until, start=start, outputs=outputs, **how)


def point(state, frame):
    """World position of a frame's point."""
    if frame.body.is_ground:
        return frame.point
    p, R, _, _ = motions(state)[frame.body.name]
    return p + R @ (frame.point - frame.body.com)


def between(result, first, second):
    """Unit vectors between the points of two joints, one for each sample."""
    ends = [[point(result.state(k), result.model.joints[j].b) for k in range(len(result.t))] for j in (first, second)]
    d = np.array(ends[1]) - ends[0]
    return d / np.linalg.norm(d, axis=1)[:, None]


def swing(inertia, potential, start, times):
    """q and q' of 1/2 M(q) q'^2 + V(q): M q'' = -M' q'^2 / 2 - V', with slopes by central differences."""
    def rates(_, y, h=1e-5):
        dM, dV = ((f(y[0] + h) - f(y[0] - h)) / (2 * h) for f in (inertia, potential))
        return [y[1], (-0.5 * dM * y[1] ** 2 - dV) / inertia(y[0])]

    return solve_ivp(rates, (0, times[-1]), start, "DOP853", times, rtol=1e-9, atol=1e-10).y


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", ASSEMBLIES)
def test_closed_balanced_and_conservative(name, integrator):
    result = run(name, integrator=INTEGRATORS[integrator])
    assert result.complete
    moving = result["energy.kinetic"].max() + np.ptp(result["energy.potential"])
    assert np.abs(result["energy.balance"]).max() < 1e-6 * moving
    samples = range(0, len(result.t), 6)
    assert max(opening(result.state(k), 1.0, 1.0)[0] for k in samples) < 1e-9
    assert max(max(found) for found in imbalances(result, samples)) < 1e-9


@pytest.mark.parametrize("formulation", [vc.NullSpace(), vc.Lagrange(), vc.QTZ(), vc.AugmentedLagrangian(),
                                         vc.CoordinatePartitioning()], ids=str)
@pytest.mark.parametrize("name", ASSEMBLIES)
def test_formulations_agree_or_say_what_is_redundant(name, formulation):
    if name in REDUNDANT and isinstance(formulation, vc.Lagrange):
        with pytest.warns(vc.SimulationWarning, match="Redundant together: "):
            assert not run(name, until=0.1, outputs=3, formulation=formulation).complete
        return
    found, wanted = (run(name, until=0.1, outputs=3, integrator=TIGHT, formulation=f) for f in (formulation, None))
    assert found.complete
    for body in wanted.model.bodies:
        if body != "tie rod":  # spins as it likes
            assert found.motion(body).velocity == pytest.approx(wanted.motion(body).velocity, abs=1e-7)
            assert found.motion(body).position == pytest.approx(wanted.motion(body).position, abs=1e-8)


@pytest.mark.parametrize("name", ASSEMBLIES)
def test_formulations_and_integrators_that_need_every_inertia_name_the_parts(name):
    massless = next(body.name for body in ASSEMBLIES[name]().bodies.values() if body.mass == 0)
    with pytest.raises(vc.ModelError, match=f"'{massless}'.*no inertia"):
        run(name, formulation=vc.UdwadiaKalaba())
    with pytest.raises(vc.ModelError, match=f"{massless}.* without inertia"):
        run(name, integrator=vc.Rattle(step=1e-3))


@pytest.mark.parametrize("name", ASSEMBLIES)
def test_small_masses_lead_linearly_to_none(name):
    bodies = [body.name for body in ASSEMBLIES[name]().bodies.values() if body.mass > 0]

    def end(mass):
        result = run(name, until=0.2, outputs=1, model=ASSEMBLIES[name](mass), integrator=FIRM)
        return np.concatenate([result.motion(b).position[-1] for b in bodies] +
                              [result.motion(b).angular_velocity[-1] for b in bodies])

    none = end(0.0)
    larger, smaller = (np.abs(end(mass) - none).max() for mass in (1e-2, 1e-3))
    assert larger / smaller == pytest.approx(10.0, rel=0.05)


# closed forms

def transmitted(angle):
    """Angles of the second and third shaft: tan f = cos b1 tan q, tan f = cos b2 tan p."""
    c1, c2 = np.cos(parts.BENDS)
    turns = 2 * np.pi * np.round(angle / (2 * np.pi))
    return [np.arctan2(ratio * np.sin(angle), np.cos(angle)) + turns for ratio in (c1, c1 / c2)]


def ratios(angle):
    """Speeds of the second and third shaft for one of the first."""
    c1, c2 = np.cos(parts.BENDS)
    return [ratio / (np.cos(angle) ** 2 + (ratio * np.sin(angle)) ** 2) for ratio in (c1, c1 / c2)]


def test_double_cardan_shaft_turns_as_its_angles_say():
    result = run("double_cardan", until=1.0, integrator=TIGHT)
    assert result["out.angle"] == pytest.approx(transmitted(result["in.angle"])[1], abs=1e-9)

    def inertia(q):
        return parts.SHAFTS @ np.array([1.0, *(r**2 for r in ratios(q))])

    angle, rate = swing(inertia, lambda q: 0.0, [0, parts.SPEED], result.t)
    assert result["in.angle"] == pytest.approx(angle, abs=1e-7)
    assert result["in.angle.rate"] == pytest.approx(rate, abs=1e-6)


def test_crosses_pass_couples_normal_to_both_of_their_arms():
    result = run("double_cardan")
    for k in (1, 2):
        torque = result.reaction(f"before{k}").torque
        assert result.reaction(f"after{k}").torque_on_first == pytest.approx(-torque, abs=1e-9)
        size = np.linalg.norm(torque, axis=1).max()
        assert size > 0.1
        for name in (f"before{k}", f"after{k}"):
            frame = result.model.joints[name].a
            arms = np.array([motions(result.state(n))[frame.body.name][1] @ frame.axes[:, 2]
                             for n in range(len(result.t))])
            assert np.abs(np.einsum("ni,ni->n", torque, arms)).max() < 1e-10 * size


def test_scissor_lift_without_a_holder_falls_freely():
    # only the platform has mass: z'' = -g
    result = run("scissor_lift", model=parts.scissor_lift(stiff=0.0))
    fallen = result["platform.z"] - result["platform.z"][0]
    assert fallen == pytest.approx(-G * result.t**2 / 2, abs=1e-9)
    assert result.reaction("top left").force == pytest.approx(0, abs=1e-9)


def test_scissor_lift_on_its_holder_moves_as_one_coordinate():
    result = run("scissor_lift", until=1.0, integrator=TIGHT)
    reach = parts.STAGES * parts.BAR

    def potential(q):
        pressed = parts.BAR * (np.cos(parts.START) - np.cos(q)) - parts.PRESSED
        return parts.LOAD * G * reach * np.sin(q) + parts.STIFF * pressed**2 / 2

    angle, _ = swing(lambda q: parts.LOAD * (reach * np.cos(q)) ** 2, potential, [parts.START, 0], result.t)
    assert result["platform.z"] == pytest.approx(reach * np.sin(angle), abs=1e-7)


def test_planetary_gear_speeds_up_evenly():
    result = run("planetary", integrator=TIGHT)
    carrier = parts.SUN / (2 * (parts.SUN + parts.PLANET))  # turns for one of the sun, by Willis
    arm = parts.SUN + parts.PLANET
    orbit = parts.PLANET_MASS * arm**2 + parts.PLANET_INERTIA * (arm / parts.PLANET) ** 2
    rate = parts.TORQUE / (parts.SUN_INERTIA + 3 * orbit * carrier**2)
    assert result["sun bearing.angle"] == pytest.approx(rate * result.t**2 / 2, abs=1e-8)
    assert result["carrier bearing.angle"] == pytest.approx(carrier * rate * result.t**2 / 2, abs=1e-8)


def test_carrier_without_inertia_takes_no_torque():
    result = run("planetary")
    total, size = np.zeros(len(result.t)), 0.0
    for k in range(3):
        force = result.reaction(f"pin{k}").force_on_first
        at = result.motion(f"planet{k}").position
        total += np.cross(at, force)[:, 2] + result.reaction(f"pin{k}").torque_on_first[:, 2]
        size = max(size, np.abs(force).max())
    assert np.abs(total).max() < 1e-10 * size


def watt_point(angle):
    """Middle of the coupler for an angle of the left rocker, from x towards z: two circles; complex steps welcome."""
    p = np.array([-parts.ROCKER + parts.ROCKER * np.cos(angle), parts.HALF + parts.ROCKER * np.sin(angle)])
    d = np.array([parts.ROCKER, -parts.HALF]) - p
    r, link = np.sqrt(d @ d), 2 * parts.HALF
    along = (r**2 + link**2 - parts.ROCKER**2) / (2 * r)
    across = np.array([d[1], -d[0]]) / r  # the side on which it is drawn
    q = p + along * d / r + np.sqrt(link**2 - along**2) * across
    return (p + q) / 2


def test_watt_linkage_moves_as_one_coordinate():
    result = run("watt", until=0.5, integrator=TIGHT)

    def inertia(q):
        slope = np.imag(watt_point(q + 1e-30j)) / 1e-30
        return parts.WEIGHT * slope @ slope

    def potential(q):
        x, z = watt_point(q)
        return parts.WEIGHT * G * z + 200.0 * (np.hypot(x - 0.02, z - 1.0) - 0.9) ** 2

    sign = -1.0  # the hinge's angle about y takes x away from z
    angle, _ = swing(inertia, potential, [0, sign * 3.0], result.t)
    places = np.array([watt_point(q) for q in angle])
    assert result["A.angle"] == pytest.approx(sign * angle, abs=1e-6)
    assert pytest.approx(places, abs=1e-6) == np.array([result["weight.x"], result["weight.z"]]).T


@pytest.mark.parametrize(("name", "first", "second"), [
    ("watt", "A", "P"), ("watt", "B", "Q"), ("wishbones", "tie inner", "tie outer"),
    *(("stewart", f"foot{k}", f"head{k}") for k in range(6))])
def test_members_without_mass_pull_along_themselves(name, first, second):
    result = run(name)
    along = between(result, first, second)
    for joint in (first, second):
        force = result.reaction(joint).force
        size = np.linalg.norm(force, axis=1)
        assert size.max() > 1.0
        across = force - np.einsum("ni,ni->n", force, along)[:, None] * along
        assert np.abs(across).max() < 1e-9 * size.max()


def test_leg_force_is_that_of_its_spring():
    result = run("stewart")
    for k in range(6):
        pull = np.einsum("ni,ni->n", result.reaction(f"head{k}").force, between(result, f"foot{k}", f"head{k}"))
        assert pull == pytest.approx(-result[f"leg{k}.force"], abs=1e-8)


def test_wishbone_puts_no_moment_about_its_hinge():
    result = run("wishbones")
    hinge, ball = result.model.joints["upper hinge"], result.model.joints["upper ball"]
    force = result.reaction("upper ball").force
    for k in range(0, len(result.t), 5):
        state = result.state(k)
        axis = motions(state)["chassis"][1] @ hinge.a.axes[:, 2]
        arm = point(state, ball.a) - point(state, hinge.a)
        assert abs(axis @ np.cross(arm, force[k])) < 1e-10 * np.abs(force).max()


# the same without the parts

@pytest.mark.parametrize(("with_parts", "without", "bodies"), [
    (parts.wishbones(), parts.wishbones(rods=True), ("chassis", "upright", "lower arm")),
    (parts.stewart(), parts.stewart(springs=True), ("platform",))], ids=["wishbones", "stewart"])
def test_parts_without_mass_move_as_single_joints_and_springs_do(with_parts, without, bodies):
    a, b = (vc.simulate(model, until=0.5, outputs=50, integrator=TIGHT) for model in (with_parts, without))
    for body in bodies:
        assert a.motion(body).position == pytest.approx(b.motion(body).position, abs=1e-8)
        assert a.motion(body).angular_velocity == pytest.approx(b.motion(body).angular_velocity, abs=1e-6)


def test_statics_and_modes_are_those_of_springs_alone():
    found = []
    for model in (parts.stewart(), parts.stewart(springs=True)):
        rest = vc.statics(model).state
        found.append((rest.y[:7], np.sort_complex(vc.linearize(rest).eigenvalues)))
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-8)
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-6)


def test_kinematics_gives_the_couples_of_the_run():
    model = parts.double_cardan()
    model.drive("in.angle", "10*t")
    result, other = vc.kinematics(model, until=0.5), vc.simulate(model, until=0.5)
    assert result["out.angle"] == pytest.approx(transmitted(10 * result.t)[1], abs=1e-9)
    assert result.reaction("before1").torque == pytest.approx(other.reaction("before1").torque, abs=1e-8)


@pytest.mark.parametrize("ending", ["yaml", "xlsx"])
def test_files_keep_parts_without_mass(ending, tmp_path):
    save_model(parts.wishbones(), tmp_path / f"car.{ending}")
    read = load_model(tmp_path / f"car.{ending}")
    assert read.bodies["tie rod"].mass == 0
    assert not read.bodies["tie rod"].inertia.any()
    a, b = (vc.simulate(model, until=0.1, outputs=5) for model in (parts.wishbones(), read))
    assert a["chassis.z"] == pytest.approx(b["chassis.z"], abs=1e-9)


def test_legs_without_mass_follow_the_velocity_drawn_for_the_platform():
    assert motions(vc.assemble(parts.stewart()))["platform"][3] == pytest.approx([0.1, 0.2, 0.3], abs=1e-12)


# where nothing determines the motion

def spring_node(mass=0.0):
    """Two springs in line, with a knot between them."""
    m = vc.Model("springs in line", gravity=(0, 0, 0))
    block, knot = m.body("block", 1.0, 0.1, at=(2.1, 0, 0)), m.body("knot", mass, at=(1, 0, 0))
    m.prismatic("rail", m.ground, block, at=(2, 0, 0), axis="x")
    m.prismatic("knot rail", m.ground, knot, at=(1, 0, 0), axis="x")
    m.spring("near", m.ground.frame((0, 0, 0)), knot.frame((1, 0, 0)), k=100.0, length=1.0)
    m.spring("far", knot.frame((1, 0, 0)), block.frame((2.1, 0, 0)), k=300.0, length=1.0)
    return m


@pytest.mark.parametrize("analysis", [lambda m: vc.simulate(m, until=1.0), vc.statics, vc.assemble])
def test_a_knot_between_springs_is_named_with_the_way_out(analysis):
    with pytest.raises(vc.ModelError, match="'knot' has no mass, and nothing else determines its motion") as caught:
        analysis(spring_node())
    assert "1/(1/k1 + 1/k2)" in str(caught.value)
    assert "Give 'knot' a mass" in str(caught.value)


def test_the_way_out_is_right():
    # a light knot swings about where two springs in line, as one of 1/(1/k1 + 1/k2), have it
    knot = vc.simulate(spring_node(1e-5), until=1.0, outputs=20, integrator=vc.Auto(rtol=1e-9))
    one = vc.Model("one spring", gravity=(0, 0, 0))
    block = one.body("block", 1.0, 0.1, at=(2.1, 0, 0))
    one.prismatic("rail", one.ground, block, at=(2, 0, 0), axis="x")
    one.spring("both", one.ground.frame((0, 0, 0)), block.frame((2.1, 0, 0)), k=75.0, length=2.0)
    assert knot["block.x"] == pytest.approx(vc.simulate(one, until=1.0, outputs=20)["block.x"], abs=1e-4)


def test_a_loose_end_is_named():
    m = vc.Model("loose end")
    arm, tip = m.body("arm", 1.0, 0.1, at=(0.5, 0, 0)), m.body("tip", 0, at=(1, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    m.revolute("end", arm, tip, at=(1, 0, 0), axis="y")
    with pytest.raises(vc.ModelError, match="body 'tip' has no mass"):
        vc.simulate(m, until=0.1)
