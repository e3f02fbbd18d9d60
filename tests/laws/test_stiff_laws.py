"""The linear systems of implicit steps: M (x - base) + J^T mu + G^T (c G x - s k G moved) = 0 with J x = J base and
c = damping s + stiffness s^2, against dense matrices; and the slopes of laws in them, against finite differences."""

import sys
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc
from expected import LOSES_ENERGY
from mechanisms import build, coordinates_of, moved_state, plans
from vincolo.layout import by_body

sys.path.append(str(Path(__file__).parents[1] / "random"))
from families import drawn  # noqa: E402

PLANS = {name: plan for name, plan in plans().items() if plan.struts}
PLAN = pytest.mark.parametrize("name", PLANS)
WEIGHTS = (1e-4, 1e-2, 1.0)  # s: steps of a tenth of a millisecond to a second
ROUNDING = 1e-10  # of solutions whose dense matrices have condition numbers to 1e5


def response(state, s, base, moved, planes=False):
    """x as the kernel finds it, with all rows or in planes where there are any."""
    found = state.system.kernel.stiff_response(state.t, state.y.tolist(), state.turns.tolist(), s, base.tolist(),
                                               moved.tolist(), planes)
    return np.array(found)


def gradients(state, names):
    """Rows G of some quantities over all velocities, and their rates."""
    d = state.system.kernel.quantity_rows(state.t, state.y.tolist(), state.turns.tolist(),
                                          [state.system.quantities[name] for name in names])
    G = np.zeros((len(names), 6 * len(state.system.centred)))
    np.add.at(G, (d["row"], d["column"]), d["value"])
    return G, np.array(d["rate"])


def stiff_rows(plan, state):
    """G, stiffness and damping of a plan's strut and of its law 4 d + 3 dd |dd| + sin(t)."""
    strut = plan.struts[0]
    G, rate = gradients(state, ["strut.length", *(f"{law[0]}.value" for law in plan.laws)])
    return G, np.array([strut.k, 4.0])[:len(G)], np.array([strut.c, *6 * np.abs(rate[1:])])


def dense_response(equations, rows, s, base, moved):
    """The same x from whole matrices; redundant rows are left to least squares, which do not touch x."""
    M, J, (G, k, c) = equations.M, equations.J, rows
    W = M + G.T @ ((c * s + k * s**2)[:, None] * G)
    matrix = np.block([[W, J.T], [J, np.zeros((len(J), len(J)))]])
    right = np.concatenate([M @ base + G.T @ (s * k * (G @ moved)), J @ base])
    return np.linalg.lstsq(matrix, right, rcond=1e-12)[0][:len(M)]


def states(plan, rng):
    """As drawn, and elsewhere with other velocities."""
    system = vc.compile(build(plan))
    drawn = vc.assemble(system)
    return drawn, vc.assemble(system, guess=moved_state(drawn, rng, size=0.02))


@PLAN
@pytest.mark.parametrize("s", WEIGHTS)
def test_response_is_that_of_whole_matrices(name, s, rng):
    plan = PLANS[name]
    for state in states(plan, rng):
        base, moved = rng.normal(size=(2, 6 * len(plan.links)))
        expected = dense_response(state.equations(), stiff_rows(plan, state), s, base, moved)
        assert response(state, s, base, moved) == pytest.approx(expected, abs=ROUNDING * np.abs(expected).max())


@PLAN
def test_joints_see_nothing_but_the_rates_they_are_given(name, rng):
    """J x = J base on every row, also on those left out as redundant, however stiff the struts."""
    plan = PLANS[name]
    state = vc.assemble(vc.compile(build(plan)))
    J = state.equations().J
    for s in (*WEIGHTS, 100.0):
        base, moved = rng.normal(size=(2, 6 * len(plan.links)))
        x = response(state, s, base, moved)
        assert J @ x == pytest.approx(J @ base, abs=1e-8 * (1 + np.abs(x).max()))


@PLAN
def test_response_is_linear_symmetric_and_takes_energy_away(name, rng):
    """For velocities a and b that the joints allow: a^T M x(b) = b^T M x(a), and struts only brake."""
    state = vc.assemble(vc.compile(build(PLANS[name])))
    e = state.equations()
    still, free = np.zeros(len(e.M)), np.eye(len(e.M)) - np.linalg.pinv(e.J, rcond=1e-10) @ e.J
    a, b = (free @ v for v in rng.normal(size=(2, len(e.M))))
    x_a, x_b, both = (response(state, 0.1, v, still) for v in (a, b, 2 * a - 3 * b))
    assert both == pytest.approx(2 * x_a - 3 * x_b, abs=1e-10 * (1 + np.abs(both).max()))
    size = 1 + np.abs(e.M).max() * np.abs(a).max() * np.abs(b).max()
    assert b @ e.M @ x_a == pytest.approx(a @ e.M @ x_b, abs=1e-9 * size)
    assert x_a @ e.M @ x_a <= a @ e.M @ a * (1 + 1e-10) + 1e-12


def test_random_plans_hold_laws_and_redundant_rows():
    """What the tests above rest on."""
    redundant = [name for name, plan in PLANS.items() if vc.mobility(vc.compile(build(plan))).redundant]
    assert len(redundant) > 5
    assert sum(bool(plan.laws) and bool(coordinates_of(plan)) for plan in PLANS.values()) > 10


def sled(force, actuated=False, x=0.3, v=-0.7):
    """A body of 2 kg on a slide with one law along it, away from rest."""
    model = vc.Model("sled", gravity=(0, 0, 0))
    body = model.body("sled", 2.0, 0.1, velocity=(1, 0, 0))
    model.prismatic("S", model.ground, body, at=(0, 0, 0), axis="x")
    (model.actuator if actuated else model.law)("law", "S.travel", force)
    state = vc.assemble(vc.compile(model))
    y = state.y.copy()
    y[0], y[7] = x, v
    return state.with_vector(y)


def slopes(state, s=0.05):
    """Stiffness and damping the kernel works with: x = (2 base + s k moved) / (2 + c s + k s^2) along the slide."""
    one, none = np.eye(6)[0], np.zeros(6)
    by_base, by_moved = response(state, s, one, none)[0], response(state, s, none, one)[0]
    stiffness = 2 * by_moved / (s * by_base)
    return stiffness, (2 / by_base - 2 - stiffness * s**2) / s


def differences(state, h=1e-5):
    """The same from the accelerations of the sled at displaced states, central."""
    def acceleration(k, step):
        y = state.y.copy()
        y[k] += step
        return state.with_vector(y).solve().acceleration[0, 0]

    return tuple(-2.0 * (acceleration(k, h) - acceleration(k, -h)) / (2 * h) for k in (0, 7))


FORMULAS = ("4*d + 3*dd*abs(dd)", "100*d^3 + 5*dd", "50*tanh(3*d) + exp(dd)", "2*sin(d) + (d^2 + 1)*dd", "7",
            "sqrt(1 + d)*8 + dd/(1 + dd^2)", "1e6*d + 1e3*dd", "30*d*step(d) + 2*dd*step(1 - d)")


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("actuated", [False, True])
def test_slopes_of_formulas_are_their_derivatives(formula, actuated):
    """A law resists and an actuator drives: the same force with the other sign in front."""
    state = sled(f"-({formula})" if actuated else formula, actuated)
    expected = np.maximum(differences(state), 0.0)
    assert slopes(state) == pytest.approx(expected, rel=1e-6, abs=1e-6)  # differences: h^2, and rounding / h


@pytest.mark.parametrize("formula", ["-4*d - 3*dd", "cos(1 + d) - dd^3", "-exp(d) - 2*dd"])
def test_what_pushes_outwards_is_left_out(formula):
    state = sled(formula, x=0.2)
    assert max(differences(state)) < 0
    assert slopes(state) == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("x", [-0.6, 0.1, 0.4, 0.9])
def test_slope_of_a_curve(x):
    at = np.linspace(-1, 1, 9)
    state = sled(vc.Spline(at, 20 * at + 30 * at**3), x=x)
    assert slopes(state) == pytest.approx(np.maximum(differences(state), 0.0), rel=1e-6, abs=1e-6)


def test_a_formula_without_a_slope_at_its_kink_counts_as_not_stiff():
    """sqrt(d) at d = 0 has an infinite slope; the step goes on without it."""
    found = response(sled("sqrt(abs(d))", x=0.0, v=0.0), 0.05, np.eye(6)[0], np.ones(6))
    assert np.isfinite(found).all()
    assert found[0] == pytest.approx(1.0)


def test_forces_of_time_alone_are_not_stiff():
    state = sled(vc.Sine(5.0, 3.0), actuated=True)
    assert slopes(state) == pytest.approx((0.0, 0.0), abs=1e-12)


def two_arms(tie):
    """Two arms that fall from a hinge; `tie` makes them one."""
    model = vc.Model()
    one = model.body("one", 1.0, [0.02, 0.1, 0.1], at=(0.5, 0, 0))
    two = model.body("two", 1.0, [0.1, 0.02, 0.1], at=(1.5, 0, 0))
    model.revolute("O", model.ground, one, at=(0, 0, 0), axis="y")
    tie(model, one, two)
    return model


def stiff_hinge(model, one, two, k, c):
    model.revolute("P", one, two, at=(1, 0, 0), axis="y")
    model.spring("s", "P.angle", k=k, c=c)


def stiff_strut(model, one, two, k, c):
    model.revolute("P", one, two, at=(1, 0, 0), axis="y")
    model.spring("s", one.frame((0.5, 0, 0.4)), two.frame((1.5, 0, 0.5)), k=k, c=c)


def bushing(model, one, two, k, c):
    a, b = one.frame((1, 0, 0)), two.frame((1, 0, 0))
    for i, j in ("xy", "yz", "zx"):
        model.spring(f"along {i}", vc.along(i, a, b), k=k, c=c)
        model.spring(f"about {i}", vc.cosine(i, j, a, b), k=k, c=c)


@LOSES_ENERGY  # by rounding, beyond 1e12 N s/m
@pytest.mark.parametrize("tie", [stiff_hinge, stiff_strut, bushing])
def test_the_default_integrator_takes_any_stiffness(tie):
    """From rates of 1e3 to 1e15 1/s: the stiffer it is, the nearer to a weld; in few steps, and to the end. Speeds and
    lengths are known to 1e-16: times 1e15 N s/m or N/m, forces, and with them the motion between steps, to a newton."""
    weld = vc.simulate(two_arms(lambda model, one, two: model.fixed("P", one, two, at=(1, 0, 0))), 0.5, outputs=10)
    for k, c in [*((0.0, 10.0**n) for n in range(3, 16, 3)), (1e12, 1e8), (1e15, 0.0), (1e12, 1e15)]:
        model = two_arms(lambda model, one, two, k=k, c=c: tie(model, one, two, k, c))
        result = vc.simulate(model, 0.5, outputs=10, max_steps=10_000)
        assert result.complete, (k, c)
        near = 1e-5 + (2.0 / c if k == 0 else 0.0)
        assert result["O.angle"][-1] == pytest.approx(weld["O.angle"][-1], abs=near), (k, c)
        if k + c < 1e14:  # beyond, only the ends of steps
            assert result["O.angle"] == pytest.approx(weld["O.angle"], abs=near + 1e-17 * (k + c)), (k, c)
        assert result.statistics["changes"] >= (k + c > 1e4)


def test_stiffness_between_bodies_that_move_alike_is_seen():
    """The search for the fastest rate must not begin with a motion in which nothing is strained."""
    model = two_arms(lambda model, one, two: stiff_hinge(model, one, two, 0.0, 1e6))
    result = vc.simulate(model, 0.01, outputs=2)
    state = result.state(0)
    J, _ = state.jacobian()
    W = np.linalg.inv(dense_mass(state))
    g = gradients(state, ["s.length"])[0][0]
    held = W @ g - W @ J.T @ np.linalg.lstsq(J @ W @ J.T, J @ W @ g, rcond=1e-12)[0]
    assert result.statistics["fastest"] == pytest.approx(1e6 * g @ held, rel=0.05)


@pytest.mark.parametrize("index", [1, 2, 3])
@pytest.mark.parametrize("tie", [stiff_hinge, stiff_strut, bushing])
def test_stages_solved_at_once_follow_the_motion_of_stages_solved_in_rounds(tie, index):
    """More laws than are solved at once, all but two of them without any force, change nothing: neither the motion nor,
    by more than a third, what it takes."""
    def tied(idle):
        def make(model, one, two):
            tie(model, one, two, 3e4, 3e2)
            for n in range(idle):
                model.spring(f"idle {n}", one.frame((0.4, 0, 0.3)), two.frame((1.4, 0, 0.3)), k=1e-9, c=1e-9)
        return make

    runs = [vc.simulate(two_arms(tied(idle)), 0.5, outputs=10, integrator=vc.Radau(rtol=1e-6, atol=1e-6, index=index))
            for idle in (0, 20)]
    assert runs[0]["O.angle"] == pytest.approx(runs[1]["O.angle"], abs=2e-5)
    at_once, rounds = (run.statistics["evaluations"] for run in runs)
    assert at_once < 1.34 * rounds


@LOSES_ENERGY  # the stored energy of a spring of 5e6 N/m, at a tolerance of 1e-3
@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
@pytest.mark.parametrize("index", [1, 2])
@pytest.mark.parametrize("tie", [stiff_hinge, stiff_strut, bushing])
def test_samples_between_implicit_steps_do_not_follow_magnified_accelerations(tie, index, tolerance):
    """Very stiff forces magnify what is left of velocities at the ends of steps; positions between them stay within
    twenty tolerances. By accelerations they were up to 1e7 off."""
    times = np.linspace(0, 1, 401)

    def places(integrator):
        found = vc.simulate(two_arms(lambda m, a, b: tie(m, a, b, 5e6, 2e4)), 1.0, outputs=times, integrator=integrator)
        return np.stack([by_body(y, 2)[:, :7] for y in found.y])

    exact, found = (places(vc.Radau(rtol=tol, atol=tol, index=k)) for tol, k in ((1e-9, 1), (tolerance, index)))
    assert np.abs(found - exact).max() < 20 * tolerance


def dense_mass(state):
    found = state.system.kernel.solve(vc.NullSpace().options(), state.t, state.y.tolist(), state.turns.tolist(), True)
    return np.array(found["M"])


@pytest.mark.filterwarnings("ignore::vincolo.SimulationWarning")
@pytest.mark.parametrize("index", [1, 2, 3])
@pytest.mark.parametrize("family", ["mesh", "spatial_loop", "four_bar", "ladder"])
def test_radau_is_as_accurate_without_laws_as_it_is_asked_to_be(family, index):
    """Loops without springs: multipliers of the stages are found by the joints alone."""
    met = 0
    for seed in range(7000, 7012):
        sketch = drawn(family, seed)
        model = sketch.model
        for name in [*model.springs, *model.laws]:
            model.remove(name)
        system = vc.compile(model)
        try:
            start = vc.assemble(system, sketch.given)
        except vc.VincoloError:
            continue
        until = 0.1 * sketch.span * sketch.scale.time
        exact, found = (vc.simulate(system, start.t + until, start=start, outputs=4, integrator=i, max_steps=500)
                        for i in (vc.DOP853(rtol=1e-12, atol=1e-13), vc.Radau(rtol=1e-9, atol=1e-9, index=index)))
        if not (exact.complete and found.complete):
            continue
        met += 1
        assert np.abs(found.y[:, :3] - exact.y[:, :3]).max() < 3e-8 * system.extent, (family, seed)
    assert met > 5
