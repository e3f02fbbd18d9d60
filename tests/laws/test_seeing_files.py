"""Texts that name the mechanism, in files: saved and loaded they run the same to the last bit."""

import numpy as np
import pytest

import vincolo as vc


def seeing() -> vc.Model:
    """Laws, loads and states that read each other across bodies, plain and with formulas of rates."""
    m = vc.Model("seeing", gravity=(0.2, 0, -9.8))
    m.prismatic("rail", m.ground, m.body("cart", 2.0, 0.1, velocity=(0.3, 0, 0)), (0, 0, 0), "x")
    m.spherical("ball", "cart", m.body("bob", 0.5, (0.02, 0.03, 0.04), (0.1, 0.2, -0.8), angular_velocity=(1, 0.4, 2)),
                (0, 0, 0))
    m.frame("tip", "bob", at=(0.1, 0.2, -0.9), z=(1, 0, 1), x=(0, 1, 0))
    m.measure("span", vc.distance(m.ground.frame((-1, 0, 0)), m.frames["tip"]))
    m.input("aim", value=0.3, between="linear")
    m.state("lag", "(cart.x + 0.2*bob.wz - lag)/0.1", start=0.1, size=0.5)
    m.actuator("push", "rail.travel", "8*(aim - lag) - 3*cart.vx + 0.1*span.rate*tip.z")
    m.law("drag", "span", "0.3*dd + 0.2*bob.wx*tip.vy")
    m.force("wind", m.frames["tip"], ("-0.3*tip.vx", "0.1*cart.vx*sin(t)", 0.2))
    m.force("jet", m.frames["tip"], (0, "0.1*lag", "-0.2*tip.vz"), axes="body")
    m.torque("brake", "bob", ("-0.02*bob.wx", 0, "-0.03*bob.wz*abs(bob.wz)"))
    m.torque("gyro", "bob", (0, "0.02*cart.vx", 0), axes="body")
    return m


@pytest.mark.parametrize("ending", ["yaml", "xlsx"])
def test_saved_and_loaded_it_runs_the_same_to_the_last_bit(tmp_path, ending):
    path = tmp_path / f"seeing.{ending}"
    vc.save_model(seeing(), path)
    one, other = (vc.simulate(m, 0.5, outputs=20) for m in (seeing(), vc.load_model(path)))
    assert [*one.system.laws] == [*other.system.laws]
    assert (one.y == other.y).all()
    assert (one["wind.x.power"] == other["wind.x.power"]).all()


def test_texts_of_a_yaml_file_name_the_mechanism_in_loads_too(tmp_path):
    path = tmp_path / "cart.yaml"
    path.write_text("""vincolo: 1
name: cart
gravity: [0, 0, 0]
bodies:
  cart: {mass: 2, inertia: 0.1, velocity: [1, 0, 0]}
joints:
  rail: {kind: prismatic, between: [{on: ground, at: [0, 0, 0], z: x}, {on: cart, at: [0, 0, 0], z: x}]}
parameters: {c: 4}
loads:
  brake: {kind: force, where: cart, components: ["-c*cart.vx", 0, 0]}
""")
    result = vc.simulate(vc.load_model(path), 1.0, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    assert result["cart.vx"] == pytest.approx(np.exp(-2 * result.t), abs=1e-9)
