"""Elements that Adams View makes of several statements: spring-dampers and general motions."""

from __future__ import annotations

from collections.abc import Callable

from vincolo.formats.adams.commands import Command
from vincolo.formats.adams.text import Statement
from vincolo.formats.adams.view_things import View, marker_point, with_numbers
from vincolo.formats.sources import number_of, short

Values = dict[str, list[str]]
LEVELS = {"1": "DISPLACEMENT", "2": "VELOCITY", "3": "ACCELERATION"}


def add_instances(view: View) -> None:
    """Makes statements of all instances; one that is not known is listed as left out."""
    for name, (command, values) in view.instances.items():
        definition = " ".join(command.parameters.get("definition_name", ["?"]))
        add = DEFINITIONS.get(definition.lower())
        problem = f"{definition} is not known" if add is None else add(view, command, name, dict(values))
        if problem:
            view.report.leave_out(command.place, f"{command.title} {short(name)} is not translated: {problem}.")


def _statement(view: View, command: Command, keyword: str, name: str, arguments: Values) -> Statement:
    known = view.things.setdefault(keyword, {})
    taken = {thing.number for thing in known.values()}
    number = next(n for n in range(1, len(taken) + 2) if n not in taken)
    known[name] = Statement(keyword, command.file, command.line, [""], name, number, arguments)
    return known[name]


def _pair(view: View, command: Command, values: Values) -> Values | None:
    """The two markers of an instance."""
    ends = [values.pop(f"{letter}_marker", [""])[0] for letter in "ij"]
    if not all(ends):
        return None
    return {letter: [str(view.find(command, "MARKER", end).number)] for letter, end in zip("IJ", ends, strict=True)}


def _spring(view: View, command: Command, name: str, values: Values) -> str:
    """F = -k (d - free length) - c d_dot + preload between two markers."""
    ends = _pair(view, command, values)
    if ends is None:
        return "its markers are missing"
    for mode in ("stiffness_mode", "damping_mode"):
        word = values.pop(mode, ["linear"])[0].lower()
        if word not in ("linear", "none"):
            return f"its {mode} is {word}"
        if word == "none":
            values.pop(mode.replace("mode", "coefficient"), None)
    numbers = {}
    for argument, key in (("K", "stiffness_coefficient"), ("C", "damping_coefficient"), ("FORCE", "preload"),
                          ("LENGTH", "free_length")):
        numbers[argument] = values.pop(key, ["0"])
    if values.pop("free_length_mode", ["constant_value"])[0].lower() == "design_length":
        numbers["LENGTH"] = [repr(_drawn(view, ends))]
    _statement(view, command, "SPRINGDAMPER", name, {**ends, "TRANSLATIONAL": [], **numbers})
    if values:
        view.report.not_used(command.place, f"{short(name)}: {', '.join(values)} not read.")
    return ""


def _drawn(view: View, ends: Values) -> float:
    """The distance of two markers as drawn, in the units of the file."""
    a, b = (marker_point(view, int(ends[letter][0])) for letter in "IJ")
    return float(sum((x - y)**2 for x, y in zip(a, b, strict=True))**0.5)


def _motion(view: View, command: Command, name: str, values: Values) -> str:
    """Up to six motions of marker I against J, along the axes of J and about its own."""
    ends = _pair(view, command, values)
    if ends is None:
        return "its markers are missing"
    constraint = values.pop("constraint", [""])[0]
    moved = {f"{kind}{k}": values.pop(f"{kind}{k}_type", ["0"])[0] for kind in "tr" for k in "123"}
    driven = {freedom: level for freedom, level in moved.items() if number_of(level) != 0}
    for freedom, level in driven.items():
        if level not in LEVELS:
            return f"{freedom}_type is {level}"
        arguments = _target(view, command, ends, freedom, constraint)
        arguments["FUNCTION"] = [with_numbers(view, command, " ".join(values.pop(f"{freedom}_func", [""])))]
        arguments[LEVELS[level]] = []
        for argument, suffix in (("ICDISP", "disp"), ("ICVEL", "velo")):
            given = values.pop(f"{freedom}_ic_{suffix}", ["0"])
            if level != "1" and number_of(given[0]) != 0:
                arguments[argument] = given
        _statement(view, command, "MOTION", name if len(driven) == 1 else f"{name}.{freedom}", arguments)
    others = ", ".join(values)
    if not driven:
        view.report.not_used(command.place, f"{short(name)}: all its freedoms are free.")
    elif others:
        view.report.not_used(command.place, f"{short(name)}: {others}: its other freedoms are free.")
    return ""


def _target(view: View, command: Command, ends: Values, freedom: str, constraint: str) -> Values:
    """What a motion moves: along an axis, or, about z, the angle of the joint that it belongs to."""
    if freedom[0] == "t":
        return {**ends, "XYZ"[int(freedom[1]) - 1]: []}
    if freedom == "r3" and constraint:
        joint = view.find(command, "JOINT", constraint)
        if {"REVOLUTE", "CYLINDRICAL"} & set(joint.arguments):
            return {"JOINT": [str(joint.number)], "ROTATIONAL": []}
    return {**ends, f"B{freedom[1]}": []}


DEFINITIONS: dict[str, Callable[[View, Command, str, Values], str]] = {
    ".mdi.forces.spring": _spring, ".mdi.constraints.general_motion": _motion}
