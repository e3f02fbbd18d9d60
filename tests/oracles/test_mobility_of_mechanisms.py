"""Freedom and redundancy of mechanisms whose answer is known."""

import numpy as np
import pytest

import andrews_squeezer
import bricard
import five_bar
import flyball_governor
import mcpherson
import n_four_bar
import pendulum
import slider_crank
import vincolo as vc
from linkages import equal_slider_crank, parallelogram, rod
from vincolo.analyses.relaxation import dependencies

KNOWN = {  # mechanism: counting, degrees of freedom, redundant rows
    "pendulum": (pendulum.build, 1, 1, 0),
    "five-bar": (five_bar.build, -6, 1, 7),
    "Bricard": (bricard.build, 0, 1, 1),
    "two four-bars": (n_four_bar.build, -5, 1, 6),
    "squeezer": (andrews_squeezer.build, 42 - 50, 1, 9),
    "governor": (flyball_governor.build, 4, 4, 0),
    "McPherson and road": (mcpherson.build, 5, 5, 0),  # four of the suspension, and the driven road
    "slider-crank with revolutes": (slider_crank.build, -1, 1, 2),
    "slider-crank with ball joints": (lambda: slider_crank.build("spherical"), 5, 5, 0),
}


@pytest.mark.parametrize("name", KNOWN)
def test_freedom_is_found(name):
    build, kutzbach, dof, redundant = KNOWN[name]
    found = vc.mobility(build())
    assert (found.kutzbach, found.dof, found.redundant) == (kutzbach, dof, redundant)
    assert found.rank == found.rows - redundant


def test_redundant_rows_of_the_slider_crank_are_named():
    found = vc.mobility(slider_crank.build())
    rows = [row for group in found.groups for row in group]
    assert {row.owner for row in rows} == {"O", "A", "B", "guide"}
    # the plane is held more than once: force across it, and moments about axes in it
    across = {"force along z", "moment about x", "moment about y"}  # of the revolutes, whose z is the hinge axis
    assert {row.resists for row in rows if row.owner in "OAB"} <= across
    assert "O, guide" in str(found) and "2 redundant" in str(found)


def test_all_joints_of_bricards_loop_are_redundant_together():
    (group,) = vc.mobility(bricard.build()).groups
    assert {row.owner for row in group} == {f"P{k}" for k in range(6)}


def four_bar_in_line():
    """One window of 1 m rods, all four pins on the x axis."""
    model = vc.Model("in line")
    left, link, right = (model.body(name, 1.0, 0.1, at=(x, 0, 0)) for name, x in (("left", 0.5), ("link", 1.5),
                                                                                 ("right", 1.5)))
    for name, a, b, x in (("O", model.ground, left, 0), ("A", left, link, 1), ("B", link, right, 2),
                          ("C", model.ground, right, 1)):
        model.revolute(name, a, b, at=(x, 0, 0), axis="z")
    return model


def test_four_bar_in_line_has_one_more_freedom_at_that_instant():
    """It can go on as a parallelogram or fold into an antiparallelogram."""
    in_line, upright = vc.mobility(four_bar_in_line()), vc.mobility(n_four_bar.build(1))
    assert (in_line.dof, in_line.redundant) == (2, 4)
    assert (upright.dof, upright.redundant) == (1, 3)


# what counting does not tell


def four_bar_of_hinges() -> vc.Model:
    return n_four_bar.build(1)


def loop(model, names, points, axes):
    """Bodies from point to point in a closed chain of hinges; the last body is the ground."""
    bodies = [model.body(n, 1.0, 0.1, at=(p + q) / 2) for n, p, q in zip(names, points, points[1:], strict=False)]
    for k, (p, axis) in enumerate(zip(points, axes, strict=True)):
        ends = [model.ground, *bodies, model.ground][k:k + 2]
        model.revolute(f"R{k}", *ends, at=p, axis=axis)
    return model


def bennett(twist: float = 0.6, a: float = 1.0, b: float = 1.4, theta: float = 1.1) -> vc.Model:
    """Bennett's loop: opposite links alike, a / sin(alpha) = b / sin(beta); it closes for every angle theta, with
    tan(theta/2) tan(phi/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2) (Bennett 1903)."""
    alpha, beta = twist, float(np.arcsin(b * np.sin(twist) / a))
    phi = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2))
    T, points, axes = np.eye(4), [], []
    for angle, length, tilt in ((theta, a, alpha), (phi, b, beta), (-theta, a, alpha), (-phi, b, beta)):
        points.append(T[:3, 3].copy())
        axes.append(T[:3, 2].copy())
        T = T @ screw_step(angle, length, tilt)
    assert np.allclose(T, np.eye(4), atol=1e-12)  # the loop is closed
    return loop(vc.Model("Bennett"), ("a", "b", "c"), points, axes)


def screw_step(angle, length, tilt):
    """Denavit and Hartenberg: turn about z, go along x, tilt about x."""
    c, s, ct, st = np.cos(angle), np.sin(angle), np.cos(tilt), np.sin(tilt)
    return np.array([[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0, st, ct, 0], [0, 0, 0, 1]])


def cardan() -> vc.Model:
    """Two forks and a cross, shafts inclined by 10 degrees; a hinge on each shaft and one on each arm of the cross
    (Vita: 33 equations with the norms of three quaternions, 20 independent and 13 dependent)."""
    model = vc.Model("Cardan joint")
    tilt = np.radians(10)
    second = np.array([np.cos(tilt), np.sin(tilt), 0])
    fork1, cross, fork2 = (model.body(n, 1.0, 0.1, at=p) for n, p in (("in", (-0.2, 0, 0)), ("cross", (0, 0, 0)),
                                                                      ("out", 0.2 * second)))
    model.revolute("S1", model.ground, fork1, at=(-0.5, 0, 0), axis="x")
    model.revolute("S2", model.ground, fork2, at=0.5 * second, axis=second)
    arm = np.array([-second[1], second[0], 0])  # at right angles to the second shaft, and to z
    for side in (1, -1):
        model.revolute(f"C{side + 2}", fork1, cross, at=(0, 0, 0.05 * side), axis="z")
        model.revolute(f"D{side + 2}", cross, fork2, at=0.05 * side * arm, axis=arm)
    return model


def stewart(lower: str) -> vc.Model:
    """A platform on six legs of two bodies with a prismatic joint; spherical joints above, `lower` ones below."""
    model = vc.Model("platform")
    platform = model.body("platform", 1.0, (0.1, 0.1, 0.2), at=(0, 0, 1))
    for k in range(6):
        turn, side = np.pi / 3 * k, (-1) ** k
        p, q = (r * np.array([np.cos(turn + s), np.sin(turn + s), 0]) + (0, 0, h)
                for r, s, h in ((1.0, -0.3 * side, 0), (0.5, 0.2 * side, 1)))
        d = (q - p) / np.linalg.norm(q - p)
        cylinder, piston = (model.body(f"{n}{k}", vc.cylinder(0.02, 0.3, d, mass=0.2), at=p + s * (q - p))
                            for n, s in (("cylinder", 0.25), ("piston", 0.75)))
        axis = np.cross(d, (0, 0, 1))
        if lower == "universal":
            model.universal(f"foot{k}", model.ground, cylinder, at=p, axis=axis, axis2=np.cross(d, axis))
        else:
            model.spherical(f"foot{k}", model.ground, cylinder, at=p)
        model.prismatic(f"leg{k}", cylinder, piston, at=(p + q) / 2, axis=d)
        model.spherical(f"head{k}", piston, platform, at=q)
    return model


def test_a_cardan_joint_of_six_hinges_has_twenty_independent_equations_of_33():
    found = vc.mobility(cardan())
    bodies = 3  # each with the norm of its quaternion, independent of all others
    assert (found.rows + bodies, found.rank + bodies, found.redundant) == (33, 20, 13)
    assert (found.dof, found.generic) == (1, 1)


@pytest.mark.parametrize("theta", [0.4, 1.1, 2.5])
def test_bennetts_loop_moves_by_its_geometry_alone(theta):
    found = vc.mobility(bennett(theta=theta))
    assert (found.kutzbach, found.dof, found.generic, found.redundant) == (-2, 1, 1, 3)
    assert not found.singular and not found.idle


def test_here_and_nearby_differ_in_a_singular_position():
    for model in (parallelogram(0.0), four_bar_in_line(), equal_slider_crank(np.pi / 2)):
        found = vc.mobility(model)
        assert (found.dof, found.generic) == (2, 1) and found.singular
        assert "here 2, nearby 1: a singular position" in str(found)
    found = vc.mobility(parallelogram(1.0))
    assert (found.dof, found.generic) == (1, 1) and "singular" not in str(found)


def test_a_drive_does_not_hide_the_freedom_nearby():
    model = parallelogram(0.0)
    model.drive("foot0.angle", 0.0)  # would hold it in its flat position
    found = vc.mobility(model)
    assert (found.dof, found.generic) == (2, 1)


def test_the_rod_of_a_slider_crank_spins_between_its_ball_joints():
    model = vc.Model("slider-crank")
    crank, link = (rod(model, n, p, q) for n, p, q in (("crank", (0, 0), (0, 0.3)), ("rod", (0, 0.3), (0.8, 0))))
    slider = model.body("slider", 1.0, 0.1, at=(0.8, 0, 0))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.spherical("A", crank, link, at=(0, 0.3, 0))
    model.spherical("B", link, slider, at=(0.8, 0, 0))
    model.prismatic("S", model.ground, slider, at=(0.8, 0, 0), axis="x")
    found = vc.mobility(model)
    (idle,) = found.idle
    assert (idle.bodies, idle.joints) == (("rod",), ("A", "B"))
    assert (found.dof, found.working) == (2, 1)
    assert "idle: 'rod' can spin about the line through 'A' and 'B'" in str(found)


def test_a_spin_that_a_spring_feels_is_not_idle():
    model = slider_crank.build("spherical")
    assert {i.bodies for i in vc.mobility(model).idle} == {("rod",), ("crank",)}
    bent = model.bodies["rod"].frame(local=(0, 0.2, 0))
    model.spring("brace", model.ground.frame((0, 3, 1)), bent, k=10.0)
    assert {i.bodies for i in vc.mobility(model).idle} == {("crank",)}


def test_a_door_on_two_ball_joints_is_not_idle():
    model = vc.Model("door")
    door = model.body("door", 20.0, 5.0, at=(0.4, 0, 1))
    for name, z in (("low", 0), ("high", 2)):
        model.spherical(name, model.ground, door, at=(0, 0, z))
    found = vc.mobility(model)
    assert (found.dof, found.idle, found.working) == (1, (), 1)


@pytest.mark.parametrize(("lower", "dof", "idle"), [("universal", 6, 0), ("spherical", 12, 6)])
def test_a_platform_on_six_legs(lower, dof, idle):
    found = vc.mobility(stewart(lower))
    assert (found.dof, len(found.idle), found.working) == (dof, idle, 6)
    assert all(freedom.bodies == (f"cylinder{k}", f"piston{k}") for k, freedom in enumerate(found.idle))


def test_both_halves_of_a_strut_spin_on_their_own():
    """A cylindrical joint in the middle of a leg with ball joints: two idle freedoms."""
    model = vc.Model("strut")
    top = model.body("top", 1.0, 0.1, at=(0, 0, 1.2))
    lower, upper = (model.body(n, 1.0, 0.1, at=(0, 0, z)) for n, z in (("tube", 0.3), ("piston", 0.7)))
    model.prismatic("T", model.ground, top, at=(0, 0, 1.2), axis="z")
    model.spherical("A", model.ground, lower, at=(0, 0, 0))
    model.cylindrical("C", lower, upper, at=(0, 0, 0.5), axis="z")
    model.spherical("B", upper, top, at=(0, 0, 1))
    found = vc.mobility(model)
    assert {f.bodies for f in found.idle} == {("tube",), ("piston",)}


def test_the_joints_to_relax_in_a_four_bar_are_a_ball_and_a_cylinder():
    found = vc.mobility(four_bar_of_hinges())
    assert sorted((r.kind, r.to, r.removes) for r in found.relaxations) == [("revolute", "cylindrical", 1),
                                                                            ("revolute", "spherical", 2)]
    assert len({r.joint for r in found.relaxations}) == 2
    assert all(str(r) in str(found) for r in found.relaxations)


def relaxed(model: vc.Model, relaxations) -> vc.Model:
    """The model with joints replaced as suggested, in the same frames; only kinds in the same axes."""
    for r in relaxations:
        old = model.joints.pop(r.joint)
        getattr(model, r.to)(f"{r.joint}_", old.a, old.b)
    return model


RELAXED = {"four-bar": four_bar_of_hinges, "Bennett": bennett, "Bricard": bricard.build, "slider-crank":
           slider_crank.build, "two windows": n_four_bar.build, "squeezer": andrews_squeezer.build}


@pytest.mark.parametrize("name", RELAXED)
def test_what_is_suggested_takes_redundancy_away_and_adds_no_freedom(name):
    before = vc.mobility(RELAXED[name]())
    used = [r for r in before.relaxations if r.to != "universal"]
    after = vc.mobility(relaxed(RELAXED[name](), used))
    assert sum(r.removes for r in before.relaxations) == before.redundant
    assert after.dof == before.dof
    assert after.redundant == before.redundant - sum(r.removes for r in used)


def displaced_bricard(joint: int, along: np.ndarray, error: float, loose: str) -> vc.Model:
    """Bricard's loop with one hinge set off by an error on its second body, and another that may slide on its axis."""
    model = bricard.build()
    old = model.joints.pop(f"P{joint}")
    axes = old.b.drawn_axes
    model.revolute(f"P{joint}", old.a, old.b.body.frame(old.b.drawn_point + error * along, z=axes[:, 2], x=axes[:, 0]))
    free = model.joints.pop(loose)
    model.cylindrical(loose, free.a, free.b)
    return model


@pytest.mark.parametrize("joint", [0, 2, 4])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_an_error_opens_bricards_loop_by_what_is_said(joint, axis):
    """Gaps follow from N J = 0: an error e of one row must be taken up by another, e N_row / N_other."""
    state = vc.assemble(bricard.build())
    (line,) = dependencies(state)
    rows = {(r.owner, r.resists): k for k, r in enumerate(state.system.rows)}
    other = rows["P5", "force along z"]
    own = rows[f"P{joint}", f"force along {'xyz'[axis]}"]
    along = state.system.joints[f"P{joint}"].a.drawn_axes[:, axis]
    error = 1e-5
    gap = vc.assemble(displaced_bricard(joint, along, error, "P5"), keep="P0.angle")["P5.travel"]
    assert abs(gap) == pytest.approx(error * abs(line[own] / line[other]), abs=20 * error**2)


def test_openings_are_the_coefficients_of_the_redundant_rows():
    found = vc.mobility(bricard.build())
    assert len(found.openings) == sum(len(g) for g in found.groups) - 1
    sizes = [o.per_unit for o in found.openings]
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] > 0
    assert str(found.openings[0]) in str(found)


def test_nothing_is_suggested_where_nothing_is_redundant():
    found = vc.mobility(pendulum.build())
    assert (found.relaxations, found.options, found.openings, found.idle) == ((), (), (), ())
    assert (found.generic, found.working) == (1, 1)


def test_what_does_not_hold_is_no_redundant_row():
    """A stop that is not met, friction that slips and joints that are switched off count where they hold."""
    m = vc.Model("block")
    block = m.body("block", 1.0, 1.0, velocity=(1, 0, 0))
    m.prismatic("rail", m.ground, block, at=(0, 0, 0), axis="x")
    m.stop("end", "rail.travel", at_most=0.05)
    m.friction("dry", "rail", 0.1)
    result = vc.simulate(m, 0.1, outputs=10)
    found = [vc.mobility(result.state(k)) for k in (0, len(result) - 1)]  # it slides at first, then rests at the end
    assert [(x.dof, x.rows, x.rank, x.redundant, x.kutzbach) for x in found][0] == (1, 5, 5, 0, 1)
    # the stop holds the block, and friction beside it needs no row of its own
    assert (result["end.on"][-1], result["dry.stuck"][-1]) == (1.0, 1.0)
    assert [found[1].dof, found[1].rows, found[1].redundant] == [0, 6, 0]
    m = vc.Model("let go")
    block = m.body("block", 1.0, 1.0)
    m.prismatic("rail", m.ground, block, at=(0, 0, 0), axis="x")
    m.fixed("clamp", m.ground, block, at=(0, 0, 0))
    m.switch("clamp", False, at=0.05)
    result = vc.simulate(m, 0.1, outputs=4)
    found = [vc.mobility(result.state(k)) for k in (0, len(result) - 1)]
    assert [(x.dof, x.rows, x.redundant) for x in found] == [(0, 11, 5), (1, 5, 0)]
