"""The page of suspensions in a browser: a hardpoint is drawn with the mouse, and the curves follow."""

import numpy as np
import pytest

import vincolo as vc
from browser import page, shot
from served_design import served_design
from vincolo.cli.suspension_page import QUICK

pytest.importorskip("trimesh")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with served_design(tmp_path_factory.mktemp("page")) as (_, design, address):
        yield design, address


def stage_of(tab):
    """The stage, once its points are there."""
    tab.wait_for_function(
        "() => { const h = document.getElementById('stage').contentWindow.hardpoints; "
        "return h && Object.keys(h.points).length === 18 }",
        timeout=60_000,
    )
    tab.wait_for_timeout(500)
    return next(f for f in tab.frames if "/stage/" in f.url)


def line(tab, metric, which="now"):
    """The points of the curve as it is now, or before."""
    found = tab.locator(f'#small figure[data-metric="{metric}"] polyline.{which}').get_attribute("points")
    return np.array([pair.split(",") for pair in found.split()], dtype=float)


def draw(tab, stage, role, dx, dy):
    """Takes a point and draws it by pixels; it is still held."""
    box, (x, y) = stage.locator("#scene").bounding_box(), stage.evaluate(f"hardpoints.where('{role}')")
    tab.mouse.move(box["x"] + x, box["y"] + y)
    tab.mouse.down()
    for share in (0.4, 0.7, 1.0):
        tab.mouse.move(box["x"] + x + share * dx, box["y"] + y + share * dy)
    tab.wait_for_function(f"() => document.getElementById('told').textContent.startsWith('{role} at')", timeout=60_000)
    tab.wait_for_timeout(500)


def test_a_point_that_is_drawn_on_the_stage_takes_the_curves_along(served, tmp_path):
    design, address = served
    with page(address, width=1500, height=950) as tab:
        stage = stage_of(tab)
        stage.evaluate("hardpoints.player.look('front')")
        tab.wait_for_timeout(300)
        assert len(line(tab, "left.toe")) == QUICK
        assert line(tab, "left.toe") == pytest.approx(line(tab, "left.toe", "before"))
        draw(tab, stage, "tie_inner", 0, -25)
        spans = [np.ptp(line(tab, "left.toe", which)[:, 1]) for which in ("now", "before")]
        assert spans[0] > 2 * spans[1]  # the curve has moved before the point is let go: much more bump steer
        assert design.state()["moved"] == []  # and nothing else
        place = stage.evaluate("hardpoints.points.tie_inner")
        shot(tab, tmp_path, "suspension_drawn")
        tab.mouse.up()
        tab.wait_for_function("() => document.getElementById('moved').textContent !== 'nothing'", timeout=60_000)
        now = np.array(design.state()["points"]["front"]["tie_inner"])
        assert now == pytest.approx(1000 * np.array(place), abs=1e-6)
        assert now[2] > 146 and (now == np.round(now)).all()  # up, in steps of 1 mm
        s = vc.vehicle.example("fs u-bar")
        wanted = vc.vehicle.curves(s.moved("tie_inner", now / 1000 - s.points["tie_inner"]), count=QUICK)
        shown = next(c for c in design.state()["curves"]["front"] if c["metric"] == "left.toe")
        assert shown["y"] == pytest.approx(np.degrees(wanted["left.toe"]).tolist(), abs=1e-9)
        assert [e for e in tab.errors if "GPU stall" not in e] == []


def typed(tab, role, axis, text, key="Enter"):
    """Types into the field of a coordinate, key by key, as people do; returns the field."""
    field = tab.locator(f'#points input[data-role="{role}"][data-axis="{axis}"]')
    field.click(click_count=3)
    tab.keyboard.type(text, delay=40)
    if key:
        tab.keyboard.press(key)
    return field


def test_numbers_that_are_typed_are_taken_when_they_are_whole(served):
    """150 is never seen as 1 and 15; what cannot be stays on display with its reason until it is put right."""
    design, address = served
    design.reset()
    mark = design.mark
    with page(address, width=1500, height=950) as tab:
        stage_of(tab)
        field = typed(tab, "tie_inner", "z", "150", key=None)
        tab.wait_for_timeout(1500)
        assert design.mark == mark and design.state()["moved"] == [] and field.input_value() == "150"
        tab.keyboard.press("Tab")  # the field is left
        tab.wait_for_function("() => document.getElementById('moved').textContent.includes('z=150mm')", timeout=60_000)
        assert design.mark == mark + 1
        field = typed(tab, "tie_inner", "y", "1280")
        tab.wait_for_selector("#told.wrong", timeout=60_000)
        tab.wait_for_timeout(2500)  # the page has asked for news since
        assert "further out than tie_outer" in tab.inner_text("#told.wrong") and field.input_value() == "1280"
        assert "refused" in field.get_attribute("class") and design.mark == mark + 1
        typed(tab, "tie_inner", "x", "63")  # another field is taken; the reason stays
        tab.wait_for_function("() => document.getElementById('moved').textContent.includes('x=63mm')", timeout=60_000)
        assert "further out than tie_outer" in tab.inner_text("#told.wrong")
        typed(tab, "tie_inner", "y", "223")
        tab.wait_for_function("() => !document.querySelector('#told.wrong, input.refused')", timeout=60_000)
        moved = [f"--set front_tie_inner.{text}mm" for text in ("x=63", "y=223", "z=150")]
        assert sorted(design.state()["moved"]) == moved
        typed(tab, "tie_inner", "y", "1e", key="Tab")
        tab.wait_for_selector("#told.wrong", timeout=60_000)
        assert "tie_inner, y: a number of millimetres is needed" in tab.inner_text("#told.wrong")
        typed(tab, "tie_inner", "y", "9", key="Escape")
        tab.wait_for_function("() => !document.querySelector('#told.wrong, input.refused')", timeout=60_000)
        assert design.state()["points"]["front"]["tie_inner"] == pytest.approx([63, 223, 150])


@pytest.mark.slow
def test_a_place_that_cannot_be_is_told_and_the_point_goes_back(served):
    """The inner end of the tie rod outside of its outer end."""
    design, address = served
    design.reset()
    with page(address, width=1500, height=950) as tab:
        stage = stage_of(tab)
        told = tab.evaluate(
            "async () => { await drawn('tie_inner', [0.062, 0.6, 0.146], true); "
            "return document.getElementById('told').textContent }"
        )
        assert "further out than tie_outer" in told and design.state()["moved"] == []
        assert stage.evaluate("hardpoints.points.tie_inner") == pytest.approx([0.062, 0.222, 0.146])
