"""The part of Python that programs are described in, and one walk through it for every language.

Functions have annotated arguments (int, real, cplx, or arrays such as real[NVEL]); a variable is declared where it is
first used, `x: real = 0.0`. There are loops over range, while, if, and slices of arrays in single statements."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

INTEGER, REAL, COMPLEX = "int", "real", "cplx"
NUMBER = "NUM"  # in templates: real and complex in turn


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


def has_slice(x: ast.AST) -> bool:
    """Whether a statement goes along slices of arrays."""
    return any(isinstance(node, ast.Slice) for node in ast.walk(x))


def slice_length(target: ast.expr) -> ast.expr:
    """How long the slice of a target is."""
    found = next(node for node in ast.walk(target) if isinstance(node, ast.Slice))
    assert found.lower is not None and found.upper is not None
    return ast.BinOp(found.upper, ast.Sub(), found.lower)


class Language(ABC):
    """Prints functions in one language."""

    operators = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/"}
    comment: ClassVar[str]
    words: ClassVar[dict[str, str]]  # lines that begin a loop (name, from, to), while, if and else
    ends: ClassVar[dict[str, str]]  # lines that end them

    @abstractmethod
    def function(self, f: ast.FunctionDef) -> Iterator[str]:
        """The lines of a function."""

    @abstractmethod
    def expression(self, x: ast.expr, at: str | None = None) -> str:
        """An expression; with `at` that of an element of its slices."""

    @abstractmethod
    def declaration(self, name: str, kind: str, sizes: list[ast.expr], value: str | None) -> Iterator[str]:
        """A variable where it is first used."""

    @abstractmethod
    def assignment(self, target: ast.expr, operator: str, value: ast.expr) -> str:
        """A value given to a variable, an element or a slice, or added to it and so on by an operator."""

    @abstractmethod
    def action(self, call: str) -> str:
        """A call as a statement."""

    @abstractmethod
    def returned(self, value: str | None) -> Iterator[str]:
        """The end of a function."""

    def body(self, statements: list[ast.stmt], depth: int) -> Iterator[str]:
        """The lines of statements."""
        for statement in statements:
            yield from (("    " * depth) + line if line else "" for line in self.statement(statement))

    def statement(self, s: ast.stmt) -> Iterator[str]:
        """The lines of a statement."""
        if isinstance(s, ast.AnnAssign):
            value = None if s.value is None else self.expression(s.value)
            yield from self.declaration(ast.unparse(s.target), *kind_of(s.annotation), value)
        elif isinstance(s, ast.Assign):
            yield self.assignment(s.targets[0], "", s.value)
        elif isinstance(s, ast.AugAssign):
            yield self.assignment(s.target, self.operators[type(s.op)], s.value)
        elif isinstance(s, ast.Expr):
            yield self.action(self.expression(s.value))
        elif isinstance(s, ast.Return):
            yield from self.returned(None if s.value is None else self.expression(s.value))
        else:
            yield from self._block(s)

    def _block(self, s: ast.stmt) -> Iterator[str]:
        assert isinstance(s, ast.For | ast.While | ast.If), ast.dump(s)
        if isinstance(s, ast.For):
            assert isinstance(s.iter, ast.Call)
            word, parts = "for", [ast.unparse(s.target), *(self.expression(x) for x in s.iter.args)]
        else:
            word, parts = "while" if isinstance(s, ast.While) else "if", [self.expression(s.test)]
        yield self.words[word].format(*parts)
        yield from self.body(s.body, 1)
        if isinstance(s, ast.If) and s.orelse:
            yield self.words["else"]
            yield from self.body(s.orelse, 1)
        if word in self.ends:
            yield self.ends[word]


class Compiled(Language):
    """A language whose expressions are not those of Python."""

    comparisons = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
    types: ClassVar[dict[str, str]]
    logic: ClassVar[tuple[str, str, str]]  # not, and, or

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
        if isinstance(x, ast.Constant):
            assert isinstance(x.value, int | float), x.value
            return str(x.value) if isinstance(x.value, int) else self.number(x.value)
        if isinstance(x, ast.Name):
            return x.id
        if isinstance(x, ast.BinOp):
            return self._binary(x, at)
        if isinstance(x, ast.UnaryOp):
            inner = self.expression(x.operand, at)
            return self.logic[0].format(inner) if isinstance(x.op, ast.Not) else f"(-{inner})"
        if isinstance(x, ast.Compare):
            left, right = self.expression(x.left, at), self.expression(x.comparators[0], at)
            return f"{left} {self.comparisons[type(x.ops[0])]} {right}"
        if isinstance(x, ast.BoolOp):
            word = self.logic[1] if isinstance(x.op, ast.And) else self.logic[2]
            return word.join(f"({self.expression(v, at)})" for v in x.values)
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

    def written(self, args: list[ast.expr]) -> list[str]:
        """Arguments of a call: expressions and texts."""
        return [f'"{a.value}"' if isinstance(a, ast.Constant) and isinstance(a.value, str) else self.expression(a)
                for a in args]
