"""Numbers of files changed in the units of their cells, and runs for each value of one."""

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from vincolo.cli.app import app
from vincolo.errors import FileError, ModelError
from vincolo.formats import open_model
from vincolo.formats.excel.layout import TABLES
from vincolo.formats.excel.units import UNITS
from vincolo.formats.tree.changes import written
from vincolo.formats.tree.quantities import MEASURED
from vincolo.studies import Variation, sweep, variation_of
from vincolo.units import unit_of

CRANK = """
parameters: {l: 100 mm, turn: 90 deg, k: 2 N/mm}
points: {A: [=l, 0, 50 mm]}
bodies: {bar: {mass: 500 g, inertia: [0.001, 0.001, 0.001], at: A}}
joints: {O: {kind: revolute, a: ground, b: bar, at: [0, 0, 0], axis: y}}
frames: {tip: {on: bar, at: A}}
measures: {height: {kind: world, between: [{on: ground, at: [0, 0, 0]}, tip], axes: [0, 0, 1], unit: mm}}
drives: {motor: {measure: O.angle, function: turn*t}}
run: {analysis: kinematics, until: 1, outputs: 4, units: [mm], channels: [height]}
"""


@pytest.fixture
def crank(tmp_path):
    path = tmp_path / "crank.yaml"
    path.write_text(CRANK)
    return path


def test_numbers_with_units_in_a_file_are_brought_to_si(crank):
    body = open_model(crank).model.bodies["bar"]
    assert body.mass == 0.5 and body.at == pytest.approx([0.1, 0, 0.05], rel=1e-15)


@pytest.mark.parametrize(("change", "at"), [
    ({"l": written(200)}, [0.2, 0, 0.05]),  # a bare number of the command line is in the unit of its cell
    ({"l": 0.2}, [0.2, 0, 0.05]),  # of Python, in SI
    ({"l": "20 cm"}, [0.2, 0, 0.05]),
    ({"A.z": written(70)}, [0.1, 0, 0.07]),
    ({"A.z": "7cm"}, [0.1, 0, 0.07]),
    ({"A.x": "5 mm"}, [0.005, 0, 0.05])])
def test_changes_are_in_the_units_of_their_cells(crank, change, at):
    assert open_model(crank, change).model.bodies["bar"].at == pytest.approx(at, rel=1e-15)


@pytest.mark.parametrize(("change", "message"), [
    ({"A.z": "5 kg"}, "with A.z = 5 kg as asked for: '5 kg' is a number of kg; here it is one of m"),
    ({"bar.mass": "5 mm"}, "'5 mm' is a number of m; here it is one of kg"),
    ({"B.z": "5 mm"}, "there is no parameter 'B.z'"),
    ({"A": "5 mm"}, r"'A' is a part, not a number.\n  It has: x, y, z"),
    ({"A.w": "5 mm"}, "'w' is not a component")])
def test_changes_that_do_not_fit_are_refused(crank, change, message):
    with pytest.raises(FileError, match=message):
        open_model(crank, change)


def test_files_and_workbooks_know_the_same_dimensions():
    for section, keys in MEASURED.items():
        columns = {c.key: c for c in TABLES[section if section not in ("gravity", "run") else "model"].columns.values()}
        for key, units in keys.items():
            if not units:  # anything
                continue
            column = columns[key or ("x" if section == "points" else section)]
            own = {unit_of(UNITS[d][0]).powers for d in column.dimensions}
            assert own <= {unit_of(u).powers for u in units}, (section, key)


def test_a_sweep_gives_the_closed_form(crank):
    found = sweep(crank, "l=50:150:3mm", "turn=30,60 deg")
    heads, rows = found.table(["height"])
    assert heads[:3] == ["l [mm]", "turn [deg]", "height, start [mm]"] and len(rows) == 6
    for length, turn, start, _, _, end in rows:
        angle = math.radians(turn)  # about y: z' = z cos - x sin
        assert start == pytest.approx(50, abs=1e-9)
        assert end == pytest.approx(50 * math.cos(angle) - length * math.sin(angle), abs=1e-7)


def test_values_that_cannot_be_run_are_listed_with_the_reason(crank):
    crank.write_text(CRANK.replace("axis: y}}", "axis: y}, R: {kind: distance, a: {on: ground, at: [1, 0, 0]}, b: tip, "
                                   "length: =k/2000}}").replace("drives: {motor: {measure: O.angle, function: turn*t}}",
                                                                "").replace("kinematics", "dynamics"))
    found = sweep(crank, "k=1.8,9000 N/mm", until=0.01)
    assert found.runs[0].result is not None and found.runs[1].result is None and "closed" in found.runs[1].reason
    assert np.isnan(found.table(["height"])[1][1][1:]).all()


@pytest.mark.parametrize(("text", "expected"), [
    ("A.z=1:3:3mm", Variation("A.z", (1.0, 2.0, 3.0), "mm")), ("k = 20, 25 N/mm", Variation("k", (20.0, 25.0), "N/mm")),
    ("l=1e2:2e2:2", Variation("l", (100.0, 200.0)))])
def test_variations_are_read(text, expected):
    assert variation_of(text) == expected


@pytest.mark.parametrize(("text", "message"), [
    ("A.z", "does not say what is varied"), ("A.z=", "does not say"), ("A.z=1:2:1mm", "1 values; from 2"),
    ("A.z=a:2:3", "'a' is not a number"), ("k=1,x", "'x' is not"),
    ("A.z=1:2:3 furlongs", "there is no unit 'furlongs'")])
def test_wrong_variations_are_refused(text, message):
    with pytest.raises(FileError, match=message):
        variation_of(text)


def test_too_many_runs_and_doubled_names_are_refused(crank):
    with pytest.raises(ModelError, match="these are 10,000 runs; at most 1,000"):
        sweep(crank, "l=1:2:100mm", "turn=1:2:100deg")
    with pytest.raises(ModelError, match="varied twice"):
        sweep(crank, "l=1:2:3mm", "l=1:2:3mm")


def test_the_command_writes_one_table_and_one_plot(crank, monkeypatch):
    monkeypatch.chdir(crank.parent)
    ended = CliRunner().invoke(app, ["sweep", "crank.yaml", "--vary", "A.z=10:50:3mm", "--json"])
    told = json.loads(ended.stdout)
    assert not ended.exit_code and told["heads"][0] == "A.z [mm]" and len(told["rows"]) == 3
    assert (crank.parent / "crank_sweep.html").is_file()
    head, *rows = (crank.parent / "crank_sweep.csv").read_text().splitlines()
    assert head.startswith('A.z [mm],"height, start [mm]"') and len(rows) == 3
