"""What the viewer sends to browsers, as far as it goes without one: scenes, samples that come behind, poses, modes."""

from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc

pytest.importorskip("trimesh")

from viewed_arm import R, W, arm, linear_pendulum
from vincolo.plots.web import Blob
from vincolo.scene import scene_of
from vincolo.view.live.feeding import grow_message, poses_message, scene_message
from vincolo.view.live.messages import packed, unpacked
from vincolo.view.live.modes import FAR, first_vibration, swing, titles
from vincolo.view.live.shown import of_states

TYPES = {"f4": "<f4", "f8": "<f8", "u2": "<u2", "u4": "<u4"}


def loaded() -> vc.Model:
    model = arm()
    model.force("push", model.frame("tip", "weight", (2, 0, -1)), ("sin(t)", 0, "t"))
    return model


@pytest.fixture(scope="module")
def result() -> vc.Result:
    return vc.simulate(loaded(), until=3.0, outputs=300)


def array(numbers: bytes, reference: list) -> np.ndarray:
    kind, first, count = reference
    return np.frombuffer(numbers, TYPES[kind], count, first)


def test_a_message_with_numbers_comes_back() -> None:
    for text in ("", "a", "longer text", "\u00fc\u4e2d</script>"):
        blob = Blob()
        places = [blob.put(np.arange(5.0), kind) for kind in ("<f4", "<f8", "<u2")]
        message, numbers = unpacked(packed({"type": "x", "text": text, "places": places}, blob))
        assert message["text"] == text
        for place in message["places"]:
            assert array(numbers, place).tolist() == [0, 1, 2, 3, 4]


def cut(result: vc.Result, which: slice) -> vc.Result:
    return replace(result, t=result.t[which], y=result.y[which], turns=result.turns[which])


def test_samples_that_come_behind_are_those_of_the_whole(result: vc.Result) -> None:
    """A run sent in two pieces has the numbers of the run sent at once."""
    whole, numbers = unpacked(scene_message("arm", [("", result)]))
    first, some = unpacked(scene_message("arm", [("", cut(result, slice(0, 120)))]))
    rest, others = unpacked(grow_message(cut(result, slice(120, None)), result, growing=False))
    run, begun, behind = whole["runs"][0], first["runs"][0], rest["run"]

    def same(a: list, b: list, c: list) -> bool:
        return np.array_equal(array(numbers, a), np.concatenate([array(some, b), array(others, c)]), equal_nan=True)

    assert same(run["t"], begun["t"], behind["t"])
    for a, b, c in zip(run["bodies"], begun["bodies"], behind["bodies"], strict=True):
        assert a["name"] == b["name"] == c["name"]
        assert a["pose"] is None or all(same(*three) for three in zip(a["pose"], b["pose"], c["pose"], strict=True))
    assert set(run["series"]) == set(behind["series"])
    for name, (_, reference) in run["series"].items():
        assert reference is None or same(reference, begun["series"][name][1], behind["series"][name][1]), name
    push = next(part for part in run["parts"] if part["name"] == "push")
    early = next(part for part in begun["parts"] if part["name"] == "push")
    assert all(same(*three) for three in zip(push["vector"], early["vector"], behind["loads"]["push"], strict=True))
    assert behind["notes"] == []


def test_poses_are_the_places_of_all_bodies(result: vc.Result) -> None:
    message, numbers = unpacked(poses_message(result.state(100)))
    bar, weight = array(numbers, message["poses"]).reshape(2, 7)
    assert bar[:3] == pytest.approx(R * np.array([np.cos(W), 0.0, -np.sin(W)]), abs=1e-6)
    assert abs(bar[3:] @ (np.cos(W / 2), 0.0, np.sin(W / 2), 0.0)) == pytest.approx(1.0, abs=1e-6)
    assert weight[:2] == pytest.approx((2.0, 0.0), abs=1e-6)


def test_a_picture_of_one_state_has_no_excuses_and_shapes_alone_no_series(result: vc.Result) -> None:
    message, _ = unpacked(scene_message("arm", [("", of_states([result.state(100)]))], series=False))
    run = message["runs"][0]
    assert run["notes"] == [] and run["series"] == {} and message["plots"] == []
    assert run["items"] and all(part["series"] == [] for part in run["parts"])


def test_runs_that_failed_and_lost_samples_are_told(result: vc.Result) -> None:
    y = result.y.copy()
    y[200:210, 2] = np.nan
    broken = replace(result, y=y, reason="it blew up")
    notes = " ".join(unpacked(scene_message("arm", [("", broken)]))[0]["runs"][0]["notes"])
    assert "10 of 301 samples are not finite" in notes and "ended early" in notes and "it blew up" in notes


def test_a_mode_swings_to_both_sides_as_far_as_asked() -> None:
    linear = linear_pendulum()
    scene = scene_of(linear.state.system)
    motion = swing(linear, scene, 0, amplitude=0.5)
    x = motion["bob.x"]
    lowest = -min(item.mesh.vertices[:, 2].min() - 1.0 for item in scene.items if item.body == "bob")
    angle_of_it = 0.5 * FAR * scene.size / lowest
    assert x[0] == pytest.approx(0.0, abs=1e-12)
    assert x[len(x) // 4] == pytest.approx(-x[3 * len(x) // 4])
    assert abs(x).max() == pytest.approx(angle_of_it, rel=0.02)  # a displacement along the tangent


def test_modes_are_listed_with_their_frequency() -> None:
    linear = linear_pendulum()
    assert titles(linear) == [f"1: {np.sqrt(9.80665) / (2 * np.pi):.4g} Hz"]
    assert first_vibration(linear) == 0
