"""Tyre property files: the same tyre in SI units, the version of the equations, and mistakes by their lines."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.tir import read_tir
from vincolo.vehicle.tyres import Tyre

NUMBERS = {"FNOMIN": 4000.0, "PCX1": 1.65, "PDX1": 1.0, "PKX1": 20.0, "PCY1": 1.3, "PDY1": 1.0, "PKY1": -16.0,
           "PKY2": 1.7}  # fmt: skip
FILE = """[MDI_HEADER]
FILE_TYPE ='tir'
$ a comment
[UNITS]
LENGTH ='mm'
FORCE ='newton'
ANGLE ='radians'
[MODEL]
PROPERTY_FILE_FORMAT ='PAC2002'
FITTYP = 6
[DIMENSION]
UNLOADED_RADIUS = 300 $ free
[VERTICAL]
VERTICAL_STIFFNESS = 200
VERTICAL_DAMPING = 0.05
FNOMIN = 4000
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.65
PDX1 = 1.0
PKX1 = 20
[LATERAL_COEFFICIENTS]
PCY1 = 1.3 ! shape
PDY1 = 1.0
PKY1 = -16
PKY2 = 1.7
PTY1 = 2.0
PTY2 = 2.0
"""


def test_a_tir_file_gives_the_same_tyre_in_si(tmp_path):
    path = tmp_path / "tyre.tir"
    path.write_text(FILE)
    found = read_tir(path)
    assert (found.radius, found.k, found.c, found.version) == (0.3, 2e5, 50.0, 5.2)
    assert found.relaxation_y == pytest.approx(2.0 * np.sin(2 * np.arctan(0.5)) * 0.3)
    assert found.relaxation_x == pytest.approx(0.5 * 0.3)  # no PTX1: half of the radius
    same = Tyre("t", "magic", 0.3, 2e5, numbers=NUMBERS, version=5.2)
    assert found.forces(0.02, 0.05, 0.01, 3500.0) == pytest.approx(same.forces(0.02, 0.05, 0.01, 3500.0))


def test_relaxation_lengths_follow_the_version(tmp_path):
    """5.2: PTX1 R0 at the nominal load; 6.x: slip stiffness over the stiffness of the tyre's structure."""
    path = tmp_path / "tyre.tir"
    path.write_text(FILE.replace("PKX1 = 20", "PKX1 = 20\nPTX1 = 1.5"))
    assert read_tir(path).relaxation_x == pytest.approx(1.5 * 0.3)
    new = FILE.replace("'PAC2002'\nFITTYP = 6", "'MF61'\nFITTYP = 61")
    path.write_text(new + "[STRUCTURAL]\nLONGITUDINAL_STIFFNESS = 400\nLATERAL_STIFFNESS = 100\n")
    found = read_tir(path)
    assert found.relaxation_x == pytest.approx(20 * 4000 / 4e5)
    assert found.relaxation_y == pytest.approx(found.cornering_stiffness(4000.0) / 1e5)


FORMATS = ["PAC2002", "MF05", "MF-TYRE", "MF61", "MF62", "MF-SWIFT", ""]
FITS = {None: None, 5: 5.2, 6: 5.2, 21: 5.2, 51: 5.2, 52: 5.2, 60: 6.1, 61: 6.1, 62: 6.2}
#: of a file without FITTYP
OF_FORMAT = {"PAC2002": 5.2, "MF05": 5.2, "MF-TYRE": 5.2, "MF61": 6.1, "MF62": 6.2, "MF-SWIFT": 6.1}


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("form", FORMATS)
def test_the_fit_type_decides_which_version_a_file_is_read_as(tmp_path, form, fit):
    """FITTYP over PROPERTY_FILE_FORMAT: files of 6.2 keep the name 'MF-TYRE'. The camber thrust shows which equations
    are used: PKY6 of 6.x, PHY3 of 5.2; and the tyre says its version."""
    lines = [f"PROPERTY_FILE_FORMAT ='{form}'"] * bool(form) + [f"FITTYP = {fit}"] * (fit is not None)
    text = FILE.replace("PROPERTY_FILE_FORMAT ='PAC2002'\nFITTYP = 6", "\n".join(lines)) + "PKY6 = -0.9\nPHY3 = 0.02\n"
    path = tmp_path / "tyre.tir"
    path.write_text(text)
    version = FITS[fit] or OF_FORMAT.get(form)
    if version is None:
        with pytest.raises(vc.ModelError, match="not a Magic Formula"):
            read_tir(path)
        return
    tyre = read_tir(path)
    assert tyre.version == version and f"Magic Formula {version}" in str(tyre)
    thrust = tyre.forces(0.0, 0.0, 0.05, 4000.0)[1]
    stiffness = -tyre.cornering_stiffness(4000.0)
    expected = -0.9 * 4000.0 * np.sin(0.05) if version > 6 else stiffness * 0.02 * 0.05
    assert thrust == pytest.approx(expected, rel=2e-2)


def test_an_unknown_fit_type_is_refused_by_its_number(tmp_path):
    path = tmp_path / "tyre.tir"
    path.write_text(FILE.replace("FITTYP = 6", "FITTYP = 70"))
    with pytest.raises(vc.ModelError, match="FITTYP = 70"):
        read_tir(path)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("PDY1 = 1.0", "PDY1 = abc", "line 23: PDY1 = 'abc' is not a number"),
        ("FNOMIN = 4000", "", "FNOMIN is missing"),
        ("'PAC2002'\nFITTYP = 6", "'FTIRE'", "not a Magic Formula"),
        ("'mm'", "'furlong'", "the unit of length is 'furlong'"),
        ("PKX1 = 20", "PKX1 = 1e999", "finite"),
        ("PKY1 = -16\n", "", "needs PKY1"),
    ],
)
def test_bad_files_are_named_with_their_lines(tmp_path, old, new, words):
    path = tmp_path / "tyre.tir"
    path.write_text(FILE.replace(old, new))
    with pytest.raises(vc.ModelError, match=words):
        read_tir(path)
