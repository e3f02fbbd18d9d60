"""Rows that hold for a part of a run, as events or the motion decide: alike in every formulation."""

import numpy as np
import pytest

import vincolo as vc
from formulations import EVERY, kkt
from vincolo.solvers.formulations import COORDINATES

TIGHT = vc.DOP853(rtol=1e-11, atol=1e-12)


def breaking():
    """Two arms on balls; the outer ball breaks at a force, and a hook catches the arm where it is then."""
    m = vc.Model("breaking", gravity=(0, 0, -9.81))
    arm = m.body("arm", 1.0, (0.01, 0.08, 0.08), at=(0.5, 0, 0), velocity=(0, 0.4, 0))
    tip = m.body("tip", 0.5, (0.01, 0.03, 0.03), at=(1.4, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    m.spherical("A", arm, tip, at=(1, 0, 0))
    m.spherical("hook", m.ground.frame((0.7, 0.1, -1.5)), tip.frame((1.8, 0, 0)))
    m.switch("hook", on=False)
    m.event("break", "A.reaction.force - 9", direction="up", switch_off="A")
    m.event("catch", "tip.z + 1.5", direction="down", switch_on="hook")
    return m


def clutch():
    """A driven arm whose drive lets go, and a guide of which one row is switched."""
    m = vc.Model("clutch", gravity=(0, 0, -9.81))
    arm = m.body("arm", 1.0, (0.01, 0.08, 0.08), at=(0.5, 0, 0))
    slide = m.body("slide", 0.7, 0.02, at=(1, 0, 0.5))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    m.cylindrical("C", m.ground, slide, at=(1, 0, 0.5), axis="z")
    m.spring("s", arm.frame((1, 0, 0)), slide.frame((1, 0, 0.5)), k=40.0, c=1.0, length=0.4)
    m.drive("O.angle", "0.3*sin(4*t)", "motor")
    m.drive("C.angle", "t", "turner", level="velocity")
    m.event("let go", at=0.3, switch_off="motor")
    m.event("take hold", "slide.vz", direction="up", switch_on="motor", switch_off="turner")
    return m


def stopped():
    """Two arms between stops, one of which throws back; and a cart that sticks at last."""
    m = vc.Model("stopped", gravity=(0, 0, -9.81))
    arm = m.body("arm", 1.0, (0.01, 0.08, 0.08), at=(0.5, 0, 0))
    tip = m.body("tip", 0.5, (0.01, 0.03, 0.03), at=(1.4, 0, 0))
    cart = m.body("cart", 1.0, 0.1, at=(0, 1, 0), velocity=(1, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    m.revolute("A", arm, tip, at=(1, 0, 0), axis="y")
    m.prismatic("rail", m.ground, cart, at=(0, 1, 0), axis="x")
    m.stop("low", "O.angle", at_most=0.6, restitution=0.5)
    m.stop("inner", "A.angle", at_least=-0.4)
    m.friction("dry", "rail.travel", 0.3, normal=8.0)
    return m


@pytest.fixture(scope="module", params=[breaking, clutch, stopped], ids=lambda f: f.__name__)
def by_default(request):
    model = request.param()
    result = vc.simulate(model, 0.9, outputs=9, integrator=TIGHT, formulation=vc.formulations.Sparse())
    assert result.reason is None and len(result.events) >= 2
    return model, result


QUICK = ("joint coordinates", "null space svd, twist", "Lagrange, euler_parameters", "QTZ minimal alpha, natural")


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
                                  for name in EVERY])
def test_switched_rows_in_every_formulation(by_default, name):
    model, expected = by_default
    near = name.startswith("penalty")
    found = vc.simulate(model, 0.9, outputs=9, integrator=TIGHT, formulation=EVERY[name])
    assert found.reason is None and [e.name for e in found.events] == [e.name for e in expected.events]
    for body in model.bodies:
        for k in "xyz":
            off = np.abs(found[f"{body}.{k}"] - expected[f"{body}.{k}"]).max()
            assert off < (1e-6 if near else 1e-9), (body, k)
    bound = 1e-4 if near else 1e-7
    assert [e.energy for e in found.events] == pytest.approx([e.energy for e in expected.events], abs=bound)
    assert np.abs(found["energy.balance"]).max() < 1e-4


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_matrices_have_the_rows_that_hold(coordinates):
    """A function of one's own sees as many rows as hold."""
    seen = set()

    def counting(M, J, gamma, Q, phi, rate):
        seen.add(len(gamma))
        return kkt(M, J, gamma, Q, phi, rate)

    vc.simulate(breaking(), 0.9, outputs=9, formulation=vc.OwnFormulation(function=counting, coordinates=coordinates))
    inner = {"twist": 0, "euler_parameters": 2, "natural": 12}[coordinates]
    assert seen == {5 + 3 + inner, 5 + inner}


def test_at_one_state_too():
    """Rows that are off have no reaction."""
    result = vc.simulate(breaking(), 0.5, outputs=2, integrator=TIGHT)
    state = result.state(2)
    ours, theirs = state.solve(), state.solve(vc.NullSpace())
    assert np.abs(ours.acceleration - theirs.acceleration).max() < 1e-9
    assert np.abs(ours.lam - theirs.lam).max() < 1e-9 and (theirs.lam[5:] == 0).all() and theirs.lam[:5].any()


def test_joint_coordinates_are_not_chosen_where_joints_are_switched():
    result = vc.simulate(breaking(), 0.1)
    assert "joint coordinates" not in str(result.settings)
