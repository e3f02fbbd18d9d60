"""What the studio has around the model, in a real browser: sliders, curves, comparisons, lessons, colours, handles."""

from __future__ import annotations

from typing import Any

import pytest

from browser import page, shot
from studio_hands import FOUR_BAR, Hands, drawn, held, opened
from vincolo.formats.files import write_tree
from vincolo.studio.opening import template_tree

pytest.importorskip("websockets")
pytest.importorskip("trimesh")
RUNS = "() => window.vincolo.state().runs"


def looks(tab: Any) -> list[str]:
    return tab.evaluate("() => [document.documentElement.className, getComputedStyle(document.body).backgroundColor]")


def slide(user, session):
    """Variants are run and shown; the model stays until the value is taken."""
    tab, tree = user.tab, session.draft.tree
    user.select("parameters", "l")
    user.click("#properties .field[data-key=value] .unit button")
    tab.locator(".sliding input").fill("0.09")
    tab.wait_for_function("() => /^l = 0.09/.test(window.vincolo.state().runs[0])")
    assert tab.inner_text(".sliding .number").startswith("0.09")
    assert session.draft.tree is tree
    user.click(".sliding button")
    tab.wait_for_selector("#undo:not([disabled])")
    assert session.draft.tree["parameters"]["l"] == pytest.approx(0.09)


def draw_a_curve(user, session, tmp_path):
    """A curve with its derivatives; another kind, and points of its table moved, added and removed."""
    tab = user.tab
    user.select("drives", "motor")
    user.click("#properties .field[data-key=function] .unit button")
    tab.wait_for_selector(".curve polyline")
    assert [tab.get_attribute(f".curve >> nth={k}", "aria-label") for k in range(3)] == [
        "value", "rate", "acceleration"]
    tab.locator("#properties .field[data-key=kind] select").select_option("Spline")
    tab.wait_for_selector(".curve circle")
    tab.locator(".curve circle >> nth=1").focus()
    user.press("ArrowUp")
    tab.wait_for_function("() => !document.querySelector('#undo').disabled")
    tab.wait_for_timeout(300)
    motor = session.draft.tree["drives"]["motor"]["function"]
    assert (motor["kind"], motor["y"][0], motor["y"][1] > 0.2) == ("Spline", 0, True)
    box = tab.locator(".curve >> nth=0").bounding_box()
    tab.mouse.dblclick(box["x"] + 0.9*box["width"], box["y"] + 0.2*box["height"])
    tab.wait_for_selector(".curve circle >> nth=5")
    motor = session.draft.tree["drives"]["motor"]["function"]
    assert len(motor["x"]) == len(motor["y"]) == 6 and motor["x"] == sorted(motor["x"])
    user.press("Delete")  # the point that was added, not the drive
    tab.wait_for_function("() => document.querySelectorAll('.curve circle').length === 5")
    assert len(session.draft.tree["drives"]["motor"]["function"]["x"]) == 5
    shot(tab, tmp_path, "studio_curve")
    for _ in range(4):
        user.press("Control+z")
    tab.wait_for_selector(".curve circle", state="detached")  # the text is back
    assert tab.input_value("#properties .field[data-key=text] input") == "w*t"


def compare(user, tmp_path):
    """Two formulations, one upon the other."""
    tab = user.tab
    user.click("#compare")
    user.click("dialog .main")
    tab.wait_for_selector("dialog pre:has-text('total energy changes by')")
    names = tab.evaluate("() => [...document.querySelectorAll('dialog select')].map((s) => s.value)")
    assert tab.evaluate(RUNS) == names
    shot(tab, tmp_path, "studio_compared")
    user.press("Escape")
    tab.wait_for_selector("dialog", state="detached")


def learn(user, session, tmp_path):
    """All lessons, one after the other."""
    tab = user.tab
    user.click("#teach")
    for topic in ("assembly", "rows", "jacobian", "reactions", "energy"):
        tab.wait_for_selector(f"#lesson b:has-text('{topic}')")
        tab.wait_for_selector("#lesson canvas" if topic == "jacobian" else "#lesson table")
        if topic == "jacobian":
            rows = len(session.insight.state.system.rows)
            assert f"{rows} rows and 18 columns" in tab.get_attribute("#lesson canvas", "aria-label")
            shot(tab, tmp_path, "studio_jacobian")
        if topic != "energy":
            user.click("#lesson button:has-text('Next')")


@pytest.mark.slow
def test_a_number_is_studied_with_a_slider_a_curve_drawn_formulations_compared_and_explained(tmp_path):
    path = tmp_path / "crank.yaml"
    write_tree(template_tree("slider-crank"), path)
    with opened(tmp_path, path) as (session, server), page(server.url, 1440, 900) as tab:
        user = Hands(tab).ready()
        slide(user, session)
        draw_a_curve(user, session, tmp_path)
        compare(user, tmp_path)
        learn(user, session, tmp_path)
        user.fine()


@pytest.mark.slow
def test_colours_follow_the_system_until_the_user_chooses_and_are_remembered(tmp_path):
    path = tmp_path / "four_bar.yaml"
    path.write_text(FOUR_BAR)
    with opened(tmp_path, path) as (_, server), page(server.url, color_scheme="dark") as tab:
        user = Hands(tab).ready()
        dark = looks(tab)
        tab.emulate_media(color_scheme="light")
        light = looks(tab)
        assert dark[0] == light[0] == "" and dark[1] != light[1]
        user.click("#look")
        assert looks(tab) == ["dark", dark[1]]
        assert tab.evaluate("() => window.vincolo.live.player.dark")
        tab.reload()
        user.ready()
        assert looks(tab) == ["dark", dark[1]]
        user.press("t")
        assert looks(tab) == ["light", light[1]]
        user.fine()


@pytest.mark.slow
def test_everything_in_the_palette_can_be_added_as_it_is_offered(tmp_path):
    path = tmp_path / "four_bar.yaml"
    path.write_text(FOUR_BAR + "frames: {f: {on: crank, at: [0.02, 0, 0.02]}, g: {on: ground, at: [0.05, 0.05, 0]}}\n")
    refused = {}
    with opened(tmp_path, path) as (session, server), page(server.url, 1440, 900) as tab:
        user = Hands(tab).ready()
        tab.evaluate("() => document.querySelectorAll('#palette details').forEach((d) => { d.open = true; })")
        kinds = tab.evaluate("() => [...document.querySelectorAll('#palette [data-kind]')].map((b) => b.dataset.kind)")
        for kind in kinds:
            tab.click(f"#palette [data-kind={kind}]")
            tab.keyboard.press("Enter")
            tab.wait_for_function("() => !document.querySelector('#adding .trouble[hidden]')")
            if tab.locator("#adding").count():
                refused[kind] = tab.inner_text("#adding .trouble")
            else:
                tab.keyboard.press("Control+z")
                tab.wait_for_selector("#undo[disabled]")
        assert not session.draft.dirty
        user.fine()
    assert refused.keys() == {"mesh", "submodels", "contacts"}
    assert "there is no such file" in refused["mesh"] and "there is no file" in refused["submodels"]
    assert "has no shape" in refused["contacts"]


@pytest.mark.slow
def test_a_body_is_moved_with_its_joints_seen_on_the_way_and_left_by_escape(tmp_path):
    path = tmp_path / "four_bar.yaml"
    path.write_text(FOUR_BAR)
    with opened(tmp_path, path) as (session, server), page(server.url, 1440, 900) as tab:
        user, before = Hands(tab).ready(), session.draft.tree
        tab.select_option("#view", "front")
        user.select("bodies", "rocker")
        place = ("() => { const p = window.vincolo.live.player; "
                 "return p.worldPoint(p.runs[0].parts.find((q) => q.name === 'D').at); }")
        for leave in (True, False):
            held(tab, "rocker", (60, -40))
            tab.wait_for_function("() => document.querySelector('#place').textContent.includes('C, D: taken along.')")
            tab.wait_for_function(f"() => ({place})()[0] > 0.36")  # drawn before it is done
            assert session.draft.tree is before
            if leave:
                tab.keyboard.press("Escape")
                tab.wait_for_function(f"() => Math.abs(({place})()[0] - 0.35) < 1e-6")
            else:
                shot(tab, tmp_path, "studio_moving")
            tab.mouse.up()
        tab.wait_for_selector("#undo:not([disabled])")
        moved = session.draft.tree
        at = [tree["bodies"]["rocker"]["at"] for tree in (moved, before)]
        by = [new - old for new, old in zip(*at, strict=True)]
        for joint in "CD":
            assert moved["joints"][joint]["at"] == pytest.approx(
                [a + b for a, b in zip(before["joints"][joint]["at"], by, strict=True)], abs=1e-9)
        assert session.draft.undoable == ["move rocker"]
        user.fine()


@pytest.mark.slow
def test_a_position_of_the_hand_is_kept_and_taken_back(tmp_path):
    path = tmp_path / "four_bar.yaml"
    path.write_text(FOUR_BAR)
    with opened(tmp_path, path) as (session, server), page(server.url, 1440, 900) as tab:
        user = Hands(tab).ready()
        tab.select_option("#view", "front")
        user.click("#hand")
        tab.wait_for_timeout(500)
        drawn(tab, "B", (0, -120))
        tab.wait_for_selector("#keep:not([hidden])")
        angle = session._last_hand["A.angle"]
        user.press("k")
        tab.wait_for_selector("#undo:not([disabled])")
        assert session.insight.state["A.angle"] == pytest.approx(angle, abs=1e-9)
        tab.wait_for_selector("#keep", state="hidden")
        user.run()
        assert session.result["A.angle"][0] == pytest.approx(angle, abs=1e-9)
        user.press("Control+z")
        tab.wait_for_selector("#undo[disabled]")
        assert session.insight.state["A.angle"] == 0.0
        user.fine()


@pytest.mark.slow
def test_parts_are_copied_into_another_model_and_a_mesh_is_dropped(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    path = tmp_path / "one" / "four_bar.yaml"
    path.write_text(FOUR_BAR)
    with (opened(tmp_path / "one", path) as (_, first), opened(tmp_path / "two") as (session, second),
          page(first.url, permissions=["clipboard-read", "clipboard-write"]) as tab):
        user = Hands(tab).ready()
        user.select("bodies", "crank")
        tab.click("#tree [data-place='[\"joints\",\"A\"]']", modifiers=["Control"])
        user.press("Control+c")
        tab.wait_for_selector("#told p:has-text('Copied: crank, A')")
        assert "crank" in tab.evaluate("() => navigator.clipboard.readText()")
        other = tab.context.new_page()
        other.goto(second.url)
        Hands(other).ready()
        other.click("dialog [data-name=empty]")
        other.bring_to_front()
        other.wait_for_function("() => document.hasFocus() && !document.querySelector('dialog[open]')")
        other.keyboard.press("Control+v")
        other.wait_for_selector("#tree .item:has-text('crank')")
        assert session.draft.tree["joints"]["A"]["b"] == "crank"
        other.evaluate("""() => { const files = new DataTransfer();
          files.items.add(new File([
            'v 0 0 0\\nv .1 0 0\\nv 0 .1 0\\nv 0 0 .1\\nf 1 3 2\\nf 1 2 4\\nf 2 3 4\\nf 1 4 3\\n'], 'wedge.obj'));
          document.dispatchEvent(new DragEvent('drop', { dataTransfer: files })); }""")
        other.wait_for_selector("#tree .item:has-text('wedge')")
        assert session.draft.whole().model.bodies["wedge"].mass == pytest.approx(7850*0.1**3/6)
        user.fine()
