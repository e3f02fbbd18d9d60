"""Ways to step in time: `vc.simulate(model, until=1.0, integrator=vc.integrators.Radau(rtol=1e-8))`."""

from typing import TYPE_CHECKING, Any

from vincolo.solvers.integrators import *  # noqa: F403
from vincolo.solvers.integrators import __all__ as __all__

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any:
        """The classes of the table."""


def __dir__() -> list[str]:
    return [*__all__]
