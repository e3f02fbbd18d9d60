"""Roads: their statistics and shapes, and a car that drives over them."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.build_car import build_car
from vincolo.vehicle.manoeuvres import drive
from vincolo.vehicle.roads import ISO_8608, bumps, profile, read_road, rough, waves
from vincolo.vehicle.starters import example_car, example_tyre


@pytest.mark.parametrize("kind", ["A", "C"])
def test_a_rough_road_has_the_spectrum_of_its_class(kind):
    """Its mean square is the integral of G_d(n0) (n0/n)^2: G_d n0^2 (1/n1 - 1/n2); each octave holds its own part."""
    x = np.arange(0.0, 20_000.0, 0.1)
    z = profile(kind, x, seed=3)
    expected = ISO_8608[kind] * 0.1**2 * (1 / 0.011 - 1 / 2.83)
    assert np.mean(z**2) == pytest.approx(expected, rel=0.03)
    power = 2 * np.abs(np.fft.rfft(z)) ** 2 / len(x) ** 2
    n = np.fft.rfftfreq(len(x), 0.1)
    for low in (0.05, 0.2, 0.8):
        inside = (n >= low) & (n < 2 * low)
        assert power[inside].sum() == pytest.approx(ISO_8608[kind] * 0.1**2 * (1 / low - 1 / (2 * low)), rel=0.1)


def test_roads_are_where_they_are_asked_for(tmp_path):
    bump = bumps([(3.0, 1.0, 0.02), (6.0, 0.5, -0.01)])
    assert [bump(x) for x in (0.0, 3.5, 5.0, 6.25)] == pytest.approx([0.0, 0.02, 0.0, -0.01], abs=1e-5)
    wave = waves(0.01, 2.0, start=0.0, end=50.0)
    assert wave(20.5) == pytest.approx(0.01, rel=1e-4) and wave(-0.5) == pytest.approx(0.0, abs=1e-12)
    assert rough("B", 50.0, seed=4)(30.0) == rough("B", 50.0, seed=4)(30.0) != rough("B", 50.0, seed=5)(30.0)
    path = tmp_path / "road.csv"
    path.write_text("x,z\n0,0\n1,0.01\n2,0\n3,0\n")
    assert read_road(path)(1.0) == pytest.approx(0.01)


def test_a_road_of_few_rows_stays_between_them(tmp_path):
    """A kerb of two rows: a spline through them leaves it by metres. Straight stretches stay straight, and a slope that
    changes its sign is level there."""
    path = tmp_path / "road.csv"
    path.write_text("0,0\n10,0\n10.05,0.1\n20,0.1\n30,0\n40,-0.1\n")
    road, (x, z) = read_road(path), np.loadtxt(path, delimiter=",").T
    for k in range(len(x) - 1):
        found = road.sample(np.linspace(x[k], x[k + 1], 200))[0]
        assert found.min() >= z[k:k + 2].min() - 1e-15 and found.max() <= z[k:k + 2].max() + 1e-15
    assert [road(v) for v in x] == pytest.approx(z.tolist(), abs=1e-15)
    assert road(5.0) == 0.0 and road(15.0) == pytest.approx(0.1, abs=1e-15)
    slopes = [road.sample(np.array([v - 1e-9, v + 1e-9]))[1] for v in x[1:-1]]
    assert np.allclose([s[0] for s in slopes], [s[1] for s in slopes], atol=1e-6)
    path.write_text("0,0\n10,0.1\n20,0.2\n")
    straight = read_road(path)
    assert [straight(v) for v in (-5.0, 3.0, 17.0, 25.0)] == pytest.approx([-0.05, 0.03, 0.17, 0.25])


def test_a_car_meets_a_bump_with_its_front_wheels_and_then_with_its_rear_ones():
    car = example_car()
    front = float(car.front.point("wheel_centre")[0])
    built = build_car(car, example_tyre("linear"), road=bumps([(front + 3.0, 0.8, 0.01)], level=car.ground))
    run = drive(built, 1.0, 10.0, outputs=500)
    peaks = [float(run.t[int(np.argmax(run.load(f"{axle}_left")))]) for axle in ("front", "rear")]
    assert peaks[0] == pytest.approx(0.33, abs=0.04)  # before the top of the bump, 3.4 m ahead
    assert peaks[1] - peaks[0] == pytest.approx(car.wheelbase / 10.0, abs=0.03)
    assert np.abs(run.yaw_rate).max() < 1e-6


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bumps([]), "there are no bumps"),
        (lambda: bumps([(0.0, -1.0, 0.1)]), "positive lengths"),
        (lambda: waves(0.1, 0.0), "both must be positive"),
        (lambda: rough("Z"), "no class 'Z'"),
        (lambda: rough("A", 1e9), "more than 200000 samples"),
    ],
)
def test_wrong_roads_are_named(make, words):
    with pytest.raises(vc.ModelError, match=words):
        make()


def test_bad_road_files_are_named(tmp_path):
    path = tmp_path / "road.csv"
    for text, words in (("x,z\n0,0\n0,1\n1,1\n", "x rising"), ("x,z\n0,a\n", "not a table")):
        path.write_text(text)
        with pytest.raises(vc.ModelError, match=words):
            read_road(path)
