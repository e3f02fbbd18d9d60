"""Messages of results, tables, result folders and plots help."""

import json
import re
import sys

import numpy as np
import pytest

import vincolo as vc
from linkages import parallelogram, pendulum
from vincolo.errors import FileError
from vincolo.plots import plot
from vincolo.report.checks import checks_of
from vincolo.report.write import _settings
from vincolo.results import files
from vincolo.results.facts import facts
from vincolo.tables import export, workbook
from vincolo.tables.folder import load_folder, save_folder
from vincolo.tables.table_files import read_table
from vincolo.view.notebook import result_html


@pytest.fixture(scope="module")
def result():
    return vc.simulate(pendulum(), 0.1, outputs=5)


@pytest.mark.parametrize(("name", "phrases"), [
    ("bar.xx", ["no channel called 'bar.xx'", "Did you mean 'bar.", "keys()"]),
    ("O.reaction.forces", ["Did you mean 'O.reaction.force'"]),
    ("O.reaction", ["'O.reaction' has: force, force.x, force.y, force.z, torque"]),
    ("bra.*", ["no channel matches the pattern 'bra.*'", "Did you mean 'bar.*'", "stands for any text"]),
    ("*.reaktion", ["no channel matches the pattern"]),
    (3, ["read by its name", "not by 3"]),
])
def test_unknown_series(result, tmp_path, name, phrases):
    path = tmp_path / "a.csv"
    for attempt in (lambda: result.export(path, [name]), lambda: result.to_csv(path, [name]),
                    lambda: plot(result, [name], path=tmp_path / "a.html")):
        with pytest.raises(vc.ModelError) as error:
            attempt()
        for phrase in phrases:
            assert phrase in str(error.value)
    assert not list(tmp_path.iterdir())


def test_units_of_unknown_series(result):
    with pytest.raises(vc.ModelError, match="no channel called 'O.angel'. Did you mean 'O.angle'"):
        result.unit("O.angel")


def test_endings(result, tmp_path):
    with pytest.raises(vc.ModelError, match=r"'run.txt' does not say.*\n  .*\.csv, \.xlsx, \.h5 or \.mat"):
        result.export(tmp_path / "run.txt")
    with pytest.raises(vc.ModelError, match=r"'run.gif' does not say.*\n  .*\.html, \.png, \.svg or \.pdf"):
        result.plot("bar.x", path=tmp_path / "run.gif")
    with pytest.raises(FileError, match=r"run.txt: it is not a table.*\n  .*\.csv"):
        read_table(tmp_path / "run.txt")
    with pytest.raises(FileError, match=r"run.csv: there is no file"):
        read_table(tmp_path / "run.csv")
    with pytest.raises(FileNotFoundError, match=r"export\(\): there is no folder .*nowhere"):
        result.export(tmp_path / "nowhere" / "run.csv")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file"):
        (tmp_path / "a.csv").mkdir()
        result.export(tmp_path / "a.csv")


def test_what_does_not_fit_is_refused(result, tmp_path, monkeypatch):
    with pytest.raises(vc.ModelError, match=r"1,048,576 samples.*1,048,575.*\n  .*fewer outputs, or write \.h5"):
        workbook.check_size(1_048_576, 3)
    with pytest.raises(vc.ModelError, match=r"t and 16,384 series.*16,384 columns.*\n  Choose series with names="):
        workbook.check_size(10, 16_385)
    workbook.check_size(1_048_575, 16_384)
    monkeypatch.setattr(export, "MOST_IN_MAT", 1000)
    with pytest.raises(vc.ModelError, match=r"GB; a MATLAB file of version 5 holds 2 GB.\n  .*\.h5.*h5read"):
        result.export(tmp_path / "run.mat")
    assert not list(tmp_path.iterdir())


DAMAGES = {"is gone": None, "is a text": "many", "is a list": [1, "a", None], "is nothing": "null",
           "is a map": {"a": 1}, "is a wrong moment": [["a", 1]]}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("analysis", ["dynamics", "kinematics"])
def test_records_with_damaged_statistics_are_refused_or_told(tmp_path, analysis, damage):
    """Whatever is wrong with a number that was counted, no summary, page or list of facts breaks on it."""
    model = pendulum()
    if analysis == "kinematics":
        model.drive("O.angle", "t")
    result = (vc.simulate if analysis == "dynamics" else vc.kinematics)(model, until=0.1, outputs=5)
    path = result.save(tmp_path / "run.npz")
    with np.load(path) as archive:
        whole = {name: archive[name] for name in archive.files}
    about = json.loads(str(whole["about"]))
    for name in [*about["statistics"], "singular", "zeroed_pivots", "renewals"]:
        counted = dict(about["statistics"])
        counted[name] = None if damage == "is nothing" else DAMAGES[damage]
        if damage == "is gone":
            del counted[name]
        np.savez(path, **{**whole, "about": np.array(json.dumps({**about, "statistics": counted}))})
        try:
            again = vc.Result.load(path, model)
        except vc.ModelError as error:
            assert "is damaged" in str(error)
            continue
        assert again.summary() and repr(again) and facts(again) and checks_of(again) and _settings(again)
        assert again.system.name in result_html(again, moving=False)


@pytest.mark.parametrize("name", files.CONTACT[1:])
def test_records_of_contact_without_one_of_its_numbers_are_refused(tmp_path, name):
    model = pendulum()
    result = vc.simulate(model, until=0.1, outputs=5)
    result.statistics["contact_steps"] = 3
    assert "3 steps with up to" in vc.Result.load(result.save(tmp_path / "run.npz"), model).summary()
    del result.statistics[name]
    with pytest.raises(vc.ModelError, match="is damaged"):
        vc.Result.load(result.save(tmp_path / "less.npz"), model)


@pytest.mark.parametrize(("module", "use", "phrase"), [
    ("h5py", lambda r, d: r.export(d / "a.h5"), "needs h5py.*\n  Install it: pip install h5py"),
    ("openpyxl", lambda r, d: r.export(d / "a.xlsx"), "needs openpyxl.*\n  Install it: pip install openpyxl"),
    ("matplotlib", lambda r, d: r.plot("bar.x", path=d / "a.png"), "needs matplotlib.*pip install matplotlib"),
])
def test_libraries_that_are_missing(result, tmp_path, monkeypatch, module, use, phrase):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError) as error:
        use(result, tmp_path)
    assert re.search(phrase, str(error.value), re.DOTALL) and not list(tmp_path.iterdir())


@pytest.mark.parametrize(("text", "phrase"), [
    ("", "the first column is missing; it must be the time"),
    ("x,t\n1,2\n", r"the first column is called 'x'; it must be the time.\n  Call it `t \[s\]`"),
    ("t [ms],x\n1,2\n", "the time is in 'ms'; it must be in seconds"),
    ("t,x,x\n1,2,3\n", "column 3 is called 'x' like another one"),
    ("t,,x\n1,2,3\n", "column 2 has no name"),
    ("t,x\n1,2\n3\n", r"m.csv, line 3: it has 1 columns, but there are 2 headings"),
    ("t,x\n1,2,3\n4,5,6\n", r"m.csv, line 2: it has 3 columns, but there are 2 headings"),
    ("t,x\n1,2\n3,four\n", r"m.csv, line 3: 'four' is not a number.\n  Write numbers"),
    ("t,x\n1,\n", r"m.csv, line 2: '' is not a number"),
    ("t,x\n1,1_0\n", r"m.csv, line 2: '1_0' is not a number"),
])
def test_wrong_tables_of_text(tmp_path, text, phrase):
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(FileError, match=phrase):
        read_table(tmp_path / "m.csv")


def test_text_in_another_encoding(tmp_path):
    (tmp_path / "m.csv").write_bytes("t,x\n1,2\n3,4 µ\n".encode("latin-1"))
    with pytest.raises(FileError, match=r"m.csv, line 3: this is not text in UTF-8.\n  Save it as"):
        read_table(tmp_path / "m.csv")


@pytest.mark.parametrize("ending", ["h5", "mat", "xlsx", "csv"])
def test_files_of_another_kind(tmp_path, ending):
    for content in (b"", b"\x00" * 1000, b"PK\x03\x04" + b"\xff" * 100, b"\x89HDF\r\n\x1a\n" + b"\x01" * 200):
        (tmp_path / f"m.{ending}").write_bytes(content)
        with pytest.raises(FileError, match=rf"^m\.{ending}.*\n  "):
            read_table(tmp_path / f"m.{ending}")


def test_workbooks_that_are_no_tables(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"], sheet["B1"], sheet["A2"], sheet["B2"] = "t [s]", "x [m]", 0, "two"
    book.save(tmp_path / "m.xlsx")
    with pytest.raises(FileError, match=r"m.xlsx, sheet 'Sheet', cell B2: 'two' is not a number"):
        read_table(tmp_path / "m.xlsx")
    sheet["XFD1048576"] = 1
    book.save(tmp_path / "m.xlsx")
    with pytest.raises(FileError, match=r"most of the 1048576 rows and 16384 columns are empty"):
        read_table(tmp_path / "m.xlsx")


def test_hdf5_files_that_are_no_tables(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "m.h5"

    def made(fill):
        with h5py.File(path, "w") as file:
            file["t"] = np.zeros(3)
            fill(file, file.create_group("channels"))
        with pytest.raises(FileError) as error:
            read_table(path)
        return str(error.value)

    about = {"name": np.bytes_(b"x"), "unit": np.bytes_(b"m"), "index": 0}
    assert "links to other data" in made(lambda f, g: g.__setitem__("x", h5py.ExternalLink("/etc/passwd", "/")))
    assert "links to other data" in made(lambda f, g: g.__setitem__("x", h5py.SoftLink("/t")))
    assert "'x' is not a column of numbers" in made(
        lambda f, g: g.create_dataset("x", data=np.zeros((3, 2))).attrs.update(about))
    assert "'x' is not a column of numbers" in made(
        lambda f, g: g.create_dataset("x", data="text").attrs.update(about))
    assert "the column 'x' has 2 values, the time 3" in made(
        lambda f, g: g.create_dataset("x", data=np.zeros(2)).attrs.update(about))
    assert "claims more than 500,000,000 numbers" in made(
        lambda f, g: g.create_dataset("x", shape=(10**12,), dtype=float, chunks=(1000,)).attrs.update(about))
    assert "has no attribute 'index'" in made(lambda f, g: g.__setitem__("x", np.zeros(3)))
    assert "the attribute 'name' of /channels/x is of another kind" in made(
        lambda f, g: g.create_dataset("x", data=np.zeros(3)).attrs.update({**about, "name": "x"}))


def test_matlab_files_that_are_no_tables(tmp_path):
    from scipy.io import savemat

    whole = {"t": np.zeros((3, 1)), "names": np.array(["x"], dtype=object), "units": np.array(["m"], dtype=object),
             "data": np.zeros((3, 1))}
    for wrong in ({"x": 1}, {"result": 3.0}, {"result": {**whole, "data": "text"}},
                  {"result": {**whole, "names": np.array(["x", "y"], dtype=object)}}, {"result": {**whole, "names": 3}},
                  {"result": {**whole, "t": np.zeros((2, 1))}}):
        savemat(tmp_path / "m.mat", wrong)
        with pytest.raises(FileError, match=r"^m.mat: "):
            read_table(tmp_path / "m.mat")
    savemat(tmp_path / "m.mat", {"result": whole})
    assert read_table(tmp_path / "m.mat").names == ("x",)


def test_columns_that_a_table_does_not_have(tmp_path):
    (tmp_path / "m.csv").write_text("t,angle [rad]\n0,1\n")
    table = read_table(tmp_path / "m.csv")
    for use in (table.unit, table.__getitem__, lambda name: plot(table, name)):
        with pytest.raises(vc.ModelError, match=r"'m' has no column called 'angel'.\n  Columns: angle. Did you mean"):
            use("angel")


def test_folders_of_others_are_left_alone(result, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    with pytest.raises(FileError, match=r"has files that do not belong to a result: thesis.tex.\n  Choose"):
        save_folder(result, folder)
    assert (folder / "thesis.tex").read_text() == "years of work" and len(list(tmp_path.iterdir())) == 1
    (folder / "thesis.tex").unlink()
    (folder / "results.csv").write_text("somebody's own")
    with pytest.raises(FileError, match="run: this is not a result folder: it has no about.json"):
        save_folder(result, folder)
    assert (folder / "results.csv").read_text() == "somebody's own"
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="file: it is a file"):
        save_folder(result, tmp_path / "file")
    with pytest.raises(FileNotFoundError, match="no folder .*nowhere"):
        save_folder(result, tmp_path / "nowhere" / "run")
    with pytest.raises(vc.ModelError, match="table is 'doc'; it is 'csv', 'h5', 'xlsx' or 'mat'"):
        save_folder(result, tmp_path / "new", table="doc")


def test_a_folder_inside_a_result_folder_is_not_removed(result, tmp_path):
    folder = save_folder(result, tmp_path / "run")
    (folder / "results.h5").mkdir()
    with pytest.raises(FileError, match="do not belong to a result: results.h5"):
        save_folder(result, folder)
    assert (folder / "results.h5").is_dir() and len(load_folder(folder)) == 6


def test_folders_that_are_no_results(result, tmp_path):
    with pytest.raises(FileError, match="there is no folder .*\n  A result folder is written by save_folder"):
        load_folder(tmp_path / "nothing")
    with pytest.raises(FileError, match="this is not a result folder: it has no about.json"):
        load_folder(tmp_path)
    folder = save_folder(result, tmp_path / "run")
    about = (folder / "about.json").read_text()
    for text, phrase in (("{", "cannot be read"), ("[]", "does not say"), ("{}", "does not say"),
                         ("[" * 100_000, "cannot be read"),
                         (json.dumps({**json.loads(about), "format": 99}), "its format is 99; this version reads 1")):
        (folder / "about.json").write_text(text)
        with pytest.raises(FileError, match=rf"run, about.json: .*{phrase}"):
            load_folder(folder)
    (folder / "about.json").write_text(about)
    (folder / "result.npz").write_bytes(b"PK")
    with pytest.raises(vc.ModelError, match="is not a file of a vincolo result"):
        load_folder(folder)
    (folder / "result.npz").unlink()
    with pytest.raises(FileError, match="has no 'result.npz'; it is not complete"):
        load_folder(folder)


def test_records_whose_parts_do_not_fit(result, tmp_path):
    path = result.save(tmp_path / "run.npz")
    with np.load(path) as archive:
        whole = {name: archive[name] for name in archive.files}
    about = json.loads(str(whole["about"]))

    def refused(changes, **told):
        np.savez(path, **{**whole, "about": np.array(json.dumps({**about, **told})), **changes})
        with pytest.raises(vc.ModelError, match="damaged: times, states and settings do not fit|does not fit this "
                                                "model|does not say which bodies"):
            vc.Result.load(path, pendulum())

    refused({"t": np.zeros(2)})
    refused({"t": np.array(["a"] * 6)})
    refused({"y": whole["y"][0]})
    refused({"turns": whole["turns"][:2]})
    refused({}, settings={})
    refused({}, settings={**about["settings"], "start": "zero"})
    refused({}, statistics=3)
    refused({}, reason=3)
    refused({}, bodies=None)
    with pytest.raises(vc.ModelError, match=r"was made with other bodies \(bar"):
        vc.Result.load(result.save(path), parallelogram(1.0))


@pytest.mark.parametrize("wrong", [3, "bar.x", [("a", 3)], [3], {"a": 1}])
def test_what_is_nothing_to_draw(wrong):
    with pytest.raises(vc.ModelError, match=r"plot\(\): .*\n  Pass a result, a table, or pairs"):
        plot(wrong, "x")


def test_plots_of_nothing(result):
    with pytest.raises(vc.ModelError, match="there is nothing to draw"):
        plot([], "bar.x")
    with pytest.raises(vc.ModelError, match=r"no series is named.\n  Name some"):
        result.plot()
    with pytest.raises(vc.ModelError, match="no channel called 'bra.x'"):
        result.plot("bar.y", against="bra.x")


def test_axes_of_different_units(result, tmp_path):
    (tmp_path / "m.csv").write_text("t,bar.x [mm],bar.y [mm]\n0,1,2\n")
    with pytest.raises(vc.ModelError, match=r"'bar.x' has different units: m \(model\), mm \(bench\).\n  Bring"):
        plot([("model", result), ("bench", read_table(tmp_path / "m.csv"))], "bar.y", against="bar.x")


def test_a_record_that_unpacks_to_too_much_is_not_unpacked(tmp_path, monkeypatch):
    from vincolo.results import files

    m = vc.Model()
    m.body("b", 1.0, 0.1)
    result = vc.simulate(m, until=0.1)
    path = result.save(tmp_path / "r.npz")
    monkeypatch.setattr(files, "MOST_BYTES", 1000)
    with pytest.raises(vc.ModelError, match="r.npz' unpacks to .* GB; the limit is"):
        vc.Result.load(path, m)
