"""vincolo equations: the equations of a model, typeset, or as a program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vincolo.cli.common import guarded, opened, print_json, say
from vincolo.cli.places import Places
from vincolo.errors import ModelError
from vincolo.symbolic.display import WRITERS
from vincolo.symbolic.equations import Equations
from vincolo.symbolic.equations import equations as make_equations
from vincolo.symbolic.parameters import ALL

PROGRAMS = {".c": "c", ".f90": "fortran", ".py": "python"}
COMPILED = (".c", ".f90")  # with a file beside them that builds them
SECONDS = 10.0  # of a program, if the model says nothing


def write_equations(path: str, changes: list[str], output: Path | None, options: dict[str, Any], force: bool,
                    as_json: bool) -> None:
    """Prints the equations of a model, or writes them to a file in the form that its ending asks for."""
    with guarded(as_json) as heard:
        document = opened(path, changes, as_json)
        known = (*WRITERS, *PROGRAMS)
        if output is not None:
            if output.suffix.lower() not in known:
                raise ModelError(f"--out {output.name}: equations are written as {', '.join(known)}.\n"
                                 "  Choose one of these endings.")
            places = Places(document.files, force)
            places.check("--out", output)
            if output.suffix.lower() in COMPILED:
                places.check("--out", output.with_suffix(".mk"))
        eqs = make_equations(document.system, options["index"], options["coordinates"],
                             symbols=_symbols(options["symbols"]), angles=options["angles"])
        if output is None:
            _tell(eqs, as_json, heard)
            return
        written = _written(eqs, document, output, options)
        if as_json:
            print_json({"model": document.model.name, "written": [str(p) for p in written], "warnings": heard})
            return
        for file in written:
            say(f"written: {file}")


def _symbols(texts: list[str]) -> dict[str, str] | str | None:
    """What --symbols asks for: "all", or names such as crank.mass=m_1."""
    if not texts:
        return None
    if texts == [ALL]:
        return ALL
    found: dict[str, str] = {}
    for text in texts:
        name, sign, symbol = text.partition("=")
        if not sign or not symbol.strip():
            raise ModelError(f"--symbols {text!r} is neither 'all' nor a name with its symbol.\n"
                             "  Write --symbols all, or --symbols crank.mass=m_1.")
        found[name.strip()] = symbol.strip()
    return found


def _tell(eqs: Equations, as_json: bool, heard: list[str]) -> None:
    if as_json:
        print_json({"model": eqs.mechanism.model.name, "coordinates": eqs.coordinates, "index": eqs.index,
                    "q": [str(x) for x in eqs.q], "u": [str(x) for x in eqs.u], "rows": eqs.row_names,
                    **{name: getattr(eqs, name).tolist() and [[str(x) for x in row] for row in
                                                              getattr(eqs, name).tolist()]
                       for name in ("M", "Q", "Psi", "Psi_q", "Psi_t", "gamma")}, "warnings": heard})
        return
    say(eqs.text().rstrip())


def _written(eqs: Equations, document: Any, output: Path, options: dict[str, Any]) -> list[Path]:
    language = PROGRAMS.get(output.suffix.lower())
    if language is None:
        return [eqs.save(output)]
    until = options["until"] or document.settings.until or SECONDS
    program = eqs.program(language, until=until, start=document.start(), outputs=options["outputs"],
                          steps=options["steps"])
    file = program.save(output)
    build = file.with_suffix(".mk")
    return [file, build] if program.printed.command else [file]
