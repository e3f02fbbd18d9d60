"""From the part of Python that programs are described in to C99, Fortran 2008 and Python with numpy.

Functions have annotated arguments (int, real, cplx, or arrays such as real[NVEL]); a variable is declared where it is
first used, `x: real = 0.0`. There are loops over range, while, if, and slices of arrays in single statements."""

from __future__ import annotations

import ast
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

INTEGER, REAL, COMPLEX = "int", "real", "cplx"
NUMBER = "NUM"  # in templates: real and complex in turn
MOST_COLUMNS = 110


def instantiated(source: str) -> str:
    """A source with its template written out for real and for complex numbers."""
    before, rest = source.split("# TEMPLATE\n", 1)
    template, after = rest.split("# END TEMPLATE\n", 1)
    return before + "".join(template.replace(NUMBER, kind) for kind in (REAL, COMPLEX)) + after


def functions_of(source: str) -> list[ast.FunctionDef]:
    """The functions of a source."""
    return [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def kind_of(annotation: ast.expr) -> tuple[str, list[ast.expr]]:
    """The type of an annotation, and the sizes of an array."""
    if isinstance(annotation, ast.Subscript):
        sizes = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        return ast.unparse(annotation.value), list(sizes)
    return ast.unparse(annotation), []


class Language(ABC):
    """Prints functions in one language."""

    operators = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/"}
    comparisons = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
    comment = "# "

    @abstractmethod
    def function(self, f: ast.FunctionDef) -> Iterator[str]:
        """The lines of a function."""

    @abstractmethod
    def call(self, name: str, args: list[ast.expr]) -> str:
        """A call in an expression."""

    @abstractmethod
    def element(self, name: str, indices: list[ast.expr], at: str | None) -> str:
        """An element of an array; of a slice (at given) the one at a number, or the section itself."""

    @abstractmethod
    def number(self, value: float) -> str:
        """A real number."""

    def expression(self, x: ast.expr, at: str | None = None) -> str:
        """An expression; with `at` that of an element of its slices."""
        if isinstance(x, ast.Constant):
            assert isinstance(x.value, int | float), x.value
            return str(x.value) if isinstance(x.value, int) else self.number(x.value)
        if isinstance(x, ast.Name):
            return x.id
        if isinstance(x, ast.BinOp):
            return self._binary(x, at)
        if isinstance(x, ast.UnaryOp):
            inner = self.expression(x.operand, at)
            return self.negation(inner) if isinstance(x.op, ast.Not) else f"(-{inner})"
        if isinstance(x, ast.Compare):
            left, right = self.expression(x.left, at), self.expression(x.comparators[0], at)
            return f"{left} {self.comparisons[type(x.ops[0])]} {right}"
        if isinstance(x, ast.BoolOp):
            return self.both(isinstance(x.op, ast.And), [self.expression(v, at) for v in x.values])
        if isinstance(x, ast.Call):
            return self.call(ast.unparse(x.func), x.args)
        assert isinstance(x, ast.Subscript), ast.dump(x)
        indices = x.slice.elts if isinstance(x.slice, ast.Tuple) else [x.slice]
        return self.element(ast.unparse(x.value), list(indices), at)

    def _binary(self, x: ast.BinOp, at: str | None) -> str:
        left, right = self.expression(x.left, at), self.expression(x.right, at)
        if isinstance(x.op, ast.Pow):
            return self.power(left, right)
        return f"({left} {self.operators[type(x.op)]} {right})"

    def power(self, a: str, b: str) -> str:
        """a to the power b."""
        return f"({a})**({b})"

    def negation(self, x: str) -> str:
        """not x."""
        return f"(not {x})"

    def both(self, conjunction: bool, parts: list[str]) -> str:
        """Parts that must hold together, or one of them."""
        return (" and " if conjunction else " or ").join(f"({part})" for part in parts)

    def body(self, statements: list[ast.stmt], depth: int) -> Iterator[str]:
        """The lines of statements."""
        for statement in statements:
            yield from (("    " * depth) + line if line else "" for line in self.statement(statement))

    @abstractmethod
    def statement(self, s: ast.stmt) -> Iterator[str]:
        """The lines of a statement."""


def has_slice(x: ast.AST) -> bool:
    """Whether a statement goes along slices of arrays."""
    return any(isinstance(node, ast.Slice) for node in ast.walk(x))


def slice_length(target: ast.expr) -> ast.expr:
    """How long the slice of a target is."""
    found = next(node for node in ast.walk(target) if isinstance(node, ast.Slice))
    assert found.lower is not None and found.upper is not None
    return ast.BinOp(found.upper, ast.Sub(), found.lower)


class C(Language):
    """C99."""

    types = {INTEGER: "int", REAL: "double", COMPLEX: "double complex"}
    names = {"abs": "fabs", "re": "creal", "im": "cimag"}
    comment = "// "

    def number(self, value: float) -> str:
        return repr(float(value))

    def power(self, a: str, b: str) -> str:
        return f"pow({a}, {b})"

    def negation(self, x: str) -> str:
        return f"!({x})"

    def both(self, conjunction: bool, parts: list[str]) -> str:
        return (" && " if conjunction else " || ").join(f"({part})" for part in parts)

    def call(self, name: str, args: list[ast.expr]) -> str:
        if name in ("dot", "dot_real", "dot_cplx"):
            kind = "cplx" if name.endswith("cplx") else "real"
            starts = ", ".join(f"&{self.expression(a, '0')}" for a in args)
            return f"dot_{kind}({self.expression(slice_length(args[0]))}, {starts})"
        written = [f'"{a.value}"' if isinstance(a, ast.Constant) and isinstance(a.value, str) else self.expression(a)
                   for a in args]
        if name in ("min", "max"):
            whole = all(_is_integer(a) for a in args)
            return f"{'i' if whole else 'f'}{name}({', '.join(written)})"
        if name == "cplx":
            return f"({written[0]} + {written[1]} * I)"
        if name == "mag_cplx":
            return f"(fabs(creal({written[0]})) + fabs(cimag({written[0]})))"
        return f"{'fabs' if name == 'mag_real' else self.names.get(name, name)}({', '.join(written)})"

    def element(self, name: str, indices: list[ast.expr], at: str | None) -> str:
        found = []
        for index in indices:
            if isinstance(index, ast.Slice):
                assert index.lower is not None
                found.append(f"{self.expression(index.lower)} + {at}" if at != "0" else self.expression(index.lower))
            else:
                found.append(self.expression(index))
        return name + "".join(f"[{index}]" for index in found)

    def function(self, f: ast.FunctionDef) -> Iterator[str]:
        yield self.signature(f) + " {"
        yield from self.body(f.body, 1)
        yield "}"

    def signature(self, f: ast.FunctionDef) -> str:
        """Its first line."""
        args = []
        for a in f.args.args:
            assert a.annotation is not None
            kind, sizes = kind_of(a.annotation)
            args.append(f"{self.types[kind]} {a.arg}" + "".join(f"[{self.expression(s)}]" for s in sizes))
        result = ast.unparse(f.returns) if f.returns else "None"
        return f"static {self.types.get(result, 'void')} {f.name}({', '.join(args) or 'void'})"

    def statement(self, s: ast.stmt) -> Iterator[str]:
        if isinstance(s, ast.AnnAssign):
            kind, sizes = kind_of(s.annotation)
            first = f"{self.types[kind]} {ast.unparse(s.target)}" + "".join(f"[{self.expression(x)}]" for x in sizes)
            yield first + (f" = {self.expression(s.value)};" if s.value else ";")
        elif isinstance(s, ast.Assign | ast.AugAssign) and has_slice(s.targets[0] if isinstance(s, ast.Assign)
                                                                    else s.target):
            yield from self._along(s)
        elif isinstance(s, ast.Assign):
            yield f"{self.expression(s.targets[0])} = {self.expression(s.value)};"
        elif isinstance(s, ast.Expr):
            assert isinstance(s.value, ast.Call)
            yield f"{self.call(ast.unparse(s.value.func), s.value.args)};"
        elif isinstance(s, ast.Return):
            yield f"return {self.expression(s.value)};" if s.value else "return;"
        else:
            yield from self._block(s)

    def _along(self, s: ast.Assign | ast.AugAssign) -> Iterator[str]:
        target = s.targets[0] if isinstance(s, ast.Assign) else s.target
        operator = "=" if isinstance(s, ast.Assign) else f"{self.operators[type(s.op)]}="
        yield (f"for (int z_ = 0; z_ < {self.expression(slice_length(target))}; z_++) "
               f"{self.expression(target, 'z_')} {operator} {self.expression(s.value, 'z_')};")

    def _block(self, s: ast.stmt) -> Iterator[str]:
        if isinstance(s, ast.For):
            assert isinstance(s.iter, ast.Call)
            name, (low, high) = ast.unparse(s.target), s.iter.args
            yield f"for (int {name} = {self.expression(low)}; {name} < {self.expression(high)}; {name}++) {{"
            yield from self.body(s.body, 1)
        elif isinstance(s, ast.While):
            yield f"while ({self.expression(s.test)}) {{"
            yield from self.body(s.body, 1)
        else:
            assert isinstance(s, ast.If), ast.dump(s)
            yield f"if ({self.expression(s.test)}) {{"
            yield from self.body(s.body, 1)
            if s.orelse:
                yield "} else {"
                yield from self.body(s.orelse, 1)
        yield "}"


INTEGER_NAMES = {"k", "i", "j", "n", "count", "BAND", "NVEL", "NROW", "NSYS", "STEPS"}


def _is_integer(x: ast.expr) -> bool:
    """Whether an expression is made of integers, by the names that are used for them."""
    names = {node.id for node in ast.walk(x) if isinstance(node, ast.Name)}
    numbers = [node.value for node in ast.walk(x) if isinstance(node, ast.Constant)]
    arrays = any(isinstance(node, ast.Subscript) and ast.unparse(node.value) != "counts" for node in ast.walk(x))
    return (names <= INTEGER_NAMES | {"counts", "found", "iterations"} and not arrays
            and not any(isinstance(v, float) for v in numbers))


class Fortran(Language):
    """Fortran 2008, all functions within one module."""

    types = {INTEGER: "integer", REAL: "real(8)", COMPLEX: "complex(8)"}
    comparisons = {**Language.comparisons, ast.NotEq: "/="}
    comment = "! "

    def number(self, value: float) -> str:
        text = repr(float(value))
        return text.replace("e", "d") if "e" in text else f"{text}d0"

    def negation(self, x: str) -> str:
        return f"(.not. ({x}))"

    def both(self, conjunction: bool, parts: list[str]) -> str:
        return (" .and. " if conjunction else " .or. ").join(f"({part})" for part in parts)

    def call(self, name: str, args: list[ast.expr]) -> str:
        if name in ("dot", "dot_real", "dot_cplx"):
            return f"sum({' * '.join(self.expression(a) for a in args)})"
        written = [f'"{a.value}"' if isinstance(a, ast.Constant) and isinstance(a.value, str) else self.expression(a)
                   for a in args]
        forms = {"re": "real({}, 8)", "im": "aimag({})", "cplx": "cmplx({}, {}, 8)", "mag_real": "abs({})",
                 "mag_cplx": "abs({})", "floor": "real(floor({}, kind=8), 8)"}
        return forms[name].format(*written) if name in forms else f"{name}({', '.join(written)})"

    def element(self, name: str, indices: list[ast.expr], at: str | None) -> str:
        found = []
        for index in reversed(indices):  # the first index runs fastest
            if isinstance(index, ast.Slice):
                assert index.lower is not None and index.upper is not None
                found.append(f"{self.expression(index.lower)}:{self.expression(index.upper)} - 1")
            else:
                found.append(self.expression(index))
        return f"{name}({', '.join(found)})"

    def function(self, f: ast.FunctionDef) -> Iterator[str]:
        result = ast.unparse(f.returns) if f.returns else "None"
        args = ", ".join(a.arg for a in f.args.args)
        if result == "None":
            yield f"subroutine {f.name}({args})"
        else:
            yield f"function {f.name}({args}) result(answer_)"
        for a in f.args.args:
            assert a.annotation is not None
            yield "    " + self._declared(a.arg, *kind_of(a.annotation), argument=True)
        for name, (kind, sizes) in self._variables(f).items():
            yield "    " + self._declared(name, kind, sizes, argument=False)
        if result != "None":
            yield f"    {self.types[result]} :: answer_"
        yield from self.body(f.body, 1)
        yield f"end {'subroutine' if result == 'None' else 'function'}"

    def _declared(self, name: str, kind: str, sizes: list[ast.expr], argument: bool) -> str:
        dimensions = ", ".join(f"0:{self.expression(s)} - 1" for s in reversed(sizes))
        intent = "" if not argument else ", intent(inout)" if sizes else ", intent(in)"
        return f"{self.types[kind]}{intent} :: {name}" + (f"({dimensions})" if sizes else "")

    @staticmethod
    def _variables(f: ast.FunctionDef) -> dict[str, tuple[str, list[ast.expr]]]:
        found: dict[str, tuple[str, list[ast.expr]]] = {}
        for node in ast.walk(f):
            if isinstance(node, ast.AnnAssign):
                found[ast.unparse(node.target)] = kind_of(node.annotation)
            elif isinstance(node, ast.For):
                found.setdefault(ast.unparse(node.target), (INTEGER, []))
        return found

    def statement(self, s: ast.stmt) -> Iterator[str]:
        if isinstance(s, ast.AnnAssign):
            if s.value is not None:
                yield f"{ast.unparse(s.target)} = {self.expression(s.value)}"
        elif isinstance(s, ast.Assign):
            yield f"{self.expression(s.targets[0])} = {self.expression(s.value)}"
        elif isinstance(s, ast.AugAssign):
            target = self.expression(s.target)
            yield f"{target} = {target} {self.operators[type(s.op)]} {self.expression(s.value)}"
        elif isinstance(s, ast.Expr):
            assert isinstance(s.value, ast.Call)
            yield f"call {self.call(ast.unparse(s.value.func), s.value.args)}"
        elif isinstance(s, ast.Return):
            if s.value is not None:
                yield f"answer_ = {self.expression(s.value)}"
            yield "return"
        else:
            yield from self._block(s)

    def _block(self, s: ast.stmt) -> Iterator[str]:
        if isinstance(s, ast.For):
            assert isinstance(s.iter, ast.Call)
            low, high = s.iter.args
            yield f"do {ast.unparse(s.target)} = {self.expression(low)}, {self.expression(high)} - 1"
            yield from self.body(s.body, 1)
            yield "end do"
        elif isinstance(s, ast.While):
            yield f"do while ({self.expression(s.test)})"
            yield from self.body(s.body, 1)
            yield "end do"
        else:
            assert isinstance(s, ast.If), ast.dump(s)
            yield f"if ({self.expression(s.test)}) then"
            yield from self.body(s.body, 1)
            if s.orelse:
                yield "else"
                yield from self.body(s.orelse, 1)
            yield "end if"


class Python(Language):
    """Python with numpy: the description itself, without declarations."""

    def number(self, value: float) -> str:
        return repr(float(value))

    def call(self, name: str, args: list[ast.expr]) -> str:
        return ast.unparse(ast.Call(ast.Name(name), args, []))

    def element(self, name: str, indices: list[ast.expr], at: str | None) -> str:
        return f"{name}[{', '.join(ast.unparse(index) for index in indices)}]"

    def function(self, f: ast.FunctionDef) -> Iterator[str]:
        yield f"def {f.name}({', '.join(a.arg for a in f.args.args)}):"
        yield from self.body(f.body, 1)
        yield ""
        yield ""

    def statement(self, s: ast.stmt) -> Iterator[str]:
        if isinstance(s, ast.AnnAssign):
            kind, sizes = kind_of(s.annotation)
            if sizes:
                yield f"{ast.unparse(s.target)} = np.zeros({', '.join(ast.unparse(x) for x in sizes)})"
            elif s.value is not None:
                yield f"{ast.unparse(s.target)} = {ast.unparse(s.value)}"
        elif isinstance(s, ast.For | ast.While | ast.If):
            yield from self._block(s)
        else:
            yield ast.unparse(s)

    def _block(self, s: Any) -> Iterator[str]:
        if isinstance(s, ast.For):
            yield f"for {ast.unparse(s.target)} in {ast.unparse(s.iter)}:"
        else:
            yield f"{'while' if isinstance(s, ast.While) else 'if'} {ast.unparse(s.test)}:"
        yield from self.body(s.body, 1)
        if isinstance(s, ast.If) and s.orelse:
            yield "else:"
            yield from self.body(s.orelse, 1)


def wrapped(line: str, continuation: str) -> Iterator[str]:
    """A long line in several, cut at blanks outside of texts; `continuation` ends all but the last."""
    indent = line[:len(line) - len(line.lstrip())]
    if len(line) <= MOST_COLUMNS:
        yield line
        return
    if line.lstrip().startswith(Fortran.comment):
        yield from textwrap.wrap(line.strip()[2:], MOST_COLUMNS, initial_indent=f"{indent}! ",
                                 subsequent_indent=f"{indent}! ")
        return
    if '"' in line:
        yield line
        return
    parts = textwrap.wrap(line.strip(), MOST_COLUMNS - len(indent) - 4, break_long_words=False, break_on_hyphens=False)
    for k, part in enumerate(parts):
        last = k == len(parts) - 1
        yield indent + ("    " if k else "") + part + ("" if last else f" {continuation}".rstrip())
