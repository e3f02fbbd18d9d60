"""Assembly branches of mechanisms whose branches are known in closed form."""

import numpy as np
import pytest

import vincolo as vc
from linkages import flat, rod
from vincolo.analyses.branches import branches, distance

CRANK, COUPLER, ROCKER, BASE = 0.3, 0.8, 0.6, 0.9  # m


def meetings(a: np.ndarray, r: float, b: np.ndarray, s: float) -> list[np.ndarray]:
    """The two meetings of circles of radius r about a and s about b, the left one of the way from a to b first."""
    v = b - a
    L = np.hypot(*v)
    x = (r**2 - s**2 + L**2) / (2 * L)
    across = np.sqrt(r**2 - x**2) * np.array([-v[1], v[0]]) / L
    return [a + x * v / L + side * across for side in (1, -1)]


def polar(length: float, angle: float) -> np.ndarray:
    return length * np.array([np.cos(angle), np.sin(angle)])


def chain(name: str, points: list[np.ndarray]) -> vc.Model:
    """Bars from point to point, hinged to the ground at both ends: bars 1, 2, ..., hinges P0, P1, ..."""
    model = vc.Model(name, gravity=(0, -9.81, 0))
    bodies = [model.ground]
    bodies += [rod(model, f"bar{k + 1}", p, q) for k, (p, q) in enumerate(zip(points, points[1:], strict=False))]
    bodies.append(model.ground)
    for k, p in enumerate(points):
        model.revolute(f"P{k}", bodies[k], bodies[k + 1], at=flat(p), axis="z")
    return model


def pin(state: vc.State, joint: str) -> np.ndarray:
    return state.channels.point(state.system.joints[joint].b)[0]


def four_bar(th: float = 1.0) -> vc.Model:
    A, D = polar(CRANK, th), np.array([BASE, 0.0])
    return chain("four-bar", [np.zeros(2), A, meetings(A, COUPLER, D, ROCKER)[0], D])


def test_a_four_bar_has_an_elbow_up_and_an_elbow_down():
    system = vc.compile(four_bar(1.0))
    found = branches(system, {"P0.angle": 0.2})
    A, D = polar(CRANK, 1.2), np.array([BASE, 0.0])
    up, down = meetings(A, COUPLER, D, ROCKER)
    assert len(found) == 2
    assert np.allclose([pin(s, "P2") for s in found], [flat(up), flat(down)], atol=1e-8)
    assert [s["P0.angle"] for s in found] == pytest.approx([0.2, 0.2], abs=1e-9)


def test_branches_are_sorted_by_distance_from_the_guess_and_have_velocities():
    system = vc.compile(four_bar(1.0))
    up, down = branches(system, {"P0.angle": 0.0, "P0.angle.rate": 2.0})
    assert distance(system.drawn, up) < 1e-9 < distance(system.drawn, down)
    assert [s["P0.angle.rate"] for s in (up, down)] == pytest.approx([2.0, 2.0], abs=1e-9)
    assert max(s["residual.velocity"] for s in (up, down)) < 1e-9
    assert up["P3.angle.rate"] != pytest.approx(down["P3.angle.rate"], abs=0.1)
    other = branches(system, {"P0.angle": 0.0}, guess=down)
    assert np.allclose(pin(other[0], "P2"), pin(down, "P2"), atol=1e-8)


def test_a_slider_crank_has_its_slider_left_or_right_of_the_crank():
    th, a, b = 0.8, 0.25, 0.6
    tip = polar(a, th)
    end = np.array([tip[0] + np.sqrt(b**2 - tip[1] ** 2), 0])
    model = vc.Model("slider-crank")
    crank, link = rod(model, "crank", (0, 0), tip), rod(model, "rod", tip, end)
    slider = model.body("slider", 1.0, 0.1, at=flat(end))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.revolute("A", crank, link, at=flat(tip), axis="z")
    model.revolute("B", link, slider, at=flat(end), axis="z")
    model.prismatic("S", model.ground, slider, at=(0, 0, 0), axis="x")
    found = branches(model, keep="O.angle")
    root = np.sqrt(b**2 - (a * np.sin(th)) ** 2)
    assert [s["slider.x"] for s in found] == pytest.approx([a * np.cos(th) + root, a * np.cos(th) - root], abs=1e-8)


def test_a_five_bar_with_both_cranks_given_has_two_branches():
    A, E = polar(0.4, 1.9), np.array([1.0, 0.0]) + polar(0.4, 1.2)
    up, down = meetings(A, 0.7, E, 0.7)
    found = branches(chain("five-bar", [np.zeros(2), A, up, E, np.array([1.0, 0.0])]), keep=["bar1", "bar4"])
    assert np.allclose([pin(s, "P2") for s in found], [flat(up), flat(down)], atol=1e-8)


LEGS = 6
FEET = [polar(1.0, np.pi / 3 * k - 0.3 * (-1) ** k) for k in range(LEGS)]
HEADS = [polar(0.5, np.pi / 3 * k + 0.2 * (-1) ** k) for k in range(LEGS)]


def hexapod() -> vc.Model:
    """A platform 1 m above the ground on six rods with ball joints of no mass."""
    model = vc.Model("hexapod")
    platform = model.body("platform", 1.0, (0.1, 0.1, 0.2), at=(0, 0, 1))
    for k in range(LEGS):
        model.distance(f"leg{k}", model.ground.frame(flat(FEET[k])), platform.frame((*HEADS[k], 1.0)))
    return model


def test_a_hexapod_has_its_mirror_image_below_the_ground_among_its_branches():
    """Feet in one plane: with every position its mirror image in that plane has the same legs."""
    system = vc.compile(hexapod())
    found = branches(system, count=12, tries=60)
    lengths = [np.linalg.norm([*(h - f), 1.0]) for f, h in zip(FEET, HEADS, strict=True)]
    for state in found:
        assert [state[f"leg{k}.length"] for k in range(LEGS)] == pytest.approx(lengths, abs=1e-9)
    heights = sorted(s["platform.z"] for s in found)
    assert len(found) >= 4 and heights[0] < -0.1 < 0.1 < heights[-1]
    assert found[0]["platform.z"] == pytest.approx(1.0, abs=1e-9)
    away = [distance(system.drawn, s) for s in found]
    assert away == sorted(away)
    assert min(distance(a, b) for k, a in enumerate(found) for b in found[:k]) > 1e-4


def test_links_that_spin_idly_do_not_make_branches():
    th, offset = 0.7, 0.3  # an RSSR linkage: crank about z, rocker about x, a rod with ball joints
    model = vc.Model("RSSR")
    tip, foot, head = np.array([*polar(0.3, th), 0]), np.array([1.0, 0, offset]), np.array([1.0, 0.5, offset])
    crank, rocker = model.body("crank", 1, 0.1, at=tip / 2), model.body("rocker", 1, 0.1, at=(foot + head) / 2)
    link = model.body("rod", 1, 0.1, at=(tip + head) / 2)
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.revolute("C", model.ground, rocker, at=foot, axis="x")
    model.spherical("A", crank, link, at=tip)
    model.spherical("B", link, rocker, at=head)
    found = branches(model, keep="O.angle")
    # |foot + 0.5 (0, cos b, sin b) - tip| is the rod's length: two angles b, b = 0 as drawn
    y, z = foot[1] - tip[1], foot[2] - tip[2]
    other = 2 * np.arctan2(z, y)
    assert len(found) == 2
    assert found[0]["C.angle"] == pytest.approx(0.0, abs=1e-9)
    assert np.cos(found[1]["C.angle"] - other) == pytest.approx(1.0, abs=1e-12)


def test_parallel_axes_are_not_turned_against_each_other():
    """Their equations would hold; the hinge would have to be taken apart."""
    for state in branches(four_bar(), keep="P0.angle", tries=30):
        for joint in state.system.joints.values():
            R = [state.channels.rotation(state.system.body_of(f.body.name))[0] if not f.body.is_ground else np.eye(3)
                 for f in (joint.a, joint.b)]
            assert (R[0] @ joint.a.axes[:, 2]) @ (R[1] @ joint.b.axes[:, 2]) == pytest.approx(1.0, abs=1e-9)
