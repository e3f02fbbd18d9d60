"""Cards of NumDyn3D that are written: what comes back, and what they cannot say."""

import re

import numpy as np
import pytest

import vincolo as vc
from card_models import arm_and_slider, card
from vincolo.errors import FileWarning
from vincolo.formats.cards import CardError, read_cards, write_cards

# writing


def test_a_model_comes_back_from_cards_and_moves_the_same(tmp_path):
    m = vc.Model("all of it", gravity=(0, -9.81, 0))
    arm = m.body("arm", 2.0, (0.1, 0.2, 0.25), at=(0, 0, 0), com=(0.4, 0.1, 0), angular_velocity=(0, 0, 1.0))
    bob = m.body("bob", 1.0, 0.1, at=(1, 0, 0), orientation=(0.8, 0, 0.6, 0))
    bead = m.body("bead", 0.5, 0.01, at=(3, 0, 0))
    nut = m.body("nut", 0.5, 0.01, at=(0, 0, 2))
    cart = m.body("cart", 0.7, 0.02, at=(5, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="z")
    m.spherical("A", arm, bob, at=(1, 0, 0))
    m.guide("wire", m.ground, bead, at=(3, 0, 0), axis=(1, 1, 0))
    m.cylindrical("rod", m.ground, nut, at=(0, 0, 2), axis="y")
    m.prismatic("rail", m.ground, cart, at=(5, 0, 0), axis="x")
    m.spring("s", arm.frame((1, 0, 0)), bead.frame((3, 0, 0)), k=30, c=0.5, length=1.5)
    m.spring("twist", "O.angle", k=5, c=0.1, length=0.2)
    m.actuator("motor", "rod.angle", vc.Sine(0.2, 3.0))
    m.force("f", nut, (0, vc.Expression("F*cos(w*t)+4.9", F=2.0, w=5.0), 0))
    m.torque("q", bob.frame((1, 0, 0)), (0.1, vc.Polynomial([0, 0.2]), 0), axes="body")
    m.drive(vc.along_world("x", m.ground.frame((0, 0, 0)), cart.frame((5, 0, 0))), vc.Sine(0.3, 2.0, offset=5.0),
            "push")
    back = read_cards(write_cards(m, tmp_path / "new" / "cards", until=1.5)).model
    first, second = (vc.simulate(x, until=1.5, integrator=vc.DOP853(rtol=1e-11, atol=1e-12)) for x in (m, back))
    for name in ("O.angle", "wire.travel", "rod.angle", "rod.travel", "bob.x", "bob.y", "bob.z", "cart.x"):
        assert second[name] == pytest.approx(first[name], abs=1e-7), name


WRITTEN = {  # what is added to the arm and the slider
    "a law over a turning body": lambda m: m.law("l", "O.angle", "3*cos(d)*sin(d/2)+2*dd*abs(dd)*cos(d/2)-t"),
    "its rate beside sines": lambda m: m.actuator("l", "O.angle", "dd*sin(d/2)*4-dd*cos(-d/2)+sin(-d)"),
    "a stiffness with a factor": lambda m: m.spring("s", -2.0 * m.joints["O"]["angle"], k=3, c=0.5, length=0.1),
    "a curve along a rail": lambda m: m.law("l", vc.distance(m.ground.frame((0, 0, 0)), m.bodies["slider"].frame()),
                                            "k*(d-1)^3+c*dd*abs(d)", k=5, c=2),
    "a spring along the world": lambda m: m.spring("s", vc.along_world("x", m.ground.frame((0.3, 0, 0)),
                                                                       m.bodies["slider"].frame()), k=3, c=1),
    "a law along the world": lambda m: m.law("l", -1.0 * vc.along_world("-x", m.ground.frame((0.3, 0, 0)),
                                                                        m.bodies["slider"].frame()), "d^3+t*dd"),
    "a force at a moving point": lambda m: m.actuator("l", vc.along_world(
        (0, 0.6, 0.8), m.ground.frame((0, 0, 0)), m.bodies["arm"].frame(local=(0.1, 0, 0)).moving("0.2*t")), "3*t"),
    "a drive by an expression": lambda m: m.drive(vc.along_world("x", m.ground.frame((0, 0, 0)), m.bodies["slider"]
                                                                 .frame()), "1.5+0.1*sin(3*t)^2", "push"),
    "a hold of two coordinates": lambda m: m.hold("tie", vc.formula(
        "x^2-y*exp(-t)/2", x=vc.along_world("x", m.ground.frame((0, 0, 0)), m.bodies["slider"].frame()),
        y=vc.along_world("y", m.ground.frame((0, 1, 0)), m.bodies["arm"].frame())), 2.75),
    "a turn": lambda m: m.drive("O.angle", vc.Polynomial([0, 0.3, 2.0])),
    "a turn the other way": lambda m: m.drive(-1.0 * m.joints["O"]["angle"], vc.Sine(0.4, 3.0)),
    "functions of functions": lambda m: m.force("f", m.bodies["slider"], (vc.Sine(1, 2) * vc.Ramp(3.0, 0.2), 0, 1))}


@pytest.mark.parametrize("what", WRITTEN)
@pytest.mark.parametrize("drawn", [0.0, 0.7])
def test_forces_and_drives_come_back_and_do_the_same(what, drawn, tmp_path):
    m = vc.Model("arm and slider", gravity=(0, 0, 0))
    turn = vc.Rotation.axis_angle("z", drawn)
    arm = m.body("arm", 2.0, (0.01, 0.2, 0.2), at=(0.5 * np.cos(drawn), 0.5 * np.sin(drawn), 0), orientation=turn)
    slider = m.body("slider", 1.0, 0.1, at=(1.5, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="z")
    m.prismatic("rail", slider, m.ground, at=(0, 0, 0), axis="x")
    WRITTEN[what](m)
    back = read_cards(write_cards(m, tmp_path / "cards")).model
    given = {"O.angle": 0.4, "O.angle.rate": -1.3, "rail.travel": -0.2, "rail.travel.rate": 0.6}
    if m.holds:
        given = {}
    first, second = (vc.assemble(x, given=given, t=0.0) for x in (m, back))
    later = [vc.simulate(x, until=0.4, start=s, outputs=4, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
             for x, s in ((first.system, first), (second.system, second))]
    for name in ("arm.x", "arm.y", "arm.wz", "slider.x", "slider.vx", "arm.alpha_z", "slider.ax"):
        assert later[1][name] == pytest.approx(later[0][name], abs=1e-8), name


def test_names_and_looks_that_cards_have_no_place_for_are_warned_of(tmp_path):
    m = arm_and_slider()
    m.frame("tip", "arm", (1, 0, 0))
    m.measure("reach", m.joints["O"]["angle"])
    with pytest.warns(FileWarning, match="frames tip|measures reach"):
        write_cards(m, tmp_path / "cards")


def test_settings_of_every_method_come_back(tmp_path):
    for method in range(3):
        first = write_cards(arm_and_slider(), tmp_path / f"{method}")
        card(first, "QRTol", f"ResMethod={method}\nODEmethod=3\ntolODE=1.E-5\nthreshold=1.E-9\ntolRadau=1.E-6\n"
                             "tolQRUpdate=0.97\ntolRank=1.E-8\ntolConst=1.E-7\ntolCorr=1.E-9\n")
        before = read_cards(first)
        write_cards(before.model, tmp_path / f"{method} again", until=before.settings.until,
                    outputs=before.settings.outputs, settings=before.settings)
        assert read_cards(tmp_path / f"{method} again").settings == before.settings


def test_a_way_of_solving_that_numdyn3d_does_not_know_is_warned_of(tmp_path):
    with pytest.warns(FileWarning, match="does not know this way of solving .BDF"):
        write_cards(arm_and_slider(), tmp_path / "cards", settings=vc.RunSettings(integrator=vc.BDF()))


def test_what_cards_cannot_say_is_listed_and_nothing_is_written(tmp_path):
    m = arm_and_slider()
    m.universal("cross", m.bodies["arm"], m.bodies["slider"], at=(1, 0, 0), axis="y", axis2="z")
    m.law("drag", "O.angle", "c*d^3", c=1)
    m.spring("travel", "rail.travel", k=1)
    m.force("gust", m.bodies["arm"], (vc.SmoothStep(0, 1), 0, 0))
    m.drive("rail.travel", "t")
    m.rotor("O.angle", 0.1, name="motor")
    m.switch("rail", False, at=1.0)
    with pytest.raises(CardError) as caught:
        write_cards(m, tmp_path / "cards")
    for part in ("'cross' is universal", "law 'drag'", "spring 'travel'", "'gust'.*SmoothStep",
                 "drive 'rail.travel.drive'", "'rail' is switched", "rotor 'motor'"):
        assert re.search(part, str(caught.value)), part
    assert not (tmp_path / "cards").exists()


@pytest.mark.parametrize("inertia", [(0.1, 0.2, 0.25), [[0.2, 0.05, 0.01], [0.05, 0.25, 0.02], [0.01, 0.02, 0.3]]])
def test_a_turned_body_starts_with_the_spin_of_its_card(inertia, tmp_path):
    m = vc.Model("spinning", gravity=(0, 0, 0))
    turn = vc.Rotation.axis_angle("x", np.pi / 2)
    bar = m.body("bar", 2.0, inertia, at=(0.5, 0, 0), orientation=turn, velocity=(0, 0.5, 0),
                 angular_velocity=(0, 0, 1))
    m.revolute("O", m.ground, bar, at=(0, 0, 0), axis="z")
    write_cards(m, tmp_path / "cards")
    start = read_cards(tmp_path / "cards").start()
    found = [start[f"bar.{key}"] for key in ("vx", "vy", "vz", "wx", "wy", "wz")]
    assert found == pytest.approx([0, 0.5, 0, 0, 0, 1.0], abs=1e-12)
    assert np.abs(start.equations().Phi_dot).max() < 1e-12
