"""Outcomes of a case, and which of them are accepted: correct; refused before the run by a stated rule; ended early for
a true reason. Whatever else happens is a failure: a complaint of a judge, an error without a rule, a crash, a hang."""

from __future__ import annotations

import re
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import ways
from analyses import Case, EndedEarly
from parts import fits, with_part
from time_stepping import TimeStepper
from units import in_units

import vincolo as vc

SECONDS = 20.0  # of CPU
ACCEPTED = ("correct", "refused", "ended early")


@dataclass(frozen=True)
class Rule:
    """A limit that the documents state: the words of the message, and the parts and ways it may stop."""

    statement: str  # as the documents have it
    message: str  # a regular expression
    applies: Callable[[Case, str], bool]


def _marked(*marks: str, ways_of: tuple[str, ...] = ()) -> Callable[[Case, str], bool]:
    def applies(case: Case, way: str) -> bool:
        return bool(case.marks & set(marks)) and (not ways_of or way in ways_of)
    return applies


def _way(*names: str) -> Callable[[Case, str], bool]:
    return lambda case, way: way in names


def _without_rest(case: Case, way: str) -> bool:
    """Whether a mechanism may have no position of rest: a motor turns it, or a body is free to fall or slide."""
    return way in ("statics", "linearize") and (case.mechanism in MOTORS or case.part in LOOSE_BODIES)


EXPORTS = ("table in C", "program in C", "FMU")
#: integrators that hold joints by their positions
HOLDERS = ("Rattle", "GeneralisedAlpha", "Moreau")
RESTS = ("statics", "linearize")
MOTORS = ("torque-driven slider-crank", "cam and follower", "rolling disc", "rotor in bearings", "stack of blocks",
          "gear train")
LOOSE_BODIES = ("cylindrical joint", "prismatic joint", "planar joint", "guide joint", "point_on_plane joint",
                "distance joint", "parallel joint", "perpendicular joint", "orientation joint", "slot joint",
                "oldham joint", "spherical_revolute joint", "screw joint", "friction in a planar joint",
                "friction in a prismatic joint", "friction in a cylindrical joint", "friction on a stop", "clearance",
                "clearance with friction", "elastic clearance", "soft contact", "soft contact of boxes",
                "ground wheel", "journal bearing", "motor", "force in space", "input", "actuator over the mechanism",
                "event at a time", "event at a guard", "controller", "PID block", "gear pair")
#: what the documents refuse, with the page that says so
RULES = (
    Rule("friction.md, Limits: friction that reads reactions needs an integrator that asks for accelerations",
         r"reads reactions, which are found together with it where steps ask for accelerations",
         _marked("reactions", ways_of=HOLDERS)),
    Rule("friction.md, Limits: integrators that hold joints by their positions refuse what holds velocities",
         r"holds joints by their positions, but .* holds only its velocity", _way(*HOLDERS)),
    Rule("friction.md, Limits: kinematics and inverse_dynamics refuse what the motion decides",
         r"holds or gives way as the motion decides|needs a motion with masses and forces|reads reactions",
         _marked("reactions", "unilateral", "friction", ways_of=("kinematics", "inverse dynamics"))),
    Rule("friction.md, At rest: friction that would slip is refused by name", r"it slips, and where it comes to rest",
         _marked("friction", ways_of=RESTS)),
    Rule("friction.md, At rest: linearize refuses friction that slips with the reactions", r"slips|reads reactions",
         _marked("friction", "reactions", ways_of=("linearize",))),
    Rule("contact.md: rigid contact needs Moreau", r"is rigid: it", _marked("rigid contact")),
    Rule("events.md, Limits: kinematics refuses events that watch the motion", r"needs a motion with masses and forces",
         _marked("event", "ends", ways_of=("kinematics",))),
    Rule("analyses.md: inverse dynamics needs a tree of joints whose coordinates are given one by one",
         r"do not form a tree|bodies move freely, or on ball or cross joints|is switched, and the tree changes",
         _way("inverse dynamics")),
    Rule("analyses.md: kinematics follows drives", r"nothing is driven", _way("kinematics")),
    Rule("analyses.md, Statics: a mechanism that a motor turns, or a body that nothing holds, has no rest",
         r"no equilibrium was found|runs away", _without_rest),
    Rule("analyses.md: a mechanism without freedom does not vibrate", r"has no freedom, so nothing can vibrate",
         _way("linearize")),
    Rule("entering.md: a sensor is set by the steps of a run", r"is set by the steps of a run",
         _marked("sensor", ways_of=("statics", "linearize", "kinematics", "inverse dynamics"))),
    Rule("entering.md: a controller is called at the times of a run", r"controller",
         _marked("control", ways_of=("statics", "linearize", "kinematics", "inverse dynamics"))),
    Rule("yaml.md: a function of Python fits into no file", r"which a file cannot hold|is a Python function",
         _marked("python")),
    Rule("realtime.md: controllers and functions of Python are not exported", r"controller|Python",
         _marked("python", "control", ways_of=EXPORTS)),
    Rule("symbolic.md: friction, stops, contact, events and switches have no equations",
         r"equations cannot be written with it yet|the equations are others|cannot be written as a formula|"
         r"do not set numbers beside the motion|do not integrate states|"
         r"what it returns is not among the equations", _way("generated program")),
)
#: reasons for an early end that a user can act on, if a brute-force run confirms them
EARLY = (r"no further: .* blocks?", r"blocked", r"locks?")


class TooLong(BaseException):  # noqa: N818  # nothing that is tested may catch it
    """Raised when a case has used its CPU time."""


@contextmanager
def cpu_limit(seconds: float = SECONDS) -> Iterator[None]:
    """Ends what is inside after so much CPU time."""
    def end(_signal: int, _frame: object) -> None:
        raise TooLong(f"more than {seconds:g} s of CPU time")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Outcome:
    """How a case ended: "correct", "refused", "ended early", "wrong", "crash" or "hang", and why."""

    kind: str
    why: str = ""

    @property
    def accepted(self) -> bool:
        return self.kind in ACCEPTED


def outcome_of(mechanism: str, part: str, way: str, units: str) -> Outcome:
    """Runs a case and judges it."""
    if reason := fits(mechanism, part):
        raise ValueError(f"{part} does not fit {mechanism}: {reason}")
    case = Case(with_part(mechanism, part), mechanism, part)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with cpu_limit():
                case = Case(in_units(case.machine, units), mechanism, part)
                complaints = ways.WAYS[way](case)
        except TooLong as error:
            return Outcome("hang", str(error))
        except EndedEarly as error:
            return early(case, error)
        except vc.VincoloError as error:
            return refused(case, way, f"{type(error).__name__}: {error}")
        except Exception as error:  # a crash is a finding of its own
            return Outcome("crash", f"{type(error).__name__}: {error}")
    return Outcome("wrong", "; ".join(complaints[:3])) if complaints else Outcome("correct")


def refused(case: Case, way: str, message: str) -> Outcome:
    """A refusal is accepted if a stated rule applies to the case and its message says so."""
    for rule in RULES:
        if rule.applies(case, way) and re.search(rule.message, message):
            return Outcome("refused", rule.statement)
    return Outcome("wrong", f"refused without a stated rule: {message}")


def early(case: Case, error: EndedEarly) -> Outcome:
    """An early end is accepted if its reason is true: small steps of brute force do not get further either."""
    reason = str(error)
    if error.confirmed:
        return Outcome("ended early", "steps of a fixed size are too large, and smaller ones complete it")
    if any(re.search(pattern, reason) for pattern in EARLY) and not brute_force_gets_past(case, error.result.t[-1]):
        return Outcome("ended early", reason.split("\n")[0])
    return Outcome("wrong", f"ended early at t = {error.result.t[-1]:.4g} s: {' '.join(reason.split())[:200]}")


def brute_force_gets_past(case: Case, t: float) -> bool:
    """Whether the dense stepper completes the time after an early end, with all numbers finite."""
    stepper = TimeStepper(case.machine.model, case.machine.rates)
    try:
        motion = stepper.run(min(case.machine.until, t + 0.02), 5e-4, every=10**9)
    except (np.linalg.LinAlgError, vc.VincoloError):
        return False
    return bool(np.isfinite(motion.states[-1].y).all())
