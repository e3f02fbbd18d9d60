"""What was measured when, on which machine: one line of JSON for each measurement, at the end of a file."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from machine import machine

FILE = Path(os.environ.get("VINCOLO_BENCH_HISTORY") or Path(__file__).parent / "history.jsonl")


def append(what: str, figures: dict[str, float], path: Path = FILE) -> None:
    """Adds a measurement: date, machine and its load, versions, kernel, and the figures by name with their units."""
    kept = {name: float(f"{value:.4g}") for name, value in figures.items() if value is not None}
    entry = {"what": what, "date": datetime.now(UTC).isoformat(timespec="seconds"), **machine(), "figures": kept}
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def entries(path: Path = FILE) -> list[dict]:
    """All measurements, the oldest first. A line that a killed program left unfinished is left out."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found
