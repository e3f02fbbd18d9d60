"""First days of three more users, step by step in an empty folder: a student of mechanisms, a researcher, and an
engineer at a test bench. Each reads what is printed and written, as the user would."""

import csv
import json
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import vincolo as vc
from vincolo.cli.app import app

FOUR_BAR = '''"""A four-bar linkage with a driven crank."""
import math
import vincolo as vc

def build(a=0.1, b=0.25, c=0.2, d=0.25):
    m = vc.Model("four-bar")
    l = math.hypot(a, d)                             # from the crank's end at the top to the rocker's pivot
    along, up = (b*b - c*c + l*l)/(2*l), 0
    up = math.sqrt(b*b - along*along)
    B = (along*d/l + up*a/l, 0, a - along*a/l + up*d/l)
    crank = m.link("crank", (0, 0, 0), (0, 0, a), mass=0.2)
    coupler = m.link("coupler", (0, 0, a), B, mass=0.4)
    rocker = m.link("rocker", B, (d, 0, 0), mass=0.3)
    m.pin("O", m.ground, crank, (0, 0, 0))
    m.pin("A", crank, coupler, (0, 0, a))
    m.pin("B", coupler, rocker, B)
    m.pin("C", rocker, m.ground, (d, 0, 0))
    m.frame("P", coupler, (0.1, 0, 0.25))
    m.drive("O.angle", "2*pi*t")
    return m
'''
SERVO = """name: servo
gravity: [0, 0, 0]
bodies:
  cart: {mass: 2, inertia: 0.1}
joints:
  rail: {kind: prismatic, a: ground, b: cart, at: [0, 0, 0], axis: x}
inputs:
  u: {unit: N}
springs:
  back: {measure: rail.travel, k: 3, c: 0.5}
actuators:
  push: {measure: rail.travel, force: u}
outputs:
  x: {what: cart.x, unit: m}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*words, code=0):
    """What a command says."""
    found = CliRunner().invoke(app, list(words))
    assert found.exit_code == code and "Traceback" not in found.output, found.output
    return found.output


def columns(path):
    head, *rows = csv.reader(path.open(encoding="utf-8"))
    return head, np.array(rows, dtype=float).T


def rocker_angle(phi, a, b, c, d):
    """Angle of the rocker from x, by the triangle of coupler, rocker and diagonal; the crank stands at phi from x."""
    x, z = a * np.cos(phi) - d, a * np.sin(phi)
    diagonal = np.hypot(x, z)
    return np.arctan2(z, x) - np.arccos((diagonal**2 + c**2 - b**2) / (2 * diagonal * c))


def test_a_student_of_mechanisms(here):
    (here / "four_bar.py").write_text(FOUR_BAR)
    assert "1 degree of freedom" in said("check", "four_bar.py")
    assert "complete" not in said("kinematics", "four_bar.py", "--until", "1", "--outputs", "72", "--unit", "deg")
    head, values = columns(here / "four_bar_results" / "results.csv")
    t, swing = values[0], values[head.index("C.angle [deg]")]
    exact = np.degrees(np.unwrap(rocker_angle(np.pi / 2 - 2 * np.pi * t, 0.1, 0.25, 0.2, 0.25)))  # about y, from z to x
    assert np.abs(swing - swing[0]) == pytest.approx(np.abs(exact - exact[0]), abs=1e-9) and np.ptp(exact) > 40
    assert "written" in said("plot", "four_bar_results", "P.z", "--against", "P.x", "-o", "coupler.html")
    assert "written" in said("view", "four_bar_results", "-o", "four_bar.html") and (here / "four_bar.html").exists()


def test_a_student_whose_linkage_locks_reads_where_once(here):
    (here / "four_bar.py").write_text(FOUR_BAR)
    for command in ("run", "kinematics"):
        told = said(command, "four_bar.py", "--until", "1", "--set", "a=0.3", "--force", code=1)
        assert told.count("error:") == 1 and "warning:" not in told
        error = told.split("error:")[1].split("four-bar:")[0]
        assert error.count("the mechanism locks at t = 0.554087 s (O.angle = 3.48143 rad (199.471 deg))") == 1
        assert "Stop before it, or drive another coordinate" in error
    # by the law of cosines: the crank's end is b + c away from the rocker's pivot there; it began at 90 degrees from it
    reach = np.arccos((0.3**2 + 0.25**2 - (0.25 + 0.2) ** 2) / (2 * 0.3 * 0.25))
    assert np.pi / 2 + reach == pytest.approx(3.48143, abs=5e-6)


def chain(count=5):
    m = vc.Model("chain")
    last = m.ground
    for k in range(count):
        link = m.link(f"l{k}", (0.2 * k, 0, 0), (0.2 * k + 0.2, 0, 0), mass=0.5)
        m.pin(f"j{k}", last, link, (0.2 * k, 0, 0))
        last = link
    return m


def test_a_researcher(here):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    m = chain()
    exact = vc.simulate(m, 0.3, integrator=vc.integrators.DOP853(rtol=1e-12, atol=1e-12))
    off = [abs(vc.simulate(m, 0.3, integrator=vc.integrators.RK4(step=h))["j0.angle"][-1] - exact["j0.angle"][-1])
           for h in (1e-2, 5e-3)]
    assert 12 < off[0] / off[1] < 20  # order 4
    # a result is a mapping, and its data know their units
    assert "j0.angle" in exact and set(exact) == set(dict(exact.items()))
    shown = exact.in_units("deg")
    frame, data = shown.to_pandas(["j0.angle"]), shown.to_xarray(["j0.angle"])
    assert isinstance(frame, pandas.DataFrame) and frame.attrs["units"]["j0.angle"] == "deg"
    assert isinstance(data, xarray.Dataset) and data["j0.angle"].attrs["units"] == "deg"
    assert str(shown) == str(exact)  # the same run, told alike
    # small vibrations of a model as drawn, and where it hangs
    hanging = vc.linearize(vc.statics(m).state)
    assert hanging.table() and len(vc.linearize(m).mass) == 5
    exact.save("exact.npz")
    assert (vc.Result.load("exact.npz", m)["j0.angle"] == exact["j0.angle"]).all()
    turned = vc.Model("turned")
    turned.body("b", 1, 0.1, orientation=rotation.from_euler("z", 30, degrees=True))
    assert vc.assemble(turned)["b.e3"] == pytest.approx(np.sin(np.radians(15)))


def test_an_engineer_at_a_test_bench(here):
    (here / "servo.yaml").write_text(SERVO)
    (here / "u.csv").write_text("t,u\n0,2\n1,2\n")
    assert "1 input, 1 output" in said("check", "servo.yaml")
    told = json.loads(said("run", "servo.yaml", "--input", "u=u.csv", "--until", "1", "--json"))
    assert told["complete"] is True and told["warnings"] == []
    # x'' = (2 - 3 x - 0.5 x')/2: the closed form of a damped oscillator under a constant force
    w0, zeta = np.sqrt(1.5), 0.5 / (2 * np.sqrt(3.0 * 2.0))
    w = w0 * np.sqrt(1 - zeta**2)
    closed = 2 / 3 * (1 - np.exp(-zeta * w0) * (np.cos(w) + zeta * w0 / w * np.sin(w)))
    head, values = columns(here / "servo_results" / "results.csv")
    assert values[head.index("cart.x [m]")][-1] == pytest.approx(closed, rel=1e-6)
    # the same in steps of 1 ms, recorded, and replayed to the last bit
    said("hil", "servo.yaml", "--seconds", "0.2", "--free", "--record", "one.csv")
    said("hil", "servo.yaml", "--seconds", "0.2", "--free", "--replay", "one.csv", "--record", "two.csv")
    one, two = (columns(here / name)[1] for name in ("one.csv", "two.csv"))
    assert one.shape == (4, 200) and (one[:3] == two[:3]).all()
    table = said("export", "servo.yaml", "--as", "table", "-o", "servo.txt")
    assert "inputs        u" in table and (here / "servo.txt").read_text().startswith("vincolo table 1")
    wrong = said("run", "servo.yaml", "--input", "v=2", code=2)
    assert "there is no input called 'v'" in wrong and "Inputs: u" in wrong
    assert "error" in json.loads(said("run", "servo.yaml", "--input", "u=none.csv", "--json", code=2))


def test_python_and_commands_say_the_same_of_a_locked_linkage(here):
    scope = {}
    exec(compile(FOUR_BAR, "four_bar.py", "exec"), scope)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        result = vc.simulate(scope["build"](a=0.3), 1.0)
    assert [str(w.message) for w in heard] == [f"the run ended early: {result.reason}"]
    assert "O.angle = 3.48143 rad (199.471 deg)" in result.reason
