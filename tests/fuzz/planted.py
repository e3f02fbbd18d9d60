"""Readers with planted mistakes, to see the fuzzer find them."""

import contextlib
import os
import subprocess
from pathlib import Path

from guard import Target

from vincolo.errors import FileError


def fails(folder: Path) -> None:
    """Raises an error of a wrong class, three characters deep."""
    data = (folder / "file").read_bytes()
    if data[:1] != b"<":
        raise FileError("file: it does not begin with <.")
    if b"0" in data:
        raise KeyError("no number")


def hangs(folder: Path) -> None:
    """Never ends, and catches what it can."""
    while True:
        with contextlib.suppress(Exception):
            sum(range(1000))


def silent(folder: Path) -> None:
    """Says nothing."""
    raise FileError("")


def misplaced(folder: Path) -> None:
    """Does not say where."""
    raise FileError("something is wrong.")


def broken(folder: Path) -> None:
    """Has a message that no terminal can show."""
    raise FileError("file: \ud800")


MISTAKES = {
    "wrong class": (fails, "KeyError"), "endless": (hangs, "TooLong"), "silent": (silent, "no place"),
    "misplaced": (misplaced, "no place"), "unprintable": (broken, "message cannot be shown"),
    "memory": (lambda folder: bytearray(1_500_000_000), "MemoryError"),
    "command": (lambda folder: os.system("true"), "did more than read: os.system"),
    "program": (lambda folder: subprocess.run(["true"]), "did more than read: subprocess.Popen"),
    "writes": (lambda folder: (folder / "more").write_text("x"), "did more than read: open"),
    "removes": (lambda folder: (folder / "file").unlink(), "did more than read: os.remove"),
    "evaluates": (lambda folder: eval("1 + 1"), "did more than read: exec"),
    "crash": (lambda folder: os.abort(), "the interpreter ended with code -6"),
}


def targets(folder: Path, chosen: list[str]) -> list[Target]:
    """The readers of these names."""
    return [Target(name, [{"file": b"<robot mass='1'>"}], MISTAKES[name][0], "file") for name in chosen]
