"""Tests whose steps are too large on purpose."""

import pytest

#: the warning about their energy belongs to them
COARSE = pytest.mark.filterwarnings("ignore:energy and work differ")
