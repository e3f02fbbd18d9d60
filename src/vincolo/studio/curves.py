"""Functions of the time as curves, with their rates and accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.tree.formulas import with_formulas
from vincolo.formats.tree.functions import Functions
from vincolo.formats.tree.source import Source
from vincolo.studio.places import Tree

POINTS = 241


def curve(tree: Tree, data: Any, first: float, last: float) -> dict[str, Any]:
    """A function from the data of a file over a span of time: samples of it and of its two derivatives."""
    if not last > first:
        raise ModelError(f"a curve is drawn over a span of time; from {first:g} s to {last:g} s there is none.")
    source = Source("the function", {"parameters": dict(tree.get("parameters") or {}), "it": data})
    known = with_formulas(source, {})
    function = Functions(source, known).function(source.data["it"], ("it",))
    t = np.linspace(first, last, POINTS)
    rows = function.sample(t)
    return {"t": t.tolist(), "values": [[v if np.isfinite(v) else None for v in row.tolist()] for row in rows]}
