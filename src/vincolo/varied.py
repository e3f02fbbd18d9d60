"""A model with parts a little elsewhere: places and directions of joints on their bodies, play in joints, numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model import Model
from vincolo.model.body import Frame
from vincolo.model.expression import parse
from vincolo.model.forces import Law, Load
from vincolo.model.functions import Constant
from vincolo.model.geometry import Array, matrix_of
from vincolo.model.joint import Joint
from vincolo.model.measure import Measure
from vincolo.renumbered import CARRIED, renumbered
from vincolo.system import System

AXES = {"x": 0, "y": 1, "z": 2}
TURNS = {"rx": 0, "ry": 1, "rz": 2}
PLAY = {"x": 0, "y": 1, "tilt x": 2, "tilt y": 3}
NUMBERS = {"body": ("mass",), "spring": ("k", "c", "length", "preload"), "rotor": ("inertia", "ratio")}
CLEAR = ("revolute", "cylindrical", "spherical", "universal")  # joints that may have play


@dataclass(frozen=True, eq=False)
class Feature:
    """What a name means in a model: a frame that is moved or turned on its body, or has play; or a number of a part."""

    frame: Frame | None = None
    how: str = ""  # shift, turn, play
    k: int = 0
    group: str = ""
    part: str = ""
    key: str = ""


def feature_of(model: Model, name: str) -> Feature:
    """What "A@crank.x", "A@crank.ry", "A.play x", "frame.z", "rod.length", "crank.mass", "motor.y", "push.gain" or
    "gravity.z" is."""
    owner, dot, key = name.rpartition(".")
    joint, at, body = owner.partition("@")
    if at and joint in model.joints and dot:
        return _on_body(model, name, joint, body, key)
    if key.startswith("play ") and owner in model.joints:
        return _play(model.joints[owner], key.removeprefix("play "), None)
    if owner in model.frames and (key in AXES or key in TURNS):
        return _placed(model.frames[owner], key)
    if owner in model.joints:
        return _joint_number(model.joints[owner], key, name)
    for group, keys in NUMBERS.items():
        if owner in model.groups()[group] and key in keys:
            return Feature(group=group, part=owner, key=key)
    found = _force_number(model, owner, key) or _beside(model, name, owner, key)
    if found is None:
        raise ModelError(_unknown(model, name))
    return found


def _force_number(model: Model, owner: str, key: str) -> Feature | None:
    """A constant component of a load, or a constant of the formula of a law."""
    load, law = model.loads.get(owner), model.laws.get(owner)
    if load is not None and key in AXES and isinstance(load.components[AXES[key]], Constant):
        return Feature(group="load", part=owner, key=key)
    if law is not None and law.formula is not None and key in dict(law.constants):
        return Feature(group="law", part=owner, key=key)
    return None


def _beside(model: Model, name: str, owner: str, key: str) -> Feature | None:
    """Gravity, or the value at the start of what a run carries beside the motion."""
    if owner == "gravity" and key in AXES:
        return Feature(group="gravity", key=key)
    group = next((group for group in CARRIED if name in model.groups()[group]), None)
    return None if group is None else Feature(group=group, part=name, key="start")


def value_of(model: Model, feature: Feature) -> float:
    """What a feature is in a model: of a place on a body its coordinate there; of directions and play zero."""
    if feature.frame is not None:
        return float(feature.frame.point[feature.k]) if feature.how == "shift" else 0.0
    if feature.group == "gravity":
        return float(model.gravity[AXES[feature.key]])
    part = model.groups()[feature.group][feature.part]
    if isinstance(part, Joint):
        return float(part.value_of(min(part.definition.drawn)) if feature.key == "length"
                     else part.parameters[feature.key])
    if isinstance(part, Load):
        return float(part.components[AXES[feature.key]](0.0))
    return float(dict(part.constants)[feature.key] if isinstance(part, Law) else getattr(part, feature.key))


#: SI units of numbers of parts
UNITS: dict[tuple[str, str], tuple[str, ...]] = {
    ("body", "mass"): ("kg",), ("spring", "k"): ("N/m", "N m/rad"), ("spring", "c"): ("N s/m", "N m s/rad"),
    ("spring", "length"): ("m", "rad"), ("spring", "preload"): ("N", "N m"), ("rotor", "inertia"): ("kg m^2", "kg"),
    ("rotor", "ratio"): ("1",), ("joint", "length"): ("m",)}


def units_of(feature: Feature) -> tuple[str, ...]:
    """SI units of what a feature may measure; none where that is not known."""
    if feature.frame is not None:
        return ("m",) if feature.how == "shift" or (feature.how == "play" and feature.k < 2) else ("rad",)
    if feature.group in ("gravity", "load"):
        return ("m/s^2",) if feature.group == "gravity" else ("N", "N m")
    return UNITS.get((feature.group, feature.key), ())


def _unknown(model: Model, name: str) -> str:
    sides = [f"{j.name}@{f.body.name}.x" for j in model.joints.values() for f in (j.a, j.b)]
    numbers = [f"{part}.{key}" for group, keys in NUMBERS.items() for part in model.groups()[group] for key in keys]
    known = [*sides, *numbers, *(f"{f}.x" for f in model.frames), *(f"{j}.length" for j in model.joints)]
    return (f"there is nothing called {name!r} that could vary.{suggest(name, known)}\n"
            "  Name the place of a joint on a body (A@crank.x, y, z), its direction (A@crank.rx, ry, rz), a named "
            "frame (P.x), a length (rod.length), a mass (crank.mass), a number of a spring (spring.k), a constant "
            "component of a load (motor.y), a constant of a law (push.gain), a variable, or gravity.z; or a "
            "parameter.")


def _on_body(model: Model, name: str, joint: str, body: str, key: str) -> Feature:
    own = model.joints[joint]
    for frame in (own.a, own.b):
        if frame.body.name == body:
            if key.startswith("play "):
                return _play(own, key.removeprefix("play "), frame)
            if key in AXES or key in TURNS:
                return _placed(frame, key)
            raise ModelError(f"{name!r}: {key!r} is not x, y or z [m], nor rx, ry or rz [rad].")
    raise ModelError(f"{name!r}: joint {joint!r} is between {own.a.body.name!r} and {own.b.body.name!r}, "
                     f"not on {body!r}.")


def _placed(frame: Frame, key: str) -> Feature:
    return Feature(frame, "shift", AXES[key]) if key in AXES else Feature(frame, "turn", TURNS[key])


def _play(joint: Joint, key: str, frame: Frame | None) -> Feature:
    if joint.kind not in CLEAR:
        raise ModelError(f"clearance: {joint.name!r} is a {joint.kind} joint, which has no play here; it is in "
                         f"{', '.join(CLEAR)} joints.")
    if key not in PLAY:
        raise ModelError(f"clearance of {joint.name!r}: there is no play {key!r}; it is one of: {', '.join(PLAY)}.")
    return Feature(joint.a if frame is None else frame, "play", PLAY[key])


def _joint_number(joint: Joint, key: str, name: str) -> Feature:
    if key == "length" and joint.definition.drawn:
        return Feature(group="joint", part=joint.name, key="length")
    if isinstance(joint.parameters.get(key), float):
        return Feature(group="joint", part=joint.name, key=key)
    known = [*(["length"] if joint.definition.drawn else []),
             *(k for k, v in joint.parameters.items() if isinstance(v, float))]
    raise ModelError(f"{name!r}: the {joint.kind} joint {joint.name!r} has no number {key!r}."
                     f"{suggest(key, known)}\n  It has: {', '.join(known) or 'none'}; its places on bodies are "
                     f"{joint.name}@{joint.a.body.name}.x and so on.")


def varied(model: Model, features: Sequence[tuple[Feature, float]]) -> Model:
    """The model with features off by so much [m, rad, or their own units]; as drawn otherwise."""
    return _with_frames(_with_numbers(model, features), moved_frames(features))


def varied_system(system: System, features: Sequence[tuple[Feature, float]]) -> System:
    """The system of the model with features off by so much, from the system of the model as drawn; without compiling
    where the structure stays what it is."""
    frames, changed = moved_frames(features), _with_numbers(system.model, features)
    made = _with_frames(changed, frames)
    if system.flywheels or system.contacts or _restructured(system.model, made, frames, features):
        return System(made)
    return renumbered(system, made, frames, [(f.group, f.part) for f, _ in features if f.group])


def _restructured(before: Model, after: Model, frames: Mapping[int, Frame],
                  features: Sequence[tuple[Feature, float]]) -> bool:
    """Whether numbers of joints or rotors change, or places of loads, or a formula by a constant that another has; or
    whether the model has parts that numbers enter in more places than one: what touches, rubs, stops or switches."""
    if before.contacts or before.frictions or before.stops or before.ranges or before.events or before.switches:
        return True
    if frames and any(id(load.frame) in frames for load in before.loads.values()):
        return True
    return any(f.group in ("joint", "rotor") or (f.group == "law" and _ops(before, f) != _ops(after, f))
               for f, _ in features)


def _ops(model: Model, feature: Feature) -> Any:
    formula = model.laws[feature.part].formula
    return None if formula is None else formula.ops


def moved_frames(features: Sequence[tuple[Feature, float]]) -> dict[int, Frame]:
    """Frames that features move, by the id of those that they replace."""
    moves: dict[int, Array] = {}
    frames: dict[int, Frame] = {}
    for feature, value in features:
        if feature.frame is not None:
            own = moves.setdefault(id(feature.frame), np.zeros(10))
            frames[id(feature.frame)] = feature.frame
            own[{"shift": 0, "turn": 3, "play": 6}[feature.how] + feature.k] += value
    return {key: _moved(frame, moves[key]) for key, frame in frames.items()}


def _with_numbers(model: Model, features: Sequence[tuple[Feature, float]]) -> Model:
    copy = model.copy()
    for feature, value in features:
        if feature.frame is not None:
            continue
        if feature.group == "gravity":
            copy.gravity[AXES[feature.key]] += value
        else:
            group = copy.groups()[feature.group]
            group[feature.part] = _renumbered(group[feature.part], feature.key, value)
    return copy


def _renumbered(part: Any, key: str, value: float) -> Any:
    if isinstance(part, Joint):
        if key == "length":
            row = min(part.definition.drawn)
            return replace(part, length=part.value_of(row) + value)
        return replace(part, parameters={**part.parameters, key: part.parameters[key] + value})
    if isinstance(part, Load):
        x, y, z = (Constant(f(0.0) + value) if k == AXES[key] else f for k, f in enumerate(part.components))
        return replace(part, components=(x, y, z))
    if isinstance(part, Law):
        assert part.formula is not None  # which is where its constants are
        constants = {**dict(part.constants), key: dict(part.constants)[key] + value}
        return replace(part, constants=tuple(constants.items()),
                       formula=parse(part.formula.text, part.formula.inputs, constants))
    found = getattr(part, key) + value
    if key == "mass" and found < 0:
        raise ModelError(f"body {part.name!r}: the mass is {found:g} kg; it must not be negative.")
    if key == "inertia" and not found > 0:
        raise ModelError(f"rotor {part.name!r}: the inertia is {found:g}; it must be positive.")
    return replace(part, **{key: found})


def _moved(frame: Frame, by: Array) -> Frame:
    """A frame shifted and turned in the axes of its body, and then from pin to hole, in its own."""
    point, axes = frame.point + by[:3], frame.axes
    if by[3:6].any():
        axes = _rotation(by[3:6]) @ axes
    if by[6:].any():
        point, axes = point - axes[:, :2] @ by[6:8], axes @ _rotation(np.array([-by[8], -by[9], 0.0]))
    return replace(frame, point=point, axes=axes)


def _rotation(turn: Array) -> Array:
    angle = float(np.linalg.norm(turn))
    if angle == 0.0:
        return np.eye(3)
    return matrix_of(np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) / angle * turn]))


def _with_frames(model: Model, changed: dict[int, Frame]) -> Model:
    """The model on other frames, also in everything that is measured between them; lengths stay as they were drawn."""
    if not changed:
        return model
    for group in model.groups().values():
        for name, part in group.items():
            new = _on_frames(part, changed)
            if new is not part:
                group[name] = new
    return model


def _on_frames(part: Any, changed: dict[int, Frame]) -> Any:
    """A part on other frames; the same object where it stands on none of them."""
    if isinstance(part, Frame):
        return changed.get(id(part), part)
    if isinstance(part, Joint):
        a, b = changed.get(id(part.a), part.a), changed.get(id(part.b), part.b)
        if a is part.a and b is part.b:
            return part
        drawn = part.definition.drawn
        length = part.value_of(min(drawn)) if drawn and part.length is None else part.length
        return replace(part, a=a, b=b, length=length)
    if isinstance(part, Measure):
        if not any(id(f) in changed for _, _, *ends in part.terms for f in ends):
            return part
        return replace(part, terms=tuple((c, e, changed.get(id(a), a), changed.get(id(b), b))
                                         for c, e, a, b in part.terms))
    if isinstance(part, tuple):
        new = tuple(_on_frames(item, changed) for item in part)
        return new if any(n is not o for n, o in zip(new, part, strict=True)) else part
    if is_dataclass(part) and type(part).__name__ in PARTS:
        found = {f.name: getattr(part, f.name) for f in fields(part)}
        new_fields = {key: new for key, value in found.items() if (new := _on_frames(value, changed)) is not value}
        return replace(part, **new_fields) if new_fields else part  # type: ignore[type-var]
    return part


#: parts, and what is in them, that stand on measures and frames
PARTS = ("Held", "Spring", "Law", "Rotor", "Load", "Auxiliary", "Formula")
