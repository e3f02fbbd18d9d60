"""Whatever is wrong with a model from another program, the message says file and line, in the user's names, and the
way out."""

import re

import pytest

from vincolo.errors import FileError, FileErrors, ModelError
from vincolo.formats.adams import read_adm
from vincolo.formats.mjcf import read_mjcf
from vincolo.formats.urdf import read_urdf

URDF = """<robot name="arm">
<link name="base"/>
<link name="upper">
  <inertial><origin xyz="0.4 0 0"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>
</link>
<link name="lower">
  <inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
</link>
<joint name="shoulder" type="revolute">
  <parent link="base"/>
  <child link="upper"/>
  <axis xyz="0 1 0"/>
</joint>
<joint name="elbow" type="revolute">
  <parent link="upper"/>
  <child link="lower"/>
  <origin xyz="0.8 0 0"/>
  <axis xyz="0 1 0"/>
</joint>
</robot>
"""

ADM = """ADAMS/View model name: arm
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/1, PART=1
PART/2, MASS=2, CM=20, IP=0.1, 0.2, 0.2
MARKER/20, PART=2, QP=0.4, 0, 0
MARKER/21, PART=2
JOINT/1, REVOLUTE, I=21, J=1
MOTION/1, JOINT=1, FUNCTION=TIME
SPRINGDAMPER/1, I=20, J=1, TRANSLATIONAL, K=10, C=1, LENGTH=0.2
ACCGRAV/KGRAV=-9.8
END
"""

MJCF = """<mujoco model="arm">
<worldbody>
  <body name="upper">
    <joint name="shoulder" axis="0 1 0"/>
    <geom type="box" size="0.4 0.1 0.1"/>
  </body>
</worldbody>
<equality><joint joint1="shoulder"/></equality>
</mujoco>
"""

SOURCES = {"urdf": ("arm.urdf", URDF, read_urdf), "adm": ("arm.adm", ADM, read_adm),
           "mjcf": ("arm.xml", MJCF, read_mjcf)}


def refused(tmp_path, kind, text, message):
    name, _, read = SOURCES[kind]
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileError) as caught:
        read(path)
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)
    return caught.value


CHANGES = [
    ("urdf", "<robot name", "<sdf name", "line 22: .*not well-formed XML .mismatched tag"),
    ("urdf", 'link name="base"', 'link name="upper"', "line 3: there is a second link 'upper'; the first is in line 2"),
    ("urdf", 'link name="base"', "link", "line 2: <link> has no 'name'"),
    ("urdf", 'parent link="upper"', 'parent link="uper"',
     "arm.urdf, line 17: the parent of joint 'elbow', 'uper', is not a link.*Did you mean 'upper'"),
    ("urdf", '<parent link="upper"/>', "", "line 16: joint 'elbow' has no <parent>.*Write <parent link"),
    ("urdf", 'child link="lower"', 'child link="upper"', "line 16: joint 'elbow' has the same link 'upper'"),
    ("urdf", 'parent link="base"', 'parent link="lower"',
     "line 3: the links 'upper', 'lower' are in a loop.*open the loop"),
    ("urdf", 'name="elbow" type="revolute"', 'name="elbow" type="hinge"',
     "line 16: joint 'elbow' has the type 'hinge'; it is one of: revolute.*"),
    ("urdf", 'name="elbow" type="revolute"', 'name="elbow"', "line 16: <joint name='elbow'> has no 'type'"),
    ("urdf", 'name="elbow"', 'name="shoulder"', "line 16: there is a second joint 'shoulder'; the first is in line 11"),
    ("urdf", 'axis xyz="0 1 0"', 'axis xyz="0 0 0"', "line 14: the axis of joint 'shoulder' has no length"),
    ("urdf", 'axis xyz="0 1 0"', 'axis xyz="0 1"', "line 14: xyz of <axis> is '0 1'; 3 finite numbers"),
    ("urdf", 'xyz="0.8 0 0"', 'xyz="0,8 0 0"', "line 19: xyz of <origin> is '0,8 0 0'; 3 finite.*decimal points"),
    ("urdf", 'xyz="0.8 0 0"', 'xyz="nan 0 0"', "line 19: xyz of <origin> is 'nan 0 0'"),
    ("urdf", 'xyz="0.8 0 0"', 'xyz="1e999 0 0"', "line 19: xyz of <origin> is '1e999 0 0'"),
    ("urdf", 'mass value="2"', 'mass value="-2"', "line 4: the mass of link 'upper' is -2 kg; it must not be negative"),
    ("urdf", 'mass value="2"', 'mass value=""', "line 4: <mass> has no 'value'"),
    ("urdf", '<mass value="2"/>', "", "line 4: <inertial> of link 'upper' has no <mass>"),
    ("urdf", '<mass value="2"/>', '<mass value="2"/><mass value="3"/>', "line 4: <inertial> has a second <mass>"),
    ("urdf", 'ixx="0.1" iyy="0.2"', 'ixx="1.1" iyy="0.2"', "line 3: body 'upper'.*triangle inequality"),
    ("urdf", '<axis xyz="0 1 0"/>\n</joint>\n</robot>', '<mimic joint="sholder"/>\n</joint>\n</robot>',
     "line 20: joint 'elbow' mimics 'sholder', which is not a joint.*Did you mean 'shoulder'"),
    ("urdf", '<axis xyz="0 1 0"/>\n</joint>\n</robot>', '<mimic joint="elbow"/>\n</joint>\n</robot>',
     "line 20: joint 'elbow' mimics itself"),
    ("urdf", '<link name="base"/>', '<xacro:arm/><link name="base"/>', "line 2: <xacro:arm> is a macro.*Expand it"),
    ("urdf", "<robot", "<!DOCTYPE robot [<!ENTITY a 'b'>]><robot", "line 1: the file declares a document type"),
    ("adm", "PART/2, MASS=2", "PART/2, MASS=-2", "line 5: PART/2: MASS is -2; it must not be negative.*dummy part"),
    ("adm", "CM=20, ", "", "line 5: PART/2: CM= is missing"),
    ("adm", "CM=20", "CM=1", "line 5: PART/2: CM names marker 1, which is on part 1.*Name a marker of part 2"),
    ("adm", "CM=20", "CM=77", "PART/2: CM names marker 77, which is not in the dataset"),
    ("adm", "IP=0.1, 0.2, 0.2", "IP=0.1, 0.2", "line 5: PART/2: IP is '0.1, 0.2'; 3 or 6 finite number"),
    ("adm", "IP=0.1, 0.2, 0.2", "IP=0.1, 0.2, 9.2", "line 5: .*triangle inequality"),
    ("adm", "QP=0.4, 0, 0", "QP=0.4, x, 0", "line 6: MARKER/20: QP is '0.4'; 3 finite number"),
    ("adm", "QP=0.4, 0, 0", "QP=1e999, 0, 0", "line 6: MARKER/20: QP is '1e999, 0, 0'"),
    ("adm", "MARKER/21, PART=2", "MARKER/21, PART=3", "line 7: MARKER/21: it is on part 3, which is not.*Parts: 1, 2"),
    ("adm", "MARKER/21", "MARKER/20", "line 7: MARKER/20: there are two markers of this number, the first in line 6"),
    ("adm", "PART/2", "PART/1", "there are two parts of this number, the first in line 3"),
    ("adm", "I=21, J=1", "I=22, J=1", "line 8: JOINT/1: I names marker 22, which is not.*Markers: 1, 20, 21"),
    ("adm", "I=21, J=1", "I=21", "line 8: JOINT/1: J= is missing.*number of a marker"),
    ("adm", "I=21, J=1", "I=21, J=20", "line 8: JOINT/1: both its markers are on the part 'PART_2'"),
    ("adm", "JOINT/1, REVOLUTE", "JOINT/1", "line 8: JOINT/1: it has no kind of joint.*Write one of.*REVOLUTE"),
    ("adm", "JOINT/1, REVOLUTE", "JOINT/1, REVOLUTE, FIXED", "line 8: JOINT/1: it has 2 kinds of joint"),
    ("adm", "JOINT=1", "JOINT=2", "line 9: MOTION/1: JOINT names joint 2, which is not in the dataset.*Joints: 1"),
    ("adm", "JOINT=1", "JOINT=one", "line 9: MOTION/1: JOINT is 'one'; it names statements by their numbers"),
    ("adm", "JOINT/1, REVOLUTE", "JOINT/1, CYLINDRICAL",
     "line 9: MOTION/1: it does not say which freedom.*ROTATION or TRANSLATION"),
    ("adm", "K=10", "K=stiff", "line 10: SPRINGDAMPER/1: K is 'stiff'; 1 finite"),
    ("adm", "K=10", "K=10, K=11", "SPRINGDAMPER/1: K is given twice"),
    ("adm", "LENGTH=METER", "LENGTH=METRE", "line 2: UNITS/: LENGTH is 'METRE'.*Use one of: METER.*mean 'METER'"),
    ("adm", "KGRAV=-9.8", "KGRAV=down", "line 11: ACCGRAV/: KGRAV is 'down'"),
    ("mjcf", 'type="box"', 'type="mesh"', "line 5: .* of a geom of type 'mesh', in body 'upper'.*vincolo.shapes.mesh"),
    ("mjcf", 'size="0.4 0.1 0.1"', 'size="0.4 0.1"', "line 5: size of <geom> is '0.4 0.1'; 3 finite"),
    ("mjcf", 'size="0.4 0.1 0.1"', 'size="0.4 0.1 -0.1"', "line 3: box: size.*must be positive"),
    ("mjcf", "<geom", '<inertial mass="-1" pos="0 0 0" diaginertia="1 1 1"/><geom', "line 3: .*the mass is -1 kg"),
    ("mjcf", 'axis="0 1 0"', 'type="screw"', "line 4: .*has the type 'screw'; it is hinge, slide, ball or free"),
    ("mjcf", 'name="upper"', 'name="upper" quat="1 0 0 0" euler="0 0 0"', "line 3: .*has quat and euler.*Keep one"),
    ("mjcf", 'name="upper"', 'name="upper" quat="0 0 0 0"', "line 3: quat of <body name='upper'> has no length"),
    ("mjcf", 'type="box"', 'type="box" class="x"', "line 5: <geom> is of the class 'x', which no <default> has"),
    ("mjcf", 'joint1="shoulder"', 'joint1="sholder"', "line 8: joint1 of <joint> is 'sholder'.*mean 'shoulder'"),
    ("mjcf", "<equality><joint joint1=\"shoulder\"/>", '<equality><connect body1="uper" anchor="0 0 0"/>',
     "line 8: body1 of <connect> is 'uper', which is not a body.*Did you mean 'upper'"),
    ("mjcf", "<worldbody>", '<worldbody><joint name="j"/>', "line 2: the world has no joints"),
]


@pytest.mark.parametrize(("kind", "old", "new", "message"), CHANGES)
def test_a_mistake_is_told_with_its_line_and_a_way_out(tmp_path, kind, old, new, message):
    source = SOURCES[kind][1]
    assert old in source
    error = refused(tmp_path, kind, source.replace(old, new, 1), message)
    assert "\n  " in str(error) and str(error).startswith("arm.")


@pytest.mark.parametrize("kind", SOURCES)
def test_the_unchanged_sources_are_read(tmp_path, kind):
    name, text, read = SOURCES[kind]
    (tmp_path / name).write_text(text)
    document = read(tmp_path / name)
    assert document.model.bodies and document.path == tmp_path / name and not document.report.left_out


@pytest.mark.parametrize(("kind", "wanted"), [("urdf", "a URDF file"), ("adm", "a dataset of Adams"),
                                              ("mjcf", "an MJCF file")])
def test_files_that_are_not_what_they_should_be(tmp_path, kind, wanted):
    read = SOURCES[kind][2]
    with pytest.raises(FileError, match=f"there is no such file.\n  Give the path of {wanted}"):
        read(tmp_path / "missing")
    with pytest.raises(FileError, match=f"this is a folder.\n  Give the path of {wanted}"):
        read(tmp_path)
    with pytest.raises(FileError, match="cannot be read"):
        read(tmp_path / "a\0b")
    refused(tmp_path, kind, "", "not well-formed XML .no element found|there is no statement in it")
    refused(tmp_path, kind, b"\x00\x01\x02\xff", "not well-formed|zero bytes")
    refused(tmp_path, kind, b" " * 20_000_001, "more than 20 MB, which is the limit")


@pytest.mark.parametrize("kind", ["urdf", "mjcf"])
def test_xml_that_attacks_its_reader_is_refused(tmp_path, kind):
    bomb = ('<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY a{k} "{f"&a{k - 1 if k else str()};" * 10}">' for k in range(10)) + "]>\n<robot>&a9;</robot>")
    refused(tmp_path, kind, bomb, "line 2: the file declares a document type or entities.*Remove <!DOCTYPE")
    deep = "<a>" * 300 + "</a>" * 300
    refused(tmp_path, kind, deep, "more than 200 deep")
    refused(tmp_path, kind, '<?xml version="1.0" encoding="no-such"?><robot/>', "line 1: .*Save the file as UTF-8")
    refused(tmp_path, kind, "<other/>", "the file begins with <other>, not with <(robot|mujoco)>")


def test_all_mistakes_are_told_together(tmp_path):
    text = URDF.replace('xyz="0.8 0 0"', 'xyz="0.8 0"').replace('parent link="base"', 'parent link="bass"')
    error = refused(tmp_path, "urdf", text, "arm.urdf: 2 mistakes.*1. arm.urdf, line 12.*2. arm.urdf, line 19")
    assert isinstance(error, FileErrors) and len(error.mistakes) == 2
    text = ADM.replace("I=21, J=1\n", "I=99, J=1\n").replace("I=20, J=1,", "I=98, J=1,")
    refused(tmp_path, "adm", text, "2 mistakes.*line 8: .*marker 99.*line 10: .*marker 98")


def test_two_parents_and_two_bases(tmp_path):
    second = '<joint name="extra" type="fixed"><parent link="base"/><child link="lower"/></joint>\n</robot>'
    refused(tmp_path, "urdf", URDF.replace("</robot>", second),
            "line 22: link 'lower' is the child of two joints: 'elbow' and 'extra'.*form a tree")
    refused(tmp_path, "urdf", URDF.replace("</robot>", '<link name="island"/></robot>'),
            "line 1: there are 2 links that no joint moves: 'base', 'island'.*one base link")


def test_a_mesh_without_mass_says_how_to_get_it(tmp_path):
    mesh = '<link name="upper"><visual><geometry><mesh filename="upper.stl"/></geometry></visual></link>'
    text = re.sub(r'<link name="upper">.*?</link>', mesh, URDF, count=1, flags=re.DOTALL)
    (tmp_path / "arm.urdf").write_text(text)
    notes = "\n".join(read_urdf(tmp_path / "arm.urdf").report.notes)
    assert re.search(r'line 3: link \'upper\' is moved.*vincolo.shapes.mesh\("part.stl", density=...\)', notes), notes


def test_a_base_that_is_neither_ground_nor_free(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    with pytest.raises(ModelError, match="base is 'flying'; it is 'ground' or 'free'"):
        read_urdf(tmp_path / "arm.urdf", base="flying")
