"""Measured rows in benchmarks/out, written so that an interrupted run never spoils what is there."""

from __future__ import annotations

import json
import os
from pathlib import Path

FOLDER = Path(__file__).parent / "out"


def write(name: str, content: list | dict) -> Path:
    """Write under a temporary name, then move into place."""
    FOLDER.mkdir(exist_ok=True)
    target = FOLDER / name
    temporary = target.with_suffix(".tmp")
    temporary.write_text(json.dumps(content, indent=1) + "\n")
    os.replace(temporary, target)
    return target


def replace_rows(name: str, rows: list[dict], *, problem: str) -> None:
    """Put the new rows of one problem in place of its old ones and keep those of all others."""
    path = FOLDER / name
    old = json.loads(path.read_text()) if path.exists() else []
    write(name, [r for r in old if r["problem"] != problem] + rows)
