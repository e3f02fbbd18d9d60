"""A search for a linkage in a real browser: better ones come, move, and pass the points in the end."""

import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import page, shot
from vincolo.studies.synthesis import FourBar, path_linkage
from vincolo.view.live import searching, watch_path

pytest.importorskip("websockets")

THETA = np.linspace(0, 2 * np.pi, 12, endpoint=False)
BAR = FourBar(2.0, 0.7, 1.8, 1.5, px=0.9, py=0.6, angle=0.3, x=0.2, y=-0.1)
LIMITS = {**dict.fromkeys(("ground", "crank", "coupler", "rocker"), (0.3, 3.0)), "px": (-2, 2), "py": (-2, 2),
          "angle": (0, 1), "x": (-1, 1), "y": (-1, 1)}


def error_of(tab: Any) -> float:
    text = tab.locator("#controls p").inner_text()
    return float(re.search(r"squared distances ([0-9.e+-]+)", text)[1])


def test_a_search_is_watched_and_ended_by_a_button(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, go, urls, found = threading.Event(), threading.Event(), [], []
    plain = searching._Search.better

    def held(self: Any, linkage: Any) -> bool:
        """Waits after the first linkage, until the browser is there."""
        answer = plain(self, linkage)
        if self.viewer is not None and not first.is_set():
            urls.append(self.viewer.url)
            first.set()
            go.wait(60)
        if self._count == 8:
            ended.wait(60)
        return answer or self._stop.is_set()

    ended = threading.Event()
    monkeypatch.setattr(searching._Search, "better", held)
    monkeypatch.setattr(searching, "OFTEN", 0.0)
    blocked = threading.Event()
    monkeypatch.setattr("vincolo.view.live.viewer.Viewer.wait", lambda self: blocked.wait(60))
    work = threading.Thread(target=lambda: found.append(watch_path(
        BAR.points(THETA), limits=LIMITS, timing=THETA, rounds=1, port=0, open_browser=False, block=True)))
    work.start()
    try:
        assert first.wait(60)
        with page(urls[0]) as tab:
            tab.wait_for_function("() => window.vincolo && window.vincolo.state().pictures > 0")
            before = error_of(tab)
            assert tab.evaluate("() => [...window.vincolo.live.player.marks.traces.keys()]") == ["origin P"]
            go.set()
            tab.wait_for_function("(text) => document.querySelector('#controls p').textContent.includes(text)",
                                  arg="8 times better")
            assert error_of(tab) < before
            shot(tab, tmp_path, "search_path")
            tab.get_by_role("button", name="End the search here").click()
            ended.set()
            tab.wait_for_function("(text) => document.querySelector('#controls p').textContent.includes(text)",
                                  arg="ended by the user")
            assert tab.errors == []
    finally:
        for event in (go, ended, blocked):
            event.set()
        work.join(60)
    assert found and 0 < found[0].error < before


@pytest.mark.slow
def test_a_search_that_is_watched_finds_what_it_finds_alone() -> None:
    told = []
    given = {"limits": LIMITS, "timing": THETA, "rounds": 1, "seed": 3}
    alone, watched = (path_linkage(BAR.points(THETA), **given, **more) for more in ({}, {"watch": told.append}))
    assert alone.linkage == watched.linkage and alone.error == watched.error
    keys = [(len(f.defects), f.error) for f in told]
    assert keys == sorted(keys, reverse=True) and len(keys) > 5 and keys[-1] <= (0, 1e-12)


def test_the_turn_that_is_shown_passes_the_points() -> None:
    run = searching.turning(BAR, THETA, BAR.points(THETA))
    path = np.stack([run["P.x"], run["P.z"]], axis=-1)
    away = np.linalg.norm(path[None, :, :] - BAR.points(THETA)[:, None, :], axis=2).min(axis=1)
    assert run.complete and away.max() < 1e-9  # 12 angles are among 120
    body = run.model.bodies["points to pass"]
    assert np.allclose([(body.at + look.at)[[0, 2]] for look in run.model.looks[body.name]], BAR.points(THETA))
