"""Play in joints: rigid and elastic, against each other and against closed forms."""

import math

import numpy as np
import pytest

import vincolo as vc
from clearance_slider_crank import build

G = 9.81


def hanging(gap=1e-3, **more):
    """A pin that falls through the play of its hole: sqrt(2 gap / g) until it is met."""
    m = vc.Model(gravity=(0, 0, -G))
    body = m.body("pin", 1.0, 0.01)
    m.planar("plane", m.ground, body, at=(0, 0, 0), axis="y")
    m.clearance("hole", "cylindrical", m.ground.frame((0, 0, 0), z="y"), body.frame((0, 0, 0), z="y"), gap, **more)
    return m


def test_a_pin_falls_through_its_play_and_hangs():
    result = vc.simulate(hanging(), 0.5)
    assert result.complete
    assert result.events[0].t == pytest.approx(math.sqrt(2e-3 / G), rel=1e-9)
    assert result["pin.z"][-1] == pytest.approx(-1e-3, abs=1e-12)
    assert -result["hole.radial.force"][-1] == pytest.approx(G, rel=1e-9)


def test_an_elastic_pin_gives_back_what_its_restitution_says():
    """Lankarani and Nikravesh's damping is exact for e near one only: at 0.95 the speed after is within 1 % (their own
    figure)."""
    m = hanging(stiffness=1e9, restitution=0.95)
    result = vc.simulate(m, 0.02, outputs=2000, integrator=vc.integrators.DOP853(rtol=1e-10, atol=1e-14))
    fall = math.sqrt(2 * G * 1e-3)
    after = result["pin.vz"][(result.t > 0.0143) & (result.t < 0.0155)].max()
    assert after == pytest.approx(0.95 * fall, rel=0.02)


def test_a_slider_crank_with_play_follows_the_ideal_one_within_its_play():
    ideal, loose = (vc.simulate(build(contact), 0.024, outputs=240) for contact in (None, {"restitution": 0.0}))
    assert loose.complete
    off = np.abs(loose["slider.x"] - ideal["slider.x"]).max()
    assert 1e-4 < off < 1.5e-3
    assert loose["C.radial.value"].max() <= 2.5e-4 + 1e-12
    assert abs(loose["energy.balance"]).max() < 1e-6 * loose.statistics["energy_range"]
