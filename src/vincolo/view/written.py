"""A motion as a file to look at: a web page, or a scene for other programs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError
from vincolo.results.in_units import InUnits
from vincolo.results.result import Result
from vincolo.view.gltf import write_scene
from vincolo.view.page import Labelled, write_page

ENDINGS = (".html", ".htm", ".glb")


def checked_ending(path: Path) -> Path:
    """A path that ends as such files do."""
    if path.suffix.lower() not in ENDINGS:
        raise ModelError(f"{path.name!r} does not say how the motion is to be written.\n  Name a file that ends in "
                         ".html (a page for any browser) or .glb (glTF, for slides and Blender).")
    return path


def write_motion(shown: Result | InUnits | Labelled, path: str | os.PathLike[str], **options: Any) -> Path:
    """Writes a page (.html; options: plots, title, fps, max_mb) or a scene with its motion (.glb; options: fps)."""
    target = checked_ending(Path(path))
    if target.suffix.lower() != ".glb":
        return write_page(shown, target, **options)
    if not isinstance(shown, Result | InUnits):
        raise ModelError(f"{target.name!r}: a glTF file shows one result.\n  Leave the others out, or write .html.")
    unused = [key for key, value in options.items() if key != "fps" and value is not None]
    if unused:
        raise ModelError(f"{target.name!r}: a glTF file has no {' and no '.join(unused)}.\n  Leave that out, or write "
                         ".html.")
    return write_scene(shown, target, **{key: value for key, value in options.items() if key == "fps"})
