"""Every mistake about an event is told with its name and a way out, before the run or where it happens."""

import numpy as np
import pytest

import vincolo as vc


def ball(**event):
    model = vc.Model(gravity=(0, 0, -9.81))
    model.body("ball", 1.0, 0.1, at=(0, 0, 1))
    model.variable("count")
    if event:
        model.event("hit", **event)
    return model


@pytest.mark.parametrize(("given", "said"), [
    ({"when": "bal.z"}, r"event 'hit': when: there is nothing called 'bal.z'.*Did you mean 'ball.z'"),
    ({"when": "2*3"}, r"event 'hit': '2\*3' does not change, so it never crosses zero"),
    ({"when": "ball.z +"}, "event 'hit': when:"),
    ({"when": 3.0}, "when is 3.0; it is a text such as 'ball.z - 0.5'"),
    ({}, "needs a text that is watched .* or times"),
    ({"when": "ball.z", "at": 1.0}, "needs a text that is watched .* and not both"),
    ({"at": np.nan}, "event 'hit': at"),
    ({"at": [1.0, 2.0], "every": 0.1}, "every 0.1 s needs a positive number and at most one time"),
    ({"every": -1.0}, "every -1 s needs a positive number"),
    ({"when": "ball.z", "direction": "left"}, "direction is 'left'; it is 'up', 'down' or 'both'"),
    ({"when": "ball.z", "switch_off": "hinge"}, "there is no joint, drive, spring, law or load called 'hinge'"),
    ({"when": "ball.z", "switch_on": 7}, "there is no joint, drive, spring, law or load called"),
    ({"when": "ball.z", "set": {"cuont": 1}}, r"no input, variable or state called 'cuont'.*Did you mean 'count'"),
    ({"when": "ball.z", "set": {"count": "cont + 1"}}, "event 'hit': set count:"),
    ({"when": "ball.z", "set": 3}, "set is 3; it is a table of names and values"),
    ({"when": "ball.z", "bounce": {"ball.z": 1.5}}, "bounce of ball.z is 1.5; it is the restitution, from 0 to 1"),
    ({"when": "ball.z", "bounce": {"ball": 0.5}}, "'ball' is not the name of a measure"),
    ({"when": "ball.z", "strike": {"ball.z + 1": 0.5}}, "is not the name of a measure"),
    ({"when": "ball.z", "strike": {"ball.q": 0.5}}, "there is nothing called 'ball.q'"),
    ({"when": "ball.z", "strike": {"ball.z": np.inf}}, "event 'hit': strike ball.z"),
    ({"when": "ball.z", "stop": 1}, "stop is 1; it is True or False"),
    ({"when": "ball.z", "call": 5}, "call is 5; it is a function of the state"),
])
def test_a_wrong_event_is_refused(given, said):
    model = ball()
    with pytest.raises((vc.ModelError, vc.ExpressionError), match=f"(?s){said}"):
        model.event("hit", **given)
    assert not model.events


def test_rows_and_names_must_be_there_and_free():
    model = ball()
    model.spherical("S", model.ground, model.bodies["ball"], at=(0, 0, 1))
    with pytest.raises(vc.ModelError, match=r"rows is \(3,\)|rows is \[3\]; 'S' has rows 0 to 2"):
        model.event("hit", "ball.z", switch_off={"S": [3]})
    model.event("hit", "ball.z")
    with pytest.raises(vc.ModelError, match="there is already a event called 'hit'"):
        model.event("hit", "ball.z")


def ended(model, until=2.0, **options):
    with pytest.warns(vc.SimulationWarning):
        result = vc.simulate(model, until, **options)
    assert not result.complete
    return result


def test_a_guard_without_a_value_ends_the_run_with_its_name():
    result = ended(ball(when="sqrt(ball.z - 0.5)", stop=True))
    assert "event 'hit': 'sqrt(ball.z - 0.5)' has no finite value" in result.reason
    assert result["ball.z"][-1] > 0.4 and len(result) > 10
    result = ended(ball(when="log(ball.x - 1)"))
    assert "event 'hit': 'log(ball.x - 1)' has no finite value at t = 0 s" in result.reason


def test_a_value_to_set_that_is_not_finite_is_told():
    result = ended(ball(when="ball.z - 0.5", set={"count": "1/ball.x"}))
    assert "event 'hit' at t = 0.31" in result.reason and "infinite or undefined" in result.reason


def test_throwing_back_what_joints_hold_is_told():
    model = ball()
    model.prismatic("rail", model.ground, model.bodies["ball"], at=(0, 0, 1), axis="z")
    model.event("side", "ball.z - 0.5", bounce={"ball.x": 0.5})
    assert "'side' at t = 0.31" in (result := ended(model)).reason and "the joints hold it" in result.reason


def test_what_is_switched_on_elsewhere_without_a_latch_is_told():
    model = ball()
    model.spherical("S", model.ground.frame((0, 0, 3)), model.bodies["ball"].frame((0, 0, 1)))
    model.switch("S", False)
    model.event("hit", "ball.z - 0.5", switch_on="S", latch=False)
    result = ended(model)
    assert "'S' (force along z) is switched on there" in result.reason and "open by -2.5" in result.reason
    assert "latch=True" in result.reason


def test_a_function_that_raises_or_returns_nonsense_ends_the_run_with_the_name_of_its_event():
    def fails(state):
        raise ValueError(f"no, at {state['ball.z']:.3g} m")

    reasons = {fails: "its function raised ValueError: no, at 0.5 m", lambda state: 3: "its function returned 3",
               lambda state: {"n": 1}: "a value for 'n', which is not an input, variable or state",
               lambda state: {"count": np.nan}: "count"}
    for call, said in reasons.items():
        result = ended(ball(when="ball.z - 0.5", call=call))
        assert "event 'hit' at t = 0.319" in result.reason and said in result.reason
        assert len(result) > 20 and result.t[-1] < 0.3193


def test_two_events_that_bring_about_each_other_are_stopped_with_their_names():
    model = ball()
    model.variable("flag", 1.0)
    model.event("down", "ball.z - 0.5", set={"flag": -1})
    model.event("one", "flag", direction="down", set={"flag": 1})
    model.event("two", "flag", direction="up", set={"flag": -1})
    result = ended(model)
    assert "events without end:" in result.reason and "'one' at 0.31" in result.reason and "'two' at" in result.reason


def test_kinematics_refuses_what_needs_forces():
    model = vc.Model()
    model.revolute("O", model.ground, model.body("arm", 1.0, 0.1, at=(1, 0, 0)), at=(0, 0, 0), axis="z")
    model.drive("O.angle", "t")
    model.event("half", "O.angle - 1", stop=True)
    with pytest.raises(vc.ModelError, match=r"event 'half' \(O.angle - 1 crosses zero: stops the run\) needs a motion"):
        vc.kinematics(model, 2.0)


def test_a_function_cannot_be_written_to_a_file(tmp_path):
    model = ball(when="ball.z", call=print)
    with pytest.raises(vc.ModelError, match="event 'hit' calls a function of Python, which a file cannot hold"):
        vc.save_model(model, tmp_path / "m.yaml")
