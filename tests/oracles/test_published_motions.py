"""Mechanisms of the literature move as the published or independently computed tables say.

Tables of six decimals are met to a few units of the last one; looser bounds are explained where they stand.
"""

import numpy as np
import pytest
from one_coordinate import slider_crank_angle
from scipy.interpolate import CubicSpline

import andrews_squeezer
import bricard
import five_bar
import flyball_governor
import mcpherson
import n_four_bar
import pendulum
import slider_crank
import spatial_double_pendulum
import vincolo as vc

TIGHT = vc.DOP853(rtol=1e-11, atol=1e-13)

# t: crank angle (from x towards z), its rate, slider x, slider speed; torque of 10 N m throughout
SLIDER_CRANK = {
    0.5: (0.076476322, -5.816504788, 2.995617274, 0.666099), 1.0: (-1.998225253, -5.289660569, 1.366432819, -3.693334),
    1.5: (-5.127704946, -3.851961368, 2.181904025, 4.324121), 2.0: (-8.308767494, -8.049164155, 1.347615082, -5.453409),
    2.5: (-12.992550529, -10.506452551, 2.867361302, -6.364373),
    3.0: (-17.883175790, -7.269941123, 2.391176263, 7.846811),
    4.0: (-30.259612776, -9.018311306, 2.180968455, 10.124102),
    5.0: (-45.295086317, -11.417118647, 2.005897933, -12.648077),
}
TORQUE_OFF = {2.0: (-6.73983807, -5.4230282), 3.0: (-11.37656037, -2.54713169), 4.0: (-16.48268579, -5.25459721),
              5.0: (-20.35225889, -3.96766223)}


def run(model, times, integrator=TIGHT):
    """A run with samples at the start and at the times of a table; the start is left out of every series read here."""
    times = [0.0, *times]
    result = vc.simulate(model, until=times[-1], outputs=times, integrator=integrator)
    assert result.complete
    return result


def crank_angle(result):
    """Counted from x towards z, against the y axis, from 45 degrees."""
    return np.pi / 4 - result["O.angle"][1:], -result["O.angle.rate"][1:]


@pytest.mark.parametrize("joint", ["spherical", "revolute"])
def test_slider_crank_speeds_up_as_tabulated(joint):
    result = run(slider_crank.build(joint), list(SLIDER_CRANK))
    x, speed = result["slider.x"][1:], result["slider.vx"][1:]
    table = np.array(list(SLIDER_CRANK.values()))
    # the table's last row is 1e-7 off the converged solution (next test), 6e-7 in speed at 30 rad/s
    assert x == pytest.approx(table[:, 2], abs=1e-6)
    assert speed == pytest.approx(table[:, 3], abs=2e-6)
    if joint == "revolute":
        angle, rate = crank_angle(result)
        assert angle == pytest.approx(table[:, 0], abs=1e-6)
        assert rate == pytest.approx(table[:, 1], abs=1e-6)


@pytest.mark.parametrize("joint", ["spherical", "revolute"])
def test_slider_crank_follows_the_equation_of_its_one_coordinate(joint):
    times = np.linspace(0, 5, 51)
    result = vc.simulate(slider_crank.build(joint), until=5.0, outputs=times, integrator=TIGHT)
    angle, _ = slider_crank_angle(times, torque=10.0)
    # both are integrated to about 1e-11 a step, and errors grow by about a hundred
    assert result["slider.x"] == pytest.approx(np.cos(angle) + np.sqrt(4 - np.sin(angle) ** 2), abs=1e-9)


def test_slider_crank_coasts_after_its_torque_is_switched_off():
    model = slider_crank.build(torque="10*step(1 - t)")
    angle, rate = crank_angle(run(model, list(TORQUE_OFF)))
    table = np.array(list(TORQUE_OFF.values()))
    # no event is located: the step that meets the jump is as small as the tolerance asks
    assert angle == pytest.approx(table[:, 0], abs=1e-6)
    assert rate == pytest.approx(table[:, 1], abs=1e-6)


FIVE_BAR = {  # t: angle of the left bar against x, its rate, x and y of its centre
    0.25: (-1.0224560871, -1.8104602324, 0.2606357616, -0.4266954414),
    0.5: (-1.6013949337, -2.5597512402, -0.0152969162, -0.4997659496),
    1.0: (-2.3539337705, 0.1891518133, -0.3527532027, -0.3543517716),
    2.0: (-0.7944307975, -0.3774454974, 0.3503454928, -0.3567324427),
    4.0: (-0.8213640634, -0.7479811633, 0.3406116218, -0.3660378711),
    8.0: (-0.9265852742, -1.4394080551, 0.3002839018, -0.3997869161),
}


def test_five_bar_swings_like_one_pendulum():
    result = run(five_bar.build(), list(FIVE_BAR))
    table = np.array(list(FIVE_BAR.values()))
    for column, series in enumerate((result["left foot.angle"] + five_bar.TURN, result["left foot.angle.rate"],
                                     result["left.x"], result["left.y"])):
        assert series[1:] == pytest.approx(table[:, column], abs=1e-9)  # the table has ten decimals


def test_five_bar_has_the_period_of_its_pendulum():
    result = vc.simulate(five_bar.build(), until=2.5, outputs=2500, integrator=TIGHT)
    at_rest = CubicSpline(result.t, result["left foot.angle.rate"]).roots(extrapolate=False)
    # the spline through samples 1 ms apart is good to 1e-10 s; the table has nine decimals
    assert at_rest[at_rest > 1.5][0] == pytest.approx(1.952210519, abs=2e-9)


PENDULUM = [(0.986292, -0.165011), (-0.793566, -0.608484), (0.176652, -0.984273), (0.577564, -0.816346),
            (-0.942305, -0.334754), (0.999498, -0.031696), (-0.998619, -0.052541), (0.919858, -0.392252),
            (-0.498374, -0.866962), (-0.275087, -0.961419)]
FOUR_BARS = [(-0.195020, -0.980799), (0.057816, 0.998327), (-0.549340, -0.835599), (0.117616, 0.993059),
             (-0.811310, -0.584616), (0.181381, 0.983413), (-0.958271, -0.285862), (0.251056, 0.967973),
             (-0.999962, 0.008686), (0.328458, 0.944519)]
BRICARD = [(0.274481, 0.113292, -1.462330), (-0.778135, 0.019647, -1.197253), (-0.771281, 0.020731, -1.202563),
           (0.283551, 0.111977, -1.459799), (0.999933, 0.000000, -1.000067), (0.265401, 0.114574, -1.464781),
           (-0.784913, 0.018596, -1.191956), (-0.764353, 0.021846, -1.207883), (0.292610, 0.110631, -1.457190),
           (0.999731, 0.000000, -1.000269)]
GOVERNOR = {0.1: 0.523836, 0.2: 0.585080, 0.3: 0.658632, 0.4: 0.717713, 0.5: 0.743249, 0.6: 0.727631, 0.7: 0.675467,
            0.8: 0.603181, 0.9: 0.536282, 1.0: 0.501421, 1.5: 0.740685, 2.0: 0.505909, 2.5: 0.735602, 3.0: 0.513246,
            4.0: 0.523223, 5.0: 0.535563, 7.0: 0.565938, 10.0: 0.619623}
SECONDS = range(1, 11)


def test_pendulum_meets_its_table():
    result = run(pendulum.build(), SECONDS)
    assert result.point("bob")[1:, :2] == pytest.approx(np.array(PENDULUM), abs=1e-6)


@pytest.mark.parametrize("integrator", [vc.DormandPrince(rtol=1e-9, atol=1e-10), vc.DOP853(rtol=1e-8, atol=1e-9)])
def test_two_four_bars_go_through_ten_singular_positions(integrator):
    result = run(n_four_bar.build(2), SECONDS, integrator)
    # in line, the wrong branch is as near as rounding: 1e-4 after ten passages proves that it was never taken
    assert result.point("top")[1:, :2] == pytest.approx(np.array(FOUR_BARS), abs=1e-4)


@pytest.mark.parametrize("windows", [1, 2, 5, 8])
@pytest.mark.parametrize("method", [vc.DormandPrince, vc.DOP853])
def test_four_bars_cross_singular_positions_in_proportion_to_the_tolerance(windows, method):
    for tolerance in np.geomspace(1e-6, 1e-9, 6):
        integrator = method(rtol=tolerance, atol=tolerance / 10)
        result = vc.simulate(n_four_bar.build(windows), until=10.0, integrator=integrator)
        x, _ = n_four_bar.one_pendulum(windows, result.t)
        # away from singular positions 600 steps of this size lose up to 1e3 tolerances; crossings may not add more
        assert result["top.x"] == pytest.approx(x, abs=3e3 * tolerance)


@pytest.mark.parametrize(("windows", "integrator"), [
    (2, vc.DormandPrince(rtol=1e-9, atol=1e-11)), (2, vc.DOP853(rtol=1e-8, atol=1e-10)),
    (2, vc.DOP853(rtol=1e-10, atol=1e-10)), (5, vc.DormandPrince()), (5, vc.DormandPrince(rtol=1e-10, atol=1e-10)),
    (5, vc.DOP853(rtol=1e-7, atol=1e-9)), (5, vc.DOP853(rtol=1e-9, atol=1e-9))])
def test_four_bars_never_fold_whatever_step_meets_the_singular_position(windows, integrator):
    result = vc.simulate(n_four_bar.build(windows), until=10.0, integrator=integrator)
    x, _ = n_four_bar.one_pendulum(windows, result.t)
    assert result.complete
    assert result.energy_drift < 1e-5
    assert result["top.x"] == pytest.approx(x, abs=1e-3)


def test_forty_four_bars_run_their_ten_seconds():
    result = vc.simulate(n_four_bar.build(40), until=10.0, integrator=vc.DormandPrince(rtol=1e-8, atol=1e-9))
    x, y = n_four_bar.one_pendulum(40, result.t)
    assert result.complete
    assert result["top.x"] == pytest.approx(x, abs=1e-4)
    assert result["top.y"] == pytest.approx(y, abs=1e-4)


def test_bricard_mechanism_meets_its_table():
    result = run(bricard.build(), SECONDS)
    assert result.point("third pin")[1:] == pytest.approx(np.array(BRICARD), abs=2e-6)


def test_governor_meets_its_table():
    result = run(flyball_governor.build(), list(GOVERNOR), vc.DormandPrince(rtol=1e-8, atol=1e-9))
    assert result["slider.y"][1:] == pytest.approx(np.array(list(GOVERNOR.values())), abs=2e-6)


@pytest.mark.parametrize("planar", [True, False])
def test_squeezer_meets_all_angles_and_rates_of_the_test_set(planar):
    result = vc.simulate(andrews_squeezer.build(planar), until=0.03, integrator=TIGHT)
    angles, rates = andrews_squeezer.angles_and_rates(result)
    assert angles[0] == pytest.approx(15.8107711963, rel=1e-7)
    assert angles == pytest.approx(np.array(andrews_squeezer.ANGLES), rel=1e-7)
    # the crank's 1140 rad/s turn an error of 1e-9 rad into 1e-6 of the rates of the slow links
    assert rates == pytest.approx(np.array(andrews_squeezer.RATES), rel=1e-6, abs=1e-6 * 1140)


# t: z of arm, strut, tie rod; wheel x, y, z; wheel speed along z
MCPHERSON = {
    0.05: (-0.016998, 0.183743, 0.085145, 0.451425, -0.410065, 0.041201, 0.33650),
    0.1: (-0.012670, 0.192153, 0.089510, 0.451188, -0.409723, 0.050260, 0.00889),
    0.2: (-0.026104, 0.166077, 0.075982, 0.451943, -0.410059, 0.022062, -0.44640),
    0.3: (-0.039249, 0.140623, 0.062805, 0.452709, -0.408289, -0.005749, 0.01431),
    0.4: (-0.024925, 0.168361, 0.077166, 0.451875, -0.410116, 0.024544, 0.46439),
    0.5: (-0.010957, 0.195486, 0.091240, 0.451096, -0.409527, 0.053841, -0.00134),
    1.0: (-0.024410, 0.169360, 0.077684, 0.451846, -0.410135, 0.025629, -0.45641),
    2.0: (-0.023860, 0.170426, 0.078237, 0.451814, -0.410153, 0.026786, 0.45799),
    3.0: (-0.024215, 0.169739, 0.077881, 0.451834, -0.410142, 0.026041, -0.45757),
    5.0: (-0.024214, 0.169740, 0.077882, 0.451834, -0.410142, 0.026042, -0.45757),
}


def test_mcpherson_suspension_meets_its_table_by_two_integrators():
    columns = ("arm.z", "strut.z", "tie rod.z", "wheel.x", "wheel.y", "wheel.z", "wheel.vz")
    first, second = (
        np.column_stack([result[name][1:] for name in columns])
        for result in (run(mcpherson.build(), list(MCPHERSON), vc.DormandPrince(rtol=1e-9, atol=1e-11)),
                       run(mcpherson.build(), list(MCPHERSON), vc.DOP853(rtol=1e-10, atol=1e-12))))
    table = np.array(list(MCPHERSON.values()))
    assert first == pytest.approx(second, abs=1e-8)
    assert first[:, :6] == pytest.approx(table[:, :6], abs=2e-6)
    assert first[:, 6] == pytest.approx(table[:, 6], abs=1e-5)  # five decimals


def test_spatial_double_pendulum_follows_lagrange():
    result = vc.simulate(spatial_double_pendulum.build(), until=5.0, outputs=100, integrator=TIGHT)
    first, second = spatial_double_pendulum.reference(result.t)
    assert result.point("first") == pytest.approx(first, abs=1e-9)
    assert result.point("second") == pytest.approx(second, abs=1e-9)
