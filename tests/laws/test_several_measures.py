"""Laws whose force depends on measures they do not act along: reported = applied, in files, copies and removals."""

import numpy as np
import pytest

import vincolo as vc


def two_slides(text="-k*x - c*x_rate + t*d", kind="actuator"):
    """Slide a is pushed by where slide b is; slide b by a constant force, x = t^2 / 4."""
    model = vc.Model("slides", gravity=(0, 0, 0))
    for k, name in enumerate("ab"):
        body = model.body(name, 1.0 + k, 0.1, at=(0, k, 0))
        model.prismatic(f"rail_{name}", model.ground, body, at=(0, k, 0), axis="x")
    getattr(model, kind)("push", "rail_a.travel", text, k=3.0, c=0.5, x=model.joints["rail_b"]["travel"])
    model.actuator("pull", "rail_b.travel", "1")
    return model


def exact(t):
    """a'' = -3 t^2 / 4 - t / 4 without the part of its own measure."""
    return -t**4 / 16 - t**3 / 24


@pytest.mark.parametrize(("kind", "sign"), [("actuator", 1.0), ("law", -1.0)])
@pytest.mark.parametrize("integrator", [None, vc.Radau()], ids=["Auto", "Radau"])
def test_the_force_is_that_of_the_other_measure(kind, sign, integrator):
    result = vc.simulate(two_slides("-k*x - c*x_rate", kind), 2.0, outputs=20, integrator=integrator)
    assert result["a.x"] == pytest.approx(sign * exact(result.t), abs=1e-6)
    force = -3 * result["b.x"] - 0.5 * result["b.vx"]
    assert result["push.force"] == pytest.approx(force, abs=1e-9)
    assert result["a.ax"] == pytest.approx(sign * force, abs=1e-9)
    assert result.statistics["energy_imbalance"] < 1e-6


@pytest.mark.parametrize("ending", [".yaml", ".xlsx"])
def test_files_keep_it(ending, tmp_path):
    model = two_slides()
    again = vc.load_model(vc.save_model(model, tmp_path / f"m{ending}"))
    first, second = (vc.simulate(m, 1.0, outputs=5) for m in (model, again))
    assert np.array_equal(first["a.x"], second["a.x"]) and abs(first["a.x"][-1]) > 0.01


@pytest.mark.parametrize("mirror", [None, "x", "y"])
def test_sub_models_keep_it(mirror):
    whole = vc.Model("whole", gravity=(0, 0, 0))
    whole.add("left", two_slides(), at=(1, 2, 3), mirror=mirror)
    result, alone = vc.simulate(whole, 1.0, outputs=5), vc.simulate(two_slides(), 1.0, outputs=5)
    assert result["left.rail_a.travel"] == pytest.approx(alone["rail_a.travel"], abs=1e-7)  # other steps


@pytest.mark.parametrize("gone", ["rail_b", "b"])
def test_what_it_depends_on_takes_it_along(gone):
    model = two_slides()
    assert "push" in model.remove(gone) and "push" not in model.laws


def test_the_linear_system_sees_the_other_measure():
    model = two_slides("-k*x - c*x_rate")
    linear = vc.linearize(vc.assemble(vc.compile(model)))
    assert np.linalg.norm(linear.stiffness) == pytest.approx(3.0, rel=1e-6)  # one entry, in whatever basis
    assert np.linalg.norm(linear.damping) == pytest.approx(0.5, rel=1e-6)


def test_names_of_other_measures_are_checked():
    model = two_slides()
    other = model.joints["rail_b"]["travel"]
    with pytest.raises(vc.ExpressionError, match="law 'more': the name 'y' is not known"):
        model.law("more", "rail_a.travel", "y", x=other)
    with pytest.raises(vc.ModelError, match="only a text names other measures"):
        model.law("more", "rail_a.travel", 3.0, x=other)
    with pytest.raises(vc.ExpressionError, match="the name 't' cannot be used"):
        model.law("more", "rail_a.travel", "t", t=other)
