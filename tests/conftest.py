"""What every test may use; this file also makes `import jets` work in the folders below."""

import gc
from collections.abc import Iterator

import numpy as np
import pytest

import browser


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Thousands of tests are collected to stay: looking for garbage among them, now and later, finds none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_unconfigure() -> None:
    """The kernel counts what is left over at the very end."""
    gc.unfreeze()


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(7)


@pytest.fixture(scope="module", autouse=True)
def browser_of_the_module() -> Iterator[None]:
    """Ends the browser that the tests of a module shared, if they opened one."""
    yield
    browser.close()
