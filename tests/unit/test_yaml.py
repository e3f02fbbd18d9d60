"""Models in YAML files: nothing is lost, to the last bit."""

import contextlib
import io
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc
from example_models import NAMES as EXAMPLES
from example_models import built
from same_models import again, assert_same, bits
from vincolo.equations import measures as equations
from vincolo.formats import save_model
from vincolo.model import functions
from vincolo.model.measure import measure

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SAMPLES = runpy.run_path(str(ROOT / "tests" / "laws" / "test_function_laws.py"))["SAMPLES"]
SUBMODELS = runpy.run_path(str(ROOT / "tests" / "unit" / "test_submodels.py"))
PAGES = [p.stem for p in sorted((ROOT / "docs").glob("*.md")) if "Model(" in p.read_text() and p.stem != "yaml"]


def pendulum():
    m = vc.Model("pendulum")
    arm = m.body("arm", 2.0, (0.1, 0.2, 0.25), at=(0.3, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    return m


# nothing is lost

@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_the_same_after_save_and_load(name, tmp_path):
    assert_same(built(name), tmp_path)


@pytest.mark.parametrize("page", PAGES)
def test_every_model_of_the_documents_is_the_same_after_save_and_load(page, tmp_path, monkeypatch):
    """The catalogue has every joint, drive and function."""
    monkeypatch.chdir(tmp_path)
    names, seen, kinds = {"__name__": "document"}, [], set()
    for block in BLOCK.finditer((ROOT / "docs" / f"{page}.md").read_text()):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(block[1], names)
        for model in [v for v in names.values() if isinstance(v, vc.Model) and not any(v is s for s in seen)]:
            seen.append(model)
            kinds |= {j.kind for j in assert_same(model, tmp_path).joints.values()}
    assert seen
    if page == "catalogue":
        assert kinds == set(runpy.run_path(str(ROOT / "src/vincolo/equations/joints.py"))["CATALOGUE"])


@pytest.mark.parametrize("kind", SAMPLES, ids=lambda kind: kind.__name__)
def test_every_function_is_the_same_after_save_and_load(kind, tmp_path):
    for f in SAMPLES[kind]:
        nested = functions.Pieces([f, functions.Shifted(f, 0.1) * 2.0], [0.5])
        m = pendulum()
        m.drive("O.angle", f)
        m.actuator("motor", "O.angle", f)
        m.force("push", m.bodies["arm"], (f, nested, 0.0))
        copy = assert_same(m, tmp_path)
        assert copy.holds["O.angle.drive"].function == f and copy.laws["motor"].history == f
        assert copy.loads["push"].components == (f, nested, functions.Constant(0.0))


def all_kinds():
    """A model with what the documents leave out."""
    m = vc.Model("= odd: 'names' \u2028 \"and\" # signs", gravity=(1e-17, -0.0, 9.80665))
    one = m.body("no", vc.box((0.1, 0.2, 0.3), density=7850).moved((0.1, 0, 0), vc.Rotation.euler("zxz", 1, 2, 3)),
                 at=(1 / 3, 2 / 7, -0.0), orientation=(0.3, -0.2, 0.9, 0.1), velocity=(1, 2, 3))
    two = m.body("=1e3", 0.1 + 0.2, np.diag([3.0, 4, 5]) * 1e-5, at=(1, 0, 0), com=(0, 1e-300, 0.1))
    a = m.frame("\N{GREEK SMALL LETTER ALPHA}, {x}", one, (0, 0, 1), z=(1, 2, 3))
    b = two.frame((1, 1, 1), z="-x", x="y", name="own")
    free = two.frame(local=(0.1, 0.2, 0.3)).moving(x="0.1*t", angle=vc.Sine(1, 2), axis="y")
    O = m.universal("O", m.ground, one, at=(0, 0, 0), axis="x", axis2="y")  # noqa: E741
    m.elbow("E", one, two, at=(0.2, 0, 0), axis="z", axis2=(0, 1, 1), angle=1.1)
    m.distance("rod", a, b, length=1.5)
    m.measure("d", vc.distance(a, free))
    m.measure("turned", vc.angle(a, free, "z"))
    m.measure("back", measure(-equations.azimuth.reversed(), a, b))
    m.measure("sum", 2 * O["angle1"] - 3 * vc.cosine("x", "y", a, b))
    m.hold("first", vc.formula("k*sqrt(x^2 + y^2) - f(t) + k2", x=vc.along("x", a, b), y=vc.along("y", a, b), k=2.5,
                               k2=0.25, f=vc.Sine(1, 2)))
    m.drive(O["angle1"], "t", level="velocity")
    m.hold("rates", vc.formula("x_rate - 2*y_rate", x=vc.along("x", a, b), y=vc.azimuth(a, free)))
    m.hold("traced", vc.formula(lambda x, y: x * y - 1.0, x=vc.along("x", a, b), y=vc.along("z", a, b)))
    m.drive("O.angle2", 0.1, "other", level="acceleration")
    m.spring("s", b, m.ground.frame((9, 9, 9)), k=5.0, length=0.3, preload=-2)
    m.law("named", "d", "k*(d - d0) + c*dd", k=100.0, d0=0.3, c=5.0)
    m.actuator("between", "O.angle1", "2*k*t", k=3.0)
    m.law("curve", vc.along_world("z", a, b), vc.Spline([0, 1, 2], [0, 5, 7]))
    m.actuator("constant history", "O.angle2", vc.Constant(3.0))
    m.rotor("O.angle1", 1 / 3, ratio=-7.0)
    m.rotor("sum", 1e-5, name="flywheel")
    m.rotor(vc.along_world("z", a, b), 0.25, name="sledge")
    m.torque("twist", b, (0, "sin(t)", vc.Sine(1, 2)), axes="body")
    m.force("carried", free, (1, "sin(t)", 0))
    m.switch("O", False, rows=[1, 3])
    m.switch("first", True, at=0.1)
    return m


def test_all_kinds_of_parts_and_odd_names_are_the_same(tmp_path):
    copy = assert_same(all_kinds(), tmp_path)
    assert list(copy.bodies) == ["no", "=1e3"]
    assert copy.laws["named"].formula == all_kinds().laws["named"].formula
    assert copy.holds["traced"].measure.tape == all_kinds().holds["traced"].measure.tape


def test_shared_frames_stay_shared(tmp_path):
    """Angles between the same frames count the same turns."""
    m = pendulum()
    one, two = m.ground.frame((0, 0, 1)), m.bodies["arm"].frame((1, 0, 0))
    m.measure("first", vc.azimuth(one, two))
    m.measure("second", 2 * vc.azimuth(one, two))
    copy = assert_same(m, tmp_path)
    (_, _, a, b), (_, _, c, d) = copy.measures["first"].terms[0], copy.measures["second"].terms[0]
    assert a is c and b is d and not copy.frames
    assert copy.joints["O"]["angle"].terms[0][2] is copy.joints["O"].a


def test_sub_models_stay_sub_models(tmp_path):
    m = SUBMODELS["body"]()
    outer = vc.Model("outer")
    m.measure("look", vc.angle(m.ground.frame((0, 0, 0)), m.bodies["trunk"].frame((0, 1, 0), z=(1, 2, 3)), "y"))
    m.add("left", SUBMODELS["leg"](), at=(0.1, 0.2, 1), orientation=(0.9, 0.1, 0.2, 0.3), on="trunk")
    m.add("right", SUBMODELS["leg"](), mirror="y", on="trunk")
    m.drive("left.hip.angle", "t")
    placed = outer.add("walker", m, at=(1, 2, 3), orientation=vc.Rotation.axis_angle((1, 2, 3), 0.4), mirror="x")
    for model in (m, outer):
        copy = assert_same(model, tmp_path)
        for name, part in model.submodels.items():
            assert set(copy.submodels[name].parts) == set(part.parts) and copy.submodels[name].on.name == part.on.name
    assert copy.submodels["walker"]["left"]["arm"] is copy.bodies["walker.left.arm"]
    assert placed["left"]["arm"].name == "walker.left.arm"


def test_a_run_of_the_copy_is_the_same_run(tmp_path):
    m = pendulum()
    first, second = (vc.simulate(x, until=0.5, outputs=20) for x in (m, again(m, tmp_path)))
    assert bits(first["arm.x"]) == bits(second["arm.x"])


def test_short_things_stand_on_one_line_with_all_their_digits(tmp_path):
    m = vc.Model()
    m.body("b", 0.1 + 0.2, 0.1, at=(1 / 3, 0, 0))
    m.frame("tip", "b", local=(0, 0, 1), z="y", x="z")
    lines = save_model(m, tmp_path / "m.yaml").read_text().splitlines()
    assert "  b: {mass: 0.30000000000000004, inertia: [0.1, 0.1, 0.1], at: [0.3333333333333333, 0.0, 0.0]}" in lines
    assert "  tip: {on: b, local: [0.0, 0.0, 1.0], z: y, x: z}" in lines


def test_the_names_of_numbers_in_a_law_are_found_again(tmp_path):
    m = pendulum()
    m.law("bush", "O.angle", "k*d + c*dd", k=100.0, c=5.0)
    text = save_model(m, tmp_path / "m.yaml").read_text()
    assert "force: k*d + c*dd, constants: {k: 100.0, c: 5.0}" in text


def test_a_file_is_replaced_only_when_complete(tmp_path, monkeypatch):
    path = save_model(pendulum(), tmp_path / "m.yaml")
    before = path.read_text()

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", broken)
    with pytest.raises(OSError, match="disk full"):
        save_model(vc.Model("other"), path)
    assert path.read_text() == before and [p.name for p in tmp_path.iterdir()] == ["m.yaml"]
