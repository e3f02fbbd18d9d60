"""The viewer in the browser, as far as it goes without one: what is served, watched and dragged."""

import asyncio
import json
import logging
import socket
import threading
import urllib.error
import urllib.request
from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc

pytest.importorskip("websockets")
pytest.importorskip("trimesh")

import websockets.asyncio.client as websockets

from viewed_arm import arm, linear_pendulum
from vincolo.studio.app import studio
from vincolo.view.live import Viewer, drag, show, show_modes, watch
from vincolo.view.live.guard import is_local
from vincolo.view.live.messages import unpacked
from vincolo.view.live.server import Client, Server, Session


@pytest.fixture(scope="module")
def result() -> vc.Result:
    return vc.simulate(arm(), until=3.0, outputs=300)


# servers


@pytest.fixture
def taken() -> int:
    """A port that another program listens on."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen(1)
        yield other.getsockname()[1]


def served(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except urllib.error.URLError:
        return False


def test_show_serves_on_the_loopback_address_with_one_line(result: vc.Result,
                                                           capfd: pytest.CaptureFixture[str]) -> None:
    viewer = show(result, port=0, open_browser=False, block=False)
    url = viewer.url
    assert url.startswith("http://127.0.0.1:")
    assert served(url)
    viewer.close()
    viewer.close()
    assert not served(url)
    told = capfd.readouterr()
    assert told.out == f"Viewer at {url}\n"
    assert told.err == ""


def test_another_host_is_warned_of(result: vc.Result, capfd: pytest.CaptureFixture[str]) -> None:
    with show(result, host="0.0.0.0", port=0, open_browser=False, block=False) as viewer:
        assert served(viewer.url)
        assert "//127.0.0.1:" in viewer.url
    assert "warning: it listens on 0.0.0.0" in capfd.readouterr().err
    assert is_local("127.0.0.1")
    assert not is_local("0.0.0.0")


def test_without_a_browser_the_address_is_told(result: vc.Result, capfd: pytest.CaptureFixture[str],
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda url: False)
    with show(result, port=0, block=False):
        pass
    assert "open this address in a browser" in capfd.readouterr().out


def test_a_port_in_use_is_refused_or_the_next_is_taken(result: vc.Result, taken: int,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(vc.ModelError, match=f"port {taken} of '127.0.0.1': it is in use.*\n.*another port"):
        Viewer(result, port=taken)
    monkeypatch.setattr("vincolo.view.live.listening.FIRST", taken)
    with Viewer(result) as viewer:
        assert viewer.server.port > taken


@pytest.mark.parametrize(("options", "words"), [
    ({"port": -1}, "from 0 to 65535"), ({"port": "8080"}, "from 0 to 65535"), ({"port": True}, "from 0 to 65535"),
    ({"host": "no.such.host.invalid"}, "cannot find the host"),
    ({"host": "203.0.113.7"}, "not an address of this computer")])
def test_wrong_ports_and_hosts_are_told(result: vc.Result, options: dict, words: str) -> None:
    with pytest.raises(vc.ModelError, match=words):
        Viewer(result, **options)


@pytest.mark.parametrize("source", ["a text", [], 7, [("a", 1)], {"a": 1}])
def test_what_cannot_be_shown_is_told(source: object) -> None:
    with pytest.raises(vc.ModelError, match="cannot show"):
        Viewer(source, port=0)


def test_an_empty_result_is_told(result: vc.Result) -> None:
    empty = replace(result, t=result.t[:0], y=result.y[:0], turns=result.turns[:0], reason="it could not start")
    with pytest.raises(vc.ModelError, match="no samples.\n  it could not start"):
        Viewer(empty, port=0)
    broken = replace(result, y=np.full_like(result.y, np.nan))
    with pytest.raises(vc.ModelError, match="none of its 301 samples"):
        Viewer(broken, port=0)


def test_models_states_and_lists_are_shown(result: vc.Result) -> None:
    for source in (arm(), vc.assemble(arm()), [result, result], [("slow", result), ("fast", result)]):
        with Viewer(source, port=0) as viewer:
            scene, _ = unpacked(viewer.scene)
            assert len(scene["runs"]) == (len(source) if isinstance(source, list) else 1)
            assert scene["runs"][0]["model"] == "arm"


# several browsers, and what they say


class Heard(Session):
    """Answers everything with what it heard."""

    def __init__(self) -> None:
        self.open, self.gate = 0, threading.Event()
        self.gate.set()

    def on_open(self, client: Client) -> None:
        self.open += 1
        client.send({"type": "hello", "number": client.number})

    def on_message(self, client: Client, message: dict) -> None:
        self.gate.wait(10)
        if message["type"] == "wrong":
            raise vc.ModelError("that is wrong.\n  Do something else.")
        if message["type"] == "broken":
            raise KeyError("a mistake of ours")
        client.send({"type": "heard", "of": message})

    def on_close(self, client: Client) -> None:
        self.open -= 1


def talk(server: Server, what) -> object:
    """Runs a conversation of coroutines over two lines."""

    async def both() -> object:
        origin = server.url.removesuffix(server.guard.path)
        address = server.url.replace("http:", "ws:")
        async with (websockets.connect(address, origin=origin, open_timeout=10) as one,
                    websockets.connect(address, origin=origin, open_timeout=10) as two):
            return await asyncio.wait_for(what(one, two), 20)

    return asyncio.run(both())


async def said(line) -> dict:
    return json.loads(await line.recv())


GARBAGE = ["", "no json", "[]", "7", '{"type": 3}', '{"a": 1}', '{"type": "x", "v": NaN}', "[" * 100_000,
           b"\x00\xff bytes", '{"type": "x", "v": ' + "9" * 5000 + "}", "\U0001f600", '{"type": "x"} trailing']


def test_garbage_is_answered_and_survived(caplog: pytest.LogCaptureFixture) -> None:
    session = Heard()
    server = Server(b"page", session, port=0)

    async def what(one, two) -> None:
        assert {(await said(one))["number"], (await said(two))["number"]} == {1, 2}
        for text in GARBAGE:
            await one.send(text)
            answer = await said(one)
            assert answer["type"] == "error" and "cannot be read" in answer["text"]
        await one.send('{"type": "wrong"}')
        assert (await said(one)) == {"type": "error", "text": "that is wrong.\n  Do something else."}
        with caplog.at_level(logging.CRITICAL, logger="vincolo.view"):
            await one.send('{"type": "broken"}')
            assert "A mistake of the program (KeyError)" in (await said(one))["text"]
        await one.send('{"type": "good"}')
        assert (await said(one))["of"] == {"type": "good"}
        await two.send('{"type": "good", "n": 2}')  # the other was not disturbed
        assert (await said(two))["of"]["n"] == 2

    try:
        talk(server, what)
    finally:
        server.close()
    assert session.open == 0


def test_garbage_does_not_disturb_the_studio_and_two_browsers_see_one_model(tmp_path) -> None:
    session, server = studio(None, port=0, open_browser=False, journals=tmp_path)

    async def next_of(line, kind: str) -> dict:
        while True:
            heard = await line.recv()
            message = json.loads(heard) if isinstance(heard, str) else unpacked(heard)[0]
            if message["type"] == kind:
                return message

    async def what(one, two) -> None:
        for line in (one, two):
            assert (await next_of(line, "model"))["tree"] == session.draft.tree
        for text in GARBAGE:
            await one.send(text)
            assert "cannot be read" in (await next_of(one, "error"))["text"]
        await one.send('{"type": "unheard of", "id": 1}')
        assert "there is no message 'unheard of'" in (await next_of(one, "error"))["text"]
        await one.send(json.dumps({"type": "act", "id": 2, "action": {
            "do": "add", "section": "bodies", "name": "<script>", "value": {"mass": 1.0, "inertia": 1.0}}}))
        for line in (one, two):
            assert list((await next_of(line, "model"))["tree"]["bodies"]) == ["<script>"]
        await two.send('{"type": "undo", "id": 1}')
        assert "bodies" not in (await next_of(one, "model"))["tree"]

    try:
        talk(server, what)
    finally:
        server.close()
        session.draft.close()


def test_too_long_a_message_ends_its_line_alone() -> None:
    server = Server(b"page", Heard(), port=0, largest=1000)

    async def what(one, two) -> int:
        await said(one)
        await said(two)
        await one.send(json.dumps({"type": "x", "v": "y" * 2000}))
        await one.wait_closed()
        await two.send('{"type": "good"}')
        assert (await said(two))["of"] == {"type": "good"}
        return one.close_code

    try:
        assert talk(server, what) == 1009  # message too big
    finally:
        server.close()


def test_of_places_of_a_pointer_the_newest_counts_and_all_browsers_hear_what_is_told_to_all() -> None:
    session = Heard()
    server = Server(b"page", session, port=0, newest=("move",))

    async def what(one, two) -> list[dict]:
        await said(one)
        await said(two)
        session.gate.clear()
        await one.send('{"type": "first"}')
        for k in range(50):
            await one.send(json.dumps({"type": "move", "k": k}))
        await one.send('{"type": "last"}')
        await two.send('{"type": "move", "k": -1}')
        for line in (one, two):
            await line.send("no json")  # answered at once, by who hears: then all before it was heard
            assert (await said(line))["type"] == "error"
        session.gate.set()
        found = [(await said(one))["of"] for _ in range(3)]
        assert (await said(two))["of"]["k"] == -1
        server.broadcast({"type": "all"})
        server.broadcast(b"numbers")
        for line in (one, two):
            assert (await said(line)) == {"type": "all"}
            assert await line.recv() == b"numbers"
        return found

    try:
        assert talk(server, what) == [{"type": "first"}, {"type": "move", "k": 49}, {"type": "last"}]
    finally:
        server.close()


def test_a_server_ends_with_its_threads(result: vc.Result) -> None:
    before = set(threading.enumerate())  # threads of others may end meanwhile
    with Viewer(result, port=0):
        assert len(set(threading.enumerate()) - before) == 2
    assert not set(threading.enumerate()) - before


def test_a_server_runs_beside_the_loop_of_a_notebook(result: vc.Result) -> None:
    async def cell() -> bool:
        with Viewer(result, port=0) as viewer:
            return await asyncio.to_thread(served, viewer.url)

    assert asyncio.run(cell())


def test_a_run_that_is_watched_is_the_same_run() -> None:
    seen = watch(arm(), 2.0, outputs=150, port=0, open_browser=False, block=False)
    alone = vc.simulate(arm(), until=2.0, outputs=150)
    assert seen.complete
    assert seen.t == pytest.approx(alone.t, abs=1e-12)
    for name in ("bar.x", "weight.z", "weight.vz", "O.reaction.force.z", "energy.work"):
        assert seen[name] == pytest.approx(alone[name], abs=1e-6, rel=1e-6)
    assert seen.settings.until == 2.0
    assert seen.statistics["steps"] >= alone.statistics["steps"]


def test_watch_refuses_what_it_cannot_use() -> None:
    with pytest.raises(vc.ModelError, match="progress= has no effect"):
        watch(arm(), 1.0, progress=True)


# dragging


def slider_crank() -> vc.Model:
    model = vc.Model("slider-crank")
    crank, rod, slider = (model.body(name, 1.0, 0.1, at=at) for name, at in
                          (("crank", (0, 0, 0.5)), ("rod", (1, 0, 0.5)), ("slider", (np.sqrt(3), 0, 0))))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="y")
    model.revolute("A", crank, rod, at=(0, 0, 1), axis="y")
    model.revolute("B", rod, slider, at=(np.sqrt(3), 0, 0), axis="y")
    model.prismatic("guide", model.ground, slider, at=(np.sqrt(3), 0, 0), axis="x")
    model.drive("O.angle", "t")
    return model


def test_dragging_keeps_the_joints_closed_and_says_what_cannot_be_reached() -> None:
    session = drag(slider_crank(), port=0, open_browser=False, block=False)
    try:
        assert "1 degree of freedom" in session.controls.value("freedom")
        with pytest.raises(vc.ModelError, match="nothing is held"):
            session.to((1, 0, 0))
        session.take("slider", (0, 0, 0))
        x = 2.5
        state = session.to((x, 0.0, 0.0))
        cosine = (x**2 + 1.0 - 4.0) / (2 * x)  # law of cosines at O: crank 1, rod 2
        assert state["slider.x"] == pytest.approx(x, abs=1e-6)
        assert np.sin(state["O.angle"]) == pytest.approx(cosine, abs=1e-6)
        assert state["residual.position"] < 1e-9
        state = session.to((3.4, 0.0, 0.0))
        assert session._hand.left == pytest.approx(0.4, abs=0.01)  # stretched it reaches 3
        assert "cannot follow" in session.controls.value("follows")
        session.take("crank", (0.0, 0.0, 0.25))
        assert session.point.body.name == "crank"
        session.reset()
        assert session.state["slider.x"] == pytest.approx(np.sqrt(3))
        with pytest.raises(vc.ModelError, match="no body called 'wing'"):
            session.take("wing", (0, 0, 0))
        with pytest.raises(vc.ModelError, match="target"):
            session.to((np.nan, 0, 0))
        session._tell_range("O.angle")
        assert "O.angle" in session.controls.value("reach")
    finally:
        session.viewer.close()


def test_mode_shapes_are_shown() -> None:
    with show_modes(linear_pendulum(), port=0, open_browser=False, block=False) as viewer:
        x = viewer.results[0][1]["bob.x"]
        viewer.controls.use({"type": "control", "name": "amplitude", "value": 2.0})
        assert viewer.results[0][1]["bob.x"] == pytest.approx(2 * x, rel=0.02, abs=1e-9)
        for name, value in (("amplitude", 9.0), ("amplitude", "1"), ("mode", "none"), ("nothing", 1), (3, 1)):
            with pytest.raises(vc.ModelError, match="not between|not one of|no control"):
                viewer.controls.use({"type": "control", "name": name, "value": value})
    with pytest.raises(vc.ModelError, match="not a linear system"):
        show_modes(7)
