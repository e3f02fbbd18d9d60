"""Models in workbooks of vincolo's own layout: nothing is lost, and what is written by hand is what Python says."""

import itertools
import math
import re
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pytest

import vincolo as vc
from example_models import NAMES as EXAMPLES
from example_models import built
from filed_models import CRANK, all_kinds, crank, models_of_page, pendulum
from function_samples import SAMPLES
from same_models import bits, numbers
from vincolo.formats import load_model, save_model
from vincolo.formats.excel import tree_of, write_excel
from vincolo.formats.excel.layout import ORDER, TABLES
from vincolo.formats.excel.sheets import read_workbook
from vincolo.formats.excel.units import UNITS, unit_of
from vincolo.formats.files import convert, open_model
from vincolo.formats.tree import mechanism, schema
from vincolo.formats.tree.save import data_of
from vincolo.formats.yaml.emit import document
from vincolo.model import functions
from vincolo.tables.results_sheet import add_results
from walking_legs import body, leg
from workbooks import written

ROOT = Path(__file__).resolve().parents[2]


def assert_same(model, tmp_path, run=None):
    """The copy has the same tree, number by number and bit by bit, and the kernel computes the same with it."""
    path = save_model(model, tmp_path / "model.xlsx", run)
    copy = load_model(path)
    assert document(data_of(copy)) == document(data_of(model))
    for kind, group in model.groups().items():
        assert list(copy.groups()[kind]) == list(group), kind
    if model.bodies:
        (before, names), (after, names_after) = numbers(model), numbers(copy)
        assert names_after == names
        for key, value in before.items():
            assert bits(after[key]) == bits(value), key
    return copy


# nothing is lost

@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_the_same_after_save_and_load(name, tmp_path):
    assert_same(built(name), tmp_path)


@pytest.mark.parametrize("page", ["catalogue", "guide"])
def test_every_model_of_the_documents_is_the_same_after_save_and_load(page, tmp_path, monkeypatch):
    """The catalogue has every joint, drive and function."""
    monkeypatch.chdir(tmp_path)
    for model in models_of_page(page, monkeypatch):
        assert_same(model, tmp_path)


@pytest.mark.parametrize("kind", SAMPLES, ids=lambda kind: kind.__name__)
def test_every_function_is_the_same_after_save_and_load(kind, tmp_path):
    for f in SAMPLES[kind]:
        m = pendulum()
        m.drive("O.angle", f)
        m.actuator("motor", "O.angle", f)
        m.force("push", m.bodies["arm"], (f, functions.Pieces([f, functions.Shifted(f, 0.1) * 2.0], [0.5]), 0.0))
        copy = assert_same(m, tmp_path)
        assert copy.holds["O.angle.drive"].function == f and copy.laws["motor"].history == f


def test_all_kinds_of_parts_and_sub_models_are_the_same(tmp_path):
    assert_same(all_kinds(), tmp_path)
    m = body()
    m.add("left", leg(), at=(0.1, 0.2, 1), orientation=(0.9, 0.1, 0.2, 0.3), on="trunk")
    m.add("right", leg(), mirror="y", on="trunk")
    copy = assert_same(m, tmp_path)
    assert copy.submodels["left"]["arm"] is copy.bodies["left.arm"]


ODD = ["1", "1e3", "true", "NULL", "=x", "==y", "+1", "-1", "@z", "#hidden", '"quoted"', "{a: 1}", "[1, 2]", "spaced ",
       "no\u00a0break", "line\u2028", "_x0041_", "a; b", "A -> B", "comment", "name", "\u03b1\U0001f600", "=1+1|'!A1"]


def test_odd_names_survive_and_no_cell_becomes_a_formula(tmp_path):
    m = vc.Model(" =cmd|' /C calc'!A0 ")
    for k, name in enumerate(ODD):
        body = m.body(name, 1.0 + k, 0.1, at=(k, 0, 0))
        m.revolute(f"{name}'", m.ground, body, at=(k, 0, 0), axis="z")
        m.drive(f"{name}'.angle", "t", f"{name}''")
        m.switch(f"{name}''", False, at=1.0)
    copy = assert_same(m, tmp_path)
    assert list(copy.bodies) == ODD and [s.owner for s in copy.switches] == [f"{n}''" for n in ODD]
    with zipfile.ZipFile(tmp_path / "model.xlsx") as file:
        assert not any(b"<f>" in file.read(n) or b"<f " in file.read(n) for n in file.namelist() if "sheets/" in n)


def test_numbers_keep_all_their_bits(tmp_path, rng):
    values = [0.1 + 0.2, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, 123456789012345678.0, 1e22, 2.0**-1074 * 3,
              *np.frombuffer(rng.bytes(8 * 300), dtype=float)]
    values = [float(v) for v in values if math.isfinite(v)]
    write_excel({"points": {f"p{k}": [v, -v, 1.0] for k, v in enumerate(values)}}, tmp_path / "m.xlsx")
    read = tree_of(tmp_path / "m.xlsx")["points"]
    assert [bits(read[f"p{k}"]) for k in range(len(values))] == [bits([v, -v, 1.0]) for v in values]


def test_long_texts_go_on_in_more_columns(tmp_path, rng):
    m = pendulum()
    times = np.linspace(0, 10, 4000)
    m.drive("O.angle", vc.Spline(times, rng.random(4000)))
    assert_same(m, tmp_path)
    heads = [c.value for c in openpyxl.load_workbook(tmp_path / "model.xlsx")["Drives"][1]]
    assert heads[:4] == ["name", "measure", "function", "function +2"] and len(heads) > 5


def test_how_it_is_run_is_kept(tmp_path):
    from vincolo.analyses.run_settings import RunSettings

    run = RunSettings("kinematics", 0.5, 2.0, 33, vc.Radau(rtol=1e-7, index=2), vc.solvers.Lagrange(),
                      vc.solvers.Projection(velocities=False), ("arm.x", "O.angle, \"odd\""))
    path = save_model(pendulum(), tmp_path / "m.xlsx", run)
    assert open_model(path).settings == run


def test_the_same_model_is_the_same_file(tmp_path, monkeypatch):
    first = save_model(all_kinds(), tmp_path / "a.xlsx").read_bytes()
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert save_model(all_kinds(), tmp_path / "b.xlsx").read_bytes() == first


# between YAML and workbooks

MORE = "points: {P: [=3*l, 0, 0.1]}\nrun: {until: =2*l, outputs: 7, integrator: {kind: Radau, rtol: 1e-6, index: 2}}\n"


def test_formulas_parameters_and_points_are_kept_between_yaml_and_workbooks(tmp_path):
    text = CRANK.replace("tip: {on: slider, at: [=3*l, 0, 0.1]}", "tip: {on: slider, at: P}") + MORE
    (tmp_path / "a.yaml").write_text(text)
    convert(tmp_path / "a.yaml", tmp_path / "b.xlsx")
    convert(tmp_path / "b.xlsx", tmp_path / "c.yaml")
    convert(tmp_path / "c.yaml", tmp_path / "d.xlsx")
    assert (tmp_path / "b.xlsx").read_bytes() == (tmp_path / "d.xlsx").read_bytes()
    book, tree = read_workbook(tmp_path / "b.xlsx"), tree_of(tmp_path / "b.xlsx")
    assert book.sheets["Parameters"].cells[3, 2].value == "l/2" and book.sheets["Points"].cells[2, 2].value == "3*l"
    assert tree["parameters"]["half"] == "=l/2" and tree["points"]["P"] == ["=3*l", 0.0, 0.1]
    assert tree["frames"]["tip"]["at"] == "P" and tree["run"]["until"] == "=2*l"
    for name, given in itertools.product(("b.xlsx", "c.yaml"), ({}, {"l": 0.4, "w": 3.0})):
        document = open_model(tmp_path / name, given)
        read, meant = numbers(document.model)[0], numbers(crank(**given))[0]
        assert all(bits(read[key]) == bits(value) for key, value in meant.items())
        assert document.settings.until == 2 * given.get("l", 0.3) and document.settings.integrator.index == 2


def test_texts_and_formulas_that_begin_alike_are_told_apart(tmp_path):
    tree = {"parameters": {"m": 2.0}, "bodies": {"=m": {"mass": "=m", "inertia": 0.1}, "one": {"mass": 1.0}},
            "frames": {"f": {"on": "==m"}}}
    write_excel(tree, tmp_path / "m.xlsx", raw=True)
    assert tree_of(tmp_path / "m.xlsx") == tree
    m = load_model(tmp_path / "m.xlsx")
    assert m.bodies["=m"].mass == 2.0 and m.frames["f"].body is m.bodies["=m"]


# written by hand

def test_a_workbook_written_by_hand_is_the_model_written_in_python(tmp_path):
    """A pendulum on an oblique hinge with all ways to write points, directions, units and formulas."""
    path = written(tmp_path / "m.xlsx", {
        "Model": [["A title"], [], ["setting", "value", "comment"], ["name", "hand"], ["gravity x", 0],
                  ["gravity y", 0], ["gravity z", "-9,81"], ["units", "SI"], ["until [ms]", 1500], ["outputs", 30],
                  ["analysis", "dynamics"], ["integrator", "Auto"], ["integrator rtol", 1e-9],
                  ["channels", "arm.x; O.angle"], ["formulation", None]],
        "Parameters": [["name", "value", "unit", "comment"], ["l", 600, "mm", "length"], ["half", "l/2"],
                       ["slope", 30, "deg"], ["#old", 7]],
        "Points": [["title only"], ["name", "x [cm]", "y", "z"], ["O", 0, 0, 0], ["tip", 60, "0", 0], [1, 10, 0, 0]],
        "bodies": [["Name", "Mass [g]", "Inertia XX [kg mm2]", "inertia yy [kg mm2]", "inertia zz [kg mm2]",
                    "inertia xy", "AT", "at x", "at y", "at z", "angular_velocity", "orientation", "comment"],
                   ["arm", 2000, 1e5, 2e5, 250000, 0.01, None, "half", 0, 0.0, "[0, 0, 1]"],
                   ["ball", 500, 100, 100, 100, None, "tip", None, None, None, None, "{axis: x, angle: =slope}"]],
        "Frames": [["name", "on", "at", "z"], ["end", "arm", "tip", "O -> tip"], ["fix", "ground", 1, "-y"]],
        "Joints": [["name", "kind", "a", "b", "at", "axis"], ["O", "revolute", "ground", "arm", "O", "0; 1; 0,5"],
                   [], ["B", "spherical", "arm", "ball", "tip"]],
        "Measures": [["name", "kind", "between 1", "between 2", "axes", "measure", "of", "formula"],
                     ["reach", "distance", "fix", "{on: ball, at: tip}"], ["drop", "world", "fix", "end", "0; 0; 1"],
                     ["turn", None, None, None, None, "O.angle"],
                     ["twice", None, None, None, None, None, "{x: O.angle}", "2*x + l"]],
        "Springs": [["name", "measure", "k [N m/deg]", "c", "length [deg]"], ["s", "O.angle", 2, 0.1, 90]],
        "Laws": [["name", "measure", "force", "constants"], ["drag", "reach", "k*dd", "{k: =l}"]],
        "Loads": [["name", "kind", "where", "components x [kN]", "components y", "components z", "axes"],
                  ["wind", "force", "ball", 0.001, "sin(t)", "{kind: Sine, amplitude: 1, frequency: 2}", "body"]],
        "Switches": [["of", "on", "at [ms]"], ["B", "no", 500]],
        "Notes": [["anything"]], "# sums": [["=1/0"]], "Result of last week": [["x"]], "Sheet1": []})
    m = vc.Model("hand", gravity=(0, 0, -9.81))
    arm = m.body("arm", 2.0, [[0.1, 0.01, 0], [0.01, 0.2, 0], [0, 0, 0.25]], at=(0.3, 0, 0), angular_velocity=(0, 0, 1))
    ball = m.body("ball", 0.5, (1e-4, 1e-4, 1e-4), at=(0.6, 0, 0),
                  orientation=vc.Rotation.axis_angle("x", 30 * math.pi / 180))
    end = m.frame("end", arm, (0.6, 0, 0), z=(0.6, 0, 0))
    fix = m.frame("fix", m.ground, (0.1, 0, 0), z="-y")
    O = m.revolute("O", m.ground, arm, at=(0, 0, 0), axis=(0, 1, 0.5))  # noqa: E741
    m.spherical("B", arm, ball, at=(0.6, 0, 0))
    m.measure("reach", vc.distance(fix, ball.frame((0.6, 0, 0))))
    m.measure("drop", vc.along_world("z", fix, end))
    m.measure("turn", O["angle"])
    m.measure("twice", vc.formula("2*x + l", x=O["angle"], l=0.6))
    m.spring("s", "O.angle", k=2 * 180 / math.pi, c=0.1, length=90 * math.pi / 180)
    m.law("drag", "reach", "k*dd", k=0.6)
    m.force("wind", ball, (1.0, "sin(t)", vc.Sine(1, 2)), axes="body")
    m.switch("B", False, at=0.5)
    opened = open_model(path)
    (read, names), (meant, names_meant) = numbers(opened.model), numbers(m)
    assert names == names_meant
    for key, value in meant.items():
        assert bits(read[key]) == bits(value), key
    s = opened.settings
    assert (s.until, s.outputs, s.integrator, s.channels) == (1.5, 30, vc.Auto(rtol=1e-9), ("arm.x", "O.angle"))
    assert opened.report.understood[0] == "sheet 'Parameters': 3 rows" and opened.report.notes == []


def test_numbers_of_parameters_and_parts_can_be_changed(tmp_path):
    path = written(tmp_path / "m.xlsx", {"Parameters": [["name", "value", "unit"], ["l", 300, "mm"]], "Bodies": [
        ["name", "mass", "inertia", "at x", "at y", "at z"], ["arm", 1, 0.1, "2*l", 0, 0]]})
    assert load_model(path).bodies["arm"].at[0] == 0.6
    assert load_model(path, {"l": 0.5}).bodies["arm"].at[0] == 1.0  # changes are in SI
    assert load_model(path, {"arm.mass": 3, "arm.at.y": 2}).bodies["arm"].at.tolist() == [0.6, 2, 0]


def test_formulas_that_excel_computed_are_numbers(tmp_path):
    """openpyxl writes no computed values, so they are put in as Excel would."""
    path = written(tmp_path / "m.xlsx", {"Bodies": [["name", "mass", "inertia"], ["arm", "=1/3", 0.1]]})
    with zipfile.ZipFile(path) as file:
        parts_of = {n: file.read(n) for n in file.namelist()}
    sheet = parts_of["xl/worksheets/sheet1.xml"]
    parts_of["xl/worksheets/sheet1.xml"] = re.sub(
        rb"<f>1/3</f><v(></v>| ?/>)", b"<f>1/3</f><v>0.33333333333333331</v>", sheet)  # empty: with lxml, without it
    assert parts_of["xl/worksheets/sheet1.xml"] != sheet
    with zipfile.ZipFile(path, "w") as file:
        for name, content in parts_of.items():
            file.writestr(name, content)
    assert load_model(path).bodies["arm"].mass == 1 / 3


# the layout

def test_every_key_of_the_tree_and_every_argument_of_a_joint_has_a_column():
    import inspect

    kinds = {"bodies": [schema.BodyKeys], "looks": [schema.LooksKeys],
             "submodels": [schema.SubmodelKeys], "frames": [schema.FrameKeys],
             "joints": [schema.SavedJoint], "drives": [schema.HeldKeys], "holds": [schema.HeldKeys],
             "springs": [schema.SpringKeys], "laws": [schema.LawKeys], "actuators": [schema.LawKeys],
             "inputs": [schema.InputKeys],
             "variables": [schema.VariableKeys], "states": [schema.StateKeys], "outputs": [schema.OutputKeys],
             "rotors": [schema.RotorKeys], "loads": [schema.LoadKeys], "stops": [schema.StopKeys],
             "frictions": [schema.FrictionKeys], "switches": [schema.SwitchKeys],
             "measures": [schema.TermKeys, schema.SumKeys, schema.FormulaKeys, schema.TapeKeys]}
    for section, classes in kinds.items():
        keys = {c.key for c in TABLES[section].columns.values()} | {TABLES[section].first}
        for kind in classes:
            assert set(kind.model_fields) <= keys, section
    arguments = {n for kind in mechanism.KINDS for n in inspect.signature(getattr(vc.Model, kind)).parameters}
    assert arguments - {"self", "name"} <= {c.key for c in TABLES["joints"].columns.values()}
    top = {c.key for c in TABLES["model"].columns.values()} | set(ORDER) | {"run"}
    assert set(schema.File.model_fields) | set(schema.RunKeys.model_fields) <= top


@pytest.mark.parametrize(("text", "dimension", "expected"), [
    ("mm", "length", 1e-3), ("in", "length", 0.0254), ("deg", "angle", math.pi / 180),
    ("\N{DEGREE SIGN}", "angle", math.pi / 180),
    ("kg\N{MIDDLE DOT}mm\N{SUPERSCRIPT TWO}", "inertia", 1e-6), ("g*mm^2", "inertia", 1e-9), ("t mm2", "inertia", 1e-3),
    ("rpm", "angular speed", 2 * math.pi / 60), ("km/h", "speed", 1 / 3.6), ("N/mm", "stiffness", 1e3),
    ("Nm/deg", "angular stiffness", 180 / math.pi), ("N mm", "torque", 1e-3), ("g/cm3", "density", 1000)])
def test_units_are_converted(text, dimension, expected):
    assert unit_of(text, (dimension,)).si(1.0) == pytest.approx(expected, rel=1e-15)


def test_the_first_unit_of_each_kind_is_si_and_millimetres_are_exact():
    assert all(unit_of(next(iter(units)), (dimension,)).is_si for dimension, units in UNITS.items())
    assert all(unit_of("mm", ("length",)).si(k) == float(f"{k}e-3") for k in range(1, 3000))


# results

@pytest.fixture(scope="module")
def run():
    m = pendulum()
    return vc.simulate(m, until=0.5, outputs=20)


def test_results_are_added_and_all_else_stays_byte_by_byte(run, tmp_path):
    path = tmp_path / "m.xlsx"
    save_model(pendulum(), path)
    with zipfile.ZipFile(path) as file:
        before = {n: file.read(n) for n in file.namelist()}
    assert add_results(run, path, ["arm.x", "arm.vx", "O.angle", "energy.*"]) == "Results"
    assert add_results(run, path, ["arm.z"]) == "Results 2"
    with zipfile.ZipFile(path) as file:
        changed = [n for n, content in before.items() if file.read(n) != content]
        assert sorted(changed) == ["[Content_Types].xml", "xl/_rels/workbook.xml.rels", "xl/workbook.xml"]
    sheet = read_workbook(path).sheets["Results"]
    assert [sheet.cells[1, c].value for c in (1, 2, 3, 4)] == ["t [s]", "arm.x [m]", "arm.vx [m/s]", "O.angle [rad]"]
    for column, name in ((1, "t"), (2, "arm.x"), (3, "arm.vx"), (4, "O.angle")):
        assert bits([sheet.cells[r, column].value for r in range(2, len(run.t) + 2)]) == bits(run[name])
    assert document(data_of(load_model(path))) == document(data_of(pendulum()))


def test_results_have_a_chart_for_each_unit_and_other_programs_can_open_them(run, tmp_path):
    path = tmp_path / "new.xlsx"
    add_results(run, path, ["arm.x", "arm.z", "arm.vx"])
    add_results(run, path, ["arm.x", "arm.z", "arm.vx"])
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["Results", "Results 2"]
    for sheet in book:
        assert [len(chart.series) for chart in sheet._charts] == [2, 1]
        first = sheet._charts[0].series[0]
        assert first.xVal.numRef.f.replace("'", "") == f"{sheet.title}!$A$2:$A${len(run.t) + 1}"
        assert first.yVal.numRef.f.replace("'", "") == f"{sheet.title}!$B$2:$B${len(run.t) + 1}"


def test_values_that_excel_computed_are_still_there_after_results_are_added(run, tmp_path):
    test_formulas_that_excel_computed_are_numbers(tmp_path)
    add_results(run, tmp_path / "m.xlsx", ["arm.x"])
    assert load_model(tmp_path / "m.xlsx").bodies["arm"].mass == 1 / 3
