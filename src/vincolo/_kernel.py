"""The compiled kernel: built for every machine, and once more for processors with AVX2."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

PORTABLE, AVX2 = "vincolo._core", "vincolo._core_avx2"


@cache
def core() -> Any:
    """The kernel module that suits this processor. VINCOLO_KERNEL=portable asks for the plain one, VINCOLO_KERNEL=FILE
    for one that was built elsewhere, as `make debug` and `make sanitize` do."""
    wanted = os.environ.get("VINCOLO_KERNEL", "")
    if wanted not in ("", "portable"):
        return _from_file(Path(wanted))
    try:
        plain = import_module(PORTABLE)
    except ModuleNotFoundError as missing:
        if wanted == "portable":
            raise ImportError("VINCOLO_KERNEL asks for the portable kernel, but this build has only the one for its "
                              "own processor; build with VINCOLO_INSTRUCTIONS=all, as pip and `make test` do, or leave "
                              "VINCOLO_KERNEL empty", name=PORTABLE) from missing
        return import_module(AVX2)  # a developer's build has the kernel of its own processor alone
    if wanted != "portable" and plain.supports_avx2():
        try:
            return import_module(AVX2)
        except ImportError:  # built on a machine of another kind
            return plain
    return plain


def _from_file(file: Path) -> Any:
    """The module in a file, by the name it was built with."""
    name = f"vincolo.{file.name.partition('.')[0]}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise ImportError(f"VINCOLO_KERNEL is {str(file)!r}, which is not a compiled kernel; leave it empty or name "
                          "a file _core*.so", name=name, path=str(file))
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
