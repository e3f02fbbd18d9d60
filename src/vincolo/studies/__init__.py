"""Many runs of one model: what changes if its numbers do."""

from vincolo.studies.sweep import Sweep, Variation, sweep, variation_of

__all__ = ["Sweep", "Variation", "sweep", "variation_of"]
