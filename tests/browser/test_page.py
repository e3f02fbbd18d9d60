"""The page of a result in a browser without network: it shows, plays, selects, measures and plots what was computed."""

import io
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import vincolo as vc
from browser import page, shot
from example_models import built

pytest.importorskip("trimesh")
image = pytest.importorskip("PIL.Image")

from vincolo.view import write_page  # noqa: E402

#: example, how long, and a body, a joint with a coordinate
SHOWN = [("slider_crank", 2.0, "slider", "O", "angle"), ("mcpherson", 2.0, "wheel", "road slide", "travel"),
         ("bricard", 3.0, "rod3", "P2", "angle"), ("five_bar", 3.0, "left", "left foot", "angle")]
DIGITS = 5.2e-6  # relative: half of the sixth digit, and the rounding of single precision


@cache
def run(name: str, until: float) -> vc.Result:
    return vc.simulate(built(name), until=until, outputs=200)


def canvas(tab) -> np.ndarray:
    """The pixels of the mechanism's picture."""
    tab.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return np.asarray(image.open(io.BytesIO(tab.locator("#scene").screenshot())).convert("RGB")).astype(int)


def number(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def cell(tab, name: str) -> float:
    """The number shown for a series."""
    return number(tab.locator(f'[data-value="{name}"]').inner_text())


def near(value: float, series: np.ndarray) -> object:
    return pytest.approx(value, rel=DIGITS, abs=1e-6 * np.abs(series).max() + 1e-12)


@pytest.mark.parametrize(("name", "until", "body", "joint", "coordinate"), SHOWN)
def test_page_shows_plays_selects_and_scrubs(name, until, body, joint, coordinate, tmp_path):
    result = run(name, until)
    with page(write_page(result, tmp_path / "page.html")) as tab:
        seen = canvas(tab)
        assert len(np.unique(seen.reshape(-1, 3), axis=0)) > 200  # not blank: many shades

        tab.evaluate("time => { vincolo.time = time }", float(result.t[77]))
        tab.evaluate("name => vincolo.select(name)", body)
        for end in ("x", "y", "z", "vx", "vz", "ax", "wy"):
            series = result[f"{body}.{end}"]
            assert cell(tab, f"{body}.{end}") == near(series[77], series)
        speed = np.linalg.norm(result.motion(body).velocity[77])
        assert cell(tab, f"{body}.speed") == pytest.approx(speed, rel=DIGITS, abs=1e-9)

        tab.locator(".tree").get_by_text(joint, exact=True).click()
        assert tab.evaluate("vincolo.state().selected") == joint
        series = result[f"{joint}.{coordinate}"]
        assert cell(tab, f"{joint}.{coordinate}") == near(series[77], series)
        for field in ("force", "torque"):
            series = np.linalg.norm(getattr(result.reaction(joint), field), axis=1)
            assert cell(tab, f"{joint}.reaction.{field}") == near(series[77], series)
        shot(tab, tmp_path, f"page_{name}")

        box = tab.locator("#slider").bounding_box()
        tab.mouse.click(box["x"] + 0.4 * box["width"], box["y"] + box["height"] / 2)
        now = tab.evaluate("vincolo.time")
        assert now == pytest.approx(0.4 * until, abs=0.03 * until)
        series = result[f"{joint}.{coordinate}"]
        tab.wait_for_timeout(100)
        assert cell(tab, f"{joint}.{coordinate}") == near(np.interp(now, result.t, series), series)

        before = canvas(tab)
        tab.click("#play")
        tab.wait_for_function("before => Math.abs(vincolo.time - before) > 0.2", arg=now)
        tab.keyboard.press("Space")
        assert tab.evaluate("vincolo.state().playing") is False
        assert (np.abs(canvas(tab) - before).max(axis=2) > 20).sum() > 100  # bodies have moved

        assert tab.errors == []
        assert [url for url in tab.asked if not url.startswith(("file:", "data:"))] == []


def test_clicking_a_body_selects_it_and_a_value_is_plotted(tmp_path):
    result = run("slider_crank", 2.0)
    with page(write_page(result, tmp_path / "page.html")) as tab:
        box = tab.locator("#scene").bounding_box()
        x, y = tab.evaluate("vincolo.where('rod')")  # its mass mark is in the middle of the bar
        plain = canvas(tab)
        tab.mouse.click(box["x"] + x, box["y"] + y)
        assert tab.evaluate("vincolo.state().selected") == "rod"
        assert (np.abs(canvas(tab) - plain).max(axis=2) > 20).sum() > 500  # it is highlighted
        tab.locator(".values button", has_text="speed").first.click()
        assert "rod.speed" in tab.evaluate("vincolo.state().plots")
        assert "rod.speed [m/s]" in tab.evaluate("vincolo.state().panels")
        tab.locator(".values button", has_text="speed").first.click()
        assert "rod.speed" not in tab.evaluate("vincolo.state().plots")
        tab.mouse.click(box["x"] + 15, box["y"] + box["height"] - 40)
        assert tab.evaluate("vincolo.state().selected") is None
        assert tab.errors == []


@pytest.mark.slow
def test_key_points_lie_where_they_were_put_and_move_with_their_body(tmp_path):
    """The crank's bar is 1 m long about (0, 0, 0): a point on its skin keeps its distance to the pivot."""
    result = run("slider_crank", 2.0)
    with page(write_page(result, tmp_path / "page.html")) as tab:
        tab.evaluate("() => { vincolo.show('mass', false); vincolo.show('load', false); vincolo.select('crank') }")
        canvas(tab)
        tab.get_by_role("button", name="Key point at click").click()
        box = tab.locator("#scene").bounding_box()
        x, y = tab.evaluate("vincolo.where('crank')")
        tab.mouse.click(box["x"] + x, box["y"] + y)
        tab.mouse.move(5, 5)
        start = np.array(tab.evaluate("vincolo.state().points[0].at"))
        assert np.linalg.norm(start - result.point("crank")[0]) < 0.1  # on the skin of a thin bar, near its middle
        found = [np.linalg.norm(start)]
        for k in (50, 120, 199):
            tab.evaluate("time => { vincolo.time = time }", float(result.t[k]))
            found.append(np.linalg.norm(tab.evaluate("vincolo.state().points[0].at")))
        assert found == pytest.approx([found[0]] * 4, rel=1e-6)
        tab.evaluate("vincolo.plot('crank point 1.z')")
        assert "crank point 1.z [m]" in tab.evaluate("vincolo.state().panels")
        shot(tab, tmp_path, "page_key_point")
        assert tab.errors == []


@pytest.mark.slow
def test_distances_and_angles_are_those_of_the_mechanism(tmp_path):
    """Crank 1 m, rod 2 m; joints are met in their middle, so the law of cosines gives the angle between them."""
    result = run("slider_crank", 2.0)
    with page(write_page(result, tmp_path / "page.html")) as tab:
        tab.evaluate("time => { vincolo.time = time; vincolo.look('front') }", float(result.t[30]))
        canvas(tab)
        tab.click("#measure")
        box = tab.locator("#scene").bounding_box()
        for joint in "OAB":
            x, y = tab.evaluate("name => vincolo.where(name)", joint)
            tab.mouse.click(box["x"] + x, box["y"] + y)
            if joint == "A":
                assert tab.evaluate("vincolo.state().measured.distance") == pytest.approx(1.0, rel=1e-6)
        across = result["slider.x"][30]
        angle = np.arccos((1 + 4 - across**2) / 4)
        assert tab.evaluate("vincolo.state().measured.angle") == pytest.approx(angle, abs=1e-5)
        canvas(tab)
        assert any(text.endswith("\u00b0") for text in tab.evaluate("vincolo.state().texts"))
        assert tab.errors == []


def test_forces_of_contact_are_red_while_they_slide_and_green_while_they_stick(tmp_path):
    m = vc.Model("slide")
    box = m.body("box", vc.shapes.box((0.2, 0.2, 0.1), mass=2.0), at=(0, 0, 0.05), velocity=(1.0, 0, 0))
    m.contact("floor", m.ground, box, "plane", friction=0.5)
    result = vc.simulate(m, 0.4, outputs=40, integrator=vc.integrators.Moreau(step=1e-3))
    with page(write_page(result, tmp_path / "page.html")) as tab:
        for kind, time, force in (("contact that slides", 0.1, 2.0 * 9.80665 * np.hypot(1.0, 0.5)),
                                  ("contact that sticks", 0.39, 2.0 * 9.80665)):
            tab.evaluate("time => { vincolo.time = time }", time)
            tab.evaluate("kind => vincolo.vectors(kind)", kind)
            canvas(tab)
            shown = [number(t.split()[0]) for t in tab.evaluate("vincolo.state().texts") if t.endswith(" N")]
            assert shown == [pytest.approx(force, rel=1e-3)], kind
        shot(tab, tmp_path, "page_contact")
        assert tab.errors == []


@pytest.mark.slow
def test_vectors_and_traces_and_labels_are_drawn_with_their_values(tmp_path):
    result = run("mcpherson", 2.0)
    with page(write_page(result, tmp_path / "page.html")) as tab:
        tab.evaluate("time => { vincolo.time = time; vincolo.select('wheel') }", float(result.t[60]))
        plain = canvas(tab)
        tab.evaluate("""() => { ['velocity', 'reaction force', 'spring force'].forEach(kind => vincolo.vectors(kind));
                              vincolo.trace('wheel'); vincolo.trace('strut'); vincolo.show('labels') }""")
        assert (np.abs(canvas(tab) - plain).max(axis=2) > 20).sum() > 1000
        texts = tab.evaluate("vincolo.state().texts")
        shown = {number(t.split()[0]) for t in texts if t.endswith(" m/s")}
        for body in ("wheel", "strut", "road"):
            speed = np.linalg.norm(result.motion(body).velocity[60])
            assert any(value == pytest.approx(speed, rel=1e-3) for value in shown)
        forces = {number(t.split()[0]) for t in texts if t.endswith(" N")}
        assert any(value == pytest.approx(abs(result["tyre.force"][60]), rel=1e-3) for value in forces)
        assert "ball joint" in texts
        shot(tab, tmp_path, "page_vectors")
        assert tab.errors == []


@pytest.mark.slow
def test_clicking_a_plot_moves_the_time(tmp_path):
    result = run("five_bar", 3.0)
    with page(write_page(result, tmp_path / "page.html", plots=["left foot.angle"])) as tab:
        canvas(tab)
        box = tab.locator(".plot canvas").bounding_box()
        tab.mouse.click(box["x"] + box["width"] - 14, box["y"] + 40)  # the right end of the axis
        assert tab.evaluate("vincolo.time") == pytest.approx(3.0, abs=0.02)
        tab.keyboard.press("Home")
        assert tab.evaluate("vincolo.time") == 0.0
        tab.keyboard.press("ArrowRight")
        assert tab.evaluate("vincolo.time") == result.t[1]
        tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
        assert "left foot.angle" in tab.locator(".readout").inner_text()
        assert tab.errors == []


@pytest.mark.slow
def test_the_camera_turns_zooms_and_fits(tmp_path):
    with page(write_page(run("bricard", 3.0), tmp_path / "page.html")) as tab:
        first = canvas(tab)
        box = tab.locator("#scene").bounding_box()
        tab.mouse.move(box["x"] + 100, box["y"] + 100)
        tab.mouse.down()
        tab.mouse.move(box["x"] + 260, box["y"] + 160, steps=4)
        tab.mouse.up()
        turned = canvas(tab)
        tab.mouse.wheel(0, -600)
        nearer = canvas(tab)
        assert (np.abs(turned - first).max(axis=2) > 20).sum() > 1000
        assert (np.abs(nearer - turned).max(axis=2) > 20).sum() > 1000
        tab.select_option("#view", "iso")
        assert (np.abs(canvas(tab) - first).max(axis=2) > 20).sum() < 50
        before = tab.evaluate("vincolo.where('rod3')")
        tab.click("#parallel")
        assert np.linalg.norm(np.subtract(tab.evaluate("vincolo.where('rod3')"), before)) > 1
        with tab.expect_download() as download:
            tab.click("#picture")
        saved = image.open(download.value.path())
        assert np.abs(np.subtract(saved.size, first.shape[1::-1])).max() <= 1  # the browser cuts parts of pixels
        assert tab.errors == []


@pytest.mark.slow
def test_a_second_result_is_a_ghost(tmp_path):
    fine = run("five_bar", 3.0)
    late = replace(fine, t=fine.t[:-40], y=fine.y[40:], turns=fine.turns[40:], reason="it was cut")
    with page(write_page([("fine", fine), ("late", late)], tmp_path / "page.html"), color_scheme="dark") as tab:
        tab.evaluate("() => { vincolo.time = 1.2; vincolo.select('left') }")
        canvas(tab)
        assert tab.evaluate("vincolo.state().runs") == ["fine", "late"]
        row = tab.locator('[data-value="left.x"] ~ td').first.inner_text()
        expected = np.interp(1.2, late.t, late["left.x"])
        assert number(row) == pytest.approx(expected, rel=DIGITS)
        assert "late: The run ended early" in tab.locator("#notes").inner_text()
        shot(tab, tmp_path, "page_ghost_dark")
        assert tab.errors == []


@pytest.mark.slow
def test_a_phone_sees_the_whole_page(tmp_path):
    with page(write_page(run("mcpherson", 2.0), tmp_path / "page.html"), 390, 844, is_mobile=True, has_touch=True,
              device_scale_factor=2) as tab:
        seen = canvas(tab)
        assert len(np.unique(seen.reshape(-1, 3), axis=0)) > 200
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        for control in ("#play", "#slider", "#view", "#picture"):
            box = tab.locator(control).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 390
        shot(tab, tmp_path, "page_phone")
        assert tab.errors == []


def hostile(result: vc.Result, kind: str) -> vc.Result:
    y = result.y.copy()
    if kind == "nan":
        y[100:] = np.nan
    if kind == "no finite sample":
        y[:] = np.nan
    if kind == "huge":
        y[150:, :3] = 1e200
    n = {"one sample": 1, "no length": 3}.get(kind, len(result))
    t = np.zeros(n) if kind == "no length" else result.t[:n]
    return replace(result, t=t, y=y[:n], turns=result.turns[:n], reason="it ended" if kind == "nan" else None)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["nan", "no finite sample", "huge", "one sample", "no length"])
def test_broken_results_open_with_a_note(kind, tmp_path):
    with page(write_page(hostile(run("bricard", 3.0), kind), tmp_path / "page.html"), 640, 400) as tab:  # small: quick
        canvas(tab)
        tab.evaluate("() => { vincolo.select('rod3'); vincolo.vectors('velocity'); vincolo.trace('rod3') }")
        tab.evaluate("vincolo.play()")
        canvas(tab)
        assert tab.locator("#notes p").first.is_visible()
        tab.keyboard.press("ArrowRight")
        assert tab.errors == []


def test_names_do_not_become_elements(tmp_path):
    model = vc.Model("</script><b id=evil>")
    bar = model.body("<img src=x onerror=alert(1) id=evil>", mass=1.0, inertia=0.1, at=(1, 0, 0))
    model.revolute("'\"</script><b id=evil>", model.ground, bar, at=(0, 0, 0), axis="y")
    model.frame("__proto__", bar, (1, 0, 0))
    result = vc.simulate(model, until=1.0, outputs=20)
    with page(write_page([("<b id=evil>", result)], tmp_path / "page.html"), 640, 400) as tab:
        for name in tab.evaluate("vincolo.state().parts"):
            tab.evaluate("name => vincolo.select(name)", name)
        tab.evaluate("vincolo.show('labels')")
        canvas(tab)
        assert tab.locator("#evil").count() == 0
        assert tab.evaluate("document.title") == "</script><b id=evil>"
        assert tab.errors == []
