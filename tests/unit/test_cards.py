"""Cards of NumDyn3D: what is read, and what is noted."""

import re

import numpy as np
import pytest

import vincolo as vc
from card_models import arm_and_slider, card
from vincolo.errors import FileWarning
from vincolo.formats.cards import CardError, read_cards, write_cards


@pytest.fixture
def folder(tmp_path):
    return write_cards(arm_and_slider(), tmp_path / "cards", until=2.0, outputs=40)


def changed(folder, name, old, new):
    path = folder / f"{name}.s3d"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    return folder


def force(**fields):
    return block(1, **{"name": "F", "body": 1, "type": 1, **fields})


def block(key, **fields):
    return f"begin({key})\n" + "".join(f"{k}={v}\n" for k, v in fields.items()) + f"end({key})\n"


# reading


def test_general_gives_title_bodies_and_times(folder):
    cards = read_cards(folder)
    assert cards.model.name == "arm and slider"
    assert list(cards.model.bodies) == ["arm", "slider"]
    assert (cards.settings.start, cards.settings.until, cards.settings.outputs) == (0.0, 2.0, 40)
    assert len(cards.run().t) == 41


def test_the_run_begins_at_the_initial_time(folder):
    changed(folder, "General", "TI 0.0", "TI 1.5")
    card(folder, "Driving Pos", block(1, position="q8-1.5-0.1*sin(t)", PSI_t="-0.1*cos(t)", PSI_tt="0.1*sin(t)",
                                      **{"PSI_q(8)": 1}))
    result = read_cards(folder).run()
    assert result.t[0] == 1.5
    assert result["slider.x"] == pytest.approx(1.5 + 0.1 * np.sin(result.t), abs=1e-9)


@pytest.mark.parametrize("name", ["Initial Configuration.s3d", "initial configuration.S3D"])
def test_names_of_files_may_be_written_in_any_case(folder, name):
    (folder / "Initial configuration.s3d").rename(folder / name)
    assert len(read_cards(folder).model.bodies) == 2


def test_comments_blank_lines_tabs_order_and_exponents_do_not_matter(folder):
    text = (folder / "Inertial.s3d").read_text()
    first, second = text.index("begin(1)"), text.index("begin(2)")
    shuffled = "! masses\n\n" + text[second:] + "\n!\n" + text[first:second]
    shuffled = shuffled.replace("mass=2.0", "\t mass \t=  0.2D+1").replace("0.01 0.0 0.0", "1.E-2\t0.  0.")
    card(folder, "Inertial", shuffled)
    body = read_cards(folder).model.bodies["arm"]
    assert (body.mass, body.inertia[0, 0]) == (2.0, 0.01)


def test_numbers_may_be_expressions_of_numbers(folder):
    changed(folder, "Initial configuration", "q1=0.5", "q1=sqrt(2)*sin(pi/4)/2")
    assert read_cards(folder).model.bodies["arm"].at[0] == pytest.approx(0.5)


def test_carriage_returns_a_byte_order_mark_and_old_encodings_are_read(folder):
    text = (folder / "General.s3d").read_text().replace("arm and slider", "perché").replace("\n", "\r\n")
    (folder / "General.s3d").write_bytes(text.encode("latin-1"))
    assert read_cards(folder).model.name == "perché"
    (folder / "General.s3d").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read_cards(folder).model.name == "perché"


def test_optional_cards_may_be_missing(folder):
    for name in ("Force", "SPDamp", "Driving Pos", "QRTol"):
        (folder / f"{name}.s3d").unlink()
    cards = read_cards(folder)
    assert cards.settings.method == "orthogonalisation"  # NumDyn3D's default
    assert isinstance(cards.settings.integrator, vc.Radau)


def test_a_name_that_is_taken_is_changed_and_noted(folder):
    changed(folder, "Connection", "name=rail", "name=arm")
    cards = read_cards(folder)
    assert "arm joint" in cards.model.joints
    assert any("'arm' is called 'arm joint'" in line for line in cards.report.notes)


def test_blocks_of_bodies_that_are_not_there_are_listed(folder):
    text = (folder / "Inertial.s3d").read_text()
    (folder / "Inertial.s3d").write_text(text + text[text.index("begin(2)"):].replace("(2)", "(7)"))
    assert any("no body 7" in line for line in read_cards(folder).report.unused)


def test_an_unknown_label_is_listed_and_warned_of(folder):
    changed(folder, "Connection", "name=rail", "name=rail\ncolour=3")
    with pytest.warns(FileWarning, match="Connection.s3d, line .*'colour' is not known"):
        cards = read_cards(folder)
    assert any("colour=3" in line for line in cards.report.unused)


def test_the_report_reads_as_text(folder):
    text = str(read_cards(folder).report)
    assert "Connection: 2 joints" in text and "Not used:" in text and "PP N" in text


def test_a_centre_of_mass_is_listed_since_numdyn3d_does_not_use_it(folder):
    changed(folder, "Inertial", "CoM=0. 0. 0.", "CoM=0.1 0. 0.")
    cards = read_cards(folder)
    assert not cards.model.bodies["arm"].com.any()
    assert any("CoM=0.1" in line for line in cards.report.unused)


# settings


@pytest.mark.parametrize("text, formulation, integrator", [
    ("ResMethod=0", vc.Sparse(), vc.Radau(rtol=1e-6, atol=1e-6, index=3)),
    ("ResMethod=Radau", vc.Sparse(), vc.Radau(rtol=1e-6, atol=1e-6, index=3)),
    ("ResMethod=2", vc.QTZ(form="orthogonalised", limit=0.99, rank_tolerance=1e-8),
     vc.Radau(rtol=1e-6, atol=1e-6, index=3)),
    ("ResMethod=1\nODEmethod=1", None, vc.BogackiShampine(rtol=1e-5, atol=1e-9)),
    ("ResMethod=state form\nODEmethod=(4,5)", None, vc.DormandPrince(rtol=1e-5, atol=1e-9)),
    ("ResMethod=QTZ\nODEmethod=3", None, vc.DOP853(rtol=1e-5, atol=1e-9))])
def test_methods_by_code_and_name(folder, text, formulation, integrator):
    card(folder, "QRTol", text + "\ntolODE=1.E-5\nthreshold=1.E-9\ntolRadau=1.E-6\ntolQRUpdate=0.99\ntolRank=1.E-8\n"
         "tolConst=1.E-7\ntolCorr=1.E-9\n")
    settings = read_cards(folder).settings
    state_form = vc.QTZ(form="automatic", limit=0.99, rank_tolerance=1e-8)
    assert settings.integrator == integrator
    assert settings.formulation == (formulation or state_form)
    if formulation is None:
        assert settings.stabilisation == vc.CorrectionByTolerance(tolerance=1e-9, start=1e-7)


def test_without_correction_nothing_is_stabilised(folder):
    card(folder, "QRTol", "ResMethod=1\nCorrezione = 0\n")
    assert read_cards(folder).settings.stabilisation == vc.NoStabilisation()


# starts


def test_rates_that_are_given_are_met_and_others_follow(folder):
    # the arm turns with 3 rad/s: only the rate of y is given, y' = w/2
    changed(folder, "Initial configuration", "qp2=0.0", "qp2=1.5")
    changed(folder, "Initial configuration", "begin(2)", "begin(2)\n! slider")
    start = read_cards(folder).start()
    assert start["O.angle.rate"] == pytest.approx(3.0, abs=1e-12)
    assert start["slider.vx"] == pytest.approx(0.0, abs=1e-12)


def test_the_rate_of_an_euler_parameter_is_met(folder):
    text = (folder / "Initial configuration.s3d").read_text()
    (folder / "Initial configuration.s3d").write_text(text.replace("qp7=0.0", "qp7=1.0", 1))  # e3' = w/2
    assert read_cards(folder).start()["O.angle.rate"] == pytest.approx(2.0, abs=1e-12)


def test_euler_parameters_may_have_either_sign(folder):
    path = folder / "Initial configuration.s3d"
    path.write_text(path.read_text().replace("q4=1.0", "q4=-1.0", 1).replace("qp7=0.0", "qp7=-1.0", 1))
    card(folder, "Force", force(Tz="7*q4"))
    start = read_cards(folder).start()
    assert start["O.angle.rate"] == pytest.approx(2.0, abs=1e-12)
    assert start["arm.alpha_z"] == pytest.approx(-7 / 0.7, abs=1e-9)


# forces


def acceleration(folder, name, **given):
    cards = read_cards(folder)
    return vc.assemble(cards.system, given=given)[name]


def test_a_force_over_its_own_coordinate_is_a_spring(folder):
    card(folder, "Force", force(body=2, Fx="-3*(q8-1.2)-0.5*qp8+t"))
    assert acceleration(folder, "slider.ax", **{"rail.travel": -0.5, "rail.travel.rate": -0.4}) == pytest.approx(
        -3 * 0.8 - 0.5 * 0.4, abs=1e-9)  # x = 1.5 - travel


@pytest.mark.parametrize("text, expected", [
    ("q4", np.cos(0.4)), ("q7", np.sin(0.4)), ("qp4", -0.5 * 3 * np.sin(0.4)), ("qp7", 0.5 * 3 * np.cos(0.4)),
    ("q1", 0.5 * np.cos(0.8)), ("q2", 0.5 * np.sin(0.8)), ("qp1", -1.5 * np.sin(0.8)), ("qp2", 1.5 * np.cos(0.8))])
@pytest.mark.parametrize("flipped", [False, True])
def test_a_torque_over_coordinates_of_a_hinged_body(folder, text, expected, flipped):
    if flipped:  # the arm first, the ground second: the angle counts the other way
        path = folder / "Connection.s3d"
        lines = path.read_text().replace("body1=0\n  body2=1", "body1=1\n  body2=0")
        first, rest = lines[:lines.index("end(1)")], lines[lines.index("end(1)"):]
        swap = str.maketrans("12", "21")
        path.write_text(re.sub("([PQR])([12])=", lambda m: f"{m[1]}{m[2].translate(swap)}=", first) + rest)
    card(folder, "Force", force(Tz=f"7*({text})"))
    sign = -1.0 if flipped else 1.0
    given = {"O.angle": sign * 0.8, "O.angle.rate": sign * 3.0}
    inertia = 0.2 + 2 * 0.25
    assert acceleration(folder, "arm.alpha_z", **given) == pytest.approx(7 * expected / inertia, abs=1e-9)


def test_force_and_torque_of_one_block_both_act(folder):
    card(folder, "Force", force(Fy="2", Tz="3*step(4-t)", px="0.5"))
    assert acceleration(folder, "arm.alpha_z") == pytest.approx((2 * 1.0 + 3) / 0.7, abs=1e-9)


def test_local_axes_turn_with_the_body(folder):
    card(folder, "Force", force(type=2, Fy=2))
    assert acceleration(folder, "arm.alpha_z", **{"O.angle": 1.0}) == pytest.approx(2 * 0.5 / 0.7, abs=1e-9)


@pytest.mark.parametrize("kind", [1, 2])
def test_the_point_of_application_may_move_in_time(folder, kind):
    card(folder, "Force", force(type=kind, Fy=2, px="0.1*t"))
    state = vc.assemble(read_cards(folder).system, t=2.0)
    assert state["arm.alpha_z"] == pytest.approx(2 * (0.5 + 0.2) / 0.7, abs=1e-9)


def test_a_spring_along_a_rail_may_depend_on_the_coordinate(folder):
    card(folder, "SPDamp", block(1, name="S", type=1, body1=2, body2=0, K="10*q8", L0="0.2", C="qp8", A="t"))
    # pulled to the ground's origin from x = 1: F = 10 (1 - 0.2) + 0.3 0.3
    found = acceleration(folder, "slider.ax", **{"rail.travel": 0.5, "rail.travel.rate": -0.3})
    assert found == pytest.approx(-(10 * 0.8 + 0.09), abs=1e-9)


def test_springs_with_numbers_are_springs(folder):
    card(folder, "SPDamp", block(1, name="S", type=1, body1=1, body2=2, K=10, L0=0.5, C=2, A=1)
         + block(2, name="T", type=2, body1=0, body2=1, K=3, C=4, ConnectionID=1))
    springs = read_cards(folder).model.springs
    assert (springs["S"].k, springs["S"].length, springs["S"].c, springs["S"].preload) == (10, 0.5, 2, 1)
    assert (springs["T"].k, springs["T"].c, springs["T"].measure.name) == (3, 4, "O.angle")


def test_what_cannot_be_translated_is_listed_if_not_strict(folder):
    card(folder, "Force", force(Fx="q12"))
    with pytest.raises(CardError):
        read_cards(folder)
    cards = read_cards(folder, strict=False)
    assert len(cards.report.left_out) == 1 and "Force.s3d, line 6" in cards.report.left_out[0]
    assert not cards.model.laws


# laws of motion


def law(**changes):
    fields = {"position": "q8*q8-A-0.1*t*q8", "PSI_t": "-0.1*q8", "PSI_tt": "0", "PSI_q(8)": "2*q8-0.1*t",
              "PSI_qt(8)": "-0.1", **changes}
    return block("constants", A=2.25) + block(1, **{k: v for k, v in fields.items() if v is not None})


def test_right_derivatives_pass_without_a_word(folder, recwarn):
    read_cards(card(folder, "Driving Pos", law()))
    assert not recwarn.list


@pytest.mark.parametrize("label, value, line", [
    ("PSI_t", "0.1*q8", 7), ("PSI_tt", "1", 8), ("PSI_q(8)", "2*q8", 9), ("PSI_qt(8)", "0.1", 10),
    ("PSI_q(8)", None, 5), ("PSI_q(1)", "1", 11)])
def test_wrong_derivatives_are_warned_of_with_card_and_line(folder, label, value, line):
    card(folder, "Driving Pos", law(**{label: value}))
    name = label.replace("(", r"\(").replace(")", r"\)")
    with pytest.warns(FileWarning, match=rf"Driving Pos.s3d, line {line}, .*{name}.*the derivative is used"):
        read_cards(folder)


def test_a_law_of_several_coordinates_is_held(folder):
    card(folder, "Driving Pos", block(1, position="q8-2*q1-0.5-0.1*t", PSI_t="-0.1", PSI_tt=0, **{"PSI_q(8)": 1,
                                                                                                "PSI_q(1)": -2}))
    changed(folder, "Initial configuration", "qp2=0.0", "qp2=0.5")
    result = read_cards(folder).run()
    assert result["slider.x"] == pytest.approx(2 * result["arm.x"] + 0.5 + 0.1 * result.t, abs=1e-8)


def test_a_turn_the_other_way_about_another_axis(folder):
    card(folder, "Driving Pos", block(1, position="cos(t^2)-q4", PSI_t="-2*t*sin(t^2)",
                                      PSI_tt="-2*sin(t^2)-4*t^2*cos(t^2)", **{"PSI_q(4)": -1})
         + block(2, position="q7+sin(t^2)", PSI_t="2*t*cos(t^2)", PSI_tt="2*cos(t^2)-4*t^2*sin(t^2)",
                 **{"PSI_q(7)": 1}))
    result = read_cards(folder).run()
    assert result["O.angle"] == pytest.approx(-2 * result.t**2, abs=1e-8)
