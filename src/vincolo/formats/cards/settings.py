"""QRTol: the solver options of NumDyn3D as integrator, formulation and stabilisation."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from vincolo import solvers
from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import FileWarning, ModelError, suggest
from vincolo.formats.cards.bodies import General
from vincolo.formats.cards.place import Place
from vincolo.formats.cards.text import CASE, Field, Line, checked, content, fields_of, number, whole
from vincolo.formats.mistakes import Mistakes, each
from vincolo.formats.report import Report
from vincolo.solvers import (
    QTZ,
    CorrectionByTolerance,
    Formulation,
    Integrator,
    NoStabilisation,
    Projection,
    Sparse,
    Stabilisation,
)
from vincolo.solvers.integrators import ATOL, Adaptive

#: methods by NumDyn3D's code, counted from zero in the order of Vita (4.2.8): both published models have 2, the default
METHODS = ("Radau", "state form", "orthogonalisation")
NAMES = {"radau": 0, "radau5": 0, "dae": 0, "state form": 1, "state": 1, "qtz": 1, "qtz state form": 1,
         "orthogonalisation": 2, "orthogonalization": 2, "qtz orthogonalisation": 2, "qtz orthogonalization": 2}
PAIRS: dict[int, Any] = {1: solvers.BogackiShampine, 2: solvers.DormandPrince, 3: solvers.DOP853}
PAIR_NAMES = {"(2,3)": 1, "(4,5)": 2, "(6,7)": 3, "(7,8)": 3, "23": 1, "45": 2, "67": 3, "78": 3}
DEFAULTS = {"tolODE": 1e-6, "threshold": 1e-10, "tolRadau": 1e-8, "tolConst": 1e-9, "tolCorr": 1e-12,
            "tolQRUpdate": 0.9, "tolRank": 1e-10}
DISPLAY = {"DeltaPerc": "progress on the screen", "DeltaWrite": "steps between lines; steps are chosen by tolerance"}


def read_settings(path: Path | None, general: General, report: Report) -> RunSettings:
    """The settings of QRTol, or NumDyn3D's defaults without it."""
    fields = {} if path is None else _fields(path, report)
    place = Place("QRTol.s3d" if path is None else path.name)
    (method, pair, correct), values = _values(fields)
    for label in (label for label in DISPLAY if label in fields):
        report.not_used(fields[label].place, f"{label}={fields[label].text} ({DISPLAY[label]})")
    report.note(fields["ResMethod"].place if "ResMethod" in fields else place,
                f"ResMethod {method} is taken as '{METHODS[method]}'.")
    try:
        chosen = _solvers(method, pair, values, correct == 1)
    except ModelError as error:
        raise place.error(str(error), "Change the tolerances in this card.") from None
    _list_idle(method, fields, report)
    integrator, formulation, stabilisation = chosen
    return RunSettings(start=general.start, until=general.until, outputs=general.intervals, integrator=integrator,
                       formulation=formulation, stabilisation=stabilisation, method=METHODS[method])


def _values(fields: dict[str, Field]) -> tuple[list[int], dict[str, float]]:
    """Method, pair and correction, and the tolerances; all mistakes in them are raised together."""
    mistakes = Mistakes()
    choices = mistakes.attempt(each, lambda read: read(), (
        lambda: _choice(fields.get("ResMethod"), NAMES, (0, 2), 2),
        lambda: _choice(fields.get("ODEmethod"), PAIR_NAMES, (1, 3), 2),
        lambda: whole(fields["Correzione"], 0, 1, "1 corrects, 0 does not") if "Correzione" in fields else 1))
    given = [label for label in DEFAULTS if label in fields]
    tolerances = mistakes.attempt(each, _positive, [fields[label] for label in given])
    mistakes.attempt(each, number, [fields[label] for label in DISPLAY if label in fields])
    mistakes.refuse("QRTol")
    return choices or [], {**DEFAULTS, **dict(zip(given, tolerances or [], strict=True))}


def _solvers(method: int, pair: int, values: dict[str, float],
             correct: bool) -> tuple[Integrator, Formulation, Stabilisation]:
    """Radau on rows that are chosen, or combined by QTZ; or QTZ in state form with a Runge-Kutta pair."""
    implicit = solvers.Radau(rtol=values["tolRadau"], atol=values["tolRadau"], index=3)
    if method == 0:
        return implicit, Sparse(), Projection()
    form = "automatic" if method == 1 else "orthogonalised"
    formulation = QTZ(form=form, limit=values["tolQRUpdate"], rank_tolerance=values["tolRank"])
    if method == 2:
        return implicit, formulation, Projection()
    integrator = PAIRS[pair](rtol=values["tolODE"], atol=values["threshold"])
    correction = CorrectionByTolerance(tolerance=values["tolCorr"], start=values["tolConst"])
    return integrator, formulation, correction if correct else NoStabilisation()


def _list_idle(method: int, fields: dict[str, Field], report: Report) -> None:
    """Options that act with another method only."""
    state_form, decomposed = ("ODEmethod", "tolODE", "threshold", "tolConst", "tolCorr", "Correzione"), (
        "tolQRUpdate", "tolRank")
    for label in {0: (*state_form, *decomposed), 1: ("tolRadau",), 2: state_form}[method]:
        if label in fields:
            report.not_used(fields[label].place, f"{label}={fields[label].text} (not with '{METHODS[method]}')")


def _fields(path: Path, report: Report) -> dict[str, Field]:
    known = ["ResMethod", "ODEmethod", "Correzione", *DEFAULTS, *DISPLAY]
    found: dict[str, Field] = {}
    mistakes = Mistakes()
    for item in fields_of(iter(content(path, report)), path.name):
        if isinstance(item, Line):
            raise item.place.error(f"'{item.text}' begins or ends a block; this card has none.", "Remove the line.")
        mistakes.attempt(checked, item, found.get(item.label), "")
        near = "" if item.label in known else suggest(item.label, known)
        if near:
            mistakes.add(item.place.error(f"there is no option '{item.label}'.", f"{CASE}{near}"))
        elif item.label not in known:
            report.warn(item.place, f"the option '{item.label}' is not known; it is not used.")
            report.not_used(item.place, f"{item.label}={item.text}")
        found[item.label] = item
    mistakes.refuse(path.name)
    return found


def _choice(item: Field | None, names: dict[str, int], limits: tuple[int, int], default: int) -> int:
    if item is None:
        return default
    name = " ".join(item.text.lower().split())
    if name in names:
        return names[name]
    if item.text[0].isalpha():
        raise item.error(f"is '{item.text}'.", f"Write one of: {', '.join(names)}; or a number from {limits[0]} to "
                                               f"{limits[1]}.{suggest(name, names)}")
    return whole(item, *limits, "it is the code of a method")


def _positive(item: Field) -> float:
    value = number(item)
    if value <= 0:
        raise item.error(f"is {value:g}.", "A tolerance is positive.")
    if item.label == "tolQRUpdate" and value > 1:
        raise item.error(f"is {value:g}.", "It is a share of the velocities, at most 1: with 1 every step decomposes "
                                           "anew.")
    return value


# writing


def settings_lines(settings: RunSettings) -> list[str]:
    """QRTol for a run, by the method of NumDyn3D that is the same; its default, with a warning, for others."""
    values = _written(settings)
    if values is None:
        asked = ", ".join(str(x) for x in (settings.integrator, settings.formulation, settings.stabilisation) if x)
        if asked or settings.analysis != "dynamics":
            warnings.warn(f"write_cards(): NumDyn3D does not know this way of solving ({asked or settings.analysis}); "
                          "its default is written.", FileWarning, stacklevel=5)
        values = {"ResMethod": 2, "tolRadau": DEFAULTS["tolRadau"], "tolRank": DEFAULTS["tolRank"]}
    return [f"{label} = {_number_text(value)}" for label, value in values.items()]


def _number_text(value: float) -> str:
    """A number as the cards write it: 1.E-8."""
    digits, exponent, power = repr(value).partition("e")
    return f"{digits}{'' if '.' in digits else '.'}E{int(power)}" if exponent else digits


def _written(settings: RunSettings) -> dict[str, float] | None:
    """The values of the card that give these settings again."""
    integrator, formulation = settings.integrator, settings.formulation
    if not isinstance(integrator, Adaptive) or settings.analysis != "dynamics" \
            or type(integrator) not in (solvers.Radau, *PAIRS.values()):
        return None
    values: dict[str, float] = {}
    if isinstance(formulation, QTZ) and formulation.limit is not None:
        values = {"tolRank": formulation.rank_tolerance, "tolQRUpdate": formulation.limit}
    if isinstance(integrator, solvers.Radau):
        tried = [{"ResMethod": method, "tolRadau": integrator.rtol, **values} for method in (0, 2)]
    else:
        pair = next(code for code, kind in PAIRS.items() if type(integrator) is kind)
        threshold = ATOL if integrator.atol is None else integrator.atol
        tried = [{"ResMethod": 1, "ODEmethod": pair, "tolODE": integrator.rtol, "threshold": threshold, **values,
                  **_correction(settings.stabilisation)}]
    return next((found for found in tried if _same(found, settings)), None)


def _correction(stabilisation: Stabilisation | None) -> dict[str, float]:
    if isinstance(stabilisation, CorrectionByTolerance):
        return {"Correzione": 1, "tolConst": stabilisation.start, "tolCorr": stabilisation.tolerance}
    return {"Correzione": 0}


def _same(values: dict[str, float], settings: RunSettings) -> bool:
    """Whether a card with these values asks for these settings."""
    found = _solvers(int(values["ResMethod"]), int(values.get("ODEmethod", 2)), {**DEFAULTS, **values},
                     bool(values.get("Correzione", 1)))
    return found == (settings.integrator, settings.formulation, settings.stabilisation)
