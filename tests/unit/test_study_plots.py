"""Pictures of studies."""

import numpy as np
import pytest
from PIL import Image

import vincolo as vc
from vincolo.plots.studies import (
    plot_front,
    plot_parallel,
    plot_scatter_matrix,
    plot_surface,
    plot_tornado,
    tornado,
)
from vincolo.studies.optimise import Optimum


@pytest.fixture(scope="module")
def found():
    def bowl(x: float, y: float, z: float) -> dict[str, float]:
        return {"depth": 3 * x + y * y + 0.01 * z, "side": x - y}

    return vc.study(bowl, {"x": (0, 1), "y": (-1, 1), "z": (0, 1)}, ["depth", "side"], plan="sobol", samples=128,
                    workers=1)


def painted(path) -> bool:
    """Whether there is something on a picture."""
    with Image.open(path) as image:
        return bool(np.asarray(image.convert("L")).std() > 5) and min(image.size) > 150


def test_every_picture_has_something_on_it(found, tmp_path):
    made = [plot_parallel(found, tmp_path / "a.png", by="x"),
            plot_surface(found, "x", "y", "depth", tmp_path / "b.png"),
            plot_tornado(found, "depth", tmp_path / "c.png"), plot_scatter_matrix(found, tmp_path / "d.png"),
            plot_front(Optimum({}, {"a": 0.0, "b": 1.0}, 1, "pareto", True, np.zeros((3, 1)),
                               np.array([[0, 1], [0.4, 0.4], [1, 0]])), tmp_path / "e.png")]
    assert all(painted(path) for path in made)
    assert b"<svg" in plot_tornado(found, "depth", tmp_path / "c.svg").read_bytes()[:600]


def test_a_tornado_has_the_strongest_parameter_on_top(found):
    ends = tornado(found, "depth")
    assert next(iter(ends)) == "x" and list(ends)[-1] != "x"
    low, high = ends["x"]
    assert high - low == pytest.approx(3 * 0.8, rel=0.1)  # means of fifths are 0.1 and 0.9 apart


def test_pictures_that_cannot_be_are_refused(found, tmp_path):
    with pytest.raises(vc.ModelError, match="pictures of studies are .png"):
        plot_tornado(found, "depth", tmp_path / "c.html")
    with pytest.raises(vc.ModelError, match="there is no column 'deep'"):
        plot_surface(found, "x", "y", "deep", tmp_path / "c.png")
    nothing = vc.study(lambda x: float("nan"), {"x": [1, 2, 3]}, "y", workers=1)
    with pytest.raises(vc.ModelError, match="0 variants have outputs"):
        plot_parallel(nothing, tmp_path / "c.png")
