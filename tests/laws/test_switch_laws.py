"""A drive that is off is not followed, by no analysis in time; one that is switched on must meet the mechanism."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.equations.joints import CATALOGUE

OFF, ON = 0.5, 0.8
COORDINATES = [(kind, name) for kind in ("revolute", "prismatic", "cylindrical", "planar", "guide")
               for name in CATALOGUE[kind].coordinates]


def led(kind, coordinate, again="0.15 + 0.2*(t - 0.8)"):
    """A body led along one coordinate of a joint until OFF, and by another drive from ON on; weightless."""
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("body", 2.0, [0.1, 0.2, 0.3], at=(0.3, 0, 0))
    getattr(model, kind)("J", model.ground, body, at=(0, 0, 0), axis="z")
    model.drive(f"J.{coordinate}", "0.3*t", name="first")
    model.drive(f"J.{coordinate}", again, name="second")
    model.switch("second", False)
    model.switch("first", False, at=OFF)
    model.switch("second", True, at=ON)
    return model


def expected(t):
    return np.where(t < OFF, 0.3 * t, np.where(t < ON, 0.15, 0.15 + 0.2 * (t - ON)))


@pytest.mark.parametrize("outputs", [20, 7], ids=["samples at the switches", "samples beside them"])
@pytest.mark.parametrize(("kind", "coordinate"), COORDINATES)
def test_kinematics_follows_only_what_is_switched_on(kind, coordinate, outputs):
    result = vc.kinematics(led(kind, coordinate), 1.0, outputs=outputs)
    assert result.complete
    assert result[f"J.{coordinate}"] == pytest.approx(expected(result.t), abs=1e-10)
    still = (result.t >= OFF) & (result.t < ON)
    assert result[f"J.{coordinate}.rate"][still] == pytest.approx(0.0, abs=1e-12)
    assert result["first.force"][result.t >= OFF] == pytest.approx(0.0, abs=1e-12)
    assert result["residual.position"].max() < 1e-10


def test_a_drive_that_is_switched_on_elsewhere_ends_the_motion_with_its_name():
    model = led("revolute", "angle", again="1.0 + 0*t")
    for analysis, reason in ((vc.kinematics, "switched on at t = 0.8"), (vc.simulate, "switched on there")):
        with pytest.warns(vc.SimulationWarning, match="'second'"):
            result = analysis(model, 1.0, outputs=20)
        assert not result.complete and reason in result.reason and "second" in result.reason
        assert result.t[-1] < ON
        assert np.abs(np.diff(result["J.angle"])).max() < 0.02  # nothing jumped


def test_a_mechanism_drawn_by_hand_is_not_held_by_what_is_off():
    model = vc.Model()
    arm = model.body("arm", 1.0, 0.1, at=(0.5, 0, 0))
    model.revolute("O", model.ground, arm, at=(0, 0, 0), axis="y")
    model.drive("O.angle", 0.0, name="held")
    model.switch("held", False)
    tip = model.frame("tip", arm, (1, 0, 0))
    state = vc.drag(vc.assemble(model), tip.name, (0, 0, 1))
    assert state["tip.z"] == pytest.approx(1.0, abs=1e-9)
