"""No template and no example is in doubt; a drive that was forgotten is."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import vincolo as vc
from vincolo.analyses.plausibility import forgotten
from vincolo.cli.app import app
from vincolo.formats import open_model
from vincolo.formats.excel.template_models import TEMPLATES
from vincolo.formats.excel.vehicle_templates import vehicle_templates

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES = sorted(p.relative_to(EXAMPLES).as_posix() for ending in ("yaml", "xlsx", "urdf", "py")
               for p in EXAMPLES.rglob(f"*.{ending}"))
#: programs that are no models, and what is in doubt for a reason: the book has a point mass of 1 kg with 1 kg mm2
NO_MODELS = {"cardan_efficiency.py", "comparison.py", "formula_student.py", "path_synthesis.py", "workbooks/make.py"}
IN_DOUBT = {"workbooks/a01_pendulum.xlsx": "denser than any metal"}


def doubted(path):
    """What `check` doubts, as programs and as people see it."""
    found = CliRunner().invoke(app, ["check", str(path), "--json"])
    assert found.exit_code == 0, found.output
    about = json.loads(found.output)
    shown = CliRunner().invoke(app, ["check", str(path)]).output
    assert shown.count("doubt: ") == len(about["doubts"]), shown
    return [*about["doubts"], *about["warnings"]]


@pytest.mark.parametrize("ending", ["xlsx", "yaml"])
@pytest.mark.parametrize("name", [name for name in {**TEMPLATES, **vehicle_templates()} if name != "blank"])
def test_no_template_is_in_doubt(name, ending, tmp_path):
    path = tmp_path / f"a.{ending}"
    assert CliRunner().invoke(app, ["new", str(path), "--template", name]).exit_code == 0
    assert doubted(path) == []


@pytest.mark.parametrize("name", [name for name in FILES if name not in NO_MODELS])
def test_no_example_is_in_doubt(name):
    found = doubted(EXAMPLES / name)
    assert len(found) == (name in IN_DOUBT) and all(IN_DOUBT[name] in text for text in found), found


def test_freedoms_that_nothing_moves_are_in_doubt_beside_drives():
    """A driven crank with a rod that hangs: in doubt, until a spring moves it, or a joint takes its freedom."""
    def model(spring=False, driven=True, held=False):
        m = vc.Model("crank")
        crank, rod = m.body("crank", 1.0, 0.1, at=(0.5, 0, 0)), m.body("rod", 1.0, 0.1, at=(1.5, 0, 0))
        m.revolute("O", m.ground, crank, at=(0, 0, 0), axis="y")
        m.revolute("A", crank, rod, at=(1, 0, 0), axis="y")
        if driven:
            m.drive("O.angle", "t")
        if spring:
            m.spring("s", "A.angle", k=5.0)
        if held:
            m.hold("h", "A.angle")
        return vc.assemble(m)

    assert "freedoms: 'rod'" in forgotten(model())[0]
    assert forgotten(model(spring=True)) == forgotten(model(driven=False)) == forgotten(model(held=True)) == []


def test_spins_of_rods_between_balls_are_not_in_doubt():
    document = open_model(EXAMPLES / "mcpherson.py")
    assert forgotten(document.start()) == []
