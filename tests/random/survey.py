"""Judges many random mechanisms with parts of every kind: python tests/random/survey.py --count 1000 --seed 0
[--processes 2]; one of them again, with its parts: --one 17 [--parts "stop;rope"]."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent.parent / "matrix")]

from any_judge import Outcome, outcome  # noqa: E402
from any_mechanism import drawn_with_parts  # noqa: E402

KINDS = ("correct", "refused", "ended early", "wrong")


def surveyed(seeds: range, processes: int = 1) -> Iterator[Outcome]:
    """Outcomes, in the order of seeds."""
    if processes <= 1:
        yield from map(outcome, seeds)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(outcome, seeds, chunksize=4)


def line(found: Outcome) -> str:
    """One line about an outcome that is not correct."""
    kind = f"{found.kind} [{found.confirmed or 'unconfirmed'}]" if found.kind == "ended early" else found.kind
    return f"{kind} | {found.drawn} | {' '.join(found.why.split())}"


def show_one(seed: int, parts: tuple[str, ...]) -> None:
    """One mechanism: its parts and its outcome."""
    drawn = drawn_with_parts(seed, parts)
    print(drawn)
    for group in drawn.machine.model.groups().values():
        for part in group.values():
            print(f"  {part!r}"[:160])
    found = outcome(seed, parts)
    print(line(found), f"{found.seconds:.3g} s, {found.steps} steps")


def main() -> int:
    """Runs the survey; 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--one", type=int)
    parser.add_argument("--parts", default="")
    options = parser.parse_args()
    if options.one is not None:
        show_one(options.one, tuple(p for p in options.parts.split(";") if p))
        return 0
    counts: Counter[str] = Counter()
    seconds = 0.0
    for n, found in enumerate(surveyed(range(options.seed, options.seed + options.count), options.processes), 1):
        counts[found.kind] += 1
        counts["unconfirmed"] += found.kind == "ended early" and not found.confirmed
        seconds += found.seconds
        if found.kind != "correct":
            print(line(found), flush=True)
        if n % 500 == 0:
            print(f"# {n}: {dict(counts)}, {seconds:.0f} s of CPU", flush=True)
    print(f"{sum(counts[k] for k in KINDS)} mechanisms: {dict(counts)}, {seconds:.0f} s of CPU")
    return int(bool(counts["wrong"] or counts["unconfirmed"]))


if __name__ == "__main__":
    sys.exit(main())
