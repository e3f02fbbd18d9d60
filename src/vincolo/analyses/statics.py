"""Equilibrium at rest: the position in which forces do no work along any motion that the joints allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.bounds import refuse_reading
from vincolo.analyses.carried_states import settled
from vincolo.analyses.rest_tables import least_told, line_of
from vincolo.analyses.resting import MOST, Met, Resting
from vincolo.analyses.saddle import Held, scale_of
from vincolo.analyses.spectrum import IDLE, Spectrum
from vincolo.analyses.tangent import Tangent, at_rest, moved, tangent
from vincolo.channels.channels import Reaction
from vincolo.errors import ModelError, SimulationError
from vincolo.layout import POINT, by_body
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.results.in_units import InUnits, in_units
from vincolo.state import State
from vincolo.system import System, as_system
from vincolo.touching import refuse_rigid

TOLERANCE = 1e-11  # share of the forces at work
FIRST, LARGEST_TURN = 0.3, 0.8  # rad, of a step
FAR = 1e5  # lengths of the mechanism: nothing comes back from there
MANY_TURNS = 60.0  # rad
EXACT = 1e-14  # damping of a Newton step, against the square of the largest stiffness
HAIR = 1e-13  # share of the largest stiffness that keeps a Newton step from what is idle
SYMMETRIC = 1e-12  # share of a stiffness that may be lost in a Newton step


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A position of rest."""

    state: State
    stable: bool  # all stiffnesses but the idle ones are positive
    length: float  # m, that makes rotations comparable with displacements
    idle: int  # free motions that no force holds or drives
    idle_bodies: tuple[str, ...]  # bodies that move in them
    iterations: int
    residual: float  # N, largest force along a free motion that is left
    message: str
    spectrum: Spectrum

    @cached_property
    def stiffness(self) -> Array:
        """Eigenvalues [N/m] of the symmetric reduced stiffness, lowest first, over free motions measured in
        (displacement, length x rotation) of all bodies, reactions of curved joints included. Of a thousand bodies they
        take a while; `lowest` and `stable` do not need them."""
        return self.spectrum.values

    @cached_property
    def energy(self) -> float:
        """Potential energy of gravity, springs and laws by curve [J]."""
        return self.state["energy.potential"]

    @property
    def lowest(self) -> float:
        """Lowest stiffness [N/m] that is not idle; infinite if nothing can move."""
        return self.spectrum.lowest

    def __getitem__(self, name: str) -> float:
        """A channel at rest, such as "strut.force" or "chassis.z"."""
        return self.state[name]

    def __contains__(self, name: object) -> bool:
        return name in self.state

    def __iter__(self) -> Iterator[str]:
        return iter(self.state)

    def reaction(self, joint: str) -> Reaction:
        """What a joint puts on its bodies."""
        return self.state.channels.reaction(joint)

    def __str__(self) -> str:
        kind = "stable" if self.stable else "unstable"
        steps = f"{self.iterations} iteration{'' if self.iterations == 1 else 's'}"
        lines = [f"{self.state.system.name}: {kind} equilibrium after {steps}, "
                 f"forces balanced to {self.residual:.2g} N"]
        if np.isfinite(self.lowest):
            lines.append(f"  lowest stiffness {self.lowest:.6g} N/m of {self.spectrum.count} free motions")
        return "\n".join(lines + ([f"  {self.message}"] if self.message else []))

    def positions(self, shown: InUnits | None = None) -> str:
        """Where it rests as a table: coordinates of joints and named measures, then the places of bodies, in the units
        that measures declare, or as `shown`: in_units(equilibrium.state.channels, "mm", "deg")."""
        s, given = self.state.system, shown or in_units(self.state.channels)
        named = [str(m.name) for joint in s.joints.values() for m in joint.coordinates.values()]
        rows = [(name, [name]) for name in dict.fromkeys([*named, *s.model.measures])]
        rows += [(body, [f"{body}.{axis}" for axis in "xyz"]) for body in s.body_numbers]
        head = "  at rest: coordinates and measures; then bodies, x y z of their frames"
        least = least_told(given, rows)
        return "\n".join([head, *(line_of(given, name, series, least) for name, series in rows)])

    def forces(self, shown: InUnits | None = None) -> str:
        """The forces at rest as a table: of springs, laws and drives, and the reactions of joints; units as in
        positions()."""
        s, given = self.state.system, shown or in_units(self.state.channels)
        rows = [(name, [f"{name}.force"]) for name in (*s.laws, *s.holds)]
        rows += [(joint, [f"{joint}.reaction.force", f"{joint}.reaction.torque"]) for joint in s.joints]
        least = least_told(given, rows)
        lines = [line_of(given, name, series, least, apart=True) + (
            "   (redundant: least norm)" if name in s.joints and not self.reaction(name).unique else "")
            for name, series in rows]
        return "\n".join(["  forces at rest: springs, laws, drives; then joints, sizes of force and moment", *lines])


def statics(model: Model | System, *, start: State | None = None, t: float | None = None, stay: bool = False,
            max_iterations: int = 1000) -> Equilibrium:
    """Finds where a mechanism rests, from its drawn position or a start, with drives and loads as at the time t. It
    goes down to a stable equilibrium; with `stay` to the nearest one, stable or not. A start that is in equilibrium
    already is kept, even if it is unstable."""
    system = as_system(model)
    refuse_reading("statics()", system)
    refuse_rigid("statics()", system, "has no equilibrium of forces that a position tells")
    if start is not None and not isinstance(start, State):
        raise ModelError(f"statics(): start is {start!r}; pass what assemble() or result.state() returned.")
    time = finite_number("statics(): t", t) if t is not None else start.t if start is not None else 0.0
    if isinstance(max_iterations, bool) or not isinstance(max_iterations, int) or max_iterations < 1:
        raise ModelError(f"statics(): max_iterations is {max_iterations!r}; a whole number from 1 is needed.")
    begin = at_rest(assemble(system, t=time, guess=start))
    if not system.deciding.any:
        return _described(_rested(Search(settled(begin), max_iterations), stay))
    return _resting(begin, max_iterations, stay)


def _rested(search: Search, stay: bool) -> Search:
    if stay:
        found = search.nearest() or search.down()
    else:
        found = search.down() or (not search.lost and (search.nearest() or (search.relaxed() and search.nearest())))
    if not found:
        raise SimulationError(_not_found(search))
    return search


def _resting(begin: State, limit: int, stay: bool) -> Equilibrium:
    """With stops and friction: what holds changes until all stops push, and friction is where it stuck."""
    resting = Resting.of(begin)
    state: State | None = resting.held(begin)
    iterations, falls = 0, False  # falls: a stop has opened there, from which only the way down leads away
    for _ in range(MOST + 2 * len(resting.sides)):
        assert state is not None
        search = Search(settled(state), limit, resting)
        try:
            _rested(search, stay and not falls)
        except Met as met:
            state, falls = resting.close(met, search.here), False
            continue
        finally:
            iterations += search.iterations
        state = resting.opened(search.here, search.scale)
        falls = state is not None
        state = state or resting.gone_back(search.here)
        if state is None:
            resting.check(search.here.state)
            found = _described(search)
            told = " ".join(filter(None, (resting.told(), found.message)))
            return replace(found, iterations=iterations, message=told)
    raise SimulationError(resting.undecided())


class Search:
    """The way to an equilibrium: where it is, and how far it has come. Steps are in weight dq [m]."""

    def __init__(self, start: State, limit: int, resting: Resting | None = None) -> None:
        self.resting = resting
        self.reach = reach_of(start)  # m
        self.here = tangent(start, self.reach)  # turns cost as much as they move, so that joints close by displacements
        self.limit = limit
        self.iterations = 0
        self.path = np.zeros_like(self.here.at.Q)  # sum of all displacements
        self.lost = False  # whether a body runs away
        self.scale = force_scale(self.here)  # N, largest forces at work so far
        self.shift = 0.0  # N/m, that the last step needed to be short enough

    @property
    def balanced(self) -> bool:
        """Whether no force is left along any free motion: against the forces at work, or those of a small motion."""
        left = float(np.abs(self.here.force).max(initial=0.0))
        if left <= TOLERANCE * self.scale:
            return True
        return left <= TOLERANCE * 1e-3 * self.here.length * scale_of(self.here.stiffness)

    def go(self, x: Array) -> Tangent | None:
        """Where a step leads; None if the joints cannot follow."""
        self.iterations += 1
        end = moved(self.here, x / self.here.weight)
        if self.resting is not None and end is not None:
            self.resting.passed(self.here.state, end, lambda share: moved(self.here, share * x / self.here.weight))
        return None if end is None else tangent(settled(end), like=self.here)

    def take(self, there: Tangent, x: Array) -> None:
        """Goes there."""
        self.path = self.path + x / self.here.weight
        self.here = there
        self.scale = max(self.scale, force_scale(there))

    def fits(self, x: Array, limit: float) -> bool:
        """Whether a step turns nothing further than LARGEST_TURN and moves nothing further than the limit allows."""
        steps = np.abs(x).reshape(-1, 6)
        turns = steps[:, 3:].max(initial=0.0) / self.here.length
        return bool(turns <= min(limit, LARGEST_TURN) and steps[:, :3].max(initial=0.0) <= limit * self.reach)

    def down(self) -> bool:
        """Steps that forces do work on, by Newton with a stiffness that is positive, within a trusted region."""
        trusted = FIRST
        while self.iterations < self.limit:
            if self.balanced:
                return self.polish()
            held = self.here.saddle.held(self.here.stiffness)
            if not held.downwards and self.newton(trusted):
                trusted = max(trusted, FIRST)
                continue
            trusted = self.descend(held, trusted)
            self.lost = self.runs_away()
            if trusted < 1e-9 or self.lost:
                return False
        return False

    def descend(self, held: Held, trusted: float) -> float:
        """One step down; returns the size that can be trusted next."""
        force, K = self.here.force, self.here.stiffness
        x = self.shortened(held, trusted)
        expected = float(force @ x - 0.5 * x @ (K @ x))
        there = self.go(x)
        if there is None:
            return trusted / 4
        work = 0.5 * (float(force @ x) + there.work(x / self.here.weight))
        share = work / expected if expected > 0 else 0.0
        wider = share > 0.7 and not self.fits(x, trusted / 2)
        if share > 0.05:
            self.take(there, x)
        return trusted / 3 if share < 0.3 else 2 * trusted if wider else trusted

    def shortened(self, held: Held, trusted: float) -> Array:
        """A step of a stiffness that is raised by a shift until it is positive along all free motions and the step
        can be trusted; it begins near the shift of the step before."""
        force, shift = self.here.force, 0.0
        least = 1e-6 * float(np.linalg.norm(force)) / self.here.length
        while True:
            x = held.solve(force) if not held.downwards else None
            if x is not None and self.fits(x, trusted):
                self.shift = shift
                return x
            shift = max(4 * shift, self.shift / 8, least)
            held = self.here.saddle.held(self.here.stiffness, shift)

    def newton(self, trusted: float) -> bool:
        """A full Newton step, if it is short and leaves less than half of the force."""
        x = newton_step(self.here, self.here.force)
        if not self.fits(x, trusted):
            return False
        there = self.go(x)
        if there is None or not np.linalg.norm(there.force) < 0.5 * np.linalg.norm(self.here.force):
            return False
        self.take(there, x)
        return True

    def polish(self) -> bool:
        """Newton steps as long as they help; always a success."""
        for _ in range(3):
            if not self.here.force.any() or not self.newton(FIRST):
                break
        return True

    def nearest(self) -> bool:
        """Levenberg-Marquardt on the size of the force, whatever the signs of the stiffnesses."""
        damping, end = 1e-8, self.iterations + self.limit // 2
        while self.iterations < end and damping < 1e8:
            if self.balanced:
                return self.polish()
            x = self.here.saddle.fitted(self.here.stiffness, damping, self.here.force)
            there = self.go(x) if self.fits(x, LARGEST_TURN) else None
            if there is not None and np.linalg.norm(there.force) < np.linalg.norm(self.here.force):
                self.take(there, x)
                damping = max(damping / 10, EXACT)
            else:
                damping *= 10
        return False

    def relaxed(self) -> bool:
        """Pseudo-time: accelerated by the forces with equal masses, stopped whenever the forces do negative work."""
        speed, trusted = np.zeros_like(self.path), 0.02
        for _ in range(self.limit):
            force, weight = self.here.force, self.here.weight
            if self.balanced or not force.any():
                return True
            along = self.here.free(speed) * weight
            along = np.where(along @ force > 0, along, 0.0) + force / np.linalg.norm(force)
            x = along * trusted * self.here.length / max(float(np.linalg.norm(along)), 1.0)
            there = self.go(x)
            if there is None or there.work(x / weight) < 0:
                speed, trusted = 0 * speed, trusted / 2
            if there is not None:
                speed = along / weight if speed.any() or trusted == 0.02 else speed
                self.take(there, x)
        return True

    def runs_away(self) -> bool:
        """Whether a body is so far, or has turned so often, that it will not come to rest."""
        steps = np.abs(self.path.reshape(-1, 6))
        if steps[:, :3].max() > FAR * self.here.length:
            return True
        if steps[:, 3:].max() <= MANY_TURNS:
            return False
        floor = IDLE * self.scale / self.here.length
        return self.here.saddle.held(self.here.stiffness, -floor).downwards > 0


def newton_step(here: Tangent, force: Array) -> Array:
    """The motion, weight dq, that takes away a force along the free motions; none along what is idle."""
    K, saddle = here.stiffness, here.saddle
    if saddle.asymmetry(K) <= SYMMETRIC:
        held = saddle.held(K, HAIR * scale_of(K))
        if held.factor.good:
            return held.solve(force)
    return saddle.fitted(K, EXACT, force)


def reach_of(state: State) -> float:
    """How far a mechanism extends [m], and at least the length of a body: what displacements are compared with."""
    points = by_body(state.y, len(state.system.centred))[:, POINT]
    return max(float(np.ptp(points, axis=0).max()), max(c.length for c in state.system.centred))


def force_scale(here: Tangent) -> float:
    """Size of the forces at work [N]: weights, springs and laws, loads and reactions."""
    system = here.state.system
    weight = max(body.mass for body in system.model.bodies.values()) * float(np.linalg.norm(system.gravity))
    laws = here.state.channels.observed["law_force"][0] if system.laws else np.zeros(0)
    return max(weight, float(np.abs(here.at.Q / here.weight).max()), float(np.abs(laws).max(initial=0.0)),
               float(np.abs(here.lam).max(initial=0.0)), 1e-300)


def _described(search: Search) -> Equilibrium:
    here = tangent(search.here.state)
    spectrum = Spectrum(here, search.scale)
    names, stable = spectrum.idle_bodies(), spectrum.negative == 0
    residual = float(np.abs(here.force).max(initial=0.0))
    return Equilibrium(here.state, stable, here.length, spectrum.idle, names, search.iterations, residual,
                       _message(here, stable, spectrum.idle, names), spectrum)


def _message(here: Tangent, stable: bool, idle: int, names: tuple[str, ...]) -> str:
    """What a user should know about an equilibrium."""
    told, state = [], here.state
    if not stable:
        told.append("It is unstable: the slightest push moves it away. Start beside it to find a stable one.")
    if idle:
        told.append(f"{idle} free motion{'s' if idle > 1 else ''} of {_listed(names)} that no force holds: "
                    f"{'their values are' if idle > 1 else 'its value is'} that of the start.")
    if here.saddle.asymmetry(here.stiffness) > 1e-6:
        told.append("Some forces have no potential: `stable` looks at the symmetric stiffness only; linearize() tells "
                    "more.")
    moving = [name for name, held in state.system.holds.items() if any(held.function.derivatives(state.t)[1:])]
    if moving:
        told.append(f"Moving drives are held still ({_listed(moving)}); accelerations and reactions read from the "
                    "state are those of the drives as they move.")
    return " ".join(told)


def _listed(names: tuple[str, ...] | list[str]) -> str:
    shown = ", ".join(f"'{n}'" for n in names[:6])
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _not_found(search: Search) -> str:
    """Which body moves on, by what force, and what to do."""
    here, system = search.here, search.here.state.system
    push = here.force.reshape(-1, 6)
    k = int(np.argmax(np.linalg.norm(push, axis=1)))
    name, gone = system.centred[k].body.name, search.path.reshape(-1, 6)[k]
    far = float(np.linalg.norm(gone[:3]))
    turned = far <= here.length * float(np.linalg.norm(gone[3:]))
    way = gone[3:] if turned else gone[:3]
    along = ", ".join(f"{x:.2g}" for x in way / max(np.linalg.norm(way), 1e-300))
    did = f"turned by {np.linalg.norm(way):.3g} rad about" if turned else f"moved by {far:.3g} m along"
    left = float(np.abs(here.force).max(initial=0.0))
    lines = [f"no equilibrium was found in {search.iterations} iterations: a force of {left:.3g} N is left along a "
             "free motion.", f"  Body '{name}' is driven most; it has {did} ({along}) from the start."]
    rate = float(here.force @ (here.stiffness @ here.force)) / max(float(here.force @ here.force), 1e-300)
    if abs(rate) <= 1e-6 * force_scale(here) / here.length:
        lines.append(f"  Nothing resists this motion: '{name}' runs away. Hold it by a joint or a spring, or take away "
                     "the force that drives it.")
    else:
        lines.append("  Start nearer to the equilibrium (start=), look for forces that jump, or allow more "
                     "max_iterations.")
    return "\n".join(lines)
