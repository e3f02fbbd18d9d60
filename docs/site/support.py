"""The page that says which solver does what: every cell is found by a small run."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import vincolo as vc
from vincolo.solvers import formulations, integrators

Maker = Callable[[], vc.Model]


def _pendulum() -> vc.Model:
    m = vc.Model("pendulum")
    m.revolute("O", m.ground, m.body("bob", 1.0, 0.1, (1, 0, 0)), (0, 0, 0), "y")
    return m


def redundant() -> vc.Model:
    m = _pendulum()
    m.revolute("O2", m.ground, m.bodies["bob"], (0, 1, 0), "y")
    return m


def driven() -> vc.Model:
    m = _pendulum()
    m.drive("O.angle", "sin(t)")
    return m


def loop() -> vc.Model:
    m = vc.Model("four-bar")
    a = m.link("a", (0, 0, 0), (0, 0, 1), mass=1.0)
    b = m.link("b", (0, 0, 1), (2, 0, 2), mass=1.0)
    c = m.link("c", (2, 0, 2), (2, 0, 0), mass=1.0)
    for name, one, other, at in (("O", m.ground, a, (0, 0, 0)), ("A", a, b, (0, 0, 1)), ("B", b, c, (2, 0, 2)),
                                 ("C", c, m.ground, (2, 0, 0))):
        m.revolute(name, one, other, at, "y")
    return m


def rolling() -> vc.Model:
    m = vc.Model("disc")
    disc = m.body("disc", 1.0, (0.1, 0.2, 0.1), (0, 0, 0.5), velocity=(1, 0, 0), angular_velocity=(0, 2, 0))
    m.rolling_disc("roll", m.ground, disc, centre=(0, 0, 0.5), axle="y", radius=0.5)
    return m


def fed() -> vc.Model:
    m = _pendulum()
    m.input("u", value=1.0)
    m.state("f", "(u - f)/0.1")
    m.actuator("motor", "O.angle", "f")
    return m


def stopped() -> vc.Model:
    m = _pendulum()
    m.event("low", "O.angle - 0.1", direction="up", stop=True)
    return m


def switched() -> vc.Model:
    m = _pendulum()
    m.event("break", at=0.05, switch_off="O")
    return m


#: feature | model
FEATURES: dict[str, Maker] = {
    "loops": loop, "redundant joints": redundant, "drives": driven, "rolling": rolling, "inputs, states": fed,
    "events": stopped, "joints switched": switched,
}


def runs(make: Maker, **options: object) -> bool:
    """Whether a model runs to its end, or is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(vc.simulate(make(), 0.1, outputs=2, **options).complete)  # type: ignore[arg-type]
        except vc.VincoloError:
            return False


def made(space: object, kind: type, **options: float) -> dict[str, object]:
    """Every option of a namespace that can be made, by name."""
    found: dict[str, object] = {}
    for name in space.__all__:  # type: ignore[attr-defined]
        thing = getattr(space, name)
        if isinstance(thing, type) and issubclass(thing, kind) and thing is not kind:
            for given in ({}, options):
                try:
                    found[name] = thing(**given)
                    break
                except (TypeError, vc.ModelError):  # needs an option, or a function of the user
                    continue
    return found


def table(title: str, options: dict[str, object], key: str) -> str:
    """A table of options against features."""
    head = f"| {title} | {' | '.join(FEATURES)} |\n|---|{'---|' * len(FEATURES)}\n"
    rows = (f"| {name} | {' | '.join('yes' if runs(make, **{key: option}) else 'no' for make in FEATURES.values())} |"
            for name, option in options.items())
    return head + "\n".join(rows) + "\n"


WORDS = """# What works with what

Every cell was found by a run when this page was made: `yes` where a small model with the feature ran to its end,
`no` where it was refused with a message. `Trapezoidal` goes with `AugmentedLagrangian(index=3)` alone.
"""


def page() -> str:
    """The page of the tables."""
    methods = made(integrators, integrators.Integrator, step=1e-3)
    del methods["Trapezoidal"]
    ways = made(formulations, formulations.Formulation)
    return "\n".join([WORDS, "## Integrators\n", table("integrator", methods, "integrator"),
                      "## Formulations\n", table("formulation", ways, "formulation")])
