"""Controllers in files: the ready blocks, by their numbers. A function of one's own fits into no file."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from vincolo.blocks.discrete import REMEMBERED, Delay, Pid, RateLimit
from vincolo.blocks.feedback import Feedback
from vincolo.errors import ModelError, suggest
from vincolo.formats.tree.schema import ControllerKeys
from vincolo.model.checks import finite_number
from vincolo.model.control import Controller, Output
from vincolo.model.model import Model

MOST_CALLS = 1_000_000  # that a delay may remember


class Block(NamedTuple):
    """A block by its name in files: its class, its numbers as data, and itself and its memory made of them again."""

    kind: type
    told: Callable[[Any], dict[str, Any]]
    made: Callable[[str, dict[str, Any], ControllerKeys], Any]
    memory: Callable[[Any, float], Any]


def controller_data(c: Controller) -> dict[str, Any]:
    """A controller that is a ready block; others are refused by name."""
    name = next((key for key, block in BLOCKS.items() if type(c.function) is block.kind), None)
    if name is None:
        raise ModelError(f"controller {c.name!r} is a function of Python, which a file cannot hold.\n"
                         "  Remove it before writing (model.remove), and add it again after reading; the ready "
                         f"blocks ({', '.join(BLOCKS)}) are kept.")
    data = {"block": name, "every": c.every} | ({"first": c.first} if c.first else {})
    return data | {"reads": [_text(c, read) for read in c.reads], "writes": list(c.writes),
                   "numbers": BLOCKS[name].told(c.function)}


def add_controller(model: Model, name: str, keys: ControllerKeys) -> Controller:
    """Makes a controller of a file."""
    what = f"controller {name!r}"
    if keys.block not in BLOCKS:
        raise ModelError(f"{what}: there is no block called {keys.block!r}; there are {', '.join(BLOCKS)}."
                         f"{suggest(str(keys.block), BLOCKS)}")
    block = BLOCKS[keys.block]
    made = block.made(what, keys.numbers, keys)
    first = next((model.variables[w].start for w in keys.writes if w in model.variables), 0.0)
    return model.add_controller(name, made, every=keys.every, first=keys.first, reads=keys.reads, writes=keys.writes,
                                memory=block.memory(made, first))


def _text(c: Controller, read: Output) -> str:
    """What it reads, as one text."""
    if read.formula is None:
        return read.channel
    if read.formula.constants or not read.formula.told:
        raise ModelError(f"controller {c.name!r} reads {read.name!r}, which is no text that a file could keep.\n"
                         "  Name the measure in the model, and read it by its name.")
    return read.formula.told


def _numbers(what: str, given: dict[str, Any], *wanted: str) -> dict[str, float]:
    """Finite numbers by name, all of them."""
    if set(given) != set(wanted):
        raise ModelError(f"{what}: its numbers are {', '.join(given) or 'none'}; they must be {', '.join(wanted)}.")
    return {key: finite_number(f"{what}: {key}", x) for key, x in given.items()}


PID = ("kp", "ki", "kd", "filter", "tracking", "weight")
BOUNDS = {"low": -math.inf, "high": math.inf}  # what is not bounded is not written


def _pid_told(b: Pid) -> dict[str, Any]:
    bounds = {key: getattr(b, key) for key, free in BOUNDS.items() if getattr(b, key) != free}
    return {key: getattr(b, key) for key in PID} | bounds | ({"bumpless": True} if b.bumpless else {})


def _pid(what: str, given: dict[str, Any], keys: ControllerKeys) -> Pid:
    plain = {key: x for key, x in given.items() if key != "bumpless"}
    x = BOUNDS | _numbers(what, plain, *PID, *(key for key in BOUNDS if key in given))
    if len(keys.reads) != 3 or not x["low"] < x["high"] or x["filter"] < 0 or x["tracking"] <= 0:
        raise ModelError(f"{what}: a pid reads setpoint, measured value and what it writes; low is less than high, "
                         "filter is not negative and tracking is positive.")
    return Pid(every=keys.every, bumpless=given.get("bumpless") is True, **x)


def _delay(what: str, given: dict[str, Any], keys: ControllerKeys) -> Delay:
    calls = _numbers(what, given, "calls")["calls"]
    if calls != int(calls) or not 0 <= calls <= MOST_CALLS or len(keys.reads) != 1:
        raise ModelError(f"{what}: a delay reads one signal, by so many calls late: a whole number up to "
                         f"{MOST_CALLS:,}, not {calls:g}.")
    return Delay(int(calls))


def _rate_limit(what: str, given: dict[str, Any], keys: ControllerKeys) -> RateLimit:
    x = _numbers(what, given, "up", "down")
    if min(x.values()) <= 0 or len(keys.reads) != 2:
        raise ModelError(f"{what}: a rate limit reads the signal and its own value; up and down are positive.")
    return RateLimit(every=keys.every, **x)


def _feedback(what: str, given: dict[str, Any], keys: ControllerKeys) -> Feedback:
    try:
        K, rest = (np.array(given[key], dtype=float) for key in ("K", "y0"))
    except (KeyError, TypeError, ValueError):
        raise ModelError(f"{what}: its numbers are K, a row of gains for each of its writes, and y0.") from None
    if set(given) != {"K", "y0"} or K.shape != (len(keys.writes), len(keys.reads)) or rest.shape != (len(keys.reads),) \
            or not (np.isfinite(K).all() and np.isfinite(rest).all()):
        raise ModelError(f"{what}: K has the shape {K.shape} and y0 {rest.shape}; {len(keys.writes)} by "
                         f"{len(keys.reads)} and {len(keys.reads)} finite numbers are needed.")
    return Feedback(K, rest, np.zeros(0, dtype=complex), tuple(keys.writes), tuple(keys.reads), keys.every)


BLOCKS = {
    "pid": Block(Pid, _pid_told, _pid, lambda b, start: dict(REMEMBERED)),
    "delay": Block(Delay, lambda b: {"calls": b.calls}, _delay,
                   lambda b, start: {"line": np.full(max(b.calls, 1), start), "next": 0}),
    "rate_limit": Block(RateLimit, lambda b: {"up": b.up, "down": b.down}, _rate_limit, lambda b, start: None),
    "state_feedback": Block(Feedback, lambda b: {"K": b.K.tolist(), "y0": b.y0.tolist()}, _feedback,
                            lambda b, start: None),
}
