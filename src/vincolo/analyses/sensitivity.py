"""How results change with parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from vincolo.analyses.assemble import aim_of, assemble
from vincolo.analyses.carry import pose
from vincolo.analyses.closing import stepped
from vincolo.analyses.statics import newton_step, statics
from vincolo.analyses.tangent import at_rest as rest_of
from vincolo.analyses.tangent import displaced, equations_at, tangent
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import as_system

SHARE = 1e-4  # of a parameter, to either side


def sensitivities(
    outcome: Callable[..., Any], parameters: Mapping[str, float], *, step: float = SHARE, workers: int = 2
) -> dict[str, Array]:
    """Derivatives of outcome(**parameters), a number or a list of numbers, by each parameter: central differences of
    the fourth order, with steps of a share of the parameter (of one where it is zero), run side by side. What a run is
    worth shows in its tolerances: set them well below the changes that such steps cause."""
    if not callable(outcome):
        raise ModelError("sensitivities(): outcome must be a function of the parameters that returns numbers.")
    numbers = {name: finite_number(f"sensitivities(): {name}", value) for name, value in parameters.items()}
    if not numbers:
        raise ModelError("sensitivities(): there are no parameters.")
    share = finite_number("sensitivities(): step", step)
    if not 0 < share < 0.5:
        raise ModelError(f"sensitivities(): step is {share:g}; a share of the parameters between 0 and 0.5 is needed.")
    steps = {name: share * (abs(value) or 1.0) for name, value in numbers.items()}
    cases = [(name, k) for name in numbers for k in (-2, -1, 1, 2)]

    def run(case: tuple[str, int]) -> Array:
        name, k = case
        found = np.atleast_1d(np.asarray(outcome(**{**numbers, name: numbers[name] + k * steps[name]}), dtype=float))
        if not np.isfinite(found).all():
            raise ModelError(
                f"sensitivities(): the outcome is {found.tolist()} at {name} = "
                f"{numbers[name] + k * steps[name]:g}; it must be finite around the parameters."
            )
        return found

    with ThreadPoolExecutor(max_workers=max(1, int(workers))) as pool:
        found = dict(zip(cases, pool.map(run, cases), strict=True))
    return {
        name: (found[name, -2] - found[name, 2] + 8 * (found[name, 1] - found[name, -1])) / (12 * steps[name])
        for name in numbers
    }


def design_sensitivities(
    build: Callable[..., Model],
    parameters: Mapping[str, float],
    outputs: Sequence[str],
    *,
    at_rest: bool = False,
    given: Mapping[str, float] | None = None,
    step: float = SHARE,
) -> dict[str, Array]:
    """Derivatives of channels of the assembled position, or of the position at rest, by parameters of the function that
    builds the model. Direct: one linear solve with the rows, and at rest the stiffness, of the present design for each
    parameter; no design is assembled or brought to rest again."""
    numbers = {name: finite_number(f"design_sensitivities(): {name}", value) for name, value in parameters.items()}
    base = as_system(build(**numbers))
    here = statics(base).state if at_rest else assemble(base, given)
    names = [str(name) for name in outputs]
    found = {}
    for name, value in numbers.items():
        h = step * (abs(value) or 1.0)
        ends = []
        for sign in (-1.0, 1.0):
            system = as_system(build(**{**numbers, name: value + sign * h}))
            near = pose(here, system)
            end = _rested(here, near) if at_rest else _closed(near, given)
            ends.append(np.array([end[channel] for channel in names]))
        found[name] = np.asarray((ends[1] - ends[0]) / (2 * h), dtype=float)
    return found


def _closed(near: State, given: Mapping[str, float] | None) -> State:
    """One step of least motion towards the closed position of a design that is almost this one."""
    aim, _ = aim_of("design_sensitivities()", near.system, given, [], near.t, None)
    return stepped(near, aim)


def _rested(rest: State, near: State) -> State:
    """One step onto the joints, and one along the freedoms by the force that is left over the stiffness at rest."""
    here = tangent(rest_of(rest))
    close = displaced(near, -here.across(equations_at(rest_of(near)).Phi))
    at = equations_at(rest_of(close))
    left = (at.Q - at.J.T @ here.lam) / here.weight
    return displaced(close, newton_step(here, left) / here.weight)
