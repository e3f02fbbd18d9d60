"""Limits of a URDF file as stops."""

import pytest

import vincolo as vc
from vincolo.formats.urdf import read_urdf

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="{low}" upper="{high}" effort="1" velocity="1"/></joint>
</robot>"""


def arm(tmp_path, low=-0.2, high=0.4, **more):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.format(low=low, high=high))
    return read_urdf(path, **more)


def test_limits_hold_where_they_are_asked_for(tmp_path):
    document = arm(tmp_path, limits="stops")
    assert not [line for line in document.report.left_out if "limits -0.2" in line]
    result = vc.simulate(document.model, 1.0)
    assert result["shoulder.angle"].max() == pytest.approx(0.4, abs=1e-9)
    assert result["shoulder_limits.on"][-1] == 1.0


def test_limits_are_watched_otherwise_and_where_they_exclude_the_start(tmp_path):
    assert not arm(tmp_path).model.stops
    assert not arm(tmp_path, low=0.1, limits="stops").model.stops


def test_another_word_is_refused(tmp_path):
    with pytest.raises(vc.ModelError, match="limits is 'soft'; it is 'watched' or 'stops'"):
        arm(tmp_path, limits="soft")
