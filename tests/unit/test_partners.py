"""Other people's libraries take what vincolo gives them, and vincolo keeps their noise from users."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import vincolo as vc
from vincolo.analyses.closing import Aim, closure
from vincolo.analyses.linear_ports import without_dots
from vincolo.cli.app import app

MASS, DAMPER, RATE = 2.0, 3.0, 400.0


def oscillator(name="oscillator"):
    """A mass on a spring and a damper along x, weightless."""
    model = vc.Model(name, gravity=(0, 0, 0))
    block = model.body("block", mass=MASS, inertia=0.1)
    model.prismatic("guide", model.ground, block, at=(0, 0, 0), axis="x")
    model.spring("spring", "guide.travel", k=RATE, c=DAMPER, length=0.0)
    return model


def linear(name="oscillator"):
    return vc.linearize(vc.assemble(oscillator(name)), ["guide.travel", "block.fx"], ["block.x", "block.vx"])


# python-control

def test_python_control_steps_as_the_closed_form_says():
    """x(t) of a unit force: (1 - exp(-d t) (cos w t + d/w sin w t)) / k."""
    control = pytest.importorskip("control")
    system = linear("front.left").to_control()
    t = np.linspace(0, 2, 201)
    d = DAMPER / (2 * MASS)
    w = np.sqrt(RATE / MASS - d**2)
    exact = (1 - np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))) / RATE
    found = control.step_response(system, t)
    for k in range(2):
        assert found.outputs[0, k] == pytest.approx(exact, abs=1e-9)
    assert system(2 + 5j)[0, 0] == pytest.approx(1 / (MASS * (2 + 5j) ** 2 + DAMPER * (2 + 5j) + RATE), rel=1e-9)


def test_python_control_knows_signals_by_their_names_and_joins_them():
    control = pytest.importorskip("control")
    system = linear("front.left").to_control()
    assert system.input_labels == ["guide_travel", "block_fx"] and system.output_labels == ["block_x", "block_vx"]
    assert system.name == "front_left"
    stiff = control.ss([], [], [], [[-1e4]], inputs="e", outputs="u", name="stiff")
    wires = [["front_left.block_fx", "stiff.u"], ["stiff.e", "front_left.block_x"]]
    held = control.interconnect([system, stiff], connections=wires, inplist=["front_left.guide_travel"],
                                outlist=["front_left.block_x"], check_unused=False)
    assert control.dcgain(held) == pytest.approx(1 / (RATE + 1e4), rel=1e-9)  # a spring of 1e4 N/m beside ours


def test_names_without_dots_stay_apart():
    assert without_dots(["a.b", "a_b", "a.b_2", "c"]) == ["a_b", "a_b_2", "a_b_2_2", "c"]
    assert without_dots(["motor"]) == ["motor"]


# the metric of closing

def test_the_inverse_of_the_mass_matrix_is_that_of_every_body():
    state = vc.assemble(oscillator())
    free, kept = (closure(state.system, Aim(kept=bodies)) for bodies in ((), (0,)))
    found = np.array([free.weighed(state.t, state.y, state.turns, e) for e in np.eye(6)])
    assert found == pytest.approx(np.diag([1 / MASS] * 3 + [10.0] * 3))
    assert not kept.weighed(state.t, state.y, state.turns, np.ones(6)).any()


# warnings of other libraries

NOISY = """
import warnings
import vincolo as vc

def build():
    m = vc.Model("noisy")
    m.revolute("O", m.ground, m.body("bob", 1.0, 0.1, (1, 0, 0)), (0, 0, 0), "y")
    {line}
    return m
"""


def heard(tmp_path, monkeypatch, line, *words):
    """What `vincolo check` says of a model whose program contains a line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noisy.py").write_text(NOISY.format(line=line))
    found = CliRunner().invoke(app, ["run", "noisy.py", "--until", "0.1", *words])
    assert found.exit_code == 0, found.output
    return found


LIBRARY = 'warnings.warn_explicit("old news", {0}, "/x/site-packages/thing/core.py", 7)'


@pytest.mark.parametrize("category", ["DeprecationWarning", "FutureWarning", "UserWarning", "RuntimeWarning"])
def test_warnings_of_libraries_reach_neither_screen_nor_json(category, tmp_path, monkeypatch):
    found = heard(tmp_path, monkeypatch, LIBRARY.format(category))
    assert "old news" not in found.stdout + found.stderr
    assert json.loads(heard(tmp_path, monkeypatch, LIBRARY.format(category), "--json").stdout)["warnings"] == []


def test_warnings_of_numpy_inside_vincolo_do_not_reach_the_screen(tmp_path, monkeypatch):
    line = f'warnings.warn_explicit("divide by zero", RuntimeWarning, {vc.__file__!r}, 7)'
    found = heard(tmp_path, monkeypatch, line)
    assert "divide" not in found.stdout + found.stderr


@pytest.mark.parametrize("line", ['warnings.warn("look here")', 'warnings.warn("look here", vc.SimulationWarning)'])
def test_warnings_of_users_programs_and_of_vincolo_are_shown(line, tmp_path, monkeypatch):
    assert "warning: look here" in heard(tmp_path, monkeypatch, line).stderr
    assert json.loads(heard(tmp_path, monkeypatch, line, "--json").stdout)["warnings"] == ["look here"]


def test_every_warning_of_vincolo_is_known_as_one():
    own = [getattr(vc, name) for name in vc.__all__ if name.endswith("Warning")]
    assert len(own) >= 3 and all(issubclass(thing, vc.VincoloWarning) for thing in own)
