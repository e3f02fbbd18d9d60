"""Messages are plain English: what a thing is not, and not what it is no."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "vincolo"
PHRASES = {
    r"\b(is|was) no (?!longer|more|such|way|use|need|matter)\w": "write 'is not a ...'",
    r"\bfound no end\b": "write 'did not converge'",
    r"\bno end of (?!its)": "write 'infinitely many'",
}
IMPERSONAL = re.compile(r"\b([Tt]here|[Ww]here there|[Ii]t|which) (is|was) no\b")  # there is no body called ...
ELSEWHERE = ("formats/adams", "formats/cards")  # readers whose messages are being rewritten
FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if not str(path.relative_to(PACKAGE)).startswith(ELSEWHERE)]


def texts(path):
    """The texts of a file that are not docstrings, parts of f-strings joined, with their lines."""
    tree = ast.parse(path.read_text())
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "X" for part in node.values]
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not {id(node)} & (docs | inside):
            yield node.lineno, node.value


def faults(text):
    text = IMPERSONAL.sub("lacks no", text)
    return [advice for phrase, advice in PHRASES.items() if re.search(phrase, text)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_messages_are_plain_english(path):
    found = [f"line {line}: {text!r}: {advice}" for line, text in texts(path) for advice in faults(text)]
    assert not found, "\n".join(found)


def test_the_search_finds_what_it_looks_for():
    assert faults("'x' is no body.") and faults("the iteration found no end") and faults("there is no end of positions")
    for good in ("there is no body called 'x'", "it is no longer there", "'x' is not a body"):
        assert not faults(good)
