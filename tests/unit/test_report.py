"""A report says what the result says, in every case, and nothing in a name can spoil it."""

import io
import json
import math
import re
import warnings
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import vincolo as vc
from browser import page, shot
from example_models import NAMES, built
from linkages import parallelogram, pendulum
from vincolo.report import Plot, key_plots, report_html, write_report
from vincolo.report import pdf as printing
from vincolo.report.checks import checks_of, verdict
from vincolo.report.elements import duration, element, number, safe, table, vector
from vincolo.report.extremes import reaction_peaks
from vincolo.report.words import function_text, measure_text

ODD = ("<script>alert(1)</script>", "$x_1$", '"quoted" & \'so\'', "</table>", "a" * 150, "ß µ")
VOID = ("meta", "img", "br", "link", "input", "hr")


class Reader(HTMLParser):
    """Checks that what is opened is closed; collects tables, headings, images and addresses."""

    def __init__(self):
        super().__init__()
        self.open, self.tables, self.titles, self.images, self.links, self.ids = [], [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        assert not any(key.startswith("on") for key in given), given
        self.links += [given[key] for key in ("src", "href") if key in given]
        self.ids += [given["id"]] if "id" in given else []
        self.images += [given["src"]] if tag == "img" else []
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "h2":
            self.titles.append("")

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, text):
        if "td" in self.open or "th" in self.open:
            self.tables[-1][-1][-1] += text.replace("\xa0", " ")
        elif self.open[-1:] == ["h2"]:
            self.titles[-1] += text

    def table(self, head):
        return next(t for t in self.tables if t[0][0] == head)


def read(data: bytes) -> Reader:
    reader = Reader()
    reader.feed(data.decode("utf-8"))
    reader.close()
    assert not reader.open
    return reader


def rich_model() -> vc.Model:
    """A pendulum with a bit of everything, under names that want to be HTML."""
    model = pendulum()
    bar = model.bodies["bar"]
    for name in ODD:
        model.frame(name, bar, (0.5, 0, 0))
    model.spring(ODD[0] + "s", model.ground.frame((0, 2, 0)), bar.frame(local=(0.5, 0, 0)), k=1234.5, c=6.78)
    model.law("friction <b>", "O.angle", "mu*dd", mu=0.25)
    model.actuator("motor", "O.angle", vc.Sine(3.0, 2.0))
    model.force("push & pull", bar, (0, "5*sin(t)", 0))
    return model


@pytest.fixture(scope="module")
def result():
    return vc.simulate(rich_model(), 1.0, outputs=100)


@pytest.fixture(scope="module")
def written(result):
    return report_html(result, title="T <i>", author="A & B, bell \x07", animation=False)


def test_numbers_are_rounded_and_plain():
    assert [number(x) for x in (0, 1, 0.25, -2.5, 12345.678, 99999.6)] == ["0", "1", "0.25", "−2.5", "12346", "100000"]
    assert number(1.23456e-7) == "1.235·10<sup>−7</sup>" and number(-5e12, 2) == "−5·10<sup>12</sup>"
    assert (number(math.nan), number(None), number(-math.inf)) == ("–", "–", "−∞")
    assert number(0.1 + 0.2, 6) == "0.3" and number(100.0) == "100" and duration(0.0123) == "12.3 ms"
    assert vector((1.0, 1e-17, -2.0)).replace("\xa0", " ") == "1, 0, −2"


def test_texts_are_escaped_unless_they_are_html():
    assert safe("<a & 'b'>") == "&lt;a &amp; &#x27;b&#x27;&gt;" and safe(safe("<")) == "&lt;"
    assert element("p", "<", class_='"') == '<p class="&quot;">&lt;</p>'
    assert "\ufffd" in safe("a\x00b") and table(["a"], []) == ""


def test_the_page_is_sound_and_complete_in_itself(written, result):
    reader = read(written)
    assert reader.titles == ["Summary", "Model", "Freedom and redundancy", "Settings of the run", "Plots",
                             "Extreme values", "Checks"]
    assert len(set(reader.ids)) == len(reader.ids)
    for link in reader.links:
        assert link.startswith("data:image/") or link[1:] in reader.ids  # nothing from elsewhere
    text = written.decode()
    assert text.count("<script") == 3 and "<script>alert" not in text
    assert "<h1>T &lt;i&gt;</h1>" in text and "A &amp; B" in text
    for name in ODD:
        assert safe(name) in text
    assert "bell \ufffd" in text and "\x07" not in text  # in the name of its author


def test_tables_hold_the_numbers_of_the_model(written, result):
    reader, model = read(written), result.model
    assert reader.table("body")[1][:2] == ["bar", "1"]
    heads, row = reader.table("joint")[:2]
    assert row == ["O", "revolute", "ground", "bar", "0, 0, 0", "0, 0, 1", "1"] and "point [m]" in heads
    spring = reader.table("spring")[1]
    assert spring[0] == ODD[0] + "s" and spring[2:4] == ["1234.5 N/m", "6.78 N·s/m"]
    assert spring[4] == f"{round(model.springs[spring[0]].length, 5):g} m"
    laws = {row[0]: row for row in reader.table("force law")[1:]}
    assert laws["friction <b>"][1:] == ["resists", "O.angle", "mu*dd", "N·m"]
    assert laws["motor"][1:] == ["drives", "O.angle", "Sine: amplitude 3, frequency 2, phase 0, offset 0", "N·m"]
    loads = {row[0]: row for row in reader.table("load")[1:]}
    assert loads["push & pull"][5] == "0, 5*sin(t), 0" and loads["gravity"][5] == "0, −9.81, 0"
    assert len(reader.table("point")) == len(ODD) + 1


def test_extremes_are_those_of_the_series(result):
    """Found here by another way: the largest of the lengths of the vectors."""
    found = reaction_peaks(result)[0]
    force = np.sqrt(sum(result[f"O.reaction.force.{a}"] ** 2 for a in "xyz"))
    assert found.force == pytest.approx(force.max()) and found.force_at == result.t[np.argmax(force)]
    reader = read(report_html(result, plots=[], animation=False))
    heads, row = next(t for t in reader.tables if t[0][-1] == "reaction")
    assert row[0] == "O" and float(row[2]) == pytest.approx(force.max(), rel=1e-3) and row[-1] == "unique"
    angle = next(row for row in reader.table("coordinate") if row[0] == "O.angle")
    assert float(angle[1].replace("−", "-")) == pytest.approx(result["O.angle"].min(), rel=1e-3)
    speed = next(t for t in reader.tables if t[0][1] == "max. speed [m/s]")[1]
    assert float(speed[1]) == pytest.approx(0.5 * np.abs(result["O.angle.rate"]).max(), rel=1e-3)  # half a metre away
    power = next(row for row in reader.table("drive or load") if row[0] == "push & pull, power")
    assert float(power[3]) == pytest.approx(result["push & pull.power"].max(), rel=1e-3)


def test_a_planar_loop_is_explained(tmp_path):
    result = vc.simulate(parallelogram(0.8), 0.2, outputs=20)
    text = report_html(result, plots=[], animation=False).decode()
    reader = read(text.encode())
    counts = {row[0]: row[1] for row in reader.table("count")[1:]}
    m = result.mobility
    assert counts["degrees of freedom"] == "1" and counts["redundant conditions"] == str(m.redundant) == "3"
    assert counts["freedom by counting"] == "−2" and "To make all reactions unique" in text
    assert [row[-1] for row in next(t for t in reader.tables if t[0][-1] == "reaction")[1:]] == [
        "shared force z, torque x y (world axes)"] * 4
    assert "Uniqueness of reactions" in text and "passed all checks" in text


def test_plots_are_pictures_that_print(written, result):
    places = [name for name in read(written).ids if name.startswith("chart-")]
    assert len(places) == len(key_plots(result)) >= 5
    data = json.loads(re.search(r'id="vincolo-data">(.*?)</script>', written.decode())[1])
    assert [chart["kind"] for chart in data["charts"]] == ["sheet"] * len(places) and data["fixed"]
    chosen = report_html(result, plots=["O.angle", ["bar.x", "bar.y"], Plot("bar.y", "bar.x", "the path")],
                         animation=False).decode()
    assert chosen.count("<b>Figure") == 3 and "the path" in chosen and "bar.x, bar.y" in chosen


def test_key_plots_show_what_moves_most():
    model = vc.Model("many")
    for k in range(12):
        bar = model.body(f"b{k}", 1.0, (0.1, 0.1, 0.1), at=(k, 0, -0.5))
        model.revolute(f"j{k}", model.ground, bar, at=(k, 0, 0), axis="y")
    model.actuator("motor", "j3.angle", 1.0)
    plots = key_plots(vc.simulate(model, 0.5, outputs=20))
    assert list(plots[0].names) == ["j3.angle"]  # the others hang still
    free = vc.Model("free")
    free.body("stone", 1.0, (1, 2, 3), angular_velocity=(1, 0, 0))
    assert [plot.title for plot in key_plots(vc.simulate(free, 0.1, outputs=5))][:2] == [
        "Positions of bodies", "Velocities of bodies"]


def levels(result):
    return {check.title: check.level for check in checks_of(result)}


def test_verdicts_follow_their_limits(result):
    good = levels(result)
    assert set(good.values()) == {"good"} and verdict(checks_of(result))[0] == "good"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        coarse = vc.simulate(pendulum(), 2.0, outputs=50, integrator=vc.RK4(step=0.2))
    share = np.abs(coarse["energy.balance"]).max() / max(coarse["energy.kinetic"].max(),
                                                         coarse.statistics["energy_range"])
    assert share > 1e-4
    assert levels(coarse)["Balance of energy"] == ("fair" if share <= 1e-2 else "bad")
    opened = replace(result, statistics={**result.statistics, "position_residual": 5e-5})
    assert levels(opened)["Closure of joints"] == "fair"
    assert verdict(checks_of(opened)) == ("fair", "Use this run with care: see closure of joints below.")
    opened = replace(result, statistics={**result.statistics, "position_residual": 5e-4})
    assert verdict(checks_of(opened))[0] == "bad"


def test_a_run_that_ended_early_says_so_first(result):
    early = replace(result, t=result.t[:40], y=result.y[:40], turns=result.turns[:40], reason="it <broke>\nin two")
    text = report_html(early, plots=[], animation=False).decode()
    head = text[:text.index("tiles\"")]
    assert "Do not rely on this run" in head and "at t = 0.39 of 1 s: it &lt;broke&gt;" in head


def test_a_run_without_samples_still_has_its_model(result):
    empty = replace(result, t=result.t[:0], y=result.y[:0], turns=result.turns[:0], reason="it did not begin")
    reader = read(report_html(empty))
    assert reader.titles == ["Summary", "Model", "Settings of the run", "Checks"]
    assert "it did not begin" in reader.table("check")[1][2]


def test_numbers_that_are_not_finite_are_left_out(result):
    y = result.y.copy()
    y[60:] = np.nan
    with np.errstate(all="ignore"):
        lost = replace(result, y=y)
        text = report_html(lost, animation=False).decode()
    read(text.encode())
    assert "41 of 101 samples are not finite" in text and ">nan<" not in text


def test_kinematics_has_no_balance_of_energy():
    model = pendulum()
    model.drive("O.angle", "0.3*t")
    found = levels(vc.kinematics(model, 1.0, outputs=20))
    assert found["Balance of energy"] == "note" and "bad" not in found.values()


def test_functions_and_measures_in_words():
    model = pendulum()
    joint = model.joints["O"]
    assert measure_text(joint["angle"]) == "O.angle"
    assert measure_text(2 * joint["angle"]) == "2 × angle x ground – bar"
    spline = vc.Spline(np.linspace(0, 1, 50), np.linspace(0, 2, 50))
    assert "(50 values)" in function_text(spline) and len(function_text(spline)) <= 160
    assert function_text(vc.Expression("a*t", a=2.0)) == "a*t with a = 2"
    assert function_text(vc.Sine(1, 2) + 1).count("Sine") <= 1 and function_text(vc.Constant(0.5)) == "0.5"


def test_mistakes(result, tmp_path):
    with pytest.raises(vc.ModelError, match="does not end in .html or .pdf"):
        write_report(result, tmp_path / "report.doc")
    with pytest.raises(vc.ModelError, match="str is not a result"):
        write_report("result", tmp_path / "r.html")
    with pytest.raises(vc.ModelError, match="7 is not a plot"):
        write_report(result, tmp_path / "r.html", plots=[7])
    with pytest.raises(vc.ModelError, match="no channel called 'bar.q'"):
        write_report(result, tmp_path / "r.html", plots=["bar.q"], animation=False)
    assert not list(tmp_path.iterdir())


def test_pdf_without_a_browser_tells_how_to_print(result, tmp_path, monkeypatch):
    monkeypatch.setattr(printing.shutil, "which", lambda name: None)
    with pytest.raises(vc.errors.VincoloError, match=r"(?s)needs Chromium.*\n  Write the report as .html.*Ctrl\+P"):
        write_report(result, tmp_path / "r.pdf")
    assert not list(tmp_path.iterdir())


def test_pdf_with_a_browser(result, tmp_path):
    if printing.browser() is None:
        pytest.skip("there is no browser that prints")
    data = write_report(result, tmp_path / "r.pdf", plots=["O.angle"]).read_bytes()
    pages = len(re.findall(rb"/Type\s*/Page[^s]", data))
    assert data.startswith(b"%PDF") and 2 <= pages <= 12 and [p.name for p in tmp_path.iterdir()] == ["r.pdf"]


def is_blank(picture: bytes) -> bool:
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(picture)).convert("L")).std() < 3


def test_the_report_in_a_browser(result, tmp_path):
    """It fits the window, and the animation opens within it when it comes into view."""
    path = write_report(result, tmp_path / "r.html", plots=["O.angle"])
    with page(path, 1100, 800) as tab:
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert tab.evaluate("[...document.images].every((i) => i.complete && i.naturalWidth > 100)")
        assert tab.locator("#chart-0 svg path").count() > 5 and tab.evaluate("vincolo.state()[0].panels[0].title") == (
            "O.angle [rad]")
        shot(tab, tmp_path, "report_top")
        tab.evaluate("document.querySelector('iframe').scrollIntoView()")
        inner = tab.frames[1]
        inner.wait_for_function("() => window.vincolo && window.vincolo.state().pictures > 0")
        assert not is_blank(inner.wait_for_selector("canvas").screenshot())
        shot(tab, tmp_path, "report_animation")
        assert len(tab.frames) == 2 and inner.evaluate("document.querySelectorAll('canvas').length") >= 1
        assert not tab.errors and not [u for u in tab.asked if not u.startswith(("file:", "data:", "about:"))]
        tab.emulate_media(media="print")
        assert tab.evaluate("getComputedStyle(document.querySelector('iframe')).display") == "none"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_example_has_its_report(name, tmp_path):
    model = built(name)
    rigid = any(contact.rigid for contact in model.contacts.values())  # only Moreau's steps know such contact
    result = vc.simulate(model, 0.01 if name == "andrews_squeezer" else 0.5, outputs=60,
                         integrator=vc.integrators.Moreau(step=1e-3) if rigid else None)
    path = write_report(result, tmp_path / "r.html")
    reader = read(path.read_bytes().partition(b"<iframe")[0] + path.read_bytes().rpartition(b"</iframe>")[2])
    assert {"Summary", "Animation", "Model", "Plots", "Extreme values", "Checks"} <= set(reader.titles)
    assert len(reader.table("body")) >= len(model.bodies) + 1 and "chart-2" in reader.ids
    assert sum("png" in src[:20] for src in reader.images) == 2  # the mechanism at the start and at the end
    assert not re.search(b"There is no (picture|animation)", path.read_bytes()) and path.stat().st_size < 10e6
    assert "bad" not in levels(result).values()
