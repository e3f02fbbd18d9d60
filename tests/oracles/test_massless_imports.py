"""Parts without mass in files of other programs: the same motion as that of the model written in Python, closed forms,
and the same refusal, with the part named, where nothing determines them."""

import numpy as np
import pytest

import vincolo as vc
from carvalho_workbooks import HINGE, body, save, sheets

G, ARM, MASS, INERTIA, JA = 9.81, 0.5, 2.0, (0.01, 0.2, 0.2), 0.3
TIGHT = vc.DOP853(rtol=1e-10, atol=1e-12)

URDF = """<robot name="gimbal"><link name="base_link"/><link name="flange"/><link name="tool0"/>
<joint name="mount" type="fixed"><parent link="base_link"/><child link="pedestal"/></joint><link name="pedestal"/>
<joint name="turn" type="continuous"><parent link="pedestal"/><child link="yoke"/><axis xyz="0 0 1"/></joint>
<link name="yoke"><inertial><mass value="{mass}"/><inertia ixx="{J}" iyy="{J}" izz="{J}"/></inertial></link>
<joint name="weld" type="fixed"><parent link="yoke"/><child link="flange"/></joint>
<joint name="swing" type="continuous"><parent link="flange"/><child link="bob"/><axis xyz="0 1 0"/></joint>
<link name="bob"><inertial><origin xyz="0.5 0 0"/><mass value="{bob}"/>
<inertia ixx="0.01" iyy="0.2" izz="0.2"/></inertial></link>
<joint name="tip" type="fixed"><parent link="bob"/><child link="tool0"/><origin xyz="1 0 0"/></joint></robot>"""
MJCF = """<mujoco model="gimbal"><worldbody><body name="yoke"><joint name="turn" axis="0 0 1"/>{yoke}
<body name="bob"><joint name="swing" axis="0 1 0"/>{bob}</body></body></worldbody></mujoco>"""
INERTIAL = '<inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.2 0.2"/>'
ADM = """gimbal
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/1, PART=1
MARKER/2, PART=1, REULER=0, 90D, 0
PART/2{yoke}
MARKER/21, PART=2
MARKER/22, PART=2, REULER=180D, 90D, 0
PART/3{bob}
MARKER/30, PART=3, QP=0.5, 0, 0
MARKER/31, PART=3, REULER=180D, 90D, 0
JOINT/1, REVOLUTE, I=21, J=1
JOINT/2, REVOLUTE, I=31, J=22
ACCGRAV/KGRAV=-9.81
END
"""
CMD = """defaults units length = meter angle = deg force = newton mass = kg time = sec
model create model_name = m
marker create marker_name = .m.ground.O
part create rigid_body name_and_position part_name = .m.yoke
{yoke}marker create marker_name = .m.yoke.low
marker create marker_name = .m.yoke.high orientation = 180.0d, 90.0d, 0.0d
part create rigid_body name_and_position part_name = .m.bob
marker create marker_name = .m.bob.cm location = 0.5, 0.0, 0.0
marker create marker_name = .m.bob.pin orientation = 180.0d, 90.0d, 0.0d
{bob}constraint create joint revolute joint_name = .m.turn i_marker_name = .m.yoke.low j_marker_name = .m.ground.O
constraint create joint revolute joint_name = .m.swing i_marker_name = .m.bob.pin j_marker_name = .m.yoke.high
force create body gravitational gravity_field_name = grav z_component_gravity = -9.81
"""
HEAVY = ("part create rigid_body mass_properties part_name = .m.bob mass = 2 center_of_mass_marker = .m.bob.cm "
         "ixx = 0.01 iyy = 0.2 izz = 0.2\n")
LINE = "part create rigid_body mass_properties part_name = .m.yoke mass = 0 ixx = {0} iyy = {0} izz = {0}\n"


def carvalho(yoke, bob):
    z, y = {**HINGE, "Name": "turn"}, {**HINGE, "Name": "swing", "Body i": 2, "Body j": 3, "sz": 0, "sy": 1}
    return sheets([body("yoke", 0.0, Mass=0, Ixx=yoke, Iyy=yoke, Izz=yoke),
                   body("bob", ARM, Mass=bob, Ixx=0.01, Iyy=0.2, Izz=0.2) if bob else
                   body("bob", ARM, Mass=0, Ixx=0, Iyy=0, Izz=0)],
                  [z, y], **{"Gravity Direction": "z", "Gravity Magnitude": -G})


def written(kind, folder, yoke=0.0, bob=MASS):
    """A file with a yoke of this inertia and no mass, and a bob with mass or without."""
    path = folder / f"gimbal.{kind}"
    if kind == "xlsx":
        return save(path, carvalho(yoke, bob))
    if kind == "urdf":
        text = URDF.format(mass=0, J=yoke, bob=bob)
        if not bob:
            text = text.replace('<inertia ixx="0.01" iyy="0.2" izz="0.2"/>', "")
    elif kind == "xml":
        own = f'<inertial pos="0 0 0" mass="0" diaginertia="{yoke} {yoke} {yoke}"/>' if yoke else ""
        text = MJCF.format(yoke=own, bob=INERTIAL if bob else "")
    elif kind == "adm":
        text = ADM.format(yoke=f", IP={yoke}, {yoke}, {yoke}" if yoke else "",
                          bob=", MASS=2, CM=30, IP=0.01, 0.2, 0.2" if bob else "")
    else:
        text = CMD.format(yoke=LINE.format(yoke) if yoke else "", bob=HEAVY if bob else "")
    path.write_text(text)
    return path


KINDS = ("urdf", "xml", "adm", "cmd", "xlsx")


def gimbal(yoke=0.0):
    m = vc.Model("gimbal", gravity=(0, 0, -9.80665))
    cross, bob = m.body("yoke", 0, yoke), m.body("bob", MASS, INERTIA, com=(ARM, 0, 0))
    m.revolute("turn", m.ground, cross, at=(0, 0, 0), axis="z")
    m.revolute("swing", cross, bob, at=(0, 0, 0), axis="y")
    return m


def energies(yoke):
    """p = T_q' about the vertical and E of a bob turned by a about z and b about y (down if positive), at rates."""
    across = INERTIA[2] + MASS * ARM**2

    def about(b):
        return INERTIA[0] * np.sin(b) ** 2 + across * np.cos(b) ** 2 + yoke

    return about, across


@pytest.mark.parametrize("yoke", [0.0, JA], ids=["nothing", "inertia alone"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_yoke_without_mass_moves_as_the_closed_form_says(kind, yoke, tmp_path):
    # a'(t) = p / J(b), b'' from the energy: 1/2 I b'^2 + p^2 / (2 J(b)) - m g r sin b is kept
    document = vc.open_model(written(kind, tmp_path, yoke))
    model = document.model
    assert model.bodies[name_of(model, "yoke")].mass == 0
    turn, swing = list(model.joints)[-2:] if kind == "urdf" else list(model.joints)
    start = vc.assemble(model, given={f"{turn}.angle.rate": 3.0, f"{swing}.angle": 0.2})
    result = vc.simulate(start.system, until=1.0, start=start, outputs=20, integrator=TIGHT)
    assert result.complete
    about, across = energies(yoke)
    b, rate = result[f"{swing}.angle"], result[f"{swing}.angle.rate"]
    p = about(b) * result[f"{turn}.angle.rate"]
    assert p == pytest.approx(3.0 * about(0.2), rel=1e-8)
    g = -float(model.gravity[2])
    total = 0.5 * across * rate**2 + p**2 / (2 * about(b)) - MASS * g * ARM * np.sin(b)
    assert total == pytest.approx(total[0], abs=1e-8)
    assert np.ptp(b) > 0.5


def name_of(model, name):
    """Adams calls its parts by number where the deck has no names."""
    return name if name in model.bodies else list(model.bodies)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_accelerations_as_the_model_in_python(kind, tmp_path):
    found = []
    for model in (vc.open_model(written(kind, tmp_path)).model, gimbal()):
        model.gravity[:] = (0, 0, -9.80665)
        turn, swing = [name for name, joint in model.joints.items() if joint.kind == "revolute"]
        state = vc.assemble(model, given={f"{turn}.angle.rate": 2.0, f"{swing}.angle": 0.4,
                                          f"{swing}.angle.rate": -1.0})
        found.append([state[f"{joint}.angle.acceleration"] for joint in (turn, swing)])
    assert found[0] == pytest.approx(found[1], abs=1e-9)


@pytest.mark.filterwarnings("ignore:.*point mass:vincolo.errors.FileWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_where_nothing_determines_a_part_it_is_named_as_the_model_names_it(kind, tmp_path):
    document = vc.open_model(written(kind, tmp_path, yoke=JA, bob=0.0))
    bob = list(document.model.bodies)[-1]
    with pytest.raises(vc.ModelError, match=f"body '{bob}' has no mass, and nothing else determines its motion"):
        document.run(until=0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_report_says_what_was_taken_without_mass(kind, tmp_path):
    assert any("without mass" in line or "no mass" in line
               for line in vc.open_model(written(kind, tmp_path)).report.notes)


def test_frames_on_links_without_mass_keep_their_places(tmp_path):
    model = vc.open_model(written("urdf", tmp_path)).model
    assert model.frames["flange"].body is model.bodies["yoke"]
    assert model.frames["tool0"].body is model.bodies["bob"]
    assert model.frames["tool0"].drawn_point == pytest.approx([1, 0, 0])
    assert model.frames["pedestal"].body.is_ground


# several joints of MuJoCo on one body

CHAINS = {"oblique hinges": '<joint name="a" axis="0 0 1"/><joint name="b" axis="0 1 1"/>',
          "hinges beside each other": '<joint name="a" axis="0 0 1"/><joint name="b" axis="0 1 0" pos="0.1 0 0"/>',
          "three hinges": '<joint name="a" axis="0 0 1"/><joint name="b" axis="0 1 0"/><joint name="c" axis="1 0 0"/>',
          "slide and hinge": '<joint name="a" type="slide" axis="1 0 0"/><joint name="b" axis="0 1 0"/>',
          "slide and ball": '<joint name="a" type="slide" axis="0 1 0"/><joint name="b" type="ball"/>'}


@pytest.mark.parametrize("name", CHAINS)
def test_joints_in_a_row_are_those_of_mujoco(name, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    text = (f'<mujoco><compiler angle="radian"/><worldbody><body name="arm" pos="0.1 0.2 0.3" euler="0.2 0.3 0.4">'
            f'{CHAINS[name]}{INERTIAL}</body></worldbody></mujoco>')
    (tmp_path / "arm.xml").write_text(text)
    model = vc.open_model(tmp_path / "arm.xml").model
    assert [b.name for b in model.bodies.values() if b.mass] == ["arm"]
    start = vc.assemble(model)
    result = vc.simulate(start.system, until=0.5, start=start, outputs=5, integrator=TIGHT)
    theirs = mujoco.MjModel.from_xml_string(text.replace("<worldbody>", '<option timestep="1e-4" integrator="RK4"/>'
                                                         "<worldbody>"))
    data = mujoco.MjData(theirs)
    for k in range(1, 6):
        while data.time < 0.1 * k - 1e-9:
            mujoco.mj_step(theirs, data)
        assert result.motion("arm").position[k] == pytest.approx(data.xpos[1], abs=1e-7)
    assert np.abs(result.motion("arm").angular_velocity[-1]).max() > 0.5
