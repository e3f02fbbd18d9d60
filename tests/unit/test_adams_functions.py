"""Datasets of Adams Solver: functions, what cannot be translated, names, and what is missing."""

import math

import numpy as np
import pytest

import vincolo as vc
from adams_datasets import GROUND, SI, part, reader
from vincolo.errors import FileWarning
from vincolo.formats.adams.functions import Untranslated, translated


@pytest.fixture
def read(tmp_path):
    return reader(tmp_path)


# what cannot be translated


LEFT_OUT = {
    "SFORCE/1, TRANSLATIONAL, I=20, J=1, FUNCTION=WX(20,1)": r"WX\(20,1\) is not translated",
    "SFORCE/1, TRANSLATIONAL, I=20, J=1, FUNCTION=DM(20,21)": "markers 21 and 20 are on the same part",
    "SFORCE/1, TRANSLATIONAL, I=20, J=1, FUNCTION=VX(20,1,31)": r"VX\(20,1,31\) is seen from a part that moves",
    "GCON/1, FUNCTION=TIME": "it holds nothing",
    "GCON/1, FUNCTION=USER(1)": r"USER\(\) is not translated",
    "SFORCE/1, TRANSLATIONAL, I=20, J=1, FUNCTION=AKISPL(TIME,0,1)": r"AKISPL\(\) is not translated",
    "SFORCE/1, TRANSLATIONAL, I=20, J=1, FUNCTION=USER(1,2)": r"USER\(\) is not translated",
    "SFORCE/1, TRANSLATIONAL, I=20, J=1": "no FUNCTION",
    "SFORCE/1, TRANSLATIONAL, I=20, J=1, FUNCTION=LOG(-1)": "has no finite value",
    "VFORCE/1, I=20, JFLOAT=31, RM=1, FUNCTION=USER(1)": "it is computed by a subroutine",
    "MOTION/1, JOINT=9, FUNCTION=VARVAL(3)": r"VARVAL\(\) is not translated; nothing moves it",
    "CONTACT/1, IGEOM=1, JGEOM=2": "'CONTACT/1, IGEOM=1, JGEOM=2' is not translated",
    "SPRNGDAMPER/1, I=1": "is not translated. Did you mean 'SPRINGDAMPER'",
    "nonsense": "'nonsense' is not translated",
}


@pytest.mark.parametrize(("words", "message"), LEFT_OUT.items())
def test_what_is_left_out_is_warned_of_with_its_line(read, words, message):
    text = (GROUND + part(2, (0.4, 0, 0)) + part(3, (0, 1, 0)) + "MARKER/21, PART=2\nMARKER/31, PART=3\n"
            "JOINT/9, REVOLUTE, I=21, J=1\n")
    with pytest.warns(FileWarning, match=f"model.adm, line 12: .*{message}"):
        document = read(SI + text + words + "\nEND\n")
    assert len(document.report.left_out) == 1
    assert not document.model.laws and not document.model.holds


def test_idle_statements_and_arguments_are_listed(read):
    text = ("PART/1, GROUND, MATERIAL=steel\nMARKER/1, PART=1, COLOUR=RED\n" + part(2)
            + "GRAPHICS/1, CYLINDER, CM=1\nGRAPHICS/2, BOX\nOUTPUT/REQSAVE\n"
            "RESULTS/\n, XRF\nVARIABLE/1, FUNCTION=TIME\n")
    report = read(SI + text).report
    assert not report.left_out
    assert any("2 GRAPHICS statements" in line for line in report.unused)
    assert any("MARKER/1: 'COLOUR' not read" in line for line in report.unused)


# functions


def stop(depth, speed):
    """The force of a stop of Adams: max(k depth^e + c(depth) speed, 0), c rising to 10 over a depth of 0.2."""
    u = np.clip(depth / 0.2, 0, 1)
    return max(100 * depth**1.5 + 10 * u**2 * (3 - 2 * u) * speed, 0.0) if depth > 0 else 0.0


@pytest.mark.parametrize(("text", "want"), {
    "2*TIME**2 - 1": lambda t: 2 * t**2 - 1,
    "-TIME**2": lambda t: -t**2,
    "3*-TIME**2": lambda t: -3 * t**2,
    "2**-1 * 2 ** 3 ** 2": lambda t: 256.0,
    "SIN(360D*TIME + 30d)": lambda t: math.sin(2 * math.pi * t + math.pi / 6),
    "RTOD*DTOR*PI": lambda t: math.pi,
    "STEP(TIME, 0.2, 1, 1.2, 3)": lambda t: 1 + 2 * np.clip(t - 0.2, 0, 1)**2 * (3 - 2 * np.clip(t - 0.2, 0, 1)),
    "STEP5(TIME,0,0,1,1)": lambda t: np.interp(t, [0, 1], [0, 1])**3 * (10 + min(t, 1) * (-15 + 6 * min(t, 1))),
    "HAVSIN(TIME,0,1,1,3)": lambda t: 2 - math.cos(math.pi * min(t, 1)),
    "IMPACT(TIME, -2, 0.6, 100, 1.5, 10, 0.2)": lambda t: stop(0.6 - t, 2),
    "IMPACT(TIME, 20, 0.6, 100, 1.5, 10, 0.2)": lambda t: stop(0.6 - t, -20),  # it does not hold back
    "BISTOP(TIME, 2, 0.4, 0.8, 100, 1.5, 10, 0.2)": lambda t: stop(0.4 - t, -2) - stop(t - 0.8, 2),
    "SHF(TIME, 0.1, 2, 3, 0.4, 5)": lambda t: 2 * math.sin(3 * (t - 0.1) - 0.4) + 5,
    "POLY(TIME, 0.5, 1, 2, 3)": lambda t: 1 + 2 * (t - 0.5) + 3 * (t - 0.5)**2,
    "IF(TIME*TIME-0.25: 1, 2, 3)": lambda t: 1.0 if t < 0.5 else 2.0 if t == 0.5 else 3.0,
    "ABS(-TIME)+MIN(1,TIME)+MAX(TIME,0.5)+SQRT(TIME)+ATAN2(TIME,2)+LOG10(TIME+1)+SIGN(2,TIME-0.4)": lambda t:
        t + min(1, t) + max(t, 0.5) + math.sqrt(t) + math.atan2(t, 2) + math.log10(t + 1) + math.copysign(2, t - 0.4),
}.items())
def test_functions_have_their_values(text, want):
    function = vc.Expression(translated(text, 1.0))
    for t in (0.0, 0.3, 0.5, 0.9, 1.7):
        assert function(t) == pytest.approx(float(want(t)), rel=1e-13, abs=1e-13)


def test_functions_know_the_unit_of_time():
    assert vc.Expression(translated("TIME", 1e-3))(0.25) == pytest.approx(250)


@pytest.mark.parametrize("text", ["", "1+", "(1", "1)", "SIN()", "SIN(1,2)", "STEP(1,2)", "__import__", "a.b", "1 2",
                                  "'x'", "(" * 100 + "1" + ")" * 100, "1e999", "TIME(1)", "\u00b2",
                                  "STEP(" * 40 + "TIME" + ",0,0,1,1)" * 40])
def test_what_is_no_function_is_refused(text):
    with pytest.raises(Untranslated):
        translated(text, 1.0)


def test_functions_over_several_lines(read):
    text = ("MARKER/21, PART=2\nJOINT/1, TRANSLATIONAL, I=21, J=1\nMOTION/1, JOINT=1\n, FUNCTION = 0.5*(TIME\n"
            ", + STEP(TIME,0\n, 0,1,\n,1))\n")
    result = vc.kinematics(read(SI + GROUND + part(2) + text).system, until=1, outputs=1)
    assert result["PART_2.z"][-1] == pytest.approx(0.5 * (1 + 1), abs=1e-9)


def test_stops_of_a_force_keep_a_part_between_them(read):
    """BISTOP on the distance of two markers on a slide: thrown against a stop without damping it comes back as fast."""
    text = ("MARKER/21, PART=2\nMARKER/2, PART=1, QP=0, 0, -1\nJOINT/1, TRANSLATIONAL, I=21, J=1\n"
            "SFORCE/1, TRANSLATION, I=21, J=2\n, FUNCTION=BISTOP(DM(21,2), VR(21,2), 0.9, 1.1, 1E6, 1.0, 0, 1E-3)\n")
    system = read(SI + GROUND + part(2) + text).system
    joint, = system.joints
    run = vc.simulate(system, 0.5, start=vc.assemble(system, given={f"{joint}.travel.rate": 1.0}), outputs=500)
    reach = 0.1 + 1.0 * np.sqrt(system.model.bodies["PART_2"].mass / 1e6)  # from the energy of a linear spring
    assert np.abs(run[f"{joint}.travel"]).max() == pytest.approx(reach, abs=2e-5)
    assert np.abs(run[f"{joint}.travel.rate"]).max() == pytest.approx(1.0, rel=1e-5)


# constraints by functions, conditions, names, and what is missing


def test_a_gcon_holds_a_function_of_markers(read):
    """A point on the circle x^2 + y^2 = 0.25 in the plane of marker 2, turned and away from the origin."""
    text = (GROUND + "MARKER/2, PART=1, QP=1, 2, 3, REULER=30D, 40D, 50D\n" + part(2, (1.0, 2.0, 3.0))
            + "MARKER/21, PART=2, QP=1, 2, 3, REULER=30D, 40D, 50D\nJOINT/1, PLANAR, I=21, J=2\n"
            "GCON/1, FUNCTION = (DX(21,2,2) - 0.5)**2 + DY(21,2,2)**2 - 0.25\n"
            "SFORCE/1, ACTIONONLY, I=21, J=2, FUNCTION=3\nVFORCE/1, I=21, RM=2, FY=1\n")
    document = read(SI + text)
    assert not document.report.left_out
    result = document.run(until=2.0, outputs=20)
    axes = document.model.frames["MARKER_2"].drawn_axes
    seen = (np.column_stack([result[f"PART_2.{c}"] for c in "xyz"]) - [1, 2, 3]) @ axes
    assert np.hypot(seen[:, 0] - 0.5, seen[:, 1]) == pytest.approx(0.5, abs=1e-9)
    assert np.abs(seen[-1, 1]) > 0.01  # it does move


def test_a_gcon_of_several_markers_and_units(read):
    """DM, DZ along ground and AZ in millimetres: the slide moves by 40 mm for each rad."""
    text = ("UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=MILLIMETER, TIME=SECOND\n" + GROUND + part(2)
            + part(3, (0, 0, 0)) + "MARKER/21, PART=2\nMARKER/31, PART=3\nJOINT/1, REVOLUTE, I=21, J=1\n"
            "JOINT/2, TRANSLATIONAL, I=31, J=1\nGCON/1, I=31, FUNCTION = DZ(31) - 40*AZ(21, 1)\n"
            "MOTION/1, JOINT=1, FUNCTION=TIME\n")
    document = read(text)
    result = vc.kinematics(document.system, until=1, outputs=1)
    assert result["JOINT_2.travel"][-1] == pytest.approx(0.040, abs=1e-9)
    assert any("GCON/1: I=31 is not used here" in line for line in document.report.unused)


def test_a_gcon_of_velocities_is_held_at_that_level(read):
    text = (GROUND + part(2) + "JPRIM/1, ORIENTATION, I=20, J=1\n"
            "GCON/1, FUNCTION = VX(20) - 0.5 - VY(20)\nVFORCE/1, I=20, FY=2\n")
    result = read(SI + text.replace("IP=", "VX=0.5, IP=")).run(until=1.0, outputs=10)
    assert result["PART_2.vx"] - result["PART_2.vy"] == pytest.approx(0.5, abs=1e-9)
    assert result["PART_2.vy"][-1] == pytest.approx(0.5, abs=1e-8)  # 2 N on twice 2 kg for 1 s


@pytest.mark.parametrize(("pd", "x", "way"), [(0.2, "0D, 0D", 1), (-0.2, "0D, 0D", -1), (0.2, "180D, 0D", -1)])
def test_a_rack_on_the_pinions_axis_runs_by_its_axes(read, pd, x, way):
    """The rack's marker, z along x, is where the pinion's is: x of the pinion tells the way for a positive turn."""
    text = (GROUND + part(2) + part(3) + "MARKER/31, PART=3, REULER=90D, 90D, 0\n"
            f"MARKER/22, PART=2, REULER={x}, 0D\nMARKER/21, PART=2\nMARKER/3, PART=1, REULER=90D, 90D, 0\n"
            "JOINT/1, REVOLUTE, I=21, J=1\nJOINT/2, TRANSLATIONAL, I=31, J=3\n"
            f"JOINT/3, RACKPIN, I=22, J=31, PD={pd}\nMOTION/1, JOINT=1, FUNCTION=TIME\n")
    document = read(SI + text)
    result = vc.kinematics(document.system, until=1, outputs=1)
    assert result["PART_3.vx"][-1] == pytest.approx(0.1 * way, abs=1e-9)
    assert "by its axes" in str(document.report)


@pytest.mark.parametrize(("t", "want"), [(0.2, 1.0), (0.5, 0.25), (0.8, 0.64)])
def test_if_is_exact_on_each_side(t, want):
    text = translated("IF(TIME-0.5: LOG(TIME)*0+1, 2, TIME**2)", 1.0)
    assert vc.Expression(text)(t) == pytest.approx(want, rel=1e-15)
    assert vc.Expression(text).breaks_between(0, 1) == (0.5,)
    between = translated("IF(MAX(TIME-0.5,0): 1, 2, 3)", 1.0)  # zero for half a second
    assert vc.Expression(between)(t) == (3.0 if t > 0.5 else 2.0)
    undefined = vc.Expression(translated("IF(TIME-0.5: 3, 3, SQRT(TIME-0.5))", 1.0))  # has no value before
    assert undefined(0.1) == 3.0 and undefined(0.75) == 0.5


def test_a_force_by_if_gives_its_impulse(read):
    text = (GROUND + part(2)
            + "SFORCE/1, ACTIONONLY, I=20, J=1, FUNCTION=IF(TIME-0.7: 3*TIME, 0, IF(TIME-1.3: -5, 0, 0))\n")
    result = read(SI + text).run(until=2.0, outputs=20)
    assert result.statistics["restarts"] == 2
    assert 2.0 * result["PART_2.vz"][-1] == pytest.approx(1.5 * 0.49 - 3.0, abs=1e-9)


def test_names_with_dots_are_kept(read):
    text = (GROUND + "!   adams_view_name='left.upright'\n" + part(2)
            + "!   adams_view_name='.model.left.arm'\n" + part(3)
            + "!    adams_view_name='left.upright.vx'\n" + part(4))
    document = read(SI + text)
    assert list(document.model.bodies) == ["left.upright", "model.left.arm", "left_upright_vx"]
    result = document.run(until=0.1, outputs=1)
    assert result["left.upright.x"][-1] == pytest.approx(0.0, abs=1e-12)
    assert "is called 'left_upright_vx' here" in str(document.report)


def test_dotted_names_survive_files_and_changes(read, tmp_path):
    text = GROUND + "!   adams_view_name='left.upright'\n" + part(2) + "SFORCE/1, ACTIONONLY, I=20, J=1, FUNCTION=4\n"
    document = read(SI + text)
    for ending in (".yaml", ".xlsx"):
        path = vc.save_model(document.model, tmp_path / f"m{ending}")
        again = vc.open_model(path, {"left.upright.mass": 8.0}).run(until=1.0, outputs=1)
        assert again["left.upright.vz"][-1] == pytest.approx(0.5, abs=1e-9)


def test_what_is_missing_stops_the_run_unless_accepted(read):
    with pytest.warns(FileWarning, match="CONTACT"):
        document = read(SI + GROUND + part(2) + "CONTACT/1, IGEOM=1\n")
    with pytest.raises(vc.FileError, match=r"1 thing in it could not be .*\n.*line 7: 'CONTACT/1.*\n.*accept"):
        document.run(until=0.1)
    assert document.run(until=0.1, outputs=1, accept_missing=True).complete
    assert vc.simulate(document.system, 0.1, outputs=1).complete  # a model is a model
