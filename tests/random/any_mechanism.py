"""Random mechanisms with parts of every kind: a mechanism of a random family, one to four parts of the combination
matrix or of random sizes, drives, and a unit system of its own."""

from __future__ import annotations

import warnings
import zlib
from dataclasses import dataclass, replace

import more_parts  # noqa: F401  # registers parts
import numpy as np
from added_parts import KINDS, Fitting
from families import FAMILIES, SHARES
from machines import Mechanism
from parts import PARTS
from sketch import Scale, Sketch, sketch
from units import SI, UNITS, in_units

import vincolo as vc

#: in general position: those that begin singular or without inertia are judged in test_random.py
USUAL = [family for family in FAMILIES if family not in
         ("flat", "near_flat", "change_point", "stretched", "aligned_crank", "needles", "points", "structure")]
LENGTHS = (1.0, 1.0, 1.0, 0.3, 0.1, 0.03)  # m
MASSES = (1.0, 1.0, 0.1, 10.0)  # kg
MIXED = 0.15  # share of mechanisms that are read from a file in other units
NOT_ADDED = ("bare", "friction in every pin and guide")
NAME_TAKEN = ("there is already", "is a result of")
NAMES = tuple(name for name in PARTS if name not in NOT_ADDED) + tuple(KINDS)


@dataclass
class AnyMechanism:
    """A mechanism with parts: what it was drawn from, and marks of its mechanics."""

    seed: int
    family: str
    machine: Mechanism
    parts: tuple[str, ...]
    marks: frozenset[str]
    units: str = SI

    def __str__(self) -> str:
        return f"{self.seed} ({self.family}, {self.units}): {'; '.join(self.parts)}"


def drawn_with_parts(seed: int, parts: tuple[str, ...] = (), units: str = "") -> AnyMechanism:
    """The mechanism of a seed; with `parts` or `units` in the place of the drawn ones, to look for a cause."""
    rng = np.random.default_rng([zlib.crc32(b"parts of every kind"), seed])
    family, s, ranges = bare(rng)
    fitting = Fitting(mechanism(s, ranges), s, ranges)
    wanted = parts or [str(name) for name in rng.choice(NAMES, size=12, replace=False)]
    count = len(parts) or int(rng.integers(1, 5))
    added: list[str] = []
    for name in wanted:
        if len(added) < count and attach(fitting, name, str(len(added))):
            added.append(name)
    chosen = units or (str(rng.choice(UNITS[1:])) if rng.random() < MIXED else SI)
    return in_chosen_units(AnyMechanism(seed, family, fitting.machine, tuple(added), frozenset(fitting.marks)), chosen)


def bare(rng: np.random.Generator) -> tuple[str, Sketch, dict[str, tuple[float, float, float]]]:
    """A random mechanism that runs, with coordinates, and the ranges of these in its run."""
    weights = np.array([SHARES[family] for family in USUAL])
    while True:
        family = str(rng.choice(USUAL, p=weights / weights.sum()))
        s = sketch(family, int(rng.integers(2**31)), Scale(float(rng.choice(LENGTHS)), float(rng.choice(MASSES))))
        s.spread = min(s.spread, 1.0)
        if rng.random() < 0.7:
            s.model.gravity[:] = (0, 0, -9.81)
        FAMILIES[family](s)
        if ranges := moved(s):
            return family, s, ranges


def moved(s: Sketch) -> dict[str, tuple[float, float, float]]:
    """Start, lowest and highest value of every coordinate that moves; none if the bare mechanism does not run."""
    names = [f"{j.name}.{c}" for j in s.model.joints.values() for c in j.coordinates if c[:5] in ("angle", "trave")]
    if not names:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = vc.simulate(s.model, s.span * s.scale.time, outputs=30, max_steps=4000)
        except vc.VincoloError:
            return {}
    if not result.complete:
        return {}
    values = {name: result[name] for name in names}
    return {name: (float(q[0]), float(q.min()), float(q.max())) for name, q in values.items()
            if np.ptp(q) > 1e-3 * (1.0 if "angle" in name else s.scale.length)}


def mechanism(s: Sketch, ranges: dict[str, tuple[float, float, float]]) -> Mechanism:
    """The places at which parts of the matrix are attached."""
    system = vc.compile(s.model)
    drives = len(system.holds)
    driven = bool(drives) and vc.mobility(system).dof <= drives
    return at_random_place(Mechanism(s.model, s.span * s.scale.time, next(iter(ranges)), s.bodies[0].name, (0, 0, 0),
                                     s.scale.force, s.scale.length, driven=driven), s, ranges)


def at_random_place(machine: Mechanism, s: Sketch, ranges: dict[str, tuple[float, float, float]]) -> Mechanism:
    """The same with another coordinate, body and point, at which the next part is attached."""
    free = [name for name in ranges if f"{name}.drive" not in machine.model.holds] or list(ranges)
    coordinate, body = s.pick(free), s.pick([b for b in machine.model.bodies.values() if " " not in b.name])
    tip = body.at + body.orientation @ body.com + s.scale.length * s.point(0.3)
    return replace(machine, coordinate=coordinate, body=body.name, tip=tuple(tip.tolist()),
                   excursion=ranges[coordinate])


def attach(f: Fitting, name: str, tag: str) -> bool:
    """Adds a part, unless it does not fit or has the name of one that is there."""
    before, f.tag = f.machine, tag
    f.machine = replace(at_random_place(before, f.sketch, f.ranges), model=before.model.copy())
    marks = (KINDS[name] if name in KINDS else PARTS[name]).marks
    fits = KINDS[name].fits(f) if name in KINDS else not PARTS[name].misfit(f.machine)
    try:
        if fits:
            (KINDS[name].add if name in KINDS else PARTS[name].attach)(f if name in KINDS else f.machine)
    except vc.ModelError as error:
        if not any(words in str(error) for words in NAME_TAKEN):
            raise
        fits = False
    if not fits:
        f.machine = before
        return False
    f.marks |= marks
    return True


def in_chosen_units(drawn: AnyMechanism, units: str) -> AnyMechanism:
    """The mechanism read from a file with its numbers in other units; functions of Python fit into no file."""
    if units == SI or "python" in drawn.marks:
        return drawn
    return replace(drawn, machine=in_units(drawn.machine, units), units=units)
