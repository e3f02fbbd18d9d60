"""The page of a result: one file, small, complete, harmless; broken results are told, not hidden."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import vincolo as vc

pytest.importorskip("trimesh")

from vincolo.errors import ModelError  # noqa: E402
from vincolo.view import page_html, write_page  # noqa: E402

TYPES = {"f4": "<f4", "f8": "<f8", "u2": "<u2", "u4": "<u4"}


def pendulum(name: str = "pendulum", body: str = "bar", joint: str = "O") -> vc.Model:
    model = vc.Model(name, gravity=(0, 0, -9.81))
    bar = model.body(body, mass=2.0, inertia=(0.01, 0.2, 0.2), at=(0.5, 0, 0), com=(0.1, 0, 0))
    model.revolute(joint, model.ground, bar, at=(0, 0, 0), axis="y")
    return model


@pytest.fixture(scope="module")
def result() -> vc.Result:
    model = pendulum()
    model.spring("spring", model.ground.frame((0, 0, 1)), model.bodies["bar"].frame((1, 0, 0)), k=50.0, c=1.0)
    model.torque("motor", "bar", (0, "sin(t)", 0))
    model.frame("tip", "bar", (1, 0, 0))
    return vc.simulate(model, until=2.0, outputs=100)


class Reader(HTMLParser):
    """Elements with their attributes, and the texts of scripts by their id."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._inside: str | None = None
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = dict(attrs).get("id") or tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is not None:
            self.texts[self._inside] = self.texts.get(self._inside, "") + data

    @property
    def data(self) -> dict:
        return json.loads(self.texts["vincolo-data"])

    def array(self, reference: list) -> np.ndarray:
        kind, first, count = reference
        return np.frombuffer(base64.b64decode(self.texts["vincolo-numbers"]), TYPES[kind], count, first)


def test_series_and_places_come_back_from_the_page(result):
    read = Reader(page_html(result))
    run = read.data["runs"][0]
    assert np.array_equal(read.array(run["t"]), result.t)
    for name in result.keys()[1:]:
        unit, reference = run["series"][name]
        assert unit == result.unit(name)
        if reference is not None:
            assert read.array(reference) == pytest.approx(result[name], rel=1e-7, abs=1e-30)
    bar = next(body for body in run["bodies"] if body["name"] == "bar")
    pose = np.array([read.array(column) for column in bar["pose"]])
    assert np.abs(pose[:3].T - result.point("bar")).max() < 1e-7
    assert np.linalg.norm(pose[3:], axis=0) == pytest.approx(1, abs=1e-6)


def test_every_series_belongs_to_one_part(result):
    parts = Reader(page_html(result)).data["runs"][0]["parts"]
    owned = [name for part in parts for name in part["series"]]
    assert sorted(owned) == sorted(result.keys()[1:])
    of = {part["name"]: part["series"] for part in parts}
    assert "O.reaction.force" in of["O"] and "spring.force" in of["spring"] and "tip.vx" in of["tip"]
    assert "energy.total" in of["whole mechanism"]


def test_every_shape_belongs_to_a_part_and_its_triangles_to_its_vertices(result):
    read = Reader(page_html(result))
    run = read.data["runs"][0]
    for shape in run["items"] + run["links"]:
        vertices, faces = (read.array(reference) for reference in shape["mesh"])
        assert 0 <= shape["part"] < len(run["parts"])
        assert len(vertices) % 3 == 0 and faces.max() < len(vertices) // 3


def test_loads_follow_their_functions(result):
    read = Reader(page_html(result))
    motor = next(part for part in read.data["runs"][0]["parts"] if part["name"] == "motor")
    assert read.array(motor["vector"][1]) == pytest.approx(np.sin(result.t), abs=1e-6)


def test_equal_arrays_are_kept_once():
    """Of a planar pendulum y, vy, ay, wx and more are zero throughout."""
    read = Reader(page_html(vc.simulate(pendulum(), until=1.0, outputs=50)))
    series = read.data["runs"][0]["series"]
    assert series["bar.y"][1] == series["bar.vy"][1] == series["bar.wz"][1]


def test_nothing_is_loaded_from_elsewhere(result):
    page = page_html(result)
    for tag, given in Reader(page).tags:
        assert not {"src", "action", "data", "srcset"} & set(given), tag
        assert given.get("href", "data:,") == "data:,"
    text = re.sub(rb'<script type="text/plain".*?</script>', b"", page, flags=re.S)
    text = text.replace(b"http://www.w3.org/2000/svg", b"").replace(b"url(#", b"")  # a name, and places in the page
    assert b"http://" not in text and b"https://" not in text and b"@import" not in text and b"url(" not in text


def test_names_cannot_become_html():
    evil = "</script><b>{{script}}"
    made = vc.simulate(pendulum(f"{evil} model", f"{evil} bar", '"><img src=x onerror=alert(1)>'), until=1.0, outputs=5)
    plain = vc.simulate(pendulum(), until=1.0, outputs=5)
    read = Reader(page_html([("<i>one</i>", made)]))
    assert [tag for tag, _ in read.tags] == [tag for tag, _ in Reader(page_html(plain)).tags]
    assert read.data["title"] == f"{evil} model" and read.texts["title"] == f"{evil} model"
    assert read.data["runs"][0]["label"] == "<i>one</i>"


def test_only_the_script_of_the_page_may_run(result):
    """The policy names the hash of the one script; a text that got in by any way would not run."""
    read = Reader(page_html(result))
    policy = next(given["content"] for tag, given in read.tags if given.get("http-equiv"))
    digest = base64.b64encode(hashlib.sha256(read.texts["script"].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in str(policy) and "default-src 'none'" in str(policy)


def test_large_results_are_thinned_evenly_with_a_note():
    result = vc.simulate(pendulum(), until=10.0, outputs=20000)
    page = page_html(result, max_mb=0.5)
    read = Reader(page)
    run = read.data["runs"][0]
    t = read.array(run["t"])
    assert len(page) <= 0.5e6
    assert len(page) > 0.3e6  # no more is left out than needed
    assert t[0] == 0.0 and t[-1] == 10.0 and np.diff(t).max() <= 2.5 * np.diff(t).min()
    assert f"{len(t)} of 20001 samples" in run["notes"][0]


def test_a_page_that_cannot_be_small_enough_is_refused(result):
    with pytest.raises(ModelError, match="max_mb="):
        page_html(result, max_mb=0.01)


def test_results_that_ended_early_or_are_not_finite_are_shown_with_notes(result):
    y = result.y.copy()
    y[60:] = np.nan
    read = Reader(page_html(replace(result, y=y, reason="the step became too small")))
    run = read.data["runs"][0]
    assert "ended early" in run["notes"][0] and "the step became too small" in run["notes"][0]
    assert "41 of 101 samples are not finite" in run["notes"][1]
    pose = np.array([read.array(c) for c in run["bodies"][1]["pose"]])
    assert np.isfinite(pose).all()
    assert np.array_equal(pose[:, -1], pose[:, 59])  # it stays where it last was
    assert np.isnan(read.array(run["series"]["bar.x"][1])[60:]).all()  # values are not made up


def test_one_sample_is_shown_with_a_note(result):
    single = replace(result, t=result.t[:1], y=result.y[:1], turns=result.turns[:1])
    assert "one sample only" in Reader(page_html(single)).data["runs"][0]["notes"][0]


def test_an_empty_result_is_refused_with_its_reason(result, tmp_path):
    empty = replace(result, t=result.t[:0], y=result.y[:0], turns=result.turns[:0], reason="it never began")
    with pytest.raises(ModelError, match=r"no samples\.\n  it never began"):
        write_page(empty, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("wrong", "message"), [
    ({"plots": ["bar.q"]}, "no channel called 'bar.q'"), ({"fps": 0}, "fps is 0"), ({"fps": "60"}, "fps is '60'"),
    ({"max_mb": float("nan")}, "max_mb is nan")])
def test_wrong_arguments_are_told(result, wrong, message):
    with pytest.raises(ModelError, match=re.escape(message)):
        page_html(result, **wrong)


@pytest.mark.parametrize("wrong", [None, "result", [], [("a", 1)], [1, 2]])
def test_what_is_no_result_is_refused(wrong):
    with pytest.raises(ModelError, match="Pass a result, or pairs of a label and a result"):
        page_html(wrong)


def test_the_name_of_the_file_must_tell_that_it_is_a_page(result, tmp_path):
    with pytest.raises(ModelError, match=r"does not end in \.html"):
        write_page(result, tmp_path / "page.png")
    assert write_page(result, tmp_path / "page.html", title="A & B").read_bytes().count(b"A &amp; B") == 2


def test_plots_begin_with_moving_coordinates_and_energies_or_as_asked(result):
    assert Reader(page_html(result)).data["plots"][0] == "O.angle"
    assert Reader(page_html(result, ["bar.v?", "t"])).data["plots"] == ["bar.vx", "bar.vy", "bar.vz"]
