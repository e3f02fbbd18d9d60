"""Pages of plots in a browser without network: values under the pointer, zoom, legend, and files from the page."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc
from browser import page, shot
from linkages import pendulum
from vincolo.plots import plot, plot3d
from vincolo.tables.table_files import read_table


@pytest.fixture(scope="module")
def result():
    model = pendulum()
    model.frame("<b>odd</b>", model.bodies["bar"], (1, 0, 0))
    return vc.simulate(model, 1.0, outputs=50)


def pixel(tab, x: float, y: float = 0.5, panel: int = 0) -> tuple[float, float]:
    """The place of x in a panel on the screen, and a share of its height."""
    now = tab.evaluate("k => vincolo.state()[0].panels[k]", panel)
    box = tab.locator(".area").nth(panel).bounding_box()
    share = (x - now["x"][0]) / (now["x"][1] - now["x"][0])
    return box["x"] + 70 + share * (box["width"] - 84), box["y"] + y * box["height"]


def test_values_zoom_and_legend(result, tmp_path):
    with page(result.plot("bar.x", "bar.y", "O.angle", path=tmp_path / "p.html")) as tab:
        first, second = tab.evaluate("vincolo.state()[0].panels")
        assert (first["title"], second["title"]) == ("bar.x, bar.y [m]", "O.angle [rad]") and first["x"] == [0, 1]
        assert first["y"][0] < min(result["bar.y"]) and first["y"][1] > max(result["bar.x"])
        tab.mouse.move(*pixel(tab, 0.5))
        told = tab.locator(".readout").first.inner_text()
        assert "t = 0.500000 s" in told and f"{result['bar.x'][25]:.5f}"[:6] in told
        shot(tab, tmp_path, "plot")
        tab.mouse.move(*pixel(tab, 0.2))
        tab.mouse.down()
        tab.mouse.move(*pixel(tab, 0.6), steps=4)
        tab.mouse.up()
        assert [p["x"] for p in tab.evaluate("vincolo.state()[0].panels")] == [pytest.approx([0.2, 0.6], abs=0.01)] * 2
        tab.get_by_text("All", exact=True).click()
        assert tab.evaluate("vincolo.state()[0].panels[0].x") == [0, 1]
        tab.get_by_role("button", name="bar.x").click()
        assert tab.evaluate("vincolo.state()[0].panels[0].y[1]") < 0.5  # bar.y alone
        assert not tab.errors and len(tab.asked) == 1


@pytest.mark.slow
def test_files_from_the_page(result, tmp_path):
    names = ("bar.x", "O.angle", "<b>odd</b>.x")
    with page(result.plot(*names, path=tmp_path / "p.html", title='odd </svg> & "so"'), accept_downloads=True) as tab:
        saved = {}
        for kind in ("CSV", "SVG", "PNG"):
            with tab.expect_download() as waiting:
                tab.get_by_text(kind, exact=True).click()
            saved[kind] = waiting.value.path().read_bytes()
            assert waiting.value.suggested_filename.endswith(f".{kind.lower()}")
        (tmp_path / "again.csv").write_bytes(saved["CSV"])
        table = read_table(tmp_path / "again.csv")
        for name in names:
            assert np.array_equal(table[name], result[name])  # all digits
        assert table.unit("O.angle") == "rad"
        texts = [t.text for t in ET.fromstring(saved["SVG"]).iter("{http://www.w3.org/2000/svg}text")]
        assert {"t [s]", "O.angle [rad]", "<b>odd</b>.x", 'odd </svg> & "so"'} <= set(texts)
        assert saved["PNG"].startswith(b"\x89PNG") and len(saved["PNG"]) > 10_000 and not tab.errors


@pytest.mark.slow
def test_paths_in_a_plane_are_to_scale_and_tell_the_nearest_point(result, tmp_path):
    with page(result.plot("bar.y", against="bar.x", path=tmp_path / "p.html"), 800, 700) as tab:
        panel = tab.evaluate("vincolo.state()[0].panels[0]")
        width, height = panel["size"][0] - 84, panel["size"][1] - 46
        assert np.ptp(panel["x"]) / width == pytest.approx(np.ptp(panel["y"]) / height)
        tab.mouse.move(*pixel(tab, float(result["bar.x"][10])))
        assert "bar.x = " in tab.locator(".readout").first.inner_text()
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth") and not tab.errors


@pytest.mark.slow
def test_decades_space_and_gaps(result, tmp_path):
    with page(plot(result, "residual.*", log=True, path=tmp_path / "l.html")) as tab:
        assert all(0 < p["y"][0] < p["y"][1] for p in tab.evaluate("vincolo.state()[0].panels")) and not tab.errors
    with page(plot3d(result, "bar", path=tmp_path / "s.html")) as tab:
        assert tab.evaluate("vincolo.state()[0].paths") == ["bar"]
        before = tab.evaluate("vincolo.svg()")
        tab.mouse.move(600, 400)
        tab.mouse.down()
        tab.mouse.move(700, 430)
        tab.mouse.up()
        assert tab.evaluate("vincolo.svg()") != before and not tab.errors
        shot(tab, tmp_path, "plot3d")
    (tmp_path / "m.csv").write_text("t [s],a [m]\n0,1\n1,inf\n2,nan\n3,4\n")
    with page(plot(read_table(tmp_path / "m.csv"), "a", path=tmp_path / "g.html")) as tab:
        assert tab.evaluate("vincolo.csv()") == "t [s],a [m]\n0,1\n1,nan\n2,nan\n3,4\n" and not tab.errors


@pytest.mark.parametrize("width", [1280, 800, 400])
def test_every_control_of_the_player_is_seen(result, tmp_path, width):
    shown = replace(result, settings=replace(result.settings, channels=("bar.y", "O.angle.rate")))
    with page(shown.show(tmp_path / "p.html"), width, 700, accept_downloads=True) as tab:
        assert tab.evaluate("vincolo.state().plots") == ["bar.y", "O.angle.rate"]  # those of the model's file
        for name in ("view", "parallel", "fit", "measure", "picture", "play", "back", "ahead", "slider", "speed",
                     "loop"):
            box = tab.locator(f"#{name}").bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= 700, name
        shot(tab, tmp_path, f"page_{width}")
        with tab.expect_download() as waiting:
            tab.locator(".savers").first.get_by_text("CSV").click()
        (tmp_path / "again.csv").write_bytes(waiting.value.path().read_bytes())
        assert read_table(tmp_path / "again.csv")["bar.y"] == pytest.approx(result["bar.y"], abs=1e-6)
        with tab.expect_download() as waiting:
            tab.locator(".savers").first.get_by_text("SVG").click()
        assert b"bar.y [m]" in waiting.value.path().read_bytes() and not tab.errors
