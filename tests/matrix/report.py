"""Prints axes, counts and outcomes of the combination matrix: python tests/matrix/report.py [--fast] [--way NAME]
[--part NAME] [--mechanism NAME] [--share K/N] [--dry]."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]

from cases import AXES, all_cases, fast_cases, pair_count  # noqa: E402
from cover import covered  # noqa: E402
from outcomes import outcome_of  # noqa: E402

KINDS = ("correct", "refused", "ended early", "wrong", "crash", "hang")


def axes_table() -> str:
    """Values of each axis, cases and pairs."""
    lines = [f"{name:<10} {len(values):>3}: {', '.join(values)}" for name, values in AXES.items()]
    whole, fast, pairs = all_cases(), fast_cases(), pair_count()
    lines += [f"{len(whole):,} cases cover {len(covered(whole)):,} of {pairs:,} pairs",
              f"{len(fast):,} of them in the fast suite, which cover {len(covered(fast)):,} pairs"]
    return "\n".join(lines)


def outcomes_table(rows: list[tuple]) -> str:
    """Outcomes by way of running."""
    lines = [f"{'way':<20}{'all':>6}" + "".join(f"{kind:>12}" for kind in KINDS)]
    for way in (*AXES["way"], ""):
        counts = Counter(outcome.kind for case, outcome, _ in rows if way in ("", case[2]))
        if counts:
            lines.append(f"{way or 'all':<20}{counts.total():>6}" + "".join(f"{counts[kind]:>12}" for kind in KINDS))
    return "\n".join(lines)


def main() -> int:
    """Runs the cases that are asked for; 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--share", default="1/1", help="K/N: every N-th case from the K-th on")
    for axis in ("mechanism", "part", "way", "units"):
        parser.add_argument(f"--{axis}")
    options = parser.parse_args()
    print(axes_table(), flush=True)
    if options.dry:
        return 0
    first, step = map(int, options.share.split("/"))
    wanted = [getattr(options, axis) for axis in AXES]
    cases = [case for case in (fast_cases() if options.fast else all_cases())
             if all(want in (None, value) for want, value in zip(wanted, case, strict=True))][first - 1::step]
    rows = []
    for case in cases:
        begun = time.process_time()
        outcome = outcome_of(*case)
        rows.append((case, outcome, time.process_time() - begun))
        if not outcome.accepted:
            print(f"{outcome.kind}: {' | '.join(case)}: {' '.join(outcome.why.split())[:300]}", flush=True)
    print(outcomes_table(rows))
    print("refusals and early ends:")
    for why, count in Counter(o.why for _, o, _ in rows if o.accepted and o.why).most_common():
        print(f"{count:>5} {why}")
    slow = sorted(rows, key=lambda row: -row[2])[:5]
    print(f"{sum(row[2] for row in rows):.1f} s of CPU; slowest: "
          + ", ".join(f"{' | '.join(case)} {seconds:.1f} s" for case, _, seconds in slow))
    return int(any(not outcome.accepted for _, outcome, _ in rows))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
