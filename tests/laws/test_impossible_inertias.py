"""Inertias that break the triangle inequality, as published robots have them: refused unless asked for by name,
and then the same everywhere: in analyses, copies, files and readers, as Newton's and Euler's equations have them."""

from __future__ import annotations

import numpy as np
import pytest

import vincolo as vc
from vincolo.formats import load_model, save_model
from vincolo.formats.mjcf import read_mjcf
from vincolo.formats.urdf import read_urdf

MOMENTS = (0.1, 0.2, 0.9)  # 0.9 > 0.1 + 0.2
TENSOR = np.array([[0.1, 0.01, 0.0], [0.01, 0.2, -0.02], [0.0, -0.02, 0.9]])
WAY_OUT = r"(?s)triangle inequality.*inertia_checked=False.*inertia_checked: false"
URDF = """<robot name="arm"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.2" izz="0.9" ixy="0.01" ixz="0" iyz="-0.02"/></inertial></link>
<joint name="O" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""
MJCF = """<mujoco model="arm"><worldbody><body name="arm"><inertial pos="0.3 0 0" mass="2"
fullinertia="0.1 0.2 0.9 0.01 0 -0.02"/><joint name="O" type="hinge" axis="0 1 0"/></body></worldbody></mujoco>"""


def arm(inertia=TENSOR) -> vc.Model:
    m = vc.Model("arm")
    m.body("arm", 2.0, inertia, com=(0.3, 0, 0), inertia_checked=False)
    m.revolute("O", m.ground, "arm", (0, 0, 0), "y")
    return m


@pytest.mark.parametrize("inertia", [MOMENTS, TENSOR])
def test_they_are_refused_by_a_message_that_names_the_option(inertia):
    with pytest.raises(vc.ModelError, match=WAY_OUT):
        vc.Model().body("arm", 2.0, inertia)
    with pytest.raises(vc.ModelError, match=WAY_OUT):
        vc.MassProperties.given(2.0, inertia=inertia)


def test_negative_moments_stay_refused():
    with pytest.raises(vc.ModelError, match="negative about some axis"):
        vc.Model().body("arm", 2.0, (0.1, 0.2, -0.1), inertia_checked=False)
    with pytest.raises(vc.ModelError, match="inertia_checked is 'no'; it is True or False"):
        vc.Model().body("arm", 2.0, 0.1, inertia_checked="no")


def test_inverse_dynamics_and_motion_are_those_of_euler():
    """A hinge about y sees I_yy + m r^2; a free body keeps I w in its axes: w x I w = -I w'."""
    m = arm()
    torque = vc.inverse_dynamics(m, {"O.angle": [0.4]}, {"O.angle": [2.0]}, {"O.angle": [3.0]})["O.angle"][0]
    assert torque == pytest.approx((0.2 + 2 * 0.09) * 3.0 - 2 * 9.80665 * 0.3 * np.cos(0.4), rel=1e-12)
    free = vc.Model("free", gravity=(0, 0, 0))
    free.body("top", 1.0, TENSOR, angular_velocity=(1.0, 2.0, 0.5), inertia_checked=False)
    w = np.array([1.0, 2.0, 0.5])
    expected = np.linalg.solve(TENSOR, -np.cross(w, TENSOR @ w))
    assert vc.assemble(free).solve().acceleration[0, 3:] == pytest.approx(expected, rel=1e-12)
    result = vc.simulate(free, 1.0)
    assert np.ptp(result["energy.total"]) < 1e-7 * result["energy.total"][0]


@pytest.mark.parametrize("ending", [".yaml", ".xlsx"])
def test_files_keep_them_and_need_the_key(tmp_path, ending):
    path = save_model(arm(), tmp_path / f"arm{ending}")
    found = load_model(path).bodies["arm"]
    assert found.inertia.tolist() == TENSOR.tolist() and not found.inertia_checked
    if ending == ".yaml":
        path.write_text(path.read_text().replace("inertia_checked: false", "inertia_checked: true"))
        with pytest.raises(vc.VincoloError, match=WAY_OUT):
            load_model(path)


def test_cards_have_no_place_for_them(tmp_path):
    with pytest.raises(vc.VincoloError, match=r"inertia of 'arm' breaks the triangle inequality"):
        save_model(arm(), tmp_path / "cards")


def test_results_copies_and_sub_models_keep_them(tmp_path):
    vc.simulate(arm(), 0.1).save(tmp_path / "run.npz")
    assert vc.Result.load(tmp_path / "run.npz", arm())["O.angle"][-1] == vc.simulate(arm(), 0.1)["O.angle"][-1]
    whole = vc.Model("two")
    whole.add("left", arm(), (0, 1, 0), mirror="y")
    whole.add("right", arm().copy(), (0, -1, 0))
    assert not any(body.inertia_checked for body in whole.bodies.values())
    place = save_model(whole, tmp_path / "two.yaml")
    assert [not body.inertia_checked for body in load_model(place).bodies.values()] == [True, True]


def test_parts_added_up_moved_and_taken_out_keep_the_option():
    odd = vc.MassProperties.given(2.0, inertia=MOMENTS, inertia_checked=False)
    ball = vc.shapes.sphere(0.01, mass=0.1)
    for part in (odd.moved((1, 0, 0)), odd + ball, ball + odd, odd - ball):
        assert not part.inertia_checked
    m = vc.Model()
    assert not m.body("odd", odd).inertia_checked
    assert m.body("fine", 1.0, 0.1, inertia_checked=False).inertia_checked  # there is nothing to overlook


@pytest.mark.parametrize("text, read, name", [(URDF, read_urdf, "arm.urdf"), (MJCF, read_mjcf, "arm.xml")])
def test_readers_of_robots_take_them_when_asked(tmp_path, text, read, name):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(vc.VincoloError, match=WAY_OUT):
        read(path)
    document = read(path, inertia_checked=False)
    assert document.model.bodies["arm"].inertia == pytest.approx(TENSOR)
    assert any("breaks the triangle inequality" in note for note in document.report.notes)
    path.write_text(text.replace('"0.9"', '"0.25"').replace("0.9", "0.25"))
    assert not any("triangle" in note for note in read(path, inertia_checked=False).report.notes)
