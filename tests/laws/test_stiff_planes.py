"""Implicit steps in planes: their linear systems and their motion are those of all rows, whatever stiff springs,
dampers, laws of several measures and states pull at the bodies, also out of the plane and towards bodies that move in
space."""

from __future__ import annotations

import numpy as np
import pytest
from test_coupled_laws import dense_response
from test_hub_laws import stirred
from test_joint_coordinate_laws import JOINTS, difference, reaction_difference
from test_plane_laws import Drawing, net, slope, turned
from test_stiff_laws import gradients, response

import vincolo as vc
from vincolo.layout import by_body

K, C = 3e6, 2e5  # of ties in motion: rates reach ten thousand a second
TANGLE = np.array([[40.0, -25.0], [60.0, 30.0]])  # forces of two laws by the two distances both read
TIES = {"tie": (1.0, 1.0), "strut": (0.3, 0.1), "link": (1.0, 0.5)}  # stiffness and damping, as shares


def tied(rng, k: float = K, c: float = C, loose: bool = False) -> Drawing:
    """Four-bars one below the other: a strut to the ground at another height, one between two bodies, laws that read
    each other's distances, one of a state that follows the mechanism; and a body that moves in space, tied to one."""
    d = net(rng, 2, turned(rng))
    m, bodies = d.model, d.model.bodies
    low, high = bodies["rung1"].frame(d.point((0.2, -1.0), -1.0)), bodies["rail00"].frame(d.point((0.4, -0.3), 1.3))
    ends = {"tie": (m.ground.frame(d.point((0.3, 0.9), 2.0)), low), "strut": (high, low)}
    if loose:
        free = m.body("free", 1.2, (0.1, 0.2, 0.15), at=d.point((1.0, -3.0), 0.5), orientation=turned(rng))
        ends["link"] = bodies["rung1"].frame(d.point((0.6, -1.6), 0.4)), free.frame(d.point((0.9, -2.9), 0.7))
    for name, pair in ends.items():
        m.spring(name, *pair, k=k * TIES[name][0], c=c * TIES[name][1], length=2.5)
    for n, name in enumerate(("rail01", "rung0")):
        at = bodies[name].frame(d.point(rng.normal(size=2), rng.normal()))
        m.measure(f"m{n}", vc.distance(m.ground.frame(d.point((2.0, 0.4 * n), 1.0)), at))
    for n in range(2):
        m.law(f"law{n}", f"m{n}", "+".join(f"({x!r})*(m{j}-2)+5*m{j}.rate" for j, x in enumerate(TANGLE[n].tolist())))
    m.state("lag", "50*(m0 - lag)", start=1.0)
    m.actuator("servo", "top00.angle", "20*(lag - m1)")
    return d


def along_planes(d: Drawing, state: vc.State, x: np.ndarray) -> np.ndarray:
    """Velocities of all bodies but the free one without their part across the plane."""
    n, x = d.Q[:, 2], x.reshape(-1, 6).copy()
    for k, centred in enumerate(state.system.centred):
        if centred.body.name != "free":
            x[k, :3] -= n * (n @ x[k, :3])
            x[k, 3:] = n * (n @ x[k, 3:])
    return x.ravel()


@pytest.mark.parametrize("s", [1e-4, 1e-2, 1.0])
def test_linear_systems_in_planes_are_those_of_whole_matrices_of_all_rows(s, rng):
    for _ in range(3):
        d = tied(rng, 1e4, 1e3, loose=True)
        state = stirred(d.model, rng)
        assert slope(state)[1] == 3 * len(state.system.centred) + 3
        ties = (gradients(state, [f"{name}.length" for name in TIES])[0], *(np.array([*TIES.values()]) * (1e4, 1e3)).T)
        tangle = (gradients(state, ["m0", "m1"])[0], TANGLE, np.full((2, 2), 5.0))
        base, moved = (along_planes(d, state, x) for x in rng.normal(size=(2, 6 * len(state.system.centred))))
        expected = with_servo(state, ties, tangle, s, base, moved)
        found = response(state, s, base, moved, planes=True)
        assert found == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


def with_servo(state, ties, tangle, s, base, moved):
    """Whole matrices, the state among them: z = 50 s (G0 (s x - moved) - z), and a torque 20 (z - G1 (s x - moved)) on
    the first hinge; as slopes by the distances, z = w G0 (s x - moved) with w = 50 s / (1 + 50 s)."""
    H, slopes, rates = tangle
    hinge, _ = gradients(state, ["top00.angle"])
    w = 50 * s / (1 + 50 * s)
    both = np.concatenate([H, hinge])
    K, D = np.zeros((3, 3)), np.zeros((3, 3))
    K[:2, :2], D[:2, :2], K[2, :2] = slopes, rates, (-20 * w, 20)
    return dense_response(state.equations(), ties, (both, K, D), s, base, moved)


def in_space(d: Drawing) -> vc.Model:
    """The same, with an event after the end for whose sake all rows are kept."""
    d.model.event("never", at=1e3, strike={"top00.angle": 0.5})
    return d.model


TIGHT = {"rtol": 1e-9, "atol": 1e-11}
ACCURATE = {"Auto": vc.Auto(rtol=1e-8, atol=1e-10), "Radau": vc.Radau(**TIGHT),
            "Radau, index 2": vc.Radau(**TIGHT, index=2), "Adams": vc.Adams(**TIGHT)}
OTHERS = {"Radau, index 3": vc.Radau(**TIGHT, index=3), "BDF": vc.BDF(**TIGHT), "Rosenbrock": vc.Rosenbrock(step=1e-4),
          "Euler": vc.LinearlyImplicitEuler(step=1e-4), "alpha": vc.GeneralisedAlpha(step=1e-4),
          "Newmark, index 2": vc.Newmark(step=1e-4, index=2), "semi-implicit": vc.SemiImplicitEuler(step=1e-5)}


@pytest.mark.parametrize("name", ACCURATE)
def test_implicit_motion_in_planes_is_that_of_joint_coordinates(name, rng):
    start = stirred(tied(rng).model, rng)
    tight = vc.DOP853(rtol=1e-12, atol=1e-14)
    run = vc.simulate(start.system, 0.2, start=start, outputs=6, integrator=ACCURATE[name])
    other = vc.simulate(start.system, 0.2, start=start, outputs=6, integrator=tight, formulation=JOINTS)
    assert run.complete and other.complete
    assert (run.statistics["changes"] > 0) == (name == "Auto")
    assert difference(run, other) < 1e-9
    assert reaction_difference(run, other) < 2e-8
    assert np.abs(run["lag"] - other["lag"]).max() < 1e-9
    assert np.abs(run.state(5).equations().Phi).max() < 1e-9


@pytest.mark.parametrize("name", ACCURATE | OTHERS)
def test_every_integrator_goes_the_same_way_in_planes_and_in_space(name, rng):
    d = tied(rng)
    start = stirred(d.model, rng)
    rows = vc.compile(in_space(d))
    assert slope(vc.assemble(rows))[1] == 6 * len(rows.centred) and slope(start)[1] == 3 * len(rows.centred)
    integrator = (ACCURATE | OTHERS)[name]
    run, other = (vc.simulate(system, 0.1, start=system.drawn.with_vector(start.y), outputs=6, integrator=integrator)
                  for system in (start.system, rows))
    assert run.complete and other.complete
    assert run.statistics["steps"] <= 1.1 * other.statistics["steps"]  # rounding has a say in steps as small as these
    assert difference(run, other) < 1e-9
    assert reaction_difference(run, other) < 2e-8


@pytest.mark.parametrize("integrator", [vc.Radau(**TIGHT), vc.Radau(**TIGHT, index=2), vc.BDF()], ids=str)
def test_long_implicit_runs_leave_their_planes_by_rounding_alone(integrator, rng):
    """What the landings of thousands of steps round off does not add up."""
    d = tied(rng, 1e3, 1e2)
    state = stirred(d.model, rng)
    run = vc.simulate(state.system, 2.0, start=state, outputs=5, integrator=integrator)
    y, n = by_body(run.y[-1], len(state.system.centred)), d.Q[:, 2]
    heights = by_body(state.y, len(state.system.centred))[:, :3] @ n
    assert y[:, :3] @ n == pytest.approx(heights, abs=1e-14)
    assert np.abs(y[:, 7:10] @ n).max() < 1e-15
    assert np.abs(np.cross(y[:, 10:], n)).max() < 1e-15


def idle(d: Drawing, count: int) -> None:
    """Laws that never push."""
    m = d.model
    for k in range(count):
        at = m.bodies["rung0"].frame(d.point((0.5, -0.8), 0.1 * k))
        m.measure(f"i{k}", vc.distance(m.ground.frame(d.point((2.0, 0.1 * k), 1.0)), at))
        m.law(f"idle{k}", f"i{k}", f"0*i{k}")


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("integrator", [vc.Rosenbrock(step=5e-4), vc.LinearlyImplicitEuler(step=5e-4)], ids=str)
def test_landings_under_few_laws_are_those_under_many(integrator, space, rng):
    """Few laws are in a dense system beside the factor of a slope, many are rows among the joints: the same metric, in
    which strong dampers are not struck. By masses alone runs end up to 8e-5 elsewhere."""
    d = tied(rng, 3e4, 2e4)
    if space:
        in_space(d)
    starts = [stirred(d.model, rng)]
    idle(d, 8)
    starts.append(vc.compile(d.model).drawn.with_vector(starts[0].y))
    runs = [vc.simulate(start.system, 0.1, start=start, outputs=6, integrator=integrator) for start in starts]
    assert runs[0].complete and difference(*runs) < 1e-12
