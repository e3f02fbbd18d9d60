"""A length may be written with its unit wherever a file takes a length, however deep it stands in the file."""

import numpy as np
import pytest

import vincolo as vc
from example_models import NAMES, built
from filed_models import all_kinds
from vincolo.formats.tree.notation import fill, flow
from vincolo.formats.tree.quantities import values
from vincolo.formats.tree.source import Source
from vincolo.tables.export import yaml_text

#: words of files whose numbers are lengths; of shapes too
LENGTHS = {"local", "at", "com", "radius", "inner_radius", "top_radius", "size", "radii", "height", "thickness",
           "profile", "holes", "vertices", "outline"}
MODELS = {**{name: lambda name=name: built(name) for name in NAMES}, "all kinds": all_kinds}


def tree(text):
    source = Source("model.yaml")
    fill(source, text)
    return source.data


def numbers(model):
    return [v for _, _, v, _ in values(tree(yaml_text(model))) if isinstance(v, int | float)]


#: those that are read at every run of the tests; the others are slow
QUICK = ("all kinds", "mcpherson", "spheres_into_funnel", "hydraulic_actuator", "truck", "slider_crank")


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in MODELS])
def test_lengths_with_units_are_read_everywhere(name, tmp_path):
    """All lengths of a saved model in mm: the model that is read is the same to rounding."""
    model = MODELS[name]()
    data, changed = tree(yaml_text(model)), set()
    for container, key, value, where in list(values(data)):
        word = [k for k in where if isinstance(k, str)][-1]
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if plain and word in LENGTHS and where[0] not in ("switches", "events", "states"):
            container[key] = f"{float(value) * 1000!r} mm"
            changed.add((where[0], *(k for k in where[2:] if isinstance(k, str))))
    assert changed
    path = tmp_path / "model.yaml"
    path.write_text(flow(data))
    np.testing.assert_allclose(numbers(vc.load_model(path)), numbers(vc.load_model(_plain(model, tmp_path))),
                               rtol=1e-12, atol=1e-15)


def _plain(model, folder):
    vc.save_model(model, folder / "plain.yaml")
    return folder / "plain.yaml"


BODY = "bodies: {b: {mass: 1, inertia: 0.1}}\n"
WRITTEN = {
    "spring between": "springs:\n"
                      "  s: {between: [{on: ground, at: [0, 0, 500 mm]}, {on: b, local: [10 mm, 0, 0]}], k: 5}",
    "measure between": "measures:\n"
                       "  d: {kind: distance, between: [{on: ground, local: [1 cm, 0, 0]}, {on: b, local: [0, 0, 0]}]}",
    "shape of a contact": "contacts: {c: {a: ground, shape_a: plane, b: b, shape_b: {kind: sphere, radius: 150 mm}}}",
    "shape of a look": "looks: {b: {shapes: [{kind: cylinder, radius: 150 mm, length: 10 mm, at: [1 mm, 0, 0]}]}}",
    "constants of a law": "joints: {O: {kind: prismatic, a: ground, b: b, at: [0, 0, 0], axis: z}}\n"
                          "laws: {f: {measure: O.travel, force: -k*d, constants: {k: 5 N/mm}}}",
    "where of a load": "loads: {f: {kind: force, where: {on: b, local: [3 mm, 0, 0]}, components: [1 kN, 0, 0]}}",
    "outline": "bodies: {c: {mass: 1, inertia: 0.1, outline: [[0, 0, 0], [10 mm, 0, 0], [0, 10 mm, 0]]}}",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_units_are_read_inside_parts(name, tmp_path):
    """Each by hand: with units as with the number in SI."""
    text, models = WRITTEN[name], []
    plain = text
    for written, number in (("500 mm", "0.5"), ("150 mm", "0.15"), ("10 mm", "0.01"), ("1 cm", "0.01"),
                            ("3 mm", "0.003"), ("1 mm", "0.001"), ("5 N/mm", "5000"), ("1 kN", "1000")):
        plain = plain.replace(written, number)
    assert plain != text
    for k, one in enumerate((text, plain)):
        path = tmp_path / f"model{k}.yaml"
        path.write_text(f"vincolo: 1\nname: m\n{'' if one.startswith('bodies') else BODY}{one}\n")
        models.append(yaml_text(vc.load_model(path)))
    assert models[0] == models[1]


def test_a_unit_that_does_not_fit_inside_a_part_is_named(tmp_path):
    path = tmp_path / "model.yaml"
    path.write_text("vincolo: 1\nname: m\n" + BODY + WRITTEN["where of a load"].replace("3 mm", "3 kg"))
    with pytest.raises(vc.FileError, match=r"where: local\[0\]: '3 kg' is a number of kg; here it is one of m"):
        vc.load_model(path)
