"""The check of imports sees what it is for."""

from pathlib import Path

import pytest

from layers import wrong


def made(folder: Path, **texts: str) -> list[str]:
    """What is wrong with a package of these modules."""
    root = folder / "vincolo"
    (root / "model").mkdir(parents=True)
    (root / "view").mkdir()
    for name in ("__init__", "model/__init__", "view/__init__"):
        (root / f"{name}.py").write_text("")
    for name, text in texts.items():
        (root / f"{name.replace('__', '/')}.py").write_text(text)
    return wrong(root)


def test_imports_that_go_down_are_right(tmp_path):
    assert made(tmp_path, view__live="from vincolo.model import body\nfrom vincolo import model", model__body="") == []


@pytest.mark.parametrize("text", [
    "from vincolo.view import live", "import vincolo.view.live", "from vincolo import view",
    "def f():\n    from vincolo.view.live import show", "class A:\n    def f(self):\n        import vincolo.view",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from vincolo.view.live import show"])
def test_what_looks_up_is_found(tmp_path, text):
    (found,) = made(tmp_path, model__body=text, view__live="def show(): pass")
    assert found.startswith("model.body, line") and "is above it" in found


def test_an_import_that_hides_in_a_function_is_found(tmp_path):
    (found,) = made(tmp_path, view__live="def show():\n    from vincolo.model import body", model__body="")
    assert "view.live, line 2: model.body is imported inside of show." in found


def test_a_circle_is_found(tmp_path):
    (found,) = made(tmp_path, model__body="from vincolo.model import joint",
                    model__joint="from vincolo.model import body")
    assert "circle" in found and "model.body" in found and "model.joint" in found


def test_convenience_methods_may_look_up_under_their_names_only(tmp_path):
    text = "class Model:\n    def {}(self):\n        from vincolo.view import live"
    assert made(tmp_path / "1", model__model=text.format("show"), view__live="") == []
    assert made(tmp_path / "2", model__model=text.format("draw"), view__live="") != []
