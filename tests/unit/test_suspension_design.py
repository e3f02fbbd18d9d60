"""Sensitivities, variants and the optimiser of suspensions."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.design import Goal, optimise, sensitivities, shifted, variants
from vincolo.vehicle.metrics import OF_AXLES, OF_SIDES, SPRUNG
from vincolo.vehicle.starters import EXAMPLES, example


def test_sensitivities_foretell_small_changes():
    """To the square of the change: 0.1 mm moves a metric by slope times 0.1 mm."""
    s = example("double wishbone")
    slopes = sensitivities(s, ["left.bump_steer", "roll_centre_height"], ["tie_inner", "lower_ball.z"])
    assert slopes.coordinates == ("tie_inner.x", "tie_inner.y", "tie_inner.z", "lower_ball.z")
    for name in ("tie_inner.z", "lower_ball.z"):
        for metric in slopes.metrics:
            before, after = (vc.vehicle.curves(x, count=3).at(metric) for x in (s, shifted(s, {name: 1e-4})))
            assert after - before == pytest.approx(1e-4 * slopes[metric, name], rel=0.02, abs=1e-7)
    assert slopes.strongest("left.bump_steer", 1)[0][0] in ("tie_inner.z", "lower_ball.z")


def test_the_optimiser_finds_points_that_were_moved():
    """Curves of a known suspension are the goals; from a start 3 mm away its curves are found again."""
    known = example("double wishbone")
    x = np.linspace(-0.02, 0.02, 5)
    want = vc.vehicle.curves(known, "parallel", -0.02, 0.02, 5)["left.toe"]
    start = shifted(known, {"tie_inner.z": 0.003})
    found = optimise(start, [Goal("left.toe", want, x)], {"tie_inner.z": 0.006})
    assert found.moved["tie_inner.z"] == pytest.approx(-0.003, abs=2e-5)
    assert found.after < 1e-4 * found.before and "tie_inner.z -3.0" in str(found)


def test_variants_are_curves_of_changed_points():
    s = example("mcpherson")
    changes = [{}, {"lower_ball.z": 0.002}]
    found = variants(s, changes, ["camber", "roll_centre_height"], count=3)
    assert found.shape == (2, 2, 3)
    again = vc.vehicle.curves(shifted(s, changes[1]), "parallel", -0.03, 0.03, 3)
    assert found[1, 1] == pytest.approx(again["roll_centre_height"], rel=1e-12)


def test_wrong_goals_and_points_are_named():
    s = example("mcpherson")
    with pytest.raises(vc.ModelError, match="no point 'lower_bal'.*Did you mean 'lower_ball"):
        shifted(s, {"lower_bal": 0.001})
    with pytest.raises(vc.ModelError, match="of one length"):
        Goal("left.toe", [0.0, 1.0], [0.0])
    with pytest.raises(vc.ModelError, match="at least one goal"):
        optimise(s, [], {"lower_ball": 0.01})
    with pytest.raises(vc.ModelError, match="they hold 0"):
        optimise(s, [Goal("left.toe", 0.0)], {"lower_ball": (0.01, 0.02)})


@pytest.mark.parametrize("name", EXAMPLES)
def test_wheels_move_the_same_without_springs_and_bars(name):
    """What variants leave out changes nothing of the metrics that they are asked for."""
    s, names = example(name), [m for m in (*OF_SIDES, *OF_AXLES) if m not in SPRUNG]
    bare, whole = vc.vehicle.curves(s, count=5, wanted=names), vc.vehicle.curves(s, count=5)
    assert set(bare) == set(whole) - {k for k in whole if k.rpartition(".")[2] in SPRUNG}
    assert len(bare.sweep.system.rows) <= len(whole.sweep.system.rows)
    for metric in bare:
        size = max(1.0, float(np.abs(np.nan_to_num(whole[metric])).max()))
        np.testing.assert_allclose(bare[metric], whole[metric], rtol=0, atol=1e-11 * size, err_msg=metric)
