"""The slider-crank with play in its guide of Flores, Leine and Glocker (2010): crank 153 mm, rod 306 mm, block 100 x
50 mm, play 1 mm, e = 0.4, mu = 0.01, crank at 150 rad/s and rod at -75 rad/s.

Its numbers, and those compared with below, are those of the example SliderCrank of the program Siconos, whose reference
run takes steps of 0.1 ms and so is 1 % off in times and speeds; what does not depend on the time of the blow agrees to
all digits that steps leave."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import vincolo as vc

CRANK, ROD, HALF, SIDE, PLAY, G = 0.153, 0.306, 0.05, 0.025, 0.001, 9.81
MASS, J = (0.038, 0.038, 0.076), (7.4e-5, 5.9e-4, 2.7e-6)
EXACT = vc.DOP853(rtol=1e-11, atol=1e-13)


def build():
    m = vc.Model("slider-crank with play in its guide", gravity=(0, -G, 0))
    tip = 150 * CRANK
    crank = m.body("crank", MASS[0], J[0], at=(CRANK / 2, 0, 0), velocity=(0, tip / 2, 0),
                   angular_velocity=(0, 0, 150.0))
    rod = m.body("rod", MASS[1], J[1], at=(CRANK + ROD / 2, 0, 0), velocity=(0, tip - 75 * ROD / 2, 0),
                 angular_velocity=(0, 0, -75.0))
    slider = m.body("slider", MASS[2], J[2], at=(CRANK + ROD, 0, 0), velocity=(0, tip - 75 * ROD, 0))
    m.revolute("A", m.ground, crank, at=(0, 0, 0), axis="z")
    m.revolute("B", crank, rod, at=(CRANK, 0, 0), axis="z")
    m.revolute("C", rod, slider, at=(CRANK + ROD, 0, 0), axis="z")
    for k, (x, y) in enumerate([(-HALF, SIDE), (HALF, SIDE), (-HALF, -SIDE), (HALF, -SIDE)]):
        m.frame(f"corner{k}", slider, (CRANK + ROD + x, y, 0))
        bound = {"at_most": SIDE + PLAY} if y > 0 else {"at_least": -SIDE - PLAY}
        m.stop(f"wall{k}", f"corner{k}.y", restitution=0.4, **bound)
        m.friction(f"rub{k}", f"wall{k}", 0.01, along=f"corner{k}.x")
    return m


def free(t, y):
    """Crank and rod by their own equations, as long as the block touches nothing."""
    a, b, wa, wb = y
    coupled = (MASS[1] / 2 + MASS[2]) * CRANK * ROD
    M = np.array([[J[0] + (MASS[0] / 4 + MASS[1] + MASS[2]) * CRANK**2, coupled * np.cos(b - a)],
                  [coupled * np.cos(b - a), J[1] + (MASS[1] / 4 + MASS[2]) * ROD**2]])
    turning = coupled * np.sin(b - a)
    weight = (MASS[0] / 2 + MASS[1] + MASS[2]) * G * CRANK * np.cos(a), (MASS[1] / 2 + MASS[2]) * G * ROD * np.cos(b)
    return [wa, wb, *np.linalg.solve(M, [turning * wb**2 - weight[0], -turning * wa**2 - weight[1]])]


def meets(t, y):
    return PLAY - CRANK * np.sin(y[0]) - ROD * np.sin(y[1])


meets.terminal = True


def test_the_block_meets_its_guide_when_and_as_fast_as_the_equations_say():
    result = vc.simulate(build(), 3e-3, integrator=EXACT)
    found = solve_ivp(free, (0, 3e-3), [0, 0, 150.0, -75.0], method="DOP853", events=meets, rtol=1e-13, atol=1e-14)
    first = result.events[0]
    assert first.t == pytest.approx(found.t_events[0][0], abs=1e-11)
    assert [first.before["crank.wz"], first.before["rod.wz"]] == pytest.approx(found.y_events[0][0][2:], rel=1e-10)
    assert first.after["corner0.vy"] == pytest.approx(-0.4 * first.before["corner0.vy"], rel=1e-9)


def test_the_first_blow_is_that_of_siconos():
    result = vc.simulate(build(), 3e-3, integrator=EXACT)
    one, two = (next(e for e in result.events if e.name == f"wall{k}.closes") for k in (0, 1))
    impulses = -one.impulses["wall0"], -two.impulses["wall1"]
    assert one.t == two.t == pytest.approx(2.7115e-3, rel=0.01)  # 2.7 ms, and 9.5231e-6 m at 0.82978 m/s to go
    # 5.834380e-2 and 5.776326e-2 N s: both corners, pressed unevenly by friction
    assert impulses[0] / impulses[1] == pytest.approx(5.834379566e-2 / 5.776326038e-2, abs=1e-5)
    # they turn -0.8587385 m/s into 0.3435261 m/s, and hold what forces would add in that step, 0.0280 m/s
    jump = 0.8587384745 + 0.3435261085 + 0.0280
    assert sum(impulses) / (1.4 * one.before["corner0.vy"]) == pytest.approx(
        (5.834379566e-2 + 5.776326038e-2) / jump, rel=5e-3)
    after = vc.simulate(build(), 4.4e-3, outputs=[4.4e-3], integrator=EXACT)
    assert after["crank.wz"][-1] == pytest.approx(90.4608, rel=0.01)
    assert after["rod.wz"][-1] == pytest.approx(-40.4225, rel=0.015)


def test_it_goes_on_for_turns_with_its_balance_kept():
    result = vc.simulate(build(), 0.15, outputs=300, integrator=EXACT)
    assert result.complete
    assert abs(result["energy.balance"]).max() < 1e-8 * result["energy.kinetic"].max()
    assert np.diff(result["energy.total"]).max() < 1e-9
    for k in range(4):
        assert abs(result[f"corner{k}.y"]).max() < SIDE + PLAY + 1e-9
