"""Whatever is wrong with matrices of SymDyn3D, the message says line and column, or row and entry, and the way out."""

import re

import numpy as np
import pytest

from vincolo.errors import FileError, FileErrors, ModelError
from vincolo.formats.matrices import from_matrices, read_matrices

AXIS = "0,0,0, 0,0,1, 1,0,0"
TEXT = f"""NB = 2
mass = [1, 2]
inertia = [[1, 1, 1], 2]
CON = [[0, 1, revolute, {AXIS}, {AXIS}],
       [1, 2, 2, 0,0,0, 1,0,0, 0,1,0, 0,0,0, 1,0,0, 0,0,1]]
FORCE = [[1, 0,5,0, 0,0,t, 0,0,0, Glob]]
SPDAMPERS = [[0, 1, 3*d, 0,0,0, 0,0,0, R]]
DRIV = [q8-sin(t)]
q_in = [q4 = 1]
"""


def refused(tmp_path, text, message):
    path = tmp_path / "model.sym"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileError) as caught:
        read_matrices(path)
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)


CHANGES = [
    ("NB = 2", "NB = 3", r"model.sym, line 1, column 6: NB is 3, but there are 2 masses.*Correct one"),
    ("NB = 2", "NB 2", "line 1, column 4: '2' is where = should be.*name = value"),
    ("NB = 2", "2 = NB", "line 1, column 1: '2' is where a name should be"),
    ("NB = 2", "NB = ", "line 2, column 1: a value is missing before 'mass'"),
    ("NB = 2", "NB = 2 3", "NB is not a number"),
    ("NB = 2", "NB = 2, 3", "column 7: ',' follows the value of 'NB'.*End it with"),
    ("NB = 2", "NB = __import__('os')", r"the text ''os'' is inside an expression"),
    ("NB = 2", "NB = os.system", "column 8: the character '.' is not allowed here"),
    ("NB = 2", "NB = 2 @", "line 1, column 8: the character '@' is not allowed here.*comments behind"),
    ("mass = [1, 2]", "mass = [1, 'two]", "line 2, column 12: the text that begins with ' is not closed"),
    ("mass = [1, 2]", "mass = [1, x]", "line 2, column 12: mass of body 2 is not a number: the name 'x' is not known"),
    ("mass = [1, 2]", "mass = [1, -2]", "line 2, column 8: body 'body 2': the mass is -2 kg"),
    ("mass = [1, 2]", "mass = [1, 1e999]", "mass of body 2 is '1e999'; a finite number"),
    ("mass = [1, 2]", "mass = [1, nan]", "mass of body 2 is 'nan'; a finite number"),
    ("mass = [1, 2]", "mass = [1, 9^9^9^9]", "has no finite value"),
    ("mass = [1, 2]", "mass = [1, 2*t]", "which changes in time"),
    ("mass = [1, 2]", "mass = [1, ]", "line 2, column 10: an entry is missing after the comma"),
    ("mass = [1, 2]", "mass = [1,, 2]", "line 2, column 11: a value is missing before ','"),
    ("mass = [1, 2]", "mass = [1, 2", r"line 2, column 8: the list that begins with \[ is not closed.*Write \]"),
    ("mass = [1, 2]", "mass = [1, (2]", "line 2, column 14: ']' closes nothing that was opened"),
    ("mass = [1, 2]", "mass = [1, 2}", "'}' follows an entry of the list that begins in line 2"),
    ("mass = [1, 2]", "mass = [1, 2]]", "line 2, column 14: ']' follows the value of 'mass'"),
    ("mass = [1, 2]", "mass = []", "NB is 2, but there are 0 masses"),
    ("mass = [1, 2]", "", "model.sym: the matrix mass is missing"),
    ("mass = [1, 2]", "mass = [1, 2]; mass = [3, 4]", "line 2, column 16: 'mass' is given twice, first in line 2"),
    ("mass = [1, 2]", "mass = [1, 2]; J = [1, 2]", "line 3, column 1: 'inertia' is given besides another name"),
    ("inertia = [[1, 1, 1], 2]", "inertia = [[1, 1, 1]]", "line 3, column 11: inertia has 1 items for 2 bodies"),
    ("inertia = [[1, 1, 1], 2]", "inertia = [[1, 1], 2]", "line 3, column 12: inertia has 2 numbers"),
    ("inertia = [[1, 1, 1], 2]", "inertia = [[1, 9, 1], 2]", "body 'body 1'.*Correct mass and inertia"),
    ("inertia = [[1, 1, 1], 2]", "inertia = [[[[[[[[1]]]]]]]]", "line 3, column 17: lists are nested deeper than 6"),
    ("CON = [[0", "CON = [[0, 7", "line 4, column 8: a row of CON has 22 entries; 21 are needed.*They are i, j, type"),
    ("CON = [[0", "CON = [[3", "line 4, column 9: i is '3'; bodies are numbered 1 to 2, and 0 is the ground"),
    ("CON = [[0", "CON = [[1", "line 4, column 12: j is 1, the same as i"),
    ("CON = [[0", "CON = [[0.5", "i is '0.5'"),
    ("revolute", "hinge", "line 4, column 15: there is no joint 'hinge'.*Joints: revolute"),
    ("revolute", "revolut", "Did you mean 'revolute'"),
    ("revolute", "6", "the type of a joint is '6'; 1 is revolute.*others have names only"),
    ("revolute, 0,0,0, 0,0,1,", "revolute, 0,0,0, 0,0,0,", "Q1 is the same point as P1"),
    ("revolute, 0,0,0, 0,0,1,", "revolute, 0,0,0, 1,0,1,", "R1 - P1 is not at right angles to Q1 - P1.*0.7"),
    ("revolute, 0,0,0, 0,0,1,", "revolute, 0,0,z, 0,0,1,", "line 4, column 29: P1 is not a number: the name 'z'"),
    ("CON = [[0", "CON = 3; X = [[0", "line 4, column 7: CON is '3', not a list"),
    ("CON =", "con =", "line 4, column 1: there is no matrix 'con'.*Did you mean 'CON'"),
    ("FORCE = [[1, ", "FORCE = [[0, ", "line 6, column 11: link is '0'; bodies are numbered 1 to 2"),
    ("FORCE = [[1, 0,", "FORCE = [[1, ", "a row of FORCE has 10 entries; 11 are needed.*link, Fx, Fy"),
    ("Glob", "world", "line 6, column 35: the type is 'world'.*Loc .* or Glob"),
    ("0,5,0,", "q1,5,q12,", "Fz = q12 depends on Euler parameters of a body to which no.*SPDAMPERS"),
    ("0,5,0,", "0,q15,0,", "line 6, column 16: there is no coordinate q15.*q1 to q14"),
    ("0,5,0,", "0,eval(t),0,", "no function called 'eval'"),
    ("0,5,0,", "0,'t.__class__',0,", "names have no attributes"),
    ("0,5,0,", "0,[1,2],0,", "a row of FORCE has 12 entries"),
    ("3*d", "3*x", "torque: the name 'x' is not known"),
    ("3*d", "3*q14", "3.q14 depends on Euler parameters of a body to which no.*leave this row out"),
    ("[0, 1, 3*d", "[0, 0, 3*d", "j is 0, the same as i.*A spring has two different bodies"),
    ("[0, 1, 3*d", "[1, 2, 3*d", "bodies 1 and 2 have the prismatic joint 'joint 2' between them, and so no angle"),
    ("[0, 1, 3*d", "[0, 2, 3*d", "bodies 0 and 2 have no joint between them"),
    ("0,0,0, R]", "0,0,0, T]", "line 7, column 14: the two points of the spring coincide at the start"),
    ("0,0,0, R]", "0,0,0, Q]", "the type is 'Q'.*T for a spring between points"),
    ("[q8-sin(t)]", "[sin(t)]", "has no coordinate in it, so it moves nothing"),
    ("[q8-sin(t)]", "[qp8-sin(t)]", "has rates qp in it"),
    ("[q8-sin(t)]", "[q4-cos(t)]", "drives Euler parameters alone"),
    ("[q8-sin(t)]", "['q8=t=1']", "has more than one ="),
    ("[q8-sin(t)]", "[[8, [0, 1], [0]]]", "line 8, column 9: .*Correct the samples"),
    ("[q8-sin(t)]", "[[8, [0, 0], [0, 1]]]", "line 8, column 9: .*Correct the samples"),
    ("[q8-sin(t)]", "[[8, [0, 1]]]", r"samples are \[number of a coordinate, \[times\], \[values\]\]"),
    ("[q8-sin(t)]", "[[11, [0, 1], [0, 1]]]", "q11 is an Euler parameter, which samples cannot drive"),
    ("[q8-sin(t)]", "[[99, [0, 1], [0, 1]]]", "the number of a coordinate is '99'"),
    ("[q8-sin(t)]", "[[8, [0, 1], [0, 1], jerk]]", "the type is 'jerk'.*position or velocity or acceleration"),
    ("[q4 = 1]", "[q15 = 1]", "line 9, column 9: the number of a coordinate is '15'.*seven for each body"),
    ("[q4 = 1]", "[q4 = 1, q4 = 0]", "q4 is given twice in q_in"),
    ("[q4 = 1]", "[1, 2]", "q_in has 2 values; 2 bodies have 14 coordinates.*pairs"),
    ("[q4 = 1]", "[q4 = x]", "q4 is not a number"),
    ("[q4 = 1]", "[qp4 = 1]",
     "line 9, column 9: this is not a coordinate with its value, such as .4, 1.0. or q4 = 1.0"),
    ("[q4 = 1]", "[[4, 1, 2]]", "this is not a coordinate with its value"),
    ("[q4 = 1]", "[q4 = 1, 3]", "this is not a coordinate with its value"),
    ("[q4 = 1]", "[q4=0, q5=0, q6=0, q7=0]", "q4 to q7 of body 'body 1' have the length 0"),
    ("[q4 = 1]", "[q4 = 1]\nTE = -1", "line 10, column 6: TE is -1 s, not after TI = 0 s"),
    ("[q4 = 1]", "[q4 = 1]\nST = 1.5", "ST is 1.5; it is the number of output steps"),
    ("[q4 = 1]", "[q4 = 1]\nindex = 4", "index is 4.*1, 2 or 3"),
    ("[q4 = 1]", "[q4 = 1]\ngravity = [1, 2]", "gravity has 2 numbers; three are needed"),
    ("[q4 = 1]", "[q4 = 1]\nnames = [a]", "names has 1 names for 2 bodies"),
    ("[q4 = 1]", "[q4 = 1]\nNFORCES = 2", "NFORCES is 2, but there are 1 rows of FORCE"),
    ("[q4 = 1]", "[q4 = 1]\npi = 3", "line 10, column 1: the name 'pi' cannot be used"),
    ("[q4 = 1]", "[q4 = 1]\nd = 3", "line 10, column 1: the constant 'd' has a name that the program uses"),
]


@pytest.mark.parametrize("old, new, message", CHANGES, ids=[f"{c[0]} -> {c[1]}"[:60] for c in CHANGES])
def test_a_wrong_file_is_refused_with_its_place(tmp_path, old, new, message):
    assert TEXT.count(old) >= 1
    refused(tmp_path, TEXT.replace(old, new, 1), message)


def test_the_file_is_right_as_it_stands(tmp_path):
    (tmp_path / "model.sym").write_text(TEXT)
    d = read_matrices(tmp_path / "model.sym")
    assert (len(d.model.joints), len(d.model.loads), len(d.model.laws), len(d.model.holds)) == (2, 2, 1, 1)


def test_mistakes_are_reported_together(tmp_path):
    text = TEXT.replace("revolute", "hinge").replace("[1, 2]", "[-1, 2]", 1).replace("0,5,0,", "0,y,0,")
    path = tmp_path / "model.sym"
    path.write_text(text.replace("q4 = 1", "q44 = 1").replace("Glob", "here"))
    with pytest.raises(FileErrors, match="^model.sym: 5 mistakes.\n1. ") as caught:
        read_matrices(path)
    assert isinstance(caught.value, ModelError)
    # the spring about the joint that is not there, and the law of its body, are no mistakes of their own
    assert [str(one).split(":")[0] for one in caught.value.mistakes] == [
        "model.sym, line 4, column 15", "model.sym, line 9, column 9", "model.sym, line 2, column 8",
        "model.sym, line 6, column 35", "model.sym, line 6, column 16"]


@pytest.mark.parametrize("content, message", [
    (b"", "model.sym: the file assigns nothing"), (b"# only words\n", "the file assigns nothing"),
    (b"CON = \0", "not plain text"), (b"\xff\xfe = 3", "line 1, column 1: the character 'ÿ'"),
    (b"mass = " + b"[" * 100_000, "line 1, column 14: lists are nested deeper than 6"),
    (b"mass = (" + b"(" * 100_000 + b"1", "is not closed"),
    (b"mass = [" + b"1," * 300_000 + b"1]", "the file has more than 200000 entries"),
    (b"mass = [" + b"9" * 4_000_000 + b"]\nCON=[]\ninertia=[1]", "mass of body 1 is .*a finite number"),
    (b"x = [" + b"1," * 50_000 + b"1]\ny = [x, x, x, x, x]", "line 2, column 5: the list has more than 200000 entries"),
    (b"a=[1,1,1,1,1,1,1,1,1,1]\n" + b"\n".join(b"%c=[" % (98 + k) + b",".join([b"%c" % (97 + k)] * 10) + b"]"
                                               for k in range(20)), "more than 200000 entries")])
def test_hostile_files(tmp_path, content, message):
    refused(tmp_path, content, message)


def test_a_huge_file(tmp_path):
    refused(tmp_path, b"#" * 6_000_000, "model.sym: the file has 6 MB; the limit is 5 MB")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="there is no file '.*nowhere.sym'"):
        read_matrices(tmp_path / "nowhere.sym")


POINTS = [0, 0, 0, 0, 0, 1, 1, 0, 0]
HINGE = [0, 1, "revolute", *POINTS, *POINTS]
CALLS = [
    ({"CON": [[0, 1, "hinge", *POINTS, *POINTS]]}, r"^CON, row 1, entry 3: there is no joint 'hinge'"),
    ({"CON": [HINGE[:-1]]}, "^CON, row 1: a row of CON has 20 entries"),
    ({"CON": [[0, 1, object(), *POINTS, *POINTS]]}, "^CON, row 1, entry 3: there is object instead of numbers"),
    ({"CON": 3}, "^CON: CON is '3', not a list"),
    ({"mass": [True]}, "^mass, row 1: there is bool"),
    ({"mass": [np.nan]}, "^mass, row 1: mass of body 1 is 'nan'"),
    ({"mass": [10**5000]}, "^mass, row 1: mass of body 1 is 'inf'"),
    ({"mass": [1 + 2j]}, "^mass, row 1: there is complex"),
    ({"inertia": [np.full((3, 3), np.inf)]}, "inertia is 'inf'; a finite number"),
    ({"FORCE": [[1, 0, 0, 0, 0, 0, lambda t: t, 0, 0, 0, "Glob"]]}, "^FORCE, row 1, entry 7: there is function"),
    ({"FORCE": [[1, 0, 0, 0, 0, 0, "t'", 0, 0, 0, "Glob"]]}, "^FORCE, row 1, entry 7: Tz: the character"),
    ({"DRIV": "q1-t"}, "^DRIV: DRIV is 'q1-t', not a list"),
    ({"q_in": {"x": 1}}, "^q_in, row 1, entry 1: the number of a coordinate is not a number"),
    ({"qp_in": {8: 1}}, "^qp_in, row 1, entry 1: the number of a coordinate is '8'"),
    ({"gravity": 9.81}, "^gravity: gravity has 1 numbers"),
    ({"names": ["a", "b"]}, "^names: names has 2 names for 1 bodies"),
]


@pytest.mark.parametrize("changes, message", CALLS)
def test_wrong_matrices_are_refused_with_row_and_entry(changes, message):
    with pytest.raises(FileError) as caught:
        from_matrices(**{"CON": [HINGE], "mass": [1.0], "inertia": [1.0], **changes})
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)


def test_lists_within_themselves():
    endless = []
    endless.append(endless)
    with pytest.raises(FileError, match="there is list instead of numbers"):
        from_matrices(endless, [1.0], [1.0])
