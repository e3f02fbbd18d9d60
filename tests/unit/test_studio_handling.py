"""The mechanism under the mouse, and trials beside the session: hand, handles, sliders, comparisons."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc
from studio_room import Room
from vincolo.formats import load_model
from vincolo.formats.files import open_model
from vincolo.studio.draft import Draft
from vincolo.studio.opening import Opened, open_tree, template_tree
from vincolo.studio.session import Studio


@pytest.fixture(scope="module")
def crank():
    return template_tree("slider-crank")


@pytest.fixture
def room(crank, tmp_path):
    studio = Studio(Draft(Opened(crank, None, folder=tmp_path), tmp_path / "j"), journals=tmp_path / "j")
    yield Room(studio, 2)
    studio.end_run()
    studio.draft.close()


def test_the_mechanism_follows_the_hand_and_stays_closed(room):
    room.ask("take", body="crank", point=[0.07, 0, 0])  # away from the dead centre that it is drawn in
    room.ask("move", target=[0.1, 0.0, 0.1])
    room.ask("take", body="slider", point=[0, 0, 0])
    for x in np.linspace(0.55, 0.5, 5):
        room.ask("move", target=[float(x), 0.0, 0.0])
    state = room.studio._last_hand
    assert state["slider.x"] == pytest.approx(0.5, abs=1e-3)
    assert state["residual.position"] < 1e-9
    room.ask("move", target=[5.0, 0.0, 0.0])
    assert room.browsers[0].last("hand")["left"] > 4.0
    assert room.browsers[1].last("poses") is not None
    room.ask("drop")
    room.ask("take", body="crank", point=[0.07, 0, 0])  # again, from where it is
    assert "error" not in room.ask("move", target=[0.0, 0.0, 0.1])


def test_a_slider_shows_a_variant_and_leaves_the_model_alone(room):
    before = room.studio.draft.tree
    room.ask("slide", name="l", value=0.1)
    assert room.answered()["t"] == pytest.approx(2.0)
    assert room.browsers[1].last("scene")["runs"][0]["label"] == "l = 0.1"
    assert room.browsers[1].last("trial") == {"type": "trial", "on": False}
    assert room.studio.draft.tree is before


def test_a_trial_tells_how_far_it_is_is_replaced_by_a_newer_one_and_can_be_ended(room):
    """None of them keeps the session from answering others."""
    room.ask("enter", at=["run", "until"], text="100000", kind="number")
    begun = time.perf_counter()
    room.ask("slide", name="l", value=0.1)
    room.ask("slide", name="l", value=0.12)
    assert room.answered()["stopped"]
    room.work(lambda: (room.browsers[1].last("trial") or {}).get("on"))
    assert 0.0 <= room.browsers[1].last("trial")["share"] < 0.5
    assert room.browsers[1].last("trial")["text"] == "l = 0.12"
    assert "text" in room.ask("freedom")
    room.ask("cancel")
    assert room.answered()["stopped"]
    room.ask("compare", formulations=room.browsers[0].last("catalogue")["solvers"]["formulation"][:2])
    room.ask("enter", at=["parameters", "l"], text="0.2", kind="number")  # it would be one of the model before
    assert room.answered()["stopped"]
    assert room.browsers[1].last("trial") == {"type": "trial", "on": False}
    assert time.perf_counter() - begun < 20.0  # each of these runs takes minutes


def test_two_formulations_are_run_side_by_side(room):
    names = room.browsers[0].last("catalogue")["solvers"]["formulation"][:2]
    room.ask("compare", formulations=names)
    found = room.answered()["compared"]
    assert [row[0] for row in found] == names
    assert [run["label"] for run in room.browsers[0].last("scene")["runs"]] == names


def test_turning_a_body_and_a_joint(room):
    before = room.studio.draft.whole().model.bodies["slider"].orientation
    room.ask("turn", at=["bodies", "slider"], axis=[0, 0, 1], angle=30)
    R = room.studio.draft.whole().model.bodies["slider"].orientation
    assert np.allclose(R, np.asarray(vc.Rotation.axis_angle("z", 30, degrees=True).matrix) @ before, atol=1e-9)
    room.ask("turn", at=["joints", "cylinder"], axis=[0, 0, 1], angle=90)
    assert room.studio.draft.tree["joints"]["cylinder"]["axis"] == "y"
    room.ask("turn", at=["bodies", "slider"], axis=[0, 0, 1], angle=180)
    room.ask("turn", at=["bodies", "slider"], axis=[0, 0, 1], angle=150)
    assert np.allclose(room.studio.draft.whole().model.bodies["slider"].orientation, before, atol=1e-9)


def test_a_position_that_the_hand_made_is_kept_undone_and_saved(room, tmp_path):
    room.ask("take", body="crank", point=[0.07, 0, 0])
    room.ask("move", target=[0.1, 0.0, 0.1])
    wanted = {name: room.studio._last_hand[name] for name in ("main bearing.angle", "slider.x", "rod.z")}
    before = room.studio.draft.tree
    assert "error" not in room.ask("keep")
    start = room.studio.insight.state
    assert {name: start[name] for name in wanted} == pytest.approx(wanted, abs=1e-9)
    assert room.studio.draft.tree["drives"]["motor"]["function"].startswith("w*t ")  # it begins there
    assert room.studio.draft.undoable == ["begin here"]
    assert "draw it with the hand first" in room.ask("keep")["error"]
    room.ask("act", action={"do": "rename", "at": ["bodies", "rod"], "to": "conrod"})
    room.ask("save", path="kept.yaml")
    assert load_model(tmp_path / "kept.yaml").bodies["conrod"]
    assert open_model(tmp_path / "kept.yaml").start()["slider.x"] == pytest.approx(wanted["slider.x"], abs=1e-9)
    room.ask("take", body="crank", point=[0.07, 0, 0])
    room.ask("move", target=[0.12, 0.0, 0.05])
    room.ask("keep")
    assert room.studio.draft.tree["drives"]["motor"]["function"].count(" ") == 2  # one number, not two
    for _ in range(3):
        room.ask("undo")
    assert room.studio.draft.tree is before
    ramp = {"kind": "Ramp", "slope": 1}
    room.ask("act", action={"do": "change", "at": ["drives", "motor", "function"], "value": ramp})
    room.ask("take", body="crank", point=[0.07, 0, 0])
    room.ask("move", target=[0.1, 0.0, 0.1])
    assert "the drive 'motor' holds its measure elsewhere" in room.ask("keep")["error"]


def test_a_body_that_is_removed_begins_nowhere(room):
    room.ask("take", body="crank", point=[0.07, 0, 0])
    room.ask("move", target=[0.1, 0.0, 0.1])
    room.ask("keep")
    room.ask("act", action={"do": "remove", "at": ["bodies", "slider"], "dependents": "remove"})
    assert list(room.studio.draft.tree["run"]["position"]) == ["crank", "rod"]
    assert not room.studio.draft.reading.mistakes


LINKED = {"vincolo": 1, "points": {"P": [0.4, 0.0, 0.1], "F": ["=2*h", 0.0, 0.0]}, "parameters": {"h": 0.3},
          "bodies": {"arm": {"mass": 1.0, "inertia": 0.1, "at": [0.2, 0.0, 0.0]},
                     "leg": {"mass": 1.0, "inertia": 0.1, "at": [0.5, 0.0, 0.0]}},
          "frames": {"eye": {"on": "arm", "at": [0.3, 0.0, 0.0], "z": "y"}, "foot": {"on": "leg", "at": "F"}},
          "joints": {"O": {"kind": "revolute", "a": "ground", "b": "arm", "at": [0.0, 0.0, 0.0], "axis": "y"},
                     "knee": {"kind": "revolute", "a": "arm", "b": "leg", "at": "P", "axis": "y"},
                     "ankle": {"kind": "spherical", "a": "leg", "b": "ground", "at": "F"}}}


@pytest.fixture
def linked(tmp_path):
    studio = Studio(Draft(Opened(LINKED, None, folder=tmp_path), tmp_path / "j"), journals=tmp_path / "j")
    yield Room(studio)
    studio.draft.close()


def test_a_body_is_moved_with_its_joints_and_frames_or_alone(linked):
    tree = lambda: linked.studio.draft.tree  # noqa: E731
    told = linked.ask("shift", at=["bodies", "arm"], put=["bodies", "arm", "at"], value=[0.2, 0.0, 0.25], along=True)
    assert (told["along"], told["stays"]) == (["eye", "O", "knee"], [])
    assert tree()["bodies"]["arm"]["at"] == [0.2, 0.0, 0.25]
    assert (tree()["joints"]["O"]["at"], tree()["frames"]["eye"]["at"]) == ([0.0, 0.0, 0.25], [0.3, 0.0, 0.25])
    assert tree()["points"]["P"] == [0.4, 0.0, 0.35]
    arm = linked.studio.draft.whole().model.joints["O"].b  # on the arm, the joint is where it was
    assert arm.point == pytest.approx([-0.2, 0.0, 0.0])
    assert linked.studio.draft.undoable == ["move arm"]
    linked.ask("undo")
    assert tree() is LINKED
    linked.ask("shift", at=["bodies", "arm"], put=["bodies", "arm", "at"], value=[0.2, 0.0, 0.25])
    assert tree()["joints"] is LINKED["joints"]
    told = linked.ask("shift", at=["bodies", "leg"], put=["bodies", "leg", "at"], value=[0.6, 0.0, 0.0], along=True)
    assert told["stays"] == ["foot", "ankle"]  # their place is a formula


def test_what_is_placed_on_a_body_goes_along_anyway(tmp_path):
    example = Path(__file__).parents[2] / "examples" / "slider_crank.py"
    studio = Studio(Draft(open_tree(example), tmp_path / "j"), journals=tmp_path / "j")
    room, model = Room(studio), studio.draft.whole().model
    at = [float(x) for x in model.bodies["rod"].at]
    told = room.ask("shift", at=["bodies", "rod"], put=["bodies", "rod", "at"], value=[at[0], at[1], at[2] + 0.1])
    assert set(told["along"]) >= {name for name, joint in model.joints.items()
                                  if "rod" in (joint.a.body.name, joint.b.body.name)}
    for name in ("A", "B"):
        old, new = (m.joints[name] for m in (model, studio.draft.whole().model))
        assert new.b.point == pytest.approx(old.b.point, abs=1e-12)
    studio.draft.close()


def test_a_body_is_turned_with_its_joints_and_frames(linked):
    before = linked.studio.draft.whole().model
    told = linked.ask("turn", at=["bodies", "arm"], axis=[0, 0, 1], angle=90, along=True)
    assert told["along"] == ["eye", "O", "knee"]
    after = linked.studio.draft.whole().model
    for name in ("O", "knee"):  # seen from the arm, nothing has changed
        old, new = (m.joints[name].b if name == "O" else m.joints[name].a for m in (before, after))
        assert new.point == pytest.approx(old.point, abs=1e-12)
        assert new.axes[:, 2] == pytest.approx(old.axes[:, 2], abs=1e-12)
    assert after.frames["eye"].axes == pytest.approx(before.frames["eye"].axes, abs=1e-12)


def test_who_moves_a_handle_sees_what_will_be_and_the_model_stays(linked):
    before = linked.studio.draft.tree
    browser = linked.browsers[0]
    scenes = sum(m["type"] == "scene" for m in browser.heard)
    linked.ask("preview", at=["bodies", "arm"], put=["bodies", "arm", "at"], value=[0.2, 0.0, 0.3], along=True)
    assert browser.last("moving")["along"] == ["eye", "O", "knee"]
    assert sum(m["type"] == "scene" for m in browser.heard) == scenes + 1
    linked.ask("preview", at=["joints", "O"], put=["joints", "O", "at"], value=["=nothing", 0.0, 0.0])
    assert "nothing" in browser.last("moving")["error"]
    assert linked.studio.draft.tree is before


FOUR_BAR = """
bodies: {crank: {shape: {kind: link, radius: 0.01}}, coupler: {shape: {kind: link}}, rocker: {shape: {kind: link}}}
joints:
  D: {kind: revolute, a: rocker, b: ground, at: [0.35, 0, 0], axis: y}
  C: {kind: revolute, a: coupler, b: rocker, at: [0.35, 0, 0.2], axis: y}
  B: {kind: revolute, a: crank, b: coupler, at: [0.1, 0, 0], axis: y}
  A: {kind: revolute, a: ground, b: crank, at: [0, 0, 0], axis: y}
"""


@pytest.fixture
def linkage(tmp_path):
    path = tmp_path / "four_bar.yaml"
    path.write_text(FOUR_BAR)
    studio = Studio(Draft(open_tree(path), tmp_path / "j"), journals=tmp_path / "j")
    yield Room(studio, 1)
    studio.draft.close()


def test_a_link_goes_where_its_handle_puts_it_with_its_joints_and_its_mass(linkage):
    before = linkage.browsers[0].last("model")["masses"]["crank"]
    assert before["at"] == pytest.approx([0.05, 0, 0]) and before["mass"] == pytest.approx(7850 * np.pi * 1e-5)
    linkage.ask("shift", at=["bodies", "crank"], put=["bodies", "crank", "at"], value=[0.05, 0, -0.1], along=True)
    after = linkage.browsers[0].last("model")
    assert after["masses"]["crank"]["at"] == pytest.approx([0.05, 0, -0.1])
    assert after["masses"]["crank"]["mass"] == pytest.approx(before["mass"])
    assert after["tree"]["joints"]["A"]["at"] == pytest.approx([0, 0, -0.1])
    assert "at" not in after["tree"]["bodies"]["crank"]  # it still follows its joints
    linkage.ask("act", action={"do": "change", "at": ["joints", "A", "at"], "value": [-0.1, 0, -0.1]})
    assert linkage.browsers[0].last("model")["masses"]["crank"]["mass"] == pytest.approx(2 * before["mass"])


def test_a_new_drive_is_suggested_where_the_mechanism_can_follow(linkage):
    """The crank, though the rocker is first and last; of the rocker alone a motion to and fro that it can follow."""
    suggested = linkage.ask("suggest", joint=None)
    assert (suggested["measure"], suggested["function"]) == ("A.angle", "2*pi*t")
    rocker = linkage.ask("suggest", joint="D")
    assert rocker["measure"] == "D.angle" and rocker["function"].endswith("*sin(2*pi*t)")
    for wish in (suggested, rocker):
        m = linkage.studio.draft.whole().model.copy()
        m.drive(wish["measure"], wish["function"])
        assert vc.kinematics(m, 1.0).reason is None
