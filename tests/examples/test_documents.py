"""The Python blocks of the documents run, in order, and print what they say; those of the reference alone. Models they
build are the same after they were saved in a file and read again."""

import re
import runpy
from pathlib import Path

import pytest

import vincolo as vc
from filed_models import BLOCK, new_models
from same_models import assert_same
from vincolo.formats import save_model

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FOLLOWED = "CONTRIBUTING.md"  # its blocks are changes of the sources: tests/recipes follows them
DOCUMENTS = [path for path in TEXTS if "```python" in path.read_text() and path.name != FOLLOWED]
PROMISE = re.compile(r"^ *print\(.*\)  # (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]+?)(?:#[^)]*)?\)")


def titled(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", DOCUMENTS, ids=titled)
def test_python_blocks_run_and_print_what_they_promise(path, capsys, tmp_path, monkeypatch):
    (tmp_path / "page").mkdir()
    monkeypatch.chdir(tmp_path / "page")
    text, names, models = path.read_text(), {"__name__": "document"}, Saved(tmp_path)
    for block in BLOCK.finditer(text):
        line = text[: block.start(1)].count("\n")
        if path.parent.name == "reference":
            names = {"__name__": "document"}  # each example stands alone
        exec(compile("\n" * line + block[1], str(path), "exec"), names)  # lines count as in the document
        printed = capsys.readouterr().out.splitlines()
        for promise in PROMISE.findall(block[1]):
            assert promise in printed, f"{titled(path)}, block at line {line}"
        if path.parent.name == "docs":
            models.check(names)
    if path.stem == "catalogue":
        assert models.joints == set(runpy.run_path(str(ROOT / "src/vincolo/equations/joints.py"))["CATALOGUE"])
    builds = any("Model(" in block[1] for block in BLOCK.finditer(text)) and path.parent.name == "docs"
    assert models.seen or not builds or path.stem in ("yaml", "choosing")  # there they are made within functions


class Saved:
    """Saves every model of a page as it first is, and compares what is read again."""

    def __init__(self, folder):
        self.folder, self.seen, self.joints = folder, [], set()

    def check(self, names):
        for model in new_models(names, self.seen):
            if model.controllers:
                with pytest.raises(vc.ModelError, match="controller .* is a function of Python"):
                    save_model(model, self.folder / "controlled.yaml")
            else:
                self.joints |= {joint.kind for joint in assert_same(model, self.folder).joints.values()}


def test_the_guide_promises_something():
    for page in (ROOT / "docs").glob("guide*.md"):
        assert len(PROMISE.findall(page.read_text())) > 1 or page.stem == "guide_forces", page.name


def test_links_between_documents_lead_somewhere():
    for path in TEXTS:
        for target in LINK.findall(path.read_text()):
            assert (path.parent / target).exists(), f"{titled(path)} points to {target}"
