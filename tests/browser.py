"""A web browser without a display, for tests of pages: `with page(file) as tab: ...`."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]  # WebGL in software


@contextmanager
def page(where: str | Path, width: int = 1280, height: int = 800, **context: Any) -> Iterator[Any]:
    """A tab with a file or an address. Its `errors` are what the console and the page complained of, its `asked` the
    addresses it asked for. A file is opened with the network switched off."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no chromium to open pages with")
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=ARGUMENTS)
        offline = isinstance(where, Path)
        tab = browser.new_context(viewport={"width": width, "height": height}, offline=offline, **context).new_page()
        tab.errors, tab.asked = [], []
        tab.on("console", lambda m: tab.errors.append(m.text) if m.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: tab.errors.append(str(error)))
        tab.on("request", lambda request: tab.asked.append(request.url))
        try:
            tab.goto(where.resolve().as_uri() if isinstance(where, Path) else where)
            yield tab
        finally:
            browser.close()


def shot(tab: Any, folder: Path, name: str) -> bytes:
    """A picture of the tab, kept in the folder and, if it is set, in the one named by VINCOLO_SHOTS."""
    for place in (folder / "shots", os.environ.get("VINCOLO_SHOTS")):
        if place:
            Path(place).mkdir(parents=True, exist_ok=True)
            taken: bytes = tab.screenshot(path=Path(place) / f"{name}.png")
    return taken
