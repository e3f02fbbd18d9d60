"""Oil films against the published integrals, quadrature of the pressure, and the whirl of a rotor (Vita 2005)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vincolo as vc
from vincolo.model.expression import FLOATS, run
from vincolo.model.journal_bearing import Film

#: bearing of Vita's rotor
OIL = {"radius": 0.02, "length": 0.02, "clearance": 3e-4, "viscosity": 0.0242}


@pytest.mark.parametrize(("n", "force"), [(0.3, (-0.467576, 1.167729)), (0.634, (-4.83510, 4.63204))])
def test_a_steady_film_carries_what_the_literature_has(n, force):
    assert Film(**OIL).whole(n * 3e-4, 0.0, 0.0, 0.0, 100.0) == pytest.approx(force, rel=2e-6)


@pytest.mark.parametrize("n", [1e-6, 0.1, 0.5, 0.9, 0.98])
def test_a_steady_film_is_that_of_the_short_bearing(n):
    """W_t = k pi/4 n / (1 - n^2)^(3/2), W_r = k n^2 / (1 - n^2)^2 with k = mu w r B^3 / c^2."""
    k = 0.0242 * 100 * 0.02 * 0.02**3 / 3e-4**2
    found = Film(**OIL).whole(n * 3e-4, 0.0, 0.0, 0.0, 100.0)
    wanted = -k * n**2 / (1 - n**2)**2, k * math.pi / 4 * n / (1 - n**2)**1.5
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-15)


def pressure_forces(ends, rates, w, stations=400, around=4000):
    """Forces along the displacements of both ends, by brute force: x0, y0, x1, y1."""
    r, B, c, mu = (OIL[key] for key in ("radius", "length", "clearance", "viscosity"))
    z = (np.arange(stations) + 0.5) / stations
    th = 2 * np.pi * (np.arange(around) + 0.5) / around
    x, y, vx, vy = (np.outer(1 - z, np.ones(around)) * a + np.outer(z, np.ones(around)) * b
                    for a, b in ((ends[0], ends[2]), (ends[1], ends[3]), (rates[0], rates[2]), (rates[1], rates[3])))
    h = c - x * np.cos(th) - y * np.sin(th)
    bracket = w * (x * np.sin(th) - y * np.cos(th)) - 2 * (vx * np.cos(th) + vy * np.sin(th))
    p = np.maximum(3 * mu * B**2 * (z * (z - 1))[:, None] / h**3 * bracket, 0)
    cell = r * 2 * np.pi / around * B / stations
    push = [-(p * f(th)).sum(axis=1) * cell for f in (np.cos, np.sin)]
    return [float((push[k] * share).sum()) for share in (1 - z, z) for k in (0, 1)]


def test_a_tilted_and_squeezed_film_is_the_integral_of_its_pressure():
    ends, rates = (1e-4, -0.5e-4, -0.4e-4, 1.2e-4), (0.003, 0.01, -0.004, 0.002)
    m = vc.Model(gravity=(0, 0, 0))
    spin = 80.0
    body = m.body("j", 1.0, 0.1)
    m.journal_bearing("A", m.ground.frame((0, 0, 0)), body.frame((0, 0, 0)), **OIL)
    read = dict(zip(("x0", "y0", "x1", "y1"), ends, strict=True))
    read |= dict(zip(("x0_rate", "y0_rate", "x1_rate", "y1_rate"), rates, strict=True))
    read |= {"turn": 0.0, "turn_rate": spin}
    wanted = dict(zip(("x0", "y0", "x1", "y1"), pressure_forces(ends, rates, spin), strict=True))
    for key, force in wanted.items():
        law = m.laws[f"A.{key}"]
        own = {**read, "d": read[key], "dd": read[f"{key}_rate"]}
        found = run(law.formula, 0.0, [own[name] for name in law.formula.inputs], FLOATS)
        assert found == pytest.approx(force, rel=2e-4)


@pytest.mark.parametrize(("load", "speed", "torque"), [(10, 100, 0.015488), (100, 100, 0.0264), (1000, 100, 0.08348413),
                                                       (100, 10, 0.008348413)])
def test_friction_is_that_of_the_published_table(load, speed, torque):
    assert Film(**OIL).friction(load, speed, 3e-4 / 0.04) == pytest.approx(torque, rel=1e-7)


def rotor(tilt: bool) -> vc.Model:
    """An unbalanced rotor on two bearings, driven at 100 rad/s, from the circle of an ideal rotor. Its published moment
    of inertia about the axis, 0.3 kg m2, is more than the sum of the other two, 0.01 each; a flywheel in it that
    spins faster has the same angular momentum."""
    m = vc.Model("rotor", gravity=(0, 0, 0))
    e, w = 0.001, 100.0
    fast = (0.3 * w - 0.002 * w) / 0.018
    body = m.body("rotor", 0.1, [0.001, 0.001, 0.002], at=(e, 0, 0), velocity=(0, e * w, 0), angular_velocity=(0, 0, w))
    wheel = m.body("wheel", 0.9, [0.009, 0.009, 0.018], at=(e, 0, 0), velocity=(0, e * w, 0),
                   angular_velocity=(0, 0, fast))
    m.revolute("spindle", body, wheel, at=(e, 0, 0), axis="z")
    for name, z in (("A", 0.2), ("B", -0.1)):
        m.journal_bearing(name, m.ground.frame((0, 0, z)), body.frame((0, 0, z)), **OIL, tilt=tilt, friction=False)
    ground, axis = m.ground.frame((0, 0, 0)), body.frame((0, 0, 0))
    m.hold("thrust", vc.along("z", ground, axis))
    m.drive(vc.angle(ground, axis), "100*t", name="motor")
    return m


def test_an_unbalanced_rotor_whirls_on_its_films():
    """Radii of the centre of mass, 1.12025 mm, and of the bearings' centres, 0.5680 and 0.6321 of the clearance."""
    result = vc.simulate(rotor(tilt=False), 0.6, outputs=[0.0, 0.5, 0.55, 0.6])
    assert 1e3 * np.hypot(result["rotor.x"], result["rotor.y"])[1:] == pytest.approx([1.12025] * 3, rel=2e-5)
    for name, share in (("A", 0.5680), ("B", 0.6321)):
        radii = np.hypot(result[f"{name}.x.value"], result[f"{name}.y.value"])[1:]
        assert radii / OIL["clearance"] == pytest.approx([share] * 3, rel=2e-4)


def test_a_crank_with_a_film_in_its_pin_becomes_periodic():
    """The slider-crank of Vita (2005), Table 4.1, at 1000 rad/s: the eccentricity repeats with every turn."""
    turns, turn = 14, 2 * math.pi / 1000
    result = vc.simulate(slider_crank(1000.0), turns * turn, outputs=turns * 40,
                         integrator=vc.Auto(rtol=1e-9, atol=1e-12))
    assert result.complete, result.reason
    x, y = (result[f"pin.{axis}.value"][1:].reshape(turns, 40) / 0.254e-4 for axis in "xy")
    assert np.hypot(x, y).max() < 0.3
    assert np.abs(x[-1] - x[-2]).max() < 1e-6 and np.abs(y[-1] - y[-2]).max() < 1e-6
    assert np.ptp(x[-1]) > 0.05


def slider_crank(speed: float) -> vc.Model:
    m = vc.Model("crank with a film")
    crank = m.body("crank", 0.2, [1e-5, 1e-5, 0.15e-4], at=(0.015, 0, 0))
    rod = m.body("rod", 0.4, [1e-5, 4e-4, 4.03e-4], at=(0.085, 0, 0), velocity=(0, 0.015 * speed, 0),
                 angular_velocity=(0, 0, -0.03 / 0.11 * speed))
    m.revolute("main", m.ground, crank, at=(0, 0, 0), axis="z")
    m.journal_bearing("pin", crank.frame((0.03, 0, 0)), rod.frame((0.03, 0, 0)), radius=0.025, length=0.04,
                      clearance=0.254e-4, viscosity=0.0242, tilt=False)
    m.hold("plane", vc.along("z", m.ground.frame((0, 0, 0)), rod.frame((0.085, 0, 0))))
    m.parallel("flat", m.ground, rod, axis="z")
    m.hold("slide", vc.along("y", m.ground.frame((0, 0, 0)), rod.frame((0.14, 0, 0))))
    m.drive("main.angle", f"{speed}*t")
    return m


@pytest.mark.parametrize(("wrong", "phrase"), [({"clearance": 0.03}, "not small"), ({"viscosity": -1.0}, "positive"),
                                               ({"length": math.nan}, "nan"), ({"psi": 0.0}, "positive")])
def test_wrong_bearings_are_named(wrong, phrase):
    m = vc.Model()
    body = m.body("j", 1.0, 0.1)
    with pytest.raises(vc.ModelError, match=phrase):
        m.journal_bearing("A", m.ground.frame((0, 0, 0)), body.frame((0, 0, 0)), **{**OIL, **wrong})
    assert not m.laws
