"""A run told in a few lines a newcomer understands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vincolo.results.ranges import left_ranges
from vincolo.results.sharing import grouped, shared_reactions

if TYPE_CHECKING:
    from vincolo.results.result import Result

SHOWN = 4  # kinds of shared reactions
EVENTS = 6  # that are told
RANGES = 6  # that were left and are told


def summary(result: Result) -> str:
    """Settings, steps, freedom, residuals and energy of a run."""
    if not len(result):
        return f"{result.system.name}: no samples\n  ended early   {result.reason}"
    lines = [_headline(result)]
    dynamic = result.settings.analysis == "dynamics"
    how = ((("integrator", _integrator(result)), ("stabilisation", result.settings.stabilisation),
            ("formulation", _formulation(result))) if dynamic else (("positions", _positions(result)),))
    for title, text in (*how, ("mechanism", _mechanism(result)), ("residuals", _residuals(result)),
                        ("energy", _energy(result) if dynamic else ""),
                        ("contact", _contact(result)), ("events", _events(result)), ("friction", _crossed(result)),
                        ("left range", "\n".join(_ranges(result))),
                        ("singular", _singular(result)),
                        ("ended early", result.reason)):
        if text:
            first, *rest = text.split("\n")
            lines.append(f"  {title:<14}{first}")
            lines += [f"  {'':<14}{line.strip()}" for line in rest]
    return "\n".join(lines)


def _headline(result: Result) -> str:
    simulated = float(result.t[-1]) - result.settings.start
    times = simulated / result.seconds if result.seconds > 0 else 0.0
    speed = f", {times:,.0f} times real time" if 0 < times < 1e9 else f", {times:.2g} times real time" if times else ""
    spent = f"{result.seconds:.3g} s" if result.seconds >= 1 else f"{1e3 * result.seconds:.3g} ms"
    ended = result.complete and float(result.t[-1]) >= result.settings.until
    asked = "" if ended else f" of {result.settings.until - result.settings.start:g} s asked for"
    return f"{result.system.name}: {simulated:g} s{asked} simulated in {spent}{speed}"


def _integrator(result: Result) -> str:
    s = result.statistics
    rejected = f" ({s['rejected']:,} more rejected)" if s["rejected"] else ""
    text = (f"{result.settings.integrator}\n{s['steps']:,} steps{rejected} of {s['smallest_step']:.2g} to "
            f"{s['largest_step']:.2g} s, {s['evaluations']:,} evaluations")
    if s["changes"]:
        share = 100 * s["implicit_time"] / max(1e-300, float(result.t[-1]) - result.settings.start)
        text += (f"\nstiff (rates to {s['fastest']:.2g} 1/s): implicit from t = {s['first_change']:.3g} s on, "
                 f"{share:.0f} % of the time" + (f", {s['changes']} changes" if s["changes"] > 1 else ""))
    return text


def _positions(result: Result) -> str:
    how = result.settings.integrator.removeprefix("kinematics, ")
    return f"{len(result):,}, {how}; {result.settings.stabilisation} m and rad"


def _formulation(result: Result) -> str:
    """Named unless it is the kernel's own; with what it counted."""
    s = result.statistics
    if s["formulation"] == "sparse":
        return ""
    counted = []
    if s["iterations"]:
        counted.append(f"{s['iterations'] / max(1, s['evaluations']):.2g} iterations per evaluation, at most "
                       f"{s['most_iterations']}")
    if s["decompositions"]:
        counted.append(f"{s['decompositions']:,} decompositions")
    return "\n".join([result.settings.formulation, *counted])


def _mechanism(result: Result) -> str:
    m, system = result.mobility, result.system
    bodies, joints = len(system.body_numbers), len(system.joints)
    text = (f"{bodies} {'body' if bodies == 1 else 'bodies'}, {joints} joint{'' if joints == 1 else 's'}; "
            f"{m.dof} degree{'' if m.dof == 1 else 's'} of freedom")
    drives = sum(h.drive for h in system.holds.values())
    if drives:
        text += f", {drives} driven"
    if m.redundant:
        text += f", {m.redundant} redundant row{'' if m.redundant == 1 else 's'}"
    shared = grouped(shared_reactions(result))
    if shared:
        text += "\nreactions not unique (the least are given): " + shared[0]
        text += "".join(f"\n  {line}" for line in shared[1:SHOWN])
        text += f"\n  and {len(shared) - SHOWN} more kinds" if len(shared) > SHOWN else ""
    return text


def _residuals(result: Result) -> str:
    if not result.system.rows:
        return "no constraints"
    extent = result.system.extent
    kept = float(result["residual.position"].max())
    largest = max(result.statistics.get("position_residual", 0.0) * max(1.0, extent), kept)
    return (f"position {largest:.1e}, velocity {result['residual.velocity'].max():.1e} (largest of all rows, m and rad;"
            f" the mechanism extends over {extent:.3g} m)")


def _energy(result: Result) -> str:
    total, work = result["energy.total"], result["energy.work"]
    text = f"{total[0]:.6g} J at the start, {total[-1]:.6g} J at the end"
    if abs(work).max() > 0:
        text += f"; work of drives, dampers and loads {work[-1]:.6g} J"
    balance = abs(result["energy.balance"]).max()
    return f"{text}\nbalance kept to {balance:.1e} J ({result.energy_drift:.1e} of the largest energy)"


def _contact(result: Result) -> str:
    """Of rigid contact: how much was solved, and how well."""
    s = result.statistics
    if not s.get("contact_steps"):
        return ""
    text = (f"{s['contact_steps']:,} steps with up to {s['contact_points']:,} points, "
            f"{s['contact_rounds'] / s['contact_steps']:.3g} rounds each; conditions of contact kept to "
            f"{s['contact_residual']:.1e} of the largest impulse, overlap up to {max(0.0, s['penetration']):.1e} m")
    if s["unsolved_steps"]:
        text += (f"\n{s['unsolved_steps']:,} steps did not reach the tolerance: take a smaller step, more rounds, or "
                 "another tolerance")
    return text


def _crossed(result: Result) -> str:
    """What was crossed by time stepping, where rigid bodies with friction have no accelerations, or events crowd."""
    s = result.statistics
    if not s.get("crossing_steps"):
        return ""
    return (f"{s['crossing_time']:.3g} s from t = {s['first_crossing']:.6g} s on by time stepping "
            f"({s['crossing_steps']:,} steps, first order):\n"
            "there no accelerations fit the friction, or events follow each other without end")


def _events(result: Result) -> str:
    """The first events, how many more there were, and how exact their times are."""
    if not result.events:
        return ""
    told = [str(event) for event in result.events[:EVENTS]]
    rest = len(result.events) - EVENTS
    told += [f"and {rest:,} more, the last: {result.events[-1]}"] if rest > 0 else []
    if result.statistics.get("events_at_ends"):
        told.append("steps have a fixed size: events that watch the motion happen where a step ends")
    return "\n".join(told)


def _ranges(result: Result) -> list[str]:
    """Where ranges of the model were left."""
    found = left_ranges(result)
    told = [str(left) for left in found[:RANGES]]
    return [*told, f"and {len(found) - RANGES} more ranges"] if len(found) > RANGES else told


def _singular(result: Result) -> str:
    s = result.statistics
    parts = []
    if s.get("zeroed_pivots"):
        parts.append(f"{s['zeroed_pivots']:,} evaluations in a singular position")
    parts += list(dict.fromkeys(f"t = {t:.6g} s: {kind}" for t, kind in s.get("singular", ())))[:6]
    times = renewals(result)
    if times:
        parts.append(f"the set of independent rows was renewed {'once' if times == 1 else f'{times} times'}")
    return "; ".join(parts)


def renewals(result: Result) -> int:
    """How often another set of independent rows was looked for. Where all rows are independent there is only one, and
    just the scale that they are judged by was renewed."""
    return int(result.statistics.get("renewals", 0)) if result.mobility.redundant else 0
