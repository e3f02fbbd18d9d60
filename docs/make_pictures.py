"""Writes docs/pictures/*.png: examples as pictures for README and the documents.

    python docs/make_pictures.py
"""

from __future__ import annotations

import importlib.util
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
