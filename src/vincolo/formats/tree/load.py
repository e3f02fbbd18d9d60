"""A model from the data of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import ModelError, suggest
from vincolo.formats.tree.events import EventKeys
from vincolo.formats.tree.keys import checked
from vincolo.formats.tree.link_shapes import Links, linked, links_of, points_of
from vincolo.formats.tree.save import FORMAT
from vincolo.formats.tree.schema import (
    BodyKeys,
    ContactKeys,
    File,
    FrictionKeys,
    HeldKeys,
    LawKeys,
    LoadKeys,
    LooksKeys,
    RangeKeys,
    RotorKeys,
    SavedJoint,
    SpringKeys,
    StopKeys,
    SubmodelKeys,
    SwitchKeys,
    TouchingKeys,
)
from vincolo.formats.tree.settings import settings_of
from vincolo.formats.tree.source import Source, Where
from vincolo.formats.tree.suspensions import SuspensionParts
from vincolo.model.body import make_body
from vincolo.model.checked_looks import make_look
from vincolo.model.forces import Law
from vincolo.model.functions import Function, Spline
from vincolo.model.joint import LEVELS, Held
from vincolo.model.looks import Look, colour_of
from vincolo.model.mass import MassProperties
from vincolo.model.model import Model
from vincolo.vehicle.files import Garage

#: reads another file, with parameters, for a sub-model
Other = Callable[[Path, dict[str, Any]], Model]


def model_of(source: Source, parameters: dict[str, float], folder: Path,
             other: Other) -> tuple[Model, RunSettings, Garage]:
    """The model that a file describes, how it asks to be run, and the suspensions in it."""
    top = checked(File, source.data, source, ())
    if top.vincolo != FORMAT:
        raise source.error(("vincolo",), f"this is format {top.vincolo}; this program reads format {FORMAT}.\n"
                                         "  Update vincolo, or save the model again with this version.")
    loader = _Loader(source, parameters, folder, other, top)
    settings = RunSettings()
    with loader.mistakes.at(("run",)):
        settings = settings_of(top.run or {}, source)
    model = loader.load()
    if settings.position and loader.garage.cars:
        raise source.error(("run", "position"), "cars begin where their tyres carry them, so that position: would have "
                                                "no effect.\n  Take it out.")
    for name, _ in settings.position:
        if name not in model.bodies:
            raise source.error(("run", "position", name), f"there is no body {name!r} to begin elsewhere."
                                                          f"{suggest(name, model.bodies)}")
    return model, settings, loader.garage


class _Loader(SuspensionParts):
    """Goes through the sections in the order in which parts need each other."""

    def __init__(self, source: Source, parameters: dict[str, float], folder: Path, other: Other, top: File) -> None:
        super().__init__(source, parameters, folder, Model(top.name, top.gravity))
        self._other, self._top, self.garage = other, top, Garage()
        self._links: Links = dict.fromkeys(links_of(top))

    def load(self) -> Model:
        """The model."""
        if self._links:  # they are placed by the joints, which a first reading finds
            first = _Loader(self.source, self.functions.parameters, self.folder, self._other, self._top)
            with self.mistakes.at(("joints",)):
                self._links = points_of(first._placed(), self._links, self._top, self.source)
        self._placed()
        self._acting()
        self.mistakes.refuse(self.source.file)
        self._gather()
        return self.model

    def _placed(self) -> Model:
        """Bodies, sub-models, frames and joints."""
        submodels: dict[str, SubmodelKeys] = {}
        for name, data in (self._top.submodels or {}).items():
            with self.mistakes.at(("submodels", name), name):
                submodels[name] = checked(SubmodelKeys, data, self.source, ("submodels", name))
        self._saved = {name: keys for name, keys in submodels.items() if keys.use is None}
        self._each("bodies", self._body)
        self._each("suspensions", self.suspension)
        self._each("tyres", self.tyre)
        self._each("vehicles", self.vehicle)
        self.build_suspensions()
        self._each("load_cases", self.load_case)
        self._each("limits", self.limit)
        for name, keys in submodels.items():
            with self.mistakes.at(("submodels", name), name):
                self._use(name, keys, ("submodels", name))
        self._each("looks", self._look)
        self._each("frames", self._named_frame)
        self._each("joints", self._joint)
        return self.model

    def _acting(self) -> None:
        """Measures, drives, forces, events, and what else needs the joints."""
        self._each("measures", self._measure)
        self._each("inputs", self._input)
        self._each("variables", self._variable)
        self._each("states", self._state)
        self._each("drives", self._drive)
        self._each("holds", self._hold)
        self._each("springs", self._spring)
        self._each("laws", self._law)
        self._each("actuators", self._actuator)
        self._each("rotors", self._rotor)
        self._each("loads", self._load)
        self._each("stops", self._stop)
        self._each("frictions", self._friction)
        self._each("contacts", self._contact)
        self._each("states", self._rate)  # which may name each other
        self._each("variables", self._sensor)  # forces among them
        self._each("controllers", self._controller)
        self._each("events", self._event)
        self._each("ranges", self._range)
        self._each("outputs", self._output)
        for k, data in enumerate(self._top.switches or []):
            with self.mistakes.at(("switches", k)):
                self._switch(data, ("switches", k))

    def _each(self, section: str, make: Callable[[str, Any, Where], None]) -> None:
        for name, data in (getattr(self._top, section) or {}).items():
            with self.mistakes.at((section, name), name):
                make(name, data, (section, name))

    # bodies, sub-models, frames, joints

    def _body(self, name: str, data: Any, where: Where) -> None:
        keys = checked(BodyKeys, data, self.source, where)
        if (keys.mass is None) == (keys.shape is None):
            raise self.source.error(where, "give either mass (with inertia and com) or shape.")
        orientation = self.rotation(keys.orientation, (*where, "orientation"))
        shape, at = linked(keys, self._links[name], orientation) if name in self._links else (keys.shape, keys.at)
        mass: Any = keys.mass if shape is None else self.shape(shape, (*where, "shape"))

        def make(title: str) -> Any:
            self.model._claim(title, "body")
            body = make_body(title, mass, keys.inertia, at, None, keys.com, keys.velocity,
                             keys.angular_velocity, keys.inertia_checked)
            self.model.bodies[title] = replace(body, orientation=orientation)
            return self.model.bodies[title]

        colour_of("this", keys.colour)
        self._put("body", name, make)
        if isinstance(mass, MassProperties) and mass.looks:
            self.model.looks[name] = mass.looks
        if keys.colour is not None:
            self.model.colours[name] = keys.colour
        if keys.outline:
            self.model.outline(name, keys.outline)

    def _look(self, name: str, data: Any, where: Where) -> None:
        keys = checked(LooksKeys, data, self.source, where)
        self.body(name, where)
        colour_of("this", keys.colour)
        found = [self._shape(shape, (*where, "shapes", k)) for k, shape in enumerate(keys.shapes)]
        if found:
            self.model.looks[name] = (*self.model.looks.get(name, ()), *found)
        if keys.colour is not None:
            if name in self.model.colours:
                raise self.source.error((*where, "colour"), f"the body {name!r} has a colour already.\n"
                                                            "  Remove one of the two.")
            self.model.colours[name] = keys.colour

    def _shape(self, data: dict[str, Any], where: Where) -> Look:
        numbers = {key: value for key, value in data.items() if key not in ("kind", "at", "orientation", "colour")}
        if data.get("kind") == "mesh" and isinstance(numbers.get("path"), str):
            numbers["path"] = str(self.folder / numbers["path"])
        turned = self.look_axes(data.get("orientation"), (*where, "orientation"))
        try:
            made = make_look("shape", data.get("kind", ""), numbers, data.get("at", (0.0, 0.0, 0.0)), None,
                             data.get("colour"))
        except ModelError as error:
            raise self.source.error(where, str(error)) from None
        return replace(made, orientation=turned)

    def _use(self, name: str, keys: SubmodelKeys, where: Where) -> None:
        if keys.use is None:
            for key in ("at", "orientation", "mirror", "parameters"):
                if key in keys.model_fields_set:
                    raise self.source.error((*where, key), f"{key} has no effect without use, which names a file.")
            self.body(keys.on, (*where, "on"))
            return
        if keys.parts is not None:
            raise self.source.error((*where, "parts"), "with use: the parts are those of the other file.")
        path = Path(keys.use)
        try:
            sub = self._other(path if path.is_absolute() else self.folder / path, keys.parameters)
        except OSError as error:
            raise self.source.error((*where, "use"), str(error)[:500]) from None
        self.model.add(name, sub, keys.at, orientation=self.rotation(keys.orientation, (*where, "orientation")),
                       mirror=keys.mirror, on=self.body(keys.on, (*where, "on")))

    def _named_frame(self, name: str, data: Any, where: Where) -> None:
        frame, unnamed = self.new_frame(data, where, name)
        if unnamed:
            self.unnamed[name] = frame
            return

        def make(title: str) -> Any:
            self.model._claim(title, "frame")
            self.model.frames[title] = frame
            return frame

        self._put("frame", name, make)

    def _joint(self, name: str, data: Any, where: Where) -> None:
        if isinstance(data, dict) and "between" in data and "kind" in data:
            keys = checked(SavedJoint, data, self.source, where)
            self._put("joint", name, lambda title: self.model._add_joint(self.saved_joint(title, keys, where)))
        else:
            self.drawn_joint(name, data, where)

    # measures, drives, forces

    def _measure(self, name: str, data: Any, where: Where) -> None:
        measure = self.measure(data, where)
        if isinstance(data, dict) and data.get("name", name) != name:
            raise self.source.error((*where, "name"), f"the measure is called {name!r} already.\n  Leave name out.")
        self._put("measure", name, lambda title: self.model.measure(title, measure))

    def _drive(self, name: str, data: Any, where: Where, hold: bool = False) -> None:
        keys = checked(HeldKeys, data, self.source, where)
        if hold and keys.hold is False:
            raise self.source.error((*where, "hold"), "what is under holds: is held.\n  Write it under drives:.")
        if keys.level not in LEVELS:
            raise self.source.error((*where, "level"), f"{keys.level!r} is not one of: {', '.join(LEVELS)}.")
        measure = self.measure(keys.measure, (*where, "measure"))
        function = self._followed(name, keys.function, (*where, "function"))

        def make(title: str) -> Held:
            return self.model._hold(title, measure, function, not (hold or bool(keys.hold)), keys.level)

        self._put("drive", name, make)

    def _hold(self, name: str, data: Any, where: Where) -> None:
        self._drive(name, data, where, hold=True)

    def _spring(self, name: str, data: Any, where: Where) -> None:
        keys = checked(SpringKeys, data, self.source, where)
        if (keys.measure is None) == (keys.between is None):
            raise self.source.error(where, "give either measure or between, with two frames.")
        ends: tuple[Any, ...]
        if keys.between is None:
            ends = (self.measure(keys.measure, (*where, "measure")),)
        else:
            ends = tuple(self.frame(f, (*where, "between", k)) for k, f in enumerate(keys.between))
        self._put("spring", name, lambda title: self.model.spring(
            title, *ends, k=keys.k, c=keys.c, length=keys.length, preload=keys.preload))

    def _law(self, name: str, data: Any, where: Where, drives: bool = False) -> None:
        keys = checked(LawKeys, data, self.source, where)
        if (keys.force is None) == (keys.tape is None):
            raise self.source.error(where, "the key 'force' is missing: a number, a text over d, dd and t, or a "
                                           "function.")
        measure = self.measure(keys.measure, (*where, "measure"))
        if drives and keys.drives is False:
            raise self.source.error((*where, "drives"), "what is under actuators: drives.\n  Write a force that "
                                                        "resists under laws:.")
        sign = 1.0 if drives or keys.drives else -1.0
        self._put("law", name, lambda title: self._made_law(title, keys, where, measure, sign))

    def _made_law(self, name: str, keys: LawKeys, where: Where, measure: Any, sign: float) -> Law:
        if keys.tape is not None:
            read = self._tape_over(f"law {name!r}", keys, ("d", "dd"), where)
            self.model._claim(name, "law")
            self.model.laws[name] = Law(name, measure, read.tape, None, None, sign, read.others, read.reads)
            return self.model.laws[name]
        force: Any = keys.force
        if isinstance(force, dict):
            force = self.functions.function(force, (*where, "force"))
            self._check_force(force, sign, (*where, "force"))
        named = self._named(f"law {name!r}", force, keys, where)
        return self.model._law(name, measure, force, sign, named, keys.reactions)

    def _check_force(self, force: Function, sign: float, where: Where) -> None:
        if sign < 0 and not isinstance(force, Spline):
            raise self.source.error(where, f"a law by a function is a Spline over d, not {type(force).__name__}.\n"
                                           "  A force by a function of time belongs under actuators:.")

    def _actuator(self, name: str, data: Any, where: Where) -> None:
        self._law(name, data, where, drives=True)

    def _rotor(self, name: str, data: Any, where: Where) -> None:
        keys = checked(RotorKeys, data, self.source, where)
        measure = self.measure(keys.measure, (*where, "measure"))
        self._put("rotor", name, lambda title: self.model.rotor(measure, keys.inertia, keys.ratio, title))

    def _range(self, name: str, data: Any, where: Where) -> None:
        keys = checked(RangeKeys, data, self.source, where)
        measure = self.measure(keys.measure, (*where, "measure"))
        self._put("range", name, lambda title: self.model.range(title, measure, at_least=keys.at_least,
                                                                at_most=keys.at_most))

    def _stop(self, name: str, data: Any, where: Where) -> None:
        keys = checked(StopKeys, data, self.source, where)
        measure = self._bounded(keys.measure, (*where, "measure"))
        self._put("stop", name, lambda title: self.model.stop(
            title, measure, at_least=keys.at_least, at_most=keys.at_most, restitution=keys.restitution,
            rest=keys.rest, force=keys.force, back=keys.back))

    def _friction(self, name: str, data: Any, where: Where) -> None:
        keys = checked(FrictionKeys, data, self.source, where)
        if (keys.on is None) == (keys.measure is None):
            raise self.source.error(where, "give either on, the name of a joint or stop, or measure, with normal.")
        along = keys.along
        if keys.on in self.model.stops and along is not None:
            along = self._bounded(along, (*where, "along"))
        on: Any = keys.on if keys.measure is None else self._bounded(keys.measure, (*where, "measure"))
        numbers = keys.model_dump(exclude={"on", "measure", "along"})
        self._put("friction", name, lambda title: self.model.friction(title, on, numbers.pop("mu"), along=along,
                                                                      **numbers))

    def _bounded(self, data: Any, where: Where) -> Any:
        """A measure, or the name of a place of a body such as ball.z."""
        if isinstance(data, str) and data not in self.model.measures and data.rpartition(".")[0] in {
                *self.model.bodies, *self.model.frames}:
            return self.model._along(self.source.place(where), data)
        return self.measure(data, where)

    def _contact(self, name: str, data: Any, where: Where) -> None:
        keys = checked(ContactKeys, data, self.source, where)
        numbers = {key: value for key, value in keys.model_dump().items() if key not in ("a", "b")}
        sides = [None if side is None else self._touching(side, (*where, key))
                 for key, side in (("a", keys.a), ("b", keys.b))]
        self._put("contact", name, lambda title: self.model.contact(title, *sides, **numbers))

    def _touching(self, data: Any, where: Where) -> Any:
        """Names, with their shapes where they have some."""
        if isinstance(data, list):
            return [self._touching(part, (*where, k)) for k, part in enumerate(data)]
        if isinstance(data, str):
            return data
        keys = checked(TouchingKeys, data, self.source, where)
        return keys.on, keys.shape

    def _load(self, name: str, data: Any, where: Where) -> None:
        keys = checked(LoadKeys, data, self.source, where)
        if keys.kind not in ("force", "torque"):
            raise self.source.error((*where, "kind"), f"{keys.kind!r} is neither force nor torque.")
        place = self.place(keys.where, (*where, "where"))
        constants: dict[str, float] = {}
        components = [self._component(name, part, constants, (*where, "components", k))
                      for k, part in enumerate(keys.components)]
        if "." in name and any(isinstance(part, str) for part in components):
            raise self.source.error(where, "in a saved sub-model a load does not read the mechanism.\n  Write its "
                                           "components as actuators.")
        self._put("load", name, lambda title: self.model._load(
            title, place, components, keys.axes, torque=keys.kind == "torque", constants=constants))

    def _component(self, name: str, part: Any, constants: dict[str, float], where: Where) -> Any:
        """A function of time; or a text over the mechanism, with the parameters that it names."""
        if not isinstance(part, str) or not self.model._sees(f"load {name!r}", part, self.functions.parameters):
            return self.functions.function(part, where)
        constants |= self.functions.used(part)
        return part

    def _switch(self, data: Any, where: Where) -> None:
        keys = checked(SwitchKeys, data, self.source, where)
        self.model.switch(keys.of, keys.on, keys.at, keys.rows)

    def _event(self, name: str, data: Any, where: Where) -> None:
        keys = checked(EventKeys, data, self.source, where)
        self._put("event", name, lambda title: self.model.event(title, **keys.model_dump()))
