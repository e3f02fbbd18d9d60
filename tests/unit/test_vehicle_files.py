"""Suspensions and cars in workbooks and YAML: templates, further sheets, reports, and the guide step by step."""

import re
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from typer.testing import CliRunner

import vincolo as vc
from vincolo.cli.app import app
from vincolo.cli.suspensions import Wish, watch_suspensions
from vincolo.formats.excel import write_template
from vincolo.formats.excel.vehicle_templates import VEHICLE_TEMPLATES
from vincolo.formats.files import convert, open_model
from vincolo.report.suspension import moving_axle, write_suspension_report

GUIDE = Path(__file__).parents[2] / "docs/vehicle.md"


@pytest.fixture(scope="module")
def car(tmp_path_factory):
    path = tmp_path_factory.mktemp("car") / "car.xlsx"
    write_template("fs-car", path)
    return path


def test_loads_are_written_where_loads_are_asked_for(car, tmp_path):
    """One row for each member, with the numbers of Python; without --loads the same name has curves."""
    target = tmp_path / "loads.csv"
    words = ["suspension", str(car), "--count", "5", "-o", str(target)]
    done = CliRunner().invoke(app, [*words, "--loads"])
    assert done.exit_code == 0 and f"written: {target}" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["loads.csv"]
    table = open_model(car).garage.loads()
    head, *rows = (line.split(",") for line in target.read_text().splitlines())
    assert head == ["member", *table.cases, "least", "largest"] and [row[0] for row in rows] == list(table.members)
    assert [[float(v) for v in row[1:-2]] for row in rows] == [pytest.approx(v, rel=1e-5) for v in table.values]
    curves = CliRunner().invoke(app, [*words, "--force"])
    assert curves.exit_code == 0 and "camber" in target.read_text().splitlines()[0]
    assert sorted(re.findall(r"(\w+\.csv)", curves.output)) == sorted(path.name for path in tmp_path.iterdir())


@pytest.mark.parametrize("name", VEHICLE_TEMPLATES)
def test_every_template_gives_curves_that_keep_its_limits(name, tmp_path):
    path = tmp_path / "a.xlsx"
    write_template(name, path)
    document = open_model(path)
    (s,) = document.garage.suspensions.values()
    found = vc.vehicle.standard_curves(s, count=11)
    assert all(c.kept for c in vc.vehicle.check_limits(found, document.garage.limits)) and not document.report.unused
    assert vc.mobility(document.model).dof == (3 if s.steered else 2)


def test_a_workbook_in_millimetres_is_the_suspension_of_its_starter(car):
    front = open_model(car).garage.suspensions["front"]
    same = vc.vehicle.example_car().front
    for role, point in same.points.items():
        assert front.points[role] == pytest.approx(point, abs=1e-12)
    assert (front.k, front.camber, front.bar_k) == pytest.approx((same.k, same.camber, same.bar_k), rel=1e-9)


def test_a_report_tells_what_bushings_and_points_do(tmp_path):
    """Its numbers are those of compliance() and sensitivities(); rounding is told as 0."""
    front = vc.vehicle.example_car("road").front
    found = {"front": {"parallel": vc.vehicle.curves(front, count=5)}}
    text = write_suspension_report(found, tmp_path / "a.html").read_text()
    toe = np.degrees(1000 * vc.vehicle.compliance(front, "lateral").toe["left"])
    assert "Compliance: what bushings" in text and f"{abs(toe):.3g}" in text
    slopes = vc.vehicle.sensitivities(front, ["left.bump_steer"])
    (name, value), *_ = slopes.strongest("left.bump_steer", 1)
    assert "What moves the metrics" in text and f"{name} " in text and f"{abs(np.degrees(value) / 1000):.3g}" in text
    for power in ("11", "12", "13", "14", "15", "16", "17"):
        assert f"10<sup>\N{MINUS SIGN}{power}</sup>" not in text


def test_a_passenger_car_with_bushings_comes_from_a_workbook(tmp_path):
    path = tmp_path / "road.xlsx"
    write_template("road-car", path)
    document = open_model(path)
    assert document.garage.suspensions["rear"].bushings == vc.vehicle.example_car("road").rear.bushings
    result = document.run(until=0.05, outputs=5)
    assert result.complete and result["chassis.z"] == pytest.approx(result["chassis.z"][0], abs=1e-3)


def test_a_car_from_a_workbook_rolls_and_its_yaml_is_the_same(car, tmp_path):
    document = open_model(car)
    start = document.start()
    assert start["chassis.vx"] == 15.0
    result = document.run(until=0.05, outputs=5)
    assert result["chassis.vx"][-1] == pytest.approx(15.0, abs=0.1) and result.complete
    written = tmp_path / "car.yaml"
    convert(car, written)
    again = open_model(written).run(until=0.05, outputs=5)
    assert again["chassis.z"] == pytest.approx(result["chassis.z"], abs=1e-9)


def test_a_built_car_is_saved_with_its_tyres_and_runs_alike(tmp_path):
    """The laws of tyres are saved as their operations; the motion after loading is the same to the last bit."""
    model = vc.vehicle.build_car(vc.vehicle.example_car(), vc.vehicle.example_tyre("fiala")).model
    vc.save_model(model, tmp_path / "a.yaml")
    vc.convert(tmp_path / "a.yaml", tmp_path / "b.xlsx")
    again = vc.load_model(tmp_path / "b.xlsx")
    runs = [vc.simulate(m, 0.02, outputs=4, integrator=vc.integrators.RK4(1e-3)) for m in (model, again)]
    assert np.array_equal(runs[0].y, runs[1].y)


def test_anything_special_is_added_on_further_sheets(car, tmp_path):
    path = tmp_path / "special.xlsx"
    book = openpyxl.load_workbook(car)
    sheet = book["Springs"]
    top = next(r for r in range(1, 10) if sheet.cell(r, 1).value == "name")
    heads = {str(sheet.cell(top, c).value).split(" [")[0]: c for c in range(1, sheet.max_column + 1)}
    for key, value in (("name", "helper"), ("measure", "front_left_lower_hinge.angle"), ("k", 50)):
        sheet.cell(top + 1, heads[key]).value = value
    book.save(path)
    assert "helper" in vc.load_model(path).springs


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("car.tyre_front", "slik", "there is no 'slik'.*Did you mean 'slick'"),
        ("car.front", "fornt", "there is no 'fornt'"),
        ("car.brake_front", 60, "a share is from 0 to 1"),
        ("car.mass", -3, "mass is -3"),
        ("slick.kind", "magik", "kind is 'magik'"),
    ],
)
def test_wrong_cars_in_files_are_named(car, key, value, words):
    with pytest.raises(vc.ModelError, match=words):
        open_model(car, {key: value})


def test_a_report_has_curves_limits_variants_and_loads(car, tmp_path):
    garage = open_model(car).garage
    found = {"front": vc.vehicle.standard_curves(garage.suspensions["front"], car=garage.setting("front"), count=11)}
    other = {
        "front": vc.vehicle.standard_curves(
            vc.vehicle.shifted(garage.suspensions["front"], {"tie_inner.z": 0.005}), count=11
        )
    }
    path = write_suspension_report(
        found,
        tmp_path / "report.html",
        title="Our <car>",
        limits=garage.limits,
        compared={"higher rack": {"front": other["front"]}},
        loads=garage.loads(),
        refresh=2,
    )
    text = path.read_text()
    for words in (
        "Our &lt;car&gt;",
        "higher rack",
        "front_left_push_rod",
        "force-based roll centre",
        "kept",
        "lower ball joint",
        'http-equiv="refresh"',
        "vincolo-data",
    ):
        assert words in text, words
    moving = moving_axle(found["front"]["parallel"])
    assert moving["front_left_upright.z"][-1] - moving["front_left_upright.z"][0] == pytest.approx(0.06, abs=1e-9)


def test_watching_writes_the_report_again_and_tells_what_is_wrong(tmp_path, capsys):
    path, page = tmp_path / "a.xlsx", tmp_path / "a.html"
    write_template("mcpherson", path)
    watch_suspensions(str(path), [], Wish(positions=5), page, rounds=1)
    assert page.stat().st_size > 10_000
    path.write_bytes(b"no workbook")
    watch_suspensions(str(path), [], Wish(positions=5), page, rounds=1)
    assert "waiting for the file to be mended" in capsys.readouterr().out


@pytest.mark.slow
def test_the_guide_is_followed_step_by_step(tmp_path, monkeypatch):
    """All commands of the guide are run as they stand, in an empty folder; files it asks to write are written."""
    monkeypatch.chdir(tmp_path)
    text = GUIDE.read_text()
    guide = text[text.index("## A Formula Student car from nothing") : text.index("## A suspension from nothing")]
    for name, content in re.findall(r"`(\w+\.csv)`:\n\n```text\n(.*?)```", guide, re.DOTALL):
        (tmp_path / name).write_text(content)
    commands = [
        line for block in re.findall(r"```sh\n(.*?)```", guide, re.DOTALL) for line in block.splitlines() if line
    ]
    assert len(commands) >= 6
    for command in commands:
        words = re.findall(r"'[^']*'|\S+", command)
        run = CliRunner().invoke(app, [w.strip("'") for w in words[1:]])
        assert run.exit_code == 0, (command, run.output)
    assert (tmp_path / "car.html").exists() and (tmp_path / "curves.csv").exists()
    heading = next(iter((tmp_path / "curves.csv").read_text().splitlines()))
    assert heading.startswith("travel [mm],left.camber [deg]")
    assert np.isfinite(np.loadtxt(tmp_path / "curves.csv", delimiter=",", skiprows=1, usecols=(0, 1))).all()
