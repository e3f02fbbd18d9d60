"""Formulations, stabilisations and integrators compared on ten mechanisms, in one table.

python benchmarks/formulations.py [problem ...] [--out FOLDER] [--quick] [--published]
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
import time
from pathlib import Path

from compared import cases, grid, page, runs  # first: sets one thread and the paths
from compared.files import write_whole

FOLDER = Path(__file__).parent / "out"
CAP = {"full": 2.0, "quick": 0.5}  # s of CPU time of one run, above which it is stopped
QUICK = ("oldani_spherical", "oldani_revolute", "A01", "A04", "critical")

Row = dict[str, object]


def main() -> None:
    arguments = parsed_arguments()
    rows = table(arguments.problems, arguments.quick)
    written = [write_whole(arguments.out / "formulations.csv", as_csv(rows)),
               write_whole(arguments.out / "formulations.html", page.html(rows))]
    print("written:", ", ".join(str(path) for path in written))
    if arguments.published:
        import published

        published.publish(arguments.out, arguments.quick)


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="*", metavar="problem", help=", ".join(cases.CASES))
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of formulations.csv and .html")
    parser.add_argument("--quick", action="store_true", help="one step per problem, fewer problems")
    parser.add_argument("--published", action="store_true", help="also the published comparisons")
    arguments = parser.parse_args()
    unknown = set(arguments.problems) - set(cases.CASES)
    if unknown:
        parser.error(f"no problem called {', '.join(sorted(unknown))}; there are {', '.join(cases.CASES)}")
    arguments.problems = arguments.problems or list(QUICK if arguments.quick else cases.CASES)
    return arguments


def table(names: list[str], quick: bool) -> list[Row]:
    """All rows; a progress line on stderr tells how far it is."""
    planned = [(name, case, list(grid.combinations(case, quick)))
               for name, case in ((name, cases.CASES[name]()) for name in names)]
    count = sum(len(combinations) for *_, combinations in planned)
    rows: list[Row] = []
    begun = time.monotonic()
    for name, case, combinations in planned:
        for combination in combinations:
            rows.append(row(name, case, combination, quick))
            progress(len(rows), count, name, time.monotonic() - begun)
    sys.stderr.write("\n")
    return rows


def progress(done: int, count: int, name: str, seconds: float) -> None:
    sys.stderr.write(f"\r{done} of {count} runs, {seconds:.0f} s, {name:<20}")
    sys.stderr.flush()


def row(name: str, case: cases.Case, combination: grid.Combination, quick: bool) -> Row:
    """One combination as a row, by the names of the columns."""
    formulation, coordinates, stabilisation, setting = combination
    m = runs.timed(case, setting, CAP["quick" if quick else "full"])
    return {
        "problem": name, "redundant rows": case.redundant, "formulation": formulation, "coordinates": coordinates,
        "stabilisation": stabilisation, "integrator": type(setting.integrator).__name__,
        "step": setting.step or f"rtol {setting.integrator.options()['rtol']:g}",
        "CPU time": m.cpu if m.ok else None, "real-time factor": case.until / m.cpu if m.ok and m.cpu else None,
        "worst single step": m.worst_step, "trajectory error": m.error if m.reached > 0 else None,
        "position residual": m.position_residual, "velocity residual": m.velocity_residual,
        "energy drift": m.energy_drift, "iterations": m.iterations, "most iterations": m.most_iterations,
        "decompositions": m.decompositions, "outcome": m.outcome,
    }  # fmt: skip


def as_csv(rows: list[Row]) -> str:
    """The table with full digits; empty where there is no number."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(page.COLUMNS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


if __name__ == "__main__":
    main()
