"""Laws of whole mechanisms: random trees, loops and redundant linkages, with drives, struts, laws and loads."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest

import vincolo as vc
from dense import dense, speeds
from mechanisms import Plan, World, build, four_bar, link, plans, rotation, tree, with_forces

PLANS = plans()
PLAN = pytest.mark.parametrize("name", PLANS)
TIGHT = vc.DOP853(rtol=1e-11, atol=1e-12)


@cache
def moving(name):
    """A model, a state 0.2 s into its motion, and the dense equations there."""
    model = build(PLANS[name])
    system = vc.compile(model)
    state = vc.simulate(system, 0.2, outputs=2, integrator=TIGHT).state()
    return model, state, dense(model, state)


def observed(state, key):
    return state.channels.observed[key][0]


@PLAN
def test_accelerations_satisfy_the_dense_equations(name):
    _, state, exact = moving(name)
    u = exact.accelerations()
    scale = np.abs(u).max()
    assert observed(state, "acceleration").ravel() == pytest.approx(u, abs=1e-9 * scale)
    assert exact.J @ observed(state, "acceleration").ravel() == pytest.approx(exact.gamma, abs=1e-9 * scale)


@PLAN
def test_reactions_carry_what_the_motion_needs(name):
    """J^T lam = Q - M u' for whatever lam is given."""
    _, state, exact = moving(name)
    needed = exact.Q - exact.M @ exact.accelerations()
    assert exact.J.T @ observed(state, "lam") == pytest.approx(needed, abs=1e-9 * np.abs(needed).max())


@PLAN
def test_reactions_are_the_smallest_and_tight_where_unique(name):
    _, state, exact = moving(name)
    lam, smallest = observed(state, "lam"), exact.least_reactions(state)
    scale = np.abs(smallest).max()
    # where joints share a load in an undetermined way, rounding is divided by the kernel's ridge of 1e-6
    assert lam == pytest.approx(smallest, abs=1e-8 * scale)
    null = np.linalg.svd(exact.J.T)[2][exact.rank:] if exact.J.size else np.zeros((0, 0))
    unique = np.abs(null).max(axis=0) < 1e-9 if len(null) else np.ones(len(lam), dtype=bool)
    assert lam[unique] == pytest.approx(smallest[unique], abs=1e-9 * scale)


@PLAN
def test_joints_that_say_unique_are_unique(name):
    _, state, exact = moving(name)
    null = np.linalg.svd(exact.J.T)[2][exact.rank:]
    for joint in state.system.joints:
        rows = list(state.system.block_rows[joint])
        shared = bool(len(null)) and np.abs(null[:, rows]).max() > 1e-6
        assert state.channels.reaction(joint).unique is (not shared), joint


@PLAN
def test_power_balance(name):
    """d(T)/dt - weight . v = power of struts, laws, loads and drives."""
    model, state, exact = moving(name)
    u, du = speeds(state), observed(state, "acceleration").ravel()
    kinetic = u @ exact.M @ du  # the gyroscopic part does no work
    weight = sum(b.mass * model.gravity @ u[6 * k: 6 * k + 3] for k, b in enumerate(model.bodies.values()))
    names = [*model.springs, *model.laws, *model.loads, *model.holds]
    power = sum(state[f"{n}.power"] for n in names)
    assert kinetic - weight == pytest.approx(power, abs=1e-8 * (abs(weight) + abs(power) + 1))


@PLAN
def test_energy_balance_over_time(name):
    result = vc.simulate(build(PLANS[name]), 0.5, outputs=20, integrator=TIGHT)
    assert result.complete
    assert result.energy_drift < 1e-8
    assert result["residual.position"].max() < 1e-9


def centres(result):
    """Centres of mass (n, bodies, 3) by the name of the body, and their velocities."""
    numbers = result.system.body_numbers
    return {n: result.y[:, 13 * k: 13 * k + 3] for n, k in numbers.items()}, {
        n: result.y[:, 13 * k + 7: 13 * k + 13] for n, k in numbers.items()}


def run(model):
    return centres(vc.simulate(model, 0.4, outputs=4, integrator=TIGHT))


VARIANTS = ["another body order", "another base frame", "the world turned", "joints from the other side"]


def variant(plan, kind, rng):
    """The same mechanism built another way, and the rigid motion that leads from the one to the other."""
    world = World(rotation(rng), rng.normal(size=3)) if kind == VARIANTS[2] else World()
    if kind == VARIANTS[0]:
        return build(plan, order=rng.permutation(len(plan.links))), world
    if kind == VARIANTS[1]:
        return build(plan, base=rng), world
    if kind == VARIANTS[3]:
        return build(Plan(plan.links, plan.ties, plan.struts, (), (), plan.pushes, plan.gravity), swap=True), world
    return build(plan, world), world


@pytest.mark.parametrize("kind", VARIANTS)
@PLAN
def test_the_same_motion_however_it_is_built(name, kind, rng):
    plan = PLANS[name]
    if kind == VARIANTS[3]:  # a coordinate changes its sign with the side, and guides their line
        plan = Plan(plan.links, tuple(t for t in plan.ties if t.kind not in ("guide", "point_on_plane")), plan.struts,
                    (), (), plan.pushes, plan.gravity)
    other, world = variant(plan, kind, rng)
    (r, u), (r2, u2) = run(build(plan)), run(other)
    for body in r:
        # both runs are accurate to about 100 rtol
        assert r2[body] == pytest.approx(world.shift + r[body] @ world.Q.T, abs=2e-8)
        assert u2[body].reshape(-1, 3) == pytest.approx(u[body].reshape(-1, 3) @ world.Q.T, abs=2e-7)


@PLAN
def test_a_restart_continues_the_same_motion(name):
    system = vc.compile(build(PLANS[name]))
    whole = vc.simulate(system, 0.6, outputs=6, integrator=TIGHT)
    rest = vc.simulate(system, 0.6, outputs=3, integrator=TIGHT, start=whole.state(3))
    assert rest.t == pytest.approx(whole.t[3:])
    assert rest.y[:, :-1] == pytest.approx(whole.y[3:, :-1], abs=1e-7)
    assert rest["energy.work"] == pytest.approx(whole["energy.work"][3:], abs=1e-6)
    assert rest.turns == pytest.approx(whole.turns[3:], abs=1e-7)


def test_a_free_system_keeps_its_momentum(rng):
    """Bodies joined to each other only, without gravity: momentum and angular momentum about the origin."""
    drawn = with_forces(tree(rng, 4), rng)
    ties = tuple(t for t in drawn.ties if t.a != "ground")
    plan = Plan(drawn.links, ties, gravity=(0, 0, 0))
    model = build(plan)
    model.spring("strut", model.bodies["body0"].frame((0, 0, 0)), model.bodies["body3"].frame((1, 1, 1)), k=30, c=1)
    result = vc.simulate(model, 2.0, outputs=10, integrator=TIGHT)
    momentum, angular = [], []
    for k in range(len(result)):
        state = result.state(k)
        u, M = speeds(state).reshape(-1, 2, 3), dense(model, state).M
        p = (M @ speeds(state)).reshape(-1, 2, 3)
        r = np.array([state.y[13 * j: 13 * j + 3] for j in range(len(u))])
        momentum.append(p[:, 0].sum(axis=0))
        angular.append((p[:, 1] + np.cross(r, p[:, 0])).sum(axis=0))
    assert np.ptp(momentum, axis=0) == pytest.approx(np.zeros(3), abs=1e-9)
    assert np.ptp(angular, axis=0) == pytest.approx(np.zeros(3), abs=1e-8)


def test_a_system_run_twice_gives_the_same_bits(rng):
    system = vc.compile(build(with_forces(four_bar(rng), rng)))
    one, two = (vc.simulate(system, 0.5, outputs=5) for _ in range(2))
    assert np.array_equal(one.y, two.y)


def test_a_load_in_body_axes_turns_with_the_body(rng):
    model = build(Plan((link(rng, "a"),)))
    body = model.bodies["a"]
    model.force("jet", body.frame(rng.normal(size=3)), ("1 + t", 2, 3), axes="body")
    model.torque("wheel", body, (0.3, "sin(t)", 0.1), axes="body")
    model.torque("wind", body, (0.1, 0.2, "-t"))
    system = vc.compile(model)
    state = vc.simulate(system, 0.7, outputs=2, integrator=TIGHT).state()
    exact = dense(model, state).accelerations()
    assert observed(state, "acceleration").ravel() == pytest.approx(exact, abs=1e-10)


@PLAN
def test_threads_read_one_system_as_one_thread_does(name):
    """Each from states of its own, to the last bit."""
    _, state, _ = moving(name)
    kernel, bodies = state.system.kernel, 6 * len(state.system.centred)
    states = [state.displaced(np.full(bodies, 0.003 * k)) for k in range(8)]

    def read(k):
        at = (states[k].t, states[k].y.tolist(), states[k].turns.tolist())
        found = kernel.rows(*at)
        return (found["phi"].tolist(), found["value"].tolist(), found["gamma"].tolist(), kernel.turns_at(*at),
                kernel.independent(*at, k % 2 == 0))

    alone = [read(k) for k in range(len(states))]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, 40 * list(range(len(states))))) == 40 * alone
