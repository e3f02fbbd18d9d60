"""The study that a file asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vincolo.analyses.run_settings import OUTPUTS, UNTIL
from vincolo.errors import FileError, ModelError
from vincolo.formats import open_model
from vincolo.formats.document import Document
from vincolo.formats.tree.studies import Rows
from vincolo.model import Model
from vincolo.studies.outputs import REDUCTIONS, Output, output_of, outputs_of
from vincolo.studies.plan import PLANS, Plan, Range, Spread, parameter_of, plan_of
from vincolo.studies.variants import ModelVariants
from vincolo.tolerance.distributions import KINDS
from vincolo.tolerance.of_model import ModelSubject
from vincolo.units import unit_of
from vincolo.varied import Feature, feature_of, units_of, value_of

NUMBERS = ("low", "high", "values", "centre", "plus_minus")
SPREADS = ("normal", "truncated", "uniform")
WAY = ("Add a sheet Study, or study: in YAML, with rows such as\n  mass: {of: crank.mass, low: 1, high: 2, count: 5}\n"
       "  top speed: {keep: max slider.vx}")


def study_in(document: Document, changes: Mapping[str, Any], *, plan: str | None = None, samples: int | None = None,
             seed: int | None = None) -> tuple[ModelVariants, Plan]:
    """What a file asks to be studied, and its plan; what is given here counts more than what the file says."""
    name = document.path.name if document.path is not None else document.model.name
    rows = document.study
    if not rows:
        raise FileError(f"{name}: it has no study.\n  {WAY}")
    varied = {title: keys for title, keys in rows.items() if keys.of is not None}
    kept = {title: keys.keep for title, keys in rows.items() if keys.keep is not None}
    if not varied or not kept:
        raise rows.error(None, None, f"this study has nothing that {'varies' if not varied else 'is kept'}.\n  {WAY}")
    named = _parameters(rows, varied)
    outputs = _outputs(rows, kept, named)
    planned = _plan(rows, named, plan, samples, seed)
    return _variants(document, rows, {str(keys.of): title for title, keys in varied.items()}, outputs, changes), planned


def _plan(rows: Rows, named: dict[str, Any], plan: str | None, samples: int | None, seed: int | None) -> Plan:
    """The plan of the file, with what is given besides it."""
    title, own = next(((t, k) for t, k in rows.items() if k.plan is not None), (None, None))
    wanted = plan or (own.plan if own is not None and own.plan is not None else "grid")
    many = samples if samples is not None else own.samples if own is not None else None
    begun = seed if seed is not None else own.seed if own is not None and own.seed is not None else 1
    if wanted in ("grid", "list"):
        many = samples
    if plan is not None or samples is not None or seed is not None:
        return plan_of(named, wanted, many, begun)
    with rows.at(title, "plan" if wanted not in PLANS else "samples" if own is not None and own.samples else "plan"):
        return plan_of(named, wanted, many, begun)


def _outputs(rows: Rows, kept: dict[str, str], named: dict[str, Any]) -> tuple[Output, ...]:
    found = {}
    for title, text in kept.items():
        if title in named:
            raise rows.error(title, None, f"the output is called {title!r}, as what varies is; the table would have "
                                          "two such columns.\n  Give it another name.")
        with rows.at(title, "keep"):
            found[title] = output_of(text, title)
    return outputs_of(found)


def _parameters(rows: Rows, varied: dict[str, Any]) -> dict[str, Any]:
    """What varies, by its name in the model; each once."""
    named: dict[str, Any] = {}
    for title, keys in varied.items():
        if str(keys.of) in named:
            raise rows.error(title, "of", f"{keys.of!r} is varied twice.\n  Remove one of the rows.")
        named[str(keys.of)] = _parameter(rows, title, keys)
    return named


def _parameter(rows: Rows, title: str, keys: Any) -> Any:
    """A parameter from its row."""
    if keys.values is not None:
        with rows.at(title, "values"):
            parameter_of(title, list(keys.values))  # refuses what cannot be
        return list(keys.values)
    if keys.centre is None:
        with rows.at(title, "low"):
            Range(keys.low, keys.high)
        with rows.at(title, "count"):
            return Range(keys.low, keys.high, keys.count)
    kind = keys.distribution or "normal"
    if kind not in SPREADS:
        raise rows.error(title, "distribution", f"the distribution is {kind!r}; it is one of: {', '.join(SPREADS)}.")
    made: Any = KINDS[kind]
    with rows.at(title, "plus_minus"):
        return Spread(keys.centre, made(keys.plus_minus, *(() if keys.sigmas is None else (keys.sigmas,))))


def _variants(document: Document, rows: Rows, titles: Mapping[str, str], outputs: tuple[Output, ...],
              changes: Mapping[str, Any]) -> ModelVariants:
    settings = document.settings
    nominal: list[float] = []
    made: list[str] = []
    for name, title in titles.items():
        try:
            feature = feature_of(document.model, name)
        except ModelError:
            with rows.at(title, "of"):
                _check_number(document, changes, name)
            rows.check_units(title, NUMBERS)
            made.append(name)
            nominal.append(0.0)
            continue
        _check_unit(rows, title, name, feature)
        nominal.append(value_of(document.model, feature))
    given = {key: getattr(settings, key) for key in ("integrator", "formulation", "stabilisation")
             if getattr(settings, key) is not None}
    try:
        subject = ModelSubject(document.model, list(dict.fromkeys(o.channel for o in outputs)),
                               until=settings.until or UNTIL, times=settings.outputs or OUTPUTS,
                               analysis=settings.analysis, settings=given, make=_Made(document, changes), made=made,
                               as_drawn=bool(made), who="study")
    except ModelError as error:
        unknown = [o for o in outputs if f"channel called {o.channel!r}" in str(error)]
        if not unknown:
            raise
        raise rows.error(unknown[0].name, "keep", f"{error}\n  What is kept of a channel is one of: "
                                                  f"{', '.join(REDUCTIONS)}.") from None
    return ModelVariants(subject, tuple(titles), nominal, outputs)


def _check_number(document: Document, changes: Mapping[str, Any], name: str) -> None:
    """Refuses what neither the model nor its file has."""
    if document.path is None:
        raise ModelError(f"there is nothing called {name!r} that could vary.")
    if document.deviating is None:
        open_model(document.path, {**changes, name: 1.0})
    else:
        document.deviating({name: 0.0})


def _check_unit(rows: Rows, title: str, name: str, feature: Feature) -> None:
    """Refuses a length where a mass varies."""
    wanted = units_of(feature)
    for key in NUMBERS:
        unit = rows.unit(title, key)
        if wanted and unit is not None and unit.powers not in [unit_of(w).powers for w in wanted]:
            raise rows.error(title, key, f"the unit is {unit.name!r}; {name!r} is a number of {' or '.join(wanted)}.\n"
                                         "  Correct the unit, or write a plain number in SI.")


class _Made:
    """The model of a file with numbers of it changed."""

    def __init__(self, document: Document, changes: Mapping[str, Any]) -> None:
        self.path, self.changes = document.path, dict(changes)
        self.open: Callable[..., Document] = open_model

    def __call__(self, given: Mapping[str, float]) -> Model:
        assert self.path is not None
        return self.open(self.path, {**self.changes, **given}).model
