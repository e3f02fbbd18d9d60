"""What can be shown: results with labels, of results, lists of them, models and states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.results.result import Result
from vincolo.results.settings import Settings
from vincolo.state import State
from vincolo.system import System


def labelled(source: Any) -> list[tuple[str, Result]]:
    """Results with labels: of a result, a state, a model as drawn and closed, or a list of results or of pairs
    (label, result)."""
    if isinstance(source, Model | System):
        source = assemble(source)
    if isinstance(source, State):
        return [("", of_states([source]))]
    if isinstance(source, Result):
        return [("", source)]
    if isinstance(source, str) or not isinstance(source, Sequence) or not source:
        raise ModelError(f"the viewer cannot show {source!r:.80}.\n"
                         "  Pass a result, a list of results or of pairs (label, result), a model or a state.")
    return [_pair(k, member) for k, member in enumerate(source, 1)]


def _pair(k: int, member: Any) -> tuple[str, Result]:
    if isinstance(member, Result):
        return f"{k}: {member.system.name}", member
    if isinstance(member, tuple | list) and len(member) == 2 and isinstance(member[1], Result):
        return str(member[0]), member[1]
    raise ModelError(f"the viewer cannot show {member!r:.80} in a list.\n"
                     "  Its members are results, or pairs (label, result).")


def of_states(states: Sequence[Any], times: Array | None = None) -> Result:
    """States of one system as a result, to be shown only."""
    t = np.array([s.t for s in states]) if times is None else times
    return Result(states[0].system, t, np.array([s.y for s in states]), np.array([s.turns for s in states]),
                  Settings("", "", "", float(t[0]), float(t[-1])), {}, 0.0)


def check_shown(label: str, result: Result) -> None:
    """Refuses what cannot be drawn."""
    what = label or "the result"
    if not len(result):
        raise ModelError(f"there is nothing to show: {what} has no samples.\n  {result.reason or ''}".rstrip())
    if not np.isfinite(result.y).all(axis=1).any():
        raise ModelError(f"there is nothing to show of {what}: none of its {len(result)} samples has finite positions.")
    if result.model is None:
        raise ModelError(f"{what} does not know the model it was made with, so there is nothing to draw.\n"
                         "  Load it with its model: Result.load(path, model).")
