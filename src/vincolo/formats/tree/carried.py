"""Inputs, variables, states and outputs from the data of a file, and texts that see the mechanism and the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError, suggest
from vincolo.formats.tree.controllers import add_controller
from vincolo.formats.tree.functions import check_calls
from vincolo.formats.tree.keys import checked
from vincolo.formats.tree.mechanism import Parts
from vincolo.formats.tree.schema import (
    ControllerKeys,
    InputKeys,
    LawKeys,
    OutputKeys,
    SignalKeys,
    StateKeys,
    SubmodelKeys,
    VariableKeys,
)
from vincolo.formats.tree.source import Source, Where, shown
from vincolo.model.auxiliary import Auxiliary, Formula
from vincolo.model.control import Output
from vincolo.model.forces import Law
from vincolo.model.functions import Function
from vincolo.model.functions.signal import Signal
from vincolo.model.measure import Measure
from vincolo.model.model import Model
from vincolo.model.sights import words_of
from vincolo.model.submodel import Placed

#: keys of texts that see the mechanism and the run
Seeing = LawKeys | StateKeys | OutputKeys | SignalKeys


class CarriedParts(Parts):
    """What a run carries beside the motion, and what is read from it."""

    def __init__(self, source: Source, parameters: dict[str, float], folder: Path, model: Model) -> None:
        super().__init__(source, parameters, folder, model)
        self._saved: dict[str, SubmodelKeys] = {}  # sub-models whose parts are in this file

    def _put(self, kind: str, name: str, make: Callable[[str], Any]) -> None:
        """Adds a part. Parts of saved sub-models have a point in their names, which the methods of Model refuse: they
        are made under another name first."""
        group = self.model.groups()[kind]
        if not any(name.startswith(f"{path}.") for path in self._saved) or kind in ("drive", "rotor"):
            make(name)
            return
        self.model._check_free(name, kind)
        short = name.replace(".", "/") + "/"
        try:
            made = make(short)
        except ModelError as error:
            raise ModelError(str(error).replace(short, name)) from None
        del group[short]
        group[name] = replace(made, name=name) if made.name == short else made

    # inputs, variables, states

    def _input(self, name: str, data: Any, where: Where) -> None:
        keys = checked(InputKeys, data, self.source, where)
        self._refuse_parameter(name, where)
        self._put("input", name, lambda title: self.model.input(
            title, value=keys.value, unit=keys.unit, between=keys.between))

    def _variable(self, name: str, data: Any, where: Where) -> None:
        keys = checked(VariableKeys, data, self.source, where)
        self._refuse_parameter(name, where)
        self._put("variable", name, lambda title: self.model.variable(title, keys.value, unit=keys.unit))

    def _sensor(self, name: str, data: Any, where: Where) -> None:
        keys = checked(VariableKeys, data, self.source, where)
        if keys.senses is None or name not in self.model.variables:
            return  # a variable, or refused already
        sensed = self.model._formula(f"sensor {name!r}", keys.senses, {}, reactions=True)
        self.model.variables[name] = replace(self.model.variables[name], kind="sensor", sensed=sensed)

    def _state(self, name: str, data: Any, where: Where) -> None:
        keys = checked(StateKeys, data, self.source, where)
        self._refuse_parameter(name, where)
        if (keys.rate is None) == (keys.tape is None):
            raise self.source.error(where, "the key 'rate' is missing: a number, or a text such as (u - x)/T.")
        self._put("state", name, lambda title: self.model.state(
            title, 0.0, keys.start, unit=keys.unit, size=keys.size))

    def _rate(self, name: str, data: Any, where: Where) -> None:
        keys = checked(StateKeys, data, self.source, where)
        if name not in self.model.states:
            return  # refused already
        if keys.tape is not None:
            found = self._tape_over(f"state {name!r}", keys, (), where)
            self.model.states[name] = replace(self.model.states[name], rate=found)
            return
        self.model.rate(name, keys.rate or 0.0, **self._named(f"state {name!r}", keys.rate, keys, where))

    def _controller(self, name: str, data: Any, where: Where) -> None:
        keys = checked(ControllerKeys, data, self.source, where)
        add_controller(self.model, name, keys)

    def _refuse_parameter(self, name: str, where: Where) -> None:
        if name in self.functions.parameters:
            raise self.source.error(where, f"{name!r} is a parameter of this file too, and texts could mean either.\n"
                                           "  Rename one of them.")

    # texts

    def _named(self, what: str, text: Any, keys: Seeing, where: Where) -> dict[str, Any]:
        """What a text names: parameters of the file and constants, other measures, inputs, variables and states."""
        named = {**self._others(what, keys, where), **self._reads(keys, where)}
        used = self.functions.used(text, (*keys.constants, *named)) if isinstance(text, str) else {}
        return {**used, **keys.constants, **named}

    def _others(self, what: str, keys: Seeing, where: Where) -> dict[str, Measure]:
        return {n: self.model._measure(f"{what}: {n}", self.measure(m, (*where, "others", n)))
                for n, m in keys.others.items()}

    def _reads(self, keys: Seeing, where: Where) -> dict[str, Auxiliary]:
        known = self.model.auxiliaries
        for key, name in keys.reads.items():
            if name not in known:
                self.mistakes.follows(name, (*where, "reads", key))
                raise self.source.error((*where, "reads", key), f"there is no input, variable or state called {name!r}."
                                                                f"{suggest(name, known)}")
        return {key: known[name] for key, name in keys.reads.items()}

    def _tape_over(self, what: str, keys: Seeing, own: tuple[str, ...], where: Where) -> Formula:
        """Operations over the mechanism and the run."""
        others, reads = self._others(what, keys, where), self._reads(keys, where)
        names = (*own, *Law.inputs(others)[2:], *reads)
        tape = self.functions.tape(keys.tape, (*where, "tape"))
        if keys.constants:
            raise self.source.error((*where, "constants"), "the operations of a tape have their own numbers.")
        check_calls(tape, (), len(tape.inputs))
        if not set(tape.inputs) <= set(names) or len(set(tape.inputs)) < len(tape.inputs):
            raise self.source.error((*where, "tape"), f"the inputs here are {', '.join(names)}, each once.")
        return Formula(tape, tuple(others.items()), tuple((key, a.name) for key, a in reads.items()))

    def _followed(self, name: str, data: Any, where: Where) -> Function:
        """What a measure is held at: a function of time, or a text that names inputs, variables and states too."""
        what, known = f"drive {name!r}", self.model.auxiliaries
        if isinstance(data, str) and any(word in known for word in words_of(data)):
            return self.model._signal(what, data, self.functions.used(data, known))
        if not isinstance(data, dict) or data.get("kind") != "Signal":
            return self.functions.function(data, where)
        keys = checked(SignalKeys, data, self.source, where)
        if keys.tape is not None:
            read = self._tape_over(what, keys, (), where)
            return Signal(read.tape, read.reads, tuple(known[own].start for _, own in read.reads))
        return self.model._signal(what, keys.text or "", self._named(what, keys.text, keys, where))

    def _output(self, name: str, data: Any, where: Where) -> None:
        keys = checked(OutputKeys, data, self.source, where)
        what = f"output {name!r}"
        if (keys.what is None) == (keys.tape is None):
            raise self.source.error(where, "the key 'what' is missing: a text such as cart.x or 2*u + O.angle.")
        if keys.tape is not None:
            made = Output(name, self._tape_over(what, keys, (), where), "", keys.unit)
        else:
            made = self.model._output(what, name, keys.what, keys.unit, self._named(what, keys.what, keys, where))

        def make(title: str) -> Output:
            self.model._claim(title, "output")
            self.model.outputs[title] = replace(made, name=title)
            return self.model.outputs[title]

        self._put("output", name, make)

    # sub-models as saved

    def _gather(self) -> None:
        """Makes saved sub-models of their parts, the innermost first, and keeps the order of the file."""
        groups = {kind: group for kind, group in self.model.groups().items() if kind != "sub-model"}
        made: dict[str, Placed] = {}
        for name in sorted(self._saved, key=lambda name: -name.count(".")):
            keys, where = self._saved[name], ("submodels", name)
            own = {n.removeprefix(f"{name}."): part for group in groups.values() for n, part in group.items()
                   if n.startswith(f"{name}.")}
            for part in keys.parts or ():
                if part not in own:
                    raise self.source.error((*where, "parts"), f"there is no part {shown(f'{name}.{part}')}."
                                                               f"{suggest(part, own)}")
            chosen = own if keys.parts is None else {n: p for n, p in own.items() if n in keys.parts}
            inner = {n.removeprefix(f"{name}."): p for n, p in made.items() if n.startswith(f"{name}.")}
            made[name] = Placed(name, self.body(keys.on, (*where, "on")), {**chosen, **inner})
        for name in self._saved:
            self.model._check_free(name, "sub-model")
            self.model.submodels[name] = made[name]
