"""The page whose hardpoints can be moved: what it shows follows points and file, and nobody else can ask it."""

import json
import os
import urllib.error
import urllib.request

import openpyxl
import pytest

import vincolo as vc
from served_design import served_design


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with served_design(tmp_path_factory.mktemp("page")) as (path, design, address):
        yield path, design, address.rstrip("/")


def ask(address, data=None, headers=None):
    body = None if data is None else json.dumps(data).encode()
    with urllib.request.urlopen(urllib.request.Request(address, body, headers or {}), timeout=60) as answer:
        return answer.read()


def move(address, role, axis, value, name="front"):
    return json.loads(ask(f"{address}/move", {"name": name, "role": role, "axis": axis, "value": value}))


def test_a_point_that_is_moved_changes_the_curves_and_the_text_for_the_command_line(page):
    _, design, address = page
    before = json.loads(ask(f"{address}/state"))
    assert before["points"]["front"]["tie_inner"] == [62, 222, 146] and before["moved"] == []
    after = move(address, "tie_inner", "z", 150)
    assert after["moved"] == ["--set front_tie_inner.z=150mm"] and after["mark"] == before["mark"] + 1
    shown = ask(f"{address}/report").decode()
    assert "in the file" in shown and "Hardpoints" in shown
    wanted = vc.vehicle.curves(vc.vehicle.example("fs u-bar").moved("tie_inner", (0, 0, 0.004)), count=5)
    assert f"{abs(57.2957795 * wanted.at('left.bump_steer')):.2f}" in shown
    back = json.loads(ask(f"{address}/reset", {}))
    assert back["moved"] == [] and back["points"] == before["points"] and design.trouble == ""


def test_points_that_cannot_be_are_told_and_nothing_moves(page):
    _, _, address = page
    before = json.loads(ask(f"{address}/state"))
    for role, axis, value, words in (
        ("tie_inner", "y", -222, "on the right"),
        ("tie_inner", "w", 1, "no coordinate 'w'"),
        ("upright", "x", 1, "no coordinate"),
        ("tie_inner", "x", "a", "a number"),
        ("tie_inner", "x", 1e999, "cannot be moved"),
    ):
        told = move(address, role, axis, value)
        assert words in told["trouble"] and told["points"] == before["points"]
    assert json.loads(ask(f"{address}/state"))["mark"] == before["mark"]


def test_the_page_follows_the_file_and_tells_what_is_wrong_with_it(page):
    path, _, address = page
    book = openpyxl.load_workbook(path)
    cell = next(row[3] for row in book["Points"].iter_rows() if row[0].value == "front_tie_inner")
    for value, z, words in ((149, 149, ""), (-990000, 149, "look like millimetres"), (146, 146, "")):
        cell.value = value
        book.save(path)
        os.utime(path, ns=(0, json.loads(ask(f"{address}/state"))["mark"] * 10**9 + path.stat().st_mtime_ns))
        found = json.loads(ask(f"{address}/state"))
        assert found["points"]["front"]["tie_inner"][2] == z and words in found["trouble"]


def test_only_the_page_itself_can_ask(page):
    _, _, address = page
    host = address.rpartition("/")[0]
    for where, headers in (
        (f"{host}/state", {}),
        (f"{address}/state", {"Host": "evil.example"}),
        (f"{address}/state", {"Origin": "http://evil.example"}),
    ):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            ask(where, headers=headers)
    with pytest.raises(urllib.error.HTTPError, match="413"):
        ask(f"{address}/move", "x" * 20000)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        ask(f"{address}/other")
