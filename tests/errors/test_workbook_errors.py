"""Every mistake in a workbook is named with file, sheet and cell, and with a way out; nothing in it is executed."""

import re
import zipfile
from datetime import datetime

import openpyxl
import pytest

import vincolo as vc
from vincolo.formats import load_model
from vincolo.formats.excel import write_template
from vincolo.tables.results_sheet import add_results
from workbooks import written

BODIES = [["name", "mass", "inertia", "at x", "at y", "at z"], ["arm", 1, 0.1, 0, 0, 0], ["rod", 1, 0.1, 1, 0, 0]]
JOINTS = [["name", "kind", "a", "b", "at", "axis"], ["O", "revolute", "ground", "arm", "0; 0; 0", "z"]]


def refusal(tmp_path, sheets, **given):
    path = written(tmp_path / "m.xlsx", sheets)
    with pytest.raises(vc.ModelError) as caught:
        load_model(path, given)
    return str(caught.value)


def arm(column, value, *more):
    """A body with one more column."""
    return {"Bodies": [["name", "mass", "inertia", column, *more[::2]], ["arm", 1, 0.1, value, *more[1::2]]]}


def with_parts(sheet, *rows):
    return {"Bodies": BODIES, "Joints": JOINTS, sheet: list(rows)}


#: sheets, and what the error must say
MISTAKES = {
    "no sheet of a model": ({"Notes": [["hello"]]}, r"m\.xlsx: there is no sheet of a model.*Bodies"),
    "unknown sheet": ({"Bodies": BODIES, "Joint": JOINTS},
                      r"m\.xlsx, sheet 'Joint': there is no section.*Did you mean 'Joints'"),
    "no headings": ({"Bodies": [["arm", 1, 0.1]]}, "sheet 'Bodies', row 1: the row of headings is missing.*'name'"),
    "unknown column": ({"Bodies": [["name", "mas"], ["arm", 1]]},
                       "sheet 'Bodies', cell B1: there is no column 'mas' here. Did you mean 'mass'"),
    "column twice": ({"Bodies": [["name", "mass", "Mass [g]"], ["arm", 1, 2]]},
                     r"cell C1: the heading 'Mass \[g\]' is used already, in cell B1"),
    "no heading": ({"Bodies": [["name", "mass", None], ["arm", 1, 7]]},
                   "cell C2: '7' is in a column without a heading.*begins with #"),
    "no name": ({"Bodies": [["name", "mass"], [None, 1]]}, "cell A2: the cell is empty; the name is needed"),
    "name twice": ({"Bodies": [["name", "mass"], ["arm", 1], ["arm", 2]]},
                   "cell A3: the name 'arm' is used already, in row 2"),
    "truth value as a name": ({"Bodies": [["name", "mass"], [True, 1]]}, "cell A2: TRUE is a truth value.*apostrophe"),
    "unknown unit": (arm("at x [mn]", 1), r"cell D1: there is no unit \[mn\]. Did you mean 'm+'"),
    "unit of something else": ({"Bodies": [["name", "mass [mm]"], ["arm", 1]]},
                               r"cell B1: \[mm\] is a unit of length, which this is not.*kg, g, t"),
    "unit where there are none": (arm("orientation [deg]", "[1, 0, 0, 0]"), "cell D1: .*leave the brackets out"),
    "formula in another unit": ({"Parameters": [["name", "value"], ["l", 1]], **arm(
        "at x [mm]", "2*l", "at y [mm]", 0, "at z [mm]", 0)}, r"cell D2: the formula '2\*l' is in SI units.*\[mm\]"),
    "formula with a unit": ({"Parameters": [["name", "value", "unit"], ["l", 1, None], ["b", "2*l", "mm"]]},
                            r"sheet 'Parameters', cell B3: the formula '2\*l' is in SI units, the column in \[mm\]"),
    "unknown unit of a parameter": ({"Parameters": [["name", "value", "unit"], ["l", 1, "furlong"]]},
                                    r"sheet 'Parameters', cell C2: there is no unit \[furlong\]"),
    "unit twice": ({"Parameters": [["name", "value [mm]", "unit"], ["l", 1, "m"]]},
                   r"cell C2: the unit is in the heading already: \[mm\]"),
    "text for a number": ({"Bodies": [["name", "mass"], ["arm", "heavy"]]},
                          "sheet 'Bodies', cell B2: the name 'heavy' is not known.*or add heavy to the parameters"),
    "code for a number": ({"Bodies": [["name", "mass"], ["arm", "__import__('os').system('touch hacked')"]]},
                          "sheet 'Bodies', cell B2: "),
    "code for a function": (with_parts("Drives", ["name", "measure", "function"],
                                       ["d", "O.angle", "open('hacked', 'w')"]), "sheet 'Drives', cell C2: "),
    "formula nobody computed": ({"Bodies": [["name", "mass"], ["arm", "=1+1"]]},
                                r"cell B2: the formula '=1\+1' has no computed value.*Excel or LibreOffice"),
    "error of Excel": ({"Bodies": [["name", "mass"], ["arm", "#REF!"]]}, "cell B2: the formula gives the error #REF!"),
    "name of a parameter in a formula of Excel": ({"Bodies": [["name", "mass"], ["arm", "#NAME?"]]},
                                                  "cell B2: .*#NAME.*written without '=' in front"),
    "two ways to read it": ({"Bodies": [["name", "mass"], ["arm", "1.234,5"]]},
                            "cell B2: '1.234,5' can be read in two"),
    "truth value for a number": ({"Bodies": [["name", "mass"], ["arm", True]]}, "cell B2: TRUE is not a number"),
    "negative mass": ({"Bodies": [["name", "mass", "inertia"], ["arm", -1, 1]]},
                      "sheet 'Bodies', cell B2: body 'arm': the mass is -1 kg"),
    "incomplete vector": (arm("at x", 1, "at y", None, "at z", 2), "cell D2: 'at' is not complete: at y is empty"),
    "missing column of a vector": (arm("at x", 1, "at z", 2),
                                   "cell D2: 'at' is not complete: at y is empty or missing"),
    "two ways at once": (arm("at x", 1, "at y", 1, "at z", 1, "at", "0; 0; 0"),
                         "cell G2: 'at' is given both in one cell and in columns of its own"),
    "two numbers for three": (arm("at", "1; 2"), "cell D2: '1; 2' has 2 values; 3 are needed"),
    "empty number in a vector": (arm("at", "1; ; 2"), "cell D2: a value in '1; ; 2' is missing"),
    "no vector": (arm("velocity", "fast"), "cell D2: 'fast' is not three numbers.*'velocity x'"),
    "unknown point": ({"Points": [["name", "x", "y", "z"], ["P", 0, 0, 0]], **arm("at", "Q")},
                      "sheet 'Bodies', cell D2: there is no point called 'Q'.*Points: P"),
    "incomplete point": ({"Points": [["name", "x", "y", "z"], ["P", 0, None, 0]]},
                         "sheet 'Points', row 2: the point 'P' has no y"),
    "wrong formula in a point": ({"Points": [["name", "x", "y", "z"], ["P", 0, "2*q", 0]]},
                                 "sheet 'Points', cell C2: .*'q'"),
    "circle of parameters": ({"Parameters": [["name", "value"], ["a", "2*b"], ["b", "a + 1"]]},
                             "sheet 'Parameters', cell B2: the formulas go in a circle: a -> b -> a"),
    "parameter without a value": ({"Parameters": [["name", "value", "unit"], ["a", None, "m"]]},
                                  "sheet 'Parameters', row 2: the parameter 'a' has no value"),
    "reserved parameter": ({"Parameters": [["name", "value"], ["t", 1]]}, "sheet 'Parameters', cell B2: .*'t'"),
    "unknown body": (with_parts("Frames", ["name", "on"], ["f", "amr"]),
                     "sheet 'Frames', cell B2: there is no body called 'amr'.*Did you mean 'arm'"),
    "unknown kind of joint": ({"Bodies": BODIES, "Joints": [JOINTS[0], ["O", "revolut", "ground", "arm", None, "z"]]},
                              "sheet 'Joints', cell B2: 'revolut' is not a kind of joint. Did you mean 'revolute'"),
    "column of another joint": ({"Bodies": BODIES, "Joints": [[*JOINTS[0], "pitch"], [*JOINTS[1], 0.01]]},
                                "sheet 'Joints', cell G2: revolute has no 'pitch'"),
    "missing axis": ({"Bodies": BODIES, "Joints": [JOINTS[0], [*JOINTS[1][:5], None]]},
                     "sheet 'Joints', row 2: revolute joint 'O': the axis is missing"),
    "wrong direction": ({"Bodies": BODIES, "Joints": [JOINTS[0], [*JOINTS[1][:5], "w"]]},
                        "sheet 'Joints', cell F2: .*axis"),
    "direction of one point": ({"Points": [["name", "x", "y", "z"], ["P", 0, 0, 0]], "Bodies": BODIES,
                                "Joints": [JOINTS[0], [*JOINTS[1][:5], "P -> P"]]},
                               "sheet 'Joints', cell F2: the points of 'P -> P' are the same"),
    "broken map": (arm("shape", "{kind: box, size: [1, 2"),
                   "sheet 'Bodies', cell D2: the map, list or text in quotes is broken.*brackets"),
    "key in a map": ({"Bodies": [["name", "shape"], ["arm", "{kind: box, sizes: [1, 2, 3], mass: 1}"]]},
                     "sheet 'Bodies', cell B2, sizes: box has no 'sizes'. Did you mean 'size'"),
    "formula in a map": ({"Bodies": [["name", "shape"], ["arm", "{kind: box, size: [1, =q, 3], mass: 1}"]]},
                         r"sheet 'Bodies', cell B2, size\[1\]: .*'q'"),
    "tag in a map": (arm("shape", "!!python/object:os.system {}"), "cell D2: the tag .* is not read"),
    "open quotes": ({"Bodies": [["name", "mass"], ['"arm', 1]]}, "cell A2: the map, list or text in quotes is broken"),
    "unknown measure": (with_parts("Drives", ["name", "measure", "function"], ["d", "P.angle", "t"]),
                        "sheet 'Drives', cell B2: there is nothing called 'P.angle'.*Did you mean 'O.angle'"),
    "function that is none": (with_parts("Drives", ["name", "measure", "function"], ["d", "O.angle", "2*q*t"]),
                              "sheet 'Drives', cell C2: .*'q'"),
    "function in another unit": (with_parts("Drives", ["name", "measure", "function [deg]"], ["d", "O.angle", "t"]),
                                 r"cell C2: the function 't' is in SI units, the column in \[deg\]"),
    "kind of function": (with_parts("Drives", ["name", "measure", "function"], ["d", "O.angle", "{kind: Sin}"]),
                         "sheet 'Drives', cell C2: there is no function called 'Sin'. Did you mean 'Sine'"),
    "missing stiffness": (with_parts("Springs", ["name", "measure", "c"], ["s", "O.angle", 1]),
                          "sheet 'Springs', row 2: the key 'k' is missing"),
    "one frame of two": (with_parts("Springs", ["name", "between 1", "between 2", "k"], ["s", "f", None, 1]),
                         "sheet 'Springs', cell B2: 'between' is not complete: between 2"),
    "wrong component": (with_parts("Loads", ["name", "kind", "where", "components"], ["f", "force", "arm", "down"]),
                        "sheet 'Loads', cell D2: 'down' is not three components"),
    "neither true nor false": (with_parts("Switches", ["of", "on"], ["O", "maybe"]),
                               "sheet 'Switches', cell B2: 'maybe' is neither true nor false"),
    "switch of nothing": (with_parts("Switches", ["of", "on"], ["Q", "false"]), "sheet 'Switches', row 2: .*'Q'"),
    "unknown setting": ({"Model": [["untill", 5]]},
                        "sheet 'Model', cell A1: there is no setting 'untill' here. Did you mean 'until'"),
    "setting twice": ({"Model": [["until", 5], ["until [ms]", 6]]}, r"cell A2: the heading 'until \[ms\]' is used "
                                                                   "already, in cell A1"),
    "value without a setting": ({"Model": [["until", 5], [None, 6]]}, "cell A2: the value '6' has no setting"),
    "no unit": ({"Model": [["units", "mm; dge"]]}, "'Model', cell B1: there is no unit 'dge'. Did you mean 'deg'"),
    "unit in a heading": ({"Points": [["name", "x [mmm]", "y", "z"], ["A", 1, 2, 3], ["B", 1, 2, 3]]},
                          r"^m.xlsx, sheet 'Points', cell B1: there is no unit \[mmm\]"),
    "two units of a kind": ({"Model": [["units", "mm; m"]]}, "cell B1: both 'mm' and 'm' are asked for"),
    "unit of time": ({"Model": [["units", "ms"]]}, "cell B1: time is shown in seconds everywhere"),
    "unknown analysis": ({"Model": [["analysis", "magic"]]}, "sheet 'Model', cell B1: the analysis is 'magic'"),
    "unknown integrator": ({"Model": [["integrator", "Raddau"]]},
                           "sheet 'Model', cell B1: there is no integrator called 'Raddau'. Did you mean 'Radau'"),
    "number of an integrator": ({"Model": [["integrator", "Radau"], ["integrator rtool", 1]]},
                                "sheet 'Model', cell B2: Radau has no 'rtool'. Did you mean 'rtol'"),
    "number without an integrator": ({"Model": [["integrator rtol", 1e-6]]},
                                     "sheet 'Model', cell B1: there is a number for the integrator, but no integrator"),
    "end before the start": ({"Model": [["start", 2], ["until", 1]]}, "sheet 'Model', cell B2: the run ends at 1 s"),
    "half a sample": ({"Model": [["outputs", 10.5]]}, "sheet 'Model', cell B1: 10.5 is not a whole number"),
    "newer layout": ({"Model": [["vincolo", 2]]}, "sheet 'Model', cell B1: this is format 2"),
    "text that goes on from nowhere": (with_parts("Drives", ["name", "measure", "function", "function +3"],
                                                  ["d", "O.angle", "t", "+ 1"]),
                                       "sheet 'Drives', cell D2: the text goes on here, but its part 2 is missing"),
    "a measure with more": (with_parts("Measures", ["name", "measure", "factor"], ["m", "O.angle", 2]),
                            "sheet 'Measures', cell B2: with a name in 'measure' the other columns stay empty"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_every_mistake_has_one_message_with_file_sheet_and_cell(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sheets, expected = MISTAKES[case]
    message = refusal(tmp_path, sheets)
    assert message.startswith("m.xlsx") and "mistakes" not in message.splitlines()[0]
    assert re.search(expected, message, re.DOTALL), message
    assert [p.name for p in tmp_path.iterdir()] == ["m.xlsx"]  # nothing was executed

@pytest.fixture(scope="module")
def wishbone(tmp_path_factory):
    """The template of a suspension, as one opens it in a program of tables."""
    path = tmp_path_factory.mktemp("book") / "car.xlsx"
    write_template("double-wishbone", path)
    return path


def cell_of(sheet, name, heading):
    column = next(cell.column for cell in sheet[4] if str(cell.value).split(" [")[0] == heading)
    return next(sheet.cell(r, column) for r in range(5, sheet.max_row + 1) if sheet.cell(r, 1).value == name)


#: sheet, name in the row, heading, what is typed there, the cell that is named, and what is said of it
TYPED = {
    "a date": ("Points", "lower front", "x", datetime(2026, 1, 12), "B5",
               "is a date or a time.*Format the cell as a number"),
    "a letter": ("Points", "lower front", "x", "O.12", "B5", "an operator is missing"),
    "another unit": ("Points", "lower front", "x", "120 kg", "B5", "a number of kg; here it is one of m"),
    "no coordinate": ("Points", "lower front", "x", None, "row 5", "has no x"),
    "a lost reference": ("Points", "lower front", "x", "#REF!", "B5", "gives the error #REF!"),
    "a formula not computed": ("Points", "lower front", "x", "=0.1+0.02", "B5", "has no computed value"),
    "a point renamed": ("Points", "lower ball", "name", "Lower Ball", "G5",
                        "no point called 'lower ball'.*as well in: sheet 'Joints', cell E7"),
    "a negative mass": ("Bodies", "upright", "mass", -1, "B7", "the mass is -1 kg"),
    "a word for a mass": ("Bodies", "upright", "mass", "heavy", "B7", "the name 'heavy' is not known"),
    "a truth value": ("Bodies", "upright", "mass", True, "B7", "TRUE is not a number"),
    "no name": ("Bodies", "rocker", "name", None, "A10", "the name is needed"),
    "an outline of nothing": ("Bodies", "lower wishbone", "outline", "lower front; lower bal", "G5",
                              "Did you mean 'lower ball'"),
    "a wrong kind": ("Joints", "lower pivot", "kind", "revolut", "B5", "Did you mean 'revolute'"),
    "a wrong body": ("Joints", "lower pivot", "b", "lower wishbon", "D5", "Did you mean 'lower wishbone'"),
    "a wrong axis": ("Joints", "lower pivot", "axis", "w", "F5", "axis is 'w'; write 'x'"),
    "an axis of no length": ("Joints", "lower pivot", "axis", "lower front -> lower front", "F5", "two different ones"),
    "one body twice": ("Joints", "lower pivot", "a", "lower wishbone", "row 5", "both sides are on the same body"),
    "an open parenthesis": ("Drives", "bump", "function", "R + sin(t", "C5", "a parenthesis is not closed"),
    "a name misspelt": ("Drives", "bump", "function", "R + travle*t", "C5", "the name 'travle' is not known"),
    "a division by zero": ("Drives", "bump", "function", "R/0", "C5", "has no finite value"),
    "a measure misspelt": ("Drives", "bump", "measure", "heigth", "B5", "Did you mean 'height'"),
    "a wrong unit of a measure": ("Measures", "camber", "unit", "mm", "H6", "it is measured in rad"),
    "a list left open": ("Measures", "height", "axes", "[0, 0, 1", "E5", "close all brackets"),
    "a frame misspelt": ("Springs", "damper", "between 1", "spring hed", "C5", "Did you mean 'spring head'"),
    "a colour misspelt": ("Looks", "wheel", "colour", "blak", "B5", "Did you mean 'black'"),
    "an unknown unit": ("Parameters", "travel", "unit", "furlong", "C5", r"there is no unit \[furlong\]"),
}


#: every case in one of the units, by turns; the other one is slow
UNITS = [(case, unit) if (i + j) % 2 else pytest.param(case, unit, marks=pytest.mark.slow)
         for i, case in enumerate(TYPED) for j, unit in enumerate(("m", "mm"))]


@pytest.mark.parametrize(("case", "unit"), UNITS)
def test_what_is_mistyped_in_a_suspension_is_told_once_with_its_cell(case, unit, wishbone, tmp_path):
    name, row, heading, value, place, expected = TYPED[case]
    book = openpyxl.load_workbook(wishbone)
    points = book["Points"]
    for head in points[4][1:4]:
        head.value = head.value.replace("[m]", f"[{unit}]")
        for r in range(5, points.max_row + 1):
            if unit == "mm" and isinstance(points.cell(r, head.column).value, float | int):
                points.cell(r, head.column).value *= 1000
    cell_of(book[name], row, heading).value = value
    path = tmp_path / "car.xlsx"
    book.save(path)
    with pytest.raises(vc.ModelError) as caught:
        load_model(path)
    told = str(caught.value)
    where = place if place.startswith("row") else f"cell {place}"
    sheet = "Bodies" if case == "a point renamed" else name  # where it is asked for
    assert told.startswith(f"car.xlsx, sheet '{sheet}', {where}") and re.search(expected, told, re.DOTALL), told


def test_a_workbook_without_bodies_is_told_once(wishbone, tmp_path):
    book = openpyxl.load_workbook(wishbone)
    book.remove(book["Bodies"])
    book.save(tmp_path / "car.xlsx")
    with pytest.raises(vc.ModelError) as caught:
        load_model(tmp_path / "car.xlsx")
    assert str(caught.value).startswith("car.xlsx, sheet 'Looks', row 5: there are no bodies in this file")


def test_numbers_with_units_in_their_format_are_no_dates(tmp_path):
    path = written(tmp_path / "m.xlsx", {"Bodies": BODIES})
    book = openpyxl.load_workbook(path)
    for k, shown in enumerate(['0.00 "mm"', '[Red]0.0;\\-0.0', "0.00E+00", '#,##0.00 [$€-407]']):
        book["Bodies"].cell(2, 2 + k).number_format = shown
    book.save(path)
    assert load_model(path).bodies["arm"].mass == 1


def test_several_mistakes_come_together(tmp_path):
    message = refusal(tmp_path, {"Bodies": [["name", "mass", "at"], ["a", True, "1; 2"], ["b", "#REF!", "0; 0; 0"]],
                                 "Joint": [["name"]], "Model": [["untill", 1]]})
    assert message.startswith("m.xlsx: 5 mistakes")
    for place in ("sheet 'Joint'", "'Model', cell A1", "'Bodies', cell B2", "'Bodies', cell C2", "'Bodies', cell B3"):
        assert place in message


def test_several_mistakes_of_the_model_come_together(tmp_path):
    message = refusal(tmp_path, {"Bodies": [["name", "mass", "inertia"], ["a", -1, 1], ["b", 1, 1]], "Joints": [
        JOINTS[0], ["P", "revolute", "a", "b", "0; 0; 0", "z"], ["Q", "revolute", "b", "c", "0; 0; 0", "z"]]})
    assert message.startswith("m.xlsx: 2 mistakes")  # P is wrong only because 'a' is
    assert "sheet 'Bodies', cell B2" in message
    assert "sheet 'Joints', cell D3: there is no body or frame called 'c'" in message


def test_a_product_of_inertia_that_is_wrong_is_told_once(tmp_path):
    message = refusal(tmp_path, {"Bodies": [["name", "mass", "inertia xx", "inertia yy", "inertia zz", "inertia xz"],
                                            ["arm", 1, 1, 1, 1, "q"]]})
    assert message.startswith("m.xlsx, sheet 'Bodies', cell F2: ")


def test_merged_cells_are_refused(tmp_path):
    path = written(tmp_path / "m.xlsx", {"Bodies": BODIES})
    book = openpyxl.load_workbook(path)
    book["Bodies"].merge_cells("B2:B3")
    book.save(path)
    with pytest.raises(vc.ModelError, match=r"sheet 'Bodies', cell B2: the cells B2:B3 are merged.*\n  .*Unmerge"):
        load_model(path)


def test_wrong_changes_name_the_file(tmp_path):
    message = refusal(tmp_path, {"Parameters": [["name", "value"], ["l", 1]], "Bodies": BODIES}, ll=2)
    assert message.startswith("m.xlsx: there is no parameter 'll'. Did you mean 'l")


def test_unknown_templates_are_refused(tmp_path):
    with pytest.raises(vc.ModelError, match="there is no template 'slidercrank'. Did you mean 'slider-crank'"):
        write_template("slidercrank", tmp_path / "m.xlsx")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def result():
    m = vc.Model()
    m.body("ball", 1.0, 0.1)
    return vc.simulate(m, until=0.1, outputs=3)


@pytest.mark.parametrize(("name", "content", "expected"), [
    ("m.xlsm", b"PK", r"m\.xlsm: results are added to \.xlsx workbooks only.*\n.*without macros"),
    ("m.csv", b"a,b", r"m\.csv: results are added to \.xlsx"),
    ("m.xlsx", b"a,b", r"m\.xlsx: this is a text file"),
    ("m.xlsx", b"PK\x03\x04 broken", r"m\.xlsx: the file is damaged")])
def test_results_are_not_added_to_what_is_no_workbook(name, content, expected, result, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(vc.ModelError, match=expected):
        add_results(result, path, ["ball.z"])
    assert path.read_bytes() == content and len(list(tmp_path.iterdir())) == 1


def test_results_are_not_added_to_a_zip_without_a_workbook_or_under_unknown_names(result, tmp_path):
    path = tmp_path / "m.xlsx"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("_rels/.rels", '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>')
    with pytest.raises(vc.ModelError, match=r"m\.xlsx: this is not a workbook"):
        add_results(result, path, ["ball.z"])
    for names, expected in ((["bal.z"], "Did you mean 'ball.z'"), ([], "no series to write")):
        with pytest.raises(vc.ModelError, match=expected):
            add_results(result, tmp_path / "new.xlsx", names)
    assert not (tmp_path / "new.xlsx").exists()
