"""Studies: plans, outputs, tables, journals; and that what they find does not depend on who works on it."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc
from vincolo.errors import VincoloWarning
from vincolo.studies import Range, Spread, Study
from vincolo.studies.outputs import REDUCTIONS, output_of
from vincolo.studies.plan import plan_of
from vincolo.tolerance import Normal

EXAMPLE = Path(__file__).parents[2] / "examples/studies/slider_crank.yaml"


def pendulum(mass: float = 2.0, length: float = 0.5, push: float = 0.3) -> vc.Model:
    model = vc.Model("pendulum")
    bob = model.body("bob", mass=mass, inertia=0.01, at=(length, 0, 0))
    model.revolute("pin", model.ground, bob, at=(0, 0, 0), axis="y")
    model.torque("push", bob, (0, push, 0))
    return model


def product(x: float, y: float) -> float:
    return x * y


@pytest.mark.parametrize("plan", ["random", "sobol"])
def test_fewer_samples_are_the_first_of_more(plan):
    few, many = (plan_of({"x": (0, 1), "y": (2, 5)}, plan, n, 3) for n in (700, 9000))
    assert np.array_equal(few.rows(0, 700), many.rows(0, 700))
    assert np.array_equal(many.rows(4000, 8500), many.rows(0, 9000)[4000:8500])  # over pieces


def test_a_latin_hypercube_has_one_variant_in_each_stratum():
    found = plan_of({"x": (0, 1), "y": (2, 5)}, "latin", 500, 1).rows(0, 500)
    for column, low, width in ((found[:, 0], 0, 1), (found[:, 1], 2, 3)):
        assert sorted(np.floor((column - low) / width * 500).astype(int)) == list(range(500))


def test_a_sobol_plan_integrates_better_than_chance():
    mean = {plan: vc.study(product, {"x": (0, 1), "y": (0, 1)}, "p", plan=plan, samples=1024, workers=1)["p"].mean()
            for plan in ("sobol", "random")}
    assert abs(mean["sobol"] - 0.25) < 1e-4 < abs(mean["random"] - 0.25)


def test_a_spread_has_its_mean_and_deviation():
    column = plan_of({"x": Spread(5.0, Normal(0.3))}, "sobol", 4096, 1).rows(0, 4096)[:, 0]
    assert column.mean() == pytest.approx(5.0, abs=1e-4) and column.std() == pytest.approx(0.1, rel=1e-2)


def test_a_grid_has_all_combinations_and_a_list_goes_together():
    grid = vc.study(product, {"x": (0, 4, 3), "y": [1, 10]}, "p", workers=1)
    assert grid["p"].tolist() == [0, 0, 2, 20, 4, 40]
    assert vc.study(product, {"x": [1, 2, 3], "y": [5]}, "p", plan="list", workers=1)["p"].tolist() == [5, 10, 15]


def test_reductions_of_a_wave():
    t = np.linspace(0, 2, 801)
    x = 1 + 3 * np.sin(2 * np.pi * 4 * t)
    expected = {"max": 4, "min": -2, "peak": 4, "range": 6, "start": 1, "final": 1, "mean": 1,
                "rms": np.sqrt(1 + 4.5), "time of max": 0.0625, "time of min": 0.1875, "spectrum peak": 4,
                "spectrum height": 3}
    for name in REDUCTIONS:
        kept = output_of(f"{name} a.x").of(t, x)
        kept = kept % 0.25 if name.startswith("time") else kept  # any of eight periods
        assert kept == pytest.approx(expected[name], abs=5e-3), name
    assert output_of(("a.x", lambda t, x: x[3] + t[3])).of(t, x) == x[3] + t[3]


def test_a_model_by_names_is_the_model_that_is_built():
    names = {"bob.mass": [1.0, 3.0], "push.y": [0.1, 0.6]}
    found = vc.study(pendulum(), names, ["final bob.z", "max bob.vx"], until=0.5, times=20, workers=1)
    built = vc.study(lambda mass, push: pendulum(mass, push=push), {"mass": [1.0, 3.0], "push": [0.1, 0.6]},
                     ["final bob.z", "max bob.vx"], until=0.5, times=20, workers=1)
    assert found.values == pytest.approx(built.values, abs=1e-12)
    assert len(set(found["final bob.z"])) == 4
    k = found.best("final bob.z")
    assert found.run(k)["bob.z"][-1] == pytest.approx(found.variant(k)["final bob.z"], abs=1e-12)
    assert found.model(3).bodies["bob"].mass == 3.0


@pytest.mark.parametrize("how", ["threads", "processes"])
def test_the_same_bits_for_any_crew(how):
    args = (pendulum(), {"bob.mass": (1, 3), "push.y": (0, 1)}, ["rms bob.vx"])
    alone = vc.study(*args, plan="sobol", samples=40, until=0.3, times=20, how="serial")
    assert np.array_equal(alone.values, vc.study(*args, plan="sobol", samples=40, until=0.3, times=20, how=how,
                                                 workers=2).values)


def test_failures_are_kept_with_their_reasons():
    def root(x: float) -> float:
        if x < 0:
            raise ValueError("no root of it")
        return float("inf") if x == 3 else x**0.5

    found = vc.study(root, {"x": [-1, 1, 3, 4]}, "r", workers=1)
    assert found.failures == {0: "ValueError: no root of it", 2: "r is not finite"}
    assert np.isnan(found["r"]).tolist() == [True, False, True, False]
    assert "2 failed: 1 x ValueError" in str(found) and found.best("r") == 1


@pytest.mark.parametrize("way", [{"workers": 1}, *({"workers": 2, "how": how} for how in ("threads", "processes"))])
def test_mistakes_in_every_variant_end_a_study_with_the_error(way):
    with pytest.raises(vc.ModelError, match="NameError: name 'nothing_of_that_name' is not defined") as told:
        vc.study(lambda x: nothing_of_that_name, {"x": [1, 2]}, "r", **way)  # noqa: F821
    assert way.get("how") == "processes" or isinstance(told.value.__cause__, NameError)


def test_a_study_of_a_program_with_a_mistake_ends_soon():
    called = []
    with pytest.raises(vc.ModelError, match="failed with an error of the program"):
        vc.study(lambda x: called.append(x) or called["x"], {"x": list(range(100_000))}, "r", workers=1)
    assert len(called) < 2000


ERRORS = [KeyError("shape"), AttributeError("no such part"), TypeError("text"), IndexError("7"), AssertionError("odd"),
          RuntimeError("stuck"), NotImplementedError("later"), OSError(5, "disk"), StopIteration(),
          RecursionError("deep")]


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("way", [{"workers": 1}, {"workers": 2, "how": "processes"}, {"workers": 1, "limit": 5.0},
                                 {"workers": 1, "vectorised": True}], ids=["alone", "pool", "limit", "vectorised"])
def test_a_variant_with_any_error_costs_that_variant_alone(error, way, tmp_path):
    """The others are there, also in the folder, and a second call has the same."""
    def half(x):
        if np.any(np.asarray(x) == 3.0):
            raise error
        return x / 2

    for _ in range(2):
        found = vc.study(half, {"x": list(range(8))}, "r", folder=tmp_path / "study", **way)
        assert list(found.failures) == [3] and type(error).__name__ in found.failures[3]
        assert np.delete(found["r"], 3).tolist() == [0, 0.5, 1, 2, 2.5, 3, 3.5]


def test_a_model_that_cannot_be_built_costs_one_variant():
    def built(k):
        masses = {1.0: 1.0, 3.0: 2.0}
        m = vc.Model("bar")
        body = m.body("bar", masses[k], 0.1, at=(1, 0, 0))
        m.revolute("O", m.ground, body, at=(0, 0, 0), axis="y")
        return m

    found = vc.study(built, {"k": [1.0, 3.0, 3.0, 5.0]}, "max bar.vz", until=0.1, workers=1)
    assert list(found.failures) == [3] and found.failures[3].startswith("KeyError")


def test_two_studies_of_one_folder_do_not_mix(tmp_path):
    """From two threads at once: one works, the other is refused in words; what is there is whole."""
    rounds = 8
    for k in range(rounds):
        folder, gate, ends = tmp_path / str(k), threading.Barrier(2), []

        def work(folder=folder, gate=gate, ends=ends):
            gate.wait()
            try:
                ends.append(vc.study(lambda x: time.sleep(0.01) or 2 * x, {"x": list(range(6))}, "r", folder=folder,
                                     how="serial")["r"].tolist())
            except vc.FileError as error:
                ends.append(str(error))

        both = [threading.Thread(target=work) for _ in range(2)]
        for one in both:
            one.start()
        for one in both:
            one.join()
        whole = [end for end in ends if end == [0, 2, 4, 6, 8, 10]]
        refused = [end for end in ends if isinstance(end, str) and "another study is working on" in end]
        assert len(whole) == 1 and len(refused) == 1
        lines = (folder / "journal.txt").read_text().splitlines()[1:]
        assert sum(int(line.split()[2]) for line in lines) == 6  # variants, each once


def test_a_worker_that_is_killed_costs_one_variant():
    def deadly(x: float) -> float:
        if x == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        return 2 * x

    found = vc.study(deadly, {"x": list(range(30))}, "y", workers=2, how="processes")
    assert list(found.failures) == [7] and "died" in found.failures[7]
    assert np.array_equal(np.delete(found["y"], 7), 2.0 * np.delete(np.arange(30), 7))


def counted(folder: Path) -> int:
    return len(list(folder.glob("call*")))


def test_a_study_goes_on_without_repeating(tmp_path):
    calls = tmp_path / "calls"
    calls.mkdir()

    def square(x: float) -> float:
        if x == 40 and not (tmp_path / "again").exists():
            raise KeyboardInterrupt
        (calls / f"call{x}").touch(exist_ok=False)  # each of them once
        return x * x

    first = vc.study(square, {"x": list(range(60))}, "y", workers=1, folder=tmp_path / "s")
    assert not first.complete and "interrupted after" in str(first) and first.told_reason(59) == "it was not evaluated"
    for name in sorted(calls.iterdir()):
        if int(float(name.name[4:])) >= sum(stop - start for start, stop in first.done):
            name.unlink()  # of a task that was not finished
    (tmp_path / "again").touch()
    whole = vc.study(square, {"x": list(range(60))}, "y", workers=1, folder=tmp_path / "s")
    assert whole.complete and np.array_equal(whole["y"], np.arange(60.0) ** 2) and counted(calls) == 60


def test_a_line_that_was_cut_short_or_damaged_is_evaluated_again(tmp_path):
    args = (product, {"x": list(range(50)), "y": [3]}, "p")
    whole = vc.study(*args, workers=1, folder=tmp_path)
    journal = tmp_path / "journal.txt"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:-20])  # killed while it was written
    assert np.array_equal(vc.study(*args, workers=1, folder=tmp_path).values, whole.values)
    damaged = bytearray(lines[2])
    damaged[25] ^= 1
    journal.write_bytes(b"".join([*lines[:2], bytes(damaged), *lines[3:]]))
    with pytest.warns(VincoloWarning, match="1 lines of .* are damaged"):
        assert np.array_equal(vc.study(*args, workers=1, folder=tmp_path).values, whole.values)


def test_more_samples_go_on_from_fewer(tmp_path):
    few, more = (vc.study(product, {"x": (0, 1), "y": (0, 1)}, "p", plan="sobol", samples=n, workers=1,
                          folder=tmp_path) for n in (20, 50))
    assert np.array_equal(few.values, more.values[:20]) and more.complete


def small() -> Study:
    return vc.study(lambda x: {"y": x * x, "z": 1 / (x - 2)}, {"x": [0.1, 1, 2, 3]}, ["y", "z"], workers=1)


def test_tables_hold_all_numbers(tmp_path):
    import h5py
    import pandas

    found = small()
    frame = found.to_pandas()
    assert list(frame.columns) == ["x", "y", "z", "reason"] and frame["reason"][2].startswith("ZeroDivisionError")
    read = pandas.read_csv(found.save(tmp_path / "t.csv"))
    for name in ("x", "y", "z"):
        assert np.array_equal(read[name], found[name], equal_nan=True)
    with h5py.File(found.save(tmp_path / "t.h5")) as file:
        assert np.array_equal(file["table"][:, 1], found["y"], equal_nan=True) and file["failed"][:].tolist() == [2]


def test_tables_in_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    found = small()
    table = parquet.read_table(found.save(tmp_path / "t.parquet"))
    assert np.array_equal(table["z"].to_numpy(), found["z"], equal_nan=True) and table["reason"][0].as_py() == ""


def test_progress_tells_rate_and_rest():
    heard = []
    vc.study(product, {"x": list(range(30)), "y": [1]}, "p", workers=1, progress=heard.append)
    assert heard[-1].done == 30 and heard[-1].remaining == 0 and heard[-1].rate > 0
    assert "30 of 30 variants (100 %)" in str(heard[-1]) and "per second" in str(heard[-1])


def test_a_vectorised_function_is_called_with_arrays():
    found = vc.study(lambda x: np.where(x > 0.5, np.nan, x), {"x": (0, 1)}, "y", plan="random", samples=10_000,
                     vectorised=True, workers=2)
    assert len(found.failures) == pytest.approx(5000, abs=200) and np.nanmax(found["y"]) <= 0.5


def test_ranges_may_be_written_out():
    assert vc.study(product, {"x": Range(0, 1, 2), "y": 2}, "p", workers=1)["p"].tolist() == [0, 2]
