"""The studio in a real browser: from an empty window to a moving mechanism, files, two windows, hostile names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from browser import page, shot
from studio_hands import FOUR_BAR, Hands, drawn, opened
from vincolo.formats import load_model
from vincolo.studio.opening import open_tree

pytest.importorskip("websockets")
def test_from_an_empty_window_to_a_moving_four_bar_that_is_saved_and_opened_again(tmp_path):
    with opened(tmp_path) as (session, server), page(server.url, 1440, 900) as tab:
        user = Hands(tab).ready()
        user.click("dialog [data-name=empty]")
        for name in ("crank", "coupler", "rocker"):
            user.add("link", name=name)
        for name, a, b, at in (("A", "ground", "crank", "0, 0, 0"), ("B", "crank", "coupler", "100 mm, 0, 0"),
                               ("C", "coupler", "rocker", "0.35, 0, 0.2"), ("D", "rocker", "ground", "0.35, 0, 0")):
            user.add("revolute", name=name, a=a, b=b, at=at, axis="y")
        assert tab.inner_text("#freedom") == "1 degree of freedom, 3 redundant rows"
        user.add("drives", measure="A.angle")
        user.select("run")
        user.change("until", "2")
        user.run()
        tab.wait_for_selector("#plots .chip")
        assert "A.angle" in tab.inner_text("#plots")
        shot(tab, tmp_path, "four_bar")
        user.save("four_bar.yaml")
        user.fine()
        assert session.result is not None
        assert abs(session.result["A.angle"][-1] - 12.566370614) < 1e-6
        saved = load_model(tmp_path / "four_bar.yaml")
        assert list(saved.joints) == ["A", "B", "C", "D"]
        user.press("Control+o")
        tab.click("dialog .listed button:has-text('four_bar.yaml')")
        tab.wait_for_selector("dialog", state="detached")
        assert tab.inner_text("h1") == "four_bar.yaml"
        assert session.draft.tree == open_tree(tmp_path / "four_bar.yaml").tree
        user.fine()


def test_a_slider_crank_from_the_template_is_changed_run_and_exported(tmp_path):
    with opened(tmp_path) as (session, server), page(server.url, 1440, 900) as tab:
        user = Hands(tab).ready()
        user.click("dialog [data-name='template:slider-crank']")
        tab.wait_for_selector("#tree .item:has-text('gudgeon pin')")
        user.press("Control+f")
        tab.keyboard.type("gudgeon")
        user.press("Enter")
        assert tab.input_value("#properties .title input") == "gudgeon pin"
        user.fill("#sought", "")
        user.select("parameters", "L")
        user.change("value", "600 mm")
        user.select("bodies", "slider")
        user.fill("#properties .field[data-key=mass] input", "2 s")
        tab.wait_for_selector("#properties .field[data-key=mass].bad")
        assert "'2 s' is a number of s; here it is one of kg" in tab.inner_text(".field[data-key=mass] .wrong")
        user.change("mass", "2 kg")
        user.select("bodies", "slider")
        user.change("name", "piston")
        tab.wait_for_selector("#tree [data-place='[\"bodies\",\"piston\"]']")
        user.run()
        tab.wait_for_selector("#plots .chip")
        shot(tab, tmp_path, "slider_crank")
        user.click("#export")
        user.fill("#path", "crank.csv")
        user.press("Enter")
        tab.wait_for_selector("dialog", state="detached")
        assert "piston.x" in (tmp_path / "crank.csv").read_text()
        assert session.draft.tree["joints"]["cylinder"]["b"] == "piston"
        assert abs(session.result["piston.x"].max() - 0.75) < 1e-3
        for _ in range(3):
            user.press("Control+z")
        tab.wait_for_selector("#undo[disabled]")
        user.fine()


@pytest.mark.slow
def test_two_windows_follow_each_other_and_names_are_texts(tmp_path):
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    with opened(tmp_path) as (session, server), page(server.url) as first:
        one = Hands(first).ready()
        one.click("dialog [data-name=empty]")
        with page(server.url) as second:
            two = Hands(second).ready()
            second.keyboard.press("Escape")
            one.add("link", name=evil)
            second.wait_for_selector("#tree .item:has-text('<script>')")
            assert evil in second.inner_text("#tree")
            two.select("bodies", evil.replace('"', '\\"'))
            two.change("mass", "3")
            first.wait_for_selector("#undo[title*='mass']")
            second.click("#properties button:has-text('Remove')")
            first.wait_for_selector("#tree .item:has-text('<script>')", state="detached")
            one.press("Control+z")
            second.wait_for_selector("#tree .item:has-text('<script>')")
            shot(second, tmp_path, "names")
            for user in (one, two):
                user.fine()


@pytest.mark.slow
def test_handles_move_a_joint_and_the_hand_draws_the_closed_loop(tmp_path):
    path = tmp_path / "four_bar.yaml"
    path.write_text(FOUR_BAR)
    with opened(tmp_path, path) as (session, server), page(server.url, 1440, 900) as tab:
        user = Hands(tab).ready()
        tab.select_option("#view", "front")
        user.select("joints", "C")
        drawn(tab, "C", (-60, -50))
        x, y, z = session.draft.tree["joints"]["C"]["at"]
        assert x < 0.33
        assert y == 0
        assert z > 0.21
        assert x == round(x, 6)  # on the grid
        user.press("Control+z")
        tab.wait_for_selector("#undo[disabled]")
        assert session.draft.tree["joints"]["C"]["at"] == [0.35, 0, 0.2]
        user.click("#hand")
        tab.wait_for_timeout(500)
        drawn(tab, "B", (0, -120))
        state = session._last_hand
        assert state["A.angle"] < -0.3  # about y, the crank is lifted
        assert state["residual.position"] < 1e-9
        assert not session.draft.dirty
        user.click("#freedom")
        tab.wait_for_selector("dialog pre:has-text('redundant together (1): A, B, C, D')")
        user.press("Escape")
        user.fine()


KILLED = """
import sys, time
from pathlib import Path
from vincolo.studio.app import studio
session, server = studio(sys.argv[1], port=0, open_browser=False, journals=Path(sys.argv[2]))
print(server.url, flush=True)
time.sleep(600)
"""


@pytest.mark.slow
def test_a_server_that_is_killed_loses_nothing_that_was_shown(tmp_path):
    path = tmp_path / "ball.yaml"
    path.write_text("bodies: {ball: {mass: 1, inertia: 0.1}}\n")
    program = subprocess.Popen([sys.executable, "-c", KILLED, str(path), str(tmp_path / "journals")],
                               stdout=subprocess.PIPE, text=True)
    try:
        with page(program.stdout.readline().strip()) as tab:
            user = Hands(tab).ready()
            user.select("bodies", "ball")
            for mass in ("2", "3", "4"):
                user.change("mass", mass)
                tab.wait_for_selector("#tree .item[aria-selected=true]")
            tab.wait_for_selector("#undo[title*='ball.mass']")
            user.change("mass", "5")
            os.kill(program.pid, signal.SIGKILL)
            tab.wait_for_selector("#line:not([hidden])")
    finally:
        program.kill()
        program.wait()
        program.stdout.close()
    with opened(tmp_path, path) as (session, server):
        assert session.draft.tree["bodies"]["ball"]["mass"] in (4, 5)
        assert session.draft.undoable[0] == "change ball.mass"
