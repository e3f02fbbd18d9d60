"""Studies that files ask for: YAML, workbooks, the command line."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import vincolo as vc
from vincolo.cli.app import app
from vincolo.studies.of_file import study_in
from vincolo.studies.study import studied

EXAMPLE = Path(__file__).parents[2] / "examples/studies/slider_crank.yaml"


def run(*arguments: str):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    path = tmp_path_factory.mktemp("book") / "crank.xlsx"
    vc.convert(EXAMPLE, path)
    return path


def test_the_example_is_a_table_of_twelve(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = run("study", EXAMPLE, "--workers", "1", "--json")
    facts = json.loads(found.stdout)
    assert found.exit_code == 0 and facts["variants"] == 12 and not facts["failures"] and facts["units"][0] == "m/s"
    table = np.genfromtxt(tmp_path / "slider_crank_study/study.csv", delimiter=",", skip_header=1)[:, :6]
    assert table.shape == (12, 6)
    model = vc.load_model(EXAMPLE, {"crank.mass": 2.0, "motor.components.y": 20})
    result = vc.simulate(model, 1.0, outputs=100)
    assert table[11, 3] == pytest.approx(result["slider.vx"].max(), abs=1e-7)
    again = run("study", EXAMPLE, "--workers", "1")
    assert again.exit_code == 0 and "12 of 12 variants" in again.stdout


def test_a_workbook_has_the_same_study(tmp_path):
    book = tmp_path / "crank.xlsx"
    vc.convert(EXAMPLE, book)
    both = [studied(*study_in(vc.open_model(path), {}), workers=1).values
            for path in (EXAMPLE, book)]
    assert np.array_equal(*both)


def test_parameters_and_points_of_a_file_vary(tmp_path):
    path = tmp_path / "crank.yaml"
    assert run("new", path, "--template", "slider-crank").exit_code == 0
    path.write_text(path.read_text() + "study:\n  crank: {of: l, low: 100 mm, high: 200 mm, count: 3}\n"
                                       "  mass: {of: m3, values: [0.5, 1.0]}\n  stroke: {keep: range slider.x}\n")
    text = path.read_text().replace('until: "=2/n"', "until: 1").replace("outputs: 400", "outputs: 200")
    path.write_text(text)
    found = studied(*study_in(vc.open_model(path), {}), workers=1)
    assert found["stroke"] == pytest.approx(2 * found["l"], rel=2e-3)
    assert found["l"][::2] == pytest.approx([0.1, 0.15, 0.2])


@pytest.mark.parametrize(("row", "told"), [
    ("mass: {of: crank.mass}", "give either low and high, or values, or centre with plus_minus"),
    ("mass: {of: crank.mass, low: 1, high: 2, samples: 3}", "a row with 'of' has no 'samples'"),
    ("mass: {low: 1}", "give one of these: of, what varies; keep"),
    ("mass: {of: crank.mass, centre: 1}", "centre and plus_minus belong together"),
    ("mass: {of: crank.mass, low: 2, high: 1, count: 2}", "the lower end comes first"),
    ("mass: {of: crank.mass, centre: 1, plus_minus: 0.1, distribution: odd}", "the distribution is 'odd'"),
    ("mass: {of: krank.mass, low: 1, high: 2, count: 2}", "krank"),
    ("mass: {of: crank.mass, low: 1 kg, high: 2 kg, count: 2}\n  more: {keep: max slyder.x}", "slyder"),
    ("a: {plan: grid}\n  b: {plan: sobol}", "there is a plan already, in 'a'"),
])
def test_wrong_rows_are_named(tmp_path, row, told):
    path = tmp_path / "crank.yaml"
    head = EXAMPLE.read_text().split("study:")[0]
    path.write_text(f"{head}study:\n  {row}\n  speed: {{keep: max slider.vx}}\nrun: {{until: 1, outputs: 10}}\n")
    found = run("study", path, "--out", tmp_path / "s")
    assert found.exit_code == 2 and told in found.output.replace("\n", " ").replace("  ", " ")


@pytest.mark.parametrize(("cell", "value", "told"), [
    ("G4", "max slyder.vx", "cell G4: there is no channel called 'slyder.vx'. Did you mean 'slider.vx'"),
    ("G4", "largest slider.vx", "cell G4: .*(?s:.)*What is kept of a channel is one of: time of max"),
    ("B2", "krank.mass", "cell B2: there is no parameter 'krank.mass'"),
    ("B3", "crank.mass", "cell B3: 'crank.mass' is varied twice"),
    ("C2", "nan", "cell C2: the name 'nan' is not known"),
    ("C2", 5, "cell C2: from 5 to 2; the lower end comes first"),
    ("C2", "0.5 m", "cell C2: the unit is 'm'; 'crank.mass' is a number of kg"),
    ("E2", 0, "cell E2: count is 0; a whole number from 2 on"),
    ("E2", 10**9, "cell H7: this grid has 3,000,000,000 variants"),
    ("F3", "[5, nan]", "sheet 'Study', cell F3"),
    ("H7", "gird", "cell H7: plan is 'gird'; it is one of: .* Did you mean 'grid'"),
    ("H7", "list", "cell H7: 'crank.mass' is a range; a list plan takes"),
    ("A5", "top speed", "cell A5: the name 'top speed' is used already, in row 4"),
    ("A4", "motor.y", "row 4: the output is called 'motor.y', as what varies is"),
])
def test_wrong_cells_of_the_sheet_are_named(book, tmp_path, cell, value, told):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    sheets = openpyxl.load_workbook(book)
    sheets["Study"][cell].value = value
    sheets.save(tmp_path / "wrong.xlsx")
    with pytest.raises(vc.FileError, match=f"wrong.xlsx, sheet 'Study', {told}" if "sheet" not in told else told):
        study_in(vc.open_model(tmp_path / "wrong.xlsx"), {})


def test_wrong_values_in_yaml_have_their_line(tmp_path):
    path = tmp_path / "crank.yaml"
    path.write_text(EXAMPLE.read_text().replace("keep: max slider.vx", "keep: max slyder.vx"))
    with pytest.raises(vc.FileError, match="crank.yaml, line 23, study: top speed: keep: there is no channel called"):
        study_in(vc.open_model(path), {})


def test_a_file_without_a_study_says_how_to_write_one(tmp_path):
    path = tmp_path / "crank.yaml"
    path.write_text(EXAMPLE.read_text().split("study:")[0])
    found = run("study", path)
    assert found.exit_code == 2 and "it has no study" in found.output and "keep: max slider.vx" in found.output


def test_a_folder_with_other_things_is_refused(tmp_path):
    (tmp_path / "x.txt").write_text("mine")
    found = run("study", EXAMPLE, "--out", tmp_path)
    assert found.exit_code == 2 and "is not a study" in found.output
