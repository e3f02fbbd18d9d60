"""Units of channels: the same mechanism built larger, heavier and slower gives each channel scaled by its unit."""

import re
from functools import cache

import numpy as np
import pytest

import vincolo as vc

#: powers of length, mass and time in each unit
POWERS = {"m": (1, 0, 0), "s": (0, 0, 1), "rad": (0, 0, 0), "1": (0, 0, 0), "N": (1, 1, -2), "W": (2, 1, -3),
          "J": (2, 1, -2)}


#: formulas, and the units that are found for them
FORMULAS = {"hypotenuse": "sqrt(x^2 + y^2)", "tilt": "asin(s)", "course": "atan2(y, x)", "area": "-x*y/2",
            "share": "y/(2*x)", "chosen": "if(y > 0, x, 3*y)", "largest": "max(abs(y), x)", "bend": "cos(s)^2/x",
            "millimetres": "1000*x", "degrees": "asin(s)*180/pi", "odd": "x + s", "scaled": "exp(x)", "root": "sqrt(x)"}
FOUND = {"hypotenuse": "m", "tilt": "rad", "course": "rad", "area": "m^2", "share": "1", "chosen": "m", "largest": "m"}


@cache
def run(length=1.0, mass=1.0, time=1.0):
    """A driven crank that carries an arm, with every kind of measure, force and drive, in other scales."""
    L, M, T = length, mass, time
    m = vc.Model("scaled", gravity=(0, 0, -9.81 * L / T**2))
    crank = m.body("crank", 2 * M, np.multiply((0.1, 0.2, 0.2), M * L**2), at=(0.5 * L, 0, 0))
    arm = m.body("arm", 1 * M, np.multiply((0.05, 0.1, 0.1), M * L**2), at=(1.5 * L, 0, 0))
    slider = m.body("slider", 1 * M, 0.1 * M * L**2, at=(0, L, 0))
    m.revolute("O", m.ground, crank, at=(0, 0, 0), axis="y")
    m.universal("A", crank, arm, at=(L, 0, 0), axis="y", axis2="z")
    m.prismatic("S", m.ground, slider, at=(0, L, 0), axis="y")
    m.frame("tip", arm, (2 * L, 0, 0))
    base, tip = m.ground.frame((0, 0, L)), arm.frame((2 * L, 0, 0.1 * L))
    m.measure("lean", vc.cosine("x", "z", base, tip))
    m.measure("bearing", vc.azimuth(base, tip))
    m.measure("height", vc.along_world("z", base, tip))
    m.measure("both", 2 * m.joints["A"]["angle1"] - m.joints["A"]["angle2"])
    m.measure("mixed", vc.distance(base, tip) + L * m.joints["A"]["angle1"])
    m.measure("rule", vc.formula("x*k", x=vc.distance(base, tip), k=2.0))
    away = {"x": vc.distance(base, tip), "y": vc.along("y", base, tip), "s": vc.cosine("x", "z", base, tip)}
    for title, text in FORMULAS.items():
        m.measure(title, vc.formula(text, **{n: away[n] for n in re.findall(r"\b[xys]\b", text)}))
    m.spring("strut", base, tip, k=5 * M / T**2, c=0.1 * M / T)
    m.spring("coil", "A.angle1", k=0.5 * M * L**2 / T**2)
    m.spring("blend", m.measures["mixed"], k=0.3 * M / T**2)
    m.law("brake", "A.angle2", "c*dd", c=0.1 * M * L**2 / T)
    m.law("sweep", m.measures["lean"], "k*d", k=0.2 * M * L**2 / T**2)
    m.actuator("push", "S.travel", 0.7 * M * L / T**2)
    m.torque("twist", arm, (0, 0, 0.1 * M * L**2 / T**2))
    m.drive("O.angle", f"0.5*sin(3*t/{T!r})")
    m.hold("tie", vc.formula("x - y", x=m.joints["S"]["travel"], y=vc.along("y", m.ground.frame((0, 0, 0)), tip)))
    return vc.simulate(m, 0.5 * T, outputs=20, integrator=vc.RK4(step=0.005 * T))


def powers(unit):
    """Powers of length, mass and time in a text such as "N m" or "rad/s^2"."""
    over, _, under = unit.partition("/")
    total = np.zeros(3, dtype=int)
    for text, sign in ((over, 1), (under, -1)):
        for name, power in re.findall(r"([A-Za-z1]+)(?:\^(\d))?", text):
            total += sign * int(power or 1) * np.array(POWERS[name])
    return total


@pytest.mark.parametrize("scale", [(2.0, 1.0, 1.0), (1.0, 4.0, 1.0), (1.0, 1.0, 0.5), (2.0, 4.0, 0.5)])
def test_channels_scale_as_their_units_say(scale):
    one, other = run(), run(*scale)
    for name in one.keys():  # noqa: SIM118 - a result is no dictionary
        if not one.unit(name):
            continue
        factor = np.prod(np.power(scale, powers(one.unit(name)), dtype=float))
        size = max(1e-3, np.abs(one[name]).max())  # both are exact to round-off and to the tolerance of projection
        assert other[name] / factor == pytest.approx(one[name], abs=1e-6 * size), name


def test_sums_of_different_kinds_and_formulas_that_may_convert_have_no_unit():
    r = run()
    plain = {name for name in r.keys() if not r.unit(name)}  # noqa: SIM118
    unknown = ("mixed", *(FORMULAS.keys() - FOUND.keys()))
    ends = {name + end for name in unknown for end in ("", ".rate", ".acceleration")}
    assert plain == ends | {"blend.length", "blend.rate", "blend.acceleration", "blend.force", "residual.position",
                            "residual.velocity"}


@pytest.mark.parametrize(("name", "unit"), FOUND.items())
def test_units_of_formulas_are_found_from_their_operations(name, unit):
    assert run().unit(name) == unit


@pytest.mark.parametrize(("name", "unit"), [
    ("t", "s"), ("crank.x", "m"), ("tip.vy", "m/s"), ("arm.az", "m/s^2"), ("arm.wx", "rad/s"),
    ("arm.alpha_x", "rad/s^2"), ("arm.e0", "1"), ("O.angle", "rad"), ("O.angle.rate", "rad/s"), ("S.travel", "m"),
    ("S.travel.acceleration", "m/s^2"), ("strut.length", "m"), ("strut.force", "N"), ("coil.length", "rad"),
    ("coil.force", "N m"), ("brake.value", "rad"), ("brake.force", "N m"), ("sweep.value", "1"), ("sweep.rate", "1/s"),
    ("sweep.force", "N m"), ("push.force", "N"), ("O.angle.drive.force", "N m"), ("O.angle.drive.power", "W"),
    ("twist.power", "W"), ("lean", "1"), ("bearing", "rad"), ("height", "m"), ("both", "rad"), ("energy.work", "J"),
    ("O.reaction.force", "N"), ("O.reaction.torque.y", "N m")])
def test_units_by_name(name, unit):
    assert run().unit(name) == unit


def test_reactions_are_channels():
    r = run()
    for joint in ("O", "A", "S"):
        reaction = r.reaction(joint)
        for field in ("force", "torque"):
            vectors = getattr(reaction, field)
            for k, axis in enumerate("xyz"):
                assert np.array_equal(r[f"{joint}.reaction.{field}.{axis}"], vectors[:, k])
            assert r[f"{joint}.reaction.{field}"] == pytest.approx(np.sqrt((vectors**2).sum(axis=1)), rel=1e-14)
    assert r.state(3)["O.reaction.force"] == pytest.approx(r["O.reaction.force"][3], rel=1e-9)


def test_a_weight_at_rest_weighs_on_its_joint():
    m = vc.Model(gravity=(0, 0, -9.81))
    m.fixed("wall", m.ground, m.body("beam", 3.0, 1.0, at=(0.5, 0, 0)), at=(0, 0, 0))
    r = vc.simulate(m, 0.1, outputs=2)
    assert r["wall.reaction.force.z"] == pytest.approx(np.full(3, 3 * 9.81))  # holds the beam up
    assert r["wall.reaction.torque.y"] == pytest.approx(np.full(3, -3 * 9.81 * 0.5))  # lifts its far end
    assert r["wall.reaction.torque"] == pytest.approx(np.full(3, 3 * 9.81 * 0.5))


def test_a_drive_called_like_a_reaction_keeps_its_channel():
    m = vc.Model()
    m.revolute("O", m.ground, m.body("wheel", 1, 1), at=(0, 0, 0), axis="z")
    m.drive("O.angle", "t^2", name="O.reaction")
    r = vc.simulate(m, 0.1, outputs=2)
    assert r["O.reaction.force"] == pytest.approx(np.full(3, 2.0)) and r.unit("O.reaction.force") == "N m"
    assert len(set(r.keys())) == len(r.keys())
