"""A web browser without a display, for tests of pages: `with page(file) as tab: ...`."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]  # WebGL in software


#: playwright and the browser that it started, while there is one
_open: list[Any] = []


def _browser() -> Any:
    """One browser for all pages of a module of tests: to start it takes longer than most of them."""
    if not _open:
        sync_api = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if program is None:
            pytest.skip("there is no chromium to open pages with")
        play = sync_api.sync_playwright().start()
        _open.append(play)
        _open.append(play.chromium.launch(executable_path=program, args=ARGUMENTS))
    return _open[-1]


def close() -> None:
    """Ends the browser, if there is one. It keeps a loop of events running, in whose thread no other can be."""
    if len(_open) > 1:
        _open[1].close()
    if _open:
        _open[0].stop()
    _open.clear()


@contextmanager
def page(where: str | Path, width: int = 1280, height: int = 800, **context: Any) -> Iterator[Any]:
    """A tab with a file or an address, that shares nothing with others. Its `errors` are what the console and the page
    complained of, its `asked` the addresses it asked for. A file is opened with the network switched off."""
    offline = isinstance(where, Path)
    coarse = {"device_scale_factor": 0.5} | context  # pixels are drawn without a graphics card
    own = _browser().new_context(viewport={"width": width, "height": height}, offline=offline, **coarse)
    try:
        tab = own.new_page()
        tab.errors, tab.asked = [], []
        tab.on("console", lambda m: tab.errors.append(m.text) if m.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: tab.errors.append(str(error)))
        tab.on("request", lambda request: tab.asked.append(request.url))
        tab.goto(where.resolve().as_uri() if isinstance(where, Path) else where)
        yield tab
    finally:
        own.close()


def shot(tab: Any, folder: Path, name: str) -> bytes:
    """A picture of the tab, kept in the folder and, if it is set, in the one named by VINCOLO_SHOTS."""
    for place in (folder / "shots", os.environ.get("VINCOLO_SHOTS")):
        if place:
            Path(place).mkdir(parents=True, exist_ok=True)
            taken: bytes = tab.screenshot(path=Path(place) / f"{name}.png")
    return taken
