"""Whatever stands in a number's place and is not one is refused, with the argument named; numbers of every kind are
taken as what they are. Over all joints, forces, shapes, functions, solvers and analyses."""

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
import sympy

import vincolo as vc
from function_samples import SAMPLES
from vincolo import solvers
from vincolo.formats.tree.mechanism import KINDS
from vincolo.model.functions import Function
from vincolo.model.transmissions import NEEDED

try:  # values with units are tested with pint itself
    import pint
except ImportError:
    pint = None
REGISTRY = None if pint is None else pint.get_application_registry()
#: values of the arguments of joints, by name
VALUES: dict[str, Any] = {
    "at": (0.3, 0.1, 0.2), "at2": (0.8, 0.1, 0.2), "axis": (0.0, 0.0, 1.0), "axis2": (1.0, 0.0, 0.0),
    "along": (1.0, 0.0, 0.0), "normal": (0.0, 1.0, 0.0), "axle": (1.0, 0.0, 0.0), "end": (0.9, 0.1, 0.2),
    "point": (0.9, 0.1, 0.2), "centre": (0.3, 0.6, 0.2), "length": 0.7, "pitch": 0.01, "ratio": 2.0, "radius": 0.5,
    "radius2": 0.25, "pressure_angle": 0.3, "roller": 0.02, "angle": 1.5, "profile": 0.5, "y": 0.1, "z": 0.1}
OPTIONAL = ("length", "angle", "pressure_angle", "roller", "along")  # None leaves them to the program
#: how messages call arguments that have another word there
CALLED = {"at": ("at", "point"), "at2": ("at2", "point"), "components": ("component",), "given": ("O.angle",),
          "outputs": ("outputs", "time"), "values": ("value",), "function": ("function", "drive", "hold"),
          "parameters": ("q is",), "x": ("x", "breaks"), "axis": ("axis", "direction"),
          "wish": ("O.angle",), "gravity": ("gravity",), "vectors": ("vector",)}
SHAPE_OPTIONS = ("density", "mass", "area", "thickness")
SHAPES: dict[str, dict[str, Any]] = {
    "point_mass": {"mass": 2.0}, "box": {"size": (0.1, 0.2, 0.3), "mass": 2.0},
    "ellipsoid": {"radii": (0.1, 0.2, 0.3), "density": 2.0}, "sphere": {"radius": 0.1, "mass": 2.0},
    "cylinder": {"radius": 0.1, "length": 0.2, "axis": (0.0, 0.0, 1.0), "density": 2.0},
    "tube": {"radius": 0.1, "inner_radius": 0.05, "length": 0.2, "mass": 1.0},
    "frustum": {"radius": 0.1, "top_radius": 0.05, "height": 0.2, "mass": 1.0},
    "cone": {"radius": 0.1, "height": 0.2, "mass": 1.0}, "rod": {"length": 0.2, "density": 2.0, "area": 0.01},
    "plate": {"size": (0.1, 0.2), "density": 2.0, "thickness": 0.01},
    "extrusion": {"profile": [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], "length": 0.3, "mass": 1.0},
    "link": {"points": [(0.0, 0.0, 0.0), (0.4, 0.0, 0.3)], "radius": 0.01, "mass": 1.0}}


class Call(NamedTuple):
    """A call with numbers: what is called, and its arguments that are numbers or vectors."""

    title: str
    make: Callable[..., Any]
    numbers: dict[str, Any]
    optional: tuple[str, ...] = ()  # None leaves them open


def pendulum() -> tuple[vc.Model, vc.Body]:
    m = vc.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    arm = m.body("arm", 2.0, 0.1, at=(0.3, 0.0, 0.0))
    m.revolute("O", m.ground, arm, at=(0.0, 0.0, 0.0), axis="z")
    m.spring("s", "O.angle", k=1.0, length=0.2)
    m.force("w", arm, (0.0, -1.0, 0.0))
    m.frame("tip", arm, (0.6, 0.0, 0.0))
    return m, arm


def joint_calls() -> Iterator[Call]:
    for kind in KINDS:
        parameters = inspect.signature(getattr(vc.Model, kind)).parameters
        numbers = {name: VALUES[name] for name in parameters if name in VALUES}
        if kind == "elbow":
            numbers["axis2"], numbers["angle"] = (0.0, 1.0, 1.0), 0.7

        def make(kind: str = kind, **given: Any) -> Any:
            m = vc.Model("one joint")
            body = m.body("b", 1.0, 1.0, at=(0.5, 0.4, 0.3))
            a, b = (m.ground, body) if kind != "distance" else (m.ground.frame((0, 0, 0)), body.frame((1, 0, 0)))
            return getattr(m, kind)("j", a, b, **given)

        yield Call(kind, make, numbers, tuple(name for name in OPTIONAL if name not in NEEDED.get(kind, ())))


def model_calls() -> Iterator[Call]:
    def on(method: str, **fixed: Any) -> Callable[..., Any]:
        return lambda **given: getattr(pendulum()[0], method)(**fixed, **given)

    three = (0.1, 0.2, 0.3)
    yield Call("Model", lambda **given: vc.Model("m", **given), {"gravity": three})
    yield Call("body", on("body", name="b"), {"mass": 1.0, "inertia": 0.1, "at": three, "com": three, "velocity": three,
                                              "angular_velocity": three}, ("inertia", "com"))
    yield Call("body, three moments", on("body", name="b", mass=1.0), {"inertia": (0.1, 0.1, 0.1)}, ("inertia",))
    yield Call("frame", on("frame", name="f", body="arm"), {"at": three, "z": (0.0, 0.0, 1.0), "x": (1.0, 0.0, 0.0)},
               ("at", "z", "x"))
    yield Call("local frame", on("frame", name="f", body="arm"), {"local": three}, ("local",))
    yield Call("stop", on("stop", name="f", target="O.angle"),
               {"at_least": -1.0, "at_most": 1.5, "restitution": 0.5, "rest": 1e-6}, ("at_least", "at_most"))
    yield Call("friction", on("friction", name="f", on="O"),
               {"mu": 0.1, "mu_static": 0.2, "stribeck": 0.1, "viscous": 0.1, "radius": 0.01, "length": 0.1,
                "end_radius": 0.1, "regularised": 0.1, "rest": 1e-9}, ("mu_static",))
    yield Call("spring", on("spring", name="f", a="O.angle"), {"k": 1.0, "c": 1.0, "length": 1.0, "preload": 1.0},
               ("length",))
    yield Call("law", on("law", name="f", target="O.angle"), {"force": 1.0})
    yield Call("law with a constant", on("law", name="f", target="O.angle", force="q*d"), {"q": 1.0})
    yield Call("actuator", on("actuator", name="f", target="O.angle"), {"force": 1.0})
    yield Call("force", on("force", name="f", where="arm"), {"components": three})
    yield Call("torque", on("torque", name="f", where="arm"), {"components": three})
    yield Call("switch", on("switch", owner="O", on=False), {"at": 1.0}, ("at",))
    yield Call("add", lambda **given: vc.Model("n").add("sub", pendulum()[0], **given), {"at": three})
    yield Call("look", on("look", body="arm", kind="box"), {"at": three, "size": three})
    yield Call("formula", lambda **given: vc.formula("q*x", x=pendulum()[0].joints["O"]["angle"], **given), {"q": 1.0})
    yield Call("along_world", lambda axis: vc.along_world(axis, vc.Model().ground.frame((0, 0, 0)),
                                                          pendulum()[1].frame((1, 0, 0))), {"axis": three})
    yield Call("Rotation.axis_angle", vc.Rotation.axis_angle, {"axis": three, "angle": 0.3})
    yield Call("Rotation.apply", vc.Rotation.axis_angle("z", 0.3).apply, {"vectors": three})
    yield Call("MassProperties.given", vc.MassProperties.given, {"mass": 1.0, "com": three, "inertia": 0.1})


def analysis_calls() -> Iterator[Call]:
    m, _ = pendulum()
    system = vc.compile(m)
    yield Call("simulate", lambda **given: vc.simulate(system, **given), {"until": 0.01})
    yield Call("simulate, times", lambda **given: vc.simulate(system, 0.2, **given), {"outputs": [0.1, 0.2]})
    yield Call("assemble", lambda **given: vc.assemble(system, **given), {"t": 0.1})
    yield Call("assemble, given", lambda given: vc.assemble(system, {"O.angle": given}), {"given": 0.3})
    yield Call("assemble, wishes", lambda given: vc.assemble(system, wishes={"O.angle": given}), {"given": 0.3})
    yield Call("statics", lambda **given: vc.statics(system, **given), {"t": 0.1}, ("t",))
    yield Call("drag", lambda **given: vc.drag(vc.assemble(system), "tip", **given), {"target": (0.1, 0.2, 0.0)})
    yield Call("branches", lambda **given: vc.branches(system, {"O.angle": 0.1}, count=1, tries=1, **given), {"t": 0.1})
    yield Call("motion_range", lambda **given: vc.motion_range(m, "O.angle", **given), {"limit": 0.1})
    yield Call("load_sweep", lambda values: vc.load_sweep(m, "w", [0.9, values]), {"values": 0.3})
    yield Call("spring_for", lambda wish: vc.spring_for(m, "s", {"O.angle": wish}), {"wish": 0.3})
    yield Call("sensitivities", lambda **given: vc.sensitivities(lambda q: 2 * q, {"q": 1.0}, workers=1, **given),
               {"step": 1e-4})
    yield Call("sensitivities of", lambda parameters: vc.sensitivities(lambda q: 2 * q, {"q": parameters}, workers=1),
               {"parameters": 1.0})


def dataclass_calls() -> Iterator[Call]:
    """Functions of time, and solvers: every field that is a number."""
    names = [name for name in solvers.__all__ if is_dataclass(getattr(solvers, name))]
    samples = [f for own in SAMPLES.values() for f in (own if isinstance(own, list | tuple) else [own])]
    for sample in [*(_solver(name) for name in names), *samples]:
        if sample is None or not is_dataclass(sample) or type(sample).__name__ in ("Traced", "Expression", "Combined",
                                                                                  "Recorded"):
            continue
        own = {f.name: getattr(sample, f.name) for f in fields(sample) if f.init}
        plain = {name: value for name, value in own.items() if _is_number(value)}
        if plain:
            optional = tuple(f.name for f in fields(sample) if f.default is None)
            yield Call(type(sample).__name__, lambda sample=sample, **given: replace(sample, **given), plain, optional)


def _solver(name: str) -> Any:
    kind = getattr(solvers, name)
    for options in ({}, {"step": 0.1}):
        try:
            return kind(**options)
        except (TypeError, vc.ModelError):
            continue
    return None


def _is_number(value: Any) -> bool:
    many = isinstance(value, tuple) and value and all(isinstance(v, int | float) for v in value)
    return many or (isinstance(value, int | float) and not isinstance(value, bool))


def calls() -> list[Call]:
    shapes = [Call(name, getattr(vc, name), numbers, (*SHAPE_OPTIONS, *(["radius"] if name == "link" else [])))
              for name, numbers in SHAPES.items()]
    found = [*joint_calls(), *model_calls(), *shapes, *dataclass_calls(), *analysis_calls()]
    return list({(c.title, tuple(c.numbers)): c for c in found if c.numbers}.values())


def wrong_values(value: Any) -> list[Any]:
    """What is not a number, or not three of them."""
    with_units = [] if REGISTRY is None else [0.3 * REGISTRY.candela]  # which nothing here is measured in
    bad = [object(), lambda t: t, float("nan"), math.inf, True, {}, 1j, *with_units]
    if isinstance(value, int | float):
        return [*bad, [1.0, 2.0], "1.5 mm", np.array([1.0, 2.0])]
    spread = [[*value[:-1], wrong] for wrong in (None, "0.3", math.nan, *with_units)]
    if isinstance(value[0], tuple):
        return [*bad, None, *spread]
    arrays = [] if REGISTRY is None else [np.array(value) * REGISTRY.candela]
    return [*bad, "0.1, 0.2, 0.3", [str(v) for v in value], *spread, *arrays]


CASES = calls()


@pytest.mark.parametrize("call", CASES, ids=[c.title for c in CASES])
def test_what_is_not_a_number_is_refused_and_the_argument_named(call):
    call.make(**call.numbers)  # as it should be
    wrong = []
    for name, value in call.numbers.items():
        options = wrong_values(value) + ([] if name in call.optional else [None])
        for bad in options:
            if allowed(call, name, bad):
                continue
            try:
                call.make(**{**call.numbers, name: bad})
                wrong.append(f"{name} = {bad!r} is taken")
            except vc.VincoloError as error:
                if not any(word in str(error) for word in CALLED.get(name, (name,))):
                    wrong.append(f"{name} = {bad!r} is not named: {error}")
            except Exception as error:  # noqa: BLE001
                wrong.append(f"{name} = {bad!r}: {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong)


def allowed(call: Call, name: str, bad: Any) -> bool:
    """What is a value there after all: texts are functions of time or directions, a Python function is traced."""
    functional = name in ("profile", "y", "z", "force", "components") or isinstance(call.numbers[name], Function)
    if functional and (isinstance(bad, str) or callable(bad)) and not isinstance(bad, type):
        return True
    if functional and isinstance(bad, list) and any(isinstance(v, str) for v in bad):
        return True
    return call.title == "assemble, wishes" and isinstance(bad, list)  # a value with its weight


NUMBERS = [Fraction(1, 4), Decimal("0.25"), np.float32(0.25), np.array(0.25), sympy.Rational(1, 4), sympy.Float(0.25),
           np.float64(0.25)]


@pytest.mark.parametrize("number", NUMBERS, ids=[type(n).__name__ + str(k) for k, n in enumerate(NUMBERS)])
def test_numbers_of_every_kind_are_what_they_are(number):
    m, _ = pendulum()
    body = m.body("b", number, number, at=[number, 0, 0])
    assert (body.mass, body.inertia[1, 1], body.at[0]) == (0.25, 0.25, 0.25)
    assert m.spring("s2", "O.angle", k=number).k == 0.25
    assert vc.box((number, 1, 1), mass=1).inertia[0, 0] == vc.box((0.25, 1, 1), mass=1).inertia[0, 0]
    assert vc.Sine(number, 1.0)(0.3) == vc.Sine(0.25, 1.0)(0.3)
    assert vc.assemble(m, {"O.angle": number})["O.angle"] == pytest.approx(0.25, abs=1e-12)


@pytest.mark.skipif(pint is None, reason="needs pint")
def test_quantities_are_taken_where_their_unit_is_known_and_refused_elsewhere():
    m, _ = pendulum()
    u = REGISTRY
    body = m.body("b", u("2000 g"), u("30 kg*cm**2"), at=[10, 0, 0] * u.mm, velocity=[u("36 km/h"), 0, 0])
    assert (body.mass, body.at[0], body.velocity[0]) == pytest.approx((2.0, 0.01, 10.0))
    assert body.inertia[0, 0] == pytest.approx(3e-3)
    spring = m.spring("s2", "O.angle", k=u("1 N*m/deg"), c=u("2 N*mm*s/rad"), length=u("30 deg"))
    assert (spring.k, spring.c, spring.length) == pytest.approx((180 / np.pi, 2e-3, np.pi / 6))
    with pytest.raises(vc.ModelError, match="body 'c': mass is 2 meter, which cannot be told in kg"):
        m.body("c", u("2 m"))
    with pytest.raises(vc.ModelError, match=r"spring 's3': k is .*cannot be told in N\*m/\(rad\)"):
        m.spring("s3", "O.angle", k=u("2 N/mm"))
    with pytest.raises(vc.ModelError, match=r"a quantity with a unit(.|\n)*magnitude"):
        m.law("l", "O.angle", "k*d", k=u("2 N"))  # what a number in a text measures is not known
