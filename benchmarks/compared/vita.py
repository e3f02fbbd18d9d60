"""Tables 2.1 to 2.3 of Vita (five pseudoinverses on a five-bar) and the slider-crank through critical positions."""

from __future__ import annotations

import numpy as np

import vincolo as vc
from compared.cases import PIN_ON_PISTON, Case, critical_slider_crank, vita_five_bar
from compared.grid import PSEUDOINVERSES, all_formulations
from compared.runs import Measured, Setting, measure
from compared.tables import markdown, section

CORRECT = 1e-2  # m: the motion counts as correct up to this error
RANKS = (1e-5, 1e-10, 1e-15)  # the default, finer, and the machine precision of the document
NAMES = {"svd": "SVD", "double_qr": "QR twice", "greville": "Greville", "householder": "Householder",
         "gram_schmidt": "Gram-Schmidt"}
MOST_STEPS = 4000  # a run that needs more creeps
# Tables 2.1 to 2.3: correct until [s] (20 stands for "correct"), sum Phi^2, evaluations
PRINTED = {
    1e-10: {"svd": ("fails, to 9.1 s", "3.7e-7", "-"), "double_qr": ("fails, to 8.0 s", "9.9e-2", "-"),
            "greville": ("to 17.5 s", "4.5e-5", "2,961,955"), "householder": ("to 16.5 s", "2.3e-4", "6,131,159"),
            "gram_schmidt": ("to 17.0 s", "1.1e-4", "3,749,766")},
    1e-8: {"svd": ("fails, to 12.07 s", "3.4e-6", "-"), "double_qr": ("fails, to 8.06 s", "9.9e-2", "-"),
           "greville": ("to 17.5 s", "1.86e-4", "1,648,055"), "householder": ("to 18.0 s", "7.9e-4", "1,641,751"),
           "gram_schmidt": ("to 18.0 s", "5.2e-4", "1,644,341")},
    1e-6: {"svd": ("to 17.5 s", "4.1e-4", "1,033,381"), "double_qr": ("fails, to 7.3 s", "9.9e-2", "-"),
           "greville": ("to 19.0 s", "9.7e-4", "1,017,558"), "householder": ("correct", "7.9e-4", "1,641,751"),
           "gram_schmidt": ("correct", "6.9e-4", "1,013,795")},
}  # fmt: skip
HEADS_2 = ("tolerance", "pseudoinverse", "rank tolerance", "printed result", "printed sum Phi^2", "printed evaluations",
           "correct until [s]", "sum Phi^2 at the end", "evaluations", "steps", "CPU [s]", "outcome")


def correct_until(case: Case, result: vc.Result) -> float:
    """The last sample before the error passes the limit [s]."""
    found = case.track(result)
    wrong = np.linalg.norm(found - case.reference[: len(found)], axis=1) > CORRECT
    last = len(found) if not wrong.any() else int(np.argmax(wrong))
    return float(case.times[last - 1]) if last else 0.0


def sum_of_squares(result: vc.Result) -> float:
    """Sum of Phi^2 over all rows at the last sample."""
    return float((result.state().equations().Phi ** 2).sum())


def with_pseudoinverse(case: Case, tolerance: float, kind: str, rank: float) -> Measured:
    """A run of Tables 2.1 to 2.3."""
    f = vc.UdwadiaKalaba(pseudoinverse=kind, rank_tolerance=rank)
    return measure(case, Setting(f, vc.DormandPrince(rtol=tolerance, atol=tolerance), vc.NoStabilisation()), 20.0,
                   max_steps=MOST_STEPS)


def lasting(case: Case, tolerance: float, kind: str) -> list[object]:
    """One row in short: how long the motion is correct by rank tolerance, and the work of the default one."""
    runs = [with_pseudoinverse(case, tolerance, kind, rank) for rank in RANKS]
    until = [None if m.result is None else f"{correct_until(case, m.result):.3g}" for m in runs]
    return [f"{tolerance:g}", NAMES[kind], PRINTED[tolerance][kind][0], *until, runs[0].evaluations, runs[0].cpu]


def pseudoinverses_in_short() -> str:
    """Section d as docs/formulations.md has it."""
    case = vita_five_bar(20.0, -np.pi / 4)
    heads = ("tolerance", "pseudoinverse", "printed", *(f"{rank:.0e}".replace("e-0", "e-") for rank in RANKS),
             "evaluations", "CPU [s]")
    return markdown(heads, [lasting(case, tolerance, kind) for tolerance in PRINTED for kind in PSEUDOINVERSES])


def pseudoinverse_row(case: Case, tolerance: float, kind: str, rank: float) -> list[object]:
    """One row of Tables 2.1 to 2.3."""
    m = with_pseudoinverse(case, tolerance, kind, rank)
    head = [f"{tolerance:g}", kind, f"{rank:g}", *PRINTED[tolerance][kind]]
    if m.result is None:
        return [*head, *[None] * 5, m.outcome[:90]]
    return [*head, correct_until(case, m.result), sum_of_squares(m.result), m.evaluations, m.steps, m.cpu,
            m.outcome.split(": check")[0][:90]]


def pseudoinverses(quick: bool) -> str:
    """Section d."""
    tables = []
    for start, tolerances in ((-np.pi / 4, tuple(PRINTED)), (np.pi / 4, (1e-8,))):
        case = vita_five_bar(20.0, start)
        rows = [pseudoinverse_row(case, tolerance, kind, rank) for rank in RANKS
                for tolerance in (tolerances[-1:] if quick else tolerances) for kind in PSEUDOINVERSES]
        tables += [f"Start at rest with the bars at {np.degrees(start):+.0f} degrees:", markdown(HEADS_2, rows)]
    return section(
        "d. Pseudoinverses (Vita, Tables 2.1 to 2.3)",
        "Planar five-bar, 20 s, Udwadia-Kalaba without stabilisation. Vita has 12 planar coordinates and 12 equations "
        "(11 independent); here the same mechanism stands in space with six revolutes (24 velocities, 30 rows, 23 "
        "independent). He used Adams-Moulton, here it is Dormand-Prince 5(4). The figure with his start is lost; "
        "bars at -45 degrees never meet a singular position, bars at +45 degrees fall through the one where all lie "
        f"in line. Correct: the coupler is within {CORRECT:g} m of the one-coordinate solution. A rank tolerance of "
        "1e-15 stands for the machine precision of the document; the default is 1e-5. A run ends after "
        f"{MOST_STEPS} steps. The double QR is Varga's.", *tables)


def longest_dwell(x: np.ndarray, times: np.ndarray, within: float = 2e-3) -> float:
    """The longest time [s] the piston stays near the critical position."""
    near = abs(x + PIN_ON_PISTON) < within
    edges = np.flatnonzero(np.diff(np.concatenate([[0], near.astype(int), [0]])))
    spans = [(times[min(b, len(times) - 1)] - times[a]) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return float(max(spans, default=0.0))


def crossings(x: np.ndarray) -> int:
    """How often the piston passes the critical position."""
    return int((np.diff(np.sign(x + PIN_ON_PISTON)) != 0).sum())


def critical_row(case: Case, name: str, coordinates: str, setting: Setting) -> list[object]:
    """What one formulation does at the critical positions."""
    m: Measured = measure(case, setting, 5.0)
    label = str(setting.integrator).split(", atol")[0]
    if m.result is None:
        return [name, coordinates, label, *[None] * 5, m.outcome[:100]]
    x = m.result["piston.x"]
    passes = "yes" if m.ok else "no"
    return [name, coordinates, label, passes, crossings(x), longest_dwell(x, m.result.t), m.error, m.energy_drift,
            m.outcome.split(": check")[0][:100]]


def critical(quick: bool) -> str:
    """Section e."""
    case = critical_slider_crank(samples=3000)  # dense enough to see a dwell
    x = case.reference[:, 0]
    exact = f"{crossings(x)} passes, longest time within 2 mm {longest_dwell(x, case.times):.3g} s"
    integrators = [vc.RK4(1e-3), vc.DormandPrince(rtol=1e-8, atol=1e-10)]
    rows = [critical_row(case, name, c, Setting(f, i)) for (name, c), f in all_formulations().items()
            for i in integrators[: 1 if quick else 2]]
    rows += [critical_row(case, "ALF, index 3", "twist", Setting(vc.AugmentedLagrangian(index=3), vc.Trapezoidal(h)))
             for h in (1e-3, 2e-4)]
    return section(
        "e. Slider-crank through critical positions (Vita, 4.7.2)",
        "Crank and rod of 0.25 m, weight along -x, from rest at 30 degrees, 3 s; masses of the sample cards of 4.2, as "
        "those of this example are not printed. 3 redundant rows. At 90 and 270 degrees the rod can fold on the crank "
        "and turn with it while the piston dwells at -0.04 m, as Vita reports of another program. By one equation in "
        f"the crank's angle: {exact}. It passes if the piston stays within 0.05 m of that solution to the end.",
        markdown(("formulation", "coordinates", "integrator", "passes", "crossings", "longest dwell [s]", "error [m]",
                  "energy drift", "outcome"), rows))
