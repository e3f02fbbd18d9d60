"""A study in a real browser: variants come as they are done, and one that is chosen in a picture is run and shown."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vincolo as vc
from browser import page, shot
from linkages import pushed_pendulum
from vincolo.studies.study import Progress, prepared, studied
from vincolo.view.live import StudyViewer, show_study, watch_study

pytest.importorskip("websockets")

PARAMETERS = {"bob.mass": (1.0, 3.0, 5), "push.y": (0.0, 30.0, 4)}
OUTPUTS = ["max bob.vx", "final bob.z"]


def state(tab: Any) -> Any:
    return tab.evaluate("() => window.vincolo.study.state()")


def click(tab: Any, where: str, number: int) -> None:
    tab.mouse.click(*tab.evaluate("([where, number]) => window.vincolo.study[where](number)", [where, number]))


READY = ("() => window.vincolo && window.vincolo.study && window.vincolo.study.state().done > 0"
         " && window.vincolo.study.state().drawn")
SHOWN = "(number) => window.vincolo.state && window.vincolo.state().runs[0] === `variant ${number}`"


def test_a_running_study_grows_and_its_variants_open_by_a_click(tmp_path: Path) -> None:
    subject, plan = prepared(pushed_pendulum(), PARAMETERS, OUTPUTS, until=1.0, times=60)
    go, half = threading.Event(), threading.Event()

    def heard(start: int, found: Any) -> None:
        viewer.heard(start, found)
        if start >= 6 and not half.is_set():
            viewer.tell(Progress(start + len(found.values), 0, 20, 1.0, 10.0, 1.0))
            half.set()
            go.wait(60)

    with StudyViewer(subject, plan, port=0) as viewer:
        work = threading.Thread(target=lambda: viewer.finish(studied(subject, plan, how="serial", watch=heard,
                                                                     progress=viewer.tell)))
        work.start()
        half.wait(60)
        with page(viewer.url) as tab:
            tab.wait_for_function(READY)
            before = state(tab)
            assert 6 < before["done"] < 20 and before["count"] == 20 and before["share"] == before["done"] / 20
            assert "of 20 variants" in before["line"] and "per second" in before["line"]
            go.set()
            tab.wait_for_function("() => window.vincolo.study.state().done === 20")
            work.join()
            tab.wait_for_function("() => window.vincolo.study.state().line.endsWith('none failed')")
            # a dot, then a line
            click(tab, "dot", 7)
            tab.wait_for_function(SHOWN, arg=7)
            tab.wait_for_function("() => window.vincolo.study.state().told === 'It is shown beside.'")
            read = "() => [...window.vincolo.live.player.runs[0].series.get('bob.vx').values]"
            assert max(tab.evaluate(read)) == pytest.approx(viewer.study["max bob.vx"][7], rel=1e-5)
            click(tab, "lineAt", 15)
            number = state(tab)["chosen"]
            tab.wait_for_function(SHOWN, arg=number)
            assert max(tab.evaluate(read)) == pytest.approx(viewer.study["max bob.vx"][number], rel=1e-5)
            shot(tab, tmp_path, "study_live")
            assert tab.errors == [] and all(a.startswith((viewer.url, "data:", "blob:")) for a in tab.asked)


@pytest.mark.slow
def test_variants_that_cannot_be_and_wrong_messages_are_answered() -> None:
    found = vc.study(pushed_pendulum(), {"bob.mass": [-3.0, 1.0]}, OUTPUTS, until=0.5, times=20, how="serial")
    with show_study(found, port=0, open_browser=False, block=False) as viewer, page(viewer.url) as tab:
        tab.wait_for_function("() => window.vincolo && window.vincolo.study && window.vincolo.study.state().done === 1")
        assert "1 failed" in state(tab)["line"]
        tab.evaluate("() => window.vincolo.study.choose(0)")
        tab.wait_for_function("() => window.vincolo.study.state().told.startsWith('It cannot be run')")
        for wrong in ({"type": "open", "variant": 99}, {"type": "open", "variant": "<b>"}, {"type": "walk"}):
            tab.evaluate("(message) => window.vincolo.live.link.send(message)", wrong)
        tab.wait_for_function("() => document.querySelectorAll('#told p').length === 3")
        assert "is not the number of a variant, from 0 to 1" in tab.locator("#told p").nth(1).inner_text()
        assert not tab.errors


def test_a_page_alone_holds_the_best_and_names_the_way_to_others(tmp_path: Path) -> None:
    found = vc.study(pushed_pendulum(), PARAMETERS, OUTPUTS, until=1.0, times=60, how="serial")
    written = found.show(tmp_path / "study.html")
    held = {found.best(name, largest) for name in OUTPUTS for largest in (False, True)}
    with page(written) as tab:
        tab.wait_for_function("() => window.vincolo && window.vincolo.state && window.vincolo.state().pictures > 0")
        assert state(tab)["done"] == 20 and state(tab)["chosen"] in held
        other = next(k for k in range(20) if k not in held)
        click(tab, "dot", other)
        assert f"found.run({other}).show()" in state(tab)["told"]
        tab.locator("#study .variant button").click()
        assert state(tab)["chosen"] in held and tab.evaluate(SHOWN, state(tab)["chosen"])
        best = found.best("final bob.z")
        tab.locator("#study input").fill(str(best))
        tab.locator("#study input").press("Enter")
        tab.wait_for_function(SHOWN, arg=best)
        shot(tab, tmp_path, "study_alone")
        assert tab.errors == []
    assert written.stat().st_size < 1e6


@pytest.mark.slow
def test_a_front_is_that_of_the_goals_and_functions_have_no_stage(tmp_path: Path) -> None:
    found = vc.study(lambda x, y: {"a": x, "b": 1 / (1 + x) + y}, {"x": (0, 1), "y": (0, 1)}, ["a", "b"], plan="sobol",
                     samples=64, how="serial")
    a, b = found["a"], found["b"]
    best = {k for k in range(64) if not ((a <= a[k]) & (b <= b[k]) & ((a < a[k]) | (b < b[k]))).any()}
    with page(found.show(tmp_path / "front.html"), 900, 700) as tab:
        tab.wait_for_function("() => window.vincolo && window.vincolo.study.state().done === 64")
        tab.locator("#study select").nth(0).select_option("2")
        tab.locator("#study select").nth(1).select_option("3")
        tab.locator("#study select").nth(3).select_option("1 1")
        assert set(state(tab)["front"]) == best
        click(tab, "dot", min(best))
        assert state(tab)["chosen"] == min(best) and not tab.locator("#stage").is_visible()
        shot(tab, tmp_path, "study_front")
        assert tab.errors == []


def test_a_study_is_watched_and_returned() -> None:
    found = watch_study(pushed_pendulum(), {"bob.mass": [1.0, 2.0]}, OUTPUTS, until=0.3, times=10, how="serial", port=0,
                        open_browser=False, block=False)
    assert found.complete and np.isfinite(found.values).all()
    with pytest.raises(vc.ModelError, match="progress= has no effect here"):
        watch_study(pushed_pendulum(), {"bob.mass": [1.0]}, OUTPUTS, until=0.3, progress=True)
