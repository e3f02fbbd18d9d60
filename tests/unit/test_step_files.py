"""Mass properties from STEP files, against those of the same box in closed form."""

import sys

import numpy as np
import pytest

import vincolo as vc
from step_box import step_box

SIZE, AT = np.array([30.0, 40.0, 50.0]), np.array([100.0, -200.0, 300.0])
SINGLE = 1e-6  # relative: the triangles come in single precision


@pytest.mark.parametrize(("unit", "factor"), [("MILLI", 1.0), ("", 1e-3)])
def test_a_box_has_its_mass_centre_and_inertia_whatever_its_unit(tmp_path, unit, factor):
    pytest.importorskip("cascadio", reason="the package cascadio, which reads STEP files, is not installed")
    path = tmp_path / "box.step"
    path.write_text(step_box(factor * SIZE, factor * AT, unit))
    found, box = vc.shapes.mesh(path, density=2700.0), vc.shapes.box(SIZE / 1000, density=2700.0)
    assert found.mass == pytest.approx(box.mass, rel=10 * SINGLE)
    assert found.com == pytest.approx((AT + SIZE / 2) / 1000, abs=SINGLE)
    np.testing.assert_allclose(found.inertia, box.inertia, rtol=0, atol=100 * SINGLE * box.inertia.max())


def test_what_is_no_step_file_is_refused(tmp_path):
    pytest.importorskip("cascadio", reason="the package cascadio, which reads STEP files, is not installed")
    path = tmp_path / "box.stp"
    for text in ("", "ISO-10303-21;\nHEADER;\n", "no such thing"):
        path.write_text(text)
        with pytest.raises(vc.ModelError, match="(?s)box.stp.*(cannot be read|no solid).*Save it as STEP"):
            vc.shapes.mesh(path, density=2700.0)


def test_without_the_package_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cascadio", None)
    path = tmp_path / "box.step"
    path.write_text(step_box(SIZE))
    with pytest.raises(Exception, match="(?s)needs the package cascadio.*pip install"):
        vc.shapes.mesh(path, density=2700.0)
