"""What all commands share: messages, warnings, JSON, changes."""

from __future__ import annotations

import json
import math
import re
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from vincolo.errors import FileError, ModelError, VincoloError, VincoloWarning
from vincolo.formats import open_model
from vincolo.formats.document import Document
from vincolo.formats.tree.changes import written
from vincolo.formats.tree.notation import scalar
from vincolo.model.checks import harmless
from vincolo.results.facts import json_ready
from vincolo.results.in_units import checked_units

_NOT_USERS = (sysconfig.get_path("stdlib"), str(Path(__file__).parents[1]))  # folders of Python and of this package
#: what messages say of Python, as commands have it
COMMANDS = {"linearize() tells more": "`vincolo modes` tells more", ", or export() them": ", or --export them",
            "Run it again with outputs.": "Run it again with --outputs.", ", or allow more with max_mb=": "",
            "; result.keys() lists them all": "; `vincolo plot FOLDER` lists them all",
            "such as vincolo.integrators.DormandPrince()": "such as --integrator DormandPrince",
            "such as vincolo.integrators.Radau()": "such as --integrator Radau", "leave stabilisation= out.": "",
            ", in Python run(accept_missing=True)": "", "Pass another guess=": "Draw it nearer to where it closes"}
ENDED_EARLY, WRONG_INPUT, ELSEWHERE, INTERRUPTED = 1, 2, 3, 130  # exit codes

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def be_quiet() -> None:
    """Says nothing from now on but errors and warnings."""
    out.quiet = True


def lively() -> bool:
    """Whether somebody watches, so that progress is worth showing."""
    return err.is_terminal and not out.quiet


@contextmanager
def guarded(as_json: bool = False) -> Iterator[list[str]]:
    """Turns errors into messages and exit codes; yields the list of warnings, which are shown at the end."""
    heard: list[str] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = partial(_hear, heard, as_json)
            yield heard
    except (VincoloError, OSError) as error:
        fail(str(error) or type(error).__name__, as_json)
    except MemoryError:
        fail("there is not enough memory for this.", as_json)
    except KeyboardInterrupt:
        fail("interrupted.", as_json, INTERRUPTED)


def _concerns(category: type[Warning], filename: str) -> bool:
    """Whether a warning is for the user: one of ours, or of a program of the user's own, but not of a library."""
    if issubclass(category, VincoloWarning):
        return True
    file = Path(filename)
    library = not {"site-packages", "dist-packages"}.isdisjoint(file.parts) or any(map(file.is_relative_to, _NOT_USERS))
    return not library and not issubclass(category, DeprecationWarning)


def _hear(heard: list[str], as_json: bool, message: Warning, category: type[Warning], filename: str, *_: Any) -> None:
    text = str(message)
    if _concerns(category, filename) and text not in heard:
        heard.append(text)
        if not as_json:
            ended = text.startswith(("the run ended early", "the motion ended early"))
            say_error(*(("error", "red") if ended else ("warning", "yellow")), spoken(text))


def spoken(text: str) -> str:
    """A message for somebody who types commands: without the names of Python functions that it begins with."""
    plain = re.sub(r"(?m)^(\s*)[a-z_]\w*\(\): ", r"\1", text)
    for python, command in COMMANDS.items():
        plain = plain.replace(python, command)
    return plain


def fail(message: str, as_json: bool = False, code: int = WRONG_INPUT) -> None:
    """Says what is wrong and ends the program."""
    told = spoken(message)
    if as_json:
        print_json({"error": told})
    else:
        say_error("error", "red", told)
    raise typer.Exit(code)


def say_error(word: str, colour: str, message: str) -> None:
    """A message on the error stream, its first word in colour."""
    err.print(f"[bold {colour}]{word}:[/] ", end="")
    err.print(harmless(message, "\n\t"), markup=False)


def say(text: str = "") -> None:
    """Plain text on the output."""
    out.print(harmless(text, "\n\t"), markup=False)


def print_json(data: Any) -> None:
    """One object for machines; what is not finite is null."""
    sys.stdout.write(json.dumps(json_ready(data), allow_nan=False) + "\n")


def changes_of(texts: list[str]) -> dict[str, Any]:
    """Changes from texts such as crank.mass=2."""
    found: dict[str, Any] = {}
    for given in texts:
        text = given.encode(errors="backslashreplace").decode()  # bytes of a terminal that are not text
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise FileError(f"--set {text!r} is not a change.\n  Write --set name=value, such as --set crank.mass=2.")
        if name.strip() in found:
            raise FileError(f"--set {name.strip()} is given twice.")
        number = scalar(value.strip())
        if isinstance(number, float) and not math.isfinite(number):
            raise FileError(f"--set {text}: a finite number is needed.")
        found[name.strip()] = written(number)
    return found


def worth_seeing(names: Sequence[str]) -> list[str]:
    """Series to suggest: what the model measures, coordinates of joints, places of bodies; time where there is none."""
    ends = (".angle", ".travel", ".length")
    known = set(names)
    return [*(n for n in names if "." not in n and f"{n}.rate" in known), *(n for n in names if n.endswith(ends)),
            *(n for n in names if n.endswith(".x"))] or ["t"]


def units_of(texts: Sequence[str]) -> list[str]:
    """Units from texts such as mm,deg."""
    found = [unit.strip() for text in texts for unit in text.split(",") if unit.strip()]
    try:
        checked_units(found)
    except ModelError as error:
        raise ModelError(f"--unit: {error}") from None
    return found


def opened(path: str, texts: list[str], as_json: bool, verbose: bool = False) -> Document:
    """The model in a file, changed; says what was left out of it, and with `verbose` all that was understood."""
    document = open_model(path, changes_of(texts))
    if verbose and not as_json and str(document.report):
        say(str(document.report))
    elif document.report.left_out and not as_json:
        say_error("note", "cyan", f"{len(document.report.left_out)} parts of the file were left out; --verbose shows "
                                  "all that was read.")
    return document
