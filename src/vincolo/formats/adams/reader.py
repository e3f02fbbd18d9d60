"""Reading a dataset of Adams Solver."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from vincolo.analyses import assemble
from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import FileError, suggest
from vincolo.formats.adams.bodies import Dataset, add_frames, add_markers, add_parts
from vincolo.formats.adams.forces import add_bushing, add_sforce, add_spring, guarded
from vincolo.formats.adams.joints import add_coupler, add_gear, add_joint, add_motion
from vincolo.formats.adams.measured import add_gcon
from vincolo.formats.adams.text import (
    ARGUMENTS,
    IDLE,
    JOIN,
    KEYWORDS,
    KIND,
    Statement,
    read_statements,
    unknown_argument,
    unused_argument,
)
from vincolo.formats.adams.units import last_of, read_units
from vincolo.formats.adams.vectors import add_vector
from vincolo.formats.adams.view import read_view
from vincolo.formats.document import Document
from vincolo.formats.mistakes import Mistakes
from vincolo.formats.report import Report
from vincolo.formats.sources import Names
from vincolo.model import Model
from vincolo.state import State
from vincolo.system import System

CONSTRAINTS = {"JOINT": add_joint, "JPRIM": add_joint, "MOTION": add_motion, "COUPLER": add_coupler, "GEAR": add_gear}
FORCES = {"GCON": add_gcon, "SPRINGDAMPER": add_spring, "SFORCE": add_sforce, "VFORCE": add_vector,
          "VTORQUE": add_vector, "GFORCE": add_vector, "BUSHING": add_bushing}


def read_adm(path: str | os.PathLike[str]) -> Document:
    """A model from a dataset of Adams Solver (.adm), in SI units. What cannot be translated is listed in
    report.left_out; a statement that names a part, marker or joint which is not there is an error."""
    title, statements = read_statements(path)
    return _document(Path(path), title, statements, Report(), RunSettings())


def read_cmd(path: str | os.PathLike[str]) -> Document:
    """A model from a command file of Adams View (.cmd), also as a document prints it, in SI units. What cannot be
    translated is listed in report.left_out."""
    report = Report()
    view = read_view(path, report)
    return _document(Path(path), view.title, view.statements, report, view.settings)


def _document(where: Path, title: str, statements: list[Statement], report: Report, settings: RunSettings) -> Document:
    mistakes = Mistakes()
    groups: dict[str, list[Statement]] = {}
    for statement in statements:
        groups.setdefault(statement.keyword, []).append(statement)
    if "PART" not in groups:
        raise FileError(f"{where.name}: there is no PART statement in it.\n  Give the path of {KIND}.")
    units = read_units(groups.get("UNITS", []), report)
    model = Model(title[:200] or where.stem, gravity=_gravity(groups.get("ACCGRAV", []), units.length / units.time**2,
                                                              report))
    to = Dataset(model, units, report, Names(report.note), mistakes)
    with np.errstate(all="ignore"):
        _fill(to, statements, groups)
    mistakes.refuse(where.name)
    if not model.bodies:
        raise FileError(f"{where.name}: there is no part that can move.\n  Give the path of {KIND}.")
    _list_others(groups, report)
    report.understood.append(f"{len(model.bodies)} parts, {len(to.markers)} markers, {len(model.joints)} joints, "
                             f"{len(model.holds)} motions and couplings, "
                             f"{len(model.springs) + len(model.laws) + len(model.loads)} forces")
    return Document(model, replace(settings, method=_method(groups)), report, where, _begin(dict(to.given)))


def _fill(to: Dataset, statements: list[Statement], groups: dict[str, list[Statement]]) -> None:
    """Everything in the order in which it depends on each other."""
    add_markers(to, statements)
    add_parts(to, groups["PART"])
    add_frames(to)
    if to.mistakes.found:
        return  # what follows would only complain of the same
    for keyword, add in CONSTRAINTS.items():
        for statement in groups.get(keyword, []):
            with to.mistakes.kept(statement.place):
                add(to, statement)
            if keyword == "JOINT" and statement.number not in to.joints:
                to.skipped.add(statement.number)
    for keyword, force in FORCES.items():
        for statement in groups.get(keyword, []):
            with to.mistakes.kept(statement.place):
                guarded(to, statement, force)


def _gravity(statements: list[Statement], unit: float, report: Report) -> tuple[float, float, float]:
    if not statements:
        report.note("the dataset", "there is no ACCGRAV statement: there is no gravity.")
        return 0.0, 0.0, 0.0
    statement = last_of(statements, report)
    x, y, z = (statement.value(name) * unit for name in ("IGRAV", "JGRAV", "KGRAV"))
    return x, y, z


def _begin(given: dict[str, float]) -> Callable[[System, float], State] | None:
    """The start with the displacements and velocities that joints and motions give."""
    if not given:
        return None

    def begin(system: System, t: float) -> State:
        return assemble(system, given, t=t)

    return begin


def _method(groups: dict[str, list[Statement]]) -> str:
    found = groups.get("INTEGRATOR")
    return found[-1].text.replace(JOIN, ",").strip()[:100] if found else ""


def _list_others(groups: dict[str, list[Statement]], report: Report) -> None:
    """Statements and arguments that were not read: idle ones by kind, the others one by one."""
    for keyword, members in groups.items():
        first, count = members[0], len(members)
        if keyword in IDLE:
            others = f" (lines {', '.join(str(s.line) for s in members)})" if count > 1 else ""
            report.not_used(first.place, f"{count} {keyword} statement{'s' if count > 1 else ''}{others}.")
        elif keyword not in ARGUMENTS:
            for statement in members:
                begun = f"{keyword}/{statement.text}" if keyword else statement.text
                near = suggest(keyword, KEYWORDS) if keyword and keyword not in KEYWORDS else ""
                report.leave_out(statement.place, f"{begun.replace(JOIN, ',')[:60]!r} is not translated.{near}")
        for statement in members:
            if statement.unknown and keyword in ARGUMENTS:
                report.not_used(statement.place, unknown_argument(statement))
            for name in statement.unused:
                report.not_used(statement.place, unused_argument(statement, name))
