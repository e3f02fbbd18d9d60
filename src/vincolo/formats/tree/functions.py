"""Functions of time and formulas as plain data, and back."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import MISSING, fields
from itertools import islice, permutations, product
from typing import Any

from vincolo.errors import ExpressionError, ModelError, suggest
from vincolo.formats.tree.source import Source, Where, shown
from vincolo.model import functions
from vincolo.model.expression import FIXED, FUNCTIONS, parse
from vincolo.model.expression_text import WORDS
from vincolo.model.functions import Constant, Expression, Function
from vincolo.model.functions import checks as function_checks
from vincolo.model.functions.combined import refuse_deep
from vincolo.model.tape import BINARY, UNARY, Tape, operands_of

TRIES = 400  # ways to give the numbers of a formula back to their names
LONGEST_TAPE = 100_000
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*", re.ASCII)
NAMES = [name for name in functions.__all__ if isinstance(getattr(functions, name), type)
         and issubclass(getattr(functions, name), Function) and name != "Function"]


def function_data(what: str, f: Function) -> Any:
    """A function as a number, a text in t, or a map with its kind and fields."""
    if type(f) is Constant:
        return f.value
    if type(f) is Expression and not f.constants:
        return f.text
    return function_map(what, f)


def function_map(what: str, f: Function) -> dict[str, Any]:
    """A function as a map, whatever it is."""
    name = type(f).__name__
    if name not in NAMES or getattr(functions, name) is not type(f):
        raise ModelError(f"{what}: a function of the class {name} cannot be written to a file.\n"
                         "  Use the functions of vincolo, or Traced(f) for a function of your own.")
    data: dict[str, Any] = {"kind": name}
    for field in fields(f):  # type: ignore[arg-type]  # every final class is a dataclass
        value = getattr(f, field.name)
        if field.default is MISSING or repr(value) != repr(field.default):
            data[field.name] = dict(value) if field.name == "constants" else _plain(what, value)
    return data


def _plain(what: str, value: Any) -> Any:
    if isinstance(value, Function):
        return function_data(what, value)
    if isinstance(value, Tape):
        return tape_data(value)
    return [_plain(what, v) for v in value] if isinstance(value, tuple | list) else value


def tape_data(tape: Tape) -> dict[str, Any]:
    """Operations one by one; what is not used is left out."""
    return {"operations": [list(op) for op in tape.ops], "constants": list(tape.constants),
            "inputs": list(tape.inputs), "text": tape.text}


def names_of(tape: Tape, parts: Sequence[Function] = ()) -> tuple[dict[str, float], list[str]] | None:
    """The named numbers and the names of functions with which the text of a tape gives this tape again, if they can be
    found; a tape itself does not keep them."""
    known = (*FUNCTIONS, *WORDS, *FIXED, *tape.inputs, "t")
    words = [w for w in dict.fromkeys(_NAME.findall(tape.text)) if w not in known]
    called = [w for w in words if re.search(rf"(?<!\w){w}\s*\(", tape.text)]
    named = [w for w in words if w not in called]
    if len(called) != len(parts) or not tape.text:
        return None
    for order, numbers in islice(_assignments(called, len(named), tape.constants), TRIES):
        constants = dict(zip(named, numbers, strict=True))
        try:
            if parse(tape.text, tape.inputs, constants, order) == tape:
                return constants, list(order)
        except ExpressionError:
            continue
    return None


def _assignments(called: list[str], count: int, numbers: tuple[float, ...]) -> Iterator[tuple[Any, Any]]:
    for order in permutations(called):
        for chosen in permutations(numbers, count):
            yield order, chosen
        for chosen in product(numbers, repeat=count) if count > 1 else ():
            yield order, chosen


class Functions:
    """Functions from the data of a file; its parameters may be used in texts by name."""

    def __init__(self, source: Source, parameters: dict[str, float]) -> None:
        self._source, self.parameters = source, parameters

    def used(self, text: str, own: Collection[str] = ()) -> dict[str, float]:
        """The parameters that a text names, besides its own numbers."""
        words = set(_NAME.findall(text)) - set(own)
        self._source.used |= words
        return {name: value for name, value in self.parameters.items() if name in words}

    def function(self, data: Any, where: Where) -> Function:
        """A function from a number, a text in t, or a map."""
        if isinstance(data, dict):
            return self._of_kind(data, where)
        if isinstance(data, bool) or not isinstance(data, int | float | str):
            raise self._source.error(where, f"{shown(data)} is not a function of time.\n"
                                            "  Give a number, a text in t such as 2*pi*t, or a map such "
                                            "as {kind: Sine, amplitude: 1, frequency: 2}.")
        try:
            return Expression(data, **self.used(data)) if isinstance(data, str) else Constant(data)
        except ModelError as error:
            raise self._source.error(where, str(error)) from None

    def functions(self, data: Any, where: Where) -> tuple[Function, ...]:
        """Several functions."""
        if not isinstance(data, list):
            raise self._source.error(where, f"{shown(data)} is not a list of functions.")
        return tuple(self.function(part, (*where, k)) for k, part in enumerate(data))

    def _of_kind(self, data: dict[str, Any], where: Where) -> Function:
        name = data.get("kind")
        if name not in NAMES:
            hint = suggest(str(name), NAMES)
            raise self._source.error(where, f"there is no function called {shown(name)}.{hint}\n"
                                            f"  Functions: {', '.join(NAMES)}.")
        kind = getattr(functions, name)
        listed = {field.name: field for field in fields(kind)}
        given = {key: value for key, value in data.items() if key != "kind"}
        for key in given:
            if key not in listed:
                raise self._source.error((*where, key), f"{name} has no {key!r}.{suggest(key, listed)}\n"
                                                        f"  It has: {', '.join(listed)}.")
        for key, field in listed.items():
            if key not in given and field.default is MISSING and not (kind is Expression and key == "constants"):
                raise self._source.error(where, f"{name}: {key!r} is missing.\n  It has: {', '.join(listed)}.")
        values = {key: self._field(str(listed[key].type), value, (*where, key)) for key, value in given.items()}
        try:
            return self._made(kind, values)
        except (TypeError, ValueError) as error:
            raise self._source.error(where, str(error)) from None

    def _field(self, annotation: str, value: Any, where: Where) -> Any:
        if annotation == "Function":
            return self.function(value, where)
        if annotation == "tuple[Function, ...]":
            return self.functions(value, where)
        if annotation == "Tape":
            return self.tape(value, where)
        return _tuples(value)

    def _made(self, kind: Any, values: dict[str, Any]) -> Function:
        if kind is Expression:
            constants = values.get("constants", {})
            if not isinstance(values["text"], str) or not isinstance(constants, dict):
                raise TypeError("Expression: text is a text in t, constants a map of names and numbers.")
            return Expression(values["text"], **self.used(values["text"], constants), **constants)
        if kind.__name__ in ("Recorded", "Traced"):  # made from a result or from Python code, which a file has not
            made: Function = object.__new__(kind)
            for key, value in values.items():
                object.__setattr__(made, key, value)
            _check_recorded(values) if kind.__name__ == "Recorded" else _check_formula(values)
            return made
        if kind.__name__ == "Combined":
            _check_formula(values)
        found: Function = kind(**values)
        return found

    def tape(self, data: Any, where: Where) -> Tape:
        """Operations; each may only use what stands before it."""
        keys = ("operations", "constants", "inputs", "text")
        if not isinstance(data, dict) or set(data) != set(keys):
            raise self._source.error(where, f"operations are a map with {', '.join(keys)}.")
        if not (isinstance(data["text"], str) and all(isinstance(data[k], list) for k in keys[:3])
                and all(isinstance(name, str) for name in data["inputs"])
                and all(type(c) in (int, float) for c in data["constants"])):
            raise self._source.error(where, "constants are numbers, inputs are names, text is a text.")
        if not 0 < len(data["operations"]) <= LONGEST_TAPE:
            raise self._source.error(where, f"there are {len(data['operations'])} operations; 1 to {LONGEST_TAPE} are "
                                            "possible.")
        sizes = len(data["constants"]), len(data["inputs"])
        for k, op in enumerate(data["operations"]):
            if not _possible(op, k, *sizes):
                raise self._source.error((*where, "operations", k), f"{shown(op)} is not a possible operation: a name "
                                                                    "and two numbers of operations before it.")
        if not _paired(data["operations"]):
            raise self._source.error((*where, "operations"), "'choose' takes one of a pair, which is 'either', and "
                                                             "nothing else takes a pair.")
        ops = tuple((op, a, b) for op, a, b in data["operations"])
        return Tape(ops, tuple(float(c) for c in data["constants"]), tuple(data["inputs"]), data["text"])


def _possible(op: Any, k: int, constants: int, inputs: int) -> bool:
    if not (isinstance(op, list) and len(op) == 3 and type(op[1]) is int and type(op[2]) is int):
        return False
    name, a, b = op
    first = {"const": constants, "input": inputs, "time": 1}.get(name, k)
    second = k if name in BINARY else LONGEST_TAPE if name == "call" else 1
    known = name in ("const", "input", "time", "call", "floor", *UNARY, *BINARY)
    return known and 0 <= a < first and 0 <= b < second


def _paired(ops: Sequence[list[Any]]) -> bool:
    """Whether pairs are only chosen from, and choices only from pairs."""
    pairs = {k for k, (name, _, _) in enumerate(ops) if name == "either"}
    for k, (name, a, b) in enumerate(ops):
        read = (a,) if name == "choose" else operands_of(name, a, b)
        if pairs.intersection(read) or (name == "choose" and b not in pairs) or (k == len(ops) - 1 and k in pairs):
            return False
    return True


def check_calls(tape: Tape, parts: Sequence[Function], inputs: int = 0) -> None:
    """Refuses a tape that calls a function or reads an input that is not there."""
    if any(op == "call" and b >= len(parts) for op, _, b in tape.ops):
        raise ModelError(f"the operations call a function that is not there; there are {len(parts)}.")
    if len(tape.inputs) != inputs:
        raise ModelError(f"the operations have {len(tape.inputs)} inputs; {inputs} are needed.")


def _check_formula(values: dict[str, Any]) -> None:
    check_calls(values["operations"], values["functions"])
    refuse_deep("a combined function", values["functions"])


def _check_recorded(values: dict[str, Any]) -> None:
    if not isinstance(values["series"], tuple) or not 1 <= len(values["series"]) <= 3:
        raise ModelError("Recorded: series is one to three lists: values, rates, accelerations.")
    for row in values["series"]:
        function_checks.samples("Recorded", function_checks.finite_numbers("Recorded", "x", values["x"]),
                                function_checks.finite_numbers("Recorded", "series", row))
    function_checks.outside_modes("Recorded", values["outside"])


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value
