"""Ways to find accelerations and reactions: `vc.simulate(model, 1.0, formulation=vc.formulations.NullSpace())`."""

from vincolo.solvers.formulations import *  # noqa: F403
from vincolo.solvers.formulations import __all__ as __all__
