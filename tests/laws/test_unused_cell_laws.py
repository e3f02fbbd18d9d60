"""No cell of a workbook is passed over in silence: filled or changed, it changes the model, is listed, or refused."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import carvalho_workbooks as carvalho
from read_twice import SHARES, Outcome, drawn, is_noticed, outcome
from vincolo.formats.document import Document
from vincolo.formats.excel import write_template
from vincolo.formats.excel.carvalho import read_carvalho
from vincolo.formats.excel.cells import Cell, Sheet, column_name
from vincolo.formats.excel.layout import is_ignored
from vincolo.formats.excel.read import read_own
from vincolo.formats.excel.sheets import Workbook, read_workbook
from vincolo.formats.excel.template_models import TEMPLATES
from vincolo.formats.files import opened
from vincolo.formats.tree.files import Files
from vincolo.model.rotations import Rotation

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "workbooks").glob("*.xlsx"))
#: a sheet of bodies as Figure 3.9 of Carvalho (2022) prints it
FIGURE_3_9 = [
    [None, "General Input", None, None, "Input Type 1 - Axis Vectors", None, None, None, None, None,
     "Input T2 - Bryant Angles", None, None, "Input T3 - Orientational Axis of Rot"],
    [None, "Body Frame-Origin-CoM", None, None, "Point on x axis BF", None, None, "Point on y axis BF", None, None,
     "Euler Angles (X-Y-Z) Order", None, None, "Axis Direction Vector", None, None, "Rot Ang [Rad]"],
    ["Bodies ID", "x", "y", "z", "x", "y", "z", "x", "y", "z", "roll", "pitch", "yaw", "u1", "u2", "u3"],
    ["Absolute Frame", *[0] * 16],
    ["Spring/Damper Supp", 0, 500, *[0] * 14],
    ["Base", 0, "545,5", *[0] * 14],
    ["Rod Amarelo(Adams)", "-838,57", "517,397", *[0] * 12, 1, "0,5236"],
    ["Rod Rosa (Adams)", "838,57", "517,40", "0,00", *[0] * 11, 1, "-0,5236"]]


def figure_3_9() -> dict[str, carvalho.Rows]:
    """The sheet of the figure with a driver, as a kinematic simulation."""
    drivers = [{"Body": 3, "Direction index": 2, "Function": "@(t) 545.5 + 10*t"}]
    settings = {"Type of Simulation": "Kin", "Units System": "MMKS", "Gravity Magnitude": None,
                "Gravity Direction": None}
    return {**carvalho.sheets(drivers=drivers, joints=[], **settings), "Bodies": FIGURE_3_9}


def all_kinds() -> dict[str, carvalho.Rows]:
    """One of each joint and force element, with points and graphs."""
    at, second = {"x": 0, "y": 0, "z": 0}, {"x2": 1, "y2": 0, "z2": 0}
    axis = {"sx": 0, "sy": 0, "sz": 1}
    pair = {"Body i": 1, "Body j": 2}
    joints = [carvalho.HINGE, {"ID": "Spherical", **pair, **at}, {"ID": "CompSpherical", **pair, **at, **second},
              {"ID": "Universal", **pair, **at, **axis, "sj x": 1, "sj y": 0, "sj z": 0},
              {"ID": "Cylindrical", "Body i": 1, "Body j": 3, **at, **axis},
              {"ID": "Translation", **pair, **at, **axis}, {"ID": "SphRev", **pair, **at, **axis, **second},
              {"ID": "TraRev", **pair, **at, **axis, **second}, {"ID": "Ground", "Body i": 4},
              {"ID": "Simple", "Body i": 3, "Direction": 2, **at}, {"ID": "Simple", "Body i": 3, "Direction": "4; 5"},
              {"ID": "Points", "Name": "P", "Body i": 2, **at}]
    ends = {**pair, "xi": 0, "yi": 1, "zi": 0, "xj": 1, "yj": 0, "zj": 0}
    elements = [{"ID": "Spring", **ends, "Coefficient": 5, "Undeformed length": 1},
                {"ID": "Damper", **ends, "Coefficient": 5},
                {"ID": "Tspring", "Body i": 1, "Body j": 3, "Coefficient": 5},
                {"ID": "Actuator", **ends, "Function 1": "@(t) sin(t)"},
                {"ID": "Spring", **ends, "Undeformed length": 1, "Number of functions": 2, "x1": 0.1,
                 "Function 1": "@(t) t", "Function 2": "@(t) 2*t"}]
    drivers = [{"Body": 3, "Direction index": 6, "u1": 0, "u2": 0, "u3": 1, "Function": "@(t) t"},
               {"Body": 5, "Direction index": 1, "Function": "@(t) 1 + t", "First derivative": "@(t) 1"}]
    bodies = [carvalho.body(), carvalho.body("Arm", u1=0, u2=0, u3=1) | {"Rot Ang": 0.3, "vx": 1, "Fx": "@(t) t"},
              carvalho.body("Leg", Roll=0.1), carvalho.body("Foot", 1, Tz=3)]
    more = {"Position": "Yes", "Bodies": "2; 3", "Points": "1", "Post Processing": "No", "Integrator": "ode45",
            "Tolerance": 1e-6, "Formulation": "Lagrange", "Joints ": "Yes", "Animation": "No"}
    return carvalho.sheets(bodies, joints, drivers, elements, **more)


def carvalho_books(folder: Path) -> dict[str, Workbook]:
    """Workbooks in this layout by name."""
    made = {"figure_3_9": figure_3_9(), "all_kinds": all_kinds()}
    return {**{path.stem: read_workbook(path) for path in EXAMPLES},
            **{name: read_workbook(carvalho.save(folder / f"{name}.xlsx", content)) for name, content in made.items()}}


def changes(sheet: Sheet) -> Iterator[tuple[int, int, list[Cell]]]:
    """Every cell of a sheet with other values for it, and the empty ones within and just beyond its tables."""
    rows, columns = (max(place[k] for place in sheet.cells) + 1 for k in (0, 1))
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            cell = sheet.get(row, column)
            if cell is None:
                yield row, column, [Cell(1.37, "number"), Cell(-0.41, "number")]
            elif isinstance(cell.value, float):
                yield row, column, [Cell(cell.value + 1.37, "number"), Cell(-cell.value - 0.53, "number")]


def changed(book: Workbook, name: str, row: int, column: int, cell: Cell) -> Workbook:
    """The workbook with one cell changed."""
    sheet = book.sheets[name]
    other = Sheet(sheet.file, sheet.name, sheet.hidden, {**sheet.cells, (row, column): cell}, sheet.merged)
    return replace(book, sheets={**book.sheets, name: other})


def silent(book: Workbook, read: Callable[[Workbook], Document], before: Outcome, share: float) -> list[str]:
    """The cells that can be filled or changed without a word, of a share of them."""
    found = []
    for name, sheet in book.sheets.items():
        for row, column, cells in drawn(changes(sheet) if sheet.cells else (), share):
            places = [sheet.place(row, column), f"{sheet.place(row)}:", f"sheet '{name}':"]
            others = [changed(book, name, row, column, cell) for cell in cells]
            if not any(is_noticed(before, outcome(partial(read, other)), *places) for other in others):
                found.append(f"{name}!{column_name(column)}{row}")
    return found


def _marked(path: Path) -> object:
    return path.stem if path.stem.startswith(("a01", "a06")) else pytest.param(path.stem, marks=pytest.mark.slow)


def test_the_sheet_of_figure_3_9_is_read_with_its_angles(tmp_path):
    """The heading of the angle stands one row higher than the others."""
    document = carvalho.made(tmp_path, figure_3_9())
    for name, angle in (("Rod Amarelo(Adams)", 0.5236), ("Rod Rosa (Adams)", -0.5236)):
        body = document.model.bodies[name]
        assert np.allclose(body.orientation, Rotation.axis_angle("z", angle).matrix, atol=1e-15)
    assert np.allclose(document.model.bodies["Rod Amarelo(Adams)"].at, (-0.83857, 0.517397, 0), atol=1e-15)
    assert document.report.unused == []


@SHARES
@pytest.mark.parametrize("name", [*map(_marked, EXAMPLES), "figure_3_9", "all_kinds"])
def test_no_cell_of_a_carvalho_workbook_is_passed_over_in_silence(name, share, tmp_path):
    book = carvalho_books(tmp_path)[name]
    before = outcome(lambda: read_carvalho(book))
    assert not before.refused, before.refused
    assert silent(book, read_carvalho, before, share) == []


def own_books(folder: Path, name: str) -> Workbook:
    """A workbook to begin with, in vincolo's own layout."""
    path = folder / f"{name}.xlsx"
    write_template(name, path)
    return read_workbook(path)


def is_comment(sheet: Sheet, row: int, column: int) -> bool:
    """Whether a cell is marked as none of the model's: in a column 'comment', or in a row or sheet with #."""
    headings = [str(sheet.cells[place].value) for place in sheet.cells if place[1] == column]
    first = sheet.get(row, 1)
    return "comment" in headings or (first is not None and str(first.value).startswith("#")) or is_ignored(sheet.name)


@SHARES
@pytest.mark.parametrize("name", [pytest.param(kind, marks=pytest.mark.slow) if kind != "blank" else kind
                                  for kind in TEMPLATES])
def test_no_cell_of_an_own_workbook_is_passed_over_in_silence(name, share, tmp_path):
    book = own_books(tmp_path, name)

    def read(book: Workbook) -> Document:
        return read_own(book, {}, Files(opened))

    before = outcome(partial(read, book))
    assert not before.refused, before.refused
    found = [place for place in silent(book, read, before, share)
             if not is_comment(book.sheets[place.partition("!")[0]], *place_of(place))]
    assert found == []


def place_of(text: str) -> tuple[int, int]:
    """Row and column of a place such as Bodies!AB12."""
    match = re.fullmatch(r".*!([A-Z]+)([0-9]+)", text)
    assert match is not None
    column = 0
    for letter in match[1]:
        column = 26 * column + ord(letter) - 64
    return int(match[2]), column


def many() -> dict[str, carvalho.Rows]:
    """Five bodies, each with a joint, a driver and a spring."""
    ends = {"xi": 0, "yi": 1, "zi": 0, "xj": 1, "yj": 0, "zj": 0}
    return carvalho.sheets(
        [carvalho.body(f"B{k}", k) for k in range(2, 7)],
        [{**carvalho.HINGE, "Name": f"J{k}", "Body j": k} for k in range(2, 7)],
        [{"Body": k, "Direction index": 6, "Function": "@(t) t", "Name": f"D{k}"} for k in range(2, 7)],
        [{"ID": "Spring", "Body i": 1, "Body j": k, **ends, "Coefficient": 1, "Undeformed length": 1}
         for k in range(2, 7)])


@pytest.mark.parametrize("sheet", carvalho.HEADERS)
def test_one_misspelt_heading_is_one_mistake_or_a_warning(sheet, tmp_path):
    for column, heading in enumerate(carvalho.HEADERS[sheet]):
        content = many()
        content[sheet][0][column] = "Qqqqq"
        book = read_workbook(carvalho.save(tmp_path / "car.xlsx", content))
        found = outcome(partial(read_carvalho, book))
        assert " mistakes." not in found.refused, f"{heading}: {found.refused}"
        assert found.refused or any("'Qqqqq'" in line for line in found.listed), heading
