"""Ways of the combination matrix other than a run in time: analyses, exports, generated programs, the studio."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from judges import difference
from machines import Mechanism
from ways import (
    AGREE,
    OUTPUTS,
    STEP,
    Case,
    EndedEarly,
    I,
    completed,
    default_run,
    rigid_settings,
    simulated,
    started,
    way,
)

import vincolo as vc
from exported import instructions, libraries, program, run
from linear_judge import complaints_of_linear
from vincolo.realtime.library import CModel
from vincolo.realtime.project import write_project
from vincolo.realtime.table import plant

#: why a state of a run cannot be linearised: friction slips there, or a joint is about to give way
DECIDES = re.compile("slips|reads reactions|gives way|no freedom|is rigid")
STILL = 1e-6  # share of the weight: what an equilibrium may be off


@way("kinematics")
def kinematics(case: Case) -> list[str]:
    """Positions by the drives alone; where these leave no freedom they are those of the run in time."""
    system, start = started(case.machine)
    result = completed(vc.kinematics(system, case.machine.until, outputs=OUTPUTS, start=start))
    if vc.mobility(system).dof > len(system.drive_rows(start)):
        worst = float(np.abs(result["residual.position"]).max())
        return [f"joints are open by {worst:.2g}"] if worst > 1e-8 else []
    whole = simulated(case)
    worst, channel = difference(whole, result)
    return [f"{channel} differs by {worst:.2g} from the run in time"] if not worst <= AGREE else []


@way("statics")
def statics(case: Case) -> list[str]:
    """At rest nothing accelerates, by the accelerations that the kernel has for a run."""
    system, start = started(case.machine)
    rest = vc.statics(system, start=start)
    if system.holds and any(h.drive for h in system.holds.values()):
        return []  # drives that move at the time of rest have accelerations
    a = rest.state.solve().acceleration
    worst = float(np.abs(a[:len(case.machine.model.bodies), :3]).max())
    return [f"a body at rest accelerates by {worst:.2g} m/s2"] if worst > STILL * 9.81 * 100 else []


@way("linearize")
def linearized(case: Case) -> list[str]:
    """A at rest and in motion, all of it, against differences of accelerations, constraints and Jacobians near by."""
    return linearized_in_motion(case) or linearized_at_rest(case)


def linearized_at_rest(case: Case) -> list[str]:
    """At the rest that is nearest to the start."""
    system, start = started(case.machine)
    rest = vc.statics(system, start=start, stay=True)
    return [f"at rest: {text}" for text in complaints_of_linear(vc.linearize(rest.state))]


def linearized_in_motion(case: Case) -> list[str]:
    """The same soon after the start of the run and within it; what the motion decides is refused by name there. At the
    very start kinks of several laws may coincide."""
    run = default_run(case.mechanism, case.part)
    states = [] if isinstance(run, str) else [run.state(1), run.state(len(run) // 3)]
    said = []
    for state in states:
        try:
            linear = vc.linearize(state)
        except vc.VincoloError as error:
            if not DECIDES.search(str(error)):
                raise
            continue
        said += [f"at t = {state.t:.3g} s: {text}" for text in complaints_of_linear(linear)]
    return said


@way("inverse dynamics")
def inverse_dynamics(case: Case) -> list[str]:
    """The motion of a run needs no forces other than those that the model has."""
    from vincolo.analyses.inverse_dynamics import coordinates

    whole = default_run(case.mechanism, case.part)
    if isinstance(whole, str):
        raise vc.SimulationError(whole)
    system, start = started(case.machine)
    names = coordinates(system, start) or [case.machine.coordinate]
    motion = [{name: whole[f"{name}{level}"] for name in names} for level in ("", ".rate", ".acceleration")]
    torques = vc.inverse_dynamics(system, *motion, times=whole.t, start=start)
    size = case.machine.force * max(case.machine.length, 0.1)
    if system.model.events:
        return []  # numbers that events set in the run are those of the start here
    worst = max((float(np.abs(torque).max()), name) for name, torque in torques.items())
    return [f"{worst[1]} needs {worst[0]:.2g}, though nothing drives it"] if worst[0] > 1e-5 * size else []


# outside Python -------------------------------------------------------------------------------------------------------

def observed_model(machine: Mechanism) -> vc.Model:
    """A copy with outputs: where the moving body is."""
    model = machine.model.copy()
    for axis, direction in zip("xz", ((1, 0, 0), (0, 0, 1)), strict=True):
        model.output(f"seen {axis}", vc.along_world(direction, model.ground.frame((0, 0, 0)),
                                                    model.bodies[machine.body].frame(local=(0, 0, 0))), unit="m")
    return model


def fixed_step(case: Case) -> vc.elements.Integrator:
    return I.Moreau(step=STEP) if "rigid contact" in case.marks else I.RK4(step=STEP)


def outputs_by_steps(case: Case, model: vc.Model, count: int) -> np.ndarray:
    """Outputs of the stepper after every step, to which exports are equal to the last bit."""
    system = vc.compile(model)
    s = vc.stepper(system, STEP, start=vc.assemble(system, case.machine.rates), integrator=fixed_step(case))
    return np.array([s.step().copy() for _ in range(count)])


def planted(case: Case, model: vc.Model):
    system = vc.compile(model)
    return plant(system, STEP, start=vc.assemble(system, case.machine.rates), integrator=fixed_step(case))


@way("table in C")
def table_in_c(case: Case) -> list[str]:
    """The exported table, stepped by the C interface, against the stepper: to the last bit."""
    model, count = observed_model(case.machine), 60
    c = CModel(planted(case, model).text())
    expected = outputs_by_steps(case, model, count)
    outputs = []
    for _ in range(count):
        if c.step() not in (0, 1):
            return [f"a step in C fails: {c.reason}"]
        outputs.append(c.outputs.copy())
    off = float(np.abs(np.array(outputs) - expected).max())
    return [f"outputs in C differ by {off:.2g} from those of the stepper"] if off else []


@cache
def kernel_library() -> bool:
    """Lets exports find the library that the kernel in use was built with."""
    libraries(pytest.MonkeyPatch())
    return True


@way("program in C", 1.1)
def program_in_c(case: Case) -> list[str]:
    """The exported program, built and run, against the stepper."""
    model, count = observed_model(case.machine), 60
    project = planted(case, model)
    kernel_library()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "project"
        write_project(project, place)
        model_file = program(project, place)
        run(model_file, "--free", "--seconds", count * STEP, "--log", place / "log.csv")
        lines = [line.split(",") for line in (place / "log.csv").read_text().splitlines() if line[:1] != "#"]
    columns = [lines[0].index(name) for name in lines[0] if name.startswith("seen")]
    logged = np.array([[float(line[k]) for k in columns] for line in lines[1:]])
    names = [lines[0][k] for k in columns]
    expected = outputs_by_steps(case, model, count)
    outputs = list(vc.stepper(model, STEP, integrator=fixed_step(case)).output_names)
    order = [outputs.index(name.split(" [")[0]) for name in names]
    off = float(np.abs(logged[-count:] - expected[:, order]).max())
    return [f"the program differs by {off:.2g} from the stepper"] if off > 1e-12 else []


@way("FMU", 1.1)
def fmu(case: Case) -> list[str]:
    """As an FMU of FMI 2, simulated by FMPy, against the stepper."""
    from vincolo.realtime.fmu import write_fmu

    fmpy = pytest.importorskip("fmpy")
    model, count = observed_model(case.machine), 40
    project = planted(case, model)
    kernel_library()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.fmu"
        write_fmu(project, file, "2", instructions=instructions())
        names = list(vc.stepper(model, STEP, integrator=fixed_step(case)).output_names)
        rows = fmpy.simulate_fmu(str(file), stop_time=count * STEP, output_interval=STEP, output=names)
    expected = outputs_by_steps(case, model, count)
    off = float(np.abs(np.array([list(row) for row in rows])[1:, 1:] - expected).max())
    return [f"the FMU differs by {off:.2g} from the stepper"] if off > 1e-12 else []


@way("generated program", 1.2)
def generated_program(case: Case) -> list[str]:
    """The equations as a program in C, built and run, against the default run."""
    pytest.importorskip("sympy")
    until = min(0.1, case.machine.until)
    equations = vc.equations(case.machine.model, 2)
    source = equations.program("c", until=until, outputs=4, rtol=1e-8, atol=1e-9)
    with tempfile.TemporaryDirectory() as folder:
        motion = source.run(folder).motion
    whole = simulated(case, until, outputs=4)
    n = len(case.machine.model.bodies)
    places = motion[:, 1:].reshape(len(motion), n, 13)[:, :, :3]
    expected = whole.y[:, :13 * n].reshape(len(whole), n, 13)[:, :, :3]
    off = float(np.abs(places - expected).max()) / whole.system.extent
    return [f"the program differs by {off:.2g} of the size from the default run"] if off > 1e-4 else []


# the studio -----------------------------------------------------------------------------------------------------------

@way("studio")
def studio(case: Case) -> list[str]:
    """A run of the studio, without a browser, against the default run."""
    from studio_room import Room
    from vincolo.formats import save_model
    from vincolo.studio.draft import Draft
    from vincolo.studio.opening import open_tree
    from vincolo.studio.session import Studio

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        path = save_model(case.machine.model, place / "model.yaml")
        rigid = rigid_settings(case).get("integrator")
        integrator = f"integrator: {{kind: Moreau, step: {rigid.step!r}}}, " if rigid else ""
        text = f"\nrun: {{until: {case.machine.until!r}, {integrator}outputs: {OUTPUTS}}}\n"
        path.write_text(path.read_text() + text)
        session = Studio(Draft(open_tree(path), place / "j"), journals=place / "j")
        room = Room(session)
        try:
            answer = room.ask("run")
            if answer is not None and answer.get("error"):
                raise vc.SimulationError(answer["error"])
            room.work_until_over()
            reason = room.browsers[0].last("run")["reason"]
            result = session.result
        finally:
            session.end_run()
            session.draft.close()
    if reason:
        raise EndedEarly(result)
    whole = simulated(case)
    worst, channel = difference(whole, result)
    return [f"{channel} differs by {worst:.2g} from simulate()"] if not worst <= AGREE else []

