"""Whether two sets of cards say the same: the same equations of motion at any state, and the same run."""

from __future__ import annotations

import numpy as np
import pytest

from mechanisms import moved_state
from vincolo.formats.document import Document
from vincolo.formats.tree.save import data_of
from vincolo.state import State


def assert_same_meaning(first: Document, second: Document, seed: int = 7) -> None:
    """Bodies, joints, forces and drives by what they do; names, times and settings as they are."""
    a, b = first.system, second.system
    for group in ("bodies", "joints", "springs", "laws", "loads", "holds"):
        assert list(getattr(first.model, group)) == list(getattr(second.model, group)), group
    assert first.model.name == second.model.name
    assert first.settings == second.settings
    assert first.start().y == pytest.approx(second.start().y, abs=1e-10)
    rng = np.random.default_rng(seed)
    for t in (0.0, 0.7, *rng.uniform(0, first.settings.until, 4)):
        here = moved_state(a.drawn, rng)
        states = [State(system, float(t), here.y, system.drawn.turns) for system in (a, b)]
        _same_equations(*(state.equations() for state in states))


def _same_equations(mine, theirs) -> None:
    for name in ("M", "Q", "J", "gamma", "Phi", "Phi_dot"):
        one, other = getattr(mine, name), getattr(theirs, name)
        assert other == pytest.approx(one, abs=1e-9 * (1 + np.abs(one).max(initial=0.0)), rel=1e-9), name


def fingerprint(document: Document) -> tuple[str, str, str]:
    """All that a document holds, to the last bit: model, settings, and how it begins."""
    begin = document.begin.keywords if document.begin is not None else {}
    return repr(data_of(document.model)), repr(document.settings), repr(begin)
