"""Forces and motions with conditions, across their corners: closed forms, in every place that takes a formula."""

import math

import numpy as np
import pytest

import vincolo as vc
from vincolo.formats.cards import write_cards

M = 2.0
#: 3 t N up to 0.7 s, -5 N up to 1.3 s, none behind; and the impulse and the way they give a mass at rest
PUSH = "if(t < 0.7, 3*t, if(t < 1.3, -5, 0))"
T1, T2, END = 0.7, 1.3, 2.0
V1, X1 = 1.5 * T1**2 / M, 0.5 * T1**3 / M
V2, X2 = V1 - 5 * (T2 - T1) / M, X1 + V1 * (T2 - T1) - 2.5 * (T2 - T1)**2 / M
X3 = X2 + V2 * (END - T2)


def slide(velocity=0.0):
    model = vc.Model("slide", gravity=(0, 0, 0))
    body = model.body("body", M, 0.1, velocity=(velocity, 0, 0))
    model.prismatic("rail", model.ground, body, at=(0, 0, 0), axis="x")
    return model


def pushed(kind):
    """The push in each place where a formula may stand."""
    model = slide()
    if kind == "history":
        model.actuator("push", "rail.travel", PUSH)
    elif kind == "formula":
        model.actuator("push", "rail.travel", f"{PUSH} + 0*d")
    elif kind == "law":
        model.law("push", "rail.travel", f"-({PUSH}) + 0*dd")
    elif kind == "load":
        model.force("push", "body", [PUSH, 0, 0])
    elif kind == "load in body axes":
        model.force("push", "body", [PUSH, 0, 0], axes="body")
    elif kind == "traced":
        model.actuator("push", "rail.travel", vc.Traced(
            lambda t: np.where(t < 0.7, 3 * t, np.where(t < 1.3, -5.0, 0.0))))
    else:
        push = vc.Expression("if(2*t < b, a*t, if(t - c < 0, -5, 0))", a=3.0, b=1.4, c=T2)
        model.actuator("push", "rail.travel", push)
    return model


KINDS = ["history", "formula", "law", "load", "load in body axes", "traced", "constants"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_push_in_pieces_gives_its_impulse_and_its_work(kind):
    result = vc.simulate(pushed(kind), END, outputs=50)
    assert result.system.numbers.corners_between(0, END) == pytest.approx([T1, T2], abs=1e-12)
    assert result.statistics["restarts"] == 2
    assert M * result["body.vx"][-1] == pytest.approx(M * V2, abs=1e-9)
    assert result["body.x"][-1] == pytest.approx(X3, abs=1e-9)
    assert 0.5 * M * result["body.vx"][-1]**2 == pytest.approx(0.5 * M * V2**2, abs=1e-9)
    assert result.statistics["energy_imbalance"] < 1e-9


@pytest.mark.parametrize("ending", [".yaml", ".xlsx"])
@pytest.mark.parametrize("kind", KINDS)
def test_conditions_go_through_files(kind, ending, tmp_path):
    path = vc.save_model(pushed(kind), tmp_path / f"push{ending}", vc.RunSettings(until=END, outputs=50))
    result = vc.open_model(path).run()
    assert result["body.x"][-1] == pytest.approx(X3, abs=1e-9)


@pytest.mark.parametrize("method", [vc.DormandPrince(), vc.DOP853(), vc.Radau(), vc.BDF(), vc.Adams(),
                                    vc.RK4(step=1e-3)], ids=lambda m: type(m).__name__)
def test_every_integrator_crosses_the_corners(method):
    """Adaptive steps end at the corners; one fixed step looks across each."""
    result = vc.simulate(pushed("formula"), END, outputs=50, integrator=method)
    assert result["body.x"][-1] == pytest.approx(X3, abs=5e-3 if isinstance(method, vc.RK4) else 1e-5)


def released(model, until, at, outputs, integrator=None):
    system = vc.compile(model)
    start = vc.assemble(system, {"rail.travel": at})
    return vc.simulate(system, until, start=start, outputs=outputs, integrator=integrator)


def test_a_spring_that_becomes_stiffer_at_a_time():
    """x = a cos(w t) up to 1 s, then on with twice the frequency: k is a condition of time, d is not."""
    model = slide()
    k, a, w = 8.0, 0.3, 2.0
    model.law("spring", "rail.travel", "if(t < 1, k, 4*k)*d", k=k)
    result = released(model, 3.0, a, 60)
    x1, v1 = a * math.cos(w), -a * w * math.sin(w)
    s = result.t - 1.0
    exact = np.where(s < 0, a * np.cos(w * result.t), x1 * np.cos(2 * w * s) + v1 / (2 * w) * np.sin(2 * w * s))
    assert result.statistics["restarts"] == 1
    assert result["body.x"] == pytest.approx(exact, abs=2e-7)  # the default rtol of 1e-8 over the run


@pytest.mark.parametrize(("integrator", "close"), [(None, 1e-5), (vc.DormandPrince(rtol=1e-12, atol=1e-13), 1e-8)])
def test_a_spring_that_is_stiffer_one_way(integrator, close):
    """Its condition is a measure's, so no time is known before: the steps find the kink by their error. The period is
    half of each spring's."""
    model = slide()
    model.law("spring", "rail.travel", "if(d > 0, 8, 32)*d")
    period = math.pi / 2.0 + math.pi / 4.0
    result = released(model, 4 * period, 0.3, 40, integrator)
    assert result.system.numbers.corners_between(0, 10) == []
    assert result["body.x"][::10] == pytest.approx(0.3, abs=close)
    energy = 0.5 * M * result["body.vx"]**2 + np.where(result["body.x"] > 0, 4, 16) * result["body.x"]**2
    assert energy == pytest.approx(0.36, rel=close)


@pytest.mark.parametrize(("at", "stiffness", "damping"), [(0.3, 8.0, 2.0), (0.05, 0.1, 0.0)])
def test_the_tangent_is_that_of_the_chosen_side(at, stiffness, damping):
    model = slide()
    model.law("law", "rail.travel", "if(d > 0.1 and t < 1, 8*d + 2*dd, if(d > 0.1, log(-d), d^2))")
    linear = vc.linearize(vc.assemble(vc.compile(model), {"rail.travel": at}))
    assert linear.stiffness == pytest.approx(np.array([[stiffness]]) * linear.mass[0, 0] / M, rel=1e-9)
    assert linear.damping == pytest.approx(np.array([[damping]]) * linear.mass[0, 0] / M, abs=1e-9)


def test_a_drive_that_stops_by_a_condition():
    """Position, velocity and acceleration on each side, and the drive's force."""
    model = slide()
    model.drive("rail.travel", "if(t < 1, 0.5*t^2, t - 0.5)")
    result = vc.simulate(model, 2.0, outputs=40)
    early = result.t < 1
    assert result["body.ax"][early] == pytest.approx(1.0, abs=1e-9)
    assert result["body.ax"][~early] == pytest.approx(0.0, abs=1e-9)
    assert result["body.x"][-1] == pytest.approx(1.5, abs=1e-9)


def test_corners_are_exact_where_they_have_to_be_searched():
    f = vc.Expression("if(sin(3*t) > 0.5 and t^2 < 0.5, 5, t)")
    up, down, end = math.asin(0.5) / 3, (math.pi - math.asin(0.5)) / 3, math.sqrt(0.5)
    assert f.breaks_between(0, 2) == pytest.approx([up, end, down], abs=1e-15)
    for corner, change in ((up, 5 - up), (end, end - 5), (down, 0.0)):
        assert f(corner + 1e-12) - f(corner - 1e-12) == pytest.approx(change, abs=1e-11)


def test_the_value_at_a_corner_is_that_of_the_condition():
    assert [vc.Expression(f"if(t^2 {sign} 1, 2, 3)")(1.0) for sign in ("<", "<=", ">", ">=", "==", "!=")] == [
        3.0, 2.0, 3.0, 2.0, 2.0, 3.0]


@pytest.mark.parametrize("force", [PUSH, f"{PUSH} + 0*q1", "if(t < 0.7 and q1 > -100, 3.D0*t, if(t < 1.3, -5, 0))"])
def test_conditions_in_cards(force, tmp_path):
    folder = write_cards(slide(), tmp_path / "cards", until=END, outputs=50)
    (folder / "Force.s3d").write_text(f"NumDyn3D ver. 7.0a\nbegin(1)\nname=F\nbody=1\ntype=1\nFx={force}\nend(1)\n")
    result = vc.open_model(folder).run()
    assert result.statistics["restarts"] == 2
    assert result["body.x"][-1] == pytest.approx(X3, abs=1e-6)  # with the integrator that the cards ask for
