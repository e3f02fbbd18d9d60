"""Components of forces and torques that read the mechanism: the same motion, power and slopes as loads over time."""

import numpy as np
import pytest

import vincolo as vc


def tumbling() -> vc.Model:
    """A body that turns about all axes, and another beside it."""
    m = vc.Model("tumbling", gravity=(0, 0, -2))
    m.body("top", 1.5, (0.1, 0.2, 0.25), at=(0.2, 0, 0.1), com=(0.05, 0.02, 0), velocity=(0.3, 0.1, 0),
           angular_velocity=(1.0, 0.5, -2.0))
    m.body("other", 1.0, 0.1, at=(1, 1, 0), velocity=(0.2, 0, 0.1))
    m.frame("tip", "top", at=(0.5, 0.1, 0.3))
    return m


@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize("kind", ["force", "torque"])
def test_a_component_that_reads_the_mechanism_is_the_load_it_says(kind, axes):
    """With 0*other.x in each component, which only makes it read."""
    runs = []
    for seeing in ("", " + 0*other.x"):
        m = tumbling()
        where = m.frames["tip"] if kind == "force" else m.bodies["top"]
        getattr(m, kind)("L", where, (f"1.5{seeing}", f"-0.7*cos(3*t){seeing}", 0.4), axes)
        runs.append(vc.simulate(m, 1.0, integrator=vc.DOP853(rtol=1e-11, atol=1e-12)))
    load, seen = runs
    assert seen.y[:, :26] == pytest.approx(load.y[:, :26], abs=1e-9)
    power = sum(seen[f"L.{axis}.power"] for axis in "xyz")
    assert power == pytest.approx(load["L.power"], abs=1e-9)
    assert seen["energy.balance"] == pytest.approx(0, abs=1e-8)


def test_a_stiff_hold_in_space_takes_few_steps_with_implicit_integrators():
    """A point held by three springs and dampers of 1e8 N/m and 1e5 N s/m that read where it is."""
    m = tumbling()
    m.force("hold", m.frames["tip"], [f"-1e8*(tip.{x} - {p!r}) - 1e5*tip.v{x}" for x, p in
                                      zip("xyz", (0.5, 0.1, 0.3), strict=True)])
    result = vc.simulate(m, 0.5, integrator=vc.Radau())
    assert result.statistics["steps"] < 400
    at = np.array([result[f"tip.{x}"] for x in "xyz"])
    assert at[:, 1:] == pytest.approx(np.tile([[0.5], [0.1], [0.3]], at.shape[1] - 1), abs=1e-5)


def test_slopes_of_components_are_those_of_differences():
    m = tumbling()
    m.force("F", m.frames["tip"], ("2*other.x*tip.vy", "-3*top.wz", "sin(tip.x)*other.vz"), "body")
    m.torque("T", m.bodies["other"], ("top.x*top.vz", 0, "other.wz^2 - tip.z"))
    state = vc.assemble(m)
    linear = vc.linearize(state)
    h, n = 1e-6, 12
    velocities = [*range(7, 13), *range(20, 26)]
    by_velocity = np.zeros((n, n))
    for k, i in enumerate(velocities):
        ends = []
        for step in (h, -h):
            y = state.y.copy()
            y[i] += step
            ends.append(state.with_vector(y).solve().acceleration.ravel())
        by_velocity[:, k] = (ends[0] - ends[1]) / (2 * h)
    N = linear.basis.reshape(n, n)
    found = np.linalg.inv(N) @ by_velocity @ N
    spin = linear.A[n:, n:] - found  # the basis turns with the bodies
    w = state.y.reshape(-1)[[10, 11, 12, 23, 24, 25]]
    turning = np.zeros((n, n))
    for b in range(2):
        x, y, z = w[3 * b: 3 * b + 3]
        turning[6 * b + 3: 6 * b + 6, 6 * b + 3: 6 * b + 6] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    assert spin == pytest.approx(np.linalg.inv(N) @ turning @ N, abs=1e-6)


def test_names_and_mistakes():
    m = tumbling()
    laws = m.force("F", "top", ("-3*top.vx", 0, vc.functions.Sine(1.0, 2.0)))
    assert [law.name for law in laws] == ["F.x", "F.z"]
    with pytest.raises(vc.ModelError, match="already"):
        m.force("top", "top", ("-3*top.vx", 0, 0))
    with pytest.raises(vc.ModelError, match=r"force 'G': there is nothing called 'top.speed'"):
        m.force("G", "top", ("-3*top.speed", 0, 0))
    with pytest.raises(vc.ModelError, match="nowhere"):
        m.force("G", "top", ("-3*top.vx", "2*nowhere", 0))
    assert not any(name.startswith("G") for name in m.laws)
