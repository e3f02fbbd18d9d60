"""Ways to step in time: `vc.simulate(model, until=1.0, integrator=vc.integrators.Radau(rtol=1e-8))`."""

from vincolo.solvers.integrators import *  # noqa: F403
from vincolo.solvers.integrators import __all__ as __all__
