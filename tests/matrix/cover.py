"""Covering arrays: a deterministic list of cases in which every pair of values from any two axes occurs at least once.

Greedy, as in AETG (Cohen, Dalal, Fredman and Patton 1997): each case begins with a pair that is not covered yet and
takes, axis by axis, the value that covers most further pairs; ties go to the value that was used least so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import combinations, product

Case = tuple[str, ...]
Pair = tuple[int, str, int, str]  # axis, value, axis, value


def pairs_of(case: Case) -> set[Pair]:
    """All pairs of values in a case."""
    return {(i, case[i], j, case[j]) for i, j in combinations(range(len(case)), 2)}


def required_pairs(axes: Sequence[Sequence[str]], allowed: Callable[[Pair], bool]) -> list[Pair]:
    """All pairs of values that may occur together, in the order of the axes."""
    return [(i, a, j, b) for i, j in combinations(range(len(axes)), 2) for a, b in product(axes[i], axes[j])
            if allowed((i, a, j, b))]


def covering_array(axes: Sequence[Sequence[str]], allowed: Callable[[Pair], bool] = lambda pair: True) -> list[Case]:
    """Cases that cover every allowed pair and contain none that is not."""
    open_pairs = dict.fromkeys(required_pairs(axes, allowed))
    uses = {(k, value): 0 for k, values in enumerate(axes) for value in values}
    cases: list[Case] = []
    while open_pairs:
        case = _case(axes, next(iter(open_pairs)), open_pairs, uses, allowed)
        cases.append(case)
        for pair in pairs_of(case):
            open_pairs.pop(pair, None)
        for key in enumerate(case):
            uses[key] += 1
    return cases


def _case(axes: Sequence[Sequence[str]], seed: Pair, open_pairs: dict[Pair, None], uses: dict[tuple[int, str], int],
          allowed: Callable[[Pair], bool]) -> Case:
    """A case around a pair that is not covered yet."""
    chosen = {seed[0]: seed[1], seed[2]: seed[3]}
    for k in sorted(set(range(len(axes))) - set(chosen), key=lambda axis: -len(axes[axis])):
        fitting = [value for value in axes[k] if all(allowed(_pair(k, value, j, b)) for j, b in chosen.items())]
        if not fitting:
            raise ValueError(f"no value of axis {k} goes with {sorted(chosen.items())}")
        chosen[k] = max(fitting, key=lambda value, k=k: (sum(_pair(k, value, j, b) in open_pairs
                                                             for j, b in chosen.items()), -uses[k, value]))
    return tuple(chosen[k] for k in range(len(axes)))


def _pair(i: int, a: str, j: int, b: str) -> Pair:
    return (i, a, j, b) if i < j else (j, b, i, a)


def subset(cases: Sequence[Case], count: int, cost: Callable[[Case], float]) -> list[Case]:
    """So many of the cases: every single value occurs, and as many pairs for their cost as a greedy choice gives."""
    singles = {key for case in cases for key in enumerate(case)}
    open_pairs = {pair for case in cases for pair in pairs_of(case)}
    picked: list[Case] = []
    # gains only shrink while cases are picked: an old gain at the top of the heap is computed anew, and may sink
    heap = [(_loss(case, singles, open_pairs, cost(case)), n) for n, case in enumerate(cases)]
    heapify(heap)
    while heap and len(picked) < count:
        loss, n = heap[0]
        now = _loss(cases[n], singles, open_pairs, cost(cases[n]))
        if now > loss:
            heapreplace(heap, (now, n))
            continue
        heappop(heap)
        picked.append(cases[n])
        singles -= set(enumerate(cases[n]))
        open_pairs -= pairs_of(cases[n])
    if singles:
        raise ValueError(f"{count} cases are too few: {sorted(singles)[:5]} do not occur")
    return picked


def _loss(case: Case, singles: set[tuple[int, str]], open_pairs: set[Pair], cost: float) -> tuple[int, float]:
    """Less than zero: single values that do not occur yet, then pairs for the cost of the case."""
    fresh = sum(key in singles for key in enumerate(case))
    return -fresh, -sum(pair in open_pairs for pair in pairs_of(case)) / cost


def covered(cases: Iterable[Case]) -> set[Pair]:
    """All pairs that occur in some cases."""
    return {pair for case in cases for pair in pairs_of(case)}
