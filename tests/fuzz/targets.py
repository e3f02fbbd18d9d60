"""What is fuzzed: every reader, with the examples and the texts of the tests to begin with."""

import ast
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from guard import Case, Target

import vincolo as vc
from vincolo.cli.common import changes_of
from vincolo.formats import open_model, save_model
from vincolo.formats.excel import write_template
from vincolo.formats.excel.template_models import TEMPLATES
from vincolo.formats.tree.functions import function_map
from vincolo.model.expression import parse
from vincolo.tables.folder import load_folder, save_folder
from vincolo.tables.table_files import read_table

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
NEAR = r"[^\n]{0,200}"  # what may stand before the place in the first line of a message
EXAMPLES = ("crank", "truck", "mcpherson", "car", "pendulum", "governor", "bricard", "five_bar")

ALL_SECTIONS = """name: everything
gravity: [0, 0, -9.81]
parameters: {l: 0.3, w: 5, half: "=l/2"}
points: {A: [0, 0, 0], B: [0.3, 0, 0]}
bodies:
  crank: {shape: {kind: cylinder, radius: 0.01, length: "=l", axis: x, density: 7850}, at: ["=half", 0, 0]}
  slider: {mass: 0.5, inertia: [0.01, 0.02, 0.02], at: ["=3*l", 0, 0], orientation: {axis: x, angle: 30, degrees: true}}
  block:
    shape: [{kind: box, size: [1, 2, 3], mass: 5}, {kind: sphere, radius: 0.1, density: 0.8, hole: true}]
    orientation: {euler: ZXZ, angles: [0.1, 0.2, 0.3]}
    velocity: [1, 0, 0]
  mesh: {shape: {kind: polyhedron, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
                 faces: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], density: 10}}
submodels: {left: {use: part.yaml, at: [0, 1, 0], mirror: y, on: crank, parameters: {m: 2}}}
frames:
  pin: {on: crank, at: B}
  eye: {on: slider, local: [0, 0, 0], z: x, x: y}
  shaker: {on: ground, at: [0, 0, 1], moves: {z: 0.1*sin(t), angle: 2*t, axis: z}}
joints:
  O: {kind: revolute, a: ground, b: crank, at: A, axis: z}
  C: {kind: prismatic, a: ground, b: slider, at: ["=3*l", 0, 0], axis: A -> B}
  rod: {kind: distance, a: pin, b: eye}
  u: {kind: universal, a: ground, b: block, at: [0, 0, 0], axis: z, axis2: x}
measures:
  gap: {kind: distance, between: [pin, shaker]}
  both: {sum: [{factor: 2, of: O.angle}, {factor: -1, of: C.travel}]}
  formula: {formula: k*x + f(y), of: {x: O.angle, y: C.travel}, constants: {k: 2},
            functions: {f: {kind: Sine, amplitude: 1, frequency: 2}}}
drives: {motor: {measure: O.angle, function: w*t}}
holds: {stay: {measure: u.angle1, level: velocity}}
springs:
  s: {between: [pin, shaker], k: 100, c: 1, length: 0.5, preload: 2}
  r: {measure: u.angle2, k: 10}
laws: {friction: {measure: C.travel, force: c*dd, constants: {c: 0.5}}}
actuators: {pull: {measure: C.travel, force: {kind: Polynomial, coefficients: [1, 2]}}}
loads: {push: {kind: force, where: slider, components: [1, cos(t), {kind: Constant, value: 2}], axes: body}}
switches: [{of: motor, on: false, at: 1.0}]
run: {analysis: dynamics, until: 2, outputs: 10, integrator: {kind: Radau, rtol: 1.0e-6}, channels: [slider.x]}
"""
PART = "parameters: {m: 1}\nbodies: {wheel: {mass: =m, inertia: 0.1}}\n"
PART += "joints: {W: {kind: fixed, a: ground, b: wheel, at: [0, 0, 0]}}\n"
PROGRAM = b"open('PWNED', 'w').close()\nimport vincolo\nmodel = vincolo.Model()\nmodel.body('b', 1, 1)\n"
MATRICES = """NB := 2:
J := [[0.01, 0.1, 0.1], [0.01, 0.1, 0.1]]:  # along and across
mass := [1, 2*k]: k := 1/2: names := [first, second]: title = 'two bars'
CON := [[0, 1, revolute, 0,0,0,  0,0,1,  1,0,0,   -0.5,0,0, -0.5,0,1, 0.5,0,0],
        [1, 2, cylindrical, 0.5,0,0, 1.5,0,0, 0.5,1,0, -0.5,0,0, -0.5,0,1, 0.5,0,0]]:
FORCE = [[1, 0, 0, 0, 0, 0, k*cos(t), 0, 0, 0, Glob], [2, 0, 0, 0, 0, 0, 'sin(3*t)', 0, 0, 0, Loc]];
SPDAMPERS = [[0, 2, 50*(d-1.2)+3*dd, -1, 0, 0, 0, 0, 0, T]]
DRIV := [q1 - 0.5*cos(t)]:
gravity := [0, -9.81, 0]: q_in := [q2 = 0, q9 = 0, q10 = -0.5]: qp_in = [[2, 0.5]]
TE := 5: ST := 500: TI = 0: index = 2
"""
ROBOT = """<?xml version="1.0"?>
<robot name="arm">
<material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
<link name="base"/>
<link name="upper"><inertial><origin xyz="0.4 0 0" rpy="0 0.1 0"/><mass value="2"/>
  <inertia ixx="0.01" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><origin xyz="0 0 0"/><geometry><box size="1 1 1"/></geometry><material name="grey"/></visual>
  <collision><geometry><mesh filename="package://arm/upper.stl" scale="1 1 1"/></geometry></collision></link>
<link name="lower"><inertial><mass value="1.5"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<link name="tool"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1" friction="0.2"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0.8 0 0" rpy="1 2 3"/>
  <axis xyz="0 1 1"/><mimic joint="shoulder" multiplier="2" offset="0.1"/></joint>
<joint name="grip" type="fixed"><parent link="lower"/><child link="tool"/></joint>
<transmission name="t"><type>simple</type><joint name="shoulder"/></transmission>
<gazebo reference="upper"><mu1>0.2</mu1></gazebo>
</robot>
"""
EXPRESSIONS = ("k*(d - 0.1) + c*dd", "sin(t)^2 + cos(2*pi*t)", "max(0, d, dd)", "step(t-1)*exp(-t)", "atan2(d, 1)",
               "-2**-3**2", "hypot(d, dd)/sqrt(abs(d))", "f(t) + f(d)", "1e3*ln(2)", "pow(d, 3) - min(d, 1)")
CHANGES = ("l=0.5\ncrank.at.x=2", "crank.mass=2", "O.axis==1/2\ns.k=1e3", "run.until=3\ngravity.z=0", "points.A.x=1",
           "push.components.1=2*t\nleft.parameters.m=3\nbodies.slider.inertia.0=1")


def targets(folder: Path, chosen: list[str]) -> list[Target]:
    """The targets of these names, or all; files that the seeds are made of are written to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    models = examples()
    made: dict[str, Callable[[], Target]] = {
        "yaml": lambda: model("yaml", "model.yaml", yaml_seeds(models, folder)),
        "workbook": lambda: model("workbook", "model.xlsx", workbook_seeds(models, folder)),
        "carvalho": lambda: model("carvalho", "model.xlsx", carvalho_seeds(folder)),
        "cards": lambda: Target("cards", cards_seeds(), lambda at: used(open_model(at / "cards")),
                                NEAR + r"(cards|\.s3d)"),
        "urdf": lambda: model("urdf", "model.urdf", [{"model.urdf": ROBOT.encode()}, *texts(
            "model.urdf", "<robot", "test_urdf.py", "test_import_errors.py")]),
        "adams": lambda: model("adams", "model.adm", texts("model.adm", "PART/", "test_adams.py",
                                                           "test_adams_functions.py")),
        "mjcf": lambda: model("mjcf", "model.xml", texts("model.xml", "<mujoco", "test_mjcf.py",
                                                         "test_import_errors.py")),
        "matrices": lambda: model("matrices", "model.sym", [{"model.sym": MATRICES.encode()}, *texts(
            "model.sym", "CON", "test_matrices.py", "test_matrices_models.py")]),
        "expression": lambda: Target("expression", [{"formula": e.encode()} for e in EXPRESSIONS], expression,
                                     r"(?s).*(\^|expression)"),
        "table": lambda: Target("table", table_seeds(folder), table, NEAR + r"table\."),
        "folder": lambda: Target("folder", folder_seeds(folder), lambda at: load_folder(at / "run")["t"],
                                 NEAR + r"(run|model\.yaml|result\.npz)"),
        "set": lambda: Target("set", [{"model.yaml": ALL_SECTIONS.encode(), "part.yaml": PART.encode(),
                                       "changes": c.encode()} for c in CHANGES], changes, NEAR + r"(--set|\.yaml)"),
    }
    return [make() for name, make in made.items() if not chosen or name in chosen]


def model(name: str, file: str, seeds: list[Case]) -> Target:
    """A reader of models in single files."""
    assert seeds, f"there is nothing to begin with for {name}"
    return Target(name, seeds, lambda folder: used(open_model(folder / file)), f"{NEAR}({file}|part.yaml)")


def used(document: Any) -> None:
    """What everybody does with a document first."""
    str(document.report)
    repr(document.model)
    try:
        document.system  # noqa: B018  # compiles the model
    except vc.ModelError as error:  # names parts of the model, not of the file
        assert str(error), "an error without a message"


def expression(folder: Path) -> None:
    """A formula from a file, read and computed."""
    text = (folder / "formula").read_bytes().decode(errors="surrogateescape")
    tape = parse(text, ("d", "dd"), {"k": 2.0, "c": 0.5}, ("f",))
    for t, d in ((0.0, 0.0), (1.5, -2.0), (1e200, 1e308)):
        tape.evaluate(t, (d, 1.0), (abs,))


def changes(folder: Path) -> None:
    """Changes as they come from the command line, made in a model."""
    text = (folder / "changes").read_bytes().decode(errors="surrogateescape")
    used(open_model(folder / "model.yaml", changes_of(text.split("\n"))))


def table(folder: Path) -> None:
    """A table of any kind."""
    (path,) = folder.iterdir()
    found = read_table(path)
    for name in found.keys():  # noqa: SIM118  # a Table is no dict
        assert found[name].shape == found.t.shape and isinstance(found.unit(name), str)


# what they begin with


def examples() -> dict[str, vc.Model]:
    """Models that the examples build."""
    sys.path.insert(0, str(ROOT / "examples"))
    files = [p for p in sorted((ROOT / "examples").glob("*.py")) if any(word in p.stem for word in EXAMPLES)]
    names = {p.stem: runpy.run_path(str(p)) for p in files}
    return {stem: found["build"]() for stem, found in names.items() if "build" in found}


def saved(model: vc.Model, path: Path) -> bytes:
    """The bytes of the file of a model."""
    return save_model(model, path).read_bytes()


def yaml_seeds(models: dict[str, vc.Model], folder: Path) -> list[Case]:
    """Saved examples, one text with every section, and every function."""
    from function_samples import SAMPLES

    others = {"part.yaml": PART.encode(), "program.py": PROGRAM}
    found = [{"model.yaml": ALL_SECTIONS.encode(), **others}]
    found += [{"model.yaml": saved(m, folder / "m.yaml"), **others} for m in models.values()]
    head = PART.partition("joints")[0]
    for kind in SAMPLES.values():
        listed = [f"  f{k}: {{measure: {{kind: angle, between: [{{on: ground, local: [0, 0, 0]}}, {{on: wheel, local: "
                  f"[0, 0, 0]}}]}}, function: {function_map('f', f)!r}}}\n" for k, f in enumerate(kind[:3])]
        found.append({"model.yaml": (head + "drives:\n" + "".join(listed)).encode(), **others})
    return found


def workbook_seeds(models: dict[str, vc.Model], folder: Path) -> list[Case]:
    """Templates, saved examples, and a workbook with every section."""
    found: list[Case] = []
    (folder / "part.yaml").write_text(PART)
    (folder / "all.yaml").write_text(ALL_SECTIONS)
    for kind in TEMPLATES:
        write_template(kind, folder / "template.xlsx")
        found.append({"model.xlsx": (folder / "template.xlsx").read_bytes()})
    whole = open_model(folder / "all.yaml").model
    return found + [{"model.xlsx": saved(m, folder / "m.xlsx")} for m in (whole, *models.values())]


def carvalho_seeds(folder: Path) -> list[Case]:
    """The example workbooks, and a small one of the tests."""
    import carvalho_workbooks as small

    spring = {"ID": "Spring", "Name": "s", "Body i": 1, "Body j": 2, "xi": 0, "yi": 1, "zi": 0, "xj": 1, "yj": 0,
              "zj": 0, "Coefficient": 100, "Undeformed length": 1}
    driver = {"Body": 2, "Direction index": 1, "Function": "2*t", "First derivative": "2", "Second derivative": "0"}
    small.save(folder / "c.xlsx", small.sheets(elements=[spring], drivers=[driver]))
    paths = [folder / "c.xlsx", *sorted((ROOT / "examples" / "workbooks").glob("*.xlsx"))]
    return [{"model.xlsx": path.read_bytes()} for path in paths]


def cards_seeds() -> list[Case]:
    """The example cards."""
    folders = sorted(p for p in (ROOT / "examples" / "cards").iterdir() if p.is_dir())
    return [{f"cards/{p.name}": p.read_bytes() for p in sorted(at.glob("*.s3d"))} for at in folders]


def texts(name: str, mark: str, *files: str) -> list[Case]:
    """Texts in test files that have a mark, as files of this name."""
    found = []
    for path in sorted(p for f in files for p in TESTS.rglob(f)):
        constants = [n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)]
        found += [c for c in constants if isinstance(c, str) and mark in c]
    return [{name: text.encode()} for text in dict.fromkeys(found) if len(text) > 60]


def result() -> vc.Result:
    """A short run."""
    m = vc.Model("pendulum")
    arm = m.body("arm", 2.0, 0.1, at=(0.3, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    return vc.simulate(m, until=0.1, outputs=3)


def table_seeds(folder: Path) -> list[Case]:
    """An exported run in every format, and measured data."""
    found = [{"table.csv": b"time;angle [rad]\r\n0,0;1,5\r\n0,1;nan\r\n"}, {"table.csv": b"t [s]\tx\n0\t1\n1\t2\n"}]
    for kind in ("csv", "xlsx", "h5", "mat"):
        path = result().export(folder / f"table.{kind}", ["arm.x", "O.*"])
        found.append({f"table.{kind}": path.read_bytes()})
    return found


def folder_seeds(folder: Path) -> list[Case]:
    """A saved run."""
    made = save_folder(result(), folder / "run")
    return [{f"run/{p.name}": p.read_bytes() for p in sorted(made.iterdir())}]
