"""Files that say where bodies begin, elsewhere than drawn."""

import numpy as np
import pytest

import vincolo as vc
from studio_hands import FOUR_BAR
from vincolo.analyses.run_settings import RunSettings
from vincolo.formats.document import Document
from vincolo.formats.files import open_model, save_model

ANGLES = ("A.angle", "B.angle", "C.angle", "D.angle")


def places(state):
    """Where all bodies are, as files say it."""
    return tuple((name, (*map(float, state.channels.point(state.system.centred[k].body.frame())[0]),
                         *map(float, state.channels.quaternions(name)[0])))
                 for name, k in state.system.body_numbers.items())


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "four_bar.yaml"
    path.write_text(FOUR_BAR.replace("rocker: {mass: 1,", "rocker: {mass: 1, com: [0.0, 0.0, 0.02],"))
    return open_model(path)


@pytest.mark.parametrize("name", ["kept.yaml", "kept.xlsx"])
def test_a_run_begins_where_the_file_says_and_joints_keep_their_zeros(document, tmp_path, name):
    wanted = vc.assemble(document.model, {"A.angle": -0.7})
    save_model(Document(document.model, RunSettings(position=places(wanted), until=0.01)), tmp_path / name)
    again = open_model(tmp_path / name)
    assert again.settings.position == places(wanted)
    assert [again.start()[a] for a in ANGLES] == pytest.approx([wanted[a] for a in ANGLES], abs=1e-9)
    assert [again.run()[a][0] for a in ANGLES] == pytest.approx([wanted[a] for a in ANGLES], abs=1e-9)


def test_a_rough_position_is_closed_from_there_and_picks_the_branch(document):
    """Coupler and rocker told to be below, the loop closes there: the lower of the points where two circles meet."""
    rough = (("coupler", (0.22, 0, -0.1, np.cos(0.67), 0, np.sin(0.67), 0)), ("rocker", (0.35, 0, -0.1, 0, 0, 1, 0)))
    for position, side in ((rough, -1), ((), 1)):
        state = RunSettings(position=position).first_state(document.system)
        B, C = (state.channels.point(document.model.joints[name].a)[0] for name in "BC")
        D, r, R = np.array([0.35, 0, 0]), np.hypot(0.25, 0.2), 0.2  # of the coupler and of the rocker, as drawn
        away = np.linalg.norm(D - B)
        e, x = (D - B) / away, (away**2 + r**2 - R**2) / (2 * away)
        n = np.array([-e[2], 0, e[0]])
        assert np.abs(C - (B + x * e + side * np.sqrt(r**2 - x**2) * n)).max() < 1e-8
        assert state["residual.position"] < 1e-9


def test_velocities_at_the_start_stay_with_the_body():
    model = vc.Model()
    ball = model.body("ball", 1.0, 0.1, com=(0.1, 0, 0), velocity=(1, 0, 0), angular_velocity=(0, 0, 2.0))
    turned = RunSettings(position=((ball.name, (1.0, 2.0, 3.0, np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4))),))
    state = turned.first_state(vc.compile(model))
    assert [state[f"ball.{a}"] for a in "xyz"] == pytest.approx([1.0, 2.0, 3.0])
    assert [state[f"ball.v{a}"] for a in "xyz"] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    assert [state[f"ball.w{a}"] for a in "xyz"] == pytest.approx([0.0, 0.0, 2.0], abs=1e-12)


@pytest.mark.parametrize(("text", "words"), [
    ("crank: [0, 0, 0]", "run: position: crank: the place of 'crank' at the start is .*; it has seven numbers"),
    ("crank: [0, 0, 0, 0, 0, 0, 0]", "it has seven numbers"),
    ("cranc: [0, 0, 0, 1, 0, 0, 0]", "there is no body 'cranc' to begin elsewhere.* Did you mean 'crank'"),
    ("crank: there", "a list is needed"), ("crank: [0, 0, 0, 1, 0, 0, .nan]", "not a finite number")])
def test_wrong_positions_are_refused_with_their_place(tmp_path, text, words):
    path = tmp_path / "wrong.yaml"
    path.write_text(FOUR_BAR + f"run: {{position: {{{text}}}}}\n")
    with pytest.raises(vc.FileError, match=words):
        open_model(path)


def test_cards_refuse_what_they_cannot_say(document, tmp_path):
    asked = RunSettings(position=places(document.start()))
    with pytest.raises(vc.ModelError, match="'crank' begins elsewhere than drawn"):
        save_model(Document(document.model, asked), tmp_path / "cards")
