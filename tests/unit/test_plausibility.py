"""Numbers that look like mistakes of units are told; sound models are not disturbed."""

import re

import pytest

import vincolo as vc
from example_models import NAMES, built
from vincolo.analyses.plausibility import doubts


def arm(scale=1.0, inertia=0.1, gravity=(0, 0, -9.81), **given):
    m = vc.Model("arm", gravity)
    body = m.body("arm", 2.0, inertia, (0.5 * scale, 0, 0))
    m.revolute("O", m.ground, body, (0, 0, 0), "y")
    if "angle" in given:
        m.drive("O.angle", given["angle"])
    if "k" in given or "c" in given:
        m.spring("s", "O.angle", k=given.get("k", 0.0), c=given.get("c", 0.0))
    return m


@pytest.mark.parametrize(("model", "word"), [
    (arm(gravity=(0, 0, -9806.65)), "gravity is 9806.65 m/s2: it looks like mm/s2"),
    (arm(gravity=(0, 0, -32.2)), "gravity is 32.2 m/s2; on earth"),
    (arm(scale=1000.0), "the mechanism is 500 m across"),
    (arm(inertia=1e5), "body 'arm': its inertia fits a mass spread over 224 m"),
    (arm(inertia=1e-10), "body 'arm': 2 kg within 7.07e-06 m is denser"),
    (arm(angle="90+t"), "drive .*: the angle at t = 0 is 90 rad, which looks like degrees"),
    (arm(k=-3.0), "spring 's': k is -3"), (arm(c=-3.0), "spring 's': c is -3")], ids=lambda x: x[:20] if isinstance(
        x, str) else "")
def test_a_doubtful_number_is_told(model, word):
    found = doubts(model)
    assert len(found) == 1
    assert re.search(word, found[0])


def test_a_body_that_nothing_holds_is_told():
    m = arm()
    m.body("bird", 1.0, 0.01)
    assert doubts(m) == ["body 'bird' has no joint, spring or drive: it flies freely. Is that intended?"]
    m.contact("perch", m.ground, m.bodies["bird"], "plane", vc.sphere(0.01, mass=1.0))
    assert doubts(m) == []
    free = vc.Model("free")
    free.body("bird", 1.0, 0.01)
    assert doubts(free) == []


@pytest.mark.parametrize("name", NAMES)
def test_examples_raise_no_doubts(name):
    assert doubts(built(name)) == []
