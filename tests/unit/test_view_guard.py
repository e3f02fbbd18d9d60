"""Who may connect to the viewer and to the studio, tried over real connections."""

import asyncio
import html
import http.client
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

import vincolo as vc
from vincolo.formats import save_model
from vincolo.studio.app import studio
from vincolo.view.live import Viewer, show
from vincolo.view.live.listening import browse

websockets = pytest.importorskip("websockets.asyncio.client")


@pytest.fixture(scope="module", params=["viewer", "studio"])
def viewer(request, tmp_path_factory):
    model = vc.Model("secret mechanism")
    bar = model.body("secret bar", 1.0, 0.1, at=(1, 0, 0))
    model.revolute("O", model.ground, bar, at=(0, 0, 0), axis="y")
    result, folder = vc.simulate(model, until=0.1, outputs=4), tmp_path_factory.mktemp("studio")
    if request.param == "viewer":
        with Viewer(result, port=0) as made:
            yield made
        return
    save_model(model, folder / "secret.yaml")
    session, server = studio(folder / "secret.yaml", port=0, open_browser=False, journals=folder / "journals")
    yield SimpleNamespace(server=server, url=server.url, results=[("", result)])
    server.close()
    session.draft.close()


def asked(viewer, path, **headers):
    """Status and text of a request over HTTP; a header that is None is left out, a list is sent several times."""
    line = http.client.HTTPConnection("127.0.0.1", viewer.server.port, timeout=10)
    line.putrequest("GET", path, skip_host=True)
    for name, values in {"Host": f"127.0.0.1:{viewer.server.port}", **headers}.items():
        for value in values if isinstance(values, list) else [values]:
            if value is not None:
                line.putheader(name, value)
    line.endheaders()
    answer = line.getresponse()
    found = answer.status, answer.read().decode(), dict(answer.headers)
    line.close()
    return found


def connected(viewer, path, origin, host=None):
    """What the socket of the viewer sends first, or the status with which it refuses."""
    port = viewer.server.port

    async def talk():
        address = f"ws://{host or f'127.0.0.1:{port}'}{path}"
        async with websockets.connect(address, origin=origin, host="127.0.0.1", port=port,
                                      compression=None, open_timeout=10) as line:
            return len(await asyncio.wait_for(line.recv(), 10))

    try:
        return asyncio.run(talk())
    except websockets.InvalidStatus as refused:
        return refused.response.status_code


def own(viewer):
    return f"http://127.0.0.1:{viewer.server.port}"


def test_the_address_has_a_token_that_opens_the_page(viewer):
    parts = urlsplit(viewer.url)
    assert parts.hostname == "127.0.0.1" and len(parts.path) > 30
    status, text, headers = asked(viewer, parts.path)
    assert status == 200 and "<html" in text
    assert "connect-src 'self'" in text and "default-src 'none'" in text
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Content-Type"].startswith("text/html")
    assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"
    assert asked(viewer, f"{parts.path}/?darkMode")[0] == 200
    assert asked(viewer, f"{parts.path}/../../../pyproject.toml")[0] == 404
    with Viewer(viewer.results[0][1], port=0) as other:
        assert other.server.guard.token != viewer.server.guard.token


@pytest.mark.parametrize("path", ["/", "", "/index.html", "/wrong", "/{half}", "/{token}x", "/x/{token}", "//{token}",
                                  "/?token={token}", "/%2f{token}", "/\xe9"])
def test_without_the_token_there_is_no_answer(viewer, path):
    token = viewer.server.guard.token
    given = path.format(token=token, half=token[: len(token) // 2])
    status, text, _ = asked(viewer, given.encode("latin-1").decode("latin-1") if given.isascii() else "/%e9")
    assert status == 403 and token not in text and "secret" not in text and "whole address" in text
    if given.startswith("/") and given.isascii():
        assert connected(viewer, given, own(viewer)) == 403


def test_the_socket_opens_with_the_token_from_the_own_page(viewer):
    assert connected(viewer, viewer.server.guard.path, own(viewer)) > 1000  # the scene
    port = viewer.server.port
    assert connected(viewer, viewer.server.guard.path, f"http://localhost:{port}", f"localhost:{port}") > 1000


@pytest.mark.parametrize("origin", ["https://evil.example", "http://evil.example:{port}", "null", "file://",
                                    "http://localhost:{port}", "http://127.0.0.1:{other}", "http://127.0.0.1",
                                    "http://127.0.0.1:{port}.evil.example", "http://127.0.0.1:{port}@evil.example",
                                    None])
def test_the_socket_is_shut_to_pages_of_others_even_with_the_token(viewer, origin):
    port = viewer.server.port
    given = origin and origin.format(port=port, other=port + 1)
    assert connected(viewer, viewer.server.guard.path, given) == 403
    if given:
        assert asked(viewer, viewer.server.guard.path, Origin=given)[0] == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "localhost.",
                                  "user@127.0.0.1", "[::1", "10.0.0.7:{port}", None, ["127.0.0.1", "evil.example"]])
def test_names_of_others_that_lead_here_are_refused_even_with_the_token(viewer, host):
    """A page that has its own name lead to this computer (DNS rebinding) is of the same origin for its browser."""
    port = viewer.server.port
    given = host.format(port=port) if isinstance(host, str) else host
    assert asked(viewer, viewer.server.guard.path, Host=given)[0] in (400, 403)
    if isinstance(given, str) and "[" not in given and "@" not in given:
        assert asked(viewer, viewer.server.guard.path, Host=given, Origin=f"http://{given}")[0] == 403
        assert connected(viewer, viewer.server.guard.path, f"http://{given}", given) == 403


def test_a_viewer_for_all_still_asks_for_token_and_origin(viewer, capfd):
    with show(viewer.results[0][1], host="0.0.0.0", port=0, open_browser=False, block=False) as wide:
        port, path = wide.server.port, wide.server.guard.path
        assert connected(wide, path, f"http://10.0.0.7:{port}", f"10.0.0.7:{port}") > 1000  # by number
        for host in ("evil.example", "0x7f000001.evil.example"):
            assert connected(wide, path, f"http://{host}:{port}", f"{host}:{port}") == 403
        assert connected(wide, "/", own(wide)) == 403
        assert connected(wide, wide.server.guard.path, "http://evil.example") == 403
        assert f"Viewer at {wide.url}\n" in capfd.readouterr().out and wide.server.guard.token in wide.url


def test_the_browser_is_opened_at_the_address_with_the_token(viewer, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    with show(viewer.results[0][1], port=0, block=False) as made:
        assert html.escape(made.url) in Path(urlsplit(opened[0]).path).read_text()
        assert made.url.endswith(made.server.guard.token)


SOURCE = Path(vc.__file__).parent


def test_the_token_is_never_on_the_command_line_of_the_browser(viewer, monkeypatch):
    """Every user of a computer can read command lines: the browser gets a file that this user alone can read, and which
    leads to the page."""
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    assert browse(viewer.url)
    place = Path(urlsplit(opened[0]).path)
    token = urlsplit(viewer.url).path.strip("/").split("/")[0]
    assert opened[0].startswith("file://") and len(token) > 20 and token not in opened[0]
    assert place.stat().st_mode & 0o077 == 0 and place.parent.stat().st_mode & 0o077 == 0
    assert html.escape(viewer.url) in place.read_text()


def test_nothing_else_opens_an_address_in_the_browser():
    """All that is opened elsewhere are files: an address is opened through browse() alone."""
    for path in SOURCE.rglob("*.py"):
        for line in path.read_text().splitlines():
            if "webbrowser.open(" in line:
                assert ".as_uri())" in line, f"{path.name}: {line.strip()}"
