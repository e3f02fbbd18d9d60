"""The page of a suspension, served for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vincolo.cli.suspension_page import Design, DesignServer
from vincolo.cli.suspensions import Wish
from vincolo.formats.excel import write_template


@contextmanager
def served_design(folder: Path) -> Iterator[tuple[Path, Design, str]]:
    """The file of a front suspension, what is shown of it, and the address of its page."""
    path = folder / "front.xlsx"
    write_template("fs-front", path)
    design = Design(str(path), [], Wish(positions=5))
    server = DesignServer(design)
    try:
        yield path, design, server.address
    finally:
        server.close()
