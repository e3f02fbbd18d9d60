"""Readers and hostile input, in seconds: planted mistakes are found, found ones stay mended, and nothing is lost."""

import copy
import io
import json
import math
import os
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path

import numpy as np
import openpyxl
import pytest
import yaml
from fuzzer import Worker, campaign
from guard import Target
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from mutations import ATTACKS, NUMBERS, TEXTS, Loader, spots
from planted import MISTAKES
from targets import ALL_SECTIONS, MATRICES, PART, PROGRAM, ROBOT, changes, expression, model, table

import vincolo as vc
from vincolo.cli.common import changes_of
from vincolo.errors import FileError
from vincolo.formats import load_model, open_model, save_model
from vincolo.formats.excel import write_template
from vincolo.model.expression import parse
from vincolo.tables.table_files import read_table

QUICK = settings(max_examples=40, deadline=None, derandomize=True, database=None,
                 suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
BODY = "bodies: {arm: {mass: 1, inertia: 1, at: [0, 0, 0]}}\n"
HOSTILE = (*ATTACKS, *TEXTS, *NUMBERS)


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """What a reader of models in files of a kind does wrong with some files; None if nothing."""
    here = Path.cwd()
    worker = Worker(tmp_path_factory.mktemp("judge"), [], 7)

    def judged(target: Target, files: dict[str, str | bytes]) -> str | None:
        case = {name: data if isinstance(data, bytes) else data.encode() for name, data in files.items()}
        found = worker.judged(target, case, traced=False)
        return None if found is None else found[1]

    yield judged
    os.chdir(here)


YAML, WORKBOOK = model("yaml", "model.yaml", [{}]), model("workbook", "model.xlsx", [{}])


# the fuzzer


def test_the_fuzzer_finds_planted_mistakes(tmp_path):
    names = [name for name in MISTAKES if name not in ("crash", "endless")]
    found = campaign(tmp_path, names, 120.0, 7, "planted", once=True)
    for name in names:
        assert any(f.startswith(f"{name}: {MISTAKES[name][1]}") for f in found.failures), f"{name}\n{found}"
    shrunk = next((tmp_path / "failures").glob("* wrong class *")) / "file"
    assert shrunk.read_bytes() == b"<0"  # the smallest file that fails in this way


@pytest.mark.parametrize("name", ["crash", "endless"])
def test_the_fuzzer_outlives_crashes_and_endless_loops(tmp_path, name, monkeypatch):
    monkeypatch.setenv("VINCOLO_FUZZ_CPU", "0.3")
    found = campaign(tmp_path, [name], 60.0, 7, "planted", once=True)
    assert found.failures[0].startswith(f"{name}: {MISTAKES[name][1]}")


# what was found once


@pytest.mark.parametrize("text", ["arm.att.x=1", "arm.at.x.y=1", "arm.at.\u00b2=1", "run.until=1", "run=1", "arm=1",
                                  "arm.\udcff=1", "joints.O.axis=1", "gravity.x.y=1", f"arm.at.{'9' * 5000}=1"])
@pytest.mark.parametrize("run", ["", "run:\n", "run: 5\n", "joints: 3\n"])
def test_any_change_is_made_or_refused(tmp_path, text, run):
    (tmp_path / "model.yaml").write_text(BODY + run)
    try:
        document = open_model(tmp_path / "model.yaml", changes_of([text]))
    except FileError as error:
        assert str(error).encode().startswith(b"model.yaml")
    else:
        assert text == "run.until=1" and document.settings.until == 1.0


def test_a_model_never_runs_a_program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_bytes(PROGRAM)
    Path("model.yaml").write_text("submodels: {s: {use: program.py}}\n")
    with pytest.raises(FileError, match=r"(?s)model.yaml, line 1.*program.py: this is a program.*vincolo convert"):
        load_model("model.yaml")
    assert sorted(os.listdir()) == ["model.yaml", "program.py"]
    assert len(load_model("program.py").bodies) == 1  # the user's own choice
    assert Path("PWNED").exists()


def test_files_of_different_kinds_that_use_each_other_are_refused(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Submodels"
    for row in (["name", "use"], ["inner", "model.yaml"]):
        book.active.append(row)
    book.save(tmp_path / "book.xlsx")
    (tmp_path / "model.yaml").write_text("submodels: {outer: {use: book.xlsx}}\n")
    with pytest.raises(FileError, match=r"in a circle: model.yaml -> book.xlsx -> model.yaml"):
        load_model(tmp_path / "model.yaml")


SLOW_OR_LONG = {
    "formulas of formulas": f"parameters: {{{', '.join(f'p{k}: =p{k + 1}' for k in range(3000))}, p3000: 1}}\n" + BODY,
    "many formulas": f"parameters: {{{', '.join(f'p{k}: =1+{k}' for k in range(3000))}}}\n" + BODY,
    "many digits": f"bodies: {{arm: {{mass: {'9' * 200_000}}}}}\n",
    "a long name of a file": f"submodels: {{s: {{use: {'a' * 5000}.yaml}}}}\n",
    "a device": "submodels: {s: {use: /dev/zero}}\n",
    "a shape from a device": "bodies: {a: {shape: {kind: mesh, path: /dev/zero, density: 1}}}\n",
}


@pytest.mark.parametrize("text", SLOW_OR_LONG.values(), ids=SLOW_OR_LONG)
def test_large_and_odd_files_are_read_or_refused_in_time(judge, text):
    assert judge(YAML, {"model.yaml": text}) is None


def test_tables_with_many_columns_are_read_in_time(judge):
    heads = ",".join(f"x{k} [m]" for k in range(20_000))
    assert judge(Target("table", [], table, "table"), {"table.csv": f"t,{heads}\n"}) is None


# hostile texts wherever a text can stand


def test_nothing_in_yaml_is_executed(judge):
    whole = yaml.load(ALL_SECTIONS, Loader)
    count = len(spots(whole))
    assert judge(YAML, {"model.yaml": json.dumps(whole), "part.yaml": PART}) is None
    for k in range(count):
        data, attack = copy.deepcopy(whole), ATTACKS[k % len(ATTACKS)]
        holder, key = spots(data)[k]
        holder[key] = attack
        files = {"model.yaml": json.dumps(data), "part.yaml": PART, "program.py": PROGRAM}
        assert judge(YAML, files) is None, f"{key}: {attack}"
    assert count > 200


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_in_other_texts_is_executed(judge, attack):
    plain = attack.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    urdf, matrices = model("urdf", "model.urdf", [{}]), model("matrices", "model.sym", [{}])
    robot = ROBOT.replace('"shoulder"', f'"{plain}"').replace('"0 1 0"', f'"{plain}"')
    assert judge(urdf, {"model.urdf": robot}) is None
    assert judge(matrices, {"model.sym": MATRICES.replace("k*cos(t)", attack)}) is None
    assert judge(matrices, {"model.sym": MATRICES.replace("'two bars'", attack)}) is None
    assert judge(Target("expression", [], expression, r"(?s).*(\^|expression)"), {"formula": attack}) is None
    for change in (f"l={attack}", f"push.components.0={attack}", f"{attack}=1", f"crank.{attack}=1"):
        files = {"model.yaml": ALL_SECTIONS, "part.yaml": PART, "changes": change.replace("\n", " ")}
        assert judge(Target("set", [], changes, r"[^\n]*(--set|\.yaml)"), files) is None, change


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    path = tmp_path_factory.mktemp("template") / "model.xlsx"
    write_template("slider-crank", path)
    return path


cell_values = st.one_of(st.sampled_from(HOSTILE), st.floats(), st.integers(), st.booleans(), st.none(), st.dates(),
                        st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30))


@settings(QUICK, max_examples=20)
@given(place=st.integers(0, 10_000), value=cell_values)
def test_any_value_in_any_cell_is_read_or_refused(judge, template, place, value):
    book = openpyxl.load_workbook(template)  # a small one: a crank and a slider
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    cell, stream = cells[place % len(cells)], io.BytesIO()
    try:
        cell.value = value
        book.save(stream)
    except (ValueError, openpyxl.utils.exceptions.IllegalCharacterError):
        assume(False)  # what Excel itself cannot hold
    assert judge(WORKBOOK, {"model.xlsx": stream.getvalue()}) is None, (cell.parent.title, cell.coordinate, value)


# nothing is lost

LETTERS = st.characters(exclude_characters=".\r\n", exclude_categories=["Cs", "Cc"])
NAMES = st.text(LETTERS, min_size=1, max_size=12).filter(
    lambda name: name == name.lstrip() and name not in ("ground", "energy", "residual", "t"))
NUMBER = st.floats(-1e3, 1e3)
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER)
POSITIVE = st.floats(1e-3, 1e3)
FUNCTION = st.one_of(
    NUMBER, st.sampled_from(["sin(3*t)", "t^2 - 1", "2*pi*t", "max(t, 0.5)"]), st.builds(vc.Sine, POSITIVE, POSITIVE),
    st.builds(lambda c: vc.Polynomial(c), st.lists(NUMBER, min_size=1, max_size=4)),
    st.builds(lambda a, b: vc.Expression("k*t + b", k=a, b=b), NUMBER, NUMBER))
JOINTS = ("spherical", "revolute", "cylindrical", "prismatic", "planar", "fixed", "guide", "point_on_plane")
AXIS = st.sampled_from(["x", "y", "z", (1.0, 2.0, -0.5), (0.3, 0.1, 0.0)])


@st.composite
def models(draw):
    """A chain of bodies with joints, springs, drives, laws and loads; any numbers, any names."""
    names = iter(draw(st.lists(NAMES, min_size=14, max_size=14, unique=True)))
    m = vc.Model(draw(st.text(LETTERS, max_size=8)), gravity=draw(VECTOR))
    before = m.ground
    for _ in range(draw(st.integers(1, 3))):
        a, b, c = (draw(POSITIVE) for _ in range(3))
        turned = draw(st.one_of(st.none(), st.just((0.8, 0.0, 0.6, 0.0)), st.just((0.5, -0.5, 0.5, 0.5))))
        body = m.body(next(names), draw(POSITIVE), (a + b, b + c, a + c), at=draw(VECTOR), orientation=turned,
                      com=draw(st.one_of(st.none(), VECTOR)), velocity=draw(VECTOR))
        kind, name, more = draw(st.sampled_from(JOINTS)), next(names), {}
        if kind not in ("spherical", "fixed"):
            more["axis"] = draw(AXIS)
        joint = getattr(m, kind)(name, before, body, at=draw(VECTOR), **more)
        for coordinate in list(joint.coordinates.values())[:1]:
            add = draw(st.sampled_from([
                lambda of: m.spring(next(names), of, k=draw(NUMBER), c=draw(NUMBER), preload=draw(NUMBER)),
                lambda of: m.law(next(names), of, "a*d + b*dd", a=draw(NUMBER), b=draw(NUMBER)),
                lambda of: m.drive(of, draw(FUNCTION)), lambda of: m.hold(next(names), of, draw(FUNCTION))]))
            add(coordinate)
        before = body
    m.force(next(names), before, [draw(FUNCTION) for _ in range(3)], axes=draw(st.sampled_from(["world", "body"])))
    return m


def plain(part):
    """Everything a part is made of, with the bits of its numbers."""
    if isinstance(part, np.ndarray):
        return part.shape, part.tobytes()
    if isinstance(part, float):
        return part.hex()
    if is_dataclass(part) and not isinstance(part, Enum):
        return type(part).__name__, {f.name: plain(getattr(part, f.name)) for f in fields(part)}
    if isinstance(part, dict):
        return [(key, plain(value)) for key, value in part.items()]
    if isinstance(part, list | tuple):
        return [plain(value) for value in part]
    return part


@pytest.mark.parametrize("ending", ["yaml", "xlsx"])
@QUICK
@given(made=models())
def test_a_model_is_the_same_after_save_and_load(tmp_path, ending, made):
    again = load_model(save_model(made, tmp_path / f"model.{ending}"))
    assert again.name == made.name and plain(again.gravity) == plain(made.gravity)
    assert plain(again.groups()) == plain(made.groups())


@QUICK
@given(rows=st.lists(st.tuples(st.floats(), st.floats(), st.floats()), max_size=5))
def test_a_table_keeps_every_bit(tmp_path, rows):
    path = tmp_path / "table.csv"
    path.write_text("t [s],a [m],b\n" + "".join(f"{t!r},{a!r},{b!r}\n" for t, a, b in rows))
    found = read_table(path)
    assert [tuple(map(repr, row)) for row in zip(*(found[n].tolist() for n in "tab"), strict=True)] == [
        tuple(map(repr, row)) for row in rows]


def terms(inner):
    """Arithmetic around smaller formulas; Python reads all of it in the same way."""
    pairs = st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**"]), inner)
    calls = st.tuples(st.sampled_from(["sin", "exp", "sqrt", "abs", "atan", "log", "tanh"]), inner)
    return st.one_of(pairs.map("({0[0]}){0[1]}({0[2]})".format), pairs.map("{0[0]}{0[1]}({0[2]})".format),
                     calls.map("{0[0]}({0[1]})".format), inner.map("-({})".format))


@settings(QUICK, max_examples=200)
@given(text=st.recursive(st.sampled_from(["t", "d", "2", "0.5", "1e-3", "pi"]), terms, max_leaves=8),
       t=st.floats(-3, 3), d=st.floats(-3, 3))
def test_formulas_have_the_value_that_python_gives_them(text, t, d):
    known = {name: getattr(math, name) for name in ("sin", "exp", "sqrt", "atan", "log", "tanh", "pi")} | {"abs": abs}
    try:
        wanted = eval(text, {"__builtins__": {}}, {**known, "t": t, "d": d})
        assume(isinstance(wanted, float) and math.isfinite(wanted))
    except (ArithmeticError, ValueError):
        assume(False)
    try:
        found = parse(text, ("d",)).evaluate(t, (d,))
    except vc.ExpressionError as error:  # parts without t and d are computed first, and refused if they overflow
        assert "no finite value" in str(error)
    else:
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-300)
