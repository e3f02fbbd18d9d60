"""What the studio answers to browsers, without one: messages in, messages out."""

from __future__ import annotations

import base64
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import vincolo as vc
from studio_room import Browser, Room
from vincolo.analyses.run_settings import RunSettings
from vincolo.cli.app import app
from vincolo.formats import load_model
from vincolo.studio.draft import Draft
from vincolo.studio.hearing import hearing
from vincolo.studio.opening import EMPTY, Opened, template_tree
from vincolo.studio.session import Studio, value_of


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
        [["shape", "kind"], "cylinder", "text"], [["shape", "radius"], "100 kg", "number"],
        [["shape", "length"], "0.02", "number"],
        [["at"], "O", "point"], [["colour"], "", "text"]])
    assert "'100 kg' is a number of kg; here it is one of m" in done["error"]
    done = room.ask("add", section="bodies", name="flywheel", fields=[
        [["shape", "kind"], "cylinder", "text"], [["shape", "radius"], "100 mm", "number"],
        [["shape", "length"], "2 cm", "number"],
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
    room.work_until_over()
    assert "ended by the user" in room.browsers[0].last("run")["reason"]
    assert "changed in the middle of this run" in room.ask("export", path="a.csv")["error"]


def test_a_complete_run_is_the_run_of_the_file_and_is_exported(room, tmp_path):
    room.ask("run")
    room.work_until_over()
    assert room.browsers[0].last("run") | {"phase": "over", "reason": ""} == room.browsers[0].last("run")
    whole = room.studio.draft.whole().run()
    result = room.studio.result
    assert np.array_equal(result.t, whole.t)
    assert np.abs(result["slider.x"] - whole["slider.x"]).max() < 1e-6  # begun anew at each piece
    assert Path(room.ask("export", path="crank.csv")["path"]) == tmp_path / "crank.csv"
    assert "there is such a file already" in room.ask("export", path="crank.csv")["error"]
    assert "slider.x" in (tmp_path / "crank.csv").read_text()[:20000]


def test_a_run_of_many_samples_is_shown_by_some_in_small_messages_and_written_whole(room, monkeypatch):
    monkeypatch.setattr("vincolo.studio.showing.SHOWN", 500)
    monkeypatch.setattr("vincolo.studio.showing.AT_ONCE", 100)
    room.ask("enter", at=["run", "outputs"], text="3000", kind="whole")
    grown = [0]
    monkeypatch.setattr("vincolo.studio.showing.grow_message",
                        lambda piece, whole, growing: grown.append(len(piece)) or {"type": "grow"})
    room.ask("run")
    room.work_until_over()
    assert sum(grown) < 700 and max(grown) <= 600
    assert len(room.studio.result) == 3001
    scene = [m for m in room.browsers[0].heard if m["type"] in ("scene", "grow")]
    assert scene[-1]["type"] == "scene"  # the whole of it, and nothing behind
    assert scene[-1]["runs"][0]["notes"] == ["500 of 3001 samples are on this page, to keep it small."]


def test_a_motion_by_drives_ends_with_what_the_file_asked_for(tmp_path):
    studio = Studio(Draft(Opened(template_tree("double-wishbone"), None, folder=tmp_path), tmp_path / "j"),
                    journals=tmp_path / "j")
    room = Room(studio)
    room.ask("run")
    room.work_until_over()
    assert "positions" in room.browsers[0].last("run")["summary"]
    assert studio.result.settings.channels == tuple(studio.draft.tree["run"]["channels"])
    assert room.browsers[0].last("scene")["plots"]
    room.ask("run")
    room.ask("stop")  # at once: there is nothing to sum up
    room.work_until_over()
    studio.draft.close()


def test_what_a_run_warns_of_is_told(room, monkeypatch):
    computed = RunSettings.run

    def warned(self, *arguments):
        warnings.warn("be careful", vc.VincoloWarning, stacklevel=1)
        return computed(self, *arguments)

    monkeypatch.setattr(RunSettings, "run", warned)
    room.ask("run")
    room.work_until_over()
    notes = [m["text"] for m in room.browsers[1].heard if m["type"] == "note"]
    assert notes == ["be careful"]  # once, however many pieces said it
    room.ask("slide", name="l", value=0.1)
    room.answered()
    assert room.browsers[1].last("note")["text"] == "be careful"


def test_threads_hear_their_own_warnings():
    """Two threads that listen at once, and one that does not."""
    heard, go, over = {}, threading.Barrier(2), threading.Barrier(2)

    def work(name):
        with hearing() as found:
            go.wait(5)
            warnings.warn(f"of {name}", vc.VincoloWarning, stacklevel=1)
            over.wait(5)
        heard[name] = list(found)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert heard == {"one": ["of one"], "two": ["of two"]}
    with pytest.warns(vc.VincoloWarning, match="of nobody"):
        warnings.warn("of nobody", vc.VincoloWarning, stacklevel=1)


def test_functions_are_sampled_with_their_derivatives(room):
    found = room.ask("sample", data={"kind": "Sine", "amplitude": 2.0, "frequency": 3.0}, first=0.0, last=1.0)
    t = np.array(found["t"])
    for values, exact in zip(found["values"], (2*np.sin(3*t), 6*np.cos(3*t), -18*np.sin(3*t)), strict=True):
        assert np.abs(np.array(values) - exact).max() < 1e-12
    assert np.array(room.ask("sample", at=["drives", "motor", "function"], first=0, last=1)["values"][1])[0] == 2*np.pi


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
