"""Forces of cards over coordinates of any body: their values are those of the coordinates, the motion is that of the
model written in Python, energy is balanced, and cards that are written back move alike."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.formats.cards import CardError, read_cards, write_cards
from vincolo.formats.cards.bodies import left_matrix
from vincolo.model.geometry import matrix_of, quaternion_of
from vincolo.model.measure import along_world, angle, cosine

TIGHT = vc.DOP853(rtol=1e-10, atol=1e-12)


def slider_crank():
    m = vc.Model("slider-crank", gravity=(0, 0, -9.81))
    crank, rod = m.body("crank", 1.0, 0.05, at=(0.15, 0, 0)), m.body("rod", 2.0, 0.2, at=(0.7, 0, 0))
    slider = m.body("slider", 1.5, 0.1, at=(1.1, 0, 0))
    m.revolute("O", m.ground, crank, at=(0, 0, 0), axis="y")
    m.revolute("A", rod, crank, at=(0.3, 0, 0), axis=(0, -1, 0))  # written the other way round
    m.revolute("B", rod, slider, at=(1.1, 0, 0), axis="y")
    m.prismatic("rail", m.ground, slider, at=(1.1, 0, 0), axis="x")
    return m


def spatial_arm():
    """Three hinges about different axes, with bodies that stand askew, and a ball at the end."""
    m = vc.Model("arm", gravity=(0, 0, 0))
    turn = vc.Rotation.euler("xyz", 0.3, -0.8, 1.9)
    a = m.body("a", 1.0, 0.1, at=(0, 0, 0.2), orientation=turn)
    b = m.body("b", 1.0, 0.1, at=(0.3, 0, 0.4))
    c = m.body("c", 1.0, 0.1, at=(0.6, 0.1, 0.4), orientation=turn)
    m.revolute("one", m.ground, a, at=(0, 0, 0), axis="z")
    m.cylindrical("two", b, a, at=(0, 0, 0.4), axis=(0.2, 1, 0))
    m.revolute("three", b, c, at=(0.5, 0, 0.4), axis=(1, 0, 0.5))
    m.spherical("ball", c, m.body("d", 1.0, 0.1, at=(1, 0, 0.4)), at=(0.9, 0, 0.4))
    return m


def cards(folder, model, **blocks):
    """The cards of a model with blocks of Force and SPDamp put behind them; each is a dictionary of fields."""
    write_cards(model, folder, until=1.0, outputs=20)
    for card, added in blocks.items():
        path = folder / f"{card}.s3d"
        text = path.read_text()
        for k, fields in enumerate(added, text.count("begin(") + 1):
            text += f"begin({k})\n" + "".join(f"{key}={value}\n" for key, value in fields.items()) + f"end({k})\n"
        path.write_text(text)
    return folder


def coordinates(state, starts):
    """q and qp of all bodies, Euler parameters with the sign nearest to the start."""
    q, rates = [], []
    for k, start in enumerate(starts):
        y = state.y[13 * k: 13 * k + 13]
        p = quaternion_of(matrix_of(y[3:7]) @ state.system.centred[k].principal.T)
        p = p * (1.0 if p @ start > 0 else -1.0)
        q += [*y[:3], *p]
        rates += [*y[7:10], *(0.5 * left_matrix(p).T @ y[10:13])]
    return q, rates


@pytest.mark.parametrize(("build", "hinged", "moved"), [
    (slider_crank, (1, 2, 3), {"O.angle": 0.7, "O.angle.rate": 2.0}),
    (spatial_arm, (1, 2), {"one.angle": 0.5, "two.angle": -0.7, "three.angle": 0.9, "two.travel": 0.2,
                           "one.angle.rate": 1.3, "two.angle.rate": -2.0, "three.angle.rate": 0.6})])
def test_every_coordinate_and_rate_is_what_it_says(build, hinged, moved, tmp_path):
    model = build()
    count = len(model.bodies)
    names = [f"{letter}{7 * (body - 1) + k}" for body in range(1, count + 1) for letter in ("q", "qp")
             for k in (range(1, 8) if body in hinged else range(1, 4))]
    forces = [{"name": f"F {n}", "body": count, "type": 1, "Fz": f"{n}+0*q1*q2"} for n in names]
    document = read_cards(cards(tmp_path / "cards", model, Force=forces))
    drawn = [quaternion_of(body.orientation) for body in model.bodies.values()]
    state = vc.assemble(document.model, given=moved)
    q, rates = coordinates(state, drawn)
    for n in names:
        wanted = rates[int(n[2:]) - 1] if n.startswith("qp") else q[int(n[1:]) - 1]
        assert state[f"F {n}.force"] == pytest.approx(wanted, abs=1e-9), n


PUSH = {"name": "push", "body": 3, "type": 1, "Fx": "-20*(q15-1.1)-3*qp8+0.5*q3*qp17+sin(t)"}
TWIST = {"name": "twist", "body": 1, "type": 1, "Ty": "0.3*q13-0.2*qp13+0.1*q15"}
SPRING = {"name": "spring", "type": 1, "body1": 0, "body2": 2, "K": "50+10*q1", "L0": 0.2, "C": "1+q15^2",
          "A": "q8*qp1", "p1x": 0.3, "p1z": 0.9}
LOCAL = {"name": "local", "body": 2, "type": 2, "Fz": "2*q1", "px": 0.1}
TORQUE = {"name": "free", "body": 2, "type": 2, "Ty": "0.5*q8*qp1"}


def by_hand(with_torque):
    m = slider_crank()
    o = m.ground.frame((0, 0, 0))
    crank, rod, slider = (m.bodies[name] for name in ("crank", "rod", "slider"))

    def place(body, axis):
        return along_world(axis, o, body.frame(local=(0, 0, 0)))

    turn = angle(m.ground.frame((0, 0, 0), z="y", x="z"), rod.frame(local=(0, 0, 0), z="y", x="z"))
    x1, x2, x3 = place(crank, "x"), place(rod, "x"), place(slider, "x")
    m.actuator("push", x3, "-20*(d-1.1)-3*b_rate+0.5*z*h_rate+sin(t)", b=x2, z=place(crank, "z"), h=place(slider, "z"))
    m.actuator("twist", "O.angle", "0.3*sin(a/2)-0.1*cos(a/2)*a_rate+0.1*x", a=turn, x=x3)
    m.law("spring", vc.distance(m.ground.frame((0.3, 0, 0.9)), rod.frame(local=(0, 0, 0))),
          "(50+10*x1)*(d-0.2)+(1+x3^2)*dd+x2*x1_rate", x1=x1, x2=x2, x3=x3)
    tip = rod.frame(local=(0.1, 0, 0))
    for axis in "xyz":
        share = cosine(axis, "z", o, rod.frame(local=(0, 0, 0)))
        m.actuator(f"local {axis}", along_world(axis, o, tip), "2*x1*s", x1=x1, s=share)
    if with_torque:
        m.actuator("free", turn, "0.5*x2*x1_rate", x1=x1, x2=x2)
    return m


@pytest.mark.parametrize("with_torque", [False, True])
def test_a_slider_crank_moves_as_the_one_written_by_hand(with_torque, tmp_path):
    forces = [PUSH, TWIST, LOCAL, *([TORQUE] if with_torque else [])]
    document = read_cards(cards(tmp_path / "cards", slider_crank(), Force=forces, SPDamp=[SPRING]))
    read = vc.simulate(document.model, until=1.0, outputs=20, integrator=TIGHT)
    own = vc.simulate(by_hand(with_torque), until=1.0, outputs=20, integrator=TIGHT)
    assert np.ptp(own["O.angle"]) > 1.0
    for name in ("O.angle", "slider.x", "rod.vz", "spring.force", "push.force", "twist.force"):
        assert read[name] == pytest.approx(own[name], abs=1e-6), name
    moving = read["energy.kinetic"].max() + np.ptp(read["energy.potential"])
    assert np.abs(read["energy.balance"]).max() < 1e-7 * moving


def test_cards_written_back_move_alike(tmp_path):
    first = read_cards(cards(tmp_path / "cards", slider_crank(), Force=[PUSH, TWIST, LOCAL], SPDamp=[SPRING]))
    second = read_cards(write_cards(first.model, tmp_path / "again", until=1.0, outputs=20))
    third = read_cards(write_cards(second.model, tmp_path / "twice", until=1.0, outputs=20))
    texts = [(tmp_path / folder / "SPDamp.s3d").read_text() for folder in ("again", "twice")]
    assert all("0.2*qp13" in text for text in texts)
    a, b, c = (vc.simulate(document.model, until=1.0, outputs=20, integrator=TIGHT)
               for document in (first, second, third))
    for name in ("O.angle", "slider.x", "rod.vz"):
        assert b[name] == pytest.approx(a[name], abs=1e-8)
        assert c[name] == pytest.approx(a[name], abs=1e-8)


def test_what_becomes_too_long_is_not_written(tmp_path):
    forces = [{"name": "push", "body": 1, "type": 1, "Fx": "0.5*q13-0.3*qp12+q9*q4", "py": 0.1}]
    document = read_cards(cards(tmp_path / "cards", spatial_arm(), Force=forces))
    with pytest.raises(CardError, match="law 'push' is too long a formula for a card"):
        write_cards(document.model, tmp_path / "again")


def test_euler_parameters_behind_a_ball_joint_are_refused(tmp_path):
    forces = [{"name": "push", "body": 1, "type": 1, "Fx": "q25"}]
    with pytest.raises(CardError, match="Fx = q25 depends on Euler parameters.*no revolute and cylindrical joints"):
        read_cards(cards(tmp_path / "cards", spatial_arm(), Force=forces))


def test_a_free_torque_over_coordinates_is_not_written(tmp_path):
    document = read_cards(cards(tmp_path / "cards", slider_crank(), Force=[TORQUE]))
    with pytest.raises(CardError, match="law 'free' is not on a distance"):
        write_cards(document.model, tmp_path / "again")


@pytest.mark.parametrize("kind", [1, 2])
def test_a_point_of_application_may_depend_on_coordinates(tmp_path, kind):
    """Of another body, and of its own: force and moment p x F of Newton and Euler, in axes of the frame or the body."""
    m = vc.Model("two", gravity=(0, 0, 0))
    m.body("a", 2.0, (0.2, 0.3, 0.4), at=(0.3, 0.1, 0.2), orientation=vc.Rotation.euler("xyz", 0.4, 0.7, -0.2),
           velocity=(0.1, 0.2, 0.3))
    m.body("b", 1.0, 0.1, at=(1.0, 0.5, -0.2))
    block = {"body": 1, "type": kind, "Fx": "2+q8", "Fy": "-1", "Fz": "q3*qp1", "px": "0.2*q9", "py": "q2*t+0.1",
             "pz": "sin(q1)"}
    state = vc.assemble(read_cards(cards(tmp_path, m, Force=[block])).model, t=0.5)
    q = [0.3, 0.1, 0.2]
    F, p = np.array([3.0, -1.0, q[2] * 0.1]), np.array([0.2 * 0.5, q[1] * 0.5 + 0.1, np.sin(q[0])])
    A = vc.Rotation.euler("xyz", 0.4, 0.7, -0.2).matrix
    force, moment = (F, np.cross(A @ p, F)) if kind == 1 else (A @ F, A @ np.cross(p, F))
    found = state.solve().acceleration[0]
    assert found[:3] == pytest.approx(force / 2.0, abs=1e-12)
    assert found[3:] == pytest.approx(A @ (A.T @ moment / [0.2, 0.3, 0.4]), abs=1e-12)
