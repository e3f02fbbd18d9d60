"""The description of an FMU: its variables, with units and value references as c/fmu.c counts them."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as xml

from vincolo.errors import ModelError
from vincolo.realtime.table import Plant
from vincolo.units import unit_of
from vincolo.version import __version__

BASE = ("m", "kg", "s", "rad")  # of the powers of a unit
DURATION = 10.0  # s: what importers take if nothing is asked for


@dataclass(frozen=True)
class Variable:
    """A variable of an FMU."""

    name: str
    reference: int
    causality: str
    variability: str
    unit: str = ""
    start: float | None = None
    initial: str = ""


def variables(plant: Plant) -> Iterator[Variable]:
    """Time, inputs, outputs and parameters. States are local variables: parameters do not change by themselves."""
    yield Variable("time", 0, "independent", "continuous", "s")
    n = 1
    for port in plant.inputs:
        yield Variable(port.name, n, "input", "continuous", port.unit, port.start)
        n += 1
    for port in plant.outputs:
        yield Variable(port.name, n, "output", "continuous", port.unit, initial="calculated")
        n += 1
    for knob in plant.knobs:
        state = knob.name in plant.system.model.states
        kind = ("local", "continuous") if state else ("parameter", "tunable")
        yield Variable(knob.name, n, *kind, start=knob.value, initial="exact")
        n += 1


def identifier(plant: Plant) -> str:
    """The name of the model as one of C."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", plant.system.name) or "model"
    return name if not name[0].isdigit() else f"_{name}"


def token(text: str) -> str:
    """What a description and its binary know each other by."""
    return "{" + hashlib.sha256(f"{__version__} {text}".encode()).hexdigest()[:32] + "}"


def description(plant: Plant, version: str, sources: list[str]) -> bytes:
    """modelDescription.xml of FMI "2" or "3"."""
    found = list(variables(plant))
    names = [v.name for v in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ModelError(f"export: there are two variables called {twice!r} in the FMU.\n  Rename one in the model.")
    three = version == "3"
    root = xml.Element("fmiModelDescription", {
        "fmiVersion": "3.0" if three else "2.0", "modelName": plant.system.name,
        "instantiationToken" if three else "guid": token(plant.text()), "generationTool": f"vincolo {__version__}",
        "variableNamingConvention": "flat"} | ({} if three else {"numberOfEventIndicators": "0"}))
    step = f"{plant.step!r}"
    kind = xml.SubElement(root, "CoSimulation", {
        "modelIdentifier": identifier(plant), "canHandleVariableCommunicationStepSize": "true",
        **({"canGetAndSetFMUState": "true", "canSerializeFMUState": "true", "fixedInternalStepSize": step}
           if three else {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"})})
    if not three and sources:
        files = xml.SubElement(kind, "SourceFiles")
        for name in sources:
            xml.SubElement(files, "File", {"name": name})
    _add_units(root, found)
    start = plant.begin.t
    xml.SubElement(root, "DefaultExperiment", {"startTime": repr(start), "stopTime": repr(start + DURATION),
                                               "stepSize": step})
    _add_variables(root, found, three)
    structure = xml.SubElement(root, "ModelStructure")
    outputs = [(k, v) for k, v in enumerate(found, 1) if v.causality == "output"]
    if three:
        for what in ("Output", "InitialUnknown"):
            for _, v in outputs:
                xml.SubElement(structure, what, {"valueReference": str(v.reference)})
    else:
        for what in ("Outputs", "InitialUnknowns"):
            listed = xml.SubElement(structure, what) if outputs else structure
            for k, _ in outputs:
                xml.SubElement(listed, "Unknown", {"index": str(k)})
    xml.indent(root)
    return bytes(xml.tostring(root, encoding="UTF-8", xml_declaration=True))


def _add_variables(root: xml.Element, found: list[Variable], three: bool) -> None:
    listed = xml.SubElement(root, "ModelVariables")
    for v in found:
        own = {"name": v.name, "valueReference": str(v.reference), "causality": v.causality,
               "variability": v.variability} | ({"initial": v.initial} if v.initial else {})
        number = ({"unit": v.unit} if v.unit else {}) | ({} if v.start is None else {"start": repr(v.start)})
        if three:
            xml.SubElement(listed, "Float64", own | number)
        else:
            xml.SubElement(xml.SubElement(listed, "ScalarVariable", own), "Real", number)


def _add_units(root: xml.Element, found: list[Variable]) -> None:
    """All units by name, and what they are in SI where that is known."""
    names = dict.fromkeys(v.unit for v in found if v.unit)
    listed = xml.SubElement(root, "UnitDefinitions") if names else root
    for name in names:
        unit = xml.SubElement(listed, "Unit", {"name": name})
        try:
            known = unit_of(name)
        except ModelError:
            continue  # a name of the user's own
        factor = float(known.size) * math.pi**known.pi
        powers = {base: str(power) for base, power in zip(BASE, known.powers, strict=True) if power}
        xml.SubElement(unit, "BaseUnit", powers | ({"factor": repr(factor)} if factor != 1 else {}))
