"""Functions of time for drives, loads and force curves: `vc.functions.Sine(0.1, 6.0)`.

ENDS are the words that say how a Spline ends."""

from vincolo.model.functions import *  # noqa: F403
from vincolo.model.functions import __all__ as __all__
