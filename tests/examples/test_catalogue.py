"""The page of the catalogue is the one its script makes, leaves nothing out, and prints equations that are right."""

import re
import runpy
from math import pi, tan
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc
from mechanisms import rotation
from vincolo import functions
from vincolo.equations.joints import CATALOGUE
from vincolo.equations.measures import EQUATIONS, Formula

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "make_catalogue.py"
PAGE = SCRIPT.with_name("catalogue.md").read_text()
ENTRIES = {part.partition("\n")[0]: part for part in re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]}
DRIVES = ("drive", "trajectory", "hold", "formula", "couple", "switch")
RATES = ("skid", "roll")  # they have no value that could be compared
PRODUCTS = {"pitch/(2 pi) ": "pitch/(2*pi)*", "radius ": "radius*", "radius2 ": "radius2*",
            "side tan(pressure) ": "side*tan(pressure)*", " . ": " @ "}
LAWS = ("Sigma", "Poly345", "Poly4567", "ConstantAcceleration", "Cycloidal", "Haversine", "ModifiedTrapezoid")


def made():
    return runpy.run_path(str(SCRIPT))["page"]()


def block(name, kind):
    """The lines of the first block of a kind in an entry."""
    found = re.search(rf"^```{kind}\n(.*?)^```", ENTRIES[name], re.MULTILINE | re.DOTALL)
    return found[1].splitlines() if found else []


def test_the_page_is_what_the_script_makes():
    assert made() == PAGE, "run: python docs/make_catalogue.py"


@pytest.mark.parametrize("name", [*CATALOGUE, *DRIVES, *functions.__all__])
def test_every_entry_has_an_example_of_itself_that_prints_something(name):
    example = block(name, "python")
    assert 3 <= len(example) <= 8
    assert re.fullmatch(r"print\(.*\)  # \S.*", example[-1])
    if name in {*CATALOGUE, *DRIVES}:
        assert any(f".{name}(" in line for line in example)


def test_every_measure_that_users_can_write_is_in_the_table():
    for name in {*EQUATIONS, "formula", "along_world"} - {*RATES, "world"}:
        assert f"| `vc.{name}(" in PAGE


def test_links_of_the_contents_lead_to_headings():
    headings = {h.lower().replace(" ", "-") for h in re.findall(r"^##+ (.+)$", PAGE, re.MULTILINE)}
    links = re.findall(r"\]\(#([^)]+)\)", PAGE)
    assert {*links} <= headings and len(links) == len({*links}) > len(CATALOGUE)


@pytest.mark.parametrize("kind", CATALOGUE)
def test_a_joint_shows_as_many_equations_as_it_takes_freedoms(kind):
    assert len(block(kind, "text")) == 6 - CATALOGUE[kind].freedom
    assert f"leaves {CATALOGUE[kind].freedom} of 6 freedoms" in ENTRIES[kind]


def values(text, frames, parameters):
    """What a printed expression is worth for frames A and B."""
    def angle(what, about):
        p, R = frames[about[-1]]
        d = frames[what[-1]][0] - p if what.startswith("p") else vectors[what]
        return np.arctan2(R[:, 1] @ d, R[:, 0] @ d)

    vectors = {f"{axis}_{name}": R[:, k] for name, (_, R) in frames.items() for k, axis in enumerate("xyz")}
    vectors |= {f"p_{name}": p for name, (p, _) in frames.items()}
    for written, meant in PRODUCTS.items():
        text = text.replace(written, meant)
    text = re.sub(r"\|(.+?)\|", r"norm(\1)", re.sub(r"angle\((\w+) about (\w+)\)", r'angle("\1", "\2")', text))
    return eval(text, {"norm": np.linalg.norm, "tan": tan, "pi": pi, "angle": angle, **vectors, **parameters})


@pytest.mark.parametrize("kind", CATALOGUE)
def test_printed_equations_are_those_of_the_rows(kind, rng):
    entry = CATALOGUE[kind]
    functions_of = {"cam": {"profile": "f"}, "flat_cam": {"support": "f"}, "point_on_curve": {"path": ("f", "g")}}
    frames = {name: (rng.normal(size=3), rotation(rng)) for name in "AB"}
    rows = entry.rows(**(entry.parameters or functions_of.get(kind, {})))
    compared = 0
    for k, (row, text) in enumerate(zip(rows, block(kind, "text"), strict=True)):
        equation, _, where = text.partition(", with ")
        left, right = equation.rsplit(" = ", 1)
        assert right == ("as drawn" if k in entry.drawn else "0")
        if isinstance(row, Formula):
            assert left == row.text
            shown = dict(re.findall(r"(\w+) = (.+?)(?=, \w+ = |$)", where))
            pairs = [(shown[name], measure) for name, measure in row.inputs.items()]
        else:
            pairs = [] if k in entry.rates else [(left, row)]
        for expression, measure in pairs:
            compared += 1
            assert values(expression, frames, entry.parameters) == pytest.approx(measure(*frames.values()), abs=1e-12)
    assert compared or len(entry.rates) == len(rows)


@pytest.mark.parametrize("kind", [kind for kind in CATALOGUE if CATALOGUE[kind].coordinates])
def test_printed_coordinates_are_those_of_the_joint(kind, rng):
    frames = {name: (rng.normal(size=3), rotation(rng)) for name in "AB"}
    listed = re.search(r" of 6 freedoms: (.+)\.$", ENTRIES[kind], re.MULTILINE)[1]
    shown = dict(re.findall(r"`(\w+)` = ([^;]+)", listed))
    assert [*shown] == [*CATALOGUE[kind].coordinates]
    for name, measure in CATALOGUE[kind].coordinates.items():
        assert values(shown[name], frames, {}) == pytest.approx(measure(*frames.values()), abs=1e-12)


@pytest.mark.parametrize("name", LAWS)
def test_printed_motion_laws_are_those_of_the_functions(name):
    f = getattr(vc, name)(1.0, 3.0, low=-1.0, high=4.0)
    lines = [line.partition(" from x = ") for line in block(name, "text") if line.startswith("low")]
    starts = [float(start.removesuffix(" on") or 0) for _, _, start in lines]
    for x in np.linspace(0.01, 0.99, 29):
        text = [text for (text, _, _), start in zip(lines, starts, strict=True) if start <= x][-1]
        assert vc.Expression(text.replace("x", "t"), low=-1, high=4)(x) == pytest.approx(f(1 + 2 * x), abs=1e-12)


def test_the_script_refuses_a_joint_without_an_example(monkeypatch):
    monkeypatch.setitem(CATALOGUE, "hinge_with_play", CATALOGUE["revolute"])
    with pytest.raises(SystemExit, match="no example for these.*hinge_with_play"):
        made()


def test_the_script_refuses_a_function_without_an_example(monkeypatch):
    monkeypatch.setattr(functions, "__all__", [*functions.__all__, "Sawtooth"])
    with pytest.raises(SystemExit, match="no example for these.*Sawtooth"):
        made()


def test_the_script_refuses_an_example_of_nothing(monkeypatch):
    monkeypatch.setattr(functions, "__all__", [name for name in functions.__all__ if name != "Sigma"])
    with pytest.raises(SystemExit, match="nothing for the example: Sigma"):
        made()
