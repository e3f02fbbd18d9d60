"""Models as FMUs of FMI 2 and 3, checked and simulated by FMPy; FMUs as blocks of a model."""

import math
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest

import vincolo as vc
from entered_models import cart_pole, servo, slider_crank
from example_models import NAMES, built
from exported import instructions, libraries
from foreign_fmu import foreign
from vincolo.errors import ModelError, SimulationError
from vincolo.realtime.description import variables
from vincolo.realtime.fmu import write_fmu
from vincolo.realtime.table import plant

fmpy = pytest.importorskip("fmpy")
I = vc.integrators  # noqa: E741


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """FMUs by model and version, built once."""
    patch, folder, known = pytest.MonkeyPatch(), tmp_path_factory.mktemp("fmus"), {}
    libraries(patch)

    def make(model, version, step=1e-3, **solvers):
        found = plant(model, step, **solvers)
        key = found.text(), version
        if key not in known:
            known[key] = folder / f"{len(known)}.fmu"
            write_fmu(found, known[key], version, instructions=instructions())
        return known[key]

    yield make
    patch.undo()


def mcpherson():
    """The suspension with its road and wheel to be read."""
    m = built("mcpherson")
    m.output("wheel height", "wheel.z", unit="m")
    return m


def simulated(file, until, outputs, start=None, inputs=None):
    """What FMPy finds, a row for each step."""
    found = fmpy.simulate_fmu(str(file), stop_time=until, output_interval=1e-3, start_values=start or {},
                              output=outputs, input=inputs)
    return np.array([list(row) for row in found])[1:, 1:]


@pytest.mark.parametrize("version", "23")
@pytest.mark.parametrize("model", [servo, lambda: slider_crank(2), mcpherson], ids=["servo", "crank", "mcpherson"])
def test_fmpy_validates_an_fmu_and_finds_the_numbers_of_the_stepper(model, version, made):
    from fmpy.validation import validate_fmu

    file = made(model(), version)
    assert validate_fmu(str(file)) == []
    s = vc.stepper(model(), 1e-3, integrator=I.RK4(step=1e-3))
    start = dict.fromkeys(s.input_names, 1.5)
    expected = [s.step(**start).copy() for _ in range(200)]
    assert np.abs(simulated(file, 0.2, s.output_names, start) - expected).max() <= 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_example_as_fmus_of_both_versions(name, made):
    """Without controllers, what these write set from outside; with the places of some bodies read."""
    from fmpy.validation import validate_fmu

    model = built(name)
    for control in list(model.controllers):
        model.remove(control)
    for k, body in enumerate(list(model.bodies)[:4]):
        for axis in "xyz":
            model.output(f"seen {k}{axis}", f"{body}.{axis}", unit="m")
    rigid = any(contact.rigid for contact in model.contacts.values())
    integrator = (I.Moreau if rigid else I.RK4)(step=1e-3)
    s = vc.stepper(model, 1e-3, integrator=integrator)
    expected = np.array([s.step().copy() for _ in range(50)])
    for version in "23":
        file = made(model, version, integrator=integrator)
        assert validate_fmu(str(file)) == []
        found = simulated(file, 0.05, s.output_names)
        assert np.abs(found - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("version", "23")
def test_parameters_are_tuned_and_inputs_followed(version, made):
    s = vc.stepper(servo(), 1e-3, integrator=I.RK4(step=1e-3))
    for name, value in {"back.k": 5.0, "gain": 2.0, "f.T": 0.1}.items():
        s.parameters[name] = value
    times = np.arange(101) * 1e-3
    given = np.array(list(zip(times, np.sin(20 * times), strict=True)), dtype=[("time", float), ("u", float)])
    expected = [s.step(u=given["u"][k]).copy() for k in range(100)]
    found = simulated(made(servo(), version), 0.1, ["x", "both"], {"back.k": 5.0, "gain": 2.0, "f.T": 0.1}, given)
    assert np.abs(found - expected).max() <= 1e-12


def opened(file, version):
    """An instance of an FMU that is ready for steps, and the value references of u, x and back.k."""
    description = fmpy.read_model_description(str(file))
    kind = fmpy.fmi2.FMU2Slave if version == "2" else fmpy.fmi3.FMU3Slave
    fmu = kind(unzipDirectory=fmpy.extract(str(file)), instanceName="one", guid=description.guid,
               modelIdentifier=description.coSimulation.modelIdentifier)
    fmu.instantiate()
    if version == "2":
        fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    return fmu, {v.name: v.valueReference for v in description.modelVariables}


def walk(fmu, references, version, first, count):
    """Steps with an input that changes; the outputs after each."""
    found = []
    for k in range(first, first + count):
        (fmu.setReal if version == "2" else fmu.setFloat64)([references["u"]], [math.sin(0.3 * k)])
        fmu.doStep(currentCommunicationPoint=k * 1e-3, communicationStepSize=1e-3)
        found.append((fmu.getReal if version == "2" else fmu.getFloat64)([references["x"], references["both"]]))
    return found


@pytest.mark.parametrize("version", "23")
def test_states_reset_and_bytes_go_on_to_the_last_bit_and_two_do_not_disturb_each_other(version, made):
    file = made(servo(), version)
    (one, r), (two, _) = opened(file, version), opened(file, version)
    names = {"2": ("getFMUstate", "setFMUstate", "serializeFMUstate", "deSerializeFMUstate", "freeFMUstate"),
             "3": ("getFMUState", "setFMUState", "serializeFMUState", "deserializeFMUState", "freeFMUState")}[version]
    keep, put_back, pack, unpack, free = (getattr(one, name) for name in names)
    first = walk(one, r, version, 0, 30)
    assert walk(two, r, version, 0, 30) == first
    state = keep()
    rest = walk(one, r, version, 30, 30)
    put_back(state)
    assert walk(one, r, version, 30, 30) == rest
    data = pack(state)
    other = getattr(two, names[3])(data)
    walk(two, r, version, 30, 10)
    getattr(two, names[1])(other)
    assert walk(two, r, version, 30, 30) == rest
    one.reset()
    if version == "2":
        one.setupExperiment(startTime=0.0)
    one.enterInitializationMode()
    one.exitInitializationMode()
    assert walk(one, r, version, 0, 30) == first
    free(state)
    for fmu in (one, two):
        fmu.terminate()
        fmu.freeInstance()


@pytest.mark.parametrize("version", "23")
def test_wrong_steps_and_values_are_refused_and_change_nothing(version, made):
    fmu, r = opened(made(servo(), version), version)
    put, get = (fmu.setReal, fmu.getReal) if version == "2" else (fmu.setFloat64, fmu.getFloat64)
    for wrong in (lambda: put([r["u"]], [math.nan]), lambda: put([r["x"]], [1.0]), lambda: get([999]),
                  lambda: fmu.doStep(currentCommunicationPoint=0.0, communicationStepSize=1.5e-3),
                  lambda: fmu.doStep(currentCommunicationPoint=0.5, communicationStepSize=1e-3)):
        with pytest.raises(Exception, match="fail|rror|Discard|status"):
            wrong()
    assert get([r["time"], r["u"]]) == [0.0, 0.0]
    fmu.doStep(currentCommunicationPoint=0.0, communicationStepSize=5e-3)
    assert get([r["time"]]) == [5e-3]
    fmu.freeInstance()


def test_a_description_of_another_model_is_refused(made, tmp_path):
    file = made(servo(), "2")
    with pytest.raises(Exception, match="nstantiate"):
        fmpy.simulate_fmu(str(changed(file, tmp_path / "other.fmu")), stop_time=0.01)


def changed(file, place):
    """The same FMU with another token in its description."""
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(place, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(b'guid="{', b'guid="{0') if name == "modelDescription.xml" else data)
    return place


def test_the_description_says_what_variables_are(made):
    found = {v.name: v for v in variables(plant(servo()))}
    assert [found[name].causality for name in ("time", "u", "x", "back.k", "gain", "f")] == [
        "independent", "input", "output", "parameter", "parameter", "local"]
    with zipfile.ZipFile(made(servo(), "3")) as archive:
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
        names = archive.namelist()
    assert root.find(".//Unit[@name='N']/BaseUnit").attrib == {"m": "1", "kg": "1", "s": "-2"}
    assert "sources/kernel/vincolo.h" in names and "sources/eigen/COPYING.MPL2" in names
    assert "sources/buildDescription.xml" in names and not any(name.endswith(".o") for name in names)


@pytest.mark.slow
def test_an_fmu_compiles_the_kernel_where_none_is_ready(tmp_path, monkeypatch):
    monkeypatch.setattr("vincolo.realtime.building.ready_kernel", lambda _: None)
    write_fmu(plant(servo()), tmp_path / "servo.fmu", "3")
    s = vc.stepper(servo(), 1e-3, integrator=I.RK4(step=1e-3))
    expected = [s.step(u=1.5).copy() for _ in range(100)]
    assert np.abs(simulated(tmp_path / "servo.fmu", 0.1, ["x", "both"], {"u": 1.5}) - expected).max() <= 1e-12


def test_versions_and_instructions_that_are_unknown_are_refused(tmp_path):
    with pytest.raises(ModelError, match="FMI '4' with instructions 'portable'"):
        write_fmu(plant(servo()), tmp_path / "x.fmu", "4")


def controller_model(gains):
    """State feedback as a model of its own: four inputs, one output."""
    m = vc.Model("feedback", gravity=(0, 0, 0))
    m.fixed("held", m.ground, m.body("case", 1.0, 1.0), at=(0, 0, 0))
    for name in ("x", "v", "a", "w"):
        m.input(name)
    m.output("push", "-(" + " + ".join(f"({k!r})*{n}" for k, n in zip(gains, "xvaw", strict=True)) + ")")
    return m


@pytest.mark.parametrize("version", "23")
def test_a_controller_as_fmu_does_what_it_does_in_python(version, made):
    reads, gains = ["rail.travel", "rail.travel.rate", "hinge.angle", "hinge.angle.rate"], [-70.7, -37.8, 105.5, 20.9]
    plain, with_fmu = cart_pole(), cart_pole()

    @plain.controller(every=1e-2, reads=reads, writes=["push"])
    def hold(t, *motion):
        return -sum(k * x for k, x in zip(gains, motion, strict=True))

    vc.blocks.fmu(with_fmu, "hold", made(controller_model(gains), version, 1e-2), every=1e-2,
                  reads=dict(zip("xvaw", reads, strict=True)), writes={"push": "push"})
    found = []
    for model in (plain, with_fmu):
        system = vc.compile(model)
        run = vc.simulate(system, 1.0, start=vc.assemble(system, {"hinge.angle": 0.1}), integrator=I.RK4(step=1e-3))
        found.append(run["hinge.angle"])
    assert np.abs(found[0] - found[1]).max() < 1e-12 and abs(found[0][-1]) < 0.05


def pushed(file, **more):
    """A cart pushed by what a foreign FMU sums up."""
    m = vc.Model("pushed", gravity=(0, 0, 0))
    cart = m.body("cart", 1.0, 0.1)
    m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis="x")
    m.input("push", unit="N")
    m.actuator("motor", "rail.travel", "push")
    vc.blocks.fmu(m, "sum", file, reads={"u": "2*t"}, writes={"y": "push"}, every=0.01, **more)
    return m


def test_an_fmu_of_somebody_else_is_a_force(tmp_path):
    file = foreign(tmp_path)
    result = vc.simulate(pushed(file, parameters={"gain": 3.0}), 0.5, integrator=I.RK4(step=1e-2), outputs=50)
    k = np.arange(1, 51)
    assert result["push"][-2] == pytest.approx(3 * 0.01 * (2 * 0.01 * (k - 1)).sum(), rel=1e-12)
    s = vc.stepper(pushed(file), 0.01, integrator=I.RK4(step=1e-2))
    for _ in range(10):
        s.step()
    kept, first = s.state, s.system.drawn
    s.step()
    s.restore(kept)
    with pytest.raises(SimulationError, match="goes on from call 10, but the FMU is at call 11"):
        s.step()
    s.restore(first)
    s.step()
    assert s.t == 0.01


def test_an_fmu_that_keeps_states_goes_back_with_the_run(made):
    m = vc.Model("pushed", gravity=(0, 0, 0))
    cart = m.body("cart", 1.0, 0.1)
    m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis="x")
    m.input("push", unit="N")
    m.actuator("motor", "rail.travel", "push")
    vc.blocks.fmu(m, "plant", made(servo(), "2", 1e-2), reads={"u": "1 - cart.x"}, writes={"both": "push"}, every=1e-2)
    s = vc.stepper(m, 0.01, integrator=I.RK4(step=1e-2))
    for _ in range(10):
        s.step()
    kept = s.state
    rest = [s.step() is not None and s["cart.x"] for _ in range(10)]
    s.restore(kept)
    assert [s.step() is not None and s["cart.x"] for _ in range(10)] == rest


def test_an_fmu_that_fails_ends_the_run_by_name(tmp_path):
    with pytest.warns(vc.SimulationWarning, match="fmu 'sum'"):
        result = vc.simulate(pushed(foreign(tmp_path)), 2.0, integrator=I.RK4(step=1e-2))
    assert not result.complete and "fmu 'sum'" in result.reason and result.t[-1] == pytest.approx(0.96, abs=0.02)


def test_what_does_not_fit_an_fmu_is_refused(tmp_path):
    file = foreign(tmp_path)
    m = vc.Model("m")
    m.body("b", 1.0, 0.1)
    m.input("p")
    good = {"reads": {"u": "t"}, "writes": {"y": "p"}, "every": 0.1}
    for wrong, said in (({"reads": {"v": "t"}}, "'v' is not an input of the FMU 'sum'.\n  There are: u, mode."),
                        ({"writes": {"z": "p"}}, "'z' is not an output of the FMU 'sum'"),
                        ({"reads": {"mode": "t"}}, "'mode' is of type Integer"),
                        ({"parameters": {"u": 1.0}}, "'u' is not a parameter of the FMU"),
                        ({"every": 0.0}, "every is 0 s; it must be positive"),
                        ({"writes": {"y": "q"}}, "writes 'q', which is not an input or variable")):
        with pytest.raises(ModelError) as caught:
            vc.blocks.fmu(m, "f", file, **(good | wrong))
        assert said in str(caught.value)
    (tmp_path / "bad.fmu").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(ModelError, match="bad.fmu cannot be read as an FMU"):
        vc.blocks.fmu(m, "f", tmp_path / "bad.fmu", **good)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        vc.blocks.fmu(m, "f", tmp_path / "none.fmu", **good)

