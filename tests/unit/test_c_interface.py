"""The C interface: tables that are damaged, steps that fail, states that are put back, numbers that change."""

import math
import random
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import vincolo as vc
from entered_models import servo, slider_crank
from vincolo import _kernel
from vincolo.errors import ModelError
from vincolo.realtime.library import BAD_INPUT, FAILED, OK, STOPPED, TOO_LONG, CModel
from vincolo.realtime.table import checksum, plant


def test_a_table_that_is_cut_off_is_refused():
    data = plant(servo()).text().encode()
    for size in range(0, len(data), 7):
        with pytest.raises(ModelError, match="no table of vincolo|another version|is damaged"):
            CModel(data[:size])


def test_a_table_with_one_changed_bit_is_refused():
    data, rng = plant(servo()).text().encode(), random.Random(3)
    for _ in range(400):
        changed = bytearray(data)
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        with pytest.raises(ModelError, match="no table of vincolo|another version|is damaged"):
            CModel(bytes(changed))


def test_a_table_of_another_version_says_so():
    with pytest.raises(ModelError, match="another version than 1: export the model again"):
        CModel(plant(servo()).text().replace("table 1", "table 2", 1))


def signed(body):
    """A table with a sum that fits."""
    return f"{body}sum {checksum(body.encode()):016x}\n".encode()


@pytest.mark.parametrize(("old", "new", "said"), [
    ("add_spring 6 ", "add_spring 99 ", "no such quantity"),
    ("gravity [0 0 0]", "gravity [0 0 [0]", "a number is missing"),
    ('"cosine"', '"cosi\n', "a text does not end"),
    ('integrator "rk4"', 'integrator "rk5"', "knows no integrator called 'rk5'"),
    ("add_body", "add_bode", "'add_bode' is unknown"),
    ("step 0x1.0624dd2f1a9fcp-10", "step 0", "not a positive number"),
    ("step 0x1.0624dd2f1a9fcp-10", "step 0x1.0p-9999", "a number is too large"),
    ('["step" ', '["stop" ', "no option called 'stop'"),
    ("start 0 [", "start 0 [1 ", "a state of another system"),
])
def test_what_is_wrong_in_a_table_is_said(old, new, said):
    body = plant(servo()).text().rpartition("sum ")[0]
    assert old in body
    with pytest.raises(ModelError, match=said):
        CModel(signed(body.replace(old, new, 1)))


GARBAGE = """
    import random, sys
    from vincolo.realtime.library import CModel
    from vincolo.realtime.table import checksum
    from vincolo.errors import ModelError
    body, rng = open(sys.argv[1]).read().rpartition("sum ")[0], random.Random(11)
    made = 0
    for _ in range(1500):
        words = body.split(" ")
        for _ in range(rng.randrange(1, 4)):
            k = rng.randrange(3, len(words))
            words[k] = rng.choice(["-1", "7", "99999", "[", "]", "[]", "inf", "nan", '"x"', "0x1.8p+900", words[-k]])
        text = " ".join(words)
        try:
            c = CModel(f"{text}sum {checksum(text.encode()):016x}\\n")
        except ModelError:
            continue
        made += 1
        c.set_cap(200)
        for _ in range(3):
            assert 0 <= c.step() <= 4
        c.close()
    print("made", made)
"""


def test_garbage_with_a_sum_that_fits_never_crashes(tmp_path):
    (tmp_path / "table").write_text(plant(slider_crank(2)).text())
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(GARBAGE), str(tmp_path / "table")], check=False,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("made ") and int(done.stdout.split()[1]) > 20


def test_inputs_that_are_not_finite_change_nothing():
    c = CModel(plant(servo()).text())
    c.inputs[0] = 1.0
    assert c.step() == OK
    kept = c.state
    for bad in (math.nan, math.inf, -math.inf):
        c.inputs[0] = bad
        assert c.step() == BAD_INPUT
        c.inputs[0] = 1.0
        assert np.array_equal(c.state, kept)
    assert c.step() == OK


def breaking():
    """A cart whose force is the root of a number that becomes negative when it passes x = 1."""
    m = vc.Model("breaking", gravity=(0, 0, 0))
    cart = m.body("cart", 1.0, 0.1, velocity=(1.0, 0, 0))
    m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis="x")
    m.variable("end", 1.0)
    m.actuator("root", "rail.travel", "sqrt(end - d)")
    m.output("x", "cart.x")
    return m


def test_a_step_that_fails_keeps_the_last_good_state_and_can_be_made_with_other_numbers():
    c = CModel(plant(breaking(), 0.05, integrator=vc.integrators.RK4(step=0.01)).text())
    status = OK
    while status == OK and c.t < 10:
        kept = c.state
        status = c.step()
    assert status == FAILED and c.reason in ("not finite", "step too small")
    assert np.array_equal(c.state, kept) and c.t == kept[0] and c.outputs[0] <= 1
    assert c.step() == FAILED and np.array_equal(c.state, kept)
    c.set_parameter("end", 5.0)
    assert c.step() == OK and c.t == pytest.approx(kept[0] + 0.05, abs=1e-15)


def test_a_step_stays_within_its_cap():
    c = CModel(plant(servo(), 0.1, integrator=vc.integrators.RK4(step=1e-4)).text())
    kept = c.state
    assert c.set_cap(100) == OK and c.step() == TOO_LONG and c.reason == "too many evaluations"
    assert np.array_equal(c.state, kept)
    assert c.set_cap(10_000) == OK and c.step() == OK and c.set_cap(0) != OK


def test_an_event_that_stops_is_told_once_for_all():
    m = servo()
    m.event("far", "cart.x - 0.01", direction="up", stop=True)
    c, s = CModel(plant(m).text()), vc.stepper(m, 1e-3, integrator=vc.integrators.RK4(step=1e-3))
    c.inputs[0] = 5.0
    while c.step() == OK:
        s.step(u=5.0)
    s.step(u=5.0)
    assert s.stopped and c.t == s.t and np.array_equal(c.outputs, s.outputs)
    assert s.outputs[0] == s["cart.x"] and s.outputs[0] >= 0.01
    kept = c.state
    assert c.step() == STOPPED and np.array_equal(c.state, kept)
    c.reset()
    assert c.step() == OK


def test_states_that_are_put_back_and_the_start_go_on_to_the_last_bit():
    c, other = (CModel(plant(slider_crank(2)).text()) for _ in range(2))
    first = c.state

    def walk(model, count):
        for k in range(count):
            model.inputs[:] = math.sin(0.2 * k)
            assert model.step() == OK
        return model.state

    walk(c, 40)
    kept = c.state
    end = walk(c, 60)
    assert c.restore(kept) == OK and np.array_equal(walk(c, 60), end)
    assert other.restore(kept) == OK and np.array_equal(walk(other, 60), end)
    c.reset()
    assert np.array_equal(c.state, first)
    walk(c, 40)
    assert np.array_equal(c.state, kept)
    assert c.restore(np.full_like(kept, math.nan)) == BAD_INPUT and np.array_equal(c.state, kept)


def test_parameters_do_what_those_of_a_stepper_do():
    c, s = CModel(plant(servo()).text()), vc.stepper(servo(), 1e-3, integrator=vc.integrators.RK4(step=1e-3))
    for name, value in {"back.k": 5.0, "back.length": 0.1, "gain": 2.0, "f.T": 0.05}.items():
        c.set_parameter(name, value)
        s.parameters[name] = value
        assert c.parameter(name) == value
    for _ in range(50):
        c.inputs[0] = 1.0
        assert c.step() == OK
        assert np.array_equal(s.step(u=1.0), c.outputs)
    c.reset()
    assert c.parameter("back.k") == 3.0 and c.parameter("gain") == 1.0


def hand(t, x):
    """A controller that does nothing."""
    return 0.0


@pytest.mark.parametrize(("change", "said"), [
    (lambda m: m.controller(every=0.1, reads=["cart.x"], writes=["u"])(hand), "'hand' is a function of Python"),
    (lambda m: m.output("pull", "rail.reaction.force.x"), "output 'pull' follows from forces"),
    (lambda m: m.event("ring", "cart.x", call=lambda t, state: None), "event 'ring' calls a function of Python"),
])
def test_what_needs_python_is_refused_by_name(change, said):
    m = servo()
    change(m)
    with pytest.raises(ModelError, match=said):
        plant(m)


def test_no_table_is_written_that_could_not_be_read(monkeypatch):
    core = _kernel.core()
    monkeypatch.setattr(core, "calls", [name for name in core.calls if name != "add_spring"])
    with pytest.raises(ModelError, match="tables do not hold what is made by add_spring"):
        plant(servo())


def test_solvers_whose_cost_is_not_bounded_are_refused():
    with pytest.raises(ModelError, match="chooses its steps, whose cost is not bounded"):
        plant(servo(), integrator=vc.integrators.DormandPrince())
    with pytest.raises(ModelError, match="a function of Python"):
        plant(servo(), formulation=lambda M, J, gamma, Q, phi, rate: (Q, gamma))
    with pytest.raises(ModelError, match="step is -1 s; it must be positive"):
        plant(servo(), -1.0)
