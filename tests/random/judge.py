"""The judge: runs a mechanism with default settings and says whether it is right, refused, stopped or wrong."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field

import numpy as np
from confirm import MOST_STEPS, cause
from families import drawn
from flats import FLATS
from sketch import Sketch

import vincolo as vc
from balance import TINY, contradiction, imbalances, opening
from dense import kernel_rows
from vincolo.errors import VincoloError

OPEN = 1e-9  # of the size
LOST = 1e-4  # of the energy in motion
UNBALANCED = 1e-6  # of the largest force or moment at a sample
RESTING = 1e-9  # of the weight: forces below it are rounding of a mechanism at rest
SECONDS = 20.0  # of CPU
OUTPUTS = 50
SINGULAR = set(FLATS) - {"straight_arm"}
CHECKED = (0, 1, 2, 10, 25, 40, 50)  # samples whose forces are balanced


class TooLongError(Exception):
    """Raised while a run takes too much time."""


@dataclass
class Verdict:
    """How a run ended: "right", "refused", "unnamed", "stopped" or "wrong", and why."""

    family: str
    seed: int
    kind: str = "right"
    why: str = ""
    warned: bool = False
    complete: bool = False
    needless: bool = False  # refused, though nothing in it is singular or undetermined
    confirmed: str = ""  # what ends a run that stopped early, found without it
    steps: int = 0
    seconds: float = 0.0
    numbers: dict[str, float] = field(default_factory=dict)

    @property
    def silent(self) -> bool:
        """Wrong, and nobody said so."""
        return self.kind == "wrong" and self.complete and not self.warned

    @property
    def alarmed(self) -> bool:
        """Right, and yet something was warned of."""
        return self.kind == "right" and self.warned

    @property
    def place(self) -> str:
        return f"{self.family}:{self.seed}"


def judge(family: str, seed: int) -> Verdict:
    """Draws a mechanism, runs it and judges it."""
    begun = time.process_time()
    verdict = Verdict(family, seed)
    s = drawn(family, seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = run(s, verdict)
    verdict.warned = bool(caught)
    if result is not None:
        inspect(s, result, verdict)
    if verdict.kind == "stopped":
        verdict.confirmed = cause(drawn(family, seed))
    verdict.needless = verdict.kind == "refused" and not may_be_refused(s, family)
    verdict.seconds = time.process_time() - begun
    return verdict


def run(s: Sketch, verdict: Verdict) -> vc.Result | None:
    """The result of a run, or None if it was refused, broke or took too long."""
    end = time.process_time() + SECONDS

    def watch(_t: float, _until: float) -> None:
        if time.process_time() > end:
            raise TooLongError

    try:
        system = vc.compile(s.model)
        start = vc.assemble(system, s.given)
        return vc.simulate(system, s.span * s.scale.time, start=start, outputs=OUTPUTS, max_steps=MOST_STEPS,
                           progress=watch)
    except TooLongError:
        verdict.kind, verdict.why = "stopped", "takes too long"
    except VincoloError as error:
        verdict.kind, verdict.why = "refused" if names_a_part(s.model, str(error)) else "unnamed", str(error)
    except Exception as error:  # a crash is a finding of its own, not an end of the attack
        verdict.kind, verdict.why = "wrong", f"crash: {type(error).__name__}: {error}"
    return None


def may_be_refused(s: Sketch, family: str) -> bool:
    """Whether a mechanism may be undetermined: it starts flat, a drive may stand at a dead centre, or a body has no
    inertia about an axis. All others are in general position and nothing is wrong with them."""
    empty = any(np.linalg.eigvalsh(b.inertia)[0] <= 1e-14 * np.abs(b.inertia).max() for b in s.bodies)
    return empty or bool(s.model.holds) or family in SINGULAR


def names_a_part(model: vc.Model, text: str) -> bool:
    """Whether a message has the name of a body, joint, drive or force in it."""
    parts = [name for group in model.groups().values() for name in group]
    return any(f"'{name}'" in text or f"{name}." in text or f" {name} " in text for name in parts)


def inspect(s: Sketch, result: vc.Result, verdict: Verdict) -> None:
    """Judges a result by its residuals, energies and forces; what ran to some time must be right until then."""
    verdict.complete, verdict.steps = result.complete, result.statistics["steps"]
    if not result.complete:
        verdict.kind, verdict.why = "stopped", str(result.reason)
    if not len(result):
        return
    n, row = verdict.numbers, ""
    size, speed = extent(result), largest_speed(result)
    n["size"] = size
    n["open"], row = max(opening(result.state(k), size, speed) for k in range(len(result)))
    n["energy lost"] = lost_energy(s, result)
    n.update(forces(s, result, size))
    broken = [f"{name} {n[name]:.2g}{f' at {row}' if name == 'open' else ''}" for name, limit in LIMITS.items()
              if not n[name] <= limit]
    if broken:
        stop = f" (stopped: {verdict.why})" if verdict.why else ""
        verdict.kind, verdict.why = "wrong", ", ".join(broken) + stop


def forces(s: Sketch, result: vc.Result, size: float) -> dict[str, float]:
    """The largest faults of forces, moments and accelerations over some samples. Positions where rows depend on each
    other that do not elsewhere are left out: there no finite forces need balance the bodies."""
    chosen = [k for k in CHECKED if k < len(result)]
    least = RESTING * s.scale.acceleration * sum(b.mass for b in s.bodies)
    faults = np.array([(f, m, contradiction(result, k, size, s.scale.acceleration))
                       for k, (f, m) in zip(chosen, imbalances(result, chosen, least), strict=True)])
    regular = np.ones(len(chosen), dtype=bool)
    if not (faults <= UNBALANCED).all():
        rank = ranks(result, chosen)
        regular = rank == rank.max()
    worst = np.nan_to_num(faults[regular], nan=np.inf).max(axis=0)
    return {"singular samples": float((~regular).sum()),
            **dict(zip(("force unbalanced", "moment unbalanced", "acceleration against rows"), worst.tolist(),
                       strict=True))}


LIMITS = {"open": OPEN, "energy lost": LOST, "force unbalanced": UNBALANCED, "moment unbalanced": UNBALANCED,
          "acceleration against rows": UNBALANCED}


def extent(result: vc.Result) -> float:
    """The size of a mechanism: the largest distance from the middle of what bodies and joints take up in the run."""
    found = [result.y[:, 13 * k: 13 * k + 3] for k in range(len(result.system.centred))]
    found += [result.channels.point(frame) for joint in result.system.joints.values() for frame in (joint.a, joint.b)]
    cloud = np.concatenate(found)
    return float(np.linalg.norm(np.ptp(cloud, axis=0)))


def largest_speed(result: vc.Result) -> float:
    """The largest speed of a centre of mass [m/s]."""
    count = len(result.system.centred)
    v = result.y[:, :13 * count].reshape(len(result), count, 13)[:, :, 7:10]
    return max(float(np.linalg.norm(v, axis=2).max()), TINY)


def lost_energy(s: Sketch, result: vc.Result) -> float:
    """What is missing to kinetic + potential = work, in shares of the energy in motion, or, where nothing moves, of a
    ten-thousandth of the energy of a fall by the mechanism's length."""
    total, work = kinetic(result) + potential(result), result["energy.work"]
    if conservative(result.system) and np.any(work):
        return np.inf
    missing = np.abs(total - total[0] - (work - work[0])).max()
    motion = max(kinetic(result).max(), np.ptp(potential(result)), np.ptp(work))
    resting = 1e-4 * sum(b.mass for b in result.model.bodies.values()) * s.scale.acceleration * s.scale.length
    return float(missing / max(motion, resting))


def conservative(system: vc.System) -> bool:
    """Whether only weight and springs act, and nothing is moved from outside."""
    model = system.model
    return not (system.numbers.moves or model.holds or model.laws or model.loads
                or any(x.c for x in model.springs.values()))


def kinetic(result: vc.Result) -> np.ndarray:
    """Kinetic energy [J], from masses, inertias and velocities."""
    total = np.zeros(len(result))
    for name, k in result.system.body_numbers.items():
        body, y = result.model.bodies[name], result.y[:, 13 * k: 13 * k + 13]
        local = np.einsum("nji,nj->ni", result.channels.rotation(k), y[:, 10:13])
        total += 0.5 * body.mass * (y[:, 7:10]**2).sum(axis=1)
        total += 0.5 * np.einsum("ni,ij,nj->n", local, body.inertia, local)
    return total


def potential(result: vc.Result) -> np.ndarray:
    """Potential energy [J] of weight and springs; that of formulas counts as work."""
    model = result.model
    total = np.zeros(len(result))
    for name, k in result.system.body_numbers.items():
        total -= model.bodies[name].mass * result.y[:, 13 * k: 13 * k + 3] @ model.gravity
    for spring in model.springs.values():
        stretch = result[f"{spring.name}.length"] - spring.length
        total += 0.5 * spring.k * stretch**2 + spring.preload * stretch
    return total


def ranks(result: vc.Result, chosen: list[int]) -> np.ndarray:
    """Ranks of J at samples, metres and radians made comparable by the lengths of the bodies."""
    lengths = np.repeat([[1.0, c.length] for c in result.system.centred], 3, axis=1).ravel()
    return np.array([_rank(kernel_rows(result.state(k))["J"] / lengths) for k in chosen])


def _rank(J: np.ndarray) -> int:
    if not J.size:
        return 0
    return int((np.linalg.svd(J / np.linalg.norm(J, axis=1, keepdims=True), compute_uv=False) > 1e-6).sum())
