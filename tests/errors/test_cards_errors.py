"""Whatever is wrong with a card, the message says card, line and column, in the user's names, and the way out."""

import re

import pytest

import vincolo as vc
from vincolo.errors import FileErrors, FileWarning
from vincolo.formats.cards import CardError, read_cards, text, write_cards

VERSION = "NumDyn3D ver. 7.0a\n"


@pytest.fixture
def folder(tmp_path):
    """Cards of an arm on a hinge and a block on a rail."""
    m = vc.Model("rig", gravity=(0, 0, 0))
    arm, slider = m.body("arm", 2.0, (0.01, 0.2, 0.2), at=(0.5, 0, 0)), m.body("slider", 1.0, 0.1, at=(1.5, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="z")
    m.prismatic("rail", slider, m.ground, at=(0, 0, 0), axis="x")
    return write_cards(m, tmp_path / "cards")


def refused(folder, message):
    with pytest.raises(CardError) as caught:
        read_cards(folder)
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)


CHANGES = [
    ("General", "NB 2", "NB 3", "General.s3d, line 9, column 1: NB is 3, but 2 bodies are listed.*Correct NB"),
    ("General", "NB 2", "NB two", "General.s3d, line 2, column 4: NB is not a number"),
    ("General", "NB 2", "NB 0", "line 2, column 4: NB is '0'.*number of bodies.*from 1"),
    ("General", "NB 2", "NB 1.5", "NB is '1.5'.*whole number"),
    ("General", "NB 2", "nb 2", "line 2, column 1: 'nb 2' is where 'NB'.*with capitals"),
    ("General", "TE 1.0", "TE -1", "line 4, column 4: TE is -1 s, not after TI = 0 s"),
    ("General", "TE 1.0", "TE nan", "TE is 'nan'; a finite number"),
    ("General", "ST 200", "ST 1e99", "ST is '1e99'.*number of time intervals"),
    ("General", "ID | BODY NAME\n", "", "line 7.*'ID | BODY NAME' is missing"),
    ("General", "2 | slider", "2 | arm", "line 9, column 1: the body 'arm' is listed twice, first in line 8"),
    ("General", "2 | slider", "1 | slider", "line 9.*should be body 2.*'2 | name'"),
    ("General", "2 | slider", "2 |", "body 2 has no name"),
    ("Connection", "type=1", "type=6",
     "Connection.s3d, line 5, column 8: type is '6'; it is 1 revolute, 2 prismatic.*no other"),
    ("Connection", "type=1", "type=hinge", "line 5, column 8: type is not a number.*'hinge' is not known"),
    ("Connection", "type=1", "Type=1", "column 8: there is no label 'Type'.*case sensitive. Did you mean 'type'"),
    ("Connection", "type=1\n", "\n", r"line 3, column 1: begin\(1\) has no 'type'.*Write type=... before end\(1\)"),
    ("Connection", "body1=2", "body1=3", "body1 is '3'; bodies are numbered 1 to 2 as in General, and 0 is the frame"),
    ("Connection", "body1=2", "body1=0", "body2 is 0, the same as body1.*two different bodies"),
    ("Connection", "P1=0.0 0.0 0.0", "P1=0.0 0.0", "line 8, column 6: P1 has 2 numbers; 3 are needed.*blanks"),
    ("Connection", "P1=0.0 0.0 0.0", "P1=0.0 nan 0.0", "line 8, column 10: P1 is 'nan'; a finite number"),
    ("Connection", "P1=0.0 0.0 0.0", "P1=0.0, 0.0, 0.0", "line 8, column 6: P1 is not a number"),
    ("Connection", "Q1=0.0 0.0 1.0", "Q1=0.0 0.0 0.0", "line 9, column 6: Q1 is the same point as P1.*unit distance"),
    ("Connection", "Q1=0.0 0.0 1.0", "Q1=1.0 0.0 1.0", "R1 - P1 is not at right angles to Q1 - P1.*cosine is 0.7"),
    ("Connection", "begin(2)", "begin(1)", r"line \d+, column 1: begin\(1\) is given twice, first in line 3"),
    ("Connection", "begin(2)", "Begin(2)", "'Begin.2.' .*is not of the form 'label=value'.*case sensitive"),
    ("Connection", "begin(2)", "begin(two)", r"end\(2\) ends nothing that was begun.*Write end\(two\)"),
    ("Connection", "end(1)\n", "", r"begin\(2\) is inside begin\(1\).*Write end\(1\) before"),
    ("Connection", "end(2)\n", "", r"begin\(2\) is never ended"),
    ("Connection", "begin(1)\n", "", "line 3, column 8: 'name' is outside a block"),
    ("Connection", "name=O", "name=", "line 4, column 8: 'name' has no value"),
    ("Connection", "name=O", "name=O\n  name=P", "line 5, column 8: 'name' is given twice.*first in line 4"),
    ("Inertial", "mass=2.0", "mass=-2.0", "body 'arm': the mass is -2 kg; it must not be negative"),
    ("Inertial", "mass=2.0", "mass=NaN", "Inertial.s3d, line 4, column 6: mass is 'NaN'; a finite number"),
    ("Inertial", "mass=2.0", "mass=1.E999", "mass is '1.E999'; a finite number"),
    ("Inertial", "mass=2.0", "mass=2*t", r"mass is '2\*t', which changes in time"),
    ("Inertial", "0.01 0.0 0.0\n", "", "inertia has 2 rows; 3 are needed"),
    ("Inertial", "0.01 0.0 0.0", "0.01 0.0", "line 7, column 1: inertia has 2 numbers; 3 are needed"),
    ("Inertial", "0.01 0.0 0.0", "9.0 0.0 0.0", "body 'arm'.*Correct mass and inertia"),
    ("Inertial", "]\nend(1)", "end(1)", "line 6, column 9: the matrix is not closed"),
    ("Inertial", "(2)", "(3)", r"Inertial.s3d: body 2 'slider' has no block begin\(2\).*General has 2 bodies"),
    ("Initial configuration", "  q3=0.0\n", "", r"Initial configuration.s3d, line 3.*begin\(1\) has no 'q3'"),
    ("Initial configuration", "q4=1.0", "q4=0.0", "q4 to q7 of body 'arm' have the length 0; .*length 1.*q4=1"),
    ("Initial configuration", "(2)", "(x)", r"begin\(x\) is not numbered"),
    ("QRTol", "ResMethod = 2", "ResMethod = 7", "QRTol.s3d, line 3, column 13: ResMethod is '7'.*from 0 to 2"),
    ("QRTol", "ResMethod = 2", "ResMethod = radua", "ResMethod is 'radua'.*Did you mean 'radau'"),
    ("QRTol", "ResMethod = 2", "resmethod = 2", "no option 'resmethod'.*case sensitive. Did you mean 'ResMethod'"),
    ("QRTol", "tolRadau = 1.E-8", "tolRadau = 0", "tolRadau is 0.*positive"),
    ("QRTol", "tolRadau = 1.E-8", "ResMethod = 1", "'ResMethod' is given twice, first in line 3"),
    ("QRTol", "ResMethod = 2", "ResMethod=1\ntolConst=1.E-12\ntolCorr=1.E-9",
     "QRTol.s3d: CorrectionByTolerance.*larger"),
    ("QRTol", "ResMethod = 2", "begin(1)", "this card has none"),
    ("QRTol", "tolRadau = 1.E-8", "tolRadau = inf", "tolRadau is 'inf'; a finite number"),
    ("General", "NB 2", "NB 1e308", "NB is '1e308'.*number of bodies"),
    ("General", "TE 1.0", "TE 1e999", "TE is '1e999'; a finite number"),
    ("Initial configuration", "q4=1.0", "q4=1e308", "have the length 1e.308"),
    ("Initial configuration", "q1=0.5", "q1=-Infinity", "line 4, column 6: q1 is '-Infinity'; a finite number"),
    ("Initial configuration", "  q1=0.5", "  q1=0.5\n  q1=0.6", r"'q1' is given twice in begin\(1\), first in line 4"),
    ("Inertial", "0.01 0.0 0.0", "1e308 1e308 0.0", "line 6, column 9: .*body 'arm'"),
    ("Inertial", "mass=2.0", "mass=9^9^9", r"mass is not a number: '9\^9\^9' has no finite value"),
    ("Inertial", "mass=2.0", "mass=__import__", "mass is not a number: the name '__import__' is not known"),
    ("Inertial", "end(1)", "END(1)", r"'END.1.' in Inertial.s3d is not of the form 'label=value'.*case sensitive"),
    ("Inertial", "begin(1)", "begin 1", "'begin 1' in Inertial.s3d is not of the form 'label=value'"),
]


@pytest.mark.parametrize("card, old, new, message", CHANGES, ids=[f"{c[0]}: {c[1]} -> {c[2]}"[:60] for c in CHANGES])
def test_a_wrong_card_is_refused_with_its_place(folder, card, old, new, message):
    path = folder / f"{card}.s3d"
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new) if old in ("(2)",) else before.replace(old, new, 1))
    refused(folder, message)


def spoil(folder, **changes):
    """Replaces text in cards, each named by its first word."""
    for card, pairs in changes.items():
        path = next(p for p in folder.iterdir() if p.name.startswith(card))
        for old, new in pairs.items():
            before = path.read_text()
            assert old in before
            path.write_text(before.replace(old, new, 1))


def mistakes(folder):
    """The beginnings of all that is refused together."""
    with pytest.raises(FileErrors) as caught:
        read_cards(folder)
    assert isinstance(caught.value, vc.ModelError)
    assert str(caught.value).startswith(f"the cards in 'cards': {len(caught.value.mistakes)} mistakes.\n1. ")
    assert all(type(one) is CardError for one in caught.value.mistakes)
    return [str(one) for one in caught.value.mistakes]


def test_mistakes_in_three_cards_are_reported_together(folder):
    spoil(folder, General={"TE 1.0": "TE -1"}, Connection={"type=1": "type=6"}, Inertial={"mass=2.0": "mass=-2"})
    first, second, third = mistakes(folder)
    assert first.startswith("General.s3d, line 4, column 4: TE is -1 s, not after TI = 0 s")
    assert second.startswith("Inertial.s3d, line 6, column 9: body 'arm': the mass is -2 kg")
    assert third.startswith("Connection.s3d, line 5, column 8: type is '6'")


def test_mistakes_in_two_blocks_of_a_card_are_reported_together(folder):
    spoil(folder, Connection={"type=1": "type=6", "body1=2": "body1=9"})
    first, second = mistakes(folder)
    assert first.startswith("Connection.s3d, line 5, column 8: type is '6'")
    assert second.startswith("Connection.s3d, line 19, column 9: body1 is '9'")


def test_mistakes_in_one_block_are_reported_together(folder):
    spoil(folder, Initial={"q2=0.0": "q2=two", "q3=0.0": "q3=nan"}, QRTol={"2": "7", "1.E-8": "-1"})
    spoil(folder, Force={"ver. 7.0a\n": "ver. 7.0a\nbegin(1)\nbody=3\ntype=7\nend(1)\n"})
    found = mistakes(folder)
    assert [one.split(":")[0] for one in found] == [
        "Initial configuration.s3d, line 5, column 6", "Initial configuration.s3d, line 6, column 6",
        "Force.s3d, line 3, column 6", "Force.s3d, line 4, column 6", "QRTol.s3d, line 3, column 13",
        "QRTol.s3d, line 4, column 12"]


def test_fields_without_values_or_given_twice_are_reported_together(folder):
    spoil(folder, Connection={"name=O": "name="}, Inertial={"mass=2.0": "mass=2.0\nmass=3.0"})
    first, second = mistakes(folder)
    assert "Inertial.s3d, line 5, column 6: 'mass' is given twice in begin(1), first in line 4" in first
    assert "Connection.s3d, line 4, column 8: 'name' has no value" in second


def test_texts_of_all_cards_are_checked_without_knowing_the_bodies(folder):
    spoil(folder, General={"1 | arm": "7 | arm"}, Connection={"end(2)": ""}, QRTol={"2": "9"})
    assert [one.split(",")[0] for one in mistakes(folder)] == ["General.s3d", "Connection.s3d", "QRTol.s3d"]


FOLLOWING = [  # a mistake, and a card that would only be wrong because of it
    ({"Connection": {"type=1": "type=6"}}, "SPDamp", {"type": 2, "body1": 0, "body2": 1, "K": 1, "ConnectionID": 1}),
    ({"Connection": {"type=1": "type=6"}}, "SPDamp", {"type": 1, "body1": 1, "body2": 2, "K": "q1"}),
    ({"Connection": {"type=1": "type=6"}}, "Force", {"body": 1, "type": 1, "Tz": "q4"}),
    ({"Connection": {"name=O": "name="}}, "Force", {"body": 1, "type": 1, "Tz": "q4"}),
    ({"Connection": {"type=1": "type=6"}}, "Driving Pos", {"position": "q4-cos(t)", "PSI_q(4)": 1}),
    ({"Initial": {"q1=0.5": "q1=half"}}, "SPDamp", {"type": 1, "body1": 0, "body2": 1, "K": 1}),
    ({"General": {"NB 2": "NB 3"}}, "Force", {"body": 3, "type": 1, "Fx": 1}),
    ({"General": {"NB 2": "NB two"}}, "Force", {"body": 2, "type": 1, "Fx": 1}),
    ({"Initial": {"begin(1)": "begin(x)", "end(1)": "end(x)"}}, "Force", {"body": 1, "type": 1, "Fx": 1}),
    ({"Inertial": {"]": ""}}, "Force", {"body": 1, "type": 1, "Fx": 1}),
]


@pytest.mark.parametrize("changes, card, fields", FOLLOWING)
def test_what_follows_from_a_mistake_is_not_reported_besides(folder, changes, card, fields):
    (folder / f"{card}.s3d").write_text(block(**fields))
    spoil(folder, **changes)
    refused(folder, f"^{next(iter(changes))}")


def test_a_law_that_lacks_its_partner_because_of_a_mistake(folder):
    (folder / "Driving Pos.s3d").write_text(
        VERSION + "begin(1)\nposition=q4-cos(t)\nPSI_q(4)=1\nend(1)\nbegin(2)\nposition=q7-sin(tt)\nend(2)\n")
    refused(folder, "^Driving Pos.s3d, line 7, column 10: position: the name 'tt' is not known")


def test_laws_over_a_constant_that_is_wrong(folder):
    (folder / "Driving Pos.s3d").write_text(
        VERSION + "begin(constants)\nA=nan\nend(constants)\nbegin(1)\nposition=q8-A*t\nend(1)\n")
    refused(folder, "^Driving Pos.s3d, line 3, column 3: A is 'nan'; a finite number")


def block(**fields):
    return VERSION + "begin(1)\n" + "".join(f"{k}={v}\n" for k, v in fields.items()) + "end(1)\n"


FORCE = {"name": "push", "body": 1, "type": 1}
LINE = {"name": "coil", "type": 1, "body1": 1, "body2": 2}
TWIST = {"name": "coil", "type": 2, "body1": 0, "body2": 1}
ADDED = [
    ("Force", {**FORCE, "body": 0}, "line 4, column 6: body is 0: the action is on the frame"),
    ("Force", {**FORCE, "type": 3}, "type is '3'; 1 is in global axes, 2 in those of the body"),
    ("Force", {**FORCE, "Fx": "2*q15"}, "Force.s3d, line 6, column 6: there is no coordinate q15.*q1 to q14, seven"),
    ("Force", {**FORCE, "Fx": "2*q0"}, "no coordinate q0"),
    ("Force", {**FORCE, "Fx": "__import__('os')"}, "line 6, column 4: Fx: the character \"'\" is not allowed"),
    ("Force", {**FORCE, "Fx": "__import__(t)"}, "Fx: there is no function called '__import__'"),
    ("Force", {**FORCE, "Fx": "exec(t)"}, "no function called 'exec'"),
    ("Force", {**FORCE, "Fx": "t.real"}, r"the character '\.' is not allowed.*names have no attributes"),
    ("Force", {**FORCE, "Fx": "t.__class__.__bases__"}, "names have no attributes"),
    ("Force", {**FORCE, "Fx": "lambda: t"}, "the word 'lambda' is not allowed"),
    ("Force", {**FORCE, "Fx": "9^9^9^9"}, r"'9\^9\^9' has no finite value"),
    ("Force", {**FORCE, "Fx": "10**400*t"}, r"'10\*\*400' has no finite value"),
    ("Force", {**FORCE, "Fx": "1e400"}, "the number 1e400 is too large"),
    ("Force", {**FORCE, "Fx": "nan"}, "the name 'nan' is not known"),
    ("Force", {**FORCE, "Fx": "-inf*t"}, "the name 'inf' is not known"),
    ("Force", {**FORCE, "Fx": "(" * 200 + "t" + ")" * 200}, "nested too deeply"),
    ("Force", {**FORCE, "Fx": "+".join(["sin(t)"] * 400)}, "characters; the limit is 2000"),
    ("Force", {**FORCE, "Fx": "2*x"}, r"Fx: the name 'x' is not known.*2\*x\n    \^"),
    ("Force", {**FORCE, "Fx": "1/0"}, "no finite value"),
    ("Force", {**FORCE, "Fx": "q2*q12"}, r"Fx = q2\*q12 depends on Euler parameters of a body to which no.*SPDamp"),
    ("Force", {**FORCE, "Fx": "q2", "px": "q12"}, "px = q12 depends on Euler parameters of a body to which no"),
    ("Force", {**FORCE, "Tx": "qp13"}, "Tx = qp13 depends.*x, y, z of any body.*A= in SPDamp"),
    ("Force", {**FORCE, "fx": 1}, "no label 'fx'.*Did you mean 'Fx'"),
    ("SPDamp", {**LINE, "type": 3}, "type is '3'; 1 is translational, 2 torsional"),
    ("SPDamp", {**LINE, "body2": 1}, "body2 is 1, the same as body1"),
    ("SPDamp", {**LINE, "p1x": 1}, "the two points of the spring coincide at the start"),
    ("SPDamp", {**LINE, "K": "q14"}, "line 7, column 3: K = q14 depends.*strict=False lists it.*model.law"),
    ("SPDamp", {**TWIST, "K": 1}, "no 'ConnectionID'"),
    ("SPDamp", {**TWIST, "ConnectionID": 5}, "ConnectionID is '5', but Connection has no such joint.*1, 2"),
    ("SPDamp", {**TWIST, "ConnectionID": 1.5}, "ConnectionID is '1.5', but Connection has no such joint"),
    ("SPDamp", {**TWIST, "ConnectionID": 2}, "prismatic joint 'rail', which has no angle"),
    ("SPDamp", {**TWIST, "body2": 2, "ConnectionID": 1}, "'O' between bodies 0 and 1, not 0 and 2"),
    ("Driving Pos", {"PSI_t": 0}, "no 'position'"),
    ("Driving Pos", {"position": "t"}, "has no coordinate in it, so it moves nothing"),
    ("Driving Pos", {"position": "q1-qp1"}, "has rates qp in it.*over q and t"),
    ("Driving Pos", {"position": "q1-A"}, "the name 'A' is not known"),
    ("Driving Pos", {"position": "q4-cos(t)", "PSI_t": "sin(t)", "PSI_tt": "cos(t)", "PSI_q(4)": 1},
     "line 3, column 10: position = q4-cos.t. drives Euler parameters alone.*in pairs.*model.drive"),
    ("Driving Pos", {"position": "t-cos(q4)", "PSI_t": 1, "PSI_tt": 0, "PSI_q(4)": "sin(q4)"},
     "drives Euler parameters"),
    ("Driving Pos", {"position": "q1-t", "PSI_t": -1, "PSI_tt": 0, "PSI_q(1)": 1, "PSI_q(99)": 0}, "no coordinate q99"),
    ("Driving Pos", {"position": "q1-t", "PSI_t": -1, "PSIit": -1, "PSI_tt": 0, "PSI_q(1)": 1},
     "'PSI_t' is given twice"),
]


@pytest.mark.parametrize("card, fields, message", ADDED)
def test_a_wrong_force_or_law_is_refused_with_its_place(folder, card, fields, message):
    (folder / f"{card}.s3d").write_text(block(**fields))
    refused(folder, message)


@pytest.mark.parametrize("card", ["General", "Connection", "Inertial", "Initial configuration"])
def test_a_card_that_must_be_there(folder, card):
    (folder / f"{card}.s3d").unlink()
    refused(folder, f"the folder 'cards' has no {card}.s3d.*Cards in it: .*must be there")


def test_a_folder_that_is_not_there(tmp_path):
    refused(tmp_path / "nowhere", "there is no folder '.*nowhere'.*General.s3d")


@pytest.mark.parametrize("card", text.CARDS)
@pytest.mark.parametrize("content", [b"", b"\n \n\t\n"])
def test_an_empty_card(folder, card, content):
    (folder / f"{card}.s3d").write_bytes(content)
    refused(folder, f"{card}.s3d: the file is empty.*or remove the file")


@pytest.mark.parametrize("card", text.CARDS)
def test_a_card_that_is_no_text(folder, card):
    (folder / f"{card}.s3d").write_bytes(b"NumDyn3D\0\0")
    refused(folder, f"{card}.s3d: the file is not plain text")


def test_a_huge_card(folder, monkeypatch):
    monkeypatch.setattr(text, "MOST_BYTES", 100_000)
    (folder / "Force.s3d").write_text(VERSION + "! filler\n" * 20_000)
    refused(folder, "Force.s3d: the file has .* MB; the limit is")


def test_a_line_of_ten_megabytes(folder):
    (folder / "Connection.s3d").write_text(VERSION + "begin(1)\nname=" + "x" * 10_000_000 + "\nend(1)\n")
    refused(folder, "^Connection.s3d, line 3, column 1: the line has 10000005 characters; the limit is 5000")


def test_another_version_is_read_with_a_warning(folder):
    path = folder / "Inertial.s3d"
    path.write_text(path.read_text().replace("ver. 7.0a", "ver. 6.2"))
    with pytest.warns(FileWarning, match="Inertial.s3d, line 1, column 1: the version is 'NumDyn3D ver. 6.2'"):
        assert read_cards(folder).model.bodies["arm"].mass == 2.0


def test_a_missing_version_is_noted(folder):
    path = folder / "Inertial.s3d"
    path.write_text(path.read_text().replace(VERSION, ""))
    assert "Inertial.s3d: there is no version line 'NumDyn3D ver. 7.0a'." in read_cards(folder).report.notes


def test_places_count_the_same_with_carriage_returns(folder):
    path = folder / "Connection.s3d"
    path.write_bytes(path.read_text().replace("type=1", "type=9").replace("\n", "\r\n").encode())
    refused(folder, "^Connection.s3d, line 5, column 8: type is '9'")


def test_bytes_that_are_no_utf8_are_shown_in_the_message(folder):
    path = folder / "Connection.s3d"
    path.write_bytes(path.read_bytes().replace(b"type=1", b"type=\xe8\xff"))
    refused(folder, "^Connection.s3d, line 5, column 8: type is not a number: the character 'è'")


def test_a_huge_line(folder):
    (folder / "Force.s3d").write_text(VERSION + "begin(1)\nFx=" + "1+" * 5_000 + "1\nend(1)\n")
    refused(folder, "Force.s3d, line 3, column 1: the line has 10004 characters; the limit is 5000")


def test_a_general_card_that_ends_early(folder):
    (folder / "General.s3d").write_text("title\nNB 2\n")
    refused(folder, "General.s3d: the line 'TI' is missing.*NB, TI, TE, ST, PP")


def test_euler_parameters_of_another_length_are_warned_of(folder):
    path = folder / "Initial configuration.s3d"
    path.write_text(path.read_text().replace("q4=1.0", "q4=1.001", 1))
    with pytest.warns(FileWarning, match="q4 to q7 of body 'arm' have the length 1.001"):
        read_cards(folder)


def test_a_run_that_is_none_is_not_written(tmp_path):
    with pytest.raises(CardError, match=r"(?s)from 0 s to -1 s.*Give until="):
        write_cards(vc.Model(), tmp_path, until=-1)


def test_a_model_without_bodies_is_not_written(tmp_path):
    with pytest.raises(CardError, match="has no bodies"):
        write_cards(vc.Model(), tmp_path)
