"""Models with inertias and no mass at all, and driven ones with neither, against closed forms and models with mass."""

import numpy as np
import pytest

import vincolo as vc
from balance import imbalances
from formulations import EVERY

INERTIAS, STIFF = (2.0, 0.5, 1.0), (100.0, 50.0)
J = np.diag(INERTIAS)
K = np.array([[100.0, -100.0, 0.0], [-100.0, 150.0, -50.0], [0.0, -50.0, 50.0]])
TIGHT = vc.DOP853(rtol=1e-11, atol=1e-13)


def train(mass=0.0, scale=1.0, size=1.0):
    """Rotors on one line, with springs that twist between them; scale of inertias and stiffnesses, size of lengths."""
    m = vc.Model("torsional train")
    for k, inertia in enumerate(INERTIAS):
        rotor = m.body(f"rotor{k}", mass, scale * inertia, at=(size * k, 0, 0))
        m.revolute(f"bearing{k}", m.ground, rotor, at=(size * k, 0, 0), axis="x")
    for k, stiff in enumerate(STIFF):
        twist = m.joints[f"bearing{k + 1}"]["angle"] - m.joints[f"bearing{k}"]["angle"]
        m.spring(f"shaft{k}", twist, k=scale * stiff, length=0)
    return m


def modes():
    squares, V = np.linalg.eig(np.linalg.solve(J, K))
    return np.sqrt(np.abs(squares)), V


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e6])
@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0])
def test_a_torsional_train_swings_in_its_modes(scale, size):
    # J q'' + K q = 0 from q(0): each mode by its own cosine
    start = vc.assemble(train(scale=scale, size=size), given={"bearing0.angle": 0.3})
    result = vc.simulate(start.system, until=2.0, start=start, outputs=20, integrator=TIGHT)
    rates, V = modes()
    share = np.linalg.solve(V, [0.3, 0.0, 0.0])
    wanted = (V * share) @ np.cos(np.outer(rates, result.t))
    for k in range(3):
        assert result[f"bearing{k}.angle"] == pytest.approx(wanted[k], abs=1e-8)
    assert np.abs(result["energy.balance"]).max() < 1e-8 * result["energy.total"][0]
    assert max(max(found) for found in imbalances(result, range(0, 21, 5))) < 1e-9


def test_modes_and_reactions_are_those_of_the_train_with_mass():
    found = []
    for mass in (0.0, 1.0):
        start = vc.assemble(train(mass), given={"bearing0.angle": 0.3})
        result = vc.simulate(start.system, until=0.5, start=start, outputs=5, integrator=TIGHT)
        found.append((np.sort(np.abs(vc.linearize(start).eigenvalues.imag)), result["shaft1.force"],
                      result.reaction("bearing1").force[:, 2]))
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-9)
    assert found[0][0][1:] == pytest.approx(np.sort(modes()[0])[1:], abs=1e-6)
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-9)
    assert found[0][2] == pytest.approx(0.0, abs=1e-12)  # nothing has weight
    assert found[1][2] == pytest.approx(9.80665, abs=1e-9)


@pytest.mark.parametrize("name", EVERY)
def test_every_formulation_turns_the_train_or_says_what_it_lacks(name):
    state = vc.assemble(train(), given={"bearing0.angle": 0.3})
    if "Udwadia" in name:
        with pytest.raises(vc.VincoloError, match="'rotor0'|a body\nwithout inertia"):
            state.solve(EVERY[name])
        return
    wanted = -np.linalg.solve(J, K @ [0.3, 0.0, 0.0])
    assert state.solve(EVERY[name]).acceleration[:, 3] == pytest.approx(wanted, abs=1e-7 * np.abs(wanted).max())


def test_an_eccentric_inertia_has_no_mass_to_swing_out():
    # hinged 0.4 m beside its centre: J q'' = M, without the m r^2 of a mass
    m = vc.Model("eccentric")
    disc = m.body("disc", 0, 0.2, at=(0.4, 0, 0))
    m.revolute("O", m.ground, disc, at=(0, 0, 0), axis="y")
    m.torque("push", disc, (0, 0.3, 0))
    result = vc.simulate(m, until=2.0, outputs=10)
    assert result["O.angle"] == pytest.approx(0.3 / 0.2 * result.t**2 / 2, abs=1e-8)


def four_bar(mass=0.0, inertia=0.0):
    m = vc.Model("four-bar linkage")
    crank, coupler, rocker = (m.body(name, mass, inertia, at=at) for name, at in (
        ("crank", (0, 0, 0.1)), ("coupler", (0.3, 0, 0.25)), ("rocker", (0.6, 0, 0.15))))
    m.revolute("A", m.ground, crank, at=(0, 0, 0), axis="y")
    m.revolute("B", crank, coupler, at=(0, 0, 0.2), axis="y")
    m.revolute("C", coupler, rocker, at=(0.6, 0, 0.3), axis="y")
    m.revolute("D", m.ground, rocker, at=(0.6, 0, 0), axis="y")
    return m


@pytest.mark.parametrize("analysis", [vc.kinematics, vc.simulate])
def test_a_driven_linkage_without_mass_moves_as_one_with_mass_and_needs_no_force(analysis):
    heavy, light = four_bar(1.0, 0.1), four_bar()
    for m in (heavy, light):
        m.drive("A.angle", "5*t")
    a, b = (analysis(m, until=1.0, outputs=20) for m in (heavy, light))
    for name in ("B.angle", "D.angle"):
        assert b[name] == pytest.approx(a[name], abs=1e-10)
    assert np.abs(b.reaction("B").force).max() < 1e-12 < np.abs(a.reaction("B").force).max()


def test_drives_of_a_linkage_without_mass_carry_its_loads():
    # virtual work: the torque of the drive against a load on the rocker is M dD/dA
    m = four_bar()
    m.drive("A.angle", "0.5*t", name="motor")
    m.torque("load", m.bodies["rocker"], (0, 2.0, 0))
    result = vc.kinematics(m, until=1.0, outputs=10)
    ratio = result["D.angle.rate"] / result["A.angle.rate"]
    assert result["motor.force"] == pytest.approx(-2.0 * ratio, abs=1e-9)


def test_a_rotor_alone_moves_a_linkage_without_mass():
    m = four_bar()
    m.rotor("A.angle", 0.5)
    m.torque("push", m.bodies["crank"], (0, 1.0, 0))
    result = vc.simulate(m, until=1.0, outputs=10)
    assert result["A.angle"] == pytest.approx(result.t**2, abs=1e-8)


def test_where_nothing_has_mass_and_nothing_drives_a_part_is_named():
    with pytest.raises(vc.ModelError, match="'(crank|coupler|rocker)' has no mass, and nothing else determines"):
        vc.simulate(four_bar(), until=0.1)
