"""The compiled kernel: built for every machine, and once more for processors with AVX2."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any


@cache
def core() -> Any:
    """The kernel module that suits this processor; VINCOLO_KERNEL=portable asks for the plain one."""
    plain = import_module("vincolo._core")
    if os.environ.get("VINCOLO_KERNEL") != "portable" and plain.supports_avx2():
        try:
            return import_module("vincolo._core_avx2")
        except ImportError:  # built on a machine of another kind
            return plain
    return plain
