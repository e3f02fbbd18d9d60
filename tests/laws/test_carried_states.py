"""States that a run carries beside the motion: stiff ones in implicit steps, in linear equations and at rest."""

import numpy as np
import pytest

import vincolo as vc
from expected import LOSES_ENERGY

BULK, AREA, VOLUME, MASS = 1.6e9, 2e-3, 1e-3, 500.0  # of an oil cylinder: Pa, m2, m3, kg


def cylinder(leak: float = 0.0, damper: float = 0.0, push: float = 0.0) -> vc.Model:
    """A mass on a column of oil: p' = bulk / volume (-area v - leak p), m v' = area p - damper v + push."""
    m = vc.Model("cylinder", gravity=(0, 0, 0))
    m.body("ram", MASS, 1.0, velocity=(0.1, 0, 0))
    m.prismatic("bore", m.ground, "ram", at=(0, 0, 0), axis="x")
    m.state("p", "B/V*(-S*ram.vx - G*p)", unit="Pa", size=1e6, B=BULK, V=VOLUME, S=AREA, G=leak)
    m.actuator("oil", "bore.travel", f"{AREA!r}*p - {damper!r}*dd + {push!r}")
    return m


def matrix(leak: float = 0.0, damper: float = 0.0) -> np.ndarray:
    """Of (x, v, p)."""
    return np.array([[0, 1, 0], [0, -damper / MASS, AREA / MASS],
                     [0, -BULK / VOLUME * AREA, -BULK / VOLUME * leak]])


def exact(t: float, leak: float = 0.0, damper: float = 0.0) -> np.ndarray:
    values, vectors = np.linalg.eig(matrix(leak, damper))
    return np.real(vectors @ (np.exp(values * t) * np.linalg.solve(vectors, [0, 0.1, 0])))


@pytest.mark.parametrize("integrator", [vc.Radau(rtol=1e-9, atol=1e-11), vc.BDF(rtol=1e-9, atol=1e-11),
                                        vc.Auto(rtol=1e-9, atol=1e-11), vc.Radau(rtol=1e-9, atol=1e-11, index=3)],
                         ids=str)
def test_a_mass_swings_on_oil_at_its_frequency(integrator):
    """omega = area sqrt(bulk / (volume m)) = 113 rad/s; two periods."""
    omega = AREA * np.sqrt(BULK / (VOLUME * MASS))
    result = vc.simulate(cylinder(), 4 * np.pi / omega, outputs=40, integrator=integrator)
    swung = 0.1 / omega * np.sin(omega * result.t)
    assert result["ram.x"] == pytest.approx(swung, abs=2e-7 / omega)
    assert result["p"] == pytest.approx(-BULK / VOLUME * AREA * swung, rel=1e-5, abs=1.0)


@pytest.mark.parametrize("integrator", [vc.Radau(), vc.BDF(), vc.Auto(), vc.Radau(index=2), vc.Radau(index=3)], ids=str)
def test_stiff_oil_needs_few_steps(integrator):
    """With a damper of 1e6 N s/m and a leak the fastest rates are 2e3 and 1.6e4 per second; the slow one is 0.4."""
    leak, damper = 1e-8, 1e6
    result = vc.simulate(cylinder(leak, damper), 2.0, outputs=10, integrator=integrator)
    values = np.sort(np.abs(np.linalg.eigvals(matrix(leak, damper))))
    assert values[-1] > 1e3
    assert result.statistics["steps"] < 250
    assert [result[n][-1] for n in ("ram.x", "ram.vx")] == pytest.approx(exact(2.0, leak, damper)[:2], abs=1e-8)


@LOSES_ENERGY  # that of the start, in the first step
@pytest.mark.parametrize("integrator", [vc.GeneralisedAlpha(step=2e-3), vc.HHT(step=2e-3), vc.Rosenbrock(step=2e-3),
                                        vc.GeneralisedAlpha(step=2e-3, index=2)], ids=str)
def test_steps_of_one_size_pass_over_stiff_oil(integrator):
    """Steps twenty times longer than the fastest decay, and few iterations in each."""
    result = vc.simulate(cylinder(1e-8, 1e6), 1.0, outputs=10, integrator=integrator)
    assert result["ram.x"][-1] == pytest.approx(exact(1.0, 1e-8, 1e6)[0], abs=3e-6)
    assert result.statistics["evaluations"] < 8 * result.statistics["steps"]


def test_linear_equations_contain_states():
    leak, damper = 2e-11, 300.0
    linear = vc.linearize(vc.assemble(cylinder(leak, damper)), inputs=["oil"], outputs=["ram.x", "p", "oil.force"])
    assert linear.states == ("p",)
    scale = linear.basis[0, 0, 0]  # of xi
    T = np.diag([scale, scale, 1.0])
    assert T @ linear.A @ np.linalg.inv(T) == pytest.approx(matrix(leak, damper), rel=1e-12, abs=1e-9)
    found = np.sort_complex(np.linalg.eigvals(linear.A))
    assert found == pytest.approx(np.sort_complex(np.linalg.eigvals(matrix(leak, damper))), abs=1e-6)
    assert linear.C @ np.linalg.inv(T) == pytest.approx(
        np.array([[1, 0, 0], [0, 0, 1], [0, -damper, AREA]]), rel=1e-6, abs=1e-6)
    kept = [v for v in np.linalg.eigvals(matrix(leak, damper)) if v.imag >= 0]
    assert np.sort(np.abs(linear.eigenvalues)) == pytest.approx(np.sort(np.abs(kept)), abs=1e-6)


def servo() -> vc.Model:
    """A pendulum whose motor follows a filtered angle: at rest -m g l cos(a) + k f = 0 with f = sin(a) + 0.2."""
    m = vc.Model("servo")
    m.revolute("O", m.ground, m.body("bob", 1.0, 0.1, (1, 0, 0)), (0, 0, 0), "y")
    m.state("f", "(sin(O.angle) + 0.2 - f)/0.05")
    m.law("motor", "O.angle", "30*f + 2*dd")
    return m


def test_statics_finds_where_states_stay():
    found = vc.statics(servo())
    a = found["O.angle"]
    assert found["f"] == pytest.approx(np.sin(a) + 0.2, abs=1e-10)
    assert 9.80665 * np.cos(a) == pytest.approx(30 * found["f"], abs=1e-8)
    run = vc.simulate(servo(), 40.0, outputs=2)
    assert a == pytest.approx(run["O.angle"][-1], abs=1e-6)
    K = 30 * np.cos(a) + 9.80665 * np.sin(a)  # with the filter following
    assert found.lowest == pytest.approx(K / (1 + found.length**2), rel=1e-6)


def test_statics_refuses_states_that_stay_anywhere():
    m = servo()
    m.state("sum", "O.angle")
    with pytest.raises(vc.SimulationError, match=r"'sum' \(0\)(.|\n)*variable\(\)"):
        vc.statics(m)


def test_trapezoidal_steps_carry_states_with_their_order():
    found = []
    for h in (4e-3, 2e-3):
        result = vc.simulate(servo(), 0.4, outputs=1, integrator=vc.Trapezoidal(step=h),
                             formulation=vc.AugmentedLagrangian(index=3))
        found.append([result["O.angle"][-1], result["f"][-1]])
    exact_end = vc.simulate(servo(), 0.4, outputs=1, integrator=vc.DOP853(rtol=1e-12, atol=1e-13))
    errors = np.abs(np.array(found) - [exact_end["O.angle"][-1], exact_end["f"][-1]])
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.4)
