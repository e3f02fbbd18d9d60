"""Motors of an MJCF file: each is an actuator on its joint and an input of the model by its name, zero at first."""

from __future__ import annotations

from vincolo.formats.mjcf.reader import Reader
from vincolo.formats.sources import Names
from vincolo.formats.xml_tree import Element, take_all
from vincolo.model import Joint, Model

Coordinates = dict[str, tuple[Joint, str]]


def add_motors(model: Model, reader: Reader, coordinates: Coordinates, names: Names) -> None:
    """Adds all motors on hinges and slides: force or torque = gear x control, within the limits they are given."""
    for element in (element for section in reader.top.all("actuator") for element in section.children):
        if element.tag == "motor":
            with reader.mistakes.kept(element.place):
                _add(model, reader, reader.with_defaults(element, "main"), coordinates, names)


def _add(model: Model, reader: Reader, motor: Element, coordinates: Coordinates, names: Names) -> None:
    target = motor.get("joint")
    if target not in coordinates:
        take_all(motor)
        reader.report.not_used(motor.place, f"{motor.title}: a motor on a tendon, a site or a joint without a single "
                                            "coordinate; it does nothing where its control is zero.")
        return
    joint, coordinate = coordinates[target]
    gear = motor.numbers("gear", len((motor.get("gear") or "1").split()), (1.0,))[0]
    name = names.free(motor.get("name") or f"{target}_motor", "input", motor.place)
    control = model.input(name, unit="")
    text = _within(motor, "ctrl", "u", reader)
    text = _within(motor, "force", f"({text})", reader)
    acting = names.free(f"{name}_torque" if "angle" in coordinate else f"{name}_force", "actuator", motor.place)
    model.actuator(acting, joint[coordinate], f"gear*{text}", u=control, gear=float(gear))
    reader.report.understood.append(f"motor {name!r}: an input, which actuator {acting!r} follows on {joint.name!r}")


def _within(motor: Element, what: str, text: str, reader: Reader) -> str:
    """A text within the range of a control or force, where that is limited."""
    given, limited = motor.get(f"{what}range"), motor.get(f"{what}limited", "auto")
    if given is None or limited == "false" or (limited == "auto" and not reader.limits_by_range):
        return text
    low, high = motor.numbers(f"{what}range", 2)
    return f"min(max({text}, {low!r}), {high!r})"
