"""Tolerances and clearances of a file, and as data of one."""

from __future__ import annotations

from typing import Any, cast

from vincolo.errors import ModelError, suggest
from vincolo.formats.mistakes import TreeMistakes
from vincolo.formats.tree.changes import powers_of
from vincolo.formats.tree.dimensions import check_units
from vincolo.formats.tree.keys import checked
from vincolo.formats.tree.schema import ToleranceKeys
from vincolo.formats.tree.source import Source, Where, shown
from vincolo.model.model import Model
from vincolo.tolerance.distributions import (
    KINDS,
    Distribution,
    Fixed,
    HalfNormal,
    Measured,
    Normal,
    Triangular,
    Uniform,
)
from vincolo.tolerance.sampling import correlation_matrix
from vincolo.tolerance.sources import Clearance, Cost, Tolerance, Tolerances
from vincolo.units import Powers, unit_of
from vincolo.varied import feature_of, units_of

OF_CLEARANCES = ("on", "gap", "gap_plus_minus", "length", "length_plus_minus", "radius")
OF_TOLERANCES = ("plus_minus", "lower", "upper", "peak", "values", "cost", "cost_power")


def tolerances_of(source: Source, model: Model) -> Tolerances | None:
    """The section tolerances: of a file; None if there is none."""
    listed = source.data.get("tolerances")
    if not listed:
        return None
    mistakes = TreeMistakes(source)
    found: dict[str, Tolerance | Clearance] = {}
    pairs: dict[tuple[str, str], float] = {}
    for name, data in listed.items():
        where = ("tolerances", name)
        with mistakes.at(where, name):
            keys = checked(ToleranceKeys, data, source, where)
            found[name] = _made(name, keys, model, source, where)
            pairs |= {(name, other): rho for other, rho in keys.correlated.items() if (other, name) not in pairs}
    mistakes.refuse(source.file)
    with mistakes.at(("tolerances",)):
        correlation_matrix(tuple(found.values()), pairs)
    mistakes.refuse(source.file)
    return Tolerances(tuple(found.values()), pairs)


def _made(name: str, keys: ToleranceKeys, model: Model, source: Source, where: Where) -> Tolerance | Clearance:
    if (keys.of is None) == (keys.clearance is None):
        raise source.error(where, "give either of, what deviates, or clearance, the joint with play.")
    other = OF_TOLERANCES if keys.of is None else OF_CLEARANCES
    for key in other:
        if getattr(keys, key) is not None:
            kind = "clearance" if keys.of is None else "tolerance"
            raise source.error((*where, key), f"a {kind} has no {key!r}.")
    try:
        if keys.of is not None:
            wanted = _measured(source, model, keys.of)
            check_units(source, where, keys.of, ("plus_minus", "lower", "upper", "peak"), wanted)
            cost = None if keys.cost is None and keys.cost_power is None else Cost(
                1.0 if keys.cost is None else keys.cost, 1.0 if keys.cost_power is None else keys.cost_power)
            return Tolerance(keys.of, _spread(keys, source, where), cost, title=name)
        return _clearance(name, keys, model, source, where)
    except ModelError as error:
        raise source.error(where, str(error)) from None


def _measured(source: Source, model: Model, name: str) -> frozenset[Powers]:
    """What the number that deviates measures; coordinates of points are lengths."""
    try:
        return frozenset(unit_of(unit).powers for unit in units_of(feature_of(model, name)))
    except ModelError:  # a number of the file, or refused where it is used
        return powers_of(source, name)


def _spread(keys: ToleranceKeys, source: Source, where: Where) -> Distribution:
    kind = keys.distribution or ("normal" if keys.values is None else "measured")
    if kind not in KINDS:
        raise source.error((*where, "distribution"), f"{shown(kind)} is not a distribution.{suggest(kind, KINDS)}\n"
                                                     f"  Distributions: {', '.join(KINDS)}.")
    if kind == "measured":
        if keys.values is None or keys.plus_minus is not None or keys.lower is not None or keys.upper is not None:
            raise source.error(where, "a measured distribution has values, a list of deviations, and no limits.")
        return Measured(keys.values)
    if keys.values is not None:
        raise source.error((*where, "values"), f"a {kind} distribution has no values; limits are needed.")
    limits: Any = _limits(keys, source, where)
    for key, kinds in (("sigmas", ("normal", "truncated", "half normal")), ("peak", ("triangular",))):
        if getattr(keys, key) is not None and kind not in kinds:
            raise source.error((*where, key), f"a {kind} distribution has no {key!r}.")
    if kind == "triangular":
        return Triangular(limits, keys.peak)
    if kind == "uniform":
        return Uniform(limits)
    if kind == "half normal":
        return HalfNormal(limits if isinstance(limits, float) else limits[1], keys.sigmas or 3.0)
    made: Any = KINDS[kind]
    return cast(Distribution, made(limits, *(() if keys.sigmas is None else (keys.sigmas,))))


def _limits(keys: ToleranceKeys, source: Source, where: Where) -> float | tuple[float, float]:
    both = keys.lower is not None and keys.upper is not None
    if (keys.plus_minus is None) != both or (keys.plus_minus is not None and (keys.lower or keys.upper) is not None):
        raise source.error(where, "give either plus_minus, or both lower and upper.")
    if keys.plus_minus is not None:
        return keys.plus_minus
    assert keys.lower is not None and keys.upper is not None
    return keys.lower, keys.upper


def _clearance(name: str, keys: ToleranceKeys, model: Model, source: Source, where: Where) -> Clearance:
    joint = str(keys.clearance)
    if joint not in model.joints:
        raise source.error((*where, "clearance"), f"there is no joint called {shown(joint)}."
                                                  f"{suggest(joint, model.joints)}")
    if keys.gap is None or keys.length is None:
        raise source.error(where, "a clearance has a gap (radius of the hole less that of the pin) and a length of the "
                                  "pin.")
    if keys.distribution not in (None, "normal", "uniform", "truncated"):
        raise source.error((*where, "distribution"), "the gap of a clearance is normal, truncated or uniform.")
    gap, length = (_around_value(keys, value, off) for value, off in (
        (keys.gap, keys.gap_plus_minus), (keys.length, keys.length_plus_minus)))
    return Clearance(joint, gap, length, keys.on, keys.radius, title=name)


def _around_value(keys: ToleranceKeys, value: float, off: float | None) -> Distribution | float:
    """A size of a pin with its tolerance, if it has one."""
    made: Any = KINDS[keys.distribution or "normal"]
    if off is None:
        return value
    if off < 0:
        raise ModelError(f"the tolerance of the clearance is {off:g}; it must not be negative.")
    return cast(Distribution, made((value - off, value + off), *(() if keys.sigmas is None else (keys.sigmas,))))


def tolerances_data(tolerances: Tolerances) -> dict[str, Any]:
    """The section tolerances: as plain data."""
    data = {s.name: _data_of(s) for s in tolerances.sources}
    for (first, second), rho in tolerances.correlations.items():
        data[first].setdefault("correlated", {})[second] = rho
    return data


def _data_of(s: Tolerance | Clearance) -> dict[str, Any]:
    if isinstance(s, Clearance):
        found: dict[str, Any] = {"clearance": s.joint, **({} if s.on is None else {"on": s.on})}
        for key, spread in (("gap", s.gap), ("length", s.length)):
            if not isinstance(spread, Fixed | Normal | Uniform):
                raise ModelError(f"{s.name!r}: a {key} by {type(spread).__name__} cannot be written to a file.")
            found |= _around(key, spread)
        return {**found, **({} if s.radius is None else {"radius": s.radius})}
    cost = {} if s.cost is None else {"cost": s.cost.factor, "cost_power": s.cost.power}
    if s.cost is not None and s.cost.law is not None:
        raise ModelError(f"tolerance {s.name!r}: a cost by a function of one's own cannot be written to a file.")
    return {"of": s.of, **_spread_data(s.name, s.spread), **cost}


def _around(key: str, spread: Distribution) -> dict[str, Any]:
    """A value with its tolerance."""
    lower, upper = spread.limits
    found: dict[str, Any] = {key: 0.5 * (lower + upper)}
    if lower != upper:
        found[f"{key}_plus_minus"] = 0.5 * (upper - lower)
        found["distribution"] = _kind(spread)
    if isinstance(spread, Normal):
        found["sigmas"] = spread.sigmas
    return found


def _kind(spread: Distribution) -> str:
    return next(name for name, made in KINDS.items() if type(spread) is made)


def _spread_data(name: str, spread: Distribution) -> dict[str, Any]:
    if type(spread) not in KINDS.values():
        raise ModelError(f"tolerance {name!r}: a distribution by {type(spread).__name__} cannot be written to a file.")
    if isinstance(spread, Measured):
        return {"distribution": "measured", "values": list(spread.values)}
    lower, upper = spread.limits
    both = {"plus_minus": upper} if lower == -upper or isinstance(spread, HalfNormal) else {
        "lower": lower, "upper": upper}
    more = {key: getattr(spread, key) for key in ("sigmas", "peak") if getattr(spread, key, None) is not None}
    return {"distribution": _kind(spread), **both, **more}
