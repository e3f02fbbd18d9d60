"""C99, Fortran 2008 and Python with numpy, as programs are printed in them."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from vincolo.symbolic.programs.translate import (
    COMPLEX,
    INTEGER,
    REAL,
    Compiled,
    Language,
    has_slice,
    kind_of,
    slice_length,
)

MOST_COLUMNS = 110
INTEGER_NAMES = {"k", "i", "j", "n", "count", "BAND", "NVEL", "NROW", "NSYS", "STEPS"}


def _is_integer(x: ast.expr) -> bool:
    """Whether an expression is made of integers, by the names that are used for them."""
    names = {node.id for node in ast.walk(x) if isinstance(node, ast.Name)}
    numbers = [node.value for node in ast.walk(x) if isinstance(node, ast.Constant)]
    arrays = any(isinstance(node, ast.Subscript) and ast.unparse(node.value) != "counts" for node in ast.walk(x))
    return (names <= INTEGER_NAMES | {"counts", "found", "iterations"} and not arrays
            and not any(isinstance(v, float) for v in numbers))


class C(Compiled):
    """C99."""

    types = {INTEGER: "int", REAL: "double", COMPLEX: "double complex"}
    names = {"abs": "fabs", "re": "creal", "im": "cimag"}
    comment = "// "
    logic = ("!({})", " && ", " || ")
    words = {"for": "for (int {0} = {1}; {0} < {2}; {0}++) {{", "while": "while ({}) {{", "if": "if ({}) {{",
             "else": "} else {"}
    ends = {"for": "}", "while": "}", "if": "}"}

    def number(self, value: float) -> str:
        return repr(float(value))

    def power(self, a: str, b: str) -> str:
        return f"pow({a}, {b})"

    def call(self, name: str, args: list[ast.expr]) -> str:
        if name in ("dot", "dot_real", "dot_cplx"):
            kind = "cplx" if name.endswith("cplx") else "real"
            starts = ", ".join(f"&{self.expression(a, '0')}" for a in args)
            return f"dot_{kind}({self.expression(slice_length(args[0]))}, {starts})"
        written = self.written(args)
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

    def declaration(self, name: str, kind: str, sizes: list[ast.expr], value: str | None) -> Iterator[str]:
        first = f"{self.types[kind]} {name}" + "".join(f"[{self.expression(x)}]" for x in sizes)
        yield first + (f" = {value};" if value else ";")

    def assignment(self, target: ast.expr, operator: str, value: ast.expr) -> str:
        if not has_slice(target):
            return f"{self.expression(target)} {operator}= {self.expression(value)};"
        return (f"for (int z_ = 0; z_ < {self.expression(slice_length(target))}; z_++) "
                f"{self.expression(target, 'z_')} {operator}= {self.expression(value, 'z_')};")

    def action(self, call: str) -> str:
        return f"{call};"

    def returned(self, value: str | None) -> Iterator[str]:
        yield f"return {value};" if value else "return;"


class Fortran(Compiled):
    """Fortran 2008, all functions within one module."""

    types = {INTEGER: "integer", REAL: "real(8)", COMPLEX: "complex(8)"}
    comparisons = {**Compiled.comparisons, ast.NotEq: "/="}
    comment = "! "
    logic = ("(.not. ({}))", " .and. ", " .or. ")
    words = {"for": "do {} = {}, {} - 1", "while": "do while ({})", "if": "if ({}) then", "else": "else"}
    ends = {"for": "end do", "while": "end do", "if": "end if"}

    def number(self, value: float) -> str:
        text = repr(float(value))
        return text.replace("e", "d") if "e" in text else f"{text}d0"

    def call(self, name: str, args: list[ast.expr]) -> str:
        if name in ("dot", "dot_real", "dot_cplx"):
            return f"sum({' * '.join(self.expression(a) for a in args)})"
        written = self.written(args)
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

    def declaration(self, name: str, kind: str, sizes: list[ast.expr], value: str | None) -> Iterator[str]:
        if value is not None:
            yield f"{name} = {value}"

    def assignment(self, target: ast.expr, operator: str, value: ast.expr) -> str:
        to = self.expression(target)
        return f"{to} = {f'{to} {operator} ' if operator else ''}{self.expression(value)}"

    def action(self, call: str) -> str:
        return f"call {call}"

    def returned(self, value: str | None) -> Iterator[str]:
        if value is not None:
            yield f"answer_ = {value}"
        yield "return"


class Python(Language):
    """Python with numpy: the description itself, without declarations."""

    comment = "# "
    words = {"for": "for {} in range({}, {}):", "while": "while {}:", "if": "if {}:", "else": "else:"}
    ends = {}

    def expression(self, x: ast.expr, at: str | None = None) -> str:
        return ast.unparse(x)

    def function(self, f: ast.FunctionDef) -> Iterator[str]:
        yield f"def {f.name}({', '.join(a.arg for a in f.args.args)}):"
        yield from self.body(f.body, 1)
        yield ""
        yield ""

    def declaration(self, name: str, kind: str, sizes: list[ast.expr], value: str | None) -> Iterator[str]:
        if sizes:
            yield f"{name} = np.zeros({', '.join(map(ast.unparse, sizes))})"
        elif value is not None:
            yield f"{name} = {value}"

    def assignment(self, target: ast.expr, operator: str, value: ast.expr) -> str:
        return f"{ast.unparse(target)} {operator}= {ast.unparse(value)}"

    def action(self, call: str) -> str:
        return call

    def returned(self, value: str | None) -> Iterator[str]:
        yield "return" if value is None else f"return {value}"


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
