"""The viewer in a browser that draws in software: pictures per second, time to the first picture, answers to the mouse.

    python benchmarks/viewer.py

CPU times are of all processes of the browser and do not depend on what else the computer does; wall times do.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

import vincolo as vc
from vincolo.view.live import Viewer, drag

sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parents[1] / "examples")]

import browser  # noqa: E402
from example_models import built  # noqa: E402
from viewed_arm import chain  # noqa: E402

READY = "() => window.vincolo && window.vincolo.state().pictures > 0"
SECONDS = 6.0  # of playing


def cpu() -> float:
    """CPU seconds of all processes below this one, as Linux counts them."""
    parents, spent = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)], spent[int(entry.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
    found, more = set(), {os.getpid()}
    while more:
        more = {p for p, parent in parents.items() if parent in more} - found
        found |= more
    return sum(spent[p] for p in found) / os.sysconf("SC_CLK_TCK")


def pictures(count: int) -> str:
    """How fast a chain plays."""
    with Viewer(chain(count), port=0) as viewer, browser.page(viewer.url) as tab:
        tab.wait_for_function(READY)
        tab.evaluate("() => window.vincolo.play()")
        tab.wait_for_timeout(1500)
        n, used, wall = tab.evaluate("() => window.vincolo.state().pictures"), cpu(), time.perf_counter()
        tab.wait_for_timeout(1000 * SECONDS)
        n = tab.evaluate("() => window.vincolo.state().pictures") - n
        used, wall = cpu() - used, time.perf_counter() - wall
    return f"{count} bodies: {n / wall:.1f} pictures a second by the wall, {1000 * used / max(n, 1):.0f} ms CPU each"


def opening() -> str:
    """From the call that shows a result to the first picture, in a browser that runs already."""
    result = vc.simulate(built("mcpherson"), until=10.0, outputs=1000)
    with browser.page("about:blank") as tab:
        begun, used, own = time.perf_counter(), cpu(), time.process_time()
        with Viewer(result, port=0) as viewer:
            tab.goto(viewer.url)
            tab.wait_for_function(READY)
            wall = time.perf_counter() - begun
            return (f"McPherson of 10 s, {len(result)} samples: first picture after {wall:.2f} s by the wall, "
                    f"{cpu() - used:.2f} s CPU of the browser and {time.process_time() - own:.2f} s of the program")


LISTEN = """() => {
  const { player, link } = window.vincolo.live, send = link.send.bind(link), put = player.setPoses.bind(player);
  let begun = 0;
  window.lags = [];
  link.send = (message) => { if (message.type === 'move') begun = performance.now(); return send(message); };
  player.setPoses = (numbers) => {
    put(numbers);
    player.draw();
    window.lags.push(performance.now() - begun);
  };
}"""


def drawing() -> str:
    """From a move of the pointer to the mechanism drawn in its new place."""
    session = drag(built("mcpherson"), port=0, open_browser=False, block=False)
    with session.viewer as viewer, browser.page(viewer.url) as tab:
        tab.wait_for_function(READY)
        tab.evaluate(LISTEN)
        x, y = tab.evaluate("() => window.vincolo.where('wheel')")
        box = tab.locator("#scene").bounding_box()
        tab.mouse.move(x + box["x"], y + box["y"])
        tab.mouse.down()
        for k in range(1, 41):
            tab.mouse.move(x + box["x"], y + box["y"] - 25 * np.sin(k / 6))
            tab.wait_for_timeout(60)
        tab.mouse.up()
        lags = np.array(tab.evaluate("() => window.lags"))
    return (f"McPherson drawn by the mouse: {np.median(lags):.0f} ms in the middle, {np.quantile(lags, 0.9):.0f} ms "
            f"for nine of ten, {lags.max():.0f} ms at most, of {len(lags)} moves")


def main() -> None:
    """Prints one line for each."""
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for measured in (lambda: pictures(10), lambda: pictures(100), opening, drawing):
        print(measured(), flush=True)
    browser.close()


if __name__ == "__main__":
    main()
