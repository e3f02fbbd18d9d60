"""Ways to keep joints closed: `vc.simulate(model, until=1.0, stabilisation=vc.stabilisations.Baumgarte())`."""

from vincolo.solvers.stabilisation import *  # noqa: F403
from vincolo.solvers.stabilisation import __all__ as __all__
