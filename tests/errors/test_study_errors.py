"""Every message of a study helps."""

import pytest

import vincolo as vc
from vincolo.studies import Range, Spread


def product(x: float, y: float = 1.0) -> float:
    return x * y


@pytest.mark.parametrize(("arguments", "told"), [
    (({}, "p"), "there are no parameters"),
    (({"x": (2, 1)}, "p"), "the lower end comes first"),
    (({"x": (0, 1)}, "p"), "'x' has no values to make a grid of"),
    (({"x": [1, float("nan")]}, "p"), "finite numbers"),
    (({"x": vc.studies.Spread}, "p"), "x"),
    (({"x": "a"}, "p"), "x"),
])
def test_parameters_that_cannot_be(arguments, told):
    with pytest.raises(vc.ModelError, match=told):
        vc.study(product, *arguments, workers=1)


@pytest.mark.parametrize(("given", "told"), [
    ({"plan": "sobel"}, "plan is 'sobel'; it is one of: grid, list, latin, sobol, random.*Did you mean 'sobol'"),
    ({"plan": "sobol"}, "samples is None; a sobol plan needs a whole number"),
    ({"plan": "sobol", "samples": 0}, "samples is 0"),
    ({"plan": "random", "samples": 5, "seed": -1}, "the seed is -1"),
    ({"samples": 5}, "samples= is for latin, sobol and random plans"),
    ({"how": "magic"}, "how is 'magic'"),
    ({"workers": 0}, "workers is 0"),
])
def test_plans_that_cannot_be(given, told):
    parameters = {"x": (0, 1)} if given.get("plan") in ("sobol", "random") else {"x": [1, 2]}
    with pytest.raises(vc.ModelError, match=told):
        vc.study(product, parameters, "p", **given)


def test_lists_go_together_and_samples_need_ranges():
    with pytest.raises(vc.ModelError, match="'y' has 2 values, others have 3"):
        vc.study(product, {"x": [1, 2, 3], "y": [1, 2]}, "p", plan="list")
    with pytest.raises(vc.ModelError, match="'x' has values in a list"):
        vc.study(product, {"x": [1, 2]}, "p", plan="sobol", samples=4)
    with pytest.raises(vc.ModelError, match="count is 1"):
        Range(0, 1, 1)
    with pytest.raises(vc.ModelError, match="is not a distribution"):
        Spread(1.0, 0.1)


def test_a_grid_that_is_too_large_is_refused():
    with pytest.raises(vc.ModelError, match="1,000,000,000,000 variants"):
        vc.study(lambda x, y: 0.0, {"x": (0, 1, 10**6), "y": (0, 1, 10**6)}, "p")


def test_outputs_that_are_not_there():
    model = vc.Model("bar")
    bar = model.body("bar", mass=1, inertia=0.1, at=(0.1, 0, 0))
    model.revolute("pin", model.ground, bar, at=(0, 0, 0), axis="y")
    with pytest.raises(vc.ModelError, match="bar.q"):
        vc.study(model, {"bar.mass": [1, 2]}, ["max bar.q"], until=1.0)
    with pytest.raises(vc.ModelError, match="is given twice"):
        vc.study(model, {"bar.mass": [1, 2]}, ["max bar.x", "max bar.x"], until=1.0)
    with pytest.raises(vc.ModelError, match="'largest' is not something to keep"):
        vc.study(model, {"bar.mass": [1, 2]}, [("bar.x", "largest")], until=1.0)
    with pytest.raises(vc.ModelError, match="there is nothing called 'bar.maas'.*\n.*motor.y"):
        vc.study(model, {"bar.maas": [1, 2]}, ["max bar.x"], until=1.0)
    with pytest.raises(vc.ModelError, match="the end of the motion"):
        vc.study(model, {"bar.mass": [1, 2]}, ["max bar.x"])


def test_functions_that_return_something_else():
    with pytest.raises(vc.ModelError, match="cannot be varied"):
        vc.study(3, {"x": [1]}, "p")
    found = vc.study(lambda x: (1.0, 2.0), {"x": [1]}, ["a", "b", "c"], workers=1)
    assert "returned 2 numbers for 3 outputs" in found.failures[0]
    with pytest.raises(vc.ModelError, match="with until= the function builds models"):
        vc.study(product, {"x": [1]}, "max bob.x", until=1.0)
    with pytest.raises(vc.ModelError, match="not of models"):
        vc.study(product, {"x": [1]}, "p", workers=1).run(0)


def test_a_folder_of_another_study_is_refused(tmp_path):
    vc.study(product, {"x": [1, 2]}, "p", workers=1, folder=tmp_path)
    with pytest.raises(vc.ModelError, match="has the variants of another study"):
        vc.study(product, {"x": [1, 3]}, "p", workers=1, folder=tmp_path)
    (tmp_path / "journal.txt").write_text("something else\n")
    with pytest.raises(vc.FileError, match="is not a journal of a study"):
        vc.study(product, {"x": [1, 2]}, "p", workers=1, folder=tmp_path)


def test_columns_and_tables_that_are_not_there(tmp_path):
    found = vc.study(product, {"x": [1, 2]}, "product", workers=1)
    with pytest.raises(vc.ModelError, match="there is no column 'produkt'.*Did you mean 'product'"):
        found["produkt"]
    with pytest.raises(vc.ModelError, match="a table is written as .csv"):
        found.save(tmp_path / "t.doc")


def test_a_folder_that_is_a_file_and_columns_twice_are_named(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("x")
    for folder in (taken, taken / "below"):
        with pytest.raises(vc.VincoloError, match="cannot be a folder: there is a file of that name"):
            vc.study(lambda a: a, {"a": [1.0]}, "y", folder=folder)
    for outputs in (["y", "y"], ["a"]):
        with pytest.raises(vc.ModelError, match="column '[ya]' twice"):
            vc.study(lambda a: a, {"a": [1.0]}, outputs)
    found = vc.study(lambda a: a, {"a": [1.0]}, ["y", "z"], how="serial")
    assert "returned 1 numbers for 2 outputs" in found.failures[0]


def test_a_mass_below_zero_fails_alone():
    model = vc.Model("bar")
    bar = model.body("bar", mass=1, inertia=0.1, at=(0.1, 0, 0))
    model.revolute("pin", model.ground, bar, at=(0, 0, 0), axis="y")
    model.rotor("pin.angle", 0.1, name="R")
    found = vc.study(model, {"bar.mass": [1.0, -2.0], "R.inertia": [0.1, -1.0]}, "max bar.x", until=0.1, workers=1)
    assert found.failures == {1: "rotor 'R': the inertia is -1; it must be positive.",
                              2: "body 'bar': the mass is -2 kg; it must not be negative.",
                              3: "body 'bar': the mass is -2 kg; it must not be negative."}
