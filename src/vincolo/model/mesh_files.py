"""Mesh files, read by trimesh; archives are looked at before they are unpacked."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError
from vincolo.optional import library

MOST_ON_DISK = 500_000_000  # bytes
MOST_UNPACKED = 500_000_000  # bytes, of all parts of an archive together
MOST_RATIO = 200  # of unpacked to packed bytes, for parts above a megabyte
PACKED = (".gz", ".tgz", ".bz2", ".xz", ".tar", ".7z", ".rar", ".zst", ".lzma")  # archives that tell no size


def loaded_mesh(what: str, path: str | os.PathLike[str]) -> Any:
    """What trimesh reads from a file; `what` names it in errors."""
    trimesh = library("trimesh", f"{what}: reading mesh files needs the package trimesh", "trimesh")
    _refuse_large(what, Path(path))
    try:
        found = trimesh.load(str(path), force="mesh", process=False)
        found.vertices, found.faces  # noqa: B018  # of what is not a mesh, this fails
    except Exception as error:  # whatever the reader of a broken file may raise
        raise ModelError(f"{what}: it cannot be read ({type(error).__name__}: {error}).\n"
                         "  Is it a mesh, and does its ending (.stl, .obj) say which?") from None
    return found


def _refuse_large(what: str, path: Path) -> None:
    """Refuses files that would fill the memory: an archive can claim anything, and unpack to anything."""
    size = path.stat().st_size
    if size > MOST_ON_DISK:
        raise ModelError(f"{what}: the file has {size / 1e6:,.0f} MB; at most {MOST_ON_DISK / 1e6:.0f} MB are read.\n"
                         "  Save the part with a coarser mesh.")
    if path.suffix.lower() in PACKED:
        raise ModelError(f"{what}: it is packed ({path.suffix}).\n  Unpack it, and give the mesh in it.")
    if zipfile.is_zipfile(path):
        _refuse_bomb(what, path)


def _refuse_bomb(what: str, path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ModelError(f"{what}: the archive is damaged ({error}).\n"
                         "  Copy it again, or give the mesh in it.") from None
    total = sum(part.file_size for part in parts)
    if total > MOST_UNPACKED:
        raise ModelError(f"{what}: unpacked, it has {total / 1e6:,.0f} MB; at most {MOST_UNPACKED / 1e6:.0f} MB are "
                         "read.\n  Save the part with a coarser mesh.")
    for part in parts:
        if part.file_size > 1_000_000 and part.file_size > MOST_RATIO * part.compress_size:
            raise ModelError(f"{what}: its part {part.filename!r} claims to unpack {part.compress_size:,} bytes into "
                             f"{part.file_size:,}.\n  No mesh is packed like this: unpack it yourself, and look at it.")
