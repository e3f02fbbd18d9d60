"""Where a one-sided force along a distance begins to act: adaptive steps end there, so that none passes over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vincolo.expressions import Expression
from vincolo.model.event import Event

if TYPE_CHECKING:
    from vincolo.system import System


class Onset(Event):
    """The corner of a force: nothing happens there but that a step ends."""

    @property
    def shown(self) -> bool:
        return False


def onset_of(law: Expression) -> Expression | None:
    """The condition of a law that reads if(condition > 0, force, 0), as an expression that crosses zero."""
    ops, constants, readings = law
    kind, condition, branches = ops[-1]
    if kind != "choose":
        return None
    _, yes, no = ops[branches]
    if not any(ops[k][0] == "const" and constants[ops[k][1]] == 0.0 for k in (yes, no)):
        return None
    if ops[condition][0] == "sub":  # 1 - step(x)
        condition = ops[condition][2]
    if ops[condition][0] != "step":
        return None
    return list(ops[:ops[condition][1] + 1]), constants, readings


def connect(system: System) -> None:
    """Events behind all others."""
    for name, onset in system.onsets.items():
        number = system.kernel.add_event("both", [], 0.0, False, False)
        system.kernel.set_guard(number, onset)
        system.kernel.set_corner(number)
        system.events.append(Onset(f"{name}.onset"))
