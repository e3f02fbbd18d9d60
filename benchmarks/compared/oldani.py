"""Tables 4.3 and 4.4 of Oldani (2010), the accuracy of penalties, and real time, on his slider-crank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import vincolo as vc
from compared.cases import Case, oldani
from compared.grid import all_formulations
from compared.runs import Measured, Setting, measure, timed
from compared.tables import markdown, section

STEPS = (1e-4, 1e-3, 1e-2, 1e-1)
JOINTS = {"spherical": "no", "revolute": "yes"}
# error_max as printed, by stabiliser, redundancy and step; None stands for "Unst", what is missing was not tried
PRINTED = {
    ("BMG", "no"): {1e-4: 2.453e-3, 1e-3: 2.788e-2, 1e-2: None},
    ("BMG", "yes"): {1e-4: None, 1e-3: None, 1e-2: None},
    ("ALF", "no"): {1e-4: 4.202e-4, 1e-3: 4.742e-3, 1e-2: None},
    ("ALF", "yes"): {1e-4: 4.202e-4, 1e-3: 4.742e-3, 1e-2: None},
    ("ALF PRJ", "no"): {1e-4: 2.267e-10, 1e-3: 3.192e-9, 1e-2: 2.675e-8, 1e-1: None},
    ("ALF PRJ", "yes"): {1e-4: 2.267e-10, 1e-3: 3.192e-9, 1e-2: 2.675e-8, 1e-1: None},
    ("ALF PRJ 2", "no"): {1e-4: 1.857e-10, 1e-3: 1.748e-9, 1e-2: 1.051e-8, 1e-1: None},
    ("ALF PRJ 2", "yes"): {1e-4: 1.185e-10, 1e-3: 1.748e-9, 1e-2: 1.051e-8, 1e-1: None},
}  # fmt: skip
PRINTED_TIMES = {1e3: 5.14, 1e4: 4.15, 1e5: 3.83, 1e6: 3.89, 1e7: 3.72}  # s, Table 4.3


def stabiliser(name: str, coordinates: str) -> tuple[vc.Formulation, vc.Stabilisation]:
    """The stabilisers of Table 4.4: Baumgarte with his 10 and 10, ALF with his alpha of 1e6 and nothing else, and
    with one or two projections."""
    alf = vc.AugmentedLagrangian(alpha=1e6, coordinates=coordinates)
    return {"BMG": (vc.Lagrange(coordinates=coordinates), vc.Baumgarte(10, 10)),
            "ALF": (alf, vc.NoStabilisation()),
            "ALF PRJ": (alf, vc.Projection(velocities=False)),
            "ALF PRJ 2": (alf, vc.Projection())}[name]


def printed_text(name: str, redundant: str, step: float) -> str:
    column = PRINTED[name, redundant]
    return "not tried" if step not in column else "Unst" if column[step] is None else f"{column[step]:.3e}"


def line(case: Case, name: str, redundant: str, setting: Setting, coordinates: str) -> list[object]:
    """One row of Table 4.4 with what was found."""
    m = measure(case, setting, 20.0)
    failed = m.reached < case.until
    return [name, redundant, type(setting.integrator).__name__, coordinates, f"{setting.step:g}",
            printed_text(name, redundant, setting.step), None if failed else m.position_residual,
            None if failed else m.error, None if failed else m.cpu, m.outcome.split(": check")[0][:110]]


HEADS_44 = ("stabiliser", "redundant", "integrator", "coordinates", "step [s]", "error_max printed", "max abs Phi",
            "trajectory error [m]", "CPU [s]", "outcome")


def table_44(cases: dict[str, Case], integrator: type, coordinates: str, steps: tuple[float, ...]) -> str:
    """The four stabilisers, without and with redundancy, at all steps."""
    rows = [line(cases[joint], name, redundant, Setting(stabiliser(name, coordinates)[0], integrator(step),
                                                        stabiliser(name, coordinates)[1]), coordinates)
            for name in ("BMG", "ALF", "ALF PRJ", "ALF PRJ 2") for joint, redundant in JOINTS.items() for step in steps]
    return markdown(HEADS_44, rows)


def trapezoidal_44(cases: dict[str, Case], steps: tuple[float, ...]) -> str:
    """The same mechanism by index 3 and the trapezoidal rule, which projects itself."""
    f = vc.AugmentedLagrangian(index=3)
    rows = [line(cases[joint], "ALF PRJ 2", redundant, Setting(f, vc.Trapezoidal(step)), "twist (index 3)")
            for joint, redundant in JOINTS.items() for step in steps]
    return markdown(HEADS_44, rows)


def stabilisers(quick: bool) -> str:
    """Section a."""
    cases = {joint: oldani(joint) for joint in JOINTS}
    steps = STEPS[1:] if quick else STEPS
    kinds = [(vc.SemiImplicitEuler, "natural"), (vc.SemiImplicitEuler, "twist"), (vc.RK4, "natural"), (vc.RK4, "twist")]
    return section(
        "a. Stabilisers (Oldani 2010, Table 4.4)",
        "Slider-crank, 5 s. The document does not say what error_max is; its size is that of the largest constraint "
        "violation, so max abs Phi stands beside it. His integrator is read as semi-implicit Euler, in natural "
        "coordinates; constants of stabilised ALF are not printed, so ALF runs without any. BMG is index 1 with "
        "Lagrange multipliers. The trajectory error is that of the slider against one equation in the crank's angle.",
        *[table_44(cases, kind, coordinates, steps) for kind, coordinates in kinds], trapezoidal_44(cases, steps))


def with_alpha(case: Case, alpha: float) -> Measured:
    """ALF with his constants but this alpha."""
    f = vc.AugmentedLagrangian(alpha=alpha, coordinates="natural")
    return measure(case, Setting(f, vc.SemiImplicitEuler(1e-3), vc.NoStabilisation()))


def iterations_in_short() -> str:
    """Section b as docs/formulations.md has it: with redundant joints, and only what does not depend on the machine."""
    case = oldani("revolute")
    found = [(alpha, printed, with_alpha(case, alpha)) for alpha, printed in PRINTED_TIMES.items()]
    return markdown(("alpha", "printed time [s]", "passes, mean", "most"),
                    [[f"{alpha:g}", printed, f"{m.iterations:.1f}", m.most_iterations] for alpha, printed, m in found])


def iterations(quick: bool) -> str:
    """Section b."""
    rows: list[list[object]] = []
    for joint, redundant in JOINTS.items():
        case = oldani(joint)
        for alpha, printed in PRINTED_TIMES.items():
            m = with_alpha(case, alpha)
            rows.append([f"{alpha:g}", redundant, printed, m.cpu, m.iterations, m.most_iterations, m.error, m.outcome])
    heads = ("alpha", "redundant", "t_int printed [s]", "CPU [s]", "iterations, mean", "most", "error [m]", "outcome")
    return section("b. Penalty and iterations of ALF (Oldani 2010, Table 4.3)",
                   "No projections, natural coordinates, semi-implicit Euler of 1 ms (the step is not printed).",
                   markdown(heads, rows))


def moving_state(case: Case) -> vc.State:
    """A state in full motion, 1 s after the start."""
    return vc.simulate(case.system, 1.0, start=case.start, integrator=vc.DOP853(rtol=1e-11, atol=1e-12),
                       outputs=1).state()


def short(case: Case, until: float) -> Case:
    """The same case, ended earlier."""
    count = int(np.searchsorted(case.times, until + 1e-9))
    return replace(case, times=case.times[:count], reference=case.reference[:count])


def acceleration_error(state: vc.State, exact: np.ndarray, formulation: vc.Formulation) -> float | None:
    """Largest difference from the exact accelerations by the largest of them."""
    try:
        found = state.solve(formulation).acceleration
    except vc.SimulationError:
        return None
    return float(abs(found - exact).max() / abs(exact).max())


def penalties(quick: bool) -> str:
    """Section c."""
    case = oldani("revolute")
    state = moving_state(case)
    exact = state.solve().acceleration
    begun = short(case, 1.0)
    rows: list[list[object]] = []
    for power in range(2, 15):
        row: list[object] = [f"1e{power}"]
        for form in ("normal", "saddle"):
            f = vc.Penalty(alpha=10.0**power, omega=0, form=form)
            m = measure(begun, Setting(f, vc.RK4(1e-3)))
            row += [acceleration_error(state, exact, f), m.error if m.reached >= begun.until else m.outcome[:60]]
        rows.append(row)
    heads = ("alpha", "normal: accelerations", "normal: trajectory [m]", "saddle: accelerations",
             "saddle: trajectory [m]")
    return section("c. Accuracy of the penalty formulation",
                   "Slider-crank with revolutes (2 redundant rows). Accelerations at t = 1 s against the kernel's own, "
                   "relative; trajectory over 1 s with RK4 of 1 ms and projection, no stabilisation by omega.",
                   markdown(heads, rows))


def real_time(quick: bool) -> str:
    """Section g."""
    case = oldani("revolute")
    rows = []
    for (name, coordinates), formulation in all_formulations().items():
        for integrator in (vc.RK4(1e-3), vc.SemiImplicitEuler(1e-3)):
            rows.append(real_time_row(case, name, coordinates, Setting(formulation, integrator)))
    return section("g. Real time", "Slider-crank of Oldani with revolutes at steps of 1 ms: RK4, and semi-implicit "
                   "Euler as the cheapest step. Factor: simulated time by CPU time. The worst step is to be held "
                   "against the 1000 microseconds it has. Times are given also where the motion is far off.",
                   markdown(("formulation", "coordinates", "integrator", "factor", "worst step [us]", "error [m]",
                             "outcome"), rows))


def real_time_row(case: Case, name: str, coordinates: str, setting: Setting) -> list[object]:
    m: Measured = timed(case, setting, far_off=True, long=10.0)
    factor = case.until / m.cpu if m.cpu and m.reached >= case.until else None
    return [name, coordinates, type(setting.integrator).__name__, factor and round(factor, 1),
            m.worst_step and round(1e6 * m.worst_step), m.error if factor else None, m.outcome[:90]]
