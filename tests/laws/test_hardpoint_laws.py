"""Bad hardpoints of every kind of suspension are named: right for left, millimetres for metres, links without length,
lines that meet; in files with their cells."""

import numpy as np
import openpyxl
import pytest
from typer.testing import CliRunner

import vincolo as vc
from vincolo.cli.app import app
from vincolo.formats.excel.vehicle_templates import VEHICLE_TEMPLATES
from vincolo.formats.files import open_model
from vincolo.vehicle.hardpoints import LINKS, MEETING, _axes, problems
from vincolo.vehicle.starters import EXAMPLES, example

TO_RIGHT = np.array([1.0, -1.0, 1.0])


def named(s, **points):
    """The points that are named first where some are elsewhere."""
    found = problems(s.unchecked(points={**s.points, **points}))
    return {role.partition(".")[0] for role in found[0][0]} if found else set()


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_point_on_the_wrong_side_or_in_the_wrong_unit_is_named(name):
    s = example(name)
    assert problems(s) == []
    for role, p in s.points.items():
        if abs(p[1]) > 1e-9:
            assert role in named(s, **{role: p * TO_RIGHT}), f"{role} on the right"
        assert role in named(s, **{role: p * 1000}), f"{role} in mm"
        assert role in named(s, **{role: p / 1000}), f"{role} in m where mm are meant"


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_link_without_length_is_named(name):
    s, count = example(name), 0
    for a, b in LINKS:
        if a in s.points and b in s.points:
            assert a in named(s, **{a: s.points[b]}), (a, b)
            assert b in named(s, **{b: s.points[a] + 1e-3}), (a, b)
            count += 1
    assert count >= 2


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_line_that_meets_its_axis_is_named(name):
    """The far end of each line is put where the line goes through a point of the axis."""
    s = example(name)
    for ends, axis, so in MEETING:
        if axis in _axes(s) and ends[-1] in s.points:
            on = s.points[_axes(s)[axis][0]]
            through = on + 0.3 * (on - s.points[ends[0]]) if len(ends) > 1 else on
            found = problems(s.unchecked(points={**s.points, ends[-1]: through}))
            told = [roles for roles, text in found if f"meets {axis}" in text and so in text]
            assert told and set(ends) <= set(told[0]), (ends, axis)


#: what is done to a point in a file, which has a partner at the other end of its link
MISTAKES = {
    "right for left": lambda s, role, partner: s.points[role] * TO_RIGHT,
    "mm for m": lambda s, role, partner: s.points[role] * 1000,
    "m for mm": lambda s, role, partner: s.points[role] / 1000,
    "too short": lambda s, role, partner: s.points[partner] + 1e-3,
}


def made(folder, name, ending):
    """A template as a file."""
    path = folder / f"{name}.{ending}"
    run = CliRunner().invoke(app, ["new", str(path), "--template", name])
    assert run.exit_code == 0, run.output
    return path


def put(path, name, point):
    """Writes a point [m] into a file; the words that name it in messages."""
    if path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path)
        sheet = book["Points"]
        row = next(r for r in range(1, sheet.max_row + 1) if sheet.cell(r, 1).value == name)
        for k, v in enumerate(point):
            sheet.cell(row, 2 + k).value = 1000 * v
        book.save(path)
        return [f"{path.name}, sheet 'Points', cell {column}{row}" for column in "BCD"]
    lines = path.read_text().splitlines()
    k = next(k for k, line in enumerate(lines) if line.strip().startswith(f"{name}:"))
    lines[k] = f"  {name}: {[float(v) for v in point]}"
    path.write_text("\n".join(lines))
    return [f"{path.name}, line {k + 1}, points: {name}"]


FILES = [(name, "yaml") for name in VEHICLE_TEMPLATES] + [
    pytest.param(name, "xlsx", marks=[] if name == "mcpherson" else pytest.mark.slow) for name in VEHICLE_TEMPLATES
]


@pytest.mark.parametrize(("name", "ending"), FILES)
def test_files_name_the_cells_of_bad_points(tmp_path, name, ending):
    path = made(tmp_path, name, ending)
    s = next(iter(open_model(path).garage.suspensions.values()))
    role, partner = next((b, a) for a, b in LINKS if a in s.points and b in s.points and b != "upper_ball")
    for what, mistake in MISTAKES.items():
        places = put(path, f"{s.name}_{role}", mistake(s, role, partner))
        with pytest.raises(vc.FileError) as caught:
            open_model(path)
        assert any(place in str(caught.value) for place in places), f"{what}: {caught.value}"
    put(path, f"{s.name}_{role}", s.points[role])
    assert open_model(path).garage.suspensions


@pytest.mark.parametrize("ending", ["xlsx", "yaml"])
def test_a_suspension_that_locks_on_a_rig_names_the_cells_of_the_links_that_are_stretched(tmp_path, ending):
    """A tie rod of some 20 mm."""
    path = made(tmp_path, "wishbone-direct", ending)
    places = put(path, "front_tie_inner", (0.060, 0.545, 0.150))
    run = CliRunner().invoke(app, ["suspension", str(path), "--count", "5"])
    assert run.exit_code == 2 and "it locks at -0.02" in run.output and "Concerned first: tie_inner" in run.output
    assert any(place in run.output for place in places)
