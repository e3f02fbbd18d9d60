"""The studio in a browser, as a user has it: `with opened(folder) as (_, server), page(server.url) as tab: ...`."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vincolo.studio.app import studio

HARMLESS = ("GPU stall",)  # WebGL in software
MOST = 60  # actions of a script


@contextmanager
def opened(folder: Path, path: Path | None = None):
    """A studio on a free port, in a folder."""
    before = Path.cwd()
    os.chdir(folder)
    session, server = studio(path, port=0, open_browser=False, journals=folder / "journals")
    try:
        yield session, server
    finally:
        session.end_run()
        server.close()
        session.draft.close()
        os.chdir(before)


class Hands:
    """What a user does, counted."""

    def __init__(self, tab: Any) -> None:
        self.tab, self.count = tab, 0

    def ready(self) -> Hands:
        self.tab.wait_for_selector("#waiting", state="hidden", timeout=60_000)
        return self

    def click(self, what: str) -> None:
        self.tab.click(what)
        self.count += 1

    def fill(self, what: str, text: str) -> None:
        self.tab.locator(what).first.fill(text)
        self.count += 1

    def press(self, keys: str) -> None:
        self.tab.keyboard.press(keys)
        self.count += 1

    def add(self, kind: str, **fields: str) -> None:
        """A part from the palette, with some of its fields filled in."""
        self.click(f"#palette [data-kind={kind}]")
        for key, text in fields.items():
            self.fill(f"#adding .field[data-key={key}] input", text)
        self.press("Enter")
        self.tab.wait_for_selector("#adding", state="detached")

    def select(self, *place: str) -> None:
        words = ",".join(f'"{word}"' for word in place)
        self.click(f"#tree [data-place='[{words}]']")

    def change(self, key: str, text: str) -> None:
        self.fill(f"#properties .field[data-key='{key}'] input", text)
        self.press("Enter")

    def run(self) -> None:
        self.press("Control+Enter")
        self.tab.wait_for_selector("#export:not([disabled])")
        self.tab.wait_for_selector("#hold[disabled]")

    def save(self, name: str) -> None:
        self.press("Control+s")
        self.fill("#path", name)
        self.press("Enter")
        self.tab.wait_for_selector("dialog", state="detached")

    def fine(self) -> None:
        """Few actions, and the browser had nothing to complain of."""
        assert self.count < MOST
        assert [e for e in self.tab.errors if not any(word in e for word in HARMLESS)] == []


FOUR_BAR = """
bodies:
  crank: {mass: 1, inertia: 0.001, at: [0.05, 0, 0]}
  coupler: {mass: 1, inertia: 0.001, at: [0.225, 0, 0.1]}
  rocker: {mass: 1, inertia: 0.001, at: [0.35, 0, 0.1]}
joints:
  A: {kind: revolute, a: ground, b: crank, at: [0, 0, 0], axis: y}
  B: {kind: revolute, a: crank, b: coupler, at: [0.1, 0, 0], axis: y}
  C: {kind: revolute, a: coupler, b: rocker, at: [0.35, 0, 0.2], axis: y}
  D: {kind: revolute, a: rocker, b: ground, at: [0.35, 0, 0], axis: y}
"""


def held(tab: Any, name: str, by: tuple[float, float]) -> None:
    """A part taken with the mouse, drawn by some pixels, and held."""
    box, (x, y) = tab.locator("#scene").bounding_box(), tab.evaluate("(n) => window.vincolo.where(n)", name)
    x, y = x + box["x"], y + box["y"]
    tab.mouse.move(x, y)
    tab.mouse.down()
    for share in (0.3, 0.6, 1.0):
        tab.mouse.move(x + share*by[0], y + share*by[1])
        tab.wait_for_timeout(120)


def drawn(tab: Any, name: str, by: tuple[float, float]) -> None:
    """A part taken with the mouse, and drawn by some pixels."""
    held(tab, name, by)
    tab.mouse.up()
    tab.wait_for_timeout(400)
