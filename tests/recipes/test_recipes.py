"""The recipes of CONTRIBUTING, followed to the letter in a copy of the repository."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from checked import ROOT, build_in
from vincolo._kernel import core

TEXT = (ROOT / "CONTRIBUTING.md").read_text()
RECIPES = dict(re.findall(r"^### (Add .+)\n((?:.|\n)*?)(?=^##)", TEXT, flags=re.MULTILINE))
BLOCK = re.compile(r"^```(?:python|c\+\+)\n((?:.|\n)*?)^```$", flags=re.MULTILINE)
PLACE = re.compile(r"(?://|#) ((?:core|src)/\S+?\.\w+)(?:, (before|after|within): (.*))?\n")
PLAIN = ["Add a joint", "Add a format"]  # without a change of the kernel


def blocks(title):
    """Changes of a recipe, (path, how, where, text), and the program that checks it."""
    found = BLOCK.findall(RECIPES[title])
    assert found and not PLACE.match(found[-1])
    changes = [(m[1], m[2], m[3], block[m.end():]) for block in found[:-1] for m in [PLACE.match(block)]]
    return changes, found[-1]


def follow(folder, title):
    """Does what a recipe says."""
    for path, how, where, text in blocks(title)[0]:
        target = folder / path
        if how is None:
            assert not target.exists(), path
            target.write_text(text)
            continue
        old = target.read_text()
        if how == "within":  # a mark shows the place
            before, _, after = where.partition("|")
            assert old.count(before + after) == 1, where
            target.write_text(old.replace(before + after, before + text.rstrip("\n") + after))
            continue
        rows = old.splitlines(keepends=True)
        lines = [k for k, row in enumerate(rows) if row.startswith(where)]
        assert lines, f"{title}: {path} has no line that begins with {where!r}"
        rows.insert(lines[0] + (how == "after"), text)
        target.write_text("".join(rows))


def copied(folder):
    """The files of the repository that a build needs."""
    for name in ("core", "src"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("CMakeLists.txt", "tests/kernel", "examples"):
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, target)
    return folder


def checked(folder, title, kernel):
    """Runs the last block of a recipe on the copy, and not on what is installed."""
    code = f"""
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
import vincolo
assert vincolo.__file__.startswith({str(folder)!r}), vincolo.__file__
"""
    env = {"PYTHONPATH": str(folder / "src"), "VINCOLO_KERNEL": str(kernel)}
    run = subprocess.run([sys.executable, "-c", code + blocks(title)[1]], capture_output=True, text=True, check=False,
                         cwd=folder, env=env)
    assert run.returncode == 0, run.stderr


def test_there_is_a_recipe_for_each_kind_of_part():
    assert set(RECIPES) == {*PLAIN, "Add a measure", "Add a function of time", "Add an integrator", "Add a formulation"}


@pytest.mark.parametrize("title", PLAIN)
def test_recipes_without_a_kernel(title, tmp_path):
    copied(tmp_path)
    follow(tmp_path, title)
    checked(tmp_path, title, core().__file__)


def test_the_places_that_recipes_name_are_there(tmp_path):
    """All recipes are followed in files of their own; what comes out is built only where there is time for it."""
    for title in RECIPES:
        for path, how, *_ in blocks(title)[0]:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            if how is not None and not (tmp_path / path).exists():
                shutil.copy(ROOT / path, tmp_path / path)
        follow(tmp_path, title)


@pytest.mark.slow
def test_recipes_that_change_the_kernel(tmp_path):
    copied(tmp_path)
    for title in RECIPES:
        follow(tmp_path, title)
    kernel = build_in(tmp_path, tmp_path / "build", "no")
    for title in RECIPES:
        checked(tmp_path, title, kernel)
