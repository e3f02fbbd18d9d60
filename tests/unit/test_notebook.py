"""What notebooks show: tables with the numbers of the model, all names escaped, and a picture."""

import base64
import re
import sys
from html import unescape
from html.parser import HTMLParser
from io import BytesIO
from types import SimpleNamespace

import numpy as np
import pytest

import vincolo as vc
from browser import page, shot
from vincolo.analyses.progress import NotebookBar, reporter
from vincolo.view.notebook import mobility_html, model_html, result_html

Image = pytest.importorskip("PIL.Image")
EVIL = "<script>alert(1)</script>"


class Reader(HTMLParser):
    """Tables as lists of rows, and every tag that occurs; complains if tags do not match."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.tags, self.open = [], set(), []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in ("img", "br"):
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data


def model():
    m = vc.Model(f"a & {EVIL}")
    arm = m.body(EVIL, 2.5, (0.1, 0.2, 0.25), at=(0.5, 0, 0))
    m.revolute('"O"', m.ground, arm, at=(0, 0, 0), axis="y")
    m.spring("s", m.ground.frame((0, 0, 1)), arm.frame((1, 0, 0)), k=20.0, c=0.5)
    m.law("friction", '"O".angle', "0.1*dd + k*sin(d)", k=3.0)
    m.force("push", arm, (0, 0, "-10*sin(t)"))
    m.actuator("motor", '"O".angle', vc.Sine(1, 2))
    return m


def picture_in(html):
    (data,) = re.findall(r'src="data:image/png;base64,([^"]+)"', html)
    return np.asarray(Image.open(BytesIO(base64.b64decode(data))).convert("RGB"))


def test_a_model_is_shown_with_its_parts_and_a_picture():
    html = model_html(model())
    bodies, joints, forces = Reader(html).tables
    assert bodies[1] == [EVIL, "2.5", "0.5, 0, 0", "0.1, 0.2, 0.25"]
    assert joints[1] == ['"O"', "revolute", f"ground – {EVIL}", "0, 0, 0", "angle"]
    assert [row[:2] for row in forces[1:]] == [["s", "spring"], ["friction", "law"], ["motor", "actuator"],
                                               ["push", "force"]]
    assert forces[1][3] == f"k = 20, c = 0.5, length = {np.sqrt(2):.6g}" and forces[2][3] == "0.1*dd + k*sin(d)"
    assert forces[4][3] == "(0, 0, -10*sin(t)) in world axes"
    shown = picture_in(html)
    assert shown.shape == (320, 480, 3) and np.ptp(shown.reshape(-1, 3), axis=0).min() > 100


def test_names_cannot_bring_tags_or_code_into_a_page():
    m = model()
    result = vc.simulate(m, until=0.1, outputs=5)
    whole = result_html(result)
    assert whole.count("<iframe") == 1 and 'sandbox="allow-scripts allow-downloads"' in whole
    for html in (model_html(m), re.sub('srcdoc="[^"]*"', "", whole), mobility_html(result.mobility)):
        found = Reader(html.replace("<iframe", "<div").replace("</iframe>", "</div>")).tags
        assert found <= {"div", "b", "span", "table", "tr", "td", "th", "img", "br", "code", "pre"}
        assert "<script" not in html and " onerror" not in html


def test_a_result_is_shown_with_the_facts_of_its_summary():
    result = vc.simulate(model(), until=0.1, outputs=5)
    html = result_html(result)
    plain = html.replace("<iframe", "<div").replace("</iframe>", "</div>")
    facts = {row[0]: row[1] for row in Reader(plain).tables[0]}
    assert facts["integrator"].startswith(result.settings.integrator) and "energy" in facts
    assert "1 degree of freedom" in facts["mechanism"]
    assert "6 samples" in html and "0.1 s simulated" in html
    inside = unescape(re.search('srcdoc="([^"]*)"', html)[1])
    assert inside.startswith("<!doctype html>") and "vincolo-numbers" in inside and len(inside) < 1e6


def test_a_result_moves_within_a_notebook(tmp_path):
    """As a notebook shows it: inside of a frame, without network, and without a way out of the frame."""
    result = vc.simulate(model(), until=0.5, outputs=20)
    path = tmp_path / "notebook.html"
    inside = result.in_units("mm")._repr_html_()
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{inside}</body>", encoding="utf-8")
    with page(path, 1000, 900) as tab:
        inner = tab.frames[1]
        inner.wait_for_function("() => window.vincolo && window.vincolo.state().pictures > 0")
        assert inner.evaluate("vincolo.state().samples") == 21 and inner.evaluate("vincolo.state().drawn")
        inner.evaluate("vincolo.time = 0.25")
        shot(tab, tmp_path, "notebook")
        assert not tab.errors and tab.asked == [path.as_uri()]


def test_show_does_not_block_in_a_notebook(monkeypatch):
    from vincolo.view.live.listening import waits

    assert waits(None) and waits(True) and not waits(False)
    for name in ("ipykernel", "IPython"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace())
    assert not waits(None) and waits(True)


def test_a_bar_shows_how_far_a_run_has_come_in_a_notebook(monkeypatch):
    told = []
    handle = SimpleNamespace(update=told.append)

    def display(shown, display_id):
        told.append(shown)
        return handle

    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=SimpleNamespace(HTML=str, display=display)))
    monkeypatch.setattr("vincolo.analyses.progress.PATIENCE", -1.0)
    bar = reporter(None)
    assert isinstance(bar, NotebookBar) and reporter(False) is None
    bar(0.04, 0.1)
    bar(0.05, 0.1)
    bar.close()
    assert 'value="0.04" max="0.1"' in told[0] and "t = 0.05 of 0.1 s" in told[1] and told[2:] == [""]  # it goes


def test_drives_and_mobility_are_shown():
    m = model()
    m.drive('"O".angle', "sin(t)")
    drives = Reader(model_html(m)).tables[2]
    assert drives[1][1:] == ["drive", "sin(t)"]
    facts = {row[0]: row[1] for row in Reader(mobility_html(vc.mobility(m))).tables[0]}
    assert facts == {"degrees of freedom": "1", "by counting (Kutzbach)": "1", "equations": "5", "independent": "5",
                     "redundant": "0"}


def test_a_large_model_is_cut_and_an_empty_one_is_told():
    m = vc.Model("many")
    for k in range(50):
        m.body(f"b{k}", 1.0, 0.1, at=(k, 0, 0))
    html = model_html(m, picture=False)
    assert len(Reader(html).tables[0]) == 41 and "and 10 more" in html and "<img" not in html
    assert "0 bodies, 0 joints" in model_html(vc.Model("none"))


def test_a_run_that_ended_at_once_is_still_shown():
    result = vc.simulate(model(), until=0.1, outputs=5)
    from dataclasses import replace

    none = replace(result, t=result.t[:0], y=result.y[:0], turns=result.turns[:0], reason="it broke <b>off</b>")
    html = result_html(none)
    assert "it broke &lt;b&gt;off&lt;/b&gt;" in html and "<img" not in html
