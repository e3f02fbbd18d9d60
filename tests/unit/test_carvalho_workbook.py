"""What a workbook in the layout of Carvalho (2022) becomes: its settings, bodies, joints and texts."""

import warnings

import numpy as np
import pytest

import vincolo as vc
from carvalho_workbooks import BODY, GROUND, HINGE, body, made, rows, sheets
from vincolo.errors import FileError, FileWarning
from vincolo.formats.excel.carvalho import is_carvalho
from vincolo.formats.excel.carvalho.handles import formula_text
from vincolo.formats.excel.carvalho.settings import numbers_or_names
from vincolo.formats.excel.sheets import Sheet, Workbook
from vincolo.model.functions import Expression

FREE = {"Gravity Magnitude": 0}


def test_the_layout_is_recognised_by_its_sheet(tmp_path):
    book = Workbook(tmp_path / "a.xlsx", {"Sim Param": Sheet("a.xlsx", "Sim Param")})
    assert is_carvalho(book)
    assert not is_carvalho(Workbook(tmp_path / "a.xlsx", {"Bodies": Sheet("a.xlsx", "Bodies")}))


def test_settings_of_a_run(tmp_path):
    found = made(tmp_path, **{"Run simulation for": "2,5", "Time Step": "0,01", "Gravity Direction": "Z",
                              "Gravity Magnitude": 9.81, "Integrator": "ode113", "Tolerance": 1e-6,
                              "Formulation": "Augmented Lagrangian"})
    assert (found.settings.until, found.settings.outputs, found.settings.analysis) == (2.5, 250, "dynamics")
    assert found.model.gravity.tolist() == [0, 0, 9.81]
    assert found.settings.integrator == vc.Adams(rtol=1e-6, atol=1e-8)
    assert found.settings.formulation == vc.AugmentedLagrangian()


def test_a_fixed_step_is_the_time_step(tmp_path):
    found = made(tmp_path, **{"Integrator": "RK4", "Time Step": 0.002})
    assert found.settings.integrator == vc.RK4(step=0.002)


def test_headers_are_found_in_any_order_with_explanations_and_units_around(tmp_path):
    content = sheets()
    shuffled = list(reversed(BODY))
    data = dict(zip(BODY, content["Bodies"][2], strict=True))
    content["Bodies"] = [["A title"], ["Everything is in global axes."], [], [name.upper() for name in shuffled],
                         ["kg m2" if n.startswith("I") else "[m]" if n in "xyz" else "-" for n in shuffled], [],
                         [GROUND.get(name) for name in shuffled], [],
                         [data[name] for name in shuffled]]
    content["JointsDrivers"] = content.pop("Joints Drivers")
    content["FORCE elements"] = content.pop("Force Elements")
    plain, moved = made(tmp_path), made(tmp_path, content)
    for key in ("mass", "inertia", "at", "orientation"):
        assert np.array_equal(getattr(plain.model.bodies["Bar"], key), getattr(moved.model.bodies["Bar"], key))
    assert len(moved.model.joints) == 1


def test_repeated_headers_are_told_apart_by_their_groups(tmp_path):
    content = sheets()
    content["Bodies"] = [
        [None, "Input Type 1: point on y axis BF", None, None, "point on x axis BF", None, None, "Body Frame Origin"],
        ["Bodies ID", "x", "y", "z", "x", "y", "z", "x", "y", "z", "Mass", "Ixx", "Iyy", "Izz"],
        ["Absolute Frame"], ["Bar", 0, 2, 3, 1, 3, 3, 1, 2, 3, 2, 0.1, 0.2, 0.2]]
    bar = made(tmp_path, content).model.bodies["Bar"]
    assert bar.at.tolist() == [1, 2, 3]
    assert np.allclose(bar.orientation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])


def test_unknown_columns_sheets_and_settings_are_listed(tmp_path):
    content = sheets(Colour="blue")
    content["Notes"] = [["anything"]]
    content["Bodies"][0].append("Comment by the workshop")
    content["Joints"].insert(1, ["All hinges are greased before the first run of the day, and after it."])
    found = made(tmp_path, content)
    listed = "\n".join(found.report.unused)
    for words in ("'Notes'", "'Comment by the workshop'", "'Colour'", "greased"):
        assert words in listed


def test_a_misspelt_column_is_warned_of(tmp_path):
    content = sheets()
    content["Bodies"][0].append("Torqe x")
    with pytest.warns(FileWarning, match="Did you mean 'torquex'"):
        made(tmp_path, content)


def test_units_that_contradict_simparam_are_warned_of(tmp_path):
    content = sheets()
    content["Bodies"].insert(1, ["", "mm", "mm", "mm"])
    with pytest.warns(FileWarning, match="cell B2: the unit here is mm, but SimParam says m"):
        made(tmp_path, content)


# bodies

def bryant(a, b, c):
    """Eq. 2.12 of the thesis, with a11 corrected."""
    s1, s2, s3, c1, c2, c3 = np.sin(a), np.sin(b), np.sin(c), np.cos(a), np.cos(b), np.cos(c)
    return np.array([[c2 * c3, -c2 * s3, s2], [c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -s1 * c2],
                     [s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2]])


def euler_parameters(u, angle):
    """Eqs. 2.13 to 2.16."""
    e0, (e1, e2, e3) = np.cos(angle / 2), np.array(u) / np.linalg.norm(u) * np.sin(angle / 2)
    return 2 * np.array([[e0**2 + e1**2 - 0.5, e1 * e2 - e0 * e3, e1 * e3 + e0 * e2],
                         [e1 * e2 + e0 * e3, e0**2 + e2**2 - 0.5, e2 * e3 - e0 * e1],
                         [e1 * e3 - e0 * e2, e2 * e3 + e0 * e1, e0**2 + e3**2 - 0.5]])


def turned(tmp_path, **cells):
    return made(tmp_path, bodies=[body(**cells)], joints=[]).model.bodies["Bar"].orientation


def test_orientations_follow_the_equations_of_the_thesis(tmp_path):
    angles, u, angle = (0.3, -0.7, 1.1), (1.0, 2.0, -2.0), 0.9
    by_angles = turned(tmp_path, Roll=angles[0], Pitch=angles[1], Yaw=angles[2])
    assert np.allclose(by_angles, bryant(*angles), atol=1e-14)
    by_turn = turned(tmp_path, u1=u[0], u2=u[1], u3=u[2], **{"Rot Ang": angle})
    assert np.allclose(by_turn, euler_parameters(u, angle), atol=1e-14)


def axis_points(R, at=(1.0, 0.0, 0.0), size=0.4):
    points = np.array(at)[:, None] + size * R[:, :2]
    return {f"{a}-axis {x}": points[i, k] for k, a in enumerate("xy") for i, x in enumerate("xyz")}


def test_two_inputs_may_say_the_same(tmp_path):
    R = bryant(0.3, -0.7, 1.1)
    found = turned(tmp_path, Roll=0.3, Pitch=-0.7, Yaw=1.1, **axis_points(R))
    assert np.allclose(found, R, atol=1e-12)


def test_axes_that_are_almost_square_keep_x(tmp_path):
    x, y = np.array([1.0, 0, 0]), np.array([5e-4, 1.0, 0])
    found = turned(tmp_path, **axis_points(np.column_stack([x, y, np.cross(x, y)])))
    assert np.allclose(found, np.eye(3), atol=1e-14)


def test_rounded_moments_are_made_possible_and_noted(tmp_path):
    found = made(tmp_path, bodies=[body(Ixx=4.71e-5, Iyy=7.86e-2, Izz=7.87e-2)])
    moments = np.diag(found.model.bodies["Bar"].inertia)
    assert moments == pytest.approx([4.71e-5, 7.862645e-2, 7.867355e-2], abs=1e-12)
    assert "rounding" in found.report.notes[0]


def test_bodies_are_found_by_number_and_by_name(tmp_path):
    names = [{**HINGE, "Body i": i, "Body j": j} for i, j in ((1, 2), ("Absolute Frame", "BAR"), ("ground", "2"))]
    for joint in names:
        hinge = made(tmp_path, joints=[joint]).model.joints["O"]
        assert (hinge.a.body.name, hinge.b.body.name) == ("ground", "Bar")


def test_bodies_may_be_numbered_and_named_with_points(tmp_path):
    found = made(tmp_path, bodies=[body("2"), body("Arm no.1")], joints=[{**HINGE, "Body j": "Arm no.1"}])
    assert list(found.model.bodies) == ["Body 2", "Arm no_1"]


def test_a_force_that_is_a_function_moves_a_free_body(tmp_path):
    """m a = 3 sin(2 t): x = 1 + 3/(4 m) (2 t - sin(2 t)); I alpha = 0.5: turned by t^2 / (2 I) 0.5."""
    found = made(tmp_path, bodies=[body(Fx="@(t) 3*sin(2.*t)", Tz=0.5)], joints=[], Tolerance=1e-11, **FREE)
    result = found.run()
    exact = 1 + 3 / (4 * 2) * (2 * result.t - np.sin(2 * result.t))
    assert np.abs(result["Bar.x"] - exact).max() < 1e-9
    assert result["Bar.wz"][-1] == pytest.approx(0.5 / 0.2, abs=1e-8)


def test_initial_velocities_are_corrected_by_mass(tmp_path):
    """A bar pinned at 1 m: of v = 3 m/s and no spin remains w = m v L/(m L^2 + I), by least change weighted by mass."""
    found = made(tmp_path, bodies=[body(vy=3.0)], **FREE)
    with pytest.warns(FileWarning, match="other velocities than typed"):
        state = found.start()
    w = 2 * 3.0 / (2 + 0.2)
    assert state.y[7:13] == pytest.approx([0, w, 0, 0, 0, w], abs=1e-12)


def test_consistent_velocities_are_kept_without_a_word(tmp_path):
    found = made(tmp_path, bodies=[body(vy=3.0, wz=3.0)], **FREE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state = found.start()
    assert state.y[7:13] == pytest.approx([0, 3, 0, 0, 0, 3], abs=1e-12)


# joints

@pytest.mark.parametrize(("cells", "kind", "dof"), [
    ({"ID": "Spherical"}, "spherical", 3), ({"ID": "revolute"}, "revolute", 1),
    ({"ID": "Cylindrical"}, "cylindrical", 2),
    ({"ID": "Translation"}, "prismatic", 1), ({"ID": "Universal", "sj x": 1, "sj y": 0, "sj z": 0}, "universal", 2),
    ({"ID": "CompSpherical", "x2": 1, "y2": 0.5, "z2": 0}, "distance", 5), ({"ID": "Ground"}, "fixed", 0),
    ({"ID": "Sph Rev", "x2": 1, "y2": 0.5, "z2": 0}, "spherical_revolute", 4),
    ({"ID": "TraRev", "x2": 1, "y2": 0.5, "z2": 0}, "slot", 2)])
def test_every_joint_leaves_its_freedom(tmp_path, cells, kind, dof):
    own = {**HINGE, **cells}
    if kind == "fixed":
        own |= {"Body i": 2, "Body j": None}
    found = made(tmp_path, joints=[own])
    assert found.model.joints["O"].kind == kind
    assert vc.mobility(found.system).dof == dof


def test_held_coordinates_and_points(tmp_path):
    simple = {"ID": "Simple", "Name": "slide", "Body i": "Bar", "Direction": "2; 3; 4;5;6"}
    point = {"ID": "Points", "Body i": 2, "x": 1, "y": 0.5, "z": 0}
    found = made(tmp_path, joints=[simple, point], bodies=[body(Fx=4.0)])
    assert vc.mobility(found.system).dof == 1
    result = found.run()
    assert result["P1.x"] == pytest.approx(1 + 0.5 * 4 / 2 * result.t**2, abs=1e-9)
    assert np.abs(result["P1.y"] - 0.5).max() < 1e-9


def test_graphs_become_channels(tmp_path):
    joints = [HINGE, {"ID": "Points", "Name": "Tip", "Body i": 2, "x": 2, "y": 0, "z": 0}]
    found = made(tmp_path, joints=joints, **{"Position": "Yes", "Angular Velocity": "yes", "Joints": "Yes", "Bodies": 2,
                                             "Points": "1", "Translational Velocity": "No"})
    assert found.settings.channels == ("Bar.x", "Bar.y", "Bar.z", "Bar.wx", "Bar.wy", "Bar.wz", "Tip.x", "Tip.y",
                                       "Tip.z", "Tip.wx", "Tip.wy", "Tip.wz", "O.angle")
    result = found.run(until=0.02, outputs=2)
    assert all(len(result[name]) == 3 for name in found.settings.channels)


def test_post_processing_names_its_points(tmp_path):
    content = sheets(joints=[HINGE, {"ID": "Points", "Body i": 2, "x": 2, "y": 0, "z": 0}],
                     **{"Post Processing": "Yes"})
    content["PosProcessing"] = [["ID", "Point"], ["UpperBallJoint", 1]]
    assert any("'P1' is 'UpperBallJoint'" in note for note in made(tmp_path, content).report.notes)
    content["SimParam"][-1] = ["Post Processing", "No"]
    assert any("PosProcessing" in line for line in made(tmp_path, content).report.unused)


# texts

@pytest.mark.parametrize(("text", "t", "value"), [
    ("@(t) 3*sin(2*t)", 0.4, 3 * np.sin(0.8)), ("@(x)x.^2./4 ;", 3.0, 2.25), ("@( t ) 2.*t", 1.5, 3.0),
    ("-t^2", 3.0, -9.0), ("@(t) exp(-t)*pi + sign(t)", 0.0, np.pi), ("(2^3)^2", 0.0, 64.0), ("2^(3^2)", 0.0, 512.0),
    ("@(tau) tau + 1e-3", 1.0, 1.001), ("@(t) 3.*(t>1)", 2.0, 3.0), ("@(t) 3*(t>1)", 1.0, 0.0),
    ("@(x) (x>=1 && x^2~=2)*5 + (x<0 | x^2==1)", 1.0, 6.0), ("if(t > 1, 2^t, t)", 3.0, 8.0)])
def test_function_handles(text, t, value):
    assert Expression(formula_text(text))(t) == pytest.approx(value, abs=1e-14)


@pytest.mark.parametrize("text", ["2^3^2", "2^-3^2", "t^(2)^3", "2 ^ 3 ^ 2"])
def test_two_powers_in_a_row_are_refused(text):
    with pytest.raises(FileError, match="two powers in a row"):
        formula_text(text)


def test_lists_of_numbers_and_names():
    assert numbers_or_names("2; 3") == numbers_or_names("2 3") == numbers_or_names("2,3") == ["2", "3"]
    assert numbers_or_names("Rod 1; Rod 2") == ["Rod 1", "Rod 2"]
    assert numbers_or_names("") == []


def test_tables_may_be_repeated_for_each_kind_of_joint(tmp_path):
    content = sheets(bodies=[body(), body("Arm", 2.0)])
    content["Joints"] = [["Revolute joints"], *rows("Joints", HINGE), [], ["Spherical joints"],
                         ["ID", "Body i", "Body j", "x", "y", "z"], ["Spherical", 2, 3, 1.5, 0, 0]]
    found = made(tmp_path, content)
    assert [joint.kind for joint in found.model.joints.values()] == ["revolute", "spherical"]


def test_sheets_may_be_empty(tmp_path):
    content = {**sheets(), "Joints Drivers": [], "Force Elements": [], "PosProcessing": []}
    assert list(made(tmp_path, content).model.joints) == ["O"]
    content["Bodies"] = []
    with pytest.raises(FileError, match="no bodies besides"):
        made(tmp_path, content)
