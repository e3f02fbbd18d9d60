"""Bodies, shapes, rotations, frames, joints and measures from the data of a file."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.equations.joints import CATALOGUE
from vincolo.equations.measures import EQUATIONS
from vincolo.equations.measures import Measure as Equation
from vincolo.errors import ModelError, suggest
from vincolo.formats.mistakes import TreeMistakes
from vincolo.formats.tree.functions import Functions, check_calls
from vincolo.formats.tree.keys import checked
from vincolo.formats.tree.schema import (
    FormulaKeys,
    FrameKeys,
    SavedJoint,
    SideKeys,
    SumKeys,
    TapeKeys,
    TermKeys,
)
from vincolo.formats.tree.source import PlacedError, Source, Where, shown
from vincolo.model import shapes
from vincolo.model.body import Body, Frame
from vincolo.model.functions import Function
from vincolo.model.geometry import Array, direction, rotation_of
from vincolo.model.joint import Joint
from vincolo.model.mass import MassProperties
from vincolo.model.measure import Measure, Term, formula
from vincolo.model.measure import measure as measure_between
from vincolo.model.measure_units import check_declared
from vincolo.model.model import Model
from vincolo.model.rotations import Rotation

EXACT = 1e-12  # a matrix that is a rotation within this is taken as it stands
KINDS = [*CATALOGUE, "belt"]  # methods of Model that make joints
CURVES = {"cam": ("profile",), "flat_cam": ("profile",), "point_on_curve": ("y", "z")}  # arguments that are functions
SAVED_CURVES = ("profile", "support", "path")  # the same as parameters of equations
SHAPES = ("point_mass", "box", "ellipsoid", "sphere", "cylinder", "tube", "frustum", "cone", "rod", "plate",
          "extrusion", "polyhedron", "mesh", "link")
ROTATIONS = {"euler": "{euler: ZXZ, angles: [a, b, c]}", "axis": "{axis: z, angle: 1.57}", "z": "{z: x, x: y}"}
AXIS_COUNTS = {"world": 3, "along": 1, "cosine": 2, "angle": 1, "distance": 0, "azimuth": 0, "skid": 1, "roll": 3}


class Parts:
    """What stands in a file, as parts of the model that is being read."""

    def __init__(self, source: Source, parameters: dict[str, float], folder: Path, model: Model) -> None:
        self.source, self.folder, self.model = source, folder, model
        self.functions = Functions(source, parameters)
        self.mistakes = TreeMistakes(source)
        self.unnamed: dict[str, Frame] = {}  # frames that several parts share, without a name in the model

    # bodies

    def body(self, name: Any, where: Where) -> Body:
        """A body by its name."""
        if name == "ground":
            return self.model.ground
        if not isinstance(name, str) or name not in self.model.bodies:
            self.mistakes.follows(name, where)
            self._require_bodies(name, where)
            raise self.source.error(where, f"there is no body called {shown(name)}.\n  Bodies in this file: "
                                           f"{', '.join(self.model.bodies)}.{suggest(str(name), self.model.bodies)}")
        return self.model.bodies[name]

    def _require_bodies(self, name: Any, where: Where) -> None:
        listed = self.source.data.get("bodies") if isinstance(self.source.data, dict) else None
        if not self.model.bodies and not listed:
            raise self.source.error(where, f"there are no bodies in this file; {shown(name)} is asked for here.\n"
                                           "  Give it bodies (sheet Bodies, section bodies).")

    def shape(self, data: Any, where: Where) -> MassProperties:
        """One shape, or several added up; holes are taken out."""
        if isinstance(data, dict):
            if data.get("hole"):
                raise self.source.error((*where, "hole"), "this is the only shape; a hole is taken out of others.\n"
                                                          "  Write a list of shapes, the hole last.")
            return self._one_shape(data, where)[0]
        total: MassProperties | None = None
        for k, part in enumerate(data):
            found, hole = self._one_shape(part, (*where, k))
            if total is None and hole:
                raise self.source.error((*where, k), "the first shape is a hole; begin with what it is taken from.")
            total = found if total is None else total - found if hole else total + found
        if total is None:
            raise self.source.error(where, "there are no shapes in the list.")
        return total

    def _one_shape(self, data: Any, where: Where) -> tuple[MassProperties, bool]:
        kind = data.get("kind") if isinstance(data, dict) else None
        if kind not in SHAPES:
            raise self.source.error(where, f"{shown(kind)} is not a kind of shape.{suggest(str(kind), SHAPES)}\n"
                                           f"  Shapes: {', '.join(SHAPES)}; such as {{kind: box, size: [1, 2, 3], "
                                           "mass: 5}.")
        placing = ("kind", "at", "orientation", "hole")
        given = {key: value for key, value in data.items() if key not in placing}
        method = getattr(shapes, kind)
        self._check_arguments(kind, method, given, placing[1:], where)
        if kind == "mesh":
            given["path"] = self.folder / str(given["path"])
        if not isinstance(data.get("hole", False), bool):
            raise self.source.error((*where, "hole"), "hole is true or false.")
        made: MassProperties = method(**given)
        if "at" in data or "orientation" in data:
            turned = self.rotation(data.get("orientation"), (*where, "orientation"))
            made = made.moved(data.get("at", (0.0, 0.0, 0.0)), turned)
        return made, data.get("hole", False)

    def _check_arguments(self, kind: str, method: Any, given: dict[str, Any], more: tuple[str, ...],
                         where: Where) -> None:
        """Refuses keys that a method does not know, and names those that it misses."""
        known = {n: p for n, p in inspect.signature(method).parameters.items() if n not in ("self", "name")}
        listed = ", ".join([*known, *more])
        for key in given:
            if key not in known:
                raise self.source.error((*where, key), f"{kind} has no {key!r}.{suggest(key, [*known, *more])}\n"
                                                       f"  It has: {listed}.")
        for key, parameter in known.items():
            if parameter.default is parameter.empty and key not in given:
                raise self.source.error(where, f"{kind}: {key!r} is missing.\n  It has: {listed}.")

    def rotation(self, data: Any, where: Where) -> Array:
        """A rotation matrix from nothing, a matrix, a quaternion, or a map such as {axis: z, angle: 1.57}."""
        if isinstance(data, dict):
            return np.asarray(self._turned(data, where).matrix)
        matrix = exact_rotation(data)
        try:
            return rotation_of("the orientation", data) if matrix is None else matrix
        except ModelError as error:
            raise self.source.error(where, str(error)) from None

    def look_axes(self, data: Any, where: Where) -> Array:
        """The same for a look, whose matrix may be a reflection: that of a mirrored sub-model."""
        mirrored = exact_rotation([[-v for v in row] for row in data]) if _is_matrix(data) else None
        return self.rotation(data, where) if mirrored is None else -mirrored

    def _turned(self, data: dict[str, Any], where: Where) -> Rotation:
        given = {key: value for key, value in data.items() if key != "degrees"}
        degrees = data.get("degrees", False)
        try:
            if set(given) == {"euler", "angles"} and isinstance(given["angles"], list) and len(given["angles"]) == 3:
                return Rotation.euler(given["euler"], *given["angles"], degrees=degrees)
            if set(given) == {"axis", "angle"}:
                return Rotation.axis_angle(given["axis"], given["angle"], degrees=degrees)
            if given and set(given) <= {"z", "x"}:
                return Rotation.axes(**given)
        except ModelError as error:
            raise self.source.error(where, str(error)) from None
        raise self.source.error(where, f"{shown(data)} is not a rotation.\n  Write a matrix, a quaternion, "
                                       f"{', '.join(ROTATIONS.values())}; with degrees: true angles in degrees.")

    # frames

    def place(self, data: Any, where: Where) -> Body | Frame:
        """A body by its name, or a frame."""
        if isinstance(data, str) and (data == "ground" or data in self.model.bodies):
            return self.body(data, where)
        return self.frame(data, where, "body or frame")

    def frame(self, data: Any, where: Where, what: str = "frame") -> Frame:
        """A frame by its name, as the side of a joint, or new."""
        if isinstance(data, str):
            known = {**self.model.frames, **self.unnamed}
            if data not in known:
                self.mistakes.follows(data, where)
                if what != "frame":
                    self._require_bodies(data, where)
                names = [*known, *(["ground", *self.model.bodies] if what != "frame" else [])]
                raise self.source.error(where, f"there is no {what} called {data!r}.\n  Known: "
                                               f"{', '.join(names) or 'none'}.{suggest(data, names)}")
            return known[data]
        if isinstance(data, dict) and "joint" in data:
            keys = checked(SideKeys, data, self.source, where)
            joint = self.model.joints.get(keys.joint)
            if joint is None or keys.side not in ("a", "b"):
                self.mistakes.follows(keys.joint, where)
                raise self.source.error(where, f"there is no frame {keys.side!r} of a joint {keys.joint!r}; sides are "
                                               f"a and b.{suggest(keys.joint, self.model.joints)}")
            return joint.a if keys.side == "a" else joint.b
        return self.new_frame(data, where, None)[0]

    def new_frame(self, data: Any, where: Where, name: str | None) -> tuple[Frame, bool]:
        """A frame, and whether it has no name in the model."""
        keys = checked(FrameKeys, data, self.source, where)
        body = self.body(keys.on, (*where, "on"))
        title = keys.name if "name" in data else None if keys.unnamed else name
        try:
            frame = self._on_body(body, keys, title)
            if keys.moves is not None:
                frame = self._moving(frame, keys.moves, (*where, "moves"))
        except PlacedError:
            raise
        except ModelError as error:
            raise self.source.error(where, str(error)) from None
        return frame, keys.unnamed

    @staticmethod
    def _on_body(body: Body, keys: FrameKeys, name: str | None) -> Frame:
        if keys.axes is None:
            return body.frame(keys.at, local=keys.local, z=keys.z, x=keys.x, name=name)
        if keys.z is not None or keys.x is not None or keys.at is not None or keys.local is None:
            raise ModelError("axes is a matrix in the axes of the body: give it with local, without at, z and x.")
        exact = exact_rotation(keys.axes)
        axes = rotation_of("axes", keys.axes) if exact is None else exact
        return Frame(body, np.array(keys.local, dtype=float), axes, name)

    def _moving(self, frame: Frame, data: dict[str, Any], where: Where) -> Frame:
        functions: dict[str, Any] = {}
        for key, value in data.items():
            if key not in ("x", "y", "z", "angle", "axis"):
                raise self.source.error((*where, key), f"a frame does not move by {key!r}; it has x, y, z [m], angle "
                                                       "[rad] and axis.")
            functions[key] = value if key == "axis" else self.functions.function(value, (*where, key))
        return frame.moving(**functions)

    # joints

    def _kind(self, data: Any, where: Where) -> str:
        kind = data.get("kind") if isinstance(data, dict) else None
        if isinstance(data, dict) and kind is None:
            meant = next((key for key, value in data.items() if isinstance(value, str) and value in KINDS), None)
            raise self.source.error((*where, meant) if meant else where, (
                f"what kind of joint it is, is given as 'kind', not as {meant!r}.\n  Write kind: {data[meant]}."
                if meant else f"a joint has a kind.\n  Joints: {', '.join(KINDS)}."))
        if not isinstance(kind, str) or kind not in KINDS:
            near = suggest(str(kind), KINDS)
            raise self.source.error((*where, "kind"), f"{shown(kind)} is not a kind of joint.{near}\n"
                                                      f"  Joints: {', '.join(KINDS)}.")
        return kind

    def drawn_joint(self, name: str, data: Any, where: Where) -> None:
        """A joint as the methods of Model take it: bodies a and b, and points and axes in the world."""
        kind = self._kind(data, where)
        method = getattr(self.model, kind)
        given = {key: value for key, value in data.items() if key != "kind"}
        self._check_arguments(kind, method, given, (), where)
        for side in ("a", "b"):
            given[side] = self.place(given[side], (*where, side))
        for key in CURVES.get(kind, ()):
            if key in given:
                given[key] = self.functions.function(given[key], (*where, key))
        method(name, **given)

    def saved_joint(self, name: str, keys: SavedJoint, where: Where) -> Joint:
        """A joint by its frames and the parameters of its equations."""
        if self._kind({"kind": keys.kind}, where) not in CATALOGUE:
            raise self.source.error((*where, "kind"), f"{keys.kind} between frames is written as gear.")
        held = CATALOGUE[keys.kind].held
        wanted = list(inspect.signature(held).parameters) if callable(held) else []
        if set(keys.parameters) != set(wanted):
            raise self.source.error(where, f"parameters of {keys.kind} between frames: {', '.join(wanted) or 'none'}; "
                                           f"given are: {', '.join(keys.parameters) or 'none'}.")
        a, b = (self.frame(f, (*where, "between", k)) for k, f in enumerate(keys.between))
        if a.body is b.body:
            raise self.source.error((*where, "between"), f"both frames are on the same body {a.body.name!r}.")
        parameters = {k: self._parameter(k, v, (*where, "parameters", k)) for k, v in keys.parameters.items()}
        return Joint(name, keys.kind, a, b, keys.length, keys.mirrored, parameters)

    def _parameter(self, key: str, value: Any, where: Where) -> Any:
        if key == "path":
            path = self.functions.functions(value, where)
            if len(path) != 2:
                raise self.source.error(where, "a path is two functions, y and z over x.")
            return path
        if key in SAVED_CURVES:
            return self.functions.function(value, where)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.source.error(where, f"{shown(value)} is not a number.")
        return float(value)

    # measures

    def measure(self, data: Any, where: Where) -> Measure:
        """A measure by name, between two frames, as a sum or as a formula."""
        if isinstance(data, str):
            try:
                return self.model._measure("this", data)
            except ModelError as error:
                self.mistakes.follows(data, where)
                raise self.source.error(where, str(error).removeprefix("this: ")) from None
        if not isinstance(data, dict):
            raise self.source.error(where, f"{shown(data)} is not a measure.\n  Write a name such as O.angle, or a map "
                                           "such as {kind: distance, between: [a, b]}.")
        if "formula" in data:
            found, title = self._formula(checked(FormulaKeys, data, self.source, where), where)
        elif "tape" in data:
            found, title = self._tape(checked(TapeKeys, data, self.source, where), where)
        elif "sum" in data:
            keys = checked(SumKeys, data, self.source, where)
            found = Measure(tuple(self._unnamed_term(t, (*where, "sum", k)) for k, t in enumerate(keys.sum)))
            title = keys.name
        else:
            term, title = self._term(data, where)
            found = Measure((term,))
        found = self._with_unit(found, data, where)
        return found if title is None else found.named(title)

    def _with_unit(self, measure: Measure, data: dict[str, Any], where: Where) -> Measure:
        """The measure with the unit that is declared for it."""
        unit = data.get("unit", "")
        if not unit:
            return measure
        try:
            check_declared("this", measure, unit)
        except ModelError as error:
            raise self.source.error((*where, "unit"), str(error).removeprefix("this: ")) from None
        return replace(measure, unit=unit)

    def _unnamed_term(self, data: Any, where: Where) -> Term:
        """A measure within another, which has no name of its own."""
        term, name = self._term(data, where)
        if isinstance(data, dict) and "unit" in data:
            raise self.source.error((*where, "unit"), "a measure within another has no unit of its own.\n"
                                                      "  Leave it out: values in formulas are in SI.")
        if name is not None:
            raise self.source.error((*where, "name"), "a measure within another has no name.\n  Leave it out, or write "
                                                      "the measure under measures: and name it here.")
        return term

    def _term(self, data: Any, where: Where) -> tuple[Term, str | None]:
        keys = checked(TermKeys, {"of": data} if isinstance(data, str) else data, self.source, where)
        if keys.of is not None:
            if keys.kind is not None or keys.between is not None:
                raise self.source.error(where, "give either of, with a name, or kind and between; not both.")
            for key in ("axes", "swapped", "sign"):
                if key in keys.model_fields_set:
                    raise self.source.error((*where, key), f"{key} belongs to a kind of measure, not to {keys.of!r}.\n"
                                                           "  Leave it out; the factor may be negative.")
            found = self.measure(keys.of, (*where, "of"))
            if found.tape is not None or len(found.terms) != 1:
                raise self.source.error(where, f"{keys.of!r} is a sum or formula itself; name its measures one by one.")
            factor, e, a, b = found.terms[0]
            return (keys.factor * factor, e, a, b), keys.name
        if keys.kind is None or keys.between is None:
            raise self.source.error(where, "a measure needs kind and between, with two frames; or of, with a name.")
        a, b = (self.frame(f, (*where, "between", k)) for k, f in enumerate(keys.between))
        e = self._equation(keys, where)
        measure_between(e, a, b)  # refuses frames on one body
        return (keys.factor, e, a, b), keys.name

    def _equation(self, keys: TermKeys, where: Where) -> Equation:
        kind, axes = keys.kind or "", keys.axes
        if kind not in EQUATIONS:
            raise self.source.error((*where, "kind"), f"{kind!r} is not a kind of measure.{suggest(kind, EQUATIONS)}\n"
                                                      f"  Measures: {', '.join(EQUATIONS)}.")
        if kind == "world" and len(axes) == 1:
            axes = direction("axes", axes[0]).tolist()
        axes = ["x"] if kind == "angle" and not axes else axes
        numbers = {"world": (0, 1, 2), "roll": (1, 2)}.get(kind, ())
        right = [isinstance(v, int | float) if k in numbers else v in ("x", "y", "z") for k, v in enumerate(axes)]
        if len(axes) != AXIS_COUNTS[kind] or not all(right):
            raise self.source.error(where, f"axes is {shown(axes)}; {kind} has {AXIS_COUNTS[kind]}: x, y or z"
                                           f"{' or numbers' if numbers else ''}.")
        if keys.sign not in (1.0, -1.0):
            raise self.source.error((*where, "sign"), f"sign is {keys.sign:g}; it is 1 or -1.")
        return Equation(kind, tuple(float(v) if k in numbers else v for k, v in enumerate(axes)), keys.swapped,
                        keys.sign)

    def _formula(self, keys: FormulaKeys, where: Where) -> tuple[Measure, str | None]:
        values: dict[str, Any] = {n: Measure((self._unnamed_term(t, (*where, "of", n)),)) for n, t in keys.of.items()}
        called: dict[str, Function] = {n: self.functions.function(f, (*where, "functions", n))
                                       for n, f in keys.functions.items()}
        constants = self.functions.used(keys.formula, (*values, *called, *keys.constants))
        return formula(keys.formula, **values, **called, **constants, **keys.constants), keys.name

    def _tape(self, keys: TapeKeys, where: Where) -> tuple[Measure, str | None]:
        terms = tuple(self._unnamed_term(t, (*where, "terms", k)) for k, t in enumerate(keys.terms))
        parts = self.functions.functions(keys.functions, (*where, "functions"))
        tape = self.functions.tape(keys.tape, (*where, "tape"))
        check_calls(tape, parts, len(terms) * (2 if keys.rates else 1))
        return Measure(terms, None, tape, parts, keys.rates), keys.name


def exact_rotation(data: Any) -> Array | None:
    """A 3x3 matrix that is a rotation to rounding, as it stands, so that saved numbers keep all their bits."""
    if data is None:
        return np.eye(3)
    if not _is_matrix(data):
        return None
    matrix = np.array(data, dtype=float)
    if np.abs(matrix).max() > 2.0:  # no rotation, and its squares may overflow
        return None
    close = np.abs(matrix @ matrix.T - np.eye(3)).max() < EXACT and np.linalg.det(matrix) > 0
    return matrix if close else None


def _is_matrix(data: Any) -> bool:
    return (isinstance(data, list) and len(data) == 3 and all(isinstance(row, list) and len(row) == 3 for row in data)
            and all(type(v) in (int, float) for row in data for v in row))
