"""The sheet SimParam: labels with a value beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from vincolo import solvers
from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import FileError, ModelError, suggest
from vincolo.formats.excel.carvalho.tables import Reading, is_unit, plain, sensible
from vincolo.formats.excel.cells import Cell, Sheet, shown

MOST_OUTPUTS = 10_000_000

#: labels as they are written, by their plain words
LABELS = {
    "runsimulationfor": "until", "simulationtime": "until", "timestep": "step", "typeofsimulation": "analysis",
    "gravitydirection": "gravity direction", "gravitymagnitude": "gravity", "unitssystem": "units",
    "unitsystem": "units", "postprocessing": "post", "position": "position", "translationalvelocity": "velocity",
    "angularvelocity": "angular velocity", "translationalacceleration": "acceleration",
    "angularacceleration": "angular acceleration", "centerofmass": "centre", "centreofmass": "centre",
    "joints": "joints", "animation": "animation", "animationvideo": "video", "bodies": "bodies", "points": "points",
    "integrator": "integrator", "tolerance": "tolerance", "formulation": "formulation"}
#: channels of each graph, by axis
GRAPHS = {"position": "", "velocity": "v", "angular velocity": "w", "acceleration": "a",
          "angular acceleration": "alpha_"}
MATLAB = {"ode113": "Adams", "ode45": "DormandPrince", "ode23": "BogackiShampine", "ode15s": "BDF"}
ANALYSES = {"dyn": "dynamics", "dynamic": "dynamics", "dynamics": "dynamics", "kin": "kinematics",
            "kinematic": "kinematics", "kinematics": "kinematics"}
SYSTEMS = {"mmks": 1e-3, "mks": 1.0, "si": 1.0, "simks": 1.0}


@dataclass
class Parameters:
    """What SimParam says; `length` is the unit of length [m], `gravity` a vector in SI."""

    length: float = 1.0
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    analysis: str = "dynamics"
    until: float = 10.0
    outputs: int = 500
    integrator: solvers.Integrator | None = None
    formulation: solvers.Formulation | None = None
    post: bool = False
    graphs: list[str] = field(default_factory=list)  # prefixes of channels
    joints: bool = False
    bodies: tuple[int | None, str] = (None, "")  # row and text of the list
    points: tuple[int | None, str] = (None, "")

    def settings(self, channels: tuple[str, ...]) -> RunSettings:
        """The same as settings of a run."""
        return RunSettings(self.analysis, 0.0, self.until, self.outputs, self.integrator, self.formulation,
                           channels=channels)


class _Labels:
    """Values by label, with their places."""

    def __init__(self, reading: Reading, sheet: Sheet) -> None:
        self.reading, self.sheet = reading, sheet
        self.places: dict[str, tuple[int, int]] = {}
        self.used: set[str] = set()  # keys whose cells were asked for
        for (row, column), cell in sorted(sheet.cells.items()):
            key = LABELS.get(plain(str(cell.value))) if cell.kind == "text" else None
            if key is not None and (row, column) not in self.places.values():
                self._take(key, row, column)

    def _take(self, key: str, row: int, column: int) -> None:
        right = next((a.right for a in self.sheet.merged if a.top <= row <= a.bottom and a.left <= column <= a.right),
                     column)
        if key in self.places and self.sheet.get(row, right + 1) is not None:
            first = self.sheet.place(*self.places[key])
            self.wrong(row, right + 1, f"this setting is given twice; the first is {first}.", "Delete one of them.")
            return
        if key not in self.places or self.sheet.get(*self.places[key]) is None:
            self.places[key] = (row, right + 1)

    def tell_unused(self) -> None:
        """Lists what is neither a setting nor its value, a row in a line; misspelt settings are warned of."""
        values = {place for key, place in self.places.items() if key in self.used}
        for row, cells in self.sheet.rows():
            left = {c: cell for c, cell in cells.items() if (row, c) not in values and not is_unit(cell)
                    and (cell.kind != "text" or plain(str(cell.value)) not in LABELS)}
            if left:
                column, cell = next(iter(left.items()))
                label = cell.kind == "text" and column + 1 in left
                near = suggest(plain(str(cell.value)), LABELS) if label else ""
                listed = ", ".join(shown(cell.value) for cell in list(left.values())[:5])
                what = f"the setting {shown(cell.value)} is not known and has" if label else f"{listed} has"
                tell = self.reading.report.warn if near else self.reading.report.not_used
                tell(self.sheet.place(row, column), f"{what} no effect.{near}")

    def idle(self, why: str, *keys: str) -> None:
        """Lists settings that are given, but have no effect."""
        for key in keys:
            cell = self.sheet.get(*self.places[key]) if key in self.places else None
            if cell is not None and not is_unit(cell) and plain(cell.text) not in ("0", "no", "n", "false"):
                self.reading.report.not_used(self.sheet.place(*self.places[key]), f"{shown(cell.value)} has no effect: "
                                             f"{why}.")

    def wrong(self, row: int, column: int | None, what: str, way_out: str) -> None:
        self.reading.mistakes.append(self.sheet.error(row, column, what, way_out))

    def cell(self, key: str) -> Cell | None:
        self.used.add(key)
        return self.sheet.get(*self.places[key]) if key in self.places else None

    def number(self, key: str, default: float) -> float:
        if self.cell(key) is None:
            return default
        try:
            return sensible(self.sheet, *self.places[key])
        except FileError as error:
            self.reading.mistakes.append(error)
            return default

    def text(self, key: str) -> str:
        cell = self.cell(key)
        return "" if cell is None else cell.text

    def choice(self, key: str, known: dict[str, str] | dict[str, float], allowed: str) -> str | None:
        """One of the known words, or None if the cell is empty or wrong."""
        text = plain(self.text(key))
        if not text or text in known:
            return text or None
        self.wrong(*self.places[key], f"{shown(self.text(key))} is not known here.", f"Write one of: {allowed}.")
        return None

    def yes(self, key: str) -> bool:
        return self.choice(key, {"yes": 1.0, "no": 0.0, "y": 1.0, "n": 0.0, "true": 1.0, "false": 0.0},
                           "Yes, No") in ("yes", "y", "true")


def read_settings(reading: Reading, sheet: Sheet) -> Parameters:
    """All of SimParam; what is missing has the values of Parameters, with a note where that matters."""
    labels, found = _Labels(reading, sheet), Parameters()
    found.analysis = ANALYSES.get(labels.choice("analysis", dict.fromkeys(ANALYSES, 1.0), "Kin, Dyn") or "", "")
    if not found.analysis:
        found.analysis = "dynamics"
        if labels.cell("analysis") is None:
            reading.report.note(sheet.file, "no 'Type of Simulation' in SimParam: a dynamic one (Dyn) is taken.")
    system = labels.choice("units", SYSTEMS, "SI, MKS, MMKS")
    if labels.cell("units") is None:
        _missing(reading, sheet, "Units System", "Write SI (or MKS) or MMKS beside it.")
    found.length = SYSTEMS[system or "si"]
    _times(labels, found)
    _gravity(labels, found)
    _solver(labels, found)
    found.post = labels.yes("post")
    found.graphs = [prefix for key, prefix in GRAPHS.items() if labels.yes(key)]
    found.joints = labels.yes("joints")
    found.bodies, found.points = (_listed(labels, key) for key in ("bodies", "points"))
    for key in ("animation", "video"):
        if labels.yes(key):
            reading.report.not_used(sheet.place(*labels.places[key]), f"{key}: a reader draws nothing.")
    _idle(labels, found)
    labels.tell_unused()
    return found


def _idle(labels: _Labels, found: Parameters) -> None:
    """Lists the settings that need others to have an effect."""
    if labels.yes("centre") and not found.bodies[1]:
        labels.idle("no Bodies are named to draw", "centre")
    if not found.graphs:
        labels.idle("no graph is asked for", "bodies", "points", "centre")
    elif not (found.bodies[1] or found.points[1]):
        labels.idle("no Bodies or Points are named to draw", *GRAPHS)
    if not any(found.gravity):
        labels.idle("there is no gravity magnitude", "gravity direction")
    if found.analysis == "kinematics":
        labels.idle("a kinematic simulation does not integrate", "integrator", "tolerance", "formulation")


def _missing(reading: Reading, sheet: Sheet, label: str, way_out: str) -> None:
    reading.mistakes.append(FileError(f"{sheet.file}, sheet '{sheet.name}': the setting '{label}' is missing.\n"
                                      f"  {way_out}"))


def _listed(labels: _Labels, key: str) -> tuple[int | None, str]:
    """Row and text of a list of numbers or names; '' if there is none."""
    cell = labels.cell(key)
    return (None, "") if cell is None or is_unit(cell) else (labels.places[key][0], cell.text)


def _times(labels: _Labels, found: Parameters) -> None:
    if labels.cell("until") is None:
        _missing(labels.reading, labels.sheet, "Run simulation for", "Write the duration in seconds beside it.")
        return
    found.until = labels.number("until", found.until)
    if found.until <= 0:
        labels.wrong(*labels.places["until"], f"the duration is {found.until:g} s; it must be positive.",
                     "Write the duration in seconds.")
        return
    step = labels.number("step", found.until / found.outputs)
    if not 0 < step <= found.until * (1 + 1e-9) or found.until / step > MOST_OUTPUTS:
        labels.wrong(*labels.places["step"], f"the time step is {step:g} s for a run of {found.until:g} s.",
                     f"Write a positive step, at most the duration, that makes at most {MOST_OUTPUTS:,} outputs.")
        return
    found.outputs = max(1, round(found.until / step))
    if abs(found.outputs * step - found.until) > 1e-6 * found.until:
        labels.reading.report.note(labels.sheet.place(*labels.places["step"]), f"{found.until:g} s is not a multiple "
                                   f"of {step:g} s: outputs are every {found.until / found.outputs:.9g} s.")


def _gravity(labels: _Labels, found: Parameters) -> None:
    magnitude = labels.number("gravity", 0.0)
    text = labels.text("gravity direction").lower().lstrip("+")
    if magnitude == 0.0:
        if labels.cell("gravity") is None:
            labels.reading.report.note(labels.sheet.file, "no gravity magnitude in SimParam: there is no gravity.")
        return
    row, column = labels.places["gravity"]
    if text not in ("x", "y", "z", "-x", "-y", "-z"):
        labels.wrong(*labels.places.get("gravity direction", (row, column)),
                     f"the direction of gravity is {shown(text)}.", "Write x, y or z; the magnitude has the sign.")
        return
    small, unit = abs(magnitude) < 200, "mm/s2" if found.length < 1 else "m/s2"
    if small == (found.length < 1):
        labels.wrong(row, column, f"gravity is {magnitude:g} {unit}, which fits the other system of units.",
                     "Write 9806.65 with MMKS and 9.80665 with SI, or change 'Units System'.")
    signed = (-magnitude if text.startswith("-") else magnitude) * found.length
    g = [signed if axis == text[-1] else 0.0 for axis in "xyz"]
    found.gravity = (g[0], g[1], g[2])


def _solver(labels: _Labels, found: Parameters) -> None:
    integrators = {name.lower(): name for name in solvers.__all__
                   if issubclass(getattr(solvers, name), solvers.Integrator) and name != "Integrator"}
    formulations = {name.lower(): name for name in solvers.__all__
                    if issubclass(getattr(solvers, name), solvers.Formulation)
                    and name not in ("Formulation", "OwnFormulation")}
    name = _named(labels, "integrator", integrators | MATLAB)
    tolerance = labels.number("tolerance", 0.0)
    if not 0 <= tolerance <= 0.1:
        labels.wrong(*labels.places["tolerance"], f"the tolerance is {tolerance:g}.", "Write one from 1e-13 to 0.1.")
        return
    if name is not None or tolerance:
        kind = getattr(solvers, name or "Auto")
        options = {"rtol": tolerance, "atol": 0.01 * tolerance} if tolerance else {}
        if hasattr(kind, "step"):
            options = {"step": found.until / found.outputs}
            if tolerance:
                labels.reading.report.not_used(labels.sheet.place(*labels.places["tolerance"]),
                                               f"{name} has fixed steps, so a tolerance has no effect.")
        with labels.reading.at(labels.sheet.place(*labels.places["tolerance" if tolerance else "integrator"])):
            found.integrator = kind(**options)
    form = _named(labels, "formulation", formulations)
    if form is not None:
        found.formulation = getattr(solvers, form)()


def _named(labels: _Labels, key: str, known: dict[str, str]) -> str | None:
    text = re.sub(r"[\s_-]", "", labels.text(key)).lower()
    if not text or text in known:
        return known.get(text)
    names = sorted(set(known.values()))
    labels.wrong(*labels.places[key], f"there is no {key} called {shown(labels.text(key))}.{suggest(text, names)}",
                 f"{key.capitalize()}s: {', '.join(names)}.")
    return None


def numbers_or_names(text: str) -> list[str]:
    """The entries of a list such as "2; 3", "2 3" or "Rod 1; Rod 2"."""
    if re.fullmatch(r"[0-9]+\.[0-9]+", text):
        raise ModelError(f"{text} is one number; a list is needed.\n  Excel has taken the comma for a decimal: write "
                         "the list with semicolons, such as 2; 3.")
    if ";" in text or not re.fullmatch(r"[0-9,\s]+", text):
        return [part.strip() for part in re.split(r"[;,]", text) if part.strip()]
    return [part for part in re.split(r"[,\s]+", text) if part]
