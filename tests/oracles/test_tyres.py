"""Tyres: properties that the published equations must have, other ways of writing them, and files."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.starters import MAGIC, example_tyre
from vincolo.vehicle.tir import read_tir
from vincolo.vehicle.tyres import Tyre


def magic(**numbers):
    return Tyre(
        "t",
        "magic",
        0.3,
        2e5,
        numbers={
            "FNOMIN": 4000.0,
            "PCX1": 1.65,
            "PDX1": 1.0,
            "PKX1": 20.0,
            "PCY1": 1.3,
            "PDY1": 1.0,
            "PKY1": -16.0,
            "PKY2": 1.7,
            **numbers,
        },
    )


def test_the_magic_formula_has_the_slope_peak_and_end_of_pacejka():
    """y = D sin(C atan(B x - E (B x - atan(B x)))): slope B C D at 0, largest value D, and D sin(C pi/2) far out
    (Bakker, Nyborg and Pacejka 1987, figure 2; Pacejka 2012, section 4.3.1)."""
    tyre = magic(PEX1=-0.5)
    load = 4000.0
    kappa = np.linspace(0.0, 1.0, 20001)
    force = tyre.forces(kappa, 0.0, 0.0, load)[0]
    assert (force[1] - force[0]) / kappa[1] == pytest.approx(20.0 * load, rel=1e-4)
    assert force.max() == pytest.approx(1.0 * load, rel=1e-6)
    far = tyre.forces(1e9, 0.0, 0.0, load)[0]
    assert far == pytest.approx(load * np.sin(1.65 * np.pi / 2), rel=1e-6)
    # where the peak is: B x (1 - E) + E atan(B x) = tan(pi/(2 C))  (Pacejka 2012, equation 4.55)
    B, E, x = 20.0 / 1.65, -0.5, kappa[int(np.argmax(force))]
    assert B * (1 - E) * x + E * np.arctan(B * x) == pytest.approx(np.tan(np.pi / (2 * 1.65)), rel=1e-3)


def test_cornering_stiffness_grows_with_load_to_a_maximum():
    """K = p_Ky1 F_z0 sin(2 atan(F_z/(p_Ky2 F_z0))): the largest is p_Ky1 F_z0, at F_z = p_Ky2 F_z0 (Pacejka 2012,
    4.E25)."""
    tyre = magic()
    assert tyre.cornering_stiffness(1.7 * 4000.0) == pytest.approx(16.0 * 4000.0, rel=1e-4)
    for load in (2000.0, 4000.0, 9000.0):
        expected = 16.0 * 4000.0 * np.sin(2 * np.arctan(load / (1.7 * 4000.0)))
        assert tyre.cornering_stiffness(load) == pytest.approx(expected, rel=1e-4)
        assert tyre.cornering_stiffness(load) < 16.0 * 4000.0


def test_signs_are_those_of_iso_8855():
    for tyre in (example_tyre(kind) for kind in ("linear", "fiala", "magic")):
        x, y, m = tyre.forces(0.02, 0.0, 0.0, 1000.0)
        assert x > 0  # driven: forwards
        x, y, m = tyre.forces(0.0, 0.03, 0.0, 1000.0)
        assert y < 0 < m  # sliding to the left: pushed to the right, and turned into the slide
        back = tyre.forces(0.0, -0.03, 0.0, 1000.0)
        assert back[1] == pytest.approx(-y, rel=1e-9)


def test_combined_slip_takes_from_both():
    tyre = example_tyre()
    x0, y0 = tyre.forces(0.1, 0.0, 0.0, 1000.0)[0], tyre.forces(0.0, 0.1, 0.0, 1000.0)[1]
    x, y, _ = tyre.forces(0.1, 0.1, 0.0, 1000.0)
    assert 0 < x < x0 and y0 < y < 0
    assert np.hypot(x, y) < 1.1 * 1000.0 * 1.6


def test_fiala_slides_beyond_three_times_its_grip():
    tyre = example_tyre("fiala")
    grip = 1.6 * 1000.0
    limit = 3 * grip / tyre["C_alpha"]
    assert tyre.forces(0.0, limit, 0.0, 1000.0)[1] == pytest.approx(-grip, rel=1e-6)
    assert tyre.forces(0.0, 1e-6, 0.0, 1000.0)[1] == pytest.approx(-tyre["C_alpha"] * 1e-6, rel=1e-3)
    share = 0.5
    expected = grip * (1 - (1 - share) ** 3)
    assert tyre.forces(0.0, share * limit, 0.0, 1000.0)[1] == pytest.approx(-expected, rel=1e-6)


def test_a_mirrored_tyre_is_the_other_side():
    tyre = magic(PHY1=0.003, PVY1=0.02)
    other = Tyre("m", "magic", 0.3, 2e5, numbers=tyre.numbers, mirrored=True)
    x, y, m = tyre.forces(0.03, 0.05, 0.02, 3000.0)
    xm, ym, mm = other.forces(0.03, -0.05, -0.02, 3000.0)
    assert (xm, ym, mm) == pytest.approx((x, -y, -m))


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
    same = Tyre("t", "magic", 0.3, 2e5, numbers=magic().numbers, version=5.2)
    assert found.forces(0.02, 0.05, 0.01, 3500.0) == pytest.approx(same.forces(0.02, 0.05, 0.01, 3500.0))


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


def test_wrong_tyres_are_named():
    with pytest.raises(vc.ModelError, match="kind is 'magik'"):
        Tyre("t", "magik", 0.3, 1e5)
    with pytest.raises(vc.ModelError, match="radius is 0"):
        Tyre("t", "linear", 0.0, 1e5)
    with pytest.raises(vc.ModelError, match="needs C_kappa, C_alpha, mu"):
        Tyre("t", "fiala", 0.3, 1e5)
    assert "PDY1" in MAGIC
