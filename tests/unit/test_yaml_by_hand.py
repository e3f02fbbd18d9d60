"""YAML files that are written by hand say what Python says; their parameters, changes to them, and how they are run."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Scipy

import vincolo as vc
from filed_models import CRANK, crank
from same_models import assert_same, bits, numbers
from vincolo.formats import load_model, save_model
from vincolo.formats.tree.save import data_of

# written by hand


@pytest.mark.parametrize("given", [{}, {"l": 0.4, "w": 3.0}])
def test_a_file_written_by_hand_is_the_model_written_in_python(given, tmp_path):
    path = tmp_path / "crank.yaml"
    path.write_text(CRANK)
    model = load_model(path, given)
    (read, names), (written, names_written) = numbers(model), numbers(crank(**given))
    assert names == names_written
    for key, value in written.items():
        assert bits(read[key]) == bits(value), key
    assert_same(model, tmp_path)


def test_sub_models_come_from_other_files(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "leg.yaml").write_text(
        "parameters: {m: 2}\nbodies: {arm: {mass: =m, inertia: 0.1, at: [0, 0.4, 0]}}\n"
        "joints: {hip: {kind: revolute, a: ground, b: arm, at: [0, 0.1, 0], axis: x}}\n")
    (tmp_path / "walker.yaml").write_text(
        "bodies: {trunk: {mass: 10, inertia: 1}}\nsubmodels:\n"
        "  left: {use: parts/leg.yaml, at: [0, 0, 1], on: trunk}\n"
        "  right: {use: parts/leg.yaml, at: [0, 0, 1], mirror: y, on: trunk, parameters: {m: 3}}\n"
        "drives:\n  turn: {measure: right.hip.angle, function: t}\n")
    m = load_model(tmp_path / "walker.yaml")
    assert m.bodies["left.arm"].mass == 2 and m.bodies["right.arm"].mass == 3
    assert m.bodies["right.arm"].at.tolist() == [0, -0.4, 1] and m.joints["right.hip"].mirrored
    assert_same(m, tmp_path)


@pytest.mark.parametrize(("text", "expected"), [
    ("{euler: ZXZ, angles: [10, 20, 30], degrees: true}", Scipy.from_euler("ZXZ", [10, 20, 30], degrees=True)),
    ("{euler: xyz, angles: [0.1, 0.2, 0.3]}", Scipy.from_euler("xyz", [0.1, 0.2, 0.3])),
    ("{axis: [1, 1, 0], angle: 0.3}", vc.Rotation.axis_angle((1, 1, 0), 0.3)),
    ("{z: x, x: y}", vc.Rotation.axes("x", "y")),
    ("[1, 0, 1, 0]", vc.Rotation((1, 0, 1, 0)))])
def test_rotations_can_be_written_in_many_ways(text, expected, tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(f"bodies: {{b: {{mass: 1, orientation: {text}}}}}")
    matrix = expected.as_matrix() if isinstance(expected, Scipy) else np.asarray(expected.matrix)
    assert load_model(path).bodies["b"].orientation == pytest.approx(matrix, abs=1e-15)


def test_words_are_words_and_numbers_are_numbers(tmp_path):
    """YAML 1.1 would read no as false, 1:30 as 90 and 1e-3 as a text."""
    path = tmp_path / "m.yaml"
    path.write_text("name: no\nbodies:\n  on: {mass: 1e-3}\n  1:30: {mass: 2}\n  y: {mass: +3.}\n")
    m = load_model(path)
    assert m.name == "no" and {n: b.mass for n, b in m.bodies.items()} == {"on": 1e-3, "1:30": 2, "y": 3}


# parameters, points, changes, and how to run

HARDPOINTS = """
points: {hub: [0, "=l", 0], foot: [0, 0, 0], side: [0, 0, 2]}
parameters: {l: =2*h, h: 0.3}
bodies:
  arm: {mass: 2, inertia: 0.1, at: hub, com: foot}
  rod: {shape: {kind: cylinder, mass: 1, length: 0.5, radius: 0.01}, at: [1, 0, 0]}
frames:
  eye: {on: arm, at: hub}
joints:
  O: {kind: revolute, a: ground, b: arm, at: foot, axis: foot -> side}
springs:
  s: {between: [{on: ground, at: side}, eye], k: 10}
run: {until: 2, outputs: 7, integrator: {kind: Radau, rtol: 1.0e-8}, channels: [arm.x]}
"""


def test_points_by_name_and_parameters_in_any_order(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(HARDPOINTS)
    m = vc.Model("mechanism")
    arm = m.body("arm", 2.0, 0.1, (0, 0.6, 0), com=(0, 0, 0))
    m.body("rod", vc.cylinder(mass=1.0, length=0.5, radius=0.01), at=(1, 0, 0))
    eye = m.frame("eye", arm, (0, 0.6, 0))
    m.revolute("O", m.ground, arm, (0, 0, 0), (0, 0, 2))
    m.spring("s", m.ground.frame((0, 0, 2)), eye, k=10)
    assert_equal_models(load_model(path), m)


def assert_equal_models(first, second):
    (found, rows), (wanted, other) = numbers(first), numbers(second)
    assert rows == other
    for key, value in wanted.items():
        assert bits(found[key]) == bits(value), key


def test_a_file_says_how_it_is_run(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(HARDPOINTS)
    document = vc.open_model(path)
    assert document.settings == vc.RunSettings(until=2.0, outputs=7, integrator=vc.Radau(rtol=1e-8),
                                               channels=("arm.x",))
    result = document.run()
    assert len(result.t) == 8 and result.t[-1] == 2.0 and "Radau" in result.settings.integrator
    save_model(document, tmp_path / "copy.yaml")
    assert vc.open_model(tmp_path / "copy.yaml").settings == document.settings


def test_numbers_are_changed_by_part_and_key(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(HARDPOINTS)
    m = load_model(path, {"h": 0.5, "arm.mass": 3, "rod.length": 1.0, "rod.at.x": 4, "s.k": "=20*h", "run.until": 1})
    assert (m.bodies["arm"].mass, m.bodies["arm"].at[1], m.springs["s"].k) == (3.0, 1.0, 10.0)
    assert m.bodies["rod"].at[0] == 4.0 and m.bodies["rod"].inertia.max() == pytest.approx((3 * 0.01**2 + 1) / 12)
    assert vc.open_model(path, {"run.until": 1}).settings.until == 1


@pytest.mark.parametrize("settings", [
    vc.RunSettings(), vc.RunSettings("kinematics", until=3.0), vc.RunSettings(integrator=vc.Auto(), outputs=10),
    vc.RunSettings(integrator=vc.RK4(step=0.1 + 0.2), formulation=vc.AugmentedLagrangian(alpha=1e7, omega=10.0),
                   stabilisation=vc.Baumgarte(alpha=5.0, beta=7.0)),
    vc.RunSettings(formulation=vc.QTZ(), integrator=vc.Adams(rtol=1e-3))])
def test_settings_come_back(settings, tmp_path):
    m = vc.Model()
    m.body("b", 1.0)
    save_model(m, tmp_path / "m.yaml", settings)
    assert vc.open_model(tmp_path / "m.yaml").settings == settings


def test_conversion_keeps_formulas(tmp_path):
    (tmp_path / "a.yaml").write_text(HARDPOINTS)
    vc.convert(tmp_path / "a.yaml", tmp_path / "b.yaml")
    assert "h: 0.3" in (tmp_path / "b.yaml").read_text() and "=2*h" in (tmp_path / "b.yaml").read_text()
    assert_equal_models(load_model(tmp_path / "b.yaml", {"h": 0.7}), load_model(tmp_path / "a.yaml", {"h": 0.7}))


def test_a_python_file_is_a_model(tmp_path):
    path = tmp_path / "pendulum.py"
    path.write_text("""import vincolo as vc
run = vc.RunSettings(until=0.5)


def build(length=1.0):
    m = vc.Model("pendulum")
    m.revolute("O", m.ground, m.body("bob", 1.0, 0.0, (length, 0, 0)), (0, 0, 0), "y")
    return m
""")
    document = vc.open_model(path, {"length": 2.0, "bob.mass": 3.0})
    assert document.settings.until == 0.5
    bob = document.model.bodies["bob"]
    assert (bob.at[0], bob.mass) == (2.0, 3.0)


def test_looks_and_colours_come_back(tmp_path):
    leg = vc.Model()
    foot = vc.box((0.2, 0.4, 0.1), mass=1.0).moved((0, 1, 0), vc.Rotation.axis_angle("x", 0.3))
    leg.body("foot", foot, colour="teal")
    m = vc.Model("robot")
    m.body("hull", vc.sphere(0.5, density=10.0) + vc.cone(0.2, 1.0, mass=3.0), colour="#102030")
    m.look("hull", "extrusion", profile=[(0, 0), (1, 0), (0, 1)], length=0.1, axis="x", colour="red")
    m.look(m.ground, "plate", size=(1, 2))
    m.add("left", leg)
    m.add("right", leg, mirror="y")
    for name in ("robot.yaml", "robot.xlsx"):
        copy = load_model(save_model(m, tmp_path / name))
        assert copy.colours == m.colours and list(copy.looks) == sorted(m.looks, key=list(copy.looks).index)
        for body, looks in m.looks.items():
            for one, other in zip(looks, copy.looks[body], strict=True):
                assert (one.kind, one.numbers, one.colour) == (other.kind, other.numbers, other.colour)
                assert bits(one.at) == bits(other.at) and bits(one.orientation) == bits(other.orientation)
        assert data_of(copy) == data_of(m)


def test_shapes_written_by_hand_are_seen(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("""
bodies:
  crank: {shape: {kind: box, size: [1, 0.1, 0.1], mass: 2, at: [0.5, 0, 0]}, colour: red}
looks:
  crank: {shapes: [{kind: sphere, radius: 0.2, colour: blue}]}
  ground: {colour: silver}
""")
    m = load_model(path)
    assert [look.kind for look in m.looks["crank"]] == ["box", "sphere"] and m.colours == {
        "crank": "red", "ground": "silver"}
    assert m.looks["crank"][0].at.tolist() == [0.5, 0.0, 0.0]
