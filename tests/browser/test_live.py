"""The viewer in a real browser: it opens, plays, chooses, measures, moves mechanisms, and sends little."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vincolo as vc
from browser import page, shot
from example_models import built
from viewed_arm import R, W, arm, chain, linear_pendulum
from vincolo.view.live import Viewer, drag, show_modes, watch
from vincolo.view.live.feeding import grow_message, poses_message
from vincolo.view.live.listening import browse
from vincolo.view.live.messages import unpacked

pytest.importorskip("websockets")
pytest.importorskip("trimesh")

READY = "() => window.vincolo && window.vincolo.state().pictures > 0"


@contextmanager
def opened(viewer: Viewer, **options: Any) -> Iterator[Any]:
    """A tab with the first picture drawn; at the end, the browser had nothing to complain of and asked nobody else."""
    with page(viewer.url, **options) as tab:
        tab.wait_for_function(READY)
        yield tab
        assert tab.errors == []
        assert all(address.startswith((viewer.url, "data:", "blob:")) for address in tab.asked)


def state(tab: Any) -> Any:
    return tab.evaluate("() => window.vincolo.state()")


def spot(tab: Any, name: str) -> tuple[float, float]:
    """The pixel of the window where a part is."""
    x, y = tab.evaluate("(name) => window.vincolo.where(name)", name)
    box = tab.locator("#scene").bounding_box()
    return box["x"] + x, box["y"] + y


def test_a_result_opens_plays_tells_measures_and_tracks_a_point(tmp_path: Path) -> None:
    result = vc.simulate(arm(), until=3.0, outputs=300)
    with Viewer(result, port=0) as viewer, opened(viewer) as tab:
        assert state(tab)["samples"] == 301 and state(tab)["plots"]
        tab.keyboard.press("Space")
        tab.wait_for_function("() => window.vincolo.time > 0.2")
        tab.keyboard.press("Space")
        assert not state(tab)["playing"]
        tab.evaluate("() => { window.vincolo.time = 1.0; }")

        # a click shows a part with the numbers of the result
        tab.mouse.click(*spot(tab, "bar"))
        tab.wait_for_function("() => window.vincolo.state().selected === 'bar'")
        assert state(tab)["values"]["bar.vz"] == pytest.approx(-W * R * np.cos(W), rel=1e-5)
        assert tab.locator("[data-value='bar.x']").inner_text().replace("\u2212", "-") == f"{R * np.cos(W):.6f}"

        # two clicks measure a distance
        tab.keyboard.press("m")
        for part in ("O", "slide"):
            tab.mouse.click(*spot(tab, part))
        measured = state(tab)["measured"]["distance"]
        expected = np.linalg.norm(result.channels.point(viewer.results[0][1].system.joints["slide"].b)[100])
        assert measured == pytest.approx(expected, rel=1e-5)
        tab.keyboard.press("Escape")

        # a key point: its place, velocity and acceleration are those of a point on the turning bar
        tab.evaluate("() => window.vincolo.select('bar')")
        tab.get_by_role("button", name="Key point at click").click()
        tab.mouse.click(*spot(tab, "bar"))
        tab.wait_for_function("() => window.vincolo.state().points.length === 1")
        at = state(tab)["points"][0]["at"]
        reach = float(np.hypot(at[0], at[2]))
        read = "(name) => { const s = window.vincolo.live.player.runs[0].series; return [...s.get(name).values]; }"
        v, a = ([tab.evaluate(read, f"bar point 1.{letter}{axis}") for axis in "xyz"] for letter in "va")
        assert np.linalg.norm(v, axis=0) == pytest.approx(W * reach, rel=1e-4)  # on a circle at constant rate
        assert np.linalg.norm(a, axis=0) == pytest.approx(W**2 * reach, rel=1e-4)
        tab.evaluate("() => window.vincolo.vectors('velocity')")
        tab.wait_for_function("() => window.vincolo.state().texts.some((t) => t.endsWith(' m/s'))")
        shot(tab, tmp_path, "live_result")


@pytest.mark.slow
def test_two_browsers_on_one_model_and_one_may_leave() -> None:
    result = vc.simulate(arm(), until=2.0, outputs=50)
    with Viewer(result, port=0) as viewer, opened(viewer) as tab:
        other = tab.context.new_page()
        other.goto(viewer.url)
        other.wait_for_function(READY)
        assert len(viewer.server.clients) == 2
        viewer.seek(1.0)
        for one in (tab, other):
            one.wait_for_function("() => window.vincolo.time === 1")
        other.close()
        viewer.play()
        tab.wait_for_function("() => window.vincolo.time > 1.1")
        viewer.renew(vc.simulate(arm(), until=4.0, outputs=80))
        tab.wait_for_function("() => window.vincolo.state().end === 4")
        assert len(viewer.server.clients) == 1


def test_names_are_shown_as_text() -> None:
    evil = "<img src=x onerror=alert(1)></script><script>window.bad = 1</script>"
    model = vc.Model(evil)
    body = model.body(evil, 1.0, 0.1, at=(0, 0, 0))
    model.revolute("<b>", model.ground, body, at=(0, 0, 0), axis="y")
    with Viewer(model, port=0) as viewer, opened(viewer) as tab:
        tab.evaluate("(name) => window.vincolo.select(name)", evil)
        assert tab.locator("#side h2").inner_text() == evil
        assert tab.title() == evil
        tab.evaluate("() => window.vincolo.show('labels')")
        viewer.tell(evil)
        tab.wait_for_function("() => document.querySelector('#told p')")
        assert tab.locator("#told p").inner_text() == evil
        assert tab.evaluate("() => [window.bad === undefined, document.querySelectorAll('img').length]") == [True, 0]


def test_a_mechanism_follows_the_mouse_and_closed_loops_hold(tmp_path: Path) -> None:
    session = drag(built("mcpherson"), port=0, open_browser=False, block=False)
    with session.viewer as viewer, opened(viewer) as tab:
        before = session.state["wheel.z"]
        x, y = spot(tab, "wheel")
        tab.mouse.move(x, y)
        tab.mouse.down()
        tab.mouse.move(x, y - 12, steps=3)
        tab.mouse.move(x, y - 24, steps=3)
        tab.wait_for_timeout(200)
        tab.mouse.up()
        until(lambda: session._holder == 0 and session.state["wheel.z"] > before + 1e-3)
        assert session.state["residual.position"] < 1e-9
        tab.wait_for_function("() => !window.vincolo.live.player.runs[0].stale")
        tab.evaluate("() => window.vincolo.select('wheel')")
        assert state(tab)["values"]["wheel.z"] == pytest.approx(session.state["wheel.z"], rel=1e-5)
        assert "degrees of freedom" in tab.locator("#controls").inner_text()
        tab.locator("#controls select").select_option("arm pivot.angle")
        tab.wait_for_function("() => document.querySelector('#controls').innerText.includes('arm pivot.angle can go')"
                              " || /arm pivot.angle.* to /.test(document.querySelector('#controls').innerText)")
        shot(tab, tmp_path, "live_drag")
        tab.get_by_role("button", name="Back to the start").click()
        until(lambda: session.state["wheel.z"] == pytest.approx(before, abs=1e-9))


def until(what: Any, most: float = 15.0) -> None:
    """Waits for something to become true."""
    end = time.monotonic() + most
    while not what():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def test_a_run_is_watched_paused_and_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The browser gets all samples of the run as they come, each once."""
    viewers: list[Viewer] = []
    monkeypatch.setattr(Viewer, "open", lambda self, browser=True: viewers.append(self))
    monkeypatch.setattr("vincolo.view.live.running.PIECE", 0.02)
    go, results = threading.Event(), []
    monkeypatch.setattr(Viewer, "wait", lambda self: go.wait(30))
    run = threading.Thread(target=lambda: results.append(watch(built("slider_crank"), 400.0, outputs=60000, port=0,
                                                               block=True)))
    run.start()
    try:
        until(lambda: bool(viewers))
        with opened(viewers[0]) as tab:
            tab.get_by_role("button", name="Pause the run").click()
            tab.get_by_text("The run is paused").wait_for()
            end = state(tab)["end"]
            assert 0 < end < 400
            tab.get_by_role("button", name="Go on").click()
            tab.wait_for_function("(end) => window.vincolo.state().end > end", arg=end)
            assert state(tab)["playing"]
            tab.get_by_role("button", name="End the run here").click()
            tab.get_by_text("The run ended").wait_for()
            tab.wait_for_function("() => !window.vincolo.live.player.growing")
            times = tab.evaluate("() => [...window.vincolo.live.player.runs[0].t]")
            shot(tab, tmp_path, "live_run")
    finally:
        go.set()
        run.join(30)
    assert results[0].reason.startswith("ended by the user")
    assert times == pytest.approx(results[0].t, abs=1e-12)


@pytest.mark.slow
def test_growing_runs_have_the_numbers_of_the_whole_in_the_browser() -> None:
    result = vc.simulate(arm(), until=1.0, outputs=100)

    def cut(first: int, last: int) -> vc.Result:
        which = slice(first, last)
        return replace(result, t=result.t[which], y=result.y[which], turns=result.turns[which])

    with Viewer(cut(0, 30), port=0) as viewer, opened(viewer) as tab:
        for known, last in ((30, 60), (60, 101)):
            viewer.grown(cut(0, last), grow_message(cut(known, last), cut(0, last), growing=last < 101))
        tab.wait_for_function("() => window.vincolo.state().samples === 101")
        read = "(name) => [...window.vincolo.live.player.runs[0].series.get(name).values]"
        for name in ("bar.vz", "energy.balance", "coil.force", "O.reaction.force"):
            exact = np.linalg.norm([result[f"{name}.{a}"] for a in "xyz"], axis=0) if name.endswith("force") and (
                "reaction" in name) else result[name]
            assert tab.evaluate(read, name) == pytest.approx(exact, rel=1e-5, abs=1e-6)


@pytest.mark.slow
def test_modes_swing_and_can_be_chosen(tmp_path: Path) -> None:
    with show_modes(linear_pendulum(), port=0, open_browser=False, block=False) as viewer, opened(viewer) as tab:
        tab.wait_for_function("() => window.vincolo.state().playing && window.vincolo.time > 0.1")
        tab.locator("#controls input[type=range]").fill("3")
        until(lambda: viewer.controls.value("amplitude") == 3.0)
        assert "0.4984 Hz" in tab.locator("#controls select").inner_text()
        assert not tab.locator("#plots").is_visible()
        shot(tab, tmp_path, "live_modes")


@pytest.mark.slow
def test_a_model_stands_still_without_a_bar_of_time_and_says_when_the_program_has_gone() -> None:
    viewer = Viewer(built("five_bar"), port=0)
    with page(viewer.url) as tab:
        tab.wait_for_function(READY)
        assert not tab.locator("#time").is_visible() and state(tab)["notes"] == []
        viewer.close()
        tab.get_by_text("does not answer").wait_for()
        assert state(tab)["drawn"]


@pytest.mark.slow
def test_a_pose_is_one_small_message(tmp_path: Path) -> None:
    """Seven numbers of four bytes for each body, and little besides."""
    message = poses_message(chain(100, 2).state(0))
    assert len(message) < 100 * 28 + 80
    assert unpacked(message)[0]["poses"][2] == 700


FOREIGN = """(url) => new Promise((done) => {
  const socket = new WebSocket(url);
  socket.onopen = () => done("open");
  socket.onerror = () => done("refused");
})"""


def test_a_page_of_another_does_not_reach_the_viewer() -> None:
    """Pages of files and of another port of this computer try the socket, even with the token; the viewer's own page
    still works."""
    result = vc.simulate(arm(), until=1.0, outputs=20)
    with Viewer(result, port=0) as viewer, Viewer(result, port=0) as neighbour, opened(viewer) as tab:
        address = viewer.url.replace("http:", "ws:")
        assert tab.evaluate(FOREIGN, address) == "open"
        other = tab.context.new_page()
        for place in ("about:blank", neighbour.url):
            other.goto(place)
            assert other.evaluate(FOREIGN, address) == "refused"
            assert other.evaluate(FOREIGN, address.rpartition("/")[0]) == "refused"


def test_the_file_that_the_browser_is_given_leads_to_the_page(monkeypatch):
    given = []
    monkeypatch.setattr("webbrowser.open", lambda url: given.append(url) or True)
    with Viewer(vc.simulate(built("pendulum"), until=0.1, outputs=4), port=0) as viewer:
        assert browse(viewer.url) and given[0].startswith("file:")
        with page(given[0]) as tab:
            tab.wait_for_url(viewer.url)
            tab.wait_for_function(READY)
