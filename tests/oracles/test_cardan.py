"""Cardan joints against the numbers of Vita's thesis (2005) as worked out in closed form, and against the same joint as
a multibody model: motion, statics, dynamics, friction, efficiency."""

import numpy as np
import pytest

import vincolo as vc
from vincolo import cardan, dual
from vincolo.dual import Dual, DualInertia

RPM = 2 * np.pi / 60
DEGREE = np.pi / 180
#: link angles with errors, and the input, of the general check
GENERAL = [Dual(1.5, 0.3), Dual(1.7, -0.2), Dual(1.45, 0.15), Dual(0.3, 0.25)]
STUDY = cardan.Cardan(15 * DEGREE, friction=0.005)
ERRORS = {"angle_errors": (0.006 * DEGREE, 0.006 * DEGREE, 0.006 * DEGREE, 0.0), "offset_errors": 5e-4}
LARGE = {"angle_errors": (0.002, -0.001, 0.003, 0), "offset_errors": (5e-4, 3e-4, -4e-4, 5e-4)}
INERTIAS = ([[0.01925, 0, 0], [0, 0.00025, -0.00103], [0, -0.00103, 0.01918]], np.diag([6e-6, 6e-6, 2e-6]),
            np.diag([0.01215, 0.01215, 0.000184]))
#: static moments of the thesis's table, read as components, and as moments about the axes
READINGS = {"components": ((0.119813, 0.008020, 0.11954), (0.000387, 0.000387, 0), (0.08778, 0.08778, 0)),
            "about axes": ((0, 0.11954, 0.00802), (0, 0, 0.000387), (0, 0, 0.08778))}


def links(reading):
    return tuple(DualInertia(m, np.array(S, float), np.array(J, float))
                 for m, S, J in zip((0.936, 0.0456, 0.936), READINGS[reading], INERTIAS, strict=True))


@pytest.mark.parametrize(("branch", "expected"), [
    (1, ((1.47924851, -0.434790204), (1.42568108, -0.450626876), (0.749937519, -0.25713652))),
    (-1, ((-1.86727304, -0.0950067545), (-1.42568108, 0.450626876), (-2.16712285, -0.705005836)))])
def test_both_branches_of_the_general_linkage(branch, expected):
    found = cardan.positions(GENERAL, Dual(0.7, 0.4), branch).theta[1:]
    for angle, (real, part) in zip(found, expected, strict=True):
        assert angle.isclose(Dual(real, part), 5e-9)
    A = dual.identity()
    for theta, alpha in zip((Dual(0.7, 0.4), *found), GENERAL, strict=True):
        A = A @ dual.denavit_hartenberg(theta, alpha)
    assert A.isclose(np.eye(3), 1e-14)


@pytest.mark.parametrize(("angle", "expected"), [
    (15, (1.491776806, 1.320945647, 1.260868026)), (135, (-1.283454485, 0.829119957, -1.158413148))])
def test_the_ideal_joint_has_its_closed_law(angle, expected):
    alpha = [np.pi / 2] * 3 + [angle * DEGREE]
    found = cardan.positions(alpha, 0.3).theta
    assert [float(t.real) for t in found[1:]] == pytest.approx(expected, abs=1e-9)
    turn = np.linspace(0.05, 6.2, 77)
    assert np.tan(turn) * np.tan(cardan.positions(alpha, turn).theta[3].real) == pytest.approx(np.cos(angle * DEGREE))


def test_velocities_are_those_of_the_check_and_accelerations_their_slopes():
    theta = cardan.positions(GENERAL, Dual(0.7, 0.4)).theta
    v = cardan.velocities(GENERAL, theta, 1.3)
    for rate, expected in zip(v[1:], ((-0.266857677, -0.152642764), (0.253439447, 0.336064606),
                                      (-1.31460969, -0.0381321489)), strict=True):
        assert rate.isclose(Dual(*expected), 5e-9)
    w = cardan.accelerations(GENERAL, theta, v, 0.9)
    h = 1e-5
    places = {t: cardan.positions(GENERAL, Dual(0.7 + 1.3 * t + 0.45 * t * t, 0.4)).theta for t in (-h, h)}
    ends = [cardan.velocities(GENERAL, place, 1.3 + 0.9 * t) for t, place in places.items()]
    for k in range(4):
        assert ((ends[1][k] - ends[0][k]) / (2 * h)).isclose(w[k], 1e-8)


def test_the_closed_form_agrees_with_the_general_loop():
    loop = dual.Loop({"A": "revolute", "B": "cylindrical", "C": "cylindrical", "D": "cylindrical"},
                     [dual.rotation_x(a) for a in GENERAL])
    turn = np.linspace(0, 2 * np.pi, 25)
    theta = cardan.positions(GENERAL, turn).theta
    found = loop.close({"A.angle": turn}, {f"{n}.angle": t.real for n, t in zip("BCD", theta[1:], strict=True)})
    for name, t in zip("BCD", theta[1:], strict=True):
        assert Dual(found[f"{name}.angle"], found[f"{name}.travel"]).isclose(t, 1e-11)


@pytest.mark.parametrize(("change", "expected"), [({}, 0.99458), (ERRORS, 0.99294), ({"angle": 5 * DEGREE}, 0.99821)])
def test_static_efficiency_of_the_study(change, expected):
    turn = cardan.work(STUDY.with_(**change), 1500 * RPM, input_torque=100.0)
    assert turn.mean_efficiency == pytest.approx(expected, abs=6e-6)
    assert np.abs(turn.balance).max() < 1e-9 * np.abs(turn.power_in).max()
    assert (turn.power_out / turn.power_in) == pytest.approx(turn.efficiency, abs=1e-12)


@pytest.mark.parametrize(("reading", "expected"), [
    ("components", (0.99006, 0.98866, 0.97913, 0.99255)), ("about axes", (0.99358, 0.99200, 0.98892, 0.99607))])
def test_efficiency_with_inertia_for_both_readings_of_the_table(reading, expected):
    joint = STUDY.with_(links=links(reading))
    cases = ((joint, 1500), (joint.with_(**ERRORS), 1500), (joint, 2500), (joint.with_(angle=5 * DEGREE), 1500))
    for (case, rpm), value in zip(cases, expected, strict=True):
        turn = cardan.work(case, rpm * RPM, input_torque=100.0)
        assert turn.mean_efficiency == pytest.approx(value, abs=1.1e-5)
        assert np.abs(turn.balance).max() < 1e-9 * np.abs(turn.power_in).max()


def test_without_friction_the_output_torque_follows_the_speed_and_errors_do_nothing():
    turn = cardan.work(cardan.Cardan(15 * DEGREE), 10.0, input_torque=100.0)
    assert (turn.output_torque.min(), turn.output_torque.max()) == pytest.approx((96.5926, 103.5276), abs=5e-5)
    wrong = cardan.work(cardan.Cardan(15 * DEGREE, **ERRORS), 10.0, input_torque=100.0)
    assert max(np.abs(R.real).max() for R in wrong.reactions) < 1e-10  # pure torques cause no forces


def test_reactions_with_friction_keep_the_closed_forms_of_statics():
    """Vita's equations (6.30): all reactions from those along the axes of joints 1 to 3, force and moment in one."""
    joint = STUDY.with_(**LARGE)
    turn = cardan.work(joint, 10.0, input_torque=100.0, at=np.linspace(0.2, 6, 30))
    (c1, s1), (c2, s2), (c3, s3) = ((np.cos(a), np.sin(a)) for a in joint.alpha[:3])
    (ct1, st1), (ct2, st2), (ct3, st3) = ((np.cos(t), np.sin(t)) for t in turn.theta[:3])
    (x1, y1, z1), (x2, y2, z2), (x3, y3, z3), (x4, y4, z4) = ([R[:, k] for k in range(3)] for R in turn.reactions)
    den = s1 * s2 * st2
    gaps = [
        x1 - ((ct1 * s2 * ct2 - s2 * st2 * c1 * st1) * z1 + (s2 * st1 * st2 - ct1 * ct2 * c1 * s2 - ct1 * c2 * s1) * z2
              + ct1 * s1 * z3) / den,
        y1 - ((ct1 * st2 * c1 * s2 + st1 * s2 * ct2) * z1
              - (st1 * s2 * ct2 * c1 + s1 * st1 * c2 + s2 * st2 * ct1) * z2 + st1 * s1 * z3) / den,
        x2 - (s2 * ct2 * z1 - (s1 * c2 + s2 * ct2 * c1) * z2 + s1 * z3) / den, y2 - (z1 - c1 * z2) / s1,
        x3 - (s2 * z1 - (s1 * ct2 * c2 + s2 * c1) * z2 + ct2 * s1 * z3) / den, y3 - (z2 - c2 * z3) / s2,
        x4 - (ct3 * s2 * z1 - (ct3 * ct2 * s1 * c2 + ct3 * s2 * c1 - st3 * s1 * st2) * z2
              - (st3 * st2 * c2 - ct3 * ct2) * s1 * z3) / den,
        y4 - (-s2 * c3 * st3 * z1 + (c3 * st3 * ct2 * s1 * c2 + c3 * st3 * s2 * c1 + c3 * ct3 * s1 * st2) * z2
              - (c3 * st3 * ct2 + c3 * ct3 * st2 * c2 - s3 * s2 * st2) * s1 * z3) / den,
        z4 - (s3 * st3 * s2 * z1 - (ct2 * st3 * s1 * c2 * s3 + st2 * ct3 * s1 * s3 + st3 * c1 * s2 * s3) * z2
              + (ct2 * st3 * s3 + st2 * ct3 * c2 * s3 + st2 * s2 * c3) * s1 * z3) / den]
    assert all(gap.isclose(0.0, 1e-10) for gap in gaps)


@pytest.mark.parametrize(("friction", "expected"), [(0.042, 0.953), (0.1, 0.871), (0.2, 0.662), (0.42, 0.056)])
def test_the_bench_with_its_bearings_loses_nearly_all_at_the_printed_friction(friction, expected):
    turn = cardan.work(cardan.Cardan(165 * DEGREE, friction=friction), 6.0, input_torque=0.2)
    assert turn.mean_efficiency == pytest.approx(expected, abs=0.003)


def test_kinetic_power_is_the_slope_of_the_energy():
    joint = cardan.Cardan(0.5, links=links("about axes"), **ERRORS)
    h = 1e-4
    at = np.array([1.1 - h, 1.1, 1.1 + h])
    speed = 7.0 + 3.0 * (at - 1.1) / 7.0  # with an acceleration of 3 rad/s2
    turn = cardan.work(joint, speed, input_torque=1.0, at=at, acceleration=3.0)
    energies = np.zeros(3)
    V = Dual(np.zeros((3, 3)))
    for k in range(3):
        A = dual.denavit_hartenberg(turn.theta[k], joint.alpha[k]).T
        V = (A @ (V + turn.rates[k][..., None] * np.array([0, 0, 1.0]))[..., None])[..., 0]
        energies += joint.links[k].energy(V)
    slope = (energies[2] - energies[0]) / (2 * h / 7.0)
    assert turn.kinetic_power[1] == pytest.approx(slope, rel=1e-6)


SOLID = (DualInertia.of(0.936, (0, 0.05, 0.02), (0.01, 0.008, 0.012)),
         DualInertia.of(0.0456, (0, 0.002, 0.003), (6e-6, 6e-6, 6e-6)),
         DualInertia.of(0.936, (0.01, 0, 0.09), (0.006, 0.006, 0.0003)))


@pytest.mark.parametrize("errors", [{}, LARGE])
@pytest.mark.parametrize("inertia", [None, SOLID])
def test_the_multibody_model_has_the_same_motion_friction_and_efficiency(errors, inertia):
    joint = cardan.Cardan(15 * DEGREE, friction=0.005, links=inertia, **errors)
    seen = cardan.rubbed_turn(joint, 1500 * RPM, 100.0, count=36)
    turn = cardan.work(joint, 1500 * RPM, output_torque=100.0, at=np.arange(37) * (2 * np.pi / 36))
    assert turn.output_torque == pytest.approx(100.0, rel=1e-12)
    for k, name in enumerate(("input", "pin 1", "pin 2", "output")):
        assert seen.result[f"{name}.angle.rate"] == pytest.approx(turn.rates[k].real, abs=1e-9)
        assert seen.result[f"{name}.angle.acceleration"] == pytest.approx(turn.accelerations[k].real, abs=1e-7)
    assert seen.input_torque == pytest.approx(turn.input_torque, abs=1e-9)
    assert seen.friction == pytest.approx(turn.friction, abs=1e-10)
    assert seen.axial_friction == pytest.approx(turn.axial_friction, abs=1e-8)
    assert seen.efficiency == pytest.approx(turn.efficiency, abs=1e-12)


def test_the_model_closes_to_ten_digits_over_a_turn():
    joint = cardan.Cardan(40 * DEGREE, angle_errors=(0.01, -0.02, 0.015, 0), offset_errors=(1e-3, 2e-3, -1e-3, 5e-4))
    model = cardan.cardan_model(joint)
    model.drive("input.angle", "t")
    turn = np.linspace(0, 2 * np.pi, 73)
    seen = vc.kinematics(model, outputs=turn)
    theta = cardan.positions(joint.alpha, turn).theta
    for k, name in ((1, "pin 1"), (2, "pin 2"), (3, "output")):
        assert np.abs(np.sin(0.5 * (seen[f"{name}.angle"] - theta[k].real))).max() < 1e-10  # up to whole turns
        assert np.abs(seen[f"{name}.travel"] - theta[k].dual).max() < 1e-10


def test_a_double_joint_is_homokinetic_and_a_twisted_one_is_not():
    one = cardan.Cardan(20 * DEGREE, friction=0.005)
    good = cardan.DoubleCardan(one, one).work(100.0, input_torque=50.0)
    assert good.speed_ratio == pytest.approx(1.0, abs=1e-12)
    assert good.mean_efficiency == pytest.approx(one_alone(one) ** 2, abs=3e-5)
    bad = cardan.DoubleCardan(one, one, twist=np.pi / 2).work(100.0, input_torque=50.0)
    c = np.cos(20 * DEGREE)
    assert (bad.speed_ratio.min(), bad.speed_ratio.max()) == pytest.approx((c**2, 1 / c**2), rel=1e-6)


def one_alone(joint):
    return cardan.work(joint, 100.0, input_torque=50.0).mean_efficiency


def test_efficiency_falls_with_angle_and_with_speed():
    joint = STUDY.with_(links=links("about axes"))
    speeds, angles = [1500 * RPM, 2500 * RPM], [5 * DEGREE, 15 * DEGREE]
    found = cardan.efficiency_map(joint, speeds, angles, input_torque=100.0, positions=90)
    assert found.shape == (2, 2) and (np.diff(found, axis=0) < 0).all() and (np.diff(found, axis=1) < 0).all()
    assert found[0, 1] == pytest.approx(0.99358, abs=2e-5)
