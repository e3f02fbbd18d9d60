"""Outcomes of random mechanisms with parts of every kind: correct, refused, ended early, or wrong; and why."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np
from any_mechanism import AnyMechanism, drawn_with_parts
from early_ends import SINGULAR, cause_of_end, closer, least_singular_value
from judge import names_a_part
from judges import complaints_of
from outcomes import TooLong, cpu_limit
from trajectories import inconsistent_rates, wrong_springs

import vincolo as vc

OUTPUTS = 160
MOST_STEPS = 100_000
SECONDS = 20.0  # of CPU
ENERGY = 1e-4  # share of the energy in motion


@dataclass
class Outcome:
    """How a mechanism ended: "correct", "refused", "ended early" or "wrong"."""

    drawn: str
    kind: str = "correct"
    why: str = ""
    confirmed: str = ""  # of an early end
    seconds: float = 0.0
    steps: int = 0

    @property
    def accepted(self) -> bool:
        return self.kind in ("correct", "refused") or self.kind == "ended early" and bool(self.confirmed)


def outcome(seed: int, parts: tuple[str, ...] = (), units: str = "") -> Outcome:
    """Draws, runs and judges a mechanism."""
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = drawn_with_parts(seed, parts, units)
        verdict = judged(drawn)
    verdict.seconds = time.process_time() - begun
    return verdict


def judged(drawn: AnyMechanism) -> Outcome:
    """Runs and judges a mechanism."""
    verdict = Outcome(str(drawn))
    try:
        with cpu_limit(SECONDS):
            result = run(drawn)
    except TooLong as error:
        verdict.kind, verdict.why = "ended early", str(error)
        return verdict
    except vc.VincoloError as error:
        verdict.kind = "refused" if is_true_refusal(drawn, str(error)) else "wrong"
        verdict.why = f"{'' if verdict.kind == 'refused' else 'refused without a true reason: '}{error}"
        return verdict
    except Exception as error:  # a crash is a finding of its own
        verdict.kind, verdict.why = "wrong", f"crash: {type(error).__name__}: {error}"
        return verdict
    verdict.steps = result.statistics["steps"]
    said = complaints(drawn, result)
    if said:
        verdict.kind, verdict.why = "wrong", "; ".join(said)
        return verdict
    if not result.complete:
        verdict.kind, verdict.why = "ended early", f"at t = {result.t[-1]:.6g} s: {result.reason}"
        verdict.confirmed = confirmed(drawn, result)
    return verdict


def is_true_refusal(drawn: AnyMechanism, message: str) -> bool:
    """Whether a refusal names a part, and its reason is a rule of the documents or seen in the rows of the start."""
    if not names_a_part(drawn.machine.model, message):
        return False
    if "reads reactions, which are found together" in message:  # friction.md, Limits
        return is_rigid(drawn) and "reactions" in drawn.marks
    if "singular position" in message:
        start = vc.assemble(vc.compile(drawn.machine.model), drawn.machine.rates)
        return least_singular_value(start) < SINGULAR
    return False


def run(drawn: AnyMechanism, step: float = 0.0) -> vc.Result:
    """With default settings; rigid contact with Moreau's time stepping, which it needs."""
    machine = drawn.machine
    system = vc.compile(machine.model)
    settings = {"integrator": vc.integrators.Moreau(step=step or fixed_step(drawn))} if is_rigid(drawn) else {}
    return vc.simulate(system, machine.until, start=vc.assemble(system, machine.rates), outputs=OUTPUTS,
                       max_steps=MOST_STEPS, **settings)


def confirmed(drawn: AnyMechanism, result: vc.Result) -> str:
    """What ends a run, by something else than the run."""
    if not is_rigid(drawn):
        again = closer(result, drawn.machine.until, max_steps=MOST_STEPS)
        return cause_of_end(drawn.machine.model, again) if not again.complete else ""
    return "smaller steps complete it" if run(drawn, fixed_step(drawn) / 16).complete else ""


def is_rigid(drawn: AnyMechanism) -> bool:
    return "rigid contact" in drawn.marks


def fixed_step(drawn: AnyMechanism) -> float:
    return drawn.machine.until / OUTPUTS / 2


def steady_complaints(drawn: AnyMechanism, said: list[str]) -> list[str]:
    """Complaints about steps of a fixed size that smaller steps do not put right: forces are means over a step."""
    if not said:
        return []
    finer = fixed_step(drawn) / 32
    again = complaints_of(run(drawn, finer), None, finer)
    return said if again else []


def complaints(drawn: AnyMechanism, result: vc.Result) -> list[str]:
    """What the judges say; of a run that ended early too, which must be right until then."""
    if len(result) < 2:
        return []
    if not np.isfinite(result.y).all():
        return ["a state is not finite"]
    if is_rigid(drawn):
        return steady_complaints(drawn, complaints_of(result, None, fixed_step(drawn)))
    return complaints_of(result, ENERGY) + lasting_inconsistency(drawn, result) + wrong_springs(result)


def lasting_inconsistency(drawn: AnyMechanism, result: vc.Result) -> list[str]:
    """Rates that are not those of the motion, with sixteen times as many samples too: what is only sampled too rarely
    to be integrated is not wrong."""
    if not inconsistent_rates(result):
        return []
    return inconsistent_rates(vc.simulate(result.system, float(result.t[-1]), start=result.state(0),
                                          outputs=16 * OUTPUTS, max_steps=MOST_STEPS))
