"""One side of a suspension alone: it moves as it does on its axle, rests as drawn on its preloads, and has the
frequencies of a quarter car."""

from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc
from vincolo.formats.excel.vehicle_templates import SPRUNG
from vincolo.formats.files import open_model
from vincolo.vehicle.starters import EXAMPLES, example

#: what has no part that joins both sides
ALONE = [n for n, given in EXAMPLES.items() if not {"bar", "third_k"} & given.keys() and n != "live axle"]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", ALONE)
def test_a_corner_falls_as_it_does_on_its_axle(name, side):
    """Wheels fall on their springs for 50 ms; left and right do not know of each other, so one alone does the same."""
    s = replace(example(name), steered=False, sides="both")
    runs = []
    for sides in ("both", side):
        model = vc.Model()
        axle = vc.vehicle.add_axle(model, replace(s, sides=sides))
        assert set(axle.sides) == ({"left", "right"} if sides == "both" else {side})
        runs.append(vc.simulate(model, 0.05, outputs=11)[f"front_{side}_travel"])
    assert np.ptp(runs[0]) > 1e-4
    np.testing.assert_allclose(runs[1], runs[0], rtol=0, atol=1e-8)  # steps of their own: a tolerance of 1e-8


@pytest.fixture(scope="module")
def corner(tmp_path_factory):
    """The template."""
    from vincolo.formats.excel import write_template

    path = tmp_path_factory.mktemp("corner") / "corner.xlsx"
    write_template("corner", path)
    return open_model(path)


def test_the_template_rests_as_drawn(corner):
    run = vc.simulate(corner.model, 1.0, outputs=11)
    assert np.ptp(run["chassis.z"]) < 1e-9 and np.ptp(run["tyre_height"]) < 1e-9


def test_the_template_has_the_frequencies_of_a_quarter_car(corner):
    """m1, m2 on the slope of the force at the wheel, F ratio, and on the tyre; the turning upright and the contact
    point that moves sideways bring some inertia: 1 %."""
    s = corner.garage.suspensions["front"]
    c = vc.vehicle.curves(s, "parallel", -1e-4, 1e-4, 3)
    force = c["left.spring_force"] * c["left.spring_ratio"]
    rate = float(force[2] - force[0]) / 2e-4
    assert rate > c.at("left.wheel_rate")  # the ratio grows in bump
    masses = np.diag([SPRUNG, s.upright_mass + s.wheel_mass])
    K = np.array([[rate, -rate], [-rate, rate + s.tyre_k]])
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(masses, K)).real)) / (2 * np.pi)
    model = corner.model.copy()
    for name in ("tyre", "front_left_spring"):
        model.springs[name] = replace(model.springs[name], c=0.0)
    found = np.sort([abs(v.imag) / (2 * np.pi) for v in vc.linearize(model).eigenvalues if v.imag > 0])
    assert found == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("fs u-bar", {"sides": "left"}, "an anti-roll bar joins both sides"),
        ("fs third spring", {"sides": "left"}, "a third spring joins both sides"),
        ("live axle", {"sides": "right"}, "a live axle joins both sides"),
        ("fs corner", {"sides": "middle"}, "sides is 'middle'"),
    ],
)
def test_what_joins_both_sides_is_not_built_on_one(name, changes, words):
    with pytest.raises(vc.ModelError, match=words):
        replace(example(name), **changes)


def test_a_car_has_whole_axles_on_its_own_chassis():
    car = vc.vehicle.example_car()
    with pytest.raises(vc.ModelError, match="both sides on its own chassis"):
        replace(car, rear=replace(car.rear, sides="left"))
    with pytest.raises(vc.ModelError, match="no body called 'chasis'"):
        vc.vehicle.add_axle(vc.Model(), replace(example("fs corner"), chassis="chasis"))
