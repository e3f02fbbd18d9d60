"""All families of random mechanisms, and how often each comes."""

from __future__ import annotations

from flats import FLATS
from loops import LOOPS
from sketch import Scale, Sketch, sketch
from trees import TREES

FAMILIES = {**TREES, **LOOPS, **FLATS}
#: how often each family comes, against the others
SHARES = {"chain": 8, "star": 5, "branches": 6, "needles": 8, "points": 3, "beam": 4, "transmission": 4, "curves": 2,
          "rolling": 2, "carried": 2, "growing": 3, "four_bar": 8, "slider_crank": 5, "parallelogram": 7,
          "spatial_loop": 8, "ladder": 4, "mesh": 3, "bennett": 2, "doubled": 5, "structure": 3, "flat": 5,
          "near_flat": 4, "change_point": 2, "straight_arm": 3, "stretched": 0.5, "aligned_crank": 2}


def drawn(family: str, seed: int, *, scale: Scale | None = None, kinds: tuple[str, ...] = ()) -> Sketch:
    """The mechanism of a family and a seed; at a scale of one's own, or with joints of some kinds only."""
    s = sketch(family, seed, scale)
    s.kinds = kinds
    FAMILIES[family](s)
    return s


def sequence(count: int, seed: int = 0) -> list[tuple[str, int]]:
    """Families and seeds of `count` mechanisms: every family by its share, evenly spread."""
    total = sum(SHARES.values())
    met = dict.fromkeys(FAMILIES, 0)
    found = []
    for n in range(1, count + 1):
        family = max(FAMILIES, key=lambda f: SHARES[f] / total * n - met[f])  # the one most behind its share
        found.append((family, seed + met[family]))
        met[family] += 1
    return found
