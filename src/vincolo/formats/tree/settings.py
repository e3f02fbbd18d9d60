"""How a model asks to be run, as plain data and back."""

from __future__ import annotations

import math
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from vincolo import solvers
from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import ModelError, suggest
from vincolo.formats.tree.keys import checked
from vincolo.formats.tree.schema import RunKeys
from vincolo.formats.tree.source import Source, Where, shown
from vincolo.results.in_units import checked_units

KINDS = {"integrator": solvers.Integrator, "formulation": solvers.Formulation,
         "stabilisation": solvers.Stabilisation}


def names_of(kind: str) -> list[str]:
    """Names of all integrators, formulations or stabilisations that a file can ask for."""
    found = [getattr(solvers, name) for name in solvers.__all__]
    return [c.__name__ for c in found if isinstance(c, type) and issubclass(c, KINDS[kind]) and c is not KINDS[kind]
            and c.__name__ != "OwnFormulation"]


def settings_of(data: dict[str, Any], source: Source) -> RunSettings:
    """Settings from the section run: of a file."""
    where: Where = ("run",)
    keys = checked(RunKeys, data, source, where)
    chosen = {kind: solver_of(kind, getattr(keys, kind), source, (*where, kind)) for kind in KINDS}
    if keys.until is not None and not keys.until > keys.start:
        raise source.error((*where, "until"), f"the run ends at {keys.until:g} s; it must end after its start at "
                                              f"{keys.start:g} s.")
    if keys.outputs is not None and not 1 <= keys.outputs <= 10_000_000:
        raise source.error((*where, "outputs"), f"{keys.outputs} samples; a number from 1 to 10,000,000 is needed.")
    try:
        checked_units(keys.units)
    except ModelError as error:
        raise source.error((*where, "units"), str(error)) from None
    position = _position(keys.position, source, (*where, "position"))
    try:
        return RunSettings(keys.analysis, keys.start, keys.until, keys.outputs, **chosen,
                           channels=tuple(keys.channels), units=tuple(keys.units), position=position)
    except ModelError as error:
        raise source.error((*where, "analysis"), str(error)) from None


def _position(data: dict[str, list[float]], source: Source,
              where: Where) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Where the frames of some bodies begin, if not as drawn: x, y, z and a quaternion."""
    for name, numbers in data.items():
        if len(numbers) != 7 or not all(map(math.isfinite, numbers)) or not any(numbers[3:]):
            raise source.error((*where, name), f"the place of {name!r} at the start is {shown(numbers)}; it has seven "
                                               "numbers: x, y, z and a quaternion, such as [0, 0, 0, 1, 0, 0, 0].")
    return tuple((name, tuple(numbers)) for name, numbers in data.items())


def solver_of(kind: str, data: Any, source: Source, where: Where) -> Any:
    """An integrator, formulation or stabilisation from its name, or a map with its kind and numbers."""
    if data is None:
        return None
    known = names_of(kind)
    given = {"kind": data} if isinstance(data, str) else dict(data)
    name = given.pop("kind", None)
    if name not in known:
        raise source.error(where, f"there is no {kind} called {shown(name)}.{suggest(str(name), known)}\n"
                                  f"  There are: {', '.join(known)}.")
    cls = getattr(solvers, name)
    listed = [f.name for f in fields(cls)]
    for key in given:
        if key not in listed:
            raise source.error((*where, key), f"{name} has no {key!r}.{suggest(key, listed)}\n"
                                              f"  It has: {', '.join(listed) or 'no numbers'}.")
    try:
        return cls(**{key: tuple(value) if isinstance(value, list) else value for key, value in given.items()})
    except (TypeError, ValueError) as error:
        raise source.error(where, f"{name}: {error}") from None


def settings_data(settings: RunSettings) -> dict[str, Any]:
    """Settings as plain data; what is left open is not there."""
    given = {k: v for k, v in settings.given.items() if k != "method"}
    found = {key: solver_data(value) if key in KINDS else list(value) if isinstance(value, tuple) else value
             for key, value in given.items()}
    if settings.position:
        found["position"] = {name: list(numbers) for name, numbers in settings.position}
    return found


def solver_data(solver: Any) -> Any:
    """An integrator, formulation or stabilisation as its name, with the numbers that are not the usual ones."""
    name = type(solver).__name__
    if not is_dataclass(solver) or getattr(solvers, name, None) is not type(solver) or name == "OwnFormulation":
        raise ModelError(f"{name} cannot be written to a file; it is not one of vincolo's own solvers.")
    changed = {f.name: getattr(solver, f.name) for f in fields(solver)
               if f.default is MISSING or getattr(solver, f.name) != f.default}
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in changed.items()}
    return {"kind": name, **plain} if plain else name
