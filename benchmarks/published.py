"""Published comparisons of formulations, the printed numbers beside ours, as markdown tables.

python benchmarks/published.py [section ...] [--out FOLDER] [--quick]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from compared import carvalho, oldani, vita
from compared.files import write_whole

SECTIONS = {"a": oldani.stabilisers, "b": oldani.iterations, "c": oldani.penalties, "d": vita.pseudoinverses,
            "e": vita.critical, "f": carvalho.pendulum_sweep, "g": oldani.real_time}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--out", type=Path, help="folder of published.md")
    parser.add_argument("--quick", action="store_true", help="without the smallest steps and tolerances")
    arguments = parser.parse_args()
    unknown = set(arguments.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    publish(arguments.out, arguments.quick, arguments.sections or SECTIONS)


def publish(folder: Path | None, quick: bool, sections: Iterable[str] = SECTIONS) -> None:
    """Prints the tables one by one; with a folder, also writes them to published.md."""
    parts = ["# Published comparisons, computed again",
             "Printed numbers are of the documents' programs and machines; CPU times are not comparable with ours."]
    for name in sections:
        print(f"section {name}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
        parts.append(SECTIONS[name](quick))
        print(parts[-1] + "\n", flush=True)
    if folder is not None:
        print("written:", write_whole(folder / "published.md", "\n\n".join(parts) + "\n"))


if __name__ == "__main__":
    main()
