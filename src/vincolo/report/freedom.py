"""Freedom and redundancy of the mechanism, explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vincolo.report.elements import MINUS, Safe, counted, joined, listed, number, paragraph, table

if TYPE_CHECKING:
    from vincolo.analyses.mobility import Mobility
    from vincolo.analyses.relaxation import Relaxation
    from vincolo.results.result import Result

SHOWN = 12  # rows of a group, and relaxations
OPENINGS = 3


def freedom(result: Result) -> Safe:
    """What counting says, what the mechanism has, which joints are redundant and what would help."""
    m = result.mobility
    parts: list[object] = [paragraph(*_sentence(result, m)), _counts(result, m)]
    if m.singular:
        parts.append(paragraph(f"This position is singular: it has {counted(m.dof, 'degree')} of freedom here and "
                               f"{m.generic} nearby."))
    parts.append(listed(f"An idle freedom: {freedom}." for freedom in m.idle))
    if m.groups:
        parts += [*_groups(m), *_advice(m)]
    return joined(parts)


def _sentence(result: Result, m: Mobility) -> list[object]:
    drives = sum(held.drive for held in result.system.holds.values())
    text = f"The mechanism has {counted(m.dof, 'degree')} of freedom at the start"
    if drives:
        left = m.dof - drives
        text += f"; {drives} of them {'is' if drives == 1 else 'are'} driven" if left >= 0 else f", and {drives} drives"
    told: list[object] = [text + ". "]
    if m.redundant:
        told.append(f"Counting alone (Kutzbach, Grübler) gives {str(m.kutzbach).replace('-', MINUS)}, since "
                    f"{m.redundant} of the {m.rows} conditions of the joints {'says' if m.redundant == 1 else 'say'} "
                    "nothing new: redundant. The motion is exact all the same, but rigid bodies do not say how "
                    "redundant joints share their load.")
    else:
        told.append("All conditions of the joints are independent, so every reaction is unique.")
    return told


def _counts(result: Result, m: Mobility) -> Safe:
    bodies = len(result.system.body_numbers)
    rows = [[f"freedoms of bodies, {bodies} × 6", number(6 * bodies)],
            ["conditions of joints and held measures", number(m.rows)],
            ["freedom by counting", number(m.kutzbach)], ["independent conditions", number(m.rank)],
            ["redundant conditions", number(m.redundant)], ["degrees of freedom", number(m.dof)]]
    return table(["count", "number"], rows, "lr", narrow=True)


def _groups(m: Mobility) -> list[Safe]:
    found = []
    for group in m.groups:
        owners = sorted({row.owner for row in group})
        told = "; ".join(str(row) for row in group[:SHOWN]) + (f"; and {len(group) - SHOWN} more" if len(group) > SHOWN
                                                              else "")
        found.append(paragraph(f"Redundant together: {', '.join(owners)}. Conditions that take part: {told}."))
    return found


def _advice(m: Mobility) -> list[Safe]:
    found = []
    if m.relaxations:
        found += [paragraph("To make all reactions unique without adding freedom, replace:"),
                  listed(_relaxed(r) for r in m.relaxations[:SHOWN])]
    if m.openings:
        rows = [[str(o.row), str(o.by), number(o.per_unit, 3)] for o in m.openings[:OPENINGS]]
        found += [table(["condition that opens", "by an error in", "gap per unit of error"], rows, "llr",
                        "Manufacturing errors that open the loop most.")]
    return found


def _relaxed(r: Relaxation) -> str:
    old, new = r.kind.replace("_", " "), r.to.replace("_", " ")
    return f"the {old} joint '{r.joint}' by a {new} one (it gives up {', '.join(row.resists for row in r.rows)})"
