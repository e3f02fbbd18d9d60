"""Whatever an importer leaves out stops every run of the model, and is listed with its line, until it is accepted."""

import json

import pytest
from typer.testing import CliRunner

import vincolo as vc
from vincolo.cli.app import app
from vincolo.errors import FileWarning

ADM = """title
PART/1, GROUND
MARKER/1, PART=1
PART/2, MASS=1, CM=20, IP=1, 1, 1
MARKER/20, PART=2
JOINT/1, REVOLUTE, I=20, J=1
SPRINGDAMPER/1, I=20, J=1, ROTATIONAL, KT=10, CT=1
FRICTION/1, JOINT=1
END
"""
CMD = """model create model_name = m
marker create marker_name = .m.ground.O
part create rigid_body name_and_position part_name = .m.A
marker create marker_name = .m.A.cm
part create rigid_body mass_properties part_name = .m.A mass = 1 center_of_mass_marker = .m.A.cm ixx=1 iyy=1 izz=1
constraint create joint revolute joint_name = .m.J i_marker_name = .m.A.cm j_marker_name = .m.ground.O
friction create friction_name = .m.F
"""
URDF = """<robot name="r"><link name="base"/><link name="rod"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
<dynamics friction="0.3"/></joint></robot>"""
MJCF = """<mujoco><worldbody><body name="rod"><joint name="hinge" axis="0 1 0"
frictionloss="0.2"/><inertial pos="0 0 -0.5" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>"""
ROD = '<body name="rod"><joint name="hinge" axis="0 1 0"{0}/><inertial pos="0 0 -0.5" mass="1" diaginertia="1 1 1"/>'
BODY = f"<mujoco><worldbody>{ROD}{{1}}</body></worldbody>\n{{2}}</mujoco>"
BESIDE = '<geom size="0.1"/></body><body name="disc"><joint name="s"/><geom size="0.1" pos="9 0 0"/>'
FIXED = '<tendon><fixed name="string" stiffness="3"><joint joint="hinge" coef="1"/></fixed></tendon>'
FILES = {"model.adm": (ADM, 8, "FRICTION"), "model.cmd": (CMD, 7, "friction create"),
         "model.urdf": (URDF, 4, "friction"), "model.xml": (MJCF, None, "frictionloss"),
         "planar.urdf": (URDF.replace("friction", "damping").replace("continuous", "planar").replace(
             "0 1 0", "0 0 1"), 4, "damping 0.3"),
         "range.xml": (BODY.format(' type="ball" range="0 10"', "", ""), 1, "range"),
         "contact.xml": (BODY.format("", BESIDE, ""), 1, "contacts"),
         "tendon.xml": (BODY.format("", "", FIXED), 2, "tendons"),
         "servo.xml": (BODY.format("", "", '<actuator><position joint="hinge" kp="3"/></actuator>'), 2, "position")}
HINGES = {"limits.urdf": URDF.replace('<dynamics friction="0.3"/>', '<limit lower="-1" upper="1"/>').replace(
              "continuous", "revolute"),
          "range.xml": BODY.format(' range="-10 10"', "", "")}
COMMANDS = {"run": ["--until", "0.1"], "statics": ["--stay"], "modes": ["--drawn"]}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FILES)
def test_what_is_missing_is_listed_with_its_line_and_stops_a_run(name, tmp_path):
    text, line, word = FILES[name]
    (tmp_path / name).write_text(text)
    with pytest.warns(FileWarning, match=word):
        document = vc.open_model(tmp_path / name)
    place = f"{name}, line {line}" if line else f"{name}, line "
    assert [left.startswith(place) and word in left for left in document.report.left_out] == [True]
    with pytest.raises(vc.FileError, match=f"{name}: 1 thing in it could not be translated(.|\n)*{word}(.|\n)*accept"):
        document.run(until=0.1)
    assert document.run(until=0.1, accept_missing=True).complete


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("name", FILES)
def test_commands_stop_where_something_is_missing(name, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(FILES[name][0])
    stopped = CliRunner().invoke(app, [words, name, *COMMANDS[words]])
    assert stopped.exit_code == 2 and "--accept-missing" in stopped.output and FILES[name][2] in stopped.output
    assert not list(tmp_path.glob("*_results"))
    as_json = CliRunner().invoke(app, [words, name, *COMMANDS[words], "--json"])
    assert as_json.exit_code == 2 and "--accept-missing" in json.loads(as_json.stdout)["error"]
    accepted = CliRunner().invoke(app, [words, name, *COMMANDS[words], "--accept-missing"])
    assert accepted.exit_code == 0, accepted.output


@pytest.mark.parametrize("name", HINGES)
def test_limits_of_a_hinge_are_kept_as_a_range_and_stop_no_run(name, tmp_path):
    (tmp_path / name).write_text(HINGES[name])
    document = vc.open_model(tmp_path / name)
    assert not document.report.left_out and len(document.model.ranges) == 1
    assert any("watched; nothing stops it there" in note for note in document.report.notes)
    assert document.run(until=0.1).complete
