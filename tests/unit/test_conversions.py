"""Every example through every format: Python, YAML, workbook, cards where they can tell it, and back."""


import numpy as np
import pytest

import vincolo as vc
from example_models import NAMES, built
from vincolo.formats.cards import CardError

IN_CARDS = {"andrews_squeezer", "bricard", "car", "clearance_slider_crank", "five_bar", "flyball_governor", "free_body",
            "heavy_top", "n_four_bar", "parallel_robot", "pendulum", "slider_crank", "spatial_double_pendulum",
            "tolerance_slider_crank"}
# the others have joints or forces that cards do not know
SHORT = {"andrews_squeezer": 0.01, "truck": 0.2, "car": 0.2}


def motion(model, until):
    jumps = any(contact.rigid for contact in model.contacts.values())  # which Moreau's steps alone can follow
    integrator = vc.integrators.Moreau(step=2e-3) if jumps else vc.DOP853(rtol=1e-10, atol=1e-12)
    result = vc.simulate(model, until=until, outputs=10, integrator=integrator, progress=False)
    return np.concatenate([result.motion(name).position.ravel() for name in model.bodies])


@pytest.mark.filterwarnings("ignore:write_cards")  # looks, and frames with a name
@pytest.mark.parametrize("name", NAMES)
def test_an_example_goes_through_all_formats(name, tmp_path):
    model = built(name)
    settings = vc.RunSettings(until=SHORT.get(name, 0.3), outputs=10)
    vc.save_model(model, tmp_path / "a.yaml", settings)
    vc.convert(tmp_path / "a.yaml", tmp_path / "b.xlsx")
    vc.convert(tmp_path / "b.xlsx", tmp_path / "c.yaml")
    assert (tmp_path / "c.yaml").read_text() == (tmp_path / "a.yaml").read_text()
    document = vc.open_model(tmp_path / "b.xlsx")
    assert document.settings == settings
    before = motion(model, settings.until)
    assert np.array_equal(motion(document.model, settings.until), before)
    try:
        vc.convert(tmp_path / "b.xlsx", tmp_path / "cards")
    except CardError as error:
        assert name not in IN_CARDS, error
        assert not (tmp_path / "cards").exists()
        return
    assert name in IN_CARDS
    copy = vc.load_model(tmp_path / "cards")
    start = vc.open_model(tmp_path / "cards").start()
    first = vc.assemble(vc.compile(model))
    for body, told in zip(model.bodies, copy.bodies, strict=True):
        there, here = (x.channels.motion(x.system.body_of(n), np.zeros(3)) for x, n in ((first, body), (start, told)))
        assert here.position == pytest.approx(there.position, abs=1e-9)
        scale = 1.0 + np.abs(there.acceleration).max()
        assert here.acceleration == pytest.approx(there.acceleration, abs=1e-6 * scale)


def test_a_law_that_reads_a_reaction_comes_back_from_a_workbook_as_it_was(tmp_path):
    model = vc.Model("rubbing pendulum")
    arm = model.body("arm", 1.0, 0.1, at=(0.5, 0, 0))
    model.revolute("O", model.ground, arm, at=(0, 0, 0), axis="y")
    model.law("rub", "O.angle", "mu*O.reaction.force*tanh(dd)", mu=0.1, reactions="solved")
    vc.save_model(model, tmp_path / "a.yaml")
    vc.convert(tmp_path / "a.yaml", tmp_path / "b.xlsx")
    vc.convert(tmp_path / "b.xlsx", tmp_path / "c.yaml")
    assert (tmp_path / "c.yaml").read_text() == (tmp_path / "a.yaml").read_text()
