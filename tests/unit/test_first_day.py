"""A first day with vincolo, by the command line alone: from nothing to camber in degrees against travel in millimetres,
a sweep of one hardpoint, a page, a scene for slides and a report."""

import csv
import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from browser import page, shot
from vincolo.cli.app import app
from vincolo.report.pdf import browser


@pytest.fixture(scope="module")
def day(tmp_path_factory):
    """A folder in which commands are given one after the other; what each said."""
    folder = tmp_path_factory.mktemp("day")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        said = {name: CliRunner().invoke(app, words) for name, words in {
            "new": ["new", "car.xlsx", "--template", "double-wishbone"],
            "check": ["check", "car.xlsx"],
            "run": ["run", "car.xlsx", "--export", "car.csv"],
            "plot": ["plot", "car_results", "camber", "--against", "height", "-o", "camber.html"],
            "table": ["plot", "car_results", "camber", "--against", "height", "-o", "camber.csv"],
            "sweep": ["sweep", "car.xlsx", "--vary", "lower ball.z=120:130:3mm", "--plot", "camber", "--against",
                      "height", "-o", "sweep.html"],
            "view": ["view", "car_results", "-o", "car.html"], "scene": ["view", "car_results", "-o", "car.glb"],
            "report": ["report", "car_results", "-o", "car.html.html", "--text", "First hardpoints.", "--no-animation"],
        }.items()}
        if browser() is not None:
            said["pdf"] = CliRunner().invoke(app, ["report", "car_results", "-o", "car.pdf"])
    return folder, said


def columns(path):
    head, *rows = csv.reader(path.open(encoding="utf-8"))
    return head, np.array(rows, dtype=float).T


def test_every_step_works_and_says_what_comes_next(day):
    folder, said = day
    assert {name: s.exit_code for name, s in said.items()} == dict.fromkeys(said, 0), {
        name: s.output for name, s in said.items() if s.exit_code}
    assert "vincolo run car.xlsx" in said["new"].output and "vincolo plot car_results height" in said["run"].output
    assert "6 bodies, 9 joints, 1 drive, 1 spring" in said["check"].output


def test_camber_is_in_degrees_against_millimetres_and_is_that_of_the_upright(day):
    folder, _ = day
    head, (t, height, camber) = columns(folder / "camber.csv")
    assert head == ["t [s]", "height [mm]", "camber [deg]"] and 50 < np.ptp(height) < 70
    names, values = columns(folder / "car_results" / "results.csv")
    e = np.array([values[names.index(f"upright.e{k} [1]")] for k in range(4)])
    lift = 2 * (e[2] * e[3] + e[0] * e[1])  # of the upright's y axis, which is the wheel's
    assert np.abs(np.degrees(np.arcsin(lift))) == pytest.approx(np.abs(camber), abs=1e-6) and np.abs(camber).max() > 0.5


def test_the_plot_has_units_on_both_axes(day):
    folder, _ = day
    with page(folder / "camber.html") as tab:
        (panel,) = tab.evaluate("vincolo.state()[0].panels")
        assert panel["title"] == "camber [deg]" and '>height [mm]<' in tab.evaluate("vincolo.svg()")
        shot(tab, folder, "camber")
        assert not tab.errors
    assert (folder / "camber.html").stat().st_size < 100_000


def test_a_hardpoint_is_swept_with_one_table_and_one_plot(day):
    folder, said = day
    head, rows = columns(folder / "sweep.csv")
    assert head[0] == "lower ball.z [mm]" and rows[0] == pytest.approx([120, 125, 130])
    _, (_, _, camber) = columns(folder / "camber.csv")
    least = rows[head.index("camber, least [deg]")]
    assert least[1] == pytest.approx(camber.min()) and (np.diff(least) > 0).all()  # 125 mm is as drawn
    with page(folder / "sweep.html") as tab:
        assert len(tab.evaluate("vincolo.state()[0].panels[0].lines")) == 3 and not tab.errors


def test_the_page_opens_with_the_series_of_the_workbook(day):
    folder, _ = day
    with page(folder / "car.html", 800, 700) as tab:
        assert {"camber", "height"} <= set(tab.evaluate("vincolo.state().plots")) and not tab.errors
        shot(tab, folder, "car_800")


def test_scene_and_reports_are_there(day):
    folder, said = day
    assert (folder / "car.glb").read_bytes()[:4] == b"glTF"
    text = (folder / "car.html.html").read_text(encoding="utf-8")
    assert "<p>First hardpoints.</p>" in text and "point [mm]" in text and "camber" in text
    charts = json.loads(re.search(r'id="vincolo-data">(.*?)</script>', text)[1])["charts"]
    assert any(panel["title"].endswith("[deg]") for panel in charts[0]["panels"])
    if "pdf" in said:
        assert 5 <= len(re.findall(rb"/Type\s*/Page[^s]", (folder / "car.pdf").read_bytes())) <= 12
