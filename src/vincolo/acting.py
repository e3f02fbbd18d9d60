"""Springs, laws and loads, for the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vincolo.errors import ModelError
from vincolo.expressions import Own, expression, readings
from vincolo.model import Frame
from vincolo.model.auxiliary import Formula
from vincolo.model.forces import Law, Load
from vincolo.onsets import onset_of

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.system import System


def add_forces(system: System, model: Model) -> None:
    """All of them, with the measures they act along."""
    for s in model.springs.values():
        system.quantities[f"{s.name}.length"] = q = system.numbers.quantity(s.measure)
        system.laws[s.name] = system.kernel.add_spring(q, -1.0, s.k, s.c, s.length, s.preload)
    for law in model.laws.values():
        system.quantities[f"{law.name}.value"] = q = system.numbers.quantity(law.measure)
        system.laws[law.name] = _add_law(system, law, q)
    for load in model.loads.values():
        frame = system.numbers.frame(_load_frame(load))
        functions = [system.numbers.time_function(f) for f in load.components]
        system.loads[load.name] = system.kernel.add_load(frame, load.torque, load.in_body_axes, functions)


def _add_law(system: System, law: Law, q: int) -> int:
    kernel, numbers = system.kernel, system.numbers
    if law.curve is not None:
        return int(kernel.add_curve(q, law.sign, numbers.function(law.curve)))
    if law.history is not None:
        return int(kernel.add_timed(q, law.sign, numbers.time_function(law.history)))
    if law.called is not None:
        system.called[law.name] = law.called  # the kernel does not keep it alive
        known = readings(system, law.others, law.reads, Own(law.measure, q))
        return int(kernel.add_called(q, law.sign, [known[x] for x in law.called.inputs], law.called))
    assert law.formula is not None
    read = expression(system, Formula(law.formula, law.others, law.reads, law.forces), Own(law.measure, q))
    system.reacting += [law.name] if law.forces else []
    if law.measure.is_distance and (onset := onset_of(read)) is not None:
        system.onsets[law.name] = onset
    return int(kernel.add_formula(q, law.sign, read))


def _load_frame(load: Load) -> Frame:
    """Where a load acts, with the axes of its body; one that moves on the body must have them already."""
    frame = load.frame
    if frame.motion is None:
        return frame.body.frame(local=frame.point)
    if load.in_body_axes and (frame.motion.turn is not None or not np.allclose(frame.axes, np.eye(3), atol=1e-12)):
        raise ModelError(f"load {load.name!r}: it has body axes, but the frame it acts at moves and has axes of "
                         "its own.\n  Give its components in world axes, or make the frame with the body's axes.")
    return frame
