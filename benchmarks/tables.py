"""Writes the tables of README.md anew from the last measurement of each kind in the history: numbers are not typed.

python benchmarks/tables.py [--check]
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import history

README = Path(__file__).parent / "README.md"
PEERS = ("exudyn", "mujoco", "pinocchio")
ACCURACIES = ("1e-3", "1e-5")
Figures = dict[str, float]


def bench(figures: Figures) -> list[list[str]]:
    """Times in ms for both accuracies, the fastest peer over ours, and Auto over the best setting."""
    rows = [["problem", "vincolo", *PEERS, "best peer / vincolo", "auto / best"]]
    for problem in first_words(figures):
        at = {engine: [figures.get(f"{problem} {a} {engine} [ms]") for a in ACCURACIES]
              for engine in ("vincolo", *PEERS)}
        peers = [[at[p][k] for p in PEERS if at[p][k]] for k in range(2)]
        faster = [f"{min(p) / own:.1f}" if p and own else "-" for p, own in zip(peers, at["vincolo"], strict=True)]
        automatic = [number(figures.get(f"{problem} {a} auto/best"), ".2f") for a in ACCURACIES]
        times = [pair(map(short, both)) for both in at.values()]
        rows.append([problem, *times, pair(faster), pair(automatic)])
    return rows


def as_asked(figures: Figures) -> list[list[str]]:
    """Auto over the best of those that keep the tracked point, and velocities within some tolerances."""
    rows = [["problem", "velocities within 1", "within 10", "any velocities"]]
    for problem in first_words(figures):
        ratios = [[number(figures.get(f"{problem} {a} auto/best {what}"), ".2f") for a in ("1e-03", "1e-05")]
                  for what in ("1", "10", "any")]
        rows.append([problem, *map(pair, ratios)])
    return rows


def growth(figures: Figures) -> list[list[str]]:
    """Microseconds per evaluation and body."""
    keys = [re.fullmatch(r"(\w+) (\d+) (.+) \[us per body\]", name) for name in figures]
    known = [key.groups() for key in keys if key]
    engines = list(dict.fromkeys(engine for _, _, engine in known))
    rows = [["family", "bodies", *engines]]
    for family in dict.fromkeys(f for f, _, _ in known):
        sizes = list(dict.fromkeys(n for f, n, _ in known if f == family))
        times = [[number(figures.get(f"{family} {n} {e} [us per body]"), ".2f") for n in sizes] for e in engines]
        rows.append([family, ", ".join(sizes), *map(", ".join, times)])
    return rows


def robots(figures: Figures) -> list[list[str]]:
    """Microseconds per evaluation."""
    keys = [re.fullmatch(r"(\w+) (accelerations|inverse dynamics) (.+) \[us\]", name) for name in figures]
    known = [key.groups() for key in keys if key]
    engines = list(dict.fromkeys(engine for _, _, engine in known))
    return [["robot", "task", *engines]] + [
        [robot, task, *(number(figures.get(f"{robot} {task} {e} [us]"), ".3g", "") for e in engines)]
        for robot, task in dict.fromkeys((r, t) for r, t, _ in known)]


def first_step(figures: Figures) -> list[list[str]]:
    """Least CPU times in ms of the stages, and two threads beside one."""
    stages = ["build", "compile", "assemble", "mobility", "step", "from model"]
    keys = [re.fullmatch(r"(.+) compile \[ms\]", name) for name in figures]
    rows = [["model", *stages]] + [[m, *(number(figures.get(f"{m} {s} [ms]"), ".2f") for s in stages)]
                                   for m in (key[1] for key in keys if key)]
    width = len(stages)
    for name, value in figures.items():
        if name.endswith(" two threads"):
            label = f"variants, {name.removesuffix(' two threads')}: two threads over one"
            rows.append([label, f"{value:.2f}", *[""] * (width - 1)])
    return rows


def analyses(figures: Figures) -> list[list[str]]:
    """Figures as they are called."""
    return [["what", "found"], *([name, short(value)] for name, value in figures.items())]


TABLES: dict[str, Callable[[Figures], list[list[str]]]] = {
    "bench": bench, "as_asked": as_asked, "growth": growth, "robots": robots, "first_step": first_step,
    "analyses": analyses}


def first_words(figures: Figures) -> Iterable[str]:
    return dict.fromkeys(name.split()[0] for name in figures)


def number(value: float | None, form: str, missing: str = "-") -> str:
    return missing if value is None else f"{value:{form}}"


def short(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def pair(texts: Iterable[str]) -> str:
    return " / ".join(texts)


def written(entry: dict, rows: list[list[str]]) -> str:
    """A table in Markdown under a line that says when and where it was measured."""
    peers = ", ".join(f"{name} {number}" for name, number in entry["peers"].items())
    loads = [value for name, value in entry["figures"].items() if name.endswith(" load")] or entry["load"][:1]
    load = f"{min(loads):g} to {max(loads):g}" if max(loads) > min(loads) else f"{loads[0]:g}"
    date = entry["date"][:16].replace("T", " ")
    head = f"{date} UTC, {entry['processor']}, {entry['cores']} cores, load {load}; kernel {entry['kernel']}"
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    note = f" {entry['note']}" if entry.get("note") else ""
    return "\n".join([f"{head}; {peers}.{note}", "", *("| " + " | ".join(line) + " |" for line in lines)])


def whole(entries: list[dict]) -> list[dict]:
    """Measurements of as many problems, families or robots as any: those of a single one do not make a table."""
    widths = [len(list(first_words(entry["figures"]))) for entry in entries]
    return [entry for entry, width in zip(entries, widths, strict=True) if width == max(widths)]


def renewed(text: str) -> str:
    """The text with every table between its marks made anew, where something was measured."""
    for what, made in TABLES.items():
        known = whole([entry for entry in history.entries() if entry["what"] == what])
        marks = re.compile(rf"(<!-- table {what} -->\n)(?:(?!<!--).)*(<!-- end -->)", re.DOTALL)
        if not marks.search(text):
            raise SystemExit(f"{README.name} has no place for a table: <!-- table {what} --> and <!-- end --> below")
        if known:
            table = written(known[-1], made(known[-1]["figures"]))
            text = marks.sub(lambda found, table=table: found[1] + table + "\n" + found[2], text)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether the tables are those of the history")
    text = README.read_text(encoding="utf-8")
    new = renewed(text)
    if parser.parse_args().check:
        raise SystemExit(0 if new == text else f"{README.name} is older than the history; python benchmarks/tables.py")
    temporary = README.with_suffix(".tmp")
    temporary.write_text(new, encoding="utf-8")
    os.replace(temporary, README)


if __name__ == "__main__":
    main()
