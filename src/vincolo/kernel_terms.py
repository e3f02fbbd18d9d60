"""Rows and coordinates of joints as the kernel takes them; what follows from the kind of a joint is found once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from vincolo.equations.measures import Formula, Row, Sum, along
from vincolo.equations.measures import Measure as Equation
from vincolo.model.joint import LEVELS, Form

AXIS = {"x": 0, "y": 1, "z": 2}
TURNING = ("angle", "azimuth")  # kinds that count turns
COINCIDE = (along("x"), along("y"), along("z"))
NOWHERE = (0.0, 0.0, 0.0)

Direction = tuple[float, float, float]
Term = tuple[str, bool, int, int, Direction, float]  # kind, whether frames change places, axes, direction, factor


@dataclass(frozen=True, eq=False)
class KernelForm:
    """The rows of a joint, then its coordinates, in the kernel's terms; None stands for a formula."""

    rows: tuple[list[Term] | None, ...]
    coordinates: tuple[list[Term], ...]
    levels: tuple[int, ...]
    turning: tuple[Equation, ...]  # angles in rows and coordinates, in this order
    plain: bool  # only measures that natural coordinates know
    geared: bool  # counts turns of angles that are not its coordinates


@lru_cache(256)
def kernel_form(form: Form, still: bool) -> KernelForm:
    """The kernel's terms of a form. Points that coincide on frames that stand still on their bodies are pinned: one
    measure serves three rows."""
    pinned = 3 if still and form.rows[:3] == COINCIDE else 0
    rows = tuple(None if isinstance(row, Formula) else [_term(f, e, k < pinned) for f, e in terms_of(row)]
                 for k, row in enumerate(form.rows))
    coordinates = tuple([_term(1.0, e)] for e in form.coordinates.values())
    simple = [e for row in (*form.rows, *form.coordinates.values()) if not isinstance(row, Formula)
              for _, e in terms_of(row)]
    counts = [e for row in form.rows if not isinstance(row, Equation) for e in equations_of(row) if e.kind in TURNING]
    return KernelForm(rows, coordinates, tuple(map(LEVELS.index, form.levels)),
                      tuple(e for e in simple if e.kind in TURNING),
                      all(e.kind not in ("azimuth", "skid", "roll") for e in simple),
                      any(e not in form.own for e in counts))


def terms_of(row: Equation | Sum) -> tuple[tuple[float, Equation], ...]:
    """A row as factors times measures."""
    return row.terms if isinstance(row, Sum) else ((1.0, row),)


def equations_of(row: Row) -> list[Equation]:
    """The measures a row is made of."""
    return list(row.inputs.values()) if isinstance(row, Formula) else [e for _, e in terms_of(row)]


def _term(factor: float, e: Equation, pin: bool = False) -> Term:
    return ("pin" if pin else e.kind, e.swapped, *axes_of(e), factor * e.sign)


@lru_cache(1024)
def axes_of(e: Equation) -> tuple[int, int, Direction]:
    """Numbers of the axes on both frames, and the direction of a measure, as the kernel takes them."""
    if e.kind == "world":
        return 0, 0, (float(e.axes[0]), float(e.axes[1]), float(e.axes[2]))
    if e.kind in ("angle", "skid"):
        return 0, AXIS[e.axes[0]], NOWHERE
    if e.kind == "roll":
        return AXIS[e.axes[0]], 0, (e.axes[1], e.axes[2], 0.0)
    return (AXIS[e.axes[0]], AXIS[e.axes[-1]], NOWHERE) if e.axes else (0, 0, NOWHERE)
