"""Workbooks to begin with: they run, meet closed solutions, and help whoever fills them in."""

import math

import numpy as np
import openpyxl
import pytest

import vincolo as vc
from vincolo.formats.excel import write_template
from vincolo.formats.excel.layout import TABLES, section_of
from vincolo.formats.excel.template_models import TEMPLATES
from vincolo.formats.excel.units import split
from vincolo.formats.files import convert, open_model
from vincolo.formats.tree.mechanism import KINDS


def made(kind, tmp_path):
    path = tmp_path / f"{kind}.xlsx"
    write_template(kind, path)
    return path


def test_the_slider_crank_turns_twice_and_its_slider_is_where_it_must_be(tmp_path):
    path = made("slider-crank", tmp_path)
    for changes, l, L, n in (({}, 0.15, 0.45, 1.0), ({"l": 0.1, "n": 2.0}, 0.1, 0.45, 2.0)):  # noqa: E741
        document = open_model(path, changes)
        result = document.run()
        angle = 2 * math.pi * n * result.t
        expected = l * np.cos(angle) + np.sqrt(L**2 - (l * np.sin(angle)) ** 2)
        assert result["main bearing.angle"][-1] == pytest.approx(4 * math.pi, abs=1e-9)
        assert result["slider.x"] == pytest.approx(expected, abs=1e-9)
        assert all(np.isfinite(result[name]).all() for name in document.settings.channels)


def test_the_slider_crank_has_the_freedom_its_notes_tell(tmp_path):
    freedom = vc.mobility(open_model(made("slider-crank", tmp_path)).start())
    assert (freedom.dof, freedom.rank, freedom.redundant) == (1, 17, 0)


def wishbone_by_hand(points, height):
    """Camber and toe-in [deg] of the wheel at a height, by circles and spheres alone: no solver of vincolo's."""
    from scipy.optimize import brentq

    def turned(p, a, b, angle):
        axis = (b - a) / np.linalg.norm(b - a)
        r = p - a
        return (a + r * math.cos(angle) + np.cross(axis, r) * math.sin(angle)
                + axis * (axis @ r) * (1 - math.cos(angle)))

    def on_three_spheres(centres, radii, near):
        """Where three spheres meet, next to a point."""
        p0, p1, p2 = centres
        ex = (p1 - p0) / np.linalg.norm(p1 - p0)
        i = ex @ (p2 - p0)
        ey = (p2 - p0 - i * ex) / np.linalg.norm(p2 - p0 - i * ex)
        ez = np.cross(ex, ey)
        d, j = np.linalg.norm(p1 - p0), ey @ (p2 - p0)
        x = (radii[0] ** 2 - radii[1] ** 2 + d**2) / (2 * d)
        y = (radii[0] ** 2 - radii[2] ** 2 + i**2 + j**2 - 2 * i * x) / (2 * j)
        z = math.sqrt(radii[0] ** 2 - x**2 - y**2)
        return min((p0 + x * ex + y * ey + s * z * ez for s in (1, -1)), key=lambda p: np.linalg.norm(p - near))

    P = {name: np.array(value, dtype=float) for name, value in points.items()}
    lower0, upper0, steer0, wheel0 = (P[n] for n in ("lower ball", "upper ball", "tie rod outer", "wheel centre"))
    outer0 = wheel0 + np.array([0.0, 1.0, 0.0])  # a point on the axis of the wheel

    def positions(angle):
        lower = turned(lower0, P["lower front"], P["lower rear"], angle)

        def gap(other):
            upper = turned(upper0, P["upper front"], P["upper rear"], other)
            return np.linalg.norm(upper - lower) - np.linalg.norm(upper0 - lower0)

        upper = turned(upper0, P["upper front"], P["upper rear"], brentq(gap, angle - 0.2, angle + 0.2, xtol=1e-15))
        steer = on_three_spheres([lower, upper, P["tie rod inner"]],
                                 [np.linalg.norm(steer0 - p) for p in (lower0, upper0, P["tie rod inner"])], steer0)
        now, drawn = np.array([lower, upper, steer]), np.array([lower0, upper0, steer0])
        base = [np.column_stack([p[1] - p[0], p[2] - p[0], np.cross(p[1] - p[0], p[2] - p[0])]) for p in (now, drawn)]
        turn = base[0] @ np.linalg.inv(base[1])
        return lower + turn @ (wheel0 - lower0), lower + turn @ (outer0 - lower0)

    angle = brentq(lambda a: positions(a)[0][2] - height, -0.25, 0.25, xtol=1e-15)
    centre, outer = positions(angle)
    axis = outer - centre
    return -math.degrees(math.asin(axis[2])), math.degrees(math.asin(axis[0]))


def test_the_double_wishbone_moves_as_its_hardpoints_ask_for(tmp_path):
    document = open_model(made("double-wishbone", tmp_path))
    points = {n: [0.228 if v == "=R" else v for v in p] for n, p in TEMPLATES["double-wishbone"].tree["points"].items()}
    result = document.run()
    assert result.complete and np.abs(result["residual.position"]).max() < 1e-11
    for k in range(0, len(result.t), 20):
        camber, toe = wishbone_by_hand(points, result["height"][k])
        assert result.in_units("deg")["camber"][k] == pytest.approx(camber, abs=1e-7)
        assert result.in_units("deg")["toe in"][k] == pytest.approx(toe, abs=1e-7)


def test_the_double_wishbone_is_as_its_notes_tell(tmp_path):
    path = made("double-wishbone", tmp_path)
    document = open_model(path)
    freedom = vc.mobility(document.start())
    assert (freedom.dof, freedom.redundant) == (1, 0)
    loose = document.model.copy()
    for name in ("bump", "steering", "brake"):
        loose.remove(name)
    assert vc.mobility(vc.assemble(loose)).dof == 3
    result = document.run()
    top = np.argmax(result["height"])
    assert result["height"][top] == pytest.approx(0.258, abs=1e-5)
    assert result.in_units("deg")["camber"][top] == pytest.approx(-0.9, abs=0.05)
    assert np.abs(result.in_units("deg")["toe in"]).max() < 0.03
    before, after = (np.argmin(np.abs(result.t - t)) for t in (0.98, 1.02))
    ratio = np.diff(result["damper.length"][[before, after]]) / np.diff(result["height"][[before, after]])
    assert ratio == pytest.approx(-0.69, abs=0.01)


def test_the_force_at_the_wheel_is_that_of_the_spring_by_virtual_work(tmp_path):
    """Without weight and at rest: wheel force = spring force times the motion ratio."""
    document = open_model(made("double-wishbone", tmp_path), {"frequency": 1e-4, "gravity.z": 0.0})
    result = document.run(outputs=2000)
    ratio = np.gradient(result["damper.length"], result["height"])
    middle = slice(20, 400)
    expected = result["damper.force"] * ratio  # power at the wheel = power into the spring
    assert result["bump.force"][middle] == pytest.approx(expected[middle], rel=1e-3)


def test_steering_turns_the_wheel(tmp_path):
    """The rack 20 mm to the left pushes the steering arm ahead of the axle outwards: toe-out, by about 20/75 rad."""
    result = open_model(made("double-wishbone", tmp_path), {"steer": 0.02, "travel": 1e-6}).run(outputs=3)
    assert result.in_units("deg")["toe in"][0] == pytest.approx(-math.degrees(0.02 / 0.075), rel=0.15)


@pytest.mark.parametrize("kind", TEMPLATES)
def test_templates_are_the_same_bytes_every_time_and_can_become_yaml(kind, tmp_path, monkeypatch):
    first = made(kind, tmp_path).read_bytes()
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert made(kind, tmp_path).read_bytes() == first
    document = convert(tmp_path / f"{kind}.xlsx", tmp_path / "m.yaml")
    copy = open_model(tmp_path / "m.yaml")
    assert copy.settings == document.settings and list(copy.model.joints) == list(document.model.joints)
    assert not document.report.notes and not document.report.left_out


@pytest.mark.parametrize("kind", TEMPLATES)
def test_every_heading_is_explained_and_stays_in_sight(kind, tmp_path):
    book = openpyxl.load_workbook(made(kind, tmp_path))
    assert book.sheetnames[0] == "Read me" and book["# Lists"].sheet_state == "hidden"
    text = "\n".join(str(row[0]) for row in book["Read me"].iter_rows(values_only=True))
    assert f"vincolo check {kind}.xlsx" in text and f"vincolo run {kind}.xlsx --write-back" in text
    for sheet in book.worksheets[1:-1]:
        assert sheet.freeze_panes == "B5" and sheet["A1"].value == sheet.title
        for cell in sheet[4]:
            assert cell.comment is not None and len(cell.comment.text) > 5
            assert cell.fill.fgColor.rgb.endswith("1F4E78")
            words = split(cell.value)[0]
            table = TABLES[section_of(sheet.title)]
            assert words in (table.first, "comment", "value") or table.find(words)


def test_lists_and_checks_help_to_fill_in(tmp_path):
    book = openpyxl.load_workbook(made("slider-crank", tmp_path))
    lists = book["# Lists"]
    assert [lists.cell(r, 1).value for r in range(2, len(KINDS) + 2)] == KINDS
    assert lists["B2"].value == "ground" and lists["B3"].value == '=IF(Bodies!$A$5="","",Bodies!$A$5)'
    rules = {str(v.sqref): v.formula1 for v in book["Joints"].data_validations.dataValidation}
    assert rules["B5:B204"].startswith("'# Lists'!$A$2") and rules["C5:C204"].startswith("'# Lists'!$B$2")
    mass = {str(v.sqref): v.formula1 for v in book["Bodies"].data_validations.dataValidation}
    assert mass == {"B5:B204": "OR(ISTEXT(B5),B5>0)"}
    model = {v.formula1 for v in book["Model"].data_validations.dataValidation}
    assert '"dynamics,kinematics"' in model and any("$D$2" in f for f in model)
    missing = {str(r.sqref): rule.formula[0] for r in book["Joints"].conditional_formatting for rule in r.rules}
    assert missing["B5:B204"] == 'AND($A5<>"",LEFT($A5,1)<>"#",B5="")'


def test_the_blank_template_waits_for_a_model(tmp_path):
    path = made("blank", tmp_path)
    assert not open_model(path).model.bodies
    book = openpyxl.load_workbook(path)
    titles = [[cell.value for cell in book[name][4]] for name in ("Bodies", "Joints")]
    assert titles == [["name", "mass [kg]", "inertia xx [kg m2]", "inertia yy [kg m2]", "inertia zz [kg m2]", "at",
                       "comment"], ["name", "kind", "a", "b", "at", "axis", "axis2", "comment"]]
    for sheet, row in (("Bodies", ["ball", 2.0, 0.1, 0.1, 0.1, "0; 0; 1"]), ("Joints", ["rail", "prismatic", "ground",
                                                                                      "ball", "0; 0; 1", "z"])):
        for c, value in enumerate(row, 1):
            book[sheet].cell(5, c).value = value
    book.save(path)
    result = open_model(path).run(until=1.0)
    assert result["ball.z"][-1] == pytest.approx(1 - 9.80665 / 2, abs=1e-9)


def test_points_of_the_double_wishbone_may_be_in_millimetres(tmp_path):
    path = made("double-wishbone", tmp_path)
    meant = open_model(path)
    book = openpyxl.load_workbook(path)
    sheet = book["Points"]
    top = next(row for row in sheet.iter_rows() if row[0].value == "name")
    for cell in top[1:4]:
        cell.value = f"{split(cell.value)[0]} [mm]"
    for row in sheet.iter_rows(min_row=top[0].row + 1, max_col=4):
        for cell in row[1:]:
            cell.value = None if cell.value is None else 1000 * cell.value
    book.save(path)
    found = open_model(path)
    assert np.abs(found.system.drawn.y - meant.system.drawn.y).max() < 1e-12
    assert found.start()["camber"] == pytest.approx(meant.start()["camber"], abs=1e-9)
