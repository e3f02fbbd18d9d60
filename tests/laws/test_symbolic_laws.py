"""Symbolic equations are the kernel's, for every joint, measure, force and function of the catalogue, at random states.

The expressions come from the definitions in vincolo.equations, the kernel's derivatives are written by hand."""

import inspect
import math

import numpy as np
import pytest

import vincolo as vc
from dense import kernel_rows
from function_samples import SAMPLES
from mechanisms import Plan, build, join, link, moved_state, plans, rotation
from vincolo.equations import measures as equations
from vincolo.equations.joints import CATALOGUE, JOINTS
from vincolo.model.joint import Joint
from vincolo.model.measure import measure
from vincolo.symbolic.calculus import values
from vincolo.symbolic.coordinates import world_G
from vincolo.symbolic.numbers import body_motion

sympy = pytest.importorskip("sympy")

CURVES = {"profile": vc.Sine(0.2, 2.0, 0.3, 1.4), "support": vc.Sine(0.2, 2.0, 0.3, 1.4),
          "path": (vc.Polynomial([0.1, 0.3, -0.2]), vc.Spline([-9.0, -1.0, 0.5, 9.0], [0.3, 0.1, -0.3, 0.2]))}
MEASURES = [equations.world((0.36, 0.48, 0.8)), equations.along("y"), equations.cosine("x", "z"), equations.distance,
            equations.angle("y"), equations.azimuth, equations.skid("y"), equations.roll("x", 0.4, True),
            equations.roll("y", 0.4, False)]
MEASURES += [-equations.angle("x").reversed(), equations.roll("x", 0.3, False).reversed()]
MEASURES += [-equations.azimuth.reversed()]
ALL_FUNCTIONS = [pytest.param(f, id=f"{kind.__name__}{k}") for kind, family in SAMPLES.items()
                 for k, f in enumerate(family)]


def two_bodies(rng, moving=False):
    """Two moving bodies and a random frame on each; with `moving` the first goes along its body."""
    model = build(Plan((link(rng, "a"), link(rng, "b"))))
    a, b = (model.bodies[n].frame(local=rng.normal(size=3), z=rotation(rng)[:, 2], x=rng.normal(size=3)) for n in "ab")
    if moving:
        a = a.moving("0.3*sin(2*t)", "t^2", vc.Sine(0.2, 5), angle="0.7*t + t^2", axis="y")
    return model, a, b


def drawn(model, t=0.3):
    system = vc.compile(model)
    return vc.State(system, t, system.drawn.y, 0 * system.drawn.turns)


def near(found, exact, scale=1.0):
    """Equal up to rounding, by the size of the numbers that are added up."""
    size = max(1.0, scale, float(np.abs(exact).max(initial=0.0)))
    assert np.asarray(found) == pytest.approx(np.asarray(exact), abs=1e-12 * size)


def check(model, state):
    """Twists, Euler parameters and the expressions of SymPy against the kernel, at a state."""
    exact = state.equations()
    twists = vc.equations(model, coordinates="twists")
    found = twists.at(state)
    assert len(twists.rows) == len(exact.J)
    for ours, theirs in ((found.Psi, exact.Phi), (found.rate, exact.Phi_dot), (found.Psi_q, exact.J),
                         (found.gamma, exact.gamma), (found.M, exact.M), (found.Q, exact.Q),
                         (found.Psi_q @ exact.u + found.Psi_t, exact.Phi_dot)):
        near(ours, theirs)
    check_euler_parameters(model, state, exact)


def check_euler_parameters(model, state, exact):
    """Pulled back to twists by p' = 1/2 G^T w: p'' of constant w is -1/4 w.w p."""
    eqs = vc.equations(model)
    found, numbers = eqs.at(state), eqs.numbers(state)
    n, m = len(model.bodies), len(exact.J)
    T, qdd = np.zeros((7 * n, 6 * n)), np.zeros(7 * n)
    for k in range(n):
        p = np.array([numbers[x] for x in eqs.mechanism.coordinates.q[7 * k + 3: 7 * k + 7]])
        w = body_motion(state, k)[3]
        T[7 * k: 7 * k + 3, 6 * k: 6 * k + 3] = np.eye(3)
        T[7 * k + 3: 7 * k + 7, 6 * k + 3: 6 * k + 6] = 0.5 * np.asarray(world_G(p), dtype=float).T
        qdd[7 * k + 3: 7 * k + 7] = -0.25 * (w @ w) * p
    near(found.Psi[:m], exact.Phi)
    near(found.Psi[m:], np.zeros(n))
    near(found.rate[:m], exact.Phi_dot)
    near(found.Psi_q[:m] @ T, exact.J)
    near(found.Psi_q[m:] @ T, np.zeros((n, 6 * n)))
    near(found.gamma - found.Psi_q @ qdd, np.concatenate([exact.gamma, np.zeros(n)]))
    near(T.T @ found.M @ T, exact.M)
    near(T.T @ (found.Q - found.M @ qdd), exact.Q)


def check_written(model, state):
    """What SymPy has written is what the nodes say."""
    eqs = vc.equations(model, coordinates="twists")
    found = eqs.at(state)
    names = {eqs.write(symbol): number for symbol, number in eqs.numbers(state).items()
             if symbol.op == "symbol" and symbol.data[0] != "parameter"}
    functions = {f.name + "'" * order: (lambda x, f=f, order=order: f.value(order, float(x)))
                 for f in eqs.mechanism.functions.named.values() for order in range(3)}
    entries = [(name, key, x) for name in ("Psi", "Psi_q", "Psi_t", "gamma", "M", "Q")
               for key, x in np.ndenumerate(np.array(getattr(eqs, name).tolist(), dtype=object)) if x != 0]
    names |= dict.fromkeys(eqs.write.turns.values(), 0)
    known = dict(names)
    for name, key, x in entries:
        at = getattr(found, name)[key if name in ("M", "Psi_q") else key[0]]
        assert value_of(x, known, functions) == pytest.approx(at, abs=1e-11 * max(1.0, abs(at))), (name, key)


def value_of(x, known, functions):
    """A number for an expression, by going through it; what is known already is not looked at again."""
    if x not in known:
        known[x] = number_of(x, known, functions)
    return known[x]


def number_of(x, known, functions):
    if x.is_Number or x.is_NumberSymbol:
        return float(x)
    if isinstance(x, sympy.Piecewise):
        return next(value_of(e, known, functions) for e, c in x.args if holds(c, known, functions))
    args = [value_of(a, known, functions) for a in x.args]
    name = x.func.__name__
    if name in functions:
        return functions[name](*args)
    own = {"Add": lambda *a: math.fsum(a), "Mul": lambda *a: math.prod(a), "Pow": pow, "Abs": abs, "Min": min,
           "Max": max, "sign": lambda v: (v > 0) - (v < 0), "floor": math.floor,
           "Heaviside": lambda v, _: float(v >= 0)}
    return own[name](*args) if name in own else getattr(math, name)(*args)


def holds(condition, names, functions):
    if condition in (True, False, sympy.true, sympy.false):
        return bool(condition)
    a, b = (value_of(side, names, functions) for side in condition.args)
    return {"GreaterThan": a >= b, "LessThan": a <= b, "StrictGreaterThan": a > b, "StrictLessThan": a < b,
            "Unequality": a != b, "Equality": a == b}[condition.func.__name__]


def tied(kind, rng):
    """Two bodies with a joint of a kind between them, closed, away from where it is drawn."""
    if kind in JOINTS:
        model = build(Plan((link(rng, "a"), link(rng, "b"))))
        R = rotation(rng)
        join(model, kind, "J", model.bodies["a"], model.bodies["b"], at=rng.normal(size=3), axis=R[:, 0], axis2=R[:, 1])
    else:
        model, a, b = two_bodies(rng)
        entry = CATALOGUE[kind]
        needed = inspect.signature(entry.held).parameters if callable(entry.held) else {}
        model._add_joint(Joint("J", kind, a, b, parameters={**entry.parameters,
                                                            **{k: CURVES[k] for k in needed if k in CURVES}}))
    system = vc.compile(model)
    return model, vc.assemble(system, guess=moved_state(system.drawn, rng, 0.2))


@pytest.mark.parametrize("kind", CATALOGUE)
def test_every_joint_has_the_rows_of_the_kernel(kind, rng):
    check(*tied(kind, rng))


WRITTEN = [pytest.param(kind, marks=[] if kind in ("revolute", "gear", "knife_edge") else [pytest.mark.slow])
           for kind in CATALOGUE]


@pytest.mark.parametrize("kind", WRITTEN)
def test_every_joint_is_written_as_it_is(kind, rng):
    check_written(*tied(kind, rng))


def test_every_kind_of_measure_is_tested():
    assert {e.kind for e in MEASURES} == set(equations.EQUATIONS)
    assert set(equations.VELOCITIES) == {"skid", "roll"}


@pytest.mark.parametrize("moving", [False, True], ids=["frames at rest", "frames that move"])
@pytest.mark.parametrize("definition", MEASURES, ids=str)
def test_every_measure_has_the_row_of_the_kernel(definition, moving, rng):
    model, a, b = two_bodies(rng, moving)
    held = measure(definition, a, b)
    if held.is_velocity:
        model.drive(held, "0.3*t^2", name="held", level="velocity")
    else:
        model.hold("held", held, "0.3*sin(5*t) - t^3")
    check(model, drawn(model))


@pytest.mark.parametrize("level", ["position", "velocity", "acceleration"])
def test_drives_hold_from_their_level_on(level, rng):
    model, a, b = two_bodies(rng)
    model.drive(vc.distance(a, b), "sin(3*t)", name="led", level=level)
    state = drawn(model)
    found, exact = vc.equations(model, coordinates="twists").at(state), kernel_rows(state)
    near(found.gamma, exact["gamma"])
    near(found.Psi_q, exact["J"])
    if level != "acceleration":
        near(found.rate, exact["rate"])
    if level == "position":
        near(found.Psi, exact["phi"])


FORMULAS = ["x*y - 0.3*sin(z) + t^2*x", "atan2(y, x)*exp(-z^2) - 2", "f(x)*y + f(z*t)",
            "max(x, y) + abs(z) - min(y, 2)",
            "x/(2 + y^2) + tanh(z) + x^3 - cos(t)*asin(0.3*sin(y))", "if(x < y, x^2, z) + sqrt(1 + x^2)",
            "x_rate*cos(y) + 2*y_rate + 2 + x*t"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_of_measures(text, rng):
    model, a, b = two_bodies(rng)
    c = model.ground.frame(rng.normal(size=3), z=rng.normal(size=3))
    inputs = {"x": vc.along("x", a, b), "y": -1.0 * vc.angle(c, a), "z": 0.7 * vc.distance(b, c)}
    inputs |= {"f": vc.Spline([-9.0, -1.0, 0.5, 9.0], [0.3, 0.1, -0.3, 0.2])} if "f(x)" in text else {}
    model.hold("formula", vc.formula(text, **inputs), 0.0 if "rate" in text else "0.2*t^3")
    check(model, drawn(model))


@pytest.mark.parametrize("function", ALL_FUNCTIONS)
def test_every_function_of_time_has_its_derivatives(function, rng):
    """Written out, or by name where it has no closed form."""
    model, a, b = two_bodies(rng)
    model.hold("held", vc.distance(a, b), function)
    eqs, start = vc.equations(model, coordinates="twists"), drawn(model)
    for t in (-0.41, 0.123, 0.8, 1.7):
        state = vc.State(start.system, t, start.y, start.turns)
        found, exact = eqs.at(state), kernel_rows(state)
        scale = max(map(abs, function.derivatives(t)))
        near(found.Psi, exact["phi"], scale)
        near(found.rate, exact["rate"], scale)
        near(found.gamma, exact["gamma"], 10 * scale)


@pytest.mark.slow
@pytest.mark.parametrize("function", ALL_FUNCTIONS)
def test_every_function_is_written_as_it_is(function, rng):
    model, a, b = two_bodies(rng)
    model.hold("held", vc.distance(a, b), function)
    check_written(model, drawn(model))


FORCES = {
    "spring": lambda m, a, b: m.spring("f", a, b, k=20.0, c=3.0, length=0.2, preload=1.5),
    "spring on an angle": lambda m, a, b: m.spring("f", vc.angle(a, b), k=20.0, c=3.0),
    "damper on a velocity": lambda m, a, b: m.spring("f", measure(equations.skid("y"), a, b), k=0.0, c=3.0),
    "law": lambda m, a, b: m.law("f", vc.along("x", a, b), "4*d + 3*dd*abs(dd) + t"),
    "law of others": lambda m, a, b: m.law("f", vc.distance(a, b), "a.vx*d + b.wz + z_rate + z", z=vc.angle(a, b)),
    "curve": lambda m, a, b: m.law("f", vc.distance(a, b), vc.Spline([-9.0, -1.0, 2.0, 9.0], [-20.0, -3.0, 4.0, 30.0])),
    "actuator": lambda m, a, b: m.actuator("f", vc.angle(a, b), vc.Sine(2.0, 4.0, 0.3)),
    "force": lambda m, a, b: m.force("f", b, (1.0, "sin(t)", vc.Ramp(2.0))),
    "force in body axes": lambda m, a, b: m.force("f", b, (1.0, "sin(t)", 2.0), axes="body"),
    "torque": lambda m, a, b: m.torque("f", m.bodies["b"], (1.0, "sin(t)", 2.0)),
    "torque in body axes": lambda m, a, b: m.torque("f", m.bodies["b"], (1.0, "sin(t)", 2.0), axes="body"),
}


@pytest.mark.parametrize("moving", [False, True], ids=["frames at rest", "frames that move"])
@pytest.mark.parametrize("force", FORCES)
def test_every_force_is_that_of_the_kernel(force, moving, rng):
    model, a, b = two_bodies(rng, moving)
    FORCES[force](model, a, b)
    check(model, drawn(model))


@pytest.mark.slow
@pytest.mark.parametrize("force", FORCES)
def test_every_force_is_written_as_it_is(force, rng):
    model, a, b = two_bodies(rng, True)
    FORCES[force](model, a, b)
    check_written(model, drawn(model))


def test_formulas_are_written_as_they_are(rng):
    model, a, b = two_bodies(rng)
    x, y = vc.along("x", a, b), vc.along("y", a, b)
    model.hold("choice", vc.formula("if(x < y, x^2, min(x, y)) + abs(x) + max(x, 2)*sign(y) - step(x - t)", x=x, y=y))
    check_written(model, drawn(model))


def test_every_group_of_parts_is_known_or_refused():
    """A kind of part that is added later is refused by its name until it is written."""
    from vincolo.symbolic.parts import KNOWN

    model, other = vc.Model(), {"wheel": object()}
    ball = model.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0, 0, 1))
    model.prismatic("mast", model.ground, ball, at=(0, 0, 1), axis="z")
    model.range("meant", "mast.travel", at_most=1.0)  # only watched: it adds nothing
    written = vc.equations(model).text()
    adds = {"contact": lambda: model.contact("new", model.ground, ball, "plane"),
            "stop": lambda: model.stop("new", "mast.travel", at_least=-0.5),
            "friction": lambda: model.friction("new", "mast", 0.1)}
    assert set(model.groups()) == {*KNOWN, "event", *adds}, "write it, or see that it is refused well"
    for kind, add in adds.items():
        add()
        with pytest.raises(vc.ModelError, match=f"{kind} 'new': equations cannot be written"):
            vc.equations(model)
        model.remove("new")
    assert vc.equations(model).text() == written
    model.remove("meant")
    assert vc.equations(model).text() == written
    model.groups = lambda: {"tyre": other}
    with pytest.raises(vc.ModelError, match="tyre 'wheel': equations cannot be written"):
        vc.equations(model)


def test_laws_read_inputs_variables_and_states_as_symbols(rng):
    model, a, b = two_bodies(rng)
    model.input("steer", value=0.7)
    model.variable("gain", 3.0)
    model.state("filter", "(steer - filter)/0.2 + a.vx", start=0.4)
    model.law("f", vc.distance(a, b), "gain*d + filter*steer*dd")
    check(model, drawn(model))
    eqs = vc.equations(model, coordinates="twists")
    assert [str(x) for x in eqs.states] == ["filter"]
    v = sympy.Symbol("v_x_a", real=True)
    steer, own = (sympy.Symbol(name, real=True) for name in ("steer", "filter"))
    assert sympy.expand(eqs.states[own] - (5 * (steer - own) + v)) == 0
    assert "States beside the motion" in eqs.text()


def test_a_rotor_adds_its_inertia_to_the_coordinate(rng):
    model, state = tied("revolute", rng)
    model.rotor("J.angle", 0.02, ratio=9.0)
    state = vc.assemble(vc.compile(model), guess=None)
    found = vc.equations(model, coordinates="twists").at(state)
    K = np.block([[found.M, found.Psi_q.T], [found.Psi_q, np.zeros((5, 5))]])
    ours = np.linalg.solve(K, np.concatenate([found.Q, found.gamma]))[:12]
    near(ours, state.channels.observed["acceleration"][0][:2].ravel(), 100.0)


@pytest.mark.parametrize("angles", ["xyz", pytest.param("zxz", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", plans())
def test_joint_coordinates_are_the_kernel_s_equations_on_the_tree(name, angles, rng):
    """u = T u_tree, u' = T u_tree' + b: M, Q, rows and gamma of the tree are those of twists pulled back."""
    model = build(plans()[name])
    system = vc.compile(model)
    state = vc.assemble(system, guess=moved_state(system.drawn, rng, 0.1))
    eqs = vc.equations(model, coordinates="joint", angles=angles)
    found, exact, tree = eqs.at(state), state.equations(), eqs.mechanism.coordinates
    T, b = transformation(eqs, state)
    near(T @ [eqs.numbers(state)[x] for x in tree.u], exact.u, 10.0)
    near(T.T @ exact.M @ T, found.M, 10.0)
    near(T.T @ (exact.Q - exact.M @ b), found.Q, 100.0)
    cut = [k for k, row in enumerate(system.rows) if row.owner not in tree.held]
    held = [k for k, row in enumerate(system.rows) if row.owner in tree.held]
    near(exact.J[cut] @ T, found.Psi_q, 10.0)
    near(exact.gamma[cut] - exact.J[cut] @ b, found.gamma, 100.0)
    near(exact.J[held] @ T, np.zeros((len(held), len(tree.u))), 10.0)


def transformation(eqs, state):
    """T and b of all bodies, in world axes."""
    tree, numbers, along = eqs.mechanism.coordinates, eqs.numbers(state), eqs.mechanism.along_time
    T, b = np.zeros((6 * len(eqs.mechanism.numbers), len(tree.u))), []
    for body in range(len(eqs.mechanism.numbers)):
        r, A = tree.pose(body)
        R = body_motion(state, body)[1]
        w = sum((x * u for x, u in ((tree.vectors(body, 1)[k], tree.u[k]) for k in tree.columns(body))),
                np.array([eqs.mechanism.graph.zero] * 3))
        for k in tree.columns(body):
            slide = values([eqs.mechanism.direction(k)(x) for x in r], numbers)
            T[6 * body: 6 * body + 6, k] = [*slide, *(R @ values(list(tree.vectors(body, 1)[k]), numbers))]
        near(values(list(A.ravel()), numbers), R.ravel())
        b += [*values([along(along(x)) for x in r], numbers), *(R @ values([along(x) for x in w], numbers))]
    return T, np.array(b)
