"""A command file of Adams View as statements of the dataset that Adams Solver would get."""

from __future__ import annotations

import os
import re

import numpy as np

from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import suggest
from vincolo.formats.adams.commands import Command, read_commands
from vincolo.formats.adams.text import Statement
from vincolo.formats.adams.view_instances import add_instances
from vincolo.formats.adams.view_table import FREEDOMS, IDLE, INERTIA, RULES, UNITS, Rule
from vincolo.formats.adams.view_things import FRESH, View, with_numbers
from vincolo.formats.report import Report
from vincolo.formats.sources import Pose, number_of, short
from vincolo.model.rotations import Rotation

#: parameters that say nothing about what is made
NAMING = ("adams_id", "comments")


def read_view(path: str | os.PathLike[str], report: Report) -> View:
    """The statements that a command file amounts to."""
    commands, taken = read_commands(path)
    view = View(report)
    if taken:
        report.note(commands[0].file, f"{taken}, are taken off.")
    ground = Statement("PART", commands[0].file, commands[0].line, [""], "ground", FRESH)
    ground.arguments["GROUND"] = []
    view.things["PART"], view.parts["ground"] = {"ground": ground}, Pose(np.zeros(3), np.eye(3))
    for command in commands:
        _take(view, command)
    add_instances(view)
    _add_units(view, commands[0])
    for title, members in view.idle.items():
        lines = ", ".join(str(member.line) for member in members[:20]) + (", ..." if len(members) > 20 else "")
        report.not_used(members[0].place, f"{len(members)} {title} (line{'s' if len(members) > 1 else ''} {lines}).")
    return view


def _take(view: View, command: Command) -> None:
    words = tuple("create" if k < 2 and word == "modify" else word for k, word in enumerate(command.words))
    if words in RULES:
        _make(view, command, RULES[words], modified=words != command.words)
    elif words in OTHERS:
        OTHERS[words](view, command)
    elif any(words[:len(begun)] == begun for begun in IDLE):
        view.idle.setdefault(command.title, []).append(command)
    else:
        view.report.leave_out(command.place, f"{command.title} is not translated.")


def _make(view: View, command: Command, rule: Rule, modified: bool) -> None:
    """Makes a statement, or changes or completes the one that is there."""
    given = _full_names(view, command, rule)
    name = given.pop(rule.name, [""])[0]
    if not name:
        raise command.error(f"{rule.name} is missing.", f"Write {rule.name} = and a name.")
    key = view.key(name)
    there = view.things.get(rule.keyword, {}).get(key)
    if there is None and modified:
        there = view.find(command, rule.keyword, name)
    if there is not None and not modified and rule.keyword != "PART":
        raise command.error(f"there is already something called {short(name)}, made in line {there.line}.",
                            "Give each a name of its own, or write modify.")
    if rule.keyword == "MARKER":
        key = _owned(view, command, key)
    statement = there if there is not None else view.new(command, rule.keyword, key)
    for flag in rule.flags:
        statement.arguments[flag] = []
    if rule.keyword == "PART":
        _add_inertia(command, statement, given)
    _place(view, command, statement, key, given)
    for parameter, values in given.items():
        if parameter in rule.arguments:
            _set(view, command, statement, rule.arguments[parameter], values)
        elif parameter not in NAMING:
            view.report.not_used(command.place, f"{command.title}: {parameter} = {', '.join(values)[:60]} is not read."
                                                f"{suggest(parameter, rule.arguments)}")


def _full_names(view: View, command: Command, rule: Rule) -> dict[str, list[str]]:
    """The parameters under their full names: a beginning of a word stands for the only one of those not given."""
    known = (rule.name, *rule.arguments, *NAMING, *(INERTIA if rule.keyword == "PART" else ()))
    found = {name: values for name, values in command.parameters.items() if name in known}
    for name, values in command.parameters.items():
        if name in known:
            continue
        candidates = [full for full in known if full.startswith(name) and full not in command.parameters]
        if len(candidates) == 1:
            view.report.note(command.place, f"{command.title}: {name} is taken as {candidates[0]}.")
        found[candidates[0] if len(candidates) == 1 else name] = values
    return found


def _set(view: View, command: Command, statement: Statement, argument: tuple[str, str], values: list[str]) -> None:
    name, how = argument
    if how == "marker":
        statement.arguments[name] = [str(view.find(command, "MARKER", values[0]).number)]
    elif how == "joint":
        statement.arguments[name] = [str(view.find(command, "JOINT", values[0]).number)]
    elif how == "floating":
        statement.arguments[name] = [str(_floating(view, command, values[0]).number)]
    elif how == "function":
        statement.arguments[name] = [with_numbers(view, command, " ".join(values))]
    elif how == "angle":
        statement.arguments[name] = [_angle(view, word) for word in values]
    elif how == "plain":
        statement.arguments[name] = list(values)
    elif how == "switch":
        statement.arguments.pop(name, None)
        if values[0].lower() in ("on", "yes", "true"):
            statement.arguments[name] = []
    else:
        _set_flag(command, statement, values[0])


def _set_flag(command: Command, statement: Statement, word: str) -> None:
    flag = FREEDOMS.get(word.lower())
    if flag is None:
        raise command.error(f"{short(word)} is not a freedom.", f"Write one of: {', '.join(FREEDOMS)}.")
    statement.arguments[flag] = []


def _angle(view: View, word: str) -> str:
    """An angle as the dataset writes it, with a D for degrees."""
    plain = word.rstrip("dDrR")
    return f"{plain}D" if word[-1:] in "dD" or (view.degrees and word[-1:] not in "rR") else plain


def _floating(view: View, command: Command, part: str) -> Statement:
    """A marker on a part that is wherever the force acts."""
    key = view.part_key(command, part)
    name = f"{key}.floating_{len(view.things.setdefault('MARKER', {}))}"
    marker = Statement("MARKER", command.file, command.line, [""], name, FRESH + len(view.things["MARKER"]))
    marker.arguments.update({"PART": [str(view.things["PART"][key].number)], "FLOATING": []})
    view.things["MARKER"][name] = marker
    return marker


def _owned(view: View, command: Command, key: str) -> str:
    """The name of a marker with its part's."""
    return key if "." in key else f"{view.part_key(command, view.default_part)}.{key}"


def _add_inertia(command: Command, statement: Statement, given: dict[str, list[str]]) -> None:
    """ixx, iyy, ... as IP, which keeps what was said before."""
    if not any(name in given for name in INERTIA):
        return
    before = statement.arguments.get("IP", ["0"] * 6)
    values = [given.pop(name, [old]) for name, old in zip(INERTIA, before, strict=True)]
    if any(len(value) != 1 or number_of(value[0]) is None for value in values):
        raise command.error(f"moments of inertia are {short(str(values))}.", "Write one number for each.")
    statement.arguments["IP"] = [value[0] for value in values]


def _place(view: View, command: Command, statement: Statement, key: str, given: dict[str, list[str]]) -> None:
    """Where a part or marker is: locations are in the axes of the default coordinate system."""
    if statement.keyword not in ("PART", "MARKER"):
        return
    relative = given.pop("relative_to", [view.coordinates])[0]
    base = view.parts[view.part_key(command, relative)]
    if statement.keyword == "PART":
        if "location" in given or "orientation" in given or key not in view.parts:
            pose = base @ _pose(view, command, given)
            view.parts[key] = pose
            if base.p.any() or not np.array_equal(base.R, np.eye(3)):
                given["location"], given["orientation"] = _texts(pose)
        return
    owner = view.part_key(command, key.rpartition(".")[0])
    statement.arguments["PART"] = [str(view.things["PART"][owner].number)]
    own = view.parts[owner]
    if own is not base and ("location" in given or "orientation" in given):
        seen = Pose(own.R.T @ (base.p - own.p), own.R.T @ base.R) @ _pose(view, command, given)
        given["location"], given["orientation"] = _texts(seen)


def _pose(view: View, command: Command, given: dict[str, list[str]]) -> Pose:
    point = [number_of(word) for word in given.get("location", ["0"] * 3)]
    words = [_angle(view, word) for word in given.get("orientation", ["0"] * 3)]
    angles = [number_of(word.rstrip("D")) for word in words]
    if len(point) != 3 or len(angles) != 3 or None in point or None in angles:
        raise command.error("location and orientation are three finite numbers each.",
                            "Write location = 0.0, 0.0, 0.0.")
    turns = [(a or 0.0) * (np.pi / 180 if word.endswith("D") else 1.0) for a, word in zip(angles, words, strict=True)]
    return Pose(np.array(point, dtype=float), np.array(Rotation.euler("ZXZ", *turns).matrix))


def _texts(pose: Pose) -> tuple[list[str], list[str]]:
    """A place and its turns about z, x, z."""
    R = pose.R
    if np.hypot(R[0, 2], R[1, 2]) > 1e-12:
        a, c = np.arctan2(R[0, 2], -R[1, 2]), np.arctan2(R[2, 0], R[2, 1])
    else:
        a, c = np.arctan2(-R[0, 1], R[0, 0]), 0.0
    b = np.arctan2(np.hypot(R[0, 2], R[1, 2]), R[2, 2])
    return [repr(float(x)) for x in pose.p], [f"{float(x)!r}r" for x in (a, b, c)]


# commands that make no statement


def _defaults_units(view: View, command: Command) -> None:
    for name, values in command.parameters.items():
        word = values[0].lower()
        if name in UNITS and word in UNITS[name]:
            view.units[name.upper()] = UNITS[name][word]
        elif name == "angle" and word in ("deg", "degree", "degrees", "rad", "radian", "radians"):
            view.degrees = word.startswith("deg")
        elif (name, word) not in (("coordinate_system_type", "cartesian"), ("orientation_type", "body313")):
            raise command.error(f"{name} = {short(word)} is not read.",
                                "Write cartesian, body313, deg or rad, and units such as meter, kg, newton, sec.")


def _add_units(view: View, command: Command) -> None:
    if view.units:
        statement = Statement("UNITS", command.file, command.line, [""])
        statement.arguments.update({name: [word] for name, word in view.units.items()})
        view.things["UNITS"] = {"": statement}


def _defaults_coordinates(view: View, command: Command) -> None:
    view.coordinates = view.part_key(command, _only(command, "default_coordinate_system"))


def _defaults_model(view: View, command: Command) -> None:
    if "part_name" in command.parameters:
        view.default_part = view.part_key(command, _only(command, "part_name"))


def _model(view: View, command: Command) -> None:
    view.title = _only(command, "model_name").lstrip(".")


def _only(command: Command, name: str) -> str:
    if name not in command.parameters:
        raise command.error(f"{name} is missing.", f"Write {name} = and a name.")
    return command.parameters[name][0]


def _instance(view: View, command: Command) -> None:
    key = view.key(_only(command, "instance_name"))
    if command.words[1] == "create":
        view.instances[key] = (command, {})


def _variable(view: View, command: Command) -> None:
    """A value of an instance; a variable of its own is not used here."""
    owner, _, name = view.key(_only(command, "variable_name")).rpartition(".")
    values = [value for kind, value in command.parameters.items() if kind.endswith("_value")]
    if owner in view.instances and len(values) == 1:
        view.instances[owner][1][name] = values[0]
    else:
        view.idle.setdefault(command.title, []).append(command)


def _script(view: View, command: Command) -> None:
    """The end and the step of the first run of a simulation script."""
    text = " ".join(command.parameters.get("commands", []))
    found = {name: number_of(m[1]) for name in ("end_time", "step_size", "number_of_steps")
             if (m := re.search(rf"\b{name}\s*=\s*([-+.\dEe]+)", text))}
    end, step, count = (found.get(name) for name in ("end_time", "step_size", "number_of_steps"))
    if end is None or end <= 0:
        view.idle.setdefault(command.title, []).append(command)
        return
    outputs = int(count) if count else round(end / step) if step and step > 0 else None
    view.settings = RunSettings(until=end, outputs=outputs if outputs and 0 < outputs <= 1_000_000 else None)
    if re.search(r"initial_static\s*=\s*yes", text):
        view.report.leave_out(command.place, f"{command.title}: the run is to begin at rest (initial_static).")


def _integrator(view: View, command: Command) -> None:
    given = {name: ", ".join(values) for name, values in command.parameters.items() if name != "model_name"}
    text = ", ".join(f"{name}={value}" for name, value in given.items())
    view.things["INTEGRATOR"] = {"": Statement("INTEGRATOR", command.file, command.line, [text])}


OTHERS = {("defaults", "units"): _defaults_units, ("defaults", "coordinate_system"): _defaults_coordinates,
          ("defaults", "model"): _defaults_model, ("model", "create"): _model, ("ude", "create", "instance"): _instance,
          ("variable", "create"): _variable, ("simulation", "script", "create"): _script,
          ("executive_control", "set", "numerical_integration_parameters"): _integrator}
