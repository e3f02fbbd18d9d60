"""The text of a YAML file as plain data that knows its lines."""

from __future__ import annotations

from pathlib import Path

from vincolo.errors import FileError
from vincolo.formats.tree.notation import fill
from vincolo.formats.tree.source import Source, shown

LARGEST = 20_000_000  # bytes


def read(path: Path) -> Source:
    """The data of a file."""
    source = Source(path.name)
    text = _text(source, path)
    fill(source, text)
    if source.data is None:
        raise FileError(f"{source.file}: the file is empty.\n  A model has at least one body:\n"
                        "  bodies: {ball: {mass: 1.0, inertia: 0.1}}")
    if not isinstance(source.data, dict):
        raise source.error((), f"a model is a map of keys such as 'bodies:' and 'joints:', not {shown(source.data)}.")
    return source


def _text(source: Source, path: Path) -> str:
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise FileError(f"{source.file}: the file has {size / 1e6:.0f} MB; a model has {LARGEST / 1e6:.0f} MB at "
                            "most.\n  Long tables of numbers are better read by Python and passed to a Spline.")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        near = ", ".join(sorted(p.name for p in path.parent.glob("*.y*ml"))[:8]) if path.parent.is_dir() else ""
        raise FileNotFoundError(f"there is no file {str(path)!r}.\n  YAML files in that folder: {near or 'none'}."
                                ) from None
    except UnicodeDecodeError as error:
        raise FileError(f"{source.file}: byte {error.start} is not UTF-8 text.\n"
                        "  Save the file as UTF-8; files that are not text cannot be read.") from None
