"""Events as plain data."""

from __future__ import annotations

from typing import Any

from vincolo.errors import ExpressionError, ModelError
from vincolo.formats.tree.keys import Keys
from vincolo.model.auxiliary import Auxiliary, Formula
from vincolo.model.event import Event, Hit, Setting, Switched
from vincolo.model.measure import Measure
from vincolo.model.model import Model


class EventKeys(Keys):
    """What happens where a text crosses zero, or at times."""

    when: str | None = None
    direction: str = "both"
    at: float | list[float] = []
    every: float = 0.0
    switch_on: str | list[str] | dict[str, Any] = []
    switch_off: str | list[str] | dict[str, Any] = []
    latch: bool = True
    set: dict[str, str | float] = {}
    bounce: dict[str, str | float] = {}
    strike: dict[str, str | float] = {}
    stop: bool = False


def event_data(model: Model, event: Event) -> dict[str, Any]:
    """An event by the texts it was made of; refuses what texts cannot say."""
    if event.call is not None:
        raise ModelError(f"event {event.name!r} calls a function of Python, which a file cannot hold.\n"
                         "  Remove it before writing, and add it again after reading.")
    for formula in event.formulas:
        _require_same(model, f"event {event.name!r}", formula)
    data: dict[str, Any] = {}
    if event.when is not None:
        data |= {"when": event.text} | ({} if event.direction == "both" else {"direction": event.direction})
    if event.every:
        data["every"] = event.every
    if event.at and event.at != (0.0,) or (event.at and not event.every):
        data["at"] = event.at[0] if len(event.at) == 1 else list(event.at)
    for key, on in (("switch_off", False), ("switch_on", True)):
        found = [a for a in event.actions if isinstance(a, Switched) and a.on == on]
        if found:
            data[key] = _owners(found)
        if on and found and not found[0].latch:
            data["latch"] = False
    settings = {a.name: _value(a.value) for a in event.actions if isinstance(a, Setting)}
    hits = {bounce: {a.target: _value(a.value) for a in event.actions if isinstance(a, Hit) and a.bounce == bounce}
            for bounce in (True, False)}
    data |= {key: found for key, found in (("set", settings), ("bounce", hits[True]), ("strike", hits[False])) if found}
    return data | ({"stop": True} if event.stop else {})


def _owners(switched: list[Switched]) -> Any:
    if any(s.rows is not None for s in switched):
        return {s.owner: None if s.rows is None else list(s.rows) for s in switched}
    return switched[0].owner if len(switched) == 1 else [s.owner for s in switched]


def _value(formula: Formula) -> float | str:
    try:
        return float(formula.told)
    except ValueError:
        return formula.told


def sensed_data(model: Model, sensor: Auxiliary) -> dict[str, Any]:
    """What a sensor is set to, as the text it was made of; nothing of other variables."""
    if sensor.sensed is None:
        return {}
    _require_same(model, f"sensor {sensor.name!r}", sensor.sensed)
    return {"senses": sensor.sensed.told}


def _require_same(model: Model, owner: str, formula: Formula) -> None:
    """Refuses a text that would be read as something else: of a sub-model that is turned or mirrored."""
    try:
        again = model.seen_by_event("", formula.told)
        same = _plain(again) == _plain(formula) and all(
            _alike(a, b) for (_, a), (_, b) in zip(again.others, formula.others, strict=True))
    except (ExpressionError, ModelError, ValueError):
        same = False
    if not same:
        raise ModelError(f"{owner}: '{formula.told}' cannot be written: its sub-model is turned or "
                         "mirrored, and coordinates of the world mean others there.\n  Name a measure "
                         "in the sub-model, and name that here.")


def _plain(f: Formula) -> tuple[Any, ...]:
    """A formula without the names that it has for what it reads."""
    return (f.tape.ops, f.tape.constants, [name for _, name in f.reads], [name for _, name in f.forces])


def _alike(a: Measure, b: Measure) -> bool:
    if a.tape != b.tape or len(a.terms) != len(b.terms):
        return False
    return all(f == g and e == h and _same_place(p, q) and _same_place(r, s)
               for (f, e, p, r), (g, h, q, s) in zip(a.terms, b.terms, strict=True))


def _same_place(p: Any, q: Any) -> bool:
    return bool(p.body is q.body and (p.point == q.point).all() and (p.axes == q.axes).all())
