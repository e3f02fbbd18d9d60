"""Shapes with their mass properties: `vc.shapes.box((1, 2, 3), density=vc.shapes.STEEL)`.

STEEL and ALUMINIUM are densities in kg/m3."""

from vincolo.model.shapes import *  # noqa: F403
from vincolo.model.shapes import __all__ as __all__
