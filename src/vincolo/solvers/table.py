"""The integrators of the package, one row each. A row names the kernel's stepper; its class is made from it, and the
catalogue, files, tables and tests find it by itself. Plain data: nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Number(NamedTuple):
    """A number of an integrator's own: its default, where it lies, and how a message says so."""

    name: str
    default: float
    lies: Callable[[Any, float], bool]
    words: str | Callable[[Any], str]


class Choice(NamedTuple):
    """A whole number out of some."""

    name: str
    default: int
    known: tuple[int, ...]
    words: str


class Row(NamedTuple):
    """An integrator: its public name, whether it chooses its steps, the kernel's name, its title and order."""

    name: str
    adaptive: bool
    method: str
    title: str
    order: int
    doc: str
    own: tuple[Number | Choice, ...] = ()
    implicit: bool = False  # with equations of its own
    keeps: bool = False  # positions and velocities on the constraints by itself
    weights: Callable[[Any], dict[str, float]] | None = None  # what the kernel reads in place of the own numbers
    jumps: bool = False  # knows rigid contact, at which velocities jump


def chung_hulbert(i: Any) -> dict[str, float]:
    """Weights of generalised-alpha by the spectral radius at infinity (Chung and Hulbert)."""
    r = float(i.spectral_radius)
    mean_acceleration, mean_force = (2 * r - 1) / (r + 1), r / (r + 1)
    gamma = 0.5 - mean_acceleration + mean_force
    return {"mean_acceleration": mean_acceleration, "mean_force": mean_force, "gamma": gamma,
            "beta": (gamma + 0.5)**2 / 4}


def hilber_hughes_taylor(i: Any) -> dict[str, float]:
    """The same by alpha of Hilber, Hughes and Taylor."""
    a = -float(i.alpha)
    return {"mean_acceleration": 0.0, "mean_force": a, "gamma": 0.5 + a, "beta": (1 + a)**2 / 4}


def newmark(i: Any) -> dict[str, float]:
    """Newmark's own weights."""
    return {"mean_acceleration": 0.0, "mean_force": 0.0, "gamma": float(i.gamma), "beta": float(i.beta)}


LEVEL = Choice("index", 3, (2, 3), "it is 3 (positions) or 2 (velocities)")
RADIUS = Number("spectral_radius", 0.8, lambda _, x: 0 <= x <= 1, "it lies between 0 and 1")
ALPHA = Number("alpha", -0.1, lambda _, x: -1 / 3 <= x <= 0, "it lies between -1/3 and 0")
GAMMA = Number("gamma", 0.5, lambda _, x: 0.5 <= x <= 1, "it lies between 1/2 and 1")
BETA = Number("beta", 0.25, lambda i, x: i.gamma / 2 <= x <= 1,
              lambda i: f"it lies between gamma / 2 = {i.gamma / 2:g} and 1")
STAGES = Choice("index", 1, (1, 2, 3), "it is 1, 2 or 3")

EXACTNESS = Number("tolerance", 1e-10, lambda _, x: 1e-15 <= x <= 0.1, "it lies between 1e-15 and 0.1")
ROUNDS = Number("rounds", 2000.0, lambda _, x: 1 <= x <= 1e6, "it lies between 1 and 1,000,000")

TABLE = (
    Row("Euler", False, "euler", "Euler", 1, "Explicit Euler; order 1. Gains energy; for comparison and teaching."),
    Row("ModifiedEuler", False, "modified_euler", "modified Euler", 2,
        "Modified Euler: the slope of a half step; order 2."),
    Row("SemiImplicitEuler", False, "semi_implicit_euler", "semi-implicit Euler", 1,
        "Velocities first, then positions with the new velocities; order 1."),
    Row("Heun", False, "heun", "Heun", 2, "Explicit trapezoidal rule; order 2."),
    Row("RK4", False, "rk4", "Runge-Kutta 4", 4, "The classical Runge-Kutta method; order 4."),
    Row("AdamsMoulton", False, "adams_moulton", "Adams-Bashforth-Moulton 4", 4,
        "Adams-Bashforth-Moulton, predicted, evaluated, corrected, evaluated; order 4 at two evaluations a step."),
    Row("Rattle", False, "rattle", "RATTLE, symplectic", 2,
        """RATTLE on the group of rotations, for long runs without friction: symplectic, so that energy swings within
    bounds that shrink with the square of the step and does not drift, however long the run. Order 2 at one evaluation
    of forces a step; joints stay closed to rounding.""", implicit=True, keeps=True),
    Row("Moreau", False, "moreau", "Moreau time stepping", 2,
        """Time stepping for rigid contact with friction and restitution: impulses of all contacts and joints of a step
    are found together, to `tolerance`, in at most `rounds`. Without contact the leapfrog rule, of order 2; hits are
    met to within a step.""", (EXACTNESS, ROUNDS), implicit=True, jumps=True),
    Row("Rosenbrock", False, "rosenbrock", "linearly implicit (ROS2)", 2,
        "Linearly implicit, without iterations: a fixed cost per step whatever the stiffness; order 2. For real time.",
        implicit=True),
    Row("LinearlyImplicitEuler", False, "linearly_implicit_euler", "linearly implicit Euler", 1,
        "Implicit Euler with one linear system in place of iterations: the cheapest step for stiff models; order 1.",
        implicit=True),
    Row("GeneralisedAlpha", False, "generalised_alpha", "generalised-alpha", 2,
        """Generalised-alpha on positions (index 3) or velocities (index 2) of the constraints; implicit, order 2. The
    spectral radius says what is left of the fastest motion after a step: 1 keeps it, 0 takes it away at once.""",
        (RADIUS, LEVEL), implicit=True, weights=chung_hulbert),
    Row("HHT", False, "generalised_alpha", "HHT", 2,
        "Hilber, Hughes and Taylor: alpha from -1/3 (most damping) to 0 (none); implicit, order 2.",
        (ALPHA, LEVEL), implicit=True, weights=hilber_hughes_taylor),
    Row("Newmark", False, "generalised_alpha", "Newmark", 2,
        "Newmark's method; gamma 1/2 and beta 1/4 are the trapezoidal rule. Implicit, order 2 if gamma is 1/2, else 1.",
        (GAMMA, BETA, LEVEL), implicit=True, weights=newmark),
    Row("Trapezoidal", False, "trapezoidal", "implicit trapezoidal rule", 2,
        "The implicit trapezoidal rule, for AugmentedLagrangian(index=3); order 2."),
    Row("Auto", True, "automatic", "automatic: Dormand-Prince 5(4) and Radau IIA 5", 5,
        """Dormand-Prince 5(4) while that is cheapest, Radau IIA 5 while stiff springs or dampers bound explicit steps;
    the default.""", implicit=True),
    Row("BogackiShampine", True, "bogacki_shampine", "Bogacki-Shampine 3(2)", 3,
        "Bogacki-Shampine 3(2), adaptive; for loose tolerances."),
    Row("CashKarp", True, "cash_karp", "Cash-Karp 5(4)", 5,
        "Cash-Karp 5(4), adaptive; for comparison with programs that use it."),
    Row("DormandPrince", True, "dormand_prince", "Dormand-Prince 5(4)", 5,
        "Dormand-Prince 5(4), adaptive; good for moderate tolerances."),
    Row("Verner", True, "verner", "Verner 6(5)", 6, "Verner 6(5), adaptive; for tolerances of 1e-8 to 1e-10."),
    Row("DOP853", True, "dop853", "Dormand-Prince 8(5,3)", 8,
        "Dormand-Prince 8(5,3), adaptive; best for tight tolerances."),
    Row("Adams", True, "adams", "Adams-Bashforth-Moulton 1 to 12", 12,
        """Adams-Bashforth-Moulton of variable order 1 to 12 and variable step, predicted, evaluated, corrected,
    evaluated: two evaluations a step; for smooth motion at tight tolerances, where evaluations are dear (ode113's
    family)."""),
    Row("Radau", True, "radau", "Radau IIA 5", 5,
        """Radau IIA, implicit, adaptive; for stiff springs, dampers and bushings. Its stages hold the constraints of
    accelerations (index 1), velocities (2) or positions (3).""", (STAGES,), implicit=True),
    Row("BDF", True, "bdf", "BDF 1 to 5", 5,
        """Backward differentiation of variable order 1 to 5, implicit, adaptive; for stiff runs at moderate
    tolerances.""", implicit=True),
)
NAMES = tuple(row.name for row in TABLE)


def markdown() -> str:
    """The table of docs/guide_runs.md."""
    lines = ["| integrator | order | steps | |", "|---|---|---|---|"]
    for row in TABLE:
        own = "".join(f", {number.name}={number.default:g}" for number in row.own)
        given = f"rtol, atol, max_step{own}" if row.adaptive else f"step{own}"
        steps = ("adaptive" if row.adaptive else "fixed") + (", implicit" if row.implicit else "")
        lines.append(f"| `{row.name}({given})` | {row.order} | {steps} | {' '.join(row.doc.split())} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(markdown())
