"""Formulations, integrators and stabilisations: small frozen nouns that combine freely."""

from typing import TYPE_CHECKING, Any

from vincolo.solvers import formulations, integrators, stabilisation
from vincolo.solvers.formulations import *  # noqa: F403
from vincolo.solvers.integrators import *  # noqa: F403
from vincolo.solvers.stabilisation import *  # noqa: F403

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any:
        """The integrators, whose classes are made from a table."""

__all__: list[str] = []
__all__ += formulations.__all__
__all__ += integrators.__all__
__all__ += stabilisation.__all__
