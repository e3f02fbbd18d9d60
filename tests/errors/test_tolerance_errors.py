"""Tolerances that make no sense, and files with them: every message names what, where and the way out."""

import numpy as np
import pytest

import vincolo as vc
from vincolo import tolerance as tol
from vincolo import varied
from vincolo.formats.toleranced import subject_of, tolerances_in
from vincolo.tolerance import Clearance, Cost, Normal, Tolerance, Uniform
from vincolo.tolerance.rccc import RcccSubject


def line(x=0.0, y=0.0):
    return 2 * x + y


SUBJECT = tol.FunctionSubject(line, {"x": 0.0, "y": 0.0})
X, Y = Tolerance("x", Normal(0.1)), Tolerance("y", Normal(0.1))


@pytest.mark.parametrize(("make", "words"), [
    (lambda: Normal(-0.1), "tolerance is -0.1; it must not be negative"), (lambda: Normal(np.nan), "finite number"),
    (lambda: Uniform((0.2, 0.1)), "lower one comes first"), (lambda: Normal(0.1, sigmas=0), "above zero"),
    (lambda: tol.Triangular(0.1, peak=0.2), "peak 0.2 is not between"), (lambda: tol.Measured([0.1]), "two finite"),
    (lambda: tol.Measured([0.1, np.inf]), "two finite"), (lambda: tol.Own(3.0), "no quantiles"),
    (lambda: tol.Own(lambda u: -u), "numbers that rise"), (lambda: tol.HalfNormal(-1.0), "must not be negative"),
    (lambda: Tolerance("", Normal(0.1)), "has a name"), (lambda: Tolerance("x", 0.1), "not a distribution"),
    (lambda: Cost(0.0), "above zero"), (lambda: Clearance("A", -1e-5, 0.1), "pin is larger than its hole"),
    (lambda: Clearance("A", Normal(1e-5), 0.1), "pin is larger than its hole"),
    (lambda: Clearance("A", 1e-5, 0.0), "above zero"),
    (lambda: Clearance("A", 0.06, 0.1), "too large for a pin of 0.1"),
    (lambda: Clearance("A", 0.02, 0.1, radius=0.01), "larger than the radius of the pin"),
    (lambda: tol.study(SUBJECT, []), "no tolerances"), (lambda: tol.study(SUBJECT, ["x"]), "neither a Tolerance"),
    (lambda: tol.study(SUBJECT, [X, X]), "'x' is given twice"),
    (lambda: tol.study(SUBJECT, [Tolerance("z", Normal(1))]), "no parameter 'z'"),
    (lambda: tol.study(SUBJECT, [X], samples=1), "samples is 1"),
    (lambda: tol.study(SUBJECT, [X], workers=0), "workers"),
    (lambda: tol.study(SUBJECT, [X], seed=-1), "seed is -1"),
    (lambda: tol.study(SUBJECT, [X], method="halton"), "sobol"),
    (lambda: tol.study(SUBJECT, [X, Y], correlations={("x", "z"): 0.5}), "no tolerance of 'z'"),
    (lambda: tol.study(SUBJECT, [X, Y], correlations={("x", "y"): 1.5}), "between -1 and 1"),
    (lambda: tol.study(SUBJECT, [X, Y], correlations={("x", "y"): 1.0}), "(?s)cannot be all at once.*must be positive"),
    (lambda: tol.study(SUBJECT, [X, Y]).mean("z"), "no output 'z'"),
    (lambda: tol.study(SUBJECT, [X, Y]).band(share=2), "between 0 and 1"),
    (lambda: tol.tightened(tol.linear_tolerances(SUBJECT, [X, Y]), "outcome", 0.1), "no tolerance has a cost"),
    (lambda: tol.FunctionSubject(3, {}), "cannot be called"),
    (lambda: RcccSubject([1.5] * 4, [0.0], ["theta1"]), "no output 'theta1'"),
    (lambda: tol.study(RcccSubject([1.5] * 4, [0.0]), [Tolerance("alpha 5", Normal(0.1))]), "no 'alpha 5'"),
])
def test_what_makes_no_sense_is_refused_in_words(make, words):
    with pytest.raises(vc.ModelError, match=words):
        make()


def test_correlations_that_exclude_each_other_are_refused_with_their_eigenvalue():
    three = [X, Y, Tolerance("z", Normal(0.1))]
    subject = tol.FunctionSubject(lambda x, y, z: x + y + z, dict.fromkeys("xyz", 0.0))
    pairs = {("x", "y"): 0.9, ("y", "z"): 0.9, ("x", "z"): -0.9}
    with pytest.raises(vc.ModelError, match=r"x with z: -0.9\) cannot be all at once.*eigenvalue .* is -0.8"):
        tol.study(subject, three, correlations=pairs)


def test_a_target_that_cannot_be_met_is_refused_with_what_can():
    own = [Tolerance("x", Normal(0.1), cost=Cost()), Y]
    found = tol.linear_tolerances(SUBJECT, own)
    with pytest.raises(vc.ModelError, match=r"(?s)of 0.01 cannot be had.*it is 0.033.*Give costs"):
        tol.tightened(found, "outcome", 0.01)
    with pytest.raises(vc.ModelError, match="above zero"):
        tol.tightened(found, "outcome", 0.0)


def test_a_folder_of_another_study_is_not_taken_for_this_one(tmp_path):
    tol.study(SUBJECT, [X], samples=10, folder=tmp_path)
    with pytest.raises(vc.ModelError, match="samples of another study"):
        tol.study(SUBJECT, [X], samples=10, folder=tmp_path, seed=2)
    moved = tol.FunctionSubject(line, {"x": 1.0, "y": 0.0})
    with pytest.raises(vc.ModelError, match="samples of another study: its model"):
        tol.study(moved, [X], samples=10, folder=tmp_path)


def test_a_nominal_mechanism_without_outputs_is_refused_first():
    def never(x):
        raise vc.AssemblyError("it never closes.")

    with pytest.raises(vc.ModelError, match="nominal mechanism itself has no outputs: it never closes"):
        tol.study(tol.FunctionSubject(never, {"x": 0.0}), [X], samples=4)


def test_functions_that_fail_for_some_samples_are_told():
    def root(x):
        if x < 0:
            raise vc.AssemblyError("the rod is too short.")
        return x**0.5

    found = tol.study(tol.FunctionSubject(root, {"x": 0.0}), [Tolerance("x", Uniform((-0.5, 1.0)))], samples=60)
    assert 5 < len(found.failures) < 40 and "the rod is too short" in found.told_failures()
    assert np.isnan(found.values[list(found.failures)]).all()


PENDULUM = """
bodies: {crank: {mass: 1, inertia: 0.1, at: [0.1, 0, 0]}}
parameters: {r: 0.1}
joints: {O: {kind: revolute, a: ground, b: crank, at: ["=r-0.1", 0, 0], axis: z}}
drives: {motor: {measure: O.angle, function: 0.1*t}}
run: {analysis: kinematics, until: 1.0, outputs: 4, channels: [crank.x]}
"""


def opened(tmp_path, rows, name="m.yaml"):
    path = tmp_path / name
    path.write_text(f"{PENDULUM}tolerances:\n{rows}")
    return vc.open_model(path)


@pytest.mark.parametrize(("rows", "words"), [
    ("  a: {of: r}\n", "tolerances: a: give either plus_minus, or both"),
    ("  a: {of: r, plus_minus: -0.1}\n", "(?s)line 8.*must not be negative"),
    ("  a: {of: r, plus_minus: 0.1, distribution: gauss}\n", "'gauss' is not a distribution"),
    ("  a: {of: r, plus_minus: 0.1, gap: 0.1}\n", "a tolerance has no 'gap'"),
    ("  a: {plus_minus: 0.1}\n", "either of, what deviates, or clearance"),
    ("  a: {clearance: P, gap: 1e-5, length: 0.1}\n", "no joint called 'P'"),
    ("  a: {clearance: O, gap: 1e-5}\n", "a gap .* and a length"),
    ("  a: {clearance: O, gap: 0.2, length: 0.1}\n", "too large for a pin"),
    ("  a: {clearance: O, gap: 1e-5, gap_plus_minus: -1e-6, length: 0.1}\n", "must not be negative"),
    ("  a: {of: r, plus_minus: 0.1, correlated: {b: 0.5}}\n", "no tolerance of 'b'"),
    ("  a: {of: r, plus_minus: 0.1, sigma: 3}\n", "no key 'sigma' here. Did you mean 'sigmas'"),
    ("  a: {of: r, values: [0.1, 0.2], plus_minus: 0.1}\n", "has values, a list of deviations, and no limits"),
    ("  a: {of: r, plus_minus: 0.1, distribution: uniform, sigmas: 3}\n", "uniform distribution has no 'sigmas'"),
])
def test_mistakes_in_files_name_their_place(tmp_path, rows, words):
    with pytest.raises(vc.FileError, match=words) as caught:
        opened(tmp_path, rows)
    assert "m.yaml" in str(caught.value)


@pytest.mark.parametrize(("of", "words"), [
    ("q", "(?s)'q' is neither a part of the model that could deviate nor a number of the file"),
    ("O@rod.x", "(?s)'O@rod.x' is neither|between 'ground' and 'crank', not on 'rod'"),
    ("O.pitch", "(?s)'O.pitch' is neither|has no number 'pitch'")])
def test_names_that_mean_nothing_are_refused_before_anything_is_sampled(tmp_path, of, words):
    document = opened(tmp_path, f"  a: {{of: \"{of}\", plus_minus: 0.1}}\n")
    with pytest.raises(vc.ModelError, match=words):
        subject_of(document)


def test_a_file_without_tolerances_says_how_to_write_them(tmp_path):
    path = tmp_path / "plain.yaml"
    path.write_text(PENDULUM)
    with pytest.raises(vc.FileError, match=r"(?s)plain.yaml: it has no tolerances.*sheet Tolerances"):
        tolerances_in(vc.open_model(path))


@pytest.mark.parametrize(("name", "words"), [
    ("crank", "nothing called 'crank' that could vary"), ("O@crank.q", "'q' is not x, y or z"),
    ("G.play x", "there is play|no play here"), ("crank.massa", "Did you mean 'crank.mass'"),
    ("A@rod.play z", "no play 'z'")])
def test_parts_of_models_are_named_with_what_is_near(name, words):
    model = vc.Model("m", gravity=(0, 0, 0))
    crank = model.body("crank", 1, 0.1)
    rod = model.body("rod", 1, 0.1)
    model.revolute("O", model.ground, crank, (0, 0, 0), "z")
    model.revolute("A", crank, rod, (1, 0, 0), "z")
    model.prismatic("G", model.ground, rod, (0, 0, 0), "x")
    with pytest.raises(vc.ModelError, match=words):
        varied.feature_of(model, name)
