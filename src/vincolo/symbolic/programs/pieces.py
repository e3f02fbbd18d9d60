"""A model in pieces for programs: every part in its own few variables, parts of one shape with one piece of code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.functions import Function
from vincolo.symbolic.calculus import Derivative, below
from vincolo.symbolic.coordinates import Twists, add
from vincolo.symbolic.functions import Functions, Named
from vincolo.symbolic.graph import Graph, Node
from vincolo.symbolic.mechanism import Mechanism
from vincolo.symbolic.parts import bodies_of, entries, refuse_unknown
from vincolo.symbolic.programs.code import statements
from vincolo.symbolic.rows import Part

ARGUMENTS = "e: int, x: real[MAXX], lu: real[MAXD], la: real[MAXD], {}t: real, p0: int, t0: int"
ORDERS = range(4)  # of derivatives that named functions have


@dataclass
class Element:
    """A part of the model in the program: its shape, bodies, rows, numbers and angles."""

    part: Part
    kind: str
    shape: int
    bodies: list[int]
    levels: list[int]
    own: list[int]
    numbers: list[float]
    titles: list[str]
    turns: list[tuple[Any, ...]]
    turning: dict[tuple[Any, ...], Any]


@dataclass
class Pieces:
    """All elements of a model, the code of their shapes, and tables of functions."""

    model: Model
    index: int
    elements: list[Element] = field(default_factory=list)
    shapes: dict[str, int] = field(default_factory=dict)  # values, by their code
    users: dict[int, list[str]] = field(default_factory=dict)
    slopes: list[str] = field(default_factory=list)
    table: list[float] = field(default_factory=list)
    functions: dict[Function, str] = field(default_factory=dict)
    function_code: list[str] = field(default_factory=list)

    def source(self) -> str:
        """The functions of all pieces, and those that choose among them."""
        found = [*self.function_code]
        for k, (values, slopes) in enumerate(zip(self.shapes, self.slopes, strict=True)):
            users = ", ".join(self.users[k][:6]) + (", ..." if len(self.users[k]) > 6 else "")
            found.append(f"def values_{k}({ARGUMENTS.format('')}) -> None:\n    # {users}\n{values}\n")
            found.append(f"def slopes_{k}({ARGUMENTS.format('lam: real[MAXR], ')}) -> None:\n    # {users}\n{slopes}\n")
        for name, extra, given in (("values", "", ""), ("slopes", "lam: real[MAXR], ", "lam, ")):
            lines = [f"def piece_{name}({ARGUMENTS.format(extra)}) -> None:"]
            for k in range(len(self.shapes)):
                lines += [f"    if e_shape[e] == {k}:", f"        {name}_{k}(e, x, lu, la, {given}t, p0, t0)"]
            found.append("\n".join(lines) + "\n")
        return "\n\n".join(found)


def make_pieces(model: Model, index: int) -> Pieces:
    """The pieces of a model for a DAE of an index."""
    refuse_unknown(model)
    if model.states:
        raise ModelError(f"state {next(iter(model.states))!r}: generated programs do not integrate states beside the "
                         "motion.\n  Take it out of a copy of the model, or simulate() the model.")
    sensor = next((name for name, a in model.variables.items() if a.sensed is not None), None)
    if sensor is not None:
        raise ModelError(f"sensor {sensor!r}: generated programs do not set numbers beside the motion.\n"
                         "  Take it out of a copy of the model, or simulate() the model.")
    pieces = Pieces(model, index)
    numbers = {name: k for k, name in enumerate(model.bodies)}
    for kind, name, thing in entries(model):
        names = bodies_of(kind, thing)
        if names:
            _add(pieces, kind, name, thing, [numbers[n] for n in names])
    return pieces


def _add(pieces: Pieces, kind: str, name: str, thing: Any, bodies: list[int]) -> None:
    names = list(pieces.model.bodies)
    m = Mechanism(pieces.model, lambda graph, _: Twists(graph, len(bodies)), None, [names[b] for b in bodies])
    part = m.part(kind, name, thing)
    leaf = _Leaf(pieces)
    levels = [max(3 - pieces.index, row.level) for row in part.rows]
    values = _indented([f"# levels {levels}", *statements(_values(m, part, leaf), leaf)])
    known = values in pieces.shapes
    shape = pieces.shapes.setdefault(values, len(pieces.shapes))
    pieces.users.setdefault(shape, []).append(f"{part.kind} {name}")
    if not known:
        pieces.slopes.append(_indented(statements(_slopes(m, part, levels), leaf)))
    pieces.elements.append(Element(part, kind, shape, bodies, levels, [row.level for row in part.rows],
                                   [m.parameters.values.get(x, leaf.carried.get(x, 0.0)) for x in leaf.parameters],
                                   [m.parameters.names.get(x, str(x.data[1])) for x in leaf.parameters],
                                   list(leaf.turns), m.turning))


def _indented(lines: Sequence[str]) -> str:
    return "\n".join(f"    {line}" for line in [*lines, "return"])


class _Leaf:
    """What stands for symbols, functions and angles in the code of a piece; numbers in the order they are met."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self.parameters: dict[Node, int] = {}
        self.turns: dict[tuple[Any, ...], int] = {}
        self.carried: dict[Node, float] = {}  # inputs and variables, which keep the values they start with

    def __call__(self, node: Node) -> str:
        if node.op == "const":
            return repr(node.data) if node.data >= 0 else f"({node.data!r})"
        if node.op == "call":
            named, order = node.data
            return f"{function_name(self._pieces, named)}({order}, {{}})"
        if node.op == "turning":
            return f"nearest({{}}, turn[t0 + {self.turns.setdefault(node.data, len(self.turns))}])"
        return self._symbol(node)

    def _symbol(self, node: Node) -> str:
        if node.data == "t":
            return "t"
        kind, *rest = node.data
        if kind in ("parameter", "auxiliary"):
            if kind == "auxiliary":
                self.carried[node] = self._pieces.model.auxiliaries[rest[0]].start
            return f"par[p0 + {self.parameters.setdefault(node, len(self.parameters))}]"
        if kind == "lam":
            return f"lam[{rest[0]}]"
        b, k = rest[0], rest[1]
        places = {"r": f"x[{12 * b + k}]", "v": f"lu[{6 * b + k}]", "w": f"lu[{6 * b + 3 + k}]",
                  "u'": f"la[{6 * b + k}]"}
        return places[kind] if kind in places else f"x[{12 * b + 3 + 3 * k + rest[2]}]"


def _residual(m: Mechanism, part: Part) -> dict[int, Node]:
    """M u' - Q of a part."""
    found: dict[int, Node] = {}
    for (i, j), entry in part.M.items():
        add(found, i, entry * m.coordinates.a[j])
    for i, entry in part.Q.items():
        add(found, i, -entry)
    return found


def _values(m: Mechanism, part: Part, leaf: _Leaf) -> list[tuple[str, Node]]:
    found: list[tuple[str, Node]] = []
    for i, row in enumerate(part.rows):
        found += [(f"el_phi[e, {i}]", row.phi), (f"el_rate[e, {i}]", row.rate), (f"el_gam[e, {i}]", row.gamma)]
        found += [(f"el_jac[e, {i}, {c}]", x) for c, x in sorted(row.J.items())]
    found += [(f"el_res[e, {c}]", x) for c, x in sorted(_residual(m, part).items())]
    counted = {node.data: node for node in below([x for _, x in found]) if node.op == "turning"}
    for key, node in counted.items():
        leaf.turns.setdefault(key, len(leaf.turns))
        found.append((f"angle[t0 + {leaf.turns[key]}]", node))
    return found


def _slopes(m: Mechanism, part: Part, levels: list[int]) -> list[tuple[str, Node]]:
    """Derivatives of rows at their levels and of the residual, by positions, velocities and accelerations."""
    c, zero = m.coordinates, m.graph.zero
    columns = range(len(c.u))
    force = _residual(m, part)
    for i, row in enumerate(part.rows):
        for k, entry in row.J.items():
            add(force, k, m.graph.symbol(("lam", i)) * entry)
    held = []
    for row, level in zip(part.rows, levels, strict=True):
        along = sum((x * c.a[k] for k, x in row.J.items()), zero) - row.gamma if level == 2 else zero
        held.append((row.phi, row.rate, along)[level])
    found = []
    for k in columns:
        by_speed = m.by_speed(k)
        by_acceleration = Derivative(m.graph, {c.a[k]: m.graph.one})
        for name, rows in (("g", dict(enumerate(held))), ("r", force)):
            found += [(f"el_{name}x[e, {i}, {k}]", m.direction(k)(x)) for i, x in rows.items()]
            found += [(f"el_{name}u[e, {i}, {k}]", by_speed(x)) for i, x in rows.items()]
        found += [(f"el_ra[e, {i}, {k}]", by_acceleration(x)) for i, x in force.items()]
    return [(target, node) for target, node in found if not node.is_number(0.0)]


# functions that have a name only


def function_name(pieces: Pieces, named: Named) -> str:
    """The name of a function in the program, which is written when it is first asked for."""
    if named.function not in pieces.functions:
        name = f"function_{len(pieces.functions)}"
        pieces.functions[named.function] = name
        pieces.function_code.append(_written_function(pieces, name, named))
    return pieces.functions[named.function]


def _written_function(pieces: Pieces, name: str, named: Named) -> str:
    head = f"def {name}(order: int, x: real) -> real:\n    # {named.name}\n"
    f = named.function
    if f.kind in ("spline", "piecewise_polynomial"):
        return f"{head}    return {_table(pieces, f)}\n"
    if f.kind != "pieces":
        raise ModelError(f"{named.name!r}: a function of the kind {f.kind!r} cannot be written into a program yet.\n"
                         "  Sample it: vincolo.functions.Spline(x, y).")
    lines = []
    for k, part in enumerate(f.parts):
        body = _closed(pieces, part, named.name)
        limit = f.params[k] if k < len(f.params) else None
        lines += body if limit is None else [f"if x < {limit!r}:", *(f"    {line}" for line in body)]
    return head + "\n".join(f"    {line}" for line in lines) + "\n"


def _closed(pieces: Pieces, part: Function, owner: str) -> list[str]:
    """Statements that return a derivative of a function that is written out."""
    graph = Graph()
    x = graph.symbol("x")
    value = Functions(graph).of(part, owner)(x)
    along, lines = Derivative(graph, {x: graph.one}), []

    def leaf(node: Node) -> str:
        if node.op == "const":
            return repr(node.data) if node.data >= 0 else f"({node.data!r})"
        if node.op == "call":
            return f"{function_name(pieces, node.data[0])}({node.data[1]}, {{}})"
        return "x"

    for order in ORDERS:
        *before, last = statements([("y", value)], leaf)
        lines += [f"if order == {order}:", *(f"    {line}" for line in before), f"    return {last.split(' = ', 1)[1]}"]
        value = along(value)
    return [*lines, "return 0.0"]


def _table(pieces: Pieces, f: Function) -> str:
    """Pieces of polynomials as numbers of the common table: limits, then coefficients."""
    at = len(pieces.table)
    if f.kind == "spline":
        n = int(f.params[0])
        pieces.table += f.params[1:]
        return f"piecewise({at}, {n - 1}, 3, 1, 1, order, x)"
    count, degree, before, after = (int(v) for v in f.params[:4])
    pieces.table += f.params[4:]
    return f"piecewise({at}, {count}, {degree}, {before}, {after}, order, x)"
