"""A function of time that cannot be used: the error names the part it was given to, in every place that takes one."""

import math

import pytest

import vincolo as vc

BAD = {"text cut short": "sin(", "unknown name": "q + 1", "list": [1, 2], "nan": math.nan, "infinite": math.inf,
       "object": object(), "dictionary": {}, "complex": 1j, "callable that fails": lambda t: t + "a", "bytes": b"t"}
USES = {
    "motor": lambda m, x: m.drive("O.angle", x, name="motor"),
    "O.angle.drive": lambda m, x: m.drive("O.angle", x),
    "still": lambda m, x: m.hold("still", "O.angle", x),
    "tie": lambda m, x: m.couple("tie", {"O.angle": 1.0}, x),
    "lead.x": lambda m, x: m.trajectory("lead", m.frames["tip"], (x, None, None)),
    "push": lambda m, x: m.force("push", m.frames["tip"], (x, 0, 0)),
    "turn": lambda m, x: m.torque("turn", "bob", (0, x, 0)),
    "pump": lambda m, x: m.actuator("pump", "O.angle", x),
    "rub": lambda m, x: m.law("rub", "O.angle", x),
    "tip": lambda m, x: m.frames["tip"].moving(angle=x),
}


def swing() -> vc.Model:
    model = vc.Model("swing")
    bob = model.body("bob", 1.0, 0.01, at=(1, 0, 0))
    model.frame("tip", bob, (1.2, 0, 0))
    model.revolute("O", model.ground, bob, at=(0, 0, 0), axis="y")
    return model


#: the function of a law is first called in a run
LATER = {("pump", "callable that fails"), ("rub", "callable that fails")}


@pytest.mark.parametrize(("name", "bad"), [(name, bad) for bad in BAD for name in USES if (name, bad) not in LATER])
def test_the_owner_of_a_wrong_function_is_named(name, bad):
    with pytest.raises(vc.ModelError, match=f"'{name}'"):
        USES[name](swing(), BAD[bad])


@pytest.mark.parametrize(("name", "bad"), sorted(LATER))
def test_a_law_whose_function_fails_is_named_by_the_run(name, bad):
    model = swing()
    USES[name](model, BAD[bad])
    with pytest.raises(vc.SimulationError, match=f"law '{name}' the Python function .* raised TypeError"):
        vc.simulate(model, 0.1)


@pytest.mark.parametrize("text", ["log(0.5 - t)", "sqrt(0.5 - t)", "t^2 + asin(2*t)"])
@pytest.mark.parametrize("analysis", [vc.simulate, vc.kinematics])
def test_a_drive_that_ends_in_nowhere_is_named_in_the_reason(text, analysis):
    model = swing()
    model.drive("O.angle", text, name="motor")
    with pytest.warns(vc.SimulationWarning, match="'motor'"):
        result = analysis(model, 1.0)
    assert not result.complete and result.t[-1] <= 0.5


def test_a_drive_without_a_finite_value_behind_the_end_is_blamed():
    for analysis in (vc.simulate, vc.kinematics):
        model = swing()
        model.drive("O.angle", "log(0.5 - t)", name="motor")
        with pytest.warns(vc.SimulationWarning):
            assert "drive 'motor'" in analysis(model, 1.0).reason
