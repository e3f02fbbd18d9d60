"""The equations of motion at one state, as runs in Python hold them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.channels.names import CONTACT
from vincolo.model.geometry import Array
from vincolo.system import System


@dataclass
class Here:
    """M a + J^T lam = Q and J a = gamma at a state, and the residuals of rows: phi, and rate = J u - nu."""

    t: float
    y: Array
    M: Array
    J: Array
    gamma: Array
    Q: Array
    phi: Array
    rate: Array
    u: Array


def stored_power(system: System, observe: Callable[[], Any]) -> float:
    """How fast springs, curves and contacts store energy [W], of what the kernel observes at a state."""
    if not system.laws and not system.contacts:
        return 0.0
    seen = observe()
    contact = seen["contact"][0]
    given_and_lost = contact[:, CONTACT["power"]] + contact[:, CONTACT["dissipation"]]
    return -float(np.sum(seen["law_power"] + seen["law_loss"]) + np.sum(given_and_lost))
