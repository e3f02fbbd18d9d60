"""vincolo check, vincolo statics and vincolo modes."""

from __future__ import annotations

from typing import Any

from vincolo.analyses.linearize import linearize
from vincolo.analyses.mobility import mobility_of
from vincolo.analyses.plausibility import doubts, forgotten, undriven
from vincolo.analyses.statics import statics
from vincolo.cli.common import guarded, opened, print_json, say, say_error, spoken, units_of
from vincolo.errors import AssemblyError
from vincolo.formats.document import Document
from vincolo.layout import POINT, by_body
from vincolo.model.friction import Friction
from vincolo.results.in_units import in_units
from vincolo.state import State

MOST_FREEDOMS = 12  # that are told one by one


def check_model(path: str, changes: list[str], as_json: bool, verbose: bool) -> None:
    """Reads and closes a model; reports its freedom and what looks wrong."""
    with guarded(as_json) as heard:
        document = opened(path, changes, as_json, verbose)
        found = doubts(document.model)
        state = _started(document, found)
        freedom, free = mobility_of(state), undriven(state)
        found += forgotten(state)
        if as_json:
            print_json({"model": document.model.name, **_counts(document), "mobility": {
                "kutzbach": freedom.kutzbach, "rank": freedom.rank, "dof": freedom.dof,
                "redundant": freedom.redundant, "generic": freedom.generic, "singular": freedom.singular,
                "idle": [str(f) for f in freedom.idle]}, "undriven": free, "doubts": found, "warnings": heard,
                "left_out": document.report.left_out,
                "tyres": [str(tyre) for tyre in document.garage.tyres.values()]})
            return
        say(str(freedom))
        say("  " + ", ".join(counted(count, kind) for kind, count in _counts(document).items() if count))
        for tyre in document.garage.tyres.values():
            say(f"  tyre {tyre}")
        for event in document.model.events.values():
            say(f"  event {event.name!r}, where {event.condition}: {event.done}")
        for kept in document.model.ranges.values():
            say(f"  range {kept.name!r}: {kept.measure.name} stays within {kept.told}")
        for stop in document.model.stops.values():
            say(f"  stop {stop.name!r}: {stop.words}")
        for friction in document.model.frictions.values():
            say(f"  friction {friction.name!r}: {friction.words}{_shared_load(state, friction)}")
        for contact in document.model.contacts.values():
            gap = state[f"{contact.name}.gap"]
            start = f"overlap of {-gap:.3g} m" if gap < 0 else f"gap of {gap:.3g} m"
            say(f"  contact {contact.name!r}: {contact.words}; {start} at the start")
        moved = _moved(document, state)
        if moved:
            say(f"  {moved}")
        for name, law in document.model.laws.items():
            if law.called is not None:
                say(f"  law {name!r} is called through Python at every evaluation, which is slow: {law.called.reason}")
        _say_freedoms(free)
        for doubt in found:
            say_error("doubt", "yellow", doubt)
        if not found and not heard:
            say("  units, sizes, masses and springs look right")


def _shared_load(state: State, friction: Friction) -> str:
    """Whether the load of a friction is not unique, so that the least one counts."""
    joint = state.system.joints.get(friction.on)
    if joint is None or state.channels.reaction(joint.name).unique:
        return ""
    return "; the reaction of its joint is not unique, and the least one is used"


def counted(count: int, kinds: str) -> str:
    """"1 body", "3 bodies"."""
    one = "body" if kinds == "bodies" else kinds.removesuffix("s")
    return f"{count:,} {one if count == 1 else kinds}"


def _started(document: Document, found: list[str]) -> Any:
    """The closed mechanism; if it cannot be closed, doubts are listed with the reason: they may be it."""
    try:
        return document.start()
    except AssemblyError as error:
        if not found:
            raise
        told = "\n".join(f"  In doubt: {doubt}" for doubt in found)
        raise AssemblyError(f"{error}\n{told}") from None


def _say_freedoms(free: list[list[str]]) -> None:
    """Tells the bodies that move in each freedom that no drive moves."""
    for k, bodies in enumerate(free[:MOST_FREEDOMS], 1):
        named = ", ".join(map(repr, bodies[:6])) + (f" and {len(bodies) - 6} more" if len(bodies) > 6 else "")
        say(f"  freedom {k} of {len(free)} that no drive moves: {named}")
    if len(free) > MOST_FREEDOMS:
        say(f"  ... and {len(free) - MOST_FREEDOMS} more")


def _counts(document: Document) -> dict[str, int]:
    m = document.model
    return {"bodies": len(m.bodies), "joints": len(m.joints), "drives": sum(h.drive for h in m.holds.values()),
            "springs": len(m.springs), "laws": len(m.laws), "rotors": len(m.rotors), "loads": len(m.loads),
            "contacts": len(m.contacts),
            "stops": len(m.stops), "frictions": len(m.frictions),
            "inputs": len(m.inputs), "variables": len(m.variables), "states": len(m.states), "events": len(m.events),
            "ranges": len(m.ranges),
            "outputs": len(m.outputs), "controllers": len(m.controllers)}


def _moved(document: Document, state: Any) -> str:
    """How far bodies had to be moved to close the joints."""
    import numpy as np

    drawn = document.system.drawn
    n = len(document.system.body_numbers)
    if not n:
        return ""
    steps = np.linalg.norm(by_body(state.y - drawn.y, n)[:, POINT], axis=1)
    k = int(np.argmax(steps))
    if steps[k] < 1e-6:
        return ""
    return (f"to close the joints, bodies were moved by up to {steps[k]:.3g} m "
            f"({document.system.centred[k].body.name!r})")


def find_rest(path: str, changes: list[str], stay: bool, unit: list[str], as_json: bool,
              accept_missing: bool = False) -> None:
    """Finds where a mechanism comes to rest."""
    with guarded(as_json) as heard:
        document = opened(path, changes, as_json)
        document.require_whole(accept_missing)
        units = units_of(unit)
        found = statics(document.system, start=document.start(), stay=stay)
        if as_json:
            channels = found.state.channels
            values = {key: float(channels[key][0]) for key in channels.keys()  # noqa: SIM118
                      if key.endswith((".x", ".y", ".z", ".angle", ".travel", ".length", ".force", ".torque"))}
            print_json({"model": document.model.name, "stable": found.stable, "energy": found.energy,
                        "values": values, "warnings": heard})
            return
        say(spoken(str(found)))
        shown = in_units(found.state.channels, *units, usual=document.settings.units)
        say(found.positions(shown))
        say(found.forces(shown))


def find_modes(path: str, changes: list[str], drawn: bool, as_json: bool, accept_missing: bool = False) -> None:
    """Small vibrations about rest."""
    with guarded(as_json) as heard:
        document = opened(path, changes, as_json)
        document.require_whole(accept_missing)
        state = document.start()
        if not drawn:
            state = statics(document.system, start=state).state
        found = linearize(state)
        if as_json:
            print_json({"model": document.model.name, "stable": found.stable, "warnings": heard, "modes": [
                {"natural_hz": f, "vibrates_hz": d, "damping_ratio": z} for f, d, z in zip(
                    found.frequencies, found.damped_frequencies, found.damping_ratios, strict=True)]})
            return
        say(str(found))
        say("  stable" if found.stable else "  unstable: a mode grows")
