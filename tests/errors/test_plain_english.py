"""What must hold for every sentence that users read: it is plain English, and phrases once mended stay away."""

import ast
import re
from itertools import islice
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: what must not be written, and what to write instead
PHRASES = {
    r"(?<!there )\b(is|are|was|were) no (?!longer\b|more\b)": "is not a ...",
    r"(?<!there )\b(is|are|was|were) (?-i:none)\b(?! of them)": "is not one",
    r"\bno end of (?!its own)|\bfound no end\b": "infinitely many; did not converge",
    r"\bis there (already|twice)\b": "exists already; is used already; is given twice",
    r"\b(stands?|standing) (behind|beside|above|inside|outside|elsewhere|where)\b": "is after, beside, above, ...",
    r"\b(cannot|must) stand (?!for\b)": "is not allowed; must be",
    r"\bstands? in (each other|one cell|a column|a sheet)\b": "is nested; is in",
    r"\bbehind (it|its|the|their|an?) (beginning|comma|end|list|matrix|rows|value|last|header|slash)\b": "after",
    r"\bmistakes? of units?\b": "likely wrong units",
    r"\berrors? of manufacture\b|\btolerances of manufacture\b": "manufacturing errors",
    r"\bis wished at\b": "should be",
    r"\b(takes?|with) a blow\b": "takes an impact",
    r"\bredundant less\b|\b(freedom|break) more\b|\blimit less\b": "fewer; one more",
    r"\busual are\b": "usual values are",
    r"\b(has|have) no use\b|\bof no use\b": "is not used; has no effect",
    r"\bno part in the motion\b": "no effect on the motion",
    r"\bon no way\b": "does not follow any way",
    r"\bis (not )?to be (relied on|used with care)\b": "do not rely on; use with care",
    r"\bin a second of yours\b": "per second",
    r"\b(tells?|told) (so|about it|all that)\b|\btells whether\b": "says; shows; checks",
    r"\bcannot be (read or )?meant\b|\bprobably not meant\b|\bIs that meant\b": "makes no sense; is probably wrong",
    r"\b(joints?|drives?|steps?|functions?) wants?\b": "needs; use ... for",
}
ANY = re.compile("|".join(f"(?:{phrase})" for phrase in PHRASES), re.IGNORECASE)


def sentences(path):
    """Texts of a file with their lines: of Python all strings, pieces of one message together, docstrings too."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return [(1 + text.count("\n", 0, m.start()), m[0]) for m in re.finditer(r"(?:.+\n?)+", text)]
    return [(node.lineno, written(node)) for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Constant | ast.JoinedStr) and written(node)]


def written(node):
    """The text of a string; what is put into it is an ellipsis."""
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "..." for part in node.values)
    return node.value if isinstance(node.value, str) else ""


def faults(path):
    """Phrases in a file that must not be written: line, what is there, what to write instead."""
    found = []
    for line, text in sentences(path):
        plain = " ".join(text.split())
        for hit in ANY.finditer(plain):
            instead = next(text for phrase, text in PHRASES.items() if re.match(phrase, hit[0], re.IGNORECASE))
            around = plain[max(0, hit.start() - 30):hit.end() + 30]
            found.append(f"{path.relative_to(ROOT)}:{line}: '{around}'; write: {instead}")
    return found


PLACES = (("src/vincolo", "**/*.py"), ("src/vincolo", "**/*.js"), ("docs", "**/*.md"), ("docs", "*.py"),
          ("examples", "**/*.py"), ("examples", "**/*.md"), (".", "README.md"), (".", "CONTRIBUTING.md"))
FILES = [path for folder, pattern in PLACES for path in sorted((ROOT / folder).glob(pattern))]


@pytest.mark.parametrize("folder", sorted({str(path.parent.relative_to(ROOT)) for path in FILES}))
def test_messages_and_documents_are_in_plain_english(folder):
    wrong = [fault for path in FILES if str(path.parent.relative_to(ROOT)) == folder for fault in faults(path)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("sentence", [
    "'x' is no body", "this model is none", "there is no end of positions", "'a.csv' is there already",
    "')' stands where a name should", "Write an end behind the beginning", "it looks like a mistake of units",
    "O.angle is wished at 3, but comes to 2", "what closes takes a blow", "argument x has no use here"])
def test_the_phrases_are_found(sentence):
    assert ANY.search(sentence)


def test_there_is_much_to_read():
    several = (sentence for path in FILES for sentence in sentences(path))  # of so many files not all are needed
    assert len(FILES) > 250 and len(list(islice(several, 10_001))) > 10_000
