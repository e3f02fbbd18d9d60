"""Matrices of SymDyn3D: the ways in which they may be written, and what is reported."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.errors import FileWarning
from vincolo.formats.matrices import from_matrices, read_matrices

AXIS = "0,0,0, 0,0,1, 1,0,0"
TEXT = f"NB = 1\nmass = [2]\ninertia = [0.5]\nCON = [[0, 1, revolute, {AXIS}, {AXIS}]]\n"


def read(tmp_path, text):
    path = tmp_path / "model.sym"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_matrices(path)


STYLES = {
    "Maple": f"NB := 1:\nmass := [2]: inertia := [0.5]:\nCON := matrix([[0, 1, 1, {AXIS}, {AXIS}]]):",
    "Maple with sizes": "> mass := vector(1, [2]):\n> inertia := [0.5]:\n"
                        f"> CON := matrix(1, 21, [0, 1, 1, {AXIS}, {AXIS}]):",
    "Matlab": f"mass = [2];\ninertia = [0.5;];\nCON = [0, 1, 'revolute', ... the hinge\n {AXIS}, {AXIS}];",
    "Matlab cells": f"mass = {{2}};\ninertia = 0.5;\nCON = {{0, 1, 'revolute', {AXIS}, {AXIS}}};",
    "comments": f"# one\n% two\n! three\n{TEXT.replace('revolute,', 'revolute, # four' + chr(10))}",
    "carriage returns": TEXT.replace("\n", "\r\n"),
    "old Macintosh": TEXT.replace("\n", "\r"),
    "points in lists": "mass=[2]\ninertia=[0.5]\nCON=[[0,1,R,[[0,0,0],[0,0,1],[1,0,0]],[0,0,0],[0,0,1],[1,0,0]]]",
    "names and constants": f"J1 := [[k,0,0],[0,k,0],[0,0,k]]:\nk = 1/2\nm = 4*k\nh := [{AXIS}]:\nmass = [m]\n"
                           "inertia = [J1]\nCON = [[0,1,revolute,h,h]]",
    "Fortran exponents": TEXT.replace("[2]", "[0.2D+1]"),
}


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_files_may_be_written_in_many_ways(tmp_path, text):
    model = read(tmp_path, text).model
    (body,) = model.bodies.values()
    assert (body.mass, body.inertia.tolist()) == (2.0, np.diag([0.5] * 3).tolist())
    assert model.joints["joint 1"].kind == "revolute"
    assert vc.mobility(model).dof == 1


def test_settings_names_and_title(tmp_path):
    d = read(tmp_path, TEXT + "title = 'a rotor'; names = ['rotor']\nTI = 1; TE = 2*pi; ST := 50:\nindex = 2\n")
    assert (d.model.name, list(d.model.bodies)) == ("a rotor", ["rotor"])
    assert (d.settings.start, d.settings.until, d.settings.outputs) == (1.0, 2 * np.pi, 50)
    assert d.settings.integrator == vc.Radau(index=2)
    assert d.run().t[0] == 1.0


def test_expressions_bare_and_in_quotes_with_constants(tmp_path):
    d = read(tmp_path, TEXT + "A := 3: w = 2*A\nFORCE = [[1, 0, 0, 0, 0, 0, A*cos(w*t), 0, 0, 0, Glob],\n"
                              "         [1, 0, 0, 0, 0, 0, 'A*sin(w*t)', 0, 0, 0, Loc]]\n")
    for t in (0.0, 0.3):
        found = vc.assemble(d.system, t=t)["body 1.alpha_z"]
        assert found == pytest.approx(3 * (np.cos(6 * t) + np.sin(6 * t)) / 0.5, abs=1e-12)


def test_a_file_without_utf8_is_read(tmp_path):
    assert list(read(tmp_path, TEXT.encode() + b"names = ['perch\xe9']\n").model.bodies) == ["perché"]


def test_what_is_not_used_is_listed(tmp_path):
    d = read(tmp_path, TEXT + "w = 3\nFORCE = [[1,0,0,0,0,0,0,0,0,0,Glob]]\n")
    assert d.report.unused == ["model.sym, line 5, column 1: w is not used",
                               "model.sym, line 6, column 10: force and torque are zero"]
    assert "model.sym: 1 joints" in d.report.understood


def hinged(**options):
    axis = [0, 0, 0, 0, 0, 1, 1, 0, 0]
    return from_matrices([[0, 1, 1, *axis, *axis]], [2.0], [0.5], **options)


@pytest.mark.parametrize("q_in", [{4: 0.6, 7: 0.8}, [None, None, None, 0.6, None, None, 0.8], [[4, 0.6], [7, 0.8]],
                                  [["q4", 0.6], ["q7", 0.8]], ["q4 = 0.6", "q[7] = 0.8"]])
def test_initial_positions_may_be_given_in_many_ways(q_in):
    state = hinged(q_in=q_in).start()
    assert [state["body 1.e0"], state["body 1.e3"]] == pytest.approx([0.6, 0.8], abs=1e-12)


def test_rates_that_are_given_as_zero_are_held():
    # a body on a ball: only the rates asked for and those they bring
    axis = [0, 0, 0, 0, 0, 1, 1, 0, 0]
    ball = from_matrices([[0, 1, "spherical", *axis, *axis]], [2.0], [0.5], qp_in={5: 0.5, 6: 0.0, 7: 0.0})
    state = ball.start()
    assert [state[f"body 1.w{axis}"] for axis in "xyz"] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("qp_in", [{7: 0.3}, ["qp7 = 0.3"], ["q[7] = 0.3"], [*[None] * 6, 0.3]])
def test_the_start_is_part_of_the_model(qp_in):
    d = hinged(q_in={7: 0.8}, qp_in=qp_in)
    (body,) = d.model.bodies.values()
    # e3 = sin(a/2), e3' = cos(a/2) a'/2
    assert body.angular_velocity == pytest.approx([0, 0, 0.6 / 0.6], abs=1e-12)
    assert vc.assemble(d.model)["body 1.e3"] == pytest.approx(0.8, abs=1e-12)


def test_euler_parameters_may_have_either_sign(recwarn):
    d = hinged(q_in={4: -0.6, 7: -0.8}, qp_in={7: -0.3})
    (body,) = d.model.bodies.values()
    assert body.orientation[:2, 0] == pytest.approx([0.36 - 0.64, 2 * 0.48], abs=1e-12)  # cos and sin of the turn
    assert body.angular_velocity[2] == pytest.approx(1.0, abs=1e-12)
    assert not recwarn.list


def test_coordinates_that_joints_do_not_allow_are_warned_of():
    with pytest.warns(FileWarning, match=r"q_in: the joints do not allow q1 = 3 with what else is given; it is"):
        state = hinged(q_in={1: 3.0}).start()
    assert state["body 1.x"] == pytest.approx(0.0, abs=1e-12)


def test_a_mechanism_that_cannot_be_closed_is_warned_of():
    far, axis = [5, 0, 0, 5, 0, 1, 6, 0, 0], [0, 0, 0, 0, 0, 1, 1, 0, 0]
    with pytest.warns(FileWarning, match="CON: the initial conditions could not be completed: .*cannot be closed"):
        d = from_matrices([[0, 1, 1, *axis, *axis], [0, 1, 1, *far, *axis]], [1.0], [1.0])
    with pytest.raises(vc.AssemblyError):
        d.start()


def test_the_first_of_two_hinges_is_taken_and_noted():
    axis, up = [0, 0, 0, 0, 0, 1, 1, 0, 0], [0, 0, 1, 0, 0, 2, 1, 0, 1]
    d = from_matrices([[0, 1, 1, *axis, *axis], [0, 1, 1, *up, *up]], [1.0], [1.0],
                      SPDAMPERS=[[1, 0, "5*d", 0, 0, 0, 0, 0, 0, "R"]])
    assert d.model.laws["spring 1"].measure.name == "joint 1.angle"
    assert any("first of the joints 'joint 1', 'joint 2'" in line for line in d.report.notes)
