"""What the studio answers to browsers, without one: messages in, messages out."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import vincolo as vc
from vincolo.cli.app import app
from vincolo.formats import load_model
from vincolo.formats.files import open_model
from vincolo.studio.draft import Draft
from vincolo.studio.opening import EMPTY, Opened, template_tree
from vincolo.studio.session import Studio, value_of
from vincolo.view.live.messages import unpacked


class Browser:
    """A browser that keeps what it is told."""

    def __init__(self):
        self.heard, self.kept = [], {}

    def send(self, message, replaces=""):
        self.heard.append(unpacked(message)[0] if isinstance(message, bytes) else json.loads(json.dumps(message)))

    def last(self, kind):
        return next((m for m in reversed(self.heard) if m["type"] == kind), None)


class Room:
    """A server that does at once what is asked for."""

    def __init__(self, studio, count=1):
        self.studio, self.browsers, self.calls = studio, [Browser() for _ in range(count)], []
        studio.attach(self)
        for browser in self.browsers:
            studio.on_open(browser)

    def broadcast(self, message, replaces="", but=None):
        for browser in self.browsers:
            browser.send(message, replaces)

    def call(self, what):
        self.calls.append(what)

    def work(self, until, most=20.0):
        """Does what other threads ask for, until something is true."""
        end = time.monotonic() + most
        while not until() and time.monotonic() < end:
            while self.calls:
                self.calls.pop(0)()
            time.sleep(0.005)
        assert until()

    def ask(self, what, /, **data):
        self.studio.on_message(self.browsers[0], {"type": what, "id": 1, **data})
        return self.browsers[0].last("done")


@pytest.fixture(scope="module")
def crank():
    return template_tree("slider-crank")


@pytest.fixture
def room(crank, tmp_path):
    studio = Studio(Draft(Opened(crank, None, folder=tmp_path), tmp_path / "j"),
                    journals=tmp_path / "j")
    yield Room(studio, 2)
    studio.end_run()
    studio.draft.close()


def test_a_browser_that_comes_gets_all_and_both_see_every_change(room):
    first, second = room.browsers
    assert [m["type"] for m in second.heard] == ["catalogue", "remains", "model", "scene"]
    said = first.last("model")
    assert said["freedom"]["dof"] == 1
    assert said["freedom"]["redundant"] == 0
    assert "main bearing.angle" in said["measures"]
    room.ask("enter", at=["bodies", "rod", "mass"], text="900 g", kind="number")
    assert second.last("model")["tree"]["bodies"]["rod"]["mass"] == "900 g"
    assert second.last("model")["undo"] == ["change rod.mass"]
    assert second.heard[-1]["type"] == "scene"


@pytest.mark.parametrize(("text", "kind", "value"), [
    ("0.5", "number", 0.5), ("5 mm", "number", "5 mm"), ("=2*l", "number", "=2*l"),
    ("0.1, =l, 0", "point", [0.1, "=l", 0]),
    ("A", "point", "A"), ("O -> A", "direction", "O -> A"), ("-y", "direction", "-y"), ("true", "truth", True),
    ("slider.x, rod.z", "words", ["slider.x", "rod.z"]), ("slider.x", "words", ["slider.x"]),
    ("{kind: Sine, amplitude: 1, frequency: 2}", "function", {"kind": "Sine", "amplitude": 1, "frequency": 2}),
    ("12", "text", "12"), ("w*t", "function", "w*t"), ("1, 2, 3", "inertia", [1, 2, 3])])
def test_what_is_typed_becomes_a_value(text, kind, value):
    assert value_of(text, kind) == value


def test_what_is_typed_is_looked_at_without_being_taken(room):
    assert "error" not in room.ask("enter", at=["bodies", "rod", "mass"], text="2", kind="number", dry=True)
    assert room.studio.draft.tree["bodies"]["rod"]["mass"] == "=m2"
    wrong = room.ask("enter", at=["bodies", "rod", "mass"], text="2 s", kind="number", dry=True)
    assert "'2 s' is a number of s; here it is one of kg" in wrong["error"]
    gone = room.ask("enter", at=["joints", "main bearing", "axis"], text="", kind="direction")
    assert "axis" in gone["error"]


def test_a_part_is_added_from_typed_texts(room):
    done = room.ask("add", section="bodies", name="flywheel", fields=[
        [["shape", "kind"], "cylinder", "text"], [["shape", "radius"], "100 mm", "number"],
        [["shape", "length"], "0.02", "number"],
        [["at"], "O", "point"], [["colour"], "", "text"]])
    assert "error" in done  # a shape takes no units, which the reader says
    done = room.ask("add", section="bodies", name="flywheel", fields=[
        [["shape", "kind"], "cylinder", "text"], [["shape", "radius"], "0.1", "number"],
        [["shape", "length"], "0.02", "number"],
        [["shape", "density"], "7850", "number"], [["at"], "O", "point"], [["colour"], "", "text"]])
    assert "error" not in done
    assert room.studio.draft.whole().model.bodies["flywheel"].mass == pytest.approx(7850*np.pi*0.1**2*0.02)


def test_redundant_joints_are_named(tmp_path):
    studio = Studio(Draft(Opened(EMPTY, None, folder=tmp_path), tmp_path / "j"), journals=tmp_path / "j")
    room = Room(studio)
    assert room.browsers[0].last("model")["freedom"] == {"known": False, "text": "no bodies yet"}
    for k, (name, at) in enumerate({"crank": [0.05, 0, 0], "coupler": [0.2, 0, 0.1], "rocker": [0.35, 0, 0.1]}.items()):
        room.ask("act", action={"do": "add", "section": "bodies", "name": name,
                                "value": {"mass": 1.0 + k, "inertia": 0.01, "at": at}})
    for name, a, b, at in (("A", "ground", "crank", [0, 0, 0]), ("B", "crank", "coupler", [0.1, 0, 0]),
                           ("C", "coupler", "rocker", [0.35, 0, 0.2]), ("D", "rocker", "ground", [0.35, 0, 0])):
        room.ask("act", action={"do": "add", "section": "joints", "name": name, "value": {
            "kind": "revolute", "a": a, "b": b, "at": at, "axis": "y"}})
    freedom = room.browsers[0].last("model")["freedom"]
    assert (freedom["dof"], freedom["redundant"], freedom["groups"]) == (1, 3, [["A", "B", "C", "D"]])
    assert "Kutzbach" in room.ask("freedom")["text"]
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


def test_a_run_grows_is_held_goes_on_with_another_number_and_ends(room):
    room.ask("enter", at=["run", "until"], text="1000", kind="number")
    room.ask("enter", at=["run", "outputs"], text="100000", kind="whole")
    room.ask("run")
    room.ask("pause")
    room.work(lambda: room.browsers[1].last("run").get("t") is not None)
    assert room.browsers[1].last("run")["phase"] == "paused"
    t = room.studio.running._state.t
    room.ask("enter", at=["bodies", "slider", "mass"], text="5", kind="number")  # in the middle of the run
    room.ask("resume")
    room.work(lambda: room.studio.running.changed and room.studio.running._state.t > t)
    room.ask("stop")
    assert room.studio.running._state.system.model.bodies["slider"].mass == 5.0
    assert room.studio.running.pieces[0].t[0] >= t
    room.work(lambda: room.browsers[0].last("run")["phase"] == "over")
    assert "ended by the user" in room.browsers[0].last("run")["reason"]
    assert "changed in the middle of this run" in room.ask("export", path="a.csv")["error"]


def test_a_complete_run_is_the_run_of_the_file_and_is_exported(room, tmp_path):
    room.ask("run")
    room.work(lambda: room.browsers[0].last("run")["phase"] == "over")
    assert room.browsers[0].last("run")["reason"] == ""
    whole = room.studio.draft.whole().run()
    result = room.studio.result
    assert np.array_equal(result.t, whole.t)
    assert np.abs(result["slider.x"] - whole["slider.x"]).max() < 1e-6  # begun anew at each piece
    assert Path(room.ask("export", path="crank.csv")["path"]) == tmp_path / "crank.csv"
    assert "there is such a file already" in room.ask("export", path="crank.csv")["error"]
    assert "slider.x" in (tmp_path / "crank.csv").read_text()[:20000]


def test_functions_are_sampled_with_their_derivatives(room):
    found = room.ask("sample", data={"kind": "Sine", "amplitude": 2.0, "frequency": 3.0}, first=0.0, last=1.0)
    t = np.array(found["t"])
    for values, exact in zip(found["values"], (2*np.sin(3*t), 6*np.cos(3*t), -18*np.sin(3*t)), strict=True):
        assert np.abs(np.array(values) - exact).max() < 1e-12
    assert np.array(room.ask("sample", at=["drives", "motor", "function"], first=0, last=1)["values"][1])[0] == 2*np.pi


def answered(room, browser=0, most=20.0):
    """The next answer that comes later."""
    before = sum(m["type"] == "done" for m in room.browsers[browser].heard)
    room.work(lambda: sum(m["type"] == "done" for m in room.browsers[browser].heard) > before, most)
    return room.browsers[browser].last("done")


def test_a_slider_shows_a_variant_and_leaves_the_model_alone(room):
    before = room.studio.draft.tree
    room.ask("slide", name="l", value=0.1)
    assert answered(room)["t"] == pytest.approx(2.0)
    assert room.browsers[1].last("scene")["runs"][0]["label"] == "l = 0.1"
    assert room.browsers[1].last("trial") == {"type": "trial", "on": False}
    assert room.studio.draft.tree is before


def test_a_trial_tells_how_far_it_is_is_replaced_by_a_newer_one_and_can_be_ended(room):
    """None of them keeps the session from answering others."""
    room.ask("enter", at=["run", "until"], text="100000", kind="number")
    begun = time.perf_counter()
    room.ask("slide", name="l", value=0.1)
    room.ask("slide", name="l", value=0.12)
    assert answered(room)["stopped"]
    room.work(lambda: (room.browsers[1].last("trial") or {}).get("on"))
    assert 0.0 <= room.browsers[1].last("trial")["share"] < 0.5
    assert room.browsers[1].last("trial")["text"] == "l = 0.12"
    assert "text" in room.ask("freedom")
    room.ask("cancel")
    assert answered(room)["stopped"]
    room.ask("compare", formulations=room.browsers[0].last("catalogue")["solvers"]["formulation"][:2])
    room.ask("enter", at=["parameters", "l"], text="0.2", kind="number")  # it would be one of the model before
    assert answered(room)["stopped"]
    assert room.browsers[1].last("trial") == {"type": "trial", "on": False}
    assert time.perf_counter() - begun < 20.0  # each of these runs takes minutes


@pytest.mark.parametrize("topic", ["assembly", "rows", "jacobian", "reactions", "energy"])
def test_lessons_speak_of_the_mechanism(room, topic):
    said = room.ask("lesson", topic=topic)
    assert said["topic"] == topic
    state = room.studio.insight.state
    if topic == "jacobian":
        J = np.zeros(said["shape"])
        for i, j, v in said["entries"]:
            J[i, j] = v
        assert np.allclose(J, state.equations().J, atol=1e-9)
    elif topic == "rows":
        assert len(said["table"]) - 1 == len(state.system.rows)
    else:
        assert len(said["table"]) > 1


def test_two_formulations_are_run_side_by_side(room):
    names = room.browsers[0].last("catalogue")["solvers"]["formulation"][:2]
    room.ask("compare", formulations=names)
    found = answered(room)["compared"]
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


def test_files_are_opened_saved_dropped_and_recovered(room, tmp_path):
    room.ask("enter", at=["parameters", "l"], text="0.2", kind="number")
    assert "not saved" in room.ask("new")["error"]
    assert room.ask("save", path="crank.yaml")["path"] == str(tmp_path / "crank.yaml")
    assert room.ask("files", folder=str(tmp_path))["files"] == ["crank.yaml"]
    assert "error" not in room.ask("new", template="template:double-wishbone")
    assert room.browsers[1].last("model")["tree"]["name"] == "double wishbone, front left"
    content = base64.b64encode((tmp_path / "crank.yaml").read_bytes()).decode()
    assert room.ask("dropped", name="../../crank.yaml", content=content)["name"] == "crank.yaml"
    assert room.studio.draft.tree["parameters"]["l"] == 0.2
    assert "did not arrive whole" in room.ask("dropped", name="a.yaml", content="###")["error"]
    assert "a window runs none" in room.ask("dropped", name="a.py", content="")["error"]
    room.ask("enter", at=["parameters", "l"], text="0.25", kind="number")
    room.ask("open", path=str(tmp_path / "crank.yaml"), force=True)
    late = Browser()
    room.studio.on_open(late)
    assert late.last("remains")["remains"][0]["count"] == 1
    room.ask("recover", journal=late.last("remains")["remains"][0]["journal"])
    assert room.studio.draft.tree["parameters"]["l"] == 0.25
    assert load_model(tmp_path / "crank.yaml").bodies


def test_closing_is_shown_step_by_step(tmp_path):
    tree = {"vincolo": 1, "bodies": {"arm": {"mass": 1.0, "inertia": 0.1, "at": [0.5, 0, 0]}},
            "frames": {"post": {"on": "ground", "at": [0.9, 0.4, 0.0]}, "eye": {"on": "arm", "at": [1.0, 0, 0]}},
            "joints": {"O": {"kind": "revolute", "a": "ground", "b": "arm", "at": [0, 0, 0], "axis": "z"},
                       "rod": {"kind": "distance", "a": "post", "b": "eye", "length": 0.1}}}
    studio = Studio(Draft(Opened(tree, None, folder=tmp_path), tmp_path / "j"), journals=tmp_path / "j")
    room = Room(studio)
    said = room.ask("lesson", topic="assembly")
    gaps = said["steps"]
    assert gaps[0] == pytest.approx(np.hypot(0.1, 0.4) - 0.1, rel=1e-6)  # as drawn
    assert gaps[-1] < 1e-9 < gaps[1] < gaps[0]
    assert said["table"][2][0] == "rod"
    room.ask("lesson", topic="assembly", step=1)
    assert room.browsers[0].last("poses") is not None
    studio.draft.close()


def test_the_command_refuses_as_others_do():
    found = CliRunner().invoke(app, ["studio", "nothing_here.yaml", "--no-browser"])
    assert found.exit_code == CliRunner().invoke(app, ["check", "nothing_here.yaml"]).exit_code > 0
    assert "there is no file 'nothing_here.yaml'" in found.output + found.stderr
    found = CliRunner().invoke(app, ["studio", "a.docx", "--no-browser"])
    assert "files that end in '.docx' are not read" in found.output + found.stderr


@pytest.mark.parametrize("message", [
    {"type": "act"}, {"type": "act", "action": 3}, {"type": "enter"}, {"type": "enter", "at": [], "text": "1"},
    {"type": "enter", "at": ["bodies"], "text": None}, {"type": "copy", "at": "x"}, {"type": "paste", "text": "a: ["},
    {"type": "paste", "text": "[1]"}, {"type": "turn", "at": ["bodies", "rod"], "axis": "q", "angle": None},
    {"type": "open"}, {"type": "open", "path": "\0"}, {"type": "files", "folder": "/no/such"}, {"type": "pause"},
    {"type": "take", "body": "nobody", "point": [0, 0, 0]}, {"type": "sample", "data": [], "first": 0, "last": 1},
    {"type": "slide", "name": "nothing", "value": 1}, {"type": "lesson", "topic": "magic"}, {"type": "export"},
    {"type": "sample", "data": 1, "first": "x"}, {"type": "act", "action": {"do": "remove", "at": 5}},
    {"type": "act", "action": {"do": "paste", "parts": {"bodies": {"a": 3}}, "shift": [1]}},
    {"type": "act", "action": {"do": "all", "actions": [{"do": "add"}]}}, {"type": "enter", "at": [True], "text": "1"},
    {"type": "act", "action": {"do": "change", "at": ["bodies", "rod", "mass", "x"], "value": 1}},
    {"type": "recover", "journal": "../x"}, {"type": "new", "template": "template:none"}, {"type": "compare"}])
def test_wrong_messages_are_answered_in_words(room, message):
    before = room.studio.draft.tree
    room.studio.on_message(room.browsers[0], {"id": 7, **message})
    answer = room.browsers[0].last("done")
    assert answer["id"] == 7
    assert len(answer["error"]) > 10
    assert room.studio.draft.tree is before
