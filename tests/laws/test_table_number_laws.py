"""Every number of a table is checked before the kernel gets it through the C interface: none that is not finite is
taken, and no other makes a process crash."""

import subprocess
import sys
import textwrap

import pytest

import vincolo as vc
from entered_models import servo, slider_crank
from vincolo.errors import ModelError
from vincolo.realtime.library import CModel
from vincolo.realtime.table import checksum, plant

FUZZ = """
    import re, sys
    from vincolo.errors import ModelError
    from vincolo.realtime.library import CModel
    from vincolo.realtime.table import checksum
    body = open(sys.argv[1]).read().rpartition("sum ")[0]
    blank = re.sub(r'"[^"\\n]*"', lambda text: '"' * len(text[0]), body)
    head = body.index("\\n") + 1
    number = re.compile(r'(?<![\\w."])-?(0x[0-9a-f.]+p[+-]?\\d+|\\d+)(?![\\w."])')
    spots = [found.span() for found in number.finditer(blank, head)]
    def made(start, end, word):
        text = body[:start] + word + body[end:]
        return CModel(f"{text}sum {checksum(text.encode()):016x}\\n")
    for start, end in spots:
        for word in ("nan", "inf", "-inf", "0x1.8p+1024", "-0x1.8p+1999"):
            try:
                made(start, end, word).close()
            except ModelError as error:
                assert "not finite" in str(error), (word, error)
                continue
            raise AssertionError(f"{word} is taken: {body[max(0, start - 80):end]}")
        if not body.startswith("0x", start):
            continue  # what is counted or named by its number is for another test
        for word in ("0", "-1", "0x1.8p+1000", "-0x1.8p+1000", "0x1.8p-1000"):
            try:
                c = made(start, end, word)
            except ModelError:
                continue
            c.set_cap(100)
            for _ in range(2):
                assert 0 <= c.step() <= 4
            c.close()
    print("fields", len(spots))
"""


def ticking():
    """A body with a periodic event, a stop, functions with breaks, and a spring that is cut."""
    m = vc.Model("ticking")
    m.variable("count", 0.0)
    b, c = m.body("b", 1.0, 0.1), m.body("c", 1.0, 0.1, at=(0, 1, 0))
    m.prismatic("rail", m.ground, b, at=(0, 0, 0), axis="x")
    m.prismatic("track", m.ground, c, at=(0, 1, 0), axis="x")
    m.event("tick", every=0.0123, set={"count": "count + 1"})
    m.event("far", "b.x - 1", stop=True)
    m.stop("end", "rail.travel", at_most=0.5, restitution=0.5)
    m.spring("s", "rail.travel", k=12.5, c=0.15, length=0.25)
    wave = vc.functions.PiecewisePolynomial((0.0, 0.75, 1.5), ((1.25, 0.5), (0.25, -0.5)), "repeat")
    m.actuator("wave", "rail.travel", wave)
    m.drive("track.travel", vc.Spline((0.0, 0.5, 1.5), (0.0, 0.25, -0.5)))
    m.output("x", "b.x")
    return m


MODELS = {"servo": servo, "crank": lambda: slider_crank(2), "ticking": ticking}


@pytest.mark.parametrize("name", MODELS)
def test_no_number_of_a_table_that_is_not_finite_is_taken_and_none_crashes(name, tmp_path):
    (tmp_path / "table").write_text(plant(MODELS[name]()).text())
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(FUZZ), str(tmp_path / "table")], check=False,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.split()[1]) > 50


@pytest.mark.parametrize(("old", "new", "said"), [
    ('add_event "both" [0] 0x1.930be0ded288dp-7', 'add_event "both" [] 0x1.930be0ded288dp-7', "a first time"),
    ('add_event "both" [0] 0x1.930be0ded288dp-7', 'add_event "both" [0] -0x1.930be0ded288dp-7', "less than no time"),
    ("[2 1 3 3 0 0x1.8p-1 0x1.8p+0", "[2 1 3 3 0 0x1.8p-1 0", "do not rise"),
    ("[2 1 3 3 0 0x1.8p-1 0x1.8p+0", "[2 1 3 9 0 0x1.8p-1 0x1.8p+0", "unknown outside"),
])
def test_periods_and_breaks_that_cannot_be_are_said(old, new, said):
    body = plant(ticking()).text().rpartition("sum ")[0].replace("0x1.8000000000000p", "0x1.8p")
    assert old in body
    text = body.replace(old, new, 1)
    with pytest.raises(ModelError, match=said):
        CModel(f"{text}sum {checksum(text.encode()):016x}\n")
