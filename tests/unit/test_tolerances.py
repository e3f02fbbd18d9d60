"""Tolerances from files, on the command line, in plots and in reports."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import vincolo as vc
from vincolo import plots, varied
from vincolo import tolerance as tol
from vincolo.cli.app import app
from vincolo.formats.toleranced import subject_of
from vincolo.tolerance import Normal, Tolerance

CRANK = """
name: crank
parameters: {r: 0.1, l: 0.3}
points: {O: [0, 0, 0], A: ["=r", 0, 0], B: ["=r+l", 0, 0]}
bodies:
  crank: {mass: 1, inertia: 0.01, at: O}
  rod: {mass: 1, inertia: 0.01, at: A}
  slider: {mass: 1, inertia: 0.01, at: B}
joints:
  O: {kind: revolute, a: ground, b: crank, at: O, axis: z}
  A: {kind: cylindrical, a: crank, b: rod, at: A, axis: z}
  B: {kind: spherical, a: rod, b: slider, at: B}
  G: {kind: prismatic, a: ground, b: slider, at: B, axis: x}
drives:
  motor: {measure: O.angle, function: "2*pi*t"}
run: {analysis: kinematics, until: 1.0, outputs: 8, channels: [slider.x]}
tolerances:
  radius: {of: r, plus_minus: 1.0e-4, cost: 1}
  rod: {of: "B@rod.x", lower: -1.0e-5, upper: 3.0e-5, distribution: triangular, peak: 0.0}
  hard point: {of: B.x, plus_minus: 1.0e-5, distribution: uniform, correlated: {radius: 0.5}}
  measured: {of: "O@ground.y", values: [1.0e-5, -2.0e-5, 0.0]}
  play: {clearance: A, "on": rod, gap: 2.0e-5, gap_plus_minus: 1.0e-5, length: 0.02, radius: 0.005, sigmas: 6}
"""


@pytest.fixture
def crank(tmp_path):
    path = tmp_path / "crank.yaml"
    path.write_text(CRANK)
    return path


def test_a_file_has_its_tolerances_and_a_workbook_keeps_them(crank, tmp_path):
    document = vc.open_model(crank)
    sources = {s.name: s for s in document.tolerances.sources}
    assert list(sources) == ["radius", "rod", "hard point", "measured", "play"]
    assert sources["radius"].spread == Normal(1e-4) and sources["radius"].cost == tol.Cost(1.0)
    assert sources["rod"].spread == tol.Triangular((-1e-5, 3e-5), 0.0)
    assert sources["play"].on == "rod" and sources["play"].gap.limits == pytest.approx((1e-5, 3e-5))
    assert document.tolerances.correlations == {("hard point", "radius"): 0.5}
    book = tmp_path / "crank.xlsx"
    vc.convert(crank, book)
    again = vc.open_model(book)
    assert again.tolerances == document.tolerances
    vc.convert(book, tmp_path / "back.yaml")
    assert vc.open_model(tmp_path / "back.yaml").tolerances == document.tolerances


def test_a_saved_model_keeps_tolerances_of_parts_and_tells_of_others(crank, tmp_path):
    document = vc.open_model(crank)
    with pytest.warns(vc.FileWarning, match="'radius', 'hard point' are of parameters or points"):
        vc.save_model(document, tmp_path / "saved.yaml")
    saved = vc.open_model(tmp_path / "saved.yaml").tolerances
    assert [s.name for s in saved.sources] == ["rod", "measured", "play"] and not saved.correlations
    assert saved.sources[:2] == document.tolerances.sources[1:4:2]


def test_parameters_points_and_parts_deviate_as_they_do_in_the_model(crank):
    document = vc.open_model(crank)
    subject = subject_of(document, ["slider.x"])
    line = tol.linear_tolerances(subject, document.tolerances.sources, correlations=document.tolerances.correlations)
    slopes = dict(zip(line.coordinates, line.slopes[:, :, 0], strict=True))
    angle, r, rod = 2 * np.pi * subject.at, 0.1, 0.3
    c = np.sqrt(1 - (r * np.sin(angle) / rod) ** 2)
    whole = np.cos(angle) - r * np.sin(angle) ** 2 / (rod * c)
    assert slopes["B@rod.x"] == pytest.approx(1 / c, abs=1e-5)
    assert slopes["r"] == pytest.approx(whole, abs=1e-5)  # A and B move with it: the rod keeps its length
    assert slopes["B.x"] == pytest.approx(1 / c, abs=1e-5)
    assert slopes["O@ground.y"] == pytest.approx(-r * np.sin(angle) / (rod * c), abs=1e-5)


def test_masses_springs_lengths_and_named_frames_can_deviate():
    model = vc.Model("scales", gravity=(0, 0, -10.0))
    pan = model.body("pan", 2.0, 0.1, at=(0, 0, 0))
    model.prismatic("guide", model.ground, pan, at=(0, 0, 0), axis="z")
    model.frame("eye", pan, (0.1, 0, 0))
    model.spring("spring", "guide.travel", k=1000.0, length=0.0)
    rod = model.body("arm", 1.0, 0.1, at=(1, 0, 0))
    model.revolute("O", model.ground, rod, at=(1, 0, 0), axis="y")
    model.distance("tie", rod.frame((2, 0, 0)), model.ground.frame((2, 0, 1)))
    sources = [Tolerance("pan.mass", Normal(0.01)), Tolerance("spring.k", Normal(1.0)),
               Tolerance("tie.length", Normal(1e-4)), Tolerance("eye.x", Normal(1e-4))]
    rest = tol.FunctionSubject(lambda mass, k: vc.statics(varied_scales(model, mass, k)).state["guide.travel"],
                               {"mass": 0.0, "k": 0.0})
    line = tol.linear_tolerances(rest, [Tolerance("mass", Normal(0.01)), Tolerance("k", Normal(1.0))])
    assert line.slopes[:, 0, 0] == pytest.approx([-0.01, 2e-5], rel=1e-4)  # z = -m g / k
    subject = tol.ModelSubject(model, ["eye.x", "O.angle"], analysis="assembly")
    found = tol.linear_tolerances(subject, sources)
    assert found.slopes[3, 0] == pytest.approx([1.0, 0.0], abs=1e-9)
    assert abs(found.slopes[2, 0, 1]) == pytest.approx(1.0, rel=1e-4)  # a longer tie turns the arm of 1 m


def varied_scales(model, mass, k):
    features = [(varied.feature_of(model, "pan.mass"), mass), (varied.feature_of(model, "spring.k"), k)]
    return varied.varied(model, features)


def test_lengths_as_drawn_stay_when_a_hole_moves():
    """A rod keeps its length when the place of its end on another body is off."""
    model = vc.Model("two", gravity=(0, 0, 0))
    a = model.body("a", 1, 0.1)
    model.prismatic("G", model.ground, a, (0, 0, 0), "x")
    model.distance("rod", a.frame((0, 0, 0), name="end"), model.ground.frame((1, 0, 0)))
    changed = varied.varied(model, [(varied.feature_of(model, "rod@a.x"), 0.01)])
    assert changed.joints["rod"].value_of(0) == pytest.approx(1.0)
    assert vc.assemble(changed)["a.x"] == pytest.approx(-0.01)


def test_a_motion_by_forces_can_be_studied_too():
    model = vc.Model("fall")
    ball = model.body("ball", 1.0, 0.1, at=(0, 0, 1))
    model.prismatic("line", model.ground, ball, (0, 0, 1), "z")
    model.spring("s", "line.travel", k=100.0, length=0.0)
    subject = tol.ModelSubject(model, ["ball.z"], until=0.2, times=4, analysis="dynamics")
    line = tol.linear_tolerances(subject, [Tolerance("s.k", Normal(1.0))])
    w, t = 10.0, subject.at
    slope = 9.80665 * (2 * (1 - np.cos(w * t)) / w**3 - t * np.sin(w * t) / w**2) / (2 * w)  # of 1 - g/w2 (1 - cos wt)
    assert line.slopes[0, :, 0] == pytest.approx(slope, abs=3e-7)


@pytest.fixture(scope="module")
def studied():
    subject = tol.FunctionSubject(lambda x, y: np.stack([x, x + 0.5 * y, y], -1), {"x": 1.0, "y": 2.0}, at=[0, 1, 2],
                                  vectorised=True, unit="m", output="gap")
    return tol.study(subject, [Tolerance("x", Normal(0.1)), Tolerance("y", Normal(0.2))], samples=500)


@pytest.mark.parametrize("draw", [plots.plot_band, plots.plot_histogram, plots.plot_contributions])
@pytest.mark.parametrize("ending", ["html", "png", "svg", "csv"])
def test_plots_are_pages_images_and_numbers(studied, draw, ending, tmp_path):
    path = draw(studied, path=tmp_path / f"p.{ending}")
    assert path.stat().st_size > (50 if ending == "csv" else 5000)
    if ending == "csv":
        head = path.read_text().splitlines()[0]
        assert ("gap standard deviation [m]" in head) == (draw is plots.plot_band)
    assert draw(studied).picture.title.startswith("function")


def test_a_band_holds_its_share_of_the_samples(studied):
    sheet = plots.tolerances.band_sheet(studied, share=0.9)
    band = sheet.panels[0].bands[0]
    inside = (studied.samples() >= band.low) & (studied.samples() <= band.high)
    assert inside.mean(axis=0) == pytest.approx(0.9, abs=0.01)
    bars = plots.tolerances.contribution_bars(studied, position=1)
    assert sum(bars.values) == pytest.approx(1.0, abs=0.05) and bars.labels[2] == "not linear"
    histogram = plots.tolerances.histogram_sheet(studied, position=0)
    assert histogram.panels[0].bands[0].high[::2].sum() == 500


def test_a_report_has_a_chapter_on_tolerances(crank, tmp_path):
    document = vc.open_model(crank)
    subject = subject_of(document)
    found = tol.study(subject, document.tolerances.sources[1:2], samples=8)
    path = document.run().report(tmp_path / "r.html", plots=[], animation=False, tolerances=found)
    text = path.read_text()
    assert 'id="tolerances"' in text and "8 samples, random, seed 1." in text and "what spreads slider.x" in text
    assert "All samples could be assembled" in text


def test_the_command_line_studies_a_file_and_goes_on_with_more_samples(crank, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner()
    asked = ["tolerance", "crank.yaml", "--workers", "1", "--times", "4"]
    first = run.invoke(app, [*asked, "--samples", "20", "--json"])
    assert first.exit_code == 0, first.output
    facts = json.loads(first.stdout)
    assert facts["samples"] == 20 and facts["failed"] == 0 and facts["outputs"]["slider.x"]["unit"] == "m"
    assert {p.name for p in (tmp_path / "crank_tolerances").iterdir()} == {
        "samples", "band.html", "histogram.html", "contributions.html", "band.csv"}
    more = run.invoke(app, [*asked, "--samples", "24"])
    assert more.exit_code == 0 and "24 samples" in more.output and "caused by" in more.output
    other = run.invoke(app, [*asked, "--seed", "2"])
    assert other.exit_code == 2 and "another study" in other.output
    wrong = run.invoke(app, ["tolerance", "crank.yaml", "-c", "slider.q"])
    assert wrong.exit_code == 2 and "slider.q" in wrong.output
