"""No entry of a model by matrices, and no key of a YAML file, is passed over in silence: added or changed, it changes
the model, is listed, or refused."""

import re
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from read_twice import SHARES, drawn, is_noticed, outcome
from vincolo.formats.files import opened
from vincolo.formats.matrices import read_matrices
from vincolo.formats.tree.files import Files
from vincolo.formats.tree.source import Source

AXIS = "0, 0, 0, 0, 0, 1, 1, 0, 0"
SYM = {
    "chain": f"""NB = 3
names = ['crank', 'arm', 'foot']
title = 'a chain'
L = 0.75
mass = [2, 3, 4]
inertia = [0.5, [0.1, 0.2, 0.25], [[0.3, 0.01, 0], [0.01, 0.4, 0], [0, 0, 0.5]]]
CON = [[0, 1, revolute, {AXIS}, {AXIS}], [1, 2, cylindrical, 1, 0, 0, 1, 0, 1, 2, 0, 0, {AXIS}],
       [2, 3, spherical, L, 0, 0, L, 0, 1, 1.75, 0, 0, {AXIS}]]
FORCE = [[1, 1, 2, 3, 4, 5, 6, 0.1, 0.2, 0.3, Glob], [2, 0, 0, 5*t, 0, 0, 0, 0.1, 0.2, 0, Loc]]
NFORCES = 2
SPDAMPERS = [[0, 1, 10*d + 2*dd, 1, 2, 0, 0.5, 0.1, 0, T], [0, 1, 7*d, 0, 0, 0, 0, 0, 0, R]]
gravity = [0.1, -9.81, 0.2]
q_in = [[4, 0.6], [7, 0.8]]
qp_in = [[7, 0.3]]
TI = 1
TE = 2
ST = 50
index = 2
""",
    "driven": f"""mass = [2, 1]
inertia = [0.5, 0.5]
CON = [[0, 1, prismatic, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], [0, 2, guide, {AXIS}, {AXIS}]]
DRIV = [q1 - 0.5*sin(3*t), [10, [0, 1, 2, 3], [0, 0.1, 0.3, 0.2]]]
"""}


def changed_numbers(text: str) -> Iterator[tuple[str, list[str]]]:
    """A text with each of its numbers replaced by others."""
    for match in re.finditer(r"(?<![\w.'])\d+(?:\.\d+)?", text):
        line = text.count("\n", 0, match.start()) + 1
        others = [str(float(match[0]) + 0.37), str(-float(match[0]) - 0.11), str(int(float(match[0])) + 1)]
        yield f"line {line}: {match[0]} at {match.start()}", [
            text[:match.start()] + other + text[match.end():] for other in others]


@SHARES
@pytest.mark.parametrize("name", SYM)
def test_no_number_of_matrices_is_passed_over_in_silence(name, share, tmp_path):
    path = tmp_path / "model.sym"

    def made(content: str) -> Any:
        path.write_text(content)
        return outcome(partial(read_matrices, path))

    before = made(SYM[name])
    assert not before.refused, before.refused
    silent = [what for what, others in drawn(changed_numbers(SYM[name]), share)
              if not all(is_noticed(before, made(other)) for other in others)]
    assert silent == []
    for more in ("Q = 3\n", "Q = [1, 2]\n", "Q = 'text'\n", "FORCES = [[1, 2]]\n", "DRIVE = [1]\n"):
        assert is_noticed(before, made(SYM[name] + more)), more
    for row, longer in (("Glob]", "Glob, 3]"), ("0.2, T]", "0.2, T, 3]"), ("1, 0, 0]", "1, 0, 0, 3]")):
        assert row not in SYM[name] or is_noticed(before, made(SYM[name].replace(row, longer, 1))), longer


TREE: dict[str, Any] = {
    "name": "sample", "gravity": [0.0, 0.1, -9.81], "parameters": {"l": 0.3, "half": "=l/2", "c0": 5.0},
    "points": {"A": [0.0, 0.0, 0.0], "B": ["=l", 0.0, 0.1]},
    "bodies": {
        "crank": {"shape": {"kind": "cylinder", "radius": 0.01, "length": "=l", "axis": "x", "density": 7850.0},
                  "at": ["=half", 0.0, 0.0], "orientation": {"axis": "z", "angle": 0.1}, "colour": "red"},
        "slider": {"mass": 0.5, "inertia": [0.01, 0.02, 0.03], "at": [0.9, 0.1, 0.0], "com": [0.01, 0.0, 0.0],
                   "velocity": [1.0, 0.0, 0.0], "angular_velocity": [0.0, 0.0, 1.0],
                   "orientation": {"euler": "ZXZ", "angles": [10.0, 20.0, 30.0], "degrees": True}},
        "plate": {"shape": [{"kind": "box", "size": [0.1, 0.2, 0.3], "mass": 3.0, "at": [0.1, 0.0, 0.0]},
                            {"kind": "sphere", "radius": 0.02, "density": 100.0, "hole": True}]}},
    "looks": {"slider": {"colour": "#102030",
                         "shapes": [{"kind": "box", "size": [0.1, 0.1, 0.1], "at": [0.0, 0.1, 0.0]}]}},
    "frames": {"pin": {"on": "crank", "at": "B"}, "eye": {"on": "slider", "local": [0.1, 0.0, 0.0], "z": "x", "x": "y"},
               "base": {"on": "ground", "at": "A", "moves": {"x": "0.1*sin(t)", "angle": "0.2*t", "axis": "y"}}},
    "joints": {"O": {"kind": "revolute", "a": "ground", "b": "crank", "at": "A", "axis": "z"},
               "C": {"kind": "cylindrical", "a": "ground", "b": "slider", "at": [0.9, 0.0, 0.0], "axis": "A -> B"},
               "rod": {"kind": "distance", "a": "pin", "b": "eye", "length": 0.7},
               "ball": {"kind": "spherical", "a": "ground", "b": "plate", "at": [0.0, 0.0, 0.0]}},
    "measures": {"gap": {"kind": "distance", "between": ["pin", "eye"]},
                 "mix": {"sum": [{"factor": 2.0, "of": "O.angle"}, {"factor": -1.0, "of": "C.angle"}]},
                 "ratio": {"formula": "k*x/(2+y)", "of": {"x": "O.angle", "y": {"of": "C.travel", "factor": 3.0}},
                           "constants": {"k": 4.0}}},
    "drives": {"motor": {"measure": "O.angle", "function": "c0*t", "level": "position"}},
    "springs": {"s": {"between": ["pin", "eye"], "k": 100.0, "c": 2.0, "length": 0.5, "preload": 1.0},
                "s2": {"measure": "C.travel", "k": 10.0}},
    "laws": {"friction": {"measure": "C.travel", "force": "c*dd", "constants": {"c": 0.5}}},
    "actuators": {"push": {"measure": "C.travel", "force": {"kind": "Sine", "amplitude": 1.0, "frequency": 2.0}}},
    "loads": {"w": {"kind": "force", "where": "slider", "components": [1.0, "sin(t)", 0.0], "axes": "body"}},
    "switches": [{"of": "motor", "on": False, "at": 0.5}],
    "run": {"analysis": "dynamics", "until": 2.0, "outputs": 100, "channels": ["O.angle"],
            "integrator": {"kind": "Radau", "rtol": 1e-6}}}
#: keys that mean something somewhere
KEYS = {"at": [0.1, 0.2, 0.3], "axis": "y", "angle": 0.37, "length": 0.37, "mass": 3.7, "inertia": 0.37, "k": 3.7,
        "c": 3.7, "com": [0.1, 0.2, 0.3], "local": [0.1, 0.2, 0.3], "z": "y", "x": "z", "axes": ["x"], "sign": -1.0,
        "factor": 3.7, "swapped": True, "name": "other", "kind": "sphere", "between": ["pin", "eye"], "of": "O.angle",
        "level": "velocity", "constants": {"qq": 3.7}, "functions": {"qq": "t"}, "rows": [1], "mirror": "x",
        "parameters": {"qq": 3.7}, "parts": [], "on": "crank", "degrees": True, "density": 370.0, "hole": True,
        "colour": "blue", "orientation": {"axis": "y", "angle": 0.37}, "velocity": [1.0, 2.0, 3.0], "moves": {"y":
        "t"}, "unnamed": True, "preload": 3.7, "mirrored": True, "formula": "2*x", "measure": "O.angle", "force": 3.7,
        "start": 0.37, "stabilisation": "NoStabilisation", "formulation": "Lagrange", "shape": {"kind": "sphere",
        "radius": 0.1, "mass": 1.0}, "qqq": 1.0}


def containers(data: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all maps and lists."""
    if isinstance(data, dict | list):
        yield where
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from containers(value, (*where, key))


def changed_data(where: tuple[Any, ...], key: Any, value: Any) -> dict[str, Any]:
    """The tree with one value changed or added."""
    tree = deepcopy(TREE)
    holder: Any = tree
    for step in where:
        holder = holder[step]
    holder.append(value) if isinstance(holder, list) and key == len(holder) else holder.__setitem__(key, value)
    return tree


def other_values(value: Any) -> list[Any]:
    """What may stand in the place of a value."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 0.37, -value - 0.11]
    if isinstance(value, str):
        return [f"{value}q", f"1.37*({value})"]
    return []


def made_tree(tree: dict[str, Any]) -> Any:
    """What is made of a tree."""
    return outcome(lambda: Files(opened).load(Path("sample.yaml"), {}, lambda: Source("sample.yaml", deepcopy(tree))))


def silent_keys(keys: dict[str, Any], share: float) -> list[str]:
    """Values that can be changed, and keys that can be added, without a word; of a share of the maps and lists."""
    before = made_tree(TREE)
    assert not before.refused, before.refused
    found = []
    for where in drawn(containers(TREE), share):
        holder: Any = TREE
        for step in where:
            holder = holder[step]
        values = dict(enumerate(holder)) if isinstance(holder, list) else holder
        cases = [(key, other) for key, value in values.items() for other in other_values(value)]
        added = {len(holder): 0.37} if isinstance(holder, list) else {k: v for k, v in keys.items() if k not in holder}
        for key, value in [*cases, *added.items()]:
            if not is_noticed(before, made_tree(changed_data(where, key, value))):
                found.append(f"{'.'.join(map(str, where))}.{key} = {value!r}")
    return found


@SHARES
def test_no_value_of_a_tree_is_passed_over_in_silence(share):
    assert silent_keys({"qqq": 1.0}, share) == []


@pytest.mark.slow
def test_no_key_that_means_something_elsewhere_is_passed_over_in_silence():
    assert silent_keys(KEYS, 1.0) == []
