"""The Python blocks of the documents run, in order, and print what they say; those of the reference alone."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FOLLOWED = "CONTRIBUTING.md"  # its blocks are changes of the sources: tests/recipes follows them
DOCUMENTS = [path for path in TEXTS if "```python" in path.read_text() and path.name != FOLLOWED]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROMISE = re.compile(r"^ *print\(.*\)  # (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]+?)(?:#[^)]*)?\)")


def titled(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", DOCUMENTS, ids=titled)
def test_python_blocks_run_and_print_what_they_promise(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, names = path.read_text(), {"__name__": "document"}
    for block in BLOCK.finditer(text):
        line = text[: block.start(1)].count("\n")
        if path.parent.name == "reference":
            names = {"__name__": "document"}  # each example stands alone
        exec(compile("\n" * line + block[1], str(path), "exec"), names)  # lines count as in the document
        printed = capsys.readouterr().out.splitlines()
        for promise in PROMISE.findall(block[1]):
            assert promise in printed, f"{titled(path)}, block at line {line}"


def test_the_guide_promises_something():
    for page in (ROOT / "docs").glob("guide*.md"):
        assert len(PROMISE.findall(page.read_text())) > 1 or page.stem == "guide_forces", page.name


def test_links_between_documents_lead_somewhere():
    for path in TEXTS:
        for target in LINK.findall(path.read_text()):
            assert (path.parent / target).exists(), f"{titled(path)} points to {target}"
