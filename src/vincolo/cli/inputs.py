"""Inputs of a run from files: --input torque=file.csv."""

from __future__ import annotations

from typing import Any

from vincolo.errors import ModelError, suggest
from vincolo.model import Model
from vincolo.tables.table_files import read_table


def fed_inputs(given: tuple[str, ...], model: Model) -> dict[str, Any]:
    """Numbers and tables by the names of inputs."""
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
        found[name] = _fed(one, name, value)
    return found


def _fed(one: str, name: str, value: str) -> Any:
    try:
        return float(value)
    except ValueError:
        table = read_table(value)
    if name in table:
        return table.t, table[name]
    if len(table.names) != 1:
        raise ModelError(f"--input {one}: the table has no column called {name!r}.\n  Columns: "
                         f"{', '.join(table.names) or 'none'}.{suggest(name, table.names)}")
    return table.t, table[table.names[0]]
