"""Libraries that only some work needs, imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from vincolo.errors import ModelError


class MissingLibrary(ModelError, ModuleNotFoundError):
    """A library that is not installed, with the way to install it."""


def library(name: str, needed: str, extra: str, otherwise: str = "") -> Any:
    """A library by its name; `needed` says what for: "pictures need the package pillow". `extra` is what pip installs,
    `otherwise` another way out."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingLibrary(f"{needed}, which is not installed.\n  Install it: pip install {extra}{otherwise}"
                             ) from None
