"""Laws that read other parts of the mechanism, in implicit steps: their linear systems against dense matrices, their
steps and iterations against the same forces as built-in springs, their energy against a potential."""

import numpy as np
import pytest
from test_stiff_laws import gradients, response

import vincolo as vc
from expected import LOSES_ENERGY
from mechanisms import build, moved_state, plans

PLANS = {name: plan for name, plan in plans().items() if len(plan.links) > 2}
ROUNDING = 1e-9  # of solutions whose dense matrices have condition numbers to 1e6


def tangled(plan, rng, count=3):
    """A plan with laws along distances between its bodies, each linear in the values and rates of all of them."""
    model = build(plan)
    bodies = list(model.bodies.values())
    for k in range(count):
        a, b = rng.choice(len(bodies), 2, replace=False)
        p, q = (bodies[x].frame(local=rng.normal(size=3)) for x in (a, b))
        model.measure(f"m{k}", vc.distance(p, q))
    slopes = (50 * rng.normal(size=(2, count, count))).tolist()
    for k in range(count):
        terms = [f"({slopes[0][k][j]!r})*m{j}+({slopes[1][k][j]!r})*m{j}.rate" for j in range(count)]
        model.law(f"law{k}", f"m{k}", "+".join(terms))
    return model, np.array(slopes)


def dense_response(equations, own, tangle, s, base, moved):
    """x from whole matrices: laws that are springs and dampers on their own, and those that read each other."""
    (G, k, c), (H, K, D) = own, tangle
    M, J = equations.M, equations.J
    W = M + G.T @ ((c * s + k * s**2)[:, None] * G) + H.T @ (s * D + s**2 * K) @ H
    matrix = np.block([[W, J.T], [J, np.zeros((len(J), len(J)))]])
    right = np.concatenate([M @ base + G.T @ (s * k * (G @ moved)) + H.T @ (s * K @ (H @ moved)), J @ base])
    return np.linalg.lstsq(matrix, right, rcond=1e-13)[0][:len(M)]


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("s", [1e-3, 1e-2, 0.1])
def test_response_is_that_of_whole_matrices(name, s, rng):
    plan = PLANS[name]
    model, (K, D) = tangled(plan, rng)
    system = vc.compile(model)
    state = vc.assemble(system, guess=moved_state(vc.assemble(system), rng, size=0.02))
    struts = [(x.name, x.k, x.c) for x in plan.struts]
    laws = [law[0] for law in plan.laws]
    G, rate = gradients(state, [*(f"{x}.length" for x, *_ in struts), *(f"{x}.value" for x in laws)])
    own = (G, np.array([*(k for _, k, _ in struts), *(4.0 for _ in laws)]),
           np.array([*(c for *_, c in struts), *6 * np.abs(rate[len(struts):])]))  # of 4 d + 3 dd |dd| + sin(t)
    H, _ = gradients(state, ["m0", "m1", "m2"])
    base, moved = rng.normal(size=(2, 6 * len(plan.links)))
    expected = dense_response(state.equations(), own, (H, K, D), s, base, moved)
    assert response(state, s, base, moved) == pytest.approx(expected, abs=ROUNDING * np.abs(expected).max())


def struts(kind, k, c=0.0):
    """Two arms on hinges, tied by a strut: built in, or as a law over the places of its ends."""
    model = vc.Model()
    for name, x, mass in (("one", 0.0, 1.0), ("two", 1.0, 3.0)):
        body = model.body(name, mass, [0.02, 0.1, 0.1], at=(x + 0.3, 0, -0.4))
        model.revolute(f"O{name}", model.ground, body, at=(x, 0, 0), axis="y")
        model.frame(f"tip_{name}", body, at=(x + 0.6, 0, -0.8))
    a, b = model.frames["tip_one"], model.frames["tip_two"]
    if kind == "built in":
        model.spring("s", a, b, k=k, c=c, length=1.0)
        return model
    span, speed = "sqrt((tip_two.x-tip_one.x)^2+(tip_two.z-tip_one.z)^2)", "tip_two.v{0}-tip_one.v{0}"
    rate = "+".join(f"(tip_two.{x}-tip_one.{x})*({speed.format(x)})" for x in "xz")
    model.law("s", vc.distance(a, b), f"{k!r}*({span}-1.0)+{c!r}*({rate})/{span}")
    return model


IMPLICIT = [vc.Radau(), vc.Radau(rtol=1e-8, atol=1e-9), vc.Radau(index=2), vc.BDF(), vc.Auto()]


@pytest.mark.parametrize("integrator", IMPLICIT, ids=str)
@pytest.mark.parametrize(("k", "c"), [(1e4, 1e3), (1e7, 1e5), (1e10, 1e7)])
def test_a_stiff_law_over_other_measures_needs_no_more_steps_than_a_spring(integrator, k, c):
    one, other = (vc.simulate(struts(kind, k, c), 0.5, outputs=10, integrator=integrator, max_steps=20_000)
                  for kind in ("built in", "law"))
    assert one.complete and other.complete
    assert other.statistics["steps"] <= one.statistics["steps"]
    assert other.statistics["evaluations"] <= one.statistics["evaluations"]  # the same iterations
    assert other["Oone.angle"] == pytest.approx(one["Oone.angle"], abs=1e-8)


@LOSES_ENERGY  # what the first step leaves of a stiff motion that begins with it
@pytest.mark.parametrize("integrator", [vc.GeneralisedAlpha(step=1e-3), vc.HHT(step=1e-3), vc.Newmark(step=1e-3),
                                        vc.GeneralisedAlpha(step=1e-3, index=2), vc.Rosenbrock(step=1e-3)], ids=str)
@pytest.mark.parametrize(("k", "c"), [(1e4, 1e3), (1e7, 1e5), (1e10, 1e7)])
def test_steps_of_one_size_iterate_no_more_over_other_measures(integrator, k, c):
    one, other = (vc.simulate(struts(kind, k, c), 0.2, outputs=10, integrator=integrator)
                  for kind in ("built in", "law"))
    assert other.statistics["evaluations"] <= 1.02 * one.statistics["evaluations"]
    assert other["Oone.angle"] == pytest.approx(one["Oone.angle"], abs=1e-7)


def potential(integrator, until=4.0):
    """A tree under V = 40 (a - b)^2 (1 + c) + 30 cos(b) c^2 + 15 a b c, along three measures of three bodies; drift of
    the energy against its size."""
    model = vc.Model("potential", gravity=(0, 0, -9.81))
    before = model.ground
    for k, axis in enumerate("yxy"):
        body = model.body(f"b{k}", 1.0, (0.02, 0.03, 0.04), at=(0.3 * k + 0.15, 0, 0), angular_velocity=(0, 0, 0))
        model.revolute(f"J{k}", before, body, at=(0.3 * k, 0, 0), axis=axis)
        before = body
    base, one, two, three = model.ground.frame((0.2, 0.3, 0.5)), *model.bodies.values()
    a = model.measure("a", vc.distance(base, two.frame((0.6, 0, 0))))
    b = model.measure("b", vc.distance(base, three.frame((0.9, 0.1, 0))))
    c = model.measure("c", vc.distance(one.frame((0.1, 0, 0.1)), three.frame((0.8, 0, 0.1))))
    model.law("Fa", a, "80*(a - b)*(1 + c) + 15*b*c")
    model.law("Fb", b, "-80*(a - b)*(1 + c) - 30*sin(b)*c^2 + 15*a*c")
    model.law("Fc", c, "40*(a - b)^2 + 60*cos(b)*c + 15*a*b")
    result = vc.simulate(model, until, outputs=100, integrator=integrator)
    a, b, c = (result[x] for x in "abc")
    V = 40 * (a - b)**2 * (1 + c) + 30 * np.cos(b) * c**2 + 15 * a * b * c
    total = result["energy.kinetic"] + result["energy.potential"] + V
    return np.ptp(total) / (np.ptp(V) + np.ptp(result["energy.kinetic"]))


@pytest.mark.parametrize("integrator", [vc.DOP853(rtol=1e-11, atol=1e-12), vc.Radau(rtol=1e-10, atol=1e-11)], ids=str)
def test_a_potential_of_several_measures_keeps_its_energy(integrator):
    assert potential(integrator) < 1e-8


def test_the_energy_of_a_potential_swings_with_the_square_of_the_step():
    coarse, fine = (potential(vc.GeneralisedAlpha(step=h, spectral_radius=1.0), 1.0) for h in (2e-3, 1e-3))
    assert coarse / fine == pytest.approx(4, abs=0.6)


def pair(text, k=1.0):
    """Two carts on rails of their own, the first on a spring, the second under a law."""
    model = vc.Model("pair", gravity=(0, 0, 0))
    for name, y in (("one", 0.0), ("two", 1.0)):
        model.prismatic(f"rail {name}", model.ground, model.body(name, 1.0, 0.1, (0, y, 0), velocity=(0.1, 0, 0)),
                        (0, y, 0), "x")
    model.spring("s", model.joints["rail one"]["travel"], k=k, length=0.0)
    model.law("reads", model.joints["rail two"]["travel"], text)
    return model


def test_reading_one_way_is_not_stiff_however_strong():
    """What one.x pushes does not come back: the fastest rate is that of the spring, 1/s."""
    result = vc.simulate(pair("1e6*one.x"), 20.0, outputs=2, integrator=vc.Auto())
    assert result.statistics["changes"] == 0
    assert result.statistics["fastest"] < 50  # on the way to 1, from the first guess


def test_stiffness_across_bodies_is_seen():
    """1e5 (two.x - one.x) + 1e5 (two.vx - one.vx) on both: rates of 2e5 per second."""
    model = pair("1e5*(two.x - one.x) + 1e5*(two.vx - one.vx)")
    model.law("back", model.joints["rail one"]["travel"], "1e5*(one.x - two.x) + 1e5*(one.vx - two.vx)")
    result = vc.simulate(model, 2.0, outputs=2, integrator=vc.Auto())
    assert result.statistics["changes"] >= 1
    assert result.statistics["fastest"] == pytest.approx(2e5, rel=0.01)
    assert result.statistics["steps"] < 500


@pytest.mark.parametrize("integrator", [vc.Radau(rtol=1e-6, atol=1e-8), vc.BDF(rtol=1e-6, atol=1e-8)])
def test_another_name_for_its_own_measure_is_d(integrator):
    """A law that names its own measure is the one over d and dd, to the last bit: nothing of it counts as coupled."""
    found = []
    for value, rate in (("d", "dd"), ("x", "x_rate"), ("O.angle", "O.angle.rate")):
        model = vc.Model()
        arm = model.body("arm", 1.0, 0.1, (1, 0, 0))
        model.revolute("O", model.ground, arm, at=(0, 0, 0), axis="y")
        others = {"x": model.joints["O"]["angle"]} if value == "x" else {}
        model.law("law", "O.angle", f"1e7*{value} + 10*{rate} + {value}^3", **others)
        found.append(vc.simulate(model, 0.5, outputs=5, integrator=integrator).y)
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
