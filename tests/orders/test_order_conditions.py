"""The coefficients of every Runge-Kutta pair in the kernel fulfil the order conditions of all rooted trees."""

import ast
import operator
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "core" / "integrators"
NUMBERS = re.compile(r"constexpr double (.*?);", re.S)
ONE = re.compile(r"(\w+)((?:\[\d+\])+) = (\{.*?\})(?=,\s*\w+\[|$)", re.S)
OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Div: operator.truediv}


def value(node):
    """Numbers, and sums and quotients of numbers; braces are lists."""
    if isinstance(node, ast.List):
        return [value(x) for x in node.elts]
    if isinstance(node, ast.BinOp):
        return OPERATIONS[type(node.op)](value(node.left), value(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -value(node.operand)
    assert isinstance(node, ast.Constant)
    return float(node.value)


def arrays(path):
    """The arrays of numbers in a file of the kernel, by name."""
    found = {}
    for text in NUMBERS.findall(path.read_text()):
        for name, _, body in ONE.findall(text):
            found[name] = value(ast.parse(body.replace("{", "[").replace("}", "]"), mode="eval").body)
    return found


def pair(path):
    """Stages, their weights, those of the result and of its error, and the order of the method."""
    text, numbers = path.read_text(), arrays(path)
    stages, order = map(int, re.search(r"Tableau t\{(\d+), (\d+),", text).groups())
    lands = "t.lands = true" in text
    count = stages + lands
    a = np.zeros((count, count))
    for k, line in enumerate(numbers["a"][:count]):
        a[k, :min(len(line), count)] = line[:count]
    b = np.zeros(count)
    new = numbers.get("b") or numbers["a"][stages]
    b[:stages] = new[:stages]
    e = np.zeros(count)
    e[:len(numbers["e"])] = numbers["e"]
    return numbers["c"][:stages], a, b, e, order


@cache
def trees(order):
    """Rooted trees of an order, each as the sorted trees above its root."""
    def grown(left, most, chosen):
        if left == 0:
            yield tuple(sorted(chosen))
        for k in range(min(left, most), 0, -1):
            for tree in trees(k):
                yield from grown(left - k, k, (*chosen, tree))
    return sorted(set(grown(order - 1, order - 1, ())))


def size(tree):
    return 1 + sum(map(size, tree))


def density(tree):
    return size(tree) * int(np.prod([density(above) for above in tree]))


def weights(tree, a):
    """Elementary weights of the stages."""
    out = np.ones(len(a))
    for above in tree:
        out = out * (a @ weights(above, a))
    return out


def miss(b, a, order):
    """By how much the conditions of an order are missed, at most; as a share of the terms that are summed up."""
    return max(abs(b @ weights(t, a) - 1 / density(t)) / max(1, np.abs(b * weights(t, a)).max()) for t in trees(order))


PAIRS = sorted(path.name for path in FOLDER.glob("*.cpp") if "Tableau t{" in path.read_text())


def test_rooted_trees_are_counted_right():
    assert [len(trees(n)) for n in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_fulfil_the_conditions_of_their_order_and_no_more(name):
    c, a, b, e, order = pair(FOLDER / name)
    assert a[:len(c)].sum(axis=1) == pytest.approx(c, abs=1e-13 * np.abs(a).max())
    rounding = 1e-14 * np.abs(a).max()
    assert max(miss(b, a, n) for n in range(1, order + 1)) < rounding
    assert miss(b, a, order + 1) > 1e-7
    if name != "dop853.cpp":  # whose two estimates are of orders 5 and 3
        assert max(miss(b + e, a, n) for n in range(1, order)) < rounding
        assert miss(b + e, a, order) > 1e-7


def test_the_pairs_of_the_kernel_are_all_there():
    assert {"bogacki_shampine.cpp", "cash_karp.cpp", "dormand_prince.cpp", "dop853.cpp", "verner.cpp"} <= set(PAIRS)
