"""What can be asked of a mechanism; one verb per file."""

from vincolo.analyses.assemble import assemble
from vincolo.analyses.mobility import Mobility, mobility
from vincolo.analyses.simulate import simulate

__all__ = ["Mobility", "assemble", "mobility", "simulate"]
