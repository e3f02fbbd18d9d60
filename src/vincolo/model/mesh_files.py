"""Mesh files, read by trimesh, and STEP files by cascadio; archives are looked at before they are unpacked."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError
from vincolo.optional import library

MOST_ON_DISK = 500_000_000  # bytes
MOST_UNPACKED = 500_000_000  # bytes, of all parts of an archive together
MOST_RATIO = 200  # of unpacked to packed bytes, for parts above a megabyte
SOLIDS = (".step", ".stp")
DEFLECTION = 0.01  # in the unit of the file: how far facets may be from a curved surface
TURN = 0.05  # rad: the largest angle between facets; a round bar is 0.04 % too light with it
PACKED = (".gz", ".tgz", ".bz2", ".xz", ".tar", ".7z", ".rar", ".zst", ".lzma")  # archives that tell no size


def loaded_mesh(what: str, path: str | os.PathLike[str]) -> Any:
    """What trimesh reads from a file; `what` names it in errors."""
    trimesh = library("trimesh", f"{what}: reading mesh files needs the package trimesh", "trimesh")
    _refuse_large(what, Path(path))
    if Path(path).suffix.lower() in SOLIDS:
        return _tessellated(what, Path(path), trimesh)
    try:
        found = trimesh.load(str(path), force="mesh", process=False)
        found.vertices, found.faces  # noqa: B018  # of what is not a mesh, this fails
    except Exception as error:  # whatever the reader of a broken file may raise
        raise ModelError(f"{what}: it cannot be read ({type(error).__name__}: {error}).\n"
                         "  Is it a mesh, and does its ending (.stl, .obj) say which?") from None
    return found


def _tessellated(what: str, path: Path, trimesh: Any) -> Any:
    """A STEP file as triangles in metres, whatever its own unit; curved surfaces by facets."""
    cascadio = library("cascadio", f"{what}: reading STEP files needs the package cascadio", "cascadio")
    try:
        data = cascadio.load(path.read_bytes(), file_type="step", tol_linear=DEFLECTION, tol_angular=TURN)
        found = trimesh.load(io.BytesIO(data), file_type="glb", force="mesh", process=False) if data else None
    except Exception as error:  # whatever the reader of a broken file may raise
        raise ModelError(f"{what}: it cannot be read ({type(error).__name__}: {error}).\n"
                         "  Save it as STEP (AP203 or AP214) from your CAD program.") from None
    if found is None or not len(found.faces):
        raise ModelError(f"{what}: there is no solid in it.\n  Save it as STEP (AP203 or AP214) from your CAD program.")
    found.merge_vertices(merge_tex=True, merge_norm=True)  # each face has its own
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
