"""Events while a run goes on: functions that are called, and why a run ends at one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vincolo.deciding import ModeEvent
from vincolo.errors import ModelError, SimulationError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.event import Event, Setting, Switched
from vincolo.onsets import Onset
from vincolo.state import State

if TYPE_CHECKING:
    from vincolo.system import System

SHOWN = 6  # events of a chain


def answer(run: Any, system: System) -> None:
    """Calls the functions of the events for which a run waits, and sets what they return."""
    state = State(system, *run.state())
    for number in run.calls():
        event = system.events[number]
        what = f"event {event.name!r} at t = {state.t:.9g} s"
        if event.call is None:
            continue
        try:
            returned = event.call(state)
        except Exception as error:
            raise SimulationError(f"{what}: its function raised {type(error).__name__}: {error}") from error
        for name, value in _returned(what, system, returned).items():
            run.set_auxiliary(system.auxiliaries[name], value)


def _returned(what: str, system: System, returned: Any) -> dict[str, float]:
    """The values that a function returned to be set."""
    if returned is None:
        return {}
    if not isinstance(returned, Mapping):
        raise SimulationError(f"{what}: its function returned {returned!r}; it returns nothing, or values to set such "
                              "as {'torque': 2.0}.")
    for name in returned:
        if name not in system.auxiliaries:
            raise SimulationError(f"{what}: its function returned a value for {name!r}, which is not an input, "
                                  f"variable or state.{suggest(str(name), system.auxiliaries)}")
        system.model.auxiliaries[name].refuse_setting(what)
    try:
        return {name: finite_number(f"{what}: {name}", value) for name, value in returned.items()}
    except ModelError as error:
        raise SimulationError(str(error)) from None


def reason_at_event(run: Any, status: str, system: System) -> str:
    """Why a run ended at an event, in words."""
    events = system.events
    if status == "events without end":
        last = [(t, events[k].name) for t, numbers, *_ in run.events() for k in numbers][-SHOWN:]
        listed = ", ".join(f"{name!r} at {t:.9g} s" for t, name in last)
        return (f"events without end: {listed}.\nThey follow each other faster and faster, or bring about each other. "
                "Let what comes to rest be held\n(switch a joint on below a speed), or leave a distance between on and "
                "off.")
    kind, number, row, gap, law = run.event_trouble()
    t = run.time
    name = repr(events[number].name) if number >= 0 else ""
    if kind == "undefined" and isinstance(events[number], ModeEvent):  # reactions that nobody could find
        found = dict.fromkeys([*events[number].targets, *system.reacting])
        return unsettled(system, next((system.laws[x] for x in found if x in system.laws), -1), t)
    if kind == "undefined":
        return (f"event {name}: '{events[number].text}' has no finite value at t = {t:.6g} s.\n"
                "Check it for divisions by zero and roots of negative numbers.")
    if kind == "held":
        return (f"event {name} at t = {t:.6g} s throws back what cannot move: the joints hold it.\n"
                "Bounce along a measure that is free.")
    if kind == "not finite":
        return f"event {name} at t = {t:.6g} s sets or strikes by a value that is infinite or undefined."
    if kind == "blocked":
        return (f"stop {system.rows[row].owner!r} is met at t = {t:.6g} s, but the joints hold what it would have to "
                "throw back.\nLet a drive end before it, or bound a measure that is free.")
    if kind == "contradiction":
        return _contradiction(system, row, law, t)
    return (f"{system.rows[row]} is switched on there, at t = {t:.6g} s, but stands open by {gap:.3g}: nothing jumps "
            "in position.\nSwitch it on where the mechanism meets it, or let it hold where it stands (latch=True).")


def unsettled(system: System, law: int, t: float) -> str:
    """Why a law that reads reactions ends a run."""
    name = next((name for name, number in system.laws.items() if number == law), "")
    if name not in system.model.frictions:
        return (f"law {name!r} has no answer at t = {t:.6g} s to the reactions that it reads: they follow from its own "
                "force,\nwhich grows with them without bound, or has several answers. Let it read less of them.")
    return (f"friction {name!r} has no answer at t = {t:.6g} s: the force that presses grows with the friction it "
            "causes, without bound,\nor there are several answers (Painleve's paradox). Rigid bodies with this "
            "friction have no motion from there;\nless friction, a regularised one or an elastic stop has one.")


def _contradiction(system: System, row: int, law: int, t: float) -> str:
    """Why a mechanism with stops and friction has no way to go on."""
    names = [name for name, number in system.laws.items() if number == law]
    named = names or ([system.rows[row].owner] if row >= 0 else [])
    where = f" Look at {named[0]!r}." if named else ""
    return (f"at t = {t:.6g} s nothing fits together: whichever stops hold and whatever sticks or slips, one of them "
            f"would pull,\ngive way or carry more than its friction allows (Painleve's paradox).{where}\n"
            "Rigid bodies with this friction have no motion from there; less friction, or an elastic stop, has one.")


def refuse_events(who: str, system: System) -> None:
    """Refuses events and controllers, which need a motion in time."""
    for name in system.model.controllers:
        raise ModelError(f"{who}: controller {name!r} is called in a motion with masses and forces.\n"
                         "  Use simulate(), or remove it.")
    for event in system.events:
        if not isinstance(event, Onset) and not _by_time_alone(event):
            raise ModelError(f"{who}: event {event.name!r} ({event.condition}: {event.done}) needs a motion with "
                             "masses and forces.\n  Use simulate(), or leave it out; what is switched or set at given "
                             "times is followed.")


def _by_time_alone(event: Event) -> bool:
    settled = all(isinstance(action, Switched | Setting) for action in event.actions)
    return (not event.by_motion and not event.stop and event.call is None and settled
            and not any(formula.forces for formula in event.formulas))
