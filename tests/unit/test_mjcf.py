"""Models of MuJoCo from MJCF files, compared with MuJoCo itself where that is possible."""

from itertools import product

import numpy as np
import pytest

import vincolo as vc
from vincolo.errors import FileWarning
from vincolo.formats.mjcf import read_mjcf

ARM = """<mujoco model="arm">
  <compiler angle="radian" eulerseq="ZYX"/>
  <option gravity="0.3 0.4 -9.5" timestep="0.002"><flag contact="disable"/></option>
  <default>
    <joint damping="0.2"/>
    <default class="heavy"><geom density="2500"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="turret" pos="0 0 0.5" euler="0.2 -0.3 0.5">
      <joint name="yaw" axis="0.1 0 1" pos="0.02 0 -0.1" stiffness="3" springref="0.4"/>
      <inertial pos="0.1 0.05 0" mass="2.5" fullinertia="0.2 0.25 0.3 0.01 -0.02 0.03"/>
      <geom type="box" size="1 1 1"/>
      <body name="boom" pos="0.3 0 0.1" quat="0.9 0.1 -0.3 0.2" childclass="heavy">
        <joint name="pitch" axis="0 1 0.2"/>
        <geom type="capsule" fromto="0 0 0 0.6 0.1 0" size="0.04"/>
        <geom type="box" pos="0.3 0 0.1" size="0.1 0.05 0.08" axisangle="1 2 0 0.7" density="800"/>
        <body name="slider" pos="0.6 0.1 0">
          <joint name="reach" type="slide" axis="1 0.2 0" damping="1.5" stiffness="20"/>
          <geom type="cylinder" size="0.05 0.1" mass="1.2" zaxis="1 1 0.5"/>
          <geom type="ellipsoid" size="0.1 0.05 0.07" pos="0.1 0 0"/>
          <body name="wrist" pos="0.2 0 0" xyaxes="0 1 0 -1 0 0.3">
            <joint name="bend" axis="1 0 0"/>
            <joint name="twist" axis="0 1 0" damping="0.4"/>
            <geom type="sphere" size="0.06" pos="0 0.1 0.02" mass="0.7"/>
            <geom type="box" size="0.03 0.1 0.05" pos="0.1 0 0"/>
            <body name="flange" pos="0 0.1 0"><geom type="sphere" size="0.03"/><site name="tip" pos="0 0 0.1"/></body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
COORDINATES = {"yaw": "yaw.angle", "pitch": "pitch.angle", "reach": "reach.travel", "bend": "bend.angle1",
               "twist": "bend.angle2"}

FREE = """<mujoco model="satellite">
  <option gravity="0 0 0"><flag contact="disable"/></option>
  <worldbody>
    <body name="hull" pos="0.5 0.2 1" euler="30 20 10">
      <freejoint/>
      <geom type="box" size="0.3 0.2 0.4" density="500"/>
      <body name="panel" pos="0.3 0 0.2">
        <joint name="hinge" axis="0 1 1" stiffness="2" springref="15" damping="0.1"/>
        <geom type="box" size="0.4 0.3 0.01" pos="0.4 0 0"/>
      </body>
      <body name="wheel" pos="-0.3 0.1 0">
        <joint type="ball"/>
        <geom type="cylinder" size="0.1 0.02" euler="0 90 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def read(tmp_path):
    def reader(text):
        path = tmp_path / "model.xml"
        path.write_text(text)
        return read_mjcf(path)
    return reader


def other_engine(text):
    """The same model in MuJoCo, without contacts."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    return mujoco, model, mujoco.MjData(model)


def test_an_arm_accelerates_as_in_mujoco(read, rng):
    mujoco, model, data = other_engine(ARM)
    document = read(ARM)
    for _ in range(4):
        data.qpos[:], data.qvel[:] = rng.uniform(-0.8, 0.8, 5), rng.uniform(-2, 2, 5)
        mujoco.mj_forward(model, data)
        names = list(COORDINATES.values())
        given = dict(zip(names, data.qpos, strict=True)) | {
            f"{name}.rate": value for name, value in zip(names, data.qvel, strict=True)}
        state = vc.assemble(document.system, given=given)
        found = [state[f"{name}.acceleration"] for name in names]
        assert found == pytest.approx(data.qacc.tolist(), rel=1e-9, abs=1e-9)
        tip = data.site("tip").xpos
        assert [state[f"tip.{x}"] for x in "xyz"] == pytest.approx(tip.tolist(), abs=1e-11)  # joints close to 1e-12


def test_a_free_body_with_a_spring_and_a_ball_accelerates_as_in_mujoco(read, rng):
    mujoco, model, data = other_engine(FREE)
    system = read(FREE).system
    for _ in range(3):
        mujoco.mj_resetData(model, data)
        data.qvel[:] = rng.uniform(-1, 1, model.nv)
        mujoco.mj_forward(model, data)
        y = system.drawn.y.copy()
        for k, name in enumerate(("hull", "panel", "wheel")):  # velocities of the centres of mass
            found = np.zeros(6)
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, model.body(name).id, found, 0)
            y[13 * k + 7: 13 * k + 10], y[13 * k + 10: 13 * k + 13] = found[3:], found[:3]
        state = system.drawn.with_vector(y)
        mujoco.mj_rnePostConstraint(model, data)
        accelerations = state.solve().acceleration
        assert np.abs(state.jacobian()[1]["rate"]).max() < 1e-12
        for k, name in enumerate(("hull", "panel", "wheel")):
            found = np.zeros(6)
            mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_BODY, model.body(name).id, found, 0)
            assert accelerations[k, 3:] == pytest.approx(found[:3], rel=1e-9, abs=1e-9)
            assert accelerations[k, :3] == pytest.approx(found[3:], rel=1e-9, abs=1e-9)


def test_masses_of_geoms_are_those_of_mujoco(read):
    for text in (ARM, FREE):
        _, model, _ = other_engine(text)
        for name, body in read(text).model.bodies.items():
            assert body.mass == pytest.approx(model.body(name).mass[0], rel=1e-12)
            assert body.com == pytest.approx(model.body(name).ipos, abs=1e-12)
            moments = sorted(model.body(name).inertia.tolist())
            assert np.linalg.eigvalsh(body.inertia).tolist() == pytest.approx(moments, rel=1e-9)


LOOP = """<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body name="a"><joint name="A" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.4 0 0.3" size="0.02"/>
    <body name="b" pos="0.4 0 0.3"><joint name="B" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.6 0 0" size="0.02"/></body></body>
  <body name="c" pos="1 0 0"><joint name="C" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/>
  </body>
  <body name="d" pos="0 1 0"><joint name="D" axis="0 1 0"/><geom size="0.1"/></body>
</worldbody><equality>
  <connect name="pin" body1="b" body2="c" anchor="0.6 0 0"/>
  <joint name="geared" joint1="D" joint2="A" polycoef="0.1 -2 0 0 0"/>
</equality></mujoco>
"""


def test_equalities_close_loops_and_couple_joints(read):
    document = read(LOOP)
    assert document.model.joints["pin"].kind == "spherical"
    assert document.model.joints["pin"].a.drawn_point == pytest.approx([1.0, 0, 0.3])
    assert vc.mobility(document.model).dof == 1
    state = vc.assemble(document.system, given={"A.angle": 0.2, "A.angle.rate": 1.5})
    assert state["D.angle"] == pytest.approx(0.1 - 2 * 0.2, abs=1e-12)
    assert state["D.angle.rate"] == pytest.approx(-3.0, abs=1e-12)


@pytest.mark.parametrize(("joints", "kind", "coordinates"), [
    ('<joint name="s" type="slide" axis="1 0 0"/><joint name="t" axis="1 0 0"/>', "cylindrical", ("travel", "angle")),
    ('<joint name="s" type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint name="t" axis="0 0 1"/>',
     "planar", ("x", "angle")), ("", "fixed", ())])
def test_several_joints_of_a_body_become_one(read, joints, kind, coordinates):
    text = f'<mujoco><worldbody><body name="cart">{joints}<geom size="0.1"/></body></worldbody></mujoco>'
    document = read(text)
    joint, = document.model.joints.values()
    assert joint.kind == kind
    for name in coordinates:
        assert name in joint.coordinates


def test_bodies_without_joints_or_mass_are_frames(read):
    text = ('<mujoco><worldbody><body name="arm"><joint axis="0 1 0"/><body name="hand" pos="1 0 0">'
            '<geom size="0.1"/><body name="finger" pos="0 0 0.5"/></body></body></worldbody></mujoco>')
    document = read(text)
    assert list(document.model.bodies) == ["hand"]
    assert document.model.frames["finger"].body.name == "hand"
    assert document.model.frames["finger"].drawn_point == pytest.approx([1, 0, 0.5])
    assert document.model.gravity.tolist() == [0, 0, -9.81]


def test_what_is_not_translated_is_listed(read):
    text = ARM.replace("</worldbody>", "</worldbody><actuator/><contact/><tendon/>").replace(
        'name="pitch"', 'name="pitch" range="-1 1" armature="0.1" frictionloss="0.2"')
    with pytest.warns(FileWarning, match="frictionloss"):
        report = read(text).report
    assert [line.split(": ")[-1] for line in report.left_out] == ["frictionloss='0.2' is not translated."]
    assert not any("contacts" in line for line in str(report).splitlines())


BALLS = """<mujoco><option gravity="0 0 0"{flag}</option><contact>{contact}</contact><worldbody>
<geom name="floor" type="plane" size="1 1 1" pos="0 0 -9"{floor}/>
<body name="a"><joint axis="0 1 0"/><geom size="0.1"/>
<body name="b" pos="1 0 0"><joint axis="0 1 0"/><geom size="0.1"/>
<body name="lid" pos="0 0.3 0"><geom size="0.1"/></body>
<body name="c" pos="1 0 0"><joint axis="0 1 0"/><geom size="0.1"{last}/></body></body></body></worldbody></mujoco>"""
#: what is changed, and the pairs of geoms that MuJoCo then looks at: the floor with four; a with c
PAIRS = [({}, 5), ({"flag": '><flag filterparent="disable"/>'}, 9), ({"flag": '><flag contact="disable"/>'}, 0),
         ({"floor": ' contype="0" conaffinity="0"'}, 1), ({"last": ' contype="2" conaffinity="2"'}, 3),
         ({"floor": ' contype="0" conaffinity="0"', "contact": '<exclude body1="c" body2="a"/>'}, 0),
         ({"contact": '<exclude body1="b" body2="world"/>'}, 4)]


@pytest.mark.parametrize(("changes", "pairs"), PAIRS)
def test_contacts_that_mujoco_would_look_for_are_counted(read, changes, pairs):
    text = BALLS.format(**{"flag": ">", "contact": "", "floor": "", "last": "", **changes})
    mujoco = pytest.importorskip("mujoco")
    theirs = mujoco.MjModel.from_xml_string(text.replace('size="0.1"', 'size="50"'))  # all within each other
    data = mujoco.MjData(theirs)
    mujoco.mj_fwdPosition(theirs, data)
    assert len({frozenset(pair) for pair in data.contact.geom.tolist()}) == pairs
    if not pairs:
        assert not read(text).report.left_out
        return
    with pytest.warns(FileWarning, match=f"contacts are not translated: {pairs} pairs of geoms may touch"):
        assert len(read(text).report.left_out) == 1


def test_gravity_may_be_switched_off(read):
    text = BALLS.format(flag='><flag gravity="disable" contact="disable"/>', contact="", floor="", last="")
    assert not read(text.replace("0 0 0", "0 0 -9", 1)).model.gravity.any()


@pytest.mark.parametrize(("joint", "held"), [
    ('range="-1 1"', True), ('range="-1 1" limited="false"', False), ('range="-1 1" limited="true"', True)])
@pytest.mark.parametrize("auto", ["", '<compiler autolimits="false"/>'])
def test_ranges_are_watched_where_they_limit(read, joint, held, auto):
    text = f'<mujoco>{auto}<worldbody><body><joint {joint}/><geom size="0.1"/></body></worldbody></mujoco>'
    if not held or (auto and "limited" not in joint):
        found = read(text)
        assert any("it is not limited" in line for line in found.report.unused) and not found.model.ranges
        return
    found = read(text)
    assert not found.report.left_out and any("its range '-1 1' is watched" in line for line in found.report.notes)
    (kept,) = found.model.ranges.values()
    assert (kept.at_least, kept.at_most) == (pytest.approx(-np.pi / 180), pytest.approx(np.pi / 180))


def test_euler_angles_turn_in_the_order_and_about_the_axes_of_mujoco(tmp_path):
    """Small letters about axes that turn along, capitals about fixed ones: not as in Rotation.euler."""
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "m.xml"
    for sequence in map("".join, product("xyzXYZ", repeat=3)):
        text = (f'<mujoco><compiler angle="radian" eulerseq="{sequence}"/><worldbody><body name="b" '
                'euler="0.3 -0.7 1.1"><freejoint/><geom type="box" size="0.1 0.2 0.3"/></body></worldbody></mujoco>')
        theirs = mujoco.MjModel.from_xml_string(text).body("b").quat
        path.write_text(text)
        ours = read_mjcf(path).model.bodies["b"].orientation
        assert ours == pytest.approx(vc.Rotation(theirs).matrix, abs=1e-12), sequence


def test_a_wrong_euler_sequence_is_refused_with_its_line(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text('<mujoco>\n<compiler eulerseq="abc"/>\n<worldbody><body name="b" euler="1 2 3"><freejoint/>'
                    '<geom type="box" size="0.1 0.2 0.3"/></body></worldbody></mujoco>')
    with pytest.raises(vc.FileError, match="(?s)line 2.*eulerseq is 'abc'.*three letters"):
        read_mjcf(path)
