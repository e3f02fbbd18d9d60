"""What a command file of Adams View has made so far, found by its names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import suggest
from vincolo.formats.adams.commands import Command
from vincolo.formats.adams.text import Statement
from vincolo.formats.report import Report
from vincolo.formats.sources import Pose, number_of, short
from vincolo.model.geometry import Array

FRESH = 1_000_000  # numbers of what has no adams_id begin here


@dataclass
class View:
    """A command file on its way to statements: what was made so far, by kind and name."""

    report: Report
    title: str = ""
    things: dict[str, dict[str, Statement]] = field(default_factory=dict)  # by keyword and name
    parts: dict[str, Pose] = field(default_factory=dict)  # where they are, in the units of the file
    units: dict[str, str] = field(default_factory=dict)
    degrees: bool = True
    coordinates: str = "ground"  # the part whose axes locations are given in
    default_part: str = "ground"
    instances: dict[str, tuple[Command, dict[str, list[str]]]] = field(default_factory=dict)  # with their variables
    settings: RunSettings = field(default_factory=RunSettings)
    idle: dict[str, list[Command]] = field(default_factory=dict)

    def key(self, name: str) -> str:
        """A name without the model's."""
        words = name.strip().strip("()").strip().lstrip(".").split(".")
        return ".".join(words[1:] if len(words) > 1 and words[0].lower() == self.title.lower() else words)

    def find(self, command: Command, keyword: str, name: str) -> Statement:
        """What is called so, by its full name or the end of it."""
        wanted, known = self.key(name).lower(), self.things.get(keyword, {})
        exact = [thing for key, thing in known.items() if key.lower() == wanted]
        found = exact or [thing for key, thing in known.items() if key.lower().endswith(f".{wanted}")]
        if len(found) != 1:
            count = "no" if not found else f"{len(found)} things, not one,"
            raise command.error(f"there is {count} {keyword.lower()} called {short(name)}.",
                                f"Write its full name.{suggest(self.key(name), known)}")
        return found[0]

    def part_key(self, command: Command, name: str) -> str:
        """The name of a part that is there, as it was made."""
        wanted = self.key(name).lower()
        found = [key for key in self.parts if key.lower() == wanted]
        if not found:
            raise command.error(f"there is no part called {short(name)}.",
                                f"Make it before it is used.{suggest(self.key(name), self.parts)}")
        return found[0]

    def new(self, command: Command, keyword: str, name: str) -> Statement:
        """A new statement, with a number of its own."""
        known = self.things.setdefault(keyword, {})
        given = number_of(command.parameters.get("adams_id", [""])[0])
        number = int(given) if given is not None and given == int(given) and given > 0 else 0
        if not number or any(thing.number == number for thing in known.values()):
            number = FRESH + len(known)
        text = " ".join(f"{p}={', '.join(v)}" for p, v in command.parameters.items())
        known[name] = Statement(keyword, command.file, command.line, [text], name, number)
        return known[name]

    @property
    def statements(self) -> list[Statement]:
        """All that was made, in the order of the dataset."""
        return [thing for members in self.things.values() for thing in members.values()]


def with_numbers(view: View, command: Command, function: str) -> str:
    """A function with the numbers of markers in the place of their names."""
    return re.sub(r"(?<![\w.])\.?[A-Za-z_]\w*(?:\.\w+)+", lambda m: str(view.find(command, "MARKER", m[0]).number),
                  function)


def marker_point(view: View, number: int) -> Array:
    """Where a marker is as drawn, in the units of the file."""
    for key, marker in view.things["MARKER"].items():
        if marker.number == number:
            local = [number_of(word) or 0.0 for word in marker.arguments.get("QP", ["0"] * 3)]
            own = view.parts[key.rpartition(".")[0]]
            return np.asarray(own.p + own.R @ np.array(local))
    raise KeyError(number)
