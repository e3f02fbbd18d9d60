"""What every test may use; this file also makes `import jets` work in the folders below."""

import functools
import gc
import os
from collections.abc import Iterator

# as many tests run side by side as there are cores: threads of their own would stand in each other's way
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

import numpy as np
import pytest
import typer.testing

import array_approx
import browser

# the commands are the same in every test: to put them together takes longer than most of them
typer.testing._get_command = functools.cache(typer.testing._get_command)
array_approx.compare_at_once()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Thousands of tests are collected to stay: looking for garbage among them, now and later, finds none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(20_000, 10, 10)  # tests make much that goes by itself


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The fuzzer comes last: what it watches the interpreter with stays, and makes all that follows slower."""
    items.sort(key=lambda item: item.path.parent.name == "fuzz")


def pytest_unconfigure() -> None:
    """The kernel counts what is left over at the very end."""
    gc.unfreeze()


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(7)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Ends the browser, if there is one, before tests that open no pages: its loop of events would be in their way."""
    if nextitem is None or nextitem.path != item.path and nextitem.path.parent.name != "browser":
        browser.close()
