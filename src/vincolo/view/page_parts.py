"""The parts of a model as a page lists them: what they are, where they are, and which series are theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vincolo.model import Model
from vincolo.model.body import Frame
from vincolo.model.forces import Law, Load, Spring
from vincolo.model.measure import Measure
from vincolo.results.result import Result
from vincolo.results.sharing import shared_reactions

Part = dict[str, Any]
WHOLE = "whole mechanism"


def parts_of(result: Result, bodies: dict[str, int], put: Callable[[Any], Any], series: bool = True) -> list[Part]:
    """Bodies, joints, springs, drives, loads, contacts and frames, and last the mechanism as a whole; with names of
    series, or without."""
    model = result.model
    if model is None:
        return []
    parts = [*_bodies(model, bodies), *_joints(model, result, bodies, series), *_springs(model, bodies),
             *_drives(model, bodies), *_loads(model, result, bodies, put)]
    parts += [{"name": name, "kind": "contact", "type": "contact", "about": c.words,
               "at": [bodies["ground"], 0.0, 0.0, 0.0]} for name, c in model.contacts.items()]
    parts += [{"name": name, "kind": "frame", "type": "frame", "about": f"on {f.body.name}", "at": _at(f, bodies)}
              for name, f in model.frames.items()]
    parts.append({"name": WHOLE, "kind": "whole", "type": "model", "about": f"{len(model.bodies)} bodies, "
                  f"{len(model.joints)} joints", "at": None})
    _give_series(parts, result.keys()[1:] if series else [])
    return parts


def _at(frame: Frame, bodies: dict[str, int]) -> list[float]:
    """The number of the body and the point on it."""
    return [bodies[frame.body.name], *(float(c) for c in frame.point)]


def _bodies(model: Model, bodies: dict[str, int]) -> list[Part]:
    return [{"name": name, "kind": "body", "type": "body", "about": f"{b.mass:.6g} kg",
             "at": [bodies[name], 0.0, 0.0, 0.0], "centre": [bodies[name], *(float(c) for c in b.com)]}
            for name, b in model.bodies.items()]


def _joints(model: Model, result: Result, bodies: dict[str, int], series: bool) -> list[Part]:
    shared = shared_reactions(result) if series and np.isfinite(result.y).all() else {}
    return [{"name": name, "kind": "joint", "type": joint.kind.replace("_", " "),
             "about": f"{joint.a.body.name} \u2013 {joint.b.body.name}", "at": _at(joint.b, bodies),
             "shared": name in shared} for name, joint in model.joints.items()]


def _springs(model: Model, bodies: dict[str, int]) -> list[Part]:
    found = []
    elements: list[tuple[str, Spring | Law]] = [*model.springs.items(), *model.laws.items()]
    for name, element in elements:
        ends = _ends(element.measure)
        word = _word(element) if isinstance(element, Spring) else "force law"
        found.append({"name": name, "kind": "spring", "type": word,
                      "about": f"{ends[0].body.name} \u2013 {ends[1].body.name}" if ends else "",
                      "at": _at(ends[1], bodies) if ends else None,
                      "ends": [_at(f, bodies) for f in ends] if ends and _is_distance(element.measure) else None,
                      "pull": 1.0 if isinstance(element, Spring) else -element.sign})
    return found


def _word(spring: Spring) -> str:
    return "spring and damper" if spring.k and spring.c else "damper" if spring.c else "spring"


def _ends(measure: Measure) -> tuple[Frame, Frame] | None:
    return (measure.terms[0][2], measure.terms[0][3]) if measure.terms else None


def _is_distance(measure: Measure) -> bool:
    """Whether a force along it is a force between two points."""
    return measure.tape is None and len(measure.terms) == 1 and measure.terms[0][1].kind == "distance" and (
        measure.terms[0][0] == 1)


def _drives(model: Model, bodies: dict[str, int]) -> list[Part]:
    found = []
    for name, held in model.holds.items():
        ends = _ends(held.measure)
        found.append({"name": name, "kind": "drive", "type": "drive" if held.drive else "hold",
                      "about": held.measure.name or "", "at": _at(ends[0], bodies) if ends else None})
    found += [{"name": name, "kind": "drive", "type": "rotor", "about": rotor.measure.name or "", "at": None}
              for name, rotor in model.rotors.items()]  # it has no place of its own
    return found


def _loads(model: Model, result: Result, bodies: dict[str, int], put: Callable[[Any], Any]) -> list[Part]:
    vectors = load_vectors(result, put)
    return [{"name": name, "kind": "load", "type": "torque" if load.torque else "force",
             "about": f"on {load.frame.body.name}", "at": _at(load.frame, bodies), "turning": load.torque,
             "turns": load.in_body_axes, "vector": vectors[name]} for name, load in model.loads.items()]


def load_vectors(result: Result, put: Callable[[Any], Any]) -> dict[str, list[Any]]:
    """The three components of every load at the samples."""
    loads = {} if result.model is None else result.model.loads
    return {name: [put(column) for column in _components(load, result)] for name, load in loads.items()}


def _components(load: Load, result: Result) -> list[list[float]]:
    """The three functions of time at the samples."""
    return [[float(f(float(t))) for t in result.t] for f in load.components]


def _give_series(parts: list[Part], names: list[str]) -> None:
    """Puts every series to the part with the longest name that its own begins with; the rest to the whole."""
    by_name = {part["name"]: part for part in parts[:-1]}
    for part in parts:
        part["series"] = []
    for name in names:
        cuts = [k for k, sign in enumerate(name) if sign == "."]
        owner = next((name[:k] for k in reversed(cuts) if name[:k] in by_name), None)
        chosen = parts[-1] if owner is None else by_name[owner]
        chosen["series"].append(name)
