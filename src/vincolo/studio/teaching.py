"""A mechanism explained step by step: how it closes, its rows, the pattern of its Jacobian, reactions and energy."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.analyses.closing import Aim, residual_of, stepped
from vincolo.errors import ModelError
from vincolo.formats.tree.settings import names_of
from vincolo.results.result import Result
from vincolo.state import State
from vincolo.studio.insight import Insight

TOPICS = ("assembly", "rows", "jacobian", "reactions", "energy")
MOST_ROWS = 400
MOST_STEPS = 30  # of closing
CLOSED = 1e-10  # m and rad
SMALL = 1e-12
Message = dict[str, Any]


def lesson(insight: Insight, result: Result | None, topic: str, asked: Message) -> Message:
    """What a topic says about the mechanism at a time of the run, or at its start."""
    if topic not in TOPICS:
        raise ModelError(f"there is no lesson {topic!r}; there are: {', '.join(TOPICS)}.")
    state = _state(insight, result, asked.get("time"))
    return {"topic": topic, "t": state.t, **{"assembly": _assembly, "rows": _rows, "jacobian": _jacobian,
                                             "reactions": _reactions, "energy": _energy}[topic](insight, state, result)}


def _state(insight: Insight, result: Result | None, time: Any) -> State:
    if result is not None and isinstance(time, int | float) and len(result):
        return result.state(int(np.argmin(np.abs(result.t - float(time)))))
    if insight.state is None:
        raise ModelError("there is no mechanism yet: add bodies and joints first.")
    return insight.state


def closing_steps(state: State) -> list[State]:
    """The mechanism as drawn, and after each step of least motion until it is closed, or does not close further."""
    found = [state.system.drawn]
    for _ in range(MOST_STEPS):
        gap = float(np.abs(residual_of(found[-1], Aim())).max(initial=0.0))
        if gap < CLOSED:
            break
        after = stepped(found[-1], Aim())
        if not float(np.abs(residual_of(after, Aim())).max(initial=0.0)) < gap:
            break
        found.append(after)
    return found


def _assembly(insight: Insight, state: State, result: Result | None) -> Message:
    """How far each joint is open as drawn, and after closing."""
    system = state.system
    drawn = np.abs(residual_of(system.drawn, Aim()))
    closed = np.abs(residual_of(state, Aim()))
    owners: dict[str, list[float]] = {}
    for row, before, after in zip(system.rows, drawn, closed, strict=False):
        found = owners.setdefault(row.owner, [0.0, 0.0])
        found[0], found[1] = max(found[0], float(before)), max(found[1], float(after))
    gaps = [float(np.abs(residual_of(s, Aim())).max(initial=0.0)) for s in closing_steps(state)]
    return {"steps": gaps,
            "text": "Bodies are drawn where the file puts them. Joints are closed by moving all bodies as little as "
                    "possible (Newton's method, least motion). Below: how far each joint is open [m or rad], as drawn "
                    "and closed.",
            "table": [["part", "as drawn", "closed"], *([name, *gaps] for name, gaps in owners.items())],
            "closed": insight.closed}


def _rows(insight: Insight, state: State, result: Result | None) -> Message:
    """One line for each constraint equation."""
    m = insight.mobility
    redundant = {str(row) for group in m.groups for row in group} if m is not None else set()
    rows = [[k, row.owner, row.resists, "drive" if row.drive else "joint",
             "shares a dependency" if str(row) in redundant else ""]
            for k, row in enumerate(state.system.rows[:MOST_ROWS])]
    return {"text": f"{len(state.system.rows)} equations hold {len(state.system.centred)} bodies with 6 coordinates "
                    "each. " + (f"{m.rank} of {m.rows} of the joints are independent: {m.dof} degrees of freedom, "
                                f"{m.redundant} redundant." if m is not None else ""),
            "table": [["row", "part", "resists", "kind", ""], *rows]}


def _jacobian(insight: Insight, state: State, result: Result | None) -> Message:
    """The matrix J of J u = nu, by its entries that are not zero."""
    J = np.asarray(state.equations().J)
    scale = np.abs(J).max(initial=0.0) or 1.0
    entries = [[int(i), int(j), float(J[i, j])] for i, j in np.argwhere(np.abs(J) > SMALL * scale)]
    return {"text": "J u = nu, with u = (v, w) of each body: a row touches only the two bodies of its joint, so that "
                    "the matrix is sparse.",
            "shape": list(J.shape), "entries": entries, "bodies": list(state.system.body_numbers),
            "rows": [row.owner for row in state.system.rows]}


def _reactions(insight: Insight, state: State, result: Result | None) -> Message:
    """Force and torque that each joint carries."""
    names = [name for name in state.system.joints if f"{name}.reaction.force" in state.channels.keys()]  # noqa: SIM118
    table = [[name, *(float(state[f"{name}.reaction.{what}"]) for what in ("force", "torque"))] for name in names]
    return {"text": "M du + J^T lam = Q: reactions keep the joints closed. Where rows depend on each other, the least "
                    "reactions are given.", "table": [["joint", "force [N]", "torque [N m]"], *table]}


def _energy(insight: Insight, state: State, result: Result | None) -> Message:
    """Energy now, and how well it balances over the run."""
    kinds = [name for name in ("energy.kinetic", "energy.potential", "energy.total") if name in state.channels.keys()]  # noqa: SIM118
    table: list[list[Any]] = [["energy", "now [J]"], *([name, float(state[name])] for name in kinds)]
    more: Message = {}
    if result is not None and len(result) > 1:
        more["series"] = {"t": result.t.tolist(), **{name: result[name].tolist() for name in kinds}}
    return {"text": "Kinetic and potential energy; what drives and dampers bring or take is the change of the total.",
            "table": table, "formulations": names_of("formulation"), **more}
