"""Generated programs find the motion that the kernel finds, in every language and at every index."""

import importlib
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc
from vincolo.symbolic.numbers import body_numbers

pytest.importorskip("sympy")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
COMPILERS = {"c": "cc", "fortran": "gfortran", "python": sys.executable}
TIGHT = {"rtol": 1e-10, "atol": 1e-11}
#: models and how long they run [s]; the five-bar has 7 redundant rows, Bricard's mechanism one
MODELS = {"spatial_double_pendulum": 5.0, "slider_crank": 1.0, "five_bar": 2.0, "mcpherson": 1.0, "bricard": 2.0}


def needs(language):
    if shutil.which(COMPILERS[language]) is None:
        pytest.skip(f"there is no {COMPILERS[language]} here: apt-get install {COMPILERS[language]}")


def example(name, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module(name).build()


def largest_difference(model, run, until, outputs):
    """Of positions, Euler parameters (up to their sign) and velocities, over the whole run, against the kernel."""
    exact = vc.simulate(model, until, outputs=outputs, integrator=vc.integrators.DOP853(rtol=1e-12, atol=1e-13))
    n = len(model.bodies)
    found = run.motion[:, 1:].reshape(len(exact.t), n, 13)
    assert run.motion[:, 0] == pytest.approx(exact.t, abs=1e-12)
    y = exact.y[:, :13 * n].reshape(len(exact.t), n, 13)
    turned = 0.0
    for sample in (0, len(exact.t) // 2, len(exact.t) - 1):
        state = vc.State(exact.system, float(exact.t[sample]), exact.y[sample], exact.system.drawn.turns)
        for b in range(n):
            p = np.array([body_numbers(state, b)["p", b, k] for k in range(4)])
            turned = max(turned, min(np.abs(found[sample, b, 3:7] - s * p).max() for s in (1, -1)))
    return np.abs(found[:, :, :3] - y[:, :, :3]).max(), turned, np.abs(found[:, :, 7:] - y[:, :, 7:]).max()


@pytest.mark.parametrize(("language", "index"), [("c", 3), ("fortran", 2), ("python", 1)])
def test_a_short_run_in_every_language(language, index, tmp_path, monkeypatch):
    needs(language)
    model = example("spatial_double_pendulum", monkeypatch)
    program = vc.equations(model, index).program(language, until=0.1, outputs=4, rtol=1e-8, atol=1e-9)
    run = program.run(tmp_path)
    position, turn, velocity = largest_difference(model, run, 0.1, 4)
    assert position < 1e-9 and turn < 1e-9
    assert velocity < (1e-4 if index == 3 else 1e-8)  # index 3: velocities are of order 3 only
    assert run.told["largest gap of a joint"] < 1e-9
    assert run.multipliers.shape == (5, 11)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["c", "fortran"])
@pytest.mark.parametrize("index", [3, 2, 1])
@pytest.mark.parametrize("name", MODELS)
def test_programs_agree_with_the_kernel(name, index, language, tmp_path, monkeypatch):
    needs(language)
    model, outputs = example(name, monkeypatch), 500 if name == "spatial_double_pendulum" else 100
    program = vc.equations(model, index).program(language, until=MODELS[name], outputs=outputs, **TIGHT)
    position, turn, _ = largest_difference(model, program.run(tmp_path), MODELS[name], outputs)
    assert position < 1e-9 and turn < 1e-9


@pytest.mark.slow
def test_fixed_steps_have_order_five(tmp_path, monkeypatch):
    needs("c")
    model = example("spatial_double_pendulum", monkeypatch)
    errors = []
    for steps in (16, 32):
        program = vc.equations(model, 2).program("c", until=1.0, outputs=4, steps=steps)
        errors.append(largest_difference(model, program.run(tmp_path), 1.0, 4)[0])
    assert np.log2(errors[0] / errors[1]) == pytest.approx(5.0, abs=0.7)


def everything():
    """A model with what else programs must know: samples, pieces, laws of others, rotors, turns, moving frames."""
    model = vc.Model("a bit of everything", gravity=(0, 0, -9.81))
    wheel = model.body("wheel", 2.0, (0.1, 0.2, 0.15))
    arm = model.body("arm", 1.0, 0.1, at=(0.5, 0, 0))
    model.revolute("axle", model.ground, wheel, at=(0, 0, 0), axis="y")
    model.spherical("ball", wheel, arm, at=(0.3, 0, 0))
    model.drive("axle.angle", vc.functions.Pieces(["9*t^2", "9*t - 2.25"], [0.5]))
    model.rotor("axle.angle", 0.01, 3.0)
    model.law("drag", "axle.angle", "0.1*dd + 0.02*arm.vx")
    model.law("curve", vc.distance(model.ground.frame((0, 0, 1)), arm.frame((1, 0, 0))),
              vc.Spline([0.0, 1.0, 2.0], [-5.0, 0.0, 8.0]))
    model.force("push", arm.frame((1, 0, 0)), (vc.Spline([0, 0.4, 1], [0, 3, 1]), 0, "sin(3*t)"), axes="body")
    model.force("blow", arm.frame((1, 0, 0)).moving(x="0.1*t"), (0, "max(t - 0.3, 0)", 0))
    return model


@pytest.mark.slow
@pytest.mark.parametrize("language", ["c", "fortran", "python"])
def test_everything_else_is_known_too(language, tmp_path):
    needs(language)
    model = everything()
    program = vc.equations(model, 2).program(language, until=0.8, outputs=8, rtol=1e-8, atol=1e-9)
    position, turn, velocity = largest_difference(model, program.run(tmp_path), 0.8, 8)
    assert position < 1e-8 and turn < 1e-8 and velocity < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("language", ["c", "fortran", "python"])
def test_names_that_languages_do_not_like(language, tmp_path):
    needs(language)
    model = vc.Model("end", gravity=(0, 0, -9.81))
    names = ["lambda", "Räder für 'alle' \\n */", "x" * 80, "int", "日本"]
    bodies = [model.body(name, 1.0, 0.1, at=(k, 0, 0)) for k, name in enumerate(names)]
    for k, body in enumerate(bodies):
        model.revolute(f"return {k} %d ?", bodies[k - 1] if k else model.ground, body, at=(k - 0.5, 0, 0), axis="y")
    program = vc.equations(model, 2).program(language, until=0.1, outputs=2, rtol=1e-7, atol=1e-8)
    position, *_ = largest_difference(model, program.run(tmp_path), 0.1, 2)
    assert position < 1e-8


def chain(count):
    model = vc.Model("chain", gravity=(0, 0, -9.81))
    last = model.ground
    for k in range(count):
        body = model.body(f"link{k}", 1.0, (0.01, 0.1, 0.1), at=(k + 0.5, 0, 0))
        model.revolute(f"J{k}", last, body, at=(k, 0, 0), axis="y" if k % 2 else "z")
        last = body
    return model


def test_links_of_a_chain_share_their_code():
    short, long = (vc.equations(chain(n), 2).program("c", until=1.0) for n in (6, 30))
    assert len(short.pieces.shapes) == len(long.pieces.shapes) <= 8
    assert short.printed.text.count("static void values_") == long.printed.text.count("static void values_")
