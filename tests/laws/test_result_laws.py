"""Results: every question gets an answer or a clear error, also without samples; names are read as in a dictionary."""

import inspect
import threading
import time
import warnings

import numpy as np
import pytest

import vincolo as vc
from linkages import parallelogram
from vincolo.plots.compare import Comparison, Deviation
from vincolo.report.checks import checks_of
from vincolo.results.facts import facts
from vincolo.tables.folder import load_folder, save_folder
from vincolo.tables.table_files import read_table


def swing(driven: bool = False) -> vc.Model:
    model = vc.Model("swing", gravity=(0, 0, -9.81))
    bob = model.body("bob", 1.0, 0.01, at=(1, 0, 0))
    model.frame("tip", bob, (1.2, 0, 0))
    model.revolute("O", model.ground, bob, at=(0, 0, 0), axis="y")
    model.spring("twist", "O.angle", k=1.0)
    if driven:
        model.drive("O.angle", "t", name="motor")
    return model


def run(samples: int, analysis: str) -> vc.Result:
    model = swing(analysis == "kinematics")
    if analysis == "kinematics":
        whole = vc.kinematics(model, 1.0, outputs=[0.5, 1.0])
        return vc.Result(whole.system, whole.t[:samples], whole.y[:samples], whole.turns[:samples], whole.settings,
                         whole.statistics, whole.seconds, None if samples else "the mechanism locks at t = 0 s.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vc.SimulationWarning)
        return vc.simulate(model, 1.0, outputs=[1.0], max_steps=0 if samples else 1)


RESULTS = [pytest.param(run(n, how), id=f"{how}-{n}") for how in ("dynamics", "kinematics") for n in (0, 1)]

#: every public name of a Result, with a way to ask for it
ASKED = {
    "complete": lambda r, d: r.complete, "channels": lambda r, d: r.channels, "keys": lambda r, d: r.keys(),
    "unit": lambda r, d: [r.unit(n) for n in r], "model": lambda r, d: r.model, "point": lambda r, d: r.point("tip"),
    "motion": lambda r, d: (r.motion("tip"), r.motion("bob")), "state": lambda r, d: r.state(),
    "reaction": lambda r, d: r.reaction("O").in_joint_axes, "mobility": lambda r, d: r.mobility,
    "energy_drift": lambda r, d: r.energy_drift, "to_pandas": lambda r, d: r.to_pandas(),
    "save": lambda r, d: r.save(d / "a.npz"), "load": lambda r, d: vc.Result.load(r.save(d / "b.npz"), r.model),
    "to_csv": lambda r, d: r.to_csv(d / "a.csv"),
    "export": lambda r, d: [r.export(d / f"a{e}") for e in (".csv", ".xlsx", ".h5", ".mat")],
    "plot": lambda r, d: [r.plot("bob.x", path=d / f"a{e}") for e in (".html", ".svg", ".csv")],
    "show": lambda r, d: r.show(d / "show.html"), "report": lambda r, d: r.report(d / "r.html", animation=False),
    "summary": lambda r, d: r.summary(), "blocks": lambda r, d: list(r.blocks()), "in_file": lambda r, d: r.in_file,
    "items": lambda r, d: list(r.items()), "values": lambda r, d: list(r.values()), "get": lambda r, d: r.get("bob.x"),
    "in_units": lambda r, d: r.in_units("mm", "deg")["bob.x"], "to_xarray": lambda r, d: r.to_xarray(["bob.x"]),
    "events": lambda r, d: list(r.events), "moments": lambda r, d: list(r.moments)}
MAY_REFUSE = {"state", "mobility", "plot", "show"}  # without samples there is nothing that they could answer


def test_every_public_name_of_a_result_is_asked_for():
    public = {name for name, _ in inspect.getmembers(vc.Result) if not name.startswith("_")}
    assert public - {"reason"} == set(ASKED)


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("name", ASKED)
def test_a_result_of_few_samples_answers_or_says_why_not(result, name, tmp_path):
    try:
        ASKED[name](result, tmp_path)
    except vc.VincoloError as error:
        assert not len(result) and name in MAY_REFUSE
        assert "sample" in str(error)


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".h5", ".mat"])
def test_exports_of_few_samples_come_back(result, ending, tmp_path):
    table = read_table(result.export(tmp_path / f"few{ending}"))
    assert list(table) == list(result) and len(table) == len(result)
    for name in table:
        assert table[name] == pytest.approx(result[name], rel=1e-15, nan_ok=True), name


@pytest.mark.parametrize("result", RESULTS)
def test_folders_of_few_samples_come_back(result, tmp_path):
    again = load_folder(save_folder(result, tmp_path / "few"))
    assert len(again) == len(result) and again.reason == result.reason
    assert facts(again)["samples"] == len(result)
    assert all(again[name].shape == (len(result),) for name in again)


@pytest.mark.parametrize("k", [3, -4, 1.5, "last", True, None])
def test_a_sample_that_is_not_there_is_refused(k):
    result = vc.simulate(swing(), 1.0, outputs=2)
    with pytest.raises(vc.ModelError, match=r"state\(\): there is no sample .* 3 samples"):
        result.state(k)


# names

def held_by_name():
    result = vc.simulate(swing(), 0.1, outputs=2)
    sub = vc.Model("whole")
    comparison = Comparison("a", "b", 0.0, 1.0, tuple(Deviation(n, "m", *[0.0] * (len(inspect.signature(
        Deviation).parameters) - 2)) for n in ("bob.x", "bob.y")))
    return {"Result": result, "Channels": result.channels, "State": result.state(), "Joint": result.model.joints["O"],
            "Equilibrium": vc.statics(swing()), "Placed": sub.add("left", swing()), "Comparison": comparison,
            "LoadSweep": vc.load_sweep(swing(), "gravity", [0.9, 1.0])}


HELD = held_by_name()


@pytest.mark.parametrize("kind", HELD)
def test_whatever_is_read_by_name_can_be_searched_and_iterated(kind):
    found = HELD[kind]
    names = list(found)
    assert names and len(set(names)) == len(names)
    for name in names:
        assert name in found
        found[name]  # raises if it is not there
    for other in ("no such name", "", 0, None, ("bob.x",)):
        assert other not in found


def test_a_result_is_a_table_of_names_and_rows():
    """As a data frame: names are its keys, len() is the number of samples."""
    result = HELD["Result"]
    assert list(result) == result.keys() and len(result) == len(result.t) == 3
    assert dict(result)["bob.x"] == pytest.approx(result["bob.x"])


# the clock

@pytest.mark.parametrize("analysis", ["dynamics", "kinematics"])
def test_seconds_are_those_of_the_run_and_not_of_other_threads(analysis):
    """With threads that compute beside it, a run takes no more CPU time than the clock on the wall shows."""
    stop = threading.Event()

    def busy():
        a = np.random.default_rng(1).standard_normal((200, 200))
        while not stop.is_set():
            a = np.linalg.qr(a)[0]

    threads = [threading.Thread(target=busy) for _ in range(2)]
    model = swing(analysis == "kinematics")
    for thread in threads:
        thread.start()
    try:
        begun, own = time.perf_counter(), time.thread_time()
        if analysis == "kinematics":
            result = vc.kinematics(model, 50.0, outputs=5_000)
        else:
            result = vc.simulate(model, 40.0, integrator=vc.RK4(step=5e-4))
        wall, spent = time.perf_counter() - begun, time.thread_time() - own
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert 0 < result.seconds <= spent <= wall


# words

def test_a_motion_by_drives_is_not_told_in_words_of_integration(tmp_path):
    result = vc.kinematics(swing(True), 1.0)
    text = result.report(tmp_path / "report.html", animation=False).read_text()
    for words in (str(result), result._repr_html_(), text):
        for wrong in ("evaluations", "energy is balanced", "integrator", "stabilisation"):
            assert wrong not in words, wrong
    assert "joints stay closed and so do their velocities." in text
    assert "Not checked: the balance of energy, since the motion is prescribed;" in text
    assert "Not checked: the motion is prescribed" in text


def test_a_run_that_is_checked_says_what_was_found(tmp_path):
    text = vc.simulate(swing(), 1.0).report(tmp_path / "report.html", animation=False).read_text()
    assert "it reached its end, joints stay closed, so do their velocities and energy is balanced." in text


def test_the_range_of_a_compiled_system_is_that_of_its_model():
    found = [vc.motion_range(m, "O.angle") for m in (swing(), vc.compile(swing()), vc.compile(swing(True)))]
    assert found[0].full_turn and found[0] == found[1] == found[2]


@pytest.mark.parametrize(("model", "redundant"), [(swing(), 0), (parallelogram(0.8), 3)])
def test_a_set_of_rows_is_called_renewed_only_where_there_is_a_choice(model, redundant):
    """Where all rows are independent only the scale that they are judged by is renewed: nothing is singular."""
    r = vc.simulate(model, 0.1, outputs=5)
    again = vc.Result(r.system, r.t, r.y, r.turns, r.settings, {**r.statistics, "renewals": 2}, r.seconds, None)
    assert again.mobility.redundant == redundant
    told = [check for check in checks_of(again) if check.title == "Singular positions"]
    assert ("was renewed 2 times" in again.summary()) == bool(told) == bool(redundant)


@pytest.mark.parametrize("analysis", [vc.simulate, vc.kinematics])
def test_a_summary_tells_the_extent_of_the_mechanism(analysis):
    model = swing(driven=True)
    model.body("far", 1.0, 0.1, at=(30, 0, 0))
    model.fixed("bolts", model.ground, "far", at=(30, 0, 0))
    result = analysis(model, 0.1)
    assert result.system.extent > 20
    assert f"the mechanism extends over {result.system.extent:.3g} m" in result.summary()
