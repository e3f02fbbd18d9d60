"""Results as files, tables, folders and words."""

import csv
import json
import os
import stat

import numpy as np
import pytest

import vincolo as vc
from linkages import parallelogram, pendulum
from vincolo.results.columns import header
from vincolo.results.facts import facts
from vincolo.tables.export import field_names
from vincolo.tables.folder import load_folder, save_folder
from vincolo.tables.table import parted
from vincolo.tables.table_files import read_table

KINDS = {".csv": "csv", ".xlsx": "openpyxl", ".h5": "h5py", ".mat": "scipy"}


@pytest.fixture(scope="module")
def result():
    return vc.simulate(pendulum(), 1.0, outputs=20)


@pytest.fixture(scope="module")
def model():
    """A pendulum whose parts have names that files must not stumble over."""
    found = pendulum()
    bar = found.bodies["bar"]
    for name in ("tip, left", "a/b", "=1+1", '"quoted"', "Größe µ", "-x", "1"):
        found.frame(name, bar, (1, 0, 0))
    found.measure("gap [mm]", vc.formula("2*d", d=vc.distance(found.ground.frame((2, 0, 0)), bar.frame((1, 0, 0)))))
    return found


@pytest.fixture(scope="module")
def odd(model):
    return vc.simulate(model, 1.0, outputs=300)


@pytest.mark.parametrize("ending", KINDS)
def test_tables_come_back_to_the_last_bit(odd, tmp_path, ending):
    pytest.importorskip(KINDS[ending])
    table = read_table(odd.export(tmp_path / f"run{ending}"))
    assert table.keys() == odd.keys() and len(table) == len(odd) == 301
    for name in odd.keys():  # noqa: SIM118 - a result is no dictionary
        assert table[name].tobytes() == np.ascontiguousarray(odd[name]).tobytes(), name
        assert table.unit(name) == odd.unit(name), name


@pytest.mark.parametrize("ending", KINDS)
def test_tables_of_some_series(result, tmp_path, ending):
    pytest.importorskip(KINDS[ending])
    table = read_table(result.export(tmp_path / f"run{ending}", ["energy.*", "bar.x", "energy.total", "t"]))
    assert table.names == ("energy.kinetic", "energy.potential", "energy.total", "energy.work", "energy.balance",
                           "bar.x")
    assert table.units == ("J", "J", "J", "J", "J", "m") and table.unit("t") == "s"
    alone = read_table(result.export(tmp_path / f"alone{ending}", []))
    assert alone.names == () and np.array_equal(alone.t, result.t)


def test_heads_of_columns_part_again():
    for name in ("a.x", "gap [mm]", "a [b].x", "x ", "[m]", "[]", "a [m"):
        for unit in ("m", "N m", "", "1"):
            assert parted(header(name, unit)) == (name, unit), (name, unit)
    assert parted("angle[rad]") == ("angle", "rad") and parted(" x [ m ] ") == ("x", "m")
    assert header("slider.x", "m") == "slider.x [m]" and header("residual.position", "") == "residual.position"


def test_measured_data_are_read(tmp_path):
    """As other programs write them: semicolons and decimal commas, tabs, quotes, blank lines, a mark of order."""
    for text in ("Time [s];a [rad]\n0;1,5\n0,5;nan\n", "\ufeffTime [s]\ta [rad]\n0\t1.5\n0.5\tnan\n\n",
                 'time,"a [rad]"\r\n"0","1.5"\r\n\r\n"0.5","nan"\r\n', "t, a [rad]\n0, 1.5\n0.5, nan"):
        (tmp_path / "m.csv").write_text(text, encoding="utf-8", newline="")
        table = read_table(tmp_path / "m.csv")
        assert table.names == ("a",) and table.units == ("rad",) and table.t.tolist() == [0.0, 0.5]
        assert table["a"][0] == 1.5 and np.isnan(table["a"][1])


def test_workbook_as_other_programs_see_it(odd, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(odd.export(tmp_path / "run.xlsx", ["=1+1.x", "bar.vx", "O.angle", "bar.e*"]))
    assert book.sheetnames == ["Results", "About", "Chart"]
    sheet, about = book["Results"], {row[0].value: row[1].value for row in book["About"].rows if row}
    assert [c.value for c in sheet[1]][:4] == ["t [s]", "=1+1.x [m]", "bar.vx [m/s]", "O.angle [rad]"]
    assert sheet["B1"].data_type == "s" and sheet["B1"].font.bold and sheet.freeze_panes == "B2"
    assert sheet.max_row == 302 and sheet["C302"].value == pytest.approx(odd["bar.vx"][-1], rel=1e-15)
    assert about["model"] == "pendulum" and about["complete"] == "yes" and about["mobility: dof"] == 1
    assert about["steps"] == odd.statistics["steps"] and about["O.angle"] == "rad"
    chart = book["Chart"]._charts[0]
    assert len(chart.series) == 6 and chart.series[0].xVal.numRef.f == "'Results'!$A$2:$A$302"
    assert openpyxl.load_workbook(odd.export(tmp_path / "all.xlsx")).sheetnames == ["Results", "About"]


def test_numbers_that_excel_cannot_hold_are_texts(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    from vincolo.tables.workbook import _write_results

    book = openpyxl.Workbook(write_only=True)
    values = [0.1 + 0.2, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1.7976931348623157e308]
    _write_results(openpyxl, book.create_sheet("Results"), ["t [s]", "a"], [list(range(7)), values])
    book.save(tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx")["a"].tobytes() == np.array(values).tobytes()


def test_hdf5_as_other_programs_see_it(model, tmp_path):
    h5py = pytest.importorskip("h5py")
    result = vc.simulate(model, 1.0, outputs=2000)
    with h5py.File(result.export(tmp_path / "run.h5")) as file:
        assert np.array_equal(file["t"], result.t) and file["t"].attrs["unit"] == b"s"
        assert np.array_equal(file["channels/bar.x"], result["bar.x"]) and file["channels/bar.x"].attrs["unit"] == b"m"
        assert file["channels/a%2Fb.x"].attrs["name"] == b"a/b.x"
        about = {key: value.decode() if isinstance(value, bytes) else value for key, value in file.attrs.items()}
        text = file["model_yaml"][()]
    assert about["model"] == "pendulum" and about["vincolo"] == vc.__version__ and about["until"] == 1.0
    assert about["complete"] and about["reason"] == "" and "rtol 1e-08" in about["integrator"]
    (tmp_path / "again.yaml").write_bytes(text)
    again = vc.simulate(vc.load_model(tmp_path / "again.yaml"), 1.0, outputs=2000)
    assert again.y.tobytes() == result.y.tobytes()


def test_matlab_as_other_programs_see_it(odd, tmp_path):
    from scipy.io import loadmat

    found = loadmat(odd.export(tmp_path / "run.mat"), simplify_cells=True)["result"]
    k = list(found["names"]).index("bar.vx")
    assert found["units"][k] == "m/s" and found["fields"][k] == "bar_vx" and found["model"] == "pendulum"
    for column in (found["data"][:, k], found["channels"]["bar_vx"]):
        assert np.array_equal(column, odd["bar.vx"])
    assert np.array_equal(found["t"], odd.t) and found["data"].shape == (301, len(odd.keys()) - 1)


@pytest.mark.parametrize("packed", [True, False])
def test_matlab_files_of_others(tmp_path, packed):
    """MATLAB stores whole numbers as bytes, and short texts in the head of their element."""
    from scipy.io import savemat

    data = np.array([[1, 2], [3, 4], [5, 6]])
    for kind in ("u1", "i2", "i4", "f4", "f8"):
        savemat(tmp_path / "m.mat", {"other": 3, "result": {
            "note": {"deep": [1, 2]}, "t": np.arange(3.0)[:, None].astype(kind), "data": data.astype(kind),
            "names": np.array(["a", "Größe"], dtype=object), "units": np.array(["", "N m"], dtype=object)}},
            do_compression=packed)
        table = read_table(tmp_path / "m.mat")
        assert table.names == ("a", "Größe") and table.units == ("", "N m") and table.t.tolist() == [0, 1, 2]
        assert table["Größe"].tolist() == [2, 4, 6]


def test_fields_are_names_that_matlab_allows():
    names = ["a.x", "a_x", "a-x", "1", "_", "é", "n" * 100, "n" * 100 + "2"]
    fields = field_names(names)
    assert fields[:5] == ["a_x", "a_x_2", "a_x_3", "x1", "x_"] and len(set(fields)) == len(names)
    assert all(len(f) <= 63 and f.isascii() and f.isidentifier() and f[0].isalpha() for f in fields)


def test_folders_hold_a_run_and_give_it_back(model, tmp_path):
    result = vc.simulate(model, 0.5, outputs=50)
    folder = save_folder(result, tmp_path / "run", names="bar.*")
    assert {p.name for p in folder.iterdir()} == {"result.npz", "model.yaml", "results.csv", "summary.txt",
                                                  "about.json"}
    again = load_folder(folder)
    for name in result.keys():  # noqa: SIM118
        assert again[name].tobytes() == result[name].tobytes(), name
    assert again.summary() + "\n" == (folder / "summary.txt").read_text() and again.settings == result.settings
    assert "bar.x" in read_table(folder / "results.csv").names
    assert json.loads((folder / "about.json").read_text())["mobility"]["dof"] == 1
    assert facts(again) == facts(result)


def test_folders_are_replaced_whole_or_not_at_all(model, tmp_path, monkeypatch):
    first, second = vc.simulate(model, 0.5, outputs=5), vc.simulate(model, 0.5, outputs=7)
    (tmp_path / "run").mkdir()  # an empty one does
    save_folder(first, tmp_path / "run")
    (tmp_path / "run" / "plot.html").write_text("what the command line draws there goes with the run")
    pytest.importorskip("h5py")
    save_folder(second, tmp_path / "run", table="h5")
    assert len(load_folder(tmp_path / "run")) == 8 and not (tmp_path / "run" / "results.csv").exists()
    assert not (tmp_path / "run" / "plot.html").exists()

    def full_disk(_):
        raise OSError("no space left")

    monkeypatch.setattr(vc.Result, "summary", full_disk)
    with pytest.raises(OSError, match="no space left"):
        save_folder(first, tmp_path / "run")
    assert len(load_folder(tmp_path / "run")) == 8 and [p.name for p in tmp_path.iterdir()] == ["run"]


def test_facts_are_fit_for_json(result):
    found = facts(result)
    assert list(found) == ["model", "mobility", "settings", "complete", "reason", "residual_max", "energy_drift",
                           "steps", "evaluations", "cpu_s", "real_time_factor", "t_end", "samples",
                           "left_ranges"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["mobility"] == {"kutzbach": 1, "rank": 5, "dof": 1, "redundant": 0}
    assert found["t_end"] == 1.0 and found["samples"] == 21 and found["residual_max"] < 1e-9
    redundant = facts(vc.simulate(parallelogram(1.0), 0.1))
    assert redundant["mobility"] == {"kutzbach": -2, "rank": 17, "dof": 1, "redundant": 3}
    with pytest.warns(vc.SimulationWarning):
        early = vc.simulate(pendulum(), 10.0, max_steps=3, outputs=10)
    assert facts(early)["complete"] is False and facts(early)["reason"] == early.reason
    json.dumps(facts(early), allow_nan=False)


def test_files_have_the_rights_of_other_new_files(result, tmp_path):
    (tmp_path / "plain").write_text("")
    made = result.to_csv(tmp_path / "run.csv", "bar.x")
    assert stat.S_IMODE(os.stat(made).st_mode) == stat.S_IMODE(os.stat(tmp_path / "plain").st_mode)


def test_csv_holds_every_digit(result, tmp_path):
    path = result.to_csv(tmp_path / "run.csv", ["O.angle", "bar.x", "energy.total"])
    with open(path, newline="", encoding="utf-8") as file:
        heads, *rows = csv.reader(file)
    assert heads == ["t [s]", "O.angle [rad]", "bar.x [m]", "energy.total [J]"] and len(rows) == 21
    table = np.array(rows, dtype=float)
    assert np.array_equal(table[:, 0], result.t) and np.array_equal(table[:, 1], result["O.angle"])


def test_csv_of_everything_and_of_names_with_commas(tmp_path):
    model = pendulum()
    model.frame("tip, left", model.bodies["bar"], (1, 0, 0))
    result = vc.simulate(model, 0.1, outputs=2)
    path = result.to_csv(str(tmp_path / "all.csv"))
    with open(path, newline="", encoding="utf-8") as file:
        heads, *rows = csv.reader(file)
    assert [parted(head)[0] for head in heads] == result.keys() and {len(row) for row in rows} == {len(heads)}


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
                   "none needed", "joint coordinates", "1 body, 1 joint; 1 degree of freedom", "residuals",
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
    assert s["steps"] > 0 and s["evaluations"] >= 6 * s["steps"] and s["factorisations"] == 0
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
