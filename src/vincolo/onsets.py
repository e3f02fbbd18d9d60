"""Where a one-sided force along a distance begins to act: adaptive steps end there, so that none passes over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vincolo.deciding import GAP_OF_SQUARES, read_as
from vincolo.expressions import Expression
from vincolo.model.event import Event
from vincolo.model.tape import Tape

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
    return _by_squares(list(ops[:ops[condition][1] + 1]), list(constants), list(readings))


def _by_squares(ops: list[Any], constants: list[float], readings: list[tuple[str, int]]) -> Expression:
    """A condition s (d - b) over a distance d alone as s (d^2 - b^2), which has no kink where d vanishes."""
    used = sorted({a for kind, a, _ in ops if kind == "input"})
    if len(used) != 1 or any(kind in ("time", "call") for kind, *_ in ops):
        return ops, constants, readings
    tape = Tape(tuple(ops), tuple(constants), ("d",) * len(readings), "")
    at = [tape.evaluate(0.0, [d] * len(readings)) for d in (0.0, 1.0, 3.0)]
    slope = at[1] - at[0]
    if slope == 0 or abs(at[2] - at[0] - 3 * slope) > 1e-12 * abs(at[2]) or -at[0] / slope <= 0:
        return ops, constants, readings
    return read_as(GAP_OF_SQUARES, {"s": slope, "b": -at[0] / slope}, x=readings[used[0]])


def connect(system: System) -> None:
    """Events behind all others."""
    for name, onset in system.onsets.items():
        number = system.kernel.add_event("both", [], 0.0, False, False)
        system.kernel.set_guard(number, onset)
        system.kernel.set_corner(number)
        system.events.append(Onset(f"{name}.onset"))
