"""Results as files, tables and words."""

import csv

import numpy as np
import pytest

import vincolo as vc
from linkages import parallelogram, pendulum


@pytest.fixture(scope="module")
def result():
    return vc.simulate(pendulum(), 1.0, outputs=20)


def test_csv_holds_every_digit(result, tmp_path):
    path = result.to_csv(tmp_path / "run.csv", ["O.angle", "bar.x", "energy.total"])
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["t", "O.angle", "bar.x", "energy.total"] and len(rows) == 21
    table = np.array(rows, dtype=float)
    assert np.array_equal(table[:, 0], result.t) and np.array_equal(table[:, 1], result["O.angle"])


def test_csv_of_everything_and_of_names_with_commas(tmp_path):
    model = pendulum()
    model.frame("tip, left", model.bodies["bar"], (1, 0, 0))
    result = vc.simulate(model, 0.1, outputs=2)
    path = result.to_csv(str(tmp_path / "all.csv"))
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == result.keys() and {len(row) for row in rows} == {len(header)}


def test_csv_appears_complete_or_not_at_all(result, tmp_path, monkeypatch):
    target = tmp_path / "run.csv"
    target.write_text("before")

    def full_disk(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(np, "savetxt", full_disk)
    with pytest.raises(OSError, match="no space left"):
        result.to_csv(target)
    assert target.read_text() == "before" and [p.name for p in tmp_path.iterdir()] == ["run.csv"]


def test_csv_into_a_folder_that_is_not_there(result, tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder .*nowhere.*'run.csv'"):
        result.to_csv(tmp_path / "nowhere" / "run.csv")


def test_pandas_has_time_as_its_index(result):
    pytest.importorskip("pandas")
    frame = result.to_pandas(["O.angle", "bar.x"])
    assert list(frame.columns) == ["O.angle", "bar.x"] and frame.index.name == "t"
    assert np.array_equal(frame.index.to_numpy(), result.t)
    assert np.array_equal(frame["O.angle"].to_numpy(), result["O.angle"])
    assert list(result.to_pandas().columns) == [n for n in result.keys() if n != "t"]  # noqa: SIM118


def test_summary_tells_the_run(result):
    text = str(result)
    for phrase in ("pendulum: 1 s simulated in", "rtol 1e-08, atol 1e-10", "steps", "evaluations",
                   "projection of positions and velocities", "1 body, 1 joint; 1 degree of freedom", "residuals",
                   "balance kept to"):
        assert phrase in text, phrase
    assert "ended early" not in text and "redundant" not in text and len(text.splitlines()) < 15


def test_summary_of_a_driven_redundant_mechanism():
    model = parallelogram(1.0)
    model.drive("foot0.angle", "0.1*sin(t)")
    text = vc.simulate(model, 0.5, integrator=vc.RK4(step=0.01), stabilisation=vc.Baumgarte()).summary()
    for phrase in ("1 degree of freedom, 1 driven, 3 redundant rows", "reactions not unique", "foot0",
                   "Runge-Kutta 4, step 0.01", "50 steps", "Baumgarte, alpha 20, beta 20 1/s",
                   "work of drives, dampers and loads"):
        assert phrase in text, phrase
    assert "no constraints" in str(vc.simulate(free_body(), 0.1))


def free_body():
    model = vc.Model()
    model.body("b", 1, 1)
    return model


def test_statistics_add_up(result):
    s = result.statistics
    assert s["steps"] > 0 and s["evaluations"] >= 6 * s["steps"] and s["factorisations"] >= s["evaluations"]
    assert 0 < s["smallest_step"] <= s["largest_step"] <= 1.0
    assert result.complete and result.settings.until == 1.0 and len(result) == 21
    assert "21 samples to t = 1 s, complete" in repr(result)


def test_output_times_are_as_asked():
    system = vc.compile(pendulum())
    times = [0.1, 0.25, 0.7]
    assert vc.simulate(system, 1.0, outputs=times).t.tolist() == [*times, 1.0]
    assert vc.simulate(system, 1.0, outputs=np.linspace(0, 1, 5)).t.tolist() == [0, 0.25, 0.5, 0.75, 1.0]
    assert vc.simulate(system, 1.0, outputs=np.int64(4)).t.tolist() == [0, 0.25, 0.5, 0.75, 1.0]
    later = vc.simulate(system, 3.0, outputs=2, start=vc.simulate(system, 1.0).state())
    assert later.t.tolist() == [1.0, 2.0, 3.0]
