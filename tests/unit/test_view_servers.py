"""The viewer in the browser, as far as it goes without one: what is served, watched and dragged."""

import socket
import urllib.error
import urllib.request
from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc

pytest.importorskip("viser")
pytest.importorskip("trimesh")

from viewed_arm import arm, linear_pendulum
from vincolo.view.live import Viewer, drag, show, show_modes, watch
from vincolo.view.live.guard import Guard, is_local
from vincolo.view.live.measuring import Spot
from vincolo.view.live.server import address


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
        assert "127.0.0.1" in address(viewer.server, Guard("0.0.0.0"))
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
    monkeypatch.setattr("vincolo.view.live.server.FIRST", taken)
    with Viewer(result) as viewer:
        assert viewer.server.get_port() > taken


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
            assert len(viewer.stages) == (len(source) if isinstance(source, list) else 1)
            viewer.draw(0.5)


def test_names_are_text_and_not_html(result: vc.Result) -> None:
    model = vc.Model("<b>bold</b>")
    body = model.body("</script><b>x", 1.0, 0.1, at=(0, 0, 0))
    model.revolute("<i>", model.ground, body, at=(0, 0, 0), axis="y")
    with Viewer(vc.simulate(model, until=0.1), port=0) as viewer:
        part = viewer.inspector.named("</script><b>x")
        viewer.inspector.choose(part)
        table = viewer.inspector.table(part, 0.05)
    assert "<b>x" not in table
    assert "&lt;/script&gt;&lt;b&gt;x" in table


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
        assert "1 degree of freedom" in session._said.content
        assert session.point.body.name == "slider"
        x = 2.5
        state = session.to((x, 0.0, 0.0))
        cosine = (x**2 + 1.0 - 4.0) / (2 * x)  # law of cosines at O: crank 1, rod 2
        assert state["slider.x"] == pytest.approx(x, abs=1e-6)
        assert np.sin(state["O.angle"]) == pytest.approx(cosine, abs=1e-6)
        assert state["residual.position"] < 1e-9
        state = session.to((3.4, 0.0, 0.0))
        assert session._hand.left == pytest.approx(0.4, abs=0.01)  # stretched it reaches 3
        assert "cannot follow" in session._said.content
        session.take(Spot("crank", np.array([0.0, 0.0, 0.25])))
        assert session.point.body.name == "crank"
        session.reset()
        assert session.state["slider.x"] == pytest.approx(np.sqrt(3))
    finally:
        session.viewer.close()


def test_mode_shapes_are_shown() -> None:
    with show_modes(linear_pendulum(), port=0, open_browser=False, block=False) as viewer:
        assert viewer.player.playing
        assert viewer.track.at(0.5).positions[0][0] != pytest.approx(viewer.track.at(1.5).positions[0][0])
    with pytest.raises(vc.ModelError, match="not a linear system"):
        show_modes(7)
