"""The kernel's C interface (core/vincolo.h), called from Python: as a program in C has it."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from vincolo import _kernel
from vincolo.errors import ModelError, SimulationError
from vincolo.model.geometry import Array

OK, STOPPED, BAD_INPUT, FAILED, TOO_LONG, BAD_TABLE = range(6)
MODEL, NUMBERS, TEXT = ctypes.c_void_p, ctypes.POINTER(ctypes.c_double), ctypes.c_char_p
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "create": (ctypes.c_int, [TEXT, ctypes.c_size_t, ctypes.POINTER(MODEL), TEXT, ctypes.c_size_t]),
    "destroy": (None, [MODEL]), "step": (ctypes.c_int, [MODEL]), "time": (ctypes.c_double, [MODEL]),
    "step_size": (ctypes.c_double, [MODEL]), "set_cap": (ctypes.c_int, [MODEL, ctypes.c_long]),
    "reason": (TEXT, [MODEL]), "status_text": (TEXT, [ctypes.c_int]), "name": (TEXT, [MODEL]),
    "input_count": (ctypes.c_int, [MODEL]), "inputs": (NUMBERS, [MODEL]),
    "input_name": (TEXT, [MODEL, ctypes.c_int]), "input_unit": (TEXT, [MODEL, ctypes.c_int]),
    "output_count": (ctypes.c_int, [MODEL]), "outputs": (NUMBERS, [MODEL]),
    "output_name": (TEXT, [MODEL, ctypes.c_int]), "output_unit": (TEXT, [MODEL, ctypes.c_int]),
    "parameter_count": (ctypes.c_int, [MODEL]), "parameter_name": (TEXT, [MODEL, ctypes.c_int]),
    "parameter": (ctypes.c_double, [MODEL, ctypes.c_int]),
    "set_parameter": (ctypes.c_int, [MODEL, ctypes.c_int, ctypes.c_double]),
    "state_size": (ctypes.c_size_t, [MODEL]), "get_state": (ctypes.c_int, [MODEL, NUMBERS]),
    "set_state": (ctypes.c_int, [MODEL, NUMBERS]), "reset": (ctypes.c_int, [MODEL]),
}


@cache
def library(file: Path | None = None) -> ctypes.CDLL:
    """The functions in a library: that of the kernel in use, or one that was built elsewhere."""
    found = ctypes.CDLL(str(file or _kernel.core().__file__))
    for name, (result, given) in FUNCTIONS.items():
        function = getattr(found, f"vincolo_{name}")
        function.restype, function.argtypes = result, given
    return found


class CModel:
    """A model made from a table by the C interface. `inputs` and `outputs` are views of its own arrays."""

    def __init__(self, table: str | bytes, file: Path | None = None) -> None:
        self._c = library(file)
        data = table.encode() if isinstance(table, str) else table
        model, message = MODEL(), ctypes.create_string_buffer(300)
        status = self._c.vincolo_create(data, len(data), ctypes.byref(model), message, len(message))
        self._model = model
        if status != OK:
            said = message.value.decode(errors="replace")
            raise ModelError(f"the table cannot be read: {said or self.told(status)}.")
        self.inputs, self.outputs = self._array("input"), self._array("output")
        self.parameter_names = [str(self._c.vincolo_parameter_name(model, k).decode())
                                for k in range(self._c.vincolo_parameter_count(model))]

    def _array(self, what: str) -> Array:
        count = getattr(self._c, f"vincolo_{what}_count")(self._model)
        if count == 0:
            return np.zeros(0)
        found: Array = np.ctypeslib.as_array(getattr(self._c, f"vincolo_{what}s")(self._model), (count,))
        return found

    def told(self, status: int) -> str:
        """A status in words."""
        return str(self._c.vincolo_status_text(status).decode())

    def step(self) -> int:
        """One step; its status."""
        return int(self._c.vincolo_step(self._model))

    @property
    def t(self) -> float:
        """The present time [s]."""
        return float(self._c.vincolo_time(self._model))

    @property
    def reason(self) -> str:
        """Why the last step failed."""
        return str(self._c.vincolo_reason(self._model).decode())

    def set_cap(self, evaluations: int) -> int:
        """The most evaluations of a step; the status."""
        return int(self._c.vincolo_set_cap(self._model, evaluations))

    def parameter(self, name: str) -> float:
        """A number that may be changed."""
        return float(self._c.vincolo_parameter(self._model, self.parameter_names.index(name)))

    def set_parameter(self, name: str, value: float) -> None:
        """Changes it from the next step on."""
        status = self._c.vincolo_set_parameter(self._model, self.parameter_names.index(name), value)
        if status != OK:
            raise SimulationError(f"parameter {name!r} cannot be {value}: {self.told(status)}.")

    @property
    def state(self) -> Array:
        """Everything it knows; to be set again."""
        found = np.zeros(self._c.vincolo_state_size(self._model))
        self._c.vincolo_get_state(self._model, found.ctypes.data_as(NUMBERS))
        return found

    def restore(self, state: Array) -> int:
        """Goes on from a state; the status."""
        return int(self._c.vincolo_set_state(self._model, np.ascontiguousarray(state, float).ctypes.data_as(NUMBERS)))

    def reset(self) -> None:
        """Goes back to the start."""
        self._c.vincolo_reset(self._model)

    def close(self) -> None:
        """Gives its memory back; it must not be used afterwards."""
        self._c.vincolo_destroy(self._model)
        self._model = MODEL()

    def __del__(self) -> None:
        if getattr(self, "_model", None):
            self.close()
