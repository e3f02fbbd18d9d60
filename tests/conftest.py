"""What every test may use; this file also makes `import jets` work in the folders below."""

from collections.abc import Iterator

import numpy as np
import pytest

import browser


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(7)


@pytest.fixture(scope="module", autouse=True)
def browser_of_the_module() -> Iterator[None]:
    """Ends the browser that the tests of a module shared, if they opened one."""
    yield
    browser.close()
