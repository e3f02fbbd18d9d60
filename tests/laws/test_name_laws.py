"""What must hold for every name that a model, a file or a user gives: it does no harm where it is shown or written, and
comes back from every file as it was."""

import csv
import json
import re
import unicodedata
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner

import vincolo as vc
from vincolo.cli.app import app
from vincolo.formats import load_model, save_model
from vincolo.formats.sources import Names
from vincolo.plots import plot
from vincolo.tables.folder import load_folder, save_folder
from vincolo.tables.results_sheet import add_results
from vincolo.tables.table_files import read_table

CONTROL = [chr(k) for k in (*range(0x20), *range(0x7F, 0xA0))] + ["\ud800", "\udfff"]
FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "-2", "@SUM(1)", "'=1", "''@x", "'plain", '="a"&"b"', "==", "=\u00e9")
SPACES = ("no\u00a0break", "thin\u2009space", "soft\u00adhyphen", "join\u200der", "end ", "end\u00a0", "line\u2028end",
          "\u0645\u06cc\u200c\u062e", "right\u202eleft", "a;=1", "a,b", 'a"b')


def model_of(*names):
    """A body of every name on a hinge, and a joint and a drive of it."""
    model = vc.Model("names")
    for k, name in enumerate(names):
        body = model.body(name, 1.0, 0.1, at=(1.0 + k, 0, 0))
        model.revolute(f"{name}~", model.ground, body, at=(k, 0, 0), axis="y")
    return model


MAKERS = {
    "model": lambda m, b, n: vc.Model(n), "body": lambda m, b, n: m.body(n, 1.0, 0.1),
    "frame": lambda m, b, n: m.frame(n, b, (1, 0, 0)),
    "joint": lambda m, b, n: m.revolute(n, m.ground, b, at=(0, 0, 0), axis="y"),
    "spring": lambda m, b, n: m.spring(n, "hinge.angle", k=1.0), "force": lambda m, b, n: m.force(n, b, (0, 0, 1)),
    "torque": lambda m, b, n: m.torque(n, b, (0, 0, 1)),
    "measure": lambda m, b, n: m.measure(n, "hinge.angle"),
    "drive": lambda m, b, n: m.drive("hinge.angle", "t", name=n),
    "sub-model": lambda m, b, n: m.add(n, model_of("bar"), on=b),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_no_part_has_a_name_with_control_codes(kind):
    model = vc.Model("m")
    body = model.body("bar", 1.0, 0.1)
    model.revolute("hinge", model.ground, body, at=(0, 0, 0), axis="y")
    for char in CONTROL:
        with pytest.raises(vc.ModelError, match="control codes|needs a name|does not begin") as error:
            MAKERS[kind](model, body, f"a{char}[31mb")
        assert char not in str(error.value).replace("\n  ", "")
    if kind != "model":
        with pytest.raises(vc.ModelError, match="does not begin with a space"):
            MAKERS[kind](model, body, "\u00a0a")


def test_names_of_other_programs_lose_their_control_codes():
    told = []
    names = Names(lambda place, text: told.append(text))
    for char in CONTROL:
        found = names.free(f"a{char}b", "body", "line 3")
        assert found.startswith("a_b") and char not in found
    assert len(told) == len(CONTROL)


@pytest.mark.parametrize("ending", ["csv", "xlsx", "h5", "mat"])
def test_odd_names_come_back_from_every_table(tmp_path, ending):
    result = vc.simulate(model_of(*FORMULAS, *SPACES), until=0.1, outputs=3)
    table = read_table(result.export(tmp_path / f"all.{ending}"))
    assert table.keys() == result.keys()
    assert all(table[name].tobytes() == result[name].tobytes() for name in table.keys())  # noqa: SIM118


@pytest.mark.parametrize("ending", ["yaml", "xlsx"])
def test_odd_names_come_back_from_every_model(tmp_path, ending):
    model = model_of(*FORMULAS, *SPACES)
    again = load_model(save_model(model, tmp_path / f"model.{ending}"))
    assert list(again.bodies) == list(model.bodies) and list(again.joints) == list(model.joints)


def test_a_run_with_odd_names_is_kept(tmp_path):
    result = vc.simulate(model_of(*FORMULAS, *SPACES), until=0.1, outputs=3)
    assert load_folder(save_folder(result, tmp_path / "run")).keys() == result.keys()


def test_no_name_is_a_formula_in_a_text_file(tmp_path):
    result = vc.simulate(model_of(*FORMULAS), until=0.1, outputs=3)
    names = [f"{name}.x" for name in FORMULAS]
    for path in (result.to_csv(tmp_path / "a.csv"), result.export(tmp_path / "b.csv"),
                 plot([("=label", result), ("-other", result)], names, path=tmp_path / "c.csv"),
                 save_folder(result, tmp_path / "run") / "results.csv"):
        with open(path, newline="", encoding="utf-8") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert len(cells) > len(names)
        for cell in cells:
            assert cell[:1] not in "=+@\t\r" and (cell[:1] != "-" or re.fullmatch(r"[-+.\deE]+", cell)), cell


def test_no_name_is_a_formula_in_a_workbook(tmp_path):
    model = model_of(*FORMULAS)
    result = vc.simulate(model, until=0.1, outputs=3)
    written = [result.export(tmp_path / "a.xlsx"), result.export(tmp_path / "b.xlsx", "*.x"),
               save_model(model, tmp_path / "c.xlsx")]
    add_results(result, tmp_path / "c.xlsx")
    for path in written:
        book = openpyxl.load_workbook(path)
        cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
        assert len(cells) > len(FORMULAS)
        assert not [cell.value for cell in cells if cell.data_type == "f" and "cmd" in str(cell.value)]
        assert not [cell.value for cell in cells if cell.data_type == "f"]


EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m"
FILES = {
    "name": f"name: {json.dumps(EVIL)}\nbodies:\n  b: {{mass: 1, inertia: 1}}\n",
    "body": f"bodies:\n  {json.dumps(EVIL)}: {{mass: 1, inertia: 1}}\n",
    "key": f"bodies:\n  b: {{{json.dumps(EVIL)}: 1}}\n",
    "value": f"bodies:\n  b: {{mass: {json.dumps(EVIL)}}}\n",
    "joint of nobody": f"bodies:\n  b: {{mass: 1, inertia: 1}}\njoints:\n  j: {{kind: revolute, a: {json.dumps(EVIL)}, "
                       "b: b}\n",
    "kind": f"bodies:\n  b: {{mass: 1, inertia: 1}}\njoints:\n  j: {{kind: {json.dumps(EVIL)}, a: ground, b: b}}\n",
    "formula": f"parameters:\n  p: {json.dumps('=1+' + EVIL)}\nbodies:\n  b: {{mass: \"=p\", inertia: 1}}\n",
}


@pytest.mark.parametrize("where", [*FILES, "file name", "change", "series", "template", "example"])
@pytest.mark.parametrize("command", ["run", "check", "statics"])
def test_no_control_code_of_a_file_reaches_the_terminal(tmp_path, monkeypatch, where, command):
    monkeypatch.chdir(tmp_path)
    name = f"{EVIL}.yaml" if where == "file name" else "model.yaml"
    Path(name).write_text(FILES.get(where, "bodies:\n  b: {mass: 1, inertia: 1}\nrun: {until: 0.1}\n"))
    words = {"change": [command, name, "--set", f"{EVIL}=1"], "series": ["run", name, "-c", EVIL, "--export", "a.csv"],
             "template": ["new", "a.xlsx", "--template", EVIL], "example": ["examples", EVIL]}.get(
        where, [command, name])
    found = CliRunner().invoke(app, words)
    assert found.exception is None or isinstance(found.exception, SystemExit)
    shown = {c for c in found.stdout + found.stderr if unicodedata.category(c) == "Cc"}
    assert shown <= {"\n", "\t"}, found.output
