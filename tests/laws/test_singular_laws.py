"""Mechanisms that start in or pass a singular position, tiny inertias and none at all."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import vincolo as vc
from dense import dense
from integrators import EVERY as EVERY_INTEGRATOR
from integrators import label
from linkages import G, equal_slider_crank, equal_slider_crank_motion, flat, parallelogram, rod
from mechanisms import Plan, Tie, build, cross_axes, link
from vincolo.equations.joints import JOINTS
from vincolo.solvers.integrators import FixedStep

INTEGRATORS = [vc.DormandPrince(), vc.DOP853(rtol=1e-8, atol=1e-10), vc.RK4(step=5e-4)]
EVERY = pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda i: type(i).__name__)


def parallelogram_motion(start, speed, t, bars):
    """I th'' = -k cos th: the coupler only translates."""
    inertia, k = bars / 3 + 2, G * (bars / 2 + 2)
    return solve_ivp(lambda _, y: [y[1], -k * np.cos(y[0]) / inertia], (t[0], t[-1]), [start, speed], t_eval=t,
                     rtol=1e-12, atol=1e-13, method="DOP853").y[0]


@pytest.mark.parametrize("bars", [2, 3])
@pytest.mark.parametrize(("angle", "speed"), [(1.0, 5.0), (1.0, 0.0), (0.0, 0.0), (0.0, 4.0)],
                         ids=["passes", "nearly touches", "starts flat at rest", "starts flat moving"])
@EVERY
def test_parallelogram_stays_a_parallelogram(integrator, angle, speed, bars):
    system = vc.compile(parallelogram(angle, bars=bars))
    start = vc.assemble(system, {f"foot{k}.angle.rate": speed for k in range(bars)} if speed else None)
    result = vc.simulate(system, 3.0, outputs=100, start=start, integrator=integrator)
    exact = parallelogram_motion(angle, speed, result.t, bars)
    # branches meet where it is flat; leaving on the wrong one would be off by radians
    assert result["foot0.angle"] + angle == pytest.approx(exact, abs=1e-4)
    assert result["coupler.e3"] == pytest.approx(np.zeros(101), abs=1e-5)
    assert result.energy_drift < 1e-4


@pytest.mark.parametrize("start", [np.pi / 6, 2.0])
@EVERY
def test_slider_crank_of_equal_lengths_passes_its_second_freedom(integrator, start):
    result = vc.simulate(equal_slider_crank(start), 3.0, outputs=150, integrator=integrator)
    exact = equal_slider_crank_motion(start, result.t)
    assert np.ptp(exact) > 2.0  # it does pass 90 or 270 degrees
    # the piston must not dwell at the singular position while crank and rod turn together
    tolerance = 0.02 if isinstance(integrator, vc.RK4) else 1e-4
    assert result["piston.x"] == pytest.approx(0.5 * np.cos(exact), abs=tolerance)
    assert result.energy_drift < (1e-3 if isinstance(integrator, vc.RK4) else 1e-6)


CROSSING = {1: 0.1, 2: 5e-3, 4: 1e-5}  # error of the angle [rad], by order, at the steps of tests/integrators.py


@pytest.mark.parametrize("how", EVERY_INTEGRATOR, ids=label)
def test_every_integrator_crosses_the_position_where_a_parallelogram_is_flat(how):
    """Four times in two seconds, at whatever place within a step. Methods of first order would lose 1.2 % of the energy
    with the steps of the others, and say so."""
    if getattr(how["integrator"], "order", 0) == 1:
        how = {**how, "integrator": replace(how["integrator"], step=how["integrator"].step / 2)}
    for bars, angle in ((2, 1.0), (3, 0.97)):
        system = vc.compile(parallelogram(angle, bars=bars))
        start = vc.assemble(system, {f"foot{k}.angle.rate": 5.0 for k in range(bars)})
        result = vc.simulate(system, 2.0, outputs=50, start=start, **how)
        assert result.complete, result.reason
        exact = parallelogram_motion(angle, 5.0, result.t, bars)
        assert np.ptp(exact) > 3 * np.pi
        error = CROSSING[how["integrator"].order] if isinstance(how["integrator"], FixedStep) else 1e-4
        assert result["foot0.angle"] + angle == pytest.approx(exact, abs=error)
        assert result["coupler.e3"] == pytest.approx(np.zeros(51), abs=1e-5)
        assert result["residual.position"].max() < 1e-9


@pytest.mark.parametrize("integrator", [vc.Newmark(), vc.HHT(alpha=0.0), vc.Newmark(gamma=0.5, beta=0.3)], ids=str)
def test_positions_alone_are_not_enough_for_a_method_without_damping(integrator):
    """Velocities would swing out: 5 cm/s after ten seconds of a pendulum, below every warning."""
    for stabilisation in (vc.NoStabilisation(), vc.Baumgarte(5, 5), vc.Projection(velocities=False),
                          vc.CorrectionByTolerance()):
        with pytest.raises(vc.ModelError, match="(?s)needs the projection of velocities.*index=2"):
            vc.simulate(parallelogram(1.0), 0.1, integrator=integrator, stabilisation=stabilisation)
    for stabilisation in (vc.Projection(), vc.DirectCorrection()):
        assert vc.simulate(parallelogram(1.0), 0.01, integrator=integrator, stabilisation=stabilisation).complete


#: of high order: others would need very many steps at the smallest tolerances
HIGH = {"DormandPrince": vc.DormandPrince, "DOP853": vc.DOP853, "Adams": vc.Adams, "BDF": vc.BDF, "Radau": vc.Radau,
        "Radau, index 2": partial(vc.Radau, index=2), "Radau, index 3": partial(vc.Radau, index=3)}


@pytest.mark.parametrize("method", HIGH.values(), ids=HIGH)
def test_singular_positions_are_crossed_at_every_tolerance(method):
    """A turning parallelogram, flat twice in each turn."""
    system = vc.compile(parallelogram(1.0))
    start = vc.assemble(system, {"foot0.angle.rate": 6.0, "foot1.angle.rate": 6.0})
    for tolerance in 10.0 ** np.arange(-5, -11.5, -0.5):
        integrator = method(rtol=tolerance, atol=tolerance)
        until = 3.0 if integrator.implicit else 10.0
        result = vc.simulate(system, until, outputs=50, start=start, integrator=integrator, max_steps=20_000)
        exact = parallelogram_motion(1.0, 6.0, result.t, 2)
        assert result.complete and np.ptp(exact) > 2 * until
        # errors grow with the time and with the speed of the fall
        assert np.abs(result["foot0.angle"] + 1.0 - exact).max() < 1e4 * tolerance, integrator


def turntable():
    """A vertical four-bar, all hinges parallel, on a table that turns freely about the vertical."""
    model = vc.Model("turntable", gravity=(0, 0, -G))
    upright = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # the xy plane of the linkage becomes xz
    table = model.body("table", 5.0, [1.0, 1.0, 2.0])
    points = [(0.0, 0.0), (0.3, 0.4), (1.2, 0.7), (1.0, 0.0)]
    bars = []
    for k in range(3):
        p, q = np.array(points[k]), np.array(points[k + 1])
        middle = upright @ flat((p + q) / 2)
        spin = rod(vc.Model(), "x", p, q).orientation
        bars.append(model.body(f"bar{k}", 1.0, [0.01, 0.1, 0.1], at=middle, orientation=upright @ spin))
    model.revolute("post", model.ground, table, at=(0, 0, 0), axis="z")
    chain = [table, *bars, table]
    for k, p in enumerate(points):
        model.revolute(f"hinge{k}", chain[k], chain[k + 1], at=upright @ flat(p), axis="y")
    return model


def vertical_momentum(result):
    """Angular momentum about the vertical axis through the origin."""
    total = np.zeros(len(result))
    for name, body in result.system.body_numbers.items():
        m = result.motion(name)
        inertia = m.rotation @ result.system.centred[body].body.inertia @ np.swapaxes(m.rotation, 1, 2)
        mass = result.system.centred[body].body.mass
        own = np.einsum("nij,nj->ni", inertia, m.angular_velocity)
        total += (own + mass * np.cross(m.position, m.velocity))[:, 2]
    return total


def test_four_bar_on_a_turntable_with_its_redundant_rows_turning_along():
    system = vc.compile(turntable())
    assert vc.mobility(system).redundant == 3
    start = vc.assemble(system, {"post.angle.rate": 3.0, "hinge0.angle.rate": 2.0})
    runs = [vc.simulate(system, 2.0, outputs=50, start=start, integrator=i)
            for i in (vc.DOP853(rtol=1e-10, atol=1e-12), vc.DormandPrince(rtol=1e-9, atol=1e-11), vc.RK4(step=5e-4))]
    for result in runs:
        assert result.energy_drift < 1e-6
        momentum = vertical_momentum(result)
        assert momentum == pytest.approx(np.full(51, momentum[0]), rel=1e-6)
        assert result["bar1.x"] == pytest.approx(runs[0]["bar1.x"], abs=1e-5)
        assert result["residual.position"].max() < 1e-9


@pytest.mark.parametrize("ratio", [1.0, 1e-4, 1e-8])
def test_a_thin_body_is_not_mistaken_for_a_singular_position(ratio, rng):
    model = vc.Model()
    bar = model.body("bar", 1.0, [0.1, 0.1, 0.1 * ratio], at=(0, 0, -0.5), angular_velocity=(0.5, -0.2, 3))
    tip = model.body("tip", 1.0, [0.1 * ratio, 0.1, 0.1], at=(0.3, 0, -1.0))
    model.spherical("S", model.ground, bar, at=(0, 0, 0))
    model.universal("U", bar, tip, at=(0, 0, -1), axis="x", axis2="y")
    result = vc.simulate(model, 0.5, outputs=5, integrator=vc.DOP853(rtol=1e-9, atol=1e-11), formulation=vc.Sparse())
    assert result.complete and result.statistics["zeroed_pivots"] == 0 and result.statistics["selections"] == 1
    assert result.energy_drift < 1e-6
    state = result.state()
    exact = dense(model, state).accelerations()
    found = state.channels.observed["acceleration"][0].ravel()
    assert found == pytest.approx(exact, abs=1e-8 * np.abs(exact).max() / ratio**0.25)


def test_reactions_of_a_body_with_a_tiny_inertia_carry_its_weight():
    model = vc.Model(gravity=(0, 0, -10))
    body = model.body("b", 1.0, 1e-8)
    model.fixed("weld", model.ground, body, at=(0.3, 0, 0))
    assert vc.assemble(model).channels.reaction("weld").force[0] == pytest.approx([0, 0, 10], abs=1e-6)


def singular_accelerations(model, state):
    """[M J^T; J 0] (u', lam) = (Q, gamma) for a singular M."""
    d = dense(model, state)
    n, m = len(d.Q), len(d.gamma)
    K = np.block([[d.M, d.J.T], [d.J, np.zeros((m, m))]])
    return np.linalg.lstsq(K, np.concatenate([d.Q, d.gamma]), rcond=1e-12)[0][:n]


@pytest.mark.parametrize("inertia", [0.0, [0, 0, 0.2], [0.2, 0, 0.2]], ids=str)
def test_a_zero_inertia_is_exactly_zero(inertia):
    """A pendulum and a second one on it: masses in points, or data of a planar model."""
    model = vc.Model(gravity=(0, -G, 0))
    one = model.body("one", 2.0, inertia, at=(1, 0, 0))
    two = model.body("two", 1.0, inertia, at=(1.8, 0.6, 0))
    model.revolute("O", model.ground, one, at=(0, 0, 0), axis="z")
    model.revolute("A", one, two, at=(1, 0, 0), axis="z")
    state = vc.assemble(model, {"O.angle": 0.4, "A.angle": -1.0, "O.angle.rate": 1.0, "A.angle.rate": 2.0})
    found = state.channels.observed["acceleration"][0].ravel()
    assert found == pytest.approx(singular_accelerations(model, state), abs=1e-9)


def test_a_point_pendulum_swings_as_the_formula_says():
    model = vc.Model(gravity=(0, -G, 0))
    bob = model.body("bob", 3.0, 0.0, at=(1, 0, 0))
    model.revolute("O", model.ground, bob, at=(0, 0, 0), axis="z")
    result = vc.simulate(model, 3.0, outputs=30, integrator=vc.DOP853(rtol=1e-10, atol=1e-12))
    exact = solve_ivp(lambda _, y: [y[1], -G * np.cos(y[0])], (0, 3), [0, 0], t_eval=result.t, rtol=1e-12, atol=1e-13)
    assert result["O.angle"] == pytest.approx(exact.y[0], abs=1e-7)


@pytest.mark.parametrize("kind", [k for k in JOINTS if JOINTS[k].freedom <= 1])
def test_a_point_mass_works_in_every_joint_that_holds_its_rotation(kind, rng):
    axis, axis2 = cross_axes(rng)
    plan = Plan((link(rng, "a"),), (Tie("J", kind, "ground", "a", rng.normal(size=3), axis, axis2),))
    x = plan.links[0]
    model = build(Plan((type(x)(x.name, x.mass, np.zeros((3, 3)), x.centre, x.R, x.v, x.w),), plan.ties))
    state = vc.assemble(model)
    found = state.channels.observed["acceleration"][0].ravel()
    assert found == pytest.approx(singular_accelerations(model, state), abs=1e-9)


def test_channels_after_a_flat_start_know_all_rows():
    """The rank is larger away from the start; accelerations read from samples must use it."""
    system = vc.compile(parallelogram(0.0))
    result = vc.simulate(system, 1.0, outputs=20)
    alone = [result.state(k)["bar0.ay"] for k in range(1, 21)]  # each state looked at by itself
    assert result["bar0.ay"][1:] == pytest.approx(alone, abs=1e-5)
