"""How reports look: words stay whole, tables stay together, units and texts are the user's."""

import re

import pytest

import vincolo as vc
from browser import page, shot
from linkages import pendulum
from vincolo.formats import open_model
from vincolo.formats.excel import write_template
from vincolo.report import write_report
from vincolo.report.write import report_html

#: words of tables that lie on more than one line
BROKEN = """() => {
  const found = [];
  for (const cell of document.querySelectorAll('td, th')) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      for (const { 0: word, index } of walker.currentNode.data.matchAll(/[\\p{L}\\p{N}.]{2,24}/gu)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, index);
        range.setEnd(walker.currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) found.push(word);
      }
    }
  }
  return found;
}"""


@pytest.fixture(scope="module")
def wishbone(tmp_path_factory):
    book = tmp_path_factory.mktemp("books") / "car.xlsx"
    write_template("double-wishbone", book)
    return open_model(book).run()


def test_words_stay_whole_on_paper_and_on_screens(wishbone, tmp_path):
    path = write_report(wishbone, tmp_path / "r.html", animation=False)
    with page(path, 680, 960) as tab:  # a sheet of A4 between its margins
        tab.emulate_media(media="print")
        assert tab.evaluate(BROKEN) == [] and tab.locator("td").count() > 100
        shot(tab, tmp_path, "report_print")
        tab.emulate_media(media="screen")
        assert tab.evaluate(BROKEN) == []
    with page(path, 800, 900) as tab:
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth") and not tab.errors
        shot(tab, tmp_path, "report_800")


def test_the_file_says_which_series_come_first_and_in_which_units(wishbone):
    text = report_html(wishbone, animation=False).decode()
    assert "<b>Figure 1.</b> Series that the file of the model asks for" in text
    assert "point [mm]" in text and "origin [mm]" in text and "[m]<" not in text
    assert wishbone.settings.channels and wishbone.settings.channels[0] in text


def test_what_was_not_checked_is_said(wishbone):
    prescribed = report_html(wishbone, plots=[], animation=False).decode()
    assert "Not checked: the balance of energy, since the motion is prescribed" in prescribed
    free = report_html(vc.simulate(pendulum(), 0.1, outputs=5), plots=[], animation=False).decode()
    assert "Not checked: the error of the integration" in free
    assert "joints stay closed, so do their velocities and energy is balanced" in free


def test_the_logo_and_the_text_of_the_user(tmp_path):
    result = vc.simulate(pendulum(), 0.1, outputs=5)
    logo = tmp_path / "logo.svg"
    logo.write_text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    text = report_html(result, plots=[], animation=False, logo=logo, text="One <b>.\n\nTwo.").decode()
    assert '<img class="logo" alt="logo" src="data:image/svg+xml;base64,' in text and "alert" not in text
    assert "<p>One &lt;b&gt;.</p><p>Two.</p>" in text
    (tmp_path / "big.png").write_bytes(b"\x89PNG" + bytes(3_000_000))
    (tmp_path / "not.png").write_text("a text")
    for given, message in (({"logo": tmp_path / "none.png"}, "cannot be read: No such file"),
                           ({"logo": tmp_path / "not.png"}, "'not.png' is not a picture.\n  Take a PNG"),
                           ({"logo": tmp_path / "big.png"}, "has 3.0 MB; at most 2 MB are taken"),
                           ({"text": 7}, "text is 7; it must be a text")):
        with pytest.raises(vc.ModelError, match=re.escape(message)):
            report_html(result, **given)


def test_rules_of_print_keep_rows_and_footer_together(wishbone):
    text = report_html(wishbone, animation=False).decode()
    rules = re.search(r"@media print \{.*", text, re.S)[0]
    assert "footer { break-before: avoid" in rules and "h2, h3 { break-after: avoid" in rules
    assert "tr:nth-last-child(-n+3):not(:first-child) { break-before: avoid" in rules  # a table of one row may move
    assert text.count('class="wide whole"') + text.count('class="narrow whole"') >= 8
