"""How results change with parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array

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
