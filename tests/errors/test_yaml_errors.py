"""Every mistake in a YAML file is named with file, line and key, and with a way out."""

import math
import re

import numpy as np
import pytest

import vincolo as vc
from vincolo.errors import FileErrors
from vincolo.formats import load_model, save_model
from vincolo.formats.yaml import read as yaml_read
from vincolo.model import functions

BODY = "bodies:\n  arm: {mass: 1, inertia: 0.1}\n  rod: {mass: 1, inertia: 0.1, at: [1, 0, 0]}\n"
HINGE = "joints:\n  O: {kind: revolute, a: ground, b: arm, at: [0, 0, 0], axis: z}\n"
DRIVE = BODY + HINGE + "drives: {d: {measure: O.angle, "  # line 6
LOAD = BODY + "loads: {f: {components: [0, 0, 1], "  # line 4


def refusal(tmp_path, text, error=vc.ModelError, **given):
    path = tmp_path / "m.yaml"
    path.write_bytes(text) if isinstance(text, bytes) else path.write_text(text)
    with pytest.raises(error) as caught:
        load_model(path, given)
    return str(caught.value)


#: text of a file, and what its error must say
MISTAKES = {
    "empty": ("", r"m\.yaml: the file is empty.*bodies:"),
    "only comments": ("# nothing\n", "the file is empty"),
    "a list": ("- a\n", "line 1: a model is a map of keys"),
    "unknown section": ("bodys: {}\n", r"line 1, bodys: there is no key 'bodys' here. Did you mean 'bodies'"),
    "unknown key": ("bodies:\n  arm:\n    mass: 1\n    inertai: 2\n",
                    r"line 4, bodies: arm: inertai: there is no key 'inertai' here. Did you mean 'inertia'"),
    "text for a number": ("bodies: {arm: {mass: heavy}}", "line 1, bodies: arm: mass: 'heavy' .*; a number is needed"),
    "true for a number": ("bodies: {arm: {mass: true}}", "mass: True .*a number is needed"),
    "too few numbers": ("bodies: {arm: {mass: 1, at: [1, 2]}}", r"arm: at: \[1, 2\] .*a longer list is needed"),
    "text in a vector": ("bodies: {arm: {mass: 1, at: [1, 2, x]}}", r"at\[2\]: 'x' .*a number is needed"),
    "a number for a text": (BODY + "frames: {f: {on: 1}}", "line 4, frames: f: on: 1 .*a text is needed.*in quotes"),
    "a section that is a list": ("bodies: [1]", r"bodies: \[1\] .*a map of names"),
    "a body that is a number": ("bodies:\n  arm: 3\n", "line 2, bodies: arm: 3 is not a map"),
    "missing key": (BODY + "springs: {s: {between: [a, b]}}", "line 4, springs: s: the key 'k' is missing"),
    "neither mass nor shape": ("bodies: {arm: {at: [0, 0, 0]}}", "either mass .* or shape"),
    "negative mass": ("bodies:\n\n  arm: {mass: -1}", "line 3, bodies: arm: mass: body 'arm': the mass is -1 kg"),
    "nan": ("bodies: {arm: {mass: .nan}}", "arm: mass: .nan is not a finite number"),
    "infinity": ("gravity: [0, 0, -.inf]", r"gravity\[2\]: -.inf is not a finite number"),
    "overflow": ("gravity: [0, 0, 1e999]", r"gravity\[2\]: 1e999 is not a finite number"),
    "missing body": (BODY + "joints: {O: {kind: revolute, a: ground, b: amr, at: [0, 0, 0], axis: z}}",
                     "line 4, joints: O: b: there is no body or frame called 'amr'.*Did you mean 'arm'"),
    "missing body of a frame": (BODY + "frames: {f: {on: amr}}", "no body called 'amr'.*arm, rod.*Did you mean 'arm'"),
    "missing joint": (BODY + HINGE + "drives: {d: {measure: P.angle, function: t}}",
                      "line 6, drives: d: measure: there is nothing called 'P.angle'.*Did you mean 'O.angle'"),
    "missing frame": (BODY + "loads: {f: {kind: force, where: tpi, components: [0, 0, 1]}}\nframes: {tip: {on: arm}}",
                      "where: there is no body or frame called 'tpi'.*Did you mean 'tip'"),
    "key twice": ("bodies:\n  arm: {mass: 1}\n  arm: {mass: 2}\n", "line 3: the key 'arm' is used already, in line 2"),
    "section twice": (BODY + "bodies: {}\n", "line 4: the key 'bodies' is used already, in line 1"),
    "name twice": (BODY + "frames: {arm: {on: rod}}", "line 4, frames: arm: .*already a body called 'arm'"),
    "reserved name": ("bodies: {ground: {mass: 1}}", "bodies: ground: .*the program itself"),
    "point at the end of a name": ("bodies: {a.: {mass: 1}}", "no dot at its beginning or end"),
    "indentation": ("bodies:\n  arm:\n    mass: 1\n   inertia: 2\n", "line 4: the YAML is broken here.*indentation"),
    "tab": ("bodies:\n\tarm: {mass: 1}\n", "line 2: the line begins with a tab.*spaces"),
    "open bracket": ("gravity: [0, 0, 1\nname: x\n", "line 2: .*brackets and quotes are closed"),
    "list as a key": ("[1, 2]: 3\n", "line 1: a list or map is where a key is expected"),
    "two documents": ("name: a\n---\nname: b\n", "line 2: a second document begins"),
    "tag": ("name: !!python/object:os.system x\n", "line 1: the tag .* is not read"),
    "tag of a map": ("bodies: !!omap {}\n", "line 1: the tag .* is not read"),
    "anchor": ("a: &x [1]\n", r"line 1: &x: anchors and aliases are not read"),
    "alias": ("a: *x\n", r"line 1: \*x: anchors and aliases are not read"),
    "merge": ("bodies: {arm: {<<: {mass: 1}}}", "there is no key '<<'"),
    "not UTF-8": (b"name: \xff\xfe\x00", "byte 6 is not UTF-8"),
    "control characters": ("name: \x00\x01", r"m\.yaml.*not YAML"),
    "nested too deep": ("a: " + "[" * 5000, "line 1: lists and maps are nested more than 150 deep"),
    "newer format": ("vincolo: 2\n", "line 1, vincolo: this is format 2; this program reads format 1"),
    "unknown joint": (BODY + "joints: {O: {kind: revolut, a: ground, b: arm}}",
                      "joints: O: kind: 'revolut' is not a kind of joint. Did you mean 'revolute'"),
    "unknown key of a joint": (BODY + "joints: {O: {kind: revolute, a: ground, b: arm, axsi: z}}",
                               "O: axsi: revolute has no 'axsi'. Did you mean 'axis'"),
    "missing axis": (BODY + "joints: {O: {kind: revolute, a: ground, b: arm, at: [0, 0, 0]}}",
                     "line 4, joints: O: revolute joint 'O': the axis is missing"),
    "missing pitch": (BODY + "joints: {O: {kind: screw, a: ground, b: arm, at: [0, 0, 0], axis: z}}",
                      "O: screw: 'pitch' is missing"),
    "missing side": (BODY + "joints: {O: {kind: fixed, a: ground}}", "O: fixed: 'b' is missing"),
    "parameters between frames": (BODY + "joints: {O: {kind: screw, between: [{on: arm}, {on: rod}]}}",
                                  "parameters of screw between frames: pitch; given are: none"),
    "one body": (BODY + "joints: {O: {kind: fixed, between: [{on: arm}, {on: arm}]}}", "same body 'arm'"),
    "unknown measure": (BODY + "measures: {m: {kind: distanse, between: [{on: arm}, {on: rod}]}}",
                        "m: kind: 'distanse' is not a kind of measure. Did you mean 'distance'"),
    "axes of a measure": (BODY + "measures: {m: {kind: along, axes: [w], between: [{on: arm}, {on: rod}]}}",
                          r"along has 1: x, y or z"),
    "unknown function": (DRIVE + "function: {kind: Sin}}}",
                         "d: function: there is no function called 'Sin'. Did you mean 'Sine'"),
    "unknown field": (DRIVE + "function: {kind: Sine, amplitud: 1}}}",
                      "amplitud: Sine has no 'amplitud'. Did you mean 'amplitude'"),
    "missing field": (DRIVE + "function: {kind: Sine, amplitude: 1}}}",
                      "Sine: 'frequency' is missing"),
    "wrong field": (DRIVE + "function: {kind: Sine, amplitude: a, frequency: 1}}}",
                    "line 6, drives: d: function: Sine: amplitude is 'a'"),
    "broken formula": (DRIVE + "function: sin(}}", "line 6, drives: d: function: "),
    "code": (DRIVE + "function: \"__import__('os')\"}}", "line 6, drives: d"),
    "level": (DRIVE + "level: speed}}", "level: 'speed' is not one of: position"),
    "law by time": (BODY + HINGE + "laws: {d: {measure: O.angle, force: {kind: Constant, value: 1}}}",
                    "a law by a function is a Spline over d.*actuators"),
    "law without force": (BODY + HINGE + "laws: {d: {measure: O.angle}}", "the key 'force' is missing"),
    "load": (LOAD + "kind: push, where: arm}}", "'push' is neither force nor torque"),
    "load on ground": (LOAD + "kind: force, where: ground}}", "line 4, loads: f: .*ground"),
    "switch": (BODY + HINGE + "switches:\n  - {of: P, on: true}\n", r"line 7, switches\[0\]: .*called 'P'"),
    "shape": ("bodies: {arm: {shape: {kind: bocks}}}", "shape: 'bocks' is not a kind of shape.*Shapes: "),
    "shape key": ("bodies: {arm: {shape: {kind: box, sise: [1, 1, 1]}}}", "box has no 'sise'. Did you mean 'size'"),
    "hole first": ("bodies: {arm: {shape: [{kind: sphere, radius: 1, mass: 1, hole: true}]}}",
                   "the first shape is a hole"),
    "rotation": ("bodies: {arm: {mass: 1, orientation: {turn: 1}}}", "arm: orientation: .* is not a rotation"),
    "no rotation": ("bodies: {arm: {mass: 1, orientation: [[2, 0, 0], [0, 1, 0], [0, 0, 1]]}}", "is not a rotation"),
    "moving frame": (BODY + "frames: {f: {on: arm, moves: {w: t}}}", "f: moves: w: a frame does not move by 'w'"),
    "formula name": ("parameters: {l: 1}\nbodies: {arm: {mass: =2*L}}", "line 2, bodies: arm: mass: the name 'L'"),
    "formula of time": ("bodies: {arm: {mass: =t}}", "t is the time, which has no value here"),
    "formula by zero": ("parameters: {l: 0}\nbodies: {arm: {mass: =1/l}}", "line 2, .*no finite value"),
    "unknown in a parameter": ("parameters:\n  a: =c\n  b: 1\n", "line 2, parameters: a: the name 'c' is not known"),
    "circle of parameters": ("parameters:\n  a: =2*b\n  b: =c+1\n  c: =a\n",
                             "line 2, parameters: a: the formulas go in a circle: a -> b -> c -> a.\n.*a number"),
    "parameter of itself": ("parameters: {a: =a+1}", "parameters: a: the formulas go in a circle: a -> a"),
    "unknown point": ("points: {hub: [0, 0, 1]}\nbodies: {arm: {mass: 1, at: hup}}",
                      "line 2, bodies: arm: at: there is no point called 'hup'. Did you mean 'hub'"),
    "point of two numbers": ("points: {hub: [0, 1]}", "points: hub: .*is not a point; .x, y, z. is needed"),
    "same points": ("points: {a: [0, 0, 1], b: [0, 0, 1]}\nbodies: {arm: {mass: 1}}\n"
                    "joints: {O: {kind: revolute, a: ground, b: arm, at: a, axis: a -> b}}",
                    "line 3, joints: O: axis: the points of 'a -> b' are the same"),
    "look of nothing": ("bodies: {b: {mass: 1}}\nlooks: {c: {colour: red}}", "looks: c: there is no body called 'c'"),
    "look without a shape": ("bodies: {b: {mass: 1}}\nlooks: {b: {shapes: [{kind: bix}]}}", "'bix' is not a shape"),
    "no colour": ("bodies: {b: {mass: 1, colour: bleu}}", "bodies: b: .*'bleu' is not a colour. Did you mean 'blue'"),
    "run of no analysis": ("bodies: {b: {mass: 1}}\nrun: {analysis: magic}", "run: analysis: .*'magic'.*dynamics"),
    "run backwards": ("bodies: {b: {mass: 1}}\nrun: {until: -1}", "run: until: the run ends at -1 s"),
    "unknown integrator": ("bodies: {b: {mass: 1}}\nrun: {integrator: Radua}", "Did you mean 'Radau'"),
    "number of an integrator": ("bodies: {b: {mass: 1}}\nrun: {integrator: {kind: Radau, rtoll: 1}}",
                                "Radau has no 'rtoll'. Did you mean 'rtol'"),
    "wrong number of an integrator": ("bodies: {b: {mass: 1}}\nrun: {integrator: {kind: RK4, step: -1}}",
                                      "run: integrator: .*step is -1 s"),
    "parameter name": ("parameters: {sin: 1}\n", "line 1, parameters: sin: .*it is a function"),
    "parameter text": ("parameters: {l: long}\n", "parameters: l: 'long' is not a finite number and not a formula"),
    "missing file": ("submodels: {left: {use: leg.yaml}}", "line 1, submodels: left: use: there is no file .*leg.yaml"),
    "circle": ("submodels:\n  left: {use: m.yaml}\n", r"line 2, submodels: left: .*in a circle: m.yaml -> m.yaml"),
    "mirror": ("submodels: {left: {use: m.yaml, mirror: 1}}", "left: mirror: 1 .*a text is needed"),
    "part of a sub-model": (BODY + "submodels: {left: {parts: [leg]}}", "there is no part 'left.leg'"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_named_with_its_place(case, tmp_path):
    text, expected = MISTAKES[case]
    found = refusal(tmp_path, text)
    assert re.search(expected, found, re.DOTALL), found
    assert found.startswith("m.yaml") and found.count("m.yaml, line") <= 1


def test_files_that_use_each_other_are_named_in_order(tmp_path):
    (tmp_path / "a.yaml").write_text("submodels: {x: {use: b.yaml}}")
    (tmp_path / "b.yaml").write_text("submodels: {y: {use: ./../" + tmp_path.name + "/a.yaml}}")
    with pytest.raises(vc.ModelError, match=r"a.yaml -> b.yaml -> a.yaml"):
        load_model(tmp_path / "a.yaml")


def test_a_mistake_in_a_sub_model_names_both_files(tmp_path):
    (tmp_path / "leg.yaml").write_text("\nbodies: {arm: {mass: x}}")
    found = refusal(tmp_path, "submodels: {left: {use: leg.yaml}}")
    assert found.startswith("m.yaml, line 1, submodels: left: leg.yaml, line 2, bodies: arm: mass")


def test_sub_models_do_not_multiply_without_end(tmp_path):
    """Ten files, each ten times the next: ten milliards of bodies."""
    for k in range(10):
        uses = "\n".join(f"  s{j}: {{use: f{k + 1}.yaml}}" for j in range(10))
        (tmp_path / f"f{k}.yaml").write_text(f"submodels:\n{uses}\n")
    (tmp_path / "f10.yaml").write_text("bodies: {b: {mass: 1}}")
    with pytest.raises(vc.ModelError, match="more than 1000 sub-models"):
        load_model(tmp_path / "f0.yaml")


def test_a_huge_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(yaml_read, "LARGEST", 100)
    assert "a model has 0 MB at most" in refusal(tmp_path, "# " + 100 * "x")


def test_aliases_cannot_make_a_small_file_large(tmp_path):
    bomb = "a: &a [1, 1]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    assert "anchors and aliases are not read" in refusal(tmp_path, bomb)


def test_a_missing_file_lists_its_neighbours(tmp_path):
    save_model(vc.Model(), tmp_path / "crank.yaml")
    with pytest.raises(FileNotFoundError, match=r"no file .*crnk.yaml.*\n.*crank.yaml"):
        load_model(tmp_path / "crnk.yaml")


def test_a_parameter_that_the_file_has_not_is_refused(tmp_path):
    assert "no parameter 'm'.\n  Parameters: l" in refusal(tmp_path, "parameters: {l: 1}", m=2)
    assert "with l = nan as asked for: nan is not a finite" in refusal(tmp_path, "parameters: {l: 1}", l=math.nan)


TAPE = "{operations: [%s], constants: [1.0], inputs: [d, dd], text: x}"


@pytest.mark.parametrize("operations", ["", "[sin, 0, 0]", "[const, 1, 0]", "[input, 2, 0]", "[const, -1, 0]",
                                        "[system, 0, 0]", "[const, 0, 0], [add, 0, 1]", "[const, 0.0, 0]", "[time, 0]",
                                        "[const, 0, 0], [call, 0, 0]", "7"])
def test_operations_that_the_kernel_must_never_see_are_refused(operations, tmp_path):
    text = BODY + HINGE + "laws: {f: {measure: O.angle, tape: " + TAPE % operations + "}}"
    assert "m.yaml, line 6, laws: f" in refusal(tmp_path, text)


def test_what_cannot_be_saved_is_named(tmp_path):
    class Own(functions.Sine):
        pass

    m = vc.Model()
    m.body("arm", 1.0)
    m.force("push", m.bodies["arm"], (0, 0, Own(1, 2)))
    with pytest.raises(vc.ModelError, match="load 'push': a function of the class Own cannot be written.*\n.*Traced"):
        save_model(m, tmp_path / "m.yaml")
    with pytest.raises(vc.ModelError, match=r"save_model\(\) takes a Model, not ndarray"):
        save_model(np.zeros(3), tmp_path / "m.yaml")
    with pytest.raises(FileNotFoundError, match="no folder"):
        save_model(vc.Model(), tmp_path / "nowhere" / "m.yaml")
    assert not list(tmp_path.iterdir())


def test_several_mistakes_come_together(tmp_path):
    found = refusal(tmp_path, """
bodies:
  arm: {mass: -1}
  rod: {mass: 1, inertai: 2, at: [0, 0]}
joints:
  O: {kind: revolut, a: ground, b: arm, at: [0, 0, 0], axis: y}
  A: {kind: revolute, a: arm, b: rod, at: [0, 0, 0], axis: y}
drives:
  motor: {measure: A.angle, function: 2*}
laws:
  brake: {measure: wheel.angle, force: d}
""", FileErrors)
    assert found.startswith("m.yaml: 5 mistakes.\n1. m.yaml, line 3, bodies: arm: ")
    for part in ("line 4, bodies: rod: inertai", "line 4, bodies: rod: at", "line 6, joints: O: kind",
                 "line 11, laws: brake"):
        assert part in found
    assert "joints: A" not in found and "motor" not in found  # wrong only because what they need is


def test_many_mistakes_are_counted(tmp_path):
    found = refusal(tmp_path, "bodies:\n" + "".join(f"  b{k}: {{mass: -1}}\n" for k in range(40)))
    assert "m.yaml: 40 mistakes." in found and "... and 15 more." in found


@pytest.mark.parametrize(("name", "expected"), [
    ("arm", "'arm' is a part, not a number"), ("arm.size", "cannot be used|no key 'size'"),
    ("amr.mass", "Did you mean 'arm'"), ("arm.at.w", "'w' is not a component"), ("arm.mass.x", "'mass' has no parts")])
def test_what_cannot_be_changed_is_named(name, expected, tmp_path):
    text = "bodies: {arm: {mass: 1, inertia: 1, at: [0, 0, 0]}}"
    assert re.search(expected, refusal(tmp_path, text, **{name: 1.0}))
