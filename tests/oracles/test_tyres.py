"""Tyres: properties that the published equations must have, other ways of writing them, and files."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.starters import MAGIC, example_tyre
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


#: coefficients a1 to a8 of a passenger car's tyre (Bakker, Nyborg and Pacejka 1987, tables 2 and 3): forces in N of the
#: load in kN, slip in percent, slip angle in degrees
PUBLISHED = {
    "Fy": (1.30, -22.1, 1011.0, 1078.0, 1.82, 0.208, 0.0, -0.354, 0.707),
    "Fx": (1.65, -21.3, 1144.0, 49.6, 226.0, 0.069, -0.006, 0.056, 0.486),
}


def published(kind, load, slip):
    """Their formula as it is printed: D = a1 Fz^2 + a2 Fz, BCD = a3 sin(a4 atan(a5 Fz)) of Fy and (a3 Fz^2 + a4 Fz)
    exp(-a5 Fz) of Fx, E = a6 Fz^2 + a7 Fz + a8."""
    C, a1, a2, a3, a4, a5, a6, a7, a8 = PUBLISHED[kind]
    D, E = a1 * load**2 + a2 * load, a6 * load**2 + a7 * load + a8
    BCD = a3 * np.sin(a4 * np.arctan(a5 * load)) if kind == "Fy" else (a3 * load**2 + a4 * load) * np.exp(-a5 * load)
    x = BCD / (C * D) * slip
    return D * np.sin(C * np.arctan((1 - E) * x + E * np.arctan(x)))


def published_tyre(nominal=4.0):
    """The same tyre in the coefficients of .tir files: every load dependence of 1987 is one of theirs."""
    _, a1, a2, a3, a4, a5, a6, a7, a8 = PUBLISHED["Fy"]
    _, b1, b2, b3, b4, b5, b6, b7, b8 = PUBLISHED["Fx"]
    degrees = 180 / np.pi
    return magic(
        FNOMIN=1e3 * nominal,
        PCY1=1.30,
        PDY1=(a1 * nominal + a2) / 1e3,
        PDY2=a1 * nominal / 1e3,
        PKY1=-a3 * degrees / (1e3 * nominal),
        PKY2=1 / (a5 * nominal),
        PKY4=a4,
        PEY1=a7 * nominal + a8,
        PEY2=a7 * nominal,
        PCX1=1.65,
        PDX1=(b1 * nominal + b2) / 1e3,
        PDX2=b1 * nominal / 1e3,
        PKX1=(b3 * nominal + b4) * np.exp(-b5 * nominal) / 10,
        PKX2=b3 * nominal * np.exp(-b5 * nominal) / 10,
        PKX3=-b5 * nominal,
        PEX1=b6 * nominal**2 + b7 * nominal + b8,
        PEX2=2 * b6 * nominal**2 + b7 * nominal,
        PEX3=b6 * nominal**2,
    )


@pytest.mark.parametrize("load", [2.0, 4.0, 6.0, 8.0])
def test_forces_are_those_of_published_curves(load):
    """Curves over slip and slip angle at the four loads of the paper, to the 1e-6 N that keep quotients defined; the
    rounded peaks beside them are those of the printed D = a1 Fz^2 + a2 Fz."""
    tyre = published_tyre()
    percent, degree = np.linspace(-100, 100, 81), np.linspace(-20, 20, 81)
    x = tyre.forces(percent / 100, 0.0, 0.0, 1e3 * load)[0]
    np.testing.assert_allclose(x, published("Fx", load, percent), rtol=1e-8, atol=1e-6)
    old = Tyre("t", "magic", 0.3, 2e5, numbers=tyre.numbers, version=5.2)  # over the angle; from 6 on over its tangent
    y = old.forces(0.0, np.tan(np.radians(degree)), 0.0, 1e3 * load)[1]
    np.testing.assert_allclose(-y, published("Fy", load, degree), rtol=1e-8, atol=1e-6)
    near = np.abs(degree) < 3
    y = tyre.forces(0.0, np.tan(np.radians(degree)), 0.0, 1e3 * load)[1]
    np.testing.assert_allclose(-y[near], published("Fy", load, degree[near]), rtol=2e-3)
    peaks = {2.0: (1934, 2203), 4.0: (3690, 4235), 6.0: (5270, 6097), 8.0: (6674, 7789)}[load]
    fine = np.linspace(0, 1, 20001)
    assert tyre.forces(fine, 0.0, 0.0, 1e3 * load)[0].max() == pytest.approx(peaks[1], abs=0.6)
    assert -old.forces(0.0, fine, 0.0, 1e3 * load)[1].min() == pytest.approx(peaks[0], abs=0.6)


def book(p, R0, kappa, tan_alpha, gamma, Fz):
    """Fx, Fy, Mz after Pacejka (2012), equations 4.E1 to 4.E78, at nominal pressure and without turn slip: written by
    the numbers of the book, apart from the program's own."""
    q = {**dict.fromkeys(("PCX1", "PCY1", "QCZ1", "RCX1", "RCY1"), 1.0), "PKY4": 2.0, **p}
    g = q.get
    Fz0, a, c = q["FNOMIN"], tan_alpha, np.sin(gamma)
    df = (Fz - Fz0) / Fz0

    def get(name, *x):
        return sum(g(f"{name}{k + 1}", 0.0) * v for k, v in enumerate(x))

    def mf(D, C, B, E, x, wave=np.sin):
        return D * wave(C * np.arctan(B * x - E * (B * x - np.arctan(B * x))))

    mux = get("PDX", 1, df, 0) * (1 - g("PDX3", 0.0) * c**2)  # 4.E13
    kx = kappa + get("PHX", 1, df)
    Kx = Fz * get("PKX", 1, df, 0) * np.exp(g("PKX3", 0.0) * df)  # 4.E15
    Ex = get("PEX", 1, df, df**2, 0) * (1 - g("PEX4", 0.0) * np.sign(kx))
    Fx0 = mf(mux * Fz, q["PCX1"], Kx / (q["PCX1"] * mux * Fz), min(Ex, 1.0), kx) + Fz * get("PVX", 1, df)
    muy = get("PDY", 1, df, 0) * (1 - g("PDY3", 0.0) * c**2)  # 4.E23
    soft = q["PKY2"] + g("PKY5", 0.0) * c**2
    Ky = q["PKY1"] * Fz0 * (1 - g("PKY3", 0.0) * abs(c)) * np.sin(q["PKY4"] * np.arctan(Fz / Fz0 / soft))  # 4.E25
    Svg = Fz * (g("PVY3", 0.0) + g("PVY4", 0.0) * df) * c  # 4.E28
    Shy = get("PHY", 1, df) + (Fz * (g("PKY6", 0.0) + g("PKY7", 0.0) * df) * c - Svg) / Ky  # 4.E27, 4.E30
    Svy = Fz * (g("PVY1", 0.0) + g("PVY2", 0.0) * df) + Svg
    ay = a + Shy
    lean = 1 + g("PEY5", 0.0) * c**2 - (g("PEY3", 0.0) + g("PEY4", 0.0) * c) * np.sign(ay)
    Ey, By = min(get("PEY", 1, df) * lean, 1.0), Ky / (q["PCY1"] * muy * Fz)
    Fy0 = mf(muy * Fz, q["PCY1"], By, Ey, ay) + Svy
    Bxa = (g("RBX1", 0.0) + g("RBX3", 0.0) * c**2) * np.cos(np.arctan(g("RBX2", 0.0) * kappa))  # 4.E54
    Exa, Shx = min(get("REX", 1, df), 1.0), g("RHX1", 0.0)
    Gx = mf(1, q["RCX1"], Bxa, Exa, a + Shx, np.cos) / mf(1, q["RCX1"], Bxa, Exa, Shx, np.cos)
    Byk = (g("RBY1", 0.0) + g("RBY4", 0.0) * c**2) * np.cos(np.arctan(g("RBY2", 0.0) * (a - g("RBY3", 0.0))))  # 4.E62
    Eyk, Shk = min(get("REY", 1, df), 1.0), get("RHY", 1, df)
    Gy = mf(1, q["RCY1"], Byk, Eyk, kappa + Shk, np.cos) / mf(1, q["RCY1"], Byk, Eyk, Shk, np.cos)
    Svk = muy * Fz * get("RVY", 1, df, c) * np.cos(np.arctan(g("RVY4", 0.0) * a))  # 4.E66, 4.E67
    Svk *= np.sin(g("RVY5", 0.0) * np.arctan(g("RVY6", 0.0) * kappa))
    Fx, Fy = Gx * Fx0, Gy * Fy0 + Svk
    cos = 1 / np.sqrt(1 + a**2)
    at = a + get("QHZ", 1, df, c, c * df)  # 4.E34, 4.E35
    ar = ay + Svy / Ky  # 4.E37, 4.E38
    slip = Kx / Ky * kappa
    at, ar = (np.sqrt(x**2 + slip**2) * np.sign(x) for x in (at, ar))  # 4.E77, 4.E78
    Bt = get("QBZ", 1, df, df**2) * (1 + g("QBZ4", 0.0) * c + g("QBZ5", 0.0) * abs(c))  # 4.E40
    Dt = Fz * R0 / Fz0 * get("QDZ", 1, df) * (1 + g("QDZ3", 0.0) * abs(c) + g("QDZ4", 0.0) * c**2)  # 4.E42, 4.E43
    bend = 1 + (g("QEZ4", 0.0) + g("QEZ5", 0.0) * c) * 2 / np.pi * np.arctan(Bt * q["QCZ1"] * at)
    Et = min(get("QEZ", 1, df, df**2) * bend, 1.0)
    trail = mf(Dt, q["QCZ1"], Bt, Et, at, np.cos) * cos  # 4.E73
    Br = g("QBZ9", 0.0) + g("QBZ10", 0.0) * By * q["PCY1"]  # 4.E45
    Dr = g("QDZ6", 0.0) + g("QDZ7", 0.0) * df + (g("QDZ8", 0.0) + g("QDZ9", 0.0) * df) * c
    Dr = Fz * R0 * (Dr + (g("QDZ10", 0.0) + g("QDZ11", 0.0) * df) * c * abs(c)) * cos  # 4.E47
    s = R0 * (g("SSZ1", 0.0) + g("SSZ2", 0.0) * Fy / Fz0 + (g("SSZ3", 0.0) + g("SSZ4", 0.0) * df) * c)  # 4.E76
    straight = Fy - Svk if gamma == 0 else _upright_side(p, R0, kappa, tan_alpha, Fz)
    return Fx, Fy, -trail * straight + Dr * np.cos(np.arctan(Br * ar)) + s * Fx  # 4.E71, 4.E72


def _upright_side(p, R0, kappa, tan_alpha, Fz):
    """F'_y of 4.E74 (and 4.E32 where kappa = 0): the side force of the upright wheel, without the shift by kappa."""
    still = {**p, **dict.fromkeys(("RVY1", "RVY2", "RVY3"), 0.0)}
    return book(still, R0, kappa, tan_alpha, 0.0, Fz)[1]


def every_coefficient(seed):
    """A tyre with all coefficients at once, of the size that fits have."""
    rng = np.random.default_rng(seed)
    small = {
        **{f"PDX{k}": 0.1 for k in (2, 3)}, **{f"PEX{k}": 0.2 for k in range(1, 5)}, **{f"PKX{k}": 0.5 for k in (2, 3)},
        **{f"PHX{k}": 0.003 for k in (1, 2)}, **{f"PVX{k}": 0.02 for k in (1, 2)}, **{f"PDY{k}": 0.2 for k in (2, 3)},
        **{f"PEY{k}": 0.4 for k in range(1, 6)}, "PKY3": 0.4, "PKY5": 0.5, "PKY6": 0.8, "PKY7": 0.2,
        **{f"PHY{k}": 0.003 for k in (1, 2)}, **{f"PVY{k}": 0.05 for k in range(1, 5)}, "RBX3": 2.0, "RHX1": 0.01,
        **{f"REX{k}": 0.3 for k in (1, 2)}, **{f"REY{k}": 0.3 for k in (1, 2)}, "RBY3": 0.02, "RBY4": 2.0,
        **{f"RHY{k}": 0.01 for k in (1, 2)}, **{f"RVY{k}": 0.05 for k in (1, 2, 3)}, "RVY4": 10.0, "RVY5": 1.5,
        "RVY6": 10.0,
        **{f"QHZ{k}": 0.005 for k in range(1, 5)}, **{f"QBZ{k}": 0.5 for k in (2, 3, 4, 5)}, "QBZ9": 5.0, "QBZ10": 0.1,
        **{f"QDZ{k}": 0.02 for k in (2, 3, 4, 6, 7, 8, 9, 10, 11)}, **{f"QEZ{k}": 0.3 for k in range(1, 6)},
        **{f"SSZ{k}": 0.02 for k in range(1, 5)},
    }  # fmt: skip
    fixed = {"RBX1": 12.0, "RBX2": 10.0, "RCX1": 1.05, "RBY1": 14.0, "RBY2": 10.0, "RCY1": 1.03, "PKY4": 1.9,
             "QBZ1": 9.0, "QCZ1": 1.15, "QDZ1": 0.1}  # fmt: skip
    return magic(**fixed, **{key: float(size * rng.uniform(-1, 1)) for key, size in small.items()})


@pytest.mark.parametrize("seed", range(5))
def test_all_coefficients_together_are_the_equations_of_the_book(seed):
    tyre, rng = every_coefficient(seed), np.random.default_rng(100 + seed)
    for kappa, alpha, gamma, load in rng.uniform((-0.3, -0.3, -0.1, 1500), (0.3, 0.3, 0.1, 7000), (40, 4)).tolist():
        found = tyre.forces(kappa, alpha, gamma, load)
        expected = book(dict(tyre.numbers), tyre.radius, kappa, alpha, gamma, load)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-4)


CAMBER_THRUST = {"PKY6": -0.9, "PVY3": 0.2, "PVY4": 0.1, "RBY4": 3.0, "RBY1": 12.0, "RBY2": 9.0}


@pytest.mark.parametrize("kappa", [0.0, 0.08])
def test_camber_thrust_alone_makes_no_aligning_moment(kappa):
    """Without coefficients of inclination in the trail and in the residual moment, an inclined 6.x tyre has the
    aligning moment of an upright one (Pacejka 2012, 4.E32 and 4.E74); the side force differs."""
    bare = {"QBZ1": 9.0, "QDZ1": 0.1, "QCZ1": 1.15}
    tyre = magic(**bare, **CAMBER_THRUST)
    for alpha in (-0.1, -0.02, 0.0, 0.05):
        _, leaning, moment = tyre.forces(kappa, alpha, 0.08, 4000.0)
        _, upright, expected = tyre.forces(kappa, alpha, 0.0, 4000.0)
        assert abs(leaning - upright) > 10.0
        assert moment == pytest.approx(expected, abs=1e-9)
    old = Tyre("t", "magic", 0.3, 2e5, numbers={**tyre.numbers, "PHY3": 0.1}, version=5.2)  # F_y itself there
    assert abs(old.forces(0.0, 0.05, 0.08, 4000.0)[2] - old.forces(0.0, 0.05, 0.0, 4000.0)[2]) > 1.0


#: a passenger car's tyre 205/60R15 91V at 2.2 bar (Pacejka 2006, table A3.1; found second-hand), without inclination
BOOK_TYRE = {
    "FNOMIN": 4000.0, "PCX1": 1.685, "PDX1": 1.210, "PDX2": -0.037, "PEX1": 0.344, "PEX2": 0.095, "PEX3": -0.020,
    "PKX1": 21.51, "PKX2": -0.163, "PKX3": 0.245, "PHX1": -0.002, "PHX2": 0.002, "RBX1": 12.35, "RBX2": -10.77,
    "RCX1": 1.092, "RHX1": 0.007, "PCY1": 1.193, "PDY1": -0.990, "PDY2": 0.145, "PEY1": -1.003, "PEY2": -0.537,
    "PEY3": -0.083, "PKY1": -14.95, "PKY2": 2.130, "PHY1": 0.003, "PHY2": -0.001, "PVY1": 0.045, "PVY2": -0.024,
    "RBY1": 6.461, "RBY2": 4.196, "RBY3": -0.015, "RCY1": 1.081, "RHY1": 0.009, "RVY1": 0.053, "RVY2": -0.073,
    "RVY4": 35.44, "RVY5": 1.9, "RVY6": -10.71, "QBZ1": 8.964, "QBZ2": -1.106, "QBZ3": -0.842, "QBZ9": 18.47,
    "QCZ1": 1.180, "QDZ1": 0.100, "QDZ2": -0.001, "QDZ6": -0.008, "QEZ1": -1.609, "QEZ2": -0.359, "QEZ4": 0.174,
    "QHZ1": 0.007, "QHZ2": -0.002, "SSZ1": 0.043, "SSZ2": 0.001,
}  # fmt: skip


def test_the_tyre_in_the_book_has_the_peaks_and_slopes_of_its_table():
    """At its nominal load: D_x = 1.21 F_z, D_y = 0.99 F_z about the shift 0.045 F_z, K_x = 21.51 F_z,
    K_y = 14.95 F_z0 sin(2 atan(1/2.13)); and all equations at other loads and combined slip."""
    tyre = Tyre("book", "magic", 0.313, 2e5, numbers=BOOK_TYRE)
    load, slip = 4000.0, np.linspace(-1, 1, 40001)
    x = tyre.forces(slip, 0.0, 0.0, load)[0]
    assert [x.min(), x.max()] == pytest.approx([-4840.0, 4840.0], rel=1e-3)
    assert np.gradient(x, slip)[int(np.argmin(np.abs(slip - 0.002)))] == pytest.approx(21.51 * load, rel=1e-3)
    y = tyre.forces(0.0, slip, 0.0, load)[1]
    assert [y.min(), y.max()] == pytest.approx([180.0 - 3960.0, 180.0 + 3960.0], rel=1e-3)
    stiff = 14.95 * load * np.sin(2 * np.arctan(1 / 2.13))
    assert -np.gradient(y, slip)[int(np.argmin(np.abs(slip + 0.003)))] == pytest.approx(stiff, rel=1e-3)
    assert stiff == pytest.approx(46.0e3, rel=2e-3)
    rng = np.random.default_rng(3)
    for kappa, alpha, force in rng.uniform((-0.3, -0.3, 1500), (0.3, 0.3, 7000), (40, 3)).tolist():
        expected = book(BOOK_TYRE, 0.313, kappa, alpha, 0.0, force)
        np.testing.assert_allclose(tyre.forces(kappa, alpha, 0.0, force), expected, rtol=1e-6, atol=1e-4)


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


def test_wrong_tyres_are_named():
    with pytest.raises(vc.ModelError, match="kind is 'magik'"):
        Tyre("t", "magik", 0.3, 1e5)
    with pytest.raises(vc.ModelError, match="radius is 0"):
        Tyre("t", "linear", 0.0, 1e5)
    with pytest.raises(vc.ModelError, match="needs C_kappa, C_alpha, mu"):
        Tyre("t", "fiala", 0.3, 1e5)
    assert "PDY1" in MAGIC
