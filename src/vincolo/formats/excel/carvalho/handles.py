"""Functions in cells: numbers, and texts in the syntax of MATLAB such as @(t) 3*sin(2*t)."""

from __future__ import annotations

import ast
import math
import re

from vincolo.errors import ExpressionError, FileError
from vincolo.formats.excel.carvalho.tables import Row
from vincolo.model.expression import parse
from vincolo.model.expression_text import Source, read
from vincolo.model.functions import Constant, Expression, Function

_HANDLE = re.compile(r"@\s*\(\s*([A-Za-z]\w*)\s*\)\s*(.*)", re.DOTALL | re.ASCII)
_ELEMENTWISE = re.compile(r"\.([*/^])")
_LOGICAL = re.compile(r"~=|&&?|\|\|?")
_LOGICAL_WORDS = {"~=": "!=", "&": " and ", "|": " or "}
WAY_OUT = "Write a number, or a formula such as @(t) 3*sin(2*t)."


def formula_text(text: str) -> str:
    """A formula in t from a function handle of MATLAB: @(x) is taken off, its argument called t, .* .^ ./ are * ^ /,
    and ~= & | are != and or."""
    match = _HANDLE.fullmatch(text.strip())
    name, body = (match[1], match[2]) if match else ("t", text.strip())
    if "@" in body:
        raise FileError(f"{text!r} is not a function of one variable.\n  {WAY_OUT}")
    body = _ELEMENTWISE.sub(r"\1", body.rstrip("; "))
    body = _LOGICAL.sub(lambda m: _LOGICAL_WORDS.get(m[0]) or _LOGICAL_WORDS[m[0][0]], body)
    if name != "t":
        if re.search(r"\bt\b", body):
            raise FileError(f"{text!r} is a function of {name}, but uses t.\n  Call its variable t in both places.")
        body = re.sub(rf"\b{name}\b", "t", body)
    parse(body)
    _refuse_chained_powers(body)
    return body


def _refuse_chained_powers(body: str) -> None:
    """a^b^c is (a^b)^c in MATLAB and a^(b^c) elsewhere."""
    source = "".join(word.python for word in read(Source(body, (), ())))
    for node in ast.walk(ast.parse(source, mode="eval")):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            right = node.right
            if isinstance(right, ast.UnaryOp):
                right = right.operand
            bare = isinstance(right, ast.BinOp) and isinstance(right.op, ast.Pow)
            if bare and source.encode()[:right.col_offset].decode().rstrip()[-1:] != "(":
                raise FileError(f"{body!r} has two powers in a row, which programs read differently.\n"
                                "  Put parentheses: (a^b)^c, which is how MATLAB reads it, or a^(b^c).")


def formula_of(row: Row, key: str) -> str | None:
    """The formula in t in a cell, a number too; None if it is empty or wrong, which is collected."""
    cell = row.cell(key)
    if cell is None:
        return None
    if cell.kind != "text" or re.fullmatch(r"[-+0-9.,eE\s]+", str(cell.value)):
        return repr(row.value(key))
    try:
        return formula_text(str(cell.value))
    except (FileError, ExpressionError) as error:
        row.bad = True
        row.reading.mistakes.append(FileError(f"{row.where(key)}: {error}"))
        return None


def function_of(row: Row, key: str, factor: float = 1.0) -> Function | None:
    """factor * the function in a cell; None if it is empty or wrong."""
    text = formula_of(row, key)
    if text is None:
        return None
    try:
        return Constant(factor * float(text))
    except ValueError:
        return Expression(text if factor == 1.0 else f"{factor!r}*({text})")


def with_argument(text: str, argument: str) -> str:
    """A formula in t with something else in the place of t."""
    return re.sub(r"\bt\b", f"({argument})", text)


def compare_derivative(row: Row, key: str, function: Function, order: int, until: float, factor: float) -> None:
    """Warns if the derivative typed in a cell is not that of the function; ours is used in any case."""
    given = function_of(row, key, factor)
    if given is None:
        return
    for k in range(9):
        t = until * (k + 0.37) / 9
        ours, theirs = function.derivatives(t)[order], given(t)
        if math.isfinite(ours) and not abs(ours - theirs) <= 1e-6 * max(1e-3 * factor, abs(ours), abs(theirs)):
            unit = f"{theirs / factor:.6g}, but the function has {ours / factor:.6g}"
            row.reading.report.warn(row.where(key), f"this derivative is {unit} at t = {t:.6g} s; that of the function "
                                    "is used.")
            return
