"""Rotors on coordinates against closed forms, and against the armature of MuJoCo."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import vincolo as vc
from formulations import EVERY
from integrators import ADAPTIVE, FIXED
from vincolo.formats import load_model, open_model

G = 9.80665
BAR, R, MASS = 0.2 + 2.0 * 0.25, 0.5, 2.0  # of the bar about its hinge
J, N = 0.001, 30.0
TOGETHER = BAR + J * N**2


def pendulum(**options):
    m = vc.Model("pendulum")
    bar = m.body("bar", MASS, (0.01, 0.2, 0.2), at=(R, 0, 0), **options)
    m.revolute("O", m.ground, bar, at=(0, 0, 0), axis="y")
    m.rotor("O.angle", J, ratio=N, name="motor")
    return m


def test_a_pendulum_swings_with_the_inertia_of_its_rotor():
    # (I + J n^2) q'' = m g r cos q, q down from the horizontal
    result = vc.simulate(pendulum(), until=3.0, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    found = solve_ivp(lambda _, y: [y[1], MASS * G * R * np.cos(y[0]) / TOGETHER], (0, 3), [0, 0], "DOP853", result.t,
                      rtol=1e-12, atol=1e-13)
    assert result["O.angle"] == pytest.approx(found.y[0], abs=1e-8)
    assert result["motor.rate"] == pytest.approx(N * found.y[1], abs=1e-6)
    assert result["motor.force"] == pytest.approx(-J * N**2 * result["O.angle.acceleration"], abs=1e-7)
    assert result["motor.power"] == pytest.approx(result["motor.force"] * result["O.angle.rate"], abs=1e-7)
    spin, bar = 0.5 * J * result["motor.rate"] ** 2, 0.5 * BAR * result["O.angle.rate"] ** 2
    assert result["energy.kinetic"] == pytest.approx(spin + bar, abs=1e-9)
    assert result["energy.potential"] == pytest.approx(-MASS * G * R * np.sin(result["O.angle"]), abs=1e-9)
    assert np.abs(result["energy.balance"]).max() < 1e-9


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (3, -4, -12), (-9, 1, 0.1), (0.02, 0.03, -0.01)])
def test_a_rotor_does_not_fall(gravity):
    """(m + J n^2) x'' = m g_x, wherever gravity points to, and the same far away from the origin."""
    for place in ((0, 0, 0), (30, -20, 5)):
        m = vc.Model(gravity=gravity)
        m.prismatic("rail", m.ground, m.body("cart", 3.0, 0.1, at=place), at=place, axis="x")
        m.rotor("rail.travel", 0.5, ratio=4, name="spindle")
        turning = m.body("wheel", 2.0, 0.1, at=place)
        m.revolute("axle", m.ground, turning, at=place, axis="y")
        m.rotor("axle.angle", 0.2, ratio=-3, name="disc")
        state = vc.assemble(m)
        assert state["rail.travel.acceleration"] == pytest.approx(3.0 * gravity[0] / (3.0 + 0.5 * 16), abs=1e-12)
        assert state["axle.angle.acceleration"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", EVERY)
def test_every_formulation_has_the_rotor(name):
    state = vc.assemble(pendulum(), given={"O.angle": 0.3, "O.angle.rate": 2.0})
    found = state.solve(EVERY[name]).acceleration
    assert found[0, 4] == pytest.approx(MASS * G * R * np.cos(0.3) / TOGETHER, rel=1e-7)


@pytest.mark.parametrize("integrator", [kind for kind in ADAPTIVE + FIXED if kind is not vc.Trapezoidal])
def test_every_integrator_has_the_rotor(integrator):
    adaptive = integrator in ADAPTIVE
    chosen = integrator(rtol=1e-7, atol=1e-9) if adaptive else integrator(step=1e-4)
    result = vc.simulate(pendulum(), until=0.5, outputs=5, integrator=chosen)
    q = solve_ivp(lambda _, y: [y[1], MASS * G * R * np.cos(y[0]) / TOGETHER], (0, 0.5), [0, 0], "DOP853", rtol=1e-12,
                  atol=1e-13).y[0, -1]
    # at order 1 an error of the step times the speed of 3 rad/s
    assert result["O.angle"][-1] == pytest.approx(q, abs=1e-5 if adaptive or chosen.order > 1 else 5e-4)


def test_a_mass_on_a_travel():
    # (m + J n^2) x'' = F
    m = vc.Model(gravity=(0, 0, 0))
    cart = m.body("cart", 3.0, 0.1)
    m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis=(1, 2, 3))
    m.rotor("rail.travel", 0.5, ratio=-4, name="spindle")
    m.actuator("push", "rail.travel", 22.0)
    state = vc.assemble(m, given={"rail.travel.rate": 2.0})
    assert state["rail.travel.acceleration"] == pytest.approx(22.0 / (3.0 + 0.5 * 16), rel=1e-12)
    assert state["energy.kinetic"] == pytest.approx(0.5 * 11 * 4, rel=1e-12)
    assert (state.channels.unit("spindle.force"), state.channels.unit("spindle.rate")) == ("N", "m/s")


def test_a_rotor_that_turns_ten_thousand_times():
    # a ratio of 1000 over ten turns of the shaft: w = M t/(I + J n^2)
    m = vc.Model(gravity=(0, 0, 0))
    shaft = m.body("shaft", 1.0, 0.1)
    m.revolute("A", m.ground, shaft, at=(0, 0, 0), axis="z")
    m.rotor("A.angle", 1e-6, ratio=1000, name="spindle")
    m.actuator("torque", "A.angle", 1.1)
    result = vc.simulate(m, until=5.0)
    assert result["A.angle"][-1] == pytest.approx(0.5 * 25, rel=1e-8)
    assert result["spindle.value"][-1] == pytest.approx(500 * 25, rel=1e-8)


def test_a_drive_bears_the_rotor():
    m = pendulum()
    m.drive("O.angle", "0.4*sin(3*t)")
    result = vc.simulate(m, until=1.0, outputs=20)
    q, acceleration = 0.4 * np.sin(3 * result.t), -3.6 * np.sin(3 * result.t)
    assert result["O.angle.drive.force"] == pytest.approx(TOGETHER * acceleration - MASS * G * R * np.cos(q), abs=1e-6)
    assert np.abs(result["energy.balance"]).max() < 1e-6


def test_the_reaction_of_the_joint_does_not_feel_the_rotor_across_its_axis():
    # at rest, let go: the bearing carries m (g - r q'') alone, the couple J n^2 q'' stays within the drive train
    state = vc.assemble(pendulum())
    force = state.channels.reaction("O").force[0]
    assert force == pytest.approx([0, 0, MASS * (G - R * MASS * G * R / TOGETHER)], abs=1e-6)


def test_a_damped_and_driven_pair_keeps_its_balance_and_its_relative_rotor():
    # two bars in a chain, the rotor on the relative angle of the second: M q'' with J n^2 at (2, 2)
    m = vc.Model(gravity=(0, 0, 0))
    first = m.body("first", 1.0, 0.1, at=(0.5, 0, 0))
    second = m.body("second", 1.0, 0.1, at=(1.5, 0, 0))
    m.revolute("A", m.ground, first, at=(0, 0, 0), axis="z")
    m.revolute("B", first, second, at=(1, 0, 0), axis="z")
    m.rotor("B.angle", 0.02, ratio=5, name="motor")
    m.spring("damper", "A.angle", k=3.0, c=0.4)
    m.actuator("torque", "B.angle", "sin(4*t)")
    m.actuator("push", "A.angle", 2.0)
    state = vc.assemble(m)
    M = np.array([[0.1 + 0.25 + 0.1 + 1.5**2, 0.1 + 0.75], [0.1 + 0.75, 0.1 + 0.25 + 0.02 * 25]])  # straight, at rest
    found = [state["A.angle.acceleration"], state["B.angle.acceleration"]]
    assert found == pytest.approx(np.linalg.solve(M, [2.0, 0.0]), rel=1e-10)
    result = vc.simulate(m, until=4.0)
    scale = np.abs(result["energy.kinetic"]).max()
    assert np.abs(result["energy.balance"]).max() < 1e-6 * scale


def test_no_gyroscopic_moment():
    # the axis of a spinning rotor is turned at 2 rad/s: nothing asks for a moment across, as it would of a real wheel
    m = vc.Model(gravity=(0, 0, 0))
    table = m.body("table", 1.0, 0.1)
    arm = m.body("arm", 1.0, 1e-3)
    m.revolute("turn", m.ground, table, at=(0, 0, 0), axis="z")
    m.revolute("axle", table, arm, at=(0, 0, 0), axis="x")
    m.rotor("axle.angle", 1.0, ratio=100, name="wheel")
    m.drive("turn.angle", "2*t")
    torque = vc.assemble(m, given={"axle.angle.rate": 1.0}).channels.reaction("axle").torque[0]
    # the arm's own I w1 w2; a wheel of 1 kg m2 at 100 rad/s would ask for 200 N m besides
    assert torque == pytest.approx([0, 1e-3 * 1 * 2, 0], abs=1e-9)


@pytest.mark.filterwarnings("ignore:energy and work differ")  # the blow takes energy
def test_a_clutch_shares_the_spin_with_the_rotor():
    # I1 w = (I1 + I2 + J n^2) w', where the latch closes
    m = vc.Model(gravity=(0, 0, 0))
    a = m.body("a", 1.0, 0.1, angular_velocity=(0, 0, 6.0))
    b = m.body("b", 1.0, 0.2)
    m.revolute("A", m.ground, a, at=(0, 0, 0), axis="z")
    m.revolute("B", m.ground, b, at=(0, 0, 0), axis="z")
    m.rotor("B.angle", 0.003, ratio=10, name="motor")
    m.hold("clutch", vc.formula("x_rate - y_rate", x=m.joints["A"]["angle"], y=m.joints["B"]["angle"]))
    m.switch("clutch", False)
    m.switch("clutch", True, at=0.5)
    result = vc.simulate(m, until=1.0)
    assert result["b.wz"][-1] == pytest.approx(0.1 * 6 / 0.6, rel=1e-9)


def test_statics_and_small_swings():
    m = pendulum()
    m.spring("spring", "O.angle", k=50.0, length=0.0)
    rest = vc.statics(m).state
    assert MASS * G * R * np.cos(rest["O.angle"]) == pytest.approx(50.0 * rest["O.angle"], abs=1e-8)
    stiffness = 50.0 + MASS * G * R * np.sin(rest["O.angle"])
    found = vc.linearize(rest)
    assert max(abs(found.eigenvalues)) == pytest.approx(np.sqrt(stiffness / TOGETHER), rel=1e-6)


def test_freedoms_are_counted_without_the_rotor():
    m = pendulum()
    found = vc.mobility(m)
    m.remove("motor")
    assert (found.dof, found.rows, found.rank, found.redundant) == (1, 5, 5, 0)
    assert vc.mobility(m).rows == found.rows


def test_a_start_in_motion_takes_the_rotor_along():
    # bodies are drawn with velocities: the rotor must not share them with the bar as if it stood still
    m = pendulum(velocity=(0, 0, -0.5), angular_velocity=(0, 1, 0))
    assert vc.assemble(m)["O.angle.rate"] == pytest.approx(1.0, rel=1e-12)
    moving = vc.simulate(m, until=0.5).state(-1)
    assert vc.carried(moving, m)["O.angle.rate"] == pytest.approx(moving["O.angle.rate"], rel=1e-9)


@pytest.mark.parametrize("mirror", [None, "x", "y", "z"])
def test_a_placed_sub_model_has_its_rotor(mirror):
    m = vc.Model("two")
    m.add("left", pendulum(), at=(0, 3, 0), mirror=mirror)
    state = vc.assemble(m)
    begin = MASS * G * R / TOGETHER * (-1 if mirror == "z" else 1)  # upside down, the weight turns it back
    assert state["left.O.angle.acceleration"] == pytest.approx(begin, rel=1e-10)
    assert state["left.motor.force"] == pytest.approx(-J * N**2 * begin, rel=1e-6)


def test_a_rotor_goes_with_its_joint_and_shows_no_body():
    m = pendulum()
    result = vc.simulate(m, until=0.1, outputs=3)
    assert result.system.body_numbers == {"bar": 0}
    assert {n.partition(".")[2] for n in result.keys() if n.startswith("motor.")} == {  # noqa: SIM118
        "value", "rate", "acceleration", "force", "power", "energy", "dissipation"}
    assert "1 body, 1 joint; 1 degree" in result.summary()
    assert m.remove("O") == ["motor"]


@pytest.mark.parametrize(("target", "inertia", "ratio", "words"), [
    ("O.angle", 0.0, 1, "inertia is 0; it must be positive"), ("O.angle", -1.0, 1, "must be positive"),
    ("O.angle", 1.0, 0.0, "ratio is 0, so it never turns"), ("P.angle", 1.0, 1, "nothing called 'P.angle'"),
    ("O.angle", float("nan"), 1, "inertia")])
def test_what_is_no_rotor_is_refused(target, inertia, ratio, words):
    with pytest.raises(vc.ModelError, match=words):
        pendulum().rotor(target, inertia, ratio, "other")


def test_a_formula_has_no_rotor():
    m = pendulum()
    with pytest.raises(vc.ModelError, match="x\\^2.*has no rotor.*\n.*coordinate"):
        m.rotor(vc.formula("x^2", x=m.joints["O"]["angle"]), 1.0)


# files

YAML = """\
bodies:
  bar: {mass: 2.0, inertia: [0.01, 0.2, 0.2], at: [0.5, 0, 0]}
joints:
  O: {kind: revolute, a: ground, b: bar, at: [0, 0, 0], axis: y}
rotors:
  motor: {measure: O.angle, inertia: 0.001, ratio: 30}
"""


def test_yaml_says_it_and_numbers_can_be_changed(tmp_path):
    (tmp_path / "p.yaml").write_text(YAML)
    assert vc.assemble(load_model(tmp_path / "p.yaml"))["bar.alpha_y"] == pytest.approx(MASS * G * R / TOGETHER)
    changed = load_model(tmp_path / "p.yaml", {"motor.ratio": 60})
    assert vc.assemble(changed)["bar.alpha_y"] == pytest.approx(MASS * G * R / (BAR + J * 3600))


URDF = """<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.2" izz="0.2"/></inertial></link><joint name="O" type="continuous"><parent link="base"/>
<child link="bar"/><axis xyz="0 1 0"/></joint><transmission name="t"><joint name="O"/><actuator name="motor">
<drake:rotor_inertia value="0.001"/><drake:gear_ratio value="30"/></actuator></transmission></robot>"""


def test_urdf_rotor_inertia(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    document = open_model(tmp_path / "arm.urdf")
    assert vc.assemble(document.model)["bar.alpha_y"] == pytest.approx(MASS * G * R / TOGETHER, rel=1e-6)
    assert not any(word in line for line in document.report.unused for word in ("rotor_inertia", "gear_ratio"))


MJCF = """<mujoco><option gravity="0 0 -9.81"><flag contact="disable"/></option><worldbody><body name="cart">
<joint name="x" type="slide" axis="1 0 0" armature="0.7"/><geom type="box" size="0.1 0.1 0.1" mass="2"/>
<body name="upper" pos="0 0 0.1"><joint name="a" axis="0 1 0" armature="0.3"/>
<geom type="capsule" fromto="0 0 0 0.2 0.1 0.6" size="0.03" mass="1"/>
<body name="fore" pos="0.2 0.1 0.6"><joint name="b" axis="1 0 0" armature="0.05"/>
<joint name="c" axis="0 1 0" armature="0.02"/>
<geom type="box" pos="0.1 0 0.3" size="0.02 0.05 0.3" mass="0.5"/></body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("seed", range(5))
def test_armature_is_that_of_mujoco(tmp_path, seed):
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(seed)
    (tmp_path / "arm.xml").write_text(MJCF)
    model = open_model(tmp_path / "arm.xml").model
    assert [r.inertia for r in model.rotors.values()] == [0.7, 0.3, 0.05, 0.02]
    q, rate = rng.uniform(-1, 1, 4), rng.uniform(-2, 2, 4)
    names = [rotor.measure.name for rotor in model.rotors.values()]
    state = vc.assemble(model, given={**dict(zip(names, q, strict=True)),
                                      **{f"{n}.rate": v for n, v in zip(names, rate, strict=True)}})
    theirs = mujoco.MjModel.from_xml_string(MJCF)
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(theirs)
    data.qpos[:], data.qvel[:] = q, rate
    mujoco.mj_forward(theirs, data)
    assert [state[f"{n}.acceleration"] for n in names] == pytest.approx(data.qacc.tolist(), rel=1e-9, abs=1e-9)
    kinetic = 0.5 * data.qvel @ _full_mass(mujoco, theirs, data) @ data.qvel
    assert state["energy.kinetic"] == pytest.approx(kinetic, rel=1e-9)


def _full_mass(mujoco, model, data):
    columns = []
    for unit in np.eye(model.nv):
        found = np.zeros(model.nv)
        mujoco.mj_mulM(model, data, found, unit)
        columns.append(found)
    return np.array(columns)
