"""Programs in C99, Fortran 2008 and Python: declarations and data around the functions that all have in common."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from vincolo.symbolic.names import ascii_text
from vincolo.symbolic.programs.languages import C, Fortran, Python, wrapped

PER_LINE = 6  # numbers of a table


@dataclass
class Data:
    """Constants, tables and work arrays of a program, by name."""

    name: str
    title: list[str]
    columns: tuple[list[str], list[str]]
    integers: dict[str, int] = field(default_factory=dict)
    reals: dict[str, float] = field(default_factory=dict)
    tables: dict[str, list[Any]] = field(default_factory=dict)
    arrays: dict[str, tuple[str, str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)

    def sizes(self, text: str) -> list[int]:
        """The sizes of a work array; at least one, since not all languages have empty arrays."""
        return [max(1, self.integers[word] if word in self.integers else int(word)) for word in text.split(", ")]


@dataclass(frozen=True)
class Printed:
    """A program as text, how its file ends, and the command that builds it."""

    text: str
    ending: str
    command: str


def _flat(table: list[Any]) -> list[Any]:
    return [x for row in table for x in row] if table and isinstance(table[0], list) else table


def _chunks(values: list[Any], count: int = PER_LINE) -> Iterator[list[Any]]:
    for k in range(0, len(values), count):
        yield values[k: k + count]


def _notes(data: Data, name: str, mark: str) -> Iterator[str]:
    for note in data.notes.get(name, []):
        yield f"{mark}{ascii_text(note)[:300]}".replace("\\", "/")


C_HEAD = """#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

static int imin(int a, int b) { return a < b ? a : b; }
static int imax(int a, int b) { return a > b ? a : b; }
static double dot_real(int n, const double *a, const double *b) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}
static double complex dot_cplx(int n, const double complex *a, const double complex *b) {
    double complex s = 0.0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}
static FILE *out_files[2];
static int out_begun[2];
static void put(int file, double x) { fprintf(out_files[file], out_begun[file]++ ? ",%.17g" : "%.17g", x); }
static void put_end(int file) { fprintf(out_files[file], "\\n"); out_begun[file] = 0; }
static void say(const char *what, double x) { printf("%s %.17g\\n", what, x); }
static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }
"""


def print_c(functions: list[ast.FunctionDef], data: Data) -> Printed:
    """The program in C99."""
    language, lines = C(), [f"// {line}" for line in data.title]
    lines += [f"// cc -O2 -fcx-limited-range -o {data.name} {data.name}.c -lm", "", C_HEAD]
    lines += ["enum {", *(f"    {k} = {v}," for k, v in data.integers.items()), "};"]
    lines += [f"#define {k} {language.number(v)}" for k, v in data.reals.items()]
    for name, table in data.tables.items():
        lines += [*_notes(data, name, "// "), *_c_table(language, name, table)]
    for name, (kind, size) in data.arrays.items():
        lines.append(f"static {C.types[kind]} {name}" + "".join(f"[{n}]" for n in data.sizes(size)) + ";")
    lines += ["", *(language.signature(f) + ";" for f in functions), ""]
    for f in functions:
        lines += [*language.function(f), ""]
    lines += ["int main(void) {"]
    for k, (what, columns) in enumerate(zip(("motion", "multipliers"), data.columns, strict=True)):
        lines += [f'    out_files[{k}] = fopen("{data.name}_{what}.csv", "w");', f"    if (!out_files[{k}]) {{",
                  f'        fprintf(stderr, "{data.name}_{what}.csv cannot be written\\n");',
                  "        return 1;", "    }"]
        lines += [f'    fputs("{_c_text(c)}{"," if i < len(columns) - 1 else ""}", out_files[{k}]);'
                  for i, c in enumerate(columns)]
        lines += [f"    put_end({k});"]
    lines += ["    int status = run();", "    fclose(out_files[0]);", "    fclose(out_files[1]);", "    return status;",
              "}"]
    return Printed("\n".join(lines) + "\n", ".c", "cc -O2 -fcx-limited-range -o TARGET SOURCE -lm")


def _c_text(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'").replace("?", "\\?")


def _c_table(language: C, name: str, table: list[Any]) -> Iterator[str]:
    nested = isinstance(table[0], list)
    values = _flat(table)
    kind = "int" if all(isinstance(x, int) for x in values) else "double"
    sizes = f"[{len(table)}][{len(table[0])}]" if nested else f"[{len(table)}]"
    yield f"static const {kind} {name}{sizes} = {{"
    for chunk in table if nested else _chunks(table):
        text = ", ".join(str(x) if kind == "int" else language.number(x) for x in chunk)
        yield f"    {{{text}}}," if nested else f"    {text},"
    yield "};"


FORTRAN_HEAD = """    subroutine put(file, x)
        integer, intent(in) :: file
        real(8), intent(in) :: x
        if (out_begun(file) > 0) write (20 + file, '(",")', advance="no")
        write (20 + file, '(es24.16e3)', advance="no") x
        out_begun(file) = 1
    end subroutine

    subroutine put_end(file)
        integer, intent(in) :: file
        write (20 + file, '(a)') ""
        out_begun(file) = 0
    end subroutine

    subroutine say(what, x)
        character(*), intent(in) :: what
        real(8), intent(in) :: x
        write (*, '(a, a, es24.16e3)') what, " ", x
    end subroutine

    function cpu_seconds() result(x)
        real(8) :: x
        call cpu_time(x)
    end function
"""


def print_fortran(functions: list[ast.FunctionDef], data: Data) -> Printed:
    """The program in Fortran 2008."""
    language, module = Fortran(), f"{data.name}_solver"[:63]
    lines = [f"! {line}" for line in data.title] + [f"! gfortran -O2 -o {data.name} {data.name}.f90", ""]
    lines += [f"module {module}", "    implicit none"]
    lines += [f"    integer, parameter :: {k} = {v}" for k, v in data.integers.items()]
    lines += [f"    real(8), parameter :: {k} = {language.number(v)}" for k, v in data.reals.items()]
    lines += ["    integer :: out_begun(0:1) = 0"]
    for name, table in data.tables.items():
        kind = "integer" if all(isinstance(x, int) for x in _flat(table)) else "real(8)"
        inner = f"0:{len(table[0]) - 1}, " if isinstance(table[0], list) else ""
        lines.append(f"    {kind} :: {name}({inner}0:{len(table) - 1})")
    for name, (kind, size) in data.arrays.items():
        dimensions = ", ".join(f"0:{n - 1}" for n in reversed(data.sizes(size)))
        lines.append(f"    {Fortran.types[kind]} :: {name}({dimensions})")
    lines += ["contains", "", FORTRAN_HEAD, *_fortran_data(language, data)]
    for f in functions:
        lines += [*(f"    {line}" for line in language.function(f)), ""]
    lines += [f"end module {module}", "", f"program {data.name[:55]}_main", f"    use {module}", "    implicit none",
              "    integer :: status"]
    for k, (what, columns) in enumerate(zip(("motion", "multipliers"), data.columns, strict=True)):
        lines += [f'    open (unit={20 + k}, file="{data.name}_{what}.csv", status="replace", recl=1000000)']
        for i, column in enumerate(columns):
            comma = "," if i < len(columns) - 1 else ""
            lines += [f"    write ({20 + k}, '(a)', advance=\"no\") &", f'        "{column}{comma}"']
        lines += [f"    call put_end({k})"]
    lines += ["    call load_data()", "    status = run()", "    close (20)", "    close (21)",
              "    if (status /= 0) error stop 1", "end program"]
    text = "\n".join(part for line in lines for whole in line.split("\n") for part in wrapped(whole, "&"))
    return Printed(text + "\n", ".f90", "gfortran -O2 -std=f2008 -o TARGET SOURCE")


def _fortran_data(language: Fortran, data: Data) -> Iterator[str]:
    """Tables are filled by assignments, since statements have a greatest length."""
    blocks: list[list[str]] = []
    for name, table in data.tables.items():
        yield from (f"    {note}" for note in _notes(data, name, "! "))
        nested = isinstance(table[0], list)
        whole = all(isinstance(x, int) for x in _flat(table))
        lines, at = [], 0
        for chunk in table if nested else _chunks(table):
            text = ", ".join(str(x) if whole else language.number(x) for x in chunk)
            where = f":, {at}" if nested else f"{at}:{at + len(chunk) - 1}"
            lines.append(f"        {name}({where}) = [{text}]")
            at += 1 if nested else len(chunk)
        blocks += [lines[k: k + 500] for k in range(0, len(lines), 500)]
    for k, lines in enumerate(blocks):
        yield from (f"    subroutine load_{k}()", *lines, "    end subroutine", "")
    yield "    subroutine load_data()"
    yield from (f"        call load_{k}()" for k in range(len(blocks)))
    yield from (f"        {name} = 0" for name in data.arrays)
    yield from ("    end subroutine", "")


PYTHON_HEAD = '''import sys
import time
from math import (acos, asin, atan, atan2, cos, cosh, exp, floor, log, pi, sin, sinh, sqrt, tan, tanh)

import numpy as np

dot = dot_real = dot_cplx = np.dot
mag_real = mag_cplx = abs
cplx = complex
cpu_seconds = time.process_time
out_files, out_lines = [None, None], [[], []]


def re(x):
    return x.real


def im(x):
    return x.imag


def put(file, x):
    out_lines[file].append(repr(float(x)))


def put_end(file):
    out_files[file].write(",".join(out_lines[file]) + "\\n")
    out_lines[file].clear()


def say(what, x):
    print(what, repr(float(x)))


'''


def print_python(functions: list[ast.FunctionDef], data: Data) -> Printed:
    """The program in Python."""
    language, lines = Python(), [f"# {line}" for line in data.title] + ["", PYTHON_HEAD]
    lines += [f"{k} = {v!r}" for k, v in {**data.integers, **data.reals}.items()]
    for name, table in data.tables.items():
        lines += [*_notes(data, name, "# "), f"{name} = np.array(["]
        lines += [f"    {row!r}," if isinstance(table[0], list) else f"    {', '.join(map(repr, row))},"
                  for row in (table if isinstance(table[0], list) else _chunks(table))]
        lines += ["])"]
    kinds = {"int": "int", "real": "float", "cplx": "complex"}
    for name, (kind, size) in data.arrays.items():
        lines.append(f"{name} = np.zeros({tuple(data.sizes(size))!r}, dtype={kinds[kind]})")
    lines += ["", ""]
    for f in functions:
        lines += language.function(f)
    lines += ['if __name__ == "__main__":']
    for k, (what, columns) in enumerate(zip(("motion", "multipliers"), data.columns, strict=True)):
        lines += [f'    out_files[{k}] = open("{data.name}_{what}.csv", "w")',
                  f"    out_files[{k}].write({','.join(columns)!r} + \"\\n\")"]
    lines += ["    status = run()", "    for file in out_files:", "        file.close()", "    sys.exit(status)"]
    return Printed("\n".join(lines) + "\n", ".py", "")


WRITERS: dict[str, Callable[[list[ast.FunctionDef], Data], Printed]] = {
    "c": print_c, "fortran": print_fortran, "python": print_python}
