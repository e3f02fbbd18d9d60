"""Writes docs/pictures/*.png: examples and the motions of the first hour, as pictures for README and the documents.

    python docs/make_pictures.py
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import sys
from pathlib import Path
from typing import Any

import vincolo as vc
from vincolo.scene.picture import picture

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures"

#: example | how long it runs [s] | what its picture shows
PICTURES: dict[str, tuple[float, dict[str, Any]]] = {
    "slider_crank": (1.0, {"t": 0.92, "labels": ["crank", "rod", "slider"], "traces": ["rod"],
                           "vectors": ["slider.velocity"]}),
    "mcpherson": (2.0, {"t": 0.6, "labels": ["arm", "strut", "tie rod", "wheel", "road"]}),
    "bricard": (2.0, {"t": 0.3, "traces": ["third pin"]}),
    "car": (1.0, {"t": 0.5}),
    "flyball_governor": (1.0, {"t": 0.48, "traces": ["left", "right"], "vectors": ["right.velocity"]}),
}
#: motion of the first hour | the name it has there, and what its picture shows
TUTORIAL: dict[str, tuple[str, dict[str, Any]]] = {
    "pendulum": ("result", {"t": 0.3}), "four_bar": ("turn", {"t": 0.1, "traces": ["coupler"]}),
    "engine": ("run", {"t": 0.01}), "suspension": ("move", {"t": 0.0}),
    "bead": ("slide", {"t": 0.0, "traces": ["bead"]}),
}


def tutorial() -> dict[str, Any]:
    """The motions of the first hour: its blocks are run."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for block in re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "tutorial.md").read_text(), re.M | re.S):
            exec(block, names)
    return {title: names[name] for title, (name, _) in TUTORIAL.items()}


def example(name: str) -> vc.Model:
    """The model of an example."""
    folder = ROOT / "examples"
    sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build()  # type: ignore[no-any-return]


def taken(name: str) -> Any:
    """The picture of an example."""
    until, shown = PICTURES[name]
    return picture(vc.simulate(example(name), until=until, outputs=200), **shown)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for title in PICTURES:
        taken(title).quantize(200, dither=0).save(FOLDER / f"{title}.png", optimize=True)
    for title, result in tutorial().items():
        image = picture(result, size=(720, 400), **TUTORIAL[title][1])
        image.quantize(64, dither=0).save(FOLDER / f"tutorial_{title}.png", optimize=True)
