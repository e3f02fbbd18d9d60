"""User text such as "k*(d - d0) + c*dd" becomes a tape, by a whitelist; no code is ever executed."""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, reduce

from vincolo.errors import ExpressionError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.expression_text import IF, Source, places, read, short, syntax_tree
from vincolo.model.tape import FLOATS, Tape, lines, run

__all__ = ["FUNCTIONS", "MAX_OPERATIONS", "Tape", "parse", "run"]

MAX_OPERATIONS = 500

#: the numbers that every expression knows by name
FIXED = {"pi": math.pi, "e": math.e}

#: functions of the text: the least and the largest number of arguments
FUNCTIONS: dict[str, tuple[int, float]] = {
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
                     "exp", "log", "ln", "sqrt", "abs", "sign", "step"), (1, 1)),
    **dict.fromkeys(("atan2", "pow", "hypot"), (2, 2)),
    **dict.fromkeys(("min", "max"), (2, math.inf)),
    "if": (3, 3),
}

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow"}
_COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class Register(int):
    """The index of an operation on the tape; a plain float in its place is a constant not yet written."""


class _NoValue(ExpressionError):
    """A part of a formula that cannot be computed: an error only where it is needed."""


Operand = Register | float


def parse(text: str, inputs: Sequence[str] = (), constants: Mapping[str, float] | None = None,
          functions: Sequence[str] = ()) -> Tape:
    """The tape of a formula in t [s], the named `inputs` and `constants`, and calls of the named `functions` of one
    variable, the parts of the tape."""
    checked = _checked_constants((*inputs, *functions), constants or {})
    digits = tuple((name, value.hex()) for name, value in checked.items())  # 0 and -0 are two numbers
    made = _tape if isinstance(text, str) else _tape.__wrapped__  # which says what is wrong
    return made(text, tuple(inputs), digits, tuple(functions))


@lru_cache(maxsize=2000)
def _tape(text: str, inputs: tuple[str, ...], constants: tuple[tuple[str, str], ...],
          functions: tuple[str, ...]) -> Tape:
    """The same formulas come again and again, as variants of a model do."""
    fixed = {**FIXED, **{name: float.fromhex(digits) for name, digits in constants}}
    source = Source(text, ("t", *fixed, *inputs), (*FUNCTIONS, *functions))
    words = read(source)
    return _Writer(source, inputs, fixed, places(words), functions).tape(syntax_tree(source, words))


def _checked_constants(inputs: Sequence[str], constants: Mapping[str, float]) -> dict[str, float]:
    taken: set[str] = set()
    for name in (*inputs, *constants):
        _check_name(name, taken)
        taken.add(name)
    return {name: finite_number(f"the constant '{name}' of an expression", value, ExpressionError)
            for name, value in constants.items()}


def _check_name(name: str, taken: set[str]) -> None:
    reason = ""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or "__" in name:
        reason = "a name has letters, digits and single underscores, and starts with a letter"
    elif keyword.iskeyword(name):
        reason = "it is a word of the Python language"
    elif name in FUNCTIONS:
        reason = "it is a function"
    elif name in ("t", *FIXED):
        reason = "t is the time, pi and e are numbers"
    elif name in taken:
        reason = "it is given twice"
    if reason:
        raise ExpressionError(f"the name {name!r} cannot be used for a quantity of an expression: {reason}.\n"
                              f"  Choose another name, for example '{_free_name(name)}'.")


def _free_name(name: str) -> str:
    letters = re.sub(r"\W|__+", "", str(name), flags=re.ASCII).strip("_")
    return f"{letters if letters[:1].isalpha() else 'q' + letters}_0"


class _Writer:
    """Writes each distinct operation of a syntax tree once, and folds what is constant."""

    def __init__(self, source: Source, inputs: tuple[str, ...], fixed: Mapping[str, float],
                 columns: tuple[dict[int, int], dict[int, int]], functions: tuple[str, ...] = ()) -> None:
        self._source, self._inputs, self._fixed, self._columns = source, inputs, fixed, columns
        self._functions = functions
        self._written: dict[tuple[str, int, int], Register] = {}
        self._constants: dict[str, int] = {}

    def tape(self, tree: ast.expr) -> Tape:
        """The whole tree, children before parents, so that the last operation is the result."""
        operands: dict[ast.expr, Operand | _NoValue] = {}
        for node in self._children_first(tree):
            try:
                operands[node] = self._operand(node, [operands[child] for child in self._children(node)])
            except _NoValue as error:
                operands[node] = error
        last = operands[tree]
        if isinstance(last, _NoValue):
            raise ExpressionError(str(last)) from last.__cause__
        return self._finished(self._register(last, tree) + 1)

    def _finished(self, count: int) -> Tape:
        """The first operations as a tape."""
        constants = tuple(float.fromhex(digits) for digits in self._constants)
        return Tape(tuple(self._written)[:count], constants, self._inputs, self._source.text)

    def _children_first(self, tree: ast.expr) -> Iterator[ast.expr]:
        parents_first, waiting = [], [tree]
        while waiting:
            node = waiting.pop()
            parents_first.append(node)
            waiting.extend(self._children(node))
        return reversed(parents_first)

    def _children(self, node: ast.expr) -> list[ast.expr]:
        """The parts of an allowed node; everything that is not on the list is refused here."""
        match node:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return [left, right]
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                return [operand]
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._conditions(operand)
            case ast.BoolOp(values=values):
                return self._conditions(*values)
            case ast.Compare(left=left, ops=ops, comparators=others) if all(isinstance(op, _COMPARED) for op in ops):
                return [left, *others]
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                self._check_call(node, "if" if name == IF else name, len(arguments))
                return arguments if name != IF else [*self._conditions(arguments[0]), *arguments[1:]]
            case ast.Name(id=name):
                self._check_value_name(node, name)
                return []
            case ast.Constant(value=float()):
                return []
            case ast.Tuple():
                raise self._error(node, "a comma is outside the arguments of a function.",
                                  "Write decimals with a point: 0.5.")
        raise self._error(node, f"this is not arithmetic ({type(node).__name__}).",
                          "Use numbers, names, + - * / ^, comparisons, parentheses and the functions above.")

    def _conditions(self, *nodes: ast.expr) -> list[ast.expr]:
        """Nodes that have to be conditions."""
        for node in nodes:
            if not isinstance(node, ast.Compare | ast.BoolOp) and not (
                    isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
                start, end = self._span(node)
                raise self._error(node, f"'{short(self._source.text[start:end])}' is a number where a condition is "
                                        "needed.", "Write a comparison such as t < 1 or x != 0; join several by and, "
                                                   "or, not.")
        return list(nodes)

    def _check_call(self, node: ast.expr, name: str, count: int) -> None:
        if name in self._source.values:
            raise self._error(node, f"'{name}' is a number, not a function.",
                              f"Write {name}*(...) to multiply.")
        if name not in self._source.functions:
            raise self._error(node, f"there is no function called '{short(name)}'.",
                              f"Use one of the functions above.{suggest(name, self._source.functions)}")
        least, most = FUNCTIONS.get(name, (1, 1))
        if not least <= count <= most:
            wanted = f"{least}" if least == most else f"{least} or more"
            raise self._error(node, f"{name}() needs {wanted} argument(s), but {count} are given.",
                              f"Write {name}({', '.join('abc'[:least])}).")

    def _check_value_name(self, node: ast.expr, name: str) -> None:
        name = "if" if name == IF else name
        if name in self._source.functions:
            raise self._error(node, f"'{name}' is a function and has no argument here.",
                              f"Write {name}(...).")
        if name not in self._source.values:
            raise self._error(node, f"the name '{short(name)}' is not known.",
                              f"Use one of the names above, or give {short(name)}=... as a constant."
                              f"{suggest(name, self._source.values)}")

    def _operand(self, node: ast.expr, parts: list[Operand | _NoValue]) -> Operand:
        match node:
            case ast.Call(func=ast.Name(id=name)) if name == IF:
                return self._choice(node, *parts)
            case ast.BoolOp(op=joining):
                return self._joined(node, isinstance(joining, ast.And), parts)
        values = [_computed(part) for part in parts]
        match node:
            case ast.BinOp(op=op):
                return self._apply(node, _BINARY[type(op)], *values)
            case ast.UnaryOp(op=ast.Not()):
                return self._apply(node, "sub", 1.0, *values)
            case ast.UnaryOp(op=sign):
                return self._apply(node, "neg", *values) if isinstance(sign, ast.USub) else values[0]
            case ast.Compare(ops=ops):
                pairs = zip(ops, values, values[1:], strict=False)
                return self._joined(node, True, [self._comparison(node, op, a, b) for op, a, b in pairs])
            case ast.Call(func=ast.Name(id=name)):
                return self._call(node, name, values)
            case ast.Name(id=name):
                return self._value(node, name)
            case ast.Constant(value=float(number)):
                return number
        raise self._error(node, "this is not arithmetic.", "Use numbers, names and operators.")

    def _comparison(self, node: ast.expr, op: ast.cmpop, a: Operand, b: Operand) -> Operand:
        """1 or 0: a >= b is step(a - b), and the others are made of it."""
        if isinstance(op, ast.Eq | ast.NotEq):
            self._refuse_instant(node, a, b)
            same = self._choice(node, self._reached(node, a, b), self._reached(node, b, a), 0.0)
            return same if isinstance(op, ast.Eq) else self._apply(node, "sub", 1.0, same)
        if isinstance(op, ast.GtE | ast.LtE):
            return self._reached(node, a, b) if isinstance(op, ast.GtE) else self._reached(node, b, a)
        return self._apply(node, "sub", 1.0, self._reached(node, *((a, b) if isinstance(op, ast.Lt) else (b, a))))

    def _refuse_instant(self, node: ast.expr, a: Operand, b: Operand) -> None:
        """Equality with what rises or falls evenly with time, which no run would ever notice."""
        known = lines(self._finished(len(self._written)))
        found = [known[x] if isinstance(x, Register) else (0.0, x) for x in (a, b)]
        slopes = [line[0] for line in found if line is not None]
        if len(slopes) == 2 and slopes[0] != slopes[1]:
            start, end = self._span(node)
            raise self._error(node, f"'{short(self._source.text[start:end])}' changes for one instant only.",
                              "Write < or > for what is to be before or after it.")

    def _reached(self, node: ast.expr, a: Operand, b: Operand) -> Operand:
        """a >= b; the difference of two floats has the sign of their order."""
        over = a if b == 0 and not isinstance(b, Register) else self._apply(node, "sub", a, b)
        return self._apply(node, "step", over)

    def _joined(self, node: ast.expr, every: bool, parts: Sequence[Operand | _NoValue]) -> Operand:
        """a and b: b where a holds, else 0; a or b: 1 where a holds, else b."""
        found = parts[-1]
        for part in reversed(parts[:-1]):
            try:
                found = self._choice(node, part, found, 0.0) if every else self._choice(node, part, 1.0, found)
            except _NoValue as error:
                found = error
        return _computed(found)

    def _choice(self, node: ast.expr, condition: Operand | _NoValue, yes: Operand | _NoValue,
                no: Operand | _NoValue) -> Operand:
        decided = _computed(condition)
        if not isinstance(decided, Register):
            return _computed(yes if decided != 0 else no)
        pair = [self._register(_computed(operand), node) for operand in (yes, no)]
        return self._write(node, "choose", decided, self._write(node, "either", *pair))

    def _value(self, node: ast.expr, name: str) -> Operand:
        if name == "t":
            return self._write(node, "time")
        if name in self._fixed:
            return self._fixed[name]
        return self._write(node, "input", self._inputs.index(name))

    def _call(self, node: ast.expr, name: str, arguments: list[Operand]) -> Operand:
        if name in self._functions:
            return self._write(node, "call", self._register(arguments[0], node), self._functions.index(name))
        if name == "hypot":
            squares = [self._apply(node, "mul", side, side) for side in arguments]
            return self._apply(node, "sqrt", self._apply(node, "add", *squares))
        if name in ("min", "max"):
            return reduce(lambda a, b: self._apply(node, name, a, b), arguments)
        return self._apply(node, "log" if name == "ln" else name, *arguments)

    def _apply(self, node: ast.expr, op: str, *operands: Operand) -> Operand:
        values = [operand for operand in operands if not isinstance(operand, Register)]
        if len(values) == len(operands):
            return self._folded(node, op, values)
        if op == "div" and operands[1] == 0 and not isinstance(operands[1], Register):
            raise self._no_value(node, "division by zero")
        return self._write(node, op, *(self._register(operand, node) for operand in operands))

    def _folded(self, node: ast.expr, op: str, values: list[float]) -> float:
        try:
            result = float(FLOATS[op](*values))
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            raise self._no_value(node, str(error)) from error
        if not math.isfinite(result):
            raise self._no_value(node, f"the result is {result}")
        return result

    def _register(self, operand: Operand, node: ast.expr) -> Register:
        if isinstance(operand, Register):
            return operand
        index = self._constants.setdefault(operand.hex(), len(self._constants))
        return self._write(node, "const", index)

    def _write(self, node: ast.expr, op: str, a: int = 0, b: int = 0) -> Register:
        if op in ("add", "mul"):  # a + b and b + a are one operation
            a, b = sorted((a, b))
        register = self._written.setdefault((op, int(a), int(b)), Register(len(self._written)))
        if len(self._written) > MAX_OPERATIONS:
            raise self._error(node, f"the expression needs more than {MAX_OPERATIONS} operations.",
                              "Use a Spline or a Polynomial for tables and long series.")
        return register

    def _no_value(self, node: ast.expr, reason: str) -> _NoValue:
        start, end = self._span(node)
        error = self._error(node, f"'{short(self._source.text[start:end])}' has no finite value ({reason}).",
                            "Change the numbers so that this part can be computed.")
        return _NoValue(str(error))

    def _error(self, node: ast.expr, what: str, way_out: str) -> ExpressionError:
        return self._source.error(what, *self._span(node), way_out)

    def _span(self, node: ast.expr) -> tuple[int, int]:
        starts, ends = self._columns
        return starts[node.col_offset], ends[node.end_col_offset or node.col_offset]


def _computed(operand: Operand | _NoValue) -> Operand:
    """A part of a formula that is needed."""
    if isinstance(operand, _NoValue):
        raise operand
    return operand
