"""The viewer in a real browser: it opens, plays, chooses, scrubs, and sends little."""

import io
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vincolo as vc
from browser import page, shot
from example_models import built
from vincolo.scene.camera import Camera
from vincolo.view.live import Viewer, drag
from vincolo.view.live.dragging import HANDLES

pytest.importorskip("viser")
pytest.importorskip("trimesh")
imageio = pytest.importorskip("imageio.v3")

HARMLESS = ("THREE.Clock", "KHR_parallel_shader_compile", "GPU stall", "(OK)")  # said by viser itself, as warnings


def chain(count: int) -> vc.Result:
    """Links that wave, each driven against the one before."""
    model, before = vc.Model("chain"), None
    for k in range(count):
        link = model.body(f"link {k}", 1.0, 0.01, at=(0.1 * k + 0.05, 0, 0))
        model.revolute(f"J{k}", before or model.ground, link, at=(0.1 * k, 0, 0), axis="y")
        model.drive(f"J{k}.angle", f"0.2*sin(2*t + {k})")
        before = link
    return vc.kinematics(model, until=12.0, outputs=240)


def ready(tab: Any, viewer: Viewer) -> Any:
    """Waits until the picture is there; returns viser's side of this browser."""
    tab.locator("canvas").first.wait_for(timeout=60_000)
    tab.get_by_role("tab", name="Show").wait_for(timeout=60_000)
    until(lambda: viewer.server.get_clients(), tab)
    until(lambda: len(colours(tab)) > 12, tab)
    return next(iter(viewer.server.get_clients().values()))


def until(what: Any, tab: Any, most: float = 30.0) -> Any:
    """Waits for something to become true."""
    end = time.monotonic() + most
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        tab.wait_for_timeout(100)
    raise AssertionError("it did not happen")


def picture(tab: Any) -> Any:
    """The left part of the window: the picture without the panel and the notice about software rendering."""
    image = imageio.imread(io.BytesIO(tab.screenshot()))[..., :3]
    return image[160:, : int(0.73 * image.shape[1])].astype(int)


def colours(tab: Any) -> set[tuple[int, ...]]:
    return {tuple(c) for c in (picture(tab)[::7, ::7] // 32).reshape(-1, 3).tolist()}


def shown_time(tab: Any) -> float:
    return float(tab.get_by_role("slider").first.get_attribute("aria-valuenow"))


def place_on_screen(client: Any, point: Any) -> tuple[float, float]:
    """The pixel of a point of the world."""
    c = client.camera
    camera = Camera(np.array(c.position), np.array(c.look_at), np.array(c.up_direction), float(c.fov))
    (x, y), half = camera.project(np.array(point)[None, :])[0][0], c.image_height / 2
    return c.image_width / 2 + half * x, half - half * y


def troubles(tab: Any) -> list[str]:
    return [text for text in tab.errors if not text.startswith(HARMLESS) and not any(h in text for h in HARMLESS)]


CASES = {"slider_crank": ("crank", 4.0), "mcpherson": ("tie rod", 3.0), "bricard": (None, 4.0), "five_bar": (None, 4.0)}


@pytest.mark.parametrize("name", CASES)
def test_a_result_opens_plays_tells_and_scrubs(name: str, tmp_path: Path) -> None:
    body, until_time = CASES[name]
    result = vc.simulate(built(name), until=until_time, outputs=200)
    body = body or list(result.system.body_numbers)[1]
    with Viewer(result, port=0) as viewer, page(viewer.url) as tab:
        client = ready(tab, viewer)
        first = picture(tab)

        # play moves the bodies
        tab.get_by_role("button", name="Play").click()
        until(lambda: shown_time(tab) > 0.3, tab)
        tab.get_by_role("button", name="Pause").click()
        until(lambda: not viewer.player.playing, tab)
        assert (np.abs(picture(tab) - first).max(axis=2) > 40).mean() > 0.002

        # the slider scrubs: the end key goes to the end, page keys back
        slider = tab.get_by_role("slider").first
        slider.focus()
        tab.keyboard.press("End")
        until(lambda: viewer.player.now() == pytest.approx(until_time) == shown_time(tab), tab)

        # a click on a body chooses it, and its values are those of the result at this time
        click_on(viewer, client, tab, body)
        told = until(lambda: re.search(rf"{body} body.*?mass centre.*?x (\S+?)\s*y (\S+?)\s*z ([-+.e\d]+)", panel(tab),
                                       re.S), tab)
        exact = result.channels.motion(result.system.body_of(body), np.zeros(3)).position[-1]
        assert [float(v) for v in told.groups()] == pytest.approx(exact, rel=1e-5, abs=1e-9)
        shot(tab, tmp_path, f"live_{name}")
        assert troubles(tab) == []
        origin = viewer.url.removesuffix(viewer.guard.path)
        assert all(address.startswith((viewer.url, f"blob:{origin}", "data:")) for address in tab.asked)


def click_on(viewer: Viewer, client: Any, tab: Any, body: str) -> None:
    """Clicks on a body until it is chosen; the picture may come late."""
    spot = visible_spot(viewer, client, body, viewer.track.at(viewer.player.now()))
    for _ in range(8):
        tab.mouse.move(*spot)
        tab.wait_for_timeout(300)
        tab.mouse.click(*spot)
        for _ in range(7):
            tab.wait_for_timeout(100)
            if viewer.inspector.chosen is not None and viewer.inspector.chosen.name == body:
                return
    raise AssertionError(f"a click at {spot} did not choose {body!r}, but {viewer.inspector.chosen}")


def panel(tab: Any) -> str:
    return tab.evaluate("() => document.body.innerText")


def visible_spot(viewer: Viewer, client: Any, body: str, pose: Any) -> tuple[float, float]:
    """A pixel on a body that nothing hides much: the middle of the largest triangle that looks at the eye."""
    from vincolo.scene.poses import turned

    k = viewer.track.bodies.index(body)
    eye = np.array(client.camera.position)
    best, place = 0.0, pose.positions[k]
    for item in [i for i in viewer.scene.items if i.body == body and i.kind == "body"]:
        v = turned(np.broadcast_to(pose.quaternions[k], (len(item.mesh.vertices), 4)), item.mesh.vertices)
        corners = (v + pose.positions[k])[item.mesh.faces]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        middle = corners.mean(axis=1)
        seen = (normal * (eye - middle)).sum(axis=1)
        if seen.max() > best:
            best, place = seen.max(), middle[int(seen.argmax())]
    return place_on_screen(client, place)


def test_a_picture_is_one_message_of_less_than_two_kilobytes() -> None:
    with Viewer(chain(10), port=0) as viewer:
        drawn, sizes = [0], []
        draw = viewer.player._draw

        def counted(t: float) -> None:
            drawn[0] += 1
            draw(t)

        viewer.player._draw = counted
        with page("about:blank") as tab:
            tab.on("websocket", lambda ws: ws.on("framereceived", lambda data: sizes.append(len(data))))
            tab.goto(viewer.url)
            ready(tab, viewer)
            sizes.clear()
            drawn[0] = 0
            viewer.player.play()
            until(lambda: len(sizes) > 40, tab)
            viewer.player.pause()
            tab.wait_for_timeout(500)
            assert len(sizes) > 10
            assert len(sizes) <= drawn[0]
            assert max(sizes) < 2000


@pytest.mark.slow
def test_a_hundred_bodies_play_without_growing_lag() -> None:
    with Viewer(chain(100), port=0) as viewer, page(viewer.url) as tab:
        ready(tab, viewer)
        viewer.player.speed = 1.0
        viewer.player.play()
        early, late = least_lag(viewer, tab, 4.0), least_lag(viewer, tab, 10.0)
        assert late - early < 0.2


def least_lag(viewer: Viewer, tab: Any, last: float) -> float:
    """How far the browser is behind the clock, at best, in the three seconds before a time: a busy computer stutters
    now and then, but a queue that grows never catches up."""
    found = []
    while viewer.player.now() < last:
        now, shown = viewer.player.now(), shown_time(tab)
        if now > last - 3.0:
            found.append(now - shown)
        tab.wait_for_timeout(40)
    return min(found)


def test_two_browsers_see_the_same_and_one_may_leave() -> None:
    result = vc.simulate(built("five_bar"), until=2.0, outputs=50)
    with Viewer(result, port=0) as viewer, page(viewer.url) as tab:
        ready(tab, viewer)
        other = tab.context.new_page()
        other.goto(viewer.url)
        until(lambda: len(viewer.server.get_clients()) == 2, tab)
        viewer.player.seek(1.0)
        for one in (tab, other):
            until(lambda one=one: shown_time(one) == pytest.approx(1.0), tab)
        other.close()
        until(lambda: len(viewer.server.get_clients()) == 1, tab)
        viewer.player.seek(1.5)
        until(lambda: shown_time(tab) == pytest.approx(1.5), tab)


def test_handles_draw_a_mechanism(tmp_path: Path) -> None:
    session = drag(built("slider_crank"), port=0, open_browser=False, block=False)
    with session.viewer as viewer, page(viewer.url) as tab:
        client = ready(tab, viewer)
        with viewer.lock:
            session._list.value = "A (rod)"
            session._put_handles()
        tab.wait_for_timeout(1500)
        place, reach = np.array(session._handles.position), HANDLES * viewer.scene.size
        start, end = (place_on_screen(client, place + (s * reach, 0, 0)) for s in (0.7, 1.3))  # along the x arrow
        tab.mouse.move(*start)
        tab.wait_for_timeout(500)
        tab.mouse.down()
        tab.mouse.move(*np.mean([start, end], axis=0), steps=4)
        tab.mouse.move(*end, steps=4)
        until(lambda: session._place()[0] > place[0] + 0.2 * reach, tab)
        tab.mouse.up()
        assert np.linalg.norm(session._place()) == pytest.approx(np.linalg.norm(place))  # the pin is on its circle
        assert session.state["residual.position"] < 1e-9
        until(lambda: "degree of freedom" in panel(tab), tab)
        shot(tab, tmp_path, "live_drag")
        assert troubles(tab) == []


FOREIGN = """(url) => new Promise((done) => {
  const socket = new WebSocket(url, ["viser-v" + VERSION]);
  socket.onopen = () => done("open");
  socket.onerror = () => done("refused");
})"""


def test_a_page_of_another_does_not_reach_the_viewer(tmp_path: Path) -> None:
    """Pages of files and of another port of this computer try the socket, even with the token; the viewer's own page
    still works."""
    import viser

    result = vc.simulate(built("five_bar"), until=1.0, outputs=20)
    script = FOREIGN.replace("VERSION", repr(viser.__version__))
    with Viewer(result, port=0) as viewer, Viewer(result, port=0) as neighbour, page(viewer.url) as tab:
        ready(tab, viewer)
        address = viewer.url.replace("http:", "ws:")
        assert tab.evaluate(script, address) == "open"
        other = tab.context.new_page()
        for place in ("about:blank", neighbour.url):
            other.goto(place)
            assert other.evaluate(script, address) == "refused"
            assert other.evaluate(script, address.rpartition("/")[0]) == "refused"
