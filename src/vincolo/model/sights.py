"""What a law's text sees of the mechanism: names as those of results, such as cart.x, cart.vx, arm.wz, hinge.angle,
hinge.angle.rate, become measures and their rates."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from vincolo.errors import ExpressionError, ModelError, suggest
from vincolo.model.body import Frame
from vincolo.model.expression import FIXED, FUNCTIONS
from vincolo.model.expression_text import WORDS, Source
from vincolo.model.measure import RATE, Measure, along_world, cosine, formula

if TYPE_CHECKING:
    from vincolo.model.named_parts import Parts

XYZ = "xyz"
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_REACTION = re.compile(r"(force|torque)(\.[xyz])?|(axial|radial|twist|bending)2?")
_OF_FORCES = re.compile(r"a[xyz]|alpha_[xyz]|acceleration|force|power|reaction(\.\w+)*")


class Sight(NamedTuple):
    """What a name stands for: a measure or its rate, and the name of its value without dots."""

    measure: Measure
    rate: bool
    plain: str


class Sights(NamedTuple):
    """A text whose names have no dots any more, and the measures that it names."""

    text: str
    others: dict[str, Measure]
    reads: dict[str, str]  # inputs, variables and states


def sights(model: Parts, text: str, own: Measure | None, given: Collection[str]) -> Sights:
    """The text of a law along `own`, with the names of the mechanism as those of measures: cart.x is cart_x, cart.vx is
    cart_x_rate, its own measure d; and with those of inputs, variables and states. Names that are `given` are left
    alone."""
    fixed = {"t", *FIXED, *FUNCTIONS, *WORDS, *given, *(f"{name}{RATE}" for name in given)}
    fixed |= set() if own is None else {"d", "dd"}
    found = {match.group(): match for match in _WORD.finditer(text) if match.group() not in fixed}
    carried = [name for name in found if name in model.auxiliaries]
    seen = {name: _sight(model, text, match, given) for name, match in found.items()
            if name not in carried and ("." in name or name in model.measures)}
    taken, others, written = fixed | found.keys(), dict[str, Measure](), dict[str, str]()
    keys: dict[str, str] = {}  # of each plain name the one that is free
    for name, sight in seen.items():
        if own is not None and _same(sight.measure, own):
            written[name] = "dd" if sight.rate else "d"
            continue
        if sight.plain not in keys:
            keys[sight.plain] = key = _free(sight.plain, taken - seen.keys())
            others[key], taken = sight.measure, taken | {key, f"{key}{RATE}"}
        written[name] = f"{keys[sight.plain]}{RATE}" if sight.rate else keys[sight.plain]
    reads: dict[str, str] = {}
    for name in carried:
        written[name] = key = name if "." not in name else _free(name, taken - {name})
        reads[key], taken = name, taken | {key}
    return Sights(_WORD.sub(lambda match: written.get(match.group(), match.group()), text), others, reads)


def force_sights(model: Parts, text: str) -> tuple[str, dict[str, str]]:
    """A text whose names of forces that follow from the motion have no dots any more, and what they stand for:
    O.reaction.force, O.reaction.torque.x, strut.force, motor.force."""
    found = {match.group() for match in _WORD.finditer(text)}
    forces = {name for name in found if _is_force(model, name)}
    taken, written = found - forces, dict[str, str]()
    for name in sorted(forces):
        written[name] = key = _free(name, taken)
        taken = taken | {key}
    plain = _WORD.sub(lambda match: written.get(match.group(), match.group()), text)
    return plain, {key: name for name, key in written.items()}


def words_of(text: str) -> list[str]:
    """All names in a text."""
    return _WORD.findall(text)


def renamed(text: str, name_of: Callable[[str], str]) -> str:
    """A text whose names of parts and numbers of the run are those of a copy; functions and t stay."""
    fixed = {"t", *FIXED, *FUNCTIONS, *WORDS}
    return _WORD.sub(lambda match: match.group() if match.group() in fixed else name_of(match.group()), text)


def of_forces(model: Parts, text: str) -> bool:
    """Whether a text is the name of a channel that follows from forces, such as arm.ax or O.reaction.force.x."""
    name = text.strip()
    if not _WORD.fullmatch(name):
        return False
    owners = {"energy", "residual"}.union(*model.groups().values())
    words = name.split(".")
    splits = ((".".join(words[:k]), ".".join(words[k:])) for k in range(1, len(words)))
    return any(owner in owners and (_OF_FORCES.fullmatch(last) is not None or owner in ("energy", "residual"))
               for owner, last in splits)


def _is_force(model: Parts, name: str) -> bool:
    owner, _, last = name.rpartition(".")
    if last == "force" and any(owner in group for group in (
            model.springs, model.laws, model.holds, model.rotors, model.stops)):
        return True
    owner, _, last = name.partition(".reaction.")
    return owner in model.joints and _REACTION.fullmatch(last) is not None


def _same(one: Measure, other: Measure) -> bool:
    return one.tape is None and other.tape is None and one.terms == other.terms


def _free(plain: str, taken: Collection[str]) -> str:
    """A name like the one wanted that nothing has."""
    name = re.sub(r"_+", "_", plain.replace(".", "_"))
    count = 1
    while {name, f"{name}{RATE}"} & set(taken):
        count += 1
        name = f"{name.rstrip('0123456789')}{count}"
    return name


def _sight(model: Parts, text: str, match: re.Match[str], given: Collection[str]) -> Sight:
    name = match.group()
    found = _measured(model, name) or _moved(model, name)
    if found is None:
        raise _unknown(model, text, match, given)
    if found.measure.is_velocity and not found.rate:
        raise ExpressionError(f"{name!r} is a velocity, which has a rate but no value.\n  Write {name}.rate.")
    return found


def _measured(model: Parts, name: str) -> Sight | None:
    """Of a measure, a coordinate, or what a spring, law or rotor acts along: the value, or with .rate the rate."""
    for base, rate in ((name, False), (name.removesuffix(".rate"), True)):
        if rate and base == name:
            break
        if (measure := _value(model, base, rate)) is not None:
            return Sight(measure, rate, base)
    return None


def _value(model: Parts, name: str, rate: bool) -> Measure | None:
    if name in model.measures:
        return model.measures[name]
    owner, _, last = name.rpartition(".")
    if owner in model.joints and last in model.joints[owner]:
        return model.joints[owner][last]
    owner, last = (name, "") if rate else (owner, last)  # their rate has the name of the part itself
    if owner in model.springs and last in ("", "length"):
        return model.springs[owner].measure
    if owner in model.laws and last in ("", "value"):
        return model.laws[owner].measure
    if owner in model.rotors and last in ("", "value"):
        return model.rotors[owner].measure * model.rotors[owner].ratio
    return None


def _moved(model: Parts, name: str) -> Sight | None:
    """Of a body or a named frame: a position x, a velocity vx, an angular velocity wx, in world axes."""
    owner, _, last = name.rpartition(".")
    kind, axis = last[:-1], last[-1:]
    if kind not in ("", "v", "w") or axis not in XYZ or not axis:
        return None
    frame = model.frames.get(owner)
    if frame is None and owner in model.bodies:
        frame = model.bodies[owner].frame(local=(0, 0, 0))
    if frame is None or frame.body.is_ground:
        return None
    if kind == "w":
        return Sight(spin(model.ground.frame((0, 0, 0)), frame, axis), True, f"{owner}.turn_{axis}")
    direction = [float(axis == x) for x in XYZ]
    return Sight(along_world(direction, model.ground.frame((0, 0, 0)), frame), kind == "v", f"{owner}.{axis}")


def spin(a: Frame, b: Frame, axis: str) -> Measure:
    """Angular velocity [rad/s] of b about an axis of a, seen from a: with the axes u of b in those of a,
    w = sum of u x u' / 2."""
    j, k = XYZ[(XYZ.index(axis) + 1) % 3], XYZ[(XYZ.index(axis) + 2) % 3]
    cosines = {f"{i}{u}": cosine(i, u, a, b) for i in (j, k) for u in XYZ}
    return formula("+".join(f"0.5*({j}{u}*{k}{u}{RATE}-{k}{u}*{j}{u}{RATE})" for u in XYZ), **cosines)


def known(model: Parts) -> list[str]:
    """All names of the mechanism that a text may use."""
    values = [f"{joint.name}.{coordinate}" for joint in model.joints.values() for coordinate in joint]
    found = [name for value in (*values, *model.measures) for name in (value, f"{value}.rate")]
    found += model.auxiliaries
    moved = [f"{kind}{axis}" for kind in ("", "v", "w") for axis in XYZ]
    found += [f"{name}.{word}" for name in (*model.bodies, *model.frames) for word in moved]
    for names, last in ((model.springs, "length"), (model.laws, "value"), (model.rotors, "value")):
        found += [f"{name}.{word}" for name in names for word in (last, "rate")]
    return found


def _unknown(model: Parts, text: str, match: re.Match[str], given: Collection[str]) -> ModelError:
    name = match.group()
    source = Source(text, ("t", *FIXED, *given, "d", "dd"), tuple(FUNCTIONS))
    owners = {"ground"}.union(*model.groups().values())
    for k in range(1, name.count(".") + 1):
        words = name.split(".")
        owner, last = ".".join(words[:k]), ".".join(words[k:])
        if owner in owners and _OF_FORCES.fullmatch(last):
            return source.error(f"'{name}' follows from the forces: a force that reads it would define itself.",
                                *match.span(), "Use values and rates of the motion, such as body.x, body.vx, "
                                               "joint.angle, joint.angle.rate;\n  or, for a reaction in a law, "
                                               "reactions='solved'.")
    near = suggest(name, known(model))
    return source.error(f"there is nothing called '{name}' in the mechanism, as far as it is built.", *match.span(),
                        f"Names are those of results: body.x, body.vx, body.wx, joint.angle, joint.angle.rate.{near}")
