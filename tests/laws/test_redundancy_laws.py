"""Which rows are chosen: as many as the rank, and drives before joints."""

import numpy as np
import pytest

import vincolo as vc
from dense import kernel_rows
from mechanisms import (
    Plan,
    Tie,
    build,
    four_bar,
    hinged_twice,
    link,
    loop,
    moved_state,
    plans,
    rotation,
    tie,
    tree,
    with_drive,
)
from vincolo.analyses import relaxation

PLANS = plans()


def independent(state, drives=True):
    """The rows the kernel chose, as a mask."""
    found = state.system.kernel.independent(state.t, state.y.tolist(), state.turns.tolist(), drives)
    return np.array(found, dtype=bool)


def rank(J):
    return int(np.linalg.matrix_rank(J, tol=1e-7)) if J.size else 0


@pytest.mark.parametrize("name", PLANS)
def test_as_many_rows_are_chosen_as_are_independent(name):
    state = vc.assemble(build(PLANS[name]))
    J = kernel_rows(state)["J"]
    chosen = independent(state)
    assert chosen.sum() == rank(J) == rank(J[chosen])
    mobility, joints = vc.mobility(state), np.array([not row.drive for row in state.system.rows], dtype=bool)
    assert mobility.rank == rank(J[joints])
    assert mobility.dof == J.shape[1] - mobility.rank
    assert mobility.redundant == joints.sum() - mobility.rank
    assert mobility.kutzbach == J.shape[1] - joints.sum()


def overbuilt(rng):
    """A tree in which every third joint is there twice, and all bodies are also held parallel to the ground."""
    plan = tree(rng, 5)
    doubled = [Tie(f"{t.name} again", t.kind, t.a, t.b, t.at, t.axis, t.axis2) for t in plan.ties[::3]]
    held = [tie(rng, f"hold {k}", "orientation", "ground", f"body{k}") for k in range(3)]
    return Plan(plan.links, (*plan.ties, *doubled, *held))


@pytest.mark.parametrize("seed", range(12))
def test_rank_of_overbuilt_mechanisms(seed):
    rng = np.random.default_rng(seed)
    state = vc.assemble(build(overbuilt(rng)))
    J = kernel_rows(state)["J"]
    chosen = independent(state)
    assert chosen.sum() == rank(J) < len(J)
    assert rank(J[chosen]) == chosen.sum()


@pytest.mark.parametrize("seed", range(6))
def test_loops_at_random_positions(seed):
    rng = np.random.default_rng(seed)
    system = vc.compile(build(loop(rng)))
    for _ in range(3):
        state = vc.assemble(system, guess=moved_state(system.drawn, rng, 0.1))
        assert independent(state).sum() == rank(kernel_rows(state)["J"])


def driven():
    rng = np.random.default_rng(5)
    found = {}
    for bars in (2, 3, 4):
        plan = four_bar(rng, bars)
        for coordinate in ("foot0.angle", "head0.angle", f"head{bars - 1}.angle"):
            found[f"{bars} bars, {coordinate}"] = with_drive(plan, coordinate)
    plan = hinged_twice(rng)
    return {**found, **{f"door, {h}": with_drive(plan, f"{h}.angle") for h in ("hinge0", "hinge1")}}


@pytest.mark.parametrize("name", driven())
def test_a_drive_is_never_left_out_for_a_joint(name):
    state = vc.assemble(build(driven()[name]))
    chosen = independent(state)
    for row, taken in zip(state.system.rows, chosen, strict=True):
        assert taken or not row.drive
    result = vc.simulate(state.system, 0.3, outputs=3)
    drive = next(iter(state.system.holds.values()))
    assert result[drive.measure.name] == pytest.approx([drive.function(t) for t in result.t], abs=1e-8)


def test_a_drive_is_chosen_before_the_joints_that_hold_its_freedom():
    """A welded hinge with a drive: assemble() refuses it; the choice of rows keeps the drive and drops a joint row."""
    model = build(Plan((link(np.random.default_rng(3), "a"),)))
    model.revolute("O", model.ground, model.bodies["a"], at=(0, 0, 0), axis="z")
    model.fixed("weld", model.ground, model.bodies["a"], at=(1, 0, 0))
    model.drive("O.angle", 0.0)
    chosen = independent(vc.compile(model).drawn)
    assert chosen[-1] and chosen.sum() == 6


@pytest.mark.parametrize("name", [n for n in PLANS if vc.mobility(build(PLANS[n])).redundant])
def test_the_dependencies_named_are_dependencies(name):
    state = vc.assemble(build(PLANS[name]))
    J = kernel_rows(state)["J"]
    found = state.system.kernel.dependencies(state.t, state.y.tolist(), state.turns.tolist(), True)
    assert len(found) == len(J) - rank(J)
    for group in found:
        assert sum(c * J[row] for row, c in group) == pytest.approx(np.zeros(J.shape[1]), abs=1e-6)
    named = {row for group in vc.mobility(state).groups for row in group}
    assert named and all(not row.drive for row in named)


def test_every_share_of_inertia_leaves_the_choice_alone(rng):
    """Rows are chosen by geometry: tiny masses and inertias are not mistaken for dependent rows."""
    for factor in (1.0, 1e-4, 1e-8):
        plan = four_bar(rng)
        light = plan.links[1]
        links = (plan.links[0], type(light)(light.name, factor * light.mass, factor * light.inertia, light.centre,
                                            light.R, light.v, light.w), plan.links[2])
        state = vc.assemble(build(Plan(links, plan.ties)))
        assert vc.mobility(state).dof == 1 and vc.mobility(state).redundant == 3


def test_units_leave_the_choice_alone(rng):
    """A mechanism a thousand times smaller or larger has the same rank."""
    for size in (1e-3, 1.0, 1e3):
        plan = four_bar(rng, 3)
        links = tuple(type(x)(x.name, x.mass, x.inertia * size**2, size * x.centre, x.R, x.v, x.w) for x in plan.links)
        ties = tuple(Tie(t.name, t.kind, t.a, t.b, size * np.asarray(t.at), t.axis) for t in plan.ties)
        mobility = vc.mobility(build(Plan(links, ties)))
        assert (mobility.dof, mobility.redundant) == (1, 7)


def test_mobility_names_what_is_redundant_together(rng):
    R = rotation(rng)
    axis, at = R[:, 2], rng.normal(size=3)
    ties = (Tie("upper", "revolute", "ground", "door", at, axis),
            Tie("lower", "revolute", "ground", "door", at - axis, axis),
            Tie("wheel", "revolute", "ground", "other", rng.normal(size=3), rng.normal(size=3)))
    mobility = vc.mobility(build(Plan((link(rng, "door"), link(rng, "other")), ties)))
    assert (mobility.kutzbach, mobility.rank, mobility.dof, mobility.redundant) == (-3, 10, 2, 5)
    assert {row.owner for group in mobility.groups for row in group} == {"upper", "lower"}
    text = str(mobility)
    assert "2 degrees of freedom" in text and "lower, upper" in text and "the least are given" in text


def test_dependencies_of_a_start_are_found_once_and_anew_elsewhere(rng, monkeypatch):
    found, search = [], relaxation.found_dependencies

    def counted(state, drives):
        found.append(search(state, drives))
        return found[-1]

    monkeypatch.setattr(relaxation, "found_dependencies", counted)
    system = vc.compile(build(four_bar(rng, 3)))
    result = vc.simulate(system, until=0.2, outputs=2)
    assert len(found) == 1 and len(found[0]) == 7
    there = relaxation.dependencies(result.state(), drives=True)
    assert len(found) == 2
    for state, N in ((result.state(0), found[0]), (result.state(), there)):
        J = kernel_rows(state)["J"]
        assert np.abs(N @ J).max() < 1e-9 * np.abs(J).max()
    assert np.abs(there - found[0]).max() > 1e-3
