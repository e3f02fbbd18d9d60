"""Bodies by the points they join: their inertia is that of their parts, and mechanisms of them move as they must."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.errors import ModelError
from vincolo.formats import load_model, save_model


def test_a_link_is_a_cylinder_between_its_points():
    m = vc.Model()
    a, b = np.array([0.1, -0.2, 0.3]), np.array([0.5, 0.4, -0.1])
    link = m.link("bar", a, b, mass=2.0, radius=0.02)
    L = np.linalg.norm(b - a)
    side = 2.0 * (3 * 0.02**2 + L**2) / 12
    u = (b - a) / L
    expected = side * (np.eye(3) - np.outer(u, u)) + 2.0 * 0.02**2 / 2 * np.outer(u, u)
    assert link.orientation @ link.inertia @ link.orientation.T == pytest.approx(expected, rel=1e-12)
    assert link.at == pytest.approx((a + b) / 2) and link.orientation[:, 0] == pytest.approx(u)
    assert m.link("steel", a, b, radius=0.01).mass == pytest.approx(7850 * np.pi * 1e-4 * L)


def test_a_four_bar_of_links_and_pins_moves_as_the_loop_closes():
    m = vc.Model("four bar")
    base, A, B, C = (0, 0, 0), (0.1, 0, 0.2), (0.6, 0, 0.5), (0.8, 0, 0)
    crank, coupler, rocker = (m.link(n, p, q, mass=1.0) for n, p, q in (("crank", base, A), ("coupler", A, B),
                                                                        ("rocker", B, C)))
    m.pin("O", "ground", crank, base)
    m.pin("A", crank, coupler, A)
    m.pin("B", coupler, rocker, B)
    m.pin("C", rocker, "ground", C)
    m.drive("O.angle", "0.5*t")
    m.frame("pin", rocker, B)
    r = vc.kinematics(m, 1.0, outputs=5)
    end = np.array([r["pin.x"], r["pin.z"]])
    turned = np.array([[0.1 * np.cos(0.5 * t) + 0.2 * np.sin(0.5 * t), -0.1 * np.sin(0.5 * t) + 0.2 * np.cos(0.5 * t)]
                       for t in r.t]).T
    assert np.linalg.norm(end - turned, axis=0) == pytest.approx(np.hypot(0.5, 0.3), abs=1e-9)
    assert np.linalg.norm(end - np.array([[0.8], [0]]), axis=0) == pytest.approx(np.hypot(0.2, 0.5), abs=1e-9)


def corner(mass):
    """A corner of a car by helpers; the tie rod has this mass, or is a held distance."""
    m = vc.Model("corner")
    upright = m.body("upright", 2.0, (0.01, 0.01, 0.005), at=(0, 0.55, 0.22))
    m.wishbone("lower", (0.12, 0.22, 0.12), (-0.14, 0.22, 0.125), (0.006, 0.545, 0.125), mass=0.9, to=upright)
    m.wishbone("upper", (0.105, 0.26, 0.285), (-0.125, 0.26, 0.275), (-0.012, 0.525, 0.305), mass=0.7, to=upright)
    m.rod("tie rod", m.ground.frame((0.07, 0.225, 0.156)), upright.frame((0.075, 0.55, 0.165)), mass=mass)
    m.wheel("wheel", upright, (0, 0.6, 0.228), "y", radius=0.228, mass=8.5)
    m.frame("hub", upright, (0, 0.6, 0.228))
    return m


def test_a_corner_of_helpers_has_the_freedoms_of_a_corner():
    assert vc.mobility(corner(None)).dof == vc.mobility(corner(0.3)).dof == 2  # travel and the spinning wheel
    assert vc.mobility(corner(0.3)).redundant == 0
    light, plain = (vc.simulate(corner(mass), 0.05, outputs=5)["hub.z"] for mass in (1e-6, None))
    assert light == pytest.approx(plain, abs=1e-6)


def test_a_wishbone_weighs_as_its_two_legs():
    m = corner(None)
    arm = m.bodies["lower"]
    front, rear, ball = (np.array(p) for p in ((0.12, 0.22, 0.12), (-0.14, 0.22, 0.125), (0.006, 0.545, 0.125)))
    legs = [np.linalg.norm(ball - front), np.linalg.norm(ball - rear)]
    middles = [(front + ball) / 2, (rear + ball) / 2]
    com = arm.at + arm.orientation @ arm.com
    assert arm.mass == pytest.approx(0.9)
    assert com == pytest.approx((legs[0] * middles[0] + legs[1] * middles[1]) / sum(legs), rel=1e-12)


@pytest.mark.parametrize(("make", "message"), [
    (lambda m: m.link("a", (0, 0, 0), (0, 0, 0), mass=1), "link 'a': its points .* are the same"),
    (lambda m: m.link("a", (0, 0, 0), (1, 0, 0), mass=-1), "link 'a': .*mass"),
    (lambda m: m.link("a", (0, 0, 0), (1, 0, 0), mass=1, density=1), "either mass or density"),
    (lambda m: m.rod("a", "x", "y"), "rod 'a': two frames are needed"),
    (lambda m: m.wishbone("a", (0, 0, 0), (0, 0, 0), (1, 0, 0), mass=1), "wishbone 'a': its points"),
    (lambda m: m.wheel("a", "nobody", (0, 0, 0), radius=1, mass=1), "there is no body called 'nobody'"),
    (lambda m: m.outline("ground", [(0, 0, 0)]), "at least two points")])
def test_what_cannot_be_made_is_refused_and_leaves_nothing(make, message):
    m = vc.Model()
    with pytest.raises(ModelError, match=message):
        make(m)
    assert not m.bodies and not m.joints and not m.looks


def test_outlines_are_drawn_and_kept_in_files(tmp_path):
    m = corner(None)
    m.outline("upright", [(0.006, 0.545, 0.125), (-0.012, 0.525, 0.305), (0.075, 0.55, 0.165)])
    for ending in ("yaml", "xlsx"):
        again = load_model(save_model(m, tmp_path / f"m.{ending}"))
        assert again.looks["upright"][0].numbers == m.looks["upright"][0].numbers
    text = ("points: {A: [0, 0, 0], B: [1, 0, 0], C: [0, 1, 0]}\n"
            "bodies: {p: {mass: 1, inertia: 1, at: B, outline: [A, B, C]}}\n")
    (tmp_path / "p.yaml").write_text(text)
    look = load_model(tmp_path / "p.yaml").looks["p"][0]
    assert look.kind == "skin" and look.numbers["points"] == [[-1, 0, 0], [0, 0, 0], [-1, 1, 0]]
    from vincolo.scene import scene_of

    mesh = next(i.mesh for i in scene_of(load_model(tmp_path / "p.yaml")).items if i.kind == "body")
    assert np.ptp(mesh.vertices, axis=0)[:2] == pytest.approx([1 + 1 / 15, 1 + 1 / 15], rel=0.02)


def test_a_spring_between_coinciding_points_pulls_back_from_every_side():
    """Three equal frequencies sqrt(k/m), and the closed form of a drop from rest."""
    m = vc.Model("hung", gravity=(0, 0, -9.81))
    ball = m.body("ball", 1.0, 0.1)
    m.spring("s", m.ground.frame((0, 0, 0)), ball.frame((0, 0, 0)), k=100.0)
    run = vc.simulate(m, 1.0)
    assert run["ball.z"] == pytest.approx(-0.0981 * (1 - np.cos(10 * run.t)), abs=1e-7)
    assert vc.linearize(m).frequencies == pytest.approx([0, 0, 0, *[10 / (2 * np.pi)] * 3], abs=1e-6)
