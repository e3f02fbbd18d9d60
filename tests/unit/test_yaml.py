"""Models in YAML files: nothing is lost, to the last bit."""


import pytest

import vincolo as vc
from example_models import NAMES as EXAMPLES
from example_models import built
from filed_models import all_kinds, pendulum
from function_samples import SAMPLES
from same_models import again, assert_same, bits
from vincolo.formats import save_model
from vincolo.model import functions
from walking_legs import body, leg

# nothing is lost

@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_the_same_after_save_and_load(name, tmp_path):
    assert_same(built(name), tmp_path)


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
    m = body()
    outer = vc.Model("outer")
    m.measure("look", vc.angle(m.ground.frame((0, 0, 0)), m.bodies["trunk"].frame((0, 1, 0), z=(1, 2, 3)), "y"))
    m.add("left", leg(), at=(0.1, 0.2, 1), orientation=(0.9, 0.1, 0.2, 0.3), on="trunk")
    m.add("right", leg(), mirror="y", on="trunk")
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
