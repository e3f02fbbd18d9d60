"""Matrices of SymDyn3D made a model: bodies, joints, the start completed, forces and drives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import FileError, ModelError, VincoloError
from vincolo.formats.cards.bodies import NOWHERE, Start, body_at, start_of
from vincolo.formats.cards.connections import Connection, Names, joined
from vincolo.formats.cards.forces import Mechanism, Words
from vincolo.formats.cards.place import Place
from vincolo.formats.cards.start import begun
from vincolo.formats.document import Document
from vincolo.formats.matrices.rows import JointRow, add_drives, add_force, add_spring, coordinates, inertias, joint_row
from vincolo.formats.matrices.start import Wanted, completed, guess, with_velocities
from vincolo.formats.matrices.tree import Entry, Reader, Rows, Value
from vincolo.formats.mistakes import Follows, Mistakes, each
from vincolo.formats.report import Report
from vincolo.model import Model
from vincolo.solvers import integrators
from vincolo.state import State
from vincolo.system import compile

WORDS = Words("SPDAMPERS", "a row of SPDAMPERS with 'R'", "leave this row out")
LISTS = ("CON", "FORCE", "SPDAMPERS", "DRIV")


@dataclass(frozen=True)
class Matrices:
    """Matrices by name, to be made a model."""

    values: dict[str, Value]
    owner: str
    reader: Reader = field(default_factory=Reader)
    path: Path | None = None
    report: Report = field(default_factory=Report)
    mistakes: Mistakes = field(default_factory=Mistakes)
    lists: dict[str, list[Value]] = field(default_factory=dict)  # the rows of matrices, when they are checked

    def document(self, title: str, settings: RunSettings | None) -> Document:
        """The model with its settings."""
        made = self.mistakes.attempt(self._document, title, settings)
        self.mistakes.refuse(self.owner)
        if made is None:
            raise FileError(f"{self.owner} could not be read.")
        return made

    def _document(self, title: str, settings: RunSettings | None) -> Document:
        self.lists.update({name: self.mistakes.attempt(self._rows, name) or [] for name in LISTS})
        run = settings or self.mistakes.attempt(self._settings) or RunSettings()
        masses, tensors = self._bodies()
        count = len(masses)
        rows = [self.mistakes.attempt(joint_row, self.reader, row, count, self.report) for row in self.lists["CON"]]
        wanted = Wanted(*(self._coordinates(name, count) for name in ("q_in", "qp_in")))
        maker = Maker(self, self._text("title") or title, self._names(count), masses, tensors,
                      [row for row in rows if row is not None], None not in rows, self._gravity(), run.start)
        to = maker.mechanism(maker.starts(wanted), self.report, self.mistakes)
        maker.add_forces(to)
        counts = {"bodies": len(masses), "joints": len(to.connections), "forces": len(self.lists["FORCE"]),
                  "springs": len(self.lists["SPDAMPERS"]), "drives": len(to.model.holds)}
        self.report.understood += [f"{self.owner}: {count} {what}" for what, count in counts.items()]
        return Document(to.model, run, self.report, self.path)

    def _rows(self, name: str) -> list[Value]:
        """The rows of a matrix; none if it is not there."""
        found = self.values.get(name)
        if isinstance(found, Entry):
            raise found.place.error(f"{name} is '{found.text[:40]}', not a list.", f"Write {name} = [[...], [...]].")
        if found is None:
            return []
        flat = name != "DRIV" and found.items and all(isinstance(item, Entry) for item in found.items)
        return [found] if flat else list(found.items)  # a single row may stand without brackets around it

    def _text(self, name: str) -> str:
        found = self.values.get(name)
        entries = [] if found is None else found.flat if isinstance(found, Rows) else [found]
        return " ".join(e.text for e in entries)

    def _bodies(self) -> tuple[list[Any], list[Any]]:
        """Mass and inertia of each body; None where it could not be read."""
        for name in ("CON", "mass", "inertia"):
            if name not in self.values:
                raise Place(self.owner, kind=FileError).error(f"the matrix {name} is missing.",
                                                              "A model has CON, mass and inertia.")
        found = self.values["mass"]
        entries = found.flat if isinstance(found, Rows) else [found]
        count = self.mistakes.attempt(self._count, "NB", len(entries), "masses")
        if count is None or not entries:
            raise Follows("it is not known which bodies there are.") if entries else found.place.error(
                "there is no mass.", "Write one number for each body.")
        self.mistakes.attempt(self._count, "NFORCES", len(self.lists["FORCE"]), "rows of FORCE")
        masses = [self.mistakes.attempt(self.reader.number, e, f"mass of body {k}") for k, e in enumerate(entries, 1)]
        tensors = self.mistakes.attempt(inertias, self.reader, self.values["inertia"], len(masses))
        return masses, tensors or [None] * len(masses)

    def _count(self, name: str, there: int, what: str) -> int:
        """A number that counts what is there."""
        given = self.values.get(name)
        if given is None:
            return there
        if not isinstance(given, Entry) or self.reader.number(given, name) != there:
            text = given.text if isinstance(given, Entry) else "a list"
            raise given.place.error(f"{name} is {text}, but there are {there} {what}.", "Correct one of them.")
        return there

    def _names(self, count: int) -> list[str]:
        if "names" not in self.values:
            return [f"body {k}" for k in range(1, count + 1)]
        found = self.values["names"]
        names = [e.text for e in (found.flat if isinstance(found, Rows) else [found])]
        if len(names) != count:
            self.mistakes.add(found.place.error(f"names has {len(names)} names for {count} bodies.",
                                                "Give one for each body."))
        return (names + [f"body {k}" for k in range(1, count + 1)])[:count]

    def _gravity(self) -> list[float]:
        if "gravity" not in self.values:
            return [0.0, 0.0, 0.0]
        found = self.values["gravity"]
        entries = found.flat if isinstance(found, Rows) else [found]
        if len(entries) != 3:
            self.mistakes.add(found.place.error(f"gravity has {len(entries)} numbers; three are needed.",
                                                "Write for example [0, -9.81, 0]."))
            return [0.0, 0.0, 0.0]
        return self.mistakes.attempt(each, lambda e: self.reader.number(e, "gravity"), entries) or [0.0, 0.0, 0.0]

    def _coordinates(self, name: str, bodies: int) -> Mapping[int, float]:
        if name not in self.values:
            return {}
        found = self.mistakes.attempt(coordinates, self.reader, self.values[name], name, bodies)
        return {} if found is None else found

    def _settings(self) -> RunSettings:
        given = {name: value for name, value in self.values.items() if name in ("TI", "TE", "ST", "index")}
        numbers = dict(zip(given, each(lambda name: self.reader.number(given[name], name), given), strict=True))
        start, until, outputs = numbers.get("TI", 0.0), numbers.get("TE"), numbers.get("ST")
        if until is not None and not until > start:
            raise given["TE"].place.error(f"TE is {until:g} s, not after TI = {start:g} s.",
                                          "Write an end after the beginning.")
        if outputs is not None and (outputs != int(outputs) or not 1 <= outputs <= 10_000_000):
            raise given["ST"].place.error(f"ST is {outputs:g}; it is the number of output steps.",
                                          "Write a whole number such as 500.")
        if numbers.get("index", 3.0) not in (1.0, 2.0, 3.0):
            raise given["index"].place.error(f"index is {numbers['index']:g}.",
                                             "The index of the equations is 1, 2 or 3.")
        return RunSettings(start=start, until=until, outputs=None if outputs is None else int(outputs),
                           integrator=integrators.Radau(index=int(numbers["index"])) if "index" in numbers else None)


@dataclass(frozen=True)
class Maker:
    """Makes the model, more than once: to complete the start, and then as it starts."""

    matrices: Matrices
    title: str
    names: list[str]
    masses: list[float | None]
    tensors: list[Any]
    joints: list[JointRow]
    whole: bool  # all joints could be read
    gravity: list[float]
    time: float

    def mechanism(self, starts: list[Start], report: Report, mistakes: Mistakes) -> Mechanism:
        """Bodies, joints and drives."""
        model, names = Model(self.title, gravity=self.gravity), Names(report)
        called = [names.free(name, "body") for name in self.names]
        place, bodies = self.matrices.values["mass"].place, [model.ground]
        for name, mass, tensor, start in zip(called, self.masses, self.tensors, starts, strict=True):
            made = None
            if mass is not None and tensor is not None:
                made = mistakes.attempt(body_at, model, name, mass, tensor, start, place)
            bodies.append(made or model.body(name, 1.0, 1.0, start.position, orientation=start.euler))
        connections: dict[int, Connection] = {}
        for k, row in enumerate(self.joints, 1):
            name = names.free(f"joint {k}", "joint")
            joint = mistakes.attempt(joined, model, row.kind, bodies, row.sides, name, row.place)
            connections |= {} if joint is None else {k: joint}
        whole = self.whole and len(connections) == len(self.joints)
        to = Mechanism(model, bodies, starts, connections, names, report, whole, WORDS)
        mistakes.found += add_drives(to, self.matrices.reader, self.matrices.lists["DRIV"])
        return to

    def add_forces(self, to: Mechanism) -> None:
        """Forces and springs."""
        for name, add in (("FORCE", add_force), ("SPDAMPERS", add_spring)):
            for k, row in enumerate(self.matrices.lists[name], 1):
                self.matrices.mistakes.attempt(_placed, add, to, self.matrices.reader, row, k)

    def starts(self, wanted: Wanted) -> list[Start]:
        """Where the bodies start: what is given, and the rest by the joints."""
        mistakes, count = self.matrices.mistakes, len(self.names)
        wanted = mistakes.attempt(self._unit, wanted) or wanted
        if mistakes.failed:
            return [NOWHERE] * count
        starts = guess(count, [(row.kind, *row.sides) for row in self.joints], wanted)
        try:
            return self._completed(starts, wanted)
        except Follows:
            return starts
        except (VincoloError, ArithmeticError, RuntimeError, ValueError) as error:  # of numbers that are out of range
            place = self.matrices.values.get("q_in", self.matrices.values["CON"]).place
            self.matrices.report.warn(place, "the initial conditions could not be completed: "
                                      + str(error).partition("\n")[0])
            return starts

    def _unit(self, wanted: Wanted) -> Wanted:
        """Euler parameters that are given whole, with the length one."""
        positions = dict(wanted.positions)
        for k, name in enumerate(self.names):
            numbers = range(7 * k, 7 * k + 7)
            if all(n in positions for n in numbers[3:]):
                place = self.matrices.values["q_in"].place
                values = [positions.get(n, 0.0) for n in numbers]
                start = start_of(values, [0.0] * 7, place, name, self.matrices.report)
                positions |= dict(zip(numbers[3:], start.euler.tolist(), strict=True))
        return Wanted(positions, wanted.rates)

    def _completed(self, starts: list[Start], wanted: Wanted) -> list[Start]:
        if len(wanted.positions) < 7 * len(starts):
            starts, missed = completed(self._state(starts), starts, wanted)
            for k, value in missed.items():
                self.matrices.report.warn(self.matrices.values["q_in"].place,
                                          f"the joints do not allow q{k + 1} = {wanted.positions[k]:g} with what else "
                                          f"is given; it is {value:g}.")
        state = begun(self._state(starts).system, self.time, [start.euler for start in starts], wanted.rates)
        return with_velocities(state, starts)

    def _state(self, starts: list[Start]) -> State:
        """The bodies where they start, joined and driven."""
        mistakes = Mistakes()
        system = compile(self.mechanism(starts, Report(), mistakes).model)
        if mistakes.found:
            raise Follows("it is reported where the model is made.")
        return State(system, self.time, system.drawn.y, system.drawn.turns)


def _placed(add: Callable[[Mechanism, Reader, Value, int], None], to: Mechanism, reader: Reader, row: Value,
            key: int) -> None:
    """Adds what a row says; what the model refuses is wrong at its place."""
    try:
        add(to, reader, row, key)
    except FileError:
        raise
    except ModelError as error:
        raise row.place.error(str(error), "Correct this row.") from None
