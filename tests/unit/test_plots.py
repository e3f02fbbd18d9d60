"""Plots show the numbers they are given, by unit, with names that nothing can spoil."""

import html
import re

import numpy as np
import pytest

import vincolo as vc
from linkages import pendulum
from vincolo.plots import plot
from vincolo.plots.image import _draw_panel
from vincolo.plots.sheet import COLOURS, MOST_LINES, Line, Panel, arrange, shortened
from vincolo.tables.table_files import read_table

ODD = ("$x_1$", "$\\nothing$", "_hidden", "<b>bold</b>", "</script>", "ß µ", "\\frac", "a" * 150)


@pytest.fixture(scope="module")
def result():
    model = pendulum()
    for name in ODD:
        model.frame(name, model.bodies["bar"], (1, 0, 0))
    return vc.simulate(model, 1.0, outputs=50)


def sheet_of(result, *names, against="t"):
    return arrange([("", result)], names, against, "title")


def test_a_panel_for_each_unit_in_the_order_asked_for(result):
    sheet = sheet_of(result, "bar.x", "O.angle", "bar.y", "energy.kinetic", "residual.position", "residual.velocity")
    assert [p.title for p in sheet.panels] == ["bar.x, bar.y [m]", "O.angle [rad]", "energy.kinetic [J]",
                                               "residual.position", "residual.velocity"]
    assert [len(p.lines) for p in sheet.panels] == [2, 1, 1, 1, 1] and sheet.x_title == "t [s]" and not sheet.equal
    assert np.array_equal(sheet.panels[0].lines[1].y, result["bar.y"])
    assert [p.legend for p in sheet.panels] == [True, False, False, False, False]


def test_long_titles_become_a_word_and_a_legend(result):
    panel = sheet_of(result, f"{'a' * 150}.ax").panels[0]
    assert panel.title == "acceleration [m/s²]" and panel.legend and len(panel.lines[0].label) == 48
    assert shortened("abcdefghij", 7) == "ab…ghij" and shortened("abc", 3) == "abc"


def test_paths_are_drawn_to_scale(result):
    assert sheet_of(result, "bar.y", against="bar.x").equal
    assert not sheet_of(result, "bar.vy", against="bar.x").equal
    assert not sheet_of(result, "bar.y", "bar.vy", against="bar.x").equal
    assert np.array_equal(sheet_of(result, "bar.y", against="bar.x").panels[0].lines[0].x, result["bar.x"])


def test_several_results_over_each_other(result):
    coarse = vc.simulate(pendulum(), 1.0, outputs=10)
    sheet = arrange([("fine", result), ("coarse", coarse)], ["O.angle", "ß µ.x", "bar.x", "bar.y"], "t", "")
    angle, lengths = sheet.panels
    assert [line.label for line in angle.lines] == ["fine", "coarse"] and angle.lines[0].colour != angle.lines[1].colour
    assert [len(line.y) for line in angle.lines] == [51, 11]
    assert [line.label for line in lengths.lines] == ["ß µ.x, fine", "bar.x, fine", "bar.x, coarse", "bar.y, fine",
                                                      "bar.y, coarse"]
    assert lengths.lines[1].colour == lengths.lines[2].colour and lengths.lines[1].dash != lengths.lines[2].dash


def test_a_line_upon_another_is_dashed(result):
    first, second, other = sheet_of(result, "$x_1$.x", "ß µ.x", "bar.x").panels[0].lines
    assert np.array_equal(first.y, second.y) and (first.dash, second.dash, other.dash) == (0, 1, 0)


def test_what_is_not_finite_is_a_gap(result, tmp_path):
    (tmp_path / "m.csv").write_text("t [s],a [m]\n0,1\n1,inf\n2,1e200\n3,4\n")
    table = read_table(tmp_path / "m.csv")
    assert arrange([("", table)], "a", "t", "").panels[0].lines[0].y == pytest.approx([1, np.nan, np.nan, 4],
                                                                                     nan_ok=True)


def test_figures_hold_the_numbers(result):
    figure = result.plot("bar.x", "bar.y", "O.angle")
    assert [line.label for line in figure.lines] == ["bar.x", "bar.y", "O.angle"]
    assert np.array_equal(figure.lines[1].y, result["bar.y"]) and np.array_equal(figure.lines[1].x, result.t)
    assert [len(panel.lines) for panel in figure.picture.panels] == [2, 1] and figure.picture.title == "pendulum"
    assert figure.picture.panels[1].title == "O.angle [rad]" and figure.picture.x_title == "t [s]"
    assert [line.colour for line in figure.lines] == [*COLOURS[:2], COLOURS[0]]
    scaled = result.plot("bar.y", against="bar.x", title="path")
    assert scaled.picture.equal and scaled.picture.title == "path"


def test_figures_are_saved_shown_and_put_into_notebooks(result, tmp_path, monkeypatch):
    figure = result.plot("bar.x")
    assert figure.save(tmp_path / "a.html").read_bytes() == figure.html()
    assert figure.save(tmp_path / "a.csv").read_text().startswith("t [s],bar.x [m]\n")
    seen = []
    monkeypatch.setattr("webbrowser.open", seen.append)
    figure.show()
    assert len(seen) == 1 and seen[0].startswith("file:///") and seen[0].endswith("plot.html")
    inline = figure._repr_html_()
    assert inline.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts allow-downloads"' in inline
    assert html.unescape(re.search('srcdoc="([^"]*)"', inline)[1]).encode() == figure.html()


def test_pages_are_complete_in_themselves(result, tmp_path):
    path = result.plot(*(f"{name}.x" for name in ODD), path=tmp_path / "run.html", title="</title><script>alert()")
    text = path.read_text(encoding="utf-8")
    assert not re.search(r'<(script|link)[^>]+(src|href)="(?!data:,")', text) and len(text) < 1e5
    assert "<title>&lt;/title&gt;&lt;script&gt;alert()</title>" in text and "<script>alert" not in text
    assert text.count("</script>") == text.count("<script")  # no name ends a script


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_images_are_written_without_a_display(result, tmp_path, kind, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("MPLBACKEND", "TkAgg")  # whatever is set, no window is opened
    path = result.plot(*(f"{name}.x" for name in ODD), "O.angle", path=tmp_path / f"run.{kind}")
    start = path.read_bytes()[:300]
    assert start.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind])
    again = result.plot(*(f"{name}.x" for name in ODD), "O.angle", path=tmp_path / f"again.{kind}")
    assert again.read_bytes() == path.read_bytes()  # the same numbers, the same file


def test_every_name_is_in_the_image(result, tmp_path):
    """The SVG has each text as a comment beside its letters."""
    pytest.importorskip("matplotlib")
    path = result.plot(*(f"{name}.x" for name in ODD), "O.angle", path=tmp_path / "run.svg", title="cost in $")
    found = path.read_text(encoding="utf-8")
    texts = [html.unescape(text) for text in re.findall(r"<!-- (.*?) -->", found)]
    for name in ("x_1", "_hidden.x", "<b>bold", "ß µ.x", "\\frac.x", "O.angle [rad]", "t [s]", "length [m]", "cost"):
        assert any(name in text for text in texts), (name, texts)


def test_images_show_the_curve(tmp_path):
    """A triangle of known height: its colour is highest in the middle of the picture."""
    image = pytest.importorskip("matplotlib.image")
    (tmp_path / "m.csv").write_text("t [s],a [m]\n0,0\n1,1\n2,0\n")
    pixels = image.imread(plot(read_table(tmp_path / "m.csv"), "a", path=tmp_path / "m.png"))[..., :3]
    colour = np.array([int(COLOURS[0][k: k + 2], 16) / 255 for k in (1, 3, 5)])
    rows, columns = np.nonzero(np.abs(pixels - colour).max(axis=2) < 0.02)
    left, right = columns.min(), columns.max()
    peak = columns[rows == rows.min()].mean()
    assert abs(peak - (left + right) / 2) < 0.01 * (right - left)
    assert right - left > 0.8 * pixels.shape[1] and np.ptp(rows) > 0.6 * pixels.shape[0]


def test_measured_data_beside_a_result(result, tmp_path):
    path = result.export(tmp_path / "measured.csv", "O.angle")
    figure = plot([("model", result), ("measured", read_table(path))], "O.angle")
    assert np.array_equal(figure.lines[0].y, figure.lines[1].y) and figure.picture.title == "pendulum, measured"


def test_too_many_lines_are_refused(result):
    with pytest.raises(vc.ModelError, match=rf"these are \d+ lines.*at most {MOST_LINES}.*\n  Choose fewer"):
        sheet_of(result, "*")


@pytest.mark.parametrize(("size", "written"), [(3e-6, "×10⁻⁶"), (2.5e14, "×10¹⁴"), (12.0, "")])
def test_labels_are_plain_text_below_a_common_power_of_ten(size, written):
    """No mathematical text, which takes long, and no power where numbers are of a usual size."""
    from matplotlib.figure import Figure

    axis = Figure().subplots()
    line = Line("y", np.arange(3.0), np.array([0.0, 0.5, 1.0]) * size, COLOURS[0], 0)
    _draw_panel(axis, Panel("y", (line,), legend=False), log=False)
    labels = axis.yaxis.get_major_formatter()
    ticks = labels.format_ticks(axis.get_yticks())
    assert labels.get_offset() == written and not any("$" in tick for tick in ticks)
