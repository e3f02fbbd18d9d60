"""Every mistake in a workbook of Carvalho's layout is told with its sheet and cell, and with a way out."""

import re
import warnings
import zipfile

import openpyxl
import pytest

from carvalho_workbooks import BODY, GROUND, HEADERS, HINGE, body, made, read, rows, save, sheets
from vincolo.errors import FileError, FileErrors, VincoloError

SPRING = {"ID": "Spring", "Body i": 1, "Body j": 2, "xi": 0, "yi": 2, "zi": 0, "xj": 1, "yj": 0, "zj": 0,
          "Coefficient": 5, "Undeformed length": 1}
DRIVE = {"Body": 2, "Direction index": 6, "Function": "@(t) t"}
KIN = {"Type of Simulation": "Kin"}
SLIDE = {**HINGE, "ID": "TraRev", "x2": 1, "y2": 0, "z2": 0}


def joint(**cells):
    return {"joints": [{**HINGE, **cells}]}


def bar(**cells):
    return {"bodies": [body(**cells)]}


def spring(**cells):
    return {"elements": [{**SPRING, **cells}]}


def drive(**cells):
    return {"drivers": [{**DRIVE, **cells}], **KIN}


def cell(sheet, name, row=3):
    """The place of a column in a message."""
    from openpyxl.utils import get_column_letter

    return f"car.xlsx, sheet '{sheet}', cell {get_column_letter(HEADERS[sheet].index(name) + 1)}{row}: "


BAD = {
    "unknown type of simulation": ({"Type of Simulation": "Static"}, "sheet 'SimParam', cell B3", "Kin, Dyn"),
    "unknown units": ({"Units System": "inch"}, "'SimParam', cell B6", "MMKS"),
    "no units": ({"Units System": None}, "'Units System' is missing", "SI"),
    "no duration": ({"Run simulation for": None}, "'Run simulation for' is missing", "seconds"),
    "negative duration": ({"Run simulation for": -1}, "cell B1: the duration is -1 s", "seconds"),
    "duration in words": ({"Run simulation for": "ten"}, "cell B1: 'ten' is not a number", "0.25"),
    "step longer than the run": ({"Time Step": 3}, "cell B2: the time step is 3 s", "positive"),
    "step of zero": ({"Time Step": 0}, "cell B2: the time step is 0 s", "positive"),
    "a billion outputs": ({"Time Step": 1e-9}, "cell B2: the time step", "10,000,000"),
    "gravity of the other units": ({"Gravity Magnitude": -9806.65}, "cell B5: gravity is -9806.65 m/s2", "9.80665"),
    "gravity in metres with mmks": ({"Units System": "MMKS"}, "cell B5: gravity is -9.81 mm/s2", "9806.65"),
    "gravity nowhere": ({"Gravity Direction": "down"}, "cell B4: the direction of gravity is 'down'", "x, y or z"),
    "unknown integrator": ({"Integrator": "Radeau"}, "cell B7: there is no integrator called 'Radeau'", "mean 'Radau'"),
    "impossible tolerance": ({"Tolerance": -1}, "cell B7: the tolerance is -1", "1e-13"),
    "neither yes nor no": ({"Position": "maybe"}, "cell B7: 'maybe'", "Yes, No"),
    "bodies read as a decimal": ({"Position": "Yes", "Bodies": 2.3}, "row 8: 2.3 is one number", "2; 3"),
    "no such body to draw": ({"Position": "Yes", "Bodies": 7}, "there is no moving body '7'", "2 Bar"),
    "no such point to draw": ({"Position": "Yes", "Points": 1}, "there is no point '1'", "none"),
    "first body is not the ground": (None, "cell A2: the first body is 'Frame'", "Absolute Frame"),
    "mass as a text": (bar(Mass="heavy"), cell("Bodies", "Mass") + "'heavy' is not a number", "0.25"),
    "no mass": (bar(Mass=None), cell("Bodies", "Mass") + "there is no mass", "write 0 for a part without mass"),
    "negative mass": (bar(Mass=-1), cell("Bodies", "Mass") + "the mass is -1 kg", "0 is a part without mass"),
    "ambiguous number": (bar(x="1.234,5"), cell("Bodies", "x") + "'1.234,5' can be read in two ways", "1234.5"),
    "impossible inertia": (bar(Izz=0.9), "sheet 'Bodies', row 3: body 'Bar': the inertia breaks", "units"),
    "two bodies of one name": ({"bodies": [body(), body("bar")]}, cell("Bodies", "Bodies ID", 4), "of its own"),
    "number of another row": (bar(**{"Bodies ID": "7"}), cell("Bodies", "Bodies ID") + "the body is called 7", "order"),
    "oblique axes": (bar(**{"x-axis x": 2, "x-axis y": 0, "y-axis x": 1.1, "y-axis y": 1, "y-axis z": 0}),
                     cell("Bodies", "y-axis x") + "the x and y axes are at 84.2894 degrees", "digits"),
    "axis through nothing": (bar(**{"x-axis x": 1, "x-axis y": 0, "x-axis z": 0, "y-axis x": 1, "y-axis y": 1}),
                             cell("Bodies", "x-axis x") + "the point on the x axis is the centre", "away"),
    "two orientations": (bar(Roll=0.1, u1=0, u2=0, u3=1, **{"Rot Ang": 0.2}),
                         "Bryant angles from K3, axis and angle from N3", "Fill in one"),
    "turned about nothing": (bar(**{"Rot Ang": 0.2}), cell("Bodies", "u1") + "there is an angle", "u1, u2, u3"),
    "formula that is not allowed": (bar(Fx="@(t) __import__('os')"), cell("Bodies", "Fx"), "quotes"),
    "formula with an assignment": (bar(Fy="@(t) 3*(t=1)"), cell("Bodies", "Fy"), "if(t < 1, a, b)"),
    "formula of another variable": (bar(Fz="@(x) t"), cell("Bodies", "Fz") + "'@(x) t' is a function of x", "both"),
    "formula with two powers": (bar(Tx="2^t^2"), cell("Bodies", "Tx"), "parentheses"),
    "handle without a body": (bar(Ty="@sin"), cell("Bodies", "Ty") + "'@sin' is not a function", "@(t)"),
    "formula with a comma": (bar(Tz="@(t) 0,5*t"), cell("Bodies", "Tz"), "point"),
    "unknown joint": (joint(ID="Revolut"), cell("Joints", "ID", 2) + "there is no ID 'Revolut'", "mean 'Revolute'"),
    "no joint type": (joint(ID=None), cell("Joints", "ID", 2) + "the ID of the type is missing", "Fill"),
    "driver among joints": (joint(ID="Driver"), cell("Joints", "ID", 2) + "drivers have a sheet", "'Joints Drivers'"),
    "unknown body": (joint(**{"Body j": "Barr"}), cell("Joints", "Body j", 2) + "there is no body 'Barr'", "'Bar'?"),
    "body number too large": (joint(**{"Body j": 3}), cell("Joints", "Body j", 2) + "there is no body '3'", "2 Bar"),
    "half a body": (joint(**{"Body j": 1.5}), cell("Joints", "Body j", 2) + "there is no body '1.5'", "Bodies: 1"),
    "one body twice": (joint(**{"Body i": 2}), "row 2: revolute joint 'O': both sides are on the same", "different"),
    "no axis": (joint(sx=None, sy=None, sz=None), cell("Joints", "sx", 2) + "the direction is missing", "Fill"),
    "axis of zeros": (joint(sz=0), cell("Joints", "sx", 2) + "the direction is zero", "0, 0, 1"),
    "no point": (joint(x=None, y=None, z=None), cell("Joints", "x", 2) + "the point is missing", "Fill"),
    "universal without a second axis": (joint(ID="Universal"), cell("Joints", "sj x", 2) + "the second", "Fill"),
    "universal that is not square": (joint(ID="Universal", **{"sj x": 1, "sj y": 0, "sj z": 1}),
                                     cell("Joints", "sj x", 2) + "the two axes are 45 degrees", "right angles"),
    "rod without a second point": (joint(ID="CompSpherical"), cell("Joints", "x2", 2) + "the second point", "Fill"),
    "rod without a length": (joint(ID="CompSpherical", x2=0, y2=0, z2=0),
                             cell("Joints", "x2", 2) + "the two points coincide", "on body j"),
    "slot that leans": ({"joints": [{**SLIDE, "z2": 0.5}]}, cell("Joints", "x2", 2), "axis"),
    "holding the ground": (joint(ID="Ground", **{"Body i": 1}), cell("Joints", "Body i", 2) + "body 1 is", "held"),
    "direction seven": (joint(ID="Simple", **{"Body i": 2, "Direction": 7}), cell("Joints", "Direction", 2), "4, 5, 6"),
    "no direction": (joint(ID="Simple", **{"Body i": 2}), cell("Joints", "Direction", 2) + "the direction", "Fill"),
    "two joints of one name": ({"joints": [HINGE, HINGE]}, "row 3: joint 'O': there is already", "choose another"),
    "driven ground": (drive(Body=1), cell("Joints Drivers", "Body", 2) + "body 1 is the ground", "moved"),
    "driver without function": (drive(Function=None), cell("Joints Drivers", "Function", 2) + "the function", "Fill"),
    "driver across its vector": (drive(u1=1, u2=0, u3=0), cell("Joints Drivers", "Direction index", 2), "component"),
    "direction zero": (drive(**{"Direction index": 0}), cell("Joints Drivers", "Direction index", 2), "1, 2, 3"),
    "kinematics without drivers": (KIN, "a kinematic simulation moves by its drivers", "Dyn"),
    "unknown element": (spring(ID="Sprng"), cell("Force Elements", "ID", 2) + "there is no ID 'Sprng'", "'Spring'?"),
    "spring without stiffness": (spring(Coefficient=None), cell("Force Elements", "Coefficient", 2), "Fill"),
    "spring without length": (spring(xj=0, yj=2), cell("Force Elements", "xj", 2) + "the two points coincide", "Move"),
    "four functions": (spring(**{"Number of functions": 4}), cell("Force Elements", "Number of functions", 2), "or 3"),
    "element within one body": (spring(**{"Body i": 2}), cell("Force Elements", "Body j", 2) + "both ends", "Name two"),
    "number beyond all measure": (bar(x=1e200), cell("Bodies", "x") + "the number is 1e+200", "exponent"),
    "one of two functions": (spring(**{"Number of functions": 2, "x1": 1, "Function 1": "@(t) t"}),
                             cell("Force Elements", "Function 2", 2) + "function 2 of 2 is missing", "Fill"),
    "no limit": (spring(**{"Number of functions": 2, "Function 1": "t", "Function 2": "t"}),
                 cell("Force Elements", "x1", 2) + "the limit x1", "Fill"),
    "falling limits": (spring(**{"Number of functions": 3, "x1": 2, "x2": 1, "Function 1": "t", "Function 2": "t",
                                 "Function 3": "t"}),
                       cell("Force Elements", "x2", 2) + "the limits are 2 and 1", "Exchange"),
    "rotational spring without a hinge": ({**spring(ID="Tspring"), **joint(ID="Spherical")},
                                          cell("Force Elements", "Body i", 2) + "no joints with an axis", "one such"),
    "rotational spring along the axis": (spring(ID="Tspring", zi=1), cell("Force Elements", "xi", 2), "plane"),
}


def changed(name, parts):
    content = sheets(**(parts or {}))
    if name == "first body is not the ground":
        content["Bodies"][1][0] = "Frame"
    return content


@pytest.mark.parametrize("name", BAD)
def test_a_mistake_has_its_place_and_a_way_out(tmp_path, name):
    parts, place, way_out = BAD[name]
    with pytest.raises(FileError) as caught:
        made(tmp_path, changed(name, parts))
    message = str(caught.value)
    assert message.startswith("car.xlsx")
    assert place in message and way_out in message, message
    assert not isinstance(caught.value, FileErrors), message  # one mistake, one message


def test_all_mistakes_are_told_together(tmp_path):
    content = sheets(bodies=[body(Mass="x"), body("Arm", Ixx="y", Iyy="z")],
                     joints=[{**HINGE, "ID": "Hinge", "Body j": 9}],
                     elements=[{**SPRING, "Body j": 3, "Coefficient": "stiff"}], **{"Time Step": "soon"})
    with pytest.raises(FileErrors) as caught:
        made(tmp_path, content)
    assert len(caught.value.mistakes) == 6
    for words in ("'soon'", "'x'", "'y'", "'z'", "'Hinge'", "'stiff'"):
        assert words in str(caught.value)


def test_a_body_with_a_mistake_is_not_told_as_missing(tmp_path):
    with pytest.raises(FileError) as caught:
        made(tmp_path, sheets(bodies=[body(Mass="x")], elements=[SPRING]))
    assert "no body" not in str(caught.value)


def test_missing_and_double_sheets(tmp_path):
    content = sheets()
    del content["Bodies"]
    with pytest.raises(FileError, match="there is no sheet 'Bodies'"):
        made(tmp_path, content)
    with pytest.raises(FileError, match="'Joints' and 'JOINT' have the same meaning"):
        made(tmp_path, {**sheets(), "JOINT": [["x"]]})


def test_a_sheet_without_headers(tmp_path):
    with pytest.raises(FileError, match=r"sheet 'Joints', cell A1: there is no table in this sheet.\n.*type, bodyi"):
        made(tmp_path, {**sheets(), "Joints": [["Revolute", 1, 2, 0, 0, 0]]})


def test_a_table_without_a_needed_column(tmp_path):
    content = {**sheets(), "Joints": [["Name", "Body i", "Body j", "x", "y", "z"], ["O", 1, 2, 0, 0, 0]]}
    with pytest.raises(FileError, match="row 1: the table has no column 'type'"):
        made(tmp_path, content)


def test_a_missing_column_is_told_as_such(tmp_path):
    content = {**sheets(), "Joints": [["ID", "Body i", "Body j", "x", "y", "z"], ["Revolute", 1, 2, 0, 0, 0]]}
    with pytest.raises(FileError, match=r"row 2: the direction is missing.*no column for it.*row 1\)\.\n  Add the"):
        made(tmp_path, content)


def test_no_bodies(tmp_path):
    with pytest.raises(FileError, match="no bodies besides the Absolute Frame"):
        made(tmp_path, bodies=[], joints=[])


def test_a_ground_that_is_moved(tmp_path):
    content = {**sheets(), "Bodies": rows("Bodies", {**GROUND, "y": 3}, body())}
    with pytest.raises(FileError, match="cell C2: the Absolute Frame is the world itself"):
        made(tmp_path, content)


def test_settings_given_twice(tmp_path):
    content = sheets()
    content["SimParam"].append(["Run simulation for", 20])
    with pytest.raises(FileError, match="cell B7: this setting is given twice; the first is .* cell B1"):
        made(tmp_path, content)


def test_post_processing_without_its_sheet_or_point(tmp_path):
    content = sheets(**{"Post Processing": "Yes"})
    with pytest.raises(FileError, match="no sheet 'PosProcessing'"):
        made(tmp_path, content)
    content["PosProcessing"] = [["ID", "Point"], ["Upright", 1]]
    with pytest.raises(FileError, match="cell B2: there is no point '1'"):
        made(tmp_path, content)


def edited(folder, change):
    """A workbook changed with openpyxl after it is made."""
    path = save(folder / "car.xlsx", sheets())
    book = openpyxl.load_workbook(path)
    change(book)
    book.save(path)
    return path


def test_formulas_that_no_program_has_computed(tmp_path):
    def change(book):
        book["Bodies"].cell(3, BODY.index("Mass") + 1, "=1+1")

    with pytest.raises(FileError, match=r"cell R3: the formula '=1\+1' has no computed value.\n.*save it"):
        read(edited(tmp_path, change))


def test_formulas_that_are_errors(tmp_path):
    def change(book):
        book["Bodies"].cell(3, BODY.index("Mass") + 1, "#REF!")

    with pytest.raises(FileError, match="cell R3: the formula gives the error #REF!"):
        read(edited(tmp_path, change))


def test_merged_cells_in_a_table(tmp_path):
    with pytest.raises(FileError, match=r"'Bodies', cell B3: the cells B3:C3 are merged"):
        read(edited(tmp_path, lambda book: book["Bodies"].merge_cells("B3:C3")))


def test_merged_titles_do_no_harm(tmp_path):
    content = sheets()
    content["Bodies"].insert(0, ["Bodies of the car"])
    path = save(tmp_path / "car.xlsx", content)
    book = openpyxl.load_workbook(path)
    book["Bodies"].merge_cells("A1:F1")
    book.save(path)
    assert list(read(path).model.bodies) == ["Bar"]


def test_random_changes_are_always_told_in_words(tmp_path, rng):
    """Cells of a good workbook replaced, moved and removed at random: a document, or a FileError."""
    values = ["", "x", -1, 0, 1e308, -1e308, 1e-320, True, "@(t) 1/t", "@(t) t/0", "1,5", "2;9", "#N/A", "=1", "Points",
              "Ground", "nan", "1e400", "(" * 150, "@(t) " + "t*" * 300 + "t", "\N{SNOWMAN}", 2.5, 7, "yes", "a" * 300]
    refused = 0
    for _ in range(120):
        content = sheets(bodies=[body(), body("Arm", 2.0, Roll=0.2)], elements=[SPRING], drivers=[DRIVE],
                         **(KIN if rng.random() < 0.5 else {}), Position="Yes", Bodies="2; 3", Integrator="Radau")
        for _ in range(rng.integers(1, 5)):
            lines = content[str(rng.choice(list(content)))]
            line = lines[rng.integers(len(lines))]
            if line:
                line[rng.integers(len(line))] = values[rng.integers(len(values))]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made(tmp_path, content)
        except VincoloError as error:
            assert isinstance(error, FileError), error
            assert re.match(r"car\.xlsx[:,]", str(error))
            refused += 1
    assert 20 < refused < 120


def test_nothing_of_a_workbook_is_executed(tmp_path):
    """External links and macros in the zip are not looked at."""
    path = save(tmp_path / "car.xlsx", sheets())
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("xl/vbaProject.bin", b"\x00" * 100)
        file.writestr("xl/externalLinks/externalLink1.xml", b"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>")
    assert list(read(path).model.bodies) == ["Bar"]
