"""Files, functions and classes stay small: `python tests/budgets.py` lists those over budget.

Python, C++ and JavaScript are looked at.

It reads the files. A class has the methods of its own and those it inherits from classes of the project.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "core", "tests", "examples", "benchmarks", "docs")
SUFFIXES = (".py", ".hpp", ".cpp", ".js")
FILE, FUNCTION, CLASS = 400, 60, 25  # lines, lines, public methods
#: what is larger, and why
EXCEPTED = {
    "vincolo.model.model.Model": "what users say: a method for each kind of part; it is made of a class for each room",
    "vincolo.results.result.Result": "what users read: a mapping of series, with what reads, writes and draws a run",
    "vincolo.symbolic.equations.Equations": "what users read: a property for each matrix and vector of the equations",
    "Builder": "the Model of the kernel: a call for each kind of part, as tables of compiled models have them",
}


def over_budget() -> list[str]:
    """What is over budget, a line for each."""
    files, functions, classes = sizes()
    found = [f"{name}: {lines} lines, of at most {FILE}." for name, lines in files.items() if lines > FILE]
    found += [f"{where}: {name} has {lines} lines, of at most {FUNCTION}."
              for where, name, lines in functions if lines > FUNCTION]
    found += [f"class {name} has {len(methods)} public methods, of at most {CLASS}."
              for name, methods in classes.items() if len(methods) > CLASS and name not in EXCEPTED]
    return found + unneeded(classes)


def unneeded(classes: dict[str, set[str]], excepted: Iterable[str] = EXCEPTED) -> list[str]:
    """Exceptions that are no longer needed, a line for each."""
    return [f"class {name} is excepted, but has no more than {CLASS} public methods: take it out of EXCEPTED."
            for name in excepted if len(classes.get(name, ())) <= CLASS]


@cache
def sizes() -> tuple[dict[str, int], list[tuple[str, str, int]], dict[str, set[str]]]:
    """Lines of files; lines of functions, with where they are; public methods of classes."""
    found = [p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*")) if p.suffix in SUFFIXES]
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in found}
    trees = {name: ast.parse(text) for name, text in texts.items() if name.endswith(".py")}
    functions = [(f"{file}, line {line}", name, lines) for file, tree in trees.items()
                 for name, line, lines in python_functions(tree)]
    classes = python_classes({module_of(name): tree for name, tree in trees.items()})
    for file in (name for name in texts if name.endswith(".js")):
        functions += [(f"{file}, line {line}", name, lines) for name, line, lines in script_functions(texts[file])]
    for file in (name for name in texts if name.endswith((".hpp", ".cpp"))):
        own, rooms = cpp_parts(texts[file])
        functions += [(f"{file}, line {line}", name, lines) for name, line, lines in own]
        classes |= rooms
    return {name: text.count("\n") for name, text in texts.items()}, functions, classes


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below a node; expressions, which are most of a tree, are left alone."""
    for part in ("body", "orelse", "handlers", "finalbody"):
        for child in getattr(node, part, ()) if not isinstance(node, ast.expr) else ():
            yield child
            yield from statements(child)


def python_functions(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Name, first line and number of lines of each function."""
    for node in statements(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1


def python_classes(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """The public methods and properties of each class, by module and name; inherited ones too."""
    own: dict[str, set[str]] = {}
    bases: dict[str, list[str]] = {}
    for module, tree in trees.items():
        seen = {a.asname or a.name: f"{node.module}.{a.name}" for node in statements(tree)
                if isinstance(node, ast.ImportFrom) for a in node.names}
        for node in (n for n in statements(tree) if isinstance(n, ast.ClassDef)):
            name = f"{module}.{node.name}"
            own[name] = {f.name for f in node.body if isinstance(f, ast.FunctionDef) and not f.name.startswith("_")}
            bases[name] = [seen.get(b.id, f"{module}.{b.id}") for b in node.bases if isinstance(b, ast.Name)]

    def methods(name: str) -> set[str]:
        return own[name].union(*(methods(b) for b in bases[name] if b in own))

    return {name: methods(name) for name in own}


def module_of(file: str) -> str:
    """vincolo.model.body, of src/vincolo/model/body.py."""
    return file.removesuffix(".py").replace("/", ".").removeprefix("src.").removesuffix(".__init__")


def cpp_parts(text: str) -> tuple[list[tuple[str, int, int]], dict[str, set[str]]]:
    """Functions (name, first line, lines) and the public methods of each class, by counting braces."""
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|^#[^\n]*', lambda m: re.sub(r"[^\n]", " ", m[0]), text,
                  flags=re.MULTILINE | re.DOTALL)
    functions: list[tuple[str, int, int]] = []
    classes: dict[str, set[str]] = {}
    scopes: list[dict] = []  # what is open: kind, name, line, whether public
    line = 1
    for head, end in re.findall(r"([^{};]*)([{};]|$)", text):
        line += head.count("\n")
        scope = scopes[-1] if scopes else {"kind": "namespace"}
        for access in re.findall(r"\b(public|private|protected):(?!:)", head):
            scope["public"], head = access == "public", head.partition(f"{access}:")[2]
        start = line - head.lstrip().count("\n")
        if end == "}":
            closed = scopes.pop()
            if closed["kind"] == "function":
                functions.append((closed["name"], closed["line"], line - closed["line"] + 1))
            continue
        note_method(scope, head, classes)
        if end == "{":
            scopes.append({**opened(scope, head), "line": start})
            if scopes[-1]["kind"] == "class":
                classes[scopes[-1]["name"]] = set()
    return functions, classes


def script_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, first line and number of lines of each function and method of JavaScript; they end in the column where they
    begin."""
    lines = text.splitlines()
    begins = re.compile(r"(?P<column> {0,2})(?:(?:async )?function |static |async |get |set )*(?P<name>\w+)\(.*\{$")
    for first, line in enumerate(lines):
        found = begins.match(line)
        if found is None or found["name"] in ("if", "for", "while", "switch", "catch"):
            continue
        last = next((k for k in range(first + 1, len(lines)) if lines[k].startswith(f"{found['column']}}}")), None)
        if last is not None:
            yield found["name"], first + 1, last - first + 1


def opened(scope: dict, head: str) -> dict:
    """What a brace opens."""
    words = re.sub(r"^\s*template\s*<[^{]*?>\s*(?=class|struct|\w)", "", head).strip()
    if (found := re.match(r"(class|struct)\s+(\w+)", words)) and scope["kind"] in ("namespace", "class"):
        return {"kind": "class", "name": found[2], "public": found[1] == "struct"}
    if re.match(r"(inline\s+)?namespace|extern", words):
        return {"kind": "namespace", "name": ""}
    if scope["kind"] in ("namespace", "class") and (name := method_name(words)):
        return {"kind": "function", "name": name}
    return {"kind": "block", "name": ""}


def note_method(scope: dict, head: str, classes: dict[str, set[str]]) -> None:
    """Counts what is declared or defined in the public part of a class; constructors and operators are not methods."""
    name = method_name(head.strip()) if scope["kind"] == "class" and scope["public"] else ""
    if name and name != scope["name"] and "operator" not in head and "~" not in head:
        classes[scope["name"]].add(name)


def method_name(words: str) -> str:
    """The name of the function that is declared or defined, if one is."""
    before = words.partition("(")[0]
    if "(" not in words or "=" in before or re.match(r"(enum|using|typedef|friend|static_assert)\b", words):
        return ""
    found = re.search(r"([\w:~]+)\s*$", before)
    return found[1] if found else ""


if __name__ == "__main__":
    sys.exit("\n".join(over_budget()) or None)
