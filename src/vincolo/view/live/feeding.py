"""What a page on the socket is fed: the page itself; scenes, samples and poses in the layout of the offline page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vincolo.plots.web import Blob, asset
from vincolo.results.result import Result
from vincolo.state import State
from vincolo.view.live.messages import packed
from vincolo.view.page import PACKAGE, stage_page
from vincolo.view.page_data import more_data, run_data, start_plots, thinned

LIVE = ("link.js", "controls.js", "live.js", "begin_live.js")
NUMBERS = 60_000_000  # in a scene: what is more is thinned
RATE = 60.0  # pictures in a second, at most


def live_page(title: str) -> bytes:
    """The page of the viewer: the stage, and what feeds it from the socket."""
    return stage_page(asset(PACKAGE, "page.html"), [asset(PACKAGE, name) for name in LIVE],
                      {"title": title, "fps": RATE, "quiet": True}, connect="'self'")


def scene_message(title: str, pairs: Sequence[tuple[str, Result]], *, series: bool = True, most: int | None = None,
                  **more: Any) -> bytes:
    """Runs with labels, to be shown from now on, with `most` samples each; without `series` there are shapes and motion
    alone. `more` are options of the page: fit (look at all of it), growing (more samples will come), loop, play, plots,
    trace (names of parts whose paths are drawn), look (from which side)."""
    blob = Blob()
    runs = [run_data(label, result, thinned(result, min(_most(result, series), most or len(result))), blob, series)
            for label, result in pairs]
    moves = len(pairs[0][1]) > 1 or more.get("growing", False)
    plots = start_plots(pairs, None) if series and moves else []
    return packed({"type": "scene", "title": title, "runs": runs, "plots": plots, **more}, blob)


def grow_message(piece: Result, whole: Result, growing: bool) -> bytes:
    """Samples that come behind those of the first run; `whole` is the result so far, with them."""
    blob = Blob()
    return packed({"type": "grow", "run": more_data(whole, piece, blob), "growing": growing}, blob)


def poses_message(state: State) -> bytes:
    """Where all bodies are, seven numbers each."""
    blob = Blob()
    system, channels = state.system, state.channels
    rows = [np.concatenate([channels.point(system.centred[k].body.frame())[0], channels.quaternions(name)[0]])
            for name, k in system.body_numbers.items()]
    reference = blob.put(np.concatenate(rows) if rows else np.zeros(0))
    return packed({"type": "poses", "poses": reference}, blob)


def _most(result: Result, series: bool) -> int:
    """Samples that a browser can hold."""
    return max(2, NUMBERS // max(1, len(result.keys()) if series else 7 * len(result.system.body_numbers)))
