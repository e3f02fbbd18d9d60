"""The studio's document: actions, undo to the last bit, journal and recovery."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vincolo.analyses.simulate import simulate
from vincolo.errors import ModelError
from vincolo.formats import load_model, save_model
from vincolo.formats.tree.files import model_data
from vincolo.studio.actions import ACTIONS
from vincolo.studio.draft import Draft, Needed, opened_draft, parts_of_text, recovered
from vincolo.studio.journal import abandoned, read_journal
from vincolo.studio.names import all_names
from vincolo.studio.opening import EMPTY, Opened, open_tree, template_tree


@pytest.fixture(scope="module")
def crank():
    return template_tree("slider-crank")


@pytest.fixture
def draft(crank, tmp_path):
    made = Draft(Opened(crank, None, folder=tmp_path), tmp_path / "journals")
    yield made
    made.close()


def text_of(tree):
    """The tree to the last bit: order of keys, kinds of numbers, digits."""
    return json.dumps(tree)


# single actions

def test_renaming_a_body_changes_every_place_that_means_it_and_no_other(draft):
    draft.act({"do": "add", "section": "laws", "name": "drag",
               "value": {"measure": "cylinder.travel", "force": "5*slider.vx + m3*dd"}})
    draft.act({"do": "rename", "at": ["bodies", "slider"], "to": "piston"})
    tree = draft.tree
    assert list(tree["bodies"]) == ["crank", "rod", "piston"]
    assert tree["joints"]["cylinder"]["b"] == "piston"
    assert tree["run"]["channels"][:2] == ["piston.x", "piston.vx"]
    assert tree["laws"]["drag"]["force"] == "5*piston.vx + m3*dd"
    assert tree["name"] == "slider-crank"


@pytest.mark.parametrize(("section", "old", "new"), [
    ("parameters", "l", "radius"), ("points", "A", "crank end"), ("joints", "main bearing", "O bearing"),
    ("bodies", "rod", "x"), ("drives", "motor", "engine"), ("parameters", "w", "speed")])
def test_a_renamed_model_moves_as_before(draft, section, old, new):
    before = model_data(draft.whole().model)
    draft.act({"do": "rename", "at": [section, old], "to": new})
    assert old not in draft.tree[section]
    assert section not in ("points",) or model_data(draft.whole().model) == before
    renamed = simulate(draft.whole().model, until=0.05)
    draft.undo()
    assert (renamed.y[-1] == simulate(draft.whole().model, until=0.05).y[-1]).all()
    draft.redo()
    draft.act({"do": "rename", "at": [section, new], "to": old})
    assert model_data(draft.whole().model) == before


def test_a_parameter_of_the_same_name_as_a_constant_is_left_alone(draft):
    draft.act({"do": "add", "section": "laws", "name": "k", "value": {
        "measure": "cylinder.travel", "force": "l*d", "constants": {"l": 3.0}}})
    draft.act({"do": "rename", "at": ["parameters", "l"], "to": "radius"})
    assert draft.tree["laws"]["k"]["force"] == "l*d"


def test_a_part_that_others_need_is_removed_with_them_or_refused_with_their_names(draft):
    with pytest.raises(Needed, match="joints: main bearing, joints: big end, drives: motor"):
        draft.act({"do": "remove", "at": ["bodies", "crank"]})
    assert draft.dependents([["bodies", "crank"]]) == [
        ("joints", "main bearing"), ("joints", "big end"), ("drives", "motor")]
    draft.act({"do": "remove", "at": ["bodies", "crank"], "dependents": "remove"})
    assert all_names(draft.tree) == {"rod", "slider", "gudgeon pin", "cylinder"}
    assert not draft.reading.mistakes


def test_a_parameter_that_goes_leaves_its_number(draft):
    before = model_data(draft.whole().model)
    with pytest.raises(ModelError, match="parameters: w|other parts need this"):
        draft.act({"do": "remove", "at": ["parameters", "n"]})
    draft.act({"do": "remove", "at": ["parameters", "n"], "dependents": "remove"})
    assert "n" not in draft.tree["parameters"]
    assert draft.tree["parameters"]["w"] == "=2*pi*1.0"
    assert model_data(draft.whole().model) == before


def test_what_is_copied_can_be_pasted_here_under_free_names_and_into_another_model(draft, tmp_path):
    text = draft.copied([["bodies", "crank"], ["joints", "main bearing"]])
    draft.act({"do": "paste", "parts": parts_of_text(text), "shift": [0.0, 0.5, 0.0]})
    assert "crank_2" in draft.tree["bodies"]
    assert draft.tree["joints"]["main bearing_2"]["b"] == "crank_2"
    other = Draft(Opened(EMPTY, None, folder=tmp_path), tmp_path / "journals")
    other.act({"do": "paste", "parts": parts_of_text(text)})
    assert list(other.tree["bodies"]) == ["crank"]
    assert other.tree["points"]["crank middle"] == ["=l/2", 0.0, 0.0]
    assert set(other.tree["parameters"]) == {"m1", "l"}
    assert not other.reading.mistakes
    other.close()


@pytest.mark.parametrize(("action", "message"), [
    ({"do": "change", "at": ["bodies", "crank", "mass"], "value": "heavy"}, "bodies: crank: mass: 'heavy' cannot be"),
    ({"do": "change", "at": ["bodies", "crank", "mass"], "value": "3 m"}, "'3 m' is a number of m; here it is one of"),
    ({"do": "change", "at": ["bodies", "cranc", "mass"], "value": 1}, "Did you mean 'crank'"),
    ({"do": "change", "at": ["bodies", "crank", "mass"], "value": -1.0}, "mass"),
    ({"do": "change", "at": ["joints", "cylinder", "axis"], "value": [0, 0, 0]}, "axis"),
    ({"do": "change", "at": ["parameters", "l"], "value": "=L"}, None),
    ({"do": "change", "at": ["parameters", "l"], "value": "=LL"}, "LL"),
    ({"do": "add", "section": "bodies", "name": "rod", "value": {"mass": 1}}, "already something called 'rod'"),
    ({"do": "add", "section": "bodys", "name": "r", "value": {"mass": 1}}, "Did you mean 'bodies'"),
    ({"do": "fly"}, "there is no action 'fly'"), ({"do": "add"}, "cannot be done with nothing given"),
    (["x"], "there is no action None"), ({"do": "change", "at": "bodies", "value": 1}, "is not a place"),
    ({"do": "change", "at": ["gravity"], "value": [0, 0]}, "a longer list is needed"),
    ({"do": "rename", "at": ["bodies", "rod"], "to": "crank"}, "taken already"),
    ({"do": "paste", "parts": {"nonsense": {}}}, "no parts of a model"),
    ({"do": "change", "at": ["name"], "value": float("nan")}, "not a finite number")])
def test_wrong_actions_are_refused_in_the_words_of_the_reader_and_change_nothing(draft, action, message):
    before = draft.tree
    if message is None:
        draft.act(action)
        assert draft.tree is not before
        return
    with pytest.raises(ModelError, match=message):
        draft.act(action)
    assert draft.tree is before
    assert not draft.undoable


def test_a_broken_file_can_be_opened_and_mended(tmp_path):
    path = tmp_path / "broken.yaml"
    path.write_text("bodies:\n  a: {mass: 1, inertia: 1}\n  b: {mas: 1}\njoints:\n  J: {kind: revolut, a: a, b: b}\n")
    draft, count = opened_draft(path, tmp_path / "j")
    assert count == 0
    assert [p.at for p in draft.reading.mistakes][0][:2] == ("bodies", "b")
    draft.act({"do": "change", "at": ["bodies", "b"], "value": {"mass": 1.0, "inertia": 1.0}})
    assert [p.at for p in draft.reading.mistakes] == [("joints", "J", "kind")]
    draft.act({"do": "change", "at": ["joints", "J"], "value": {"kind": "spherical", "a": "a", "b": "b",
                                                               "at": [0, 0, 0]}})
    assert not draft.reading.mistakes
    draft.save()
    assert list(load_model(path).joints) == ["J"]
    draft.close()


# undo to the last bit

def random_action(tree, rng):
    """An action of any kind on parts that are there, right or wrong."""
    places = [(s, n) for s in ("bodies", "joints", "points", "parameters", "drives") for n in tree.get(s) or {}]
    section, name = rng.choice(places)
    number = rng.choice([0.0, -0.0, 1, rng.gauss(0, 1), 1e-300, 3, "5 mm", "=l", "=nothing", True, None])
    if rng.random() < 0.1:
        return {"do": "remove", "at": [section, name], "dependents": rng.choice(["refuse", "remove"])}
    kind = rng.choice([k for k in ACTIONS if k not in ("remove", "all")] + ["change", "all"])
    new = f"{rng.choice('abcxyz')}{rng.randrange(99)}"
    if kind == "rename":
        return {"do": kind, "at": [section, name], "to": new}
    if kind == "move":
        return {"do": kind, "at": [section, name], "before": rng.choice([None, *tree[section]])}
    if kind == "paste":
        return {"do": kind, "parts": {section: {name: tree[section][name]}}, "shift": [number if isinstance(
            number, float) else 0.1, 0.0, 1.0]}
    if kind == "add":
        part = rng.choice([
            ("bodies", {"mass": number, "inertia": 1.0, "at": [rng.gauss(0, 1), 0, 1]}),
            ("bodies", {"shape": {"kind": "box", "size": [0.1, 0.2, 0.3], "mass": 1.0}}), ("points", [1, number, 0.5]),
            ("parameters", number), ("joints", {"kind": "spherical", "a": "ground", "b": name, "at": [0, 0, 0.1]})])
        return {"do": kind, "section": part[0], "name": new, "value": part[1]}
    if kind == "all":
        return {"do": kind, "actions": [random_action(tree, rng), {"do": "change", "at": ["name"], "value": new}]}
    whole = tree[section][name]
    inner = rng.choice([[], *([k] for k in whole)]) if isinstance(whole, dict) else []
    return {"do": "change", "at": [section, name, *inner], "value": number if inner or section == "parameters" else
            json.loads(json.dumps(whole))}


def edit_at_random(tree, seed, count, folder):
    """A sequence of actions, some undone and done again; undone to the start; and again what the journal says."""
    rng, before = random.Random(seed), text_of(tree)
    draft = Draft(Opened(tree, None, folder=folder), folder / f"journals {seed}")
    texts = []
    for _ in range(count):
        if rng.random() < 0.15:
            rng.choice([draft.undo, draft.redo])()
            continue
        with contextlib.suppress(ModelError):
            draft.act(random_action(draft.tree, rng) if draft.tree.get("parameters") else {"do": "fly"})
        texts.append(text_of(draft.tree))
        assert not draft.reading.mistakes
    last, done = text_of(draft.tree), len(draft.undoable)
    remains = read_journal(draft._journal.path)
    while draft.undo():
        pass
    assert text_of(draft.tree) == before == text_of(tree)
    while draft.redo():
        pass
    assert len(draft.undoable) >= done
    draft.close()
    again = recovered(remains, folder)
    assert text_of(again.tree) == last
    while again.undo():
        pass
    assert text_of(again.tree) == before
    again.close()
    return len(set(texts))


@pytest.mark.parametrize("seed", range(2))
def test_undo_of_random_actions_gives_the_first_model_to_the_last_bit(crank, tmp_path, seed):
    assert edit_at_random(crank, seed, 60, tmp_path) > 10


@pytest.mark.slow
def test_undo_of_a_hundred_sequences_of_200_random_actions(crank, tmp_path):
    changed = [edit_at_random(crank, seed, 200, tmp_path) for seed in range(100, 200)]
    assert min(changed) > 20


# files, journals

def test_saving_and_opening_again_gives_the_same_tree_and_model(draft, tmp_path):
    draft.act({"do": "change", "at": ["bodies", "crank", "mass"], "value": "500 g"})
    assert draft.dirty
    for name in ("crank.yaml", "crank.xlsx"):
        path = draft.save(tmp_path / name)
        assert not draft.dirty
        again = open_tree(path)
        assert model_data(load_model(path)) == model_data(draft.whole().model)
        assert name.endswith("xlsx") or dict(again.tree.items()) == draft.tree
    with pytest.raises(ModelError, match="joint 'gudgeon pin' is universal; there are"):
        draft.save(tmp_path / "cards")
    draft.act({"do": "change", "at": ["joints", "gudgeon pin"], "value": {"kind": "spherical", "a": "rod",
                                                                         "b": "slider", "at": "B"}})
    draft.save(tmp_path / "cards")
    assert (tmp_path / "cards").is_dir()
    with pytest.raises(ModelError, match="models are not written to files that end in '.urdf'"):
        draft.save(tmp_path / "crank.urdf")


def test_a_file_that_another_program_changed_is_not_replaced_unasked(draft, tmp_path):
    path = draft.save(tmp_path / "crank.yaml")
    path.write_text(path.read_text() + "\n")
    draft.act({"do": "change", "at": ["parameters", "l"], "value": 0.2})
    with pytest.raises(ModelError, match="another program has changed this file"):
        draft.save()
    draft.save(force=True)
    assert open_tree(path).tree["parameters"]["l"] == 0.2
    (tmp_path / "other.yaml").write_text("name: mine")
    with pytest.raises(ModelError, match="there is such a file already"):
        draft.save(tmp_path / "other.yaml")


def test_sub_models_are_found_from_where_the_model_is_saved(tmp_path, crank):
    inner, outer = tmp_path / "parts", tmp_path / "models"
    inner.mkdir()
    outer.mkdir()
    save_model(load_model(Draft(Opened(crank, None, folder=inner), tmp_path / "j").save(inner / "crank.yaml")),
               inner / "copy.yaml")
    draft = Draft(Opened(EMPTY, None, folder=inner), tmp_path / "j")
    draft.act({"do": "add", "section": "submodels", "name": "left", "value": {"use": "copy.yaml"}})
    path = draft.save(outer / "whole.yaml")
    assert open_tree(path).tree["submodels"]["left"]["use"] == "../parts/copy.yaml"
    assert "left.rod" in load_model(path).bodies
    draft.close()


def test_a_model_of_another_kind_is_opened_as_a_tree(tmp_path):
    example = Path(__file__).parents[2] / "examples" / "slider_crank.py"
    opened = open_tree(example)
    draft = Draft(opened, tmp_path / "j")
    assert draft.path is None
    assert not draft.reading.mistakes
    assert model_data(draft.whole().model) == model_data(load_model(example))
    draft.close()


KILLED = """
import sys
from pathlib import Path
from vincolo.studio.draft import opened_draft
draft, _ = opened_draft(Path(sys.argv[1]), Path(sys.argv[2]))
for k in range(100000):
    draft.act({"do": "change", "at": ["parameters", "l"], "value": 0.1 + k*1e-6})
    print(k, flush=True)
"""


def test_a_killed_session_loses_at_most_its_last_action(crank, tmp_path):
    path, journals = tmp_path / "crank.yaml", tmp_path / "j"
    draft = Draft(Opened(crank, None, folder=tmp_path), journals)
    draft.save(path)
    draft.close()
    program = subprocess.Popen([sys.executable, "-c", KILLED, str(path), str(journals)], stdout=subprocess.PIPE)
    seen = [program.stdout.readline() for _ in range(20)]
    assert not abandoned(path, journals) or os.name == "nt"  # it is being written
    time.sleep(0.05)
    os.kill(program.pid, signal.SIGKILL)
    seen += program.stdout.read().split()
    program.wait()
    program.stdout.close()
    told = int(seen[-1])
    again, count = opened_draft(path, journals)
    kept = round((again.tree["parameters"]["l"] - 0.1)*1e6)
    assert told <= kept <= told + 1
    assert count == kept + 1 == len(again.undoable)
    while again.undo():
        pass
    assert text_of(again.tree) == text_of(open_tree(path).tree)
    again.close()


def test_a_line_that_was_not_finished_is_left_out(draft, tmp_path):
    draft.act({"do": "change", "at": ["parameters", "l"], "value": 0.2})
    draft.act({"do": "change", "at": ["parameters", "l"], "value": 0.3})
    draft.close()
    remains = abandoned(None, tmp_path / "journals")[0]
    whole = remains.journal.read_bytes()
    remains.journal.write_bytes(whole[:-7])
    again = recovered(abandoned(None, tmp_path / "journals")[0], tmp_path)
    assert again.tree["parameters"]["l"] == 0.2
    again.close()


@pytest.mark.parametrize("way", ["opened", "recovered"])
def test_a_session_that_broke_off_does_not_replace_what_others_wrote_in_the_meantime(crank, tmp_path, way):
    """A change to the file between the end of a session and its recovery is asked about, as one during it is."""
    path, journals = tmp_path / "crank.yaml", tmp_path / "j"
    draft = Draft(Opened(crank, None, folder=tmp_path), journals)
    draft.save(path)
    draft.act({"do": "change", "at": ["parameters", "l"], "value": 0.2})
    draft.close()  # not saved: its journal stays
    by_hand = path.read_text() + "# by hand\n"
    path.write_text(by_hand)
    if way == "opened":
        again, _ = opened_draft(path, journals)
    else:
        again = recovered(abandoned(path, journals)[0], tmp_path)
    assert any("was changed after this session broke off" in note for note in again.notes)
    with pytest.raises(ModelError, match="another program has changed this file"):
        again.save()
    assert path.read_text() == by_hand
    again.save(force=True)
    assert open_tree(path).tree["parameters"]["l"] == 0.2
    again.act({"do": "change", "at": ["parameters", "l"], "value": 0.3})
    again.save()  # its own file is not asked about
    again.close()


def test_comments_are_kept_in_a_copy_when_a_file_is_saved(crank, tmp_path):
    """A tree has no comments: the file with them stays beside the one that is written, once for each state of it."""
    path = tmp_path / "crank.yaml"
    draft = Draft(Opened(crank, None, folder=tmp_path), tmp_path / "j")
    draft.save(path)
    draft.close()
    plain = path.read_text()
    first = f"# lengths by hand\n{plain}"
    for k, (text, name) in enumerate(((plain, None), (first, "crank.comments.yaml"), (first, None),
                                      (f"{plain}# another\n", "crank.comments2.yaml"))):
        path.write_text(text)
        draft, _ = opened_draft(path, tmp_path / "j")
        draft.act({"do": "change", "at": ["parameters", "l"], "value": 0.2 + 0.01 * k})
        draft.save()
        notes = [note for note in draft.notes if "comments" in note]
        assert len(notes) == (name is not None) and (name is None or name in notes[0])
        assert name is None or (tmp_path / name).read_text() == text
        draft.close()
    assert sorted(p.name for p in tmp_path.glob("*.yaml")) == ["crank.comments.yaml", "crank.comments2.yaml",
                                                               "crank.yaml"]
    draft, _ = opened_draft(tmp_path / "crank.yaml", tmp_path / "j")
    draft.act({"do": "change", "at": ["name"], "value": "no # comment"})
    draft.save()
    draft.save()
    assert len(list(tmp_path.glob("*.yaml"))) == 3  # a sign within a text is no comment
    draft.close()
