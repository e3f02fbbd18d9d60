"""The system of a variant: the same structure with other numbers, made from one that is compiled without compiling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from vincolo.centred import Centred, centred_body, extent_of, reaches, usual_mass
from vincolo.model import Frame, Model
from vincolo.model.functions import Constant
from vincolo.system import System

CARRIED = ("input", "variable", "state")  # what a run carries beside the motion: their values at the start


def renumbered(system: System, model: Model, frames: Mapping[int, Frame], parts: Iterable[tuple[str, str]]) -> System:
    """The system of a model that differs from that of `system` by places of frames, given by the id of those they
    replace, and by numbers of parts (kind and name): masses, springs, loads, constants of laws, gravity and values at
    the start. It is what compile() makes of that model, to the last bit."""
    made: System = object.__new__(System)
    vars(made).update({key: value for key, value in vars(system).items() if key != "row_sizes"})
    made.model, made.gravity, made.kernel = model, model.gravity, system.kernel.copy()
    made.joints, made.holds, made.frames = dict(model.joints), dict(model.holds), dict(model.frames)
    made.dependencies = None
    _set_bodies(made, system, model, moved=bool(frames))
    made.numbers = system.numbers.moved(made.kernel, made.centred, frames)
    changed = list(parts)
    for kind, name in changed:
        _set_part(made, kind, name)
    if frames or any(kind in CARRIED for kind, _ in changed) or not all(map(_as_placed, made.centred, system.centred)):
        made._drawn_vector = made._drawn_state()
    return made


def _as_placed(new: Centred, old: Centred) -> bool:
    """Whether a body is drawn in the same state as another: only its mass differs."""
    return new is old or (np.array_equal(new.body.com, old.body.com) and np.array_equal(new.principal, old.principal)
                          and new.turned == old.turned)


def _set_bodies(made: System, system: System, model: Model, moved: bool) -> None:
    """All bodies as they are compiled: without what was lent to them where another variant was assembled. What does not
    depend on places that `moved`, nor on the mass that is lent from, is that of the system itself."""
    kernel = made.kernel
    made.extent = extent_of(model) if moved else system.extent
    kernel.set_extent(made.extent)
    kernel.set_gravity(made.gravity.tolist())
    bodies = list(model.bodies.values())
    usual = usual_mass(bodies, [], made.extent)
    same = not moved and usual == usual_mass(list(system.model.bodies.values()), [], system.extent)
    if same and all(a is c.body for a, c in zip(bodies, system.centred, strict=True)):
        made.centred = list(system.centred)
    else:
        reach = reaches(model)
        made.centred = [c if same and b is c.body else centred_body(b, reach.get(b.name, 0.0), usual)
                        for b, c in zip(bodies, system.centred, strict=True)]
    for k, c in enumerate(made.centred):
        kernel.set_body(k, c.body.mass, c.moments.tolist(), c.ballast.tolist(), c.mass_ballast, c.length)


def _set_part(made: System, kind: str, name: str) -> None:
    """Numbers of springs, loads and laws; masses, gravity and values at the start are set with the whole."""
    if kind == "spring":
        s = made.model.springs[name]
        made.kernel.set_spring(made.laws[name], s.k, s.c, s.length, s.preload)
    elif kind == "law":
        formula: Any = made.model.laws[name].formula
        made.kernel.set_constants(made.laws[name], list(formula.constants))
    elif kind == "load":
        constant = [(k, f) for k, f in enumerate(made.model.loads[name].components) if isinstance(f, Constant)]
        for axis, f in constant:
            made.kernel.set_component(made.loads[name], axis, f.spec())
