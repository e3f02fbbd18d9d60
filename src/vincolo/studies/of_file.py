"""The study that a file asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vincolo.analyses.run_settings import OUTPUTS, UNTIL
from vincolo.errors import FileError, ModelError
from vincolo.formats import open_model
from vincolo.formats.document import Document
from vincolo.model import Model
from vincolo.studies.outputs import output_of, outputs_of
from vincolo.studies.plan import Plan, Range, Spread, plan_of
from vincolo.studies.variants import ModelVariants
from vincolo.tolerance.distributions import KINDS
from vincolo.tolerance.of_model import ModelSubject
from vincolo.varied import feature_of, value_of

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
    kept = {title: output_of(keys.keep, title) for title, keys in rows.items() if keys.keep is not None}
    if not varied or not kept:
        raise FileError(f"{name}: its study has nothing that {'varies' if not varied else 'is kept'}.\n  {WAY}")
    own = next((keys for keys in rows.values() if keys.plan is not None), None)
    wanted = plan or (own.plan if own else "grid")
    many = samples if samples is not None else own.samples if own else None
    begun = seed if seed is not None else own.seed if own and own.seed is not None else 1
    if wanted in ("grid", "list"):
        many = samples
    named = {str(keys.of): _parameter(name, title, keys) for title, keys in varied.items()}
    if len(named) < len(varied):
        raise FileError(f"{name}: its study varies one thing twice: {', '.join(str(k.of) for k in varied.values())}.")
    planned = plan_of(named, wanted, many, begun)
    return _variants(document, planned.names, outputs_of(kept), changes), planned


def _parameter(file: str, title: str, keys: Any) -> Any:
    """A parameter from its row."""
    try:
        if keys.values is not None:
            return list(keys.values)
        if keys.centre is None:
            return Range(keys.low, keys.high, keys.count)
        kind = keys.distribution or "normal"
        if kind not in SPREADS:
            raise ModelError(f"the distribution is {kind!r}; it is one of: {', '.join(SPREADS)}.")
        made: Any = KINDS[kind]
        return Spread(keys.centre, made(keys.plus_minus, *(() if keys.sigmas is None else (keys.sigmas,))))
    except ModelError as error:
        raise FileError(f"{file}: study, {title!r}: {error}") from None


def _variants(document: Document, names: tuple[str, ...], outputs: Any, changes: Mapping[str, Any]) -> ModelVariants:
    settings = document.settings
    nominal: list[float] = []
    made: list[str] = []
    for name in names:
        try:
            nominal.append(value_of(document.model, feature_of(document.model, name)))
        except ModelError:
            if document.path is None:
                raise
            open_model(document.path, {**changes, name: 1.0}) if document.deviating is None else \
                document.deviating({name: 0.0})  # refuses what the file does not have either
            made.append(name)
            nominal.append(0.0)
    given = {key: getattr(settings, key) for key in ("integrator", "formulation", "stabilisation")
             if getattr(settings, key) is not None}
    subject = ModelSubject(document.model, list(dict.fromkeys(o.channel for o in outputs)),
                           until=settings.until or UNTIL, times=settings.outputs or OUTPUTS,
                           analysis=settings.analysis, settings=given, make=_Made(document, changes), made=made,
                           as_drawn=bool(made))
    return ModelVariants(subject, names, nominal, outputs)


class _Made:
    """The model of a file with numbers of it changed."""

    def __init__(self, document: Document, changes: Mapping[str, Any]) -> None:
        self.path, self.changes = document.path, dict(changes)
        self.open: Callable[..., Document] = open_model

    def __call__(self, given: Mapping[str, float]) -> Model:
        assert self.path is not None
        return self.open(self.path, {**self.changes, **given}).model
