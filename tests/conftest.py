"""What every test may use; this file also makes `import jets` work in the folders below."""

import numpy as np
import pytest

#: of a test whose steps are too large on purpose: the warning about its energy belongs to it
COARSE = pytest.mark.filterwarnings("ignore:energy and work differ")


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(7)
