"""Numbers and units belong together wherever they are shown: every channel, table, plot and vector of every example has
the dimension of what it is, and in mm and degrees the number that its unit makes of the one in SI."""

import csv
import re
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

import vincolo as vc
from browser import page
from example_models import NAMES, built
from vincolo.report import write_report
from vincolo.results.in_units import in_units
from vincolo.units import readings, unit_of
from vincolo.view import write_page

UNITS = ("mm", "deg", "kN")
#: dimensions in powers of length, mass, time, angle by what names say
M, N, NM, W, J, ONE = (1, 0, 0, 0), (1, 1, -2, 0), (2, 1, -2, 0), (2, 1, -3, 0), (2, 1, -2, 0), (0, 0, 0, 0)
PLACES = {"": M, "v": (1, 0, -1, 0), "a": (1, 0, -2, 0), "w": (0, 0, -1, 1), "alpha_": (0, 0, -2, 1)}
ENDS = {"reaction.force": N, "reaction.axial": N, "reaction.radial": N, "reaction.torque": NM, "reaction.twist": NM,
        "reaction.bending": NM, "power": W, "energy": J, "dissipation": W}
RIGID = ("spheres_into_funnel", "tumbling_box")  # contact that lets velocities jump
#: what is reported on and opened in the browser at every run of the tests; the others are slow
TERMINAL = ("mcpherson", "flyball_governor", "slider_crank", "truck")
QUICK = ("slider_crank", "mcpherson", "stick_slip")
MOSTLY_SLOW = [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in NAMES]


@cache
def run(name):
    model = built(name)
    rigid = {"integrator": vc.integrators.Moreau(step=1e-3)} if name in RIGID else {}
    return vc.simulate(model, until=0.05, outputs=5, **rigid)


def powers(unit):
    return unit_of(unit).powers


def expected_powers(result, name):
    """What a channel measures, by its name alone; None where the name does not say."""
    stem, _, end = name.rpartition(".")
    if stem in result.model.bodies or stem in result.model.frames:
        letters = re.fullmatch(r"(|v|a|w|alpha_)[xyz]", end)
        return PLACES[letters[1]] if letters else ONE if re.fullmatch("e[0-3]", end) else None
    if name.startswith("energy."):
        return J
    for word, found in ENDS.items():
        if re.search(rf"\.{re.escape(word)}2?(\.[xyz])?$", name):
            return found
    if end in ("rate", "acceleration") and stem in result and result.unit(stem):
        length, mass, time, angle = powers(result.unit(stem))
        return (length, mass, time - (1 if end == "rate" else 2), angle)
    return None


@pytest.mark.parametrize("name", NAMES)
def test_channels_have_the_dimension_of_what_they_are_in_every_unit(name):
    result = run(name)
    shown = result.in_units(*UNITS)
    for key in result.keys()[1:]:
        own, other = result.unit(key), shown.unit(key)
        wanted = expected_powers(result, key)
        assert wanted is None or powers(own) == wanted, f"{key} [{own}]"
        if not own:
            assert not other
            continue
        assert powers(own) == powers(other), f"{key}: {own} and {other}"
        assert not re.search(r"(?<![a-z])(m|rad|N)(?![a-z])", other), f"{key} stays in {other}"
        ratio = float(unit_of(own).si(1.0)) / float(unit_of(other).si(1.0))
        np.testing.assert_allclose(shown[key], ratio * result[key], rtol=1e-12, err_msg=key)


@pytest.mark.parametrize("name", NAMES)
def test_files_and_plots_name_the_unit_of_their_numbers(name, tmp_path):
    shown = run(name).in_units(*UNITS)
    with open(shown.to_csv(tmp_path / "run.csv"), encoding="utf-8") as file:
        heads, *rows = csv.reader(file)
    numbers = np.array(rows, dtype=float)
    assert len(heads) == len(shown.keys())
    for head, column in zip(heads, numbers.T, strict=True):
        key, _, unit = head.removesuffix("]").rpartition(" [")
        key, unit = (key, unit) if head.endswith("]") else (head, "")
        assert unit == (shown.unit(key) if shown.unit(key) != "1" else unit), head
        np.testing.assert_allclose(column, shown[key], rtol=1e-9, atol=1e-300, err_msg=key)


@pytest.mark.parametrize("name", [n if n in TERMINAL else pytest.param(n, marks=pytest.mark.slow) for n in NAMES])
def test_the_terminal_names_the_unit_of_its_numbers(name):
    """Positions and forces at rest, line by line: one unit or two behind the numbers they hold for."""
    try:
        found = vc.statics(built(name))
    except vc.VincoloError as error:
        assert name not in TERMINAL
        pytest.skip(f"no rest to print: {str(error).splitlines()[0]}")
    texts = []
    for units in (("SI",), UNITS):
        shown = in_units(found.state.channels, *units)
        texts.append(f"{found.positions(shown)}\n{found.forces(shown)}".splitlines())
    compared = 0
    for one, other in zip(*texts, strict=True):
        pairs = [QUANTITY.findall(line) for line in (one, other)]
        for (values, unit), (changed, wanted) in zip(*pairs, strict=True):
            assert powers(unit.strip()) == powers(wanted.strip()), (one, other)
            ratio = float(unit_of(unit.strip()).si(1.0)) / float(unit_of(wanted.strip()).si(1.0))
            least = 1e-6 * ratio  # zeros are rounded beside the largest number of the table
            assert [float(v) for v in changed.split()] == pytest.approx(
                [ratio * float(v) for v in values.split()], rel=1e-4, abs=least), (one, other)
            compared += 1
    assert compared > (3 if name in TERMINAL else 0)


#: numbers with the unit behind them: 0.05 0.028 0 m
QUANTITY = re.compile(r"((?:(?<= )-?\d[\d.e+-]*\s+)+)([a-zA-Z][a-zA-Z/^0-9]*(?: [a-z]+)?)")


class Tables(HTMLParser):
    """The tables of a page: rows of cells as text."""

    def __init__(self):
        super().__init__()
        self.tables, self._cell = [], None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._cell = []

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self._cell is not None:
            self.tables[-1][-1].append("".join(self._cell).strip())
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell.append(data)


def tables_of(path):
    found = Tables()
    found.feed(path.read_text())
    return found.tables


PLAIN = str.maketrans({"²": "^2", "³": "^3", "·": " ", "\N{NO-BREAK SPACE}": " ", "\N{MINUS SIGN}": "-"})
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def unit_in(text):
    """The unit of a head such as 'at, in body axes [mm]', or of a cell that is a unit."""
    inside = re.search(r"\[([^\]]*)\]", text.translate(PLAIN))
    found = readings(inside[1]) if inside else ()
    return found[0] if found else None


def same_quantity(texts, units, where):
    """Two texts are alike up to their numbers, which have the ratio of the units; units may end the texts too."""
    one, other = (t.replace("\N{MIDDLE DOT}10", "e").translate(PLAIN) for t in texts)
    values = [[float(v) for v in NUMBER.findall(t)] for t in (one, other)]
    ends = [readings(t.rpartition(" ")[2] if " " in t else "") for t in (one, other)]
    if all(ends) and units[0] is None:
        units = (ends[0][0], ends[1][0])
    ratio = 1.0 if units[0] is None else float(units[0].si(1.0)) / float(units[1].si(1.0))
    assert units[0] is None or units[0].powers == units[1].powers, where
    assert len(values[0]) == len(values[1]), f"{where}: {texts}"
    np.testing.assert_allclose(values[1], np.multiply(values[0], ratio), rtol=2e-3, atol=1e-12 * abs(ratio),
                               err_msg=f"{where}: {texts}")


@pytest.mark.parametrize("name", MOSTLY_SLOW)
def test_tables_of_reports_have_the_ratio_of_their_units(name, tmp_path):
    """Cell by cell: the numbers of the report in mm and degrees are those in SI times the ratio of the units that
    stand in the head of the column, in the row, or behind the number."""
    result = run(name)
    pages = [write_report(result.in_units(*units), tmp_path / f"{units[0]}.html", animation=False)
             for units in (("SI",), UNITS)]
    plain, shown = map(tables_of, pages)
    assert [len(t) for t in plain] == [len(t) for t in shown]
    compared = 0
    for one, other in zip(plain, shown, strict=True):
        heads = list(zip(one[0], other[0], strict=True))
        for row, changed in zip(one[1:], other[1:], strict=True):
            place = one[0].index("unit") if "unit" in one[0] else -1
            in_row = [readings(r[place].translate(PLAIN)) for r in (row, changed)] if place >= 0 else [()]
            for k, texts in enumerate(zip(row, changed, strict=True)):
                head = heads[k] if k < len(heads) else ("", "")
                units = (unit_in(head[0]), unit_in(head[1]))
                if units[0] is None and all(in_row):
                    units = (in_row[0][0], in_row[1][0])
                if k != place and texts[0] != texts[1] and "at t [s]" not in head[0]:  # equal peaks: rounding decides
                    same_quantity(texts, units, f"{name}, {head[0]}, {row[0]}")
                    compared += 1
    assert compared


#: every vector, a key point on the first body and its distance from the origin
DRAW = """kinds => {
  vincolo.pause();
  kinds.forEach((kind) => vincolo.vectors(kind));
  vincolo.point([1, 0.1, 0.02, 0.03]);
  vincolo.measure([[1, 0.1, 0.02, 0.03], [0, 0, 0, 0]]);
}"""
KINDS = ["velocity", "acceleration", "angular velocity", "reaction force", "reaction torque", "contact that sticks",
         "contact that slides", "spring force", "applied force", "applied torque"]


def read(tab, time):
    """Values and texts of a page at a time."""
    tab.evaluate(DRAW, KINDS)
    tab.evaluate("time => { vincolo.time = time }", time)
    tab.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert tab.errors == []
    return tab.evaluate("vincolo.values()"), tab.evaluate("vincolo.state().texts")


@pytest.mark.parametrize("name", MOSTLY_SLOW)
def test_pages_label_values_vectors_and_points_with_their_unit(name, tmp_path):
    """Series, magnitudes, arrows, key points and distances of a page, in SI and in mm, degrees and kN."""
    result, seen = run(name), []
    for units in (("SI",), UNITS):
        with page(write_page(result.in_units(*units), tmp_path / "page.html")) as tab:
            seen.append(read(tab, float(result.t[-2])))
    (plain, texts), (shown, changed) = seen
    assert plain.keys() == shown.keys()
    for key, (own, value) in plain.items():
        unit, number = shown[key]
        assert key not in result or own == result.unit(key)
        word = key.rpartition(".")[2]
        of_word = {"speed": "m/s", "acceleration": "m/s^2", "angular speed": "rad/s"}.get(word)
        assert of_word is None or key in result or own == of_word
        if not own or value is None:
            assert own == unit
            continue
        assert powers(own) == powers(unit), key
        ratio = float(unit_of(own).si(1.0)) / float(unit_of(unit).si(1.0))
        told = f"{key}: {value} {own}, {number} {unit}"
        assert number == pytest.approx(ratio * value, rel=1e-5, abs=1e-6 * ratio), told
    labels = [(a, b) for a, b in zip(texts, changed, strict=True) if re.match(r"-?[\d.]", a)]
    assert len(labels) > 1
    for pair in labels:
        parts = [t.translate(PLAIN).partition(" ") for t in pair]
        units = [unit_of(p[2]) for p in parts]
        assert units[0].powers == units[1].powers, pair
        ratio = float(units[0].si(1.0)) / float(units[1].si(1.0))
        assert float(parts[1][0]) == pytest.approx(ratio * float(parts[0][0]), rel=2e-3), pair
        assert not re.search(r"(?<![a-z])(m|rad|N)(?![a-z])", units[1].name), pair
