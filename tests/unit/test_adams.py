"""Datasets of Adams Solver: what statements become, units, signs, and the models of Oldani (2010)."""

import math

import numpy as np
import pytest

import vincolo as vc
from adams_datasets import GROUND, SI, part, reader

G = 9.80665

#: the slider-crank of Oldani (2010), appendix A.2, in the digits of his C++ listing
SLIDER_CRANK = """ADAMS/View model name: model_1
!
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
!                            adams_view_name='ground'
PART/1, GROUND
MARKER/10, PART = 1
MARKER/19, PART = 1
MARKER/16, PART = 1, QP = 2.73895, 0, 0, REULER = 270D, 90D, 180D
!                            adams_view_name='PART_2'
PART/2, MASS = 1, CM = 20, IP = 0.1, 0.1, 0.1
MARKER/20, PART = 2, QP = 0.353553390593274, 0.353553390593274, 0
MARKER/18, PART = 2
MARKER/8, PART = 2, QP = 0.707106781186547, 0.707106781186547, 0
MARKER/11, PART = 2
PART/3, MASS = 2, CM = 21, IP = 0.2, 0.2, 0.2
MARKER/21, PART = 3, QP = 1.64252113,0.353553390593274, 0
MARKER/9, PART = 3, QP = 0.707106781186547, 0.707106781186547, 0
MARKER/14, PART = 3, QP = 2.577935476, 0, 0
PART/4, MASS = 4, CM = 22, IP = 0.3, 0.3, 0.3
MARKER/22, PART = 4, QP = 2.73895, 0, 0
MARKER/15, PART = 4, QP = 2.577935476, 0, 0
MARKER/17, PART = 4, QP = 2.73895, 0, 0, REULER = 270D, 90D, 180D
JOINT/1, SPHERICAL, I = 8, J = 9
JOINT/2, SPHERICAL, I = 10, J = 11
JOINT/3, SPHERICAL, I = 14, J = 15
JOINT/4, CYLINDRICAL, I = 16, J = 17
SFORCE/1, ROTATIONAL, ACTIONONLY, I = 18, J = 19, FUNCTION = -10
ACCGRAV/JGRAV = -9.80665
INTEGRATOR/CONSTANT_BDF, HINIT = 5.0E-004
OUTPUT/REQSAVE, GRSAVE
REQUEST/1, DISPLACEMENT, I=20, J=10
END
"""

#: the McPherson suspension of Oldani (2010), with the points and axes of his C++ listing and the shaker of appendix A.4
MCPHERSON = """ADAMS/View model name: mcpherson
!
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
!                            adams_view_name='ground'
PART/1, GROUND
MARKER/57, PART = 1, QP = 0.27, -5.0E-003, -1.0E-002, REULER = 88.9390883097D, 92.1207331226D, 0D
MARKER/77, PART = 1, QP = 0.47, 6.0E-002, 9.0E-002
MARKER/93, PART = 1, QP = 0.452, -0.41, -0.43, REULER = 0D, 180D, 0D
MARKER/99, PART = 1, QP = 0.46, -0.18, 0.47
!                            adams_view_name='Lower_arm'
PART/7, MASS = 4.6, CM = 87, IM = 87, IP = 0.1, 0.1, 0.1
MARKER/87, PART = 7, QP = 0.4162012549, -0.168540764, -2.7081527958E-002
MARKER/58, PART = 7, QP = 0.27, -5.0E-003, -1.0E-002, REULER = 88.9390883097D, 92.1207331226D, 0D
MARKER/73, PART = 7, QP = 0.45, -0.33, -4.0E-002
!                            adams_view_name='Snodo'
PART/13, MASS = 1, CM = 103, IM = 103, IP = 0.1, 0.1, 0.1
MARKER/103, PART = 13, QP = 0.46, -0.18, 0.47, REULER = 270D, 90D, 90D
MARKER/100, PART = 13, QP = 0.46, -0.18, 0.47
MARKER/101, PART = 13, QP = 0.46, -0.18, 0.47, ZP = 0.47, -0.03, 0.98
MARKER/104, PART = 13, QP = 0.46, -0.18, 0.47
!                            adams_view_name='Steering_Rod'
PART/9, MASS = 12.1, CM = 89, IM = 89, IP = 0.25, 0.25, 0.25
MARKER/89, PART = 9, QP = 0.4630090362, -0.2796688292, 0.1641816967
MARKER/102, PART = 9, QP = 0.46, -0.18, 0.47, ZP = 0.47, -0.03, 0.98
MARKER/74, PART = 9, QP = 0.45, -0.33, -4.0E-002
MARKER/105, PART = 9, QP = 0.45, -0.33, -4.0E-002
MARKER/76, PART = 9, QP = 0.56, -0.3, 6.0E-002
MARKER/83, PART = 9, QP = 0.452, -0.41, 2.0E-002, ZP = 1.452, -0.41, 2.0E-002, XP = 0.452, 1, 2.0E-002
!                            adams_view_name='Wheel'
PART/5, QG = 0, 0.1, 0, MASS = 25, CM = 45, IM = 45, IP = 0.1, 0.1, 0.1
MARKER/45, PART = 5, QP = 0.452, -0.51, 2.0E-002
MARKER/95, PART = 5, QP = 0.452, -0.51, 2.0E-002
MARKER/84, PART = 5, QP = 0.452, -0.51, 2.0E-002, ZP = 1.452, -0.51, 2.0E-002, XP = 0.452, 1, 2.0E-002
!                            adams_view_name='Tie_Rod'
PART/10, MASS = 1, CM = 90, IM = 90, IP = 0.1, 0.1, 0.1
MARKER/90, PART = 10, QP = 0.515, -0.12, 7.5E-002
MARKER/75, PART = 10, QP = 0.56, -0.3, 6.0E-002
MARKER/78, PART = 10, QP = 0.47, 6.0E-002, 9.0E-002
!                            adams_view_name='PART_12'
PART/12, MASS = 1.0E-002, CM = 97, IP = 1.0E-004, 1.0E-004, 1.0E-004
MARKER/97, PART = 12, QP = 0.452, -0.41, -0.43
MARKER/94, PART = 12, QP = 0.452, -0.41, -0.43, REULER = 0D, 180D, 0D
MARKER/96, PART = 12, QP = 0.452, -0.41, -0.33
JOINT/10, REVOLUTE, I = 57, J = 58
JOINT/19, TRANSLATIONAL, I = 93, J = 94
JOINT/14, SPHERICAL, I = 73, J = 74
JOINT/20, SPHERICAL, I = 99, J = 100
JOINT/15, SPHERICAL, I = 75, J = 76
JOINT/16, SPHERICAL, I = 77, J = 78
JOINT/21, CYLINDRICAL, I = 101, J = 102
JOINT/18, REVOLUTE, I = 83, J = 84
MOTION/1, JOINT = 19, FUNCTION = 0.03*SIN(5*PI*TIME)
!                            adams_view_name='SPRING_1'
SPRINGDAMPER/1, I = 104, J = 105, TRANSLATIONAL
, K = 4.22E+004, C = 2.7E+003, LENGTH = 0.4815
!                            adams_view_name='TYRE'
SFORCE/2, TRANSLATIONAL, I = 95, J = 96
, FUNCTION = -2.0E+005*(DM(95,96) - 0.35)
, - 8.0E+004*VR(95,96)
ACCGRAV/KGRAV = -9.80665
END
"""


@pytest.fixture
def read(tmp_path):
    return reader(tmp_path)


# published models


def test_slider_crank_of_oldani_meets_the_closed_solution(read):
    """Values of a solution with one coordinate, at 0, 0.5, 1 and 1.5 s; angular acceleration -3.493518 rad/s2."""
    document = read(SLIDER_CRANK, "")
    result = document.run(until=1.5, outputs=3, integrator=vc.DormandPrince(rtol=1e-10, atol=1e-12))
    offset = 2.73895 - 2.577935476  # of the slider's centre of mass from its pin
    assert result["PART_4.x"] - offset == pytest.approx([2.577935, 2.995617274, 1.366432819, 2.181904025], abs=1e-6)
    assert result["PART_2.wz"] == pytest.approx([0, -5.816504788, -5.289660569, -3.851961368], abs=1e-6)
    assert document.start().solve().acceleration[0, 5] == pytest.approx(-3.493518, abs=1e-6)
    assert vc.mobility(document.model).dof == 5  # the three parts may spin about their own lines
    assert document.settings.method.startswith("CONSTANT_BDF")


WHEEL = {0.05: (0.451425, -0.410065, 0.041201, 0.33650), 0.1: (0.451188, -0.409723, 0.050260, 0.00889),
         0.2: (0.451943, -0.410059, 0.022062, -0.44640), 0.3: (0.452709, -0.408289, -0.005749, 0.01431),
         0.5: (0.451096, -0.409527, 0.053841, -0.00134)}


def test_mcpherson_suspension_of_oldani_meets_its_table(read):
    result = read(MCPHERSON, "").run(until=0.5, outputs=10, integrator=vc.DormandPrince(rtol=1e-9, atol=1e-11))
    for t, (x, y, z, vz) in WHEEL.items():
        k = round(t / 0.05)
        found = [result[f"Wheel.{name}"][k] for name in ("x", "y", "z")]
        assert found == pytest.approx([x, y, z], abs=1e-6), t
        assert result["Wheel.vz"][k] == pytest.approx(vz, abs=1e-5), t


# units


def test_the_same_model_in_millimetres_and_milliseconds_moves_alike(read):
    text = (GROUND + part(2, (0.3, 0, 0.1)) + "MARKER/21, PART=2, QP=0, 0, 0, REULER=0, 90D, 0\n"
            "MARKER/2, PART=1, REULER=0, 90D, 0\nMARKER/3, PART=1, QP=0.5, 0.2, 0.4\n"
            "JOINT/1, REVOLUTE, I=21, J=2\n"
            "SPRINGDAMPER/1, I=20, J=3, TRANSLATIONAL, K=300, C=4, LENGTH=0.2, FORCE=5\n"
            "SPRINGDAMPER/2, I=21, J=2, ROTATIONAL, KT=7, CT=0.3, ANGLE=10D, TORQUE=0.5\n"
            "SFORCE/1, ROTATIONAL, I=21, J=2, FUNCTION=STEP(TIME, 0.1, 0, 0.3, 2) - 0.1*WZ(21,2,2)\n"
            "SFORCE/2, TRANSLATIONAL, I=20, J=3, FUNCTION=3*(DM(20,3)-0.4) + 0.2*VR(20,3)\n"
            "ACCGRAV/KGRAV=-9.80665\nEND\n")
    small = (GROUND + part(2, (300, 0, 100), 2000.0, "3E+08, 4E+08, 5E+08")  # g, mm, ms, N
             + "MARKER/21, PART=2, QP=0, 0, 0, REULER=0, 90D, 0\n"
             "MARKER/2, PART=1, REULER=0, 90D, 0\nMARKER/3, PART=1, QP=500, 200, 400\n"
             "JOINT/1, REVOLUTE, I=21, J=2\n"
             "SPRINGDAMPER/1, I=20, J=3, TRANSLATIONAL, K=0.3, C=4, LENGTH=200, FORCE=5\n"
             "SPRINGDAMPER/2, I=21, J=2, ROTATIONAL, KT=7000, CT=3E+05, ANGLE=10D, TORQUE=500\n"
             "SFORCE/1, ROTATIONAL, I=21, J=2, FUNCTION=STEP(TIME, 100, 0, 300, 2000) - 1E+05*WZ(21,2,2)\n"
             "SFORCE/2, TRANSLATIONAL, I=20, J=3, FUNCTION=0.003*(DM(20,3)-400) + 0.2*VR(20,3)\n"
             "ACCGRAV/KGRAV=-9.80665E-03\nEND\n")
    want = read(SI + text).run(until=0.5, outputs=10)
    found = read("UNITS/FORCE=NEWTON, MASS=GRAM, LENGTH=MILLIMETER, TIME=MILLISECOND\n" + small).run(
        until=0.5, outputs=10)
    assert np.ptp(want["JOINT_1.angle"]) > 0.3
    for name in ("JOINT_1.angle", "PART_2.x", "PART_2.wy"):
        assert found[name] == pytest.approx(want[name], rel=1e-9, abs=1e-9)


def test_pounds_and_inches_are_converted(read):
    document = read("UNITS/SYSTEM=IPS\n" + GROUND + part(2, (10, 0, 0), mass=1.0) + "ACCGRAV/KGRAV=-386.0886\n")
    assert document.model.bodies["PART_2"].mass == pytest.approx(175.126835)  # 1 lbf s2/in
    assert document.model.gravity[2] == pytest.approx(-G, rel=1e-6)
    assert document.model.bodies["PART_2"].at.tolist() == pytest.approx([0.254, 0, 0])


# parts and markers


def test_products_of_inertia_are_positive_integrals_about_the_marker_im(read):
    """Two point masses, at (0.3, 0.1, 0) and (-0.1, 0.2, 0.4) from IM, whose axes are turned: everything by hand."""
    masses, points = (1.5, 2.5), np.array([[0.3, 0.1, 0.0], [-0.1, 0.2, 0.4]])
    lumps = list(zip(masses, points, strict=True))
    xx, yy, zz = (float(sum(m * (p @ p - p[k]**2) for m, p in lumps)) for k in range(3))
    xy, xz, yz = (float(sum(m * p[i] * p[j] for m, p in lumps)) for i, j in ((0, 1), (0, 2), (1, 2)))
    R = vc.Rotation.euler("ZXZ", 0.4, 1.1, -0.6).matrix
    im = np.array([0.2, -0.3, 0.5])
    placed = im + points @ R.T  # in the axes of the part
    com = (masses[0] * placed[0] + masses[1] * placed[1]) / 4.0
    text = (f"PART/2, MASS=4.0, CM=20, IM=21, IP={xx!r}, {yy!r}, {zz!r}, {xy!r}, {xz!r}, {yz!r}\n"
            f"MARKER/20, PART=2, QP={', '.join(map(repr, com.tolist()))}\n"
            "MARKER/21, PART=2, QP=0.2, -0.3, 0.5, REULER=0.4, 1.1, -0.6\n")
    body = read(SI + GROUND + text).model.bodies["PART_2"]
    levers = placed - com
    want = sum(m * ((p @ p) * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, levers, strict=True))
    assert body.inertia == pytest.approx(want, abs=1e-12)
    assert body.at == pytest.approx(com)


def test_positions_angles_and_velocities_of_a_part(read):
    text = ("PART/2, QG=1, 2, 3, REULER=90D, 0, 0, MASS=2, CM=20, IP=1, 1, 1, VX=0.5, WZ=2\n"
            "MARKER/20, PART=2, QP=0.1, 0, 0, REULER=0, 90D, 0\nMARKER/21, PART=2, QP=0.3, 0, 0\n")
    state = read(SI + GROUND + text).start()
    assert [state[f"PART_2.{x}"] for x in "xyz"] == pytest.approx([1, 2.1, 3])
    assert [state[f"MARKER_21.{x}"] for x in "xyz"] == pytest.approx([1, 2.3, 3])
    spin = np.array([2.0, 0, 0])  # z of CM is -y of the part, which is x of the world
    assert [state[f"PART_2.w{x}"] for x in "xyz"] == pytest.approx(spin)
    assert [state[f"PART_2.v{x}"] for x in "xyz"] == pytest.approx([0.5, 0, 0])


def test_markers_by_points_on_their_axes(read):
    text = ("MARKER/2, PART=1, QP=1, 0, 0, ZP=1, 5, 0, XP=0, 3, 0\n"
            "MARKER/3, PART=1, QP=1, 0, 0, ZP=1, 5, 0.5, XP=0, 0, 0, USEXP\n")
    frames = read(SI + GROUND + text + part(2)).model.frames
    axes = frames["MARKER_2"].drawn_axes
    assert axes == pytest.approx(np.array([[-1, 0, 0], [0, 0, 1], [0, 1, 0]]), abs=1e-12)
    x, y, z = frames["MARKER_3"].drawn_axes.T
    assert x == pytest.approx([-1, 0, 0]) and z == pytest.approx(np.array([0, 5, 0.5]) / math.hypot(5, 0.5))
    assert np.cross(x, y) == pytest.approx(z)


# joints and motions


FREEDOMS = {"JOINT/1, REVOLUTE": 1, "JOINT/1, TRANSLATIONAL": 1, "JOINT/1, CYLINDRICAL": 2, "JOINT/1, SPHERICAL": 3,
            "JOINT/1, FIXED": 0, "JOINT/1, PLANAR": 3, "JOINT/1, CONVEL": 2, "JOINT/1, HOOKE": 2,
            "JOINT/1, SCREW, PITCH=0.1": 5, "JPRIM/1, INLINE": 4, "JPRIM/1, INPLANE": 5, "JPRIM/1, ORIENTATION": 3,
            "JPRIM/1, PARALLEL_AXES": 4, "JPRIM/1, PERPENDICULAR": 5, "JPRIM/1, ATPOINT": 3, "JOINT/1, REV": 1,
            "JOINT/1, TRANS": 1, "JOIN/1, SPH": 3}


@pytest.mark.parametrize(("words", "freedom"), FREEDOMS.items())
def test_joints_leave_the_freedom_they_should(read, words, freedom):
    turned = ", REULER=0, 90D, 0" if "PERPENDICULAR" in words else ""
    text = f"MARKER/21, PART=2{turned}\n{words}, I=21, J=1\n"
    assert vc.mobility(read(SI + GROUND + part(2, (0.3, 0.1, 0.2)) + text).model).dof == freedom


def test_a_hooke_joint_turns_about_x_of_i_and_y_of_j(read):
    text = "MARKER/21, PART=2\nJOINT/1, HOOKE, I=21, J=1\n"
    joint = read(SI + GROUND + part(2, (0.3, 0.1, 0.2)) + text).model.joints["JOINT_1"]
    assert joint.a.body.is_ground
    assert joint.a.drawn_axes[:, 2] == pytest.approx([0, 1, 0])
    assert joint.b.drawn_axes[:, 2] == pytest.approx([1, 0, 0])


def test_a_screw_moves_by_its_pitch_per_turn(read):
    text = ("MARKER/21, PART=2\nJOINT/1, CYLINDRICAL, I=21, J=1\nJOINT/2, SCREW, I=21, J=1, PITCH=0.05\n"
            "MOTION/1, JOINT=1, ROTATION, FUNCTION=2*PI*TIME\n")
    document = read(SI + GROUND + part(2) + text)
    assert vc.kinematics(document.system, until=3, outputs=3)["PART_2.z"] == pytest.approx([0, 0.05, 0.1, 0.15],
                                                                                           abs=1e-9)


def test_displacements_are_those_of_i_seen_from_j(read):
    """The same hinge written with its markers exchanged turns the part the other way."""
    text = GROUND + part(2) + "MARKER/21, PART=2\nJOINT/1, REVOLUTE, {}\nMOTION/1, JOINT=1, FUNCTION=30D*TIME\n"
    for order, sign in (("I=21, J=1", 1), ("I=1, J=21", -1)):
        result = vc.kinematics(read(SI + text.format(order)).system, until=1, outputs=1)
        assert result["PART_2.wz"][-1] == pytest.approx(sign * math.radians(30), abs=1e-9)


def test_motions_of_velocity_and_acceleration_begin_where_they_say(read):
    text = GROUND + part(2) + "MARKER/21, PART=2\nJOINT/1, TRANSLATIONAL, I=21, J=1\n"
    first = read(SI + text + "MOTION/1, JOINT=1, VELOCITY, ICDISP=0.2, FUNCTION=3*TIME\n").run(until=1, outputs=1)
    second = read(SI + text + "MOTION/1, JOINT=1, ACCELERATION, ICDISP=0.2, ICVEL=0.5, FUNCTION=3\n").run(
        until=1, outputs=1)
    assert first["PART_2.z"] == pytest.approx([0.2, 0.2 + 1.5], abs=1e-6)
    assert second["PART_2.z"] == pytest.approx([0.2, 0.2 + 0.5 + 1.5], abs=1e-6)


def test_markers_are_led_along_axes(read):
    text = GROUND + part(2) + "MOTION/1, I=20, J=1, X, FUNCTION=0.1*TIME**2\n"
    assert read(SI + text).run(until=2, outputs=1)["PART_2.x"][-1] == pytest.approx(0.4, abs=1e-8)


def test_joints_begin_with_their_initial_conditions(read):
    text = (GROUND + part(2) + "MARKER/21, PART=2\nJOINT/1, CYLINDRICAL, I=21, J=1, ICROT=30D, 2, ICTRAN=0.3, -1\n"
            "MARKER/2, PART=1, QP=1, 0, 0\nMARKER/31, PART=3, QP=1, 0, 0\n" + part(3, (1.2, 0, 0))
            + "JOINT/2, REVOLUTE, I=31, J=2, IC=-10D\n")
    start = read(SI + text).start()
    names = ("JOINT_1.angle", "JOINT_1.angle.rate", "JOINT_1.travel", "JOINT_1.travel.rate", "JOINT_2.angle")
    assert [start[name] for name in names] == pytest.approx([math.radians(30), 2, 0.3, -1, math.radians(-10)])


WHEELS = (GROUND + part(2) + part(3, (0.5, 0, 0)) + "MARKER/21, PART=2\nMARKER/31, PART=3, QP=0.5, 0, 0\n"
          "MARKER/2, PART=1, QP=0.5, 0, 0\nJOINT/1, REVOLUTE, I=21, J=1\nJOINT/2, REVOLUTE, I=31, J=2\n"
          "MOTION/1, JOINT=1, FUNCTION=TIME\n")


@pytest.mark.parametrize("order", ["I=31, J=2", "I=2, J=31"])
def test_gears_turn_by_their_radii(read, order):
    """Teeth meet 0.2 m from the first axis and 0.3 m from the second, whichever marker of a joint is on the carrier."""
    contact = "MARKER/5, PART=1, QP=0.2, 0, 0, REULER=0, 90D, 0\nGEAR/1, JOINTS=1, 2, CV=5\n"
    text = WHEELS.replace("I=31, J=2", order) + contact
    result = vc.kinematics(read(SI + text).system, until=1, outputs=1)
    assert result["PART_3.wz"][-1] == pytest.approx(-0.2 / 0.3, abs=1e-9)


def test_couplers_hold_sums_of_coordinates(read):
    result = vc.kinematics(read(SI + WHEELS + "COUPLER/1, JOINTS=1, 2, SCALES=3, -2\n").system, until=1, outputs=1)
    assert result["JOINT_2.angle"][-1] == pytest.approx(1.5, abs=1e-9)


def test_couplers_of_millimetres(read):
    text = ("UNITS/LENGTH=MILLIMETER, MASS=KILOGRAM, FORCE=NEWTON, TIME=SECOND\n"
            + WHEELS.replace("JOINT/2, REVOLUTE", "JOINT/2, TRANSLATIONAL") + "COUPLER/1, JOINTS=1, 2, SCALES=-40, 1\n")
    result = vc.kinematics(read(text).system, until=1, outputs=1)
    assert result["JOINT_2.travel"][-1] == pytest.approx(0.040, abs=1e-9)


@pytest.mark.parametrize("side", [1, -1])
def test_a_rack_moves_with_the_side_of_the_pinion_it_is_on(read, side):
    """Pinion about z; the rack's marker, z along x, is at y = -0.1 or 0.1: rolling gives v = w x r."""
    text = (GROUND + part(2) + part(3) + f"MARKER/31, PART=3, QP=0, {-0.1 * side}, 0, REULER=90D, 90D, 0\n"
            f"MARKER/21, PART=2\nMARKER/3, PART=1, QP=0, {-0.1 * side}, 0, REULER=90D, 90D, 0\n"
            "JOINT/1, REVOLUTE, I=21, J=1\nJOINT/2, TRANSLATIONAL, I=31, J=3\n"
            "JOINT/3, RACKPIN, I=21, J=31, PD=0.2\nMOTION/1, JOINT=1, FUNCTION=TIME\n")
    result = vc.kinematics(read(SI + text).system, until=1, outputs=1)
    assert result["PART_3.vx"][-1] == pytest.approx(0.1 * side, abs=1e-9)


# forces


def test_a_positive_sforce_pushes_its_markers_apart(read):
    text = GROUND + part(2, (0.4, 0, 0)) + "SFORCE/1, TRANSLATIONAL, I=20, J=1, FUNCTION=6+DM(20,1)*10\n"
    state = read(SI + text).start()
    assert state["PART_2.ax"] == pytest.approx((6 + 4) / 2.0, rel=1e-12)


def test_springs_push_apart_by_their_reference_force_and_turn_by_their_reference_torque(read):
    """At LENGTH and ANGLE only FORCE = 5 N and TORQUE = 0.6 N m are left, on marker I; beyond, K and KT pull back."""
    text = (GROUND + part(2, (0.4, 0, 0)) + "SPRINGDAMPER/1, I=20, J=1, TRANSLATIONAL, K=10, LENGTH={}, FORCE=5\n"
            "SPRINGDAMPER/2, I=20, J=1, ROTATIONAL, KT=3, ANGLE={}D, TORQUE=0.6\n")
    free, stretched = (read(SI + text.format(*at)).start().solve().acceleration[0] for at in ((0.4, 0), (0.1, -30)))
    assert (free[0], free[5]) == pytest.approx((5 / 2, 0.6 / 0.5), rel=1e-12)
    assert (stretched[0], stretched[5]) == pytest.approx(((5 - 3) / 2, (0.6 - math.pi / 2) / 0.5), rel=1e-12)


@pytest.mark.parametrize(("on", "want"), [(1, (0, 3, 0)), (2, (0, 3, 0))])
def test_forces_of_action_only_point_along_z_of_j(read, on, want):
    """J is on ground, or on the part itself: then the force turns with it. Here it is 6 N along y at the start."""
    text = (GROUND + "PART/2, QG=0, 0, 0, REULER=90D, 0, 0, MASS=2, CM=20, IP=1, 1, 1\nMARKER/20, PART=2\n"
            f"MARKER/5, PART={on}, REULER={'180D, 90D, 0' if on == 1 else '90D, 90D, 0'}\n"
            "SFORCE/1, TRANSLATIONAL, ACTIONONLY, I=20, J=5, FUNCTION=6\n")
    document = read(SI + text)
    state = document.start()
    assert [state[f"PART_2.a{x}"] for x in "xyz"] == pytest.approx(want, abs=1e-12)
    assert document.model.loads["SFORCE_1"].in_body_axes == (on == 2)


def test_force_and_torque_vectors(read):
    text = (GROUND + part(2, (0.1, 0, 0)) + "MARKER/5, PART=1, REULER=90D, 0, 0\nMARKER/6, PART=1, FLOATING\n"
            "MARKER/21, PART=2, QP=0.1, 0.5, 0\n"
            "VFORCE/1, I=20, JFLOAT=6, RM=5, FX=4\\FY=0\\FZ=2*TIME+1\n"
            "GFORCE/2, I=21, JFLOAT=6, RM=1, FX=8\\FY=0\\FZ=0\\TX=0\\TY=0\\TZ=5\n")
    state = read(SI + text).start()
    assert [state[f"PART_2.a{x}"] for x in "xyz"] == pytest.approx([8 / 2, 4 / 2, 1 / 2], abs=1e-12)
    assert state.solve().acceleration[0, 5] == pytest.approx((5 - 8 * 0.5) / 0.5, abs=1e-12)


def test_a_bushing_resists_along_and_about_the_axes_of_j(read):
    """Small displacements from rest: every force by hand."""
    text = (GROUND + part(2, inertia="0.5, 0.5, 0.5") + "BUSHING/1, I=20, J=1, K=100, 200, 300, C=1, 2, 3\n"
            ", KT=10, 20, 30, CT=0.1, 0.2, 0.3, FORCE=0, 0, 4, TORQUE=0, 0, 5\n")
    document = read(SI + text)
    assert len(document.model.springs) == 6
    e = 1e-5
    for axis, stiffness in zip("xyz", (10, 20, 30), strict=True):
        turned = vc.Rotation.axis_angle(axis, e)
        y = document.system.drawn.y.copy()
        y[3:7] = (turned * vc.Rotation(y[3:7])).quaternion
        y[:3] = (0.01, 0.02, 0.03)
        y[7:10] = (1.0, 1.0, 1.0)
        found = document.system.drawn.with_vector(y).solve().acceleration[0]
        assert found[:3] == pytest.approx(np.array([-1 - 1, -4 - 2, -9 - 3 + 4]) / 2, abs=1e-9)
        k = "xyz".index(axis)
        assert found[3 + k] == pytest.approx((-stiffness * e + 5 * (k == 2)) / 0.5, abs=1e-9)
