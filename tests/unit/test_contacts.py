"""Contacts as parts of a model: in files, in sub-models, in pictures, in linearisation."""

from __future__ import annotations

import numpy as np
import pytest

import vincolo as vc

G = 9.80665


def scene() -> vc.Model:
    m = vc.Model("scene")
    ball = m.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0, 0, 0.3))
    rod = m.body("rod", vc.shapes.cylinder(0.05, 0.4, "x", mass=1.0), at=(0.5, 0, 0.4))
    m.frame("slope", m.ground, (0, 0, 0), z=(0.1, 0, 1))
    capsule = {"kind": "capsule", "radius": 0.05, "length": 0.4, "axis": "x", "at": [0.01, 0, 0]}
    m.contact("floor", "slope", [ball, (rod, capsule)], "plane", friction=0.3, restitution=0.5)
    m.contact("both", ball, rod, stiffness=1e5, damping=0.1)
    return m


def end(model: vc.Model) -> np.ndarray:
    return vc.simulate(model, 0.4, outputs=4, integrator=vc.integrators.Moreau(step=1e-3)).y


@pytest.mark.parametrize("ending", ["yaml", "xlsx"])
def test_a_file_keeps_contacts(tmp_path, ending):
    model = scene()
    path = tmp_path / f"scene.{ending}"
    vc.save_model(model, path)
    again = vc.load_model(path)
    assert end(again) == pytest.approx(end(model), abs=1e-12)
    assert again.contacts["floor"].restitution == 0.5


def test_contacts_as_they_are_written_by_hand(tmp_path):
    path = tmp_path / "hand.yaml"
    path.write_text("""
bodies:
  ball 1: {shape: {kind: sphere, radius: 0.1, mass: 1}, at: [0, 0, 0.2]}
  ball 2: {shape: {kind: sphere, radius: 0.1, mass: 1}, at: [0.5, 0, 0.2]}
contacts:
  floor: {a: ground, b: [ball 1, {on: ball 2, shape: {kind: sphere, radius: 0.15}}], shape_a: plane, friction: 0.3}
run: {until: 1.0, integrator: {kind: Moreau, step: 0.001}}
""")
    result = vc.simulate(vc.load_model(path), 1.0, integrator=vc.integrators.Moreau(step=1e-3))
    assert result["ball 1.z"][-1] == pytest.approx(0.1, abs=1e-9)
    assert result["ball 2.z"][-1] == pytest.approx(0.15, abs=1e-9)


def test_a_wrong_key_in_a_file_is_named_with_its_place(tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text("bodies:\n  b: {shape: {kind: sphere, radius: 0.1, mass: 1}}\n"
                    "contacts:\n  floor: {a: ground, b: b, shape_a: plane, frction: 0.3}\n")
    with pytest.raises(vc.FileError, match="frction"):
        vc.load_model(path)
    path.write_text("bodies:\n  b: {shape: {kind: sphere, radius: 0.1, mass: 1}}\n"
                    "contacts:\n  floor: {a: ground, b: b, shape_a: plane, friction: -0.3}\n")
    with pytest.raises(vc.FileError, match="friction is -0.3"):
        vc.load_model(path)


@pytest.mark.parametrize("mirror", [None, "x"])
def test_a_sub_model_brings_its_contacts(mirror):
    whole = vc.Model("whole")
    whole.add("part", scene(), at=(0, 0, 1), mirror=mirror)
    alone, placed = end(scene()), end(whole)
    sign = -1 if mirror else 1
    assert placed[:, 0] == pytest.approx(sign * alone[:, 0], abs=1e-9)
    assert placed[:, 2] == pytest.approx(1 + alone[:, 2], abs=1e-9)


def test_a_mirrored_hull_is_refused():
    part = vc.Model("part")
    part.body("b", 1.0, 1.0, at=(0, 0, 1))
    points = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.2]]
    part.contact("floor", part.ground, "b", "plane", {"kind": "hull", "points": points})
    with pytest.raises(vc.ModelError, match="not its own mirror image"):
        vc.Model("whole").add("part", part, mirror="y")


def test_vectors_show_where_a_contact_sticks_and_where_it_slides():
    from vincolo.scene.arrows import arrow_of

    m = vc.Model("slide")
    box = m.body("box", vc.shapes.box((0.2, 0.2, 0.1), mass=2.0), at=(0, 0, 0.05), velocity=(1.0, 0, 0))
    m.contact("floor", m.ground, box, "plane", friction=0.5)
    result = vc.simulate(m, 0.4, outputs=40, integrator=vc.integrators.Moreau(step=1e-3))
    slides = (result.t > 0) & (result.t < 1 / (0.5 * G) - 2e-3)
    rests = result.t > 1 / (0.5 * G) + 2e-3
    sliding, sticking = (arrow_of(result.channels, f"floor.{kind}") for kind in ("sliding", "sticking"))
    assert sliding.values[slides][:, 2] == pytest.approx(2 * G, rel=1e-9)
    assert sliding.values[slides][:, 0] == pytest.approx(-G, rel=1e-9)
    assert sticking.values[rests][:, 2] == pytest.approx(2 * G, rel=1e-9)
    assert not sliding.values[rests].any() and not sticking.values[slides].any()
    assert arrow_of(result.channels, "floor.force").points[-1][2] == pytest.approx(0, abs=1e-9)
    assert sliding.colour != sticking.colour
    assert result["floor.force.x"][slides] == pytest.approx(-G, rel=1e-9)  # pages draw the same from series
    assert result["floor.point.z"][-1] == pytest.approx(0, abs=1e-9)


def test_linearisation_has_the_slopes_of_contact():
    # a ball on a floor that gives way: omega^2 = 1.5 k sqrt(d) / m at rest
    m = vc.Model("ball")
    depth = (1.0 * G / 1e5)**(2 / 3)
    ball = m.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0, 0, 0.1 - depth))
    m.contact("floor", m.ground, ball, "plane", stiffness=1e5)
    found = np.max(np.abs(np.asarray(vc.modes(vc.assemble(m)).frequencies)))
    assert found * 2 * np.pi == pytest.approx(np.sqrt(1.5e5 * np.sqrt(depth)), rel=1e-5)


def test_rigid_contact_has_no_slope_and_no_equilibrium():
    m = vc.Model("ball")
    ball = m.body("ball", vc.shapes.sphere(0.1, mass=1.0), at=(0, 0, 0.1))
    m.contact("floor", m.ground, ball, "plane")
    with pytest.raises(vc.ModelError, match="contact 'floor' is rigid: it has no slope"):
        vc.modes(vc.assemble(m))
    with pytest.raises(vc.ModelError, match="contact 'floor' is rigid"):
        vc.statics(m)


def test_check_and_report_tell_contacts(tmp_path, capsys):
    from vincolo.cli.checks import check_model

    path = tmp_path / "scene.yaml"
    vc.save_model(scene(), path)
    check_model(str(path), [], as_json=False, verbose=False)
    told = " ".join(capsys.readouterr().out.split())
    assert "contact 'floor': 1 shapes meet 2; rigid, restitution 0.5, friction 0.3; gap of" in told
    assert "contact 'both': sphere of 'ball' and cylinder of 'rod'; hunt-crossley, stiffness 100000" in told
    result = vc.simulate(scene(), 0.1, outputs=2, integrator=vc.integrators.Moreau(step=1e-3))
    page = tmp_path / "report.html"
    result.report(page)
    assert "who meets whom, and how" in page.read_text()
