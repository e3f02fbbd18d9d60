"""Equilibrium at rest: the position in which forces do no work along any motion that the joints allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.tangent import Tangent, at_rest, derivative, moved, size_of, tangent
from vincolo.channels.channels import Reaction
from vincolo.errors import ModelError, SimulationError
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System, as_system

TOLERANCE = 1e-11  # share of the forces at work
IDLE = 1e-9  # share of the largest stiffness
FIRST, LARGEST_TURN = 0.3, 0.8  # rad, of a step
FAR = 1e5  # lengths of the mechanism: nothing comes back from there
MANY_TURNS = 60.0  # rad


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A position of rest. `stiffness` [N/m] are the eigenvalues of the symmetric reduced stiffness, lowest first, over
    free motions measured in (displacement, length x rotation) of all bodies, reactions of curved joints included."""

    state: State
    stable: bool  # all stiffnesses but the idle ones are positive
    stiffness: Array
    length: float  # m, that makes rotations comparable with displacements
    idle: int  # free motions that no force holds or drives
    idle_bodies: tuple[str, ...]  # bodies that move in them
    iterations: int
    residual: float  # N, largest force along a free motion that is left
    message: str

    @cached_property
    def energy(self) -> float:
        """Potential energy of gravity, springs and laws by curve [J]."""
        return self.state["energy.potential"]

    @property
    def lowest(self) -> float:
        """Lowest stiffness [N/m] that is not idle; infinite if nothing can move."""
        size = np.argsort(np.abs(self.stiffness))[self.idle:]
        return float(self.stiffness[size].min(initial=np.inf))

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
        lines = [f"{self.state.system.name}: {kind} equilibrium after {self.iterations} iterations, "
                 f"forces balanced to {self.residual:.2g} N"]
        if len(self.stiffness) > self.idle:
            lines.append(f"  lowest stiffness {self.lowest:.6g} N/m of {len(self.stiffness)} free motions")
        return "\n".join(lines + ([f"  {self.message}"] if self.message else []))

    def forces(self) -> str:
        """The forces at rest as a table: of springs, laws and drives, and the reactions of joints."""
        s, units = self.state.system, self.state.channels.unit
        lines = [f"  {name:<18} {self[f'{name}.force']:>12.6g} {units(f'{name}.force') or 'N or N m'}"
                 for name in (*s.laws, *s.holds)]
        for joint in s.joints:
            force, torque = (self.state.channels[f"{joint}.reaction.{field}"][0] for field in ("force", "torque"))
            shared = "" if self.reaction(joint).unique else "   (redundant: least norm)"
            lines.append(f"  {joint:<18} {force:>12.6g} N {torque:>12.6g} N m{shared}")
        return "\n".join(["  forces at rest: springs, laws, drives; then joints, sizes of force and moment", *lines])


def statics(model: Model | System, *, start: State | None = None, t: float | None = None, stay: bool = False,
            max_iterations: int = 300) -> Equilibrium:
    """Finds where a mechanism rests, from its drawn position or a start, with drives and loads as at the time t. It
    goes down to a stable equilibrium; with `stay` to the nearest one, stable or not. A start that is in equilibrium
    already is kept, even if it is unstable."""
    system = as_system(model)
    if start is not None and not isinstance(start, State):
        raise ModelError(f"statics(): start is {start!r}; pass what assemble() or result.state() returned.")
    time = finite_number("statics(): t", t) if t is not None else start.t if start is not None else 0.0
    if isinstance(max_iterations, bool) or not isinstance(max_iterations, int) or max_iterations < 1:
        raise ModelError(f"statics(): max_iterations is {max_iterations!r}; a whole number from 1 is needed.")
    search = Search(at_rest(assemble(system, t=time, guess=start)), max_iterations)
    if stay:
        found = search.nearest() or search.down()
    else:
        found = search.down() or (not search.lost and (search.nearest() or (search.relaxed() and search.nearest())))
    if not found:
        raise SimulationError(_not_found(search))
    return _described(search)


class Search:
    """The way to an equilibrium: where it is, and how far it has come."""

    def __init__(self, start: State, limit: int) -> None:
        self.here = tangent(start)
        self.limit = limit
        self.iterations = 0
        self.path = np.zeros_like(self.here.at.Q)  # sum of all displacements
        self.known: Array | None = None  # stiffness
        self.lost = False  # whether a body runs away
        self.scale = force_scale(self.here)  # N, largest forces at work so far

    @property
    def balanced(self) -> bool:
        """Whether no force is left along any free motion: against the forces at work, or those of a small motion."""
        left = float(np.abs(self.here.force).max(initial=0.0))
        if left <= TOLERANCE * self.scale:
            return True
        return left <= TOLERANCE * 1e-3 * self.here.length * float(np.abs(self.stiffness()).max())

    def stiffness(self) -> Array:
        """Roughly, of where it is; kept until it goes on."""
        if self.known is None:
            self.known = stiffness_of(self.here, False)
        return self.known

    def go(self, xi: Array) -> Tangent | None:
        """Where a step leads; None if the joints cannot follow."""
        self.iterations += 1
        end = moved(self.here, self.here.N @ xi)
        return None if end is None else tangent(end)

    def take(self, there: Tangent, xi: Array) -> None:
        """Goes there."""
        self.path = self.path + self.here.N @ xi
        self.here, self.known = there, None
        self.scale = max(self.scale, force_scale(there))

    def fits(self, xi: Array, limit: float) -> bool:
        """Whether a step turns nothing further than LARGEST_TURN and moves nothing further than the limit allows."""
        dq = self.here.N @ xi
        turns = np.abs(dq.reshape(-1, 6)[:, 3:]).max(initial=0.0)
        return bool(turns <= min(limit, LARGEST_TURN) and size_of(dq, self.here.length) <= limit)

    def down(self) -> bool:
        """Steps that forces do work on, by Newton with all stiffnesses taken positive, within a trusted region."""
        trusted = FIRST
        while self.iterations < self.limit:
            if self.balanced:
                return self.polish()
            K = self.stiffness()
            values, vectors = np.linalg.eigh((K + K.T) / 2)
            if values[0] > 0 and self.newton(K, trusted):
                trusted = max(trusted, FIRST)
                continue
            trusted = self.descend(values, vectors, trusted)
            self.lost = self.runs_away(values[0])
            if trusted < 1e-9 or self.lost:
                return False
        return False

    def descend(self, values: Array, vectors: Array, trusted: float) -> float:
        """One step down; returns the size that can be trusted next."""
        force = vectors.T @ self.here.force
        xi, shift = vectors @ (force / self.softened(values)), 0.0
        while not self.fits(xi, trusted):
            shift = max(2 * shift, 1e-3 * float(np.linalg.norm(force)) / self.here.length)
            xi = vectors @ (force / (self.softened(values) + shift))
        expected = float(self.here.force @ xi - 0.5 * (vectors.T @ xi) @ (values * (vectors.T @ xi)))
        there = self.go(xi)
        if there is None:
            return trusted / 4
        work = 0.5 * float(self.here.force @ xi + there.force @ (there.P @ (self.here.N @ xi)))
        share = work / expected if expected > 0 else 0.0
        wider = share > 0.7 and not self.fits(xi, trusted / 2)
        if share > 0.05:
            self.take(there, xi)
        return trusted / 3 if share < 0.3 else 2 * trusted if wider else trusted

    def softened(self, values: Array) -> Array:
        """Stiffnesses made positive, and not smaller than rounding allows."""
        floor = 1e-12 * max(float(np.abs(values).max(initial=0.0)), self.scale / self.here.length)
        return np.asarray(np.maximum(np.abs(values), floor))

    def newton(self, K: Array, trusted: float) -> bool:
        """A full Newton step, if it is short and leaves less than half of the force."""
        xi = np.asarray(np.linalg.lstsq(K, self.here.force, rcond=1e-11)[0], dtype=float)
        if not self.fits(xi, trusted):
            return False
        there = self.go(xi)
        if there is None or not np.linalg.norm(there.force) < 0.5 * np.linalg.norm(self.here.force):
            return False
        self.take(there, xi)
        return True

    def polish(self) -> bool:
        """Newton steps as long as they help; always a success."""
        for _ in range(3):
            if not self.here.force.any() or not self.newton(self.stiffness(), FIRST):
                break
        return True

    def nearest(self) -> bool:
        """Levenberg-Marquardt on the size of the force, whatever the signs of the stiffnesses."""
        damping, end = 1e-8, self.iterations + self.limit // 2
        while self.iterations < end and damping < 1e8:
            if self.balanced:
                return self.polish()
            K = self.stiffness()
            A = K.T @ K
            unit = float(np.trace(A)) / max(len(A), 1) or 1.0
            A = A + damping * unit * np.eye(len(A))
            xi = np.asarray(np.linalg.lstsq(A, K.T @ self.here.force, rcond=1e-15)[0], dtype=float)
            there = self.go(xi) if self.fits(xi, LARGEST_TURN) else None
            if there is not None and np.linalg.norm(there.force) < np.linalg.norm(self.here.force):
                self.take(there, xi)
                damping = max(damping / 10, 1e-14)
            else:
                damping *= 10
        return False

    def relaxed(self) -> bool:
        """Pseudo-time: accelerated by the forces with equal masses, stopped whenever the forces do negative work."""
        speed, trusted = np.zeros_like(self.path), 0.02
        for _ in range(self.limit):
            force = self.here.force
            if self.balanced or not force.any():
                return True
            along = self.here.P @ speed
            along = np.where(along @ force > 0, along, 0.0) + force / np.linalg.norm(force)
            xi = along * trusted * self.here.length / max(float(np.linalg.norm(along)), 1.0)
            there = self.go(xi)
            if there is None or there.force @ (there.P @ (self.here.N @ xi)) < 0:
                speed, trusted = 0 * speed, trusted / 2
            if there is not None:
                speed = self.here.N @ along if speed.any() or trusted == 0.02 else speed
                self.take(there, xi)
        return True

    def runs_away(self, lowest: float) -> bool:
        """Whether a body is so far, or has turned so often, that it will not come to rest."""
        steps = self.path.reshape(-1, 6)
        far = np.abs(steps[:, :3]).max() > FAR * self.here.length
        return bool(far or (np.abs(steps[:, 3:]).max() > MANY_TURNS and lowest <= IDLE * self.scale / self.here.length))


def stiffness_of(here: Tangent, fine: bool = True) -> Array:
    """Reduced stiffness [N/m] at a state at rest, -N^T d(Q - J^T lam): of the forces, and of the reactions that turn
    with their joints."""
    lam = here.lam

    def left(state: State) -> Array:
        e = state.equations()
        return np.asarray(e.Q - e.J.T @ lam)

    return np.asarray(-here.N.T @ derivative(left, here.state, here.N, np.zeros_like(here.N), fine))


def force_scale(here: Tangent) -> float:
    """Size of the forces at work [N]: weights, springs and laws, loads and reactions."""
    system = here.state.system
    weight = max(body.mass for body in system.model.bodies.values()) * float(np.linalg.norm(system.gravity))
    laws = here.state.channels.observed["law_force"][0]
    return max(weight, float(np.abs(here.at.Q / here.weight).max()), float(np.abs(laws).max(initial=0.0)),
               float(np.abs(here.lam).max(initial=0.0)), 1e-300)


def _described(search: Search) -> Equilibrium:
    here = search.here
    K = stiffness_of(here)
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    floor = IDLE * max(float(np.abs(values).max(initial=0.0)), 1e-3 * search.scale / here.length)
    idle = np.abs(values) <= floor
    share = np.linalg.norm(((here.N @ vectors[:, idle]) * here.weight[:, None]).reshape(len(here.weight) // 6, -1),
                           axis=1)
    names = tuple(c.body.name for c, x in zip(here.state.system.centred, share, strict=True) if x > 1e-6)
    stable = bool((values[~idle] > 0).all())
    residual = float(np.abs(here.force).max(initial=0.0))
    return Equilibrium(here.state, stable, values, here.length, int(idle.sum()), names, search.iterations, residual,
                       _message(search, K, stable, int(idle.sum()), names))


def _message(search: Search, K: Array, stable: bool, idle: int, names: tuple[str, ...]) -> str:
    """What a user should know about an equilibrium."""
    told, state = [], search.here.state
    if not stable:
        told.append("It is unstable: the slightest push moves it away. Start beside it to find a stable one.")
    if idle:
        told.append(f"{idle} free motion{'s' if idle > 1 else ''} of {_listed(names)} that no force holds: "
                    f"{'their values are' if idle > 1 else 'its value is'} that of the start.")
    if len(K) and np.abs(K - K.T).max() > 1e-6 * np.abs(K).max():
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
    push = (here.N @ here.force).reshape(-1, 6) * here.weight.reshape(-1, 6)
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
    K = stiffness_of(here, False)
    rate = float(here.force @ K @ here.force) / max(float(here.force @ here.force), 1e-300)
    if abs(rate) <= 1e-6 * force_scale(here) / here.length:
        lines.append(f"  Nothing resists this motion: '{name}' runs away. Hold it by a joint or a spring, or take away "
                     "the force that drives it.")
    else:
        lines.append("  Start nearer to the equilibrium (start=), look for forces that jump, or allow more "
                     "max_iterations.")
    return "\n".join(lines)
