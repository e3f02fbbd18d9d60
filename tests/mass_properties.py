"""Mass properties to compare with."""

import numpy as np
import pytest

from mechanisms import cloud_inertia
from vincolo.model.shapes import MassProperties

RHO = 1234.5


def same(one, two, rel=1e-12):
    """Equal mass, centre and inertia, to rounding of the largest number of each."""
    size = max(np.abs(two.com).max(), np.sqrt(np.abs(two.inertia).max() / two.mass), 1e-300)
    return (one.mass == pytest.approx(two.mass, rel=rel) and one.com == pytest.approx(two.com, abs=rel * size)
            and one.inertia == pytest.approx(two.inertia, abs=rel * two.mass * size**2))


def random_part(rng):
    return MassProperties(rng.uniform(1, 5), rng.normal(size=3), cloud_inertia(rng))
