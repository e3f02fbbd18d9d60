"""Every stabilisation keeps what it promises, for sparse and dense formulations alike."""

from functools import cache

import numpy as np
import pytest

import vincolo as vc
from dense import dense
from example_models import built
from expected import LOSES_ENERGY
from formulations import EVERY, EXACT, LAGRANGE
from linkages import parallelogram
from mechanisms import build, plans
from vincolo.solvers.stabilisation import Stabilisation

PLANS = plans()
# loops, redundant rows, a tree and drives; and formulations of every sort
MECHANISMS = ["tree 0", "loop 0", "door 2", "four-bar 3", "parallelogram", "driven door"]
SOLVERS = {"sparse": vc.Sparse(), **{name: EVERY[name] for name in (
    "null space qr, twist", "null space qr, natural", "augmented Lagrangian, euler_parameters",
    "QTZ orthogonalised alpha, twist", "partitioning all, natural")}}
MECHANISM = pytest.mark.parametrize("name", MECHANISMS)
SOLVER = pytest.mark.parametrize("solver", SOLVERS)
STEP, LARGE = 0.03, 0.05  # s: RK4 drifts visibly


@cache
def system_of(name):
    model = build(PLANS[name])
    return model, vc.compile(model)


def run(name, stabilisation, solver="sparse", until=0.3, step=STEP):
    """A run recorded at the end of every step."""
    count = round(until / step)
    result = vc.simulate(system_of(name)[1], until, outputs=count, integrator=vc.RK4(step=step),
                         stabilisation=stabilisation, formulation=SOLVERS[solver])
    assert result.complete and len(result) == count + 1
    return result


def residuals(result):
    """Phi of all rows at every sample."""
    kernel = result.system.kernel
    return np.array([kernel.rows(t, y.tolist(), turns.tolist())["phi"]
                     for t, y, turns in zip(result.t, result.y, result.turns, strict=True)])


def family(kind):
    return {kind, *(k for sub in kind.__subclasses__() for k in family(sub))}


def test_every_stabilisation_is_tested_here():
    final = {k for k in family(Stabilisation) if not k.__subclasses__()}
    assert final == {vc.NoStabilisation, vc.Baumgarte, vc.TunedBaumgarte, vc.Projection, vc.DirectCorrection,
                     vc.CorrectionByTolerance}


@MECHANISM
def test_without_stabilisation_these_mechanisms_drift(name):
    """What the other tests measure is there at all: ten times every tolerance used below."""
    result = run(name, vc.NoStabilisation())
    assert np.abs(residuals(result)).max() > 1e-7
    assert result["residual.velocity"].max() > 1e-7


@pytest.mark.parametrize("tolerance", [1e-9, 1e-12])
@pytest.mark.parametrize("kind", [vc.Projection, vc.DirectCorrection])
@SOLVER
@MECHANISM
def test_corrections_keep_their_tolerance(name, solver, kind, tolerance):
    result = run(name, kind(tolerance=tolerance), solver)
    # rows that are left out follow those that are kept to first order, with factors of the lengths
    assert np.abs(residuals(result)).max() <= (1 if name == "loop 0" else 3) * tolerance
    assert result["residual.velocity"].max() < 1e-11


@SOLVER
@MECHANISM
def test_correction_by_tolerance_keeps_the_sum_below_its_start(name, solver):
    result = run(name, vc.CorrectionByTolerance(tolerance=1e-12, start=1e-8), solver)
    sums = np.abs(residuals(result)).sum(axis=1)
    assert sums.max() <= 1e-8
    assert result.statistics["corrections"] > 0


@MECHANISM
def test_correction_by_tolerance_waits_for_its_start_and_leaves_velocities(name):
    free = run(name, vc.NoStabilisation())
    patient = run(name, vc.CorrectionByTolerance(start=10 * np.abs(residuals(free)).sum(axis=1).max()))
    assert patient.statistics["corrections"] == 0
    assert patient.y == pytest.approx(free.y, abs=1e-12)
    eager = run(name, vc.CorrectionByTolerance(start=1e-10))
    assert eager["residual.velocity"].max() > 0.1 * free["residual.velocity"].max()


def test_long_steps_are_closed_by_one_correction_each():
    """The last stage stands too far from their end for its factor to serve, which is remembered; after
    some steps it is tried again."""
    result = vc.simulate(built("bricard"), 10.0, outputs=1, integrator=vc.DormandPrince(rtol=5e-5, atol=5e-5),
                         stabilisation=vc.Projection(tolerance=1e-6))
    assert result.statistics["corrections"] < 1.3 * result.statistics["steps"]
    assert result.statistics["position_residual"] <= 1e-6


def one_step(name, stabilisation, solver):
    """The end of one large step, after which joints and velocities stand a little open."""
    result = vc.simulate(system_of(name)[1], LARGE, outputs=1, integrator=vc.RK4(step=LARGE),
                         stabilisation=stabilisation, formulation=SOLVERS[solver])
    assert result.complete
    return result.state()


def both(name, stabilisation, solver):
    """The end of a step as it is and corrected, the corrections of positions and velocities, and the dense equations
    at the end."""
    free, kept = (one_step(name, s, solver) for s in (vc.NoStabilisation(), stabilisation))
    return free, kept, displacement(free, kept), velocities(kept) - velocities(free), dense(system_of(name)[0], kept)


def displacement(before, after):
    """Small displacements (dr, dtheta) of all bodies from one state vector to another."""
    found = []
    for k in range(len(before.system.centred)):
        (r, p), (r2, p2) = ((s.y[13 * k: 13 * k + 3], s.y[13 * k + 3: 13 * k + 7]) for s in (before, after))
        p2 = p2 * np.sign(p @ p2)
        found += [r2 - r, 2 * (p[0] * p2[1:] - p2[0] * p[1:] - np.cross(p2[1:], p[1:]))]  # 2 p2 p*
    return np.concatenate(found)


def velocities(state):
    return np.concatenate([state.y[13 * k + 7: 13 * k + 13] for k in range(len(state.system.centred))])


def outside(J, force):
    """The share of a force that rows cannot give."""
    given = J.T @ np.linalg.lstsq(J.T, force, rcond=1e-9)[0]
    return np.abs(force - given).max() / np.abs(force).max()


@SOLVER
@MECHANISM
def test_projection_is_orthogonal_in_the_metric_of_mass(name, solver):
    """M dq = J^T mu: reactions alone could have done it. To first order: J turns within the correction, and the
    kernel's own solver takes it from the last stage, which stands h^3 away."""
    free, kept, dq, dv, exact = both(name, vc.Projection(tolerance=1e-13), solver)
    size = np.abs(dq).max()
    assert size > 1e-8 and np.abs(dv).max() > 1e-8
    stage = 10 * LARGE**3 if solver == "sparse" else 0.0
    assert outside(exact.J, exact.M @ dq) < 100 * size + 1e-14 / size + stage
    # velocities are projected once, where the positions already stand; they are differences of numbers of size one
    assert outside(exact.J, exact.M @ dv) < 1e-12 / np.abs(dv).max()
    before = dense(system_of(name)[0], kept.with_vector(mixed(kept, free)))
    assert exact.J @ dv == pytest.approx(-before.rate, abs=1e-12)


def mixed(places, motion):
    """The positions of one state with the velocities of another."""
    y = places.y.copy()
    for k in range(len(places.system.centred)):
        y[13 * k + 7: 13 * k + 13] = motion.y[13 * k + 7: 13 * k + 13]
    return y


@SOLVER
@MECHANISM
def test_either_half_of_a_projection_can_be_left_out(name, solver):
    free = one_step(name, vc.NoStabilisation(), solver)
    moved = one_step(name, vc.Projection(velocities=False), solver)
    turned = one_step(name, vc.Projection(positions=False), solver)
    assert velocities(moved) == pytest.approx(velocities(free), abs=1e-13 * np.abs(velocities(free)).max())
    assert moved["residual.position"] < 1e-10 < moved["residual.velocity"]
    assert displacement(free, turned) == pytest.approx(np.zeros(6 * len(free.system.centred)), abs=1e-14)
    assert turned["residual.velocity"] < 1e-11 < 1e-10 < turned["residual.position"]


@SOLVER
@MECHANISM
def test_direct_correction_is_orthogonal_in_the_metric_of_geometry(name, solver):
    """(dr, L^2 dtheta) = J^T mu with one length for all bodies, and masses left out."""
    _, kept, dq, dv, exact = both(name, vc.DirectCorrection(tolerance=1e-13), solver)
    size = np.abs(dq).max()
    square = max(c.length for c in kept.system.centred) ** 2
    weights = np.tile([1.0, 1, 1, square, square, square], len(dq) // 6)
    assert outside(exact.J, weights * dq) < 100 * size + 1e-14 / size
    assert outside(exact.J, weights * dv) < 1e-12 / np.abs(dv).max()


def sled():
    """A body that slides along x; its row across is y."""
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("b", 2.0, [0.1, 0.2, 0.25])
    model.prismatic("S", model.ground, body, at=(0, 0, 0), axis="x")
    return vc.compile(model)


BAUMGARTE = {"sparse": vc.Sparse(), **LAGRANGE,
             **{name: f for name, f in EXACT.items() if getattr(f, "integrate", "all") == "all"
                and not isinstance(f, vc.JointCoordinates)
                and getattr(f, "form", "orthogonalised") == "orthogonalised"}}


@LOSES_ENERGY
@pytest.mark.parametrize("solver", BAUMGARTE)
@pytest.mark.parametrize(("alpha", "beta"), [(5.0, 5.0), (3.0, 5.0), (8.0, 5.0)], ids=["critical", "swings", "creeps"])
def test_an_error_in_speed_dies_out_as_baumgarte_says(alpha, beta, solver):
    """Phi'' + 2 alpha Phi' + beta^2 Phi = 0 from Phi = 0, Phi' = 0.01."""
    system = sled()
    start = vc.assemble(system)
    y = start.y.copy()
    y[8] = 0.01
    result = vc.simulate(system, 1.0, outputs=10, start=start.with_vector(y), integrator=vc.RK4(step=0.01),
                         stabilisation=vc.Baumgarte(alpha, beta), formulation=BAUMGARTE[solver])
    assert result.complete
    root = np.sqrt(complex(alpha**2 - beta**2))
    t = result.t
    exact = 0.01 * np.exp(-alpha * t) * (np.sinh(root * t) / root if root else t)
    assert result["b.y"] == pytest.approx(exact.real, abs=1e-8)  # RK4: (alpha h)^4


@LOSES_ENERGY
@pytest.mark.parametrize("kind", [vc.Penalty, vc.AugmentedLagrangian])
def test_omega_of_relaxed_formulations_is_baumgarte(kind):
    """alpha = omega mu and beta = omega."""
    system = sled()
    start = vc.assemble(system)
    y = start.y.copy()
    y[8] = 0.01
    result = vc.simulate(system, 1.0, outputs=10, start=start.with_vector(y), integrator=vc.RK4(step=0.01),
                         formulation=kind(alpha=1e9, omega=5.0, mu=1.0))
    assert result.complete
    assert result["b.y"] == pytest.approx(0.01 * result.t * np.exp(-5 * result.t), abs=1e-8)


@pytest.mark.parametrize("solver", ["sparse", "null space qr, twist", "null space qr, natural"])
@pytest.mark.parametrize(("steps", "damping"), [(20.0, 1.0), (12.5, 0.7)])
def test_tuned_baumgarte_takes_its_numbers_from_the_step(steps, damping, solver):
    """beta = 2 pi / (steps h), alpha = damping beta (Oldani 2010, eq. 2.80)."""
    beta = 2 * np.pi / (steps * STEP)
    assert vc.TunedBaumgarte(steps, damping).for_step(STEP) == vc.Baumgarte(damping * beta, beta)
    tuned = run("loop 0", vc.TunedBaumgarte(steps, damping), solver)
    given = run("loop 0", vc.Baumgarte(damping * beta, beta), solver)
    assert np.array_equal(tuned.y, given.y)
    assert f"alpha {damping * beta:g}, beta {beta:g}" in str(tuned)


@SOLVER
def test_baumgarte_keeps_a_redundant_linkage_together(solver):
    """It does not grow with time, as it does without."""
    system = vc.compile(parallelogram(-0.8, bars=3))
    early, late = [], []
    for s in (vc.NoStabilisation(), vc.Baumgarte()):
        residual = vc.simulate(system, 6.0, outputs=300, integrator=vc.RK4(step=0.02), stabilisation=s,
                               formulation=SOLVERS[solver])["residual.position"]
        early.append(residual[:100].max())
        late.append(residual[200:].max())
    assert late[0] > 2 * early[0]
    assert late[1] < 1.1 * early[1]
