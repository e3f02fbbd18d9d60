"""The chapter of a report on tolerances."""

from __future__ import annotations

from vincolo.plots.tolerances import band_sheet, contribution_bars, histogram_sheet
from vincolo.report.charts import Charts
from vincolo.report.elements import Safe, element, joined, number, paragraph, table
from vincolo.tolerance.results import BAND, Tolerated


def tolerances_chapter(found: Tolerated, charts: Charts) -> Safe:
    """Sources, failures, and for every output its band, its spread and who contributes what."""
    s = found.sampler
    asked = f"{int(found.done.sum()):,} samples, {s.method}, seed {s.seed}."
    parts: list[object] = [paragraph(asked), _failures(found), _sources(found)]
    if int(found.done.sum()) - len(found.failures) < 2:
        return joined(parts)
    for name in found.outputs:
        parts += [element("h3", name), _numbers(found, name),
                  charts.figure(band_sheet(found, name), f"{name}: mean, and {BAND:.2%} of the samples"),
                  charts.figure(histogram_sheet(found, name), f"{name} where it spreads most"),
                  charts.figure(contribution_bars(found, name), f"what spreads {name}, over the whole motion")]
    return joined(parts)


def _failures(found: Tolerated) -> Safe:
    told = found.told_failures() or "All samples could be assembled and moved."
    more = f" The study is not complete: {found.reason}." if found.reason else ""
    return element("div", told + more, class_=f"verdict {'fair' if found.failures or found.reason else 'good'}")


def _sources(found: Tolerated) -> Safe:
    rows = [[s.name, ", ".join(s.coordinates), number(float(s.covariance[0, 0]) ** 0.5)] for s in found.sampler.sources]
    return table(["source", "what deviates", "standard deviation"], rows, "llr")


def _numbers(found: Tolerated, name: str) -> Safe:
    k, o = found.worst_position(name), found.index(name)
    low, high = found.band(name)
    rows = [[float(found.at[k]), float(found.nominal[k, o]), float(found.mean(name)[k]),
             float(found.deviation(name)[k]), float(low[k]), float(high[k])]]
    heads = [found.subject.axis, "nominal", "mean", "standard deviation", f"lower {BAND:.2%}", f"upper {BAND:.2%}"]
    told = [[number(value, 6) for value in row] for row in rows]
    return table(heads, told, "rrrrrr", "where it spreads most", narrow=True)
