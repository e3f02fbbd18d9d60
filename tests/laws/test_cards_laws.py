"""Laws of the cards: what is written says the same, and no value of any card is passed over in silence."""

import re
import shutil
import warnings
from pathlib import Path

import pytest

from card_meaning import assert_same_meaning, fingerprint
from read_twice import SHARES, drawn
from vincolo.errors import FileError
from vincolo.formats import save_model
from vincolo.formats.cards import read_cards

CARDS = Path(__file__).resolve().parents[2] / "examples" / "cards"
SETS = ("pentalatero", "slider_crank", "cardan")

#: blocks with what the published cards leave out: every joint, spring, force and option
MORE = {
    "Connection": """begin(7)
  name=ball
  type=4
  body1=1
  body2=2
  P1=0. 0. 0.2
  Q1=0. 0. 1.2
  R1=1. 0. 0.2
  P2=0. 0. 0.1
  Q2=0. 0. 1.1
  R2=1. 0. 0.1
end(7)
begin(8)
  name=wire
  type=5
  body1=0
  body2=3
  P1=0. 0. 0.
  Q1=1. 0. 0.
  R1=0. 0. 1.
  P2=0. 0. 0.
  Q2=0. 0. 1.
  R2=1. 0. 0.
end(8)
begin(9)
  name=sleeve
  type=3
  body1=0
  body2=3
  P1=0. 0. 0.
  Q1=1. 0. 0.
  R1=0. 0. 1.
  P2=0. 0. 0.
  Q2=1. 0. 0.
  R2=0. 0. 1.
end(9)
""",
    "Force": """begin(11)
  name=push
  body=2
  type=2
  Fx=3
  Fy=t
  Fz=0
  Tx=0
  Ty=1
  Tz=0
  px=0.1
  py=0.2*t
  pz=0
end(11)
begin(12)
  name=nothing
  body=1
  type=1
  Fx=0
  Fy=0
  Fz=0
  px=0.3
  py=0
  pz=0
end(12)
begin(13)
  name=own
  body=3
  type=1
  Fx=-4*q15-qp15
end(13)
""",
    "SPDamp": """begin(11)
  name=plain
  type=1
  body1=1
  body2=3
  K=20
  L0=0.3
  C=1
  A=2
  p1x=0.1
  p1y=0.
  p1z=0.
  p2x=0.
  p2y=0.2
  p2z=0.
  ConnectionID=1
end(11)
begin(12)
  name=twist
  type=2
  body1=0
  body2=1
  K=20
  L0=0.3
  C=1
  A=2
  ConnectionID=1
  p1x=0.1
  p2z=0.3
end(12)
""",
    "Driving Pos": """begin(constants)
  amplitude=0.1
  forgotten=2
end(constants)
begin(11)
  position = q15*q15-amplitude*t*q15
  PSI_t = -amplitude*q15
  PSI_tt = 0
  PSI_q(15) = 2*q15-amplitude*t
  PSI_qt(15) = -amplitude
end(11)
""",
}
OPTIONS = """NumDyn3D ver. 7.0a
ResMethod = {}
ODEmethod = 2
tolODE = 1.E-7
threshold = 1.E-18
tolRadau = 1.E-8
tolConst = 1.E-9
tolCorr = 1.E-12
tolQRUpdate = 0.9
tolRank = 1.E-10
DeltaPerc = 5
DeltaWrite = 10
Correzione = 1
"""


def read(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_cards(folder)


def whole(path):
    """The slider-crank with every kind of block, which reads as it stands."""
    folder = shutil.copytree(CARDS / "slider_crank", path / "whole")
    for card, text in MORE.items():
        file = folder / f"{card}.s3d"
        own = re.sub(r"begin\(constants\).*?end\(constants\)\n", "", file.read_text(), flags=re.DOTALL) \
            if card == "Driving Pos" else file.read_text()
        own = own.replace("A*cos(omega*t)+A", "0.125*cos(3*t)+0.125").replace("A*", "0.125*").replace("omega", "3")
        file.write_text(own + "\n" + text)
    return folder


@pytest.mark.parametrize("name", SETS)
def test_published_cards_come_back_with_the_same_meaning(name, tmp_path):
    first = read(CARDS / name)
    save_model(first, tmp_path / "once")
    second = read(tmp_path / "once")
    assert_same_meaning(first, second)
    save_model(second, tmp_path / "twice")
    assert_same_meaning(first, read(tmp_path / "twice"))


@pytest.mark.parametrize("name", SETS)
def test_published_cards_come_back_with_the_same_motion(name, tmp_path):
    first = read(CARDS / name)
    save_model(first, tmp_path / "once")
    runs = [document.run(until=0.4, outputs=8) for document in (first, read(tmp_path / "once"))]
    assert runs[1].y == pytest.approx(runs[0].y, abs=1e-7)  # of the tolerance 1e-8


# every value of every card


def fields(file):
    """(line, words around the value, the value, number of the line that begins its block) of every value of a card."""
    begun = 0
    matrix = False
    for k, line in enumerate(file.read_text().splitlines(), 1):
        begun = k if line.strip().startswith("begin") else begun
        if file.name == "General.s3d":
            found = re.fullmatch(r"(\s*(?:NB|TI|TE|ST|PP)\s+|\s*\d+ \|\s*)(.*)", line)
            parts = (found[1], found[2]) if found else ("", line) if k == 1 else None
        elif matrix and line.strip() != "]":
            parts = ("", line)
        else:
            found = re.fullmatch(r"([^!=]+=\s*)(.*)", line)
            parts = (found[1], found[2]) if found and not found[2].startswith("[") else None
        matrix = line.rstrip().endswith("=[") or (matrix and line.strip() != "]")
        if parts:
            yield k, parts[0], parts[1].strip(), begun


def changes(value):
    """Another value for each part of it."""
    words = value.split()
    numbers = [re.fullmatch(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?", word) for word in words]
    if words and all(numbers):
        for k, word in enumerate(words):
            new = f"{float(word) + 1:.12g}" if re.fullmatch(r"\d+", word) else f"{float(word) * 1.5 + 0.2718:.12g}"
            yield " ".join([*words[:k], new, *words[k + 1:]])
    elif re.search(r"[-+*/(]|^t$", value):
        yield f"{value}+0.37"
    else:
        yield f"{value}x"


def every_change():
    """The cards that have every kind of block, and, slowly, the published ones."""
    for name in ("whole", *SETS):
        cards = (CARDS / ("slider_crank" if name == "whole" else name)).glob("*.s3d")
        marks = () if name == "whole" else pytest.mark.slow
        yield from (pytest.param(name, card.name, marks=marks) for card in sorted(cards))
    yield from (("options", str(method)) for method in range(3))


@SHARES
@pytest.mark.parametrize(("name", "card"), list(every_change()))
def test_no_value_is_passed_over(name, card, share, tmp_path):
    if name == "options":
        folder = shutil.copytree(CARDS / "slider_crank", tmp_path / "cards")
        (folder / "QRTol.s3d").write_text(OPTIONS.format(card))
        card = "QRTol.s3d"
    else:
        folder = whole(tmp_path) if name == "whole" else shutil.copytree(CARDS / name, tmp_path / "cards")
    file, before = folder / card, fingerprint(read(folder))
    lines = file.read_text().splitlines()
    silent = []
    for k, words, value, begun in drawn(fields(file), share):
        for new in changes(value):
            file.write_text("\n".join([*lines[:k - 1], words + new, *lines[k:]]) + "\n")
            if not noticed(folder, card, {k, begun}, before):
                silent.append(f"line {k}: {words.strip()}{value} -> {new}")
    assert not silent


def noticed(folder, card, lines, before):
    """The model or its settings change, or the line (or its block) is listed or refused."""
    try:
        document = read(folder)
    except FileError as error:
        assert any(word in str(error) for word in (".s3d", "NumDyn3D")), error
        return True
    if fingerprint(document) != before:
        return True
    report = document.report
    places = [f"{card}, line {line}," for line in lines]
    return any(place in text for text in (*report.notes, *report.unused, *report.left_out) for place in places)


EVERY_LINE = [("slider_crank", 7), *(pytest.param(name, 1, marks=pytest.mark.slow) for name in SETS)]


@pytest.mark.parametrize(("name", "each"), EVERY_LINE)
def test_no_line_is_passed_over(name, each, tmp_path):
    """A line too much, wherever it stands (at some places, unless there is time)."""
    folder = shutil.copytree(CARDS / name, tmp_path / "cards")
    before = fingerprint(read(folder))
    silent = []
    for file in sorted(folder.glob("*.s3d")):
        lines = file.read_text().splitlines()
        for k in range(1 if file.name == "General.s3d" else 2, len(lines) + 1, each):
            for more in (("colour=3", "hello", "begin(77)", "7")[k % 4], "paint=3"):
                file.write_text("\n".join([*lines[:k], more, *lines[k:]]) + "\n")
                if not noticed(folder, file.name, {k + 1}, before):
                    silent.append(f"{file.name}, line {k + 1}: {more}")
        file.write_text("\n".join(lines) + "\n")
    assert not silent


@pytest.mark.parametrize(("name", "each"), EVERY_LINE)
def test_nothing_behind_a_value_is_passed_over(name, each, tmp_path):
    folder = shutil.copytree(CARDS / name, tmp_path / "cards")
    before = fingerprint(read(folder))
    silent = []
    for file in sorted(folder.glob("*.s3d")):
        lines = file.read_text().splitlines()
        for k, line in enumerate(lines, 1):
            told = line.strip() and not line.startswith("!") and not (file.name != "General.s3d" and k == 1)
            if told and (k % each == 0 or line.strip() == "]"):
                file.write_text("\n".join([*lines[:k - 1], f"{line} 7", *lines[k:]]) + "\n")
                if not noticed(folder, file.name, {k}, before):
                    silent.append(f"{file.name}, line {k}: {line} 7")
        file.write_text("\n".join(lines) + "\n")
    assert not silent
