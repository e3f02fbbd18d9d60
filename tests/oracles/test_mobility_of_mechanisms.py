"""Freedom and redundancy of mechanisms whose answer is known."""

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
