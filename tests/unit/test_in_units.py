"""Results in the units of their users: Python, files, tables and plots say the same."""

import json
import math

import numpy as np
import pytest

import vincolo as vc
from vincolo.errors import ModelError
from vincolo.formats import open_model, save_model
from vincolo.results import Result
from vincolo.tables.folder import load_folder, save_folder
from vincolo.tables.table_files import read_table


def swing():
    """A pendulum with a height, a lean and a formula that converts by itself."""
    m = vc.Model("swing")
    bob = m.body("bob", 1.0, 0.01, at=(0.5, 0, 0))
    m.revolute("O", m.ground, bob, at=(0, 0, 0), axis="y")
    base, tip = m.ground.frame((0, 0, 0)), bob.frame((1, 0, 0))
    m.measure("height", vc.along_world("z", base, tip), unit="mm")
    m.measure("lean", vc.formula("asin(s)", s=vc.cosine("z", "x", base, tip)), unit="deg")
    m.measure("converted", vc.formula("asin(s)*180/pi", s=vc.cosine("z", "x", base, tip)), unit="deg")
    return m


@pytest.fixture(scope="module")
def result():
    return vc.simulate(swing(), 0.5, outputs=20)


def test_results_stay_in_si_and_are_shown_as_declared(result):
    shown = result.in_units()
    assert (result.unit("height"), result.unit("lean"), result.unit("converted")) == ("m", "rad", "deg")
    assert {shown.unit(n) for n in ("lean", "converted")} == {"deg"} and shown.unit("lean.rate") == "deg/s"
    assert shown["lean"] == pytest.approx(result["converted"], abs=1e-9)
    assert shown["height"] == pytest.approx(1000 * result["height"], rel=1e-15)


def test_units_that_are_asked_for_come_first_and_rates_follow(result):
    shown = result.in_units("cm", "rad", "kN")
    names = ("height", "lean", "converted", "bob.vx", "O.reaction.torque", "energy.total", "t")
    assert [shown.unit(name) for name in names] == ["cm", "rad", "rad", "cm/s", "kN cm", "J", "s"]
    assert shown["converted"] == pytest.approx(result["lean"], abs=1e-12)
    assert shown["O.reaction.force"] == pytest.approx(result["O.reaction.force"] / 1000)
    assert result.in_units("SI").unit("lean") == "rad" and result.in_units("SI", "mm").unit("bob.x") == "mm"


def test_a_result_reads_as_a_dictionary(result):
    assert "lean" in result and "leen" not in result and result.get("leen") is None
    assert [name for name, _ in result.items()] == list(result) == result.keys()
    assert np.array_equal(dict(result.items())["lean"], result["lean"])
    assert len(list(result.values())) == len(result.keys())
    shown = result.in_units("mm")
    assert "lean" in shown and dict(shown.items())["bob.x"] == pytest.approx(1000 * result["bob.x"])


def test_frames_of_pandas_and_xarray_know_their_units(result):
    frame = result.in_units("mm").to_pandas(["bob.x", "lean"])
    assert frame.attrs["units"] == {"t": "s", "bob.x": "mm", "lean": "deg"}
    assert frame["bob.x"].to_numpy() == pytest.approx(1000 * result["bob.x"])
    data = result.to_xarray(["bob.x", "lean"])
    assert data["lean"].attrs["units"] == "rad" and data["t"].attrs["units"] == "s"
    assert data["lean"].to_numpy() == pytest.approx(result["lean"])


def test_saved_models_and_results_keep_their_units(tmp_path):
    path = save_model(swing(), tmp_path / "swing.yaml")
    text = path.read_text() + "run: {until: 0.2, outputs: 4, units: [mm, kN]}\n"
    path.write_text(text)
    result = open_model(path).run()
    again = load_folder(save_folder(result, tmp_path / "swing_results"))
    for one in (result, again):
        assert one.settings.units == ("mm", "kN")
        units = [one.in_units().unit(n) for n in ("bob.x", "height", "lean", "O.reaction.force")]
        assert units == ["mm", "mm", "deg", "kN"]
    table = read_table(tmp_path / "swing_results" / "results.csv")
    assert table.unit("bob.x") == "mm" and table["bob.x"] == pytest.approx(1000 * result["bob.x"])


def test_results_without_units_from_older_files_are_read(tmp_path, result):
    path = result.save(tmp_path / "r.npz")
    kept = dict(np.load(path))
    about = json.loads(str(kept["about"])) if "about" in kept else None
    if about is None:
        pytest.skip("the record has another form")
    del about["settings"]["units"]
    np.savez(path, **{**kept, "about": json.dumps(about)})
    assert Result.load(path, swing()).settings.units == ()


@pytest.mark.parametrize("ending", ["xlsx", "h5", "mat", "csv"])
def test_exports_are_in_the_units_they_name(tmp_path, result, ending):
    table = read_table(result.in_units("mm").export(tmp_path / f"r.{ending}", ["bob.x", "lean"]))
    assert (table.unit("bob.x"), table.unit("lean")) == ("mm", "deg")
    assert table["lean"] == pytest.approx(np.degrees(result["lean"]), abs=1e-12)


def test_plots_are_labelled_in_their_units(tmp_path, result):
    page = result.plot("lean", against="height", path=tmp_path / "p.svg").read_text()
    assert "lean [deg]" in page and "height [mm]" in page
    line = result.in_units("rad").plot("lean", path=tmp_path / "q.csv").read_text().splitlines()[0]
    assert line == "t [s],lean [rad]"


@pytest.mark.parametrize(("unit", "message"), [
    ("kg", r"measure 'again': its unit is 'kg', but it is measured in m.\n  Give a unit such as m"),
    ("milimetre", r"measure 'again': there is no unit 'milimetre'")])
def test_units_that_do_not_fit_are_refused(unit, message):
    m = swing()
    with pytest.raises(ModelError, match=message):
        m.measure("again", m.measures["height"], unit=unit)
    assert "again" not in m.measures


@pytest.mark.parametrize(("units", "message"), [
    (("mm", "m"), "both 'mm' and 'm'"), (("ms",), "time is shown in seconds"),
    (("furlong",), "there is no unit 'furlong'"), ((5,), "by their names")])
def test_units_that_cannot_be_shown_are_refused(result, units, message):
    with pytest.raises(ModelError, match=message):
        result.in_units(*units)


def test_mirrored_parts_keep_the_units_of_their_measures():
    whole = vc.Model("pair")
    whole.add("left", swing(), mirror="y")
    shown = vc.simulate(whole, 0.1, outputs=2).in_units()
    assert shown.unit("left.lean") == "deg" and shown.unit("left.height") == "mm"
    assert shown["left.lean"][0] == pytest.approx(math.degrees(0.0), abs=1e-9)
