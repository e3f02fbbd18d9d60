"""How far a run can be relied on: each check with its number, its limits and a verdict in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.report.elements import Safe, joined, number
from vincolo.results.ranges import left_ranges
from vincolo.results.sharing import grouped, shared_reactions
from vincolo.results.summary import renewals

if TYPE_CHECKING:
    from vincolo.results.result import Result

#: (good up to, fair up to): residuals in m or rad, in m/s or rad/s, and imbalance as a share of the energy in motion
POSITION = (1e-6, 1e-4)
VELOCITY = (1e-6, 1e-3)
ENERGY = (1e-4, 1e-2)
ENERGY_TITLE = "Balance of energy"
RANGES_TITLE = "Ranges of the model"
#: what the verdict says of checks that are good
PASSED = {"End of the run": "it reached its end", "Closure of joints": "joints stay closed",
          "Closure of velocities": "so do their velocities", ENERGY_TITLE: "energy is balanced",
          RANGES_TITLE: "ranges are kept"}
AT_REST = 1e-9  # J: an imbalance below is rounding
LEVELS = ("good", "note", "fair", "bad")  # the worst last
WORDS = {"good": "good", "note": "note", "fair": "with care", "bad": "not good"}


@dataclass(frozen=True)
class Check:
    """One check: what, how good, and why."""

    title: str
    level: str
    text: Safe
    limits: Safe = Safe("")


def checks_of(result: Result) -> list[Check]:
    """All checks of a run."""
    found = [_end(result)]
    if len(result):
        found += [*_residuals(result), _energy(result), *_finite(result), *_ranges(result), *_redundancy(result),
                  *_singular(result)]
    return [check for check in found if check is not None]


def verdict(checks: list[Check]) -> tuple[str, str]:
    """The level and a sentence for all checks together."""
    worst = max((c.level for c in checks), key=LEVELS.index, default="good")
    named = ", ".join(c.title.lower() for c in checks if c.level == worst)
    if worst == "bad":
        return "bad", f"Do not rely on this run: see {named} below."
    if worst == "fair":
        return "fair", f"Use this run with care: see {named} below."
    done = [said for title, said in PASSED.items() if any(c.title == title and c.level == "good" for c in checks)]
    last = done.pop() if done else "nothing was found"
    return "good", f"This run passed all checks: {', '.join(done) + ' and ' if done else ''}{last}."


def unchecked(result: Result) -> str:
    """What no check of a report looks at."""
    prescribed = result.settings.analysis == "kinematics"
    found = ["the balance of energy, since the motion is prescribed"] if prescribed else [
        "the error of the integration: compare with a run of a tenth of the tolerance or step"]
    found += ["whether the numbers of the model are those of the real thing",
              "strength, wear and contact between parts"]
    if not result.model.ranges:
        found.insert(-2, "limits of joints, since the model has no ranges")
    return f"Not checked: {'; '.join(found)}."


def _level(value: float, limits: tuple[float, float]) -> str:
    return "good" if value <= limits[0] else "fair" if value <= limits[1] else "bad"


def _limits(limits: tuple[float, float], what: str) -> Safe:
    return joined(["good up to ", number(limits[0]), ", with care up to ", number(limits[1]), f" {what}"])


def _end(result: Result) -> Check:
    asked = result.settings.until
    if result.complete:
        return Check("End of the run", "good", joined(["The run reached t = ", number(float(asked), 6), " s."]))
    reached = number(float(result.t[-1]), 6) if len(result) else "no sample"
    return Check("End of the run", "bad", joined(["The run ended early, at t = ", reached, " of ",
                                                  number(float(asked), 6), f" s: {result.reason}"]))


def _largest(values: Any) -> float:
    whole = np.abs(values[np.isfinite(values)])
    return float(whole.max()) if len(whole) else 0.0


def _residuals(result: Result) -> list[Check]:
    if not result.system.rows:
        return []
    met = result.statistics.get("position_residual", 0.0)
    position = max(_largest(result["residual.position"]), float(met) if isinstance(met, int | float) else 0.0)
    velocity = _largest(result["residual.velocity"])
    words = {"good": "Joints stay closed", "fair": "Joints open a little", "bad": "Joints open visibly"}
    level, rate = _level(position, POSITION), _level(velocity, VELOCITY)
    return [Check("Closure of joints", level, joined([f"{words[level]}: largest gap ", number(position, 2),
                                                      " m or rad."]), _limits(POSITION, "m or rad")),
            Check("Closure of velocities", rate, joined(["Largest speed across a joint ", number(velocity, 2),
                                                         " m/s or rad/s."]), _limits(VELOCITY, "m/s or rad/s"))]


def _energy(result: Result) -> Check:
    title = ENERGY_TITLE
    if result.settings.analysis == "kinematics":
        return Check(title, "note", Safe("Not checked: the motion is prescribed, and work is not summed up."))
    imbalance = _largest(result["energy.balance"])
    size = _energy_size(result)
    share = imbalance / size if size > 0 else 0.0
    level = "good" if imbalance <= AT_REST else _level(share, ENERGY)
    words = {"good": "Energy follows the work done on the mechanism", "fair": "Energy drifts a little",
             "bad": "Energy does not follow the work done on the mechanism"}
    text = [f"{words[level]}: largest difference ", number(imbalance, 2), " J, which is ", number(share, 2),
            " of the energy in motion (", number(size, 3), " J)."]
    if level != "good":
        text.append(" Use a smaller step or tolerance.")
    return Check(title, level, joined(text), _limits(ENERGY, "of the energy in motion"))


def _energy_size(result: Result) -> float:
    """The energy in motion: the larger of the range met in the run and the largest kinetic energy at the samples."""
    met = result.statistics.get("energy_range", 0.0)
    kinetic = _largest(result["energy.kinetic"])
    return max(float(met) if isinstance(met, int | float) and np.isfinite(met) else 0.0, kinetic)


def _finite(result: Result) -> list[Check]:
    lost = int(np.count_nonzero(~np.isfinite(result.y).all(axis=1)))
    if not lost:
        return []
    return [Check("Numbers", "bad", joined([f"{lost} of {len(result)} samples are not finite; they are left out of "
                                            "plots and extreme values."]))]


def _ranges(result: Result) -> list[Check]:
    """Whether the ranges of the model were kept, at the samples."""
    count = len(result.model.ranges)
    if not count:
        return []
    left = left_ranges(result)
    if left:
        return [Check(RANGES_TITLE, "fair", joined(["\n".join(f"{one}." for one in left[:6])]))]
    return [Check(RANGES_TITLE, "good", joined([f"All {count} ranges of the model are kept at all samples."
                                                if count > 1 else "The range of the model is kept at all samples."]))]


def _redundancy(result: Result) -> list[Check]:
    shared = grouped(shared_reactions(result))
    if not shared:
        return []
    return [Check("Uniqueness of reactions", "note", joined([
        f"Redundant joints share the load in a way that rigid bodies do not determine ({'; '.join(shared[:6])}"
        f"{'; ...' if len(shared) > 6 else ''}): there the least forces are given. All other components are unique, "
        "and the motion is exact all the same."]))]


def _singular(result: Result) -> list[Check]:
    s = result.statistics
    passed = s.get("singular", ())[:6]
    texts: list[object] = [joined(["t = ", number(float(t), 6), f" s: {kind}."]) for t, kind in passed]
    if s.get("zeroed_pivots"):
        texts.append(f"{s['zeroed_pivots']:,} evaluations were in a singular position.")
    times = renewals(result)
    if times:
        texts.append(f"The set of independent rows was renewed {'once' if times == 1 else f'{times:,} times'}.")
    return [Check("Singular positions", "note", joined(texts, " "))] if texts else []
