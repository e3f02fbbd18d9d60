"""Units by name: their sizes are those of pint, an independent table; what is no unit is refused."""

import math

import numpy as np
import pytest

from vincolo.errors import ModelError
from vincolo.units import SYMBOLS, Units, quantity, readings, unit_of

pint = pytest.importorskip("pint")
REGISTRY = pint.get_application_registry()
NAMES = ["mm", "cm", "km", "µm", "in", "ft", "g", "t", "lb", "ms", "min", "h", "deg", "mrad", "rpm", "Hz", "kN", "mN",
         "lbf", "kgf", "kJ", "kW", "MPa", "bar",
         "N/mm", "N m/deg", "N s/mm", "kg mm2", "g cm^2", "km/h", "deg/s2", "kg/m^3",
         "kN mm", "N m s/deg", "mm/s/s", "rev/min"]
TO_PINT = {"in": "inch", "t": "tonne", "rev": "revolution"}


def in_pint(name):
    """The size of a unit by pint, in SI base units."""
    over, *under = name.replace("2", "**2").replace("^**", "**").replace("^3", "**3").split("/")
    words = ["*".join(TO_PINT.get(w, w) for w in part.split()) for part in (over, *under)]
    return REGISTRY.Quantity(1.0, "/".join(f"({w})" for w in words)).to_base_units().magnitude


@pytest.mark.parametrize("name", NAMES)
def test_sizes_are_those_of_pint(name):
    assert unit_of(name).si(1.0) == pytest.approx(in_pint(name), rel=1e-12)


def test_there_and_back_is_the_same_number(rng):
    for name in SYMBOLS:
        value = rng.uniform(-100, 100)
        assert unit_of(name).of_si(unit_of(name).si(value)) == pytest.approx(value, rel=4e-16)


@pytest.mark.parametrize(("written", "meant"), [
    ("Nmm", "N mm"), ("N·mm", "N mm"), ("N*m", "N m"), ("kgm2", "kg m^2"), ("m/s²", "m/s^2"), ("°", "deg"),
    ("1/min", "rpm"), ("degrees", "deg"), ("s-1", "1/s"), ("N/(m s)", "N/m/s"), ("μm", "µm")])
def test_units_are_read_as_people_write_them(written, meant):
    a, b = unit_of(written), unit_of(meant)
    assert (a.size, a.pi, a.powers) == (b.size, b.pi, b.powers)


def test_what_can_be_read_in_two_ways_is_read_as_the_place_asks_for():
    damping = unit_of("N m s/rad")
    assert unit_of("Nms/rad", damping.powers).size == damping.size
    assert {u.powers for u in readings("Nms")} >= {unit_of("N m s").powers, unit_of("N ms").powers}


@pytest.mark.parametrize("text", ["", " ", "foo", "m//s", "mm mmm", "k", "m^", "5", "m" * 70, "mh", "/s", "N/"])
def test_what_is_no_unit_is_refused(text):
    with pytest.raises(ModelError, match="there is no unit"):
        unit_of(text)


@pytest.mark.parametrize(("text", "si"), [("5 mm", 0.005), ("5mm", 0.005), ("-3.5e2 N/mm", -3.5e5),
                                          ("90 deg", math.pi / 2), ("1 kN", 1000.0), (".5 in", 0.0127)])
def test_texts_are_numbers_with_units(text, si):
    number, unit = quantity(text)
    assert unit.si(number) == pytest.approx(si, rel=1e-15)


@pytest.mark.parametrize("text", ["5", "2*l", "mm", "5 foo", "5e3", "1 - m", "=5 mm", "a 5 mm", "2 m + 1"])
def test_other_texts_are_no_quantities(text):
    assert quantity(text) is None


def test_angles_are_no_numbers_and_energies_no_torques():
    units = Units("deg", "kJ")
    assert units.instead_of("1") is None and units.instead_of("N m") is None
    assert units.instead_of("rad/s").name == "deg/s" and units.instead_of("J").name == "kJ"


def test_products_follow_their_symbols():
    units = Units("mm", "kN", "rpm")
    told = {si: units.instead_of(si).name for si in ("m", "m/s^2", "N m", "rad/s", "kg m^2")}
    assert told == {"m": "mm", "m/s^2": "mm/s^2", "N m": "kN mm", "rad/s": "rpm", "kg m^2": "kg mm^2"}
    torque = units.instead_of("N m")
    assert np.allclose(torque.of_si(np.array([1.0, 250.0])), [1.0, 250.0])  # 1 N m = 0.001 kN * 1000 mm
