"""The equations of motion at one state, as runs in Python hold them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
    """How fast springs and curves store energy [W], of what the kernel observes at a state."""
    held: list[tuple[str, Callable[[float], float]]] = [
        (f"{s.name}.length", lambda x, s=s: s.k * (x - s.length) + s.preload)  # type: ignore[misc]
        for s in system.model.springs.values()]
    held += [(f"{law.name}.value", law.curve) for law in system.model.laws.values() if law.curve is not None]
    if not held:
        return 0.0
    seen, places = observe(), [system.quantities[name] for name, _ in held]
    return sum(force(float(seen["value"][0, k])) * float(seen["rate"][0, k])
               for (_, force), k in zip(held, places, strict=True))
