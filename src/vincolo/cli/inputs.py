"""Inputs of a run from files: --input torque=file.csv."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.tables.table_files import read_table
from vincolo.units import Unit, dimension, quantity, readings


def fed_inputs(given: tuple[str, ...], model: Model, until: float) -> dict[str, Any]:
    """Numbers and tables by the names of inputs. Tables go in straight lines, but for inputs that are held by the file,
    and stay at their last value until the end of the run [s]."""
    found: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name or not value:
            raise ModelError(f"--input {one}: write a name and a file or number: torque=file.csv or torque=2.5.")
        if name not in model.inputs:
            raise ModelError(f"--input {one}: there is no input called {name!r}.\n  Inputs: "
                             f"{', '.join(model.inputs) or 'none'}.{suggest(name, model.inputs)}")
        if name in found:
            raise ModelError(f"--input {one}: the input {name!r} is given twice.")
        found[name] = _fed(one, name, value, model.inputs[name].unit)
        if isinstance(found[name], tuple):
            model.inputs[name] = replace(model.inputs[name], between=model.inputs[name].between or "linear")
            found[name] = _until(until, *found[name])
    return found


def _until(until: float, times: Array, values: Array) -> tuple[Array, Array]:
    """A table that stays at its last value to the end of the run."""
    if not len(times) or times[-1] >= until:
        return times, values
    return np.append(times, until), np.append(values, values[-1])


def _fed(one: str, name: str, value: str, unit: str) -> Any:
    declared = next(iter(readings(unit)), None)
    number = quantity(value, declared.powers if declared is not None else None)
    if number is not None:
        return float(_in_unit(one, name, *number, declared))
    try:
        return float(value)
    except ValueError:
        table = read_table(value)
    if name not in table and len(table.names) != 1:
        raise ModelError(f"--input {one}: the table has no column called {name!r}.\n  Columns: "
                         f"{', '.join(table.names) or 'none'}.{suggest(name, table.names)}")
    column = name if name in table else table.names[0]
    written = readings(table.unit(column))
    return table.t, _in_unit(one, name, table[column], written[0], declared) if written else table[column]


def _in_unit(one: str, name: str, numbers: Any, unit: Unit, own: Unit | None) -> Any:
    """Numbers with a unit, in the unit of their input; without one they are in SI."""
    if own is not None and unit.powers != own.powers:
        raise ModelError(f"--input {one}: this has the dimension {dimension(unit)}, but the input {name!r} is of the "
                         f"dimension {dimension(own)}.\n  Correct the unit, or write a plain number in {own.name}.")
    values = unit.si(numbers)
    return values if own is None else own.of_si(values)
