"""Every example through every format: Python, YAML, workbook, cards where they can tell it, and back."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc
from vincolo.formats.cards import CardError

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [p.stem for p in sorted((ROOT / "examples").glob("*.py")) if "\ndef build(" in p.read_text()]
IN_CARDS = {"andrews_squeezer", "bricard", "five_bar", "flyball_governor", "free_body", "heavy_top", "n_four_bar",
            "parallel_robot", "pendulum", "slider_crank", "spatial_double_pendulum"}
# the others have joints or forces that cards do not know
SHORT = {"andrews_squeezer": 0.01, "truck": 0.2, "car": 0.2}


def built(name, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build()


def motion(model, until):
    result = vc.simulate(model, until=until, outputs=10, integrator=vc.DOP853(rtol=1e-10, atol=1e-12), progress=False)
    return np.concatenate([result.motion(name).position.ravel() for name in model.bodies])


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_goes_through_all_formats(name, tmp_path, monkeypatch):
    model = built(name, monkeypatch)
    settings = vc.RunSettings(until=SHORT.get(name, 0.3), outputs=10)
    vc.save_model(model, tmp_path / "a.yaml", settings)
    vc.convert(tmp_path / "a.yaml", tmp_path / "b.xlsx")
    vc.convert(tmp_path / "b.xlsx", tmp_path / "c.yaml")
    assert (tmp_path / "c.yaml").read_text() == (tmp_path / "a.yaml").read_text()
    document = vc.open_model(tmp_path / "b.xlsx")
    assert document.settings == settings
    before = motion(model, settings.until)
    assert np.array_equal(motion(document.model, settings.until), before)
    try:
        vc.convert(tmp_path / "b.xlsx", tmp_path / "cards")
    except CardError as error:
        assert name not in IN_CARDS, error
        assert not (tmp_path / "cards").exists()
        return
    assert name in IN_CARDS
    copy = vc.load_model(tmp_path / "cards")
    start = vc.open_model(tmp_path / "cards").start()
    first = vc.assemble(vc.compile(model))
    for body, told in zip(model.bodies, copy.bodies, strict=True):
        there, here = (x.channels.motion(x.system.body_of(n), np.zeros(3)) for x, n in ((first, body), (start, told)))
        assert here.position == pytest.approx(there.position, abs=1e-9)
        scale = 1.0 + np.abs(there.acceleration).max()
        assert here.acceleration == pytest.approx(there.acceleration, abs=1e-6 * scale)
