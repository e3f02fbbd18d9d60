"""Cardan joints that cannot be, or cannot turn."""

import numpy as np
import pytest

import vincolo as vc
from vincolo import cardan
from vincolo.cardan import Bearing, Cardan, work
from vincolo.dual import Dual


@pytest.mark.parametrize(("make", "words"), [
    (lambda: Cardan(np.nan), "angle is nan"), (lambda: Cardan(np.pi / 2), "right angles"),
    (lambda: Cardan(0.2, friction=-0.1), "friction is -0.1"), (lambda: Cardan(0.2, bearings=()), "four bearings"),
    (lambda: Cardan(0.2, links=()), "three moving links"), (lambda: Cardan(0.2, angle_errors=(1, 2)), "angle_errors"),
    (lambda: Cardan(0.2, offset_errors=np.inf), "offset_errors"), (lambda: Bearing(0.0, 1.0), "diameter is 0 m"),
    (lambda: Bearing(0.1, -1.0), "span is -1 m"), (lambda: Cardan(0.2, angle_errors=np.pi / 2), "parallel"),
    (lambda: cardan.positions([1, 1, 1], 0.0), "four links"),
    (lambda: cardan.positions([1] * 4, 0.0, 2), "two: 1 and -1"),
    (lambda: work(Cardan(0.2), 0.0, input_torque=1.0), "speed is zero"),
    (lambda: work(Cardan(0.2), np.nan, input_torque=1.0), "speed is nan"),
    (lambda: work(Cardan(0.2), 1.0), "either input_torque"),
    (lambda: work(Cardan(0.2), 1.0, input_torque=1.0, output_torque=1.0), "either input_torque"),
    (lambda: work(Cardan(0.2), 1.0, input_torque=1.0, at=[]), "list of finite angles"),
    (lambda: work(Cardan(0.2), 1.0, input_torque=[1.0, 2.0]), "one for each position"),
    (lambda: cardan.efficiency_map(Cardan(0.2), [], input_torque=1.0), "lists of speeds"),
    (lambda: cardan.rubbed_turn(Cardan(0.2), -1.0, 1.0), "above zero"),
])
def test_wrong_numbers_are_named(make, words):
    with pytest.raises(vc.ModelError, match=words):
        make()


def test_a_joint_that_cannot_be_assembled_says_where():
    joint = Cardan(60 * np.pi / 180, angle_errors=(0.6, -0.6, 0.6, 0))
    with pytest.raises(vc.SimulationError, match="cannot be assembled at .* positions.*degrees of the input"):
        work(joint, 1.0, input_torque=1.0)
    assert not cardan.positions(joint.alpha, np.linspace(0, 6, 50)).assembled.all()
    place = cardan.positions(joint.alpha, np.linspace(0, 6, 50))
    there = np.isfinite(place.theta[3].real)
    assert (there == place.assembled).all()


def test_a_joint_that_locks_itself_says_so():
    with pytest.raises(vc.SimulationError, match="(?s)do not settle.*locks itself"):
        work(Cardan(45 * np.pi / 180, friction=0.9, bearings=(Bearing(0.05, 0.01),) * 4), 1.0, output_torque=1.0,
             at=[0.3, 1.0])


def test_lines_of_a_linkage_may_be_arrays():
    many = [Dual(np.full(5, 1.4), np.linspace(0, 1e-3, 5)) for _ in range(4)]
    assert cardan.positions(many, 0.3).theta[3].shape == (5,)
