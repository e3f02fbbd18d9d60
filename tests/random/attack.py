"""Attacks the solver with random mechanisms: python tests/random/attack.py --count 1000 --seed 0 [--family flat]
[--processes 2]; one of them again: --one flat:17."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from families import FAMILIES, drawn, sequence  # noqa: E402
from judge import Verdict, judge  # noqa: E402

KINDS = ("right", "refused", "unnamed", "stopped", "wrong")


def judged(cases: list[tuple[str, int]], processes: int = 1) -> Iterator[Verdict]:
    """Verdicts, in the order of the cases."""
    if processes <= 1:
        yield from (judge(*case) for case in cases)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(judge, *zip(*cases, strict=True), chunksize=4)


def table(verdicts: Iterable[Verdict]) -> str:
    """How many of each family ended how."""
    found = list(verdicts)
    columns = (*KINDS, "silent", "alarmed", "needless", "alone")
    lines = [f"{'family':<16}{'all':>7}" + "".join(f"{k:>9}" for k in columns)]
    for family in [*FAMILIES, ""]:
        own = [v for v in found if v.family == family or not family]
        if own:
            counts = Counter(v.kind for v in own)
            lines.append(f"{family or 'all':<16}{len(own):>7}" + "".join(f"{counts[k]:>9}" for k in KINDS)
                         + f"{sum(v.silent for v in own):>9}{sum(v.alarmed for v in own):>9}"
                         + f"{sum(v.needless for v in own):>9}"
                         + f"{sum(v.kind == 'stopped' and not v.confirmed for v in own):>9}")
    return "\n".join(lines)


def causes(verdicts: list[Verdict], kind: str, most: int = 12) -> str:
    """Where mechanisms ended in a way, grouped by the first words of why."""
    groups: dict[str, list[str]] = {}
    for v in verdicts:
        if v.kind == kind:
            groups.setdefault(cause(v), []).append(v.place + ("!" if v.silent or v.needless else ""))
    lines = [f"  {len(places):>5} {why}: {' '.join(places[:most])}{' ...' if len(places) > most else ''}"
             for why, places in sorted(groups.items(), key=lambda item: -len(item[1]))]
    return "\n".join([f"{kind}:", *lines]) if lines else ""


def cause(v: Verdict) -> str:
    """The beginning of a reason without its numbers."""
    line = v.why.split("\n")[0]
    words = [word for word in line.split() if not any(c.isdigit() for c in word)]
    return " ".join(words[:9])


def show_one(place: str) -> None:
    """One mechanism: its parts, its verdict and the numbers."""
    family, seed = place.split(":")
    s = drawn(family, int(seed))
    print(f"{s.model!r}\n  size {s.scale.length:.3g} m, mass {s.scale.mass:.3g} kg, run {s.span * s.scale.time:.3g} s, "
          + f"gravity {s.model.gravity}, given {s.given}")
    for group in s.model.groups().values():
        for part in group.values():
            print(f"  {part!r}"[:160])
    verdict = judge(family, int(seed))
    print(f"{verdict.kind}{' (silent)' if verdict.silent else ''}: {verdict.why}")
    if verdict.kind == "stopped":
        print(f"  confirmed: {verdict.confirmed or 'no'}")
    for name, value in verdict.numbers.items():
        print(f"  {name:<28}{value:.3g}")
    print(f"  steps {verdict.steps}, {verdict.seconds:.3g} s of CPU, warned {verdict.warned}")


def main() -> int:
    """Runs the attack; 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", choices=sorted(FAMILIES))
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--one", help="FAMILY:SEED")
    given = parser.parse_args()
    if given.one:
        show_one(given.one)
        return 0
    cases = ([(given.family, given.seed + k) for k in range(given.count)] if given.family
             else sequence(given.count, given.seed))
    verdicts = list(judged(cases, given.processes))
    print(table(verdicts))
    for kind in ("wrong", "unnamed", "stopped", "refused"):
        if text := causes(verdicts, kind):
            print(text)
    print(f"{sum(v.seconds for v in verdicts):.1f} s of CPU; slowest: "
          + " ".join(f"{v.place} {v.seconds:.1f} s" for v in sorted(verdicts, key=lambda v: -v.seconds)[:3]))
    return int(any(v.kind in ("wrong", "unnamed") for v in verdicts))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
