"""Reading a folder of cards."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from vincolo.formats.cards.bodies import General, add_bodies, read_general, read_starts
from vincolo.formats.cards.connections import Names, read_connections
from vincolo.formats.cards.driving import add_drives
from vincolo.formats.cards.forces import Mechanism, add_force, add_spring, guarded
from vincolo.formats.cards.place import CardError
from vincolo.formats.cards.settings import read_settings
from vincolo.formats.cards.start import begun
from vincolo.formats.cards.text import CARDS, blocks_of, find_card
from vincolo.formats.document import Document
from vincolo.formats.mistakes import Follows, Mistakes
from vincolo.formats.report import Report
from vincolo.model import Model

NEEDED = ("General", "Connection", "Inertial", "Initial configuration")


def read_cards(folder: str | os.PathLike[str], *, strict: bool = True) -> Document:
    """Reads a folder of NumDyn3D cards (.s3d). A force or law of motion that cannot be translated is an error; with
    strict=False it is left out and listed in the report. The mistakes of all cards are reported together."""
    where, mistakes = Path(folder), Mistakes()
    document = mistakes.attempt(_document, where, strict, mistakes)
    mistakes.refuse(f"the cards in '{where.name}'")
    if document is None:
        raise CardError(f"the cards in '{where.name}' could not be read.")
    return document


def _document(where: Path, strict: bool, mistakes: Mistakes) -> Document:
    report, counts = Report(), dict[str, str]()
    paths = _paths(where, report)
    general = mistakes.attempt(read_general, paths["General"], report, mistakes)
    if general is None:
        _read_texts(paths, report, mistakes)
        raise Follows("General could not be read.")
    to = _mechanism(paths, general, where.name, report, mistakes)
    _add_forces(to, paths, strict, counts, mistakes)
    if "Driving Pos" in paths:
        counts["Driving Pos"] = f"{add_drives(to, paths['Driving Pos'], general, strict, mistakes)} drives"
    settings = mistakes.attempt(read_settings, paths.get("QRTol"), general, report)
    if settings is None:
        raise Follows("QRTol could not be read.")
    counts["QRTol"] = f"{settings.method}: {settings.integrator}" + ("" if "QRTol" in paths else " (no card)")
    report.understood += [f"General: {len(to.starts)} bodies", f"Connection: {len(to.connections)} joints",
                          f"Inertial: {len(to.starts)} masses", f"Initial configuration: {len(to.starts)} positions",
                          *(f"{card}: {what}" for card, what in counts.items())]
    # as in NumDyn3D, rates that are not zero are asked for
    asked = {7 * k + i: float(rate) for k, start in enumerate(to.starts) for i, rate in enumerate(start.rates) if rate}
    return Document(to.model, settings, report, where,
                    partial(begun, eulers=[start.euler for start in to.starts], asked=asked))


def _mechanism(paths: dict[str, Path], general: General, title: str, report: Report, mistakes: Mistakes) -> Mechanism:
    """Bodies and joints."""
    names = Names(report)
    called = [names.free(name, "body") for name in general.names]
    starts = read_starts(paths["Initial configuration"], general, report, mistakes)
    model = Model(general.title or title, gravity=(0.0, 0.0, 0.0))
    bodies = add_bodies(model, paths["Inertial"], general, starts, called, report, mistakes)
    connections, whole = read_connections(model, paths["Connection"], bodies, names, report, mistakes)
    return Mechanism(model, bodies, starts, connections, names, report, whole)


def _add_forces(to: Mechanism, paths: dict[str, Path], strict: bool, counts: dict[str, str],
                mistakes: Mistakes) -> None:
    for card, add in (("Force", add_force), ("SPDamp", add_spring)):
        if card in paths:
            blocks = blocks_of(paths[card], to.report, mistakes).blocks
            for block in blocks:
                mistakes.attempt(guarded, to, block, add, strict)
            counts[card] = f"{len(blocks)} blocks"


def _read_texts(paths: dict[str, Path], report: Report, mistakes: Mistakes) -> None:
    """Finds what is wrong with the texts of the other cards, where it is not known which bodies there are."""
    for card, path in paths.items():
        if card not in ("General", "QRTol"):
            blocks_of(path, report, mistakes)
    mistakes.attempt(read_settings, paths.get("QRTol"), General("", (), 0.0, 1.0, 1), report)


def _paths(folder: Path, report: Report) -> dict[str, Path]:
    """The cards that are there; refuses a folder without those that must be."""
    if not folder.is_dir():
        raise CardError(f"there is no folder '{folder}'.\n  Give the folder that has General.s3d and the other cards.")
    found = {name: path for name in CARDS if (path := find_card(folder, name)) is not None}
    missing = [f"{name}.s3d" for name in NEEDED if name not in found]
    if not found:
        raise CardError(f"the folder '{folder.name}' has no model in it: cards of NumDyn3D end in .s3d.\n"
                        "  Give a folder of cards, or the file of a model.")
    if missing:
        raise CardError(f"the folder '{folder.name}' has no {', '.join(missing)}.\n"
                        f"  Cards in it: {', '.join(p.name for p in found.values()) or 'none'}. These must be there: "
                        f"{', '.join(f'{name}.s3d' for name in NEEDED)}.")
    used = {path.name for path in found.values()}
    report.unused += [f"{path.name}: not a card of NumDyn3D" for path in sorted(folder.iterdir())
                      if path.suffix.lower() == ".s3d" and path.name not in used]
    return found
