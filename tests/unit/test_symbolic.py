"""Symbolic equations: what they say of themselves, names, messages."""

import re

import pytest

import vincolo as vc
from vincolo.symbolic.names import RESERVED, identifier, plain

sympy = pytest.importorskip("sympy")


def pendulum():
    model = vc.Model("pendulum", gravity=(0, -9.81, 0))
    rod = model.body("rod", 2.0, 0.3, at=(0.5, 0, 0))
    model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis="z")
    return model


@pytest.mark.parametrize("index", [3, 2, 1])
def test_constraints_stand_at_the_level_of_the_index(index):
    eqs = vc.equations(pendulum(), index)
    q, u, a = eqs.q, eqs.u, eqs.accelerations
    held = eqs.constraints
    assert held.has(*a) == (index == 1) and (held.has(*u) or index == 3)
    d_phi = eqs.Psi.jacobian(q) * u
    if index == 2:
        assert sympy.simplify(held - d_phi) == sympy.zeros(*held.shape)
    if index == 1:
        dd_phi = d_phi.jacobian(q) * u + eqs.Psi.jacobian(q) * a
        assert sympy.simplify(held - dd_phi) == sympy.zeros(*held.shape)


def test_derivatives_are_those_that_sympy_finds():
    """Psi_q, Psi_t and gamma of Euler parameters are SymPy's own derivatives of Psi."""
    model = pendulum()
    model.drive("pin.angle", "sin(3*t)")
    eqs = vc.equations(model)
    t = sympy.Symbol("t", real=True)
    assert sympy.simplify(eqs.Psi.jacobian(eqs.q) - eqs.Psi_q) == sympy.zeros(*eqs.Psi_q.shape)
    assert sympy.simplify(eqs.Psi.diff(t) - eqs.Psi_t) == sympy.zeros(*eqs.Psi_t.shape)


def test_every_number_can_stay_a_symbol():
    eqs = vc.equations(pendulum(), coordinates="twists", symbols="all")
    names = {str(s) for s in (*eqs.M.free_symbols, *eqs.Q.free_symbols, *eqs.Psi.free_symbols)}
    assert {"m_rod", "J_xx_rod", "g_y", "s_x_pin_b"} <= names


def test_texts_have_headings_and_the_names_of_rows():
    eqs = vc.equations(pendulum(), coordinates="twists")
    for text in (eqs.text(), eqs.latex(), eqs.mathml()):
        for heading in ("Constraints Psi", "Masses M", "Forces Q", "Accelerations gamma", "index 3"):
            assert heading in text.replace("\\_", "_")
        assert "pin (force along x)" in text
    assert "<math" in eqs._repr_html_() and "<script" not in eqs._repr_html_()
    assert "dot</mi>" not in eqs.mathml() and "<mo>\u02d9</mo></mover>" in eqs.mathml()  # dots stand over letters


@pytest.mark.parametrize(("ending", "mark"), [("tex", r"\begin{document}"), ("html", "<math"), ("txt", "Forces Q")])
def test_files_are_written_by_their_endings(ending, mark, tmp_path):
    path = vc.equations(pendulum(), coordinates="joint").save(tmp_path / f"x.{ending}")
    assert mark in path.read_text()


def test_names_become_identifiers():
    names = ["end", "lambda", "Räder", "x" * 80, "a b", "A B", "1st", "日本", "_", "int", "END"]
    found: list[str] = []
    for name in names:
        found.append(identifier(name, found))
    assert len({x.lower() for x in found}) == len(names)
    for x in found:
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", x) and len(x) <= 63 and x.lower() not in RESERVED
    assert plain("Räder für ß") == "Raeder_fuer_ss"


MISTAKES = [
    (lambda m: vc.equations(m, 4), "index is 4; it is 3"),
    (lambda m: vc.equations(m, coordinates="polar"), "coordinates is 'polar'.*euler parameters, twists, joint"),
    (lambda m: vc.equations(m, symbols="some"), "symbols is 'some'.*'all'"),
    (lambda m: vc.equations(m, symbols={"rod.mas": "m"}).M, "no number called 'rod.mas'.*Did you mean 'rod.mass'"),
    (lambda m: vc.equations(m, symbols={"rod.mass": "2 m"}).M, "'2 m', which is not a name for a symbol.*'m_1'"),
    (lambda m: vc.equations(m, symbols={"rod.mass": 3}).M, "'rod.mass' is 3; give a name"),
    (lambda m: vc.equations(m, coordinates="joint", angles="zzx"), "angles is 'zzx'"),
    (lambda m: vc.equations(m).save("x.doc"), r"x.doc: equations are written as .tex, .html, .txt"),
    (lambda m: vc.equations(m).program("basic", until=1), "no language 'basic'.*c, fortran, python"),
    (lambda m: vc.equations(m).program("c", until=-1), "until is -1.0; it must be positive"),
    (lambda m: vc.equations(m).program("c", until=1, steps=0), "steps is 0; it is a whole number"),
    (lambda m: vc.equations(m).program("c", until=1).save("x.f90"), "a program in c is a file that ends in .c"),
]


@pytest.mark.parametrize(("ask", "message"), MISTAKES, ids=[m for _, m in MISTAKES])
def test_mistakes_are_answered_with_a_way_out(ask, message):
    with pytest.raises(vc.ModelError, match=f"(?s){message}"):
        ask(pendulum())


def test_what_is_too_large_is_refused_before_it_starts_with_an_estimate():
    model, last = vc.Model("rope"), None
    for k in range(500):
        body = model.body(f"b{k}", 1.0, 0.1, at=(k, 0, 0))
        model.revolute(f"J{k}", last or model.ground, body, at=(k, 0, 0), axis="y")
        last = body
    for coordinates in ("euler parameters", "joint"):
        says = r"(?s)'rope' with 500 bodies is too large.*operations, some .* s of work.*limit="
        with pytest.raises(vc.ModelError, match=says):
            vc.equations(model, coordinates=coordinates).text()


def test_switched_models_and_states_in_programs_are_refused_by_name():
    model = pendulum()
    model.switch("pin", False, at=1.0)
    with pytest.raises(vc.ModelError, match="switch of 'pin' at 1 s"):
        vc.equations(model)
    model = pendulum()
    model.state("filter", "-filter")
    with pytest.raises(vc.ModelError, match="state 'filter': generated programs"):
        _ = vc.equations(model).program("c", until=1.0).text
