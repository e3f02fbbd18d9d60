"""A function of time from whatever a user gives for one."""

from __future__ import annotations

from typing import Any

from vincolo.errors import ExpressionError, ModelError
from vincolo.model.functions.function import Function
from vincolo.model.functions.simple import as_function
from vincolo.model.functions.traced import Traced


def function_of(what: str, value: Any) -> Function:
    """A function of time from a number, a text, a Function or a Python function of t; `what` names its owner in
    errors."""
    try:
        if callable(value) and not isinstance(value, Function | type):
            return Traced(value)
        return as_function(value)
    except ExpressionError as error:
        raise ExpressionError(f"{what}: {error}") from None
    except (ModelError, TypeError) as error:
        raise ModelError(f"{what}: {error}") from None
