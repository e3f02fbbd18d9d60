"""Bad hardpoints and choices are named, in files with their cells."""

from dataclasses import replace

import numpy as np
import openpyxl
import pytest

import vincolo as vc
from vincolo.formats.excel import write_template
from vincolo.vehicle.starters import example

BAD = {  # what is changed, and what the message says
    "lines that meet": ({"tie_outer": (-0.0015, 0.5585, 0.223)}, "tie_outer is on the steering axis"),
    "arms too short": ({"lower_ball": (0.135, 0.2251, 0.118)}, "a part needs at least 10 mm"),
    "ball on its hinge": ({"upper_ball": (0.0, 0.2655, 0.27)}, "has no length across its hinge"),
    "left and right swapped": ({"lower_ball": (0.006, -0.572, 0.128)}, "on the right"),
    "inside out": ({"tie_inner": (0.062, 0.60, 0.146)}, "further out than tie_outer"),
    "mm for m": ({"lower_ball": (6.0, 572.0, 128.0)}, "These look like millimetres"),
    "upper and lower swapped": (
        {"upper_ball": (0.006, 0.572, 0.128), "lower_ball": (-0.009, 0.545, 0.318)},
        "upper_ball is below lower_ball",
    ),
    "front and rear swapped": (
        {"upper_front": (-0.115, 0.265, 0.275), "upper_rear": (0.125, 0.265, 0.265)},
        "upper_front is behind upper_rear",
    ),
    "below the road": ({"lower_ball": (0.006, 0.572, -0.128)}, "lower_ball .* is below the road"),
    "above the wheel": ({"wheel_centre": (0.0, 0.605, -0.228)}, "lower_ball .* is above the wheel"),
    "outside of the wheel": ({"wheel_centre": (0.0, 0.4, 0.228)}, "outside of the wheel"),
    "tie rod through the steering axis": (
        {"tie_outer": (0.0, 0.45, 0.23), "tie_inner": (0.0, 0.222, 0.25)},
        "meets the steering axis",
    ),
    "m for mm": ({"wheel_centre": (0.0, 0.000605, 0.000228)}, "Check its unit"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_hardpoints_are_refused_by_name(what):
    points, words = BAD[what]
    s = example("double wishbone")
    with pytest.raises(vc.ModelError, match=words):
        replace(s, points={**s.points, **points})


@pytest.mark.parametrize(
    ("name", "points", "words"),
    [
        ("five-link", {"link2_inner": (0.14, 0.42, 0.44), "link2_outer": (0.015, 0.68, 0.455)}, ("link1_", "link2_")),
        ("semi-trailing arm", {"pivot_inner": (0, 0.22, 0.3), "pivot_outer": (0, 0.6, 0.3)}, ("pivot_", "wheel_c")),
    ],
)
def test_links_that_do_not_hold_the_wheel_are_named(name, points, words):
    """Two links on one line, and a hinge through the wheel's centre."""
    s = example(name)
    with pytest.raises(vc.ModelError, match="do not hold the wheel") as caught:
        vc.vehicle.curves(replace(s, points={**s.points, **points}), count=5)
    assert all(word in str(caught.value).partition("Concerned: ")[2] for word in words)


def test_a_rig_that_is_not_reached_says_where_it_ends():
    s = example("fs push rod")
    with pytest.raises(vc.ModelError, match="does not reach the end of the rig 'parallel' at -0.3 m"):
        vc.vehicle.curves(s, "parallel", -0.3, 0.01, 5)


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "car.xlsx"
    write_template("fs-front", path)
    return path


def changed(path, name, column, value):
    """The workbook with a cell of a point changed, and the address of that cell."""
    book = openpyxl.load_workbook(path)
    sheet = book["Points"]
    row = next(r for r in range(1, sheet.max_row + 1) if sheet.cell(r, 1).value == name)
    sheet.cell(row, column).value = value
    book.save(path)
    return row


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [(3, -572, "on the right"), (3, 572000, "look like millimetres"), (3, 100, "further out than lower_ball")],
)
def test_bad_hardpoints_in_a_workbook_are_named_with_their_cells(book, column, value, words):
    row = changed(book, "front_lower_ball", column, value)
    with pytest.raises(vc.FileError, match=words) as caught:
        vc.load_model(book)
    told = str(caught.value)
    assert "car.xlsx, sheet 'Points'" in told and (f"cell C{row}" in told or f"row {row}" in told)


def test_a_point_without_a_role_and_one_that_is_missing(book):
    changed(book, "front_lower_ball", 1, "front_lower_bal")
    with pytest.raises(
        vc.FileError, match="'lower_bal' is not a point of a double wishbone.*Did you mean 'lower_ball'"
    ):
        vc.load_model(book)
    changed(book, "front_lower_bal", 1, "# front_lower_ball")
    with pytest.raises(vc.FileError, match="(?s)points are missing.*lower_ball: lower ball joint.*front_lower_ball"):
        vc.load_model(book)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "duoble wishbone"}, "kind is 'duoble wishbone'.*Did you mean"),
        ({"spring": "strut"}, "has no 'strut'"),
        ({"bar": "v"}, "bar is 'v'"),
        ({"rod_on": "axle"}, "rod_on is 'axle'"),
        ({"camber": -1.2}, "angles are in rad"),
        ({"k": np.nan}, "a finite number"),
        ({"k": -1.0}, "cannot be negative"),
        ({"wheel_radius": 0.0}, "must be positive"),
        ({"third_k": 1.0}, "needs rockers"),
        ({"bushings": {"lower_frnt": 1e6}}, "'lower_frnt', which is not one of its points"),
    ],
)
def test_wrong_choices_and_numbers(changes, words):
    with pytest.raises(vc.ModelError, match=words):
        replace(example("double wishbone"), **changes)


def test_rigs_and_metrics_are_named():
    s = example("semi-trailing arm")
    with pytest.raises(vc.ModelError, match="no rig 'paralel'.*Did you mean 'parallel'"):
        vc.vehicle.curves(s, "paralel")
    with pytest.raises(vc.ModelError, match="is not steered"):
        vc.vehicle.curves(s, "steer")
    with pytest.raises(vc.ModelError, match="must hold 0"):
        vc.vehicle.curves(s, "parallel", 0.01, 0.02)
    with pytest.raises(vc.ModelError, match="no metric 'left.kamber'"):
        vc.vehicle.curves(s, count=3)["left.kamber"]
    with pytest.raises(vc.ModelError, match="is not steered by a rack"):
        replace(s, steered=True)


def test_a_travel_that_cannot_be_reached_keeps_what_was_found():
    found = vc.vehicle.curves(example("double wishbone"), "parallel", -0.02, 0.5, 53)
    assert 5 < len(found.x) < 53 and "locks" in found.notes[0]


def test_the_command_names_what_is_missing(book, capsys):
    from typer.testing import CliRunner

    from vincolo.cli.app import app

    run = CliRunner().invoke(app, ["suspension", str(book), "--name", "rear"])
    assert run.exit_code == 2 and "there is no suspension 'rear'" in run.output
    good = CliRunner().invoke(app, ["suspension", str(book), "--count", "5", "--json"])
    assert good.exit_code == 0 and '"limits"' in good.output
