"""Masses of parts from a table of a CAD program."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.cad import chassis_of, read_masses

TABLE = """part,mass [g],x [mm],y [mm],z [mm],ixx [kg mm2],iyy [kg mm2],izz [kg mm2],ixy [kg mm2]
frame,30000,0,0,300,2e6,9e6,1e7,1e4
engine,40000,-500,20,250,1e6,1e6,1e6,0

left wheel,6000,800,600,228,8e4,1.6e5,8e4,0
"""


def test_parts_are_read_in_si_and_add_up_by_steiner(tmp_path):
    path = tmp_path / "masses.csv"
    path.write_text(TABLE)
    parts = read_masses(path)
    assert list(parts) == ["frame", "engine", "left wheel"] and parts["frame"].mass == pytest.approx(30.0)
    chassis = chassis_of(parts, ["left wheel"])
    masses, places = np.array([30.0, 40.0]), np.array([[0, 0, 0.3], [-0.5, 0.02, 0.25]])
    com = masses @ places / 70.0
    assert (chassis.mass, *chassis.com) == pytest.approx((70.0, *com))
    inertia = np.diag([2.0, 9.0, 10.0]) + np.diag([1.0, 1.0, 1.0])
    inertia[0, 1] = inertia[1, 0] = 0.01
    for m, p in zip(masses, places - com, strict=True):
        inertia = inertia + m * (p @ p * np.eye(3) - np.outer(p, p))
    assert np.asarray(chassis.inertia) == pytest.approx(inertia, abs=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("part,", "name,", "the first column is called 'part'"),
        ("mass [g]", "mas [g]", "no column 'mas'.*Did you mean 'mass'"),
        ("x [mm]", "x [kg]", r"\[kg\] is not a unit of x"),
        ("30000", "heavy", "line 2, column mass: 'heavy' is not a number"),
        ("30000", "-1", "must be positive"),
        ("engine", "frame", "is there twice"),
        ("z [mm]", "iyz", "columns z are missing"),
        ("2e6,9e6,1e7", "2e6,9e6,1e9", "line 2, part 'frame'"),
    ],
)
def test_bad_tables_are_named_with_their_lines(tmp_path, old, new, words):
    path = tmp_path / "masses.csv"
    path.write_text(TABLE.replace(old, new, 1))
    with pytest.raises(vc.ModelError, match=words):
        read_masses(path)


def test_parts_that_are_not_there_are_named(tmp_path):
    path = tmp_path / "masses.csv"
    path.write_text(TABLE)
    with pytest.raises(vc.ModelError, match="no part 'left weel'.*Did you mean"):
        chassis_of(read_masses(path), ["left weel"])
