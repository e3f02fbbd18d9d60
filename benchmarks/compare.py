"""Two measurements of the history beside each other: what has become faster or slower.

python benchmarks/compare.py [--list] [--what growth] [--first -2] [--second -1] [--least 1.2]
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import history

SAME = ("processor", "cores", "kernel", "python", "peers")  # what must not differ for ratios to mean something


def main() -> None:
    arguments = parsed_arguments()
    known = [e for e in history.entries(arguments.file) if arguments.what in (None, e["what"])]
    if arguments.list or not known:
        print("\n".join(f"{k:>4}  {head(entry)}" for k, entry in enumerate(known)) or "nothing was measured yet")
        return
    second = chosen(known, arguments.second)
    first = chosen([e for e in known if e["what"] == second["what"]], arguments.first)
    print(told(first, second, arguments.least))


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="only list the measurements, with their numbers")
    parser.add_argument("--what", help="growth, robots or bench")
    parser.add_argument("--first", type=int, default=-2, help="number of the earlier one, from 0, or from the end: -2")
    parser.add_argument("--second", type=int, default=-1, help="number of the later one")
    parser.add_argument("--least", type=float, default=1.2, help="ratios nearer to one are not shown")
    parser.add_argument("--file", type=Path, default=history.FILE)
    return parser.parse_args()


def chosen(known: list[dict], number: int) -> dict:
    if not -len(known) <= number < len(known):
        raise SystemExit(f"there is no measurement {number}: there are {len(known)} of this kind; --list shows them")
    return known[number]


def head(entry: dict) -> str:
    return (f"{entry['what']} of {entry['date']}, vincolo {entry['vincolo']}, kernel {entry['kernel']}, "
            f"load {entry['load'][0]} on {entry['cores']} cores, {len(entry['figures'])} figures")


def told(first: dict, second: dict, least: float) -> str:
    """Heads, what makes them hard to compare, and the ratios that differ from one."""
    lines = [f"first   {head(first)}", f"second  {head(second)}"]
    other = [name for name in SAME if first.get(name) != second.get(name)]
    lines += [f"careful: {name} was {first.get(name)!r} and is {second.get(name)!r}" for name in other]
    common = ratios(first, second)
    shown = {name: r for name, r in common.items() if max(r, 1 / r) >= least}
    for name, r in sorted(shown.items(), key=lambda pair: -pair[1]):
        word = "slower" if r > 1 else "faster"
        lines.append(f"{name:<44}{first['figures'][name]:>10.4g}{second['figures'][name]:>10.4g}"
                     f"{max(r, 1 / r):>8.2f} times {word}")
    lines.append(f"{len(common)} figures in both, {len(common) - len(shown)} within {least:g}; "
                 f"geometric mean of second / first {mean(list(common.values())):.2f}")
    return "\n".join(lines)


def ratios(first: dict, second: dict) -> dict[str, float]:
    """Second over first, of the times that both have: names with a unit."""
    a, b = first["figures"], second["figures"]
    times = [name for name in b if name.endswith("]") and not name.endswith("per s]")]
    return {name: b[name] / a[name] for name in times if a.get(name) and b[name]}


def mean(values: list[float]) -> float:
    """Geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


if __name__ == "__main__":
    main()
