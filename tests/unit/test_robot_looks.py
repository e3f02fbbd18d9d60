"""Robots from files are shown with their shapes and colours, and their motors are inputs."""

import numpy as np
import pytest

from vincolo.formats import open_model
from vincolo.scene import scene_of

URDF = """<robot name="arm"><material name="steel"><color rgba="0.5 0.5 1 1"/></material><link name="world"/>
<link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0.5 0 0" rpy="0 1.5707963 0"/><geometry><cylinder radius="0.02" length="1"/></geometry>
<material name="steel"/></visual>
<visual><geometry><box size="0.1 0.2 0.3"/></geometry><material name="x"><color rgba="1 0 0 1"/></material></visual>
<visual><geometry><mesh filename="package://arm/MESH"/></geometry></visual></link>
<joint name="hinge" type="revolute"><parent link="world"/><child link="bar"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
MJCF = """<mujoco model="arm"><asset><material name="red" rgba="1 0 0 1"/></asset><worldbody>
<body name="bar" pos="0 0 1"><joint name="hinge" type="hinge" axis="0 1 0" damping="2"/>
<geom name="rod" type="capsule" fromto="0 0 0 1 0 0" size="0.05" material="red"/>
<geom type="box" pos="1 0 0" size="0.1 0.1 0.1" rgba="0 1 0 1"/></body></worldbody>
<actuator><motor name="m1" joint="hinge" gear="3" ctrlrange="-2 2"/></actuator></mujoco>"""


def written(folder, name, text):
    (folder / name).write_text(text)
    return open_model(folder / name)


def test_visuals_of_urdf_are_shown(tmp_path):
    found = written(tmp_path, "arm.urdf", URDF)
    looks = found.model.looks["bar"]
    assert [(look.kind, look.colour) for look in looks] == [("cylinder", "#8080ff"), ("box", "#ff0000")]
    assert looks[0].at == pytest.approx([0.5, 0, 0])
    assert looks[0].orientation[:, 2] == pytest.approx([1, 0, 0], abs=1e-6)
    assert any("its mesh 'package://arm/MESH' is not found" in line for line in found.report.unused)
    assert not found.report.left_out
    cylinder = next(item for item in scene_of(found.model).items if item.name == "bar/0")
    low, high = cylinder.mesh.vertices.min(axis=0), cylinder.mesh.vertices.max(axis=0)
    assert (low[0], high[0]) == (pytest.approx(0, abs=1e-6), pytest.approx(1, abs=1e-6)) and high[2] < 0.021


def test_meshes_are_found_in_packages_around_the_file(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    (tmp_path / "arm" / "urdf").mkdir(parents=True)
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "arm" / "part.stl")
    text = URDF.replace('"package://arm/MESH"', '"package://arm/part.stl" scale="0.1 0.1 0.1"')
    found = written(tmp_path / "arm" / "urdf", "arm.urdf", text)
    mesh = found.model.looks["bar"][2]
    assert mesh.kind == "mesh" and mesh.numbers["scale"] == 0.1
    item = next(item for item in scene_of(found.model).items if item.name == "bar/2")
    assert np.ptp(item.mesh.vertices, axis=0) == pytest.approx([0.1, 0.1, 0.1])


def test_wrong_visuals_change_no_motion(tmp_path):
    wrong = URDF.replace('radius="0.02"', 'radius="-1"').replace('size="0.1 0.2 0.3"', "")
    found = written(tmp_path, "arm.urdf", wrong)
    assert "bar" not in found.model.looks and sum("is not shown" in line for line in found.report.unused) == 3


def test_geoms_of_mjcf_are_shown_in_their_colours(tmp_path):
    model = written(tmp_path, "arm.xml", MJCF).model
    rod, box = model.looks["bar"]
    assert (rod.kind, rod.colour, box.kind, box.colour) == ("skin", "#ff0000", "box", "#00ff00")
    vertices = next(item for item in scene_of(model).items if item.name == "bar/0").mesh.vertices
    assert (vertices[:, 0].min(), vertices[:, 0].max()) == pytest.approx((-0.05, 1.05), abs=2e-3)
    assert box.at == pytest.approx([1, 0, 0]) and box.numbers["size"] == [0.2, 0.2, 0.2]


def test_motors_of_mjcf_are_inputs_with_gear_and_limits(tmp_path):
    """Against MuJoCo's own joint torque: gear times the control, kept within its range."""
    mujoco = pytest.importorskip("mujoco")
    found = written(tmp_path, "arm.xml", MJCF)
    assert list(found.model.inputs) == ["m1"] and not found.report.left_out
    theirs = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(theirs)
    for control in (0.0, 1.5, -7.0):
        result = found.run(until=1e-3, outputs=1, inputs={"m1": control}, accept_missing=True)
        mujoco.mj_resetData(theirs, data)
        data.ctrl[0] = control
        mujoco.mj_forward(theirs, data)
        assert result["m1_torque.force"][0] == pytest.approx(data.qfrc_actuator[0], abs=1e-12)
        assert result["hinge.angle.acceleration"][0] == pytest.approx(data.qacc[0], rel=2e-3)  # their gravity is 9.81
