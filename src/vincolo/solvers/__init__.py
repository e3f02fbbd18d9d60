"""Formulations, integrators and stabilisations: small frozen nouns that combine freely."""

from vincolo.solvers import formulations, integrators, stabilisation
from vincolo.solvers.formulations import *  # noqa: F403
from vincolo.solvers.integrators import *  # noqa: F403
from vincolo.solvers.stabilisation import *  # noqa: F403

__all__: list[str] = []
__all__ += formulations.__all__
__all__ += integrators.__all__
__all__ += stabilisation.__all__
