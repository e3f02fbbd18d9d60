"""Warnings that tests expect, because they ask for what deserves them."""

import pytest

# steps too large on purpose, a force that grows without bound, or a start that contradicts itself
LOSES_ENERGY = pytest.mark.filterwarnings("ignore:energy and work differ:vincolo.SimulationWarning")
