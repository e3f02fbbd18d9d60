"""What is wrong with a contact is said in the user's words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vincolo as vc

OPEN = {"kind": "polyhedron", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "faces": [[0, 2, 1], [0, 1, 3], [0, 3, 2]]}
TWO_MESHES = {"kind": "surface", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "faces": [[0, 1, 2]]}


def scene() -> tuple[vc.Model, Any, Any]:
    m = vc.Model("scene")
    ball = m.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0, 0, 1))
    other = m.body("other", vc.shapes.sphere(0.1, mass=1.0), at=(0, 1, 1))
    return m, ball, other


@pytest.mark.parametrize(("given", "words"), [
    ({"friction": -0.1}, "friction is -0.1; it must not be negative"),
    ({"restitution": 1.2}, "restitution is 1.2; it lies between 0"),
    ({"restitution": -0.2}, "restitution is -0.2"),
    ({"stiffness": 0.0}, "stiffness is 0; it must be positive"),
    ({"stiffness": np.nan}, "stiffness"),
    ({"stiffness": 1e5, "exponent": 0.5}, "exponent is 0.5; it is at least 1"),
    ({"stiffness": 1e5, "law": "linear", "exponent": 1.5}, "1 in a linear law"),
    ({"stiffness": 1e5, "restitution": 0.5}, "restitution= and speed= belong together"),
    ({"stiffness": 1e5, "law": "lankarani-nikravesh"}, "lankarani-nikravesh needs restitution="),
    ({"damping": 3.0}, "damping is given without stiffness="),
    ({"law": "hertz"}, "law is 'hertz'"),
    ({"shape_b": "spehre"}, "a 'spehre' cannot touch"),
    ({"shape_b": {"kind": "sphere"}}, "sphere: 'radius' is missing"),
    ({"shape_b": {"kind": "sphere", "radius": -1.0}}, "radius is -1; it must be positive"),
    ({"shape_b": {"kind": "sphere", "radius": 1.0, "length": 2.0}}, "a sphere has no 'length'"),
    ({"shape_b": {"kind": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}, "lie in a plane"),
    ({"shape_b": OPEN}, "not watertight"),
    ({"shape_b": 3.0}, "3.0 is not a shape"),
])
def test_wrong_numbers_and_shapes_are_named(given: dict[str, Any], words: str) -> None:
    m, ball, _ = scene()
    with pytest.raises(vc.ModelError, match="contact 'floor'") as error:
        m.contact("floor", m.ground, ball, given.pop("shape_a", "plane"), **given)
    assert words in str(error.value)
    assert "floor" not in m.contacts


def test_a_body_without_a_shape_is_named() -> None:
    m, ball, _ = scene()
    bare = m.body("bare", 1.0, 1.0)
    with pytest.raises(vc.ModelError, match="body 'bare' has no shape"):
        m.contact("touch", bare, ball)


def test_what_cannot_meet_is_refused() -> None:
    m, ball, other = scene()
    with pytest.raises(vc.ModelError, match="a plane would meet a plane"):
        m.contact("touch", m.ground, ball, "plane", "plane")
    with pytest.raises(vc.ModelError, match="a mesh would meet a mesh"):
        m.contact("touch", other, ball, TWO_MESHES, TWO_MESHES)
    with pytest.raises(vc.ModelError, match="nobody meets anybody"):
        m.contact("touch", ball, ball)
    with pytest.raises(vc.ModelError, match="is an empty list"):
        m.contact("touch", [], ball)
    with pytest.raises(vc.ModelError, match="there is no body called 'bal'"):
        m.contact("touch", "bal", ball)


def test_overlap_at_the_start_is_refused_with_both_names_and_the_depth() -> None:
    m = vc.Model("inside")
    ball = m.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0, 0, 0.04))
    m.contact("floor", m.ground, ball, "plane")
    with pytest.raises(vc.ModelError, match=r"the plane of 'ground' and the sphere of 'ball' overlap by 0\.06 m"):
        vc.simulate(m, 0.1, integrator=vc.integrators.Moreau(step=1e-3))


def test_rigid_contact_is_refused_by_integrators_that_do_not_know_jumps() -> None:
    m, ball, _ = scene()
    m.contact("floor", m.ground, ball, "plane")
    with pytest.raises(vc.ModelError, match="contact 'floor' is rigid") as error:
        vc.simulate(m, 0.1)
    assert "Moreau" in str(error.value)


def test_two_thousand_pairs_run() -> None:
    m = vc.Model("many", gravity=(0, 0, 0))
    balls = [m.body(f"b{k}", vc.shapes.sphere(0.1, mass=1.0), at=(k % 8, k // 8 % 8, k // 64)) for k in range(64)]
    m.contact("balls", balls, stiffness=1e5)
    result = vc.simulate(m, 0.01, outputs=1)
    assert len(result.system.contact_pairs) == 2016
    assert result.complete and result["balls.gap"][-1] == pytest.approx(0.8)
