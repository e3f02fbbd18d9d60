"""Nothing in a dataset of Adams is passed over: every argument changes the model, is listed, or is refused."""

import warnings

import pytest

from vincolo.errors import FileError
from vincolo.formats.adams import read_adm
from vincolo.formats.adams.text import ARGUMENTS
from vincolo.formats.tree.files import model_data

PARTS = """UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
ACCGRAV/IGRAV=0.1, JGRAV=0.2, KGRAV=-9.81
PART/1, GROUND
MARKER/1, PART=1
MARKER/2, PART=1, QP=0.1, 0.2, 0.3, REULER=10D, 20D, 30D
MARKER/3, PART=1, QP=1, 0, 0, ZP=1, 1, 0, XP=2, 0.5, 0
PART/2, MASS=2, CM=20, IM=21, IP=0.3, 0.4, 0.5, 0.01, 0.02, 0.03, QG=0.1, 0.1, 0.1, REULER=5D, 6D, 7D
, VX=1, VY=2, VZ=3, WX=0.1, WY=0.2, WZ=0.3
MARKER/20, PART=2, QP=0.05, 0, 0
MARKER/21, PART=2
MARKER/22, PART=2, QP=0.4, 0.1, 0.2, REULER=15D, 25D, 35D
PART/3, MASS=1, CM=30, IP=0.1, 0.1, 0.1
MARKER/30, PART=3, QP=0, 0, 1
MARKER/31, PART=3, QP=0.5, 0.6, 0.7
PART/4, MASS=1, CM=40, IP=0.1, 0.1, 0.1
MARKER/40, PART=4, QP=0, -0.1, 0, REULER=90D, 90D, 0D
MARKER/5, PART=1, FLOATING
MARKER/6, PART=3, FLOATING
VFORCE/7, I=20, JFLOAT=5, RM=2, FX=1
VFORCE/8, I=20, JFLOAT=6, RM=31, FX=1
"""
#: one statement of each kind, and of each way to write it; all in a model that need not run
STATEMENTS = [
    "JOINT/1, REVOLUTE, I=22, J=2, IC=0.1, 0.2", "JOINT/1, CYLINDRICAL, I=22, J=2, ICTRAN=0.1, 0.3, ICROT=20D, 1",
    "JOINT/1, SCREW, I=22, J=2, PITCH=0.01", "JOINT/1, RACKPIN, I=21, J=40, PD=0.2", "JOINT/1, SPHERICAL, I=22, J=2",
    "JOINT/1, HOOKE, I=22, J=2", "JOINT/1, CONVEL, I=22, J=2", "JOINT/1, FIXED, I=22, J=2",
    "JOINT/1, PLANAR, I=22, J=2",
    *(f"JPRIM/1, {kind}, I=22, J=2" for kind in ("ATPOINT", "INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES",
                                                 "PERPENDICULAR")),
    "MOTION/1, JOINT=9, ROTATIONAL, FUNCTION=TIME", "MOTION/1, JOINT=9, VELOCITY, ICDISP=0.1, FUNCTION=TIME",
    "MOTION/1, JOINT=9, ACCELERATION, ICDISP=0.1, ICVEL=0.2, FUNCTION=TIME", "MOTION/1, I=22, J=2, Y, FUNCTION=TIME",
    "COUPLER/1, JOINTS=9, 8, SCALES=-1, 2, TYPE=R:R", "GEAR/1, JOINTS=9, 8, CV=3",
    "GCON/1, FUNCTION=DX(22,2,2)*2 - DZ(31)",
    "SPRINGDAMPER/1, I=22, J=2, TRANSLATIONAL, K=10, C=1, LENGTH=0.3, FORCE=2",
    "SPRINGDAMPER/1, I=22, J=2, ROTATIONAL, KT=10, CT=1, ANGLE=20D, TORQUE=2",
    "SFORCE/1, I=22, J=2, TRANSLATIONAL, FUNCTION=3*TIME", "SFORCE/1, I=22, J=2, ROTATIONAL, ACTIONONLY, FUNCTION=3",
    r"VFORCE/1, I=22, JFLOAT=5, RM=2, FX=1\, FY=TIME\, FZ=3\\"[:-1],
    r"VTORQUE/1, I=22, JFLOAT=5, RM=2, TX=1\, TY=TIME\, TZ=3\\"[:-1],
    r"GFORCE/1, I=22, JFLOAT=5, RM=2, FX=1\, FY=TIME\, FZ=3\, TX=4\, TY=5\, TZ=6\\"[:-1],
    "BUSHING/1, I=22, J=2, K=1, 2, 3, C=4, 5, 6, KT=7, 8, 9, CT=1, 2, 3, FORCE=4, 5, 6, TORQUE=7, 8, 9",
]
HINGES = """MARKER/8, PART=1, QP=0, 0, 1
MARKER/32, PART=3, QP=0, 0, 1
MARKER/9, PART=1, QP=0, 0, 2
MARKER/42, PART=4, QP=0, 0, 2
JOINT/8, REVOLUTE, I=32, J=8
JOINT/9, REVOLUTE, I=42, J=9
"""
#: what an argument may say, where it is not there; words of their own stand for flags
VALUES = {**dict.fromkeys(("I", "CM", "IM"), "31"), **dict.fromkeys(("J", "RM", "VM", "WM", "CV"), "1"),
          "JFLOAT": "6", "PART": "3", "JOINT": "8", "JOINTS": "8, 9", "SCALES": "1, 3", "TYPE": "R:R",
          "FUNCTION": "TIME**2\\", **{a + b: "7*TIME\\" for a in "FT" for b in "XYZ"}, "ROUTINE": "lib::sub",
          **dict.fromkeys(("QP", "QG", "REULER", "EULER", "ZP", "XP", "ZG", "XG"), "0.1, 0.2, 0.4"),
          **dict.fromkeys(("IC", "ICTRAN", "ICROT"), "0.1, 0.2"), "IP": "0.5, 0.5, 0.5",
          **dict.fromkeys(("K", "C", "KT", "CT", "FORCE", "TORQUE"), "1, 2, 5"), "SYSTEM": "MMKS",
          "MASS": "3", "LENGTH": "0.2", "TIME": "MINUTE", "POINT_MASS": "3", "FLEX_BODY": "3", "NODE_ID": "4",
          "MATERIAL": "steel"}
FLAGS = {"GROUND", "EXACT", "USEXP", "FLOATING", "ACTIONONLY", "TRANSLATIONAL", "ROTATIONAL", "DISPLACEMENT",
         "VELOCITY", "ACCELERATION", "X", "Y", "Z", "B1", "B2", "B3", "CONVEL", "CYLINDRICAL", "FIXED", "HOOKE",
         "PLANAR", "RACKPIN", "REVOLUTE", "SCREW", "SPHERICAL", "UNIVERSAL", "ATPOINT", "INLINE", "INPLANE",
         "ORIENTATION", "PARALLEL_AXES", "PERPENDICULAR"}
#: saying what is so anyway
DEFAULTS = {("MOTION", "DISPLACEMENT"), ("SFORCE", "TRANSLATIONAL"), ("SPRINGDAMPER", "TRANSLATIONAL"),
            ("MOTION", "ROTATIONAL")}


def known(path, text):
    """What is made of a dataset: the model with its start, and what is listed; None if it is refused."""
    path.write_text("ADAMS/View model name: law\n" + text + "END\n")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = read_adm(path)
    except FileError:
        return None
    given = {} if found.begin is None else found.begin.__closure__[0].cell_contents
    listed = [line.partition(": ")[2] for line in (*found.report.unused, *found.report.left_out)]
    return (repr(model_data(found.model, found.settings)), repr(sorted(given.items()))), sorted(listed)


def written(keyword, name, value):
    return name if name in FLAGS else f"{name}={value}"


def variants(statement):
    """The statement with each of its arguments changed, and with each other argument of its kind added."""
    keyword = statement.partition("/")[0]
    pieces = [piece.strip() for piece in statement.replace("\n,", ",").split(", ")]
    names = [piece.partition("=")[0].partition("/")[0].strip() for piece in pieces]
    for name in ARGUMENTS[keyword]:
        value = VALUES.get(name, "0.7")
        if keyword in ("SPRINGDAMPER",) and name in ("K", "C", "KT", "CT", "FORCE", "TORQUE"):
            value = "5.5"
        if keyword == "UNITS":
            value = {"FORCE": "DYNE", "MASS": "GRAM", "LENGTH": "INCH", "TIME": "HOUR", "SYSTEM": "CGS",
                     "UCF": "2"}[name]
        others = {"PART": "2", "IC": "0.3, 0.4", "TYPE": "T:T", "RM": "2", "I": "21", "JFLOAT": "5"}
        if f"{name}={value}" in statement:
            value = others.get(name, value)
        if name in names and name in FLAGS:
            yield name, ", ".join(piece for piece in pieces if piece != name)
        elif name in names:
            at = names.index(name)
            stop = next((k for k in range(at + 1, len(pieces)) if "=" in pieces[k] or pieces[k] in FLAGS), len(pieces))
            head = pieces[at].partition(name)[0]
            yield name, ", ".join([*pieces[:at], head + written(keyword, name, value), *pieces[stop:]])
        else:
            yield name, ", ".join([*pieces, written(keyword, name, value)])


def lines_of(text):
    return [line for line in text.replace("\n,", ",").split("\n") if line]


CASES = [(PARTS, line) for line in lines_of(PARTS)] + [(PARTS + HINGES, line) for line in STATEMENTS]


@pytest.mark.parametrize(("deck", "statement"), CASES, ids=[line[:40] for _, line in CASES])
def test_every_argument_counts_is_listed_or_is_refused(deck, statement, tmp_path):
    before = lines_of(deck)
    base = before if statement in before else [*before, statement]
    whole = known(tmp_path / "deck.adm", "\n".join(base) + "\n")
    assert whole is not None, statement
    keyword = statement.partition("/")[0]
    for name, changed in variants(statement):
        if (keyword, name) in DEFAULTS:
            continue
        other = known(tmp_path / "deck.adm", "\n".join(changed if line == statement else line for line in base) + "\n")
        if other is None or other[0] != whole[0]:
            continue
        named = [line for line in other[1] if f"{name}" in line and line not in whole[1]]
        assert named, f"{changed}: {name} neither changes the model nor is it listed"


def test_unknown_arguments_and_statements_are_listed_with_their_lines(tmp_path):
    text = PARTS + ("JOINT/1, REVOLUTE, I=22, J=2, DELTA_V=3, INNER=4\nCONTACT/1, IGEOM=1\nREQUEST/1, F2=1\n"
                    "REQUEST/2, F2=1\n")
    path = tmp_path / "deck.adm"
    path.write_text("title\n" + text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = read_adm(path).report
    first = 1 + PARTS.count("\n") + 1
    unknown = f"deck.adm, line {first}: JOINT/1: 'DELTA_V', 'INNER' not read"
    assert any(line.startswith(unknown) for line in report.unused)
    assert any(f"2 REQUEST statements (lines {first + 2}, {first + 3})" in line for line in report.unused)
    assert any(line.startswith(f"deck.adm, line {first + 1}: ") and "CONTACT" in line for line in report.left_out)


