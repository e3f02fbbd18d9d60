"""Whatever is wrong with a card, the message says card, line and column, in the user's names, and the way out."""

import re

import pytest

import vincolo as vc
from vincolo.formats.cards import CardError, CardWarning, read_cards, text, write_cards

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
    ("General", "NB 2", "NB two", "General.s3d, line 2, column 4: NB is no number"),
    ("General", "NB 2", "NB 0", "line 2, column 4: NB is '0'.*number of bodies.*from 1"),
    ("General", "NB 2", "NB 1.5", "NB is '1.5'.*whole number"),
    ("General", "NB 2", "nb 2", "line 2, column 1: 'nb 2' stands where 'NB'.*with capitals"),
    ("General", "TE 1.0", "TE -1", "line 4, column 4: TE is -1 s, not after TI = 0 s"),
    ("General", "TE 1.0", "TE nan", "TE is 'nan'; a finite number"),
    ("General", "ST 200", "ST 1e99", "ST is '1e99'.*number of time intervals"),
    ("General", "ID | BODY NAME\n", "", "line 7.*'ID | BODY NAME' is missing"),
    ("General", "2 | slider", "2 | arm", "line 9, column 1: the body 'arm' is there twice, first in line 8"),
    ("General", "2 | slider", "1 | slider", "line 9.*should be body 2.*'2 | name'"),
    ("General", "2 | slider", "2 |", "body 2 has no name"),
    ("Connection", "type=1", "type=6",
     "Connection.s3d, line 5, column 8: type is '6'; it is 1 revolute, 2 prismatic.*no other"),
    ("Connection", "type=1", "type=hinge", "line 5, column 8: type is no number.*'hinge' is not known"),
    ("Connection", "type=1", "Type=1", "column 8: there is no label 'Type'.*case sensitive. Did you mean 'type'"),
    ("Connection", "type=1\n", "\n", r"line 3, column 1: begin\(1\) has no 'type'.*Write type=... before end\(1\)"),
    ("Connection", "body1=2", "body1=3", "body1 is '3'; bodies are numbered 1 to 2 as in General, and 0 is the frame"),
    ("Connection", "body1=2", "body1=0", "body2 is 0, the same as body1.*two different bodies"),
    ("Connection", "P1=0.0 0.0 0.0", "P1=0.0 0.0", "line 8, column 6: P1 has 2 numbers; 3 are needed.*blanks"),
    ("Connection", "P1=0.0 0.0 0.0", "P1=0.0 nan 0.0", "line 8, column 10: P1 is 'nan'; a finite number"),
    ("Connection", "P1=0.0 0.0 0.0", "P1=0.0, 0.0, 0.0", "line 8, column 6: P1 is no number"),
    ("Connection", "Q1=0.0 0.0 1.0", "Q1=0.0 0.0 0.0", "line 9, column 6: Q1 is the same point as P1.*unit distance"),
    ("Connection", "Q1=0.0 0.0 1.0", "Q1=1.0 0.0 1.0", "R1 - P1 is not at right angles to Q1 - P1.*cosine is 0.7"),
    ("Connection", "begin(2)", "begin(1)", r"line \d+, column 1: begin\(1\) is there twice, first in line 3"),
    ("Connection", "begin(2)", "Begin(2)", "'Begin.2.' in Connection.s3d is no 'label=value'.*case sensitive"),
    ("Connection", "begin(2)", "begin(two)", r"end\(2\) ends nothing that was begun.*Write end\(two\)"),
    ("Connection", "end(1)\n", "", r"begin\(2\) stands inside begin\(1\).*Write end\(1\) before"),
    ("Connection", "end(2)\n", "", r"begin\(2\) is never ended"),
    ("Connection", "begin(1)\n", "", "line 3, column 8: 'name' stands outside a block"),
    ("Connection", "name=O", "name=", "line 4, column 8: 'name' has no value"),
    ("Connection", "name=O", "name=O\n  name=P", "line 5, column 8: 'name' is given twice.*first in line 4"),
    ("Inertial", "mass=2.0", "mass=-2.0", "body 'arm': the mass is -2 kg; it must be positive"),
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
]


@pytest.mark.parametrize("card, old, new, message", CHANGES, ids=[f"{c[0]}: {c[1]} -> {c[2]}"[:60] for c in CHANGES])
def test_a_wrong_card_is_refused_with_its_place(folder, card, old, new, message):
    path = folder / f"{card}.s3d"
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new) if old in ("(2)",) else before.replace(old, new, 1))
    refused(folder, message)


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
    ("Force", {**FORCE, "Fx": "__import__('os')"}, "line 6, column 4: Fx: the character \"'\" cannot stand"),
    ("Force", {**FORCE, "Fx": "exec(t)"}, "no function called 'exec'"),
    ("Force", {**FORCE, "Fx": "2*x"}, r"Fx: the name 'x' is not known.*2\*x\n    \^"),
    ("Force", {**FORCE, "Fx": "1/0"}, "no finite value"),
    ("Force", {**FORCE, "Fx": "q2"}, "Fx = q2 depends on coordinates that it does not act along.*q1 and qp1.*SPDamp"),
    ("Force", {**FORCE, "Fx": "q1", "px": 1}, "Fx = q1 depends.*px=py=pz=0"),
    ("Force", {**FORCE, "Tx": "q4"}, "Tx = q4 depends.*coordinates of body 1 if a revolute joint"),
    ("Force", {**FORCE, "Fx": 1, "px": "q1"}, "px = q1 depends on coordinates.*on t only"),
    ("Force", {**FORCE, "fx": 1}, "no label 'fx'.*Did you mean 'Fx'"),
    ("SPDamp", {**LINE, "type": 3}, "type is '3'; 1 is translational, 2 torsional"),
    ("SPDamp", {**LINE, "body2": 1}, "body2 is 1, the same as body1"),
    ("SPDamp", {**LINE, "p1x": 1}, "the two points of the spring coincide at the start"),
    ("SPDamp", {**LINE, "K": "q1"}, "line 7, column 3: K = q1 depends.*strict=False lists it.*model.law"),
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
    refused(folder, f"{card}.s3d: the file is no plain text")


def test_a_huge_card(folder, monkeypatch):
    monkeypatch.setattr(text, "MOST_BYTES", 100_000)
    (folder / "Force.s3d").write_text(VERSION + "! filler\n" * 20_000)
    refused(folder, "Force.s3d: the file has .* MB; the limit is")


def test_a_huge_line(folder):
    (folder / "Force.s3d").write_text(VERSION + "begin(1)\nFx=" + "1+" * 5_000 + "1\nend(1)\n")
    refused(folder, "Force.s3d, line 3, column 1: the line has 10004 characters; the limit is 5000")


def test_a_general_card_that_ends_early(folder):
    (folder / "General.s3d").write_text("title\nNB 2\n")
    refused(folder, "General.s3d: the line 'TI' is missing.*NB, TI, TE, ST, PP")


def test_euler_parameters_of_another_length_are_warned_of(folder):
    path = folder / "Initial configuration.s3d"
    path.write_text(path.read_text().replace("q4=1.0", "q4=1.001", 1))
    with pytest.warns(CardWarning, match="q4 to q7 of body 'arm' have the length 1.001"):
        read_cards(folder)


def test_a_run_that_is_none_is_not_written(tmp_path):
    with pytest.raises(CardError, match=r"(?s)from 0 s to -1 s.*Give until="):
        write_cards(vc.Model(), tmp_path, until=-1)


def test_a_model_without_bodies_is_not_written(tmp_path):
    with pytest.raises(CardError, match="has no bodies"):
        write_cards(vc.Model(), tmp_path)
