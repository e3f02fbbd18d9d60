"""Published comparisons of formulations, the printed numbers beside ours, as markdown tables.

python benchmarks/published.py [section ...] [--out FOLDER] [--quick]
python benchmarks/published.py --document    writes the tables of docs/formulations.md that come from here anew
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from compared import carvalho, oldani, vita
from compared.files import write_whole

SECTIONS = {"a": oldani.stabilisers, "b": oldani.iterations, "c": oldani.penalties, "d": vita.pseudoinverses,
            "e": vita.critical, "f": carvalho.pendulum_sweep, "g": oldani.real_time}
DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "formulations.md"
IN_SHORT = {"b": oldani.iterations_in_short, "d": vita.pseudoinverses_in_short}  # the tables of the document
TABLE = "<!-- made by benchmarks/published.py --document: section {name} -->\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--out", type=Path, help="folder of published.md")
    parser.add_argument("--document", action="store_true", help="write the tables of docs/formulations.md anew")
    parser.add_argument("--quick", action="store_true", help="without the smallest steps and tolerances")
    arguments = parser.parse_args()
    unknown = set(arguments.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    if arguments.document:
        write_whole(DOCUMENT, documented(DOCUMENT.read_text(), {name: make() for name, make in IN_SHORT.items()}))
        return
    publish(arguments.out, arguments.quick, arguments.sections or SECTIONS)


def documented(text: str, tables: Mapping[str, str]) -> str:
    """The document with these tables, each behind its mark, in place of those it has."""
    for name, table in tables.items():
        before, mark, after = text.partition(TABLE.format(name=name))
        if not mark:
            sys.exit(f"{DOCUMENT.name} has no mark for section {name}: {TABLE.format(name=name)}")
        text = before + mark + table + after[after.index("\n\n"):]
    return text


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
